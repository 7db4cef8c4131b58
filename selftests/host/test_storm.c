// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random traffic through trouble. Processes, endpoints and nodes die and come back. Links are cut,
 * allocations fail, and packets are forged.
 *
 * A message arrives once, in order and whole. Every operation of a live process ends in bounded
 * time. Nothing leaks.
 */
#include "evil.h"
#include "harness.h"

/* Run the seeds from @first on. @shape turns a random run into one of the test's kind. */
static void runs(const char *test, u64 first, u64 count,
		 void (*shape)(struct tr_conf *conf, u64 seed), u32 evil)
{
	u64 seed = tr_first(test, first), last = tr_last(test, first, count);
	struct tr_conf conf;

	for (; seed <= last; seed++) {
		tr_conf_random(&conf, seed);
		shape(&conf, seed);
		evil_run(&conf, test, evil, NULL);
	}
}

static void shape_endpoints(struct tr_conf *conf, u64 seed)
{
	conf->rig.loss = seed % 3 * RIG_PPM / 100;
}

TEST(storm__endpoints)
{
	runs("storm__endpoints", 10000, 40, shape_endpoints, EVIL_EP | EVIL_PROC | EVIL_REVIVE);
}

static void shape_nodes(struct tr_conf *conf, u64 seed)
{
	conf->rig.loss = seed % 3 * RIG_PPM / 100;
}

TEST(storm__nodes)
{
	runs("storm__nodes", 11000, 40, shape_nodes, EVIL_NODE | EVIL_REVIVE | EVIL_NOISE);
}

static void shape_links(struct tr_conf *conf, u64 seed)
{
	conf->rig.late = seed % 3 * RIG_PPM / 50;
}

TEST(storm__links)
{
	runs("storm__links", 12000, 40, shape_links, EVIL_CUT | EVIL_NOISE);
}

static void shape_memory(struct tr_conf *conf, u64 seed)
{
	conf->rig.cold = RIG_PPM / 4 * (seed % 4);
	conf->rig.bounce = RIG_PPM / 4 * (seed / 4 % 5);
}

TEST(storm__memory)
{
	runs("storm__memory", 13000, 40, shape_memory, EVIL_ALLOC | EVIL_FAULT | EVIL_EP);
}

static void shape_connected(struct tr_conf *conf, u64 seed)
{
	conf->msg = true;
	conf->procs = 2;
	conf->rig.loss = seed % 3 * RIG_PPM / 100;
}

TEST(storm__connected)
{
	runs("storm__connected", 14000, 40, shape_connected,
	     EVIL_EP | EVIL_PROC | EVIL_CUT | EVIL_SHUT | EVIL_NOISE);
}

static void shape_all(struct tr_conf *conf, u64 seed)
{
	conf->rig.cold = seed % 2 * RIG_PPM / 4;
	conf->rig.loss = seed % 3 * RIG_PPM / 100;
}

TEST(storm__all)
{
	runs("storm__all", 15000, 40, shape_all, ~EVIL_SHUT);
}

TEST_HARNESS_MAIN
