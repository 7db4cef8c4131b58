// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A program waits in a call, for its own memory, and delays its own calls at most. Other processes
 * read state, open the device and send as usual. The program can be killed. Another program that
 * has got its file closes that at once.
 * TIMEOUT: 120
 */
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include "looks.h"
#include "nowhere.h"
#include "raw.h"
#include "silent.h"
#include "wpair.h"

#define LEN	4096
#define LONG	(1u << 20)
#define SOON_MS	20000		/* WAIT_S is much longer */
#define WAIT_S	60
#define TRIES	2000
#define TIMES	40

static struct wpair pair;
static char *gone;
static void (*call)(void);

/* Stay in the call: the memory to send cannot be read. */
static void *sender(void *arg)
{
	(void)arg;
	weft_send(pair.a.ep, gone, 100, pair.a.peer, 0, 1, WEFT_SQ_COMPLETION);
	return NULL;
}

static void destroy(void)
{
	weft_ep_destroy(pair.a.ep);
}

static void enable(void)
{
	weft_ep_enable(pair.a.ep, pair.a.cq, pair.a.cq, NULL, pair.a.av);
}

/* One thread stays in a call; another makes @call, which waits for it. Only dies. */
static bool stuck(int ready)
{
	struct uffd_msg msg;
	pthread_t thread;
	int fd;

	gone = nowhere(LEN, &fd);
	CHECK(gone);
	CHECK(wpair_open(&pair, false));
	CHECK_EQ(pthread_create(&thread, NULL, sender, NULL), 0);
	/* the page is present */
	CHECK_EQ(read(fd, &msg, sizeof(msg)), sizeof(msg));
	CHECK_EQ(msg.event, UFFD_EVENT_PAGEFAULT);
	CHECK_EQ(write(ready, "", 1), 1);
	call();
	for (;;)
		pause();
	return false;
}

/* Return: the process' first thread waits, and cannot be interrupted, for longer than a moment. */
static bool waits(pid_t pid)
{
	char path[64], text[512], *end;
	int i, times = 0;
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	for (i = 0; i < TRIES; i++) {
		f = fopen(path, "r");
		if (f) {
			n = fread(text, 1, sizeof(text) - 1, f);
			fclose(f);
		}
		text[n] = 0;
		end = strrchr(text, ')');
		times = end && end[1] && end[2] == 'D' ? times + 1 : 0;
		if (times == TIMES)
			return true;
		usleep(5000);
	}
	return false;
}

/* Calls of other processes. */
static bool others(void)
{
	struct wpair p;
	char word[8];

	CHECK_EQ(system("node 0 timeout 20 weftctl ep show >/dev/null"), 0);
	CHECK_EQ(system("node 0 timeout 20 weftctl port show >/dev/null"), 0);
	CHECK(wpair_open(&p, false));
	CHECK(wpair_move(&p, word, word, sizeof(word)));
	CHECK(port_limit(0, "dead-ms", 10000));
	return wpair_close(&p);
}

static bool one_is_stuck(void (*fn)(void))
{
	pid_t pid;
	bool ok;

	call = fn;
	pid = stuck_begin(stuck, WAIT_S);
	CHECK(pid > 0);
	CHECK(waits(pid));
	ok = others();
	return stuck_end(pid) && ok && nothing_left();
}

/* ---- A file that another program closes ---------------------------------- */

static struct silent silent;
static int passed[2];		/* sockets: the file goes from 0 to 1 */

static bool pass(int fd)
{
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(fd))];
	} c = { .head = { CMSG_LEN(sizeof(fd)), SOL_SOCKET, SCM_RIGHTS } };
	char byte = 0;
	struct iovec iov = { &byte, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &c,
			    .msg_controllen = sizeof(c) };

	memcpy(CMSG_DATA(&c.head), &fd, sizeof(fd));
	CHECK_EQ(sendmsg(passed[0], &m, 0), 1);
	return true;
}

/* Return: the file, -1: none came. */
static int got(void)
{
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} c;
	char byte;
	struct iovec iov = { &byte, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &c,
			    .msg_controllen = sizeof(c) };
	int fd = -1;

	if (recvmsg(passed[1], &m, 0) == 1 && CMSG_FIRSTHDR(&m))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(fd));
	return fd;
}

/*
 * A worker waits for memory of this program, which has nothing open or mapped any more, and has
 * passed its file on. Only dies.
 */
static bool passes(int ready)
{
	long long before = port_attr(0, "counters/deferred");
	uint64_t until = now_ms() + SOON_MS;
	struct weft_sqe *s;
	struct weft_rqe *q;
	struct raw_rdm r;
	char *never, *to;

	never = mmap(NULL, LONG, PROT_READ | PROT_WRITE, MAP_PRIVATE, silent.fd, 0);
	to = malloc(LONG);
	CHECK(never != MAP_FAILED && to);
	CHECK(raw_rdm_new(raw_open(0), 16, &r));
	q = raw_rqe(&r, WEFT_RQ_RECV, 1);
	q->niov = 1;
	q->addr = (__u64)(uintptr_t)to;
	q->len = LONG;
	r.ep.doorbell->rq_tail++;
	s = raw_sqe(&r, WEFT_SQ_SEND, 2);
	s->niov = 1;
	s->addr = (__u64)(uintptr_t)never;
	s->len = LONG;
	r.ep.doorbell->sq_tail++;
	/* before the worker waits: until kernel 6.4 it holds mmap_lock meanwhile */
	raw_rdm_release(&r);
	CHECK(raw_notify(r.fd, r.ep.e.handle, WEFT_NOTIFY_RQ) >= 0);
	CHECK(raw_notify(r.fd, r.ep.e.handle, WEFT_NOTIFY_SQ) >= 0);
	while (port_attr(0, "counters/deferred") == before && now_ms() < until)
		usleep(1000);
	CHECK(port_attr(0, "counters/deferred") != before);
	CHECK(pass(r.fd));
	close(r.fd);
	CHECK_EQ(write(ready, "", 1), 1);
	for (;;)
		pause();
	return false;
}

static bool closed_elsewhere(void)
{
	uint64_t since;
	bool soon;
	pid_t pid;
	int fd;

	CHECK(silent_begin(&silent, LONG));
	CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, passed), 0);
	pid = stuck_begin(passes, WAIT_S);
	CHECK(pid > 0);
	fd = got();
	CHECK(fd >= 0);
	CHECK_EQ(port_attr(0, "contexts"), 1);
	since = now_ms();
	CHECK_EQ(close(fd), 0);
	soon = now_ms() - since < SOON_MS;
	/* the end waits for the memory, in a worker */
	CHECK_EQ(port_attr(0, "contexts"), 1);
	CHECK(stuck_end(pid));
	CHECK(silent_end(&silent));
	CHECK(soon);
	return nothing_left();
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	result(one_is_stuck(destroy), "it destroys the endpoint", "one node");
	result(one_is_stuck(enable), "it enables the endpoint again", "one node");
	result(closed_elsewhere(), "another program closes its file", "one node");
	return results_end();
}
