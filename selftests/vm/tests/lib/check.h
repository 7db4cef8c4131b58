/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * TAP for the test programs that run in the test machine: a case is a function that returns whether
 * all was as it should be, made of CHECK()s that say what was not.
 */
#ifndef WEFT_CHECK_H
#define WEFT_CHECK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Say that @what is wrong in this file and line. Return: false. */
bool check_failed(const char *file, int line, const char *what);

/* Return from the case if @x does not hold. */
#define CHECK(x)                                                                                   \
	do {                                                                                       \
		if (!(x) && !check_failed(__FILE__, __LINE__, #x))                                 \
			return false;                                                              \
	} while (0)

/* Return from the case if two numbers differ, and print both. */
bool check_same(const char *file, int line, const char *what, long long got, long long want);
#define CHECK_EQ(got, want)                                                                        \
	do {                                                                                       \
		if (!check_same(__FILE__, __LINE__, #got, (long long)(got), (long long)(want)))    \
			return false;                                                              \
	} while (0)

/* Print the result of a case. Return: @ok. */
bool result(bool ok, const char *name, const char *where);

/* Print the plan. Return: exit status of the program. */
int results_end(void);

/**
 * struct check - a case
 * @name: what the result says
 * @run: whether all was as it should be
 */
struct check {
	const char *name;
	bool (*run)(void);
};

/* Run cases and print their results; @after each of them. @where: as in result(). */
void checks_run(const struct check *cases, size_t n, const char *where, void (*after)(void));
/* The same within a node and then, unless there is one only, between nodes: *@apart says so. */
void checks_run_everywhere(const struct check *cases, size_t n, bool *apart, void (*after)(void));

/* Monotonic time in milliseconds. */
uint64_t now_ms(void);

/* Enter the network namespace of node 0 or 1. Exits if there is none. */
void node_enter(int node);

/* Are both nodes the same one (LINK=loop)? */
bool nodes_are_one(void);

/* Bytes that depend on @seed and their offset; and the look whether they are there. */
void pattern_fill(void *buf, size_t len, uint32_t seed);
bool pattern_is(const void *buf, size_t len, uint32_t seed);

/* Do all of the bytes have this value? */
bool all_bytes(const void *buf, size_t len, uint8_t value);

#endif
