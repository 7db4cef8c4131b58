/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * weft - user interface of the character devices /dev/weft/<port>
 *
 * Opening a device creates a context. It belongs to the address space that opened it: calls and
 * maps from another one (a forked child) fail with EPERM. Objects have 32-bit handles that are
 * local to the context and die with it.
 *
 * Rules of growth: fixed-width fields, native byte order, no pointers (u64 instead), no enums, no
 * bit fields. Every ioctl structure begins with its size in the caller's version. The kernel
 * accepts a longer one if the unknown bytes are zero. It extends a shorter one by zeros. Reserved
 * fields and unknown flags must be 0.
 *
 * Calls and their errors: Documentation/uapi.rst
 */
#ifndef _UAPI_LINUX_WEFT_H
#define _UAPI_LINUX_WEFT_H

#include <linux/types.h>
#include <linux/ioctl.h>
#include <linux/weft_ring.h>

#define WEFT_ABI_VERSION	1

#define WEFT_NAME_MAX		16	/* a port's name, with its terminating zero */
#define WEFT_JOB_NAME_MAX	32	/* a job's name, likewise */
#define WEFT_KEY_MIN		16	/* bytes of a job's key */
#define WEFT_KEY_MAX		256
#define WEFT_CM_DATA_MAX	256	/* private data of connect, accept, reject */
#define WEFT_HANDLE_NONE	0	/* no object has this handle */

/**
 * struct weft_sockaddr - address of an endpoint or a node
 * @family: AF_INET or AF_INET6
 * @port: service number of the endpoint, network byte order; 0: none, or chosen by the kernel
 * @scope: IPv6 scope id (interface index), 0 otherwise
 * @addr: IPv4 address in the first 4 bytes, the rest 0; or IPv6 address; network byte order
 */
struct weft_sockaddr {
	__u16 family;
	__be16 port;
	__u32 scope;
	__u8 addr[16];
};

/* ---- ioctls on /dev/weft/<port> ------------------------------------------------------------- */

#define WEFT_CAP_TAGGED		(1ull << 0)
#define WEFT_CAP_RDM		(1ull << 1)
#define WEFT_CAP_MSG		(1ull << 2)
#define WEFT_CAP_CANCEL		(1ull << 3)
#define WEFT_CAP_PEEK		(1ull << 4)
#define WEFT_CAP_MULTI		(1ull << 5)
#define WEFT_CAP_MATCH		(1ull << 6)	/* WEFT_SQ_MATCH */
#define WEFT_CAP_SRQ		(1ull << 8)	/* shared receive queues */
#define WEFT_CAP_COUNT		(1ull << 9)	/* WEFT_CQF_COUNT */
#define WEFT_CAP_DGRAM		(1ull << 10)	/* WEFT_EP_DGRAM */
#define WEFT_CAP_FENCE		(1ull << 11)	/* WEFT_EPF_FENCE */
#define WEFT_CAP_ANNOUNCE	(1ull << 12)	/* WEFT_RQ_ANNOUNCE, WEFT_EPF_VARIABLE */
#define WEFT_CAP_GROUP		(1ull << 13)	/* WEFT_IOC_GROUP_JOIN */
#define WEFT_CAP_SOURCE		(1ull << 14)	/* WEFT_EPF_SOURCE */
#define WEFT_CAP_JOB		(1ull << 15)	/* weft_ioc_ep.key */
/* this context may notify and wait by lseek(2); without it only by ioctl */
#define WEFT_CAP_SEEK		(1ull << 16)
#define WEFT_CAP_TIMED		(1ull << 17)	/* WEFT_NOTIFY_TIMED */
#define WEFT_CAP_RMA		(1ull << 18)	/* WEFT_EPF_RMA, regions */
#define WEFT_CAP_TRIGGER	(1ull << 19)	/* <linux/weft_trigger.h> */

/**
 * struct weft_ioc_query - capabilities and limits of the port and the kernel (WEFT_IOC_QUERY)
 * @size: size of this structure
 * @flags: 0
 * @abi: out: WEFT_ABI_VERSION
 * @naddr: out: addresses in @addr
 * @caps: out: WEFT_CAP_*
 * @max_msg: out: bytes of the longest message
 * @max_inline: out: bytes of the longest payload in ring slots
 * @max_iov: out: segments of a message
 * @max_ring: out: slots of the longest ring
 * @max_objs: out: objects of one context
 * @cm_data: out: bytes of private data
 * @mtu: out: bytes of the largest IP packet on the link
 * @max_av: out: entries of an address vector
 * @speed: out: Mbit/s, 0: unknown
 * @link_up: out: 1: the link is up
 * @max_dgram: out: bytes of the longest datagram
 * @name: out: name of the port
 * @netdev: out: name of its network device, empty: none
 * @driver: out: "loop", "netdev", ...
 * @addr: out: the port's own addresses, service 0
 */
struct weft_ioc_query {
	__u32 size;
	__u32 flags;
	__u32 abi;
	__u32 naddr;
	__u64 caps;
	__u64 max_msg;
	__u32 max_inline;
	__u32 max_iov;
	__u32 max_ring;
	__u32 max_objs;
	__u32 cm_data;
	__u32 mtu;
	__u32 max_av;
	__u32 speed;
	__u32 link_up;
	__u32 max_dgram;
	char name[WEFT_NAME_MAX];
	char netdev[WEFT_NAME_MAX];
	char driver[WEFT_NAME_MAX];
	struct weft_sockaddr addr[4];
};

/**
 * struct weft_map - a part of an object that can be mapped
 * @off: offset for mmap(2), opaque
 * @len: bytes for mmap(2), whole pages
 * @at: offset of the object's part in the map
 */
struct weft_map {
	__u64 off;
	__u32 len;
	__u32 at;
};

/*
 * A counter: it has a doorbell and a status, but no ring. Waiting and polling work as for a queue,
 * with the last seen index in the doorbell. WEFT_IOC_CQ_NOTIFY fails with EINVAL.
 */
#define WEFT_CQF_COUNT		(1u << 0)

/**
 * struct weft_ioc_cq - create a completion queue (WEFT_IOC_CQ_CREATE)
 * @size: size of this structure
 * @flags: 0 or WEFT_CQF_COUNT
 * @slots: in: requested, out: actual (rounded up to a power of two); 0 with WEFT_CQF_COUNT
 * @handle: out
 * @fd: out: file to poll(2) and for WEFT_IOC_CQ_*; closing it does not destroy the queue
 * @rsvd: 0
 * @ring: out: struct weft_cqe[slots]; PROT_READ only; zeros with WEFT_CQF_COUNT
 * @doorbell: out: struct weft_cq_doorbell; PROT_READ | PROT_WRITE
 * @status: out: struct weft_cq_status; PROT_READ only
 */
struct weft_ioc_cq {
	__u32 size;
	__u32 flags;
	__u32 slots;
	__u32 handle;
	__s32 fd;
	__u32 rsvd;
	struct weft_map ring;
	struct weft_map doorbell;
	struct weft_map status;
};

/**
 * struct weft_ioc_eq - create an event queue (WEFT_IOC_EQ_CREATE)
 * @size: size of this structure
 * @flags: 0
 * @handle: out
 * @fd: out: read(2) returns whole struct weft_event with their data; poll(2) works; O_NONBLOCK
 *	applies if set on the file
 */
struct weft_ioc_eq {
	__u32 size;
	__u32 flags;
	__u32 handle;
	__s32 fd;
};

#define WEFT_AV_MAX		(1u << 20)

/**
 * struct weft_ioc_av - create an address vector (WEFT_IOC_AV_CREATE)
 * @size: size of this structure
 * @flags: 0
 * @count: number of expected entries, a hint
 * @handle: out
 */
struct weft_ioc_av {
	__u32 size;
	__u32 flags;
	__u32 count;
	__u32 handle;
};

#define WEFT_AVF_AT		(1u << 0)	/* insert at @index, even if that index rests */

/**
 * struct weft_ioc_av_insert - insert (WEFT_IOC_AV_INSERT) or remove (WEFT_IOC_AV_REMOVE) addresses
 * @size: size of this structure
 * @flags: insert: WEFT_AVF_AT; remove: 0
 * @handle: handle of the vector
 * @count: number of addresses; at most 4096 a call
 * @addrs: insert: user address of struct weft_sockaddr[count]; remove: 0
 * @index: user address of u32[count]: insert: out: the indices, WEFT_SRC_ANY for an address that
 *	failed; in with WEFT_AVF_AT; remove: in
 * @done: out: number of addresses inserted or removed
 * @rsvd: 0
 *
 * The kernel assigns the lowest free index, so an empty vector is filled 0, 1, 2, ... For an
 * address that is in the vector already, it returns the (lowest) index of that. The entry goes
 * after as many removals as insertions. With WEFT_AVF_AT the address gets another entry. Receives
 * must not name that as their sender. A removed index rests: it is not reused while packets may
 * still name it, except with WEFT_AVF_AT.
 */
struct weft_ioc_av_insert {
	__u32 size;
	__u32 flags;
	__u32 handle;
	__u32 count;
	__u64 addrs;
	__u64 index;
	__u32 done;
	__u32 rsvd;
};

#define WEFT_EP_MSG		1
#define WEFT_EP_RDM		2
#define WEFT_EP_DGRAM		3
#define WEFT_EP_PASSIVE		4

#define WEFT_EPF_DIRECTED	(1u << 0)	/* receives may name their sender */
/* no receive ring (@rq_slots 0): WEFT_IOC_EP_ENABLE names a shared receive queue */
#define WEFT_EPF_SRQ		(1u << 1)
/*
 * MSG: a message longer than its receive breaks the connection; receives complete in the order of
 * their messages
 */
#define WEFT_EPF_STRICT		(1u << 2)
/* sends may have WEFT_SQ_FENCE; the support costs time on each send */
#define WEFT_EPF_FENCE		(1u << 3)
/*
 * not DGRAM: messages may be longer than weft_ioc_query.max_msg, in both directions. A send of such
 * a message to an endpoint without this flag fails with EMSGSIZE.
 */
#define WEFT_EPF_VARIABLE	(1u << 4)
/* RDM, DGRAM: completions name senders that are not in the address vector: WEFT_CQE_FROM */
#define WEFT_EPF_SOURCE		(1u << 5)
/* not DGRAM: sends may be WEFT_SQ_WRITE, WEFT_SQ_READ */
#define WEFT_EPF_RMA		(1u << 6)
/* not DGRAM: peers may read from, or write to, regions of the context through the endpoint */
#define WEFT_EPF_REMOTE_READ	(1u << 7)
#define WEFT_EPF_REMOTE_WRITE	(1u << 8)
/* not DGRAM: a message is received after the earlier writes of its sender are in the regions */
#define WEFT_EPF_ORDERED	(1u << 9)

/**
 * struct weft_ioc_ep - create an endpoint (WEFT_IOC_EP_CREATE)
 * @size: size of this structure
 * @flags: WEFT_EPF_*
 * @type: WEFT_EP_*
 * @sq_slots: in: requested, out: actual; 0 for a passive endpoint
 * @rq_slots: in: requested, out: actual; 0 for a passive endpoint and with WEFT_EPF_SRQ
 * @handle: out
 * @addr: in: own address, family 0: the port's first address; service 0: chosen at
 *	WEFT_IOC_EP_ENABLE or listen
 * @sq: out: struct weft_sqe[sq_slots]; PROT_READ | PROT_WRITE
 * @rq: out: struct weft_rqe[rq_slots]; PROT_READ | PROT_WRITE
 * @doorbell: out: struct weft_ep_doorbell; PROT_READ | PROT_WRITE
 * @status: out: struct weft_ep_status; PROT_READ only
 * @key: in: address of the key of the endpoint's job
 * @key_size: in: bytes of it, WEFT_KEY_MIN to WEFT_KEY_MAX; 0: the default job
 * @zone: in: protection zone of the regions that peers access through the endpoint: those with the
 *	same zone, and those without
 *
 * EKEYREJECTED: no job of the port has that key. EACCES: the job does not admit the user that
 * opened the port.
 */
struct weft_ioc_ep {
	__u32 size;
	__u32 flags;
	__u32 type;
	__u32 sq_slots;
	__u32 rq_slots;
	__u32 handle;
	struct weft_sockaddr addr;
	struct weft_map sq;
	struct weft_map rq;
	struct weft_map doorbell;
	struct weft_map status;
	__u64 key;
	__u32 key_size;
	__u32 zone;
};

/**
 * struct weft_ioc_ep_enable - bind queues and start the endpoint (WEFT_IOC_EP_ENABLE)
 * @size: size of this structure
 * @flags: 0
 * @handle: handle of the endpoint
 * @tx_cq: for completions of sends, WEFT_HANDLE_NONE: none are written
 * @rx_cq: for completions of receives, WEFT_HANDLE_NONE: none are written
 * @eq: for events, WEFT_HANDLE_NONE; required by a MSG endpoint; none in a further call
 * @av: address vector, required by an RDM or DGRAM endpoint, WEFT_HANDLE_NONE on others
 * @srq: shared receive queue, required with WEFT_EPF_SRQ, WEFT_HANDLE_NONE on others
 * @addr: out: the endpoint's address with its service
 * @tx_cntr: counter of sends, WEFT_HANDLE_NONE
 * @rx_cntr: counter of receives, WEFT_HANDLE_NONE
 * @write_cntr: counter of writes and of atomic operations without results, WEFT_HANDLE_NONE
 * @read_cntr: counter of reads and of atomic operations with results, WEFT_HANDLE_NONE
 * @remote_write_cntr: as @write_cntr, of operations of peers on regions of the context
 * @remote_read_cntr: as @read_cntr, of operations of peers on regions of the context
 *
 * A further call adds a CQ or a counter to a direction without one, on an endpoint without
 * connection. A direction with neither CQ nor counter must not be used. A counter counts each
 * message operation once, when it has reached its level or failed, with or without a completion. It
 * does not count peeks, discards and releases of buffers.
 */
struct weft_ioc_ep_enable {
	__u32 size;
	__u32 flags;
	__u32 handle;
	__u32 tx_cq;
	__u32 rx_cq;
	__u32 eq;
	__u32 av;
	__u32 srq;
	struct weft_sockaddr addr;
	__u32 tx_cntr;
	__u32 rx_cntr;
	__u32 write_cntr;
	__u32 read_cntr;
	__u32 remote_write_cntr;
	__u32 remote_read_cntr;
};

#define WEFT_SHUT_GRACEFUL	(1u << 0)	/* SHUTDOWN: complete pending sends first */

/**
 * struct weft_ioc_handle - argument of calls on an object (WEFT_IOC_DESTROY, WEFT_IOC_SHUTDOWN,
 *	WEFT_IOC_SRQ_NOTIFY)
 * @size: size of this structure
 * @flags: SHUTDOWN: WEFT_SHUT_*; else 0
 * @handle: handle of the object
 * @rsvd: 0
 *
 * Destroying an object that another object uses fails with EBUSY.
 */
struct weft_ioc_handle {
	__u32 size;
	__u32 flags;
	__u32 handle;
	__u32 rsvd;
};

/**
 * struct weft_ioc_name - an endpoint's address
 *	(WEFT_IOC_SETNAME, WEFT_IOC_GETNAME, WEFT_IOC_GETPEER)
 * @size: size of this structure
 * @flags: 0
 * @handle: handle of the endpoint
 * @rsvd: 0
 * @addr: the address
 */
struct weft_ioc_name {
	__u32 size;
	__u32 flags;
	__u32 handle;
	__u32 rsvd;
	struct weft_sockaddr addr;
};

/**
 * struct weft_ioc_cm - connection management
 * (WEFT_IOC_LISTEN, WEFT_IOC_CONNECT, WEFT_IOC_ACCEPT, WEFT_IOC_REJECT, WEFT_IOC_HANDOFF)
 * @size: size of this structure
 * @flags: 0
 * @handle: endpoint: LISTEN, REJECT, HANDOFF: passive; CONNECT, ACCEPT: active, enabled
 * @eq: LISTEN: event queue; else 0
 * @backlog: LISTEN: maximum number of waiting requests, at least 1; a second LISTEN changes it;
 *	else 0
 * @data_len: bytes of private data; more than WEFT_CM_DATA_MAX is EMSGSIZE
 * @conn: ACCEPT, REJECT, HANDOFF: id of the request, from the event; else 0
 * @addr: CONNECT: the peer; LISTEN: out: the endpoint's address with its service; HANDOFF: @port is
 *	the service of the passive endpoint that receives the request
 * @data: private data
 * @timeout_ns: CONNECT: timeout for the answer, 0: the port's limit; else 0
 */
struct weft_ioc_cm {
	__u32 size;
	__u32 flags;
	__u32 handle;
	__u32 eq;
	__u32 backlog;
	__u32 data_len;
	__u64 conn;
	struct weft_sockaddr addr;
	__u8 data[WEFT_CM_DATA_MAX];
	__u64 timeout_ns;
};

#define WEFT_MR_READ		(1u << 0)	/* for sends */
#define WEFT_MR_WRITE		(1u << 1)	/* for receives */

/**
 * struct weft_ioc_mr - register memory: keep it pinned (WEFT_IOC_MR_REG)
 * @size: size of this structure
 * @flags: 0
 * @access: WEFT_MR_*
 * @handle: out
 * @addr: user address
 * @len: bytes, not 0
 * @zone: protection zone: a number that the program chooses, 0: none
 * @rsvd: 0
 *
 * Registration is never required. If pinning is refused it succeeds all the same, and data are
 * copied.
 */
struct weft_ioc_mr {
	__u32 size;
	__u32 flags;
	__u32 access;
	__u32 handle;
	__u64 addr;
	__u64 len;
	__u32 zone;
	__u32 rsvd;
};

#define WEFT_REGION_READ	(1u << 0)	/* peers may read */
#define WEFT_REGION_WRITE	(1u << 1)	/* peers may write */

#define WEFT_REGIONF_KEY	(1u << 0)	/* the kernel chooses the key: 64 random bits */

/**
 * struct weft_ioc_region - let peers access memory (WEFT_IOC_REGION_ADD)
 * @size: size of this structure
 * @flags: WEFT_REGIONF_*
 * @access: WEFT_REGION_*; 0: no access
 * @nsegs: segments, 1 to WEFT_IOV_MAX
 * @key: in: key by which peers name the region, unique in its zone; with WEFT_REGIONF_KEY: in: 0,
 *	out: the key
 * @base: address of the first byte, as peers name it
 * @segs: user address of struct weft_iov[nsegs]: the memory, one segment behind the other
 * @cntr: counter of the operations of peers that have changed the region, WEFT_HANDLE_NONE
 * @zone: its protection zone, 0: none
 *
 * The memory need not be mapped, and is not pinned. An operation accesses what is mapped there when
 * it is executed, with the rights of the program. Peers access regions through the context's
 * endpoints with WEFT_EPF_REMOTE_READ and WEFT_EPF_REMOTE_WRITE.
 */
struct weft_ioc_region {
	__u32 size;
	__u32 flags;
	__u32 access;
	__u32 nsegs;
	__u64 key;
	__u64 base;
	__u64 segs;
	__u32 cntr;
	__u32 zone;
};

/**
 * struct weft_ioc_region_end - end a region (WEFT_IOC_REGION_END)
 * @size: size of this structure
 * @flags: 0
 * @key: its key
 * @zone: its protection zone, 0: none
 * @rsvd: 0
 *
 * When the call returns, no peer accesses the memory through the region. Operations under way fail
 * with EACCES.
 */
struct weft_ioc_region_end {
	__u32 size;
	__u32 flags;
	__u64 key;
	__u32 zone;
	__u32 rsvd;
};

/*
 * The notify call reports work in rings. It has two forms with the same effect and results:
 *
 *	ioctl(fd, WEFT_IOC_NOTIFY(WEFT_NOTIFY_*), handle of the endpoint)
 *	lseek(fd, handle of the endpoint, WEFT_NOTIFY_*)
 *
 * lseek(2) passes no security hook, so it costs half as much as the ioctl. It fails with ESPIPE
 * unless WEFT_CAP_SEEK says that the administrator permits it. Both forms take their arguments in
 * registers. They return 0, or fail as other ioctls do. Several threads may notify at a time.
 */
#define WEFT_NOTIFY_SQ		(1u << 0)
#define WEFT_NOTIFY_RQ		(1u << 1)
/*
 * Without other flags (WEFT_CAP_TIMED): as WEFT_NOTIFY_SQ, and more sends follow soon. The kernel
 * starts a timer, and shows WEFT_ST_SQ_TIMED instead of WEFT_ST_SQ_NOTIFY. The program then need
 * not notify for each send: what it has posted leaves at its next notify call, or when the timer
 * expires. A call without WEFT_NOTIFY_TIMED stops the timer.
 */
#define WEFT_NOTIFY_TIMED	(1u << 2)
#define WEFT_TIMED_US		50	/* microseconds of that timer, plus the delay of a worker */

/**
 * struct weft_ioc_cancel - cancel a receive (WEFT_IOC_CANCEL)
 * @size: size of this structure
 * @flags: 0
 * @handle: handle of the endpoint
 * @rsvd: 0
 * @context: context of the receive
 *
 * The call first processes the entries of the receive queue. The oldest unmatched receive with this
 * context gets a completion ECANCELED before the call returns. A missing receive is no error.
 * EAGAIN: the receive is still in the queue, for lack of free receives, and the completion queue is
 * full.
 */
struct weft_ioc_cancel {
	__u32 size;
	__u32 flags;
	__u32 handle;
	__u32 rsvd;
	__u64 context;
};

/**
 * struct weft_ioc_srq - create or resize a shared receive queue
 * (WEFT_IOC_SRQ_CREATE, WEFT_IOC_SRQ_RESIZE)
 * @size: size of this structure
 * @flags: 0
 * @slots: slots of the ring: in: requested, out: actual
 * @recvs: maximum number of posted and active receives, at most WEFT_RING_MAX
 * @handle: CREATE: out; RESIZE: in
 * @eq: CREATE: for its events, WEFT_HANDLE_NONE: none; else 0
 * @zone: CREATE: protection zone, 0: receives name no regions; else 0
 * @rsvd: 0
 * @rq: out: struct weft_rqe[slots]; PROT_READ | PROT_WRITE
 * @doorbell: CREATE: out: struct weft_ep_doorbell, only @rq_tail is used; PROT_READ | PROT_WRITE
 * @status: CREATE: out: struct weft_ep_status, only @rq_head and @flags are used; PROT_READ only
 *
 * The ring takes the entries of a receive queue except WEFT_RQ_CANCEL, PEEK, CLAIM and DISCARD.
 * When WEFT_ST_RQ_NOTIFY is set, posting requires WEFT_IOC_SRQ_NOTIFY.
 *
 * RESIZE returns a new ring with the posted entries at the same indices. No entry is lost, but the
 * program must not post meanwhile. EBUSY: more receives are posted or active than @recvs, or more
 * slots are in use than @slots, or the low watermark is above @recvs. Then nothing has changed.
 */
struct weft_ioc_srq {
	__u32 size;
	__u32 flags;
	__u32 slots;
	__u32 recvs;
	__u32 handle;
	__u32 eq;
	__u32 zone;
	__u32 rsvd;
	struct weft_map rq;
	struct weft_map doorbell;
	struct weft_map status;
};

/**
 * struct weft_ioc_srq_query - counts of a shared receive queue (WEFT_IOC_SRQ_QUERY)
 * @size: size of this structure
 * @flags: 0
 * @handle: handle of the queue
 * @recvs: out: maximum number of posted and active receives
 * @available: out: receives that endpoints may take
 * @held: out: receives that endpoints have taken and not completed
 * @low: out: low watermark, even after its event
 * @rsvd: 0
 */
struct weft_ioc_srq_query {
	__u32 size;
	__u32 flags;
	__u32 handle;
	__u32 recvs;
	__u32 available;
	__u32 held;
	__u32 low;
	__u32 rsvd;
};

/**
 * struct weft_ioc_mark - set and arm watermarks (WEFT_IOC_SRQ_ARM, WEFT_IOC_EP_MARK), or query the
 *	receives that an endpoint holds (WEFT_IOC_EP_HELD)
 * @size: size of this structure
 * @flags: 0
 * @handle: SRQ_ARM: of the queue; else of an endpoint that shares receives
 * @low: SRQ_ARM: one WEFT_EV_SRQ_LOW, when fewer receives than this are available; 0: none
 * @soft: EP_MARK: one WEFT_EV_EP_HIGH, when the endpoint holds more receives than this; 0: none
 * @hard: EP_MARK: the connection breaks when the endpoint holds more than this; 0: never
 * @held: EP_HELD: out: shared receives that the endpoint holds
 * @span: EP_HELD: out: distance, in order of taking, from the oldest held to the newest taken one
 */
struct weft_ioc_mark {
	__u32 size;
	__u32 flags;
	__u32 handle;
	__u32 low;
	__u32 soft;
	__u32 hard;
	__u32 held;
	__u32 span;
};

/**
 * struct weft_ioc_srq_cancel - cancel a shared receive (WEFT_IOC_SRQ_CANCEL)
 * @size: size of this structure
 * @flags: 0
 * @handle: handle of the queue
 * @cq: completion queue for the completion
 * @context: context of the receive
 *
 * As WEFT_IOC_CANCEL. EAGAIN: @cq has no space, and the receive stays posted.
 */
struct weft_ioc_srq_cancel {
	__u32 size;
	__u32 flags;
	__u32 handle;
	__u32 cq;
	__u64 context;
};

#define WEFT_GROUPS_MAX		64	/* groups that an endpoint may join */

#define WEFT_GROUP_SEND		(1u << 0)
#define WEFT_GROUP_RECV		(1u << 1)

/**
 * struct weft_ioc_group - join or leave a multicast group (WEFT_IOC_GROUP_JOIN,
 * WEFT_IOC_GROUP_LEAVE)
 * @size: size of this structure
 * @flags: JOIN: WEFT_GROUP_*, one of them at least; LEAVE: 0
 * @handle: handle of an enabled DGRAM endpoint
 * @group: JOIN: out; LEAVE: in: number of the group at this endpoint, for @dst of sends
 * @addr: JOIN: in: an IPv4 or IPv6 multicast address, scope 0, of a family that the endpoint's
 *	address has; service 0: the endpoint's; out: the same with the service; LEAVE: 0
 *
 * Destroying the endpoint leaves its groups. A datagram to a group reaches all endpoints that have
 * joined it, on this node and on other nodes. It reaches the sender too, if that receives. Each
 * endpoint gets one copy.
 */
struct weft_ioc_group {
	__u32 size;
	__u32 flags;
	__u32 handle;
	__u32 group;
	struct weft_sockaddr addr;
};

#define WEFT_IOC_QUERY		_IOWR('w', 0x01, struct weft_ioc_query)
#define WEFT_IOC_CQ_CREATE	_IOWR('w', 0x02, struct weft_ioc_cq)
#define WEFT_IOC_EQ_CREATE	_IOWR('w', 0x03, struct weft_ioc_eq)
#define WEFT_IOC_AV_CREATE	_IOWR('w', 0x04, struct weft_ioc_av)
#define WEFT_IOC_AV_INSERT	_IOWR('w', 0x05, struct weft_ioc_av_insert)
#define WEFT_IOC_AV_REMOVE	_IOWR('w', 0x06, struct weft_ioc_av_insert)
#define WEFT_IOC_EP_CREATE	_IOWR('w', 0x07, struct weft_ioc_ep)
#define WEFT_IOC_EP_ENABLE	_IOWR('w', 0x08, struct weft_ioc_ep_enable)
#define WEFT_IOC_DESTROY	_IOW('w', 0x09, struct weft_ioc_handle)
#define WEFT_IOC_SETNAME	_IOWR('w', 0x0a, struct weft_ioc_name)
#define WEFT_IOC_GETNAME	_IOWR('w', 0x0b, struct weft_ioc_name)
#define WEFT_IOC_GETPEER	_IOWR('w', 0x0c, struct weft_ioc_name)
#define WEFT_IOC_LISTEN		_IOWR('w', 0x0d, struct weft_ioc_cm)
#define WEFT_IOC_CONNECT	_IOWR('w', 0x0e, struct weft_ioc_cm)
#define WEFT_IOC_ACCEPT		_IOWR('w', 0x0f, struct weft_ioc_cm)
#define WEFT_IOC_REJECT		_IOWR('w', 0x10, struct weft_ioc_cm)
#define WEFT_IOC_SHUTDOWN	_IOW('w', 0x11, struct weft_ioc_handle)
#define WEFT_IOC_MR_REG		_IOWR('w', 0x12, struct weft_ioc_mr)
#define WEFT_IOC_HANDOFF	_IOWR('w', 0x13, struct weft_ioc_cm)
#define WEFT_IOC_CANCEL		_IOW('w', 0x14, struct weft_ioc_cancel)
#define WEFT_IOC_SRQ_CREATE	_IOWR('w', 0x20, struct weft_ioc_srq)
#define WEFT_IOC_SRQ_RESIZE	_IOWR('w', 0x21, struct weft_ioc_srq)
#define WEFT_IOC_SRQ_QUERY	_IOWR('w', 0x22, struct weft_ioc_srq_query)
#define WEFT_IOC_SRQ_NOTIFY	_IOW('w', 0x23, struct weft_ioc_handle)
#define WEFT_IOC_SRQ_CANCEL	_IOW('w', 0x24, struct weft_ioc_srq_cancel)
#define WEFT_IOC_SRQ_ARM	_IOW('w', 0x25, struct weft_ioc_mark)
#define WEFT_IOC_EP_MARK	_IOW('w', 0x26, struct weft_ioc_mark)
#define WEFT_IOC_EP_HELD	_IOWR('w', 0x27, struct weft_ioc_mark)
#define WEFT_IOC_GROUP_JOIN	_IOWR('w', 0x28, struct weft_ioc_group)
#define WEFT_IOC_GROUP_LEAVE	_IOW('w', 0x29, struct weft_ioc_group)
#define WEFT_IOC_REGION_ADD	_IOWR('w', 0x2a, struct weft_ioc_region)
#define WEFT_IOC_REGION_END	_IOW('w', 0x2b, struct weft_ioc_region_end)
/* the notify call: numbers 0x31 to 0x34; the argument is the handle, not a pointer */
#define WEFT_IOC_NOTIFY(what)	_IO('w', 0x30 + (what))

/* ---- The file of a completion queue or counter ---------------------------------------------- */

/**
 * struct weft_ioc_wait - wait for entries (WEFT_IOC_CQ_WAIT)
 * @size: size of this structure
 * @flags: 0
 * @seen: producer index that the caller knows: the call returns at once if the queue's differs
 * @rsvd: 0
 * @timeout_ns: longest time to wait in nanoseconds; 0: only check; from 2^56 on: no timeout
 *
 * Returns 0 if there are entries, else ETIMEDOUT or EINTR (a signal).
 */
struct weft_ioc_wait {
	__u32 size;
	__u32 flags;
	__u32 seen;
	__u32 rsvd;
	__u64 timeout_ns;
};

/*
 * With WEFT_CAP_SEEK, lseek(2) on this file waits, too:
 *
 *	lseek(fd, WEFT_CQ_SEEK | number << 32 | shift << 57 | seen, WEFT_CQ_SEEK_WAIT)
 *
 * seen: the producer index that the caller knows, 32 bits. The call returns at once if the queue's
 * index differs. The timeout is number << shift nanoseconds, 25 and 5 bits. All of them set
 * (WEFT_CQ_SEEK_EVER) means no timeout. Bit 63 is clear, so neither half of the position is a valid
 * position alone.
 *
 * Results are those of the ioctl. ESPIPE: lseek(2) is not permitted.
 */
#define WEFT_CQ_SEEK_WAIT	2
#define WEFT_CQ_SEEK		(1ull << 62)
#define WEFT_CQ_SEEK_EVER	(WEFT_CQ_SEEK | 0x3fffffffull << 32)

/* completions have waited for space, which is available now */
#define WEFT_IOC_CQ_NOTIFY	_IO('w', 0x41)
#define WEFT_IOC_CQ_WAIT	_IOW('w', 0x43, struct weft_ioc_wait)
/*
 * Make one present or future wait return ECANCELED. For a counter: move its
 * index, so that all waits return 0.
 */
#define WEFT_IOC_CQ_SIGNAL	_IO('w', 0x42)

/* ---- Events: read(2) from the file of an event queue ---------------------------------------- */

#define WEFT_EV_CONNREQ		1	/* on a passive endpoint: @conn, @addr of the peer, data */
#define WEFT_EV_CONNECTED	2	/* data: private data of accept, on the active side */
/* once for each connection, on either side; @status: errno: the connection broke */
#define WEFT_EV_SHUTDOWN	3
#define WEFT_EV_CONN_FAILED	4	/* @status; data: private data of reject */
#define WEFT_EV_EP_ERROR	5	/* @status: the endpoint accepts no more work */
/* on the event queue of a shared receive queue: */
#define WEFT_EV_SRQ_LOW		16	/* @handle: the queue; its low watermark was reached */
#define WEFT_EV_EP_HIGH		17	/* an endpoint's soft high watermark was exceeded */
#define WEFT_EV_SRQ_LAST	18	/* a disconnected endpoint: takes no more receives */

/**
 * struct weft_event - an event
 * @type: WEFT_EV_*
 * @handle: handle of the endpoint
 * @status: errno
 * @data_len: bytes of private data after this structure (padded with zeros to a multiple of 8)
 * @conn: id of a request, for WEFT_IOC_ACCEPT or WEFT_IOC_REJECT
 * @addr: peer's address
 */
struct weft_event {
	__u32 type;
	__u32 handle;
	__u32 status;
	__u32 data_len;
	__u64 conn;
	struct weft_sockaddr addr;
};

#endif /* _UAPI_LINUX_WEFT_H */
