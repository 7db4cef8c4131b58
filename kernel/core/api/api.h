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
#ifndef WEFT_API_H
#define WEFT_API_H

#include "core/cm/calls.h"
#include "core/matching/calls.h"
#include "core/messaging/calls.h"
#include "core/object/av.h"
#include "core/object/calls.h"
#include "core/object/conf.h"
#include "core/object/core.h"
#include "core/object/job.h"
#include "core/object/upcalls.h"
#include "core/queue/queue.h"
#include "core/rma/calls.h"
#include "core/transport/calls.h"
#include "core/trigger/calls.h"

/* ---- The core of one port -------------------------------------------------------- */

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

/**
 * weft_core_refit - the MTU of the port's device has changed
 * @core: the core
 * @pos: where to go on, 0 in the first call
 * @now: time
 * @out: flushed when it fills up; the caller flushes the rest
 *
 * A few paths ask weft_env_path_fit() and announce the answer to their peers.
 *
 * Context: BH off.
 * Return: true if there are more paths.
 */
bool weft_core_refit(struct weft_core *core, u32 *pos, weft_ns now, struct weft_out *out);

/**
 * weft_core_retime - a limit that is a time has changed: have the timers of paths look at it
 * @core: the core
 * @pos: where to go on, 0 in the first call
 * @now: time
 *
 * Context: BH off.
 * Return: true if there are more paths.
 */
bool weft_core_retime(struct weft_core *core, u32 *pos, weft_ns now);

/**
 * weft_core_path_end - give up the path to a node, at the wish of an administrator
 * @core: the core
 * @addr: address of the node
 * @used: also if flows use the path
 * @err: errno (positive) of operations under way
 * @now: time
 * @out: the caller flushes it
 *
 * The peer is told. The next message to the node makes a new path.
 *
 * Context: any.
 * Return: 0; -ENOENT: there is no path to this node; -EBUSY: flows use it.
 */
int weft_core_path_end(struct weft_core *core, const struct weft_sockaddr *addr, bool used, int err,
		       weft_ns now, struct weft_out *out);

/**
 * weft_core_ep_end - end an endpoint, at the wish of an administrator
 * @core: the core
 * @addr: its address and service
 * @used: although a program uses it, as it does until the program closes it
 * @err: errno (positive) of its operations
 * @now: time
 * @out: flushed when it fills up; the caller flushes the rest
 *
 * All its operations complete with @err, and so do those that its program posts later. The program
 * gets the event EP_ERROR. Peers of a connection get its end, other peers ECONNREFUSED. The
 * endpoint stays until the program closes it.
 *
 * Context: may sleep.
 * Return: 0; -ENOENT: there is no such endpoint; -EBUSY: a program uses it; -EALREADY: it is in
 * error.
 */
int weft_core_ep_end(struct weft_core *core, const struct weft_sockaddr *addr, bool used, int err,
		     weft_ns now, struct weft_out *out);

/* Free a core. The adapter ensures that no endpoint exists and no call is inside. May sleep. */
void weft_core_exit(struct weft_core *core);

/* ---- Input of the core ----------------------------------------------------------- */

/**
 * weft_core_rx - process received packets
 * @core: the core
 * @now: time
 * @rx: packets, linear
 * @n: entries of @rx, at most 16
 * @out: the caller flushes it before it frees the packets
 *
 * Context: softirqs are off, no lock is held.
 */
void weft_core_rx(struct weft_core *core, weft_ns now, const struct weft_rx *rx, u32 n,
		  struct weft_out *out);

/* Process the expired timer of a path. */
void weft_core_timer(struct weft_path *path, weft_ns now, struct weft_out *out);

/*
 * Execute work from out->deferred: pin memory, drain a ring. May sleep; runs with the address space
 * of the work's context. Drops the reference.
 */
void weft_core_work(struct weft_work *work, weft_ns now, struct weft_out *out);

/* ---- Completion queues ----------------------------------------------------------- */

/* Write waiting completions after a read. Return: true if an engine has to call again. */
bool weft_cq_notify(struct weft_cq *cq, weft_ns now, struct weft_out *out);

/* ---- Endpoints ------------------------------------------------------------------- */

/**
 * weft_ep_new - make an endpoint
 * @core: the core
 * @conf: its configuration; copied
 *
 * Allocates the first of the objects for posts: at most @sq_slots sends, @rq_slots receives.
 *
 * Context: may sleep.
 * Return: the endpoint with one reference, ERR_PTR(-ENOMEM, -EADDRNOTAVAIL, -EAFNOSUPPORT, -EINVAL,
 * -ENODEV: stopped, -ENOSPC: its user is at the limit "endpoints-user" or "memory-user").
 */
struct weft_ep *weft_ep_new(struct weft_core *core, const struct weft_ep_conf *conf);

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

/**
 * weft_ep_time - a timer begins to poll the send ring of an endpoint
 * @ep: the endpoint
 *
 * The program need not notify for its sends any more. The caller then starts a timer that calls
 * weft_ep_untime().
 *
 * Context: any.
 * Return: true; false: the endpoint accepts no posts (yet, or any more).
 */
bool weft_ep_time(struct weft_ep *ep);

/**
 * weft_ep_untime - the timer of an endpoint has expired, or is stopped
 * @ep: the endpoint
 *
 * The program is asked for notify calls, then (barrier E) the doorbell is read once more. A worker
 * processes sends that may not have been noticed.
 *
 * Context: any; no lock is held.
 */
void weft_ep_untime(struct weft_ep *ep);

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
 * @srq: handle of the shared receive queue from which it takes, WEFT_HANDLE_NONE: its own ring
 * @posted: posted receives
 * @unexp: unexpected messages
 * @sending: sends under way
 * @sent: sends and one-sided operations that the kernel has taken from the ring
 * @sent_bytes: bytes of these
 * @received: messages that have met their receives
 * @received_bytes: bytes of these
 * @truncated: messages that were longer than their receives
 * @truncated_at: when the last of them completed
 */
struct weft_ep_info {
	u32 type;
	u32 state;
	u32 handle;
	struct weft_sockaddr addr;
	struct weft_sockaddr peer;
	char job[WEFT_JOB_NAME_MAX];
	u32 srq;
	u32 posted;
	u32 unexp;
	u32 sending;
	u64 sent;
	u64 sent_bytes;
	u64 received;
	u64 received_bytes;
	u64 truncated;
	weft_ns truncated_at;
};

void weft_ep_look(struct weft_ep *ep, struct weft_ep_info *info);

/**
 * struct weft_recv_info - a posted receive, for the administrator
 * @pos: its position: a later call that begins there reports it first
 * @context: the user's
 * @tag: tag, 0 if it is untagged
 * @ignore: bits of the tag that are not compared
 * @buf: address of its first segment
 * @len: bytes of all segments
 * @age: ns since the kernel has read it from its ring
 * @from: the only sender; family 0: any, or @directed and not in the address vector any more
 * @tagged: it takes tagged messages, else untagged ones
 * @directed: it names its sender
 * @found: it may be older than @age: weft_ep_find_recvs() has read it from the ring
 */
struct weft_recv_info {
	u64 pos;
	u64 context;
	u64 tag;
	u64 ignore;
	u64 buf;
	u64 len;
	weft_ns age;
	struct weft_sockaddr from;
	bool tagged;
	bool directed;
	bool found;
};

/**
 * struct weft_msg_info - a message that waits for a receive, for the administrator
 * @pos: its position, as that of a receive
 * @tag: tag, 0 if it is untagged
 * @len: bytes
 * @came: bytes that have come
 * @age: ns since no receive was found for it
 * @from: sender
 * @tagged: only tagged receives take it, else untagged ones
 * @announced: its bytes are sent when it has a receive
 */
struct weft_msg_info {
	u64 pos;
	u64 tag;
	u64 len;
	u64 came;
	weft_ns age;
	struct weft_sockaddr from;
	bool tagged;
	bool announced;
};

void weft_ep_find_recvs(struct weft_ep *ep, weft_ns now, struct weft_out *out);
void weft_srq_find_recvs(struct weft_srq *srq, weft_ns now, struct weft_out *out);
u32 weft_ep_recvs(struct weft_ep *ep, weft_ns now, u64 *next, struct weft_recv_info *info, u32 n);
u32 weft_srq_recvs(struct weft_srq *srq, weft_ns now, u64 *next, struct weft_recv_info *info,
		   u32 n);
u32 weft_ep_msgs(struct weft_ep *ep, weft_ns now, u64 *next, struct weft_msg_info *info, u32 n);

/* ---- What is under way on a path -------------------------------------------------- */

/**
 * struct weft_near_info - an endpoint of this node, for the administrator
 * @program: its program
 * @uid: the program's user
 * @addr: its address, family 0: no endpoint
 */
struct weft_near_info {
	struct weft_program program;
	u32 uid;
	struct weft_sockaddr addr;
};

#define WEFT_FLOWS_ASKING	0	/* whether the peer's endpoint exists: no answer yet */
#define WEFT_FLOWS_REFUSED	1	/* it does not exist yet: asks again */
#define WEFT_FLOWS_OPEN		2
#define WEFT_FLOWS_CLOSING	3	/* its endpoint sends no more; sends under way go on */
#define WEFT_FLOWS_DEAD		4	/* accepts no more sends; incoming: the endpoint has gone */

/**
 * struct weft_flow_pos - position among the flows of a path, in one direction
 * @no: number of the next flow, 0: of all
 * @gen: generation of a flow before it, or of that flow; the search begins there if it still exists
 * @svc: incoming: service of its sender
 */
struct weft_flow_pos {
	u64 no;
	u32 gen;
	u16 svc;
};

/**
 * struct weft_flow_info - a flow, for the administrator
 * @pos: its position: a later call that begins there reports it first
 * @near: the endpoint of this node
 * @peer: the remote endpoint; a flow within the node: its receiver
 * @in: incoming
 * @state: WEFT_FLOWS_*
 * @last: number of the last message that has begun; incoming: that has had its turn
 * @credit: messages that may begin before the receiver gives more credit
 * @credit_bytes: bytes of eager payload that may be sent before that
 * @waiting: sends that have not begun; incoming: messages that wait, or have waited, for a receive
 * @unacked: messages in unacknowledged packets
 * @early: incoming: number of a message that has come although the one before is missing, 0: none
 * @age: ns since the oldest send under way was posted, 0: none is; incoming: since message @early
 *	has come
 */
struct weft_flow_info {
	struct weft_flow_pos pos;
	struct weft_near_info near;
	struct weft_sockaddr peer;
	bool in;
	u32 state;
	u32 last;
	u32 credit;
	u32 credit_bytes;
	u32 waiting;
	u32 unacked;
	u32 early;
	weft_ns age;
};

u32 weft_path_flows_out(struct weft_path *path, weft_ns now, struct weft_flow_pos *next,
			struct weft_flow_info *info, u32 n);
u32 weft_path_flows_in(struct weft_path *path, weft_ns now, struct weft_flow_pos *next,
		       struct weft_flow_info *info, u32 n);

/* what a send waits for */
#define WEFT_FOR_HANDSHAKE	0	/* of the path */
#define WEFT_FOR_CONTACT	1	/* an answer whether the peer's endpoint exists */
#define WEFT_FOR_ENDPOINT	2	/* the peer's endpoint, which does not exist yet */
#define WEFT_FOR_FENCE		3	/* the end of sends before a fence */
#define WEFT_FOR_CREDIT		4	/* the receiver keeps as many messages as it may */
#define WEFT_FOR_WINDOW		5	/* of the path: its packets are not acknowledged */
#define WEFT_FOR_TURN		6	/* sends of other flows */
#define WEFT_FOR_RECEIVE	7	/* announced: a receive that matches */
#define WEFT_FOR_GRANT		8	/* the receiver, which lets several send in turn */
#define WEFT_FOR_MEMORY		9	/* memory that is not resident, or is being copied */
#define WEFT_FOR_ACK		10	/* its packets are acknowledged */
#define WEFT_FOR_ANSWER		11	/* all has come: results, or a report of the delivery */
#define WEFT_FOR_N		12

/**
 * struct weft_send_pos - position among the sends of a path
 * @flow: position of a flow
 * @send: number of a send of this flow
 */
struct weft_send_pos {
	struct weft_flow_pos flow;
	u64 send;
};

/**
 * struct weft_send_info - a send under way, for the administrator
 * @pos: its position: a later call that begins there reports it first
 * @near: its endpoint
 * @peer: its destination
 * @op: WEFT_SQ_*
 * @tag: tag of a tagged message
 * @len: bytes
 * @sent: bytes in packets
 * @age: ns since it was taken from its ring
 * @waits: WEFT_FOR_*
 * @announced: its bytes are sent when it has a receive
 * @local: its destination is on this node
 * @source: it answers a read of the peer
 * @told: its completion has been written
 */
struct weft_send_info {
	struct weft_send_pos pos;
	struct weft_near_info near;
	struct weft_sockaddr peer;
	u8 op;
	u64 tag;
	u64 len;
	u64 sent;
	weft_ns age;
	u8 waits;
	bool announced;
	bool local;
	bool source;
	bool told;
};

u32 weft_path_sends(struct weft_path *path, weft_ns now, struct weft_send_pos *pos,
		    struct weft_send_info *info, u32 n, struct weft_out *out);

/* ---- Connections ----------------------------------------------------------------- */

#define WEFT_CONNS_ASKING	0	/* this node has sent a request */
#define WEFT_CONNS_ASKED	1	/* the peer has: the program has not answered yet */
#define WEFT_CONNS_ACCEPTED	2	/* the peer has not confirmed yet */
#define WEFT_CONNS_UP		3
#define WEFT_CONNS_CLOSING	4	/* this side is closed; the peer has not confirmed yet */
#define WEFT_CONNS_N		5

/**
 * struct weft_conn_info - a connection or a request for one, for the administrator
 * @no: its number: a later call that begins there reports it first
 * @near: its endpoint; WEFT_CONNS_ASKED: the listener
 * @peer: the peer's endpoint
 * @active: this node has sent the request
 * @state: WEFT_CONNS_*
 * @age: ns since it has been in this state
 */
struct weft_conn_info {
	u32 no;
	struct weft_near_info near;
	struct weft_sockaddr peer;
	bool active;
	u32 state;
	weft_ns age;
};

u32 weft_core_conns(struct weft_core *core, weft_ns now, u64 *next, struct weft_conn_info *info,
		    u32 n);

/* ---- Shared receive queues ------------------------------------------------------- */

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

/* Process the ring after a notify call; flushes @out. Return: 0. */
int weft_srq_notify(struct weft_srq *srq, weft_ns now, struct weft_out *out);

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
int weft_srq_resize(struct weft_srq *srq, const struct weft_rqe *rq, u32 slots, u32 recvs,
		    struct weft_out *out);

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

/* ---- measure.c ------------------------------------------------------------------- */

/**
 * struct weft_hist_info - a histogram
 * @name: its name
 * @unit: unit of its values: "ns", "entries"
 * @text: what it measures
 * @count: values in each bucket (base/hist.h)
 * @sum: sum of the values
 *
 * The numbers count from the time when the histograms were last turned on.
 */
struct weft_hist_info {
	const char *name;
	const char *unit;
	const char *text;
	u64 count[WEFT_HIST_BUCKETS];
	u64 sum;
};

/**
 * weft_core_measure - turn the histograms of a core on or off
 * @core: the core
 * @on: true: they begin empty, unless they are on already; false: they keep what they have
 *
 * Sends and receives that are under way are measured as well as later ones.
 *
 * Context: may sleep. The caller serialises it with weft_hist_look().
 */
void weft_core_measure(struct weft_core *core, bool on);

/**
 * weft_hist_look - read a histogram
 * @core: the core
 * @n: its number, from 0
 * @info: out
 *
 * Context: any. The caller serialises it with weft_core_measure().
 * Return: true if it exists.
 */
bool weft_hist_look(struct weft_core *core, u32 n, struct weft_hist_info *info);

#endif
