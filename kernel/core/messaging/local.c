// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - messages within the node
 *
 * There are no packets. A message whose receive waits takes the fast path if it can (fast_ring.c,
 * fast_long.c). Otherwise a short message is copied from the send ring into the receiver's
 * completion queue, or, when no receive waits, into a struct weft_rxm. That takes only the
 * receiver's ep->lock. Longer messages are processed under core->local's lock:
 *
 *	up to 16 KiB		copied to the kernel by the send, while the receiver keeps less than
 *				its limit of such bytes, and placed from there (placement.c)
 *	longer, or over limit	the send stays under way (txm->bulk.lrxm, rxm->bulk.ltxm) until a
 *				receive takes it; then its bytes are copied once (bulk/local_copy.c)
 *
 * Connections use the same chunks as between nodes, built and processed at once.
 *
 * Locks: path->lock of core->local for longer messages; ep->lock of the receiver. See
 * Documentation/locking.rst.
 */
#include "core/messaging/messaging.h"

/* As weft_local_src(), after a change of the receiver's address vector. */
u32 weft_local_src_find(struct weft_flow *flow, u32 gen)
{
	flow->lsrc = weft_av_find(flow->lep->av, &flow->ep->addr);
	flow->lsrc_gen = gen;
	flow->lsrc_ok = true;
	return flow->lsrc;
}

static u16 weft_local_flags(const struct weft_sq_entry *e)
{
	return (e->op == WEFT_SQ_TSEND ? WEFT_MSG_TAGGED : 0) |
	       (e->flags & WEFT_SQ_DATA ? WEFT_MSG_DATA : 0) |
	       (e->flags & WEFT_SQ_SOLICITED ? WEFT_MSG_SOLICITED : 0);
}

/* Does @e wait for its receive in any case? A strict receiver may drop unexpected messages. */
static bool weft_local_later(const struct weft_ep *lep, const struct weft_sq_entry *e)
{
	return lep->conf.flags & WEFT_EPF_STRICT && e->flags & WEFT_SQ_DELIVERY;
}

/**
 * weft_local_spare - keep a message in reserve
 * @ep: the endpoint; ep->sq_mutex is held
 * @bytes: payload that its own memory has to take, at most WEFT_INLINE_MAX
 *
 * Context: may sleep.
 * Return: true if there is one.
 */
bool weft_local_spare(struct weft_ep *ep, u32 bytes)
{
	u32 room = bytes <= WEFT_RXM_SMALL ? WEFT_RXM_SMALL : WEFT_INLINE_MAX;
	struct weft_rxm *rxm = ep->tx.spare;

	weft_mutex_assert_held(&ep->sq_mutex);
	if (likely(rxm && rxm->nsmall >= bytes))
		return true;
	weft_free(rxm);
	rxm = weft_alloc_sleep(sizeof(*rxm) + room);
	if (likely(rxm))
		rxm->nsmall = room;
	ep->tx.spare = rxm;
	return rxm;
}

/*
 * Make the message of @e, in the memory of one that is over or of the one in reserve, which has
 * room for @bytes. The receiver is locked.
 */
static struct weft_rxm *weft_local_make(struct weft_ep *ep, struct weft_flow *flow,
					const struct weft_sq_entry *e, u32 bytes)
{
	struct weft_rxm *rxm = weft_kept_spare(flow->lep, bytes);

	weft_assert_held(&flow->lep->lock);
	if (!rxm) {
		rxm = ep->tx.spare;
		ep->tx.spare = NULL;
	}
	weft_local_init(rxm, flow);
	rxm->tag = e->tag;
	rxm->data = e->data;
	rxm->len = e->len;
	rxm->flags = weft_local_flags(e);
	return rxm;
}

/* Store the bytes of a message in @buf. */
static void weft_local_hold(struct weft_rxm *rxm, u8 *buf)
{
	rxm->buf = buf;
	rxm->got = rxm->len;
	rxm->bulk.stored = (u32)rxm->len;
	rxm->whole = true;
}

/*
 * Make the message of @e with the bytes @buf, which it takes over, or with a copy of the bytes
 * @pay. The receiver is locked.
 */
static struct weft_rxm *weft_local_copy(struct weft_ep *ep, struct weft_flow *flow,
					const struct weft_sq_entry *e, const void *pay, u8 *buf,
					u32 src)
{
	struct weft_rxm *rxm = weft_local_make(ep, flow, e, buf ? 0 : (u32)e->len);

	weft_assert_held(&flow->lep->lock);
	if (!buf) {
		memcpy(rxm->small, pay, e->len);
		buf = rxm->small;
	}
	weft_local_hold(rxm, buf);
	rxm->src = src;
	return rxm;
}

/**
 * weft_local_keep - keep a message that no receive takes
 * @ep: the sender; ep->sq_mutex is held, and ep->tx.spare has room for the message
 * @flow: the flow; the receiver is locked, and may keep the message (weft_keep_full())
 * @e: the send
 * @pay: the bytes of a short one
 * @buf: the bytes of a longer one, for weft_free(), taken over; NULL: a short one
 * @src: the sender's index at the receiver
 * @out: output
 */
void weft_local_keep(struct weft_ep *ep, struct weft_flow *flow, const struct weft_sq_entry *e,
		     const void *pay, u8 *buf, u32 src, struct weft_out *out)
{
	struct weft_rxm *rxm = weft_local_copy(ep, flow, e, pay, buf, src);

	weft_assert_held(&flow->lep->lock);
	weft_keep(rxm, (u32)e->len);
	weft_recv_unexp(flow->lep, rxm, src, out);
}

static struct weft_post *weft_local_match(struct weft_ep *lep, u32 src,
					  const struct weft_sq_entry *e, struct weft_out *out)
{
	return weft_recv_find(lep, e->op == WEFT_SQ_TSEND ? WEFT_TAGGED : WEFT_UNTAGGED, src,
			      e->tag, e->len, out);
}

/*
 * Deliver a short message with the bytes @pay. Return: 0; -EAGAIN: a struct weft_txm is needed,
 * because the receiver keeps too much or the sender asks for its match; other negative errno:
 * refused.
 */
static int weft_local_fast(struct weft_ep *ep, struct weft_flow *flow,
			   const struct weft_sq_entry *e, const void *pay, struct weft_out *out)
{
	struct weft_ep *lep = flow->lep;
	struct weft_rxm *rxm;
	struct weft_post *post;
	u8 full;
	u32 src;
	int err;

	if (unlikely(!weft_local_spare(ep, (u32)e->len)))
		return -ENOMEM;
	weft_lock(&lep->lock);
	err = weft_local_refused(lep);
	if (unlikely(err))
		goto out;
	src = weft_local_src(flow);
	full = weft_keep_full(lep, (u32)e->len);
	post = weft_local_match(lep, src, e, out);
	ep->tx.slow = !post;
	if (likely(post)) {
		struct weft_cqe *c = &lep->rx.cqe;

		weft_recv_cqe(c, lep, post, e->tag, e->data, e->len, src, weft_local_flags(e));
		if (likely(weft_recv_inline(lep, post, c, pay, out))) {
			if (unlikely(c->status) && lep->conf.flags & WEFT_EPF_STRICT)
				err = -(int)c->status;
			goto out;
		}
	} else if (full || e->flags & WEFT_SQ_MATCH || weft_local_later(lep, e)) {
		weft_keep_count(ep, full);
		err = -EAGAIN;
		goto out;
	}
	if (post) {
		rxm = weft_local_copy(ep, flow, e, pay, NULL, src);
		weft_recv_matched(lep, rxm, post);
		weft_start_put(rxm, out);
	} else {
		weft_local_keep(ep, flow, e, pay, NULL, src, out);
	}
out:
	weft_unlock(&lep->lock);
	return err;
}

/* sends with these flags wait until the receive has the bytes */
#define WEFT_LOCAL_WAITS	(WEFT_SQ_TOLD | WEFT_SQ_TRACKED)

/* Send with a struct weft_txm. core->local is locked. Return: 0, negative errno: refused. */
static int weft_local_long(struct weft_ep *ep, struct weft_flow *flow,
			   const struct weft_sq_entry *e, struct weft_txm *txm,
			   struct weft_out *out)
{
	struct weft_ep *lep = flow->lep;
	struct weft_rxm *rxm = NULL;
	struct weft_post *post;
	u8 full;
	int err;
	u32 src;

	weft_assert_held(&flow->path->lock);
	if (flow->dead)
		return -(int)flow->dead;
	weft_lock(&lep->lock);
	err = weft_local_refused(lep);
	if (!err && e->len > lep->tx.ring.longest)
		err = -EMSGSIZE;
	if (!err) {
		src = weft_local_src(flow);
		post = weft_local_match(lep, src, e, out);
		ep->tx.slow = !post;
		rxm = weft_local_make(ep, flow, e, 0);
		rxm->src = src;
		full = txm->user || post ? WEFT_FULL_NOT : weft_keep_full(lep, (u32)e->len);
		weft_keep_count(ep, full);
		if (!txm->user && !weft_local_later(lep, e) &&
		    (post ? !(e->flags & WEFT_LOCAL_WAITS) :
			    !(e->flags & WEFT_SQ_MATCH) && !full)) {
			weft_local_hold(rxm, txm->buf);
			txm->buf = NULL;
		} else {
			weft_txm_get(txm);
			rxm->bulk.ltxm = txm;
			weft_rxm_get(rxm);
			txm->bulk.lrxm = rxm;
			txm->state = WEFT_TXM_LOCAL;
			flow->ref++;
			weft_txm_get(txm);
			weft_txm_enter(txm, &flow->txms, out->now);
		}
		if (post) {
			rxm->started = true;
			weft_recv_matched(lep, rxm, post);
		} else {
			weft_keep(rxm, rxm->bulk.ltxm ? 0 : (u32)rxm->len);
			weft_recv_unexp(lep, rxm, src, out);
		}
	}
	weft_unlock(&lep->lock);
	if (err)
		return err;
	/* a send with a higher level, or without a complete copy, waits for the receiver */
	if (!rxm->bulk.ltxm || (!txm->user && !(e->flags & WEFT_SQ_LATER)))
		weft_send_done(txm, 0, out);
	if (rxm->started)
		weft_rxm_begin(rxm, out);
	return 0;
}

/**
 * weft_local_fenced - send a message that a fence has held back
 * @flow: its flow; core->local is locked
 * @txm: the send; its endpoint's ep->sq_mutex is held, and ep->tx.spare is set
 * @out: output
 *
 * Return: 0, negative errno: refused.
 */
int weft_local_fenced(struct weft_flow *flow, struct weft_txm *txm, struct weft_out *out)
{
	const struct weft_sq_entry e = {
		.op = txm->tx.op,
		.flags = txm->flags,
		.context = txm->tx.context,
		.tag = txm->tx.tag,
		.data = txm->tx.data,
		.len = txm->len,
	};

	weft_mutex_assert_held(&flow->ep->sq_mutex);
	if (unlikely(txm->req))
		return weft_rma_local_held(flow, txm, out);
	return weft_local_long(txm->ep, flow, &e, txm, out);
}

/**
 * weft_local_send - send an entry to an endpoint of this node
 * @ep: the endpoint; ep->sq_mutex is held, ep->tx.hand is set
 * @flow: the flow
 * @e: the entry
 * @out: output
 *
 * Context: may sleep.
 * Return: 0, negative errno: the entry is refused with it.
 */
int weft_local_send(struct weft_ep *ep, struct weft_flow *flow, const struct weft_sq_entry *e,
		    struct weft_out *out)
{
	struct weft_path *path = flow->path;
	const void *pay = NULL;
	struct weft_txm *txm;
	int err;

	weft_mutex_assert_held(&ep->sq_mutex);
	weft_local_arrives(flow, e->tag, e->len);
	weft_count(ep->core, msgs_local);
	weft_count(ep->core, msgs_received);
	if (e->len <= WEFT_INLINE_MAX) {
		pay = weft_send_bytes(ep, e);
		if (IS_ERR(pay))
			return (int)PTR_ERR(pay);
		err = -EAGAIN;
		if (likely(!(e->flags & WEFT_LOCAL_WAITS) && READ_ONCE(ep->core->fast)))
			err = weft_local_fast(ep, flow, e, pay, out);
		if (likely(!err))
			weft_send_cqe(ep, e, out);
		if (err != -EAGAIN)
			return err;
	}
	if (!weft_local_spare(ep, 0))
		return -ENOMEM;
	txm = weft_send_keep(ep, e, flow, pay);
	if (IS_ERR(txm))
		return (int)PTR_ERR(txm);
	weft_lock(&path->lock);
	err = weft_local_long(ep, flow, e, txm, out);
	if (err)
		weft_send_done(txm, -err, out);
	weft_unlock(&path->lock);
	weft_txm_put(txm, out);
	return 0;
}

/**
 * weft_local_withdraw - stop a send under way; its receive gets ECONNRESET, a read its errno
 * @txm: the send, which has been reported; core->local is locked
 * @out: output
 */
void weft_local_withdraw(struct weft_txm *txm, struct weft_out *out)
{
	struct weft_rxm *rxm = txm->bulk.lrxm;

	weft_assert_held(&txm->path->lock);
	weft_txm_get(txm);
	if (rxm) {
		weft_rxm_get(rxm);
		weft_rxm_fail(rxm, txm->source && txm->status ? txm->status : ECONNRESET, out);
		weft_rxm_put(rxm);
	}
	weft_send_over(txm, out);
	weft_txm_put(txm, out);
}

/* ---- Connections ----------------------------------------------------------------- */

/* Process one waiting chunk. Return: false if there is no memory for it now. */
static bool weft_local_chunk(struct weft_path *path, struct weft_lane *lane, struct weft_out *out)
{
	struct weft_rec *rec = lane->open;
	struct weft_chunks rest;
	struct weft_chunk c;

	if (!rec) {
		rec = weft_rec_new(path);
		if (!rec)
			return false;
		weft_ctl_build(path, lane, rec, out);
	}
	lane->open = NULL;
	rest.at = rec->raw;
	rest.left = rec->len;
	while (weft_wire_next(&rest, &c)) {
		if (c.type == WEFT_CHUNK_CM && weft_cm_rx(path, c.body, c.pay, c.paylen, out)) {
			/* as for a packet that is not taken: the chunk is processed again */
			lane->open = rec;
			return false;
		}
	}
	weft_rec_put(path, rec, out);
	return true;
}

/**
 * weft_local_output - process the waiting chunks
 * @path: core->local, locked
 * @out: output
 *
 * A chunk that lacks memory is processed again when the path's timer expires.
 */
void weft_local_output(struct weft_path *path, struct weft_out *out)
{
	struct weft_lane *lane;
	u32 i;

	weft_assert_held(&path->lock);
	for (i = 0; i < WEFT_LANES; i++) {
		lane = &path->lane[i];
		while (lane->open || !weft_list_empty(&lane->ctlq)) {
			if (likely(weft_local_chunk(path, lane, out)))
				continue;
			path->busy |= 1u << i;
			weft_path_deadline(path, out->now + path->core->conf.ack_delay_ns);
			break;
		}
	}
}
