// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - long messages within the node: copies from memory to memory
 *
 * A receive has taken a send under way (txm->bulk.lrxm, rxm->bulk.ltxm). The bytes are copied once,
 * from the sender's memory to the receiver's, a window at a time:
 *
 *	NONE -> both windows READY -> copied -> (flushed) -> NONE ... -> placed
 *
 * Locks: path->lock of core->local. See Documentation/locking.rst.
 */
#include "core/bulk/bulk.h"

/* Take the next window on both sides. Return: true if both are being made or are ready. */
static bool weft_local_pin(struct weft_rxm *rxm, struct weft_out *out)
{
	struct weft_win *dst = &rxm->bulk.win[0], *src = &rxm->bulk.ltxm->win[0];
	struct weft_txm *txm = rxm->bulk.ltxm;

	if (weft_rxm_take(rxm, dst, out)) {
		weft_rxm_fail(rxm, EFAULT, out);
		return false;
	}
	txm->bulk.pinned = dst->off;
	txm->bulk.granted = rxm->bulk.pinned;
	if (!weft_send_pin(txm, src, out))
		return false;
	/* memory of a region in many segments: weft_rma_vec() */
	if (unlikely(src->len < dst->len)) {
		rxm->bulk.pinned -= dst->len - src->len;
		dst->len = src->len;
		dst->left = src->len;
		dst->todo = src->len;
	}
	return true;
}

/**
 * weft_local_step - continue a message that a receive has taken from a send under way
 * @rxm: the message, started; core->local is locked
 * @out: output
 */
void weft_local_step(struct weft_rxm *rxm, struct weft_out *out)
{
	struct weft_win *dst = &rxm->bulk.win[0], *src = &rxm->bulk.ltxm->win[0];
	struct weft_txm *txm = rxm->bulk.ltxm;
	struct weft_copy *c;

	weft_assert_held(&rxm->path->lock);
	if (!txm->user) {
		/* the receive takes the buffer over */
		rxm->buf = txm->buf ? txm->buf : rxm->small;
		txm->buf = NULL;
		rxm->whole = true;
		weft_rxm_step(rxm, out);
		return;
	}
	if (dst->state == WEFT_WIN_READY && !dst->left && !dst->busy)
		weft_win_drop(src);
	if (weft_rxm_release(rxm, out)) {
		if (rxm->bulk.pinned == rxm->bulk.room) {
			weft_rxm_placed(rxm, out);
			return;
		}
		if (!weft_local_pin(rxm, out))
			return;
	}
	if (dst->state != WEFT_WIN_READY || src->state != WEFT_WIN_READY || dst->busy)
		return;
	if (out->ncopy == WEFT_OUT_COPY) {
		weft_rxm_later(rxm, out);
		return;
	}
	c = &out->copy[out->ncopy++];
	weft_rxm_get(rxm);
	c->rxm = rxm;
	c->kind = WEFT_COPY_MEM_MEM;
	weft_mem_hold(src->mem);
	c->smem = src->mem;
	c->soff = 0;
	c->mem = dst->mem;
	c->off = 0;
	c->len = dst->len;
	c->token = 0;
	dst->todo = 0;
	dst->busy = 1;
	rxm->bulk.ncopy++;
}

/**
 * weft_local_over - end the message of a send under way
 * @rxm: the message; core->local is locked
 * @err: errno, 0: the message has been received
 * @out: output
 */
void weft_local_over(struct weft_rxm *rxm, int err, struct weft_out *out)
{
	struct weft_txm *txm = rxm->bulk.ltxm;

	weft_assert_held(&rxm->path->lock);
	rxm->bulk.ltxm = NULL;
	txm->bulk.lrxm = NULL;
	weft_send_end(txm, err, out);
	weft_txm_put(txm, out);
	weft_rxm_put(rxm);
}
