/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Conformance rows of shared receive queues: rules of dat_srq_post_recv(3DAT) and related pages,
 * each with the case that tests it
 *
 * A case that tests several rules is in several rows, one behind the other. The script
 * selftests/fi/table reads these tables. So they keep to one form: SROW(id, "sentence", function),
 * and ALSO("name", function) for a test of no such rule.
 */
#ifndef WEFT_SROWS_H
#define WEFT_SROWS_H

#include "dpair.h"

/**
 * struct srow - a rule and its case
 * @id: of the rule, NULL: none
 * @rule: in one sentence
 * @run: the case
 */
struct srow {
	const char *id;
	const char *rule;
	bool (*run)(void);
};

#define SROW(_id, _rule, _run)	{ .id = _id, .rule = _rule, .run = _run }
#define ALSO(_name, _run)	{ .rule = _name, .run = _run }
#define ARRAY_LEN(a)		(sizeof(a) / sizeof((a)[0]))

/* Return: the cases run between nodes. */
extern bool apart;

/* @n, or that many times WEFT_TIMES of the environment: for runs that may last. */
int srows_times(int n);

/* Run each case once, and print a result for each of its rows; @after each case. */
void srows_run(const struct srow *rows, size_t n, const char *where, void (*after)(void));
/* The same within a node, then between nodes if there are two; dpair_close() after each. */
void srows_run_everywhere(const struct srow *rows, size_t n);

#endif
