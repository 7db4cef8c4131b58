// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Completion queues: the consumer's side of the ring that the kernel fills.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"

int weft_cq_create(struct weft_ctx *ctx, uint32_t slots, struct weft_cq **cq_out)
{
	struct weft_ioc_cq arg = { .size = sizeof(arg), .slots = slots };
	struct weft_cq *cq;
	int ret;

	cq = calloc(1, sizeof(*cq));
	if (!cq)
		return -ENOMEM;

	pthread_mutex_lock(&ctx->lock);
	ret = lw_create(ctx, WEFT_IOC_CQ_CREATE, &arg);
	if (ret)
		goto err_unlock;

	ret = lw_map(ctx, &arg.ring, PROT_READ, &cq->view[0]);
	if (!ret)
		ret = lw_map(ctx, &arg.doorbell, PROT_READ | PROT_WRITE, &cq->view[1]);
	if (!ret)
		ret = lw_map(ctx, &arg.status, PROT_READ, &cq->view[2]);
	if (ret)
		goto err_destroy;
	pthread_mutex_unlock(&ctx->lock);

	cq->ctx = ctx;
	cq->handle = arg.handle;
	cq->fd = arg.fd;
	cq->mask = arg.slots - 1;
	cq->ring = cq->view[0].at;
	cq->doorbell = cq->view[1].at;
	cq->status = cq->view[2].at;
	*cq_out = cq;
	return 0;

err_destroy:
	close(arg.fd);
	lw_destroy_locked(ctx, arg.handle, cq->view, 3);
err_unlock:
	pthread_mutex_unlock(&ctx->lock);
	free(cq);
	return ret;
}

int weft_cq_destroy(struct weft_cq *cq)
{
	int ret = lw_destroy(cq->ctx, cq->handle, cq->view, 3);

	if (ret)
		return ret;
	close(cq->fd);
	free(cq);
	return 0;
}

/* Copy the payload behind the entry at @index to its receive's buffer, round the ring's end. */
static inline void copy_inline(const struct weft_cq *cq, uint32_t index,
			       const struct weft_cqe *cqe)
{
	uint32_t first = (index + 1) & cq->mask;
	size_t len = cqe->len - cqe->olen;
	size_t flat = (size_t)(cq->mask + 1 - first) * WEFT_SLOT_SIZE;
	char *buf = (char *)(uintptr_t)cqe->buf;

	if (!lw_unlikely(len > flat)) {
		lw_copy(buf, &cq->ring[first], len);
	} else {
		memcpy(buf, &cq->ring[first], flat);
		memcpy(buf + flat, cq->ring, len - flat);
	}
}

/* Is there an entry at @cq->head? Its payload is where it belongs then. */
static inline const struct weft_cqe *peek(struct weft_cq *cq)
{
	const struct weft_cqe *slot = &cq->ring[cq->head & cq->mask];

	if (cq->head == cq->tail) {
		cq->tail = lw_load_acquire(&cq->status->tail);	/* C: before the entry */
		if (cq->head == cq->tail)
			return NULL;
	}
	if (slot->flags & WEFT_CQE_INLINE && (int32_t)(cq->head - cq->settled) >= 0) {
		copy_inline(cq, cq->head, slot);
		cq->settled = cq->head + slot->nslots;
	}
	return slot;
}

/* Give the slots before the head back to the kernel. */
static inline void give_back(struct weft_cq *cq)
{
	if ((int32_t)(cq->head - cq->settled) > 0)
		cq->settled = cq->head;
	lw_store_release(&cq->doorbell->head, cq->head); /* D: after the entries were read */
	lw_full_barrier();				/* E: head before flags */
	if (lw_unlikely(lw_load(&cq->status->flags) & WEFT_ST_CQ_KICK))
		lw_ioctl(cq->fd, WEFT_IOC_CQ_KICK, NULL);
}

static int failed(const struct weft_cq *cq)
{
	return lw_load(&cq->status->flags) & WEFT_ST_CQ_ERROR ? -EIO : 0;
}

int weft_cq_peek(struct weft_cq *cq, const struct weft_cqe **cqe)
{
	*cqe = peek(cq);
	return *cqe ? 1 : failed(cq);
}

int weft_cq_next(struct weft_cq *cq, const struct weft_cqe **cqe)
{
	cq->head += cq->ring[cq->head & cq->mask].nslots;
	*cqe = peek(cq);
	return *cqe ? 1 : 0;
}

void weft_cq_done(struct weft_cq *cq)
{
	give_back(cq);
}

int weft_cq_read(struct weft_cq *cq, struct weft_cqe *cqe, unsigned int max)
{
	const struct weft_cqe *slot;
	unsigned int n = 0;

	while (n < max) {
		slot = peek(cq);
		if (!slot || (slot->status && n))
			break;
		cqe[n] = *slot;
		cq->head += slot->nslots;
		if (cqe[n++].status)
			break;
	}
	if (!n)
		return failed(cq);
	give_back(cq);
	return n;
}

void weft_cq_from(const struct weft_cq *cq, struct weft_sockaddr *from)
{
	memcpy(from, &cq->ring[(cq->head + 1) & cq->mask], sizeof(*from));
}

void weft_cq_settle(struct weft_cq *cq)
{
	uint32_t tail = lw_load_acquire(&cq->status->tail);	/* C: before the entries */

	while (cq->settled != tail) {
		struct weft_cqe cqe = cq->ring[cq->settled & cq->mask];

		if (cqe.flags & WEFT_CQE_INLINE)
			copy_inline(cq, cq->settled, &cqe);
		cq->settled += cqe.nslots;
	}
}

uint32_t weft_cq_seen(const struct weft_cq *cq)
{
	return cq->head;
}

int weft_cq_pending(const struct weft_cq *cq, uint32_t seen)
{
	return lw_load(&cq->status->tail) != seen;
}

int weft_cq_wait(struct weft_cq *cq, uint32_t seen, const struct weft_ep *ep, uint64_t timeout_ns)
{
	struct weft_ioc_cq_wait arg = {
		.size = sizeof(arg),
		.seen = seen,
		.kick = ep ? ep->handle : WEFT_HANDLE_NONE,
		.timeout_ns = timeout_ns,
	};

	if (!ep && weft_cq_pending(cq, seen))
		return 0;
	return lw_ioctl(cq->fd, WEFT_IOC_CQ_WAIT, &arg);
}

int weft_cq_signal(struct weft_cq *cq)
{
	return lw_ioctl(cq->fd, WEFT_IOC_CQ_SIGNAL, NULL);
}

int weft_cq_fd(const struct weft_cq *cq)
{
	return cq->fd;
}

uint32_t weft_cq_slots(const struct weft_cq *cq)
{
	return cq->mask + 1;
}
