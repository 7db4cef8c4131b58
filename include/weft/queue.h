/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * libweft: completion queues, counters, event queues
 *
 * A part of <weft/weft.h>, which includes it.
 */
#ifndef _WEFT_QUEUE_H
#define _WEFT_QUEUE_H

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
 * weft_cq_from() - who has sent the message of a completion with WEFT_CQE_FROM
 * @cq: completion queue, where weft_cq_peek() or weft_cq_next() has found it
 * @from: out: address and service
 */
void weft_cq_from(const struct weft_cq *cq, struct weft_sockaddr *from);

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
 * weft_cq_wait() - sleep until there are completions after @seen (WEFT_CQ_SEEK_WAIT)
 * @cq: completion queue
 * @seen: from weft_cq_seen()
 * @ep: endpoint whose rings the kernel is to work on first, NULL: none: post with WEFT_MORE,
 *	weft_publish(), wait
 * @timeout_ns: relative nanoseconds, rounded up by at most their 2^24th part; 0: only look (and
 *	notify); WEFT_FOREVER
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

#endif /* _WEFT_QUEUE_H */
