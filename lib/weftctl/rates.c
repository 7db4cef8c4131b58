// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Counters: what has been counted since a time, rates, and the form of a file of counters
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "rates.h"

/* ---- Counters --------------------------------------------------------------------------- */

struct count *counts_more(struct counts *counts)
{
	size_t room = counts->room ? 2 * counts->room : 128;
	struct count *all = counts->all;

	if (counts->n == counts->room) {
		all = realloc(all, room * sizeof(*all));
		if (!all)
			return NULL;
		counts->all = all;
		counts->room = room;
	}
	return memset(&all[counts->n++], 0, sizeof(*all));
}

int counts_copy(struct counts *to, const struct counts *from)
{
	struct count *all = malloc((from->n + 1) * sizeof(*all));

	if (!all)
		return -1;
	if (from->n)
		memcpy(all, from->all, from->n * sizeof(*all));
	counts_free(to);
	*to = (struct counts){ all, from->n, from->n + 1 };
	return 0;
}

void counts_free(struct counts *counts)
{
	free(counts->all);
	memset(counts, 0, sizeof(*counts));
}

static bool is(const struct count *c, const char *port, const char *name)
{
	return !strcmp(c->name, name) && !strcmp(c->port, port);
}

uint64_t counts_value(const struct counts *counts, size_t at, const char *port, const char *name)
{
	size_t i;

	/* each port has the same counters, in the same order */
	if (at < counts->n && is(&counts->all[at], port, name))
		return counts->all[at].value;
	for (i = 0; i < counts->n; i++)
		if (is(&counts->all[i], port, name))
			return counts->all[i].value;
	return 0;
}

int counts_anew(const struct counts *now, const struct counts *base, const char *port)
{
	const struct count *c;
	size_t i;

	for (i = 0; i < now->n; i++) {
		c = &now->all[i];
		if (!strcmp(c->port, port) && c->value < counts_value(base, i, port, c->name))
			return 1;
	}
	return 0;
}

void counts_since(struct counts *now, const struct counts *base)
{
	const char *port;
	size_t i = 0;
	int anew;

	while (i < now->n) {
		port = now->all[i].port;
		anew = counts_anew(now, base, port);
		for (; i < now->n && !strcmp(now->all[i].port, port); i++)
			if (!anew)
				now->all[i].value -= counts_value(base, i, port, now->all[i].name);
	}
}

/* ---- Numbers ---------------------------------------------------------------------------- */

uint64_t rate_of(uint64_t count, uint64_t ns)
{
	long double rate;

	if (!ns)
		return 0;
	rate = (long double)count * 1e10L / (long double)ns + 0.5L;
	return rate < 1.8e19L ? (uint64_t)rate : UINT64_MAX;
}

/* More events than this between two looks are no wrap, but another object of the same name */
#define WRAP_MOST	(1u << 28)

uint32_t count_between(uint32_t before, uint32_t now)
{
	if (now >= before || now - before <= WRAP_MOST)
		return now - before;
	return now;
}

void rate_text(char text[RATE_TEXT], uint64_t tenths)
{
	static const char units[] = "kMGTPE";
	unsigned int unit = 0;
	uint64_t n = tenths;

	if (tenths < 10000) {
		snprintf(text, RATE_TEXT, "%u.%u", (unsigned int)tenths / 10,
			 (unsigned int)tenths % 10);
		return;
	}
	if (tenths < 1000000) {
		snprintf(text, RATE_TEXT, "%u", (unsigned int)tenths / 10);
		return;
	}
	for (n /= 1000; n >= 10000 && unit + 1 < sizeof(units) - 1; unit++)
		n /= 1000;
	snprintf(text, RATE_TEXT, "%" PRIu64 ".%u%c", n / 10, (unsigned int)(n % 10), units[unit]);
}

int parse_seconds(const char *arg, uint64_t *ms)
{
	unsigned int digits = 0;
	const char *c = arg;
	uint64_t n = 0;

	for (; isdigit((unsigned char)*c) && c - arg < 6; c++)
		n = 10 * n + (uint64_t)(*c - '0');
	if (c == arg)
		return -1;
	if (*c == '.' && isdigit((unsigned char)c[1]))
		for (c++; isdigit((unsigned char)*c) && digits < 3; c++, digits++)
			n = 10 * n + (uint64_t)(*c - '0');
	for (; digits < 3; digits++)
		n *= 10;
	*ms = n;
	return *c || n < 100 || n > 86400000 ? -1 : 0;
}

/* ---- Baselines -------------------------------------------------------------------------- */

void baseline_write(FILE *to, const char *boot, const struct counts *counts)
{
	size_t i;

	fprintf(to, BASELINE_HEAD "\nboot %s\n", boot);
	for (i = 0; i < counts->n; i++)
		fprintf(to, "%s %s %" PRIu64 "\n", counts->all[i].port, counts->all[i].name,
			counts->all[i].value);
}

/* The next line, without its end. Return: there is one that fits and has no other control bytes. */
static bool line_of(FILE *from, char *line, int size)
{
	int c, n = 0;

	while ((c = getc(from)) != '\n') {
		/* bytes of names and numbers; all others are none of ours */
		if (c == EOF || !isprint(c) || n == size - 1)
			return false;
		line[n++] = (char)c;
	}
	line[n] = 0;
	return true;
}

/* Copy a word up to a blank. Return: behind it; NULL: it is empty, or does not fit */
static const char *word_of(char *to, size_t size, const char *from)
{
	size_t len = strcspn(from, " ");

	if (!len || len >= size || !from[len])
		return NULL;
	memcpy(to, from, len);
	to[len] = 0;
	return from + len + 1;
}

static bool read_count(struct count *c, const char *line)
{
	const char *rest = word_of(c->port, sizeof(c->port), line);
	char *end;

	if (rest)
		rest = word_of(c->name, sizeof(c->name), rest);
	if (!rest || !isdigit((unsigned char)*rest))
		return false;
	errno = 0;
	c->value = strtoull(rest, &end, 10);
	return !errno && !*end;
}

static bool at_end(FILE *from)
{
	int c = getc(from);

	return c == EOF || ungetc(c, from) == EOF;
}

long baseline_read(FILE *from, const char *boot, struct counts *counts)
{
	char line[128];
	struct count *c;
	long n = 1;
	bool same;

	if (!line_of(from, line, sizeof(line)) || strcmp(line, BASELINE_HEAD))
		return n;
	n++;
	if (!line_of(from, line, sizeof(line)) || strncmp(line, "boot ", 5))
		return n;
	same = !strcmp(line + 5, boot);
	while (!at_end(from)) {
		n++;
		if (counts->n == BASELINE_MOST || !line_of(from, line, sizeof(line)))
			return n;
		c = counts_more(counts);
		if (!c)
			return -1;
		if (!read_count(c, line))
			return n;
	}
	if (!same)
		counts->n = 0;
	return 0;
}
