// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>
#include "check.h"
#include "engine_set.h"

bool engine_set(int node, const char *words)
{
	char cmd[160];

	snprintf(cmd, sizeof(cmd), "node %d weftctl port set weft%d %s", node, node, words);
	CHECK_EQ(system(cmd), 0);
	return true;
}

bool engine_set_all(const char *words)
{
	return engine_set(0, words) && (nodes_are_one() || engine_set(1, words));
}
