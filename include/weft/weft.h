/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * libweft - user library for the character devices /dev/weft/<port>
 *
 * The library maps the kernel's rings and turns calls into ring entries, doorbells and ioctls.
 * Entries, completions, events, addresses and every WEFT_* constant are those of <linux/weft.h>.
 * Documentation/uapi.rst describes the kernel's part. Each function has a manual page of its name:
 * weft_send(3). libweft(3) lists the pages. Below, the heading of a part names its pages.
 *
 * Results. Functions that return int give 0 (or a count) on success and a negative errno on
 * failure. If the kernel refuses a call, its errno is passed on. In the following comments "-errno"
 * stands for the errors of all calls that enter the kernel: -EPERM: the context belongs to another
 * process, as rings are not inherited by fork. -ENODEV: the port is gone. -ENOENT: an object of
 * another context. -ENOMEM. -EIO: the process that opened the context has ended.
 *
 * Threads. Calls on different objects may run at the same time, also if the objects share a
 * context. Calls on one object must not overlap, unless a function says so. An endpoint counts as
 * two objects. Its sending half is used by the weft_send family and weft_flush_send. Its receiving
 * half is used by the weft_recv family, weft_flush_recv and weft_cancel. All other calls on an
 * endpoint except weft_ep_destroy may overlap with both. The caller does the locking.
 *
 * Memory. The library does not read "out" structures. Buffers of messages belong to the caller, and
 * must stay valid until the completion. The payload of a send with WEFT_SQ_INLINE may be reused
 * when the call returns.
 */
#ifndef _WEFT_WEFT_H
#define _WEFT_WEFT_H

#include <weft/types.h>
#include <weft/queue.h>
#include <weft/msg.h>
#include <weft/rma.h>
#include <weft/trigger.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* ---- Addresses: weft_addr(3) ------------------------------------------------------------ */

/**
 * weft_addr_from_sockaddr() - convert a socket address
 * @addr: out
 * @sa: a struct sockaddr_in or sockaddr_in6
 * @len: bytes at @sa
 *
 * Any thread.
 *
 * Return: 0, -EINVAL (@len too short), -EAFNOSUPPORT.
 */
int weft_addr_from_sockaddr(struct weft_sockaddr *addr, const struct sockaddr *sa, socklen_t len);

/**
 * weft_addr_to_sockaddr() - convert to a socket address
 * @addr: of family AF_INET or AF_INET6
 * @ss: out: the whole structure is written
 *
 * Any thread.
 *
 * Return: number of bytes used at @ss: sizeof(struct sockaddr_in) or of sockaddr_in6;
 * -EAFNOSUPPORT.
 */
int weft_addr_to_sockaddr(const struct weft_sockaddr *addr, struct sockaddr_storage *ss);

/* ---- Ports and contexts: weft_open(3) --------------------------------------------------- */

/**
 * weft_ports() - list the names of this machine's ports, sorted
 * @names: out: space for @max names, may be NULL when @max is 0
 * @max: maximum number of names
 *
 * Reads /dev/weft/, which includes ports of other network namespaces. weft_open() refuses those.
 *
 * Any thread.
 *
 * Return: number of ports (may be more than @max), 0 when the module is not loaded; -EACCES,
 * -ENOMEM.
 */
int weft_ports(char (*names)[WEFT_NAME_MAX], unsigned int max);

/**
 * weft_open() - open a port and create a context
 * @port: its name, or the path of its device when it begins with '/'
 * @ctx: out
 *
 * The context belongs to the calling process; a forked child must open its own. Any thread.
 *
 * Return: 0, -ENOENT (no such port), -EACCES (not in the device's group), -ENODEV (port of another
 * network namespace, or being deleted), -ENOSPC (the user has too many contexts), -EPROTONOSUPPORT
 * (the kernel has another WEFT_ABI_VERSION), -EMFILE, -ENFILE, -ENOMEM, -ENAMETOOLONG.
 */
int weft_open(const char *port, struct weft_ctx **ctx);

/**
 * weft_close() - close a context
 * @ctx: context without objects; no other call on it runs
 *
 * Return: 0, -EBUSY (objects are left: destroy them first; registered memory does not count and
 * ends with the context).
 */
int weft_close(struct weft_ctx *ctx);

/**
 * weft_query() - query the capabilities and state of the port (WEFT_IOC_QUERY)
 * @ctx: context
 * @q: out
 *
 * Queries the kernel each time: link_up, mtu and addresses are current. Any thread.
 *
 * Return: 0, -errno.
 */
int weft_query(struct weft_ctx *ctx, struct weft_ioc_query *q);

/* ---- Memory: weft_mr_reg(3) ------------------------------------------------------------- */

/**
 * weft_mr_reg() - keep memory pinned (WEFT_IOC_MR_REG); never required, only saves later pinning
 * @ctx: context
 * @addr: first byte
 * @len: bytes, not 0
 * @access: WEFT_MR_READ (sends), WEFT_MR_WRITE (receives) or both
 * @handle: out: for weft_mr_dereg()
 *
 * Any thread.
 *
 * Return: 0, -EINVAL: access or length, -EFAULT: not mapped, or not with this access, -EMFILE: too
 * many objects, -EINTR, -errno.
 */
int weft_mr_reg(struct weft_ctx *ctx, const void *addr, size_t len, uint32_t access,
		uint32_t *handle);

/**
 * weft_mr_reg_zone() - keep memory pinned in a protection zone, for shared receives that name
 *	regions
 * @ctx: as in weft_mr_reg()
 * @addr: as in weft_mr_reg()
 * @len: as in weft_mr_reg()
 * @access: as in weft_mr_reg()
 * @zone: a number that the program chooses, 0: none
 * @handle: out: also the region's key
 *
 * Any thread.
 *
 * Return: 0, -EINVAL: access or length, -EFAULT: not mapped, or not with this access, -EMFILE: too
 * many objects, -EINTR, -errno.
 */
int weft_mr_reg_zone(struct weft_ctx *ctx, const void *addr, size_t len, uint32_t access,
		     uint32_t zone, uint32_t *handle);

/**
 * weft_mr_dereg() - end a registration of weft_mr_reg()
 * @ctx: context
 * @handle: from weft_mr_reg()
 *
 * Any thread.
 *
 * Return: 0, -ENOENT: no such region, -errno.
 */
int weft_mr_dereg(struct weft_ctx *ctx, uint32_t handle);

/* ---- Address vectors: weft_av(3) -------------------------------------------------------- */

/**
 * weft_av_create() - create an address vector (WEFT_IOC_AV_CREATE)
 * @ctx: context
 * @count: number of expected entries, a hint, at most WEFT_AV_MAX; 0: unknown
 * @av: out
 *
 * Any thread.
 *
 * Return: 0, -EINVAL: @count, -EMFILE: too many objects, -ENOMEM, -errno.
 */
int weft_av_create(struct weft_ctx *ctx, uint32_t count, struct weft_av **av);

/**
 * weft_av_destroy() - destroy an address vector
 * @av: address vector, not used by an endpoint
 *
 * Return: 0; -EBUSY and others: the vector still exists.
 */
int weft_av_destroy(struct weft_av *av);

/**
 * weft_av_insert() - insert addresses (WEFT_IOC_AV_INSERT)
 * @av: address vector
 * @addrs: @count addresses
 * @count: any number
 * @index: out: @count indices, WEFT_SRC_ANY for an address that was refused. May be NULL.
 *
 * The kernel assigns the lowest free index, so an empty vector is filled 0, 1, 2, ... An address
 * that is in the vector already keeps its index.
 *
 * Return: number inserted; -ENOMEM, -EFAULT, -errno: nothing was inserted.
 */
int weft_av_insert(struct weft_av *av, const struct weft_sockaddr *addrs, size_t count,
		   uint32_t *index);

/**
 * weft_av_insert_at() - insert addresses at certain indices (WEFT_IOC_AV_INSERT, WEFT_AVF_AT)
 * @av: address vector
 * @addrs: @count addresses
 * @count: any number
 * @index: in: @count indices; out: WEFT_SRC_ANY for an address that was refused, or whose index is
 *	   in use
 *
 * Return: number inserted; -ENOMEM, -EFAULT, -errno: nothing was inserted.
 */
int weft_av_insert_at(struct weft_av *av, const struct weft_sockaddr *addrs, size_t count,
		      uint32_t *index);

/**
 * weft_av_remove() - remove addresses (WEFT_IOC_AV_REMOVE)
 * @av: address vector
 * @index: @count indices
 * @count: any number
 *
 * An address goes after as many removals as insertions.
 *
 * Each call into the kernel removes 4096 indices; the first one that fails is the last one.
 *
 * Return: 0; -ENOENT: an index was not in use, the others of that call have been removed; -EINVAL:
 * none of that call was in use; -EFAULT, -errno.
 */
int weft_av_remove(struct weft_av *av, const uint32_t *index, size_t count);

/**
 * weft_av_lookup() - read the address at an index from the library's copy
 * @av: address vector
 * @index: index of an inserted address
 * @addr: out
 *
 * Return: 0, -ENOENT: no address there.
 */
int weft_av_lookup(const struct weft_av *av, uint32_t index, struct weft_sockaddr *addr);

/* ---- Endpoints: weft_ep(3) -------------------------------------------------------------- */

/**
 * struct weft_ep_attr - attributes of a new endpoint
 * @type: WEFT_EP_*
 * @flags: WEFT_EPF_*
 * @sq_slots: in: requested, out: actual (a power of two); 0 for a passive endpoint. A send takes
 *	one slot, plus slots for its inline payload (64 bytes each) or its segments (4 each, if more
 *	than one)
 * @rq_slots: the same for receives; 0 with WEFT_EPF_SRQ
 * @addr: own address; family 0: the port's first; service 0: chosen at enable or listen
 * @key: key of the endpoint's job
 * @key_size: bytes of it, WEFT_KEY_MIN to WEFT_KEY_MAX; 0: the default job
 * @zone: protection zone of the regions that peers access through it: those with the same zone, and
 *	those without
 */
struct weft_ep_attr {
	uint32_t type;
	uint32_t flags;
	uint32_t sq_slots;
	uint32_t rq_slots;
	struct weft_sockaddr addr;
	const void *key;
	uint32_t key_size;
	uint32_t zone;
};

/**
 * weft_ep_create() - create an endpoint (WEFT_IOC_EP_CREATE)
 * @ctx: context
 * @attr: in and out
 * @ep: out
 *
 * Any thread.
 *
 * Return: 0; -EINVAL: type, flags, slots, address or length of the key; -EADDRNOTAVAIL,
 * -EAFNOSUPPORT: not an address of this port; -EKEYREJECTED: no job of the port has that key;
 * -EACCES: the job does not admit this user; -EMFILE: too many objects; -ENOSPC: a limit of the
 * user; -ENOMEM, -errno.
 */
int weft_ep_create(struct weft_ctx *ctx, struct weft_ep_attr *attr, struct weft_ep **ep);

/**
 * weft_ep_destroy() - destroy an endpoint; its pending operations get no completion
 * @ep: endpoint; no other call on it runs
 *
 * Return: 0, -errno: the endpoint still exists.
 */
int weft_ep_destroy(struct weft_ep *ep);

/**
 * weft_ep_enable() - bind queues and start the endpoint (WEFT_IOC_EP_ENABLE)
 * @ep: endpoint, not passive
 * @tx_cq: for completions of sends; NULL: no sends until a further call gives a queue, with the
 *	same @av and no @eq
 * @rx_cq: for completions of receives; likewise
 * @eq: for events; required by a MSG endpoint
 * @av: address vector; required by an RDM endpoint, NULL on others
 *
 * Return: 0, -EINVAL: the queues do not fit the endpoint, -EBUSY: enabled already, -EADDRINUSE: the
 * service, or all services, -ENOMEM, -errno.
 */
int weft_ep_enable(struct weft_ep *ep, struct weft_cq *tx_cq, struct weft_cq *rx_cq,
		   struct weft_eq *eq, struct weft_av *av);

/**
 * weft_ep_enable_srq() - bind queues and start an endpoint that may share its receives
 * @ep: as in weft_ep_enable()
 * @tx_cq: as in weft_ep_enable()
 * @rx_cq: as in weft_ep_enable()
 * @eq: as in weft_ep_enable()
 * @av: as in weft_ep_enable(); RDM endpoints that share receives have the same one
 * @srq: source of its receives; required with WEFT_EPF_SRQ, else NULL
 *
 * Return: 0, -EINVAL: the queues do not fit the endpoint, -EBUSY: enabled already, -EADDRINUSE: the
 * service, or all services, -ENOMEM, -errno.
 */
int weft_ep_enable_srq(struct weft_ep *ep, struct weft_cq *tx_cq, struct weft_cq *rx_cq,
		       struct weft_eq *eq, struct weft_av *av, struct weft_srq *srq);

/**
 * struct weft_ep_queues - queues that an endpoint is bound to; NULL: none of this kind
 * @tx_cq: for completions of sends
 * @rx_cq: for completions of receives
 * @tx_cntr: counts sends
 * @rx_cntr: counts receives
 * @eq: for events
 * @av: address vector
 * @srq: source of its receives
 * @write_cntr: counts writes
 * @read_cntr: counts reads
 * @remote_write_cntr: counts writes of peers to regions
 * @remote_read_cntr: counts reads of peers from regions
 */
struct weft_ep_queues {
	struct weft_cq *tx_cq;
	struct weft_cq *rx_cq;
	struct weft_cntr *tx_cntr;
	struct weft_cntr *rx_cntr;
	struct weft_eq *eq;
	struct weft_av *av;
	struct weft_srq *srq;
	struct weft_cntr *write_cntr;
	struct weft_cntr *read_cntr;
	struct weft_cntr *remote_write_cntr;
	struct weft_cntr *remote_read_cntr;
};

/**
 * weft_ep_enable_all() - bind queues and counters, and start the endpoint
 * @ep: as in weft_ep_enable()
 * @q: as in weft_ep_enable(), its queues may be NULL; a direction has a completion queue, a counter
 *	or both
 *
 * Return: 0, -EINVAL: the queues do not fit the endpoint, -EBUSY: enabled already, -EADDRINUSE: the
 * service, or all services, -ENOMEM, -errno.
 */
int weft_ep_enable_all(struct weft_ep *ep, const struct weft_ep_queues *q);

/**
 * weft_ep_mark() - set watermarks on the shared receives that an endpoint holds (WEFT_IOC_EP_MARK)
 * @ep: endpoint that shares receives, enabled
 * @soft: one WEFT_EV_EP_HIGH when the endpoint holds more, 0: never
 * @hard: the connection breaks when the endpoint holds more, 0: never
 *
 * Return: 0, -EINVAL: shares no receives, or a @soft without event queue, -ENOSPC: as for
 * weft_srq_arm(), -errno.
 */
int weft_ep_mark(struct weft_ep *ep, uint32_t soft, uint32_t hard);

/**
 * weft_ep_held() - count the shared receives that an endpoint holds (WEFT_IOC_EP_HELD)
 * @ep: endpoint that shares receives, enabled
 * @held: out: taken and not completed
 * @span: out: distance, in order of taking, from the oldest held to the newest taken one
 *
 * Return: 0, -EINVAL: shares no receives, -errno.
 */
int weft_ep_held(struct weft_ep *ep, uint32_t *held, uint32_t *span);

/**
 * weft_ep_handle() - report the kernel's handle
 * @ep: endpoint
 *
 * The handle is in struct weft_event.handle; its low 16 bits are in struct weft_cqe.ep. Any thread.
 *
 * Return: the handle.
 */
uint32_t weft_ep_handle(const struct weft_ep *ep);

/**
 * weft_ep_flags() - read the current WEFT_ST_*; 0 for a passive endpoint
 * @ep: endpoint
 *
 * Any thread; one load from the mapped status page.
 *
 * Return: WEFT_ST_*.
 */
uint32_t weft_ep_flags(const struct weft_ep *ep);

/**
 * weft_setname() - set the own address before enable or listen (WEFT_IOC_SETNAME)
 * @ep: endpoint
 * @addr: see struct weft_ep_attr; family not 0
 *
 * Return: 0, -EINVAL: not well formed, -EADDRNOTAVAIL, -EAFNOSUPPORT: not an address of this port,
 * -EADDRINUSE, -EBUSY: enabled or listening already, -errno.
 */
int weft_setname(struct weft_ep *ep, const struct weft_sockaddr *addr);

/**
 * weft_getname() - report the own address (WEFT_IOC_GETNAME)
 * @ep: endpoint
 * @addr: out
 *
 * Return: 0, -errno.
 */
int weft_getname(struct weft_ep *ep, struct weft_sockaddr *addr);

/**
 * weft_getpeer() - report the address of the peer of a connected endpoint (WEFT_IOC_GETPEER)
 * @ep: endpoint
 * @addr: out
 *
 * Return: 0, -ENOTCONN: not connected, -errno.
 */
int weft_getpeer(struct weft_ep *ep, struct weft_sockaddr *addr);

/* ---- Shared receive queues: weft_srq(3) ------------------------------------------------- */

/**
 * struct weft_srq_attr - attributes of a new shared receive queue
 * @slots: slots of the ring, 1..WEFT_RING_MAX: in: requested, out: actual; counted as in struct
 *	weft_ep_attr
 * @recvs: maximum number of posted and active receives, 1..WEFT_RING_MAX
 * @zone: protection zone, 0: receives name no regions
 */
struct weft_srq_attr {
	uint32_t slots;
	uint32_t recvs;
	uint32_t zone;
};

/**
 * weft_srq_create() - create a shared receive queue (WEFT_IOC_SRQ_CREATE)
 * @ctx: context
 * @attr: in and out
 * @eq: for WEFT_EV_SRQ_LOW, WEFT_EV_EP_HIGH, WEFT_EV_SRQ_LAST; NULL: these events are lost
 * @srq: out
 *
 * Any thread.
 *
 * Return: 0, -EINVAL: slots or receives, -EMFILE: too many objects, -ENOSPC: a limit of the user,
 * -ENOMEM, -errno.
 */
int weft_srq_create(struct weft_ctx *ctx, struct weft_srq_attr *attr, struct weft_eq *eq,
		    struct weft_srq **srq);

/**
 * weft_srq_destroy() - destroy a shared receive queue; posted receives are dropped
 * @srq: shared receive queue, not used by an endpoint
 *
 * Return: 0; -EBUSY and others: the queue still exists.
 */
int weft_srq_destroy(struct weft_srq *srq);

/**
 * weft_srq_resize() - change the size; no posted receive is lost (WEFT_IOC_SRQ_RESIZE)
 * @srq: shared receive queue; the program posts no receives meanwhile
 * @slots: slots of the ring
 * @recvs: maximum number of posted and active receives
 *
 * Return: 0, -EINVAL: slots or receives, -EBUSY: more are in use, or the low watermark is above
 * @recvs, -ENOSPC: a limit of the user, -ENOMEM, -errno: nothing has changed.
 */
int weft_srq_resize(struct weft_srq *srq, uint32_t slots, uint32_t recvs);

/**
 * weft_srq_query() - read the counts (WEFT_IOC_SRQ_QUERY)
 * @srq: shared receive queue
 * @q: out
 *
 * Any thread.
 *
 * Return: 0, -errno.
 */
int weft_srq_query(struct weft_srq *srq, struct weft_ioc_srq_query *q);

/**
 * weft_srq_arm() - set and arm the low watermark (WEFT_IOC_SRQ_ARM)
 * @srq: shared receive queue with an event queue
 * @low: one WEFT_EV_SRQ_LOW when fewer receives are available; 0: none
 *
 * Any thread.
 *
 * Return: 0, -EINVAL: more than @recvs, or no event queue, -ENOSPC: 1024 such events are unread,
 * -errno.
 */
int weft_srq_arm(struct weft_srq *srq, uint32_t low);

/**
 * weft_srq_cancel() - cancel the oldest shared receive with this context (WEFT_IOC_SRQ_CANCEL)
 * @srq: shared receive queue
 * @cq: receives its completion (ECANCELED) before the call returns
 * @context: context of the receive
 *
 * Return: 0, also if no such receive exists; -EAGAIN: @cq is full, the receive stays; -errno.
 */
int weft_srq_cancel(struct weft_srq *srq, struct weft_cq *cq, uint64_t context);

/**
 * weft_srq_handle() - report the kernel's handle: struct weft_event.handle of WEFT_EV_SRQ_LOW
 * @srq: shared receive queue
 *
 * Any thread.
 *
 * Return: the handle.
 */
uint32_t weft_srq_handle(const struct weft_srq *srq);

/* ---- Connections: weft_connect(3) ------------------------------------------------------- */

/*
 * Private data: at most WEFT_CM_DATA_MAX bytes; more fails with -EMSGSIZE. Results arrive as events
 * (WEFT_EV_*).
 */

/**
 * weft_listen() - start to accept connection requests on a passive endpoint (WEFT_IOC_LISTEN)
 * @pep: passive endpoint
 * @eq: receives WEFT_EV_CONNREQ events
 * @backlog: maximum number of waiting requests, at least 1; a second call changes it
 *
 * Return: 0, -EINVAL: not passive, no backlog, or another event queue than before, -EADDRINUSE: the
 * service, or all services, -ENOMEM, -errno.
 */
int weft_listen(struct weft_ep *pep, struct weft_eq *eq, uint32_t backlog);

/**
 * weft_connect() - request a connection to a peer (WEFT_IOC_CONNECT)
 * @ep: MSG endpoint, enabled
 * @addr: the peer's passive endpoint
 * @data: private data
 * @len: bytes of private data
 *
 * Return: 0: WEFT_EV_CONNECTED or WEFT_EV_CONN_FAILED will come; -EINVAL: endpoint, address;
 * -EISCONN, -EBUSY: is or was connected; -EAFNOSUPPORT, -ENETUNREACH, -EHOSTUNREACH: the port
 * cannot reach @addr; -ENOSPC: the limit of paths; -EMSGSIZE, -ENOMEM, -errno.
 */
int weft_connect(struct weft_ep *ep, const struct weft_sockaddr *addr, const void *data,
		 size_t len);

/**
 * weft_connect_within() - request a connection to a peer, with a timeout (WEFT_IOC_CONNECT)
 * @ep: MSG endpoint, enabled
 * @addr: the peer's passive endpoint
 * @data: private data
 * @len: bytes of private data
 * @timeout_ns: time until WEFT_EV_CONN_FAILED, at most a day; 0: the port's limit accept-ms
 *
 * Return: 0: WEFT_EV_CONNECTED or WEFT_EV_CONN_FAILED will come; -EINVAL: endpoint, address, time;
 * -EISCONN, -EBUSY: is or was connected; -EAFNOSUPPORT, -ENETUNREACH, -EHOSTUNREACH: the port
 * cannot reach @addr; -ENOSPC: the limit of paths; -EMSGSIZE, -ENOMEM, -errno.
 */
int weft_connect_within(struct weft_ep *ep, const struct weft_sockaddr *addr, const void *data,
			size_t len, uint64_t timeout_ns);

/**
 * weft_accept() - accept a request (WEFT_IOC_ACCEPT)
 * @ep: MSG endpoint, enabled
 * @conn: id from WEFT_EV_CONNREQ
 * @data: private data
 * @len: bytes of private data
 *
 * Return: 0: WEFT_EV_CONNECTED or WEFT_EV_CONN_FAILED will come; -EINVAL: no such request, or the
 * endpoint does not fit it; -EISCONN, -EBUSY: is or was connected; -EMSGSIZE, -ENOMEM, -errno.
 */
int weft_accept(struct weft_ep *ep, uint64_t conn, const void *data, size_t len);

/**
 * weft_reject() - refuse a request (WEFT_IOC_REJECT)
 * @pep: passive endpoint
 * @conn: id from WEFT_EV_CONNREQ
 * @data: private data
 * @len: bytes of private data
 *
 * Return: 0, -EINVAL: no such request, -EMSGSIZE, -errno.
 */
int weft_reject(struct weft_ep *pep, uint64_t conn, const void *data, size_t len);

/**
 * weft_handoff() - give a request to another passive endpoint of the node (WEFT_IOC_HANDOFF)
 * @pep: passive endpoint that received it
 * @conn: id from WEFT_EV_CONNREQ
 * @service: service of the other endpoint in host byte order, which receives WEFT_EV_CONNREQ
 *
 * Return: 0, -EINVAL: no such request; -ENOENT: no endpoint listens there; -EAGAIN: its backlog is
 * full; -errno.
 */
int weft_handoff(struct weft_ep *pep, uint64_t conn, uint16_t service);

/**
 * weft_shutdown() - end a connection (WEFT_IOC_SHUTDOWN)
 * @ep: MSG endpoint
 *
 * Return: 0, -ENOTCONN: was never connected, -errno.
 */
int weft_shutdown(struct weft_ep *ep);

/**
 * weft_shutdown_graceful() - end a connection after its pending sends
 * @ep: MSG endpoint
 *
 * Return: 0, -ENOTCONN: was never connected, -errno.
 */
int weft_shutdown_graceful(struct weft_ep *ep);

/* ---- Multicast groups: weft_group(3) ---------------------------------------------------- */

/**
 * weft_group_join() - join a multicast group (WEFT_IOC_GROUP_JOIN)
 * @ep: enabled DGRAM endpoint
 * @addr: the group; service 0: the endpoint's service
 * @flags: WEFT_GROUP_*
 * @group: out: its number, the destination of sends with WEFT_SQ_GROUP
 *
 * Return: 0, -EINVAL: endpoint, flags or address, -EAFNOSUPPORT: another family than the
 * endpoint's, -EALREADY: has joined, -ENOSPC: WEFT_GROUPS_MAX, or 256 of the port, -ENETUNREACH,
 * -ENOMEM, -errno.
 */
int weft_group_join(struct weft_ep *ep, const struct weft_sockaddr *addr, uint32_t flags,
		    uint32_t *group);

/**
 * weft_group_leave() - leave a multicast group (WEFT_IOC_GROUP_LEAVE)
 * @ep: DGRAM endpoint
 * @group: number of the group
 *
 * Return: 0, -ENOENT: no such group, -errno.
 */
int weft_group_leave(struct weft_ep *ep, uint32_t group);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* _WEFT_WEFT_H */
