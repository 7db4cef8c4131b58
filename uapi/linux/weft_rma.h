/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * weft - remote memory access
 *
 * Operations and element types of atomic operations. The values are those of enum fi_op and enum
 * fi_datatype in libfabric's <rdma/fi_domain.h>, whose manual page fi_atomic(3) defines them. A
 * value that is not named here is not supported.
 */
#ifndef _UAPI_LINUX_WEFT_RMA_H
#define _UAPI_LINUX_WEFT_RMA_H

#include <linux/types.h>

#define WEFT_ATOMIC_MAX_COUNT	1024	/* elements of an operation */
#define WEFT_ATOMIC_MAX_BYTES	8192	/* bytes of all its elements */

/* Kinds of operations */
#define WEFT_ATOMIC_BASE	0	/* no result */
#define WEFT_ATOMIC_FETCH	1	/* the results are the initial values */
#define WEFT_ATOMIC_COMPARE	2	/* the same, and there are compare operands */

/*
 * Field @data of an entry WEFT_SQ_ATOMIC. All elements have one type. Operands are the payload of
 * the entry, or its segments. Compare operands follow them in the payload, or have own segments.
 */
#define WEFT_ATOMIC_OP(data)	((__u8)(data))		/* WEFT_AOP_* */
#define WEFT_ATOMIC_TYPE(data)	((__u8)((data) >> 8))	/* WEFT_ATYPE_* */
#define WEFT_ATOMIC_KIND(data)	((__u8)((data) >> 16))	/* WEFT_ATOMIC_BASE, ... */
#define WEFT_ATOMIC_NCMP(data)	((__u8)((data) >> 24))	/* segments of compare operands */
#define WEFT_ATOMIC_NRES(data)	((__u8)((data) >> 32))	/* segments of results */
#define WEFT_ATOMIC_DATA(op, type, kind, ncmp, nres) \
	((__u64)(op) | (__u64)(type) << 8 | (__u64)(kind) << 16 | (__u64)(ncmp) << 24 | \
	 (__u64)(nres) << 32)

/* Operations. T is the target, B the operand and C the compare operand of an element. */
#define WEFT_AOP_MIN		0	/* if (B < T) T = B */
#define WEFT_AOP_MAX		1	/* if (B > T) T = B */
#define WEFT_AOP_SUM		2	/* T = T + B; integers wrap */
#define WEFT_AOP_PROD		3	/* T = T * B; integers wrap */
#define WEFT_AOP_LOR		4	/* T = T || B: 0 or 1 */
#define WEFT_AOP_LAND		5	/* T = T && B: 0 or 1 */
#define WEFT_AOP_BOR		6	/* T = T | B */
#define WEFT_AOP_BAND		7	/* T = T & B */
#define WEFT_AOP_LXOR		8	/* T = !T != !B: 0 or 1 */
#define WEFT_AOP_BXOR		9	/* T = T ^ B */
#define WEFT_AOP_READ		10	/* there is no operand */
#define WEFT_AOP_WRITE		11	/* T = B */
#define WEFT_AOP_CSWAP		12	/* if (C == T) T = B */
#define WEFT_AOP_CSWAP_NE	13	/* if (C != T) T = B */
#define WEFT_AOP_CSWAP_LE	14	/* if (C <= T) T = B */
#define WEFT_AOP_CSWAP_LT	15	/* if (C < T) T = B */
#define WEFT_AOP_CSWAP_GE	16	/* if (C >= T) T = B */
#define WEFT_AOP_CSWAP_GT	17	/* if (C > T) T = B */
#define WEFT_AOP_MSWAP		18	/* T = (B & C) | (T & ~C) */

/* Types of elements, in the byte order of the target's node */
#define WEFT_ATYPE_INT8			0
#define WEFT_ATYPE_UINT8		1
#define WEFT_ATYPE_INT16		2
#define WEFT_ATYPE_UINT16		3
#define WEFT_ATYPE_INT32		4
#define WEFT_ATYPE_UINT32		5
#define WEFT_ATYPE_INT64		6
#define WEFT_ATYPE_UINT64		7
#define WEFT_ATYPE_FLOAT		8	/* IEEE 754 binary32 */
#define WEFT_ATYPE_DOUBLE		9	/* IEEE 754 binary64 */
#define WEFT_ATYPE_FLOAT_COMPLEX	10	/* two binary32: real part, imaginary part */

/* Bytes of an element, also its alignment at the target; 0: the type is not supported. */
#define WEFT_ATYPE_SIZE(type) \
	((type) > WEFT_ATYPE_FLOAT_COMPLEX ? 0u : (__u32)(0x88488442211ull >> 4 * (type)) & 15u)

/* Sets of operations: bit 1 << WEFT_AOP_* */
#define WEFT_AOPS_BASE		0x0bffu	/* MIN to BXOR, WRITE */
#define WEFT_AOPS_READ		0x0400u
#define WEFT_AOPS_COMPARE	0x7f000u	/* CSWAP to MSWAP */
#define WEFT_AOPS_BITS		0x402c0u	/* BOR, BAND, BXOR, MSWAP */
#define WEFT_AOPS_COMPLEX	0x3c0cu	/* SUM, PROD, READ, WRITE, CSWAP, CSWAP_NE */

/* Operations of a kind, and of a type; complex values have no order. */
#define WEFT_ATOMIC_AOPS(kind) \
	((kind) == WEFT_ATOMIC_BASE ? WEFT_AOPS_BASE : \
	 (kind) == WEFT_ATOMIC_FETCH ? WEFT_AOPS_BASE | WEFT_AOPS_READ : \
	 (kind) == WEFT_ATOMIC_COMPARE ? WEFT_AOPS_COMPARE : 0u)
#define WEFT_ATYPE_AOPS(type) \
	((type) < WEFT_ATYPE_FLOAT ? WEFT_AOPS_BASE | WEFT_AOPS_READ | WEFT_AOPS_COMPARE : \
	 (type) <= WEFT_ATYPE_DOUBLE ? (WEFT_AOPS_BASE | WEFT_AOPS_READ | WEFT_AOPS_COMPARE) & \
				       ~WEFT_AOPS_BITS : \
	 (type) == WEFT_ATYPE_FLOAT_COMPLEX ? WEFT_AOPS_COMPLEX : 0u)
/* Not 0 if the operation is supported */
#define WEFT_ATOMIC_VALID(kind, op, type) \
	((op) < 32u ? (WEFT_ATOMIC_AOPS(kind) & WEFT_ATYPE_AOPS(type)) >> (op) & 1u : 0u)

#endif
