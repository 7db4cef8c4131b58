// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conversion of the kernel's completions and events to DAT
 *
 * The EVD that they were read from is locked. EPs and SRQs may be looked up by handle: they drain
 * their EVDs before they end.
 */
#include <endian.h>

#include "weft_dat.h"

/* Return: status of an operation that an errno ended. */
static DAT_DTO_COMPLETION_STATUS wd_status(const struct weft_cqe *cqe, DAT_DTOS kind)
{
	bool rdma = wd_is_rdma(kind);

	switch (cqe->status) {
	case 0:
		return DAT_DTO_SUCCESS;
	case EMSGSIZE:
		return kind == DAT_DTO_RECEIVE ? DAT_DTO_ERR_LOCAL_LENGTH :
						 DAT_DTO_ERR_REMOTE_RESPONDER;
	case EREMOTEIO:
		return DAT_DTO_ERR_REMOTE_RESPONDER;
	case EACCES:
		return rdma ? DAT_DTO_ERR_REMOTE_ACCESS : DAT_DTO_ERR_LOCAL_PROTECTION;
	case EFAULT:
		return DAT_DTO_ERR_LOCAL_PROTECTION;
	case ECANCELED:
	case ENOTCONN:
	case ECONNRESET:
	case ENODEV:
		return DAT_DTO_ERR_FLUSHED;
	case ECONNREFUSED:
		return rdma ? DAT_DTO_ERR_FLUSHED : DAT_DTO_ERR_LOCAL_EP;
	case ETIMEDOUT:
	case EHOSTUNREACH:
		return DAT_DTO_ERR_TRANSPORT;
	default:
		return DAT_DTO_ERR_LOCAL_EP;
	}
}

/* A receive has ended. Return: true. */
static bool wd_event_recv(struct wd_ep *ep, const struct weft_cqe *cqe, struct wd_event *e)
{
	DAT_DTO_COMPLETION_EVENT_DATA *d = &e->ev.event_data.dto_completion_event_data;
	DAT_COMPLETION_FLAGS on = ep->attr.recv_completion_flags;
	struct wd_op op = { .flags = DAT_COMPLETION_DEFAULT_FLAG };
	bool ok;

	if (ep->srq) {
		e->reap = ep->srq->count;
		op.cookie.as_64 = cqe->context;
	} else {
		e->reap = ep->recvs;
		pthread_mutex_lock(&ep->lock);
		op = wd_op_put(ep, cqe->context);
		ep->nrecv--;
		pthread_mutex_unlock(&ep->lock);
	}
	atomic_fetch_add(&e->reap->refs, 1);
	e->ev.event_number = DAT_DTO_COMPLETION_EVENT;
	d->ep_handle = ep;
	d->status = wd_status(cqe, DAT_DTO_RECEIVE);
	d->operation = DAT_DTO_RECEIVE;
	d->transfered_length = cqe->len;
	d->user_cookie = op.cookie;
	ok = d->status == DAT_DTO_SUCCESS;
	e->notify = !ok || !(op.flags & DAT_COMPLETION_UNSIGNALLED_FLAG ||
			     (on & DAT_COMPLETION_SOLICITED_WAIT_FLAG &&
			      !(cqe->flags & WEFT_CQE_SOLICITED)));
	return true;
}

/* The event of a request follows later. Return: true if the completion becomes an event. */
bool wd_event_dto(struct wd_evd *evd, const struct weft_cqe *cqe, struct wd_event *e)
{
	struct wd_ep *ep = wd_find_low(evd->obj.ia, cqe->ep, DAT_HANDLE_TYPE_EP);

	if (!ep)
		return false;
	if (cqe->flags & WEFT_CQE_SEND) {
		pthread_mutex_lock(&ep->lock);
		wd_request_done(evd, ep, cqe->context,
				wd_status(cqe, ep->ops[cqe->context].kind), cqe->len);
		pthread_mutex_unlock(&ep->lock);
		return false;
	}
	/* a peer that is no DAT provider may write with remote CQ data */
	return !(cqe->flags & WEFT_CQE_WRITE) && wd_event_recv(ep, cqe, e);
}

static void wd_state(struct wd_ep *ep, DAT_EP_STATE state)
{
	pthread_mutex_lock(&ep->lock);
	ep->state = state;
	pthread_mutex_unlock(&ep->lock);
}

static DAT_EVENT_NUMBER wd_failed(struct wd_ep *ep, int status)
{
	switch (status) {
	case ECONNREFUSED:
		return DAT_CONNECTION_EVENT_PEER_REJECTED;
	case ETIMEDOUT:
		return DAT_CONNECTION_EVENT_TIMED_OUT;
	case EHOSTUNREACH:
	case ENETUNREACH:
		return DAT_CONNECTION_EVENT_UNREACHABLE;
	case ECANCELED:
		return DAT_CONNECTION_EVENT_DISCONNECTED;
	default:
		return ep->state == DAT_EP_STATE_COMPLETION_PENDING ?
			       DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR :
			       DAT_CONNECTION_EVENT_NON_PEER_REJECTED;
	}
}

/* Convert an event of an EP's connection. */
static bool wd_event_conn(struct wd_ep *ep, const struct weft_event *ev, const void *data,
			  struct wd_event *e)
{
	DAT_CONNECTION_EVENT_DATA *d = &e->ev.event_data.connect_event_data;

	/* if the port goes, the kernel reports both the endpoint and its connection */
	if (ep->state == DAT_EP_STATE_DISCONNECTED)
		return false;
	d->ep_handle = ep;
	switch (ev->type) {
	case WEFT_EV_CONNECTED:
		e->ev.event_number = DAT_CONNECTION_EVENT_ESTABLISHED;
		wd_state(ep, DAT_EP_STATE_CONNECTED);
		break;
	case WEFT_EV_CONN_FAILED:
		e->ev.event_number = wd_failed(ep, ev->status);
		wd_state(ep, DAT_EP_STATE_DISCONNECTED);
		break;
	case WEFT_EV_SHUTDOWN:
		e->ev.event_number = ev->status || ep->broken ?
					     DAT_CONNECTION_EVENT_BROKEN :
					     DAT_CONNECTION_EVENT_DISCONNECTED;
		wd_state(ep, DAT_EP_STATE_DISCONNECTED);
		break;
	case WEFT_EV_EP_ERROR:
		e->ev.event_number = DAT_CONNECTION_EVENT_BROKEN;
		wd_state(ep, DAT_EP_STATE_DISCONNECTED);
		break;
	default:
		return false;
	}
	if (ev->data_len) {
		ep->data_len = ev->data_len;
		memcpy(ep->data, data, ev->data_len);
		d->private_data_size = ev->data_len;
		d->private_data = ep->data;
	}
	return true;
}

static bool wd_event_req(struct wd_psp *psp, const struct weft_event *ev, const void *data,
			 struct wd_event *e)
{
	DAT_CR_ARRIVAL_EVENT_DATA *d = &e->ev.event_data.cr_arrival_event_data;
	struct wd_cr *cr = wd_new(psp->obj.ia, DAT_HANDLE_TYPE_CR);

	if (!cr) {
		weft_reject(psp->ep, ev->conn, NULL, 0);
		return false;
	}
	cr->psp = psp->obj.handle;
	cr->conn = ev->conn;
	cr->port = be16toh(ev->addr.port);
	weft_addr_to_sockaddr(&ev->addr, &cr->remote);
	cr->data_len = ev->data_len;
	memcpy(cr->data, data, ev->data_len);
	e->ev.event_number = DAT_CONNECTION_REQUEST_EVENT;
	d->sp_handle.psp_handle = psp;
	d->local_ia_address_ptr = wd_sockaddr(&psp->obj.ia->addr);
	d->conn_qual = psp->qual;
	d->cr_handle = cr;
	d->truncate_flag = DAT_FALSE;
	return true;
}

/*
 * Convert an event of a shared receive queue. DAT has no event numbers for watermarks: the reason
 * tells them apart.
 */
static bool wd_event_async(struct wd_evd *evd, const struct weft_event *ev, struct wd_event *e)
{
	DAT_ASYNCH_ERROR_EVENT_DATA *d = &e->ev.event_data.asynch_error_event_data;
	int type = ev->type == WEFT_EV_SRQ_LOW ? DAT_HANDLE_TYPE_SRQ : DAT_HANDLE_TYPE_EP;

	d->dat_handle = wd_find(evd->obj.ia, ev->handle, type);
	if (!d->dat_handle)
		return false;
	switch (ev->type) {
	case WEFT_EV_SRQ_LOW:
		e->ev.event_number = DAT_ASYNC_ERROR_PROVIDER_INTERNAL_ERROR;
		d->reason = DAT_SRQ_LOW_WATERMARK_EVENT;
		break;
	case WEFT_EV_EP_HIGH:
		e->ev.event_number = DAT_ASYNC_ERROR_PROVIDER_INTERNAL_ERROR;
		d->reason = DAT_SRQ_SOFT_HIGH_WATERMARK_EVENT;
		break;
	default:
		e->ev.event_number = DAT_ASYNC_ERROR_EP_BROKEN;
		d->reason = DAT_EP_TRANSFER_TO_ERROR;
		break;
	}
	return true;
}

/* Return: true if it becomes an event. */
bool wd_event_eq(struct wd_evd *evd, const struct weft_event *ev, const void *data,
		 struct wd_event *e)
{
	struct wd_ia *ia = evd->obj.ia;
	struct wd_psp *psp;
	struct wd_ep *ep;

	e->notify = true;
	if (ev->type == WEFT_EV_SRQ_LOW || ev->type == WEFT_EV_EP_HIGH ||
	    ev->type == WEFT_EV_SRQ_LAST)
		return wd_event_async(evd, ev, e);
	if (ev->type == WEFT_EV_CONNREQ) {
		psp = wd_find(ia, ev->handle, DAT_HANDLE_TYPE_PSP);
		return psp && wd_event_req(psp, ev, data, e);
	}
	ep = wd_find(ia, ev->handle, DAT_HANDLE_TYPE_EP);
	return ep && wd_event_conn(ep, ev, data, e);
}
