// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What looks.h says. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "check.h"
#include "looks.h"

#define LEFT_MS 20000

long long port_attr(int node, const char *name)
{
	char cmd[160], line[64] = "";
	FILE *f;

	/* sysfs shows the ports of the namespace in which it was mounted: look from inside */
	snprintf(cmd, sizeof(cmd), "node %d cat /sys/class/weft/weft%d/%s", node,
		 nodes_are_one() ? 0 : node, name);
	f = popen(cmd, "r");
	if (!f || !fgets(line, sizeof(line), f) || pclose(f)) {
		printf("Bail out! %s failed\n", cmd);
		exit(1);
	}
	return atoll(line);
}

bool port_limit(int node, const char *name, unsigned int value)
{
	char cmd[160];

	if (nodes_are_one())
		node = 0;
	snprintf(cmd, sizeof(cmd), "node %d weftctl limit set weft%d %s %u", node, node, name,
		 value);
	CHECK_EQ(system(cmd), 0);
	return true;
}

bool nothing_left(void)
{
	static const char *const attrs[] = { "contexts", "endpoints", "pinned_bytes" };
	uint64_t until = now_ms() + LEFT_MS;
	long long v = 0;
	size_t i;
	int n;

	for (n = 0; n < 2; n++) {
		for (i = 0; i < sizeof(attrs) / sizeof(attrs[0]); i++) {
			do {
				v = port_attr(n, attrs[i]);
			} while (v && now_ms() < until);
			if (v) {
				printf("# node %d: %lld %s left\n", n, v, attrs[i]);
				return false;
			}
		}
	}
	return true;
}
