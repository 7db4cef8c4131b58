// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets with one short message that the fast path makes, also from the send ring. They are equal
 * to those of the slow path, and leave the same state. The slow path takes all other sends.
 */
#include "core/transport/emit.h"
#include "near.h"
#include "harness.h"

/* Send a message of @len bytes of 0xab. */
static bool put_out(struct near *s, struct weft_flow *flow, u32 len)
{
	struct weft_head h = { .tag = 9, .data = 8, .flags = WEFT_MSG_TAGGED | WEFT_MSG_DATA };
	u8 pay[WEFT_INLINE_MAX];
	bool done;

	memset(pay, 0xab, sizeof(pay));
	h.flow = flow->id;
	h.flow.mseq++;
	h.len = len;
	weft_lock(&s->t.path->lock);
	done = weft_fastpkt_tx(s->t.path, s->t.lane, flow, &h, pay, s->t.out);
	weft_unlock(&s->t.path->lock);
	return done;
}

TEST(fast__put_out)
{
	static const u32 len[] = { 0, 1, 2, 3, 4, 8, 63, 65, WEFT_INLINE_MAX };
	struct weft_chunks rest;
	struct weft_flow *flow;
	struct weft_chunk c;
	struct weft_head m;
	struct weft_hdr h;
	struct near s;
	u32 i, k;

	near_init(&s);
	flow = s.ep->ep->flow.recent;
	ASSERT_NE(NULL, flow);
	for (i = 0; i < ARRAY_SIZE(len); i++) {
		struct weft_tx *tx = &s.t.out->tx[0];

		ASSERT_TRUE(put_out(&s, flow, len[i]));
		ASSERT_EQ(1, s.t.out->ntx);
		EXPECT_EQ(0, tx->pay);
		memset(s.pkt, 0xee, sizeof(s.pkt));
		weft_tx_header(tx, 0, s.pkt);
		ASSERT_EQ(0, weft_wire_hdr_get(s.pkt, tx->len, &h, &rest));
		EXPECT_EQ(WEFT_PKT_PSN, h.flags & WEFT_PKT_PSN);
		EXPECT_EQ(PSN + i, h.psn);
		EXPECT_EQ(LONE_ID, h.path);
		ASSERT_EQ(1, weft_wire_count(&rest, &c));
		ASSERT_EQ(WEFT_CHUNK_EAGER, c.type);
		EXPECT_EQ(len[i], c.paylen);
		weft_wire_head_get(c.body, &m);
		EXPECT_EQ(len[i], m.len);
		EXPECT_EQ(9, m.tag);
		EXPECT_EQ(8, m.data);
		EXPECT_EQ(WEFT_MSG_TAGGED | WEFT_MSG_DATA, m.flags);
		EXPECT_EQ(flow->id.mseq + 1, m.flow.mseq);
		for (k = 0; k < c.paylen; k++)
			ASSERT_EQ(0xab, c.pay[k]);
		for (; (c.pay - s.pkt + k) % 4; k++)
			EXPECT_EQ(0, c.pay[k]);
		EXPECT_EQ(tx->len, c.pay - s.pkt + k);
		EXPECT_EQ(i + 1, s.t.path->nsent);
		EXPECT_EQ(i + 1, flow->unacked);
		EXPECT_TRUE(lone_sound(&s.t));
		lone_drop(&s.t);
	}
	near_fini(&s);
}

/**
 * struct pushed - the effects of a message that was sent
 * @done: the fast path sent it
 * @lane: the lane, but for its lists
 * @busy: path->busy
 * @flight: path->flight
 * @timer_at: path->timer_at
 * @ntx: packets
 * @psn: of each
 * @len: of each
 * @acknow: of each
 * @pkt: the packets, but for the path and its token
 */
struct pushed {
	bool done;
	u64 lane[12];
	u32 busy, flight;
	weft_ns timer_at;
	u32 ntx, psn[4], len[4];
	bool acknow[4];
	u8 pkt[4][256];
};

/* @kind bits: what else is pending. */
static void push_prepare(struct lone *t, u32 kind)
{
	weft_lock(&t->path->lock);
	if (kind & 1)
		weft_lane_take(t->path, t->lane, PSN, 1, true, t->out->now);
	if (kind & 2)
		weft_lane_take(t->path, t->lane, PSN + 5, 1, false, t->out->now);
	if (kind & 4)
		weft_lane_take(t->path, t->lane, t->lane->rcv_nxt, 1, false, t->out->now);
	weft_unlock(&t->path->lock);
	if (kind & 8)
		lone_note(t, 8);
	if (kind & 16) {
		lone_send(t);
		lone_drop(t);
		lone_wait(t, 10 * NSEC_PER_SEC);
		weft_lock(&t->path->lock);
		weft_lane_timer(t->path, t->lane, t->out);
		weft_unlock(&t->path->lock);
	}
	if (kind & 32)
		t->path->busy |= 2;
}

/* The same as put_out(), by the open packet. */
static void put_open(struct near *s, struct weft_flow *flow)
{
	struct weft_head h = { .tag = 9, .data = 8, .flags = WEFT_MSG_TAGGED | WEFT_MSG_DATA };
	struct weft_rec *rec;

	h.flow = flow->id;
	h.flow.mseq++;
	h.len = 8;
	weft_lock(&s->t.path->lock);
	rec = weft_lane_open(s->t.path, s->t.lane);
	rec->len = weft_wire_eager_put(rec->raw, &h, 0, 8);
	memset(rec->raw + rec->len, 0xab, 8);
	rec->len += 8;
	weft_rec_ref(rec, flow, NULL);
	s->t.path->busy |= 1;
	weft_path_output(s->t.path, s->t.out);
	weft_unlock(&s->t.path->lock);
}

/* A free record is kept, and the peer has given credit. */
static void keep_one(struct near *s)
{
	weft_lock(&s->t.path->lock);
	weft_rec_put(s->t.path, weft_rec_new(s->t.path), s->t.out);
	s->t.path->tx_limit = 1024;
	weft_unlock(&s->t.path->lock);
}

/* Put a message of @len bytes, in @n segments, into the send ring. */
static void near_post_long(struct near *s, u32 flags, u32 len, u32 n)
{
	struct rig_op op = {
		.tagged = true,
		.flags = flags | WEFT_SQ_DATA,
		.more = true,
		.peer = s->to,
		.tag = 9,
		.data = 8,
		.n = n,
		.iov = { { (u64)(uintptr_t)s->room, len - (n - 1) } },
	};

	if (n > 1)
		op.iov[1] = (struct weft_iov){ (u64)(uintptr_t)s->room + len - 1, 1 };
	memset(s->room, 0xab, len);
	if (rig_send(s->ep, &op))
		abort();
	WRITE_ONCE(s->ep->doorbell.sq_tail, s->ep->sq_tail);
}

/* The same message as put_out()'s. */
static void near_post_send(struct near *s, u32 flags)
{
	near_post_long(s, flags, 8, 1);
}

static bool pass_out(struct near *s)
{
	struct weft_ep *ep = s->ep->ep;
	bool done;

	weft_mutex_lock(&ep->sq_mutex);
	if (!ep->tx.hand && !weft_send_hand(ep))
		abort();
	done = weft_fast_out(ep, s->t.out);
	weft_mutex_unlock(&ep->sq_mutex);
	return done;
}

static bool put_ring(struct near *s)
{
	near_post_send(s, WEFT_SQ_INLINE);
	return pass_out(s);
}

/* The payload is not in the ring. */
static bool put_apart(struct near *s)
{
	near_post_send(s, 0);
	return pass_out(s);
}

/* The packet that has left the node, of @n bytes at most. Return: its length, 0: none. */
static u32 left(struct near *s, u8 *pkt, u32 n)
{
	struct rig *rig = s->t.rig;
	u32 i;

	for (i = 0; i < rig->nheap; i++) {
		struct rig_event *e = &rig->heap[i];

		if (e->kind == RIG_EV_PACKET && e->len <= n) {
			memcpy(pkt, e->data, e->len);
			return e->len;
		}
	}
	return 0;
}

#define BY_OPEN	0	/* the open packet and weft_path_output() */
#define BY_TX	1	/* weft_fastpkt_tx() */
#define BY_RING	2	/* weft_fast_out() */
#define BY_APART 3	/* weft_fast_out(), the payload is not in the ring */

static void push(u32 kind, u32 by, struct pushed *p)
{
	struct weft_lane *lane;
	struct weft_flow *flow;
	struct near s;
	u32 i;

	near_init(&s);
	lane = s.t.lane;
	flow = s.ep->ep->flow.recent;
	/* generations differ each time */
	flow->id.sgen = GEN;
	push_prepare(&s.t, kind);
	memset(p, 0, sizeof(*p));
	s.t.rig->conf.resv = 0;
	keep_one(&s);
	p->done = by == BY_TX ? put_out(&s, flow, 8) : by == BY_RING ? put_ring(&s) :
		  by == BY_APART ? put_apart(&s) : false;
	if (!p->done)
		put_open(&s, flow);
	*p = (struct pushed){
		.done = p->done,
		.lane = { lane->snd_nxt, lane->flight, lane->limited, lane->ack_now,
			  lane->ack_at, lane->rto_at, lane->rcv_unacked, !lane->open,
			  lone_count(&lane->sent), lone_count(&lane->xmit), lone_sound(&s.t) },
		.busy = s.t.path->busy,
		.flight = s.t.path->flight,
		.timer_at = s.t.path->timer_at,
		.ntx = s.t.out->ntx,
	};
	for (i = 0; i < min_t(u32, p->ntx, 4); i++) {
		struct weft_tx *tx = &s.t.out->tx[i];
		struct weft_w_hdr *w = (void *)p->pkt[i];

		p->psn[i] = tx->psn;
		p->len[i] = tx->len;
		p->acknow[i] = tx->acknow;
		weft_tx_header(tx, 0, p->pkt[i]);
		w->path = 0;
		w->token = 0;
	}
	if (by >= BY_RING && p->done) {
		struct weft_w_hdr *w = (void *)p->pkt[0];

		/* in this state: no packet leaves */
		p->len[0] = left(&s, p->pkt[0], sizeof(p->pkt[0]));
		p->ntx += !!p->len[0];
		p->psn[0] = be32_to_cpu(w->psn);
		p->acknow[0] = w->flags & WEFT_PKT_ACKNOW;
		w->path = 0;
		w->token = 0;
	}
	lone_drop(&s.t);
	near_fini(&s);
}

/* A packet of the fast path equals that of weft_path_output(), and leaves the same state. */
static void as_the_long_way(struct __test_metadata *_metadata, u32 by)
{
	struct pushed a, b;
	u32 kind, i;

	for (kind = 0; kind < 64; kind++) {
		push(kind, by, &a);
		push(kind, BY_OPEN, &b);
		EXPECT_EQ(!(kind & ~4), a.done) TH_LOG("kind %u", kind);
		for (i = 0; i < ARRAY_SIZE(a.lane); i++)
			EXPECT_EQ(b.lane[i], a.lane[i]) TH_LOG("kind %u, number %u", kind, i);
		EXPECT_GE(a.ntx, 1);
		EXPECT_EQ(b.ntx, a.ntx);
		EXPECT_EQ(b.busy, a.busy);
		EXPECT_EQ(b.flight, a.flight);
		EXPECT_EQ(b.timer_at, a.timer_at);
		EXPECT_EQ(0, memcmp(b.psn, a.psn, sizeof(a.psn)));
		EXPECT_EQ(0, memcmp(b.len, a.len, sizeof(a.len)));
		EXPECT_EQ(0, memcmp(b.acknow, a.acknow, sizeof(a.acknow)));
		EXPECT_EQ(0, memcmp(b.pkt, a.pkt, sizeof(a.pkt))) TH_LOG("kind %u", kind);
	}
}

TEST(fast__as_the_long_way)
{
	as_the_long_way(_metadata, BY_TX);
}

TEST(fast__from_the_ring)
{
	as_the_long_way(_metadata, BY_RING);
}

TEST(fast__from_memory)
{
	as_the_long_way(_metadata, BY_APART);
}

/*
 * No part of the send has left, and the slow path is to take it. The slow path is not called here.
 */
static void stays(struct __test_metadata *_metadata, struct near *s, const char *what)
{
	struct weft_ep *ep = s->ep->ep;
	u32 cons = ep->tx.ring.cons;
	u8 pkt[256];

	EXPECT_FALSE(put_ring(s)) TH_LOG("%s", what);
	EXPECT_EQ(0, s->t.out->ntx);
	EXPECT_EQ(0, s->t.path->nsent);
	EXPECT_EQ(0, s->t.path->flight);
	EXPECT_EQ(1, s->t.path->nrecs);
	EXPECT_EQ(PSN, s->t.lane->snd_nxt);
	EXPECT_EQ(0, ep->flow.recent->unacked);
	EXPECT_EQ(0, ep->flow.recent->id.mseq);
	EXPECT_EQ(0, left(s, pkt, sizeof(pkt)));
	EXPECT_EQ(cons, ep->tx.ring.cons);
	weft_mutex_lock(&ep->sq_mutex);
	ep->tx.ring.cons = s->ep->sq_tail;
	weft_send_publish(ep);
	weft_mutex_unlock(&ep->sq_mutex);
}

/* While @field is @value. */
#define STAYS(s, field, value)						\
do {									\
	__typeof__(field) was = field;					\
									\
	field = value;							\
	stays(_metadata, s, #field);					\
	field = was;							\
} while (0)

TEST(fast__stays_in_the_ring)
{
	struct weft_list recs, *l;
	struct weft_rec *filled;
	struct weft_flow *flow;
	struct weft_path *path;
	struct weft_lane *lane;
	struct weft_ep *ep;
	struct near s;

	near_init(&s);
	ep = s.ep->ep;
	path = s.t.path;
	lane = s.t.lane;
	flow = ep->flow.recent;
	keep_one(&s);
	STAYS(&s, path->state, WEFT_PATHS_HELLO);
	STAYS(&s, path->failing, ETIMEDOUT);
	STAYS(&s, path->busy, 2);
	STAYS(&s, path->max_payload, 64);
	STAYS(&s, path->tx_limit, 0);
	STAYS(&s, path->core->conf.rec_max, 0);
	STAYS(&s, lane->cwnd, 0);
	STAYS(&s, lane->snd_una, PSN - WEFT_WINDOW);
	STAYS(&s, lane->rcv_ahead, 1);
	STAYS(&s, flow->dead, ETIMEDOUT);
	STAYS(&s, flow->msg_limit, flow->id.mseq);
	STAYS(&s, flow->tx_limit, flow->tx_used + 7);
	STAYS(&s, ep->flow.far, false);
	STAYS(&s, ep->tx.unsent, path);
	STAYS(&s, ep->flow.recent_gen, ep->flow.recent_gen + 1);
	STAYS(&s, ep->flow.recent_dst, ep->flow.recent_dst + 1);
	/* the port has no room */
	STAYS(&s, s.t.rig->conf.resv, 1);
	/* another packet is being filled */
	filled = weft_entry(weft_list_first(&path->recs), struct weft_rec, node);
	filled->len = 8;
	STAYS(&s, lane->open, filled);
	/* a message waits, of any flow */
	weft_list_init(&recs);
	weft_list_add_tail(&lane->sendq, &recs);
	stays(_metadata, &s, "order");
	weft_list_del(&recs);
	/* others wait behind it */
	near_post_send(&s, WEFT_SQ_INLINE);
	stays(_metadata, &s, "more");
	/* no free record is kept */
	l = weft_list_first(&path->recs);
	weft_list_del(l);
	stays(_metadata, &s, "no record");
	weft_list_add_tail(&path->recs, l);
	EXPECT_TRUE(put_ring(&s));
	EXPECT_EQ(1, path->nsent);
	EXPECT_EQ(1, flow->unacked);
	EXPECT_EQ(1, flow->id.mseq);
	EXPECT_EQ(8, flow->tx_used);
	EXPECT_EQ(8, path->tx_used);
	EXPECT_EQ(1, rig_counter(&s.t.rig->node[0], WEFT_CNT_msgs_sent));
	EXPECT_EQ(1, rig_counter(&s.t.rig->node[0], WEFT_CNT_msgs_eager));
	EXPECT_EQ(1, rig_counter(&s.t.rig->node[0], WEFT_CNT_tx_packets));
	EXPECT_TRUE(lone_sound(&s.t));
	near_fini(&s);
}

/* Kinds of sends that the fast path refuses. */
TEST(fast__kinds)
{
	static const u32 flags[] = {
		WEFT_SQ_INLINE | WEFT_SQ_DELIVERY, WEFT_SQ_INLINE | WEFT_SQ_MATCH,
		WEFT_SQ_INLINE | WEFT_SQ_TRANSMIT, WEFT_SQ_TRANSMIT, WEFT_SQ_FENCE,
	};
	struct near s;
	u32 i, cons;

	near_init(&s);
	s.t.rig->conf.resv = 0;
	keep_one(&s);
	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		near_post_send(&s, flags[i]);
		cons = s.ep->ep->tx.ring.cons;
		EXPECT_FALSE(pass_out(&s)) TH_LOG("flags %x", flags[i]);
		EXPECT_EQ(cons, s.ep->ep->tx.ring.cons);
		EXPECT_EQ(0, s.t.path->nsent);
		s.ep->ep->tx.ring.cons = s.ep->sq_tail;
	}
	weft_mutex_lock(&s.ep->ep->sq_mutex);
	weft_send_publish(s.ep->ep);
	weft_mutex_unlock(&s.ep->ep->sq_mutex);
	near_post_send(&s, WEFT_SQ_INLINE | WEFT_SQ_COMPLETION);
	EXPECT_TRUE(pass_out(&s));
	EXPECT_EQ(1, s.t.path->nsent);
	EXPECT_EQ(1, rig_cq_read(s.cq, &(struct weft_cqe){ 0 }));
	near_fini(&s);
}

/* Empty the send ring: nothing of it is sent. */
static void forget(struct near *s)
{
	struct weft_ep *ep = s->ep->ep;

	weft_mutex_lock(&ep->sq_mutex);
	ep->tx.ring.cons = s->ep->sq_tail;
	weft_send_publish(ep);
	weft_mutex_unlock(&ep->sq_mutex);
}

/* A message in the program's memory: its bytes are in the packet, with zeros behind them. */
TEST(fast__memory_lengths)
{
	static const u32 len[] = { 1, 2, 3, 4, 63, 64, 65, 257, 511, WEFT_INLINE_MAX,
				     WEFT_INLINE_MAX + 1, WEFT_SHORT_MAX - 1, WEFT_SHORT_MAX };
	u8 pkt[WEFT_WIRE_HDR + WEFT_REC_RAW];
	struct weft_chunks rest;
	struct weft_chunk c;
	struct weft_head m;
	struct weft_hdr h;
	u32 i, k, n;

	for (i = 0; i < ARRAY_SIZE(len); i++) {
		struct near s;

		near_init(&s);
		s.t.rig->conf.resv = 0;
		keep_one(&s);
		near_post_long(&s, 0, len[i], 1);
		ASSERT_TRUE(pass_out(&s)) TH_LOG("%u bytes", len[i]);
		EXPECT_EQ(s.ep->sq_tail, s.ep->ep->tx.ring.cons);
		n = left(&s, pkt, sizeof(pkt));
		ASSERT_EQ(0, weft_wire_hdr_get(pkt, n, &h, &rest));
		ASSERT_EQ(1, weft_wire_count(&rest, &c));
		ASSERT_EQ(len[i], c.paylen);
		weft_wire_head_get(c.body, &m);
		EXPECT_EQ(len[i], m.len);
		for (k = 0; k < len[i]; k++)
			ASSERT_EQ(0xab, c.pay[k]);
		for (; k % 4; k++)
			EXPECT_EQ(0, c.pay[k]);
		EXPECT_EQ(n, c.pay + k - pkt);
		near_fini(&s);
	}
}

/* Messages in the program's memory that the fast path leaves alone. */
TEST(fast__memory_refused)
{
	struct weft_flow *flow;
	struct weft_sqe *e;
	struct near s;
	u32 i;

	near_init(&s);
	flow = s.ep->ep->flow.recent;
	s.t.rig->conf.resv = 0;
	keep_one(&s);
	for (i = 0; i < 6; i++) {
		e = &s.ep->sq[s.ep->sq_tail & (s.ep->sq_slots - 1)];
		near_post_long(&s, 0, i == 0 ? WEFT_SHORT_MAX + 1 : 64, i == 1 ? 2 : 1);
		if (i == 2)
			e->nrem = 1;
		if (i == 3)
			e->niov = 2;
		if (i == 4)
			e->addr = 8;
		s.proc->mc->cold = i == 5 ? UINT_MAX : 0;
		EXPECT_FALSE(pass_out(&s)) TH_LOG("case %u", i);
		EXPECT_EQ(0, s.t.path->nsent);
		EXPECT_EQ(1, s.t.path->nrecs);
		EXPECT_EQ(0, flow->id.mseq);
		EXPECT_EQ(0, s.t.out->ntx);
		forget(&s);
	}
	s.proc->mc->cold = 0;
	EXPECT_TRUE(put_apart(&s));
	EXPECT_EQ(1, s.t.path->nsent);
	near_fini(&s);
}

TEST(fast__not_alone)
{
	struct weft_flow *flow;
	struct near s;

	near_init(&s);
	flow = s.ep->ep->flow.recent;
	s.t.path->busy = 1;
	EXPECT_FALSE(put_out(&s, flow, 8));
	s.t.path->busy = 0;
	s.t.lane->rcv_ahead = 1;
	EXPECT_FALSE(put_out(&s, flow, 8));
	s.t.lane->rcv_ahead = 0;
	s.t.out->ntx = WEFT_OUT_TX;
	EXPECT_FALSE(put_out(&s, flow, 8));
	s.t.out->ntx = 0;
	/* a pending chunk goes first, in the same packet */
	ASSERT_TRUE(lone_note(&s.t, 8));
	s.t.path->busy = 0;
	EXPECT_FALSE(put_out(&s, flow, 8));
	lone_output(&s.t);
	lone_drop(&s.t);
	EXPECT_EQ(1, s.t.path->nsent);
	EXPECT_EQ(0, flow->unacked);
	s.t.core->conf.rec_max = 1;
	EXPECT_FALSE(put_out(&s, flow, 8));
	s.t.core->conf.rec_max = 2;
	EXPECT_TRUE(put_out(&s, flow, 8));
	EXPECT_EQ(2, s.t.path->nsent);
	EXPECT_EQ(1, flow->unacked);
	near_fini(&s);
}

TEST_HARNESS_MAIN
