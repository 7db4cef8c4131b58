// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Consumer notification objects: several EVDs wake one waiter, one agent or one file descriptor
 *
 * A CNO is an epoll(7) file over the files of its EVDs' queues, plus an eventfd for events of the
 * library. It is triggered while one of its enabled EVDs has an event that wakes a waiter, unless a
 * thread waits for that EVD directly. A waiter checks the EVDs, and sleeps if none has such an
 * event. Spurious wake-ups are permitted, as the reported EVD is a hint.
 *
 * An agent has a thread that waits for the CNO, calls the agent once, and ends. The CNO drops the
 * agent after that call.
 *
 * wd_cno.lock protects a CNO. wd_ia.cno_lock protects the relation of EVDs to CNOs. Order:
 * weft_dat.h.
 */
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "weft_dat.h"

/* Make a waiter check the EVDs. */
void wd_cno_wake(struct wd_cno *cno)
{
	eventfd_write(cno->efd, 1);
}

/* ---- EVDs of a CNO ------------------------------------------------------------------------- */

static void wd_cno_poll_fd(struct wd_cno *cno, struct wd_evd *evd, int fd, bool on)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.ptr = evd };

	if (fd >= 0)
		epoll_ctl(cno->epfd, on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, fd, &ev);
}

/* Start or stop the trigger by the EVD's queues. The CNO is locked. */
static void wd_cno_poll(struct wd_cno *cno, struct wd_evd *evd, bool on)
{
	if (evd->polled == on)
		return;
	evd->polled = on;
	wd_cno_poll_fd(cno, evd, evd->cq ? weft_cq_fd(evd->cq) : -1, on);
	wd_cno_poll_fd(cno, evd, evd->eq ? weft_eq_fd(evd->eq) : -1, on);
}

/* Set the EVD's CNO, NULL: none. @freed: the EVD is being freed. */
void wd_cno_set(struct wd_evd *evd, struct wd_cno *cno, bool freed)
{
	struct wd_ia *ia = evd->obj.ia;
	struct wd_cno *old;
	struct wd_evd **at;

	pthread_mutex_lock(&ia->cno_lock);
	pthread_mutex_lock(&evd->lock);
	old = evd->cno;
	evd->cno = NULL;
	pthread_mutex_unlock(&evd->lock);
	if (old) {
		pthread_mutex_lock(&old->lock);
		wd_cno_poll(old, evd, false);
		for (at = &old->evds; *at != evd; at = &(*at)->cno_next)
			;
		*at = evd->cno_next;
		if (freed && !old->evds) {
			old->emptied++;
			old->leaving = old->waiters + old->agents;
		}
		wd_cno_wake(old);
		pthread_mutex_unlock(&old->lock);
	}
	if (cno) {
		pthread_mutex_lock(&cno->lock);
		evd->cno_next = cno->evds;
		cno->evds = evd;
		wd_cno_poll(cno, evd, evd->enabled && !evd->gone);
		pthread_mutex_lock(&evd->lock);
		evd->cno = cno;
		pthread_mutex_unlock(&evd->lock);
		wd_cno_wake(cno);
		pthread_mutex_unlock(&cno->lock);
	}
	pthread_mutex_unlock(&ia->cno_lock);
}

/* The EVD has been enabled or disabled. */
void wd_cno_enabled(struct wd_evd *evd)
{
	struct wd_ia *ia = evd->obj.ia;

	pthread_mutex_lock(&ia->cno_lock);
	if (evd->cno) {
		pthread_mutex_lock(&evd->cno->lock);
		wd_cno_poll(evd->cno, evd, evd->enabled && !evd->gone);
		wd_cno_wake(evd->cno);
		pthread_mutex_unlock(&evd->cno->lock);
	}
	pthread_mutex_unlock(&ia->cno_lock);
}

/* ---- Waiting ------------------------------------------------------------------------------- */

/* Find the first EVD with news, and move it to the end of the list. The CNO is locked. */
static struct wd_evd *wd_cno_look(struct wd_cno *cno)
{
	struct wd_evd **at, **end, *evd;

	for (at = &cno->evds; *at && !wd_evd_news(*at); at = &(*at)->cno_next)
		;
	evd = *at;
	if (!evd)
		return NULL;
	*at = evd->cno_next;
	for (end = &cno->evds; *end; end = &(*end)->cno_next)
		;
	evd->cno_next = NULL;
	*end = evd;
	return evd;
}

/* Handle a wake-up: empty the eventfd, drop queues whose port has gone. The CNO is locked. */
static void wd_cno_drain(struct wd_cno *cno)
{
	struct epoll_event ev[8];
	int i, n = epoll_wait(cno->epfd, ev, 8, 0);
	struct wd_evd *evd;
	eventfd_t v;

	for (i = 0; i < n; i++) {
		if (ev[i].data.ptr == cno) {
			/* each leaving thread must see it */
			if (!cno->leaving && !cno->stopping && !cno->dead)
				eventfd_read(cno->efd, &v);
			continue;
		}
		for (evd = cno->evds; evd && evd != ev[i].data.ptr; evd = evd->cno_next)
			;
		if (!evd || !(ev[i].events & (EPOLLERR | EPOLLHUP)))
			continue;
		wd_cno_poll(cno, evd, false);
		wd_evd_gone(evd);
	}
}

/*
 * Wait for one of these: an EVD has news; no EVD is left, or the CNO ends (out: NULL); agents shall
 * end (DAT_ABORT). @emptied: cno->emptied at the start of the wait. The CNO is locked.
 */
static DAT_RETURN wd_cno_wait_locked(struct wd_cno *cno, int64_t until, bool is_agent,
				     uint32_t emptied, struct wd_evd **out)
{
	int err = 0;

	for (;;) {
		struct pollfd pfd = { .fd = cno->epfd, .events = POLLIN };

		*out = NULL;
		if (cno->emptied != emptied) {
			cno->leaving--;
			return DAT_SUCCESS;
		}
		if (cno->dead)
			return DAT_SUCCESS;
		if (is_agent && cno->stopping)
			return DAT_ABORT;
		*out = wd_cno_look(cno);
		if (*out)
			return DAT_SUCCESS;
		if (err == EINTR)
			return WD_ERR(DAT_INTERRUPTED_CALL, DAT_NO_SUBTYPE);
		if (err == ETIMEDOUT)
			return WD_ERR(DAT_QUEUE_EMPTY, DAT_NO_SUBTYPE);
		pthread_mutex_unlock(&cno->lock);
		err = wd_poll(&pfd, 1, until);
		pthread_mutex_lock(&cno->lock);
		wd_cno_drain(cno);
	}
}

DAT_RETURN wd_cno_wait(DAT_CNO_HANDLE handle, DAT_TIMEOUT timeout, DAT_EVD_HANDLE *out)
{
	struct wd_cno *cno = handle;
	struct wd_evd *evd;
	DAT_RETURN ret;

	if (!wd_is(handle, DAT_HANDLE_TYPE_CNO))
		return WD_BAD(DAT_INVALID_HANDLE_CNO);
	if (!out)
		return WD_ARG(3);
	pthread_mutex_lock(&cno->lock);
	cno->waiters++;
	ret = wd_cno_wait_locked(cno, wd_until(timeout), false, cno->emptied, &evd);
	cno->waiters--;
	pthread_cond_broadcast(&cno->idle);
	pthread_mutex_unlock(&cno->lock);
	*out = evd;
	return ret;
}

/* Return the EVD that triggered the CNO, after the program found the descriptor readable. */
DAT_RETURN wd_cno_trigger(DAT_CNO_HANDLE handle, DAT_EVD_HANDLE *out)
{
	struct wd_cno *cno = handle;

	if (!wd_is(handle, DAT_HANDLE_TYPE_CNO))
		return WD_BAD(DAT_INVALID_HANDLE_CNO);
	if (!out)
		return WD_ARG(2);
	pthread_mutex_lock(&cno->lock);
	wd_cno_drain(cno);
	*out = wd_cno_look(cno);
	/* stays readable while an EVD may have events */
	if (*out)
		wd_cno_wake(cno);
	pthread_mutex_unlock(&cno->lock);
	return DAT_SUCCESS;
}

/* ---- Agents -------------------------------------------------------------------------------- */

static void *wd_cno_agent(void *arg)
{
	DAT_OS_WAIT_PROXY_AGENT agent = { 0 };
	struct wd_cno *cno = arg;
	struct wd_evd *evd;

	pthread_mutex_lock(&cno->lock);
	if (wd_cno_wait_locked(cno, -1, true, cno->agent_since, &evd) == DAT_SUCCESS) {
		agent = cno->agent;
		cno->agent = (DAT_OS_WAIT_PROXY_AGENT){ 0 };
	}
	cno->agents--;
	pthread_cond_broadcast(&cno->idle);
	pthread_mutex_unlock(&cno->lock);
	if (agent.proxy_agent_func)
		agent.proxy_agent_func(agent.instance_data, evd);
	return NULL;
}

/* Start a thread that waits for the agent, with all signals blocked. The CNO is locked. */
static DAT_RETURN wd_cno_start(struct wd_cno *cno)
{
	sigset_t all, old;
	pthread_t thread;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&thread, NULL, wd_cno_agent, cno);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (err)
		return WD_NOMEM;
	pthread_detach(thread);
	cno->agents++;
	cno->agent_since = cno->emptied;
	return DAT_SUCCESS;
}

/* Prevent further calls of the agent. The CNO is locked. */
static void wd_cno_stop(struct wd_cno *cno)
{
	cno->agent = (DAT_OS_WAIT_PROXY_AGENT){ 0 };
	cno->stopping++;
	wd_cno_wake(cno);
	while (cno->agents)
		pthread_cond_wait(&cno->idle, &cno->lock);
	cno->stopping--;
}

DAT_RETURN wd_cno_modify_agent(DAT_CNO_HANDLE handle, DAT_OS_WAIT_PROXY_AGENT agent)
{
	struct wd_cno *cno = handle;
	DAT_RETURN ret = DAT_SUCCESS;

	if (!wd_is(handle, DAT_HANDLE_TYPE_CNO))
		return WD_BAD(DAT_INVALID_HANDLE_CNO);
	if (cno->is_fd)
		return WD_ARG(2);
	pthread_mutex_lock(&cno->lock);
	wd_cno_stop(cno);
	if (agent.proxy_agent_func)
		ret = wd_cno_start(cno);
	if (ret == DAT_SUCCESS)
		cno->agent = agent;
	pthread_mutex_unlock(&cno->lock);
	return ret;
}

/* ---- Life ---------------------------------------------------------------------------------- */

static void wd_cno_end(struct wd_cno *cno)
{
	if (cno->epfd >= 0)
		close(cno->epfd);
	if (cno->efd >= 0)
		close(cno->efd);
	pthread_cond_destroy(&cno->idle);
	pthread_mutex_destroy(&cno->lock);
	wd_free(cno);
}

static DAT_RETURN wd_cno_new(struct wd_ia *ia, struct wd_cno **out)
{
	struct wd_cno *cno = wd_new(ia, DAT_HANDLE_TYPE_CNO);
	struct epoll_event ev = { .events = EPOLLIN, .data.ptr = cno };

	if (!cno)
		return WD_NOMEM;
	pthread_mutex_init(&cno->lock, NULL);
	pthread_cond_init(&cno->idle, NULL);
	cno->epfd = epoll_create1(EPOLL_CLOEXEC);
	cno->efd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (cno->epfd < 0 || cno->efd < 0 ||
	    epoll_ctl(cno->epfd, EPOLL_CTL_ADD, cno->efd, &ev)) {
		wd_cno_end(cno);
		return WD_NOMEM;
	}
	*out = cno;
	return DAT_SUCCESS;
}

DAT_RETURN wd_cno_create(DAT_IA_HANDLE handle, DAT_OS_WAIT_PROXY_AGENT agent, DAT_CNO_HANDLE *out)
{
	struct wd_cno *cno;
	DAT_RETURN ret;

	if (!wd_is(handle, DAT_HANDLE_TYPE_IA))
		return WD_BAD(DAT_INVALID_HANDLE_IA);
	if (!out)
		return WD_ARG(3);
	ret = wd_cno_new(handle, &cno);
	if (ret != DAT_SUCCESS)
		return ret;
	ret = wd_cno_modify_agent(cno, agent);
	if (ret == DAT_SUCCESS)
		*out = cno;
	else
		wd_cno_end(cno);
	return ret;
}

DAT_RETURN wd_cno_fd_create(DAT_IA_HANDLE handle, DAT_FD *fd, DAT_CNO_HANDLE *out)
{
	struct wd_cno *cno;
	DAT_RETURN ret;

	if (!wd_is(handle, DAT_HANDLE_TYPE_IA))
		return WD_BAD(DAT_INVALID_HANDLE_IA);
	if (!fd)
		return WD_ARG(2);
	if (!out)
		return WD_ARG(3);
	ret = wd_cno_new(handle, &cno);
	if (ret != DAT_SUCCESS)
		return ret;
	cno->is_fd = true;
	*fd = cno->epfd;
	*out = cno;
	return DAT_SUCCESS;
}

DAT_RETURN wd_cno_query(DAT_CNO_HANDLE handle, DAT_CNO_PARAM_MASK mask, DAT_CNO_PARAM *param)
{
	DAT_RETURN ret = wd_query(handle, DAT_HANDLE_TYPE_CNO, mask & ~WD_CNO_FIELDS, param);
	struct wd_cno *cno = handle;

	if (ret != DAT_SUCCESS)
		return ret;
	memset(param, 0, sizeof(*param));
	param->ia_handle = cno->obj.ia;
	pthread_mutex_lock(&cno->lock);
	if (cno->is_fd) {
		param->proxy_type = DAT_PROXY_TYPE_FD;
		param->proxy.fd = cno->epfd;
	} else if (cno->agent.proxy_agent_func) {
		param->proxy_type = DAT_PROXY_TYPE_AGENT;
		param->proxy.agent = cno->agent;
	} else {
		param->proxy_type = DAT_PROXY_TYPE_NONE;
	}
	pthread_mutex_unlock(&cno->lock);
	return DAT_SUCCESS;
}

DAT_RETURN wd_cno_free(DAT_CNO_HANDLE handle)
{
	struct wd_cno *cno = handle;

	if (!wd_is(handle, DAT_HANDLE_TYPE_CNO))
		return WD_BAD(DAT_INVALID_HANDLE_CNO);
	pthread_mutex_lock(&cno->lock);
	if (cno->evds || cno->waiters) {
		pthread_mutex_unlock(&cno->lock);
		return WD_STATE(DAT_INVALID_STATE_CNO_IN_USE);
	}
	wd_cno_stop(cno);
	pthread_mutex_unlock(&cno->lock);
	wd_cno_end(cno);
	return DAT_SUCCESS;
}

/* Its IA is being closed: waiters return without an EVD. */
void wd_cno_destroy(struct wd_cno *cno)
{
	pthread_mutex_lock(&cno->lock);
	cno->dead = true;
	wd_cno_wake(cno);
	while (cno->waiters || cno->agents)
		pthread_cond_wait(&cno->idle, &cno->lock);
	pthread_mutex_unlock(&cno->lock);
	wd_cno_end(cno);
}
