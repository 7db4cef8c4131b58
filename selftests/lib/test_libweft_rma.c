// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * libweft without a kernel: entries of one-sided operations, and regions. Built together with the
 * sources in lib/libweft. TAP on stdout.
 */
#include <errno.h>
#include <string.h>

#include "fake.h"

#define PER_SLOT (64 / sizeof(struct weft_rma_iov))

static void test_one_segment(void)
{
	struct weft_sqe *sqe = &dev->sq.e[0];
	char buf[100] = { 0 };

	memset(sqe, 0xff, sizeof(*sqe) * 3);
	CHECK(!weft_write(ep, buf, sizeof(buf), 7, 0x1234, 99, 5, 42,
			  WEFT_SQ_COMPLETION | WEFT_SQ_DATA));
	CHECK(sqe->op == WEFT_SQ_WRITE && sqe->nslots == 1 && sqe->dst == 7);
	CHECK(sqe->flags == (WEFT_SQ_COMPLETION | WEFT_SQ_DATA));
	CHECK(sqe->context == 42 && sqe->tag == 99 && sqe->raddr == 0x1234 && sqe->data == 5);
	CHECK(sqe->addr == (uintptr_t)buf && sqe->len == 100 && sqe->niov == 1 && sqe->nrem == 1);
	sqe++;
	CHECK(!weft_read(ep, buf, 8, 0, ~0ULL, 98, 43, WEFT_SQ_FENCE));
	CHECK(sqe->op == WEFT_SQ_READ && sqe->nslots == 1 && sqe->flags == WEFT_SQ_FENCE);
	CHECK(sqe->tag == 98 && sqe->raddr == ~0ULL && !sqe->data && sqe->context == 43);
	CHECK(sqe->addr == (uintptr_t)buf && sqe->len == 8 && sqe->niov == 1 && sqe->nrem == 1);
	/* without bytes neither memory nor region is named */
	sqe++;
	CHECK(!weft_write(ep, buf, 0, 0, 77, 98, 6, 44, 0));
	CHECK(!sqe->tag && !sqe->raddr && !sqe->data && !sqe->addr && !sqe->len);
	CHECK(!sqe->niov && !sqe->nrem && sqe->nslots == 1);
	CHECK(dev->bell.ep.sq_tail == 3);
	CHECK(weft_write(ep, buf, 1, 0, 0, 0, 0, 0, 1u << 20) == -EINVAL);
	CHECK(weft_write(ep, buf, WEFT_INLINE_MAX + 1, 0, 0, 0, 0, 0, WEFT_SQ_INLINE) ==
	      -EMSGSIZE);
	CHECK(dev->bell.ep.sq_tail == 3);
}

/* The remote segments at slot @at of the ring are those of @rem. */
static void check_remote(uint32_t at, const struct weft_rma_iov *rem, size_t count)
{
	const struct weft_rma_iov *ring = (const struct weft_rma_iov *)dev->sq.raw;
	size_t i;

	for (i = 0; i < count; i++) {
		const struct weft_rma_iov *seg = &ring[(at % SLOTS * PER_SLOT + i) %
						       (SLOTS * PER_SLOT)];

		CHECK(seg->addr == rem[i].addr && seg->len == rem[i].len);
		CHECK(seg->key == rem[i].key && !seg->rsvd);
	}
}

/* @count local and @nrem remote segments of 8 bytes for each local one. */
static void post(size_t count, size_t nrem, uint32_t flags)
{
	struct weft_rma_iov rem[WEFT_IOV_MAX];
	struct iovec iov[WEFT_IOV_MAX];
	size_t i, local, last;
	struct weft_sqe *sqe;
	uint32_t at = 13;
	char buf[64];

	start_at(at);
	memset(dev->sq.raw, 0xff, sizeof(dev->sq.raw));
	pattern((unsigned char *)buf, sizeof(buf));
	for (i = 0; i < count; i++)
		iov[i] = (struct iovec) { buf + 8 * i, 8 };
	for (i = 0; i < nrem; i++)
		rem[i] = (struct weft_rma_iov) { .addr = 100 * i, .len = 1, .key = i, .rsvd = 9 };
	rem[nrem - 1].len = 8 * count - (nrem - 1);
	if (flags & WEFT_SQ_INLINE)
		CHECK(!weft_writev(ep, iov, count, 3, rem, nrem, 0, 8, flags));
	else
		CHECK(!weft_readv(ep, iov, count, 3, rem, nrem, 8, flags));
	sqe = &dev->sq.e[at % SLOTS];
	local = flags & WEFT_SQ_INLINE ? 1 : (count > 1) + (count > 4);
	last = nrem > 1 ? (nrem + 1) / 2 : 0;
	CHECK(sqe->nslots == 1 + local + last);
	CHECK(sqe->len == 8 * count && sqe->nrem == nrem);
	CHECK(sqe->niov == (flags & WEFT_SQ_INLINE ? 0 : count));
	CHECK(sqe->tag == 0 && sqe->raddr == 0);
	if (nrem > 1)
		check_remote(at + 1 + local, rem, nrem);
	if (flags & WEFT_SQ_INLINE)
		CHECK(!memcmp(dev->sq.raw + (at + 1) % SLOTS * 64, buf, 8 * count));
	CHECK(dev->bell.ep.sq_tail == at + sqe->nslots);
}

static void test_segments(void)
{
	size_t count, nrem;

	for (count = 1; count <= WEFT_IOV_MAX; count++)
		for (nrem = 1; nrem <= WEFT_IOV_MAX; nrem++) {
			post(count, nrem, 0);
			post(count, nrem, WEFT_SQ_INLINE);
		}
}

static void test_refused(void)
{
	struct weft_rma_iov rem[WEFT_IOV_MAX + 1] = { { .len = 8 }, { .len = 8 } };
	char buf[WEFT_INLINE_MAX] = { 0 };
	struct iovec iov = { buf, 16 };

	CHECK(!weft_writev(ep, &iov, 1, 0, rem, 2, 0, 0, 0));
	CHECK(weft_writev(ep, &iov, 1, 0, rem, 1, 0, 0, 0) == -EINVAL);
	CHECK(weft_readv(ep, &iov, 1, 0, rem, 0, 0, 0) == -EINVAL);
	CHECK(weft_readv(ep, &iov, 1, 0, rem, WEFT_IOV_MAX + 1, 0, 0) == -EINVAL);
	rem[1].len = UINT64_MAX;
	CHECK(weft_readv(ep, &iov, 1, 0, rem, 2, 0, 0) == -EINVAL);
	/* payload and remote segments exceed the slots of an entry */
	rem[1].len = WEFT_INLINE_MAX - 8;
	iov.iov_len = WEFT_INLINE_MAX;
	CHECK(weft_writev(ep, &iov, 1, 0, rem, 2, 0, 0, WEFT_SQ_INLINE) == -EMSGSIZE);
	rem[1].len -= 64;
	iov.iov_len -= 64;
	start_at(0);
	CHECK(!weft_writev(ep, &iov, 1, 0, rem, 2, 0, 0, WEFT_SQ_INLINE));
	CHECK(dev->sq.e[0].nslots == WEFT_NSLOTS_MAX);
	CHECK(dev->bell.ep.sq_tail == WEFT_NSLOTS_MAX);
}

/* Segments of all kinds of an atomic operation, at each place of the ring. */
static void test_atomic(void)
{
	char b[4][64];
	struct iovec iov[] = { { b[0], 8 }, { b[0] + 8, 16 } }, cmp[] = { { b[1], 24 } };
	struct iovec res[] = { { b[2], 4 }, { b[2] + 4, 20 } };
	struct weft_rma_iov rem[] = { { 1, 8, 5, 0 }, { 2, 16, 6, 0 } };
	struct weft_atomic a = {
		.op = WEFT_AOP_CSWAP, .type = WEFT_ATYPE_INT64, .kind = WEFT_ATOMIC_COMPARE,
		.len = 24, .iov = iov, .count = 2, .cmp = cmp, .ncmp = 1, .res = res, .nres = 2,
		.rem = rem, .nrem = 2,
	};
	const struct weft_iov *seg;
	const struct weft_sqe *sqe;
	uint32_t at;

	memset(b, 1, sizeof(b));
	for (at = 0; at < SLOTS; at++) {
		start_at(at);
		CHECK(!weft_atomic(ep, &a, 3, 8, WEFT_SQ_COMPLETION));
		sqe = &dev->sq.e[at % SLOTS];
		CHECK(sqe->op == WEFT_SQ_ATOMIC && sqe->nslots == 5 && sqe->niov == 2);
		CHECK(sqe->data == WEFT_ATOMIC_DATA(WEFT_AOP_CSWAP, WEFT_ATYPE_INT64,
						    WEFT_ATOMIC_COMPARE, 1, 2));
		CHECK(sqe->len == 24 && sqe->dst == 3 && sqe->context == 8 && sqe->nrem == 2);
		CHECK(sqe->addr == 0 && sqe->tag == 0 && sqe->raddr == 0);
		seg = (const void *)(dev->sq.raw + (at + 1) % SLOTS * 64);
		CHECK(seg[1].addr == (uintptr_t)b[0] + 8 && seg[1].len == 16);
		seg = (const void *)(dev->sq.raw + (at + 2) % SLOTS * 64);
		CHECK(seg[0].addr == (uintptr_t)b[1] && seg[0].len == 24);
		seg = (const void *)(dev->sq.raw + (at + 3) % SLOTS * 64);
		CHECK(seg[1].addr == (uintptr_t)b[2] + 4 && seg[1].len == 20);
		check_remote(at + 4, rem, 2);
		start_at(at);
		CHECK(!weft_atomic(ep, &a, 3, 8, WEFT_SQ_INLINE));
		CHECK(sqe->nslots == 4 && sqe->niov == 0 && WEFT_ATOMIC_NCMP(sqe->data) == 0);
		CHECK(!memcmp(dev->sq.raw + (at + 1) % SLOTS * 64, b, 48));
	}
	a.ncmp = 0;
	CHECK(weft_atomic(ep, &a, 3, 8, 0) == -EINVAL);
	a.kind = WEFT_ATOMIC_FETCH;
	a.op = WEFT_AOP_READ;
	CHECK(weft_atomic(ep, &a, 3, 8, 0) == -EINVAL);
	a.count = 0;
	start_at(0);
	CHECK(!weft_atomic(ep, &a, 3, 8, 0));
	CHECK(dev->sq.e[0].nslots == 3 && dev->sq.e[0].niov == 0);
	a.nrem = 1;
	CHECK(weft_atomic(ep, &a, 3, 8, 0) == -EINVAL);
	rem[0].len = 24;
	start_at(0);
	CHECK(!weft_atomic(ep, &a, 3, 8, 0));
	CHECK(dev->sq.e[0].tag == 5 && dev->sq.e[0].raddr == 1 && dev->sq.e[0].nslots == 2);
}

static void test_regions(void)
{
	char buf[64];
	const struct iovec iov[] = { { buf, 60 }, { buf + 60, 4 } };
	struct iovec many[WEFT_IOV_MAX + 1] = { 0 };
	struct weft_region r = {
		.iov = iov, .count = 2, .base = 5, .access = WEFT_REGION_READ, .zone = 6
	};
	uint64_t key = 99;

	CHECK(!weft_region_add(ctx, &r, &key));
	CHECK(key == 99 && last_region.key == 99 && !last_region.flags && !last_region.cntr);
	CHECK(last_region.base == 5 && last_region.access == WEFT_REGION_READ);
	CHECK(last_region.nsegs == 2 && last_region.zone == 6);
	CHECK(last_segs[1].addr == (uintptr_t)buf + 60 && last_segs[1].len == 4);
	r.flags = WEFT_REGIONF_KEY;
	CHECK(!weft_region_add(ctx, &r, &key));
	CHECK(!last_region.key && key == 4711);
	r.iov = many;
	r.count = WEFT_IOV_MAX + 1;
	CHECK(weft_region_add(ctx, &r, &key) == -EINVAL);
	CHECK(key == 4711);
	CHECK(!weft_region_end(ctx, 6, key));
	CHECK(weft_region_end(ctx, 6, 5) == -ENOENT);
	CHECK(weft_region_end(ctx, 0, key) == -ENOENT);
}

static const struct test tests[] = {
	{ "an operation of one segment", test_one_segment },
	{ "segments of both sides", test_segments },
	{ "what is refused", test_refused },
	{ "atomic operations", test_atomic },
	{ "regions", test_regions },
};

int main(void)
{
	return fake_run(tests, sizeof(tests) / sizeof(tests[0]));
}
