// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random traffic without trouble: everything arrives, once, in order, on every kind of network,
 * memory and queue
 */
#include "traffic.h"
#include "kselftest_harness.h"

static void run(const struct tr_conf *conf, const char *test)
{
	char name[64];
	struct tr *tr;

	snprintf(name, sizeof(name), "test_traffic -t %s", test);
	tr = tr_new(conf, name);
	tr_finish(tr, 60 * NSEC_PER_SEC);
	tr_cancel(tr);
	tr_free(tr);
}

#define FOR_SEEDS(seed, first, count)							\
	for (u64 seed = tr_first(first), last = tr_last(first, count); seed <= last; seed++)

TEST(traffic__clean)
{
	struct tr_conf conf;

	FOR_SEEDS(seed, 1000, 40) {
		tr_conf_random(&conf, seed);
		run(&conf, "traffic__clean");
	}
}

TEST(traffic__lossy)
{
	struct tr_conf conf;

	FOR_SEEDS(seed, 2000, 40) {
		tr_conf_random(&conf, seed);
		conf.rig.loss = RIG_PPM * (seed % 6) / 100;
		conf.rig.dup = RIG_PPM * (seed % 4) / 100;
		conf.rig.late = RIG_PPM * (seed % 11) / 100;
		run(&conf, "traffic__lossy");
	}
}

/* Memory that is not at hand, that cannot be pinned, or both. */
TEST(traffic__memory)
{
	struct tr_conf conf;

	FOR_SEEDS(seed, 3000, 40) {
		tr_conf_random(&conf, seed);
		conf.rig.cold = RIG_PPM / 4 * (seed % 4);
		conf.rig.bounce = RIG_PPM / 4 * (seed / 4 % 5);
		conf.rig.loss = seed % 2 * RIG_PPM / 100;
		run(&conf, "traffic__memory");
	}
}

/* Queues of 16 slots that programs read when they feel like it. */
TEST(traffic__overflow)
{
	struct tr_conf conf;

	FOR_SEEDS(seed, 4000, 40) {
		tr_conf_random(&conf, seed);
		conf.cq_slots = 16;
		conf.one_cq = true;
		conf.max_len = 1000;
		conf.msgs = 100;
		run(&conf, "traffic__overflow");
	}
}

/* Within one node. */
TEST(traffic__local)
{
	struct tr_conf conf;

	FOR_SEEDS(seed, 5000, 40) {
		tr_conf_random(&conf, seed);
		conf.rig.nodes = 1;
		conf.procs = 2;
		conf.self = true;
		conf.rig.cold = RIG_PPM / 4 * (seed % 4);
		conf.rig.bounce = RIG_PPM / 4 * (seed / 4 % 5);
		run(&conf, "traffic__local");
	}
}

TEST(traffic__connected)
{
	struct tr_conf conf;

	FOR_SEEDS(seed, 6000, 40) {
		tr_conf_random(&conf, seed);
		conf.msg = true;
		conf.procs = 2;
		conf.rig.loss = seed % 3 * RIG_PPM / 100;
		conf.rig.late = seed % 5 * RIG_PPM / 100;
		conf.rig.cold = RIG_PPM / 4 * (seed % 2);
		run(&conf, "traffic__connected");
	}
}

TEST_HARNESS_MAIN
