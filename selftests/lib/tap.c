// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tap.h"

FILE *tap_to;
int test_ok;

int tap_run(const struct test *tests, unsigned int count, void (*before)(void),
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
