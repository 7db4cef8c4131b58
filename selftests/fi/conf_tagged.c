// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* fi_tagged(3), rule by rule. TIMEOUT: 300 LINKS: vnet loop slow */
#include "rows.h"

/* this length is announced, and stays at the sender until a receive takes it */
#define BIG	(1u << 20)
#define MARK	(77ull << 50)	/* a tag that no other message has */

/*
 * Wait until the message of send @n is at B. A later message has arrived there, and the two keep
 * their order. A peek that hits proves less: it may have found an older message of the same tag. So
 * does a completion: a message without credit stays at the sender.
 */
static bool arrives(size_t len, uint64_t tag, uint32_t seed, unsigned int n)
{
	pattern_fill(sbuf, len, seed);
	CHECK_EQ(fi_tsend(p.a.ep, sbuf, len, NULL, p.a.peer, tag, ctx(n)), 0);
	CHECK(post_tagged(NULL, 0, MARK, 0, 4000));
	CHECK_EQ(fi_tinject(p.a.ep, NULL, 0, p.a.peer, MARK), 0);
	CHECK(is_received(4000, 0, true, MARK));
	return len == BIG || is_sent(n);
}

/* Receive tag @tag and find message @seed in it. */
static bool takes(uint64_t tag, uint64_t ignore, size_t len, uint64_t its, uint32_t seed)
{
	CHECK(post_tagged(rbuf, ROOM, tag, ignore, 3000));
	CHECK(is_received(3000, len, true, its));
	CHECK(pattern_is(rbuf, len, seed));
	return true;
}

/* ---- Matching ------------------------------------------------------------------------ */

static bool formula(void)
{
	uint64_t t, r, m;
	unsigned int hits = 0;
	struct fi_cq_tagged_entry c;
	struct fi_cq_err_entry e;

	/* a message of each tag waits; peeks tell which one each pair of tag and mask finds */
	for (t = 0; t < 16; t++) {
		CHECK_EQ(fi_tinject(p.a.ep, sbuf, t, p.a.peer, t << 60 | t), 0);
	}
	CHECK(look_hit(FI_PEEK, NULL, 0, 15ull << 60 | 15, 0, 1, &c));
	for (r = 0; r < 16; r++) {
		for (m = 0; m < 16; m++) {
			uint64_t tag = r << 60 | r, ignore = m << 60 | m;
			uint64_t first = 16;

			for (t = 0; t < 16 && first == 16; t++)
				if (((t << 60 | t) & ~ignore) == (tag & ~ignore))
					first = t;
			CHECK_EQ(look(FI_PEEK, NULL, 0, tag, ignore, 1), 0);
			if (first == 16) {
				CHECK(is_failed(1, FI_ENOMSG, &e));
				continue;
			}
			CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
			CHECK_EQ(c.tag, first << 60 | first);
			CHECK_EQ(c.len, first);
			hits++;
		}
	}
	CHECK_EQ(hits, 256);
	/* only one side has the mask: no match */
	CHECK(look_miss(FI_PEEK, 1, 0, 2));
	CHECK(look_miss(FI_PEEK, 1ull << 60, 0x0e, 2));
	for (t = 0; t < 16; t++) {
		CHECK(post_tagged(rbuf, 16, t << 60 | t, 0, 3));
		CHECK(is_received(3, t, true, t << 60 | t));
	}
	return true;
}

static bool any_tag(void)
{
	CHECK(post_tagged(rbuf, 64, 0, ~0ull, 1));
	CHECK(send_tagged(8, 0x123456789abcdefull, 1, 2));
	CHECK(is_received(1, 8, true, 0x123456789abcdefull));
	CHECK(post_tagged(rbuf, 64, 7, 0, 1));
	CHECK(send_tagged(8, 1ull << 63 | 7, 1, 2));
	CHECK(quiet(p.b.rxcq));
	CHECK(send_tagged(9, 7, 1, 2));
	CHECK(is_received(1, 9, true, 7));
	return takes(1ull << 63 | 7, 0, 8, 1ull << 63 | 7, 1);
}

static bool first_posted(void)
{
	static const struct {
		uint64_t tag, ignore;
	} r[] = { { 5, 0 }, { 0, ~0ull }, { 5, 0 }, { 4, 1 }, { 5, 0 }, { 5, 2 } };
	unsigned int i;

	for (i = 0; i < 6; i++)
		CHECK(post_tagged(rbuf + 64 * i, 64, r[i].tag, r[i].ignore, i));
	for (i = 0; i < 6; i++) {
		CHECK(send_tagged(i + 1, 5, i, 100));
		CHECK(is_received(i, i + 1, true, 5));
		CHECK(pattern_is(rbuf + 64 * i, i + 1, i));
	}
	return true;
}

static bool first_sent(void)
{
	unsigned int i, k;

	for (i = 0; i < 100; i++) {
		memset(sbuf, i, 8);
		CHECK_EQ(fi_tinject(p.a.ep, sbuf, 8, p.a.peer, i % 4), 0);
	}
	/* 0 and 2 first, in the order of sends, then the others */
	for (k = 0; k < 2; k++)
		for (i = k; i < 100; i += 2) {
			CHECK(post_tagged(rbuf, 64, k, k ? ~0ull : 2, 1));
			CHECK(is_received(1, 8, true, i % 4));
			CHECK(all_bytes(rbuf, 8, i));
		}
	return true;
}

static bool passed_over(void)
{
	unsigned int i, n = 1000;

	for (i = 0; i < n; i++)
		CHECK(post_tagged(rbuf, 64, 1000 + i, 0, i));
	CHECK(post_tagged(rbuf + 64, 64, 1, 0, n));
	CHECK(send_tagged(8, 1, 1, n + 1));
	CHECK(is_received(n, 8, true, 1));
	for (i = n; i-- > 0;) {
		CHECK(send_tagged(8, 1000 + i, i, n + 1));
		CHECK(is_received(i, 8, true, 1000 + i));
	}
	return true;
}

static bool never_meet(void)
{
	CHECK(post_plain(rbuf, 64, 1));
	CHECK(send_tagged(8, 0, 1, 2));
	CHECK(quiet(p.b.rxcq));
	CHECK(send_plain(9, 2, 3));
	CHECK(is_received(1, 9, false, 0));
	CHECK(takes(0, 0, 8, 0, 1));
	CHECK(post_tagged(rbuf, 64, 0, ~0ull, 1));
	CHECK(send_plain(10, 3, 3));
	CHECK(quiet(p.b.rxcq));
	CHECK(send_tagged(11, 0, 4, 2));
	CHECK(is_received(1, 11, true, 0));
	CHECK(post_plain(rbuf, 64, 1));
	return is_received(1, 10, false, 0);
}

static bool truncates(void)
{
	struct fi_cq_err_entry e;

	CHECK(post_tagged(rbuf, 60, 9, 0xf0, 1));
	CHECK(send_tagged(100, 0x19, 1, 2));
	CHECK(is_failed(1, FI_ETRUNC, &e));
	CHECK_EQ(e.olen, 40);
	CHECK_EQ(e.tag, 0x19);
	CHECK(pattern_is(rbuf, 60, 1));
	CHECK(all_bytes(rbuf + 60, 100, 0xee));
	CHECK(post_tagged(rbuf, 60, 9, 0, 1));
	CHECK(send_tagged(60, 9, 2, 2));
	return is_received(1, 60, true, 9);
}

/* ---- Peek ---------------------------------------------------------------------------- */

static bool peek_finds(void)
{
	static const size_t lens[] = { 0, 100, 3000, 16000, BIG };
	struct fi_cq_tagged_entry c;
	unsigned int i;

	for (i = 0; i < 5; i++) {
		pattern_fill(sbuf, lens[i], i);
		CHECK_EQ(fi_tsenddata(p.a.ep, sbuf, lens[i], NULL, 77 + i, p.a.peer, 50 + i,
				      ctx(1)),
			 0);
		CHECK(look_hit(FI_PEEK, NULL, 0, 50 + i, 0, 2, &c));
		CHECK_EQ(c.len, lens[i]);
		CHECK_EQ(c.tag, 50 + i);
		CHECK(c.flags & FI_REMOTE_CQ_DATA);
		CHECK_EQ(c.data, 77 + i);
		CHECK(!c.buf);
		CHECK(post_tagged(rbuf, ROOM, 50 + i, 0, 3));
		CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
		CHECK(c.op_context == ctx(3));
		CHECK_EQ(c.len, lens[i]);
		CHECK(pattern_is(rbuf, lens[i], i));
		CHECK(is_sent(1));
	}
	return true;
}

static bool peek_misses(void)
{
	CHECK(look_miss(FI_PEEK, 0x77, 0, 1));
	CHECK(look_miss(FI_PEEK, 0x78, ~0ull, 2));
	CHECK(arrives(8, 1, 1, 3));
	CHECK(look_miss(FI_PEEK, 2, 0, 4));
	return takes(1, 0, 8, 1, 1);
}

static bool peek_passes(void)
{
	CHECK(look_miss(FI_PEEK, 5, 0, 1));
	CHECK(arrives(8, 5, 1, 2));
	return takes(5, 0, 8, 5, 1);
}

static bool peek_keeps(void)
{
	struct fi_cq_tagged_entry c;
	int i;

	CHECK(arrives(300, 5, 1, 2));
	for (i = 0; i < 10; i++) {
		CHECK(look_hit(FI_PEEK, NULL, 0, 0, ~0ull, i, &c));
		CHECK_EQ(c.len, 300);
		CHECK_EQ(c.tag, 5);
	}
	CHECK(takes(5, 0, 300, 5, 1));
	return look_miss(FI_PEEK, 5, 0, 1);
}

/* A peek shows what a receive in its place gets, of many random ones. */
static bool peek_predicts(void)
{
	struct fi_cq_tagged_entry c;
	unsigned int i, x = 12345, left = 60;

	for (i = 0; i < left; i++) {
		x = x * 1103515245 + 12345;
		CHECK_EQ(fi_tinject(p.a.ep, sbuf, i, p.a.peer, x >> 16 & 7), 0);
	}
	CHECK_EQ(fi_tinject(p.a.ep, sbuf, 1, p.a.peer, 99), 0);
	CHECK(look_hit(FI_PEEK, NULL, 0, 99, 0, 1, &c));
	for (i = 0; left; i++) {
		uint64_t tag, ignore;
		struct fi_cq_err_entry e;
		size_t len;
		int ret;

		x = x * 1103515245 + 12345;
		tag = x >> 16 & 7;
		ignore = x >> 20 & 7;
		CHECK_EQ(look(FI_PEEK, NULL, 0, tag, ignore, 1), 0);
		ret = completion(p.b.rxcq, &c, NULL, &e);
		if (ret != 1) {
			CHECK_EQ(e.err, FI_ENOMSG);
			continue;
		}
		len = c.len;
		tag = c.tag;
		CHECK(post_tagged(rbuf, 64, tag & ~ignore, ignore, 2));
		CHECK(is_received(2, len, true, tag));
		left--;
	}
	CHECK(post_tagged(rbuf, 64, 99, 0, 2));
	return is_received(2, 1, true, 99);
}

static bool peek_gives_way(void)
{
	struct fi_cq_tagged_entry c;

	/* a receive that was posted earlier has the message, whenever the message arrived */
	CHECK(post_tagged(rbuf, 64, 5, 0, 1));
	CHECK(arrives(9, 6, 1, 2));
	CHECK(send_tagged(8, 5, 2, 3));
	CHECK(is_received(1, 8, true, 5));
	CHECK(look_miss(FI_PEEK, 5, 0, 4));
	CHECK(post_tagged(rbuf, 64, 6, 0, 1));
	CHECK_EQ(look(FI_PEEK, NULL, 0, 6, 0, 5), 0);
	CHECK(is_received(1, 9, true, 6));
	{
		struct fi_cq_err_entry e;

		CHECK(is_failed(5, FI_ENOMSG, &e));
	}
	CHECK(arrives(10, 7, 3, 2));
	CHECK(arrives(11, 7, 4, 2));
	CHECK(post_tagged(rbuf, 64, 7, 0, 1));
	CHECK(is_received(1, 10, true, 7));
	CHECK(look_hit(FI_PEEK, NULL, 0, 7, 0, 6, &c));
	CHECK_EQ(c.len, 11);
	return takes(7, 0, 11, 7, 4);
}

/* The very next peek finds a message that A knows to be delivered. */
static bool peek_sees_delivered(void)
{
	struct iovec iov = { sbuf, 700 };
	struct fi_msg_tagged m = {
		.msg_iov = &iov, .iov_count = 1, .addr = p.a.peer, .tag = 3, .context = ctx(1)
	};
	struct fi_cq_tagged_entry c;
	unsigned int i;

	for (i = 0; i < 20; i++) {
		pattern_fill(sbuf, 700, i);
		CHECK_EQ(fi_tsendmsg(p.a.ep, &m, FI_DELIVERY_COMPLETE | FI_COMPLETION), 0);
		CHECK(is_sent(1));
		CHECK_EQ(look(FI_PEEK, NULL, 0, 3, 0, 2), 0);
		CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
		CHECK_EQ(c.len, 700);
		CHECK(takes(3, 0, 700, 3, i));
	}
	return true;
}

static bool peek_data(void)
{
	struct fi_cq_tagged_entry c;

	CHECK(arrives(100, 5, 1, 1));
	CHECK(look_hit(FI_PEEK, rbuf, 16, 5, 0, 2, &c));
	CHECK_EQ(c.len, 100);
	/* the length may be missing; a short message, whose bytes are all here, has it */
	CHECK(c.buf == rbuf);
	CHECK(pattern_is(rbuf, 16, 1));
	CHECK(all_bytes(rbuf + 16, 200, 0xee));
	memset(rbuf, 0xee, 256);
	CHECK(look_hit(FI_PEEK, rbuf, 200, 5, 0, 2, &c));
	CHECK_EQ(c.len, 100);
	CHECK(c.buf == rbuf);
	CHECK(pattern_is(rbuf, 100, 1));
	CHECK(all_bytes(rbuf + 100, 100, 0xee));
	CHECK(takes(5, 0, 100, 5, 1));
	/* bytes at the sender are not fetched */
	CHECK(arrives(BIG, 6, 2, 1));
	memset(rbuf, 0xee, 256);
	CHECK(look_hit(FI_PEEK, rbuf, 16, 6, 0, 2, &c));
	CHECK_EQ(c.len, BIG);
	CHECK(!c.buf);
	CHECK(all_bytes(rbuf, 256, 0xee));
	CHECK(quiet(p.a.txcq));
	CHECK(takes(6, 0, BIG, 6, 2));
	return is_sent(1);
}

static bool peek_selective(void)
{
	struct fi_cq_tagged_entry c;

	CHECK(look_miss(FI_PEEK, 5, 0, 1));
	CHECK_EQ(fi_tinject(p.a.ep, sbuf, 8, p.a.peer, 5), 0);
	CHECK(look_hit(FI_PEEK, NULL, 0, 5, 0, 2, &c));
	CHECK(look_hit(FI_PEEK | FI_DISCARD, NULL, 0, 5, 0, 2, &c));
	return true;
}

/* ---- Claim and discard --------------------------------------------------------------- */

static bool claim_hides(void)
{
	struct fi_cq_tagged_entry c;

	CHECK(arrives(10, 5, 1, 1));
	CHECK(arrives(11, 5, 2, 1));
	CHECK(look_hit(FI_PEEK | FI_CLAIM, NULL, 0, 5, 0, 2, &c));
	CHECK_EQ(c.len, 10);
	CHECK(look_hit(FI_PEEK, NULL, 0, 0, ~0ull, 3, &c));
	CHECK_EQ(c.len, 11);
	CHECK(takes(0, ~0ull, 11, 5, 2));
	CHECK(look_miss(FI_PEEK, 0, ~0ull, 3));
	CHECK(post_tagged(rbuf, 64, 0, ~0ull, 4));
	CHECK(quiet(p.b.rxcq));
	CHECK_EQ(look(FI_CLAIM, rbuf + 64, 64, 0, 0, 2), 0);
	CHECK(is_received(2, 10, true, 5));
	CHECK(pattern_is(rbuf + 64, 10, 1));
	CHECK(send_tagged(12, 9, 3, 1));
	return is_received(4, 12, true, 9);
}

static bool claim_receives(void)
{
	static const size_t lens[] = { 0, 100, 3000, 16000, BIG };
	struct fi_cq_tagged_entry c;
	unsigned int i;

	for (i = 0; i < 5; i++) {
		CHECK(arrives(lens[i], 5, i, 1));
		CHECK(look_hit(FI_PEEK | FI_CLAIM, NULL, 0, 5, 0, 2, &c));
		CHECK_EQ(c.len, lens[i]);
		memset(rbuf, 0xee, lens[i] + 64);
		/* the call's tag is ignored */
		CHECK_EQ(look(FI_CLAIM, rbuf, lens[i] + 64, 99, 0, 2), 0);
		CHECK(is_received(2, lens[i], true, 5));
		CHECK(pattern_is(rbuf, lens[i], i));
		CHECK(all_bytes(rbuf + lens[i], 64, 0xee));
		if (lens[i] == BIG)
			CHECK(is_sent(1));
	}
	return true;
}

static bool claim_misses(void)
{
	struct fi_cq_err_entry e;

	CHECK(look_miss(FI_PEEK | FI_CLAIM, 5, 0, 1));
	CHECK_EQ(look(FI_CLAIM, rbuf, 64, 5, 0, 1), 0);
	return is_failed(1, FI_EINVAL, &e);
}

static bool claims_apart(void)
{
	struct fi_cq_tagged_entry c;
	unsigned int i;

	for (i = 0; i < 5; i++)
		CHECK(arrives(i == 3 ? BIG : 50 + i, 5 + i, i, 100 + i));
	for (i = 0; i < 5; i++)
		CHECK(look_hit(FI_PEEK | FI_CLAIM, NULL, 0, 0, ~0ull, i, &c));
	for (i = 5; i-- > 0;) {
		size_t len = i == 3 ? BIG : 50 + i;

		CHECK_EQ(look(FI_CLAIM, rbuf, ROOM, 0, 0, i), 0);
		CHECK(is_received(i, len, true, 5 + i));
		/* later sends have overwritten the long message's buffer */
		if (i != 3)
			CHECK(pattern_is(rbuf, len, i));
	}
	return is_sent(103);
}

static bool claims_refused(void)
{
	struct fi_cq_tagged_entry c;
	struct fi_cq_err_entry e;
	struct fi_msg_tagged m = { .addr = FI_ADDR_UNSPEC };

	CHECK_EQ(look(FI_CLAIM, rbuf, 64, 0, 0, 1), 0);
	CHECK(is_failed(1, FI_EINVAL, &e));
	CHECK_EQ(fi_trecvmsg(p.b.ep, &m, FI_PEEK | FI_CLAIM), -FI_EINVAL);
	CHECK(arrives(10, 5, 1, 1));
	CHECK(arrives(11, 5, 2, 1));
	CHECK(look_hit(FI_PEEK | FI_CLAIM, NULL, 0, 5, 0, 2, &c));
	/* one context, one message */
	CHECK_EQ(look(FI_PEEK | FI_CLAIM, NULL, 0, 5, 0, 2), 0);
	CHECK(is_failed(2, FI_EINVAL, &e));
	CHECK_EQ(look(FI_CLAIM, rbuf, 64, 0, 0, 2), 0);
	CHECK(is_received(2, 10, true, 5));
	CHECK_EQ(look(FI_CLAIM, rbuf, 64, 0, 0, 2), 0);
	CHECK(is_failed(2, FI_EINVAL, &e));
	CHECK_EQ(look(FI_CLAIM | FI_DISCARD, NULL, 0, 0, 0, 2), 0);
	CHECK(is_failed(2, FI_EINVAL, &e));
	return takes(5, 0, 11, 5, 2);
}

static bool claim_truncates(void)
{
	struct fi_cq_tagged_entry c;
	struct fi_cq_err_entry e;

	CHECK(arrives(100, 5, 1, 1));
	CHECK(look_hit(FI_PEEK | FI_CLAIM, NULL, 0, 5, 0, 2, &c));
	CHECK_EQ(look(FI_CLAIM, rbuf, 60, 0, 0, 2), 0);
	CHECK(is_failed(2, FI_ETRUNC, &e));
	CHECK_EQ(e.olen, 40);
	CHECK_EQ(e.tag, 5);
	CHECK(pattern_is(rbuf, 60, 1));
	CHECK(all_bytes(rbuf + 60, 100, 0xee));
	return look_miss(FI_PEEK, 5, 0, 3);
}

/* A discard ignores its buffers, whatever they are. */
static bool peek_discards(void)
{
	static const size_t lens[] = { 0, 100, 16000, BIG };
	struct fi_msg_tagged m = {
		.msg_iov = (void *)8, .iov_count = 1000, .tag = 5, .addr = FI_ADDR_UNSPEC,
		.context = ctx(3)
	};
	struct fi_cq_tagged_entry c;
	struct fi_cq_err_entry e;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		pattern_fill(sbuf, lens[i], i);
		memset(rbuf, 0xee, 256);
		CHECK_EQ(fi_tsend(p.a.ep, sbuf, lens[i], NULL, p.a.peer, 5, ctx(1)), 0);
		CHECK(look_hit(FI_PEEK | FI_DISCARD, rbuf, 200, 5, 0, 2, &c));
		CHECK_EQ(c.len, lens[i]);
		CHECK_EQ(c.tag, 5);
		CHECK(!c.buf);
		CHECK(all_bytes(rbuf, 256, 0xee));
		CHECK(look_miss(FI_PEEK, 5, 0, 3));
		CHECK(is_sent(1));
	}
	CHECK(look_miss(FI_PEEK | FI_DISCARD, 5, 0, 3));
	CHECK_EQ(fi_trecvmsg(p.b.ep, &m, FI_PEEK | FI_DISCARD), 0);
	CHECK(is_failed(3, FI_ENOMSG, &e));
	CHECK(send_tagged(8, 5, 1, 1));
	return takes(5, 0, 8, 5, 1);
}

static bool claim_discards(void)
{
	static const size_t lens[] = { 0, 100, 16000, BIG };
	struct iovec bad = { (void *)8, 1000 };
	struct fi_msg_tagged m = {
		.msg_iov = &bad, .iov_count = 1, .addr = FI_ADDR_UNSPEC, .context = ctx(2)
	};
	struct fi_cq_tagged_entry c;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		CHECK(arrives(lens[i], 5, i, 1));
		CHECK(look_hit(FI_PEEK | FI_CLAIM, NULL, 0, 5, 0, 2, &c));
		m.msg_iov = i & 1 ? NULL : &bad;
		CHECK_EQ(fi_trecvmsg(p.b.ep, &m, FI_CLAIM | FI_DISCARD), 0);
		CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
		CHECK(c.op_context == ctx(2));
		CHECK_EQ(c.len, 0);
		if (lens[i] == BIG)
			CHECK(is_sent(1));
		CHECK(look_miss(FI_PEEK, 5, 0, 3));
	}
	return true;
}

static bool discard_refused(void)
{
	struct fi_msg m = { .addr = FI_ADDR_UNSPEC, .context = ctx(2) };

	CHECK_EQ(look(FI_DISCARD, NULL, 0, 5, 0, 1), -FI_EINVAL);
	CHECK_EQ(look(FI_PEEK | FI_CLAIM | FI_DISCARD, NULL, 0, 5, 0, 1), -FI_EINVAL);
	CHECK_EQ(fi_recvmsg(p.b.ep, &m, FI_PEEK), -FI_EBADFLAGS);
	return true;
}

/* A send with a level, without its completion. */
static bool send_at(uint64_t level, size_t len, uint64_t tag, uint32_t seed, unsigned int n)
{
	struct iovec iov = { sbuf, len };
	struct fi_msg_tagged m = {
		.msg_iov = &iov, .iov_count = 1, .addr = p.a.peer, .tag = tag, .context = ctx(n)
	};

	pattern_fill(sbuf, len, seed);
	CHECK_EQ(fi_tsendmsg(p.a.ep, &m, level | FI_COMPLETION), 0);
	return true;
}

/* The sender is told of the match, whatever makes it, and not before. */
static bool match_complete(void)
{
	static const size_t lens[] = { 0, 100, 3000, 16000, BIG };
	struct fi_cq_tagged_entry c;
	unsigned int i;

	for (i = 0; i < 5; i++) {
		CHECK(send_at(FI_MATCH_COMPLETE, lens[i], 5, i, 1));
		CHECK(look_hit(FI_PEEK, NULL, 0, 5, 0, 2, &c));
		CHECK(quiet(p.a.txcq));
		CHECK(takes(5, 0, lens[i], 5, i));
		CHECK(is_sent(1));
		/* a posted receive */
		CHECK(post_tagged(rbuf, ROOM, 5, 0, 3));
		CHECK(send_at(FI_MATCH_COMPLETE, lens[i], 5, i, 1));
		CHECK(is_sent(1));
		CHECK(is_received(3, lens[i], true, 5));
		/* discarded */
		CHECK(send_at(FI_MATCH_COMPLETE, lens[i], 5, i, 1));
		CHECK(look_hit(FI_PEEK | FI_DISCARD, NULL, 0, 5, 0, 2, &c));
		CHECK(is_sent(1));
	}
	return true;
}

static bool no_multi(void)
{
	uint64_t flags = FI_RECV | FI_MULTI_RECV;

	CHECK_EQ(look(FI_MULTI_RECV, rbuf, 4096, 5, 0, 1), -FI_EBADFLAGS);
	/*
	 * as default of receives it counts for untagged ones, too: this receive takes one message
	 */
	CHECK_EQ(fi_control(&p.b.ep->fid, FI_SETOPSFLAG, &flags), 0);
	CHECK(post_tagged(rbuf, 4096, 5, 0, 1));
	CHECK(send_tagged(100, 5, 1, 1));
	CHECK(is_received(1, 100, true, 5));
	CHECK(pattern_is(rbuf, 100, 1));
	CHECK(send_tagged(50, 5, 2, 1));
	CHECK(quiet(p.b.rxcq));
	CHECK(takes(5, 0, 50, 5, 2));
	return all_bytes(rbuf + 100, 100, 0xee);
}

static const struct row rows[] = {
	ROW("TAG-001", ON_BOTH, "A message matches if the tags agree outside the ignored bits",
	    formula),
	ROW("TAG-002", ON_BOTH, "To ignore all bits matches every tag, to ignore none one tag",
	    any_tag),
	ROW("TAG-003", ON_BOTH, "Among receives that match the one posted first wins",
	    first_posted),
	ROW("TAG-004", ON_BOTH, "Among waiting messages of a sender the one sent first wins",
	    first_sent),
	ROW("TAG-005", ON_BOTH, "A receive that does not match is passed over", passed_over,
	    .o.rx_size = 2048),
	ROW("TAG-006", ON_BOTH, "Tagged and untagged traffic never meet", never_meet),
	ROW("TAG-014", ON_BOTH, "A message too long for its receive is truncated", truncates),
	ROW("TAG-015", ON_BOTH, "Match complete: when a receive has taken the message, or a discard",
	    match_complete),
	ROW("TAG-017", ON_BOTH, "Multi-receive does not apply to tagged receives", no_multi),
	ROW("TAG-018", ON_BOTH, "A peek finds an arrived message and describes it", peek_finds),
	ROW("TAG-019", ON_BOTH, "A miss is an error completion FI_ENOMSG", peek_misses),
	ROW("TAG-020", ON_BOTH, "A peek does not stay posted", peek_passes),
	ROW("TAG-021", ON_BOTH, "A peek changes nothing", peek_keeps),
	ROW("TAG-022", ON_BOTH, "A peek shows the message that a receive in its place would get",
	    peek_predicts),
	ROW("TAG-023", ON_BOTH, "A receive posted earlier has priority", peek_gives_way),
	ROW("TAG-024", ON_BOTH, "A message known to have arrived is found", peek_sees_delivered),
	ROW("TAG-025", ON_BOTH, "With a buffer the start of the data may be returned", peek_data),
	ROW("TAG-027", ON_BOTH, "Results of peeks appear under selective completion as well",
	    peek_selective, .o.selective = true),
	ROW("TAG-028", ON_BOTH, "A claimed message is hidden from everyone else", claim_hides),
	ROW("TAG-029", ON_BOTH, "A claim with the same context receives the message",
	    claim_receives),
	ROW("TAG-030", ON_BOTH, "A claim that misses claims nothing", claim_misses),
	ROW("TAG-031", ON_BOTH, "Claims are independent of each other", claims_apart),
	ROW("TAG-032", ON_BOTH, "A claim of nothing is refused", claims_refused),
	ROW("TAG-033", ON_BOTH, "A claim into a short buffer is truncated", claim_truncates),
	ROW("TAG-034", ON_BOTH, "A peek that discards removes the message", peek_discards),
	ROW("TAG-035", ON_BOTH, "A claimed message can be discarded", claim_discards),
	ROW("TAG-036", ON_BOTH, "A discard alone is refused", discard_refused),
};

int main(int argc, char **argv)
{
	return rows_main(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
}
