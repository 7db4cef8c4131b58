/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What libweft and the libfabric provider tell the compiler about frequent code. */
#ifndef _LIBWEFT_HINTS_H
#define _LIBWEFT_HINTS_H

#define weft_likely(x)		__builtin_expect(!!(x), 1)
#define weft_unlikely(x)	__builtin_expect(!!(x), 0)
#define WEFT_INLINED	static inline __attribute__((always_inline))

#endif
