// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Event dispatchers and what they notify, through libdat2: waiters, agents, descriptors, lengths,
 * completion flags; closed adapters.
 * TIMEOUT: 120 NEEDS: dat
 */
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "dpair.h"
#include <dat2/dat_registry.h>
#include <dat2/udat_redirection.h>

#define BUF	64

static bool apart;

/* An event of the program's own. */
static bool software(DAT_EVD_HANDLE evd)
{
	DAT_EVENT ev = { .event_number = DAT_SOFTWARE_EVENT };

	OK(dat_evd_post_se(evd, &ev));
	return true;
}

/* ---- Waiting --------------------------------------------------------------------------------- */

/**
 * struct waiter - a thread that waits for an EVD or a CNO
 * @thread: the thread
 * @tid: its number, once it runs
 * @cno: CNO, or NULL
 * @evd: EVD; of a CNO: the one that the wait returned
 * @threshold: for an EVD
 * @ret: result of the call
 * @ev: the event
 * @more: number of events that are left
 */
struct waiter {
	pthread_t thread;
	atomic_int tid;
	DAT_CNO_HANDLE cno;
	DAT_EVD_HANDLE evd;
	DAT_COUNT threshold;
	DAT_RETURN ret;
	DAT_EVENT ev;
	DAT_COUNT more;
};

static void *waits(void *arg)
{
	struct waiter *w = arg;

	w->tid = syscall(SYS_gettid);
	if (w->cno)
		w->ret = dat_cno_wait(w->cno, WAIT_US, &w->evd);
	else
		w->ret = dat_evd_wait(w->evd, WAIT_US, w->threshold, &w->ev, &w->more);
	return NULL;
}

/* Start a waiter, and wait until it sleeps. */
static bool begin(struct waiter *w, DAT_CNO_HANDLE cno, DAT_EVD_HANDLE evd, DAT_COUNT threshold)
{
	*w = (struct waiter) { .cno = cno, .evd = evd, .threshold = threshold };
	CHECK_EQ(pthread_create(&w->thread, NULL, waits, w), 0);
	return sleeps(&w->tid);
}

static bool ends(struct waiter *w, DAT_RETURN ret)
{
	CHECK_EQ(pthread_join(w->thread, NULL), 0);
	CHECK_EQ(w->ret, ret);
	return true;
}

static bool told(struct waiter *w, DAT_EVD_HANDLE evd)
{
	CHECK(ends(w, DAT_SUCCESS));
	CHECK(w->evd == evd);
	return true;
}

/* No event triggers the CNO now. */
static bool quiet(DAT_CNO_HANDLE cno)
{
	DAT_EVD_HANDLE evd = cno;

	FAILS(dat_cno_wait(cno, 1000, &evd), DAT_QUEUE_EMPTY, DAT_NO_SUBTYPE);
	CHECK(!evd);
	return true;
}

/* A blocked thread wakes for each kind of event, of any of its dispatchers. */
static bool any_event(void)
{
	DAT_CNO_HANDLE cno, other;
	DAT_EVD_HANDLE soft, evd;
	struct waiter w, direct;
	DAT_EVENT ev;

	CHECK(dpair_open(apart, 16, 1));
	OK(dat_cno_create(b.ia, DAT_OS_WAIT_PROXY_AGENT_NULL, &cno));
	OK(dat_cno_create(b.ia, DAT_OS_WAIT_PROXY_AGENT_NULL, &other));
	OK(dat_evd_create(b.ia, 4, cno, DAT_EVD_SOFTWARE_FLAG, &soft));
	OK(dat_evd_modify_cno(b.rx, cno));
	OK(dat_evd_modify_cno(b.cr, cno));
	CHECK(quiet(cno));

	CHECK(begin(&w, cno, NULL, 0));
	CHECK(software(soft));
	CHECK(told(&w, soft));
	CHECK(next(soft, &ev));
	CHECK_EQ(ev.event_number, DAT_SOFTWARE_EVENT);

	CHECK(begin(&w, cno, NULL, 0));
	CHECK(dpair_ask(&a, dpair_addr()));
	CHECK(told(&w, b.cr));
	CHECK(dpair_accept());
	CHECK(conn(a.conn, DAT_CONNECTION_EVENT_ESTABLISHED, a.ep[0]));

	OK(post(0, BUF, 1));
	CHECK(begin(&w, cno, NULL, 0));
	OK(put(0, 0, 8, 1));
	CHECK(told(&w, b.rx));
	/* the event is still in the queue: it triggers the CNO again */
	OK(dat_cno_wait(cno, 0, &evd));
	CHECK(evd == b.rx);
	CHECK(dto(b.rx, b.ep[0], 1, DAT_DTO_SUCCESS, 8));
	CHECK(quiet(cno));

	/* a disabled dispatcher triggers nothing; one that is unwaitable does */
	OK(dat_evd_disable(b.rx));
	OK(dat_evd_disable(b.rx));
	OK(post(0, BUF, 2));
	OK(put(0, 0, 8, 2));
	CHECK(counts_become(0, 1));
	CHECK(quiet(cno));
	CHECK(begin(&w, cno, NULL, 0));
	OK(dat_evd_enable(b.rx));
	CHECK(told(&w, b.rx));
	CHECK(dto(b.rx, b.ep[0], 2, DAT_DTO_SUCCESS, 8));
	OK(dat_evd_set_unwaitable(b.rx));
	OK(post(0, BUF, 3));
	CHECK(begin(&w, cno, NULL, 0));
	OK(put(0, 0, 8, 3));
	CHECK(told(&w, b.rx));
	OK(dat_evd_clear_unwaitable(b.rx));
	CHECK(dto(b.rx, b.ep[0], 3, DAT_DTO_SUCCESS, 8));

	/* a direct waiter comes first */
	OK(post(0, BUF, 4));
	CHECK(begin(&direct, NULL, b.rx, 1));
	CHECK(begin(&w, cno, NULL, 0));
	OK(put(0, 0, 8, 4));
	CHECK(ends(&direct, DAT_SUCCESS));
	CHECK_EQ(direct.ev.event_data.dto_completion_event_data.user_cookie.as_64, 4);
	CHECK(software(soft));
	CHECK(told(&w, soft));
	CHECK(next(soft, &ev));

	/* from now on another CNO is triggered */
	OK(dat_evd_modify_cno(soft, other));
	CHECK(software(soft));
	CHECK(quiet(cno));
	OK(dat_cno_wait(other, WAIT_US, &evd));
	CHECK(evd == soft);
	FAILS(dat_cno_free(other), DAT_INVALID_STATE, DAT_INVALID_STATE_CNO_IN_USE);
	OK(dat_evd_free(soft));
	OK(dat_cno_free(other));
	return true;
}

/* A thread waits while the last object that it can wait for is removed. */
static bool nothing_left(void)
{
	DAT_EVD_HANDLE soft, evd;
	DAT_CNO_HANDLE cno;
	struct waiter w[2];

	CHECK(dpair_open(apart, 16, 1));
	OK(dat_cno_create(b.ia, DAT_OS_WAIT_PROXY_AGENT_NULL, &cno));
	CHECK(begin(&w[0], cno, NULL, 0));
	FAILS(dat_cno_free(cno), DAT_INVALID_STATE, DAT_INVALID_STATE_CNO_IN_USE);
	OK(dat_evd_create(b.ia, 4, cno, DAT_EVD_SOFTWARE_FLAG, &soft));
	CHECK(software(soft));
	CHECK(told(&w[0], soft));
	OK(dat_evd_dequeue(soft, &w[0].ev));
	CHECK(begin(&w[0], cno, NULL, 0));
	CHECK(begin(&w[1], cno, NULL, 0));
	OK(dat_evd_free(soft));
	CHECK(told(&w[0], NULL));
	CHECK(told(&w[1], NULL));
	OK(dat_evd_create(b.ia, 4, cno, DAT_EVD_SOFTWARE_FLAG, &soft));
	CHECK(quiet(cno));

	/* the adapter is closed */
	CHECK(begin(&w[0], cno, NULL, 0));
	CHECK(begin(&w[1], NULL, soft, 1));
	FAILS(dat_evd_free(soft), DAT_INVALID_STATE, DAT_INVALID_STATE_EVD_WAITER);
	OK(dat_ia_close(b.ia, DAT_CLOSE_ABRUPT_FLAG));
	b.ia = NULL;
	CHECK(told(&w[0], NULL));
	CHECK(ends(&w[1], DAT_CLASS_ERROR | DAT_ABORT));
	FAILS(dat_cno_wait(cno, 0, &evd), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_CNO);
	return true;
}

/* ---- Agents, descriptors ------------------------------------------------------------------- */

static sem_t called;
static atomic_int calls;
static DAT_EVD_HANDLE called_for;
static DAT_CNO_HANDLE again;

static void agent(DAT_PVOID data, DAT_EVD_HANDLE evd)
{
	DAT_OS_WAIT_PROXY_AGENT next = { .instance_data = data, .proxy_agent_func = agent };

	called_for = evd;
	calls++;
	if (again) {
		dat_evd_dequeue(evd, data);
		dat_cno_modify_agent(again, next);
		again = NULL;
	}
	sem_post(&called);
}

static bool agent_called(DAT_EVD_HANDLE evd, int n)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += WAIT_US / 1000000;
	CHECK_EQ(sem_timedwait(&called, &until), 0);
	CHECK(called_for == evd);
	CHECK_EQ(calls, n);
	return true;
}

/* An agent is called once, and then detached; it may attach itself again. */
static bool agents(void)
{
	DAT_EVENT ev;
	DAT_OS_WAIT_PROXY_AGENT is = { .instance_data = &ev, .proxy_agent_func = agent };
	DAT_EVD_HANDLE soft, evd;
	DAT_CNO_HANDLE cno;
	DAT_CNO_PARAM param;

	sem_init(&called, 0, 0);
	calls = 0;
	CHECK(dpair_open(apart, 16, 1));
	OK(dat_cno_create(b.ia, is, &cno));
	OK(dat_cno_query(cno, DAT_CNO_FIELD_ALL, &param));
	CHECK(param.ia_handle && param.proxy_type == DAT_PROXY_TYPE_AGENT);
	CHECK(param.proxy.agent.proxy_agent_func == agent);
	CHECK(param.proxy.agent.instance_data == &ev);
	OK(dat_evd_create(b.ia, 4, cno, DAT_EVD_SOFTWARE_FLAG, &soft));
	again = cno;
	CHECK(software(soft));
	CHECK(agent_called(soft, 1));
	CHECK(software(soft));
	CHECK(agent_called(soft, 2));
	OK(dat_cno_query(cno, DAT_CNO_FIELD_ALL, &param));
	CHECK_EQ(param.proxy_type, DAT_PROXY_TYPE_NONE);
	/* a waiter is woken besides */
	OK(dat_cno_wait(cno, WAIT_US, &evd));
	CHECK(evd == soft);
	OK(dat_evd_dequeue(soft, &ev));

	/* removed: after the call returns the agent is not called any more */
	OK(dat_cno_modify_agent(cno, is));
	OK(dat_cno_modify_agent(cno, DAT_OS_WAIT_PROXY_AGENT_NULL));
	CHECK(software(soft));
	OK(dat_cno_wait(cno, WAIT_US, &evd));
	CHECK_EQ(calls, 2);
	/* at once, if an event waits */
	OK(dat_cno_modify_agent(cno, is));
	CHECK(agent_called(soft, 3));
	OK(dat_evd_dequeue(soft, &ev));
	OK(dat_cno_modify_agent(cno, is));
	OK(dat_evd_free(soft));
	CHECK(agent_called(NULL, 4));
	OK(dat_cno_modify_agent(cno, is));
	OK(dat_cno_free(cno));
	CHECK_EQ(calls, 4);
	OK(dat_cno_create(b.ia, is, &cno));
	OK(dat_ia_close(b.ia, DAT_CLOSE_ABRUPT_FLAG));
	b.ia = NULL;
	return agent_called(NULL, 5);
}

static int readable(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, ms);
}

/* A file that a program polls itself. libdat2 lacks the functions, the header has them. */
static bool descriptor(void)
{
	DAT_OS_WAIT_PROXY_AGENT no = DAT_OS_WAIT_PROXY_AGENT_NULL;
	DAT_EVD_HANDLE soft, evd;
	DAT_CNO_PARAM param;
	DAT_CNO_HANDLE cno;
	DAT_IA_HANDLE ia;
	DAT_EVENT ev;
	DAT_FD fd;

	CHECK(dpair_open(apart, 16, 1));
	CHECK(dpair_link(1));
	OK(dats_get_ia_handle(b.ia, &ia));
	FAILS(DAT_CNO_FD_CREATE(ia, NULL, &cno), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	FAILS(DAT_CNO_FD_CREATE(ia, &fd, NULL), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	OK(DAT_CNO_FD_CREATE(ia, &fd, &cno));
	OK(dat_cno_query(cno, DAT_CNO_FIELD_ALL, &param));
	CHECK(param.proxy_type == DAT_PROXY_TYPE_FD && param.proxy.fd == fd);
	FAILS(dat_cno_modify_agent(cno, no), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	OK(dat_evd_create(b.ia, 4, cno, DAT_EVD_SOFTWARE_FLAG, &soft));
	OK(dat_evd_modify_cno(b.rx, cno));
	OK(DAT_CNO_TRIGGER(cno, &evd));
	CHECK(!evd);
	CHECK_EQ(readable(fd, 0), 0);
	OK(post(0, BUF, 1));
	OK(put(0, 0, 8, 1));
	CHECK_EQ(readable(fd, WAIT_US / 1000), 1);
	OK(DAT_CNO_TRIGGER(cno, &evd));
	CHECK(evd == b.rx);
	/* readable as long as an event may wait */
	CHECK_EQ(readable(fd, 0), 1);
	CHECK(dto(b.rx, b.ep[0], 1, DAT_DTO_SUCCESS, 8));
	OK(DAT_CNO_TRIGGER(cno, &evd));
	CHECK(!evd);
	CHECK_EQ(readable(fd, 0), 0);
	CHECK(software(soft));
	CHECK_EQ(readable(fd, 0), 1);
	OK(DAT_CNO_TRIGGER(cno, &evd));
	CHECK(evd == soft);
	OK(dat_evd_dequeue(soft, &ev));
	FAILS(DAT_CNO_TRIGGER(cno, NULL), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	return true;
}

/* ---- Lengths ------------------------------------------------------------------------------- */

static DAT_COUNT length(DAT_EVD_HANDLE evd)
{
	DAT_EVD_PARAM param;

	return dat_evd_query(evd, DAT_EVD_FIELD_ALL, &param) == DAT_SUCCESS ? param.evd_qlen : -1;
}

/* The kernel fills a queue while its length grows and shrinks; no event is lost. */
static bool resize(void)
{
	enum { N = 200, MORE = 600 };
	struct waiter w;
	DAT_COUNT more;
	DAT_EVENT ev;
	int i, n;

	CHECK(dpair_open(apart, 256, 1));
	OK(dat_evd_free(b.rx));
	OK(dat_evd_create(b.ia, 8, DAT_HANDLE_NULL, DAT_EVD_DTO_FLAG, &b.rx));
	CHECK(dpair_link(1));
	for (i = 0; i < 256; i++)
		OK(post(0, BUF, i));
	for (i = 0; i < N; i++)
		OK(put(0, 0, 8, i));
	for (i = 0; i < N; i++)
		CHECK(dto(a.tx, a.ep[0], i, DAT_DTO_SUCCESS, 8));
	FAILS(dat_evd_wait(b.rx, 0, 9, &ev, &more), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	FAILS(dat_evd_resize(b.rx, 7), DAT_INVALID_STATE, DAT_NO_SUBTYPE);
	CHECK_EQ(length(b.rx), 8);
	OK(dat_evd_resize(b.rx, 300));
	CHECK_EQ(length(b.rx), 300);
	/* all of them are there now: one is taken */
	OK(dat_evd_wait(b.rx, WAIT_US, N, &ev, &more));
	CHECK_EQ(more, N - 1);
	CHECK_EQ(ev.event_data.dto_completion_event_data.user_cookie.as_64, 0);
	FAILS(dat_evd_resize(b.rx, N - 2), DAT_INVALID_STATE, DAT_NO_SUBTYPE);
	CHECK_EQ(length(b.rx), 300);
	OK(dat_evd_resize(b.rx, N - 1));
	for (i = 1; i < N; i++)
		CHECK(dto(b.rx, b.ep[0], i, DAT_DTO_SUCCESS, 8));
	CHECK(none(b.rx));
	FAILS(dat_evd_resize(b.rx, 0), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	FAILS(dat_evd_resize(b.rx, -1), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);

	/* while messages arrive */
	for (i = n = 0; i < MORE; i++) {
		for (; n < MORE && n < i + 40; n++)
			OK(put(0, 0, 8, n));
		if (i % 5 == 2)
			(void)dat_evd_resize(b.rx, 1 + i * 7 % 60);
		CHECK(next(b.rx, &ev));
		CHECK_EQ(ev.event_data.dto_completion_event_data.user_cookie.as_64,
			 (N + i) % 256);
		OK(post(0, BUF, i % 256));
		CHECK(dto(a.tx, a.ep[0], i, DAT_DTO_SUCCESS, 8));
	}
	CHECK(none(b.rx));

	/* a waiter whose threshold cannot be reached any more; one whose threshold still can */
	OK(dat_evd_resize(b.rx, 20));
	CHECK(begin(&w, NULL, b.rx, 15));
	OK(dat_evd_resize(b.rx, 14));
	CHECK(ends(&w, DAT_CLASS_ERROR | DAT_INVALID_PARAMETER | DAT_INVALID_ARG3));
	CHECK(begin(&w, NULL, b.rx, 3));
	OK(dat_evd_resize(b.rx, 3));
	OK(dat_evd_resize(b.rx, 30));
	for (i = 0; i < 3; i++)
		OK(put(0, 0, 8, i));
	CHECK(ends(&w, DAT_SUCCESS));
	CHECK_EQ(w.more, 2);
	return true;
}

/* A full queue refuses the program's events; the kernel's events wait. */
static bool full(void)
{
	DAT_EVENT ev = { .event_number = DAT_SOFTWARE_EVENT };
	DAT_EVD_HANDLE soft;
	int i;

	CHECK(dpair_open(apart, 16, 1));
	OK(dat_evd_create(b.ia, 3, DAT_HANDLE_NULL, DAT_EVD_SOFTWARE_FLAG, &soft));
	for (i = 0; i < 3; i++) {
		ev.event_data.software_event_data.pointer = (void *)(uintptr_t)i;
		OK(dat_evd_post_se(soft, &ev));
	}
	FAILS(dat_evd_post_se(soft, &ev), DAT_QUEUE_FULL, DAT_NO_SUBTYPE);
	for (i = 0; i < 3; i++) {
		OK(dat_evd_dequeue(soft, &ev));
		CHECK(ev.event_data.software_event_data.pointer == (void *)(uintptr_t)i);
		CHECK(ev.evd_handle == soft);
	}
	CHECK(none(soft));
	ev.event_number = DAT_DTO_COMPLETION_EVENT;
	FAILS(dat_evd_post_se(soft, &ev), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	return true;
}

/* ---- Flags --------------------------------------------------------------------------------- */

/* Sends that do not wake a waiter, and one that does; how the flags change a dispatcher. */
static bool unsignalled(void)
{
	DAT_EP_ATTR attr = {
		.service_type = DAT_SERVICE_TYPE_RC,
		.max_recv_dtos = 8,
		.max_request_dtos = 8,
		.max_recv_iov = 1,
		.max_request_iov = 1,
		.request_completion_flags = DAT_COMPLETION_UNSIGNALLED_FLAG,
		.srq_soft_hw = DAT_HW_DEFAULT,
	};
	DAT_COUNT more;
	struct waiter w;
	DAT_EVENT ev;
	int i;

	CHECK(dpair_open(apart, 16, 1));
	for (i = 0; i < 8; i++)
		OK(post(0, BUF, i));
	OK(dat_ep_create(a.ia, a.pz, a.rx, a.tx, a.conn, &attr, &a.ep[0]));
	FAILS(dat_evd_wait(a.tx, 0, 2, &ev, &more), DAT_INVALID_STATE,
	      DAT_INVALID_STATE_EVD_CONFIG_NOTIFY);
	OK(dat_ep_connect(a.ep[0], dpair_addr(), QUAL, DAT_TIMEOUT_INFINITE, 0, NULL,
			  DAT_QOS_BEST_EFFORT, DAT_CONNECT_DEFAULT_FLAG));
	CHECK(dpair_accept());
	CHECK(conn(a.conn, DAT_CONNECTION_EVENT_ESTABLISHED, a.ep[0]));
	CHECK(begin(&w, NULL, a.tx, 1));
	for (i = 0; i < 3; i++) {
		OK(put_as(0, 0, 8, i, DAT_COMPLETION_UNSIGNALLED_FLAG));
		CHECK(dto(b.rx, b.ep[0], i, DAT_DTO_SUCCESS, 8));
	}
	OK(put(0, 0, 8, 3));
	CHECK(ends(&w, DAT_SUCCESS));
	CHECK_EQ(w.ev.event_data.dto_completion_event_data.user_cookie.as_64, 0);
	CHECK_EQ(w.more, 3);
	for (i = 1; i < 4; i++)
		CHECK(dto(a.tx, a.ep[0], i, DAT_DTO_SUCCESS, 8));
	OK(dat_ep_free(a.ep[0]));
	CHECK_EQ(DAT_GET_TYPE(dat_evd_wait(a.tx, 0, 2, &ev, &more)), DAT_TIMEOUT_EXPIRED);
	return true;
}

/* Flags of receives: which the dispatcher needs, and which exclude each other. */
static bool recv_flags(void)
{
	static const struct {
		DAT_COMPLETION_FLAGS flags;
		DAT_EVD_STATE config;
		bool one;
	} ways[] = {
		{ DAT_COMPLETION_DEFAULT_FLAG, DAT_EVD_STATE_CONFIG_NOTIFY, false },
		{ DAT_COMPLETION_SOLICITED_WAIT_FLAG, DAT_EVD_STATE_CONFIG_SOLICITED, true },
		{ DAT_COMPLETION_EVD_THRESHOLD_FLAG, DAT_EVD_STATE_CONFIG_THRESHOLD, false },
	};
	DAT_EVD_PARAM param;
	DAT_COUNT more;
	DAT_EVENT ev;
	unsigned int i;

	CHECK(dpair_open(apart, 16, 1));
	for (i = 0; i < 3; i++) {
		battr.recv_completion_flags = ways[i].flags;
		OK(dat_ep_create_with_srq(b.ia, b.pz, b.rx, b.tx, b.conn, b.srq, &battr,
					  &b.ep[0]));
		OK(dat_evd_query(b.rx, DAT_EVD_FIELD_ALL, &param));
		CHECK_EQ(param.evd_state, DAT_EVD_STATE_ENABLED | DAT_EVD_STATE_WAITABLE |
					  ways[i].config);
		CHECK_EQ(DAT_GET_TYPE(dat_evd_wait(b.rx, 0, 2, &ev, &more)),
			 ways[i].one ? DAT_INVALID_STATE : DAT_TIMEOUT_EXPIRED);
		OK(dat_ep_free(b.ep[0]));
	}
	battr.recv_completion_flags = DAT_COMPLETION_EVD_THRESHOLD_FLAG |
				      DAT_COMPLETION_UNSIGNALLED_FLAG;
	FAILS(dat_ep_create_with_srq(b.ia, b.pz, b.rx, b.tx, b.conn, b.srq, &battr, &b.ep[0]),
	      DAT_INVALID_PARAMETER, DAT_INVALID_ARG7);
	OK(dat_evd_set_unwaitable(b.rx));
	OK(dat_evd_disable(b.rx));
	OK(dat_evd_query(b.rx, DAT_EVD_FIELD_ALL, &param));
	CHECK_EQ(param.evd_state, DAT_EVD_STATE_DISABLED | DAT_EVD_STATE_UNWAITABLE |
				  DAT_EVD_STATE_CONFIG_NOTIFY);
	CHECK(!param.cno_handle);
	CHECK_EQ(param.evd_flags, DAT_EVD_DTO_FLAG);
	return true;
}

/* A suppressed completion appears when the operation fails. */
static bool suppressed(void)
{
	CHECK(dpair_open(apart, 16, 1));
	CHECK(dpair_link(1));
	OK(put_as(0, 0, 8, 1, DAT_COMPLETION_SUPPRESS_FLAG));
	OK(dat_ep_disconnect(a.ep[0], DAT_CLOSE_ABRUPT_FLAG));
	CHECK(conn(a.conn, DAT_CONNECTION_EVENT_DISCONNECTED, a.ep[0]));
	return dto(a.tx, a.ep[0], 1, DAT_DTO_ERR_FLUSHED, 0);
}

/* An endpoint that is freed leaves its completions that wait for the queue. */
static bool freed(void)
{
	int i;

	CHECK(dpair_open(apart, 128, 1));
	OK(dat_evd_free(b.rx));
	OK(dat_evd_create(b.ia, 1, DAT_HANDLE_NULL, DAT_EVD_DTO_FLAG, &b.rx));
	CHECK(dpair_link(1));
	for (i = 0; i < 128; i++)
		OK(post(0, BUF, i));
	for (i = 0; i < 100; i++) {
		OK(put(0, 0, 8, i));
		CHECK(dto(a.tx, a.ep[0], i, DAT_DTO_SUCCESS, 8));
	}
	CHECK(counts(28, 128));
	OK(dat_ep_free(b.ep[0]));
	for (i = 0; i < 100; i++) {
		DAT_EVENT ev;

		CHECK(next(b.rx, &ev));
		CHECK_EQ(ev.event_data.dto_completion_event_data.user_cookie.as_64, i);
	}
	CHECK(none(b.rx));
	CHECK(counts(28, 28));
	CHECK(conn(a.conn, DAT_CONNECTION_EVENT_DISCONNECTED, a.ep[0]));
	/* the endpoint created in its place gets none of them */
	OK(dat_evd_create(b.ia, 4, DAT_HANDLE_NULL, DAT_EVD_CONNECTION_FLAG, &b.conn));
	b.neps = 0;
	CHECK(dpair_link(1));
	OK(put(1, 0, 8, 0));
	return dto(b.rx, b.ep[0], 100, DAT_DTO_SUCCESS, 8);
}

static const struct check cases[] = {
	{ "any event wakes", any_event },
	{ "nothing left to wait for", nothing_left },
	{ "agents", agents },
	{ "a descriptor", descriptor },
	{ "resize", resize },
	{ "a full queue", full },
	{ "unsignalled", unsignalled },
	{ "flags of receives", recv_flags },
	{ "suppressed", suppressed },
	{ "an endpoint that goes", freed },
};

int main(void)
{
	checks_run_everywhere(cases, sizeof(cases) / sizeof(cases[0]), &apart, dpair_close);
	return results_end();
}
