/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - structures of the protocol's objects
 *
 *	path		one remote node; core->local: the node itself
 *	  lane		packets in one sequence; two of each class (lane.h)
 *	  flow		messages from one of our endpoints to one remote endpoint
 *	  rflow		messages from one remote endpoint to one of ours
 *	  conn		a connection, or a request for one
 *	ep		endpoint
 *	  txm		a send: one for each slot of the ring, allocated with the endpoint
 *	  post		a receive: one for each slot of the ring, allocated with the endpoint
 *	srq		receives that several endpoints share, with posts of its own
 *	rxm		a received message that could not be completed at once
 *
 * Locks: the comment of each structure names the lock of its fields. References: a refcount_t may
 * be dropped anywhere, a plain count only under the lock that protects it.
 */
#ifndef WEFT_OBJ_H
#define WEFT_OBJ_H

#include "core/api/core.h"
#include "core/object/lane.h"
#include "core/base/match.h"
#include "core/queue/queue.h"
#include "core/wire/ring.h"
#include "core/wire/wire.h"

#define WEFT_REC_KEEP		64	/* idle records of a path */
#define WEFT_BUSY_DGRAM		BIT(WEFT_LANES)	/* in path->busy: @dgrams may be sent */
#define WEFT_PATH_BITS		6
#define WEFT_PATH_HASH		64	/* 2 to the power of WEFT_PATH_BITS */
#define WEFT_EP_FLOWS		64
#define WEFT_EAGER_LIMIT	(256u << 10)	/* largest eager_max of a peer */
#define WEFT_RXM_SMALL		128	/* payload bytes in a message's own memory */
#define WEFT_PAYLOAD_MIN	1232	/* UDP payload that every path can carry */
#define WEFT_RTT_FRESH	(10 * NSEC_PER_SEC)	/* age at which path->rtt_min expires */
#define WEFT_CTL_PENDING_ASKED	8192	/* pending answers at which a request gets none */
#define WEFT_CTL_PENDING_MAX	32768	/* pending answers at which other packets are not taken */
#define WEFT_RFLOWS_MAX		65536	/* flows from one remote node */

/* ---- Paths ----------------------------------------------------------------------- */

/**
 * struct weft_known - a node that has been seen and has no path now
 * @node: in core->known
 * @age: in core->known_ages, the oldest one first
 * @addr: the node; service 0
 * @no: number of its last path's death, as counted by core->deaths, for a known node
 * @err: errno of that death; 0: the path was released as unused
 */
struct weft_known {
	struct weft_list node;
	struct weft_list age;
	struct weft_sockaddr addr;
	u32 no;
	int err;
};

/**
 * struct weft_path - a remote node
 * @core: the core
 * @ref: references
 * @rcu: to free it
 * @lock: all fields below without another lock
 * @node: in core->paths; core->lock
 * @listed: in the tables; core->lock
 * @state: WEFT_PATHS_*
 * @failing: errno: it will be buried
 * @local: the path of the node itself
 * @group: leads to a multicast group: in no table, always UP, carries datagrams only
 * @src: index of the own address
 * @busy: lanes that have work, a bit each, and WEFT_BUSY_DGRAM
 * @addr: remote node; constant
 * @port: private word of the adapter
 * @id: path id in the peer's packets; constant
 * @token: token in the peer's packets; constant
 * @peer_id: path id in this node's packets
 * @peer_token: token in this node's packets
 * @peer_inc: incarnation of the peer
 * @peer_ack_delay: longest time the peer holds an acknowledgement back
 * @nonce: nonce of this node's handshake
 * @cookie: cookie that the peer has asked for
 * @hello_n: INITs sent
 * @hello_at: when the next one is due
 * @born: when the path was made
 * @max_payload: bytes of the largest packet
 * @more: in out->more, referenced
 * @in_more: in out->more
 * @later: messages that found an out full: to be continued (rxm->later)
 * @dgrams: datagrams that wait for the handshake, or for space in an out (txm->qnode)
 * @timer_at: time at which the adapter calls weft_core_timer()
 * @alive_at: when the peer was last heard, or when the first unanswered packet was sent
 * @heard_at: when the peer was last heard
 * @used_at: when the last datagram was sent, or when a release was given up; see idle.c
 * @leave_at: when it became LEAVING
 * @bye_at: when BYE is sent again
 * @bye_n: number of BYEs sent
 * @tidy_until: workers close its flows until then
 * @pressed: to be released as soon as it is unused, because few paths are left; see reclaim.c
 * @unused: failing because neither side needs it; also read without the lock
 * @flight: packets that wait for an acknowledgement, all lanes
 * @nconn: connections that need a live peer: all but closing ones
 * @nwait: sends under way and announced messages, which need a live peer
 * @ping: PING, which asks for a sign of life
 * @close_at: when the first closing flow is given up
 * @grant_at: when weft_grant_timer() is due
 * @starved: receiving sides of flows without credit
 * @credit_at: when weft_credit_timer() is due
 * @ngrant: messages in core->grants; its lock
 * @gspare: granted bytes that do not count in core->grants; its lock
 * @class: classes of packets
 * @rtt_min: shortest round-trip time of the last seconds, of any class: the path without queues; 0:
 *	none
 * @rtt_min_at: when it was measured
 * @retrans: packets sent again
 * @tx_used: bytes of eager payload sent
 * @tx_limit: KiB of eager payload that the peer accepts
 * @rx_gone: bytes of eager payload that are disposed of
 * @rx_open: bytes of eager messages that have begun to come, less their part in @rx_gone
 * @rx_told: limit of eager payload that was reported to the peer
 * @nrxm: messages in @rxms
 * @nflow: flows and rflows
 * @nrflow: number of rflows
 * @next_rflow: number of the next rflow
 * @ctl_pending: pending answers that nothing else bounds: notes, and connections that are over
 * @next_id: next rendezvous id
 * @ids_again: all ids have been used once: some may still be in use
 * @nsent: records that wait for an acknowledgement, all lanes
 * @recs: idle records
 * @nrecs: number of records in @recs
 * @spare: a message in reserve, so that processing after a match never lacks memory
 * @known: record of its node for the time after the path
 * @salt: secret number for weft_path_hash()
 * @flows: all flows
 * @flow_ids: flows by their number
 * @rflows: rflows by number of the peer's flow
 * @sids: sends by rendezvous id
 * @rids: messages by our rendezvous id
 * @psids: messages by the sender's rendezvous id
 * @rxms: all messages
 * @conns: connections
 * @lane: lanes
 */
struct weft_path {
	struct weft_core *core;
	refcount_t ref;
	struct weft_rcu rcu;
	struct weft_lock lock;
	struct weft_list node;
	bool listed;
	u8 state;
	u16 failing;
	bool local;
	bool group;
	u8 src;
	u8 busy;
	struct weft_sockaddr addr;
	void *port;
	u32 id;
	u64 token;
	u32 peer_id;
	u64 peer_token;
	u64 peer_inc;
	weft_ns peer_ack_delay;
	u64 nonce;
	u64 cookie;
	u32 hello_n;
	weft_ns hello_at;
	weft_ns born;
	u32 max_payload;
	struct weft_list more;
	bool in_more;
	struct weft_list later;
	struct weft_list dgrams;
	weft_ns timer_at;
	weft_ns alive_at;
	weft_ns heard_at;
	weft_ns used_at;
	weft_ns leave_at;
	weft_ns bye_at;
	u32 bye_n;
	weft_ns tidy_until;
	bool pressed;
	bool unused;
	u32 flight;
	u32 nconn;
	u32 nwait;
	struct weft_ctl ping;
	weft_ns close_at;
	weft_ns grant_at;
	struct weft_list starved;
	weft_ns credit_at;
	u32 ngrant;
	u64 gspare;
	struct weft_class class[WEFT_CLASSES];
	weft_ns rtt_min;
	weft_ns rtt_min_at;
	u64 retrans;
	u64 tx_used;
	u64 tx_limit;
	u64 rx_gone;
	u64 rx_open;
	u64 rx_told;
	u32 nrxm;
	u32 nflow;
	u32 nrflow;
	u32 next_rflow;
	u32 ctl_pending;
	u32 next_id;
	bool ids_again;
	u32 nsent;
	struct weft_list recs;
	u32 nrecs;
	struct weft_rxm *spare;
	struct weft_known *known;
	u32 salt;
	struct weft_list flows;
	struct weft_list flow_ids[WEFT_PATH_HASH];
	struct weft_list rflows[WEFT_PATH_HASH];
	struct weft_list sids[WEFT_PATH_HASH];
	struct weft_list rids[WEFT_PATH_HASH];
	struct weft_list psids[WEFT_PATH_HASH];
	struct weft_list rxms;
	struct weft_list conns;
	struct weft_lane lane[WEFT_LANES];
};

/*
 * Return: index of the list, in @rflows or @psids, for the peer's number @no. The number is mixed
 * with a random one: otherwise a peer could put all its numbers into one list, which each chunk
 * would search.
 */
static inline u32 weft_path_hash(const struct weft_path *path, u32 no)
{
	return ((no ^ path->salt) * 0x9e3779b1u) >> (32 - WEFT_PATH_BITS);
}

/* ---- Users ----------------------------------------------------------------------- */

/**
 * struct weft_user - owner of endpoints
 * @node: in core->users
 * @uid: user id
 * @ref: its endpoints; core->user_lock
 * @msgs: messages kept for these endpoints
 * @bytes: bytes of the short ones among them
 */
struct weft_user {
	struct weft_list node;
	u32 uid;
	u32 ref;
	atomic_t msgs;
	atomic64_t bytes;
};

/**
 * struct weft_flow - messages from an endpoint of this node to a remote one
 * @ep: our endpoint, referenced
 * @path: its path, referenced; constant
 * @peer: address of the remote endpoint; constant
 * @lep: local: the receiving endpoint, referenced; constant
 * @lsrc: local: our index in the receiver's address vector; ep->sq_mutex
 * @lsrc_gen: local: generation of the vector at which @lsrc was found; ep->sq_mutex
 * @lsrc_ok: local: @lsrc was looked up; ep->sq_mutex
 * @ep_node: in ep->flows; ep->sq_mutex
 * @node: in path->flows
 * @idnode: in path->flow_ids
 * @id: on the wire, both services and generations; mseq: of the last message begun
 * @ref: references
 * @auth: authentication code of the endpoint's job; weft_flow_auth() makes it when the path is UP
 * @lane: lane of its class FIRST; weft_class_lane() gives those of the other classes
 * @dead: errno: accepts no more sends (also read without the lock)
 * @closing: its endpoint no longer sends on it
 * @ended: the end has been, or is being, reported to the peer
 * @nwait: sends in lane->sendq or @parked
 * @parked: sends that wait for credit, in order
 * @msg_limit: number of the last message that may be begun
 * @tx_used: bytes of eager payload sent, modulo 2^32
 * @tx_limit: bytes of eager payload that may be sent, modulo 2^32
 * @unacked: messages in unacknowledged records
 * @txms: sends under way
 * @fenced: sends that a fence holds, in order
 * @fnode: in ep->fences; ep->sq_mutex
 * @close_at: while @closing: when the sends under way are given up
 * @conn: its connection
 * @ctl: the chunk that reports its end
 *
 * Under path->lock.
 */
struct weft_flow {
	struct weft_ep *ep;
	struct weft_path *path;
	struct weft_sockaddr peer;
	struct weft_ep *lep;
	u32 lsrc;
	u32 lsrc_gen;
	bool lsrc_ok;
	struct weft_list ep_node;
	struct weft_list node;
	struct weft_list idnode;
	struct weft_flowid id;
	u64 auth;
	u32 ref;
	u8 lane;
	u16 dead;
	bool closing;
	bool ended;
	u32 nwait;
	struct weft_list parked;
	u32 msg_limit;
	u32 tx_used;
	u32 tx_limit;
	u32 unacked;
	struct weft_list txms;
	struct weft_list fenced;
	struct weft_list fnode;
	weft_ns close_at;
	struct weft_conn *conn;
	struct weft_ctl ctl;
};

/**
 * struct weft_rflow - messages from a remote endpoint to one of this node
 * @node: in path->rflows
 * @path: its path; not referenced: the path frees it
 * @id: services and generations of the sender; mseq: next message to be offered
 * @ep: our endpoint, referenced
 * @auth: authentication code of its messages; constant
 * @no: number that differs from those of earlier flows with the same sender and generation;
 *	constant
 * @lane: lane for answers
 * @conn: its connection, not referenced: the connection ends later
 * @gone: the endpoint has gone, which is or will be reported to the peer
 * @src: sender's index in the address vector
 * @src_gen: generation of the vector at which @src was found
 * @src_ok: @src was looked up
 * @early: messages that came before their turn, by number
 * @partial: eager messages that have been offered and are incomplete
 * @ctl: EPGONE
 * @credit: CREDIT
 * @starved: in path->starved
 * @in_bytes: bytes of eager messages that have had their turn, modulo 2^32, as the counts below
 * @early_bytes: bytes of eager messages in @early
 * @nwait: messages that wait, or have waited, for a receive
 * @wait_bytes: bytes of the eager ones among them
 * @told_msgs: credit sent: number of the last message that the sender may begin
 * @told_bytes: credit sent: bytes of eager payload
 * @tell_msgs: value of @id.mseq at which more credit is due
 * @tell_bytes: value of @in_bytes at which more credit is due
 *
 * Under path->lock.
 */
struct weft_rflow {
	struct weft_list node;
	struct weft_path *path;
	struct weft_flowid id;
	struct weft_ep *ep;
	u64 auth;
	u32 no;
	struct weft_conn *conn;
	u8 lane;
	bool gone;
	u32 src;
	u32 src_gen;
	bool src_ok;
	struct weft_list early;
	struct weft_list partial;
	struct weft_ctl ctl;
	struct weft_ctl credit;
	struct weft_list starved;
	u32 in_bytes;
	u32 early_bytes;
	u32 nwait;
	u32 wait_bytes;
	u32 told_msgs;
	u32 told_bytes;
	u32 tell_msgs;
	u32 tell_bytes;
};

/* ---- Messages -------------------------------------------------------------------- */

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

/* levels that a send has not reached when its bytes have been copied */
#define WEFT_SQ_LATER	(WEFT_SQ_TRANSMIT | WEFT_SQ_DELIVERY | WEFT_SQ_MATCH)
/* internal: under way until it is delivered, whatever its level */
#define WEFT_SQ_TRACKED	BIT(15)
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
 * struct weft_txm - a send
 * @ovf: its completion while that waits
 * @ref: the operation, records with its payload, a waiting completion, deferred work
 * @ep: its endpoint; referenced while the operation is under way
 * @node: in ep->txm_free (ep->lock), flow->txms or flow->fenced
 * @qnode: in lane->sendq, flow->parked or lane->dataq; a datagram: in path->dgrams
 * @idnode: in path->sids
 * @ctl: ABORT
 * @work: to pin memory
 * @path: its path, referenced
 * @flow: its flow, referenced while the operation is under way
 * @state: WEFT_TXM_*
 * @user: its bytes are in the program's memory, else in @buf
 * @begun: has its number, and packets
 * @eager: sent without a grant
 * @held: holds its slot in the ring; ep->lock
 * @waits: its completion waits; ep->lock
 * @placed: DONE has come
 * @told: the completion has been written, or is not wanted
 * @fault: its memory is gone; written without a lock
 * @flags: WEFT_SQ_* of the entry
 * @tagged: tagged
 * @deferred: deferred work is running
 * @context: the user's
 * @tag: tag
 * @data: remote CQ data
 * @len: bytes
 * @mseq: number in its flow
 * @sid: rendezvous id, 0: none
 * @rid: rendezvous id of the receiver
 * @status: errno in its ABORT
 * @late: ABORT follows when RTS is acknowledged
 * @buf: its bytes
 * @vec: segments of its bytes
 * @sent: bytes in records
 * @granted: bytes granted so far
 * @pinned: bytes in windows so far
 * @nrec: unacknowledged records
 * @win: windows of @vec
 * @lrxm: local: the message, referenced
 *
 * Under path->lock; the first fields are written before the path has it.
 */
struct weft_txm {
	struct weft_ovf ovf;
	refcount_t ref;
	struct weft_ep *ep;
	struct weft_list node;
	struct weft_list qnode;
	struct weft_list idnode;
	struct weft_ctl ctl;
	struct weft_work work;
	struct weft_path *path;
	struct weft_flow *flow;
	u8 state;
	bool user;
	bool begun;
	bool eager;
	bool held;
	bool waits;
	bool placed;
	bool told;
	bool fault;
	bool tagged;
	bool deferred;
	u16 flags;
	u16 status;
	bool late;
	u64 context;
	u64 tag;
	u64 data;
	u64 len;
	u32 mseq;
	u32 sid;
	u32 rid;
	u8 *buf;
	struct weft_vec vec;
	u64 sent;
	u64 granted;
	u64 pinned;
	u32 nrec;
	struct weft_win win[2];
	struct weft_rxm *lrxm;
};

#define WEFT_POST_PART	BIT(15)	/* a part of a multi-receive buffer, not of the ring */
#define WEFT_POST_ASIDE	BIT(14)	/* its success is not that of a message: not counted */
#define WEFT_POST_CLAIM	BIT(13)	/* claims an announced message */
#define WEFT_PARTS	16		/* parts of an endpoint beside its receives */

/**
 * struct weft_post - a receive
 * @ovf: its completion while that waits
 * @node: in ep->post_free; a shared one: in srq->post_free, srq->part_free, srq->fresh, srq->untold
 *	or ep->taken
 * @turn: in ep->turn
 * @match: in ep->match or srq->match
 * @ep: its endpoint; shared: the endpoint that has taken it
 * @srq: its shared receive queue, NULL: a receive of the endpoint
 * @context: the user's
 * @keys: regions of the segments, if srq->conf.zone
 * @seq: taken: its number
 * @part: WEFT_RQ_ANNOUNCE: bytes placed of a message that is longer than @vec
 * @from: in ep->turn: sender's index
 * @peer: sender's address, if the completion that waits has WEFT_CQE_FROM
 * @err: errno of the completion for the endpoint that takes it
 * @flags: WEFT_RQ_*, WEFT_POST_*
 * @waits: its completion waits, and holds a reference on the endpoint
 * @done: it has completed, and the completion @ovf.e is written in its turn
 * @multi: part: its multi-receive buffer
 * @last: part: its completion reports the release of the buffer
 * @told: buffer: the release has been reported, or is about to be
 * @ended: shared buffer: it takes no more messages
 * @end: buffer: errno of its end, 0: full, or not at its end
 * @nparts: buffer: parts in use
 * @least: buffer: takes no more messages when fewer bytes are left
 * @used: buffer: bytes before the end of the last part
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
	struct weft_vec vec;
};

/**
 * struct weft_rxm - a received message
 * @ref: path->rxms and ep (its list or its matching), out lists, copies, work
 * @path: referenced
 * @ep: the endpoint, referenced; set before it is offered
 * @match: in ep->match while it is unexpected; ep->lock
 * @post: its receive; ep->lock, then constant until it is over
 * @enode: in ep->active when matched, in ep->claims when claimed; ep->lock
 * @node: in path->rxms
 * @fnode: in rflow->early or rflow->partial
 * @rnode: in path->rids
 * @pnode: in path->psids
 * @snode: in out->start
 * @later: in path->later
 * @in_later: is in path->later
 * @early: not offered yet
 * @started: the path has processed its match with @post
 * @whole: all bytes have come (eager: to @buf); read with acquire under ep->lock
 * @needs: needs a live peer: counted in path->nwait
 * @over: finished, dropped or withdrawn: only references remain
 * @served: completed from its buffer under ep->lock: the path has to finish it
 * @dropped: its endpoint does not want it; ep->lock
 * @claimed: set aside for a claim with context @claim; ep->lock
 * @announced: set aside by its announcement; path->lock and ep->lock
 * @claim: the user's context; ep->lock
 * @aborted: the sender has withdrawn it, or has its DONE: no DONE is sent
 * @deferred: deferred work is running
 * @direct: eager, placed straight into win[0]
 * @lane: lane for answers
 * @flow: its flow and number
 * @tag: tag
 * @data: remote CQ data
 * @len: bytes
 * @flags: WEFT_MSG_*
 * @src: sender's index
 * @rid: our rendezvous id, 0: eager
 * @sid: rendezvous id of the sender
 * @err: errno of its failure
 * @done: status of the DONE to be sent
 * @send_done: DONE is to be sent
 * @send_grant: GRANT is to be sent
 * @buf: bytes in kernel memory; @small or allocated
 * @nsmall: size of @small
 * @got: bytes that came
 * @stored: bytes present in @buf
 * @charged: bytes of eager payload that count in the node's eager window
 * @open: its part of path->rx_open
 * @kept: counts as kept for its endpoint; ep->lock
 * @kept_bytes: bytes that count as kept; constant then
 * @waited: it counts in @nwait of its flow, number @rflow, or in @orphans of its endpoint
 * @rflow: see @waited
 * @moved: its bytes do not count in the node's eager window
 * @base: bytes placed before it was claimed
 * @room: bytes to be placed
 * @allowed: bytes that may be granted
 * @granted: bytes granted
 * @pinned: bytes in windows so far
 * @gmsg: its part of core->grants, under that lock
 * @ncopy: copies under way
 * @win: windows of the receive
 * @from: address of the sender, without its service
 * @ltxm: local: the send, referenced
 * @ctl: GRANT, DONE
 * @work: pin, flush, write
 * @small: a short message's bytes
 *
 * Under path->lock, except fields with another lock.
 */
struct weft_rxm {
	refcount_t ref;
	struct weft_path *path;
	struct weft_ep *ep;
	struct weft_munexp match;
	struct weft_post *post;
	struct weft_list enode;
	struct weft_list node;
	struct weft_list fnode;
	struct weft_list rnode;
	struct weft_list pnode;
	struct weft_list snode;
	struct weft_list later;
	bool in_later;
	bool early;
	bool started;
	bool whole;
	bool needs;
	bool over;
	bool served;
	bool dropped;
	bool claimed;
	bool announced;
	bool aborted;
	bool deferred;
	bool direct;
	u8 lane;
	struct weft_flowid flow;
	u64 claim;
	u64 tag;
	u64 data;
	u64 len;
	u16 flags;
	u32 src;
	u32 rid;
	u32 sid;
	u16 err;
	u16 done;
	bool send_done;
	bool send_grant;
	u8 *buf;
	u32 nsmall;
	u64 got;
	u32 stored;
	u32 charged;
	u32 open;
	bool kept;
	bool waited;
	u32 rflow;
	bool moved;
	u32 kept_bytes;
	u64 base;
	u64 room;
	u64 allowed;
	u64 granted;
	u64 pinned;
	struct weft_gmsg gmsg;
	u32 ncopy;
	struct weft_win win[2];
	struct weft_sockaddr from;
	struct weft_txm *ltxm;
	struct weft_ctl ctl;
	struct weft_work work;
	u8 small[];
};

#endif
