// SPDX-License-Identifier: GPL-2.0-only
/*
 * Short messages in a row to another node: they share packets and one lock, and programs see no
 * difference.
 */
#include "core/messaging/messaging.h"
#include "two.h"
#include "harness.h"

#define ROW	10	/* messages */

static void settle(struct two *t)
{
	rig_run(t->rig, 100 * NSEC_PER_MSEC);
}

/* Two nodes whose endpoints have exchanged a message. @cold: as two_init() */
static void begin(struct __test_metadata *_metadata, struct two *t, u32 cold)
{
	struct weft_cqe e;

	two_init(t, 1, 256, cold);
	ASSERT_EQ(0, two_post(t, true, 99, 99, 0, 64, WEFT_RQ_COMPLETION));
	ASSERT_EQ(0, two_send(t, true, 99, 0, 8, 0));
	settle(t);
	ASSERT_EQ(1, rig_cq_read(t->cb, &e));
	ASSERT_EQ(99, e.context);
	/* no notify call: the tests make it */
	t->ea->status.flags &= ~WEFT_ST_SQ_NOTIFY;
}

/* Return: the place of message @no. */
static u8 *place(struct two *t, u32 no)
{
	return t->room + no * 4096;
}

/* Post a receive and put the send for it into the ring. */
static void pair(struct __test_metadata *_metadata, struct two *t, u32 no, u32 len, u32 flags)
{
	struct rig_op op = {
		.tagged = true,
		.flags = WEFT_RQ_COMPLETION,
		.peer = WEFT_SRC_ANY,
		.context = no,
		.tag = no,
		.n = 1,
		.iov = { { (u64)(uintptr_t)place(t, no), 4096 } },
	};

	ASSERT_EQ(0, rig_recv(t->eb, &op));
	ASSERT_EQ(0, two_send(t, true, no, no, len, flags));
}

/* The next completion of a receive is that of @no, with its bytes. */
static void arrived(struct __test_metadata *_metadata, struct two *t, u32 no, u32 len, u16 flags)
{
	struct weft_cqe e;

	ASSERT_EQ(1, rig_cq_read(t->cb, &e));
	EXPECT_EQ(no, e.context);
	EXPECT_EQ(no, e.tag);
	EXPECT_EQ(len, e.len);
	EXPECT_EQ(0, e.status);
	EXPECT_EQ(flags & WEFT_CQE_DATA ? 0xdada : 0, e.data);
	EXPECT_EQ(WEFT_CQE_TAGGED | flags, e.flags & ~WEFT_CQE_INLINE);
	EXPECT_EQ(0, memcmp(place(t, no), t->buf + no, len));
}

/* A row of messages of @len bytes. */
static void pairs(struct __test_metadata *_metadata, struct two *t, u32 len, u32 flags)
{
	u32 i;

	for (i = 0; i < ROW; i++)
		pair(_metadata, t, i, len, flags);
}

static void all_arrived(struct __test_metadata *_metadata, struct two *t, u32 len)
{
	u32 i;

	settle(t);
	for (i = 0; i < ROW; i++)
		arrived(_metadata, t, i, len, 0);
}

/* Return: number of messages that the row at the ring's consumer index takes. */
static u32 take(struct two *t, u32 most)
{
	struct weft_out *out = rig_out(&t->rig->node[0]);
	struct weft_ep *ep = t->ea->ep;
	struct weft_flow *flow;
	u32 n;

	weft_mutex_lock(&ep->sq_mutex);
	weft_ring_look(&ep->tx.ring, &ep->conf.doorbell->sq_tail);
	flow = weft_fast_row_flow(ep);
	n = flow ? weft_fast_row(ep, flow, most, out) : 0;
	weft_send_publish(ep);
	weft_mutex_unlock(&ep->sq_mutex);
	rig_leave(&t->rig->node[0], out);
	return n;
}

static u64 packets(struct two *t)
{
	return rig_counter(&t->rig->node[0], WEFT_CNT_tx_packets);
}

/* A row leaves in one packet. Tags and lengths differ; the order stays. */
TEST(row__one_packet)
{
	static const u32 len[ROW] = { 0, 1, 7, 8, 9, 63, 64, 5, 30, 8 };
	struct two t;
	u64 before;
	u32 i;

	begin(_metadata, &t, 0);
	/* a payload of more than one slot has another form */
	for (i = 0; i < ROW; i++)
		pair(_metadata, &t, i, len[i] ?: 3, WEFT_SQ_DATA);
	before = packets(&t);
	EXPECT_EQ(ROW, take(&t, WEFT_FAST_RUN));
	EXPECT_EQ(before + 1, packets(&t));
	settle(&t);
	for (i = 0; i < ROW; i++)
		arrived(_metadata, &t, i, len[i] ?: 3, WEFT_CQE_DATA);
	EXPECT_EQ(1 + ROW, rig_counter(&t.rig->node[0], WEFT_CNT_msgs_eager));
	EXPECT_EQ(0, t.ea->ep->tx.ring.prod - t.ea->ep->tx.ring.cons);
	rig_free(t.rig);
}

/* No more messages than asked for; the packet stays open for those that follow. */
TEST(row__bounded)
{
	struct two t;
	u64 before;

	begin(_metadata, &t, 0);
	pairs(_metadata, &t, 8, 0);
	before = packets(&t);
	EXPECT_EQ(4, take(&t, 4));
	EXPECT_EQ(before, packets(&t));
	EXPECT_EQ(ROW - 4, take(&t, WEFT_FAST_RUN));
	EXPECT_EQ(before + 1, packets(&t));
	all_arrived(_metadata, &t, 8);
	rig_free(t.rig);
}

/* An entry of another form ends the row; a message alone is none. */
TEST(row__forms)
{
	struct two t;
	u32 i;

	begin(_metadata, &t, 0);
	pair(_metadata, &t, 0, 8, 0);
	pair(_metadata, &t, 1, 8, 0);
	pair(_metadata, &t, 2, 8, WEFT_SQ_DATA);
	pair(_metadata, &t, 3, 8, 0);
	pair(_metadata, &t, 4, 100, 0);
	pair(_metadata, &t, 5, 3000, 0);
	EXPECT_EQ(2, take(&t, WEFT_FAST_RUN));
	EXPECT_EQ(0, take(&t, WEFT_FAST_RUN));
	/* the drain sends the others, in order */
	rig_notify(t.ea, WEFT_NOTIFY_SQ);
	settle(&t);
	for (i = 0; i < 6; i++)
		arrived(_metadata, &t, i, i < 4 ? 8 : i == 4 ? 100 : 3000,
			i == 2 ? WEFT_CQE_DATA : 0);
	rig_free(t.rig);
}

/* Bytes that are not in the ring are copied as well, if they are resident. */
static void apart(struct __test_metadata *_metadata, u32 cold)
{
	struct two t;

	begin(_metadata, &t, cold);
	pairs(_metadata, &t, 40, TWO_APART);
	EXPECT_EQ(cold ? 0 : ROW, take(&t, WEFT_FAST_RUN));
	rig_notify(t.ea, WEFT_NOTIFY_SQ);
	all_arrived(_metadata, &t, 40);
	rig_free(t.rig);
}

TEST(row__apart)
{
	apart(_metadata, 0);
}

TEST(row__not_resident)
{
	apart(_metadata, RIG_PPM);
}

/* A full packet ends the row, and leaves with the next one. */
TEST(row__full_packets)
{
	u32 n, done = 0, rows = 0;
	struct two t;
	u64 before;

	begin(_metadata, &t, 0);
	pairs(_metadata, &t, 400, TWO_APART);
	before = packets(&t);
	while ((n = take(&t, WEFT_FAST_RUN))) {
		done += n;
		rows++;
	}
	EXPECT_LE(ROW - 1, done);
	EXPECT_LT(3, rows);
	rig_notify(t.ea, WEFT_NOTIFY_SQ);
	EXPECT_EQ(before + rows + (done < ROW), packets(&t));
	all_arrived(_metadata, &t, 400);
	rig_free(t.rig);
}

/* Without credit a row ends, and nothing is lost. */
TEST(row__credit)
{
	struct two t;

	begin(_metadata, &t, 0);
	pairs(_metadata, &t, 8, 0);
	t.ea->ep->flow.recent->msg_limit = t.ea->ep->flow.recent->id.mseq + 3;
	EXPECT_EQ(3, take(&t, WEFT_FAST_RUN));
	EXPECT_EQ(0, take(&t, WEFT_FAST_RUN));
	t.ea->ep->flow.recent->msg_limit += WEFT_CREDIT_MSGS;
	EXPECT_EQ(ROW - 3, take(&t, WEFT_FAST_RUN));
	all_arrived(_metadata, &t, 8);
	rig_free(t.rig);
}

/* A path that may not send, and held sends of the flow, leave no row. */
TEST(row__refused)
{
	struct two t;

	begin(_metadata, &t, 0);
	pairs(_metadata, &t, 8, 0);
	t.ea->ep->flow.recent->path->failing = true;
	EXPECT_EQ(0, take(&t, WEFT_FAST_RUN));
	t.ea->ep->flow.recent->path->failing = false;
	t.ea->ep->flow.recent->nheadless++;
	EXPECT_EQ(0, take(&t, WEFT_FAST_RUN));
	t.ea->ep->flow.recent->nheadless--;
	t.rig->node[0].core.fast = false;
	EXPECT_EQ(0, take(&t, WEFT_FAST_RUN));
	t.rig->node[0].core.fast = true;
	EXPECT_EQ(ROW, take(&t, WEFT_FAST_RUN));
	all_arrived(_metadata, &t, 8);
	rig_free(t.rig);
}

/* Completions of a row are in order, also while the queue is full. */
TEST(row__completions)
{
	struct weft_cqe e;
	struct two t;
	u32 i, k;

	begin(_metadata, &t, 0);
	for (k = 0; k < TWO_CQ + ROW; k += ROW) {
		for (i = 0; i < ROW; i++)
			pair(_metadata, &t, i, 8, WEFT_SQ_COMPLETION);
		EXPECT_EQ(ROW, take(&t, WEFT_FAST_RUN));
		settle(&t);
		for (i = 0; i < ROW; i++)
			arrived(_metadata, &t, i, 8, 0);
	}
	EXPECT_LT(0, rig_counter(&t.rig->node[0], WEFT_CNT_cq_overflows));
	for (i = 0; i < k; i++) {
		ASSERT_EQ(1, rig_cq_read(t.ca, &e));
		EXPECT_EQ(77, e.context);
		EXPECT_EQ(i % ROW, e.tag);
		EXPECT_EQ(8, e.len);
		EXPECT_EQ(0, e.status);
		EXPECT_EQ(WEFT_CQE_SEND | WEFT_CQE_TAGGED, e.flags);
	}
	EXPECT_EQ(0, rig_cq_read(t.ca, &e));
	rig_free(t.rig);
}

/* A malformed entry ends the row, and is reported as always. */
TEST(row__bad)
{
	struct weft_sqe bad[2] = { {
		.op = WEFT_SQ_TSEND, .nslots = 2, .flags = WEFT_SQ_INLINE, .context = 5, .tag = 7,
		.len = WEFT_INLINE_MAX + 1,
	} }, none = { .op = WEFT_SQ_TSEND, .nslots = 0, .flags = WEFT_SQ_INLINE };
	struct weft_cqe e;
	struct two t;
	u32 i;

	begin(_metadata, &t, 0);
	bad[0].dst = t.to;
	for (i = 0; i < 3; i++)
		pair(_metadata, &t, i, 8, 0);
	rig_put_sq(t.ea, bad, 2);
	pair(_metadata, &t, 3, 8, 0);
	EXPECT_EQ(3, take(&t, WEFT_FAST_RUN));
	EXPECT_EQ(0, take(&t, WEFT_FAST_RUN));
	rig_notify(t.ea, WEFT_NOTIFY_SQ);
	settle(&t);
	for (i = 0; i < 4; i++)
		arrived(_metadata, &t, i, 8, 0);
	ASSERT_EQ(1, rig_cq_read(t.ca, &e));
	EXPECT_EQ(5, e.context);
	EXPECT_EQ(EMSGSIZE, e.status);
	/* an entry without a slot is no row, however often it is read */
	none.dst = t.to;
	rig_put_sq(t.ea, &none, 1);
	rig_put_sq(t.ea, &none, 1);
	EXPECT_EQ(0, take(&t, WEFT_FAST_RUN));
	rig_free(t.rig);
}

TEST_HARNESS_MAIN
