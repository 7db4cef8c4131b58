// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The counters of counters.h. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "counters.h"

#define TRACEPOINT "/sys/kernel/tracing/events/raw_syscalls/sys_enter/id"

/* Return: a file that counts the system calls of this process. */
static int calls_open(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr) };
	FILE *f = fopen(TRACEPOINT, "r");
	unsigned long long id;
	int fd;

	if (!f || fscanf(f, "%llu", &id) != 1)
		bench_stop("%s: %s", TRACEPOINT, strerror(errno));
	fclose(f);
	attr.config = id;
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		bench_stop("perf_event_open: %s", strerror(errno));
	return fd;
}

static uint64_t calls(void)
{
	static int fd = -1;
	uint64_t n;

	if (fd < 0)
		fd = calls_open();
	if (read(fd, &n, sizeof(n)) != sizeof(n))
		bench_stop("counting system calls: %s", strerror(errno));
	return n;
}

/* Sent in the namespace of the thread, by all of its devices */
static uint64_t packets(void)
{
	FILE *f = fopen("/proc/thread-self/net/dev", "r");
	unsigned long long n, sum = 0;
	char line[256], *values;

	while (f && fgets(line, sizeof(line), f)) {
		values = strchr(line, ':');
		/* after eight columns of what was received, and the bytes that were sent */
		if (values && sscanf(values + 1, "%*u %*u %*u %*u %*u %*u %*u %*u %*u %llu",
				     &n) == 1)
			sum += n;
	}
	if (f)
		fclose(f);
	return sum;
}

static void ticks(struct counters *c)
{
	unsigned long long user, nice, sys, irq, soft;
	FILE *f = fopen("/proc/stat", "r");

	if (!f || fscanf(f, "cpu %llu %llu %llu %*u %*u %llu %llu", &user, &nice, &sys, &irq,
			 &soft) != 5)
		bench_stop("/proc/stat: %s", strerror(errno));
	fclose(f);
	c->softirq = soft;
	c->busy = user + nice + sys + irq + soft;
}

void counters_read(struct counters *c, struct side *const ends[2])
{
	const char *a = ends[0]->o.node, *b = ends[1]->o.node;

	side_enter(ends[0]);
	c->packets = packets();
	if (a && b && strcmp(a, b)) {
		side_enter(ends[1]);
		c->packets += packets();
	}
	ticks(c);
	c->calls = calls();
}
