// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - the straight way of short messages
 *
 * A message goes to the receive that is posted for it, or else, if none waits in front of it, to
 * the oldest receive in the ring, if that fits. A whole short message goes from where it stands
 * into the completion queue, and nothing is made in between: a receive that is still in the ring is
 * never posted, and there is no struct weft_post. Within the node the sender's entry is not decoded
 * either: both entries are looked at where they stand, each word once, and whatever is not the
 * frequent form goes the long way (send.c, post.c), as if nothing had happened:
 *
 *	send ring --(weft_pass_send(): flow within the node)--\
 *	packet --(weft_pass_recv())-----------------------------> completion queue
 *
 * Words are read once and may be anything: they decide only where the program's own bytes go.
 *
 * Locks: ep->sq_mutex of the sender; ep->lock of the receiver; its cq->lock.
 */
#include "cq.h"
#include "proto.h"

/**
 * union weft_lead - beginning of an entry, to be compared at once
 * @op: WEFT_SQ_SEND, _TSEND; WEFT_RQ_RECV, _TRECV
 * @nslots: slots
 * @flags: flags
 * @word: all of them
 */
union weft_lead {
	struct {
		u8 op;
		u8 nslots;
		u16 flags;
	};
	u32 word;
};

static inline union weft_lead weft_lead_of(const void *slot)
{
	union weft_lead l;

	BUILD_BUG_ON(sizeof(l) != offsetof(struct weft_rqe, src));
	BUILD_BUG_ON(sizeof(l) != offsetof(struct weft_sqe, dst));
	l.word = READ_ONCE(*(const u32 *)slot);
	return l;
}

/* Is it a receive of one segment for a message with that tag from @src? @flags: WEFT_CQE_*. */
static __always_inline bool weft_pass_fits(const struct weft_ep *ep, const struct weft_rqe *s,
					   u16 flags, u64 tag, u32 src)
{
	bool tagged = flags & WEFT_CQE_TAGGED;
	union weft_lead want = { {
		.op = tagged ? WEFT_RQ_TRECV : WEFT_RQ_RECV,
		.nslots = 1,
		.flags = WEFT_RQ_COMPLETION,
	} };
	u64 differ = READ_ONCE(s->tag) ^ tag, ignore = READ_ONCE(s->ignore);
	u32 from = READ_ONCE(s->src);

	if (weft_lead_of(s).word != want.word)
		return false;
	if (unlikely(differ | ignore) && (!tagged || differ & ~ignore))
		return false;
	if (unlikely(from != WEFT_SRC_ANY) && (from != src || ep->conf.type == WEFT_EP_MSG))
		return false;
	return READ_ONCE(s->niov) == 1 && !(READ_ONCE(s->part) | READ_ONCE(s->rsvd2));
}

/* The receive that is posted for a message. Return: NULL: there is none. */
static noinline struct weft_post *weft_pass_posted(struct weft_ep *ep, bool tagged, u64 tag,
						   u32 src)
{
	struct weft_mpost *p = weft_match_posted(&ep->match, tagged ? WEFT_TAGGED : WEFT_UNTAGGED,
						 src, tag);

	return p ? container_of(p, struct weft_post, match) : NULL;
}

/* The oldest receive in the ring takes the message of @c. Return: it does. */
static __always_inline bool weft_pass_ring(struct weft_ep *ep, struct weft_cqe *c, u16 flags,
					   u64 tag, u32 len, u32 src)
{
	const struct weft_rqe *s;
	u64 addr, room;

	if (ep->match.nunexp | ep->ncut ||
	    weft_ring_look(&ep->rq, &ep->conf.doorbell->rq_tail) != WEFT_RING_OK)
		return false;
	s = weft_ring_at(&ep->rq, ep->rq.cons);
	c->context = READ_ONCE(s->context);
	addr = READ_ONCE(s->addr);
	room = READ_ONCE(s->len);
	c->buf = addr;
	if (unlikely(len > room || addr + room < addr) || !weft_pass_fits(ep, s, flags, tag, src))
		return false;
	weft_trace_post(ep->conf.handle, c->context, tag, room,
			256 + (flags & WEFT_CQE_TAGGED ? WEFT_RQ_TRECV : WEFT_RQ_RECV));
	weft_ring_next(&ep->rq, 1);
	weft_ring_publish(&ep->rq, &ep->conf.status->rq_head);
	return true;
}

/* A posted receive takes it. */
static noinline bool weft_pass_post(struct weft_ep *ep, struct weft_post *post, struct weft_cqe *c,
				    u32 len)
{
	if (post->flags != WEFT_RQ_COMPLETION || post->vec.n != 1 || post->match.stays ||
	    len > post->vec.len)
		return false;
	c->context = post->context;
	c->buf = post->vec.seg[0].addr;
	return true;
}

/*
 * @flags: WEFT_CQE_*; @data: 0 when they do not tell of any. The slot of the entry is the place for
 * all that is known; nobody looks at it as long as it is not published.
 */
static __always_inline bool weft_pass_in(struct weft_ep *ep, u64 tag, u64 data, u32 len, u32 src,
					 u16 flags, const void *pay, struct weft_out *out)
{
	struct weft_post *post = NULL;
	struct weft_cq *cq = ep->rx_cq;
	struct weft_cqe *c;

	if (unlikely(!cq || ep->srq || ep->draining || !weft_list_empty(&ep->turn)) ||
	    weft_recv_strange(ep, src))
		return false;
	if (unlikely(ep->match.nposts))
		post = weft_pass_posted(ep, flags & WEFT_CQE_TAGGED, tag, src);
	/* what stands in the ring may cancel it */
	if (unlikely(post) &&
	    weft_ring_look(&ep->rq, &ep->conf.doorbell->rq_tail) != WEFT_RING_EMPTY)
		return false;
	weft_lock_inner(&cq->lock);
	if (unlikely(!weft_list_empty(&cq->waiting) || !weft_cq_room(cq, weft_cq_slots(len)) ||
		     cq->bad))
		goto not;
	c = weft_cq_slot(cq);
	if (unlikely(post) ? !weft_pass_post(ep, post, c, len) :
			     !weft_pass_ring(ep, c, flags, tag, len, src))
		goto not;
	weft_trace_match(ep->conf.handle, c->context, tag, len, 0);
	weft_trace_complete((u16)ep->conf.handle, c->context, tag, len, 0);
	c->tag = tag;
	c->data = data;
	c->len = len;
	c->src = src;
	c->ep = (u16)ep->conf.handle;
	c->olen = 0;
	c->status = 0;
	c->flags = flags | WEFT_CQE_INLINE;
	if (unlikely(!len)) {
		c->flags = flags;
		c->buf = 0;
	}
	weft_cq_end(cq, c, pay, len);
	weft_cq_wake(cq, out);
	weft_unlock_inner(&cq->lock);
	if (unlikely(ep->rx_cntr))
		weft_cq_count(ep->rx_cntr, false, out);
	if (unlikely(post)) {
		weft_match_post_del(&ep->match, &post->match);
		weft_post_free(ep, post, out);
	}
	return true;
not:
	weft_unlock_inner(&cq->lock);
	return false;
}

/**
 * weft_pass_recv - offer a whole short message to its receive
 * @ep: the endpoint, locked; it takes messages
 * @h: the message
 * @src: its sender
 * @pay: its bytes, at most WEFT_INLINE_MAX
 * @out: output
 *
 * Return: it has been received; false: nothing has happened.
 */
bool weft_pass_recv(struct weft_ep *ep, const struct weft_head *h, u32 src, const void *pay,
		    struct weft_out *out)
{
	return weft_pass_in(ep, h->tag, h->flags & WEFT_MSG_DATA ? h->data : 0, (u32)h->len, src,
			    weft_recv_flags(h->flags), pay, out);
}

/* The flow of whatever the endpoint sends to @dst, if it is as it was and ends on this node. */
static inline struct weft_flow *weft_pass_flow(const struct weft_ep *ep, u32 dst)
{
	struct weft_flow *flow = ep->recent;

	if (unlikely(!flow || !flow->lep || READ_ONCE(flow->dead) || dst != ep->recent_dst))
		return NULL;
	if (likely(ep->conf.type == WEFT_EP_RDM))
		return ep->recent_gen == weft_av_gen(ep->av) ? flow : NULL;
	return READ_ONCE(ep->state) == WEFT_EPS_CONNECTED ? flow : NULL;
}

/* What a send may have, or not, to go this way */
#define WEFT_PASS_FLAGS	(WEFT_SQ_DATA | WEFT_SQ_COMPLETION | WEFT_SQ_MORE | WEFT_SQ_SOLICITED)

/* Is it a short send, as weft_ring_sq() would take it? Its first slot is @s. */
static __always_inline bool weft_pass_short(const struct weft_ring *r, const struct weft_sqe *s,
					    union weft_lead l, u64 len, u64 tag, u64 data)
{
	u32 n = 1 + DIV_ROUND_UP((u32)len, WEFT_SLOT_SIZE);

	if (len > WEFT_INLINE_MAX || n != l.nslots || n > r->prod - r->cons)
		return false;
	if ((l.flags & ~WEFT_PASS_FLAGS) != (len ? WEFT_SQ_INLINE : 0))
		return false;
	if (l.op != WEFT_SQ_TSEND && (l.op != WEFT_SQ_SEND || tag))
		return false;
	if (unlikely(data) && !(l.flags & WEFT_SQ_DATA))
		return false;
	if (READ_ONCE(s->addr) | READ_ONCE(s->niov) | READ_ONCE(s->rsvd) | READ_ONCE(s->rsvd2))
		return false;
	/* its payload does not begin anew at the ring's end */
	return ((r->cons + 1) & (r->size - 1)) + n - 1 <= r->size;
}

/* Tell the program of a send that has gone this way. */
static noinline void weft_pass_sent(struct weft_ep *ep, const struct weft_sqe *s,
				    union weft_lead l, u64 tag, u64 len, struct weft_out *out)
{
	struct weft_sq_entry *e = &ep->entry;

	e->context = READ_ONCE(s->context);
	e->tag = tag;
	e->len = len;
	e->tagged = l.op == WEFT_SQ_TSEND;
	e->flags = l.flags;
	e->err = 0;
	weft_send_cqe(ep, e, out);
}

/**
 * weft_pass_send - send the entry at the consumer index of the send ring
 * @ep: the endpoint; ep->sq_mutex is held, ep->hand is there, ep->near is set
 * @out: output
 *
 * There is an entry; softirqs are off. Return: it is done, and the ring is one entry further;
 * false: nothing has happened.
 */
bool weft_pass_send(struct weft_ep *ep, struct weft_out *out)
{
	const struct weft_sqe *s = weft_ring_at(&ep->sq, ep->sq.cons);
	u64 len = READ_ONCE(s->len), tag = READ_ONCE(s->tag), data = READ_ONCE(s->data);
	struct weft_flow *flow = weft_pass_flow(ep, READ_ONCE(s->dst));
	union weft_lead l = weft_lead_of(s);
	struct weft_ep *lep;
	bool done = false;
	u16 flags;

	if (unlikely(!flow) || !weft_pass_short(&ep->sq, s, l, len, tag, data))
		return false;
	flags = (l.op == WEFT_SQ_TSEND ? WEFT_CQE_TAGGED : 0) |
		(l.flags & WEFT_SQ_DATA ? WEFT_CQE_DATA : 0) |
		(l.flags & WEFT_SQ_SOLICITED ? WEFT_CQE_SOLICITED : 0);
	lep = flow->lep;
	weft_lock_inner(&lep->lock);
	if (likely(!weft_local_refused(lep)))
		done = weft_pass_in(lep, tag, data, (u32)len, weft_local_src(flow), flags,
				    weft_ring_at(&ep->sq, ep->sq.cons + 1), out);
	weft_unlock_inner(&lep->lock);
	if (unlikely(!done))
		return false;
	weft_trace_post(ep->conf.handle, READ_ONCE(s->context), tag, len, l.op);
	weft_count(ep->core, msgs_sent);
	weft_count(ep->core, msgs_local);
	weft_count(ep->core, msgs_received);
	if (l.flags & WEFT_SQ_COMPLETION || unlikely(ep->tx_cntr))
		weft_pass_sent(ep, s, l, tag, len, out);
	weft_ring_next(&ep->sq, l.nslots);
	return true;
}

/* Described in core.h. */
bool weft_ep_pass(struct weft_ep *ep, struct weft_out *out)
{
	const u32 *bell = &ep->conf.doorbell->sq_tail;
	bool empty = false;
	u32 n = 0;

	if (!READ_ONCE(ep->near))
		return false;
	weft_mutex_lock(&ep->sq_mutex);
	/* once for all locks */
	weft_softirqs_off();
	if (likely(ep->near && READ_ONCE(ep->state) < WEFT_EPS_ERROR &&
		   (ep->hand || weft_send_hand(ep)) &&
		   weft_ring_look(&ep->sq, bell) == WEFT_RING_OK)) {
		while (n < WEFT_PASS_RUN && !empty && weft_pass_send(ep, out)) {
			n++;
			empty = ep->sq.cons == ep->sq.prod;
		}
		if (likely(n))
			weft_send_publish(ep);
	}
	weft_softirqs_on();
	weft_mutex_unlock(&ep->sq_mutex);
	if (unlikely(!weft_list_empty(&out->wake) || !weft_list_empty(&out->cold)))
		weft_flush(out);
	return empty;
}
