// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - endpoints whose doorbells an engine or a timer polls, so that they need no notify
 * calls
 *
 *	COLD ---(a notify call: weft_ep_hot())---> HOT ---(idle: weft_ep_cool())---> COLD
 *	COLD ---(WEFT_NOTIFY_TIMED: weft_ep_time())---> TIMED
 *	TIMED ---(its timer expires, or a plain notify call: weft_ep_untime())---> COLD
 *
 * COLD: the program reads WEFT_ST_SQ_NOTIFY (and WEFT_ST_RQ_NOTIFY while unexpected messages wait)
 * and notifies. HOT: the program sees neither flag and only stores its doorbells. The transition
 * from HOT to COLD follows barrier E: show the flags, full barrier, read the doorbells once more. A
 * program may store a doorbell, execute a full barrier and then miss the flag. Then that last read
 * sees its doorbell.
 *
 * TIMED: a program that posts many sends in a row sees WEFT_ST_SQ_TIMED, and need not notify for
 * each. The sends that it has posted leave together: when it notifies, or, by a worker, when the
 * timer expires. The transition to COLD follows barrier E as well. An engine has precedence over
 * the timer.
 *
 * A send ring has one consumer: the holder of ep->sq_mutex. An engine only tries the mutex. Sends
 * whose payload is not resident are left to the worker of the context. The worker pins that memory,
 * so that it is resident for the next send.
 *
 * Locks: ep->sq_mutex protects the send ring, ep->lock the rest.
 */
#include "core/api/internal.h"

static bool weft_ep_works(const struct weft_ep *ep)
{
	u32 state = READ_ONCE(ep->state);

	return ep->conf.type != WEFT_EP_PASSIVE && state != WEFT_EPS_NEW && state < WEFT_EPS_ERROR;
}

/* Set @by, ep->polled or ep->timed. Return: true; false: the endpoint accepts no posts. */
static bool weft_ep_warm(struct weft_ep *ep, bool *by)
{
	bool works;

	weft_lock(&ep->lock);
	works = weft_ep_works(ep);
	if (works) {
		WRITE_ONCE(*by, true);
		weft_ep_st(ep, 0, 0);
	}
	weft_unlock(&ep->lock);
	return works;
}

/*
 * Clear @by, then read the doorbell of the send ring once more. The endpoint is locked. A stalled
 * ring continues by itself. Return: true if posted sends may not be noticed.
 */
static bool weft_ep_unwarm(struct weft_ep *ep, bool *by)
{
	weft_assert_held(&ep->lock);
	WRITE_ONCE(*by, false);
	if (ep->state != WEFT_EPS_DEAD)
		weft_ep_st(ep, 0, 0);
	/* barrier E: the flags before the doorbells */
	smp_mb();
	return weft_ep_works(ep) && !ep->tx.stalled &&
	       READ_ONCE(ep->conf.doorbell->sq_tail) != READ_ONCE(ep->tx.taken);
}

/* api.h describes the functions below. */
bool weft_ep_hot(struct weft_ep *ep)
{
	return weft_ep_warm(ep, &ep->polled);
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
			ep->tx.scan = true;
			if (weft_send_drain(ep, 0, out) == -EINTR)
				left = WEFT_POLL_MORE;
			ep->tx.scan = false;
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
	bool left;

	weft_lock(&ep->lock);
	left = weft_ep_unwarm(ep, &ep->polled);
	/* an endpoint with shared receives has no receive ring, whatever its program stores */
	if (weft_ep_works(ep) && !ep->rx.srq && !ep->rx.stalled)
		left |= READ_ONCE(ep->conf.doorbell->rq_tail) != ep->rx.ring.cons;
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

bool weft_ep_time(struct weft_ep *ep)
{
	return weft_ep_warm(ep, &ep->timed);
}

void weft_ep_untime(struct weft_ep *ep)
{
	bool work;

	if (!READ_ONCE(ep->timed))
		return;
	weft_lock(&ep->lock);
	work = weft_ep_unwarm(ep, &ep->timed) && weft_ep_sq_work(ep);
	weft_unlock(&ep->lock);
	if (work)
		weft_env_defer(&ep->tx.work);
}
