/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * TAP for the test programs of the test machine. A case is a function that returns whether all its
 * CHECK()s held; a CHECK() that fails prints why.
 */
#ifndef WEFT_CHECK_H
#define WEFT_CHECK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Print that @what is wrong in this file and line. Return: false. */
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
 * @name: name in the result
 * @run: the case. Return: all checks held
 */
struct check {
	const char *name;
	bool (*run)(void);
};

/* Run cases and print their results; @after each of them. @where: as in result(). */
void checks_run(const struct check *cases, size_t n, const char *where, void (*after)(void));
/* The same within a node and then, if there are two, between nodes: *@apart is set then. */
void checks_run_everywhere(const struct check *cases, size_t n, bool *apart, void (*after)(void));

/* Monotonic time in milliseconds. */
uint64_t now_ms(void);

/* Enter the network namespace of node 0 or 1. Exits if there is none. */
void node_enter(int node);

/* Return: both nodes are the same one (LINK=loop). */
bool nodes_are_one(void);

/* Bytes that depend on @seed and their offset; and the check that they are there. */
void pattern_fill(void *buf, size_t len, uint32_t seed);
bool pattern_is(const void *buf, size_t len, uint32_t seed);

/* Return: all bytes have this value. */
bool all_bytes(const void *buf, size_t len, uint8_t value);

#endif
