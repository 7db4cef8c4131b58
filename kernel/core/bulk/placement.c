// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - data placement: from received messages into the memory of programs
 *
 * weft_rxm_step() advances a started message as far as possible after each change. Sources:
 *
 *	eager, direct	packets are copied into one window that holds the whole message
 *	eager, buffered	packets are copied into rxm->buf (all that come before the match; where
 *			memory has no piece of that size, a worker takes it from many). The complete
 *			message is copied from there into the completion queue, into a window, or by
 *			a worker into the program's memory
 *	rendezvous	two windows at a time: pinned, granted, filled by DATA, flushed if bounced,
 *			released
 *	local		local.c
 *
 * A window: NONE -> (DEFER: made by a worker) -> READY -> (FLUSH: bounced, by a worker) -> NONE.
 *
 * A message that fails waits until no copy and no worker uses it. When its completion is written,
 * its memory is no longer in use.
 *
 * Locks: path->lock, held by the caller; ep->lock is taken here. See Documentation/locking.rst.
 */
#include "core/bulk/bulk.h"

/**
 * weft_rxm_later - the out has no space for a copy: continue after the flush
 * @rxm: the message; its path is locked
 * @out: output
 */
void weft_rxm_later(struct weft_rxm *rxm, struct weft_out *out)
{
	weft_assert_held(&rxm->path->lock);
	if (rxm->bulk.in_later)
		return;
	rxm->bulk.in_later = true;
	weft_rxm_get(rxm);
	weft_list_add_tail(&rxm->path->msg.later, &rxm->bulk.later);
	weft_path_go_on(rxm->path, out);
}

/* Record that the message no longer needs the peer. Its path is locked. */
void weft_rxm_complete(struct weft_rxm *rxm)
{
	weft_assert_held(&rxm->path->lock);
	if (!rxm->bulk.needs)
		return;
	rxm->bulk.needs = false;
	rxm->path->nwait--;
}

/*
 * Bytes of an eager message are missing: they have not come, or, with @err, cannot be taken now.
 * The path must then detect the peer's death. Return: @err.
 */
static int weft_rxm_incomplete(struct weft_rxm *rxm, int err)
{
	if (!rxm->bulk.needs) {
		rxm->bulk.needs = true;
		weft_path_needs(rxm->path, rxm->path->heard_at);
	}
	return err;
}

/*
 * Return: errno for a sender that waits for the outcome of a message. @err: that of the receive.
 * The receiver's program may have ended. @cut: error of a message that was too long for its
 * receive.
 */
static int weft_rxm_told(const struct weft_rxm *rxm, int err, int cut)
{
	const struct weft_ep *ep = rxm->ep;

	if (!err)
		return cut;
	if (err == ECANCELED || READ_ONCE(ep->state) == WEFT_EPS_DEAD ||
	    weft_memctx_dead(ep->conf.mc))
		return ep->conf.type == WEFT_EP_MSG ? ECONNRESET : ECONNREFUSED;
	/* the initiator of an operation hears of the target's memory */
	return err == EFAULT && !(rxm->flags & WEFT_MSG_RMA) ? EREMOTEIO : err;
}

/**
 * weft_rxm_finish - end a message
 * @rxm: the message; its path is locked; no copy or worker uses the memory of its receive
 * @err: errno for the receive, and for a sender that waits for the outcome (weft_rxm_told()); 0: it
 *	has been placed
 * @out: output
 *
 * Drops the reference of the path.
 */
void weft_rxm_finish(struct weft_rxm *rxm, int err, struct weft_out *out)
{
	struct weft_path *path = rxm->path;
	struct weft_ep *ep = rxm->ep;
	bool settled = false;
	int cut = 0, told;
	u32 i;

	weft_assert_held(&rxm->path->lock);
	if (rxm->bulk.over)
		return;
	rxm->bulk.over = true;
	for (i = 0; i < ARRAY_SIZE(rxm->bulk.win); i++)
		weft_win_drop(&rxm->bulk.win[i]);
	weft_lock(&ep->lock);
	if (rxm->rx.match.in)
		weft_match_unexp_del(&ep->rx.match, &rxm->rx.match);
	if (unlikely(rxm->rma)) {
		weft_rma_quiet(rxm);
		if (!err && weft_rma_changes(rxm->rma))
			weft_rma_changed(rxm->rma, out);
		weft_rma_close(rxm->rma, ep->conf.domain);
		weft_list_del(&rxm->rx.enode);
		settled = weft_list_empty(&ep->rx.active);
	} else if (rxm->rx.post) {
		struct weft_cqe e;

		if (unlikely(rxm->rx.post->flags & WEFT_RQ_ANNOUNCE))
			weft_announce_none(ep, rxm->rx.post);
		weft_list_del(&rxm->rx.enode);
		settled = weft_list_empty(&ep->rx.active);
		weft_recv_cqe(&e, ep, rxm->rx.post, rxm->tag, rxm->data, rxm->len, rxm->src,
			      rxm->flags);
		weft_recv_from(ep, rxm->rx.post, rxm, &e);
		if (err) {
			e.tag = rxm->rx.post->match.tag;
			e.len = 0;
			e.olen = 0;
			e.status = err;
			e.flags &= ~(WEFT_CQE_MULTI | WEFT_CQE_FROM);
			rxm->rx.post->last = false;
		} else if (e.status) {
			cut = -weft_recv_long(ep, out);
		}
		weft_post_turn(ep, rxm->rx.post, &e, out);
		rxm->rx.post = NULL;
	}
	weft_keep_end(rxm);
	weft_unlock(&ep->lock);

	told = weft_rxm_told(rxm, err, cut);
	if (unlikely(rxm->flags & WEFT_MSG_RMA))
		weft_rma_over(rxm, err, told, out);
	if (!path->local) {
		weft_credit_over(rxm, out);
		if (rxm->sid ? !rxm->bulk.aborted :
			       rxm->flags & (WEFT_MSG_PLACED | WEFT_MSG_MATCHED)) {
			rxm->bulk.done = told;
			rxm->bulk.send_done = true;
			weft_ctl_put(path, rxm->lane, &rxm->ctl);
		}
	}
	weft_list_del(&rxm->fnode);
	weft_rxm_unlist(rxm);
	weft_list_del(&rxm->node);
	if (!path->local)
		path->nrxm--;
	weft_rxm_complete(rxm);
	weft_grant_leave(rxm, out);
	if (rxm->bulk.ltxm)
		weft_local_over(rxm, told, out);
	if (unlikely(settled))
		weft_cm_settled(ep, out);
	weft_rxm_put(rxm);
}

/**
 * weft_rxm_unlist - let no chunk of the sender find a message any more
 * @rxm: the message; its path is locked
 */
void weft_rxm_unlist(struct weft_rxm *rxm)
{
	weft_assert_held(&rxm->path->lock);
	weft_idtable_del(&rxm->path->msg.rids, &rxm->bulk.rnode);
	weft_idtable_del(&rxm->path->msg.psids, &rxm->bulk.pnode);
}

/**
 * weft_rxm_gathered - all bytes of a message have come
 * @rxm: the message; its path is locked
 *
 * No later piece has to find an eager message. The sender of an announced one may still withdraw
 * it.
 */
void weft_rxm_gathered(struct weft_rxm *rxm)
{
	weft_list_del(&rxm->fnode);
	if (!rxm->sid)
		weft_rxm_unlist(rxm);
}

/*
 * A message that no receive has taken is lost. It keeps its place, and the receive that meets it
 * fails. Otherwise a later message of its sender would take that receive (FI_ORDER_SAS of
 * fi_endpoint(3)). It needs neither its peer nor its sender any more.
 */
static void weft_rxm_lose(struct weft_rxm *rxm, struct weft_out *out)
{
	rxm->bulk.aborted = true;
	weft_rxm_unlist(rxm);
	weft_rxm_complete(rxm);
	if (rxm->bulk.ltxm)
		weft_local_over(rxm, rxm->err, out);
	weft_count(rxm->path->core, msgs_lost);
}

/**
 * weft_rxm_fail - fail a message
 * @rxm: the message; its path is locked; the caller has a reference
 * @err: errno for its receive; ECONNRESET if no receive has taken it
 * @out: output
 *
 * A message in the endpoint's matching stays there: see weft_rxm_lose().
 */
void weft_rxm_fail(struct weft_rxm *rxm, int err, struct weft_out *out)
{
	bool waits, stays, known;

	weft_assert_held(&rxm->path->lock);
	if (rxm->bulk.over)
		return;
	if (rxm->started) {
		if (!rxm->err)
			rxm->err = err;
		weft_rxm_step(rxm, out);
		return;
	}
	/* out->start brings decisions made under ep->lock */
	weft_lock(&rxm->ep->lock);
	stays = rxm->rx.match.in || rxm->rx.claimed;
	waits = rxm->rx.post || rxm->rx.served || rxm->rx.dropped;
	known = rxm->err;
	if (!known)
		rxm->err = stays ? ECONNRESET : err;
	weft_unlock(&rxm->ep->lock);
	if (stays && !known)
		weft_rxm_lose(rxm, out);
	else if (!stays && !waits)
		weft_rxm_finish(rxm, err, out);
}

/**
 * weft_rxm_begin - begin the placement of a message that has its receive
 * @rxm: the message, started; its path is locked
 * @out: output
 */
void weft_rxm_begin(struct weft_rxm *rxm, struct weft_out *out)
{
	weft_assert_held(&rxm->path->lock);
	rxm->bulk.room = min(rxm->len, rxm->rx.post->vec.len);
	if (unlikely(rxm->rx.post->flags & (WEFT_RQ_ANNOUNCE | WEFT_POST_CLAIM)) &&
	    !weft_announce_begin(rxm)) {
		weft_rxm_finish(rxm, 0, out);
		return;
	}
	if (rxm->sid && rxm->bulk.room > rxm->bulk.base && !rxm->err)
		weft_grant_join(rxm, out);
	weft_rxm_step(rxm, out);
}

/**
 * weft_rxm_start - process a decision made about a message under ep->lock
 * @rxm: taken off out->start; its path is locked; the caller has a reference
 * @out: output
 */
void weft_rxm_start(struct weft_rxm *rxm, struct weft_out *out)
{
	weft_assert_held(&rxm->path->lock);
	if (rxm->bulk.over)
		return;
	if (rxm->rx.served) {
		weft_rxm_finish(rxm, 0, out);
	} else if (rxm->rx.dropped) {
		weft_rxm_finish(rxm, ECONNREFUSED, out);
	} else {
		rxm->started = true;
		if (rxm->path->state == WEFT_PATHS_DEAD && !rxm->whole && !rxm->err)
			rxm->err = rxm->path->failing;
		weft_rxm_begin(rxm, out);
	}
}

/* Put out a copy into a window; out has space. Return: the copy, with all bytes in one piece. */
static struct weft_copy *weft_rxm_copy(struct weft_rxm *rxm, u8 kind, const void *src, u32 win,
				       u64 off, u32 len, struct weft_out *out)
{
	struct weft_copy *c = &out->copy[out->ncopy++];
	struct weft_win *w = &rxm->bulk.win[win];

	weft_rxm_get(rxm);
	c->rxm = rxm;
	c->kind = kind;
	c->src = src;
	c->mem = w->mem;
	c->off = (u32)(off - w->off);
	c->len = len;
	c->piece = len;
	c->skip = 0;
	c->token = win;
	w->todo -= len;
	w->busy++;
	rxm->bulk.ncopy++;
	return c;
}

/* ---- Eager ----------------------------------------------------------------------- */

/* Copy from the buffer into the completion queue. Return: true if done. */
static bool weft_rxm_inline(struct weft_rxm *rxm, struct weft_out *out)
{
	struct weft_ep *ep = rxm->ep;
	struct weft_cqe e;
	bool done = false, settled = false;
	int cut = 0;

	if (unlikely(rxm->rx.post->flags & WEFT_RQ_ANNOUNCE))
		return weft_announce(rxm, true, out);
	weft_lock(&ep->lock);
	if (ep->state != WEFT_EPS_DEAD && ep->rx_cq) {
		weft_recv_cqe(&e, ep, rxm->rx.post, rxm->tag, rxm->data, rxm->len, rxm->src,
			      rxm->flags);
		weft_list_del(&rxm->rx.enode);
		done = weft_recv_inline(ep, rxm->rx.post, &e, rxm->buf, out);
		if (done) {
			/* the sender to a strict endpoint receives this status */
			cut = ep->conf.flags & WEFT_EPF_STRICT ? e.status : 0;
			rxm->rx.post = NULL;
			settled = weft_list_empty(&ep->rx.active);
		} else {
			weft_list_add_tail(&ep->rx.active, &rxm->rx.enode);
		}
	}
	weft_unlock(&ep->lock);
	if (unlikely(settled))
		weft_cm_settled(ep, out);
	if (done)
		weft_rxm_finish(rxm, cut, out);
	return done;
}

/* Place a complete message from kernel memory. */
static void weft_rxm_from_buf(struct weft_rxm *rxm, struct weft_out *out)
{
	u64 base = rxm->bulk.base;
	int err;

	if (rxm->bulk.pinned > base) {
		if (weft_rxm_release(rxm, out))
			weft_rxm_placed(rxm, out);
		return;
	}
	if (rxm->bulk.room <= base) {
		weft_rxm_placed(rxm, out);
		return;
	}
	if (rxm->bulk.work.queued ||
	    (rxm->bulk.room <= WEFT_INLINE_MAX && !rxm->rma && weft_rxm_inline(rxm, out)))
		return;
	/* the memory is resident soon: weft_recv_pins() */
	WRITE_ONCE(rxm->ep->rx.misses, 0);
	if (out->ncopy == WEFT_OUT_COPY) {
		weft_rxm_later(rxm, out);
		return;
	}
	err = -EAGAIN;
	if (rxm->bulk.room <= rxm->path->core->conf.window_bytes)
		err = weft_rxm_pin(rxm, &rxm->bulk.win[0]);
	if (!err) {
		weft_rxm_copy(rxm, WEFT_COPY_BUF_MEM, rxm->buf + base, 0, base,
			      (u32)(rxm->bulk.room - base), out);
	} else if (err == -EAGAIN) {
		weft_count(rxm->path->core, deferred);
		weft_rxm_defer(rxm, out);
	} else {
		weft_rxm_finish(rxm, EFAULT, out);
	}
}

/**
 * weft_rxm_buffered - report a buffered message that waits for its receive as placed, unless its
 * endpoint is strict and may drop it
 * @rxm: the message, offered and not started; its path is locked
 */
void weft_rxm_buffered(struct weft_rxm *rxm)
{
	weft_assert_held(&rxm->path->lock);
	if (!(rxm->flags & WEFT_MSG_PLACED) || rxm->ep->conf.flags & WEFT_EPF_STRICT)
		return;
	rxm->flags &= ~WEFT_MSG_PLACED;
	rxm->bulk.done = 0;
	rxm->bulk.send_done = true;
	weft_ctl_put(rxm->path, rxm->lane, &rxm->ctl);
}

/* Process the arrival of the last byte. */
static void weft_rxm_is_whole(struct weft_rxm *rxm, struct weft_out *out)
{
	weft_rxm_complete(rxm);
	/* an early message keeps its place until its turn, and its sender is informed then */
	if (!rxm->early) {
		weft_rxm_gathered(rxm);
		if (!rxm->started)
			weft_rxm_buffered(rxm);
	}
	/* pairs with the acquire in post.c: its reader then sees the bytes and the final flags */
	smp_store_release(&rxm->whole, true);
	if (unlikely(rxm->rma))
		weft_rma_gathered(rxm, out);
	else if (rxm->started)
		weft_rxm_step(rxm, out);
	else if (unlikely(rxm->flags & WEFT_MSG_RMA))
		weft_recv_gathered(rxm, out);
}

/*
 * Decide whether to copy into the receive's memory: the message has just begun, and the memory is
 * resident. Return: true if so.
 */
static bool weft_rxm_go_direct(struct weft_rxm *rxm)
{
	if (rxm->bulk.direct)
		return true;
	if (!rxm->started || rxm->got || rxm->buf || rxm->err || !rxm->bulk.room ||
	    rxm->bulk.room > rxm->path->core->conf.window_bytes ||
	    (rxm->bulk.room < rxm->len && rxm->rx.post->flags & WEFT_RQ_ANNOUNCE))
		return false;
	if (weft_rxm_pin(rxm, &rxm->bulk.win[0]))
		return false;
	rxm->bulk.direct = true;
	return true;
}

/*
 * Take memory for the bytes of an eager message. A piece of that size may be missing for long where
 * a node's memory is fragmented. A worker then takes memory that consists of many pages. Until it
 * has run, no packet of the message is taken; the sender sends them again. Return: false: not now.
 */
static bool weft_rxm_store(struct weft_rxm *rxm, struct weft_out *out)
{
	if (rxm->len <= rxm->nsmall) {
		rxm->buf = rxm->small;
		return true;
	}
	rxm->buf = weft_ep_alloc(rxm->ep, rxm->len);
	if (likely(rxm->buf))
		return true;
	rxm->bulk.scarce = true;
	weft_rxm_defer(rxm, out);
	return false;
}

/**
 * weft_rxm_fragment - process a part of an eager message
 * @rxm: the message; its path is locked
 * @off: offset
 * @c: chunk of the first packet with the part
 * @len: bytes of the part, in pieces of c->paylen bytes
 * @skip: bytes between two pieces
 * @out: output
 *
 * Return: 0; -ENOMEM, -ENOBUFS: the packet cannot be taken now.
 */
int weft_rxm_fragment(struct weft_rxm *rxm, u32 off, const struct weft_chunk *c, u32 len, u32 skip,
		      struct weft_out *out)
{
	struct weft_copy *copy;
	u32 n = len;

	weft_assert_held(&rxm->path->lock);
	if (rxm->bulk.over || rxm->err || rxm->sid || rxm->whole ||
	    len > rxm->len - min_t(u64, off, rxm->len) || rxm->got + len > rxm->len) {
		weft_credit_ignore(rxm, len);
		return 0;
	}
	if (unlikely(rxm->bulk.scarce))
		return weft_rxm_incomplete(rxm, -ENOMEM);
	if (weft_rxm_go_direct(rxm)) {
		n = off < rxm->bulk.room ? min_t(u32, len, (u32)rxm->bulk.room - off) : 0;
		if (n && out->ncopy == WEFT_OUT_COPY)
			return weft_rxm_incomplete(rxm, -ENOBUFS);
		if (n > rxm->bulk.win[0].todo) {
			weft_credit_ignore(rxm, len);
			return 0;
		}
		if (n) {
			copy = weft_rxm_copy(rxm, WEFT_COPY_RX_MEM, c->pay, 0, off, n, out);
			copy->piece = c->paylen;
			copy->skip = skip;
		}
		weft_credit_got(rxm, len);
		if (rxm->got == rxm->len) {
			weft_rxm_gathered(rxm);
			rxm->whole = true;
			weft_rxm_complete(rxm);
			if (!n)
				weft_rxm_step(rxm, out);
		} else {
			weft_rxm_incomplete(rxm, 0);
		}
		return 0;
	}
	if (!rxm->buf && unlikely(!weft_rxm_store(rxm, out)))
		return weft_rxm_incomplete(rxm, -ENOMEM);
	if (len > min_t(u32, c->paylen, WEFT_SHORT_MAX)) {
		if (out->ncopy == WEFT_OUT_COPY)
			return weft_rxm_incomplete(rxm, -ENOBUFS);
		copy = &out->copy[out->ncopy++];
		weft_rxm_get(rxm);
		copy->rxm = rxm;
		copy->kind = WEFT_COPY_RX_BUF;
		copy->src = c->pay;
		copy->dst = rxm->buf + off;
		copy->len = len;
		copy->piece = c->paylen;
		copy->skip = skip;
		rxm->bulk.ncopy++;
	} else {
		memcpy(rxm->buf + off, c->pay, len);
		rxm->bulk.stored += len;
	}
	weft_credit_got(rxm, len);
	if (rxm->bulk.stored == rxm->len)
		weft_rxm_is_whole(rxm, out);
	else if (rxm->got < rxm->len)
		weft_rxm_incomplete(rxm, 0);
	return 0;
}

/* ---- Rendezvous ------------------------------------------------------------------ */

/*
 * Grant bytes up to the allowed offset, as far as windows are ready; they become ready in any
 * order.
 */
static void weft_rxm_grant(struct weft_rxm *rxm)
{
	u64 upto = rxm->bulk.granted;
	u32 i, n;

	for (n = 0; n < ARRAY_SIZE(rxm->bulk.win); n++)
		for (i = 0; i < ARRAY_SIZE(rxm->bulk.win); i++)
			if (rxm->bulk.win[i].state == WEFT_WIN_READY &&
			    upto - rxm->bulk.win[i].off < rxm->bulk.win[i].len)
				upto = rxm->bulk.win[i].off + rxm->bulk.win[i].len;
	upto = min(upto, rxm->bulk.allowed);
	if (upto == rxm->bulk.granted)
		return;
	rxm->bulk.granted = upto;
	rxm->bulk.send_grant = true;
	weft_ctl_put(rxm->path, rxm->lane, &rxm->ctl);
}

static void weft_rxm_pull(struct weft_rxm *rxm, struct weft_out *out)
{
	u32 i;

	if (weft_rxm_release(rxm, out) && rxm->bulk.pinned == rxm->bulk.room) {
		weft_rxm_placed(rxm, out);
		return;
	}
	for (i = 0; i < ARRAY_SIZE(rxm->bulk.win) && rxm->bulk.pinned < rxm->bulk.allowed; i++) {
		struct weft_win *w = &rxm->bulk.win[i];

		if (w->state != WEFT_WIN_NONE)
			continue;
		if (weft_rxm_take(rxm, w, out)) {
			weft_rxm_fail(rxm, EFAULT, out);
			return;
		}
	}
	weft_rxm_grant(rxm);
}

/**
 * weft_rxm_step - advance a message as far as possible
 * @rxm: the message, referenced; its path is locked
 * @out: output
 */
void weft_rxm_step(struct weft_rxm *rxm, struct weft_out *out)
{
	weft_assert_held(&rxm->path->lock);
	if (rxm->bulk.over || !rxm->started || rxm->bulk.deferred)
		return;
	if (unlikely(rxm->err)) {
		if (!rxm->bulk.ncopy)
			weft_rxm_finish(rxm, rxm->err, out);
		return;
	}
	if (rxm->bulk.ltxm && !rxm->buf) {
		weft_local_step(rxm, out);
	} else if (unlikely(rxm->rma) && rxm->rma->role == WEFT_RMA_TARGET && rxm->buf) {
		/* rma/target.c advances an operation with its bytes at hand */
	} else if (rxm->sid) {
		weft_rxm_pull(rxm, out);
	} else if (rxm->bulk.direct) {
		if (weft_rxm_release(rxm, out) && rxm->whole)
			weft_rxm_placed(rxm, out);
	} else if (rxm->whole) {
		weft_rxm_from_buf(rxm, out);
	}
}

static struct weft_rxm *weft_rxm_by_id(struct weft_path *path, u32 rid)
{
	struct weft_list *l;

	weft_list_for_each(l, weft_idtable_chain(&path->msg.rids, rid)) {
		struct weft_rxm *rxm = weft_entry(l, struct weft_rxm, bulk.rnode.list);

		/* eager messages have none */
		if (rxm->sid && rxm->bulk.rid == rid)
			return rxm;
	}
	return NULL;
}

/* Return: number of the window for the byte at @off, ARRAY_SIZE(rxm->bulk.win): none. */
static u32 weft_place_win(const struct weft_rxm *rxm, u64 off)
{
	const struct weft_win *w = rxm->bulk.win;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rxm->bulk.win); i++)
		if (w[i].state == WEFT_WIN_READY && off - w[i].off < w[i].len)
			break;
	return i;
}

/*
 * Count @n granted bytes that have come. The request of a read grants the first bytes itself. They
 * prove that the target knows the read, so the other bytes join the grants now.
 */
static void weft_place_came(struct weft_rxm *rxm, u32 n, struct weft_out *out)
{
	if (likely(rxm->bulk.gmsg.in)) {
		weft_grant_came(rxm, n, out);
	} else if (rxm->bulk.allowed < rxm->bulk.room) {
		rxm->bulk.gmsg.given = rxm->bulk.allowed;
		weft_grant_join(rxm, out);
		weft_rxm_step(rxm, out);
	}
}

/**
 * weft_place_run - process a run of DATA packets
 * @path: the path, locked
 * @c: the chunk of the first packet
 * @n: packets
 * @last: payload bytes of the last packet; the others have c->paylen
 * @skip: bytes between the payload of two packets
 * @out: output
 *
 * Return: number of packets taken, from the first; 0: they have to be processed one by one.
 */
u32 weft_place_run(struct weft_path *path, const struct weft_chunk *c, u32 n, u32 last, u32 skip,
		   struct weft_out *out)
{
	const struct weft_w_data *w = c->body;
	u32 len = (n - 1) * c->paylen + last, rid = be32_to_cpu(w->rid), room, k;
	struct weft_rxm *rxm = weft_rxm_by_id(path, rid);
	u64 off = be64_to_cpu(w->off);
	struct weft_copy *copy;
	struct weft_win *win;

	weft_assert_held(&path->lock);
	if (!rxm && rid & WEFT_RMA_ID &&
	    weft_rma_got(path, rid, off, c->pay, len, c->paylen, skip, out))
		return n;
	if (!rxm || rxm->bulk.over || rxm->err || !rxm->started || out->ncopy == WEFT_OUT_COPY ||
	    unlikely(rxm->buf))
		return 0;
	k = weft_place_win(rxm, off);
	if (k == ARRAY_SIZE(rxm->bulk.win) || off >= rxm->bulk.granted)
		return 0;
	win = &rxm->bulk.win[k];
	room = (u32)min3(win->off + win->len - off, rxm->bulk.granted - off, (u64)win->todo);
	if (unlikely(len > room)) {
		n = room / c->paylen;
		len = n * c->paylen;
	}
	if (unlikely(!n))
		return 0;
	copy = weft_rxm_copy(rxm, WEFT_COPY_RX_MEM, c->pay, k, off, len, out);
	copy->piece = c->paylen;
	copy->skip = skip;
	weft_place_came(rxm, len, out);
	return n;
}

/* Take bytes of the operands of an atomic operation, which are gathered in kernel memory. */
static void weft_place_operands(struct weft_rxm *rxm, u64 off, const u8 *pay, u32 len,
				struct weft_out *out)
{
	if (rxm->got + len > rxm->len)
		return;
	memcpy(rxm->buf + off, pay, len);
	rxm->got += len;
	rxm->bulk.stored += len;
	if (rxm->got == rxm->len)
		weft_rxm_is_whole(rxm, out);
}

/**
 * weft_place_data - process a DATA chunk
 * @path: the path, locked
 * @c: the chunk
 * @out: output
 *
 * Bytes that were not granted, and bytes for messages that are over, are ignored.
 * Return: 0; -ENOBUFS: the packet cannot be taken now.
 */
int weft_place_data(struct weft_path *path, const struct weft_chunk *c, struct weft_out *out)
{
	const struct weft_w_data *w = c->body;
	struct weft_rxm *rxm = weft_rxm_by_id(path, be32_to_cpu(w->rid));
	u64 off = be64_to_cpu(w->off);
	const u8 *pay = c->pay;
	u32 len = c->paylen, came = 0, i;

	weft_assert_held(&path->lock);
	if (!rxm && be32_to_cpu(w->rid) & WEFT_RMA_ID)
		weft_rma_got(path, be32_to_cpu(w->rid), off, pay, len, len, 0, out);
	if (!rxm || rxm->bulk.over || rxm->err || !rxm->started)
		return 0;
	if (off >= rxm->bulk.granted || len > rxm->bulk.granted - off)
		return 0;
	if (unlikely(rxm->buf)) {
		weft_place_operands(rxm, off, pay, len, out);
		return 0;
	}
	/* a chunk covers both windows at most */
	if (out->ncopy + ARRAY_SIZE(rxm->bulk.win) > WEFT_OUT_COPY)
		return -ENOBUFS;
	for (i = 0; i < ARRAY_SIZE(rxm->bulk.win) && len; i++) {
		u32 n, k = weft_place_win(rxm, off);
		struct weft_win *win;

		if (k == ARRAY_SIZE(rxm->bulk.win))
			break;
		win = &rxm->bulk.win[k];
		n = (u32)min_t(u64, len, win->off + win->len - off);
		if (n > win->todo)
			break;
		weft_rxm_copy(rxm, WEFT_COPY_RX_MEM, pay, k, off, n, out);
		pay += n;
		off += n;
		len -= n;
		came += n;
	}
	if (came)
		weft_place_came(rxm, came, out);
	return 0;
}

/**
 * weft_place_copied - process the end of a copy
 * @c: the copy; the path of its message is locked
 * @err: 0, -EFAULT: the memory is gone
 * @out: output
 */
void weft_place_copied(const struct weft_copy *c, int err, struct weft_out *out)
{
	struct weft_rxm *rxm = c->rxm;
	struct weft_win *w;

	weft_assert_held(&c->rxm->path->lock);
	rxm->bulk.ncopy--;
	switch (c->kind) {
	case WEFT_COPY_RX_BUF:
		rxm->bulk.stored += c->len;
		if (rxm->err)
			weft_rxm_step(rxm, out);
		else if (rxm->bulk.stored == rxm->len && !rxm->bulk.over)
			weft_rxm_is_whole(rxm, out);
		break;
	default:
		w = &rxm->bulk.win[c->token];
		w->busy--;
		w->left -= c->len;
		/* of two programs of this node one has ended */
		if (err && !rxm->err)
			rxm->err = c->kind == WEFT_COPY_MEM_MEM &&
				   !weft_memctx_dead(rxm->ep->conf.mc) ? ECONNRESET : EFAULT;
		if (rxm->err || (!w->left && !w->busy))
			weft_rxm_step(rxm, out);
		break;
	}
}

/* ---- Process context ------------------------------------------------------------- */

/*
 * Write a buffered message into memory that is not resident. If possible the memory is pinned, so
 * that it is resident for the next message into this buffer. May sleep. Return: 0, -EFAULT,
 * -ENOMEM.
 */
static int weft_rxm_write(struct weft_memctx *mc, const struct weft_rxm *rxm)
{
	u32 n = (u32)(rxm->bulk.room - rxm->bulk.base), len = n;
	u8 *src = rxm->buf + rxm->bulk.base;
	struct weft_vec tmp weft_unset;
	u64 at = rxm->bulk.base;
	const struct weft_vec *vec;
	struct weft_mem *mem;
	int err;

	vec = weft_rxm_vec(rxm, &at, &len, &tmp);

	if (n > rxm->path->core->conf.window_bytes)
		return weft_user_write(mc, vec, at, src, n);
	err = weft_mem_make(mc, vec, at, n, WEFT_MEM_WRITE, &mem);
	if (err)
		return err;
	err = weft_mem_write(mem, 0, src, n);
	if (!err && weft_mem_bounced(mem))
		err = weft_mem_flush(mem);
	weft_mem_put(mem);
	return err;
}

/* Pin the memory of a window, or have it bounced. May sleep. Return: 0, -EFAULT, -ENOMEM. */
static int weft_rxm_make(const struct weft_rxm *rxm, const struct weft_win *w,
			 struct weft_mem **mem)
{
	struct weft_vec tmp weft_unset;
	const struct weft_vec *vec;
	u64 at = w->off;
	u32 len = w->len;

	vec = weft_rxm_vec(rxm, &at, &len, &tmp);
	return weft_mem_make(rxm->ep->conf.mc, vec, at, w->len, WEFT_MEM_WRITE, mem);
}

/* Take the memory that weft_rxm_store() did not find. The message may end meanwhile. */
static void weft_rxm_store_work(struct weft_rxm *rxm)
{
	u8 *buf = weft_alloc_sleep_for(rxm->ep->conf.mc, rxm->len);

	weft_lock(&rxm->path->lock);
	rxm->bulk.work.queued = false;
	rxm->bulk.scarce = false;
	if (!rxm->bulk.over && !rxm->err)
		swap(rxm->buf, buf);
	weft_unlock(&rxm->path->lock);
	weft_free(buf);
	weft_rxm_put(rxm);
}

/**
 * weft_rxm_work - make windows, flush them, write a buffered message, or take memory for one
 * @rxm: the message, referenced by the work
 * @out: output
 *
 * While it runs the message is not finished; its receive and its windows do not change.
 *
 * Context: process context, may sleep.
 */
void weft_rxm_work(struct weft_rxm *rxm, struct weft_out *out)
{
	struct weft_mem *mem[ARRAY_SIZE(rxm->bulk.win)] = { NULL };
	u8 what[ARRAY_SIZE(rxm->bulk.win)] = { 0 };
	struct weft_path *path = rxm->path;
	struct weft_memctx *mc = rxm->ep->conf.mc;
	bool write = false;
	int err = 0;
	u32 i;

	weft_lock(&path->lock);
	if (unlikely(rxm->bulk.scarce)) {
		weft_unlock(&path->lock);
		weft_rxm_store_work(rxm);
		return;
	}
	rxm->bulk.work.queued = false;
	if (rxm->bulk.over || !rxm->started || rxm->err) {
		weft_rxm_step(rxm, out);
		goto out;
	}
	rxm->bulk.deferred = true;
	for (i = 0; i < ARRAY_SIZE(rxm->bulk.win); i++)
		what[i] = rxm->bulk.win[i].state;
	write = rxm->buf && rxm->whole && rxm->bulk.pinned == rxm->bulk.base;
	weft_unlock(&path->lock);

	if (write)
		err = weft_rxm_write(mc, rxm);
	for (i = 0; i < ARRAY_SIZE(rxm->bulk.win) && !err; i++) {
		struct weft_win *w = &rxm->bulk.win[i];

		if (what[i] == WEFT_WIN_DEFER)
			err = weft_rxm_make(rxm, w, &mem[i]);
		else if (what[i] == WEFT_WIN_FLUSH)
			err = weft_mem_flush(w->mem);
	}

	weft_lock(&path->lock);
	rxm->bulk.deferred = false;
	for (i = 0; i < ARRAY_SIZE(rxm->bulk.win); i++) {
		struct weft_win *w = &rxm->bulk.win[i];

		if (mem[i]) {
			if (weft_mem_bounced(mem[i]))
				weft_count(path->core, bounced);
			w->mem = mem[i];
			w->state = WEFT_WIN_READY;
		} else if (what[i] == WEFT_WIN_FLUSH) {
			weft_win_drop(w);
		}
	}
	if (err && !rxm->err)
		rxm->err = -err;
	if (write && !rxm->err)
		weft_rxm_placed(rxm, out);
	else
		weft_rxm_step(rxm, out);
out:
	weft_path_output(path, out);
	weft_unlock(&path->lock);
	weft_rxm_put(rxm);
}
