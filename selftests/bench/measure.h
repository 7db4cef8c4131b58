/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The measurements. Each prints records, one a line, fields separated by tabs:
 *
 *   R peer form measure parameter unit per sample...
 *
 * A sample is a count (unit "insn" or "ns") for one message, or for one byte ("per" says which).
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "pair.h"

#define INJECT_MAX 64 /* what all providers can inject: messages up to here are */

/**
 * struct plan - what is common to all measurements of a run
 * @label: name of the peer in records
 * @form: "one" thread or "two" processes
 * @unit: of samples
 * @reps: samples of each measurement
 * @scale: of the number of messages of a sample, in percent
 */
struct plan {
	const char *label;
	const char *form;
	const char *unit;
	int reps;
	int scale;
};

/* Half a round trip of tagged messages of @size bytes, both ends in one thread. */
void measure_latency_one(const struct plan *plan, struct pair *p, size_t size);

/* Print a record. */
void record(const struct plan *plan, const char *measure, size_t param, const char *per,
	    const double *samples, int n);

/* Messages of a sample: fewer of large ones. */
int plan_iters(const struct plan *plan, size_t size);

#endif
