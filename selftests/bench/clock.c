// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The clock of clock.h. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <x86intrin.h>
#include "clock.h"
#include "profile.h"
#include "side.h"

static int shift = -1;

const char *clock_init(void)
{
	const char *s = getenv("BENCH_ICOUNT");

	if (s && *s)
		shift = atoi(s);
	return shift < 0 ? "ns" : "insn";
}

/*
 * Time that the only processor was idle. (/proc/stat and /proc/uptime have a resolution of 10 ms.)
 */
static uint64_t idle_ns(void)
{
	unsigned long long idle = 0;
	bool found = false;
	char line[128];
	FILE *f = fopen("/proc/timer_list", "r");

	while (f && !found && fgets(line, sizeof(line), f))
		found = sscanf(line, " .idle_sleeptime : %llu nsecs", &idle) == 1;
	if (!found)
		bench_stop("/proc/timer_list does not tell idle time");
	fclose(f);
	return idle;
}

static uint64_t count(void)
{
	struct timespec t;

	if (shift >= 0)
		return __rdtsc() >> shift;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

void clock_start(struct span *s)
{
	s->idle = shift >= 0 ? idle_ns() >> shift : 0;
	PROFILE_MARK(PROFILE_BEGIN);
	s->from = count();
}

double clock_stop(const struct span *s)
{
	uint64_t taken = count() - s->from;

	PROFILE_MARK(PROFILE_END);
	return (double)taken - (shift >= 0 ? (double)(idle_ns() >> shift) - s->idle : 0);
}

void clock_spin(double amount)
{
	uint64_t from = count();

	while (count() - from < amount)
		;
}

static double loop(uint64_t rounds)
{
	uint64_t from = count(), n = rounds;

	__asm__ volatile("1: dec %0; nop; nop; jnz 1b" : "+r"(n));
	return (count() - from) / (4.0 * rounds);
}

double clock_calibrate(double *whole)
{
	double least = loop(10000), one;
	int i;

	for (i = 0; i < 20; i++) {
		one = loop(10000);
		if (one < least)
			least = one;
	}
	*whole = loop(5000000);
	return least;
}
