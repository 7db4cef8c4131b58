// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tables: a row for each object, a column for each of a few values. The widths are known at the
 * end, so the rows are kept until then.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weftctl.h"

#define COLUMNS_MAX	8
#define CELL_MAX	256	/* the addresses of a port */

static char names[COLUMNS_MAX][24];
static unsigned int ncolumns;

struct row {
	char cell[COLUMNS_MAX][CELL_MAX];
};

static struct row *rows;
static size_t nrows, room;
static bool has_head, lost;

static int column_of(const char *key)
{
	unsigned int i;

	for (i = 0; i < ncolumns; i++)
		if (!strcmp(names[i], key))
			return i;
	return -1;
}

bool brief_has(const char *columns, const char *key)
{
	size_t len = strlen(key);
	const char *at;

	for (at = columns; (at = strstr(at, key)); at += len)
		if ((at == columns || at[-1] == ' ') && (!at[len] || at[len] == ' '))
			return true;
	return false;
}

void brief_begin(const char *columns, bool head)
{
	size_t len;

	nrows = 0;
	lost = false;
	has_head = head;
	for (ncolumns = 0; *columns && ncolumns < COLUMNS_MAX; columns += len) {
		columns += strspn(columns, " ");
		len = strcspn(columns, " ");
		snprintf(names[ncolumns++], sizeof(names[0]), "%.*s", (int)len, columns);
	}
}

void brief_row(void)
{
	size_t more = room ? 2 * room : 64;
	struct row *all = rows;

	if (nrows == room) {
		all = realloc(rows, more * sizeof(*rows));
		if (all)
			room = more;
	}
	lost |= !all;
	if (lost)
		return;
	rows = all;
	memset(&rows[nrows++], 0, sizeof(*rows));
}

void brief_cell(const char *key, const char *val)
{
	int i = column_of(key);
	size_t len;
	char *cell;

	if (i < 0 || lost || !nrows)
		return;
	cell = rows[nrows - 1].cell[i];
	len = strlen(cell);
	snprintf(cell + len, CELL_MAX - len, "%s%s", len ? "," : "", val);
}

static const char *text_of(const struct row *row, unsigned int i)
{
	return row->cell[i][0] ? row->cell[i] : "-";
}

static void print_cell(const char *text, enum color color, unsigned int width)
{
	const char *s;

	fputs(color_on(color), stdout);
	for (s = text; *s; s++)
		putchar(isprint((unsigned char)*s) ? *s : '?');
	fputs(color_off(color), stdout);
	if (width)
		printf("%*s", (int)(width - strlen(text)), "");
}

void brief_end(void)
{
	unsigned int width[COLUMNS_MAX] = { 0 };
	unsigned int i, len;
	size_t r;

	for (i = 0; i + 1 < ncolumns; i++) {
		width[i] = has_head ? strlen(names[i]) : 0;
		for (r = 0; r < nrows; r++) {
			len = strlen(text_of(&rows[r], i));
			width[i] = len > width[i] ? len : width[i];
		}
		width[i] += 2;
	}
	for (i = 0; has_head && i < ncolumns; i++) {
		print_cell(names[i], NO_COLOR, width[i]);
		if (i + 1 == ncolumns)
			putchar('\n');
	}
	for (r = 0; r < nrows; r++) {
		for (i = 0; i < ncolumns; i++)
			print_cell(text_of(&rows[r], i), color_of(names[i], rows[r].cell[i]),
				   width[i]);
		putchar('\n');
	}
	if (lost)
		complain("out of memory, the table is not complete");
	free(rows);
	rows = NULL;
	nrows = 0;
	room = 0;
}
