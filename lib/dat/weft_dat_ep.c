// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Endpoints: life, parameters, state. Connections are in weft_dat_conn.c, operations in
 * weft_dat_dto.c.
 *
 * The kernel's endpoint is created with the EP, so that receives can be posted at once. It is
 * enabled when it is connected, with the EVDs of that time. It is connected once: dat_ep_reset()
 * creates another one.
 */
#include <endian.h>

#include "weft_dat.h"

static const DAT_EP_ATTR wd_default = {
	.service_type = DAT_SERVICE_TYPE_RC,
	.max_message_size = UINT32_MAX,
	.qos = DAT_QOS_BEST_EFFORT,
	.max_recv_dtos = 64,
	.max_request_dtos = 64,
	.max_recv_iov = 4,
	.max_request_iov = 4,
	.max_rdma_read_in = 64,
	.max_rdma_read_out = 64,
	.srq_soft_hw = DAT_HW_DEFAULT,
};

/* Slots of a ring for @n operations of at most @iov segments. */
static uint32_t wd_slots(DAT_COUNT n, DAT_COUNT iov)
{
	uint32_t each = 1 + (iov > 1 ? (iov + 3) / 4 : 0), slots = n * each;

	return slots < WEFT_RING_MIN ? WEFT_RING_MIN : slots > WEFT_RING_MAX ? WEFT_RING_MAX :
									       slots;
}

/* Return: flags of the kernel's endpoint. Only an EP with RDMA reads pays for fences. */
static uint32_t wd_ep_flags(const struct wd_ep *ep)
{
	uint32_t flags = WEFT_EPF_STRICT | WEFT_EPF_RMA | WEFT_EPF_REMOTE_WRITE | WEFT_EPF_ORDERED;

	if (ep->srq)
		flags |= WEFT_EPF_SRQ;
	if (ep->attr.max_rdma_read_in)
		flags |= WEFT_EPF_REMOTE_READ;
	if (ep->attr.max_rdma_read_out)
		flags |= WEFT_EPF_FENCE;
	return flags;
}

/* Return: maximum segments of any request. */
static DAT_COUNT wd_ep_iov(const DAT_EP_ATTR *a)
{
	DAT_COUNT n = a->max_request_iov;

	if (n < a->max_rdma_read_iov)
		n = a->max_rdma_read_iov;
	return n < a->max_rdma_write_iov ? a->max_rdma_write_iov : n;
}

static int wd_ep_make(struct wd_ep *ep)
{
	struct wd_ia *ia = ep->obj.ia;
	struct weft_ep_attr attr = {
		.type = WEFT_EP_MSG,
		.flags = wd_ep_flags(ep),
		.sq_slots = wd_slots(ep->attr.max_request_dtos, wd_ep_iov(&ep->attr)),
		.rq_slots = ep->srq ? 0 : wd_slots(ep->attr.max_recv_dtos, ep->attr.max_recv_iov),
		.addr = ia->q.addr[0],
		.zone = ep->pz ? ep->pz->zone : 0,
	};
	int ret;

	attr.addr.port = 0;
	ret = wd_ia_endpoint(ia, &attr, &ep->ep);
	if (ret)
		return ret;
	ep->enabled = false;
	wd_index(ia, weft_ep_handle(ep->ep), &ep->obj);
	return 0;
}

/* Move the events of the kernel's endpoint to the EVDs before it ends, as they name it. */
static void wd_ep_unmake(struct wd_ep *ep)
{
	struct wd_evd *evd[] = { ep->recv, ep->request, ep->connect, ep->obj.ia->async };
	unsigned int i;

	if (weft_ep_flags(ep->ep) & WEFT_ST_CONNECTED)
		weft_shutdown(ep->ep);
	for (i = 0; i < 4; i++) {
		if (!evd[i])
			continue;
		pthread_mutex_lock(&evd[i]->lock);
		wd_evd_gather(evd[i], true);
		if (evd[i] == ep->request)
			wd_request_forget(evd[i], ep);
		pthread_mutex_unlock(&evd[i]->lock);
	}
	wd_unindex(&ep->obj);
	weft_ep_destroy(ep->ep);
	for (i = 0; i < 2; i++) {
		if (!evd[i] || !evd[i]->cq)
			continue;
		pthread_mutex_lock(&evd[i]->lock);
		weft_cq_settle(evd[i]->cq);
		pthread_mutex_unlock(&evd[i]->lock);
	}
}

/* Configure an EVD for an event stream of the EP. */
static void wd_stream(struct wd_evd *evd, DAT_COMPLETION_FLAGS flags, int by)
{
	if (!evd)
		return;
	if (flags & DAT_COMPLETION_SOLICITED_WAIT_FLAG)
		atomic_fetch_add(&evd->solicited, by);
	if (flags & DAT_COMPLETION_UNSIGNALLED_FLAG)
		atomic_fetch_add(&evd->unsignalled, by);
	if (flags & DAT_COMPLETION_EVD_THRESHOLD_FLAG)
		atomic_fetch_add(&evd->threshold, by);
}

/* All but two of the flags for requests apply to single posts. */
static void wd_streams(struct wd_ep *ep, int by)
{
	wd_stream(ep->recv, ep->attr.recv_completion_flags, by);
	wd_stream(ep->request, ep->attr.request_completion_flags &
			       ~DAT_COMPLETION_SOLICITED_WAIT_FLAG, by);
}

static void wd_ep_uses(struct wd_ep *ep, void (*fn)(void *))
{
	fn(ep->pz);
	fn(ep->recv);
	fn(ep->request);
	fn(ep->connect);
	fn(ep->srq);
}

#define WD_RECV_FLAGS	(DAT_COMPLETION_SOLICITED_WAIT_FLAG | DAT_COMPLETION_UNSIGNALLED_FLAG | \
			 DAT_COMPLETION_EVD_THRESHOLD_FLAG)
#define WD_REQUEST_FLAGS (WD_RECV_FLAGS | DAT_COMPLETION_SUPPRESS_FLAG | \
			  DAT_COMPLETION_BARRIER_FENCE_FLAG)

static bool wd_attr_in(const char *what, int64_t value, int64_t max)
{
	if (value >= 0 && value <= max)
		return true;
	wd_say("%s is %lld, and at most %lld", what, (long long)value, (long long)max);
	return false;
}

/* Return: true if an EP may have these flags. Receives have at most one way to wake. */
static bool wd_attr_flags(const DAT_EP_ATTR *a)
{
	DAT_COMPLETION_FLAGS in = a->recv_completion_flags;
	bool ok = !(in & ~WD_RECV_FLAGS) && !(in & (in - 1)) &&
		  !(a->request_completion_flags & ~WD_REQUEST_FLAGS);

	if (!ok)
		wd_say("completion flags of the EP: receives %#x, requests %#x", in,
		       a->request_completion_flags);
	return ok;
}

/* @bad: result if an attribute is invalid. */
static DAT_RETURN wd_attr_check(const DAT_EP_ATTR *a, DAT_UINT32 bad)
{
	if (a->service_type != DAT_SERVICE_TYPE_RC || a->qos != DAT_QOS_BEST_EFFORT)
		return WD_NOT_SUPPORTED;
	if (!wd_attr_in("max_recv_dtos", a->max_recv_dtos, WD_DTO_MAX) ||
	    !wd_attr_in("max_request_dtos", a->max_request_dtos, WD_DTO_MAX) ||
	    !wd_attr_in("max_recv_iov", a->max_recv_iov, WD_IOV_MAX) ||
	    !wd_attr_in("max_request_iov", a->max_request_iov, WD_IOV_MAX) ||
	    !wd_attr_in("max_rdma_read_in", a->max_rdma_read_in, WD_DTO_MAX) ||
	    !wd_attr_in("max_rdma_read_out", a->max_rdma_read_out, WD_DTO_MAX) ||
	    !wd_attr_in("max_rdma_read_iov", a->max_rdma_read_iov, WD_IOV_MAX) ||
	    !wd_attr_in("max_rdma_write_iov", a->max_rdma_write_iov, WD_IOV_MAX) ||
	    !wd_attr_in("named attributes", (int64_t)a->ep_transport_specific_count +
			a->ep_provider_specific_count, 0) || !wd_attr_flags(a))
		return WD_ERR(DAT_INVALID_PARAMETER, bad);
	if (a->srq_soft_hw < 0 && a->srq_soft_hw != DAT_HW_DEFAULT)
		return WD_ERR(DAT_INVALID_PARAMETER, bad);
	return DAT_SUCCESS;
}

/* RDMA has as many segments as requested, and at least as many as a send. */
static void wd_attr_set(struct wd_ep *ep, const DAT_EP_ATTR *a)
{
	ep->attr = *a;
	ep->attr.max_rdma_size = wd_max_size(ep->obj.ia);
	if (ep->attr.max_rdma_read_iov < a->max_request_iov)
		ep->attr.max_rdma_read_iov = a->max_request_iov;
	if (ep->attr.max_rdma_write_iov < a->max_request_iov)
		ep->attr.max_rdma_write_iov = a->max_request_iov;
	ep->attr.ep_transport_specific = NULL;
	ep->attr.ep_provider_specific = NULL;
	if (ep->srq)
		ep->attr.max_recv_dtos = 0;
	ep->soft = ep->srq && a->srq_soft_hw != DAT_HW_DEFAULT ? a->srq_soft_hw : 0;
}

static DAT_RETURN wd_evd_check(struct wd_ia *ia, struct wd_evd *evd, DAT_EVD_FLAGS flag,
			       DAT_RETURN_SUBTYPE sub)
{
	if (!evd)
		return DAT_SUCCESS;
	if (!wd_is_of(evd, DAT_HANDLE_TYPE_EVD, ia) || !(evd->flags & flag))
		return WD_BAD(sub);
	return DAT_SUCCESS;
}

/* Allocate operations, counts and the kernel's endpoint, as of the attributes. */
static DAT_RETURN wd_ep_alloc(struct wd_ep *ep)
{
	uint32_t i, n = ep->attr.max_request_dtos + ep->attr.max_recv_dtos;

	ep->ops = calloc(n ? n : 1, sizeof(*ep->ops));
	ep->sends = wd_count_new();
	ep->recvs = wd_count_new();
	if (!ep->ops || !ep->sends || !ep->recvs)
		return WD_NOMEM;
	for (i = 0; i < n; i++)
		ep->ops[i].next = i + 1;
	ep->free_op = 0;
	ep->nsend = 0;
	ep->nrecv = 0;
	ep->first = WD_NO_OP;
	ep->round = 0;
	ep->reads = 0;
	ep->broken = false;
	ep->failed = false;
	return wd_errno(wd_ep_make(ep), DAT_RESOURCE_TEP);
}

/* Free them, with the operations in progress. */
static void wd_ep_release(struct wd_ep *ep)
{
	if (ep->ep)
		wd_ep_unmake(ep);
	ep->ep = NULL;
	free(ep->ops);
	ep->ops = NULL;
	wd_count_put(ep->sends);
	wd_count_put(ep->recvs);
	ep->sends = NULL;
	ep->recvs = NULL;
}

static void wd_ep_end(struct wd_ep *ep)
{
	wd_ep_release(ep);
	pthread_mutex_destroy(&ep->lock);
	wd_free(ep);
}

static DAT_RETURN wd_ep_new(struct wd_ia *ia, struct wd_pz *pz, struct wd_evd *recv,
			    struct wd_evd *request, struct wd_evd *connect, struct wd_srq *srq,
			    const DAT_EP_ATTR *attr, DAT_EP_HANDLE *out)
{
	struct wd_ep *ep = wd_new(ia, DAT_HANDLE_TYPE_EP);
	DAT_RETURN ret;

	if (!ep)
		return WD_NOMEM;
	ep->pz = pz;
	ep->recv = recv;
	ep->request = request;
	ep->connect = connect;
	ep->srq = srq;
	ep->state = DAT_EP_STATE_UNCONNECTED;
	ep->local = ia->addr;
	wd_attr_set(ep, attr);
	pthread_mutex_init(&ep->lock, NULL);
	ret = wd_ep_alloc(ep);
	if (ret != DAT_SUCCESS) {
		wd_ep_end(ep);
		return ret;
	}
	wd_ep_uses(ep, wd_use);
	wd_streams(ep, 1);
	*out = ep;
	return DAT_SUCCESS;
}

static DAT_RETURN wd_ep_check(DAT_IA_HANDLE handle, struct wd_pz *pz, struct wd_evd *recv,
			      struct wd_evd *request, struct wd_evd *connect)
{
	DAT_RETURN ret;

	if (!wd_is(handle, DAT_HANDLE_TYPE_IA))
		return WD_BAD(DAT_INVALID_HANDLE_IA);
	if (pz && !wd_is_of(pz, DAT_HANDLE_TYPE_PZ, handle))
		return WD_BAD(DAT_INVALID_HANDLE_PZ);
	ret = wd_evd_check(handle, recv, DAT_EVD_DTO_FLAG, DAT_INVALID_HANDLE_EVD_RECV);
	if (ret == DAT_SUCCESS)
		ret = wd_evd_check(handle, request, DAT_EVD_DTO_FLAG,
				   DAT_INVALID_HANDLE_EVD_REQUEST);
	if (ret == DAT_SUCCESS)
		ret = wd_evd_check(handle, connect, DAT_EVD_CONNECTION_FLAG,
				   DAT_INVALID_HANDLE_EVD_CONN);
	return ret;
}

DAT_RETURN wd_ep_create(DAT_IA_HANDLE ia, DAT_PZ_HANDLE pz, DAT_EVD_HANDLE recv,
			DAT_EVD_HANDLE request, DAT_EVD_HANDLE connect, const DAT_EP_ATTR *attr,
			DAT_EP_HANDLE *out)
{
	DAT_RETURN ret = wd_ep_check(ia, pz, recv, request, connect);

	if (ret == DAT_SUCCESS && attr)
		ret = wd_attr_check(attr, DAT_INVALID_ARG6);
	if (ret == DAT_SUCCESS && !out)
		ret = WD_ARG(7);
	if (ret != DAT_SUCCESS)
		return ret;
	return wd_ep_new(ia, pz, recv, request, connect, NULL, attr ? attr : &wd_default, out);
}

DAT_RETURN wd_ep_create_with_srq(DAT_IA_HANDLE ia, DAT_PZ_HANDLE pz, DAT_EVD_HANDLE recv,
				 DAT_EVD_HANDLE request, DAT_EVD_HANDLE connect,
				 DAT_SRQ_HANDLE srq, const DAT_EP_ATTR *attr, DAT_EP_HANDLE *out)
{
	DAT_RETURN ret = wd_ep_check(ia, pz, recv, request, connect);

	if (ret == DAT_SUCCESS && !wd_is_of(srq, DAT_HANDLE_TYPE_SRQ, ia))
		ret = WD_BAD(DAT_INVALID_HANDLE_SRQ);
	if (ret == DAT_SUCCESS && attr)
		ret = wd_attr_check(attr, DAT_INVALID_ARG7);
	if (ret == DAT_SUCCESS && !out)
		ret = WD_ARG(8);
	if (ret != DAT_SUCCESS)
		return ret;
	return wd_ep_new(ia, pz, recv, request, connect, srq, attr ? attr : &wd_default, out);
}

DAT_RETURN wd_ep_free(DAT_EP_HANDLE handle)
{
	struct wd_ep *ep = handle;

	if (!wd_is(handle, DAT_HANDLE_TYPE_EP))
		return WD_BAD(DAT_INVALID_HANDLE_EP);
	wd_ep_release(ep);
	wd_streams(ep, -1);
	wd_ep_uses(ep, wd_unuse);
	wd_ep_end(ep);
	return DAT_SUCCESS;
}

/* The state of an EP changes with its events: read those of the kernel. */
void wd_ep_refresh(struct wd_ep *ep)
{
	if (!ep->enabled)
		return;
	pthread_mutex_lock(&ep->connect->lock);
	wd_evd_gather(ep->connect, false);
	pthread_mutex_unlock(&ep->connect->lock);
}

DAT_RETURN wd_ep_reset(DAT_EP_HANDLE handle)
{
	struct wd_ep *ep = handle;
	DAT_RETURN dat;

	if (!wd_is(handle, DAT_HANDLE_TYPE_EP))
		return WD_BAD(DAT_INVALID_HANDLE_EP);
	wd_ep_refresh(ep);
	if (ep->state == DAT_EP_STATE_UNCONNECTED)
		return DAT_SUCCESS;
	if (ep->state != DAT_EP_STATE_DISCONNECTED)
		return wd_ep_state_error(ep->state);
	wd_ep_release(ep);
	dat = wd_ep_alloc(ep);
	if (dat == DAT_SUCCESS)
		ep->state = DAT_EP_STATE_UNCONNECTED;
	return dat;
}

/* ---- Parameters -------------------------------------------------------------------------- */

DAT_RETURN wd_ep_query(DAT_EP_HANDLE handle, DAT_EP_PARAM_MASK mask, DAT_EP_PARAM *param)
{
	DAT_RETURN dat = wd_query(handle, DAT_HANDLE_TYPE_EP, mask & ~DAT_EP_FIELD_ALL, param);
	struct weft_sockaddr local;
	struct wd_ep *ep = handle;

	if (dat != DAT_SUCCESS)
		return dat;
	wd_ep_refresh(ep);
	memset(param, 0, sizeof(*param));
	pthread_mutex_lock(&ep->lock);
	param->ia_handle = ep->obj.ia;
	param->ep_state = ep->state;
	param->local_ia_address_ptr = wd_sockaddr(&ep->local);
	param->remote_ia_address_ptr = wd_sockaddr(&ep->remote);
	if (ep->state != DAT_EP_STATE_UNCONNECTED) {
		param->remote_port_qual = ep->remote_qual;
		if (!weft_getname(ep->ep, &local))
			param->local_port_qual = be16toh(local.port);
	}
	param->pz_handle = ep->pz;
	param->recv_evd_handle = ep->recv;
	param->request_evd_handle = ep->request;
	param->connect_evd_handle = ep->connect;
	param->srq_handle = ep->srq;
	param->ep_attr = ep->attr;
	pthread_mutex_unlock(&ep->lock);
	return DAT_SUCCESS;
}

#define WD_SIZES	(DAT_EP_FIELD_EP_ATTR_MAX_RECV_DTOS | \
			 DAT_EP_FIELD_EP_ATTR_MAX_REQUEST_DTOS | \
			 DAT_EP_FIELD_EP_ATTR_MAX_RECV_IOV | \
			 DAT_EP_FIELD_EP_ATTR_MAX_REQUEST_IOV | \
			 DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_IN | \
			 DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_OUT | \
			 DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_IOV | \
			 DAT_EP_FIELD_EP_ATTR_MAX_RDMA_WRITE_IOV)
/* Parameters of the kernel's endpoint: a change makes another one. */
#define WD_MADE_WITH	(WD_SIZES | DAT_EP_FIELD_PZ_HANDLE)
#define WD_MODIFIABLE	(DAT_EP_FIELD_PZ_HANDLE | DAT_EP_FIELD_RECV_EVD_HANDLE | \
			 DAT_EP_FIELD_REQUEST_EVD_HANDLE | DAT_EP_FIELD_CONNECT_EVD_HANDLE | \
			 DAT_EP_FIELD_EP_ATTR_ALL)
/* Parameters that posted receives depend on. */
#define WD_POSTED_FOR	(WD_MADE_WITH | DAT_EP_FIELD_EP_ATTR_RECV_COMPLETION_FLAGS)

/* Copy the attributes in @mask from @from. */
static void wd_attr_merge(DAT_EP_ATTR *a, DAT_EP_PARAM_MASK mask, const DAT_EP_ATTR *from)
{
	if (mask & DAT_EP_FIELD_EP_ATTR_SERVICE_TYPE)
		a->service_type = from->service_type;
	if (mask & DAT_EP_FIELD_EP_ATTR_MAX_MESSAGE_SIZE)
		a->max_message_size = from->max_message_size;
	if (mask & DAT_EP_FIELD_EP_ATTR_QOS)
		a->qos = from->qos;
	if (mask & DAT_EP_FIELD_EP_ATTR_RECV_COMPLETION_FLAGS)
		a->recv_completion_flags = from->recv_completion_flags;
	if (mask & DAT_EP_FIELD_EP_ATTR_REQUEST_COMPLETION_FLAGS)
		a->request_completion_flags = from->request_completion_flags;
	if (mask & DAT_EP_FIELD_EP_ATTR_MAX_RECV_DTOS)
		a->max_recv_dtos = from->max_recv_dtos;
	if (mask & DAT_EP_FIELD_EP_ATTR_MAX_REQUEST_DTOS)
		a->max_request_dtos = from->max_request_dtos;
	if (mask & DAT_EP_FIELD_EP_ATTR_MAX_RECV_IOV)
		a->max_recv_iov = from->max_recv_iov;
	if (mask & DAT_EP_FIELD_EP_ATTR_MAX_REQUEST_IOV)
		a->max_request_iov = from->max_request_iov;
	if (mask & DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_IN)
		a->max_rdma_read_in = from->max_rdma_read_in;
	if (mask & DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_OUT)
		a->max_rdma_read_out = from->max_rdma_read_out;
	if (mask & DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_IOV)
		a->max_rdma_read_iov = from->max_rdma_read_iov;
	if (mask & DAT_EP_FIELD_EP_ATTR_MAX_RDMA_WRITE_IOV)
		a->max_rdma_write_iov = from->max_rdma_write_iov;
	if (mask & DAT_EP_FIELD_EP_ATTR_SRQ_SOFT_HW)
		a->srq_soft_hw = from->srq_soft_hw;
	if (mask & DAT_EP_FIELD_EP_ATTR_NUM_TRANSPORT_ATTR)
		a->ep_transport_specific_count = from->ep_transport_specific_count;
	if (mask & DAT_EP_FIELD_EP_ATTR_NUM_PROVIDER_ATTR)
		a->ep_provider_specific_count = from->ep_provider_specific_count;
}

DAT_RETURN wd_ep_modify(DAT_EP_HANDLE handle, DAT_EP_PARAM_MASK mask, const DAT_EP_PARAM *param)
{
	DAT_RETURN ret = wd_query(handle, DAT_HANDLE_TYPE_EP, mask & ~WD_MODIFIABLE, param);
	struct wd_ep *ep = handle;
	DAT_EP_ATTR attr;

	if (ret != DAT_SUCCESS)
		return ret;
	wd_ep_refresh(ep);
	if (ep->state != DAT_EP_STATE_UNCONNECTED)
		return wd_ep_state_error(ep->state);
	ret = wd_ep_check(ep->obj.ia, mask & DAT_EP_FIELD_PZ_HANDLE ? param->pz_handle : NULL,
			  mask & DAT_EP_FIELD_RECV_EVD_HANDLE ? param->recv_evd_handle : NULL,
			  mask & DAT_EP_FIELD_REQUEST_EVD_HANDLE ? param->request_evd_handle : NULL,
			  mask & DAT_EP_FIELD_CONNECT_EVD_HANDLE ? param->connect_evd_handle :
								   NULL);
	attr = ep->attr;
	wd_attr_merge(&attr, mask, &param->ep_attr);
	if (ret == DAT_SUCCESS)
		ret = wd_attr_check(&attr, DAT_INVALID_ARG3);
	if (ret == DAT_SUCCESS && mask & WD_POSTED_FOR && ep->nrecv)
		ret = WD_STATE(DAT_INVALID_STATE_EP_NOTREADY);
	if (ret != DAT_SUCCESS)
		return ret;
	wd_streams(ep, -1);
	wd_ep_uses(ep, wd_unuse);
	if (mask & DAT_EP_FIELD_PZ_HANDLE)
		ep->pz = param->pz_handle;
	if (mask & DAT_EP_FIELD_RECV_EVD_HANDLE)
		ep->recv = param->recv_evd_handle;
	if (mask & DAT_EP_FIELD_REQUEST_EVD_HANDLE)
		ep->request = param->request_evd_handle;
	if (mask & DAT_EP_FIELD_CONNECT_EVD_HANDLE)
		ep->connect = param->connect_evd_handle;
	wd_attr_set(ep, &attr);
	wd_ep_uses(ep, wd_use);
	wd_streams(ep, 1);
	if (!(mask & WD_MADE_WITH))
		return DAT_SUCCESS;
	wd_ep_release(ep);
	return wd_ep_alloc(ep);
}

DAT_RETURN wd_ep_get_status(DAT_EP_HANDLE handle, DAT_EP_STATE *state, DAT_BOOLEAN *recv_idle,
			    DAT_BOOLEAN *request_idle)
{
	struct wd_ep *ep = handle;
	uint32_t held = 0, span;

	if (!wd_is(handle, DAT_HANDLE_TYPE_EP))
		return WD_BAD(DAT_INVALID_HANDLE_EP);
	wd_ep_refresh(ep);
	if (ep->srq && ep->enabled)
		weft_ep_held(ep->ep, &held, &span);
	pthread_mutex_lock(&ep->lock);
	if (state)
		*state = ep->state;
	if (recv_idle)
		*recv_idle = !ep->nrecv && !held;
	if (request_idle)
		*request_idle = !ep->nsend;
	pthread_mutex_unlock(&ep->lock);
	return DAT_SUCCESS;
}

/* Return: the error of a call for which the EP is in the wrong state. */
DAT_RETURN wd_ep_state_error(DAT_EP_STATE state)
{
	switch (state) {
	case DAT_EP_STATE_UNCONNECTED:
		return WD_STATE(DAT_INVALID_STATE_EP_UNCONNECTED);
	case DAT_EP_STATE_ACTIVE_CONNECTION_PENDING:
		return WD_STATE(DAT_INVALID_STATE_EP_ACTCONNPENDING);
	case DAT_EP_STATE_COMPLETION_PENDING:
		return WD_STATE(DAT_INVALID_STATE_EP_COMPLPENDING);
	case DAT_EP_STATE_CONNECTED:
		return WD_STATE(DAT_INVALID_STATE_EP_CONNECTED);
	case DAT_EP_STATE_DISCONNECT_PENDING:
		return WD_STATE(DAT_INVALID_STATE_EP_DISCPENDING);
	default:
		return WD_STATE(DAT_INVALID_STATE_EP_DISCONNECTED);
	}
}

/* Bind the kernel's endpoint to the queues of the EVDs, once. */
static DAT_RETURN wd_ep_enable(struct wd_ep *ep)
{
	int ret;

	if (ep->enabled)
		return DAT_SUCCESS;
	if (!ep->connect)
		return WD_STATE(DAT_INVALID_STATE_EP_EVD_CONNECT);
	if (!ep->recv && (ep->srq || ep->attr.max_recv_dtos))
		return WD_STATE(DAT_INVALID_STATE_EP_EVD_RECV);
	if (!ep->request && ep->attr.max_request_dtos)
		return WD_STATE(DAT_INVALID_STATE_EP_EVD_REQUEST);
	ret = weft_ep_enable_srq(ep->ep, ep->request ? ep->request->cq : NULL,
				 ep->recv ? ep->recv->cq : NULL, ep->connect->eq, NULL,
				 ep->srq ? ep->srq->srq : NULL);
	if (!ret && (ep->soft || ep->hard))
		ret = weft_ep_mark(ep->ep, ep->soft, ep->hard);
	if (ret)
		return wd_errno(ret, DAT_RESOURCE_TEP);
	ep->enabled = true;
	return DAT_SUCCESS;
}

/*
 * Start a connection: the EP changes from UNCONNECTED to a pending @state. wd_ep_unpend() undoes
 * it.
 */
DAT_RETURN wd_ep_pend(struct wd_ep *ep, DAT_EP_STATE state, const struct sockaddr_storage *remote,
		      DAT_CONN_QUAL qual)
{
	DAT_RETURN dat = wd_ep_enable(ep);

	if (dat != DAT_SUCCESS)
		return dat;
	pthread_mutex_lock(&ep->lock);
	if (ep->state == DAT_EP_STATE_UNCONNECTED) {
		ep->state = state;
		ep->remote = *remote;
		ep->remote_qual = qual;
	} else {
		dat = wd_ep_state_error(ep->state);
	}
	pthread_mutex_unlock(&ep->lock);
	return dat;
}

void wd_ep_unpend(struct wd_ep *ep)
{
	pthread_mutex_lock(&ep->lock);
	ep->state = DAT_EP_STATE_UNCONNECTED;
	pthread_mutex_unlock(&ep->lock);
}

/* ---- Shared receives --------------------------------------------------------------------- */

/* An EP takes receives of its own queue when they are posted. */
static uint32_t wd_ep_own_held(struct wd_ep *ep)
{
	uint32_t n;

	if (ep->enabled && ep->recv) {
		pthread_mutex_lock(&ep->recv->lock);
		wd_evd_gather(ep->recv, false);
		pthread_mutex_unlock(&ep->recv->lock);
	}
	pthread_mutex_lock(&ep->lock);
	n = ep->nrecv;
	pthread_mutex_unlock(&ep->lock);
	return n;
}

DAT_RETURN wd_ep_recv_query(DAT_EP_HANDLE handle, DAT_COUNT *held, DAT_COUNT *span)
{
	struct wd_ep *ep = handle;
	uint32_t n = 0, s = 0;

	if (!wd_is(handle, DAT_HANDLE_TYPE_EP))
		return WD_BAD(DAT_INVALID_HANDLE_EP);
	if (!ep->srq) {
		n = wd_ep_own_held(ep);
		s = n ? n - 1 : 0;
	} else if (ep->enabled) {
		weft_ep_held(ep->ep, &n, &s);
	}
	if (held)
		*held = n;
	/* from the newest completed one to the newest one taken */
	if (span)
		*span = n ? s + 1 : 0;
	return DAT_SUCCESS;
}

/* An infinite mark means none. The kernel receives the marks once it has the endpoint. */
DAT_RETURN wd_ep_set_watermark(DAT_EP_HANDLE handle, DAT_COUNT soft, DAT_COUNT hard)
{
	struct wd_ep *ep = handle;

	if (!wd_is(handle, DAT_HANDLE_TYPE_EP))
		return WD_BAD(DAT_INVALID_HANDLE_EP);
	/* the event of a soft mark requires an EVD */
	if (!ep->srq || (soft != DAT_WATERMARK_INFINITE && !ep->obj.ia->async))
		return WD_NOT_SUPPORTED;
	if (soft != DAT_WATERMARK_INFINITE && soft <= 0)
		return WD_ARG(2);
	if (hard != DAT_WATERMARK_INFINITE && hard <= 0)
		return WD_ARG(3);
	ep->soft = soft == DAT_WATERMARK_INFINITE ? 0 : soft;
	ep->hard = hard == DAT_WATERMARK_INFINITE ? 0 : hard;
	ep->attr.srq_soft_hw = soft;
	if (!ep->enabled)
		return DAT_SUCCESS;
	return wd_errno(weft_ep_mark(ep->ep, ep->soft, ep->hard), DAT_RESOURCE_SRQ);
}
