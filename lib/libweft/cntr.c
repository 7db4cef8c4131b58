// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Counters: numbers that the kernel writes into a shared page.
 *
 * The doorbell holds the last index that was read, so that the file is readable when the counter
 * has moved.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"

int weft_cntr_create(struct weft_ctx *ctx, struct weft_cntr **cntr_out)
{
	struct weft_ioc_cq arg = { .size = sizeof(arg), .flags = WEFT_CQF_COUNT };
	struct weft_cntr *cntr;
	int ret;

	cntr = calloc(1, sizeof(*cntr));
	if (!cntr)
		return -ENOMEM;

	pthread_mutex_lock(&ctx->lock);
	ret = lw_create(ctx, WEFT_IOC_CQ_CREATE, &arg);
	if (ret)
		goto err_unlock;
	ret = lw_map(ctx, &arg.doorbell, PROT_READ | PROT_WRITE, &cntr->view[0]);
	if (!ret)
		ret = lw_map(ctx, &arg.status, PROT_READ, &cntr->view[1]);
	if (ret)
		goto err_destroy;
	pthread_mutex_unlock(&ctx->lock);

	cntr->ctx = ctx;
	cntr->handle = arg.handle;
	cntr->fd = arg.fd;
	cntr->doorbell = cntr->view[0].at;
	cntr->status = cntr->view[1].at;
	*cntr_out = cntr;
	return 0;

err_destroy:
	close(arg.fd);
	lw_destroy_locked(ctx, arg.handle, cntr->view, 2);
err_unlock:
	pthread_mutex_unlock(&ctx->lock);
	free(cntr);
	return ret;
}

int weft_cntr_destroy(struct weft_cntr *cntr)
{
	int ret = lw_destroy(cntr->ctx, cntr->handle, cntr->view, 2);

	if (ret)
		return ret;
	close(cntr->fd);
	free(cntr);
	return 0;
}

void weft_cntr_read(struct weft_cntr *cntr, struct weft_count *count)
{
	count->seen = lw_load_acquire(&cntr->status->tail);	/* C: before the numbers */
	count->done = __atomic_load_n(&cntr->status->done, __ATOMIC_ACQUIRE);
	count->failed = __atomic_load_n(&cntr->status->failed, __ATOMIC_ACQUIRE);
	if (lw_load(&cntr->doorbell->head) != count->seen)
		lw_store_release(&cntr->doorbell->head, count->seen);
}

int weft_cntr_pending(const struct weft_cntr *cntr)
{
	return lw_load(&cntr->status->tail) != lw_load(&cntr->doorbell->head);
}

int weft_cntr_wait(struct weft_cntr *cntr, uint32_t seen, uint64_t timeout_ns)
{
	if (lw_load(&cntr->status->tail) != seen)
		return 0;
	return lw_wait(cntr->ctx, cntr->fd, seen, timeout_ns);
}

int weft_cntr_signal(struct weft_cntr *cntr)
{
	return lw_ioctl(cntr->fd, WEFT_IOC_CQ_SIGNAL, NULL);
}

int weft_cntr_fd(const struct weft_cntr *cntr)
{
	return cntr->fd;
}
