// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fi_trigger(3), rule by rule: operations with FI_TRIGGER.
 * TIMEOUT: 200 LINKS: vnet loop poll
 */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include "other.h"
#include "trigger.h"

#define XPU (1ULL << 44)	/* FI_XPU, which some headers call FI_XPU_TRIGGER */

/* ---- Offer -------------------------------------------------------------------------------- */

/* Return: fi_getinfo()'s result for these capabilities. */
static int offer(uint64_t caps)
{
	struct fi_info *hints = fi_dupinfo(p.a.info), *info = NULL;
	int ret;

	if (!hints)
		return -FI_ENOMEM;
	hints->caps = caps;
	hints->tx_attr->caps = 0;
	hints->rx_attr->caps = 0;
	ret = fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &info);
	fi_freeinfo(hints);
	fi_freeinfo(info);
	return ret;
}

static bool asked_only(void)
{
	struct iovec iov = { sbuf, 8 };
	struct fi_msg m = { .msg_iov = &iov, .iov_count = 1, .addr = p.a.peer };
	struct fid_ep *alias = NULL;

	CHECK(!(p.a.info->caps & FI_TRIGGER));
	m.context = waits_for(1, p.a.txcntr, 0);
	CHECK_EQ(fi_sendmsg(p.a.ep, &m, FI_TRIGGER), -FI_EBADFLAGS);
	CHECK_EQ(fi_recvmsg(p.a.ep, &m, FI_TRIGGER), -FI_EBADFLAGS);
	CHECK_EQ(fi_ep_alias(p.a.ep, &alias, FI_TRANSMIT | FI_TRIGGER), -FI_EBADFLAGS);
	CHECK_EQ(fi_ep_alias(p.a.ep, &alias, FI_RECV | FI_TRIGGER), -FI_EBADFLAGS);
	CHECK_EQ(offer(FI_MSG | FI_TRIGGER), 0);
	CHECK_EQ(offer(FI_MSG | FI_TRIGGER | XPU), -FI_ENODATA);
	p.o.caps |= FI_TRIGGER;
	CHECK(pair_again());
	CHECK(p.a.info->caps & p.a.info->tx_attr->caps & p.a.info->rx_attr->caps & FI_TRIGGER);
	return true;
}

/* ---- When an operation begins ------------------------------------------------------------- */

/* The triggered write was posted first, and is executed second. */
static bool second(void)
{
	uint64_t start = fi_cntr_read(p.a.txcntr);
	struct fid_mr *mr;

	CHECK(expose_all(&mr));
	memset(sbuf, 1, 300);
	memset(sbuf + 4096, 2, 300);
	waits_for(1, p.a.txcntr, start + 1);
	CHECK_EQ(rma_msg(true, sbuf, 300, 0, KEY, 1, FI_TRIGGER), 0);
	CHECK(quiet(p.a.txcq));
	CHECK(all_bytes(rbuf, 300, 0xee));
	CHECK_EQ(fi_write(p.a.ep, sbuf + 4096, 300, NULL, p.a.peer, 0, KEY, ctx(2)), 0);
	CHECK(rma_done(2, true) && rma_done(1, true));
	CHECK(cntr_is(p.a.txcntr, start + 2));
	CHECK(all_bytes(rbuf, 300, 1));
	return !fi_close(&mr->fid);
}

static bool reached(void)
{
	struct fid_cntr *cntr;
	struct fid_mr *mr;
	size_t threshold;

	CHECK(expose_all(&mr));
	CHECK(cntr_new(&p.a, &cntr));
	CHECK_EQ(fi_cntr_set(cntr, 3), 0);
	for (threshold = 0; threshold <= 3; threshold++) {
		CHECK(act_prepare(ACT_WRITE));
		act_fill(ACT_WRITE);
		CHECK_EQ(act_by_msg(ACT_WRITE, waits_for(1, cntr, threshold), FI_TRIGGER), 0);
		CHECK(act_completes(ACT_WRITE, ctx(1)));
	}
	CHECK_EQ(act_by_msg(ACT_WRITE, waits_for(1, cntr, 4), FI_TRIGGER), 0);
	CHECK(quiet(p.a.txcq));
	CHECK_EQ(fi_cntr_add(cntr, 1), 0);
	CHECK(act_completes(ACT_WRITE, ctx(1)));
	CHECK_EQ(fi_close(&cntr->fid), 0);
	return !fi_close(&mr->fid);
}

/* The last one begins first. Each begins when the counter steps, not before. */
static bool in_turn(struct fid_cntr *cntr)
{
	int a;

	for (a = ACTS - 1; a >= 0; a--) {
		CHECK(quiet(p.a.txcq) && quiet(p.b.rxcq));
		CHECK(act_waits(a));
		act_fill(a);
		CHECK_EQ(fi_cntr_add(cntr, 1), 0);
		CHECK(act_completes(a, ctx(a)));
	}
	return true;
}

/* Each kind, with the flag and by an alias. The bytes are written after the call. */
static bool each_call(void)
{
	struct fid_cntr *cntr;
	struct fid_ep *alias = NULL;
	struct fid_mr *mr;
	unsigned int a;

	CHECK(expose_all(&mr));
	CHECK(cntr_new(&p.a, &cntr));
	CHECK_EQ(fi_ep_alias(p.a.ep, &alias, FI_TRANSMIT | FI_TRIGGER), 0);
	for (a = 0; a < ACTS; a++) {
		CHECK(act_prepare(a));
		CHECK_EQ(act_by_msg(a, waits_for(a, cntr, ACTS - a), FI_TRIGGER), 0);
	}
	CHECK(in_turn(cntr));
	CHECK_EQ(fi_cntr_set(cntr, 0), 0);
	for (a = 0; a < ACTS; a++) {
		CHECK(act_prepare(a));
		CHECK_EQ(act_by_call(alias, a, waits_for(a, cntr, ACTS - a)), 0);
	}
	CHECK(in_turn(cntr));
	/* other calls of the alias, and the endpoint itself, which has no such default */
	CHECK(post_plain(rbuf, 64, 8) && post_plain(rbuf + 64, 64, 9));
	CHECK_EQ(fi_senddata(alias, sbuf, 64, NULL, 7, p.a.peer, waits_for(1, cntr, ACTS + 1)), 0);
	CHECK(send_plain(64, 3, 2));
	CHECK(is_received(8, 64, false, 0));
	CHECK_EQ(fi_cntr_add(cntr, 1), 0);
	CHECK(is_sent(1));
	CHECK(got_as(&(struct letter){ .context = ctx(9) },
		     &(struct letter){ .data = 7, .flags = FI_REMOTE_CQ_DATA }, FORM_SENDDATA, 64));
	CHECK_EQ(fi_close(&alias->fid), 0);
	CHECK_EQ(fi_close(&cntr->fid), 0);
	return !fi_close(&mr->fid);
}

/* A message takes a receive that was posted before it, and then the one that waited. */
static bool receives(void)
{
	struct iovec iov = { rbuf + 4096, 64 };
	struct fi_msg m = { .msg_iov = &iov, .iov_count = 1, .addr = FI_ADDR_UNSPEC };
	struct fi_msg_tagged t = { .msg_iov = &iov, .iov_count = 1, .addr = FI_ADDR_UNSPEC,
				   .tag = 5 };
	struct fid_cntr *cntr;
	struct fid_ep *alias = NULL;
	unsigned int i;

	CHECK(cntr_new(&p.b, &cntr));
	CHECK_EQ(fi_ep_alias(p.b.ep, &alias, FI_RECV | FI_TRIGGER), 0);
	for (i = 0; i < 4; i++) {
		bool tagged = i % 2;
		void *context = waits_for(1, cntr, i + 1);

		m.context = context;
		t.context = context;
		if (i == 0)
			CHECK_EQ(fi_recvmsg(p.b.ep, &m, FI_TRIGGER), 0);
		else if (i == 1)
			CHECK_EQ(fi_trecvmsg(p.b.ep, &t, FI_TRIGGER), 0);
		else if (i == 2)
			CHECK_EQ(fi_recv(alias, rbuf + 4096, 64, NULL, FI_ADDR_UNSPEC, context),
				 0);
		else
			CHECK_EQ(fi_trecv(alias, rbuf + 4096, 64, NULL, FI_ADDR_UNSPEC, 5, 0,
					  context), 0);
		CHECK(tagged ? post_tagged(rbuf, 64, 5, 0, 2) : post_plain(rbuf, 64, 2));
		CHECK(tagged ? send_tagged(50, 5, 2 * i, 3) : send_plain(50, 2 * i, 3));
		CHECK(is_received(2, 50, tagged, 5));
		CHECK(pattern_is(rbuf, 50, 2 * i));
		CHECK(tagged ? send_tagged(60, 5, 9 * i, 3) : send_plain(60, 9 * i, 3));
		CHECK(quiet(p.b.rxcq));
		CHECK_EQ(fi_cntr_add(cntr, 1), 0);
		CHECK(is_received(1, 60, tagged, 5));
		CHECK(pattern_is(rbuf + 4096, 60, 9 * i));
	}
	CHECK_EQ(fi_close(&alias->fid), 0);
	return !fi_close(&cntr->fid);
}

#define AGAIN_MS 1000	/* a datagram that has not been received by then was lost */

/* Send a datagram until B's receive @n has one: those before the receive is posted are lost. */
static bool datagram_until(unsigned int n, uint32_t seed)
{
	uint64_t until = now_ms() + WAIT_MS, again;
	struct fi_cq_tagged_entry c;
	ssize_t ret;

	pattern_fill(sbuf, 64, seed);
	do {
		CHECK(now_ms() < until);
		CHECK_EQ(fi_inject(p.a.ep, sbuf, 64, p.a.peer), 0);
		again = now_ms() + AGAIN_MS;
		do
			ret = fi_cq_read(p.b.rxcq, &c, 1);
		while (ret == -FI_EAGAIN && now_ms() < again);
	} while (ret == -FI_EAGAIN);
	CHECK_EQ(ret, 1);
	CHECK(c.op_context == ctx(n));
	CHECK_EQ(c.len, 64);
	return true;
}

/* A receive that waits for datagrams: others are received meanwhile. */
static bool datagram_in(struct fid_ep *alias, struct fid_cntr *cntr, uint64_t at)
{
	struct iovec iov = { rbuf + 4096, 64 };
	struct fi_msg m = { .msg_iov = &iov, .iov_count = 1, .addr = FI_ADDR_UNSPEC,
			    .context = waits_for(1, cntr, at) };

	if (alias)
		CHECK_EQ(fi_recv(alias, rbuf + 4096, 64, NULL, FI_ADDR_UNSPEC, m.context), 0);
	else
		CHECK_EQ(fi_recvmsg(p.b.ep, &m, FI_TRIGGER), 0);
	CHECK(post_plain(rbuf, 64, 3) && send_plain(50, at, 4));
	CHECK(is_received(3, 50, false, 0));
	CHECK(quiet(p.b.rxcq));
	CHECK_EQ(fi_cntr_add(cntr, 1), 0);
	CHECK(datagram_until(1, 10 + at));
	return pattern_is(rbuf + 4096, 64, 10 + at);
}

/* A datagram that waits. Its bytes are those of the time when it leaves. */
static bool datagram_out(struct fid_ep *alias, struct fid_cntr *cntr, uint64_t at)
{
	struct iovec iov = { sbuf, 64 };
	struct fi_msg m = { .msg_iov = &iov, .iov_count = 1, .addr = p.a.peer,
			    .context = waits_for(2, cntr, at) };

	CHECK(post_plain(rbuf, 64, 3));
	if (alias)
		CHECK_EQ(fi_send(alias, sbuf, 64, NULL, p.a.peer, m.context), 0);
	else
		CHECK_EQ(fi_sendmsg(p.a.ep, &m, FI_TRIGGER), 0);
	CHECK(quiet(p.a.txcq) && quiet(p.b.rxcq));
	pattern_fill(sbuf, 64, 20 + at);
	CHECK_EQ(fi_cntr_add(cntr, 1), 0);
	CHECK(is_sent(2));
	CHECK(is_received(3, 64, false, 0));
	return pattern_is(rbuf, 64, 20 + at);
}

static bool datagrams(void)
{
	struct iovec iov = { sbuf, 64 };
	struct fi_msg m = { .msg_iov = &iov, .iov_count = 1, .addr = p.a.peer };
	struct fid_ep *sends = NULL, *recvs = NULL;
	struct fi_cq_err_entry e = {};
	struct fid_cntr *cntr, *at_b;
	struct fi_cq_tagged_entry c;
	unsigned int i;

	CHECK(p.a.info->caps & FI_TRIGGER);
	CHECK(cntr_new(&p.a, &cntr) && cntr_new(&p.b, &at_b));
	CHECK_EQ(fi_ep_alias(p.a.ep, &sends, FI_TRANSMIT | FI_TRIGGER), 0);
	CHECK_EQ(fi_ep_alias(p.b.ep, &recvs, FI_RECV | FI_TRIGGER), 0);
	for (i = 1; i < 5; i++) {
		CHECK(datagram_in(i % 2 ? recvs : NULL, at_b, i));
		CHECK(datagram_out(i % 2 ? sends : NULL, cntr, i));
	}
	/* canceled while they wait */
	m.context = waits_for(5, cntr, i);
	CHECK_EQ(fi_sendmsg(p.a.ep, &m, FI_TRIGGER), 0);
	CHECK_EQ(fi_cancel(&p.a.ep->fid, ctx(5)), 0);
	CHECK_EQ(completion(p.a.txcq, &c, NULL, &e), -FI_EAVAIL);
	CHECK_EQ(e.err, FI_ECANCELED);
	CHECK(e.op_context == ctx(5));
	CHECK_EQ(fi_recv(recvs, rbuf, 64, NULL, FI_ADDR_UNSPEC, waits_for(6, at_b, i)), 0);
	CHECK_EQ(fi_cancel(&p.b.ep->fid, ctx(6)), 0);
	CHECK(is_failed(6, FI_ECANCELED, &e));
	CHECK_EQ(fi_close(&sends->fid), 0);
	CHECK_EQ(fi_close(&recvs->fid), 0);
	CHECK_EQ(fi_close(&cntr->fid), 0);
	return !fi_close(&at_b->fid);
}

/* The sends of bytes 0, 1, 2 .. wait for these thresholds; then the counter moves by @step. */
static bool arrive(const size_t *at, unsigned int n, const uint8_t *order, uint64_t step)
{
	struct fid_cntr *cntr;
	unsigned int i;

	CHECK(cntr_new(&p.a, &cntr));
	for (i = 0; i < n; i++) {
		struct iovec iov = { sbuf + i, 1 };
		struct fi_msg m = { .msg_iov = &iov, .iov_count = 1, .addr = p.a.peer,
				    .context = waits_for(i, cntr, at[i]) };

		sbuf[i] = i;
		CHECK(post_plain(rbuf + i, 1, 100 + i));
		CHECK_EQ(fi_sendmsg(p.a.ep, &m, FI_TRIGGER), 0);
	}
	CHECK(quiet(p.a.txcq));
	for (i = 0; i < 10; i += step)
		CHECK_EQ(fi_cntr_add(cntr, step), 0);
	CHECK(rma_ends(n));
	for (i = 0; i < n; i++)
		CHECK(is_received(100 + i, 1, false, 0));
	CHECK(!memcmp(rbuf, order, n));
	return !fi_close(&cntr->fid);
}

static bool ordered(void)
{
	const size_t mixed[] = { 5, 3, 3, 4 }, same[] = { 7, 7, 7, 7, 7 };

	CHECK(arrive(mixed, 4, (uint8_t[]){ 1, 2, 3, 0 }, 10));
	CHECK(arrive(mixed, 4, (uint8_t[]){ 1, 2, 3, 0 }, 1));
	CHECK(arrive(same, 5, (uint8_t[]){ 0, 1, 2, 3, 4 }, 10));
	return arrive(same, 5, (uint8_t[]){ 0, 1, 2, 3, 4 }, 1);
}

/* A longer message: its bytes, too, are those of the time when it begins. */
static bool read_late(void)
{
	static const size_t lens[] = { 1, 100, 960, 5000, 1u << 20 };
	struct iovec iov = { sbuf, 0 };
	struct fid_cntr *cntr;
	struct fid_mr *mr;
	unsigned int i;

	CHECK(expose_all(&mr));
	CHECK(cntr_new(&p.a, &cntr));
	for (i = 0; i < 5; i++) {
		struct fi_msg m = { .msg_iov = &iov, .iov_count = 1, .addr = p.a.peer,
				    .context = waits_for(1, cntr, 2 * i + 1) };

		iov.iov_len = lens[i];
		CHECK(post_plain(rbuf, lens[i], 3));
		CHECK_EQ(fi_sendmsg(p.a.ep, &m, FI_TRIGGER), 0);
		waits_for(2, cntr, 2 * i + 2);
		CHECK_EQ(rma_msg(true, sbuf, lens[i], ROOM / 2, KEY, 2, FI_TRIGGER), 0);
		pattern_fill(sbuf, lens[i], i);
		CHECK_EQ(fi_cntr_add(cntr, 1), 0);
		CHECK(is_sent(1));
		CHECK(is_received(3, lens[i], false, 0));
		CHECK(pattern_is(rbuf, lens[i], i));
		pattern_fill(sbuf, lens[i], 50 + i);
		CHECK_EQ(fi_cntr_add(cntr, 1), 0);
		CHECK(rma_done(2, true));
		CHECK(pattern_is(rbuf + ROOM / 2, lens[i], 50 + i));
	}
	CHECK_EQ(fi_close(&cntr->fid), 0);
	return !fi_close(&mr->fid);
}

/* ---- How an operation ends ---------------------------------------------------------------- */

/* The queues are selective. Each level, with completion and without; failures always. */
static bool as_others(void)
{
	static const uint64_t levels[] = { FI_INJECT_COMPLETE, FI_TRANSMIT_COMPLETE,
					   FI_DELIVERY_COMPLETE, FI_MATCH_COMPLETE };
	struct fid_cntr *cntr;
	struct fid_mr *mr;
	unsigned int i;
	uint64_t n = 0;
	enum act a;

	CHECK(expose_all(&mr));
	CHECK(cntr_new(&p.a, &cntr));
	CHECK_EQ(fi_cntr_add(cntr, 1), 0);
	for (i = 0; i < 4; i++) {
		a = i % 2 ? ACT_FETCH : ACT_WRITE;
		CHECK(act_prepare(a));
		act_fill(a);
		CHECK_EQ(act_by_msg(a, waits_for(1, cntr, 1),
				    FI_TRIGGER | FI_COMPLETION | levels[i]), 0);
		CHECK(act_completes(a, ctx(1)));
		CHECK_EQ(fi_cntr_wait(p.a.txcntr, ++n, WAIT_MS), 0);
		CHECK(act_prepare(a));
		act_fill(a);
		CHECK_EQ(act_by_msg(a, waits_for(1, cntr, 1), FI_TRIGGER | levels[i]), 0);
		CHECK_EQ(fi_cntr_wait(p.a.txcntr, ++n, WAIT_MS), 0);
		CHECK(quiet(p.a.txcq));
		CHECK(act_is_done(a));
	}
	/* the level of a message is the one that was asked for */
	CHECK_EQ(act_by_msg(ACT_SEND, waits_for(1, cntr, 1), FI_TRIGGER | FI_MATCH_COMPLETE), 0);
	CHECK(cntr_is(p.a.txcntr, n));
	CHECK(act_prepare(ACT_SEND));
	CHECK(cntr_is(p.a.txcntr, ++n));
	waits_for(2, cntr, 1);
	CHECK_EQ(rma_msg(true, sbuf, 8, 0, KEY + 1, 2, FI_TRIGGER), 0);
	CHECK(act_fails(ctx(2), FI_EACCES));
	CHECK(cntr_fails(p.a.txcntr, 1));
	CHECK(cntr_is(p.a.txcntr, n));
	CHECK_EQ(fi_close(&cntr->fid), 0);
	return !fi_close(&mr->fid);
}

/* A triggered send of A waits for the first step of a counter. */
static bool armed(struct fid_cntr *cntr)
{
	CHECK(act_prepare(ACT_TSEND));
	act_fill(ACT_TSEND);
	CHECK_EQ(act_by_msg(ACT_TSEND, waits_for(50, cntr, fi_cntr_read(cntr) + 1), FI_TRIGGER),
		 0);
	return quiet(p.b.rxcq);
}

static bool each_counter(void)
{
	struct fid_cntr *own, *region;
	struct fi_cq_tagged_entry c;
	struct fid_mr *mr, *mine;

	CHECK(expose_all(&mr));
	CHECK(cntr_new(&p.a, &own) && cntr_new(&p.a, &region));
	CHECK(expose(&p.a, sbuf + ROOM / 2, 4096, BOTH_RIGHTS, KEY, &mine));
	CHECK_EQ(fi_mr_bind(mine, &region->fid, FI_REMOTE_WRITE), 0);
	/* of A's own operations */
	CHECK(armed(p.a.txcntr));
	CHECK_EQ(rma_msg(true, sbuf, 8, ROOM / 2, KEY, 1, 0), 0);
	CHECK(rma_done(1, true));
	CHECK(act_completes(ACT_TSEND, ctx(50)));
	/* of messages to A */
	CHECK(armed(p.a.rxcntr));
	CHECK_EQ(fi_recv(p.a.ep, sbuf + ROOM / 2, 8, NULL, FI_ADDR_UNSPEC, ctx(2)), 0);
	CHECK_EQ(fi_send(p.b.ep, rbuf, 8, NULL, p.b.peer, ctx(3)), 0);
	CHECK_EQ(completion(p.b.txcq, &c, NULL, NULL), 1);
	CHECK_EQ(completion(p.a.rxcq, &c, NULL, NULL), 1);
	CHECK(act_completes(ACT_TSEND, ctx(50)));
	/* of writes to A: the endpoint's counter, and the region's */
	CHECK(armed(p.a.rxcntr));
	CHECK_EQ(fi_write(p.b.ep, rbuf, 8, NULL, p.b.peer, 0, KEY, ctx(3)), 0);
	CHECK_EQ(completion(p.b.txcq, &c, NULL, NULL), 1);
	CHECK(act_completes(ACT_TSEND, ctx(50)));
	CHECK(armed(region));
	CHECK_EQ(fi_write(p.b.ep, rbuf, 8, NULL, p.b.peer, 0, KEY, ctx(3)), 0);
	CHECK_EQ(completion(p.b.txcq, &c, NULL, NULL), 1);
	CHECK(act_completes(ACT_TSEND, ctx(50)));
	/* of the program */
	CHECK(armed(own));
	CHECK_EQ(fi_cntr_add(own, 1), 0);
	CHECK(act_completes(ACT_TSEND, ctx(50)));
	CHECK(armed(own));
	CHECK_EQ(fi_cntr_set(own, 77), 0);
	CHECK(act_completes(ACT_TSEND, ctx(50)));
	CHECK_EQ(fi_close(&mine->fid), 0);
	CHECK_EQ(fi_close(&mr->fid), 0);
	CHECK_EQ(fi_close(&own->fid), 0);
	return !fi_close(&region->fid);
}

static bool not_errors(void)
{
	struct fid_mr *mr;

	CHECK(expose_all(&mr));
	CHECK(armed(p.a.txcntr));
	CHECK_EQ(rma_msg(true, sbuf, 8, 0, KEY + 1, 1, 0), 0);
	CHECK(rma_failed(1, true, FI_EACCES));
	CHECK_EQ(fi_cntr_adderr(p.a.txcntr, 5), 0);
	CHECK(cntr_fails(p.a.txcntr, 6));
	CHECK(quiet(p.a.txcq) && quiet(p.b.rxcq));
	CHECK(rma_write(sbuf, 8, ROOM / 2, KEY));
	CHECK(act_completes(ACT_TSEND, ctx(50)));
	return !fi_close(&mr->fid);
}

/* ---- A program that does not run ---------------------------------------------------------- */

#define ANSWERS	3

/**
 * struct stopped - a process that has armed answers, and is stopped
 * @pid: the process; it has been stopped by itself
 * @peer: its address at A
 */
struct stopped {
	pid_t pid;
	fi_addr_t peer;
};

/* Queue a send that waits for the counter of receives, failed ones included. */
static bool queue_answer(struct side *s)
{
	struct iovec iov = { sbuf, 1 };
	struct fi_op_msg op = { .ep = s->ep, .msg = { .msg_iov = &iov, .iov_count = 1,
						      .addr = s->peer } };
	struct fi_deferred_work work = { .threshold = ANSWERS, .triggering_cntr = s->rxcntr,
					 .op_type = FI_OP_SEND, .op.msg = &op };

	CHECK_EQ(fi_control(&s->domain->fid, FI_QUEUE_WORK, &work), 0);
	return true;
}

/*
 * The process: it posts receives, and answers that wait for its counter of receives, and stops.
 * When it goes on, it finds the completions of all. @work: deferred work waits, too.
 */
static bool stops(int up, int down, bool work)
{
	struct fi_cq_tagged_entry c;
	uint8_t addr[64];
	struct side b;
	size_t len = sizeof(addr), i;

	CHECK(side_open(&b, p.o.apart, &p.o));
	CHECK(side_endpoint(&b, b.info, &p.o));
	CHECK_EQ(read(down, addr, sizeof(addr)), sizeof(addr));
	CHECK_EQ(fi_av_insert(b.av, addr, 1, &b.peer, 0, NULL), 1);
	for (i = 0; i < ANSWERS; i++) {
		struct iovec iov = { sbuf + i, 1 };
		struct fi_msg m = { .msg_iov = &iov, .iov_count = 1, .addr = b.peer };

		sbuf[i] = 60 + i;
		CHECK_EQ(fi_recv(b.ep, rbuf + i, 1, NULL, FI_ADDR_UNSPEC, ctx(10 + i)), 0);
		m.context = waits_for(20 + i, b.rxcntr, i + 1);
		CHECK_EQ(fi_sendmsg(b.ep, &m, FI_TRIGGER), 0);
	}
	CHECK(!work || queue_answer(&b));
	CHECK_EQ(fi_getname(&b.ep->fid, addr, &len), 0);
	CHECK_EQ(write(up, addr, sizeof(addr)), sizeof(addr));
	kill(getpid(), SIGSTOP);
	for (i = 0; i < ANSWERS; i++) {
		CHECK_EQ(completion(b.txcq, &c, NULL, NULL), 1);
		CHECK(c.op_context == ctx(20 + i));
		CHECK_EQ(completion(b.rxcq, &c, NULL, NULL), 1);
	}
	side_close(&b);
	return true;
}

/* Open side A, and start the process. @work: deferred work waits, too. */
static bool start_stopped(struct stopped *s, bool work)
{
	uint8_t addr[64] = {};
	size_t len = sizeof(addr);
	int down[2], up[2], status;
	bool ok;

	CHECK(!pipe(down) && !pipe(up));
	fflush(stdout);
	s->pid = fork();
	CHECK(s->pid >= 0);
	if (!s->pid) {
		close(down[1]);
		ok = stops(up[1], down[0], work);
		fflush(stdout);
		_exit(!ok);
	}
	close(down[0]);
	close(up[1]);
	CHECK(side_open(&p.a, 0, &p.o));
	CHECK(side_endpoint(&p.a, p.a.info, &p.o));
	CHECK_EQ(fi_getname(&p.a.ep->fid, addr, &len), 0);
	CHECK_EQ(write(down[1], addr, sizeof(addr)), sizeof(addr));
	CHECK_EQ(read(up[0], addr, sizeof(addr)), sizeof(addr));
	CHECK_EQ(fi_av_insert(p.a.av, addr, 1, &s->peer, 0, NULL), 1);
	close(down[1]);
	close(up[0]);
	CHECK_EQ(waitpid(s->pid, &status, WUNTRACED), s->pid);
	CHECK(WIFSTOPPED(status));
	return true;
}

/* A sends to the stopped process, and gets the answers before it goes on. */
static bool while_stopped(void)
{
	struct fi_cq_tagged_entry c;
	struct stopped s;
	uint8_t got = 0;
	unsigned int i;
	int status;

	CHECK(start_stopped(&s, false));
	for (i = 0; i < ANSWERS; i++) {
		CHECK_EQ(state_of(s.pid), 'T');
		CHECK_EQ(fi_recv(p.a.ep, &got, 1, NULL, FI_ADDR_UNSPEC, ctx(1)), 0);
		CHECK_EQ(fi_inject(p.a.ep, sbuf, 1, s.peer), 0);
		CHECK_EQ(completion(p.a.rxcq, &c, NULL, NULL), 1);
		CHECK_EQ(got, 60 + i);
		CHECK_EQ(state_of(s.pid), 'T');
	}
	CHECK_EQ(kill(s.pid, SIGCONT), 0);
	CHECK_EQ(waitpid(s.pid, &status, 0), s.pid);
	CHECK_EQ(status, 0);
	return true;
}

/* ---- Cancellation, limits, errors --------------------------------------------------------- */

static bool canceled(void)
{
	struct iovec iov = { rbuf + ROOM / 2, 64 };
	struct fi_msg m = { .msg_iov = &iov, .iov_count = 1, .addr = FI_ADDR_UNSPEC };
	uint64_t until = now_ms() + WAIT_MS;
	struct fi_cq_tagged_entry c;
	struct fi_cq_err_entry e = {};
	struct fid_cntr *cntr, *at_b;
	unsigned int a;
	struct fid_mr *mr;

	CHECK(expose_all(&mr));
	CHECK(cntr_new(&p.a, &cntr) && cntr_new(&p.b, &at_b));
	for (a = ACT_WRITE; a < ACTS; a++) {
		/* before it begins, once */
		CHECK(act_prepare(a));
		CHECK_EQ(act_by_msg(a, waits_for(a, cntr, 1), FI_TRIGGER), 0);
		CHECK_EQ(fi_cancel(&p.a.ep->fid, ctx(a)), 0);
		CHECK(act_fails(ctx(a), FI_ECANCELED));
		CHECK_EQ(fi_cancel(&p.a.ep->fid, ctx(a)), 0);
		CHECK_EQ(fi_cntr_add(cntr, 1), 0);
		CHECK(quiet(p.a.txcq));
		CHECK(act_waits(a));
		/* afterwards */
		act_fill(a);
		CHECK_EQ(act_by_msg(a, waits_for(a, cntr, 1), FI_TRIGGER), 0);
		CHECK(act_completes(a, ctx(a)));
		CHECK_EQ(fi_cancel(&p.a.ep->fid, ctx(a)), 0);
		CHECK_EQ(fi_cntr_set(cntr, 0), 0);
	}
	m.context = waits_for(1, at_b, 1);
	CHECK_EQ(fi_recvmsg(p.b.ep, &m, FI_TRIGGER), 0);
	CHECK_EQ(fi_cancel(&p.b.ep->fid, ctx(1)), 0);
	CHECK(is_failed(1, FI_ECANCELED, &e));
	/* a receive that has begun is canceled as others are */
	CHECK_EQ(fi_cntr_add(at_b, 1), 0);
	CHECK_EQ(fi_recvmsg(p.b.ep, &m, FI_TRIGGER), 0);
	do {
		CHECK(now_ms() < until);
		CHECK_EQ(fi_cancel(&p.b.ep->fid, ctx(1)), 0);
	} while (fi_cq_read(p.b.rxcq, &c, 1) == -FI_EAGAIN);
	CHECK(is_failed(1, FI_ECANCELED, &e));
	CHECK_EQ(fi_close(&cntr->fid), 0);
	CHECK_EQ(fi_close(&at_b->fid), 0);
	return !fi_close(&mr->fid);
}

/**
 * struct race - two threads that meet before each step
 * @start: where they meet
 * @cntr: the second thread adds to it
 */
struct race {
	pthread_barrier_t start;
	struct fid_cntr *cntr;
};

#define RACES	400

static void *add_ones(void *arg)
{
	struct race *r = arg;
	intptr_t failed = 0;
	unsigned int i;

	for (i = 0; i < RACES; i++) {
		pthread_barrier_wait(&r->start);
		failed |= fi_cntr_add(r->cntr, 1);
	}
	return (void *)failed;
}

/* The counter reaches the threshold while the operation is canceled: it ends once, either way. */
static bool raced(void)
{
	unsigned int i, begun = 0;
	struct fi_cq_tagged_entry c;
	struct fi_cq_err_entry e;
	struct fid_mr *mr;
	pthread_t other;
	struct race r;
	void *failed;
	int ret;

	CHECK(expose_all(&mr));
	CHECK(cntr_new(&p.a, &r.cntr));
	CHECK_EQ(pthread_barrier_init(&r.start, NULL, 2), 0);
	CHECK_EQ(pthread_create(&other, NULL, add_ones, &r), 0);
	for (i = 0; i < RACES; i++) {
		CHECK_EQ(fi_cntr_wait(r.cntr, i, WAIT_MS), 0);
		waits_for(1, r.cntr, i + 1);
		CHECK_EQ(rma_msg(true, sbuf, 8, 0, KEY, 1, FI_TRIGGER), 0);
		pthread_barrier_wait(&r.start);
		/* in half of the rounds the counter is likely to be first */
		ret = i % 2 ? fi_cntr_wait(r.cntr, i + 1, 1) : 0;
		CHECK(!ret || ret == -FI_ETIMEDOUT);
		CHECK_EQ(fi_cancel(&p.a.ep->fid, ctx(1)), 0);
		ret = completion(p.a.txcq, &c, NULL, &e);
		CHECK(ret == 1 || (ret == -FI_EAVAIL && e.err == FI_ECANCELED));
		begun += ret == 1;
	}
	CHECK_EQ(pthread_join(other, &failed), 0);
	CHECK(!failed);
	CHECK_EQ(fi_cntr_read(r.cntr), RACES);
	printf("# %u of %d began before they were canceled\n", begun, RACES);
	pthread_barrier_destroy(&r.start);
	CHECK_EQ(fi_close(&r.cntr->fid), 0);
	return !fi_close(&mr->fid);
}

#define SIZE	64

static bool counted(void)
{
	struct fi_cq_err_entry e = {};
	struct fi_cq_tagged_entry c;
	struct fid_cntr *cntr;
	struct fid_mr *mr;
	unsigned int n;
	ssize_t ret;

	CHECK(expose_all(&mr));
	CHECK(cntr_new(&p.a, &cntr));
	for (n = 0;; n++) {
		waits_for(n, cntr, 1);
		ret = rma_msg(true, sbuf, 8, 0, KEY, n, FI_TRIGGER);
		if (ret)
			break;
		CHECK(n < 4 * SIZE);
	}
	CHECK_EQ(ret, -FI_EAGAIN);
	CHECK(n >= SIZE);
	/* others pass */
	CHECK(post_plain(rbuf, 64, 1));
	CHECK(send_plain(64, 1, 3000));
	CHECK(is_received(1, 64, false, 0));
	CHECK(rma_write(sbuf, 64, 0, KEY));
	/* the end of one makes room for one */
	CHECK_EQ(fi_cancel(&p.a.ep->fid, ctx(5)), 0);
	CHECK_EQ(completion(p.a.txcq, &c, NULL, &e), -FI_EAVAIL);
	CHECK_EQ(e.err, FI_ECANCELED);
	CHECK_EQ(rma_msg(true, sbuf, 8, 0, KEY, 5, FI_TRIGGER), 0);
	waits_for(n, cntr, 1);
	CHECK_EQ(rma_msg(true, sbuf, 8, 0, KEY, n, FI_TRIGGER), -FI_EAGAIN);
	CHECK_EQ(fi_cntr_add(cntr, 1), 0);
	CHECK(rma_ends(n));
	CHECK_EQ(fi_close(&cntr->fid), 0);
	return !fi_close(&mr->fid);
}

static bool wrong(void)
{
	struct fi_triggered_context *t = waits_for(1, p.a.txcntr, 1);
	struct iovec iov = { sbuf, 64 };
	struct fi_msg m = { .msg_iov = &iov, .iov_count = 1, .addr = p.a.peer, .context = t };
	struct fid_ep *alias = NULL;

	CHECK_EQ(fi_ep_alias(p.a.ep, &alias, FI_TRANSMIT | FI_TRIGGER), 0);
	CHECK_EQ(fi_sendmsg(p.a.ep, &m, FI_TRIGGER | FI_INJECT), -FI_EINVAL);
	CHECK_EQ(fi_inject(alias, sbuf, 8, p.a.peer), -FI_EINVAL);
	CHECK_EQ(fi_send(alias, sbuf, 8, NULL, p.a.peer, NULL), -FI_EINVAL);
	m.context = NULL;
	CHECK_EQ(fi_sendmsg(p.a.ep, &m, FI_TRIGGER), -FI_EINVAL);
	CHECK_EQ(fi_recvmsg(p.a.ep, &m, FI_TRIGGER), -FI_EINVAL);
	m.context = t;
	CHECK_EQ(fi_recvmsg(p.a.ep, &m, FI_TRIGGER | FI_MULTI_RECV), -FI_EOPNOTSUPP);
	m.iov_count = 99;
	CHECK_EQ(fi_sendmsg(p.a.ep, &m, FI_TRIGGER), -FI_EINVAL);
	CHECK_EQ(fi_recvmsg(p.a.ep, &m, FI_TRIGGER), -FI_EINVAL);
	m.iov_count = 1;
	t->event_type = FI_TRIGGER_XPU;
	CHECK_EQ(fi_sendmsg(p.a.ep, &m, FI_TRIGGER), -FI_EINVAL);
	/* a counter that is not there, and one of another domain */
	waits_for(1, NULL, 1);
	CHECK_EQ(fi_sendmsg(p.a.ep, &m, FI_TRIGGER), -FI_EINVAL);
	waits_for(1, p.b.txcntr, 1);
	CHECK_EQ(fi_sendmsg(p.a.ep, &m, FI_TRIGGER), -FI_EINVAL);
	CHECK_EQ(fi_recvmsg(p.a.ep, &m, FI_TRIGGER), -FI_EINVAL);
	CHECK_EQ(fi_close(&alias->fid), 0);
	/* nothing waits */
	CHECK_EQ(fi_cntr_add(p.a.txcntr, 5), 0);
	return cntr_is(p.a.txcntr, 5);
}

/* ---- Ends --------------------------------------------------------------------------------- */

static bool closes(void)
{
	struct fi_wait_attr wattr = { .wait_obj = FI_WAIT_UNSPEC };
	struct fi_cntr_attr attr = { .events = FI_CNTR_EVENTS_COMP, .wait_obj = FI_WAIT_SET };
	struct fid_cntr *cntr;
	struct fid_wait *set;
	unsigned int a;

	CHECK_EQ(fi_wait_open(p.a.fabric, &wattr, &set), 0);
	attr.wait_set = set;
	CHECK_EQ(fi_cntr_open(p.a.domain, &attr, &cntr, NULL), 0);
	for (a = 0; a < ACTS; a++) {
		CHECK(act_prepare(a));
		CHECK_EQ(act_by_msg(a, waits_for(a, cntr, 1), FI_TRIGGER), 0);
	}
	/* it works as before, in its wait set, too */
	CHECK_EQ(fi_close(&cntr->fid), -FI_EBUSY);
	CHECK_EQ(fi_wait(set, 0), -FI_ETIMEDOUT);
	CHECK_EQ(fi_cntr_adderr(cntr, 1), 0);
	CHECK_EQ(fi_wait(set, WAIT_MS), 0);
	CHECK_EQ(fi_cntr_readerr(cntr), 1);
	CHECK_EQ(fi_close(&p.a.ep->fid), 0);
	p.a.ep = NULL;
	CHECK_EQ(fi_cntr_add(cntr, 1), 0);
	CHECK_EQ(fi_close(&cntr->fid), 0);
	CHECK_EQ(fi_close(&set->fid), 0);
	CHECK(quiet(p.a.txcq));
	/* the receives of a connection end with it */
	CHECK(p.o.type == FI_EP_MSG || quiet(p.b.rxcq));
	for (a = 0; a < ACTS; a++)
		CHECK(act_waits(a));
	return true;
}

/*
 * The process ends while its answers wait. Its receives end with it, for which its deferred work
 * waits. A gets no answer, neither then nor when it sends.
 */
static bool killed(void)
{
	struct stopped s;
	uint8_t got = 0;
	int status;

	CHECK(start_stopped(&s, true));
	CHECK_EQ(fi_recv(p.a.ep, &got, 1, NULL, FI_ADDR_UNSPEC, ctx(1)), 0);
	CHECK_EQ(kill(s.pid, SIGKILL), 0);
	CHECK_EQ(waitpid(s.pid, &status, 0), s.pid);
	CHECK(WIFSIGNALED(status));
	CHECK(quiet(p.a.rxcq));
	CHECK_EQ(fi_inject(p.a.ep, sbuf, 1, s.peer), 0);
	CHECK(quiet(p.a.rxcq));
	return !got;
}

#define ALONE .alone = true, .mess = true, .o.caps = FI_TRIGGER, .o.counters = true

static const struct row rows[] = {
	ROW("TRIG-01", ON_BOTH, "FI_TRIGGER is given on request, FI_XPU never", asked_only,
	    .o.counters = true, .once = true),
	ROW("TRIG-02", ON_BOTH, "A triggered operation waits for the value of its counter", second,
	    TRIGGER, COUNTS_ALL),
	ROW("TRIG-03", ON_BOTH, "A threshold that has been reached starts it at once", reached,
	    TRIGGER),
	ROW("TRIG-04", ON_BOTH, "Each operation can wait, with the flag or by an alias", each_call,
	    TRIGGER),
	ROW("TRIG-04b", ON_BOTH, "Receives can wait, with the flag or by an alias", receives,
	    TRIGGER),
	ROW("TRIG-04c", ON_BOTH, "Each operation can wait over IPv6, too", each_call, TRIGGER,
	    .o.v6 = true),
	ROW("TRIG-04d", ON_DGRAM, "Datagrams and their receives can wait", datagrams,
	    .o.caps = FI_TRIGGER),
	ROW("TRIG-05", ON_BOTH, "Thresholds, then the order of the calls, decide which begins first",
	    ordered, TRIGGER),
	ROW("TRIG-06", ON_BOTH, "Buffers are read when the operation begins", read_late, TRIGGER),
	ROW("TRIG-07", ON_BOTH, "It completes as others do, with the context of the trigger",
	    as_others, TRIGGER, COUNTS_ALL, .o.selective = true),
	ROW("TRIG-08", ON_BOTH, "Any counter of the domain triggers", each_counter, TRIGGER,
	    COUNTS_ALL, .o.rx_count = FI_RECV | FI_REMOTE_WRITE),
	ROW("TRIG-09", ON_BOTH, "Errors that are counted do not trigger", not_errors, TRIGGER,
	    .o.counters = true, .o.tx_count = FI_WRITE),
	ROW("TRIG-10", ON_RDM, "An operation begins while its program is stopped", while_stopped,
	    ALONE),
	ROW("TRIG-11", ON_BOTH, "fi_cancel ends an operation that waits: FI_ECANCELED, once",
	    canceled, TRIGGER),
	ROW("TRIG-11b", ON_BOTH, "An operation that begins while it is canceled ends once", raced,
	    TRIGGER),
	ROW("TRIG-12", ON_BOTH, "Those that wait are limited, and do not hold up others", counted,
	    TRIGGER, .o.tx_size = SIZE),
	ROW("TRIG-13", ON_BOTH, "What is no trigger is refused, and so is an inject", wrong,
	    TRIGGER, .o.counters = true, .once = true),
	ROW("TRIG-14", ON_BOTH, "An endpoint's triggers end with it; a counter's keep it open",
	    closes, TRIGGER, .mess = true),
	ROW("TRIG-14b", ON_RDM, "No operation of a killed program begins", killed, ALONE),
};

int main(int argc, char **argv)
{
	return rows_main(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
}
