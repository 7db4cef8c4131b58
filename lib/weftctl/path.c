// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Paths to other nodes: show, delete, probe (probe.c)
 */
#include <stddef.h>
#include "weftctl.h"

/* Does the flow lead to the node whose address is the text @arg? */
static bool leads_to(struct nlattr *attrs, int len, const void *arg)
{
	struct weft_sockaddr peer;

	return find_addr(&peer, attrs, len, WEFT_ATTR_FLOW_PEER) && addr_is(&peer, arg);
}

static int del_path(int argc, char **argv)
{
	static const struct ending path = {
		"path del", "path", WEFT_CMD_PATH_DEL, WEFT_ATTR_PATH_ADDR, false,
		WEFT_CMD_FLOW_GET, "flow show", leads_to
	};

	return run_end(&path, argc, argv);
}

int do_path(int argc, char **argv)
{
	static const struct verb verbs[] = {
		{ "show", show_paths, "[show [[port] NAME] [FILTER ...]]",
		  "show: state, round trip, window, retransmissions, the oldest first; -s: also what "
		  "is\n"
		  "under way\n"
		  "FILTER: peer ADDRESS, age SECONDS (in its state), state WORD: hello, up, leaving,\n"
		  "dead, version" },
		{ "del", del_path, "del NAME ADDRESS [force]",
		  "del: give up the path of port NAME to the node; the next message makes a new "
		  "one\n"
		  "force: although programs use it; their operations fail with ECONNABORTED" },
		{ "probe", probe_path,
		  "probe NAME ADDRESS [count N] [interval MS] [size BYTES]",
		  "probe: send packets on the path of port NAME to the node, which answers them: "
		  "time of\n"
		  "the handshake, round-trip time, loss in each direction. It makes the path if there "
		  "is\n"
		  "none, and touches no program\n"
		  "count: packets, 1 to 65535 (100); interval: milliseconds between two, 1 to 60000 "
		  "(10);\n"
		  "size: bytes of UDP payload of each, 60 to 65000 (64)" },
		{ "list", show_paths, NULL, NULL },
		{ "delete", del_path, NULL, NULL },
		{ 0 }
	};

	return run_verb("path", verbs, argc, argv);
}
