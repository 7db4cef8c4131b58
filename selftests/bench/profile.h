/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Marks that a program of the test machine sets and the emulator's profiler (profiler/) sees
 *
 * A mark is a no-operation of eight bytes whose displacement no other code uses.
 */
#ifndef BENCH_PROFILE_H
#define BENCH_PROFILE_H

#define PROFILE_BEGIN 0x77656601
#define PROFILE_END   0x77656602

/* nopl DISPLACEMENT(%rax,%rax,1): 0f 1f 84 00, then the displacement, lowest byte first */
#define PROFILE_MARK(what) \
	__asm__ volatile(".byte 0x0f, 0x1f, 0x84, 0x00; .long %c0" : : "i"(what) : "memory")

#endif
