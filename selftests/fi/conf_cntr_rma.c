// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fi_cntr(3), rule by rule: counters of one-sided operations. TIMEOUT: 120 LINKS: vnet loop poll
 */
#include <poll.h>
#include <pthread.h>
#include <unistd.h>
#include "other.h"

#define SIZE	8192u

static bool offered(struct fid_mr **mr)
{
	return expose(&p.b, rbuf, SIZE, BOTH_RIGHTS, KEY, mr);
}

/* ---- Of the initiator ------------------------------------------------------------------- */

static bool silent(void)
{
	struct fid_mr *mr;

	CHECK(offered(&mr));
	CHECK_EQ(rma_msg(true, sbuf, 8, 0, KEY, 1, 0), 0);
	CHECK(cntr_is(p.a.txcntr, 1));
	CHECK_EQ(fi_inject_write(p.a.ep, sbuf, 8, p.a.peer, 0, KEY), 0);
	CHECK(cntr_is(p.a.txcntr, 2));
	CHECK_EQ(rma_msg(false, sbuf, SIZE, 0, KEY, 2, 0), 0);
	CHECK(cntr_is(p.a.txcntr, 3));
	CHECK(quiet(p.a.txcq));
	return !fi_close(&mr->fid);
}

static bool errors(void)
{
	struct fid_mr *mr;

	CHECK(offered(&mr));
	CHECK_EQ(fi_inject_write(p.a.ep, sbuf, 8, p.a.peer, 0, KEY + 1), 0);
	CHECK(rma_failed(0, true, FI_EACCES));
	CHECK(cntr_fails(p.a.txcntr, 1));
	CHECK_EQ(rma_msg(false, sbuf, 8, SIZE, KEY, 1, 0), 0);
	CHECK(rma_failed(1, false, FI_EACCES));
	CHECK(cntr_fails(p.a.txcntr, 2));
	CHECK(rma_write(sbuf, 8, 0, KEY));
	CHECK(cntr_is(p.a.txcntr, 1));
	return cntr_fails(p.a.txcntr, 2) && !fi_close(&mr->fid);
}

/* ---- Of the target ---------------------------------------------------------------------- */

/* A write with remote CQ data counts as a write, and not as a message. */
static bool with_data(void)
{
	bool messages = p.o.rx_count & FI_RECV;
	struct fid_mr *mr;

	CHECK(offered(&mr));
	CHECK_EQ(fi_writedata(p.a.ep, sbuf, 100, NULL, 9, p.a.peer, 0, KEY, ctx(1)), 0);
	CHECK(rma_told(9, 100));
	CHECK(rma_done(1, true));
	return cntr_is(p.b.rxcntr, messages ? 0 : 1) && !fi_close(&mr->fid);
}

static bool without_bytes(void)
{
	struct fid_mr *mr;

	CHECK(offered(&mr));
	CHECK_EQ(fi_write(p.a.ep, NULL, 0, NULL, p.a.peer, 0, KEY, ctx(1)), 0);
	CHECK(rma_done(1, true));
	CHECK_EQ(fi_read(p.a.ep, NULL, 0, NULL, p.a.peer, 0, KEY, ctx(2)), 0);
	CHECK(rma_done(2, false));
	CHECK(cntr_is(p.a.txcntr, 2));
	return cntr_is(p.b.rxcntr, 2) && !fi_close(&mr->fid);
}

/* One counter for messages, for writes of peers, and for those to a region. */
static bool shared(void)
{
	struct fid_mr *mr;

	CHECK(offered(&mr));
	CHECK_EQ(fi_mr_bind(mr, &p.b.rxcntr->fid, FI_REMOTE_WRITE), 0);
	CHECK(post_plain(rbuf + SIZE, 64, 1));
	CHECK(send_plain(64, 3, 1));
	CHECK(is_received(1, 64, false, 0));
	CHECK(cntr_is(p.b.rxcntr, 1));
	CHECK(rma_write(sbuf, 8, 0, KEY));
	CHECK(cntr_is(p.b.rxcntr, 3));
	CHECK(rma_read(sbuf, 8, 0, KEY));
	return cntr_is(p.b.rxcntr, 3) && !fi_close(&mr->fid);
}

#define BOTH_ADD	2000u

/* The program adds while writes of a peer count. */
static bool both_add(void)
{
	struct fid_mr *mr;
	unsigned int i;
	ssize_t ret;

	CHECK(offered(&mr));
	for (i = 0; i < BOTH_ADD; i++) {
		do
			ret = fi_inject_write(p.a.ep, sbuf, 8, p.a.peer, 0, KEY);
		while (ret == -FI_EAGAIN);
		CHECK_EQ(ret, 0);
		CHECK_EQ(fi_cntr_add(p.b.rxcntr, 1), 0);
	}
	CHECK_EQ(fi_cntr_wait(p.b.rxcntr, 2 * BOTH_ADD, WAIT_MS), 0);
	CHECK(cntr_is(p.b.rxcntr, 2 * BOTH_ADD));
	CHECK_EQ(fi_cntr_set(p.b.rxcntr, 5), 0);
	CHECK(rma_write(sbuf, 8, 0, KEY));
	return cntr_is(p.b.rxcntr, 6) && !fi_close(&mr->fid);
}

static bool in_use(void)
{
	struct fi_cntr_attr attr = { .events = FI_CNTR_EVENTS_COMP };
	struct fid_cntr *cntr;
	struct fid_mr *mr;

	CHECK_EQ(fi_close(&p.b.rxcntr->fid), -FI_EBUSY);
	CHECK_EQ(fi_cntr_open(p.b.domain, &attr, &cntr, NULL), 0);
	CHECK(offered(&mr));
	CHECK_EQ(fi_mr_bind(mr, &cntr->fid, FI_REMOTE_WRITE), 0);
	CHECK_EQ(fi_close(&cntr->fid), -FI_EBUSY);
	CHECK_EQ(fi_close(&mr->fid), 0);
	return !fi_close(&cntr->fid);
}

/* B makes no call: its counter has stepped when the operation completes. */
static bool without_calls(void)
{
	const size_t sizes[] = { 8, 5000, 1u << 20 };
	struct fid_mr *mr;
	unsigned int i;

	CHECK(expose_all(&mr));
	for (i = 0; i < 30; i++) {
		pattern_fill(sbuf, sizes[i % 3], i);
		CHECK(rma_write(sbuf, sizes[i % 3], 0, KEY));
		CHECK_EQ(fi_cntr_read(p.b.rxcntr), i + 1);
		CHECK(pattern_is(rbuf, sizes[i % 3], i));
	}
	return !fi_close(&mr->fid);
}

/* ---- A target that waits ---------------------------------------------------------------- */

/**
 * struct waits - a thread of B that waits for its counter, and sleeps meanwhile
 * @by_file: it waits for the counter's file, else in fi_cntr_wait()
 * @value: until the counter has this value
 * @tid: the thread, when it is about to wait
 * @ret: result of the wait
 */
struct waits {
	bool by_file;
	uint64_t value;
	pid_t tid;
	int ret;
};

/* Return: the counter has the value, or a negative errno. */
static int wait_file(uint64_t value)
{
	struct fid *fid = &p.b.rxcntr->fid;
	struct pollfd f = { .events = POLLIN };
	int ret;

	ret = fi_control(fid, FI_GETWAIT, &f.fd);
	while (!ret && fi_cntr_read(p.b.rxcntr) < value) {
		ret = fi_trywait(p.b.fabric, &fid, 1);
		if (ret == -FI_EAGAIN)
			ret = 0;
		else if (!ret && poll(&f, 1, WAIT_MS) != 1)
			ret = -FI_ETIMEDOUT;
	}
	return ret;
}

static void *wait_value(void *arg)
{
	struct waits *w = arg;

	__atomic_store_n(&w->tid, gettid(), __ATOMIC_RELEASE);
	w->ret = w->by_file ? wait_file(w->value) : fi_cntr_wait(p.b.rxcntr, w->value, WAIT_MS);
	return NULL;
}

/* An operation of A wakes B, which sleeps until then, and finds the bytes. */
static bool wakes(bool by_file, size_t len, bool write)
{
	struct waits w = { .by_file = by_file, .value = fi_cntr_read(p.b.rxcntr) + 1 };
	uint64_t until = now_ms() + WAIT_MS;
	pthread_t thread;
	pid_t tid;

	pattern_fill(write ? sbuf : rbuf, len, len + w.value);
	CHECK_EQ(pthread_create(&thread, NULL, wait_value, &w), 0);
	do {
		CHECK(now_ms() < until);
		tid = __atomic_load_n(&w.tid, __ATOMIC_ACQUIRE);
	} while (!tid || state_of(tid) != 'S');
	CHECK_EQ(rma_msg(write, sbuf, len, 0, KEY, 1, 0), 0);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	CHECK_EQ(w.ret, 0);
	CHECK_EQ(fi_cntr_read(p.b.rxcntr), w.value);
	CHECK(!write || pattern_is(rbuf, len, len + w.value));
	CHECK_EQ(fi_cntr_wait(p.a.txcntr, w.value, WAIT_MS), 0);
	return write || pattern_is(sbuf, len, len + w.value);
}

/* No endpoint has a completion queue. */
static bool sleeps(void)
{
	static const size_t sizes[] = { 8, 5000, 3u << 20 };
	struct fid_mr *mr;
	unsigned int i;

	CHECK(expose_all(&mr));
	for (i = 0; i < 12; i++)
		CHECK(wakes(i % 2, sizes[i / 2 % 3], i < 6));
	return !fi_close(&mr->fid);
}

#define TX .o.counters = true, .o.tx_count = FI_READ | FI_WRITE
#define PEERS RMA_EVENTS, TX, .o.rx_count

static const struct row rows[] = {
	ROW("CNTR-02", ON_BOTH, "Operations without an entry count, injects too", silent, RMA, TX,
	    .o.selective = true),
	ROW("CNTR-03", ON_BOTH, "A failure counts as an error only", errors, RMA,
	    TX),
	ROW("CNTR-08", ON_BOTH, "A write with remote CQ data counts as a write", with_data,
	    PEERS = FI_REMOTE_WRITE),
	ROW("CNTR-08a", ON_BOTH, "It does not count as a message", with_data, PEERS = FI_RECV),
	ROW("CNTR-09", ON_BOTH, "Operations without bytes count on both sides", without_bytes,
	    PEERS = FI_REMOTE_WRITE | FI_REMOTE_READ),
	ROW("CNTR-10", ON_BOTH, "A counter may count several directions, and for a region",
	    shared, PEERS = FI_RECV | FI_REMOTE_WRITE),
	ROW("CNTR-11", ON_BOTH, "An operation of a peer wakes a target that waits for its counter",
	    sleeps, PEERS = FI_REMOTE_WRITE | FI_REMOTE_READ, .o.bare = true, .o.no_cq = true),
	ROW("CNTR-12", ON_BOTH, "Additions of the program and steps of peers are not lost",
	    both_add, PEERS = FI_REMOTE_WRITE),
	ROW("CNTR-13", ON_BOTH, "A counter of an endpoint or a region is not closed", in_use,
	    PEERS = FI_REMOTE_WRITE, .once = true),
	ROW("CNTR-14", ON_BOTH, "Counters step without calls of the target's program",
	    without_calls, PEERS = FI_REMOTE_WRITE),
};

int main(int argc, char **argv)
{
	return rows_main(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
}
