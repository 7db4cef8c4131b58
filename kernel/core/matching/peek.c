// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - peek, claim and discard of unexpected messages
 *
 * They are entries of the receive ring. All earlier receives are applied before one of them, so it
 * sees the message that a receive in its place would take. Each has one completion, for which it
 * holds a struct weft_post. The completion is written even without WEFT_RQ_COMPLETION, except that
 * of a claim's own receive. None of them waits, or causes a sender to act.
 *
 *	unexpected --PEEK, KEEP--> claimed --CLAIM--> is received
 *	     \--PEEK, DROP------------\------DISCARD--> is over, as if it had been received
 *
 * Announced messages (announce.c) are in the same list as claimed ones and are settled in the same
 * way.
 *
 * A claimed message is in ep->rx.claims under its context. If it fails (its sender is gone before
 * all bytes have come), it stays there, and the claim reports its error.
 *
 * Locks: ep->lock, held by the caller.
 */
#include "core/matching/matching.h"

static struct weft_rxm *weft_claim_find(struct weft_ep *ep, u64 context)
{
	struct weft_list *l;

	weft_list_for_each(l, &ep->rx.claims) {
		struct weft_rxm *rxm = weft_entry(l, struct weft_rxm, rx.enode);

		ep->rx.match.steps++;
		if (rxm->rx.claim == context)
			return rxm;
	}
	return NULL;
}

static void weft_claim_del(struct weft_ep *ep, struct weft_rxm *rxm)
{
	weft_list_del(&rxm->rx.enode);
	rxm->rx.claimed = false;
	if (rxm->rx.announced)
		ep->rx.nslots--;
	else
		ep->rx.nclaims--;
}

/* End a message that no receive will take and that is in no matching: the send completes. */
static void weft_claim_over(struct weft_rxm *rxm, struct weft_out *out)
{
	rxm->rx.served = true;
	weft_start_put(rxm, out);
}

/**
 * weft_claim_drop_all - drop all claimed messages
 * @ep: the endpoint, locked
 * @out: output
 */
void weft_claim_drop_all(struct weft_ep *ep, struct weft_out *out)
{
	struct weft_list *l;

	weft_assert_held(&ep->lock);
	while ((l = weft_list_first(&ep->rx.claims))) {
		struct weft_rxm *rxm = weft_entry(l, struct weft_rxm, rx.enode);

		weft_claim_del(ep, rxm);
		rxm->rx.dropped = true;
		weft_start_put(rxm, out);
	}
}

/*
 * Complete a peek with the front of the message behind the entry, if its bytes are available.
 * Return: true if done; the peek is free.
 */
static bool weft_peek_data(struct weft_ep *ep, struct weft_post *post, const struct weft_rxm *rxm,
			   struct weft_cqe *e, struct weft_out *out)
{
	u64 n = min(rxm->len, post->vec.len);

	/* pairs with the release in weft_rxm_is_whole(): all bytes are stored */
	if (!n || n > WEFT_INLINE_MAX || post->vec.n != 1 || !smp_load_acquire(&rxm->whole) ||
	    !rxm->buf || !ep->rx_cq || e->flags & WEFT_CQE_FROM)
		return false;
	e->buf = post->vec.seg[0].addr;
	e->olen = rxm->len - n;
	e->flags |= WEFT_CQE_INLINE;
	if (weft_ep_complete(ep, ep->rx_cq, e, rxm->buf, (u32)n, NULL, out)) {
		weft_post_free(ep, post, out);
		return true;
	}
	e->buf = 0;
	e->olen = 0;
	e->flags &= ~WEFT_CQE_INLINE;
	return false;
}

/* Check whether a peek may claim the message it has found. Return: 0, -EINVAL, -ENOBUFS. */
static int weft_peek_check(struct weft_ep *ep, const struct weft_post *post)
{
	if (!(post->flags & WEFT_RQ_KEEP))
		return 0;
	if (weft_claim_find(ep, post->context))
		return -EINVAL;
	return ep->rx.nclaims < ep->conf.rq_slots ? 0 : -ENOBUFS;
}

static void weft_peek(struct weft_ep *ep, const struct weft_rq_entry *entry,
		      struct weft_post *post, struct weft_out *out)
{
	struct weft_munexp *u = weft_match_find(&ep->rx.match, WEFT_TAGGED, entry->src, entry->tag,
						entry->ignore);
	struct weft_rxm *rxm;
	struct weft_cqe e;
	int err;

	post->flags |= WEFT_RQ_COMPLETION | WEFT_POST_ASIDE;
	err = u ? weft_peek_check(ep, post) : -ENOMSG;
	if (err) {
		weft_recv_fail(ep, post, -err, out);
		return;
	}
	rxm = container_of(u, struct weft_rxm, rx.match);
	weft_recv_cqe(&e, ep, post, rxm->tag, rxm->data, rxm->len, u->src, rxm->flags);
	e.olen = 0;
	e.status = 0;
	weft_recv_from(ep, post, rxm, &e);
	if (post->flags & (WEFT_RQ_KEEP | WEFT_RQ_DROP))
		weft_match_unexp_del(&ep->rx.match, u);
	if (post->flags & WEFT_RQ_KEEP) {
		rxm->rx.claim = post->context;
		rxm->rx.claimed = true;
		ep->rx.nclaims++;
		weft_list_add_tail(&ep->rx.claims, &rxm->rx.enode);
	} else if (post->flags & WEFT_RQ_DROP) {
		weft_claim_over(rxm, out);
	}
	if (!weft_peek_data(ep, post, rxm, &e, out))
		weft_post_done(ep, post, &e, out);
}

/**
 * weft_peek_apply - apply an entry about an unexpected message
 * @ep: the endpoint, locked
 * @e: the entry: WEFT_RQ_PEEK, _CLAIM or _DISCARD
 * @post: for its completion, or the receive of the claimed message
 * @out: output
 */
void weft_peek_apply(struct weft_ep *ep, const struct weft_rq_entry *e, struct weft_post *post,
		     struct weft_out *out)
{
	struct weft_rxm *rxm;
	struct weft_cqe c;
	bool announced;

	weft_assert_held(&ep->lock);
	if (e->op == WEFT_RQ_PEEK) {
		weft_peek(ep, e, post, out);
		return;
	}
	announced = post->flags & WEFT_POST_CLAIM;
	rxm = weft_claim_find(ep, e->context);
	if (rxm && rxm->rx.announced != announced)
		rxm = NULL;
	if (announced && e->op == WEFT_RQ_DISCARD) {
		if (rxm) {
			weft_claim_del(ep, rxm);
			weft_claim_over(rxm, out);
		}
		weft_post_free(ep, post, out);
		return;
	}
	if (!rxm) {
		weft_recv_fail(ep, post, announced ? ECANCELED : EINVAL, out);
		return;
	}
	weft_claim_del(ep, rxm);
	post->match.tag = rxm->tag;
	if (e->op == WEFT_RQ_CLAIM) {
		weft_recv_give(ep, rxm, post, out);
		return;
	}
	post->flags |= WEFT_RQ_COMPLETION | WEFT_POST_ASIDE;
	weft_recv_cqe(&c, ep, post, rxm->tag, rxm->data, 0, rxm->rx.match.src, rxm->flags);
	weft_recv_from(ep, post, rxm, &c);
	weft_claim_over(rxm, out);
	weft_post_done(ep, post, &c, out);
}
