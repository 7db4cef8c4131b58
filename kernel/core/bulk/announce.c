// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - announce a message to the program before its receive is complete
 *
 * The front of the message has been placed, or travels with the completion. The program claims or
 * discards the rest (matching/peek.c). Documentation/buffered.rst describes the states.
 *
 * Locks: path->lock, held by the caller; ep->lock is taken here. Softirq context or softirqs off.
 */
#include "core/bulk/bulk.h"

/**
 * weft_announce_begin - set the bytes to be placed of an announced or claimed message
 * @rxm: the message, started, with its receive; its path is locked
 *
 * Return: true if bytes may have to be placed; false: the claim has all bytes that it can have.
 */
bool weft_announce_begin(struct weft_rxm *rxm)
{
	weft_assert_held(&rxm->path->lock);
	if (rxm->rx.post->flags & WEFT_RQ_ANNOUNCE) {
		rxm->bulk.room = weft_announce_space(rxm->rx.post, rxm->len);
		return true;
	}
	rxm->bulk.room = max(rxm->bulk.room, rxm->bulk.base);
	return rxm->bulk.room > rxm->bulk.base;
}

/* Release the buffer of a message that has been placed completely. The endpoint is locked, too. */
static void weft_announce_shed(struct weft_rxm *rxm)
{
	weft_assert_held(&rxm->path->lock);
	weft_keep_end(rxm);
	weft_credit_gone(rxm, rxm->flow.charged);
	rxm->flow.charged = 0;
	if (rxm->buf != rxm->small)
		weft_free(rxm->buf);
	rxm->buf = NULL;
	rxm->whole = true;
}

/* End the sender's part, unless the sender asks for the outcome of the message. */
static void weft_announce_told(struct weft_rxm *rxm, struct weft_out *out)
{
	weft_rxm_complete(rxm);
	if (rxm->bulk.ltxm) {
		if (!(rxm->bulk.ltxm->flags & WEFT_SQ_MATCH))
			weft_local_over(rxm, 0, out);
	} else if (rxm->sid && !(rxm->flags & WEFT_MSG_MATCHED) && !rxm->bulk.aborted) {
		rxm->bulk.aborted = true;
		rxm->bulk.done = 0;
		rxm->bulk.send_done = true;
		weft_rxm_unlist(rxm);
		weft_ctl_put(rxm->path, rxm->lane, &rxm->ctl);
	}
}

/* Set a message aside for its claim. The endpoint is locked. */
static void weft_announce_aside(struct weft_ep *ep, struct weft_rxm *rxm, struct weft_post *post)
{
	weft_assert_held(&ep->lock);
	weft_list_del(&rxm->rx.enode);
	weft_list_add_tail(&ep->rx.claims, &rxm->rx.enode);
	rxm->rx.match.src = rxm->src;
	rxm->rx.claim = post->context;
	rxm->rx.claimed = true;
	rxm->rx.announced = true;
	rxm->started = false;
	rxm->rx.post = NULL;
}

/* Undo weft_announce_aside(). */
static void weft_announce_undo(struct weft_ep *ep, struct weft_rxm *rxm, struct weft_post *post)
{
	weft_list_del(&rxm->rx.enode);
	weft_list_add_tail(&ep->rx.active, &rxm->rx.enode);
	rxm->rx.claimed = false;
	rxm->rx.announced = false;
	rxm->started = true;
	rxm->rx.post = post;
}

/**
 * weft_announce - announce a message
 * @rxm: the message, started; its path is locked
 * @inl: rxm->buf holds its front, which travels with the completion; else it has been placed
 * @out: output
 *
 * Return: true if done; false: the front has to be placed.
 */
bool weft_announce(struct weft_rxm *rxm, bool inl, struct weft_out *out)
{
	struct weft_post *post = rxm->rx.post;
	struct weft_ep *ep = rxm->ep;
	bool settled, all = rxm->bulk.room == rxm->len;
	struct weft_cqe e;

	weft_assert_held(&rxm->path->lock);
	weft_lock(&ep->lock);
	if (ep->state == WEFT_EPS_DEAD || (inl && !weft_turn_of(ep, post, rxm->src))) {
		weft_unlock(&ep->lock);
		if (!inl)
			weft_rxm_finish(rxm, ECONNREFUSED, out);
		return !inl;
	}
	weft_recv_cqe(&e, ep, post, rxm->tag, rxm->data, rxm->len, rxm->src, rxm->flags);
	/* before the program can see the completion and answer it */
	weft_announce_aside(ep, rxm, post);
	if (inl && !weft_post_inline(ep, post, &e, rxm->buf, rxm->bulk.room, out)) {
		weft_announce_undo(ep, rxm, post);
		weft_unlock(&ep->lock);
		return false;
	}
	rxm->bulk.base = rxm->bulk.room;
	rxm->bulk.pinned = rxm->bulk.room;
	rxm->bulk.direct = false;
	if (all)
		weft_announce_shed(rxm);
	if (!inl)
		weft_post_turn(ep, post, &e, out);
	settled = weft_list_empty(&ep->rx.active);
	weft_unlock(&ep->lock);
	if (all) {
		weft_rxm_gathered(rxm);
		weft_announce_told(rxm, out);
	}
	weft_grant_leave(rxm, out);
	/* an eager message is complete in the kernel */
	if (!rxm->sid)
		weft_rxm_buffered(rxm);
	if (unlikely(settled))
		weft_cm_settled(ep, out);
	return true;
}

/**
 * weft_rxm_placed - all bytes for a receive have been placed
 * @rxm: the message, started; its path is locked
 * @out: output
 */
void weft_rxm_placed(struct weft_rxm *rxm, struct weft_out *out)
{
	weft_assert_held(&rxm->path->lock);
	if (unlikely(rxm->rma))
		weft_rma_placed(rxm, out);
	else if (unlikely(rxm->rx.post->flags & WEFT_RQ_ANNOUNCE))
		weft_announce(rxm, false, out);
	else
		weft_rxm_finish(rxm, 0, out);
}
