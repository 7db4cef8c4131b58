// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_poll.c - poll sets: report which of several queues have entries to read
 *
 * A set is a user of its queues: a queue must be removed before it is closed.
 */
#include "weft_fi.h"

/**
 * struct weft_fi_polled - a queue in a poll set
 * @next: in its list
 * @fid: the queue
 */
struct weft_fi_polled {
	struct weft_fi_polled *next;
	struct fid *fid;
};

/**
 * struct weft_fi_poll - a poll set
 * @fid: libfabric's part
 * @domain: its domain
 * @lock: protects @list
 * @list: queues, in the order of addition
 */
struct weft_fi_poll {
	struct fid_poll fid;
	struct weft_fi_domain *domain;
	pthread_mutex_t lock;
	struct weft_fi_polled *list;
};

/* The lock is held. Return: the link to a queue, or to the end of the list. */
static struct weft_fi_polled **weft_fi_polled_find(struct weft_fi_poll *set,
						   const struct fid *fid)
{
	struct weft_fi_polled **link;

	for (link = &set->list; *link && (*link)->fid != fid; link = &(*link)->next)
		;
	return link;
}

static int weft_fi_poll(struct fid_poll *fid, void **context, int count)
{
	struct weft_fi_poll *set = weft_container(fid, struct weft_fi_poll, fid);
	struct weft_fi_polled *p;
	int n = 0;

	if (count < 0 || (count && !context))
		return weft_fi_fail(FI_LOG_CORE, -FI_EINVAL, "fi_poll needs room for contexts");
	pthread_mutex_lock(&set->lock);
	for (p = set->list; p && n < count; p = p->next) {
		if (weft_fi_fid_ready(p->fid) == -FI_EAGAIN)
			context[n++] = p->fid->context;
	}
	pthread_mutex_unlock(&set->lock);
	return n;
}

/* Return: the counter of a queue's users, NULL: it cannot be polled. */
static atomic_int *weft_fi_polled_refs(struct fid *fid)
{
	if (fid->fclass == FI_CLASS_CQ)
		return &weft_container(fid, struct weft_fi_cq, fid.fid)->refs;
	if (fid->fclass == FI_CLASS_CNTR)
		return &weft_container(fid, struct weft_fi_cntr, fid.fid)->refs;
	if (fid->fclass == FI_CLASS_EQ)
		return &weft_container(fid, struct weft_fi_eq, fid.fid)->refs;
	return NULL;
}

static int weft_fi_poll_check(const struct fid *queue, uint64_t flags)
{
	if (flags)
		return weft_fi_fail(FI_LOG_CORE, -FI_EBADFLAGS, "poll sets have no flags");
	if (!queue)
		return weft_fi_fail(FI_LOG_CORE, -FI_EINVAL, "there is no queue");
	return 0;
}

static int weft_fi_poll_add(struct fid_poll *fid, struct fid *queue, uint64_t flags)
{
	struct weft_fi_poll *set = weft_container(fid, struct weft_fi_poll, fid);
	int ret = weft_fi_poll_check(queue, flags);
	struct weft_fi_polled *p, **link;
	atomic_int *refs;

	if (ret)
		return ret;
	refs = weft_fi_polled_refs(queue);
	if (!refs)
		return weft_fi_fail(FI_LOG_CORE, -FI_EINVAL,
				    "an object of class %zu cannot be polled", queue->fclass);
	p = calloc(1, sizeof(*p));
	if (!p)
		return -FI_ENOMEM;
	p->fid = queue;
	pthread_mutex_lock(&set->lock);
	link = weft_fi_polled_find(set, queue);
	if (*link)
		ret = -FI_EINVAL;
	else
		*link = p;
	pthread_mutex_unlock(&set->lock);
	if (ret) {
		free(p);
		return weft_fi_fail(FI_LOG_CORE, ret, "the queue is in the poll set already");
	}
	atomic_fetch_add(refs, 1);
	return 0;
}

static int weft_fi_poll_del(struct fid_poll *fid, struct fid *queue, uint64_t flags)
{
	struct weft_fi_poll *set = weft_container(fid, struct weft_fi_poll, fid);
	int ret = weft_fi_poll_check(queue, flags);
	struct weft_fi_polled *p, **link;

	if (ret)
		return ret;
	pthread_mutex_lock(&set->lock);
	link = weft_fi_polled_find(set, queue);
	p = *link;
	if (p)
		*link = p->next;
	pthread_mutex_unlock(&set->lock);
	if (!p)
		return weft_fi_fail(FI_LOG_CORE, -FI_EINVAL, "the queue is not in the poll set");
	free(p);
	atomic_fetch_sub(weft_fi_polled_refs(queue), 1);
	return 0;
}

static int weft_fi_poll_close(struct fid *fid)
{
	struct weft_fi_poll *set = weft_container(fid, struct weft_fi_poll, fid.fid);

	if (set->list)
		return weft_fi_fail(FI_LOG_CORE, -FI_EBUSY,
				    "queues are in the poll set: take them out with fi_poll_del");
	pthread_mutex_destroy(&set->lock);
	atomic_fetch_sub(&set->domain->refs, 1);
	free(set);
	return 0;
}

static struct fi_ops weft_fi_poll_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = weft_fi_poll_close,
	.bind = weft_fi_no_bind,
	.control = weft_fi_no_control,
	.ops_open = weft_fi_no_ops_open,
	.tostr = weft_fi_no_tostr,
	.ops_set = weft_fi_no_ops_set,
};

static struct fi_ops_poll weft_fi_poll_ops = {
	.size = sizeof(struct fi_ops_poll),
	.poll = weft_fi_poll,
	.poll_add = weft_fi_poll_add,
	.poll_del = weft_fi_poll_del,
};

/**
 * weft_fi_poll_open() - see fi_poll_open(3)
 * @domain: open domain
 * @attr: no flags
 * @poll: out
 *
 * Return: 0, -FI_EINVAL, -FI_EBADFLAGS, -FI_ENOMEM.
 */
int weft_fi_poll_open(struct fid_domain *domain, struct fi_poll_attr *attr, struct fid_poll **poll)
{
	struct weft_fi_poll *p;

	if (!poll)
		return weft_fi_fail(FI_LOG_CORE, -FI_EINVAL, "no room for the poll set");
	if (attr && attr->flags)
		return weft_fi_fail(FI_LOG_CORE, -FI_EBADFLAGS, "poll sets have no flags");
	p = calloc(1, sizeof(*p));
	if (!p)
		return -FI_ENOMEM;
	weft_fi_fid_init(&p->fid.fid, FI_CLASS_POLL, NULL, &weft_fi_poll_fid_ops);
	p->fid.ops = &weft_fi_poll_ops;
	p->domain = weft_container(domain, struct weft_fi_domain, fid);
	pthread_mutex_init(&p->lock, NULL);
	atomic_fetch_add(&p->domain->refs, 1);
	*poll = &p->fid;
	return 0;
}
