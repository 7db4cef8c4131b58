// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - messages that are told of before they are received
 *
 * A receive with WEFT_RQ_ANNOUNCE takes a message as any other does, but gets only the front of one
 * that is longer than its room (post->part bytes). Its completion is the announcement, and the
 * message is set aside for a claim or a discard, as by a peek (peek.c):
 *
 *	matched --the front is placed, and it is its turn--> announced --CLAIM--> matched --> over
 *	                                                          \------DISCARD------------> over
 *
 * The receive is free when it has completed; what is announced needs memory of the kernel only for
 * bytes that were not placed and are not at the sender any more. A message that was placed whole
 * needs its sender no longer. Who sends with WEFT_SQ_MATCH is told when the message is settled, all
 * others when it is announced, or when the rest has been pulled.
 *
 * The program's memory holds the front: it has to see to it that a claim's memory gets these bytes,
 * and the claim places what comes behind them (rxm->base).
 *
 * ep->nslots counts receives and messages of this kind: at most as many as the endpoint has
 * receives, more are refused (ENOBUFS). So what a program does not settle is bounded; then its ring
 * is empty, messages are unexpected ones, and senders wait as for any receiver that posts nothing.
 *
 * Locks: path->lock -> ep->lock.
 */
#include "core/object/proto.h"

/**
 * weft_announce_apply - an entry of the receive ring has WEFT_RQ_ANNOUNCE
 * @ep: the endpoint, locked
 * @e: the entry
 * @post: holds its flags; a claim or a discard gets WEFT_POST_CLAIM instead
 *
 * Return: 0, -ENOBUFS: one receive too many, to be failed.
 */
int weft_announce_apply(struct weft_ep *ep, const struct weft_rq_entry *e, struct weft_post *post)
{
	if (e->op > WEFT_RQ_TRECV) {
		post->flags ^= WEFT_RQ_ANNOUNCE | WEFT_POST_CLAIM;
		post->flags |= WEFT_POST_ASIDE;
		return 0;
	}
	post->part = e->part;
	return ++ep->nslots > ep->conf.rq_slots ? -ENOBUFS : 0;
}

/**
 * weft_announce_none - a receive announces nothing: it fails
 * @ep: the endpoint, locked
 * @post: the receive
 *
 * An untagged one is nothing that its program waits for, and not counted.
 */
void weft_announce_none(struct weft_ep *ep, struct weft_post *post)
{
	ep->nslots--;
	if (post->match.kind == WEFT_UNTAGGED)
		post->flags |= WEFT_POST_ASIDE;
}

static u64 weft_announce_room(const struct weft_post *post, u64 len)
{
	return len <= post->vec.len ? len : post->part;
}

/**
 * weft_announce_cqe - the completion of an announcement or of a claim
 * @e: the completion, filled in otherwise
 * @post: the receive
 */
void weft_announce_cqe(struct weft_cqe *e, const struct weft_post *post)
{
	if (post->flags & WEFT_POST_CLAIM) {
		e->flags |= WEFT_CQE_CLAIM;
		return;
	}
	e->flags |= WEFT_CQE_ANNOUNCE;
	e->olen = e->len - weft_announce_room(post, e->len);
	e->status = 0;
}

/**
 * weft_announce_begin - a message is to be announced, or has been claimed: how much is to be placed
 * @rxm: the message, started, with its receive; its path is locked
 *
 * Return: there may be something to do; false: the claim has all that it can get.
 */
bool weft_announce_begin(struct weft_rxm *rxm)
{
	if (rxm->post->flags & WEFT_RQ_ANNOUNCE) {
		rxm->room = weft_announce_room(rxm->post, rxm->len);
		return true;
	}
	rxm->room = max(rxm->room, rxm->base);
	return rxm->room > rxm->base;
}

/* All of a message has been placed: nothing is kept of it. The endpoint is locked, too. */
static void weft_announce_shed(struct weft_rxm *rxm)
{
	weft_keep_end(rxm);
	weft_room_gone(rxm, rxm->charged);
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
	if (unlikely(rxm->post->flags & WEFT_RQ_ANNOUNCE))
		weft_announce(rxm, false, out);
	else
		weft_rxm_finish(rxm, 0, out);
}
