// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Options behind the name of an object, anywhere among its words: stats -i 1, top -n 2
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rates.h"
#include "weftctl.h"

static const struct behind *option(const struct behind *table, const char *arg)
{
	for (; table->name; table++)
		if ((table->brief && !strcmp(arg, table->brief)) || !strcmp(arg, table->name))
			return table;
	return NULL;
}

/* Return: 0, -1: message printed */
static int take(const struct behind *o, const char *value)
{
	unsigned long n;
	char *end;

	switch (o->kind) {
	case BEHIND_FLAG:
		*(bool *)o->to = true;
		return 0;
	case BEHIND_SECONDS:
		if (!parse_seconds(value, o->to))
			return 0;
		complain("%s %s: it must be a number of seconds from 0.1 to 86400", o->name, value);
		return -1;
	case BEHIND_COUNT:
		errno = 0;
		n = strtoul(value, &end, 10);
		if (!errno && !*end && *value >= '0' && *value <= '9' && n && n <= UINT32_MAX) {
			*(uint32_t *)o->to = (uint32_t)n;
			return 0;
		}
		complain("%s %s: it must be a number from 1 to %u", o->name, value, UINT32_MAX);
		return -1;
	default:
		*(const char **)o->to = value;
		return 0;
	}
}

int take_options(const char *object, int *argc, char **argv, const struct behind *table)
{
	const struct behind *o;
	int i, n = 0;

	for (i = 0; i < *argc; i++) {
		if (argv[i][0] != '-' || !argv[i][1] || asks_help(argv[i], true)) {
			argv[n++] = argv[i];
			continue;
		}
		o = option(table, argv[i]);
		if (!o) {
			complain("%s: there is no option \"%s\", try \"weftctl %s help\"", object,
				 argv[i], object);
			return -1;
		}
		if (o->kind != BEHIND_FLAG && ++i == *argc) {
			complain("%s: %s needs a value", object, o->name);
			return -1;
		}
		if (take(o, argv[i]))
			return -1;
	}
	*argc = n;
	return 0;
}
