// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sends: a program with counters, bad payload memory, more sends than completions fit, and
 * endpoints that are not connected
 */
#include "core/api/internal.h"
#include "lone.h"
#include "two.h"
#include "harness.h"

#define SECOND	((weft_ns)NSEC_PER_SEC)
#define WAIT	(SECOND / 2)

/* a short send, one that the kernel copies, and one that stays in memory */
static const u32 lens[] = { 100, 5000, TWO_LONG };

/* A send from memory that is not the program's fails, and later sends leave, in order. */
TEST(send__bad_source)
{
	struct two t;
	u32 i;

	for (i = 0; i < 2 * ARRAY_SIZE(lens); i++) {
		u32 len = lens[i / 2];

		two_init(&t, 1, 64, i & 1 ? RIG_PPM : 0);
		ASSERT_EQ(0, two_get(&t, t.room, TWO_ROOM, 7));
		ASSERT_EQ(0, two_put(&t, (void *)64, len, 1, WEFT_SQ_DELIVERY));
		EXPECT_EQ(EFAULT, two_status(&t, t.ca, 1, WAIT));
		if (len == TWO_LONG) {
			/*
			 * the receiver had given a grant: it is told that the message is withdrawn
			 */
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

/* A program without completion queues counts sends that left, and sends that failed. */
static void counted(struct __test_metadata *_metadata, u32 dst)
{
	struct rig_cq *cntr;
	struct rig_ep *ep;
	struct two t;
	u32 i;

	two_init(&t, dst, 64, 0);
	cntr = rig_cq_new(t.a, 0);
	ep = rig_ep_new(t.a, WEFT_EP_RDM, 0, 64, 16, 9);
	ep->tx_cntr = &cntr->cq;
	ASSERT_EQ(0, rig_ep_enable(ep, NULL, NULL, NULL, t.va));
	t.ea = ep;
	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		ASSERT_EQ(0, two_get(&t, t.room, TWO_ROOM, i));
		ASSERT_EQ(0, two_put(&t, t.buf, lens[i], 0, WEFT_SQ_DELIVERY));
		EXPECT_EQ(0, two_status(&t, t.cb, i, WAIT));
		EXPECT_EQ(i + 1, cntr->status.done);
		EXPECT_EQ(0, cntr->status.failed);
	}
	ASSERT_EQ(0, two_put(&t, (void *)64, 5000, 0, 0));
	rig_run(t.rig, SECOND);
	EXPECT_EQ(1, cntr->status.failed);
	/* no endpoint has the address */
	t.to = (u32)rig_av_insert(t.va, dst, 99, t.rig);
	ASSERT_EQ(0, two_put(&t, t.buf, 8, 0, WEFT_SQ_DELIVERY));
	rig_run(t.rig, 6 * SECOND);
	EXPECT_EQ(2, cntr->status.failed);
	EXPECT_EQ(ARRAY_SIZE(lens), cntr->status.done);
	rig_free(t.rig);
}

TEST(send__counted_remote)
{
	counted(_metadata, 1);
}

TEST(send__counted_local)
{
	counted(_metadata, 0);
}

/* More sends than their completion queue has space for: none is lost, all complete in order. */
static void full(struct __test_metadata *_metadata, u32 dst, u32 flags)
{
	enum { N = 12 };
	struct rig_cq *small;
	struct weft_cqe e;
	struct rig_ep *ep;
	struct two t;
	u32 i;

	two_init(&t, dst, 64, 0);
	small = rig_cq_new(t.a, 4);
	ep = rig_ep_new(t.a, WEFT_EP_RDM, 0, 64, 16, 9);
	ASSERT_EQ(0, rig_ep_enable(ep, small, small, NULL, t.va));
	t.ea = ep;
	for (i = 0; i < N; i++) {
		ASSERT_EQ(0, two_get(&t, t.room, 64, i));
		ASSERT_EQ(0, two_put(&t, t.buf + i, 8, i, flags));
	}
	rig_run(t.rig, SECOND);
	for (i = 0; i < N; i++) {
		EXPECT_EQ(0, two_status(&t, t.cb, i, WAIT));
		EXPECT_EQ(0, two_status(&t, small, i, WAIT));
	}
	EXPECT_EQ(0, rig_cq_read(small, &e));
	EXPECT_EQ(0, memcmp(t.room, t.buf + N - 1, 8));
	rig_free(t.rig);
}

TEST(send__full_queue)
{
	u32 dst;

	for (dst = 0; dst < 2; dst++) {
		full(_metadata, dst, 0);
		full(_metadata, dst, WEFT_SQ_TRANSMIT);
		full(_metadata, dst, WEFT_SQ_DELIVERY);
	}
}

/* A connected endpoint sends nothing before it is connected, and nothing after. */
TEST(send__not_connected)
{
	struct rig_op op = { .flags = WEFT_SQ_COMPLETION, .n = 1 };
	struct weft_event ev;
	struct side a, b;
	struct weft_cqe e;
	struct rig_conf conf;
	struct rig *rig;
	u32 round;

	rig_conf_default(&conf, 5);
	rig = rig_new(&conf);
	side_init(&a, &rig->node[0]);
	side_init(&b, &rig->node[1]);
	ASSERT_NE(NULL, side_listen(&b, 40, 4));
	op.iov[0] = (struct weft_iov){ (u64)(uintptr_t)rig_buf(a.proc, 8), 8 };
	for (round = 0; round < 3; round++) {
		op.context = round;
		ASSERT_EQ(0, rig_send(a.ep, &op));
		rig_run(rig, SECOND / 10);
		ASSERT_EQ(1, rig_cq_read(a.cq, &e));
		EXPECT_EQ(round, e.context);
		EXPECT_EQ(round == 1 ? 0 : ENOTCONN, e.status);
		if (round == 0) {
			ASSERT_EQ(0, rig_connect(a.ep, 1, 40, NULL, 0));
			ASSERT_EQ(WEFT_EV_CONNREQ, side_event(rig, &b, &ev, NULL, SECOND));
			ASSERT_EQ(0, rig_accept(b.ep, ev.conn, NULL, 0));
			ASSERT_EQ(WEFT_EV_CONNECTED, side_event(rig, &a, &ev, NULL, SECOND));
		} else if (round == 1) {
			ASSERT_EQ(0, rig_shutdown(a.ep));
			ASSERT_EQ(WEFT_EV_SHUTDOWN, side_event(rig, &a, &ev, NULL, SECOND));
		}
	}
	rig_free(rig);
}

TEST_HARNESS_MAIN
