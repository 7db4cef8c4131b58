// SPDX-License-Identifier: GPL-2.0-only
/*
 * Order when a message is lost with its sender or its path: the lost message keeps its place, so no
 * later message takes the receive that is meant for it. Its receive fails with ECONNRESET
 */
#include "core/api/internal.h"
#include "near.h"
#include "two.h"
#include "harness.h"

#define MS	((weft_ns)NSEC_PER_MSEC)
#define SEC	((weft_ns)NSEC_PER_SEC)
#define TAG	5
#define SHORT	8

FIXTURE(order)
{
	struct two t;
};

FIXTURE_VARIANT(order)
{
	u32 dst;
	bool dies;
};

/* The sender's program is killed on another node, or on the same one; or its node dies. */
FIXTURE_VARIANT_ADD(order, remote)
{
	.dst = 1,
};

FIXTURE_VARIANT_ADD(order, local)
{
	.dst = 0,
};

FIXTURE_VARIANT_ADD(order, node)
{
	.dst = 1,
	.dies = true,
};

static void put(struct two *t, u32 len, u64 context, u32 flags)
{
	struct rig_op op = {
		.tagged = true, .flags = WEFT_SQ_COMPLETION | flags, .peer = t->to,
		.context = context, .tag = TAG, .n = 1,
	};

	op.iov[0] = (struct weft_iov){ (u64)(uintptr_t)t->buf + context, len };
	if (rig_send(t->ea, &op))
		abort();
}

/* An entry of the receive ring. */
static void entry(struct two *t, u8 op, u16 flags, u64 context, u32 len)
{
	struct weft_rqe e = {
		.op = op,
		.nslots = 1,
		.flags = WEFT_RQ_COMPLETION | flags,
		.src = WEFT_SRC_ANY,
		.context = context,
		.tag = op == WEFT_RQ_CLAIM ? 0 : TAG,
		.addr = len ? (u64)(uintptr_t)t->room : 0,
		.len = len,
		.niov = len ? 1 : 0,
	};

	two_entry(t, &e);
	rig_run(t->rig, MS);
}

/* A long message, announced, and a short one behind it. Then the sender is gone. */
FIXTURE_SETUP(order)
{
	struct two *t = &self->t;

	two_init(t, variant->dst, 64, 0);
	put(t, TWO_LONG, 1, 0);
	put(t, SHORT, 2, 0);
	rig_run(t->rig, 100 * MS);
	if (variant->dies) {
		rig_crash(&t->rig->node[0]);
		rig_run(t->rig, 30 * SEC);
	} else {
		rig_proc_end(t->a, true);
		rig_run(t->rig, 100 * MS);
	}
	ASSERT_EQ(2, t->eb->ep->flow.kept_msgs);
	ASSERT_EQ(1, rig_counter(t->b->node, WEFT_CNT_msgs_lost));
}

FIXTURE_TEARDOWN(order)
{
	EXPECT_EQ(0, self->t.eb->ep->flow.kept_msgs);
	rig_free(self->t.rig);
}

/* The next completion is that of @context, with the error of a lost message. */
static bool lost(struct two *t, u64 context)
{
	struct weft_cqe e;

	return rig_cq_read(t->cb, &e) == 1 && e.context == context && e.status == ECONNRESET &&
	       !e.len && e.tag == TAG;
}

/* The next completion is that of @context, with the short message. */
static bool come(struct two *t, u64 context)
{
	struct weft_cqe e;

	return rig_cq_read(t->cb, &e) == 1 && e.context == context && !e.status && e.len == SHORT;
}

/* The first receive fails, the second one has the short message. */
TEST_F(order, receives)
{
	struct two *t = &self->t;

	entry(t, WEFT_RQ_TRECV, 0, 11, TWO_LONG);
	EXPECT_TRUE(lost(t, 11));
	entry(t, WEFT_RQ_TRECV, 0, 12, TWO_LONG);
	EXPECT_TRUE(come(t, 12));
}

/* A receive that is too short for the lost message fails as lost, not as truncated. */
TEST_F(order, short_receive)
{
	struct two *t = &self->t;

	entry(t, WEFT_RQ_TRECV, 0, 11, SHORT);
	EXPECT_TRUE(lost(t, 11));
	entry(t, WEFT_RQ_TRECV, 0, 12, SHORT);
	EXPECT_TRUE(come(t, 12));
}

/* A peek sees the lost message as any other. */
TEST_F(order, peek)
{
	struct two *t = &self->t;
	struct weft_cqe e;

	entry(t, WEFT_RQ_PEEK, 0, 11, 0);
	ASSERT_EQ(1, rig_cq_read(t->cb, &e));
	EXPECT_EQ(0, e.status);
	EXPECT_EQ(TWO_LONG, e.len);
	entry(t, WEFT_RQ_TRECV, 0, 12, TWO_LONG);
	EXPECT_TRUE(lost(t, 12));
	entry(t, WEFT_RQ_TRECV, 0, 13, TWO_LONG);
	EXPECT_TRUE(come(t, 13));
}

TEST_F(order, discard)
{
	struct two *t = &self->t;
	struct weft_cqe e;

	entry(t, WEFT_RQ_PEEK, WEFT_RQ_DROP, 11, 0);
	ASSERT_EQ(1, rig_cq_read(t->cb, &e));
	EXPECT_EQ(0, e.status);
	EXPECT_EQ(TWO_LONG, e.len);
	entry(t, WEFT_RQ_TRECV, 0, 12, TWO_LONG);
	EXPECT_TRUE(come(t, 12));
}

/* A claim reports the error. */
TEST_F(order, claim)
{
	struct two *t = &self->t;
	struct weft_cqe e;

	entry(t, WEFT_RQ_PEEK, WEFT_RQ_KEEP, 11, 0);
	ASSERT_EQ(1, rig_cq_read(t->cb, &e));
	EXPECT_EQ(0, e.status);
	entry(t, WEFT_RQ_TRECV, 0, 12, TWO_LONG);
	EXPECT_TRUE(come(t, 12));
	entry(t, WEFT_RQ_CLAIM, 0, 11, TWO_LONG);
	EXPECT_TRUE(lost(t, 11));

}

/* The receiver ends. */
TEST_F(order, nobody)
{
	struct two *t = &self->t;

	rig_ep_free(t->eb);
	rig_run(t->rig, MS);
	t->eb = rig_ep_new(t->b, WEFT_EP_RDM, 0, TWO_SLOTS, TWO_SLOTS, 2);
	ASSERT_EQ(0, rig_ep_enable(t->eb, t->cb, t->cb, NULL, rig_av_new(t->b)));
}

/* ---- A multi-receive buffer ------------------------------------------------------ */

/* The lost message uses none of the buffer. */
TEST(order__multi)
{
	struct weft_cqe e;
	struct two t;
	u32 dst, i;

	for (dst = 0; dst < 2; dst++) {
		struct weft_rqe r = {
			.op = WEFT_RQ_RECV,
			.nslots = 1,
			.flags = WEFT_RQ_COMPLETION | WEFT_RQ_MULTI,
			.src = WEFT_SRC_ANY,
			.context = 11,
			.ignore = 64,
			.len = TWO_ROOM,
			.niov = 1,
		};

		u32 sum = 0;

		two_init(&t, dst, 64, 0);
		ASSERT_EQ(0, two_put(&t, t.buf, TWO_LONG, 1, 0));
		ASSERT_EQ(0, two_put(&t, t.buf, SHORT, 2, 0));
		rig_run(t.rig, 100 * MS);
		rig_proc_end(t.a, true);
		rig_run(t.rig, 100 * MS);
		r.addr = (u64)(uintptr_t)t.room;
		two_entry(&t, &r);
		rig_run(t.rig, MS);
		/* completions have no order */
		for (i = 0; i < 2; i++) {
			ASSERT_EQ(1, rig_cq_read(t.cb, &e));
			EXPECT_EQ(0, e.flags & WEFT_CQE_MULTI);
			EXPECT_EQ(e.status ? 0 : SHORT, e.len);
			sum += e.status;
		}
		EXPECT_EQ(ECONNRESET, sum);
		EXPECT_EQ(0, rig_cq_read(t.cb, &e));
		rig_free(t.rig);
	}
}

/* ---- The sender lives ------------------------------------------------------------ */

/*
 * The path dies with a message. Messages that the program posted before it could know that fail,
 * too. Later ones arrive, behind the lost message if the receiver had heard of that.
 */
static void dead_path(struct __test_metadata *_metadata, bool heard)
{
	struct rig_op op = { .tagged = true, .flags = WEFT_SQ_COMPLETION, .more = true, .tag = TAG,
			     .n = 1 };
	struct weft_cqe e;
	struct two t;
	u32 i;

	two_init(&t, 1, 64, 0);
	entry(&t, WEFT_RQ_TRECV, 0, 10, TWO_LONG);
	put(&t, SHORT, 0, 0);
	rig_run(t.rig, SEC);
	ASSERT_EQ(1, rig_cq_read(t.ca, &e));
	ASSERT_EQ(1, rig_cq_read(t.cb, &e));
	if (!heard)
		rig_cut(t.rig, 0, 1, true);
	put(&t, TWO_LONG, 1, 0);
	rig_run(t.rig, SEC);
	rig_cut(t.rig, 0, 1, true);
	/* the program posts two messages without a notify call */
	op.peer = t.to;
	op.iov[0] = (struct weft_iov){ (u64)(uintptr_t)t.buf, SHORT };
	for (op.context = 2; op.context < 4; op.context++)
		ASSERT_EQ(0, rig_send(t.ea, &op));
	t.ea->doorbell.sq_tail = t.ea->sq_tail;
	rig_run(t.rig, 30 * SEC);
	ASSERT_EQ(1, rig_cq_read(t.ca, &e));
	EXPECT_EQ(1, e.context);
	EXPECT_EQ(ETIMEDOUT, e.status);
	rig_cut(t.rig, 0, 1, false);
	put(&t, SHORT, 4, 0);
	rig_run(t.rig, SEC);
	for (i = 2; i < 5; i++) {
		ASSERT_EQ(1, rig_cq_read(t.ca, &e));
		EXPECT_EQ(i, e.context);
		EXPECT_EQ(i < 4 ? ETIMEDOUT : 0, e.status);
	}
	if (heard) {
		entry(&t, WEFT_RQ_TRECV, 0, 11, TWO_LONG);
		EXPECT_TRUE(lost(&t, 11));
	}
	entry(&t, WEFT_RQ_TRECV, 0, 12, TWO_LONG);
	EXPECT_TRUE(come(&t, 12));
	EXPECT_EQ(0, memcmp(t.room, t.buf + 4, SHORT));
	entry(&t, WEFT_RQ_TRECV, 0, 13, TWO_LONG);
	EXPECT_EQ(0, rig_cq_read(t.cb, &e));
	rig_free(t.rig);
}

TEST(order__dead_path)
{
	dead_path(_metadata, false);
}

TEST(order__dead_path_heard)
{
	dead_path(_metadata, true);
}

/* ---- Messages before their turn, and in part ------------------------------------- */

static void arrive(struct near *s, u32 n)
{
	s->h.psn = s->t.lane->rcv_nxt;
	weft_wire_hdr_put(s->pkt, &s->h);
	s->rx.len = WEFT_WIRE_HDR + n;
	near_take(s, &s->rx, 1);
}

/* The first @part bytes of a message of @len bytes. */
static void eager(struct near *s, u32 mseq, u32 len, u32 part)
{
	memset(s->pkt, 0, sizeof(s->pkt));
	s->m.flow.mseq = mseq;
	s->m.len = len;
	weft_wire_eager_put(s->pkt + WEFT_WIRE_HDR, &s->m, 0, part);
	arrive(s, weft_wire_size(sizeof(struct weft_w_eager) + part));
}

static void announce(struct near *s, u32 mseq, u32 sid)
{
	memset(s->pkt, 0, sizeof(s->pkt));
	s->m.flow.mseq = mseq;
	s->m.len = 100000;
	arrive(s, weft_wire_rts_put(s->pkt + WEFT_WIRE_HDR, &s->m, sid));
}

/* @sid 0: the flow ends with message @mseq. */
static void withdraw(struct near *s, u32 mseq, u32 sid)
{
	s->m.flow.mseq = mseq;
	arrive(s, weft_wire_abort_put(s->pkt + WEFT_WIRE_HDR, &s->m.flow, sid, ECANCELED));
}

/* Post a receive. Return: the status of its completion, -1: it has none. */
static int receive(struct near *s)
{
	struct rig_op op = { .tagged = true, .flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY,
			     .context = 1, .ignore = ~0ull, .n = 1 };
	struct weft_cqe e;

	op.iov[0] = (struct weft_iov){ (u64)(uintptr_t)s->room, 4096 };
	if (rig_recv(s->ep, &op))
		abort();
	rig_notify(s->ep, WEFT_NOTIFY_RQ);
	return rig_cq_read(s->cq, &e) == 1 ? (int)e.status : -1;
}

/* The messages before those that have come are missing when the path dies. */
TEST(order__early)
{
	struct near s;

	near_init(&s);
	announce(&s, 2, 7);
	eager(&s, 3, SHORT, SHORT);
	weft_lock(&s.t.path->lock);
	weft_path_fail(s.t.path, ETIMEDOUT, s.t.out);
	weft_unlock(&s.t.path->lock);
	weft_flush(s.t.out);
	EXPECT_EQ(2, s.ep->ep->flow.kept_msgs);
	EXPECT_EQ(ECONNRESET, receive(&s));
	EXPECT_EQ(ECONNRESET, receive(&s));
	EXPECT_EQ(0, s.ep->ep->flow.kept_msgs);
	EXPECT_EQ(-1, receive(&s));
	near_fini(&s);
}

/* The receives had been posted before. */
TEST(order__early_posted)
{
	struct weft_cqe e;
	struct near s;

	near_init(&s);
	ASSERT_EQ(-1, receive(&s));
	ASSERT_EQ(-1, receive(&s));
	eager(&s, 2, SHORT, SHORT);
	ASSERT_EQ(0, rig_cq_read(s.cq, &e));
	weft_lock(&s.t.path->lock);
	weft_path_fail(s.t.path, ETIMEDOUT, s.t.out);
	weft_unlock(&s.t.path->lock);
	weft_flush(s.t.out);
	ASSERT_EQ(1, rig_cq_read(s.cq, &e));
	EXPECT_EQ(ECONNRESET, e.status);
	EXPECT_EQ(0, rig_cq_read(s.cq, &e));
	near_fini(&s);
}

/* A part of an eager message has come when its flow ends. */
TEST(order__part)
{
	struct near s;

	near_init(&s);
	eager(&s, 1, 2000, SHORT);
	eager(&s, 2, SHORT, SHORT);
	withdraw(&s, 3, 0);
	EXPECT_EQ(ECONNRESET, receive(&s));
	EXPECT_EQ(0, receive(&s));
	EXPECT_EQ(-1, receive(&s));
	EXPECT_EQ(0, s.ep->ep->flow.kept_msgs);
	near_fini(&s);
}

/* A message is withdrawn before its turn, or later: the flow goes on behind it. */
TEST(order__withdrawn)
{
	struct near s;
	u32 early;

	for (early = 0; early < 2; early++) {
		near_init(&s);
		if (!early)
			eager(&s, 1, SHORT, SHORT);
		announce(&s, 2, 7);
		withdraw(&s, 2, 7);
		if (early)
			eager(&s, 1, SHORT, SHORT);
		eager(&s, 3, SHORT, SHORT);
		EXPECT_EQ(3, s.ep->ep->flow.kept_msgs);
		EXPECT_EQ(0, receive(&s));
		EXPECT_EQ(ECONNRESET, receive(&s));
		EXPECT_EQ(0, receive(&s));
		EXPECT_EQ(0, s.ep->ep->flow.kept_msgs);
		near_fini(&s);
	}
}

TEST_HARNESS_MAIN
