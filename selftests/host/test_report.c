// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reports of executed operations: operations without completions need few packets, and their sends
 * become free soon; one DONE reports a burst; a failure among them is told, with its errno; nothing
 * is lost with the end of a flow.
 */
#include "pair.h"
#include "harness.h"

#define SOON	(20 * NSEC_PER_MSEC)	/* longer than a delayed acknowledgement */

/* Post a write of 8 bytes from the ring. @flags: of the entry. */
static int post(struct pair *p, u32 i, u32 flags)
{
	struct rig_rma op = pair_op(p, true, 8 * i, 8, i);

	op.flags = flags | WEFT_SQ_INLINE;
	return rig_rma(p->ea, &op);
}

/* Return: true if the first @n writes have arrived. */
static bool arrived(const struct pair *p, u32 n)
{
	return !memcmp(p->buf, p->room, 8 * n);
}

static u64 packets(struct pair *p, u32 node)
{
	return rig_counter(&p->rig->node[node], WEFT_CNT_tx_packets);
}

static void open_flow(struct __test_metadata *_metadata, struct pair *p)
{
	pair_init(p, 1);
	ASSERT_EQ(0, post(p, 0, WEFT_SQ_COMPLETION));
	ASSERT_EQ(0, pair_status(p, 0));
	rig_run(p->rig, SOON);
}

/* Writes without completions: the target answers once, with its delayed acknowledgement. */
TEST(report__later)
{
	struct weft_cqe e;
	u64 before, after;
	struct pair p;
	u32 i;

	open_flow(_metadata, &p);
	before = packets(&p, 1);
	for (i = 1; i <= 2; i++)
		ASSERT_EQ(0, post(&p, i, 0));
	rig_run(p.rig, NSEC_PER_MSEC / 4);
	ASSERT_TRUE(arrived(&p, 3));
	EXPECT_EQ(2, p.ea->ep->tx.ntxm);
	EXPECT_EQ(before, packets(&p, 1));
	rig_run(p.rig, SOON);
	EXPECT_EQ(0, p.ea->ep->tx.ntxm);
	after = packets(&p, 1);
	EXPECT_EQ(before + 1, after);
	EXPECT_EQ(0, rig_cq_read(p.ca, &e));
	rig_free(p.rig);
}

/* A message of the target takes the report along. */
TEST(report__with_a_message)
{
	struct rig_op op = { .peer = 0, .n = 1, .flags = WEFT_SQ_INLINE };
	struct pair p;
	u64 before;

	open_flow(_metadata, &p);
	op.iov[0] = (struct weft_iov){ (uintptr_t)p.room, 8 };
	ASSERT_EQ(0, rig_send(p.eb, &op));
	rig_run(p.rig, SOON);
	before = packets(&p, 1);
	ASSERT_EQ(0, post(&p, 1, 0));
	rig_run(p.rig, NSEC_PER_MSEC / 4);
	ASSERT_EQ(1, p.ea->ep->tx.ntxm);
	ASSERT_EQ(0, rig_send(p.eb, &op));
	rig_run(p.rig, NSEC_PER_MSEC / 4);
	EXPECT_EQ(0, p.ea->ep->tx.ntxm);
	EXPECT_EQ(before + 1, packets(&p, 1));
	rig_free(p.rig);
}

/* A completion does not wait for the delayed acknowledgement; neither do writes before it. */
TEST(report__at_once)
{
	struct weft_cqe e;
	struct pair p;

	open_flow(_metadata, &p);
	ASSERT_EQ(0, post(&p, 1, 0));
	ASSERT_EQ(0, post(&p, 2, WEFT_SQ_COMPLETION));
	rig_run(p.rig, NSEC_PER_MSEC / 4);
	EXPECT_EQ(0, p.ea->ep->tx.ntxm);
	ASSERT_EQ(1, rig_cq_read(p.ca, &e));
	EXPECT_EQ(2, e.context);
	EXPECT_EQ(0, e.status);
	rig_free(p.rig);
}

/* A ring that fills up does not wait either. */
TEST(report__full_ring)
{
	struct pair p;
	u32 i;

	open_flow(_metadata, &p);
	for (i = 1; i <= 256 / 8 + 1; i++)
		ASSERT_EQ(0, post(&p, i, 0));
	rig_run(p.rig, NSEC_PER_MSEC / 4);
	ASSERT_TRUE(arrived(&p, 256 / 8 + 2));
	EXPECT_EQ(0, p.ea->ep->tx.ntxm);
	rig_free(p.rig);
}

/* Messages between the operations, and one that is refused: each gets its own outcome. */
TEST(report__gaps)
{
	struct rig_op msg = { .n = 1, .flags = WEFT_SQ_INLINE };
	struct rig_rma bad;
	struct weft_cqe e;
	struct pair p;
	u32 i;

	open_flow(_metadata, &p);
	msg.peer = p.to;
	msg.iov[0] = (struct weft_iov){ (uintptr_t)p.buf, 8 };
	for (i = 1; i <= 12; i++) {
		ASSERT_EQ(0, post(&p, i, 0));
		if (i % 3 == 0)
			ASSERT_EQ(0, rig_send(p.ea, &msg));
		if (i % 6)
			continue;
		bad = pair_op(&p, true, 0, 8, 1000 + i);
		bad.flags = WEFT_SQ_INLINE;
		bad.rem[0].key++;
		ASSERT_EQ(0, rig_rma(p.ea, &bad));
	}
	rig_run(p.rig, SOON);
	ASSERT_TRUE(arrived(&p, 13));
	EXPECT_EQ(0, p.ea->ep->tx.ntxm);
	for (i = 6; i <= 12; i += 6) {
		ASSERT_EQ(1, rig_cq_read(p.ca, &e));
		EXPECT_EQ(1000 + i, e.context);
		EXPECT_EQ(EACCES, e.status);
	}
	EXPECT_EQ(0, rig_cq_read(p.ca, &e));
	rig_free(p.rig);
}

/* The target's endpoint ends when it has the bytes: no write has failed. */
TEST(report__endpoint_ends)
{
	struct weft_cqe e;
	struct pair p;
	u32 i;

	open_flow(_metadata, &p);
	for (i = 1; i <= 3; i++)
		ASSERT_EQ(0, post(&p, i, 0));
	rig_run(p.rig, NSEC_PER_MSEC / 4);
	ASSERT_TRUE(arrived(&p, 4));
	ASSERT_EQ(3, p.ea->ep->tx.ntxm);
	rig_ep_free(p.eb);
	rig_run(p.rig, SOON);
	EXPECT_EQ(0, p.ea->ep->tx.ntxm);
	EXPECT_EQ(0, rig_cq_read(p.ca, &e));
	rig_free(p.rig);
}

/* Take completions of successes. Return: how many; -1: one has failed, or comes twice. */
static int take(struct pair *p, bool *seen)
{
	struct weft_cqe e;
	int n = 0;

	while (rig_cq_read(p->ca, &e) == 1) {
		if (e.status || seen[e.context])
			return -1;
		seen[e.context] = true;
		n++;
	}
	return n;
}

/* More operations than one DONE reports, with loss: all are done, each once. */
TEST(report__many)
{
	static bool seen[1000];
	struct rig_conf conf;
	int n, done = 0;
	struct pair p;
	u32 i;

	pair_conf(&conf, 0, RIG_PPM / 10);
	pair_make(&p, &conf, 1, PAIR_ALL);
	for (i = 0; i < 1000; i++)
		while (post(&p, i, i % 7 ? 0 : WEFT_SQ_COMPLETION)) {
			ASSERT_TRUE(rig_step(p.rig, U64_MAX));
			n = take(&p, seen);
			ASSERT_LE(0, n);
			done += n;
		}
	rig_run(p.rig, 10 * NSEC_PER_SEC);
	EXPECT_EQ(143, done + take(&p, seen));
	EXPECT_TRUE(arrived(&p, 1000));
	EXPECT_EQ(0, p.ea->ep->tx.ntxm);
	EXPECT_EQ(1000, rig_counter(&p.rig->node[1], WEFT_CNT_rma_writes));
	rig_free(p.rig);
}

TEST_HARNESS_MAIN
