// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Event queues: the library reads several events at a time from their file, and returns them one by
 * one.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

int weft_eq_create(struct weft_ctx *ctx, struct weft_eq **eq_out)
{
	struct weft_ioc_eq arg = { .size = sizeof(arg) };
	struct weft_eq *eq;
	int ret;

	eq = calloc(1, sizeof(*eq));
	if (!eq)
		return -ENOMEM;

	pthread_mutex_lock(&ctx->lock);
	ret = lw_create(ctx, WEFT_IOC_EQ_CREATE, &arg);
	pthread_mutex_unlock(&ctx->lock);
	if (ret)
		goto err_free;

	if (fcntl(arg.fd, F_SETFL, O_NONBLOCK) < 0) {
		ret = -errno;
		goto err_destroy;
	}
	eq->ctx = ctx;
	eq->handle = arg.handle;
	eq->fd = arg.fd;
	*eq_out = eq;
	return 0;

err_destroy:
	close(arg.fd);
	lw_destroy(ctx, arg.handle, NULL, 0);
err_free:
	free(eq);
	return ret;
}

int weft_eq_destroy(struct weft_eq *eq)
{
	int ret = lw_destroy(eq->ctx, eq->handle, NULL, 0);

	if (ret)
		return ret;
	close(eq->fd);
	free(eq);
	return 0;
}

int weft_eq_read(struct weft_eq *eq, struct weft_event *ev, void *data)
{
	if (eq->pos == eq->len) {
		ssize_t n = read(eq->fd, eq->buf, sizeof(eq->buf));

		if (n < 0)
			return -errno;
		if (!n)
			return -EAGAIN;
		eq->pos = 0;
		eq->len = n;
	}

	memcpy(ev, eq->buf + eq->pos, sizeof(*ev));
	eq->pos += sizeof(*ev);
	if (data)
		memcpy(data, eq->buf + eq->pos, ev->data_len);
	eq->pos += (ev->data_len + 7) & ~7u;
	return 0;
}

int weft_eq_pending(const struct weft_eq *eq)
{
	return eq->pos != eq->len;
}

int weft_eq_fd(const struct weft_eq *eq)
{
	return eq->fd;
}
