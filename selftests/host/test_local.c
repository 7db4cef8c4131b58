// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages within the node: all lengths, refused ones, bad memory, bounced memory, more at a time
 * than an output holds, and the end of the port
 */
#include "core/api/internal.h"
#include "two.h"
#include "harness.h"

#define SECOND	((weft_ns)NSEC_PER_SEC)
#define WAIT	(SECOND / 10)

/* a short message, one that the kernel copies, and one that stays in memory */
static const u32 lens[] = { 100, 5000, TWO_LONG };

/*
 * The bytes are in no memory of the sender: the send fails, and a receive is left for another
 * message.
 */
TEST(local__bad_source)
{
	struct two t;
	u32 i, late, cold;

	for (i = 0; i < 3 * 2 * 2; i++) {
		u32 len = lens[i / 4];

		late = i & 1;
		cold = i & 2 ? RIG_PPM : 0;
		two_init(&t, 0, 64, cold);
		if (!late)
			ASSERT_EQ(0, two_get(&t, t.room, TWO_ROOM, 7));
		ASSERT_EQ(0, two_put(&t, (void *)64, len, 1, WEFT_SQ_DELIVERY));
		if (late) {
			rig_run(t.rig, SECOND / 10);
			ASSERT_EQ(0, two_get(&t, t.room, TWO_ROOM, 7));
		}
		EXPECT_EQ(EFAULT, two_status(&t, t.ca, 1, WAIT));
		if (len == TWO_LONG) {
			/* the receive had matched */
			EXPECT_EQ(ECONNRESET, two_status(&t, t.cb, 7, WAIT));
			ASSERT_EQ(0, two_get(&t, t.room, TWO_ROOM, 7));
		}
		EXPECT_EQ(-1, two_status(&t, t.cb, 7, WAIT));
		ASSERT_EQ(0, two_put(&t, t.buf, len, 2, WEFT_SQ_DELIVERY));
		EXPECT_EQ(0, two_status(&t, t.ca, 2, WAIT));
		EXPECT_EQ(0, two_status(&t, t.cb, 7, WAIT));
		EXPECT_EQ(0, memcmp(t.room, t.buf, len));
		rig_free(t.rig);
	}
}

/*
 * Messages of changing lengths wait for receives: the message in reserve has memory for each of
 * them.
 */
TEST(local__unexpected)
{
	static const u32 bytes[] = { 8, WEFT_RXM_SMALL, WEFT_RXM_SMALL + 1, 0, WEFT_INLINE_MAX, 1 };
	struct two t;
	u32 i;

	two_init(&t, 0, 64, 0);
	for (i = 0; i < ARRAY_SIZE(bytes); i++)
		ASSERT_EQ(0, two_put(&t, t.buf + i, bytes[i], i, 0));
	EXPECT_TRUE(t.ea->ep->tx.slow);
	for (i = 0; i < ARRAY_SIZE(bytes); i++) {
		memset(t.room, 0xee, TWO_ROOM);
		ASSERT_EQ(0, two_get(&t, t.room, TWO_ROOM, 50 + i));
		EXPECT_EQ(0, two_status(&t, t.cb, 50 + i, WAIT));
		EXPECT_EQ(0, memcmp(t.room, t.buf + i, bytes[i]));
		EXPECT_EQ(0xee, t.room[bytes[i]]);
	}
	/* a message that finds a receive: the next one tries the fast path */
	for (i = 0; i < 3; i++) {
		t.ea->ep->tx.slow = true;
		ASSERT_EQ(0, two_get(&t, t.room, TWO_ROOM, 99));
		ASSERT_EQ(0, two_put(&t, t.buf, lens[i], 9, 0));
		EXPECT_EQ(0, two_status(&t, t.cb, 99, WAIT));
		EXPECT_FALSE(t.ea->ep->tx.slow);
	}
	rig_free(t.rig);
}

/*
 * The buffer is in no memory of the receiver: the receive fails. So does the send, if it waits for
 * that.
 */
TEST(local__bad_target)
{
	struct two t;
	u32 i, late, cold;
	int err;

	for (i = 0; i < 3 * 2 * 2; i++) {
		u32 len = lens[i / 4];

		late = i & 1;
		cold = i & 2 ? RIG_PPM : 0;
		two_init(&t, 0, 64, cold);
		if (!late)
			ASSERT_EQ(0, two_get(&t, (void *)64, len, 7));
		ASSERT_EQ(0, two_put(&t, t.buf, len, 1, WEFT_SQ_DELIVERY));
		if (late) {
			rig_run(t.rig, SECOND / 10);
			ASSERT_EQ(0, two_get(&t, (void *)64, len, 7));
		}
		if (len > WEFT_INLINE_MAX) {
			EXPECT_EQ(EFAULT, two_status(&t, t.cb, 7, WAIT));
			/* a send that the kernel has copied counts as delivered */
			err = two_status(&t, t.ca, 1, WAIT);
			EXPECT_TRUE(err == EREMOTEIO || (len != TWO_LONG && !err));
		} else {
			/* the bytes come in the completion */
			EXPECT_EQ(0, two_status(&t, t.ca, 1, WAIT));
		}
		rig_free(t.rig);
	}
}

/* The destination: missing, another type of endpoint, one that is not enabled, another job's. */
TEST(local__refused)
{
	struct rig_ep *ep;
	struct two t;
	u64 none;

	two_init(&t, 0, 64, 0);
	ep = rig_ep_new(t.b, WEFT_EP_RDM, 0, 16, 16, 30);
	ASSERT_NE(NULL, ep);
	ASSERT_NE(NULL, rig_ep_new(t.b, WEFT_EP_PASSIVE, 0, 0, 0, 31));
	none = rig_counter(t.a->node, WEFT_CNT_no_service);
	ASSERT_EQ(0, weft_limit_set(&t.a->node->core, "connect-ms", 10));
	for (t.to = 1; t.to < 4; t.to++) {
		ASSERT_EQ(t.to, rig_av_insert(t.va, 0, (u16)(28 + t.to), t.rig));
		ASSERT_EQ(0, two_put(&t, t.buf, 8, t.to, 0));
		EXPECT_EQ(ECONNREFUSED, two_status(&t, t.ca, t.to, WAIT));
		EXPECT_EQ(none + t.to, rig_counter(t.a->node, WEFT_CNT_no_service));
	}
	/* after it is enabled the send succeeds */
	t.to = 2;
	ASSERT_EQ(0, rig_ep_enable(ep, t.cb, t.cb, NULL, rig_av_new(t.b)));
	ASSERT_EQ(0, two_put(&t, t.buf, 8, 2, 0));
	EXPECT_EQ(0, two_status(&t, t.ca, 2, WAIT));
	rig_free(t.rig);
}

/* More long messages at a time than one output has space for copies. */
TEST(local__many_copies)
{
	enum { N = 2 * WEFT_OUT_COPY, LEN = 20000 };
	struct rig_srq *srq;
	struct rig_ep *ep;
	struct rig_op op = { .flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY, .n = 1 };
	struct rig_av *av;
	struct weft_cqe e;
	struct two t;
	u32 i, n = 0;
	u8 *room;

	two_init(&t, 0, 1024, 0);
	ep = rig_ep_new(t.b, WEFT_EP_RDM, WEFT_EPF_SRQ, 16, 0, 3);
	srq = rig_srq_new(t.b, 512, 256, 0, NULL);
	av = rig_av_new(t.b);
	room = rig_buf(t.b, N * LEN);
	ASSERT_EQ(0, weft_ep_share(ep->ep, srq->srq, av->av));
	ASSERT_EQ(0, rig_ep_enable(ep, t.cb, t.cb, NULL, av));
	t.to = (u32)rig_av_insert(t.va, 0, 3, t.rig);
	for (i = 0; i < N; i++) {
		u32 off = i * 7;

		ASSERT_EQ(0, two_put(&t, t.buf + off, LEN, i, WEFT_SQ_DELIVERY));
	}
	rig_run(t.rig, SECOND / 10);
	EXPECT_EQ(-1, two_status(&t, t.cb, 0, WAIT));
	for (i = 0; i < N; i++) {
		op.context = i;
		op.iov[0] = (struct weft_iov){ (u64)(uintptr_t)room + i * LEN, LEN };
		ASSERT_EQ(0, rig_srq_recv(srq, &op, NULL));
	}
	rig_run(t.rig, SECOND);
	while (rig_cq_read(t.cb, &e) == 1) {
		EXPECT_EQ(0, e.status);
		EXPECT_EQ(0, memcmp(room + e.context * LEN, t.buf + e.context * 7, LEN));
		n++;
	}
	EXPECT_EQ(N, n);
	for (n = 0; rig_cq_read(t.ca, &e) == 1; n++)
		EXPECT_EQ(0, e.status);
	EXPECT_EQ(N, n);
	rig_free(t.rig);
}

/* The port is removed while long messages wait for receives: their sends end, once. */
TEST(local__port_goes)
{
	struct rig_node *node;
	struct weft_cqe e;
	struct two t;
	bool more;
	u32 i, n;

	two_init(&t, 0, 64, 0);
	node = t.a->node;
	for (i = 0; i < 5; i++)
		ASSERT_EQ(0, two_put(&t, t.buf, TWO_LONG, i, 0));
	ASSERT_EQ(-1, two_status(&t, t.ca, 0, WAIT));
	do {
		more = weft_core_stop(&node->core, rig_clock(node), ENODEV, &node->out);
		weft_flush(&node->out);
	} while (more);
	for (n = 0; rig_cq_read(t.ca, &e) == 1; n++) {
		EXPECT_EQ(n, e.context);
		EXPECT_EQ(ENODEV, e.status);
	}
	EXPECT_EQ(5, n);
	rig_free(t.rig);
}

TEST_HARNESS_MAIN
