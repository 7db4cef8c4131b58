// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Limits of ports: set, show.
 */
#include <stdio.h>
#include <string.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include "weftctl.h"

static int set_limit(int argc, char **argv)
{
	struct limit_change change;
	struct nl_msg *msg;

	if (parse_limit_set(argc, argv, &change))
		return EXIT_USAGE;
	msg = request(WEFT_CMD_LIMIT_SET, false);
	if (!msg)
		return EXIT_KERNEL;
	nla_put_string(msg, WEFT_ATTR_PORT_NAME, change.port);
	nla_put_string(msg, WEFT_ATTR_LIMIT_NAME, change.name);
	nla_put_u64(msg, WEFT_ATTR_LIMIT_VALUE, change.value);
	return perform(msg, NULL, NULL, "limit set", change.name);
}

static int help_limit(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	puts("Usage: weftctl limit [show [[port] NAME]]\n"
	     "       weftctl limit set NAME LIMIT VALUE\n"
	     "       weftctl limit help\n"
	     "NAME: of the port; LIMIT: one of those that are shown\n"
	     "VALUE: a number in the limit's unit, from min to max; K, M, G: times 1024, ...");
	return 0;
}

int do_limit(int argc, char **argv)
{
	static const struct choice verbs[] = {
		{ "show", show_limits },
		{ "set", set_limit },
		{ "list", show_limits },
		{ "help", help_limit },
		{ 0 }
	};
	const struct choice *verb;

	if (!argc)
		return show_limits(0, argv);
	verb = choose(verbs, argv[0]);
	if (!verb) {
		complain("limit %s: no such command, try \"weftctl limit help\"", argv[0]);
		return EXIT_USAGE;
	}
	return verb->run(argc - 1, argv + 1);
}
