// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Ports, contexts and registered memory; the table of mapped areas that a context's objects share.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"

#define DEV_DIR	"/dev/weft"

int lw_ioctl(int fd, unsigned long req, void *arg)
{
	return ioctl(fd, req, arg) < 0 ? -errno : 0;
}

/* Only a signal makes the call repeat. Other errors arrive as events or completions. */
void lw_notify(int fd, uint32_t seek, uint32_t handle, uint32_t what)
{
	while ((seek ? lseek64(fd, handle, what) :
		       ioctl(fd, WEFT_IOC_NOTIFY(what), (unsigned long)handle)) < 0 &&
	       errno == EINTR)
		;
}

static int wait_ioctl(int fd, uint32_t seen, uint64_t timeout_ns)
{
	struct weft_ioc_wait arg = {
		.size = sizeof(arg),
		.seen = seen,
		.timeout_ns = timeout_ns,
	};

	return lw_ioctl(fd, WEFT_IOC_CQ_WAIT, &arg);
}

int lw_wait(const struct weft_ctx *ctx, int fd, uint32_t seen, uint64_t timeout_ns)
{
	uint64_t where = WEFT_CQ_SEEK_EVER | seen;
	unsigned int shift = 0;

	if (weft_unlikely(!ctx->seek))
		return wait_ioctl(fd, seen, timeout_ns);

	/* a timeout above the maximum, 417 days, means no timeout */
	if (timeout_ns < 1ull << 55) {
		if (timeout_ns >> 25) {
			shift = 64 - 25 - __builtin_clzll(timeout_ns);
			timeout_ns = ((timeout_ns - 1) >> shift) + 1;
			if (timeout_ns >> 25) {
				timeout_ns >>= 1;
				shift++;
			}
		}
		where = WEFT_CQ_SEEK | (uint64_t)shift << 57 | timeout_ns << 32 | seen;
	}
	return lseek64(fd, (off64_t)where, WEFT_CQ_SEEK_WAIT) < 0 ? -errno : 0;
}

/* ---- Maps ------------------------------------------------------------------------------- */

int lw_map(struct weft_ctx *ctx, const struct weft_map *map, int prot, struct lw_view *view)
{
	struct lw_area *area;

	for (area = ctx->areas; area; area = area->next)
		if (area->off == map->off && area->len == map->len)
			break;

	if (!area) {
		area = malloc(sizeof(*area));
		if (!area)
			return -ENOMEM;
		area->off = map->off;
		area->len = map->len;
		area->refs = 0;
		area->mem = mmap64(NULL, map->len, prot, MAP_SHARED, ctx->fd, map->off);
		if (area->mem == MAP_FAILED) {
			int ret = -errno;

			free(area);
			return ret;
		}
		area->next = ctx->areas;
		ctx->areas = area;
	}

	area->refs++;
	view->area = area;
	view->at = (char *)area->mem + map->at;
	return 0;
}

void lw_unmap(struct weft_ctx *ctx, struct lw_area *area)
{
	struct lw_area **p = &ctx->areas;

	if (--area->refs)
		return;
	while (*p != area)
		p = &(*p)->next;
	*p = area->next;
	munmap(area->mem, area->len);
	free(area);
}

/* ---- Life of objects -------------------------------------------------------------------- */

int lw_create(struct weft_ctx *ctx, unsigned long req, void *arg)
{
	int ret = lw_ioctl(ctx->fd, req, arg);

	if (!ret)
		ctx->nobj++;
	return ret;
}

int lw_destroy_locked(struct weft_ctx *ctx, uint32_t handle, struct lw_view *view,
		      unsigned int count)
{
	struct weft_ioc_handle arg = { .size = sizeof(arg), .handle = handle };
	int ret = lw_ioctl(ctx->fd, WEFT_IOC_DESTROY, &arg);
	unsigned int i;

	if (ret)
		return ret;

	for (i = 0; i < count; i++)
		if (view[i].area)
			lw_unmap(ctx, view[i].area);
	ctx->nobj--;
	return 0;
}

int lw_destroy(struct weft_ctx *ctx, uint32_t handle, struct lw_view *view, unsigned int count)
{
	int ret;

	pthread_mutex_lock(&ctx->lock);
	ret = lw_destroy_locked(ctx, handle, view, count);
	pthread_mutex_unlock(&ctx->lock);
	return ret;
}

/* ---- Ports and contexts ----------------------------------------------------------------- */

static int is_port(const struct dirent *ent)
{
	return ent->d_name[0] != '.' && strlen(ent->d_name) < WEFT_NAME_MAX;
}

int weft_ports(char (*names)[WEFT_NAME_MAX], unsigned int max)
{
	struct dirent **ent;
	int i, n;

	n = scandir(DEV_DIR, &ent, is_port, alphasort);
	if (n < 0)
		return errno == ENOENT ? 0 : -errno;

	for (i = 0; i < n; i++) {
		if ((unsigned int)i < max)
			strcpy(names[i], ent[i]->d_name);
		free(ent[i]);
	}
	free(ent);
	return n;
}

int weft_query(struct weft_ctx *ctx, struct weft_ioc_query *q)
{
	memset(q, 0, sizeof(*q));
	q->size = sizeof(*q);
	return lw_ioctl(ctx->fd, WEFT_IOC_QUERY, q);
}

int weft_open(const char *port, struct weft_ctx **ctx_out)
{
	char path[sizeof(DEV_DIR) + WEFT_NAME_MAX];
	struct weft_ioc_query q;
	struct weft_ctx *ctx;
	int ret;

	if (port[0] != '/') {
		if (strlen(port) >= WEFT_NAME_MAX)
			return -ENAMETOOLONG;
		snprintf(path, sizeof(path), DEV_DIR "/%s", port);
		port = path;
	}

	ctx = calloc(1, sizeof(*ctx));
	if (!ctx)
		return -ENOMEM;

	ctx->fd = open(port, O_RDWR | O_CLOEXEC);
	if (ctx->fd < 0) {
		ret = -errno;
		goto err_free;
	}

	ret = weft_query(ctx, &q);
	if (!ret && q.abi != WEFT_ABI_VERSION)
		ret = -EPROTONOSUPPORT;
	if (ret)
		goto err_close;

	ctx->seek = !!(q.caps & WEFT_CAP_SEEK);
	ctx->timed = !!(q.caps & WEFT_CAP_TIMED);
	pthread_mutex_init(&ctx->lock, NULL);
	*ctx_out = ctx;
	return 0;

err_close:
	close(ctx->fd);
err_free:
	free(ctx);
	return ret;
}

int weft_close(struct weft_ctx *ctx)
{
	if (ctx->nobj)
		return -EBUSY;
	close(ctx->fd);
	pthread_mutex_destroy(&ctx->lock);
	free(ctx);
	return 0;
}

/* ---- Memory ----------------------------------------------------------------------------- */

int weft_mr_reg(struct weft_ctx *ctx, const void *addr, size_t len, uint32_t access,
		uint32_t *handle)
{
	return weft_mr_reg_zone(ctx, addr, len, access, 0, handle);
}

int weft_mr_reg_zone(struct weft_ctx *ctx, const void *addr, size_t len, uint32_t access,
		     uint32_t zone, uint32_t *handle)
{
	struct weft_ioc_mr arg = {
		.size = sizeof(arg),
		.access = access,
		.addr = (uintptr_t)addr,
		.len = len,
		.zone = zone,
	};
	int ret = lw_ioctl(ctx->fd, WEFT_IOC_MR_REG, &arg);

	if (!ret)
		*handle = arg.handle;
	return ret;
}

int weft_mr_dereg(struct weft_ctx *ctx, uint32_t handle)
{
	struct weft_ioc_handle arg = { .size = sizeof(arg), .handle = handle };

	return lw_ioctl(ctx->fd, WEFT_IOC_DESTROY, &arg);
}

/* ---- Addresses -------------------------------------------------------------------------- */

int weft_addr_from_sockaddr(struct weft_sockaddr *addr, const struct sockaddr *sa, socklen_t len)
{
	struct sockaddr_in6 in6;
	struct sockaddr_in in;

	if (len < sizeof(sa->sa_family))
		return -EINVAL;

	memset(addr, 0, sizeof(*addr));
	switch (sa->sa_family) {
	case AF_INET:
		if (len < sizeof(in))
			return -EINVAL;
		memcpy(&in, sa, sizeof(in));
		addr->port = in.sin_port;
		memcpy(addr->addr, &in.sin_addr, sizeof(in.sin_addr));
		break;
	case AF_INET6:
		if (len < sizeof(in6))
			return -EINVAL;
		memcpy(&in6, sa, sizeof(in6));
		addr->port = in6.sin6_port;
		addr->scope = in6.sin6_scope_id;
		memcpy(addr->addr, &in6.sin6_addr, sizeof(in6.sin6_addr));
		break;
	default:
		return -EAFNOSUPPORT;
	}
	addr->family = sa->sa_family;
	return 0;
}

int weft_addr_to_sockaddr(const struct weft_sockaddr *addr, struct sockaddr_storage *ss)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)ss;
	struct sockaddr_in *in = (struct sockaddr_in *)ss;

	memset(ss, 0, sizeof(*ss));
	ss->ss_family = addr->family;
	switch (addr->family) {
	case AF_INET:
		in->sin_port = addr->port;
		memcpy(&in->sin_addr, addr->addr, sizeof(in->sin_addr));
		return sizeof(*in);
	case AF_INET6:
		in6->sin6_port = addr->port;
		in6->sin6_scope_id = addr->scope;
		memcpy(&in6->sin6_addr, addr->addr, sizeof(in6->sin6_addr));
		return sizeof(*in6);
	default:
		return -EAFNOSUPPORT;
	}
}
