// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "told.h"

const size_t lens[NLENS] = { 0, 1, 100, 960, 1000, LIMIT, LIMIT + 1, 40000, LONG };

static size_t front(size_t len)
{
	return len <= LIMIT ? len : MIN;
}

bool sends(size_t at, size_t len, uint64_t tag, unsigned int n)
{
	pattern_fill(sbuf + at, len, n);
	if (tag == PLAIN)
		CHECK_EQ(fi_send(p.a.ep, sbuf + at, len, NULL, p.a.peer, ctx(n)), 0);
	else
		CHECK_EQ(fi_tsend(p.a.ep, sbuf + at, len, NULL, p.a.peer, tag, ctx(n)), 0);
	return true;
}

bool sent(unsigned int n)
{
	struct fi_cq_tagged_entry c;

	while (n--) {
		CHECK_EQ(completion(p.a.txcq, &c, NULL, NULL), 1);
		CHECK(c.flags & FI_SEND);
	}
	return true;
}

bool announced_as(struct told *t, size_t len, uint64_t tag, unsigned int n, void *user,
		  uint64_t more)
{
	fi_addr_t src = FI_ADDR_UNSPEC;
	bool tagged = tag != PLAIN;

	memset(t, 0, sizeof(*t));
	CHECK_EQ(completion(p.b.rxcq, &t->c, &src, NULL), 1);
	CHECK_EQ(t->c.flags, FI_RECV | (tagged ? FI_TAGGED : FI_MSG) | more |
				     (len > LIMIT ? FI_MORE : 0));
	CHECK_EQ(t->c.len, len);
	if (tagged)
		CHECK_EQ(t->c.tag, tag);
	if (p.o.type != FI_EP_MSG)
		CHECK_EQ(src, p.b.peer);
	t->ctx = t->c.op_context;
	t->buf = t->c.buf;
	CHECK(t->ctx && t->buf);
	CHECK(t->ctx->ep == (tagged ? NULL : p.b.ep));
	CHECK(t->ctx->context == user);
	return pattern_is(t->buf, front(len), n);
}

bool announced(struct told *t, size_t len, unsigned int n)
{
	return announced_as(t, len, PLAIN, n, NULL, 0);
}

ssize_t settle_iov(void *context, const struct iovec *iov, size_t count, bool tagged,
		   uint64_t flags)
{
	struct fi_msg_tagged t = {
		.msg_iov = iov, .iov_count = count, .addr = FI_ADDR_UNSPEC, .context = context
	};
	struct fi_msg m = {
		.msg_iov = iov, .iov_count = count, .addr = FI_ADDR_UNSPEC, .context = context
	};

	return tagged ? fi_trecvmsg(p.b.ep, &t, flags) : fi_recvmsg(p.b.ep, &m, flags);
}

ssize_t settle(void *context, void *buf, size_t len, bool tagged, uint64_t flags)
{
	struct iovec iov = { buf, len };

	return settle_iov(context, &iov, 1, tagged, flags);
}

bool claimed(void *user, size_t len, uint64_t tag, uint64_t more)
{
	bool tagged = tag != PLAIN;
	struct fi_cq_tagged_entry c;
	fi_addr_t src = FI_ADDR_UNSPEC;

	CHECK_EQ(completion(p.b.rxcq, &c, &src, NULL), 1);
	CHECK(c.op_context == user);
	CHECK_EQ(c.flags, FI_RECV | FI_CLAIM | (tagged ? FI_TAGGED : FI_MSG) | more);
	CHECK_EQ(c.len, len);
	if (tagged)
		CHECK_EQ(c.tag, tag);
	if (p.o.type != FI_EP_MSG)
		CHECK_EQ(src, p.b.peer);
	return true;
}

bool claim(struct told *t, size_t len, uint64_t tag, unsigned int n)
{
	memset(rbuf, 0xee, len + 64);
	t->ctx->context = ctx(n);
	CHECK_EQ(settle(t->ctx, rbuf, len + 64, tag != PLAIN, FI_CLAIM), 0);
	CHECK(claimed(ctx(n), len, tag, 0));
	CHECK(pattern_is(rbuf, len, n));
	return all_bytes(rbuf + len, 64, 0xee);
}

bool discard(struct told *t, bool tagged)
{
	CHECK_EQ(settle(t->ctx, NULL, 0, tagged, FI_DISCARD), 0);
	return true;
}

int offers(enum fi_ep_type type, uint64_t caps, uint64_t hmode, size_t rx_ctx, uint64_t *mode,
	   uint64_t *got)
{
	struct fi_info *h = fi_allocinfo(), *info, *i;
	int n = 0;

	*mode = 0;
	*got = 0;
	if (!h)
		return -1;
	h->fabric_attr->prov_name = strdup("weft");
	h->ep_attr->type = type;
	h->ep_attr->rx_ctx_cnt = rx_ctx;
	h->caps = caps;
	h->mode = hmode;
	node_enter(0);
	if (fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, h, &info))
		info = NULL;
	for (i = info; i; i = i->next, n++) {
		*mode |= i->mode | i->rx_attr->mode;
		*got |= i->caps;
		if (i->mode != i->rx_attr->mode)
			n = -1000;
	}
	if (info)
		fi_freeinfo(info);
	fi_freeinfo(h);
	return n;
}
