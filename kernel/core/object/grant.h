/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - structures of grants: see grant.c
 *
 * Locks: core->grants.lock for all of it.
 */
#ifndef WEFT_GRANT_H
#define WEFT_GRANT_H

#define WEFT_GRANT_CLASSES	16	/* classes of messages, by bytes that are left */
#define WEFT_GRANT_TURNS	4	/* turns of the flows of a path, in each class */
#define WEFT_GRANT_BEGUN	16	/* messages of a turn that are looked at for a place */
#define WEFT_GRANT_PICKS	8	/* quanta handed out at a time */
#define WEFT_GRANT_EACH		8	/* one quantum of this number goes to the longest message */
#define WEFT_GRANT_STALL	(250 * NSEC_PER_USEC)	/* shortest silence that stalls a message */
#define WEFT_GRANT_FAR		(16u << 20)	/* bytes of one node beyond the limit */

/**
 * struct weft_grants - announced messages that are received by a port, over all remote nodes
 * @lock: all below, struct weft_gmsg, and struct weft_path_bulk but @grant_at; inside of path->lock
 * @wait: turns with messages that may be granted more, by class
 * @map: classes with messages, a bit each
 * @busy: messages with granted bytes that have not come, the one silent longest first
 * @out: bytes of @busy that count
 * @far: bytes that are always on their way: path->bulk.far of @npaths
 * @npaths: remote nodes with messages in the lists
 * @nmsgs: messages
 * @turn: quanta handed out
 * @joined: messages that have joined, modulo 2^32
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
	u32 joined;
	struct weft_rxm *keeper;
};

/**
 * struct weft_gturn - messages of the same flows and class, which are granted one after the other
 * @node: in grants->wait
 * @msgs: those that may be granted more, the next one first
 *
 * A path has turns of its own. Its flows share them by a hash of the services.
 */
struct weft_gturn {
	struct weft_list node;
	struct weft_list msgs;
};

/**
 * struct weft_gmsg - fields of a message under grants.lock
 * @turn: its turn, while it is in @wait
 * @wait: in turn->msgs
 * @busy: in grants->busy
 * @ready: in out->grant, referenced
 * @in: takes part in grants
 * @stalled: silent for long: it is granted no more until a byte comes
 * @begun: it has been granted bytes in its turn
 * @class: class of @turn
 * @seq: value of grants->joined when it joined
 * @given: offset up to which it may be granted
 * @out: granted bytes that have not come, and count
 * @at: when it was granted bytes, or when bytes came
 */
struct weft_gmsg {
	struct weft_gturn *turn;
	struct weft_list wait;
	struct weft_list busy;
	struct weft_list ready;
	bool in;
	bool stalled;
	bool begun;
	u8 class;
	u32 seq;
	u64 given;
	u64 out;
	weft_ns at;
};

#endif
