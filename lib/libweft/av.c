// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Address vectors: the kernel holds and checks the addresses. The library keeps a copy for lookups.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

#define CHUNK	4096u	/* addresses of one ioctl */

int weft_av_create(struct weft_ctx *ctx, uint32_t count, struct weft_av **av_out)
{
	struct weft_ioc_av arg = { .size = sizeof(arg), .count = count };
	struct weft_av *av;
	int ret;

	av = calloc(1, sizeof(*av));
	if (!av)
		return -ENOMEM;

	pthread_mutex_lock(&ctx->lock);
	ret = lw_create(ctx, WEFT_IOC_AV_CREATE, &arg);
	pthread_mutex_unlock(&ctx->lock);
	if (ret) {
		free(av);
		return ret;
	}
	av->ctx = ctx;
	av->handle = arg.handle;
	*av_out = av;
	return 0;
}

int weft_av_destroy(struct weft_av *av)
{
	int ret = lw_destroy(av->ctx, av->handle, NULL, 0);

	if (ret)
		return ret;
	free(av->addr);
	free(av);
	return 0;
}

/* Allocate entries for indices below @high. */
static int make_room(struct weft_av *av, uint32_t high)
{
	struct lw_av_addr *addr;
	uint32_t room = av->room ? av->room : 16;

	while (room < high)
		room *= 2;
	if (room == av->room)
		return 0;
	addr = realloc(av->addr, room * sizeof(*addr));
	if (!addr)
		return -ENOMEM;
	memset(addr + av->room, 0, (room - av->room) * sizeof(*addr));
	av->addr = addr;
	av->room = room;
	return 0;
}

/* One above the highest valid index. */
static uint32_t highest(const uint32_t *index, uint32_t count)
{
	uint32_t high = 0, i;

	for (i = 0; i < count; i++)
		if (index[i] < WEFT_AV_MAX && index[i] >= high)
			high = index[i] + 1;
	return high;
}

static int insert_chunk(struct weft_av *av, const struct weft_sockaddr *addrs, uint32_t count,
			uint32_t *index, uint32_t flags)
{
	struct weft_ioc_av_insert arg = {
		.size = sizeof(arg),
		.flags = flags,
		.handle = av->handle,
		.count = count,
		.addrs = (uintptr_t)addrs,
		.index = (uintptr_t)index,
	};
	uint32_t i;
	int ret;

	/* the kernel uses the lowest free index, or the requested one */
	ret = make_room(av, flags & WEFT_AVF_AT ? highest(index, count) : av->high + count);
	if (!ret)
		ret = lw_ioctl(av->ctx->fd, WEFT_IOC_AV_INSERT, &arg);
	if (ret)
		return ret;

	for (i = 0; i < count; i++) {
		if (index[i] >= av->room)
			continue;
		av->addr[index[i]].addr = addrs[i];
		av->addr[index[i]].uses++;
		if (av->high <= index[i])
			av->high = index[i] + 1;
	}
	return arg.done;
}

static int insert(struct weft_av *av, const struct weft_sockaddr *addrs, size_t count,
		  uint32_t *index, uint32_t flags)
{
	uint32_t scratch[CHUNK];
	size_t i, n;
	int ret = 0, done = 0;

	for (i = 0; i < count; i += n) {
		n = count - i < CHUNK ? count - i : CHUNK;
		ret = insert_chunk(av, addrs + i, n, index ? index + i : scratch, flags);
		if (ret < 0)
			break;
		done += ret;
	}
	if (index)
		for (; i < count; i++)
			index[i] = WEFT_SRC_ANY;
	return done ? done : ret;
}

int weft_av_insert(struct weft_av *av, const struct weft_sockaddr *addrs, size_t count,
		   uint32_t *index)
{
	return insert(av, addrs, count, index, 0);
}

int weft_av_insert_at(struct weft_av *av, const struct weft_sockaddr *addrs, size_t count,
		      uint32_t *index)
{
	return insert(av, addrs, count, index, WEFT_AVF_AT);
}

int weft_av_remove(struct weft_av *av, const uint32_t *index, size_t count)
{
	struct weft_ioc_av_insert arg = { .size = sizeof(arg), .handle = av->handle };
	size_t i, j;
	int ret;

	for (i = 0; i < count; i += arg.count) {
		arg.count = count - i < CHUNK ? count - i : CHUNK;
		arg.index = (uintptr_t)(index + i);
		ret = lw_ioctl(av->ctx->fd, WEFT_IOC_AV_REMOVE, &arg);
		if (ret)
			return ret;
		for (j = i; j < i + arg.done; j++)
			if (index[j] < av->high && av->addr[index[j]].uses)
				av->addr[index[j]].uses--;
		if (arg.done < arg.count)
			return -ENOENT;
	}
	return 0;
}

int weft_av_lookup(const struct weft_av *av, uint32_t index, struct weft_sockaddr *addr)
{
	if (index >= av->high || !av->addr[index].uses)
		return -ENOENT;
	*addr = av->addr[index].addr;
	return 0;
}
