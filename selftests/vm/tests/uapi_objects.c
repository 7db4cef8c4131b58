// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Life of objects: handles and their generations, the order of destruction, files that outlive
 * their queue, waiting and waking. Also the death of a process whose child holds all files, and a
 * removed port.
 * KERNELS: each
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "looks.h"
#include "raw.h"

static int fd;

static bool destroy(__u32 handle)
{
	CHECK_EQ(raw_handle(fd, WEFT_IOC_DESTROY, handle), 0);
	return true;
}

static bool generations(void)
{
	struct weft_ioc_av av = { .size = sizeof(av) };
	__u32 seen[3000], n, i;

	for (n = 0; n < 3000; n++) {
		CHECK_EQ(raw(fd, WEFT_IOC_AV_CREATE, &av), 0);
		CHECK(av.handle != WEFT_HANDLE_NONE);
		seen[n] = av.handle;
		CHECK(destroy(av.handle));
		CHECK_EQ(raw_handle(fd, WEFT_IOC_DESTROY, av.handle), -ENOENT);
	}
	for (n = 0; n < 3000; n++)
		for (i = 0; i < n; i++)
			CHECK(seen[i] != seen[n]);
	return true;
}

static bool order(void)
{
	struct weft_ioc_ep_enable en = { .size = sizeof(en) };
	struct weft_ioc_cm li = { .size = sizeof(li), .backlog = 1 };
	struct weft_ioc_cq count = { .size = sizeof(count), .flags = WEFT_CQF_COUNT };
	struct raw_ep pep, none;
	struct raw_rdm r;

	CHECK(raw_rdm_new(fd, 16, &r));
	CHECK_EQ(raw_handle(fd, WEFT_IOC_DESTROY, r.cq.c.handle), -EBUSY);
	CHECK_EQ(raw_handle(fd, WEFT_IOC_DESTROY, r.eq.handle), -EBUSY);
	CHECK_EQ(raw_handle(fd, WEFT_IOC_DESTROY, r.av.handle), -EBUSY);
	/* enabled twice */
	en.handle = r.ep.e.handle;
	en.tx_cq = r.cq.c.handle;
	en.rx_cq = r.cq.c.handle;
	en.av = r.av.handle;
	CHECK_EQ(raw(fd, WEFT_IOC_EP_ENABLE, &en), -EBUSY);
	CHECK(destroy(r.ep.e.handle));
	CHECK_EQ(raw_notify(fd, r.ep.e.handle, WEFT_NOTIFY_SQ), -ENOENT);

	/* the failed call leaves nothing bound */
	CHECK(raw_ep_new(fd, WEFT_EP_RDM, 16, &none));
	en.handle = none.e.handle;
	en.av = WEFT_HANDLE_NONE;
	CHECK_EQ(raw(fd, WEFT_IOC_EP_ENABLE, &en), -EINVAL);
	en.av = r.cq.c.handle;
	CHECK_EQ(raw(fd, WEFT_IOC_EP_ENABLE, &en), -ENOENT);
	en.av = r.av.handle;
	en.tx_cq = r.eq.handle;
	CHECK_EQ(raw(fd, WEFT_IOC_EP_ENABLE, &en), -ENOENT);
	/* a counter is no queue, a queue no counter */
	CHECK_EQ(raw(fd, WEFT_IOC_CQ_CREATE, &count), 0);
	CHECK_EQ(raw(count.fd, WEFT_IOC_CQ_NOTIFY, NULL), -EINVAL);
	en.tx_cq = count.handle;
	CHECK_EQ(raw(fd, WEFT_IOC_EP_ENABLE, &en), -ENOENT);
	en.tx_cq = WEFT_HANDLE_NONE;
	en.tx_cntr = r.cq.c.handle;
	CHECK_EQ(raw(fd, WEFT_IOC_EP_ENABLE, &en), -ENOENT);
	en.tx_cntr = count.handle;
	en.rx_cq = WEFT_HANDLE_NONE;
	CHECK_EQ(raw(fd, WEFT_IOC_EP_ENABLE, &en), 0);
	CHECK_EQ(raw_handle(fd, WEFT_IOC_DESTROY, count.handle), -EBUSY);
	CHECK(destroy(none.e.handle) && destroy(count.handle));
	close(count.fd);
	CHECK(destroy(r.cq.c.handle) && destroy(r.av.handle));

	CHECK(raw_ep_new(fd, WEFT_EP_PASSIVE, 0, &pep));
	li.handle = pep.e.handle;
	CHECK_EQ(raw(fd, WEFT_IOC_LISTEN, &li), -EINVAL);
	li.eq = r.eq.handle;
	CHECK_EQ(raw(fd, WEFT_IOC_LISTEN, &li), 0);
	CHECK(li.addr.family && li.addr.port);
	li.backlog = 7;
	CHECK_EQ(raw(fd, WEFT_IOC_LISTEN, &li), 0);
	CHECK_EQ(raw_handle(fd, WEFT_IOC_DESTROY, r.eq.handle), -EBUSY);
	CHECK(destroy(pep.e.handle) && destroy(r.eq.handle));
	close(r.cq.c.fd);
	close(r.eq.fd);
	return true;
}

static short polled(int file, int ms)
{
	struct pollfd p = { .fd = file, .events = POLLIN };

	return poll(&p, 1, ms) < 0 ? -1 : p.revents;
}

static bool files(void)
{
	struct weft_ioc_eq eq = { .size = sizeof(eq) };
	struct weft_event ev;
	struct raw_cq cq;

	CHECK(raw_cq_new(fd, 16, &cq));
	CHECK_EQ(raw(fd, WEFT_IOC_EQ_CREATE, &eq), 0);
	CHECK(fcntl(eq.fd, F_GETFD) & FD_CLOEXEC && fcntl(cq.c.fd, F_GETFD) & FD_CLOEXEC);
	CHECK_EQ(fcntl(eq.fd, F_SETFL, O_NONBLOCK), 0);
	CHECK_EQ(read(eq.fd, &ev, sizeof(ev)) < 0 ? errno : 0, EAGAIN);
	CHECK_EQ(polled(eq.fd, 0), 0);
	CHECK_EQ(polled(cq.c.fd, 0), 0);
	CHECK(destroy(cq.c.handle) && destroy(eq.handle));
	CHECK_EQ(raw_wait(cq.c.fd, 0, 0), -EIO);
	CHECK_EQ(raw(cq.c.fd, WEFT_IOC_CQ_NOTIFY, NULL), -EIO);
	CHECK_EQ(raw(cq.c.fd, WEFT_IOC_CQ_SIGNAL, NULL), -EIO);
	CHECK_EQ(read(eq.fd, &ev, sizeof(ev)) < 0 ? errno : 0, EIO);
	CHECK(polled(cq.c.fd, 0) & POLLHUP);
	CHECK(polled(eq.fd, 0) & POLLHUP);
	close(cq.c.fd);
	close(eq.fd);

	/* the file is closed first: the queue stays */
	CHECK(raw_cq_new(fd, 16, &cq));
	close(cq.c.fd);
	CHECK(destroy(cq.c.handle));
	return true;
}

/* The context is closed first: all remaining files return EIO. */
static bool context_first(void)
{
	struct weft_ioc_cq c = { .size = sizeof(c), .slots = 16 };
	struct weft_ioc_eq eq = { .size = sizeof(eq) };
	struct weft_event ev;
	int other = raw_open(0);

	CHECK(other >= 0);
	CHECK_EQ(raw(other, WEFT_IOC_CQ_CREATE, &c), 0);
	CHECK_EQ(raw(other, WEFT_IOC_EQ_CREATE, &eq), 0);
	close(other);
	CHECK_EQ(raw_wait(c.fd, 0, 0), -EIO);
	CHECK_EQ(read(eq.fd, &ev, sizeof(ev)) < 0 ? errno : 0, EIO);
	CHECK(polled(c.fd, 0) & POLLHUP);
	close(c.fd);
	close(eq.fd);
	return true;
}

struct waiter {
	int file;
	__u32 seen;
	__u64 timeout_ns;
	int ret;
	uint64_t ms;
};

static void *wait_thread(void *arg)
{
	struct waiter *w = arg;
	uint64_t since = now_ms();

	w->ret = raw_wait(w->file, w->seen, w->timeout_ns);
	w->ms = now_ms() - since;
	return NULL;
}

static bool waiter_timed(pthread_t *t, struct waiter *w, const struct raw_cq *cq,
			 __u64 timeout_ns)
{
	memset(w, 0, sizeof(*w));
	w->file = cq->c.fd;
	w->seen = cq->head;
	w->timeout_ns = timeout_ns;
	CHECK_EQ(pthread_create(t, NULL, wait_thread, w), 0);
	usleep(50000);
	return true;
}

static bool waiter_start(pthread_t *t, struct waiter *w, const struct raw_cq *cq)
{
	return waiter_timed(t, w, cq, ~0ull);
}

static void nothing(int sig)
{
}

static bool waiting(void)
{
	struct sigaction sa = { .sa_handler = nothing };
	struct waiter w, w2;
	struct raw_cq cq;
	pthread_t t, t2;

	CHECK(raw_cq_new(fd, 16, &cq));
	/* time */
	memset(&w, 0, sizeof(w));
	w.file = cq.c.fd;
	w.timeout_ns = 30000000;
	wait_thread(&w);
	CHECK_EQ(w.ret, -ETIMEDOUT);
	CHECK(w.ms >= 29);
	/* an index that is not the queue's counts as news */
	w.seen = 1;
	wait_thread(&w);
	CHECK_EQ(w.ret, 0);
	/* a signal from before the wait, then one during it; one for each wait */
	w.seen = 0;
	CHECK_EQ(raw(cq.c.fd, WEFT_IOC_CQ_SIGNAL, NULL), 0);
	wait_thread(&w);
	CHECK_EQ(w.ret, -ECANCELED);
	wait_thread(&w);
	CHECK_EQ(w.ret, -ETIMEDOUT);
	CHECK(waiter_start(&t, &w, &cq) && waiter_start(&t2, &w2, &cq));
	CHECK_EQ(raw(cq.c.fd, WEFT_IOC_CQ_SIGNAL, NULL), 0);
	CHECK_EQ(raw(cq.c.fd, WEFT_IOC_CQ_SIGNAL, NULL), 0);
	pthread_join(t, NULL);
	pthread_join(t2, NULL);
	CHECK_EQ(w.ret, -ECANCELED);
	CHECK_EQ(w2.ret, -ECANCELED);
	/* a UNIX signal */
	sigaction(SIGUSR1, &sa, NULL);
	CHECK(waiter_start(&t, &w, &cq));
	CHECK_EQ(pthread_kill(t, SIGUSR1), 0);
	pthread_join(t, NULL);
	CHECK_EQ(w.ret, -EINTR);
	/* the end of the queue */
	CHECK(waiter_start(&t, &w, &cq));
	CHECK(destroy(cq.c.handle));
	pthread_join(t, NULL);
	CHECK_EQ(w.ret, -EIO);
	close(cq.c.fd);
	return true;
}

/* Waiters with times of their own: each wakes at its own time, not before, and not with another. */
static bool waiting_together(void)
{
	static const __u64 ms[] = { 20000, 300, 20000, 200, 400 };
	struct waiter w[5], ever;
	pthread_t t[5], t_ever;
	struct raw_cq cq;
	unsigned int i;

	CHECK(raw_cq_new(fd, 16, &cq));
	CHECK(waiter_start(&t_ever, &ever, &cq));
	for (i = 0; i < 5; i++)
		CHECK(waiter_timed(&t[i], &w[i], &cq, ms[i] * 1000000));
	for (i = 1; i < 5; i++) {
		if (ms[i] == 20000)
			continue;
		pthread_join(t[i], NULL);
		CHECK_EQ(w[i].ret, -ETIMEDOUT);
		CHECK(w[i].ms >= ms[i] - 1 && w[i].ms < 20000);
	}
	for (i = 0; i < 3; i++)
		CHECK_EQ(raw(cq.c.fd, WEFT_IOC_CQ_SIGNAL, NULL), 0);
	pthread_join(t[0], NULL);
	pthread_join(t[2], NULL);
	pthread_join(t_ever, NULL);
	CHECK_EQ(w[0].ret, -ECANCELED);
	CHECK_EQ(w[2].ret, -ECANCELED);
	CHECK_EQ(ever.ret, -ECANCELED);
	/* a single waiter, after others have left their timer behind */
	CHECK(waiter_timed(&t[0], &w[0], &cq, 60000000));
	pthread_join(t[0], NULL);
	CHECK_EQ(w[0].ret, -ETIMEDOUT);
	CHECK(w[0].ms >= 59);
	CHECK(destroy(cq.c.handle));
	close(cq.c.fd);
	return true;
}

/* kill -9 while a child holds the files: all objects go at once. */
static bool death(void)
{
	pid_t pid, child;
	int ready[2], status;
	char c;

	CHECK(nothing_left());
	CHECK_EQ(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		struct weft_ioc_mr mr = { .size = sizeof(mr),
					  .access = WEFT_MR_READ | WEFT_MR_WRITE };
		struct raw_rdm r;

		fd = raw_open(0);
		mr.len = 1 << 20;
		mr.addr = (uintptr_t)malloc(mr.len);
		memset((void *)(uintptr_t)mr.addr, 1, mr.len);
		if (fd < 0 || !raw_rdm_new(fd, 1024, &r) || raw(fd, WEFT_IOC_MR_REG, &mr))
			_exit(1);
		child = fork();
		if (!child) {
			pause();
			_exit(0);
		}
		if (write(ready[1], &child, sizeof(child)) != sizeof(child))
			_exit(1);
		pause();
		_exit(0);
	}
	close(ready[1]);
	CHECK_EQ(read(ready[0], &child, sizeof(child)), sizeof(child));
	CHECK(port_attr(0, "contexts") == 1 && port_attr(0, "pinned_bytes") > 0);
	CHECK_EQ(kill(pid, SIGKILL), 0);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(nothing_left());
	CHECK_EQ(kill(child, 0), 0);
	CHECK_EQ(kill(child, SIGKILL), 0);
	CHECK_EQ(read(ready[0], &c, 1), 0);
	return true;
}

static int sh(const char *cmd)
{
	int status = system(cmd);

	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The port is removed: waiters wake, files stay and return ENODEV, objects can be destroyed. */
static bool port_goes(void)
{
	struct weft_ioc_query q = { .size = sizeof(q) };
	struct weft_event ev;
	struct raw_rdm r;
	struct waiter w;
	pthread_t t;
	ssize_t n;

	CHECK_EQ(sh("node 0 weftctl port add weftx loop addr 127.0.0.77"), 0);
	fd = open("/dev/weft/weftx", O_RDWR);
	CHECK(fd >= 0);
	CHECK(raw_rdm_new(fd, 16, &r));
	CHECK(sh("node 0 weftctl port del weftx"));
	CHECK_EQ(raw(fd, WEFT_IOC_QUERY, &q), 0);
	CHECK(waiter_start(&t, &w, &r.cq));
	CHECK_EQ(sh("node 0 weftctl port del weftx force"), 0);
	pthread_join(t, NULL);
	CHECK_EQ(w.ret, -ENODEV);
	CHECK(access("/dev/weft/weftx", F_OK) < 0);
	CHECK_EQ(raw(fd, WEFT_IOC_QUERY, &q), -ENODEV);
	CHECK_EQ(raw(fd, WEFT_IOC_AV_CREATE, &r.av), -ENODEV);
	CHECK_EQ(raw_post_sq(&r, 0), -ENODEV);
	CHECK(!raw_map(fd, &r.cq.c.ring, 1) && errno == ENODEV);
	CHECK_EQ(raw(r.cq.c.fd, WEFT_IOC_CQ_NOTIFY, NULL), 0);
	CHECK(r.ep.status->flags & WEFT_ST_ERROR);
	n = read(r.eq.fd, &ev, sizeof(ev));
	CHECK_EQ(n, sizeof(ev));
	CHECK_EQ(ev.type, WEFT_EV_EP_ERROR);
	CHECK_EQ(ev.handle, r.ep.e.handle);
	CHECK_EQ(ev.status, ENODEV);
	CHECK_EQ(read(r.eq.fd, &ev, sizeof(ev)) < 0 ? errno : 0, ENODEV);
	CHECK(polled(r.eq.fd, 0) & POLLERR);
	CHECK_EQ(raw_handle(fd, WEFT_IOC_DESTROY, r.cq.c.handle), -EBUSY);
	CHECK(destroy(r.ep.e.handle) && destroy(r.cq.c.handle) && destroy(r.eq.handle) &&
	      destroy(r.av.handle));
	close(r.cq.c.fd);
	close(r.eq.fd);
	/* the name is free at once, and the old file does not belong to the new port */
	CHECK_EQ(sh("node 0 weftctl port add weftx loop addr 127.0.0.77"), 0);
	CHECK_EQ(raw(fd, WEFT_IOC_QUERY, &q), -ENODEV);
	close(fd);
	CHECK_EQ(sh("node 0 weftctl port del weftx"), 0);
	return true;
}

static bool begin(void)
{
	fd = raw_open(0);
	return fd >= 0;
}

int main(void)
{
	node_enter(0);
	raw_in_child(begin, generations, "handles", "never the same");
	raw_in_child(begin, order, "destroy", "what is in use stays");
	raw_in_child(begin, files, "files", "after their queues, and before");
	raw_in_child(begin, context_first, "files", "after their context");
	raw_in_child(begin, waiting, "wait", "time, signals, the end");
	raw_in_child(begin, waiting_together, "wait", "several, each its time");
	raw_in_child(NULL, death, "kill -9", "with a child that holds the files");
	raw_in_child(NULL, port_goes, "port", "goes while in use");
	return results_end();
}
