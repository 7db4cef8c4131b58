// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - announcing receives: completion before the message is received
 *
 * A receive with WEFT_RQ_ANNOUNCE takes a message like any other. A message longer than its buffer
 * delivers only its front (post->part bytes). The completion is the announcement. The message is
 * set aside for a claim or a discard, as by a peek (peek.c):
 *
 *	matched --the front is placed, and its turn comes--> announced --CLAIM--> matched --> over
 *	                                                          \------DISCARD------------> over
 *
 * The receive is free when it has completed. An announced message needs kernel memory only for
 * bytes that are neither placed nor still at the sender. A message that is placed completely no
 * longer needs its sender. A sender with WEFT_SQ_MATCH gets its answer when the message is settled.
 * Other senders get it with the announcement, or when the rest has been received.
 *
 * The program's memory holds the front. The program has to copy these bytes to the memory of a
 * claim, and the claim places the bytes behind them (rxm->bulk.base).
 *
 * ep->rx.nslots counts receives and messages of this kind. They are at most as many as the
 * endpoint's receives; further receives are refused (ENOBUFS). So the number of unsettled messages
 * is bounded. Beyond it messages are unexpected, and senders wait as for any receiver without
 * receives.
 *
 * This file has the receive's part and the sizes. bulk/announce.c announces the message.
 *
 * Locks: ep->lock, held by the caller.
 */
#include "core/matching/matching.h"

/**
 * weft_announce_apply - apply an entry of the receive ring with WEFT_RQ_ANNOUNCE
 * @ep: the endpoint, locked
 * @e: the entry
 * @post: has the entry's flags; for a claim or a discard WEFT_POST_CLAIM replaces WEFT_RQ_ANNOUNCE
 *
 * Return: 0; -ENOBUFS: one receive too many, which the caller fails.
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
	return ++ep->rx.nslots > ep->conf.rq_slots ? -ENOBUFS : 0;
}

/**
 * weft_announce_none - an announcing receive fails without a message
 * @ep: the endpoint, locked
 * @post: the receive
 *
 * The program does not wait for an untagged one, so it is not counted.
 */
void weft_announce_none(struct weft_ep *ep, struct weft_post *post)
{
	weft_assert_held(&ep->lock);
	ep->rx.nslots--;
	if (post->match.kind == WEFT_UNTAGGED)
		post->flags |= WEFT_POST_ASIDE;
}

/**
 * weft_announce_space - bytes of a message that an announcement places
 * @post: the receive
 * @len: bytes of the message
 *
 * Return: all bytes if the receive has space for them, else the part that the program asked for.
 */
u64 weft_announce_space(const struct weft_post *post, u64 len)
{
	return len <= post->vec.len ? len : post->part;
}

/**
 * weft_announce_cqe - complete the completion of an announcement or of a claim
 * @e: the completion, other fields are set
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
