// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - arithmetic of IEEE 754-2008 by integers
 *
 * Numbers in brackets are sections of IEEE 754-2008. Functions without locks and without state.
 *
 * Sums and products are computed on a significand of 63 bits. The format's bits are on top; below
 * them at least ten more bits say what rounding has to know of an exact result. The lowest bit is
 * sticky: it is set if any bit that was shifted out was set.
 */
#include "core/rma/softfloat.h"

#define FORMAT(exp_bits, frac_bits) {						\
	.frac = (frac_bits),							\
	.exp_max = (1 << (exp_bits)) - 1,					\
	.sign = 1ULL << ((exp_bits) + (frac_bits)),				\
	.inf = ((1ULL << (exp_bits)) - 1) << (frac_bits),			\
	.quiet = 1ULL << ((frac_bits) - 1),					\
	.one = ((1ULL << ((exp_bits) - 1)) - 1) << (frac_bits),			\
}

/* table 3.5 */
const struct weft_float weft_float32 = FORMAT(8, 23);
const struct weft_float weft_float64 = FORMAT(11, 52);

/**
 * struct number - a finite number: (-1)^sign * sig * 2^(exp - bias - LEAD)
 * @sig: significand, bit LEAD is the highest one; 0: the number is zero
 * @exp: biased exponent; below 1 for numbers that are subnormal
 * @sign: 1: negative
 */
struct number {
	u64 sig;
	s32 exp;
	u8 sign;
};

#define LEAD	62

/* ---- Encodings (3.4) ------------------------------------------------------------ */

/* The encoding without its sign: its integer order is that of the magnitudes. */
static u64 magnitude(const struct weft_float *f, u64 a)
{
	return a & (f->sign - 1);
}

static bool is_nan(const struct weft_float *f, u64 a)
{
	return magnitude(f, a) > f->inf;
}

static bool is_inf(const struct weft_float *f, u64 a)
{
	return magnitude(f, a) == f->inf;
}

/* The result of an invalid operation (7.2) */
static u64 default_nan(const struct weft_float *f)
{
	return f->inf | f->quiet;
}

/* The result if one of the operands is a NaN (6.2.3) */
static u64 take_nan(const struct weft_float *f, u64 a, u64 b)
{
	return (is_nan(f, a) ? a : b) | f->quiet;
}

static struct number unpack(const struct weft_float *f, u64 a)
{
	u64 frac = a & ((1ULL << f->frac) - 1);
	struct number x = {
		.exp = magnitude(f, a) >> f->frac,
		.sign = !!(a & f->sign),
	};

	if (x.exp) {
		x.sig = (frac | 1ULL << f->frac) << (LEAD - f->frac);
	} else if (frac) {
		/* subnormal: no leading bit, and the exponent of 1 (3.4 d) */
		s32 up = LEAD + 1 - fls64(frac);

		x.sig = frac << up;
		x.exp = 1 + LEAD - f->frac - up;
	}
	return x;
}

/* ---- Rounding ------------------------------------------------------------------- */

static u64 shift_sticky(u64 sig, u32 n)
{
	if (!n)
		return sig;
	if (n > LEAD)
		return sig != 0;
	return (sig >> n) | (sig << (64 - n) ? 1 : 0);
}

/* Round a number that is not zero to nearest, ties to even (4.3.1). Return: its encoding. */
static u64 pack(const struct weft_float *f, struct number x)
{
	u32 drop = LEAD - f->frac;
	u64 sign = x.sign ? f->sign : 0, half = 1ULL << (drop - 1), rest, a;

	/* overflow is infinity (7.4 a); rounding may lead there, too */
	if (x.exp >= f->exp_max)
		return sign | f->inf;
	/* a subnormal number has bits of the lowest exponent only (7.5) */
	if (x.exp < 1) {
		x.sig = shift_sticky(x.sig, 1 - x.exp);
		x.exp = 1;
	}
	rest = x.sig & (2 * half - 1);
	/* the leading bit, if there is one, adds 1 to the exponent; so does a carry */
	a = ((u64)(x.exp - 1) << f->frac) + (x.sig >> drop);
	if (rest > half || (rest == half && (a & 1)))
		a++;
	return sign | a;
}

/* ---- Arithmetic (5.4.1) --------------------------------------------------------- */

/**
 * weft_float_add - add two values
 * @f: their format
 * @a: a value
 * @b: a value
 *
 * Return: a + b.
 */
u64 weft_float_add(const struct weft_float *f, u64 a, u64 b)
{
	struct number x, y;

	if (is_nan(f, a) || is_nan(f, b))
		return take_nan(f, a, b);
	if (magnitude(f, a) < magnitude(f, b))
		swap(a, b);
	if (is_inf(f, a)) {
		/* infinities of both signs: invalid (7.2 d); else exact (6.1) */
		return is_inf(f, b) && a != b ? default_nan(f) : a;
	}
	x = unpack(f, a);
	y = unpack(f, b);
	/* a sum of zeros keeps a common sign, and is +0 otherwise (6.3) */
	if (!y.sig)
		return x.sig || x.sign == y.sign ? a : 0;
	y.sig = shift_sticky(y.sig, x.exp - y.exp);
	if (x.sign == y.sign) {
		x.sig += y.sig;
		if (x.sig >> (LEAD + 1)) {
			x.sig = shift_sticky(x.sig, 1);
			x.exp++;
		}
	} else {
		s32 up;

		x.sig -= y.sig;
		if (!x.sig)
			return 0;	/* an exact zero difference is +0 (6.3) */
		/* by more than one place only if no bit was shifted out above */
		up = LEAD + 1 - fls64(x.sig);
		x.sig <<= up;
		x.exp -= up;
	}
	return pack(f, x);
}

/**
 * weft_float_mul - multiply two values
 * @f: their format
 * @a: a value
 * @b: a value
 *
 * Return: a * b.
 */
u64 weft_float_mul(const struct weft_float *f, u64 a, u64 b)
{
	u64 sign = (a ^ b) & f->sign;	/* 6.3 */
	struct number x, y;
	u64 low;

	if (is_nan(f, a) || is_nan(f, b))
		return take_nan(f, a, b);
	if (is_inf(f, a) || is_inf(f, b)) {
		/* 0 * infinity: invalid (7.2 b); else exact (6.1) */
		return magnitude(f, a) && magnitude(f, b) ? sign | f->inf : default_nan(f);
	}
	x = unpack(f, a);
	y = unpack(f, b);
	if (!x.sig || !y.sig)
		return sign;
	x.sign = sign != 0;
	x.exp += y.exp - f->exp_max / 2;
	/* the upper 64 of 128 bits: the highest one is LEAD or LEAD - 1 */
	low = (x.sig << 1) * y.sig;
	x.sig = mul_u64_u64_shr(x.sig << 1, y.sig, 64);
	if (x.sig >> LEAD)
		x.exp++;
	else
		x.sig <<= 1;
	x.sig |= low != 0;
	return pack(f, x);
}

/**
 * weft_float_relation - compare two values
 * @f: their format
 * @a: a value
 * @b: a value
 *
 * Return: the relation of @a to @b, a WEFT_REL_*.
 */
u8 weft_float_relation(const struct weft_float *f, u64 a, u64 b)
{
	if (is_nan(f, a) || is_nan(f, b))
		return WEFT_REL_UN;
	if (a == b || !magnitude(f, a | b))
		return WEFT_REL_EQ;
	/* with a sign in either value, the order of the encodings is the opposite one */
	return (a < b) == !((a | b) & f->sign) ? WEFT_REL_LT : WEFT_REL_GT;
}

/* ---- Complex values ------------------------------------------------------------- */

/* Two parts, at the addresses that C gives them */
union pair {
	u64 both;
	u32 part[2];
};

/**
 * weft_complex_add - add two complex values
 * @a: a value
 * @b: a value
 *
 * Return: a + b.
 */
u64 weft_complex_add(u64 a, u64 b)
{
	union pair x = { .both = a }, y = { .both = b };

	x.part[0] = weft_float_add(&weft_float32, x.part[0], y.part[0]);
	x.part[1] = weft_float_add(&weft_float32, x.part[1], y.part[1]);
	return x.both;
}

/**
 * weft_complex_mul - multiply two complex values
 * @a: a value
 * @b: a value
 *
 * The usual formula, each operation rounded. C permits it by the pragma CX_LIMITED_RANGE. Where
 * parts are infinite, it may give NaNs; the default of C would give an infinity.
 * Return: a * b.
 */
u64 weft_complex_mul(u64 a, u64 b)
{
	const struct weft_float *f = &weft_float32;
	union pair x = { .both = a }, y = { .both = b }, z;

	z.part[0] = weft_float_add(f, weft_float_mul(f, x.part[0], y.part[0]),
				   weft_float_mul(f, x.part[1], y.part[1]) ^ f->sign);
	z.part[1] = weft_float_add(f, weft_float_mul(f, x.part[0], y.part[1]),
				   weft_float_mul(f, x.part[1], y.part[0]));
	return z.both;
}

/**
 * weft_complex_relation - compare two complex values
 * @a: a value
 * @b: a value
 *
 * Return: WEFT_REL_EQ if both parts are equal, else WEFT_REL_UN.
 */
u8 weft_complex_relation(u64 a, u64 b)
{
	union pair x = { .both = a }, y = { .both = b };

	if (weft_float_relation(&weft_float32, x.part[0], y.part[0]) == WEFT_REL_EQ &&
	    weft_float_relation(&weft_float32, x.part[1], y.part[1]) == WEFT_REL_EQ)
		return WEFT_REL_EQ;
	return WEFT_REL_UN;
}
