// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - windows: the pinned parts of a long message's memory
 *
 *	NONE -> (DEFER: made by a worker) -> READY --all copied or acknowledged--> NONE
 *					       \--bounced: FLUSH, by a worker--> NONE
 *
 * Locks: path->lock. See Documentation/locking.rst.
 */
#include "core/bulk/bulk.h"

/**
 * weft_win_drop - release a window
 * @win: the window
 */
void weft_win_drop(struct weft_win *win)
{
	if (win->state == WEFT_WIN_READY || win->state == WEFT_WIN_FLUSH)
		weft_mem_put(win->mem);
	win->mem = NULL;
	win->state = WEFT_WIN_NONE;
}

/*
 * Take @w for @len bytes of a message from @off on, which are at @at in @vec. Return: 0: READY;
 * -EAGAIN: not resident; -EFAULT.
 */
static int weft_win_take(struct weft_win *w, struct weft_memctx *mc, const struct weft_vec *vec,
			 u64 at, u64 off, u32 len, int how)
{
	int err;

	w->off = off;
	w->len = len;
	w->left = len;
	w->todo = len;
	w->busy = 0;
	err = weft_mem_get(mc, vec, at, len, how, &w->mem);
	if (!err)
		w->state = WEFT_WIN_READY;
	return err && err != -EFAULT ? -EAGAIN : err;
}

/**
 * weft_txm_defer - have a worker pin a window
 * @txm: the send; its path is locked
 * @out: output
 */
void weft_txm_defer(struct weft_txm *txm, struct weft_out *out)
{
	weft_assert_held(&txm->path->lock);
	if (txm->bulk.work.queued || txm->bulk.deferred)
		return;
	txm->bulk.work.queued = true;
	weft_txm_get(txm);
	weft_list_add_tail(&out->deferred, &txm->bulk.work.node);
}

/**
 * weft_send_pin - take the next window of a send
 * @txm: the send; its path is locked
 * @w: window, not in use
 * @out: output
 *
 * A worker pins memory that is not resident. A send whose memory is gone is ended.
 * Return: true if the window is ready or is being made.
 */
bool weft_send_pin(struct weft_txm *txm, struct weft_win *w, struct weft_out *out)
{
	u32 max = txm->path->core->conf.window_bytes;
	u32 len = (u32)min_t(u64, txm->bulk.granted - txm->bulk.pinned, max);
	u64 at = txm->bulk.pinned;
	const struct weft_vec *vec;
	struct weft_vec tmp weft_unset;
	int err;

	weft_assert_held(&txm->path->lock);
	vec = weft_txm_vec(txm, &at, &len, &tmp);
	err = weft_win_take(w, txm->ep->conf.mc, vec, at, txm->bulk.pinned, len, WEFT_MEM_READ);
	if (err == -EFAULT) {
		weft_send_abandon(txm, EFAULT, out);
		return false;
	}
	txm->bulk.pinned += len;
	if (err) {
		w->state = WEFT_WIN_DEFER;
		weft_count(txm->path->core, deferred);
		weft_txm_defer(txm, out);
	}
	return true;
}

/**
 * weft_rxm_defer - have a worker continue a message
 * @rxm: the message; its path is locked
 * @out: output
 */
void weft_rxm_defer(struct weft_rxm *rxm, struct weft_out *out)
{
	weft_assert_held(&rxm->path->lock);
	if (rxm->bulk.work.queued || rxm->bulk.deferred)
		return;
	rxm->bulk.work.queued = true;
	weft_rxm_get(rxm);
	weft_list_add_tail(&out->deferred, &rxm->bulk.work.node);
}

/**
 * weft_rxm_pin - take a window for the next bytes of a receive, if they are resident
 * @rxm: the message; its path is locked
 * @w: window, not in use
 *
 * Return: 0; -EFAULT: the memory is gone; -EAGAIN: not resident.
 */
int weft_rxm_pin(struct weft_rxm *rxm, struct weft_win *w)
{
	u32 len = (u32)min_t(u64, rxm->bulk.room - rxm->bulk.pinned,
			     rxm->path->core->conf.window_bytes);
	u64 at = rxm->bulk.pinned;
	const struct weft_vec *vec;
	struct weft_vec tmp weft_unset;
	int err;

	weft_assert_held(&rxm->path->lock);
	vec = weft_rxm_vec(rxm, &at, &len, &tmp);
	err = weft_win_take(w, rxm->ep->conf.mc, vec, at, rxm->bulk.pinned, len, WEFT_MEM_WRITE);
	if (!err)
		rxm->bulk.pinned += len;
	return err;
}

/**
 * weft_rxm_take - take the next window of a receive; a worker pins memory that is not resident
 * @rxm: the message; its path is locked
 * @w: window, not in use
 * @out: output
 *
 * Return: 0, -EFAULT: the memory is gone.
 */
int weft_rxm_take(struct weft_rxm *rxm, struct weft_win *w, struct weft_out *out)
{
	int err = weft_rxm_pin(rxm, w);

	if (err == -EFAULT)
		return err;
	if (err) {
		w->state = WEFT_WIN_DEFER;
		rxm->bulk.pinned += w->len;
		weft_count(rxm->path->core, deferred);
		weft_rxm_defer(rxm, out);
	}
	return 0;
}

/**
 * weft_rxm_release - release full windows; bounced ones are flushed first
 * @rxm: the message; its path is locked
 * @out: output
 *
 * Return: true if no window is in use.
 */
bool weft_rxm_release(struct weft_rxm *rxm, struct weft_out *out)
{
	bool gone = true;
	u32 i;

	weft_assert_held(&rxm->path->lock);
	for (i = 0; i < ARRAY_SIZE(rxm->bulk.win); i++) {
		struct weft_win *w = &rxm->bulk.win[i];

		if (w->state == WEFT_WIN_READY && !w->left && !w->busy) {
			if (weft_mem_bounced(w->mem))
				w->state = WEFT_WIN_FLUSH;
			else
				weft_win_drop(w);
		}
		if (w->state == WEFT_WIN_FLUSH)
			weft_rxm_defer(rxm, out);
		if (w->state != WEFT_WIN_NONE)
			gone = false;
	}
	return gone;
}
