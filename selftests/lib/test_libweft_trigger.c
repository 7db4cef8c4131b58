// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * libweft without a kernel: triggers, their drafts, and changes of counters. Built together with
 * the sources in lib/libweft. TAP on stdout.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

static struct weft_cntr *cntr;
static struct weft_ep *draft;

static void begin(void)
{
	trigger_errno = 0;
	memset(&last_trigger, 0xff, sizeof(last_trigger));
	CHECK(!weft_cntr_create(ctx, &cntr));
	CHECK(!weft_draft_create(ep, &draft));
	CHECK(weft_ep_handle(draft) == weft_ep_handle(ep));
}

/* Nothing has been posted to the endpoint. */
static void end(void)
{
	CHECK(!dev->bell.ep.sq_tail && !dev->bell.ep.rq_tail && !notifies);
	weft_draft_destroy(draft);
	CHECK(!weft_cntr_destroy(cntr));
}

/* The kernel got a trigger of the test's counter with an entry of @nslots slots. */
static void check_added(uint32_t op, uint32_t nslots)
{
	CHECK(last_trigger.size == sizeof(last_trigger) && last_trigger.op == op);
	CHECK(last_trigger.cntr == cntr->handle && last_trigger.object == weft_ep_handle(ep));
	CHECK(last_trigger.nslots == nslots && !last_trigger.value);
}

static void test_sends(void)
{
	struct weft_trigger t = { .id = 5, .zone = 6, .threshold = 1ull << 40 };
	const struct weft_sqe *sqe = (void *)last_entry;
	char buf[100];

	begin();
	t.cntr = cntr;
	CHECK(!weft_send(draft, buf, sizeof(buf), 7, 9, 42, WEFT_SQ_COMPLETION | WEFT_SQ_DATA));
	CHECK(!weft_trigger_send(draft, &t));
	check_added(WEFT_TRIGGER_SEND, 1);
	CHECK(last_trigger.threshold == 1ull << 40 && last_trigger.id == 5);
	CHECK(last_trigger.zone == 6 && !last_trigger.flags);
	CHECK(last_trigger.done == WEFT_HANDLE_NONE);
	CHECK(sqe->op == WEFT_SQ_SEND && sqe->nslots == 1 && sqe->dst == 7 && sqe->data == 9);
	CHECK(sqe->flags == (WEFT_SQ_COMPLETION | WEFT_SQ_DATA) && sqe->context == 42);
	CHECK(sqe->addr == (uintptr_t)buf && sqe->len == 100 && sqe->niov == 1);
	/* the draft is empty: it takes the next one, and without one there is nothing to add */
	CHECK(weft_trigger_send(draft, &t) == -EINVAL);
	t.done = cntr;
	t.flags = WEFT_TRIGGERF_ALONE | WEFT_TRIGGERF_BOTH;
	CHECK(!weft_write(draft, buf, 8, 1, 0x1234, 99, 0, 43, 0));
	CHECK(!weft_trigger_send(draft, &t));
	check_added(WEFT_TRIGGER_SEND, 1);
	CHECK(last_trigger.done == cntr->handle && last_trigger.flags == t.flags);
	CHECK(sqe->op == WEFT_SQ_WRITE && sqe->raddr == 0x1234 && sqe->tag == 99);
	end();
}

/* The longest entry fits from the first slot on, whatever was in the draft before. */
static void test_longest(void)
{
	struct weft_rma_iov rem[WEFT_IOV_MAX];
	struct iovec iov[WEFT_IOV_MAX];
	struct weft_atomic a = {
		.op = WEFT_AOP_CSWAP, .type = WEFT_ATYPE_INT64, .kind = WEFT_ATOMIC_COMPARE,
		.len = 8 * WEFT_IOV_MAX, .iov = iov, .count = WEFT_IOV_MAX, .cmp = iov,
		.ncmp = WEFT_IOV_MAX, .res = iov, .nres = WEFT_IOV_MAX, .rem = rem,
		.nrem = WEFT_IOV_MAX,
	};
	const struct weft_sqe *sqe = (void *)last_entry;
	const struct weft_iov *seg = (void *)(last_entry + WEFT_SLOT_SIZE);
	struct weft_trigger t = { 0 };
	char buf[64];
	size_t i;

	begin();
	t.cntr = cntr;
	for (i = 0; i < WEFT_IOV_MAX; i++) {
		iov[i] = (struct iovec) { buf + 8 * i, 8 };
		rem[i] = (struct weft_rma_iov) { .addr = 100 * i, .len = 8, .key = i };
	}
	for (i = 0; i < 3; i++) {
		CHECK(!weft_atomic(draft, &a, 3, 8, 0));
		/* one entry at a time */
		CHECK(weft_atomic(draft, &a, 3, 8, 0) == -EAGAIN);
		CHECK(!weft_trigger_send(draft, &t));
		check_added(WEFT_TRIGGER_SEND, 11);
		CHECK(sqe->op == WEFT_SQ_ATOMIC && sqe->nslots == 11);
		CHECK(seg[7].addr == (uintptr_t)buf + 56 && seg[7].len == 8);
		CHECK(!weft_send(draft, buf, 8, 0, 0, 1, 0));
		CHECK(!weft_trigger_send(draft, &t));
		check_added(WEFT_TRIGGER_SEND, 1);
		CHECK(sqe->op == WEFT_SQ_SEND);
	}
	end();
}

static void test_recvs(void)
{
	const struct weft_rqe *rqe = (void *)last_entry;
	struct weft_trigger t = { 0 };
	char buf[100];

	begin();
	t.cntr = cntr;
	CHECK(!weft_trecv(draft, buf, sizeof(buf), 3, 17, 1, 44, WEFT_RQ_COMPLETION));
	CHECK(weft_trigger_send(draft, &t) == -EINVAL);
	CHECK(!weft_trigger_recv(draft, &t));
	check_added(WEFT_TRIGGER_RECV, 1);
	CHECK(rqe->op == WEFT_RQ_TRECV && rqe->src == 3 && rqe->tag == 17 && rqe->ignore == 1);
	CHECK(rqe->context == 44 && rqe->addr == (uintptr_t)buf && rqe->len == 100);
	CHECK(rqe->flags == WEFT_RQ_COMPLETION);
	CHECK(weft_trigger_recv(draft, &t) == -EINVAL);
	end();
}

/* What the kernel refuses leaves the draft empty. */
static void test_refused(void)
{
	struct weft_trigger t = { 0 };
	char buf[8];

	begin();
	t.cntr = cntr;
	trigger_errno = EAGAIN;
	CHECK(!weft_send(draft, buf, 8, 0, 0, 1, 0));
	CHECK(weft_trigger_send(draft, &t) == -EAGAIN);
	trigger_errno = 0;
	CHECK(weft_trigger_send(draft, &t) == -EINVAL);
	CHECK(!weft_send(draft, buf, 8, 0, 0, 1, 0));
	CHECK(!weft_trigger_send(draft, &t));
	end();
}

static void test_counters(void)
{
	struct weft_trigger t = { .threshold = 3, .id = 4, .zone = 5,
				  .flags = WEFT_TRIGGERF_BOTH };
	struct weft_cntr *target;

	begin();
	t.cntr = cntr;
	CHECK(!weft_cntr_create(ctx, &target));
	target->handle = 0x50005;
	CHECK(!weft_trigger_cntr(target, true, 99, &t));
	CHECK(last_trigger.op == WEFT_TRIGGER_ADD && last_trigger.object == 0x50005);
	CHECK(last_trigger.value == 99 && !last_trigger.nslots && !last_trigger.entry);
	CHECK(last_trigger.cntr == cntr->handle && last_trigger.done == WEFT_HANDLE_NONE);
	CHECK(last_trigger.threshold == 3 && last_trigger.id == 4 && last_trigger.zone == 5);
	CHECK(last_trigger.flags == WEFT_TRIGGERF_BOTH);
	CHECK(!weft_trigger_cntr(target, false, 98, &t));
	CHECK(last_trigger.op == WEFT_TRIGGER_SET && last_trigger.value == 98);
	CHECK(!weft_cntr_destroy(target));

	CHECK(!weft_cntr_change(cntr, 7, WEFT_CNTRF_ADD | WEFT_CNTRF_FAILED));
	CHECK(last_change.size == sizeof(last_change) && last_change.value == 7);
	CHECK(last_change.flags == (WEFT_CNTRF_ADD | WEFT_CNTRF_FAILED));
	end();
}

static void test_ends(void)
{
	struct weft_triggers which = { .zone = 3 };

	begin();
	CHECK(!weft_trigger_end(ctx, &which));
	CHECK(last_end.size == sizeof(last_end) && last_end.zone == 3 && !last_end.flags);
	CHECK(last_end.cntr == WEFT_HANDLE_NONE && last_end.object == WEFT_HANDLE_NONE);
	CHECK(!last_end.id && !last_end.rsvd);
	which.cntr = cntr;
	which.ep = ep;
	which.id = 9;
	which.flags = WEFT_TRIGGERF_ONE | WEFT_TRIGGERF_TELL;
	trigger_errno = ENOENT;
	CHECK(weft_trigger_end(ctx, &which) == -ENOENT);
	CHECK(last_end.cntr == cntr->handle && last_end.object == weft_ep_handle(ep));
	CHECK(last_end.id == 9 && last_end.flags == which.flags);
	end();
}

static const struct test tests[] = {
	{ "sends and one-sided operations", test_sends },
	{ "the longest entry", test_longest },
	{ "receives", test_recvs },
	{ "refused triggers", test_refused },
	{ "counters", test_counters },
	{ "ends", test_ends },
};

int main(void)
{
	return fake_run(tests, sizeof(tests) / sizeof(tests[0]));
}
