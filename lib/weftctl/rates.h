/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counters at a time, and what has been counted since then. rates.c only computes, so that a test
 * can pass any counters.
 */
#ifndef _WEFTCTL_RATES_H
#define _WEFTCTL_RATES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <linux/weft.h>

/* A counter of a port */
struct count {
	char port[WEFT_NAME_MAX];
	char name[64];
	char text[128];		/* what it counts; this and the next are empty in a baseline */
	char unit[16];
	char settings[64];	/* that bear on it, with blanks between them */
	uint64_t value;
};

/* Counters; those of a port follow one another */
struct counts {
	struct count *all;
	size_t n;
	size_t room;
};

/* Append a counter. Return: it, zeroed; NULL: out of memory */
struct count *counts_more(struct counts *counts);
/* Replace @to by a copy of @from. Return: 0, -1: out of memory */
int counts_copy(struct counts *to, const struct counts *from);
void counts_free(struct counts *counts);
/* The value of a counter, 0: there is none. @at: where it probably is */
uint64_t counts_value(const struct counts *counts, size_t at, const char *port, const char *name);
/*
 * Return: 1 if a counter of @port went down between @base and @now: the port was made anew; else 0.
 */
int counts_anew(const struct counts *now, const struct counts *base, const char *port);
/* Subtract @base. The counters of a port that was made anew stay: they began at 0. */
void counts_since(struct counts *now, const struct counts *base);

/* A rate in tenths per second, rounded; at most UINT64_MAX */
uint64_t rate_of(uint64_t count, uint64_t ns);
/* The number of events between two values of a counter of 32 bits that may wrap or begin anew */
uint32_t count_between(uint32_t before, uint32_t now);

#define RATE_TEXT	32

/* Write a number for people, from tenths: 12.3, 45678, 12.3k, 4.5M */
void rate_text(char text[RATE_TEXT], uint64_t tenths);

/* Parse seconds from 0.1 to 86400, with up to three decimals. Return: 0, -1: no message printed */
int parse_seconds(const char *arg, uint64_t *ms);

/*
 * A baseline: counters as a file has them. @boot is the boot id of the machine: after another start
 * the counters began at 0.
 */
#define BASELINE_HEAD	"weftctl baseline 1"
#define BASELINE_MOST	65536	/* counters */
#define BOOT_ID		64

void baseline_write(FILE *to, const char *boot, const struct counts *counts);
/*
 * Read a baseline, and refuse what baseline_write() does not write. A baseline of another start has
 * no counters then. Return: 0, else the number of the line that is wrong; -1: out of memory
 */
long baseline_read(FILE *from, const char *boot, struct counts *counts);

#endif /* _WEFTCTL_RATES_H */
