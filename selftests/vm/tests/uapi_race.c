// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Threads create, notify, wait for, signal, poll, destroy and close the same objects at the same
 * time, on a port that comes and goes. The calls need only return. The kernel log and the remaining
 * objects show errors.
 * TIMEOUT: 120
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "looks.h"
#include "raw.h"

#define SLOTS	16
#define MS	4000

/* State that the threads share: handles and files that may be dead at any time. */
static int fd;
static _Atomic __u32 cqs[SLOTS], eqs[SLOTS], avs[SLOTS], eps[SLOTS];
static _Atomic int files[SLOTS];
static uint64_t until;

static unsigned int any(unsigned int *seed)
{
	return (unsigned int)rand_r(seed) % SLOTS;
}

static void make(unsigned int *seed)
{
	struct weft_ioc_cq cq = { .size = sizeof(cq), .slots = 16 };
	struct weft_ioc_eq eq = { .size = sizeof(eq) };
	struct weft_ioc_av av = { .size = sizeof(av) };
	struct weft_ioc_ep ep = {
		.size = sizeof(ep), .type = WEFT_EP_RDM, .sq_slots = 16, .rq_slots = 16
	};
	unsigned int k = any(seed);
	void *p;

	if (!raw(fd, WEFT_IOC_CQ_CREATE, &cq)) {
		p = raw_map(fd, &cq.ring, PROT_READ);
		if (p)
			raw_unmap(p, &cq.ring);
		raw_handle(fd, WEFT_IOC_DESTROY, atomic_exchange(&cqs[k], cq.handle));
		close(atomic_exchange(&files[k], cq.fd));
	}
	if (!raw(fd, WEFT_IOC_EQ_CREATE, &eq)) {
		raw_handle(fd, WEFT_IOC_DESTROY, atomic_exchange(&eqs[k], eq.handle));
		close(eq.fd);
	}
	if (!raw(fd, WEFT_IOC_AV_CREATE, &av))
		raw_handle(fd, WEFT_IOC_DESTROY, atomic_exchange(&avs[k], av.handle));
	if (!raw(fd, WEFT_IOC_EP_CREATE, &ep))
		raw_handle(fd, WEFT_IOC_DESTROY, atomic_exchange(&eps[k], ep.handle));
}

static void use(unsigned int *seed)
{
	struct weft_ioc_ep_enable en = {
		.size = sizeof(en),
		.handle = eps[any(seed)],
		.tx_cq = cqs[any(seed)],
		.rx_cq = cqs[any(seed)],
		.eq = eqs[any(seed)],
		.av = avs[any(seed)],
	};
	struct weft_ioc_cancel cancel = { .size = sizeof(cancel), .handle = eps[any(seed)] };
	struct pollfd p = { .fd = files[any(seed)], .events = POLLIN };

	raw(fd, WEFT_IOC_EP_ENABLE, &en);
	raw_notify(fd, eps[any(seed)], WEFT_NOTIFY_SQ | WEFT_NOTIFY_RQ);
	raw(fd, WEFT_IOC_CANCEL, &cancel);
	raw_wait(files[any(seed)], 0, 300000);
	raw_wait(files[any(seed)], 0, 0);
	raw(files[any(seed)], WEFT_IOC_CQ_NOTIFY, NULL);
	raw(files[any(seed)], WEFT_IOC_CQ_SIGNAL, NULL);
	poll(&p, 1, 0);
}

static void kill_some(unsigned int *seed)
{
	raw_handle(fd, WEFT_IOC_DESTROY, eps[any(seed)]);
	raw_handle(fd, WEFT_IOC_DESTROY, cqs[any(seed)]);
	raw_handle(fd, WEFT_IOC_DESTROY, avs[any(seed)]);
	raw_handle(fd, WEFT_IOC_DESTROY, eqs[any(seed)]);
}

static void *thread(void *arg)
{
	unsigned int n = (unsigned int)(uintptr_t)arg, seed = n * 7919 + (unsigned int)until;

	while (now_ms() < until) {
		switch (n % 3) {
		case 0:
			make(&seed);
			break;
		case 1:
			use(&seed);
			break;
		case 2:
			kill_some(&seed);
			usleep(200);
			break;
		}
	}
	return NULL;
}

static void threads(unsigned int n)
{
	pthread_t t[12];
	unsigned int i;

	for (i = 0; i < SLOTS; i++)
		files[i] = -1;
	for (i = 0; i < n; i++)
		pthread_create(&t[i], NULL, thread, (void *)(uintptr_t)i);
	for (i = 0; i < n; i++)
		pthread_join(t[i], NULL);
}

static bool one_context(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		fd = raw_open(0);
		until = now_ms() + MS;
		threads(9);
		_exit(fd < 0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status) && !WEXITSTATUS(status));
	CHECK(nothing_left());
	return true;
}

static bool killed(void)
{
	uint64_t end = now_ms() + MS;
	int status;
	pid_t pid;

	while (now_ms() < end) {
		pid = fork();
		if (!pid) {
			fd = raw_open(0);
			until = now_ms() + 20000;
			/* a child that holds the file, now and then */
			if (rand() & 1 && !fork()) {
				usleep(50000);
				_exit(0);
			}
			threads(6);
			_exit(0);
		}
		usleep((useconds_t)rand() % 40000);
		CHECK_EQ(kill(pid, SIGKILL), 0);
		CHECK_EQ(waitpid(pid, &status, 0), pid);
	}
	CHECK(nothing_left());
	return true;
}

static int sh(const char *cmd)
{
	int status = system(cmd);

	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The port is removed under the threads; a new one of the same name serves new ones. */
static bool port_goes(void)
{
	int i, status;
	pid_t pid;

	for (i = 0; i < 6; i++) {
		CHECK_EQ(sh("node 0 weftctl port add weftx loop addr 127.0.0.77"), 0);
		pid = fork();
		if (!pid) {
			fd = open("/dev/weft/weftx", O_RDWR | O_CLOEXEC);
			until = now_ms() + 600;
			threads(6);
			_exit(fd < 0);
		}
		usleep(200000);
		CHECK_EQ(sh("node 0 weftctl port del weftx force"), 0);
		if (i & 1)
			kill(pid, SIGKILL);
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK(i & 1 || (WIFEXITED(status) && !WEXITSTATUS(status)));
	}
	return true;
}

int main(void)
{
	srand((unsigned int)now_ms());
	node_enter(0);
	result(one_context(), "threads", "on the same objects");
	result(killed(), "threads", "killed at any time");
	result(port_goes(), "threads", "on a port that goes");
	return results_end();
}
