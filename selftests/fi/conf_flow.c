// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fi_msg(3) and fi_tagged(3), rule by rule: order on a bad link, return values, full queues,
 * receivers that are slow or die.
 * TIMEOUT: 400 LINKS: vnet loop slow
 */
#include "link.h"

#define LONG	(1u << 20)	/* this length stays at the sender until a receive takes it */
#define MIX	8		/* number of messages of mixed lengths */
#define MANY	20000		/* more messages than any queue holds */
#define CONTEXTS 4096		/* number of contexts that ctx() has */

/* B's endpoint dies. */
static bool dies(void)
{
	CHECK_EQ(fi_close(&p.b.ep->fid), 0);
	p.b.ep = NULL;
	return true;
}

/* A's next completion is an error of a send, or of an inject. @context: its context. */
static bool some_send_fails(bool tagged, void **context)
{
	struct fi_cq_tagged_entry c;
	struct fi_cq_err_entry e;
	char text[64] = "";

	CHECK_EQ(completion(p.a.txcq, &c, NULL, &e), -FI_EAVAIL);
	CHECK(e.err > 0 && e.err != FI_ENOMSG && e.err != FI_ETRUNC);
	CHECK_EQ(e.flags, FI_SEND | (tagged ? FI_TAGGED : FI_MSG));
	CHECK(fi_cq_strerror(p.a.txcq, e.prov_errno, e.err_data, text, sizeof(text)));
	*context = e.op_context;
	return text[0];
}

static bool send_fails(bool tagged, void *context)
{
	void *c;

	CHECK(some_send_fails(tagged, &c));
	CHECK(c == context);
	return true;
}

/*
 * A's sends with the contexts 0 to @n - 1 end likewise, in any order: some had left, others had
 * not.
 */
static bool sends_fail(unsigned int n)
{
	bool failed[CONTEXTS] = { false };
	unsigned int k, i;
	void *c;

	CHECK(n <= CONTEXTS);
	for (k = 0; k < n; k++) {
		CHECK(some_send_fails(false, &c));
		for (i = 0; i < n && c != ctx(i); i++)
			;
		CHECK(i < n && !failed[i]);
		failed[i] = true;
	}
	return true;
}

/* ---- Errors of injects ---------------------------------------------------------------- */

/* Injects without a receive when their receiver dies; and an inject after that. */
static bool injects_fail(void)
{
	uint64_t flags = FI_TRANSMIT | FI_MATCH_COMPLETE;
	enum send_form f;
	int tagged;

	for (tagged = 0; tagged < 2; tagged++) {
		struct letter s = to_b(tagged, 5, 1, 2);
		uint64_t until;
		ssize_t ret;

		CHECK_EQ(fi_control(&p.a.ep->fid, FI_SETOPSFLAG, &flags), 0);
		for (f = FORM_INJECT; f <= FORM_INJECTDATA; f++) {
			CHECK_EQ(send_by(p.a.ep, f, sbuf, 8, &s), 0);
			CHECK_EQ(send_by(p.a.ep, f, sbuf, p.a.info->tx_attr->inject_size, &s), 0);
		}
		CHECK(quiet(p.a.txcq));
		CHECK(dies());
		for (f = 0; f < 4; f++)
			CHECK(send_fails(tagged, NULL));
		CHECK(quiet(p.a.txcq));
		/* it is accepted and fails; as soon as A knows of the death, the call refuses it */
		until = now_ms() + WAIT_MS;
		do {
			ret = send_by(p.a.ep, FORM_INJECT, sbuf, 8, &s);
			if (ret)
				CHECK_EQ(ret, -FI_ENOTCONN);
			else
				CHECK(send_fails(tagged, NULL));
			CHECK(now_ms() < until);
		} while (!ret && p.o.type == FI_EP_MSG);
		CHECK(quiet(p.a.txcq));
		CHECK(pair_again());
	}
	return true;
}

/* ---- Order ---------------------------------------------------------------------------- */

static const size_t mix[4] = { 8, LONG, 0, 65536 };

/* Where message @i of a mix begins. */
static size_t mixed_at(unsigned int i)
{
	size_t at = 0;

	while (i--)
		at += mix[i % 4] + 64;
	return at;
}

static bool post_mix(bool tagged)
{
	unsigned int i;

	for (i = 0; i < MIX; i++) {
		struct letter r = at_b(tagged, 5, 0, i);

		CHECK_EQ(recv_by(p.b.ep, FORM_RECV, rbuf + mixed_at(i), mix[i % 4], &r), 0);
	}
	return true;
}

static bool send_mix(bool tagged)
{
	unsigned int i;

	for (i = 0; i < MIX; i++) {
		struct letter s = to_b(tagged, 5, 0, 100 + i);

		pattern_fill(sbuf + mixed_at(i), mix[i % 4], i);
		CHECK_EQ(send_by(p.a.ep, FORM_SEND, sbuf + mixed_at(i), mix[i % 4], &s), 0);
	}
	return true;
}

/* Message i is in receive i; both sides' completions come in any order. */
static bool mix_came(void)
{
	struct fi_cq_tagged_entry c;
	unsigned int got = 0, gone = 0, i, k;

	for (k = 0; k < MIX; k++) {
		CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
		for (i = 0; i < MIX && c.op_context != ctx(i); i++)
			;
		CHECK(i < MIX && !(got & 1u << i));
		got |= 1u << i;
		CHECK_EQ(c.len, mix[i % 4]);
		CHECK(pattern_is(rbuf + mixed_at(i), c.len, i));
		CHECK(all_bytes(rbuf + mixed_at(i) + c.len, 64, 0xee));
		CHECK_EQ(completion(p.a.txcq, &c, NULL, NULL), 1);
		for (i = 0; i < MIX && c.op_context != ctx(100 + i); i++)
			;
		CHECK(i < MIX && !(gone & 1u << i));
		gone |= 1u << i;
	}
	return true;
}

static bool mixed_on_bad(void)
{
	int tagged;

	for (tagged = 0; tagged < 2; tagged++) {
		memset(rbuf, 0xee, mixed_at(MIX));
		CHECK(post_mix(tagged) && send_mix(tagged) && mix_came());
		memset(rbuf, 0xee, mixed_at(MIX));
		CHECK(send_mix(tagged) && post_mix(tagged) && mix_came());
	}
	return true;
}

static bool mixed_order(void)
{
	return link_over(link_spoil() && mixed_on_bad());
}

/* ---- Arguments at random -------------------------------------------------------------- */

static uint32_t rnd(uint32_t below)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(state >> 33) % below;
}

static size_t some_len(bool wild)
{
	size_t max = p.a.info->ep_attr->max_msg_size;
	size_t most = p.a.info->tx_attr->inject_size;
	const size_t lens[] = { 0, 1, 64, 700, most, most + 1, max + 1, 1ull << 63, ~0ull,
				~0ull - 63 };

	return lens[rnd(wild ? 10 : 6)];
}

static uint64_t some_flags(void)
{
	static const uint64_t flags[] = {
		FI_COMPLETION, FI_INJECT, FI_MORE, FI_REMOTE_CQ_DATA, FI_FENCE, FI_MULTI_RECV,
		FI_INJECT_COMPLETE, FI_TRANSMIT_COMPLETE, FI_DELIVERY_COMPLETE, FI_MATCH_COMPLETE,
		FI_PEEK, FI_CLAIM, FI_DISCARD, FI_MULTICAST
	};
	uint64_t is = 0;
	unsigned int n = rnd(4);

	while (n--)
		is |= rnd(8) ? flags[rnd(14)] : 1ull << rnd(64);
	return is;
}

/* One of the calls. A length that is too long is refused before the memory is read. */
static ssize_t any_call(void)
{
	static const fi_addr_t peers[] = { 0, 1, 77, FI_ADDR_UNSPEC, FI_ADDR_NOTAVAIL };
	struct iovec iov[40];
	struct letter l = {
		.tagged = rnd(nkinds()), .tag = rnd(3), .ignore = rnd(3), .data = rnd(9),
		.peer = peers[rnd(5)], .flags = some_flags(), .context = ctx(rnd(5))
	};
	struct fi_msg m = { .addr = l.peer, .context = l.context, .data = l.data };
	struct fi_msg_tagged t = {
		.addr = l.peer, .context = l.context, .data = l.data, .tag = l.tag,
		.ignore = l.ignore
	};
	unsigned int i, n = rnd(4) ? rnd(4) : rnd(40), what = rnd(12);
	bool wild = !rnd(6);

	for (i = 0; i < 40; i++)
		iov[i] = (struct iovec){ rbuf + rnd(1u << 20), some_len(wild && i < 4) };
	m.msg_iov = rnd(16) ? iov : NULL;
	m.iov_count = rnd(16) ? n : ~0ull;
	t.msg_iov = m.msg_iov;
	t.iov_count = m.iov_count;
	switch (what) {
	case 0:
		return l.tagged ? fi_tsendv(p.a.ep, m.msg_iov, NULL, m.iov_count, l.peer, l.tag,
					    l.context)
				: fi_sendv(p.a.ep, m.msg_iov, NULL, m.iov_count, l.peer,
					   l.context);
	case 1:
		return l.tagged ? fi_tsendmsg(p.a.ep, rnd(16) ? &t : NULL, l.flags)
				: fi_sendmsg(p.a.ep, rnd(16) ? &m : NULL, l.flags);
	case 2:
		return l.tagged ? fi_trecvv(p.b.ep, m.msg_iov, NULL, m.iov_count, l.peer, l.tag,
					    l.ignore, l.context)
				: fi_recvv(p.b.ep, m.msg_iov, NULL, m.iov_count, l.peer,
					   l.context);
	case 3:
		return l.tagged ? fi_trecvmsg(p.b.ep, rnd(16) ? &t : NULL, l.flags)
				: fi_recvmsg(p.b.ep, rnd(16) ? &m : NULL, l.flags);
	case 4:
	case 5:
		return recv_by(p.b.ep, rnd(RECV_FORMS), iov->iov_base, some_len(wild), &l);
	default:
		return send_by(p.a.ep, what - 6, iov->iov_base, some_len(wild), &l);
	}
}

static bool known_codes(void)
{
	static const int codes[] = {
		0, -FI_EAGAIN, -FI_EINVAL, -FI_EMSGSIZE, -FI_EBADFLAGS, -FI_EOPNOTSUPP
	};
	struct fi_cq_err_entry e = {};
	struct fi_cq_tagged_entry c;
	struct fid_cq *cqs[] = { p.a.txcq, p.b.rxcq };
	unsigned int i, k, done = 0;
	struct letter r, s;
	ssize_t ret, got;

	for (i = 0; i < 3000; i++) {
		ret = any_call();
		done += !ret;
		for (k = 0; k < 6 && ret != codes[k]; k++)
			;
		if (k == 6)
			CHECK_EQ(ret, 0);
		for (k = 0; k < 2; k++)
			do {
				got = fi_cq_read(cqs[k], &c, 1);
				if (got == -FI_EAVAIL)
					CHECK_EQ(fi_cq_readerr(cqs[k], &e, 0), 1);
				else
					CHECK(got == 1 || got == -FI_EAGAIN);
			} while (got != -FI_EAGAIN);
	}
	CHECK(done > 100);
	CHECK(pair_again());
	r = at_b(false, 5, 0, 1);
	s = to_b(false, 5, 0, 2);
	return exchange(FORM_RECV, &r, FORM_SEND, &s, 64);
}

/* ---- Full queues ---------------------------------------------------------------------- */

static ssize_t send_no(unsigned int n)
{
	memcpy(sbuf, &n, sizeof(n));
	return fi_send(p.a.ep, sbuf, sizeof(n), NULL, p.a.peer, ctx(n % CONTEXTS));
}

static ssize_t inject_no(unsigned int n)
{
	memcpy(sbuf, &n, sizeof(n));
	return fi_inject(p.a.ep, sbuf, 700, p.a.peer);
}

static ssize_t post_no(unsigned int n)
{
	return fi_recv(p.b.ep, rbuf + 1024 * n, 1024, NULL, FI_ADDR_UNSPEC, ctx(n));
}

/* Post until the queue is full, and some more. @n: number of accepted posts. */
static bool fill(ssize_t (*post)(unsigned int n), unsigned int *n)
{
	unsigned int i;
	ssize_t ret;

	for (*n = 0; (ret = post(*n)) == 0; ++*n)
		CHECK(*n < MANY);
	CHECK_EQ(ret, -FI_EAGAIN);
	for (i = 0; i < 3; i++)
		if (!post(*n))
			++*n;
	return true;
}

/* A's sends complete while @post is tried. @left: sends without a completion. */
static bool until_posted(ssize_t (*post)(unsigned int n), unsigned int n, unsigned int *left)
{
	uint64_t until = now_ms() + WAIT_MS;
	struct fi_cq_tagged_entry c;
	ssize_t ret;

	while ((ret = post(n)) == -FI_EAGAIN) {
		if (fi_cq_read(p.a.txcq, &c, 1) == 1)
			--*left;
		CHECK(now_ms() < until);
	}
	CHECK_EQ(ret, 0);
	return true;
}

/* B gets the messages @first to @last, in order, with their numbers. */
static bool numbers(unsigned int first, unsigned int last, size_t len)
{
	unsigned int n;

	for (; first <= last; first++) {
		CHECK(post_plain(rbuf, 1024, 1));
		CHECK(is_received(1, len, false, 0));
		memcpy(&n, rbuf, sizeof(n));
		CHECK_EQ(n, first);
	}
	return true;
}

/* A's queue is not read; then A reads it and does nothing else. */
static bool sends_full(void)
{
	struct fi_cq_tagged_entry c;
	unsigned int n, left;

	CHECK(fill(send_no, &n));
	left = n;
	CHECK(until_posted(send_no, n, &left));
	for (left++; left; left--) {
		CHECK_EQ(completion(p.a.txcq, &c, NULL, NULL), 1);
		CHECK(c.flags & FI_SEND);
	}
	CHECK(quiet(p.a.txcq));
	/* each accepted send completes, and no other */
	return p.o.type == FI_EP_DGRAM || numbers(0, n, sizeof(n));
}

/* B's receives; each message that B reads makes space. */
static bool recvs_full(void)
{
	uint64_t until = now_ms() + WAIT_MS;
	unsigned int n, k = 0;
	ssize_t ret;

	CHECK(fill(post_no, &n));
	CHECK(n <= ROOM / 1024 - 1);
	while ((ret = post_no(n)) == -FI_EAGAIN) {
		CHECK(k < n && now_ms() < until);
		CHECK(send_plain(k % 60, k, 4000));
		CHECK(is_received(k, k % 60, false, 0));
		CHECK(pattern_is(rbuf + 1024 * k, k % 60, k));
		k++;
	}
	CHECK_EQ(ret, 0);
	for (; k <= n; k++) {
		CHECK(send_plain(k % 60, k, 4000));
		CHECK(is_received(k, k % 60, false, 0));
		CHECK(pattern_is(rbuf + 1024 * k, k % 60, k));
	}
	return true;
}

static bool queues_full(void)
{
	if (!sends_full())
		return false;
	/* datagrams of the first part wait at B: begin anew */
	return (p.o.type != FI_EP_DGRAM || pair_again()) && recvs_full();
}

/* Injects without a receive at B; more of them are accepted when B takes some. */
static bool slow_receiver(void)
{
	unsigned int n, k, all, left = 0;

	CHECK(fill(inject_no, &n));
	for (all = n, k = 0; k < all; k++) {
		CHECK(numbers(k, k, 700));
		if (all < n + 20 && !inject_no(all))
			all++;
	}
	CHECK(until_posted(inject_no, all, &left));
	CHECK(numbers(all, all, 700));
	/* and no other message */
	CHECK(post_plain(rbuf, 1024, 2));
	CHECK(quiet(p.b.rxcq));
	CHECK_EQ(fi_inject(p.a.ep, sbuf, 5, p.a.peer), 0);
	return is_received(2, 5, false, 0);
}

/* B dies: messages that it has not taken fail, and then A's calls return the reason. */
static bool dead_receiver(void)
{
	uint64_t until, flags = FI_TRANSMIT | FI_MATCH_COMPLETE;
	unsigned int n;
	ssize_t ret;

	CHECK_EQ(fi_control(&p.a.ep->fid, FI_SETOPSFLAG, &flags), 0);
	CHECK(fill(send_no, &n));
	CHECK(dies());
	CHECK(sends_fail(n));
	CHECK(quiet(p.a.txcq));
	until = now_ms() + WAIT_MS;
	while ((ret = send_no(n)) == -FI_EAGAIN)
		CHECK(now_ms() < until);
	if (!ret)
		return send_fails(false, ctx(n % CONTEXTS));
	CHECK_EQ(ret, -FI_ENOTCONN);
	return true;
}

static bool flow_control(void)
{
	return slow_receiver() && dead_receiver();
}

#define SMALL .o.cq_size = 32, .o.tx_size = 32, .o.rx_size = 32

static const struct row rows[] = {
	ROW("MSG-009", ON_BOTH, "An inject that fails is reported", injects_fail),
	ROW("MSG-026", ON_BOTH, "Lengths and ways of messages do not change their order",
	    mixed_order),
	ROW("MSG-084", ON_ALL, "Whatever the arguments, calls return 0 or a known error",
	    known_codes, .mess = true, .once = true),
	ROW("MSG-085", ON_ALL, "Full queues give -FI_EAGAIN and do nothing", queues_full, SMALL),
	ROW("MSG-086", ON_ALL, "-FI_EAGAIN goes when completions are read", queues_full, SMALL),
	ROW("MSG-087", ON_BOTH, "A receiver that does not post is -FI_EAGAIN, until it does or dies",
	    flow_control, SMALL),
};

int main(int argc, char **argv)
{
	return rows_main(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
}
