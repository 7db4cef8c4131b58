// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * 10 000 endpoints that share completion queues, within 3 GB.
 * TIMEOUT: 600 CHECK: all NEEDS: reload
 */
#include "check.h"
#include "looks.h"
#include "many_endpoints.h"

static bool all(void)
{
	CHECK(port_limit(0, "memory-user", 3u << 30));
	return many_endpoints(10000, 300000);
}

int main(void)
{
	node_enter(0);
	result(all(), "10 000 endpoints", "one node");
	return results_end();
}
