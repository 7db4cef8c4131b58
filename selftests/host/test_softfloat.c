// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests of core/rma/softfloat.c beside the processor's floating-point unit: all pairs of edge
 * values, and random pairs.
 *
 * WEFT_RUNS is the number of runs of 100 000 random pairs, WEFT_SEED the one run to repeat.
 */
#include "core/rma/softfloat.h"
#include "harness.h"
#include "traffic.h"

#define PAIRS	100000
#define RUNS	10

static const struct weft_float *const formats[] = { &weft_float32, &weft_float64 };

static const char *name(const struct weft_float *f)
{
	return f == &weft_float32 ? "float" : "double";
}

/* ---- The processor's results ---------------------------------------------------- */

static float to_float(u64 a)
{
	u32 bits = a;
	float x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

static u64 of_float(float x)
{
	u32 bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

static double to_double(u64 a)
{
	double x;

	memcpy(&x, &a, sizeof(x));
	return x;
}

static u64 of_double(double x)
{
	u64 a;

	memcpy(&a, &x, sizeof(a));
	return a;
}

static u64 unit_add(const struct weft_float *f, u64 a, u64 b)
{
	return f == &weft_float32 ? of_float(to_float(a) + to_float(b)) :
				    of_double(to_double(a) + to_double(b));
}

static u64 unit_mul(const struct weft_float *f, u64 a, u64 b)
{
	return f == &weft_float32 ? of_float(to_float(a) * to_float(b)) :
				    of_double(to_double(a) * to_double(b));
}

/* (a float is converted to a double exactly) */
static u8 unit_relation(const struct weft_float *f, u64 a, u64 b)
{
	double x = f == &weft_float32 ? to_float(a) : to_double(a);
	double y = f == &weft_float32 ? to_float(b) : to_double(b);

	return (x < y ? WEFT_REL_LT : 0) | (x == y ? WEFT_REL_EQ : 0) |
	       (x > y ? WEFT_REL_GT : 0) | (x != x || y != y ? WEFT_REL_UN : 0);
}

/* By the format's definition: all bits of the exponent, and any of the fraction. */
static bool nan_of(const struct weft_float *f, u64 a)
{
	u64 exp = (f->sign - 1) >> f->frac << f->frac;

	return (a & exp) == exp && a & ((1ULL << f->frac) - 1);
}

/* Print the first difference. Return: number of differences; a NaN is like any other. */
static u32 differs(const struct weft_float *f, const char *op, u64 a, u64 b, u64 want, u64 got)
{
	static bool told;

	if (want == got || (nan_of(f, want) && nan_of(f, got)))
		return 0;
	if (!told)
		fprintf(stderr, "%s: %#llx %s %#llx is %#llx, not %#llx\n", name(f), a, op, b, want,
			got);
	told = true;
	return 1;
}

static u32 compare(const struct weft_float *f, u64 a, u64 b)
{
	return differs(f, "+", a, b, unit_add(f, a, b), weft_float_add(f, a, b)) +
	       differs(f, "*", a, b, unit_mul(f, a, b), weft_float_mul(f, a, b)) +
	       differs(f, "relation", a, b, unit_relation(f, a, b), weft_float_relation(f, a, b));
}

/* ---- Edge values ---------------------------------------------------------------- */

#define EDGES	512

/* Exponents where something begins or ends, with fractions that do. Return: their number. */
static u32 edges(const struct weft_float *f, u64 *v)
{
	s32 bias = f->exp_max / 2, p = f->frac;
	const s32 exp[] = {
		0, 1, 2, p, p + 1, p + 2, bias / 2, bias - p - 2, bias - p - 1, bias - p, bias - 2,
		bias - 1, bias, bias + 1, bias + p, bias + p + 1, bias + bias / 2, f->exp_max - 2,
		f->exp_max - 1, f->exp_max,
	};
	u64 all = (1ULL << p) - 1, half = 1ULL << (p - 1);
	const u64 frac[] = { 0, 1, 2, half - 1, half, half + 1, half | half >> 1, all - 1, all };
	u32 i, k, n = 0;

	for (i = 0; i < ARRAY_SIZE(exp); i++) {
		for (k = 0; k < ARRAY_SIZE(frac); k++) {
			v[n++] = (u64)exp[i] << p | frac[k];
			v[n++] = (u64)exp[i] << p | frac[k] | f->sign;
		}
	}
	return n;
}

TEST(softfloat__edges)
{
	u64 v[EDGES];
	u32 i, k, l, n;

	for (l = 0; l < ARRAY_SIZE(formats); l++) {
		n = edges(formats[l], v);
		ASSERT_EQ(360, n);
		for (i = 0; i < n; i++) {
			for (k = 0; k < n; k++)
				ASSERT_EQ(0, compare(formats[l], v[i], v[k]));
		}
	}
}

/* ---- Random values -------------------------------------------------------------- */

/* A fraction of random bits, of few high ones, or of rows of equal bits. */
static u64 random_frac(const struct weft_float *f)
{
	u64 r = weft_random(), bits = weft_random();

	switch (r % 4) {
	case 0:
		bits <<= (r >> 8) % 64;
		break;
	case 1:
		bits = (~0ULL << (r >> 8) % 64) ^ (~0ULL << (r >> 16) % 64) ^ (r >> 24 & 1);
		break;
	}
	return bits & ((1ULL << f->frac) - 1);
}

/* Any value, or one with an exponent near @near. */
static u64 random_value(const struct weft_float *f, bool any, s32 near)
{
	u64 r = weft_random();
	s32 exp = r % (f->exp_max + 1);

	if (!any)
		exp = clamp_t(s32, near + (s32)(r % (2 * f->frac + 8)) - f->frac - 4, 0,
			      f->exp_max);
	return (u64)exp << f->frac | random_frac(f) | (r >> 63 ? f->sign : 0);
}

/*
 * Half of the second values have an exponent near that of the first one, where sums are rounded, or
 * one with which the product is near the smallest number.
 */
static void random_pair(const struct weft_float *f, u64 *a, u64 *b)
{
	u64 r = weft_random();
	s32 exp;

	*a = random_value(f, true, 0);
	exp = (*a & (f->sign - 1)) >> f->frac;
	*b = random_value(f, r & 1, r & 2 ? exp : f->exp_max / 2 - exp);
}

TEST(softfloat__random)
{
	u64 seed = tr_first("softfloat__random", 1), a, b;
	u64 last = tr_last("softfloat__random", 1, RUNS);
	u32 i, l;

	for (; seed <= last; seed++) {
		weft_host_seed(seed);
		for (l = 0; l < ARRAY_SIZE(formats); l++) {
			for (i = 0; i < PAIRS; i++) {
				random_pair(formats[l], &a, &b);
				ASSERT_EQ(0, compare(formats[l], a, b)) TH_LOG("seed %llu", seed);
			}
		}
	}
}

/* ---- What the unit leaves open -------------------------------------------------- */

/* The first NaN is the result, made quiet; an invalid operation gives the positive one. */
TEST(softfloat__which_nan)
{
	u32 l;

	for (l = 0; l < ARRAY_SIZE(formats); l++) {
		const struct weft_float *f = formats[l];
		u64 inf = f->inf, quiet = 1ULL << (f->frac - 1);
		u64 one = inf | quiet | 5, loud = inf | f->sign | 9, none = inf | quiet;

		EXPECT_EQ(one, weft_float_add(f, one, loud));
		EXPECT_EQ(loud | quiet, weft_float_add(f, loud, one));
		EXPECT_EQ(loud | quiet, weft_float_add(f, f->one, loud));
		EXPECT_EQ(loud | quiet, weft_float_add(f, loud, inf));
		EXPECT_EQ(one, weft_float_mul(f, one, loud));
		EXPECT_EQ(loud | quiet, weft_float_mul(f, loud, one));
		EXPECT_EQ(loud | quiet, weft_float_mul(f, 0, loud));
		EXPECT_EQ(none, weft_float_add(f, inf, inf | f->sign));
		EXPECT_EQ(none, weft_float_add(f, inf | f->sign, inf));
		EXPECT_EQ(none, weft_float_mul(f, inf, 0));
		EXPECT_EQ(none, weft_float_mul(f, f->sign, inf));
	}
}

TEST(softfloat__formats)
{
	EXPECT_EQ(of_float(1), weft_float32.one);
	EXPECT_EQ(of_double(1), weft_float64.one);
	EXPECT_EQ(of_float(__builtin_inff()), weft_float32.inf);
	EXPECT_EQ(of_double(__builtin_inf()), weft_float64.inf);
	EXPECT_EQ(of_float(-0.0f), weft_float32.sign);
	EXPECT_EQ(of_double(-0.0), weft_float64.sign);
}

/* ---- Complex values ------------------------------------------------------------- */

static u64 complex_of(u64 re, u64 im)
{
	const u32 part[2] = { re, im };
	u64 a;

	memcpy(&a, part, sizeof(a));
	return a;
}

static u64 part_of(u64 a, u32 i)
{
	u32 part[2];

	memcpy(part, &a, sizeof(part));
	return part[i];
}

/* Differences of a complex value */
static u32 parts_differ(const char *op, u64 a, u64 b, u64 re, u64 im, u64 got)
{
	return differs(&weft_float32, op, a, b, re, part_of(got, 0)) +
	       differs(&weft_float32, op, a, b, im, part_of(got, 1));
}

/* Each product and each sum is rounded: they are calls of functions. */
static u32 compare_complex(u64 a, u64 b)
{
	const struct weft_float *f = &weft_float32;
	u64 ar = part_of(a, 0), ai = part_of(a, 1), br = part_of(b, 0), bi = part_of(b, 1);
	bool same = unit_relation(f, ar, br) & unit_relation(f, ai, bi) & WEFT_REL_EQ;
	/* minus @ai: multiplication rounds both signs in the same way */
	u64 re = unit_add(f, unit_mul(f, ar, br), unit_mul(f, ai ^ f->sign, bi));
	u64 im = unit_add(f, unit_mul(f, ar, bi), unit_mul(f, ai, br));

	return parts_differ("(complex) +", a, b, unit_add(f, ar, br), unit_add(f, ai, bi),
			    weft_complex_add(a, b)) +
	       parts_differ("(complex) *", a, b, re, im, weft_complex_mul(a, b)) +
	       (weft_complex_relation(a, b) != (same ? WEFT_REL_EQ : WEFT_REL_UN));
}

TEST(softfloat__complex)
{
	u64 v[EDGES], a[2], b[2];
	u32 i, k, n = edges(&weft_float32, v);

	for (i = 0; i < n; i++) {
		for (k = 0; k < n; k++) {
			ASSERT_EQ(0, compare_complex(complex_of(v[i], v[k]),
						     complex_of(v[k], v[i])));
			ASSERT_EQ(0, compare_complex(complex_of(v[i], v[k]),
						     complex_of(v[i], v[k] ^ weft_float32.sign)));
			ASSERT_EQ(0, compare_complex(complex_of(v[i], v[k]),
						     complex_of(v[i], v[k])));
		}
	}
	weft_host_seed(7);
	for (i = 0; i < PAIRS; i++) {
		random_pair(&weft_float32, &a[0], &b[0]);
		random_pair(&weft_float32, &a[1], &b[1]);
		ASSERT_EQ(0, compare_complex(complex_of(a[0], a[1]), complex_of(b[0], b[1])));
	}
	/* (1 + 2i)(3 + 4i) = -5 + 10i: the real part is at the lower address */
	EXPECT_EQ(complex_of(of_float(-5), of_float(10)),
		  weft_complex_mul(complex_of(of_float(1), of_float(2)),
				   complex_of(of_float(3), of_float(4))));
}

TEST_HARNESS_MAIN
