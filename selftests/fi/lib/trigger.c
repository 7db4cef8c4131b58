// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "trigger.h"

#define LEN	200u		/* bytes of messages, reads and writes: a ring would take them */
#define PLACE	4096u		/* from the bytes of one kind to those of the next */
#define RECV	3000u		/* contexts of B's receives */
#define TAG	9u
#define BEFORE	40u		/* elements of atomic operations: before, and after */
#define AFTER	42u

static uint8_t *a_bytes(enum act a)
{
	return sbuf + PLACE * a;
}

static uint8_t *b_bytes(enum act a)
{
	return rbuf + PLACE * a;
}

/* Elements at A: the operand, the result, and what it is compared to. */
static uint64_t *word(enum act a, unsigned int i)
{
	return (uint64_t *)a_bytes(a) + i;
}

static bool is_atomic(enum act a)
{
	return a >= ACT_ATOMIC;
}

static enum fi_op op_of(enum act a)
{
	return a == ACT_COMPARE ? FI_CSWAP : FI_SUM;
}

void act_message(struct act_msg *m, enum act a, void *context)
{
	*m = (struct act_msg){
		.msg = { .msg_iov = m->iov, .iov_count = 2, .addr = p.a.peer,
			 .context = context },
		.tagged = { .msg_iov = m->iov, .iov_count = 2, .addr = p.a.peer,
			    .context = context, .tag = TAG },
		.rma = { .msg_iov = m->iov, .iov_count = 2, .addr = p.a.peer,
			 .rma_iov = &m->rem, .rma_iov_count = 1, .context = context },
		.atomic = { .msg_iov = &m->operand, .iov_count = 1, .addr = p.a.peer,
			    .rma_iov = &m->target, .rma_iov_count = 1, .datatype = FI_UINT64,
			    .op = op_of(a), .context = context },
		.fetch = { .msg_iov = &m->result, .iov_count = 1 },
		.compare = { .msg_iov = &m->cmp, .iov_count = 1 },
		.iov = { { a_bytes(a), LEN / 3 }, { a_bytes(a) + LEN / 3, LEN - LEN / 3 } },
		.rem = { .addr = PLACE * a, .len = LEN, .key = KEY },
		.operand = { word(a, 0), 1 },
		.result = { word(a, 1), 1 },
		.cmp = { word(a, 2), 1 },
		.target = { .addr = PLACE * a, .count = 1, .key = KEY },
	};
}

bool act_prepare(enum act a)
{
	memset(a_bytes(a), 0x11, LEN);
	memset(b_bytes(a), 0x22, LEN);
	if (is_atomic(a))
		*(uint64_t *)b_bytes(a) = BEFORE;
	if (a == ACT_SEND)
		return post_plain(b_bytes(a), LEN, RECV + a);
	return a != ACT_TSEND || post_tagged(b_bytes(a), LEN, TAG, 0, RECV + a);
}

void act_fill(enum act a)
{
	if (!is_atomic(a)) {
		pattern_fill(a == ACT_READ ? b_bytes(a) : a_bytes(a), LEN, a);
		return;
	}
	*word(a, 0) = a == ACT_COMPARE ? AFTER : AFTER - BEFORE;
	*word(a, 2) = BEFORE;
}

bool act_waits(enum act a)
{
	if (is_atomic(a))
		CHECK_EQ(*(uint64_t *)b_bytes(a), BEFORE);
	else if (a == ACT_READ)
		CHECK(all_bytes(a_bytes(a), LEN, 0x11));
	else
		CHECK(all_bytes(b_bytes(a), LEN, 0x22));
	return true;
}

bool act_is_done(enum act a)
{
	if (a == ACT_SEND || a == ACT_TSEND)
		CHECK(is_received(RECV + a, LEN, a == ACT_TSEND, TAG));
	if (!is_atomic(a)) {
		CHECK(pattern_is(a == ACT_READ ? a_bytes(a) : b_bytes(a), LEN, a));
		return true;
	}
	CHECK_EQ(*(uint64_t *)b_bytes(a), AFTER);
	if (a != ACT_ATOMIC)
		CHECK_EQ(*word(a, 1), BEFORE);
	return true;
}

bool act_completes(enum act a, void *context)
{
	static const uint64_t flags[] = {
		FI_SEND | FI_MSG, FI_SEND | FI_TAGGED, FI_RMA | FI_WRITE, FI_RMA | FI_READ,
		FI_ATOMIC | FI_WRITE, FI_ATOMIC | FI_READ, FI_ATOMIC | FI_READ,
	};
	struct fi_cq_tagged_entry c;

	CHECK_EQ(completion(p.a.txcq, &c, NULL, NULL), 1);
	CHECK(c.op_context == context);
	CHECK_EQ(c.flags, flags[a]);
	return act_is_done(a);
}

bool act_fails(void *context, int err)
{
	struct fi_cq_tagged_entry c;
	struct fi_cq_err_entry e = {};

	CHECK_EQ(completion(p.a.txcq, &c, NULL, &e), -FI_EAVAIL);
	CHECK_EQ(e.err, err);
	CHECK(e.op_context == context);
	CHECK_EQ(e.len, 0);
	return true;
}

static ssize_t by_msg(struct act_msg *m, enum act a, uint64_t flags)
{
	struct fid_ep *ep = p.a.ep;

	switch (a) {
	case ACT_SEND:
		return fi_sendmsg(ep, &m->msg, flags);
	case ACT_TSEND:
		return fi_tsendmsg(ep, &m->tagged, flags);
	case ACT_WRITE:
		return fi_writemsg(ep, &m->rma, flags);
	case ACT_READ:
		return fi_readmsg(ep, &m->rma, flags);
	case ACT_ATOMIC:
		return fi_atomicmsg(ep, &m->atomic, flags);
	case ACT_FETCH:
		return fi_fetch_atomicmsg(ep, &m->atomic, &m->result, NULL, 1, flags);
	default:
		return fi_compare_atomicmsg(ep, &m->atomic, &m->cmp, NULL, 1, &m->result, NULL, 1,
					    flags);
	}
}

ssize_t act_by_msg(enum act a, void *context, uint64_t flags)
{
	struct act_msg m;
	ssize_t ret;

	act_message(&m, a, context);
	ret = by_msg(&m, a, flags);
	memset(&m, 0x55, sizeof(m));
	return ret;
}

ssize_t act_by_call(struct fid_ep *ep, enum act a, void *context)
{
	uint64_t to = PLACE * a;

	switch (a) {
	case ACT_SEND:
		return fi_send(ep, a_bytes(a), LEN, NULL, p.a.peer, context);
	case ACT_TSEND:
		return fi_tsend(ep, a_bytes(a), LEN, NULL, p.a.peer, TAG, context);
	case ACT_WRITE:
		return fi_write(ep, a_bytes(a), LEN, NULL, p.a.peer, to, KEY, context);
	case ACT_READ:
		return fi_read(ep, a_bytes(a), LEN, NULL, p.a.peer, to, KEY, context);
	case ACT_ATOMIC:
		return fi_atomic(ep, word(a, 0), 1, NULL, p.a.peer, to, KEY, FI_UINT64, op_of(a),
				 context);
	case ACT_FETCH:
		return fi_fetch_atomic(ep, word(a, 0), 1, NULL, word(a, 1), NULL, p.a.peer, to,
				       KEY, FI_UINT64, op_of(a), context);
	default:
		return fi_compare_atomic(ep, word(a, 0), 1, NULL, word(a, 2), NULL, word(a, 1),
					 NULL, p.a.peer, to, KEY, FI_UINT64, op_of(a), context);
	}
}

bool cntr_new(struct side *s, struct fid_cntr **cntr)
{
	struct fi_cntr_attr attr = { .events = FI_CNTR_EVENTS_COMP, .wait_obj = FI_WAIT_UNSPEC };

	CHECK_EQ(fi_cntr_open(s->domain, &attr, cntr, NULL), 0);
	return true;
}

void *waits_for(unsigned int n, struct fid_cntr *cntr, size_t threshold)
{
	struct fi_triggered_context *t = ctx(n);

	t->event_type = FI_TRIGGER_THRESHOLD;
	t->trigger.threshold.cntr = cntr;
	t->trigger.threshold.threshold = threshold;
	return t;
}
