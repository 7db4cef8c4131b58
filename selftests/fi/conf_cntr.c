// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* fi_cntr(3), rule by rule. TIMEOUT: 200 LINKS: vnet loop */
#include <poll.h>
#include <pthread.h>
#include "onesided.h"

/* ---- What is counted ------------------------------------------------------------------ */

static bool sends_once(void)
{
	struct iovec iov = { sbuf, 64 };
	struct fi_msg m = { .msg_iov = &iov, .iov_count = 1, .addr = p.a.peer, .context = ctx(2) };
	unsigned int i;

	for (i = 0; i < 5; i++)
		CHECK(post_plain(rbuf + 4096 * i, 4096, i));
	CHECK_EQ(fi_inject(p.a.ep, sbuf, 64, p.a.peer), 0);
	CHECK_EQ(fi_send(p.a.ep, sbuf, 64, NULL, p.a.peer, ctx(2)), 0);
	CHECK_EQ(fi_sendmsg(p.a.ep, &m, 0), 0);
	CHECK_EQ(fi_sendmsg(p.a.ep, &m, FI_DELIVERY_COMPLETE), 0);
	CHECK(cntr_is(p.a.txcntr, 4));
	CHECK_EQ(fi_sendmsg(p.a.ep, &m, FI_COMPLETION), 0);
	CHECK(is_sent(2));
	CHECK(cntr_is(p.a.txcntr, 5));
	CHECK(cntr_is(p.b.rxcntr, 5));
	CHECK_EQ(fi_cntr_readerr(p.a.txcntr), 0);
	return !fi_cntr_read(p.a.rxcntr) && !fi_cntr_read(p.b.txcntr);
}

static bool sees_data(void)
{
	static const size_t lens[] = { 0, 1, 100, 960, 5000, 1u << 20 };
	unsigned int i;

	for (i = 0; i < 6; i++) {
		memset(rbuf, 0xee, lens[i] + 64);
		CHECK(post_plain(rbuf, lens[i], 1));
		pattern_fill(sbuf, lens[i], i);
		CHECK_EQ(fi_send(p.a.ep, sbuf, lens[i], NULL, p.a.peer, ctx(2)), 0);
		CHECK_EQ(fi_cntr_wait(p.b.rxcntr, i + 1, WAIT_MS), 0);
		CHECK(pattern_is(rbuf, lens[i], i));
		CHECK(all_bytes(rbuf + lens[i], 64, 0xee));
		CHECK_EQ(fi_cntr_wait(p.a.txcntr, i + 1, WAIT_MS), 0);
	}
	return true;
}

static bool errors_apart(void)
{
	struct fi_cq_err_entry e = {};

	CHECK(post_plain(rbuf, 60, 1));
	CHECK(send_plain(100, 1, 2));
	CHECK(is_failed(1, FI_ETRUNC, &e));
	CHECK(cntr_fails(p.b.rxcntr, 1));
	CHECK(post_plain(rbuf, 60, 3));
	CHECK_EQ(fi_cancel(&p.b.ep->fid, ctx(3)), 0);
	CHECK(is_failed(3, FI_ECANCELED, &e));
	CHECK(cntr_fails(p.b.rxcntr, 2));
	CHECK_EQ(fi_cntr_read(p.b.rxcntr), 0);
	return cntr_is(p.a.txcntr, 1);
}

static bool not_peeks(void)
{
	struct fi_cq_tagged_entry c;

	CHECK(look_miss(FI_PEEK, 7, 0, 1));
	CHECK(send_tagged(100, 7, 1, 2));
	CHECK(look_hit(FI_PEEK, NULL, 0, 7, 0, 1, &c));
	CHECK(look_hit(FI_PEEK | FI_CLAIM, NULL, 0, 7, 0, 3, &c));
	CHECK_EQ(fi_cntr_read(p.b.rxcntr), 0);
	CHECK_EQ(fi_cntr_readerr(p.b.rxcntr), 0);
	CHECK_EQ(look(FI_CLAIM, rbuf, 100, 0, 0, 3), 0);
	CHECK(is_received(3, 100, true, 7));
	CHECK(cntr_is(p.b.rxcntr, 1));
	CHECK(send_tagged(100, 8, 1, 2));
	CHECK(look_hit(FI_PEEK | FI_DISCARD, NULL, 0, 8, 0, 1, &c));
	CHECK(send_tagged(100, 9, 1, 2));
	CHECK(look_hit(FI_PEEK | FI_CLAIM, NULL, 0, 9, 0, 3, &c));
	CHECK_EQ(look(FI_CLAIM | FI_DISCARD, NULL, 0, 0, 0, 3), 0);
	CHECK(is_received(3, 0, true, 9));
	CHECK(cntr_is(p.b.rxcntr, 1));
	return !fi_cntr_readerr(p.b.rxcntr);
}

static bool each_part(void)
{
	struct iovec iov = { rbuf, 256 };
	struct fi_msg m = { .msg_iov = &iov, .iov_count = 1, .addr = FI_ADDR_UNSPEC,
			    .context = ctx(1) };
	struct fi_cq_tagged_entry c;
	unsigned int i;

	CHECK_EQ(fi_recvmsg(p.b.ep, &m, FI_MULTI_RECV), 0);
	for (i = 0; i < 3; i++) {
		CHECK_EQ(fi_inject(p.a.ep, sbuf, 64, p.a.peer), 0);
		CHECK_EQ(fi_cntr_wait(p.b.rxcntr, i + 1, WAIT_MS), 0);
	}
	CHECK_EQ(fi_inject(p.a.ep, sbuf, 64, p.a.peer), 0);
	CHECK(cntr_is(p.b.rxcntr, 4));
	/* only the release has a completion here: the others are suppressed */
	CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
	CHECK_EQ(c.flags, FI_MULTI_RECV);
	return cntr_is(p.b.rxcntr, 4);
}

/* The queue is full and is not read: the counter continues, and no completion is lost. */
static bool full_queue(void)
{
	struct fi_cq_tagged_entry c;
	bool seen[200] = {};
	size_t n = 200, i, k;

	for (i = 0; i < n; i++)
		CHECK(post_plain(rbuf + 64 * i, 64, i));
	for (i = 0; i < n; i++)
		CHECK_EQ(fi_inject(p.a.ep, sbuf, 8, p.a.peer), 0);
	CHECK(cntr_is(p.b.rxcntr, n));
	/* in any order: some came in the queue, some into the memory of the program */
	for (i = 0; i < n; i++) {
		CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
		k = ((uint8_t *)c.op_context - (uint8_t *)ctx(0)) / sizeof(struct fi_context2);
		CHECK(k < n && !seen[k]);
		seen[k] = true;
	}
	return cntr_is(p.b.rxcntr, n);
}

/* ---- Waiting -------------------------------------------------------------------------- */

static void *wait_for_two(void *arg)
{
	return (void *)(intptr_t)fi_cntr_wait(arg, 2, WAIT_MS);
}

static bool waits(void)
{
	struct fi_cq_err_entry e = {};
	pthread_t waiter;
	void *ret;
	int n = 0;

	CHECK_EQ(fi_cntr_wait(p.b.rxcntr, 0, -1), 0);
	CHECK_EQ(fi_cntr_wait(p.b.rxcntr, 1, 0), -FI_ETIMEDOUT);
	CHECK_EQ(fi_cntr_wait(p.b.rxcntr, 1, 20), -FI_ETIMEDOUT);
	CHECK(post_plain(rbuf, 64, 1));
	CHECK_EQ(fi_inject(p.a.ep, sbuf, 64, p.a.peer), 0);
	CHECK_EQ(fi_cntr_wait(p.b.rxcntr, 1, WAIT_MS), 0);
	CHECK(is_received(1, 64, false, 0));
	/* an error during the wait ends it: the threshold cannot be reached */
	CHECK_EQ(pthread_create(&waiter, NULL, wait_for_two, p.b.rxcntr), 0);
	do {
		CHECK(post_plain(rbuf, 60, 2));
		CHECK_EQ(fi_inject(p.a.ep, sbuf, 64, p.a.peer), 0);
		CHECK(is_failed(2, FI_ETRUNC, &e));
		n++;
	} while (pthread_tryjoin_np(waiter, &ret) == EBUSY);
	CHECK_EQ((intptr_t)ret, -FI_EAVAIL);
	return cntr_fails(p.b.rxcntr, n);
}

static void *wait_for_ten(void *arg)
{
	return (void *)(intptr_t)fi_cntr_wait(arg, 10, WAIT_MS);
}

static void *wait_for_more(void *arg)
{
	return (void *)(intptr_t)fi_cntr_wait(arg, 1000, WAIT_MS);
}

static bool set_and_add(void)
{
	struct fid_cntr *c = p.a.txcntr;
	pthread_t ten, more;
	void *ret;

	CHECK_EQ(fi_cntr_set(c, 5), 0);
	CHECK_EQ(fi_cntr_read(c), 5);
	CHECK_EQ(fi_cntr_add(c, 3), 0);
	CHECK_EQ(fi_cntr_seterr(c, 7), 0);
	CHECK_EQ(fi_cntr_adderr(c, 2), 0);
	CHECK_EQ(fi_cntr_readerr(c), 9);
	CHECK(post_plain(rbuf, 64, 1));
	CHECK(send_plain(8, 1, 2));
	CHECK(is_received(1, 8, false, 0));
	CHECK(cntr_is(c, 9));
	CHECK_EQ(fi_cntr_readerr(c), 9);
	/* both wake waiting threads */
	CHECK_EQ(pthread_create(&ten, NULL, wait_for_ten, c), 0);
	CHECK_EQ(pthread_create(&more, NULL, wait_for_more, c), 0);
	CHECK_EQ(fi_cntr_add(c, 1), 0);
	CHECK_EQ(pthread_join(ten, &ret), 0);
	CHECK_EQ((intptr_t)ret, 0);
	CHECK_EQ(fi_cntr_set(c, 1000), 0);
	CHECK_EQ(pthread_join(more, &ret), 0);
	CHECK_EQ((intptr_t)ret, 0);
	return cntr_is(c, 1000);
}

static bool only_counters(void)
{
	struct fid *fids[] = { &p.b.rxcntr->fid };
	struct pollfd pfd = { .events = POLLIN };
	unsigned int i;

	CHECK_EQ(fi_control(&p.b.rxcntr->fid, FI_GETWAIT, &pfd.fd), 0);
	CHECK_EQ(fi_cntr_read(p.b.rxcntr), 0);
	CHECK_EQ(fi_trywait(p.b.fabric, fids, 1), 0);
	CHECK_EQ(poll(&pfd, 1, 0), 0);
	for (i = 0; i < 50; i++) {
		CHECK(post_tagged(rbuf, 4096, i, 0, 1));
		pattern_fill(sbuf, 4096, i);
		CHECK_EQ(fi_tsend(p.a.ep, sbuf, i * 80, NULL, p.a.peer, i, ctx(2)), 0);
		CHECK_EQ(poll(&pfd, 1, WAIT_MS), 1);
		CHECK_EQ(fi_trywait(p.b.fabric, fids, 1), -FI_EAGAIN);
		CHECK_EQ(fi_cntr_read(p.b.rxcntr), i + 1);
		CHECK(pattern_is(rbuf, i * 80, i));
		CHECK_EQ(fi_trywait(p.b.fabric, fids, 1), 0);
	}
	CHECK(cntr_is(p.a.txcntr, 50));
	/* errors are counted, too */
	CHECK(post_tagged(rbuf, 10, 1, 0, 1));
	CHECK_EQ(fi_tinject(p.a.ep, sbuf, 100, p.a.peer, 1), 0);
	CHECK(cntr_fails(p.b.rxcntr, 1));
	CHECK_EQ(look(FI_PEEK, NULL, 0, 1, 0, 1), -FI_ENOCQ);
	return cntr_is(p.b.rxcntr, 50);
}

/* ---- Binding -------------------------------------------------------------------------- */

static bool binds(void)
{
	struct fi_cntr_attr attr = { .events = FI_CNTR_EVENTS_COMP, .wait_obj = FI_WAIT_NONE };
	struct fid_cntr *cntr;

	CHECK_EQ(fi_close(&p.a.txcntr->fid), -FI_EBUSY);
	CHECK_EQ(fi_ep_bind(p.a.ep, &p.a.txcntr->fid, FI_SEND), -FI_EOPBADSTATE);
	CHECK_EQ(fi_cntr_open(p.a.domain, &attr, &cntr, NULL), 0);
	CHECK_EQ(fi_cntr_read(cntr), 0);
	CHECK_EQ(fi_close(&cntr->fid), 0);
	attr.flags = 1;
	CHECK_EQ(fi_cntr_open(p.a.domain, &attr, &cntr, NULL), -FI_EBADFLAGS);
	attr.flags = 0;
	attr.events = 77;
	CHECK_EQ(fi_cntr_open(p.a.domain, &attr, &cntr, NULL), -FI_ENOSYS);
	CHECK_EQ(fi_cntr_open(p.a.domain, NULL, &cntr, NULL), 0);
	CHECK_EQ(fi_close(&cntr->fid), 0);
	return true;
}

/* FI_CNTR_EVENTS_BYTES of libfabric 2: bytes in the place of operations. */
static bool of_bytes(void)
{
	struct fi_cntr_attr attr = { .events = FI_CNTR_EVENTS_COMP + 1 };
	struct fid_cntr *cntr = NULL;

	CHECK_EQ(fi_cntr_open(p.a.domain, &attr, &cntr, NULL), -FI_ENOSYS);
	CHECK(!cntr);
	attr.wait_obj = FI_WAIT_FD;
	CHECK_EQ(fi_cntr_open(p.a.domain, &attr, &cntr, NULL), -FI_ENOSYS);
	return !cntr;
}

/* Programs wait for such a counter, although fi_cntr(3) forbids it. */
static bool waits_bare(void)
{
	struct fi_cntr_attr attr = { .events = FI_CNTR_EVENTS_COMP, .wait_obj = FI_WAIT_NONE };
	struct fid_cntr *cntr;
	int fd;

	CHECK_EQ(fi_cntr_open(p.a.domain, &attr, &cntr, NULL), 0);
	CHECK_EQ(fi_control(&cntr->fid, FI_GETWAIT, &fd), -FI_ENODATA);
	CHECK_EQ(fi_cntr_wait(cntr, 1, 0), -FI_ETIMEDOUT);
	CHECK_EQ(fi_cntr_wait(cntr, 1, 20), -FI_ETIMEDOUT);
	CHECK_EQ(fi_cntr_add(cntr, 2), 0);
	CHECK_EQ(fi_cntr_wait(cntr, 2, -1), 0);
	CHECK_EQ(fi_cntr_adderr(cntr, 1), 0);
	CHECK_EQ(fi_cntr_wait(cntr, 3, 0), -FI_ETIMEDOUT);
	return !fi_close(&cntr->fid);
}

/* Without FI_RMA its flags bind a counter that nothing counts in. */
static bool of_memory(void)
{
	const uint64_t all = FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE;
	struct fi_cntr_attr attr = { .events = FI_CNTR_EVENTS_COMP };
	struct fid_cntr *none, *both;
	struct fid_ep *ep;

	CHECK_EQ(fi_cntr_open(p.a.domain, &attr, &none, NULL), 0);
	CHECK_EQ(fi_cntr_open(p.a.domain, &attr, &both, NULL), 0);
	CHECK_EQ(fi_endpoint(p.a.domain, p.a.info, &ep, NULL), 0);
	CHECK_EQ(fi_ep_bind(ep, &none->fid, 0), -FI_EINVAL);
	CHECK_EQ(fi_ep_bind(ep, &none->fid, FI_PEEK), -FI_EBADFLAGS);
	CHECK_EQ(fi_ep_bind(ep, &none->fid, FI_READ | FI_WRITE), 0);
	CHECK_EQ(fi_ep_bind(ep, &none->fid, FI_REMOTE_READ | FI_REMOTE_WRITE), 0);
	/* they leave both directions free, and such a counter is no replacement of a queue */
	if (p.o.type == FI_EP_RDM)
		CHECK_EQ(fi_ep_bind(ep, &p.a.av->fid, 0), 0);
	else
		CHECK_EQ(fi_ep_bind(ep, &p.a.eq->fid, 0), 0);
	CHECK_EQ(fi_enable(ep), -FI_ENOCQ);
	CHECK_EQ(fi_ep_bind(ep, &both->fid, all | FI_SEND | FI_RECV), 0);
	CHECK_EQ(fi_enable(ep), 0);
	CHECK_EQ(fi_close(&both->fid), -FI_EBUSY);
	CHECK_EQ(fi_cntr_read(none), 0);
	CHECK_EQ(fi_close(&ep->fid), 0);
	CHECK_EQ(fi_close(&both->fid), 0);
	CHECK_EQ(fi_close(&none->fid), 0);
	return true;
}

/* ---- One-sided operations --------------------------------------------------------------- */

/* Five writes, three reads, two sends and a refused write from A, with all their completions. */
static bool mixed(void)
{
	unsigned int i;

	for (i = 0; i < 4; i++)
		CHECK(rma_write(sbuf, i * 60000, 0, KEY));
	CHECK_EQ(fi_inject_write(p.a.ep, sbuf, 64, p.a.peer, 0, KEY), 0);
	for (i = 0; i < 3; i++)
		CHECK(rma_read(sbuf, i * 60000, 0, KEY));
	for (i = 0; i < 2; i++) {
		CHECK(post_plain(rbuf, 64, 1));
		CHECK(send_plain(64, 1, 2));
		CHECK(is_received(1, 64, false, 0));
	}
	CHECK_EQ(fi_write(p.a.ep, sbuf, 8, NULL, p.a.peer, 0, KEY + 1, ctx(3)), 0);
	return rma_failed(3, true, FI_EACCES);
}

static bool each_direction(void)
{
	static const struct {
		uint64_t flags;
		unsigned int begun, taken, failed;
	} counts[] = {
		{ 0, 2, 2, 0 },
		{ FI_WRITE | FI_REMOTE_WRITE, 5, 5, 1 },
		{ FI_READ | FI_REMOTE_READ, 3, 3, 0 },
		{ FI_SEND | FI_RECV | FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE, 10, 10,
		  1 },
	};
	struct fid_mr *mr;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		p.o.tx_count = counts[i].flags & (FI_SEND | FI_READ | FI_WRITE);
		p.o.rx_count = counts[i].flags & (FI_RECV | FI_REMOTE_READ | FI_REMOTE_WRITE);
		CHECK(pair_again());
		CHECK(expose_all(&mr));
		CHECK(mixed());
		CHECK(cntr_is(p.a.txcntr, counts[i].begun));
		CHECK(cntr_is(p.b.rxcntr, counts[i].taken));
		CHECK_EQ(fi_cntr_readerr(p.a.txcntr), counts[i].failed);
		CHECK_EQ(fi_cntr_readerr(p.b.rxcntr), 0);
		CHECK_EQ(fi_cntr_read(p.a.rxcntr), 0);
		CHECK_EQ(fi_cntr_read(p.b.txcntr), 0);
		CHECK_EQ(fi_close(&mr->fid), 0);
	}
	return true;
}

static bool without_event(void)
{
	struct fi_cntr_attr attr = { .events = FI_CNTR_EVENTS_COMP };
	struct fid_cntr *cntr;
	struct fid_ep *ep;

	CHECK_EQ(fi_cntr_open(p.a.domain, &attr, &cntr, NULL), 0);
	CHECK_EQ(fi_endpoint(p.a.domain, p.a.info, &ep, NULL), 0);
	CHECK_EQ(fi_ep_bind(ep, &cntr->fid, FI_REMOTE_WRITE), -FI_EINVAL);
	CHECK_EQ(fi_ep_bind(ep, &cntr->fid, FI_RECV | FI_REMOTE_READ), -FI_EINVAL);
	CHECK_EQ(fi_ep_bind(ep, &cntr->fid, FI_READ | FI_WRITE), 0);
	CHECK_EQ(fi_ep_bind(ep, &cntr->fid, FI_WRITE), -FI_EINVAL);
	CHECK_EQ(fi_close(&cntr->fid), -FI_EBUSY);
	CHECK_EQ(fi_close(&ep->fid), 0);
	return !fi_close(&cntr->fid);
}

/* B waits for writes by a counter alone, and finds their bytes. */
static bool target_waits(void)
{
	static const size_t sizes[] = { 0, 1, 100, 5000, 1u << 20 };
	struct fid_mr *mr;
	unsigned int i;

	CHECK(expose_all(&mr));
	for (i = 0; i < 5; i++) {
		pattern_fill(sbuf, sizes[i], i);
		CHECK_EQ(fi_write(p.a.ep, sbuf, sizes[i], NULL, p.a.peer, 0, KEY, ctx(1)), 0);
		CHECK_EQ(fi_cntr_wait(p.b.rxcntr, i + 1, WAIT_MS), 0);
		CHECK(pattern_is(rbuf, sizes[i], i));
		CHECK(rma_done(1, true));
	}
	CHECK_EQ(fi_writedata(p.a.ep, sbuf, 100, NULL, 9, p.a.peer, 0, KEY, ctx(1)), 0);
	CHECK(rma_told(9, 100));
	CHECK(rma_done(1, true));
	CHECK(cntr_is(p.b.rxcntr, 6));
	return !fi_close(&mr->fid);
}

/* A program that waits for its own operations by a counter alone has the bytes of a read. */
static bool initiator_waits(void)
{
	struct fid_mr *mr;
	unsigned int i;

	CHECK(expose_all(&mr));
	for (i = 0; i < 20; i++) {
		pattern_fill(rbuf, 100000, i);
		CHECK_EQ(fi_read(p.a.ep, sbuf, 100000, NULL, p.a.peer, 0, KEY, NULL), 0);
		while (fi_cntr_read(p.a.txcntr) <= i)
			;
		CHECK(pattern_is(sbuf, 100000, i));
	}
	CHECK_EQ(fi_read(p.a.ep, sbuf, 8, NULL, p.a.peer, ~0ULL, KEY, NULL), 0);
	CHECK(cntr_fails(p.a.txcntr, 1));
	return !fi_close(&mr->fid);
}

static bool in_sets(void)
{
	struct fi_wait_attr wattr = { .wait_obj = FI_WAIT_UNSPEC };
	struct fi_cntr_attr attr = { .events = FI_CNTR_EVENTS_COMP, .wait_obj = FI_WAIT_SET };
	uint64_t until = now_ms() + WAIT_MS;
	struct fi_poll_attr pattr = {};
	struct fid_poll *poll_set;
	struct fid_wait *set;
	struct fid_cntr *cntr;
	void *got[2];

	CHECK_EQ(fi_poll_open(p.b.domain, &pattr, &poll_set), 0);
	CHECK_EQ(fi_poll_add(poll_set, &p.b.rxcntr->fid, 0), 0);
	CHECK_EQ(fi_poll(poll_set, got, 2), 0);
	CHECK(post_plain(rbuf, 64, 1));
	CHECK_EQ(fi_inject(p.a.ep, sbuf, 64, p.a.peer), 0);
	CHECK(is_received(1, 64, false, 0));
	/* the counter changes after the completion is written */
	while (fi_poll(poll_set, got, 2) != 1)
		CHECK(now_ms() < until);
	CHECK(got[0] == p.b.rxcntr->fid.context);
	CHECK(cntr_is(p.b.rxcntr, 1));
	CHECK_EQ(fi_poll(poll_set, got, 2), 0);
	CHECK_EQ(fi_poll_del(poll_set, &p.b.rxcntr->fid, 0), 0);
	CHECK_EQ(fi_close(&poll_set->fid), 0);

	CHECK_EQ(fi_wait_open(p.b.fabric, &wattr, &set), 0);
	attr.wait_set = set;
	CHECK_EQ(fi_cntr_open(p.b.domain, &attr, &cntr, NULL), 0);
	CHECK_EQ(fi_wait(set, 0), -FI_ETIMEDOUT);
	CHECK_EQ(fi_cntr_wait(cntr, 1, 0), -FI_EINVAL);
	CHECK_EQ(fi_close(&set->fid), -FI_EBUSY);
	CHECK_EQ(fi_close(&cntr->fid), 0);
	return !fi_close(&set->fid);
}

#define COUNT .o.counters = true

static const struct row rows[] = {
	ROW("CNTR-001", ON_BOTH, "Each send counts once, at its level, injects and suppressed too",
	    sends_once, COUNT, .o.selective = true),
	ROW("CNTR-002", ON_BOTH, "Whoever sees a receive counted sees its data", sees_data, COUNT,
	    .mess = true),
	ROW("CNTR-003", ON_BOTH, "A failed operation counts as an error only", errors_apart, COUNT),
	ROW("CNTR-004", ON_BOTH, "Peeks and discards count nowhere, a claim once", not_peeks,
	    COUNT),
	ROW("CNTR-005", ON_BOTH, "Each message in a multi-receive buffer counts, its release not",
	    each_part, COUNT, .o.selective = true, .o.caps = FI_MULTI_RECV),
	ROW("CNTR-006", ON_BOTH, "A full completion queue does not stop the counter", full_queue,
	    COUNT, .o.cq_size = 64),
	ROW("CNTR-007", ON_BOTH, "Waiting ends at the threshold, with a timeout, with an error",
	    waits, COUNT),
	ROW("CNTR-008", ON_BOTH, "Values can be set and added to, and that wakes", set_and_add,
	    COUNT),
	ROW("CNTR-009", ON_BOTH, "An endpoint may have counters alone, and their file can be polled",
	    only_counters, COUNT, .o.no_cq = true),
	ROW("CNTR-010", ON_BOTH, "What cannot be opened, waited on or closed is refused", binds,
	    COUNT),
	ROW("CNTR-011", ON_BOTH, "Counters belong to poll sets and wait sets", in_sets, COUNT),
	ROW("CNTR-01", ON_BOTH, "Each direction of one-sided operations counts its own",
	    each_direction, COUNT, RMA_EVENTS),
	ROW("CNTR-04", ON_BOTH, "A read that is counted has its bytes",
	    initiator_waits, COUNT, RMA, .o.no_cq = true, .o.tx_count = FI_SEND | FI_READ,
	    .mess = true),
	ROW("CNTR-05", ON_BOTH, "Operations of peers are counted with FI_RMA_EVENT only",
	    without_event, RMA, .once = true),
	ROW("CNTR-06", ON_BOTH, "A write of a peer that is counted has its bytes", target_waits,
	    COUNT, RMA_EVENTS, .o.rx_count = FI_REMOTE_WRITE),
	ROW("CNTR-15", ON_BOTH, "Counters of bytes are refused", of_bytes, .once = true),
	ROW("CNTR-012", ON_BOTH, "A counter of remote memory access alone is taken, and counts nothing",
	    of_memory, COUNT, .once = true),
	ROW("CNTR-013", ON_BOTH, "A program may wait for a counter that has no wait object",
	    waits_bare, COUNT, .once = true),
};

int main(int argc, char **argv)
{
	return rows_main(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
}
