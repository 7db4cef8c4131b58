/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - structures of flows
 *
 *	flow		messages from one of our endpoints to one remote endpoint
 *	rflow		messages from one remote endpoint to one of ours
 *
 * Locks: the comment of each structure names the lock of its fields. A refcount_t may be dropped
 * anywhere, a plain count only under the lock that protects it.
 */
#ifndef WEFT_OBJECT_FLOW_H
#define WEFT_OBJECT_FLOW_H

#include "core/object/path.h"

#define WEFT_RFLOWS_MAX		65536	/* flows from one remote node */

/**
 * struct weft_flow - messages from an endpoint of this node to a remote one
 * @ep: our endpoint, referenced
 * @path: its path, referenced; constant
 * @peer: address of the remote endpoint; constant
 * @lep: local: the receiving endpoint, referenced; NULL: it does not exist yet, see @accepted;
 *	ep->sq_mutex and path->lock
 * @lsrc: local: our index in the receiver's address vector; ep->sq_mutex
 * @lsrc_gen: local: generation of the vector at which @lsrc was found; ep->sq_mutex
 * @lsrc_ok: local: @lsrc was looked up; ep->sq_mutex
 * @ep_node: in ep->flow.list; ep->sq_mutex
 * @peer_node: in ep->flow.peers; ep->sq_mutex
 * @node: in path->flow.list
 * @no: its number among the flows that were on this list; constant
 * @idnode: in path->flow.ids
 * @id: on the wire, both services and generations; mseq: of the last message begun
 * @ref: references
 * @auth: authentication code of the endpoint's job; weft_flow_auth() makes it when the path is UP
 * @lane: lane of its class FIRST; weft_class_lane() gives those of the other classes
 * @accepted: the peer's endpoint exists, and has given credit
 * @tries: number of times that the peer had no such endpoint
 * @refused_at: time of the first refusal; @tries is not 0
 * @again: in path->flow.again: when the peer is asked again, or held sends are looked at
 * @dead: errno: accepts no more sends (also read without the lock)
 * @cut: sends in the ring before @cut_at fail, too: their flow died before they were taken
 * @cut_at: producer index of the ring when the failure of sends had been reported
 * @closing: its endpoint no longer sends on it
 * @ended: the end has been, or is being, reported to the peer
 * @nwait: sends in lane->sendq or @parked
 * @parked: sends that wait for credit, in order
 * @unparked: the last one of the sends that have returned from @parked and still wait in the sendq,
 *	where no other send stands between them; NULL: none, or not known
 * @msg_limit: number of the last message that may be begun
 * @tx_used: bytes of eager payload sent, modulo 2^32
 * @tx_limit: bytes of eager payload that may be sent, modulo 2^32
 * @headless: eager sends in class REST whose head has not been sent before their packets, in order
 * @nheadless: number of @headless
 * @unacked: messages in unacknowledged records
 * @nsends: number of the last send on @txms or @fenced
 * @txms: sends under way
 * @fenced: sends that a fence holds, in order
 * @fnode: in ep->tx.fences; ep->sq_mutex
 * @lingers: counts in @lingers of its user
 * @close: in path->flow.closing: when the sends under way are given up
 * @conn: its connection
 * @cold: local: operations under way whose order matters, see rma.rst; their successors wait
 * @ctl: the chunk that begins it or reports its end
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
	struct weft_idnode peer_node;
	struct weft_list node;
	u64 no;
	struct weft_idnode idnode;
	struct weft_flowid id;
	u64 auth;
	u32 ref;
	u8 lane;
	bool accepted;
	u8 tries;
	weft_ns refused_at;
	struct weft_timeq_node again;
	u16 dead;
	bool cut;
	u32 cut_at;
	bool closing;
	bool ended;
	u32 nwait;
	struct weft_list parked;
	struct weft_txm *unparked;
	u32 msg_limit;
	u32 tx_used;
	u32 tx_limit;
	struct weft_list headless;
	u32 nheadless;
	u32 unacked;
	u64 nsends;
	struct weft_list txms;
	struct weft_list fenced;
	struct weft_list fnode;
	bool lingers;
	struct weft_timeq_node close;
	struct weft_conn *conn;
	u32 cold;
	struct weft_ctl ctl;
};

/**
 * struct weft_report - executed operations that have not been reported
 * @n: how many, one directly after the other
 * @last: number of the last of them
 * @owed: in lane->owed, while it waits for the next packet
 * @ctl: DONE
 */
struct weft_report {
	u32 n;
	u32 last;
	struct weft_list owed;
	struct weft_ctl ctl;
};

/**
 * struct weft_rflow - messages from a remote endpoint to one of this node
 * @node: in path->flow.rlist
 * @idnode: in path->flow.rflows
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
 * @report: executed operations that have not been reported
 * @starved: in path->flow.starved
 * @in_bytes: bytes of eager messages that have had their turn, modulo 2^32, as the counts below
 * @early_bytes: bytes of eager messages in @early
 * @nwait: messages that wait, or have waited, for a receive
 * @wait_bytes: bytes of the eager ones among them
 * @told_msgs: credit sent: number of the last message that the sender may begin
 * @told_bytes: credit sent: bytes of eager payload
 * @tell_msgs: value of @id.mseq at which more credit is due
 * @tell_bytes: value of @in_bytes at which more credit is due
 * @back: the way back, on which sources of reads send; NULL: none yet
 * @refused: operations that were refused, whose answers wait (rxm->node)
 * @nrefused: number of them
 * @refusing: in path->msg.refusing
 *
 * Under path->lock.
 */
struct weft_rflow {
	struct weft_list node;
	struct weft_idnode idnode;
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
	struct weft_report report;
	struct weft_list starved;
	u32 in_bytes;
	u32 early_bytes;
	u32 nwait;
	u32 wait_bytes;
	u32 told_msgs;
	u32 told_bytes;
	u32 tell_msgs;
	u32 tell_bytes;
	struct weft_flow *back;
	struct weft_list refused;
	u32 nrefused;
	struct weft_list refusing;
};

#endif
