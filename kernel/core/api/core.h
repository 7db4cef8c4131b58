/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - interface of the protocol, which does no I/O itself
 *
 * The input of the core is packets, posted work, timer expiries and the time. Its output is a batch
 * (struct weft_out): packets to send, copies to do, queues to wake and timers to arm. It never uses
 * an skb, a virtqueue, a user pointer or a clock. It is compiled into the module and into host
 * programs (selftests/host). env.h declares the functions that both provide.
 *
 * Locks: Documentation/locking.rst lists all locks, their order and their contexts.
 *
 * Nothing is transmitted, woken or pinned under a lock, and nothing is copied except payload in
 * ring slots. Such requests are put into struct weft_out, and weft_flush() executes them after all
 * locks are released. A match made under ep->lock alone (a receive was posted) that has to act on a
 * path is put into out->start.
 *
 * Callers of these functions hold none of the locks. Functions marked "may sleep" need process
 * context; all others may be called in softirq, too.
 */
#ifndef WEFT_CORE_H
#define WEFT_CORE_H

#include "core/base/conf.h"
#include "core/base/env.h"
#include "core/object/grant.h"
#include "core/object/job.h"
#include <linux/weft.h>

struct weft_core;
struct weft_path;
struct weft_flow;
struct weft_ep;
struct weft_srq;
struct weft_txm;
struct weft_rxm;
struct weft_rec;
struct weft_out;

/* ---- The core of one port -------------------------------------------------------- */

#define WEFT_CORE_ADDRS		4
#define WEFT_CORE_HASH		256	/* lists in each table; a power of two */
#define WEFT_CORE_GROUPS	256	/* multicast groups with members on this node */

/**
 * struct weft_core - the protocol of one port
 * @conf: settings
 * @lock: protects the tables of paths and endpoints, @npaths and @neps
 * @stopped: the port is going: no operation begins (READ_ONCE outside of @lock)
 * @ended: stopped, and all operations have been completed (READ_ONCE; the adapter sets it)
 * @incarnation: random number of this port, by which peers detect a restart
 * @secret: key of cookies
 * @addr: own addresses, service 0; constant
 * @naddr: number of @addr
 * @svc_lock: protects @services, @conns and their counters
 * @services: endpoints by service number
 * @paths: paths by remote address
 * @path_slots: entries of @path_ids; constant, the largest value of the limit "paths"
 * @path_ids: paths by the id in the peer's packets; read under RCU
 * @npaths: number of paths in the tables
 * @hand: slot at which the search for unused paths continues; see reclaim.c
 * @scarce: a send waits for a path; set under the lock of @local, read without it
 * @neps: number of endpoints
 * @next_service: where the search for a free service begins
 * @next_gen: next generation of an endpoint's service, and of a flow's sending side
 * @next_path: next generation of a path id
 * @next_conn: next connection id
 * @nasked: unanswered requests for a connection; core->svc_lock
 * @eps: all endpoints
 * @conns: connections being set up or up, by id
 * @gone_at: earliest time of the next GONE
 * @key: key of hash tables
 * @grp_mutex: serialises joining and leaving of groups
 * @grp_lock: protects @groups and their members
 * @groups: struct weft_group
 * @ngroups: number of groups
 * @user_lock: protects @users
 * @users: struct weft_user, the owners of endpoints
 * @job_lock: protects @jobs
 * @jobs: struct weft_job
 * @njobs: number of jobs
 * @local: path of messages within the node
 * @grants: grants of long messages
 * @known_lock: protects the four fields below; see monitor.c
 * @known: known nodes without a path, by address
 * @known_ages: known nodes, the oldest first
 * @nknown: number of known nodes (READ_ONCE outside of the lock)
 * @deaths: number of deaths of paths to such nodes (READ_ONCE outside of the lock)
 * @monitor_at: when nodes that receives name are checked again; under the lock of @local
 * @cnt: counters: per CPU in the kernel; see weft_count()
 * @port: private pointer of the adapter
 */
struct weft_core {
	struct weft_conf conf;
	struct weft_lock lock;
	bool stopped;
	bool ended;
	u64 incarnation;
	u64 secret[2];
	struct weft_sockaddr addr[WEFT_CORE_ADDRS];
	u32 naddr;
	struct weft_lock svc_lock;
	struct weft_list services[WEFT_CORE_HASH];
	struct weft_list paths[WEFT_CORE_HASH];
	u32 path_slots;
	struct weft_path **path_ids;
	u32 npaths;
	u32 hand;
	bool scarce;
	u32 neps;
	u16 next_service;
	u32 next_gen;
	u32 next_path;
	u32 next_conn;
	u32 nasked;
	struct weft_list eps;
	struct weft_list conns[WEFT_CORE_HASH];
	weft_ns gone_at;
	u64 key[2];
	struct weft_mutex grp_mutex;
	struct weft_lock grp_lock;
	struct weft_list groups;
	u32 ngroups;
	struct weft_lock user_lock;
	struct weft_list users;
	struct weft_lock job_lock;
	struct weft_list jobs;
	u32 njobs;
	struct weft_path *local;
	struct weft_grants grants;
	struct weft_lock known_lock;
	struct weft_list known[WEFT_CORE_HASH];
	struct weft_list known_ages;
	u32 nknown;
	u32 deaths;
	weft_ns monitor_at;
	weft_counters_t cnt;
	void *port;
};

/* Return: bytes of the longest datagram on a link with this MTU. */
u32 weft_dgram_max(const struct weft_core *core, u32 mtu);

/* Fill in the default settings. */
void weft_conf_default(struct weft_conf *conf);

/**
 * weft_core_init - initialize a core
 * @core: zeroed
 * @conf: settings
 * @addr: own addresses
 * @naddr: number of addresses, 1..WEFT_CORE_ADDRS
 * @port: stored in core->port
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM.
 */
int weft_core_init(struct weft_core *core, const struct weft_conf *conf,
		   const struct weft_sockaddr *addr, u32 naddr, void *port);

/**
 * weft_core_stop - fail all operations, because the port is going
 * @core: the core
 * @now: time
 * @err: errno (positive) of operations under way
 * @out: the caller flushes it, and calls again while the function returns true
 *
 * Endpoints stay until they are destroyed, in a state that accepts no posts.
 * Return: true if there is more to do.
 */
bool weft_core_stop(struct weft_core *core, weft_ns now, int err, struct weft_out *out);

/* Free a core. The adapter ensures that no endpoint exists and no call is inside. May sleep. */
void weft_core_exit(struct weft_core *core);

#include "core/api/io_batch.h"
#include "core/object/upcalls.h"

/* ---- Completion queues ----------------------------------------------------------- */

/**
 * struct weft_ovf - a waiting completion, part of the object that completes
 * @node: in cq->waiting
 * @e: the entry
 * @payload: content of the slots behind the entry; belongs to the object
 * @plen: bytes of @payload
 * @kind: private value of the core: type of the object
 * @waits: in cq->waiting
 */
struct weft_ovf {
	struct weft_list node;
	struct weft_cqe e;
	const void *payload;
	u32 plen;
	u8 kind;
	bool waits;
};

/**
 * struct weft_cq - completion queue
 * @core: the core of its port
 * @lock: protects all fields below
 * @ref: references
 * @wake: in out->wake, when @waking
 * @waking: a struct weft_out will wake it
 * @slots: ring, which only the kernel writes; NULL: a counter
 * @size: number of slots, a power of two; 0: a counter
 * @doorbell: the user's consumer index; untrusted, read once
 * @status: page that the user reads
 * @tail: producer index (copy of the kernel)
 * @head: consumer index read last
 * @bad: the user's index was outside of the ring
 * @waiting: struct weft_ovf in order
 * @polled: an engine polls its doorbell, see poll.c: the program is not asked for notify calls
 * @armed: a thread may be waiting (only then weft_env_wake_cq() is called); waiters set it before
 *	they check the queue again
 * @dev: private pointer of the adapter
 *
 * Entries are written in the order of weft_cq_post() calls. If the ring is full or others wait, a
 * completion waits in its object, which is held until the completion is written. So accepted
 * operations bound the memory, and no completion is dropped.
 */
struct weft_cq {
	struct weft_core *core;
	struct weft_lock lock;
	refcount_t ref;
	struct weft_list wake;
	bool waking;
	struct weft_cqe *slots;
	u32 size;
	const struct weft_cq_doorbell *doorbell;
	struct weft_cq_status *status;
	u32 tail;
	u32 head;
	bool bad;
	struct weft_list waiting;
	bool polled;
	bool armed;
	void *dev;
};

/**
 * weft_cq_init - make a completion queue
 * @cq: the queue; one reference is the caller's
 * @core: its core
 * @slots: zeroed ring, NULL: a counter
 * @size: slots, 0 for a counter
 * @doorbell: zeroed
 * @status: zeroed
 */
void weft_cq_init(struct weft_cq *cq, struct weft_core *core, struct weft_cqe *slots, u32 size,
		  const struct weft_cq_doorbell *doorbell, struct weft_cq_status *status);

/* Move the index of a counter, so that waiters check it again; the caller wakes them. */
void weft_cq_stir(struct weft_cq *cntr);

/* Write waiting completions after a read. Return: true if an engine has to call again. */
bool weft_cq_notify(struct weft_cq *cq, weft_ns now, struct weft_out *out);

/*
 * For an engine: between weft_cq_hot() and weft_cq_cool() it calls weft_cq_notify() when the
 * doorbell has moved. The two functions correspond to weft_ep_hot() and weft_ep_cool() of
 * endpoints.
 * Return: weft_cq_hot(): false: the queue is in error; weft_cq_cool(): true: completions can be
 * written.
 */
bool weft_cq_hot(struct weft_cq *cq);
bool weft_cq_cool(struct weft_cq *cq);

/*
 * Return: true if the queue has entries beyond @seen. The read is ordered after the store of
 * cq->armed (counterpart of barrier E).
 */
bool weft_cq_news(struct weft_cq *cq, u32 seen);

/* Return: true if there are entries beyond the user's doorbell. */
bool weft_cq_ready(struct weft_cq *cq);

/* ---- Event queues ---------------------------------------------------------------- */

/**
 * struct weft_qev - an unread event
 * @node: in eq->events
 * @owned: part of an endpoint: not to be freed
 * @ev: the event
 * @data: private data
 */
struct weft_qev {
	struct weft_list node;
	bool owned;
	struct weft_event ev;
	u8 data[WEFT_CM_DATA_MAX];
};

/**
 * struct weft_eq - event queue
 * @lock: protects @events
 * @ref: references
 * @wake: in out->wake_eq, when @waking
 * @waking: a struct weft_out will wake it
 * @events: struct weft_qev, in order
 * @marks: number of watermark events among them
 * @dev: private pointer of the adapter
 */
struct weft_eq {
	struct weft_lock lock;
	refcount_t ref;
	struct weft_list wake;
	bool waking;
	struct weft_list events;
	u32 marks;
	void *dev;
};

void weft_eq_init(struct weft_eq *eq);

/*
 * Take the first event if it and its data (padded to 8) fit into @room bytes at @buf (kernel
 * memory).
 * Return: bytes; -EAGAIN: no event; -EMSGSIZE: it does not fit.
 */
int weft_eq_read(struct weft_eq *eq, void *buf, u32 room);

bool weft_eq_ready(struct weft_eq *eq);

/* Drop all events. */
void weft_eq_fini(struct weft_eq *eq);

/* ---- Address vectors ------------------------------------------------------------- */

struct weft_av;

/* Make an address vector. May sleep. Return: the vector, NULL: no memory. */
struct weft_av *weft_av_new(struct weft_core *core);
/* Free an address vector that no endpoint uses. */
void weft_av_free(struct weft_av *av);

/**
 * weft_av_insert - insert an address
 * @av: the vector
 * @addr: address with service
 * @want: requested index, which may be a resting one; WEFT_SRC_ANY: the present index of the
 *	address, which then has to be removed once more, or else the lowest free index
 * @index: out: its index
 *
 * Context: may sleep.
 * Return: 0; -EINVAL: not an address of a destination, or @want is in use; -EAFNOSUPPORT, -ENOMEM,
 * -ENOSPC.
 */
int weft_av_insert(struct weft_av *av, const struct weft_sockaddr *addr, u32 want, u32 *index);

/* Remove an address. Return: 0; 1: it was inserted several times and stays; -EINVAL: no entry. */
int weft_av_remove(struct weft_av *av, u32 index);
/* Undo an insertion that no program has seen: its index does not rest. May sleep. */
void weft_av_withdraw(struct weft_av *av, u32 index);

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
 * @uid: owner: messages kept for the endpoint count for this user, too
 * @job: its job, entered by the caller (weft_job_enter()), NULL: the default one
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
	struct weft_job *job;
};

/**
 * weft_ep_new - make an endpoint
 * @core: the core
 * @conf: its configuration; copied
 *
 * Allocates the objects for all posts: @sq_slots sends, @rq_slots receives.
 *
 * Context: may sleep.
 * Return: the endpoint with one reference, ERR_PTR(-ENOMEM, -EADDRNOTAVAIL, -EAFNOSUPPORT, -EINVAL,
 * -ENODEV: stopped).
 */
struct weft_ep *weft_ep_new(struct weft_core *core, const struct weft_ep_conf *conf);

/**
 * struct weft_ep_queues - queues and vector of an endpoint
 * @tx_cq: completions of sends, or NULL
 * @rx_cq: completions of receives, or NULL
 * @tx_cntr: counter of sends, or NULL
 * @rx_cntr: counter of receives, or NULL
 * @eq: events; may be NULL, but not for MSG
 * @av: RDM only
 */
struct weft_ep_queues {
	struct weft_cq *tx_cq;
	struct weft_cq *rx_cq;
	struct weft_cq *tx_cntr;
	struct weft_cq *rx_cntr;
	struct weft_eq *eq;
	struct weft_av *av;
};

/**
 * weft_ep_enable - give an endpoint its queues and its service; later: queues that it lacks
 * @ep: the endpoint
 * @q: the queues; references are taken, except on the vector
 *
 * An enabled connectionless endpoint may get a completion queue or counter for a direction without
 * one. @q->av has to be the same vector, and @q->eq NULL.
 *
 * Return: 0, -EINVAL: queues do not fit the type, -EBUSY: enabled already, -EADDRINUSE, -ENODEV.
 */
int weft_ep_enable(struct weft_ep *ep, const struct weft_ep_queues *q);

/**
 * weft_ep_notify - process the rings after a notify call
 * @ep: the endpoint
 * @flags: WEFT_NOTIFY_*
 * @now: time
 * @out: used and flushed inside
 *
 * The work is bounded by the sizes of the rings.
 *
 * Context: may sleep; in the process that owns the context, or with its address space.
 * Return: 0, -EINTR: a signal came before everything was done.
 */
int weft_ep_notify(struct weft_ep *ep, u32 flags, weft_ns now, struct weft_out *out);

/**
 * weft_ep_fast - process a notify call of the send ring without reading the time
 * @ep: the endpoint
 * @out: used and flushed inside
 *
 * Sends short messages that match a receive on this node.
 *
 * Context: may sleep.
 * Return: true if the ring is empty; false: the caller calls weft_ep_notify().
 */
bool weft_ep_fast(struct weft_ep *ep, struct weft_out *out);

/* what weft_ep_poll() has left */
#define WEFT_POLL_MORE	1	/* entries: call again after other endpoints */
#define WEFT_POLL_BUSY	2	/* another thread takes entries of the send ring */

/**
 * weft_ep_hot - an engine begins to poll the doorbells of an endpoint
 * @ep: the endpoint
 *
 * The program is not asked for notify calls any more. The caller calls weft_ep_poll() for entries
 * posted so far.
 *
 * Context: any.
 * Return: true; false: the endpoint accepts no posts (yet, or any more).
 */
bool weft_ep_hot(struct weft_ep *ep);

/**
 * weft_ep_poll - process the rings of a hot endpoint whose doorbell has moved
 * @ep: the endpoint
 * @now: time
 * @out: used and flushed inside
 *
 * Processes the rings, at most 64 sends. Sends whose payload is not resident are left to a worker.
 *
 * Context: process context; may sleep for kernel memory, but not for the program's memory.
 * Return: WEFT_POLL_*.
 */
u32 weft_ep_poll(struct weft_ep *ep, weft_ns now, struct weft_out *out);

/**
 * weft_ep_cool - an engine stops polling the doorbells of an endpoint
 * @ep: the endpoint, hot
 *
 * The program is asked for notify calls, then (barrier E) the doorbells are read once more.
 *
 * Context: any.
 * Return: true if posted entries may not be noticed: the caller calls weft_ep_hot() and
 * weft_ep_poll(), or weft_ep_hand().
 */
bool weft_ep_cool(struct weft_ep *ep);

/**
 * weft_ep_hand - have a worker process what an engine has left
 * @ep: the endpoint, not hot
 * @now: time
 * @out: used and flushed inside
 */
void weft_ep_hand(struct weft_ep *ep, weft_ns now, struct weft_out *out);

/*
 * Cancel a receive, as described for WEFT_IOC_CANCEL. Return: 0; -EINVAL: not enabled; -EAGAIN: the
 * receive is still in the ring and its completion queue is full.
 */
int weft_ep_cancel(struct weft_ep *ep, u64 context, weft_ns now, struct weft_out *out);

/**
 * weft_ep_kill - destroy an endpoint
 * @ep: the endpoint
 * @now: time
 * @out: the caller flushes it, and calls again while the function returns true
 *
 * When it has returned false, rings and queues of the endpoint are not used any more, and no memory
 * of the process is written. Sends that had completed are still delivered, and a connected peer is
 * informed. The caller then drops its reference with weft_ep_put().
 *
 * Context: may sleep.
 * Return: true if there is more to do.
 */
bool weft_ep_kill(struct weft_ep *ep, weft_ns now, struct weft_out *out);
void weft_ep_put(struct weft_ep *ep);

/*
 * Set the own address. Return: 0, -EADDRINUSE, -EADDRNOTAVAIL, -EAFNOSUPPORT, -EINVAL; -EBUSY: it
 * has a service in use.
 */
int weft_ep_setname(struct weft_ep *ep, const struct weft_sockaddr *addr);
void weft_ep_getname(struct weft_ep *ep, struct weft_sockaddr *addr);
/* Get the peer's address. Return: 0, -ENOTCONN. */
int weft_ep_getpeer(struct weft_ep *ep, struct weft_sockaddr *addr);

/**
 * struct weft_ep_info - state of an endpoint, for the administrator
 * @type: WEFT_EP_*
 * @state: WEFT_EPS_*
 * @handle: handle in its context
 * @addr: own address
 * @peer: address of the peer, family 0: none
 * @job: name of its job, empty: the default one
 * @posted: posted receives
 * @unexp: unexpected messages
 * @sending: sends under way
 */
struct weft_ep_info {
	u32 type;
	u32 state;
	u32 handle;
	struct weft_sockaddr addr;
	struct weft_sockaddr peer;
	char job[WEFT_JOB_NAME_MAX];
	u32 posted;
	u32 unexp;
	u32 sending;
};

void weft_ep_look(struct weft_ep *ep, struct weft_ep_info *info);

/* ---- Multicast groups ------------------------------------------------------------ */

/**
 * weft_group_join - have an endpoint join a multicast group
 * @ep: an enabled datagram endpoint
 * @addr: the group; service 0: replaced by the endpoint's service
 * @flags: WEFT_GROUP_*
 * @now: time
 * @out: the caller flushes it
 * @id: out: number of the group at this endpoint
 *
 * Context: may sleep.
 * Return: 0; -EINVAL: not such an endpoint or not a group address; -EAFNOSUPPORT; -EALREADY;
 * -ENOSPC: too many groups; -ENODEV: stopped; -ENOMEM; errors of weft_env_group() and
 * weft_env_path_open().
 */
int weft_group_join(struct weft_ep *ep, struct weft_sockaddr *addr, u32 flags, weft_ns now,
		    struct weft_out *out, u32 *id);
/* Leave a group. May sleep. Return: 0, -ENOENT. */
int weft_group_leave(struct weft_ep *ep, u32 id, weft_ns now, struct weft_out *out);

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
};

/**
 * struct weft_srq_info - counts of a shared receive queue
 * @recvs: receives that may be posted or under way
 * @available: receives that an endpoint may take
 * @held: taken receives that have not completed
 * @low: low watermark, 0: none
 * @eps: number of its endpoints
 * @waiting: endpoints with messages that have found no receive
 */
struct weft_srq_info {
	u32 recvs;
	u32 available;
	u32 held;
	u32 low;
	u32 eps;
	u32 waiting;
};

/*
 * Make a shared receive queue. May sleep. Return: the queue with one reference, ERR_PTR(-ENOMEM,
 * -ENODEV: stopped).
 */
struct weft_srq *weft_srq_new(struct weft_core *core, const struct weft_srq_conf *conf);
/* Destroy a queue without endpoints. Afterwards its ring and lines are not used any more. */
void weft_srq_kill(struct weft_srq *srq);
void weft_srq_put(struct weft_srq *srq);
/* Process the ring after a notify call; flushes @out. Return: 0. */
int weft_srq_notify(struct weft_srq *srq, weft_ns now, struct weft_out *out);
/*
 * For an engine: between weft_srq_hot() and weft_srq_cool() it calls weft_srq_notify() when the
 * doorbell has moved.
 * Return: weft_srq_hot(): false: the queue is dead or bad; weft_srq_cool(): true: call
 * weft_srq_notify() once more.
 */
bool weft_srq_hot(struct weft_srq *srq);
bool weft_srq_cool(struct weft_srq *srq);
/*
 * Cancel the oldest receive with this context; its completion is written to @cq. Return: 0, also
 * when there is none; -EAGAIN: @cq is full, and the receive stays posted.
 */
int weft_srq_cancel(struct weft_srq *srq, struct weft_cq *cq, u64 context, struct weft_out *out);
/*
 * Change the ring to @rq (@slots slots) and the number of receives to @recvs. May sleep. Return: 0;
 * -EBUSY: more are posted or under way, or @recvs is below the low watermark; -ENOMEM. An error
 * changes nothing.
 */
int weft_srq_resize(struct weft_srq *srq, const struct weft_rqe *rq, u32 slots, u32 recvs);
/*
 * Set the low watermark and arm it: one event when fewer than @low receives are available; 0
 * disarms. May sleep. Return: 0; -EINVAL: above the number of receives, or no event queue; -ENOSPC:
 * WEFT_EQ_MARKS watermark events are unread; -ENOMEM.
 */
int weft_srq_arm(struct weft_srq *srq, u32 low, weft_ns now, struct weft_out *out);
void weft_srq_look(struct weft_srq *srq, weft_ns now, struct weft_out *out,
		   struct weft_srq_info *info);

/*
 * Before weft_ep_enable(): take receives from @srq, NULL: from the endpoint's own ring. @av: the
 * vector of the later enable. Return: 0; -EINVAL: not such an endpoint, or others of the queue have
 * another vector; -EBUSY: enabled.
 */
int weft_ep_share(struct weft_ep *ep, struct weft_srq *srq, struct weft_av *av);
/*
 * Set watermarks on the shared receives that an endpoint holds, 0: none. @soft: one event when it
 * holds more. @hard: its connection is broken when it holds more. May sleep. Return: 0; -EINVAL: no
 * shared receives; -ENOSPC: as for weft_srq_arm(); -ENOMEM.
 */
int weft_ep_marks(struct weft_ep *ep, u32 soft, u32 hard, weft_ns now, struct weft_out *out);
/*
 * Get the number of shared receives that an endpoint holds. @span: distance, in order of taking,
 * between the newest taken and the oldest held one, 0 if there is none. Return: 0, -EINVAL.
 */
int weft_ep_held(struct weft_ep *ep, u32 *held, u32 *span);

/* ---- Connections ----------------------------------------------------------------- */

#define WEFT_CM_TIMEOUT_MAX	(86400ull * NSEC_PER_SEC)	/* longest that may be requested */

/* Listen at an endpoint. Return: 0; -EINVAL: not passive, no eq; -EADDRINUSE. */
int weft_cm_listen(struct weft_ep *pep, struct weft_eq *eq, u32 backlog);
/*
 * Request a connection. An event reports the result, after @timeout at the latest (0: accept_ns).
 * Return: 0; -EINVAL: not enabled, not MSG, address, timeout; -EISCONN; -EBUSY: was connected
 * before.
 */
int weft_cm_connect(struct weft_ep *ep, const struct weft_sockaddr *addr, const void *data, u32 len,
		    weft_ns timeout, weft_ns now, struct weft_out *out);
/*
 * Accept request @conn of any passive endpoint of this core with the same context. Return: 0,
 * -EINVAL.
 */
int weft_cm_accept(struct weft_ep *ep, u64 conn, const void *data, u32 len, weft_ns now,
		   struct weft_out *out);
/* Reject a request. Return: 0, -EINVAL: no such request. */
int weft_cm_reject(struct weft_ep *pep, u64 conn, const void *data, u32 len, weft_ns now,
		   struct weft_out *out);
/*
 * Give a request to another listener. Return: 0; -EINVAL: no such request; -ENOENT: @svc has no
 * listener; -EAGAIN: its backlog is full.
 */
int weft_cm_handoff(struct weft_ep *pep, u64 conn, u16 svc, weft_ns now, struct weft_out *out);
/*
 * End a connection. May sleep. Return: 0, -ENOTCONN: never connected. When it returns, the
 * completions of canceled operations are written.
 */
int weft_cm_shutdown(struct weft_ep *ep, bool graceful, weft_ns now, struct weft_out *out);

/* ---- Paths, for adapters and the administrator ----------------------------------- */

#define WEFT_PATHS_HELLO	0	/* handshake */
#define WEFT_PATHS_UP		1
#define WEFT_PATHS_DEAD		2
#define WEFT_PATHS_LEAVING	3	/* unused; asking the peer whether it agrees to the end */

/**
 * struct weft_path_info - state of a path, for the administrator
 * @addr: remote node
 * @state: WEFT_PATHS_*
 * @srtt: smoothed round-trip time, ns; 0: none yet
 * @cwnd: congestion window, packets
 * @flight: unacknowledged packets
 * @nflow: number of flows
 * @retrans: packets sent again
 */
struct weft_path_info {
	struct weft_sockaddr addr;
	u32 state;
	weft_ns srtt;
	u32 cwnd;
	u32 flight;
	u32 nflow;
	u64 retrans;
};

/* Get path number @n, from 0, referenced; NULL: no more. Slow: for dumps. */
struct weft_path *weft_path_nth(struct weft_core *core, u32 n);
void weft_path_look(struct weft_path *path, struct weft_path_info *info);
void weft_path_get(struct weft_path *path);
void weft_path_put(struct weft_path *path);

/* Properties of a path for adapters. */
/* Remote node, with service 0; index of the own address. */
const struct weft_sockaddr *weft_path_addr(const struct weft_path *path);
u8 weft_path_src(const struct weft_path *path);
struct weft_core *weft_path_core(const struct weft_path *path);
/* True for the path within the node, which has no packets. */
bool weft_path_local(const struct weft_path *path);
/* Private pointer of the adapter, set by weft_env_path_open(). */
void **weft_path_port(struct weft_path *path);
weft_ns weft_path_timer_at(const struct weft_path *path);

#endif
