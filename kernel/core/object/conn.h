/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - structures of connections
 *
 * Locks: the comment of each structure names the lock of its fields. A refcount_t may be dropped
 * anywhere, a plain count only under the lock that protects it.
 */
#ifndef WEFT_OBJECT_CONN_H
#define WEFT_OBJECT_CONN_H

#include "core/object/path.h"
#include "core/queue/queue.h"

#define WEFT_CONN_ASKING	1	/* active: REQ sent */
#define WEFT_CONN_ASKED		2	/* passive: waits for the program */
#define WEFT_CONN_ACCEPTED	3	/* passive: waits for the accept */
#define WEFT_CONN_UP		4
#define WEFT_CONN_CLOSING	5	/* until its sends are acknowledged, then FINACK */
#define WEFT_CONN_OVER		6
#define WEFT_CONN_AGAIN		7	/* active: to be requested on a new path; on no list */

/**
 * struct weft_conn - a connection, or a request for one
 * @ref: path->cm.conns and core->conns together, its endpoint, the flow, struct weft_ctl
 * @path: referenced; constant
 * @node: in path->cm.conns
 * @reqnode: in ep->cm.reqs of the listener; its ep->lock
 * @pep: the listener, referenced, while it is a request; path->lock
 * @ep: its endpoint, referenced; path->lock
 * @flow: of this node's messages, referenced
 * @rflow: of the peer's messages; NULL: none yet, or ended
 * @id: id of this node
 * @peer: id of the peer, 0: not known
 * @named: in core->conns; core->svc_lock
 * @active: this node has sent the request
 * @again: the request is sent for the second time
 * @state: WEFT_CONN_*
 * @since: when it entered this state
 * @fin: FIN has been sent or is queued
 * @fin_in: the peer's FIN has come
 * @fin_acked: this node's FIN was acknowledged
 * @fin_held: the peer's FIN is acknowledged when the sends of this node have ended
 * @takes: this node's FIN states that it receives until the acknowledgement
 * @shut: SHUTDOWN has been reported, or is not wanted
 * @shut_wait: SHUTDOWN is reported when the received messages are placed
 * @ctl_pending: over, with chunks still to be sent: counts in path->ctl_pending
 * @ops: chunks to be sent, as bits of WEFT_CM_*
 * @status: errno in its REJ
 * @lost: errno: the peer's node is silent; the connection has not ended properly
 * @peer_node: in path->cm.peers, if the peer has asked for it
 * @until: in path->cm.until: when it is given up
 * @again_until: AGAIN: when the next request is given up
 * @fid: flow id in its chunks
 * @addr: peer's address with service
 * @job: job of its endpoint, referenced, NULL: the default one, or no endpoint yet
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
	struct weft_list reqnode;
	struct weft_ep *pep;
	struct weft_ep *ep;
	struct weft_flow *flow;
	struct weft_rflow *rflow;
	u32 id;
	u32 peer;
	bool named;
	bool active;
	bool again;
	u8 state;
	weft_ns since;
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
	struct weft_idnode peer_node;
	struct weft_timeq_node until;
	weft_ns again_until;
	struct weft_flowid fid;
	struct weft_sockaddr addr;
	struct weft_job *job;
	u32 dlen;
	u8 data[WEFT_CM_DATA_MAX];
	struct weft_ctl ctl;
	struct weft_qev ev;
};

#endif
