// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Completion queues: the consumer's side of the ring that the kernel fills.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "take.h"

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

int weft_cq_peek(struct weft_cq *cq, const struct weft_cqe **cqe)
{
	*cqe = lw_cq_peek(cq);
	return *cqe ? 1 : lw_cq_failed(cq);
}

int weft_cq_next(struct weft_cq *cq, const struct weft_cqe **cqe)
{
	*cqe = lw_cq_next(cq);
	return *cqe ? 1 : 0;
}

void weft_cq_done(struct weft_cq *cq)
{
	lw_cq_give_back(cq);
}

int weft_cq_read(struct weft_cq *cq, struct weft_cqe *cqe, unsigned int max)
{
	const struct weft_cqe *slot;
	unsigned int n = 0;

	while (n < max) {
		slot = lw_cq_peek(cq);
		if (!slot || (slot->status && n))
			break;
		cqe[n] = *slot;
		cq->head += slot->nslots;
		if (cqe[n++].status)
			break;
	}
	if (!n)
		return lw_cq_failed(cq);
	lw_cq_give_back(cq);
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
			lw_copy_inline(cq, cq->settled, &cqe);
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
	if (ep)
		lw_notify(ep->ctx->fd, ep->ctx->seek, ep->handle, WEFT_NOTIFY_SQ | WEFT_NOTIFY_RQ);
	if (weft_cq_pending(cq, seen))
		return 0;
	return lw_wait(cq->ctx, cq->fd, seen, timeout_ns);
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
