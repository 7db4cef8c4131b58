/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - steps of the fast path: which sends it takes, and how a message finds its receive
 *
 * fast_ring.c describes the fast path. These steps are inline, because they make up most of it.
 *
 * Locks: ep->sq_mutex of the sender; ep->lock of the receiver, and its cq->lock.
 */
#ifndef WEFT_FAST_H
#define WEFT_FAST_H

#include "core/messaging/messaging.h"
#include "core/queue/cq.h"

/**
 * union weft_lead - first word of an entry, compared at once
 * @op: WEFT_SQ_SEND, _TSEND; WEFT_RQ_RECV, _TRECV
 * @nslots: slots
 * @flags: flags
 * @peer: index in the address vector; a receive's may be WEFT_SRC_ANY
 * @word: all fields
 */
union weft_lead {
	struct {
		u8 op;
		u8 nslots;
		u16 flags;
		u32 peer;
	};
	u64 word;
};

static inline union weft_lead weft_lead_of(const void *slot)
{
	union weft_lead l;

	BUILD_BUG_ON(sizeof(l) != offsetof(struct weft_rqe, context));
	BUILD_BUG_ON(sizeof(l) != offsetof(struct weft_sqe, context));
	BUILD_BUG_ON(offsetof(union weft_lead, peer) != offsetof(struct weft_rqe, src));
	BUILD_BUG_ON(offsetof(union weft_lead, peer) != offsetof(struct weft_sqe, dst));
	l.word = READ_ONCE(*(const u64 *)slot);
	return l;
}

/* ---- The receiver ---------------------------------------------------------------- */

/* Return: true if the endpoint's state allows the fast path for messages from @src. */
static __always_inline bool weft_fast_open(const struct weft_ep *ep, u32 src)
{
	return likely(ep->rx_cq && !ep->rx.srq && !ep->rx.draining && !ep->rx.nturn) &&
	       !weft_recv_strange(ep, src);
}

/* Return: first word of receives from any sender. Two constants: the compiler assembles nothing. */
static __always_inline union weft_lead weft_fast_want(bool tagged)
{
	union weft_lead t = { {
		.op = WEFT_RQ_TRECV, .nslots = 1, .flags = WEFT_RQ_COMPLETION,
		.peer = WEFT_SRC_ANY,
	} }, u = { {
		.op = WEFT_RQ_RECV, .nslots = 1, .flags = WEFT_RQ_COMPLETION,
		.peer = WEFT_SRC_ANY,
	} };

	t.word = tagged ? t.word : u.word;
	return t;
}

/*
 * Return: true if it is a receive of one segment that begins like @want and matches tag and @src.
 */
static __always_inline bool weft_fast_fits(const struct weft_ep *ep, const struct weft_rqe *s,
					   union weft_lead want, u64 tag, u32 src)
{
	union weft_lead l = weft_lead_of(s);
	u64 differ = READ_ONCE(s->tag) ^ tag, ignore = READ_ONCE(s->ignore);

	if (unlikely(l.word != want.word)) {
		if (l.peer != src || ep->conf.type == WEFT_EP_MSG)
			return false;
		want.peer = src;
		if (l.word != want.word)
			return false;
	}
	if (unlikely(differ | ignore) && (want.op != WEFT_RQ_TRECV || differ & ~ignore))
		return false;
	return !((READ_ONCE(s->niov) ^ 1) | READ_ONCE(s->part) | READ_ONCE(s->rsvd2));
}

/*
 * Look at the oldest receive in the ring for a message, and set the context in its completion @c.
 * *@buf: address of its bytes. Return: true if it fits.
 */
static __always_inline bool weft_fast_ring(struct weft_ep *ep, struct weft_cqe *c,
					   union weft_lead want, u64 tag, u32 len, u32 src,
					   u64 *buf)
{
	struct weft_ring *r = &ep->rx.ring;
	const struct weft_rqe *s;
	u64 addr, room;

	if (ep->rx.match.nunexp | ep->rx.ncut)
		return false;
	if (r->cons == r->prod && weft_ring_look(r, &ep->conf.doorbell->rq_tail) != WEFT_RING_OK)
		return false;
	s = weft_ring_at(r, r->cons);
	c->context = READ_ONCE(s->context);
	addr = READ_ONCE(s->addr);
	room = READ_ONCE(s->len);
	*buf = addr;
	if (unlikely(len > room || addr + room < addr) || !weft_fast_fits(ep, s, want, tag, src))
		return false;
	weft_trace_post_recv(ep->core, ep, 0, c->context, READ_ONCE(s->src), READ_ONCE(s->tag),
			     READ_ONCE(s->ignore), room, want.op);
	return true;
}

struct weft_post *weft_fast_post(struct weft_ep *ep, u16 flags, u64 tag, u32 len, u32 src);

/*
 * Find the receive of a message, and set the context in its completion @c. *@post: the receive;
 * NULL: the next one in the ring. *@buf: address of its bytes. Return: true if there is one that
 * the fast path may take, with weft_fast_take().
 */
static __always_inline bool weft_fast_find(struct weft_ep *ep, struct weft_cqe *c,
					   union weft_lead want, u64 tag, u32 len, u32 src,
					   u16 flags, struct weft_post **post, u64 *buf)
{
	struct weft_post *p = NULL;

	if (unlikely(ep->rx.match.nposts)) {
		p = weft_fast_post(ep, flags, tag, len, src);
		if (IS_ERR(p))
			return false;
	}
	if (likely(!p))
		return weft_fast_ring(ep, c, want, tag, len, src, buf);
	c->context = p->context;
	*buf = p->vec.seg[0].addr;
	*post = p;
	return true;
}

/* Take the receive that weft_fast_find() has found. */
static __always_inline void weft_fast_take(struct weft_ep *ep, struct weft_post *post)
{
	if (unlikely(post))
		weft_match_post_del(&ep->rx.match, &post->match);
	else
		weft_ring_next(&ep->rx.ring, 1);
}

/*
 * Fill in the completion of a whole message whose receive is found. @waited: the message came
 * first.
 */
static __always_inline void weft_fast_fill(struct weft_cqe *c, struct weft_ep *ep, u64 tag,
					   u64 data, u32 len, u32 src, u16 flags, bool waited)
{
	weft_ep_receives(ep, c->context, src, tag, len, waited);
	weft_trace_complete(ep, c->context, tag, len, flags, 0);
	c->tag = tag;
	c->data = data;
	c->len = len;
	c->src = src;
	c->ep = (u16)ep->conf.handle;
	c->olen = 0;
	c->status = 0;
	c->flags = flags;
}

/* Finish the delivery of @n messages; the queue is not locked any more. */
static __always_inline void weft_fast_got(struct weft_ep *ep, struct weft_post *post, u32 n,
					  struct weft_out *out)
{
	weft_ring_publish(&ep->rx.ring, &ep->conf.status->rq_head);
	if (unlikely(ep->rx_cntr))
		while (n--)
			weft_cq_count(ep->rx_cntr, false, out);
	if (unlikely(post))
		weft_post_free(ep, post, out);
}

/* ---- The sender ------------------------------------------------------------------ */

/*
 * Return: the flow of the endpoint's sends to @dst, if it is unchanged and ends on this node
 * (@near) or on another one; else NULL.
 */
static __always_inline struct weft_flow *weft_fast_flow(const struct weft_ep *ep, u32 dst,
							bool near)
{
	struct weft_flow *flow = ep->flow.recent;

	if (unlikely(!flow || !flow->lep == near || READ_ONCE(flow->dead) ||
		     dst != ep->flow.recent_dst))
		return NULL;
	if (likely(ep->conf.type == WEFT_EP_RDM))
		return ep->flow.recent_gen == weft_av_gen(ep->av) ? flow : NULL;
	return READ_ONCE(ep->state) == WEFT_EPS_CONNECTED ? flow : NULL;
}

/* flags that a send of the fast path may have */
#define WEFT_FAST_FLAGS	(WEFT_SQ_DATA | WEFT_SQ_COMPLETION | WEFT_SQ_MORE | WEFT_SQ_SOLICITED)

/*
 * Return: true if the fast path may take sends with this first word. Their other words are checked
 * one by one.
 */
static __always_inline bool weft_fast_kind(union weft_lead l)
{
	return (l.flags & ~WEFT_FAST_FLAGS) == (l.nslots > 1 ? WEFT_SQ_INLINE : 0) &&
	       (l.op == WEFT_SQ_TSEND || l.op == WEFT_SQ_SEND);
}

/*
 * Return: true if the slow path would accept the words of the send at @s, of a run with first word
 * @l.
 */
static __always_inline bool weft_fast_words(const struct weft_sqe *s, union weft_lead l, u64 tag,
					    u64 data)
{
	if (unlikely(data) && !(l.flags & WEFT_SQ_DATA))
		return false;
	if (unlikely(tag) && l.op == WEFT_SQ_SEND)
		return false;
	return !(READ_ONCE(s->nrem) | READ_ONCE(s->raddr));
}

/* As weft_fast_words(), for a send whose bytes are in one segment of the program's memory. */
static __always_inline bool weft_fast_segment(const struct weft_sqe *s, union weft_lead l, u64 tag,
					      u64 data)
{
	return READ_ONCE(s->niov) == 1 && weft_fast_words(s, l, tag, data);
}

/* As weft_fast_words(), for a send whose bytes are in the ring @r. */
static __always_inline bool weft_fast_packet(const struct weft_ring *r, const struct weft_sqe *s,
					     union weft_lead l, u64 len, u64 tag, u64 data)
{
	if (len > WEFT_INLINE_MAX || weft_cq_slots((u32)len) != l.nslots ||
	    l.nslots > r->prod - r->cons)
		return false;
	if (READ_ONCE(s->addr) | READ_ONCE(s->niov) || !weft_fast_words(s, l, tag, data))
		return false;
	/* the payload does not wrap at the ring's end */
	return ((r->cons + 1) & (r->size - 1)) + l.nslots - 1 <= r->size;
}

/*
 * As weft_fast_words(), for a short send, whose bytes are in the ring @r or in one segment. *@pay:
 * address of the bytes in the ring, NULL: they are in the segment.
 */
static __always_inline bool weft_fast_short(const struct weft_ring *r, const struct weft_sqe *s,
					    union weft_lead l, u64 len, u64 tag, u64 data,
					    const void **pay)
{
	*pay = NULL;
	if (unlikely(l.nslots == 1 && len))
		return len <= WEFT_SHORT_MAX && weft_fast_segment(s, l, tag, data);
	*pay = weft_ring_at(r, r->cons + 1);
	return likely(weft_fast_packet(r, s, l, len, tag, data));
}

/* Return: true if two sends belong to one run. */
static __always_inline bool weft_fast_alike(union weft_lead a, union weft_lead b)
{
	union weft_lead more = { { .flags = WEFT_SQ_MORE } };

	return !((a.word ^ b.word) & ~more.word);
}

void weft_fast_sent(struct weft_ep *ep, union weft_lead l, u32 n, struct weft_out *out);
bool weft_fast_fetch(struct weft_ep *ep, const struct weft_sqe *s, struct weft_rec *rec, u32 len,
		     u32 size);

/* ---- fast_long.c ----------------------------------------------------------------------- */

/**
 * struct weft_fast_msg - a message on the fast path whose bytes are not in the ring
 * @want: weft_fast_want()
 * @tag: tag
 * @data: remote CQ data, 0 without WEFT_CQE_DATA
 * @len: bytes, not 0
 * @src: sender
 * @flags: WEFT_CQE_*
 * @from: memory of the sender's program, which calls; NULL: @pay has the bytes
 * @addr: address in it
 * @pay: kernel memory, in pieces of @piece bytes
 * @piece: bytes of a piece
 * @skip: bytes between two pieces
 */
struct weft_fast_msg {
	union weft_lead want;
	u64 tag;
	u64 data;
	u32 len;
	u32 src;
	u16 flags;
	struct weft_memctx *from;
	u64 addr;
	const void *pay;
	u32 piece;
	u32 skip;
};

bool weft_fast_long(struct weft_ep *ep, struct weft_cq *cq, const struct weft_fast_msg *m,
		    u8 *scratch, struct weft_post **post);

#endif
