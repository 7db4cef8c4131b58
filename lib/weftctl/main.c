// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weftctl - show and configure weft's ports: weftctl [OPTIONS] OBJECT [COMMAND] [ARGUMENTS], or
 * such commands from a file. The options are those of ip(8), where it has them.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "weftctl.h"

static const char usage[] =
	"Usage: weftctl [OPTIONS] OBJECT [COMMAND] [ARGUMENTS]\n"
	"       weftctl [OPTIONS] [-f] -b FILE [-S STATE]\n"
	"       weftctl [OBJECT [COMMAND]] help\n"
	"OBJECT:  port   ports: what programs open, and their network devices\n"
	"         ep     endpoints\n"
	"         ctx    contexts: processes that opened a port\n"
	"         path   paths to other nodes\n"
	"         stats  counters\n"
	"         histogram  for how long messages wait, and how long searches are\n"
	"         neigh  nodes on the links of ports that own their devices\n"
	"         user   what each user takes of a port\n"
	"         recv   posted receives\n"
	"         msg    messages that wait for a receive\n"
	"         send   sends under way, and what each waits for\n"
	"         flow   flows: messages from one endpoint to another\n"
	"         conn   connections, and requests for them\n"
	"         cq     completion queues and counters\n"
	"         srq    shared receive queues\n"
	"         mr     registered memory\n"
	"         hang   which programs wait for what, and why\n"
	"         event  what has happened to ports\n"
	"         monitor  events as they happen\n"
	"         limit  what a port may use at most, and for how long it waits\n"
	"         job    jobs: whose programs do not hear those of others\n"
	"         top    what processes, paths and endpoints do now, and their rates\n"
	"         report a file for those who are to find a fault\n"
	"OPTIONS: -j, --json     JSON\n"
	"         -p, --pretty   JSON with lines and indents\n"
	"         -o, --oneline  each object on one line\n"
	"         -br, --brief   a table of the most important values; -d: with a head\n"
	"         -c, --color[=auto|always|never]  colours; without -c: auto\n"
	"         -d, --details  also what states, limits and counters mean, users' names\n"
	"         -s, --statistics  ep, path: also what is under way on their flows\n"
	"         -n, --netns N  in the network namespace N: a name, a path, or a process\n"
	"         --prometheus   stats: the form that Prometheus reads\n"
	"         -b, --batch F  commands from file F (-: standard input), one a line\n"
	"         -S, --state S  only what F changes: S has the commands in effect, and is written\n"
	"         -f, --force    go on behind a command of the file that fails\n"
	"         -V, --version  print the versions of weftctl and of the module\n"
	"         -h, --help     print this\n"
	"Words may be shortened: \"weftctl p s\" is \"weftctl port show\".\n"
	"See weftctl(8), and for an object weftctl-OBJECT(8).\n";

static int help(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	fputs(usage, stdout);
	return 0;
}

static const struct choice objects[] = {
	{ "port", do_port },
	{ "ep", do_ep },
	{ "ctx", do_ctx },
	{ "path", do_path },
	{ "stats", do_stats },
	{ "neigh", do_neigh },
	{ "user", do_user },
	{ "recv", do_recv },
	{ "msg", do_msg },
	{ "send", do_send },
	{ "flow", do_flow },
	{ "conn", do_conn },
	{ "cq", do_cq },
	{ "srq", do_srq },
	{ "mr", do_mr },
	{ "hang", do_hang },
	{ "histogram", do_histogram },
	{ "event", do_event },
	{ "monitor", do_monitor },
	{ "limit", do_limit },
	{ "job", do_job },
	{ "top", do_top },
	{ "report", do_report },
	{ "help", help },
	{ 0 }
};

static const char *near_objects(const char *arg)
{
	const struct choice *o;
	struct guess g;

	guess_begin(&g, arg);
	for (o = objects; o->word; o++)
		guess_word(&g, o->word);
	return guess_text(&g);
}

/* OBJECT [COMMAND] [ARGUMENTS] */
static int run(int argc, char **argv)
{
	const struct choice *object = choose(objects, argv[0]);
	int ret;

	if (!object) {
		complain("there is no object \"%s\", try \"weftctl help\"%s", argv[0],
			 near_objects(argv[0]));
		return EXIT_USAGE;
	}
	ret = object->run(argc - 1, argv + 1);
	if (ret == HELPED) {
		printf("See weftctl-%s(8).\n", object->word);
		ret = 0;
	}
	if (fflush(stdout) || ferror(stdout)) {
		perror("weftctl: output");
		return EXIT_FAILURE;
	}
	return ret;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "pretty", no_argument, NULL, 'p' },
		{ "details", no_argument, NULL, 'd' },
		{ "oneline", no_argument, NULL, 'o' },
		{ "brief", no_argument, NULL, 'B' },
		{ "color", optional_argument, NULL, 'c' },
		{ "statistics", no_argument, NULL, 's' },
		{ "stats", no_argument, NULL, 's' },
		{ "netns", required_argument, NULL, 'n' },
		{ "prometheus", no_argument, NULL, 'M' },
		{ "batch", required_argument, NULL, 'b' },
		{ "state", required_argument, NULL, 'S' },
		{ "force", no_argument, NULL, 'f' },
		{ "version", no_argument, NULL, 'V' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 }
	};
	bool json = false, pretty = false, force = false, details = false, metrics = false;
	bool oneline = false, brief = false, statistics = false;
	const char *batch = NULL, *state = NULL, *netns = NULL;
	int opt;

	while ((opt = getopt_long_only(argc, argv, "+jpdocsn:b:S:fVh", options, NULL)) != -1) {
		switch (opt) {
		case 'j':
			json = true;
			break;
		case 'p':
			json = true;
			pretty = true;
			break;
		case 'd':
			details = true;
			break;
		case 'M':
			metrics = true;
			break;
		case 'b':
			batch = optarg;
			break;
		case 'o':
			oneline = true;
			break;
		case 'B':
			brief = true;
			break;
		case 'c':
			if (!color_mode(optarg))
				break;
			complain("color %s: it must be auto, always or never%s", optarg,
				 guess_of(optarg, "auto always never"));
			return EXIT_USAGE;
		case 's':
			statistics = true;
			break;
		case 'n':
			netns = optarg;
			break;
		case 'S':
			state = optarg;
			break;
		case 'f':
			force = true;
			break;
		case 'V':
			print_versions();
			return 0;
		case 'h':
			return help(0, NULL);
		default:
			fputs(usage, stderr);
			return EXIT_USAGE;
		}
	}
	argc -= optind;
	argv += optind;
	if (argc && batch)
		complain("-b reads commands from a file: \"%s\" is too much (-S has a state)",
			 *argv);
	if (!argc == !batch || (state && !batch)) {
		fputs(usage, stderr);
		return EXIT_USAGE;
	}
	out_mode(json, pretty);
	out_more(details, metrics);
	out_form(oneline, brief);
	out_count(statistics);
	if (metrics && !(argc && matches(argv[0], "stats"))) {
		complain("--prometheus is for stats");
		return EXIT_USAGE;
	}
	if (netns && enter_netns(netns))
		return EXIT_KERNEL;
	if (state)
		return apply_batch(batch, state, force, run);
	return batch ? run_batch(batch, force, run) : run(argc, argv);
}
