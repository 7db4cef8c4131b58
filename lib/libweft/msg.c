// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Messages: entries written into the send and receive rings, doorbells and kicks.
 */
#include <errno.h>
#include <string.h>

#include "internal.h"

#define IOV_PER_SLOT	(WEFT_SLOT_SIZE / sizeof(struct weft_iov))
#define ENTRY_FLAGS	0xffffu		/* those with a place in an entry; the kernel checks them */

/* ---- Doorbells -------------------------------------------------------------------------- */

static void publish(struct lw_queue *q)
{
	lw_store_release(q->doorbell, q->tail);		/* A: after the slots */
}

static void kick(struct lw_queue *q)
{
	struct weft_ioc_handle arg = { .size = sizeof(arg), .handle = q->handle };

	if (q->kick)
		lw_kick(q->fd, q->handle, q->kick);
	else
		while (lw_ioctl(q->fd, WEFT_IOC_SRQ_KICK, &arg) == -EINTR)
			;
}

static inline void flush(struct lw_queue *q)
{
	publish(q);
	lw_full_barrier();				/* E: doorbell before flags */
	if (lw_load(q->flags) & q->kick_if)
		kick(q);
}

void weft_flush_send(struct weft_ep *ep)
{
	flush(&ep->sq);
}

void weft_flush_recv(struct weft_ep *ep)
{
	if (ep->rq.slots)
		flush(&ep->rq);
}

void weft_publish(struct weft_ep *ep)
{
	publish(&ep->sq);
	if (ep->rq.slots)
		publish(&ep->rq);
}

void weft_publish_send(struct weft_ep *ep)
{
	publish(&ep->sq);
}

void weft_publish_recv(struct weft_ep *ep)
{
	publish(&ep->rq);
}

void weft_kick(struct weft_ep *ep)
{
	lw_kick(ep->ctx->fd, ep->handle, WEFT_KICK_SQ | WEFT_KICK_RQ);
}

/* ---- Slots ------------------------------------------------------------------------------ */

static inline void *slot_at(const struct lw_queue *q, uint32_t index)
{
	return q->slots + (size_t)(index & (q->size - 1)) * WEFT_SLOT_SIZE;
}

/* reserve() has found none: there may be some by now. Else a kernel that stopped is told. */
static __attribute__((noinline)) int reserve_more(struct lw_queue *q, uint32_t nslots)
{
	if (!q->size || (lw_load(q->flags) & WEFT_ST_ERROR))
		return -EIO;
	q->head = lw_load_acquire(q->khead);		/* B: before the slots are reused */
	if (q->tail + nslots - q->head <= q->size)
		return 0;
	flush(q);
	return -EAGAIN;
}

/* Find @nslots free slots. */
static inline int reserve(struct lw_queue *q, uint32_t nslots)
{
	if (lw_unlikely(q->tail + nslots - q->head > q->size)) {
		int ret = reserve_more(q, nslots);

		if (ret)
			return ret;
	}
	return lw_unlikely(lw_load(q->flags) & WEFT_ST_ERROR) ? -EIO : 0;
}

static uint32_t room(struct lw_queue *q)
{
	if (!q->slots)
		return 0;
	q->head = lw_load_acquire(q->khead);		/* B */
	return q->size - (q->tail - q->head);
}

uint32_t weft_send_room(struct weft_ep *ep)
{
	return room(&ep->sq);
}

uint32_t weft_recv_room(struct weft_ep *ep)
{
	return room(&ep->rq);
}

/* The entry of @nslots at the tail is written: hand it over, now or with the next one. */
static inline void commit(struct lw_queue *q, uint32_t nslots, uint32_t flags)
{
	q->tail += nslots;
	if (!(flags & WEFT_MORE))
		flush(q);
}

/* Segments into the slots behind the one at the tail. */
static void put_segments(struct lw_queue *q, const struct iovec *iov, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		struct weft_iov *seg = slot_at(q, q->tail + 1 + i / IOV_PER_SLOT);

		seg += i % IOV_PER_SLOT;
		seg->addr = (uintptr_t)iov[i].iov_base;
		seg->len = iov[i].iov_len;
	}
}

/* Payload into the slots behind the one at the tail, round the ring's end. */
static inline void put_payload(struct lw_queue *q, const struct iovec *iov, size_t count)
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

static inline uint64_t total(const struct iovec *iov, size_t count)
{
	uint64_t len = 0;
	size_t i;

	for (i = 0; i < count; i++)
		len += iov[i].iov_len;
	return len;
}

/* Slots for @count segments behind the first one, which itself has room for one segment. */
static inline uint32_t segment_slots(size_t count)
{
	return count > 1 ? (count + IOV_PER_SLOT - 1) / IOV_PER_SLOT : 0;
}

/* ---- Send ------------------------------------------------------------------------------- */

/* Inlined: a form with one segment has no loops and no segments in the ring. */
static inline __attribute__((always_inline)) int
send_entry(struct weft_ep *ep, uint8_t op, const struct iovec *iov, size_t count, uint32_t dst,
	   uint64_t tag, uint64_t data, uint64_t context, uint32_t flags)
{
	struct lw_queue *q = &ep->sq;
	uint64_t len = total(iov, count);
	struct weft_sqe *sqe;
	uint32_t nslots;
	int ret;

	if (lw_unlikely((flags & ~(ENTRY_FLAGS | WEFT_MORE)) || count > WEFT_IOV_MAX))
		return -EINVAL;
	if (flags & WEFT_SQ_INLINE) {
		if (len > WEFT_INLINE_MAX)
			return -EMSGSIZE;
		nslots = 1 + (len + WEFT_SLOT_SIZE - 1) / WEFT_SLOT_SIZE;
	} else {
		if (!len)
			count = 0;
		nslots = 1 + segment_slots(count);
	}

	ret = reserve(q, nslots);
	if (ret)
		return ret;

	if (flags & WEFT_SQ_INLINE) {
		put_payload(q, iov, count);
		count = 0;
	} else if (count > 1) {
		put_segments(q, iov, count);
	}
	sqe = slot_at(q, q->tail);
	*sqe = (struct weft_sqe) {
		.op = op,
		.nslots = nslots,
		.flags = flags & WEFT_MORE ? flags | WEFT_SQ_MORE : flags,
		.dst = dst,
		.context = context,
		.addr = count == 1 ? (uintptr_t)iov->iov_base : 0,
		.len = len,
		.tag = tag,
		.data = flags & WEFT_SQ_DATA ? data : 0,
		.niov = count,
	};
	commit(q, nslots, flags);
	return 0;
}

int weft_send(struct weft_ep *ep, const void *buf, size_t len, uint32_t dst, uint64_t data,
	      uint64_t context, uint32_t flags)
{
	struct iovec iov = { .iov_base = (void *)buf, .iov_len = len };

	return send_entry(ep, WEFT_SQ_SEND, &iov, 1, dst, 0, data, context, flags);
}

int weft_sendv(struct weft_ep *ep, const struct iovec *iov, size_t count, uint32_t dst,
	       uint64_t data, uint64_t context, uint32_t flags)
{
	return send_entry(ep, WEFT_SQ_SEND, iov, count, dst, 0, data, context, flags);
}

int weft_tsend(struct weft_ep *ep, const void *buf, size_t len, uint32_t dst, uint64_t tag,
	       uint64_t data, uint64_t context, uint32_t flags)
{
	struct iovec iov = { .iov_base = (void *)buf, .iov_len = len };

	return send_entry(ep, WEFT_SQ_TSEND, &iov, 1, dst, tag, data, context, flags);
}

int weft_tsendv(struct weft_ep *ep, const struct iovec *iov, size_t count, uint32_t dst,
		uint64_t tag, uint64_t data, uint64_t context, uint32_t flags)
{
	return send_entry(ep, WEFT_SQ_TSEND, iov, count, dst, tag, data, context, flags);
}

/* ---- Receive ---------------------------------------------------------------------------- */

/* Inlined, as send_entry() is. */
static inline __attribute__((always_inline)) int
recv_entry(struct lw_queue *q, uint8_t op, const struct iovec *iov, size_t count, uint32_t src,
	   uint64_t tag, uint64_t ignore, uint32_t part, uint64_t context, uint32_t flags)
{
	uint64_t len = total(iov, count);
	struct weft_rqe *rqe;
	uint32_t nslots;
	int ret;

	if (lw_unlikely((flags & ~(ENTRY_FLAGS | WEFT_MORE)) || count > WEFT_IOV_MAX))
		return -EINVAL;
	if (!len)
		count = 0;
	nslots = 1 + segment_slots(count);

	ret = reserve(q, nslots);
	if (ret)
		return ret;

	if (count > 1)
		put_segments(q, iov, count);
	rqe = slot_at(q, q->tail);
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
	commit(q, nslots, flags);
	return 0;
}

int weft_recv(struct weft_ep *ep, void *buf, size_t len, uint32_t src, uint64_t context,
	      uint32_t flags)
{
	struct iovec iov = { .iov_base = buf, .iov_len = len };

	return recv_entry(&ep->rq, WEFT_RQ_RECV, &iov, 1, src, 0, 0, 0, context, flags);
}

int weft_recvv(struct weft_ep *ep, const struct iovec *iov, size_t count, uint32_t src,
	       uint64_t context, uint32_t flags)
{
	return recv_entry(&ep->rq, WEFT_RQ_RECV, iov, count, src, 0, 0, 0, context, flags);
}

int weft_trecv(struct weft_ep *ep, void *buf, size_t len, uint32_t src, uint64_t tag,
	       uint64_t ignore, uint64_t context, uint32_t flags)
{
	struct iovec iov = { .iov_base = buf, .iov_len = len };

	return recv_entry(&ep->rq, WEFT_RQ_TRECV, &iov, 1, src, tag, ignore, 0, context, flags);
}

int weft_trecvv(struct weft_ep *ep, const struct iovec *iov, size_t count, uint32_t src,
		uint64_t tag, uint64_t ignore, uint64_t context, uint32_t flags)
{
	return recv_entry(&ep->rq, WEFT_RQ_TRECV, iov, count, src, tag, ignore, 0, context, flags);
}

int weft_recv_multi(struct weft_ep *ep, void *buf, size_t len, size_t least, uint32_t src,
		    uint64_t context, uint32_t flags)
{
	struct iovec iov = { .iov_base = buf, .iov_len = len };

	return recv_entry(&ep->rq, WEFT_RQ_RECV, &iov, 1, src, 0, least, 0, context,
			  flags | WEFT_RQ_MULTI);
}

int weft_recv_announce(struct weft_ep *ep, void *buf, size_t len, uint32_t part, uint64_t context,
		       uint32_t flags)
{
	struct iovec iov = { .iov_base = buf, .iov_len = len };

	return recv_entry(&ep->rq, WEFT_RQ_RECV, &iov, 1, WEFT_SRC_ANY, 0, 0, part, context,
			  flags | WEFT_RQ_ANNOUNCE | WEFT_RQ_COMPLETION);
}

int weft_trecv_announce(struct weft_ep *ep, void *buf, size_t len, uint32_t part, uint32_t src,
			uint64_t tag, uint64_t ignore, uint64_t context, uint32_t flags)
{
	struct iovec iov = { .iov_base = buf, .iov_len = len };

	return recv_entry(&ep->rq, WEFT_RQ_TRECV, &iov, 1, src, tag, ignore, part, context,
			  flags | WEFT_RQ_ANNOUNCE | WEFT_RQ_COMPLETION);
}

/* ---- Messages that wait ------------------------------------------------------------------ */

/* Nothing but a kick makes the kernel look, or an engine that looks at both doorbells. */
static int look_entry(struct weft_ep *ep, uint8_t op, const struct iovec *iov, size_t count,
		      uint32_t src, uint64_t tag, uint64_t ignore, uint64_t context,
		      uint32_t flags)
{
	int ret = recv_entry(&ep->rq, op, iov, count, src, tag, ignore, 0, context,
			     flags | WEFT_MORE);

	if (ret)
		return ret;
	publish(&ep->rq);
	lw_full_barrier();				/* E: doorbell before flags */
	if (lw_load(ep->rq.flags) & WEFT_ST_SQ_KICK)
		kick(&ep->rq);
	return 0;
}

int weft_tpeek(struct weft_ep *ep, const struct iovec *iov, size_t count, uint32_t src,
	       uint64_t tag, uint64_t ignore, uint64_t context, uint32_t flags)
{
	return look_entry(ep, WEFT_RQ_PEEK, iov, count, src, tag, ignore, context, flags);
}

int weft_tclaim(struct weft_ep *ep, const struct iovec *iov, size_t count, uint64_t context,
		uint32_t flags)
{
	return look_entry(ep, WEFT_RQ_CLAIM, iov, count, WEFT_SRC_ANY, 0, 0, context, flags);
}

int weft_tdiscard(struct weft_ep *ep, uint64_t context, uint32_t flags)
{
	return look_entry(ep, WEFT_RQ_DISCARD, NULL, 0, WEFT_SRC_ANY, 0, 0, context, flags);
}

int weft_cancel(struct weft_ep *ep, uint64_t context)
{
	struct weft_ioc_cancel arg = {
		.size = sizeof(arg),
		.handle = ep->handle,
		.context = context,
	};

	if (ep->rq.slots)
		publish(&ep->rq);
	return lw_ioctl(ep->ctx->fd, WEFT_IOC_CANCEL, &arg);
}

/* ---- Shared receives -------------------------------------------------------------------- */

int weft_srq_recvv(struct weft_srq *srq, const struct iovec *iov, size_t count, uint32_t src,
		   uint64_t context, uint32_t flags)
{
	return recv_entry(&srq->rq, WEFT_RQ_RECV, iov, count, src, 0, 0, 0, context, flags);
}

int weft_srq_trecvv(struct weft_srq *srq, const struct iovec *iov, size_t count, uint32_t src,
		    uint64_t tag, uint64_t ignore, uint64_t context, uint32_t flags)
{
	return recv_entry(&srq->rq, WEFT_RQ_TRECV, iov, count, src, tag, ignore, 0, context, flags);
}

int weft_srq_recv_multi(struct weft_srq *srq, void *buf, size_t len, size_t least, uint32_t src,
			uint64_t context, uint32_t flags)
{
	struct iovec iov = { .iov_base = buf, .iov_len = len };

	return recv_entry(&srq->rq, WEFT_RQ_RECV, &iov, 1, src, 0, least, 0, context,
			  flags | WEFT_RQ_MULTI);
}

int weft_srq_recvk(struct weft_srq *srq, const struct iovec *iov, const uint32_t *keys,
		   size_t count, uint64_t context, uint32_t flags)
{
	uint64_t k[WEFT_KEYS_MAX] = { 0 };
	size_t i;

	if (count > WEFT_KEYS_MAX)
		return -EINVAL;
	for (i = 0; i < count; i++)
		k[i] = keys[i];
	return recv_entry(&srq->rq, WEFT_RQ_REGION, iov, count, WEFT_SRC_ANY, k[0] | k[1] << 32,
			  k[2] | k[3] << 32, 0, context, flags);
}

void weft_srq_flush(struct weft_srq *srq)
{
	flush(&srq->rq);
}

uint32_t weft_srq_room(struct weft_srq *srq)
{
	return room(&srq->rq);
}
