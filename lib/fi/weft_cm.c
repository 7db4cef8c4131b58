// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_cm.c - names of endpoints and connections between them (fi_cm)
 *
 * The kernel keeps the state of a connection. Events report the results of calls. This file checks
 * arguments and returns libfabric's error codes.
 */
#include <stdio.h>

#include "weft_fi.h"

#define WEFT_FI_SOMAXCONN	"/proc/sys/net/core/somaxconn"
#define WEFT_FI_BACKLOG		128	/* default if that file cannot be read */

static struct weft_fi_cm **weft_fi_cm_slot(struct weft_fi_port *port, uint32_t handle)
{
	return &port->eps[handle % WEFT_FI_HASH];
}

struct weft_fi_cm *weft_fi_cm_find(struct weft_fi_port *port, uint32_t handle)
{
	struct weft_fi_cm *cm;

	pthread_mutex_lock(&port->lock);
	for (cm = *weft_fi_cm_slot(port, handle); cm; cm = cm->next) {
		if (weft_ep_handle(cm->ep) == handle)
			break;
	}
	pthread_mutex_unlock(&port->lock);
	return cm;
}

static void weft_fi_cm_hash(struct weft_fi_cm *cm)
{
	struct weft_fi_cm **slot = weft_fi_cm_slot(cm->port, weft_ep_handle(cm->ep));

	pthread_mutex_lock(&cm->port->lock);
	cm->next = *slot;
	*slot = cm;
	pthread_mutex_unlock(&cm->port->lock);
}

static void weft_fi_cm_unhash(struct weft_fi_cm *cm)
{
	struct weft_fi_cm **link = weft_fi_cm_slot(cm->port, weft_ep_handle(cm->ep));

	pthread_mutex_lock(&cm->port->lock);
	for (; *link != cm; link = &(*link)->next)
		;
	*link = cm->next;
	pthread_mutex_unlock(&cm->port->lock);
}

static int weft_fi_cm_addr(struct weft_fi_port *port, const struct fi_info *info,
			   struct weft_sockaddr *addr)
{
	const struct weft_sockaddr *own;
	int family = AF_UNSPEC;

	if (info->src_addr)
		return weft_addr_from_sockaddr(addr, info->src_addr, info->src_addrlen) ?
			-FI_EINVAL : 0;
	if (info->addr_format == FI_SOCKADDR_IN)
		family = AF_INET;
	else if (info->addr_format == FI_SOCKADDR_IN6)
		family = AF_INET6;
	own = weft_fi_port_addr(&port->q, family);
	if (!own)
		return -FI_EADDRNOTAVAIL;
	*addr = *own;
	return 0;
}

/**
 * weft_fi_cm_open() - create the endpoint of a libfabric object
 * @cm: common part of the object
 * @fid: the object
 * @port: its port; the caller's object holds a reference
 * @info: has its address, if one is requested
 * @attr: type, flags and slots, and the address if known
 *
 * Return: 0, -FI_EINVAL, -errno.
 */
int weft_fi_cm_open(struct weft_fi_cm *cm, struct fid *fid, struct weft_fi_port *port,
		    const struct fi_info *info, struct weft_ep_attr *attr)
{
	int ret;

	if (!attr->addr.family) {
		ret = weft_fi_cm_addr(port, info, &attr->addr);
		if (ret)
			return ret;
		/* a request's address has the listener's service */
		if (info->handle)
			attr->addr.port = 0;
	}
	ret = weft_ep_create(port->ctx, attr, &cm->ep);
	if (ret)
		return weft_fi_fail(FI_LOG_EP_CTRL, ret, "%s: no endpoint: %s%s", port->q.name,
				    fi_strerror(-ret), weft_fi_key_advice(ret));
	cm->fid = fid;
	cm->port = port;
	cm->family = attr->addr.family;
	weft_fi_cm_hash(cm);
	return 0;
}

/*
 * Remove the endpoint from the table first. So no reader of the event queue finds it while it is
 * destroyed. The kernel may reuse its handle at once. Return: 0, -errno: the endpoint still exists.
 */
int weft_fi_cm_close(struct weft_fi_cm *cm)
{
	int ret;

	weft_fi_cm_unhash(cm);
	if (cm->eq)
		weft_fi_eq_forget(cm->eq, cm->fid);
	ret = weft_ep_destroy(cm->ep);
	if (ret) {
		weft_fi_cm_hash(cm);
		return ret;
	}
	if (cm->eq)
		atomic_fetch_sub(&cm->eq->refs, 1);
	return 0;
}

int weft_fi_cm_bind_eq(struct weft_fi_cm *cm, struct weft_fi_fabric *fabric, struct fid *fid)
{
	struct weft_fi_eq *eq = weft_container(fid, struct weft_fi_eq, fid.fid);

	if (cm->eq)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
				    "the endpoint has an event queue already");
	if (eq->fabric != fabric)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EDOMAIN,
				    "the event queue is of another fabric than the endpoint");
	cm->eq = eq;
	atomic_fetch_add(&eq->refs, 1);
	return 0;
}

/* Options of both kinds of endpoint are of type size_t. */
int weft_fi_cm_getopt(void *optval, size_t *optlen, size_t value)
{
	size_t room;

	if (!optlen)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL, "fi_getopt needs optlen");
	room = optval ? *optlen : 0;
	*optlen = sizeof(value);
	if (room < sizeof(value))
		return -FI_ETOOSMALL;
	memcpy(optval, &value, sizeof(value));
	return 0;
}

static struct weft_fi_cm *weft_fi_cm_of(fid_t fid)
{
	if (fid->fclass == FI_CLASS_EP)
		return &weft_fi_ep_from(fid)->cm;
	return &weft_container(fid, struct weft_fi_pep, fid.fid)->cm;
}

/* The address of an endpoint is fixed once it works. */
static bool weft_fi_cm_fixed(fid_t fid)
{
	if (fid->fclass == FI_CLASS_EP)
		return weft_fi_ep_from(fid)->enabled;
	return weft_container(fid, struct weft_fi_pep, fid.fid)->listening;
}

int weft_fi_setname(fid_t fid, void *addr, size_t addrlen)
{
	struct weft_fi_cm *cm = weft_fi_cm_of(fid);
	struct weft_sockaddr a, old;
	char buf[WEFT_FI_STRADDR];
	int ret;

	if (weft_fi_cm_fixed(fid))
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EOPBADSTATE,
				    "fi_setname: the endpoint works already; name it before fi_enable, fi_connect or fi_listen");
	if (!addr || addrlen != weft_fi_addr_size(cm->family) ||
	    weft_fi_addr_read(&a, addr, cm->family))
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
				    "fi_setname: not a whole address of the endpoint's format");
	/* service 0 keeps the present service */
	if (!a.port && !weft_getname(cm->ep, &old))
		a.port = old.port;
	ret = weft_setname(cm->ep, &a);
	if (!ret)
		return 0;
	return weft_fi_fail(FI_LOG_EP_CTRL, ret, "fi_setname: %s: %s",
			    weft_fi_addr_name(&a, buf, sizeof(buf)), fi_strerror(-ret));
}

/*
 * An endpoint that accepts returns the destination address of its request. The kernel's own service
 * for it is useless to a program, as it cannot be connected to.
 */
int weft_fi_getname(fid_t fid, void *addr, size_t *addrlen)
{
	struct weft_fi_ep *ep = fid->fclass == FI_CLASS_EP ? weft_fi_ep_from(fid) : NULL;
	struct weft_sockaddr a;
	int ret;

	if (!addrlen)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL, "fi_getname needs addrlen");
	if (ep && ep->named)
		return weft_fi_addr_write(&ep->name, addr, addrlen);
	ret = weft_getname(weft_fi_cm_of(fid)->ep, &a);
	return ret ? ret : weft_fi_addr_write(&a, addr, addrlen);
}

int weft_fi_getpeer(struct fid_ep *ep, void *addr, size_t *addrlen)
{
	struct weft_sockaddr a;
	int ret;

	if (!addrlen)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL, "fi_getpeer needs addrlen");
	ret = weft_getpeer(weft_fi_cm_of(&ep->fid)->ep, &a);
	if (ret)
		return weft_fi_fail(FI_LOG_EP_CTRL, ret, "fi_getpeer: %s", fi_strerror(-ret));
	return weft_fi_addr_write(&a, addr, addrlen);
}

/* Longer private data are truncated, as required by fi_cm(3). */
static size_t weft_fi_cm_data(const struct weft_fi_cm *cm, const void *param, size_t len)
{
	if (!param)
		return 0;
	return len < cm->port->q.cm_data ? len : cm->port->q.cm_data;
}

/* Connect or accept: once in the life of an endpoint. Enables the endpoint if needed. */
static int weft_fi_dial(struct weft_fi_ep *ep)
{
	if (ep->dialled)
		return weft_fi_fail(FI_LOG_EP_CTRL,
				    weft_ep_flags(ep->cm.ep) & WEFT_ST_CONNECTED ? -FI_EISCONN :
				    -FI_EOPBADSTATE,
				    "an endpoint connects once: open another one");
	return ep->enabled ? 0 : weft_fi_ep_enable(ep);
}

int weft_fi_connect(struct fid_ep *fid, const void *addr, const void *param, size_t paramlen)
{
	struct weft_fi_ep *ep = weft_fi_ep_of(fid);
	struct weft_sockaddr a;
	char buf[WEFT_FI_STRADDR];
	int ret;

	if (weft_fi_addr_read(&a, addr, ep->cm.family))
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
				    "fi_connect: no address of the endpoint's format");
	if (ep->req)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EOPBADSTATE,
				    "fi_connect: the endpoint was made to accept a request: fi_accept");
	ret = weft_fi_dial(ep);
	if (ret)
		return ret;
	ret = weft_connect(ep->cm.ep, &a, param, weft_fi_cm_data(&ep->cm, param, paramlen));
	if (ret)
		return weft_fi_fail(FI_LOG_EP_CTRL, ret, "fi_connect: %s: %s",
				    weft_fi_addr_name(&a, buf, sizeof(buf)), fi_strerror(-ret));
	ep->dialled = true;
	return 0;
}

int weft_fi_accept(struct fid_ep *fid, const void *param, size_t paramlen)
{
	struct weft_fi_ep *ep = weft_fi_ep_of(fid);
	int ret;

	if (!ep->req)
		return weft_fi_fail(FI_LOG_EP_CTRL, ep->dialled ? -FI_EOPBADSTATE : -FI_EINVAL,
				    "fi_accept: the endpoint has no request that waits; open it with the fi_info of FI_CONNREQ");
	ret = weft_fi_dial(ep);
	if (!ret)
		ret = weft_accept(ep->cm.ep, ep->req->conn, param,
				  weft_fi_cm_data(&ep->cm, param, paramlen));
	if (ret)
		return weft_fi_fail(FI_LOG_EP_CTRL, ret, "fi_accept: the request has gone, or cannot be accepted: %s",
				    fi_strerror(-ret));
	ep->dialled = true;
	weft_fi_req_drop(ep, true);
	return 0;
}

int weft_fi_shutdown(struct fid_ep *fid, uint64_t flags)
{
	int ret;

	if (flags)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL, "fi_shutdown has no flags");
	weft_fi_run_end(weft_fi_ep_of(fid));
	ret = weft_shutdown(weft_fi_ep_of(fid)->cm.ep);
	if (ret)
		return weft_fi_fail(FI_LOG_EP_CTRL, ret, "fi_shutdown: %s", fi_strerror(-ret));
	return 0;
}

/* Use the administrator's limit for sockets. */
static int weft_fi_default_backlog(void)
{
	FILE *f = fopen(WEFT_FI_SOMAXCONN, "re");
	int n = WEFT_FI_BACKLOG;

	if (!f)
		return n;
	if (fscanf(f, "%d", &n) != 1 || n < 1)
		n = WEFT_FI_BACKLOG;
	fclose(f);
	return n;
}

int weft_fi_listen(struct fid_pep *fid)
{
	struct weft_fi_pep *pep = weft_container(fid, struct weft_fi_pep, fid);
	struct weft_eq *eq;
	int ret;

	if (!pep->cm.eq)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_ENOEQ,
				    "fi_listen: requests are told by an event queue: fi_pep_bind one");
	if (pep->listening)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EOPBADSTATE,
				    "fi_listen: it listens already; fi_control(FI_BACKLOG) changes the backlog");
	if (!pep->backlog)
		pep->backlog = weft_fi_default_backlog();
	ret = weft_fi_eq_port(pep->cm.eq, pep->cm.port, &eq);
	if (!ret)
		ret = weft_listen(pep->cm.ep, eq, pep->backlog);
	if (ret)
		return weft_fi_fail(FI_LOG_EP_CTRL, ret, "fi_listen: %s%s", fi_strerror(-ret),
				    ret == -EADDRINUSE ? "; choose another service, or none" : "");
	pep->listening = true;
	return 0;
}

int weft_fi_reject(struct fid_pep *fid, fid_t handle, const void *param, size_t paramlen)
{
	struct weft_fi_pep *pep = weft_container(fid, struct weft_fi_pep, fid);
	uint64_t conn;
	int ret;

	ret = weft_fi_req_take(pep, handle, &conn);
	if (ret)
		return weft_fi_fail(FI_LOG_EP_CTRL, ret,
				    "fi_reject: the handle is no request of this endpoint that waits");
	ret = weft_reject(pep->cm.ep, conn, param, weft_fi_cm_data(&pep->cm, param, paramlen));
	if (ret)
		return weft_fi_fail(FI_LOG_EP_CTRL, ret, "fi_reject: %s", fi_strerror(-ret));
	return 0;
}
