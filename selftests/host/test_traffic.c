// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random traffic without trouble: all messages arrive, once and in order, on all kinds of networks,
 * memory and queues
 */
#include "traffic.h"
#include "traffic_check.h"
#include "evil.h"
#include "harness.h"

static void run(const struct tr_conf *conf, const char *test)
{
	struct tr *tr;

	tr = tr_new(conf, test);
	tr_finish(tr, 60 * NSEC_PER_SEC);
	tr_cancel(tr);
	if (tr->operations != (u64)tr->neps * conf->rma)
		tr_die(tr, "%llu one-sided operations", (unsigned long long)tr->operations);
	tr_free(tr);
}

/* Run the seeds from @first on. @shape turns a random run into one of the test's kind. */
static void runs(const char *test, u64 first, u64 count,
		 void (*shape)(struct tr_conf *conf, u64 seed))
{
	u64 seed = tr_first(test, first), last = tr_last(test, first, count);
	struct tr_conf conf;

	for (; seed <= last; seed++) {
		tr_conf_random(&conf, seed);
		if (shape)
			shape(&conf, seed);
		run(&conf, test);
	}
}

TEST(traffic__clean)
{
	runs("traffic__clean", 1000, 40, NULL);
}

static void shape_lossy(struct tr_conf *conf, u64 seed)
{
	conf->rig.loss = RIG_PPM * (seed % 6) / 100;
	conf->rig.dup = RIG_PPM * (seed % 4) / 100;
	conf->rig.late = RIG_PPM * (seed % 11) / 100;
}

TEST(traffic__lossy)
{
	runs("traffic__lossy", 2000, 40, shape_lossy);
}

/* One-sided operations among the messages, with loss, and memory that is not resident. */
static void shape_operations(struct tr_conf *conf, u64 seed)
{
	conf->rma = 40;
	conf->msg = seed % 3 == 0;
	conf->procs = conf->msg ? 2 : conf->procs;
	conf->rig.loss = RIG_PPM * (seed % 5) / 200;
	conf->rig.cold = RIG_PPM / 4 * (seed % 4);
	conf->rig.bounce = RIG_PPM / 4 * (seed / 4 % 3);
}

TEST(traffic__operations)
{
	runs("traffic__operations", 9000, 40, shape_operations);
}

/* Memory that is not resident, that cannot be pinned, or both. */
static void shape_memory(struct tr_conf *conf, u64 seed)
{
	conf->rig.cold = RIG_PPM / 4 * (seed % 4);
	conf->rig.bounce = RIG_PPM / 4 * (seed / 4 % 5);
	conf->rig.loss = seed % 2 * RIG_PPM / 100;
}

TEST(traffic__memory)
{
	runs("traffic__memory", 3000, 40, shape_memory);
}

/* Queues of 16 slots that programs read at random times. */
static void shape_overflow(struct tr_conf *conf, u64 seed)
{
	conf->cq_slots = 16;
	conf->one_cq = true;
	conf->max_len = 1000;
	conf->msgs = 100;
}

TEST(traffic__overflow)
{
	runs("traffic__overflow", 4000, 40, shape_overflow);
}

/* Within one node. */
static void shape_local(struct tr_conf *conf, u64 seed)
{
	conf->rig.nodes = 1;
	conf->procs = 2;
	conf->self = true;
	conf->rig.cold = RIG_PPM / 4 * (seed % 4);
	conf->rig.bounce = RIG_PPM / 4 * (seed / 4 % 5);
}

TEST(traffic__local)
{
	runs("traffic__local", 5000, 40, shape_local);
}

static void shape_connected(struct tr_conf *conf, u64 seed)
{
	conf->msg = true;
	conf->procs = 2;
	conf->rig.loss = seed % 3 * RIG_PPM / 100;
	conf->rig.late = seed % 5 * RIG_PPM / 100;
	conf->rig.cold = RIG_PPM / 4 * (seed % 2);
}

TEST(traffic__connected)
{
	runs("traffic__connected", 6000, 40, shape_connected);
}

/* A delivered message that no receive has taken; NULL: none. */
static struct tr_msg *delivered(struct tr *tr)
{
	u32 i;

	for (i = 1; i <= tr->nmsgs; i++) {
		struct tr_msg *m = tr->msgs[i];

		if (m->posted && m->done && !m->status && !m->by &&
		    m->flags & WEFT_SQ_DELIVERY && m->flags & WEFT_SQ_COMPLETION)
			return m;
	}
	return NULL;
}

/*
 * A program ends its connection, and so drops a delivered message. It has not heard of SHUTDOWN
 * yet, because the peer does not answer.
 */
TEST(traffic__ended)
{
	struct tr_conf conf;
	struct tr_msg *m;
	struct tr *tr;
	u32 i;

	tr_conf_random(&conf, 7000);
	shape_connected(&conf, 0);
	conf.rig.nodes = 2;
	conf.trouble = EVIL_SHUT;
	tr = tr_new(&conf, "traffic__ended");
	for (i = 0; i < 1000 && !delivered(tr); i++)
		tr_step(tr);
	m = delivered(tr);
	ASSERT_NE(NULL, m);
	rig_cut(tr->rig, 0, 1, true);
	tr_shut(m->dst);
	EXPECT_FALSE(m->dst->shut);
	tr_check_delivered(tr);
	EXPECT_EQ(NULL, m->by);
	rig_mend(tr->rig);
	tr_mop(tr);
	tr_finish(tr, 60 * NSEC_PER_SEC);
	tr_cancel(tr);
	tr_free(tr);
}

TEST_HARNESS_MAIN
