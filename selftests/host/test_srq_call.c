// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls on shared receive queues while there is no memory: what is posted needs none, nor does its
 * way to a message; what does need some says so, and changes nothing
 */
#include "core/proto.h"
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

/* From now on no allocation succeeds, and each that is tried is counted. */
static u64 starve(void)
{
	u64 failed = weft_host_failed();

	weft_host_fail_rate(1 << 16, 1);
	return failed;
}

/* Posts before any message: none asks for memory, and each is taken by a message that comes. */
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

/* Messages that wait are given to what is posted: that needs none, either. */
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

/* A queue cannot be made or armed without memory: that is said, and what there is goes on. */
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

TEST_HARNESS_MAIN
