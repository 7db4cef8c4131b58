// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Colours of text: those that ip(8) has for the same things. On a dark background (COLORFGBG) they
 * are bright.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "weftctl.h"

static enum { AUTO, ALWAYS, NEVER } mode;
static bool decided, wanted;

int color_mode(const char *word)
{
	if (!word || !strcmp(word, "always"))
		mode = ALWAYS;
	else if (!strcmp(word, "auto"))
		mode = AUTO;
	else if (!strcmp(word, "never"))
		mode = NEVER;
	else
		return -1;
	decided = false;
	return 0;
}

bool color_wanted(void)
{
	const char *off = getenv("NO_COLOR");

	if (!decided) {
		wanted = mode == AUTO ? !(off && *off) && isatty(STDOUT_FILENO) : mode == ALWAYS;
		decided = true;
	}
	return wanted;
}

static bool is_one_of(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(word, *list))
			return true;
	return false;
}

/* Words of states. Those that come and go by themselves have no colour. */
static const char *const good[] = {
	"up", "enabled", "listening", "connected", "open", "reachable", NULL
};

static const char *const bad[] = {
	"down", "gone", "dead", "error", "failed", "refused", "version", NULL
};

enum color color_of(const char *key, const char *val)
{
	static const char *const names[] = { "name", "port", "netdev", NULL };
	static const char *const addrs[] = {
		"addr", "peer", "path", "neigh", "from", "to", "ep", NULL
	};

	if (is_one_of(key, names))
		return COLOR_NAME;
	if (!strcmp(key, "mac"))
		return COLOR_MAC;
	if (!strcmp(key, "state"))
		return is_one_of(val, good) ? COLOR_GOOD :
		       is_one_of(val, bad) ? COLOR_BAD : NO_COLOR;
	/* some keys are those of numbers elsewhere */
	if (is_one_of(key, addrs) && strpbrk(val, ".:"))
		return strchr(val, '.') ? COLOR_INET : COLOR_INET6;
	return NO_COLOR;
}

/* COLORFGBG is "FOREGROUND;BACKGROUND", as numbers of colours. */
static bool dark(void)
{
	const char *is = getenv("COLORFGBG");
	const char *back = is ? strrchr(is, ';') : NULL;

	return back && ((back[1] >= '0' && back[1] <= '6') || back[1] == '8') && !back[2];
}

const char *color_on(enum color color)
{
	static const char *const codes[][2] = {
		[COLOR_NAME] = { "\033[36m", "\033[1;36m" },
		[COLOR_MAC] = { "\033[33m", "\033[1;33m" },
		[COLOR_INET] = { "\033[35m", "\033[1;35m" },
		[COLOR_INET6] = { "\033[34m", "\033[1;34m" },
		[COLOR_GOOD] = { "\033[32m", "\033[1;32m" },
		[COLOR_BAD] = { "\033[31m", "\033[1;31m" },
	};

	return color && color_wanted() ? codes[color][dark()] : "";
}

const char *color_off(enum color color)
{
	return color && color_wanted() ? "\033[0m" : "";
}
