/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Faults on demand, on a kernel that supports them (make check-debug)
 *
 * Allocations that weft makes, and copies from and to programs, fail. A walk runs a sequence of
 * calls again and again. Each run has another fault, until none is left.
 */
#ifndef WEFT_FAULTS_H
#define WEFT_FAULTS_H

#include <stdbool.h>
#include <stddef.h>

/* This run has an error; print it. Return: false. */
bool wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));
/*
 * Note that @call returned @err, 0 or a negative errno. An errno that does not mean a fault is
 * wrong.
 * Return: @err is 0.
 */
bool fine(const char *call, int err);

/**
 * struct walk - a sequence of calls
 * @name: short, to choose it by
 * @where: words in the result
 * @run: makes the calls; passes their results to fine()
 * @before: runs before each run, without faults; or NULL. Return: @run may run
 * @others: faults are in kernel threads, workers and softirqs, else in the program's own
 *	calls
 * @loops: most of the sequence is one loop, over a NIC's buffers: only some faults in the middle
 *         are
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
 * Body of a program that walks: each of @walks, or those that its arguments name. Return: exit
 * status; 4: this kernel does not support faults.
 */
int walks_run(const struct walk *walks, size_t n, int argc, char **argv);

#endif
