// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Consumer notification objects: one thread waits for several EVDs. Proxy agents would need a
 * thread of the library's own, which it has not.
 */
#include <poll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "weft_dat.h"

DAT_RETURN wd_cno_create(DAT_IA_HANDLE handle, DAT_OS_WAIT_PROXY_AGENT agent, DAT_CNO_HANDLE *out)
{
	struct wd_cno *cno;

	if (!wd_is(handle, DAT_HANDLE_TYPE_IA))
		return WD_BAD(DAT_INVALID_HANDLE_IA);
	if (agent.proxy_agent_func)
		return WD_NOT_SUPPORTED;
	if (!out)
		return WD_ARG(3);
	cno = wd_new(handle, DAT_HANDLE_TYPE_CNO);
	if (!cno)
		return WD_NOMEM;
	cno->efd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (cno->efd < 0) {
		wd_free(cno);
		return WD_NOMEM;
	}
	pthread_mutex_init(&cno->lock, NULL);
	*out = cno;
	return DAT_SUCCESS;
}

DAT_RETURN wd_cno_query(DAT_CNO_HANDLE handle, DAT_CNO_PARAM_MASK mask, DAT_CNO_PARAM *param)
{
	struct wd_cno *cno = handle;

	if (!wd_is(handle, DAT_HANDLE_TYPE_CNO))
		return WD_BAD(DAT_INVALID_HANDLE_CNO);
	if (!param)
		return WD_ARG(3);
	memset(param, 0, sizeof(*param));
	param->ia_handle = cno->obj.ia;
	param->proxy_type = DAT_PROXY_TYPE_NONE;
	return DAT_SUCCESS;
}

DAT_RETURN wd_cno_free(DAT_CNO_HANDLE handle)
{
	struct wd_cno *cno = handle;

	if (!wd_is(handle, DAT_HANDLE_TYPE_CNO))
		return WD_BAD(DAT_INVALID_HANDLE_CNO);
	if (cno->evds)
		return WD_STATE(DAT_INVALID_STATE_CNO_IN_USE);
	close(cno->efd);
	pthread_mutex_destroy(&cno->lock);
	wd_free(cno);
	return DAT_SUCCESS;
}

void wd_cno_attach(struct wd_cno *cno, struct wd_evd *evd)
{
	pthread_mutex_lock(&cno->lock);
	evd->cno = cno;
	evd->cno_next = cno->evds;
	cno->evds = evd;
	pthread_mutex_unlock(&cno->lock);
	eventfd_write(cno->efd, 1);
}

void wd_cno_detach(struct wd_evd *evd)
{
	struct wd_cno *cno = evd->cno;
	struct wd_evd **at;

	if (!cno)
		return;
	pthread_mutex_lock(&cno->lock);
	for (at = &cno->evds; *at != evd; at = &(*at)->cno_next)
		;
	*at = evd->cno_next;
	evd->cno = NULL;
	pthread_mutex_unlock(&cno->lock);
	eventfd_write(cno->efd, 1);
}

/* The first EVD with news goes to the end of the list. The CNO is locked. */
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

/* Files to poll. The CNO is locked. Return: NULL: no memory. */
static struct pollfd *wd_cno_fds(struct wd_cno *cno, unsigned int *n)
{
	struct pollfd *fds;
	struct wd_evd *evd;

	for (*n = 1, evd = cno->evds; evd; evd = evd->cno_next)
		*n += 3;
	fds = calloc(*n, sizeof(*fds));
	if (!fds)
		return NULL;
	fds[0].fd = cno->efd;
	for (*n = 1, evd = cno->evds; evd; evd = evd->cno_next) {
		fds[(*n)++].fd = evd->efd;
		fds[(*n)++].fd = evd->cq ? weft_cq_fd(evd->cq) : -1;
		fds[(*n)++].fd = evd->eq ? weft_eq_fd(evd->eq) : -1;
	}
	return fds;
}

DAT_RETURN wd_cno_wait(DAT_CNO_HANDLE handle, DAT_TIMEOUT timeout, DAT_EVD_HANDLE *out)
{
	struct wd_cno *cno = handle;
	struct timespec now, end;
	struct pollfd *fds;
	struct wd_evd *evd;
	unsigned int i, n;
	int64_t left = -1;
	eventfd_t v;
	int ret;

	if (!wd_is(handle, DAT_HANDLE_TYPE_CNO))
		return WD_BAD(DAT_INVALID_HANDLE_CNO);
	if (!out)
		return WD_ARG(3);
	clock_gettime(CLOCK_MONOTONIC, &end);
	for (;;) {
		pthread_mutex_lock(&cno->lock);
		evd = wd_cno_look(cno);
		fds = evd ? NULL : wd_cno_fds(cno, &n);
		pthread_mutex_unlock(&cno->lock);
		if (evd) {
			*out = evd;
			return DAT_SUCCESS;
		}
		if (!fds)
			return WD_NOMEM;
		if (timeout != DAT_TIMEOUT_INFINITE) {
			clock_gettime(CLOCK_MONOTONIC, &now);
			left = timeout - (now.tv_sec - end.tv_sec) * 1000000ll -
			       (now.tv_nsec - end.tv_nsec) / 1000;
			if (left <= 0) {
				free(fds);
				*out = DAT_HANDLE_NULL;
				return WD_ERR(DAT_TIMEOUT_EXPIRED, DAT_NO_SUBTYPE);
			}
			now.tv_sec = left / 1000000;
			now.tv_nsec = left % 1000000 * 1000;
		}
		for (i = 0; i < n; i++)
			fds[i].events = POLLIN;
		ret = ppoll(fds, n, left < 0 ? NULL : &now, NULL);
		for (i = 0; ret > 0 && i < n; i++)
			if (fds[i].revents && (!i || i % 3 == 1))
				eventfd_read(fds[i].fd, &v);
		free(fds);
		if (ret < 0 && errno == EINTR)
			return WD_ERR(DAT_INTERRUPTED_CALL, DAT_NO_SUBTYPE);
	}
}
