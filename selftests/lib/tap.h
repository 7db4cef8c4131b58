/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The tests of one program, one after the other. TAP on what stdout was at the beginning. */
#ifndef WEFT_TAP_H
#define WEFT_TAP_H

#include <stdio.h>

static FILE *tap_to;		/* the real stdout */
static int test_ok;

#define CHECK(cond)	do {							\
	if (!(cond)) {								\
		fprintf(tap_to, "# line %d: %s\n", __LINE__, #cond);		\
		test_ok = 0;							\
	}									\
} while (0)

/**
 * struct test - a test
 * @name: what is tested
 * @run: the test: says CHECK() of what has to hold
 */
struct test {
	const char *name;
	void (*run)(void);
};

/* Run all. @before, @after: around each, optional. Return: status of the program. */
static int tap_run(const struct test *tests, unsigned int count, void (*before)(void),
		   void (*after)(void))
{
	unsigned int no, failed = 0;

	tap_to = stdout;
	fprintf(tap_to, "TAP version 13\n1..%u\n", count);
	for (no = 0; no < count; no++) {
		test_ok = 1;
		if (before)
			before();
		tests[no].run();
		if (after)
			after();
		failed += !test_ok;
		fprintf(tap_to, "%sok %u %s\n", test_ok ? "" : "not ", no + 1, tests[no].name);
	}
	return failed != 0;
}

#endif
