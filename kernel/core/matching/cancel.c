// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - receives and messages that end unmatched
 *
 * A canceled receive is found among the posted ones. When no struct weft_post is free, it may still
 * be in the ring. Its cancellation is reported at once as well, and a bit for its slot in
 * ep->rx.cut makes the drain skip it later.
 *
 * Locks: ep->lock, held by the caller.
 */
#include "core/matching/matching.h"

/**
 * weft_recv_cancel_all - end all posted receives
 * @ep: the endpoint, locked
 * @err: errno
 * @out: output
 */
void weft_recv_cancel_all(struct weft_ep *ep, int err, struct weft_out *out)
{
	struct weft_mpost *p;

	weft_assert_held(&ep->lock);
	ep->rx.multi_wait = false;
	while ((p = weft_match_post_next(&ep->rx.match, NULL))) {
		weft_match_post_del(&ep->rx.match, p);
		weft_recv_fail(ep, container_of(p, struct weft_post, match), err, out);
	}
}

/**
 * weft_recv_drop_all - drop all unexpected and claimed messages
 * @ep: the endpoint, locked
 * @out: output
 */
void weft_recv_drop_all(struct weft_ep *ep, struct weft_out *out)
{
	struct weft_munexp *u;
	u8 kind;

	weft_assert_held(&ep->lock);
	for (kind = 0; kind < WEFT_KINDS; kind++)
		while ((u = weft_match_unexp_next(&ep->rx.match, kind, NULL))) {
			struct weft_rxm *rxm = container_of(u, struct weft_rxm, rx.match);

			weft_match_unexp_del(&ep->rx.match, u);
			rxm->rx.dropped = true;
			if (ep->conf.type == WEFT_EP_DGRAM)
				weft_count(ep->core, dgrams_dropped);
			weft_start_put(rxm, out);
		}
	weft_claim_drop_all(ep, out);
	weft_recv_status(ep);
}

/* ---- Receives in the ring ---------------------------------------------------------- */

/* Complete a receive that is still in the ring. Return: 0, -EAGAIN: the queue is full. */
static int weft_recv_cut_told(struct weft_ep *ep, const struct weft_rq_entry *entry,
			      struct weft_out *out)
{
	struct weft_cqe e = {
		.context = entry->context,
		.tag = entry->tag,
		.src = WEFT_SRC_ANY,
		.flags = (entry->tagged ? WEFT_CQE_TAGGED : 0) |
			 (entry->flags & WEFT_RQ_ANNOUNCE ? WEFT_CQE_ANNOUNCE : 0),
		.ep = (u16)ep->conf.handle,
		.status = ECANCELED,
	};

	if (ep->rx_cq && !weft_ep_complete(ep, ep->rx_cq, &e, NULL, 0, NULL, out))
		return -EAGAIN;
	if (ep->rx_cntr)
		weft_cq_count(ep->rx_cntr, true, out);
	return 0;
}

/**
 * weft_recv_cut - cancel the oldest receive with a context that is still in the ring
 * @ep: the endpoint, locked; its ring has been drained as far as possible
 * @context: the user's
 * @out: output
 *
 * Return: 0, also when there is none; -EAGAIN: the completion queue has no space now.
 */
int weft_recv_cut(struct weft_ep *ep, u64 context, struct weft_out *out)
{
	struct weft_rq_entry *e = &ep->rx.entry;
	struct weft_ring r = ep->rx.ring;
	u64 bit, *word;
	int err;

	weft_assert_held(&ep->lock);
	for (;; weft_ring_next(&r, e->nslots)) {
		err = weft_ring_rq(&r, ep->conf.type == WEFT_EP_MSG, e);
		if (err != WEFT_RING_OK && err != WEFT_RING_BAD)
			return 0;
		word = weft_cut_word(ep, r.cons, &bit);
		if (err == WEFT_RING_BAD || e->op > WEFT_RQ_TRECV || e->context != context ||
		    *word & bit)
			continue;
		err = weft_recv_cut_told(ep, e, out);
		if (!err) {
			*word |= bit;
			ep->rx.ncut++;
		}
		return err;
	}
}
