// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Which argument of a request the kernel has refused. It points to some of them. Of the others its
 * text says what there is not, and the names that there are say what may have been meant. A command
 * that waits for a port asks for these names, too.
 */
#include <inttypes.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <netlink/attr.h>

#include "weftctl.h"

/* How the kernel's text about a name begins, and who has the names; 0: nobody is asked */
static const struct {
	const char *begin;
	uint16_t attr;
	uint8_t cmd;
} texts[] = {
	{ "no such port", WEFT_ATTR_PORT_NAME, WEFT_CMD_PORT_GET },
	{ "no such limit", WEFT_ATTR_LIMIT_NAME, WEFT_CMD_LIMIT_GET },
	{ "no such job", WEFT_ATTR_JOB_NAME, WEFT_CMD_JOB_GET },
	{ "no such device", WEFT_ATTR_PORT_NETDEV, 0 },
	{ "there is no such CPU", WEFT_ATTR_ENGINE_CPU, 0 },
};

/* Arguments, and their words on the command line */
static const struct {
	uint16_t attr;
	const char *word;
} arguments[] = {
	{ WEFT_ATTR_PORT_NAME, "port" },
	{ WEFT_ATTR_LIMIT_NAME, "limit" },
	{ WEFT_ATTR_LIMIT_VALUE, "" },	/* the name of the limit */
	{ WEFT_ATTR_JOB_NAME, "job" },
	{ WEFT_ATTR_PORT_NETDEV, "netdev" },
	{ WEFT_ATTR_PORT_ADDR, "addr" },
	{ WEFT_ATTR_PORT_GW, "gw" },
	{ WEFT_ATTR_ENGINE_CPU, "cpu" },
	{ WEFT_ATTR_JOB_UID, "user" },
	{ WEFT_ATTR_JOB_GID, "group" },
};

/* The argument that the kernel has refused */
struct blame {
	char is[ADDR_TEXT + 32];	/* a word and its value, empty: not known */
	char value[ADDR_TEXT];
	char hint[512];			/* what may have been meant, empty: nothing is near */
};

/* The value of an argument as the command line has it */
static void value_of(char to[ADDR_TEXT], const struct nlattr *attr)
{
	struct weft_sockaddr addr;

	switch (nla_type(attr)) {
	case WEFT_ATTR_PORT_ADDR:
	case WEFT_ATTR_PORT_GW:
		memset(&addr, 0, sizeof(addr));
		nla_memcpy(&addr, attr, sizeof(addr));
		addr_text(to, &addr);
		break;
	case WEFT_ATTR_ENGINE_CPU:
	case WEFT_ATTR_JOB_UID:
	case WEFT_ATTR_JOB_GID:
	case WEFT_ATTR_LIMIT_VALUE:
		snprintf(to, ADDR_TEXT, "%" PRIu64, get_uint(attr));
		break;
	default:
		nla_strlcpy(to, attr, ADDR_TEXT);
	}
}

static void name_argument(struct blame *blame, const struct nlattr *attr, struct nlattr *attrs,
			  int len)
{
	char limit[32] = "";
	size_t i;

	for (i = 0; i < sizeof(arguments) / sizeof(arguments[0]); i++) {
		if (arguments[i].attr != nla_type(attr))
			continue;
		if (!*arguments[i].word)
			find_text(limit, sizeof(limit), attrs, len, WEFT_ATTR_LIMIT_NAME);
		value_of(blame->value, attr);
		snprintf(blame->is, sizeof(blame->is), "%s%s %s", arguments[i].word, limit,
			 blame->value);
	}
}

/* Names that there are, for a wrong one */
struct naming {
	uint16_t attr;
	bool found;
	struct guess *guess;
};

static void consider(struct nlattr *attrs, int len, const void *arg)
{
	struct naming *n = (void *)(uintptr_t)arg;
	char name[64];

	find_text(name, sizeof(name), attrs, len, n->attr);
	n->found = n->found || !strcmp(name, n->guess->arg);
	guess_word(n->guess, name);
}

bool find_port(struct guess *guess)
{
	struct naming n = { .attr = WEFT_ATTR_PORT_NAME, .guess = guess };

	return ask_quietly(WEFT_CMD_PORT_GET, NULL, consider, &n) || n.found;
}

static void consider_devices(struct guess *guess)
{
	struct if_nameindex *all = if_nameindex(), *i;

	for (i = all; i && i->if_index; i++)
		guess_word(guess, i->if_name);
	if (all)
		if_freenameindex(all);
}

static void find_hint(struct blame *blame, uint8_t cmd, uint16_t attr, struct nlattr *attrs,
		      int len)
{
	struct guess guess;
	struct naming n = { .attr = attr, .guess = &guess };
	char port[WEFT_NAME_MAX] = "";

	guess_begin(&guess, blame->value);
	if (attr == WEFT_ATTR_PORT_NETDEV)
		consider_devices(&guess);
	if (attr != WEFT_ATTR_PORT_NAME)
		find_text(port, sizeof(port), attrs, len, WEFT_ATTR_PORT_NAME);
	if (cmd)
		ask_quietly(cmd, *port ? port : NULL, consider, &n);
	snprintf(blame->hint, sizeof(blame->hint), "%s", guess_text(&guess));
}

static void find_blame(struct blame *blame, const char *why, const struct nlattr *at,
		       struct nlattr *attrs, int len)
{
	uint16_t attr;
	size_t i;

	memset(blame, 0, sizeof(*blame));
	if (at)
		name_argument(blame, at, attrs, len);
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		attr = texts[i].attr;
		if (strncmp(why, texts[i].begin, strlen(texts[i].begin)))
			continue;
		at = nla_find(attrs, len, attr);
		if (at) {
			name_argument(blame, at, attrs, len);
			find_hint(blame, texts[i].cmd, attr, attrs, len);
		}
		return;
	}
}

void complain_refused(const char *what, const char *name, const char *why, const struct nlattr *at,
		      struct nlattr *attrs, int len)
{
	struct blame blame;
	bool begins, told;
	size_t n;

	find_blame(&blame, why, at, attrs, len);
	/* the name may contain what is wrong, or begin with it */
	n = strlen(blame.value);
	begins = name && !strncmp(name, blame.value, n) && (!name[n] || name[n] == ' ');
	told = !blame.is[0] || begins || (name && strstr(name, blame.is));
	complain("%s%s%s%s%s: %s%s", what, name ? " " : "", name ? name : "", told ? "" : " ",
		 told ? "" : blame.is, why, blame.hint);
}
