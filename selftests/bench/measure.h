/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The measurements. Each prints a record, a line of fields that are separated by tabs:
 *
 *   R peer form measure parameter unit sample...
 *
 * Samples are counts (unit "insn" or "ns") for one message; those of "overlap" are shares.
 *
 *   latency    half a round trip; parameter: bytes
 *   burst      the same with BURST messages each way, each without FI_MORE; bytes
 *   ready      one way, the receive posted before the message; bytes
 *   late       one way, the receive posted when the message has arrived; bytes
 *   counts     system calls and packets of a message: records "calls", "packets"; bytes
 *   burstcounts the same in bursts: "burstcalls", "burstpackets"; bytes
 *   softirq    the part of "latency" that is done in softirq, estimated from ticks; bytes
 *   stored     bytes that the processor stores for each byte delivered ("run" adds it); bytes
 *   rate       one way, RATE_WINDOW messages under way; bytes
 *   bandwidth  one way, BANDWIDTH_WINDOW messages under way; bytes
 *   more       one way, so many messages of which all but the last say FI_MORE
 *   posted     one way, with so many receives posted that match exactly, this one among them
 *   unexpected one way, the receive posted last, while so many messages wait for theirs
 *   shared     one way, to so many connected endpoints in turn that share their receives
 *   write      a write, until the other end has it, by turns; bytes
 *   writes     the same in bursts of so many writes of 8 bytes, of which all but the last say
 *              FI_MORE, until the other end has all
 *   read       a read, by turns; bytes
 *   fetch      an atomic operation with a result, by turns; bytes
 *   register   registration of memory that is not resident; bytes
 *   overlap    the share of a transfer that happens while the receiver computes; bytes
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "pair.h"
#include "two.h"

#define INJECT_MAX	 64 /* messages up to this length are injected: all providers can do that */
#define BURST		 32
#define RATE_WINDOW	 64
#define BANDWIDTH_WINDOW 8
#define MAX_SAMPLES	 64

/**
 * struct plan - what is common to all measurements of a run
 * @label: name of the peer in records
 * @form: "one" thread, "two" processes, or "hosts": a process on each of two machines
 * @unit: of samples
 * @reps: samples of each measurement, at most MAX_SAMPLES
 * @scale: percentage of the usual number of messages in a sample
 */
struct plan {
	const char *label;
	const char *form;
	const char *unit;
	int reps;
	int scale;
};

/* Print the number of messages of a sample, for the profiler: a line "P", number. */
void record_messages(int n);

/* Print a record. */
void record(const struct plan *plan, const char *measure, size_t param, const double *samples);
/* The same for samples of another unit */
void record_as(const struct plan *plan, const char *measure, size_t param, const char *unit,
	       const double *samples);
/* Messages of a sample: fewer if they are large. */
int plan_iters(const struct plan *plan, size_t size);
/* Round trips of a sample, in bursts of so many. */
int plan_turns(const struct plan *plan, size_t size, int burst);
/* The measure of these round trips. */
const char *turns_name(int burst);

/* Both ends in one thread. */
void one_turns(const struct plan *plan, struct pair *p, size_t size, int burst);
void one_stream(const struct plan *plan, struct pair *p, size_t size, int under_way);
void one_more(const struct plan *plan, struct pair *p, int size);
void one_counts(const struct plan *plan, struct pair *p, size_t size, int burst);
void one_softirq(const struct plan *plan, struct pair *p, size_t size);
void one_order(const struct plan *plan, struct pair *p, size_t size, bool early);
void one_match(const struct plan *plan, struct pair *p, int others, bool posted);
/* One-sided operations. The ends have side_opts.onesided. */
void one_writes(const struct plan *plan, struct pair *p, size_t size, int burst);
void one_gets(const struct plan *plan, struct pair *p, size_t size, bool fetch);
void one_register(const struct plan *plan, struct pair *p, size_t size);
/* The same, with ends of its own. */
void one_shared(const struct plan *plan, const struct side_opts *ends, size_t endpoints);

/* Two processes; called in both. */
void two_turns(const struct plan *plan, struct two *t, size_t size, int burst);
void two_stream(const struct plan *plan, struct two *t, size_t size, int under_way);
void two_overlap(const struct plan *plan, struct two *t, size_t size);

/* Memory for messages, touched, at the start of a page. */
char *bench_buffer(size_t len);

#endif
