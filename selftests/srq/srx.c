// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Shared receive contexts through stock libfabric. Endpoints of both types take their receives from
 * one context, tagged and not, before and after their messages. Refused calls.
 *
 * Side A has a plain endpoint for each endpoint of side B. B's endpoints share a context.
 */
#include <string.h>
#include "fipair.h"

#define EPS	4
#define ROUNDS	8
#define LEN	64

/**
 * struct share - one side
 * @s: fabric, domain, address vector, event queue
 * @ep: endpoints
 * @txcq: queues of their sends
 * @rxcq: queues of their receives
 * @peer: addresses of the other side's endpoints
 * @srx: B: the context they share
 * @cq: queue for canceled receives, if the context has one
 */
struct share {
	struct side s;
	struct fid_ep *ep[EPS];
	struct fid_cq *txcq[EPS];
	struct fid_cq *rxcq[EPS];
	fi_addr_t peer[EPS];
	struct fid_ep *srx;
	struct fid_cq *cq;
};

static struct share a, b;
static struct fid_pep *pep;
static bool apart, msg;

static bool endpoint(struct share *e, int i, struct fi_info *info)
{
	struct fi_cq_attr cq = { .format = FI_CQ_FORMAT_TAGGED };

	CHECK_EQ(fi_cq_open(e->s.domain, &cq, &e->txcq[i], NULL), 0);
	CHECK_EQ(fi_cq_open(e->s.domain, &cq, &e->rxcq[i], NULL), 0);
	info->ep_attr->rx_ctx_cnt = e->srx ? FI_SHARED_CONTEXT : 1;
	CHECK_EQ(fi_endpoint(e->s.domain, info, &e->ep[i], NULL), 0);
	CHECK_EQ(fi_ep_bind(e->ep[i], &e->txcq[i]->fid, FI_TRANSMIT), 0);
	CHECK_EQ(fi_ep_bind(e->ep[i], &e->rxcq[i]->fid, FI_RECV), 0);
	if (msg)
		CHECK_EQ(fi_ep_bind(e->ep[i], &e->s.eq->fid, 0), 0);
	else
		CHECK_EQ(fi_ep_bind(e->ep[i], &e->s.av->fid, 0), 0);
	if (e->srx) {
		CHECK_EQ(fi_enable(e->ep[i]), -FI_EOPBADSTATE);
		CHECK_EQ(fi_ep_bind(e->ep[i], &e->srx->fid, 0), 0);
		CHECK_EQ(fi_ep_bind(e->ep[i], &e->srx->fid, 0), -FI_EINVAL);
	}
	CHECK_EQ(fi_enable(e->ep[i]), 0);
	return true;
}

static bool open_side(struct share *e, int node, uint64_t caps, size_t size)
{
	struct opts o = { .type = msg ? FI_EP_MSG : FI_EP_RDM, .caps = caps };
	struct fi_av_attr av = { .type = FI_AV_TABLE };
	struct fi_rx_attr rx = { .size = size, .caps = caps };

	CHECK(side_open(&e->s, node, &o));
	CHECK(e->s.info->domain_attr->max_ep_srx_ctx >= 1);
	if (!msg)
		CHECK_EQ(fi_av_open(e->s.domain, &av, &e->s.av, NULL), 0);
	if (size)
		CHECK_EQ(fi_srx_context(e->s.domain, &rx, &e->srx, NULL), 0);
	return true;
}

static bool connect_all(void)
{
	struct pair p = { .b = b.s };
	struct fi_eq_cm_entry e;
	uint8_t addr[64];
	size_t len = sizeof(addr);
	uint32_t type;
	int i;

	CHECK(pair_listen(&p, addr, &len));
	pep = p.pep;
	for (i = 0; i < EPS; i++) {
		CHECK(endpoint(&a, i, a.s.info));
		CHECK_EQ(fi_connect(a.ep[i], addr, NULL, 0), 0);
		CHECK_EQ(event(b.s.eq, &type, &e, sizeof(e)), sizeof(e));
		CHECK_EQ(type, FI_CONNREQ);
		CHECK(endpoint(&b, i, e.info));
		CHECK_EQ(fi_accept(b.ep[i], NULL, 0), 0);
		fi_freeinfo(e.info);
		CHECK_EQ(event(a.s.eq, &type, &e, sizeof(e)), sizeof(e));
		CHECK_EQ(type, FI_CONNECTED);
		CHECK_EQ(event(b.s.eq, &type, &e, sizeof(e)), sizeof(e));
		CHECK_EQ(type, FI_CONNECTED);
	}
	return true;
}

static bool insert_all(struct share *at, struct share *of)
{
	uint8_t addr[64];
	size_t len;
	int i;

	for (i = 0; i < EPS; i++) {
		len = sizeof(addr);
		CHECK_EQ(fi_getname(&of->ep[i]->fid, addr, &len), 0);
		CHECK_EQ(fi_av_insert(at->s.av, addr, 1, &at->peer[i], 0, NULL), 1);
	}
	return true;
}

static bool open_all(uint64_t caps, size_t size)
{
	int i;

	CHECK(open_side(&a, 0, caps, 0));
	CHECK(open_side(&b, apart, caps, size));
	if (msg)
		return connect_all();
	for (i = 0; i < EPS; i++) {
		CHECK(endpoint(&a, i, a.s.info));
		CHECK(endpoint(&b, i, b.s.info));
	}
	CHECK(insert_all(&a, &b));
	return insert_all(&b, &a);
}

static void close_side(struct share *e)
{
	int i;

	for (i = 0; i < EPS; i++) {
		if (e->ep[i] && fi_close(&e->ep[i]->fid))
			printf("# endpoint %d is not closed\n", i);
	}
	if (e->srx && fi_close(&e->srx->fid))
		printf("# the context is not closed\n");
	if (e->cq)
		fi_close(&e->cq->fid);
	for (i = 0; i < EPS; i++) {
		if (e->txcq[i])
			fi_close(&e->txcq[i]->fid);
		if (e->rxcq[i])
			fi_close(&e->rxcq[i]->fid);
	}
	side_close(&e->s);
	memset(e, 0, sizeof(*e));
}

static void close_all(void)
{
	if (pep)
		fi_close(&pep->fid);
	pep = NULL;
	close_side(&a);
	close_side(&b);
}

/* A's endpoint @i sends @len bytes that depend on @seed. */
static bool send(int i, void *buf, size_t len, uint32_t seed)
{
	struct fi_cq_tagged_entry c;

	pattern_fill(buf, len, seed);
	CHECK_EQ(fi_send(a.ep[i], buf, len, NULL, a.peer[i], NULL), 0);
	CHECK_EQ(completion(a.txcq[i], &c, NULL, NULL), 1);
	return true;
}

/* B's endpoint @i has got the receive @in. */
static bool got(int i, uint8_t (*in)[LEN], uint32_t seed)
{
	struct fi_cq_tagged_entry c;
	fi_addr_t src;

	CHECK_EQ(completion(b.rxcq[i], &c, &src, NULL), 1);
	CHECK(c.op_context == in);
	CHECK_EQ(c.len, LEN);
	CHECK(pattern_is(in, LEN, seed));
	if (!msg)
		CHECK_EQ(src, b.peer[i]);
	return true;
}

/* Receives are taken in the order of their posts, by the endpoint whose message comes next. */
static bool posted(void)
{
	static uint8_t in[EPS * ROUNDS][LEN];
	uint8_t out[LEN];
	int n;

	CHECK(open_all(0, EPS * ROUNDS));
	for (n = 0; n < EPS * ROUNDS; n++)
		CHECK_EQ(fi_recv(b.srx, in[n], LEN, NULL, FI_ADDR_UNSPEC, &in[n]), 0);
	CHECK_EQ(fi_recv(b.srx, in[0], LEN, NULL, FI_ADDR_UNSPEC, NULL), -FI_EAGAIN);
	for (n = 0; n < EPS * ROUNDS; n++) {
		CHECK(send(n * 7 % EPS, out, LEN, n));
		CHECK(got(n * 7 % EPS, &in[n], n));
	}
	return true;
}

/* Waiting messages: each endpoint in turn, in the order of its sender. */
static bool waiting(void)
{
	static uint8_t in[EPS * ROUNDS][LEN], out[EPS * ROUNDS][LEN];
	struct fi_cq_tagged_entry c;
	int i, n, next[EPS] = { 0 };

	CHECK(open_all(0, EPS * ROUNDS));
	for (n = 0; n < EPS * ROUNDS; n++) {
		pattern_fill(out[n], LEN, n);
		CHECK_EQ(fi_send(a.ep[n % EPS], out[n], LEN, NULL, a.peer[n % EPS], NULL), 0);
	}
	for (n = 0; n < EPS * ROUNDS; n++)
		CHECK_EQ(fi_recv(b.srx, in[n], LEN, NULL, FI_ADDR_UNSPEC, &in[n]), 0);
	for (i = 0; i < EPS; i++) {
		for (n = 0; n < ROUNDS; n++) {
			uint8_t (*at)[LEN];

			CHECK_EQ(completion(b.rxcq[i], &c, NULL, NULL), 1);
			at = c.op_context;
			CHECK(at >= in && at < in + EPS * ROUNDS);
			CHECK(pattern_is(at, LEN, next[i]++ * EPS + i));
		}
		CHECK_EQ(fi_cq_read(b.rxcq[i], &c, 1), -FI_EAGAIN);
	}
	return true;
}

/*
 * By tag, not by order; several segments; then untagged receives. Tagged receives take no untagged
 * message.
 */
static bool tagged(void)
{
	uint8_t in[EPS][LEN], out[LEN];
	struct fi_cq_tagged_entry c;
	struct iovec iov[2];
	int i;

	CHECK(open_all(0, 64));
	for (i = 0; i < EPS; i++) {
		iov[0] = (struct iovec){ in[i], 10 };
		iov[1] = (struct iovec){ in[i] + 10, LEN - 10 };
		CHECK_EQ(fi_trecvv(b.srx, iov, NULL, 2, FI_ADDR_UNSPEC, i, 0xf0, &in[i]), 0);
	}
	CHECK(send(0, out, LEN, 99));
	for (i = EPS; i--;) {
		pattern_fill(out, LEN, i);
		CHECK_EQ(fi_tsend(a.ep[i], out, LEN, NULL, a.peer[i], 0x30 | i, NULL), 0);
		CHECK_EQ(completion(a.txcq[i], &c, NULL, NULL), 1);
		CHECK_EQ(completion(b.rxcq[i], &c, NULL, NULL), 1);
		CHECK(c.op_context == &in[i]);
		CHECK_EQ(c.tag, 0x30 | i);
		CHECK(c.flags & FI_TAGGED);
		CHECK(pattern_is(in[i], LEN, i));
	}
	CHECK_EQ(fi_cq_read(b.rxcq[0], &c, 1), -FI_EAGAIN);
	CHECK_EQ(fi_recv(b.srx, in[0], LEN, NULL, FI_ADDR_UNSPEC, &in[0]), 0);
	return got(0, &in[0], 99);
}

/* A message that is too long is cut, and the connection continues; a large one is not cut. */
static bool lengths(void)
{
	static uint8_t in[1 << 20], out[1 << 20];
	struct fi_cq_err_entry err;
	struct fi_cq_tagged_entry c;

	CHECK(open_all(0, 64));
	CHECK_EQ(fi_recv(b.srx, in, 10, NULL, FI_ADDR_UNSPEC, in), 0);
	CHECK_EQ(fi_recv(b.srx, in, sizeof(in), NULL, FI_ADDR_UNSPEC, out), 0);
	CHECK(send(1, out, LEN, 1));
	CHECK_EQ(completion(b.rxcq[1], &c, NULL, &err), -FI_EAVAIL);
	CHECK_EQ(err.err, FI_ETRUNC);
	CHECK_EQ(err.olen, LEN - 10);
	CHECK(err.op_context == in);
	CHECK(send(1, out, sizeof(out), 2));
	CHECK_EQ(completion(b.rxcq[1], &c, NULL, NULL), 1);
	CHECK(c.op_context == out);
	CHECK_EQ(c.len, sizeof(in));
	return pattern_is(in, sizeof(in), 2);
}

/* One buffer for messages to all endpoints; it is released when too few bytes are left. */
static bool multi(void)
{
	uint8_t in[2][EPS * LEN], out[LEN];
	size_t least = LEN, len = sizeof(least);
	struct iovec iov = { .iov_len = sizeof(in[0]) };
	struct fi_msg m = { .msg_iov = &iov, .iov_count = 1, .addr = FI_ADDR_UNSPEC };
	struct fi_cq_tagged_entry c;
	int i, n;

	CHECK(open_all(0, 64));
	CHECK_EQ(fi_getopt(&b.srx->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &least, &len), 0);
	CHECK_EQ(least, 64);
	least = 32;
	CHECK_EQ(fi_setopt(&b.srx->fid, FI_OPT_ENDPOINT, FI_OPT_CM_DATA_SIZE, &least, len),
		 -FI_ENOPROTOOPT);
	CHECK_EQ(fi_setopt(&b.srx->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &least, len), 0);
	iov.iov_base = in[0];
	iov.iov_len = 31;
	CHECK_EQ(fi_recvmsg(b.srx, &m, FI_MULTI_RECV), -FI_EINVAL);
	iov.iov_len = sizeof(in[0]);
	for (n = 0; n < 2; n++) {
		iov.iov_base = in[n];
		m.context = in[n];
		CHECK_EQ(fi_recvmsg(b.srx, &m, FI_MULTI_RECV), 0);
	}
	for (n = 0; n < 2 * EPS; n++) {
		uint8_t *at = in[n / EPS] + n % EPS * LEN;

		i = n * 3 % EPS;
		CHECK(send(i, out, LEN, n));
		CHECK_EQ(completion(b.rxcq[i], &c, NULL, NULL), 1);
		CHECK(c.op_context == in[n / EPS]);
		CHECK(c.buf == at);
		CHECK_EQ(c.len, LEN);
		CHECK_EQ(!!(c.flags & FI_MULTI_RECV), n % EPS == EPS - 1);
		CHECK(pattern_is(at, LEN, n));
	}
	return true;
}

/* Where canceled receives complete; other receives are taken. */
static bool cancel(void)
{
	struct fi_cq_attr attr = { .format = FI_CQ_FORMAT_TAGGED };
	struct fi_cq_err_entry err;
	struct fi_cq_tagged_entry c;
	uint8_t in[3][LEN], out[LEN];
	int i;

	CHECK(open_side(&b, apart, 0, 64));
	CHECK_EQ(fi_recv(b.srx, in[0], LEN, NULL, FI_ADDR_UNSPEC, &in[0]), 0);
	CHECK_EQ(fi_cancel(&b.srx->fid, &in[0]), -FI_EOPBADSTATE);
	close_side(&b);
	CHECK(open_all(0, 64));
	for (i = 0; i < 3; i++)
		CHECK_EQ(fi_recv(b.srx, in[i], LEN, NULL, FI_ADDR_UNSPEC, &in[i]), 0);
	CHECK_EQ(fi_cancel(&b.srx->fid, &in[0]), 0);
	CHECK_EQ(completion(b.rxcq[0], &c, NULL, &err), -FI_EAVAIL);
	CHECK_EQ(err.err, FI_ECANCELED);
	CHECK(err.op_context == &in[0]);
	CHECK_EQ(fi_cq_open(b.s.domain, &attr, &b.cq, NULL), 0);
	CHECK_EQ(fi_ep_bind(b.srx, &b.cq->fid, FI_TRANSMIT), -FI_EINVAL);
	CHECK_EQ(fi_ep_bind(b.srx, &b.cq->fid, FI_RECV), 0);
	CHECK_EQ(fi_cancel(&b.srx->fid, &in[1]), 0);
	CHECK_EQ(completion(b.cq, &c, NULL, &err), -FI_EAVAIL);
	CHECK(err.op_context == &in[1]);
	CHECK_EQ(fi_cancel(&b.srx->fid, &in[1]), 0);
	CHECK_EQ(fi_cq_read(b.cq, &c, 1), -FI_EAGAIN);
	CHECK_EQ(fi_close(&b.cq->fid), -FI_EBUSY);
	CHECK(send(2, out, LEN, 3));
	return got(2, &in[2], 3);
}

/* A receive takes messages of its sender only. */
static bool directed(void)
{
	uint8_t in[2][LEN], out[LEN];

	if (msg)
		return true;
	CHECK(open_all(FI_DIRECTED_RECV, 64));
	CHECK_EQ(fi_recv(b.srx, in[0], LEN, NULL, EPS, &in[0]), -FI_EINVAL);
	CHECK_EQ(fi_recv(b.srx, in[0], LEN, NULL, b.peer[3], &in[0]), 0);
	CHECK_EQ(fi_recv(b.srx, in[1], LEN, NULL, FI_ADDR_UNSPEC, &in[1]), 0);
	CHECK(send(1, out, LEN, 1));
	CHECK(got(1, &in[1], 1));
	CHECK(send(3, out, LEN, 3));
	return got(3, &in[0], 3);
}

/* An endpoint that is closed takes no receive with it. */
static bool leaving(void)
{
	uint8_t in[2][LEN], out[LEN];

	CHECK(open_all(0, 64));
	CHECK_EQ(fi_recv(b.srx, in[0], LEN, NULL, FI_ADDR_UNSPEC, &in[0]), 0);
	CHECK_EQ(fi_close(&b.ep[0]->fid), 0);
	b.ep[0] = NULL;
	CHECK_EQ(fi_close(&b.srx->fid), -FI_EBUSY);
	CHECK(send(1, out, LEN, 1));
	return got(1, &in[0], 1);
}

/* Calls that the manual pages, or the provider, refuse. */
static bool refused(void)
{
	struct fi_msg_tagged t = { .addr = FI_ADDR_UNSPEC };
	struct fi_msg m = { .addr = FI_ADDR_UNSPEC };
	struct fi_av_attr av = { .type = FI_AV_TABLE };
	struct fi_rx_attr rx = { .size = 1 << 30 };
	struct fid_av *other;
	struct fid_ep *no;
	uint8_t in[LEN];
	size_t len = LEN;

	CHECK(open_all(0, 64));
	CHECK_EQ(fi_recv(b.ep[0], in, LEN, NULL, FI_ADDR_UNSPEC, in), -FI_EOPNOTSUPP);
	CHECK_EQ(fi_recvmsg(b.srx, &m, FI_MULTI_RECV), -FI_EINVAL);
	CHECK_EQ(fi_trecvmsg(b.srx, &t, FI_MULTI_RECV), -FI_EBADFLAGS);
	CHECK_EQ(fi_trecvmsg(b.srx, &t, FI_PEEK), -FI_EOPNOTSUPP);
	CHECK_EQ(fi_send(b.srx, in, LEN, NULL, 0, NULL), -FI_ENOSYS);
	CHECK_EQ(fi_getname(&b.srx->fid, in, &len), -FI_ENOSYS);
	CHECK_EQ(fi_srx_context(b.s.domain, &rx, &no, NULL), -FI_EINVAL);
	CHECK_EQ(fi_close(&b.srx->fid), -FI_EBUSY);
	if (msg)
		return true;
	/* connectionless endpoints of a context have one vector */
	CHECK_EQ(fi_close(&b.ep[0]->fid), 0);
	b.ep[0] = NULL;
	CHECK_EQ(fi_av_open(b.s.domain, &av, &other, NULL), 0);
	CHECK_EQ(fi_endpoint(b.s.domain, b.s.info, &b.ep[0], NULL), 0);
	CHECK_EQ(fi_ep_bind(b.ep[0], &b.txcq[0]->fid, FI_TRANSMIT), 0);
	CHECK_EQ(fi_ep_bind(b.ep[0], &b.rxcq[0]->fid, FI_RECV), 0);
	CHECK_EQ(fi_ep_bind(b.ep[0], &other->fid, 0), 0);
	CHECK_EQ(fi_ep_bind(b.ep[0], &b.srx->fid, 0), 0);
	CHECK_EQ(fi_enable(b.ep[0]), -FI_EINVAL);
	CHECK_EQ(fi_close(&b.ep[0]->fid), 0);
	b.ep[0] = NULL;
	CHECK_EQ(fi_close(&other->fid), 0);
	return true;
}

static const struct check cases[] = {
	{ "posted before", posted },
	{ "messages that wait", waiting },
	{ "tagged", tagged },
	{ "lengths", lengths },
	{ "multi-receive", multi },
	{ "cancel", cancel },
	{ "directed", directed },
	{ "an endpoint leaves", leaving },
	{ "refused", refused },
};

int main(void)
{
	for (msg = false;; msg = true) {
		printf("# endpoints of type %s\n", msg ? "MSG" : "RDM");
		checks_run_everywhere(cases, sizeof(cases) / sizeof(cases[0]), &apart, close_all);
		if (msg)
			return results_end();
	}
}
