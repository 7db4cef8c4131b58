// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an administrator ends: endpoints. test_gone.c ends paths.
 *
 * The program sees an error for each operation, whether it posted the operation before or later.
 * The peers see that the endpoint has gone.
 */
#include "cm_fixture.h"
#include "two.h"

#define SEC	((weft_ns)NSEC_PER_SEC)

/* End the endpoint of @proc with @service. Return: as weft_core_ep_end(). */
static int end_used(struct rig_proc *proc, u16 service, bool used)
{
	struct rig_node *node = proc->node;
	struct weft_out *out = rig_out(node);
	struct weft_sockaddr addr = node->core.addr[0];
	int ret;

	addr.port = cpu_to_be16(service);
	ret = weft_core_ep_end(&node->core, &addr, used, ECONNABORTED, rig_clock(node), out);
	rig_leave(node, out);
	return ret;
}

static int end(struct rig_proc *proc, u16 service)
{
	return end_used(proc, service, true);
}

/* Store an entry in the send ring, of a program that has not seen the flag. */
static void late_send(struct two *t, u64 context)
{
	struct weft_sqe e = { .op = WEFT_SQ_SEND, .nslots = 1, .flags = WEFT_SQ_COMPLETION,
			      .dst = t->to, .context = context };

	rig_put_sq(t->ea, &e, 1);
	rig_ring_sq(t->ea);
}

/* The same for the receive ring. */
static void late_recv(struct two *t, u64 context)
{
	struct weft_rqe e = { .op = WEFT_RQ_RECV, .nslots = 1, .flags = WEFT_RQ_COMPLETION,
			      .src = WEFT_SRC_ANY, .context = context, .niov = 1,
			      .addr = (uintptr_t)t->room, .len = 100 };

	rig_put_rq(t->eb, &e, 1);
	rig_ring_rq(t->eb);
}

FIXTURE(end)
{
	struct two t;
};

FIXTURE_VARIANT(end)
{
	u32 dst;
};

FIXTURE_VARIANT_ADD(end, between) { .dst = 1 };
FIXTURE_VARIANT_ADD(end, within) { .dst = 0 };

FIXTURE_SETUP(end)
{
	two_init(&self->t, variant->dst, 64, 0);
}

FIXTURE_TEARDOWN(end)
{
	rig_free(self->t.rig);
}

/* The receiver's endpoint ends: receives, messages that wait, messages that come later. */
TEST_F(end, receiver)
{
	struct two *t = &self->t;
	const struct rig_note *note = &t->b->node->note[WEFT_NOTE_EP_KILLED];
	u16 service = rig_ep_service(t->eb);

	/* one message is received, one waits for a receive */
	ASSERT_EQ(0, two_get(t, t->room, 100, 11));
	ASSERT_EQ(0, two_put(t, t->buf, 100, 1, 0));
	EXPECT_EQ(0, two_status(t, t->cb, 11, SEC));
	EXPECT_EQ(0, two_status(t, t->ca, 1, 0));
	ASSERT_EQ(0, two_put(t, t->buf, TWO_LONG, 2, 0));
	rig_run(t->rig, SEC);
	EXPECT_EQ(-ENOENT, end(t->b, service + 1));
	EXPECT_EQ(-EBUSY, end_used(t->b, service, false));
	EXPECT_EQ(0, end(t->b, service));
	EXPECT_EQ(ECONNREFUSED, two_status(t, t->ca, 2, SEC));
	EXPECT_EQ(-EALREADY, end(t->b, service));
	/* what succeeded is reported */
	EXPECT_EQ(1, note->count);
	EXPECT_EQ(ECONNABORTED, note->last.err);
	EXPECT_EQ(service, note->last.to);
	EXPECT_EQ(t->eb->ep->conf.uid, note->last.uid);
	EXPECT_TRUE(weft_addr_same_node(&t->b->node->core.addr[0], &note->addr));
	/* its program may post no more; what it has posted meanwhile ends */
	EXPECT_EQ(-EIO, two_get(t, t->room, 100, 12));
	late_recv(t, 13);
	EXPECT_EQ(ECONNABORTED, two_status(t, t->cb, 13, SEC));
	/* a peer that goes on */
	ASSERT_EQ(0, two_put(t, t->buf, 100, 3, WEFT_SQ_DELIVERY));
	EXPECT_EQ(ECONNREFUSED, two_status(t, t->ca, 3, 10 * SEC));
	/* the service is free when the program closes the endpoint */
	rig_ep_free(t->eb);
	t->eb = rig_ep_new(t->b, WEFT_EP_RDM, 0, 64, 64, service);
	ASSERT_EQ(0, rig_ep_enable(t->eb, t->cb, t->cb, NULL, rig_av_new(t->b)));
}

/* A receive that waits, and one that has met a long message. */
TEST_F(end, receives)
{
	struct two *t = &self->t;

	two_slow(t);
	ASSERT_EQ(0, two_get(t, t->room, TWO_LONG, 11));
	ASSERT_EQ(0, two_get(t, t->room, 100, 12));
	ASSERT_EQ(0, two_put(t, t->buf, TWO_LONG, 1, 0));
	rig_run(t->rig, MS / 4);
	EXPECT_EQ(0, end(t->b, rig_ep_service(t->eb)));
	/* in any order: the first one may wait for memory */
	rig_run(t->rig, SEC);
	for (u32 seen = 0, i = 0; i < 2; i++) {
		struct weft_cqe e;

		ASSERT_EQ(1, rig_cq_read(t->cb, &e));
		EXPECT_EQ(ECONNABORTED, e.status);
		EXPECT_EQ(0, seen & 1u << (e.context - 11));
		seen |= 1u << (e.context - 11);
		EXPECT_TRUE(e.context == 11 || e.context == 12);
	}
	EXPECT_NE(0, two_status(t, t->ca, 1, 10 * SEC));
}

/* The sender's endpoint ends: sends under way, and those that it posts later. */
TEST_F(end, sender)
{
	struct two *t = &self->t;

	/* it waits for a receive */
	ASSERT_EQ(0, two_put(t, t->buf, TWO_LONG, 1, 0));
	rig_run(t->rig, SEC);
	EXPECT_EQ(0, end(t->a, rig_ep_service(t->ea)));
	EXPECT_EQ(ECONNABORTED, two_status(t, t->ca, 1, SEC));
	EXPECT_EQ(-EIO, two_put(t, t->buf, 100, 2, 0));
	late_send(t, 3);
	EXPECT_EQ(ECONNABORTED, two_status(t, t->ca, 3, SEC));
	late_send(t, 4);
	EXPECT_EQ(ECONNABORTED, two_status(t, t->ca, 4, SEC));
	EXPECT_EQ(-1, two_status(t, t->ca, 0, SEC));
}

/* An engine has polled the rings: from now on the program notifies. */
TEST_F(end, polled)
{
	struct two *t = &self->t;

	ASSERT_TRUE(weft_ep_hot(t->ea->ep));
	ASSERT_TRUE(weft_ep_hot(t->eb->ep));
	/* no engine has seen them */
	ASSERT_EQ(0, two_put(t, t->buf, 100, 1, 0));
	ASSERT_EQ(0, two_get(t, t->room, 100, 11));
	EXPECT_EQ(0, end(t->a, rig_ep_service(t->ea)));
	EXPECT_EQ(0, end(t->b, rig_ep_service(t->eb)));
	EXPECT_EQ(ECONNABORTED, two_status(t, t->ca, 1, SEC));
	EXPECT_EQ(ECONNABORTED, two_status(t, t->cb, 11, 0));
	late_send(t, 2);
	late_recv(t, 12);
	EXPECT_EQ(ECONNABORTED, two_status(t, t->ca, 2, SEC));
	EXPECT_EQ(ECONNABORTED, two_status(t, t->cb, 12, 0));
	weft_ep_cool(t->ea->ep);
	weft_ep_cool(t->eb->ep);
	late_send(t, 3);
	EXPECT_EQ(ECONNABORTED, two_status(t, t->ca, 3, SEC));
}

/* The peer of a connection sees its end. */
TEST_F(cm, ended_by_administrator)
{
	ASSERT_EQ(0, ask(self->rig, &self->a, peer(self), NULL));
	ASSERT_EQ(WEFT_EV_CONNREQ, EVENT(&self->b));
	ASSERT_EQ(0, rig_accept(self->b.ep, self->ev.conn, NULL, 0));
	ASSERT_EQ(WEFT_EV_CONNECTED, EVENT(&self->a));
	ASSERT_EQ(WEFT_EV_CONNECTED, EVENT(&self->b));
	EXPECT_EQ(0, end(self->a.proc, rig_ep_service(self->a.ep)));
	ASSERT_EQ(WEFT_EV_EP_ERROR, EVENT(&self->a));
	EXPECT_EQ(ECONNABORTED, self->ev.status);
	EXPECT_EQ(WEFT_EV_SHUTDOWN, EVENT(&self->b));
}

/* A listener that ends refuses what waits, and what comes. */
TEST_F(cm, listener_ended)
{
	ASSERT_EQ(0, ask(self->rig, &self->a, peer(self), NULL));
	ASSERT_EQ(WEFT_EV_CONNREQ, EVENT(&self->b));
	EXPECT_EQ(0, end(self->b.proc, SVC));
	ASSERT_EQ(WEFT_EV_CONN_FAILED, EVENT(&self->a));
	EXPECT_EQ(ECONNREFUSED, self->ev.status);
	EXPECT_EQ(WEFT_EV_EP_ERROR, EVENT(&self->b));
	self->a.ep = side_msg(&self->a);
	ASSERT_EQ(0, ask(self->rig, &self->a, peer(self), NULL));
	ASSERT_EQ(WEFT_EV_CONN_FAILED, EVENT(&self->a));
	EXPECT_EQ(ECONNREFUSED, self->ev.status);
}

TEST_HARNESS_MAIN
