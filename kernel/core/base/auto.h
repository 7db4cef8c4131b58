/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - when an engine that decides by itself polls. The rule: auto.c
 *
 * Locks: the caller's.
 */
#ifndef WEFT_AUTO_H
#define WEFT_AUTO_H

#include "core/base/env.h"

#define WEFT_AUTO_WINDOW	(10 * NSEC_PER_MSEC)	/* in which calls are counted */
#define WEFT_AUTO_CALLS		100			/* in a window: polling pays */
#define WEFT_AUTO_CROWD		(500 * NSEC_PER_USEC)	/* others want the CPU for that long */
#define WEFT_AUTO_REST_MIN	NSEC_PER_MSEC		/* rest after a crowd, doubled each time */
#define WEFT_AUTO_REST_MAX	NSEC_PER_SEC

/**
 * struct weft_rate - how often something calls
 * @since: when the window began
 * @calls: in it
 */
struct weft_rate {
	weft_ns since;
	u32 calls;
};

/**
 * struct weft_crowd - whether a thread has a CPU for itself
 * @since: others have been waiting for its CPU since then, 0: nobody is
 * @until: it rests until then
 * @rest: how long it rested last, 0: not yet
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
