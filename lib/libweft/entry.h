/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Entries of send and receive rings: reserve, write, publish. The functions are inlined into
 * callers that know the form of a call: libweft's own calls (msg.c), and those of the libfabric
 * provider, which contains libweft. So a program's call writes the slot directly.
 */
#ifndef _LIBWEFT_ENTRY_H
#define _LIBWEFT_ENTRY_H

#include <errno.h>

#include "internal.h"

#define IOV_PER_SLOT	(WEFT_SLOT_SIZE / sizeof(struct weft_iov))
#define REMOTE_PER_SLOT	(WEFT_SLOT_SIZE / sizeof(struct weft_rma_iov))
#define ENTRY_FLAGS	0xffffu		/* flags with a place in an entry; the kernel checks them */

/* msg.c: rare cases */
long lw_queue_notify(struct lw_queue *q);
int lw_reserve_more(struct lw_queue *q, uint32_t nslots);
void lw_put_segments(struct lw_queue *q, uint32_t index, const struct iovec *iov, size_t count);

/* rma.c: rare case */
void lw_put_remote(struct lw_queue *q, uint32_t index, const struct weft_rma_iov *rem,
		   size_t count);

/* ---- Doorbells -------------------------------------------------------------------------- */

static inline void lw_publish(struct lw_queue *q)
{
	lw_store_release(q->doorbell, q->tail);		/* A: after the slots */
}

/* Return: 0, so that a caller that returns it makes the call its last step. */
static inline long lw_flush(struct lw_queue *q)
{
	lw_publish(q);
	lw_full_barrier();				/* E: doorbell before flags */
	return lw_load(q->flags) & q->notify_if ? lw_queue_notify(q) : 0;
}

/* ---- Slots ------------------------------------------------------------------------------ */

static inline void *lw_slot_at(const struct lw_queue *q, uint32_t index)
{
	return q->slots + (size_t)(index & (q->size - 1)) * WEFT_SLOT_SIZE;
}

/* Reserve @nslots free slots. */
static inline int lw_reserve(struct lw_queue *q, uint32_t nslots)
{
	if (weft_unlikely(q->tail + nslots - q->head > q->size)) {
		int ret = lw_reserve_more(q, nslots);

		if (ret)
			return ret;
	}
	return weft_unlikely(lw_load(q->flags) & WEFT_ST_ERROR) ? -EIO : 0;
}

/* The entry of @nslots at the tail is written: publish it, now or with the next one. */
static inline void lw_commit(struct lw_queue *q, uint32_t nslots, uint32_t flags)
{
	q->tail += nslots;
	if (!(flags & WEFT_MORE))
		lw_flush(q);
}

/* Write payload into the slots after the one at the tail, wrapping at the ring's end. */
static inline void lw_put_payload(struct lw_queue *q, const struct iovec *iov, size_t count)
{
	size_t size = (size_t)q->size * WEFT_SLOT_SIZE;
	size_t pos = (size_t)((q->tail + 1) & (q->size - 1)) * WEFT_SLOT_SIZE;
	size_t i, len, flat;

	for (i = 0; i < count; i++) {
		len = iov[i].iov_len;
		if (!len)
			continue;
		flat = size - pos;
		if (len < flat) {
			lw_copy(q->slots + pos, iov[i].iov_base, len);
			pos += len;
		} else {
			memcpy(q->slots + pos, iov[i].iov_base, flat);
			pos = len - flat;
			memcpy(q->slots, (const char *)iov[i].iov_base + flat, pos);
		}
	}
}

/* Return: bytes of all segments; a sum that overflows becomes the maximum. */
static inline uint64_t lw_total(const struct iovec *iov, size_t count)
{
	uint64_t len = 0;
	size_t i;

	for (i = 0; i < count; i++)
		if (__builtin_add_overflow(len, (uint64_t)iov[i].iov_len, &len))
			return UINT64_MAX;
	return len;
}

/* Slots for @count segments after the first slot, which has space for one segment itself. */
static inline uint32_t lw_segment_slots(size_t count)
{
	return count > 1 ? (count + IOV_PER_SLOT - 1) / IOV_PER_SLOT : 0;
}

/* Return: true if the remote segments have @len bytes. */
static inline int lw_remote_fits(const struct weft_rma_iov *rem, size_t count, uint64_t len)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < count; i++)
		if (__builtin_add_overflow(sum, (uint64_t)rem[i].len, &sum))
			return 0;
	return sum == len;
}

/* Slots for @count remote segments in the last slots; the first slot has space for one itself. */
static inline uint32_t lw_remote_slots(size_t count)
{
	return count > 1 ? (count + REMOTE_PER_SLOT - 1) / REMOTE_PER_SLOT : 0;
}

/* ---- Entries ---------------------------------------------------------------------------- */

/*
 * Write an entry of the send ring. @rem: the @nrem remote segments of a one-sided operation, NULL:
 * a message. Inlined: for one segment the loops and the segments in the ring disappear, and for a
 * message all that concerns remote segments.
 */
WEFT_INLINED int
lw_post_entry(struct weft_ep *ep, uint8_t op, const struct iovec *iov, size_t count, uint32_t dst,
	      uint64_t tag, const struct weft_rma_iov *rem, size_t nrem, uint64_t data,
	      uint64_t context, uint32_t flags)
{
	struct lw_queue *q = &ep->sq;
	uint64_t len = lw_total(iov, count);
	struct weft_sqe *sqe;
	uint32_t nslots;
	int ret;

	if (weft_unlikely((flags & ~(ENTRY_FLAGS | WEFT_MORE)) || count > WEFT_IOV_MAX))
		return -EINVAL;
	if (rem) {
		if (weft_unlikely(nrem > WEFT_IOV_MAX || !lw_remote_fits(rem, nrem, len)))
			return -EINVAL;
		if (!len)
			nrem = 0;
	}
	if (flags & WEFT_SQ_INLINE) {
		if (len > WEFT_INLINE_MAX)
			return -EMSGSIZE;
		nslots = 1 + (len + WEFT_SLOT_SIZE - 1) / WEFT_SLOT_SIZE;
	} else {
		if (!len)
			count = 0;
		nslots = 1 + lw_segment_slots(count);
	}
	if (rem) {
		nslots += lw_remote_slots(nrem);
		if (weft_unlikely(nslots > WEFT_NSLOTS_MAX))
			return -EMSGSIZE;
	}

	ret = lw_reserve(q, nslots);
	if (ret)
		return ret;

	if (rem && nrem > 1)
		lw_put_remote(q, q->tail + nslots - lw_remote_slots(nrem), rem, nrem);
	if (flags & WEFT_SQ_INLINE) {
		lw_put_payload(q, iov, count);
		count = 0;
	} else if (count > 1) {
		lw_put_segments(q, q->tail + 1, iov, count);
	}
	sqe = lw_slot_at(q, q->tail);
	*sqe = (struct weft_sqe) {
		.op = op,
		.nslots = nslots,
		.flags = flags & WEFT_MORE ? flags | WEFT_SQ_MORE : flags,
		.dst = dst,
		.context = context,
		.addr = count == 1 ? (uintptr_t)iov->iov_base : 0,
		.len = len,
		.tag = rem && nrem == 1 ? rem->key : tag,
		.data = flags & WEFT_SQ_DATA ? data : 0,
		.niov = count,
		.nrem = nrem,
		.raddr = rem && nrem == 1 ? rem->addr : 0,
	};
	lw_commit(q, nslots, flags);
	return 0;
}

/* A message. Inlined, as lw_post_entry(). */
WEFT_INLINED int
lw_send_entry(struct weft_ep *ep, uint8_t op, const struct iovec *iov, size_t count, uint32_t dst,
	      uint64_t tag, uint64_t data, uint64_t context, uint32_t flags)
{
	return lw_post_entry(ep, op, iov, count, dst, tag, NULL, 0, data, context, flags);
}

/* A one-sided operation with one local and one remote segment. Inlined, as lw_post_entry(). */
WEFT_INLINED int
lw_rma_entry(struct weft_ep *ep, uint8_t op, const struct iovec *iov, uint32_t dst, uint64_t raddr,
	     uint64_t key, uint64_t data, uint64_t context, uint32_t flags)
{
	struct weft_rma_iov rem = { .addr = raddr, .len = iov->iov_len, .key = key };

	return lw_post_entry(ep, op, iov, 1, dst, 0, &rem, 1, data, context, flags);
}

/* Inlined, as lw_post_entry(). */
WEFT_INLINED int
lw_recv_entry(struct lw_queue *q, uint8_t op, const struct iovec *iov, size_t count, uint32_t src,
	      uint64_t tag, uint64_t ignore, uint32_t part, uint64_t context, uint32_t flags)
{
	uint64_t len = lw_total(iov, count);
	struct weft_rqe *rqe;
	uint32_t nslots;
	int ret;

	if (weft_unlikely((flags & ~(ENTRY_FLAGS | WEFT_MORE)) || count > WEFT_IOV_MAX))
		return -EINVAL;
	if (!len)
		count = 0;
	nslots = 1 + lw_segment_slots(count);

	ret = lw_reserve(q, nslots);
	if (ret)
		return ret;

	if (count > 1)
		lw_put_segments(q, q->tail + 1, iov, count);
	rqe = lw_slot_at(q, q->tail);
	*rqe = (struct weft_rqe) {
		.op = op,
		.nslots = nslots,
		.flags = flags & ENTRY_FLAGS,
		.src = src,
		.context = context,
		.addr = count == 1 ? (uintptr_t)iov->iov_base : 0,
		.len = len,
		.tag = tag,
		.ignore = ignore,
		.niov = count,
		.part = part,
	};
	lw_commit(q, nslots, flags);
	return 0;
}

#endif /* _LIBWEFT_ENTRY_H */
