/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a measurement costs besides instructions: system calls, packets, work in softirq. */
#ifndef BENCH_COUNTERS_H
#define BENCH_COUNTERS_H

#include <stdint.h>
#include "side.h"

/**
 * struct counters - counted from any point on
 * @calls: system calls of this process
 * @packets: packets that the devices of both ends' namespaces have sent; one that is segmented
 *           later counts once
 * @softirq: ticks of the processor in softirq
 * @busy: ticks that are not idle
 */
struct counters {
	uint64_t calls;
	uint64_t packets;
	uint64_t softirq;
	uint64_t busy;
};

/* Read them; the first call begins to count the system calls. The reading counts, too. */
void counters_read(struct counters *c, struct side *const ends[2]);

#endif
