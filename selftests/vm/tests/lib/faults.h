/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Faults on demand: allocations that weft makes, and copies from and to programs, fail, on a kernel
 * that does that (make check-debug); and sequences of calls that are walked: run again and again,
 * with another fault each time, until none was left to fail.
 */
#ifndef WEFT_FAULTS_H
#define WEFT_FAULTS_H

#include <stdbool.h>
#include <stddef.h>

/* This run is not as it should be; say why. Return: false. */
bool wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));
/*
 * Note that @call has said @err, 0 or a negative errno; one that does not mean a fault is wrong.
 * Return: there was none.
 */
bool fine(const char *call, int err);

/**
 * struct walk - a sequence of calls
 * @name: short, to choose it by
 * @where: what the result says
 * @run: calls; what they said went to fine()
 * @before: what is done before each run, without faults; NULL: nothing. Return: @run may run
 * @others: what fails is what kernel threads, workers and softirqs do, else what the program's own
 *	calls do
 * @loops: most of it is one loop, over a NIC's buffers: of the faults in the middle only some are
 *	walked
 */
struct walk {
	const char *name;
	const char *where;
	void (*run)(void);
	bool (*before)(void);
	bool others;
	bool loops;
};

/*
 * What a program is that walks: each of @walks, or those that its arguments name. Return: exit
 * status; 4: this kernel does not fail on demand.
 */
int walks_run(const struct walk *walks, size_t n, int argc, char **argv);

#endif
