// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Counters since a time: "stats -i" since the interval before, "stats --since-reset" since "stats
 * reset". That command keeps the counters in a file of the caller. The kernel's counters never
 * change: others may read them, too.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/stat.h>

#include "rates.h"
#include "since.h"
#include "weftctl.h"

/* ---- The file --------------------------------------------------------------------------- */

/* Make the folder of the baseline, and write the file's name. Return: 0, -1: message printed */
static int baseline_name(char name[PATH_MAX], bool make)
{
	const char *run = getenv("XDG_RUNTIME_DIR"), *cache = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");
	char folder[PATH_MAX - 32];
	size_t len;

	/* sudo may leave the variables of the user: root has its own folder */
	if (!geteuid()) {
		strcpy(folder, "/run/weftctl");
	} else if (run && run[0] == '/') {
		snprintf(folder, sizeof(folder), "%s/weftctl", run);
	} else if (cache && cache[0] == '/') {
		snprintf(folder, sizeof(folder), "%s/weftctl", cache);
	} else if (home && home[0] == '/') {
		len = (size_t)snprintf(folder, sizeof(folder), "%s/.cache", home);
		if (make && len < sizeof(folder))
			mkdir(folder, 0700);
		snprintf(folder, sizeof(folder), "%s/.cache/weftctl", home);
	} else {
		complain("stats: there is no folder for the file: set XDG_RUNTIME_DIR or HOME");
		return -1;
	}
	if (make && mkdir(folder, 0700) && errno != EEXIST) {
		complain("stats reset: %s: %s", folder, strerror(errno));
		return -1;
	}
	snprintf(name, PATH_MAX, "%s/baseline", folder);
	return 0;
}

/* The counters of all ports begin at 0 with the machine. */
static void boot_id(char id[BOOT_ID])
{
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");

	strcpy(id, "unknown");
	if (!f)
		return;
	if (fgets(id, BOOT_ID, f))
		id[strcspn(id, "\n")] = 0;
	fclose(f);
}

/* Return: exit status. @absent: it need not exist */
static int read_baseline(const char *name, bool absent, struct counts *base)
{
	FILE *from = fopen(name, "r");
	char boot[BOOT_ID];
	long line;

	if (!from && errno == ENOENT && absent)
		return 0;
	if (!from && errno == ENOENT) {
		complain("stats: there is no baseline, \"weftctl stats reset\" makes one");
		return EXIT_USAGE;
	}
	if (!from) {
		complain("%s: %s", name, strerror(errno));
		return EXIT_USAGE;
	}
	boot_id(boot);
	line = baseline_read(from, boot, base);
	fclose(from);
	if (line > 0)
		complain("%s:%ld: this is no baseline, \"weftctl stats reset\" makes a new one",
			 name, line);
	else if (line)
		complain("stats: out of memory");
	return line ? EXIT_USAGE : 0;
}

static int write_baseline(const char *name, const struct counts *counts)
{
	int fd = whole_begin(name), copy = fd < 0 ? -1 : dup(fd);
	FILE *to = copy < 0 ? NULL : fdopen(copy, "w");
	char boot[BOOT_ID];
	bool bad = !to;

	if (to) {
		boot_id(boot);
		baseline_write(to, boot, counts);
		bad = ferror(to);
		bad |= fclose(to);
	}
	if (bad && fd >= 0)
		whole_drop(fd);
	if (!bad && !whole_end(fd, name))
		return 0;
	complain("%s: %s", name, strerror(errno));
	return EXIT_USAGE;
}

/* Keep the counters of other ports than @port. Return: 0, -1: out of memory */
static int keep_others(struct counts *to, const struct counts *old, const char *port)
{
	struct count *c;
	size_t i;

	for (i = 0; i < old->n; i++) {
		if (!strcmp(old->all[i].port, port))
			continue;
		c = counts_more(to);
		if (!c)
			return -1;
		*c = old->all[i];
	}
	return 0;
}

int stats_reset(int argc, char **argv)
{
	struct counts now = { 0 }, old = { 0 };
	char file[PATH_MAX];
	const char *port;
	int ret;

	if (parse_filter(argc, argv, &port))
		return EXIT_USAGE;
	ret = counts_get("stats reset", port, &now);
	if (!ret && baseline_name(file, true))
		ret = EXIT_USAGE;
	/* a file that cannot be read is replaced, if nothing of it is to stay */
	if (!ret && port)
		ret = read_baseline(file, true, &old);
	if (!ret && port && keep_others(&now, &old, port)) {
		complain("stats: out of memory");
		ret = EXIT_USAGE;
	}
	if (!ret)
		ret = write_baseline(file, &now);
	counts_free(&now);
	counts_free(&old);
	return ret;
}

int stats_since_reset(struct counts *now)
{
	struct counts base = { 0 };
	char file[PATH_MAX];
	int ret = baseline_name(file, false) ? EXIT_USAGE : read_baseline(file, false, &base);
	size_t i;

	for (i = 0; !ret && i < now->n; i++) {
		if (i && !strcmp(now->all[i].port, now->all[i - 1].port))
			continue;
		if (counts_anew(now, &base, now->all[i].port))
			complain("stats: port %s was made anew: it is shown from zero",
				 now->all[i].port);
	}
	if (!ret)
		counts_since(now, &base);
	counts_free(&base);
	return ret;
}

/* ---- Intervals -------------------------------------------------------------------------- */

uint64_t clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return 1000000000ull * (uint64_t)ts.tv_sec + (uint64_t)ts.tv_nsec;
}

void wait_until(uint64_t ns)
{
	struct timespec ts = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

/* The counters that have changed within @ns */
static void print_interval(const struct counts *change, uint64_t ns)
{
	const struct count *c;
	bool open = false;
	size_t i;

	out_open();
	if (out_is_json()) {
		out_uint("interval_ms", OUT_KEY, (ns + 500000) / 1000000);
		out_list_open("counters");
	}
	for (i = 0; i < change->n; i++) {
		c = &change->all[i];
		if (!c->value)
			continue;
		out_open();
		out_str("port", OUT_LEAD, c->port);
		if (out_is_json()) {
			out_str("name", OUT_KEY, c->name);
			out_uint("count", OUT_KEY, c->value);
		} else {
			out_uint(c->name, OUT_KEY, c->value);
		}
		out_tenths("per_s", OUT_KEY, rate_of(c->value, ns));
		out_close();
		open = true;
	}
	if (out_is_json())
		out_list_close();
	else if (!open)
		printf("nothing has been counted");
	out_close();
}

int stats_intervals(const char *port, uint64_t ms, uint32_t count)
{
	struct counts before = { 0 }, now = { 0 }, change = { 0 };
	uint64_t was, is, due;
	uint32_t n = 0;
	int ret;

	ret = counts_get("stats", port, &before);
	was = clock_ns();
	due = was;
	while (!ret && (!count || n++ < count)) {
		/* a look that took longer than an interval delays all later ones */
		due += ms * 1000000;
		is = clock_ns();
		due = due < is ? is : due;
		wait_until(due);
		ret = counts_get("stats", port, &now);
		if (!ret && counts_copy(&change, &now)) {
			complain("stats: out of memory");
			ret = EXIT_KERNEL;
		}
		if (ret)
			break;
		is = clock_ns();
		counts_since(&change, &before);
		print_interval(&change, is - was);
		/* the caller of this object says why */
		if (fflush(stdout))
			break;
		counts_free(&change);
		counts_free(&before);
		before = now;
		now = (struct counts){ 0 };
		was = is;
	}
	counts_free(&before);
	counts_free(&now);
	counts_free(&change);
	return ret;
}
