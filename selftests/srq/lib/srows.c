// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>
#include "srows.h"

bool apart;

int srows_times(int n)
{
	const char *times = getenv("WEFT_TIMES");

	return n * (times && atoi(times) > 0 ? atoi(times) : 1);
}

void srows_run(const struct srow *rows, size_t n, const char *where, void (*after)(void))
{
	bool ok = false;
	char name[256];
	size_t i;

	for (i = 0; i < n; i++) {
		if (!i || rows[i].run != rows[i - 1].run) {
			ok = rows[i].run();
			after();
		}
		snprintf(name, sizeof(name), "%s%s%s", rows[i].id ? rows[i].id : "",
			 rows[i].id ? ": " : "", rows[i].rule);
		result(ok, name, where);
	}
}

void srows_run_everywhere(const struct srow *rows, size_t n)
{
	apart = false;
	srows_run(rows, n, "within a node", dpair_close);
	if (nodes_are_one())
		return;
	apart = true;
	srows_run(rows, n, "between nodes", dpair_close);
}
