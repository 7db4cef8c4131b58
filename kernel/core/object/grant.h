/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - what grants are handed out by: see grant.c
 *
 * Locks: core->grants.lock for all of it.
 */
#ifndef WEFT_GRANT_H
#define WEFT_GRANT_H

#define WEFT_GRANT_CLASSES	32	/* lists of messages, by bytes that are left */
#define WEFT_GRANT_PICKS	8	/* quanta handed out at a time */
#define WEFT_GRANT_EACH		8	/* one quantum of so many goes to the longest */
#define WEFT_GRANT_STALL	(250 * NSEC_PER_USEC)	/* without a byte: it does not count */

/**
 * struct weft_grants - announced messages that are received by a port, over all remote nodes
 * @lock: all below, struct weft_gmsg, path->ngrant and path->gspare; inside of path->lock
 * @wait: messages that may be granted more, by class of what is left, in turn
 * @map: classes that have messages, a bit each
 * @busy: messages that have been granted what has not come, that with the oldest sign of life first
 * @out: bytes of these that count
 * @npaths: remote nodes with messages here
 * @nmsgs: messages
 * @turn: quanta handed out
 * @keeper: one of @wait, on whose path's timer the others rely; NULL: none
 */
struct weft_grants {
	struct weft_lock lock;
	struct weft_list wait[WEFT_GRANT_CLASSES];
	u32 map;
	struct weft_list busy;
	u64 out;
	u32 npaths;
	u32 nmsgs;
	u32 turn;
	struct weft_rxm *keeper;
};

/**
 * struct weft_gmsg - what grants.lock guards of a message
 * @wait: in grants->wait
 * @busy: in grants->busy
 * @ready: in the list of some struct weft_out, referenced
 * @in: it takes part
 * @stalled: nothing came for long: it is given no more until something does
 * @class: list that it is in, if it is
 * @given: offset up to which it may be granted
 * @out: bytes of these that have not come, and count
 * @at: when it was given bytes, or some came
 */
struct weft_gmsg {
	struct weft_list wait;
	struct weft_list busy;
	struct weft_list ready;
	bool in;
	bool stalled;
	u8 class;
	u64 given;
	u64 out;
	weft_ns at;
};

#endif
