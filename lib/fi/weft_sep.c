// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_sep.c - scalable endpoints: several transmit and receive contexts with one address
 *
 * The i-th transmit and the i-th receive context are the two halves of a kernel endpoint. These
 * endpoints have consecutive services; the first is the scalable endpoint's. So an address and the
 * number of a context name one of them (weft_av.c). The source of a transmit context's messages is
 * the scalable endpoint.
 *
 *   open --first fi_enable of it or of a context--> placed: the kernel's endpoints have services
 *   context: open --fi_ep_bind--> bound --fi_enable--> on
 *
 * All kernel endpoints are created and destroyed with the scalable endpoint. The queue and the
 * counter of a closed context may be closed before it (weft_left.c). A context that is opened again
 * has those that it had.
 *
 * weft_fi_sep.lock protects the state of its contexts.
 */
#include <arpa/inet.h>

#include "weft_fi.h"

#define WEFT_FI_PLACE_TRIES	64

/**
 * struct weft_fi_ctx - a transmit or receive context
 * @face: handle for the program
 * @sep: its scalable endpoint
 * @tx: a transmit context, else a receive context
 * @open: the program has opened it
 * @msg: calls of its half
 * @tagged: calls of its half
 */
struct weft_fi_ctx {
	struct weft_fi_face face;
	struct weft_fi_sep *sep;
	bool tx;
	bool open;
	struct fi_ops_msg msg;
	struct fi_ops_tagged tagged;
};

/**
 * struct weft_fi_sep - a scalable endpoint
 * @fid: libfabric's part
 * @domain: its domain
 * @info: the fi_info of its creation
 * @lock: protects the fields below
 * @placed: the kernel's endpoints have their services
 * @opened: number of open contexts
 * @av: bound address vector
 * @eq: bound event queue
 * @ntx: number of transmit contexts
 * @nrx: number of receive contexts
 * @neps: number of kernel endpoints: the larger of @ntx and @nrx
 * @ep: endpoints for the contexts
 * @tx: transmit contexts
 * @rx: receive contexts
 */
struct weft_fi_sep {
	struct fid_ep fid;
	struct weft_fi_domain *domain;
	struct fi_info *info;
	pthread_mutex_t lock;
	bool placed;
	unsigned int opened;
	struct weft_fi_av *av;
	struct fid *eq;
	size_t ntx;
	size_t nrx;
	size_t neps;
	struct weft_fi_ep *ep[WEFT_FI_CTX_MAX];
	struct weft_fi_ctx tx[WEFT_FI_CTX_MAX];
	struct weft_fi_ctx rx[WEFT_FI_CTX_MAX];
};

static struct weft_fi_sep *weft_fi_sep_of(struct fid *fid)
{
	return weft_container(fid, struct weft_fi_sep, fid.fid);
}

static struct weft_fi_ctx *weft_fi_ctx_of(struct fid *fid)
{
	return weft_container(fid, struct weft_fi_ctx, face.fid.fid);
}

static struct weft_fi_half *weft_fi_ctx_half(const struct weft_fi_ctx *ctx)
{
	return ctx->tx ? &ctx->face.ep->tx : &ctx->face.ep->rx;
}

/* ---- The kernel's endpoints ----------------------------------------------------------------- */

static int weft_fi_sep_free_eps(struct weft_fi_sep *sep)
{
	int ret;

	for (; sep->neps; sep->neps--) {
		ret = weft_fi_ep_free(sep->ep[sep->neps - 1]);
		if (ret)
			return ret;
	}
	return 0;
}

static int weft_fi_sep_new_eps(struct weft_fi_sep *sep)
{
	size_t want = sep->ntx > sep->nrx ? sep->ntx : sep->nrx;
	int ret = 0;

	while (sep->neps < want && !ret) {
		ret = weft_fi_ep_new(sep->domain, sep->info, NULL, &sep->ep[sep->neps]);
		if (!ret)
			sep->neps++;
	}
	if (ret)
		weft_fi_sep_free_eps(sep);
	return ret;
}

/* Assign a service to the i-th endpoint; the first may have any. Return: 0, -errno. */
static int weft_fi_sep_place_one(struct weft_fi_sep *sep, size_t i, struct weft_sockaddr *first)
{
	struct weft_fi_ep *ep = sep->ep[i];
	struct weft_sockaddr a;
	struct weft_eq *eq = NULL;
	int ret;

	if (first->port) {
		if (ntohs(first->port) + i > UINT16_MAX)
			return -FI_EADDRINUSE;
		a = *first;
		a.port = htons(ntohs(first->port) + i);
		ret = weft_setname(ep->cm.ep, &a);
		if (ret)
			return ret;
	}
	if (sep->eq) {
		ret = weft_fi_cm_bind_eq(&ep->cm, sep->domain->fabric, sep->eq);
		if (!ret)
			ret = weft_fi_eq_port(ep->cm.eq, ep->cm.port, &eq);
		if (ret)
			return ret;
	}
	ret = weft_fi_ep_bind_av(ep, &sep->av->fid.fid, 0);
	if (!ret)
		ret = weft_ep_enable(ep->cm.ep, NULL, NULL, eq, sep->av->av);
	if (!ret)
		ret = weft_getname(ep->cm.ep, i ? &a : first);
	ep->enabled = !ret;
	return ret;
}

/*
 * The lock is held. Assign consecutive services, from the requested one or from any. Return: 0,
 * -FI_ENOAV, -FI_EADDRINUSE, -errno.
 */
static int weft_fi_sep_place(struct weft_fi_sep *sep)
{
	struct weft_sockaddr first;
	unsigned int tries;
	bool fixed;
	size_t i;
	int ret;

	if (sep->placed)
		return 0;
	if (!sep->av)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_ENOAV,
				    "a scalable endpoint needs an address vector: fi_scalable_ep_bind");
	for (tries = 0; tries < WEFT_FI_PLACE_TRIES; tries++) {
		ret = weft_getname(sep->ep[0]->cm.ep, &first);
		fixed = first.port;
		for (i = 0; i < sep->neps && !ret; i++)
			ret = weft_fi_sep_place_one(sep, i, &first);
		if (!ret) {
			sep->placed = true;
			return 0;
		}
		if (ret != -EADDRINUSE || fixed)
			break;
		for (ret = 0, i = 0; i < sep->neps && !ret; i++)
			ret = weft_fi_ep_renew(sep->ep[i], sep->info);
		if (ret)
			break;
	}
	return weft_fi_fail(FI_LOG_EP_CTRL, ret, "no %zu services in a row for a scalable endpoint: %s",
			    sep->neps, fi_strerror(-ret));
}

/* ---- Contexts ------------------------------------------------------------------------------- */

static int weft_fi_ctx_close(struct fid *fid)
{
	struct weft_fi_ctx *ctx = weft_fi_ctx_of(fid);
	struct weft_fi_half *half = weft_fi_ctx_half(ctx);

	weft_fi_half_flush(half);
	/* its buffers return to the program, but its completions may still be read */
	if (half->cq && !ctx->tx) {
		weft_fi_lock(&half->cq->lock);
		weft_cq_settle(half->cq->cq);
		weft_fi_unlock(&half->cq->lock);
	}
	pthread_mutex_lock(&ctx->sep->lock);
	weft_fi_half_on(half, false);
	weft_fi_half_idle(half, true);
	ctx->open = false;
	ctx->sep->opened--;
	pthread_mutex_unlock(&ctx->sep->lock);
	return 0;
}

static int weft_fi_ctx_bind(struct fid *fid, struct fid *bfid, uint64_t flags)
{
	struct weft_fi_ctx *ctx = weft_fi_ctx_of(fid);
	uint64_t own = ctx->tx ? FI_TRANSMIT : FI_RECV;
	bool wrong;

	if (weft_fi_ctx_half(ctx)->known)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EOPBADSTATE,
				    "the context has been enabled: bind before its first fi_enable; opened again it has the queues that it had");
	if (!bfid || (bfid->fclass != FI_CLASS_CQ && bfid->fclass != FI_CLASS_CNTR))
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
				    "completion queues and counters are bound to a context, the rest to the scalable endpoint");
	if (bfid->fclass == FI_CLASS_CQ)
		wrong = (flags & (FI_TRANSMIT | FI_RECV)) != own;
	else
		wrong = flags & (ctx->tx ? WEFT_FI_CNTR_RECV : WEFT_FI_CNTR_SEND);
	if (wrong)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
				    "a transmit context takes FI_TRANSMIT, FI_SEND, FI_READ and FI_WRITE, a receive context FI_RECV, FI_REMOTE_READ and FI_REMOTE_WRITE");
	return bfid->fclass == FI_CLASS_CQ ? weft_fi_ep_bind_cq(ctx->face.ep, bfid, flags) :
	       weft_fi_cntr_bind(ctx->face.ep, bfid, flags);
}

/* The lock of the scalable endpoint is held. */
static int weft_fi_ctx_enable(struct weft_fi_ctx *ctx)
{
	struct weft_fi_half *half = weft_fi_ctx_half(ctx);
	struct weft_fi_ep *ep = ctx->face.ep;
	struct weft_ep_queues q = {};
	int ret;

	if (half->on)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EOPBADSTATE, "it is enabled already");
	ret = weft_fi_half_ready(ep, ctx->tx);
	if (!ret)
		ret = weft_fi_sep_place(ctx->sep);
	/* the kernel's endpoint has started with its service, and takes the queues of each half */
	if (!ret && !half->known && weft_fi_half_told(half)) {
		*(ctx->tx ? &q.tx_cq : &q.rx_cq) = half->cq ? half->cq->cq : NULL;
		*(ctx->tx ? &q.tx_cntr : &q.rx_cntr) = weft_fi_half_cntr(half, WEFT_FI_COUNT_MSG);
		*(ctx->tx ? &q.write_cntr : &q.remote_write_cntr) =
			weft_fi_half_cntr(half, WEFT_FI_COUNT_WRITE);
		*(ctx->tx ? &q.read_cntr : &q.remote_read_cntr) =
			weft_fi_half_cntr(half, WEFT_FI_COUNT_READ);
		q.av = ep->av->av;
		ret = weft_ep_enable_all(ep->cm.ep, &q);
	}
	if (ret)
		return ret;
	if ((ep->av->bits || ep->av->shared) && half->cq)
		atomic_store(&half->cq->look, true);
	if (ep->pool && !ctx->tx && !half->known)
		ret = weft_fi_buf_start(ep, &ctx->face.fid);
	half->known = true;
	weft_fi_half_on(half, !ret);
	return ret;
}

static int weft_fi_ctx_control(struct fid *fid, int command, void *arg)
{
	struct weft_fi_ctx *ctx = weft_fi_ctx_of(fid);
	int ret;

	if (command == FI_ALIAS)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_ENOSYS, "contexts have no aliases");
	if (command != FI_ENABLE)
		return weft_fi_ep_control(fid, command, arg);
	pthread_mutex_lock(&ctx->sep->lock);
	ret = weft_fi_ctx_enable(ctx);
	pthread_mutex_unlock(&ctx->sep->lock);
	return ret;
}

static struct fi_ops weft_fi_ctx_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = weft_fi_ctx_close,
	.bind = weft_fi_ctx_bind,
	.control = weft_fi_ctx_control,
	.ops_open = weft_fi_no_ops_open,
	.tostr = weft_fi_no_tostr,
	.ops_set = weft_fi_no_ops_set,
};

/* Set the calls of one half; calls of the other half are refused. */
static void weft_fi_ctx_ops(struct weft_fi_ctx *ctx)
{
	const struct fi_ops_msg *msg = ctx->face.fid.msg;
	const struct fi_ops_tagged *tagged = ctx->face.fid.tagged;

	ctx->msg = ctx->tx ? *msg : weft_fi_no_msg_ops;
	ctx->tagged = ctx->tx ? *tagged : weft_fi_no_tagged_ops;
	ctx->msg.recv = ctx->tx ? weft_fi_no_msg_ops.recv : msg->recv;
	ctx->msg.recvv = ctx->tx ? weft_fi_no_msg_ops.recvv : msg->recvv;
	ctx->msg.recvmsg = ctx->tx ? weft_fi_no_msg_ops.recvmsg : msg->recvmsg;
	ctx->tagged.recv = ctx->tx ? weft_fi_no_tagged_ops.recv : tagged->recv;
	ctx->tagged.recvv = ctx->tx ? weft_fi_no_tagged_ops.recvv : tagged->recvv;
	ctx->tagged.recvmsg = ctx->tx ? weft_fi_no_tagged_ops.recvmsg : tagged->recvmsg;
	ctx->face.fid.msg = &ctx->msg;
	ctx->face.fid.tagged = &ctx->tagged;
	if (!ctx->tx) {
		ctx->face.fid.rma = &weft_fi_no_rma_ops;
		ctx->face.fid.atomic = &weft_fi_no_atomic_ops;
	}
}

static int weft_fi_ctx_open(struct weft_fi_sep *sep, bool tx, int index, struct fid_ep **out,
			    void *context)
{
	size_t count = tx ? sep->ntx : sep->nrx;
	struct weft_fi_ctx *ctx;
	int ret = 0;

	if (!out || index < 0 || (size_t)index >= count)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
				    "no context %d: the scalable endpoint has %zu of that kind",
				    index, count);
	ctx = tx ? &sep->tx[index] : &sep->rx[index];
	pthread_mutex_lock(&sep->lock);
	if (ctx->open) {
		ret = -FI_EBUSY;
	} else {
		weft_fi_face_init(&ctx->face, sep->ep[index],
				  tx ? FI_CLASS_TX_CTX : FI_CLASS_RX_CTX, context,
				  &weft_fi_ctx_fid_ops);
		ctx->face.tx_flags = sep->ep[index]->self.tx_flags;
		ctx->face.rx_flags = sep->ep[index]->self.rx_flags;
		ctx->sep = sep;
		ctx->tx = tx;
		ctx->open = true;
		weft_fi_half_idle(weft_fi_ctx_half(ctx), false);
		weft_fi_ctx_ops(ctx);
		sep->opened++;
		*out = &ctx->face.fid;
	}
	pthread_mutex_unlock(&sep->lock);
	if (ret)
		weft_fi_fail(FI_LOG_EP_CTRL, ret, "context %d is open already", index);
	return ret;
}

static int weft_fi_tx_context(struct fid_ep *fid, int index, struct fi_tx_attr *attr,
			      struct fid_ep **tx_ep, void *context)
{
	struct weft_fi_sep *sep = weft_fi_sep_of(&fid->fid);
	int ret = weft_fi_ctx_open(sep, true, index, tx_ep, context);

	if (!ret && attr)
		*attr = *sep->info->tx_attr;
	return ret;
}

static int weft_fi_rx_context(struct fid_ep *fid, int index, struct fi_rx_attr *attr,
			      struct fid_ep **rx_ep, void *context)
{
	struct weft_fi_sep *sep = weft_fi_sep_of(&fid->fid);
	int ret = weft_fi_ctx_open(sep, false, index, rx_ep, context);

	if (!ret && attr)
		*attr = *sep->info->rx_attr;
	return ret;
}

/* ---- The scalable endpoint ------------------------------------------------------------------ */

static int weft_fi_sep_close(struct fid *fid)
{
	struct weft_fi_sep *sep = weft_fi_sep_of(fid);
	int ret;

	if (sep->opened)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EBUSY,
				    "the scalable endpoint has open contexts: close them first");
	ret = weft_fi_sep_free_eps(sep);
	weft_fi_left_sweep(sep->domain);
	if (ret)
		return ret;
	if (sep->av)
		atomic_fetch_sub(&sep->av->refs, 1);
	if (sep->eq)
		atomic_fetch_sub(&weft_container(sep->eq, struct weft_fi_eq, fid.fid)->refs, 1);
	atomic_fetch_sub(&sep->domain->refs, 1);
	pthread_mutex_destroy(&sep->lock);
	fi_freeinfo(sep->info);
	free(sep);
	return 0;
}

static int weft_fi_sep_bind_av(struct weft_fi_sep *sep, struct fid *fid)
{
	struct weft_fi_av *av = weft_container(fid, struct weft_fi_av, fid.fid);

	if (sep->av)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
				    "the endpoint has an address vector already");
	if (av->domain != sep->domain)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EDOMAIN,
				    "the address vector is of another domain than the endpoint");
	sep->av = av;
	atomic_fetch_add(&av->refs, 1);
	return 0;
}

static int weft_fi_sep_bind_eq(struct weft_fi_sep *sep, struct fid *fid)
{
	struct weft_fi_eq *eq = weft_container(fid, struct weft_fi_eq, fid.fid);

	if (sep->eq)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
				    "the endpoint has an event queue already");
	if (eq->fabric != sep->domain->fabric)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EDOMAIN,
				    "the event queue is of another fabric than the endpoint");
	sep->eq = fid;
	atomic_fetch_add(&eq->refs, 1);
	return 0;
}

static int weft_fi_sep_bind(struct fid *fid, struct fid *bfid, uint64_t flags)
{
	struct weft_fi_sep *sep = weft_fi_sep_of(fid);

	if (sep->placed)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EOPBADSTATE,
				    "bind before the scalable endpoint or a context is enabled");
	if (flags)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EBADFLAGS,
				    "nothing is bound to a scalable endpoint with flags");
	switch (bfid ? bfid->fclass : FI_CLASS_UNSPEC) {
	case FI_CLASS_AV:
		return weft_fi_sep_bind_av(sep, bfid);
	case FI_CLASS_EQ:
		return weft_fi_sep_bind_eq(sep, bfid);
	}
	return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
			    "address vector and event queue are bound to a scalable endpoint, the rest to its contexts");
}

static int weft_fi_sep_control(struct fid *fid, int command, void *arg)
{
	struct weft_fi_sep *sep = weft_fi_sep_of(fid);
	int ret;

	if (command != FI_ENABLE)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_ENOSYS,
				    "fi_control: command %d is not offered by scalable endpoints",
				    command);
	pthread_mutex_lock(&sep->lock);
	ret = weft_fi_sep_place(sep);
	pthread_mutex_unlock(&sep->lock);
	return ret;
}

static int weft_fi_sep_getname(fid_t fid, void *addr, size_t *addrlen)
{
	return weft_fi_getname(&weft_fi_sep_of(fid)->ep[0]->self.fid.fid, addr, addrlen);
}

static int weft_fi_sep_setname(fid_t fid, void *addr, size_t addrlen)
{
	return weft_fi_setname(&weft_fi_sep_of(fid)->ep[0]->self.fid.fid, addr, addrlen);
}

static struct fi_ops weft_fi_sep_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = weft_fi_sep_close,
	.bind = weft_fi_sep_bind,
	.control = weft_fi_sep_control,
	.ops_open = weft_fi_no_ops_open,
	.tostr = weft_fi_no_tostr,
	.ops_set = weft_fi_no_ops_set,
};

static struct fi_ops_ep weft_fi_sep_ops = {
	.size = sizeof(struct fi_ops_ep),
	.cancel = weft_fi_no_cancel,
	.getopt = weft_fi_no_getopt,
	.setopt = weft_fi_no_setopt,
	.tx_ctx = weft_fi_tx_context,
	.rx_ctx = weft_fi_rx_context,
	.rx_size_left = weft_fi_no_size_left,
	.tx_size_left = weft_fi_no_size_left,
};

static struct fi_ops_cm weft_fi_sep_cm_ops = {
	.size = sizeof(struct fi_ops_cm),
	.setname = weft_fi_sep_setname,
	.getname = weft_fi_sep_getname,
	.getpeer = weft_fi_no_getpeer,
	.connect = weft_fi_no_connect,
	.listen = weft_fi_no_listen,
	.accept = weft_fi_no_accept,
	.reject = weft_fi_no_reject,
	.shutdown = weft_fi_no_shutdown,
	.join = weft_fi_no_join,
};

static int weft_fi_sep_init(struct weft_fi_sep *sep, const struct fi_info *info)
{
	const struct fi_ep_attr *attr = info->ep_attr;

	if (attr->type != FI_EP_RDM)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
				    "scalable endpoints are of type FI_EP_RDM");
	sep->ntx = attr->tx_ctx_cnt ? attr->tx_ctx_cnt : 1;
	sep->nrx = attr->rx_ctx_cnt ? attr->rx_ctx_cnt : 1;
	if (sep->ntx > WEFT_FI_CTX_MAX || sep->nrx > WEFT_FI_CTX_MAX)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
				    "a scalable endpoint has at most %d contexts of each kind",
				    WEFT_FI_CTX_MAX);
	sep->info = fi_dupinfo(info);
	if (!sep->info)
		return -FI_ENOMEM;
	sep->info->ep_attr->tx_ctx_cnt = 1;
	sep->info->ep_attr->rx_ctx_cnt = 1;
	return weft_fi_sep_new_eps(sep);
}

/**
 * weft_fi_sep_open() - see fi_scalable_ep(3)
 * @domain: open domain
 * @info: from fi_getinfo, with the numbers of contexts
 * @sep: out
 * @context: the program's context
 *
 * Return: 0, -FI_EINVAL, -FI_ENOMEM, -errno.
 */
int weft_fi_sep_open(struct fid_domain *domain, struct fi_info *info, struct fid_ep **sep,
		     void *context)
{
	struct weft_fi_sep *s;
	int ret;

	if (!info || !info->ep_attr || !info->tx_attr || !info->rx_attr || !sep)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
				    "fi_scalable_ep needs a fi_info with its attributes, and where to put the endpoint");
	s = calloc(1, sizeof(*s));
	if (!s)
		return -FI_ENOMEM;
	s->domain = weft_container(domain, struct weft_fi_domain, fid);
	ret = weft_fi_sep_init(s, info);
	if (ret) {
		if (s->info)
			fi_freeinfo(s->info);
		free(s);
		return ret;
	}
	weft_fi_fid_init(&s->fid.fid, FI_CLASS_SEP, context, &weft_fi_sep_fid_ops);
	s->fid.ops = &weft_fi_sep_ops;
	s->fid.cm = &weft_fi_sep_cm_ops;
	s->fid.msg = &weft_fi_no_msg_ops;
	s->fid.tagged = &weft_fi_no_tagged_ops;
	s->fid.rma = &weft_fi_no_rma_ops;
	s->fid.atomic = &weft_fi_no_atomic_ops;
	s->fid.collective = &weft_fi_no_collective_ops;
	pthread_mutex_init(&s->lock, NULL);
	atomic_fetch_add(&s->domain->refs, 1);
	*sep = &s->fid;
	return 0;
}
