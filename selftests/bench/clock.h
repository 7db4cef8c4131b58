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
 * struct calibration - instructions counted / executed, in loops of known length
 * @least: the smallest of several short loops, so that no interrupt counts
 * @whole: a long loop, with the timer's interrupts
 * @idle: loops between sleeps: the processor is idle for at least as long as it is busy
 */
struct calibration {
	double least;
	double whole;
	double idle;
};

/* Run the loops and count their instructions (instructions only). */
void clock_calibrate(struct calibration *c);

#endif
