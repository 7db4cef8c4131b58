// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fi_msg(3) and fi_tagged(3) through stock libfabric: every call, contents and completions on both
 * sides
 *
 * Between the nodes and within one, RDM and MSG, IPv4 and IPv6. With argument "apart" only between
 * the nodes, IPv4.
 * TIMEOUT: 300 KERNELS: each
 */
#include <stdlib.h>
#include <string.h>
#include "forms.h"

#define MAXLEN (6u << 20)

static struct pair p;
static uint8_t *sbuf, *rbuf;

static void *ctx(uintptr_t n)
{
	return (void *)(0x1000 + n);
}

/* A's next completion is this send's. */
static bool sent(uintptr_t n, bool tagged)
{
	struct fi_cq_tagged_entry c;

	CHECK_EQ(completion(p.a.txcq, &c, NULL, NULL), 1);
	CHECK(c.op_context == ctx(n));
	CHECK_EQ(c.flags & (FI_SEND | FI_MSG | FI_TAGGED), FI_SEND | (tagged ? FI_TAGGED : FI_MSG));
	return true;
}

/* B's next completion is this receive's. */
static bool received(uintptr_t n, size_t len, bool tagged, uint64_t tag, bool data, uint64_t value)
{
	struct fi_cq_tagged_entry c;
	fi_addr_t src = FI_ADDR_UNSPEC;

	CHECK_EQ(completion(p.b.rxcq, &c, &src, NULL), 1);
	CHECK(c.op_context == ctx(n));
	CHECK_EQ(c.len, len);
	CHECK_EQ(c.flags & (FI_RECV | FI_MSG | FI_TAGGED), FI_RECV | (tagged ? FI_TAGGED : FI_MSG));
	if (tagged)
		CHECK_EQ(c.tag, tag);
	CHECK_EQ(!!(c.flags & FI_REMOTE_CQ_DATA), data);
	if (data)
		CHECK_EQ(c.data, value);
	if (p.o.type == FI_EP_RDM && p.o.caps & FI_SOURCE)
		CHECK_EQ(src, p.b.peer);
	return true;
}

static ssize_t send_form(enum send_form f, const void *buf, size_t len, uint64_t data, bool tagged,
			 uint64_t tag, void *context)
{
	struct letter l = {
		.tagged = tagged, .tag = tag, .data = data, .peer = p.a.peer, .context = context,
		.flags = FI_COMPLETION | FI_REMOTE_CQ_DATA
	};

	return send_by(p.a.ep, f, buf, len, &l);
}

static ssize_t recv_form(enum recv_form f, void *buf, size_t len, bool tagged, uint64_t tag,
			 uint64_t ignore, void *context)
{
	struct letter l = {
		.tagged = tagged, .tag = tag, .ignore = ignore, .peer = FI_ADDR_UNSPEC,
		.context = context, .flags = FI_COMPLETION
	};

	return recv_by(p.b.ep, f, buf, len, &l);
}

/* Every form of send with every form of receive. */
static bool forms(void)
{
	const uint64_t data = 0x0123456789abcdefull;
	enum recv_form r;
	enum send_form f;
	int tagged;

	for (tagged = 0; tagged < 2; tagged++) {
		for (f = 0; f < SEND_FORMS; f++) {
			for (r = 0; r < RECV_FORMS; r++) {
				size_t len = form_injects(f) ? 100 : 3000;
				uint64_t tag = 0xf00d000000000000ull + f * 3 + r;
				bool with = form_has_data(f, FI_REMOTE_CQ_DATA);

				memset(rbuf, 0xee, 4096);
				pattern_fill(sbuf, len, tag);
				CHECK_EQ(recv_form(r, rbuf, 4000, tagged, tag, 0, ctx(r)), 0);
				CHECK_EQ(send_form(f, sbuf, len, data, tagged, tag, ctx(100)), 0);
				if (form_injects(f))
					memset(sbuf, 0x55, len);
				else
					CHECK(sent(100, tagged));
				CHECK(received(r, len, tagged, tag, with, data));
				CHECK(pattern_is(rbuf, len, tag));
				CHECK(all_bytes(rbuf + len, 4096 - len, 0xee));
			}
		}
	}
	CHECK(quiet(p.a.txcq));
	CHECK(quiet(p.b.rxcq));
	return true;
}

static const size_t sizes[] = {
	0,    1,    7,	  8,	 63,	64,    65,    959,    960,     961,	      1300,
	1400, 1473, 4096, 16383, 16384, 16385, 65536, 100003, 1 << 20, (2 << 20) + 1, MAXLEN - 13,
};

static bool one_size(size_t len, bool early, bool tagged)
{
	memset(rbuf, 0xee, len + 64);
	pattern_fill(sbuf, len, len);
	if (early)
		CHECK_EQ(recv_form(0, rbuf, len, tagged, 5, 0, ctx(1)), 0);
	CHECK_EQ(send_form(FORM_SEND, sbuf, len, 0, tagged, 5, ctx(2)), 0);
	if (!early)
		CHECK_EQ(recv_form(0, rbuf, len, tagged, 5, 0, ctx(1)), 0);
	CHECK(received(1, len, tagged, 5, false, 0));
	CHECK(sent(2, tagged));
	CHECK(pattern_is(rbuf, len, len));
	CHECK(all_bytes(rbuf + len, 64, 0xee));
	return true;
}

static bool all_sizes(void)
{
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		CHECK(one_size(sizes[i], true, false));
		CHECK(one_size(sizes[i], false, true));
	}
	return true;
}

/* Messages of mixed sizes come before their receives and are matched in order. */
static bool unexpected(void)
{
	static const size_t len[] = { 8, 70000, 0, 3000, 960, 200000, 16384, 1 };
	const size_t n = sizeof(len) / sizeof(len[0]), room = 200000;
	size_t i;

	for (i = 0; i < n; i++) {
		pattern_fill(sbuf + i * room, len[i], i);
		CHECK_EQ(send_form(FORM_SEND, sbuf + i * room, len[i], 0, i & 1, i, ctx(i)), 0);
	}
	for (i = 0; i < n; i += 2) {
		CHECK_EQ(recv_form(0, rbuf, room, false, 0, 0, ctx(50 + i)), 0);
		CHECK(received(50 + i, len[i], false, 0, false, 0));
		CHECK(pattern_is(rbuf, len[i], i));
	}
	for (i = 1; i < n; i += 2) {
		CHECK_EQ(recv_form(0, rbuf, room, true, 0, ~0ull, ctx(50 + i)), 0);
		CHECK(received(50 + i, len[i], true, i, false, 0));
		CHECK(pattern_is(rbuf, len[i], i));
	}
	/* Sends complete as their buffers become free, in any order. */
	for (i = 0; i < n; i++) {
		struct fi_cq_tagged_entry c;

		CHECK_EQ(completion(p.a.txcq, &c, NULL, NULL), 1);
	}
	CHECK(quiet(p.a.txcq));
	return true;
}

static bool order(void)
{
	const size_t n = 100;
	size_t i;

	for (i = 0; i < n; i++)
		CHECK_EQ(recv_form(0, rbuf + i * 64, 64, false, 0, 0, ctx(i)), 0);
	for (i = 0; i < n; i++) {
		memset(sbuf, i, i % 60 + 1);
		CHECK_EQ(send_form(FORM_INJECT, sbuf, i % 60 + 1, 0, false, 0, NULL), 0);
	}
	for (i = 0; i < n; i++) {
		CHECK(received(i, i % 60 + 1, false, 0, false, 0));
		CHECK(all_bytes(rbuf + i * 64, i % 60 + 1, i));
	}
	return true;
}

/* The oldest receive that matches wins, exact or not; tagged and untagged never meet. */
static bool tags(void)
{
	CHECK_EQ(recv_form(0, rbuf, 64, false, 0, 0, ctx(0)), 0);
	CHECK_EQ(recv_form(0, rbuf, 64, true, 0x10, 0x0f, ctx(1)), 0);
	CHECK_EQ(recv_form(0, rbuf, 64, true, 0x12, 0, ctx(2)), 0);
	CHECK_EQ(recv_form(0, rbuf, 64, true, 0, ~0ull, ctx(3)), 0);
	CHECK_EQ(send_form(FORM_INJECT, sbuf, 1, 0, true, 0x12, NULL), 0);
	CHECK(received(1, 1, true, 0x12, false, 0));
	CHECK_EQ(send_form(FORM_INJECT, sbuf, 2, 0, true, 0x99, NULL), 0);
	CHECK(received(3, 2, true, 0x99, false, 0));
	CHECK_EQ(send_form(FORM_INJECT, sbuf, 3, 0, true, 0x12, NULL), 0);
	CHECK(received(2, 3, true, 0x12, false, 0));
	CHECK_EQ(send_form(FORM_INJECT, sbuf, 4, 0, true, 0, NULL), 0);
	CHECK(quiet(p.b.rxcq));
	CHECK_EQ(send_form(FORM_INJECT, sbuf, 5, 0, false, 0, NULL), 0);
	CHECK(received(0, 5, false, 0, false, 0));
	CHECK_EQ(recv_form(0, rbuf, 64, true, 0, 0, ctx(4)), 0);
	CHECK(received(4, 4, true, 0, false, 0));
	return true;
}

/* A message that is too long is cut and reported; the sender's completion is a success. */
static bool truncated(size_t len, size_t room, bool early)
{
	struct fi_cq_tagged_entry c;
	struct fi_cq_err_entry err;

	memset(rbuf, 0xee, len);
	pattern_fill(sbuf, len, 3);
	if (early)
		CHECK_EQ(recv_form(0, rbuf, room, true, 7, 0, ctx(1)), 0);
	CHECK_EQ(send_form(FORM_SEND, sbuf, len, 0, true, 7, ctx(2)), 0);
	if (!early)
		CHECK_EQ(recv_form(0, rbuf, room, true, 7, 0, ctx(1)), 0);
	CHECK_EQ(completion(p.b.rxcq, &c, NULL, &err), -FI_EAVAIL);
	CHECK_EQ(err.err, FI_ETRUNC);
	CHECK(err.op_context == ctx(1));
	CHECK_EQ(err.olen, len - room);
	CHECK_EQ(err.tag, 7);
	CHECK(pattern_is(rbuf, room, 3));
	CHECK(all_bytes(rbuf + room, len - room, 0xee));
	CHECK(sent(2, true));
	return true;
}

static bool truncation(void)
{
	return truncated(100, 60, true) && truncated(100, 60, false) && truncated(100, 0, true) &&
	       truncated(12000, 5000, true) && truncated(12000, 5000, false) &&
	       truncated(1 << 20, 300001, true) && truncated(1 << 20, 300001, false) &&
	       one_size(1000, true, true);
}

/* A canceled receive completes once; the next message takes the next receive. */
static bool canceled(void)
{
	struct fi_cq_tagged_entry c;
	struct fi_cq_err_entry err;
	int tagged;

	for (tagged = 0; tagged < 2; tagged++) {
		CHECK_EQ(recv_form(0, rbuf, 64, tagged, 1, 0, ctx(1)), 0);
		CHECK_EQ(recv_form(0, rbuf, 64, tagged, 1, 0, ctx(2)), 0);
		CHECK_EQ(fi_cancel(&p.b.ep->fid, ctx(1)), 0);
		CHECK_EQ(completion(p.b.rxcq, &c, NULL, &err), -FI_EAVAIL);
		CHECK_EQ(err.err, FI_ECANCELED);
		CHECK(err.op_context == ctx(1));
		CHECK_EQ(fi_cancel(&p.b.ep->fid, ctx(1)), 0);
		CHECK(quiet(p.b.rxcq));
		CHECK_EQ(send_form(FORM_INJECT, sbuf, 8, 0, tagged, 1, NULL), 0);
		CHECK(received(2, 8, tagged, 1, false, 0));
	}
	return true;
}

/*
 * No completion is read, no receive posted: the sender gets EAGAIN, and later everything arrives.
 */
static bool again(void)
{
	struct fi_cq_tagged_entry c;
	size_t n = 0, got, left;
	ssize_t ret;

	for (;;) {
		memcpy(sbuf, &n, sizeof(n));
		ret = send_form(FORM_SEND, sbuf, 512, 0, true, n, ctx(n));
		if (ret)
			break;
		n++;
		CHECK(n < 1000000);
	}
	CHECK_EQ(ret, -FI_EAGAIN);
	left = n;
	for (got = 0; got < n; got++) {
		CHECK_EQ(recv_form(0, rbuf, 512, true, 0, ~0ull, ctx(got)), 0);
		CHECK(received(got, 512, true, got, false, 0));
		while (left && fi_cq_read(p.a.txcq, &c, 1) == 1)
			left--;
	}
	while (left) {
		CHECK_EQ(completion(p.a.txcq, &c, NULL, NULL), 1);
		left--;
	}
	CHECK(one_size(100, true, true));
	return true;
}

/* More completions than the queue holds: all come when it is read, each once. */
static bool small_queue(void)
{
	const size_t n = 200;
	size_t i, len[2] = { 8, 700 };
	bool seen[200] = {};

	for (i = 0; i < n; i++)
		CHECK_EQ(recv_form(0, rbuf + i * 1024, 1024, true, i, 0, ctx(i)), 0);
	for (i = 0; i < n; i++) {
		uint64_t until = now_ms() + WAIT_MS;
		ssize_t ret;

		pattern_fill(sbuf, len[i & 1], i);
		do {
			ret = send_form(FORM_INJECT, sbuf, len[i & 1], 0, true, i, NULL);
		} while (ret == -FI_EAGAIN && now_ms() < until);
		CHECK_EQ(ret, 0);
	}
	for (i = 0; i < n; i++) {
		struct fi_cq_tagged_entry c;

		CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
		CHECK(c.tag < n && !seen[c.tag]);
		seen[c.tag] = true;
		CHECK(c.op_context == ctx(c.tag));
		CHECK_EQ(c.len, len[c.tag & 1]);
		CHECK(pattern_is(rbuf + c.tag * 1024, c.len, c.tag));
	}
	CHECK(quiet(p.b.rxcq));
	return true;
}

/* Selective completion: successes only on request, errors always, whatever the call. */
static bool selective(void)
{
	struct iovec iov = { sbuf, 64 }, riov = { rbuf, 64 };
	struct fi_msg m = { .msg_iov = &iov, .iov_count = 1, .addr = p.a.peer, .context = ctx(1) };
	struct fi_msg r = {
		.msg_iov = &riov, .iov_count = 1, .addr = FI_ADDR_UNSPEC, .context = ctx(2)
	};
	struct fi_cq_tagged_entry c;
	struct fi_cq_err_entry err;

	CHECK_EQ(fi_recvmsg(p.b.ep, &r, 0), 0);
	CHECK_EQ(fi_recvmsg(p.b.ep, &r, FI_COMPLETION), 0);
	CHECK_EQ(fi_sendmsg(p.a.ep, &m, 0), 0);
	CHECK_EQ(fi_sendmsg(p.a.ep, &m, FI_COMPLETION), 0);
	CHECK(received(2, 64, false, 0, false, 0));
	CHECK(sent(1, false));
	CHECK(quiet(p.a.txcq));
	CHECK(quiet(p.b.rxcq));
	riov.iov_len = 10;
	CHECK_EQ(fi_recvmsg(p.b.ep, &r, 0), 0);
	CHECK_EQ(fi_sendmsg(p.a.ep, &m, FI_COMPLETION), 0);
	CHECK_EQ(completion(p.b.rxcq, &c, NULL, &err), -FI_EAVAIL);
	CHECK_EQ(err.err, FI_ETRUNC);
	CHECK(sent(1, false));
	return true;
}

/* A send with FI_DELIVERY_COMPLETE completes without a receive, once B's node has the message. */
static bool levels(void)
{
	static const uint64_t level[] = { FI_INJECT_COMPLETE, FI_TRANSMIT_COMPLETE,
					  FI_DELIVERY_COMPLETE };
	struct iovec iov = { sbuf, 500 };
	struct fi_msg m = { .msg_iov = &iov, .iov_count = 1, .addr = p.a.peer, .context = ctx(1) };
	struct fi_cq_tagged_entry c;
	size_t i;

	for (i = 0; i < 3; i++) {
		pattern_fill(sbuf, 500, i);
		CHECK_EQ(fi_sendmsg(p.a.ep, &m, level[i] | FI_COMPLETION), 0);
		CHECK(sent(1, false));
		CHECK_EQ(recv_form(0, rbuf, 500, false, 0, 0, ctx(2)), 0);
		CHECK(received(2, 500, false, 0, false, 0));
		CHECK(pattern_is(rbuf, 500, i));
	}
	/* A long message needs a grant: no completion before there is a receive. */
	iov.iov_len = 1 << 20;
	pattern_fill(sbuf, 1 << 20, 9);
	for (i = 1; i < 3; i++) {
		CHECK_EQ(fi_sendmsg(p.a.ep, &m, level[i] | FI_COMPLETION), 0);
		CHECK(quiet(p.a.txcq));
		CHECK_EQ(recv_form(0, rbuf, 1 << 20, false, 0, 0, ctx(2)), 0);
		CHECK_EQ(completion(p.a.txcq, &c, NULL, NULL), 1);
		CHECK(pattern_is(rbuf, 1 << 20, 9));
		CHECK(received(2, 1 << 20, false, 0, false, 0));
	}
	return true;
}

/* FI_MORE delays no message for ever. */
static bool more(void)
{
	struct iovec iov = { sbuf, 64 };
	struct fi_msg m = { .msg_iov = &iov, .iov_count = 1, .addr = p.a.peer, .context = ctx(1) };
	size_t i;

	for (i = 0; i < 17; i++)
		CHECK_EQ(recv_form(0, rbuf + i * 64, 64, false, 0, 0, ctx(10 + i)), 0);
	for (i = 0; i < 17; i++) {
		pattern_fill(sbuf, 64, i);
		CHECK_EQ(fi_sendmsg(p.a.ep, &m, FI_COMPLETION | FI_INJECT | (i < 16 ? FI_MORE : 0)),
			 0);
	}
	for (i = 0; i < 17; i++) {
		CHECK(received(10 + i, 64, false, 0, false, 0));
		CHECK(pattern_is(rbuf + i * 64, 64, i));
		CHECK(sent(1, false));
	}
	return true;
}

/* The next @n completions of receives are those of ctx(0) to ctx(n - 1), in any order. */
static bool received_all(size_t n)
{
	struct fi_cq_tagged_entry c;
	uint64_t seen = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
		seen |= 1ull << ((char *)c.op_context - (char *)ctx(0));
	}
	CHECK_EQ(seen, (1ull << n) - 1);
	return true;
}

/* The same of sends, as their calls have left them in @want: ctx(100 + i). */
static bool sent_all(uint64_t want)
{
	struct fi_cq_tagged_entry c;
	uint64_t seen = 0;

	while (seen != want) {
		CHECK_EQ(completion(p.a.txcq, &c, NULL, NULL), 1);
		seen |= 1ull << ((char *)c.op_context - (char *)ctx(100));
	}
	return true;
}

/*
 * Sends in a row share notify calls. They leave by themselves, though the program does not look at
 * the sender any more; and when it does.
 */
static bool in_a_row(void)
{
	static const size_t len[] = { 8, 64, 200, 256, 257, 900, 961, 1024, 1025, 4096 };
	const size_t n = sizeof(len) / sizeof(len[0]);
	size_t round, i;

	for (round = 0; round < 8; round++) {
		bool tagged = round & 1, silent = round & 2, look = round & 4;
		size_t sends = 3 * n;
		uint64_t want = 0;

		for (i = 0; i < sends; i++)
			CHECK_EQ(recv_form(0, rbuf + i * 4096, 4096, tagged, i, 0, ctx(i)), 0);
		for (i = 0; i < sends; i++) {
			size_t l = len[(i + round) % n];
			uint8_t *buf = sbuf + i * 4096;
			bool inject = silent && l <= 900;

			pattern_fill(buf, l, i + round);
			CHECK_EQ(send_form(inject ? FORM_INJECT : FORM_SEND, buf, l, 0, tagged, i,
					   ctx(100 + i)), 0);
			if (inject)
				memset(buf, 0x55, l);
			else
				want |= 1ull << i;
		}
		if (look)
			CHECK(sent_all(want));
		CHECK(received_all(sends));
		for (i = 0; i < sends; i++)
			CHECK(pattern_is(rbuf + i * 4096, len[(i + round) % n], i + round));
		if (!look)
			CHECK(sent_all(want));
	}
	CHECK(quiet(p.a.txcq));
	CHECK(quiet(p.b.rxcq));
	return true;
}

/* The limits of fi_getinfo are those of the calls. */
static bool limits(void)
{
	size_t inject = p.a.info->tx_attr->inject_size;

	CHECK(inject >= 64 && inject < MAXLEN);
	CHECK(p.a.info->ep_attr->max_msg_size >= 1ull << 30);
	pattern_fill(sbuf, inject, 4);
	CHECK_EQ(recv_form(0, rbuf, inject, false, 0, 0, ctx(1)), 0);
	CHECK_EQ(send_form(FORM_INJECT, sbuf, inject, 0, false, 0, NULL), 0);
	CHECK(received(1, inject, false, 0, false, 0));
	CHECK(pattern_is(rbuf, inject, 4));
	CHECK_EQ(send_form(FORM_INJECT, sbuf, inject + 1, 0, false, 0, NULL), -FI_EMSGSIZE);
	CHECK(quiet(p.b.rxcq));
	return true;
}

/* A blocking read returns a completion, and its timeout works. */
static bool sread(void)
{
	struct fi_cq_tagged_entry c;
	uint64_t t = now_ms();

	CHECK_EQ(fi_cq_sread(p.b.rxcq, &c, 1, NULL, 50), -FI_EAGAIN);
	CHECK(now_ms() - t >= 45);
	CHECK_EQ(recv_form(0, rbuf, 64, false, 0, 0, ctx(1)), 0);
	CHECK_EQ(send_form(FORM_INJECT, sbuf, 64, 0, false, 0, NULL), 0);
	CHECK_EQ(fi_cq_sread(p.b.rxcq, &c, 1, NULL, WAIT_MS), 1);
	CHECK(c.op_context == ctx(1));
	CHECK_EQ(fi_cq_signal(p.b.rxcq), 0);
	t = now_ms();
	CHECK_EQ(fi_cq_sread(p.b.rxcq, &c, 1, NULL, WAIT_MS), -FI_EAGAIN);
	CHECK(now_ms() - t < WAIT_MS);
	return true;
}

/*
 * Source selection: a receive directed at a peer takes only its messages (here: at a missing
 * peer's).
 */
static bool directed(void)
{
	fi_addr_t other;
	uint8_t addr[64];
	size_t len = sizeof(addr);

	if (p.o.type != FI_EP_RDM)
		return true;
	/* B itself acts as another sender. */
	CHECK_EQ(fi_getname(&p.b.ep->fid, addr, &len), 0);
	CHECK_EQ(fi_av_insert(p.b.av, addr, 1, &other, 0, NULL), 1);
	CHECK_EQ(fi_trecv(p.b.ep, rbuf, 64, NULL, other, 1, 0, ctx(1)), 0);
	CHECK_EQ(fi_trecv(p.b.ep, rbuf, 64, NULL, p.b.peer, 1, 0, ctx(2)), 0);
	CHECK_EQ(send_form(FORM_INJECT, sbuf, 8, 0, true, 1, NULL), 0);
	CHECK(received(2, 8, true, 1, false, 0));
	CHECK_EQ(fi_tinject(p.b.ep, sbuf, 9, other, 1), 0);
	{
		struct fi_cq_tagged_entry c;
		fi_addr_t src;

		CHECK_EQ(completion(p.b.rxcq, &c, &src, NULL), 1);
		CHECK(c.op_context == ctx(1));
		CHECK_EQ(c.len, 9);
		CHECK_EQ(src, other);
	}
	return true;
}

static const struct {
	const char *name;
	bool (*run)(void);
	struct opts o;
} cases[] = {
	{ "forms", forms, {} },
	{ "all_sizes", all_sizes, {} },
	{ "unexpected", unexpected, {} },
	{ "order", order, { .rx_size = 128 } },
	{ "tags", tags, {} },
	{ "truncation", truncation, {} },
	{ "canceled", canceled, {} },
	{ "again", again, { .tx_size = 64 } },
	{ "small_queue", small_queue, { .cq_size = 16 } },
	{ "selective", selective, { .selective = true } },
	{ "levels", levels, {} },
	{ "more", more, {} },
	{ "in_a_row", in_a_row, {} },
	{ "limits", limits, {} },
	{ "sread", sread, {} },
	{ "directed", directed, { .caps = FI_DIRECTED_RECV } },
};

static void run(enum fi_ep_type type, bool apart, bool v6)
{
	char where[64];
	size_t i;

	snprintf(where, sizeof(where), "%s %s IPv%d", type == FI_EP_RDM ? "rdm" : "msg",
		 apart ? "between nodes" : "within a node", v6 ? 6 : 4);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct opts o = cases[i].o;

		o.type = type;
		o.apart = apart;
		o.v6 = v6;
		o.caps |= type == FI_EP_RDM ? FI_SOURCE : 0;
		if (type == FI_EP_MSG)
			o.caps &= ~FI_DIRECTED_RECV;
		result(pair_open(&p, &o) && cases[i].run(), cases[i].name, where);
		pair_close(&p);
	}
}

int main(int argc, char **argv)
{
	bool only = argc > 1 && !strcmp(argv[1], "apart");
	bool one = nodes_are_one();
	int apart;

	sbuf = malloc(MAXLEN + 4096);
	rbuf = malloc(MAXLEN + 4096);
	if (!sbuf || !rbuf)
		return 1;
	for (apart = only; apart <= !one; apart++) {
		run(FI_EP_RDM, apart, false);
		run(FI_EP_MSG, apart, false);
	}
	if (!one && !only) {
		run(FI_EP_RDM, true, true);
		run(FI_EP_MSG, true, true);
	}
	free(sbuf);
	free(rbuf);
	return results_end();
}
