// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_eq.c - event queues
 *
 * A libfabric event queue belongs to a fabric. The kernel's event queues belong to ports. So the
 * provider keeps a kernel queue for each port with a bound object, created at the first bind. A
 * list in memory holds events that were read from them. It also holds events from the program
 * (fi_eq_write) and from address vectors. The wait object is an epoll file over the kernel queues'
 * files, and an eventfd that is readable while the list is not empty.
 *
 * When the list is empty, all events are read from the kernel. libweft reads several at a time, and
 * events that it holds do not make the file readable.
 */
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "weft_fi.h"

static void weft_fi_eq_free_entry(struct weft_fi_eq_entry *e)
{
	if (!e)
		return;
	if (e->info)
		fi_freeinfo(e->info);
	free(e);
}

/* The lock is held. Update the eventfd at the end of each call. */
static void weft_fi_eq_sync(struct weft_fi_eq *eq)
{
	uint64_t one = 1;
	ssize_t n;

	if (!!eq->head == eq->signalled)
		return;
	if (eq->head)
		n = write(eq->evfd, &one, sizeof(one));
	else
		n = read(eq->evfd, &one, sizeof(one));
	if (n == sizeof(one))
		eq->signalled = !eq->signalled;
}

static void weft_fi_eq_append(struct weft_fi_eq *eq, struct weft_fi_eq_entry *e)
{
	e->next = NULL;
	*eq->tail = e;
	eq->tail = &e->next;
}

static void weft_fi_eq_pop(struct weft_fi_eq *eq)
{
	eq->head = eq->head->next;
	if (!eq->head)
		eq->tail = &eq->head;
}

static struct weft_fi_eq_entry *weft_fi_eq_entry_new(uint32_t event, size_t min, size_t len)
{
	struct weft_fi_eq_entry *e = calloc(1, sizeof(*e) + len);

	if (!e) {
		WEFT_WARN(EQ, "no memory: an event is lost\n");
		return NULL;
	}
	e->event = event;
	e->min = min;
	e->len = len;
	return e;
}

static struct weft_fi_eq_entry *weft_fi_eq_err_new(const struct fi_eq_err_entry *err,
						   const void *data, size_t len)
{
	struct weft_fi_eq_entry *e = weft_fi_eq_entry_new(0, 0, len);

	if (!e)
		return NULL;
	e->is_err = true;
	e->err = *err;
	e->fid = err->fid;
	if (len)
		memcpy(e->data, data, len);
	return e;
}

/* Log a failure: the object, the peer, and advice. */
static void weft_fi_eq_log(const struct weft_fi_port *port, const struct weft_event *ev)
{
	const char *hint = "";
	char buf[WEFT_FI_STRADDR];

	if (ev->type == WEFT_EV_SHUTDOWN) {
		WEFT_WARN(EP_CTRL, "%s: the connection with %s is lost: %s; the node gives no sign of life\n",
			  port->q.name, weft_fi_addr_name(&ev->addr, buf, sizeof(buf)),
			  fi_strerror(ev->status));
		return;
	}
	if (ev->type != WEFT_EV_CONN_FAILED) {
		WEFT_WARN(EP_CTRL, "%s: an endpoint takes no more work: %s\n", port->q.name,
			  fi_strerror(ev->status));
		return;
	}
	if (ev->status == ECONNREFUSED)
		hint = "; rejected, or nobody listens there, or the backlog is full";
	else if (ev->status == EHOSTUNREACH || ev->status == ETIMEDOUT)
		hint = "; no answer: is the node up, and has it a port with that address?";
	WEFT_WARN(EP_CTRL, "%s: no connection with %s: %s%s\n", port->q.name,
		  weft_fi_addr_name(&ev->addr, buf, sizeof(buf)), fi_strerror(ev->status), hint);
}

/* Convert an event that reports a failure. */
static struct weft_fi_eq_entry *weft_fi_eq_failed(struct weft_fi_port *port, struct weft_fi_cm *cm,
						  const struct weft_event *ev, const void *data)
{
	struct fi_eq_err_entry err = {
		.fid = cm->fid,
		.context = cm->fid->context,
		.err = ev->status ? ev->status : FI_EOTHER,
	};

	weft_fi_eq_log(port, ev);
	err.prov_errno = err.err;
	return weft_fi_eq_err_new(&err, data, ev->data_len);
}

/*
 * Convert a connection event to libfabric's form. Return: the event, NULL: its object is not open.
 */
static struct weft_fi_eq_entry *weft_fi_eq_translate(struct weft_fi_port *port,
						     const struct weft_event *ev,
						     const void *data)
{
	struct weft_fi_cm *cm = weft_fi_cm_find(port, ev->handle);
	struct weft_fi_eq_entry *e;
	struct fi_eq_cm_entry *cme;
	uint32_t event = FI_SHUTDOWN;

	if (!cm)
		return NULL;
	if (ev->type == WEFT_EV_CONNREQ)
		event = FI_CONNREQ;
	else if (ev->type == WEFT_EV_CONNECTED)
		event = FI_CONNECTED;
	else if (ev->type != WEFT_EV_SHUTDOWN || ev->status)
		return weft_fi_eq_failed(port, cm, ev, data);
	e = weft_fi_eq_entry_new(event, sizeof(*cme), sizeof(*cme) + ev->data_len);
	if (!e)
		return NULL;
	cme = (struct fi_eq_cm_entry *)e->data;
	cme->fid = cm->fid;
	e->fid = cm->fid;
	memcpy(cme->data, data, ev->data_len);
	if (event == FI_CONNREQ) {
		if (weft_fi_req_info(weft_container(cm, struct weft_fi_pep, cm), ev, &e->info)) {
			weft_fi_eq_free_entry(e);
			return NULL;
		}
		cme->info = e->info;
	}
	return e;
}

/* Report once a kernel queue that became unreadable, as its port is gone. */
static void weft_fi_eq_dead(struct weft_fi_eq *eq, struct weft_fi_keq *keq, int error)
{
	struct fi_eq_err_entry err = {
		.fid = &eq->fid.fid,
		.context = eq->fid.fid.context,
		.err = error,
		.prov_errno = error,
	};
	struct weft_fi_eq_entry *e;

	if (epoll_ctl(eq->epfd, EPOLL_CTL_DEL, weft_eq_fd(keq->eq), NULL))
		return;
	e = weft_fi_eq_err_new(&err, NULL, 0);
	if (e)
		weft_fi_eq_append(eq, e);
}

/* The lock is held. If the list is empty, read the kernel's events. */
static void weft_fi_eq_fill(struct weft_fi_eq *eq)
{
	uint8_t data[WEFT_CM_DATA_MAX];
	struct weft_fi_eq_entry *e;
	struct weft_fi_keq *keq;
	struct weft_event ev;
	int ret;

	if (eq->head)
		return;
	for (keq = eq->keqs; keq; keq = keq->next) {
		while (!(ret = weft_eq_read(keq->eq, &ev, data))) {
			e = weft_fi_eq_translate(keq->port, &ev, data);
			if (e)
				weft_fi_eq_append(eq, e);
		}
		if (ret != -EAGAIN && ret != -EINTR)
			weft_fi_eq_dead(eq, keq, -ret);
	}
}

/**
 * weft_fi_eq_port() - find the kernel queue of an event queue for a port
 * @eq: event queue
 * @port: the port
 * @out: out: libweft's queue, created if missing
 *
 * Return: 0, -FI_ENOMEM, -errno.
 */
int weft_fi_eq_port(struct weft_fi_eq *eq, struct weft_fi_port *port, struct weft_eq **out)
{
	struct epoll_event watch = { .events = EPOLLIN };
	struct weft_fi_keq *keq;
	int ret = 0;

	pthread_mutex_lock(&eq->lock);
	for (keq = eq->keqs; keq && keq->port != port; keq = keq->next)
		;
	if (keq)
		goto out;
	keq = calloc(1, sizeof(*keq));
	if (!keq) {
		ret = -FI_ENOMEM;
		goto out_unlock;
	}
	ret = weft_eq_create(port->ctx, &keq->eq);
	if (ret) {
		free(keq);
		goto out_unlock;
	}
	if (epoll_ctl(eq->epfd, EPOLL_CTL_ADD, weft_eq_fd(keq->eq), &watch)) {
		ret = -errno;
		weft_eq_destroy(keq->eq);
		free(keq);
		goto out_unlock;
	}
	weft_fi_port_hold(port);
	keq->port = port;
	keq->next = eq->keqs;
	eq->keqs = keq;
out:
	*out = keq->eq;
out_unlock:
	pthread_mutex_unlock(&eq->lock);
	return ret;
}

/* Add an event of the provider about an object, or of the program (@fid NULL). */
int weft_fi_eq_post(struct weft_fi_eq *eq, uint32_t event, struct fid *fid, const void *data,
		    size_t len)
{
	struct weft_fi_eq_entry *e = weft_fi_eq_entry_new(event, len, len);

	if (!e)
		return -FI_ENOMEM;
	e->fid = fid;
	memcpy(e->data, data, len);
	pthread_mutex_lock(&eq->lock);
	weft_fi_eq_append(eq, e);
	weft_fi_eq_sync(eq);
	pthread_mutex_unlock(&eq->lock);
	return 0;
}

int weft_fi_eq_post_err(struct weft_fi_eq *eq, const struct fi_eq_err_entry *err)
{
	struct weft_fi_eq_entry *e = weft_fi_eq_err_new(err, NULL, 0);

	if (!e)
		return -FI_ENOMEM;
	pthread_mutex_lock(&eq->lock);
	weft_fi_eq_append(eq, e);
	weft_fi_eq_sync(eq);
	pthread_mutex_unlock(&eq->lock);
	return 0;
}

/**
 * weft_fi_eq_forget() - drop unread events about an object that is being closed
 * @eq: event queue
 * @fid: the object; no new event can name it
 *
 * When this returns, no reader processes an event about the object.
 */
void weft_fi_eq_forget(struct weft_fi_eq *eq, struct fid *fid)
{
	struct weft_fi_eq_entry **link, *e;

	pthread_mutex_lock(&eq->lock);
	for (link = &eq->head; (e = *link);) {
		if (e->fid != fid) {
			link = &e->next;
			continue;
		}
		*link = e->next;
		weft_fi_eq_free_entry(e);
	}
	eq->tail = link;
	weft_fi_eq_sync(eq);
	pthread_mutex_unlock(&eq->lock);
}

/* as weft_fi_fid_ready() */
int weft_fi_eq_ready(struct weft_fi_eq *eq)
{
	int ret;

	pthread_mutex_lock(&eq->lock);
	weft_fi_eq_fill(eq);
	weft_fi_eq_sync(eq);
	ret = eq->head ? -FI_EAGAIN : 0;
	pthread_mutex_unlock(&eq->lock);
	return ret;
}

static ssize_t weft_fi_eq_take(struct weft_fi_eq *eq, uint32_t *event, void *buf, size_t len,
			       uint64_t flags)
{
	struct weft_fi_eq_entry *e;
	ssize_t ret;

	weft_fi_eq_free_entry(eq->last_err);
	eq->last_err = NULL;
	weft_fi_eq_fill(eq);
	e = eq->head;
	if (!e)
		return -FI_EAGAIN;
	if (e->is_err)
		return -FI_EAVAIL;
	if (len < e->min || !buf)
		return weft_fi_fail(FI_LOG_EQ, -FI_ETOOSMALL,
				    "fi_eq_read: the event has %zu bytes, there is room for %zu",
				    e->len, len);
	ret = len < e->len ? len : e->len;
	*event = e->event;
	memcpy(buf, e->data, ret);
	if (!(flags & FI_PEEK)) {
		if (e->event == FI_JOIN_COMPLETE && e->fid)
			weft_fi_mc_told(e->fid);
		weft_fi_eq_pop(eq);
		e->info = NULL;		/* it belongs to the program now */
		weft_fi_eq_free_entry(e);
	}
	return ret;
}

static ssize_t weft_fi_eq_read(struct fid_eq *fid, uint32_t *event, void *buf, size_t len,
			       uint64_t flags)
{
	struct weft_fi_eq *eq = weft_container(fid, struct weft_fi_eq, fid);
	ssize_t ret;

	if (!event || flags & ~FI_PEEK)
		return weft_fi_fail(FI_LOG_EQ, event ? -FI_EBADFLAGS : -FI_EINVAL,
				    "fi_eq_read needs a place for the event's type, and has no flag but FI_PEEK");
	pthread_mutex_lock(&eq->lock);
	ret = weft_fi_eq_take(eq, event, buf, len, flags);
	weft_fi_eq_sync(eq);
	pthread_mutex_unlock(&eq->lock);
	return ret;
}

static ssize_t weft_fi_eq_readerr(struct fid_eq *fid, struct fi_eq_err_entry *buf,
				  uint64_t flags)
{
	struct weft_fi_eq *eq = weft_container(fid, struct weft_fi_eq, fid);
	struct weft_fi_eq_entry *e;
	ssize_t ret = -FI_EAGAIN;
	size_t size;
	void *room;

	if (!buf || flags & ~FI_PEEK)
		return weft_fi_fail(FI_LOG_EQ, buf ? -FI_EBADFLAGS : -FI_EINVAL,
				    "fi_eq_readerr needs room for an entry, and has no flag but FI_PEEK");
	room = buf->err_data;
	size = buf->err_data_size;
	pthread_mutex_lock(&eq->lock);
	weft_fi_eq_fill(eq);
	e = eq->head;
	if (!e || !e->is_err)
		goto out;
	*buf = e->err;
	if (room && size && weft_fi_api_ge(eq->fabric, FI_VERSION(1, 5))) {
		buf->err_data = room;
		buf->err_data_size = size < e->len ? size : e->len;
		memcpy(room, e->data, buf->err_data_size);
	} else {
		buf->err_data = e->len ? e->data : NULL;
		buf->err_data_size = e->len;
	}
	if (!(flags & FI_PEEK)) {
		weft_fi_eq_pop(eq);
		weft_fi_eq_free_entry(eq->last_err);
		eq->last_err = e;
	}
	ret = sizeof(*buf);
out:
	weft_fi_eq_sync(eq);
	pthread_mutex_unlock(&eq->lock);
	return ret;
}

static ssize_t weft_fi_eq_write(struct fid_eq *fid, uint32_t event, const void *buf, size_t len,
				uint64_t flags)
{
	struct weft_fi_eq *eq = weft_container(fid, struct weft_fi_eq, fid);
	int ret;

	if (flags || !eq->writable || (len && !buf))
		return weft_fi_fail(FI_LOG_EQ, -FI_EINVAL,
				    "fi_eq_write has no flags, and needs data and a queue opened with FI_WRITE");
	ret = weft_fi_eq_post(eq, event, NULL, buf, len);
	return ret ? ret : (ssize_t)len;
}

static int64_t weft_fi_now_ms(void)
{
	return weft_fi_now_ns() / 1000000;
}

static ssize_t weft_fi_eq_sread(struct fid_eq *fid, uint32_t *event, void *buf, size_t len,
				int timeout, uint64_t flags)
{
	struct weft_fi_eq *eq = weft_container(fid, struct weft_fi_eq, fid);
	int64_t end = timeout < 0 ? 0 : weft_fi_now_ms() + timeout;
	struct pollfd pfd = { .fd = eq->epfd, .events = POLLIN };
	int64_t left = -1;
	ssize_t ret;

	if (eq->wait_obj == FI_WAIT_NONE || eq->wait_obj == FI_WAIT_SET)
		return weft_fi_fail(FI_LOG_EQ, -FI_EINVAL,
				    "a queue without a wait object of its own has no blocking reads; open it with FI_WAIT_UNSPEC");
	for (;;) {
		ret = weft_fi_eq_read(fid, event, buf, len, flags);
		if (ret != -FI_EAGAIN)
			return ret;
		if (timeout >= 0) {
			left = end - weft_fi_now_ms();
			if (left <= 0)
				return -FI_EAGAIN;
		}
		if (poll(&pfd, 1, left) < 0)
			return errno == EINTR ? -FI_EAGAIN : -errno;
	}
}

static const char *weft_fi_eq_strerror(struct fid_eq *eq, int prov_errno, const void *err_data,
				       char *buf, size_t len)
{
	return weft_fi_strerror(prov_errno, buf, len);
}

static int weft_fi_eq_close(struct fid *fid)
{
	struct weft_fi_eq *eq = weft_container(fid, struct weft_fi_eq, fid.fid);
	struct weft_fi_eq_entry *e;
	struct weft_fi_keq *keq;

	if (atomic_load(&eq->refs))
		return weft_fi_fail(FI_LOG_EQ, -FI_EBUSY,
				    "endpoints, address vectors or poll sets use the event queue: close them first");
	weft_fi_set_leave(&eq->member);
	while ((keq = eq->keqs)) {
		eq->keqs = keq->next;
		weft_eq_destroy(keq->eq);
		weft_fi_port_put(keq->port);
		free(keq);
	}
	while ((e = eq->head)) {
		weft_fi_eq_pop(eq);
		weft_fi_eq_free_entry(e);
	}
	weft_fi_eq_free_entry(eq->last_err);
	close(eq->evfd);
	close(eq->epfd);
	pthread_mutex_destroy(&eq->lock);
	atomic_fetch_sub(&eq->fabric->refs, 1);
	free(eq);
	return 0;
}

static int weft_fi_eq_control(struct fid *fid, int command, void *arg)
{
	struct weft_fi_eq *eq = weft_container(fid, struct weft_fi_eq, fid.fid);

	return weft_fi_wait_control(eq->wait_obj, eq->epfd, command, arg);
}

static struct fi_ops weft_fi_eq_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = weft_fi_eq_close,
	.bind = weft_fi_no_bind,
	.control = weft_fi_eq_control,
	.ops_open = weft_fi_no_ops_open,
	.tostr = weft_fi_no_tostr,
	.ops_set = weft_fi_no_ops_set,
};

static struct fi_ops_eq weft_fi_eq_ops = {
	.size = sizeof(struct fi_ops_eq),
	.read = weft_fi_eq_read,
	.readerr = weft_fi_eq_readerr,
	.write = weft_fi_eq_write,
	.sread = weft_fi_eq_sread,
	.strerror = weft_fi_eq_strerror,
};

/* Create the files of a queue. */
static int weft_fi_eq_files(struct weft_fi_eq *eq)
{
	struct epoll_event watch = { .events = EPOLLIN };
	int ret;

	eq->epfd = epoll_create1(EPOLL_CLOEXEC);
	eq->evfd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (eq->epfd >= 0 && eq->evfd >= 0 &&
	    !epoll_ctl(eq->epfd, EPOLL_CTL_ADD, eq->evfd, &watch))
		return 0;
	ret = -errno;
	if (eq->epfd >= 0)
		close(eq->epfd);
	if (eq->evfd >= 0)
		close(eq->evfd);
	return ret;
}

/**
 * weft_fi_eq_open() - see fi_eq_open(3)
 * @fabric: open fabric
 * @attr: attributes of the queue; the size is ignored
 * @eq: out
 * @context: the program's context
 *
 * Return: 0, -FI_ENOSYS (wait object), -FI_EINVAL, -FI_EBADFLAGS, -FI_ENOMEM, -errno.
 */
int weft_fi_eq_open(struct fid_fabric *fabric, struct fi_eq_attr *attr, struct fid_eq **eq,
		    void *context)
{
	struct weft_fi_set *set;
	struct weft_fi_eq *e;
	int ret;

	if (!attr || !eq)
		return weft_fi_fail(FI_LOG_EQ, -FI_EINVAL, "fi_eq_open needs attributes, and room for the queue");
	if (attr->flags & ~(uint64_t)(FI_WRITE | FI_AFFINITY))
		return weft_fi_fail(FI_LOG_EQ, -FI_EBADFLAGS,
				    "an event queue has no flags but FI_WRITE and FI_AFFINITY");
	e = calloc(1, sizeof(*e));
	if (!e)
		return -FI_ENOMEM;
	e->fabric = weft_container(fabric, struct weft_fi_fabric, fid);
	ret = weft_fi_wait_obj(attr->wait_obj, attr->wait_set, e->fabric, &e->wait_obj, &set);
	if (!ret)
		ret = weft_fi_eq_files(e);
	if (ret)
		goto err_free;
	weft_fi_fid_init(&e->fid.fid, FI_CLASS_EQ, context, &weft_fi_eq_fid_ops);
	e->fid.ops = &weft_fi_eq_ops;
	e->writable = attr->flags & FI_WRITE;
	e->tail = &e->head;
	pthread_mutex_init(&e->lock, NULL);
	ret = weft_fi_set_join(set, &e->member, &e->fid.fid, e->epfd);
	if (ret)
		goto err_files;
	atomic_fetch_add(&e->fabric->refs, 1);
	*eq = &e->fid;
	return 0;
err_files:
	close(e->evfd);
	close(e->epfd);
err_free:
	free(e);
	return ret;
}
