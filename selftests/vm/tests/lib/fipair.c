// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>
#include <string.h>
#include "fipair.h"

#define VERSION FI_VERSION(1, 17)

static struct fi_info *hints_new(const struct opts *o)
{
	struct fi_info *h = fi_allocinfo();

	if (!h)
		return NULL;
	h->ep_attr->type = o->type;
	h->caps = o->caps;
	if (!o->bare)
		h->caps |= FI_MSG | (o->type == FI_EP_DGRAM ? 0 : FI_TAGGED);
	h->mode = o->mode;
	h->ep_attr->msg_prefix_size = o->prefix;
	h->addr_format = o->v6 ? FI_SOCKADDR_IN6 : FI_SOCKADDR_IN;
	h->fabric_attr->prov_name = strdup("weft");
	h->tx_attr->size = o->tx_size;
	h->tx_attr->op_flags = o->tx_flags;
	h->rx_attr->size = o->rx_size;
	h->tx_attr->msg_order = o->order;
	h->rx_attr->msg_order = o->order;
	h->ep_attr->mem_tag_format = o->tag_format;
	h->domain_attr->mr_mode = o->mr_mode;
	if (o->key && *o->key && o->key_domain) {
		h->domain_attr->auth_key_size = strlen(o->key);
		h->domain_attr->auth_key = (uint8_t *)strdup(o->key);
	} else if (o->key && *o->key) {
		h->ep_attr->auth_key_size = strlen(o->key);
		h->ep_attr->auth_key = (uint8_t *)strdup(o->key);
	}
	return h;
}

bool side_open_here(struct side *s, const struct opts *o)
{
	struct fi_info *hints = hints_new(o);
	struct fi_eq_attr eq = { .wait_obj = FI_WAIT_UNSPEC };
	int ret;

	memset(s, 0, sizeof(*s));
	CHECK(hints);
	ret = fi_getinfo(VERSION, NULL, NULL, 0, hints, &s->info);
	fi_freeinfo(hints);
	CHECK_EQ(ret, 0);
	CHECK_EQ(fi_fabric(s->info->fabric_attr, &s->fabric, NULL), 0);
	CHECK_EQ(fi_domain(s->fabric, s->info, &s->domain, NULL), 0);
	CHECK_EQ(fi_eq_open(s->fabric, &eq, &s->eq, NULL), 0);
	return true;
}

bool side_open(struct side *s, int node, const struct opts *o)
{
	node_enter(node);
	return side_open_here(s, o);
}

static bool side_options(struct side *s, const struct opts *o)
{
	if (!o->limit)
		return true;
	CHECK_EQ(fi_setopt(&s->ep->fid, FI_OPT_ENDPOINT, FI_OPT_BUFFERED_LIMIT, &o->limit,
			   sizeof(o->limit)),
		 0);
	CHECK_EQ(fi_setopt(&s->ep->fid, FI_OPT_ENDPOINT, FI_OPT_BUFFERED_MIN, &o->min,
			   sizeof(o->min)),
		 0);
	return true;
}

bool side_endpoint(struct side *s, struct fi_info *info, const struct opts *o)
{
	struct fi_cq_attr cq = {
		.format = FI_CQ_FORMAT_TAGGED,
		.wait_obj = FI_WAIT_UNSPEC,
		.size = o->cq_size,
	};
	struct fi_cntr_attr cntr = { .events = FI_CNTR_EVENTS_COMP, .wait_obj = FI_WAIT_FD };
	struct fi_av_attr av = { .type = FI_AV_TABLE };
	uint64_t sel = o->selective ? FI_SELECTIVE_COMPLETION : 0;

	CHECK_EQ(fi_cq_open(s->domain, &cq, &s->txcq, NULL), 0);
	if (o->format)
		cq.format = o->format < 0 ? FI_CQ_FORMAT_UNSPEC : (enum fi_cq_format)o->format;
	CHECK_EQ(fi_cq_open(s->domain, &cq, &s->rxcq, NULL), 0);
	CHECK_EQ(fi_endpoint(s->domain, info, &s->ep, s), 0);
	if (!o->no_cq) {
		CHECK_EQ(fi_ep_bind(s->ep, o->one_cq ? &s->rxcq->fid : &s->txcq->fid,
				    FI_TRANSMIT | sel), 0);
		CHECK_EQ(fi_ep_bind(s->ep, &s->rxcq->fid, FI_RECV | sel), 0);
	}
	if (o->counters) {
		CHECK_EQ(fi_cntr_open(s->domain, &cntr, &s->txcntr, s), 0);
		CHECK_EQ(fi_cntr_open(s->domain, &cntr, &s->rxcntr, s), 0);
		CHECK_EQ(fi_ep_bind(s->ep, &s->txcntr->fid, o->tx_count ?: FI_SEND), 0);
		CHECK_EQ(fi_ep_bind(s->ep, &s->rxcntr->fid, o->rx_count ?: FI_RECV), 0);
	}
	if (o->type != FI_EP_MSG) {
		CHECK_EQ(fi_av_open(s->domain, &av, &s->av, NULL), 0);
		CHECK_EQ(fi_ep_bind(s->ep, &s->av->fid, 0), 0);
	}
	if (o->type == FI_EP_MSG || o->caps & FI_MULTICAST)
		CHECK_EQ(fi_ep_bind(s->ep, &s->eq->fid, 0), 0);
	CHECK(side_options(s, o));
	CHECK_EQ(fi_enable(s->ep), 0);
	return true;
}

void side_close(struct side *s)
{
	struct fid *fids[] = {
		s->ep ? &s->ep->fid : NULL,	    s->av ? &s->av->fid : NULL,
		s->txcq ? &s->txcq->fid : NULL,	    s->rxcq ? &s->rxcq->fid : NULL,
		s->txcntr ? &s->txcntr->fid : NULL, s->rxcntr ? &s->rxcntr->fid : NULL,
		s->domain ? &s->domain->fid : NULL, s->eq ? &s->eq->fid : NULL,
		s->fabric ? &s->fabric->fid : NULL,
	};
	size_t i;

	for (i = 0; i < sizeof(fids) / sizeof(fids[0]); i++) {
		if (fids[i] && fi_close(fids[i]))
			printf("# closing object %zu failed\n", i);
	}
	if (s->info)
		fi_freeinfo(s->info);
	memset(s, 0, sizeof(*s));
}

ssize_t event(struct fid_eq *eq, uint32_t *type, void *buf, size_t len)
{
	uint64_t until = now_ms() + WAIT_MS;
	ssize_t ret;

	do {
		ret = fi_eq_read(eq, type, buf, len, 0);
	} while (ret == -FI_EAGAIN && now_ms() < until);
	return ret;
}

bool pair_listen(struct pair *p, void *addr, size_t *len)
{
	CHECK_EQ(fi_passive_ep(p->b.fabric, p->b.info, &p->pep, p), 0);
	CHECK_EQ(fi_pep_bind(p->pep, &p->b.eq->fid, 0), 0);
	CHECK_EQ(fi_listen(p->pep), 0);
	CHECK_EQ(fi_getname(&p->pep->fid, addr, len), 0);
	return true;
}

static bool pair_connect(struct pair *p)
{
	struct fi_eq_cm_entry e;
	uint8_t addr[64];
	size_t len = sizeof(addr);
	uint32_t type;

	CHECK(pair_listen(p, addr, &len));
	CHECK(side_endpoint(&p->a, p->a.info, &p->o));
	CHECK_EQ(fi_connect(p->a.ep, addr, NULL, 0), 0);
	CHECK_EQ(event(p->b.eq, &type, &e, sizeof(e)), sizeof(e));
	CHECK_EQ(type, FI_CONNREQ);
	CHECK(e.fid == &p->pep->fid);
	CHECK(side_endpoint(&p->b, e.info, &p->o));
	CHECK_EQ(fi_accept(p->b.ep, NULL, 0), 0);
	fi_freeinfo(e.info);
	CHECK_EQ(event(p->a.eq, &type, &e, sizeof(e)), sizeof(e));
	CHECK_EQ(type, FI_CONNECTED);
	CHECK(e.fid == &p->a.ep->fid);
	CHECK_EQ(event(p->b.eq, &type, &e, sizeof(e)), sizeof(e));
	CHECK_EQ(type, FI_CONNECTED);
	CHECK(e.fid == &p->b.ep->fid);
	return true;
}

static bool pair_insert(struct side *from, struct side *to)
{
	uint8_t addr[64];
	size_t len = sizeof(addr);

	CHECK_EQ(fi_getname(&to->ep->fid, addr, &len), 0);
	CHECK_EQ(fi_av_insert(from->av, addr, 1, &from->peer, 0, NULL), 1);
	return true;
}

/* Make side B of A's fabric and domain. */
static bool side_share(struct side *b, const struct side *a)
{
	struct fi_eq_attr eq = { .wait_obj = FI_WAIT_UNSPEC };

	b->info = fi_dupinfo(a->info);
	CHECK(b->info);
	b->fabric = a->fabric;
	b->domain = a->domain;
	CHECK_EQ(fi_eq_open(b->fabric, &eq, &b->eq, NULL), 0);
	return true;
}

bool pair_sides(struct pair *p, const struct opts *o)
{
	struct opts a = *o, b = *o;

	if (b.key_b)
		b.key = b.key_b;
	if (b.caps_b)
		b.caps = b.caps_b;
	memset(p, 0, sizeof(*p));
	p->o = a;
	CHECK(side_open(&p->a, 0, &a));
	return b.itself ? side_share(&p->b, &p->a) : side_open(&p->b, b.apart, &b);
}

bool pair_meet(struct pair *p)
{
	return pair_insert(&p->a, &p->b) && pair_insert(&p->b, &p->a);
}

bool pair_open(struct pair *p, const struct opts *o)
{
	CHECK(pair_sides(p, o));
	if (p->o.type == FI_EP_MSG)
		return pair_connect(p);
	CHECK(side_endpoint(&p->a, p->a.info, &p->o));
	if (p->o.itself) {
		p->b.ep = p->a.ep;
		p->b.txcq = p->a.txcq;
		p->b.rxcq = p->a.rxcq;
		CHECK(pair_insert(&p->a, &p->a));
		p->b.peer = p->a.peer;
		return true;
	}
	CHECK(side_endpoint(&p->b, p->b.info, &p->o));
	return pair_meet(p);
}

/* Close what B does not share with A. */
static void side_unshare(struct pair *p)
{
	p->b.fabric = NULL;
	p->b.domain = NULL;
	if (p->o.type != FI_EP_MSG) {
		p->b.ep = NULL;
		p->b.txcq = NULL;
		p->b.rxcq = NULL;
	}
	side_close(&p->b);
}

void pair_close(struct pair *p)
{
	if (p->pep)
		fi_close(&p->pep->fid);
	p->pep = NULL;
	if (p->o.itself)
		side_unshare(p);
	side_close(&p->a);
	side_close(&p->b);
}

int completion(struct fid_cq *cq, struct fi_cq_tagged_entry *c, fi_addr_t *src,
	       struct fi_cq_err_entry *err)
{
	uint64_t until = now_ms() + WAIT_MS;
	struct fi_cq_err_entry mine;
	fi_addr_t from;
	ssize_t ret;

	do {
		ret = fi_cq_readfrom(cq, c, 1, src ? src : &from);
	} while (ret == -FI_EAGAIN && now_ms() < until);
	if (ret == -FI_EAVAIL) {
		memset(&mine, 0, sizeof(mine));
		if (fi_cq_readerr(cq, &mine, 0) != 1)
			return -FI_EOTHER;
		if (err)
			*err = mine;
		else
			printf("# unexpected error completion: %s\n", fi_strerror(mine.err));
	}
	return ret;
}

bool quiet(struct fid_cq *cq)
{
	uint64_t until = now_ms() + QUIET_MS;
	struct fi_cq_tagged_entry c;
	ssize_t ret;

	do {
		ret = fi_cq_read(cq, &c, 1);
		CHECK_EQ(ret, -FI_EAGAIN);
	} while (now_ms() < until);
	return true;
}
