// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - the fast path of messages that come before their receive
 *
 * A message of up to 16 KiB within the node that no receive takes is kept. The program's call finds
 * the oldest receive in the ring later, and a kept message for it. A whole message is copied from
 * there into the memory of the receive, if that is resident, or a short one into the completion
 * queue. The receive is never posted, so it has no struct weft_post:
 *
 *	send ring, or program's memory --(weft_fast_keep())--> message of rx.match
 *	receive ring --(weft_fast_serve(): message of rx.match)--> completion queue, or receive
 *
 * A message within the node is then over, and its memory serves the next one (weft_kept_spare()).
 * A message from another node ends in its path: flow control counts it there. An entry of another
 * form than the frequent one takes the slow path (post.c), with no effect left behind. So does an
 * entry without a kept message.
 *
 * Words of the ring may have any value. Those of a send are read once, and so are address, length
 * and context of a receive. The words of a receive that select a message are compared with it when
 * it has been found. An entry that the program changes meanwhile decides only the destination of
 * the program's own bytes.
 *
 * Locks: ep->sq_mutex of the sender. ep->lock of the receiver and its cq->lock are taken here.
 * Process context.
 */
#include "core/messaging/fast.h"

#define WEFT_KEPT_SPARES	8	/* messages of an endpoint whose memory is used again */

/* Return: true if the endpoint's state allows the fast path for all its kept messages. */
static bool weft_kept_open(struct weft_ep *ep)
{
	weft_assert_held(&ep->lock);
	return READ_ONCE(ep->core->fast) && ep->rx.match.nunexp && !weft_local_refused(ep) &&
	       weft_fast_open(ep, 0) && !ep->rx.stalled && !ep->rx.hungry && !ep->rx.flush &&
	       !ep->rx.multi_wait && !ep->rx.ncut && weft_list_empty(&ep->rx.fired) &&
	       likely(!READ_ONCE(ep->core->conf.histograms)) && weft_recv_resolve(ep);
}

/* Return: the kept message that the fast path may give to the entry at @s, with @room bytes. */
static struct weft_rxm *weft_kept_find(struct weft_ep *ep, const struct weft_rqe *s, u64 room)
{
	union weft_lead l = weft_lead_of(s);
	u64 tag = READ_ONCE(s->tag);
	struct weft_munexp *u;
	struct weft_rxm *rxm;
	bool tagged = l.op == WEFT_RQ_TRECV;

	weft_assert_held(&ep->lock);
	if (READ_ONCE(s->ignore) || (!tagged && l.op != WEFT_RQ_RECV))
		return NULL;
	u = weft_match_find(&ep->rx.match, tagged ? WEFT_TAGGED : WEFT_UNTAGGED, l.peer, tag, 0);
	if (!u || !weft_fast_fits(ep, s, weft_fast_want(tagged), u->tag, u->src) ||
	    weft_recv_strange(ep, u->src))
		return NULL;
	rxm = container_of(u, struct weft_rxm, rx.match);
	/* pairs with the release in weft_rxm_is_whole(): all bytes are stored */
	if (!smp_load_acquire(&rxm->whole) || !rxm->buf || rxm->err || rxm->len > room ||
	    rxm->len > WEFT_LOCAL_EAGER)
		return NULL;
	return rxm;
}

/*
 * Copy the bytes of a kept message to @addr, if they do not take the completion queue. Return: 0:
 * done; 1: they take it; -EAGAIN: neither.
 */
static int weft_kept_place(struct weft_ep *ep, const struct weft_rxm *rxm, u64 addr)
{
	u32 len = (u32)rxm->len;

	weft_assert_held(&ep->lock);
	if (len <= WEFT_SPARE_MAX)
		return 1;
	if (!weft_mem_place(ep->conf.mc, addr, rxm->buf, len, len, 0))
		return 0;
	if (len > WEFT_INLINE_MAX || weft_recv_pins(ep, len))
		return -EAGAIN;
	WRITE_ONCE(ep->rx.misses, ep->rx.misses + 1);
	return 1;
}

/* A kept message has been received. Its endpoint is locked. */
static void weft_kept_over(struct weft_ep *ep, struct weft_rxm *rxm, struct weft_out *out)
{
	weft_assert_held(&ep->lock);
	weft_match_unexp_del(&ep->rx.match, &rxm->rx.match);
	rxm->src = rxm->rx.match.src;
	/* with one reference left, no sender and no path knows it */
	if (!rxm->path->local || refcount_read(&rxm->ref) != 1) {
		rxm->rx.served = true;
		weft_start_put(rxm, out);
		return;
	}
	weft_keep_end(rxm);
	if (ep->rx.nspare == WEFT_KEPT_SPARES) {
		weft_rxm_put(rxm);
		return;
	}
	/* the caller has a reference on the endpoint, too */
	weft_rxm_fini(rxm);
	weft_list_add(&ep->rx.spare, &rxm->node);
	ep->rx.nspare++;
}

/**
 * weft_kept_spare - take the memory of a message that is over
 * @ep: the receiver, locked
 * @bytes: payload that its own memory has to take
 *
 * Return: zeroed memory, with rxm->nsmall set; NULL: there is none.
 */
struct weft_rxm *weft_kept_spare(struct weft_ep *ep, u32 bytes)
{
	struct weft_list *l = weft_list_first(&ep->rx.spare);
	struct weft_rxm *rxm;
	u32 room;

	weft_assert_held(&ep->lock);
	if (!l)
		return NULL;
	rxm = weft_entry(l, struct weft_rxm, node);
	room = rxm->nsmall;
	if (room < bytes)
		return NULL;
	weft_list_del(l);
	ep->rx.nspare--;
	memset(rxm, 0, sizeof(*rxm));
	rxm->nsmall = room;
	return rxm;
}

/*
 * Give a kept message to the entry at the consumer index. The endpoint and its queue @cq are
 * locked. Return: true if it is done; false: nothing has changed.
 */
static bool weft_kept_give(struct weft_ep *ep, struct weft_cq *cq, struct weft_out *out)
{
	const struct weft_rqe *s = weft_ring_at(&ep->rx.ring, ep->rx.ring.cons);
	u64 addr = READ_ONCE(s->addr), room = READ_ONCE(s->len);
	struct weft_rxm *rxm;
	struct weft_cqe *c;
	u16 flags;
	int inl;
	u32 len;

	weft_assert_held(&ep->lock);
	weft_assert_held(&cq->lock);
	if (unlikely(addr + room < addr))
		return false;
	rxm = weft_kept_find(ep, s, room);
	if (!rxm)
		return false;
	len = (u32)rxm->len;
	if (unlikely(!weft_cq_space(cq, weft_cq_slots(min_t(u32, len, WEFT_INLINE_MAX))) ||
		     cq->bad))
		return false;
	inl = weft_kept_place(ep, rxm, addr);
	if (unlikely(inl < 0))
		return false;
	inl = inl && len;
	flags = weft_recv_flags(rxm->flags);
	c = weft_cq_slot(cq);
	c->context = READ_ONCE(s->context);
	weft_trace_post_recv(ep->core, ep, 0, c->context, READ_ONCE(s->src), rxm->tag, 0, room,
			     weft_lead_of(s).op);
	weft_fast_fill(c, ep, rxm->tag, flags & WEFT_CQE_DATA ? rxm->data : 0, len,
		       rxm->rx.match.src, flags | (inl ? WEFT_CQE_INLINE : 0), true);
	c->buf = inl ? addr : 0;
	weft_cq_put_entry(cq, c, rxm->buf, inl ? len : 0);
	weft_kept_over(ep, rxm, out);
	weft_ring_next(&ep->rx.ring, 1);
	return true;
}

/**
 * weft_fast_serve - give kept messages to the receives in the ring
 * @ep: the endpoint, not locked
 * @out: output; out->now is set; the caller flushes it
 *
 * Return: true if the ring is empty; false: weft_recv_all() continues.
 */
bool weft_fast_serve(struct weft_ep *ep, struct weft_out *out)
{
	struct weft_ring *r = &ep->rx.ring;
	bool empty = false;
	struct weft_cq *cq;
	u32 n = 0;

	weft_lock(&ep->lock);
	if (!weft_kept_open(ep) ||
	    weft_ring_look(r, &ep->conf.doorbell->rq_tail) != WEFT_RING_OK)
		goto out;
	cq = ep->rx_cq;
	weft_lock(&cq->lock);
	if (likely(weft_list_empty(&cq->waiting)))
		while (n < WEFT_FAST_RUN && r->cons != r->prod && weft_kept_give(ep, cq, out))
			n++;
	if (likely(n)) {
		weft_cq_show(cq);
		weft_cq_wake(cq, out);
	}
	weft_unlock(&cq->lock);
	empty = r->cons == r->prod;
	if (likely(n)) {
		weft_fast_got(ep, NULL, n, out);
		weft_recv_status(ep);
	}
out:
	weft_unlock(&ep->lock);
	return empty;
}

/*
 * Return: true if the receiver @lep has no receive for the message of @e from @src, and may keep
 * it. It is locked.
 */
static bool weft_kept_fits(struct weft_ep *lep, const struct weft_sq_entry *e, u32 src)
{
	u8 kind = e->op == WEFT_SQ_TSEND ? WEFT_TAGGED : WEFT_UNTAGGED;

	weft_assert_held(&lep->lock);
	if (weft_local_refused(lep) || !weft_fast_open(lep, src) ||
	    weft_keep_full(lep, (u32)e->len) != WEFT_FULL_NOT)
		return false;
	if (lep->rx.match.nposts && weft_match_posted(&lep->rx.match, kind, src, e->tag))
		return false;
	return weft_ring_look(&lep->rx.ring, &lep->conf.doorbell->rq_tail) == WEFT_RING_EMPTY;
}

/* The same before the bytes of a longer message are copied. The receiver is not locked. */
static bool weft_kept_may(struct weft_flow *flow, const struct weft_sq_entry *e)
{
	bool may;

	weft_lock(&flow->lep->lock);
	may = weft_kept_fits(flow->lep, e, weft_local_src(flow));
	weft_unlock(&flow->lep->lock);
	return may;
}

/*
 * Get the bytes of the send at @s, with first word @l, decoded as far as @e. They stand in one
 * segment. *@pay: a short message's. *@buf: a longer one's, for weft_free(). Return: false: the
 * slow path gets them.
 */
static bool weft_kept_bytes(struct weft_ep *ep, struct weft_flow *flow,
			    const struct weft_sqe *s, union weft_lead l,
			    const struct weft_sq_entry *e, const void **pay, u8 **buf)
{
	u32 len = (u32)e->len;
	u8 *dst = ep->tx.scratch;

	weft_mutex_assert_held(&ep->sq_mutex);
	if (e->len > weft_send_most(ep, flow) ||
	    !weft_fast_segment(s, l, e->tag, e->data))
		return false;
	if (len > WEFT_INLINE_MAX) {
		if (!weft_kept_may(flow, e))
			return false;
		*buf = weft_alloc_sleep_for(ep->conf.mc, len);
		dst = *buf;
		if (unlikely(!dst))
			return false;
	}
	*pay = dst;
	if (!weft_user_peek(ep->conf.mc, READ_ONCE(s->addr), dst, len))
		return true;
	weft_free(*buf);
	return false;
}

/**
 * weft_fast_keep - have the receiver keep the message at the consumer index of the send ring
 * @ep: the sender; ep->sq_mutex is held
 * @out: output; out->now is set; the caller flushes it
 *
 * Context: may sleep.
 * Return: true if the send is done and the ring is one entry further; false: nothing has changed.
 */
bool weft_fast_keep(struct weft_ep *ep, struct weft_out *out)
{
	struct weft_sq_entry *e = &ep->tx.entry;
	struct weft_ring *r = &ep->tx.ring;
	const struct weft_sqe *s;
	const void *pay = NULL;
	struct weft_flow *flow;
	struct weft_ep *lep;
	union weft_lead l;
	u8 *buf = NULL;
	bool done;
	u32 src;

	weft_mutex_assert_held(&ep->sq_mutex);
	if (!READ_ONCE(ep->flow.near) || !READ_ONCE(ep->core->fast) || !ep->tx.hand ||
	    weft_ring_look(r, &ep->conf.doorbell->sq_tail) != WEFT_RING_OK)
		return false;
	s = weft_ring_at(r, r->cons);
	l = weft_lead_of(s);
	flow = weft_fast_flow(ep, l.peer, true);
	if (unlikely(!flow) || !weft_fast_kind(l))
		return false;
	e->op = l.op;
	e->flags = l.flags;
	e->tag = READ_ONCE(s->tag);
	e->data = READ_ONCE(s->data);
	e->len = READ_ONCE(s->len);
	if (l.nslots == 1 && e->len) {
		if (!weft_kept_bytes(ep, flow, s, l, e, &pay, &buf))
			return false;
	} else if (weft_fast_packet(r, s, l, e->len, e->tag, e->data)) {
		pay = weft_ring_at(r, r->cons + 1);
	} else {
		return false;
	}
	lep = flow->lep;
	done = weft_local_spare(ep, buf ? 0 : (u32)e->len);
	if (unlikely(!done))
		goto free;
	weft_lock(&lep->lock);
	src = weft_local_src(flow);
	done = weft_kept_fits(lep, e, src);
	if (likely(done)) {
		weft_ep_sends(ep, READ_ONCE(s->context), l.peer, e->tag, e->len, l.op);
		weft_local_arrives(flow, e->tag, e->len);
		weft_local_keep(ep, flow, e, pay, buf, src, out);
	}
	weft_unlock(&lep->lock);
	if (unlikely(!done))
		goto free;
	weft_count(ep->core, msgs_sent);
	weft_count(ep->core, msgs_local);
	weft_count(ep->core, msgs_received);
	weft_ring_next(r, l.nslots);
	if (l.flags & WEFT_SQ_COMPLETION || unlikely(ep->tx_cntr)) {
		weft_softirqs_off();
		weft_fast_sent(ep, l, 1, out);
		weft_softirqs_on();
	}
	return true;

free:
	weft_free(buf);
	return false;
}
