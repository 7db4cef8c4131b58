// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fi_rma(3), rule by rule: flags, levels, order, errors. TIMEOUT: 300 LINKS: vnet loop
 */
#include "onesided.h"

#define LONG	(3u << 20)
#define ORDERED	4095u	/* bytes: shorter than max_order_*_size */

/* ---- Flags ------------------------------------------------------------------------------ */

static bool flags_replace(void)
{
	struct fid_mr *mr;

	CHECK(expose_all(&mr));
	CHECK(rma_write(sbuf, 100, 0, KEY));
	CHECK(rma_read(sbuf, 100, 0, KEY));
	CHECK_EQ(rma_msg(true, sbuf, 100, 0, KEY, 1, 0), 0);
	CHECK_EQ(rma_msg(false, sbuf, 100, 0, KEY, 2, 0), 0);
	CHECK(cntr_is(p.a.txcntr, 4));
	return quiet(p.a.txcq) && !fi_close(&mr->fid);
}

static bool failures_appear(void)
{
	CHECK_EQ(rma_msg(true, sbuf, 100, 0, KEY, 1, 0), 0);
	CHECK(rma_failed(1, true, FI_EACCES));
	CHECK_EQ(rma_msg(false, sbuf, 100, 0, KEY, 2, 0), 0);
	CHECK(rma_failed(2, false, FI_EACCES));
	CHECK_EQ(rma_msg(true, sbuf, 100, 0, KEY, 3, FI_INJECT | FI_INJECT_COMPLETE), 0);
	return rma_failed(3, true, FI_EACCES);
}

static bool deferred(void)
{
	uint64_t until = now_ms() + WAIT_MS;
	struct fid_mr *mr;
	unsigned int i;

	CHECK(expose_all(&mr));
	memset(sbuf, 0x44, 4096);
	for (i = 0; i < 40; i++)
		CHECK_EQ(rma_msg(true, sbuf, 100, 100 * i, KEY, i, FI_MORE), 0);
	/* no further call */
	while (((volatile uint8_t *)rbuf)[3999] != 0x44)
		CHECK(now_ms() < until);
	CHECK_EQ(rma_msg(false, sbuf, 100, 0, KEY, 40, FI_MORE), 0);
	CHECK_EQ(rma_msg(false, sbuf, 100, 0, 1, 41, ~0ULL), -FI_EOPNOTSUPP);
	return rma_ends(41) && !fi_close(&mr->fid);
}

static bool levels(void)
{
	const uint64_t all[] = { 0, FI_INJECT_COMPLETE, FI_TRANSMIT_COMPLETE, FI_DELIVERY_COMPLETE,
				 FI_MATCH_COMPLETE };
	const size_t sizes[] = { 8, 5000, LONG };
	struct fid_mr *mr;
	unsigned int i, j;

	CHECK(expose_all(&mr));
	for (i = 0; i < 5; i++)
		for (j = 0; j < 3; j++) {
			pattern_fill(sbuf, sizes[j], 3 * i + j);
			CHECK_EQ(rma_msg(true, sbuf, sizes[j], 0, KEY, 1, all[i]), 0);
			CHECK(rma_done(1, true));
			CHECK(pattern_is(rbuf, sizes[j], 3 * i + j));
			memset(sbuf, 0, sizes[j]);
			CHECK_EQ(rma_msg(false, sbuf, sizes[j], 0, KEY, 2, all[i]), 0);
			CHECK(rma_done(2, false));
			CHECK(pattern_is(sbuf, sizes[j], 3 * i + j));
		}
	CHECK_EQ(rma_msg(true, sbuf, 8, 0, KEY, 1, FI_COMMIT_COMPLETE), -FI_EOPNOTSUPP);
	CHECK_EQ(rma_msg(false, sbuf, 8, 0, KEY, 1, FI_COMMIT_COMPLETE), -FI_EOPNOTSUPP);
	return !fi_close(&mr->fid);
}

static bool while_cut(void)
{
	CHECK(link_cut());
	pattern_fill(sbuf, 100, 6);
	CHECK_EQ(fi_write(p.a.ep, sbuf, 100, NULL, p.a.peer, 0, KEY, ctx(1)), 0);
	CHECK_EQ(fi_read(p.a.ep, sbuf + 8192, 100, NULL, p.a.peer, 0, KEY, ctx(2)), 0);
	CHECK(quiet(p.a.txcq));
	CHECK(all_bytes(rbuf, 100, 0xee));
	CHECK(link_mend());
	return rma_ends(2) && pattern_is(rbuf, 100, 6);
}

static bool not_before(void)
{
	return rma_on_link(while_cut, 0);
}

/* No entry while no packet passes; after the entry source and link may go. */
static bool executed(uint64_t level, bool cut)
{
	static const size_t sizes[] = { 1, 300, 5000, LONG };
	unsigned int i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		pattern_fill(sbuf, sizes[i], i);
		CHECK(!cut || link_cut());
		CHECK_EQ(rma_msg(true, sbuf, sizes[i], 0, KEY, i, level), 0);
		CHECK(!cut || (quiet(p.a.txcq) && link_mend()));
		CHECK(rma_done(i, true));
		CHECK(!cut || link_cut());
		memset(sbuf, 0x99, sizes[i]);
		CHECK(pattern_is(rbuf, sizes[i], i));
		CHECK(!cut || link_mend());
	}
	return true;
}

static bool at_level(uint64_t level)
{
	struct fid_mr *mr;
	bool ok;

	CHECK(expose_all(&mr));
	CHECK(rma_read(sbuf, 8, 0, KEY));
	ok = link_over(executed(level, link_there()));
	return ok && !fi_close(&mr->fid);
}

static bool inject_complete(void)
{
	return at_level(FI_INJECT_COMPLETE);
}

static bool transmit_complete(void)
{
	return at_level(FI_TRANSMIT_COMPLETE);
}

/* ---- Fences ----------------------------------------------------------------------------- */

static bool fenced(void)
{
	volatile uint8_t *flag = rbuf + LONG + 64;
	uint64_t until = now_ms() + WAIT_MS;
	struct fid_mr *mr;
	unsigned int i;

	CHECK(expose_all(&mr));
	for (i = 1; i <= 20; i++) {
		pattern_fill(sbuf, LONG, i);
		sbuf[LONG] = i;
		CHECK_EQ(rma_msg(true, sbuf, LONG, 0, KEY, 1, FI_INJECT_COMPLETE), 0);
		CHECK_EQ(rma_msg(true, sbuf + LONG, 1, LONG + 64, KEY, 2, FI_FENCE), 0);
		while (*flag != i)
			CHECK(now_ms() < until);
		/* what was written before the flag is there */
		CHECK(pattern_is(rbuf, LONG, i));
		CHECK(rma_ends(2));
	}
	return !fi_close(&mr->fid);
}

static bool fence_sends(void)
{
	struct iovec iov = { sbuf, 64 };
	struct fi_cq_tagged_entry c;
	struct fi_msg m = {
		.msg_iov = &iov, .iov_count = 1, .addr = p.a.peer, .context = ctx(2)
	};
	struct fid_mr *mr;
	unsigned int i;

	CHECK(expose_all(&mr));
	for (i = 0; i < 20; i++) {
		CHECK(post_plain(rbuf + LONG + 64, 64, 1));
		pattern_fill(sbuf, LONG, i);
		CHECK_EQ(rma_msg(true, sbuf, LONG, 0, KEY, 1, 0), 0);
		CHECK_EQ(fi_sendmsg(p.a.ep, &m, FI_FENCE), 0);
		CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
		CHECK(pattern_is(rbuf, LONG, i));
		CHECK(rma_ends(2));
	}
	return !fi_close(&mr->fid);
}

static bool no_fence(void)
{
	CHECK_EQ(rma_msg(true, sbuf, 8, 0, KEY, 1, FI_FENCE), -FI_EBADFLAGS);
	CHECK_EQ(rma_msg(false, sbuf, 8, 0, KEY, 1, FI_FENCE), -FI_EBADFLAGS);
	return true;
}

/* ---- Order ------------------------------------------------------------------------------ */

#define ROUNDS	300

static bool later_stays(void)
{
	unsigned int i, len;
	struct fid_mr *mr;

	CHECK(expose_all(&mr));
	CHECK(link_spoil());
	for (i = 0; i < ROUNDS; i++) {
		len = i % 3 == 0 ? 8 : i % 3 == 1 ? 1 + i * 13 % ORDERED : ORDERED;
		pattern_fill(sbuf, len, 2 * i);
		pattern_fill(sbuf + 4096, len, 2 * i + 1);
		CHECK_EQ(rma_msg(true, sbuf, len, 0, KEY, 1, 0), 0);
		CHECK_EQ(rma_msg(true, sbuf + 4096, len, 0, KEY, 2, 0), 0);
		CHECK(rma_ends(2));
		CHECK(pattern_is(rbuf, len, 2 * i + 1));
	}
	return !fi_close(&mr->fid);
}

static bool waw(void)
{
	return link_over(later_stays());
}

/* Write, read and write again without a wait: the read has the first value. */
static bool between_writes(void)
{
	unsigned int i, len;
	struct fid_mr *mr;

	CHECK(expose_all(&mr));
	CHECK(link_spoil());
	for (i = 0; i < ROUNDS; i++) {
		len = i % 2 ? 8 : ORDERED - i;
		pattern_fill(sbuf, len, 2 * i);
		pattern_fill(sbuf + 4096, len, 2 * i + 1);
		CHECK_EQ(rma_msg(true, sbuf, len, 0, KEY, 1, 0), 0);
		CHECK_EQ(rma_msg(false, sbuf + 8192, len, 0, KEY, 2, 0), 0);
		CHECK_EQ(rma_msg(true, sbuf + 4096, len, 0, KEY, 3, 0), 0);
		CHECK(rma_ends(3));
		CHECK(pattern_is(sbuf + 8192, len, 2 * i));
		CHECK(pattern_is(rbuf, len, 2 * i + 1));
	}
	return !fi_close(&mr->fid);
}

static bool raw_war(void)
{
	return link_over(between_writes());
}

/* Long writes, each followed by a message whose receive says that the bytes are there. */
static bool write_then_send(void)
{
	struct fi_cq_tagged_entry c;
	struct fid_mr *mr;
	unsigned int i;

	CHECK(p.a.info->tx_attr->msg_order & FI_ORDER_SAW);
	CHECK(expose_all(&mr));
	CHECK(link_spoil());
	for (i = 0; i < 30; i++) {
		size_t len = i % 3 ? 5000 * i : LONG;

		CHECK(post_plain(rbuf + LONG + 64, 64, 1));
		pattern_fill(sbuf, len, i);
		CHECK_EQ(rma_msg(true, sbuf, len, 0, KEY, 1, FI_INJECT_COMPLETE), 0);
		CHECK_EQ(fi_send(p.a.ep, sbuf + LONG, 64, NULL, p.a.peer, ctx(2)), 0);
		CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
		CHECK(pattern_is(rbuf, len, i));
		CHECK(rma_ends(2));
	}
	return !fi_close(&mr->fid);
}

static bool saw(void)
{
	return link_over(write_then_send());
}

static bool before_send(void)
{
	struct fi_cq_tagged_entry c;
	struct fid_mr *mr;
	unsigned int i;

	CHECK(expose_all(&mr));
	for (i = 0; i < ROUNDS; i++) {
		CHECK(post_plain(rbuf + 8192, 64, 1));
		pattern_fill(rbuf, ORDERED, i);
		CHECK_EQ(rma_msg(false, sbuf, ORDERED, 0, KEY, 2, 0), 0);
		CHECK_EQ(fi_inject(p.a.ep, sbuf + 8192, 64, p.a.peer), 0);
		CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
		memset(rbuf, 0x99, ORDERED);
		CHECK(rma_done(2, false));
		CHECK(pattern_is(sbuf, ORDERED, i));
	}
	return !fi_close(&mr->fid);
}

static bool no_third_value(void)
{
	unsigned int i, j, one;
	struct fid_mr *mr;

	CHECK(expose_all(&mr));
	memset(sbuf, 1, 1u << 20);
	memset(sbuf + (1u << 20), 2, 1u << 20);
	for (i = 0; i < 10; i++) {
		CHECK_EQ(rma_msg(true, sbuf, 1u << 20, 0, KEY, 1, 0), 0);
		CHECK_EQ(rma_msg(true, sbuf + (1u << 20), 1u << 20, 0, KEY, 1, 0), 0);
		CHECK(rma_ends(2));
		for (j = 0, one = 0; j < 1u << 20; j++)
			one += rbuf[j] != 1 && rbuf[j] != 2;
		CHECK_EQ(one, 0);
	}
	return !fi_close(&mr->fid);
}

/* ---- Errors ----------------------------------------------------------------------------- */

static bool unknown_keys(void)
{
	const uint64_t keys[] = { 0, 1, ~0ULL, KEY };
	struct fid_mr *mr;
	unsigned int i;

	CHECK(expose_all(&mr));
	CHECK(rma_write(sbuf, 8, 0, KEY));
	CHECK_EQ(fi_close(&mr->fid), 0);
	for (i = 0; i < 4; i++) {
		CHECK_EQ(rma_msg(true, sbuf, 100, 0, keys[i], 1, 0), 0);
		CHECK(rma_failed(1, true, FI_EACCES));
		CHECK_EQ(rma_msg(true, sbuf, LONG, 0, keys[i], 2, 0), 0);
		CHECK(rma_failed(2, true, FI_EACCES));
		CHECK_EQ(rma_msg(false, sbuf, 100, 0, keys[i], 3, 0), 0);
		CHECK(rma_failed(3, false, FI_EACCES));
		CHECK_EQ(rma_msg(false, sbuf, LONG, 0, keys[i], 4, 0), 0);
		CHECK(rma_failed(4, false, FI_EACCES));
	}
	return true;
}

static bool one_bad(void)
{
	struct fi_rma_iov rem[3] = { { 0, 100, KEY }, { 0, 100, 5 }, { 200, 100, KEY } };
	struct iovec iov = { sbuf, 300 };
	struct fi_msg_rma m = {
		.msg_iov = &iov, .iov_count = 1, .addr = p.a.peer, .rma_iov = rem,
		.rma_iov_count = 3, .context = ctx(1),
	};
	struct fid_mr *mr;

	CHECK(expose_all(&mr));
	memset(sbuf, 0x77, 300);
	CHECK_EQ(fi_writemsg(p.a.ep, &m, 0), 0);
	CHECK(rma_failed(1, true, FI_EACCES));
	CHECK_EQ(fi_readmsg(p.a.ep, &m, 0), 0);
	CHECK(rma_failed(1, false, FI_EACCES));
	CHECK(all_bytes(rbuf, 300, 0xee));
	CHECK(all_bytes(sbuf, 300, 0x77));
	rem[1] = (struct fi_rma_iov){ ROOM - 99, 100, KEY };
	CHECK_EQ(fi_writemsg(p.a.ep, &m, 0), 0);
	CHECK(rma_failed(1, true, FI_EACCES));
	CHECK(all_bytes(rbuf, 300, 0xee));
	return !fi_close(&mr->fid);
}

static bool queue_full(void)
{
	unsigned int n = 0;
	struct fid_mr *mr;
	ssize_t ret;

	CHECK(expose_all(&mr));
	do {
		ret = rma_msg(n % 2, sbuf, LONG / 2, 0, KEY, 1, 0);
		n += !ret;
	} while (!ret && n < 20000);
	CHECK_EQ(ret, -FI_EAGAIN);
	CHECK(rma_ends(n));
	return rma_write(sbuf, 8, 0, KEY) && !fi_close(&mr->fid);
}

static bool canceled(void)
{
	struct fi_cq_tagged_entry c;
	struct fi_cq_err_entry e;
	struct fid_mr *mr;
	unsigned int i;
	int ret;

	CHECK(expose_all(&mr));
	CHECK_EQ(rma_msg(true, sbuf, LONG, 0, KEY, 1, 0), 0);
	CHECK_EQ(fi_cancel(&p.a.ep->fid, ctx(1)), 0);
	CHECK(rma_done(1, true));
	if (p.o.type == FI_EP_MSG) {
		for (i = 0; i < 4; i++)
			CHECK_EQ(rma_msg(i % 2, sbuf, LONG, 0, KEY, 1, 0), 0);
		CHECK_EQ(fi_shutdown(p.a.ep, 0), 0);
		for (i = 0; i < 4; i++) {
			ret = completion(p.a.txcq, &c, NULL, &e);
			CHECK(ret == 1 || (ret == -FI_EAVAIL && e.err == FI_ECANCELED));
		}
		CHECK_EQ(rma_msg(true, sbuf, 8, 0, KEY, 1, 0), -FI_ENOTCONN);
	}
	return !fi_close(&mr->fid);
}

#define FENCE .o.caps = FI_RMA | FI_FENCE
#define COUNT .o.counters = true, .o.tx_count = FI_READ | FI_WRITE

static const struct row rows[] = {
	ROW("RMA-31", ON_BOTH, "Flags of a message structure replace the defaults", flags_replace,
	    RMA, COUNT, .o.selective = true, .o.tx_flags = FI_COMPLETION),
	ROW("RMA-32", ON_BOTH, "Failures always have an entry", failures_appear, RMA,
	    .o.selective = true),
	ROW("RMA-33", ON_BOTH, "FI_MORE holds nothing for ever", deferred, RMA),
	ROW("RMA-34", ON_BOTH, "Without a level an operation completes when it is executed",
	    not_before, RMA),
	ROW("RMA-35", ON_BOTH, "With FI_INJECT_COMPLETE, too, an operation completes when executed",
	    inject_complete, RMA),
	ROW("RMA-36", ON_BOTH, "With FI_TRANSMIT_COMPLETE the peer has the bytes at the entry",
	    transmit_complete, RMA),
	ROW("RMA-37", ON_BOTH, "The bytes are there at the entry, whatever the level", levels, RMA),
	ROW("RMA-40", ON_BOTH, "FI_MATCH_COMPLETE as default does no harm", levels, RMA,
	    .o.tx_flags = FI_MATCH_COMPLETE),
	ROW("RMA-41", ON_BOTH, "A fenced write starts when earlier operations have completed",
	    fenced, FENCE),
	ROW("RMA-42", ON_BOTH, "A fenced message vouches for earlier writes", fence_sends, FENCE),
	ROW("RMA-43", ON_BOTH, "Without the capability a fence is refused", no_fence, RMA),
	ROW("RMA-44", ON_BOTH, "Of two writes to one place the later one stays", waw, RMA),
	ROW("RMA-45", ON_BOTH, "A read sees earlier writes, and not later ones", raw_war, RMA),
	ROW("RMA-47", ON_BOTH, "With FI_ORDER_SAW a receive vouches for earlier writes",
	    saw, RMA, .o.order = FI_ORDER_SAS | FI_ORDER_SAW),
	ROW("RMA-48", ON_BOTH, "A read keeps its place before a later message", before_send, RMA,
	    .mess = true),
	ROW("RMA-50", ON_BOTH, "Long writes to one place leave no third value", no_third_value,
	    RMA),
	ROW("RMA-53", ON_BOTH, "An unknown key is refused", unknown_keys, RMA),
	ROW("RMA-56", ON_BOTH, "One bad remote segment fails all", one_bad, RMA),
	ROW("RMA-64", ON_BOTH, "Full queues give -FI_EAGAIN, until completions are read",
	    queue_full, RMA),
	ROW("RMA-65", ON_BOTH, "fi_cancel does not touch operations, fi_shutdown does", canceled,
	    RMA),
};

int main(int argc, char **argv)
{
	return rows_main(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
}
