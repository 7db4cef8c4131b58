// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Shared receive queues through libdat2: a port is removed while a program has its adapter open.
 * The tests cover the events that the program gets, and the calls that it can make. The nodes are
 * the test's own.
 * TIMEOUT: 300 NEEDS: dat
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "srows.h"

#define BUF	64
#define EPS	3
#define MANY	64	/* connections */
#define RECVS	500	/* more than a short queue of the kernel holds */

static bool sh(const char *cmd)
{
	CHECK_EQ(system(cmd), 0);
	return true;
}

/* Objects that are removed with the namespaces of the nodes. */
static const char make[] =
	"set -e; cd /run/weft; for i in 0 1; do cp node$i gone$i; done\n"
	"ip netns add g0; ip netns add g1\n"
	"ip link add vg0 netns g0 type veth peer name vg1 netns g1\n"
	"for i in 0 1; do ip -n g$i link set lo up\n"
	"ip -n g$i addr add 10.79.0.$((i + 1))/24 dev vg$i; ip -n g$i link set vg$i up\n"
	"ip netns exec g$i weftctl port add gone$i netdev vg$i >/dev/null\n"
	"echo g$i >node$i; done\n";
static const char unmake[] =
	"cd /run/weft; for i in 0 1; do ip netns del g$i; cp gone$i node$i; done\n"
	"for n in $(seq 200); do [ -e /dev/weft/gone0 ] || [ -e /dev/weft/gone1 ] || exit 0\n"
	"sleep 0.1; done; exit 1\n";

static void after(void)
{
	dpair_close();
	sh(unmake);
}

/**
 * struct sleeper - a thread that waits for B's asynchronous events
 * @thread: the thread
 * @tid: its number, once it runs
 * @ret: result of dat_evd_wait()
 * @ev: the event
 */
struct sleeper {
	pthread_t thread;
	atomic_int tid;
	DAT_RETURN ret;
	DAT_EVENT ev;
};

static void *waits(void *arg)
{
	struct sleeper *s = arg;
	DAT_COUNT more;

	s->tid = syscall(SYS_gettid);
	s->ret = dat_evd_wait(b.async, WAIT_US, 1, &s->ev, &more);
	return NULL;
}

/* A side gets the event that its adapter is gone. */
static bool catastrophe(const struct dside *s, const DAT_EVENT *ev)
{
	DAT_IA_HANDLE ia;

	OK(dats_get_ia_handle(s->ia, &ia));
	CHECK_EQ(ev->event_number, DAT_ASYNC_ERROR_IA_CATASTROPHIC);
	CHECK(ev->evd_handle == s->async);
	CHECK(ev->event_data.asynch_error_event_data.dat_handle == ia);
	CHECK_EQ(ev->event_data.asynch_error_event_data.reason, DAT_IA_CATASTROPHIC_ERROR);
	return true;
}

/* A side gets one event for each endpoint, from one dispatcher. */
static bool each_once(const struct dside *s, DAT_EVD_HANDLE evd, DAT_EVENT_NUMBER number)
{
	bool seen[MANY] = { false };
	DAT_EVENT ev;
	int i, n;

	for (n = 0; n < s->neps; n++) {
		DAT_EP_HANDLE ep;

		CHECK(next(evd, &ev));
		CHECK_EQ(ev.event_number, number);
		ep = evd == s->async ? ev.event_data.asynch_error_event_data.dat_handle :
				       ev.event_data.connect_event_data.ep_handle;
		for (i = 0; s->ep[i] != ep;)
			CHECK(++i < s->neps);
		CHECK(!seen[i]);
		seen[i] = true;
	}
	return true;
}

static bool nothing_more(struct dside *s)
{
	CHECK(none(s->async));
	CHECK(none(s->conn) && none(s->cr));
	CHECK(none(s->rx));
	CHECK(none(s->tx));
	return true;
}

/*
 * Make connections with posted buffers, completed ones, a send that waits for a buffer, and a
 * receive of the sender's.
 */
static bool busy(void)
{
	DAT_LMR_TRIPLET iov;
	int n;

	CHECK(dpair_open(apart, 8, 1));
	CHECK(dpair_link(EPS));
	iov = seg(&a, 0, BUF);
	OK(dat_ep_post_recv(a.ep[0], 1, &iov, cookie(70), DAT_COMPLETION_DEFAULT_FLAG));
	for (n = 0; n < 2; n++) {
		OK(post(n * BUF, BUF, n));
		OK(put(n, 0, 8, n));
		CHECK(dto(a.tx, a.ep[n], n, DAT_DTO_SUCCESS, 8));
	}
	CHECK(counts_become(0, 2));
	OK(put(0, 0, 8, 71));
	return true;
}

/* The events of busy() that a side must still get after its port is removed. */
static bool a_is_told(void)
{
	DAT_EVENT ev;

	CHECK(each_once(&a, a.conn, DAT_CONNECTION_EVENT_BROKEN));
	CHECK(dto(a.tx, a.ep[0], 71, DAT_DTO_ERR_FLUSHED, 0));
	CHECK(dto(a.rx, a.ep[0], 70, DAT_DTO_ERR_FLUSHED, 0));
	CHECK(next(a.async, &ev));
	CHECK(catastrophe(&a, &ev));
	return nothing_more(&a);
}

static bool b_is_told(void)
{
	DAT_EVENT ev;
	int n;

	CHECK(each_once(&b, b.conn, DAT_CONNECTION_EVENT_BROKEN));
	for (n = 0; n < 2; n++) {
		CHECK(next(b.rx, &ev));
		CHECK_EQ(ev.event_data.dto_completion_event_data.status, DAT_DTO_SUCCESS);
	}
	return true;
}

/* In the error state: a post is still accepted, and changes nothing else; other calls fail. */
static bool error_state(void)
{
	DAT_SRQ_ATTR attr = { .max_recv_dtos = 8, .max_recv_iov = 1 };
	DAT_SRQ_PARAM param;
	DAT_EP_STATE state;
	DAT_HANDLE h;
	int n;

	OK(dat_srq_query(b.srq, DAT_SRQ_FIELD_ALL, &param));
	CHECK_EQ(param.srq_state, DAT_SRQ_STATE_ERROR);
	for (n = param.outstanding_dto_count; n < 8; n++)
		OK(post(0, BUF, n));
	FAILS(post(0, BUF, n), DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_SRQ);
	OK(dat_srq_query(b.srq, DAT_SRQ_FIELD_ALL, &param));
	CHECK_EQ(param.outstanding_dto_count, 8);
	CHECK(nothing_more(&b));
	FAILS(dat_srq_resize(b.srq, 16), DAT_INVALID_STATE, DAT_INVALID_STATE_SRQ_ERROR);
	FAILS(dat_srq_set_lw(b.srq, 1), DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_DEVICE);
	FAILS(dat_srq_create(b.ia, b.pz, &attr, &h), DAT_INSUFFICIENT_RESOURCES,
	      DAT_RESOURCE_DEVICE);
	FAILS(dat_ep_create_with_srq(b.ia, b.pz, b.rx, b.tx, b.conn, b.srq, &battr, &h),
	      DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_DEVICE);
	FAILS(dat_evd_create(b.ia, 4, DAT_HANDLE_NULL, DAT_EVD_DTO_FLAG, &h),
	      DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_DEVICE);
	OK(dat_ep_disconnect(b.ep[0], DAT_CLOSE_ABRUPT_FLAG));
	OK(dat_ep_get_status(b.ep[0], &state, NULL, NULL));
	CHECK_EQ(state, DAT_EP_STATE_DISCONNECTED);
	FAILS(dat_srq_free(b.srq), DAT_INVALID_STATE, DAT_INVALID_STATE_SRQ_IN_USE);
	return true;
}

/* All objects can be freed, and the adapter can be closed. */
static bool b_goes(void)
{
	int i;

	for (i = 0; i < b.neps; i++)
		OK(dat_ep_free(b.ep[i]));
	OK(dat_srq_free(b.srq));
	OK(dat_psp_free(b.psp));
	OK(dat_lmr_free(b.lmr));
	OK(dat_pz_free(b.pz));
	OK(dat_evd_free(b.cr));
	OK(dat_evd_free(b.tx));
	OK(dat_evd_free(b.rx));
	OK(dat_evd_free(b.conn));
	OK(dat_ia_close(b.ia, DAT_CLOSE_GRACEFUL_FLAG));
	b.ia = NULL;
	return true;
}

/* @cmd removes the ports of both sides, while B waits for asynchronous events. */
static bool all_gone(const char *cmd)
{
	struct sleeper s = { .tid = 0 };
	DAT_EVENT ev;

	CHECK(sh(make));
	CHECK(busy());
	CHECK_EQ(pthread_create(&s.thread, NULL, waits, &s), 0);
	CHECK(sleeps(&s.tid));
	CHECK(sh(cmd));
	CHECK_EQ(pthread_join(s.thread, NULL), 0);
	OK(s.ret);
	/* that one endpoint is broken; the others; then all */
	CHECK_EQ(s.ev.event_number, DAT_ASYNC_ERROR_EP_BROKEN);
	b.neps--;
	if (s.ev.event_data.asynch_error_event_data.dat_handle != b.ep[b.neps]) {
		int i = 0;

		while (s.ev.event_data.asynch_error_event_data.dat_handle != b.ep[i])
			CHECK(++i < b.neps);
		b.ep[i] = b.ep[b.neps];
		b.ep[b.neps] = s.ev.event_data.asynch_error_event_data.dat_handle;
	}
	CHECK(each_once(&b, b.async, DAT_ASYNC_ERROR_EP_BROKEN));
	b.neps++;
	CHECK(next(b.async, &ev));
	CHECK(catastrophe(&b, &ev));
	return b_is_told() && a_is_told() && error_state() && b_goes();
}

/* The administrator deletes the ports of both sides. */
static bool deleted(void)
{
	apart = false;
	return all_gone("ip netns exec g0 weftctl port del gone0 force");
}

/* The device is removed, and with it the ports at both of its ends. */
static bool unplugged(void)
{
	apart = true;
	return all_gone("ip -n g1 link del vg1 && until [ ! -e /dev/weft/gone0 ]; do :; done");
}

/* One side's port is removed and added again: the other side has lost its connections only. */
static bool comes_again(void)
{
	struct dside was;
	DAT_EVENT ev;

	apart = true;
	CHECK(sh(make));
	CHECK(busy());
	CHECK(sh("ip netns exec g1 weftctl port del gone1 force"));
	/* told at once, not when the silence is noticed */
	CHECK(each_once(&a, a.conn, DAT_CONNECTION_EVENT_DISCONNECTED));
	CHECK(dto(a.tx, a.ep[0], 71, DAT_DTO_ERR_FLUSHED, 0));
	CHECK(next(a.rx, &ev));
	CHECK(nothing_more(&a));
	CHECK(each_once(&b, b.async, DAT_ASYNC_ERROR_EP_BROKEN));
	CHECK(next(b.async, &ev));
	CHECK(catastrophe(&b, &ev) && b_is_told());
	CHECK(sh("ip netns exec g1 weftctl port add gone1 netdev vg1 >/dev/null"));
	CHECK(error_state());
	was = b;
	CHECK(b_goes());
	munmap(was.mem, MEM);
	return true;
}

/*
 * A thread that waits on a CNO is woken; a short dispatcher keeps the events that exceed its
 * length.
 */
static bool by_cno(void)
{
	DAT_LMR_TRIPLET iov;
	DAT_EVD_HANDLE evd;
	DAT_CNO_HANDLE cno;
	DAT_EVENT ev;
	int n;

	apart = false;
	CHECK(sh(make));
	CHECK(dpair_open(apart, 8, 1));
	OK(dat_evd_free(a.conn));
	OK(dat_evd_create(a.ia, 1, DAT_HANDLE_NULL, DAT_EVD_CONNECTION_FLAG, &a.conn));
	OK(dat_evd_free(a.rx));
	OK(dat_evd_create(a.ia, 8, DAT_HANDLE_NULL, DAT_EVD_DTO_FLAG, &a.rx));
	CHECK(dpair_link(EPS));
	for (n = 0; n < RECVS; n++) {
		iov = seg(&a, 0, BUF);
		if (dat_ep_post_recv(a.ep[n % EPS], 1, &iov, cookie(n),
				     DAT_COMPLETION_DEFAULT_FLAG) != DAT_SUCCESS)
			break;
	}
	OK(dat_cno_create(a.ia, DAT_OS_WAIT_PROXY_AGENT_NULL, &cno));
	OK(dat_evd_modify_cno(a.conn, cno));
	OK(dat_evd_modify_cno(a.rx, cno));
	CHECK_EQ(DAT_GET_TYPE(dat_cno_wait(cno, 0, &evd)), DAT_QUEUE_EMPTY);
	CHECK(sh("ip netns exec g0 weftctl port del gone0 force"));
	OK(dat_cno_wait(cno, WAIT_US, &evd));
	OK(dat_cno_wait(cno, WAIT_US, &evd));
	CHECK(each_once(&a, a.conn, DAT_CONNECTION_EVENT_BROKEN));
	while (n--) {
		CHECK(next(a.rx, &ev));
		CHECK_EQ(ev.event_data.dto_completion_event_data.status, DAT_DTO_ERR_FLUSHED);
	}
	CHECK(next(a.async, &ev));
	CHECK(catastrophe(&a, &ev) && nothing_more(&a));
	CHECK_EQ(DAT_GET_TYPE(dat_cno_wait(cno, 0, &evd)), DAT_QUEUE_EMPTY);
	OK(dat_evd_modify_cno(a.conn, DAT_HANDLE_NULL));
	OK(dat_evd_modify_cno(a.rx, DAT_HANDLE_NULL));
	OK(dat_cno_free(cno));
	return true;
}

static void *deletes(void *arg)
{
	sh("ip netns exec g0 weftctl port del gone0 force");
	return NULL;
}

/* A program that polls all the time misses no event. */
static bool spinning(void)
{
	uint64_t until;
	pthread_t t;
	DAT_EVENT ev;
	int n = 0;

	apart = false;
	CHECK(sh(make));
	CHECK(dpair_open(apart, 8, 1));
	CHECK(dpair_link(MANY));
	CHECK_EQ(pthread_create(&t, NULL, deletes, NULL), 0);
	until = now_ms() + WAIT_US / 1000;
	do {
		if (dat_evd_dequeue(b.async, &ev) == DAT_SUCCESS)
			n++;
		else
			CHECK(now_ms() < until);
	} while (!n || ev.event_number != DAT_ASYNC_ERROR_IA_CATASTROPHIC);
	pthread_join(t, NULL);
	CHECK_EQ(n, MANY + 1);
	return each_once(&b, b.conn, DAT_CONNECTION_EVENT_BROKEN) && nothing_more(&b);
}

static const struct srow rows[] = {
	ALSO("A port that is deleted: the adapter is told, and all that it had", deleted),
	SROW("SRQ-020b", "Posting works in the error state, too", deleted),
	ALSO("A device that goes", unplugged),
	ALSO("A port that comes again is another adapter's", comes_again),
	ALSO("A dispatcher that is short keeps what the port has left behind", by_cno),
	ALSO("Who looks all the time misses nothing", spinning),
};

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	srows_run(rows, ARRAY_LEN(rows), "on ports of its own", after);
	return results_end();
}
