// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - a message is announced to the program before its receive is complete
 *
 * The front of the message has been placed or travels with the completion. The program claims or
 * discards the rest (matching/peek.c). buffered.rst describes the states.
 *
 * Locks: path->lock -> ep->lock.
 */
#include "core/bulk/bulk.h"

/**
 * weft_announce_begin - a message is to be announced, or has been claimed: how much is to be placed
 * @rxm: the message, started, with its receive; its path is locked
 *
 * Return: there may be something to do; false: the claim has all that it can get.
 */
bool weft_announce_begin(struct weft_rxm *rxm)
{
	weft_assert_held(&rxm->path->lock);
	if (rxm->post->flags & WEFT_RQ_ANNOUNCE) {
		rxm->room = weft_announce_space(rxm->post, rxm->len);
		return true;
	}
	rxm->room = max(rxm->room, rxm->base);
	return rxm->room > rxm->base;
}

/* All of a message has been placed: nothing is kept of it. The endpoint is locked, too. */
static void weft_announce_shed(struct weft_rxm *rxm)
{
	weft_keep_end(rxm);
	weft_credit_gone(rxm, rxm->charged);
	rxm->charged = 0;
	if (rxm->buf != rxm->small)
		weft_free(rxm->buf);
	rxm->buf = NULL;
	rxm->whole = true;
}

/* The sender's part is over, unless it wants to know what becomes of the message. */
static void weft_announce_told(struct weft_rxm *rxm, struct weft_out *out)
{
	weft_rxm_complete(rxm);
	if (rxm->ltxm) {
		if (!(rxm->ltxm->flags & WEFT_SQ_MATCH))
			weft_local_over(rxm, 0, out);
	} else if (rxm->sid && !(rxm->flags & WEFT_MSG_MATCHED) && !rxm->aborted) {
		rxm->aborted = true;
		rxm->done = 0;
		rxm->send_done = true;
		weft_list_del(&rxm->rnode);
		weft_list_del(&rxm->pnode);
		weft_ctl_put(rxm->path, rxm->lane, &rxm->ctl);
	}
}

/* Set a message aside. The endpoint is locked. */
static void weft_announce_aside(struct weft_ep *ep, struct weft_rxm *rxm, struct weft_post *post)
{
	weft_list_del(&rxm->enode);
	weft_list_add_tail(&ep->claims, &rxm->enode);
	rxm->match.src = rxm->src;
	rxm->claim = post->context;
	rxm->claimed = true;
	rxm->announced = true;
	rxm->started = false;
	rxm->post = NULL;
}

/* That was too early. */
static void weft_announce_undo(struct weft_ep *ep, struct weft_rxm *rxm, struct weft_post *post)
{
	weft_list_del(&rxm->enode);
	weft_list_add_tail(&ep->active, &rxm->enode);
	rxm->claimed = false;
	rxm->announced = false;
	rxm->started = true;
	rxm->post = post;
}

/**
 * weft_announce - announce a message
 * @rxm: the message, started; its path is locked
 * @inl: its front stands in rxm->buf and is to travel with the completion; else it has been placed
 * @out: output
 *
 * Return: done; false: the front has to be placed.
 */
bool weft_announce(struct weft_rxm *rxm, bool inl, struct weft_out *out)
{
	struct weft_post *post = rxm->post;
	struct weft_ep *ep = rxm->ep;
	bool settled, all = rxm->room == rxm->len;
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
	/* before the completion can be seen, and be answered */
	weft_announce_aside(ep, rxm, post);
	if (inl && !weft_post_inline(ep, post, &e, rxm->buf, rxm->room, out)) {
		weft_announce_undo(ep, rxm, post);
		weft_unlock(&ep->lock);
		return false;
	}
	rxm->base = rxm->room;
	rxm->pinned = rxm->room;
	rxm->direct = false;
	if (all)
		weft_announce_shed(rxm);
	if (!inl)
		weft_post_turn(ep, post, &e, out);
	settled = weft_list_empty(&ep->active);
	weft_unlock(&ep->lock);
	if (all) {
		weft_list_del(&rxm->fnode);
		weft_announce_told(rxm, out);
	}
	weft_grant_leave(rxm, out);
	/* an eager message is here as a whole */
	if (!rxm->sid)
		weft_rxm_buffered(rxm);
	if (unlikely(settled))
		weft_cm_settled(ep, out);
	return true;
}

/**
 * weft_rxm_placed - all bytes that a receive is to get are where they belong
 * @rxm: the message, started; its path is locked
 * @out: output
 */
void weft_rxm_placed(struct weft_rxm *rxm, struct weft_out *out)
{
	weft_assert_held(&rxm->path->lock);
	if (unlikely(rxm->post->flags & WEFT_RQ_ANNOUNCE))
		weft_announce(rxm, false, out);
	else
		weft_rxm_finish(rxm, 0, out);
}
