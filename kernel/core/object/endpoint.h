/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - structures of endpoints
 *
 * Locks: the comment of each structure names the lock of its fields. A refcount_t may be dropped
 * anywhere, a plain count only under the lock that protects it.
 */
#ifndef WEFT_OBJECT_ENDPOINT_H
#define WEFT_OBJECT_ENDPOINT_H

#include "core/object/av.h"
#include "core/object/conf.h"
#include "core/object/conn.h"
#include "core/object/group.h"
#include "core/object/job.h"
#include "core/object/message.h"
#include "core/object/user.h"

#define WEFT_WORK_SQ	1	/* continue a send ring */
#define WEFT_WORK_TXM	2
#define WEFT_WORK_RXM	3
#define WEFT_WORK_SRQ	4	/* serve shared receives */
#define WEFT_WORK_BREAK	5	/* end a broken connection */
#define WEFT_WORK_ASK	6	/* request a connection on a new path */
#define WEFT_WORK_TIDY	7	/* close flows on idle paths */
#define WEFT_WORK_RQ	8	/* continue a paused receive ring */
#define WEFT_WORK_MONITOR	9	/* check nodes that receives name */
#define WEFT_WORK_TRIGGER	10	/* fire triggers of a counter */

#define WEFT_TURNS	64	/* lists of receives that complete in order; a power of two */

/**
 * struct weft_ep_rx - receiving side of an endpoint; written by matching/
 * @lossy: the datagram being matched is dropped without a receive
 * @ring: receive ring
 * @nrecv: messages that have met their receives
 * @recv_bytes: bytes of these messages
 * @entry: the receive being applied
 * @cqe: completion of the message being received; on the stack it would be zeroed first
 * @stalled: no receive was free, or the ring is paused
 * @paused: searches have taken long: @work continues
 * @flush: errno of entries that were left in the ring when the port went, or of all entries from
 *	now on: an administrator has ended the endpoint; 0: neither
 * @hungry: receives or a larger table are needed; see grow.c
 * @starved: they could not be allocated: a timer tries again
 * @work: continues a paused receive ring, and allocates what is needed
 * @draining: the receive ring is being emptied
 * @fired: struct weft_trigger that have fired, not yet posted
 * @ntriggers: triggers of receives that wait or have fired
 * @done: the entry being applied is a trigger's: counts its end, NULL: none
 * @ncut: bits in @cut
 * @cut: entries of the receive ring that are canceled, a bit for each slot
 * @claims: messages set aside (rxm->rx.enode)
 * @nclaims: number of claimed messages
 * @nslots: receives with WEFT_RQ_ANNOUNCE whose message is neither claimed nor discarded
 * @ntoolong: messages that were longer than their receives
 * @toolong_at: when the last of them completed
 * @match: matching
 * @av_gen: generation of the vector at the last lookup of unexpected messages' senders, which may
 *	not be complete: match->at
 * @post_free: free receives
 * @part_free: free parts of multi-receive buffers
 * @multi_wait: a message waits for a part
 * @active: messages that are being received
 * @turn: receives of matched messages without a written completion, in order, by their sender: all
 *	of them with WEFT_EPF_STRICT, else those with WEFT_RQ_ANNOUNCE
 * @nturn: number of receives in @turn
 * @posts: all receives
 * @nposts: number of them; at most one for each slot of the ring
 * @parts: all parts of multi-receive buffers that are no receives of @posts
 * @srq: shared receive queue, referenced, NULL: its own ring; constant once enabled, until then
 *	written under sq_mutex and the lock
 * @wait: in srq->waiting, by kind of message; srq->lock
 * @waits: in srq->waiting; srq->lock
 * @spare: messages within the node that are over, whose memory is used again (rxm->node)
 * @nspare: number of them
 * @misses: messages that took the completion queue because their receive was not resident; see
 *	weft_recv_pins(); read and cleared without the lock, too
 * @taken: receives of @srq that it holds, in order
 * @nheld: number of @taken
 * @taken_seq: number of the last receive taken
 * @soft: soft high watermark, 0: none
 * @hard: hard high watermark, 0: none
 * @ev_high: event of the soft watermark while it is armed
 * @ev_last: SRQ_LAST
 */
struct weft_ep_rx {
	bool lossy;
	struct weft_ring ring;
	u64 nrecv;
	u64 recv_bytes;
	struct weft_rq_entry entry;
	struct weft_cqe cqe;
	bool stalled;
	bool paused;
	u16 flush;
	bool hungry;
	bool starved;
	struct weft_work work;
	bool draining;
	struct weft_list fired;
	u32 ntriggers;
	struct weft_cq *done;
	u32 ncut;
	u64 *cut;
	struct weft_list claims;
	u32 nclaims;
	u32 nslots;
	u64 ntoolong;
	weft_ns toolong_at;
	struct weft_match match;
	u32 av_gen;
	struct weft_list post_free;
	struct weft_list part_free;
	bool multi_wait;
	struct weft_list active;
	struct weft_list turn[WEFT_TURNS];
	u32 nturn;
	struct weft_posts *posts;
	u32 nposts;
	struct weft_posts *parts;
	struct weft_srq *srq;
	struct weft_list wait[WEFT_KINDS];
	bool waits[WEFT_KINDS];
	struct weft_list spare;
	u32 nspare;
	u8 misses;
	struct weft_list taken;
	u32 nheld;
	u32 taken_seq;
	u32 soft;
	u32 hard;
	struct weft_qev *ev_high;
	struct weft_qev ev_last;
};

/**
 * struct weft_ep_tx - sending side of an endpoint; written by messaging/
 * @ring: send ring; sq_mutex
 * @nsent: entries taken from the ring; sq_mutex, read without it
 * @sent_bytes: bytes of their messages; sq_mutex, read without it
 * @entry: the entry being processed; sq_mutex
 * @cqe: its completion, if it is written at once (as @rxe); sq_mutex
 * @unsent: a path with packets to be sent when the ring is empty, referenced; sq_mutex
 * @hand: a free send, so that each accepted entry can be completed; sq_mutex
 * @scratch: payload being copied; sq_mutex
 * @spare: a message for local sends; sq_mutex
 * @store: memory of sends that leave without a copy; sq_mutex
 * @drop: a message for the next datagram
 * @scan: an engine drains the send ring: it does not wait for the program's memory; sq_mutex
 * @slow: the fast path has refused the next entry, or the last message within the node found no
 *	receive: the drain does not try the fast path for the next entry; sq_mutex
 * @win: resident payload of @entry; sq_mutex
 * @fences: flows with sends that a fence holds back (flow->fnode); sq_mutex
 * @aside: some of these sends may be sent, or triggers have fired; written under the lock
 * @fired: struct weft_trigger that have fired, not yet posted; ep->lock
 * @ntriggers: triggers of sends that wait or have fired; ep->lock
 * @done: the entry being processed is a trigger's: counts its end, NULL: none; sq_mutex
 * @groups: struct weft_member, multicast groups that it has joined; sq_mutex
 * @ngroups: number of @groups; sq_mutex
 * @next_group: number of the next group; sq_mutex
 * @work: continues the send ring
 * @flush: errno of all entries from now on: an administrator has ended the endpoint; 0: it works
 * @stalled: no send was free
 * @starved: and none could be allocated: a timer tries again; sq_mutex, read without it
 * @nheld: sends that hold their slots in the ring
 * @taken: entries of the send ring before this index have been taken
 * @given: slots before this index belong to the program again
 * @free: free sends
 * @ntxm: sends under way; becomes larger only under sq_mutex
 * @txms: all sends; written under sq_mutex and the lock
 * @ntxms: number of them; at most one for each slot of the ring; sq_mutex
 */
struct weft_ep_tx {
	struct weft_ring ring;
	u64 nsent;
	u64 sent_bytes;
	struct weft_sq_entry entry;
	struct weft_cqe cqe;
	struct weft_path *unsent;
	struct weft_txm *hand;
	u8 *scratch;
	struct weft_rxm *spare;
	struct weft_store store;
	struct weft_rxm *drop;
	bool scan;
	bool slow;
	struct weft_mem *win;
	struct weft_list fences;
	bool aside;
	struct weft_list fired;
	u32 ntriggers;
	struct weft_cq *done;
	struct weft_list groups;
	u32 ngroups;
	u32 next_group;
	struct weft_work work;
	u16 flush;
	bool stalled;
	bool starved;
	u32 nheld;
	u32 taken;
	u32 given;
	struct weft_list free;
	u32 ntxm;
	struct weft_txms *txms;
	u32 ntxms;
};

/**
 * struct weft_ep_flow - flows of an endpoint and what it keeps of them; written by flow/
 * @list: all flows; sq_mutex
 * @peers: flows of a connectionless endpoint, by address of the destination; sq_mutex
 * @recent: the flow used last, or the only one; sq_mutex
 * @near: that flow ends on this node, and sends may use the fast path (fast_ring.c); read without
 *	the mutex, and cleared without it when messages begin to be measured
 * @far: it ends on another node, and short sends may use weft_fast_out(); sq_mutex
 * @recent_dst: its index in the address vector; sq_mutex
 * @recent_gen: generation of the vector then; sq_mutex
 * @slow: sends take the slow path: datagrams, and endpoints that may fence
 * @kept_msgs: messages kept for it; see credit.c
 * @kept_bytes: bytes of the short ones among them
 * @orphans: kept messages of ended flows; see credit.c
 * @orphan_bytes: bytes of the short ones among these
 */
struct weft_ep_flow {
	struct weft_list list;
	struct weft_idtable peers;
	struct weft_flow *recent;
	bool near;
	bool far;
	u32 recent_dst;
	u32 recent_gen;
	bool slow;
	u32 kept_msgs;
	u64 kept_bytes;
	u32 orphans;
	u64 orphan_bytes;
};

/**
 * struct weft_ep_cm - connection of an endpoint; written by cm/
 * @conn: its connection
 * @connecting: weft_cm_connect() or weft_cm_accept() has been called
 * @reqs: requests at a listener
 * @nreqs: number of requests
 * @backlog: largest number of requests
 * @ev_conn: CONNECTED or CONN_FAILED
 * @ev_shut: SHUTDOWN
 * @ask_work: requests its connection on a new path
 */
struct weft_ep_cm {
	struct weft_conn *conn;
	bool connecting;
	struct weft_list reqs;
	u32 nreqs;
	u32 backlog;
	struct weft_qev ev_conn;
	struct weft_qev ev_shut;
	struct weft_work ask_work;
};

/**
 * struct weft_ep_mon - peer monitor of an endpoint; written by api/
 * @node: in core->monitored; core->lock
 * @pass: core->monitor_pass when it was looked at; core->lock
 * @work: checks the nodes that its receives name; see monitor.c
 * @no: deaths up to this number of core->deaths have been reported to its receives
 * @from: posting order of the receive at which the worker continues; the worker's
 */
struct weft_ep_mon {
	struct weft_list node;
	u32 pass;
	struct weft_work work;
	u32 no;
	u64 from;
};

/**
 * struct weft_ep - an endpoint
 * @core: its core
 * @conf: its configuration; constant
 * @ref: references
 * @rcu: to free it: lookups of its service run beside
 * @sq_mutex: send ring and @flow.list
 * @lock: all fields without another lock
 * @node: in core->eps; core->lock
 * @listed: in core->services; core->svc_lock
 * @killed: weft_ep_kill() has been called; sq_mutex
 * @state: WEFT_EPS_*; also read without the lock
 * @st: WEFT_ST_*; while @polled or @timed the status page hides notify flags
 * @polled: an engine polls its doorbells, see poll.c; also read without the lock
 * @timed: a timer polls the doorbell of its send ring, see poll.c; also read without the lock
 * @addr: own address; core->lock, constant once enabled
 * @gen: generation of its service
 * @tx_cq: completion queue of sends; constant once set
 * @rx_cq: completion queue of receives
 * @tx_cntr: counter of sends; constant once set, as @tx_cq
 * @rx_cntr: counter of receives
 * @rma_cntr: counters of one-sided operations, by WEFT_CNTR_*
 * @region: the region that the last short operation of a peer has met
 * @eq: event queue
 * @av: address vector
 * @tx: sending side of an endpoint; written by messaging/
 * @rx: receiving side of an endpoint; written by matching/
 * @flow: flows of an endpoint and what it keeps of them; written by flow/
 * @retry: in core->retries; core->lock
 * @reclaim_at: since when the send at the head of the ring waits for a path, 0: it does not;
 *	written under sq_mutex
 * @user: its owner, referenced
 * @memory: bytes that count for its owner
 * @job: its job, referenced, NULL: the default one; constant
 * @cm: connection of an endpoint; written by cm/
 * @ev_err: EP_ERROR
 * @broken: errno: its connection has to be ended
 * @lost: errno that ended its connection, 0: none has. Sends that the ring holds fail with it.
 *	Written under @lock before the state is CLOSED
 * @brk_work: ends a broken connection
 * @tidy_work: closes its flows on idle paths
 * @mon: peer monitor of an endpoint; written by api/
 */
struct weft_ep {
	struct weft_core *core;
	struct weft_ep_conf conf;
	refcount_t ref;
	struct weft_rcu rcu;
	struct weft_mutex sq_mutex;
	struct weft_lock lock;
	struct weft_list node;
	bool listed;
	bool killed;
	u32 state;
	u32 st;
	bool polled;
	bool timed;
	struct weft_sockaddr addr;
	u32 gen;
	struct weft_cq *tx_cq;
	struct weft_cq *rx_cq;
	struct weft_cq *tx_cntr;
	struct weft_cq *rx_cntr;
	struct weft_cq *rma_cntr[WEFT_RMA_CNTRS];
	struct weft_region_hint region;
	struct weft_eq *eq;
	struct weft_av *av;
	struct weft_ep_tx tx;
	struct weft_ep_rx rx;
	struct weft_ep_flow flow;
	struct weft_list retry;
	weft_ns reclaim_at;
	struct weft_user *user;
	u64 memory;
	struct weft_job *job;
	struct weft_ep_cm cm;
	struct weft_qev ev_err;
	u16 broken;
	u16 lost;
	struct weft_work brk_work;
	struct weft_work tidy_work;
	struct weft_ep_mon mon;
};

/*
 * Return: true if a MSG endpoint accepts messages of its connection. Read with or without the lock.
 */
static inline bool weft_ep_connected(const struct weft_ep *ep)
{
	u32 state = READ_ONCE(ep->state);

	return state == WEFT_EPS_CONNECTED || state == WEFT_EPS_CLOSING;
}

#endif
