// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fi_atomic(3), rule by rule: calls, what is supported, arguments, errors, order.
 * TIMEOUT: 300 LINKS: vnet loop slow
 */
#include <pthread.h>
#include "atomics.h"

/* ---- Calls ------------------------------------------------------------------------------ */

static bool bases(void)
{
	static const struct {
		enum fi_op op;
		uint64_t target, operand, after;
	} t[] = {
		{ FI_MIN, 7, 5, 5 }, { FI_MIN, 5, ~0ull, 5 }, { FI_MAX, 5, ~0ull, ~0ull },
		{ FI_SUM, ~0ull, 2, 1 }, { FI_PROD, 1ull << 63, 3, 1ull << 63 },
		{ FI_LOR, 0, 0, 0 }, { FI_LOR, 0, 9, 1 }, { FI_LAND, 8, 9, 1 },
		{ FI_LAND, 8, 0, 0 }, { FI_BOR, 6, 9, 15 }, { FI_BAND, 6, 3, 2 },
		{ FI_LXOR, 6, 3, 0 }, { FI_LXOR, 0, 3, 1 }, { FI_BXOR, 6, 3, 5 },
		{ FI_ATOMIC_WRITE, 6, 3, 3 },
	};
	struct fid_mr *mr;
	unsigned int i;

	CHECK(expose_all(&mr));
	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		*word() = t[i].target;
		word()[1] = 0x77;
		CHECK_EQ(atomic_base(&t[i].operand, KEY, t[i].op, 1), 0);
		CHECK(atomic_done(1, false));
		CHECK_EQ(*word(), t[i].after);
		CHECK_EQ(word()[1], 0x77);
	}
	CHECK_EQ(fi_close(&mr->fid), 0);
	return true;
}

#define ELEMENTS 3	/* of a fetching operation */

/* Fetch elements of a type. The base operation, on equal elements beside them, is the model. */
static bool fetches(enum fi_datatype type, enum fi_op op, size_t size, uint32_t seed)
{
	uint8_t *at = rbuf + FIRST, *model = at + 64, before[64], r[64];
	size_t len = ELEMENTS * size;

	pattern_fill(at, 64, seed);
	memcpy(model, at, 64);
	memcpy(before, at, 64);
	memset(r, 0xcc, sizeof(r));
	pattern_fill(sbuf, len, seed + 1);
	CHECK_EQ(fi_fetch_atomic(p.a.ep, sbuf, ELEMENTS, NULL, r, NULL, p.a.peer, FIRST, KEY, type,
				 op, ctx(1)), 0);
	CHECK(atomic_done(1, true));
	CHECK(!memcmp(r, before, len));
	CHECK(all_bytes(r + len, sizeof(r) - len, 0xcc));
	if (op != FI_ATOMIC_READ) {
		CHECK_EQ(fi_atomic(p.a.ep, sbuf, ELEMENTS, NULL, p.a.peer, FIRST + 64, KEY, type,
				   op, ctx(2)), 0);
		CHECK(atomic_done(2, false));
	}
	CHECK(!memcmp(at, model, 64));
	return !memcmp(at + len, before + len, 64 - len);
}

static bool all_fetches(void)
{
	struct fi_atomic_attr attr;
	unsigned int type, op, n = 0;
	struct fid_mr *mr;

	CHECK(expose_all(&mr));
	for (type = 0; type < FI_DATATYPE_LAST; type++)
		for (op = 0; op < FI_ATOMIC_OP_LAST; op++)
			if (!fi_query_atomic(p.a.domain, type, op, &attr, FI_FETCH_ATOMIC))
				CHECK(fetches(type, op, attr.size, ++n));
	CHECK(n > 100);
	return !fi_close(&mr->fid);
}

static bool compares(void)
{
	static const enum fi_op ops[] = { FI_CSWAP, FI_CSWAP_NE, FI_CSWAP_LE, FI_CSWAP_LT,
					  FI_CSWAP_GE, FI_CSWAP_GT };
	/* is the operand stored when the compare operand is less, equal, greater */
	static const bool stored[][3] = { { 0, 1, 0 }, { 1, 0, 1 }, { 1, 1, 0 }, { 1, 0, 0 },
					  { 0, 1, 1 }, { 0, 0, 1 } };
	uint64_t r, v = 1000, c;
	struct fid_mr *mr;
	unsigned int i, k;

	CHECK(expose_all(&mr));
	for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		for (k = 0; k < 3; k++) {
			*word() = 20;
			c = 19 + k;
			r = 0;
			CHECK_EQ(atomic_compare(&v, &c, &r, KEY, ops[i], 3), 0);
			CHECK(atomic_done(3, true));
			CHECK_EQ(r, 20);
			CHECK_EQ(*word(), stored[i][k] ? 1000 : 20);
		}
	*word() = 0xff00;
	v = 0x1234;
	c = 0x0ff0;
	CHECK_EQ(atomic_compare(&v, &c, &r, KEY, FI_MSWAP, 4), 0);
	CHECK(atomic_done(4, true));
	CHECK_EQ(r, 0xff00);
	CHECK_EQ(*word(), 0xf230);
	CHECK_EQ(fi_close(&mr->fid), 0);
	return true;
}

/* A read has no operands, and needs no right to write. */
static bool atomic_reads(void)
{
	uint64_t r[3] = { 0 };
	struct fid_mr *mr;

	CHECK(expose(&p.b, rbuf, ROOM, FI_REMOTE_READ, KEY, &mr));
	word()[0] = 11;
	word()[1] = 12;
	CHECK_EQ(fi_fetch_atomic(p.a.ep, NULL, 2, NULL, r, NULL, p.a.peer, FIRST, KEY, FI_UINT64,
				 FI_ATOMIC_READ, ctx(5)), 0);
	CHECK(atomic_done(5, true));
	CHECK(r[0] == 11 && r[1] == 12 && r[2] == 0);
	CHECK_EQ(atomic_base(r, KEY, FI_SUM, 6), 0);
	CHECK(atomic_failed(6, FI_EACCES));
	CHECK_EQ(atomic_fetch(r, r + 1, KEY, FI_SUM, 7), 0);
	CHECK(atomic_failed(7, FI_EACCES));
	CHECK_EQ(fi_close(&mr->fid), 0);
	CHECK(expose(&p.b, rbuf, ROOM, FI_REMOTE_WRITE, KEY, &mr));
	CHECK_EQ(atomic_base(r, KEY, FI_SUM, 6), 0);
	CHECK(atomic_done(6, false));
	CHECK_EQ(atomic_fetch(r, r + 1, KEY, FI_SUM, 7), 0);
	CHECK(atomic_failed(7, FI_EACCES));
	CHECK_EQ(fi_close(&mr->fid), 0);
	return true;
}

static bool floats(void)
{
	double d = 2.5, *t = (double *)word(), r = 0;
	float f = -0.25f, *u = (float *)word(), s = 0;
	struct fid_mr *mr;

	CHECK(expose_all(&mr));
	*t = 0.1;
	CHECK_EQ(fi_fetch_atomic(p.a.ep, &d, 1, NULL, &r, NULL, p.a.peer, FIRST, KEY, FI_DOUBLE,
				 FI_SUM, ctx(1)), 0);
	CHECK(atomic_done(1, true));
	CHECK(r == 0.1 && *t == 0.1 + 2.5);
	*u = 3.0f;
	CHECK_EQ(fi_fetch_atomic(p.a.ep, &f, 1, NULL, &s, NULL, p.a.peer, FIRST, KEY, FI_FLOAT,
				 FI_PROD, ctx(2)), 0);
	CHECK(atomic_done(2, true));
	CHECK(s == 3.0f && *u == -0.75f);
	CHECK_EQ(fi_fetch_atomic(p.a.ep, &f, 1, NULL, &s, NULL, p.a.peer, FIRST, KEY, FI_FLOAT,
				 FI_MAX, ctx(3)), 0);
	CHECK(atomic_done(3, true));
	CHECK(*u == -0.25f);
	CHECK_EQ(fi_close(&mr->fid), 0);
	return true;
}

/* Segments of all four kinds, cut differently. */
static bool vectors(void)
{
	uint32_t v[9], c[9], r[9], *t = (uint32_t *)word();
	struct fi_ioc iov[2] = { { v, 4 }, { v + 4, 5 } };
	struct fi_ioc cmp[3] = { { c, 1 }, { c + 1, 7 }, { c + 8, 1 } };
	struct fi_ioc res[2] = { { r, 8 }, { r + 8, 1 } };
	struct fi_rma_ioc rem[2] = { { FIRST, 3, KEY }, { FIRST + 40, 6, KEY } };
	struct fi_msg_atomic m = { .msg_iov = iov, .iov_count = 2, .addr = p.a.peer,
				   .rma_iov = rem, .rma_iov_count = 2, .datatype = FI_UINT32,
				   .op = FI_CSWAP, .context = ctx(8) };
	struct fid_mr *mr;
	unsigned int i;

	CHECK(expose_all(&mr));
	for (i = 0; i < 9; i++) {
		v[i] = 100 + i;
		t[i < 3 ? i : i + 7] = i;
		c[i] = i % 2 ? i : 77;
	}
	CHECK_EQ(fi_compare_atomicmsg(p.a.ep, &m, cmp, NULL, 3, res, NULL, 2, FI_COMPLETION), 0);
	CHECK(atomic_done(8, true));
	for (i = 0; i < 9; i++) {
		CHECK_EQ(r[i], i);
		CHECK_EQ(t[i < 3 ? i : i + 7], i % 2 ? 100 + i : i);
	}
	CHECK_EQ(fi_atomicv(p.a.ep, iov, NULL, 2, p.a.peer, FIRST, KEY, FI_UINT32, FI_ATOMIC_WRITE,
			    ctx(9)), 0);
	CHECK(atomic_done(9, false));
	CHECK(!memcmp(t, v, sizeof(v)));
	CHECK_EQ(fi_fetch_atomicv(p.a.ep, iov, NULL, 2, res, NULL, 2, p.a.peer, FIRST, KEY,
				  FI_UINT32, FI_SUM, ctx(10)), 0);
	CHECK(atomic_done(10, true));
	CHECK(!memcmp(r, v, sizeof(v)) && t[8] == 216);
	CHECK_EQ(fi_compare_atomicv(p.a.ep, iov, NULL, 2, cmp, NULL, 2, res, NULL, 2, p.a.peer,
				    FIRST, KEY, FI_UINT32, FI_CSWAP, ctx(10)), -FI_EINVAL);
	m.rma_iov_count = 1;
	CHECK_EQ(fi_atomicmsg(p.a.ep, &m, 0), -FI_EOPNOTSUPP);
	m.op = FI_SUM;
	CHECK_EQ(fi_atomicmsg(p.a.ep, &m, 0), -FI_EINVAL);
	m.iov_count = 99;
	CHECK_EQ(fi_atomicmsg(p.a.ep, &m, 0), -FI_EINVAL);
	CHECK_EQ(fi_atomicmsg(p.a.ep, NULL, 0), -FI_EINVAL);
	CHECK_EQ(fi_close(&mr->fid), 0);
	return true;
}

static bool injects(void)
{
	uint64_t v = 5;
	struct fid_mr *mr;
	unsigned int i;

	CHECK(expose_all(&mr));
	*word() = 0;
	for (i = 0; i < 50; i++) {
		v = 1;
		CHECK_EQ(fi_inject_atomic(p.a.ep, &v, 1, p.a.peer, FIRST, KEY, FI_UINT64, FI_SUM),
			 0);
		v = 1000;
	}
	v = 0;
	CHECK_EQ(atomic_base(&v, KEY, FI_SUM, 1), 0);
	CHECK(atomic_done(1, false));
	CHECK_EQ(*word(), 50);
	CHECK_EQ(fi_inject_atomic(p.a.ep, &v, 1, p.a.peer, FIRST, KEY + 1, FI_UINT64, FI_SUM), 0);
	CHECK(atomic_failed(0, FI_EACCES));
	CHECK_EQ(fi_inject_atomic(p.a.ep, sbuf, 121, p.a.peer, FIRST, KEY, FI_UINT64, FI_SUM),
		 -FI_EMSGSIZE);
	CHECK_EQ(fi_close(&mr->fid), 0);
	return true;
}

/* ---- What is supported ------------------------------------------------------------------ */

/* Call an operation of a kind on one element. */
static ssize_t any(unsigned int kind, enum fi_datatype type, enum fi_op op, unsigned int n)
{
	if (kind == 0)
		return fi_atomic(p.a.ep, sbuf, 1, NULL, p.a.peer, FIRST, KEY, type, op, ctx(n));
	if (kind == 1)
		return fi_fetch_atomic(p.a.ep, sbuf, 1, NULL, sbuf + 128, NULL, p.a.peer, FIRST,
				       KEY, type, op, ctx(n));
	return fi_compare_atomic(p.a.ep, sbuf, 1, NULL, sbuf + 64, NULL, sbuf + 128, NULL,
				 p.a.peer, FIRST, KEY, type, op, ctx(n));
}

static int valid(unsigned int kind, enum fi_datatype type, enum fi_op op, size_t *count)
{
	if (kind == 0)
		return fi_atomicvalid(p.a.ep, type, op, count);
	if (kind == 1)
		return fi_fetch_atomicvalid(p.a.ep, type, op, count);
	return fi_compare_atomicvalid(p.a.ep, type, op, count);
}

/* The calls, the valid calls and the query agree, for all values and some beyond. */
static bool supported(void)
{
	static const uint64_t flags[] = { 0, FI_FETCH_ATOMIC, FI_COMPARE_ATOMIC };
	static const size_t sizes[] = { 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 8 };
	unsigned int kind, type, op, n = 0;
	struct fi_atomic_attr attr;
	struct fid_mr *mr;
	size_t count;
	int ret;

	CHECK(expose_all(&mr));
	for (kind = 0; kind < 3; kind++)
		for (type = 0; type < 20; type++)
			for (op = 0; op < 40; op++) {
				ret = valid(kind, type, op, &count);
				CHECK(!ret || ret == -FI_EOPNOTSUPP);
				CHECK_EQ(fi_query_atomic(p.a.domain, type, op, &attr, flags[kind]),
					 ret);
				CHECK_EQ(any(kind, type, op, 1), ret);
				if (ret)
					continue;
				CHECK(atomic_done(1, kind));
				n++;
				CHECK_EQ(attr.size, sizes[type]);
				CHECK_EQ(attr.count, count);
				CHECK_EQ(count, sizes[type] < 8 ? MOST : 8192 / sizes[type]);
			}
	/* SHMEM and MPI need these */
	CHECK(!valid(0, FI_INT64, FI_SUM, &count) && !valid(1, FI_UINT32, FI_SUM, &count));
	CHECK(!valid(2, FI_INT32, FI_MSWAP, &count) && !valid(0, FI_DOUBLE, FI_ATOMIC_WRITE, NULL));
	CHECK(n > 250);
	CHECK_EQ(fi_query_atomic(p.a.domain, FI_INT64, FI_SUM, &attr, FI_TAGGED), -FI_EOPNOTSUPP);
	CHECK_EQ(fi_query_atomic(p.a.domain, FI_INT64, FI_SUM, &attr,
				 FI_FETCH_ATOMIC | FI_COMPARE_ATOMIC), -FI_EBADFLAGS);
	CHECK_EQ(fi_close(&mr->fid), 0);
	return true;
}

static bool counts(void)
{
	uint64_t *v = (uint64_t *)sbuf, *r = v + MOST;
	struct fid_mr *mr;
	unsigned int i;

	CHECK(expose_all(&mr));
	for (i = 0; i < MOST; i++) {
		v[i] = i;
		word()[i] = 2 * i;
	}
	CHECK_EQ(fi_fetch_atomic(p.a.ep, v, MOST, NULL, r, NULL, p.a.peer, FIRST, KEY, FI_UINT64,
				 FI_SUM, ctx(1)), 0);
	CHECK(atomic_done(1, true));
	for (i = 0; i < MOST; i++)
		CHECK(r[i] == 2 * i && word()[i] == 3 * i);
	/* 16 KiB of operands */
	CHECK_EQ(fi_compare_atomic(p.a.ep, v, MOST, NULL, word(), NULL, r, NULL, p.a.peer, FIRST,
				   KEY, FI_UINT64, FI_CSWAP, ctx(2)), 0);
	CHECK(atomic_done(2, true));
	for (i = 0; i < MOST; i++)
		CHECK(r[i] == 3 * i && word()[i] == i);
	CHECK_EQ(fi_atomic(p.a.ep, v, 0, NULL, p.a.peer, FIRST, KEY, FI_UINT64, FI_SUM, NULL),
		 -FI_EINVAL);
	CHECK_EQ(fi_atomic(p.a.ep, v, MOST + 1, NULL, p.a.peer, FIRST, KEY, FI_UINT64, FI_SUM,
			   NULL), -FI_EMSGSIZE);
	CHECK_EQ(fi_atomic(p.a.ep, v, 1ull << 61, NULL, p.a.peer, FIRST, KEY, FI_UINT64, FI_SUM,
			   NULL), -FI_EMSGSIZE);
	CHECK_EQ(fi_close(&mr->fid), 0);
	return true;
}

/* ---- Errors, order, counters ------------------------------------------------------------ */

static bool errors(void)
{
	uint64_t v = 3, r = 4;
	struct fid_mr *mr;
	unsigned int i;

	CHECK(expose_all(&mr));
	*word() = 7;
	for (i = 1; i < 8; i++) {
		CHECK_EQ(fi_atomic(p.a.ep, &v, 1, NULL, p.a.peer, FIRST + i, KEY, FI_UINT64,
				   FI_SUM, ctx(i)), 0);
		CHECK(atomic_failed(i, FI_EINVAL));
	}
	CHECK_EQ(atomic_fetch(&v, &r, KEY + 1, FI_SUM, 9), 0);
	CHECK(atomic_failed(9, FI_EACCES));
	CHECK_EQ(fi_atomic(p.a.ep, &v, 1, NULL, p.a.peer, ROOM - 4, KEY, FI_UINT64, FI_SUM,
			   ctx(10)), 0);
	CHECK(atomic_failed(10, FI_EACCES));
	CHECK_EQ(fi_atomic(p.a.ep, &v, 1, NULL, p.a.peer, ~0ull - 7, KEY, FI_UINT64, FI_SUM,
			   ctx(11)), 0);
	CHECK(atomic_failed(11, FI_EACCES));
	/* operands that the ring does not take */
	CHECK_EQ(fi_atomic(p.a.ep, (void *)64, 100, NULL, p.a.peer, FIRST, KEY, FI_UINT64, FI_SUM,
			   ctx(12)), 0);
	CHECK(atomic_failed(12, FI_EFAULT));
	CHECK_EQ(atomic_fetch(&v, (uint64_t *)64, KEY, FI_SUM, 13), 0);
	CHECK(atomic_failed(13, FI_EFAULT));
	CHECK(r == 4 && *word() == 7);
	CHECK_EQ(atomic_fetch(&v, &r, KEY, FI_SUM, 14), 0);
	CHECK(atomic_done(14, true));
	CHECK(r == 7 && *word() == 10);
	CHECK_EQ(fi_close(&mr->fid), 0);
	return true;
}

/* Writes and reads, not waited for: each read returns the value of the write before it. */
static bool ordered(void)
{
	uint64_t v[40], r[40];
	struct fi_cq_tagged_entry c;
	struct fid_mr *mr;
	unsigned int i, round;

	CHECK(expose_all(&mr));
	for (round = 0; round < 20; round++) {
		for (i = 0; i < 40; i++) {
			v[i] = round * 1000 + i;
			CHECK_EQ(atomic_base(&v[i], KEY, FI_ATOMIC_WRITE, i), 0);
			CHECK_EQ(atomic_fetch(NULL, &r[i], KEY, FI_ATOMIC_READ, 100 + i), 0);
		}
		for (i = 0; i < 80; i++)
			CHECK_EQ(completion(p.a.txcq, &c, NULL, NULL), 1);
		for (i = 0; i < 40; i++)
			CHECK_EQ(r[i], v[i]);
	}
	CHECK_EQ(fi_close(&mr->fid), 0);
	return true;
}

/* Both programs add to one word: each value is fetched once, and the sum is exact. */
static bool adds(void)
{
	static bool seen[4000];
	uint64_t one = 1, r[40];
	struct fi_cq_tagged_entry c;
	unsigned int i, round, own = 0, n = 0;
	struct fid_mr *mr;

	CHECK(expose_all(&mr));
	memset(seen, 0, sizeof(seen));
	*word() = 0;
	for (round = 0; round < 40; round++) {
		for (i = 0; i < 40; i++)
			CHECK_EQ(atomic_fetch(&one, &r[i], KEY, FI_SUM, i), 0);
		for (i = 0; i < 30; i++, own++) {
			uint64_t was = __atomic_fetch_add(word(), 1, __ATOMIC_SEQ_CST);

			CHECK(was < 4000 && !seen[was]);
			seen[was] = true;
		}
		for (i = 0; i < 40; i++)
			CHECK_EQ(completion(p.a.txcq, &c, NULL, NULL), 1);
		for (i = 0; i < 40; i++, n++) {
			CHECK(r[i] < 4000 && !seen[r[i]]);
			seen[r[i]] = true;
		}
	}
	CHECK_EQ(*word(), own + n);
	CHECK_EQ(fi_close(&mr->fid), 0);
	return true;
}

#define LOCKED	100	/* times that each side has the lock */

/* B takes the lock, the first word, by its own instructions, and increments the second word. */
static void *locks(void *arg)
{
	uint64_t free, *w = arg;
	unsigned int i;

	for (i = 0; i < LOCKED; i++) {
		do
			free = 0;
		while (!__atomic_compare_exchange_n(&w[0], &free, 2, false, __ATOMIC_ACQUIRE,
						    __ATOMIC_RELAXED));
		/* not atomic */
		__atomic_store_n(&w[1], __atomic_load_n(&w[1], __ATOMIC_RELAXED) + 1,
				 __ATOMIC_RELAXED);
		__atomic_store_n(&w[0], 0, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* A single element, its initial value in @r. */
static bool fetched(uint64_t at, uint64_t v, enum fi_op op, uint64_t *r)
{
	CHECK_EQ(fi_fetch_atomic(p.a.ep, &v, 1, NULL, r, NULL, p.a.peer, at, KEY, FI_UINT64, op,
				 ctx(1)), 0);
	return atomic_done(1, true);
}

/* A has the same lock by compare and swap. */
static bool a_locks(void)
{
	const uint64_t mine = 1, none = 0;
	uint64_t r, n;
	unsigned int i;

	for (i = 0; i < LOCKED; i++) {
		do {
			CHECK_EQ(atomic_compare(&mine, &none, &r, KEY, FI_CSWAP, 2), 0);
			CHECK(atomic_done(2, true));
		} while (r);
		CHECK(fetched(FIRST + 8, 0, FI_ATOMIC_READ, &n));
		CHECK(fetched(FIRST + 8, n + 1, FI_ATOMIC_WRITE, &r));
		CHECK_EQ(r, n);
		CHECK(fetched(FIRST, 0, FI_ATOMIC_WRITE, &r));
		CHECK_EQ(r, 1);
	}
	return true;
}

static bool beside_processor(void)
{
	struct fid_mr *mr;
	pthread_t thread;
	bool ok;

	CHECK(adds());
	CHECK(expose_all(&mr));
	memset(word(), 0, 16);
	CHECK_EQ(pthread_create(&thread, NULL, locks, word()), 0);
	ok = a_locks();
	CHECK_EQ(pthread_join(thread, NULL), 0);
	CHECK(ok);
	CHECK_EQ(word()[1], 2 * LOCKED);
	return !fi_close(&mr->fid);
}

#define PAIRS	4	/* half of them within a node */
#define EACH	300	/* additions of each */

/**
 * struct adder - a thread with a pair of endpoints of its own, each side in a domain of its own
 * @q: the pair
 * @mr: the same memory for all
 * @r: results
 * @ok: all operations have succeeded
 * @thread: the thread
 */
struct adder {
	struct pair q;
	struct fid_mr *mr;
	uint64_t r[EACH];
	bool ok;
	pthread_t thread;
};

static bool add_all(struct adder *t)
{
	struct fi_cq_tagged_entry c;
	unsigned int i, k;
	uint64_t one = 1;

	for (i = 0; i < EACH; i += 10) {
		for (k = i; k < i + 10; k++)
			CHECK_EQ(fi_fetch_atomic(t->q.a.ep, &one, 1, NULL, &t->r[k], NULL,
						 t->q.a.peer, FIRST, KEY, FI_UINT64, FI_SUM,
						 ctx(k)), 0);
		for (k = i; k < i + 10; k++)
			CHECK_EQ(completion(t->q.a.txcq, &c, NULL, NULL), 1);
	}
	return true;
}

static void *run_adder(void *arg)
{
	struct adder *t = arg;

	t->ok = add_all(t);
	return NULL;
}

/* Endpoints of several domains, on both nodes, add to one word. */
static bool many_add(void)
{
	static struct adder t[PAIRS];
	static bool seen[PAIRS * EACH];
	struct opts o = p.o;
	unsigned int i, k;

	memset(t, 0, sizeof(t));
	memset(seen, 0, sizeof(seen));
	*word() = 0;
	for (i = 0; i < PAIRS; i++) {
		o.apart = p.o.apart && i % 2;
		CHECK(pair_open(&t[i].q, &o));
		CHECK(expose(&t[i].q.b, rbuf, ROOM, BOTH_RIGHTS, KEY, &t[i].mr));
	}
	for (i = 0; i < PAIRS; i++)
		CHECK_EQ(pthread_create(&t[i].thread, NULL, run_adder, &t[i]), 0);
	for (i = 0; i < PAIRS; i++)
		CHECK_EQ(pthread_join(t[i].thread, NULL), 0);
	CHECK_EQ(*word(), PAIRS * EACH);
	for (i = 0; i < PAIRS; i++) {
		CHECK(t[i].ok);
		for (k = 0; k < EACH; k++) {
			CHECK(t[i].r[k] < PAIRS * EACH && !seen[t[i].r[k]]);
			seen[t[i].r[k]] = true;
		}
		CHECK_EQ(fi_close(&t[i].mr->fid), 0);
		pair_close(&t[i].q);
	}
	return true;
}

/* Endpoints with FI_ATOMIC alone refuse reads and writes. */
static bool alone(void)
{
	struct fid_mr *mr;
	uint64_t v = 1;

	CHECK(expose_all(&mr));
	CHECK_EQ(fi_write(p.a.ep, sbuf, 8, NULL, p.a.peer, FIRST, KEY, NULL), -FI_EOPNOTSUPP);
	CHECK_EQ(fi_read(p.a.ep, sbuf, 8, NULL, p.a.peer, FIRST, KEY, NULL), -FI_EOPNOTSUPP);
	*word() = 1;
	CHECK_EQ(atomic_base(&v, KEY, FI_SUM, 1), 0);
	CHECK(atomic_done(1, false));
	CHECK_EQ(*word(), 2);
	CHECK_EQ(fi_close(&mr->fid), 0);
	return true;
}

/* Without FI_ATOMIC there are no atomic operations. */
static bool none(void)
{
	struct fid_mr *mr;
	uint64_t v = 1;

	CHECK(expose_all(&mr));
	CHECK_EQ(atomic_base(&v, KEY, FI_SUM, 1), -FI_EOPNOTSUPP);
	CHECK_EQ(atomic_fetch(&v, &v, KEY, FI_SUM, 1), -FI_EOPNOTSUPP);
	CHECK_EQ(fi_close(&mr->fid), 0);
	return true;
}

static const struct row rows[] = {
	ROW("ATOM-01", ON_BOTH, "Base operations have the values of their definition", bases,
	    ATOMIC),
	ROW("ATOM-02", ON_BOTH, "A fetch returns the initial values, and does what the base does",
	    all_fetches, ATOMIC),
	ROW("ATOM-03", ON_BOTH, "A compare stores the operand if the relation holds", compares,
	    ATOMIC),
	ROW("ATOM-05", ON_BOTH, "A read has no operands; rights are those of the kind",
	    atomic_reads, ATOMIC),
	ROW("ATOM-07", ON_BOTH, "Floating-point arithmetic rounds to nearest", floats, ATOMIC),
	ROW("ATOM-08", ON_BOTH, "Segments of all kinds are used front to back", vectors, ATOMIC),
	ROW("ATOM-10", ON_BOTH, "The operand of an inject is free at once, and a failure is told",
	    injects, ATOMIC),
	ROW("ATOM-14", ON_BOTH, "Elements are atomic against operations of all endpoints and nodes",
	    many_add, ATOMIC, .alone = true),
	ROW("ATOM-15", ON_BOTH, "Elements are atomic against the target's own instructions",
	    beside_processor, ATOMIC),
	ROW("ATOM-17", ON_BOTH, "From one element to the maximum, with 16 KiB of operands", counts,
	    ATOMIC),
	ROW("ATOM-18", ON_BOTH, "The valid calls and the query say what the calls do", supported,
	    ATOMIC),
	ROW("ATOM-22", ON_BOTH, "Elements that are not aligned, keys, bounds and memory", errors,
	    ATOMIC),
	ROW("ATOM-28", ON_BOTH, "A read sees the writes before it, and none after it", ordered,
	    ATOMIC),
	ROW("ATOM-32", ON_BOTH, "FI_ATOMIC without FI_RMA refuses writes and reads", alone, ATOMIC),
	ROW("ATOM-32b", ON_BOTH, "FI_RMA without FI_ATOMIC refuses atomic operations", none, RMA),
};

int main(int argc, char **argv)
{
	return rows_main(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
}
