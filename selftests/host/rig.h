/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A rig for the core: simulated nodes, network, programs and time; the same seed gives the same run
 *
 * Everything happens in one thread (but see rig_fork()). rig_step() takes the next event: a packet
 * arrives, a timer expires, or work wants process context. It sets the clock to the event's time.
 * Then it calls the core as an adapter does: packets and timers as in a softirq, everything else as
 * in a process. Programs use rings as libweft does. An error of the core ends the program. Such
 * errors are wrong locks, sleeping, references, leaks, and use of a dead program's memory.
 */
#ifndef WEFT_RIG_H
#define WEFT_RIG_H

#include "core/api/internal.h"

#define RIG_NODES	4096
#define RIG_GROUPS	8	/* multicast addresses that a port takes */

/* kinds of events */
#define RIG_EV_PACKET	1	/* a packet arrives */
#define RIG_EV_TIMER	2
#define RIG_EV_WORK	3
#define RIG_EV_CALL	5	/* rig_call() */
#define RIG_EV_HOP	4	/* a packet stands before its next link */
#define RIG_EV_LINK	6	/* a link with priorities is done with a packet */

#define RIG_PPM		65536		/* rates are fractions of this number */

struct rig;
struct rig_node;
struct rig_proc;

/* ---- The world ------------------------------------------------------------------- */

/**
 * struct rig_net - links between nodes; without @bps a link has unlimited bandwidth and no queue
 * @bps: bits in a second of a node's link, each direction
 * @queue: bytes that a port of a switch holds: more is lost; 0: no limit
 * @rack: nodes of a rack, 0: all at one switch
 * @rack_bps: bits in a second between a rack and the others, each direction
 * @burst: rate of packets that begin a burst of losses
 * @burst_for: average duration of a burst, in which the node loses every second packet
 * @corrupt: rate of packets with changed bits
 * @narrow: packets with more bytes are lost without a report; 0: none
 * @levels: priorities in all queues, WEFT_CLASSES of them: a packet waits only for packets of
 *	higher priority and for the one that is being sent; 0, 1: each queue is served in order
 * @bands: priorities in the nodes' own queues, when switches serve their queues in order
 */
struct rig_net {
	u64 bps;
	u32 queue;
	u32 rack;
	u64 rack_bps;
	u32 burst;
	weft_ns burst_for;
	u32 corrupt;
	u32 narrow;
	u32 levels;
	bool bands;
};

/**
 * struct rig_conf - what a world is like
 * @seed: of all random numbers
 * @nodes: nodes
 * @family: AF_INET or AF_INET6
 * @loss: rate of packets lost
 * @dup: rate of packets that come twice
 * @late: rate of packets that take @late_by longer
 * @delay: time that a packet takes
 * @jitter: at most that much longer
 * @late_by: see @late
 * @skew: entries come with a time that is at most that old: another CPU's entry overtook them
 * @max_payload: UDP payload that fits into a packet of the link
 * @cold: rate of memory that is not resident: weft_mem_get() returns -EAGAIN
 * @bounce: rate of memory that cannot be pinned
 * @making: most time that weft_mem_make() takes; other events happen meanwhile
 * @clocks: nodes' clocks differ, and go at rates that differ by at most that much (in parts of
 *	RIG_PPM)
 * @resv: one packet in so many does not leave by weft_env_send() that could; 0: all do
 * @squeeze: how often, within about a second from the beginning on, the MTU of a node's device or
 *	that of the network changes
 * @net: links
 * @core: settings of the ports
 */
struct rig_conf {
	u64 seed;
	u32 nodes;
	u16 family;
	u32 loss;
	u32 dup;
	u32 late;
	weft_ns delay;
	weft_ns jitter;
	weft_ns late_by;
	u32 skew;
	u32 max_payload;
	u32 cold;
	u32 bounce;
	weft_ns making;
	u32 clocks;
	u32 resv;
	u32 squeeze;
	struct rig_net net;
	struct weft_conf core;
};

/**
 * struct rig_event - something that will happen
 * @at: when
 * @seq: order of events of one time
 * @kind: RIG_EV_*
 * @node: where
 * @life: start of the node (rig_node.life) that the event belongs to
 * @data: packet, path or work
 * @len: bytes of a packet
 * @src: address a packet came from
 * @group: multicast address a packet was sent to, family 0: to the node
 * @gen: which setting of a timer
 * @from: node a packet comes from
 * @hop: switch ports that it has passed
 * @class: WEFT_CLASS_* of a packet
 * @fn: function to call
 */
struct rig_event {
	weft_ns at;
	u64 seq;
	int kind;
	struct rig_node *node;
	u32 life;
	void *data;
	u32 len;
	struct weft_sockaddr src;
	struct weft_sockaddr group;
	u64 gen;
	u32 from;
	u32 hop;
	u8 class;
	void (*fn)(struct rig_node *node, void *arg);
};

/**
 * struct rig_link - one direction of a link, and the queue in front of it
 * @bps: bits in a second
 * @limit: bytes that the queue takes, 0: no limit
 * @free_at: when the queue is empty
 * @deepest: most bytes that have waited
 * @sent: bytes
 * @lost: packets
 * @waits: with priorities: packets that wait, by class, the oldest first
 * @waiting: bytes of them and of the one that is being sent
 * @sending: bytes of the packet that is being sent, 0: there is none
 */
struct rig_link {
	u64 bps;
	u32 limit;
	weft_ns free_at;
	u64 deepest;
	u64 sent;
	u64 lost;
	struct rig_wait *waits[WEFT_CLASSES];
	u64 waiting;
	u32 sending;
};

/**
 * struct rig_note - reports of a kind, see weft_env_note()
 * @count: how many
 * @last: the last one, without its address
 * @addr: its address
 */
struct rig_note {
	u32 count;
	struct weft_note last;
	struct weft_sockaddr addr;
};

/**
 * struct rig_node - a node
 * @rig: its world
 * @index: its number
 * @up: the port exists
 * @life: how often it has been started
 * @crashed: neither sends nor receives
 * @core: the port's core
 * @out: for all entries into the core
 * @procs: processes
 * @npaths: paths that are open
 * @fit: UDP payload that fits into a packet of its device: longer ones are lost
 * @clock: its clock at the beginning of the world
 * @rate: how much the clock gains, in parts of RIG_PPM
 * @recv: function that takes packets instead of @core, or NULL; not while threads run
 * @up_link: from it
 * @down_link: to it
 * @burst_end: when the newest burst of losses ends
 * @groups: multicast addresses that the port takes packets to
 * @ngroups: how many
 * @nresv: calls of weft_env_tx_resv()
 * @flows_most: the most flows that have led to one of its endpoints at once; sums.c
 * @program: state of its programs, as weft_env_program() reports it
 * @note: what was reported, by kind; not while threads run
 * @denied: the last one-sided operation that was refused; not while threads run
 */
struct rig_node {
	struct rig *rig;
	u32 index;
	bool up;
	u32 life;
	bool crashed;
	struct weft_core core;
	struct weft_out out;
	struct rig_proc *procs;
	u32 npaths;
	u32 fit;
	weft_ns clock;
	int rate;
	void (*recv)(struct rig_node *node, u32 from, const void *data, u32 len);
	struct rig_link up_link;
	struct rig_link down_link;
	weft_ns burst_end;
	struct weft_sockaddr groups[RIG_GROUPS];
	u32 ngroups;
	u32 nresv;
	u64 flows_most;
	char program;
	struct rig_note note[WEFT_NOTE_CORE];
	struct weft_denied denied;
};

/**
 * struct rig - the world
 * @conf: what it is like
 * @now: time
 * @node: nodes
 * @cut: nodes that do not hear each other: a square of conf.nodes
 * @heap: events, the next one first
 * @nheap: how many
 * @room: of @heap
 * @seq: of events
 * @rnd: state of the random numbers
 * @paths: adapter's sides of paths, freed with the rig
 * @ended: processes that have ended; queued work may still name them
 * @lock: everything here that threads share
 * @threads: several threads call rig_step(), in real time
 * @aside: an entry sleeps while others run: each has its own output
 * @npackets: packets sent
 * @nlost: and lost
 * @nevents: events that have happened
 * @digest: of all of them, in order
 * @last: node of the newest one
 * @check: called after each event with that node, or NULL; not while threads run
 * @rack_up: links from racks
 * @rack_down: links to racks
 * @nmem: windows of memory that the core holds
 * @made: windows that it has made
 */
struct rig {
	struct rig_conf conf;
	weft_ns now;
	struct rig_node *node;
	bool *cut;
	struct rig_event *heap;
	u32 nheap;
	u32 room;
	u64 seq;
	u64 rnd;
	struct rig_path *paths;
	struct rig_proc *ended;
	pthread_mutex_t lock;
	bool threads;
	bool aside;
	u64 npackets;
	u64 nlost;
	u64 nevents;
	u64 digest;
	struct rig_node *last;
	void (*check)(struct rig_node *node);
	struct rig_link *rack_up;
	struct rig_link *rack_down;
	long nmem;
	u64 made;
};

void rig_conf_default(struct rig_conf *conf, u64 seed);
struct rig *rig_new(const struct rig_conf *conf);
/* End all processes, stop all nodes, check that nothing leaks. */
void rig_free(struct rig *rig);

/* The time that an entry into the core gets: see rig_conf.skew. Timers get the true time. */
weft_ns rig_time(struct rig *rig);
/* The same time by the node's own clock, which is the only clock that its core knows. */
weft_ns rig_clock(struct rig_node *node);
u64 rig_random(struct rig *rig);
/* A number below @n. */
u32 rig_below(struct rig *rig, u32 n);
/* True with a probability of @rate / RIG_PPM. */
bool rig_chance(struct rig *rig, u32 rate);

/*
 * From here on until rig_join() time is real. Several threads may call rig_step() and programs, one
 * thread for each process. RCU frees nothing. Runs with the same seed may differ.
 */
void rig_fork(struct rig *rig);
void rig_join(struct rig *rig);
/* The time. */
weft_ns rig_now(struct rig *rig);
/* The output for an entry into a node's core: the node's, or the thread's. */
struct weft_out *rig_out(struct rig_node *node);
/* Packets arrive in a softirq, in the form that weft_core_rx() takes. */
static inline void rig_rx(struct weft_core *core, weft_ns now, const struct weft_rx *rx, u32 n,
			  struct weft_out *out)
{
	weft_softirqs_off();
	weft_core_rx(core, now, rx, n, out);
	weft_softirqs_on();
}

/* After an entry: flush the output, check. */
void rig_leave(struct rig_node *node, struct weft_out *out);

/* Handle the next event, if its time is not after @until. */
bool rig_step(struct rig *rig, weft_ns until);
/* Let @ns pass. */
void rig_run(struct rig *rig, weft_ns ns);
/*
 * An entry sleeps: @ns pass for all others. Inside another entry that sleeps, and with a mutex, the
 * call does nothing.
 */
void rig_aside(struct rig *rig, weft_ns ns);
/* Let time pass until @done(@arg), at most @ns. Return: the last result of @done(). */
bool rig_until(struct rig *rig, bool (*done)(void *arg), void *arg, weft_ns ns);

/* A node's port is being removed: all operations fail with @err, and the programs see that. */
void rig_halt(struct rig_node *node, int err);
/* Remove a node's port in good order, crash it without notice to others, or start it again. */
void rig_stop(struct rig_node *node, int err);
void rig_crash(struct rig_node *node);
void rig_start(struct rig_node *node);
/* Cut the connection between two nodes, or mend it; mend all. */
void rig_cut(struct rig *rig, u32 a, u32 b, bool cut);
/* Cut, or mend, one direction only: from the first node to the second one. */
void rig_cut_one(struct rig *rig, u32 from, u32 to, bool cut);
bool rig_is_cut(struct rig *rig, u32 a, u32 b);
void rig_mend(struct rig *rig);
void rig_node_addr(const struct rig_conf *conf, u32 index, u16 service, struct weft_sockaddr *addr);
/* Change the MTU of a node's device: @fit bytes of UDP payload fit into a packet. */
void rig_fit(struct rig_node *node, u32 fit);
/* Call @fn(@node, @arg) at @at. */
void rig_call(struct rig_node *node, weft_ns at, void (*fn)(struct rig_node *node, void *arg),
	      void *arg);
/* Send a copy of a packet over the links. For code beside the core (rig_node.recv). */
void rig_carry(struct rig_node *node, u32 to, const void *data, u32 len);
/* Deliver a packet to a node now, with the source address @src. */
void rig_inject(struct rig_node *node, const struct weft_sockaddr *src, const void *data, u32 len);
/* The same, with a multicast address as destination. */
void rig_inject_group(struct rig_node *node, const struct weft_sockaddr *src,
		      const struct weft_sockaddr *group, const void *data, u32 len);
/* Print counters and paths. */
void rig_dump(struct rig *rig);
u64 rig_counter(struct rig_node *node, enum weft_counter c);
/* Return: a path of the node, referenced; NULL: it has none. */
struct weft_path *rig_path(struct weft_core *core);

/* ---- Programs -------------------------------------------------------------------- */

/**
 * struct rig_region - a buffer of a program
 * @next: the next one of the process
 * @p: its bytes, an allocation of their own
 * @len: how many
 */
struct rig_region {
	struct rig_region *next;
	u8 *p;
	size_t len;
};

/**
 * struct weft_memctx - memory of a process
 * @ref: references
 * @lock: what follows
 * @proc: the process, NULL: dead
 * @node: its node
 * @cold: rate of weft_mem_get() that say -EAGAIN
 * @bounce: rate of windows that cannot be pinned
 * @fault: rate of weft_mem_make() that say -EFAULT
 * @regions: memory that the process may name
 * @charged: all bytes that were allocated for it
 */
struct weft_memctx {
	refcount_t ref;
	pthread_mutex_t lock;
	struct rig_proc *proc;
	struct rig_node *node;
	u32 cold;
	u32 bounce;
	u32 fault;
	struct rig_region *regions;
	u64 charged;
};

/**
 * struct rig_cq - a completion queue as its program sees it
 * @cq: the core's side
 * @next: the next one of the process
 * @slots: ring
 * @doorbell: the program's line
 * @status: the kernel's line
 * @head: consumer index
 * @woken: weft_env_wake_cq() was called since rig_cq_arm()
 * @waker: called when the queue wakes another thread of the program, or NULL
 * @from: sender that the newest entry with WEFT_CQE_FROM names
 * @nread: completions read
 */
struct rig_cq {
	struct weft_cq cq;
	struct rig_cq *next;
	struct weft_cqe *slots;
	struct weft_cq_doorbell doorbell;
	struct weft_cq_status status;
	u32 head;
	bool woken;
	void (*waker)(struct rig_cq *cq);
	struct weft_sockaddr from;
	u64 nread;
};

/**
 * struct rig_eq - an event queue as its program sees it
 * @eq: the core's side
 * @next: the next one of the process
 * @woken: weft_env_wake_eq() was called
 */
struct rig_eq {
	struct weft_eq eq;
	struct rig_eq *next;
	bool woken;
};

/**
 * struct rig_av - an address vector
 * @av: the core's side
 * @next: the next one of the process
 */
struct rig_av {
	struct weft_av *av;
	struct rig_av *next;
};

/**
 * struct rig_ep - an endpoint as its program sees it
 * @proc: process
 * @next: the next one of the process
 * @ep: the core's side
 * @handle: handle
 * @type: WEFT_EP_*
 * @sq: send ring
 * @rq: receive ring
 * @sq_slots: slots
 * @rq_slots: slots
 * @doorbell: the program's line
 * @status: the kernel's line
 * @sq_tail: producer index
 * @rq_tail: producer index
 * @tx_cntr: counter of sends, set before it is enabled; or NULL
 * @rx_cntr: counter of receives
 * @rma_cntr: counters of one-sided operations
 * @trigger: what is posted waits as such a trigger; NULL: it is posted
 */
struct rig_ep {
	struct rig_proc *proc;
	struct rig_ep *next;
	struct weft_ep *ep;
	u32 handle;
	u32 type;
	struct weft_sqe *sq;
	struct weft_rqe *rq;
	u32 sq_slots;
	u32 rq_slots;
	struct weft_ep_doorbell doorbell;
	struct weft_ep_status status;
	u32 sq_tail;
	u32 rq_tail;
	struct weft_cq *tx_cntr;
	struct weft_cq *rx_cntr;
	struct weft_cq *rma_cntr[WEFT_RMA_CNTRS];
	const struct weft_trigger_conf *trigger;
};

/**
 * struct rig_srq - a shared receive queue as its program sees it
 * @proc: process
 * @next: the next one of the process
 * @srq: the core's side
 * @handle: handle
 * @rq: receive ring
 * @rq_slots: slots
 * @doorbell: the program's line
 * @status: the kernel's line
 * @rq_tail: producer index
 */
struct rig_srq {
	struct rig_proc *proc;
	struct rig_srq *next;
	struct weft_srq *srq;
	u32 handle;
	struct weft_rqe *rq;
	u32 rq_slots;
	struct weft_ep_doorbell doorbell;
	struct weft_ep_status status;
	u32 rq_tail;
};

#define RIG_KEYS	8

/**
 * struct rig_key - registered memory
 * @seg: address and length; length 0: no region
 * @zone: its protection zone
 */
struct rig_key {
	struct weft_iov seg;
	u32 zone;
};

/**
 * struct rig_proc - a process that has opened the port
 * @node: its node
 * @next: the next one of the node
 * @mc: its memory
 * @eps: endpoints
 * @cqs: completion queues
 * @eqs: event queues
 * @avs: address vectors
 * @srqs: shared receive queues
 * @keys: registered memory: key @i + 1
 * @asked: called when the core reads @keys, as by another thread of the process, or NULL
 * @next_handle: handles
 * @domain: memory that peers may access
 * @triggers: operations that wait for counters
 * @uid: user; set before its endpoints are made
 * @job: job of its endpoints, NULL: the default one; set before them
 */
struct rig_proc {
	struct rig_node *node;
	struct rig_proc *next;
	struct weft_memctx *mc;
	struct rig_ep *eps;
	struct rig_cq *cqs;
	struct rig_eq *eqs;
	struct rig_av *avs;
	struct rig_srq *srqs;
	struct rig_key keys[RIG_KEYS];
	void (*asked)(struct rig_proc *proc);
	u32 next_handle;
	struct weft_domain domain;
	struct weft_triggers triggers;
	u32 uid;
	struct weft_job *job;
};

struct rig_proc *rig_proc_new(struct rig_node *node);
/*
 * End a process. @killed: its memory goes first, as after kill -9. Frees all objects of the
 * process.
 */
void rig_proc_end(struct rig_proc *proc, bool killed);

/* A buffer that the program may name in rings; filled with a pattern. */
u8 *rig_buf(struct rig_proc *proc, size_t len);
void rig_buf_free(struct rig_proc *proc, u8 *p);

struct rig_cq *rig_cq_new(struct rig_proc *proc, u32 slots);
void rig_cq_free(struct rig_proc *proc, struct rig_cq *cq);
/*
 * Take an entry, copy its payload from the ring to the receive's buffer. Return: 1, 0: there is
 * none, -EIO: the queue is in error.
 */
int rig_cq_read(struct rig_cq *cq, struct weft_cqe *e);
/* Ask to be woken by the next entry. Return: false: an entry is there already. */
bool rig_cq_arm(struct rig_cq *cq);

struct rig_eq *rig_eq_new(struct rig_proc *proc);
/* Take an event. @data: space for WEFT_CM_DATA_MAX bytes or NULL. Return: 1, 0: there is none. */
int rig_eq_read(struct rig_eq *eq, struct weft_event *ev, void *data);

struct rig_av *rig_av_new(struct rig_proc *proc);
/* Return: the index, or a negative errno. */
long rig_av_insert(struct rig_av *av, u32 node, u16 service, struct rig *rig);

/* Return: NULL: no memory (tests in which allocations fail see this). */
struct rig_ep *rig_ep_new(struct rig_proc *proc, u32 type, u32 flags, u32 sq_slots, u32 rq_slots,
			  u16 service);
int rig_ep_enable(struct rig_ep *ep, struct rig_cq *tx, struct rig_cq *rx, struct rig_eq *eq,
		  struct rig_av *av);
void rig_ep_free(struct rig_ep *ep);
u16 rig_ep_service(struct rig_ep *ep);

/**
 * struct rig_op - a send or a receive
 * @tagged: tagged
 * @flags: WEFT_SQ_*, WEFT_RQ_*
 * @more: do not store the doorbell yet
 * @peer: index in the address vector: dst or src
 * @context: the program's
 * @tag: tag
 * @ignore: bits that do not count
 * @data: remote CQ data
 * @n: segments
 * @iov: segments; addresses of buffers of rig_buf()
 */
struct rig_op {
	bool tagged;
	u32 flags;
	bool more;
	u32 peer;
	u64 context;
	u64 tag;
	u64 ignore;
	u64 data;
	u32 n;
	struct weft_iov iov[WEFT_IOV_MAX];
};

/* Return: 0, -EAGAIN: the ring is full, -EIO: the endpoint is in error. */
int rig_send(struct rig_ep *ep, const struct rig_op *op);
int rig_recv(struct rig_ep *ep, const struct rig_op *op);
/* WEFT_RQ_CANCEL through the ring. */
int rig_rq_cancel(struct rig_ep *ep, u64 context);
/* Write raw slots into a ring; rig_ring_sq() or rig_ring_rq() stores the doorbell. */
void rig_put_sq(struct rig_ep *ep, const void *slots, u32 n);
/* Flags, payload or segments of an entry of the send ring, in zeroed slots. Return: its slots. */
u32 rig_put_bytes(u8 *slots, u32 flags, const struct weft_iov *iov, u32 n);
/* Post an entry of @n slots; @more: do not store the doorbell yet. Return: as rig_send(). */
int rig_post_sq(struct rig_ep *ep, u8 *slots, u32 n, bool more);
void rig_put_rq(struct rig_ep *ep, const void *slots, u32 n);
/* Store the ring's end in the doorbell; notify the kernel if the status flag asks for it. */
void rig_ring_sq(struct rig_ep *ep);
void rig_ring_rq(struct rig_ep *ep);
/* Store the doorbell and notify in any case. */
int rig_notify(struct rig_ep *ep, u32 flags);
int rig_cancel(struct rig_ep *ep, u64 context);

/* ---- One-sided operations -------------------------------------------------------- */

/**
 * struct rig_rma - a one-sided operation
 * @write: a write, else a read
 * @more: the doorbell is stored by the next one
 * @flags: WEFT_SQ_*
 * @peer: index of the target in the address vector
 * @context: the program's
 * @data: remote CQ data
 * @n: segments of this program
 * @iov: the segments
 * @nrem: segments of the target
 * @rem: the segments
 */
struct rig_rma {
	bool write;
	bool more;
	u32 flags;
	u32 peer;
	u64 context;
	u64 data;
	u32 n;
	struct weft_iov iov[WEFT_IOV_MAX];
	u32 nrem;
	struct weft_rma_iov rem[WEFT_IOV_MAX];
};

/**
 * struct rig_atomic - an atomic operation
 * @data: WEFT_ATOMIC_DATA() without the numbers of segments
 * @flags: WEFT_SQ_*; with WEFT_SQ_INLINE all operands are in iov[0]
 * @peer: index of the target in the address vector
 * @context: the program's
 * @len: bytes of the elements
 * @n: segments of operands
 * @iov: the segments
 * @ncmp: segments of compare operands
 * @cmp: the segments
 * @nres: segments of results
 * @res: the segments
 * @nrem: segments of the target
 * @rem: the segments
 */
struct rig_atomic {
	u64 data;
	u32 flags;
	u32 peer;
	u64 context;
	u64 len;
	u32 n;
	struct weft_iov iov[WEFT_IOV_MAX];
	u32 ncmp;
	struct weft_iov cmp[WEFT_IOV_MAX];
	u32 nres;
	struct weft_iov res[WEFT_IOV_MAX];
	u32 nrem;
	struct weft_rma_iov rem[WEFT_IOV_MAX];
};

/* Return: as rig_send(). */
int rig_atomic(struct rig_ep *ep, const struct rig_atomic *op);
/* End a region of the process without a zone. Return: as weft_region_end(). */
int rig_region_end(struct rig_proc *proc, u64 key);
/* Return: as rig_send(). */
int rig_rma(struct rig_ep *ep, const struct rig_rma *op);

/* ---- Triggers: rig_trigger.c ----------------------------------------------------- */

/* Have an entry, or the change of a counter, wait. Return: as weft_trigger_add(), or -ENOMEM. */
int rig_trigger(struct rig_proc *proc, const struct weft_trigger_conf *conf, const void *slots);
/* The same for an entry of the endpoint, as ep->trigger says. */
int rig_trigger_post(struct rig_ep *ep, u32 op, const void *slots, u32 n);
/* Post by rig_send() or rig_recv() what waits as such a trigger; @when may be NULL. */
int rig_when(struct rig_ep *ep, const struct weft_trigger_conf *when,
	     int (*post)(struct rig_ep *ep, const struct rig_op *op), const struct rig_op *op);
/* Return: as weft_triggers_end(). */
int rig_triggers_end(struct rig_proc *proc, const struct weft_trigger_choice *choice);
/* As WEFT_IOC_CNTR_CHANGE. */
void rig_cntr_change(struct rig_proc *proc, struct rig_cq *cntr, u64 value, u32 flags);

/* Return: NULL: no memory. */
struct rig_srq *rig_srq_new(struct rig_proc *proc, u32 slots, u32 recvs, u32 zone,
			    struct rig_eq *eq);
void rig_srq_free(struct rig_srq *srq);
/* As rig_recv(); @keys: regions of the segments, or NULL. */
int rig_srq_recv(struct rig_srq *srq, const struct rig_op *op, const u32 *keys);
/* Write raw slots into the ring, store the doorbell. */
void rig_srq_put(struct rig_srq *srq, const void *slots, u32 n);
int rig_srq_arm(struct rig_srq *srq, u32 low);
int rig_srq_cancel(struct rig_srq *srq, struct rig_cq *cq, u64 context);
int rig_srq_resize(struct rig_srq *srq, u32 slots, u32 recvs);
void rig_srq_look(struct rig_srq *srq, struct weft_srq_info *info);

int rig_listen(struct rig_ep *pep, struct rig_eq *eq, u32 backlog);
int rig_connect(struct rig_ep *ep, u32 node, u16 service, const void *data, u32 len);
int rig_connect_within(struct rig_ep *ep, u32 node, u16 service, const void *data, u32 len,
		       weft_ns timeout);
int rig_accept(struct rig_ep *ep, u64 conn, const void *data, u32 len);
int rig_reject(struct rig_ep *pep, u64 conn, const void *data, u32 len);
int rig_handoff(struct rig_ep *pep, u64 conn, u16 service);
int rig_shutdown(struct rig_ep *ep);
int rig_shutdown_graceful(struct rig_ep *ep);

/* ---- Captures: rig_capture.c ----------------------------------------------------- */

/* Begin the section of a world, if WEFT_PCAP asks for a capture. */
void rig_capture_begin(void);
/* A packet leaves @node, or is forged for it. @comment: constant, or NULL. */
void rig_capture(struct rig_node *node, const struct weft_sockaddr *src,
		 const struct weft_sockaddr *dst, u8 class, const void *data, u32 len,
		 const char *comment);
/* The packets of a run have left. */
void rig_capture_end(void);

/* Shared between the rig's own files. */
void rig_push(struct rig *rig, struct rig_event *ev);
void rig_net_init(struct rig *rig);
void rig_net_free(struct rig *rig);
/* A packet is before a link. */
void rig_net_hop(struct rig *rig, struct rig_event *ev);
/* A link with priorities has sent a packet. */
void rig_net_next(struct rig *rig, struct rig_event *ev);
struct rig_node *rig_find_node(struct rig *rig, const struct weft_sockaddr *addr);

/* Functions of rig_mem.c for rig.c. */
struct weft_memctx *rig_memctx_new(struct rig_proc *proc);
void rig_memctx_die(struct weft_memctx *mc);

#endif
