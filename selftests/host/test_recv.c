// SPDX-License-Identifier: GPL-2.0-only
/*
 * Incoming messages: their order, duplicates, messages too early or with a wrong authentication
 * code, withdrawn messages, and messages longer than the endpoint accepts
 */
#include "near.h"
#include "harness.h"

#define LEN	8

static void post(struct near *s, u64 context)
{
	struct rig_op op = { .tagged = true, .flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY,
			     .context = context, .ignore = ~0ull, .n = 1 };

	op.iov[0] = (struct weft_iov){ (u64)(uintptr_t)s->room, 4096 };
	if (rig_recv(s->ep, &op))
		abort();
	rig_notify(s->ep, WEFT_NOTIFY_RQ);
}

/* Deliver a packet of the peer, with @n bytes of chunks. Return: the core accepted it. */
static bool come(struct near *s, u32 n)
{
	u32 nxt = s->t.lane->rcv_nxt;

	s->h.psn = nxt;
	weft_wire_hdr_put(s->pkt, &s->h);
	s->rx.len = WEFT_WIRE_HDR + n;
	near_take(s, &s->rx, 1);
	return s->t.lane->rcv_nxt == nxt + 1;
}

static void clear(struct near *s, u32 mseq, u64 len)
{
	memset(s->pkt, 0, sizeof(s->pkt));
	s->m.flow.mseq = mseq;
	s->m.tag = 100 + mseq;
	s->m.len = len;
}

/* A short message. */
static bool eager(struct near *s, u32 mseq)
{
	clear(s, mseq, LEN);
	weft_wire_eager_put(s->pkt + WEFT_WIRE_HDR, &s->m, 0, LEN);
	memset(s->pkt + WEFT_WIRE_HDR + WEFT_WIRE_CHUNK + sizeof(struct weft_w_eager), (int)mseq,
	       LEN);
	return come(s, weft_wire_size(sizeof(struct weft_w_eager) + LEN));
}

static bool announce(struct near *s, u32 mseq, u32 sid, u64 len)
{
	clear(s, mseq, len);
	return come(s, weft_wire_rts_put(s->pkt + WEFT_WIRE_HDR, &s->m, sid));
}

static bool withdraw(struct near *s, u32 mseq, u32 sid)
{
	clear(s, mseq, 0);
	return come(s, weft_wire_abort_put(s->pkt + WEFT_WIRE_HDR, &s->m.flow, sid, ECANCELED));
}

/* The next completion is that of message @mseq. */
static bool got(struct near *s, u64 context, u32 mseq)
{
	struct weft_cqe e;

	return rig_cq_read(s->cq, &e) == 1 && e.context == context && !e.status &&
	       e.tag == 100 + mseq && e.len == LEN && s->room[0] == (u8)mseq;
}

static bool none(struct near *s)
{
	struct weft_cqe e;

	return !rig_cq_read(s->cq, &e);
}

/* Messages arrive in any order, and have their turn in the sender's order. */
TEST(recv__turn)
{
	static const u32 order[] = { 4, 2, 6, 1, 3, 5 };
	struct near s;
	u32 i;

	near_init(&s);
	for (i = 1; i <= ARRAY_SIZE(order); i++)
		post(&s, i);
	for (i = 0; i < 3; i++)
		ASSERT_TRUE(eager(&s, order[i]));
	EXPECT_TRUE(none(&s));
	ASSERT_TRUE(eager(&s, 1));
	EXPECT_TRUE(got(&s, 1, 1));
	EXPECT_TRUE(got(&s, 2, 2));
	EXPECT_TRUE(none(&s));
	ASSERT_TRUE(eager(&s, 3));
	ASSERT_TRUE(eager(&s, 5));
	for (i = 3; i <= ARRAY_SIZE(order); i++)
		EXPECT_TRUE(got(&s, i, i));
	EXPECT_TRUE(none(&s));
	near_fini(&s);
}

/* No correct kernel sends a message twice; the second one is ignored. */
TEST(recv__twice)
{
	struct near s;
	u64 gone;

	near_init(&s);
	post(&s, 1);
	post(&s, 2);
	ASSERT_TRUE(eager(&s, 1));
	EXPECT_TRUE(got(&s, 1, 1));
	gone = s.t.path->rx_gone;
	ASSERT_TRUE(eager(&s, 1));
	EXPECT_TRUE(none(&s));
	/* its bytes do not narrow the window */
	EXPECT_EQ(gone + LEN, s.t.path->rx_gone);
	ASSERT_TRUE(announce(&s, 1, 5, 5000));
	EXPECT_TRUE(none(&s));
	ASSERT_TRUE(eager(&s, 3));
	ASSERT_TRUE(eager(&s, 3));
	ASSERT_TRUE(eager(&s, 2));
	EXPECT_TRUE(got(&s, 2, 2));
	EXPECT_EQ(3, rig_counter(&s.t.rig->node[0], WEFT_CNT_msgs_received));
	near_fini(&s);
}

/* The receiving end of the flow of near_init(), NULL: there is none. */
static struct weft_rflow *rflow(struct near *s)
{
	struct weft_rflow *rf;

	weft_lock(&s->t.path->lock);
	rf = weft_rflow_find(s->t.path, SVC, GEN);
	weft_unlock(&s->t.path->lock);
	return rf;
}

/* Message numbers beyond the credit: not accepted, and so not acknowledged. */
TEST(recv__too_early)
{
	struct weft_rflow *rf;
	struct near s;

	near_init(&s);
	post(&s, 1);
	ASSERT_TRUE(eager(&s, 1));
	EXPECT_TRUE(got(&s, 1, 1));
	rf = rflow(&s);
	ASSERT_NE(NULL, rf);
	EXPECT_FALSE(eager(&s, rf->told_msgs + 1));
	EXPECT_FALSE(announce(&s, rf->told_msgs + 1, 5, 5000));
	EXPECT_TRUE(lone_count(&rf->early) == 0);
	ASSERT_TRUE(eager(&s, rf->told_msgs));
	EXPECT_EQ(1, lone_count(&rf->early));
	near_fini(&s);
}

/* An authentication code of another job. */
TEST(recv__wrong_job)
{
	struct near s;

	near_init(&s);
	post(&s, 1);
	ASSERT_TRUE(eager(&s, 1));
	EXPECT_TRUE(got(&s, 1, 1));
	post(&s, 2);
	s.m.auth ^= 1;
	ASSERT_TRUE(eager(&s, 2));
	ASSERT_TRUE(announce(&s, 2, 5, 5000));
	EXPECT_TRUE(none(&s));
	EXPECT_EQ(2, rig_counter(&s.t.rig->node[0], WEFT_CNT_wrong_job));
	s.m.auth ^= 1;
	ASSERT_TRUE(eager(&s, 2));
	EXPECT_TRUE(got(&s, 2, 2));
	near_fini(&s);
}

/* The next completion is that of a lost message. */
static bool lost(struct near *s, u64 context)
{
	struct weft_cqe e;

	return rig_cq_read(s->cq, &e) == 1 && e.context == context && e.status == ECONNRESET;
}

/* A message that is withdrawn before its turn keeps its place, and later ones have their turns. */
TEST(recv__withdrawn)
{
	struct near s;
	u32 i;

	near_init(&s);
	for (i = 1; i < 5; i++)
		post(&s, i);
	ASSERT_TRUE(announce(&s, 2, 5, 5000));
	ASSERT_TRUE(eager(&s, 3));
	ASSERT_TRUE(withdraw(&s, 2, 5));
	EXPECT_TRUE(none(&s));
	ASSERT_TRUE(eager(&s, 1));
	EXPECT_TRUE(got(&s, 1, 1));
	EXPECT_TRUE(lost(&s, 2));
	EXPECT_TRUE(got(&s, 3, 3));
	EXPECT_TRUE(none(&s));
	/* this message was never announced */
	ASSERT_TRUE(withdraw(&s, 9, 77));
	ASSERT_TRUE(eager(&s, 4));
	EXPECT_TRUE(got(&s, 4, 4));
	near_fini(&s);
}

/* A message longer than the endpoint accepts ends, in its turn or before, and uses no receive. */
TEST(recv__too_long)
{
	struct near s;
	u32 i;

	near_init(&s);
	s.ep->ep->tx.ring.longest = 4000;
	for (i = 1; i < 4; i++)
		post(&s, i);
	ASSERT_TRUE(announce(&s, 1, 5, 4001));
	ASSERT_TRUE(announce(&s, 3, 6, 5000));
	EXPECT_TRUE(none(&s));
	ASSERT_TRUE(eager(&s, 2));
	EXPECT_TRUE(got(&s, 1, 2));
	ASSERT_TRUE(eager(&s, 4));
	EXPECT_TRUE(got(&s, 2, 4));
	EXPECT_TRUE(none(&s));
	EXPECT_EQ(0, s.t.path->nrxm);
	near_fini(&s);
}

/* A flow ends with messages before their turn, which never comes: their receives fail. */
TEST(recv__flow_ends)
{
	struct near s;

	near_init(&s);
	post(&s, 1);
	ASSERT_TRUE(eager(&s, 1));
	EXPECT_TRUE(got(&s, 1, 1));
	post(&s, 2);
	ASSERT_TRUE(eager(&s, 3));
	ASSERT_TRUE(announce(&s, 4, 5, 5000));
	EXPECT_EQ(2, s.t.path->nrxm);
	ASSERT_TRUE(withdraw(&s, 5, 0));
	EXPECT_EQ(NULL, rflow(&s));
	EXPECT_TRUE(lost(&s, 2));
	EXPECT_TRUE(none(&s));
	EXPECT_EQ(1, s.t.path->nrxm);
	post(&s, 3);
	EXPECT_TRUE(lost(&s, 3));
	EXPECT_EQ(0, s.t.path->nrxm);
	near_fini(&s);
}

TEST_HARNESS_MAIN
