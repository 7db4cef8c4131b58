// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Scalable endpoints through stock libfabric: contexts that addresses name, their sources, their
 * states; addresses without bits for contexts.
 */
#include <string.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include "fipair.h"

#define CTX	3
#define BITS	2

/**
 * struct scalable - a scalable endpoint with its contexts
 * @s: fabric, domain, address vector
 * @tx: transmit contexts
 * @rx: receive contexts
 * @txcq: their queues
 * @rxcq: their queues
 */
struct scalable {
	struct side s;
	struct fid_ep *tx[CTX];
	struct fid_ep *rx[CTX];
	struct fid_cq *txcq[CTX];
	struct fid_cq *rxcq[CTX];
};

static struct scalable end[2];
static bool apart;

static bool scalable_open(struct scalable *e, int node, unsigned int bits)
{
	struct opts o = { .type = FI_EP_RDM, .caps = FI_NAMED_RX_CTX };
	struct fi_av_attr av = { .type = FI_AV_MAP, .rx_ctx_bits = bits };
	struct fi_cq_attr cq = { .format = FI_CQ_FORMAT_TAGGED };
	struct side *s = &e->s;
	struct fid_ep *no;
	int i;

	CHECK(side_open(s, node, &o));
	CHECK(s->info->domain_attr->max_ep_tx_ctx >= CTX);
	s->info->ep_attr->tx_ctx_cnt = CTX;
	s->info->ep_attr->rx_ctx_cnt = CTX;
	CHECK_EQ(fi_endpoint(s->domain, s->info, &no, NULL), -FI_EINVAL);
	CHECK_EQ(fi_scalable_ep(s->domain, s->info, &s->ep, NULL), 0);
	CHECK_EQ(fi_enable(s->ep), -FI_ENOAV);
	CHECK_EQ(fi_av_open(s->domain, &av, &s->av, NULL), 0);
	CHECK_EQ(fi_scalable_ep_bind(s->ep, &s->av->fid, 0), 0);
	CHECK_EQ(fi_tx_context(s->ep, CTX, NULL, &no, NULL), -FI_EINVAL);
	CHECK_EQ(fi_rx_context(s->ep, -1, NULL, &no, NULL), -FI_EINVAL);
	for (i = 0; i < CTX; i++) {
		CHECK_EQ(fi_cq_open(s->domain, &cq, &e->txcq[i], NULL), 0);
		CHECK_EQ(fi_cq_open(s->domain, &cq, &e->rxcq[i], NULL), 0);
		CHECK_EQ(fi_tx_context(s->ep, i, NULL, &e->tx[i], NULL), 0);
		CHECK_EQ(fi_tx_context(s->ep, i, NULL, &no, NULL), -FI_EBUSY);
		CHECK_EQ(fi_rx_context(s->ep, i, NULL, &e->rx[i], NULL), 0);
		CHECK_EQ(fi_enable(e->tx[i]), -FI_ENOCQ);
		CHECK_EQ(fi_ep_bind(e->tx[i], &e->txcq[i]->fid, FI_RECV), -FI_EINVAL);
		CHECK_EQ(fi_ep_bind(e->tx[i], &e->txcq[i]->fid, FI_TRANSMIT), 0);
		CHECK_EQ(fi_ep_bind(e->rx[i], &e->rxcq[i]->fid, FI_RECV), 0);
	}
	/* in any order, the endpoint itself among them */
	CHECK_EQ(fi_enable(e->rx[2]), 0);
	CHECK_EQ(fi_enable(s->ep), 0);
	for (i = 0; i < CTX; i++) {
		CHECK_EQ(fi_enable(e->tx[i]), 0);
		if (i != 2)
			CHECK_EQ(fi_enable(e->rx[i]), 0);
	}
	return true;
}

static void scalable_close(struct scalable *e)
{
	int i;

	for (i = 0; i < CTX; i++) {
		if (e->tx[i])
			fi_close(&e->tx[i]->fid);
		if (e->rx[i])
			fi_close(&e->rx[i]->fid);
	}
	if (e->s.ep && fi_close(&e->s.ep->fid))
		printf("# the scalable endpoint is not closed\n");
	e->s.ep = NULL;
	for (i = 0; i < CTX; i++) {
		if (e->txcq[i])
			fi_close(&e->txcq[i]->fid);
		if (e->rxcq[i])
			fi_close(&e->rxcq[i]->fid);
	}
	side_close(&e->s);
	memset(e, 0, sizeof(*e));
}

static bool insert(struct scalable *at, struct scalable *of)
{
	uint8_t addr[64];
	size_t len = sizeof(addr);

	CHECK_EQ(fi_getname(&of->s.ep->fid, addr, &len), 0);
	CHECK_EQ(fi_av_insert(at->s.av, addr, 1, &at->s.peer, 0, NULL), 1);
	return true;
}

static bool pair(unsigned int bits)
{
	CHECK(scalable_open(&end[0], 0, bits));
	CHECK(scalable_open(&end[1], apart, bits));
	CHECK(insert(&end[0], &end[1]));
	CHECK(insert(&end[1], &end[0]));
	return true;
}

/* From each context to each: the right one gets the message, and sees the sender's only address. */
static bool named(void)
{
	struct fi_msg_tagged msg = { .tag = 7 };
	struct fi_cq_err_entry err;
	struct fi_cq_tagged_entry c;
	char in[64], out[64];
	fi_addr_t src;
	int i, j, k;

	CHECK(pair(BITS));
	for (i = 0; i < CTX; i++) {
		for (j = 0; j < CTX; j++) {
			pattern_fill(out, 64, i * CTX + j);
			CHECK_EQ(fi_trecv(end[1].rx[j], in, 64, NULL, FI_ADDR_UNSPEC, 7, 0, in), 0);
			CHECK_EQ(fi_tsend(end[0].tx[i], out, 64, NULL,
					  fi_rx_addr(end[0].s.peer, j, BITS), 7, out), 0);
			CHECK_EQ(completion(end[1].rxcq[j], &c, &src, NULL), 1);
			CHECK(c.op_context == in);
			CHECK(pattern_is(in, 64, i * CTX + j));
			CHECK_EQ(src, end[1].s.peer);
			CHECK_EQ(completion(end[0].txcq[i], &c, NULL, NULL), 1);
			for (k = 0; k < CTX; k++)
				CHECK_EQ(fi_cq_read(end[1].rxcq[k], &c, 1), -FI_EAGAIN);
		}
	}
	/* a context of the vector's that the endpoint does not have */
	msg.addr = fi_rx_addr(end[0].s.peer, CTX, BITS);
	CHECK_EQ(fi_tsendmsg(end[0].tx[0], &msg, FI_DELIVERY_COMPLETE), 0);
	CHECK_EQ(completion(end[0].txcq[0], &c, NULL, &err), -FI_EAVAIL);
	CHECK_EQ(err.err, FI_ECONNREFUSED);
	/* receive contexts cannot send, transmit contexts cannot receive */
	CHECK_EQ(fi_recv(end[0].tx[0], in, 64, NULL, FI_ADDR_UNSPEC, NULL), -FI_ENOSYS);
	CHECK_EQ(fi_send(end[0].rx[0], in, 64, NULL, end[0].s.peer, NULL), -FI_ENOSYS);
	return true;
}

/* Addresses without bits for contexts are those of the first context. */
static bool unnamed(void)
{
	struct fi_cq_tagged_entry c;
	char in[64], out[64];

	CHECK(pair(0));
	CHECK_EQ(fi_recv(end[1].rx[0], in, 64, NULL, FI_ADDR_UNSPEC, NULL), 0);
	CHECK_EQ(fi_send(end[0].tx[1], out, 64, NULL, end[0].s.peer, NULL), 0);
	CHECK_EQ(completion(end[1].rxcq[0], &c, NULL, NULL), 1);
	return true;
}

/* Contexts hold the endpoint; a closed context can be opened again. */
static bool closing(void)
{
	struct fi_cq_tagged_entry c;
	char in[64], out[64];

	CHECK(pair(BITS));
	CHECK_EQ(fi_close(&end[1].s.ep->fid), -FI_EBUSY);
	CHECK_EQ(fi_close(&end[0].tx[1]->fid), 0);
	CHECK_EQ(fi_tx_context(end[0].s.ep, 1, NULL, &end[0].tx[1], NULL), 0);
	CHECK_EQ(fi_send(end[0].tx[1], out, 64, NULL, end[0].s.peer, NULL), -FI_EOPNOTSUPP);
	CHECK_EQ(fi_enable(end[0].tx[1]), 0);
	CHECK_EQ(fi_recv(end[1].rx[0], in, 64, NULL, FI_ADDR_UNSPEC, NULL), 0);
	CHECK_EQ(fi_send(end[0].tx[1], out, 64, NULL, end[0].s.peer, NULL), 0);
	CHECK_EQ(completion(end[1].rxcq[0], &c, NULL, NULL), 1);
	return true;
}

/* The consecutive services that were asked for; an error if one is in use. */
static bool services(void)
{
	struct opts o = { .type = FI_EP_RDM };
	struct fi_av_attr av = {};
	struct sockaddr_in name;
	size_t len = sizeof(name);
	struct fid_ep *sep[2];
	struct side *s = &end[0].s;
	int i;

	CHECK(side_open(s, 0, &o));
	CHECK_EQ(fi_av_open(s->domain, &av, &s->av, NULL), 0);
	s->info->ep_attr->tx_ctx_cnt = CTX;
	((struct sockaddr_in *)s->info->src_addr)->sin_port = htons(20000);
	for (i = 0; i < 2; i++) {
		CHECK_EQ(fi_scalable_ep(s->domain, s->info, &sep[i], NULL), 0);
		CHECK_EQ(fi_scalable_ep_bind(sep[i], &s->av->fid, 0), 0);
		CHECK_EQ(fi_enable(sep[i]), i ? -FI_EADDRINUSE : 0);
	}
	CHECK_EQ(fi_getname(&sep[0]->fid, &name, &len), 0);
	CHECK_EQ(ntohs(name.sin_port), 20000);
	CHECK_EQ(fi_close(&sep[0]->fid), 0);
	CHECK_EQ(fi_close(&sep[1]->fid), 0);
	return true;
}

static const struct check cases[] = {
	{ "named", named },
	{ "unnamed", unnamed },
	{ "closing", closing },
	{ "services", services },
};

static void close_all(void)
{
	scalable_close(&end[0]);
	scalable_close(&end[1]);
}

int main(void)
{
	checks_run_everywhere(cases, sizeof(cases) / sizeof(cases[0]), &apart, close_all);
	return results_end();
}
