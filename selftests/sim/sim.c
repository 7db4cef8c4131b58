// SPDX-License-Identifier: GPL-2.0-only
/*
 * Simulator: what is asked for
 */
#include <getopt.h>

#include "sim.h"

#define SMALL	1024	/* nodes of a world with everything that can go wrong, at most */

static const char usage[] =
	"usage: sim [-s SEED] [-c COUNT] [-n NODES] [-l PERCENT] [-m MESSAGES] [-v] [-f | -e]\n"
	"       sim -r FOLDER [-q] [-s SEED] [-t ROWS] [-l PERCENT] [-k LIST]\n"
	"\n"
	"Without -s 200 seeds are run, from 1 on; with it, one. Up to 1024 nodes: worlds with all\n"
	"faults; more, or with -m: a large run. Prints a digest of all events.\n"
	"-f: without fast paths; -e: with them and without, which must end alike.\n"
	"-r measures goodput, slowdown, incast and fairness (-q: less),\n"
	"and fails if a target is missed. -t: only the rows of slow, long and shared\n"
	"links whose names begin with ROWS, with -l with another loss. -k: LIST has those that are\n"
	"missed today (selftests/sim/missed.targets).\n";

static u64 run(const struct sim_opts *o, u64 seed)
{
	return o->nodes > SMALL || o->msgs ? sim_large(o, seed) : sim_seed(o, seed);
}

int main(int argc, char **argv)
{
	struct sim_opts o = { .loss = -1 };
	u64 seed, digest = 0;
	int c;

	/* a line at a time: selftests/progress shows it */
	setvbuf(stdout, NULL, _IOLBF, 0);
	while ((c = getopt(argc, argv, "s:c:n:l:m:vr:qt:k:fe")) != -1) {
		switch (c) {
		case 's':
			o.seed = strtoull(optarg, NULL, 0);
			break;
		case 'c':
			o.seeds = strtoull(optarg, NULL, 0);
			break;
		case 'n':
			o.nodes = strtoul(optarg, NULL, 0);
			break;
		case 'l':
			o.loss = strtod(optarg, NULL);
			break;
		case 'm':
			o.msgs = strtoul(optarg, NULL, 0);
			break;
		case 'r':
			o.report = optarg;
			break;
		case 'q':
			o.quick = true;
			break;
		case 't':
			o.rows = optarg;
			break;
		case 'k':
			o.missed = optarg;
			break;
		case 'v':
			o.verbose = true;
			break;
		case 'f':
			o.slow = true;
			break;
		case 'e':
			o.equal = true;
			break;
		default:
			fputs(usage, stderr);
			return 2;
		}
	}
	if (o.nodes == 1 || o.nodes > RIG_NODES || optind < argc) {
		fputs(usage, stderr);
		return 2;
	}
	if (o.report)
		return !sim_report(&o);
	if (!o.seeds)
		o.seeds = o.seed || o.nodes > SMALL ? 1 : 200;
	if (!o.seed)
		o.seed = 1;
	if (o.seeds > 1)
		sim_progress(o.seeds, "seeds");
	for (seed = o.seed; seed < o.seed + o.seeds; seed++) {
		if (o.verbose)
			fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
		digest = run(&o, seed) ^ (digest << 1 | digest >> 63);
		if (o.seeds > 1)
			sim_done(1);
	}
	if (o.equal) {
		printf("%llu of %llu had the same events with fast paths and without\n",
		       (unsigned long long)sim_same, (unsigned long long)o.seeds);
		/* about four of ten, see seeds.c */
		if (sim_same * 4 < o.seeds)
			return 1;
	}
	printf("%llu seeds from %llu on: events %016llx\n", (unsigned long long)o.seeds,
	       (unsigned long long)o.seed, (unsigned long long)digest);
	return 0;
}
