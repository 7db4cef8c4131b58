// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls on shared receive queues, without memory and with a full queue
 *
 * Posting needs no allocation, nor does matching. Calls that need one return an error, and change
 * nothing. Endpoints may change to another queue before they are enabled.
 */
#include "core/api/internal.h"
#include "rig.h"
#include "harness.h"

#define ROOM	256
#define RECVS	32

FIXTURE(call)
{
	struct rig *rig;
	struct rig_proc *a, *b;
	struct rig_cq *ca, *cb;
	struct rig_ep *from, *to;
	struct rig_srq *srq;
	u32 dst;
	u8 *src, *buf;
};

FIXTURE_VARIANT(call)
{
	u32 node;
};

FIXTURE_VARIANT_ADD(call, remote) { .node = 1 };
FIXTURE_VARIANT_ADD(call, local) { .node = 0 };

FIXTURE_SETUP(call)
{
	struct rig_av *va, *vb;
	struct rig_conf conf;
	u32 i;

	rig_conf_default(&conf, 7);
	self->rig = rig_new(&conf);
	self->a = rig_proc_new(&self->rig->node[0]);
	self->b = rig_proc_new(&self->rig->node[variant->node]);
	self->ca = rig_cq_new(self->a, 256);
	self->cb = rig_cq_new(self->b, 256);
	self->srq = rig_srq_new(self->b, 64, RECVS, 0, NULL);
	va = rig_av_new(self->a);
	vb = rig_av_new(self->b);
	self->from = rig_ep_new(self->a, WEFT_EP_RDM, 0, 128, 16, 1);
	self->to = rig_ep_new(self->b, WEFT_EP_RDM, WEFT_EPF_SRQ, 16, 0, 10);
	self->dst = rig_av_insert(va, variant->node, 10, self->rig);
	if (weft_ep_share(self->to->ep, self->srq->srq, vb->av) ||
	    rig_ep_enable(self->to, self->cb, self->cb, NULL, vb) ||
	    rig_ep_enable(self->from, self->ca, self->ca, NULL, va))
		abort();
	self->src = rig_buf(self->a, RECVS * ROOM);
	self->buf = rig_buf(self->b, RECVS * ROOM);
	for (i = 0; i < RECVS * ROOM; i++)
		self->src[i] = i * 31 + (i >> 8);
}

FIXTURE_TEARDOWN(call)
{
	weft_host_fail_rate(0, 0);
	rig_free(self->rig);
}

static void operation(struct rig_op *op, u8 *p)
{
	op->n = 1;
	op->iov[0] = (struct weft_iov){ .addr = (uintptr_t)p, .len = ROOM };
}

static int send_nth(struct rig_ep *ep, u32 dst, u8 *src, u32 i)
{
	struct rig_op op = { .peer = dst };

	operation(&op, src + i * ROOM);
	return rig_send(ep, &op);
}

static int post_nth(struct rig_srq *srq, u8 *buf, u32 i)
{
	struct rig_op op = { .flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY, .context = i };

	operation(&op, buf + i * ROOM);
	return rig_srq_recv(srq, &op, NULL);
}

static bool has_completion(void *arg)
{
	struct rig_cq *cq = arg;

	return cq->status.tail != cq->head;
}

/* From now on all allocations fail, and each try is counted. */
static u64 starve(void)
{
	u64 failed = weft_host_failed();

	weft_host_fail_rate(1 << 16, 1);
	return failed;
}

/* Posts before any message: none allocates, and each is taken by a message that arrives. */
TEST_F(call, posts_without_memory)
{
	struct weft_srq_info info;
	struct weft_cqe e;
	u64 failed;
	u32 i;

	failed = starve();
	for (i = 0; i < RECVS; i++)
		ASSERT_EQ(0, post_nth(self->srq, self->buf, i));
	rig_srq_look(self->srq, &info);
	EXPECT_EQ(RECVS, info.available);
	EXPECT_EQ(failed, weft_host_failed());
	weft_host_fail_rate(0, 0);
	for (i = 0; i < RECVS; i++) {
		ASSERT_EQ(0, send_nth(self->from, self->dst, self->src, i));
		ASSERT_TRUE(rig_until(self->rig, has_completion, self->cb, NSEC_PER_SEC));
		ASSERT_EQ(1, rig_cq_read(self->cb, &e));
		EXPECT_EQ(0, e.status);
		EXPECT_EQ(i, e.context);
		EXPECT_EQ(0, memcmp(self->buf + i * ROOM, self->src + i * ROOM, ROOM));
	}
}

/* Waiting messages get the posted receives: that allocates nothing, either. */
TEST_F(call, served_without_memory)
{
	struct weft_cqe e;
	u64 failed;
	u32 i;

	for (i = 0; i < RECVS; i++)
		ASSERT_EQ(0, send_nth(self->from, self->dst, self->src, i));
	rig_run(self->rig, NSEC_PER_SEC);
	EXPECT_FALSE(has_completion(self->cb));
	failed = starve();
	for (i = 0; i < RECVS; i++) {
		ASSERT_EQ(0, post_nth(self->srq, self->buf, i));
		ASSERT_TRUE(has_completion(self->cb));
		ASSERT_EQ(1, rig_cq_read(self->cb, &e));
		EXPECT_EQ(0, e.status);
		EXPECT_EQ(i, e.context);
		EXPECT_EQ(0, memcmp(self->buf + i * ROOM, self->src + i * ROOM, ROOM));
	}
	EXPECT_EQ(failed, weft_host_failed());
}

/*
 * A queue cannot be made or armed without memory: the call says so, and existing queues continue.
 */
TEST_F(call, others_say_so)
{
	struct weft_cqe e;

	ASSERT_EQ(0, post_nth(self->srq, self->buf, 0));
	starve();
	EXPECT_EQ(NULL, rig_srq_new(self->b, 64, RECVS, 0, NULL));
	weft_host_fail_rate(0, 0);
	ASSERT_EQ(0, send_nth(self->from, self->dst, self->src, 0));
	ASSERT_TRUE(rig_until(self->rig, has_completion, self->cb, NSEC_PER_SEC));
	ASSERT_EQ(1, rig_cq_read(self->cb, &e));
	EXPECT_EQ(0, e.status);
}

/* The same for an existing queue: more receives, and events to come. */
TEST_F(call, changes_say_so)
{
	struct rig_eq *eq = rig_eq_new(self->b);
	struct rig_srq *srq = rig_srq_new(self->b, 64, RECVS, 0, eq);
	struct rig_ep *ep = rig_ep_new(self->b, WEFT_EP_RDM, WEFT_EPF_SRQ, 16, 0, 11);
	struct weft_srq_info info;
	struct weft_out *out;

	ASSERT_EQ(0, weft_ep_share(ep->ep, srq->srq, NULL));
	starve();
	EXPECT_EQ(-ENOMEM, rig_srq_resize(srq, 64, 2 * RECVS));
	EXPECT_EQ(-ENOMEM, rig_srq_arm(srq, 3));
	out = rig_out(self->b->node);
	EXPECT_EQ(-ENOMEM, weft_ep_marks(ep->ep, 3, 0, NSEC_PER_SEC, out));
	weft_host_fail_rate(0, 0);
	/* there is no event queue, and an endpoint without shared receives has no count */
	EXPECT_EQ(-EINVAL, weft_ep_marks(self->to->ep, 3, 0, NSEC_PER_SEC, out));
	EXPECT_EQ(-EINVAL, weft_ep_marks(self->from->ep, 0, 3, NSEC_PER_SEC, out));
	rig_leave(self->b->node, out);
	EXPECT_EQ(-EINVAL, rig_srq_arm(self->srq, 3));
	rig_srq_look(srq, &info);
	EXPECT_EQ(RECVS, info.recvs);
	EXPECT_EQ(0, info.low);
	EXPECT_EQ(0, rig_srq_arm(srq, 3));
}

/* All receives are in use. Entries of the old ring are moved into the new one, in order. */
TEST_F(call, resize_keeps_the_ring)
{
	struct weft_srq_info info;
	struct weft_cqe e;
	u32 i;

	for (i = 0; i < RECVS + 20; i++)
		ASSERT_EQ(0, post_nth(self->srq, self->buf, i % RECVS));
	rig_srq_look(self->srq, &info);
	EXPECT_EQ(RECVS, info.available);
	/* no space for them, then more than enough */
	EXPECT_EQ(-EBUSY, rig_srq_resize(self->srq, 16, RECVS));
	ASSERT_EQ(0, rig_srq_resize(self->srq, 128, RECVS));
	for (i = 0; i < RECVS + 20; i++) {
		ASSERT_EQ(0, send_nth(self->from, self->dst, self->src, i % RECVS));
		ASSERT_TRUE(rig_until(self->rig, has_completion, self->cb, NSEC_PER_SEC));
		ASSERT_EQ(1, rig_cq_read(self->cb, &e));
		EXPECT_EQ(0, e.status);
		EXPECT_EQ(i % RECVS, e.context);
	}
	rig_srq_look(self->srq, &info);
	EXPECT_EQ(0, info.available);
}

/* Canceled receives complete, or stay. */
/* All receives are posted and fit no message; the next entry does, and has no receive yet. */
TEST_F(call, resize_serves)
{
	struct rig_op op = { .tagged = true, .flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY,
			     .tag = 1 };
	struct weft_cqe e;
	u32 i;

	for (i = 0; i < RECVS; i++)
		ASSERT_EQ(0, rig_srq_recv(self->srq, &op, NULL));
	op.tag = 2;
	op.context = 77;
	ASSERT_EQ(0, rig_srq_recv(self->srq, &op, NULL));
	op = (struct rig_op){ .tagged = true, .tag = 2, .peer = self->dst };
	ASSERT_EQ(0, rig_send(self->from, &op));
	rig_run(self->rig, NSEC_PER_SEC);
	ASSERT_EQ(0, rig_cq_read(self->cb, &e));
	ASSERT_EQ(0, rig_srq_resize(self->srq, 128, RECVS + 4));
	ASSERT_TRUE(rig_until(self->rig, has_completion, self->cb, NSEC_PER_SEC));
	ASSERT_EQ(1, rig_cq_read(self->cb, &e));
	EXPECT_EQ(77, e.context);
}

TEST_F(call, cancel_without_room)
{
	struct rig_cq *small = rig_cq_new(self->b, 16);
	struct weft_cqe e;
	u32 i;

	for (i = 0; i < 17; i++)
		ASSERT_EQ(0, post_nth(self->srq, self->buf, i));
	for (i = 0; i < 16; i++)
		ASSERT_EQ(0, rig_srq_cancel(self->srq, small, i));
	EXPECT_EQ(-EAGAIN, rig_srq_cancel(self->srq, small, 16));
	EXPECT_EQ(0, rig_srq_cancel(self->srq, small, 77));
	for (i = 0; i < 16; i++) {
		ASSERT_EQ(1, rig_cq_read(small, &e));
		EXPECT_EQ(ECANCELED, e.status);
		EXPECT_EQ(i, e.context);
	}
	ASSERT_EQ(0, send_nth(self->from, self->dst, self->src, 0));
	ASSERT_TRUE(rig_until(self->rig, has_completion, self->cb, NSEC_PER_SEC));
	ASSERT_EQ(1, rig_cq_read(self->cb, &e));
	EXPECT_EQ(16, e.context);
}

/* Before it is enabled an endpoint may change to another queue, or to none. */
TEST_F(call, another_queue)
{
	struct rig_ep *ep = rig_ep_new(self->b, WEFT_EP_RDM, WEFT_EPF_SRQ, 16, 0, 11);
	struct rig_srq *other = rig_srq_new(self->b, 64, RECVS, 0, NULL);
	struct weft_srq_info info;
	u32 held, span;

	rig_srq_look(self->srq, &info);
	EXPECT_EQ(1, info.eps);
	ASSERT_EQ(0, weft_ep_share(ep->ep, self->srq->srq, NULL));
	rig_srq_look(self->srq, &info);
	EXPECT_EQ(2, info.eps);
	ASSERT_EQ(0, weft_ep_share(ep->ep, other->srq, NULL));
	rig_srq_look(self->srq, &info);
	EXPECT_EQ(1, info.eps);
	rig_srq_look(other, &info);
	EXPECT_EQ(1, info.eps);
	EXPECT_EQ(0, weft_ep_held(ep->ep, &held, &span));
	EXPECT_EQ(0, held + span);
	ASSERT_EQ(0, weft_ep_share(ep->ep, NULL, NULL));
	rig_srq_look(other, &info);
	EXPECT_EQ(0, info.eps);
	rig_ep_free(ep);
	rig_srq_free(other);
}

/* Marks that were set for another queue: no event reports them any more. */
TEST_F(call, marks_of_another_queue)
{
	struct rig_ep *ep = rig_ep_new(self->b, WEFT_EP_RDM, WEFT_EPF_SRQ, 16, 0, 11);
	struct rig_srq *heard = rig_srq_new(self->b, 64, RECVS, 0, rig_eq_new(self->b));
	struct rig_srq *srq = rig_srq_new(self->b, 64, RECVS, 0, NULL);
	struct rig_av *va = rig_av_new(self->a), *vb = rig_av_new(self->b);
	struct rig_ep *from = rig_ep_new(self->a, WEFT_EP_RDM, 0, 128, 16, 2);
	struct rig_cq *cq = rig_cq_new(self->b, 16);
	struct weft_out *out;
	u32 i, held, span;

	ASSERT_EQ(0, rig_av_insert(va, variant->node, 11, self->rig));
	ASSERT_EQ(0, rig_ep_enable(from, self->ca, self->ca, NULL, va));
	/* the same as a first WEFT_IOC_EP_ENABLE that fails does, and a second one */
	ASSERT_EQ(0, weft_ep_share(ep->ep, heard->srq, vb->av));
	out = rig_out(self->b->node);
	EXPECT_EQ(0, weft_ep_marks(ep->ep, 1, 1, NSEC_PER_SEC, out));
	rig_leave(self->b->node, out);
	ASSERT_EQ(0, weft_ep_share(ep->ep, NULL, NULL));
	ASSERT_EQ(0, weft_ep_share(ep->ep, srq->srq, vb->av));
	ASSERT_EQ(0, rig_ep_enable(ep, cq, cq, NULL, vb));
	/* the queue holds more than that: their completions wait */
	for (i = 0; i < 16 + 4; i++) {
		ASSERT_EQ(0, post_nth(srq, self->buf, i));
		ASSERT_EQ(0, send_nth(from, 0, self->src, 0));
	}
	rig_run(self->rig, NSEC_PER_SEC);
	ASSERT_EQ(0, weft_ep_held(ep->ep, &held, &span));
	EXPECT_LT(1, held);
}

/*
 * For a while, a thread of the program refills a ring with receives that are refused. It reads
 * their completions whenever the core reads one of the receives.
 */
#define FEED	5000

static struct {
	struct rig_srq *srq;
	struct rig_cq *cq;
	u32 asked, most, seen;
} feed;

static void feed_more(struct rig_proc *proc)
{
	if (feed.asked++ >= FEED)
		return;
	feed.srq->rq_tail = feed.srq->status.rq_head + feed.srq->rq_slots;
	WRITE_ONCE(feed.srq->doorbell.rq_tail, feed.srq->rq_tail);
	feed.cq->head = feed.cq->status.tail;
	WRITE_ONCE(feed.cq->doorbell.head, feed.cq->head);
}

/* After each event: the number of receives read in it. */
static void feed_look(struct rig_node *node)
{
	feed.most = max(feed.most, feed.asked - feed.seen);
	feed.seen = feed.asked;
}

/*
 * An entry into the core ends, though refused receives are posted as fast as the core reads them.
 */
TEST_F(call, refused_for_ever)
{
	struct rig_ep *to = rig_ep_new(self->b, WEFT_EP_RDM, WEFT_EPF_SRQ, 16, 0, 11);
	struct rig_srq *srq = rig_srq_new(self->b, 64, 4, 1, NULL);
	struct rig_av *va = rig_av_new(self->a), *vb = rig_av_new(self->b);
	struct rig_ep *from = rig_ep_new(self->a, WEFT_EP_RDM, 0, 128, 16, 2);
	struct weft_rqe bad = {
		.op = WEFT_RQ_REGION, .nslots = 1, .src = WEFT_SRC_ANY, .niov = 1, .len = ROOM,
		.flags = WEFT_RQ_COMPLETION, .addr = (uintptr_t)self->buf, .tag = 2,
	}, good = bad;
	struct weft_cqe e;
	u32 i, first;

	ASSERT_EQ(0, weft_ep_share(to->ep, srq->srq, vb->av));
	ASSERT_EQ(0, rig_ep_enable(to, self->cb, self->cb, NULL, vb));
	ASSERT_EQ(0, rig_ep_enable(from, self->ca, self->ca, NULL, va));
	ASSERT_EQ(0, rig_av_insert(va, variant->node, 11, self->rig));
	self->b->keys[0] = (struct rig_key){ .seg = { bad.addr, bad.len }, .zone = 1 };
	good.tag = 1;
	/* the message waits when they are posted, or they are posted when it arrives */
	for (first = 0; first < 2; first++) {
		memset(&feed, 0, sizeof(feed));
		feed.srq = srq;
		feed.cq = self->cb;
		self->b->asked = feed_more;
		self->rig->check = feed_look;
		if (first) {
			ASSERT_EQ(0, send_nth(from, 0, self->src, first));
			rig_run(self->rig, NSEC_PER_SEC);
			ASSERT_EQ(0, feed.asked);
		}
		for (i = 0; i < srq->rq_slots; i++)
			srq->rq[i] = bad;
		srq->rq_tail += 16;
		rig_srq_put(srq, &bad, 1);
		feed_look(self->b->node);
		if (!first)
			ASSERT_EQ(0, send_nth(from, 0, self->src, first));
		feed_look(self->b->node);
		rig_run(self->rig, NSEC_PER_SEC);
		self->rig->check = NULL;
		self->b->asked = NULL;
		EXPECT_LE(FEED, feed.asked);
		EXPECT_GT(300, feed.most);
		/* the message gets the first receive that is not refused */
		rig_run(self->rig, NSEC_PER_SEC);
		while (has_completion(self->cb)) {
			ASSERT_EQ(1, rig_cq_read(self->cb, &e));
			EXPECT_EQ(EACCES, e.status);
		}
		rig_srq_put(srq, &good, 1);
		ASSERT_TRUE(rig_until(self->rig, has_completion, self->cb, NSEC_PER_SEC));
		ASSERT_EQ(1, rig_cq_read(self->cb, &e));
		EXPECT_EQ(0, e.status);
		EXPECT_EQ(0, memcmp(self->buf, self->src + first * ROOM, ROOM));
	}
}

TEST_HARNESS_MAIN
