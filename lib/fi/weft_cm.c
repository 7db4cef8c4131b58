// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_cm.c - names of endpoints and connections between them (fi_cm)
 *
 * The kernel keeps the state of a connection; what the calls begin ends in events. Here arguments
 * are checked and libfabric's error codes are given.
 */
#include <stdio.h>

#include "weft_fi.h"

#define WEFT_FI_SOMAXCONN	"/proc/sys/net/core/somaxconn"
#define WEFT_FI_BACKLOG		128	/* where that cannot be read */

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
 * weft_fi_cm_open() - make the endpoint that an object of libfabric's stands for
 * @cm: common part of the object
 * @fid: the object
 * @port: its port; the caller's object holds it
 * @info: its address, if that is wished for
 * @attr: type, flags and slots, and the address if it is known
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
		/* the service of a request's address is the listener's */
		if (info->handle)
			attr->addr.port = 0;
	}
	ret = weft_ep_create(port->ctx, attr, &cm->ep);
	if (ret)
		return weft_fi_fail(FI_LOG_EP_CTRL, ret, "%s: no endpoint: %s", port->q.name,
				    fi_strerror(-ret));
	cm->fid = fid;
	cm->port = port;
	cm->family = attr->addr.family;
	weft_fi_cm_hash(cm);
	return 0;
}

/*
 * Out of the table first, so that no reader of the event queue finds the endpoint while it goes,
 * and because the kernel may give its handle to another one at once.
 * Return: 0, -errno: it is still there.
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
		return -FI_EINVAL;
	if (eq->fabric != fabric)
		return -FI_EDOMAIN;
	cm->eq = eq;
	atomic_fetch_add(&eq->refs, 1);
	return 0;
}

/* options of both kinds of endpoint are of type size_t */
int weft_fi_cm_getopt(void *optval, size_t *optlen, size_t value)
{
	size_t room = *optlen;

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

/* an endpoint keeps its address from when it has begun to work */
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

	if (weft_fi_cm_fixed(fid))
		return -FI_EOPBADSTATE;
	if (!addr || addrlen != weft_fi_addr_size(cm->family) ||
	    weft_fi_addr_read(&a, addr, cm->family))
		return -FI_EINVAL;
	/* "any service" leaves the one that it has */
	if (!a.port && !weft_getname(cm->ep, &old))
		a.port = old.port;
	return weft_setname(cm->ep, &a);
}

/*
 * An endpoint that accepts has the address that its request came to. The service by which the
 * kernel knows it means nothing to a program, nobody can connect to it.
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

	ret = weft_getpeer(weft_fi_cm_of(&ep->fid)->ep, &a);
	return ret ? ret : weft_fi_addr_write(&a, addr, addrlen);
}

/* longer private data are cut, as fi_cm(3) has it */
static size_t weft_fi_cm_data(const struct weft_fi_cm *cm, const void *param, size_t len)
{
	if (!param)
		return 0;
	return len < cm->port->q.cm_data ? len : cm->port->q.cm_data;
}

/* Connecting and accepting: once in the life of an endpoint, which is enabled if it is not. */
static int weft_fi_dial(struct weft_fi_ep *ep)
{
	if (ep->dialled)
		return weft_ep_flags(ep->cm.ep) & WEFT_ST_CONNECTED ? -FI_EISCONN :
			-FI_EOPBADSTATE;
	return ep->enabled ? 0 : weft_fi_ep_enable(ep);
}

int weft_fi_connect(struct fid_ep *fid, const void *addr, const void *param, size_t paramlen)
{
	struct weft_fi_ep *ep = weft_fi_ep_of(fid);
	struct weft_sockaddr a;
	int ret;

	if (weft_fi_addr_read(&a, addr, ep->cm.family))
		return -FI_EINVAL;
	if (ep->req)
		return -FI_EOPBADSTATE;
	ret = weft_fi_dial(ep);
	if (!ret)
		ret = weft_connect(ep->cm.ep, &a, param,
				   weft_fi_cm_data(&ep->cm, param, paramlen));
	if (!ret)
		ep->dialled = true;
	return ret;
}

int weft_fi_accept(struct fid_ep *fid, const void *param, size_t paramlen)
{
	struct weft_fi_ep *ep = weft_fi_ep_of(fid);
	int ret;

	if (!ep->req)
		return ep->dialled ? -FI_EOPBADSTATE : -FI_EINVAL;
	ret = weft_fi_dial(ep);
	if (!ret)
		ret = weft_accept(ep->cm.ep, ep->req->conn, param,
				  weft_fi_cm_data(&ep->cm, param, paramlen));
	if (ret)
		return ret;
	ep->dialled = true;
	weft_fi_req_drop(ep, true);
	return 0;
}

int weft_fi_shutdown(struct fid_ep *fid, uint64_t flags)
{
	if (flags)
		return -FI_EINVAL;
	return weft_shutdown(weft_fi_ep_of(fid)->cm.ep);
}

/* what the administrator grants sockets is granted here too */
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
		return -FI_ENOEQ;
	if (pep->listening)
		return -FI_EOPBADSTATE;
	if (!pep->backlog)
		pep->backlog = weft_fi_default_backlog();
	ret = weft_fi_eq_port(pep->cm.eq, pep->cm.port, &eq);
	if (!ret)
		ret = weft_listen(pep->cm.ep, eq, pep->backlog);
	if (!ret)
		pep->listening = true;
	return ret;
}

int weft_fi_reject(struct fid_pep *fid, fid_t handle, const void *param, size_t paramlen)
{
	struct weft_fi_pep *pep = weft_container(fid, struct weft_fi_pep, fid);
	uint64_t conn;
	int ret;

	ret = weft_fi_req_take(pep, handle, &conn);
	if (ret)
		return ret;
	return weft_reject(pep->cm.ep, conn, param, weft_fi_cm_data(&pep->cm, param, paramlen));
}
