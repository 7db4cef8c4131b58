/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - the largest packet of a path, and packets whose numbers are given up
 *
 * transport/mtu.c finds the largest packet. transport/retire.c gives up the numbers of packets that
 * are longer. This state is rarely used, so it is not part of struct weft_path.
 *
 * Locks: path->lock protects all of it.
 */
#ifndef WEFT_OBJECT_MTU_H
#define WEFT_OBJECT_MTU_H

#include "core/object/lane.h"

/* States of the search for the largest packet; mtu.c has the picture */
#define WEFT_MTU_REST	0	/* nothing is probed */
#define WEFT_MTU_SEARCH	1	/* a larger size is probed */
#define WEFT_MTU_CHECK	2	/* the present size is in doubt: it is probed, and the base too */

/* In lane->retire: what the lane has to do */
#define WEFT_RETIRE_ANSWER	1	/* RETIRED waits in @answers */
#define WEFT_RETIRE_SEND	2	/* RETIRE has to be sent */
#define WEFT_RETIRE_WAIT	4	/* RETIRED has to come */
#define WEFT_RETIRE_CUT		8	/* records wait in @cut */

#define WEFT_RETIRE_ANSWERS	8	/* answers that may wait on a lane */

/**
 * struct weft_retire - retired packets of a lane
 * @psn: every PSN before this one is retired
 * @retired: records whose packets were numbered and are retired, by PSN, until RETIRED comes
 * @cut: records without PSN, to be cut to the path's size and numbered, in order
 * @answers: records with RETIRED, to be numbered
 * @nanswer: number of them
 */
struct weft_retire {
	u32 psn;
	struct weft_list retired;
	struct weft_list cut;
	struct weft_list answers;
	u32 nanswer;
};

/**
 * struct weft_mtu - search for the largest packet of a path
 * @state: WEFT_MTU_*
 * @first: the peer's limit is being probed for the first time: long datagrams wait for the result
 * @answered: CHECK: a packet of the base size was answered since the last probes
 * @lost: probes of @size, or in CHECK of the present size, that were not answered
 * @own: bytes of the largest packet that this node's device takes
 * @own_no: number of the last change of @own, 0: none
 * @peer: bytes of the largest packet that the peer's device takes
 * @peer_no: number of the peer's announcement
 * @told: bytes of the largest packet that the administrator knows of, 0: the first search goes on
 * @longest: bytes of the largest packet that a datagram may need; also read without the lock
 * @size: SEARCH: size that is probed
 * @fails: SEARCH: smallest size that is known not to arrive; larger than the limit: none
 * @at: when the next step is due
 * @ctl: MTU, which announces @own
 * @lane: retired packets
 */
struct weft_mtu {
	u8 state;
	bool first;
	bool answered;
	u8 lost;
	u32 own;
	u32 own_no;
	u32 peer;
	u32 peer_no;
	u32 told;
	u32 longest;
	u32 size;
	u32 fails;
	weft_ns at;
	struct weft_ctl ctl;
	struct weft_retire lane[WEFT_LANES];
};

#endif
