// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_wait.c - wait objects, and wait sets, which combine several
 *
 * Every wait object is a file. A completion queue has the kernel's file. An event queue and a wait
 * set have an epoll file. It is readable while there are entries to read. A file does not show
 * entries that were taken from the kernel's queues but not read yet. fi_trywait() checks for those.
 *
 * A wait set is an epoll file over the files of its queues. A queue joins it when created and
 * leaves it when closed.
 */
#include <poll.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "weft_fi.h"

uint64_t weft_fi_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/**
 * weft_fi_fid_ready() - test whether an object has entries to read
 * @fid: completion queue, counter, event queue or wait set
 *
 * Return: 0: none, and its file will become readable; -FI_EAGAIN: it has entries; -FI_EINVAL: such
 * an object has no wait object.
 */
int weft_fi_fid_ready(struct fid *fid)
{
	switch (fid->fclass) {
	case FI_CLASS_CQ:
		return weft_fi_cq_ready(weft_container(fid, struct weft_fi_cq, fid.fid));
	case FI_CLASS_CNTR:
		return weft_fi_cntr_ready(weft_container(fid, struct weft_fi_cntr, fid.fid));
	case FI_CLASS_EQ:
		return weft_fi_eq_ready(weft_container(fid, struct weft_fi_eq, fid.fid));
	case FI_CLASS_WAIT:
		return weft_fi_set_ready(weft_container(fid, struct weft_fi_set, fid.fid));
	}
	return weft_fi_fail(FI_LOG_CORE, -FI_EINVAL,
			    "an object of class %zu cannot be waited on", fid->fclass);
}

static enum fi_wait_obj weft_fi_fid_wait_obj(const struct fid *fid)
{
	switch (fid->fclass) {
	case FI_CLASS_CQ:
		return weft_container(fid, struct weft_fi_cq, fid.fid)->wait_obj;
	case FI_CLASS_CNTR:
		return weft_container(fid, struct weft_fi_cntr, fid.fid)->wait_obj;
	case FI_CLASS_EQ:
		return weft_container(fid, struct weft_fi_eq, fid.fid)->wait_obj;
	}
	return FI_WAIT_FD;
}

/**
 * weft_fi_trywait() - see fi_trywait(3)
 * @fabric: open fabric
 * @fids: objects with a file
 * @count: number of objects
 *
 * Return: 0: the program may sleep on the files of all objects, and later entries wake it;
 * -FI_EAGAIN: an object has entries to read; -FI_EINVAL.
 */
int weft_fi_trywait(struct fid_fabric *fabric, struct fid **fids, int count)
{
	enum fi_wait_obj obj;
	int i, ret;

	if (count < 0 || (count && !fids))
		return weft_fi_fail(FI_LOG_CORE, -FI_EINVAL, "fi_trywait needs an array of fids");
	for (i = 0; i < count; i++) {
		if (!fids[i])
			return weft_fi_fail(FI_LOG_CORE, -FI_EINVAL, "fi_trywait: there is no fid");
		obj = weft_fi_fid_wait_obj(fids[i]);
		if (obj == FI_WAIT_NONE || obj == FI_WAIT_YIELD)
			return weft_fi_fail(FI_LOG_CORE, -FI_EINVAL,
					    "fi_trywait: a queue has no wait object; open it with FI_WAIT_FD");
		ret = weft_fi_fid_ready(fids[i]);
		if (ret)
			return ret;
	}
	return 0;
}

/* Implement fi_control() of an object whose wait object is a file. */
int weft_fi_wait_control(enum fi_wait_obj wait_obj, int fd, int command, void *arg)
{
	struct fi_wait_pollfd *list = arg;
	size_t room;

	if (command != FI_GETWAIT && command != FI_GETWAITOBJ)
		return weft_fi_fail(FI_LOG_CORE, -FI_ENOSYS,
				    "fi_control: command %d is not offered by queues", command);
	if (!arg)
		return weft_fi_fail(FI_LOG_CORE, -FI_EINVAL,
				    "fi_control: command %d needs an argument", command);
	if (command == FI_GETWAITOBJ) {
		*(enum fi_wait_obj *)arg = wait_obj;
		return 0;
	}
	switch (wait_obj) {
	case FI_WAIT_FD:
		*(int *)arg = fd;
		return 0;
	case FI_WAIT_POLLFD:
		/* there is always the same single file */
		room = list->nfds;
		list->nfds = 1;
		list->change_index = 1;
		if (!room)
			return -FI_ETOOSMALL;
		list->fd[0] = (struct pollfd) { .fd = fd, .events = POLLIN };
		return 0;
	default:
		return weft_fi_fail(FI_LOG_CORE, -FI_ENODATA,
				    "fi_control: there is no wait object of its own; open it with FI_WAIT_FD");
	}
}

/* The provider's error numbers are errno values. */
const char *weft_fi_strerror(int prov_errno, char *buf, size_t len)
{
	const char *text = fi_strerror(prov_errno);

	if (!buf || !len)
		return text;
	strncpy(buf, text, len - 1);
	buf[len - 1] = '\0';
	return buf;
}

/* ---- Wait sets ------------------------------------------------------------------------------ */

/**
 * weft_fi_wait_obj() - select the wait object for a program's request
 * @asked: requested kind; FI_WAIT_UNSPEC gives a file
 * @wait_set: for FI_WAIT_SET
 * @fabric: fabric of the queue
 * @got: out: actual kind
 * @set: out: the wait set to be joined, or NULL
 *
 * A mutex and condition are not offered. They would need a thread per queue that waits in the
 * kernel and signals them.
 *
 * Return: 0, -FI_ENOSYS, -FI_EINVAL.
 */
int weft_fi_wait_obj(enum fi_wait_obj asked, struct fid_wait *wait_set,
		     struct weft_fi_fabric *fabric, enum fi_wait_obj *got,
		     struct weft_fi_set **set)
{
	*set = NULL;
	*got = asked;
	switch (asked) {
	case FI_WAIT_UNSPEC:
		*got = FI_WAIT_FD;
		return 0;
	case FI_WAIT_NONE:
	case FI_WAIT_FD:
	case FI_WAIT_POLLFD:
	case FI_WAIT_YIELD:
		return 0;
	case FI_WAIT_SET:
		break;
	default:
		return weft_fi_fail(FI_LOG_CORE, -FI_ENOSYS,
				    "wait object %d is not offered; take FI_WAIT_FD or FI_WAIT_UNSPEC",
				    asked);
	}
	if (!wait_set || wait_set->fid.fclass != FI_CLASS_WAIT)
		return weft_fi_fail(FI_LOG_CORE, -FI_EINVAL, "FI_WAIT_SET needs a wait set");
	*set = weft_container(wait_set, struct weft_fi_set, fid);
	if ((*set)->fabric == fabric)
		return 0;
	return weft_fi_fail(FI_LOG_CORE, -FI_EINVAL,
			    "the wait set is of another fabric than the queue");
}

/**
 * weft_fi_set_join() - add a queue to a wait set
 * @set: the set, or NULL: no set
 * @member: entry of the queue
 * @fid: the queue
 * @fd: its file
 *
 * Return: 0, -errno.
 */
int weft_fi_set_join(struct weft_fi_set *set, struct weft_fi_member *member, struct fid *fid,
		     int fd)
{
	struct epoll_event watch = { .events = EPOLLIN };

	if (!set)
		return 0;
	if (epoll_ctl(set->epfd, EPOLL_CTL_ADD, fd, &watch))
		return -errno;
	member->set = set;
	member->fid = fid;
	member->fd = fd;
	pthread_mutex_lock(&set->lock);
	member->next = set->members;
	set->members = member;
	pthread_mutex_unlock(&set->lock);
	return 0;
}

/* Remove a queue that is about to be closed; its file is still open. */
void weft_fi_set_leave(struct weft_fi_member *member)
{
	struct weft_fi_set *set = member->set;
	struct weft_fi_member **link;

	if (!set)
		return;
	pthread_mutex_lock(&set->lock);
	for (link = &set->members; *link != member; link = &(*link)->next)
		;
	*link = member->next;
	pthread_mutex_unlock(&set->lock);
	epoll_ctl(set->epfd, EPOLL_CTL_DEL, member->fd, NULL);
	member->set = NULL;
}

/* as weft_fi_fid_ready() */
int weft_fi_set_ready(struct weft_fi_set *set)
{
	struct weft_fi_member *member;
	int ret = 0;

	pthread_mutex_lock(&set->lock);
	for (member = set->members; member && !ret; member = member->next)
		ret = weft_fi_fid_ready(member->fid);
	pthread_mutex_unlock(&set->lock);
	return ret;
}

static int weft_fi_set_wait(struct fid_wait *fid, int timeout)
{
	struct weft_fi_set *set = weft_container(fid, struct weft_fi_set, fid);
	struct epoll_event event;
	int n;

	if (weft_fi_set_ready(set))
		return 0;
	n = epoll_wait(set->epfd, &event, 1, timeout);
	if (n < 0)
		return -errno;
	return n ? 0 : -FI_ETIMEDOUT;
}

static int weft_fi_set_close(struct fid *fid)
{
	struct weft_fi_set *set = weft_container(fid, struct weft_fi_set, fid.fid);

	if (set->members)
		return weft_fi_fail(FI_LOG_CORE, -FI_EBUSY,
				    "queues belong to the wait set: close them first");
	close(set->epfd);
	pthread_mutex_destroy(&set->lock);
	atomic_fetch_sub(&set->fabric->refs, 1);
	free(set);
	return 0;
}

static int weft_fi_set_control(struct fid *fid, int command, void *arg)
{
	struct weft_fi_set *set = weft_container(fid, struct weft_fi_set, fid.fid);

	return weft_fi_wait_control(set->wait_obj, set->epfd, command, arg);
}

static struct fi_ops weft_fi_set_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = weft_fi_set_close,
	.bind = weft_fi_no_bind,
	.control = weft_fi_set_control,
	.ops_open = weft_fi_no_ops_open,
	.tostr = weft_fi_no_tostr,
	.ops_set = weft_fi_no_ops_set,
};

static struct fi_ops_wait weft_fi_set_ops = {
	.size = sizeof(struct fi_ops_wait),
	.wait = weft_fi_set_wait,
};

/**
 * weft_fi_set_open() - see fi_wait_open(3)
 * @fabric: open fabric
 * @attr: wait object: FI_WAIT_UNSPEC, FI_WAIT_FD, FI_WAIT_POLLFD, FI_WAIT_YIELD; no flags
 * @set: out
 *
 * Return: 0, -FI_EINVAL, -FI_EBADFLAGS, -FI_ENOSYS, -FI_ENOMEM, -errno.
 */
int weft_fi_set_open(struct fid_fabric *fabric, struct fi_wait_attr *attr, struct fid_wait **set)
{
	struct weft_fi_set *s, *none;
	int ret;

	if (!attr || !set)
		return weft_fi_fail(FI_LOG_CORE, -FI_EINVAL, "fi_wait_open needs attributes, and room for the set");
	if (attr->flags)
		return weft_fi_fail(FI_LOG_CORE, -FI_EBADFLAGS, "wait sets have no flags");
	if (attr->wait_obj == FI_WAIT_NONE || attr->wait_obj == FI_WAIT_SET)
		return weft_fi_fail(FI_LOG_CORE, -FI_EINVAL,
				    "a wait set needs a wait object of its own: FI_WAIT_UNSPEC or FI_WAIT_FD");
	s = calloc(1, sizeof(*s));
	if (!s)
		return -FI_ENOMEM;
	s->fabric = weft_container(fabric, struct weft_fi_fabric, fid);
	ret = weft_fi_wait_obj(attr->wait_obj, NULL, s->fabric, &s->wait_obj, &none);
	if (!ret) {
		s->epfd = epoll_create1(EPOLL_CLOEXEC);
		if (s->epfd < 0)
			ret = -errno;
	}
	if (ret) {
		free(s);
		return ret;
	}
	weft_fi_fid_init(&s->fid.fid, FI_CLASS_WAIT, NULL, &weft_fi_set_fid_ops);
	s->fid.ops = &weft_fi_set_ops;
	pthread_mutex_init(&s->lock, NULL);
	atomic_fetch_add(&s->fabric->refs, 1);
	*set = &s->fid;
	return 0;
}
