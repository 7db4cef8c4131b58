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
	return perform(msg, NULL, NULL, "limit set", change.port);
}

int do_limit(int argc, char **argv)
{
	static const struct verb verbs[] = {
		{ "show", show_limits, "[show [[port] NAME]]",
		  "show: limits of all ports, or of one; -d: also what each limits" },
		{ "set", set_limit, "set NAME LIMIT VALUE",
		  "NAME: of the port; LIMIT: one of those that are shown\n"
		  "VALUE: a number in its unit, from min to max; K, M, G: times 1024, ..." },
		{ "list", show_limits, NULL, NULL },
		{ 0 }
	};

	return run_verb("limit", verbs, argc, argv);
}
