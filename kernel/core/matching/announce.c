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
 * Here are the receive's side and the sizes. bulk/announce.c announces the message.
 *
 * Locks: ep->lock.
 */
#include "core/matching/matching.h"

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
	weft_assert_held(&ep->lock);
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
	weft_assert_held(&ep->lock);
	ep->nslots--;
	if (post->match.kind == WEFT_UNTAGGED)
		post->flags |= WEFT_POST_ASIDE;
}

/**
 * weft_announce_space - bytes of a message that an announcement places
 * @post: the receive
 * @len: bytes of the message
 *
 * Return: all, if the receive has room for them, else the part that the program asked for.
 */
u64 weft_announce_space(const struct weft_post *post, u64 len)
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
	e->olen = e->len - weft_announce_space(post, e->len);
	e->status = 0;
}
