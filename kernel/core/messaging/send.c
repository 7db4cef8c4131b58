// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - outgoing messages
 *
 * weft_send_drain() takes sends from the ring. A short send whose flow has no waiting send is
 * copied into the open packet and is complete: it needs no struct weft_txm. Several in a row are
 * copied at once (fast_row.c). Every other send uses one:
 *
 *	WAIT --first packet--> SENT (eager; all in packets) --acknowledged, or DONE--> OVER
 *	  \---announced--> ASKED --GRANT--> GRANT <-> (more granted) --DONE--> OVER
 *
 * A send stays WAIT until its flow is accepted (flow/contact.c). Messages of up to eager_max bytes
 * (within the node 16 KiB) are copied to the kernel at once. Longer messages stay in the program's
 * memory and are sent from pinned windows of it, two at a time.
 *
 * ep->tx.hand is a free struct weft_txm. It ensures that each send taken from the ring can be
 * completed, even when the completion queue is full. More are allocated as they are needed, up to
 * one for each slot of the ring. Without one the ring waits until one becomes free
 * (ep->tx.stalled).
 *
 * Locks: ep->sq_mutex protects the ring, path->lock the sends under way, ep->lock the list of free
 * sends.
 */
#include "core/messaging/messaging.h"
#include "core/transport/emit.h"

/* ---- From the ring --------------------------------------------------------------- */

/* Append the head of a chunk whose @len bytes follow at once. Return: their address. */
static u8 *weft_send_chunk(struct weft_rec *rec, const struct weft_head *h, u32 off, u32 len)
{
	u8 *dst = rec->raw + rec->len, *pay = dst + weft_wire_eager_put(dst, h, off, len), *end;

	for (end = pay + len; (end - dst) & 3; end++)
		*end = 0;
	rec->len += end - dst;
	return pay;
}

#define WEFT_EAGER_HEAD	(WEFT_WIRE_CHUNK + sizeof(struct weft_w_eager))

/*
 * Copy a short message into the open packet, which completes it, if nothing prevents that. @pay:
 * its bytes. @more: other entries follow, the packet stays open. Return: true if it is done.
 */
static bool weft_send_fast(struct weft_ep *ep, struct weft_flow *flow,
			   const struct weft_sq_entry *e, const void *pay, bool more,
			   struct weft_out *out)
{
	u32 len = (u32)e->len, need = weft_wire_size(sizeof(struct weft_w_eager) + len);
	struct weft_path *path = flow->path;
	struct weft_lane *lane = &path->lane[flow->lane];
	struct weft_rec *rec;
	struct weft_head h;
	bool done = false;

	weft_lock(&path->lock);
	if (unlikely(!weft_send_may(path, lane, flow, len)))
		goto out;
	weft_send_head(&h, flow, flow->id.mseq + 1, e->tag, e->data, e->len, e->op, e->flags);
	if (likely(!more) && weft_fastpkt_tx(path, lane, flow, &h, pay, out)) {
		flow->id.mseq++;
		weft_credit_use(flow, len);
		done = true;
		goto out;
	}
	rec = weft_lane_room(path, lane, need, out);
	if (unlikely(!rec))
		goto out;
	weft_credit_use(flow, len);
	flow->id.mseq++;
	weft_fastpkt_fill(rec, flow, &h, pay, need);
	path->busy |= 1u << lane->no;
	if (!more)
		weft_path_output(path, out);
	done = true;
out:
	weft_unlock(&path->lock);
	if (done) {
		weft_count(ep->core, msgs_eager);
		weft_send_cqe(ep, e, out);
	}
	return done;
}

/* Send the packets that a path has left open. */
static void weft_send_settle(struct weft_ep *ep, struct weft_out *out)
{
	struct weft_path *path = ep->tx.unsent;

	if (!path)
		return;
	ep->tx.unsent = NULL;
	weft_lock(&path->lock);
	weft_path_output(path, out);
	weft_unlock(&path->lock);
	weft_path_put(path);
}

static void weft_send_owe(struct weft_ep *ep, struct weft_path *path, struct weft_out *out)
{
	if (ep->tx.unsent == path)
		return;
	weft_send_settle(ep, out);
	weft_path_get(path);
	ep->tx.unsent = path;
}

/**
 * weft_send_queue - queue a send on its lane
 * @txm: the send, with a reference on its flow, which is not dead; its path is locked
 * @out: output
 */
void weft_send_queue(struct weft_txm *txm, struct weft_out *out)
{
	struct weft_flow *flow = txm->flow;
	struct weft_path *path = txm->path;

	weft_assert_held(&txm->path->lock);
	flow->nwait++;
	weft_path_needs(path, out->now);
	weft_txm_enter(txm, &flow->txms, out->now);
	/*
	 * also while sends of the flow are parked: others may still be in the lane, before this one
	 */
	weft_list_add_tail(&path->lane[flow->lane].sendq, &txm->qnode);
	path->busy |= 1u << flow->lane;
	if (flow->accepted && weft_send_copied(txm))
		weft_send_done(txm, 0, out);
}

/**
 * weft_send_accepted - the peer has accepted a flow: complete the sends whose bytes are copied
 * @flow: the flow; its path is locked; the caller has a reference
 * @out: output
 */
void weft_send_accepted(struct weft_flow *flow, struct weft_out *out)
{
	struct weft_list *l, *tmp;

	weft_assert_held(&flow->path->lock);
	flow->accepted = true;
	weft_list_for_each_safe(l, tmp, &flow->txms) {
		struct weft_txm *txm = weft_entry(l, struct weft_txm, node);

		if (weft_send_copied(txm))
			weft_send_done(txm, 0, out);
	}
}

/*
 * Send with a struct weft_txm. @pay: its bytes, NULL: to be read. Return: 0, negative errno: not
 * taken.
 */
static int weft_send_slow(struct weft_ep *ep, struct weft_flow *flow, const struct weft_sq_entry *e,
			  const void *pay, struct weft_out *out)
{
	struct weft_path *path = flow->path;
	struct weft_txm *txm = weft_send_keep(ep, e, flow, pay);

	if (IS_ERR(txm))
		return (int)PTR_ERR(txm);
	weft_lock(&path->lock);
	if (flow->dead) {
		weft_send_done(txm, flow->dead, out);
		weft_txm_put(txm, out);
	} else {
		flow->ref++;
		weft_send_queue(txm, out);
	}
	weft_unlock(&path->lock);
	weft_send_owe(ep, path, out);
	return 0;
}

/*
 * Return: true if the payload of an entry is in the ring or resident, or stays in the program's
 * memory. An engine serves many programs and must not wait for the memory of one.
 */
static bool weft_send_warm(struct weft_ep *ep, const struct weft_sq_entry *e)
{
	u64 copied = ep->conf.type == WEFT_EP_DGRAM ? U16_MAX :
		     max_t(u64, WEFT_SHORT_MAX, weft_send_most(ep, NULL));

	if (unlikely(weft_sq_fetches(e->op)))
		return !e->len;
	if (unlikely(weft_sq_is_atomic(e->op)))
		return e->inl;
	if (e->inl || !e->len || e->len > copied)
		return true;
	return !weft_mem_get(ep->conf.mc, &e->vec, 0, (u32)e->len, WEFT_MEM_READ, &ep->tx.win);
}

/* Process a one-sided operation. Otherwise as weft_send_one(). */
static noinline int weft_send_operation(struct weft_ep *ep, struct weft_flow *flow,
					const struct weft_sq_entry *e, bool more,
					struct weft_out *out)
{
	bool fast = READ_ONCE(ep->core->fast);
	int err;

	if (flow->lep) {
		err = likely(fast) ? weft_rma_near(ep, flow, e, out) : -EAGAIN;
		if (err == -EAGAIN)
			err = weft_rma_local(ep, flow, e, out);
		/* an operation that is not over turns the fast path off: the next one on again */
		if (ep->flow.recent == flow)
			weft_flow_recent(ep, flow);
		return err;
	}
	if (ep->tx.unsent && ep->tx.unsent != flow->path)
		weft_send_settle(ep, out);
	if (unlikely(!fast) || !weft_rma_short(ep, flow, e, more, out))
		return weft_send_slow(ep, flow, e, NULL, out);
	if (more)
		weft_send_owe(ep, flow->path, out);
	return 0;
}

/* @n sends of a flow are taken from the ring at once. Return: @n. */
static u32 weft_send_several(struct weft_ep *ep, struct weft_flow *flow, u32 n,
			     struct weft_out *out)
{
	if (unlikely(!n))
		return 0;
	weft_count_add(ep->core, msgs_sent, n);
	if (unlikely(ep->reclaim_at))
		WRITE_ONCE(ep->reclaim_at, 0);
	if (ep->tx.ring.cons != ep->tx.ring.prod)
		weft_send_owe(ep, flow->path, out);
	return n;
}

/*
 * Send a run of short writes to another node. @e: the first entry, decoded. Return: number of
 * writes, at least two; the ring is so many entries further; 0: nothing has changed.
 */
static noinline u32 weft_send_writes(struct weft_ep *ep, const struct weft_sq_entry *e,
				     struct weft_out *out)
{
	struct weft_flow *flow;
	u32 n = weft_fast_writes(ep, e);

	if (n < 2)
		return 0;
	flow = weft_fast_far(ep, e->dst);
	if (unlikely(!flow))
		return 0;
	if (ep->tx.unsent && ep->tx.unsent != flow->path)
		weft_send_settle(ep, out);
	return weft_send_several(ep, flow, weft_rma_writes(ep, flow, e, n, out), out);
}

/*
 * Send a row of short messages to another node, at most @most. Return: number of messages; the ring
 * is so many entries further; 0: nothing has changed.
 */
static noinline u32 weft_send_row(struct weft_ep *ep, u32 most, struct weft_out *out)
{
	struct weft_flow *flow = weft_fast_row_flow(ep);

	if (!flow)
		return 0;
	if (ep->tx.unsent && ep->tx.unsent != flow->path)
		weft_send_settle(ep, out);
	return weft_send_several(ep, flow, weft_fast_row(ep, flow, most, out), out);
}

/*
 * Process one entry, at index @at of the ring or before that. Return: 0: taken, negative errno: the
 * send is refused with it.
 */
static int weft_send_one(struct weft_ep *ep, struct weft_sq_entry *e, u32 at, bool more,
			 struct weft_out *out)
{
	const void *pay = NULL;
	struct weft_flow *flow;

	if (ep->conf.type == WEFT_EP_MSG) {
		flow = READ_ONCE(ep->state) == WEFT_EPS_CONNECTED ? ep->flow.recent : NULL;
		if (!flow)
			return -(int)(READ_ONCE(ep->lost) ?: ENOTCONN);
		if (READ_ONCE(flow->dead))
			return -(int)READ_ONCE(flow->dead);
	} else {
		if (unlikely(ep->flow.slow && ep->conf.type == WEFT_EP_DGRAM))
			return weft_dgram_send(ep, e, out);
		flow = weft_flow_find(ep, e->dst, at, out);
		if (IS_ERR(flow))
			return (int)PTR_ERR(flow);
	}
	weft_count(ep->core, msgs_sent);
	if (unlikely(ep->flow.slow)) {
		e->flags |= WEFT_SQ_TRACKED;
		if (weft_fence_holds(flow, e))
			return weft_fence_hold(ep, flow, e, out);
	}
	if (unlikely(READ_ONCE(flow->cold))) {
		e->flags |= WEFT_SQ_FENCE;
		return weft_fence_hold(ep, flow, e, out);
	}
	/* its endpoint did not exist yet, and earlier sends are held still */
	if (weft_contact_held(flow) || unlikely(!weft_list_empty(&flow->fnode)))
		return weft_fence_hold(ep, flow, e, out);
	if (unlikely(weft_sq_is_rma(e->op)))
		return weft_send_operation(ep, flow, e, more, out);
	if (flow->lep) {
		int err = weft_local_send(ep, flow, e, out);

		if (unlikely(!READ_ONCE(ep->flow.near)) && ep->flow.recent == flow)
			weft_flow_recent(ep, flow);
		return err;
	}
	if (e->len <= WEFT_SHORT_MAX && !(e->flags & (WEFT_SQ_LATER | WEFT_SQ_TRACKED))) {
		pay = weft_send_bytes(ep, e);
		if (IS_ERR(pay))
			return (int)PTR_ERR(pay);
		if (ep->tx.unsent && ep->tx.unsent != flow->path)
			weft_send_settle(ep, out);
		if (likely(READ_ONCE(ep->core->fast)) &&
		    likely(weft_send_fast(ep, flow, e, pay, more, out))) {
			if (more)
				weft_send_owe(ep, flow->path, out);
			return 0;
		}
	}
	return weft_send_slow(ep, flow, e, pay, out);
}

/*
 * Process an entry, and complete it if it is refused. @refuse: errno to refuse it with, 0: none;
 * @at, @more: as for weft_send_one(). Return: true: taken or refused; false: it waits for a path.
 */
static __always_inline bool weft_send_entry(struct weft_ep *ep, struct weft_sq_entry *e,
					    int refuse, u32 at, bool more, struct weft_out *out)
{
	int err = -e->err;

	weft_ep_sends(ep, e->context, e->dst, e->tag, e->len, e->op);
	if (unlikely(err))
		weft_count(ep->core, bad_completions);
	else if (unlikely(refuse))
		err = -refuse;
	else
		err = weft_send_one(ep, e, at, more, out);
	if (unlikely(ep->tx.win)) {
		weft_mem_put(ep->tx.win);
		ep->tx.win = NULL;
	}
	if (unlikely(err == -ENOSPC) && weft_reclaim_waits(ep, out))
		return false;
	if (unlikely(!err && ep->reclaim_at))
		WRITE_ONCE(ep->reclaim_at, 0);
	if (unlikely(err)) {
		e->err = -err;
		weft_send_cqe(ep, e, out);
	}
	return true;
}

/* Return: the first fired trigger of sends, NULL: there is none. */
static struct weft_trigger *weft_send_first_fired(struct weft_ep *ep)
{
	struct weft_list *l;

	weft_lock(&ep->lock);
	l = weft_list_first(&ep->tx.fired);
	weft_unlock(&ep->lock);
	return l ? weft_entry(l, struct weft_trigger, node) : NULL;
}

/* Process the entry of a trigger. Return: true: taken or refused; false: it waits for a path. */
static bool weft_send_trigger(struct weft_ep *ep, const struct weft_trigger *t, int refuse,
			      struct weft_out *out)
{
	struct weft_sq_entry *e = &ep->tx.entry;
	struct weft_ring ring = ep->tx.ring;
	bool taken;

	/* the entry was decoded before, and no program can change it */
	weft_trigger_ring(&ep->tx.ring, t);
	weft_ring_sq(&ep->tx.ring, ep->conf.type == WEFT_EP_MSG, e);
	if (t->flags & WEFT_TRIGGERF_ALONE)
		e->flags |= WEFT_SQ_ALONE;
	ep->tx.done = t->done;
	taken = weft_send_entry(ep, e, t->err ?: refuse, ring.cons, false, out);
	ep->tx.done = NULL;
	weft_trigger_unring(&ep->tx.ring, &ring);
	return taken;
}

/*
 * Process the entries of fired triggers. Return: true if none is left; false: no send is free, the
 * first one waits for a path, or a worker has to do it.
 */
static bool weft_send_fired(struct weft_ep *ep, int refuse, struct weft_out *out)
{
	struct weft_trigger *t;

	while ((t = weft_send_first_fired(ep))) {
		if (ep->tx.scan || (!ep->tx.hand && !weft_send_hand(ep) &&
				    !weft_send_grow(ep, out)))
			return false;
		/* a program that reads the completion may have another one wait at once */
		weft_lock(&ep->lock);
		weft_trigger_out(ep, t);
		weft_unlock(&ep->lock);
		if (!weft_send_trigger(ep, t, refuse, out)) {
			weft_lock(&ep->lock);
			weft_trigger_back(ep, t);
			weft_unlock(&ep->lock);
			return false;
		}
		weft_trigger_free(t);
		if (out->ntx > WEFT_OUT_TX / 2)
			weft_flush(out);
	}
	return true;
}

/* Send what stands beside the ring: held sends that may go, and fired triggers. */
static noinline void weft_send_aside(struct weft_ep *ep, int refuse, struct weft_out *out)
{
	weft_lock(&ep->lock);
	WRITE_ONCE(ep->tx.aside, false);
	weft_unlock(&ep->lock);
	weft_fence_run(ep, out);
	if (weft_send_fired(ep, refuse, out))
		return;
	weft_lock(&ep->lock);
	WRITE_ONCE(ep->tx.aside, true);
	weft_unlock(&ep->lock);
}

/*
 * Send entries that need not be decoded, at most @most. Return: number of entries; the ring is so
 * many further; 0: nothing has changed.
 */
static __always_inline u32 weft_send_quick(struct weft_ep *ep, u32 most, struct weft_out *out)
{
	if (READ_ONCE(ep->flow.near))
		return ep->tx.slow ? weft_fast_keep(ep, out) : weft_fast_try(ep, out);
	return ep->flow.far ? weft_send_row(ep, most, out) : 0;
}

/**
 * weft_send_drain - process the entries of the send ring
 * @ep: the endpoint; ep->sq_mutex is held
 * @refuse: errno to refuse all entries with, 0: send them
 * @out: output; flushed when it fills up
 *
 * Context: may sleep.
 * Return: 0; -EINTR: a signal came, or (ep->tx.scan) other rings have their turn; -EAGAIN
 * (ep->tx.scan): a worker continues.
 */
int weft_send_drain(struct weft_ep *ep, int refuse, struct weft_out *out)
{
	struct weft_sq_entry *e = &ep->tx.entry;
	bool deferred = false;
	u32 n = 0, took;
	int r;

	weft_mutex_assert_held(&ep->sq_mutex);
	if (unlikely(READ_ONCE(ep->tx.aside)))
		weft_send_aside(ep, refuse, out);
	r = weft_ring_look(&ep->tx.ring, &ep->conf.doorbell->sq_tail);
	while (r == WEFT_RING_OK || r == WEFT_RING_BAD) {
		if (unlikely(!ep->tx.hand && !weft_send_hand(ep) && !weft_send_grow(ep, out)))
			break;
		took = refuse ? 0 : weft_send_quick(ep, WEFT_FAST_RUN - n, out);
		if (took)
			goto taken;
		r = weft_ring_sq(&ep->tx.ring, ep->conf.type == WEFT_EP_MSG, e);
		if (r != WEFT_RING_OK && r != WEFT_RING_BAD)
			break;
		if (unlikely(ep->tx.scan) && r == WEFT_RING_OK && !weft_send_warm(ep, e)) {
			deferred = true;
			break;
		}
		if (unlikely(e->op == WEFT_SQ_WRITE) && ep->flow.far && !refuse && !e->err) {
			took = weft_send_writes(ep, e, out);
			if (took)
				goto taken;
		}
		took = 1;
		if (!weft_send_entry(ep, e, refuse, ep->tx.ring.cons,
				     ep->tx.ring.cons + e->nslots != ep->tx.ring.prod, out))
			break;
		weft_ring_next(&ep->tx.ring, e->nslots);
taken:
		if (out->ntx > WEFT_OUT_TX / 2) {
			weft_send_publish(ep);
			weft_flush(out);
		}
		n += took;
		if (likely(n < WEFT_FAST_RUN))
			continue;
		n = 0;
		if (!refuse && (ep->tx.scan || weft_signal_pending())) {
			weft_send_publish(ep);
			weft_send_settle(ep, out);
			return -EINTR;
		}
	}
	if (unlikely(r == WEFT_RING_EMPTY && ep->reclaim_at))
		WRITE_ONCE(ep->reclaim_at, 0);
	weft_send_publish(ep);
	weft_send_settle(ep, out);
	if (unlikely(deferred)) {
		weft_lock(&ep->lock);
		weft_ep_sq_defer(ep, out);
		weft_unlock(&ep->lock);
		return -EAGAIN;
	}
	if (unlikely(r == WEFT_RING_CORRUPT)) {
		weft_count(ep->core, bad_entries);
		weft_lock(&ep->lock);
		weft_ep_error(ep, EBADMSG, out);
		weft_unlock(&ep->lock);
	}
	return 0;
}

/* ---- Into packets ---------------------------------------------------------------- */

/* Have @txm, first of its lane's sendq, wait in turn with the other sends of REST. */
static void weft_send_rest(struct weft_path *path, struct weft_txm *txm)
{
	struct weft_lane *rest = weft_class_lane(txm->flow, WEFT_CLASS_REST);

	weft_list_del(&txm->qnode);
	weft_list_add_tail(&rest->sendq, &txm->qnode);
	path->busy |= 1u << rest->no;
}

/* Copy the next @len bytes of @txm. */
static void weft_send_bytes_of(const struct weft_txm *txm, u8 *dst, u32 len)
{
	u32 off = (u32)txm->sent, n;
	const u8 *src;

	for (; len; len -= n, off += n, dst += n) {
		n = len;
		src = weft_txm_at(txm, off, &n);
		memcpy(dst, src, n);
	}
}

/*
 * Append a chunk with the next @n bytes of @txm to the open packet @rec: in one packet, or, in an
 * empty one, in a run of packets with @seg bytes each.
 */
static void weft_send_bulk(struct weft_txm *txm, struct weft_rec *rec, const struct weft_head *h,
			   u32 n, u32 seg)
{
	rec->bulk = rec->len;
	rec->len += weft_wire_eager_put(rec->raw + rec->len, h, (u32)txm->sent, min(n, seg));
	rec->pay = n;
	rec->seg = min(n, seg);
	rec->nseg = DIV_ROUND_UP(n, seg);
	rec->run = rec->bulk ? 0 : WEFT_CHUNK_EAGER;
	rec->off = (u32)txm->sent;
	rec->moff = txm->sent;
	rec->txm = txm;
	weft_txm_get(txm);
}

#define WEFT_HEADS	4	/* most heads that are sent before their packets */

/*
 * Append the heads of earlier messages of a flow that travel in class REST to the open packet @rec,
 * before a later message. A receiver offers messages to matching in order, and packets of FIRST
 * overtake those of REST. Behind more than WEFT_HEADS messages the later one waits for their
 * packets. Return: true: done; false: the packet is full.
 */
static noinline bool weft_send_heads(struct weft_flow *flow, struct weft_rec *rec)
{
	struct weft_list *l;
	struct weft_head h;

	if (flow->nheadless > WEFT_HEADS)
		return true;
	while ((l = weft_list_first(&flow->headless))) {
		struct weft_txm *txm = weft_entry(l, struct weft_txm, hnode);

		if (weft_rec_space(rec) < WEFT_EAGER_HEAD)
			return false;
		weft_send_head(&h, flow, txm->mseq, txm->tx.tag, txm->tx.data, txm->len,
			       txm->tx.op, txm->flags);
		rec->len += weft_wire_begin_put(rec->raw + rec->len, WEFT_CHUNK_HEAD, &h, 0, 0);
		weft_rec_ref(rec, flow, txm);
		weft_send_headed(txm);
	}
	return true;
}

/* Return: bytes of eager payload that a send counts for. */
static u32 weft_send_counts(const struct weft_txm *txm)
{
	return likely(!txm->req) ? (u32)txm->len : weft_wire_counts(WEFT_MSG_RMA, txm->len);
}

/*
 * Append a request to the open packet @rec, which has space for it. It announces the bytes. They
 * are in the program's memory, or behind the request for want of credit.
 */
static noinline void weft_send_request(struct weft_txm *txm, struct weft_rec *rec,
				       struct weft_head *h)
{
	u32 off, n = txm->req;
	u8 *dst = weft_txm_at(txm, 0, &n);

	/* the request is in one piece: a packet has space for more */
	weft_wire_req_sid(dst, txm->sid);
	h->len = txm->req;
	memcpy(weft_send_chunk(rec, h, 0, txm->req), dst, txm->req);
	if (txm->user)
		return;
	/* the bytes move to its place */
	txm->len -= txm->req;
	for (off = 0; off < txm->len; off += n) {
		const u8 *src;

		n = (u32)txm->len - off;
		dst = weft_txm_at(txm, off, &n);
		src = weft_txm_at(txm, off + txm->req, &n);
		memmove(dst, src, n);
	}
}

/* Refuse a send that has not begun. */
static noinline void weft_send_refuse(struct weft_txm *txm, int status, struct weft_out *out)
{
	weft_send_done(txm, status, out);
	weft_send_over(txm, out);
}

/*
 * Append the next chunk of @txm, first of the sendq of @lane, to the open packet @rec. A message of
 * several packets travels in class REST: as a run, which costs little more than one packet. Its
 * head leaves before that only if a later message follows (weft_send_heads()). Return: true if more
 * may be appended; false: the packet is full.
 */
static bool weft_send_build(struct weft_path *path, struct weft_lane *lane, struct weft_txm *txm,
			    struct weft_rec *rec, struct weft_out *out)
{
	u32 room = weft_rec_space(rec), left, counts, n;
	struct weft_flow *flow = txm->flow;
	struct weft_head h;
	bool last = true;

	weft_assert_held(&path->lock);
	if (room < WEFT_EAGER_HEAD + 64)
		return false;
	if (!txm->begun) {
		if (unlikely(!weft_credit_begins(flow))) {
			weft_credit_park(txm);
			return true;
		}
		if (unlikely(txm->req) && !(path->peer_caps & WEFT_HELLO_RMA)) {
			weft_send_refuse(txm, EOPNOTSUPP, out);
			return true;
		}
		txm->begun = true;
		if (unlikely(flow->unparked == txm))
			flow->unparked = NULL;
		txm->mseq = ++flow->id.mseq;
		counts = weft_send_counts(txm);
		txm->eager = !txm->user && weft_credit_eager(flow, counts) &&
			     !(txm->len > path->max_payload && !txm->req &&
			       weft_class_crowded(path, flow, out->now));
		if (unlikely(txm->rxm))
			weft_rma_ask(txm, out->now);
		if (txm->eager) {
			weft_credit_use(flow, counts);
			if (txm->flags & (WEFT_SQ_TOLD | WEFT_SQ_TRACKED))
				weft_idtable_add(&path->msg.sids, &txm->bulk.idnode,
						 weft_eager_id(flow->id.sgen, txm->mseq));
			weft_count(path->core, msgs_eager);
		} else {
			weft_count(path->core, msgs_rendezvous);
			if (!txm->user && !weft_credit_eager(flow, counts))
				weft_count(path->core, limit_unexp);
		}
	}
	left = (u32)(txm->len - txm->sent);
	if (txm->eager && left > path->max_payload - WEFT_WIRE_HDR - WEFT_EAGER_HEAD &&
	    weft_lane_class(lane) == WEFT_CLASS_FIRST) {
		/* a one-sided operation needs all its bytes: its head is of no use */
		if (likely(!txm->req)) {
			weft_list_add_tail(&flow->headless, &txm->hnode);
			flow->nheadless++;
		}
		weft_send_rest(path, txm);
		return true;
	}
	if (unlikely(flow->nheadless) && weft_lane_class(lane) == WEFT_CLASS_FIRST) {
		if (!weft_send_heads(flow, rec))
			return false;
		room = weft_rec_space(rec);
		if (room < WEFT_EAGER_HEAD + 64)
			return false;
	}
	weft_send_head(&h, flow, txm->mseq, txm->tx.tag, txm->tx.data, txm->len, txm->tx.op,
		       txm->flags);
	if (!txm->eager) {
		if (unlikely(txm->req) && room < WEFT_EAGER_HEAD + WEFT_REQ_FREE)
			return false;
		txm->sid = weft_path_new_id(path, 0);
		weft_idtable_add(&path->msg.sids, &txm->bulk.idnode, txm->sid);
		if (unlikely(txm->req))
			weft_send_request(txm, rec, &h);
		else
			rec->len += weft_wire_rts_put(rec->raw + rec->len, &h, txm->sid);
		txm->state = WEFT_TXM_ASKED;
		goto ref;
	}
	if (left <= WEFT_SHORT_MAX && weft_wire_size(sizeof(struct weft_w_eager) + left) <= room) {
		weft_send_bytes_of(txm, weft_send_chunk(rec, &h, (u32)txm->sent, left), left);
		n = left;
	} else if (left <= path->max_payload - WEFT_WIRE_HDR - rec->len - WEFT_EAGER_HEAD) {
		if (left <= WEFT_SHORT_MAX && rec->len)
			return false;
		weft_send_bulk(txm, rec, &h, left, left);
		n = left;
	} else {
		u32 seg = weft_frame_seg(path, WEFT_EAGER_HEAD);

		if (rec->len)
			return false;
		n = min(left, seg * weft_lane_segs(path, lane));
		weft_send_bulk(txm, rec, &h, n, seg);
	}
	txm->sent += n;
	last = txm->sent == txm->len;
	if (last) {
		txm->state = WEFT_TXM_SENT;
		/* the completion waits for the acknowledgement */
		if (!txm->tx.told && !(txm->flags & WEFT_SQ_TOLD))
			rec->acknow = true;
	}
ref:
	weft_rec_ref(rec, flow, txm);
	if (last) {
		weft_list_del(&txm->qnode);
		flow->nwait--;
	} else {
		weft_send_rest(path, txm);
	}
	return !rec->pay;
}

/**
 * weft_send_append - append waiting messages to a packet until it is full
 * @path: the path, locked
 * @lane: the lane, which may send
 * @rec: the open packet
 * @out: output
 */
void weft_send_append(struct weft_path *path, struct weft_lane *lane, struct weft_rec *rec,
		      struct weft_out *out)
{
	struct weft_list *l;

	weft_assert_held(&path->lock);
	while (!rec->len && (l = weft_list_first(&lane->dataq)))
		if (weft_send_data(path, lane, weft_entry(l, struct weft_txm, qnode), rec))
			return;
	while ((l = weft_list_first(&lane->sendq)))
		if (!weft_send_build(path, lane, weft_entry(l, struct weft_txm, qnode), rec, out))
			return;
}

/**
 * weft_send_unnumbered - send what has no packet number: datagrams, and chunks within the node
 * @path: the path, up and locked
 * @out: output
 */
void weft_send_unnumbered(struct weft_path *path, struct weft_out *out)
{
	weft_assert_held(&path->lock);
	if (path->local) {
		path->busy = 0;
		weft_local_output(path, out);
	} else {
		weft_dgram_output(path, out);
	}
}
