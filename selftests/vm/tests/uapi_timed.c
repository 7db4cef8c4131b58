// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * WEFT_NOTIFY_TIMED: sends leave without a notify call, when the timer expires, when their endpoint
 * is destroyed, and when their process ends
 * KERNELS: each
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "raw.h"

#define ROUNDS	2000
#define TRIES	10000

static int fd;
static struct raw_rdm r;

static __u32 flags(void)
{
	/* E: the doorbell before the flags */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return r.ep.status->flags;
}

static int timed(void)
{
	return raw_notify(fd, r.ep.e.handle, WEFT_NOTIFY_TIMED);
}

/* Until the kernel shows that the timer runs. It may expire before a slow machine looks. */
static bool begun(void)
{
	__u32 now;
	int i;

	for (i = 0; i < TRIES; i++) {
		CHECK_EQ(timed(), 0);
		now = flags();
		if (now & WEFT_ST_SQ_TIMED) {
			CHECK_EQ(now, WEFT_ST_SQ_TIMED);
			return true;
		}
	}
	CHECK(!"the timer is shown");
	return false;
}

static bool ended(void)
{
	uint64_t until = now_ms() + RAW_MS;

	while (flags() != WEFT_ST_SQ_NOTIFY)
		CHECK(now_ms() < until);
	return true;
}

/* Store an empty message for address @dst without a notify call. */
static void post(__u32 dst, __u64 context)
{
	struct weft_sqe *s = raw_sqe(&r, WEFT_SQ_SEND, context);

	s->dst = dst;
	__atomic_store_n(&r.ep.doorbell->sq_tail, r.ep.doorbell->sq_tail + 1, __ATOMIC_RELEASE);
}

static bool received(struct raw_rdm *at, __u64 context)
{
	struct weft_cqe e;

	do {
		CHECK(raw_completion(&at->cq, &e));
		CHECK_EQ(e.status, 0);
	} while (e.flags & WEFT_CQE_SEND);
	CHECK_EQ(e.context, context);
	return true;
}

static bool shown(void)
{
	CHECK_EQ(flags(), WEFT_ST_SQ_NOTIFY);
	CHECK(begun());
	/* it ends by itself */
	CHECK(ended());
	/* a plain call ends it at once */
	CHECK(begun());
	CHECK_EQ(raw_notify(fd, r.ep.e.handle, WEFT_NOTIFY_SQ), 0);
	CHECK_EQ(flags(), WEFT_ST_SQ_NOTIFY);
	return true;
}

static bool leaves(void)
{
	int round, alone = 0;

	for (round = 0; round < ROUNDS; round++) {
		raw_rqe(&r, WEFT_RQ_RECV, round);
		CHECK_EQ(raw_post_rq(&r, 1), 0);
		CHECK_EQ(timed(), 0);
		post(0, 0);
		if (flags() & WEFT_ST_SQ_NOTIFY)
			CHECK_EQ(raw_notify(fd, r.ep.e.handle, WEFT_NOTIFY_SQ), 0);
		else
			alone++;
		CHECK(received(&r, round));
	}
	CHECK(alone);
	return true;
}

/* Have @to receive messages of this endpoint. Return: its address. */
static bool introduce(const struct raw_rdm *to, __u32 *index)
{
	struct weft_ioc_av_insert in = { .size = sizeof(in), .handle = r.av.handle, .count = 1 };

	in.addrs = (__u64)(uintptr_t)&to->addr;
	in.index = (__u64)(uintptr_t)index;
	CHECK_EQ(raw(fd, WEFT_IOC_AV_INSERT, &in), 0);
	CHECK_EQ(in.done, 1);
	return true;
}

/* Until a send is posted while the timer runs. A message makes the flow first. */
static bool left_to_timer(struct raw_rdm *to)
{
	__u32 index;

	CHECK(introduce(to, &index));
	raw_rqe(to, WEFT_RQ_RECV, 1);
	CHECK_EQ(raw_post_rq(to, 1), 0);
	raw_rqe(to, WEFT_RQ_RECV, 2);
	CHECK_EQ(raw_post_rq(to, 1), 0);
	post(index, 0);
	CHECK_EQ(raw_notify(fd, r.ep.e.handle, WEFT_NOTIFY_SQ), 0);
	CHECK(received(to, 1));
	CHECK(begun());
	post(index, 0);
	return true;
}

static bool destroyed(void)
{
	struct raw_rdm to;

	CHECK(raw_rdm_new(fd, 16, &to));
	CHECK(left_to_timer(&to));
	CHECK(raw_rdm_free(&r));
	CHECK(received(&to, 2));
	return raw_rdm_free(&to);
}

/* The sender is a child that exits. */
static bool exited(void)
{
	int status = -1, to_fd = raw_open(0);
	struct raw_rdm to;
	pid_t pid;

	CHECK(to_fd >= 0 && raw_rdm_new(to_fd, 16, &to));
	raw_rqe(&to, WEFT_RQ_RECV, 2);
	CHECK_EQ(raw_post_rq(&to, 1), 0);
	pid = fork();
	if (!pid) {
		__u32 index;

		fd = raw_open(0);
		if (fd < 0 || !raw_rdm_new(fd, 16, &r) || !introduce(&to, &index) || !begun())
			_exit(1);
		post(index, 0);
		_exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status) && !WEXITSTATUS(status));
	CHECK(received(&to, 2));
	CHECK(raw_rdm_free(&to));
	close(to_fd);
	return true;
}

static bool refused(void)
{
	struct raw_ep pep;
	int what;

	for (what = 5; what < 8; what++) {
		CHECK_EQ(raw_notify(fd, r.ep.e.handle, what), -EINVAL);
		CHECK_EQ(raw_notify_call(fd, r.ep.e.handle, what), -ENOTTY);
	}
	CHECK_EQ(raw_notify_call(fd, r.ep.e.handle, WEFT_NOTIFY_TIMED), 0);
	CHECK_EQ(raw_notify(fd, r.ep.e.handle + 1, WEFT_NOTIFY_TIMED), -ENOENT);
	CHECK(raw_ep_new(fd, WEFT_EP_PASSIVE, 0, &pep));
	CHECK_EQ(raw_notify(fd, pep.e.handle, WEFT_NOTIFY_TIMED), -EINVAL);
	return true;
}

static bool begin(void)
{
	fd = raw_open(0);
	return fd >= 0 && raw_rdm_new(fd, 16, &r);
}

int main(void)
{
	node_enter(0);
	raw_in_child(begin, shown, "the flag is shown while the timer runs", "");
	raw_in_child(begin, leaves, "posted sends leave without a notify call", "");
	raw_in_child(begin, destroyed, "posted sends leave before their endpoint ends", "");
	raw_in_child(begin, exited, "posted sends leave before their process ends", "");
	raw_in_child(begin, refused, "other numbers, and other endpoints", "");
	return results_end();
}
