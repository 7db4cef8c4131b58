/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - shared receive queues: the object. Life, locks and protocol: srq.c
 */
#ifndef WEFT_SRQ_H
#define WEFT_SRQ_H

#include "core/object/obj.h"

/**
 * struct weft_srq_posts - receives that were allocated together
 * @next: earlier ones
 * @n: how many
 * @post: the receives
 */
struct weft_srq_posts {
	struct weft_srq_posts *next;
	u32 n;
	struct weft_post post[];
};

/**
 * struct weft_srq - a shared receive queue
 * @core: its core; constant
 * @conf: what it is made of; constant but for the ring and @conf.recvs
 * @ref: endpoints, out lists, work, its owner
 * @lock: everything below; inside of ep->lock
 * @dead: killed: ring and lines are not touched any more
 * @bad: its ring could not be decoded
 * @stalled: there was no free receive
 * @queued: is in out->serve, referenced
 * @serving: somebody is giving receives to endpoints that wait
 * @again: and has to look once more
 * @polled: an engine looks at its doorbell, see weft_srq_hot()
 * @st: WEFT_ST_*; the status line shows them without the notify call while @polled
 * @serve: in out->serve
 * @work: goes on with serving
 * @ring: receive ring
 * @entry: the receive that is being applied
 * @match: receives that endpoints may take (its unexpected side is not used)
 * @fresh: receives that have to be offered to endpoints that wait, in order
 * @nfresh: how many
 * @hand: the one that is being offered
 * @post_free: free receives
 * @part_free: free parts of multi-receive buffers
 * @parched: a message waits for one: no untagged message is given a receive
 * @untold: buffers that are released, which has to be told by the next endpoint that lives
 * @posts: all receives, and parts
 * @nposts: how many receives
 * @nheld: receives that endpoints hold
 * @waiting: endpoints that hold unexpected messages (or did: they leave when they are visited), by
 *	kind of message, the one to be served next first
 * @nwaiting: how many
 * @neps: endpoints that use it
 * @av: address vector of the connectionless ones
 * @low: low watermark, 0: none
 * @ev_low: its event while it is armed
 */
struct weft_srq {
	struct weft_core *core;
	struct weft_srq_conf conf;
	refcount_t ref;
	struct weft_lock lock;
	bool dead;
	bool bad;
	bool stalled;
	bool queued;
	bool serving;
	bool again;
	bool polled;
	u32 st;
	struct weft_list serve;
	struct weft_work work;
	struct weft_ring ring;
	struct weft_rq_entry entry;
	struct weft_match match;
	struct weft_list fresh;
	u32 nfresh;
	struct weft_post *hand;
	struct weft_list post_free;
	struct weft_list part_free;
	bool parched;
	struct weft_list untold;
	struct weft_srq_posts *posts;
	u32 nposts;
	u32 nheld;
	struct weft_list waiting[WEFT_KINDS];
	u32 nwaiting[WEFT_KINDS];
	u32 neps;
	struct weft_av *av;
	u32 low;
	struct weft_qev *ev_low;
};

/* What srq_call.c takes of srq.c */
#endif
