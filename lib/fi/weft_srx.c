// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_srx.c - shared receive contexts: one receive queue for several endpoints
 *
 * The queue is a kernel object. Endpoints that were opened with rx_ctx_cnt FI_SHARED_CONTEXT name
 * it when they are enabled, and have no queue of their own. A completion appears in the completion
 * queue of the endpoint that received the message. No queue can be bound to the context with
 * FI_SELECTIVE_COMPLETION, so all of its receives complete. The release of a multi-receive buffer
 * appears in the queue of the endpoint whose message ends last.
 *
 * Canceled receives complete in the queue that was bound to the context. Without one they complete
 * in that of the endpoint that was enabled first.
 *
 * FI_MORE is accepted and defers nothing.
 */
#include "weft_fi.h"

#define WEFT_FI_SRX_FLAGS	(WEFT_FI_RX_OP_FLAGS | FI_DELIVERY_COMPLETE | FI_MORE)

static struct weft_fi_srx *weft_fi_srx_of(struct fid_ep *fid)
{
	return weft_container(fid, struct weft_fi_srx, fid);
}

/* ---- Receives ---- */

static int weft_fi_srx_source(const struct weft_fi_srx *srx, fi_addr_t addr, uint32_t *src)
{
	*src = WEFT_SRC_ANY;
	if (!srx->directed || addr == FI_ADDR_UNSPEC)
		return 0;
	return srx->av && weft_fi_av_index(srx->av, addr, src) ? 0 : weft_fi_rdm_unknown(addr);
}

static ssize_t weft_fi_srx_recv(struct weft_fi_srx *srx, const struct weft_fi_op *op)
{
	bool multi = op->flags & FI_MULTI_RECV;
	uint32_t src;
	int ret;

	if (op->flags & ~WEFT_FI_SRX_FLAGS || (multi && op->tagged))
		return weft_fi_refused(op->flags, op->count, -FI_EBADFLAGS);
	if (op->count > srx->iov_limit || (op->count && !op->iov) ||
	    (multi && (op->count != 1 || !op->iov->iov_len ||
		       op->iov->iov_len < srx->min_multi_recv)))
		return weft_fi_refused(op->flags, op->count, -FI_EINVAL);
	ret = weft_fi_srx_source(srx, op->peer, &src);
	if (ret)
		return ret;
	weft_fi_lock(&srx->lock);
	if (op->tagged)
		ret = weft_srq_trecvv(srx->srq, op->iov, op->count, src, op->tag, op->ignore,
				      (uintptr_t)op->context, WEFT_RQ_COMPLETION);
	else if (multi)
		ret = weft_srq_recv_multi(srx->srq, op->iov->iov_base, op->iov->iov_len,
					  srx->min_multi_recv, src, (uintptr_t)op->context,
					  WEFT_RQ_COMPLETION);
	else
		ret = weft_srq_recvv(srx->srq, op->iov, op->count, src,
				     (uintptr_t)op->context, WEFT_RQ_COMPLETION);
	weft_fi_unlock(&srx->lock);
	return ret;
}

static ssize_t weft_fi_srx_recvmsg(struct fid_ep *ep, const struct fi_msg *msg, uint64_t flags)
{
	struct weft_fi_op op = { .flags = flags };

	if (!msg)
		return weft_fi_refused(flags, 0, -FI_EINVAL);
	op.iov = msg->msg_iov;
	op.count = msg->iov_count;
	op.peer = msg->addr;
	op.context = msg->context;
	return weft_fi_srx_recv(weft_fi_srx_of(ep), &op);
}

static ssize_t weft_fi_srx_recvv(struct fid_ep *ep, const struct iovec *iov, void **desc,
				 size_t count, fi_addr_t src_addr, void *context)
{
	struct weft_fi_srx *srx = weft_fi_srx_of(ep);
	struct weft_fi_op op = {
		.iov = iov,
		.count = count,
		.peer = src_addr,
		.context = context,
		.flags = srx->flags,
	};

	return weft_fi_srx_recv(srx, &op);
}

static ssize_t weft_fi_srx_recv_one(struct fid_ep *ep, void *buf, size_t len, void *desc,
				    fi_addr_t src_addr, void *context)
{
	struct iovec iov = { .iov_base = buf, .iov_len = len };

	return weft_fi_srx_recvv(ep, &iov, NULL, 1, src_addr, context);
}

static ssize_t weft_fi_srx_trecvmsg(struct fid_ep *ep, const struct fi_msg_tagged *msg,
				    uint64_t flags)
{
	struct weft_fi_op op = { .flags = flags, .tagged = true };

	if (!msg)
		return weft_fi_refused(flags, 0, -FI_EINVAL);
	if (flags & WEFT_FI_PEEK_FLAGS)
		return weft_fi_fail(FI_LOG_EP_DATA, -FI_EOPNOTSUPP,
				    "fi_trecvmsg: a shared receive context has no FI_PEEK, FI_CLAIM, FI_DISCARD");
	op.iov = msg->msg_iov;
	op.count = msg->iov_count;
	op.peer = msg->addr;
	op.context = msg->context;
	op.tag = msg->tag;
	op.ignore = msg->ignore;
	return weft_fi_srx_recv(weft_fi_srx_of(ep), &op);
}

static ssize_t weft_fi_srx_trecvv(struct fid_ep *ep, const struct iovec *iov, void **desc,
				  size_t count, fi_addr_t src_addr, uint64_t tag,
				  uint64_t ignore, void *context)
{
	struct weft_fi_srx *srx = weft_fi_srx_of(ep);
	struct weft_fi_op op = {
		.iov = iov,
		.count = count,
		.peer = src_addr,
		.context = context,
		.flags = srx->flags & ~FI_MULTI_RECV,
		.tagged = true,
		.tag = tag,
		.ignore = ignore,
	};

	return weft_fi_srx_recv(srx, &op);
}

static ssize_t weft_fi_srx_trecv(struct fid_ep *ep, void *buf, size_t len, void *desc,
				 fi_addr_t src_addr, uint64_t tag, uint64_t ignore, void *context)
{
	struct iovec iov = { .iov_base = buf, .iov_len = len };

	return weft_fi_srx_trecvv(ep, &iov, NULL, 1, src_addr, tag, ignore, context);
}

/* ---- Life ---- */

static int weft_fi_srx_close(struct fid *fid)
{
	struct weft_fi_srx *srx = weft_container(fid, struct weft_fi_srx, fid.fid);
	int ret;

	if (atomic_load(&srx->refs))
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EBUSY,
				    "endpoints use the shared receive context: close them first");
	ret = weft_srq_destroy(srx->srq);
	if (ret)
		return ret;
	if (srx->cq)
		atomic_fetch_sub(&srx->cq->refs, 1);
	weft_fi_lock_fini(&srx->lock);
	atomic_fetch_sub(&srx->domain->refs, 1);
	free(srx);
	return 0;
}

static int weft_fi_srx_bind_cq(struct fid *fid, struct fid *bfid, uint64_t flags)
{
	struct weft_fi_srx *srx = weft_container(fid, struct weft_fi_srx, fid.fid);
	struct weft_fi_cq *cq = weft_container(bfid, struct weft_fi_cq, fid.fid);

	if (!bfid || bfid->fclass != FI_CLASS_CQ || flags != FI_RECV)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
				    "only a completion queue is bound to a shared receive context, with FI_RECV");
	if (srx->cq || cq->domain != srx->domain)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
				    "the shared receive context has a queue, or that is of another domain");
	srx->cq = cq;
	atomic_fetch_add(&cq->refs, 1);
	return 0;
}

static ssize_t weft_fi_srx_cancel(fid_t fid, void *context)
{
	struct weft_fi_srx *srx = weft_container(fid, struct weft_fi_srx, fid.fid);
	struct weft_fi_cq *cq;
	int ret;

	if (!context)
		return 0;
	weft_fi_lock(&srx->lock);
	cq = srx->cq ? srx->cq : srx->first;
	ret = cq ? weft_srq_cancel(srx->srq, cq->cq, (uintptr_t)context) : -FI_EOPBADSTATE;
	weft_fi_unlock(&srx->lock);
	if (ret == -FI_EOPBADSTATE)
		weft_fi_fail(FI_LOG_EP_DATA, ret,
			     "fi_cancel: no queue to tell of it: bind one to the shared receive context, or enable an endpoint");
	return ret;
}

static ssize_t weft_fi_srx_size_left(struct fid_ep *fid)
{
	struct weft_fi_srx *srx = weft_fi_srx_of(fid);
	ssize_t room;

	weft_fi_lock(&srx->lock);
	room = weft_srq_space(srx->srq);
	weft_fi_unlock(&srx->lock);
	return room;
}

static int weft_fi_srx_getopt(fid_t fid, int level, int optname, void *optval, size_t *optlen)
{
	struct weft_fi_srx *srx = weft_container(fid, struct weft_fi_srx, fid.fid);

	if (level != FI_OPT_ENDPOINT || optname != FI_OPT_MIN_MULTI_RECV)
		return weft_fi_no_option(level, optname);
	return weft_fi_cm_getopt(optval, optlen, srx->min_multi_recv);
}

static int weft_fi_srx_setopt(fid_t fid, int level, int optname, const void *optval,
			      size_t optlen)
{
	struct weft_fi_srx *srx = weft_container(fid, struct weft_fi_srx, fid.fid);

	return weft_fi_min_multi(&srx->min_multi_recv, level, optname, optval, optlen);
}

static struct fi_ops weft_fi_srx_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = weft_fi_srx_close,
	.bind = weft_fi_srx_bind_cq,
	.control = weft_fi_no_control,
	.ops_open = weft_fi_no_ops_open,
	.tostr = weft_fi_no_tostr,
	.ops_set = weft_fi_no_ops_set,
};

/* Refuse a call about its address: it has none. */
static int weft_fi_srx_nameless(void)
{
	return weft_fi_fail(FI_LOG_EP_CTRL, -FI_ENOSYS,
			    "a shared receive context has no address: ask an endpoint that uses it");
}

static int weft_fi_srx_setname(fid_t fid, void *addr, size_t addrlen)
{
	return weft_fi_srx_nameless();
}

static int weft_fi_srx_getname(fid_t fid, void *addr, size_t *addrlen)
{
	return weft_fi_srx_nameless();
}

static struct fi_ops_cm weft_fi_srx_cm_ops = {
	.size = sizeof(struct fi_ops_cm),
	.setname = weft_fi_srx_setname,
	.getname = weft_fi_srx_getname,
	.getpeer = weft_fi_no_getpeer,
	.connect = weft_fi_no_connect,
	.listen = weft_fi_no_listen,
	.accept = weft_fi_no_accept,
	.reject = weft_fi_no_reject,
	.shutdown = weft_fi_no_shutdown,
	.join = weft_fi_no_join,
};

static struct fi_ops_ep weft_fi_srx_ops = {
	.size = sizeof(struct fi_ops_ep),
	.cancel = weft_fi_srx_cancel,
	.getopt = weft_fi_srx_getopt,
	.setopt = weft_fi_srx_setopt,
	.tx_ctx = weft_fi_no_tx_ctx,
	.rx_ctx = weft_fi_no_rx_ctx,
	.rx_size_left = weft_fi_srx_size_left,
	.tx_size_left = weft_fi_no_size_left,
};

static void weft_fi_srx_init(struct weft_fi_srx *srx, const struct fi_rx_attr *attr, void *context)
{
	weft_fi_fid_init(&srx->fid.fid, FI_CLASS_SRX_CTX, context, &weft_fi_srx_fid_ops);
	srx->msg_ops = weft_fi_no_msg_ops;
	srx->msg_ops.recv = weft_fi_srx_recv_one;
	srx->msg_ops.recvv = weft_fi_srx_recvv;
	srx->msg_ops.recvmsg = weft_fi_srx_recvmsg;
	srx->tagged_ops = weft_fi_no_tagged_ops;
	srx->tagged_ops.recv = weft_fi_srx_trecv;
	srx->tagged_ops.recvv = weft_fi_srx_trecvv;
	srx->tagged_ops.recvmsg = weft_fi_srx_trecvmsg;
	srx->fid.ops = &weft_fi_srx_ops;
	srx->fid.cm = &weft_fi_srx_cm_ops;
	srx->fid.msg = &srx->msg_ops;
	srx->fid.tagged = &srx->tagged_ops;
	srx->fid.rma = &weft_fi_no_rma_ops;
	srx->fid.atomic = &weft_fi_no_atomic_ops;
	srx->fid.collective = &weft_fi_no_collective_ops;
	srx->flags = attr ? attr->op_flags & WEFT_FI_RX_OP_FLAGS : 0;
	srx->min_multi_recv = WEFT_FI_MULTI_MIN;
	srx->directed = attr && attr->caps & FI_DIRECTED_RECV;
}

/**
 * weft_fi_srx_open() - see fi_srx_context(3)
 * @domain: open domain
 * @attr: attributes of receives, may be NULL
 * @ep: out
 * @context: the program's context
 *
 * Return: 0, -FI_EINVAL, -FI_ENOMEM, -errno.
 */
int weft_fi_srx_open(struct fid_domain *domain, struct fi_rx_attr *attr, struct fid_ep **ep,
		     void *context)
{
	struct weft_fi_domain *dom = weft_container(domain, struct weft_fi_domain, fid);
	size_t size = attr && attr->size ? attr->size : WEFT_FI_SIZE;
	struct weft_srq_attr how = { 0 };
	struct weft_fi_srx *srx;
	int ret;

	if (!ep)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL, "no room for the context");
	if (size > dom->port->q.max_ring || (attr && attr->iov_limit > dom->port->q.max_iov))
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
				    "the shared receive context asks for more than %s has (size %u, iov_limit %u)",
				    dom->port->q.name, dom->port->q.max_ring,
				    dom->port->q.max_iov);
	srx = calloc(1, sizeof(*srx));
	if (!srx)
		return -FI_ENOMEM;
	srx->domain = dom;
	srx->iov_limit = dom->port->q.max_iov;
	how.slots = size;
	how.recvs = size;
	ret = weft_srq_create(dom->port->ctx, &how, NULL, &srx->srq);
	if (ret) {
		free(srx);
		return weft_fi_fail(FI_LOG_EP_CTRL, ret, "no shared receive context: %s%s",
				    fi_strerror(-ret), weft_fi_limit_advice(ret));
	}
	weft_fi_srx_init(srx, attr, context);
	weft_fi_lock_init(&srx->lock, dom->locking);
	atomic_fetch_add(&dom->refs, 1);
	*ep = &srx->fid;
	return 0;
}

/**
 * weft_fi_srx_bind() - bind an endpoint to the context
 * @ep: endpoint, opened with rx_ctx_cnt FI_SHARED_CONTEXT
 * @fid: context
 * @flags: 0
 *
 * Return: 0, -FI_EBADFLAGS, -FI_EINVAL, -FI_EDOMAIN.
 */
int weft_fi_srx_bind(struct weft_fi_ep *ep, struct fid *fid, uint64_t flags)
{
	struct weft_fi_srx *srx = weft_container(fid, struct weft_fi_srx, fid.fid);

	if (flags)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EBADFLAGS,
				    "a shared context is bound without flags");
	if (!ep->shared_rx || ep->srx)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
				    "the endpoint was not opened with rx_ctx_cnt FI_SHARED_CONTEXT, or has a context already");
	if (srx->domain != ep->domain)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EDOMAIN,
				    "the shared context is of another domain than the endpoint");
	ep->srx = srx;
	atomic_fetch_add(&srx->refs, 1);
	return 0;
}

/* An endpoint that shares the context has been enabled, or is closed. */
void weft_fi_srx_enabled(struct weft_fi_ep *ep)
{
	struct weft_fi_srx *srx = ep->srx;

	weft_fi_lock(&srx->lock);
	if (!srx->av)
		srx->av = ep->av;
	if (!srx->first)
		srx->first = ep->rx.cq;
	weft_fi_unlock(&srx->lock);
}

void weft_fi_srx_leave(struct weft_fi_ep *ep, struct weft_fi_cq *cq)
{
	struct weft_fi_srx *srx = ep->srx;

	weft_fi_lock(&srx->lock);
	/* the queue may be closed now; the next endpoint to be enabled brings another one */
	if (srx->first == cq)
		srx->first = NULL;
	if (atomic_fetch_sub(&srx->refs, 1) == 1)
		srx->av = NULL;
	weft_fi_unlock(&srx->lock);
}
