// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Which known words a wrong word may mean: those that it begins, or else the nearest ones.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "weftctl.h"

#define LONGEST	40

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

unsigned int word_distance(const char *a, const char *b)
{
	/* distances between beginnings of the words: this row, the last one, the one before */
	unsigned int row[3][LONGEST + 1];
	unsigned int *now = row[0], *last = row[1], *old = row[2], *next;
	size_t la = strlen(a), lb = strlen(b), i, k;

	if (la > LONGEST || lb > LONGEST)
		return UINT_MAX;
	for (k = 0; k <= lb; k++)
		now[k] = k;
	for (i = 1; i <= la; i++) {
		next = old;
		old = last;
		last = now;
		now = next;
		now[0] = i;
		for (k = 1; k <= lb; k++) {
			now[k] = least(last[k], now[k - 1]) + 1;
			now[k] = least(now[k], last[k - 1] + (a[i - 1] != b[k - 1]));
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
				now[k] = least(now[k], old[k - 2] + 1);
		}
	}
	return now[lb];
}

/* The largest distance of a word that may be meant: short words are all near to one another. */
static unsigned int farthest(const char *arg)
{
	size_t len = strlen(arg);

	if (len <= 3)
		return 1;
	return len > 6 ? len / 3 : 2;
}

void guess_begin(struct guess *g, const char *arg)
{
	memset(g, 0, sizeof(*g));
	g->arg = arg;
	g->rank = UINT_MAX;
}

void guess_word(struct guess *g, const char *word)
{
	unsigned int rank, i;

	if (!*g->arg || !strcmp(g->arg, word) || strlen(word) >= sizeof(g->word[0]))
		return;
	rank = matches(g->arg, word) ? 0 : word_distance(g->arg, word);
	if (rank > farthest(g->arg) || rank >= strlen(word) || rank >= strlen(g->arg) ||
	    rank > g->rank)
		return;
	if (rank < g->rank) {
		g->n = 0;
		g->more = false;
	}
	g->rank = rank;
	for (i = 0; i < g->n; i++)
		if (!strcmp(g->word[i], word))
			return;
	if (g->n == GUESSES)
		g->more = true;
	else
		strcpy(g->word[g->n++], word);
}

const char *guess_text(const struct guess *g)
{
	static char text[GUESSES * (sizeof(g->word[0]) + 8) + 32];
	const char *before = "; did you mean ";
	size_t len = 0;
	unsigned int i;

	text[0] = 0;
	for (i = 0; i < g->n; i++) {
		len += snprintf(text + len, sizeof(text) - len, "%s\"%s\"", before, g->word[i]);
		before = i + 2 < g->n || g->more ? ", " : " or ";
	}
	if (g->n)
		snprintf(text + len, sizeof(text) - len, "%s?", g->more ? ", ..." : "");
	return text;
}

const char *guess_of(const char *arg, const char *list)
{
	struct guess g;
	char word[LONGEST];
	size_t len;

	guess_begin(&g, arg);
	for (; *list; list += len) {
		list += strspn(list, " ");
		len = strcspn(list, " ");
		snprintf(word, sizeof(word), "%.*s", (int)len, list);
		if (len)
			guess_word(&g, word);
	}
	return guess_text(&g);
}
