/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - what its surroundings see of it: the protocol, sans I/O
 *
 * The core is given packets, posted work, timer expiries and the time; it returns a batch (struct
 * weft_out) of packets to send, copies to do, queues to wake and timers to arm. It never sees an
 * skb, a virtqueue, a user pointer or a clock. It is compiled into the module and into host
 * programs (selftests/host); what it needs from either is in env.h.
 *
 * Locks, in the order in which they are taken:
 *
 *	ep->sq_mutex	one consumer of the send ring; sleeps: process context only
 *	core->grp_mutex	who joins and leaves multicast groups; likewise
 *	core->lock	tables: services, paths, address vectors' slow side
 *	path->lock	packets, flows and messages of one remote node (core->local: of this one)
 *	grants.lock	inside of path->lock, nothing inside of it
 *	core->svc_lock	endpoints by service number
 *	core->grp_lock	members of multicast groups
 *	ep->lock	receive ring, posted receives, unexpected messages, state
 *	srq->lock	receives that endpoints share
 *	cq->lock, eq->lock
 *	core->user_lock	users, nothing inside of it
 *	(memory and pools: inside env.h)
 *
 * One path and one endpoint at a time. Nothing is copied (but payload that travels in ring slots),
 * transmitted, woken or pinned under a lock: that goes to struct weft_out, and weft_flush() does it
 * after everything has been unlocked. A match made under ep->lock alone (a receive was posted) that
 * must act on a path is put into out->start.
 *
 * Entry points are called with none of these locks held. Those marked "sleeps" need process
 * context; all others may be called in softirq too.
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
#define WEFT_CORE_GROUPS	256	/* multicast groups with members here */

/**
 * struct weft_core - the protocol of one port
 * @conf: settings
 * @lock: tables below
 * @stopped: the port is going: nothing new is begun (READ_ONCE outside of @lock)
 * @ended: stopped, and all that was under way has been told (READ_ONCE; the adapter sets it)
 * @incarnation: random, new with each port; tells a restarted node from the one before
 * @secret: for cookies
 * @addr: own addresses, service 0; constant
 * @naddr: how many
 * @svc_lock: @services; inside of path->lock
 * @services: endpoints by service number
 * @paths: paths by remote address
 * @path_slots: entries of @path_ids; constant, no limit is above it
 * @path_ids: paths by the id that the peer puts into packets; read under RCU
 * @npaths: paths in them
 * @hand: where the next path is looked for that may be given back; see reclaim.c
 * @scarce: a send waits for a path; set under the lock of @local, read without it
 * @neps: endpoints
 * @next_service: where the search for a free service begins
 * @next_gen: next generation of an endpoint's service, and of a flow's sending end
 * @next_path: next generation of a path id
 * @next_conn: next connection id
 * @nasked: requests for a connection that nobody has answered; core->svc_lock
 * @eps: all endpoints
 * @conns: connections that are being set up or up, by id
 * @gone_at: when the next answer to an unknown packet may be given
 * @key: of hash tables
 * @grp_mutex: who joins and leaves groups
 * @grp_lock: @groups and their members; inside of path->lock
 * @groups: struct weft_group
 * @ngroups: how many
 * @user_lock: @users
 * @users: struct weft_user: whose endpoints there are
 * @job_lock: @jobs; inside of all others
 * @jobs: struct weft_job
 * @njobs: how many
 * @local: path of messages that stay on this node
 * @grants: who may send how much of a long message
 * @known_lock: the following four; inside of all others; see monitor.c
 * @known: nodes that were heard of and have no path, by address
 * @known_ages: the same, the oldest first
 * @nknown: how many (READ_ONCE outside of the lock)
 * @deaths: how often a path to such a node has died (READ_ONCE outside of the lock)
 * @monitor_at: when receives that name a node are looked at again; under the lock of @local
 * @cnt: counters: per CPU in the kernel; see weft_count()
 * @port: the adapter's own
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

/* Bytes of the longest datagram over a link of that MTU. */
u32 weft_dgram_max(const struct weft_core *core, u32 mtu);

/* Fill in the default settings. */
void weft_conf_default(struct weft_conf *conf);

/**
 * weft_core_init - make a core that works
 * @core: zeroed
 * @conf: settings
 * @addr: own addresses
 * @naddr: how many, 1..WEFT_CORE_ADDRS
 * @port: stored in core->port
 *
 * Sleeps. Return: 0, -ENOMEM.
 */
int weft_core_init(struct weft_core *core, const struct weft_conf *conf,
		   const struct weft_sockaddr *addr, u32 naddr, void *port);

/**
 * weft_core_stop - the port is going: fail everything
 * @core: the core
 * @now: time
 * @err: errno (positive) for what is under way
 * @out: to be flushed; called again while it returns true
 *
 * Endpoints stay, in a state in which nothing can be posted, until they are destroyed. Return:
 * there is more to do.
 */
bool weft_core_stop(struct weft_core *core, weft_ns now, int err, struct weft_out *out);

/* Free the rest; the adapter has made sure that no endpoint exists and nobody is inside. Sleeps. */
void weft_core_exit(struct weft_core *core);

#include "core/api/io_batch.h"
#include "core/object/upcalls.h"

/* ---- Completion queues ----------------------------------------------------------- */

/**
 * struct weft_ovf - a completion that waits for room; stands in the object that completes
 * @node: in cq->waiting
 * @e: the entry
 * @payload: what goes into the slots behind it; the object's own
 * @plen: bytes of it
 * @kind: the core's own: which object this is
 * @waits: is in cq->waiting
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
 * @core: its port's core
 * @lock: everything below
 * @ref: references
 * @wake: in out->wake, when @waking
 * @waking: some out will wake it
 * @slots: ring, written by the kernel alone; NULL: a counter
 * @size: slots, a power of two; 0: a counter
 * @doorbell: user's consumer index; untrusted, read once
 * @status: what the user reads
 * @tail: producer index (the kernel's own copy)
 * @head: last consumer index read
 * @bad: the user's index was outside of the ring
 * @waiting: struct weft_ovf in order
 * @polled: an engine looks at its doorbell, see poll.c: the program is not asked for notify calls
 * @armed: somebody may be waiting (weft_env_wake_cq() is called only then); set by waiters before
 *	they look again
 * @dev: the adapter's own
 *
 * Entries are written in the order of weft_cq_post() calls. One that finds no room (or others
 * waiting before it) waits in the object that completes, which is held until it is written: memory
 * is bounded by the operations accepted, and no completion is dropped.
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

/* A counter: have everybody who waits look again; the caller wakes them. */
void weft_cq_stir(struct weft_cq *cntr);

/* The user has read: write what waits. Return: for an engine: there is more, call again. */
bool weft_cq_notify(struct weft_cq *cq, weft_ns now, struct weft_out *out);

/*
 * The same for an engine: weft_cq_notify() when its doorbell has moved, from weft_cq_hot() until
 * weft_cq_cool(). These two are for completion queues what weft_ep_hot() and weft_ep_cool() are for
 * endpoints. Return: false: the queue is in error; there is something to be written.
 */
bool weft_cq_hot(struct weft_cq *cq);
bool weft_cq_cool(struct weft_cq *cq);

/*
 * Is there something that a user who has seen @seen does not know of? Orders itself after cq->armed
 * (barrier E's twin).
 */
bool weft_cq_news(struct weft_cq *cq, u32 seen);

/* Is there something to read, as the user's doorbell tells? */
bool weft_cq_ready(struct weft_cq *cq);

/* ---- Event queues ---------------------------------------------------------------- */

/**
 * struct weft_qev - an event that waits to be read
 * @node: in eq->events
 * @owned: it stands in an endpoint: not to be freed
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
 * @lock: @events
 * @ref: references
 * @wake: in out->wake_eq, when @waking
 * @waking: some out will wake it
 * @events: struct weft_qev, in order
 * @marks: those of watermarks among them
 * @dev: the adapter's own
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
 * Return: bytes, -EAGAIN: none, -EMSGSIZE: no room.
 */
int weft_eq_read(struct weft_eq *eq, void *buf, u32 room);

bool weft_eq_ready(struct weft_eq *eq);

/* Forget what is in it. */
void weft_eq_fini(struct weft_eq *eq);

/* ---- Address vectors ------------------------------------------------------------- */

struct weft_av;

/* Return: NULL: no memory. Sleeps. */
struct weft_av *weft_av_new(struct weft_core *core);
/* No endpoint uses it any more. */
void weft_av_free(struct weft_av *av);

/**
 * weft_av_insert - insert an address
 * @av: the vector
 * @addr: address with service
 * @want: where it is to stand, also if the index rests; WEFT_SRC_ANY: where it stands already, and
 *	has to be removed once more, else at the lowest free index
 * @index: out: where it stands
 *
 * Sleeps. Return: 0, -EINVAL: not an address one can send to, or @want is in use; -EAFNOSUPPORT,
 * -ENOMEM, -ENOSPC.
 */
int weft_av_insert(struct weft_av *av, const struct weft_sockaddr *addr, u32 want, u32 *index);

/* Return: 0; 1: it had been inserted again and stays; -EINVAL: nothing there. */
int weft_av_remove(struct weft_av *av, u32 index);
/* Take an insertion back that no program has been told of: its index does not rest. Sleeps. */
void weft_av_withdraw(struct weft_av *av, u32 index);

/* ---- Endpoints ------------------------------------------------------------------- */

#define WEFT_EPS_NEW		0	/* created */
#define WEFT_EPS_ENABLED	1	/* MSG: not yet connected; RDM: works */
#define WEFT_EPS_LISTENING	2	/* passive */
#define WEFT_EPS_CONNECTING	3	/* MSG: request sent */
#define WEFT_EPS_ACCEPTED	4	/* MSG: accepted, not yet confirmed */
#define WEFT_EPS_CONNECTED	5	/* MSG */
#define WEFT_EPS_CLOSING	6	/* MSG: ends gracefully: still receives */
#define WEFT_EPS_CLOSED		7	/* MSG: was connected, or could not be */
#define WEFT_EPS_ERROR		8	/* a ring entry cannot be decoded, or the port is gone */
#define WEFT_EPS_DEAD		9	/* destroyed; only references keep it */

/**
 * struct weft_ep_conf - what an endpoint is made of; the memory stays the adapter's and valid until
 * weft_ep_kill() returns
 * @type: WEFT_EP_*
 * @flags: WEFT_EPF_*
 * @handle: its handle in its context
 * @mc: memory of its context (env.h); the endpoint takes a reference
 * @addr: own address wanted; family 0: the first of the port
 * @sq: send ring, user-writable: each slot is copied once
 * @sq_slots: slots
 * @rq: receive ring, likewise
 * @rq_slots: slots
 * @doorbell: user-writable
 * @status: read-only for the user
 * @ctx: the adapter's own: the context (for cold work)
 * @uid: whose it is: what is kept for it counts there, too
 * @job: which job it is in, entered by the caller (weft_job_enter()), NULL: the default one
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
 * @conf: what it is made of; copied
 *
 * Allocates all that posts will need: @sq_slots send operations, @rq_slots receives. Sleeps.
 * Return: the endpoint with one reference, ERR_PTR(-ENOMEM, -EADDRNOTAVAIL, -EAFNOSUPPORT, -EINVAL,
 * -ENODEV: stopped).
 */
struct weft_ep *weft_ep_new(struct weft_core *core, const struct weft_ep_conf *conf);

/**
 * struct weft_ep_queues - what an endpoint is bound to
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
 * weft_ep_enable - give it queues and a service; once more: queues that it had not
 * @ep: the endpoint
 * @q: the queues; references are taken, but of the vector
 *
 * A connectionless endpoint that is enabled may be given a completion queue or counter for a
 * direction that has none, with the same vector and no event queue.
 *
 * Return: 0, -EINVAL: queues do not fit the type, -EBUSY: enabled already, -EADDRINUSE, -ENODEV.
 */
int weft_ep_enable(struct weft_ep *ep, const struct weft_ep_queues *q);

/**
 * weft_ep_notify - there may be work in its rings
 * @ep: the endpoint
 * @flags: WEFT_NOTIFY_*
 * @now: time
 * @out: used and flushed inside
 *
 * Sleeps; in the process that owns the context or with its address space. Bounded by the rings'
 * sizes.
 * Return: 0, -EINTR: a signal came before everything was done.
 */
int weft_ep_notify(struct weft_ep *ep, u32 flags, weft_ns now, struct weft_out *out);

/**
 * weft_ep_fast - a notify call of the send ring that need not know the time
 * @ep: the endpoint
 * @out: used and flushed inside
 *
 * Takes short messages that go straight to a receive of this node. Sleeps. Return: the ring is
 * empty; false: weft_ep_notify() is to be called.
 */
bool weft_ep_fast(struct weft_ep *ep, struct weft_out *out);

/* What weft_ep_poll() has left */
#define WEFT_POLL_MORE	1	/* entries: to be called again when others had their turn */
#define WEFT_POLL_BUSY	2	/* the send ring, which somebody else is taking from */

/**
 * weft_ep_hot - an engine looks at its doorbells from now on
 * @ep: the endpoint
 *
 * The program is not asked for notify calls any more; what it has posted so far is to be looked for
 * by weft_ep_poll(). Any context. Return: false: nothing can be posted (yet, any more).
 */
bool weft_ep_hot(struct weft_ep *ep);

/**
 * weft_ep_poll - a doorbell of a hot endpoint has moved
 * @ep: the endpoint
 * @now: time
 * @out: used and flushed inside
 *
 * Takes what is in the rings, at most 64 sends. Sleeps for kernel memory at most: sends whose
 * payload is in memory of the program that is not at hand are left to a worker. Return:
 * WEFT_POLL_*.
 */
u32 weft_ep_poll(struct weft_ep *ep, weft_ns now, struct weft_out *out);

/**
 * weft_ep_cool - the engine does not want to look any more
 * @ep: the endpoint, hot
 *
 * The program is asked for notify calls, then (barrier E) the doorbells are looked at once more.
 * Any context. Return: something was posted meanwhile and may not be noticed: weft_ep_hot() and
 * weft_ep_poll(), or weft_ep_hand().
 */
bool weft_ep_cool(struct weft_ep *ep);

/**
 * weft_ep_hand - what an engine leaves is done by a worker
 * @ep: the endpoint, not hot
 * @now: time
 * @out: used and flushed inside
 */
void weft_ep_hand(struct weft_ep *ep, weft_ns now, struct weft_out *out);

/*
 * Cancel as WEFT_IOC_CANCEL tells. Return: 0, -EINVAL: not enabled, -EAGAIN: the receive still
 * stands in the ring and its completion queue is full.
 */
int weft_ep_cancel(struct weft_ep *ep, u64 context, weft_ns now, struct weft_out *out);

/**
 * weft_ep_kill - destroy an endpoint
 * @ep: the endpoint
 * @now: time
 * @out: to be flushed; called again while it returns true
 *
 * Sleeps. When it has returned false, neither rings nor queues of the endpoint are touched any
 * more, and no memory of the process is written. Sends that had completed are still delivered, a
 * connected peer is told. The caller then drops its reference with weft_ep_put(). Return: there is
 * more to do.
 */
bool weft_ep_kill(struct weft_ep *ep, weft_ns now, struct weft_out *out);
void weft_ep_put(struct weft_ep *ep);

/*
 * Return: 0, -EADDRINUSE, -EADDRNOTAVAIL, -EAFNOSUPPORT, -EINVAL, -EBUSY: it has a service that is
 * in use.
 */
int weft_ep_setname(struct weft_ep *ep, const struct weft_sockaddr *addr);
void weft_ep_getname(struct weft_ep *ep, struct weft_sockaddr *addr);
/* Return: 0, -ENOTCONN. */
int weft_ep_getpeer(struct weft_ep *ep, struct weft_sockaddr *addr);

/**
 * struct weft_ep_info - a look at an endpoint, for the administrator
 * @type: WEFT_EP_*
 * @state: WEFT_EPS_*
 * @handle: handle in its context
 * @addr: own address
 * @peer: peer's, family 0: none
 * @job: name of its job, empty: the default one
 * @posted: receives that wait
 * @unexp: messages that wait
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
 * @ep: an enabled endpoint of datagrams
 * @addr: the group; service 0 becomes the endpoint's
 * @flags: WEFT_GROUP_*
 * @now: time
 * @out: to be flushed
 * @id: out: number of the group at this endpoint
 *
 * Sleeps. Return: 0, -EINVAL: not such an endpoint, not such an address; -EAFNOSUPPORT, -EALREADY,
 * -ENOSPC: too many groups; -ENODEV: stopped; -ENOMEM, and what weft_env_group() and
 * weft_env_path_open() say.
 */
int weft_group_join(struct weft_ep *ep, struct weft_sockaddr *addr, u32 flags, weft_ns now,
		    struct weft_out *out, u32 *id);
/* Leave a group. Sleeps. Return: 0, -ENOENT. */
int weft_group_leave(struct weft_ep *ep, u32 id, weft_ns now, struct weft_out *out);

/* ---- Shared receive queues ------------------------------------------------------- */

/**
 * struct weft_srq_conf - what a shared receive queue is made of; the memory stays the adapter's and
 * valid until weft_srq_kill() returns, or weft_srq_resize() for the ring
 * @handle: its handle in its context
 * @zone: protection zone of the regions that its receives name; 0: they name none
 * @recvs: receives that may be posted or under way
 * @rq: receive ring, user-writable: each slot is copied once
 * @rq_slots: slots
 * @doorbell: user-writable; its rq_tail counts
 * @status: read-only for the user; rq_head and flags
 * @eq: where its events go, NULL: nowhere
 * @ctx: the adapter's own: the context
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
 * @held: receives that have been taken and have not completed
 * @low: low watermark, 0: none
 * @eps: endpoints that use it
 * @waiting: endpoints that hold messages for which there was no receive
 */
struct weft_srq_info {
	u32 recvs;
	u32 available;
	u32 held;
	u32 low;
	u32 eps;
	u32 waiting;
};

/* Sleeps. Return: the queue with one reference, ERR_PTR(-ENOMEM, -ENODEV: stopped). */
struct weft_srq *weft_srq_new(struct weft_core *core, const struct weft_srq_conf *conf);
/* No endpoint uses it any more. Afterwards neither its ring nor its lines are touched. */
void weft_srq_kill(struct weft_srq *srq);
void weft_srq_put(struct weft_srq *srq);
/* There may be work in its ring; flushed inside. Return: 0. */
int weft_srq_notify(struct weft_srq *srq, weft_ns now, struct weft_out *out);
/*
 * The same for an engine: weft_srq_notify() when its doorbell has moved, from weft_srq_hot() until
 * weft_srq_cool(). Return: there is something to look for; it has to be notified once more.
 */
bool weft_srq_hot(struct weft_srq *srq);
bool weft_srq_cool(struct weft_srq *srq);
/*
 * Cancel the oldest receive with this context; its completion goes to @cq. Return: 0, also when
 * there is none; -EAGAIN: @cq is full, and the receive stays posted.
 */
int weft_srq_cancel(struct weft_srq *srq, struct weft_cq *cq, u64 context, struct weft_out *out);
/*
 * Change the ring to @rq (@slots slots) and room to @recvs receives. Sleeps. Return: 0, -EBUSY:
 * more are posted or under way, or @low is above; -ENOMEM. After an error nothing has changed.
 */
int weft_srq_resize(struct weft_srq *srq, const struct weft_rqe *rq, u32 slots, u32 recvs);
/*
 * Set the low watermark and arm it: one event when less than @low receives are available; 0
 * disarms. Sleeps. Return: 0, -EINVAL: above the number of receives, or no event queue; -ENOSPC:
 * WEFT_EQ_MARKS events of watermarks wait to be read; -ENOMEM.
 */
int weft_srq_arm(struct weft_srq *srq, u32 low, weft_ns now, struct weft_out *out);
void weft_srq_look(struct weft_srq *srq, weft_ns now, struct weft_out *out,
		   struct weft_srq_info *info);

/*
 * Before weft_ep_enable(): take receives from @srq, NULL: from its own ring. @av: the vector that
 * it will be enabled with. Return: 0, -EINVAL: not such an endpoint, or others there have another
 * vector; -EBUSY: enabled.
 */
int weft_ep_share(struct weft_ep *ep, struct weft_srq *srq, struct weft_av *av);
/*
 * Marks of an endpoint on how many shared receives it holds, 0: none. @soft: one event when it
 * holds more. @hard: its connection is broken when it holds more. Sleeps. Return: 0, -EINVAL: it
 * shares none; -ENOSPC: as for weft_srq_arm(); -ENOMEM.
 */
int weft_ep_marks(struct weft_ep *ep, u32 soft, u32 hard, weft_ns now, struct weft_out *out);
/*
 * How many shared receives does an endpoint hold? @span: distance, in order of taking, between the
 * newest one taken and the oldest one held, 0 if there is none. Return: 0, -EINVAL.
 */
int weft_ep_held(struct weft_ep *ep, u32 *held, u32 *span);

/* ---- Connections ----------------------------------------------------------------- */

#define WEFT_CM_TIMEOUT_MAX	(86400ull * NSEC_PER_SEC)	/* that a program may ask for */

/* Return: 0, -EINVAL: not passive, no eq; -EADDRINUSE. */
int weft_cm_listen(struct weft_ep *pep, struct weft_eq *eq, u32 backlog);
/*
 * The result is an event, after @timeout at the latest (0: accept_ns). Return: 0, -EINVAL: not
 * enabled, not MSG, address, timeout; -EISCONN, -EBUSY: has been connected before.
 */
int weft_cm_connect(struct weft_ep *ep, const struct weft_sockaddr *addr, const void *data, u32 len,
		    weft_ns timeout, weft_ns now, struct weft_out *out);
/*
 * Accept request @conn, which came to any passive endpoint of this core with the same context.
 * Return: 0, -EINVAL.
 */
int weft_cm_accept(struct weft_ep *ep, u64 conn, const void *data, u32 len, weft_ns now,
		   struct weft_out *out);
/* Return: 0, -EINVAL: no such request. */
int weft_cm_reject(struct weft_ep *pep, u64 conn, const void *data, u32 len, weft_ns now,
		   struct weft_out *out);
/* Return: 0, -EINVAL: no such request; -ENOENT: nobody listens at @svc; -EAGAIN: no room there. */
int weft_cm_handoff(struct weft_ep *pep, u64 conn, u16 svc, weft_ns now, struct weft_out *out);
/*
 * Sleeps. Return: 0, -ENOTCONN: never connected. Canceled completions are written when it returns.
 */
int weft_cm_shutdown(struct weft_ep *ep, bool graceful, weft_ns now, struct weft_out *out);

/* ---- Paths, for adapters and the administrator ----------------------------------- */

#define WEFT_PATHS_HELLO	0	/* asking the peer */
#define WEFT_PATHS_UP		1
#define WEFT_PATHS_DEAD		2
#define WEFT_PATHS_LEAVING	3	/* not used; asking the peer whether it may go */

/**
 * struct weft_path_info - a look at a path
 * @addr: remote node
 * @state: WEFT_PATHS_*
 * @srtt: smoothed round-trip time, ns; 0: none yet
 * @cwnd: congestion window, packets
 * @flight: packets that are not acknowledged
 * @nflow: flows
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

/* Path number @n, counted from 0, referenced; NULL: no more. Slow: for dumps. */
struct weft_path *weft_path_nth(struct weft_core *core, u32 n);
void weft_path_look(struct weft_path *path, struct weft_path_info *info);
void weft_path_get(struct weft_path *path);
void weft_path_put(struct weft_path *path);

/* What an adapter needs of a path. */
/* Remote node, service 0; index of the own address. */
const struct weft_sockaddr *weft_path_addr(const struct weft_path *path);
u8 weft_path_src(const struct weft_path *path);
struct weft_core *weft_path_core(const struct weft_path *path);
/* The path within the node: no packets. */
bool weft_path_local(const struct weft_path *path);
/* The adapter's own word, made by weft_env_path_open(). */
void **weft_path_port(struct weft_path *path);
weft_ns weft_path_timer_at(const struct weft_path *path);

#endif
