// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* fi_msg(3) and fi_getinfo(3) on FI_MSG_PREFIX, rule by rule. TIMEOUT: 200 LINKS: vnet loop */
#include "rows.h"

/* The mode must be kept on either side. */
static bool kept(size_t size)
{
	struct fi_info *info[] = { p.a.info, p.b.info };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		CHECK(info[i]->mode & FI_MSG_PREFIX);
		CHECK(info[i]->tx_attr->mode & FI_MSG_PREFIX);
		CHECK(info[i]->rx_attr->mode & FI_MSG_PREFIX);
		CHECK_EQ(info[i]->ep_attr->msg_prefix_size, size);
	}
	return true;
}

/* Prefix space in front of each buffer counts in its length. It is neither sent nor changed. */
static bool room_in_front(void)
{
	static const size_t lens[] = { 100, 1, 256, 900, 1100 };
	struct fi_cq_tagged_entry c;
	size_t i, n;

	CHECK(kept(24));
	for (i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		n = lens[i];
		memset(rbuf, 0xee, 4096);
		memset(sbuf, 0x55, 24);
		pattern_fill(sbuf + 24, n, i);
		CHECK_EQ(fi_recv(p.b.ep, rbuf, 24 + 2000, NULL, FI_ADDR_UNSPEC, ctx(1)), 0);
		CHECK_EQ(fi_send(p.a.ep, sbuf, 24 + n, NULL, p.a.peer, ctx(2)), 0);
		CHECK(is_sent(2));
		CHECK(is_received(1, 24 + n, false, 0));
		CHECK(all_bytes(rbuf, 24, 0xee));
		CHECK(pattern_is(rbuf + 24, n, i));
		CHECK(all_bytes(rbuf + 24 + n, 1000, 0xee));
		CHECK(all_bytes(sbuf, 24, 0x55));
	}
	/* the other forms of sends, with data of their own */
	pattern_fill(sbuf + 24, 50, 9);
	for (i = 0; i < 3; i++) {
		CHECK_EQ(fi_recv(p.b.ep, rbuf, 100, NULL, FI_ADDR_UNSPEC, ctx(1)), 0);
		if (i == 0)
			CHECK_EQ(fi_inject(p.a.ep, sbuf, 74, p.a.peer), 0);
		else if (i == 1)
			CHECK_EQ(fi_injectdata(p.a.ep, sbuf, 74, 5, p.a.peer), 0);
		else
			CHECK_EQ(fi_senddata(p.a.ep, sbuf, 74, NULL, 5, p.a.peer, ctx(2)), 0);
		CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
		CHECK_EQ(c.len, 74);
		CHECK_EQ(c.flags, FI_RECV | FI_MSG | (i ? FI_REMOTE_CQ_DATA : 0));
		CHECK(pattern_is(rbuf + 24, 50, 9));
	}
	return is_sent(2);
}

/* Large messages, tagged ones, and peeks. */
static bool tagged_too(void)
{
	uint64_t until = now_ms() + WAIT_MS;
	struct fi_cq_tagged_entry c;
	size_t n = 1u << 20;

	pattern_fill(sbuf + 8, n, 3);
	CHECK(kept(8));
	CHECK_EQ(fi_trecv(p.b.ep, rbuf, ROOM, NULL, FI_ADDR_UNSPEC, 7, 0, ctx(1)), 0);
	CHECK_EQ(fi_tsend(p.a.ep, sbuf, 8 + n, NULL, p.a.peer, 7, ctx(2)), 0);
	CHECK(is_received(1, 8 + n, true, 7));
	CHECK(is_sent(2));
	CHECK(all_bytes(rbuf, 8, 0xee));
	CHECK(pattern_is(rbuf + 8, n, 3));
	CHECK_EQ(fi_tsend(p.a.ep, sbuf, 8 + 40, NULL, p.a.peer, 8, ctx(2)), 0);
	CHECK(is_sent(2));
	memset(rbuf, 0xee, 100);
	/* the bytes of a message may come into the kernel's memory just after it is found */
	do {
		CHECK(now_ms() < until);
		CHECK(look_hit(FI_PEEK, rbuf, 8 + 16, 8, 0, 3, &c));
		CHECK_EQ(c.len, 8 + 40);
	} while (!c.buf);
	CHECK(c.buf == rbuf);
	CHECK(all_bytes(rbuf, 8, 0xee));
	CHECK(pattern_is(rbuf + 8, 16, 3));
	CHECK(all_bytes(rbuf + 24, 50, 0xee));
	CHECK_EQ(look(FI_PEEK, rbuf, 7, 8, 0, 3), -FI_EINVAL);
	CHECK_EQ(fi_trecv(p.b.ep, rbuf, 8 + 40, NULL, FI_ADDR_UNSPEC, 8, 0, ctx(1)), 0);
	return is_received(1, 48, true, 8);
}

/* The prefix is the first segment, or the beginning of it. */
static bool first_segment(void)
{
	struct iovec out[2] = { { sbuf, 16 }, { sbuf + 100, 60 } };
	struct iovec in[3] = { { rbuf, 16 }, { rbuf + 100, 10 }, { rbuf + 200, 100 } };
	struct fi_msg m = { .msg_iov = out, .iov_count = 2, .addr = p.a.peer, .context = ctx(2) };

	CHECK(kept(16));
	pattern_fill(sbuf + 100, 60, 4);
	CHECK_EQ(fi_recvv(p.b.ep, in, NULL, 3, FI_ADDR_UNSPEC, ctx(1)), 0);
	CHECK_EQ(fi_sendmsg(p.a.ep, &m, 0), 0);
	CHECK(is_sent(2));
	CHECK(is_received(1, 76, false, 0));
	CHECK(all_bytes(rbuf, 100, 0xee));
	CHECK(!memcmp(rbuf + 100, sbuf + 100, 10) && !memcmp(rbuf + 200, sbuf + 110, 50));
	out[0].iov_len = 15;
	in[0].iov_len = 15;
	CHECK_EQ(fi_sendmsg(p.a.ep, &m, 0), -FI_EINVAL);
	CHECK_EQ(fi_sendv(p.a.ep, out, NULL, 2, p.a.peer, ctx(2)), -FI_EINVAL);
	CHECK_EQ(fi_recvv(p.b.ep, in, NULL, 3, FI_ADDR_UNSPEC, ctx(1)), -FI_EINVAL);
	return true;
}

/* Limits are those of the payload. */
static bool limits(void)
{
	size_t most = p.a.info->ep_attr->max_msg_size, inject = p.a.info->tx_attr->inject_size;
	struct fi_cq_err_entry e;

	CHECK(kept(8));
	pattern_fill(sbuf + 8, inject, 5);
	CHECK_EQ(fi_recv(p.b.ep, rbuf, 8 + inject, NULL, FI_ADDR_UNSPEC, ctx(1)), 0);
	CHECK_EQ(fi_inject(p.a.ep, sbuf, 8 + inject + 1, p.a.peer), -FI_EMSGSIZE);
	CHECK_EQ(fi_inject(p.a.ep, sbuf, 8 + inject, p.a.peer), 0);
	CHECK(is_received(1, 8 + inject, false, 0));
	CHECK(pattern_is(rbuf + 8, inject, 5));
	CHECK_EQ(fi_send(p.a.ep, sbuf, 8 + most + 1, NULL, p.a.peer, ctx(2)), -FI_EMSGSIZE);
	if (most < ROOM - 8) {
		CHECK_EQ(fi_recv(p.b.ep, rbuf, 8 + most, NULL, FI_ADDR_UNSPEC, ctx(1)), 0);
		CHECK_EQ(fi_send(p.a.ep, sbuf, 8 + most, NULL, p.a.peer, ctx(2)), 0);
		CHECK(is_sent(2));
		CHECK(is_received(1, 8 + most, false, 0));
	}
	/* the buffer is too short: the payload lacks the missing bytes */
	CHECK_EQ(fi_recv(p.b.ep, rbuf, 8 + 60, NULL, FI_ADDR_UNSPEC, ctx(1)), 0);
	CHECK_EQ(fi_send(p.a.ep, sbuf, 8 + 100, NULL, p.a.peer, ctx(2)), 0);
	CHECK(is_sent(2));
	CHECK(is_failed(1, FI_ETRUNC, &e));
	CHECK_EQ(e.len, 108);
	CHECK_EQ(e.olen, 40);
	return true;
}

/* The prefix alone is a message of 0 bytes; a shorter buffer is an error. */
static bool no_payload(void)
{
	CHECK(kept(8));
	CHECK_EQ(fi_recv(p.b.ep, rbuf, 8, NULL, FI_ADDR_UNSPEC, ctx(1)), 0);
	CHECK_EQ(fi_send(p.a.ep, sbuf, 8, NULL, p.a.peer, ctx(2)), 0);
	CHECK(is_sent(2));
	CHECK(is_received(1, 8, false, 0));
	CHECK_EQ(fi_send(p.a.ep, sbuf, 7, NULL, p.a.peer, ctx(2)), -FI_EINVAL);
	CHECK_EQ(fi_inject(p.a.ep, sbuf, 0, p.a.peer), -FI_EINVAL);
	CHECK_EQ(fi_send(p.a.ep, NULL, 0, NULL, p.a.peer, ctx(2)), -FI_EINVAL);
	CHECK_EQ(fi_recv(p.b.ep, rbuf, 7, NULL, FI_ADDR_UNSPEC, ctx(1)), -FI_EINVAL);
	return true;
}

#define BUFFERED (1ULL << 51) /* FI_BUFFERED_RECV */

/* The mode in the hints, and in the answer. */
static bool when_kept(void)
{
	static const struct {
		uint64_t mode, caps;
		size_t asked, given;
		bool shared, buffered;
	} t[] = {
		{ FI_MSG_PREFIX, 0, 0, 8 },
		{ FI_MSG_PREFIX | FI_CONTEXT, 0, 1, 8 },
		{ FI_MSG_PREFIX, 0, 40, 40 },
		{ FI_MSG_PREFIX, 0, 4095, 4096 },
		{ 0, 0, 8, 0 },
		{ ~0ull, 0, 0, 0 },
		{ FI_MSG_PREFIX, FI_MULTI_RECV, 0, 0 },
		{ FI_MSG_PREFIX, 0, 0, 0, true },
		/* buffered receives have no space for prefixes; datagrams have none */
		{ FI_MSG_PREFIX | BUFFERED, 0, 0, 0, false, true },
		{ FI_MSG_PREFIX | BUFFERED, FI_MULTI_RECV, 0, 0 },
	};
	struct fi_info *h, *info;
	size_t i, given;
	int ret;

	node_enter(0);
	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		h = fi_allocinfo();
		CHECK(h);
		h->fabric_attr->prov_name = strdup("weft");
		h->ep_attr->type = p.o.type;
		h->caps = FI_MSG | t[i].caps;
		h->mode = t[i].mode;
		h->ep_attr->msg_prefix_size = t[i].asked;
		if (t[i].shared)
			h->ep_attr->rx_ctx_cnt = FI_SHARED_CONTEXT;
		ret = fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, h, &info);
		CHECK_EQ(ret, 0);
		if (t[i].buffered && p.o.type != FI_EP_DGRAM) {
			CHECK_EQ(info->ep_attr->msg_prefix_size, 0);
			CHECK_EQ(info->mode, BUFFERED);
			CHECK_EQ(info->tx_attr->mode, 0);
		} else {
			given = t[i].buffered ? 8 : t[i].given;
			CHECK_EQ(info->ep_attr->msg_prefix_size, given);
			CHECK_EQ(info->mode, given ? FI_MSG_PREFIX : 0);
			CHECK_EQ(info->tx_attr->mode, info->mode);
		}
		CHECK_EQ(info->rx_attr->mode, info->mode);
		fi_freeinfo(info);
		h->ep_attr->msg_prefix_size = 4097;
		CHECK_EQ(fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, h, &info), -FI_ENODATA);
		fi_freeinfo(h);
	}
	return true;
}

#define PREFIX(size) .o.mode = FI_MSG_PREFIX, .o.prefix = size

static const struct row rows[] = {
	ROW("MSG-080", ON_ALL, "Buffers begin with room that is counted and not sent",
	    room_in_front, PREFIX(24)),
	ROW("MSG-080b", ON_BOTH, "Long and tagged messages, and peeks, likewise", tagged_too,
	    PREFIX(8)),
	ROW("MSG-081", ON_ALL, "The prefix lies whole in the first segment", first_segment,
	    PREFIX(16)),
	ROW("MSG-082", ON_ALL, "Limits count payload only", limits, PREFIX(8)),
	ROW("MSG-083", ON_ALL, "The prefix alone is a message of no bytes, less is refused",
	    no_payload, PREFIX(8)),
	ROW("MSG-080c", ON_ALL, "The mode is kept for who asks for it, and can", when_kept,
	    .alone = true),
};

int main(int argc, char **argv)
{
	return rows_main(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
}
