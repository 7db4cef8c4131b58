// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - endpoints whose doorbells an engine looks at, instead of being notified
 *
 *	COLD ---(a notify call: weft_ep_hot())---> HOT ---(idle: weft_ep_cool())---> COLD
 *
 * COLD: the program reads WEFT_ST_SQ_NOTIFY (and WEFT_ST_RQ_NOTIFY while unexpected messages wait)
 * and notifies. HOT: it sees neither, and stores into its doorbells are all that it does. An
 * endpoint is taken from HOT to COLD as barrier E wants it: the flags are shown, a full barrier, a
 * last look at the doorbells. A program that stores a doorbell, and after a full barrier does not
 * see the flag, is seen by that look.
 *
 * There is never more than one consumer of a send ring: ep->sq_mutex. An engine only tries it. What
 * it cannot take without waiting for the memory of the program it leaves to the worker of the
 * context, which pins it, so that the next send finds it at hand.
 *
 * Locks: ep->sq_mutex for the send ring; ep->lock for the rest.
 */
#include "core/api/api.h"

static bool weft_ep_works(const struct weft_ep *ep)
{
	u32 state = READ_ONCE(ep->state);

	return ep->conf.type != WEFT_EP_PASSIVE && state != WEFT_EPS_NEW && state < WEFT_EPS_ERROR;
}

/* Described in core.h, as all of these. */
bool weft_ep_hot(struct weft_ep *ep)
{
	bool works;

	weft_lock(&ep->lock);
	works = weft_ep_works(ep);
	if (works) {
		WRITE_ONCE(ep->polled, true);
		weft_ep_st(ep, 0, 0);
	}
	weft_unlock(&ep->lock);
	return works;
}

static void weft_poll_rq(struct weft_ep *ep, struct weft_out *out)
{
	weft_lock(&ep->lock);
	if (weft_ep_works(ep))
		weft_recv_drain(ep, out);
	weft_unlock(&ep->lock);
}

u32 weft_ep_poll(struct weft_ep *ep, weft_ns now, struct weft_out *out)
{
	u32 left = 0;

	out->now = now;
	weft_poll_rq(ep, out);
	if (weft_mutex_trylock(&ep->sq_mutex)) {
		if (weft_ep_works(ep)) {
			ep->scan = true;
			if (weft_send_drain(ep, 0, out) == -EINTR)
				left = WEFT_POLL_MORE;
			ep->scan = false;
		}
		weft_mutex_unlock(&ep->sq_mutex);
	} else {
		left = WEFT_POLL_BUSY;
	}
	weft_flush(out);
	return left;
}

bool weft_ep_cool(struct weft_ep *ep)
{
	const struct weft_ep_doorbell *bell = ep->conf.doorbell;
	bool left = false;

	weft_lock(&ep->lock);
	WRITE_ONCE(ep->polled, false);
	if (ep->state != WEFT_EPS_DEAD)
		weft_ep_st(ep, 0, 0);
	if (weft_ep_works(ep)) {
		/* barrier E: the flags before the doorbells */
		smp_mb();
		/*
		 * a ring that is stalled goes on by itself; who shares receives has none of its
		 * own, whatever its program has stored
		 */
		left = (READ_ONCE(bell->sq_tail) != READ_ONCE(ep->sq_taken) && !ep->sq_stalled) ||
		       (!ep->srq && READ_ONCE(bell->rq_tail) != ep->rq.cons && !ep->rq_stalled);
	}
	weft_unlock(&ep->lock);
	return left;
}

void weft_ep_hand(struct weft_ep *ep, weft_ns now, struct weft_out *out)
{
	out->now = now;
	weft_lock(&ep->lock);
	if (weft_ep_works(ep)) {
		weft_recv_drain(ep, out);
		weft_ep_sq_defer(ep, out);
	}
	weft_unlock(&ep->lock);
	weft_flush(out);
}
