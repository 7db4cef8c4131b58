/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * weft_fi.h - structures of the libfabric provider
 *
 * The provider translates libfabric's objects and calls into libweft's. It adds the parts of
 * libfabric that the kernel does not have: locks, attributes, formats of completions and events.
 *
 * A fabric holds its open ports, one libweft context each. The fabric's domains and passive
 * endpoints share them. So an endpoint of any domain of the same port can accept a connection
 * request. An object counts its users, and cannot be closed before them.
 *
 * Locks nest in this order: weft_fi_cntr.lock, weft_fi_cq.lock, weft_fi_cq.eps_lock, the two locks
 * of an endpoint's halves. weft_fi_port.lock nests in weft_fi_eq.lock. The other locks are taken
 * alone.
 */
#ifndef WEFT_FI_H
#define WEFT_FI_H

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <rdma/fabric.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_collective.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>
#include <rdma/fi_trigger.h>
#include <rdma/providers/fi_log.h>
#include <rdma/providers/fi_prov.h>

#include <weft/weft.h>

#include "../libweft/hints.h"

/* libfabric fixes the signatures; many arguments (flags, descriptors) are unused here */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define WEFT_FI_NAME		"weft"
#define WEFT_FI_FABRIC		"weft"	/* one fabric for all ports: IP routing connects them */
#define WEFT_FI_VERSION		FI_VERSION(0, 2)
#define WEFT_FI_PROTO		(1u << 31 | 0x77656674)	/* provider specific: "weft" */
#define WEFT_FI_PROTO_VERSION	1

#define WEFT_FI_SIZE		1024	/* default size of queues, in operations */
#define WEFT_FI_SQ_RATIO	2	/* average number of send ring slots per operation */
#define WEFT_FI_INLINE		256	/* maximum payload in the ring */
#define WEFT_FI_MORE_MAX	64	/* maximum number of deferred operations (FI_MORE) */
#define WEFT_FI_TAG_FORMAT	0xaaaaaaaaaaaaaaaaULL	/* 64 fields of one bit */

/* the last known values; libfabric 2 deprecates the names of some */
#define WEFT_FI_THREAD_LAST	5	/* FI_THREAD_ENDPOINT */
#define WEFT_FI_PROGRESS_LAST	3	/* FI_PROGRESS_CONTROL_UNIFIED, of libfabric 2 */

/* deprecated in libfabric 2, whose names cause a warning at each use */
#define WEFT_FI_MR_BASIC	(1 << 0)
#define WEFT_FI_MR_SCALABLE	(1 << 1)

#define WEFT_FI_LEVELS		(FI_INJECT_COMPLETE | FI_TRANSMIT_COMPLETE | \
				 FI_DELIVERY_COMPLETE | FI_MATCH_COMPLETE)
/* levels that the peer must report */
#define WEFT_FI_ANSWERED	(FI_DELIVERY_COMPLETE | FI_MATCH_COMPLETE)
#define WEFT_FI_TX_OP_FLAGS	(WEFT_FI_LEVELS | FI_COMPLETION | FI_INJECT)
#define WEFT_FI_SEND_FLAGS	(WEFT_FI_TX_OP_FLAGS | FI_REMOTE_CQ_DATA | FI_MORE)
#define WEFT_FI_RX_OP_FLAGS	(FI_COMPLETION | FI_INJECT_COMPLETE | FI_TRANSMIT_COMPLETE | \
				 FI_MULTI_RECV)
#define WEFT_FI_MULTI_MIN	64	/* default of FI_OPT_MIN_MULTI_RECV */
#define WEFT_FI_GROUP_MARK	(1ULL << 62)	/* set only in the fi_addr_t of a group */
#define WEFT_FI_PREFIX		8	/* msg_prefix_size is a multiple of it */
#define WEFT_FI_PREFIX_MAX	4096	/* maximum of msg_prefix_size */

/* rights to begin one-sided operations, and to be their target */
#define WEFT_FI_ONESIDED	(FI_RMA | FI_ATOMIC)
#define WEFT_FI_RMA_TX		(FI_READ | FI_WRITE)
#define WEFT_FI_RMA_RX		(FI_REMOTE_READ | FI_REMOTE_WRITE)

/* libfabric 2 has removed the name */
#define WEFT_FI_BUFFERED_RECV	(1ULL << 51)
/* completions whose context is a slot (weft_buf.c) */
#define WEFT_FI_CQE_SLOT	(WEFT_CQE_ANNOUNCE | WEFT_CQE_CLAIM)
/* completions of one-sided operations */
#define WEFT_FI_CQE_RMA		(WEFT_CQE_WRITE | WEFT_CQE_READ)

/* flags of fi_trecvmsg() that are no receives */
#define WEFT_FI_PEEK_FLAGS	(FI_PEEK | FI_CLAIM | FI_DISCARD)

#define WEFT_WARN(subsys, ...)	FI_WARN(&weft_fi_prov, FI_LOG_##subsys, __VA_ARGS__)

#define weft_container(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))

/**
 * struct weft_fi_lock - a lock that a program with serialised calls does not pay for
 * @mutex: the lock
 * @on: the lock is used
 */
struct weft_fi_lock {
	pthread_mutex_t mutex;
	bool on;
};

/**
 * struct weft_fi_fabric - an open fabric
 * @fid: libfabric's part
 * @next: in the list of open fabrics
 * @refs: objects that use it
 * @lock: protects @ports and @domains
 * @ports: open ports
 * @domains: open domains
 */
struct weft_fi_fabric {
	struct fid_fabric fid;
	struct weft_fi_fabric *next;
	atomic_int refs;
	pthread_mutex_t lock;
	struct weft_fi_port *ports;
	struct weft_fi_domain *domains;
};

#define WEFT_FI_HASH	64

/**
 * struct weft_fi_late - thread that notifies entries that FI_MORE deferred too long (weft_batch.c)
 * @lock: protects @wake and @stop
 * @wake: signals new work
 * @thread: valid while @up
 * @up: the thread runs
 * @stop: the thread shall end
 * @pending: an entry was deferred
 */
struct weft_fi_late {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	pthread_t thread;
	atomic_bool up;
	bool stop;
	atomic_bool pending;
};

/**
 * struct weft_fi_port - an open port of a fabric
 * @next: in the fabric's list
 * @fabric: its fabric
 * @refs: domains, passive endpoints and event queues that use it, under the fabric's lock
 * @ctx: libweft's context
 * @q: capabilities of the port
 * @zones: number of protection zones given to domains, under the fabric's lock
 * @lock: protects @eps and @reqs
 * @eps: endpoints by handle
 * @reqs: unanswered connection requests
 * @late: notifies deferred entries
 */
struct weft_fi_port {
	struct weft_fi_port *next;
	struct weft_fi_fabric *fabric;
	int refs;
	struct weft_ctx *ctx;
	struct weft_ioc_query q;
	uint32_t zones;
	pthread_mutex_t lock;
	struct weft_fi_cm *eps[WEFT_FI_HASH];
	struct weft_fi_req *reqs;
	struct weft_fi_late late;
};

/**
 * struct weft_fi_domain - an open domain
 * @fid: libfabric's part
 * @next: in the fabric's list
 * @fabric: its fabric
 * @port: its port
 * @refs: objects that use it
 * @locking: several threads may call at the same time
 * @family: family of addresses, AF_INET or AF_INET6
 * @prov_keys: the provider chooses the keys of memory regions
 * @virt_addr: peers name the memory of regions by virtual addresses, else by offsets
 * @rma_event: opened with FI_RMA_EVENT: regions may have counters
 * @zone: protection zone of its endpoints and regions, which the domains of a port do not share
 * @key: key of the job for endpoints without own key, or NULL
 * @key_size: bytes of it
 * @mr_lock: protects @mr_keys and @mr_next
 * @mr_keys: keys in use, a tree for tsearch(3)
 * @mr_next: next key that the provider chooses
 * @left_lock: protects @left
 * @left: queues that the program has closed, and endpoints of the kernel still use (weft_left.c)
 */
struct weft_fi_domain {
	struct fid_domain fid;
	struct weft_fi_domain *next;
	struct weft_fi_fabric *fabric;
	struct weft_fi_port *port;
	atomic_int refs;
	bool locking;
	int family;
	bool prov_keys;
	bool virt_addr;
	bool rma_event;
	uint32_t zone;
	uint8_t *key;
	size_t key_size;
	pthread_mutex_t mr_lock;
	void *mr_keys;
	uint64_t mr_next;
	pthread_mutex_t left_lock;
	struct weft_fi_left *left;
};

#define WEFT_FI_AV_CHUNK	4096
#define WEFT_FI_CTX_BITS	8	/* maximum number of bits for the context in a fi_addr_t */
#define WEFT_FI_CTX_MAX		64	/* contexts of each kind of a scalable endpoint, at most */

/**
 * struct weft_fi_av - an address vector
 * @fid: libfabric's part
 * @domain: its domain
 * @av: libweft's vector
 * @refs: endpoints that use it
 * @eq: for FI_EVENT, or NULL
 * @flags: flags of its creation
 * @type: map or table; an address is an index with both
 * @lock: protects @av
 * @bits: number of bits for the context in a fi_addr_t
 * @next: index that the provider chooses next, above the bits of contexts
 * @shared: memory that other processes share, or NULL
 * @share_fd: its file
 * @share_path: its name
 * @gen: last known generation of @shared
 * @high: above all addresses (lock)
 * @dense: all indices below are used: read without the lock
 * @used: marks of used indices, in chunks that never move: read without the lock
 */
struct weft_fi_av {
	struct fid_av fid;
	struct weft_fi_domain *domain;
	struct weft_av *av;
	atomic_int refs;
	struct weft_fi_eq *eq;
	uint64_t flags;
	enum fi_av_type type;
	unsigned int bits;
	fi_addr_t next;
	struct weft_fi_share *shared;
	int share_fd;
	char *share_path;
	atomic_ullong gen;
	uint32_t high;
	pthread_mutex_t lock;
	atomic_uint dense;
	_Atomic(_Atomic uint8_t *) used[WEFT_AV_MAX / WEFT_FI_AV_CHUNK];
};

/* Return: the most addresses of a vector; each has (1 << @bits) contexts. */
static inline uint32_t weft_fi_av_most(unsigned int bits)
{
	return WEFT_AV_MAX >> bits;
}

/*
 * Return: the index of a context of an address. The kernel reports the lowest index of a sender.
 * So an address that was inserted comes before a context of another address with its service.
 */
static inline uint32_t weft_fi_av_place(const struct weft_fi_av *av, fi_addr_t at,
					uint32_t context)
{
	return context * weft_fi_av_most(av->bits) + at;
}

/**
 * struct weft_fi_set - a wait set
 * @fid: libfabric's part
 * @fabric: its fabric
 * @wait_obj: kind of wait object
 * @epfd: readable while a member is
 * @lock: protects @members
 * @members: queues
 */
struct weft_fi_set {
	struct fid_wait fid;
	struct weft_fi_fabric *fabric;
	enum fi_wait_obj wait_obj;
	int epfd;
	pthread_mutex_t lock;
	struct weft_fi_member *members;
};

/**
 * struct weft_fi_member - a queue's entry in a wait set
 * @next: in weft_fi_set.members
 * @set: the set, NULL: in none
 * @fid: the queue
 * @fd: its file
 */
struct weft_fi_member {
	struct weft_fi_member *next;
	struct weft_fi_set *set;
	struct fid *fid;
	int fd;
};

#define WEFT_FI_CQ_DEFERRED	1u	/* endpoints may have entries deferred by FI_MORE */
#define WEFT_FI_CQ_ODD		2u	/* entries may belong to endpoints in prefix mode */
#define WEFT_FI_CQ_LEFT		4u	/* weft_fi_cq.left is not empty */
#define WEFT_FI_CQ_OTHER	8u	/* a lock, or another format than weft_fi_cq_fast() */

/**
 * struct weft_fi_cq - a completion queue
 * @fid: libfabric's part
 * @domain: its domain
 * @cq: libweft's queue
 * @refs: endpoint directions bound to it that are not idle, and poll sets
 * @lock: protects @cq
 * @put: writes a completion in the format of the queue
 * @entry_size: bytes of an entry in that format
 * @wait_obj: kind of wait object
 * @member: entry in a wait set
 * @threshold: blocking reads have a condition, the minimum number of entries
 * @look: sources must be looked up: the address vector of an endpoint is shared, or its addresses
 *	name contexts
 * @slow: WEFT_FI_CQ_*: what a read has to look at; 0: weft_fi_cq_fast() can read
 * @sleeps: blocking reads sleep, until one entry
 * @eps_lock: protects @halves
 * @halves: halves of endpoints that are bound to the queue
 * @left: slots of closed endpoints, which entries may name (lock)
 * @from: address of an unknown sender, for programs without a buffer for it (FI_SOURCE_ERR)
 */
struct weft_fi_cq {
	struct fid_cq fid;
	struct weft_fi_domain *domain;
	struct weft_cq *cq;
	atomic_int refs;
	struct weft_fi_lock lock;
	void *(*put)(void *buf, const struct weft_cqe *cqe);
	size_t entry_size;
	enum fi_wait_obj wait_obj;
	struct weft_fi_member member;
	bool threshold;
	atomic_bool look;
	bool sleeps;
	atomic_uint slow;
	pthread_mutex_t eps_lock;
	struct weft_fi_half *halves;
	struct weft_fi_pool *left;
	struct sockaddr_storage from;
};

/**
 * struct weft_fi_eq_entry - an unread event
 * @next: next event
 * @event: FI_*
 * @fid: object of the event; closing the object drops the event
 * @info: CONNREQ: freed with an unread event
 * @is_err: @err is valid, else @data
 * @err: the error
 * @min: minimum bytes of the reader's buffer
 * @len: bytes at @data: the event, or private data of an error
 * @data: the event in the format of the program
 */
struct weft_fi_eq_entry {
	struct weft_fi_eq_entry *next;
	uint32_t event;
	struct fid *fid;
	struct fi_info *info;
	bool is_err;
	struct fi_eq_err_entry err;
	size_t min;
	size_t len;
	_Alignas(8) uint8_t data[];
};

/**
 * struct weft_fi_keq - an event queue's part in a port
 * @next: in the queue's list
 * @port: the port
 * @eq: libweft's queue
 */
struct weft_fi_keq {
	struct weft_fi_keq *next;
	struct weft_fi_port *port;
	struct weft_eq *eq;
};

/**
 * struct weft_fi_eq - an event queue
 * @fid: libfabric's part
 * @fabric: its fabric
 * @refs: endpoints and address vectors bound to it
 * @wait_obj: kind of wait object
 * @member: entry in a wait set
 * @writable: the program may write events
 * @lock: protects the fields below
 * @keqs: a kernel queue for each port with a bound object
 * @head: oldest event
 * @tail: link for the next event
 * @last_err: last error read: its data belong to the program until the next read
 * @epfd: readable when there may be an event: all @keqs and @evfd
 * @evfd: readable while @head is not NULL
 * @signalled: @evfd is readable
 */
struct weft_fi_eq {
	struct fid_eq fid;
	struct weft_fi_fabric *fabric;
	atomic_int refs;
	enum fi_wait_obj wait_obj;
	struct weft_fi_member member;
	bool writable;
	pthread_mutex_t lock;
	struct weft_fi_keq *keqs;
	struct weft_fi_eq_entry *head;
	struct weft_fi_eq_entry **tail;
	struct weft_fi_eq_entry *last_err;
	int epfd;
	int evfd;
	bool signalled;
};

/**
 * struct weft_fi_cm - common part of active and passive endpoints
 * @next: in weft_fi_port.eps
 * @fid: the endpoint
 * @port: its port
 * @ep: libweft's endpoint
 * @eq: for events, or NULL
 * @family: family of its address
 */
struct weft_fi_cm {
	struct weft_fi_cm *next;
	struct fid *fid;
	struct weft_fi_port *port;
	struct weft_ep *ep;
	struct weft_fi_eq *eq;
	int family;
};

/**
 * struct weft_fi_pep - a passive endpoint
 * @fid: libfabric's part
 * @cm: common part
 * @info: template for the descriptions of requests
 * @backlog: maximum number of waiting requests, 0: the system's default
 * @listening: fi_listen() was called
 */
struct weft_fi_pep {
	struct fid_pep fid;
	struct weft_fi_cm cm;
	struct fi_info *info;
	int backlog;
	bool listening;
};

/**
 * struct weft_fi_req - a connection request: the handle in the fi_info of FI_CONNREQ
 * @fid: libfabric's part
 * @next: in weft_fi_port.reqs
 * @pep: passive endpoint that received it
 * @ep: endpoint made from it, or NULL
 * @conn: the kernel's id
 */
struct weft_fi_req {
	struct fid fid;
	struct weft_fi_req *next;
	struct weft_fi_pep *pep;
	struct weft_fi_ep *ep;
	uint64_t conn;
};

/* What a counter counts of a half: operations begun here, or messages and operations of peers */
#define WEFT_FI_COUNT_MSG	0
#define WEFT_FI_COUNT_WRITE	1
#define WEFT_FI_COUNT_READ	2
#define WEFT_FI_COUNTS		3

/**
 * struct weft_fi_count - a counter of a half of an endpoint
 * @cntr: the counter, NULL: none
 * @half: the half
 * @next: in weft_fi_cntr.counts
 * @idle: as weft_fi_half.idle, under the lock of the counter
 */
struct weft_fi_count {
	struct weft_fi_cntr *cntr;
	struct weft_fi_half *half;
	struct weft_fi_count *next;
	bool idle;
};

/**
 * struct weft_fi_half - the sending or the receiving half of an endpoint
 * @lock: protects libweft's half and @held
 * @ep: its endpoint
 * @cq: bound completion queue, or NULL
 * @next: in weft_fi_cq.halves
 * @on: the half is enabled
 * @plain: enabled, and calls do not need weft_slow.c
 * @fast: plain, and calls need only weft_fast.h
 * @known: of a context: the kernel has its queue
 * @idle: of a context that is closed: @cq and the counters may be closed
 * @selective: only operations with FI_COMPLETION complete
 * @held: number of entries deferred by FI_MORE
 * @due: weft_batch.c shall notify them if no call does
 * @counts: bound counters, by WEFT_FI_COUNT_*
 */
struct weft_fi_half {
	struct weft_fi_lock lock;
	struct weft_fi_ep *ep;
	struct weft_fi_cq *cq;
	struct weft_fi_half *next;
	bool on;
	bool plain;
	bool fast;
	bool known;
	bool idle;
	bool selective;
	unsigned int held;
	atomic_bool due;
	struct weft_fi_count counts[WEFT_FI_COUNTS];
};

/**
 * struct weft_fi_face - a handle of an active endpoint: the endpoint itself, an alias, or a context
 * @fid: libfabric's part
 * @ep: the endpoint
 * @tx_flags: flags of sends by calls without flags
 * @rx_flags: flags of receives by calls without flags
 */
struct weft_fi_face {
	struct fid_ep fid;
	struct weft_fi_ep *ep;
	uint64_t tx_flags;
	uint64_t rx_flags;
};

/**
 * struct weft_fi_stx - a shared transmit context
 * @fid: libfabric's part
 * @domain: its domain
 * @refs: endpoints that are bound to it
 */
struct weft_fi_stx {
	struct fid_stx fid;
	struct weft_fi_domain *domain;
	atomic_int refs;
};

/**
 * struct weft_fi_srx - a shared receive context
 * @fid: libfabric's part
 * @msg_ops: untagged receives
 * @tagged_ops: tagged receives
 * @domain: its domain
 * @srq: libweft's queue
 * @refs: endpoints that are bound to it
 * @lock: protects @srq, @av, @first
 * @cq: queue for completions of canceled receives, or NULL
 * @first: default for @cq: the queue of the first endpoint
 * @av: address vector of its connectionless endpoints
 * @flags: flags of receives by calls without flags
 * @iov_limit: maximum number of segments
 * @min_multi_recv: FI_OPT_MIN_MULTI_RECV
 * @directed: receives may name their sender
 */
struct weft_fi_srx {
	struct fid_ep fid;
	struct fi_ops_msg msg_ops;
	struct fi_ops_tagged tagged_ops;
	struct weft_fi_domain *domain;
	struct weft_srq *srq;
	atomic_int refs;
	struct weft_fi_lock lock;
	struct weft_fi_cq *cq;
	struct weft_fi_cq *first;
	struct weft_fi_av *av;
	uint64_t flags;
	size_t iov_limit;
	size_t min_multi_recv;
	bool directed;
};

/*
 * Number of times that this thread has looked at a queue or counter. Static thread-local storage: a
 * send reads it without a call.
 */
extern _Thread_local uint32_t weft_fi_looks
	__attribute__((visibility("hidden"), tls_model("initial-exec")));

/**
 * struct weft_fi_run - sends in a row: the program has looked at no queue between them (weft_run.c)
 * @on: the kernel can time the send ring
 * @read: consumer indices of the endpoint's completion queues, which move with each read
 * @at: the first of them plus weft_fi_looks, at the last send
 * @also: @at and the second index when @n was set to 0
 * @n: sends since then, as far as they found @at unchanged
 * @kept: posted sends that the kernel has not been notified of; the timer, too, makes them leave
 * @bytes: their bytes
 *
 * Protected by the lock of the sending half; @kept is also read without it.
 */
struct weft_fi_run {
	bool on;
	const uint32_t *read[2];
	uint32_t at;
	uint32_t also[2];
	uint32_t n;
	uint32_t kept;
	size_t bytes;
};

/**
 * struct weft_fi_ep - an active endpoint
 * @self: the endpoint itself, as a handle
 * @aliases: number of other handles, which are closed before it
 * @cm: common part
 * @domain: its domain
 * @av: bound address vector, or NULL
 * @tx: sending half
 * @rx: receiving half
 * @run: sends in a row
 * @caps: capabilities of its fi_info
 * @msg: of type FI_EP_MSG, else FI_EP_RDM or FI_EP_DGRAM
 * @dgram: of type FI_EP_DGRAM
 * @directed: receives may name their sender
 * @ordered: FI_ORDER_SAW: messages are received after earlier writes of their sender
 * @enabled: the kernel has its queues
 * @dialled: it was connected or accepted once
 * @send_flags: allowed flags of sends
 * @max_msg: bytes of the longest message
 * @inject: bytes of the longest injected message
 * @iov_limit: maximum number of segments
 * @prefix: msg_prefix_size in prefix mode, else 0
 * @groups: joined multicast groups; tx.lock
 * @ngroups: number of groups
 * @tx_size: maximum number of sends
 * @rx_size: maximum number of receives
 * @min_multi_recv: FI_OPT_MIN_MULTI_RECV
 * @pool: slots, if its receives are buffered, else NULL
 * @req: connection request of its fi_info, or NULL
 * @shared_tx: opened for a shared transmit context
 * @stx: that context, once bound
 * @shared_rx: opened for a shared receive context
 * @srx: that context, once bound
 * @draft: for entries of operations that wait for a counter, NULL: there has been none
 * @draft_lock: protects @draft
 * @named: @name is valid
 * @name: accepting: destination address of the request
 */
struct weft_fi_ep {
	struct weft_fi_face self;
	atomic_int aliases;
	struct weft_fi_cm cm;
	struct weft_fi_domain *domain;
	struct weft_fi_av *av;
	struct weft_fi_half tx;
	struct weft_fi_half rx;
	struct weft_fi_run run;
	uint64_t caps;
	bool msg;
	bool dgram;
	bool directed;
	bool ordered;
	bool enabled;
	bool dialled;
	uint64_t send_flags;
	size_t max_msg;
	size_t inject;
	size_t iov_limit;
	size_t prefix;
	struct weft_fi_mc *groups;
	atomic_int ngroups;
	size_t tx_size;
	size_t rx_size;
	size_t min_multi_recv;
	struct weft_fi_pool *pool;
	struct weft_fi_req *req;
	bool shared_tx;
	struct weft_fi_stx *stx;
	bool shared_rx;
	struct weft_fi_srx *srx;
	struct weft_ep *draft;
	pthread_mutex_t draft_lock;
	bool named;
	struct weft_sockaddr name;
};

/**
 * struct weft_fi_mc - a multicast group that an endpoint has joined
 * @mc: libfabric's part
 * @next: in weft_fi_ep.groups
 * @ep: the endpoint
 * @group: number of the group at the endpoint
 * @joined: the join succeeded
 * @sends: the endpoint may send to it
 */
struct weft_fi_mc {
	struct fid_mc mc;
	struct weft_fi_mc *next;
	struct weft_fi_ep *ep;
	uint32_t group;
	bool joined;
	bool sends;
};

/**
 * struct weft_fi_op - a send, a receive or a one-sided operation
 * @iov: segments
 * @count: number of segments
 * @one: the call has exactly one segment
 * @peer: destination or source
 * @context: for the completion
 * @flags: FI_*
 * @tagged: @tag (and @ignore) are valid
 * @silent: no completion on success
 * @rma: WEFT_SQ_WRITE, WEFT_SQ_READ, WEFT_SQ_ATOMIC: a one-sided operation; 0: a message
 * @atomic: the operation, for WEFT_SQ_ATOMIC, else NULL
 * @rem: remote segments of a one-sided operation
 * @nrem: number of remote segments; one with @one
 * @tag: tag to send or to match
 * @ignore: bits of the tag to ignore
 * @data: with FI_REMOTE_CQ_DATA
 * @trigger: deferred work: when the operation begins; NULL: no deferred work
 */
struct weft_fi_op {
	const struct iovec *iov;
	size_t count;
	bool one;
	fi_addr_t peer;
	void *context;
	uint64_t flags;
	bool tagged;
	bool silent;
	uint8_t rma;
	const struct weft_atomic *atomic;
	const struct weft_rma_iov *rem;
	size_t nrem;
	uint64_t tag;
	uint64_t ignore;
	uint64_t data;
	const struct weft_trigger *trigger;
};

#include "weft_calls.h"
#include "weft_nosys.h"
#include "weft_cntr.h"

#endif /* WEFT_FI_H */
