// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Event dispatchers
 *
 * An EVD has a completion queue for DTOs, and an event queue for connections, requests and
 * asynchronous events. It also has an eventfd for events of programs. wd_evd_collect() moves events
 * of the kernel into the EVD's ring while it has space. The kernel keeps the rest, so none is lost.
 * A waiter sleeps in poll(2) on the three files, then collects again.
 *
 * An event either wakes a waiter or not (wd_event.notify). A wait that finds enough events at its
 * start returns at once. A sleeping waiter is woken only by events that wake.
 */

#include <poll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "weft_dat.h"

#define WD_CQ_BATCH	16

/* Make the waiters check again. The EVD is locked. */
static void wd_evd_wake(struct wd_evd *evd)
{
	if (evd->waiters)
		eventfd_write(evd->efd, 1);
	else if (evd->cno)
		wd_cno_wake(evd->cno);
}

/* ---- Life -------------------------------------------------------------------------------- */

static uint32_t wd_cq_slots(DAT_COUNT qlen)
{
	uint32_t slots = (uint32_t)qlen * 4;

	return slots < 64 ? 64 : slots > WEFT_RING_MAX ? WEFT_RING_MAX : slots;
}

/* Free the EVD despite its users: a waiter returns. */
void wd_evd_destroy(struct wd_evd *evd)
{
	struct wd_ia *ia = evd->obj.ia;
	uint32_t i;

	pthread_mutex_lock(&evd->lock);
	evd->dead = true;
	wd_evd_wake(evd);
	while (evd->waiters)
		pthread_cond_wait(&evd->idle, &evd->lock);
	pthread_mutex_unlock(&evd->lock);
	wd_cno_set(evd, NULL, true);
	if (evd->cq)
		weft_cq_destroy(evd->cq);
	if (evd->eq)
		weft_eq_destroy(evd->eq);
	for (i = 0; i < evd->count; i++)
		wd_count_put(evd->ring[(evd->head + i) % evd->room].reap);
	if (evd->efd >= 0)
		close(evd->efd);
	free(evd->ring);
	pthread_cond_destroy(&evd->idle);
	pthread_mutex_destroy(&evd->lock);
	if (ia->async == evd)
		ia->async = NULL;
	wd_free(evd);
}

DAT_RETURN wd_evd_create(DAT_IA_HANDLE handle, DAT_COUNT qlen, DAT_CNO_HANDLE cno,
			 DAT_EVD_FLAGS flags, DAT_EVD_HANDLE *out)
{
	struct wd_ia *ia = handle;
	struct wd_evd *evd;
	int ret = 0;

	if (!wd_is(handle, DAT_HANDLE_TYPE_IA))
		return WD_BAD(DAT_INVALID_HANDLE_IA);
	if (qlen <= 0 || qlen > WD_QLEN_MAX)
		return WD_ARG(2);
	if (cno && !wd_is_of(cno, DAT_HANDLE_TYPE_CNO, ia))
		return WD_BAD(DAT_INVALID_HANDLE_CNO);
	if (!flags || flags & ~(DAT_EVD_DEFAULT_FLAG | DAT_EVD_SOFTWARE_FLAG))
		return WD_ARG(4);
	if (!out)
		return WD_ARG(5);
	evd = wd_new(ia, DAT_HANDLE_TYPE_EVD);
	if (!evd)
		return WD_NOMEM;
	pthread_mutex_init(&evd->lock, NULL);
	pthread_cond_init(&evd->idle, NULL);
	evd->flags = flags;
	evd->qlen = qlen;
	evd->room = qlen;
	evd->enabled = true;
	evd->waitable = true;
	evd->ring = calloc(qlen, sizeof(*evd->ring));
	evd->efd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (!evd->ring || evd->efd < 0)
		ret = -ENOMEM;
	if (!ret && flags & (DAT_EVD_DTO_FLAG | DAT_EVD_RMR_BIND_FLAG))
		ret = weft_cq_create(ia->ctx, wd_cq_slots(qlen), &evd->cq);
	if (!ret && flags & (DAT_EVD_CR_FLAG | DAT_EVD_CONNECTION_FLAG | DAT_EVD_ASYNC_FLAG))
		ret = weft_eq_create(ia->ctx, &evd->eq);
	if (ret) {
		wd_evd_destroy(evd);
		return wd_errno(ret, DAT_RESOURCE_TEVD);
	}
	if (cno)
		wd_cno_set(evd, cno, false);
	*out = evd;
	return DAT_SUCCESS;
}

DAT_RETURN wd_evd_free(DAT_EVD_HANDLE handle)
{
	struct wd_evd *evd = handle;

	if (!wd_is(handle, DAT_HANDLE_TYPE_EVD))
		return WD_BAD(DAT_NO_SUBTYPE);
	if (evd->obj.refs || evd == evd->obj.ia->async)
		return WD_STATE(DAT_INVALID_STATE_EVD_IN_USE);
	if (evd->waiters)
		return WD_STATE(DAT_INVALID_STATE_EVD_WAITER);
	wd_evd_destroy(evd);
	return DAT_SUCCESS;
}

DAT_RETURN wd_evd_query(DAT_EVD_HANDLE handle, DAT_EVD_PARAM_MASK mask, DAT_EVD_PARAM *param)
{
	DAT_RETURN ret = wd_query(handle, DAT_HANDLE_TYPE_EVD, mask & ~DAT_EVD_FIELD_ALL, param);
	struct wd_evd *evd = handle;

	if (ret != DAT_SUCCESS)
		return ret;
	pthread_mutex_lock(&evd->lock);
	param->ia_handle = evd->obj.ia;
	param->evd_qlen = evd->qlen;
	param->evd_state = (evd->enabled ? DAT_EVD_STATE_ENABLED : DAT_EVD_STATE_DISABLED) |
			   (evd->waitable ? DAT_EVD_STATE_WAITABLE : DAT_EVD_STATE_UNWAITABLE);
	param->evd_state |= evd->solicited ? DAT_EVD_STATE_CONFIG_SOLICITED :
			    evd->threshold ? DAT_EVD_STATE_CONFIG_THRESHOLD :
					     DAT_EVD_STATE_CONFIG_NOTIFY;
	param->cno_handle = evd->cno;
	param->evd_flags = evd->flags;
	pthread_mutex_unlock(&evd->lock);
	return DAT_SUCCESS;
}

DAT_RETURN wd_evd_modify_cno(DAT_EVD_HANDLE handle, DAT_CNO_HANDLE cno)
{
	struct wd_evd *evd = handle;

	if (!wd_is(handle, DAT_HANDLE_TYPE_EVD))
		return WD_BAD(DAT_NO_SUBTYPE);
	if (cno && !wd_is_of(cno, DAT_HANDLE_TYPE_CNO, evd->obj.ia))
		return WD_BAD(DAT_INVALID_HANDLE_CNO);
	wd_cno_set(evd, cno, false);
	return DAT_SUCCESS;
}

/* Set whether events of the EVD trigger its CNO. */
static DAT_RETURN wd_evd_able(DAT_EVD_HANDLE handle, bool on)
{
	struct wd_evd *evd = handle;

	if (!wd_is(handle, DAT_HANDLE_TYPE_EVD))
		return WD_BAD(DAT_NO_SUBTYPE);
	pthread_mutex_lock(&evd->lock);
	evd->enabled = on;
	pthread_mutex_unlock(&evd->lock);
	wd_cno_enabled(evd);
	return DAT_SUCCESS;
}

DAT_RETURN wd_evd_enable(DAT_EVD_HANDLE evd)
{
	return wd_evd_able(evd, true);
}

DAT_RETURN wd_evd_disable(DAT_EVD_HANDLE evd)
{
	return wd_evd_able(evd, false);
}

/* Set whether threads may wait for the EVD. */
static DAT_RETURN wd_evd_waitable(DAT_EVD_HANDLE handle, bool on)
{
	struct wd_evd *evd = handle;

	if (!wd_is(handle, DAT_HANDLE_TYPE_EVD))
		return WD_BAD(DAT_NO_SUBTYPE);
	pthread_mutex_lock(&evd->lock);
	evd->waitable = on;
	wd_evd_wake(evd);
	pthread_mutex_unlock(&evd->lock);
	return DAT_SUCCESS;
}

DAT_RETURN wd_evd_set_unwaitable(DAT_EVD_HANDLE evd)
{
	return wd_evd_waitable(evd, false);
}

DAT_RETURN wd_evd_clear_unwaitable(DAT_EVD_HANDLE evd)
{
	return wd_evd_waitable(evd, true);
}

/* ---- Events ------------------------------------------------------------------------------ */

/*
 * Set the length of the ring to @room, which its events fit into. Return: 0, -ENOMEM. The EVD is
 * locked.
 */
static int wd_evd_space(struct wd_evd *evd, uint32_t room)
{
	struct wd_event *ring = calloc(room, sizeof(*ring));
	uint32_t i;

	if (!ring)
		return -ENOMEM;
	for (i = 0; i < evd->count; i++)
		ring[i] = evd->ring[(evd->head + i) % evd->room];
	free(evd->ring);
	evd->ring = ring;
	evd->room = room;
	evd->head = 0;
	return 0;
}

static struct wd_event *wd_evd_slot(struct wd_evd *evd)
{
	struct wd_event *e = &evd->ring[(evd->head + evd->count) % evd->room];

	memset(e, 0, sizeof(*e));
	e->ev.evd_handle = evd;
	return e;
}

static void wd_evd_add(struct wd_evd *evd, const struct wd_event *e)
{
	evd->count++;
	evd->news += e->notify;
}

/* Return: number of events that may be read from the kernel. @all: the ring may grow. */
static uint32_t wd_evd_free_slots(struct wd_evd *evd, bool all)
{
	if (!all)
		return evd->count < (uint32_t)evd->qlen ? evd->qlen - evd->count : 0;
	if (evd->count == evd->room && wd_evd_space(evd, evd->room + 4 * WD_CQ_BATCH))
		return 0;
	return evd->room - evd->count;
}

/* The port has gone: report it on the adapter's asynchronous EVD. The EVD is locked. */
static void wd_evd_lost(struct wd_evd *evd)
{
	DAT_ASYNCH_ERROR_EVENT_DATA *d;
	struct wd_event *e;

	if (evd->gone || !wd_evd_free_slots(evd, true))
		return;
	evd->gone = true;
	if (evd != evd->obj.ia->async)
		return;
	e = wd_evd_slot(evd);
	e->ev.event_number = DAT_ASYNC_ERROR_IA_CATASTROPHIC;
	d = &e->ev.event_data.asynch_error_event_data;
	d->dat_handle = evd->obj.ia;
	d->reason = DAT_IA_CATASTROPHIC_ERROR;
	e->notify = true;
	wd_evd_add(evd, e);
}

/* Move events of ended requests into the ring, while it has space. The EVD is locked. */
static void wd_evd_requests(struct wd_evd *evd, bool all)
{
	while (evd->ripe && wd_evd_free_slots(evd, all)) {
		struct wd_event *e = wd_evd_slot(evd);

		if (wd_request_next(evd, e))
			wd_evd_add(evd, e);
	}
}

/* Move events of the kernel into the ring. The EVD is locked. */
static void wd_evd_collect(struct wd_evd *evd, bool all)
{
	uint8_t data[WEFT_CM_DATA_MAX];
	struct weft_cqe cqe[WD_CQ_BATCH];
	struct weft_event ev;
	uint32_t room, sum = 0;
	int i, n = 0;

	while (evd->eq && !evd->gone && wd_evd_free_slots(evd, all)) {
		struct wd_event *e;

		n = weft_eq_read(evd->eq, &ev, data);
		if (n)
			break;
		e = wd_evd_slot(evd);
		if (wd_event_eq(evd, &ev, data, e))
			wd_evd_add(evd, e);
	}
	if (n == -ENODEV)
		wd_evd_lost(evd);
	wd_evd_requests(evd, all);
	/* bounded, as other threads may continue */
	while (evd->cq && sum < WEFT_RING_MAX && (room = wd_evd_free_slots(evd, all))) {
		n = weft_cq_read(evd->cq, cqe, room < WD_CQ_BATCH ? room : WD_CQ_BATCH);
		if (n <= 0)
			break;
		sum += n;
		for (i = 0; i < n; i++) {
			struct wd_event *e = wd_evd_slot(evd);

			if (wd_event_dto(evd, &cqe[i], e))
				wd_evd_add(evd, e);
		}
		wd_evd_requests(evd, all);
	}
}

/*
 * Move events of the kernel into the ring, and wake the waiters: moved events no longer wake them.
 * @all: move all events, even beyond the EVD's length, as an EP ends. The EVD is locked.
 */
void wd_evd_gather(struct wd_evd *evd, bool all)
{
	uint32_t had = evd->count;

	wd_evd_collect(evd, all);
	if (evd->count != had)
		wd_evd_wake(evd);
}

/* A file of the EVD reports that the port has gone; events beyond the ring's space remain. */
static void wd_evd_hung_up(struct wd_evd *evd)
{
	wd_evd_collect(evd, false);
	if (!evd->eq)
		evd->gone = true;
}

/* The files of the EVD report only that the port has gone. */
void wd_evd_gone(struct wd_evd *evd)
{
	pthread_mutex_lock(&evd->lock);
	wd_evd_hung_up(evd);
	pthread_mutex_unlock(&evd->lock);
}

static bool wd_evd_full(const struct wd_evd *evd)
{
	return evd->count >= (uint32_t)evd->qlen;
}

/* Return: true if the EVD triggers its CNO. A direct waiter has precedence. */
bool wd_evd_news(struct wd_evd *evd)
{
	bool news = false;

	pthread_mutex_lock(&evd->lock);
	if (!evd->waiters && evd->enabled) {
		wd_evd_collect(evd, false);
		/* a full ring cannot receive the event that would wake */
		news = evd->news || wd_evd_full(evd);
	}
	pthread_mutex_unlock(&evd->lock);
	return news;
}

/* Return the oldest event. The EVD is locked. */
static void wd_evd_take(struct wd_evd *evd, DAT_EVENT *event)
{
	struct wd_event *e = &evd->ring[evd->head];

	*event = e->ev;
	evd->news -= e->notify;
	if (e->reap) {
		atomic_fetch_sub(&e->reap->n, 1);
		wd_count_put(e->reap);
	}
	evd->head = (evd->head + 1) % evd->room;
	evd->count--;
}

DAT_RETURN wd_evd_dequeue(DAT_EVD_HANDLE handle, DAT_EVENT *event)
{
	struct wd_evd *evd = handle;
	DAT_RETURN ret = DAT_SUCCESS;

	if (!wd_is(handle, DAT_HANDLE_TYPE_EVD))
		return WD_BAD(DAT_NO_SUBTYPE);
	if (!event)
		return WD_ARG(2);
	pthread_mutex_lock(&evd->lock);
	if (!evd->count) {
		wd_evd_collect(evd, false);
		if (evd->count > 1)
			wd_evd_wake(evd);
	}
	if (evd->count)
		wd_evd_take(evd, event);
	else
		ret = WD_ERR(DAT_QUEUE_EMPTY, DAT_NO_SUBTYPE);
	pthread_mutex_unlock(&evd->lock);
	return ret;
}

DAT_RETURN wd_evd_post_se(DAT_EVD_HANDLE handle, const DAT_EVENT *event)
{
	struct wd_evd *evd = handle;
	DAT_RETURN ret = DAT_SUCCESS;
	struct wd_event *e;

	if (!wd_is(handle, DAT_HANDLE_TYPE_EVD) || !(evd->flags & DAT_EVD_SOFTWARE_FLAG))
		return WD_BAD(DAT_NO_SUBTYPE);
	if (!event || event->event_number != DAT_SOFTWARE_EVENT)
		return WD_ARG(2);
	pthread_mutex_lock(&evd->lock);
	if (!wd_evd_full(evd)) {
		e = wd_evd_slot(evd);
		e->ev = *event;
		e->ev.evd_handle = evd;
		e->notify = true;
		wd_evd_add(evd, e);
		wd_evd_wake(evd);
	} else {
		ret = WD_ERR(DAT_QUEUE_FULL, DAT_NO_SUBTYPE);
	}
	pthread_mutex_unlock(&evd->lock);
	return ret;
}

/*
 * The kernel's queue keeps its length. Events beyond it wait in the kernel until the ring has
 * space. A waiter checks whether the ring still has the length that it requires.
 */
DAT_RETURN wd_evd_resize(DAT_EVD_HANDLE handle, DAT_COUNT qlen)
{
	struct wd_evd *evd = handle;
	DAT_RETURN ret = DAT_SUCCESS;

	if (!wd_is(handle, DAT_HANDLE_TYPE_EVD))
		return WD_BAD(DAT_NO_SUBTYPE);
	if (qlen <= 0 || qlen > WD_QLEN_MAX)
		return WD_ARG(2);
	pthread_mutex_lock(&evd->lock);
	wd_evd_gather(evd, false);
	if (evd->count > (uint32_t)qlen) {
		ret = WD_STATE(DAT_NO_SUBTYPE);
	} else if (wd_evd_space(evd, qlen)) {
		ret = WD_NOMEM;
	} else {
		evd->qlen = qlen;
		wd_evd_wake(evd);
	}
	pthread_mutex_unlock(&evd->lock);
	return ret;
}

/* ---- Waiting ----------------------------------------------------------------------------- */

static int64_t wd_now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000ll + ts.tv_nsec / 1000;
}

/* Return: the end of a timeout that begins now; -1: never. */
int64_t wd_until(DAT_TIMEOUT timeout)
{
	return timeout == DAT_TIMEOUT_INFINITE ? -1 : wd_now_us() + timeout;
}

/* Sleep until an event may have occurred, or until @until. Return: 0, errno. */
int wd_poll(struct pollfd *fds, unsigned int n, int64_t until)
{
	struct timespec ts, *timeout = NULL;

	if (until >= 0) {
		int64_t left = until - wd_now_us();

		if (left <= 0)
			return ETIMEDOUT;
		ts.tv_sec = left / 1000000;
		ts.tv_nsec = left % 1000000 * 1000;
		timeout = &ts;
	}
	return ppoll(fds, n, timeout, NULL) < 0 ? errno : 0;
}

/* The EVD is locked; it is unlocked while this sleeps. */
static int wd_evd_sleep(struct wd_evd *evd, int64_t until)
{
	struct pollfd fds[3] = {
		{ .fd = evd->efd, .events = POLLIN },
		{ .fd = evd->cq && !evd->gone ? weft_cq_fd(evd->cq) : -1, .events = POLLIN },
		{ .fd = evd->eq && !evd->gone ? weft_eq_fd(evd->eq) : -1, .events = POLLIN },
	};
	eventfd_t n;
	int err;

	pthread_mutex_unlock(&evd->lock);
	err = wd_poll(fds, 3, until);
	pthread_mutex_lock(&evd->lock);
	if (err)
		return err;
	if (fds[0].revents)
		eventfd_read(evd->efd, &n);
	if ((fds[1].revents | fds[2].revents) & (POLLERR | POLLHUP))
		wd_evd_hung_up(evd);
	return 0;
}

/* Return: true if the wait must return, with the result @ret. The EVD is locked. */
static bool wd_evd_enough(struct wd_evd *evd, DAT_COUNT threshold, bool first, DAT_RETURN *ret)
{
	wd_evd_collect(evd, false);
	if (evd->dead)
		*ret = WD_ERR(DAT_ABORT, DAT_NO_SUBTYPE);
	else if (!evd->waitable)
		*ret = WD_STATE(DAT_INVALID_STATE_EVD_UNWAITABLE);
	else if (threshold > evd->qlen)
		*ret = WD_ARG(3);
	else if (evd->count >= (uint32_t)threshold && (first || evd->news || wd_evd_full(evd)))
		*ret = DAT_SUCCESS;
	else
		return false;
	return true;
}

static DAT_RETURN wd_evd_wait_locked(struct wd_evd *evd, int64_t until, DAT_COUNT threshold)
{
	bool first = true;
	DAT_RETURN ret;
	int err = 0;

	while (!wd_evd_enough(evd, threshold, first, &ret)) {
		if (err == EINTR)
			return WD_ERR(DAT_INTERRUPTED_CALL, DAT_NO_SUBTYPE);
		if (err == ETIMEDOUT)
			return WD_ERR(DAT_TIMEOUT_EXPIRED, DAT_NO_SUBTYPE);
		if (err)
			return WD_ERR(DAT_INTERNAL_ERROR, DAT_NO_SUBTYPE);
		first = false;
		err = wd_evd_sleep(evd, until);
	}
	return ret;
}

/* Check whether a thread may wait now. The EVD is locked. */
static DAT_RETURN wd_evd_wait_check(const struct wd_evd *evd, DAT_COUNT threshold)
{
	if (threshold <= 0 || threshold > evd->qlen)
		return WD_ARG(3);
	if (evd->waiters)
		return WD_STATE(DAT_INVALID_STATE_EVD_WAITER);
	if (threshold > 1 && evd->solicited)
		return WD_STATE(DAT_INVALID_STATE_EVD_CONFIG_SOLICITED);
	if (threshold > 1 && evd->unsignalled)
		return WD_STATE(DAT_INVALID_STATE_EVD_CONFIG_NOTIFY);
	return DAT_SUCCESS;
}

DAT_RETURN wd_evd_wait(DAT_EVD_HANDLE handle, DAT_TIMEOUT timeout, DAT_COUNT threshold,
		       DAT_EVENT *event, DAT_COUNT *nmore)
{
	struct wd_evd *evd = handle;
	DAT_RETURN ret;

	if (!wd_is(handle, DAT_HANDLE_TYPE_EVD))
		return WD_BAD(DAT_NO_SUBTYPE);
	if (!event)
		return WD_ARG(4);
	if (!nmore)
		return WD_ARG(5);
	pthread_mutex_lock(&evd->lock);
	ret = wd_evd_wait_check(evd, threshold);
	if (ret != DAT_SUCCESS) {
		pthread_mutex_unlock(&evd->lock);
		return ret;
	}
	evd->waiters = 1;
	ret = wd_evd_wait_locked(evd, wd_until(timeout), threshold);
	evd->waiters = 0;
	if (ret == DAT_SUCCESS)
		wd_evd_take(evd, event);
	*nmore = evd->count;
	/* events that arrived meanwhile have not triggered the CNO */
	if (evd->count && evd->cno)
		wd_cno_wake(evd->cno);
	pthread_cond_broadcast(&evd->idle);
	pthread_mutex_unlock(&evd->lock);
	return ret;
}
