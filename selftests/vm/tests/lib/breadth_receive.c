// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>
#include <string.h>
#include "breadth.h"

#define POSTS	24			/* receives of each endpoint, or of all */
#define SPACE	(BREADTH_LONG + sizeof(struct breadth_head))
#define MULTI	(4u << 20)		/* bytes of a multi-receive buffer */
#define EPS	(BREADTH_SENDERS * BREADTH_LIVES)

#define TRACED	8192u			/* messages of a life whose order is checked */

/**
 * struct room - a receive
 * @ep: where it is posted again: an endpoint or the shared context
 * @no: number of its post
 * @buf: its bytes
 */
struct room {
	struct fi_context2 ctx;
	struct fid_ep *ep;
	uint64_t no;
	uint8_t *buf;
};

/* Where each message was placed, in the order of posting; 0: it has not come. */
static uint64_t place[BREADTH_SENDERS][BREADTH_LIVES][TRACED];
static uint64_t nposts;

/* The receiver. */
struct receiver {
	struct breadth *b;
	struct side s;
	struct opts o;
	struct fid_pep *pep;
	struct fid_ep *srx;
	struct fid_ep *ep[EPS];
	unsigned int neps;
};

static bool post(struct receiver *t, struct room *r)
{
	bool multi = t->b->kind->multi;
	struct iovec iov = { r->buf, multi ? MULTI : SPACE };
	struct fi_msg m = { .msg_iov = &iov, .iov_count = 1, .addr = FI_ADDR_UNSPEC, .context = r };
	ssize_t ret;

	r->no = ++nposts;
	ret = fi_recvmsg(r->ep, &m, FI_COMPLETION | (multi ? FI_MULTI_RECV : 0));
	/* its connection has ended meanwhile */
	if (t->b->kind->type == FI_EP_MSG && ret == -FI_ENOTCONN)
		return true;
	CHECK_EQ(ret, 0);
	return true;
}

static bool posts(struct receiver *t, struct fid_ep *ep)
{
	unsigned int i, n = t->b->kind->multi ? 3 : POSTS;
	size_t least = SPACE;

	if (t->b->kind->multi)
		CHECK_EQ(fi_setopt(&ep->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &least,
				   sizeof(least)), 0);
	for (i = 0; i < n; i++) {
		struct room *r = calloc(1, sizeof(*r));

		CHECK(r);
		r->ep = ep;
		r->buf = malloc(t->b->kind->multi ? MULTI : SPACE);
		CHECK(r->buf && post(t, r));
	}
	return true;
}

/* Make an endpoint, whose receives complete in the common queue. */
static bool endpoint(struct receiver *t, struct fi_info *info, struct fid_ep **ep)
{
	bool msg = t->b->kind->type == FI_EP_MSG;

	info->ep_attr->rx_ctx_cnt = t->srx ? FI_SHARED_CONTEXT : 1;
	CHECK_EQ(fi_endpoint(t->s.domain, info, ep, NULL), 0);
	CHECK_EQ(fi_ep_bind(*ep, &t->s.txcq->fid, FI_TRANSMIT), 0);
	CHECK_EQ(fi_ep_bind(*ep, &t->s.rxcq->fid, FI_RECV), 0);
	CHECK_EQ(fi_ep_bind(*ep, msg ? &t->s.eq->fid : &t->s.av->fid, 0), 0);
	if (t->srx)
		CHECK_EQ(fi_ep_bind(*ep, &t->srx->fid, 0), 0);
	CHECK_EQ(fi_enable(*ep), 0);
	return t->srx || posts(t, *ep);
}

static bool begin(struct receiver *t)
{
	struct fi_cq_attr cq = { .format = FI_CQ_FORMAT_TAGGED, .wait_obj = FI_WAIT_UNSPEC };
	struct fi_av_attr av = { .type = FI_AV_TABLE };
	const struct breadth_kind *k = t->b->kind;
	struct fi_rx_attr rx = { .size = POSTS };
	size_t len = sizeof(t->b->addr);

	CHECK(breadth_open(t->b, &t->s, &t->o));
	CHECK_EQ(fi_cq_open(t->s.domain, &cq, &t->s.txcq, NULL), 0);
	CHECK_EQ(fi_cq_open(t->s.domain, &cq, &t->s.rxcq, NULL), 0);
	rx.caps = t->s.info->rx_attr->caps;
	if (k->shared) {
		CHECK_EQ(fi_srx_context(t->s.domain, &rx, &t->srx, NULL), 0);
		CHECK(posts(t, t->srx));
	}
	if (k->type == FI_EP_MSG) {
		CHECK_EQ(fi_passive_ep(t->s.fabric, t->s.info, &t->pep, NULL), 0);
		CHECK_EQ(fi_pep_bind(t->pep, &t->s.eq->fid, 0), 0);
		CHECK_EQ(fi_listen(t->pep), 0);
		CHECK_EQ(fi_getname(&t->pep->fid, t->b->addr, &len), 0);
	} else {
		CHECK_EQ(fi_av_open(t->s.domain, &av, &t->s.av, NULL), 0);
		CHECK(endpoint(t, t->s.info, &t->s.ep));
		CHECK_EQ(fi_getname(&t->s.ep->fid, t->b->addr, &len), 0);
	}
	t->b->addrlen = len;
	t->b->ready = true;
	return true;
}

/*
 * Messages match receives in the order in which they were sent; they may complete in another one.
 * Each comes once.
 */
static bool in_turn(const struct breadth_head *h, uint64_t at)
{
	uint64_t *life = place[h->sender][h->life];
	uint32_t i = h->index;

	if (i >= TRACED)
		return true;
	CHECK_EQ(life[i], 0);
	life[i] = at;
	CHECK(!i || life[i - 1] < at);
	return i + 1 == TRACED || !life[i + 1] || life[i + 1] > at;
}

/* A message is whole, and has the receive that it should have. */
static bool check(struct receiver *t, const struct room *r, const uint8_t *buf, size_t len)
{
	const struct breadth_head *h = (const struct breadth_head *)buf;
	bool dgram = t->b->kind->type == FI_EP_DGRAM;
	uint32_t *got;

	CHECK(len >= sizeof(*h));
	CHECK_EQ(h->magic, BREADTH_MAGIC);
	CHECK(h->sender < BREADTH_SENDERS && h->life < BREADTH_LIVES);
	CHECK_EQ(h->len, len);
	CHECK(pattern_is(h + 1, len - sizeof(*h), h->seed));
	got = &t->b->got[h->sender][h->life];
	/* datagrams may overtake each other */
	if (!dgram)
		CHECK(in_turn(h, (r->no << 24) + (uint64_t)(buf - r->buf)));
	CHECK(++*got <= t->b->life[h->sender][h->life].posted + 1);
	return true;
}

/* A receive has ended without a message. */
static bool failed(struct receiver *t, const struct fi_cq_err_entry *e)
{
	/* a connection has ended: its receives come back, and its endpoint takes no more */
	if (t->b->kind->type == FI_EP_MSG &&
	    (e->err == FI_ECANCELED || e->err == FI_ENOTCONN))
		return true;
	/* its sender was killed, or its path has died */
	CHECK(e->err == FI_ECONNRESET || (t->b->may_fail && e->err == FI_ETIMEDOUT));
	t->b->lost++;
	return t->b->kind->multi || post(t, e->op_context);
}

static bool take(struct receiver *t)
{
	struct fi_cq_err_entry e = {};
	struct fi_cq_tagged_entry c;
	struct room *r;
	ssize_t ret;

	ret = fi_cq_sread(t->s.rxcq, &c, 1, NULL, 20);
	while (ret != -FI_EAGAIN && ret != -FI_EINTR) {
		if (ret == -FI_EAVAIL) {
			CHECK_EQ(fi_cq_readerr(t->s.rxcq, &e, 0), 1);
			CHECK(failed(t, &e));
		} else {
			CHECK_EQ(ret, 1);
			r = c.op_context;
			if (c.flags & FI_RECV || !t->b->kind->multi)
				CHECK(check(t, r, t->b->kind->multi ? c.buf : r->buf, c.len));
			if (!t->b->kind->multi || c.flags & FI_MULTI_RECV)
				CHECK(post(t, r));
		}
		ret = fi_cq_read(t->s.rxcq, &c, 1);
	}
	return true;
}

static bool events(struct receiver *t)
{
	struct fi_eq_cm_entry e;
	uint32_t type;
	ssize_t ret;
	unsigned int i;

	while (t->pep && (ret = fi_eq_read(t->s.eq, &type, &e, sizeof(e), 0)) != -FI_EAGAIN) {
		struct fi_eq_err_entry err = {};

		if (ret == -FI_EAVAIL) {
			/* a sender was killed while it connected */
			CHECK_EQ(fi_eq_readerr(t->s.eq, &err, 0), sizeof(err));
			continue;
		}
		CHECK(ret >= (ssize_t)sizeof(e));
		if (type == FI_CONNREQ) {
			CHECK(t->neps < EPS);
			CHECK(endpoint(t, e.info, &t->ep[t->neps]));
			ret = fi_accept(t->ep[t->neps++], NULL, 0);
			fi_freeinfo(e.info);
			/* the request went with its sender, see fi_weft(7) */
			CHECK(!ret || ret == -FI_EINVAL);
		} else if (type == FI_SHUTDOWN) {
			for (i = 0; i < t->neps && e.fid != &t->ep[i]->fid; i++)
				;
			CHECK(i < t->neps);
		}
	}
	return true;
}

bool breadth_receive(struct breadth *b)
{
	static struct receiver t;
	unsigned int i;

	t.b = b;
	CHECK(begin(&t));
	while (!b->quit)
		CHECK(take(&t) && events(&t));
	for (i = 0; i < t.neps; i++)
		fi_close(&t.ep[i]->fid);
	if (t.s.ep)
		fi_close(&t.s.ep->fid);
	t.s.ep = NULL;
	if (t.srx)
		fi_close(&t.srx->fid);
	if (t.pep)
		fi_close(&t.pep->fid);
	side_close(&t.s);
	return true;
}
