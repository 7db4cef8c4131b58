// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - receives of triggers that have fired (object/trigger.h)
 *
 * They are applied as entries of the receive ring, before those in the ring. If no receive is free,
 * they wait, and a worker goes on when one becomes free.
 *
 * Locks: ep->lock, held by the caller.
 */
#include "core/matching/matching.h"

/* Apply the entry of a trigger. @post is free. */
static void weft_recv_trigger(struct weft_ep *ep, const struct weft_trigger *t,
			      struct weft_post *post, struct weft_out *out)
{
	struct weft_rq_entry *e = &ep->rx.entry;
	struct weft_ring ring = ep->rx.ring;
	u16 flush = ep->rx.flush;

	/* the entry was decoded before, and no program can change it */
	weft_trigger_ring(&ep->rx.ring, t);
	weft_ring_rq(&ep->rx.ring, ep->conf.type == WEFT_EP_MSG, e);
	weft_trigger_unring(&ep->rx.ring, &ring);
	if (t->flags & WEFT_TRIGGERF_ALONE)
		e->flags |= WEFT_POST_ALONE;
	ep->rx.done = t->done;
	if (t->err)
		ep->rx.flush = t->err;
	weft_recv_apply(ep, e, post, out);
	ep->rx.flush = flush;
	ep->rx.done = NULL;
}

/**
 * weft_recv_fired - apply the receives of triggers that have fired
 * @ep: the endpoint, locked, enabled
 * @out: output
 *
 * The work is bounded by the receives of the endpoint.
 */
void weft_recv_fired(struct weft_ep *ep, struct weft_out *out)
{
	struct weft_list *l, *free;

	weft_assert_held(&ep->lock);
	if (ep->state >= WEFT_EPS_ERROR)
		return;
	while ((l = weft_list_first(&ep->rx.fired))) {
		struct weft_trigger *t = weft_entry(l, struct weft_trigger, node);

		free = weft_list_first(&ep->rx.post_free);
		if (!free) {
			ep->rx.stalled = true;
			if (ep->rx.nposts < ep->conf.rq_slots)
				weft_grow_ask(ep, out);
			return;
		}
		if (unlikely(ep->rx.match.nunexp) && !weft_recv_resolve(ep)) {
			weft_recv_later(ep, out);
			return;
		}
		ep->rx.draining = true;
		weft_recv_trigger(ep, t, weft_entry(free, struct weft_post, node), out);
		ep->rx.draining = false;
		weft_trigger_out(ep, t);
		weft_trigger_free(t);
	}
}
