/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - the protocol's objects
 *
 *	path		one remote node; core->local: the node itself
 *	  lane		packets in one sequence; two of each class (lane.h)
 *	  flow		messages from one of our endpoints to one remote endpoint
 *	  rflow		messages from one remote endpoint to one of ours
 *	  conn		a connection, or a request for one
 *	ep		endpoint
 *	  txm		a send: one for each slot of the ring, allocated with the endpoint
 *	  post		a receive: likewise
 *	srq		receives that several endpoints take, with posts of its own
 *	rxm		a message that came and could not be completed at once
 *
 * Locks: each structure says which one guards what. References: refcount_t may be dropped anywhere,
 * plain counts under the lock that guards them.
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
#define WEFT_BUSY_DGRAM		BIT(WEFT_LANES)	/* in path->busy: @dgrams may go */
#define WEFT_PATH_BITS		6
#define WEFT_PATH_HASH		64	/* 2 to the power of that */
#define WEFT_EP_FLOWS		64
#define WEFT_EAGER_LIMIT	(256u << 10)	/* eager_max of any peer */
#define WEFT_RXM_SMALL		128	/* payload that stands in a remote message itself */
#define WEFT_PAYLOAD_MIN	1232	/* UDP payload that every path can carry */
#define WEFT_RTT_FRESH	(10 * NSEC_PER_SEC)	/* how long path->rtt_min is believed */
#define WEFT_CTL_PENDING_ASKED	8192	/* answers that wait for a node: a request gets none */
#define WEFT_CTL_PENDING_MAX	32768	/* and what else wants one has to come again */
#define WEFT_RFLOWS_MAX		65536	/* flows from one remote node */

/* ---- Paths ----------------------------------------------------------------------- */

/**
 * struct weft_known - a node that has been heard of, and to which there is no path now
 * @node: in core->known
 * @age: in core->known_ages, the oldest one first
 * @addr: the node; service 0
 * @no: which death of a path to a known node, as counted by core->deaths
 * @err: errno of that; 0: it was given back as nobody used it
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
 * @rcu: freed by it
 * @lock: everything below that does not say otherwise
 * @node: in core->paths; core->lock
 * @listed: is in the tables; core->lock
 * @state: WEFT_PATHS_*
 * @failing: errno: it is to be given up
 * @local: it is the node itself
 * @group: it leads to a multicast group: it is in no table, always UP, and carries datagrams alone
 * @src: index of the own address
 * @busy: lanes that have something to do, a bit each, and WEFT_BUSY_DGRAM
 * @addr: remote node; constant
 * @port: the adapter's word
 * @id: what the peer puts into packets; constant
 * @token: likewise
 * @peer_id: what we put into packets
 * @peer_token: likewise
 * @peer_inc: incarnation of the peer
 * @peer_ack_delay: longest time the peer holds an acknowledgement back
 * @nonce: of our handshake
 * @cookie: what the peer wants to hear
 * @hello_n: INITs sent
 * @hello_at: when the next one is due
 * @born: when it was made
 * @max_payload: bytes of the largest packet
 * @more: in out->more, referenced
 * @in_more: it is
 * @later: messages that found no room in an out: to be gone on with (rxm->later)
 * @dgrams: datagrams that wait for the handshake, or for room in an out (txm->qnode)
 * @timer_at: when the adapter will call weft_core_timer()
 * @alive_at: when the peer was last heard, or the first packet went out that waits for an answer
 * @heard_at: when the peer was last heard
 * @used_at: when a datagram was sent last, or the path nearly given back; see idle.c
 * @leave_at: when it became LEAVING
 * @bye_at: when BYE is sent again
 * @bye_n: how often it was sent
 * @tidy_until: until then workers close the flows on it
 * @pressed: it is given back as soon as it is not used, as there are few paths; see reclaim.c
 * @unused: it is failing as nobody needs it, on both sides; read without the lock, too
 * @flight: packets that wait for an acknowledgement, all lanes
 * @nconn: connections that need the peer to live: all but those that are being closed
 * @nwait: sends under way, and messages that were announced to us: they need the peer to live
 * @ping: asks for a sign of life
 * @close_at: when the first of the closing flows is given up
 * @grant_at: when weft_grant_timer() is due
 * @starved: receiving ends of flows that have no room
 * @credit_at: when weft_credit_timer() is due
 * @ngrant: messages in core->grants; its lock
 * @gspare: bytes that were granted and do not count in core->grants; its lock
 * @class: classes of packets
 * @rtt_min: shortest round-trip time of the last seconds, of any class: the way without queues; 0:
 *	none
 * @rtt_min_at: when it was seen
 * @retrans: packets sent again
 * @tx_used: bytes of eager payload sent
 * @tx_limit: KiB of eager payload that the peer takes
 * @rx_gone: bytes of eager payload that have been disposed of
 * @rx_open: bytes of eager messages that have begun to come, less what of them is in @rx_gone
 * @rx_told: up to where the peer has been told that it may send eager payload
 * @nrxm: messages in @rxms
 * @nflow: flows and rflows
 * @nrflow: rflows alone
 * @next_rflow: number of the next one of these
 * @ctl_pending: answers that are to be sent and that nothing else bounds: notes, and connections
 *	that are over
 * @next_id: next rendezvous id
 * @ids_again: all have been given once: some may be in use
 * @nsent: records that wait for an acknowledgement, all lanes
 * @recs: idle records
 * @nrecs: how many
 * @spare: a message that is ready to be used: what follows a match never lacks memory
 * @known: what its node is remembered by when it has gone
 * @salt: secret: see weft_path_hash()
 * @flows: all flows
 * @flow_ids: flows by their number
 * @rflows: by number of the peer's flow
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
 * The list, in @rflows or @psids, of what the peer has given number @no: mixed with a secret, so
 * that no peer can have all of its numbers in one list, which each of its chunks would go through.
 */
static inline u32 weft_path_hash(const struct weft_path *path, u32 no)
{
	return ((no ^ path->salt) * 0x9e3779b1u) >> (32 - WEFT_PATH_BITS);
}

/* ---- Users ----------------------------------------------------------------------- */

/**
 * struct weft_user - whose endpoints there are
 * @node: in core->users
 * @uid: who
 * @ref: endpoints; core->user_lock
 * @msgs: messages that are kept for them
 * @bytes: bytes of short ones among them
 */
struct weft_user {
	struct weft_list node;
	u32 uid;
	u32 ref;
	atomic_t msgs;
	atomic64_t bytes;
};

/**
 * struct weft_flow - messages from one of our endpoints to a remote one
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
 * @id: on the wire, both services and generations; mseq: of the last message that was begun
 * @ref: references
 * @auth: of the endpoint's job, for this flow; made by weft_flow_auth() when the path is UP
 * @lane: lane of its class FIRST; those of the others follow (weft_class_lane())
 * @dead: errno: takes nothing more (read without the lock, too)
 * @closing: nobody sends on it any more
 * @ended: the peer has been or is being told so
 * @nwait: sends in lane->sendq or @parked
 * @parked: sends for which the receiver has no room, in order
 * @msg_limit: number of the last message that may be begun
 * @tx_used: bytes of eager payload sent, modulo 2^32
 * @tx_limit: how many may be
 * @unacked: messages in records that are not acknowledged
 * @txms: sends under way
 * @fenced: sends that a fence holds back, in order
 * @fnode: in ep->fences; ep->sq_mutex
 * @close_at: when what is under way is given up, while @closing
 * @conn: its connection
 * @ctl: the chunk that ends it
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
 * struct weft_rflow - messages from a remote endpoint to one of ours
 * @node: in path->rflows
 * @path: its path; not referenced: it goes before the path
 * @id: services and generations as the sender names them; mseq: next message to be offered
 * @ep: our endpoint, referenced
 * @auth: that messages for it have; constant
 * @no: tells it from an earlier one of the same sender and generation; constant
 * @lane: lane for answers
 * @conn: its connection, not referenced: it goes before that
 * @gone: the endpoint has gone; the peer has been or is being told
 * @src: sender's index in the address vector
 * @src_gen: generation of the vector at which @src was found
 * @src_ok: @src was looked up
 * @early: messages that came before earlier ones, by number
 * @partial: messages that have been offered and are not whole (eager ones)
 * @ctl: EPGONE
 * @credit: CREDIT
 * @starved: in path->starved
 * @in_bytes: bytes of eager messages that have had their turn, modulo 2^32, as the others
 * @early_bytes: bytes of eager messages in @early
 * @nwait: messages that wait for a receive, or have
 * @wait_bytes: bytes of eager ones among them
 * @told_msgs: number of the last message that the sender may begin
 * @told_bytes: bytes of eager payload that it may send
 * @tell_msgs: when @id.mseq is here it is to be told more
 * @tell_bytes: or when @in_bytes is here
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
#define WEFT_WIN_READY	2	/* bytes may come and go */
#define WEFT_WIN_FLUSH	3	/* bounced: has to be flushed in process context */

/**
 * struct weft_win - a window of a message's memory
 * @mem: the memory, referenced; READY, FLUSH
 * @off: offset in the message
 * @len: bytes
 * @left: receive: bytes that have not yet been copied
 * @todo: receive: bytes for which no copy has been put out
 * @busy: receive: copies under way; send: records that are not acknowledged
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

/* levels that a send which has been copied has not reached */
#define WEFT_SQ_LATER	(WEFT_SQ_TRANSMIT | WEFT_SQ_DELIVERY | WEFT_SQ_MATCH)
/* internal: it is under way until it is delivered, whatever its level */
#define WEFT_SQ_TRACKED	BIT(15)
/* and those that the peer tells of by DONE */
#define WEFT_SQ_TOLD	(WEFT_SQ_DELIVERY | WEFT_SQ_MATCH)

#define WEFT_TXM_FREE	0
#define WEFT_TXM_WAIT	1	/* in lane->sendq or flow->parked */
#define WEFT_TXM_SENT	2	/* eager, all of it in records */
#define WEFT_TXM_ASKED	3	/* announced */
#define WEFT_TXM_GRANT	4	/* granted, DATA go out */
#define WEFT_TXM_LOCAL	5	/* lrxm takes it */
#define WEFT_TXM_OVER	6	/* only references keep it */

/**
 * struct weft_txm - a send
 * @ovf: its completion when it has to wait
 * @ref: the operation, records with its payload, a completion that waits, cold work
 * @ep: its endpoint; referenced while the operation is under way
 * @node: in ep->txm_free (ep->lock), flow->txms or flow->fenced
 * @qnode: in lane->sendq, flow->parked or lane->dataq; a datagram: in path->dgrams
 * @idnode: in path->sids
 * @ctl: ABORT
 * @work: pin memory
 * @path: its path, referenced
 * @flow: its flow, referenced while the operation is under way
 * @state: WEFT_TXM_*
 * @user: its bytes stand in the program's memory, else in @buf
 * @begun: has a number, and packets
 * @eager: goes without being asked for
 * @held: holds its slot in the ring; ep->lock
 * @waits: its completion waits; ep->lock
 * @placed: DONE has come
 * @told: the completion has been written, or will never be
 * @fault: the memory is gone; written without a lock
 * @flags: WEFT_SQ_* of the entry
 * @tagged: tagged
 * @deferred: cold work is running
 * @context: the user's
 * @tag: tag
 * @data: remote CQ data
 * @len: bytes
 * @mseq: number in its flow
 * @sid: rendezvous id, 0: none
 * @rid: the receiver's
 * @status: errno of the ABORT
 * @late: which follows when ANNOUNCE is acknowledged
 * @buf: its bytes
 * @vec: where
 * @sent: bytes in records
 * @granted: bytes the receiver wants so far
 * @pinned: bytes in windows so far
 * @nrec: records that are not acknowledged
 * @win: windows of @vec
 * @lrxm: local: the message, referenced
 *
 * Under path->lock; the first fields are written before the path knows it.
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

#define WEFT_POST_PART	BIT(15)	/* not of the ring: a part of a multi-receive buffer */
#define WEFT_POST_ASIDE	BIT(14)	/* its success is not a message's: not counted */
#define WEFT_POST_CLAIM	BIT(13)	/* claims a message that was announced */
#define WEFT_PARTS	16		/* parts that an endpoint has beside its receives */

/**
 * struct weft_post - a receive
 * @ovf: its completion when it has to wait
 * @node: in ep->post_free; a shared one: in srq->post_free, srq->part_free, srq->fresh, srq->untold
 *	or ep->taken
 * @turn: in ep->turn
 * @match: in ep->match or srq->match
 * @ep: its endpoint; a shared one: who has taken it
 * @srq: whose it is, NULL: the endpoint's
 * @context: the user's
 * @keys: regions of the segments, if srq->conf.zone
 * @seq: a taken one: its number
 * @part: WEFT_RQ_ANNOUNCE: bytes that it gets of a message that is longer than @vec
 * @from: in ep->turn: sender's index
 * @peer: sender's address, if the completion that waits has WEFT_CQE_FROM
 * @err: errno that whoever takes it is told
 * @flags: WEFT_RQ_*, WEFT_POST_*
 * @waits: its completion waits, and holds a reference on the endpoint
 * @done: it has completed, and that is written in its turn: @ovf.e
 * @multi: part: the multi-receive buffer that it belongs to
 * @last: part: its completion tells that the buffer is released
 * @told: buffer: that has been told, or is about to be
 * @ended: shared buffer: it takes no more messages
 * @end: buffer: errno that it has ended with, 0: it is full, or not at its end
 * @nparts: buffer: parts in use
 * @least: buffer: takes no more messages when less is left
 * @used: buffer: bytes before the end of the last part
 * @vec: room
 *
 * Under ep->lock (a shared one that is not taken: srq->lock); one that has been matched belongs to
 * its message.
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
 * struct weft_rxm - a message that has come
 * @ref: path->rxms and ep (its list or its matching), out lists, copies, work
 * @path: referenced
 * @ep: the endpoint, referenced; set before it is offered
 * @match: in ep->match while it is unexpected; ep->lock
 * @post: what receives it; ep->lock, then constant until it is over
 * @enode: in ep->active when matched, in ep->claims when claimed; ep->lock
 * @node: in path->rxms
 * @fnode: in rflow->early or rflow->partial
 * @rnode: in path->rids
 * @pnode: in path->psids
 * @snode: in out->start
 * @later: in path->later
 * @in_later: is in path->later
 * @early: has not been offered
 * @started: the path knows of @post
 * @whole: all bytes are here (eager: in @buf); read with acquire under ep->lock
 * @needs: the peer has to live for it: it is counted in path->nwait
 * @over: finished, dropped or withdrawn: only references keep it
 * @served: completed from its buffer under ep->lock: the path has to put it away
 * @dropped: its endpoint does not want it; ep->lock
 * @claimed: it has been set aside for who says @claim; ep->lock
 * @announced: that was by its announcement; path->lock and ep->lock
 * @claim: the user's context; ep->lock
 * @aborted: the sender has withdrawn it, or has had its DONE: it gets none
 * @deferred: cold work is running
 * @direct: eager, placed straight into win[0]
 * @lane: lane for answers
 * @flow: its flow and number
 * @tag: tag
 * @data: remote CQ data
 * @len: bytes
 * @flags: WEFT_MSG_*
 * @src: sender's index
 * @rid: our rendezvous id, 0: eager
 * @sid: the sender's
 * @err: errno that it ends with
 * @done: status of the DONE to be sent
 * @send_done: DONE is to be sent
 * @send_grant: GRANT is to be sent
 * @buf: bytes, in kernel memory; @small or allocated
 * @nsmall: bytes of @small
 * @got: bytes that came
 * @stored: bytes of @buf that are there
 * @charged: bytes of eager payload that count to what the remote node may send
 * @open: what it has in path->rx_open
 * @kept: it counts to what its endpoint keeps; ep->lock
 * @kept_bytes: with these; constant then
 * @waited: it counts in @nwait of its flow, number @rflow, or in @orphans of its endpoint
 * @rflow: see @waited
 * @moved: its bytes do not count to what the remote node may send
 * @base: bytes that were placed before it was claimed
 * @room: bytes to be placed
 * @allowed: bytes that may be asked for
 * @granted: bytes that were asked for
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
 * Under path->lock but for what says otherwise.
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
