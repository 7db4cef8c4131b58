/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The clock that a measurement reads before and after, and its samples
 *
 * An emulator that counts instructions (-icount shift=N) derives the time-stamp counter from them.
 * The counter advances by 2^N for each executed instruction, of any program. While the processor is
 * idle it advances with real time. BENCH_ICOUNT=N says so: samples are instructions then, without
 * idle time. Else samples are nanoseconds of CLOCK_MONOTONIC.
 *
 * The clock also sets the profiler's marks (profile.h). The profiler counts between them. Otherwise
 * they are instructions that do nothing.
 */
#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct span - a stretch of time
 * @from: its beginning: instructions or nanoseconds
 * @idle: idle time before it (instructions only)
 */
struct span {
	uint64_t from;
	uint64_t idle;
};

/* Read BENCH_ICOUNT. Return: "insn" or "ns". */
const char *clock_init(void);
void clock_start(struct span *s);
/* Return: instructions or nanoseconds since clock_start(), without idle time. */
double clock_stop(const struct span *s);

/* Compute for so long, and do nothing else. */
void clock_spin(double amount);

/*
 * Run loops with a known number of instructions and count them (instructions only). Return: counted
 * / known, the smallest of several short loops, so that no interrupt counts. @whole: of a long
 * loop, with the timer's interrupts.
 */
double clock_calibrate(double *whole);

#endif
