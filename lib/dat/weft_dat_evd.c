// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Event dispatchers
 *
 * An EVD has a completion queue for DTOs, an event queue for connections, requests and asynchronous
 * events, and an eventfd for what comes from programs. wd_evd_collect() moves what the kernel has
 * into the EVD's ring, as long as that has room: nothing is lost, as the kernel keeps the rest. Who
 * waits sleeps in poll(2) on the three files and collects again.
 *
 * An event may or may not want somebody woken (wd_event.notify). A waiter that finds enough events
 * when it comes returns at once; one that sleeps is woken by those that want it.
 */

#include <poll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "weft_dat.h"

#define WD_CQ_BATCH	16

static void wd_evd_wake(struct wd_evd *evd)
{
	eventfd_write(evd->efd, 1);
}

/* ---- Life -------------------------------------------------------------------------------- */

static uint32_t wd_cq_slots(DAT_COUNT qlen)
{
	uint32_t slots = (uint32_t)qlen * 4;

	return slots < 64 ? 64 : slots > WEFT_RING_MAX ? WEFT_RING_MAX : slots;
}

/* Free the EVD, whoever uses it. */
DAT_RETURN wd_evd_destroy(struct wd_evd *evd)
{
	struct wd_ia *ia = evd->obj.ia;
	uint32_t i;

	wd_cno_detach(evd);
	if (evd->cq)
		weft_cq_destroy(evd->cq);
	if (evd->eq)
		weft_eq_destroy(evd->eq);
	for (i = 0; i < evd->count; i++)
		wd_count_put(evd->ring[(evd->head + i) % evd->qlen].reap);
	if (evd->efd >= 0)
		close(evd->efd);
	free(evd->ring);
	pthread_mutex_destroy(&evd->lock);
	if (ia->async == evd)
		ia->async = NULL;
	wd_free(evd);
	return DAT_SUCCESS;
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
	if (cno && !wd_is(cno, DAT_HANDLE_TYPE_CNO))
		return WD_BAD(DAT_INVALID_HANDLE_CNO);
	if (!flags || flags & ~(DAT_EVD_DEFAULT_FLAG | DAT_EVD_SOFTWARE_FLAG))
		return WD_ARG(4);
	if (!out)
		return WD_ARG(5);
	evd = wd_new(ia, DAT_HANDLE_TYPE_EVD);
	if (!evd)
		return WD_NOMEM;
	pthread_mutex_init(&evd->lock, NULL);
	evd->flags = flags;
	evd->qlen = qlen;
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
		wd_cno_attach(cno, evd);
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
	return wd_evd_destroy(evd);
}

DAT_RETURN wd_evd_query(DAT_EVD_HANDLE handle, DAT_EVD_PARAM_MASK mask, DAT_EVD_PARAM *param)
{
	struct wd_evd *evd = handle;

	if (!wd_is(handle, DAT_HANDLE_TYPE_EVD))
		return WD_BAD(DAT_NO_SUBTYPE);
	if (mask & ~DAT_EVD_FIELD_ALL)
		return WD_ARG(2);
	if (!param)
		return WD_ARG(3);
	param->ia_handle = evd->obj.ia;
	param->evd_qlen = evd->qlen;
	param->evd_state = (evd->enabled ? DAT_EVD_STATE_ENABLED : DAT_EVD_STATE_DISABLED) |
			   (evd->waitable ? DAT_EVD_STATE_WAITABLE : DAT_EVD_STATE_UNWAITABLE);
	param->evd_state |= evd->solicited ? DAT_EVD_STATE_CONFIG_SOLICITED :
			    evd->threshold ? DAT_EVD_STATE_CONFIG_THRESHOLD :
					     DAT_EVD_STATE_CONFIG_NOTIFY;
	param->cno_handle = evd->cno;
	param->evd_flags = evd->flags;
	return DAT_SUCCESS;
}

DAT_RETURN wd_evd_modify_cno(DAT_EVD_HANDLE handle, DAT_CNO_HANDLE cno)
{
	struct wd_evd *evd = handle;

	if (!wd_is(handle, DAT_HANDLE_TYPE_EVD))
		return WD_BAD(DAT_NO_SUBTYPE);
	if (cno && !wd_is(cno, DAT_HANDLE_TYPE_CNO))
		return WD_BAD(DAT_INVALID_HANDLE_CNO);
	wd_cno_detach(evd);
	if (cno)
		wd_cno_attach(cno, evd);
	return DAT_SUCCESS;
}

static DAT_RETURN wd_evd_set(DAT_EVD_HANDLE handle, bool *(*field)(struct wd_evd *), bool on)
{
	struct wd_evd *evd = handle;

	if (!wd_is(handle, DAT_HANDLE_TYPE_EVD))
		return WD_BAD(DAT_NO_SUBTYPE);
	pthread_mutex_lock(&evd->lock);
	*field(evd) = on;
	pthread_mutex_unlock(&evd->lock);
	wd_evd_wake(evd);
	return DAT_SUCCESS;
}

static bool *wd_enabled(struct wd_evd *evd)
{
	return &evd->enabled;
}

static bool *wd_waitable(struct wd_evd *evd)
{
	return &evd->waitable;
}

DAT_RETURN wd_evd_enable(DAT_EVD_HANDLE evd)
{
	return wd_evd_set(evd, wd_enabled, true);
}

DAT_RETURN wd_evd_disable(DAT_EVD_HANDLE evd)
{
	return wd_evd_set(evd, wd_enabled, false);
}

DAT_RETURN wd_evd_set_unwaitable(DAT_EVD_HANDLE evd)
{
	return wd_evd_set(evd, wd_waitable, false);
}

DAT_RETURN wd_evd_clear_unwaitable(DAT_EVD_HANDLE evd)
{
	return wd_evd_set(evd, wd_waitable, true);
}

/* ---- Events ------------------------------------------------------------------------------ */

static struct wd_event *wd_evd_slot(struct wd_evd *evd)
{
	struct wd_event *e = &evd->ring[(evd->head + evd->count) % evd->qlen];

	memset(e, 0, sizeof(*e));
	e->ev.evd_handle = evd;
	return e;
}

static void wd_evd_add(struct wd_evd *evd, const struct wd_event *e)
{
	evd->count++;
	evd->news += e->notify;
}

/* Move what the kernel has into the ring. The EVD is locked. */
void wd_evd_collect(struct wd_evd *evd)
{
	uint8_t data[WEFT_CM_DATA_MAX];
	struct weft_cqe cqe[WD_CQ_BATCH];
	struct weft_event ev;
	int i, n;

	while (evd->eq && evd->count < (uint32_t)evd->qlen && !weft_eq_read(evd->eq, &ev, data)) {
		struct wd_event *e = wd_evd_slot(evd);

		if (wd_event_eq(evd, &ev, data, e))
			wd_evd_add(evd, e);
	}
	while (evd->cq && evd->count < (uint32_t)evd->qlen) {
		uint32_t room = evd->qlen - evd->count;

		n = weft_cq_read(evd->cq, cqe, room < WD_CQ_BATCH ? room : WD_CQ_BATCH);
		if (n <= 0)
			break;
		for (i = 0; i < n; i++) {
			struct wd_event *e = wd_evd_slot(evd);

			if (wd_event_dto(evd, &cqe[i], e))
				wd_evd_add(evd, e);
		}
	}
}

/* Has something come that wants somebody woken? */
bool wd_evd_news(struct wd_evd *evd)
{
	bool news;

	pthread_mutex_lock(&evd->lock);
	wd_evd_collect(evd);
	news = evd->enabled && evd->news;
	pthread_mutex_unlock(&evd->lock);
	return news;
}

/* Give the oldest event out. The EVD is locked. */
static void wd_evd_take(struct wd_evd *evd, DAT_EVENT *event)
{
	struct wd_event *e = &evd->ring[evd->head];

	*event = e->ev;
	evd->news -= e->notify;
	if (e->reap) {
		atomic_fetch_sub(&e->reap->n, 1);
		wd_count_put(e->reap);
	}
	evd->head = (evd->head + 1) % evd->qlen;
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
	if (!evd->count)
		wd_evd_collect(evd);
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
	if (evd->count < (uint32_t)evd->qlen) {
		e = wd_evd_slot(evd);
		e->ev = *event;
		e->ev.evd_handle = evd;
		e->notify = true;
		wd_evd_add(evd, e);
	} else {
		ret = WD_ERR(DAT_QUEUE_FULL, DAT_NO_SUBTYPE);
	}
	pthread_mutex_unlock(&evd->lock);
	if (ret == DAT_SUCCESS)
		wd_evd_wake(evd);
	return ret;
}

DAT_RETURN wd_evd_resize(DAT_EVD_HANDLE handle, DAT_COUNT qlen)
{
	struct wd_evd *evd = handle;
	DAT_RETURN ret = DAT_SUCCESS;
	struct wd_event *ring;
	uint32_t i;

	if (!wd_is(handle, DAT_HANDLE_TYPE_EVD))
		return WD_BAD(DAT_NO_SUBTYPE);
	if (qlen <= 0 || qlen > WD_QLEN_MAX)
		return WD_ARG(2);
	ring = calloc(qlen, sizeof(*ring));
	if (!ring)
		return WD_NOMEM;
	pthread_mutex_lock(&evd->lock);
	if (evd->count <= (uint32_t)qlen) {
		for (i = 0; i < evd->count; i++)
			ring[i] = evd->ring[(evd->head + i) % evd->qlen];
		free(evd->ring);
		evd->ring = ring;
		evd->head = 0;
		evd->qlen = qlen;
	} else {
		free(ring);
		ret = WD_STATE(DAT_NO_SUBTYPE);
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

/* Sleep until something may have happened, @until at the latest. Return: 0, errno. */
static int wd_evd_sleep(struct wd_evd *evd, int64_t until)
{
	struct pollfd fds[3] = {
		{ .fd = evd->efd, .events = POLLIN },
		{ .fd = evd->cq ? weft_cq_fd(evd->cq) : -1, .events = POLLIN },
		{ .fd = evd->eq ? weft_eq_fd(evd->eq) : -1, .events = POLLIN },
	};
	struct timespec ts, *timeout = NULL;
	eventfd_t n;

	if (until >= 0) {
		int64_t left = until - wd_now_us();

		if (left <= 0)
			return ETIMEDOUT;
		ts.tv_sec = left / 1000000;
		ts.tv_nsec = left % 1000000 * 1000;
		timeout = &ts;
	}
	if (ppoll(fds, 3, timeout, NULL) < 0)
		return errno;
	if (fds[0].revents)
		eventfd_read(evd->efd, &n);
	return 0;
}

/* Is it time to return from a wait? The EVD is locked. */
static bool wd_evd_enough(struct wd_evd *evd, DAT_COUNT threshold, bool first)
{
	if (evd->count < (uint32_t)threshold)
		return false;
	/* a full queue cannot take what would wake somebody */
	return first || (evd->enabled && evd->news) || evd->count == (uint32_t)evd->qlen;
}

static DAT_RETURN wd_evd_wait_locked(struct wd_evd *evd, int64_t until, DAT_COUNT threshold)
{
	bool first = true;
	int err;

	for (;;) {
		wd_evd_collect(evd);
		if (!evd->waitable)
			return WD_STATE(DAT_INVALID_STATE_EVD_UNWAITABLE);
		if (wd_evd_enough(evd, threshold, first))
			return DAT_SUCCESS;
		first = false;
		pthread_mutex_unlock(&evd->lock);
		err = wd_evd_sleep(evd, until);
		pthread_mutex_lock(&evd->lock);
		if (err == EINTR)
			return WD_ERR(DAT_INTERRUPTED_CALL, DAT_NO_SUBTYPE);
		if (err == ETIMEDOUT) {
			wd_evd_collect(evd);
			if (wd_evd_enough(evd, threshold, false))
				return DAT_SUCCESS;
			return WD_ERR(DAT_TIMEOUT_EXPIRED, DAT_NO_SUBTYPE);
		}
		if (err)
			return WD_ERR(DAT_INTERNAL_ERROR, DAT_NO_SUBTYPE);
	}
}

DAT_RETURN wd_evd_wait(DAT_EVD_HANDLE handle, DAT_TIMEOUT timeout, DAT_COUNT threshold,
		       DAT_EVENT *event, DAT_COUNT *nmore)
{
	int64_t until = timeout == DAT_TIMEOUT_INFINITE ? -1 : wd_now_us() + timeout;
	struct wd_evd *evd = handle;
	DAT_RETURN ret;

	if (!wd_is(handle, DAT_HANDLE_TYPE_EVD))
		return WD_BAD(DAT_NO_SUBTYPE);
	if (threshold <= 0 || threshold > evd->qlen)
		return WD_ARG(3);
	if (!event)
		return WD_ARG(4);
	if (!nmore)
		return WD_ARG(5);
	if (evd->cno)
		return WD_STATE(DAT_INVALID_STATE_EVD_IN_USE);
	pthread_mutex_lock(&evd->lock);
	if (evd->waiters) {
		pthread_mutex_unlock(&evd->lock);
		return WD_STATE(DAT_INVALID_STATE_EVD_WAITER);
	}
	evd->waiters = 1;
	ret = wd_evd_wait_locked(evd, until, threshold);
	evd->waiters = 0;
	if (ret == DAT_SUCCESS)
		wd_evd_take(evd, event);
	*nmore = evd->count;
	pthread_mutex_unlock(&evd->lock);
	return ret;
}
