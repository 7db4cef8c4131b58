// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - when an engine that decides by itself polls
 *
 * Inline is best for a program that does not call often, and for a machine without a CPU to spare.
 * So:
 *
 *	begin	an endpoint whose program has called WEFT_AUTO_CALLS times within WEFT_AUTO_WINDOW,
 *		that is 10 000 times a second, is looked at
 *	end	of an endpoint: when it has been idle for the engine's idle time, as ever; it has to
 *		call that often again. That is the hysteresis: once begun, a message per idle time
 *		(10 000 a second, too, but of bunches) keeps it
 *	crowd	when other tasks have been waiting for the thread's CPU for WEFT_AUTO_CROWD, all
 *		its endpoints are left, and it begins with none for WEFT_AUTO_REST_MIN; for twice
 *		as long the next time, up to WEFT_AUTO_REST_MAX; a time as long as the rest
 *		without a crowd makes the next one short again
 *
 * A thread may be moved to an idle CPU while it waits; where there is one, there is no crowd.
 *
 * Locks: the caller's.
 */
#include "core/base/auto.h"

/**
 * weft_rate_call - somebody calls
 * @r: zeroed in the beginning
 * @now: time
 *
 * Return: often enough.
 */
bool weft_rate_call(struct weft_rate *r, weft_ns now)
{
	/* a clock read earlier may come later */
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
 * weft_crowd_look - a thread has looked round
 * @c: zeroed in the beginning
 * @alone: no other task waits for its CPU
 * @now: time
 *
 * Return: it is to leave all that it looks at, and to rest.
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
 * weft_crowd_rests - is it to begin with nothing now?
 * @c: the crowd
 * @now: time
 *
 * Return: yes.
 */
bool weft_crowd_rests(const struct weft_crowd *c, weft_ns now)
{
	return (s64)(READ_ONCE(c->until) - now) > 0;
}
