/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counters since a time: the commands of "stats" that need more than one look */
#ifndef _WEFTCTL_SINCE_H
#define _WEFTCTL_SINCE_H

#include <stdint.h>

struct counts;

/* Append the counters of a port (NULL: of all). Return: exit status; stats.c */
int counts_get(const char *what, const char *port, struct counts *to);

/* Nanoseconds of a clock that never goes back */
uint64_t clock_ns(void);
/* Wait until that clock has this time. */
void wait_until(uint64_t ns);

/* "stats reset": keep the present counters in a file. Return: exit status, as below */
int stats_reset(int argc, char **argv);
/* Subtract the counters of that file. */
int stats_since_reset(struct counts *now);
/* Print what is counted within each interval, @count times (0: without end). */
int stats_intervals(const char *port, uint64_t ms, uint32_t count);

#endif /* _WEFTCTL_SINCE_H */
