// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_req.c - connection requests, between FI_CONNREQ and fi_accept or fi_reject
 *
 * The handle in the event's fi_info is a request. It lives until it is accepted or rejected, or its
 * passive endpoint is closed. A handle from the program is looked up in the port's list before it
 * is dereferenced. So a second use of a handle is refused.
 *
 *   waiting --fi_endpoint--> claimed --fi_accept--> gone
 *   waiting or claimed --fi_reject, fi_close of the passive endpoint--> gone
 *   claimed --fi_close of the endpoint--> waiting
 */
#include "weft_fi.h"

/* The port's lock is held. @handle may be invalid. */
static struct weft_fi_req **weft_fi_req_find(struct weft_fi_port *port, const struct fid *handle)
{
	struct weft_fi_req **link;

	for (link = &port->reqs; *link && &(*link)->fid != handle; link = &(*link)->next)
		;
	return link;
}

/* The port's lock is held. */
static void weft_fi_req_free(struct weft_fi_req **link)
{
	struct weft_fi_req *req = *link;

	*link = req->next;
	if (req->ep)
		req->ep->req = NULL;
	free(req);
}

/**
 * weft_fi_req_info() - make the description of a new request
 * @pep: passive endpoint
 * @ev: the kernel's event
 * @info: out: for an endpoint that accepts; its handle is the request
 *
 * Return: 0, -FI_ENOMEM.
 */
int weft_fi_req_info(struct weft_fi_pep *pep, const struct weft_event *ev, struct fi_info **info)
{
	struct weft_fi_port *port = pep->cm.port;
	struct weft_fi_req *req = calloc(1, sizeof(*req));
	struct fi_info *fi = fi_dupinfo(pep->info);
	struct weft_sockaddr own;

	if (!req || !fi)
		goto err;
	free(fi->src_addr);
	free(fi->dest_addr);
	fi->src_addr = NULL;
	fi->dest_addr = NULL;
	if (weft_getname(pep->cm.ep, &own) ||
	    weft_fi_addr_dup(&own, &fi->src_addr, &fi->src_addrlen) ||
	    weft_fi_addr_dup(&ev->addr, &fi->dest_addr, &fi->dest_addrlen))
		goto err;
	req->fid.fclass = FI_CLASS_CONNREQ;
	req->pep = pep;
	req->conn = ev->conn;
	fi->handle = &req->fid;
	pthread_mutex_lock(&port->lock);
	req->next = port->reqs;
	port->reqs = req;
	pthread_mutex_unlock(&port->lock);
	*info = fi;
	return 0;
err:
	WEFT_WARN(EP_CTRL, "no memory: a connection request is not reported\n");
	weft_reject(pep->cm.ep, ev->conn, NULL, 0);
	if (fi)
		fi_freeinfo(fi);
	free(req);
	return -FI_ENOMEM;
}

/* Claim a request for an endpoint. Return: 0, -FI_EINVAL: no request, or claimed already. */
int weft_fi_req_claim(struct weft_fi_port *port, struct fid *handle, struct weft_fi_ep *ep)
{
	struct weft_fi_req *req;
	int ret = -FI_EINVAL;

	pthread_mutex_lock(&port->lock);
	req = *weft_fi_req_find(port, handle);
	if (req && !req->ep) {
		req->ep = ep;
		ep->req = req;
		ep->named = !weft_getname(req->pep->cm.ep, &ep->name);
		ret = 0;
	}
	pthread_mutex_unlock(&port->lock);
	return ret;
}

/* The endpoint that claimed a request has accepted it, or is closed without accepting. */
void weft_fi_req_drop(struct weft_fi_ep *ep, bool accepted)
{
	struct weft_fi_port *port = ep->cm.port;
	struct weft_fi_req **link;

	pthread_mutex_lock(&port->lock);
	if (ep->req) {
		link = weft_fi_req_find(port, &ep->req->fid);
		if (accepted) {
			weft_fi_req_free(link);
		} else {
			ep->req->ep = NULL;
			ep->req = NULL;
		}
	}
	pthread_mutex_unlock(&port->lock);
}

/* Drop the requests of a passive endpoint, or all requests. */
void weft_fi_req_drop_all(struct weft_fi_port *port, const struct weft_fi_pep *pep)
{
	struct weft_fi_req **link;

	pthread_mutex_lock(&port->lock);
	for (link = &port->reqs; *link;) {
		if (!pep || (*link)->pep == pep)
			weft_fi_req_free(link);
		else
			link = &(*link)->next;
	}
	pthread_mutex_unlock(&port->lock);
}

/* Take a request in order to reject it. Return: 0, -FI_EINVAL: no such request. */
int weft_fi_req_take(struct weft_fi_pep *pep, const struct fid *handle, uint64_t *conn)
{
	struct weft_fi_port *port = pep->cm.port;
	struct weft_fi_req **link;
	int ret = -FI_EINVAL;

	pthread_mutex_lock(&port->lock);
	link = weft_fi_req_find(port, handle);
	if (*link && (*link)->pep == pep) {
		*conn = (*link)->conn;
		weft_fi_req_free(link);
		ret = 0;
	}
	pthread_mutex_unlock(&port->lock);
	return ret;
}
