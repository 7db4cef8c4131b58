// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "atomics.h"

uint64_t *word(void)
{
	return (uint64_t *)(rbuf + FIRST);
}

bool atomic_done(unsigned int n, bool fetch)
{
	struct fi_cq_tagged_entry c;

	CHECK_EQ(completion(p.a.txcq, &c, NULL, NULL), 1);
	CHECK(c.op_context == ctx(n));
	CHECK_EQ(c.flags, FI_ATOMIC | (fetch ? FI_READ : FI_WRITE));
	return true;
}

bool atomic_failed(unsigned int n, int err)
{
	struct fi_cq_tagged_entry c;
	struct fi_cq_err_entry e;

	CHECK_EQ(completion(p.a.txcq, &c, NULL, &e), -FI_EAVAIL);
	CHECK_EQ(e.err, err);
	CHECK(e.op_context == (n ? ctx(n) : NULL));
	CHECK(e.flags & FI_ATOMIC);
	CHECK_EQ(e.len, 0);
	return true;
}

ssize_t atomic_base(const uint64_t *v, uint64_t key, enum fi_op op, unsigned int n)
{
	return fi_atomic(p.a.ep, v, 1, NULL, p.a.peer, FIRST, key, FI_UINT64, op, ctx(n));
}

ssize_t atomic_fetch(const uint64_t *v, uint64_t *r, uint64_t key, enum fi_op op, unsigned int n)
{
	return fi_fetch_atomic(p.a.ep, v, 1, NULL, r, NULL, p.a.peer, FIRST, key, FI_UINT64, op,
			       ctx(n));
}

ssize_t atomic_compare(const uint64_t *v, const uint64_t *c, uint64_t *r, uint64_t key,
		       enum fi_op op, unsigned int n)
{
	return fi_compare_atomic(p.a.ep, v, 1, NULL, c, NULL, r, NULL, p.a.peer, FIRST, key,
				 FI_UINT64, op, ctx(n));
}
