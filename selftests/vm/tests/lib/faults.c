// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "check.h"
#include "faults.h"
#include "looks.h"

#define STEPS	3000	/* more than any sequence allocates */
#define NEVER	1000000	/* still more: a task that waits for this one gets no fault */
#define CALLS	48	/* names of calls that report faults */
#define WHOLE	250	/* number of faults at both ends of a loop that are walked one by one */
#define STRIDE	29	/* step between those in the middle */

/* ---- Where faults are ------------------------------------------------------------------------ */

static const char *const kinds[] = { "failslab", "fail_page_alloc", "fail_usercopy" };
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static void kind_path(char *path, size_t size, size_t kind, const char *name)
{
	snprintf(path, size, "/sys/kernel/debug/%s/%s", kinds[kind], name);
}

static bool kind_set(size_t kind, const char *name, const char *value)
{
	char path[96];
	bool ok;
	FILE *f;

	kind_path(path, sizeof(path), kind, name);
	f = fopen(path, "w");
	if (!f)
		return false;
	ok = fputs(value, f) >= 0;
	return !fclose(f) && ok;
}

static bool kind_set_number(size_t kind, const char *name, unsigned int value)
{
	char number[16];

	snprintf(number, sizeof(number), "%u", value);
	return kind_set(kind, name, number);
}

static long kind_get(size_t kind, const char *name)
{
	char path[96], line[32] = "";
	FILE *f;

	kind_path(path, sizeof(path), kind, name);
	f = fopen(path, "r");
	if (!f)
		return -1;
	if (!fgets(line, sizeof(line), f))
		line[0] = 0;
	fclose(f);
	return line[0] ? atol(line) : -1;
}

/* Write a file of each kind of fault; some files may be missing. Return: one kind has the file. */
static bool all_set(const char *name, const char *value)
{
	bool any = false;
	size_t i;

	for (i = 0; i < KINDS; i++)
		any |= kind_set(i, name, value);
	return any;
}

/* Faults are in weft only, and without messages in the log. */
static bool faults_begin(void)
{
	char line[256], number[32];
	unsigned long long start = 0;
	unsigned long size = 0;
	FILE *f = fopen("/proc/modules", "r");

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "weft %lu %*u %*s %*s %llx", &size, &start) == 2)
			break;
	}
	if (f)
		fclose(f);
	CHECK(start && size);
	snprintf(number, sizeof(number), "0x%llx", start);
	CHECK(all_set("require-start", number));
	snprintf(number, sizeof(number), "0x%llx", start + size);
	CHECK(all_set("require-end", number));
	CHECK(all_set("stacktrace-depth", "32"));
	CHECK(all_set("verbose", "0"));
	CHECK(all_set("task-filter", "N"));
	CHECK(all_set("ignore-gfp-wait", "N"));
	CHECK(all_set("min-order", "0"));
	CHECK(all_set("space", "0"));
	return true;
}

static void faults_end(void)
{
	all_set("probability", "0");
	all_set("times", "1");
	all_set("interval", "1");
	all_set("require-start", "0");
	all_set("require-end", "0xffffffffffffffff");
}

/* Faults of this task: -1: none, as on most kernels. */
static int nth_file = -1;

/* The @n-th operation from now on fails; 0: none. */
static bool own_arm(unsigned int n)
{
	char s[16];
	int len = snprintf(s, sizeof(s), "%u", n);

	return pwrite(nth_file, s, (size_t)len, 0) == len;
}

/* How many more operations come before the fault; 0: it has happened. */
static unsigned int own_left(void)
{
	char s[16] = "";

	return pread(nth_file, s, sizeof(s) - 1, 0) <= 0 ? 0 : (unsigned int)atoi(s);
}

/*
 * Ask for one fault of a kind outside of this task, which waits for a fault of its own. The kernel
 * counts operations that could fail. One fails when the count is a multiple of @n. The count stands
 * still while no fault is wanted.
 */
static bool others_arm(size_t kind, unsigned int n)
{
	return own_arm(NEVER) && kind_set_number(kind, "interval", n) &&
	       kind_set(kind, "times", "1") && kind_set(kind, "probability", "100");
}

static bool others_disarm(size_t kind)
{
	return kind_set(kind, "probability", "0") && own_arm(0);
}

static bool others_hit(size_t kind)
{
	return !kind_get(kind, "times");
}

/* ---- Which calls report faults --------------------------------------------------------------- */

/**
 * struct told - a call that reported faults
 * @call: its name
 * @n: how often
 */
struct told {
	const char *call;
	unsigned int n;
};

static struct told tolds[CALLS];
/* of the run: the first call that returned an error; an error that should not be */
static const char *first;
static bool bad;

bool wrong(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printf("# ");
	vprintf(format, args);
	printf("\n");
	va_end(args);
	bad = true;
	return false;
}

/* The errnos that may report a fault. */
static bool meant(int err)
{
	switch (err) {
	case ENOMEM:
	case EFAULT:
	case ENOSPC:
	case ENFILE:
	case EAGAIN:
	case ENOBUFS:
		return true;
	default:
		return false;
	}
}

bool fine(const char *call, int err)
{
	if (err && !first)
		first = call;
	if (err && !meant(-err))
		wrong("%s says errno %d", call, -err);
	return !err;
}

static void tolds_add(const char *call)
{
	size_t i;

	for (i = 0; i < CALLS - 1 && tolds[i].call && strcmp(tolds[i].call, call); i++)
		;
	if (!tolds[i].call)
		tolds[i].call = call;
	tolds[i].n++;
}

static void tolds_print(void)
{
	size_t i;

	for (i = 0; i < CALLS && tolds[i].call; i++)
		printf("%s %s %u", i ? "," : "#   by", tolds[i].call, tolds[i].n);
	printf("%s", i ? "\n" : "");
}

/* ---- Walks ----------------------------------------------------------------------------------- */

/* Return: all was right, with a fault or without. */
static bool run(const struct walk *w)
{
	first = NULL;
	bad = false;
	w->run();
	if (first)
		tolds_add(first);
	return !bad;
}

/* The sequence works without a fault. */
static bool works(const struct walk *w)
{
	CHECK(!w->before || w->before());
	CHECK(run(w));
	if (first)
		printf("# %s was told of a fault that there was not\n", first);
	CHECK(!first);
	return true;
}

/* Run with the @n-th fault. *@left: how many more operations it needed, 0: it happened. */
static bool own_run(const struct walk *w, unsigned int n, unsigned int *left)
{
	bool ok;

	CHECK(!w->before || w->before());
	CHECK(own_arm(n));
	ok = run(w);
	*left = own_left();
	CHECK(own_arm(0));
	if (!ok)
		printf("# %s: with fault %u\n", w->name, n);
	return ok;
}

static bool own_walk(const struct walk *w)
{
	unsigned int n = 1, all, left, faults = 0, told = 0;

	memset(tolds, 0, sizeof(tolds));
	CHECK(own_run(w, NEVER, &left));
	all = NEVER - left;
	for (;;) {
		CHECK(n < STEPS);
		CHECK(own_run(w, n, &left));
		if (left)
			break;
		faults++;
		told += !!first;
		n += w->loops && n > WHOLE && n + WHOLE + STRIDE < all ? STRIDE : 1;
	}
	printf("# %s: %u of %u faults, %u of them told\n", w->name, faults, all, told);
	tolds_print();
	CHECK(faults > 1 && told);
	return true;
}

/* Run with a fault of @kind at a multiple of @n. *@hit: there was one. */
static bool others_run(const struct walk *w, size_t kind, unsigned int n, bool *hit)
{
	bool ok;

	CHECK(!w->before || w->before());
	CHECK(others_arm(kind, n));
	ok = run(w);
	*hit = others_hit(kind);
	CHECK(others_disarm(kind));
	if (!ok)
		printf("# %s: with a fault of %s at %u\n", w->name, kinds[kind], n);
	return ok;
}

/*
 * Two runs for each @n. The first one fails at some operation; then the kernel's count is a
 * multiple of
 * @n. So the second run fails at its own @n-th operation.
 */
static bool others_walk_kind(const struct walk *w, size_t kind, unsigned int *faults)
{
	unsigned int n, told = 0;
	bool hit = true;

	*faults = 0;
	memset(tolds, 0, sizeof(tolds));
	for (n = 1; hit; n++) {
		CHECK(n < STEPS);
		CHECK(others_run(w, kind, n, &hit));
		*faults += hit;
		told += !!first;
		if (!hit)
			break;
		CHECK(others_run(w, kind, n, &hit));
		*faults += hit;
		told += !!first;
	}
	printf("# %s: %u faults of %s, %u of them told\n", w->name, *faults, kinds[kind], told);
	tolds_print();
	return true;
}

static bool others_walk(const struct walk *w)
{
	unsigned int sum = 0, n;
	size_t i;

	for (i = 0; i < KINDS; i++) {
		CHECK(others_walk_kind(w, i, &n));
		sum += n;
	}
	CHECK(sum);
	return true;
}

static bool walk(const struct walk *w)
{
	CHECK(works(w));
	CHECK(w->others ? others_walk(w) : own_walk(w));
	CHECK(nothing_left());
	return works(w);
}

int walks_run(const struct walk *walks, size_t n, int argc, char **argv)
{
	size_t i;
	int k;

	nth_file = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (nth_file < 0) {
		printf("1..0 # SKIP this kernel does not fail on demand\n");
		return 4;
	}
	if (result(faults_begin(), "faults", "are weft's alone")) {
		for (i = 0; i < n; i++) {
			for (k = 1; k < argc && strcmp(argv[k], walks[i].name); k++)
				;
			if (argc == 1 || k < argc)
				result(walk(&walks[i]), walks[i].others ? "each fault of others" :
				       "each fault", walks[i].where);
		}
	}
	own_arm(0);
	faults_end();
	return results_end();
}
