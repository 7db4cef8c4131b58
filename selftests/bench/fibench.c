// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fibench: measures a libfabric provider, any of them in the same way. What it prints is for
 * "report"; measure.h says the format. Run by "run" beside this file, by hand as well:
 *
 *   fibench -p PROVIDER [-l LABEL] [-n NODE,NODE] [-a ADDR,ADDR] [-r SAMPLES] [-q PERCENT]
 *           [-s SIZE,SIZE...] [-m]
 *
 * -m prints the program's mappings (/proc/self/maps), for the profiler.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "clock.h"
#include "measure.h"

#define MAX_SIZES 32

static size_t sizes[MAX_SIZES] = { 8, 1 << 20 };
static int nsizes = 2;

static void usage(void)
{
	bench_stop(2, "usage: fibench -p PROVIDER [-l LABEL] [-n NODE,NODE] [-a ADDR,ADDR]\n"
		      "               [-r SAMPLES] [-q PERCENT] [-s SIZE,SIZE...] [-m]");
}

/* "a,b" */
static void two(char *arg, const char *out[2])
{
	out[0] = strtok(arg, ",");
	out[1] = strtok(NULL, ",");
	if (!out[0] || !out[1])
		usage();
}

static void parse_sizes(char *arg)
{
	char *one;

	nsizes = 0;
	for (one = strtok(arg, ","); one && nsizes < MAX_SIZES; one = strtok(NULL, ","))
		sizes[nsizes++] = strtoul(one, NULL, 0);
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

int main(int argc, char **argv)
{
	struct plan plan = { .form = "one", .reps = 5, .scale = 100 };
	struct side_opts a = { .type = FI_EP_RDM, .depth = 64 }, b;
	const char *nodes[2] = {}, *addrs[2] = {};
	double least, whole;
	bool maps = false;
	struct pair pair;
	int c, i;

	while ((c = getopt(argc, argv, "p:l:n:a:r:q:s:m")) != -1) {
		switch (c) {
		case 'p':
			a.prov = optarg;
			break;
		case 'l':
			plan.label = optarg;
			break;
		case 'n':
			two(optarg, nodes);
			break;
		case 'a':
			two(optarg, addrs);
			break;
		case 'r':
			plan.reps = atoi(optarg);
			break;
		case 'q':
			plan.scale = atoi(optarg);
			break;
		case 's':
			parse_sizes(optarg);
			break;
		case 'm':
			maps = true;
			break;
		default:
			usage();
		}
	}
	if (!a.prov || plan.reps < 1 || plan.reps > 64)
		usage();
	if (!plan.label)
		plan.label = a.prov;
	plan.unit = clock_init();
	b = a;
	a.node = nodes[0];
	a.addr = addrs[0];
	b.node = nodes[1];
	b.addr = addrs[1];
	if (!strcmp(plan.unit, "insn")) {
		least = clock_calibrate(&whole);
		printf("C\t%.5f\t%.5f\n", least, whole);
	}
	pair_open(&pair, &a, &b);
	for (i = 0; i < nsizes; i++)
		measure_latency_one(&plan, &pair, sizes[i]);
	if (maps)
		print_maps();
	pair_close(&pair);
	return 0;
}
