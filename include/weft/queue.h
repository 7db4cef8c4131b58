/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * libweft: completion queues, counters, event queues
 *
 * <weft/weft.h> includes this header.
 */
#ifndef _WEFT_QUEUE_H
#define _WEFT_QUEUE_H

#include <weft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* ---- Completion queues: weft_cq(3), weft_cq_wait(3) ------------------------------------- */

/**
 * weft_cq_create() - create a completion queue (WEFT_IOC_CQ_CREATE)
 * @ctx: context
 * @slots: slots of 64 bytes, rounded up to a power of two, WEFT_RING_MIN..WEFT_RING_MAX; an entry
 *	with inline payload takes several
 * @cq: out
 *
 * Any thread.
 *
 * Return: 0, -EINVAL: @slots, -EMFILE, -ENFILE: too many objects or files, -ENOSPC: a limit of the
 * user, -ENOMEM, -errno.
 */
int weft_cq_create(struct weft_ctx *ctx, uint32_t slots, struct weft_cq **cq);

/**
 * weft_cq_destroy() - destroy a completion queue
 * @cq: completion queue, not used by an endpoint or a waiting thread
 *
 * Return: 0; -EBUSY and others: the queue still exists.
 */
int weft_cq_destroy(struct weft_cq *cq);

/**
 * weft_cq_read() - read completions, oldest first; never blocks
 * @cq: completion queue
 * @cqe: out: space for @max entries; payload inside an entry has been copied to its @buf
 * @max: maximum number of entries, at least 1
 *
 * A failed entry (@status not 0) is returned alone: the call before ends in front of it. So a
 * caller that may have to leave an error in the queue needs to keep one entry only.
 *
 * Return: number of entries, 0: none, -EIO: the kernel has put the queue in error
 * (WEFT_ST_CQ_ERROR).
 */
int weft_cq_read(struct weft_cq *cq, struct weft_cqe *cqe, unsigned int max);

/**
 * weft_cq_peek() - access the oldest completion in place; never blocks
 * @cq: completion queue
 * @cqe: out: the entry, valid until weft_cq_done() or the next weft_cq_read(); its payload has been
 *	copied to its @buf
 *
 * Avoids the copy of weft_cq_read(). The entry stays in the queue.
 *
 * Return: 1, 0: none, -EIO: as from weft_cq_read().
 */
int weft_cq_peek(struct weft_cq *cq, const struct weft_cqe **cqe);

/**
 * weft_cq_next() - skip the accessed entry, and access the next one
 * @cq: completion queue, where weft_cq_peek() or weft_cq_next() has found one
 * @cqe: out: as from weft_cq_peek()
 *
 * The caller must call weft_cq_done() afterwards.
 *
 * Return: 1, 0: none.
 */
int weft_cq_next(struct weft_cq *cq, const struct weft_cqe **cqe);

/**
 * weft_cq_done() - return the slots of skipped entries to the kernel
 * @cq: completion queue
 */
void weft_cq_done(struct weft_cq *cq);

/**
 * weft_cq_settle() - copy payload of unread completions to its destination
 * @cq: completion queue
 *
 * The caller calls it after destroying an endpoint and before reusing its buffers. Its completions
 * can still be read afterwards. Their payload is not copied again.
 */
void weft_cq_settle(struct weft_cq *cq);

/**
 * weft_cq_from() - report the sender of a message with WEFT_CQE_FROM
 * @cq: completion queue; weft_cq_peek() or weft_cq_next() has found the completion
 * @from: out: address and service
 */
void weft_cq_from(const struct weft_cq *cq, struct weft_sockaddr *from);

/**
 * weft_cq_seen() - report the index of the next entry to read, for weft_cq_wait()
 * @cq: completion queue
 *
 * To sleep: read, find no entry, take the index, release the caller's lock, wait. An entry that
 * arrives in between ends the wait.
 *
 * Return: the index.
 */
uint32_t weft_cq_seen(const struct weft_cq *cq);

/**
 * weft_cq_pending() - test for completions after @seen
 * @cq: completion queue
 * @seen: from weft_cq_seen()
 *
 * Any thread.
 *
 * Return: 0 or 1.
 */
int weft_cq_pending(const struct weft_cq *cq, uint32_t seen);

/**
 * weft_cq_wait() - sleep until the queue has completions after @seen (WEFT_CQ_SEEK_WAIT)
 * @cq: completion queue
 * @seen: from weft_cq_seen()
 * @ep: endpoint whose rings the kernel processes first, NULL: none: post with WEFT_MORE,
 *	weft_publish(), wait
 * @timeout_ns: relative nanoseconds, rounded up by at most their 2^24th part; 0: only check (and
 *	notify); WEFT_FOREVER
 *
 * Any thread, also several at a time and together with weft_cq_read(). The caller ensures that
 * neither @cq nor @ep is destroyed meanwhile.
 *
 * Return: 0: completions exist; -ETIMEDOUT; -EINTR: a signal; -ECANCELED: weft_cq_signal();
 * -ENODEV: the port is gone, and no completion is left; -EIO: @cq was destroyed; -errno.
 */
int weft_cq_wait(struct weft_cq *cq, uint32_t seen, const struct weft_ep *ep, uint64_t timeout_ns);

/**
 * weft_cq_signal() - make one weft_cq_wait(), present or next, return -ECANCELED
 * @cq: completion queue
 *
 * Any thread.
 *
 * Return: 0, -EIO: @cq was destroyed, -errno.
 */
int weft_cq_signal(struct weft_cq *cq);

/**
 * weft_cq_fd() - file for poll(2): readable while there are completions to read
 * @cq: completion queue
 *
 * The file belongs to @cq: do not close it. Any thread.
 *
 * Return: the file descriptor.
 */
int weft_cq_fd(const struct weft_cq *cq);

/**
 * weft_cq_slots() - slots of the ring, as rounded by the kernel
 * @cq: completion queue
 *
 * Any thread.
 *
 * Return: number of slots.
 */
uint32_t weft_cq_slots(const struct weft_cq *cq);

/* ---- Counters: weft_cntr(3) ------------------------------------------------------------- */

/**
 * struct weft_count - values of a counter
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
 * It counts operations of the endpoints that are enabled with it. Any thread.
 *
 * Return: 0, -EMFILE, -ENFILE: too many objects or files, -ENOSPC: a limit of the user, -ENOMEM,
 * -errno.
 */
int weft_cntr_create(struct weft_ctx *ctx, struct weft_cntr **cntr);

/**
 * weft_cntr_destroy() - destroy a counter
 * @cntr: counter, not used by an endpoint or a waiting thread
 *
 * Return: 0; -EBUSY and others: the counter still exists.
 */
int weft_cntr_destroy(struct weft_cntr *cntr);

/**
 * weft_cntr_read() - read a counter; never blocks
 * @cntr: counter
 * @count: out
 *
 * Payload inside entries of a completion queue reaches its destination only by weft_cq_settle().
 * Any thread.
 */
void weft_cntr_read(struct weft_cntr *cntr, struct weft_count *count);

/**
 * weft_cntr_pending() - test whether a counter has moved since it was read
 * @cntr: counter
 *
 * Any thread.
 *
 * Return: 0 or 1.
 */
int weft_cntr_pending(const struct weft_cntr *cntr);

/**
 * weft_cntr_wait() - sleep until a counter moves
 * @cntr: counter
 * @seen: from weft_cntr_read()
 * @timeout_ns: relative nanoseconds, rounded as by weft_cq_wait(); 0: only check; WEFT_FOREVER
 *
 * Any thread.
 *
 * Return: 0: it has moved; -ETIMEDOUT; -EINTR: a signal; -ENODEV: the port is gone; -EIO: @cntr was
 * destroyed; -errno.
 */
int weft_cntr_wait(struct weft_cntr *cntr, uint32_t seen, uint64_t timeout_ns);

/**
 * weft_cntr_signal() - make each weft_cntr_wait() on an earlier value return 0
 * @cntr: counter
 *
 * Any thread.
 *
 * Return: 0, -EIO: @cntr was destroyed, -errno.
 */
int weft_cntr_signal(struct weft_cntr *cntr);

/**
 * weft_cntr_fd() - file for poll(2): readable when the counter has moved since it was read
 * @cntr: counter
 *
 * The file belongs to @cntr: do not close it. Any thread.
 *
 * Return: the file descriptor.
 */
int weft_cntr_fd(const struct weft_cntr *cntr);

/* ---- Event queues: weft_eq(3) ----------------------------------------------------------- */

/**
 * weft_eq_create() - create an event queue (WEFT_IOC_EQ_CREATE)
 * @ctx: context
 * @eq: out
 *
 * Any thread.
 *
 * Return: 0, -EMFILE, -ENFILE: too many objects or files, -ENOMEM, -errno.
 */
int weft_eq_create(struct weft_ctx *ctx, struct weft_eq **eq);

/**
 * weft_eq_destroy() - destroy an event queue; unread events are lost
 * @eq: event queue, not used by an endpoint
 *
 * Return: 0; -EBUSY and others: the queue still exists.
 */
int weft_eq_destroy(struct weft_eq *eq);

/**
 * weft_eq_read() - read the next event; never blocks
 * @eq: event queue
 * @ev: out
 * @data: out: private data, space for WEFT_CM_DATA_MAX bytes; @ev->data_len bytes are valid. May be
 *	NULL.
 *
 * Return: 0, -EAGAIN: no event, -EINTR: a signal, -ENODEV: the port is gone and so are its events,
 * -EIO: @eq was destroyed, -errno.
 */
int weft_eq_read(struct weft_eq *eq, struct weft_event *ev, void *data);

/**
 * weft_eq_pending() - test whether weft_eq_read() would find an event
 * @eq: event queue
 *
 * The library reads several events at a time. So this function must return 0 before the program
 * polls the file of weft_eq_fd().
 *
 * Return: 0 or 1.
 */
int weft_eq_pending(const struct weft_eq *eq);

/**
 * weft_eq_fd() - file for poll(2), see weft_eq_pending()
 * @eq: event queue
 *
 * The file belongs to @eq: do not close or read it. Any thread.
 *
 * Return: the file descriptor.
 */
int weft_eq_fd(const struct weft_eq *eq);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* _WEFT_QUEUE_H */
