/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - structures of grants: see grant.c
 *
 * Locks: core->grants.lock for all of it.
 */
#ifndef WEFT_GRANT_H
#define WEFT_GRANT_H

#define WEFT_GRANT_CLASSES	32	/* lists of messages, by bytes that are left */
#define WEFT_GRANT_PICKS	8	/* quanta handed out at a time */
#define WEFT_GRANT_EACH		8	/* one quantum of this number goes to the longest message */
#define WEFT_GRANT_STALL	(250 * NSEC_PER_USEC)	/* shortest silence that stalls a message */
#define WEFT_GRANT_FAR		(16u << 20)	/* bytes of one node beyond the limit */

/**
 * struct weft_grants - announced messages that are received by a port, over all remote nodes
 * @lock: all below, struct weft_gmsg, and struct weft_path_bulk but @grant_at; inside of path->lock
 * @wait: messages that may be granted more, by class of the bytes left, in turn
 * @map: classes with messages, a bit each
 * @busy: messages with granted bytes that have not come, the one silent longest first
 * @out: bytes of @busy that count
 * @far: bytes that are always on their way: path->bulk.far of @npaths
 * @npaths: remote nodes with messages in the lists
 * @nmsgs: messages
 * @turn: quanta handed out
 * @keeper: message of @wait whose path runs the timer for all; NULL: none
 */
struct weft_grants {
	struct weft_lock lock;
	struct weft_list wait[WEFT_GRANT_CLASSES];
	u32 map;
	struct weft_list busy;
	u64 out;
	u64 far;
	u32 npaths;
	u32 nmsgs;
	u32 turn;
	struct weft_rxm *keeper;
};

/**
 * struct weft_gmsg - fields of a message under grants.lock
 * @wait: in grants->wait
 * @busy: in grants->busy
 * @ready: in out->grant, referenced
 * @in: takes part in grants
 * @stalled: silent for long: it is granted no more until a byte comes
 * @class: index of its list in grants->wait
 * @given: offset up to which it may be granted
 * @out: granted bytes that have not come, and count
 * @at: when it was granted bytes, or when bytes came
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
