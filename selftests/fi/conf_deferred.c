// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fi_trigger(3), rule by rule: deferred work of a domain.
 * TIMEOUT: 200 LINKS: vnet loop poll
 */
#include "trigger.h"

/**
 * struct job - deferred work with all structures that it points to
 * @work: the work
 * @msg: message structures
 * @op: the structure of its type
 */
struct job {
	struct fi_deferred_work work;
	struct act_msg msg;
	union {
		struct fi_op_msg msg;
		struct fi_op_tagged tagged;
		struct fi_op_rma rma;
		struct fi_op_atomic atomic;
		struct fi_op_fetch_atomic fetch;
		struct fi_op_compare_atomic compare;
		struct fi_op_cntr cntr;
	} op;
};

/* Describe work of A. @n: context of its completion. */
static void job_act(struct job *j, enum act a, unsigned int n, struct fid_cntr *cntr,
		    uint64_t threshold, struct fid_cntr *done, uint64_t flags)
{
	static const enum fi_op_type types[] = {
		FI_OP_SEND, FI_OP_TSEND, FI_OP_WRITE, FI_OP_READ, FI_OP_ATOMIC,
		FI_OP_FETCH_ATOMIC, FI_OP_COMPARE_ATOMIC,
	};
	struct fid_ep *ep = p.a.ep;

	memset(j, 0, sizeof(*j));
	act_message(&j->msg, a, ctx(n));
	j->work.threshold = threshold;
	j->work.triggering_cntr = cntr;
	j->work.completion_cntr = done;
	j->work.op_type = types[a];
	/* all structures begin with the endpoint */
	j->work.op.msg = &j->op.msg;
	if (a == ACT_SEND)
		j->op.msg = (struct fi_op_msg){ ep, j->msg.msg, flags };
	else if (a == ACT_TSEND)
		j->op.tagged = (struct fi_op_tagged){ ep, j->msg.tagged, flags };
	else if (a == ACT_WRITE || a == ACT_READ)
		j->op.rma = (struct fi_op_rma){ ep, j->msg.rma, flags };
	else if (a == ACT_ATOMIC)
		j->op.atomic = (struct fi_op_atomic){ ep, j->msg.atomic, flags };
	else if (a == ACT_FETCH)
		j->op.fetch = (struct fi_op_fetch_atomic){ ep, j->msg.atomic, j->msg.fetch,
							   flags };
	else
		j->op.compare = (struct fi_op_compare_atomic){ ep, j->msg.atomic, j->msg.fetch,
							       j->msg.compare, flags };
}

static int queue(struct side *s, struct fi_deferred_work *work)
{
	return fi_control(&s->domain->fid, FI_QUEUE_WORK, work);
}

static int cancel(struct fi_deferred_work *work)
{
	return fi_control(&p.a.domain->fid, FI_CANCEL_WORK, work);
}

static int flush(struct fi_deferred_work *work)
{
	return fi_control(&p.a.domain->fid, FI_FLUSH_WORK, work);
}

/* Describe a change of a counter, of A's domain. */
static void job_count(struct job *j, struct fid_cntr *cntr, uint64_t threshold,
		      struct fid_cntr *target, bool add, uint64_t value)
{
	memset(j, 0, sizeof(*j));
	j->op.cntr = (struct fi_op_cntr){ target, value };
	j->work.threshold = threshold;
	j->work.triggering_cntr = cntr;
	j->work.op_type = add ? FI_OP_CNTR_ADD : FI_OP_CNTR_SET;
	j->work.op.cntr = &j->op.cntr;
}

/* Two counters of A's domain. */
static bool two(struct fid_cntr **start, struct fid_cntr **done)
{
	return cntr_new(&p.a, start) && cntr_new(&p.a, done);
}

static bool two_closed(struct fid_cntr *start, struct fid_cntr *done)
{
	CHECK_EQ(fi_close(&start->fid), 0);
	return !fi_close(&done->fid);
}

/* ---- Operations --------------------------------------------------------------------------- */

/* The last one begins first. Structures are overwritten at once, bytes written late. */
static bool each_type(void)
{
	struct fid_cntr *start, *done;
	static struct job j;
	struct fid_mr *mr;
	int a;

	CHECK(expose_all(&mr) && two(&start, &done));
	for (a = 0; a < ACTS; a++) {
		CHECK(act_prepare(a));
		job_act(&j, a, a, start, ACTS - a, done, 0);
		CHECK_EQ(queue(&p.a, &j.work), 0);
		memset(&j, 0x55, sizeof(j));
	}
	for (a = ACTS - 1; a >= 0; a--) {
		CHECK(cntr_is(done, ACTS - 1 - a));
		CHECK(act_waits(a));
		act_fill(a);
		CHECK_EQ(fi_cntr_add(start, 1), 0);
		CHECK_EQ(fi_cntr_wait(done, ACTS - a, WAIT_MS), 0);
		CHECK(act_is_done(a));
	}
	CHECK_EQ(fi_cntr_readerr(done), 0);
	CHECK_EQ(fi_close(&mr->fid), 0);
	return two_closed(start, done);
}

/* Receives of B wait. A receive that was posted before takes the first message. */
static bool receives(void)
{
	struct iovec iov = { rbuf + 4096, 64 };
	struct fi_op_msg msg = {
		.ep = p.b.ep, .msg = { .msg_iov = &iov, .iov_count = 1, .addr = FI_ADDR_UNSPEC,
				       .context = ctx(1) },
	};
	struct fi_op_tagged tagged = {
		.ep = p.b.ep, .msg = { .msg_iov = &iov, .iov_count = 1, .addr = FI_ADDR_UNSPEC,
				       .context = ctx(1), .tag = 5 },
	};
	struct fi_deferred_work work = {};
	struct fid_cntr *start, *done;
	unsigned int i;

	CHECK(cntr_new(&p.b, &start) && cntr_new(&p.b, &done));
	for (i = 0; i < 4; i++) {
		bool tag = i % 2;

		msg.flags = i < 2 ? 0 : FI_COMPLETION;
		tagged.flags = msg.flags;
		work.threshold = i + 1;
		work.triggering_cntr = start;
		work.completion_cntr = done;
		work.op_type = tag ? FI_OP_TRECV : FI_OP_RECV;
		if (tag)
			work.op.tagged = &tagged;
		else
			work.op.msg = &msg;
		CHECK_EQ(queue(&p.b, &work), 0);
		CHECK(tag ? post_tagged(rbuf, 64, 5, 0, 2) : post_plain(rbuf, 64, 2));
		CHECK(tag ? send_tagged(50, 5, i, 3) : send_plain(50, i, 3));
		CHECK(is_received(2, 50, tag, 5));
		CHECK(tag ? send_tagged(60, 5, 9 * i, 3) : send_plain(60, 9 * i, 3));
		CHECK(cntr_is(done, i));
		CHECK_EQ(fi_cntr_add(start, 1), 0);
		CHECK_EQ(fi_cntr_wait(done, i + 1, WAIT_MS), 0);
		CHECK(pattern_is(rbuf + 4096, 60, 9 * i));
		if (msg.flags)
			CHECK(is_received(1, 60, tag, 5));
		CHECK(quiet(p.b.rxcq));
		CHECK(cntr_is(p.b.rxcntr, i < 2 ? i + 1 : 2 * i));
	}
	return two_closed(start, done);
}

static bool errors_count(void)
{
	struct fid_cntr *start, *done;
	static struct job j;
	struct fid_mr *mr;

	CHECK(expose_all(&mr) && two(&start, &done));
	CHECK(act_prepare(ACT_WRITE));
	act_fill(ACT_WRITE);
	/* one success and one failure */
	job_act(&j, ACT_WRITE, 1, p.a.txcntr, 2, done, 0);
	CHECK_EQ(queue(&p.a, &j.work), 0);
	CHECK(rma_write(sbuf, 8, ROOM / 2, KEY));
	CHECK(cntr_is(p.a.txcntr, 1));
	CHECK(cntr_is(done, 0));
	CHECK_EQ(rma_msg(true, sbuf, 8, 0, KEY + 1, 1, 0), 0);
	CHECK(rma_failed(1, true, FI_EACCES));
	CHECK_EQ(fi_cntr_wait(done, 1, WAIT_MS), 0);
	CHECK(act_is_done(ACT_WRITE));
	/* those of the program */
	CHECK(act_prepare(ACT_WRITE));
	act_fill(ACT_WRITE);
	job_act(&j, ACT_WRITE, 1, start, 5, done, 0);
	CHECK_EQ(queue(&p.a, &j.work), 0);
	CHECK_EQ(fi_cntr_add(start, 2), 0);
	CHECK_EQ(fi_cntr_adderr(start, 2), 0);
	CHECK(cntr_is(done, 1));
	CHECK_EQ(fi_cntr_seterr(start, 3), 0);
	CHECK_EQ(fi_cntr_wait(done, 2, WAIT_MS), 0);
	CHECK(act_is_done(ACT_WRITE));
	CHECK_EQ(fi_close(&mr->fid), 0);
	return two_closed(start, done);
}

static bool counted_alone(void)
{
	struct fid_cntr *start, *done;
	static struct job j;
	struct fid_mr *mr;
	unsigned int a;

	CHECK(expose_all(&mr) && two(&start, &done));
	for (a = 0; a < ACTS; a++) {
		CHECK(act_prepare(a));
		act_fill(a);
		job_act(&j, a, a, start, 0, done, 0);
		CHECK_EQ(queue(&p.a, &j.work), 0);
		CHECK(cntr_is(done, 3 * a + 1));
		CHECK(act_is_done(a));
		CHECK(quiet(p.a.txcq));
		CHECK_EQ(fi_cntr_read(p.a.txcntr), 2 * a);
		/* an entry, and the endpoint's counter, if asked for */
		CHECK(act_prepare(a));
		act_fill(a);
		job_act(&j, a, a, start, 0, done, FI_COMPLETION);
		CHECK_EQ(queue(&p.a, &j.work), 0);
		CHECK(act_completes(a, ctx(a)));
		CHECK(cntr_is(done, 3 * a + 2));
		CHECK(cntr_is(p.a.txcntr, 2 * a + 1));
		/* the endpoint's counter as that of the work, and none */
		CHECK(act_prepare(a));
		act_fill(a);
		job_act(&j, a, a, start, 0, p.a.txcntr, 0);
		CHECK_EQ(queue(&p.a, &j.work), 0);
		CHECK(cntr_is(p.a.txcntr, 2 * a + 2));
		CHECK(act_is_done(a));
		CHECK_EQ(fi_cntr_add(done, 1), 0);
	}
	CHECK(act_prepare(ACT_WRITE));
	act_fill(ACT_WRITE);
	job_act(&j, ACT_WRITE, 1, start, 0, NULL, FI_COMPLETION);
	CHECK_EQ(queue(&p.a, &j.work), 0);
	CHECK(act_completes(ACT_WRITE, ctx(1)));
	CHECK_EQ(fi_close(&mr->fid), 0);
	return two_closed(start, done);
}

static bool failures(void)
{
	struct fid_cntr *start, *done;
	static struct job j;
	struct fid_mr *mr;

	CHECK(expose_all(&mr) && two(&start, &done));
	CHECK(act_prepare(ACT_WRITE));
	job_act(&j, ACT_WRITE, 1, start, 0, done, 0);
	j.msg.rem.key = KEY + 1;
	CHECK_EQ(queue(&p.a, &j.work), 0);
	CHECK(cntr_fails(done, 1));
	CHECK(quiet(p.a.txcq));
	CHECK_EQ(fi_cntr_readerr(p.a.txcntr), 0);
	job_act(&j, ACT_WRITE, 2, start, 0, done, FI_COMPLETION);
	j.msg.rem.key = KEY + 1;
	CHECK_EQ(queue(&p.a, &j.work), 0);
	CHECK(act_fails(ctx(2), FI_EACCES));
	CHECK(cntr_fails(done, 2));
	CHECK(cntr_fails(p.a.txcntr, 1));
	CHECK_EQ(fi_cntr_read(done), 0);
	CHECK(act_waits(ACT_WRITE));
	CHECK_EQ(fi_close(&mr->fid), 0);
	return two_closed(start, done);
}

static bool reached(void)
{
	struct fid_cntr *start, *done;
	static struct job j;
	struct fid_mr *mr;
	unsigned int i;

	CHECK(expose_all(&mr) && two(&start, &done));
	CHECK_EQ(fi_cntr_set(start, 2), 0);
	for (i = 0; i < 3; i++) {
		CHECK(act_prepare(ACT_READ));
		act_fill(ACT_READ);
		job_act(&j, ACT_READ, 1, start, i, done, 0);
		CHECK_EQ(queue(&p.a, &j.work), 0);
		CHECK_EQ(fi_cntr_wait(done, i + 1, WAIT_MS), 0);
		CHECK(act_is_done(ACT_READ));
	}
	/* results are not written before it begins */
	CHECK(act_prepare(ACT_READ));
	act_fill(ACT_READ);
	job_act(&j, ACT_READ, 1, start, 3, done, 0);
	CHECK_EQ(queue(&p.a, &j.work), 0);
	CHECK(cntr_is(done, 3));
	CHECK(act_waits(ACT_READ));
	CHECK_EQ(fi_cntr_add(start, 1), 0);
	CHECK_EQ(fi_cntr_wait(done, 4, WAIT_MS), 0);
	CHECK(act_is_done(ACT_READ));
	CHECK_EQ(fi_close(&mr->fid), 0);
	return two_closed(start, done);
}

/* ---- Counters ----------------------------------------------------------------------------- */

#define CHAIN	1000

static bool counters(void)
{
	static struct job j, chain[CHAIN];
	struct fid_cntr *start, *other;
	unsigned int i;

	CHECK(two(&start, &other));
	job_count(&j, start, 1, other, false, 50);
	CHECK_EQ(queue(&p.a, &j.work), 0);
	job_count(&j, start, 2, other, true, 7);
	CHECK_EQ(queue(&p.a, &j.work), 0);
	memset(&j, 0x55, sizeof(j));
	CHECK(cntr_is(other, 0));
	CHECK_EQ(fi_cntr_add(start, 1), 0);
	CHECK(cntr_is(other, 50));
	CHECK_EQ(fi_cntr_add(start, 1), 0);
	CHECK(cntr_is(other, 57));
	job_count(&j, start, 0, other, true, 7);
	j.work.completion_cntr = start;
	CHECK_EQ(queue(&p.a, &j.work), -FI_EINVAL);
	/* each step triggers the next one */
	CHECK_EQ(fi_cntr_set(start, 0), 0);
	for (i = 0; i < CHAIN; i++) {
		job_count(&chain[i], start, i + 1, start, true, 1);
		CHECK_EQ(queue(&p.a, &chain[i].work), 0);
	}
	CHECK(cntr_is(start, 0));
	CHECK_EQ(fi_cntr_add(start, 1), 0);
	CHECK(cntr_is(start, CHAIN + 1));
	CHECK(cntr_is(other, 57));
	return two_closed(start, other);
}

/* Counters step each other, thousands of times, while messages come and go. */
static bool loops(void)
{
	static struct job j[2];
	struct fid_cntr *c[2];
	unsigned int i, n = 4 * CHAIN;
	uint64_t until;

	CHECK(two(&c[0], &c[1]));
	for (i = 0; i < n; i++) {
		job_count(&j[0], c[0], i + 1, c[1], true, 1);
		job_count(&j[1], c[1], i + 1, c[0], true, 1);
		CHECK_EQ(queue(&p.a, &j[0].work), 0);
		CHECK_EQ(queue(&p.a, &j[1].work), 0);
	}
	CHECK_EQ(fi_cntr_add(c[0], 1), 0);
	for (i = 0; i < 20; i++) {
		CHECK(post_plain(rbuf, 64, 1));
		CHECK(send_plain(64, i, 2));
		CHECK(is_received(1, 64, false, 0));
	}
	CHECK(cntr_is(c[1], n));
	CHECK(cntr_is(c[0], n + 1));
	/* a counter that sets itself back does not begin again what has begun */
	job_count(&j[0], c[0], n + 1, c[0], false, 0);
	CHECK_EQ(queue(&p.a, &j[0].work), 0);
	until = now_ms() + WAIT_MS;
	while (fi_cntr_read(c[0]))
		CHECK(now_ms() < until);
	CHECK(cntr_is(c[1], n));
	CHECK_EQ(fi_cntr_read(c[0]), 0);
	return two_closed(c[0], c[1]);
}

/* ---- Cancellation ------------------------------------------------------------------------- */

static bool cancels(void)
{
	static struct job j[2], empty;
	struct fid_cntr *start, *done;
	struct fid_mr *mr;
	unsigned int i;

	CHECK(expose_all(&mr) && two(&start, &done));
	CHECK(act_prepare(ACT_WRITE) && act_prepare(ACT_ATOMIC));
	act_fill(ACT_ATOMIC);
	job_act(&j[0], ACT_WRITE, 1, start, 1, done, FI_COMPLETION);
	job_act(&j[1], ACT_ATOMIC, 2, start, 1, done, FI_COMPLETION);
	for (i = 0; i < 2; i++)
		CHECK_EQ(queue(&p.a, &j[i].work), 0);
	CHECK_EQ(cancel(&empty.work), -FI_ENOENT);
	CHECK_EQ(cancel(&j[0].work), 0);
	memset(&j[0].msg, 0x55, sizeof(j[0].msg));
	CHECK_EQ(cancel(&j[0].work), -FI_ENOENT);
	/* a program's fi_cancel() has no work to end */
	CHECK_EQ(fi_cancel(&p.a.ep->fid, &j[1].work), 0);
	CHECK_EQ(fi_cancel(&p.a.ep->fid, ctx(2)), 0);
	CHECK(quiet(p.a.txcq));
	CHECK_EQ(fi_cntr_add(start, 1), 0);
	CHECK(act_completes(ACT_ATOMIC, ctx(2)));
	CHECK(cntr_is(done, 1));
	CHECK_EQ(fi_cntr_readerr(done), 0);
	CHECK(act_waits(ACT_WRITE));
	CHECK_EQ(cancel(&j[1].work), -FI_ENOENT);
	CHECK_EQ(cancel(NULL), -FI_EINVAL);
	CHECK_EQ(fi_close(&mr->fid), 0);
	return two_closed(start, done);
}

static bool flushes(void)
{
	struct fid_cntr *start, *other, *done;
	static struct job j[4];
	struct fid_mr *mr;
	unsigned int i;

	CHECK(expose_all(&mr) && two(&start, &other) && cntr_new(&p.a, &done));
	CHECK(act_prepare(ACT_WRITE) && act_prepare(ACT_ATOMIC) && act_prepare(ACT_FETCH));
	act_fill(ACT_FETCH);
	job_act(&j[0], ACT_WRITE, 1, start, 1, done, FI_COMPLETION);
	job_count(&j[1], start, 1, done, true, 100);
	job_act(&j[2], ACT_ATOMIC, 1, other, 1, done, FI_COMPLETION);
	job_count(&j[3], other, 1, done, true, 1000);
	for (i = 0; i < 4; i++)
		CHECK_EQ(queue(&p.a, &j[i].work), 0);
	CHECK_EQ(act_by_msg(ACT_FETCH, waits_for(3, other, 2), FI_TRIGGER), 0);
	/* that of one counter */
	CHECK_EQ(flush(&j[0].work), 0);
	CHECK_EQ(fi_cntr_add(start, 1), 0);
	CHECK(cntr_is(done, 0));
	CHECK_EQ(cancel(&j[0].work), -FI_ENOENT);
	CHECK_EQ(fi_close(&start->fid), 0);
	/* all, without operations that are no work */
	CHECK_EQ(flush(NULL), 0);
	CHECK_EQ(flush(NULL), 0);
	CHECK_EQ(fi_cntr_add(other, 1), 0);
	CHECK(cntr_is(done, 0));
	CHECK(quiet(p.a.txcq));
	CHECK(act_waits(ACT_WRITE) && act_waits(ACT_ATOMIC) && act_waits(ACT_FETCH));
	CHECK_EQ(fi_cntr_add(other, 1), 0);
	CHECK(act_completes(ACT_FETCH, ctx(3)));
	j[0].work.triggering_cntr = NULL;
	CHECK_EQ(flush(&j[0].work), -FI_EINVAL);
	CHECK_EQ(fi_close(&mr->fid), 0);
	return two_closed(other, done);
}

/* The work of another domain of the port stays. */
static bool own_work(void)
{
	struct fid_cntr *start, *far, *far_end;
	struct fi_cntr_attr attr = { .events = FI_CNTR_EVENTS_COMP, .wait_obj = FI_WAIT_UNSPEC };
	struct fid_domain *domain;
	static struct job j;

	CHECK(cntr_new(&p.a, &start));
	CHECK_EQ(fi_domain(p.a.fabric, p.a.info, &domain, NULL), 0);
	CHECK_EQ(fi_cntr_open(domain, &attr, &far, NULL), 0);
	CHECK_EQ(fi_cntr_open(domain, &attr, &far_end, NULL), 0);
	job_count(&j, far, 1, far_end, true, 5);
	CHECK_EQ(queue(&p.a, &j.work), -FI_EINVAL);
	CHECK_EQ(fi_control(&domain->fid, FI_QUEUE_WORK, &j.work), 0);
	CHECK_EQ(flush(NULL), 0);
	CHECK_EQ(cancel(&j.work), -FI_ENOENT);
	CHECK_EQ(fi_close(&far->fid), -FI_EBUSY);
	CHECK_EQ(fi_close(&far_end->fid), -FI_EBUSY);
	CHECK_EQ(fi_cntr_add(far, 1), 0);
	CHECK(cntr_is(far_end, 5));
	CHECK_EQ(fi_close(&far->fid), 0);
	CHECK_EQ(fi_close(&far_end->fid), 0);
	CHECK_EQ(fi_close(&domain->fid), 0);
	return !fi_close(&start->fid);
}

/* ---- What is refused ---------------------------------------------------------------------- */

/* Work of kind @what that is changed before it is queued. */
#define WORK(what, change, result)						\
	do {									\
		job_act(&j, what, 1, start, 1, NULL, 0);			\
		change;								\
		CHECK_EQ(queue(&p.a, &j.work), result);				\
	} while (0)

static bool refused(void)
{
	struct fid_cntr *start, *done;
	static struct job j;

	CHECK(two(&start, &done));
	CHECK_EQ(queue(&p.a, NULL), -FI_EINVAL);
	WORK(ACT_WRITE, j.work.op_type = 77, -FI_EINVAL);
	WORK(ACT_WRITE, j.work.op_type = -1, -FI_EINVAL);
	WORK(ACT_WRITE, j.work.triggering_cntr = NULL, -FI_EINVAL);
	WORK(ACT_WRITE, j.work.triggering_cntr = p.b.txcntr, -FI_EINVAL);
	WORK(ACT_WRITE, j.work.completion_cntr = p.b.txcntr, -FI_EINVAL);
	WORK(ACT_WRITE, j.work.op.rma = NULL, -FI_EINVAL);
	WORK(ACT_WRITE, j.op.rma.ep = NULL, -FI_EINVAL);
	WORK(ACT_SEND, j.op.msg.ep = p.b.ep, -FI_EINVAL);
	WORK(ACT_TSEND, j.op.tagged.flags = FI_INJECT, -FI_EINVAL);
	WORK(ACT_SEND, j.op.msg.flags = FI_CLAIM, -FI_EBADFLAGS);
	WORK(ACT_WRITE, j.op.rma.msg.iov_count = 99, -FI_EINVAL);
	WORK(ACT_WRITE, j.op.rma.msg.rma_iov_count = 99, -FI_EINVAL);
	WORK(ACT_FETCH, j.op.fetch.fetch.iov_count = 0, -FI_EINVAL);
	WORK(ACT_COMPARE, j.op.compare.compare.iov_count = 0, -FI_EINVAL);
	/* what the endpoint, or weft, does not have */
	WORK(ACT_ATOMIC, j.op.atomic.msg.op = FI_CSWAP, -FI_ENOSYS);
	WORK(ACT_SEND, j.work.op_type = FI_OP_RECV; j.op.msg.flags = FI_MULTI_RECV, -FI_ENOSYS);
	job_count(&j, start, 1, NULL, true, 1);
	CHECK_EQ(queue(&p.a, &j.work), -FI_EINVAL);
	job_count(&j, start, 1, p.b.txcntr, true, 1);
	CHECK_EQ(queue(&p.a, &j.work), -FI_EINVAL);
	j.work.op.cntr = NULL;
	CHECK_EQ(queue(&p.a, &j.work), -FI_EINVAL);
	/* nothing is queued */
	return two_closed(start, done);
}

/* Endpoints without a capability. */
static bool narrowed(void)
{
	struct fid_cntr *start;
	static struct job j;

	CHECK(cntr_new(&p.a, &start));
	WORK(ACT_WRITE, (void)0, -FI_ENOSYS);
	WORK(ACT_ATOMIC, (void)0, -FI_ENOSYS);
	WORK(ACT_TSEND, (void)0, -FI_ENOSYS);
	WORK(ACT_TSEND, j.work.op_type = FI_OP_TRECV, -FI_ENOSYS);
	WORK(ACT_SEND, (void)0, 0);
	CHECK_EQ(cancel(&j.work), 0);
	CHECK_EQ(fi_close(&start->fid), 0);
	p.o.caps = FI_MSG;
	CHECK(pair_again());
	CHECK(cntr_new(&p.a, &start));
	WORK(ACT_SEND, (void)0, -FI_EINVAL);
	return !fi_close(&start->fid);
}

static const struct row rows[] = {
	ROW("TRIG-15", ON_BOTH, "Deferred work is any operation, and begins at the threshold",
	    each_type, TRIGGER),
	ROW("TRIG-15b", ON_BOTH, "Deferred work is any receive", receives, TRIGGER,
	    .o.counters = true),
	ROW("TRIG-16", ON_BOTH, "The threshold counts successes and errors together", errors_count,
	    TRIGGER, COUNTS_ALL),
	ROW("TRIG-17", ON_BOTH, "The end is counted; the endpoint tells of it only if asked",
	    counted_alone, TRIGGER, COUNTS_ALL),
	ROW("TRIG-18", ON_BOTH, "Deferred work sets counters and adds to them, in chains too",
	    counters, TRIGGER, .once = true),
	ROW("TRIG-19", ON_BOTH, "Work whose threshold has been reached begins at once", reached,
	    TRIGGER),
	ROW("TRIG-20", ON_BOTH, "FI_CANCEL_WORK ends work that has not begun, without a trace",
	    cancels, TRIGGER),
	ROW("TRIG-21", ON_BOTH, "FI_FLUSH_WORK ends all work of a domain, or of one counter",
	    flushes, TRIGGER),
	ROW("TRIG-21b", ON_BOTH, "Domains have work of their own", own_work, TRIGGER,
	    .once = true),
	ROW("TRIG-22", ON_BOTH, "Work with wrong objects, or that is not supported, is refused",
	    refused, TRIGGER, .o.counters = true, .once = true),
	ROW("TRIG-22b", ON_BOTH, "Work needs the endpoint's capabilities", narrowed, .o.bare = true,
	    .o.caps = FI_MSG | FI_TRIGGER, .once = true),
	ROW("TRIG-23", ON_BOTH, "Counters that step each other do not stop the node", loops,
	    TRIGGER),
	ROW("TRIG-24", ON_BOTH, "Work that fails steps the errors of its counter", failures,
	    TRIGGER, COUNTS_ALL),
};

int main(int argc, char **argv)
{
	return rows_main(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
}
