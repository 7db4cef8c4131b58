// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shared receive queues of connected endpoints: broken connections, graceful ends, the order of
 * completions, high watermarks; between nodes and within one
 */
#include "srq_fixture.h"

static struct rig_ep *connect_to(struct __test_metadata *_metadata, FIXTURE_DATA(srq) * self,
				 const FIXTURE_VARIANT(srq) * variant, struct rig_ep **to)
{
	static u16 svc = 900;
	struct rig_ep *pep = rig_ep_new(self->b, WEFT_EP_PASSIVE, 0, 0, 0, ++svc);
	struct rig_ep *ep = rig_ep_new(self->a, WEFT_EP_MSG, 0, 64, 16, 0);

	*to = rig_ep_new(self->b, WEFT_EP_MSG, WEFT_EPF_SRQ | WEFT_EPF_STRICT, 16, 0, 0);
	EXPECT_EQ(0, weft_ep_share((*to)->ep, self->srq->srq, NULL));
	EXPECT_EQ(0, rig_ep_enable(ep, self->ca, self->ca, self->peer_eq, NULL));
	EXPECT_EQ(0, rig_ep_enable(*to, self->cb, self->cb, self->conn_eq, NULL));
	EXPECT_EQ(0, rig_listen(pep, self->conn_eq, 4));
	EXPECT_EQ(0, rig_connect(ep, variant->node, svc, NULL, 0));
	EXPECT_EQ(WEFT_EV_CONNREQ, event(self->rig, self->conn_eq, &self->ev));
	EXPECT_EQ(0, rig_accept(*to, self->ev.conn, NULL, 0));
	EXPECT_EQ(WEFT_EV_CONNECTED, event(self->rig, self->peer_eq, &self->ev));
	EXPECT_EQ(WEFT_EV_CONNECTED, event(self->rig, self->conn_eq, &self->ev));
	return ep;
}

#define CONNECT(to)	connect_to(_metadata, self, variant, to)

TEST_F(srq, too_long_breaks_the_connection)
{
	struct rig_ep *ta, *tb, *a = CONNECT(&ta), *b = CONNECT(&tb);
	struct weft_cqe e;

	ASSERT_EQ(0, post_at(self->srq, self->buf, 10, 1));
	ASSERT_EQ(0, POST(2));
	ASSERT_EQ(0, send_to(a, 0, self->src, 11, WEFT_SQ_COMPLETION | WEFT_SQ_DELIVERY));
	ASSERT_TRUE(COMPLETION());
	EXPECT_EQ(EMSGSIZE, self->e.status);
	EXPECT_EQ(1, self->e.context);
	EXPECT_EQ(WEFT_EV_SHUTDOWN, event(self->rig, self->conn_eq, &self->ev));
	EXPECT_EQ(EMSGSIZE, self->ev.status);
	EXPECT_EQ(ta->handle, self->ev.handle);
	EXPECT_EQ(WEFT_EV_SRQ_LAST, event(self->rig, self->eq, &self->ev));
	EXPECT_EQ(ta->handle, self->ev.handle);
	EXPECT_EQ(WEFT_EV_SHUTDOWN, event(self->rig, self->peer_eq, &self->ev));
	ASSERT_TRUE(completion(self->rig, self->ca, &e));
	EXPECT_NE(0, e.status);
	/* the other connections are not affected */
	ASSERT_EQ(0, send_to(b, 0, self->src, 11, 0));
	ASSERT_TRUE(COMPLETION());
	EXPECT_EQ(0, self->e.status);
	EXPECT_EQ(2, self->e.context);
	EXPECT_EQ((u16)tb->handle, self->e.ep);
}

/* Long messages, which take time, and short ones that overtake them in the network. */
TEST_F(srq, completions_in_order)
{
	enum { N = 10, LEN = 100000 };
	struct rig_ep *ta, *a = CONNECT(&ta);
	u32 i, round;

	for (round = 0; round < 2; round++) {
		/* posted before, and after */
		for (i = 0; i < N && !round; i++)
			ASSERT_EQ(0, post_at(self->srq, self->buf + i * LEN, LEN, i));
		for (i = 0; i < N; i++)
			ASSERT_EQ(0, send_to(a, 0, self->src + i, i % 3 ? i % 3 * 7 - 7 : LEN, 0));
		if (round)
			SETTLE();
		for (i = 0; i < N && round; i++)
			ASSERT_EQ(0, post_at(self->srq, self->buf + i * LEN, LEN, i));
		for (i = 0; i < N; i++) {
			u32 len = i % 3 ? i % 3 * 7 - 7 : LEN;

			ASSERT_TRUE(COMPLETION());
			EXPECT_EQ(0, self->e.status);
			EXPECT_EQ(i, self->e.context);
			EXPECT_EQ(len, self->e.len);
			EXPECT_EQ(0, memcmp(self->buf + i * LEN, self->src + i, len));
		}
	}
	SETTLE();
	EXPECT_EQ(0, LOOK());
	EXPECT_EQ(0, self->info.held);
}

/* A send succeeds when a receive has taken it: a graceful end waits for that, too. */
TEST_F(srq, graceful)
{
	struct rig_ep *ta, *a = CONNECT(&ta);
	struct weft_cqe e;
	u32 i;

	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, send_to(a, 0, self->src + i, i == 1 ? 100000 : 8,
				     WEFT_SQ_COMPLETION | WEFT_SQ_DELIVERY));
	ASSERT_EQ(0, rig_shutdown_graceful(a));
	SETTLE();
	EXPECT_EQ(0, rig_cq_read(self->ca, &e));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, post_at(self->srq, self->buf + i * 100000, 100000, i));
		ASSERT_TRUE(COMPLETION());
		EXPECT_EQ(0, self->e.status);
		EXPECT_EQ(i, self->e.context);
		ASSERT_TRUE(completion(self->rig, self->ca, &e));
		EXPECT_EQ(0, e.status);
		EXPECT_EQ(0, memcmp(self->buf + i * 100000, self->src + i, self->e.len));
	}
	EXPECT_EQ(WEFT_EV_SHUTDOWN, event(self->rig, self->conn_eq, &self->ev));
	EXPECT_EQ(WEFT_EV_SHUTDOWN, event(self->rig, self->peer_eq, &self->ev));
}

/* The receiver ends in the middle of a message: it gets the rest, or its receive fails. */
TEST_F(srq, graceful_receiver)
{
	struct rig_ep *to, *a = CONNECT(&to);

	ASSERT_EQ(0, post_at(self->srq, self->buf, 1 << 20, 1));
	ASSERT_EQ(0, send_to(a, 0, self->src, 1 << 20, 0));
	while (variant->node && LOOK() > 0)
		rig_step(self->rig, rig_now(self->rig) + NSEC_PER_MSEC);
	ASSERT_EQ(0, rig_shutdown_graceful(to));
	ASSERT_TRUE(COMPLETION());
	EXPECT_EQ(1, self->e.context);
	EXPECT_TRUE(!self->e.status || self->e.status == ECONNRESET);
	EXPECT_EQ(WEFT_EV_SHUTDOWN, event(self->rig, self->conn_eq, &self->ev));
	EXPECT_EQ(WEFT_EV_SHUTDOWN, event(self->rig, self->peer_eq, &self->ev));
	EXPECT_EQ(0, rig_cq_read(self->cb, &self->e));
}

/* Receives on the queue stay there for the other endpoints; a waiting endpoint leaves. */
TEST_F(srq, disconnect)
{
	struct rig_ep *ta, *tb, *a = CONNECT(&ta), *b = CONNECT(&tb);

	ASSERT_EQ(0, send_to(a, 0, self->src, 8, 0));
	SETTLE();
	LOOK();
	EXPECT_EQ(1, self->info.waiting);
	ASSERT_EQ(0, rig_shutdown(a));
	EXPECT_EQ(WEFT_EV_SHUTDOWN, event(self->rig, self->conn_eq, &self->ev));
	EXPECT_EQ(0, self->ev.status);
	EXPECT_EQ(WEFT_EV_SRQ_LAST, event(self->rig, self->eq, &self->ev));
	ASSERT_EQ(0, POST(1));
	ASSERT_EQ(0, POST(2));
	EXPECT_EQ(2, LOOK());
	EXPECT_EQ(0, self->info.waiting);
	ASSERT_EQ(0, send_to(b, 0, self->src, 8, 0));
	ASSERT_TRUE(COMPLETION());
	EXPECT_EQ(1, self->e.context);
	EXPECT_EQ((u16)tb->handle, self->e.ep);
	rig_ep_free(tb);
	EXPECT_EQ(1, LOOK());
	EXPECT_EQ(EPS + 1, self->info.eps);
}

TEST_F(srq, high_watermarks)
{
	struct rig_ep *ta, *tb, *a = CONNECT(&ta), *b = CONNECT(&tb);
	struct weft_out *out = &self->rig->node[1].out;
	u32 held, span, i, n, flushed = 0;

	if (!variant->node)
		SKIP(return, "messages within a node do not linger");
	for (i = 0; i < 4; i++)
		ASSERT_EQ(0, post_at(self->srq, self->buf + (i << 18), 1 << 18, i));
	ASSERT_EQ(0, weft_ep_marks(ta->ep, 1, 2, rig_now(self->rig), out));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, send_to(a, 0, self->src, 1 << 18, 0));
		while (LOOK() > 3 - i)
			rig_step(self->rig, rig_now(self->rig) + NSEC_PER_MSEC);
		EXPECT_EQ(0, weft_ep_held(ta->ep, &held, &span));
		EXPECT_EQ(i < 2 ? i + 1 : 2, held);
		if (i == 0)
			EXPECT_FALSE(has_event(self->eq));
		if (i == 1) {
			ASSERT_TRUE(has_event(self->eq));
			ASSERT_EQ(1, rig_eq_read(self->eq, &self->ev, NULL));
			EXPECT_EQ(WEFT_EV_EP_HIGH, self->ev.type);
			EXPECT_EQ(ta->handle, self->ev.handle);
			/* at most this many are kept while the program reads none */
			for (n = 0; n < WEFT_EQ_MARKS; n++)
				ASSERT_EQ(0, weft_ep_marks(ta->ep, 1, 2, rig_now(self->rig), out));
			EXPECT_EQ(-ENOSPC, weft_ep_marks(ta->ep, 1, 2, rig_now(self->rig), out));
			rig_leave(&self->rig->node[1], out);
			EXPECT_EQ(WEFT_EQ_MARKS, self->eq->eq.marks);
		}
	}
	EXPECT_EQ(WEFT_EV_SHUTDOWN, event(self->rig, self->conn_eq, &self->ev));
	EXPECT_EQ(ENOBUFS, self->ev.status);
	EXPECT_EQ(ta->handle, self->ev.handle);
	while (rig_cq_read(self->cb, &self->e) == 1) {
		EXPECT_EQ(ECANCELED, self->e.status);
		flushed++;
	}
	EXPECT_EQ(3, flushed);
	ASSERT_EQ(0, send_to(b, 0, self->src, 1 << 18, 0));
	ASSERT_TRUE(COMPLETION());
	EXPECT_EQ(0, self->e.status);
	rig_ep_free(ta);
	EXPECT_EQ(0, self->eq->eq.marks);
	EXPECT_FALSE(has_event(self->eq));
}

TEST_HARNESS_MAIN
