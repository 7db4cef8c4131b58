// SPDX-License-Identifier: GPL-2.0-only
/*
 * Short messages that go from the send ring, or from a packet, directly into the receiver's
 * completion queue. The fast path takes them, other cases take the slow path, and programs see no
 * difference.
 */
#include "core/api/internal.h"
#include "two.h"
#include "harness.h"

static void settle(struct two *t)
{
	rig_run(t->rig, 100 * NSEC_PER_MSEC);
}

static int post(struct two *t, u64 context, u64 tag, u64 ignore, u32 len, u32 flags)
{
	return two_post(t, true, context, tag, ignore, len, flags);
}

static int send_one(struct two *t, u64 tag, u32 len, u32 flags)
{
	return two_send(t, true, tag, 0, len, flags);
}

/* Return: all structures of receives are as they were: the receive was never posted. */
static u32 posted(struct two *t)
{
	return t->eb->ep->rx.match.nposts;
}

static void one(struct __test_metadata *_metadata, struct two *t, u64 context, u64 tag, u32 len,
		u16 flags)
{
	struct weft_cqe e;

	memset(t->room, 0xee, 2 * WEFT_INLINE_MAX);
	settle(t);
	ASSERT_EQ(1, rig_cq_read(t->cb, &e));
	EXPECT_EQ(context, e.context);
	EXPECT_EQ(tag, e.tag);
	EXPECT_EQ(len, e.len);
	EXPECT_EQ(0, e.status);
	EXPECT_EQ(0, e.olen);
	EXPECT_EQ(0, e.src);
	EXPECT_EQ(flags & WEFT_CQE_DATA ? 0xdada : 0, e.data);
	EXPECT_EQ(flags, e.flags & ~WEFT_CQE_INLINE);
	EXPECT_EQ(0, memcmp(t->room, t->buf, len));
	EXPECT_EQ(0xee, t->room[len]);
}

/* All lengths that take another number of slots, with all optional fields. */
static void lengths(struct __test_metadata *_metadata, u32 dst)
{
	static const u32 len[] = { 0, 1, 7, 8, 9, 63, 64, 65, 128, 500, WEFT_INLINE_MAX };
	struct weft_cqe e;
	struct two t;
	u32 i, j;

	two_init(&t, dst, 256, 0);
	for (j = 0; j < 4; j++)
		for (i = 0; i < ARRAY_SIZE(len); i++) {
			ASSERT_EQ(0, post(&t, i, 5, 0, 1000, WEFT_RQ_COMPLETION));
			ASSERT_EQ(0, send_one(&t, 5, len[i], j & 1 ? WEFT_SQ_DATA : 0));
			one(_metadata, &t, i, 5, len[i],
			    WEFT_CQE_TAGGED | (j & 1 ? WEFT_CQE_DATA : 0));
			EXPECT_EQ(0, posted(&t));
		}
	EXPECT_EQ(0, rig_cq_read(t.cb, &e));
	EXPECT_EQ(0, rig_cq_read(t.ca, &e));
	EXPECT_EQ(4 * ARRAY_SIZE(len), rig_counter(&t.rig->node[0], WEFT_CNT_msgs_sent));
	EXPECT_EQ(4 * ARRAY_SIZE(len), rig_counter(&t.rig->node[dst], WEFT_CNT_msgs_received));
	rig_free(t.rig);
}

TEST(fast__lengths_local)
{
	lengths(_metadata, 0);
}

TEST(fast__lengths_remote)
{
	lengths(_metadata, 1);
}

/* A posted receive is older than those in the ring; only a receive that fits is taken. */
static void order(struct __test_metadata *_metadata, u32 dst)
{
	struct two t;

	two_init(&t, dst, 256, 0);
	ASSERT_EQ(0, send_one(&t, 1, 8, 0));
	settle(&t);
	/* the message that waits makes the core post these */
	ASSERT_EQ(0, post(&t, 10, 7, 0, 100, WEFT_RQ_COMPLETION));
	ASSERT_EQ(0, post(&t, 11, 0, ~0ull << 8, 100, WEFT_RQ_COMPLETION));
	ASSERT_EQ(0, post(&t, 12, 1, 0, 100, WEFT_RQ_COMPLETION));
	one(_metadata, &t, 12, 1, 8, WEFT_CQE_TAGGED);
	EXPECT_EQ(2, posted(&t));
	/* these are younger */
	ASSERT_EQ(0, post(&t, 13, 7, 0, 100, WEFT_RQ_COMPLETION));
	ASSERT_EQ(0, post(&t, 14, 8, 0, 100, WEFT_RQ_COMPLETION));
	ASSERT_EQ(0, send_one(&t, 7, 8, 0));
	one(_metadata, &t, 10, 7, 8, WEFT_CQE_TAGGED);
	ASSERT_EQ(0, send_one(&t, 7, 20, 0));
	one(_metadata, &t, 13, 7, 20, WEFT_CQE_TAGGED);
	ASSERT_EQ(0, send_one(&t, 0x100, 20, 0));
	one(_metadata, &t, 11, 0x100, 20, WEFT_CQE_TAGGED);
	ASSERT_EQ(0, send_one(&t, 8, 0, 0));
	one(_metadata, &t, 14, 8, 0, WEFT_CQE_TAGGED);
	rig_free(t.rig);
}

TEST(fast__order_local)
{
	order(_metadata, 0);
}

TEST(fast__order_remote)
{
	order(_metadata, 1);
}

/* The cancel of a posted receive may still be in the ring. */
TEST(fast__canceled)
{
	struct weft_rqe cancel = { .op = WEFT_RQ_CANCEL, .nslots = 1, .src = WEFT_SRC_ANY,
				   .tag = 10 };
	struct weft_cqe e;
	struct two t;

	two_init(&t, 0, 256, 0);
	ASSERT_EQ(0, post(&t, 10, 7, 0, 100, WEFT_RQ_COMPLETION));
	ASSERT_EQ(0, post(&t, 11, 7, 0, 100, WEFT_RQ_COMPLETION));
	rig_notify(t.eb, WEFT_NOTIFY_RQ);
	EXPECT_EQ(2, posted(&t));
	rig_put_rq(t.eb, &cancel, 1);
	rig_ring_rq(t.eb);
	ASSERT_EQ(0, send_one(&t, 7, 8, 0));
	ASSERT_EQ(1, rig_cq_read(t.cb, &e));
	EXPECT_EQ(10, e.context);
	EXPECT_EQ(ECANCELED, e.status);
	one(_metadata, &t, 11, 7, 8, WEFT_CQE_TAGGED);
	rig_free(t.rig);
}

/* A receive that is too short, or wants no completion, takes the slow path. */
static void others(struct __test_metadata *_metadata, u32 dst)
{
	struct weft_cqe e;
	struct two t;

	two_init(&t, dst, 256, 0);
	ASSERT_EQ(0, post(&t, 1, 7, 0, 10, WEFT_RQ_COMPLETION));
	ASSERT_EQ(0, send_one(&t, 7, 30, 0));
	settle(&t);
	ASSERT_EQ(1, rig_cq_read(t.cb, &e));
	EXPECT_EQ(EMSGSIZE, e.status);
	EXPECT_EQ(30, e.len);
	EXPECT_EQ(20, e.olen);

	memset(t.room, 0xee, 100);
	ASSERT_EQ(0, post(&t, 2, 7, 0, 30, 0));
	ASSERT_EQ(0, send_one(&t, 7, 30, 0));
	settle(&t);
	EXPECT_EQ(0, rig_cq_read(t.cb, &e));
	EXPECT_EQ(0, memcmp(t.room, t.buf, 30));
	EXPECT_EQ(0xee, t.room[30]);

	/* the oldest receive does not fit, the next one does */
	ASSERT_EQ(0, post(&t, 3, 8, 0, 30, WEFT_RQ_COMPLETION));
	ASSERT_EQ(0, post(&t, 4, 9, 0, 30, WEFT_RQ_COMPLETION));
	ASSERT_EQ(0, send_one(&t, 9, 30, 0));
	one(_metadata, &t, 4, 9, 30, WEFT_CQE_TAGGED);
	ASSERT_EQ(0, send_one(&t, 8, 30, 0));
	one(_metadata, &t, 3, 8, 30, WEFT_CQE_TAGGED);
	rig_free(t.rig);
}

TEST(fast__others_local)
{
	others(_metadata, 0);
}

TEST(fast__others_remote)
{
	others(_metadata, 1);
}

/* The queue is full: no message is lost, and the order stays. */
static void full(struct __test_metadata *_metadata, u32 dst)
{
	struct weft_cqe e;
	struct two t;
	u32 i;

	two_init(&t, dst, 8, 0);
	for (i = 0; i < 12; i++) {
		ASSERT_EQ(0, post(&t, i, 7, 0, 30, WEFT_RQ_COMPLETION));
		ASSERT_EQ(0, send_one(&t, 7, 8 + i, 0));
		settle(&t);
	}
	for (i = 0; i < 12; i++) {
		settle(&t);
		ASSERT_EQ(1, rig_cq_read(t.cb, &e));
		EXPECT_EQ(i, e.context);
		EXPECT_EQ(8 + i, e.len);
		EXPECT_EQ(0, e.status);
	}
	rig_free(t.rig);
}

TEST(fast__full_local)
{
	full(_metadata, 0);
}

TEST(fast__full_remote)
{
	full(_metadata, 1);
}

/* Sends with completions complete one by one and in order, also many in one notify call. */
TEST(fast__sends_complete)
{
	struct weft_cqe e;
	struct two t;
	u32 i;

	two_init(&t, 0, 256, 0);
	for (i = 0; i < TWO_SLOTS; i++)
		ASSERT_EQ(0, post(&t, i, i, 0, 30, WEFT_RQ_COMPLETION));
	for (i = 0; i < TWO_SLOTS; i++) {
		struct rig_op op = {
			.tagged = true,
			.flags = WEFT_SQ_INLINE | WEFT_SQ_COMPLETION,
			.more = i + 1 < TWO_SLOTS,
			.peer = t.to,
			.context = 100 + i,
			.tag = i,
			.n = 1,
			.iov = { { (u64)(uintptr_t)t.buf, 8 } },
		};

		ASSERT_EQ(0, rig_send(t.ea, &op));
	}
	for (i = 0; i < TWO_SLOTS; i++) {
		ASSERT_EQ(1, rig_cq_read(t.ca, &e));
		EXPECT_EQ(100 + i, e.context);
		EXPECT_EQ(i, e.tag);
		EXPECT_EQ(8, e.len);
		EXPECT_EQ(WEFT_CQE_SEND | WEFT_CQE_TAGGED, e.flags);
		ASSERT_EQ(1, rig_cq_read(t.cb, &e));
		EXPECT_EQ(i, e.context);
	}
	EXPECT_EQ(0, rig_cq_read(t.ca, &e));
	EXPECT_EQ(0, rig_cq_read(t.cb, &e));
	rig_free(t.rig);
}

#define BATCH	8	/* sends that one notify call takes */

/*
 * The queue is full for the completions of several sends in one notify call: all wait, none is
 * lost.
 */
TEST(fast__sends_full)
{
	struct weft_out *out = calloc(1, sizeof(*out));
	struct weft_cqe e;
	struct two t;
	u32 i, j;

	two_init(&t, 0, 256, 0);
	weft_out_init(out, &t.rig->node[0].core);
	for (i = 0; i < TWO_CQ + BATCH; i += BATCH) {
		if (i == TWO_CQ)
			t.ea->status.flags &= ~WEFT_ST_SQ_NOTIFY;
		for (j = i; j < i + BATCH; j++)
			ASSERT_EQ(0, post(&t, j, j, 0, 30, WEFT_RQ_COMPLETION));
		for (j = i; j < i + BATCH; j++) {
			struct rig_op op = {
				.tagged = true,
				.flags = WEFT_SQ_INLINE | WEFT_SQ_COMPLETION,
				.more = j + 1 < i + BATCH,
				.peer = t.to,
				.context = j,
				.tag = j,
				.n = 1,
				.iov = { { (u64)(uintptr_t)t.buf, 8 } },
			};

			ASSERT_EQ(0, rig_send(t.ea, &op));
		}
		if (i == TWO_CQ)
			EXPECT_TRUE(weft_ep_fast(t.ea->ep, out));
		for (j = i; j < i + BATCH; j++) {
			ASSERT_EQ(1, rig_cq_read(t.cb, &e));
			EXPECT_EQ(j, e.context);
		}
	}
	EXPECT_EQ(BATCH, rig_counter(&t.rig->node[0], WEFT_CNT_cq_overflows));
	for (i = 0; i < TWO_CQ + BATCH; i++) {
		ASSERT_EQ(1, rig_cq_read(t.ca, &e));
		EXPECT_EQ(i, e.context);
		EXPECT_EQ(i, e.tag);
		EXPECT_EQ(0, e.status);
	}
	EXPECT_EQ(0, rig_cq_read(t.ca, &e));
	rig_free(t.rig);
	free(out);
}

static void bad_send(struct __test_metadata *_metadata, struct two *t, const struct weft_sqe *bad,
		     int err)
{
	struct weft_cqe e;

	rig_put_sq(t->ea, bad, 1);
	rig_ring_sq(t->ea);
	settle(t);
	ASSERT_EQ(1, rig_cq_read(t->ca, &e));
	EXPECT_EQ(bad->context, e.context);
	EXPECT_EQ(err, e.status);
	EXPECT_EQ(0, rig_cq_read(t->cb, &e));
}

/* Malformed entries are reported as always, although the flow is known. */
TEST(fast__bad_sends)
{
	struct weft_sqe good = { .op = WEFT_SQ_TSEND, .nslots = 1, .context = 5, .tag = 7 }, s;
	struct two t;

	two_init(&t, 0, 256, 0);
	ASSERT_EQ(0, post(&t, 1, 7, 0, 30, WEFT_RQ_COMPLETION));
	ASSERT_EQ(0, send_one(&t, 7, 8, 0));
	one(_metadata, &t, 1, 7, 8, WEFT_CQE_TAGGED);
	ASSERT_EQ(0, post(&t, 2, 7, 0, 30, WEFT_RQ_COMPLETION));
	good.dst = t.to;

	s = good;
	s.nrem = 1;
	bad_send(_metadata, &t, &s, EINVAL);
	s = good;
	s.raddr = 1;
	bad_send(_metadata, &t, &s, EINVAL);
	s = good;
	s.data = 1;
	bad_send(_metadata, &t, &s, EINVAL);
	s = good;
	s.op = WEFT_SQ_SEND;
	bad_send(_metadata, &t, &s, EINVAL);
	s = good;
	s.op = 99;
	bad_send(_metadata, &t, &s, EOPNOTSUPP);
	s = good;
	s.flags = 1 << 15;
	bad_send(_metadata, &t, &s, EINVAL);
	s = good;
	s.flags = WEFT_SQ_INLINE;
	s.niov = 1;
	bad_send(_metadata, &t, &s, EINVAL);
	s = good;
	s.flags = WEFT_SQ_INLINE;
	s.len = WEFT_INLINE_MAX + 1;
	bad_send(_metadata, &t, &s, EMSGSIZE);
	s = good;
	s.dst = t.to + 1;
	bad_send(_metadata, &t, &s, EINVAL);

	rig_put_sq(t.ea, &good, 1);
	rig_ring_sq(t.ea);
	one(_metadata, &t, 2, 7, 0, WEFT_CQE_TAGGED);
	rig_free(t.rig);
}

/* The same for receives: the message goes to the next one. */
TEST(fast__bad_receives)
{
	struct weft_rqe good = {
		.op = WEFT_RQ_TRECV,
		.nslots = 1,
		.flags = WEFT_RQ_COMPLETION,
		.src = WEFT_SRC_ANY,
		.context = 9,
		.tag = 7,
		.len = 30,
		.niov = 1,
	}, s[5];
	struct weft_cqe e;
	struct two t;
	u32 i;

	two_init(&t, 0, 256, 0);
	good.addr = (u64)(uintptr_t)t.room;
	for (i = 0; i < ARRAY_SIZE(s); i++) {
		s[i] = good;
		s[i].context = i;
	}
	s[0].rsvd2 = 1;
	s[1].part = 1;
	s[2].op = 99;
	s[3].niov = 2;
	s[4].addr = ~0ull;
	for (i = 0; i < ARRAY_SIZE(s); i++) {
		rig_put_rq(t.eb, &s[i], 1);
		rig_put_rq(t.eb, &good, 1);
		rig_ring_rq(t.eb);
		ASSERT_EQ(0, send_one(&t, 7, 8, 0));
		settle(&t);
		ASSERT_EQ(1, rig_cq_read(t.cb, &e));
		EXPECT_EQ(i, e.context);
		EXPECT_NE(0, e.status);
		one(_metadata, &t, 9, 7, 8, WEFT_CQE_TAGGED);
	}
	rig_free(t.rig);
}

/* weft_ep_fast() says whether the ring is empty, and leaves entries that need the time. */
TEST(fast__near)
{
	struct weft_out *out = calloc(1, sizeof(*out));
	struct weft_cqe e;
	struct two t;

	two_init(&t, 0, 256, 0);
	weft_out_init(out, &t.rig->node[0].core);
	/* no flow yet */
	EXPECT_FALSE(weft_ep_fast(t.ea->ep, out));
	ASSERT_EQ(0, post(&t, 1, 7, 0, 30, WEFT_RQ_COMPLETION));
	ASSERT_EQ(0, send_one(&t, 7, 8, 0));
	one(_metadata, &t, 1, 7, 8, WEFT_CQE_TAGGED);
	EXPECT_FALSE(weft_ep_fast(t.ea->ep, out));
	/* a receive for the first of two */
	ASSERT_EQ(0, post(&t, 2, 7, 0, 30, WEFT_RQ_COMPLETION));
	t.ea->status.flags &= ~WEFT_ST_SQ_NOTIFY;
	ASSERT_EQ(0, send_one(&t, 7, 8, 0));
	ASSERT_EQ(0, send_one(&t, 7, 9, 0));
	EXPECT_FALSE(weft_ep_fast(t.ea->ep, out));
	one(_metadata, &t, 2, 7, 8, WEFT_CQE_TAGGED);
	EXPECT_EQ(0, rig_cq_read(t.cb, &e));
	ASSERT_EQ(0, post(&t, 3, 7, 0, 30, WEFT_RQ_COMPLETION));
	EXPECT_TRUE(weft_ep_fast(t.ea->ep, out));
	one(_metadata, &t, 3, 7, 9, WEFT_CQE_TAGGED);
	rig_free(t.rig);
	free(out);
}

TEST_HARNESS_MAIN
