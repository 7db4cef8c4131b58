// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fi_endpoint(3), scalable endpoints: the queues and counters of contexts.
 * TIMEOUT: 100 LINKS: loop
 */
#include "trigger.h"

#define NCTX	2

/**
 * struct scalable - a scalable endpoint in the domain of p.a, which sends to p.b
 * @tx: transmit contexts
 * @rx: receive contexts
 * @cq: queue of both contexts of number 0
 * @txcq: queue of transmit context 1
 * @rxcq: queue of receive context 1
 * @sends: counter of sends of transmit context 0
 * @reads: counter of remote memory access of transmit context 1
 */
static struct scalable {
	struct fid_ep *tx[NCTX];
	struct fid_ep *rx[NCTX];
	struct fid_cq *cq;
	struct fid_cq *txcq;
	struct fid_cq *rxcq;
	struct fid_cntr *sends;
	struct fid_cntr *reads;
} sep;

static bool meet(struct side *at, struct side *of)
{
	uint8_t addr[64];
	size_t len = sizeof(addr);

	CHECK_EQ(fi_getname(&of->ep->fid, addr, &len), 0);
	CHECK_EQ(fi_av_insert(at->av, addr, 1, &at->peer, 0, NULL), 1);
	return true;
}

static bool open_all(void)
{
	struct fi_cq_attr cq = { .format = FI_CQ_FORMAT_TAGGED };
	struct fi_cntr_attr cntr = { .events = FI_CNTR_EVENTS_COMP };
	struct fi_av_attr av = { .type = FI_AV_TABLE };
	struct side *a = &p.a;
	size_t i;

	CHECK(side_open(a, 0, &p.o));
	a->info->ep_attr->tx_ctx_cnt = NCTX;
	a->info->ep_attr->rx_ctx_cnt = NCTX;
	CHECK_EQ(fi_av_open(a->domain, &av, &a->av, NULL), 0);
	CHECK_EQ(fi_scalable_ep(a->domain, a->info, &a->ep, NULL), 0);
	CHECK_EQ(fi_scalable_ep_bind(a->ep, &a->av->fid, 0), 0);
	CHECK_EQ(fi_cq_open(a->domain, &cq, &sep.cq, NULL), 0);
	CHECK_EQ(fi_cq_open(a->domain, &cq, &sep.txcq, NULL), 0);
	CHECK_EQ(fi_cq_open(a->domain, &cq, &sep.rxcq, NULL), 0);
	CHECK_EQ(fi_cntr_open(a->domain, &cntr, &sep.sends, NULL), 0);
	CHECK_EQ(fi_cntr_open(a->domain, &cntr, &sep.reads, NULL), 0);
	for (i = 0; i < NCTX; i++) {
		CHECK_EQ(fi_tx_context(a->ep, i, NULL, &sep.tx[i], NULL), 0);
		CHECK_EQ(fi_rx_context(a->ep, i, NULL, &sep.rx[i], NULL), 0);
		CHECK_EQ(fi_ep_bind(sep.tx[i], i ? &sep.txcq->fid : &sep.cq->fid, FI_TRANSMIT), 0);
		CHECK_EQ(fi_ep_bind(sep.rx[i], i ? &sep.rxcq->fid : &sep.cq->fid, FI_RECV), 0);
	}
	CHECK_EQ(fi_ep_bind(sep.tx[0], &sep.sends->fid, FI_SEND), 0);
	CHECK_EQ(fi_ep_bind(sep.rx[0], &sep.sends->fid, FI_SEND), -FI_EINVAL);
	CHECK_EQ(fi_ep_bind(sep.tx[1], &sep.reads->fid, FI_READ | FI_WRITE), 0);
	CHECK_EQ(fi_enable(a->ep), 0);
	for (i = 0; i < NCTX; i++) {
		CHECK_EQ(fi_enable(sep.tx[i]), 0);
		CHECK_EQ(fi_enable(sep.rx[i]), 0);
	}
	CHECK(side_open(&p.b, 0, &p.o));
	CHECK(side_endpoint(&p.b, p.b.info, &p.o));
	return meet(a, &p.b) && meet(&p.b, a);
}

/* In the usual order. */
static bool close_all(void)
{
	unsigned int i;

	for (i = 0; i < NCTX; i++) {
		CHECK_EQ(fi_close(&sep.tx[i]->fid), 0);
		CHECK_EQ(fi_close(&sep.rx[i]->fid), 0);
	}
	CHECK_EQ(fi_close(&p.a.ep->fid), 0);
	p.a.ep = NULL;
	CHECK_EQ(fi_close(&sep.cq->fid), 0);
	CHECK_EQ(fi_close(&sep.txcq->fid), 0);
	CHECK_EQ(fi_close(&sep.rxcq->fid), 0);
	CHECK_EQ(fi_close(&sep.sends->fid), 0);
	return !fi_close(&sep.reads->fid);
}

/* A message from transmit context @i to B, and its completion in @cq. */
static bool to_other(unsigned int i, struct fid_cq *cq)
{
	struct fi_cq_tagged_entry c;

	CHECK(post_plain(rbuf, 64, 1));
	CHECK_EQ(fi_send(sep.tx[i], sbuf, 64, NULL, p.a.peer, ctx(2)), 0);
	CHECK_EQ(completion(cq, &c, NULL, NULL), 1);
	CHECK(c.op_context == ctx(2));
	CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
	return c.op_context == ctx(1) && c.len == 64;
}

static bool queues_first(void)
{
	struct fi_cq_tagged_entry c;

	CHECK(open_all());
	CHECK(to_other(0, sep.cq) && to_other(1, sep.txcq));
	CHECK_EQ(fi_cntr_read(sep.sends), 1);
	CHECK_EQ(fi_close(&sep.cq->fid), -FI_EBUSY);
	CHECK_EQ(fi_close(&sep.sends->fid), -FI_EBUSY);
	CHECK_EQ(fi_close(&sep.tx[0]->fid), 0);
	CHECK_EQ(fi_close(&sep.sends->fid), 0);
	CHECK_EQ(fi_close(&sep.cq->fid), -FI_EBUSY);
	/* what is in the buffer of a closed context can be read, and what is not read goes */
	CHECK_EQ(fi_recv(sep.rx[0], rbuf + 128, 64, NULL, FI_ADDR_UNSPEC, ctx(3)), 0);
	CHECK_EQ(fi_send(p.b.ep, sbuf, 8, NULL, p.b.peer, ctx(4)), 0);
	CHECK_EQ(completion(p.b.txcq, &c, NULL, NULL), 1);
	CHECK_EQ(fi_close(&sep.rx[0]->fid), 0);
	CHECK_EQ(fi_close(&sep.cq->fid), 0);
	/* a half of an endpoint of the kernel goes on without the other one's queue */
	CHECK_EQ(fi_close(&sep.rxcq->fid), -FI_EBUSY);
	CHECK_EQ(fi_close(&sep.rx[1]->fid), 0);
	CHECK_EQ(fi_close(&sep.rxcq->fid), 0);
	CHECK(to_other(1, sep.txcq) && to_other(1, sep.txcq));
	CHECK_EQ(fi_close(&p.a.ep->fid), -FI_EBUSY);
	CHECK_EQ(fi_close(&sep.tx[1]->fid), 0);
	CHECK_EQ(fi_cntr_read(sep.reads), 0);
	CHECK_EQ(fi_close(&sep.reads->fid), 0);
	CHECK_EQ(fi_close(&sep.txcq->fid), 0);
	CHECK_EQ(fi_close(&p.a.ep->fid), 0);
	p.a.ep = NULL;
	CHECK_EQ(fi_close(&p.a.av->fid), 0);
	p.a.av = NULL;
	/* nothing of them is left */
	CHECK_EQ(fi_close(&p.a.domain->fid), 0);
	p.a.domain = NULL;
	return true;
}

/* A context that is opened again has the queue that it had, and no other one. */
static bool opened_again(void)
{
	struct fi_cq_attr attr = { .format = FI_CQ_FORMAT_TAGGED };
	struct fid_cq *cq;

	CHECK(open_all());
	CHECK_EQ(fi_cq_open(p.a.domain, &attr, &cq, NULL), 0);
	CHECK_EQ(fi_close(&sep.tx[1]->fid), 0);
	CHECK_EQ(fi_tx_context(p.a.ep, 1, NULL, &sep.tx[1], NULL), 0);
	CHECK_EQ(fi_close(&sep.txcq->fid), -FI_EBUSY);
	CHECK_EQ(fi_ep_bind(sep.tx[1], &cq->fid, FI_TRANSMIT), -FI_EOPBADSTATE);
	CHECK_EQ(fi_enable(sep.tx[1]), 0);
	CHECK(to_other(1, sep.txcq));
	CHECK_EQ(fi_close(&sep.tx[1]->fid), 0);
	CHECK_EQ(fi_close(&sep.txcq->fid), 0);
	CHECK_EQ(fi_tx_context(p.a.ep, 1, NULL, &sep.tx[1], NULL), 0);
	CHECK_EQ(fi_ep_bind(sep.tx[1], &cq->fid, FI_TRANSMIT), -FI_EOPBADSTATE);
	CHECK_EQ(fi_enable(sep.tx[1]), -FI_ENOCQ);
	CHECK_EQ(fi_close(&sep.tx[1]->fid), 0);
	CHECK_EQ(fi_close(&cq->fid), 0);
	CHECK(to_other(0, sep.cq));
	/* in the usual order, too */
	CHECK_EQ(fi_close(&sep.tx[0]->fid), 0);
	CHECK_EQ(fi_close(&sep.rx[0]->fid), 0);
	CHECK_EQ(fi_close(&sep.rx[1]->fid), 0);
	CHECK_EQ(fi_close(&p.a.ep->fid), 0);
	p.a.ep = NULL;
	CHECK_EQ(fi_close(&sep.cq->fid), 0);
	CHECK_EQ(fi_close(&sep.rxcq->fid), 0);
	CHECK_EQ(fi_close(&sep.sends->fid), 0);
	return !fi_close(&sep.reads->fid);
}

/* Transmit contexts access memory of B, and B memory of the domain through receive context 1. */
static bool remote_memory(void)
{
	struct fi_cq_tagged_entry c;
	struct fid_mr *mr, *mine;
	unsigned int i;

	CHECK(open_all());
	CHECK(expose(&p.b, rbuf, 4096, BOTH_RIGHTS, KEY, &mr));
	CHECK(expose(&p.a, sbuf, 4096, BOTH_RIGHTS, KEY, &mine));
	for (i = 0; i < NCTX; i++) {
		pattern_fill(sbuf + 4096, 300, i);
		CHECK_EQ(fi_write(sep.tx[i], sbuf + 4096, 300, NULL, p.a.peer, 8, KEY, ctx(1)), 0);
		CHECK_EQ(completion(i ? sep.txcq : sep.cq, &c, NULL, NULL), 1);
		CHECK(c.op_context == ctx(1) && c.flags == (FI_RMA | FI_WRITE));
		CHECK(pattern_is(rbuf + 8, 300, i));
		CHECK_EQ(fi_read(sep.rx[i], sbuf, 8, NULL, p.a.peer, 0, KEY, NULL), -FI_ENOSYS);
	}
	CHECK_EQ(fi_write(p.b.ep, rbuf + 8, 300, NULL, p.b.peer, 0, KEY, ctx(2)), 0);
	CHECK_EQ(completion(p.b.txcq, &c, NULL, NULL), 1);
	CHECK(pattern_is(sbuf, 300, NCTX - 1));
	CHECK_EQ(fi_close(&mr->fid), 0);
	CHECK_EQ(fi_close(&mine->fid), 0);
	return close_all();
}

/* Operations of contexts wait, and so does deferred work: each of its own direction. */
static bool contexts_wait(void)
{
	struct iovec iov = { sbuf, 64 };
	struct fi_op_msg op = { .msg = { .msg_iov = &iov, .iov_count = 1 } };
	struct fi_deferred_work work = { .threshold = 3, .op_type = FI_OP_SEND, .op.msg = &op };
	struct fi_cq_tagged_entry c;
	struct fid_cntr *cntr, *done;
	unsigned int i;

	CHECK(open_all());
	CHECK(cntr_new(&p.a, &cntr) && cntr_new(&p.a, &done));
	for (i = 0; i < 3; i++)
		CHECK(post_plain(rbuf, 64, 3));
	for (i = 0; i < NCTX; i++) {
		op.msg.addr = p.a.peer;
		op.msg.context = waits_for(1 + i, cntr, 1 + i);
		CHECK_EQ(fi_sendmsg(sep.tx[i], &op.msg, FI_TRIGGER), 0);
		CHECK_EQ(fi_sendmsg(sep.rx[i], &op.msg, FI_TRIGGER), -FI_ENOSYS);
	}
	work.triggering_cntr = cntr;
	work.completion_cntr = done;
	op.ep = sep.rx[1];
	CHECK_EQ(fi_control(&p.a.domain->fid, FI_QUEUE_WORK, &work), -FI_EINVAL);
	op.ep = sep.tx[1];
	CHECK_EQ(fi_control(&p.a.domain->fid, FI_QUEUE_WORK, &work), 0);
	work.op_type = FI_OP_RECV;
	CHECK_EQ(fi_control(&p.a.domain->fid, FI_QUEUE_WORK, &work), -FI_EINVAL);
	for (i = 0; i < 3; i++) {
		CHECK(quiet(p.b.rxcq));
		CHECK_EQ(fi_cntr_add(cntr, 1), 0);
		CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
		if (i == NCTX)
			break;
		CHECK_EQ(completion(i ? sep.txcq : sep.cq, &c, NULL, NULL), 1);
		CHECK(c.op_context == ctx(1 + i));
	}
	CHECK_EQ(fi_cntr_wait(done, 1, WAIT_MS), 0);
	CHECK(quiet(sep.txcq));
	/* a receive waits, and is canceled */
	op.msg.addr = FI_ADDR_UNSPEC;
	op.msg.context = waits_for(9, cntr, 10);
	CHECK_EQ(fi_recvmsg(sep.rx[1], &op.msg, FI_TRIGGER), 0);
	CHECK_EQ(fi_close(&cntr->fid), -FI_EBUSY);
	CHECK_EQ(fi_cancel(&sep.rx[1]->fid, ctx(9)), 0);
	CHECK_EQ(completion(sep.rxcq, &c, NULL, &(struct fi_cq_err_entry){}), -FI_EAVAIL);
	CHECK_EQ(fi_close(&cntr->fid), 0);
	CHECK_EQ(fi_close(&done->fid), 0);
	return close_all();
}

/*
 * Without messages a receive context needs no queue, whichever context of its number is enabled
 * first. Its memory is accessed all the same.
 */
static bool no_messages(void)
{
	struct fi_cq_attr attr = { .format = FI_CQ_FORMAT_TAGGED };
	struct fi_av_attr av = { .type = FI_AV_TABLE };
	struct fi_cq_tagged_entry c;
	struct side *a = &p.a;
	struct fid_mr *mr, *mine;
	unsigned int i;

	CHECK(side_open(a, 0, &p.o));
	a->info->ep_attr->tx_ctx_cnt = NCTX;
	a->info->ep_attr->rx_ctx_cnt = NCTX;
	CHECK_EQ(fi_av_open(a->domain, &av, &a->av, NULL), 0);
	CHECK_EQ(fi_scalable_ep(a->domain, a->info, &a->ep, NULL), 0);
	CHECK_EQ(fi_scalable_ep_bind(a->ep, &a->av->fid, 0), 0);
	CHECK_EQ(fi_cq_open(a->domain, &attr, &sep.cq, NULL), 0);
	for (i = 0; i < NCTX; i++) {
		CHECK_EQ(fi_tx_context(a->ep, i, NULL, &sep.tx[i], NULL), 0);
		CHECK_EQ(fi_rx_context(a->ep, i, NULL, &sep.rx[i], NULL), 0);
		CHECK_EQ(fi_enable(sep.tx[i]), -FI_ENOCQ);
		CHECK_EQ(fi_ep_bind(sep.tx[i], &sep.cq->fid, FI_TRANSMIT), 0);
		CHECK_EQ(fi_enable(i ? sep.rx[i] : sep.tx[i]), 0);
		CHECK_EQ(fi_enable(i ? sep.tx[i] : sep.rx[i]), 0);
	}
	CHECK_EQ(fi_enable(a->ep), 0);
	CHECK(side_open(&p.b, 0, &p.o));
	CHECK(side_endpoint(&p.b, p.b.info, &p.o));
	CHECK(meet(a, &p.b) && meet(&p.b, a));
	CHECK(expose(&p.b, rbuf, 4096, BOTH_RIGHTS, KEY, &mr));
	CHECK(expose(a, sbuf, 4096, BOTH_RIGHTS, KEY, &mine));
	for (i = 0; i < NCTX; i++) {
		pattern_fill(sbuf + 4096, 300, i);
		CHECK_EQ(fi_write(sep.tx[i], sbuf + 4096, 300, NULL, a->peer, 8, KEY, ctx(1)), 0);
		CHECK_EQ(completion(sep.cq, &c, NULL, NULL), 1);
		CHECK(pattern_is(rbuf + 8, 300, i));
	}
	CHECK_EQ(fi_write(p.b.ep, rbuf + 8, 300, NULL, p.b.peer, 0, KEY, ctx(2)), 0);
	CHECK_EQ(completion(p.b.txcq, &c, NULL, NULL), 1);
	CHECK(pattern_is(sbuf, 300, NCTX - 1));
	CHECK_EQ(fi_close(&mr->fid), 0);
	CHECK_EQ(fi_close(&mine->fid), 0);
	for (i = 0; i < NCTX; i++) {
		CHECK_EQ(fi_close(&sep.tx[i]->fid), 0);
		CHECK_EQ(fi_close(&sep.rx[i]->fid), 0);
	}
	CHECK_EQ(fi_close(&a->ep->fid), 0);
	a->ep = NULL;
	return !fi_close(&sep.cq->fid);
}

#define ALONE .alone = true, .once = true

static const struct row rows[] = {
	ROW("SEP-001", ON_RDM, "A queue or a counter may be closed when the contexts that use it are",
	    queues_first, ALONE),
	ROW("SEP-002", ON_RDM, "A context that is opened again has the queue that it had",
	    opened_again, ALONE),
	ROW("RMA-18a", ON_RDM, "Contexts do remote memory access as endpoints do", remote_memory,
	    ALONE, RMA),
	ROW("TRIG-04a", ON_RDM, "Operations of contexts wait for counters", contexts_wait, ALONE,
	    TRIGGER),
	ROW("RMA-18b", ON_RDM, "Without messages a receive context needs no queue", no_messages,
	    ALONE, RMA, .o.bare = true),
};

int main(int argc, char **argv)
{
	return rows_main(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
}
