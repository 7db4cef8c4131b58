// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - atomic operations: which ones there are, and their execution on elements in memory
 *
 * Functions without locks. Other CPUs, and programs with atomic instructions of their own, change
 * the memory at the same time. So each element is changed by one atomic instruction: add, exchange
 * or compare-and-exchange. The last one is repeated if the element has changed meanwhile.
 *
 * Forward progress: each repetition is caused by another CPU's store, so the element does change.
 * But a program that stores in a loop could hold this CPU for ever. Therefore a call gives up after
 * WEFT_ATOMIC_TRIES lost races and returns the number of elements that are done. Its time is
 * bounded. The caller continues from process context, where it can be preempted. Only the operation
 * waits that has this target. WRITE, READ, and on integers CSWAP and SUM of 32 and 64 bits, have no
 * loop.
 */
#include "core/rma/rma.h"
#include "core/rma/softfloat.h"

/* ---- Operations and types ------------------------------------------------------- */

enum arith {
	UNSIGNED,
	SIGNED,
	FLOAT,
	COMPLEX,
};

/**
 * struct type - a type of elements
 * @size: bytes, also the alignment
 * @arith: kind of arithmetic
 * @f: format, for FLOAT
 */
struct type {
	u8 size;
	enum arith arith;
	const struct weft_float *f;
};

static const struct type types[] = {
	[WEFT_ATYPE_INT8] = { 1, SIGNED },
	[WEFT_ATYPE_UINT8] = { 1, UNSIGNED },
	[WEFT_ATYPE_INT16] = { 2, SIGNED },
	[WEFT_ATYPE_UINT16] = { 2, UNSIGNED },
	[WEFT_ATYPE_INT32] = { 4, SIGNED },
	[WEFT_ATYPE_UINT32] = { 4, UNSIGNED },
	[WEFT_ATYPE_INT64] = { 8, SIGNED },
	[WEFT_ATYPE_UINT64] = { 8, UNSIGNED },
	[WEFT_ATYPE_FLOAT] = { 4, FLOAT, &weft_float32 },
	[WEFT_ATYPE_DOUBLE] = { 8, FLOAT, &weft_float64 },
	[WEFT_ATYPE_FLOAT_COMPLEX] = { 8, COMPLEX },
};

/* ---- Values: the bytes of an element as an integer, zero-extended --------------- */

union value {
	u8 b;
	u16 h;
	u32 w;
	u64 d;
};

/* Get a value from memory of any alignment, which only the caller uses. */
static __always_inline u64 value_get(const void *p, u32 size)
{
	union value v;

	/* constant lengths: the compiler makes no call */
	switch (size) {
	case 1:
		memcpy(&v.b, p, 1);
		return v.b;
	case 2:
		memcpy(&v.h, p, 2);
		return v.h;
	case 4:
		memcpy(&v.w, p, 4);
		return v.w;
	default:
		memcpy(&v.d, p, 8);
		return v.d;
	}
}

static void value_put(void *p, u32 size, u64 value)
{
	union value v;

	switch (size) {
	case 1:
		v.b = value;
		memcpy(p, &v.b, 1);
		break;
	case 2:
		v.h = value;
		memcpy(p, &v.h, 2);
		break;
	case 4:
		v.w = value;
		memcpy(p, &v.w, 4);
		break;
	default:
		v.d = value;
		memcpy(p, &v.d, 8);
	}
}

static u8 relation(const struct type *t, u64 a, u64 b)
{
	u64 sign = 1ULL << (8 * t->size - 1);

	switch (t->arith) {
	case FLOAT:
		return weft_float_relation(t->f, a, b);
	case COMPLEX:
		return weft_complex_relation(a, b);
	case SIGNED:
		/* the order of signed integers is that of unsigned ones plus the offset */
		a ^= sign;
		b ^= sign;
		fallthrough;
	default:
		return a < b ? WEFT_REL_LT : a > b ? WEFT_REL_GT : WEFT_REL_EQ;
	}
}

static u64 sum(const struct type *t, u64 a, u64 b)
{
	switch (t->arith) {
	case FLOAT:
		return weft_float_add(t->f, a, b);
	case COMPLEX:
		return weft_complex_add(a, b);
	default:
		return a + b;
	}
}

static u64 product(const struct type *t, u64 a, u64 b)
{
	switch (t->arith) {
	case FLOAT:
		return weft_float_mul(t->f, a, b);
	case COMPLEX:
		return weft_complex_mul(a, b);
	default:
		return a * b;
	}
}

/* As in C: zeros of both signs are false, NaNs are true. */
static bool truth(const struct type *t, u64 a)
{
	return relation(t, a, 0) != WEFT_REL_EQ;
}

static u64 truth_value(const struct type *t, bool is)
{
	return !is ? 0 : t->arith == FLOAT ? t->f->one : 1;
}

/* Relations of the compare operand to the target with which a swap takes place */
static const u8 swap_if[] = {
	[WEFT_AOP_CSWAP - WEFT_AOP_CSWAP] = WEFT_REL_EQ,
	[WEFT_AOP_CSWAP_NE - WEFT_AOP_CSWAP] = WEFT_REL_LT | WEFT_REL_GT | WEFT_REL_UN,
	[WEFT_AOP_CSWAP_LE - WEFT_AOP_CSWAP] = WEFT_REL_LT | WEFT_REL_EQ,
	[WEFT_AOP_CSWAP_LT - WEFT_AOP_CSWAP] = WEFT_REL_LT,
	[WEFT_AOP_CSWAP_GE - WEFT_AOP_CSWAP] = WEFT_REL_GT | WEFT_REL_EQ,
	[WEFT_AOP_CSWAP_GT - WEFT_AOP_CSWAP] = WEFT_REL_GT,
};

/* Return: what @op makes of the value @old of the target; higher bits may be set. */
static u64 outcome(const struct type *t, u8 op, u64 old, u64 operand, u64 compare)
{
	switch (op) {
	case WEFT_AOP_MIN:
		return relation(t, operand, old) == WEFT_REL_LT ? operand : old;
	case WEFT_AOP_MAX:
		return relation(t, operand, old) == WEFT_REL_GT ? operand : old;
	case WEFT_AOP_SUM:
		return sum(t, old, operand);
	case WEFT_AOP_PROD:
		return product(t, old, operand);
	case WEFT_AOP_LOR:
		return truth_value(t, truth(t, old) || truth(t, operand));
	case WEFT_AOP_LAND:
		return truth_value(t, truth(t, old) && truth(t, operand));
	case WEFT_AOP_LXOR:
		return truth_value(t, truth(t, old) != truth(t, operand));
	case WEFT_AOP_BOR:
		return old | operand;
	case WEFT_AOP_BAND:
		return old & operand;
	case WEFT_AOP_BXOR:
		return old ^ operand;
	case WEFT_AOP_MSWAP:
		return (operand & compare) | (old & ~compare);
	default:
		return relation(t, compare, old) & swap_if[op - WEFT_AOP_CSWAP] ? operand : old;
	}
}

/* ---- Elements in shared memory -------------------------------------------------- */

static u64 element_load(const void *p, u32 size)
{
	switch (size) {
	case 1:
		return READ_ONCE(*(const u8 *)p);
	case 2:
		return READ_ONCE(*(const u16 *)p);
	case 4:
		return READ_ONCE(*(const u32 *)p);
	default:
		return READ_ONCE(*(const u64 *)p);
	}
}

static u64 element_xchg(void *p, u32 size, u64 value)
{
	switch (size) {
	case 1:
		return weft_xchg((u8 *)p, (u8)value);
	case 2:
		return weft_xchg((u16 *)p, (u16)value);
	case 4:
		return weft_xchg((u32 *)p, (u32)value);
	default:
		return weft_xchg((u64 *)p, value);
	}
}

static u64 element_cmpxchg(void *p, u32 size, u64 old, u64 value)
{
	switch (size) {
	case 1:
		return weft_cmpxchg((u8 *)p, (u8)old, (u8)value);
	case 2:
		return weft_cmpxchg((u16 *)p, (u16)old, (u16)value);
	case 4:
		return weft_cmpxchg((u32 *)p, (u32)old, (u32)value);
	default:
		return weft_cmpxchg((u64 *)p, old, value);
	}
}

/*
 * Execute an operation by one instruction. Return: true; false: there is no such instruction. *old:
 * out: the initial value.
 */
static bool element_direct(const struct type *t, u8 op, void *p, u64 operand, u64 compare,
			   u64 *old)
{
	bool integer = t->arith == SIGNED || t->arith == UNSIGNED;

	if (op == WEFT_AOP_READ)
		*old = element_load(p, t->size);
	else if (op == WEFT_AOP_WRITE)
		*old = element_xchg(p, t->size, operand);
	else if (op == WEFT_AOP_CSWAP && integer)
		*old = element_cmpxchg(p, t->size, compare, operand);
	else if (op == WEFT_AOP_SUM && integer && t->size == 4)
		*old = weft_fetch_add32(p, operand);
	else if (op == WEFT_AOP_SUM && integer && t->size == 8)
		*old = weft_fetch_add64(p, operand);
	else
		return false;
	return true;
}

/*
 * Execute an operation by a loop. Return: true; false: no tries are left, and nothing was done.
 * *old: out: the initial value.
 */
static bool element_loop(const struct type *t, u8 op, void *p, u64 operand, u64 compare,
			 u64 *old, u32 *tries)
{
	u64 mask = ~0ULL >> (64 - 8 * t->size), seen = element_load(p, t->size);

	while (*tries) {
		u64 value = outcome(t, op, seen, operand, compare) & mask;

		*old = seen;
		/* the load was atomic, too */
		if (value == seen)
			return true;
		seen = element_cmpxchg(p, t->size, *old, value);
		if (seen == *old)
			return true;
		(*tries)--;
	}
	return false;
}

/**
 * weft_atomic_apply - execute an atomic operation on elements in memory
 * @a: the operation; valid
 * @target: first element, aligned to weft_atomic_size(); shared with other writers
 * @operand: operands; may be NULL for WEFT_AOP_READ
 * @compare: compare operands; not used for other kinds than WEFT_ATOMIC_COMPARE
 * @result: takes the initial values; not used for WEFT_ATOMIC_BASE
 * @n: number of elements
 *
 * @operand, @compare and @result may have any alignment. Elements are executed in order, each one
 * atomically. A change is fully ordered with other accesses of this CPU. A read, or an operation
 * that leaves the value as it is, is a plain load. The function runs in any context.
 * Return: @n; or fewer: so many elements are done, and other writers were faster WEFT_ATOMIC_TRIES
 * times. The caller lets them run, then calls again for the elements that are left.
 */
u32 weft_atomic_apply(const struct weft_atomic *a, void *target, const void *operand,
		      const void *compare, void *result, u32 n)
{
	const struct type *t = &types[a->type];
	u32 tries = WEFT_ATOMIC_TRIES, i;
	u64 operand_value = 0, compare_value = 0, old;

	for (i = 0; i < n; i++) {
		u32 off = i * t->size;
		u8 *p = (u8 *)target + off;

		if (a->op != WEFT_AOP_READ)
			operand_value = value_get((const u8 *)operand + off, t->size);
		if (a->kind == WEFT_ATOMIC_COMPARE)
			compare_value = value_get((const u8 *)compare + off, t->size);
		if (!element_direct(t, a->op, p, operand_value, compare_value, &old) &&
		    !element_loop(t, a->op, p, operand_value, compare_value, &old, &tries))
			return i;
		if (a->kind != WEFT_ATOMIC_BASE)
			value_put((u8 *)result + off, t->size, old);
	}
	return n;
}
