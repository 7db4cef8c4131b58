// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receives that end without a message: canceled while posted or still in the ring; reported by
 * completions and counters; multi-receive buffers that a message waits for
 */
#include "core/api/internal.h"
#include "two.h"
#include "harness.h"

/* Send, and let it arrive. */
static void send_one(struct two *t, u64 tag, u32 len)
{
	struct rig_op op = {
		.tagged = true,
		.peer = t->to,
		.context = 1,
		.tag = tag,
		.n = 1,
		.iov = { { (u64)(uintptr_t)t->buf, len } },
	};

	if (rig_send(t->ea, &op))
		abort();
	rig_run(t->rig, 100 * NSEC_PER_MSEC);
}

/* Post a receive of @len bytes. */
static void post(struct two *t, u64 context, u64 tag, u32 len)
{
	struct weft_rqe e = {
		.op = WEFT_RQ_TRECV,
		.nslots = 1,
		.flags = WEFT_RQ_COMPLETION,
		.src = WEFT_SRC_ANY,
		.context = context,
		.tag = tag,
		.addr = (u64)(uintptr_t)t->room,
		.len = len,
		.niov = 1,
	};

	two_entry(t, &e);
	rig_run(t->rig, NSEC_PER_MSEC);
}

#define NEXT(_t, _e) ASSERT_EQ(1, rig_cq_read((_t)->cb, _e))
#define NONE(_t) ASSERT_EQ(0, rig_cq_read((_t)->cb, &e))

/* A receive that finds no free struct weft_post is canceled in the ring, and reported once. */
TEST(cancel__in_the_ring)
{
	struct weft_cqe e;
	struct two t;
	u32 i;

	two_init(&t, 0, 64, 0);
	for (i = 0; i < 2 * TWO_SLOTS; i++)
		post(&t, 100 + i, 7, 64);
	NONE(&t);
	ASSERT_EQ(0, rig_cancel(t.eb, 100 + TWO_SLOTS + 1));
	NEXT(&t, &e);
	EXPECT_EQ(ECANCELED, e.status);
	EXPECT_EQ(100 + TWO_SLOTS + 1, e.context);
	EXPECT_EQ(7, e.tag);
	ASSERT_EQ(0, rig_cancel(t.eb, 100 + TWO_SLOTS + 1));
	ASSERT_EQ(0, rig_cancel(t.eb, 100));
	NEXT(&t, &e);
	EXPECT_EQ(100, e.context);
	NONE(&t);
	/* messages go to all other receives, in order */
	for (i = 0; i < 2 * TWO_SLOTS; i++) {
		if (i == 0 || i == TWO_SLOTS + 1)
			continue;
		send_one(&t, 7, 8);
		NEXT(&t, &e);
		EXPECT_EQ(0, e.status);
		EXPECT_EQ(100 + i, e.context);
	}
	NONE(&t);
	rig_free(t.rig);
}

/* Without space for the completion a receive in the ring is not canceled. */
TEST(cancel__no_room)
{
	struct weft_cqe e;
	struct two t;
	u32 i, n = 0;

	two_init(&t, 0, 16, 0);
	for (i = 0; i < 2 * TWO_SLOTS; i++)
		post(&t, 100 + i, 7, 64);
	for (i = 0; i < TWO_SLOTS; i++)
		ASSERT_EQ(0, rig_cancel(t.eb, 100 + TWO_SLOTS + i));
	ASSERT_EQ(0, rig_cancel(t.eb, 100));
	/* the first receive waits in its struct, which is not free: the ring is not read */
	while (rig_cq_read(t.cb, &e) == 1) {
		EXPECT_EQ(ECANCELED, e.status);
		n++;
	}
	EXPECT_EQ(TWO_SLOTS + 1, n);
	for (i = 1; i < TWO_SLOTS; i++) {
		send_one(&t, 7, 8);
		NEXT(&t, &e);
		EXPECT_EQ(100 + i, e.context);
	}
	NONE(&t);
	rig_free(t.rig);
}

/* The queue is full: the call reports it and changes nothing. */
TEST(cancel__no_room_now)
{
	enum { CQ = 8 };
	struct weft_cqe e;
	struct two t;
	u32 i;

	two_init(&t, 0, CQ, 0);
	for (i = 0; i < 2 * TWO_SLOTS; i++)
		post(&t, 100 + i, 7, 64);
	for (i = 0; i < CQ; i++)
		ASSERT_EQ(0, rig_cancel(t.eb, 100 + TWO_SLOTS + i));
	for (i = 0; i < 2; i++)
		EXPECT_EQ(-EAGAIN, rig_cancel(t.eb, 100 + TWO_SLOTS + CQ));
	for (i = 0; i < CQ; i++) {
		NEXT(&t, &e);
		EXPECT_EQ(ECANCELED, e.status);
		EXPECT_EQ(100 + TWO_SLOTS + i, e.context);
	}
	NONE(&t);
	ASSERT_EQ(0, rig_cancel(t.eb, 100 + TWO_SLOTS + CQ));
	NEXT(&t, &e);
	EXPECT_EQ(100 + TWO_SLOTS + CQ, e.context);
	NONE(&t);
	rig_free(t.rig);
}

/* A program with counters gets cancels counted, too: of posted receives and of others. */
TEST(cancel__counted)
{
	struct rig_cq *cntr;
	struct rig_ep *ep;
	struct rig_op op = { .tagged = true, .peer = WEFT_SRC_ANY, .tag = 7, .n = 1 };
	struct two t;
	u32 i;

	two_init(&t, 0, 64, 0);
	cntr = rig_cq_new(t.b, 0);
	ep = rig_ep_new(t.b, WEFT_EP_RDM, 0, TWO_SLOTS, TWO_SLOTS, 3);
	ep->rx_cntr = &cntr->cq;
	ASSERT_EQ(0, rig_ep_enable(ep, NULL, NULL, NULL, rig_av_new(t.b)));
	op.iov[0] = (struct weft_iov){ (u64)(uintptr_t)t.room, 64 };
	for (i = 0; i < 2 * TWO_SLOTS; i++) {
		op.context = 100 + i;
		ASSERT_EQ(0, rig_recv(ep, &op));
		rig_notify(ep, WEFT_NOTIFY_RQ);
	}
	ASSERT_EQ(0, rig_cancel(ep, 100 + TWO_SLOTS + 3));
	EXPECT_EQ(1, cntr->status.failed);
	ASSERT_EQ(0, rig_cancel(ep, 100 + TWO_SLOTS + 3));
	EXPECT_EQ(1, cntr->status.failed);
	ASSERT_EQ(0, rig_cancel(ep, 100 + 5));
	EXPECT_EQ(2, cntr->status.failed);
	/* the remaining receives are used, and add to the other counter */
	ASSERT_EQ(1, rig_av_insert(t.va, 0, 3, t.rig));
	t.to = 1;
	for (i = 0; i < 2 * TWO_SLOTS - 2; i++) {
		send_one(&t, 7, 8);
		EXPECT_EQ(i + 1, cntr->status.done);
	}
	EXPECT_EQ(2, cntr->status.failed);
	send_one(&t, 7, 8);
	EXPECT_EQ(2 * TWO_SLOTS - 2, cntr->status.done);
	rig_free(t.rig);
}

/* A message waits because no part of a multi-receive buffer is free; a cancel frees one. */
TEST(cancel__multi)
{
	struct rig_op op = { .flags = WEFT_RQ_COMPLETION | WEFT_RQ_MULTI, .peer = WEFT_SRC_ANY,
			     .n = 1 };
	struct rig_op s = { .n = 1 };
	struct weft_cqe e;
	struct two t;
	u32 k;

	two_init(&t, 1, 64, 0);
	s.peer = t.to;
	s.iov[0] = (struct weft_iov){ (u64)(uintptr_t)t.buf, 100 };
	for (k = 0; k < 2; k++) {
		op.context = 10 + k;
		op.ignore = 64;
		op.iov[0] = (struct weft_iov){ (u64)(uintptr_t)t.room + 1000 * k, 1000 };
		ASSERT_EQ(0, rig_recv(t.eb, &op));
	}
	rig_notify(t.eb, WEFT_NOTIFY_RQ);
	ASSERT_EQ(0, rig_cancel(t.eb, 10));
	NEXT(&t, &e);
	EXPECT_EQ(ECANCELED, e.status);
	EXPECT_EQ(10, e.context);
	ASSERT_EQ(0, rig_send(t.ea, &s));
	rig_run(t.rig, 100 * NSEC_PER_MSEC);
	NEXT(&t, &e);
	EXPECT_EQ(0, e.status);
	EXPECT_EQ(11, e.context);
	EXPECT_EQ(0, memcmp(t.room + 1000, t.buf, 100));
	NONE(&t);
	rig_free(t.rig);
}

TEST_HARNESS_MAIN
