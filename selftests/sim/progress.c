// SPDX-License-Identifier: GPL-2.0-only
/*
 * Simulator: how far a run is, for selftests/progress
 */
#include "sim.h"

#define LINES	1000	/* enough for a run */

static u64 done;
static u64 total;
static const char *unit;
static bool shown;

static void say(void)
{
	printf("#> progress %llu %llu %s\n", (unsigned long long)done, (unsigned long long)total,
	       unit);
	fflush(stdout);
}

void sim_progress(u64 all, const char *what)
{
	done = 0;
	total = all;
	unit = what;
	shown = getenv("WEFT_PROGRESS");
	if (shown)
		say();
}

void sim_done(u64 n)
{
	u64 before = done;

	done += n;
	if (shown && done * LINES / total != before * LINES / total)
		say();
}
