// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - when an engine of type auto polls
 *
 * Inline is best for a program that calls seldom, and for a machine without a spare CPU. So:
 *
 *	begin	The thread polls an endpoint whose program has called WEFT_AUTO_CALLS times within
 *		WEFT_AUTO_WINDOW, that is 10 000 times a second.
 *	end	It stops when the endpoint has been idle for the engine's idle time. Then the
 *		program has to reach that rate again. This is the hysteresis: a polled endpoint
 *		needs only one message per idle time (10 000 a second, too, but in bursts).
 *	crowd	When other tasks have waited for the thread's CPU for WEFT_AUTO_CROWD, the thread
 *		leaves all its endpoints and accepts none for WEFT_AUTO_REST_MIN. The next rest is
 *		twice as long, up to WEFT_AUTO_REST_MAX. After a time without a crowd as long as
 *		the last rest, the next one is short again.
 *
 * The scheduler may move a waiting thread to an idle CPU. So no crowd arises while a CPU is idle.
 *
 * Locks: those of the caller.
 */
#include "core/base/auto.h"

/**
 * weft_rate_call - count a call
 * @r: zeroed at first
 * @now: time
 *
 * Return: true if the rate is reached.
 */
bool weft_rate_call(struct weft_rate *r, weft_ns now)
{
	/* another CPU may have read the clock earlier */
	if ((s64)(now - r->since) > (s64)WEFT_AUTO_WINDOW) {
		r->since = now;
		r->calls = 0;
	}
	if (++r->calls < WEFT_AUTO_CALLS)
		return false;
	r->calls = 0;
	return true;
}

/**
 * weft_crowd_look - report whether other tasks wait for the CPU of a thread
 * @c: zeroed at first
 * @alone: no other task waits for its CPU
 * @now: time
 *
 * Return: true if the thread has to leave all its endpoints and to rest.
 */
bool weft_crowd_look(struct weft_crowd *c, bool alone, weft_ns now)
{
	if (alone) {
		c->since = 0;
		return false;
	}
	if (!c->since) {
		c->since = now;
		return false;
	}
	if ((s64)(now - c->since) <= (s64)WEFT_AUTO_CROWD)
		return false;
	if (!c->rest || (s64)(now - c->until) > (s64)c->rest)
		c->rest = WEFT_AUTO_REST_MIN;
	else
		c->rest = min_t(weft_ns, 2 * c->rest, WEFT_AUTO_REST_MAX);
	c->until = now + c->rest;
	c->since = 0;
	return true;
}

/**
 * weft_crowd_rests - is the thread resting?
 * @c: the crowd
 * @now: time
 *
 * Return: true if it has to accept no endpoint now.
 */
bool weft_crowd_rests(const struct weft_crowd *c, weft_ns now)
{
	return (s64)(READ_ONCE(c->until) - now) > 0;
}
