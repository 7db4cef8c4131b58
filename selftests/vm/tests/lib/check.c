// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "check.h"

static unsigned int count, failed;

bool check_failed(const char *file, int line, const char *what)
{
	const char *base = strrchr(file, '/');

	printf("# %s:%d: does not hold: %s\n", base ? base + 1 : file, line, what);
	fflush(stdout);
	return false;
}

bool check_same(const char *file, int line, const char *what, long long got, long long want)
{
	const char *base = strrchr(file, '/');

	if (got == want)
		return true;
	printf("# %s:%d: %s is %lld (%#llx), expected %lld (%#llx)\n", base ? base + 1 : file, line,
	       what, got, got, want, want);
	fflush(stdout);
	return false;
}

bool result(bool ok, const char *name, const char *where)
{
	printf("%sok %u %s, %s\n", ok ? "" : "not ", ++count, name, where);
	fflush(stdout);
	if (!ok)
		failed++;
	return ok;
}

int results_end(void)
{
	printf("1..%u\n", count);
	return failed || !count;
}

void checks_run(const struct check *cases, size_t n, const char *where, void (*after)(void))
{
	size_t i;

	for (i = 0; i < n; i++) {
		result(cases[i].run(), cases[i].name, where);
		after();
	}
}

void checks_run_everywhere(const struct check *cases, size_t n, bool *apart, void (*after)(void))
{
	*apart = false;
	checks_run(cases, n, "within a node", after);
	if (nodes_are_one())
		return;
	*apart = true;
	checks_run(cases, n, "between nodes", after);
}

uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void node_name(int node, char *name, size_t size)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/run/weft/node%d", node);
	f = fopen(path, "r");
	if (!f || !fgets(name, size, f)) {
		printf("Bail out! there is no node %d\n", node);
		exit(1);
	}
	name[strcspn(name, "\n")] = 0;
	fclose(f);
}

void node_enter(int node)
{
	char name[64], path[96];
	int fd;

	node_name(node, name, sizeof(name));
	snprintf(path, sizeof(path), "/run/netns/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || setns(fd, CLONE_NEWNET)) {
		printf("Bail out! node %d cannot be entered\n", node);
		exit(1);
	}
	close(fd);
}

bool nodes_are_one(void)
{
	char a[64], b[64];

	node_name(0, a, sizeof(a));
	node_name(1, b, sizeof(b));
	return !strcmp(a, b);
}

static uint8_t pattern_byte(size_t i, uint32_t seed)
{
	uint32_t x = (uint32_t)(i >> 2) * 2654435761u + seed * 40503u + 1;

	x ^= x >> 15;
	return x >> (8 * (i & 3));
}

void pattern_fill(void *buf, size_t len, uint32_t seed)
{
	uint8_t *p = buf;
	size_t i;

	for (i = 0; i < len; i++)
		p[i] = pattern_byte(i, seed);
}

bool pattern_is(const void *buf, size_t len, uint32_t seed)
{
	const uint8_t *p = buf;
	size_t i;

	for (i = 0; i < len; i++) {
		if (p[i] != pattern_byte(i, seed)) {
			printf("# byte %zu of %zu is %#x, expected %#x\n", i, len, p[i],
			       pattern_byte(i, seed));
			return false;
		}
	}
	return true;
}

bool all_bytes(const void *buf, size_t len, uint8_t value)
{
	const uint8_t *p = buf;
	size_t i;

	for (i = 0; i < len; i++) {
		if (p[i] != value) {
			printf("# byte %zu of %zu is %#x, expected %#x\n", i, len, p[i], value);
			return false;
		}
	}
	return true;
}
