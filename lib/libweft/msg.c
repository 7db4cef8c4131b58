// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Messages: entries in the send and receive rings, doorbells and notify calls.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "entry.h"

/* ---- Doorbells -------------------------------------------------------------------------- */

/* By an ioctl, or again after a signal. Return: 0 */
static __attribute__((noinline)) long notify_any(struct lw_queue *q)
{
	struct weft_ioc_handle arg = { .size = sizeof(arg), .handle = q->handle };

	if (q->notify)
		lw_notify(q->fd, q->seek, q->handle, q->notify);
	else
		while (lw_ioctl(q->fd, WEFT_IOC_SRQ_NOTIFY, &arg) == -EINTR)
			;
	return 0;
}

/* Return: 0 */
long lw_queue_notify(struct lw_queue *q)
{
	if (weft_likely(q->seek) &&
	    (weft_likely(lseek64(q->fd, q->handle, q->notify) >= 0) || errno != EINTR))
		return 0;
	return notify_any(q);
}

void weft_flush_send(struct weft_ep *ep)
{
	lw_flush(&ep->sq);
}

void weft_flush_recv(struct weft_ep *ep)
{
	if (ep->rq.slots)
		lw_flush(&ep->rq);
}

void weft_publish(struct weft_ep *ep)
{
	lw_publish(&ep->sq);
	if (ep->rq.slots)
		lw_publish(&ep->rq);
}

void weft_publish_send(struct weft_ep *ep)
{
	lw_publish(&ep->sq);
}

void weft_publish_recv(struct weft_ep *ep)
{
	lw_publish(&ep->rq);
}

void weft_notify(struct weft_ep *ep)
{
	lw_notify(ep->ctx->fd, ep->ctx->seek, ep->handle, WEFT_NOTIFY_SQ | WEFT_NOTIFY_RQ);
}

/* ---- Slots ------------------------------------------------------------------------------ */

/* lw_reserve() found no free slot: read the head again. If none is free, notify the kernel. */
int lw_reserve_more(struct lw_queue *q, uint32_t nslots)
{
	if (!q->size || (lw_load(q->flags) & WEFT_ST_ERROR))
		return -EIO;
	q->head = lw_load_acquire(q->khead);		/* B: before the slots are reused */
	if (q->tail + nslots - q->head <= q->size)
		return 0;
	lw_flush(q);
	return -EAGAIN;
}

static uint32_t room(struct lw_queue *q)
{
	if (!q->slots)
		return 0;
	q->head = lw_load_acquire(q->khead);		/* B */
	return q->size - (q->tail - q->head);
}

uint32_t weft_send_space(struct weft_ep *ep)
{
	return room(&ep->sq);
}

uint32_t weft_recv_space(struct weft_ep *ep)
{
	return room(&ep->rq);
}

/* Write segments into the slots from @index on. */
void lw_put_segments(struct lw_queue *q, uint32_t index, const struct iovec *iov, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		struct weft_iov *seg = lw_slot_at(q, index + i / IOV_PER_SLOT);

		seg += i % IOV_PER_SLOT;
		seg->addr = (uintptr_t)iov[i].iov_base;
		seg->len = iov[i].iov_len;
	}
}

/* ---- Send ------------------------------------------------------------------------------- */

int weft_send(struct weft_ep *ep, const void *buf, size_t len, uint32_t dst, uint64_t data,
	      uint64_t context, uint32_t flags)
{
	struct iovec iov = { .iov_base = (void *)buf, .iov_len = len };

	return lw_send_entry(ep, WEFT_SQ_SEND, &iov, 1, dst, 0, data, context, flags);
}

int weft_sendv(struct weft_ep *ep, const struct iovec *iov, size_t count, uint32_t dst,
	       uint64_t data, uint64_t context, uint32_t flags)
{
	return lw_send_entry(ep, WEFT_SQ_SEND, iov, count, dst, 0, data, context, flags);
}

int weft_tsend(struct weft_ep *ep, const void *buf, size_t len, uint32_t dst, uint64_t tag,
	       uint64_t data, uint64_t context, uint32_t flags)
{
	struct iovec iov = { .iov_base = (void *)buf, .iov_len = len };

	return lw_send_entry(ep, WEFT_SQ_TSEND, &iov, 1, dst, tag, data, context, flags);
}

int weft_tsendv(struct weft_ep *ep, const struct iovec *iov, size_t count, uint32_t dst,
		uint64_t tag, uint64_t data, uint64_t context, uint32_t flags)
{
	return lw_send_entry(ep, WEFT_SQ_TSEND, iov, count, dst, tag, data, context, flags);
}

/* ---- Receive ---------------------------------------------------------------------------- */

int weft_recv(struct weft_ep *ep, void *buf, size_t len, uint32_t src, uint64_t context,
	      uint32_t flags)
{
	struct iovec iov = { .iov_base = buf, .iov_len = len };

	return lw_recv_entry(&ep->rq, WEFT_RQ_RECV, &iov, 1, src, 0, 0, 0, context, flags);
}

int weft_recvv(struct weft_ep *ep, const struct iovec *iov, size_t count, uint32_t src,
	       uint64_t context, uint32_t flags)
{
	return lw_recv_entry(&ep->rq, WEFT_RQ_RECV, iov, count, src, 0, 0, 0, context, flags);
}

int weft_trecv(struct weft_ep *ep, void *buf, size_t len, uint32_t src, uint64_t tag,
	       uint64_t ignore, uint64_t context, uint32_t flags)
{
	struct iovec iov = { .iov_base = buf, .iov_len = len };

	return lw_recv_entry(&ep->rq, WEFT_RQ_TRECV, &iov, 1, src, tag, ignore, 0, context, flags);
}

int weft_trecvv(struct weft_ep *ep, const struct iovec *iov, size_t count, uint32_t src,
		uint64_t tag, uint64_t ignore, uint64_t context, uint32_t flags)
{
	return lw_recv_entry(&ep->rq, WEFT_RQ_TRECV, iov, count, src, tag, ignore, 0, context,
			     flags);
}

int weft_recv_multi(struct weft_ep *ep, void *buf, size_t len, size_t least, uint32_t src,
		    uint64_t context, uint32_t flags)
{
	struct iovec iov = { .iov_base = buf, .iov_len = len };

	return lw_recv_entry(&ep->rq, WEFT_RQ_RECV, &iov, 1, src, 0, least, 0, context,
			  flags | WEFT_RQ_MULTI);
}

int weft_recv_announce(struct weft_ep *ep, void *buf, size_t len, uint32_t part, uint64_t context,
		       uint32_t flags)
{
	struct iovec iov = { .iov_base = buf, .iov_len = len };

	return lw_recv_entry(&ep->rq, WEFT_RQ_RECV, &iov, 1, WEFT_SRC_ANY, 0, 0, part, context,
			  flags | WEFT_RQ_ANNOUNCE | WEFT_RQ_COMPLETION);
}

int weft_trecv_announce(struct weft_ep *ep, void *buf, size_t len, uint32_t part, uint32_t src,
			uint64_t tag, uint64_t ignore, uint64_t context, uint32_t flags)
{
	struct iovec iov = { .iov_base = buf, .iov_len = len };

	return lw_recv_entry(&ep->rq, WEFT_RQ_TRECV, &iov, 1, src, tag, ignore, part, context,
			  flags | WEFT_RQ_ANNOUNCE | WEFT_RQ_COMPLETION);
}

/* ---- Messages that wait ------------------------------------------------------------------ */

/* Only a notify call, or an engine that polls both doorbells, makes the kernel process it. */
static int look_entry(struct weft_ep *ep, uint8_t op, const struct iovec *iov, size_t count,
		      uint32_t src, uint64_t tag, uint64_t ignore, uint64_t context,
		      uint32_t flags)
{
	int ret = lw_recv_entry(&ep->rq, op, iov, count, src, tag, ignore, 0, context,
			     flags | WEFT_MORE);

	if (ret)
		return ret;
	lw_publish(&ep->rq);
	lw_full_barrier();				/* E: doorbell before flags */
	if (lw_load(ep->rq.flags) & ep->sq.notify_if)
		lw_queue_notify(&ep->rq);
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
		lw_publish(&ep->rq);
	return lw_ioctl(ep->ctx->fd, WEFT_IOC_CANCEL, &arg);
}

/* ---- Shared receives -------------------------------------------------------------------- */

int weft_srq_recvv(struct weft_srq *srq, const struct iovec *iov, size_t count, uint32_t src,
		   uint64_t context, uint32_t flags)
{
	return lw_recv_entry(&srq->rq, WEFT_RQ_RECV, iov, count, src, 0, 0, 0, context, flags);
}

int weft_srq_trecvv(struct weft_srq *srq, const struct iovec *iov, size_t count, uint32_t src,
		    uint64_t tag, uint64_t ignore, uint64_t context, uint32_t flags)
{
	return lw_recv_entry(&srq->rq, WEFT_RQ_TRECV, iov, count, src, tag, ignore, 0, context,
			     flags);
}

int weft_srq_recv_multi(struct weft_srq *srq, void *buf, size_t len, size_t least, uint32_t src,
			uint64_t context, uint32_t flags)
{
	struct iovec iov = { .iov_base = buf, .iov_len = len };

	return lw_recv_entry(&srq->rq, WEFT_RQ_RECV, &iov, 1, src, 0, least, 0, context,
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
	return lw_recv_entry(&srq->rq, WEFT_RQ_REGION, iov, count, WEFT_SRC_ANY, k[0] | k[1] << 32,
			  k[2] | k[3] << 32, 0, context, flags);
}

void weft_srq_flush(struct weft_srq *srq)
{
	lw_flush(&srq->rq);
}

uint32_t weft_srq_space(struct weft_srq *srq)
{
	return room(&srq->rq);
}
