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

#define WEFT_ATOMIC_MAX_COUNT	1024	/* elements of an operation */
#define WEFT_ATOMIC_MAX_BYTES	8192	/* bytes of all its elements */

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

#endif
