/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - arithmetic of IEEE 754-2008 by integers
 *
 * A value is the integer that has its encoding; those of binary32 use the low 32 bits. Kernel code
 * must not use the processor's unit, whose registers belong to programs.
 *
 * Results have the rounding roundTiesToEven (4.3.1), with subnormal numbers. No status flags are
 * raised. A NaN result is quiet (6.2): the first operand that is a NaN, with its quiet bit set; for
 * operands without NaN the positive one with no further bit of the fraction.
 */
#ifndef WEFT_SOFTFLOAT_H
#define WEFT_SOFTFLOAT_H

#include "core/base/env.h"

/**
 * struct weft_float - an interchange format (3.4)
 * @frac: bits of the fraction: the significand without its leading bit
 * @exp_max: biased exponent of infinities and NaNs; half of it is the bias
 * @sign: bit of the sign
 * @inf: positive infinity; NaNs have the same exponent and another fraction
 * @quiet: bit of the fraction that is set in quiet NaNs (6.2.1)
 * @one: the value 1
 */
struct weft_float {
	s32 frac;
	s32 exp_max;
	u64 sign;
	u64 inf;
	u64 quiet;
	u64 one;
};

extern const struct weft_float weft_float32;	/* binary32 */
extern const struct weft_float weft_float64;	/* binary64 */

/* Relations of two values; exactly one of them holds (5.11). Bits, so that a set can be named. */
#define WEFT_REL_LT	1	/* the first one is less */
#define WEFT_REL_EQ	2	/* also for zeros of both signs */
#define WEFT_REL_GT	4	/* the first one is greater */
#define WEFT_REL_UN	8	/* unordered: at least one is a NaN */

u64 weft_float_add(const struct weft_float *f, u64 a, u64 b);
u64 weft_float_mul(const struct weft_float *f, u64 a, u64 b);
u8 weft_float_relation(const struct weft_float *f, u64 a, u64 b);

/*
 * Complex values: pairs of binary32 with the layout of a C array, the real part at the lower
 * address.
 */
u64 weft_complex_add(u64 a, u64 b);
u64 weft_complex_mul(u64 a, u64 b);
u8 weft_complex_relation(u64 a, u64 b);

#endif
