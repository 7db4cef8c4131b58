// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* fi_msg(3), rule by rule. TIMEOUT: 400 LINKS: vnet loop slow stack */
#include <netinet/in.h>
#include <unistd.h>
#include "looks.h"
#include "rows.h"

/* this length is announced, and stays at the sender until a receive takes it */
#define LONG (1u << 20)

/* ---- Calls and arguments ------------------------------------------------------------- */

static bool one_buffer(void)
{
	CHECK(post_plain(rbuf, 4096, 1));
	CHECK(send_plain(100, 7, 2));
	CHECK(is_received(1, 100, false, 0));
	CHECK(pattern_is(rbuf, 100, 7));
	return all_bytes(rbuf + 100, 4096, 0xee);
}

static bool scatters(void)
{
	struct iovec iov[4] = {
		{ rbuf, 3 }, { rbuf + 10, 0 }, { rbuf + 20, 5 }, { rbuf + 40, 64 }
	};

	CHECK_EQ(fi_recvv(p.b.ep, iov, NULL, 4, FI_ADDR_UNSPEC, ctx(1)), 0);
	CHECK(send_plain(20, 7, 2));
	CHECK(is_received(1, 20, false, 0));
	CHECK(!memcmp(rbuf, sbuf, 3) && !memcmp(rbuf + 20, sbuf + 3, 5) &&
	      !memcmp(rbuf + 40, sbuf + 8, 12));
	return all_bytes(rbuf + 3, 17, 0xee) && all_bytes(rbuf + 25, 15, 0xee) &&
	       all_bytes(rbuf + 52, 100, 0xee);
}

static bool boundaries(void)
{
	static const size_t lens[] = { 1, 4096, 0, 17 };
	struct fi_cq_tagged_entry c;
	unsigned int i, k, seen = 0;

	for (i = 0; i < 4; i++)
		CHECK(post_plain(rbuf + 8192 * i, 8192, i));
	for (i = 0; i < 4; i++)
		CHECK(send_plain(lens[i], i, 9));
	/* completions of different kinds of messages come in any order */
	for (k = 0; k < 4; k++) {
		CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
		for (i = 0; c.op_context != ctx(i); i++)
			CHECK(i < 4);
		seen |= 1u << i;
		CHECK_EQ(c.len, lens[i]);
		CHECK(pattern_is(rbuf + 8192 * i, lens[i], i));
		CHECK(all_bytes(rbuf + 8192 * i + lens[i], 8192 - lens[i], 0xee));
	}
	CHECK_EQ(seen, 15);
	return true;
}

static bool gathers(void)
{
	size_t n = p.a.info->tx_attr->iov_limit, i, len = 0;
	struct iovec iov[32];

	CHECK(n > 1 && n < 32);
	CHECK_EQ(p.b.info->rx_attr->iov_limit, n);
	pattern_fill(sbuf, 4096, 3);
	for (i = 0; i <= n; i++) {
		iov[i] = (struct iovec){ sbuf + len, i == 2 ? 0 : 37 * i + 1 };
		if (i < n)
			len += iov[i].iov_len;
	}
	CHECK(post_plain(rbuf, 8192, 1));
	CHECK_EQ(fi_sendv(p.a.ep, iov, NULL, n, p.a.peer, ctx(2)), 0);
	CHECK(is_sent(2));
	CHECK(is_received(1, len, false, 0));
	CHECK(pattern_is(rbuf, len, 3));
	CHECK_EQ(fi_sendv(p.a.ep, iov, NULL, n + 1, p.a.peer, ctx(2)), -FI_EINVAL);
	CHECK_EQ(fi_recvv(p.b.ep, iov, NULL, n + 1, FI_ADDR_UNSPEC, ctx(1)), -FI_EINVAL);
	return true;
}

static bool remote_data(void)
{
	struct fi_cq_tagged_entry c;

	CHECK(post_plain(rbuf, 64, 1));
	CHECK(post_plain(rbuf, 64, 2));
	CHECK_EQ(fi_senddata(p.a.ep, sbuf, 8, NULL, 0x0123456789abcdefull, p.a.peer, ctx(3)), 0);
	CHECK(is_sent(3));
	CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
	CHECK_EQ(c.flags, FI_RECV | FI_MSG | FI_REMOTE_CQ_DATA);
	CHECK_EQ(c.data, 0x0123456789abcdefull);
	CHECK(send_plain(8, 1, 3));
	return is_received(2, 8, false, 0);
}

static bool zero_bytes(void)
{
	struct iovec iov = { NULL, 0 };
	struct fi_msg m = { .addr = p.a.peer, .context = ctx(2) };
	struct fi_cq_tagged_entry c;
	unsigned int i;

	for (i = 0; i < 8; i++) {
		if (i & 1)
			CHECK_EQ(fi_recv(p.b.ep, NULL, 0, NULL, FI_ADDR_UNSPEC, ctx(1)), 0);
		else
			CHECK(post_plain(rbuf, 64, 1));
		switch (i) {
		case 0:
			CHECK_EQ(fi_send(p.a.ep, NULL, 0, NULL, p.a.peer, ctx(2)), 0);
			break;
		case 1:
			CHECK_EQ(fi_sendv(p.a.ep, NULL, NULL, 0, p.a.peer, ctx(2)), 0);
			break;
		case 2:
			CHECK_EQ(fi_sendmsg(p.a.ep, &m, FI_COMPLETION), 0);
			break;
		case 3:
			m.msg_iov = &iov;
			m.iov_count = 1;
			CHECK_EQ(fi_sendmsg(p.a.ep, &m, FI_COMPLETION | FI_INJECT), 0);
			break;
		case 4:
			CHECK_EQ(fi_inject(p.a.ep, NULL, 0, p.a.peer), 0);
			break;
		case 5:
			CHECK_EQ(fi_injectdata(p.a.ep, NULL, 0, 9, p.a.peer), 0);
			break;
		default:
			CHECK_EQ(fi_senddata(p.a.ep, NULL, 0, NULL, 9, p.a.peer, ctx(2)), 0);
			break;
		}
		if (i != 4 && i != 5)
			CHECK(is_sent(2));
		CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
		CHECK_EQ(c.len, 0);
		CHECK(c.op_context == ctx(1));
	}
	return all_bytes(rbuf, 64, 0xee);
}

static bool too_long(void)
{
	size_t max = p.a.info->ep_attr->max_msg_size;

	CHECK_EQ(fi_send(p.a.ep, sbuf, max + 1, NULL, p.a.peer, ctx(1)), -FI_EMSGSIZE);
	if (p.o.type != FI_EP_DGRAM)
		return true;
	CHECK(max >= 1024 && max < ROOM);
	CHECK(post_plain(rbuf, ROOM, 1));
	CHECK(send_plain(max, 5, 2));
	CHECK(is_received(1, max, false, 0));
	return pattern_is(rbuf, max, 5);
}

/* At most this many datagrams wait for a receive. */
static bool may_wait(unsigned int n)
{
	return port_limit(p.o.apart, "datagrams-endpoint", n);
}

/* No datagram may wait: without a receive it is counted, and lost before one is posted. */
static bool none_waits(void)
{
	long long dropped = port_attr(p.o.apart, "counters/dgrams_dropped");
	uint64_t until = now_ms() + WAIT_MS;
	struct iovec iov = { sbuf, 8 };
	struct fi_msg m = {
		.msg_iov = &iov, .iov_count = 1, .addr = p.a.peer, .context = ctx(2)
	};
	struct fi_cq_tagged_entry c;
	unsigned int i;

	for (i = 0; i < 20; i++)
		CHECK(send_plain(8, i, 2));
	/* B's node has them when B has dropped them */
	while (port_attr(p.o.apart, "counters/dgrams_dropped") < dropped + 20) {
		CHECK(now_ms() < until);
		usleep(1000);
	}
	/* levels that need an answer of the receiver are not offered */
	CHECK_EQ(fi_sendmsg(p.a.ep, &m, FI_DELIVERY_COMPLETE), -FI_EBADFLAGS);
	CHECK_EQ(fi_sendmsg(p.a.ep, &m, FI_MATCH_COMPLETE), -FI_EBADFLAGS);
	CHECK(quiet(p.b.rxcq));
	CHECK(post_plain(rbuf, 64, 1));
	CHECK(quiet(p.b.rxcq));
	CHECK_EQ(fi_senddata(p.a.ep, sbuf, 9, NULL, 77, p.a.peer, ctx(2)), 0);
	CHECK(is_sent(2));
	CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
	CHECK_EQ(c.len, 9);
	CHECK_EQ(c.data, 77);
	return true;
}

static bool dgram_dropped(void)
{
	bool ok = may_wait(0) && none_waits();

	return may_wait(64) && ok;
}

/* One of the datagrams @from to @from + @n - 1; its bytes say which. @seen: those that arrived. */
static bool one_of(unsigned int from, unsigned int n, bool *seen)
{
	unsigned int i;

	CHECK(is_received(1, 8, false, 0));
	for (i = 0; i < n && (seen[i] || !pattern_is(rbuf, 8, from + i)); i++)
		;
	CHECK(i < n);
	seen[i] = true;
	return true;
}

/* 64 wait, 20 more are counted and lost, in any order. Then there is space again. */
static bool dgram_waits(void)
{
	long long dropped = port_attr(p.o.apart, "counters/dgrams_dropped");
	uint64_t until = now_ms() + WAIT_MS;
	bool seen[84] = { false };
	unsigned int i;

	/* make the path to B: before that the sender keeps at most 64 */
	CHECK(post_plain(rbuf, 64, 1));
	CHECK(send_plain(8, 1, 2));
	CHECK(is_received(1, 8, false, 0));
	for (i = 0; i < 84; i++)
		CHECK(send_plain(8, 100 + i, 2));
	while (port_attr(p.o.apart, "counters/dgrams_dropped") < dropped + 20) {
		CHECK(now_ms() < until);
		usleep(1000);
	}
	CHECK(quiet(p.b.rxcq));
	for (i = 0; i < 64; i++) {
		CHECK(post_plain(rbuf, 64, 1));
		CHECK(one_of(100, 84, seen));
	}
	CHECK(post_plain(rbuf, 64, 1));
	CHECK(quiet(p.b.rxcq));
	CHECK(send_plain(8, 1, 2));
	CHECK(is_received(1, 8, false, 0));
	CHECK(pattern_is(rbuf, 8, 1));
	CHECK_EQ(port_attr(p.o.apart, "counters/dgrams_dropped"), dropped + 20);
	return true;
}

/* ---- Fences -------------------------------------------------------------------------- */

static ssize_t send_flags(size_t len, fi_addr_t to, uint64_t flags, unsigned int n)
{
	struct iovec iov = { sbuf, len };
	struct fi_msg m = { .msg_iov = &iov, .iov_count = 1, .addr = to, .context = ctx(n) };

	return fi_sendmsg(p.a.ep, &m, flags);
}

static bool fence_holds(void)
{
	pattern_fill(sbuf, LONG, 4);
	CHECK(post_tagged(rbuf + LONG, 64, 5, 0, 6));
	CHECK_EQ(send_flags(LONG, p.a.peer, FI_COMPLETION, 1), 0);
	/* tagged and untagged sends are in one order */
	{
		struct iovec iov = { sbuf, 8 };
		struct fi_msg_tagged m = {
			.msg_iov = &iov, .iov_count = 1, .addr = p.a.peer, .tag = 5,
			.context = ctx(2)
		};

		CHECK_EQ(fi_tsendmsg(p.a.ep, &m, FI_FENCE), 0);
		m.context = ctx(3);
		CHECK_EQ(fi_tsendmsg(p.a.ep, &m, 0), 0);
	}
	CHECK(post_tagged(rbuf + LONG + 64, 64, 5, 0, 7));
	CHECK(quiet(p.b.rxcq));
	CHECK(quiet(p.a.txcq));
	CHECK(post_plain(rbuf, LONG, 8));
	CHECK(is_received(8, LONG, false, 0));
	CHECK(pattern_is(rbuf, LONG, 4));
	CHECK(is_received(6, 8, true, 5));
	CHECK(is_received(7, 8, true, 5));
	CHECK(is_sent(1));
	CHECK(is_sent(2));
	return is_sent(3);
}

/* B's own endpoint cannot be another peer of A: A itself is that peer. */
static bool fence_others(void)
{
	struct fi_cq_tagged_entry c;
	uint8_t addr[64];
	size_t len = sizeof(addr);
	fi_addr_t self;

	CHECK_EQ(fi_getname(&p.a.ep->fid, addr, &len), 0);
	CHECK_EQ(fi_av_insert(p.a.av, addr, 1, &self, 0, NULL), 1);
	CHECK_EQ(fi_recv(p.a.ep, rbuf, 64, NULL, FI_ADDR_UNSPEC, ctx(1)), 0);
	CHECK_EQ(send_flags(LONG, p.a.peer, 0, 2), 0);
	CHECK_EQ(send_flags(8, p.a.peer, FI_FENCE, 3), 0);
	CHECK_EQ(send_flags(8, self, FI_FENCE, 4), 0);
	CHECK(is_sent(4));
	CHECK_EQ(completion(p.a.rxcq, &c, NULL, NULL), 1);
	CHECK(c.op_context == ctx(1));
	CHECK(quiet(p.a.txcq));
	CHECK(post_plain(rbuf, LONG, 5));
	CHECK(post_plain(rbuf, 64, 6));
	CHECK(is_sent(2));
	CHECK(is_sent(3));
	CHECK(is_received(5, LONG, false, 0));
	return is_received(6, 8, false, 0);
}

static bool fence_vouches(void)
{
	unsigned int i;

	for (i = 0; i < 40; i++)
		CHECK(post_plain(rbuf + 4096 * i, 4096, i));
	pattern_fill(sbuf, 3000, 9);
	for (i = 0; i < 39; i++)
		CHECK_EQ(send_flags(i & 1 ? 3000 : 60, p.a.peer, FI_INJECT_COMPLETE, 100), 0);
	CHECK_EQ(send_flags(8, p.a.peer, FI_FENCE | FI_DELIVERY_COMPLETE, 101), 0);
	for (i = 0; i < 39; i++)
		CHECK(is_sent(100));
	CHECK(is_sent(101));
	/* B has not read completions; small messages are placed when it does */
	for (i = 1; i < 39; i += 2)
		CHECK(pattern_is(rbuf + 4096 * i, 3000, 9));
	for (i = 0; i < 40; i++) {
		struct fi_cq_tagged_entry c;

		CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
	}
	return true;
}

static bool fence_order(void)
{
	unsigned int i;

	for (i = 0; i < 30; i++)
		CHECK(post_plain(rbuf + 64 * i, 64, i));
	for (i = 0; i < 30; i++) {
		memset(sbuf, i, 8);
		CHECK_EQ(send_flags(8, p.a.peer, i % 10 ? 0 : FI_FENCE, 50), 0);
		CHECK(is_sent(50));
	}
	for (i = 0; i < 30; i++) {
		CHECK(is_received(i, 8, false, 0));
		CHECK(all_bytes(rbuf + 64 * i, 8, i));
	}
	return true;
}

/* No endpoint has the service, or no node has the address (a loop port has no other addresses). */
static bool dgram_nobody(void)
{
	const char *link = getenv("LINK");
	unsigned int n = link && !strcmp(link, "loop") ? 1 : 2;
	struct sockaddr_in a;
	size_t len = sizeof(a);
	fi_addr_t to[2];
	unsigned int i;

	CHECK_EQ(fi_getname(&p.b.ep->fid, &a, &len), 0);
	a.sin_port = htons(9);
	CHECK_EQ(fi_av_insert(p.a.av, &a, 1, &to[0], 0, NULL), 1);
	a.sin_addr.s_addr ^= htonl(0x80);
	CHECK_EQ(fi_av_insert(p.a.av, &a, 1, &to[1], 0, NULL), 1);
	CHECK_EQ(p.a.info->tx_attr->op_flags & FI_TRANSMIT_COMPLETE, FI_TRANSMIT_COMPLETE);
	for (i = 0; i < 40; i++) {
		CHECK_EQ(fi_send(p.a.ep, sbuf, 8, NULL, to[i % n], ctx(i)), 0);
		CHECK(is_sent(i));
	}
	return true;
}

static bool any_destination(void)
{
	static const fi_addr_t to[] = { 0, FI_ADDR_UNSPEC, 12345 };
	unsigned int i;

	for (i = 0; i < 3; i++) {
		CHECK(post_plain(rbuf, 64, 1));
		CHECK_EQ(fi_send(p.a.ep, sbuf, 8, NULL, to[i], ctx(2)), 0);
		CHECK(is_sent(2));
		CHECK(is_received(1, 8, false, 0));
	}
	return true;
}

/* B itself is the second sender. */
static bool directed(void)
{
	uint8_t addr[64];
	size_t len = sizeof(addr);
	fi_addr_t self;

	CHECK_EQ(fi_getname(&p.b.ep->fid, addr, &len), 0);
	CHECK_EQ(fi_av_insert(p.b.av, addr, 1, &self, 0, NULL), 1);
	CHECK_EQ(fi_recv(p.b.ep, rbuf, 64, NULL, self, ctx(1)), 0);
	CHECK_EQ(fi_recv(p.b.ep, rbuf, 64, NULL, FI_ADDR_UNSPEC, ctx(2)), 0);
	CHECK_EQ(fi_recv(p.b.ep, rbuf, 64, NULL, p.b.peer, ctx(3)), 0);
	CHECK(send_plain(8, 1, 9));
	CHECK(is_received(2, 8, false, 0));
	CHECK(send_plain(9, 1, 9));
	CHECK(is_received(3, 9, false, 0));
	CHECK_EQ(fi_inject(p.b.ep, sbuf, 10, self), 0);
	{
		struct fi_cq_tagged_entry c;
		fi_addr_t src;

		CHECK_EQ(completion(p.b.rxcq, &c, &src, NULL), 1);
		CHECK(c.op_context == ctx(1));
		CHECK_EQ(c.len, 10);
		CHECK_EQ(src, self);
	}
	return true;
}

static bool undirected(void)
{
	CHECK_EQ(fi_recv(p.b.ep, rbuf, 64, NULL, 777, ctx(1)), 0);
	CHECK(send_plain(8, 1, 9));
	return is_received(1, 8, false, 0);
}

static bool posted_order(void)
{
	unsigned int i;

	for (i = 0; i < 100; i++)
		CHECK(post_plain(rbuf + 64 * i, 64, i));
	for (i = 0; i < 100; i++)
		CHECK(send_plain(i % 60, i, 200));
	for (i = 0; i < 100; i++) {
		CHECK(is_received(i, i % 60, false, 0));
		CHECK(pattern_is(rbuf + 64 * i, i % 60, i));
	}
	return true;
}

static bool waiting_order(void)
{
	unsigned int i;

	for (i = 0; i < 1000; i++) {
		memset(sbuf, i, 8);
		CHECK_EQ(fi_inject(p.a.ep, sbuf, 8, p.a.peer), 0);
	}
	for (i = 0; i < 1000; i++) {
		CHECK(post_plain(rbuf, 64, i));
		CHECK(is_received(i, 8, false, 0));
		CHECK(all_bytes(rbuf, 8, i));
	}
	return true;
}

static bool truncates(void)
{
	struct fi_cq_err_entry e;

	CHECK(post_plain(rbuf, 60, 1));
	CHECK(post_plain(rbuf + 512, 60, 2));
	CHECK(send_plain(100, 1, 3));
	CHECK(is_failed(1, FI_ETRUNC, &e));
	CHECK_EQ(e.olen, 40);
	CHECK_EQ(e.len, 100);
	CHECK(pattern_is(rbuf, 60, 1));
	CHECK(all_bytes(rbuf + 60, 100, 0xee));
	CHECK(send_plain(50, 2, 3));
	CHECK(is_received(2, 50, false, 0));
	return pattern_is(rbuf + 512, 50, 2);
}

/* ---- Multi-receive ------------------------------------------------------------------- */

static ssize_t post_multi(void *buf, size_t len, uint64_t flags, unsigned int n)
{
	struct iovec iov = { buf, len };
	struct fi_msg m = {
		.msg_iov = &iov, .iov_count = 1, .addr = FI_ADDR_UNSPEC, .context = ctx(n)
	};

	return fi_recvmsg(p.b.ep, &m, FI_MULTI_RECV | flags);
}

static bool set_min(size_t min)
{
	size_t got = 0, len = sizeof(got);

	CHECK_EQ(fi_setopt(&p.b.ep->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &min, sizeof(min)),
		 0);
	CHECK_EQ(fi_getopt(&p.b.ep->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &got, &len), 0);
	CHECK_EQ(got, min);
	return true;
}

/* B's next completion is of a message of @len bytes at @at, the last one if @last. */
static bool is_part(unsigned int n, void *at, size_t len, uint32_t seed, bool last)
{
	struct fi_cq_tagged_entry c;

	CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
	CHECK(c.op_context == ctx(n));
	CHECK_EQ(c.flags, FI_RECV | FI_MSG | (last ? FI_MULTI_RECV : 0));
	CHECK_EQ(c.len, len);
	CHECK(c.buf == at);
	return pattern_is(at, len, seed);
}

static bool is_release(unsigned int n)
{
	struct fi_cq_tagged_entry c;

	CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
	CHECK(c.op_context == ctx(n));
	CHECK_EQ(c.flags, FI_MULTI_RECV);
	CHECK_EQ(c.len, 0);
	CHECK(!c.buf);
	return true;
}

/* Cancel the buffer: one error entry, which is its release. */
static bool release(unsigned int n)
{
	struct fi_cq_err_entry e;

	CHECK_EQ(fi_cancel(&p.b.ep->fid, ctx(n)), 0);
	CHECK(is_failed(n, FI_ECANCELED, &e));
	CHECK(e.flags & FI_MULTI_RECV);
	return true;
}

static bool multi_packs(void)
{
	unsigned int i;

	CHECK_EQ(post_multi(rbuf, 4096, 0, 1), 0);
	for (i = 0; i < 10; i++) {
		CHECK(send_plain(100, i, 2));
		CHECK(is_part(1, rbuf + 104 * i, 100, i, false));
	}
	for (i = 0; i < 10; i++)
		CHECK(pattern_is(rbuf + 104 * i, 100, i));
	CHECK(all_bytes(rbuf + 1036, 3060, 0xee));
	return release(1);
}

static bool multi_edges(void)
{
	CHECK(set_min(64));
	CHECK_EQ(post_multi(rbuf, 256, 0, 1), 0);
	CHECK(send_plain(96, 1, 2));
	CHECK(is_part(1, rbuf, 96, 1, false));
	CHECK(send_plain(96, 2, 2));
	CHECK(is_part(1, rbuf + 96, 96, 2, false));
	CHECK(send_plain(1, 3, 2));
	CHECK(is_part(1, rbuf + 192, 1, 3, true));
	CHECK_EQ(post_multi(rbuf, 256, 0, 1), 0);
	CHECK(send_plain(193, 1, 2));
	CHECK(is_part(1, rbuf, 193, 1, true));
	return true;
}

static bool multi_once(void)
{
	static const size_t lens[] = { 1, 700, 0, 3000, 40, 20000, 64, LONG, 8, 100 };
	unsigned int i, k, x = 1, sent = 0, released = 0, got = 0, buffers = 0;
	struct fi_cq_tagged_entry c;
	struct fi_cq_err_entry e;
	bool over = true;
	int ret;

	CHECK(set_min(64));
	for (i = 0; i < 100; i++) {
		if (over) {
			CHECK_EQ(post_multi(rbuf, 8192, 0, 100 + buffers++), 0);
			over = false;
		}
		x = x * 1103515245 + 12345;
		k = (x >> 16) % 10;
		CHECK_EQ(fi_send(p.a.ep, sbuf, lens[k], NULL, p.a.peer, ctx(2)), 0);
		sent++;
		/* result: one completion, the release in it or after it */
		ret = completion(p.b.rxcq, &c, NULL, &e);
		got++;
		CHECK(is_sent(2));
		if (ret == 1) {
			CHECK(c.op_context == ctx(99 + buffers));
			over = c.flags & FI_MULTI_RECV;
		} else {
			CHECK_EQ(e.err, FI_ETRUNC);
			CHECK(is_release(99 + buffers));
			over = true;
		}
		released += over;
	}
	CHECK_EQ(sent, got);
	if (over)
		return true;
	CHECK(release(99 + buffers));
	released++;
	CHECK_EQ(released, buffers);
	return true;
}

static bool multi_suppressed(void)
{
	CHECK(set_min(64));
	CHECK_EQ(post_multi(rbuf, 128, 0, 1), 0);
	pattern_fill(sbuf, 60, 1);
	CHECK_EQ(fi_inject(p.a.ep, sbuf, 60, p.a.peer), 0);
	CHECK(quiet(p.b.rxcq));
	CHECK_EQ(fi_inject(p.a.ep, sbuf, 60, p.a.peer), 0);
	CHECK(is_release(1));
	CHECK(pattern_is(rbuf, 60, 1));
	CHECK(pattern_is(rbuf + 64, 60, 1));
	return true;
}

static bool multi_aligned(void)
{
	unsigned int len, at = 0;

	CHECK_EQ(post_multi(rbuf, 4096, 0, 1), 0);
	for (len = 1; len < 20; len++) {
		CHECK(send_plain(len, len, 2));
		CHECK(is_part(1, rbuf + at, len, len, false));
		at = (at + len + 7) & ~7u;
	}
	CHECK(send_plain(0, 0, 2));
	CHECK(is_part(1, rbuf + at, 0, 0, false));
	CHECK(send_plain(8, 1, 2));
	CHECK(is_part(1, rbuf + at, 8, 1, false));
	return release(1);
}

static bool multi_default(void)
{
	uint64_t flags = FI_MULTI_RECV | FI_RECV;

	CHECK_EQ(fi_control(&p.b.ep->fid, FI_SETOPSFLAG, &flags), 0);
	CHECK(post_plain(rbuf, 4096, 1));
	CHECK(send_plain(10, 1, 2));
	CHECK(is_part(1, rbuf, 10, 1, false));
	CHECK(send_plain(10, 2, 2));
	CHECK(is_part(1, rbuf + 16, 10, 2, false));
	/* tagged receives are not affected */
	CHECK(post_tagged(rbuf + 8192, 64, 5, 0, 3));
	CHECK(send_tagged(10, 5, 3, 2));
	CHECK(is_received(3, 10, true, 5));
	return release(1);
}

static bool multi_waiting(void)
{
	unsigned int i;

	for (i = 0; i < 10; i++)
		CHECK(send_plain(100, i, 2));
	CHECK(set_min(200));
	CHECK_EQ(post_multi(rbuf, 1200, 0, 1), 0);
	for (i = 0; i < 10; i++)
		CHECK(is_part(1, rbuf + 104 * i, 100, i, i == 9));
	return true;
}

static bool multi_truncates(void)
{
	struct fi_cq_err_entry e;

	CHECK(set_min(64));
	CHECK_EQ(post_multi(rbuf, 204, 0, 1), 0);
	CHECK(send_plain(100, 1, 2));
	CHECK(is_part(1, rbuf, 100, 1, false));
	CHECK(send_plain(150, 2, 2));
	CHECK(is_failed(1, FI_ETRUNC, &e));
	CHECK_EQ(e.olen, 50);
	CHECK(e.buf == rbuf + 104);
	CHECK(pattern_is(rbuf + 104, 100, 2));
	CHECK(all_bytes(rbuf + 204, 100, 0xee));
	return is_release(1);
}

static bool multi_min_of_post(void)
{
	struct iovec iov[2] = { { rbuf, 100 }, { rbuf + 100, 100 } };
	struct fi_msg m = { .msg_iov = iov, .iov_count = 2, .addr = FI_ADDR_UNSPEC };

	CHECK(set_min(64));
	CHECK_EQ(post_multi(rbuf, 256, 0, 1), 0);
	CHECK(set_min(200));
	CHECK_EQ(post_multi(rbuf, 199, 0, 2), -FI_EINVAL);
	CHECK_EQ(post_multi(rbuf + 1024, 256, 0, 2), 0);
	CHECK_EQ(fi_recvmsg(p.b.ep, &m, FI_MULTI_RECV), -FI_EINVAL);
	CHECK(send_plain(100, 1, 3));
	CHECK(is_part(1, rbuf, 100, 1, false));
	CHECK(send_plain(100, 2, 3));
	CHECK(is_part(1, rbuf + 104, 100, 2, true));
	CHECK(send_plain(57, 3, 3));
	return is_part(2, rbuf + 1024, 57, 3, true);
}

#define MULTI .o.caps = FI_MULTI_RECV

static const struct row rows[] = {
	ROW("MSG-001", ON_ALL, "A posted buffer is filled by one message", one_buffer),
	ROW("MSG-002", ON_ALL, "A message is scattered over the segments, front to back",
	    scatters),
	ROW("MSG-004", ON_BOTH, "Message boundaries are kept", boundaries),
	ROW("MSG-005", ON_ALL, "Segments up to the limit make one message, more are refused",
	    gathers),
	ROW("MSG-011", ON_ALL, "Remote completion data arrive, 8 bytes in host order",
	    remote_data),
	ROW("MSG-013", ON_ALL, "A message may have zero bytes, in every form", zero_bytes),
	ROW("MSG-014", ON_ALL, "A message longer than max_msg_size is refused", too_long),
	ROW("MSG-015", ON_MSG, "The destination means nothing on a connected endpoint",
	    any_destination),
	ROW("MSG-016", ON_FREE, "Directed receives take messages of their source only", directed,
	    .o.caps = FI_DIRECTED_RECV),
	ROW("MSG-017", ON_ALL, "Without directed receives the source is ignored", undirected),
	ROW("MSG-025", ON_ALL, "Receives are considered in the order they were posted",
	    posted_order),
	ROW("MSG-027", ON_BOTH, "Messages that come first are kept and matched in order",
	    waiting_order, .o.tx_size = 1024),
	ROW("MSG-028", ON_ALL, "A message longer than its buffer is cut and reported", truncates),
	ROW("MSG-029", ON_DGRAM, "Without a buffer, and none that may wait, a datagram is dropped",
	    dgram_dropped),
	ROW("MSG-029b", ON_DGRAM, "As many as may wait for a buffer, and no more", dgram_waits),
	ROW("MSG-038", ON_ALL, "A multi-receive buffer takes messages one after the other",
	    multi_packs, MULTI),
	ROW("MSG-039", ON_ALL, "It is released when less than the minimum is left", multi_edges,
	    MULTI),
	ROW("MSG-040", ON_BOTH, "The release is reported exactly once, and last", multi_once,
	    MULTI),
	ROW("MSG-041", ON_ALL, "The release is reported when receives are suppressed",
	    multi_suppressed, MULTI, .o.selective = true),
	ROW("MSG-042", ON_ALL, "Messages begin at multiples of 8 bytes", multi_aligned, MULTI),
	ROW("MSG-043", ON_BOTH, "Multi-receive may be the default of receives", multi_default,
	    MULTI),
	ROW("MSG-044", ON_BOTH, "Messages that wait go into the buffer, in order", multi_waiting,
	    MULTI),
	ROW("MSG-045", ON_ALL, "A message too long for what is left is cut and ends the buffer",
	    multi_truncates, MULTI),
	ROW("MSG-046", ON_ALL, "The minimum is that of the time of the post", multi_min_of_post,
	    MULTI),
	ROW("MSG-053", ON_BOTH, "A fenced send waits for all earlier ones to that peer",
	    fence_holds, .o.caps = FI_FENCE),
	ROW("MSG-054", ON_BOTH, "Sends after the fenced one wait too", fence_holds,
	    .o.caps = FI_FENCE),
	ROW("MSG-055", ON_RDM, "Other peers are not held up by a fence", fence_others,
	    .o.caps = FI_FENCE),
	ROW("MSG-056", ON_BOTH, "Completion of a fenced send vouches for those before it",
	    fence_vouches, .o.caps = FI_FENCE),
	ROW("MSG-057", ON_BOTH, "From one fence to the next, ordinary order rules hold",
	    fence_order, .o.caps = FI_FENCE),
	ROW("MSG-049", ON_DGRAM, "A datagram is complete when it is handed to the network",
	    dgram_nobody),
};

int main(int argc, char **argv)
{
	return rows_main(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
}
