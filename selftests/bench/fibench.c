// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fibench: measures any libfabric provider, all in the same way. Its output is for
 * "report"; measure.h has the format. "run" beside this file starts it, or a user does:
 *
 *   fibench -p PROVIDER [OPTION...] MEASURE...
 *
 *   MEASURE is latency, burst, counts, burstcounts, softirq, ready, late, rate, bandwidth, more,
 *   posted, unexpected, shared, overlap, write, writes, read, fetch or register, with a parameter:
 *   latency:8, posted:1000 (measure.h)
 *
 *   -l LABEL      name of the row
 *   -n NODE,NODE  network namespaces of both ends
 *   -a ADDR,ADDR  their addresses
 *   -2            two processes, which wait for completions (else both ends in one thread,
 *                 which polls)
 *   -w            the reverse: two processes poll, one thread waits
 *   -s ADDR       the second end alone: waits at this address for the first end, on another
 *                 machine, which names the measurements
 *   -c ADDR       the first end alone, whose other end waits there
 *   -e msg        connected endpoints and messages without tags
 *   -r SAMPLES    samples of each measurement
 *   -q PERCENT    percentage of the usual messages of a sample
 *   -t SECONDS    longest time of a measurement
 *   -m            print the program's mappings (/proc/self/maps), for the profiler
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "clock.h"
#include "measure.h"
#include "meet.h"

#define DEPTH 128 /* sends and receives under way, except in the measurements of matching */

/**
 * struct bench - the command line
 * @plan: for the measurements
 * @ends: both ends
 * @two: two processes
 * @meet: where the processes of two machines meet, else NULL
 * @client: this machine's process is the first end
 * @sock: to the other machine's process, in a measurement
 * @limit: seconds for each measurement
 * @maps: print the mappings
 */
struct bench {
	struct plan plan;
	struct side_opts ends[2];
	bool two;
	const char *meet;
	bool client;
	int sock;
	int limit;
	bool maps;
};

static void help(void)
{
	fputs("fibench -p PROVIDER [-l LABEL] [-n NODE,NODE] [-a ADDR,ADDR] [-2] [-w]\n"
	      "        [-s ADDR] [-c ADDR] [-e msg] [-r SAMPLES] [-q PERCENT] [-t SECONDS]\n"
	      "        [-m] MEASURE:PARAMETER...\n", stderr);
	exit(2);
}

/* "a,b" */
static void both(char *arg, const char **a, const char **b)
{
	*a = strtok(arg, ",");
	*b = strtok(NULL, ",");
	if (!*a || !*b)
		help();
}

static void options(struct bench *b, int argc, char **argv)
{
	struct side_opts *o = b->ends;
	bool other = false;
	int c;

	while ((c = getopt(argc, argv, "p:l:n:a:2ws:c:e:r:q:t:m")) != -1) {
		switch (c) {
		case 'p':
			o[0].prov = optarg;
			break;
		case 'l':
			b->plan.label = optarg;
			break;
		case 'n':
			both(optarg, &o[0].node, &o[1].node);
			break;
		case 'a':
			both(optarg, &o[0].addr, &o[1].addr);
			break;
		case '2':
			b->two = true;
			break;
		case 'w':
			other = true;
			break;
		case 's':
		case 'c':
			b->meet = optarg;
			b->client = c == 'c';
			break;
		case 'e':
			o[0].type = FI_EP_MSG;
			o[0].msg = true;
			break;
		case 'r':
			b->plan.reps = atoi(optarg);
			break;
		case 'q':
			b->plan.scale = atoi(optarg);
			break;
		case 't':
			b->limit = atoi(optarg);
			break;
		case 'm':
			b->maps = true;
			break;
		default:
			help();
		}
	}
	if (!o[0].prov || b->plan.reps < 1 || b->plan.reps > MAX_SAMPLES ||
	    (optind == argc && (!b->meet || b->client)))
		help();
	o[0].block = (b->two || b->meet) != other;
	o[1].prov = o[0].prov;
	o[1].type = o[0].type;
	o[1].msg = o[0].msg;
	o[1].block = o[0].block;
	if (!b->plan.label)
		b->plan.label = o[0].prov;
	b->plan.form = b->meet ? "hosts" : b->two ? other ? "twopoll" : "two" : "one";
}

/* Return: one-sided operations that a measurement needs, FI_RMA or FI_ATOMIC; 0: none */
static uint64_t onesided(const char *what)
{
	if (!strcmp(what, "fetch"))
		return FI_ATOMIC;
	return !strcmp(what, "write") || !strcmp(what, "writes") || !strcmp(what, "read") ||
			       !strcmp(what, "register") ?
		       FI_RMA :
		       0;
}

static void in_one_thread(const struct plan *plan, const struct bench *b, const char *what,
			  size_t param)
{
	struct pair p = {};

	if (!strcmp(what, "shared")) {
		one_shared(plan, b->ends, param);
		return;
	}
	pair_open(&p, &b->ends[0], &b->ends[1]);
	if (!strcmp(what, "latency"))
		one_turns(plan, &p, param, 1);
	else if (!strcmp(what, "burst"))
		one_turns(plan, &p, param, BURST);
	else if (!strcmp(what, "counts"))
		one_counts(plan, &p, param, 1);
	else if (!strcmp(what, "burstcounts"))
		one_counts(plan, &p, param, BURST);
	else if (!strcmp(what, "softirq"))
		one_softirq(plan, &p, param);
	else if (!strcmp(what, "ready") || !strcmp(what, "late"))
		one_order(plan, &p, param, what[0] == 'r');
	else if (!strcmp(what, "rate"))
		one_stream(plan, &p, param, RATE_WINDOW);
	else if (!strcmp(what, "bandwidth"))
		one_stream(plan, &p, param, BANDWIDTH_WINDOW);
	else if (!strcmp(what, "more"))
		one_more(plan, &p, param);
	else if (!strcmp(what, "posted") || !strcmp(what, "unexpected"))
		one_match(plan, &p, param, what[0] == 'p');
	else if (!strcmp(what, "write"))
		one_writes(plan, &p, param, 1);
	else if (!strcmp(what, "writes"))
		one_writes(plan, &p, 8, (int)param);
	else if (!strcmp(what, "read") || !strcmp(what, "fetch"))
		one_gets(plan, &p, param, what[0] == 'f');
	else if (!strcmp(what, "register"))
		one_register(plan, &p, param);
	else
		help();
	pair_close(&p);
}

static void in_two_processes(const struct plan *plan, const struct bench *b, const char *what,
			     size_t param)
{
	struct two t = {};

	if (b->meet)
		two_open_apart(&t, &b->ends[!b->client], b->client, b->sock);
	else
		two_open(&t, &b->ends[0], &b->ends[1]);
	if (!strcmp(what, "latency"))
		two_turns(plan, &t, param, 1);
	else if (!strcmp(what, "burst"))
		two_turns(plan, &t, param, BURST);
	else if (!strcmp(what, "rate"))
		two_stream(plan, &t, param, RATE_WINDOW);
	else if (!strcmp(what, "bandwidth"))
		two_stream(plan, &t, param, BANDWIDTH_WINDOW);
	else if (!strcmp(what, "overlap"))
		two_overlap(plan, &t, param);
	else
		help();
	two_close(&t);
}

/* Lines "M", mapping */
static void print_maps(void)
{
	char line[512];
	FILE *f = fopen("/proc/self/maps", "r");

	while (f && fgets(line, sizeof(line), f))
		printf("M\t%s", line);
	if (f)
		fclose(f);
}

/*
 * A process for each measurement: none leaves state to the next, and one that fails leaves the
 * others.
 */
static void measure(struct bench *b, const char *arg)
{
	char what[32] = {}, names[128];
	size_t param, depth = DEPTH;
	int status;
	pid_t pid;

	if (sscanf(arg, "%31[a-z]:%zu", what, &param) != 2)
		help();
	if (!strcmp(what, "posted") || !strcmp(what, "unexpected"))
		depth += param;
	b->ends[0].depth = depth;
	b->ends[1].depth = depth;
	b->ends[0].onesided = onesided(what);
	b->ends[1].onesided = b->ends[0].onesided;
	snprintf(names, sizeof(names), "%s\t%s\t%s\t%zu", b->plan.label, b->plan.form, what, param);
	bench_measures(names);
	pid = fork();
	if (pid < 0)
		bench_stop("fork: %s", strerror(errno));
	if (!pid) {
		if (b->client)
			b->sock = meet_call(b->meet, arg);
		alarm(b->limit);
		if (b->two || b->meet)
			in_two_processes(&b->plan, b, what, param);
		else
			in_one_thread(&b->plan, b, what, param);
		if (b->maps)
			print_maps();
		exit(0);
	}
	waitpid(pid, &status, 0);
	if (WIFSIGNALED(status)) {
		printf("X\t%s\t%s\n", names,
		       WTERMSIG(status) == SIGALRM ? "takes too long" : "the provider has crashed");
		fflush(stdout);
	}
}

/* The second machine's process: what the first one asks for. */
static void serve(struct bench *b)
{
	int listener = meet_listen(b->meet);
	char arg[MEET_WHAT];

	for (;;) {
		b->sock = meet_accept(listener, arg);
		if (!*arg)
			break;
		measure(b, arg);
		close(b->sock);
	}
}

int main(int argc, char **argv)
{
	struct bench b = { .plan = { .reps = 5, .scale = 100 }, .limit = 60 };
	struct calibration c;

	b.ends[0].type = FI_EP_RDM;
	b.ends[1].type = FI_EP_RDM;
	options(&b, argc, argv);
	b.plan.unit = clock_init();
	if (!strcmp(b.plan.unit, "insn")) {
		clock_calibrate(&c);
		printf("C\t%.5f\t%.5f\t%.5f\n", c.least, c.whole, c.idle);
		fflush(stdout);
	}
	if (b.meet && !b.client) {
		serve(&b);
		return 0;
	}
	for (; optind < argc; optind++)
		measure(&b, argv[optind]);
	if (b.client)
		meet_call(b.meet, "");
	return 0;
}
