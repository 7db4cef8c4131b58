/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - structures of shared receive queues: see srq.c
 */
#ifndef WEFT_SRQ_H
#define WEFT_SRQ_H

#include "core/object/message.h"

/**
 * struct weft_srq - a shared receive queue
 * @core: its core; constant
 * @conf: its configuration; constant but for the ring and @conf.recvs
 * @ref: endpoints, out lists, work, its handle
 * @user: its owner, referenced
 * @memory: bytes that count for its owner
 * @lock: all fields below; inside of ep->lock
 * @dead: killed: ring and lines are not used any more
 * @bad: its ring could not be decoded
 * @stalled: no receive was free
 * @queued: is in out->serve, referenced
 * @serving: a server gives receives to waiting endpoints
 * @again: the server has to check once more
 * @polled: an engine polls its doorbell, see weft_srq_hot()
 * @st: WEFT_ST_*; while @polled the status line hides the notify flag
 * @serve: in out->serve
 * @work: continues to serve
 * @ring: receive ring
 * @entry: the receive being applied
 * @match: receives that endpoints may take (its unexpected side is not used)
 * @fresh: receives to be offered to waiting endpoints, in order
 * @nfresh: number of fresh receives
 * @hand: the receive being offered
 * @post_free: free receives
 * @part_free: free parts of multi-receive buffers
 * @no_part: a message waits for a part: no untagged message gets a receive
 * @untold: released buffers, which the next live endpoint has to report
 * @posts: all receives, and parts
 * @nposts: number of receives
 * @nheld: receives that endpoints hold
 * @waiting: endpoints with unexpected messages, by kind of message, the next one to be served
 *	first; an endpoint without such messages leaves when it is visited
 * @nwaiting: number of waiting endpoints
 * @neps: number of endpoints
 * @av: address vector of the connectionless ones
 * @low: low watermark, 0: none
 * @ev_low: its event while it is armed
 */
struct weft_srq {
	struct weft_core *core;
	struct weft_srq_conf conf;
	refcount_t ref;
	struct weft_user *user;
	u64 memory;
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
	bool no_part;
	struct weft_list untold;
	struct weft_posts *posts;
	u32 nposts;
	u32 nheld;
	struct weft_list waiting[WEFT_KINDS];
	u32 nwaiting[WEFT_KINDS];
	u32 neps;
	struct weft_av *av;
	u32 low;
	struct weft_qev *ev_low;
};

#endif
