/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - when an engine of type auto polls. auto.c has the rule
 *
 * Locks: those of the caller.
 */
#ifndef WEFT_AUTO_H
#define WEFT_AUTO_H

#include "core/base/env.h"

#define WEFT_AUTO_WINDOW	(10 * NSEC_PER_MSEC)	/* window of the rate */
#define WEFT_AUTO_CALLS		100			/* calls in a window: polling pays */
#define WEFT_AUTO_CROWD		(500 * NSEC_PER_USEC)	/* others want the CPU for this time */
#define WEFT_AUTO_REST_MIN	NSEC_PER_MSEC		/* first rest, doubled each time */
#define WEFT_AUTO_REST_MAX	NSEC_PER_SEC

/**
 * struct weft_rate - rate of calls
 * @since: when the window began
 * @calls: calls in the window
 */
struct weft_rate {
	weft_ns since;
	u32 calls;
};

/**
 * struct weft_crowd - other tasks that want the CPU of a thread
 * @since: since when other tasks wait for its CPU, 0: none does
 * @until: end of the rest
 * @rest: length of the last rest, 0: none yet
 */
struct weft_crowd {
	weft_ns since;
	weft_ns until;
	weft_ns rest;
};

bool weft_rate_call(struct weft_rate *r, weft_ns now);
bool weft_crowd_look(struct weft_crowd *c, bool alone, weft_ns now);
bool weft_crowd_rests(const struct weft_crowd *c, weft_ns now);

#endif
