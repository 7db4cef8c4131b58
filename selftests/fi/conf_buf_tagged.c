// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* fi_tagged(3) on buffered receives, rule by rule. TIMEOUT: 300 LINKS: vnet loop */
#include "told.h"

static bool post_tag(uint64_t tag, uint64_t ignore, unsigned int n)
{
	CHECK_EQ(fi_trecv(p.b.ep, (void *)16, 1ull << 50, (void *)32, FI_ADDR_UNSPEC, tag, ignore,
			  ctx(n)),
		 0);
	return true;
}

static bool posts_tag(void)
{
	struct iovec junk[2] = { { (void *)8, 1ull << 60 }, { NULL, 5 } };
	struct fi_msg_tagged m = {
		.msg_iov = junk, .iov_count = 99, .addr = FI_ADDR_UNSPEC, .tag = 5,
		.context = ctx(12)
	};
	struct told t;
	unsigned int i;

	for (i = 0; i < NLENS; i++) {
		CHECK(post_tag(5, 0, 10));
		CHECK(sends(0, lens[i], 5, i));
		CHECK(announced_as(&t, lens[i], 5, i, ctx(10), 0));
		CHECK(i % 2 ? claim(&t, lens[i], 5, i) : discard(&t, true));
	}
	CHECK_EQ(fi_trecvv(p.b.ep, junk, NULL, 2, FI_ADDR_UNSPEC, 6, 1, ctx(11)), 0);
	CHECK_EQ(fi_trecvmsg(p.b.ep, &m, 0), 0);
	CHECK(sends(0, 10, 5, 1));
	CHECK(announced_as(&t, 10, 5, 1, ctx(12), 0));
	CHECK(discard(&t, true));
	CHECK(sends(0, 10, 7, 2));
	CHECK(announced_as(&t, 10, 7, 2, ctx(11), 0));
	CHECK(discard(&t, true));
	CHECK_EQ(fi_trecvmsg(p.b.ep, &m, FI_MULTI_RECV), -FI_EBADFLAGS);
	return sent(NLENS + 2);
}

static bool waits_for_tag(void)
{
	static const uint64_t tags[] = { 3, 5, 3, 5, 8 };
	struct told t;
	unsigned int i;

	for (i = 0; i < 5; i++)
		CHECK(sends(LIMIT * i, 100 + i, tags[i], i));
	CHECK(sent(5));
	CHECK(quiet(p.b.rxcq));
	CHECK(post_tag(5, 0, 20));
	CHECK(announced_as(&t, 101, 5, 1, ctx(20), 0));
	CHECK(discard(&t, true));
	CHECK(post_tag(1, 6, 21));
	CHECK(announced_as(&t, 100, 3, 0, ctx(21), 0));
	CHECK(discard(&t, true));
	CHECK(post_tag(0, ~0ull, 22));
	CHECK(announced_as(&t, 102, 3, 2, ctx(22), 0));
	CHECK(claim(&t, 102, 3, 2));
	CHECK(post_tag(8, 0, 23));
	CHECK(announced_as(&t, 104, 8, 4, ctx(23), 0));
	CHECK(discard(&t, true));
	CHECK(post_tag(5, 0, 24));
	CHECK(announced_as(&t, 103, 5, 3, ctx(24), 0));
	return discard(&t, true);
}

static bool one_each(void)
{
	struct told t;

	CHECK(post_tag(5, 0, 1));
	CHECK(sends(0, 10, 5, 2));
	CHECK(sends(4096, 11, 5, 3));
	CHECK(announced_as(&t, 10, 5, 2, ctx(1), 0));
	CHECK(quiet(p.b.rxcq));
	CHECK(discard(&t, true));
	CHECK(quiet(p.b.rxcq));
	CHECK(post_tag(5, 0, 4));
	CHECK(announced_as(&t, 11, 5, 3, ctx(4), 0));
	CHECK(discard(&t, true));
	return sent(2);
}

static bool settles_tagged(void)
{
	struct fi_msg_tagged m = { .addr = 99, .tag = 1234, .ignore = 77 };
	struct iovec iov = { rbuf, LONG };
	struct told t;
	unsigned int i;

	for (i = 0; i < NLENS; i++) {
		CHECK(post_tag(5, 0, 10));
		CHECK(sends(0, lens[i], 5, i));
		CHECK(announced_as(&t, lens[i], 5, i, ctx(10), 0));
		/* tag and source of the claim are ignored, the context is that of the post */
		m.msg_iov = &iov;
		m.iov_count = 1;
		m.context = t.ctx;
		CHECK_EQ(fi_trecvmsg(p.b.ep, &m, FI_CLAIM), 0);
		CHECK(claimed(ctx(10), lens[i], 5, 0));
		CHECK(pattern_is(rbuf, lens[i], i));
	}
	return sent(NLENS);
}

static bool kinds_apart(void)
{
	struct told t, u;

	CHECK(post_tag(5, 0, 10));
	CHECK(sends(0, 10, 5, 1));
	CHECK(announced_as(&t, 10, 5, 1, ctx(10), 0));
	CHECK(sends(4096, 10, PLAIN, 2));
	CHECK(announced(&u, 10, 2));
	CHECK_EQ(settle(t.ctx, rbuf, 10, false, FI_CLAIM), -FI_EINVAL);
	CHECK_EQ(settle(t.ctx, rbuf, 10, false, FI_DISCARD), -FI_EINVAL);
	CHECK_EQ(settle(u.ctx, rbuf, 10, true, FI_CLAIM), -FI_EINVAL);
	CHECK_EQ(settle(u.ctx, rbuf, 10, true, FI_DISCARD), -FI_EINVAL);
	CHECK(claim(&t, 10, 5, 1));
	CHECK(claim(&u, 10, PLAIN, 2));
	return sent(2);
}

static bool cancels(void)
{
	struct fi_cq_err_entry e;
	struct told t;

	CHECK(post_tag(5, 0, 1));
	CHECK(post_tag(5, 0, 2));
	CHECK_EQ(fi_cancel(&p.b.ep->fid, ctx(1)), 0);
	CHECK(is_failed(1, FI_ECANCELED, &e));
	CHECK_EQ(e.flags, FI_RECV | FI_TAGGED);
	CHECK_EQ(e.tag, 5);
	CHECK_EQ(fi_cancel(&p.b.ep->fid, ctx(1)), 0);
	CHECK(sends(0, 10, 5, 3));
	CHECK(announced_as(&t, 10, 5, 3, ctx(2), 0));
	CHECK_EQ(fi_cancel(&p.b.ep->fid, ctx(2)), 0);
	CHECK_EQ(fi_cancel(&p.b.ep->fid, t.ctx), 0);
	CHECK(quiet(p.b.rxcq));
	CHECK(claim(&t, 10, 5, 3));
	return sent(1);
}

/*
 * Peeks find messages that are not announced. A message that a peek has claimed is received under
 * its own context.
 */
static bool peeks(void)
{
	struct fi_cq_tagged_entry c;
	struct told t;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		size_t len = i ? LONG : 300;

		CHECK(sends(0, len, 5, 1));
		CHECK(look_hit(FI_PEEK, NULL, 0, 5, 0, 2, &c));
		CHECK_EQ(c.len, len);
		CHECK(look_hit(FI_PEEK | FI_CLAIM, NULL, 0, 5, 0, 3, &c));
		CHECK(look_miss(FI_PEEK, 5, 0, 4));
		CHECK_EQ(look(FI_CLAIM, rbuf, LONG, 0, 0, 3), 0);
		CHECK(is_received(3, len, true, 5));
		CHECK(pattern_is(rbuf, len, 1));
		CHECK(sent(1));
		CHECK(post_tag(5, 0, 6));
		CHECK(sends(0, len, 5, 7));
		CHECK(announced_as(&t, len, 5, 7, ctx(6), 0));
		CHECK(look_miss(FI_PEEK, 5, 0, 4));
		CHECK_EQ(settle(t.ctx, NULL, 0, true, FI_PEEK | FI_CLAIM), -FI_EINVAL);
		CHECK(discard(&t, true));
		CHECK(sends(0, len, 5, 8));
		CHECK(look_hit(FI_PEEK | FI_DISCARD, NULL, 0, 5, 0, 9, &c));
		CHECK(sent(2));
	}
	return true;
}

/* As many posts as rx_attr says, and again when they are settled. */
static bool tags_full(void)
{
	size_t size = p.b.info->rx_attr->size, i, round;
	struct told t;

	for (round = 0; round < 2; round++) {
		for (i = 0; i < size; i++)
			CHECK_EQ(fi_trecv(p.b.ep, NULL, 0, NULL, FI_ADDR_UNSPEC, i, 0, ctx(1)), 0);
		CHECK_EQ(fi_trecv(p.b.ep, NULL, 0, NULL, FI_ADDR_UNSPEC, 7, 0, ctx(1)),
			 -FI_EAGAIN);
		for (i = 0; i < size; i++) {
			CHECK(sends(0, 10, i, 2));
			CHECK(sent(1));
			CHECK(announced_as(&t, 10, i, 2, ctx(1), 0));
			CHECK(discard(&t, true));
		}
	}
	return true;
}

/* A call is refused with the right error, or all queues are full; no completion follows. */
static bool tag_errors(void)
{
	struct iovec wraps[2] = { { rbuf, ~0ull }, { rbuf, 64 } };
	struct fi_msg_tagged m = { .addr = FI_ADDR_UNSPEC };
	uint64_t until = now_ms() + WAIT_MS;
	struct fi_cq_err_entry e;
	unsigned int n = 0, i;
	struct told t;
	ssize_t ret;

	CHECK_EQ(fi_trecvmsg(p.b.ep, NULL, 0), -FI_EINVAL);
	CHECK_EQ(fi_trecvmsg(p.b.ep, &m, FI_CLAIM | FI_PEEK | FI_DISCARD), -FI_EINVAL);
	CHECK_EQ(fi_trecvmsg(p.b.ep, &m, FI_CLAIM | FI_DISCARD), -FI_EINVAL);
	CHECK_EQ(fi_trecvmsg(p.b.ep, &m, FI_PEEK | FI_CLAIM), -FI_EINVAL);
	CHECK_EQ(fi_trecvmsg(p.b.ep, &m, FI_DISCARD), -FI_EINVAL);
	CHECK_EQ(fi_trecvmsg(p.b.ep, &m, FI_REMOTE_CQ_DATA), -FI_EBADFLAGS);
	CHECK(post_tag(5, 0, 1));
	CHECK(sends(0, 100, 5, 2));
	CHECK(sent(1));
	CHECK(announced_as(&t, 100, 5, 2, ctx(1), 0));
	CHECK_EQ(settle_iov(t.ctx, wraps, 33, true, FI_CLAIM), -FI_EINVAL);
	CHECK_EQ(settle_iov(t.ctx, NULL, 1, true, FI_CLAIM), -FI_EINVAL);
	CHECK_EQ(settle_iov(t.ctx, wraps, 2, true, FI_CLAIM), -FI_EINVAL);
	CHECK(claim(&t, 100, 5, 2));
	/*
	 * messages without an announcement are those that a peek would have claimed, and none has
	 */
	CHECK_EQ(look(FI_CLAIM, rbuf, 100, 5, 0, 1), 0);
	CHECK(is_failed(1, FI_EINVAL, &e));

	/* peeks whose results are not read */
	while ((ret = look(FI_PEEK, NULL, 0, 9, 0, 3)) == 0)
		CHECK(++n < 4000);
	CHECK_EQ(ret, -FI_EAGAIN);
	while ((ret = look(FI_PEEK, NULL, 0, 9, 0, 3)) == -FI_EAGAIN) {
		CHECK(now_ms() < until);
		if (!n)
			continue;
		CHECK(is_failed(3, FI_ENOMSG, &e));
		n--;
	}
	CHECK_EQ(ret, 0);
	for (i = 0; i <= n; i++)
		CHECK(is_failed(3, FI_ENOMSG, &e));
	return true;
}

static const struct row rows[] = {
	ROW("TAG-037", ON_BOTH, "Tagged receives post a tag; buffers are ignored", posts_tag,
	    MODE),
	ROW("TAG-037a", ON_BOTH, "As many tags can be posted as the endpoint has receives",
	    tags_full, MODE),
	ROW("TAG-038", ON_BOTH, "Without a posted tag a message is not announced", waits_for_tag,
	    MODE),
	ROW("TAG-039", ON_BOTH, "One posted tag announces one message", one_each, MODE),
	ROW("TAG-040", ON_BOTH, "Tagged announcements are settled by fi_trecvmsg", settles_tagged,
	    MODE),
	ROW("TAG-040a", ON_BOTH, "Peeks see what is not announced", peeks, MODE),
	ROW("TAG-041", ON_BOTH, "Tagged and untagged claims do not mix", kinds_apart, MODE),
	ROW("TAG-043", ON_BOTH, "A posted tag can be canceled, an announcement cannot", cancels,
	    MODE),
	ROW("TAG-044", ON_BOTH, "Wrong arguments give -FI_EINVAL, full queues -FI_EAGAIN",
	    tag_errors, MODE, .o.cq_size = 32, .o.rx_size = 32),
};

int main(int argc, char **argv)
{
	return rows_main(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
}
