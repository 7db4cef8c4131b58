// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What a user may take of a port: contexts, endpoints, memory. Each limit stops that user alone,
 * says so, and is free again when the objects have gone. An idle endpoint is small.
 * TIMEOUT: 120 NEEDS: reload
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include "check.h"
#include "looks.h"
#include "many_endpoints.h"

#define USER	65534
#define OTHER	65533
#define FEW	10

static bool contexts(void)
{
	int fd[FEW], i, other;
	long long hits = port_attr(0, "counters/limit_contexts");

	CHECK(port_limit(0, "contexts-user", FEW));
	for (i = 0; i < FEW; i++) {
		fd[i] = many_open(USER);
		CHECK(fd[i] >= 0);
	}
	CHECK_EQ(many_open(USER), -ENOSPC);
	CHECK_EQ(port_attr(0, "counters/limit_contexts"), hits + 1);
	other = many_open(OTHER);
	CHECK(other >= 0);
	close(other);
	for (i = 0; i < FEW; i++)
		close(fd[i]);
	CHECK(nothing_left());
	fd[0] = many_open(USER);
	CHECK(fd[0] >= 0);
	close(fd[0]);
	CHECK(port_limit(0, "contexts-user", 4096));
	return nothing_left();
}

/* Two contexts of a user count together. */
static bool endpoints(void)
{
	int a = many_open(USER), b = many_open(USER), other = many_open(OTHER), i;

	CHECK(a >= 0 && b >= 0 && other >= 0);
	CHECK(port_limit(0, "endpoints-user", FEW));
	for (i = 0; i < FEW; i++)
		CHECK_EQ(many_one(i & 1 ? a : b, 64, 64), 0);
	CHECK_EQ(many_one(a, 64, 64), -ENOSPC);
	CHECK_EQ(many_one(b, 64, 64), -ENOSPC);
	CHECK_EQ(many_one(other, 64, 64), 0);
	CHECK(port_limit(0, "endpoints-user", FEW + 1));
	CHECK_EQ(many_one(b, 64, 64), 0);
	close(a);
	close(b);
	close(other);
	CHECK(port_limit(0, "endpoints-user", 16384));
	return nothing_left();
}

static bool memory(void)
{
	int fd = many_open(USER), other = many_open(OTHER), n = 0, err;
	long long hits = port_attr(0, "counters/limit_memory");

	CHECK(fd >= 0 && other >= 0);
	CHECK(port_limit(0, "memory-user", 8 << 20));
	while (!(err = many_one(fd, MANY_SQ, MANY_RQ)))
		CHECK(++n < 100);
	CHECK_EQ(err, -ENOSPC);
	/* rings of 192 KiB, and less than 64 KiB beside them */
	CHECK(n >= 32 && n <= 42);
	CHECK(port_attr(0, "counters/limit_memory") > hits);
	/* a smaller one still fits, and the other user has its own limit */
	CHECK_EQ(many_one(other, MANY_SQ, MANY_RQ), 0);
	close(fd);
	close(other);
	CHECK(nothing_left());
	fd = many_open(USER);
	CHECK_EQ(many_one(fd, MANY_SQ, MANY_RQ), 0);
	close(fd);
	CHECK(port_limit(0, "memory-user", 1u << 30));
	return nothing_left();
}

/* An endpoint of default size takes at most 256 KiB; its completion queue is another object. */
static bool idle(void)
{
	return many_endpoints(500, 256 << 10);
}

int main(void)
{
	node_enter(0);
	result(contexts(), "contexts of a user", "one node");
	result(endpoints(), "endpoints of a user", "one node");
	result(memory(), "memory of a user", "one node");
	result(idle(), "an idle endpoint", "one node");
	return results_end();
}
