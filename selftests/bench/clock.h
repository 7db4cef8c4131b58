/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a measurement reads before and after, and its samples.
 *
 * In an emulator that counts instructions (-icount shift=N) the processor's time-stamp counter is
 * the emulator's clock: it advances by 2^N for each instruction executed, whoever executes it, and
 * with real time while the processor is idle. BENCH_ICOUNT=N says so; samples are instructions
 * then, with idle time taken off. Else samples are nanoseconds of CLOCK_MONOTONIC.
 *
 * A profiler that looks for them (profile.h) counts between marks that stand here, too; to
 * everybody else they are instructions that do nothing.
 */
#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct span - a stretch of time
 * @from: where it began: instructions or nanoseconds
 * @idle: what was idle before it (instructions only)
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
 * Run loops whose instructions are known and count them (instructions only). Return: counted /
 * known, the smallest of several short loops, which no interrupt hit; @whole: of a long one, with
 * what the timer takes.
 */
double clock_calibrate(double *whole);

#endif
