// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fi_atomic(3), rule by rule: values of integers, arguments, what is not offered.
 * TIMEOUT: 300 LINKS: vnet loop
 */
#include <sys/mman.h>
#include "atomics.h"

/* ---- Values ------------------------------------------------------------------------------ */

static bool wrong_calls(void)
{
	static const enum fi_op swaps[] = { FI_CSWAP, FI_CSWAP_NE, FI_CSWAP_LE, FI_CSWAP_LT,
					    FI_CSWAP_GE, FI_CSWAP_GT, FI_MSWAP };
	static const enum fi_op plain[] = { FI_MIN, FI_MAX, FI_SUM, FI_PROD, FI_LOR, FI_LAND,
					    FI_BOR, FI_BAND, FI_LXOR, FI_BXOR, FI_ATOMIC_READ,
					    FI_ATOMIC_WRITE };
	uint64_t v = 1, r = 2;
	struct fid_mr *mr;
	unsigned int i;

	CHECK(expose_all(&mr));
	*word() = 3;
	for (i = 0; i < sizeof(swaps) / sizeof(swaps[0]); i++) {
		CHECK_EQ(atomic_base(&v, KEY, swaps[i], 1), -FI_EOPNOTSUPP);
		CHECK_EQ(atomic_fetch(&v, &r, KEY, swaps[i], 1), -FI_EOPNOTSUPP);
		CHECK_EQ(fi_inject_atomic(p.a.ep, &v, 1, p.a.peer, FIRST, KEY, FI_UINT64,
					  swaps[i]), -FI_EOPNOTSUPP);
	}
	for (i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		CHECK_EQ(atomic_compare(&v, &v, &r, KEY, plain[i], 1), -FI_EOPNOTSUPP);
	CHECK_EQ(atomic_base(&v, KEY, FI_ATOMIC_READ, 1), -FI_EOPNOTSUPP);
	CHECK(r == 2 && *word() == 3);
	return !fi_close(&mr->fid);
}

/**
 * struct edge - an operation on edge values
 * @op: operation
 * @target: value at the peer, of 64 bits; narrower types have its lower bits
 * @operand: likewise
 * @after: value after it, for types with and without a sign
 */
struct edge {
	enum fi_op op;
	uint64_t target;
	uint64_t operand;
	uint64_t after[2];
};

/* The lowest value with a sign is the middle one without. Return: @v for a type of @bits bits. */
static uint64_t scaled(uint64_t v, unsigned int bits)
{
	/* the top bit of 64 is that of the type */
	if (v == 1ull << 63)
		return 1ull << (bits - 1);
	if (v == ~0ull >> 1)
		return (1ull << (bits - 1)) - 1;
	return bits == 64 ? v : v & ((1ull << bits) - 1);
}

static bool edges(void)
{
	static const uint64_t top = 1ull << 63, high = ~0ull >> 1, all = ~0ull;
	const struct edge t[] = {
		{ FI_SUM, high, 1, { top, top } },
		{ FI_SUM, all, 1, { 0, 0 } },
		{ FI_SUM, top, all, { high, high } },
		{ FI_PROD, top, 2, { 0, 0 } },
		{ FI_PROD, all, all, { 1, 1 } },
		{ FI_PROD, high, 2, { all - 1, all - 1 } },
		{ FI_MIN, 1, all, { all, 1 } },
		{ FI_MIN, high, top, { top, high } },
		{ FI_MAX, 1, all, { 1, all } },
		{ FI_MAX, high, top, { high, top } },
		{ FI_LAND, top, 1, { 1, 1 } },
		{ FI_LAND, all, 0, { 0, 0 } },
		{ FI_LOR, 0, top, { 1, 1 } },
		{ FI_LOR, 0, 0, { 0, 0 } },
		{ FI_LXOR, top, all, { 0, 0 } },
		{ FI_LXOR, 0, top, { 1, 1 } },
	};
	static const enum fi_datatype types[] = { FI_INT8, FI_UINT8, FI_INT16, FI_UINT16,
						  FI_INT32, FI_UINT32, FI_INT64, FI_UINT64 };
	unsigned int i, k, bits;
	struct fid_mr *mr;
	uint64_t v, r;

	CHECK(expose_all(&mr));
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		for (k = 0; k < sizeof(t) / sizeof(t[0]); k++) {
			bits = 8u << i / 2;
			*word() = 0;
			word()[1] = 0x77;
			v = scaled(t[k].target, bits);
			memcpy(word(), &v, bits / 8);
			v = scaled(t[k].operand, bits);
			r = 0;
			CHECK_EQ(fi_fetch_atomic(p.a.ep, &v, 1, NULL, &r, NULL, p.a.peer, FIRST,
						 KEY, types[i], t[k].op, ctx(1)), 0);
			CHECK(atomic_done(1, true));
			CHECK_EQ(r, scaled(t[k].target, bits));
			/* little endian, as all machines of weft */
			CHECK_EQ(*word(), scaled(t[k].after[i % 2], bits));
			CHECK_EQ(word()[1], 0x77);
		}
	return !fi_close(&mr->fid);
}

/* ---- Calls ------------------------------------------------------------------------------- */

static bool flags_replace(void)
{
	uint64_t v = 1, c = 0, r = 9, before = 9;
	struct fi_ioc iov = { &v, 1 }, cmp = { &c, 1 }, res = { &r, 1 }, first = { &before, 1 };
	struct fi_rma_ioc rem = { FIRST, 1, KEY };
	struct fi_msg_atomic m = {
		.msg_iov = &iov, .iov_count = 1, .addr = p.a.peer, .rma_iov = &rem,
		.rma_iov_count = 1, .datatype = FI_UINT64, .op = FI_SUM, .context = ctx(3),
	};
	struct fid_mr *mr;

	CHECK(expose_all(&mr));
	*word() = 5;
	/* the default of the endpoint is FI_COMPLETION, and the queue is selective */
	CHECK_EQ(fi_atomicmsg(p.a.ep, &m, 0), 0);
	/* results of operations under way have no order among each other */
	CHECK_EQ(fi_fetch_atomicmsg(p.a.ep, &m, &first, NULL, 1, 0), 0);
	m.op = FI_CSWAP;
	CHECK_EQ(fi_compare_atomicmsg(p.a.ep, &m, &cmp, NULL, 1, &res, NULL, 1, 0), 0);
	CHECK_EQ(fi_cntr_wait(p.a.txcntr, 3, WAIT_MS), 0);
	CHECK(quiet(p.a.txcq));
	CHECK(before == 6 && r == 7 && *word() == 7);
	m.op = FI_SUM;
	CHECK_EQ(fi_atomicmsg(p.a.ep, &m, FI_COMPLETION | FI_DELIVERY_COMPLETE), 0);
	CHECK(atomic_done(3, false));
	CHECK_EQ(fi_fetch_atomicmsg(p.a.ep, &m, &res, NULL, 1, FI_COMPLETION), 0);
	CHECK(atomic_done(3, true));
	CHECK(r == 8 && *word() == 9);
	c = 9;
	v = 4;
	m.op = FI_CSWAP;
	CHECK_EQ(fi_compare_atomicmsg(p.a.ep, &m, &cmp, NULL, 1, &res, NULL, 1, FI_COMPLETION), 0);
	CHECK(atomic_done(3, true));
	CHECK(r == 9 && *word() == 4);
	/* calls without flags have the default */
	CHECK_EQ(atomic_base(&v, KEY, FI_SUM, 4), 0);
	CHECK(atomic_done(4, false));
	/* flags that no atomic operation has */
	m.op = FI_SUM;
	CHECK(fi_atomicmsg(p.a.ep, &m, FI_PEEK) < 0);
	CHECK(fi_atomicmsg(p.a.ep, &m, FI_COMMIT_COMPLETE) < 0);
	CHECK_EQ(*word(), 8);
	return !fi_close(&mr->fid);
}

/* Operands that are overwritten when the call returns; results come with the entry. */
static bool inject_flag(void)
{
	uint64_t v[8], c[8], r[8];
	struct fi_ioc iov = { v, 8 }, cmp = { c, 8 }, res = { r, 8 };
	struct fi_rma_ioc rem = { FIRST, 8, KEY };
	struct fi_msg_atomic m = {
		.msg_iov = &iov, .iov_count = 1, .addr = p.a.peer, .rma_iov = &rem,
		.rma_iov_count = 1, .datatype = FI_UINT64, .op = FI_SUM, .context = ctx(3),
	};
	unsigned int i, k;
	struct fid_mr *mr;

	CHECK(expose_all(&mr));
	for (k = 0; k < 60; k++) {
		for (i = 0; i < 8; i++) {
			word()[i] = 10 * i;
			v[i] = i + k;
			c[i] = i % 2 ? 10 * i : 1;
			r[i] = 77;
		}
		m.op = k % 3 == 2 ? FI_CSWAP : FI_SUM;
		if (k % 3 == 0)
			CHECK_EQ(fi_atomicmsg(p.a.ep, &m, FI_INJECT), 0);
		else if (k % 3 == 1)
			CHECK_EQ(fi_fetch_atomicmsg(p.a.ep, &m, &res, NULL, 1, FI_INJECT), 0);
		else
			CHECK_EQ(fi_compare_atomicmsg(p.a.ep, &m, &cmp, NULL, 1, &res, NULL, 1,
						      FI_INJECT), 0);
		memset(v, 0x55, sizeof(v));
		memset(c, 0x55, sizeof(c));
		CHECK(atomic_done(3, k % 3));
		for (i = 0; i < 8; i++) {
			CHECK_EQ(r[i], k % 3 ? 10 * i : 77);
			CHECK_EQ(word()[i], k % 3 < 2 ? 11 * i + k : i % 2 ? i + k : 10 * i);
		}
	}
	return !fi_close(&mr->fid);
}

/* Every number of elements about the lengths of packets, in all three kinds. */
static bool lengths(void)
{
	static const unsigned int n[] = { 1, 2, 7, 8, 60, 61, 100, 120, 150, 170, 180, 350, 512,
					  1000, MOST };
	uint64_t *v = (uint64_t *)sbuf, *c = v + MOST, *r = c + MOST;
	struct fid_mr *mr;
	unsigned int i, k;

	CHECK(expose_all(&mr));
	for (k = 0; k < sizeof(n) / sizeof(n[0]); k++) {
		for (i = 0; i < MOST; i++) {
			word()[i] = i * i;
			v[i] = 5 * i + k;
			c[i] = i % 3 ? i * i : ~0ull;
			r[i] = 99;
		}
		CHECK_EQ(fi_compare_atomic(p.a.ep, v, n[k], NULL, c, NULL, r, NULL, p.a.peer,
					   FIRST, KEY, FI_UINT64, FI_CSWAP, ctx(1)), 0);
		CHECK(atomic_done(1, true));
		for (i = 0; i < MOST; i++) {
			CHECK_EQ(r[i], i < n[k] ? i * i : 99);
			CHECK_EQ(word()[i], i < n[k] && i % 3 ? 5 * i + k : i * i);
		}
		CHECK_EQ(fi_atomic(p.a.ep, v, n[k], NULL, p.a.peer, FIRST, KEY, FI_UINT64,
				   FI_ATOMIC_WRITE, ctx(2)), 0);
		CHECK(atomic_done(2, false));
		CHECK_EQ(fi_fetch_atomic(p.a.ep, NULL, n[k], NULL, r, NULL, p.a.peer, FIRST, KEY,
					 FI_UINT64, FI_ATOMIC_READ, ctx(3)), 0);
		CHECK(atomic_done(3, true));
		CHECK(!memcmp(r, v, n[k] * sizeof(*v)));
	}
	return !fi_close(&mr->fid);
}

/* ---- What is not offered ----------------------------------------------------------------- */

static bool query(void)
{
	static const size_t sizes[] = { 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 8 };
	const uint64_t kinds[] = { 0, FI_FETCH_ATOMIC, FI_COMPARE_ATOMIC };
	const enum fi_op ops[] = { FI_ATOMIC_WRITE, FI_ATOMIC_READ, FI_CSWAP };
	struct fi_atomic_attr attr;
	unsigned int i, k;

	for (k = 0; k < 3; k++)
		for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			memset(&attr, 0xee, sizeof(attr));
			CHECK_EQ(fi_query_atomic(p.a.domain, i, ops[k], &attr, kinds[k]), 0);
			CHECK_EQ(attr.size, sizes[i]);
			CHECK(attr.count >= MOST / 8 && attr.count <= MOST);
		}
	CHECK_EQ(fi_query_atomic(p.a.domain, FI_UINT64, FI_SUM, &attr, FI_PEEK), -FI_EBADFLAGS);
	CHECK_EQ(fi_query_atomic(p.a.domain, FI_UINT64, FI_SUM, &attr,
				 FI_FETCH_ATOMIC | FI_COMPARE_ATOMIC), -FI_EBADFLAGS);
	return true;
}

static bool not_tagged(void)
{
	uint64_t v = 1;
	struct fi_ioc iov = { &v, 1 };
	struct fi_rma_ioc rem = { FIRST, 1, KEY };
	struct fi_msg_atomic m = {
		.msg_iov = &iov, .iov_count = 1, .addr = p.a.peer, .rma_iov = &rem,
		.rma_iov_count = 1, .datatype = FI_UINT64, .op = FI_SUM,
	};
	struct fi_atomic_attr attr;
	struct fid_mr *mr;

	CHECK(expose_all(&mr));
	*word() = 1;
	CHECK_EQ(fi_query_atomic(p.a.domain, FI_UINT64, FI_SUM, &attr, FI_TAGGED),
		 -FI_EOPNOTSUPP);
	CHECK_EQ(fi_query_atomic(p.a.domain, FI_UINT64, FI_SUM, &attr,
				 FI_TAGGED | FI_FETCH_ATOMIC), -FI_EOPNOTSUPP);
	CHECK(fi_atomicmsg(p.a.ep, &m, FI_TAGGED) < 0);
	CHECK_EQ(*word(), 1);
	return !fi_close(&mr->fid);
}

/* Types that are too wide, operations that a type has not, and numbers beyond both. */
static bool unsupported(void)
{
	static const struct {
		int type, op;
	} t[] = {
		{ FI_LONG_DOUBLE, FI_SUM }, { FI_LONG_DOUBLE, FI_ATOMIC_WRITE },
		{ FI_DOUBLE_COMPLEX, FI_SUM }, { FI_LONG_DOUBLE_COMPLEX, FI_SUM },
		{ FI_FLOAT, FI_BOR }, { FI_DOUBLE, FI_BXOR }, { FI_FLOAT, FI_BAND },
		{ FI_FLOAT_COMPLEX, FI_MIN }, { FI_FLOAT_COMPLEX, FI_MAX },
		{ FI_FLOAT_COMPLEX, FI_BOR }, { FI_UINT64, FI_ATOMIC_OP_LAST },
		{ FI_DATATYPE_LAST, FI_SUM }, { FI_UINT64, 1000 }, { 1000, FI_SUM },
		{ -1, FI_SUM }, { FI_UINT64, -1 },
	};
	struct fid_mr *mr;
	unsigned int i;

	CHECK(expose_all(&mr));
	memset(rbuf, 0xee, 256);
	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		CHECK_EQ(fi_atomic(p.a.ep, sbuf, 1, NULL, p.a.peer, FIRST, KEY, t[i].type, t[i].op,
				   ctx(1)), -FI_EOPNOTSUPP);
		CHECK_EQ(fi_fetch_atomic(p.a.ep, sbuf, 1, NULL, sbuf + 64, NULL, p.a.peer, FIRST,
					 KEY, t[i].type, t[i].op, ctx(1)), -FI_EOPNOTSUPP);
		CHECK_EQ(fi_inject_atomic(p.a.ep, sbuf, 1, p.a.peer, FIRST, KEY, t[i].type,
					  t[i].op), -FI_EOPNOTSUPP);
		CHECK_EQ(fi_atomicvalid(p.a.ep, t[i].type, t[i].op, NULL), -FI_EOPNOTSUPP);
	}
	CHECK(all_bytes(rbuf, 256, 0xee));
	return !fi_close(&mr->fid);
}

/* Values that a later version of libfabric gives to types and operations are not misread. */
static bool later_ones(void)
{
	struct fid_mr *mr;
	int i;

	CHECK(expose_all(&mr));
	memset(rbuf, 0xee, 256);
	for (i = 0; i < 16; i++) {
		CHECK_EQ(fi_atomic(p.a.ep, sbuf, 1, NULL, p.a.peer, FIRST, KEY,
				   FI_DATATYPE_LAST + i, FI_SUM, ctx(1)), -FI_EOPNOTSUPP);
		CHECK_EQ(fi_atomic(p.a.ep, sbuf, 1, NULL, p.a.peer, FIRST, KEY, FI_UINT8,
				   FI_ATOMIC_OP_LAST + i, ctx(1)), -FI_EOPNOTSUPP);
		CHECK_EQ(fi_compare_atomic(p.a.ep, sbuf, 1, NULL, sbuf, NULL, sbuf + 64, NULL,
					   p.a.peer, FIRST, KEY, FI_UINT8, FI_ATOMIC_OP_LAST + i,
					   ctx(1)), -FI_EOPNOTSUPP);
	}
	CHECK(all_bytes(rbuf, 256, 0xee));
	return !fi_close(&mr->fid);
}

static bool not_datagrams(void)
{
	struct fi_info *h = fi_allocinfo(), *info = NULL;

	CHECK(h);
	h->fabric_attr->prov_name = strdup("weft");
	h->ep_attr->type = FI_EP_DGRAM;
	h->caps = FI_ATOMIC;
	node_enter(0);
	CHECK_EQ(fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, h, &info), -FI_ENODATA);
	h->caps = FI_MSG | FI_ATOMIC;
	CHECK_EQ(fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, h, &info), -FI_ENODATA);
	h->caps = FI_MSG;
	CHECK_EQ(fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, h, &info), 0);
	CHECK(!(info->caps & FI_ATOMIC));
	fi_freeinfo(info);
	fi_freeinfo(h);
	return true;
}

/* ---- Bounds ------------------------------------------------------------------------------ */

static bool beyond(uint64_t addr, size_t count, enum fi_datatype type, unsigned int n)
{
	CHECK_EQ(fi_atomic(p.a.ep, sbuf, count, NULL, p.a.peer, addr, KEY, type, FI_ATOMIC_WRITE,
			   ctx(n)), 0);
	CHECK(atomic_failed(n, FI_EACCES));
	CHECK_EQ(fi_fetch_atomic(p.a.ep, sbuf, count, NULL, sbuf + 65536, NULL, p.a.peer, addr,
				 KEY, type, FI_ATOMIC_WRITE, ctx(n)), 0);
	return atomic_failed(n, FI_EACCES);
}

static bool bounds(void)
{
	const uint64_t len = 4096;
	struct fid_mr *mr;

	CHECK(expose(&p.b, rbuf + 4096, len, BOTH_RIGHTS, KEY, &mr));
	memset(rbuf, 0xee, 16384);
	CHECK(beyond(len - 4, 1, FI_UINT64, 1));
	CHECK(beyond(len - 8, 2, FI_UINT64, 2));
	CHECK(beyond(len, 1, FI_UINT8, 3));
	CHECK(beyond(0, 513, FI_UINT64, 4));
	CHECK(beyond(~0ull - 7, 1, FI_UINT64, 5));
	CHECK(beyond(~0ull - 7, 2, FI_UINT64, 6));
	CHECK(beyond(1ull << 63, 8, FI_UINT32, 7));
	/* counts whose bytes wrap */
	CHECK_EQ(fi_atomic(p.a.ep, sbuf, 1ull << 61, NULL, p.a.peer, 0, KEY, FI_UINT64, FI_SUM,
			   ctx(8)), -FI_EMSGSIZE);
	CHECK_EQ(fi_atomic(p.a.ep, sbuf, (1ull << 61) + 1, NULL, p.a.peer, 0, KEY, FI_UINT64,
			   FI_SUM, ctx(8)), -FI_EMSGSIZE);
	CHECK_EQ(fi_atomic(p.a.ep, sbuf, ~0ull, NULL, p.a.peer, 0, KEY, FI_UINT8, FI_SUM, ctx(8)),
		 -FI_EMSGSIZE);
	CHECK(all_bytes(rbuf, 16384, 0xee));
	CHECK_EQ(fi_atomic(p.a.ep, sbuf, 512, NULL, p.a.peer, 0, KEY, FI_UINT64, FI_ATOMIC_WRITE,
			   ctx(9)), 0);
	CHECK(atomic_done(9, false));
	CHECK(!memcmp(rbuf + 4096, sbuf, len) && rbuf[8192] == 0xee && rbuf[4095] == 0xee);
	return !fi_close(&mr->fid);
}

/* Each kind needs its rights, and keys end with their regions. */
static bool region_errors(void)
{
	static const uint64_t rights[] = { 0, FI_REMOTE_READ, FI_REMOTE_WRITE, BOTH_RIGHTS };
	uint64_t v = 1, c = 0, r = 0;
	struct fid_mr *mr;
	unsigned int i;
	void *hole;

	for (i = 0; i < 4; i++) {
		CHECK(expose(&p.b, rbuf, ROOM, rights[i], KEY, &mr));
		*word() = 0;
		CHECK_EQ(atomic_base(&v, KEY, FI_SUM, 1), 0);
		CHECK(rights[i] & FI_REMOTE_WRITE ? atomic_done(1, false) :
						    atomic_failed(1, FI_EACCES));
		CHECK_EQ(atomic_fetch(&v, &r, KEY, FI_SUM, 2), 0);
		CHECK(rights[i] == BOTH_RIGHTS ? atomic_done(2, true) :
						 atomic_failed(2, FI_EACCES));
		CHECK_EQ(atomic_compare(&v, &c, &r, KEY, FI_CSWAP, 3), 0);
		CHECK(rights[i] == BOTH_RIGHTS ? atomic_done(3, true) :
						 atomic_failed(3, FI_EACCES));
		CHECK_EQ(atomic_fetch(NULL, &r, KEY, FI_ATOMIC_READ, 4), 0);
		CHECK(rights[i] & FI_REMOTE_READ ? atomic_done(4, true) :
						   atomic_failed(4, FI_EACCES));
		CHECK_EQ(*word(), rights[i] == BOTH_RIGHTS ? 2 : rights[i] == FI_REMOTE_WRITE);
		CHECK_EQ(fi_close(&mr->fid), 0);
		CHECK_EQ(atomic_base(&v, KEY, FI_SUM, 5), 0);
		CHECK(atomic_failed(5, FI_EACCES));
	}
	/* memory that is not there, or that the program itself may not write */
	hole = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(hole != MAP_FAILED);
	CHECK(expose(&p.b, hole, 8192, BOTH_RIGHTS, KEY, &mr));
	CHECK_EQ(atomic_base(&v, KEY, FI_SUM, 6), 0);
	CHECK(atomic_failed(6, FI_EFAULT));
	CHECK_EQ(atomic_fetch(NULL, &r, KEY, FI_ATOMIC_READ, 7), 0);
	CHECK(atomic_done(7, true));
	CHECK_EQ(r, 0);
	munmap(hole, 8192);
	CHECK_EQ(atomic_fetch(NULL, &r, KEY, FI_ATOMIC_READ, 8), 0);
	CHECK(atomic_failed(8, FI_EFAULT));
	return !fi_close(&mr->fid);
}

static const struct row rows[] = {
	ROW("ATOM-04", ON_BOTH, "An operation of another kind of call is refused", wrong_calls,
	    ATOMIC),
	ROW("ATOM-06", ON_BOTH, "Integers wrap, compare by their sign, and logic gives 0 or 1",
	    edges, ATOMIC),
	ROW("ATOM-09", ON_BOTH, "Flags of a message structure replace the defaults", flags_replace,
	    ATOMIC, .o.counters = true, .o.tx_count = FI_READ | FI_WRITE, .o.selective = true,
	    .o.tx_flags = FI_COMPLETION),
	ROW("ATOM-11", ON_BOTH, "FI_INJECT frees operands at once, and results come with the entry",
	    inject_flag, ATOMIC),
	ROW("ATOM-19", ON_BOTH, "The query knows sizes and counts, and refuses other flags", query,
	    ATOMIC, .once = true),
	ROW("ATOM-20", ON_BOTH, "Tagged atomic operations are not offered", not_tagged, ATOMIC,
	    .once = true),
	ROW("ATOM-21", ON_BOTH, "The calls refuse pairs that are not supported", unsupported,
	    ATOMIC, .once = true),
	ROW("ATOM-23", ON_BOTH, "Errors of regions are those of writes and reads", region_errors,
	    ATOMIC),
	ROW("ATOM-24", ON_BOTH, "Elements across the end, and counts that wrap", bounds, ATOMIC),
	ROW("ATOM-33", ON_BOTH, "Operands longer than a packet", lengths, ATOMIC),
	ROW("ATOM-35", ON_DGRAM, "Datagrams have no atomic operations", not_datagrams,
	    .alone = true, .once = true),
	ROW("ATOM-36", ON_BOTH, "Types and operations of later versions are refused", later_ones,
	    ATOMIC, .once = true),
};

int main(int argc, char **argv)
{
	return rows_main(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
}
