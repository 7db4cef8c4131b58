// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Shared receive queues through libdat2: the buffers that an endpoint holds when its connection
 * ends; high watermarks. Long messages are stopped: node 0 drops node 1's grants, and no other
 * chunks. The limit for dead peers is raised, so that no node counts as dead on a slow machine.
 * TIMEOUT: 120 NEEDS: dat
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "looks.h"
#include "srows.h"

#define BUF	(512u << 10)
#define LONG	300000
#define INF	DAT_WATERMARK_INFINITE

#define DEAD_MS	10000	/* the default */

static bool stalled;

static bool hold(bool on)
{
	stalled = on;
	return stall(on);
}

static void after(void)
{
	if (stalled)
		hold(false);
	dpair_close();
}

/* The first of @n endpoints holds two: one of a message under way, and one that is whole. */
static bool two_held_of(int n)
{
	int i;

	CHECK(dpair_open(true, 8, 1));
	CHECK(dpair_link(n));
	for (i = 0; i < 3; i++)
		OK(post(i * BUF, BUF, i));
	CHECK(held(0, 0, 0));
	CHECK(hold(true));
	OK(put(0, 0, LONG, 0));
	CHECK(held_becomes(0, 1));
	CHECK(held(0, 1, 1));
	OK(put(0, 0, 8, 1));
	CHECK(held_becomes(0, 2));
	CHECK(held(0, 2, 2));
	return counts(1, 3);
}

static bool two_held(void)
{
	return two_held_of(1);
}

/*
 * What two_held() has made ends: the partial buffer is flushed, the whole one is not, others stay.
 */
static bool two_flushed(DAT_EVENT_NUMBER number)
{
	CHECK(dto(b.rx, b.ep[0], 0, DAT_DTO_ERR_FLUSHED, 0));
	CHECK(dto(b.rx, b.ep[0], 1, DAT_DTO_SUCCESS, 8));
	CHECK(conn(b.conn, number, b.ep[0]));
	CHECK(async(DAT_ASYNC_ERROR_EP_BROKEN, b.ep[0], DAT_EP_TRANSFER_TO_ERROR));
	CHECK(none(b.rx));
	return counts(1, 1);
}

static bool flush_abrupt(void)
{
	CHECK(two_held());
	OK(dat_ep_disconnect(a.ep[0], DAT_CLOSE_ABRUPT_FLAG));
	CHECK(hold(false));
	CHECK(two_flushed(DAT_CONNECTION_EVENT_DISCONNECTED));
	return conn(a.conn, DAT_CONNECTION_EVENT_DISCONNECTED, a.ep[0]);
}

/* The receiver ends the connection abruptly. */
static bool flush_own(void)
{
	CHECK(two_held());
	OK(dat_ep_disconnect(b.ep[0], DAT_CLOSE_ABRUPT_FLAG));
	CHECK(hold(false));
	CHECK(two_flushed(DAT_CONNECTION_EVENT_DISCONNECTED));
	return conn(a.conn, DAT_CONNECTION_EVENT_DISCONNECTED, a.ep[0]);
}

/*
 * The receiver ends gracefully: it still accepts messages. Its peer may send the granted bytes
 * before it learns of the end, or not. The buffer is whole or flushed, and completes once.
 */
static bool flush_own_graceful(void)
{
	DAT_DTO_COMPLETION_EVENT_DATA *d;
	DAT_EVENT ev;

	CHECK(two_held());
	OK(dat_ep_disconnect(b.ep[0], DAT_CLOSE_GRACEFUL_FLAG));
	CHECK(held(0, 2, 2));
	CHECK(none(b.rx));
	CHECK(hold(false));
	CHECK(next(b.rx, &ev));
	d = &ev.event_data.dto_completion_event_data;
	CHECK_EQ(d->user_cookie.as_64, 0);
	CHECK(d->ep_handle == b.ep[0]);
	CHECK(d->status == DAT_DTO_ERR_FLUSHED ||
	      (d->status == DAT_DTO_SUCCESS && d->transfered_length == LONG));
	CHECK(dto(b.rx, b.ep[0], 1, DAT_DTO_SUCCESS, 8));
	CHECK(conn(b.conn, DAT_CONNECTION_EVENT_DISCONNECTED, b.ep[0]));
	CHECK(conn(a.conn, DAT_CONNECTION_EVENT_DISCONNECTED, a.ep[0]));
	CHECK(none(b.rx));
	return counts(1, 1);
}

/* The sender ends gracefully: all messages arrive. */
static bool held_graceful(void)
{
	CHECK(two_held());
	OK(dat_ep_disconnect(a.ep[0], DAT_CLOSE_GRACEFUL_FLAG));
	CHECK(held(0, 2, 2));
	CHECK(hold(false));
	CHECK(dto(b.rx, b.ep[0], 0, DAT_DTO_SUCCESS, LONG));
	CHECK(dto(b.rx, b.ep[0], 1, DAT_DTO_SUCCESS, 8));
	return conn(b.conn, DAT_CONNECTION_EVENT_DISCONNECTED, b.ep[0]);
}

/* The sender of kill9(): connects, sends and sleeps. */
static void child(int fd)
{
	struct sockaddr_storage addr;
	DAT_IA_ADDRESS_PTR at = (DAT_IA_ADDRESS_PTR)(void *)&addr;

	if (read(fd, &addr, sizeof(addr)) != sizeof(addr) || !dside_open(&a, 0, 64) ||
	    !dpair_ask(&a, at) ||
	    !conn(a.conn, DAT_CONNECTION_EVENT_ESTABLISHED, a.ep[0]) ||
	    read(fd, &addr, 1) != 1 || put(0, 0, LONG, 0) != DAT_SUCCESS ||
	    put(0, 0, 8, 1) != DAT_SUCCESS)
		_exit(1);
	pause();
}

static bool kill9_of(int fd)
{
	int i;

	CHECK(dpair_open(true, 8, 1));
	CHECK_EQ(write(fd, dpair_addr(), sizeof(struct sockaddr_storage)),
		 sizeof(struct sockaddr_storage));
	CHECK(dpair_accept());
	for (i = 0; i < 3; i++)
		OK(post(i * BUF, BUF, i));
	CHECK(hold(true));
	CHECK_EQ(write(fd, "", 1), 1);
	return held_becomes(0, 2);
}

static bool kill9(void)
{
	int fd[2], status;
	bool ok;
	pid_t pid;

	CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
	pid = fork();
	CHECK(pid >= 0);
	if (!pid)
		child(fd[1]);
	ok = kill9_of(fd[0]);
	kill(pid, SIGKILL);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	close(fd[0]);
	close(fd[1]);
	CHECK(hold(false));
	CHECK(ok && WIFSIGNALED(status));
	CHECK(two_flushed(DAT_CONNECTION_EVENT_DISCONNECTED));
	/* the queue continues */
	CHECK(dpair_link(1));
	OK(put(0, 0, 8, 1));
	return dto(b.rx, b.ep[1], 2, DAT_DTO_SUCCESS, 8);
}

/* Another connection takes later buffers, and completes. */
static bool others_go_on(void)
{
	int i;

	CHECK(two_held_of(2));
	for (i = 3; i < 8; i++)
		OK(post(i * 1024, 1024, i));
	for (i = 2; i < 8; i++) {
		OK(put(1, 0, 8, i));
		CHECK(dto(b.rx, b.ep[1], i, DAT_DTO_SUCCESS, 8));
	}
	CHECK(held(0, 2, 2));
	CHECK(counts(0, 2));
	CHECK(hold(false));
	CHECK(dto(b.rx, b.ep[0], 0, DAT_DTO_SUCCESS, LONG));
	CHECK(dto(b.rx, b.ep[0], 1, DAT_DTO_SUCCESS, 8));
	return counts(0, 0);
}

/* Soft: one event, at mark + 1, for each arming. Hard: that connection ends, and no other. */
static bool high_watermarks(void)
{
	int i;

	CHECK(dpair_open(true, 16, 1));
	battr.srq_soft_hw = 1;
	CHECK(dpair_link(1));
	battr.srq_soft_hw = DAT_HW_DEFAULT;
	CHECK(dpair_link(1));
	for (i = 0; i < 8; i++)
		OK(post(i * BUF, BUF, i));
	CHECK(hold(true));
	OK(put(0, 0, LONG, 0));
	CHECK(held_becomes(0, 1));
	CHECK(none(b.async));
	OK(put(0, 0, LONG, 1));
	CHECK(async(DAT_ASYNC_ERROR_PROVIDER_INTERNAL_ERROR, b.ep[0],
		    DAT_SRQ_SOFT_HIGH_WATERMARK_EVENT));
	OK(put(0, 0, LONG, 2));
	CHECK(held_becomes(0, 3));
	CHECK(held(0, 3, 3));
	CHECK(none(b.async));
	/* exceeded at the setting; not exceeded; never */
	OK(dat_ep_set_watermark(b.ep[0], 2, INF));
	CHECK(async(DAT_ASYNC_ERROR_PROVIDER_INTERNAL_ERROR, b.ep[0],
		    DAT_SRQ_SOFT_HIGH_WATERMARK_EVENT));
	OK(dat_ep_set_watermark(b.ep[0], 3, INF));
	CHECK(none(b.async));
	OK(dat_ep_set_watermark(b.ep[0], INF, 3));
	CHECK(counts(5, 8));
	OK(put(0, 0, LONG, 3));
	CHECK(held_becomes(0, 0));
	CHECK(hold(false));
	for (i = 0; i < 4; i++) {
		DAT_EVENT ev;

		CHECK(next(b.rx, &ev));
		CHECK_EQ(ev.event_data.dto_completion_event_data.status, DAT_DTO_ERR_FLUSHED);
		CHECK(ev.event_data.dto_completion_event_data.ep_handle == b.ep[0]);
	}
	CHECK(conn(b.conn, DAT_CONNECTION_EVENT_BROKEN, b.ep[0]));
	CHECK(async(DAT_ASYNC_ERROR_EP_BROKEN, b.ep[0], DAT_EP_TRANSFER_TO_ERROR));
	CHECK(counts(4, 4));
	OK(put(1, 0, 8, 9));
	CHECK(dto(b.rx, b.ep[1], 4, DAT_DTO_SUCCESS, 8));
	FAILS(dat_ep_set_watermark(b.ep[1], 0, INF), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	FAILS(dat_ep_set_watermark(b.ep[1], INF, 0), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	CHECK_EQ(DAT_GET_TYPE(dat_ep_set_watermark(a.ep[1], 1, 1)), DAT_MODEL_NOT_SUPPORTED);
	FAILS(dat_ep_set_watermark(b.pz, 1, 1), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP);
	return true;
}

static const struct srow rows[] = {
	SROW("SRQ-031", "An abrupt end flushes what is held in part, and completes what is whole",
	     flush_abrupt),
	ALSO("The same when the receiver ends it", flush_own),
	SROW("SRQ-030", "A graceful end likewise, when the receiver wants it", flush_own_graceful),
	ALSO("A graceful end of the sender's lets what is under way arrive", held_graceful),
	ALSO("What is held is flushed when the sender is killed", kill9),
	SROW("SRQ-018", "One that is stuck in the middle of a message hinders no other",
	     others_go_on),
	SROW("SRQ-042", "Soft high watermark: one event for each arming", high_watermarks),
	SROW("SRQ-043", "Hard high watermark: that connection breaks, and no other",
	     high_watermarks),
	SROW("SRQ-044", "dat_ep_recv_query: what is held, and its span", high_watermarks),
};

static void patient(unsigned int ms)
{
	result(port_limit(0, "dead-ms", ms) && port_limit(1, "dead-ms", ms), "nodes may be silent",
	       "for a while");
}

int main(void)
{
	const char *link = getenv("LINK");

	if (!link || strcmp(link, "veth")) {
		/* a port that owns its NIC has no firewall */
		puts("ok 1 buffers that are held # SKIP there is no veth link\n1..1");
		return 0;
	}
	apart = true;
	patient(60 * DEAD_MS);
	srows_run(rows, ARRAY_LEN(rows), "between nodes", after);
	patient(DEAD_MS);
	return results_end();
}
