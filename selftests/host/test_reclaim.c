// SPDX-License-Identifier: GPL-2.0-only
/*
 * More remote nodes than paths. Unused paths are reclaimed. A send without a path waits, and is
 * refused after a time. A node that asks for a path gets it likewise.
 */
#include "rig.h"
#include "harness.h"

#define NODES	5
#define LEN	100000	/* is announced */
#define MS	((weft_ns)NSEC_PER_MSEC)
#define SEC	((weft_ns)NSEC_PER_SEC)

/**
 * struct star - node 0 sends to all others
 * @rig: world
 * @p: programs
 * @cq: their completions
 * @ep: their endpoints
 * @to: indices of the others, as node 0 has them
 * @back: index of node 0, as the others have it
 * @buf: buffers
 */
struct star {
	struct rig *rig;
	struct rig_proc *p[NODES];
	struct rig_cq *cq[NODES];
	struct rig_ep *ep[NODES];
	u32 to[NODES];
	u32 back[NODES];
	u8 *buf[NODES];
};

static void star_init(struct star *s, u64 seed)
{
	struct rig_av *av[NODES];
	struct rig_conf conf;
	u32 i;

	rig_conf_default(&conf, seed);
	conf.nodes = NODES;
	s->rig = rig_new(&conf);
	for (i = 0; i < NODES; i++) {
		s->p[i] = rig_proc_new(&s->rig->node[i]);
		s->cq[i] = rig_cq_new(s->p[i], 256);
		av[i] = rig_av_new(s->p[i]);
		s->ep[i] = rig_ep_new(s->p[i], WEFT_EP_RDM, 0, 64, 64, (u16)(i + 1));
		if (rig_ep_enable(s->ep[i], s->cq[i], s->cq[i], NULL, av[i]))
			abort();
		s->buf[i] = rig_buf(s->p[i], LEN);
	}
	for (i = 1; i < NODES; i++) {
		s->to[i] = (u32)rig_av_insert(av[0], i, (u16)(i + 1), s->rig);
		s->back[i] = (u32)rig_av_insert(av[i], 0, 1, s->rig);
	}
}

/* Node @from sends @len bytes to node @to; one of them is 0. */
static bool put(struct star *s, u32 from, u32 to, u32 len)
{
	struct rig_op op = {
		.flags = WEFT_SQ_COMPLETION | WEFT_SQ_TRANSMIT, .context = 10 * from + to, .n = 1,
		.peer = from ? s->back[from] : s->to[to],
		.iov = { { .addr = (u64)(uintptr_t)s->buf[from], .len = len } },
	};

	return !rig_send(s->ep[from], &op);
}

static bool get(struct star *s, u32 node)
{
	struct rig_op op = {
		.flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY, .context = 99, .n = 1,
		.iov = { { .addr = (u64)(uintptr_t)s->buf[node], .len = LEN } },
	};

	return !rig_recv(s->ep[node], &op);
}

/* Take the next completion of a node within @most. Return: its status; -1: there is none. */
static int next(struct star *s, u32 node, u64 context, weft_ns most)
{
	weft_ns t;

	for (t = 0; t < most; t += 10 * MS) {
		struct weft_cqe e;

		if (rig_cq_read(s->cq[node], &e) == 1)
			return e.context == context ? e.status : -2;
		rig_run(s->rig, 10 * MS);
	}
	return -1;
}

static u32 paths(const struct star *s, u32 node)
{
	return s->rig->node[node].core.npaths;
}

static u64 hits(struct star *s, u32 node)
{
	return rig_counter(&s->rig->node[node], WEFT_CNT_limit_paths);
}

/* All nodes have their turn, though there are two paths: unused paths are reclaimed. */
TEST(makes_room)
{
	struct star s;
	u32 i, round;

	star_init(&s, 1);
	ASSERT_EQ(0, weft_limit_set(&s.rig->node[0].core, "paths", 2));
	for (round = 0; round < 3; round++) {
		for (i = 1; i < NODES; i++) {
			ASSERT_TRUE(get(&s, i) && put(&s, 0, i, round & 1 ? LEN : 8));
			ASSERT_EQ(0, next(&s, 0, i, 5 * SEC));
			ASSERT_EQ(0, next(&s, i, 99, SEC));
			ASSERT_TRUE(paths(&s, 0) <= 2);
		}
	}
	EXPECT_TRUE(hits(&s, 0) > 0);
	EXPECT_TRUE(rig_counter(&s.rig->node[0], WEFT_CNT_paths_idle) >= 3 * (NODES - 1) - 2);
	EXPECT_EQ(0, rig_counter(&s.rig->node[0], WEFT_CNT_paths_dead));
	rig_free(s.rig);
}

/* A used path stays, and the sends that wait for a path are refused in the end, in order. */
TEST(refused)
{
	struct star s;
	weft_ns since;

	star_init(&s, 2);
	ASSERT_EQ(0, weft_limit_set(&s.rig->node[0].core, "paths", 1));
	/* the message has no receive */
	ASSERT_TRUE(put(&s, 0, 1, LEN));
	since = rig_now(s.rig);
	ASSERT_TRUE(put(&s, 0, 2, 8) && put(&s, 0, 3, 8) && put(&s, 0, 1, 16));
	ASSERT_EQ(ENOSPC, next(&s, 0, 2, 10 * SEC));
	EXPECT_TRUE(rig_now(s.rig) - since >= 4 * SEC);
	/* the second send has waited as long */
	EXPECT_EQ(ENOSPC, next(&s, 0, 3, 10 * MS));
	EXPECT_EQ(1, hits(&s, 0));
	/* the others continue, and so does the one that was under way */
	EXPECT_EQ(0, next(&s, 0, 1, SEC));
	ASSERT_TRUE(get(&s, 1) && get(&s, 1));
	EXPECT_EQ(0, next(&s, 1, 99, SEC));
	EXPECT_EQ(0, next(&s, 0, 1, SEC));
	EXPECT_EQ(0, next(&s, 1, 99, SEC));
	/* a later send waits anew: the path is not needed now */
	ASSERT_TRUE(put(&s, 0, 2, 8) && get(&s, 2));
	EXPECT_EQ(0, next(&s, 0, 2, 4 * SEC));
	EXPECT_EQ(2, hits(&s, 0));
	rig_free(s.rig);
}

/* A waiting send goes when a path is free, and no later send overtakes it. */
TEST(goes_on)
{
	struct star s;

	star_init(&s, 3);
	ASSERT_EQ(0, weft_limit_set(&s.rig->node[0].core, "paths", 1));
	ASSERT_TRUE(put(&s, 0, 1, LEN));
	ASSERT_TRUE(get(&s, 2) && put(&s, 0, 2, 8) && put(&s, 0, 1, 8));
	EXPECT_EQ(-1, next(&s, 0, 2, SEC));
	EXPECT_EQ(1, paths(&s, 0));
	ASSERT_EQ(0, weft_limit_set(&s.rig->node[0].core, "paths", 2));
	rig_run(s.rig, SEC / 2);
	EXPECT_EQ(2, paths(&s, 0));
	EXPECT_EQ(0, next(&s, 2, 99, SEC));
	rig_free(s.rig);
}

/* A node that asks gets an answer when a path is free; the asking node waits for that. */
TEST(asked)
{
	struct star s;

	star_init(&s, 4);
	ASSERT_EQ(0, weft_limit_set(&s.rig->node[0].core, "paths", 1));
	ASSERT_TRUE(get(&s, 0) && put(&s, 1, 0, 8));
	ASSERT_EQ(0, next(&s, 1, 10, SEC));
	ASSERT_EQ(0, next(&s, 0, 99, SEC));
	ASSERT_TRUE(get(&s, 0) && put(&s, 2, 0, 8));
	EXPECT_EQ(0, next(&s, 2, 20, 5 * SEC));
	EXPECT_EQ(0, next(&s, 0, 99, SEC));
	EXPECT_TRUE(hits(&s, 0) > 0);
	EXPECT_EQ(1, paths(&s, 0));
	EXPECT_EQ(0, paths(&s, 1));
	rig_free(s.rig);
}

/* The endpoint or the port ends while a send waits. */
TEST(ends)
{
	struct star s;
	u32 i;

	for (i = 0; i < 2; i++) {
		star_init(&s, 5);
		ASSERT_EQ(0, weft_limit_set(&s.rig->node[0].core, "paths", 1));
		ASSERT_TRUE(put(&s, 0, 1, LEN) && put(&s, 0, 2, 8));
		rig_run(s.rig, 100 * MS);
		if (i)
			rig_ep_free(s.ep[0]);
		rig_free(s.rig);
	}
}

TEST_HARNESS_MAIN
