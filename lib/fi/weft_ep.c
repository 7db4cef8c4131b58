// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_ep.c - active endpoints: create, bind, enable, close
 *
 *   open --fi_ep_bind--> open --fi_enable (fi_connect, fi_accept)--> enabled --fi_close--> gone
 *
 * Queues and vectors are bound only in the first state. Messages move only in the second state. A
 * program holds a handle (face) of an endpoint. It is the endpoint itself, an alias
 * (weft_ep_opt.c), or a context of a scalable endpoint (weft_sep.c), which is a half of an
 * endpoint.
 */
#include <strings.h>

#include "weft_fi.h"

#define WEFT_FI_SLOTS_MIN	64	/* minimum slots of a ring: four times the longest entry */

void weft_fi_half_unbind(struct weft_fi_half *half)
{
	struct weft_fi_cq *cq = half->cq;
	struct weft_fi_half **link;

	if (!cq)
		return;
	pthread_mutex_lock(&cq->eps_lock);
	for (link = &cq->halves; *link != half; link = &(*link)->next)
		;
	*link = half->next;
	pthread_mutex_unlock(&cq->eps_lock);
	if (!half->idle)
		atomic_fetch_sub(&cq->refs, 1);
	half->cq = NULL;
}

/**
 * weft_fi_half_leave() - unbind an idle half from its completion queue, which is closed
 * @half: half of a scalable endpoint, whose other half may be in use
 */
void weft_fi_half_leave(struct weft_fi_half *half)
{
	struct weft_fi_ep *ep = half->ep;

	/* a send looks at the queues of both halves */
	weft_fi_lock(&ep->tx.lock);
	weft_fi_half_unbind(half);
	weft_fi_run_on(ep);
	weft_fi_unlock(&ep->tx.lock);
}

/**
 * weft_fi_half_idle() - set whether a half of an endpoint uses its queue and its counter
 * @half: half of a scalable endpoint
 * @idle: its context is closed: both may be closed before the endpoint
 */
void weft_fi_half_idle(struct weft_fi_half *half, bool idle)
{
	if (half->idle == idle)
		return;
	weft_fi_cntr_idle(half, idle);
	if (half->cq)
		atomic_fetch_add(&half->cq->refs, idle ? -1 : 1);
}

static void weft_fi_half_bind(struct weft_fi_half *half, struct weft_fi_cq *cq, uint64_t flags)
{
	half->cq = cq;
	half->selective = flags & FI_SELECTIVE_COMPLETION;
	atomic_fetch_add(&cq->refs, 1);
	pthread_mutex_lock(&cq->eps_lock);
	half->next = cq->halves;
	cq->halves = half;
	pthread_mutex_unlock(&cq->eps_lock);
	if (half->ep->prefix)
		atomic_fetch_or(&cq->slow, WEFT_FI_CQ_ODD);
}

/* Notify the entries deferred by FI_MORE, and end a run of sends. */
void weft_fi_half_flush(struct weft_fi_half *half)
{
	weft_fi_run_end(half->ep);
	weft_fi_lock(&half->lock);
	if (half->held) {
		half->held = 0;
		atomic_store(&half->due, false);
		if (half == &half->ep->tx)
			weft_flush_send(half->ep->cm.ep);
		else
			weft_flush_recv(half->ep->cm.ep);
	}
	weft_fi_unlock(&half->lock);
}

/**
 * weft_fi_ep_free() - destroy an endpoint
 * @ep: endpoint; no handle of it is in use
 *
 * Return: 0, -errno: the endpoint still exists.
 */
int weft_fi_ep_free(struct weft_fi_ep *ep)
{
	struct weft_fi_cq *cq = ep->rx.cq;
	int ret;

	weft_fi_half_flush(&ep->tx);
	weft_fi_half_flush(&ep->rx);
	weft_fi_half_unbind(&ep->tx);
	weft_fi_half_unbind(&ep->rx);
	weft_fi_cntr_unbind(&ep->tx);
	weft_fi_cntr_unbind(&ep->rx);
	ret = weft_fi_cm_close(&ep->cm);
	if (ret)
		return ret;
	if (ep->draft)
		weft_draft_destroy(ep->draft);
	/* its buffers return to the program, but its completions may still be read */
	if (cq) {
		weft_fi_lock(&cq->lock);
		weft_cq_settle(cq->cq);
		if (ep->pool)
			weft_fi_buf_leave(ep, cq);
		weft_fi_unlock(&cq->lock);
	} else if (ep->pool) {
		weft_fi_buf_leave(ep, NULL);
	}
	if (ep->av)
		atomic_fetch_sub(&ep->av->refs, 1);
	if (ep->stx)
		atomic_fetch_sub(&ep->stx->refs, 1);
	if (ep->srx)
		weft_fi_srx_leave(ep, cq);
	weft_fi_req_drop(ep, false);
	weft_fi_lock_fini(&ep->tx.lock);
	weft_fi_lock_fini(&ep->rx.lock);
	pthread_mutex_destroy(&ep->draft_lock);
	atomic_fetch_sub(&ep->domain->refs, 1);
	free(ep);
	return 0;
}

static int weft_fi_ep_close(struct fid *fid)
{
	struct weft_fi_ep *ep = weft_fi_ep_from(fid);

	if (atomic_load(&ep->aliases))
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EBUSY,
				    "the endpoint has aliases: close them first");
	if (atomic_load(&ep->ngroups))
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EBUSY,
				    "the endpoint has joined groups: close them first");
	return weft_fi_ep_free(ep);
}

/**
 * weft_fi_ep_bind_cq() - bind a completion queue
 * @ep: endpoint, or the endpoint of a context
 * @fid: queue
 * @flags: FI_TRANSMIT, FI_RECV, FI_SELECTIVE_COMPLETION
 *
 * Return: 0, -FI_EBADFLAGS, -FI_EINVAL, -FI_EDOMAIN.
 */
int weft_fi_ep_bind_cq(struct weft_fi_ep *ep, struct fid *fid, uint64_t flags)
{
	struct weft_fi_cq *cq = weft_container(fid, struct weft_fi_cq, fid.fid);

	if (flags & ~(FI_TRANSMIT | FI_RECV | FI_SELECTIVE_COMPLETION))
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EBADFLAGS,
				    "a completion queue is bound with FI_TRANSMIT, FI_RECV and FI_SELECTIVE_COMPLETION only");
	if (!(flags & (FI_TRANSMIT | FI_RECV)))
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
				    "say FI_TRANSMIT, FI_RECV or both when binding a completion queue");
	if ((flags & FI_TRANSMIT && ep->tx.cq) || (flags & FI_RECV && ep->rx.cq))
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
				    "the endpoint has a completion queue for that direction already");
	if (cq->domain != ep->domain)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EDOMAIN,
				    "the completion queue is of another domain than the endpoint");
	if (flags & FI_TRANSMIT)
		weft_fi_half_bind(&ep->tx, cq, flags);
	if (flags & FI_RECV)
		weft_fi_half_bind(&ep->rx, cq, flags);
	return 0;
}

/**
 * weft_fi_ep_bind_av() - bind an address vector
 * @ep: endpoint, or the endpoint of a context
 * @fid: vector
 * @flags: 0
 *
 * Return: 0, -FI_EBADFLAGS, -FI_EINVAL, -FI_EDOMAIN.
 */
int weft_fi_ep_bind_av(struct weft_fi_ep *ep, struct fid *fid, uint64_t flags)
{
	struct weft_fi_av *av = weft_container(fid, struct weft_fi_av, fid.fid);

	if (flags)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EBADFLAGS,
				    "an address vector is bound without flags");
	if (ep->msg)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
				    "an FI_EP_MSG endpoint has one peer and takes no address vector");
	if (ep->av)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
				    "the endpoint has an address vector already");
	if (av->domain != ep->domain)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EDOMAIN,
				    "the address vector is of another domain than the endpoint");
	ep->av = av;
	atomic_fetch_add(&av->refs, 1);
	return 0;
}

/**
 * weft_fi_ep_bind_eq() - bind an event queue
 * @ep: endpoint, or the endpoint of a context
 * @fid: queue
 * @flags: 0
 *
 * Return: 0, -FI_EBADFLAGS, -FI_EINVAL, -FI_EDOMAIN.
 */
int weft_fi_ep_bind_eq(struct weft_fi_ep *ep, struct fid *fid, uint64_t flags)
{
	if (flags)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EBADFLAGS,
				    "an event queue is bound without flags");
	return weft_fi_cm_bind_eq(&ep->cm, ep->domain->fabric, fid);
}

static int weft_fi_ep_bind(struct fid *fid, struct fid *bfid, uint64_t flags)
{
	struct weft_fi_ep *ep = weft_fi_ep_from(fid);

	if (ep->enabled)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EOPBADSTATE,
				    "the endpoint is enabled: bind before fi_enable, fi_connect and fi_accept");
	if (!bfid)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL, "fi_ep_bind: there is no object");
	switch (bfid->fclass) {
	case FI_CLASS_CQ:
		return weft_fi_ep_bind_cq(ep, bfid, flags);
	case FI_CLASS_AV:
		return weft_fi_ep_bind_av(ep, bfid, flags);
	case FI_CLASS_EQ:
		return weft_fi_ep_bind_eq(ep, bfid, flags);
	case FI_CLASS_STX_CTX:
		return weft_fi_stx_bind(ep, bfid, flags);
	case FI_CLASS_CNTR:
		return weft_fi_cntr_bind(ep, bfid, flags);
	case FI_CLASS_SRX_CTX:
		return weft_fi_srx_bind(ep, bfid, flags);
	}
	return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
			    "an object of class %zu cannot be bound to an endpoint", bfid->fclass);
}

/**
 * weft_fi_half_ready() - test whether a half of an endpoint has the queue or counter that it needs
 * @ep: endpoint, or the endpoint of a context
 * @tx: the half that sends, or else the one that receives
 *
 * Operations of peers need none.
 *
 * Return: 0, -FI_ENOCQ.
 */
int weft_fi_half_ready(const struct weft_fi_ep *ep, bool tx)
{
	const struct weft_fi_half *half = tx ? &ep->tx : &ep->rx;
	uint64_t msg = tx ? FI_SEND : FI_RECV, rma = tx ? WEFT_FI_RMA_TX : 0;

	if ((ep->caps & msg && !half->cq && !half->counts[WEFT_FI_COUNT_MSG].cntr) ||
	    (ep->caps & rma && !weft_fi_half_told(half)))
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_ENOCQ,
				    "the endpoint or context needs a completion queue for %s, or a counter",
				    tx ? "FI_TRANSMIT" : "FI_RECV");
	if (!tx && ep->pool && ep->caps & FI_RECV && !half->cq)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_ENOCQ,
				    "buffered receives are announced in a completion queue: bind one for FI_RECV");
	return 0;
}

static int weft_fi_ep_ready(const struct weft_fi_ep *ep)
{
	int ret = weft_fi_half_ready(ep, true);

	if (!ret)
		ret = weft_fi_half_ready(ep, false);
	if (ret)
		return ret;
	if (ep->shared_tx && !ep->stx)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EOPBADSTATE,
				    "the endpoint was opened with tx_ctx_cnt FI_SHARED_CONTEXT and has none bound");
	if (ep->shared_rx && !ep->srx)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EOPBADSTATE,
				    "the endpoint was opened with rx_ctx_cnt FI_SHARED_CONTEXT and has none bound");
	return ep->msg ? weft_fi_msg_ready(ep) : weft_fi_rdm_ready(ep);
}

/* Name the endpoint in the log, as weftctl and the trace points do. */
static void weft_fi_ep_tell(const struct weft_fi_ep *ep)
{
	struct weft_sockaddr addr;
	char buf[WEFT_FI_STRADDR];

	if (fi_log_enabled(&weft_fi_prov, FI_LOG_INFO, FI_LOG_EP_CTRL) &&
	    !weft_getname(ep->cm.ep, &addr))
		FI_INFO(&weft_fi_prov, FI_LOG_EP_CTRL, "endpoint %s is enabled\n",
			weft_fi_addr_name(&addr, buf, sizeof(buf)));
}

/**
 * weft_fi_ep_enable() - start an endpoint with its bound objects
 * @ep: endpoint
 *
 * Return: 0, -FI_EOPBADSTATE (enabled already), -FI_ENOCQ, -FI_ENOAV, -FI_ENOEQ, -errno.
 */
int weft_fi_ep_enable(struct weft_fi_ep *ep)
{
	struct weft_ep_queues q = {
		.tx_cq = ep->tx.cq ? ep->tx.cq->cq : NULL,
		.rx_cq = ep->rx.cq ? ep->rx.cq->cq : NULL,
		.tx_cntr = weft_fi_half_cntr(&ep->tx, WEFT_FI_COUNT_MSG),
		.write_cntr = weft_fi_half_cntr(&ep->tx, WEFT_FI_COUNT_WRITE),
		.read_cntr = weft_fi_half_cntr(&ep->tx, WEFT_FI_COUNT_READ),
		.rx_cntr = weft_fi_half_cntr(&ep->rx, WEFT_FI_COUNT_MSG),
		.remote_write_cntr = weft_fi_half_cntr(&ep->rx, WEFT_FI_COUNT_WRITE),
		.remote_read_cntr = weft_fi_half_cntr(&ep->rx, WEFT_FI_COUNT_READ),
		.av = ep->av ? ep->av->av : NULL,
		.srq = ep->srx ? ep->srx->srq : NULL,
	};
	int ret;

	if (ep->enabled)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EOPBADSTATE, "it is enabled already");
	ret = weft_fi_ep_ready(ep);
	if (!ret && ep->cm.eq)
		ret = weft_fi_eq_port(ep->cm.eq, ep->cm.port, &q.eq);
	if (ret)
		return ret;
	ret = weft_ep_enable_all(ep->cm.ep, &q);
	if (ret)
		return weft_fi_fail(FI_LOG_EP_CTRL, ret, "the endpoint is not enabled: %s%s",
				    fi_strerror(-ret), ret == -EADDRINUSE ?
				    "; choose another service, or none" : "");
	if (ep->av && (ep->av->bits || ep->av->shared) && ep->rx.cq)
		atomic_store(&ep->rx.cq->look, true);
	ep->enabled = true;
	weft_fi_ep_tell(ep);
	weft_fi_half_on(&ep->tx, weft_fi_half_told(&ep->tx));
	/* an endpoint that shares receives posts none */
	weft_fi_half_on(&ep->rx, !ep->srx && (ep->rx.cq ||
					      ep->rx.counts[WEFT_FI_COUNT_MSG].cntr));
	if (ep->srx)
		weft_fi_srx_enabled(ep);
	return ep->pool && ep->rx.cq ? weft_fi_buf_start(ep, &ep->self.fid) : 0;
}

static struct fi_ops weft_fi_ep_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = weft_fi_ep_close,
	.bind = weft_fi_ep_bind,
	.control = weft_fi_ep_control,
	.ops_open = weft_fi_no_ops_open,
	.tostr = weft_fi_no_tostr,
	.ops_set = weft_fi_no_ops_set,
};

static uint32_t weft_fi_slots(const struct weft_fi_ep *ep, size_t slots)
{
	uint32_t most = ep->domain->port->q.max_ring;

	if (slots < WEFT_FI_SLOTS_MIN)
		return WEFT_FI_SLOTS_MIN;
	return slots < most ? slots : most;
}

/* Set up buffered receives if requested. Return: 0, -FI_EINVAL (conflict), -FI_ENOMEM. */
static int weft_fi_ep_buffered(struct weft_fi_ep *ep, const struct fi_info *info)
{
	if (ep->dgram || !(info->mode & WEFT_FI_BUFFERED_RECV || ep->caps & FI_VARIABLE_MSG))
		return 0;
	if (ep->shared_rx)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
				    "buffered receives do not come from a shared context: clear FI_BUFFERED_RECV and FI_VARIABLE_MSG");
	if (ep->caps & FI_SOURCE_ERR)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
				    "announcements have no room for the sender's address: clear FI_SOURCE_ERR, or FI_BUFFERED_RECV and FI_VARIABLE_MSG");
	return weft_fi_buf_new(ep);
}

/* Buffers begin with space that the program leaves for the provider, which does not use it. */
static int weft_fi_ep_prefix(struct weft_fi_ep *ep, const struct fi_info *info)
{
	size_t size = info->ep_attr->msg_prefix_size;

	if (!(info->mode & FI_MSG_PREFIX))
		return 0;
	if (!size || size % WEFT_FI_PREFIX || size > WEFT_FI_PREFIX_MAX || ep->shared_rx)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
				    "FI_MSG_PREFIX: msg_prefix_size is a multiple of %d up to %d, and there is no shared receive context",
				    WEFT_FI_PREFIX, WEFT_FI_PREFIX_MAX);
	ep->prefix = size;
	return 0;
}

/* Copy the settings of the fi_info into the endpoint. */
static int weft_fi_ep_init(struct weft_fi_ep *ep, const struct fi_info *info)
{
	const struct weft_ioc_query *q = &ep->domain->port->q;
	const struct fi_tx_attr *tx = info->tx_attr;
	const struct fi_rx_attr *rx = info->rx_attr;
	const char *name = info->domain_attr ? info->domain_attr->name : NULL;
	int ret;

	if (name && strcasecmp(name, q->name))
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
				    "the fi_info is of domain %s, the endpoint is opened in %s",
				    name, q->name);
	switch (info->ep_attr->type) {
	case FI_EP_MSG:
		ep->msg = true;
		break;
	case FI_EP_RDM:
		break;
	case FI_EP_DGRAM:
		ep->dgram = true;
		break;
	default:
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
				    "endpoints are of type FI_EP_RDM, FI_EP_MSG or FI_EP_DGRAM");
	}
	ep->shared_tx = info->ep_attr->tx_ctx_cnt == FI_SHARED_CONTEXT;
	ep->shared_rx = info->ep_attr->rx_ctx_cnt == FI_SHARED_CONTEXT;
	ep->caps = info->caps ? info->caps : FI_MSG | FI_TAGGED;
	if (ep->dgram)
		ep->caps &= ~(FI_TAGGED | WEFT_FI_ONESIDED);
	ep->caps = weft_fi_caps_whole(ep->caps);
	ep->directed = !ep->msg && ep->caps & FI_DIRECTED_RECV;
	ep->ordered = ((tx ? tx->msg_order : 0) | (rx ? rx->msg_order : 0)) & FI_ORDER_SAW;
	ep->max_msg = ep->dgram ? q->max_dgram : q->max_msg;
	if (ep->caps & FI_VARIABLE_MSG)
		ep->max_msg = INT64_MAX;
	ep->inject = q->max_inline;
	ep->iov_limit = q->max_iov;
	ep->min_multi_recv = WEFT_FI_MULTI_MIN;
	ep->tx_size = tx && tx->size ? tx->size : WEFT_FI_SIZE;
	ep->rx_size = rx && rx->size ? rx->size : WEFT_FI_SIZE;
	ep->send_flags = WEFT_FI_SEND_FLAGS & ~(ep->dgram ? WEFT_FI_ANSWERED : 0);
	if (!ep->dgram)
		ep->caps &= ~FI_MULTICAST;
	if (!(q->caps & WEFT_CAP_TRIGGER))
		ep->caps &= ~FI_TRIGGER;
	/* flag and capability are the same bit */
	ep->send_flags |= ep->caps & (FI_FENCE | FI_MULTICAST | FI_TRIGGER);
	ep->self.tx_flags = weft_fi_tx_flags(ep, tx ? tx->op_flags & ep->send_flags : 0);
	ep->self.rx_flags = rx ? rx->op_flags & WEFT_FI_RX_OP_FLAGS : 0;
	ret = weft_fi_ep_prefix(ep, info);
	return ret ? ret : weft_fi_ep_buffered(ep, info);
}

/*
 * Resolve the handle of a fi_info. It is a connection request to be accepted, or a passive endpoint
 * whose address the endpoint takes over. That passive endpoint is closed, or does not listen.
 */
static int weft_fi_ep_claim(struct weft_fi_ep *ep, const struct fi_info *info,
			    struct weft_ep_attr *attr)
{
	struct weft_fi_port *port = ep->domain->port;

	if (!info->handle)
		return 0;
	if (!ep->msg)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
				    "a handle in the fi_info is for FI_EP_MSG only: clear it");
	if (weft_fi_pep_name(port, info->handle, &attr->addr))
		return 0;
	if (!weft_fi_req_claim(port, info->handle, ep))
		return 0;
	return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
			    "the handle in the fi_info is no connection request that waits, nor a passive endpoint of %s",
			    port->q.name);
}

/**
 * weft_fi_face_init() - initialise a handle for the program
 * @face: the handle
 * @ep: its endpoint
 * @fclass: FI_CLASS_*
 * @context: the program's context
 * @ops: its calls
 */
void weft_fi_face_init(struct weft_fi_face *face, struct weft_fi_ep *ep, size_t fclass,
		       void *context, struct fi_ops *ops)
{
	weft_fi_fid_init(&face->fid.fid, fclass, context, ops);
	face->ep = ep;
	face->fid.ops = &weft_fi_ep_ops;
	face->fid.cm = ep->msg ? &weft_fi_msg_cm_ops : &weft_fi_rdm_cm_ops;
	face->fid.msg = ep->caps & FI_MSG ? &weft_fi_msg_ops : &weft_fi_no_msg_ops;
	face->fid.tagged = ep->caps & FI_TAGGED ? &weft_fi_tagged_ops : &weft_fi_no_tagged_ops;
	if (ep->pool)
		weft_fi_buf_calls(ep, &face->fid);
	face->fid.rma = &weft_fi_rma_ops;
	face->fid.atomic = &weft_fi_atomic_ops;
	face->fid.collective = &weft_fi_no_collective_ops;
}

/* Create the kernel's endpoint. @attr: has the address, if known. */
static int weft_fi_ep_make(struct weft_fi_ep *ep, const struct fi_info *info,
			   struct weft_ep_attr *attr)
{
	int ret;

	attr->type = ep->msg ? WEFT_EP_MSG : ep->dgram ? WEFT_EP_DGRAM : WEFT_EP_RDM;
	attr->flags = ep->directed ? WEFT_EPF_DIRECTED : 0;
	if (ep->caps & FI_FENCE)
		attr->flags |= WEFT_EPF_FENCE;
	if (ep->caps & FI_VARIABLE_MSG)
		attr->flags |= WEFT_EPF_VARIABLE;
	if (ep->caps & FI_SOURCE_ERR && !ep->msg)
		attr->flags |= WEFT_EPF_SOURCE;
	if (ep->caps & WEFT_FI_RMA_TX)
		attr->flags |= WEFT_EPF_RMA;
	if (ep->caps & FI_REMOTE_READ)
		attr->flags |= WEFT_EPF_REMOTE_READ;
	if (ep->caps & FI_REMOTE_WRITE)
		attr->flags |= WEFT_EPF_REMOTE_WRITE;
	if (ep->ordered && ep->caps & FI_REMOTE_WRITE)
		attr->flags |= WEFT_EPF_ORDERED;
	attr->zone = ep->domain->zone;
	ret = weft_fi_key_attr(attr, ep->domain->fabric, info->ep_attr, ep->domain->key,
			       ep->domain->key_size);
	if (ret)
		return ret;
	attr->sq_slots = weft_fi_slots(ep, ep->tx_size * WEFT_FI_SQ_RATIO);
	if (ep->shared_rx)
		attr->flags |= WEFT_EPF_SRQ;
	else
		attr->rq_slots = weft_fi_slots(ep, ep->pool ? weft_fi_buf_ring(ep) : ep->rx_size);
	return weft_fi_cm_open(&ep->cm, &ep->self.fid.fid, ep->domain->port, info, attr);
}

/**
 * weft_fi_ep_renew() - replace the kernel's endpoint of an endpoint
 * @ep: endpoint that has moved no messages; only completion queues stay bound
 * @info: as for weft_fi_ep_new()
 *
 * Return: 0, -errno.
 */
int weft_fi_ep_renew(struct weft_fi_ep *ep, const struct fi_info *info)
{
	struct weft_ep_attr attr = {};
	int ret;

	ret = weft_fi_cm_close(&ep->cm);
	if (ret)
		return ret;
	ep->cm.eq = NULL;
	ep->enabled = false;
	if (ep->av)
		atomic_fetch_sub(&ep->av->refs, 1);
	ep->av = NULL;
	return weft_fi_ep_make(ep, info, &attr);
}

/**
 * weft_fi_ep_new() - create an endpoint that is not enabled
 * @dom: its domain
 * @info: as for weft_fi_endpoint()
 * @context: the program's context
 * @ep: out
 *
 * Return: 0, -FI_EINVAL, -FI_ENOMEM, -errno.
 */
int weft_fi_ep_new(struct weft_fi_domain *dom, const struct fi_info *info, void *context,
		   struct weft_fi_ep **ep)
{
	struct weft_ep_attr attr = {};
	struct weft_fi_ep *e;
	int ret;

	e = calloc(1, sizeof(*e));
	if (!e)
		return -FI_ENOMEM;
	e->domain = dom;
	e->cm.port = dom->port;
	e->tx.ep = e;
	e->rx.ep = e;
	ret = weft_fi_ep_init(e, info);
	if (!ret)
		ret = weft_fi_ep_claim(e, info, &attr);
	if (ret) {
		free(e->pool);
		free(e);
		return ret;
	}
	weft_fi_face_init(&e->self, e, FI_CLASS_EP, context, &weft_fi_ep_fid_ops);
	ret = weft_fi_ep_make(e, info, &attr);
	if (ret) {
		weft_fi_req_drop(e, false);
		free(e->pool);
		free(e);
		return ret;
	}
	weft_fi_lock_init(&e->tx.lock, dom->locking);
	weft_fi_lock_init(&e->rx.lock, dom->locking);
	pthread_mutex_init(&e->draft_lock, NULL);
	atomic_fetch_add(&dom->refs, 1);
	*ep = e;
	return 0;
}

static bool weft_fi_many(size_t count)
{
	return count > 1 && count != FI_SHARED_CONTEXT;
}

/**
 * weft_fi_endpoint() - see fi_endpoint(3)
 * @domain: open domain
 * @info: from fi_getinfo, or from FI_CONNREQ for an endpoint that accepts the request
 * @ep: out
 * @context: the program's context
 *
 * Return: 0, -FI_EINVAL, -FI_ENOMEM, -errno.
 */
int weft_fi_endpoint(struct fid_domain *domain, struct fi_info *info, struct fid_ep **ep,
		     void *context)
{
	struct weft_fi_ep *e;
	int ret;

	if (!info || !info->ep_attr || !ep)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
				    "fi_endpoint needs a fi_info with ep_attr, and where to put the endpoint");
	if (weft_fi_many(info->ep_attr->tx_ctx_cnt) || weft_fi_many(info->ep_attr->rx_ctx_cnt))
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
				    "several contexts are opened with fi_scalable_ep");
	ret = weft_fi_ep_new(weft_container(domain, struct weft_fi_domain, fid), info, context,
			     &e);
	if (!ret)
		*ep = &e->self.fid;
	return ret;
}
