// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Other objects beside plain endpoints, through stock libfabric: aliases with flags of their own,
 * shared transmit contexts, and the address of a passive endpoint given to an active one.
 */
#include <string.h>
#include <netinet/in.h>
#include "fipair.h"

static struct pair p;

/* An alias has other flags, and holds the endpoint. */
static bool alias(void)
{
	struct opts o = { .type = FI_EP_RDM, .selective = true };
	struct fi_cq_tagged_entry c;
	struct fid_ep *loud = NULL, *quiet_one = NULL;
	/* messages may come when this is over: no test waits for them */
	static char in[64];
	char buf[64];
	uint64_t flags;
	int i;

	CHECK(pair_open(&p, &o));
	CHECK_EQ(fi_ep_alias(p.a.ep, &loud, FI_TRANSMIT | FI_RECV), -FI_EINVAL);
	CHECK_EQ(fi_ep_alias(p.a.ep, &loud, FI_TRANSMIT | FI_MULTICAST), -FI_EBADFLAGS);
	CHECK_EQ(fi_ep_alias(p.a.ep, &loud, FI_TRANSMIT | FI_COMPLETION), 0);
	CHECK_EQ(fi_ep_alias(loud, &quiet_one, 0), 0);
	flags = FI_TRANSMIT;
	CHECK_EQ(fi_control(&quiet_one->fid, FI_GETOPSFLAG, &flags), 0);
	CHECK(flags & FI_COMPLETION);
	flags = FI_TRANSMIT;
	CHECK_EQ(fi_control(&quiet_one->fid, FI_SETOPSFLAG, &flags), 0);

	for (i = 0; i < 3; i++)
		CHECK_EQ(fi_recv(p.b.ep, in, sizeof(in), NULL, 0, NULL), 0);
	CHECK_EQ(fi_send(p.a.ep, buf, 64, NULL, p.a.peer, NULL), 0);
	CHECK_EQ(fi_send(quiet_one, buf, 64, NULL, p.a.peer, NULL), 0);
	CHECK_EQ(fi_send(loud, buf, 64, NULL, p.a.peer, buf), 0);
	CHECK_EQ(completion(p.a.txcq, &c, NULL, NULL), 1);
	CHECK(c.op_context == buf);
	CHECK(quiet(p.a.txcq));

	CHECK_EQ(fi_ep_bind(loud, &p.a.eq->fid, 0), -FI_EINVAL);
	CHECK_EQ(fi_close(&p.a.ep->fid), -FI_EBUSY);
	CHECK_EQ(fi_close(&quiet_one->fid), 0);
	CHECK_EQ(fi_close(&loud->fid), 0);
	CHECK_EQ(fi_close(&p.a.ep->fid), 0);
	p.a.ep = NULL;
	return true;
}

/* Two endpoints with one shared transmit context: each has its own completions. */
static bool shared_tx(void)
{
	struct opts o = { .type = FI_EP_RDM };
	struct fi_tx_attr attr = {}, much = { .inject_size = 1 << 20 };
	struct fi_cq_attr cq = { .format = FI_CQ_FORMAT_TAGGED };
	struct fi_av_attr av = { .type = FI_AV_TABLE };
	struct fi_cq_tagged_entry c;
	struct fid_stx *stx;
	struct side *s;
	uint8_t addr[64];
	size_t len = sizeof(addr);
	char buf[64], in[64];
	int i;

	memset(&p, 0, sizeof(p));
	CHECK(side_open(&p.a, 0, &o));
	CHECK_EQ(fi_stx_context(p.a.domain, &much, &stx, NULL), -FI_EINVAL);
	CHECK_EQ(fi_stx_context(p.a.domain, &attr, &stx, NULL), 0);
	for (i = 0; i < 2; i++) {
		s = i ? &p.b : &p.a;
		s->domain = p.a.domain;
		CHECK_EQ(fi_cq_open(s->domain, &cq, &s->txcq, NULL), 0);
		CHECK_EQ(fi_cq_open(s->domain, &cq, &s->rxcq, NULL), 0);
		CHECK_EQ(fi_av_open(s->domain, &av, &s->av, NULL), 0);
		p.a.info->ep_attr->tx_ctx_cnt = FI_SHARED_CONTEXT;
		CHECK_EQ(fi_endpoint(s->domain, p.a.info, &s->ep, NULL), 0);
		CHECK_EQ(fi_ep_bind(s->ep, &s->txcq->fid, FI_TRANSMIT), 0);
		CHECK_EQ(fi_ep_bind(s->ep, &s->rxcq->fid, FI_RECV), 0);
		CHECK_EQ(fi_ep_bind(s->ep, &s->av->fid, 0), 0);
		CHECK_EQ(fi_enable(s->ep), -FI_EOPBADSTATE);
		CHECK_EQ(fi_ep_bind(s->ep, &stx->fid, 0), 0);
		CHECK_EQ(fi_ep_bind(s->ep, &stx->fid, 0), -FI_EINVAL);
		CHECK_EQ(fi_enable(s->ep), 0);
	}
	CHECK_EQ(fi_getname(&p.b.ep->fid, addr, &len), 0);
	CHECK_EQ(fi_av_insert(p.a.av, addr, 1, &p.a.peer, 0, NULL), 1);
	CHECK_EQ(fi_av_insert(p.b.av, addr, 1, &p.b.peer, 0, NULL), 1);
	for (i = 0; i < 2; i++) {
		CHECK_EQ(fi_recv(p.b.ep, in, 64, NULL, FI_ADDR_UNSPEC, NULL), 0);
		s = i ? &p.b : &p.a;
		CHECK_EQ(fi_send(s->ep, buf, 64, NULL, s->peer, s), 0);
		CHECK_EQ(completion(s->txcq, &c, NULL, NULL), 1);
		CHECK(c.op_context == s);
		CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
	}
	CHECK_EQ(fi_close(&stx->fid), -FI_EBUSY);
	p.b.domain = NULL;
	side_close(&p.b);
	CHECK_EQ(fi_close(&p.a.ep->fid), 0);
	p.a.ep = NULL;
	CHECK_EQ(fi_close(&stx->fid), 0);
	return true;
}

/* An active endpoint takes the address of a passive one, and other endpoints know it by that. */
static bool handle(void)
{
	struct opts o = { .type = FI_EP_MSG };
	struct sockaddr_in want, got;
	size_t len = sizeof(want);
	struct fid_pep *pep;
	struct fid odd = { .fclass = FI_CLASS_PEP };
	struct fid_ep *ep;
	uint8_t addr[64];
	size_t n = sizeof(addr);
	struct fi_eq_cm_entry e;
	uint32_t type;

	memset(&p, 0, sizeof(p));
	p.o = o;
	CHECK(side_open(&p.a, 0, &o));
	CHECK(side_open(&p.b, 0, &o));
	CHECK(pair_listen(&p, addr, &n));

	CHECK_EQ(fi_passive_ep(p.a.fabric, p.a.info, &pep, NULL), 0);
	CHECK_EQ(fi_getname(&pep->fid, &want, &len), 0);
	want.sin_port = htons(12345);
	CHECK_EQ(fi_setname(&pep->fid, &want, sizeof(want)), 0);
	p.a.info->handle = &odd;
	CHECK_EQ(fi_endpoint(p.a.domain, p.a.info, &ep, NULL), -FI_EINVAL);
	p.a.info->handle = &pep->fid;
	CHECK(side_endpoint(&p.a, p.a.info, &o));
	p.a.info->handle = NULL;
	CHECK_EQ(fi_close(&pep->fid), 0);
	len = sizeof(got);
	CHECK_EQ(fi_getname(&p.a.ep->fid, &got, &len), 0);
	CHECK_EQ(got.sin_port, want.sin_port);
	CHECK_EQ(got.sin_addr.s_addr, want.sin_addr.s_addr);

	CHECK_EQ(fi_connect(p.a.ep, addr, NULL, 0), 0);
	CHECK_EQ(event(p.b.eq, &type, &e, sizeof(e)), sizeof(e));
	CHECK_EQ(type, FI_CONNREQ);
	CHECK_EQ(((struct sockaddr_in *)e.info->dest_addr)->sin_port, want.sin_port);
	CHECK(side_endpoint(&p.b, e.info, &o));
	CHECK_EQ(fi_accept(p.b.ep, NULL, 0), 0);
	fi_freeinfo(e.info);
	CHECK_EQ(event(p.a.eq, &type, &e, sizeof(e)), sizeof(e));
	CHECK_EQ(type, FI_CONNECTED);
	/* the accepting endpoint has the address that the request went to */
	len = sizeof(got);
	CHECK_EQ(fi_getname(&p.b.ep->fid, &got, &len), 0);
	CHECK(!memcmp(&got, addr, len));
	return true;
}

/* Operations that FI_MORE delays are posted, though the program calls the endpoint no more. */
static bool held_back(void)
{
	struct opts o = { .type = FI_EP_RDM };
	struct fi_cq_tagged_entry c;
	char buf[64], in[3][64];
	struct iovec iov = { .iov_base = buf, .iov_len = sizeof(buf) };
	struct fi_msg msg = { .msg_iov = &iov, .iov_count = 1 };
	int round, i;

	CHECK(pair_open(&p, &o));
	msg.addr = p.a.peer;
	for (round = 0; round < 3; round++) {
		for (i = 0; i < 3; i++)
			CHECK_EQ(fi_recv(p.b.ep, in[i], 64, NULL, FI_ADDR_UNSPEC, NULL), 0);
		for (i = 0; i < 3; i++)
			CHECK_EQ(fi_sendmsg(p.a.ep, &msg, FI_MORE), 0);
		for (i = 0; i < 3; i++)
			CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
		/* delayed receives take waiting messages */
		for (i = 0; i < 3; i++)
			CHECK_EQ(fi_send(p.b.ep, buf, 64, NULL, p.b.peer, NULL), 0);
		iov.iov_base = in[0];
		for (i = 0; i < 3; i++)
			CHECK_EQ(fi_recvmsg(p.a.ep, &msg, FI_MORE), 0);
		iov.iov_base = buf;
		for (i = 0; i < 3; i++)
			CHECK_EQ(completion(p.a.rxcq, &c, NULL, NULL), 1);
	}
	return true;
}

/* Sends in a row are delivered, though their endpoint is closed at once. */
static bool closed(void)
{
	struct opts o = { .type = FI_EP_RDM };
	struct fi_cq_tagged_entry c;
	char buf[64] = { 0 }, in[8][64];
	int i;

	CHECK(pair_open(&p, &o));
	for (i = 0; i < 8; i++)
		CHECK_EQ(fi_recv(p.b.ep, in[i], 64, NULL, FI_ADDR_UNSPEC, (void *)(intptr_t)i), 0);
	/* the flow exists */
	CHECK_EQ(fi_inject(p.a.ep, buf, 64, p.a.peer), 0);
	CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
	for (i = 1; i < 8; i++) {
		memset(buf, i, 64);
		CHECK_EQ(fi_inject(p.a.ep, buf, 64, p.a.peer), 0);
	}
	CHECK_EQ(fi_close(&p.a.ep->fid), 0);
	p.a.ep = NULL;
	for (i = 1; i < 8; i++) {
		CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
		CHECK(c.op_context == (void *)(intptr_t)i);
		CHECK(all_bytes((uint8_t *)in[i], 64, i));
	}
	return true;
}

static const struct check cases[] = {
	{ "alias", alias },
	{ "shared_tx", shared_tx },
	{ "handle", handle },
	{ "held_back", held_back },
	{ "closed", closed },
};

static void close_all(void)
{
	pair_close(&p);
}

int main(void)
{
	checks_run(cases, sizeof(cases) / sizeof(cases[0]), "", close_all);
	return results_end();
}
