/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - structures of messages
 *
 *	txm		a send: at most one for each slot of the ring
 *	post		a receive: at most one for each slot of the ring
 *	rxm		a received message that could not be completed at once
 *
 * Sends and receives are allocated in blocks, when they are needed. They live as long as their
 * endpoint or shared receive queue.
 *
 * Locks: the comment of each structure names the lock of its fields. A refcount_t may be dropped
 * anywhere, a plain count only under the lock that protects it.
 */
#ifndef WEFT_OBJECT_MESSAGE_H
#define WEFT_OBJECT_MESSAGE_H

#include "core/base/match.h"
#include "core/object/flow.h"
#include "core/object/region.h"
#include "core/queue/queue.h"
#include "core/wire/ring.h"

#define WEFT_EAGER_LIMIT	(256u << 10)	/* largest eager_max of a peer */
#define WEFT_STORE_PARTS	2	/* most parts of a send's memory from a store */
#define WEFT_RXM_SMALL		128	/* payload bytes in a message's own memory */

#define WEFT_WIN_NONE	0
#define WEFT_WIN_DEFER	1	/* has to be made in process context */
#define WEFT_WIN_READY	2	/* bytes may be copied */
#define WEFT_WIN_FLUSH	3	/* bounced: has to be flushed in process context */

/**
 * struct weft_win - a window of a message's memory
 * @mem: the memory, referenced; READY, FLUSH
 * @off: offset in the message
 * @len: bytes
 * @left: receive: bytes not copied yet
 * @todo: receive: bytes without a copy put out
 * @busy: receive: copies under way; send: unacknowledged records
 * @state: WEFT_WIN_*
 */
struct weft_win {
	struct weft_mem *mem;
	u64 off;
	u32 len;
	u32 left;
	u32 todo;
	u32 busy;
	u8 state;
};

#define WEFT_OVF_TXM	1
#define WEFT_OVF_POST	2
#define WEFT_OVF_RMA	3

/* levels that a send has not reached when its bytes have been copied */
#define WEFT_SQ_LATER	(WEFT_SQ_TRANSMIT | WEFT_SQ_DELIVERY | WEFT_SQ_MATCH)
/* internal: under way until it is delivered, whatever its level */
#define WEFT_SQ_TRACKED	BIT(15)
/* internal: of a trigger with WEFT_TRIGGERF_ALONE */
#define WEFT_SQ_ALONE	BIT(14)
/* levels that the peer reports by DONE */
#define WEFT_SQ_TOLD	(WEFT_SQ_DELIVERY | WEFT_SQ_MATCH)

#define WEFT_TXM_FREE	0
#define WEFT_TXM_WAIT	1	/* in lane->sendq or flow->parked */
#define WEFT_TXM_SENT	2	/* eager, all of it in records */
#define WEFT_TXM_ASKED	3	/* announced, no grant yet */
#define WEFT_TXM_GRANT	4	/* granted, DATA are sent */
#define WEFT_TXM_LOCAL	5	/* lrxm takes it */
#define WEFT_TXM_OVER	6	/* only references remain */

/**
 * struct weft_txm_bulk - a send as bulk/ uses it: rendezvous, and windows of its memory
 * @idnode: in path->msg.sids
 * @gnode: in path->msg.gets
 * @work: to pin memory
 * @rid: rendezvous id of the receiver; in @gnode: of its bytes
 * @deferred: deferred work is running
 * @late: ABORT follows when RTS is acknowledged
 * @vec: segments of its bytes
 * @granted: bytes granted so far
 * @pinned: bytes in windows so far
 * @lrxm: local: the message, referenced
 */
struct weft_txm_bulk {
	struct weft_idnode idnode;
	struct weft_idnode gnode;
	struct weft_work work;
	u32 rid;
	bool deferred;
	bool late;
	struct weft_vec vec;
	u64 granted;
	u64 pinned;
	struct weft_rxm *lrxm;
};

/**
 * struct weft_txm_tx - a send as messaging/ uses it: its completion
 * @context: the user's
 * @tag: tag
 * @data: remote CQ data
 * @len: bytes that its completion reports
 * @held: holds its slot in the ring; ep->lock
 * @waits: its completion waits; ep->lock
 * @placed: DONE has come
 * @told: the completion has been written, or is not wanted
 * @op: WEFT_SQ_SEND, _TSEND, _WRITE, _READ, _ATOMIC, _FETCH
 * @done: WEFT_SQ_ALONE: counts its end, referenced, NULL: none
 */
struct weft_txm_tx {
	u64 context;
	u64 tag;
	u64 data;
	u64 len;
	bool held;
	bool waits;
	bool placed;
	bool told;
	u8 op;
	struct weft_cq *done;
};

/**
 * struct weft_txm - a send
 * @ovf: its completion while that waits
 * @ref: the operation, records with its payload, a waiting completion, deferred work
 * @ep: its endpoint; referenced while the operation is under way
 * @node: in ep->tx.free (ep->lock), flow->txms or flow->fenced
 * @no: its number among the sends that were on these lists of its flow, 0: none yet
 * @at: when it got this number
 * @qnode: in lane->sendq, flow->parked or lane->dataq; a datagram: in path->msg.dgrams
 * @hnode: in flow->headless
 * @more: the send behind it in the same chunk, which its records reference with it; NULL: none
 * @ctl: ABORT
 * @path: its path, referenced
 * @flow: its flow, referenced while the operation is under way
 * @state: WEFT_TXM_*
 * @user: its bytes are in the program's memory, else in @buf
 * @begun: has its number, and packets
 * @eager: sent without a grant
 * @tx: a send as messaging/ uses it: its completion
 * @fault: its memory is gone; written without a lock
 * @flags: WEFT_SQ_* of the entry
 * @len: bytes
 * @mseq: number in its flow
 * @sid: rendezvous id, 0: none
 * @status: errno in its ABORT
 * @buf: its bytes, contiguous
 * @seg: the bytes are in @part, in pieces of so many bytes, each behind space for the head of its
 *	packet (WEFT_GAP); 0: they are in @buf
 * @each: pieces in each of @part but the last
 * @part: memory from a struct weft_store
 * @sent: bytes in records
 * @nrec: unacknowledged records
 * @req: bytes of the request at the beginning of @buf; 0: a message
 * @rxm: a read: its sink; a source: the message that asked for it; referenced, NULL: none
 * @source: sends the bytes of a read: see rma.rst; no ring has its entry
 * @bulk: a send as bulk/ uses it: rendezvous, and windows of its memory
 * @win: windows of @vec
 *
 * Under path->lock; the first fields are written before the path has it.
 */
struct weft_txm {
	struct weft_ovf ovf;
	refcount_t ref;
	struct weft_ep *ep;
	struct weft_list node;
	u64 no;
	weft_ns at;
	struct weft_list qnode;
	struct weft_list hnode;
	struct weft_txm *more;
	struct weft_ctl ctl;
	struct weft_path *path;
	struct weft_flow *flow;
	u8 state;
	bool user;
	bool begun;
	bool eager;
	struct weft_txm_tx tx;
	bool fault;
	u16 flags;
	u16 status;
	u64 len;
	u32 mseq;
	u32 sid;
	u8 *buf;
	u32 seg;
	u32 each;
	u8 *part[WEFT_STORE_PARTS];
	u64 sent;
	u32 nrec;
	u16 req;
	bool source;
	struct weft_rxm *rxm;
	struct weft_txm_bulk bulk;
	struct weft_win win[2];
};

/* A send of a flow, whose path is locked, gets its number, unless it has one. */
static inline void weft_txm_number(struct weft_txm *txm, weft_ns now)
{
	weft_assert_held(&txm->flow->path->lock);
	if (txm->no)
		return;
	txm->no = ++txm->flow->nsends;
	txm->at = now;
}

/* Put a send on a list of its flow, whose path is locked: @list: flow->txms or flow->fenced. */
static inline void weft_txm_enter(struct weft_txm *txm, struct weft_list *list, weft_ns now)
{
	weft_txm_number(txm, now);
	weft_list_add_tail(list, &txm->node);
}

/* bytes of a packet before the payload of an EAGER chunk */
#define WEFT_GAP	((u32)WEFT_WIRE_EAGER)
/* bytes of the longest message that a record holds, so that each path carries its packet */
#define WEFT_SHORT_MAX	(WEFT_PAYLOAD_MIN - WEFT_GAP)
/* bytes of the longest write that a record holds, with its request and a report behind it */
#define WEFT_SHORT_WRITE	(WEFT_SHORT_MAX - WEFT_REQ_ONE - WEFT_WIRE_CHUNK -	\
				 (u32)sizeof(struct weft_w_done))
/* bytes of the longest read without a sink: the path's lock is held while they are copied */
#define WEFT_SHORT_READ		(16u << 10)

/* Return: true if a one-sided operation of @len bytes is short enough for rma/short.c. */
static inline bool weft_short_len(u8 op, u64 len)
{
	return len <= (op == WEFT_SQ_READ ? WEFT_SHORT_READ : WEFT_SHORT_WRITE);
}

/*
 * Find bytes of a send in kernel memory. *@n: bytes wanted, then bytes that are contiguous. Return:
 * the byte at @off.
 */
static inline u8 *weft_txm_at(const struct weft_txm *txm, u32 off, u32 *n)
{
	u32 in, piece;

	if (!txm->seg)
		return txm->buf + off;
	in = off % txm->seg;
	piece = off / txm->seg;
	*n = min(*n, txm->seg - in);
	return txm->part[piece / txm->each] + piece % txm->each * (txm->seg + WEFT_GAP) +
	       WEFT_GAP + in;
}

#define WEFT_POST_PART	BIT(15)	/* a part of a multi-receive buffer, not of the ring */
#define WEFT_POST_ASIDE	BIT(14)	/* its success is not that of a message: not counted */
#define WEFT_POST_CLAIM	BIT(13)	/* claims an announced message */
#define WEFT_POST_ALONE	BIT(12)	/* of a trigger with WEFT_TRIGGERF_ALONE */
#define WEFT_POST_FOUND	BIT(11)	/* a look has read it from the ring: it may be older than @at */
#define WEFT_PARTS	16		/* parts of an endpoint beside its receives */

/**
 * struct weft_post - a receive
 * @ovf: its completion while that waits
 * @node: in ep->rx.post_free; a shared one: in srq->post_free, srq->part_free, srq->fresh,
 *	srq->untold or ep->rx.taken
 * @turn: in ep->rx.turn
 * @match: in ep->rx.match or srq->match
 * @ep: its endpoint; shared: the endpoint that has taken it
 * @srq: its shared receive queue, NULL: a receive of the endpoint
 * @context: the user's
 * @at: when it was read from its ring
 * @keys: regions of the segments, if srq->conf.zone
 * @seq: taken: its number
 * @part: WEFT_RQ_ANNOUNCE: bytes placed of a message that is longer than @vec
 * @from: in ep->rx.turn: sender's index
 * @peer: sender's address, if the completion that waits has WEFT_CQE_FROM
 * @err: errno of the completion for the endpoint that takes it
 * @flags: WEFT_RQ_*, WEFT_POST_*
 * @waits: its completion waits, and holds a reference on the endpoint
 * @done: it has completed, and the completion @ovf.e is written in its turn
 * @multi: part: its multi-receive buffer, NULL: the part has ended
 * @last: part: its completion reports the release of the buffer
 * @told: buffer: the release has been reported, or is about to be
 * @ended: shared buffer: it takes no more messages
 * @end: buffer: errno of its end, 0: full, or not at its end
 * @nparts: buffer: parts that have not ended
 * @least: buffer: takes no more messages when fewer bytes are left
 * @used: buffer: bytes before the end of the last part
 * @cntr: WEFT_POST_ALONE: counts its end, referenced, NULL: none
 * @vec: its segments
 *
 * Under ep->lock (a shared one that is not taken: srq->lock). A matched receive belongs to its
 * message.
 */
struct weft_post {
	struct weft_ovf ovf;
	struct weft_list node;
	struct weft_list turn;
	struct weft_mpost match;
	struct weft_ep *ep;
	struct weft_srq *srq;
	u64 context;
	weft_ns at;
	u32 keys[WEFT_KEYS_MAX];
	u32 seq;
	u32 part;
	u32 from;
	struct weft_sockaddr peer;
	u16 err;
	u16 flags;
	bool waits;
	bool done;
	struct weft_post *multi;
	bool last;
	bool told;
	bool ended;
	u16 end;
	u32 nparts;
	u64 least;
	u64 used;
	struct weft_cq *cntr;
	struct weft_vec vec;
};

#define WEFT_BLOCK	(16u << 10)	/* bytes of a block */

/**
 * struct weft_posts - receives that were allocated together
 * @next: receives that were allocated earlier
 * @n: number of receives
 * @post: the receives
 */
struct weft_posts {
	struct weft_posts *next;
	u32 n;
	struct weft_post post[];
};

/* receives of a block */
#define WEFT_POSTS	((u32)((WEFT_BLOCK - sizeof(struct weft_posts)) / sizeof(struct weft_post)))

/**
 * struct weft_txms - sends that were allocated together
 * @next: sends that were allocated earlier
 * @n: number of sends
 * @txm: the sends
 */
struct weft_txms {
	struct weft_txms *next;
	u32 n;
	struct weft_txm txm[];
};

/* sends of a block */
#define WEFT_TXMS	((u32)((WEFT_BLOCK - sizeof(struct weft_txms)) / sizeof(struct weft_txm)))

/**
 * struct weft_rxm_rx - a received message as matching/ uses it
 * @match: in ep->rx.match while it is unexpected; ep->lock
 * @at: early: when it came, path->lock; later: when it became unexpected, ep->lock
 * @post: its receive; ep->lock, then constant until it is over
 * @enode: in ep->rx.active when matched, in ep->rx.claims when claimed; ep->lock
 * @snode: in out->start
 * @claim: the user's context; ep->lock
 * @claimed: set aside for a claim with context @claim; ep->lock
 * @announced: set aside by its announcement; path->lock and ep->lock
 * @dropped: its endpoint does not want it; ep->lock
 * @served: completed from its buffer under ep->lock: the path has to finish it
 */
struct weft_rxm_rx {
	struct weft_munexp match;
	weft_ns at;
	struct weft_post *post;
	struct weft_list enode;
	struct weft_list snode;
	u64 claim;
	bool claimed;
	bool announced;
	bool dropped;
	bool served;
};

/**
 * struct weft_rxm_flow - a received message as flow/ uses it: what it takes of its sender's credit
 * @charged: bytes of eager payload that count in the node's eager window
 * @open: its part of path->flow.rx_open
 * @kept_bytes: bytes that count as kept; constant then
 * @rflow: see @waited
 * @kept: counts as kept for its endpoint; ep->lock
 * @waited: it counts in @nwait of its flow, number @rflow, or in @orphans of its endpoint
 * @moved: its bytes do not count in the node's eager window
 */
struct weft_rxm_flow {
	u32 charged;
	u32 open;
	u32 kept_bytes;
	u32 rflow;
	bool kept;
	bool waited;
	bool moved;
};

/**
 * struct weft_rxm_bulk - a received message as bulk/ uses it: rendezvous, grants, placement
 * @rnode: in path->msg.rids
 * @pnode: in path->msg.psids
 * @later: in path->msg.later
 * @work: pin, flush, write
 * @ltxm: local: the send, referenced
 * @gmsg: its part of core->grants, under that lock
 * @win: windows of the receive
 * @base: bytes placed before it was claimed
 * @room: bytes to be placed
 * @allowed: bytes that may be granted
 * @granted: bytes granted
 * @pinned: bytes in windows so far
 * @stored: bytes present in @buf
 * @ncopy: copies under way
 * @rid: our rendezvous id, 0: eager
 * @done: status of the DONE to be sent
 * @send_done: DONE is to be sent
 * @send_grant: GRANT is to be sent
 * @in_later: is in path->msg.later
 * @needs: needs a live peer: counted in path->nwait
 * @over: finished, dropped or withdrawn: only references remain
 * @aborted: the sender has withdrawn it, or has its DONE: no DONE is sent
 * @deferred: deferred work is running
 * @direct: eager, placed straight into win[0]
 * @scarce: eager, and memory for its bytes was missing: the deferred work takes it
 */
struct weft_rxm_bulk {
	struct weft_idnode rnode;
	struct weft_idnode pnode;
	struct weft_list later;
	struct weft_work work;
	struct weft_txm *ltxm;
	struct weft_gmsg gmsg;
	struct weft_win win[2];
	u64 base;
	u64 room;
	u64 allowed;
	u64 granted;
	u64 pinned;
	u32 stored;
	u32 ncopy;
	u32 rid;
	u16 done;
	bool send_done;
	bool send_grant;
	bool in_later;
	bool needs;
	bool over;
	bool aborted;
	bool deferred;
	bool direct;
	bool scarce;
};

/**
 * struct weft_rxm - a received message
 * @ref: path->msg.rxms and ep (its list or its matching), out lists, copies, work
 * @path: referenced
 * @ep: the endpoint, referenced; set before it is offered
 * @rx: a received message as matching/ uses it
 * @node: in path->msg.rxms
 * @fnode: in rflow->early or rflow->partial
 * @early: not offered yet
 * @started: the path has processed its match with @post
 * @whole: all bytes have come (eager: to @buf); read with acquire under ep->lock
 * @lane: lane for answers
 * @id: its flow and number
 * @tag: tag
 * @data: remote CQ data
 * @len: bytes
 * @flags: WEFT_MSG_*
 * @src: sender's index
 * @sid: rendezvous id of the sender
 * @err: errno of its failure
 * @buf: bytes in kernel memory; @small or allocated
 * @nsmall: size of @small
 * @got: bytes that came
 * @rma: memory that a one-sided operation accesses, NULL: a message, or not begun
 * @flow: a received message as flow/ uses it: what it takes of its sender's credit
 * @from: address of the sender, without its service
 * @ctl: GRANT, DONE
 * @bulk: a received message as bulk/ uses it: rendezvous, grants, placement
 * @small: a short message's bytes
 *
 * Under path->lock, except fields with another lock.
 */
struct weft_rxm {
	refcount_t ref;
	struct weft_path *path;
	struct weft_ep *ep;
	struct weft_rxm_rx rx;
	struct weft_list node;
	struct weft_list fnode;
	bool early;
	bool started;
	bool whole;
	u8 lane;
	struct weft_flowid id;
	u64 tag;
	u64 data;
	u64 len;
	u16 flags;
	u32 src;
	u32 sid;
	u16 err;
	u8 *buf;
	u32 nsmall;
	u64 got;
	struct weft_rma *rma;
	struct weft_rxm_flow flow;
	struct weft_sockaddr from;
	struct weft_ctl ctl;
	struct weft_rxm_bulk bulk;
	u8 small[];
};

#endif
