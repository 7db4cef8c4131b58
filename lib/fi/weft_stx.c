// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_stx.c - shared transmit contexts
 *
 * Sharing is invisible to a program: it posts to endpoints, and their queues receive the
 * completions. In this provider each endpoint has a ring of its own. A shared context only holds
 * common attributes. It cannot be closed before its endpoints, and they may not request more than
 * it has.
 */
#include "weft_fi.h"

static int weft_fi_stx_close(struct fid *fid)
{
	struct weft_fi_stx *stx = weft_container(fid, struct weft_fi_stx, fid.fid);

	if (atomic_load(&stx->refs))
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EBUSY,
				    "endpoints use the shared transmit context: close them first");
	atomic_fetch_sub(&stx->domain->refs, 1);
	free(stx);
	return 0;
}

static struct fi_ops weft_fi_stx_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = weft_fi_stx_close,
	.bind = weft_fi_no_bind,
	.control = weft_fi_no_control,
	.ops_open = weft_fi_no_ops_open,
	.tostr = weft_fi_no_tostr,
	.ops_set = weft_fi_no_ops_set,
};

/* The operations of fid_stx are for providers that build endpoints on it. */
static struct fi_ops_ep weft_fi_stx_ops = {
	.size = sizeof(struct fi_ops_ep),
	.cancel = weft_fi_no_cancel,
	.getopt = weft_fi_no_getopt,
	.setopt = weft_fi_no_setopt,
	.tx_ctx = weft_fi_no_tx_ctx,
	.rx_ctx = weft_fi_no_rx_ctx,
	.rx_size_left = weft_fi_no_size_left,
	.tx_size_left = weft_fi_no_size_left,
};

/**
 * weft_fi_stx_open() - see fi_stx_context(3)
 * @domain: open domain
 * @attr: attributes that its endpoints may request, or NULL; out: their actual attributes
 * @stx: out
 * @context: the program's context
 *
 * Return: 0, -FI_EINVAL, -FI_ENOMEM.
 */
int weft_fi_stx_open(struct fid_domain *domain, struct fi_tx_attr *attr, struct fid_stx **stx,
		     void *context)
{
	struct weft_fi_domain *dom = weft_container(domain, struct weft_fi_domain, fid);
	struct weft_fi_stx *s;

	if (!stx)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL, "no room for the context");
	if (attr && (attr->inject_size > dom->port->q.max_inline ||
		     attr->iov_limit > dom->port->q.max_iov ||
		     attr->rma_iov_limit > dom->port->q.max_iov))
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
				    "the shared transmit context asks for more than %s has (inject_size %u, iov_limit and rma_iov_limit %u)",
				    dom->port->q.name, dom->port->q.max_inline,
				    dom->port->q.max_iov);
	s = calloc(1, sizeof(*s));
	if (!s)
		return -FI_ENOMEM;
	weft_fi_fid_init(&s->fid.fid, FI_CLASS_STX_CTX, context, &weft_fi_stx_fid_ops);
	s->fid.ops = &weft_fi_stx_ops;
	s->domain = dom;
	atomic_fetch_add(&dom->refs, 1);
	*stx = &s->fid;
	return 0;
}

/**
 * weft_fi_stx_bind() - bind an endpoint to the context
 * @ep: endpoint, opened with tx_ctx_cnt FI_SHARED_CONTEXT
 * @fid: context
 * @flags: 0
 *
 * Return: 0, -FI_EBADFLAGS, -FI_EINVAL, -FI_EDOMAIN.
 */
int weft_fi_stx_bind(struct weft_fi_ep *ep, struct fid *fid, uint64_t flags)
{
	struct weft_fi_stx *stx = weft_container(fid, struct weft_fi_stx, fid.fid);

	if (flags)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EBADFLAGS,
				    "a shared context is bound without flags");
	if (!ep->shared_tx || ep->stx)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
				    "the endpoint was not opened with tx_ctx_cnt FI_SHARED_CONTEXT, or has a context already");
	if (stx->domain != ep->domain)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EDOMAIN,
				    "the shared context is of another domain than the endpoint");
	ep->stx = stx;
	atomic_fetch_add(&stx->refs, 1);
	return 0;
}
