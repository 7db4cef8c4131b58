// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * libweft without a kernel: completion queues. Built together with the sources in lib/libweft. TAP
 * on stdout.
 */
#include <errno.h>
#include <string.h>

#include "../../lib/libweft/entry.h"
#include "fake.h"

static void test_cq_wrap(void)
{
	unsigned char want[WEFT_INLINE_MAX], got[WEFT_INLINE_MAX + 1];
	struct weft_cqe cqe[4];
	size_t len;

	start_at(UINT32_MAX - 5);	/* the index wraps, too */
	pattern(want, sizeof(want));
	for (len = 1; len <= sizeof(want); len++) {
		memset(got, 0xee, sizeof(got));
		complete(len, 0, got, len);
		CHECK(weft_cq_pending(cq, weft_cq_seen(cq)));
		CHECK(weft_cq_read(cq, cqe, 4) == 1);
		CHECK(cqe[0].context == len && cqe[0].len == len);
		CHECK(!memcmp(got, want, len));
		CHECK(got[len] == 0xee);
		CHECK(dev->bell.cq.head == dev->status.cq.tail);
		CHECK(!weft_cq_pending(cq, weft_cq_seen(cq)));
	}
}

/* Payload of unread completions is copied once, when they are settled, and not again. */
static void test_cq_settle(void)
{
	unsigned char want[200], got[200] = { 0 }, later[200] = { 0 };
	struct weft_cqe cqe;

	start_at(UINT32_MAX - 2);
	pattern(want, sizeof(want));
	complete(1, 0, got, sizeof(got));
	complete(2, 0, NULL, 0);
	weft_cq_settle(cq);
	CHECK(!memcmp(got, want, sizeof(want)));
	memset(got, 0xee, sizeof(got));
	complete(3, 0, later, sizeof(later));
	CHECK(weft_cq_read(cq, &cqe, 1) == 1 && cqe.context == 1 && cqe.len == sizeof(got));
	CHECK(got[0] == 0xee && got[sizeof(got) - 1] == 0xee);
	CHECK(weft_cq_read(cq, &cqe, 1) == 1 && cqe.context == 2);
	CHECK(weft_cq_read(cq, &cqe, 1) == 1 && cqe.context == 3);
	CHECK(!memcmp(later, want, sizeof(want)));
}

static void test_cq_truncated(void)
{
	unsigned char got[65] = { 0 };
	struct weft_cqe cqe;

	complete(1, EMSGSIZE, got, 64);
	dev->cq.e[0].len = 100;
	dev->cq.e[0].olen = 40;
	CHECK(weft_cq_read(cq, &cqe, 1) == 1);
	CHECK(cqe.status == EMSGSIZE && cqe.olen == 40);
	CHECK(got[59] && !got[60]);	/* 60 bytes and no more */
}

static void test_cq_forged_seq(void)
{
	unsigned char buf[64] = { 0 };
	struct weft_cqe cqe;
	int i;

	complete(1, 0, buf, 64);
	dev->cq.e[1].seq = SLOTS + 2;	/* payload that looks like the entry of the next round */
	CHECK(weft_cq_read(cq, &cqe, 1) == 1);
	for (i = 0; i < SLOTS - 1; i++) {
		complete(2, 0, NULL, 0);
		CHECK(weft_cq_read(cq, &cqe, 1) == 1);
	}
	CHECK(weft_cq_seen(cq) == SLOTS + 1);
	CHECK(weft_cq_read(cq, &cqe, 1) == 0);
}

static void test_cq_failed_alone(void)
{
	struct weft_cqe cqe[8];
	int i;

	for (i = 0; i < 6; i++)
		complete(i, i == 2 || i == 3 ? ECANCELED : 0, NULL, 0);
	CHECK(weft_cq_read(cq, cqe, 8) == 2);
	CHECK(cqe[1].context == 1);
	CHECK(weft_cq_read(cq, cqe, 8) == 1);
	CHECK(cqe[0].context == 2 && cqe[0].status == ECANCELED);
	CHECK(weft_cq_read(cq, cqe, 8) == 1);
	CHECK(cqe[0].context == 3);
	CHECK(weft_cq_read(cq, cqe, 1) == 1);
	CHECK(weft_cq_read(cq, cqe, 8) == 1);
	CHECK(cqe[0].context == 5);
	CHECK(weft_cq_read(cq, cqe, 8) == 0);
}

/* In place: the kernel gets slots back when the program says so; peeked entries stay. */
static void test_cq_peek(void)
{
	unsigned char want[100], got[100] = { 0 };
	const struct weft_cqe *e;
	struct weft_cqe cqe;

	start_at(UINT32_MAX - 1);
	pattern(want, sizeof(want));
	CHECK(weft_cq_peek(cq, &e) == 0);
	complete(1, 0, got, sizeof(got));
	complete(2, ECANCELED, NULL, 0);
	complete(3, 0, NULL, 0);
	CHECK(weft_cq_peek(cq, &e) == 1 && e->context == 1);
	CHECK(!memcmp(got, want, sizeof(got)));
	memset(got, 0xee, sizeof(got));
	CHECK(weft_cq_peek(cq, &e) == 1 && e->context == 1);
	CHECK(got[0] == 0xee);		/* copied once */
	CHECK(weft_cq_next(cq, &e) == 1 && e->context == 2 && e->status == ECANCELED);
	CHECK(dev->bell.cq.head == 0);
	weft_cq_done(cq);
	CHECK(dev->bell.cq.head == 1 && weft_cq_seen(cq) == 1);
	CHECK(weft_cq_pending(cq, weft_cq_seen(cq)));
	CHECK(weft_cq_read(cq, &cqe, 1) == 1 && cqe.context == 2);
	CHECK(weft_cq_peek(cq, &e) == 1 && e->context == 3);
	CHECK(weft_cq_next(cq, &e) == 0);
	dev->status.cq.flags = WEFT_ST_CQ_NOTIFY;
	weft_cq_done(cq);
	CHECK(cq_notifies == 1);
	CHECK(dev->bell.cq.head == dev->status.cq.tail);
	dev->status.cq.flags = WEFT_ST_CQ_ERROR;
	CHECK(weft_cq_peek(cq, &e) == -EIO);
}

/* The sender's address is in the next slot, also around the ring's end. */
static void test_cq_from(void)
{
	struct weft_sockaddr from, want;
	const struct weft_cqe *e;
	uint32_t i;

	start_at(UINT32_MAX);
	pattern((unsigned char *)&want, sizeof(want));
	for (i = 0; i < SLOTS; i++) {
		complete(i, EADDRNOTAVAIL, NULL, sizeof(want));
		memset(&from, 0, sizeof(from));
		CHECK(weft_cq_peek(cq, &e) == 1 && e->status == EADDRNOTAVAIL);
		weft_cq_from(cq, &from);
		CHECK(!memcmp(&from, &want, sizeof(from)));
		CHECK(weft_cq_next(cq, &e) == 0);
		weft_cq_done(cq);
	}
}

static void test_cq_flags(void)
{
	struct weft_cqe cqe;

	complete(1, 0, NULL, 0);
	CHECK(weft_cq_read(cq, &cqe, 1) == 1);
	CHECK(!cq_notifies);
	complete(1, 0, NULL, 0);
	dev->status.cq.flags = WEFT_ST_CQ_NOTIFY;
	CHECK(weft_cq_read(cq, &cqe, 1) == 1);
	CHECK(cq_notifies == 1);
	CHECK(weft_cq_read(cq, &cqe, 1) == 0);
	CHECK(cq_notifies == 1);
	dev->status.cq.flags = WEFT_ST_CQ_ERROR;
	CHECK(weft_cq_read(cq, &cqe, 1) == -EIO);
}

/* Decode the timeout that a wait of @ns passes to the kernel. */
static uint64_t asked(uint64_t ns)
{
	CHECK(weft_cq_wait(cq, 0xfffffff7, NULL, ns) == -ETIMEDOUT);
	CHECK((uint32_t)last_wait == 0xfffffff7);
	CHECK(last_wait >> 62 == 1);
	if ((last_wait & WEFT_CQ_SEEK_EVER) == WEFT_CQ_SEEK_EVER)
		return WEFT_FOREVER;
	return (last_wait >> 32 & 0x1ffffff) << (last_wait >> 57 & 31);
}

/* Never less than the requested time, and hardly more. */
static void test_cq_wait_time(void)
{
	uint64_t ns, got;
	int i;

	dev->status.cq.tail = 0xfffffff7;
	CHECK(asked(0) == 0);
	for (i = 0; i < 64; i++) {
		ns = 1ull << i;
		CHECK(asked(ns) == (i < 55 ? ns : WEFT_FOREVER));
		ns |= ns - 1;
		got = asked(ns);
		if (i < 55)
			CHECK(got >= ns && got - ns <= ns >> 24);
		else
			CHECK(got == WEFT_FOREVER);
		if (i < 25)
			CHECK(got == ns);
		/* a value whose rounded form would be too short by one */
		ns = (1ull << i) + 1;
		got = asked(ns);
		if (i < 55)
			CHECK(got >= ns && got - ns <= ns >> 24);
	}
	CHECK(asked(20000 * 1000000ull) - 20000 * 1000000ull < 1200);
	dev->status.cq.tail = 0;
}

static void test_cq_wait(void)
{
	uint32_t seen = weft_cq_seen(cq);

	CHECK(weft_cq_wait(cq, seen, NULL, 5) == -ETIMEDOUT);
	CHECK(waits == 1 && last_wait == (WEFT_CQ_SEEK | 5ull << 32 | seen));
	CHECK(weft_cq_wait(cq, seen, NULL, WEFT_FOREVER) == -ETIMEDOUT);
	CHECK(waits == 2 && last_wait == (WEFT_CQ_SEEK_EVER | seen));
	CHECK(!notifies);
	/* first the notify call, then the wait */
	CHECK(weft_cq_wait(cq, seen, ep, 0) == -ETIMEDOUT);
	CHECK(waits == 3 && last_wait == (WEFT_CQ_SEEK | seen));
	CHECK(notifies == 1 && notify_handle == weft_ep_handle(ep));
	CHECK(notify_flags == (WEFT_NOTIFY_SQ | WEFT_NOTIFY_RQ));
	complete(1, 0, NULL, 0);
	CHECK(weft_cq_wait(cq, seen, NULL, WEFT_FOREVER) == 0);
	CHECK(waits == 3);
	/* a notify call is needed all the same */
	CHECK(weft_cq_wait(cq, seen, ep, 0) == 0);
	CHECK(waits == 3 && notifies == 2);
}

/* A port that does not permit lseek(2) */
static void test_only_ioctls(void)
{
	struct lw_queue q = { .notify = WEFT_NOTIFY_RQ, .handle = 9 };
	struct weft_ctx *other;

	caps = 0;
	CHECK(!weft_open(dev_path, &other) && !other->seek);
	caps = WEFT_CAP_SEEK;
	q.fd = other->fd;
	notifies = 0;
	waits = 0;
	seeks = 0;
	notify_eintr = 1;
	lw_queue_notify(&q);
	CHECK(notifies == 2 && notify_handle == 9 && notify_flags == WEFT_NOTIFY_RQ);
	CHECK(lw_wait(other, event_pipe[0], 5, WEFT_FOREVER) == -ETIMEDOUT && waits == 1);
	CHECK(wait_arg.size == sizeof(wait_arg) && wait_arg.seen == 5 && !wait_arg.flags);
	CHECK(wait_arg.timeout_ns == WEFT_FOREVER && !wait_arg.rsvd && !seeks);
	CHECK(!weft_close(other));
}

static const struct test tests[] = {
	{ "completions wrap, inline payload is copied out", test_cq_wrap },
	{ "payload settled before it is read", test_cq_settle },
	{ "completions looked at in place", test_cq_peek },
	{ "completions that name their sender", test_cq_from },
	{ "inline payload of a truncated receive", test_cq_truncated },
	{ "payload that looks like a completion is none", test_cq_forged_seq },
	{ "a failed completion comes alone", test_cq_failed_alone },
	{ "completion queue's flags", test_cq_flags },
	{ "waiting for completions", test_cq_wait },
	{ "how long waits last", test_cq_wait_time },
	{ "notify and wait by ioctl", test_only_ioctls },
};

int main(void)
{
	return fake_run(tests, sizeof(tests) / sizeof(tests[0]));
}
