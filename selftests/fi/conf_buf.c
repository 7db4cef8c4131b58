// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* fi_msg(3) on buffered receives, rule by rule. TIMEOUT: 400 LINKS: vnet loop */
#include "told.h"

static bool announces(void)
{
	struct told t;

	CHECK(sends(0, 100, PLAIN, 1));
	CHECK(announced(&t, 100, 1));
	CHECK(discard(&t, false));
	CHECK(sends(0, 0, PLAIN, 2));
	CHECK(announced(&t, 0, 2));
	CHECK(discard(&t, false));
	CHECK_EQ(fi_inject(p.a.ep, sbuf, 100, p.a.peer), 0);
	CHECK_EQ(completion(p.b.rxcq, &t.c, NULL, NULL), 1);
	CHECK_EQ(settle(t.c.op_context, NULL, 0, false, FI_DISCARD), 0);
	return sent(2);
}

static bool front_only(void)
{
	struct told t;
	unsigned int i;

	for (i = 0; i < NLENS; i++) {
		CHECK(sends(0, lens[i], PLAIN, i));
		CHECK(announced(&t, lens[i], i));
		CHECK(discard(&t, false));
		CHECK(sent(1));
	}
	return true;
}

static bool gets(struct fid_ep *ep, int opt, size_t want)
{
	size_t value = 0, len = sizeof(value);

	CHECK_EQ(fi_getopt(&ep->fid, FI_OPT_ENDPOINT, opt, &value, &len), 0);
	CHECK_EQ(len, sizeof(value));
	CHECK_EQ(value, want);
	return true;
}

static int sets(struct fid_ep *ep, int opt, size_t value)
{
	return fi_setopt(&ep->fid, FI_OPT_ENDPOINT, opt, &value, sizeof(value));
}

static bool options(void)
{
	size_t value, len = sizeof(value);
	struct fid_ep *ep;

	CHECK_EQ(fi_endpoint(p.b.domain, p.b.info, &ep, NULL), 0);
	CHECK_EQ(fi_getopt(&ep->fid, FI_OPT_ENDPOINT, FI_OPT_BUFFERED_LIMIT, &value, &len), 0);
	CHECK(value >= 1024);
	CHECK(gets(ep, FI_OPT_BUFFERED_MIN, 0));
	CHECK_EQ(sets(ep, FI_OPT_BUFFERED_LIMIT, 5000), 0);
	CHECK(gets(ep, FI_OPT_BUFFERED_LIMIT, 5000));
	CHECK_EQ(sets(ep, FI_OPT_BUFFERED_MIN, 5001), -FI_EINVAL);
	CHECK_EQ(sets(ep, FI_OPT_BUFFERED_MIN, 5000), 0);
	CHECK(gets(ep, FI_OPT_BUFFERED_MIN, 5000));
	CHECK_EQ(sets(ep, FI_OPT_BUFFERED_LIMIT, 4999), -FI_EINVAL);
	CHECK_EQ(sets(ep, FI_OPT_BUFFERED_LIMIT, SIZE_MAX), 0);
	CHECK_EQ(fi_getopt(&ep->fid, FI_OPT_ENDPOINT, FI_OPT_BUFFERED_LIMIT, &value, &len), 0);
	CHECK(value > 5000 && value < SIZE_MAX);
	CHECK_EQ(sets(ep, FI_OPT_BUFFERED_LIMIT, value + 1), -FI_EMSGSIZE);
	CHECK(gets(ep, FI_OPT_BUFFERED_LIMIT, value));
	CHECK_EQ(fi_close(&ep->fid), 0);
	CHECK_EQ(sets(p.b.ep, FI_OPT_BUFFERED_LIMIT, 5000), -FI_EOPBADSTATE);
	CHECK_EQ(sets(p.b.ep, FI_OPT_BUFFERED_MIN, 1), -FI_EOPBADSTATE);
	CHECK(gets(p.b.ep, FI_OPT_BUFFERED_LIMIT, LIMIT));
	return gets(p.b.ep, FI_OPT_BUFFERED_MIN, MIN);
}

static bool claims(void)
{
	struct told t;
	unsigned int i;

	for (i = 0; i < NLENS; i++) {
		CHECK(sends(0, lens[i], PLAIN, i));
		CHECK(announced(&t, lens[i], i));
		CHECK(claim(&t, lens[i], PLAIN, i));
		CHECK(sent(1));
	}
	return true;
}

/* in segments; the announced bytes end in one of them */
static bool claims_segments(void)
{
	struct iovec iov[4] = { { rbuf, 30 }, { rbuf + 100, 0 }, { rbuf + 200, 3000 },
				{ rbuf + 4000, LONG } };
	struct told t;
	unsigned int i;

	for (i = 4; i < NLENS; i++) {
		memset(rbuf, 0xee, LONG + 5000);
		CHECK(sends(0, lens[i], PLAIN, i));
		CHECK(announced(&t, lens[i], i));
		t.ctx->context = ctx(7);
		CHECK_EQ(settle_iov(t.ctx, iov, 4, false, FI_CLAIM), 0);
		CHECK(claimed(ctx(7), lens[i], PLAIN, 0));
		CHECK(!memcmp(rbuf, sbuf, 30));
		CHECK(!memcmp(rbuf + 200, sbuf + 30, lens[i] < 3030 ? lens[i] - 30 : 3000));
		if (lens[i] > 3030)
			CHECK(!memcmp(rbuf + 4000, sbuf + 3030, lens[i] - 3030));
		CHECK(all_bytes(rbuf + 30, 170, 0xee));
		CHECK(sent(1));
	}
	return true;
}

static bool marker(void)
{
	struct told t;

	CHECK(sends(0, 100, PLAIN, 1));
	CHECK(announced(&t, 100, 1));
	t.ctx->context = ctx(77);
	CHECK_EQ(settle(t.ctx, rbuf, 100, false, FI_CLAIM), 0);
	CHECK(claimed(ctx(77), 100, PLAIN, 0));
	CHECK(sends(0, LONG, PLAIN, 1));
	CHECK(announced(&t, LONG, 1));
	/* the value from the time of the announcement */
	CHECK_EQ(settle(t.ctx, rbuf, LONG, false, FI_CLAIM), 0);
	CHECK(claimed(NULL, LONG, PLAIN, 0));
	return sent(2);
}

static bool discards(void)
{
	struct iovec junk[3] = { { (void *)8, 1ull << 60 }, { NULL, 5 }, { (void *)-8l, 100 } };
	struct told t;
	unsigned int i;

	for (i = 0; i < NLENS; i++) {
		CHECK(sends(0, lens[i], PLAIN, i));
		CHECK(announced(&t, lens[i], i));
		CHECK_EQ(settle_iov(t.ctx, junk, 3, false, FI_DISCARD), 0);
		CHECK(sent(1));
	}
	/* more announcements than the queue of unsettled messages holds */
	for (i = 0; i < 1000; i++) {
		CHECK(sends(0, LIMIT, PLAIN, 1));
		CHECK(announced(&t, LIMIT, 1));
		CHECK(discard(&t, false));
		CHECK(sent(1));
	}
	return true;
}

static bool both_ways(void)
{
	static const size_t two[] = { 200, LONG };
	struct told t;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		CHECK(sends(0, two[i / 2], PLAIN, i));
		CHECK(announced(&t, two[i / 2], i));
		CHECK(i % 2 ? claim(&t, two[i / 2], PLAIN, i) : discard(&t, false));
		CHECK(sent(1));
	}
	return true;
}

static bool settled_once(void)
{
	struct fi_recv_context own = { p.b.ep, NULL };
	struct told t, u;

	CHECK(sends(0, 100, PLAIN, 1));
	CHECK(sends(4096, 100, PLAIN, 2));
	CHECK(announced(&t, 100, 1));
	CHECK(announced(&u, 100, 2));
	CHECK_EQ(settle(&own, rbuf, 100, false, FI_CLAIM), -FI_EINVAL);
	CHECK_EQ(settle(NULL, rbuf, 100, false, FI_CLAIM), -FI_EINVAL);
	CHECK_EQ(settle((char *)t.ctx + 8, rbuf, 100, false, FI_DISCARD), -FI_EINVAL);
	CHECK_EQ(settle(t.ctx, rbuf, 100, false, FI_CLAIM), 0);
	CHECK_EQ(settle(t.ctx, rbuf, 100, false, FI_CLAIM), -FI_EINVAL);
	CHECK_EQ(settle(t.ctx, rbuf, 100, false, FI_DISCARD), -FI_EINVAL);
	CHECK(claimed(NULL, 100, PLAIN, 0));
	CHECK_EQ(settle(t.ctx, rbuf, 100, false, FI_CLAIM), -FI_EINVAL);
	CHECK(discard(&u, false));
	CHECK_EQ(settle(u.ctx, rbuf, 100, false, FI_CLAIM), -FI_EINVAL);
	CHECK_EQ(settle(u.ctx, rbuf, 100, false, FI_DISCARD), -FI_EINVAL);
	return sent(2);
}

static bool any_order(void)
{
	struct told t[10];
	unsigned int i;

	for (i = 0; i < 10; i++)
		CHECK(sends(20000 * i, i % 3 ? 1000 + i : 20000 - i, PLAIN, i));
	for (i = 0; i < 10; i++)
		CHECK(announced(&t[i], i % 3 ? 1000 + i : 20000 - i, i));
	for (i = 10; i-- > 0;)
		CHECK(i % 2 ? claim(&t[i], t[i].c.len, PLAIN, i) : discard(&t[i], false));
	return sent(10);
}

static bool keeps_order(void)
{
	static const size_t mix[] = { LONG, 8, 20000, 0, LIMIT, LONG, 900, 1, 3000, 5000 };
	struct told t[10];
	size_t at = 0;
	unsigned int i;

	for (i = 0; i < 10; at += mix[i++])
		CHECK(sends(at, mix[i], PLAIN, i));
	for (i = 0; i < 10; i++)
		CHECK(announced(&t[i], mix[i], i));
	for (i = 0; i < 10; i++)
		CHECK(claim(&t[i], mix[i], PLAIN, i));
	return sent(10);
}

#define STALL 1500

/* No message is settled: a limited number of announcements comes, and then all the rest. */
static bool stalls(void)
{
	struct fi_cq_tagged_entry c;
	void *waits[STALL];
	unsigned int posted = 0, done = 0, told = 0, next = 0;
	uint64_t until = now_ms() + WAIT_MS;
	ssize_t ret;

	while (next < STALL) {
		CHECK(now_ms() < until);
		if (posted < STALL) {
			memset(sbuf, posted, 512);
			ret = fi_inject(p.a.ep, sbuf, 512, p.a.peer);
			CHECK(!ret || ret == -FI_EAGAIN);
			if (!ret)
				until = now_ms() + WAIT_MS;
			posted += !ret;
			done += !!ret;
		}
		ret = fi_cq_read(p.b.rxcq, &c, 1);
		if (ret == 1) {
			CHECK(all_bytes(c.buf, 512, (uint8_t)told));
			waits[told++] = c.op_context;
			until = now_ms() + WAIT_MS;
		}
		CHECK(told - next <= 1024);
		/* the sender has finished, or all queues are full */
		if (ret != 1 && (posted == STALL || done > 100))
			for (; next < told; next++)
				CHECK_EQ(settle(waits[next], NULL, 0, false, FI_DISCARD), 0);
	}
	return true;
}

static bool short_claims(void)
{
	static const size_t rooms[] = { 0, 60, MIN, 3000 };
	struct fi_cq_tagged_entry c;
	struct fi_cq_err_entry e;
	struct told t;
	unsigned int i, k;

	for (i = 5; i < NLENS; i++)
		for (k = 0; k < 4; k++) {
			memset(rbuf, 0xee, LIMIT);
			CHECK(sends(0, lens[i], PLAIN, i));
			CHECK(announced(&t, lens[i], i));
			t.ctx->context = ctx(9);
			CHECK_EQ(settle(t.ctx, rbuf, rooms[k], false, FI_CLAIM), 0);
			CHECK_EQ(completion(p.b.rxcq, &c, NULL, &e), -FI_EAVAIL);
			CHECK_EQ(e.err, FI_ETRUNC);
			CHECK(e.op_context == ctx(9));
			CHECK_EQ(e.flags, FI_RECV | FI_MSG | FI_CLAIM);
			CHECK_EQ(e.len, lens[i]);
			CHECK_EQ(e.olen, lens[i] - rooms[k]);
			CHECK(pattern_is(rbuf, rooms[k], i));
			CHECK(all_bytes(rbuf + rooms[k], 64, 0xee));
			CHECK_EQ(settle(t.ctx, rbuf, LONG, false, FI_CLAIM), -FI_EINVAL);
			CHECK(sent(1));
		}
	return true;
}

static bool data_and_source(void)
{
	struct told t;
	struct fi_cq_tagged_entry c;
	unsigned int i;

	for (i = 2; i < NLENS; i += 4) {
		pattern_fill(sbuf, lens[i], i);
		CHECK_EQ(fi_senddata(p.a.ep, sbuf, lens[i], NULL, 0x123456789abcdef, p.a.peer,
				     ctx(i)),
			 0);
		CHECK(announced_as(&t, lens[i], PLAIN, i, NULL, FI_REMOTE_CQ_DATA));
		CHECK_EQ(t.c.data, 0x123456789abcdef);
		CHECK_EQ(settle(t.ctx, rbuf, LONG, false, FI_CLAIM), 0);
		CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
		CHECK_EQ(c.flags, FI_RECV | FI_MSG | FI_CLAIM | FI_REMOTE_CQ_DATA);
		CHECK_EQ(c.data, 0x123456789abcdef);
		CHECK(sent(1));
	}
	return true;
}

static bool always_told(void)
{
	struct told t;

	CHECK(sends(0, 100, PLAIN, 1));
	CHECK(announced(&t, 100, 1));
	CHECK(claim(&t, 100, PLAIN, 1));
	CHECK_EQ(fi_trecv(p.b.ep, NULL, 0, NULL, FI_ADDR_UNSPEC, 5, 0, ctx(2)), 0);
	CHECK(sends(4096, 100, 5, 3));
	CHECK(announced_as(&t, 100, 5, 3, ctx(2), 0));
	return claim(&t, 100, 5, 3);
}

static bool no_plain(void)
{
	struct iovec iov = { rbuf, 100 };
	struct fi_msg m = { .msg_iov = &iov, .iov_count = 1, .addr = FI_ADDR_UNSPEC };

	CHECK_EQ(fi_recv(p.b.ep, rbuf, 100, NULL, FI_ADDR_UNSPEC, ctx(1)), -FI_EINVAL);
	CHECK_EQ(fi_recvv(p.b.ep, &iov, NULL, 1, FI_ADDR_UNSPEC, ctx(1)), -FI_EINVAL);
	CHECK_EQ(fi_recvmsg(p.b.ep, &m, 0), -FI_EINVAL);
	CHECK_EQ(fi_recvmsg(p.b.ep, &m, FI_MULTI_RECV), -FI_EINVAL);
	return true;
}

static bool not_the_mode(void)
{
	size_t value = 100, len = sizeof(value);
	char own[64];

	CHECK_EQ(settle(own, rbuf, 100, false, FI_CLAIM), -FI_EINVAL);
	CHECK_EQ(settle(own, rbuf, 100, false, FI_DISCARD), -FI_EINVAL);
	CHECK_EQ(settle(own, rbuf, 100, true, FI_DISCARD), -FI_EINVAL);
	CHECK_EQ(sets(p.b.ep, FI_OPT_BUFFERED_LIMIT, value), -FI_ENOPROTOOPT);
	CHECK_EQ(fi_getopt(&p.b.ep->fid, FI_OPT_ENDPOINT, FI_OPT_BUFFERED_MIN, &value, &len),
		 -FI_ENOPROTOOPT);
	return true;
}

static bool not_both(void)
{
	struct told t;

	CHECK(sends(0, 100, PLAIN, 1));
	CHECK(announced(&t, 100, 1));
	CHECK_EQ(settle(t.ctx, rbuf, 100, false, FI_CLAIM | FI_DISCARD), -FI_EINVAL);
	CHECK_EQ(settle(t.ctx, rbuf, 100, false, FI_CLAIM | FI_MULTI_RECV), -FI_EINVAL);
	CHECK(claim(&t, 100, PLAIN, 1));
	return sent(1);
}

static bool counted(void)
{
	struct fi_cq_tagged_entry c;
	struct fi_cq_err_entry e;
	struct told t;

	CHECK(sends(0, 100, PLAIN, 1));
	CHECK(announced(&t, 100, 1));
	CHECK(cntr_is(p.b.rxcntr, 1));
	CHECK(claim(&t, 100, PLAIN, 1));
	CHECK(cntr_is(p.b.rxcntr, 1));
	CHECK(sends(0, 100, PLAIN, 1));
	CHECK(announced(&t, 100, 1));
	CHECK(discard(&t, false));
	CHECK(sends(0, 100, PLAIN, 1));
	CHECK(announced(&t, 100, 1));
	CHECK_EQ(fi_cntr_readerr(p.b.rxcntr), 0);
	CHECK_EQ(settle(t.ctx, rbuf, 10, false, FI_CLAIM), 0);
	CHECK_EQ(completion(p.b.rxcq, &c, NULL, &e), -FI_EAVAIL);
	CHECK(cntr_fails(p.b.rxcntr, 1));
	CHECK_EQ(fi_cntr_read(p.b.rxcntr), 3);
	return sent(3);
}

/* A send with the level @level, of a message that is announced, then claimed or discarded. */
static bool level(uint64_t level, size_t len, bool before, bool drop)
{
	struct iovec iov = { sbuf, len };
	struct fi_msg m = { .msg_iov = &iov, .iov_count = 1, .addr = p.a.peer, .context = ctx(1) };
	struct told t;

	pattern_fill(sbuf, len, 1);
	CHECK_EQ(fi_sendmsg(p.a.ep, &m, FI_COMPLETION | level), 0);
	CHECK(announced(&t, len, 1));
	if (before)
		CHECK(sent(1));
	else
		CHECK(quiet(p.a.txcq));
	CHECK(drop ? discard(&t, false) : claim(&t, len, PLAIN, 1));
	return before || sent(1);
}

static bool levels(void)
{
	unsigned int drop;

	for (drop = 0; drop < 2; drop++) {
		CHECK(level(FI_TRANSMIT_COMPLETE, 100, true, drop));
		CHECK(level(FI_DELIVERY_COMPLETE, 100, true, drop));
		CHECK(level(FI_DELIVERY_COMPLETE, LIMIT, true, drop));
		CHECK(level(FI_DELIVERY_COMPLETE, LONG, false, drop));
		CHECK(level(FI_TRANSMIT_COMPLETE, LONG, false, drop));
		CHECK(level(FI_MATCH_COMPLETE, 0, false, drop));
		CHECK(level(FI_MATCH_COMPLETE, 100, false, drop));
		CHECK(level(FI_MATCH_COMPLETE, LIMIT, false, drop));
		CHECK(level(FI_MATCH_COMPLETE, LONG, false, drop));
	}
	return true;
}

/* The peer has gone: a message that is here can be claimed, any other one fails. */
static bool peer_goes(void)
{
	struct fi_cq_tagged_entry c;
	struct fi_cq_err_entry e;
	struct fi_eq_cm_entry ev;
	struct told t, u;
	uint32_t type;

	CHECK(sends(0, 200, PLAIN, 1));
	CHECK(sends(4096, LONG, PLAIN, 2));
	CHECK(announced(&t, 200, 1));
	CHECK(announced(&u, LONG, 2));
	CHECK_EQ(fi_close(&p.a.ep->fid), 0);
	p.a.ep = NULL;
	CHECK_EQ(event(p.b.eq, &type, &ev, sizeof(ev)), sizeof(ev));
	CHECK_EQ(type, FI_SHUTDOWN);
	/* the receives that made announcements possible do not complete */
	CHECK(quiet(p.b.rxcq));
	CHECK(claim(&t, 200, PLAIN, 1));
	CHECK_EQ(settle(u.ctx, rbuf, LONG, false, FI_CLAIM), 0);
	CHECK_EQ(completion(p.b.rxcq, &c, NULL, &e), -FI_EAVAIL);
	CHECK(e.flags & FI_CLAIM);
	return quiet(p.b.rxcq);
}

/* The endpoint is closed with announcements that were not read, or not settled. */
static bool closes(void)
{
	struct told t;
	unsigned int i;

	for (i = 0; i < 3; i++)
		CHECK(sends(LONG * i, i == 2 ? LONG : 100, PLAIN, i));
	CHECK(announced(&t, 100, 0));
	CHECK(sent(2));
	CHECK_EQ(fi_close(&p.b.ep->fid), 0);
	p.b.ep = NULL;
	return quiet(p.b.rxcq);
}

/* On a scalable endpoint an announcement names the receive context of the message. */
static bool context_named(void)
{
	struct fi_cq_attr cq = { .format = FI_CQ_FORMAT_TAGGED, .wait_obj = FI_WAIT_UNSPEC };
	struct fi_av_attr av = { .type = FI_AV_TABLE, .rx_ctx_bits = 1 };
	struct fid_ep *sep, *tx, *rx[2];
	struct fi_cq_tagged_entry c;
	struct fi_recv_context *rc;
	struct side *s = &p.a;
	size_t len = 64, i, size = LIMIT;
	uint8_t addr[64];
	fi_addr_t to;

	CHECK(side_open(s, 0, &p.o));
	s->info->ep_attr->tx_ctx_cnt = 1;
	s->info->ep_attr->rx_ctx_cnt = 2;
	CHECK_EQ(fi_scalable_ep(s->domain, s->info, &sep, NULL), 0);
	CHECK_EQ(fi_av_open(s->domain, &av, &s->av, NULL), 0);
	CHECK_EQ(fi_scalable_ep_bind(sep, &s->av->fid, 0), 0);
	CHECK_EQ(fi_cq_open(s->domain, &cq, &s->txcq, NULL), 0);
	CHECK_EQ(fi_cq_open(s->domain, &cq, &s->rxcq, NULL), 0);
	CHECK_EQ(fi_tx_context(sep, 0, NULL, &tx, NULL), 0);
	CHECK_EQ(fi_ep_bind(tx, &s->txcq->fid, FI_TRANSMIT), 0);
	CHECK_EQ(fi_enable(tx), 0);
	for (i = 0; i < 2; i++) {
		CHECK_EQ(fi_rx_context(sep, i, NULL, &rx[i], NULL), 0);
		CHECK_EQ(fi_ep_bind(rx[i], &s->rxcq->fid, FI_RECV), 0);
		CHECK_EQ(fi_setopt(&rx[i]->fid, FI_OPT_ENDPOINT, FI_OPT_BUFFERED_LIMIT, &size,
				   sizeof(size)),
			 0);
		CHECK_EQ(fi_enable(rx[i]), 0);
	}
	CHECK_EQ(fi_getname(&sep->fid, addr, &len), 0);
	CHECK_EQ(fi_av_insert(s->av, addr, 1, &to, 0, NULL), 1);
	for (i = 0; i < 4; i++) {
		struct iovec iov = { rbuf, LONG };
		struct fi_msg m = { .msg_iov = &iov, .iov_count = 1 };

		len = i < 2 ? 100 : LONG;
		pattern_fill(sbuf, len, i);
		CHECK_EQ(fi_send(tx, sbuf, len, NULL, fi_rx_addr(to, i % 2, 1), ctx(1)), 0);
		CHECK_EQ(completion(s->rxcq, &c, NULL, NULL), 1);
		rc = c.op_context;
		CHECK(rc->ep == rx[i % 2]);
		m.context = rc;
		CHECK_EQ(fi_recvmsg(rx[1 - i % 2], &m, FI_CLAIM), -FI_EINVAL);
		CHECK_EQ(fi_recvmsg(rc->ep, &m, FI_CLAIM), 0);
		CHECK_EQ(completion(s->rxcq, &c, NULL, NULL), 1);
		CHECK_EQ(c.len, len);
		CHECK(pattern_is(rbuf, len, i));
		CHECK(is_sent(1));
	}
	CHECK_EQ(fi_close(&tx->fid), 0);
	CHECK_EQ(fi_close(&rx[0]->fid), 0);
	CHECK_EQ(fi_close(&rx[1]->fid), 0);
	CHECK_EQ(fi_close(&sep->fid), 0);
	return true;
}

/* ---- Modes and capabilities -------------------------------------------------------------- */

static bool mode_bit(void)
{
	enum fi_ep_type type = p.o.type;
	uint64_t mode, caps;

	CHECK(offers(type, FI_MSG, 0, 0, &mode, &caps) > 0);
	CHECK_EQ(mode, 0);
	CHECK(offers(type, FI_MSG, FI_BUFFERED_RECV | FI_CONTEXT, 0, &mode, &caps) > 0);
	CHECK_EQ(mode, FI_BUFFERED_RECV);
	CHECK(offers(type, FI_MSG, ~0ull, 0, &mode, &caps) > 0);
	CHECK_EQ(mode, 0);
	CHECK(offers(type, FI_MSG | FI_MULTI_RECV, FI_BUFFERED_RECV, 0, &mode, &caps) > 0);
	CHECK_EQ(mode, 0);
	CHECK(offers(type, FI_MSG, FI_BUFFERED_RECV, FI_SHARED_CONTEXT, &mode, &caps) > 0);
	CHECK_EQ(mode, 0);
	CHECK(offers(FI_EP_DGRAM, FI_MSG, FI_BUFFERED_RECV, 0, &mode, &caps) > 0);
	CHECK_EQ(mode, 0);
	return true;
}

static bool (*const all_rules[])(void) = {
	announces, front_only, options, claims, claims_segments, marker, discards, both_ways,
	settled_once, any_order, keeps_order, stalls, short_claims, data_and_source, no_plain,
	not_both, levels,
};

static bool same_rules(void)
{
	unsigned int i;

	for (i = 0; i < sizeof(all_rules) / sizeof(all_rules[0]); i++)
		CHECK(all_rules[i]());
	return true;
}

static const struct row rows[] = {
	ROW("MSG-060", ON_BOTH, "A message is announced by an entry with a struct fi_recv_context",
	    announces, MODE),
	ROW("MSG-060a", ON_RDM, "Of a scalable endpoint it names the receive context",
	    context_named, .o.mode = FI_BUFFERED_RECV, .alone = true),
	ROW("MSG-061", ON_BOTH, "The length is the whole one; FI_MORE says that a part is there",
	    front_only, MODE),
	ROW("MSG-062", ON_BOTH, "Limit and minimum are set before the endpoint is enabled",
	    options, MODE),
	ROW("MSG-062a", ON_BOTH, "The mode bit is kept when asked for, and where it has a meaning",
	    mode_bit, .alone = true),
	ROW("MSG-063", ON_BOTH, "A claim brings the whole message", claims, MODE),
	ROW("MSG-063a", ON_BOTH, "A claim scatters the message over segments", claims_segments,
	    MODE),
	ROW("MSG-064", ON_BOTH, "The context is what the program has set before the claim", marker,
	    MODE),
	ROW("MSG-065", ON_BOTH, "A discard frees the message and looks at no buffer", discards,
	    MODE),
	ROW("MSG-066", ON_BOTH, "Any size may be claimed or discarded", both_ways, MODE),
	ROW("MSG-067", ON_BOTH, "A message is settled once", settled_once, MODE),
	ROW("MSG-067a", ON_MSG, "What was announced whole can be claimed when the peer has gone",
	    peer_goes, MODE, .mess = true),
	ROW("MSG-067b", ON_BOTH, "Announcements go with their endpoint", closes, MODE,
	    .mess = true),
	ROW("MSG-068", ON_BOTH, "Announced messages are settled in any order", any_order, MODE),
	ROW("MSG-069", ON_BOTH, "Announcements keep the order of messages", keeps_order, MODE),
	ROW("MSG-070", ON_BOTH, "Not settling stalls senders and loses nothing", stalls, MODE),
	ROW("MSG-071", ON_BOTH, "A claim with too little room is cut", short_claims, MODE),
	ROW("MSG-072", ON_BOTH, "Remote data and source come with announcement and claim",
	    data_and_source, MODE),
	ROW("MSG-072a", ON_BOTH, "An announcement is counted, a claim only if it fails", counted,
	    MODE, .o.counters = true),
	ROW("MSG-072b", ON_BOTH, "A sender's completion has its level", levels, MODE),
	ROW("MSG-073", ON_BOTH, "Announcements and claims are told of under selective completion",
	    always_told, MODE, .o.selective = true),
	ROW("MSG-074", ON_BOTH, "A plain untagged receive is refused", no_plain, MODE),
	ROW("MSG-074a", ON_BOTH, "Claims and discards are refused without the mode", not_the_mode),
	ROW("MSG-075", ON_BOTH, "Claim and discard exclude each other", not_both, MODE),
	ROW("MSG-077", ON_BOTH, "What holds for buffered receives holds for variable messages",
	    same_rules, VARIABLE),
};

int main(int argc, char **argv)
{
	return rows_main(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
}
