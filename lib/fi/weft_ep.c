// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_ep.c - active endpoints: making, binding, enabling, options, closing
 *
 *   open --fi_ep_bind--> open --fi_enable (fi_connect, fi_accept)--> enabled --fi_close--> gone
 *
 * Queues and vectors are bound to it in the first state only, messages move in the second only.
 */
#include <strings.h>

#include "weft_fi.h"

#define WEFT_FI_SLOTS_MIN	64	/* of a ring: room for the longest entry, four times */

static void weft_fi_half_unbind(struct weft_fi_half *half)
{
	struct weft_fi_cq *cq = half->cq;
	struct weft_fi_bound **link;

	if (!cq)
		return;
	pthread_mutex_lock(&cq->eps_lock);
	for (link = &cq->eps; *link != &half->bound; link = &(*link)->next)
		;
	*link = half->bound.next;
	pthread_mutex_unlock(&cq->eps_lock);
	atomic_fetch_sub(&cq->refs, 1);
	half->cq = NULL;
}

static void weft_fi_half_bind(struct weft_fi_ep *ep, struct weft_fi_half *half,
			      struct weft_fi_cq *cq, uint64_t flags)
{
	half->cq = cq;
	half->selective = flags & FI_SELECTIVE_COMPLETION;
	half->bound.ep = ep;
	atomic_fetch_add(&cq->refs, 1);
	pthread_mutex_lock(&cq->eps_lock);
	half->bound.next = cq->eps;
	cq->eps = &half->bound;
	pthread_mutex_unlock(&cq->eps_lock);
}

/* ring for what FI_MORE holds back */
void weft_fi_ep_flush(struct weft_fi_ep *ep)
{
	weft_fi_lock(&ep->tx.lock);
	if (ep->tx.held) {
		ep->tx.held = 0;
		weft_flush_send(ep->cm.ep);
	}
	weft_fi_unlock(&ep->tx.lock);
	weft_fi_lock(&ep->rx.lock);
	if (ep->rx.held) {
		ep->rx.held = 0;
		weft_flush_recv(ep->cm.ep);
	}
	weft_fi_unlock(&ep->rx.lock);
}

static int weft_fi_ep_close(struct fid *fid)
{
	struct weft_fi_ep *ep = weft_container(fid, struct weft_fi_ep, fid.fid);
	struct weft_fi_cq *cq = ep->rx.cq;
	int ret;

	weft_fi_ep_flush(ep);
	weft_fi_half_unbind(&ep->tx);
	weft_fi_half_unbind(&ep->rx);
	ret = weft_fi_cm_close(&ep->cm);
	if (ret)
		return ret;
	/* its buffers are the program's again, its completions may still be read */
	if (cq) {
		weft_fi_lock(&cq->lock);
		weft_cq_settle(cq->cq);
		weft_fi_unlock(&cq->lock);
	}
	if (ep->av)
		atomic_fetch_sub(&ep->av->refs, 1);
	weft_fi_req_drop(ep, false);
	weft_fi_lock_fini(&ep->tx.lock);
	weft_fi_lock_fini(&ep->rx.lock);
	atomic_fetch_sub(&ep->domain->refs, 1);
	free(ep);
	return 0;
}

static int weft_fi_ep_bind_cq(struct weft_fi_ep *ep, struct fid *fid, uint64_t flags)
{
	struct weft_fi_cq *cq = weft_container(fid, struct weft_fi_cq, fid.fid);

	if (flags & ~(FI_TRANSMIT | FI_RECV | FI_SELECTIVE_COMPLETION))
		return -FI_EBADFLAGS;
	if (!(flags & (FI_TRANSMIT | FI_RECV)) || (flags & FI_TRANSMIT && ep->tx.cq) ||
	    (flags & FI_RECV && ep->rx.cq))
		return -FI_EINVAL;
	if (cq->domain != ep->domain)
		return -FI_EDOMAIN;
	if (flags & FI_TRANSMIT)
		weft_fi_half_bind(ep, &ep->tx, cq, flags);
	if (flags & FI_RECV)
		weft_fi_half_bind(ep, &ep->rx, cq, flags);
	return 0;
}

static int weft_fi_ep_bind_av(struct weft_fi_ep *ep, struct fid *fid)
{
	struct weft_fi_av *av = weft_container(fid, struct weft_fi_av, fid.fid);

	if (ep->msg || ep->av)
		return -FI_EINVAL;
	if (av->domain != ep->domain)
		return -FI_EDOMAIN;
	ep->av = av;
	atomic_fetch_add(&av->refs, 1);
	return 0;
}

static int weft_fi_ep_bind(struct fid *fid, struct fid *bfid, uint64_t flags)
{
	struct weft_fi_ep *ep = weft_container(fid, struct weft_fi_ep, fid.fid);

	if (ep->enabled)
		return -FI_EOPBADSTATE;
	switch (bfid->fclass) {
	case FI_CLASS_CQ:
		return weft_fi_ep_bind_cq(ep, bfid, flags);
	case FI_CLASS_AV:
		return weft_fi_ep_bind_av(ep, bfid);
	case FI_CLASS_EQ:
		return weft_fi_cm_bind_eq(&ep->cm, ep->domain->fabric, bfid);
	case FI_CLASS_CNTR:
	case FI_CLASS_SRX_CTX:
	case FI_CLASS_STX_CTX:
		return -FI_ENOSYS;
	}
	return -FI_EINVAL;
}

/**
 * weft_fi_ep_enable() - make an endpoint work with what is bound to it
 * @ep: endpoint
 *
 * Return: 0, -FI_EOPBADSTATE (it works already), -FI_ENOCQ, -FI_ENOAV, -FI_ENOEQ, -errno.
 */
int weft_fi_ep_enable(struct weft_fi_ep *ep)
{
	struct weft_eq *eq = NULL;
	int ret;

	if (ep->enabled)
		return -FI_EOPBADSTATE;
	if ((ep->caps & FI_SEND && !ep->tx.cq) || (ep->caps & FI_RECV && !ep->rx.cq))
		return -FI_ENOCQ;
	ret = ep->msg ? weft_fi_msg_ready(ep) : weft_fi_rdm_ready(ep);
	if (!ret && ep->cm.eq)
		ret = weft_fi_eq_port(ep->cm.eq, ep->cm.port, &eq);
	if (ret)
		return ret;
	ret = weft_ep_enable(ep->cm.ep, ep->tx.cq ? ep->tx.cq->cq : NULL,
			     ep->rx.cq ? ep->rx.cq->cq : NULL, eq, ep->av ? ep->av->av : NULL);
	if (!ret)
		ep->enabled = true;
	return ret;
}

/* FI_TRANSMIT or FI_RECV among the flags says which half is meant */
static int weft_fi_ep_opsflag(struct weft_fi_ep *ep, uint64_t *flags, bool set)
{
	uint64_t dir = *flags & (FI_TRANSMIT | FI_RECV);
	struct weft_fi_half *half = dir == FI_TRANSMIT ? &ep->tx : &ep->rx;
	uint64_t known = dir == FI_TRANSMIT ? WEFT_FI_TX_OP_FLAGS : WEFT_FI_RX_OP_FLAGS;

	if (dir != FI_TRANSMIT && dir != FI_RECV)
		return -FI_EINVAL;
	if (!set) {
		*flags = half->op_flags;
		return 0;
	}
	if (*flags & ~(known | dir))
		return -FI_EBADFLAGS;
	half->op_flags = *flags & ~dir;
	if (dir == FI_TRANSMIT && !(half->op_flags & WEFT_FI_LEVELS))
		half->op_flags |= FI_INJECT_COMPLETE;
	return 0;
}

static int weft_fi_ep_control(struct fid *fid, int command, void *arg)
{
	struct weft_fi_ep *ep = weft_container(fid, struct weft_fi_ep, fid.fid);

	switch (command) {
	case FI_ENABLE:
		return weft_fi_ep_enable(ep);
	case FI_GETOPSFLAG:
		return arg ? weft_fi_ep_opsflag(ep, arg, false) : -FI_EINVAL;
	case FI_SETOPSFLAG:
		return arg ? weft_fi_ep_opsflag(ep, arg, true) : -FI_EINVAL;
	}
	return -FI_ENOSYS;
}

static ssize_t weft_fi_ep_cancel(fid_t fid, void *context)
{
	struct weft_fi_ep *ep = weft_container(fid, struct weft_fi_ep, fid.fid);
	ssize_t ret;

	if (!ep->enabled)
		return -FI_EOPBADSTATE;
	if (!context || !ep->rx.cq)
		return 0;
	weft_fi_lock(&ep->rx.lock);
	ret = weft_cancel(ep->cm.ep, (uintptr_t)context);
	weft_fi_unlock(&ep->rx.lock);
	return ret;
}

static int weft_fi_ep_getopt(fid_t fid, int level, int optname, void *optval, size_t *optlen)
{
	struct weft_fi_ep *ep = weft_container(fid, struct weft_fi_ep, fid.fid);

	if (level != FI_OPT_ENDPOINT)
		return -FI_ENOPROTOOPT;
	switch (optname) {
	case FI_OPT_CM_DATA_SIZE:
		return weft_fi_cm_getopt(optval, optlen, ep->cm.port->q.cm_data);
	case FI_OPT_MIN_MULTI_RECV:
		return weft_fi_cm_getopt(optval, optlen, ep->min_multi_recv);
	}
	return -FI_ENOPROTOOPT;
}

static int weft_fi_ep_setopt(fid_t fid, int level, int optname, const void *optval,
			     size_t optlen)
{
	struct weft_fi_ep *ep = weft_container(fid, struct weft_fi_ep, fid.fid);

	if (level != FI_OPT_ENDPOINT || optname != FI_OPT_MIN_MULTI_RECV)
		return -FI_ENOPROTOOPT;
	if (optlen < sizeof(ep->min_multi_recv))
		return -FI_EINVAL;
	memcpy(&ep->min_multi_recv, optval, sizeof(ep->min_multi_recv));
	return 0;
}

static ssize_t weft_fi_rx_size_left(struct fid_ep *fid)
{
	struct weft_fi_ep *ep = weft_container(fid, struct weft_fi_ep, fid);
	ssize_t room;

	if (!ep->enabled)
		return -FI_EOPBADSTATE;
	weft_fi_lock(&ep->rx.lock);
	room = weft_recv_room(ep->cm.ep);
	weft_fi_unlock(&ep->rx.lock);
	return room;
}

static ssize_t weft_fi_tx_size_left(struct fid_ep *fid)
{
	struct weft_fi_ep *ep = weft_container(fid, struct weft_fi_ep, fid);
	ssize_t room;

	if (!ep->enabled)
		return -FI_EOPBADSTATE;
	weft_fi_lock(&ep->tx.lock);
	room = weft_send_room(ep->cm.ep) / WEFT_FI_SQ_RATIO;
	weft_fi_unlock(&ep->tx.lock);
	return room;
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

static struct fi_ops_ep weft_fi_ep_ops = {
	.size = sizeof(struct fi_ops_ep),
	.cancel = weft_fi_ep_cancel,
	.getopt = weft_fi_ep_getopt,
	.setopt = weft_fi_ep_setopt,
	.tx_ctx = weft_fi_no_tx_ctx,
	.rx_ctx = weft_fi_no_rx_ctx,
	.rx_size_left = weft_fi_rx_size_left,
	.tx_size_left = weft_fi_tx_size_left,
};

static uint32_t weft_fi_slots(const struct weft_fi_ep *ep, size_t slots)
{
	uint32_t most = ep->domain->port->q.max_ring;

	if (slots < WEFT_FI_SLOTS_MIN)
		return WEFT_FI_SLOTS_MIN;
	return slots < most ? slots : most;
}

/* what the endpoint takes over from its fi_info */
static int weft_fi_ep_init(struct weft_fi_ep *ep, const struct fi_info *info)
{
	const struct weft_ioc_query *q = &ep->domain->port->q;
	const struct fi_tx_attr *tx = info->tx_attr;
	const struct fi_rx_attr *rx = info->rx_attr;
	const char *name = info->domain_attr ? info->domain_attr->name : NULL;

	if (!info->ep_attr || (name && strcasecmp(name, q->name)))
		return -FI_EINVAL;
	switch (info->ep_attr->type) {
	case FI_EP_MSG:
		ep->msg = true;
		break;
	case FI_EP_RDM:
		break;
	default:
		return -FI_EINVAL;
	}
	if (info->ep_attr->tx_ctx_cnt > 1 || info->ep_attr->rx_ctx_cnt > 1)
		return -FI_ENOSYS;
	ep->caps = info->caps ? info->caps : FI_MSG | FI_TAGGED;
	if (!(ep->caps & (FI_SEND | FI_RECV)))
		ep->caps |= FI_SEND | FI_RECV;
	ep->directed = !ep->msg && ep->caps & FI_DIRECTED_RECV;
	ep->max_msg = q->max_msg;
	ep->inject = q->max_inline;
	ep->iov_limit = q->max_iov;
	ep->tx_size = tx && tx->size ? tx->size : WEFT_FI_SIZE;
	ep->rx_size = rx && rx->size ? rx->size : WEFT_FI_SIZE;
	ep->tx.op_flags = tx ? tx->op_flags & WEFT_FI_TX_OP_FLAGS : 0;
	if (!(ep->tx.op_flags & WEFT_FI_LEVELS))
		ep->tx.op_flags |= FI_INJECT_COMPLETE;
	ep->rx.op_flags = rx ? rx->op_flags & WEFT_FI_RX_OP_FLAGS : 0;
	return 0;
}

static int weft_fi_ep_claim(struct weft_fi_ep *ep, const struct fi_info *info)
{
	if (!info->handle)
		return 0;
	if (!ep->msg)
		return -FI_EINVAL;
	return weft_fi_req_claim(ep->domain->port, info->handle, ep);
}

/**
 * weft_fi_endpoint() - see fi_endpoint(3)
 * @domain: open domain
 * @info: from fi_getinfo, or from FI_CONNREQ: then the endpoint is to accept that request
 * @ep: out
 * @context: of the program
 *
 * Return: 0, -FI_EINVAL, -FI_ENOSYS, -FI_ENOMEM, -errno.
 */
int weft_fi_endpoint(struct fid_domain *domain, struct fi_info *info, struct fid_ep **ep,
		     void *context)
{
	struct weft_fi_domain *dom = weft_container(domain, struct weft_fi_domain, fid);
	struct weft_ep_attr attr = { .type = WEFT_EP_RDM };
	struct weft_fi_ep *e;
	int ret;

	e = calloc(1, sizeof(*e));
	if (!e)
		return -FI_ENOMEM;
	e->domain = dom;
	e->cm.port = dom->port;
	ret = weft_fi_ep_init(e, info);
	if (!ret)
		ret = weft_fi_ep_claim(e, info);
	if (ret) {
		free(e);
		return ret;
	}
	if (e->msg)
		attr.type = WEFT_EP_MSG;
	if (e->directed)
		attr.flags = WEFT_EPF_DIRECTED;
	attr.sq_slots = weft_fi_slots(e, e->tx_size * WEFT_FI_SQ_RATIO);
	attr.rq_slots = weft_fi_slots(e, e->rx_size);
	ret = weft_fi_cm_open(&e->cm, &e->fid.fid, dom->port, info, &attr);
	if (ret) {
		weft_fi_req_drop(e, false);
		free(e);
		return ret;
	}
	weft_fi_fid_init(&e->fid.fid, FI_CLASS_EP, context, &weft_fi_ep_fid_ops);
	e->fid.ops = &weft_fi_ep_ops;
	e->fid.cm = e->msg ? &weft_fi_msg_cm_ops : &weft_fi_rdm_cm_ops;
	e->fid.msg = e->caps & FI_MSG ? &weft_fi_msg_ops : &weft_fi_no_msg_ops;
	e->fid.tagged = e->caps & FI_TAGGED ? &weft_fi_tagged_ops : &weft_fi_no_tagged_ops;
	e->fid.rma = &weft_fi_no_rma_ops;
	e->fid.atomic = &weft_fi_no_atomic_ops;
	e->fid.collective = &weft_fi_no_collective_ops;
	weft_fi_lock_init(&e->tx.lock, dom->locking);
	weft_fi_lock_init(&e->rx.lock, dom->locking);
	atomic_fetch_add(&dom->refs, 1);
	*ep = &e->fid;
	return 0;
}
