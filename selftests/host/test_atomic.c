// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests of core/rma/atomic.c: the table of operations, all of them beside a model in C, and threads
 * that change the same elements.
 */
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/rma/rma.h"
#include "harness.h"

#define NOPS	(WEFT_AOP_MSWAP + 1)
#define NTYPES	(WEFT_ATYPE_FLOAT_COMPLEX + 1)

/* ---- Which operations there are ------------------------------------------------- */

/* Kinds: base, fetch, compare. Types: integers, floats, complex values. */
static const struct {
	const char *kinds;
	const char *types;
} table[NOPS] = {
	[WEFT_AOP_MIN] = { "bf", "if" },
	[WEFT_AOP_MAX] = { "bf", "if" },
	[WEFT_AOP_SUM] = { "bf", "ifc" },
	[WEFT_AOP_PROD] = { "bf", "ifc" },
	[WEFT_AOP_LOR] = { "bf", "if" },
	[WEFT_AOP_LAND] = { "bf", "if" },
	[WEFT_AOP_BOR] = { "bf", "i" },
	[WEFT_AOP_BAND] = { "bf", "i" },
	[WEFT_AOP_LXOR] = { "bf", "if" },
	[WEFT_AOP_BXOR] = { "bf", "i" },
	[WEFT_AOP_READ] = { "f", "ifc" },
	[WEFT_AOP_WRITE] = { "bf", "ifc" },
	[WEFT_AOP_CSWAP] = { "c", "ifc" },
	[WEFT_AOP_CSWAP_NE] = { "c", "ifc" },
	[WEFT_AOP_CSWAP_LE] = { "c", "if" },
	[WEFT_AOP_CSWAP_LT] = { "c", "if" },
	[WEFT_AOP_CSWAP_GE] = { "c", "if" },
	[WEFT_AOP_CSWAP_GT] = { "c", "if" },
	[WEFT_AOP_MSWAP] = { "c", "i" },
};

static const u8 sizes[NTYPES] = { 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 8 };
static const char type_char[NTYPES + 1] = "iiiiiiiiffc";

static bool listed(u32 kind, u32 op, u32 type)
{
	return kind < 3 && op < NOPS && type < NTYPES &&
	       strchr(table[op].kinds, "bfc"[kind]) && strchr(table[op].types, type_char[type]);
}

TEST(atomic__valid)
{
	u32 kind, op, type, n = 0;

	for (kind = 0; kind < 256; kind++) {
		for (op = 0; op < 256; op++) {
			for (type = 0; type < 256; type++) {
				ASSERT_EQ(listed(kind, op, type),
					  weft_atomic_valid(kind, op, type)) {
					TH_LOG("kind %u op %u type %u", kind, op, type);
				}
				n += listed(kind, op, type);
			}
		}
	}
	/* integers 8 * (11 + 12 + 7), floats 2 * (8 + 9 + 6), complex 3 + 4 + 2 */
	EXPECT_EQ(240 + 46 + 9, n);
}

TEST(atomic__sizes)
{
	u32 type;

	for (type = 0; type < 256; type++)
		EXPECT_EQ(type < NTYPES ? sizes[type] : 0, weft_atomic_size(type));
	/* the longest elements fill an operation */
	EXPECT_EQ(WEFT_ATOMIC_MAX_BYTES, WEFT_ATOMIC_MAX_COUNT * sizes[WEFT_ATYPE_UINT64]);
}

/* ---- The model: the definitions of fi_atomic(3) in C ---------------------------- */

/* New values of the element t, with the operand b and the compare operand c */
#define MODEL_FLOAT								\
	(op == WEFT_AOP_SUM ? t + b :						\
	 op == WEFT_AOP_PROD ? t * b :						\
	 MODEL_BOTH)

/* Unsigned arithmetic of 64 bits wraps. */
#define MODEL_INT								\
	(op == WEFT_AOP_SUM ? (u64)t + (u64)b :					\
	 op == WEFT_AOP_PROD ? (u64)t * (u64)b :				\
	 op == WEFT_AOP_BOR ? t | b :						\
	 op == WEFT_AOP_BAND ? t & b :						\
	 op == WEFT_AOP_BXOR ? t ^ b :						\
	 op == WEFT_AOP_MSWAP ? (b & c) | (t & ~c) :				\
	 MODEL_BOTH)

#define MODEL_BOTH								\
	(op == WEFT_AOP_MIN ? (b < t ? b : t) :					\
	 op == WEFT_AOP_MAX ? (b > t ? b : t) :					\
	 op == WEFT_AOP_LOR ? t || b :						\
	 op == WEFT_AOP_LAND ? t && b :						\
	 op == WEFT_AOP_LXOR ? (t && !b) || (!t && b) :				\
	 op == WEFT_AOP_WRITE ? b :						\
	 op == WEFT_AOP_CSWAP ? (c == t ? b : t) :				\
	 op == WEFT_AOP_CSWAP_NE ? (c != t ? b : t) :				\
	 op == WEFT_AOP_CSWAP_LE ? (c <= t ? b : t) :				\
	 op == WEFT_AOP_CSWAP_LT ? (c < t ? b : t) :				\
	 op == WEFT_AOP_CSWAP_GE ? (c >= t ? b : t) :				\
	 op == WEFT_AOP_CSWAP_GT ? (c > t ? b : t) :				\
	 t)

#define MODEL(ctype, value)							\
static void model_##ctype(u8 op, void *target, const void *operand,		\
			  const void *compare)					\
{										\
	ctype t, b, c;								\
										\
	memcpy(&t, target, sizeof(t));						\
	memcpy(&b, operand, sizeof(b));						\
	memcpy(&c, compare, sizeof(c));						\
	t = value;								\
	memcpy(target, &t, sizeof(t));						\
}

MODEL(s8, MODEL_INT)
MODEL(u8, MODEL_INT)
MODEL(s16, MODEL_INT)
MODEL(u16, MODEL_INT)
MODEL(s32, MODEL_INT)
MODEL(u32, MODEL_INT)
MODEL(s64, MODEL_INT)
MODEL(u64, MODEL_INT)
MODEL(float, MODEL_FLOAT)
MODEL(double, MODEL_FLOAT)

/* Products are stored before they are added, so that each is rounded. */
static void model_complex(u8 op, void *target, const void *operand, const void *compare)
{
	float t[2], b[2], c[2];
	volatile float p[4];
	bool same;

	memcpy(t, target, sizeof(t));
	memcpy(b, operand, sizeof(b));
	memcpy(c, compare, sizeof(c));
	same = c[0] == t[0] && c[1] == t[1];
	switch (op) {
	case WEFT_AOP_SUM:
		t[0] += b[0];
		t[1] += b[1];
		break;
	case WEFT_AOP_PROD:
		p[0] = t[0] * b[0];
		p[1] = t[1] * b[1];
		p[2] = t[0] * b[1];
		p[3] = t[1] * b[0];
		t[0] = p[0] - p[1];
		t[1] = p[2] + p[3];
		break;
	case WEFT_AOP_WRITE:
	case WEFT_AOP_CSWAP:
	case WEFT_AOP_CSWAP_NE:
		if (op == WEFT_AOP_CSWAP ? same : op == WEFT_AOP_CSWAP_NE ? !same : true)
			memcpy(t, b, sizeof(t));
		break;
	}
	memcpy(target, t, sizeof(t));
}

static void (*const model[NTYPES])(u8 op, void *target, const void *operand,
				   const void *compare) = {
	model_s8, model_u8, model_s16, model_u16, model_s32, model_u32, model_s64, model_u64,
	model_float, model_double, model_complex,
};

/* Return: true if two elements are the same bytes, or NaNs at the same places. */
static bool same(u8 type, const void *a, const void *b)
{
	float x[2], y[2];
	double d, e;
	u32 i, n = sizes[type] / sizeof(float);

	if (!memcmp(a, b, sizes[type]))
		return true;
	if (type_char[type] == 'i')
		return false;
	if (type == WEFT_ATYPE_DOUBLE) {
		memcpy(&d, a, sizeof(d));
		memcpy(&e, b, sizeof(e));
		return d != d && e != e;
	}
	memcpy(x, a, sizes[type]);
	memcpy(y, b, sizes[type]);
	for (i = 0; i < n; i++) {
		if (memcmp(&x[i], &y[i], sizeof(x[i])) && !(x[i] != x[i] && y[i] != y[i]))
			return false;
	}
	return true;
}

/* ---- Edge values ---------------------------------------------------------------- */

#define EDGES	24

/* Values of 64 bits, of which the lower ones make shorter integers */
static const u64 int_edges[EDGES] = {
	0, 1, 2, 3, 10, 0x7f, 0x80, 0x81, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x7fffffff,
	0x80000000, 0xffffffff, 0x7fffffffffffffff, 0x8000000000000000, 0x8000000000000001,
	0xfffffffffffffffe, 0xffffffffffffffff, 0x5555555555555555, 0xaaaaaaaaaaaaaaaa,
	0x123456789abcdef0,
};

static const float float_edges[EDGES] = {
	0, -0.0f, 1, -1, 2, -3, 0.1f, 3.5, 1e30f, -1e30f, 16777216, 1 + __FLT_EPSILON__,
	__FLT_DENORM_MIN__, -__FLT_DENORM_MIN__, __FLT_MIN__ - __FLT_DENORM_MIN__, __FLT_MIN__,
	-__FLT_MIN__, __FLT_MIN__ * 300, __FLT_MIN__ * -300, __FLT_MAX__, -__FLT_MAX__,
	__builtin_inff(), -__builtin_inff(), __builtin_nanf(""),
};

static const double double_edges[EDGES] = {
	0, -0.0, 1, -1, 2, -3, 0.1, 3.5, 1e300, -1e300, 9007199254740992, 1 + __DBL_EPSILON__,
	__DBL_DENORM_MIN__, -__DBL_DENORM_MIN__, __DBL_MIN__ - __DBL_DENORM_MIN__, __DBL_MIN__,
	-__DBL_MIN__, __DBL_MIN__ * 300, __DBL_MIN__ * -300, __DBL_MAX__, -__DBL_MAX__,
	__builtin_inf(), -__builtin_inf(), __builtin_nan(""),
};

static void edge(u8 type, u32 i, void *p)
{
	u8 b = int_edges[i];
	u16 h = int_edges[i];
	u32 w = int_edges[i];
	float c[2] = { float_edges[i], float_edges[i * 7 % EDGES] };

	switch (type) {
	case WEFT_ATYPE_FLOAT:
		memcpy(p, &float_edges[i], 4);
		break;
	case WEFT_ATYPE_DOUBLE:
		memcpy(p, &double_edges[i], 8);
		break;
	case WEFT_ATYPE_FLOAT_COMPLEX:
		memcpy(p, c, 8);
		break;
	default:
		memcpy(p, sizes[type] == 1 ? &b : sizes[type] == 2 ? &h : sizes[type] == 4 ?
		       (void *)&w : (void *)&int_edges[i], sizes[type]);
	}
}

/* ---- Every operation beside the model ------------------------------------------- */

/*
 * Memory of a call. Each part ends where its allocation ends, so the sanitizer finds accesses
 * beyond it.
 */
struct call {
	struct weft_atomic a;
	u32 size;		/* of an element */
	u32 n;
	u32 skew;		/* misalignment of all but the target */
	u8 *target, *before, *operand, *compare, *result;
};

static u8 *part(u32 len)
{
	u8 *p = malloc(len);

	if (!p)
		exit(1);
	return p;
}

static void call_new(struct call *c, u8 kind, u8 op, u8 type, u32 n, u32 skew)
{
	u32 len = n * sizes[type];

	c->a = (struct weft_atomic){ .kind = kind, .op = op, .type = type };
	c->size = sizes[type];
	c->n = n;
	c->skew = skew;
	c->target = part(len);
	c->before = part(len);
	c->operand = part(skew + len) + skew;
	c->compare = part(skew + len) + skew;
	c->result = part(skew + len) + skew;
}

static void call_free(struct call *c)
{
	free(c->target);
	free(c->before);
	free(c->operand - c->skew);
	free(c->compare - c->skew);
	free(c->result - c->skew);
}

/* All pairs of edge values of target and operand, and the value @third to compare with */
static void call_fill(struct call *c, u32 third)
{
	u32 i;

	for (i = 0; i < c->n; i++) {
		edge(c->a.type, i % EDGES, c->target + i * c->size);
		edge(c->a.type, i / EDGES % EDGES, c->operand + i * c->size);
		edge(c->a.type, third, c->compare + i * c->size);
	}
	memcpy(c->before, c->target, c->n * c->size);
	memset(c->result, 0xa5, c->n * c->size);
}

/* Return: number of elements that are not as in the model, or whose initial value is not given. */
static u32 call_check(struct call *c)
{
	u8 want[8], poison[8];
	u32 i, bad = 0;

	memset(poison, 0xa5, sizeof(poison));
	for (i = 0; i < c->n; i++) {
		u32 off = i * c->size;

		memcpy(want, c->before + off, c->size);
		model[c->a.type](c->a.op, want, c->operand + off, c->compare + off);
		bad += !same(c->a.type, want, c->target + off);
		bad += memcmp(c->a.kind == WEFT_ATOMIC_BASE ? poison : c->before + off,
			      c->result + off, c->size) != 0;
	}
	return bad;
}

static u32 call_apply(struct call *c)
{
	bool base = c->a.kind == WEFT_ATOMIC_BASE, read = c->a.op == WEFT_AOP_READ;

	return weft_atomic_apply(&c->a, c->target, read ? NULL : c->operand,
				 c->a.kind == WEFT_ATOMIC_COMPARE ? c->compare : NULL,
				 base ? NULL : c->result, c->n);
}

TEST(atomic__model)
{
	u32 kind, op, type, third, n = 0;
	struct call c;

	for (type = 0; type < NTYPES; type++) {
		for (op = 0; op < NOPS; op++) {
			for (kind = 0; kind < 3; kind++) {
				if (!weft_atomic_valid(kind, op, type))
					continue;
				call_new(&c, kind, op, type, EDGES * EDGES, 0);
				for (third = 0; third < EDGES; third++) {
					call_fill(&c, third);
					ASSERT_EQ(c.n, call_apply(&c));
					ASSERT_EQ(0, call_check(&c)) {
						TH_LOG("kind %u op %u type %u", kind, op, type);
					}
					if (kind != WEFT_ATOMIC_COMPARE)
						break;
				}
				call_free(&c);
				n++;
			}
		}
	}
	EXPECT_EQ(240 + 46 + 9, n);
}

/* Operands, compare operands and results have any alignment, and any number of elements. */
TEST(atomic__unaligned)
{
	static const u8 ops[3] = { WEFT_AOP_PROD, WEFT_AOP_SUM, WEFT_AOP_CSWAP_NE };
	static const u32 counts[] = { 0, 1, 2, 3, 63 };
	u32 kind, type, skew, i;
	struct call c;

	for (type = 0; type < NTYPES; type++) {
		for (kind = 0; kind < 3; kind++) {
			for (skew = 0; skew < 8; skew++) {
				for (i = 0; i < ARRAY_SIZE(counts); i++) {
					call_new(&c, kind, ops[kind], type, counts[i], skew);
					call_fill(&c, 2);
					ASSERT_EQ(c.n, call_apply(&c));
					ASSERT_EQ(0, call_check(&c));
					call_free(&c);
				}
			}
		}
	}
}

/* The longest operation, and the elements beside the target stay. */
TEST(atomic__longest)
{
	u64 target[WEFT_ATOMIC_MAX_COUNT + 2], one[WEFT_ATOMIC_MAX_COUNT];
	const struct weft_atomic a = { WEFT_ATOMIC_BASE, WEFT_AOP_BXOR, WEFT_ATYPE_UINT64 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(target); i++)
		target[i] = i;
	for (i = 0; i < ARRAY_SIZE(one); i++)
		one[i] = ~0ULL;
	EXPECT_EQ(WEFT_ATOMIC_MAX_COUNT,
		  weft_atomic_apply(&a, target + 1, one, NULL, NULL, WEFT_ATOMIC_MAX_COUNT));
	EXPECT_EQ(0, target[0]);
	EXPECT_EQ(WEFT_ATOMIC_MAX_COUNT + 1, target[WEFT_ATOMIC_MAX_COUNT + 1]);
	for (i = 1; i <= WEFT_ATOMIC_MAX_COUNT; i++)
		ASSERT_EQ(~(u64)i, target[i]);
}

/* A read does not store, nor does a minimum that is in place: the page cannot be written to. */
TEST(atomic__no_store)
{
	struct weft_atomic a = { WEFT_ATOMIC_FETCH, WEFT_AOP_READ, WEFT_ATYPE_UINT32 };
	size_t len = sysconf(_SC_PAGESIZE);
	u32 i, result[2], high = 9;
	u32 *page = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, page);
	page[0] = 7;
	page[1] = 8;
	ASSERT_EQ(0, mprotect(page, len, PROT_READ));
	for (i = 0; i < NTYPES; i++) {
		a.type = i;
		memset(result, 0, sizeof(result));
		EXPECT_EQ(8 / sizes[i],
			  weft_atomic_apply(&a, page, NULL, NULL, result, 8 / sizes[i]));
		EXPECT_EQ(0, memcmp(page, result, 8));
	}
	a.op = WEFT_AOP_MIN;
	a.type = WEFT_ATYPE_UINT32;
	EXPECT_EQ(1, weft_atomic_apply(&a, page, &high, NULL, result, 1));
	EXPECT_EQ(7, result[0]);
	munmap(page, len);
}

/* ---- Another writer that is always faster --------------------------------------- */

static u32 races;	/* that the other writer won */
static u32 races_left;	/* before it stops */

/* Changes the lowest byte of the element. */
static void racer(void *p)
{
	if (!races_left)
		return;
	races_left--;
	races++;
	__atomic_fetch_xor((u8 *)p, 1, __ATOMIC_SEQ_CST);
}

static void race(u32 n)
{
	races = 0;
	races_left = n;
	weft_host_racer = racer;
}

/* An operation gives up after so many races, with nothing done; then it can continue. */
TEST(atomic__gives_up)
{
	const struct weft_atomic a = { WEFT_ATOMIC_FETCH, WEFT_AOP_PROD, WEFT_ATYPE_UINT64 };
	u64 target[2] = { 10, 1 }, operand[2] = { 5, 6 }, result[2] = { 77, 77 };

	race(U32_MAX);
	EXPECT_EQ(0, weft_atomic_apply(&a, target, operand, NULL, result, 2));
	EXPECT_EQ(WEFT_ATOMIC_TRIES, races);
	EXPECT_EQ(10 ^ (WEFT_ATOMIC_TRIES & 1), target[0]);
	EXPECT_EQ(77, result[0]);

	/* one race fewer, and the value that the other writer left is taken */
	race(WEFT_ATOMIC_TRIES - 1);
	EXPECT_EQ(1, weft_atomic_apply(&a, target, operand, NULL, result, 1));
	EXPECT_EQ(WEFT_ATOMIC_TRIES - 1, races);
	EXPECT_EQ(10 ^ ((WEFT_ATOMIC_TRIES - 1) & 1), result[0]);
	EXPECT_EQ(5 * result[0], target[0]);

	target[0] = 10;
	weft_host_racer = NULL;
	EXPECT_EQ(2, weft_atomic_apply(&a, target, operand, NULL, result, 2));
	EXPECT_EQ(50, target[0]);
	EXPECT_EQ(10, result[0]);
	EXPECT_EQ(6, target[1]);
	EXPECT_EQ(1, result[1]);
}

static u8 *raced;	/* the element that the other writer changes */

static void racer_of_one(void *p)
{
	if (p == raced)
		racer(p);
}

static u32 racer_turn;	/* races of each element */

/* Wins @racer_turn races for each element. */
static void racer_of_each(void *p)
{
	static void *last;
	static u32 n;

	if (p != last) {
		last = p;
		n = 0;
	}
	if (n++ < racer_turn)
		racer(p);
}

/* The elements before the one that is held back are done, those behind it are not touched. */
TEST(atomic__gives_up_within)
{
	const struct weft_atomic a = { WEFT_ATOMIC_FETCH, WEFT_AOP_MAX, WEFT_ATYPE_INT16 };
	s16 target[4] = { -5, -6, -8, -7 }, operand[4] = { 1, 2, 3, 4 };
	s16 result[4] = { 0, 0, 99, 99 };

	race(U32_MAX);
	raced = (u8 *)&target[2];
	weft_host_racer = racer_of_one;
	EXPECT_EQ(2, weft_atomic_apply(&a, target, operand, NULL, result, 4));
	EXPECT_EQ(WEFT_ATOMIC_TRIES, races);
	EXPECT_EQ(1, target[0]);
	EXPECT_EQ(2, target[1]);
	EXPECT_EQ(-8, target[2]);
	EXPECT_EQ(-7, target[3]);
	EXPECT_EQ(-6, result[1]);
	EXPECT_EQ(99, result[2]);
	EXPECT_EQ(99, result[3]);
	weft_host_racer = NULL;
}

/* The bound is that of a call: races of all its elements count. */
TEST(atomic__tries_of_a_call)
{
	const struct weft_atomic a = { WEFT_ATOMIC_BASE, WEFT_AOP_PROD, WEFT_ATYPE_UINT64 };
	u64 target[4] = { 2, 2, 2, 2 }, operand[4] = { 1000, 1000, 1000, 1000 };

	race(U32_MAX);
	racer_turn = WEFT_ATOMIC_TRIES / 2 - 2;
	weft_host_racer = racer_of_each;
	EXPECT_EQ(2, weft_atomic_apply(&a, target, operand, NULL, NULL, 4));
	EXPECT_EQ(WEFT_ATOMIC_TRIES, races);
	EXPECT_EQ(2000, target[1]);
	EXPECT_EQ(2, target[2]);
	EXPECT_EQ(2, target[3]);
	weft_host_racer = NULL;
}

/* These need no second attempt, whatever the other writer does. */
TEST(atomic__no_loop)
{
	static const u8 ops[] = { WEFT_AOP_WRITE, WEFT_AOP_READ, WEFT_AOP_SUM, WEFT_AOP_CSWAP };
	u32 i, type;

	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		for (type = WEFT_ATYPE_INT32; type <= WEFT_ATYPE_UINT64; type++) {
			struct weft_atomic a = { ops[i] == WEFT_AOP_CSWAP ? WEFT_ATOMIC_COMPARE :
						 WEFT_ATOMIC_FETCH, ops[i], type };
			u64 target = 4, operand = 6, compare = 4, result = 0;

			race(U32_MAX);
			EXPECT_EQ(1, weft_atomic_apply(&a, &target, &operand, &compare, &result,
						       1));
			EXPECT_EQ(ops[i] == WEFT_AOP_CSWAP, races);
		}
	}
	weft_host_racer = NULL;
}

/* ---- Threads -------------------------------------------------------------------- */

#define THREADS	4
#define ROUNDS	500000

static union {
	u8 b[8];
	u16 h[4];
	u32 w[2];
	u64 d;
	float f[2];
	double g;
} word __aligned(8);

static u8 word_type;
static u32 started;

/* One element. Repeats until it is done. */
static void atomic(u8 kind, u8 op, u8 type, void *target, const void *operand,
		   const void *compare, void *result)
{
	const struct weft_atomic a = { kind, op, type };

	while (!weft_atomic_apply(&a, target, operand, compare, result, 1))
		sched_yield();
}

/* All threads begin together. */
static void start(void)
{
	__atomic_fetch_add(&started, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&started, __ATOMIC_SEQ_CST) < THREADS)
		sched_yield();
}

static void threads(void *(*fn)(void *))
{
	pthread_t t[THREADS];
	uintptr_t i;

	started = 0;
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&t[i], NULL, fn, (void *)i))
			exit(1);
	for (i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
}

/* The processor's own instruction, as programs use it on integers of @size bytes. */
static void cpu_add_one(u32 size)
{
	if (size == 1)
		__atomic_fetch_add(&word.b[0], 1, __ATOMIC_SEQ_CST);
	else if (size == 2)
		__atomic_fetch_add(&word.h[0], 1, __ATOMIC_SEQ_CST);
	else if (size == 4)
		__atomic_fetch_add(&word.w[0], 1, __ATOMIC_SEQ_CST);
	else
		__atomic_fetch_add(&word.d, 1, __ATOMIC_SEQ_CST);
}

/* Read, compute, swap if nothing has changed; repeated. */
static void swap_add(u8 type, const void *one)
{
	u64 old, next, seen;

	do {
		atomic(WEFT_ATOMIC_FETCH, WEFT_AOP_READ, type, &word, NULL, NULL, &old);
		next = old;
		model[type](WEFT_AOP_SUM, &next, one, one);
		atomic(WEFT_ATOMIC_COMPARE, WEFT_AOP_CSWAP, type, &word, &next, &old, &seen);
	} while (memcmp(&seen, &old, sizes[type]));
}

/* Each thread adds 1 in its own way. The processor has no such instruction for floats. */
static void *adder(void *arg)
{
	uintptr_t way = (uintptr_t)arg;
	u64 one, old;
	u32 i;

	edge(word_type, type_char[word_type] == 'i' ? 1 : 2, &one);
	if (way == 2 && type_char[word_type] == 'f')
		way = 0;
	start();
	for (i = 0; i < ROUNDS; i++) {
		if (way == 0)
			atomic(WEFT_ATOMIC_BASE, WEFT_AOP_SUM, word_type, &word, &one, NULL, NULL);
		else if (way == 1)
			atomic(WEFT_ATOMIC_FETCH, WEFT_AOP_SUM, word_type, &word, &one, NULL, &old);
		else if (way == 2)
			cpu_add_one(sizes[word_type]);
		else
			swap_add(word_type, &one);
	}
	return NULL;
}

/* The element as a number */
static u64 word_number(u8 type)
{
	if (type == WEFT_ATYPE_FLOAT)
		return word.f[0];
	if (type == WEFT_ATYPE_DOUBLE)
		return word.g;
	return sizes[type] == 1 ? word.b[0] : sizes[type] == 2 ? word.h[0] :
	       sizes[type] == 4 ? word.w[0] : word.d;
}

TEST(atomic__sum_of_threads)
{
	u64 n = THREADS * ROUNDS;
	u32 type;

	for (type = 0; type < WEFT_ATYPE_FLOAT_COMPLEX; type++) {
		memset(&word, 0, sizeof(word));
		word_type = type;
		threads(adder);
		EXPECT_EQ(n & ~0ULL >> (64 - 8 * sizes[type]), word_number(type));
	}
}

static u8 drawn[THREADS * ROUNDS];	/* how often each number was fetched */

static void *drawer(void *arg)
{
	u32 one = 1, old, i;

	(void)arg;
	start();
	for (i = 0; i < ROUNDS; i++) {
		atomic(WEFT_ATOMIC_FETCH, WEFT_AOP_SUM, word_type, &word, &one, NULL, &old);
		if (old < ARRAY_SIZE(drawn))
			__atomic_fetch_add(&drawn[old], 1, __ATOMIC_SEQ_CST);
	}
	return NULL;
}

/* Threads fetch each number once. */
TEST(atomic__numbers_of_threads)
{
	u32 i;

	memset(&word, 0, sizeof(word));
	word_type = WEFT_ATYPE_UINT32;
	threads(drawer);
	for (i = 0; i < ARRAY_SIZE(drawn); i++)
		ASSERT_EQ(1, drawn[i]);
}

static u64 handed;	/* values that were written, minus those that were fetched */

static void *swapper(void *arg)
{
	u64 value = (uintptr_t)arg, next, sum = 0;
	u32 i;

	start();
	for (i = 0; i < ROUNDS; i++) {
		value += THREADS;
		sum += value;
		next = 0;
		atomic(WEFT_ATOMIC_FETCH, WEFT_AOP_WRITE, word_type, &word, &value, NULL, &next);
		sum -= next;
	}
	__atomic_fetch_add(&handed, sum, __ATOMIC_SEQ_CST);
	return NULL;
}

/* Each value that a thread wrote is fetched by one thread, but for the last one. */
TEST(atomic__values_of_threads)
{
	u32 type;

	for (type = WEFT_ATYPE_UINT8; type <= WEFT_ATYPE_UINT64; type += 2) {
		memset(&word, 0, sizeof(word));
		handed = 0;
		word_type = type;
		threads(swapper);
		EXPECT_EQ(handed & ~0ULL >> (64 - 8 * sizes[type]), word_number(type));
	}
}

/*
 * Bits 0 to 31 count sums; bits 32 to 39 take exclusive-ors, 40 to 47 ors and ands, 48 to 63 masked
 * swaps. No operation on some bits may undo one on others.
 */
static void *mixer(void *arg)
{
	uintptr_t way = (uintptr_t)arg;
	u64 one = 1, flip = 1ULL << 32, set = 1ULL << 40, clear = ~set, mask = 0xffffULL << 48;
	u64 value;
	u32 i;

	start();
	for (i = 1; i <= ROUNDS; i++) {
		atomic(WEFT_ATOMIC_BASE, WEFT_AOP_SUM, WEFT_ATYPE_INT64, &word, &one, NULL, NULL);
		switch (way) {
		case 0:
			atomic(WEFT_ATOMIC_FETCH, WEFT_AOP_BXOR, WEFT_ATYPE_UINT64, &word, &flip,
			       NULL, &value);
			break;
		case 1:
			atomic(WEFT_ATOMIC_BASE, WEFT_AOP_BOR, WEFT_ATYPE_UINT64, &word, &set,
			       NULL, NULL);
			atomic(WEFT_ATOMIC_BASE, WEFT_AOP_BAND, WEFT_ATYPE_INT64, &word, &clear,
			       NULL, NULL);
			break;
		case 2:
			value = (u64)(i & 0xffff) << 48;
			atomic(WEFT_ATOMIC_COMPARE, WEFT_AOP_MSWAP, WEFT_ATYPE_UINT64, &word,
			       &value, &mask, &value);
			break;
		default:
			__atomic_fetch_add(&word.d, 2, __ATOMIC_SEQ_CST);
		}
	}
	return NULL;
}

TEST(atomic__mixed_threads)
{
	memset(&word, 0, sizeof(word));
	threads(mixer);
	EXPECT_EQ((ROUNDS & 0xffffULL) << 48 | (ROUNDS & 1ULL) << 32 | (THREADS + 2) * ROUNDS,
		  word.d);
}

static u64 guarded;	/* changed only by the owner of the lock */

/* A lock of which half of the threads use the atomics of C. */
static void *locker(void *arg)
{
	bool own = (uintptr_t)arg % 2;
	u32 i, none, one = 1, zero = 0, seen;

	start();
	for (i = 0; i < ROUNDS / 100; i++) {
		for (;;) {
			if (own) {
				none = 0;
				if (__atomic_compare_exchange_n(&word.w[0], &none, 1, false,
								__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
					break;
			} else {
				atomic(WEFT_ATOMIC_COMPARE, WEFT_AOP_CSWAP, WEFT_ATYPE_INT32,
				       &word, &one, &zero, &seen);
				if (!seen)
					break;
			}
			sched_yield();
		}
		/* (not one instruction, and another thread may run in between) */
		WRITE_ONCE(guarded, READ_ONCE(guarded) + 1);
		if (own)
			__atomic_store_n(&word.w[0], 0, __ATOMIC_RELEASE);
		else
			atomic(WEFT_ATOMIC_BASE, WEFT_AOP_WRITE, WEFT_ATYPE_INT32, &word, &zero,
			       NULL, NULL);
	}
	return NULL;
}

TEST(atomic__lock)
{
	memset(&word, 0, sizeof(word));
	threads(locker);
	EXPECT_EQ(THREADS * (ROUNDS / 100), guarded);
	EXPECT_EQ(0, word.w[0]);
}

static u64 row[64] __aligned(64);
static u32 torn;	/* values that no thread has written */

/* Two threads write rows of equal bytes; the others read, as programs do and by operations. */
static void *row_thread(void *arg)
{
	uintptr_t no = (uintptr_t)arg;
	const struct weft_atomic w = { WEFT_ATOMIC_BASE, WEFT_AOP_WRITE, WEFT_ATYPE_UINT64 };
	const struct weft_atomic r = { WEFT_ATOMIC_FETCH, WEFT_AOP_READ, WEFT_ATYPE_UINT64 };
	u64 value[64];
	u32 i, k;

	start();
	for (i = 0; i < ROUNDS / 100; i++) {
		if (no < 2) {
			memset(value, i * 2 + no, sizeof(value));
			weft_atomic_apply(&w, row, value, NULL, NULL, ARRAY_SIZE(row));
			continue;
		}
		if (no == 2)
			weft_atomic_apply(&r, row, NULL, NULL, value, ARRAY_SIZE(row));
		for (k = 0; k < ARRAY_SIZE(row); k++) {
			u64 v = no == 2 ? value[k] : READ_ONCE(row[k]);

			if (v != (v & 0xff) * 0x0101010101010101)
				__atomic_fetch_add(&torn, 1, __ATOMIC_SEQ_CST);
		}
	}
	return NULL;
}

TEST(atomic__no_tear)
{
	threads(row_thread);
	EXPECT_EQ(0, torn);
	EXPECT_EQ((row[5] & 0xff) * 0x0101010101010101, row[5]);
}

TEST_HARNESS_MAIN
