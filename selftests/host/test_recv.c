// SPDX-License-Identifier: GPL-2.0-only
/*
 * Incoming messages: their order, duplicates, messages too early or with a wrong authentication
 * code, withdrawn messages, messages longer than the endpoint accepts, runs of packets, and heads
 * that come before their packets
 */
#include "near.h"
#include "harness.h"

#define LEN	8

/* Post a receive of @n segments. */
static void post_segments(struct near *s, u64 context, u32 n)
{
	struct rig_op op = { .tagged = true, .flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY,
			     .context = context, .ignore = ~0ull, .n = n };
	u32 i;

	for (i = 0; i < n; i++)
		op.iov[i] = (struct weft_iov){ (u64)(uintptr_t)s->room + i * 4096 / n, 4096 / n };
	if (rig_recv(s->ep, &op))
		abort();
	rig_notify(s->ep, WEFT_NOTIFY_RQ);
}

static void post(struct near *s, u64 context)
{
	post_segments(s, context, 1);
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

/* ---- Runs ------------------------------------------------------------ */

#define PIECE	900
#define LONG	(4 * PIECE + 33)	/* bytes of a message of five packets */

/* Bytes [@off, @off + @len) of a long message arrive in a run. Return: the core accepted it. */
static bool run(struct near *s, u32 mseq, u32 off, u32 len)
{
	u32 nxt = s->t.lane->rcv_nxt, n;

	clear(s, mseq, LONG);
	s->h.psn = nxt;
	n = near_run(s, off, len, PIECE, mseq % 2 * 50);
	near_take(s, &s->rx, 1);
	free((void *)s->rx.data);
	s->rx = (struct weft_rx){ .data = s->pkt, .src = s->rx.src };
	return s->t.lane->rcv_nxt == nxt + n;
}

/* The next completion is that of long message @mseq. */
static bool got_long(struct near *s, u64 context, u32 mseq)
{
	struct weft_cqe e;
	bool ok;

	ok = rig_cq_read(s->cq, &e) == 1 && e.context == context && !e.status &&
	     e.tag == 100 + mseq && e.len == LONG && near_got(s, LONG);
	memset(s->room, 0xee, LONG);
	return ok;
}

/* A whole run, or one in two parts, for a receive that waits. */
TEST(recv__run)
{
	static const u32 cut[] = { 0, PIECE, 2 * PIECE, 4 * PIECE };
	struct near s;
	u32 i, k, mseq = 0;

	near_init(&s);
	for (k = 1; k < 3; k++)
		for (i = 0; i < 2 * ARRAY_SIZE(cut); i++) {
			u32 at = cut[i / 2], off[] = { 0, at }, len[] = { at, LONG - at };
			u64 gone = s.t.path->rx_gone;
			bool swap = at && i & 1;

			post_segments(&s, ++mseq, k);
			if (at) {
				ASSERT_TRUE(run(&s, mseq, off[swap], len[swap]));
				EXPECT_TRUE(none(&s));
				EXPECT_EQ(1, s.t.path->nrxm);
			}
			ASSERT_TRUE(run(&s, mseq, off[!swap], len[!swap]));
			EXPECT_TRUE(got_long(&s, mseq, mseq)) TH_LOG("cut at %u, %u", at, i);
			EXPECT_TRUE(none(&s));
			EXPECT_EQ(0, s.t.path->nrxm);
			EXPECT_EQ(gone + LONG, s.t.path->rx_gone);
			EXPECT_EQ(0, s.t.path->flow.rx_open);
		}
	EXPECT_EQ(0, s.t.rig->nmem);
	near_fini(&s);
}

/* No receive waits: the run is kept, whole or in two parts, and received later. */
TEST(recv__run_unexpected)
{
	struct near s;
	u32 i, k, mseq = 0;

	near_init(&s);
	for (k = 1; k < 3; k++)
		for (i = 0; i < 3; i++) {
			mseq++;
			if (i)
				ASSERT_TRUE(run(&s, mseq, 0, 2 * PIECE));
			/* the receive comes between the parts, or after both */
			if (i == 2)
				post_segments(&s, mseq, k);
			ASSERT_TRUE(run(&s, mseq, i ? 2 * PIECE : 0, i ? LONG - 2 * PIECE : LONG));
			if (i != 2) {
				EXPECT_TRUE(none(&s));
				post_segments(&s, mseq, k);
			}
			EXPECT_TRUE(got_long(&s, mseq, mseq)) TH_LOG("case %u", i);
			EXPECT_EQ(0, s.t.path->nrxm);
		}
	EXPECT_EQ(s.t.path->rx_gone, (u64)mseq * LONG);
	near_fini(&s);
}

/* Runs before their turn: whole, or in two parts with the turn between them. */
TEST(recv__run_early)
{
	struct near s;
	u32 i;

	near_init(&s);
	for (i = 1; i < 4; i++)
		post(&s, i);
	ASSERT_TRUE(run(&s, 2, 0, LONG));
	ASSERT_TRUE(run(&s, 3, 0, PIECE));
	EXPECT_TRUE(none(&s));
	ASSERT_TRUE(eager(&s, 1));
	EXPECT_TRUE(got(&s, 1, 1));
	/* all receives have the same buffer, and the program has copied the short message to it */
	for (i = 0; i < LEN; i++)
		s.room[i] = near_byte(i);
	EXPECT_TRUE(got_long(&s, 2, 2));
	EXPECT_TRUE(none(&s));
	ASSERT_TRUE(run(&s, 3, 2 * PIECE, LONG - 2 * PIECE));
	EXPECT_TRUE(none(&s));
	ASSERT_TRUE(run(&s, 3, PIECE, PIECE));
	EXPECT_TRUE(got_long(&s, 3, 3));
	near_fini(&s);
}

/* More bytes than the head says, or bytes a second time: ignored. */
TEST(recv__run_twice)
{
	struct near s;
	u32 i;

	near_init(&s);
	for (i = 1; i < 3; i++)
		post(&s, i);
	ASSERT_TRUE(run(&s, 1, 0, LONG));
	EXPECT_TRUE(got_long(&s, 1, 1));
	ASSERT_TRUE(run(&s, 1, 0, LONG));
	ASSERT_TRUE(run(&s, 1, PIECE, PIECE));
	EXPECT_TRUE(none(&s));
	EXPECT_EQ(0xee, s.room[0]);
	/* its packets say that they end behind the message's end */
	ASSERT_TRUE(run(&s, 2, 2 * PIECE, LONG));
	EXPECT_TRUE(none(&s));
	EXPECT_EQ(0xee, s.room[2 * PIECE]);
	near_fini(&s);
}

/* No memory at all: the run is not accepted, and comes again. */
TEST(recv__run_no_memory)
{
	struct near s;

	near_init(&s);
	weft_host_fail_rate(65536, 1);
	EXPECT_FALSE(run(&s, 1, 0, LONG));
	EXPECT_FALSE(run(&s, 1, 2 * PIECE, LONG - 2 * PIECE));
	weft_host_fail_rate(0, 1);
	EXPECT_EQ(0, s.t.path->nrxm);
	ASSERT_TRUE(run(&s, 1, 0, LONG));
	post(&s, 1);
	EXPECT_TRUE(got_long(&s, 1, 1));
	EXPECT_EQ(0, s.t.path->nrxm);
	near_fini(&s);
}

/*
 * Memory is missing for a moment. If it was for the message, the packets are taken one by one. If
 * it was for its bytes, they are taken when they come again.
 */
TEST(recv__run_little_memory)
{
	struct near s;
	u32 nth;

	for (nth = 1; nth < 3; nth++) {
		u64 failed = weft_host_failed();

		near_init(&s);
		rig_cut(s.t.rig, 0, 1, true);
		weft_host_fail_nth(nth);
		EXPECT_EQ(nth == 1, run(&s, 1, 0, LONG));
		weft_host_fail_nth(0);
		EXPECT_EQ(failed + 1, weft_host_failed());
		EXPECT_EQ(1, s.t.path->nrxm);
		if (nth == 2) {
			rig_run(s.t.rig, NSEC_PER_MSEC);
			EXPECT_TRUE(run(&s, 1, 0, LONG));
		}
		post(&s, 1);
		EXPECT_TRUE(got_long(&s, 1, 1));
		EXPECT_EQ(1, rig_counter(&s.t.rig->node[0], WEFT_CNT_msgs_received));
		near_fini(&s);
	}
}

/* ---- Heads ----------------------------------------------------------- */

/* Write the head of a long message behind @n bytes of chunks. Return: bytes of all chunks. */
static u32 put_head(struct near *s, u32 n, u32 mseq)
{
	s->m.flow.mseq = mseq;
	s->m.tag = 100 + mseq;
	s->m.len = LONG;
	return n + weft_wire_begin_put(s->pkt + WEFT_WIRE_HDR + n, WEFT_CHUNK_HEAD, &s->m, 0, 0);
}

static bool head(struct near *s, u32 mseq)
{
	return come(s, put_head(s, 0, mseq));
}

/* Write a short message behind @n bytes of chunks. Return: bytes of all chunks. */
static u32 put_short(struct near *s, u32 n, u32 mseq)
{
	u8 *p = s->pkt + WEFT_WIRE_HDR + n;

	s->m.flow.mseq = mseq;
	s->m.tag = 100 + mseq;
	s->m.len = LEN;
	memset(p + weft_wire_eager_put(p, &s->m, 0, LEN), (int)mseq, LEN);
	return n + weft_wire_size(sizeof(struct weft_w_eager) + LEN);
}

/* The head offers its message: a later message need not wait for the packets. */
TEST(recv__head)
{
	struct near s;
	u32 k;

	for (k = 1; k < 3; k++) {
		near_init(&s);
		post_segments(&s, 1, k);
		post(&s, 2);
		ASSERT_TRUE(head(&s, 1));
		EXPECT_TRUE(none(&s));
		EXPECT_EQ(1, s.t.path->nrxm);
		/* a second one changes nothing */
		ASSERT_TRUE(head(&s, 1));
		EXPECT_EQ(1, s.t.path->nrxm);
		ASSERT_TRUE(eager(&s, 2));
		EXPECT_TRUE(got(&s, 2, 2));
		ASSERT_TRUE(run(&s, 1, 0, 2 * PIECE));
		ASSERT_TRUE(head(&s, 1));
		ASSERT_TRUE(run(&s, 1, 2 * PIECE, LONG - 2 * PIECE));
		EXPECT_TRUE(got_long(&s, 1, 1));
		/* all bytes have come */
		ASSERT_TRUE(head(&s, 1));
		EXPECT_TRUE(none(&s));
		EXPECT_EQ(0, s.t.path->nrxm);
		EXPECT_EQ(LONG + LEN, s.t.path->rx_gone);
		EXPECT_EQ(2, rig_counter(&s.t.rig->node[0], WEFT_CNT_msgs_received));
		near_fini(&s);
	}
}

/* The head and a later short message in one packet: both are matched, in order. */
TEST(recv__head_and_later)
{
	struct near s;
	u32 k, i, n;

	/* with receives that wait, or that come later */
	for (k = 0; k < 2; k++) {
		near_init(&s);
		for (i = 1; i < 4 && !k; i++)
			post(&s, i);
		memset(s.pkt, 0, sizeof(s.pkt));
		n = put_head(&s, 0, 1);
		n = put_head(&s, n, 2);
		ASSERT_TRUE(come(&s, put_short(&s, n, 3)));
		for (i = 1; i < 4 && k; i++)
			post(&s, i);
		EXPECT_TRUE(got(&s, 3, 3));
		EXPECT_TRUE(none(&s));
		/* their packets come in any order */
		ASSERT_TRUE(run(&s, 2, 0, LONG));
		EXPECT_TRUE(got_long(&s, 2, 2));
		ASSERT_TRUE(run(&s, 1, 0, LONG));
		EXPECT_TRUE(got_long(&s, 1, 1));
		EXPECT_TRUE(none(&s));
		EXPECT_EQ(0, s.t.path->nrxm);
		near_fini(&s);
	}
}

/* No receive waits: the message keeps its place until its receive and its packets have come. */
TEST(recv__head_unexpected)
{
	struct near s;
	u32 k;

	for (k = 0; k < 2; k++) {
		near_init(&s);
		ASSERT_TRUE(head(&s, 1));
		ASSERT_TRUE(eager(&s, 2));
		if (k)
			ASSERT_TRUE(run(&s, 1, 0, LONG));
		post(&s, 1);
		if (!k) {
			EXPECT_TRUE(none(&s));
			ASSERT_TRUE(run(&s, 1, 0, LONG));
		}
		EXPECT_TRUE(got_long(&s, 1, 1));
		post(&s, 2);
		EXPECT_TRUE(got(&s, 2, 2));
		EXPECT_EQ(0, s.t.path->nrxm);
		near_fini(&s);
	}
}

/* A head before its turn, of an old message, of a flow that does not exist. */
TEST(recv__head_of_others)
{
	struct near s;
	u32 i;

	near_init(&s);
	for (i = 1; i < 4; i++)
		post(&s, i);
	ASSERT_TRUE(head(&s, 2));
	EXPECT_EQ(1, s.t.path->nrxm);
	ASSERT_TRUE(eager(&s, 3));
	EXPECT_TRUE(none(&s));
	ASSERT_TRUE(eager(&s, 1));
	EXPECT_TRUE(got(&s, 1, 1));
	EXPECT_TRUE(got(&s, 3, 3));
	ASSERT_TRUE(run(&s, 2, 0, LONG));
	EXPECT_TRUE(got_long(&s, 2, 2));
	for (i = 1; i < 4; i++)
		ASSERT_TRUE(head(&s, i));
	s.m.flow.sgen++;
	ASSERT_TRUE(head(&s, 1));
	ASSERT_TRUE(head(&s, 4));
	s.m.flow.sgen--;
	s.m.auth ^= 1;
	ASSERT_TRUE(head(&s, 4));
	s.m.auth ^= 1;
	EXPECT_TRUE(none(&s));
	EXPECT_EQ(0, s.t.path->nrxm);
	EXPECT_EQ(1, rig_counter(&s.t.rig->node[0], WEFT_CNT_wrong_job));
	post(&s, 4);
	ASSERT_TRUE(eager(&s, 4));
	EXPECT_TRUE(got(&s, 4, 4));
	near_fini(&s);
}

/* Without memory the head is ignored, and its packet is accepted. */
TEST(recv__head_no_memory)
{
	struct near s;

	near_init(&s);
	post(&s, 1);
	weft_host_fail_nth(1);
	EXPECT_TRUE(head(&s, 1));
	weft_host_fail_nth(0);
	EXPECT_EQ(1, rig_counter(&s.t.rig->node[0], WEFT_CNT_rx_dropped));
	EXPECT_EQ(0, s.t.path->nrxm);
	ASSERT_TRUE(run(&s, 1, 0, LONG));
	EXPECT_TRUE(got_long(&s, 1, 1));
	near_fini(&s);
}

TEST_HARNESS_MAIN
