// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Commands of an object: select one, and print help about it, or about all.
 */
#include <stdio.h>
#include <string.h>

#include "weftctl.h"

#define BEFORE	((int)strlen("Usage: weftctl  "))

/* Print the forms of a command: "weftctl OBJECT" before each, blanks before lines that go on. */
static void print_usage(const char *object, const char *usage, bool first)
{
	size_t len;

	for (; *usage; usage += len + (usage[len] == '\n')) {
		len = strcspn(usage, "\n");
		if (*usage == ' ')
			printf("%*s%.*s\n", (int)strlen(object) + BEFORE, "", (int)len, usage);
		else
			printf("%s weftctl %s %.*s\n", first ? "Usage:" : "      ", object,
			       (int)len, usage);
		first = false;
	}
}

static int help(const char *object, const struct verb *verbs, const struct verb *only)
{
	const struct verb *v;
	bool first = true;

	for (v = only ? only : verbs; v->word; v++) {
		if (v->usage)
			print_usage(object, v->usage, first);
		first = false;
		if (only)
			break;
	}
	if (!only)
		print_usage(object, "[COMMAND] help", false);
	for (v = only ? only : verbs; v->word; v++) {
		if (v->about)
			puts(v->about);
		if (only)
			break;
	}
	return HELPED;
}

static const char *nearest(const struct verb *verbs, const char *arg)
{
	struct guess g;

	guess_begin(&g, arg);
	for (; verbs->word; verbs++)
		guess_word(&g, verbs->word);
	guess_word(&g, "help");
	return guess_text(&g);
}

static const struct verb *find(const struct verb *verbs, const char *arg)
{
	for (; verbs->word; verbs++)
		if (matches(arg, verbs->word))
			return verbs;
	return NULL;
}

int run_verb(const char *object, const struct verb *verbs, int argc, char **argv)
{
	const struct verb *verb = find(verbs, argc ? argv[0] : "show");

	if (!verb && asks_help(argv[0], false))
		return help(object, verbs, NULL);
	if (!verb) {
		complain("%s %s: no such command, try \"weftctl %s help\"%s", object, argv[0],
			 object, nearest(verbs, argv[0]));
		return EXIT_USAGE;
	}
	if (argc == 2 && asks_help(argv[1], true))
		return help(object, verbs, verb->usage ? verb : find(verbs, "show"));
	return verb->run(argc - !!argc, argv + !!argc);
}
