// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weftctl - show and configure weft's ports: weftctl [OPTIONS] OBJECT [COMMAND] [ARGUMENTS], or
 * such commands from a file
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "weftctl.h"

static const char usage[] =
	"Usage: weftctl [-j] [-p] OBJECT [COMMAND] [ARGUMENTS]\n"
	"       weftctl [-j] [-p] [-f] -b FILE [-s STATE]\n"
	"       weftctl OBJECT help\n"
	"OBJECT:  port   ports: what programs open, and their network devices\n"
	"         ep     endpoints\n"
	"         ctx    contexts: processes that opened a port\n"
	"         path   paths to other nodes\n"
	"         stats  counters\n"
	"         neigh  nodes on the links of ports that own their devices\n"
	"         user   what each user takes of a port\n"
	"         recv   posted receives\n"
	"         msg    messages that wait for a receive\n"
	"         send   sends under way, and what each waits for\n"
	"         flow   flows: messages from one endpoint to another\n"
	"         hang   which programs wait for what, and why\n"
	"         limit  what a port may use at most, and for how long it waits\n"
	"         job    jobs: whose programs do not hear those of others\n"
	"         top    what processes, paths and endpoints do now, and their rates\n"
	"         report a file for those who are to find a fault\n"
	"OPTIONS: -j, --json     JSON\n"
	"         -p, --pretty   JSON with lines and indents\n"
	"         -d, --details  stats: also what each counter counts\n"
	"         --prometheus   stats: the form that Prometheus reads\n"
	"         -b, --batch F  commands from file F (-: standard input), one a line\n"
	"         -s, --state S  only what F changes: S has the commands in effect, and is written\n"
	"         -f, --force    go on behind a command of the file that fails\n"
	"         -V, --version  print the versions of weftctl and of the module\n"
	"         -h, --help     print this\n"
	"Words may be shortened: \"weftctl p s\" is \"weftctl port show\".\n";

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
	{ "hang", do_hang },
	{ "limit", do_limit },
	{ "job", do_job },
	{ "top", do_top },
	{ "report", do_report },
	{ "help", help },
	{ 0 }
};

/* OBJECT [COMMAND] [ARGUMENTS] */
static int run(int argc, char **argv)
{
	const struct choice *object = choose(objects, argv[0]);
	int ret;

	if (!object) {
		complain("there is no object \"%s\", try \"weftctl help\"", argv[0]);
		return EXIT_USAGE;
	}
	ret = object->run(argc - 1, argv + 1);
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
		{ "prometheus", no_argument, NULL, 'M' },
		{ "batch", required_argument, NULL, 'b' },
		{ "state", required_argument, NULL, 's' },
		{ "force", no_argument, NULL, 'f' },
		{ "version", no_argument, NULL, 'V' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 }
	};
	bool json = false, pretty = false, force = false, details = false, metrics = false;
	const char *batch = NULL, *state = NULL;
	int opt;

	while ((opt = getopt_long_only(argc, argv, "+jpdb:s:fVh", options, NULL)) != -1) {
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
		case 's':
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
	if (!argc == !batch || (state && !batch)) {
		fputs(usage, stderr);
		return EXIT_USAGE;
	}
	out_mode(json, pretty);
	out_more(details, metrics);
	if (metrics && !(argc && matches(argv[0], "stats"))) {
		complain("--prometheus is for stats");
		return EXIT_USAGE;
	}
	if (state)
		return apply_batch(batch, state, force, run);
	return batch ? run_batch(batch, force, run) : run(argc, argv);
}
