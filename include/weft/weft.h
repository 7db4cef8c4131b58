/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * libweft - the user's side of the character devices /dev/weft/<port>
 *
 * Thin: it maps the kernel's rings and turns calls into ring entries, doorbells and ioctls.
 * Entries, completions, events, addresses and every WEFT_* constant are those of <linux/weft.h>;
 * see Documentation/uapi.rst for what the kernel does with them.
 *
 * Results. Functions that return int give 0 (or a count) on success and a negative errno on
 * failure. Where the kernel refuses a call its errno is passed on: -EINVAL (arguments), -ENOENT (no
 * such handle), -EPERM (the context belongs to another process: rings are not inherited by fork),
 * -ENODEV (the port is gone), -EBUSY (in use).
 *
 * Threads. Calls on different objects may run at the same time, also when the objects share a
 * context. Calls on one object must not overlap, except as noted; an endpoint counts as two
 * objects, its sending half (weft_send family, weft_flush_send) and its receiving half (weft_recv
 * family, weft_flush_recv, weft_cancel), and all other calls on an endpoint except weft_ep_destroy
 * may run at the same time as either. The caller does the locking.
 *
 * Memory. Structures named as "out" are not read. Buffers of messages stay the caller's and must
 * stay valid until the completion says so; payload of a send with WEFT_SQ_INLINE may be reused when
 * the call returns.
 */
#ifndef _WEFT_WEFT_H
#define _WEFT_WEFT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <linux/weft.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

struct weft_ctx;		/* an open port: one address space's share of it */
struct weft_cq;			/* completion queue */
struct weft_cntr;		/* counter */
struct weft_eq;			/* event queue */
struct weft_av;			/* address vector */
struct weft_ep;			/* endpoint, passive ones too */
struct weft_srq;		/* shared receive queue */

#define WEFT_FOREVER	UINT64_MAX	/* a timeout that never passes */

/* ---- Addresses ------------------------------------------------------------------------- */

/**
 * weft_addr_from_sockaddr() - convert a socket address
 * @addr: out
 * @sa: a struct sockaddr_in or sockaddr_in6
 * @len: bytes at @sa
 *
 * Any thread. Return: 0, -EINVAL (@len too short), -EAFNOSUPPORT.
 */
int weft_addr_from_sockaddr(struct weft_sockaddr *addr, const struct sockaddr *sa, socklen_t len);

/**
 * weft_addr_to_sockaddr() - convert to a socket address
 * @addr: of family AF_INET or AF_INET6
 * @ss: out: the whole structure is written
 *
 * Any thread. Return: bytes used at @ss: sizeof(struct sockaddr_in) or of sockaddr_in6;
 * -EAFNOSUPPORT.
 */
int weft_addr_to_sockaddr(const struct weft_sockaddr *addr, struct sockaddr_storage *ss);

/* ---- Ports and contexts ---------------------------------------------------------------- */

/**
 * weft_ports() - names of this machine's ports, sorted
 * @names: out: room for @max names, may be NULL when @max is 0
 * @max: names that fit
 *
 * Lists /dev/weft/. Ports of other network namespaces stand there too; weft_open() refuses them.
 *
 * Any thread. Return: how many ports there are (may be more than @max), 0 when the module is not
 * loaded; -errno.
 */
int weft_ports(char (*names)[WEFT_NAME_MAX], unsigned int max);

/**
 * weft_open() - open a port: make a context
 * @port: its name, or the path of its device when it begins with '/'
 * @ctx: out
 *
 * The context belongs to the calling process; a forked child must open its own. Any thread.
 *
 * Return: 0, -ENOENT (no such port), -EACCES (not in the device's group), -EPERM (port of another
 * network namespace), -EPROTONOSUPPORT (the kernel's WEFT_ABI_VERSION is another), -ENOMEM,
 * -ENAMETOOLONG.
 */
int weft_open(const char *port, struct weft_ctx **ctx);

/**
 * weft_close() - close a context
 * @ctx: context without objects
 *
 * Return: 0, -EBUSY (objects are left: destroy them first; registered memory does not count and
 * goes with it).
 */
int weft_close(struct weft_ctx *ctx);

/**
 * weft_query() - what the port can do and is (WEFT_IOC_QUERY)
 * @ctx: context
 * @q: out
 *
 * Asks the kernel each time: link_up, mtu and addresses are those of now. Any thread. Return: 0,
 * -errno.
 */
int weft_query(struct weft_ctx *ctx, struct weft_ioc_query *q);

/* ---- Memory ---------------------------------------------------------------------------- */

/**
 * weft_mr_reg() - keep memory pinned (WEFT_IOC_MR_REG); never needed, only saves the pinning later
 * @ctx: context
 * @addr: first byte
 * @len: bytes, not 0
 * @access: WEFT_MR_*
 * @handle: out: for weft_mr_dereg()
 *
 * Any thread. Return: 0, -errno.
 */
int weft_mr_reg(struct weft_ctx *ctx, const void *addr, size_t len, uint32_t access,
		uint32_t *handle);

/**
 * weft_mr_reg_zone() - the same, with a protection zone: for shared receives that name regions
 * @ctx: as in weft_mr_reg()
 * @addr: as in weft_mr_reg()
 * @len: as in weft_mr_reg()
 * @access: as in weft_mr_reg()
 * @zone: a number of the program's own, 0: none
 * @handle: out: also the region's key
 *
 * Any thread. Return: 0, -errno.
 */
int weft_mr_reg_zone(struct weft_ctx *ctx, const void *addr, size_t len, uint32_t access,
		     uint32_t zone, uint32_t *handle);

/**
 * weft_mr_dereg() - end what weft_mr_reg() began
 * @ctx: context
 * @handle: from weft_mr_reg()
 *
 * Any thread. Return: 0, -errno.
 */
int weft_mr_dereg(struct weft_ctx *ctx, uint32_t handle);

/* ---- Completion queues ----------------------------------------------------------------- */

/**
 * weft_cq_create() - create a completion queue (WEFT_IOC_CQ_CREATE)
 * @ctx: context
 * @slots: of 64 bytes, rounded up to a power of two, WEFT_RING_MIN..WEFT_RING_MAX; an entry with
 *	   inline payload takes several
 * @cq: out
 *
 * Any thread. Return: 0, -ENOMEM, -errno.
 */
int weft_cq_create(struct weft_ctx *ctx, uint32_t slots, struct weft_cq **cq);

/**
 * weft_cq_destroy() - destroy a completion queue
 * @cq: no endpoint uses it any more, no thread waits on it
 *
 * Return: 0; -EBUSY and others: it still exists.
 */
int weft_cq_destroy(struct weft_cq *cq);

/**
 * weft_cq_read() - take completions out, oldest first; never blocks
 * @cq: completion queue
 * @cqe: out: room for @max entries; payload that came within the entry has been copied to where
 *	 @buf says
 * @max: entries wanted, at least 1
 *
 * A failed entry (@status not 0) is given back alone, as the only one of its call: the call before
 * ends in front of it. So a caller that may have to leave an error standing needs to keep one entry
 * only.
 *
 * Return: number of entries, 0: none there, -EIO: the kernel has put the queue in error
 * (WEFT_ST_CQ_ERROR).
 */
int weft_cq_read(struct weft_cq *cq, struct weft_cqe *cqe, unsigned int max);

/**
 * weft_cq_peek() - look at the oldest completion, in place; never blocks
 * @cq: completion queue
 * @cqe: out: it, valid until weft_cq_done() or the next weft_cq_read(); its payload has been copied
 *	 to where @buf says
 *
 * For those who would copy what weft_cq_read() gives. An entry that was only looked at stays.
 *
 * Return: 1, 0: none there, -EIO: as from weft_cq_read().
 */
int weft_cq_peek(struct weft_cq *cq, const struct weft_cqe **cqe);

/**
 * weft_cq_next() - go past the entry that was looked at, and look at the one behind it
 * @cq: completion queue, where weft_cq_peek() or weft_cq_next() has found one
 * @cqe: out: as from weft_cq_peek()
 *
 * weft_cq_done() has to follow.
 *
 * Return: 1, 0: none there.
 */
int weft_cq_next(struct weft_cq *cq, const struct weft_cqe **cqe);

/**
 * weft_cq_done() - give the room of entries that weft_cq_next() went past back to the kernel
 * @cq: completion queue
 */
void weft_cq_done(struct weft_cq *cq);

/**
 * weft_cq_settle() - copy payload of completions that have not been read to where it belongs
 * @cq: completion queue
 *
 * To be called after an endpoint has been destroyed and before its buffers are used for something
 * else: its completions can still be read afterwards, and their payload is not copied once more.
 */
void weft_cq_settle(struct weft_cq *cq);

/**
 * weft_cq_seen() - index of the entry that weft_cq_read() would take next, for weft_cq_wait()
 * @cq: completion queue
 *
 * To sleep: read, find none, take the index, release the caller's lock, wait. What comes in between
 * ends the wait.
 */
uint32_t weft_cq_seen(const struct weft_cq *cq);

/**
 * weft_cq_pending() - are there completions after @seen
 * @cq: completion queue
 * @seen: from weft_cq_seen()
 *
 * Any thread. Return: 0 or 1.
 */
int weft_cq_pending(const struct weft_cq *cq, uint32_t seen);

/**
 * weft_cq_wait() - sleep until there are completions after @seen (WEFT_IOC_CQ_WAIT)
 * @cq: completion queue
 * @seen: from weft_cq_seen()
 * @ep: endpoint whose rings the kernel is to work on first, NULL: none. Saves the system call of a
 *	kick: post with WEFT_MORE, weft_publish(), wait.
 * @timeout_ns: relative nanoseconds; 0: only look (and kick); WEFT_FOREVER
 *
 * Any thread, also several at a time and together with weft_cq_read(). The caller sees to it that
 * neither @cq nor @ep is destroyed meanwhile.
 *
 * Return: 0: there are; -ETIMEDOUT; -EINTR: a signal; -ECANCELED: weft_cq_signal(); -errno.
 */
int weft_cq_wait(struct weft_cq *cq, uint32_t seen, const struct weft_ep *ep, uint64_t timeout_ns);

/**
 * weft_cq_signal() - make one weft_cq_wait(), present or next, return -ECANCELED
 * @cq: completion queue
 *
 * Any thread. Return: 0, -errno.
 */
int weft_cq_signal(struct weft_cq *cq);

/**
 * weft_cq_fd() - file for poll(2): readable while there are completions to read
 * @cq: completion queue
 *
 * It belongs to @cq: do not close it.
 */
int weft_cq_fd(const struct weft_cq *cq);

/**
 * weft_cq_slots() - slots of the ring, as rounded by the kernel
 * @cq: completion queue
 */
uint32_t weft_cq_slots(const struct weft_cq *cq);

/* ---- Counters -------------------------------------------------------------------------- */

/**
 * struct weft_count - what a counter says
 * @done: operations that have reached their level
 * @failed: operations that have failed
 * @seen: for weft_cntr_wait()
 */
struct weft_count {
	uint64_t done;
	uint64_t failed;
	uint32_t seen;
};

/**
 * weft_cntr_create() - create a counter of operations (WEFT_IOC_CQ_CREATE, WEFT_CQF_COUNT)
 * @ctx: context
 * @cntr: out
 *
 * It counts for the endpoints that are enabled with it. Any thread. Return: 0, -ENOMEM, -errno.
 */
int weft_cntr_create(struct weft_ctx *ctx, struct weft_cntr **cntr);

/**
 * weft_cntr_destroy() - destroy a counter
 * @cntr: no endpoint uses it any more, no thread waits on it
 *
 * Return: 0; -EBUSY and others: it still exists.
 */
int weft_cntr_destroy(struct weft_cntr *cntr);

/**
 * weft_cntr_read() - what has been counted; never blocks
 * @cntr: counter
 * @count: out
 *
 * Payload that came within entries of a completion queue is where it belongs only after
 * weft_cq_settle(). Any thread.
 */
void weft_cntr_read(struct weft_cntr *cntr, struct weft_count *count);

/**
 * weft_cntr_pending() - has more been counted than was read
 * @cntr: counter
 *
 * Any thread. Return: 0 or 1.
 */
int weft_cntr_pending(const struct weft_cntr *cntr);

/**
 * weft_cntr_wait() - sleep until more has been counted
 * @cntr: counter
 * @seen: from weft_cntr_read()
 * @timeout_ns: relative nanoseconds; WEFT_FOREVER
 *
 * Any thread. Return: as of weft_cq_wait().
 */
int weft_cntr_wait(struct weft_cntr *cntr, uint32_t seen, uint64_t timeout_ns);

/**
 * weft_cntr_signal() - make every weft_cntr_wait() on a value read before return 0
 * @cntr: counter
 *
 * Any thread. Return: 0, -errno.
 */
int weft_cntr_signal(struct weft_cntr *cntr);

/**
 * weft_cntr_fd() - file for poll(2): readable when more has been counted than was read
 * @cntr: counter
 *
 * It belongs to @cntr: do not close it.
 */
int weft_cntr_fd(const struct weft_cntr *cntr);

/* ---- Event queues ---------------------------------------------------------------------- */

/**
 * weft_eq_create() - create an event queue (WEFT_IOC_EQ_CREATE)
 * @ctx: context
 * @eq: out
 *
 * Any thread. Return: 0, -ENOMEM, -errno.
 */
int weft_eq_create(struct weft_ctx *ctx, struct weft_eq **eq);

/**
 * weft_eq_destroy() - destroy an event queue; events that nobody has read are lost
 * @eq: no endpoint uses it any more
 *
 * Return: 0; -EBUSY and others: it still exists.
 */
int weft_eq_destroy(struct weft_eq *eq);

/**
 * weft_eq_read() - take the next event out; never blocks
 * @eq: event queue
 * @ev: out
 * @data: out: private data, room for WEFT_CM_DATA_MAX bytes; @ev->data_len are valid. May be NULL.
 *
 * Return: 0, -EAGAIN: none there, -errno.
 */
int weft_eq_read(struct weft_eq *eq, struct weft_event *ev, void *data);

/**
 * weft_eq_pending() - would weft_eq_read() find an event
 * @eq: event queue
 *
 * The library reads several events at a time: before the file of weft_eq_fd() is polled, this must
 * say 0.
 *
 * Return: 0 or 1.
 */
int weft_eq_pending(const struct weft_eq *eq);

/**
 * weft_eq_fd() - file for poll(2), see weft_eq_pending(); belongs to @eq, do not close or read it
 * @eq: event queue
 */
int weft_eq_fd(const struct weft_eq *eq);

/* ---- Address vectors ------------------------------------------------------------------- */

/**
 * weft_av_create() - create an address vector (WEFT_IOC_AV_CREATE)
 * @ctx: context
 * @count: entries expected, a hint; 0: unknown
 * @av: out
 *
 * Any thread. Return: 0, -ENOMEM, -errno.
 */
int weft_av_create(struct weft_ctx *ctx, uint32_t count, struct weft_av **av);

/**
 * weft_av_destroy() - destroy an address vector
 * @av: no endpoint uses it any more
 *
 * Return: 0; -EBUSY and others: it still exists.
 */
int weft_av_destroy(struct weft_av *av);

/**
 * weft_av_insert() - insert addresses (WEFT_IOC_AV_INSERT)
 * @av: address vector
 * @addrs: @count addresses
 * @count: any number
 * @index: out: @count indices, WEFT_SRC_ANY for an address that was refused. May be NULL.
 *
 * The kernel gives the lowest free index, so an empty vector is filled 0, 1, 2, ...
 *
 * Return: number inserted; -errno if the kernel refused the call and nothing was inserted.
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
 * Return: number inserted; -errno if the kernel refused the call and nothing was inserted.
 */
int weft_av_insert_at(struct weft_av *av, const struct weft_sockaddr *addrs, size_t count,
		      uint32_t *index);

/**
 * weft_av_remove() - remove addresses (WEFT_IOC_AV_REMOVE)
 * @av: address vector
 * @index: @count indices
 * @count: any number
 *
 * Return: 0; -errno: the first that failed and those after it are still there.
 */
int weft_av_remove(struct weft_av *av, const uint32_t *index, size_t count);

/**
 * weft_av_lookup() - address at an index, from the library's copy
 * @av: address vector
 * @index: of an inserted address
 * @addr: out
 *
 * Return: 0, -ENOENT: nothing there.
 */
int weft_av_lookup(const struct weft_av *av, uint32_t index, struct weft_sockaddr *addr);

/* ---- Endpoints ------------------------------------------------------------------------- */

/**
 * struct weft_ep_attr - what an endpoint is to be
 * @type: WEFT_EP_*
 * @flags: WEFT_EPF_*
 * @sq_slots: in: wanted, out: given (a power of two); 0 for a passive endpoint. A send takes one
 *	      slot, and those of its inline payload (64 bytes each) or of its segments (4 each, when
 *	      more than one)
 * @rq_slots: the same for receives; 0 with WEFT_EPF_SRQ
 * @addr: own address; family 0: the port's first; service 0: chosen at enable or listen
 */
struct weft_ep_attr {
	uint32_t type;
	uint32_t flags;
	uint32_t sq_slots;
	uint32_t rq_slots;
	struct weft_sockaddr addr;
};

/**
 * weft_ep_create() - create an endpoint (WEFT_IOC_EP_CREATE)
 * @ctx: context
 * @attr: in and out
 * @ep: out
 *
 * Any thread. Return: 0, -EADDRNOTAVAIL (not an address of this port), -ENOMEM, -errno.
 */
int weft_ep_create(struct weft_ctx *ctx, struct weft_ep_attr *attr, struct weft_ep **ep);

/**
 * weft_ep_destroy() - destroy an endpoint; what it had in work gets no completion
 * @ep: no other call on it runs
 *
 * Return: 0, -errno: it still exists.
 */
int weft_ep_destroy(struct weft_ep *ep);

/**
 * weft_ep_enable() - bind queues and make the endpoint work (WEFT_IOC_EP_ENABLE)
 * @ep: endpoint, not passive
 * @tx_cq: for completions of sends; NULL: none can be sent until a further call gives a queue, with
 *	   the same @av and no @eq
 * @rx_cq: for completions of receives; likewise
 * @eq: for events; a MSG endpoint needs one
 * @av: address vector; an RDM endpoint needs one, on others NULL
 *
 * Return: 0, -EADDRINUSE, -errno.
 */
int weft_ep_enable(struct weft_ep *ep, struct weft_cq *tx_cq, struct weft_cq *rx_cq,
		   struct weft_eq *eq, struct weft_av *av);

/**
 * weft_ep_enable_srq() - the same, for an endpoint that may share its receives
 * @ep: as in weft_ep_enable()
 * @tx_cq: as in weft_ep_enable()
 * @rx_cq: as in weft_ep_enable()
 * @eq: as in weft_ep_enable()
 * @av: as in weft_ep_enable(); RDM endpoints that share receives have the same one
 * @srq: where its receives come from; needed with WEFT_EPF_SRQ, else NULL
 *
 * Return: 0, -EADDRINUSE, -errno.
 */
int weft_ep_enable_srq(struct weft_ep *ep, struct weft_cq *tx_cq, struct weft_cq *rx_cq,
		       struct weft_eq *eq, struct weft_av *av, struct weft_srq *srq);

/**
 * struct weft_ep_queues - what an endpoint is bound to; NULL: to none such
 * @tx_cq: for completions of sends
 * @rx_cq: for completions of receives
 * @tx_cntr: counts sends
 * @rx_cntr: counts receives
 * @eq: for events
 * @av: address vector
 * @srq: where its receives come from
 */
struct weft_ep_queues {
	struct weft_cq *tx_cq;
	struct weft_cq *rx_cq;
	struct weft_cntr *tx_cntr;
	struct weft_cntr *rx_cntr;
	struct weft_eq *eq;
	struct weft_av *av;
	struct weft_srq *srq;
};

/**
 * weft_ep_enable_all() - the same, with counters
 * @ep: as in weft_ep_enable()
 * @q: as in weft_ep_enable(); a direction has a completion queue, a counter or both
 *
 * Return: 0, -EADDRINUSE, -errno.
 */
int weft_ep_enable_all(struct weft_ep *ep, const struct weft_ep_queues *q);

/**
 * weft_ep_mark() - watermarks on the shared receives that an endpoint holds (WEFT_IOC_EP_MARK)
 * @ep: endpoint that shares receives, enabled
 * @soft: one WEFT_EV_EP_HIGH when it holds more, 0: never
 * @hard: its connection is broken when it holds more, 0: never
 *
 * Return: 0, -errno.
 */
int weft_ep_mark(struct weft_ep *ep, uint32_t soft, uint32_t hard);

/**
 * weft_ep_held() - shared receives that an endpoint holds (WEFT_IOC_EP_HELD)
 * @ep: endpoint that shares receives, enabled
 * @held: out: taken and not completed
 * @span: out: distance, in order of taking, between the newest taken and the oldest held
 *
 * Return: 0, -errno.
 */
int weft_ep_held(struct weft_ep *ep, uint32_t *held, uint32_t *span);

/**
 * weft_ep_handle() - the kernel's handle: struct weft_event.handle; its low 16 bits: struct
 *		      weft_cqe.ep
 * @ep: endpoint
 */
uint32_t weft_ep_handle(const struct weft_ep *ep);

/**
 * weft_ep_flags() - WEFT_ST_* as the kernel has set them last; 0 for a passive endpoint
 * @ep: endpoint
 *
 * Any thread; one load from the mapped status page.
 */
uint32_t weft_ep_flags(const struct weft_ep *ep);

/**
 * weft_setname() - set the own address before enable or listen (WEFT_IOC_SETNAME)
 * @ep: endpoint
 * @addr: see struct weft_ep_attr
 *
 * Return: 0, -EADDRNOTAVAIL, -EADDRINUSE, -errno.
 */
int weft_setname(struct weft_ep *ep, const struct weft_sockaddr *addr);

/**
 * weft_getname() - own address (WEFT_IOC_GETNAME)
 * @ep: endpoint
 * @addr: out
 *
 * Return: 0, -errno.
 */
int weft_getname(struct weft_ep *ep, struct weft_sockaddr *addr);

/**
 * weft_getpeer() - address of the peer of a connected endpoint (WEFT_IOC_GETPEER)
 * @ep: endpoint
 * @addr: out
 *
 * Return: 0, -ENOTCONN, -errno.
 */
int weft_getpeer(struct weft_ep *ep, struct weft_sockaddr *addr);

/* ---- Shared receive queues ------------------------------------------------------------- */

/**
 * struct weft_srq_attr - what a shared receive queue is to be
 * @slots: of the ring: in: wanted, out: given; counted as in struct weft_ep_attr
 * @recvs: receives that may be posted or under way
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
 * @eq: for WEFT_EV_SRQ_LOW, WEFT_EV_EP_HIGH, WEFT_EV_SRQ_LAST; NULL: they are lost
 * @srq: out
 *
 * Any thread. Return: 0, -ENOMEM, -errno.
 */
int weft_srq_create(struct weft_ctx *ctx, struct weft_srq_attr *attr, struct weft_eq *eq,
		    struct weft_srq **srq);

/**
 * weft_srq_destroy() - destroy a shared receive queue; what is posted vanishes
 * @srq: no endpoint uses it any more
 *
 * Return: 0; -EBUSY and others: it still exists.
 */
int weft_srq_destroy(struct weft_srq *srq);

/**
 * weft_srq_resize() - another size; nothing that is posted is lost (WEFT_IOC_SRQ_RESIZE)
 * @srq: shared receive queue; nobody posts meanwhile
 * @slots: of the ring
 * @recvs: receives that may be posted or under way
 *
 * Return: 0, -EBUSY: more are in use, -ENOMEM, -errno: nothing has changed.
 */
int weft_srq_resize(struct weft_srq *srq, uint32_t slots, uint32_t recvs);

/**
 * weft_srq_query() - counts (WEFT_IOC_SRQ_QUERY)
 * @srq: shared receive queue
 * @q: out
 *
 * Any thread. Return: 0, -errno.
 */
int weft_srq_query(struct weft_srq *srq, struct weft_ioc_srq_query *q);

/**
 * weft_srq_arm() - set and arm the low watermark (WEFT_IOC_SRQ_ARM)
 * @srq: shared receive queue with an event queue
 * @low: one WEFT_EV_SRQ_LOW when less receives are available; 0: none
 *
 * Any thread. Return: 0, -EINVAL: more than @recvs, -errno.
 */
int weft_srq_arm(struct weft_srq *srq, uint32_t low);

/**
 * weft_srq_cancel() - cancel the oldest shared receive with this context (WEFT_IOC_SRQ_CANCEL)
 * @srq: shared receive queue
 * @cq: where its completion (ECANCELED) is when the call returns
 * @context: of the receive
 *
 * Return: 0, also when there is no such receive; -EAGAIN: @cq is full, the receive stays; -errno.
 */
int weft_srq_cancel(struct weft_srq *srq, struct weft_cq *cq, uint64_t context);

/**
 * weft_srq_handle() - the kernel's handle: struct weft_event.handle of WEFT_EV_SRQ_LOW
 * @srq: shared receive queue
 */
uint32_t weft_srq_handle(const struct weft_srq *srq);

/* ---- Connections ----------------------------------------------------------------------- */

/*
 * Private data: at most WEFT_CM_DATA_MAX bytes, more is -EMSGSIZE. Results come as events
 * (WEFT_EV_*).
 */

/**
 * weft_listen() - let a passive endpoint take connection requests (WEFT_IOC_LISTEN)
 * @pep: passive endpoint
 * @eq: where WEFT_EV_CONNREQ events go
 * @backlog: requests that may wait, at least 1; a second call changes it
 *
 * Return: 0, -EADDRINUSE, -errno.
 */
int weft_listen(struct weft_ep *pep, struct weft_eq *eq, uint32_t backlog);

/**
 * weft_connect() - ask a peer for a connection (WEFT_IOC_CONNECT)
 * @ep: MSG endpoint, enabled
 * @addr: the peer's passive endpoint
 * @data: private data
 * @len: bytes of them
 *
 * Return: 0: WEFT_EV_CONNECTED or WEFT_EV_CONN_FAILED will come; -errno.
 */
int weft_connect(struct weft_ep *ep, const struct weft_sockaddr *addr, const void *data,
		 size_t len);

/**
 * weft_accept() - accept a request (WEFT_IOC_ACCEPT)
 * @ep: MSG endpoint, enabled
 * @conn: id from WEFT_EV_CONNREQ
 * @data: private data
 * @len: bytes of them
 *
 * Return: 0: WEFT_EV_CONNECTED or WEFT_EV_CONN_FAILED will come; -errno.
 */
int weft_accept(struct weft_ep *ep, uint64_t conn, const void *data, size_t len);

/**
 * weft_reject() - refuse a request (WEFT_IOC_REJECT)
 * @pep: passive endpoint
 * @conn: id from WEFT_EV_CONNREQ
 * @data: private data
 * @len: bytes of them
 *
 * Return: 0, -errno.
 */
int weft_reject(struct weft_ep *pep, uint64_t conn, const void *data, size_t len);

/**
 * weft_shutdown() - end a connection (WEFT_IOC_SHUTDOWN)
 * @ep: MSG endpoint
 *
 * Return: 0, -ENOTCONN, -errno.
 */
int weft_shutdown(struct weft_ep *ep);

/**
 * weft_shutdown_graceful() - the same, but sends that are under way end first
 * @ep: MSG endpoint
 *
 * Return: 0, -ENOTCONN, -errno.
 */
int weft_shutdown_graceful(struct weft_ep *ep);

/* ---- Messages -------------------------------------------------------------------------- */

/*
 * Library flag of sends and receives: write the entry but do not ring the doorbell yet. The next
 * call on the same half without it, weft_flush_*(), weft_publish(), or a call that returns -EAGAIN
 * rings for all. In a send entry it becomes WEFT_SQ_MORE, the hint to the kernel.
 */
#define WEFT_MORE	(1u << 31)

/*
 * All calls of this part: never block (a doorbell may enter the kernel when that asks for it) and
 * return
 *   0		accepted: one completion comes if the operation fails, or if its flags ask for one;
 *   -EAGAIN	the ring lacks slots now: read completions and try again;
 *   -EIO	the endpoint is in error (WEFT_ST_ERROR) or has no such ring;
 *   -EINVAL	unknown flags, or too many segments (more than WEFT_IOV_MAX);
 *   -EMSGSIZE	WEFT_SQ_INLINE with more than WEFT_INLINE_MAX bytes.
 * Everything else that is wrong with an entry the kernel finds: it comes as a completion with its
 * status.
 */

/**
 * weft_send() - send untagged, one segment
 * @ep: sending half
 * @buf: payload, may be NULL when @len is 0
 * @len: bytes
 * @dst: index in the address vector; 0 on a MSG endpoint
 * @data: remote CQ data, counts with WEFT_SQ_DATA only
 * @context: returned in the completion
 * @flags: WEFT_SQ_* and WEFT_MORE
 */
int weft_send(struct weft_ep *ep, const void *buf, size_t len, uint32_t dst, uint64_t data,
	      uint64_t context, uint32_t flags);

/**
 * weft_sendv() - send untagged, several segments
 * @ep: sending half
 * @iov: segments; those without WEFT_SQ_INLINE need not outlive the call, what they point to must
 * @count: of them, 0..WEFT_IOV_MAX
 * @dst: as in weft_send()
 * @data: as in weft_send()
 * @context: as in weft_send()
 * @flags: as in weft_send()
 */
int weft_sendv(struct weft_ep *ep, const struct iovec *iov, size_t count, uint32_t dst,
	       uint64_t data, uint64_t context, uint32_t flags);

/**
 * weft_tsend() - send tagged, one segment
 * @ep: sending half
 * @buf: as in weft_send()
 * @len: as in weft_send()
 * @dst: as in weft_send()
 * @tag: what the receiver matches
 * @data: as in weft_send()
 * @context: as in weft_send()
 * @flags: as in weft_send()
 */
int weft_tsend(struct weft_ep *ep, const void *buf, size_t len, uint32_t dst, uint64_t tag,
	       uint64_t data, uint64_t context, uint32_t flags);

/**
 * weft_tsendv() - send tagged, several segments
 * @ep: sending half
 * @iov: as in weft_sendv()
 * @count: as in weft_sendv()
 * @dst: as in weft_send()
 * @tag: as in weft_tsend()
 * @data: as in weft_send()
 * @context: as in weft_send()
 * @flags: as in weft_send()
 */
int weft_tsendv(struct weft_ep *ep, const struct iovec *iov, size_t count, uint32_t dst,
		uint64_t tag, uint64_t data, uint64_t context, uint32_t flags);

/**
 * weft_recv() - post a receive, untagged, one segment
 * @ep: receiving half
 * @buf: room, may be NULL when @len is 0
 * @len: bytes
 * @src: index of the only sender to take from, or WEFT_SRC_ANY; WEFT_SRC_ANY on a MSG endpoint
 * @context: returned in the completion, and what weft_cancel() looks for
 * @flags: WEFT_RQ_* and WEFT_MORE
 */
int weft_recv(struct weft_ep *ep, void *buf, size_t len, uint32_t src, uint64_t context,
	      uint32_t flags);

/**
 * weft_recvv() - post a receive, untagged, several segments
 * @ep: receiving half
 * @iov: segments
 * @count: of them, 0..WEFT_IOV_MAX
 * @src: as in weft_recv()
 * @context: as in weft_recv()
 * @flags: as in weft_recv()
 */
int weft_recvv(struct weft_ep *ep, const struct iovec *iov, size_t count, uint32_t src,
	       uint64_t context, uint32_t flags);

/**
 * weft_trecv() - post a receive, tagged, one segment
 * @ep: receiving half
 * @buf: as in weft_recv()
 * @len: as in weft_recv()
 * @src: as in weft_recv()
 * @tag: to match
 * @ignore: bits of the tag that do not count
 * @context: as in weft_recv()
 * @flags: as in weft_recv()
 */
int weft_trecv(struct weft_ep *ep, void *buf, size_t len, uint32_t src, uint64_t tag,
	       uint64_t ignore, uint64_t context, uint32_t flags);

/**
 * weft_trecvv() - post a receive, tagged, several segments
 * @ep: receiving half
 * @iov: as in weft_recvv()
 * @count: as in weft_recvv()
 * @src: as in weft_recv()
 * @tag: as in weft_trecv()
 * @ignore: as in weft_trecv()
 * @context: as in weft_recv()
 * @flags: as in weft_recv()
 */
int weft_trecvv(struct weft_ep *ep, const struct iovec *iov, size_t count, uint32_t src,
		uint64_t tag, uint64_t ignore, uint64_t context, uint32_t flags);

/**
 * weft_recv_multi() - post a buffer for several untagged messages, one after the other
 * @ep: receiving half
 * @buf: room
 * @len: bytes, at least 1
 * @least: the buffer is released when fewer bytes are left; at most @len
 * @src: as in weft_recv()
 * @context: of all its completions
 * @flags: WEFT_RQ_COMPLETION: for messages; the release (WEFT_CQE_MULTI) is always told, once
 */
int weft_recv_multi(struct weft_ep *ep, void *buf, size_t len, size_t least, uint32_t src,
		    uint64_t context, uint32_t flags);

/**
 * weft_tpeek() - look for a tagged message that waits for a receive (WEFT_CAP_PEEK)
 * @ep: receiving half
 * @iov: room for the front of the message; used when it is one segment, wants at most
 *	WEFT_INLINE_MAX bytes, and the kernel has them at hand: then the completion's @buf is not 0
 * @count: of segments, may be 0
 * @src: as in weft_recv()
 * @tag: as in weft_trecv()
 * @ignore: as in weft_trecv()
 * @context: of the completion, and of what is set aside
 * @flags: WEFT_RQ_KEEP: set the message aside for @context; WEFT_RQ_DROP: drop it
 *
 * Its completion always comes, and at once: with the message's length, tag, data and source, or
 * with status ENOMSG. EINVAL: something is set aside for @context already; ENOBUFS: too much is set
 * aside.
 */
int weft_tpeek(struct weft_ep *ep, const struct iovec *iov, size_t count, uint32_t src,
	       uint64_t tag, uint64_t ignore, uint64_t context, uint32_t flags);

/**
 * weft_tclaim() - receive the message that is set aside for @context
 * @ep: receiving half
 * @iov: as in weft_recvv()
 * @count: as in weft_recvv()
 * @context: of the peek; the completion has it, too. Status EINVAL: nothing is set aside for it
 * @flags: WEFT_RQ_COMPLETION
 */
int weft_tclaim(struct weft_ep *ep, const struct iovec *iov, size_t count, uint64_t context,
		uint32_t flags);

/**
 * weft_tdiscard() - drop the message that is set aside for @context
 * @ep: receiving half
 * @context: as in weft_tclaim(); a completion of length 0 always comes
 */
int weft_tdiscard(struct weft_ep *ep, uint64_t context);

/**
 * weft_cancel() - cancel the oldest unmatched receive with this context (WEFT_IOC_CANCEL)
 * @ep: receiving half
 * @context: of the receive
 *
 * Its completion (ECANCELED) is in the queue when the call returns. Receives deferred by WEFT_MORE
 * are published first.
 *
 * Return: 0, also when there is no such receive (any more); -errno.
 */
int weft_cancel(struct weft_ep *ep, uint64_t context);

/**
 * weft_flush_send() - ring for sends deferred by WEFT_MORE, kick if the kernel asks for it
 * @ep: sending half
 */
void weft_flush_send(struct weft_ep *ep);

/**
 * weft_flush_recv() - the same for receives
 * @ep: receiving half
 */
void weft_flush_recv(struct weft_ep *ep);

/**
 * weft_send_room() - free slots of the send ring
 * @ep: sending half
 */
uint32_t weft_send_room(struct weft_ep *ep);

/**
 * weft_recv_room() - free slots of the receive ring
 * @ep: receiving half
 */
uint32_t weft_recv_room(struct weft_ep *ep);

/**
 * weft_srq_recvv() - post a shared receive, untagged
 * @srq: shared receive queue
 * @iov: segments
 * @count: of them, 0..WEFT_IOV_MAX
 * @src: as in weft_recv()
 * @context: as in weft_recv()
 * @flags: as in weft_recv()
 */
int weft_srq_recvv(struct weft_srq *srq, const struct iovec *iov, size_t count, uint32_t src,
		   uint64_t context, uint32_t flags);

/**
 * weft_srq_trecvv() - post a shared receive, tagged
 * @srq: shared receive queue
 * @iov: segments
 * @count: of them, 0..WEFT_IOV_MAX
 * @src: as in weft_recv()
 * @tag: as in weft_trecv()
 * @ignore: as in weft_trecv()
 * @context: as in weft_recv()
 * @flags: as in weft_recv()
 */
int weft_srq_trecvv(struct weft_srq *srq, const struct iovec *iov, size_t count, uint32_t src,
		    uint64_t tag, uint64_t ignore, uint64_t context, uint32_t flags);

/**
 * weft_srq_recvk() - post a shared receive into registered memory
 * @srq: shared receive queue with a zone
 * @iov: segments
 * @keys: the region of each of them: its handle
 * @count: segments, 0..WEFT_KEYS_MAX
 * @context: as in weft_recv()
 * @flags: as in weft_recv()
 *
 * The kernel looks at the regions when the receive is used: EACCES as the completion's status if
 * one does not fit (any more).
 */
int weft_srq_recvk(struct weft_srq *srq, const struct iovec *iov, const uint32_t *keys,
		   size_t count, uint64_t context, uint32_t flags);

/**
 * weft_srq_flush() - ring for shared receives deferred by WEFT_MORE
 * @srq: shared receive queue
 */
void weft_srq_flush(struct weft_srq *srq);

/**
 * weft_srq_room() - free slots of the ring
 * @srq: shared receive queue
 */
uint32_t weft_srq_room(struct weft_srq *srq);

/**
 * weft_publish() - store both doorbells without a kick, for a weft_cq_wait() that kicks @ep
 * @ep: both halves
 */
void weft_publish(struct weft_ep *ep);

/**
 * weft_publish_send() - store the doorbell of sends deferred by WEFT_MORE, without a kick
 * @ep: sending half
 */
void weft_publish_send(struct weft_ep *ep);

/**
 * weft_publish_recv() - the same for receives
 * @ep: receiving half
 */
void weft_publish_recv(struct weft_ep *ep);

/**
 * weft_kick() - have the kernel look at what has been published
 * @ep: endpoint
 *
 * Any thread, together with any other call on @ep but those that destroy it.
 */
void weft_kick(struct weft_ep *ep);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* _WEFT_WEFT_H */
