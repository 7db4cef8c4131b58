// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Shared receive queues: life, counts, watermarks. msg.c posts receives.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "internal.h"

int weft_srq_create(struct weft_ctx *ctx, struct weft_srq_attr *attr, struct weft_eq *eq,
		    struct weft_srq **srq_out)
{
	struct weft_ioc_srq arg = {
		.size = sizeof(arg),
		.slots = attr->slots,
		.recvs = attr->recvs,
		.eq = eq ? eq->handle : WEFT_HANDLE_NONE,
		.zone = attr->zone,
	};
	struct weft_ep_doorbell *doorbell;
	struct weft_srq *srq;
	int ret;

	srq = aligned_alloc(LW_CACHE_LINE, sizeof(*srq));
	if (!srq)
		return -ENOMEM;
	memset(srq, 0, sizeof(*srq));
	srq->ctx = ctx;

	pthread_mutex_lock(&ctx->lock);
	ret = lw_create(ctx, WEFT_IOC_SRQ_CREATE, &arg);
	if (ret)
		goto err_unlock;
	ret = lw_map(ctx, &arg.rq, PROT_READ | PROT_WRITE, &srq->view[0]);
	if (!ret)
		ret = lw_map(ctx, &arg.doorbell, PROT_READ | PROT_WRITE, &srq->view[1]);
	if (!ret)
		ret = lw_map(ctx, &arg.status, PROT_READ, &srq->view[2]);
	if (ret)
		goto err_destroy;
	pthread_mutex_unlock(&ctx->lock);

	doorbell = srq->view[1].at;
	srq->status = srq->view[2].at;
	srq->handle = arg.handle;
	srq->rq = (struct lw_queue) {
		.slots = srq->view[0].at,
		.size = arg.slots,
		.notify_if = WEFT_ST_RQ_NOTIFY,
		.handle = arg.handle,
		.fd = ctx->fd,
		.doorbell = &doorbell->rq_tail,
		.khead = &srq->status->rq_head,
		.flags = &srq->status->flags,
	};
	attr->slots = arg.slots;
	*srq_out = srq;
	return 0;

err_destroy:
	lw_destroy_locked(ctx, arg.handle, srq->view, 3);
err_unlock:
	pthread_mutex_unlock(&ctx->lock);
	free(srq);
	return ret;
}

int weft_srq_destroy(struct weft_srq *srq)
{
	int ret = lw_destroy(srq->ctx, srq->handle, srq->view, 3);

	if (!ret)
		free(srq);
	return ret;
}

int weft_srq_resize(struct weft_srq *srq, uint32_t slots, uint32_t recvs)
{
	struct weft_ioc_srq arg = {
		.size = sizeof(arg),
		.slots = slots,
		.recvs = recvs,
		.handle = srq->handle,
	};
	struct weft_ctx *ctx = srq->ctx;
	struct lw_view view = { 0 };
	int ret;

	weft_srq_flush(srq);
	pthread_mutex_lock(&ctx->lock);
	ret = lw_ioctl(ctx->fd, WEFT_IOC_SRQ_RESIZE, &arg);
	if (!ret) {
		/* the old ring's pages stay as long as they are mapped */
		ret = lw_map(ctx, &arg.rq, PROT_READ | PROT_WRITE, &view);
		lw_unmap(ctx, srq->view[0].area);
		srq->view[0] = view;
		srq->rq.slots = view.at;
		srq->rq.size = view.at ? arg.slots : 0;
	}
	pthread_mutex_unlock(&ctx->lock);
	return ret;
}

int weft_srq_query(struct weft_srq *srq, struct weft_ioc_srq_query *q)
{
	memset(q, 0, sizeof(*q));
	q->size = sizeof(*q);
	q->handle = srq->handle;
	return lw_ioctl(srq->ctx->fd, WEFT_IOC_SRQ_QUERY, q);
}

int weft_srq_arm(struct weft_srq *srq, uint32_t low)
{
	struct weft_ioc_mark arg = { .size = sizeof(arg), .handle = srq->handle, .low = low };

	return lw_ioctl(srq->ctx->fd, WEFT_IOC_SRQ_ARM, &arg);
}

int weft_srq_cancel(struct weft_srq *srq, struct weft_cq *cq, uint64_t context)
{
	struct weft_ioc_srq_cancel arg = {
		.size = sizeof(arg),
		.handle = srq->handle,
		.cq = cq->handle,
		.context = context,
	};

	weft_srq_flush(srq);
	return lw_ioctl(srq->ctx->fd, WEFT_IOC_SRQ_CANCEL, &arg);
}

uint32_t weft_srq_handle(const struct weft_srq *srq)
{
	return srq->handle;
}
