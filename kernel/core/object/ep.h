/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - endpoints and connections
 *
 * Locks and references: as in obj.h.
 */
#ifndef WEFT_EP_H
#define WEFT_EP_H

#include "core/object/obj.h"

/* ---- Endpoints and connections --------------------------------------------------- */

#define WEFT_CONN_ASKING	1	/* active: REQ sent */
#define WEFT_CONN_ASKED		2	/* passive: waits for the program */
#define WEFT_CONN_ACCEPTED	3	/* passive: REP sent */
#define WEFT_CONN_UP		4
#define WEFT_CONN_CLOSING	5	/* until what was sent is acknowledged, then FINACK */
#define WEFT_CONN_OVER		6
#define WEFT_CONN_AGAIN		7	/* active: to be asked for on a new path; on no list */

/**
 * struct weft_conn - a connection, or a request for one
 * @ref: path->conns and core->conns together, its endpoint, the flow, struct weft_ctl
 * @path: referenced; constant
 * @node: in path->conns
 * @idnode: in core->conns; core->svc_lock
 * @reqnode: in ep->reqs of the listener; that ep->lock
 * @pep: the listener, referenced, while it is a request; path->lock
 * @ep: its endpoint, referenced; path->lock
 * @flow: of what we send, referenced
 * @rflow: of what we receive; NULL: none yet, or any more
 * @id: ours
 * @peer: the peer's, 0: not known
 * @active: we asked
 * @again: for the second time
 * @state: WEFT_CONN_*
 * @fin: FIN has been sent or is queued
 * @fin_in: the peer's FIN has come
 * @fin_acked: ours was acknowledged
 * @fin_held: the peer's is acknowledged when our sends have ended
 * @takes: our FIN says that we receive until it is acknowledged
 * @shut: SHUTDOWN has been told, or will not be
 * @shut_wait: SHUTDOWN is to be told when the messages that have come are placed
 * @ctl_pending: it is over, and has chunks to send yet: it counts in path->ctl_pending
 * @ops: bits of WEFT_CM_* to be sent
 * @status: errno in REJ
 * @lost: errno: it did not end, the peer's node has fallen silent
 * @until: when it is given up, 0: never
 * @fid: flow in our chunks
 * @addr: peer's address with service
 * @job: of its endpoint, referenced, NULL: the default one, or there is no endpoint yet
 * @dlen: bytes of @data
 * @data: private data to be sent
 * @ctl: chunks to be sent
 * @ev: the event of a request
 *
 * Under path->lock.
 */
struct weft_conn {
	refcount_t ref;
	struct weft_path *path;
	struct weft_list node;
	struct weft_list idnode;
	struct weft_list reqnode;
	struct weft_ep *pep;
	struct weft_ep *ep;
	struct weft_flow *flow;
	struct weft_rflow *rflow;
	u32 id;
	u32 peer;
	bool active;
	bool again;
	u8 state;
	bool fin;
	bool fin_in;
	bool fin_acked;
	bool fin_held;
	bool takes;
	bool shut;
	bool shut_wait;
	bool ctl_pending;
	u8 ops;
	u16 status;
	u16 lost;
	weft_ns until;
	struct weft_flowid fid;
	struct weft_sockaddr addr;
	struct weft_job *job;
	u32 dlen;
	u8 data[WEFT_CM_DATA_MAX];
	struct weft_ctl ctl;
	struct weft_qev ev;
};

#define WEFT_WORK_SQ	1	/* go on with a send ring */
#define WEFT_WORK_TXM	2
#define WEFT_WORK_RXM	3
#define WEFT_WORK_SRQ	4	/* give shared receives to who waits */
#define WEFT_WORK_BREAK	5	/* end a connection that has been broken */
#define WEFT_WORK_ASK	6	/* ask for a connection on a new path */
#define WEFT_WORK_TIDY	7	/* close flows on idle paths */
#define WEFT_WORK_RQ	8	/* go on with a receive ring that is paused */
#define WEFT_WORK_MONITOR	9	/* look at nodes that receives name */

/**
 * struct weft_group - a multicast group with members here
 * @node: in core->groups
 * @addr: its address with the service; constant
 * @members: struct weft_member
 *
 * Changed under core->grp_mutex and core->grp_lock, read under either.
 */
struct weft_group {
	struct weft_list node;
	struct weft_sockaddr addr;
	struct weft_list members;
};

/**
 * struct weft_member - an endpoint in a group
 * @gnode: in group->members; as in struct weft_group
 * @node: in ep->groups; ep->sq_mutex
 * @group: the group; constant
 * @ep: the endpoint, which leaves before it goes; constant
 * @id: number of the group at the endpoint; constant
 * @flags: WEFT_GROUP_*; constant
 * @flow: of what it sends there, NULL: it does not send; constant
 */
struct weft_member {
	struct weft_list gnode;
	struct weft_list node;
	struct weft_group *group;
	struct weft_ep *ep;
	u32 id;
	u32 flags;
	struct weft_flow *flow;
};

/**
 * struct weft_ep - an endpoint
 * @core: its core
 * @conf: what it is made of; constant
 * @ref: references
 * @sq_mutex: send ring and @flows
 * @lock: what is not said to be under another one
 * @node: in core->eps; core->lock
 * @svcnode: in core->services; core->svc_lock
 * @listed: is there; core->svc_lock
 * @killed: weft_ep_kill() has been called; sq_mutex
 * @state: WEFT_EPS_*; read without the lock, too
 * @st: WEFT_ST_*; the status page shows them without the notifies while @polled
 * @polled: an engine looks at its doorbells, see poll.c; read without the lock, too
 * @addr: own address; core->lock, constant once enabled
 * @gen: generation of its service
 * @tx_cq: for sends; constant once it is set
 * @rx_cq: for receives
 * @tx_cntr: counter of sends; constant once it is set, as @tx_cq
 * @rx_cntr: counter of receives
 * @eq: for events
 * @av: address vector
 * @sq: send ring; sq_mutex
 * @entry: the one that is being worked on; sq_mutex
 * @txe: its completion, when it is written at once (as @rxe); sq_mutex
 * @unsent: a path that has something to send when the ring has been emptied, referenced; sq_mutex
 * @hand: a free send: what has been accepted can always be completed; sq_mutex
 * @scratch: payload on its way; sq_mutex
 * @spare: a message for local sends; sq_mutex
 * @drop: a message for the next datagram that comes
 * @lossy: the datagram that is being matched is dropped if it finds no receive
 * @scan: an engine is taking from the send ring: the program's memory is not waited for; sq_mutex
 * @win: payload of @entry, at hand; sq_mutex
 * @slow: sends take the slow path: datagrams, and where there may be fences
 * @fences: flows with sends that a fence holds back (flow->fnode); sq_mutex
 * @fence_go: some of them may go
 * @flows: flows by address of the destination; sq_mutex
 * @groups: struct weft_member, multicast groups that it has joined; sq_mutex
 * @ngroups: how many; sq_mutex
 * @next_group: number of the next one; sq_mutex
 * @recent: the flow used last, or the only one; sq_mutex
 * @near: that flow ends on this node, and sends may go straight (fast_ring.c); read without the
 *	mutex
 * @far: it ends on another node, and short sends may leave straight (weft_fast_out()); sq_mutex
 * @reclaim_at: since when the send at the head of the ring waits for a path, 0: it does not;
 *	written under sq_mutex
 * @recent_dst: index in the address vector that it was found by; sq_mutex
 * @recent_gen: generation of the vector then; sq_mutex
 * @sq_work: go on with the send ring
 * @sq_stalled: there was no free send
 * @nheld: sends that hold their slots in the ring
 * @sq_taken: entries of the send ring before this index have been taken
 * @sq_given: their slots before this one belong to the program again
 * @rq: receive ring
 * @rentry: the receive that is being applied
 * @rxe: the completion of a message that is being taken; on the stack it would be zeroed first
 * @rq_stalled: there was no free receive, or it is paused
 * @rq_paused: searches have taken long: @rq_work goes on
 * @rq_work: does that
 * @draining: the receive ring is being emptied
 * @ncut: bits in @cut
 * @cut: entries of the receive ring that were canceled before their turn, a bit for each slot
 * @claims: messages that were set aside (rxm->enode)
 * @nclaims: how many
 * @match: matching
 * @av_gen: generation of the vector at which unexpected messages' senders were found
 * @post_free: free receives
 * @part_free: free parts of multi-receive buffers
 * @multi_wait: a message waits for one
 * @txm_free: free sends
 * @active: messages that are being received
 * @turn: receives of those whose completion has not been written, in order: all of them with
 *	WEFT_EPF_STRICT, else those with WEFT_RQ_ANNOUNCE
 * @nslots: receives with WEFT_RQ_ANNOUNCE whose message has not been claimed or discarded
 * @user: whose it is, referenced
 * @job: which one it is in, referenced, NULL: the default one; constant
 * @kept_msgs: messages that are kept for it; see credit.c
 * @kept_bytes: bytes of short ones among them
 * @orphans: messages among them whose flows have ended; see credit.c
 * @orphan_bytes: bytes of short ones among these
 * @ntxm: sends under way
 * @txms: all sends
 * @posts: all receives
 * @conn: its connection
 * @connecting: weft_cm_connect() or weft_cm_accept() has been called
 * @reqs: requests at a listener
 * @nreqs: how many
 * @backlog: how many may be
 * @ev_conn: CONNECTED or CONN_FAILED
 * @ev_shut: SHUTDOWN
 * @ev_err: EP_ERROR
 * @srq: where its receives come from, referenced, NULL: its own ring; constant once enabled, until
 *	then written under sq_mutex and the lock
 * @wait: in srq->waiting, by kind of message; srq->lock
 * @waits: is there; srq->lock
 * @taken: receives of @srq that it holds, in order
 * @nheld_recvs: how many
 * @taken_seq: number of the last one
 * @soft: soft high watermark, 0: none
 * @hard: hard one
 * @ev_high: the event of the soft one while it is armed
 * @ev_last: SRQ_LAST
 * @broken: errno: its connection is to be ended
 * @brk_work: does that
 * @ask_work: asks for its connection on a new path
 * @tidy_work: closes its flows on idle paths
 * @monitor_work: looks at the nodes that its receives name; see monitor.c
 * @monitored: they may name some (READ_ONCE outside of the lock)
 * @monitor_no: up to this one of core->deaths its receives have been told
 * @monitor_from: posting order of the receive from which on the worker goes on; the worker's
 */
struct weft_ep {
	struct weft_core *core;
	struct weft_ep_conf conf;
	refcount_t ref;
	struct weft_mutex sq_mutex;
	struct weft_lock lock;
	struct weft_list node;
	struct weft_list svcnode;
	bool listed;
	bool killed;
	u32 state;
	u32 st;
	bool polled;
	struct weft_sockaddr addr;
	u32 gen;
	struct weft_cq *tx_cq;
	struct weft_cq *rx_cq;
	struct weft_cq *tx_cntr;
	struct weft_cq *rx_cntr;
	struct weft_eq *eq;
	struct weft_av *av;
	struct weft_ring sq;
	struct weft_sq_entry entry;
	struct weft_cqe txe;
	struct weft_path *unsent;
	struct weft_txm *hand;
	u8 *scratch;
	struct weft_rxm *spare;
	struct weft_rxm *drop;
	bool lossy;
	bool scan;
	struct weft_mem *win;
	bool slow;
	struct weft_list fences;
	bool fence_go;
	struct weft_list flows[WEFT_EP_FLOWS];
	struct weft_list groups;
	u32 ngroups;
	u32 next_group;
	struct weft_flow *recent;
	bool near;
	bool far;
	weft_ns reclaim_at;
	u32 recent_dst;
	u32 recent_gen;
	struct weft_work sq_work;
	bool sq_stalled;
	u32 nheld;
	u32 sq_taken;
	u32 sq_given;
	struct weft_ring rq;
	struct weft_rq_entry rentry;
	struct weft_cqe rxe;
	bool rq_stalled;
	bool rq_paused;
	struct weft_work rq_work;
	bool draining;
	u32 ncut;
	u64 *cut;
	struct weft_list claims;
	u32 nclaims;
	u32 nslots;
	struct weft_match match;
	u32 av_gen;
	struct weft_list post_free;
	struct weft_list part_free;
	bool multi_wait;
	struct weft_list txm_free;
	struct weft_list active;
	struct weft_list turn;
	struct weft_user *user;
	struct weft_job *job;
	u32 kept_msgs;
	u64 kept_bytes;
	u32 orphans;
	u64 orphan_bytes;
	u32 ntxm;
	struct weft_txm *txms;
	struct weft_post *posts;
	struct weft_conn *conn;
	bool connecting;
	struct weft_list reqs;
	u32 nreqs;
	u32 backlog;
	struct weft_qev ev_conn;
	struct weft_qev ev_shut;
	struct weft_qev ev_err;
	struct weft_srq *srq;
	struct weft_list wait[WEFT_KINDS];
	bool waits[WEFT_KINDS];
	struct weft_list taken;
	u32 nheld_recvs;
	u32 taken_seq;
	u32 soft;
	u32 hard;
	struct weft_qev *ev_high;
	struct weft_qev ev_last;
	u16 broken;
	struct weft_work brk_work;
	struct weft_work ask_work;
	struct weft_work tidy_work;
	struct weft_work monitor_work;
	bool monitored;
	u32 monitor_no;
	u64 monitor_from;
};

/* MSG: does it take messages of its connection? Read with or without the lock. */
static inline bool weft_ep_connected(const struct weft_ep *ep)
{
	u32 state = READ_ONCE(ep->state);

	return state == WEFT_EPS_CONNECTED || state == WEFT_EPS_CLOSING;
}

#endif
