/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - what adapters tell of objects that they make, and the states of objects
 *
 * All fields are constant once the object exists.
 */
#ifndef WEFT_OBJECT_CONF_H
#define WEFT_OBJECT_CONF_H

#include "core/base/env.h"
#include <linux/weft.h>

/* ---- Endpoints ------------------------------------------------------------------- */

#define WEFT_EPS_NEW		0	/* created */
#define WEFT_EPS_ENABLED	1	/* MSG: not yet connected; RDM: works */
#define WEFT_EPS_LISTENING	2	/* passive */
#define WEFT_EPS_CONNECTING	3	/* MSG: request sent */
#define WEFT_EPS_ACCEPTED	4	/* MSG: accepted, not yet confirmed */
#define WEFT_EPS_CONNECTED	5	/* MSG */
#define WEFT_EPS_CLOSING	6	/* MSG: ends gracefully: still receives */
#define WEFT_EPS_CLOSED		7	/* MSG: was connected, or the connection failed */
#define WEFT_EPS_ERROR		8	/* a ring entry cannot be decoded, or the port is gone */
#define WEFT_EPS_DEAD		9	/* destroyed; only references remain */

#define WEFT_COMM_MAX		16	/* bytes of a command name, with its end */

/**
 * struct weft_program - the program that an endpoint belongs to, for the administrator
 * @ctx: number of its context, unique in the module
 * @pid: process that opened the context, in the initial namespace
 * @comm: command name of that process
 */
struct weft_program {
	u32 ctx;
	u32 pid;
	char comm[WEFT_COMM_MAX];
};

/**
 * struct weft_ep_conf - configuration of an endpoint; the adapter owns the memory, which stays
 * valid until weft_ep_kill() returns
 * @type: WEFT_EP_*
 * @flags: WEFT_EPF_*
 * @handle: its handle in its context
 * @mc: memory of its context (env.h); the endpoint takes a reference
 * @addr: requested own address; family 0: the first one of the port
 * @sq: send ring, user-writable: each slot is copied once
 * @sq_slots: slots
 * @rq: receive ring, user-writable: each slot is copied once
 * @rq_slots: slots
 * @doorbell: user-writable
 * @status: read-only for the user
 * @ctx: private pointer of the adapter: the context (for deferred work)
 * @uid: owner: the endpoint, its memory and messages kept for it count for this user, too
 * @program: the owner's program
 * @job: its job, entered by the caller (weft_job_enter()), NULL: the default one
 * @domain: regions that peers may access through it, NULL: none
 * @triggers: triggers of its context, NULL: none
 * @zone: protection zone: regions of other zones are not accessed through it
 */
struct weft_ep_conf {
	u32 type;
	u32 flags;
	u32 handle;
	struct weft_memctx *mc;
	struct weft_sockaddr addr;
	const struct weft_sqe *sq;
	u32 sq_slots;
	const struct weft_rqe *rq;
	u32 rq_slots;
	const struct weft_ep_doorbell *doorbell;
	struct weft_ep_status *status;
	void *ctx;
	u32 uid;
	struct weft_program program;
	struct weft_job *job;
	struct weft_domain *domain;
	struct weft_triggers *triggers;
	u32 zone;
};

/* Counters of one-sided operations. Those with results count as reads. */
#define WEFT_CNTR_WRITE		0	/* writes of the endpoint */
#define WEFT_CNTR_READ		1
#define WEFT_CNTR_REMOTE_WRITE	2	/* writes of its peers */
#define WEFT_CNTR_REMOTE_READ	3
#define WEFT_RMA_CNTRS		4

/**
 * struct weft_ep_queues - queues and vector of an endpoint
 * @tx_cq: completions of sends, or NULL
 * @rx_cq: completions of receives, or NULL
 * @tx_cntr: counter of sends, or NULL
 * @rx_cntr: counter of receives, or NULL
 * @rma_cntr: by WEFT_CNTR_*, or NULL
 * @eq: events; may be NULL, but not for MSG
 * @av: RDM only
 */
struct weft_ep_queues {
	struct weft_cq *tx_cq;
	struct weft_cq *rx_cq;
	struct weft_cq *tx_cntr;
	struct weft_cq *rx_cntr;
	struct weft_cq *rma_cntr[WEFT_RMA_CNTRS];
	struct weft_eq *eq;
	struct weft_av *av;
};

/* ---- Shared receive queues ------------------------------------------------------- */

/**
 * struct weft_srq_conf - configuration of a shared receive queue; the adapter owns the memory,
 * which stays valid until weft_srq_kill() returns, or weft_srq_resize() for the ring
 * @handle: its handle in its context
 * @zone: protection zone of the regions that its receives name; 0: none
 * @recvs: receives that may be posted or under way
 * @rq: receive ring, user-writable: each slot is copied once
 * @rq_slots: slots
 * @doorbell: user-writable; only rq_tail is used
 * @status: read-only for the user; rq_head and flags
 * @eq: queue of its events, NULL: no events
 * @ctx: private pointer of the adapter: the context
 * @uid: owner: its receives count for this user
 */
struct weft_srq_conf {
	u32 handle;
	u32 zone;
	u32 recvs;
	const struct weft_rqe *rq;
	u32 rq_slots;
	const struct weft_ep_doorbell *doorbell;
	struct weft_ep_status *status;
	struct weft_eq *eq;
	void *ctx;
	u32 uid;
};

/* ---- Paths ----------------------------------------------------------------------- */

#define WEFT_PATHS_HELLO	0	/* handshake */
#define WEFT_PATHS_UP		1
#define WEFT_PATHS_DEAD		2
#define WEFT_PATHS_LEAVING	3	/* unused; asking the peer whether it agrees to the end */

/**
 * struct weft_path_counts - what a path has counted since it was made
 * @retrans: packets sent again
 * @spurious: packets sent again although they had arrived
 * @timeouts: retransmission timeouts
 * @tx_packets: packets sent with those sent again, without those that begin and end the path
 * @tx_bytes: bytes of these, without UDP, IP and Ethernet headers
 * @rx_packets: valid packets received
 * @rx_bytes: bytes of these
 */
struct weft_path_counts {
	u64 retrans;
	u64 spurious;
	u64 timeouts;
	u64 tx_packets;
	u64 tx_bytes;
	u64 rx_packets;
	u64 rx_bytes;
};

/* ---- Probes of paths ------------------------------------------------------------- */

#define WEFT_ECHOS_WAIT		0	/* until the path is up */
#define WEFT_ECHOS_SEND		1
#define WEFT_ECHOS_ASK		2	/* all packets are sent: asks the peer what has come */
#define WEFT_ECHOS_OVER		3

#endif
