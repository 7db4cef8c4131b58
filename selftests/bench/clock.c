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

#define LOOP	     4.0 /* instructions of a round */
#define SLEEP_ROUNDS 500000
#define SLEEPS	     10

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

static void run_loop(uint64_t rounds)
{
	__asm__ volatile("1: dec %0; nop; nop; jnz 1b" : "+r"(rounds));
}

static double loop(uint64_t rounds)
{
	uint64_t from = count();

	run_loop(rounds);
	return (count() - from) / (LOOP * rounds);
}

static double loops_between_sleeps(void)
{
	struct timespec sleep = { .tv_nsec = LOOP * SLEEP_ROUNDS };
	struct span span;
	int i;

	clock_start(&span);
	for (i = 0; i < SLEEPS; i++) {
		nanosleep(&sleep, NULL);
		run_loop(SLEEP_ROUNDS);
	}
	return clock_stop(&span) / (LOOP * SLEEP_ROUNDS * SLEEPS);
}

void clock_calibrate(struct calibration *c)
{
	double one;
	int i;

	c->least = loop(10000);
	for (i = 0; i < 20; i++) {
		one = loop(10000);
		if (one < c->least)
			c->least = one;
	}
	c->whole = loop(5000000);
	c->idle = loops_between_sleeps();
}
