// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_cntr.c - counters of operations
 *
 * The kernel counts into a page that is read here, with or without completions. So counting needs
 * no progress calls of the program, and an endpoint may have only counters.
 *
 * Reading a value makes the data of the counted messages visible. Payload inside completions is
 * copied to its buffers first (weft_cq_settle()).
 */
#include "weft_post.h"

static struct weft_fi_cntr *weft_fi_cntr_of(struct fid_cntr *fid)
{
	return weft_container(fid, struct weft_fi_cntr, fid);
}

/* Notify the entries that FI_MORE deferred in the counter's endpoints, and end runs of sends. */
static void weft_fi_cntr_flush(struct weft_fi_cntr *cntr)
{
	struct weft_fi_count *count;

	weft_fi_looks++;
	pthread_mutex_lock(&cntr->lock);
	for (count = cntr->counts; count; count = count->next)
		if (atomic_load_explicit(&count->half->due, memory_order_relaxed) ||
		    lw_load(&count->half->ep->run.kept))
			weft_fi_half_flush(count->half);
	pthread_mutex_unlock(&cntr->lock);
}

/* Copy the payload of received messages to its destination. */
static void weft_fi_cntr_settle(struct weft_fi_cntr *cntr)
{
	struct weft_fi_count *count;
	struct weft_fi_half *half;

	pthread_mutex_lock(&cntr->lock);
	for (count = cntr->counts; count; count = count->next) {
		half = count->half;
		if (count != &half->ep->rx.counts[WEFT_FI_COUNT_MSG] || !half->cq || count->idle)
			continue;
		weft_fi_lock(&half->cq->lock);
		weft_cq_settle(half->cq->cq);
		weft_fi_unlock(&half->cq->lock);
	}
	pthread_mutex_unlock(&cntr->lock);
}

/* Read the values as the program sees them. */
static void weft_fi_cntr_look(struct weft_fi_cntr *cntr, struct weft_count *count)
{
	weft_fi_cntr_flush(cntr);
	weft_cntr_read(cntr->cntr, count);
	weft_fi_cntr_settle(cntr);
}

static uint64_t weft_fi_cntr_read(struct fid_cntr *fid)
{
	struct weft_count count;

	weft_fi_cntr_look(weft_fi_cntr_of(fid), &count);
	return count.done;
}

static uint64_t weft_fi_cntr_readerr(struct fid_cntr *fid)
{
	struct weft_count count;

	weft_fi_cntr_look(weft_fi_cntr_of(fid), &count);
	return count.failed;
}

static int weft_fi_cntr_add(struct fid_cntr *fid, uint64_t value)
{
	return weft_cntr_change(weft_fi_cntr_of(fid)->cntr, value, WEFT_CNTRF_ADD);
}

static int weft_fi_cntr_adderr(struct fid_cntr *fid, uint64_t value)
{
	return weft_cntr_change(weft_fi_cntr_of(fid)->cntr, value,
				WEFT_CNTRF_ADD | WEFT_CNTRF_FAILED);
}

static int weft_fi_cntr_set(struct fid_cntr *fid, uint64_t value)
{
	return weft_cntr_change(weft_fi_cntr_of(fid)->cntr, value, 0);
}

static int weft_fi_cntr_seterr(struct fid_cntr *fid, uint64_t value)
{
	return weft_cntr_change(weft_fi_cntr_of(fid)->cntr, value, WEFT_CNTRF_FAILED);
}

static int weft_fi_cntr_sleep(struct weft_fi_cntr *cntr, uint64_t threshold, int timeout)
{
	uint64_t end = 0, now, failed, left = WEFT_FOREVER;
	struct weft_count count;
	int err;

	weft_fi_cntr_look(cntr, &count);
	failed = count.failed;
	for (;;) {
		if (count.done >= threshold)
			return 0;
		if (count.failed != failed)
			return -FI_EAVAIL;
		if (timeout >= 0) {
			now = weft_fi_now_ns();
			if (!end)
				end = now + (uint64_t)timeout * 1000000;
			if (now >= end)
				return -FI_ETIMEDOUT;
			left = end - now;
		}
		err = weft_cntr_wait(cntr->cntr, count.seen, left);
		if (err == -EINTR)
			return -FI_EINTR;
		if (err && err != -ETIMEDOUT)
			return err;
		weft_fi_cntr_look(cntr, &count);
	}
}

static int weft_fi_cntr_wait(struct fid_cntr *fid, uint64_t threshold, int timeout)
{
	struct weft_fi_cntr *cntr = weft_fi_cntr_of(fid);

	/*
	 * fi_cntr(3) forbids the call with FI_WAIT_NONE, too. Programs that have never seen a
	 * refusal call it, and any counter of the kernel can be waited for.
	 */
	if (cntr->wait_obj == FI_WAIT_SET)
		return weft_fi_fail(FI_LOG_CNTR, -FI_EINVAL,
				    "fi_cntr_wait: the counter is in a wait set; call fi_wait, or open it with FI_WAIT_UNSPEC");
	return weft_fi_cntr_sleep(cntr, threshold, timeout);
}

/**
 * weft_fi_cntr_ready() - test whether a program may sleep on the file of a counter
 * @cntr: the counter
 *
 * The file is readable when the counter has moved since it was read. So a program first reads the
 * value, then calls fi_trywait(), which reports changes in between.
 *
 * Return: 0, -FI_EAGAIN: the counter has moved since it was read.
 */
int weft_fi_cntr_ready(struct weft_fi_cntr *cntr)
{
	weft_fi_cntr_flush(cntr);
	return weft_cntr_pending(cntr->cntr) ? -FI_EAGAIN : 0;
}

/* Unbind a counter from a half of an endpoint. */
static void weft_fi_count_drop(struct weft_fi_count *count)
{
	struct weft_fi_cntr *cntr = count->cntr;
	struct weft_fi_count **link;

	pthread_mutex_lock(&cntr->lock);
	for (link = &cntr->counts; *link != count; link = &(*link)->next)
		;
	*link = count->next;
	count->cntr = NULL;
	pthread_mutex_unlock(&cntr->lock);
}

/**
 * weft_fi_cntr_unbind() - unbind the counters of a half of an endpoint, which is closed
 * @half: the half, with counters or without
 */
void weft_fi_cntr_unbind(struct weft_fi_half *half)
{
	size_t i;

	for (i = 0; i < WEFT_FI_COUNTS; i++)
		if (half->counts[i].cntr)
			weft_fi_count_drop(&half->counts[i]);
}

/**
 * weft_fi_cntr_idle() - set whether a half of an endpoint uses its queue and its counters
 * @half: half of a scalable endpoint, with counters or without
 * @idle: its context is closed
 *
 * A counter that is being read does not touch the queue of an idle half afterwards.
 */
void weft_fi_cntr_idle(struct weft_fi_half *half, bool idle)
{
	struct weft_fi_cntr *cntr;
	size_t i;

	half->idle = idle;
	for (i = 0; i < WEFT_FI_COUNTS; i++) {
		cntr = half->counts[i].cntr;
		if (!cntr)
			continue;
		pthread_mutex_lock(&cntr->lock);
		half->counts[i].idle = idle;
		pthread_mutex_unlock(&cntr->lock);
	}
}

/* Return: true if an endpoint uses the counter. Closed contexts do not. */
static bool weft_fi_cntr_used(struct weft_fi_cntr *cntr)
{
	struct weft_fi_count *count;

	pthread_mutex_lock(&cntr->lock);
	for (count = cntr->counts; count && count->idle; count = count->next)
		;
	pthread_mutex_unlock(&cntr->lock);
	return count;
}

static int weft_fi_cntr_close(struct fid *fid)
{
	struct weft_fi_cntr *cntr = weft_container(fid, struct weft_fi_cntr, fid.fid);
	struct weft_fi_set *set = cntr->member.set;
	bool idle = cntr->counts;
	int ret;

	if (weft_fi_cntr_used(cntr) || atomic_load(&cntr->refs))
		return weft_fi_fail(FI_LOG_CNTR, -FI_EBUSY,
				    "endpoints, memory regions or poll sets use the counter: close them first");
	while (cntr->counts)
		weft_fi_count_drop(cntr->counts);
	weft_fi_set_leave(&cntr->member);
	ret = weft_cntr_destroy(cntr->cntr);
	if (ret == -EBUSY && idle)
		ret = weft_fi_left_keep(cntr->domain, NULL, cntr->cntr);
	if (ret) {
		weft_fi_set_join(set, &cntr->member, fid, weft_cntr_fd(cntr->cntr));
		return weft_fi_fail(FI_LOG_CNTR, ret, "the counter is not closed: %s",
				    ret == -EBUSY ?
				    "operations or work wait for it or name it: cancel them first" :
				    fi_strerror(-ret));
	}
	pthread_mutex_destroy(&cntr->lock);
	atomic_fetch_sub(&cntr->domain->refs, 1);
	free(cntr);
	return 0;
}

static int weft_fi_cntr_control(struct fid *fid, int command, void *arg)
{
	struct weft_fi_cntr *cntr = weft_container(fid, struct weft_fi_cntr, fid.fid);

	return weft_fi_wait_control(cntr->wait_obj, weft_cntr_fd(cntr->cntr), command, arg);
}

static struct fi_ops weft_fi_cntr_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = weft_fi_cntr_close,
	.bind = weft_fi_no_bind,
	.control = weft_fi_cntr_control,
	.ops_open = weft_fi_no_ops_open,
	.tostr = weft_fi_no_tostr,
	.ops_set = weft_fi_no_ops_set,
};

static struct fi_ops_cntr weft_fi_cntr_ops = {
	.size = sizeof(struct fi_ops_cntr),
	.read = weft_fi_cntr_read,
	.readerr = weft_fi_cntr_readerr,
	.add = weft_fi_cntr_add,
	.set = weft_fi_cntr_set,
	.wait = weft_fi_cntr_wait,
	.adderr = weft_fi_cntr_adderr,
	.seterr = weft_fi_cntr_seterr,
};

/* The directions of a bind, and what they are of which half */
static const struct {
	uint64_t flag;
	bool tx;
	unsigned int what;
} weft_fi_cntr_dirs[] = {
	{ FI_SEND, true, WEFT_FI_COUNT_MSG },
	{ FI_WRITE, true, WEFT_FI_COUNT_WRITE },
	{ FI_READ, true, WEFT_FI_COUNT_READ },
	{ FI_RECV, false, WEFT_FI_COUNT_MSG },
	{ FI_REMOTE_WRITE, false, WEFT_FI_COUNT_WRITE },
	{ FI_REMOTE_READ, false, WEFT_FI_COUNT_READ },
};

/* Return: the i-th direction of an endpoint, NULL: the flags do not name it. */
static struct weft_fi_count *weft_fi_cntr_dir(struct weft_fi_ep *ep, uint64_t flags, size_t i)
{
	struct weft_fi_half *half = weft_fi_cntr_dirs[i].tx ? &ep->tx : &ep->rx;

	return flags & weft_fi_cntr_dirs[i].flag ? &half->counts[weft_fi_cntr_dirs[i].what] : NULL;
}

static void weft_fi_count_join(struct weft_fi_cntr *cntr, struct weft_fi_half *half,
			       struct weft_fi_count *count)
{
	pthread_mutex_lock(&cntr->lock);
	count->cntr = cntr;
	count->half = half;
	count->idle = half->idle;
	count->next = cntr->counts;
	cntr->counts = count;
	pthread_mutex_unlock(&cntr->lock);
}

/* Check the flags of a bind. Return: 0, -FI_EBADFLAGS, -FI_EINVAL. */
static int weft_fi_cntr_flags(struct weft_fi_ep *ep, uint64_t flags)
{
	struct weft_fi_count *count;
	size_t i;

	if (flags & ~(WEFT_FI_CNTR_SEND | WEFT_FI_CNTR_RECV))
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EBADFLAGS,
				    "a counter is bound with FI_SEND, FI_RECV and flags of remote memory access");
	if (!flags)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
				    "say FI_SEND, FI_RECV or flags of remote memory access when binding a counter");
	if (flags & WEFT_FI_RMA_RX && ep->caps & WEFT_FI_ONESIDED && !(ep->caps & FI_RMA_EVENT))
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
				    "a counter of peers' operations needs an endpoint with FI_RMA_EVENT: ask for it in hints->caps");
	for (i = 0; i < sizeof(weft_fi_cntr_dirs) / sizeof(weft_fi_cntr_dirs[0]); i++) {
		count = weft_fi_cntr_dir(ep, flags, i);
		if (count && count->cntr)
			return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
					    "the endpoint has a counter for that direction already");
	}
	return 0;
}

/**
 * weft_fi_cntr_bind() - bind a counter to an endpoint
 * @ep: endpoint, or the endpoint of a context
 * @fid: counter
 * @flags: the operations: FI_SEND, FI_WRITE, FI_READ, FI_RECV, FI_REMOTE_WRITE, FI_REMOTE_READ. On
 *	an endpoint without FI_RMA and FI_ATOMIC only FI_SEND and FI_RECV have an effect.
 *
 * Return: 0, -FI_EBADFLAGS, -FI_EINVAL, -FI_EDOMAIN.
 */
int weft_fi_cntr_bind(struct weft_fi_ep *ep, struct fid *fid, uint64_t flags)
{
	struct weft_fi_cntr *cntr = weft_container(fid, struct weft_fi_cntr, fid.fid);
	struct weft_fi_count *count;
	int ret = weft_fi_cntr_flags(ep, flags);
	size_t i;

	if (ret)
		return ret;
	if (cntr->domain != ep->domain)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EDOMAIN,
				    "the counter is of another domain than the endpoint");
	if (!(ep->caps & WEFT_FI_ONESIDED))
		flags &= FI_SEND | FI_RECV;
	for (i = 0; i < sizeof(weft_fi_cntr_dirs) / sizeof(weft_fi_cntr_dirs[0]); i++) {
		count = weft_fi_cntr_dir(ep, flags, i);
		if (count)
			weft_fi_count_join(cntr, weft_fi_cntr_dirs[i].tx ? &ep->tx : &ep->rx,
					   count);
	}
	return 0;
}

/**
 * weft_fi_cntr_open() - see fi_cntr_open(3)
 * @domain: open domain
 * @attr: events FI_CNTR_EVENTS_COMP; no flags; NULL: all defaults
 * @cntr: out
 * @context: the program's context
 *
 * Return: 0, -FI_EINVAL, -FI_ENOSYS (events, wait object), -FI_EBADFLAGS, -FI_ENOMEM, -errno.
 */
int weft_fi_cntr_open(struct fid_domain *domain, struct fi_cntr_attr *attr, struct fid_cntr **cntr,
		      void *context)
{
	struct weft_fi_domain *dom = weft_container(domain, struct weft_fi_domain, fid);
	struct fi_cntr_attr none = { .events = FI_CNTR_EVENTS_COMP, .wait_obj = FI_WAIT_UNSPEC };
	struct weft_fi_set *set;
	struct weft_fi_cntr *c;
	int ret;

	if (!cntr)
		return weft_fi_fail(FI_LOG_CNTR, -FI_EINVAL, "no room for the counter");
	if (!attr)
		attr = &none;
	if (attr->flags)
		return weft_fi_fail(FI_LOG_CNTR, -FI_EBADFLAGS, "counters have no flags");
	if (attr->events != FI_CNTR_EVENTS_COMP)
		return weft_fi_fail(FI_LOG_CNTR, -FI_ENOSYS,
				    "counters count completions: events must be FI_CNTR_EVENTS_COMP");
	c = calloc(1, sizeof(*c));
	if (!c)
		return -FI_ENOMEM;
	ret = weft_fi_wait_obj(attr->wait_obj, attr->wait_set, dom->fabric, &c->wait_obj, &set);
	if (!ret)
		ret = weft_cntr_create(dom->port->ctx, &c->cntr);
	if (ret)
		goto err_free;
	weft_fi_fid_init(&c->fid.fid, FI_CLASS_CNTR, context, &weft_fi_cntr_fid_ops);
	c->fid.ops = &weft_fi_cntr_ops;
	c->domain = dom;
	pthread_mutex_init(&c->lock, NULL);
	ret = weft_fi_set_join(set, &c->member, &c->fid.fid, weft_cntr_fd(c->cntr));
	if (ret)
		goto err_cntr;
	atomic_fetch_add(&dom->refs, 1);
	*cntr = &c->fid;
	return 0;
err_cntr:
	weft_cntr_destroy(c->cntr);
err_free:
	free(c);
	return ret;
}
