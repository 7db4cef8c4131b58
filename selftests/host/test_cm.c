// SPDX-License-Identifier: GPL-2.0-only
/*
 * Connections: between nodes, within a node, and over a bad link
 */
#include "cm_fixture.h"

/* Connect both sides. */
static bool connected(struct rig *rig, struct side *a, struct side *b)
{
	struct weft_event ev;

	return !ask(rig, a, b->proc->node->index, NULL) &&
	       side_event(rig, b, &ev, NULL, 10ull * NSEC_PER_SEC) == WEFT_EV_CONNREQ &&
	       !rig_accept(b->ep, ev.conn, NULL, 0) &&
	       side_event(rig, a, &ev, NULL, 10ull * NSEC_PER_SEC) == WEFT_EV_CONNECTED &&
	       side_event(rig, b, &ev, NULL, 10ull * NSEC_PER_SEC) == WEFT_EV_CONNECTED;
}

static int post(struct side *s, bool send, u8 *buf, u32 len, u64 context)
{
	struct rig_op op = {
		.flags = send ? WEFT_SQ_COMPLETION : WEFT_RQ_COMPLETION,
		.peer = send ? 0 : WEFT_SRC_ANY,
		.context = context,
		.n = 1,
	};

	op.iov[0] = (struct weft_iov){ .addr = (uintptr_t)buf, .len = len };
	return send ? rig_send(s->ep, &op) : rig_recv(s->ep, &op);
}

static bool has_completion(void *arg)
{
	struct rig_cq *cq = arg;

	return cq->status.tail != cq->head;
}

static bool completion(struct rig *rig, struct side *s, struct weft_cqe *e)
{
	return rig_until(rig, has_completion, s->cq, 10ull * NSEC_PER_SEC) &&
	       rig_cq_read(s->cq, e) == 1;
}

/* ---- The normal case ------------------------------------------------- */

TEST_F(cm, accept)
{
	struct weft_sockaddr addr;
	struct weft_cqe e;
	u8 *src, *dst;

	ASSERT_EQ(0, ask(self->rig, &self->a, peer(self), "hello"));
	EXPECT_EQ(WEFT_EPS_CONNECTING, side_state(self->a.ep));
	ASSERT_EQ(WEFT_EV_CONNREQ, EVENT(&self->b));
	EXPECT_EQ(self->pep->handle, self->ev.handle);
	EXPECT_EQ(5, self->ev.data_len);
	EXPECT_EQ(0, memcmp("hello", self->data, 5));
	weft_ep_getname(self->a.ep->ep, &addr);
	EXPECT_TRUE(weft_addr_eq(&addr, &self->ev.addr));
	ASSERT_EQ(0, rig_accept(self->b.ep, self->ev.conn, "welcome", 7));
	EXPECT_NE(0, rig_accept(self->b.ep, self->ev.conn, NULL, 0));
	ASSERT_EQ(WEFT_EV_CONNECTED, EVENT(&self->a));
	EXPECT_EQ(self->a.ep->handle, self->ev.handle);
	EXPECT_EQ(7, self->ev.data_len);
	EXPECT_EQ(0, memcmp("welcome", self->data, 7));
	ASSERT_EQ(WEFT_EV_CONNECTED, EVENT(&self->b));
	EXPECT_EQ(self->b.ep->handle, self->ev.handle);
	EXPECT_EQ(WEFT_EPS_CONNECTED, side_state(self->a.ep));
	EXPECT_EQ(WEFT_EPS_CONNECTED, side_state(self->b.ep));
	EXPECT_EQ(WEFT_ST_CONNECTED, self->a.ep->status.flags & WEFT_ST_CONNECTED);
	EXPECT_EQ(0, weft_ep_getpeer(self->b.ep->ep, &self->ev.addr));
	EXPECT_TRUE(weft_addr_eq(&addr, &self->ev.addr));

	src = rig_buf(self->a.proc, 100);
	dst = rig_buf(self->b.proc, 100);
	memset(src, 0x77, 100);
	ASSERT_EQ(0, post(&self->b, false, dst, 100, 1));
	ASSERT_EQ(0, post(&self->a, true, src, 100, 2));
	ASSERT_TRUE(completion(self->rig, &self->a, &e));
	EXPECT_EQ(2, e.context);
	EXPECT_EQ(0, e.status);
	ASSERT_TRUE(completion(self->rig, &self->b, &e));
	EXPECT_EQ(1, e.context);
	EXPECT_EQ(0, e.status);
	EXPECT_EQ(0, memcmp(src, dst, 100));

	ASSERT_EQ(0, post(&self->b, false, dst, 100, 3));
	ASSERT_EQ(0, rig_shutdown(self->a.ep));
	EXPECT_EQ(0, rig_shutdown(self->a.ep));
	EXPECT_EQ(WEFT_EV_SHUTDOWN, EVENT(&self->b));
	EXPECT_EQ(WEFT_EV_SHUTDOWN, EVENT(&self->a));
	EXPECT_EQ(WEFT_ST_SHUT, self->b.ep->status.flags & (WEFT_ST_SHUT | WEFT_ST_CONNECTED));
	ASSERT_TRUE(completion(self->rig, &self->b, &e));
	EXPECT_EQ(3, e.context);
	EXPECT_EQ(ECANCELED, e.status);
	EXPECT_EQ(0, rig_shutdown(self->b.ep));
	EXPECT_TRUE(NO_EVENT(&self->a));
	EXPECT_TRUE(NO_EVENT(&self->b));
	EXPECT_EQ(-EBUSY, ask(self->rig, &self->a, peer(self), NULL));
	EXPECT_EQ(-ENOTCONN, weft_ep_getpeer(self->a.ep->ep, &addr));
	/* only the endpoints' own memory is left */
	EXPECT_TRUE(weft_list_empty(&self->rig->node[0].core.local->cm.conns));
}

TEST_F(cm, refused)
{
	u8 *buf = rig_buf(self->a.proc, 100);
	struct weft_cqe e;
	u32 i;

	ASSERT_EQ(0, post(&self->a, false, buf, 100, 0));
	ASSERT_EQ(0, rig_connect(self->a.ep, peer(self), SVC + 1, NULL, 0));
	ASSERT_EQ(WEFT_EV_CONN_FAILED, EVENT(&self->a));
	EXPECT_EQ(ECONNREFUSED, self->ev.status);
	for (i = 0; i < 2; i++) {
		/* receives end, also those posted too late */
		ASSERT_TRUE(completion(self->rig, &self->a, &e));
		EXPECT_EQ(i, e.context);
		EXPECT_EQ(i ? ENOTCONN : ECANCELED, e.status);
		ASSERT_EQ(0, post(&self->a, false, buf, 100, 1));
	}
	/* an endpoint that does not listen */
	self->a.ep = side_msg(&self->a);
	ASSERT_EQ(0, rig_connect(self->a.ep, peer(self), rig_ep_service(self->b.ep), NULL, 0));
	ASSERT_EQ(WEFT_EV_CONN_FAILED, EVENT(&self->a));
	EXPECT_EQ(ECONNREFUSED, self->ev.status);
	EXPECT_TRUE(NO_EVENT(&self->b));
}

/* The endpoint of a side is a new one, for one-sided operations. */
static bool side_rma(struct side *s)
{
	rig_ep_free(s->ep);
	s->ep = rig_ep_new(s->proc, WEFT_EP_MSG, WEFT_EPF_RMA | WEFT_EPF_REMOTE_WRITE, 64, 64, 0);
	return s->ep && !rig_ep_enable(s->ep, s->cq, s->cq, s->eq, NULL);
}

/* The requester writes as soon as it is connected: the operation may overtake RTU. */
TEST_F(cm, write_at_once)
{
	struct weft_region_conf conf = { .key = 9, .n = 1, .len = 64,
					 .access = WEFT_REGION_WRITE };
	struct rig_rma op = { .write = true, .flags = WEFT_SQ_COMPLETION, .n = 1, .nrem = 1 };
	u8 *src = rig_buf(self->a.proc, 64), *dst = rig_buf(self->b.proc, 64);
	struct weft_cqe e;
	u32 i;

	conf.seg[0] = (struct weft_iov){ (uintptr_t)dst, 64 };
	ASSERT_EQ(0, weft_region_new(&self->b.proc->domain, &conf));
	op.iov[0] = (struct weft_iov){ (uintptr_t)src, 64 };
	op.rem[0] = (struct weft_rma_iov){ .len = 64, .key = 9 };
	for (i = 0; i < 40; i++) {
		ASSERT_TRUE(side_rma(&self->a) && side_rma(&self->b));
		memset(src, (int)i + 1, 64);
		ASSERT_EQ(0, ask(self->rig, &self->a, peer(self), NULL));
		ASSERT_EQ(WEFT_EV_CONNREQ, EVENT(&self->b));
		ASSERT_EQ(0, rig_accept(self->b.ep, self->ev.conn, NULL, 0));
		ASSERT_EQ(WEFT_EV_CONNECTED, EVENT(&self->a));
		op.context = i;
		ASSERT_EQ(0, rig_rma(self->a.ep, &op));
		ASSERT_TRUE(completion(self->rig, &self->a, &e)) TH_LOG("connection %u", i);
		ASSERT_EQ(0, e.status) TH_LOG("connection %u", i);
		EXPECT_EQ(i, e.context);
		EXPECT_EQ(0, memcmp(src, dst, 64));
		ASSERT_EQ(WEFT_EV_CONNECTED, EVENT(&self->b));
	}
}

/* Messages that have arrived can be received after SHUTDOWN. */
TEST_F(cm, late_receive)
{
	struct weft_cqe e;
	u8 *src, *dst;

	ASSERT_TRUE(connected(self->rig, &self->a, &self->b));
	src = rig_buf(self->a.proc, 5000);
	dst = rig_buf(self->b.proc, 5000);
	memset(src, 0x33, 5000);
	ASSERT_EQ(0, post(&self->a, true, src, 5000, 1));
	ASSERT_EQ(0, rig_shutdown(self->a.ep));
	ASSERT_EQ(WEFT_EV_SHUTDOWN, EVENT(&self->b));
	ASSERT_EQ(0, post(&self->b, false, dst, 5000, 2));
	ASSERT_TRUE(completion(self->rig, &self->b, &e));
	EXPECT_EQ(2, e.context);
	EXPECT_EQ(0, e.status);
	EXPECT_EQ(0, memcmp(src, dst, 5000));
	ASSERT_EQ(0, post(&self->b, false, dst, 5000, 3));
	ASSERT_TRUE(completion(self->rig, &self->b, &e));
	EXPECT_EQ(3, e.context);
	EXPECT_EQ(ENOTCONN, e.status);
}

/* Messages sent before arrive before SHUTDOWN. */
TEST_F(cm, flush)
{
	enum { N = 50 };
	u64 seen = 0;
	struct weft_cqe e;
	u8 *src, *dst;
	u32 i;

	ASSERT_TRUE(connected(self->rig, &self->a, &self->b));
	src = rig_buf(self->a.proc, N * 1000);
	dst = rig_buf(self->b.proc, N * 1000);
	for (i = 0; i < N * 1000; i++)
		src[i] = i / 1000 + i;
	for (i = 0; i < N; i++)
		ASSERT_EQ(0, post(&self->b, false, dst + i * 1000, 1000, i));
	for (i = 0; i < N; i++)
		ASSERT_EQ(0, post(&self->a, true, src + i * 1000, 1000, i));
	ASSERT_EQ(0, rig_shutdown(self->a.ep));
	EXPECT_EQ(WEFT_EV_SHUTDOWN, EVENT(&self->b));
	for (i = 0; i < N; i++) {
		ASSERT_EQ(1, rig_cq_read(self->b.cq, &e));
		EXPECT_EQ(0, e.status);
		seen |= 1ull << e.context;
	}
	/* in no particular order */
	EXPECT_EQ((1ull << N) - 1, seen);
	EXPECT_EQ(0, memcmp(src, dst, N * 1000));
	EXPECT_EQ(WEFT_EV_SHUTDOWN, EVENT(&self->a));
}

/*
 * A receiver that gets a message and ends the connection at once takes nothing from the sender. The
 * end overtakes neither DONE nor the acknowledgement.
 */
TEST_F(cm, end_in_turn)
{
	enum { N = 40, LEN = 100000 };
	struct weft_cqe e;
	u8 *src, *dst;
	u32 i;

	src = rig_buf(self->a.proc, LEN);
	dst = rig_buf(self->b.proc, LEN);
	for (i = 0; i < N; i++) {
		u32 len = i & 1 ? LEN : 8;
		struct rig_op op = {
			.flags = WEFT_SQ_COMPLETION | (i & 2 ? WEFT_SQ_TRANSMIT : WEFT_SQ_DELIVERY),
			.context = i,
			.n = 1,
			.iov[0] = { .addr = (uintptr_t)src, .len = len },
		};

		ASSERT_TRUE(connected(self->rig, &self->a, &self->b));
		ASSERT_EQ(0, post(&self->b, false, dst, LEN, i));
		ASSERT_EQ(0, rig_send(self->a.ep, &op));
		ASSERT_TRUE(completion(self->rig, &self->b, &e));
		ASSERT_EQ(0, rig_shutdown(self->b.ep));
		ASSERT_EQ(WEFT_EV_SHUTDOWN, EVENT(&self->a));
		ASSERT_EQ(1, rig_cq_read(self->a.cq, &e));
		EXPECT_EQ(i, e.context);
		EXPECT_EQ(0, e.status)
		TH_LOG("message %u of %u bytes", i, len);
		ASSERT_EQ(WEFT_EV_SHUTDOWN, EVENT(&self->b));
		rig_ep_free(self->a.ep);
		rig_ep_free(self->b.ep);
		self->a.ep = side_msg(&self->a);
		self->b.ep = side_msg(&self->b);
	}
}

/*
 * The end does not overtake the acknowledgement in another case, either. A packet of another
 * connection is missing in the same lane, so that the packet with FIN acknowledges nothing.
 */
TEST(cm_end_unacked)
{
	struct rig_op op = {
		.flags = WEFT_SQ_COMPLETION | WEFT_SQ_TRANSMIT,
		.context = 3,
		.n = 1,
		.iov[0].len = 8,
	};
	struct side a[WEFT_LANES + 1], b[WEFT_LANES + 1];
	u8 lane[WEFT_LANES + 1];
	struct rig_conf conf;
	struct weft_event ev;
	struct weft_cqe e;
	struct rig *rig;
	u32 i, x = 0, y = 0;

	rig_conf_default(&conf, 11);
	rig = rig_new(&conf);
	/* among so many connections two share a lane: X and Y */
	for (i = 0; i <= WEFT_LANES; i++) {
		side_init(&a[i], &rig->node[0]);
		if (i) {
			b[i] = b[0];
			b[i].ep = side_msg(&b[0]);
		} else {
			side_init(&b[0], &rig->node[1]);
			side_listen(&b[0], SVC, 4);
		}
		ASSERT_EQ(0, ask(rig, &a[i], 1, NULL));
		ASSERT_EQ(WEFT_EV_CONNREQ, side_event(rig, &b[0], &ev, NULL, NSEC_PER_SEC));
		ASSERT_EQ(0, rig_accept(b[i].ep, ev.conn, NULL, 0));
		ASSERT_EQ(WEFT_EV_CONNECTED, side_event(rig, &a[i], &ev, NULL, NSEC_PER_SEC));
		ASSERT_EQ(WEFT_EV_CONNECTED, side_event(rig, &b[i], &ev, NULL, NSEC_PER_SEC));
		lane[i] = (rig_ep_service(a[i].ep) + rig_ep_service(b[i].ep)) % WEFT_LANES;
		for (x = 0; x < i && lane[x] != lane[i]; x++)
			;
		y = i;
		if (x < y)
			break;
	}
	ASSERT_LT(x, y);
	rig_run(rig, 100 * MS);
	ASSERT_EQ(0, post(&b[y], false, rig_buf(b[y].proc, 8), 8, 1));
	rig_cut(rig, 0, 1, true);
	ASSERT_EQ(0, post(&a[x], true, rig_buf(a[x].proc, 8), 8, 2));
	rig_cut(rig, 0, 1, false);
	op.iov[0].addr = (uintptr_t)rig_buf(a[y].proc, 8);
	ASSERT_EQ(0, rig_send(a[y].ep, &op));
	/* the packet is in flight, and its acknowledgement is lost */
	rig_cut(rig, 0, 1, true);
	ASSERT_TRUE(rig_until(rig, has_completion, b[y].cq, NSEC_PER_SEC));
	rig_cut(rig, 0, 1, false);
	ASSERT_EQ(0, rig_shutdown(b[y].ep));
	ASSERT_EQ(WEFT_EV_SHUTDOWN, side_event(rig, &a[y], &ev, NULL, 10ull * NSEC_PER_SEC));
	ASSERT_EQ(1, rig_cq_read(a[y].cq, &e));
	EXPECT_EQ(3, e.context);
	EXPECT_EQ(0, e.status);
	rig_free(rig);
}

TEST_F(cm, both_shut)
{
	u32 i;

	for (i = 0; i < 20; i++) {
		ASSERT_TRUE(connected(self->rig, &self->a, &self->b));
		ASSERT_EQ(0, rig_shutdown(self->a.ep));
		rig_run(self->rig, rig_below(self->rig, 20000));
		ASSERT_EQ(0, rig_shutdown(self->b.ep));
		EXPECT_EQ(WEFT_EV_SHUTDOWN, EVENT(&self->a));
		EXPECT_EQ(WEFT_EV_SHUTDOWN, EVENT(&self->b));
		EXPECT_TRUE(NO_EVENT(&self->a));
		EXPECT_TRUE(NO_EVENT(&self->b));
		rig_ep_free(self->a.ep);
		rig_ep_free(self->b.ep);
		self->a.ep = side_msg(&self->a);
		self->b.ep = side_msg(&self->b);
	}
}

/* ---- Ends that come too early ---------------------------------------- */

/*
 * A graceful end waits for sends, and accepts messages meanwhile; the endpoint sends nothing more.
 */
TEST_F(cm, graceful)
{
	u8 *src = rig_buf(self->a.proc, 100000), *dst = rig_buf(self->b.proc, 100000);
	struct rig_op op = {
		.flags = WEFT_SQ_COMPLETION | WEFT_SQ_DELIVERY,
		.context = 1,
		.n = 1,
		.iov[0] = { .addr = (uintptr_t)src, .len = 100000 },
	};
	struct weft_cqe e;

	memset(src, 0x5a, 100000);
	EXPECT_EQ(-ENOTCONN, rig_shutdown_graceful(self->a.ep));
	ASSERT_TRUE(connected(self->rig, &self->a, &self->b));
	ASSERT_EQ(0, rig_send(self->a.ep, &op));
	ASSERT_EQ(0, post(&self->a, false, src, 10, 2));
	ASSERT_EQ(0, rig_shutdown_graceful(self->a.ep));
	EXPECT_EQ(WEFT_EPS_CLOSING, side_state(self->a.ep));
	ASSERT_EQ(0, post(&self->a, true, src, 10, 3));
	ASSERT_TRUE(completion(self->rig, &self->a, &e));
	EXPECT_EQ(3, e.context);
	EXPECT_EQ(ENOTCONN, e.status);
	ASSERT_EQ(0, post(&self->b, true, dst, 10, 4));
	ASSERT_TRUE(completion(self->rig, &self->a, &e));
	EXPECT_EQ(2, e.context);
	EXPECT_EQ(0, e.status);
	ASSERT_TRUE(completion(self->rig, &self->b, &e));
	EXPECT_EQ(4, e.context);
	ASSERT_EQ(0, post(&self->a, false, src, 10, 5));
	EXPECT_TRUE(NO_EVENT(&self->a));
	EXPECT_TRUE(NO_EVENT(&self->b));
	ASSERT_EQ(0, post(&self->b, false, dst, 100000, 6));
	ASSERT_TRUE(completion(self->rig, &self->b, &e));
	EXPECT_EQ(6, e.context);
	EXPECT_EQ(0, e.status);
	EXPECT_EQ(0x5a, dst[99999]);
	ASSERT_EQ(WEFT_EV_SHUTDOWN, EVENT(&self->b));
	ASSERT_EQ(WEFT_EV_SHUTDOWN, EVENT(&self->a));
	ASSERT_EQ(1, rig_cq_read(self->a.cq, &e));
	EXPECT_EQ(1, e.context);
	EXPECT_EQ(0, e.status);
	ASSERT_EQ(1, rig_cq_read(self->a.cq, &e));
	EXPECT_EQ(5, e.context);
	EXPECT_EQ(ECANCELED, e.status);
	EXPECT_EQ(WEFT_EPS_CLOSED, side_state(self->a.ep));
	EXPECT_EQ(0, rig_shutdown_graceful(self->a.ep));
	EXPECT_TRUE(NO_EVENT(&self->a));
}

/*
 * Both sides end gracefully, and all that both have sent arrives. Then one side ends abruptly
 * instead.
 */
TEST_F(cm, both_graceful)
{
	enum { N = 8, LEN = 30000 };
	struct side *side[2] = { &self->a, &self->b };
	u32 i, k, patience, good[2];
	struct weft_cqe e;
	u8 *buf[2];

	for (k = 0; k < 2; k++)
		buf[k] = rig_buf(side[k]->proc, LEN);
	for (patience = 0; patience < 2; patience++) {
		struct rig_op op = {
			.flags = WEFT_SQ_COMPLETION | WEFT_SQ_DELIVERY,
			.context = N,
			.n = 1,
			.iov[0].len = LEN,
		};

		ASSERT_TRUE(connected(self->rig, &self->a, &self->b));
		for (k = 0; k < 2; k++) {
			op.iov[0].addr = (uintptr_t)buf[k];
			for (i = 0; i < N; i++)
				ASSERT_EQ(0, rig_send(side[k]->ep, &op));
		}
		for (k = 0; k < 2; k++)
			ASSERT_EQ(0, rig_shutdown_graceful(side[k]->ep));
		EXPECT_TRUE(NO_EVENT(&self->a));
		if (patience)
			ASSERT_EQ(0, rig_shutdown(self->a.ep));
		for (i = 0; i < N; i++)
			for (k = 0; k < 2; k++)
				ASSERT_EQ(0, post(side[k], false, buf[k], LEN, i));
		for (k = 0; k < 2; k++) {
			ASSERT_EQ(WEFT_EV_SHUTDOWN, EVENT(side[k]));
			EXPECT_EQ(0, self->ev.status);
		}
		for (k = 0; k < 2; k++) {
			good[k] = 0;
			for (i = 0; i < 2 * N; i++) {
				ASSERT_TRUE(completion(self->rig, side[k], &e));
				good[k] += !e.status;
			}
			EXPECT_TRUE(NO_EVENT(side[k]));
			EXPECT_EQ(0, rig_cq_read(side[k]->cq, &e));
			rig_ep_free(side[k]->ep);
			side[k]->ep = side_msg(side[k]);
		}
		if (!patience)
			EXPECT_EQ(4 * N, good[0] + good[1]);
	}
}

TEST_F(cm, withdrawn)
{
	u64 id;

	ASSERT_EQ(0, ask(self->rig, &self->a, peer(self), NULL));
	ASSERT_EQ(WEFT_EV_CONNREQ, EVENT(&self->b));
	id = self->ev.conn;
	ASSERT_EQ(0, rig_shutdown(self->a.ep));
	ASSERT_EQ(WEFT_EV_CONN_FAILED, EVENT(&self->a));
	EXPECT_EQ(ECANCELED, self->ev.status);
	rig_run(self->rig, 2 * NSEC_PER_SEC);
	EXPECT_EQ(-EINVAL, rig_accept(self->b.ep, id, NULL, 0));
	EXPECT_EQ(WEFT_EPS_ENABLED, side_state(self->b.ep));
	EXPECT_TRUE(NO_EVENT(&self->a));

	/* a request that the program has not seen yet disappears */
	self->a.ep = side_msg(&self->a);
	ASSERT_EQ(0, ask(self->rig, &self->a, peer(self), NULL));
	ASSERT_TRUE(rig_until(self->rig, side_has_event, self->b.eq, NSEC_PER_SEC));
	rig_ep_free(self->a.ep);
	rig_run(self->rig, 2 * NSEC_PER_SEC);
	EXPECT_TRUE(NO_EVENT(&self->b));
}

/* The requester is destroyed while the listener accepts. */
TEST_F(cm, withdrawn_late)
{
	u32 i, n = 0;

	for (i = 0; i < 30; i++) {
		ASSERT_EQ(0, ask(self->rig, &self->a, peer(self), NULL));
		ASSERT_EQ(WEFT_EV_CONNREQ, EVENT(&self->b));
		if (i & 1) {
			rig_ep_free(self->a.ep);
			rig_run(self->rig, rig_below(self->rig, 15000));
			n = !rig_accept(self->b.ep, self->ev.conn, NULL, 0);
		} else {
			n = !rig_accept(self->b.ep, self->ev.conn, NULL, 0);
			rig_run(self->rig, rig_below(self->rig, 15000));
			rig_ep_free(self->a.ep);
		}
		if (n) {
			/* the connection may have existed for a moment */
			ASSERT_EQ(WEFT_EV_CONNECTED, EVENT(&self->b));
			ASSERT_EQ(WEFT_EV_SHUTDOWN, EVENT(&self->b));
			EXPECT_EQ(WEFT_EPS_CLOSED, side_state(self->b.ep));
		}
		EXPECT_TRUE(NO_EVENT(&self->b));
		rig_ep_free(self->b.ep);
		self->a.ep = side_msg(&self->a);
		self->b.ep = side_msg(&self->b);
	}
}

TEST_F(cm, killed)
{
	struct rig_op held = { .flags = WEFT_SQ_COMPLETION, .more = true, .context = 12, .n = 1 };
	struct weft_cqe e;
	u8 *buf;

	ASSERT_TRUE(connected(self->rig, &self->a, &self->b));
	buf = rig_buf(self->a.proc, 100);
	held.iov[0] = (struct weft_iov){ .addr = (uintptr_t)buf, .len = 100 };
	ASSERT_EQ(0, rig_send(self->a.ep, &held));
	ASSERT_EQ(0, post(&self->a, false, buf, 100, 9));
	rig_proc_end(self->b.proc, true);
	ASSERT_EQ(WEFT_EV_SHUTDOWN, EVENT(&self->a));
	ASSERT_TRUE(completion(self->rig, &self->a, &e));
	EXPECT_EQ(9, e.context);
	EXPECT_EQ(ECANCELED, e.status);
	/* the send that the kernel had not seen yet has the error of those under way */
	rig_ring_sq(self->a.ep);
	ASSERT_TRUE(completion(self->rig, &self->a, &e));
	EXPECT_EQ(12, e.context);
	EXPECT_EQ(ECONNRESET, e.status);
	/* an operation that is posted now is refused */
	ASSERT_EQ(0, post(&self->a, false, buf, 100, 11));
	ASSERT_TRUE(completion(self->rig, &self->a, &e));
	EXPECT_EQ(11, e.context);
	EXPECT_EQ(ENOTCONN, e.status);
	ASSERT_EQ(0, post(&self->a, true, buf, 100, 10));
	ASSERT_TRUE(completion(self->rig, &self->a, &e));
	EXPECT_EQ(10, e.context);
	EXPECT_EQ(ECONNRESET, e.status);
	EXPECT_TRUE(NO_EVENT(&self->a));
}

TEST_F(cm, stopped)
{
	ASSERT_TRUE(connected(self->rig, &self->a, &self->b));
	rig_stop(self->b.proc->node, ENODEV);
	if (variant->local)
		return;
	/* the next keepalive finds out, or the next send */
	ASSERT_EQ(WEFT_EV_SHUTDOWN, side_event(self->rig, &self->a, &self->ev, NULL,
					       200ull * NSEC_PER_SEC));
	EXPECT_TRUE(NO_EVENT(&self->a));
	EXPECT_EQ(WEFT_EPS_CLOSED, side_state(self->a.ep));
}

TEST_F(cm, silence)
{
	if (variant->local)
		return;
	rig_cut(self->rig, 0, 1, true);
	ASSERT_EQ(0, ask(self->rig, &self->a, 1, NULL));
	ASSERT_EQ(WEFT_EV_CONN_FAILED, side_event(self->rig, &self->a, &self->ev, NULL,
						  60ull * NSEC_PER_SEC));
	EXPECT_EQ(EHOSTUNREACH, self->ev.status);
	rig_cut(self->rig, 0, 1, false);
	self->a.ep = side_msg(&self->a);
	ASSERT_TRUE(connected(self->rig, &self->a, &self->b));
	rig_cut(self->rig, 0, 1, true);
	ASSERT_EQ(WEFT_EV_SHUTDOWN, side_event(self->rig, &self->a, &self->ev, NULL,
					       200ull * NSEC_PER_SEC));
	EXPECT_EQ(ETIMEDOUT, self->ev.status);
	ASSERT_EQ(WEFT_EV_SHUTDOWN, side_event(self->rig, &self->b, &self->ev, NULL,
					       200ull * NSEC_PER_SEC));
	EXPECT_EQ(ETIMEDOUT, self->ev.status);
}

/*
 * An abrupt end while no packet arrives and the window is full of packets that count as lost. When
 * the link is back, both sides learn at once of an end, not of a loss. FIN does not wait for the
 * window, but follows the messages that had completed.
 */
TEST_F(cm, abrupt_without_window)
{
	struct weft_cqe e;
	u8 *src, *dst;
	u32 i, got = 0;
	weft_ns back;

	if (variant->local)
		return;
	ASSERT_TRUE(connected(self->rig, &self->a, &self->b));
	src = rig_buf(self->a.proc, 1000);
	dst = rig_buf(self->b.proc, 1000);
	for (i = 0; i < 16; i++)
		ASSERT_EQ(0, post(&self->b, false, dst, 1000, i));
	rig_cut(self->rig, 0, 1, true);
	for (i = 0; i < 16; i++)
		ASSERT_EQ(0, post(&self->a, true, src, 1000, i));
	rig_run(self->rig, 5 * NSEC_PER_SEC);
	ASSERT_EQ(0, rig_shutdown(self->a.ep));
	rig_run(self->rig, 2 * NSEC_PER_SEC);
	EXPECT_TRUE(NO_EVENT(&self->b));
	rig_cut(self->rig, 0, 1, false);
	back = rig_now(self->rig);
	ASSERT_EQ(WEFT_EV_SHUTDOWN, EVENT(&self->b));
	EXPECT_EQ(0, self->ev.status);
	ASSERT_EQ(WEFT_EV_SHUTDOWN, EVENT(&self->a));
	EXPECT_EQ(0, self->ev.status);
	EXPECT_LE(rig_now(self->rig) - back, 1500 * MS);
	/* the completed messages have arrived */
	for (i = 0; i < 16; i++) {
		ASSERT_TRUE(completion(self->rig, &self->b, &e));
		EXPECT_EQ(0, e.status);
		got |= 1u << e.context;
	}
	EXPECT_EQ(0xffff, got);
}

/* A listener that does not answer. */
TEST_F(cm, no_answer)
{
	u64 id;

	ASSERT_EQ(0, ask(self->rig, &self->a, peer(self), NULL));
	ASSERT_EQ(WEFT_EV_CONNREQ, EVENT(&self->b));
	id = self->ev.conn;
	/* a program may take its time before it answers */
	ASSERT_NE(WEFT_EV_CONN_FAILED, side_event(self->rig, &self->a, &self->ev, NULL,
						  50ull * NSEC_PER_SEC));
	ASSERT_EQ(WEFT_EV_CONN_FAILED, side_event(self->rig, &self->a, &self->ev, NULL,
						  20ull * NSEC_PER_SEC));
	EXPECT_EQ(ETIMEDOUT, self->ev.status);
	rig_run(self->rig, 2 * NSEC_PER_SEC);
	EXPECT_EQ(-EINVAL, rig_accept(self->b.ep, id, NULL, 0));
}

/* No answer in time: the program is told, and the request is gone. */
TEST_F(cm, timeout)
{
	weft_ns t = rig_now(self->rig);

	ASSERT_EQ(0, rig_connect_within(self->a.ep, peer(self), SVC, "x", 1, 5000 * MS));
	ASSERT_EQ(WEFT_EV_CONNREQ, EVENT(&self->b));
	ASSERT_EQ(WEFT_EV_CONN_FAILED, EVENT(&self->a));
	EXPECT_EQ(ETIMEDOUT, self->ev.status);
	EXPECT_GE(rig_now(self->rig) - t, 5000 * MS);
	EXPECT_LE(rig_now(self->rig) - t, 5100 * MS);
	EXPECT_EQ(WEFT_EPS_CLOSED, side_state(self->a.ep));
	EXPECT_TRUE(NO_EVENT(&self->b));
	rig_run(self->rig, 5000 * MS);
	EXPECT_TRUE(weft_list_empty(&self->pep->ep->cm.reqs));
	EXPECT_EQ(-EINVAL, rig_connect_within(self->b.ep, peer(self), SVC, NULL, 0,
					      WEFT_CM_TIMEOUT_MAX + 1));
}

/* No node has the address. */
TEST_F(cm, timeout_unreachable)
{
	if (variant->local)
		return;
	rig_cut(self->rig, 0, 1, true);
	ASSERT_EQ(0, rig_connect_within(self->a.ep, peer(self), SVC, NULL, 0, 200 * MS));
	ASSERT_EQ(WEFT_EV_CONN_FAILED, EVENT(&self->a));
	EXPECT_EQ(EHOSTUNREACH, self->ev.status);
}

/* ---- Calls that are refused ------------------------------------------ */

TEST_F(cm, misuse)
{
	struct rig_ep *rdm = rig_ep_new(self->a.proc, WEFT_EP_RDM, 0, 16, 16, 0);
	struct rig_ep *fresh = rig_ep_new(self->a.proc, WEFT_EP_MSG, 0, 16, 16, 0);
	struct rig_av *av = rig_av_new(self->a.proc);
	u8 data[WEFT_CM_DATA_MAX + 1] = { 0 };
	struct side other;
	u64 id;

	ASSERT_EQ(0, rig_ep_enable(rdm, self->a.cq, self->a.cq, NULL, av));
	EXPECT_EQ(-EINVAL, rig_connect(rdm, peer(self), SVC, NULL, 0));
	EXPECT_EQ(-EINVAL, rig_connect(fresh, peer(self), SVC, NULL, 0));
	EXPECT_EQ(-EINVAL, rig_connect(self->pep, peer(self), SVC, NULL, 0));
	EXPECT_EQ(-EINVAL, rig_connect(self->a.ep, peer(self), 0, NULL, 0));
	EXPECT_EQ(-EINVAL, rig_connect(self->a.ep, peer(self), SVC, data, sizeof(data)));
	EXPECT_EQ(-EINVAL, rig_listen(self->a.ep, self->a.eq, 1));
	EXPECT_EQ(-EINVAL, rig_listen(rdm, self->a.eq, 1));
	EXPECT_EQ(-EINVAL, rig_accept(self->b.ep, 0, NULL, 0));
	EXPECT_EQ(-EINVAL, rig_accept(self->b.ep, 12345, NULL, 0));
	EXPECT_EQ(-EINVAL, rig_accept(self->b.ep, U64_MAX, NULL, 0));
	EXPECT_EQ(-EINVAL, rig_reject(self->pep, 1ull << 32, NULL, 0));
	EXPECT_EQ(-ENOTCONN, rig_shutdown(self->a.ep));
	EXPECT_EQ(-ENOTCONN, rig_shutdown(rdm));
	EXPECT_EQ(-ENOTCONN, rig_shutdown(fresh));
	EXPECT_EQ(WEFT_EPS_ENABLED, side_state(self->a.ep));

	/* a request belongs to the listener's program, and to one listener */
	side_init(&other, self->b.proc->node);
	ASSERT_EQ(0, ask(self->rig, &self->a, peer(self), NULL));
	EXPECT_EQ(-EBUSY, ask(self->rig, &self->a, peer(self), NULL));
	ASSERT_EQ(WEFT_EV_CONNREQ, EVENT(&self->b));
	id = self->ev.conn;
	EXPECT_EQ(-EINVAL, rig_accept(other.ep, id, NULL, 0));
	EXPECT_EQ(WEFT_EPS_ENABLED, side_state(other.ep));
	EXPECT_EQ(-EINVAL, rig_reject(side_listen(&other, SVC + 9, 1), id, NULL, 0));
	EXPECT_EQ(-EINVAL, rig_accept(self->b.ep, id, data, sizeof(data)));
	ASSERT_EQ(0, rig_accept(self->b.ep, id, NULL, 0));
	ASSERT_EQ(WEFT_EV_CONNECTED, EVENT(&self->a));
	EXPECT_EQ(-EISCONN, ask(self->rig, &self->a, peer(self), NULL));
}

/* Each allocation may fail: the peer repeats a request, a call returns an error. */
TEST_F(cm, no_memory)
{
	u32 n, err = 1;

	for (n = 1; err && n < 20; n++) {
		weft_host_fail_nth(n);
		err = ask(self->rig, &self->a, peer(self), NULL);
		weft_host_fail_nth(0);
		if (err)
			EXPECT_EQ(WEFT_EPS_ENABLED, side_state(self->a.ep));
	}
	if (variant->local && !side_event(self->rig, &self->b, &self->ev, NULL, MS)) {
		/* within the node the request is lost when its allocation fails */
		return;
	}
	if (!variant->local)
		ASSERT_EQ(WEFT_EV_CONNREQ, EVENT(&self->b));
	for (n = 1, err = 1; err && n < 20; n++) {
		weft_host_fail_nth(n);
		err = rig_accept(self->b.ep, self->ev.conn, NULL, 0);
		weft_host_fail_nth(0);
		if (err)
			EXPECT_EQ(WEFT_EPS_ENABLED, side_state(self->b.ep));
	}
	ASSERT_EQ(0, err);
}

TEST_HARNESS_MAIN
