// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - data placement: from received messages into the memory of programs
 *
 * weft_rxm_step() advances a started message as far as possible after each change. Sources:
 *
 *	eager, direct	packets are copied into one window that holds the whole message
 *	eager, buffered	packets are copied into rxm->buf (all that come before the match). The
 *			complete message is copied from there into the completion queue, into a
 *			window, or by a worker into the program's memory
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
	if (rxm->in_later)
		return;
	rxm->in_later = true;
	weft_rxm_get(rxm);
	weft_list_add_tail(&rxm->path->msg.later, &rxm->later);
	weft_path_go_on(rxm->path, out);
}

/* Record that the message no longer needs the peer. Its path is locked. */
void weft_rxm_complete(struct weft_rxm *rxm)
{
	weft_assert_held(&rxm->path->lock);
	if (!rxm->needs)
		return;
	rxm->needs = false;
	rxm->path->nwait--;
}

/*
 * Bytes of an eager message are missing: they have not come, or, with @err, cannot be taken now.
 * The path must then detect the peer's death. Return: @err.
 */
static int weft_rxm_incomplete(struct weft_rxm *rxm, int err)
{
	if (!rxm->needs) {
		rxm->needs = true;
		weft_path_needs(rxm->path, rxm->path->heard_at);
	}
	return err;
}

/**
 * weft_rxm_finish - end a message
 * @rxm: the message; its path is locked; no copy or worker uses the memory of its receive
 * @err: errno for the receive, and for a sender that waits for the outcome (EFAULT: EREMOTEIO); 0:
 *	it has been placed
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
	if (rxm->over)
		return;
	rxm->over = true;
	for (i = 0; i < ARRAY_SIZE(rxm->win); i++)
		weft_win_drop(&rxm->win[i]);
	weft_lock(&ep->lock);
	if (rxm->match.in)
		weft_match_unexp_del(&ep->rx.match, &rxm->match);
	if (rxm->post) {
		struct weft_cqe e;

		if (unlikely(rxm->post->flags & WEFT_RQ_ANNOUNCE))
			weft_announce_none(ep, rxm->post);
		weft_list_del(&rxm->enode);
		settled = weft_list_empty(&ep->rx.active);
		weft_recv_cqe(&e, ep, rxm->post, rxm->tag, rxm->data, rxm->len, rxm->src,
			      rxm->flags);
		weft_recv_from(ep, rxm->post, rxm, &e);
		if (err) {
			e.tag = rxm->post->match.tag;
			e.len = 0;
			e.olen = 0;
			e.status = err;
			e.flags &= ~(WEFT_CQE_MULTI | WEFT_CQE_FROM);
			rxm->post->last = false;
		} else if (e.status) {
			cut = -weft_recv_long(ep, out);
		}
		weft_post_turn(ep, rxm->post, &e, out);
		rxm->post = NULL;
	}
	weft_keep_end(rxm);
	weft_unlock(&ep->lock);

	told = err == EFAULT ? EREMOTEIO : err ? err : cut;
	if (!path->local) {
		weft_credit_over(rxm, out);
		if (rxm->sid ? !rxm->aborted : rxm->flags & (WEFT_MSG_PLACED | WEFT_MSG_MATCHED)) {
			rxm->done = told;
			rxm->send_done = true;
			weft_ctl_put(path, rxm->lane, &rxm->ctl);
		}
	}
	weft_list_del(&rxm->fnode);
	weft_list_del(&rxm->rnode);
	weft_list_del(&rxm->pnode);
	weft_list_del(&rxm->node);
	if (!path->local)
		path->nrxm--;
	weft_rxm_complete(rxm);
	weft_grant_leave(rxm, out);
	if (rxm->ltxm)
		weft_local_over(rxm, told, out);
	if (unlikely(settled))
		weft_cm_settled(ep, out);
	weft_rxm_put(rxm);
}

/**
 * weft_rxm_fail - fail a message
 * @rxm: the message; its path is locked; the caller has a reference
 * @err: errno
 * @out: output
 */
void weft_rxm_fail(struct weft_rxm *rxm, int err, struct weft_out *out)
{
	bool waits;

	weft_assert_held(&rxm->path->lock);
	if (rxm->over)
		return;
	if (!rxm->err)
		rxm->err = err;
	if (rxm->started) {
		weft_rxm_step(rxm, out);
		return;
	}
	/* out->start brings decisions made under ep->lock */
	weft_lock(&rxm->ep->lock);
	waits = rxm->post || rxm->served || rxm->dropped || rxm->claimed;
	if (!waits && rxm->match.in)
		weft_match_unexp_del(&rxm->ep->rx.match, &rxm->match);
	weft_unlock(&rxm->ep->lock);
	if (!waits)
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
	rxm->room = min(rxm->len, rxm->post->vec.len);
	if (unlikely(rxm->post->flags & (WEFT_RQ_ANNOUNCE | WEFT_POST_CLAIM)) &&
	    !weft_announce_begin(rxm)) {
		weft_rxm_finish(rxm, 0, out);
		return;
	}
	if (rxm->sid && rxm->room > rxm->base && !rxm->err)
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
	if (rxm->over)
		return;
	if (rxm->served) {
		weft_rxm_finish(rxm, 0, out);
	} else if (rxm->dropped) {
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
	struct weft_win *w = &rxm->win[win];

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
	rxm->ncopy++;
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

	if (unlikely(rxm->post->flags & WEFT_RQ_ANNOUNCE))
		return weft_announce(rxm, true, out);
	weft_lock(&ep->lock);
	if (ep->state != WEFT_EPS_DEAD && ep->rx_cq) {
		weft_recv_cqe(&e, ep, rxm->post, rxm->tag, rxm->data, rxm->len, rxm->src,
			      rxm->flags);
		weft_list_del(&rxm->enode);
		done = weft_recv_inline(ep, rxm->post, &e, rxm->buf, out);
		if (done) {
			/* the sender to a strict endpoint receives this status */
			cut = ep->conf.flags & WEFT_EPF_STRICT ? e.status : 0;
			rxm->post = NULL;
			settled = weft_list_empty(&ep->rx.active);
		} else {
			weft_list_add_tail(&ep->rx.active, &rxm->enode);
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
	u64 base = rxm->base;
	int err;

	if (rxm->pinned > base) {
		if (weft_rxm_release(rxm, out))
			weft_rxm_placed(rxm, out);
		return;
	}
	if (rxm->room <= base) {
		weft_rxm_placed(rxm, out);
		return;
	}
	if (rxm->work.queued || (rxm->room <= WEFT_INLINE_MAX && weft_rxm_inline(rxm, out)))
		return;
	if (out->ncopy == WEFT_OUT_COPY) {
		weft_rxm_later(rxm, out);
		return;
	}
	err = rxm->room > rxm->path->core->conf.window_bytes ? -EAGAIN :
							       weft_rxm_pin(rxm, &rxm->win[0]);
	if (!err) {
		weft_rxm_copy(rxm, WEFT_COPY_BUF_MEM, rxm->buf + base, 0, base,
			      (u32)(rxm->room - base), out);
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
	rxm->done = 0;
	rxm->send_done = true;
	weft_ctl_put(rxm->path, rxm->lane, &rxm->ctl);
}

/* Process the arrival of the last byte. */
static void weft_rxm_is_whole(struct weft_rxm *rxm, struct weft_out *out)
{
	weft_rxm_complete(rxm);
	/* an early message keeps its place until its turn, and its sender is informed then */
	if (!rxm->early) {
		weft_list_del(&rxm->fnode);
		if (!rxm->started)
			weft_rxm_buffered(rxm);
	}
	/* pairs with the acquire in post.c: its reader then sees the bytes and the final flags */
	smp_store_release(&rxm->whole, true);
	if (rxm->started)
		weft_rxm_step(rxm, out);
}

/*
 * Decide whether to copy into the receive's memory: the message has just begun, and the memory is
 * resident. Return: true if so.
 */
static bool weft_rxm_go_direct(struct weft_rxm *rxm)
{
	if (rxm->direct)
		return true;
	if (!rxm->started || rxm->got || rxm->buf || rxm->err || !rxm->room ||
	    rxm->room > rxm->path->core->conf.window_bytes ||
	    (rxm->room < rxm->len && rxm->post->flags & WEFT_RQ_ANNOUNCE))
		return false;
	if (weft_rxm_pin(rxm, &rxm->win[0]))
		return false;
	rxm->direct = true;
	return true;
}

/**
 * weft_rxm_fragment - process a piece of an eager message
 * @rxm: the message; its path is locked
 * @off: offset
 * @pay: bytes, in a packet
 * @len: number of bytes; they are inside the length that the packet states
 * @out: output
 *
 * Return: 0; -ENOMEM, -ENOBUFS: the packet cannot be taken now.
 */
int weft_rxm_fragment(struct weft_rxm *rxm, u32 off, const u8 *pay, u32 len, struct weft_out *out)
{
	u32 n = len;

	weft_assert_held(&rxm->path->lock);
	if (rxm->over || rxm->err || rxm->sid || rxm->whole ||
	    len > rxm->len - min_t(u64, off, rxm->len) || rxm->got + len > rxm->len) {
		weft_credit_ignore(rxm, len);
		return 0;
	}
	if (weft_rxm_go_direct(rxm)) {
		n = off < rxm->room ? min_t(u32, len, (u32)rxm->room - off) : 0;
		if (n && out->ncopy == WEFT_OUT_COPY)
			return weft_rxm_incomplete(rxm, -ENOBUFS);
		if (n > rxm->win[0].todo) {
			weft_credit_ignore(rxm, len);
			return 0;
		}
		if (n)
			weft_rxm_copy(rxm, WEFT_COPY_RX_MEM, pay, 0, off, n, out);
		weft_credit_got(rxm, len);
		if (rxm->got == rxm->len) {
			weft_list_del(&rxm->fnode);
			rxm->whole = true;
			weft_rxm_complete(rxm);
			if (!n)
				weft_rxm_step(rxm, out);
		} else {
			weft_rxm_incomplete(rxm, 0);
		}
		return 0;
	}
	if (!rxm->buf) {
		rxm->buf = rxm->small;
		if (rxm->len > rxm->nsmall)
			rxm->buf = weft_ep_alloc(rxm->ep, rxm->len);
		if (!rxm->buf)
			return weft_rxm_incomplete(rxm, -ENOMEM);
	}
	if (len > WEFT_INLINE_MAX) {
		struct weft_copy *c = &out->copy[out->ncopy];

		if (out->ncopy == WEFT_OUT_COPY)
			return weft_rxm_incomplete(rxm, -ENOBUFS);
		out->ncopy++;
		weft_rxm_get(rxm);
		c->rxm = rxm;
		c->kind = WEFT_COPY_RX_BUF;
		c->src = pay;
		c->dst = rxm->buf + off;
		c->len = len;
		rxm->ncopy++;
	} else {
		memcpy(rxm->buf + off, pay, len);
		rxm->stored += len;
	}
	weft_credit_got(rxm, len);
	if (rxm->stored == rxm->len)
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
	u64 upto = rxm->granted;
	u32 i, n;

	for (n = 0; n < ARRAY_SIZE(rxm->win); n++)
		for (i = 0; i < ARRAY_SIZE(rxm->win); i++)
			if (rxm->win[i].state == WEFT_WIN_READY &&
			    upto - rxm->win[i].off < rxm->win[i].len)
				upto = rxm->win[i].off + rxm->win[i].len;
	upto = min(upto, rxm->allowed);
	if (upto == rxm->granted)
		return;
	rxm->granted = upto;
	rxm->send_grant = true;
	weft_ctl_put(rxm->path, rxm->lane, &rxm->ctl);
}

static void weft_rxm_pull(struct weft_rxm *rxm, struct weft_out *out)
{
	u32 i;

	if (weft_rxm_release(rxm, out) && rxm->pinned == rxm->room) {
		weft_rxm_placed(rxm, out);
		return;
	}
	for (i = 0; i < ARRAY_SIZE(rxm->win) && rxm->pinned < rxm->allowed; i++) {
		struct weft_win *w = &rxm->win[i];

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
	if (rxm->over || !rxm->started || rxm->deferred)
		return;
	if (unlikely(rxm->err)) {
		if (!rxm->ncopy)
			weft_rxm_finish(rxm, rxm->err, out);
		return;
	}
	if (rxm->ltxm && !rxm->buf) {
		weft_local_step(rxm, out);
	} else if (rxm->sid) {
		weft_rxm_pull(rxm, out);
	} else if (rxm->direct) {
		if (weft_rxm_release(rxm, out) && rxm->whole)
			weft_rxm_placed(rxm, out);
	} else if (rxm->whole) {
		weft_rxm_from_buf(rxm, out);
	}
}

static struct weft_rxm *weft_rxm_by_id(struct weft_path *path, u32 rid)
{
	struct weft_list *l, *chain = &path->msg.rids[rid % WEFT_PATH_HASH];

	weft_list_for_each(l, chain) {
		struct weft_rxm *rxm = weft_entry(l, struct weft_rxm, rnode);

		if (rxm->rid == rid)
			return rxm;
	}
	return NULL;
}

/* Return: number of the window for the byte at @off, ARRAY_SIZE(rxm->win): none. */
static u32 weft_place_win(const struct weft_rxm *rxm, u64 off)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rxm->win); i++)
		if (rxm->win[i].state == WEFT_WIN_READY && off - rxm->win[i].off < rxm->win[i].len)
			break;
	return i;
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
	struct weft_rxm *rxm = weft_rxm_by_id(path, be32_to_cpu(w->rid));
	u32 len = (n - 1) * c->paylen + last, room, k;
	u64 off = be64_to_cpu(w->off);
	struct weft_copy *copy;
	struct weft_win *win;

	weft_assert_held(&path->lock);
	if (!rxm || rxm->over || rxm->err || !rxm->started || out->ncopy == WEFT_OUT_COPY)
		return 0;
	k = weft_place_win(rxm, off);
	if (k == ARRAY_SIZE(rxm->win) || off >= rxm->granted)
		return 0;
	win = &rxm->win[k];
	room = (u32)min3(win->off + win->len - off, rxm->granted - off, (u64)win->todo);
	if (unlikely(len > room)) {
		n = room / c->paylen;
		len = n * c->paylen;
	}
	if (unlikely(!n))
		return 0;
	copy = weft_rxm_copy(rxm, WEFT_COPY_RX_MEM, c->pay, k, off, len, out);
	copy->piece = c->paylen;
	copy->skip = skip;
	weft_grant_came(rxm, len, out);
	return n;
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
	if (!rxm || rxm->over || rxm->err || !rxm->started)
		return 0;
	if (off >= rxm->granted || len > rxm->granted - off)
		return 0;
	/* a chunk covers both windows at most */
	if (out->ncopy + ARRAY_SIZE(rxm->win) > WEFT_OUT_COPY)
		return -ENOBUFS;
	for (i = 0; i < ARRAY_SIZE(rxm->win) && len; i++) {
		u32 n, k = weft_place_win(rxm, off);
		struct weft_win *win;

		if (k == ARRAY_SIZE(rxm->win))
			break;
		win = &rxm->win[k];
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
		weft_grant_came(rxm, came, out);
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
	rxm->ncopy--;
	switch (c->kind) {
	case WEFT_COPY_RX_BUF:
		rxm->stored += c->len;
		if (rxm->err)
			weft_rxm_step(rxm, out);
		else if (rxm->stored == rxm->len && !rxm->over)
			weft_rxm_is_whole(rxm, out);
		break;
	default:
		w = &rxm->win[c->token];
		w->busy--;
		w->left -= c->len;
		if (err && !rxm->err)
			rxm->err = EFAULT;
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
	const struct weft_vec *vec = &rxm->post->vec;
	u32 n = (u32)(rxm->room - rxm->base);
	u8 *src = rxm->buf + rxm->base;
	struct weft_mem *mem;
	int err;

	if (n > rxm->path->core->conf.window_bytes)
		return weft_user_write(mc, vec, rxm->base, src, n);
	err = weft_mem_make(mc, vec, rxm->base, n, WEFT_MEM_WRITE, &mem);
	if (err)
		return err;
	err = weft_mem_write(mem, 0, src, n);
	if (!err && weft_mem_bounced(mem))
		err = weft_mem_flush(mem);
	weft_mem_put(mem);
	return err;
}

/**
 * weft_rxm_work - make windows, flush them, or write a buffered message
 * @rxm: the message, referenced by the work
 * @out: output
 *
 * While it runs the message is not finished; its receive and its windows do not change.
 *
 * Context: process context, may sleep.
 */
void weft_rxm_work(struct weft_rxm *rxm, struct weft_out *out)
{
	struct weft_mem *mem[ARRAY_SIZE(rxm->win)] = { NULL };
	u8 what[ARRAY_SIZE(rxm->win)] = { 0 };
	struct weft_path *path = rxm->path;
	struct weft_memctx *mc = rxm->ep->conf.mc;
	bool write = false;
	int err = 0;
	u32 i;

	weft_lock(&path->lock);
	rxm->work.queued = false;
	if (rxm->over || !rxm->started || rxm->err) {
		weft_rxm_step(rxm, out);
		goto out;
	}
	rxm->deferred = true;
	for (i = 0; i < ARRAY_SIZE(rxm->win); i++)
		what[i] = rxm->win[i].state;
	write = rxm->buf && rxm->whole && rxm->pinned == rxm->base;
	weft_unlock(&path->lock);

	if (write)
		err = weft_rxm_write(mc, rxm);
	for (i = 0; i < ARRAY_SIZE(rxm->win) && !err; i++) {
		struct weft_win *w = &rxm->win[i];

		if (what[i] == WEFT_WIN_DEFER)
			err = weft_mem_make(mc, &rxm->post->vec, w->off, w->len, WEFT_MEM_WRITE,
					    &mem[i]);
		else if (what[i] == WEFT_WIN_FLUSH)
			err = weft_mem_flush(w->mem);
	}

	weft_lock(&path->lock);
	rxm->deferred = false;
	for (i = 0; i < ARRAY_SIZE(rxm->win); i++) {
		struct weft_win *w = &rxm->win[i];

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
