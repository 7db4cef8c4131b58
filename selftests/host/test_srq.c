// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shared receive queues: which endpoint takes which receive, waiting endpoints, counts, marks,
 * resize, regions; between nodes and within one
 */
#include "srq_fixture.h"

TEST_F(srq, any_endpoint_takes)
{
	u32 i;

	for (i = 0; i < 2 * EPS; i++)
		ASSERT_EQ(0, POST(i));
	ASSERT_EQ(2 * EPS, LOOK());
	for (i = 0; i < 2 * EPS; i++) {
		ASSERT_EQ(0, SEND(i % EPS, self->src + i, 100 + i));
		ASSERT_TRUE(COMPLETION());
		EXPECT_EQ(i, self->e.context);
		EXPECT_EQ(i % EPS, WHO());
		EXPECT_EQ(100 + i, self->e.len);
		EXPECT_EQ(0, memcmp(self->buf + i * ROOM, self->src + i, 100 + i));
		EXPECT_EQ(2 * EPS - 1 - i, LOOK());
	}
	EXPECT_EQ(0, self->info.held);
	EXPECT_EQ(EPS, self->info.eps);
}

TEST_F(srq, segments_front_to_back)
{
	static const u32 part[4] = { 7, 1, 64, 9 };
	struct rig_op op = { .flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY, .n = 4 };
	u32 i, len, at, left;

	for (len = 0; len <= 81; len++) {
		memset(self->buf, 0xee, 1024);
		for (i = 0; i < 4; i++)
			op.iov[i] = (struct weft_iov){
				.addr = (uintptr_t)self->buf + 200 * i, .len = part[i]
			};
		ASSERT_EQ(0, rig_srq_recv(self->srq, &op, NULL));
		ASSERT_EQ(0, SEND(len % EPS, self->src, len));
		ASSERT_TRUE(COMPLETION());
		EXPECT_EQ(0, self->e.status);
		for (i = 0, at = 0, left = len; i < 4; i++) {
			u32 n = left < part[i] ? left : part[i];

			EXPECT_EQ(0, memcmp(self->buf + 200 * i, self->src + at, n));
			EXPECT_EQ(0xee, self->buf[200 * i + n]);
			at += n;
			left -= n;
		}
	}
}

/* No receive is posted: messages wait, and their endpoints are served one after the other. */
TEST_F(srq, who_waits_is_served_in_turn)
{
	u32 next[EPS] = { 0 };
	u32 i;

	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, SEND(0, self->src + 16 * i, 16));
	SETTLE();
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, SEND(1, self->src + 16 * i, 16));
	SETTLE();
	ASSERT_EQ(0, SEND(2, self->src, 16));
	SETTLE();
	LOOK();
	EXPECT_EQ(3, self->info.waiting);
	for (i = 0; i < 7; i++) {
		static const u32 order[] = { 0, 1, 2, 0, 1, 0, 1 };

		ASSERT_EQ(0, POST(i));
		ASSERT_TRUE(COMPLETION());
		EXPECT_EQ(i, self->e.context);
		EXPECT_EQ(order[i], WHO());
		EXPECT_EQ(0, memcmp(self->buf + i * ROOM, self->src + 16 * next[order[i]]++, 16));
	}
	/* one more endpoint finds no receive, and the next message finds it */
	ASSERT_EQ(0, POST(7));
	EXPECT_EQ(1, LOOK());
	EXPECT_EQ(0, self->info.waiting);
	ASSERT_EQ(0, SEND(3, self->src, 16));
	ASSERT_TRUE(COMPLETION());
	EXPECT_EQ(3, WHO());
}

TEST_F(srq, an_empty_queue_loses_nothing)
{
	u32 i;

	for (i = 0; i < 100; i++)
		ASSERT_EQ(0, SEND(0, self->src + i, 200));
	SETTLE();
	EXPECT_FALSE(has_completion(self->cb));
	for (i = 0; i < 100; i++) {
		ASSERT_EQ(0, POST(i % BUFS));
		ASSERT_TRUE(COMPLETION());
		EXPECT_EQ(0, memcmp(self->buf + (i % BUFS) * ROOM, self->src + i, 200));
	}
}

/* An endpoint of the receiver that shares another queue. @dst: out: its index at the sender. */
static struct rig_ep *join(struct _test_data_srq *self, struct rig_srq *srq, u16 service, u32 *dst)
{
	struct rig_av *av = self->b->avs;
	struct rig_ep *ep = rig_ep_new(self->b, WEFT_EP_RDM, WEFT_EPF_SRQ, 16, 0, service);

	if (weft_ep_share(ep->ep, srq->srq, av->av) ||
	    rig_ep_enable(ep, self->cb, self->cb, NULL, av))
		abort();
	*dst = (u32)rig_av_insert(self->va, self->b->node->index, service, self->rig);
	return ep;
}

/* Receive @i of 32 bytes. */
static struct weft_rqe entry(const struct _test_data_srq *self, u32 i)
{
	return (struct weft_rqe){
		.op = WEFT_RQ_RECV, .nslots = 1, .flags = WEFT_RQ_COMPLETION,
		.src = WEFT_SRC_ANY, .context = i, .niov = 1, .len = 32,
		.addr = (uintptr_t)self->buf + i * 32,
	};
}

/* So many receives are posted at once that a worker must continue. No further post is needed. */
TEST_F(srq, a_worker_goes_on)
{
	enum { RECVS = 300, MSGS = 110 };
	struct weft_rqe e[RECVS] = { 0 };
	struct rig_srq *srq = rig_srq_new(self->b, 512, RECVS, 0, NULL);
	struct rig_ep *ep[2];
	u32 i, next[2] = { 0 }, last[2];
	int who[RECVS];

	ASSERT_NE(NULL, srq);
	for (i = 0; i < 2; i++)
		ep[i] = join(self, srq, 40 + i, &last[i]);
	for (i = 0; i < 2 * MSGS; i++) {
		ASSERT_EQ(0, send_to(self->from, last[i % 2], self->src + i / 2, 32, 0));
		SETTLE();
	}
	for (i = 0; i < RECVS; i++)
		e[i] = entry(self, i);
	rig_srq_put(srq, e, RECVS);
	SETTLE();
	memset(who, -1, sizeof(who));
	for (i = 0; i < 2 * MSGS; i++) {
		ASSERT_EQ(1, rig_cq_read(self->cb, &self->e));
		ASSERT_EQ(0, self->e.status);
		ASSERT_EQ(-1, who[self->e.context]);
		who[self->e.context] = self->e.ep != (u16)ep[0]->handle;
	}
	/* each endpoint's messages have the receives in order, the oldest ones */
	for (i = 0; i < 2 * MSGS; i++) {
		ASSERT_NE(-1, who[i]);
		EXPECT_EQ(0, memcmp(self->buf + i * 32, self->src + next[who[i]]++, 32));
	}
	EXPECT_EQ(MSGS, next[0]);
	EXPECT_EQ(MSGS, next[1]);
	rig_srq_look(srq, &self->info);
	EXPECT_EQ(RECVS - 2 * MSGS, self->info.available);
	EXPECT_EQ(0, self->info.waiting);
	EXPECT_EQ(0, self->info.held);
}

static struct weft_srq *yields_to;
static struct weft_out *other_out;

/* Between two turns of the worker another thread serves, and its flush asks for a worker, too. */
static void other_serves(void)
{
	if (yields_to->serving)
		return;
	weft_host_other = NULL;
	weft_lock(&yields_to->lock);
	weft_srq_later(yields_to, other_out);
	weft_unlock(&yields_to->lock);
	weft_srq_flush(other_out);
}

TEST_F(srq, a_worker_leaves_the_work_of_others)
{
	enum { MSGS = 300 };
	struct weft_rqe e[MSGS];
	struct rig_srq *srq = rig_srq_new(self->b, 512, MSGS, 0, NULL);
	u32 i, dst, n = 0;

	join(self, srq, 40, &dst);
	for (i = 0; i < MSGS; i++) {
		ASSERT_EQ(0, send_to(self->from, dst, self->src + i, 32, 0));
		SETTLE();
		e[i] = entry(self, i);
	}
	other_out = calloc(1, sizeof(*other_out));
	weft_out_init(other_out, &self->b->node->core);
	other_out->now = rig_now(self->rig);
	yields_to = srq->srq;
	weft_host_other = other_serves;
	rig_srq_put(srq, e, MSGS);
	SETTLE();
	ASSERT_EQ(NULL, weft_host_other);
	/* it is still in the other thread's hands, with its reference */
	EXPECT_TRUE(srq->srq->work.queued);
	EXPECT_EQ(&srq->srq->work.node, weft_list_first(&other_out->deferred));
	weft_flush(other_out);
	SETTLE();
	EXPECT_FALSE(srq->srq->work.queued);
	while (rig_cq_read(self->cb, &self->e) == 1)
		n += !self->e.status;
	EXPECT_EQ(MSGS, n);
	free(other_out);
}

/* Many messages wait when the address vector changes: a worker looks up their senders again. */
TEST_F(srq, a_worker_resolves)
{
	enum { MSGS = 5000 };
	u32 i;

	for (i = 0; i < MSGS; i++) {
		ASSERT_EQ(0, SEND(0, self->src + i, 16));
		if (i % 64 == 63)
			SETTLE();
	}
	SETTLE();
	ASSERT_EQ(MSGS, self->to[0]->ep->rx.match.nunexp);
	ASSERT_LE(0, rig_av_insert(self->b->avs, 0, 99, self->rig));
	ASSERT_EQ(0, POST(3));
	EXPECT_FALSE(has_completion(self->cb));
	ASSERT_TRUE(COMPLETION());
	EXPECT_EQ(3, self->e.context);
	EXPECT_EQ(0, memcmp(self->buf + 3 * ROOM, self->src, 16));
}

/* Receives that fit none of many messages: a flush searches a bounded number of them. */
TEST_F(srq, searches_are_bounded)
{
	enum { MSGS = 3000, RECVS = 30, STEPS = 64 << 10 };
	struct rig_op op = { .tagged = true, .n = 1, .peer = self->dst[0], .tag = 7 };
	struct weft_match *m = &self->to[0]->ep->rx.match;
	struct weft_rqe e[RECVS] = { 0 };
	u32 i, from;

	op.iov[0] = (struct weft_iov){ .addr = (uintptr_t)self->src, .len = 8 };
	for (i = 0; i < MSGS; i++) {
		ASSERT_EQ(0, rig_send(self->from, &op));
		if (i % 64 == 63)
			SETTLE();
	}
	SETTLE();
	for (i = 0; i < RECVS; i++)
		e[i] = (struct weft_rqe){
			.op = WEFT_RQ_TRECV, .nslots = 1, .src = WEFT_SRC_ANY, .tag = 1ull << 40,
			.ignore = 1,
		};
	from = m->steps;
	rig_srq_put(self->srq, e, RECVS);
	EXPECT_LE(MSGS, m->steps - from);
	EXPECT_GE(STEPS + MSGS, m->steps - from);
	SETTLE();
	EXPECT_EQ(MSGS * RECVS, m->steps - from);
	EXPECT_EQ(RECVS, LOOK());
}

/*
 * A receive with one ignore mask too many fails at the first tagged message, which then takes the
 * next one.
 */
TEST_F(srq, ignore_masks)
{
	struct rig_op op = { .tagged = true, .n = 1, .flags = WEFT_RQ_COMPLETION };
	u32 i;

	op.iov[0] = (struct weft_iov){ .addr = (uintptr_t)self->buf, .len = 8 };
	op.peer = WEFT_SRC_ANY;
	op.tag = 1ull << 63;
	ASSERT_EQ(0, rig_srq_resize(self->srq, 2 * WEFT_MATCH_MASKS, 2 * WEFT_MATCH_MASKS));
	for (i = 0; i <= WEFT_MATCH_MASKS; i++) {
		op.context = i;
		op.ignore = i + 1;
		ASSERT_EQ(0, rig_srq_recv(self->srq, &op, NULL));
	}
	op.context = 100;
	op.ignore = ~0ull;
	ASSERT_EQ(0, rig_srq_recv(self->srq, &op, NULL));
	SETTLE();
	op.iov[0].addr = (uintptr_t)self->src;
	op.peer = self->dst[0];
	op.tag = 1ull << 62;
	op.flags = 0;
	ASSERT_EQ(0, rig_send(self->from, &op));
	SETTLE();
	ASSERT_TRUE(COMPLETION());
	EXPECT_EQ(WEFT_MATCH_MASKS, self->e.context);
	EXPECT_EQ(ENOSPC, self->e.status);
	ASSERT_TRUE(COMPLETION());
	EXPECT_EQ(100, self->e.context);
	EXPECT_EQ(0, self->e.status);
}

/* A message of one endpoint waits; a receive for another endpoint's tag passes it. */
TEST_F(srq, tags)
{
	struct rig_op op = { .tagged = true, .n = 1 };
	u32 i;

	op.iov[0] = (struct weft_iov){ .addr = (uintptr_t)self->src, .len = 8 };
	for (i = 0; i < 8; i++) {
		op.peer = self->dst[i % 2];
		op.tag = i;
		ASSERT_EQ(0, rig_send(self->from, &op));
	}
	SETTLE();
	op.flags = WEFT_RQ_COMPLETION;
	op.peer = WEFT_SRC_ANY;
	op.iov[0].addr = (uintptr_t)self->buf;
	for (i = 8; i--;) {
		op.tag = i;
		op.context = i;
		ASSERT_EQ(0, rig_srq_recv(self->srq, &op, NULL));
		ASSERT_TRUE(COMPLETION());
		EXPECT_EQ(i, self->e.tag);
		EXPECT_EQ(i, self->e.context);
		EXPECT_EQ(i % 2, WHO());
		EXPECT_EQ(WEFT_CQE_TAGGED, self->e.flags & WEFT_CQE_TAGGED);
	}
	/* only the missing sender may send this one; another receive takes any sender */
	op.peer = 1;
	ASSERT_EQ(0, rig_srq_recv(self->srq, &op, NULL));
	EXPECT_EQ(1, LOOK());
	/* from an unknown address: directed receives do not fit */
	EXPECT_EQ(0, self->info.waiting);
}

TEST_F(srq, low_watermark)
{
	u32 i;

	for (i = 0; i < 5; i++)
		ASSERT_EQ(0, POST(i));
	EXPECT_EQ(-EINVAL, rig_srq_arm(self->srq, 33));
	ASSERT_EQ(0, rig_srq_arm(self->srq, 3));
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, SEND(i % EPS, self->src, 8));
		ASSERT_TRUE(COMPLETION());
		/* 4, 3: none; 2: one; 1, 0: none */
		EXPECT_EQ(i == 2 ? WEFT_EV_SRQ_LOW : 0,
			  event(self->rig, self->eq, &self->ev));
		if (i == 2)
			EXPECT_EQ(self->srq->handle, self->ev.handle);
	}
	/* filled and emptied: none; armed again below the mark: at once */
	for (i = 0; i < 5; i++)
		ASSERT_EQ(0, POST(i));
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, SEND(0, self->src, 8));
		ASSERT_TRUE(COMPLETION());
	}
	EXPECT_EQ(0, event(self->rig, self->eq, &self->ev));
	LOOK();
	EXPECT_EQ(3, self->info.low);
	ASSERT_EQ(0, rig_srq_arm(self->srq, 2));
	EXPECT_EQ(WEFT_EV_SRQ_LOW, event(self->rig, self->eq, &self->ev));
	ASSERT_EQ(0, rig_srq_arm(self->srq, 0));
	ASSERT_EQ(0, SEND(0, self->src, 8));
	ASSERT_TRUE(COMPLETION());
	EXPECT_EQ(0, event(self->rig, self->eq, &self->ev));
	/* two armings, the first event has not been read */
	ASSERT_EQ(0, rig_srq_arm(self->srq, 1));
	ASSERT_EQ(0, rig_srq_arm(self->srq, 1));
	EXPECT_EQ(WEFT_EV_SRQ_LOW, event(self->rig, self->eq, &self->ev));
	EXPECT_EQ(WEFT_EV_SRQ_LOW, event(self->rig, self->eq, &self->ev));
	EXPECT_EQ(0, event(self->rig, self->eq, &self->ev));
}

/* A program that arms and never reads does not make the kernel keep events without end. */
TEST_F(srq, low_unread)
{
	u32 i;

	for (i = 0; i < WEFT_EQ_MARKS; i++)
		ASSERT_EQ(0, rig_srq_arm(self->srq, 1));
	EXPECT_EQ(-ENOSPC, rig_srq_arm(self->srq, 1));
	EXPECT_EQ(WEFT_EQ_MARKS, self->eq->eq.marks);
	/* this much can be had without an event */
	EXPECT_EQ(0, rig_srq_arm(self->srq, 0));
	EXPECT_EQ(-ENOSPC, rig_srq_arm(self->srq, 1));
	EXPECT_EQ(WEFT_EV_SRQ_LOW, event(self->rig, self->eq, &self->ev));
	ASSERT_EQ(0, rig_srq_arm(self->srq, 1));
	EXPECT_EQ(-ENOSPC, rig_srq_arm(self->srq, 1));
	for (i = 0; event(self->rig, self->eq, &self->ev); i++)
		EXPECT_EQ(WEFT_EV_SRQ_LOW, self->ev.type);
	EXPECT_EQ(WEFT_EQ_MARKS, i);
	EXPECT_EQ(0, self->eq->eq.marks);
}

TEST_F(srq, resize)
{
	u32 i;

	for (i = 0; i < 20; i++)
		ASSERT_EQ(0, POST(i));
	EXPECT_EQ(-EBUSY, rig_srq_resize(self->srq, 64, 19));
	ASSERT_EQ(0, rig_srq_arm(self->srq, 22));
	EXPECT_EQ(-EBUSY, rig_srq_resize(self->srq, 64, 21));
	ASSERT_EQ(0, rig_srq_arm(self->srq, 0));
	ASSERT_EQ(0, rig_srq_resize(self->srq, 128, 100));
	for (; i < 60; i++)
		ASSERT_EQ(0, POST(i));
	EXPECT_EQ(60, LOOK());
	ASSERT_EQ(0, rig_srq_resize(self->srq, 64, 60));
	for (i = 0; i < 60; i++) {
		ASSERT_EQ(0, SEND(i % EPS, self->src + i, 50));
		ASSERT_TRUE(COMPLETION());
		EXPECT_EQ(i, self->e.context);
		EXPECT_EQ(0, memcmp(self->buf + i * ROOM, self->src + i, 50));
	}
	EXPECT_EQ(0, LOOK());
	EXPECT_EQ(60, self->info.recvs);
}

/* Resized again and again while messages of all endpoints arrive. */
TEST_F(srq, resize_under_traffic)
{
	u32 sent = 0, posted = 0, got = 0, recvs = 32;

	while (got < 2000) {
		if (posted < 2000 && posted - got < 16 && !POST(posted % BUFS))
			posted++;
		if (sent < 2000 && !SEND(sent % EPS, self->src + sent, 1 + sent % 200))
			sent++;
		if (rig_below(self->rig, 8) == 0) {
			recvs = 16 + rig_below(self->rig, 48);
			ASSERT_EQ(0, rig_srq_resize(self->srq, 64 << rig_below(self->rig, 2),
						    recvs));
		}
		rig_step(self->rig, rig_now(self->rig) + NSEC_PER_MSEC);
		while (rig_cq_read(self->cb, &self->e) == 1) {
			ASSERT_EQ(0, self->e.status);
			got++;
		}
	}
	EXPECT_EQ(0, LOOK());
	EXPECT_EQ(0, self->info.held);
}

TEST_F(srq, cancel)
{
	ASSERT_EQ(0, POST(1));
	ASSERT_EQ(0, POST(2));
	ASSERT_EQ(0, rig_srq_cancel(self->srq, self->cb, 2));
	ASSERT_EQ(0, rig_srq_cancel(self->srq, self->cb, 77));
	ASSERT_TRUE(COMPLETION());
	EXPECT_EQ(ECANCELED, self->e.status);
	EXPECT_EQ(2, self->e.context);
	EXPECT_EQ(1, LOOK());
	ASSERT_EQ(0, SEND(0, self->src, 8));
	ASSERT_TRUE(COMPLETION());
	EXPECT_EQ(1, self->e.context);
}

/* A message that is longer than its receive is cut, as on any endpoint without STRICT. */
TEST_F(srq, cut)
{
	ASSERT_EQ(0, post_at(self->srq, self->buf, 10, 3));
	ASSERT_EQ(0, SEND(1, self->src, 100));
	ASSERT_TRUE(COMPLETION());
	EXPECT_EQ(EMSGSIZE, self->e.status);
	EXPECT_EQ(90, self->e.olen);
	ASSERT_EQ(0, POST(4));
	ASSERT_EQ(0, SEND(1, self->src, 100));
	ASSERT_TRUE(COMPLETION());
	EXPECT_EQ(0, self->e.status);
}

/* Long messages hold receives; an endpoint that is killed gives its receives back. */
TEST_F(srq, held_and_killed)
{
	u32 held, span, i;

	for (i = 0; i < 4; i++)
		ASSERT_EQ(0, post_at(self->srq, self->buf + (i << 18), 1 << 18, i));
	if (variant->node) {
		rig_cut(self->rig, 0, 1, false);
		for (i = 0; i < 2; i++)
			ASSERT_EQ(0, SEND(0, self->src, 1 << 18));
		for (i = 0; i < 200000 && LOOK() > 2; i++)
			rig_step(self->rig, rig_now(self->rig) + NSEC_PER_MSEC);
		rig_cut(self->rig, 0, 1, true);
		ASSERT_EQ(2, LOOK());
		ASSERT_EQ(0, weft_ep_held(self->to[0]->ep, &held, &span));
		EXPECT_EQ(2, held);
		EXPECT_EQ(1, span);
		EXPECT_EQ(2, self->info.held);
	}
	rig_ep_free(self->to[0]);
	EXPECT_EQ(0, (LOOK(), self->info.held));
	EXPECT_EQ(EPS - 1, self->info.eps);
	if (variant->node) {
		EXPECT_EQ(2, LOOK());
		rig_cut(self->rig, 0, 1, false);
	}
	ASSERT_EQ(0, SEND(1, self->src, 1 << 18));
	ASSERT_TRUE(COMPLETION());
	EXPECT_EQ(0, self->e.status);
	EXPECT_EQ(1, WHO());
}

/* A completion without space waits, and its endpoint may be destroyed meanwhile. */
TEST_F(srq, completion_queue_full)
{
	struct rig_cq *small = rig_cq_new(self->b, 16);
	struct rig_av *av = rig_av_new(self->b);
	struct rig_srq *srq = rig_srq_new(self->b, 64, 32, 0, NULL);
	struct rig_ep *ep = rig_ep_new(self->b, WEFT_EP_RDM, WEFT_EPF_SRQ, 16, 0, 30);
	struct rig_av *va = rig_av_new(self->a);
	struct rig_ep *from = rig_ep_new(self->a, WEFT_EP_RDM, 0, 64, 16, 3);
	u32 i;

	ASSERT_EQ(0, weft_ep_share(ep->ep, srq->srq, av->av));
	ASSERT_EQ(0, rig_ep_enable(ep, small, small, NULL, av));
	ASSERT_EQ(0, rig_av_insert(va, variant->node, 30, self->rig));
	ASSERT_EQ(0, rig_ep_enable(from, self->ca, self->ca, NULL, va));
	for (i = 0; i < 32; i++) {
		ASSERT_EQ(0, post_at(srq, self->buf, 0, i));
		ASSERT_EQ(0, send_to(from, 0, NULL, 0, 0));
	}
	SETTLE();
	rig_srq_look(srq, &self->info);
	EXPECT_EQ(0, self->info.available);
	EXPECT_EQ(16, self->info.held);
	/* no receive is free: entries stay in the ring until one is */
	for (i = 0; i < 20; i++)
		ASSERT_EQ(0, post_at(srq, self->buf, 0, 100 + i));
	for (i = 0; i < 10; i++) {
		ASSERT_TRUE(completion(self->rig, small, &self->e));
		EXPECT_EQ(i, self->e.context);
	}
	rig_srq_look(srq, &self->info);
	EXPECT_EQ(20, self->info.available);
	EXPECT_EQ(6, self->info.held);
	rig_ep_free(ep);
	rig_srq_look(srq, &self->info);
	EXPECT_EQ(0, self->info.held);
	EXPECT_EQ(20, self->info.available);
}

/* A ring that cannot be decoded, and invalid entries. */
TEST_F(srq, hostile)
{
	struct weft_rqe e = { .op = WEFT_RQ_PEEK, .nslots = 1, .src = WEFT_SRC_ANY, .context = 9 };

	rig_srq_put(self->srq, &e, 1);
	ASSERT_EQ(0, POST(1));
	e.nslots = 0;
	ASSERT_EQ(0, SEND(0, self->src, 8));
	SETTLE();
	rig_srq_put(self->srq, &e, 1);
	ASSERT_EQ(0, SEND(0, self->src, 8));
	SETTLE();
	EXPECT_EQ(WEFT_ST_ERROR, self->srq->status.flags & WEFT_ST_ERROR);
	EXPECT_EQ(-EIO, POST(2));
	EXPECT_EQ(-EBUSY, rig_srq_resize(self->srq, 64, 32));
}

/* A shared ring accepts receives only: any other entry ends with an error when it is read. */
TEST_F(srq, receives_only)
{
	static const struct {
		u8 op;
		bool tagged;
	} wrong[] = {
		{ WEFT_RQ_PEEK, true },		{ WEFT_RQ_CLAIM, true },
		{ WEFT_RQ_DISCARD, true },	{ WEFT_RQ_CANCEL, false },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct weft_rqe e = { .op = wrong[i].op, .nslots = 1, .src = WEFT_SRC_ANY,
				      .context = 9 };
		struct rig_op op = { .tagged = wrong[i].tagged, .peer = self->dst[0], .n = 1 };

		rig_srq_put(self->srq, &e, 1);
		e = (struct weft_rqe){ .op = op.tagged ? WEFT_RQ_TRECV : WEFT_RQ_RECV, .nslots = 1,
				       .flags = WEFT_RQ_COMPLETION, .src = WEFT_SRC_ANY,
				       .context = 10, .addr = (uintptr_t)self->buf, .len = ROOM,
				       .niov = 1 };
		rig_srq_put(self->srq, &e, 1);
		op.iov[0] = (struct weft_iov){ .addr = (uintptr_t)self->src + i, .len = 8 };
		ASSERT_EQ(0, rig_send(self->from, &op));
		ASSERT_TRUE(COMPLETION());
		EXPECT_EQ(9, self->e.context);
		EXPECT_EQ(EOPNOTSUPP, self->e.status);
		ASSERT_TRUE(COMPLETION());
		EXPECT_EQ(10, self->e.context);
		EXPECT_EQ(0, self->e.status);
		EXPECT_EQ(0, memcmp(self->buf, self->src + i, 8));
	}
	EXPECT_EQ(0, LOOK());
	EXPECT_EQ(0, self->info.held);
}

/*
 * A program that stores a doorbell for a ring that its endpoint does not have keeps no engine busy.
 */
TEST_F(srq, no_ring_of_its_own)
{
	struct rig_ep *ep = self->to[0];

	ASSERT_TRUE(weft_ep_hot(ep->ep));
	EXPECT_FALSE(weft_ep_cool(ep->ep));
	ASSERT_TRUE(weft_ep_hot(ep->ep));
	WRITE_ONCE(ep->doorbell.rq_tail, 5);
	EXPECT_FALSE(weft_ep_cool(ep->ep));
}

/* An entry that names regions is checked when it is read; the entry behind it is used. */
TEST_F(srq, regions)
{
	struct rig_srq *srq = rig_srq_new(self->b, 64, 32, 7, self->eq);
	struct rig_ep *ep = rig_ep_new(self->b, WEFT_EP_RDM, WEFT_EPF_SRQ, 16, 0, 30);
	struct rig_op op = { .flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY, .n = 2 };
	u32 keys[WEFT_KEYS_MAX] = { 1, 2 };
	struct rig_av *av = rig_av_new(self->b), *va = rig_av_new(self->a);
	struct rig_ep *from = rig_ep_new(self->a, WEFT_EP_RDM, 0, 64, 16, 3);
	u32 i;

	ASSERT_EQ(0, weft_ep_share(ep->ep, srq->srq, av->av));
	ASSERT_EQ(0, rig_ep_enable(ep, self->cb, self->cb, NULL, av));
	ASSERT_EQ(0, rig_av_insert(va, variant->node, 30, self->rig));
	ASSERT_EQ(0, rig_ep_enable(from, self->ca, self->ca, NULL, va));
	for (i = 0; i < 2; i++) {
		op.iov[i] = (struct weft_iov){
			.addr = (uintptr_t)self->buf + 512 * i, .len = 32
		};
		self->b->keys[i] = (struct rig_key){ .seg = op.iov[i], .zone = 7 };
	}
	for (i = 0; i < 4; i++) {
		op.context = i;
		ASSERT_EQ(0, rig_srq_recv(srq, &op, keys));
		if (i == 2)
			self->b->keys[1].zone = 8;
		ASSERT_EQ(0, send_to(from, 0, self->src, 40, 0));
		ASSERT_TRUE(COMPLETION());
		EXPECT_EQ(i, self->e.context);
		EXPECT_EQ(i == 2 ? EACCES : 0, self->e.status);
		self->b->keys[1].zone = 7;
		if (i == 2) {
			/* the message still waits */
			op.context = 20;
			ASSERT_EQ(0, rig_srq_recv(srq, &op, keys));
			ASSERT_TRUE(COMPLETION());
			EXPECT_EQ(20, self->e.context);
			EXPECT_EQ(0, self->e.status);
		}
	}
	/* a receive without regions is refused */
	op.context = 30;
	ASSERT_EQ(0, rig_srq_recv(srq, &op, NULL));
	ASSERT_EQ(0, send_to(from, 0, self->src, 40, 0));
	ASSERT_TRUE(COMPLETION());
	EXPECT_EQ(30, self->e.context);
	EXPECT_EQ(EOPNOTSUPP, self->e.status);
}

TEST_F(srq, solicited)
{
	ASSERT_EQ(0, POST(1));
	ASSERT_EQ(0, POST(2));
	ASSERT_EQ(0, SEND(0, self->src, 8));
	ASSERT_TRUE(COMPLETION());
	EXPECT_EQ(0, self->e.flags & WEFT_CQE_SOLICITED);
	ASSERT_EQ(0, send_to(self->from, self->dst[0], self->src, 8, WEFT_SQ_SOLICITED));
	ASSERT_TRUE(COMPLETION());
	EXPECT_EQ(WEFT_CQE_SOLICITED, self->e.flags & WEFT_CQE_SOLICITED);
}

/* Made whole or not at all; not on a port that is removed. */
TEST_F(srq, no_memory)
{
	struct rig_srq *srq = NULL;
	u64 failed;
	u32 n;

	for (n = 1; !srq; n++) {
		failed = weft_host_failed();
		weft_host_fail_nth(n);
		srq = rig_srq_new(self->b, 64, 32, 0, self->eq);
		weft_host_fail_nth(0);
		ASSERT_EQ(!srq, weft_host_failed() != failed);
	}
	EXPECT_GT(n, 2);
	rig_srq_look(srq, &self->info);
	EXPECT_EQ(32, self->info.recvs);
	EXPECT_EQ(0, self->info.available + self->info.held + self->info.eps);
	rig_srq_free(srq);
	WRITE_ONCE(self->b->node->core.stopped, true);
	EXPECT_EQ(NULL, rig_srq_new(self->b, 64, 32, 0, self->eq));
	WRITE_ONCE(self->b->node->core.stopped, false);
}

TEST_F(srq, sharing)
{
	struct rig_ep *own = rig_ep_new(self->b, WEFT_EP_RDM, 0, 16, 16, 0);
	struct rig_ep *ep = rig_ep_new(self->b, WEFT_EP_RDM, WEFT_EPF_SRQ, 16, 0, 0);
	struct rig_av *other = rig_av_new(self->b);
	u32 held, span;

	EXPECT_EQ(-EINVAL, weft_ep_share(own->ep, self->srq->srq, other->av));
	EXPECT_EQ(-EINVAL, weft_ep_held(own->ep, &held, &span));
	EXPECT_EQ(-EINVAL, rig_ep_enable(ep, self->cb, self->cb, NULL, other));
	/* endpoints of one queue have one vector */
	EXPECT_EQ(-EINVAL, weft_ep_share(ep->ep, self->srq->srq, other->av));
	EXPECT_EQ(-EBUSY, weft_ep_share(self->to[0]->ep, self->srq->srq, other->av));
	EXPECT_EQ(-EBUSY, weft_ep_share(self->to[0]->ep, NULL, NULL));
}

TEST_HARNESS_MAIN
