/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The tests of one program, one after the other. TAP on the original stdout. */
#ifndef WEFT_TAP_H
#define WEFT_TAP_H

#include <stdio.h>

extern FILE *tap_to;		/* the real stdout */
extern int test_ok;		/* this test has had no failure */

#define CHECK(cond)	do {							\
	if (!(cond)) {								\
		fprintf(tap_to, "# line %d: %s\n", __LINE__, #cond);		\
		test_ok = 0;							\
	}									\
} while (0)

/**
 * struct test - a test
 * @name: what is tested
 * @run: the test, with a CHECK() of each result
 */
struct test {
	const char *name;
	void (*run)(void);
};

/* Run all. @before, @after: around each, optional. Return: status of the program. */
int tap_run(const struct test *tests, unsigned int count, void (*before)(void),
	    void (*after)(void));

#endif
