// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - receives that a call of the program or a worker applies
 *
 * Both apply all entries of the receive ring, also of a paused one (post.c), and the receives of
 * triggers that have fired (object/trigger.h). Those are applied as entries of the ring, before
 * them. If no receive is free, they wait, and a worker goes on when one becomes free.
 *
 * Locks: ep->lock, taken here. Process context.
 */
#include "core/matching/matching.h"

/* ---- Triggers -------------------------------------------------------------------- */

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

/* Apply the receives of triggers that have fired. The endpoint, enabled, is locked. */
static void weft_recv_fired(struct weft_ep *ep, struct weft_out *out)
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

/* ---- The ring -------------------------------------------------------------------- */

/*
 * Allocate what the endpoint needs, and apply entries of the ring, even if it is paused. May sleep.
 * @cons: out: consumer index. Return: true if there is more to do.
 */
static bool weft_recv_more(struct weft_ep *ep, u32 *cons, struct weft_out *out)
{
	bool grown = weft_grow(ep, out), more;

	weft_lock(&ep->lock);
	ep->rx.paused = false;
	if (ep->state != WEFT_EPS_NEW && ep->state != WEFT_EPS_LISTENING) {
		if (unlikely(!weft_list_empty(&ep->rx.fired)))
			weft_recv_fired(ep, out);
		weft_recv_drain(ep, out);
	}
	if (unlikely(ep->rx.multi_wait) && !weft_list_empty(&ep->rx.post_free))
		weft_multi_retry(ep, out);
	more = ep->rx.paused || (grown && ep->rx.hungry);
	*cons = ep->rx.ring.cons;
	weft_unlock(&ep->lock);
	return more;
}

/**
 * weft_recv_all - apply all entries of the receive ring, in the program's call
 * @ep: the endpoint, not locked
 * @out: output; flushed when the ring pauses
 *
 * The work is bounded by the ring. After a signal, or when another thread posts meanwhile, a worker
 * applies the rest.
 *
 * Context: may sleep.
 */
void weft_recv_all(struct weft_ep *ep, struct weft_out *out)
{
	u32 cons, from;

	if (likely(!weft_recv_more(ep, &from, out)))
		return;
	do {
		weft_flush(out);
		if (weft_signal_pending())
			return;
		weft_yield();
	} while (weft_recv_more(ep, &cons, out) && cons - from < ep->rx.ring.size);
}

/**
 * weft_recv_work - a worker continues a receive ring that is paused, or whose endpoint is hungry
 * @ep: the endpoint, of a queued ep->rx.work
 * @out: output
 */
void weft_recv_work(struct weft_ep *ep, struct weft_out *out)
{
	u32 cons;

	weft_lock(&ep->lock);
	ep->rx.work.queued = false;
	weft_unlock(&ep->lock);
	weft_recv_more(ep, &cons, out);
}
