// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Shared receive queues through libdat2: which thread is woken when; many endpoints; threads that
 * post while others reap.
 * TIMEOUT: 400 NEEDS: dat
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "srows.h"

#define BUF	64

/* ---- Waking ------------------------------------------------------------------------------ */

/**
 * struct waiter - a thread that waits for B's receives
 * @thread: the thread
 * @tid: its number, once it runs
 * @threshold: number of events that it waits for
 * @ret: result of dat_evd_wait()
 * @ev: the event
 * @more: number of events that are left
 */
struct waiter {
	pthread_t thread;
	atomic_int tid;
	DAT_COUNT threshold;
	DAT_RETURN ret;
	DAT_EVENT ev;
	DAT_COUNT more;
};

static void *waits(void *arg)
{
	struct waiter *w = arg;

	w->tid = syscall(SYS_gettid);
	w->ret = dat_evd_wait(b.rx, WAIT_US, w->threshold, &w->ev, &w->more);
	return NULL;
}

/* Start the thread, and wait until it sleeps. */
static bool waiter_start(struct waiter *w, DAT_COUNT threshold)
{
	*w = (struct waiter) { .threshold = threshold };
	CHECK_EQ(pthread_create(&w->thread, NULL, waits, w), 0);
	return sleeps(&w->tid);
}

/* The thread has been woken by now: the first of @n events is its own. */
static bool waiter_has(struct waiter *w, uint64_t first, int n)
{
	CHECK_EQ(pthread_join(w->thread, NULL), 0);
	OK(w->ret);
	CHECK_EQ(w->ev.event_data.dto_completion_event_data.user_cookie.as_64, first);
	CHECK_EQ(w->more, n - 1);
	return true;
}

static bool open_with(DAT_COMPLETION_FLAGS flags)
{
	int n;

	CHECK(dpair_open(apart, 16, 1));
	battr.recv_completion_flags = flags;
	CHECK(dpair_link(1));
	for (n = 0; n < 8; n++)
		OK(post(n * BUF, BUF, n));
	return true;
}

/* Each completion wakes, whether or not the endpoint permits posts that do not wake. */
static bool each_wakes(void)
{
	DAT_COMPLETION_FLAGS flags[] = { DAT_COMPLETION_DEFAULT_FLAG,
					 DAT_COMPLETION_UNSIGNALLED_FLAG };
	struct waiter w;
	int i, n;

	for (i = 0; i < 2; i++) {
		CHECK(open_with(flags[i]));
		for (n = 0; n < 3; n++) {
			CHECK(waiter_start(&w, 1));
			OK(put(0, 0, 8, n));
			CHECK(waiter_has(&w, n, 1));
		}
		dpair_close();
	}
	return true;
}

/* The sender decides. Completions that do not wake can be dequeued, and wait for one that wakes. */
static bool solicited(void)
{
	uint64_t until = now_ms() + WAIT_US / 1000;
	struct waiter w;
	DAT_EVENT ev;

	CHECK(open_with(DAT_COMPLETION_SOLICITED_WAIT_FLAG));
	CHECK(waiter_start(&w, 1));
	OK(put(0, 0, 8, 0));
	while (dat_evd_dequeue(b.rx, &ev) != DAT_SUCCESS)
		CHECK(now_ms() < until);
	CHECK_EQ(ev.event_data.dto_completion_event_data.user_cookie.as_64, 0);
	OK(put(0, 0, 8, 1));
	CHECK(counts_become(6, 7));
	CHECK(dto(a.tx, a.ep[0], 0, DAT_DTO_SUCCESS, 8));
	CHECK(dto(a.tx, a.ep[0], 1, DAT_DTO_SUCCESS, 8));
	CHECK(sleeps(&w.tid));
	OK(put_as(0, 0, 8, 2, DAT_COMPLETION_SOLICITED_WAIT_FLAG));
	CHECK(waiter_has(&w, 1, 2));
	CHECK(dto(b.rx, b.ep[0], 2, DAT_DTO_SUCCESS, 8));
	return counts(5, 5);
}

/* The wait ends at the waiter's threshold. */
static bool threshold(void)
{
	struct waiter w;
	int n;

	CHECK(open_with(DAT_COMPLETION_EVD_THRESHOLD_FLAG));
	CHECK(waiter_start(&w, 3));
	for (n = 0; n < 3; n++) {
		if (n == 2) {
			CHECK(counts_become(6, 8));
			CHECK(sleeps(&w.tid));
		}
		OK(put(0, 0, 8, n));
		CHECK(dto(a.tx, a.ep[0], n, DAT_DTO_SUCCESS, 8));
	}
	CHECK(waiter_has(&w, 0, 3));
	FAILS(dat_evd_wait(b.rx, 0, 0, &w.ev, &w.more), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	CHECK_EQ(DAT_GET_TYPE(dat_evd_wait(b.rx, 1000, 3, &w.ev, &w.more)), DAT_TIMEOUT_EXPIRED);
	CHECK_EQ(w.more, 2);
	return true;
}

/* A dispatcher without waiting; one waiter only; a larger queue keeps its events. */
static bool dispatcher(void)
{
	struct waiter w;
	DAT_EVENT ev;
	DAT_COUNT more;

	CHECK(open_with(DAT_COMPLETION_DEFAULT_FLAG));
	CHECK(waiter_start(&w, 1));
	FAILS(dat_evd_wait(b.rx, 0, 1, &ev, &more), DAT_INVALID_STATE,
	      DAT_INVALID_STATE_EVD_WAITER);
	OK(dat_evd_set_unwaitable(b.rx));
	CHECK_EQ(pthread_join(w.thread, NULL), 0);
	CHECK_EQ(w.ret, DAT_CLASS_ERROR | DAT_INVALID_STATE | DAT_INVALID_STATE_EVD_UNWAITABLE);
	OK(put(0, 0, 8, 0));
	CHECK(dto(a.tx, a.ep[0], 0, DAT_DTO_SUCCESS, 8));
	CHECK_EQ(DAT_GET_TYPE(dat_evd_wait(b.rx, 0, 1, &ev, &more)), DAT_INVALID_STATE);
	OK(dat_evd_clear_unwaitable(b.rx));
	OK(dat_evd_resize(b.rx, 8192));
	CHECK(dto(b.rx, b.ep[0], 0, DAT_DTO_SUCCESS, 8));
	CHECK_EQ(DAT_GET_TYPE(dat_evd_free(b.rx)), DAT_INVALID_STATE);
	/* suppressed: the next completion wakes */
	OK(put_as(0, 0, 8, 1, DAT_COMPLETION_SUPPRESS_FLAG));
	OK(put_as(0, 0, 8, 2, DAT_COMPLETION_BARRIER_FENCE_FLAG));
	CHECK(dto(a.tx, a.ep[0], 2, DAT_DTO_SUCCESS, 8));
	CHECK_EQ(DAT_GET_TYPE(put_as(0, 0, 8, 3, DAT_COMPLETION_UNSIGNALLED_FLAG)),
		 DAT_INVALID_PARAMETER);
	return none(a.tx);
}

/* One thread waits for several dispatchers. */
static bool notification(void)
{
	DAT_CNO_HANDLE cno;
	DAT_EVD_HANDLE evd;

	CHECK(open_with(DAT_COMPLETION_DEFAULT_FLAG));
	OK(dat_cno_create(b.ia, DAT_OS_WAIT_PROXY_AGENT_NULL, &cno));
	OK(dat_evd_modify_cno(b.rx, cno));
	OK(dat_evd_modify_cno(b.tx, cno));
	CHECK_EQ(DAT_GET_TYPE(dat_cno_wait(cno, 1000, &evd)), DAT_QUEUE_EMPTY);
	OK(put(0, 0, 8, 0));
	OK(dat_cno_wait(cno, WAIT_US, &evd));
	CHECK(evd == b.rx);
	CHECK_EQ(DAT_GET_TYPE(dat_cno_free(cno)), DAT_INVALID_STATE);
	OK(dat_evd_modify_cno(b.rx, DAT_HANDLE_NULL));
	OK(dat_evd_modify_cno(b.tx, DAT_HANDLE_NULL));
	OK(dat_cno_free(cno));
	return dto(b.rx, b.ep[0], 0, DAT_DTO_SUCCESS, 8);
}

/* ---- Many -------------------------------------------------------------------------------- */

/* A thousand endpoints on one queue, each with two messages, from the last to the first. */
static bool thousand(void)
{
	enum { N = 1000 };
	int i, round;

	CHECK(dpair_open(apart, 64, 1));
	CHECK(dpair_link(N));
	for (i = 0; i < 64; i++)
		OK(post(i * BUF, BUF, i));
	for (round = 0; round < 2; round++) {
		for (i = N; i--;) {
			uint64_t n = round * N + N - 1 - i;

			OK(put(i, 0, 8, n));
			CHECK(dto(a.tx, a.ep[i], n, DAT_DTO_SUCCESS, 8));
			CHECK(dto(b.rx, b.ep[i], n % 64, DAT_DTO_SUCCESS, 8));
			OK(post(0, BUF, n % 64));
		}
	}
	return counts(64, 64);
}

#define POSTERS	4
#define REAPERS	4
#define TOTAL	20000
#define MOST	(100 * TOTAL)

static atomic_int posted, reaped, resized, bad;
static atomic_uchar seen[MOST];
static int total;

/* Post buffers as fast as the queue permits; the number of a buffer is its place. */
static void *poster(void *arg)
{
	int n;

	while ((n = atomic_fetch_add(&posted, 1)) < total && !bad) {
		DAT_RETURN ret;

		do {
			ret = post((n % 8192) * BUF, BUF, n);
			if (DAT_GET_TYPE(ret) == DAT_INSUFFICIENT_RESOURCES)
				sched_yield();
			else
				bad |= ret != DAT_SUCCESS;
		} while (ret != DAT_SUCCESS && !bad);
	}
	return NULL;
}

static void *reaper(void *arg)
{
	uint64_t until = now_ms() + 4 * WAIT_US / 1000;
	DAT_EVENT ev;

	while (reaped < total && !bad) {
		DAT_DTO_COMPLETION_EVENT_DATA *d = &ev.event_data.dto_completion_event_data;

		if (dat_evd_dequeue(b.rx, &ev) != DAT_SUCCESS) {
			bad |= now_ms() > until;
			sched_yield();
			continue;
		}
		until = now_ms() + 4 * WAIT_US / 1000;
		bad |= d->status != DAT_DTO_SUCCESS || d->user_cookie.as_64 >= (uint64_t)total ||
		       seen[d->user_cookie.as_64]++;
		reaped++;
	}
	return NULL;
}

/* Send as many messages as there are buffers, from each endpoint in turn. */
static bool sender(void)
{
	int sent = 0, done = 0;
	DAT_EVENT ev;

	while (done < total) {
		CHECK(!bad);
		while (sent < total && sent < done + 200) {
			OK(put(sent % a.neps, 0, 8, sent));
			sent++;
		}
		CHECK(next(a.tx, &ev));
		CHECK_EQ(ev.event_data.dto_completion_event_data.status, DAT_DTO_SUCCESS);
		done++;
	}
	return true;
}

/* Random sizes, while messages arrive. A resize does not cut off buffers in use. */
static void *resizer(void *arg)
{
	unsigned int x = 1;
	DAT_RETURN ret;

	while (reaped < total && !bad) {
		x = x * 1103515245 + 12345;
		ret = dat_srq_resize(b.srq, 1 + (x >> 16) % 512);
		if (ret == DAT_SUCCESS)
			resized++;
		else
			bad |= DAT_GET_TYPE(ret) != DAT_INVALID_STATE;
		sched_yield();
	}
	return NULL;
}

/* Each posted buffer is taken once, and each message arrives. */
static bool crowd(int connections, bool resize)
{
	pthread_t t[POSTERS + REAPERS + 1];
	int i, n = POSTERS + REAPERS + resize;
	bool ok;

	CHECK(dpair_open(apart, 256, 1));
	CHECK(dpair_link(connections));
	total = srows_times(TOTAL);
	CHECK(total <= MOST);
	posted = 0;
	reaped = 0;
	bad = 0;
	memset(seen, 0, sizeof(seen));
	resized = 0;
	for (i = 0; i < n; i++)
		CHECK_EQ(pthread_create(&t[i], NULL, i < POSTERS ? poster :
					i < POSTERS + REAPERS ? reaper : resizer, NULL), 0);
	ok = sender();
	if (!ok)
		bad = 1;
	for (i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	CHECK(ok && !bad);
	CHECK_EQ(reaped, total);
	for (i = 0; i < total; i++)
		CHECK_EQ(seen[i], 1);
	CHECK(none(b.rx));
	CHECK(!resize || resized > 1);
	return counts(0, 0);
}

static bool threads(void)
{
	return crowd(4, false);
}

static bool resizing(void)
{
	return crowd(8, true);
}

static const struct srow rows[] = {
	SROW("SRQ-008", "Each completion wakes", each_wakes),
	SROW("SRQ-009", "So it does where the endpoint permits UNSIGNALLED", each_wakes),
	SROW("SRQ-010", "SOLICITED_WAIT: the sender decides who wakes", solicited),
	SROW("SRQ-011", "EVD_THRESHOLD: the waiter decides how many wake", threshold),
	ALSO("Dispatchers that may not be waited for, that have a waiter, that grow", dispatcher),
	ALSO("One thread waits for several dispatchers", notification),
	ALSO("A thousand endpoints", thousand),
	SROW("SRQ-034", "Threads post while others reap", threads),
	SROW("SRQ-045", "Resize up and down under traffic loses nothing", resizing),
};

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	srows_run_everywhere(rows, ARRAY_LEN(rows));
	return results_end();
}
