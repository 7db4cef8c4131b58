// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receives: a program with counters, more receives than can be posted, and a ring that cannot be
 * decoded
 */
#include "core/api/internal.h"
#include "two.h"
#include "harness.h"

#define SECOND	((weft_ns)NSEC_PER_SEC)

static int put(struct two *t, u32 len)
{
	struct rig_op op = { .peer = t->to, .n = 1 };

	op.iov[0] = (struct weft_iov){ (u64)(uintptr_t)t->buf, len };
	return rig_send(t->ea, &op);
}

static int get(struct two *t, struct rig_ep *ep, u32 len, u64 context)
{
	struct rig_op op = { .flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY,
			     .context = context, .n = 1 };

	op.iov[0] = (struct weft_iov){ (u64)(uintptr_t)t->room, len };
	return rig_recv(ep, &op);
}

/*
 * Received, cut, or in bad memory: each receive counts once, at all lengths, posted early or late.
 */
static void counted(struct __test_metadata *_metadata, u32 dst, bool late)
{
	static const u32 lens[] = { 100, 5000, TWO_LONG };
	struct rig_op bad = { .peer = WEFT_SRC_ANY, .n = 1, .iov = { { 64, TWO_LONG } } };
	struct rig_cq *cntr;
	struct rig_ep *ep;
	struct two t;
	u32 i;

	two_init(&t, dst, 64, 0);
	cntr = rig_cq_new(t.b, 0);
	ep = rig_ep_new(t.b, WEFT_EP_RDM, 0, 16, 16, 9);
	ep->rx_cntr = &cntr->cq;
	ASSERT_EQ(0, rig_ep_enable(ep, NULL, NULL, NULL, rig_av_new(t.b)));
	t.to = (u32)rig_av_insert(t.va, dst, 9, t.rig);
	for (i = 0; i < 3 * ARRAY_SIZE(lens); i++) {
		u32 len = lens[i / 3], step;

		for (step = 0; step < 2; step++) {
			if (step == late) {
				ASSERT_EQ(0, i % 3 == 2 ? rig_recv(ep, &bad) :
							  get(&t, ep, i % 3 ? len / 2 : len, i));
			} else {
				ASSERT_EQ(0, put(&t, len));
			}
			rig_run(t.rig, SECOND / 4);
		}
		EXPECT_EQ(i + 1, cntr->status.done + cntr->status.failed);
		EXPECT_EQ(i / 3 + 1, cntr->status.done);
		if (i % 3 == 0)
			EXPECT_EQ(0, memcmp(t.room, t.buf, len));
	}
	rig_free(t.rig);
}

TEST(post__counted_remote)
{
	counted(_metadata, 1, false);
	counted(_metadata, 1, true);
}

TEST(post__counted_local)
{
	counted(_metadata, 0, false);
	counted(_metadata, 0, true);
}

/*
 * An entry without a free receive structure stays in the ring, which is full then. A message frees
 * one.
 */
TEST(post__stalled)
{
	struct weft_cqe e;
	struct two t;
	u32 i;

	two_init(&t, 0, 64, 0);
	for (i = 0; i < TWO_SLOTS; i++)
		ASSERT_EQ(0, get(&t, t.eb, 64, i));
	ASSERT_EQ(0, rig_notify(t.eb, WEFT_NOTIFY_RQ));
	EXPECT_EQ(TWO_SLOTS, t.eb->status.rq_head);
	for (; i < 2 * TWO_SLOTS; i++)
		ASSERT_EQ(0, get(&t, t.eb, 64, i));
	ASSERT_EQ(0, rig_notify(t.eb, WEFT_NOTIFY_RQ));
	EXPECT_EQ(TWO_SLOTS, t.eb->status.rq_head);
	EXPECT_EQ(-EAGAIN, get(&t, t.eb, 64, i));
	for (i = 0; i < 2 * TWO_SLOTS; i++) {
		ASSERT_EQ(0, put(&t, 8));
		rig_run(t.rig, NSEC_PER_MSEC);
		ASSERT_EQ(1, rig_cq_read(t.cb, &e));
		EXPECT_EQ(i, e.context);
	}
	EXPECT_EQ(0, rig_cq_read(t.cb, &e));
	ASSERT_EQ(0, get(&t, t.eb, 64, i));
	rig_free(t.rig);
}

/*
 * An entry behind good ones cannot be decoded. The good ones count, the entries behind do not. The
 * endpoint is in error and says so once.
 */
TEST(post__corrupt)
{
	struct weft_rqe e = { .op = WEFT_RQ_RECV, .nslots = 0, .src = WEFT_SRC_ANY };
	struct weft_event ev;
	struct weft_cqe c;
	struct rig_eq *eq;
	struct rig_ep *ep;
	struct two t;

	two_init(&t, 1, 64, 0);
	eq = rig_eq_new(t.b);
	ep = rig_ep_new(t.b, WEFT_EP_RDM, 0, 16, 16, 9);
	ASSERT_EQ(0, rig_ep_enable(ep, t.cb, t.cb, eq, rig_av_new(t.b)));
	ASSERT_EQ(0, get(&t, ep, 64, 1));
	rig_put_rq(ep, &e, 1);
	rig_ring_rq(ep);
	rig_notify(ep, WEFT_NOTIFY_RQ);
	EXPECT_EQ(1, rig_counter(t.b->node, WEFT_CNT_bad_entries));
	EXPECT_TRUE(ep->status.flags & WEFT_ST_ERROR);
	ASSERT_EQ(1, rig_eq_read(eq, &ev, NULL));
	EXPECT_EQ(WEFT_EV_EP_ERROR, ev.type);
	EXPECT_EQ(EBADMSG, ev.status);
	EXPECT_EQ(ep->handle, ev.handle);
	rig_notify(ep, WEFT_NOTIFY_RQ);
	EXPECT_EQ(0, rig_eq_read(eq, &ev, NULL));
	EXPECT_EQ(1, rig_counter(t.b->node, WEFT_CNT_bad_entries));
	EXPECT_EQ(-EIO, get(&t, ep, 64, 2));
	/* posted receives are still there, and are canceled */
	ASSERT_EQ(0, rig_cancel(ep, 1));
	ASSERT_EQ(1, rig_cq_read(t.cb, &c));
	EXPECT_EQ(1, c.context);
	EXPECT_EQ(ECANCELED, c.status);
	EXPECT_EQ(0, rig_cq_read(t.cb, &c));
	rig_free(t.rig);
}

#define FEED	1000

/* For a while, a woken thread of the program reads all, and posts as much again. */
static struct {
	struct rig_ep *ep;
	u32 woken;
} feed;

static void feed_more(struct rig_cq *cq)
{
	if (feed.woken++ >= FEED)
		return;
	feed.ep->rq_tail = feed.ep->status.rq_head + feed.ep->rq_slots;
	WRITE_ONCE(feed.ep->doorbell.rq_tail, feed.ep->rq_tail);
	cq->head = cq->status.tail;
	WRITE_ONCE(cq->doorbell.head, cq->head);
	rig_cq_arm(cq);
}

/*
 * A notify call of a full queue ends while failing receives are posted as fast as they are
 * reported.
 */
TEST(post__refused_for_ever)
{
	struct weft_rqe e = { .op = 99, .nslots = 1, .src = WEFT_SRC_ANY };
	struct weft_out *out;
	struct rig_cq *cq;
	struct two t;
	bool more;
	u32 i;

	two_init(&t, 0, 64, 0);
	cq = rig_cq_new(t.b, 32);
	feed.ep = rig_ep_new(t.b, WEFT_EP_RDM, 0, 16, 64, 9);
	ASSERT_EQ(0, rig_ep_enable(feed.ep, cq, cq, NULL, rig_av_new(t.b)));
	for (i = 0; i < 4 * 64; i++) {
		rig_put_rq(feed.ep, &e, 1);
		rig_ring_rq(feed.ep);
		ASSERT_EQ(0, rig_notify(feed.ep, WEFT_NOTIFY_RQ));
		if (feed.ep->rq_tail - feed.ep->status.rq_head == feed.ep->rq_slots)
			break;
	}
	ASSERT_EQ(64 + 32, feed.ep->status.rq_head);
	cq->waker = feed_more;
	rig_cq_arm(cq);
	cq->head = cq->status.tail;
	WRITE_ONCE(cq->doorbell.head, cq->head);
	out = rig_out(t.b->node);
	more = weft_cq_notify(&cq->cq, rig_clock(t.b->node), out);
	rig_leave(t.b->node, out);
	/* the queue has been filled once; the reader sees that there is more */
	EXPECT_GT(10, feed.woken);
	EXPECT_TRUE(more);
	EXPECT_TRUE(cq->status.flags & WEFT_ST_CQ_NOTIFY);
	for (i = 0; more && i < 2 * FEED; i++) {
		out = rig_out(t.b->node);
		more = weft_cq_notify(&cq->cq, rig_clock(t.b->node), out);
		rig_leave(t.b->node, out);
	}
	EXPECT_LT(FEED, feed.woken);
	EXPECT_FALSE(more);
	cq->waker = NULL;
	rig_free(t.rig);
}

#define MANY	2048

/* An endpoint with many receives, and the most receives that searches have visited in one event. */
static struct {
	struct weft_ep *ep;
	u32 seen, most;
} search;

static void search_look(struct rig_node *node)
{
	search.most = max(search.most, search.ep->rx.match.steps - search.seen);
	search.seen = search.ep->rx.match.steps;
}

/* Once, in the way of an engine. */
static void poll_once(struct two *t, struct rig_ep *ep)
{
	struct weft_out *out = rig_out(t->b->node);

	weft_ep_poll(ep->ep, rig_clock(t->b->node), out);
	rig_leave(t->b->node, out);
	search_look(NULL);
}

static void put_many(struct rig_ep *ep, const struct weft_rqe *e, u32 n)
{
	while (n--)
		rig_put_rq(ep, e, 1);
	WRITE_ONCE(ep->doorbell.rq_tail, ep->rq_tail);
}

/*
 * Each cancel in the ring searches all posted receives in vain. No caller does that in one go. A
 * worker finishes it, and then processes the entries behind.
 */
TEST(post__long_searches)
{
	struct weft_rqe none = { .op = WEFT_RQ_CANCEL, .nslots = 1, .src = WEFT_SRC_ANY,
				 .tag = ~0ull };
	struct weft_rqe e = { .op = WEFT_RQ_TRECV, .nslots = 1, .src = WEFT_SRC_ANY, .niov = 1,
			      .flags = WEFT_RQ_COMPLETION, .len = 64, .tag = 1 };
	struct rig_op op = { .tagged = true, .n = 1, .tag = 2 };
	struct weft_cqe c;
	struct rig_ep *ep;
	struct two t;
	u32 i;

	two_init(&t, 0, 64, 0);
	ep = rig_ep_new(t.b, WEFT_EP_RDM, 0, 16, MANY, 9);
	ASSERT_EQ(0, rig_ep_enable(ep, t.cb, t.cb, NULL, rig_av_new(t.b)));
	op.peer = (u32)rig_av_insert(t.va, 0, 9, t.rig);
	op.iov[0] = (struct weft_iov){ (u64)(uintptr_t)t.buf, 8 };
	e.addr = (u64)(uintptr_t)t.room;
	memset(&search, 0, sizeof(search));
	search.ep = ep->ep;
	t.rig->check = search_look;
	put_many(ep, &e, MANY - 8);
	poll_once(&t, ep);
	/* a worker allocates the receives */
	rig_run(t.rig, SECOND);
	ASSERT_EQ(ep->rq_tail, ep->status.rq_head);
	EXPECT_EQ(0, search.most);

	put_many(ep, &none, MANY - 1);
	e.context = 77;
	e.tag = 2;
	put_many(ep, &e, 1);
	poll_once(&t, ep);
	i = ep->status.rq_head;
	EXPECT_GT(MANY / 2, (s32)(i - (MANY - 8)));
	/* neither the engine nor a message continues */
	poll_once(&t, ep);
	ASSERT_EQ(0, rig_send(t.ea, &op));
	EXPECT_EQ(i, ep->status.rq_head);
	EXPECT_FALSE(rig_cq_read(t.cb, &c));
	rig_run(t.rig, SECOND);
	EXPECT_EQ(ep->rq_tail, ep->status.rq_head);
	ASSERT_EQ(1, rig_cq_read(t.cb, &c));
	EXPECT_EQ(77, c.context);
	EXPECT_EQ(0, c.status);
	EXPECT_GT(80000, search.most);
	t.rig->check = NULL;

	/* the program's own call does it all, and so does a call that cancels */
	put_many(ep, &none, MANY);
	ASSERT_EQ(0, rig_notify(ep, WEFT_NOTIFY_RQ));
	EXPECT_EQ(ep->rq_tail, ep->status.rq_head);
	put_many(ep, &none, MANY - 1);
	put_many(ep, &e, 1);
	poll_once(&t, ep);
	EXPECT_NE(ep->rq_tail, ep->status.rq_head);
	ASSERT_EQ(0, rig_cancel(ep, 77));
	EXPECT_EQ(ep->rq_tail, ep->status.rq_head);
	ASSERT_EQ(1, rig_cq_read(t.cb, &c));
	EXPECT_EQ(77, c.context);
	EXPECT_EQ(ECANCELED, c.status);
	rig_free(t.rig);
}

/* Each message is looked up once for each ignore mask: receives with too many masks fail. */
TEST(post__ignore_masks)
{
	struct rig_op op = { .tagged = true, .n = 1, .flags = WEFT_RQ_COMPLETION };
	struct weft_cqe c;
	struct rig_ep *ep;
	struct two t;
	u32 i;

	two_init(&t, 0, 64, 0);
	ep = rig_ep_new(t.b, WEFT_EP_RDM, 0, 16, 256, 9);
	ASSERT_EQ(0, rig_ep_enable(ep, t.cb, t.cb, NULL, rig_av_new(t.b)));
	op.peer = WEFT_SRC_ANY;
	op.iov[0] = (struct weft_iov){ (u64)(uintptr_t)t.room, 8 };
	for (i = 0; i <= WEFT_MATCH_MASKS; i++) {
		op.context = i;
		op.tag = 1ull << 63;
		op.ignore = i + 1;
		ASSERT_EQ(0, rig_recv(ep, &op));
	}
	op.context = 100;
	op.ignore = ~0ull;
	ASSERT_EQ(0, rig_recv(ep, &op));
	op.peer = (u32)rig_av_insert(t.va, 0, 9, t.rig);
	op.iov[0].addr = (u64)(uintptr_t)t.buf;
	op.tag = 1ull << 62;
	op.flags = 0;
	ASSERT_EQ(0, rig_send(t.ea, &op));
	rig_run(t.rig, SECOND);
	ASSERT_EQ(1, rig_cq_read(t.cb, &c));
	EXPECT_EQ(WEFT_MATCH_MASKS, c.context);
	EXPECT_EQ(ENOSPC, c.status);
	ASSERT_EQ(1, rig_cq_read(t.cb, &c));
	EXPECT_EQ(100, c.context);
	EXPECT_EQ(0, c.status);
	rig_free(t.rig);
}

TEST_HARNESS_MAIN
