// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Sends in a row that share notify calls (lib/fi/weft_run.c), without a kernel. TAP on stdout.
 */
#include "../../lib/fi/weft_fast.h"
#include "fake.h"

static struct weft_fi_ep e;
static struct weft_fi_cq txq, rxq;
static struct weft_cq txcq, rxcq;
static bool fast;	/* post() is the fast path's */
static unsigned int held;

/* stands in for weft_post.c: an entry with FI_MORE, or behind one */
ssize_t weft_fi_posted_held(struct weft_fi_half *half, struct lw_queue *q, bool more)
{
	held++;
	return 0;
}

/* The kernel has taken all entries. */
static void taken(void)
{
	dev->status.ep.sq_head = dev->bell.ep.sq_tail;
}

/* An endpoint with two queues, whose kernel has the capabilities @caps_now. */
static void begin(uint64_t caps_now)
{
	taken();
	notifies = 0;
	memset(&e, 0, sizeof(e));
	memset(&txcq, 0, sizeof(txcq));
	memset(&rxcq, 0, sizeof(rxcq));
	atomic_store(&txq.slow, 0);
	atomic_store(&rxq.slow, 0);
	txq.cq = &txcq;
	rxq.cq = &rxcq;
	ctx->timed = !!(caps_now & WEFT_CAP_TIMED);
	e.cm.ep = ep;
	e.tx.ep = &e;
	e.rx.ep = &e;
	e.tx.cq = &txq;
	e.rx.cq = &rxq;
	e.tx.on = true;
	weft_fi_run_on(&e);
	/* a read before the first send */
	rxcq.head++;
	dev->status.ep.flags = WEFT_ST_SQ_NOTIFY;
}

static char buf[20000];

/* Post a send as the provider's fast path does. */
static void post_fast(size_t len, bool more)
{
	uint32_t tail = ep->sq.tail, nslots;

	CHECK(!weft_send(ep, buf, len, 0, 0, 0, WEFT_MORE));
	nslots = ep->sq.tail - tail;
	ep->sq.tail = tail;
	CHECK(!weft_fi_fast_post(&e, nslots, len, more));
	CHECK(ep->sq.tail == tail + nslots);
}

/* Post a send as the provider does. */
static void post(size_t len)
{
	bool run;

	if (fast) {
		post_fast(len, false);
	} else {
		run = weft_fi_run_goes_on(&e, false);
		CHECK(!weft_send(ep, buf, len, 0, 0, 0, run ? WEFT_MORE : 0));
		if (run)
			weft_fi_run_posted(&e, len);
	}
	CHECK(dev->bell.ep.sq_tail == ep->sq.tail);
}

static bool marked(void)
{
	return atomic_load(&txq.slow) == WEFT_FI_CQ_DEFERRED &&
	       atomic_load(&rxq.slow) == WEFT_FI_CQ_DEFERRED;
}

/* Two sends are notified, the third asks for the timer, and the kernel has taken all. */
static void timed(void)
{
	post(8);
	CHECK(notifies == 1 && notify_flags == WEFT_NOTIFY_SQ);
	post(8);
	CHECK(notifies == 2 && notify_flags == WEFT_NOTIFY_SQ);
	post(8);
	CHECK(notifies == 3 && notify_flags == WEFT_NOTIFY_TIMED && !marked());
	taken();
	dev->status.ep.flags = WEFT_ST_SQ_TIMED;
	notifies = 0;
}

static void test_kept(void)
{
	unsigned int i;

	begin(WEFT_CAP_TIMED);
	timed();
	for (i = 1; i < 16; i++) {
		post(i);
		CHECK(!notifies && e.run.kept == i && marked());
	}
	/* no more are kept than this */
	post(8);
	CHECK(notifies == 1 && notify_flags == WEFT_NOTIFY_TIMED && !e.run.kept);
	taken();
	post(16384);
	CHECK(notifies == 1 && e.run.kept == 1 && e.run.bytes == 16384);
	/* a longer one leaves at once, with those before it, and asks for no timer */
	post(16385);
	CHECK(notifies == 2 && notify_flags == WEFT_NOTIFY_SQ && !e.run.kept && !e.run.bytes);
}

/* No more bytes are kept than fit into a window of packets. */
static void test_bytes(void)
{
	unsigned int i;

	begin(WEFT_CAP_TIMED);
	timed();
	for (i = 1; i < 10; i++) {
		post(4096);
		CHECK(!notifies && e.run.kept == i && e.run.bytes == 4096 * i);
	}
	post(4096);
	CHECK(notifies == 1 && notify_flags == WEFT_NOTIFY_TIMED && !e.run.kept && !e.run.bytes);
	taken();
	post(16384);
	post(16384);
	post(8191);
	CHECK(notifies == 1 && e.run.kept == 3);
	post(1);
	CHECK(notifies == 2 && notify_flags == WEFT_NOTIFY_TIMED && !e.run.kept && !e.run.bytes);
	/* a look at a queue ends the run, with its bytes */
	taken();
	post(16384);
	weft_fi_run_end(&e);
	CHECK(notifies == 3 && !e.run.kept && !e.run.bytes);
}

/* Runs of longer sends ask for no timer, and are not kept. */
static void test_long(void)
{
	begin(WEFT_CAP_TIMED);
	taken();
	while (notifies < 4)
		post(16385);
	CHECK(notify_flags == WEFT_NOTIFY_SQ && !e.run.kept);
	/* the timer does not run: nothing is kept */
	dev->status.ep.flags = WEFT_ST_SQ_NOTIFY;
	post(4096);
	CHECK(notifies == 5 && notify_flags == WEFT_NOTIFY_TIMED && !e.run.kept);
}

static void test_ended(void)
{
	begin(WEFT_CAP_TIMED);
	timed();
	weft_fi_run_end(&e);
	CHECK(!notifies);
	post(8);
	post(8);
	weft_fi_run_end(&e);
	CHECK(notifies == 1 && notify_flags == WEFT_NOTIFY_SQ && !e.run.kept);
	weft_fi_run_end(&e);
	CHECK(notifies == 1);
	/* the run begins anew */
	dev->status.ep.flags = WEFT_ST_SQ_NOTIFY;
	taken();
	post(8);
	CHECK(notifies == 2 && notify_flags == WEFT_NOTIFY_SQ);
	post(8);
	CHECK(notifies == 3 && notify_flags == WEFT_NOTIFY_TIMED);
	/* the timer may have made kept sends leave */
	dev->status.ep.flags = WEFT_ST_SQ_TIMED;
	post(8);
	taken();
	weft_fi_run_end(&e);
	CHECK(notifies == 3 && !e.run.kept);
}

/* The timer has expired: the next send notifies, and starts it again. */
static void test_expired(void)
{
	begin(WEFT_CAP_TIMED);
	timed();
	post(8);
	dev->status.ep.flags = WEFT_ST_SQ_NOTIFY;
	post(8);
	CHECK(notifies == 1 && notify_flags == WEFT_NOTIFY_TIMED && !e.run.kept);
}

/* A read of either queue ends a run: a send is notified, even while the timer runs. */
static void test_read(void)
{
	begin(WEFT_CAP_TIMED);
	timed();
	rxcq.head++;
	post(8);
	CHECK(notifies == 1 && notify_flags == WEFT_NOTIFY_SQ);
	post(8);
	CHECK(notifies == 2 && notify_flags == WEFT_NOTIFY_SQ);
	txcq.head++;
	post(8);
	CHECK(notifies == 3 && notify_flags == WEFT_NOTIFY_SQ);
	txcq.head++;
	post(8);
	CHECK(notifies == 4 && notify_flags == WEFT_NOTIFY_SQ && !e.run.kept);
	/* the thread has looked at another queue */
	dev->status.ep.flags = WEFT_ST_SQ_NOTIFY;
	post(8);
	CHECK(notifies == 5 && notify_flags == WEFT_NOTIFY_TIMED);
	weft_fi_looks++;
	post(8);
	CHECK(notifies == 6 && notify_flags == WEFT_NOTIFY_SQ && !e.run.kept);
	post(8);
	CHECK(notifies == 7 && notify_flags == WEFT_NOTIFY_SQ && !e.run.kept);
}

/* A kernel that has no timer, or an engine: nothing is kept. */
static void test_none(void)
{
	unsigned int i;

	begin(0);
	for (i = 0; i < 8; i++) {
		post(8);
		CHECK(notifies == i + 1 && notify_flags == WEFT_NOTIFY_SQ && !e.run.kept);
	}
	taken();
	begin(WEFT_CAP_TIMED);
	dev->status.ep.flags = 0;
	notifies = 0;
	for (i = 0; i < 8; i++) {
		post(8);
		CHECK(!notifies && !e.run.kept && !marked());
	}
}

/* A full ring notifies, though the timer runs. */
static void test_full(void)
{
	char c = 0;

	begin(WEFT_CAP_TIMED);
	timed();
	while (ep->sq.tail - dev->status.ep.sq_head < SLOTS)
		CHECK(!weft_send(ep, &c, 1, 0, 0, 0, WEFT_MORE));
	CHECK(!notifies);
	CHECK(weft_send(ep, &c, 1, 0, 0, 0, WEFT_MORE) == -EAGAIN);
	CHECK(notifies == 1 && notify_flags == WEFT_NOTIFY_SQ);
}

/* The fast path gives sends with FI_MORE, and the one behind them, to weft_post.c. */
static void test_held(void)
{
	unsigned int i;

	begin(WEFT_CAP_TIMED);
	for (i = 0, held = 0; i < 4; i++) {
		post_fast(8, true);
		CHECK(held == i + 1 && !notifies && !e.run.kept);
	}
	e.tx.held = 4;
	post_fast(8, false);
	CHECK(held == 5 && !notifies && !e.run.kept);
}

static void test_fast(void)
{
	static void (*const again[])(void) = {
		test_kept, test_bytes, test_long, test_ended, test_expired, test_read, test_none,
		test_full
	};
	size_t i;

	for (i = 0, fast = true; i < sizeof(again) / sizeof(again[0]); i++)
		again[i]();
	fast = false;
}

static const struct test tests[] = {
	{ "sends are kept, up to a number and a length", test_kept },
	{ "sends are kept, up to a number of bytes", test_bytes },
	{ "runs of long sends ask for no timer", test_long },
	{ "the end of a run notifies", test_ended },
	{ "the timer has expired", test_expired },
	{ "a read ends a run", test_read },
	{ "without a timer, and with an engine", test_none },
	{ "a full ring", test_full },
	{ "the same by the fast path", test_fast },
	{ "FI_MORE, by the fast path", test_held },
};

int main(void)
{
	return fake_run(tests, sizeof(tests) / sizeof(tests[0]));
}
