// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Endpoints: life, names, connections. msg.c moves messages.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "internal.h"

static int map_rings(struct weft_ep *ep, const struct weft_ioc_ep *arg)
{
	struct weft_ctx *ctx = ep->ctx;
	struct weft_ep_doorbell *doorbell;
	int ret;

	ret = lw_map(ctx, &arg->sq, PROT_READ | PROT_WRITE, &ep->view[0]);
	if (!ret && arg->rq_slots)
		ret = lw_map(ctx, &arg->rq, PROT_READ | PROT_WRITE, &ep->view[1]);
	if (!ret)
		ret = lw_map(ctx, &arg->doorbell, PROT_READ | PROT_WRITE, &ep->view[2]);
	if (!ret)
		ret = lw_map(ctx, &arg->status, PROT_READ, &ep->view[3]);
	if (ret)
		return ret;

	doorbell = ep->view[2].at;
	ep->status = ep->view[3].at;
	ep->sq = (struct lw_queue) {
		.slots = ep->view[0].at,
		.size = arg->sq_slots,
		.notify_if = WEFT_ST_SQ_NOTIFY | WEFT_ST_SQ_TIMED,
		.notify = WEFT_NOTIFY_SQ,
		.handle = arg->handle,
		.fd = ctx->fd,
		.seek = ctx->seek,
		.doorbell = &doorbell->sq_tail,
		.khead = &ep->status->sq_head,
		.flags = &ep->status->flags,
	};
	if (!arg->rq_slots)
		return 0;
	ep->rq = (struct lw_queue) {
		.slots = ep->view[1].at,
		.size = arg->rq_slots,
		.notify_if = WEFT_ST_RQ_NOTIFY,
		.notify = WEFT_NOTIFY_RQ,
		.handle = arg->handle,
		.fd = ctx->fd,
		.seek = ctx->seek,
		.doorbell = &doorbell->rq_tail,
		.khead = &ep->status->rq_head,
		.flags = &ep->status->flags,
	};
	return 0;
}

int weft_ep_create(struct weft_ctx *ctx, struct weft_ep_attr *attr, struct weft_ep **ep_out)
{
	struct weft_ioc_ep arg = {
		.size = sizeof(arg),
		.flags = attr->flags,
		.type = attr->type,
		.sq_slots = attr->sq_slots,
		.rq_slots = attr->rq_slots,
		.addr = attr->addr,
		.key = attr->key_size ? (uintptr_t)attr->key : 0,
		.key_size = attr->key_size,
		.zone = attr->zone,
	};
	struct weft_ep *ep;
	int ret;

	ep = aligned_alloc(LW_CACHE_LINE, sizeof(*ep));
	if (!ep)
		return -ENOMEM;
	memset(ep, 0, sizeof(*ep));
	ep->ctx = ctx;

	pthread_mutex_lock(&ctx->lock);
	ret = lw_create(ctx, WEFT_IOC_EP_CREATE, &arg);
	if (ret)
		goto err_unlock;
	if (attr->type != WEFT_EP_PASSIVE) {
		ret = map_rings(ep, &arg);
		if (ret)
			goto err_destroy;
	}
	pthread_mutex_unlock(&ctx->lock);

	ep->handle = arg.handle;
	attr->sq_slots = arg.sq_slots;
	attr->rq_slots = arg.rq_slots;
	attr->addr = arg.addr;
	*ep_out = ep;
	return 0;

err_destroy:
	lw_destroy_locked(ctx, arg.handle, ep->view, 4);
err_unlock:
	pthread_mutex_unlock(&ctx->lock);
	free(ep);
	return ret;
}

int weft_ep_destroy(struct weft_ep *ep)
{
	int ret = lw_destroy(ep->ctx, ep->handle, ep->view, 4);

	if (!ret)
		free(ep);
	return ret;
}

int weft_ep_enable(struct weft_ep *ep, struct weft_cq *tx_cq, struct weft_cq *rx_cq,
		   struct weft_eq *eq, struct weft_av *av)
{
	return weft_ep_enable_srq(ep, tx_cq, rx_cq, eq, av, NULL);
}

int weft_ep_enable_srq(struct weft_ep *ep, struct weft_cq *tx_cq, struct weft_cq *rx_cq,
		       struct weft_eq *eq, struct weft_av *av, struct weft_srq *srq)
{
	struct weft_ep_queues q = {
		.tx_cq = tx_cq, .rx_cq = rx_cq, .eq = eq, .av = av, .srq = srq
	};

	return weft_ep_enable_all(ep, &q);
}

static uint32_t cntr_handle(const struct weft_cntr *cntr)
{
	return cntr ? cntr->handle : WEFT_HANDLE_NONE;
}

int weft_ep_enable_all(struct weft_ep *ep, const struct weft_ep_queues *q)
{
	struct weft_ioc_ep_enable arg = {
		.size = sizeof(arg),
		.handle = ep->handle,
		.tx_cq = q->tx_cq ? q->tx_cq->handle : WEFT_HANDLE_NONE,
		.rx_cq = q->rx_cq ? q->rx_cq->handle : WEFT_HANDLE_NONE,
		.eq = q->eq ? q->eq->handle : WEFT_HANDLE_NONE,
		.av = q->av ? q->av->handle : WEFT_HANDLE_NONE,
		.srq = q->srq ? q->srq->handle : WEFT_HANDLE_NONE,
		.tx_cntr = cntr_handle(q->tx_cntr),
		.rx_cntr = cntr_handle(q->rx_cntr),
		.write_cntr = cntr_handle(q->write_cntr),
		.read_cntr = cntr_handle(q->read_cntr),
		.remote_write_cntr = cntr_handle(q->remote_write_cntr),
		.remote_read_cntr = cntr_handle(q->remote_read_cntr),
	};

	return lw_ioctl(ep->ctx->fd, WEFT_IOC_EP_ENABLE, &arg);
}

int weft_ep_mark(struct weft_ep *ep, uint32_t soft, uint32_t hard)
{
	struct weft_ioc_mark arg = {
		.size = sizeof(arg), .handle = ep->handle, .soft = soft, .hard = hard
	};

	return lw_ioctl(ep->ctx->fd, WEFT_IOC_EP_MARK, &arg);
}

int weft_ep_held(struct weft_ep *ep, uint32_t *held, uint32_t *span)
{
	struct weft_ioc_mark arg = { .size = sizeof(arg), .handle = ep->handle };
	int ret = lw_ioctl(ep->ctx->fd, WEFT_IOC_EP_HELD, &arg);

	if (ret)
		return ret;
	*held = arg.held;
	*span = arg.span;
	return 0;
}

uint32_t weft_ep_handle(const struct weft_ep *ep)
{
	return ep->handle;
}

uint32_t weft_ep_flags(const struct weft_ep *ep)
{
	return ep->status ? lw_load(&ep->status->flags) : 0;
}

/* ---- Names ------------------------------------------------------------------------------ */

int weft_setname(struct weft_ep *ep, const struct weft_sockaddr *addr)
{
	struct weft_ioc_name arg = { .size = sizeof(arg), .handle = ep->handle, .addr = *addr };

	return lw_ioctl(ep->ctx->fd, WEFT_IOC_SETNAME, &arg);
}

static int get_name(struct weft_ep *ep, unsigned long req, struct weft_sockaddr *addr)
{
	struct weft_ioc_name arg = { .size = sizeof(arg), .handle = ep->handle };
	int ret = lw_ioctl(ep->ctx->fd, req, &arg);

	if (!ret)
		*addr = arg.addr;
	return ret;
}

int weft_getname(struct weft_ep *ep, struct weft_sockaddr *addr)
{
	return get_name(ep, WEFT_IOC_GETNAME, addr);
}

int weft_getpeer(struct weft_ep *ep, struct weft_sockaddr *addr)
{
	return get_name(ep, WEFT_IOC_GETPEER, addr);
}

/* ---- Connections ------------------------------------------------------------------------ */

int weft_listen(struct weft_ep *pep, struct weft_eq *eq, uint32_t backlog)
{
	struct weft_ioc_cm arg = {
		.size = sizeof(arg),
		.handle = pep->handle,
		.eq = eq->handle,
		.backlog = backlog,
	};

	return lw_ioctl(pep->ctx->fd, WEFT_IOC_LISTEN, &arg);
}

/* connect, accept, reject, handoff: @addr is the peer, @conn the request */
static int cm_call(struct weft_ep *ep, unsigned long req, const struct weft_sockaddr *addr,
		   uint64_t conn, const void *data, size_t len, uint64_t timeout_ns)
{
	struct weft_ioc_cm arg = {
		.size = sizeof(arg),
		.handle = ep->handle,
		.conn = conn,
		.timeout_ns = timeout_ns,
	};

	if (len > sizeof(arg.data))
		return -EMSGSIZE;
	if (addr)
		arg.addr = *addr;
	arg.data_len = len;
	if (len)
		memcpy(arg.data, data, len);
	return lw_ioctl(ep->ctx->fd, req, &arg);
}

int weft_connect(struct weft_ep *ep, const struct weft_sockaddr *addr, const void *data, size_t len)
{
	return cm_call(ep, WEFT_IOC_CONNECT, addr, 0, data, len, 0);
}

int weft_connect_within(struct weft_ep *ep, const struct weft_sockaddr *addr, const void *data,
			size_t len, uint64_t timeout_ns)
{
	return cm_call(ep, WEFT_IOC_CONNECT, addr, 0, data, len, timeout_ns);
}

int weft_accept(struct weft_ep *ep, uint64_t conn, const void *data, size_t len)
{
	return cm_call(ep, WEFT_IOC_ACCEPT, NULL, conn, data, len, 0);
}

int weft_reject(struct weft_ep *pep, uint64_t conn, const void *data, size_t len)
{
	return cm_call(pep, WEFT_IOC_REJECT, NULL, conn, data, len, 0);
}

int weft_handoff(struct weft_ep *pep, uint64_t conn, uint16_t service)
{
	struct weft_sockaddr to = { .port = htobe16(service) };

	return cm_call(pep, WEFT_IOC_HANDOFF, &to, conn, NULL, 0, 0);
}

static int shutdown_call(struct weft_ep *ep, uint32_t flags)
{
	struct weft_ioc_handle arg = {
		.size = sizeof(arg), .flags = flags, .handle = ep->handle
	};

	return lw_ioctl(ep->ctx->fd, WEFT_IOC_SHUTDOWN, &arg);
}

int weft_shutdown(struct weft_ep *ep)
{
	return shutdown_call(ep, 0);
}

int weft_shutdown_graceful(struct weft_ep *ep)
{
	return shutdown_call(ep, WEFT_SHUT_GRACEFUL);
}

int weft_group_join(struct weft_ep *ep, const struct weft_sockaddr *addr, uint32_t flags,
		    uint32_t *group)
{
	struct weft_ioc_group arg = {
		.size = sizeof(arg), .flags = flags, .handle = ep->handle, .addr = *addr
	};
	int ret = lw_ioctl(ep->ctx->fd, WEFT_IOC_GROUP_JOIN, &arg);

	if (!ret)
		*group = arg.group;
	return ret;
}

int weft_group_leave(struct weft_ep *ep, uint32_t group)
{
	struct weft_ioc_group arg = {
		.size = sizeof(arg), .handle = ep->handle, .group = group
	};

	return lw_ioctl(ep->ctx->fd, WEFT_IOC_GROUP_LEAVE, &arg);
}
