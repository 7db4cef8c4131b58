/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - structures of paths: one remote node each; core->local is the node itself
 *
 * Locks: the comment of each structure names the lock of its fields. A refcount_t may be dropped
 * anywhere, a plain count only under the lock that protects it.
 */
#ifndef WEFT_OBJECT_PATH_H
#define WEFT_OBJECT_PATH_H

#include "core/base/idtable.h"
#include "core/object/core.h"
#include "core/object/conf.h"
#include "core/object/echo.h"
#include "core/object/lane.h"
#include "core/object/mtu.h"
#include "core/wire/wire.h"

#define WEFT_REC_KEEP		64	/* idle records of a path */
#define WEFT_BUSY_DGRAM		BIT(WEFT_LANES)	/* in path->busy: @dgrams may be sent */
#define WEFT_PAYLOAD_MIN	1232	/* UDP payload that every path can carry */
#define WEFT_REC_CHUNKS	(WEFT_PAYLOAD_MIN - WEFT_WIRE_HDR)	/* bytes of chunks in a packet */
#define WEFT_RTT_FRESH	(10 * NSEC_PER_SEC)	/* age at which path->rtt_min expires */
#define WEFT_RTT_FAR	NSEC_PER_MSEC	/* shortest path->rtt_min of a long way */
#define WEFT_PATH_LOOKS		64	/* flows that one search looks at */
#define WEFT_PATH_BATCH		64	/* objects of a kind that one call looks at */
#define WEFT_PATH_GAP	(100 * NSEC_PER_USEC)	/* to a timer's next call: others have a turn */
#define WEFT_CTL_PENDING_ASKED	8192	/* pending answers at which a request gets none */
#define WEFT_CTL_PENDING_MAX	32768	/* pending answers at which other packets are not taken */

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
 * struct weft_path_flow - flows on a path; written by flow/
 * @starved: receiving sides of flows without credit
 * @credit_at: when weft_credit_timer() is due
 * @closing: closing flows, by the time when they are given up
 * @again: flows by the time when they ask again (flow->again)
 * @list: all flows, by their number
 * @last: number of the last one
 * @ids: flows by their number
 * @rlist: all rflows
 * @rflows: rflows by number of the peer's flow
 * @nrflow: number of rflows
 * @next_rflow: number of the next rflow
 * @rx_open: bytes of eager messages that have begun to come, less their part in @rx_gone
 */
struct weft_path_flow {
	struct weft_list starved;
	weft_ns credit_at;
	struct weft_timeq closing;
	struct weft_timeq again;
	struct weft_list list;
	u64 last;
	struct weft_idtable ids;
	struct weft_list rlist;
	struct weft_idtable rflows;
	u32 nrflow;
	u32 next_rflow;
	u64 rx_open;
};

/**
 * struct weft_path_bulk - grants on a path; written by bulk/
 * @grant_at: when weft_grant_timer() is due
 * @ngrant: messages in core->grants; its lock
 * @gspare: granted bytes that do not count in core->grants; its lock
 * @stall: silence that stalls a message of this path; the same lock
 * @round_at: when the bytes of the present round trip began to come; the same lock
 * @came: granted bytes that have come since; the same lock
 * @far: granted bytes that came in a round trip: so many are always on their way; the same lock
 * @turn: turns of its flows, by class and hash; the same lock
 */
struct weft_path_bulk {
	weft_ns grant_at;
	u32 ngrant;
	u64 gspare;
	weft_ns stall;
	weft_ns round_at;
	u64 came;
	u64 far;
	struct weft_gturn turn[WEFT_GRANT_CLASSES][WEFT_GRANT_TURNS];
};

/**
 * struct weft_path_msg - messages on a path; written by bulk/ and messaging/
 * @later: messages that found an out full: to be continued (rxm->bulk.later)
 * @dgrams: datagrams that wait for the handshake, or for space in an out (txm->qnode)
 * @next_id: next rendezvous id
 * @ids_again: all ids have been used once: some may still be in use
 * @spare: a message in reserve, so that processing after a match never lacks memory
 * @sids: announced sends by rendezvous id, eager ones that ask for DONE by weft_eager_id()
 * @rids: announced messages by our rendezvous id, incomplete eager ones by weft_eager_id()
 * @psids: messages by the sender's rendezvous id
 * @gets: short reads and atomic operations with results, by the id of their bytes
 * @rxms: all messages
 * @refusing: rflows with answers that wait, the next one first; written by rma/
 * @refuse_full: when all tokens of answers are there again
 * @refuse_at: when weft_refuse_timer() is due
 */
struct weft_path_msg {
	struct weft_list later;
	struct weft_list dgrams;
	u32 next_id;
	bool ids_again;
	struct weft_rxm *spare;
	struct weft_idtable sids;
	struct weft_idtable rids;
	struct weft_idtable psids;
	struct weft_idtable gets;
	struct weft_list rxms;
	struct weft_list refusing;
	weft_ns refuse_full;
	weft_ns refuse_at;
};

/**
 * struct weft_path_cm - connections on a path; written by cm/
 * @conns: connections
 * @until: those with a time limit, by that
 * @peers: those that the peer has asked for, by weft_conn_peer_id()
 */
struct weft_path_cm {
	struct weft_list conns;
	struct weft_timeq until;
	struct weft_idtable peers;
};

/**
 * struct weft_path - a remote node
 * @core: the core
 * @ref: references
 * @rcu: to free it
 * @lock: all fields below without another lock
 * @node: remote node, constant; in core->paths while @listed, under core->lock
 * @listed: in the tables; core->lock
 * @state: WEFT_PATHS_*
 * @failing: errno: it will be buried
 * @local: the path of the node itself
 * @group: leads to a multicast group: in no table, always UP, carries datagrams only
 * @src: index of the own address
 * @busy: lanes that have work, a bit each, and WEFT_BUSY_DGRAM
 * @port: private word of the adapter
 * @id: path id in the peer's packets; constant
 * @peer_id: path id in this node's packets
 * @offer: the random number of this node's HELLO; constant until a new handshake
 * @peer_offer: the same of the peer's HELLO
 * @peer_caps: WEFT_HELLO_* of the peer's HELLO
 * @token: token in the peer's packets, see weft_hello_token(); without meaning in HELLO
 * @peer_token: token in this node's packets
 * @peer_inc: incarnation of the peer
 * @peer_ack_delay: longest time the peer holds an acknowledgement back
 * @nonce: nonce of this node's handshake
 * @cookie: cookie that the peer has asked for
 * @hello_n: INITs sent
 * @hello_at: when the next one is due
 * @born: when the path was made, or its handshake began anew
 * @state_at: since when it is in @state, for the administrator
 * @max_payload: bytes of the largest packet that is sent; also read without the lock
 * @mtu: search for that size
 * @more: in out->more, referenced
 * @in_more: in out->more
 * @msg: messages on a path; written by bulk/ and messaging/
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
 * @flow: flows on a path; written by flow/
 * @bulk: grants on a path; written by bulk/
 * @class: classes of packets
 * @rtt_min: shortest round-trip time of the last seconds, of any class: the path without queues; 0:
 *	none
 * @rtt_min_at: when it was measured
 * @echo: probes of this node and of the peer; see transport/echo.c
 * @counts: what it has counted
 * @tx_used: bytes of eager payload sent
 * @tx_limit: KiB of eager payload that the peer accepts
 * @rx_gone: bytes of eager payload that are disposed of
 * @rx_told: limit of eager payload that was reported to the peer
 * @nrxm: messages in @rxms
 * @nflow: flows and rflows
 * @ctl_pending: pending answers that nothing else bounds: notes, and connections that are over
 * @nsent: records that wait for an acknowledgement, all lanes
 * @recs: idle records
 * @nrecs: number of records in @recs
 * @known: record of its node for the time after the path
 * @cm: connections on a path; written by cm/
 * @bits: memory of lane->bits, of all lanes
 * @lane: lanes
 */
struct weft_path {
	struct weft_core *core;
	refcount_t ref;
	struct weft_rcu rcu;
	struct weft_lock lock;
	struct weft_hash_node node;
	bool listed;
	u8 state;
	u16 failing;
	bool local;
	bool group;
	u8 src;
	u8 busy;
	void *port;
	u32 id;
	u32 peer_id;
	u64 offer;
	u64 peer_offer;
	u32 peer_caps;
	u64 token;
	u64 peer_token;
	u64 peer_inc;
	weft_ns peer_ack_delay;
	u64 nonce;
	u64 cookie;
	u32 hello_n;
	weft_ns hello_at;
	weft_ns born;
	weft_ns state_at;
	u32 max_payload;
	struct weft_mtu *mtu;
	struct weft_list more;
	bool in_more;
	struct weft_path_msg msg;
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
	struct weft_path_flow flow;
	struct weft_path_bulk bulk;
	struct weft_class class[WEFT_CLASSES];
	weft_ns rtt_min;
	weft_ns rtt_min_at;
	struct weft_path_echo echo;
	struct weft_path_counts counts;
	u64 tx_used;
	u64 tx_limit;
	u64 rx_gone;
	u64 rx_told;
	u32 nrxm;
	u32 nflow;
	u32 ctl_pending;
	u32 nsent;
	struct weft_list recs;
	u32 nrecs;
	struct weft_known *known;
	struct weft_path_cm cm;
	u64 *bits;
	struct weft_lane lane[WEFT_LANES];
};

/* Count packets that are sent to the peer. The path is locked. */
static inline void weft_path_count_tx(struct weft_path *path, u32 packets, u32 bytes)
{
	weft_assert_held(&path->lock);
	path->counts.tx_packets += packets;
	path->counts.tx_bytes += bytes;
}

/* Count packets that have come from the peer. The path is locked. */
static inline void weft_path_count_rx(struct weft_path *path, u32 packets, u32 bytes)
{
	weft_assert_held(&path->lock);
	path->counts.rx_packets += packets;
	path->counts.rx_bytes += bytes;
}

/* Return: true if this node probes the path. */
static inline bool weft_path_probed(const struct weft_path *path)
{
	return path->echo.run && path->echo.run->state != WEFT_ECHOS_OVER;
}

/* Return: true if the peer is far away: more is under way than in the queues between the nodes. */
static inline bool weft_path_far(const struct weft_path *path)
{
	return path->rtt_min >= WEFT_RTT_FAR;
}

/*
 * Return: number of the flow from service @ssvc in path->flow.rflows. A peer may give many services
 * one @sgen, and must not know which numbers are equal.
 */
static inline u32 weft_rflow_id(const struct weft_path *path, u16 ssvc, u32 sgen)
{
	return sgen ^ weft_idtable_hash(&path->flow.rflows, ssvc);
}

/* Return: number of the connection that request @req of flow @sgen has asked for. */
static inline u32 weft_conn_peer_id(const struct weft_path *path, u32 req, u32 sgen)
{
	return sgen ^ weft_idtable_hash(&path->cm.peers, req);
}

/*
 * Return: number of message @mseq. In path->msg.sids @no is the generation of the sending side, in
 * path->msg.rids rflow->no. Other messages may have the same number.
 */
static inline u32 weft_eager_id(u32 no, u32 mseq)
{
	return no * 0x9e3779b1u + mseq;
}

#endif
