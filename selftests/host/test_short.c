// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets with one short message that are taken straight: that they are, what has to go the long
 * way and that nothing has happened then, and what an acknowledgement does; packets that are made
 * straight, and when they are not
 */
#include "core/emit.h"
#include "lone.h"
#include "harness.h"

#define PSN	1000
#define SVC	5	/* of the peer */
#define GEN	77	/* of its end of the flow */

/**
 * struct near - an endpoint, and a peer who makes his packets by hand
 * @t: the path to him
 * @proc: program
 * @cq: its completions
 * @ep: its endpoint
 * @to: index of the peer in its address vector
 * @room: where messages go
 * @h: header of the next packet
 * @m: head of its message
 * @pkt: the packet
 * @rx: the same, as it comes in
 */
struct near {
	struct lone t;
	struct rig_proc *proc;
	struct rig_cq *cq;
	struct rig_ep *ep;
	u32 to;
	u8 *room;
	struct weft_hdr h;
	struct weft_head m;
	u8 pkt[WEFT_WIRE_HDR + WEFT_WIRE_CHUNK + sizeof(struct weft_w_eager) + 2 * WEFT_INLINE_MAX];
	struct weft_rx rx;
};

static void near_init(struct near *s)
{
	struct weft_flow *flow;
	struct rig_av *av;

	memset(s, 0, sizeof(*s));
	lone_init(&s->t, PSN);
	s->proc = rig_proc_new(&s->t.rig->node[0]);
	s->cq = rig_cq_new(s->proc, 64);
	av = rig_av_new(s->proc);
	s->ep = rig_ep_new(s->proc, WEFT_EP_RDM, 0, 16, 16, 2);
	s->room = rig_buf(s->proc, 4096);
	s->to = (u32)rig_av_insert(av, 1, SVC, s->t.rig);
	if (!s->ep || rig_ep_enable(s->ep, s->cq, s->cq, NULL, av))
		abort();
	/* the one lane that can be looked at */
	weft_mutex_lock(&s->ep->ep->sq_mutex);
	flow = weft_flow_find(s->ep->ep, s->to, s->t.out);
	if (IS_ERR(flow))
		abort();
	flow->lane = 0;
	weft_mutex_unlock(&s->ep->ep->sq_mutex);
	s->h.type = WEFT_PKT_DATA;
	s->h.flags = WEFT_PKT_PSN;
	s->h.path = s->t.path->id;
	s->h.token = s->t.path->token;
	s->h.psn = PSN;
	s->h.ack = PSN;
	s->m.flow.ssvc = SVC;
	s->m.flow.dsvc = 2;
	s->m.flow.sgen = GEN;
	s->m.flow.mseq = 1;
	s->m.flags = WEFT_MSG_TAGGED;
	s->m.tag = 9;
	s->rx.data = s->pkt;
	rig_node_addr(&s->t.rig->conf, 1, 0, &s->rx.src);
	s->rx.src.port = cpu_to_be16(s->t.core->conf.udp_port);
}

static void near_post(struct near *s, u64 context)
{
	struct rig_op op = {
		.tagged = true,
		.flags = WEFT_RQ_COMPLETION,
		.peer = WEFT_SRC_ANY,
		.context = context,
		.tag = 9,
		.n = 1,
		.iov = { { (u64)(uintptr_t)s->room, 4096 } },
	};

	if (rig_recv(s->ep, &op))
		abort();
}

/* Send the peer a short message. */
static void near_send(struct near *s)
{
	struct rig_op op = {
		.tagged = true,
		.flags = WEFT_SQ_INLINE,
		.peer = s->to,
		.n = 1,
		.iov = { { (u64)(uintptr_t)s->room, 8 } },
	};

	if (rig_send(s->ep, &op))
		abort();
	rig_kick(s->ep, WEFT_KICK_SQ);
}

/* The next packet, with @len bytes of @total from @off on. */
static void near_make(struct near *s, u32 len, u32 off, u32 total)
{
	u32 n = WEFT_WIRE_HDR, i;

	memset(s->pkt, 0, sizeof(s->pkt));
	s->m.len = total;
	weft_wire_hdr_put(s->pkt, &s->h);
	n += weft_wire_eager_put(s->pkt + n, &s->m, off, len);
	for (i = 0; i < len; i++)
		s->pkt[n + i] = (u8)(i * 7 + 1);
	s->rx.len = WEFT_WIRE_HDR + weft_wire_size(sizeof(struct weft_w_eager) + len);
}

static bool near_short(struct near *s)
{
	bool done = weft_short_rx(s->t.core, &s->rx, s->t.out);

	weft_flush(s->t.out);
	return done;
}

static void near_long(struct near *s)
{
	weft_core_rx(s->t.core, s->t.out->now, &s->rx, 1, s->t.out);
	weft_flush(s->t.out);
}

static void near_next(struct near *s)
{
	s->h.psn++;
	s->m.flow.mseq++;
}

/* The first message makes the flow, the long way. */
static void near_first(struct __test_metadata *_metadata, struct near *s)
{
	struct weft_cqe e;

	near_post(s, 1);
	near_make(s, 8, 0, 8);
	ASSERT_FALSE(near_short(s));
	ASSERT_EQ(PSN, s->t.lane->rcv_nxt);
	near_long(s);
	ASSERT_EQ(PSN + 1, s->t.lane->rcv_nxt);
	ASSERT_EQ(1, rig_cq_read(s->cq, &e));
	near_next(s);
}

static void near_fini(struct near *s)
{
	lone_fini(&s->t);
}

TEST(short__lengths)
{
	static const u32 len[] = { 0, 1, 3, 4, 8, 63, 64, 65, 500, WEFT_INLINE_MAX };
	struct weft_cqe e;
	struct near s;
	u64 gone;
	u32 i, k;

	near_init(&s);
	near_first(_metadata, &s);
	for (i = 0; i < ARRAY_SIZE(len); i++) {
		gone = s.t.path->rx_gone;
		near_post(&s, 10 + i);
		near_make(&s, len[i], 0, len[i]);
		ASSERT_TRUE(near_short(&s));
		ASSERT_EQ(1, rig_cq_read(s.cq, &e));
		EXPECT_EQ(10 + i, e.context);
		EXPECT_EQ(len[i], e.len);
		EXPECT_EQ(9, e.tag);
		EXPECT_EQ(0, e.status);
		EXPECT_EQ(0, e.data);
		for (k = 0; k < len[i]; k++)
			ASSERT_EQ((u8)(k * 7 + 1), s.room[k]);
		EXPECT_EQ(s.h.psn + 1, s.t.lane->rcv_nxt);
		EXPECT_EQ(gone + len[i], s.t.path->rx_gone);
		near_next(&s);
		/* the same packet once more is one that has come before */
		ASSERT_FALSE(near_short(&s));
	}
	EXPECT_EQ(1 + ARRAY_SIZE(len), rig_counter(&s.t.rig->node[0], WEFT_CNT_msgs_received));
	EXPECT_EQ(1 + ARRAY_SIZE(len), rig_counter(&s.t.rig->node[0], WEFT_CNT_rx_packets));
	near_fini(&s);
}

/* What is not of that form leaves everything as it was. */
static void refused(struct __test_metadata *_metadata, struct near *s, const char *what)
{
	u32 nxt = s->t.lane->rcv_nxt;
	u64 gone = s->t.path->rx_gone;
	struct weft_cqe e;

	EXPECT_FALSE(near_short(s)) {
		TH_LOG("%s", what);
	}
	EXPECT_EQ(nxt, s->t.lane->rcv_nxt);
	EXPECT_EQ(gone, s->t.path->rx_gone);
	EXPECT_EQ(0, rig_cq_read(s->cq, &e));
	near_make(s, 8, 0, 8);
}

TEST(short__form)
{
	struct weft_w_chunk *c;
	struct weft_w_hdr *w;
	struct weft_cqe e;
	struct near s;
	u32 i, len;

	near_init(&s);
	near_first(_metadata, &s);
	near_post(&s, 2);
	w = (void *)s.pkt;
	c = (void *)(w + 1);

	near_make(&s, 8, 0, 8);
	len = s.rx.len;
	for (i = 0; i < len; i++) {
		s.rx.len = i;
		refused(_metadata, &s, "short");
	}
	s.rx.len = len + 4;
	refused(_metadata, &s, "long");
	s.rx.seg = len / 2;
	refused(_metadata, &s, "a run");
	s.rx.seg = 0;
	w->vt = (WEFT_WIRE_VERSION + 1) << 4 | WEFT_PKT_DATA;
	refused(_metadata, &s, "version");
	w->vt = WEFT_WIRE_VERSION << 4 | WEFT_PKT_DGRAM;
	refused(_metadata, &s, "type");
	w->flags = 0;
	refused(_metadata, &s, "no PSN");
	w->flags = WEFT_PKT_PSN | 0x80;
	refused(_metadata, &s, "flags");
	w->lane = WEFT_LANES;
	refused(_metadata, &s, "no such lane");
	w->words = WEFT_WIRE_HDR / 4 + 1;
	refused(_metadata, &s, "header");
	w->job = 1;
	refused(_metadata, &s, "job");
	w->token ^= 1;
	refused(_metadata, &s, "token");
	w->path ^= 1;
	refused(_metadata, &s, "path");
	w->psn = cpu_to_be32(s.h.psn + 1);
	refused(_metadata, &s, "ahead");
	w->psn = cpu_to_be32(s.h.psn - 1);
	refused(_metadata, &s, "old");
	c->type = WEFT_CHUNK_ANNOUNCE;
	refused(_metadata, &s, "chunk");
	c->len = cpu_to_be16(sizeof(struct weft_w_eager) - 1);
	refused(_metadata, &s, "chunk's length");
	c->len = 0;
	refused(_metadata, &s, "no chunk");
	near_make(&s, 8, 0, 16);
	refused(_metadata, &s, "a part");
	near_make(&s, 8, 8, 16);
	refused(_metadata, &s, "the other part");
	near_make(&s, WEFT_INLINE_MAX + 1, 0, WEFT_INLINE_MAX + 1);
	refused(_metadata, &s, "too long");
	s.m.flow.sgen++;
	near_make(&s, 8, 0, 8);
	s.m.flow.sgen--;
	refused(_metadata, &s, "another flow");
	s.m.flow.mseq++;
	near_make(&s, 8, 0, 8);
	s.m.flow.mseq--;
	refused(_metadata, &s, "not its turn");
	s.m.flags |= WEFT_MSG_PLACED;
	near_make(&s, 8, 0, 8);
	s.m.flags &= ~WEFT_MSG_PLACED;
	refused(_metadata, &s, "an answer is wanted");
	s.m.tag++;
	near_make(&s, 8, 0, 8);
	s.m.tag--;
	refused(_metadata, &s, "no receive");

	ASSERT_TRUE(near_short(&s));
	EXPECT_EQ(1, rig_cq_read(s.cq, &e));
	near_fini(&s);
}

/* The packet acknowledges the only one under way, also where its message goes the long way. */
static void acked(struct __test_metadata *_metadata, bool posted)
{
	struct weft_cqe e;
	struct near s;

	near_init(&s);
	near_first(_metadata, &s);
	near_send(&s);
	ASSERT_EQ(1, s.t.path->nsent);
	lone_wait(&s.t, 100 * NSEC_PER_USEC);
	if (posted)
		near_post(&s, 3);
	s.h.ack = PSN + 1;
	near_make(&s, 8, 0, 8);
	EXPECT_EQ(posted, near_short(&s));
	EXPECT_EQ(0, s.t.path->nsent);
	EXPECT_EQ(0, s.t.path->flight);
	EXPECT_EQ(0, s.t.lane->flight);
	EXPECT_EQ(PSN + 1, s.t.lane->snd_una);
	EXPECT_EQ(U64_MAX, s.t.lane->rto_at);
	EXPECT_EQ(100 * NSEC_PER_USEC, s.t.path->class[0].srtt);
	EXPECT_EQ(100 * NSEC_PER_USEC, s.t.lane->rack_rtt);
	EXPECT_TRUE(lone_sound(&s.t));
	if (!posted) {
		near_long(&s);
		EXPECT_EQ(100 * NSEC_PER_USEC, s.t.path->class[0].srtt);
		near_post(&s, 3);
	}
	EXPECT_EQ(s.h.psn + 1, s.t.lane->rcv_nxt);
	EXPECT_EQ(1, rig_cq_read(s.cq, &e));
	EXPECT_EQ(3, e.context);
	near_fini(&s);
}

TEST(short__acknowledges)
{
	acked(_metadata, true);
}

TEST(short__acknowledges_unexpected)
{
	acked(_metadata, false);
}

/* Of several, or of one that was sent again, the long way's answer is the same. */
TEST(short__acknowledges_some)
{
	struct near s;
	u32 i;

	near_init(&s);
	near_first(_metadata, &s);
	for (i = 0; i < 3; i++)
		near_send(&s);
	ASSERT_EQ(3, s.t.path->nsent);
	for (i = 1; i <= 3; i++) {
		lone_wait(&s.t, 100 * NSEC_PER_USEC);
		near_post(&s, i);
		s.h.ack = PSN + i;
		near_make(&s, 8, 0, 8);
		EXPECT_TRUE(near_short(&s));
		EXPECT_EQ(3 - i, s.t.path->nsent);
		EXPECT_EQ(3 - i, s.t.lane->flight);
		EXPECT_EQ(PSN + i, s.t.lane->snd_una);
		EXPECT_TRUE(lone_sound(&s.t));
		near_next(&s);
	}
	/* what was never sent is not acknowledged */
	near_post(&s, 4);
	s.h.ack = PSN + 4;
	near_make(&s, 8, 0, 8);
	EXPECT_TRUE(near_short(&s));
	EXPECT_EQ(PSN + 3, s.t.lane->snd_una);
	EXPECT_TRUE(lone_sound(&s.t));
	near_fini(&s);
}

/* Put out a message of @len bytes of 0xab. */
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
	done = weft_short_tx(s->t.path, s->t.lane, flow, &h, pay, s->t.out);
	weft_unlock(&s->t.path->lock);
	return done;
}

TEST(short__put_out)
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
	flow = s.ep->ep->recent;
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
 * struct pushed - what has come of a message that was put out
 * @done: it went straight
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

/* @kind bits: what else there is to do. */
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

/* A record is there to be used again, and room at the peer. */
static void keep_one(struct near *s)
{
	weft_lock(&s->t.path->lock);
	weft_rec_put(s->t.path, weft_rec_new(s->t.path), s->t.out);
	s->t.path->tx_limit = 1024;
	weft_unlock(&s->t.path->lock);
}

/* Put the same message into the send ring. */
static void near_post_send(struct near *s, u32 flags)
{
	struct rig_op op = {
		.tagged = true,
		.flags = flags | WEFT_SQ_DATA,
		.more = true,
		.peer = s->to,
		.tag = 9,
		.data = 8,
		.n = 1,
		.iov = { { (u64)(uintptr_t)s->room, 8 } },
	};

	memset(s->room, 0xab, 8);
	if (rig_send(s->ep, &op))
		abort();
	WRITE_ONCE(s->ep->doorbell.sq_tail, s->ep->sq_tail);
}

static bool pass_out(struct near *s)
{
	struct weft_ep *ep = s->ep->ep;
	bool done;

	weft_mutex_lock(&ep->sq_mutex);
	if (!ep->hand && !weft_send_hand(ep))
		abort();
	done = weft_pass_out(ep, s->t.out);
	weft_mutex_unlock(&ep->sq_mutex);
	return done;
}

static bool put_ring(struct near *s)
{
	near_post_send(s, WEFT_SQ_INLINE);
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
#define BY_TX	1	/* weft_short_tx() */
#define BY_RING	2	/* weft_pass_out() */

static void push(u32 kind, u32 by, struct pushed *p)
{
	struct weft_lane *lane;
	struct weft_flow *flow;
	struct near s;
	u32 i;

	near_init(&s);
	lane = s.t.lane;
	flow = s.ep->ep->recent;
	/* generations are never the same */
	flow->id.sgen = GEN;
	push_prepare(&s.t, kind);
	memset(p, 0, sizeof(*p));
	s.t.rig->conf.blank = 0;
	keep_one(&s);
	p->done = by == BY_TX ? put_out(&s, flow, 8) : by == BY_RING ? put_ring(&s) : false;
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
	if (by == BY_RING && p->done) {
		struct weft_w_hdr *w = (void *)p->pkt[0];

		/* as it stands: nothing is put out */
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

/* What goes out straight is what goes out by weft_path_output(), and leaves the same. */
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

TEST(short__as_the_long_way)
{
	as_the_long_way(_metadata, BY_TX);
}

TEST(short__from_the_ring)
{
	as_the_long_way(_metadata, BY_RING);
}

/* Nothing of the send has gone, and it is left to the long way, which is not taken here. */
static void stays(struct __test_metadata *_metadata, struct near *s, const char *what)
{
	struct weft_ep *ep = s->ep->ep;
	u32 cons = ep->sq.cons;
	u8 pkt[256];

	EXPECT_FALSE(put_ring(s)) TH_LOG("%s", what);
	EXPECT_EQ(0, s->t.out->ntx);
	EXPECT_EQ(0, s->t.path->nsent);
	EXPECT_EQ(0, s->t.path->flight);
	EXPECT_EQ(1, s->t.path->nrecs);
	EXPECT_EQ(PSN, s->t.lane->snd_nxt);
	EXPECT_EQ(0, ep->recent->unacked);
	EXPECT_EQ(0, ep->recent->id.mseq);
	EXPECT_EQ(0, left(s, pkt, sizeof(pkt)));
	EXPECT_EQ(cons, ep->sq.cons);
	weft_mutex_lock(&ep->sq_mutex);
	ep->sq.cons = s->ep->sq_tail;
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

TEST(short__stays_in_the_ring)
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
	flow = ep->recent;
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
	STAYS(&s, ep->far, false);
	STAYS(&s, ep->owed, path);
	STAYS(&s, ep->recent_gen, ep->recent_gen + 1);
	STAYS(&s, ep->recent_dst, ep->recent_dst + 1);
	/* the port has no room */
	STAYS(&s, s.t.rig->conf.blank, 1);
	/* another packet is being filled */
	filled = weft_entry(weft_list_first(&path->recs), struct weft_rec, node);
	filled->len = 8;
	STAYS(&s, lane->open, filled);
	/* a message that waits, of whichever flow */
	weft_list_init(&recs);
	weft_list_add_tail(&lane->sendq, &recs);
	stays(_metadata, &s, "order");
	weft_list_del(&recs);
	/* others stand behind it */
	near_post_send(&s, WEFT_SQ_INLINE);
	stays(_metadata, &s, "more");
	/* no record is kept */
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

/* Kinds of sends that are not for this way. */
TEST(short__kinds)
{
	static const u32 flags[] = {
		WEFT_SQ_INLINE | WEFT_SQ_DELIVERY, WEFT_SQ_INLINE | WEFT_SQ_MATCH,
		WEFT_SQ_INLINE | WEFT_SQ_TRANSMIT, 0,
	};
	struct near s;
	u32 i, cons;

	near_init(&s);
	s.t.rig->conf.blank = 0;
	keep_one(&s);
	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		near_post_send(&s, flags[i]);
		cons = s.ep->ep->sq.cons;
		EXPECT_FALSE(pass_out(&s)) TH_LOG("flags %x", flags[i]);
		EXPECT_EQ(cons, s.ep->ep->sq.cons);
		EXPECT_EQ(0, s.t.path->nsent);
		s.ep->ep->sq.cons = s.ep->sq_tail;
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

TEST(short__not_alone)
{
	struct weft_flow *flow;
	struct near s;

	near_init(&s);
	flow = s.ep->ep->recent;
	s.t.path->busy = 1;
	EXPECT_FALSE(put_out(&s, flow, 8));
	s.t.path->busy = 0;
	s.t.lane->rcv_ahead = 1;
	EXPECT_FALSE(put_out(&s, flow, 8));
	s.t.lane->rcv_ahead = 0;
	s.t.out->ntx = WEFT_OUT_TX;
	EXPECT_FALSE(put_out(&s, flow, 8));
	s.t.out->ntx = 0;
	/* a chunk that waits goes first, in the same packet */
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
