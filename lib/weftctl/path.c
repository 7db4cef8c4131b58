// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Paths to other nodes: show, delete. Before a path that programs use is deleted, they are named.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include "weftctl.h"

#define NAMED	16	/* programs that are named */

/* Does the flow lead to the node whose address is the text @arg? */
static bool leads_to(struct nlattr *attrs, int len, const void *arg)
{
	struct weft_sockaddr peer;

	return find_addr(&peer, attrs, len, WEFT_ATTR_FLOW_PEER) && addr_is(&peer, arg);
}

/* The same program as that of an earlier flow? */
static bool named(const struct answers *flows, size_t n, uint32_t pid)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (find_uint(flows->all[i].attrs, flows->all[i].len, WEFT_ATTR_PID) == pid)
			return true;
	return false;
}

/* Name the programs whose flows use a path. */
static void print_programs(const char *port, const char *addr)
{
	struct answers flows = { 0 };
	unsigned int n = 0;
	char comm[16];
	uint32_t pid;
	size_t i;

	if (collect(WEFT_CMD_FLOW_GET, "flow show", port, leads_to, addr, &flows))
		flows.n = 0;
	for (i = 0; i < flows.n; i++) {
		struct nlattr *attrs = flows.all[i].attrs;
		int len = flows.all[i].len;

		pid = (uint32_t)find_uint(attrs, len, WEFT_ATTR_PID);
		if (!pid || named(&flows, i, pid) || n++ >= NAMED)
			continue;
		copy_name(comm, sizeof(comm), nla_find(attrs, len, WEFT_ATTR_COMM));
		complain("process %u (%s) of user %u uses the path", pid, comm,
			 (uint32_t)find_uint(attrs, len, WEFT_ATTR_UID));
	}
	if (n > NAMED)
		complain("%u more processes use the path", n - NAMED);
	release(&flows);
}

static int del_path(int argc, char **argv)
{
	struct path_end end;
	struct nl_msg *msg;
	char addr[ADDR_TEXT];
	int ret;

	if (parse_path_del(argc, argv, &end))
		return EXIT_USAGE;
	msg = request(WEFT_CMD_PATH_DEL, false);
	if (!msg)
		return EXIT_KERNEL;
	nla_put_string(msg, WEFT_ATTR_PORT_NAME, end.port);
	nla_put(msg, WEFT_ATTR_PATH_ADDR, sizeof(end.addr), &end.addr);
	if (end.force)
		nla_put_flag(msg, WEFT_ATTR_PORT_FORCE);
	ret = perform(msg, NULL, NULL, "path del", end.port);
	if (ret && errno == EBUSY) {
		addr_text(addr, &end.addr);
		print_programs(end.port, addr);
	}
	return ret;
}

int do_path(int argc, char **argv)
{
	static const struct verb verbs[] = {
		{ "show", show_paths, "[show [[port] NAME]]",
		  "show: state, round trip, window, retransmissions; -s: also what is under way" },
		{ "del", del_path, "del NAME ADDRESS [force]",
		  "del: give up the path of port NAME to the node; the next message makes a new "
		  "one\n"
		  "force: although programs use it; their operations fail with ECONNABORTED" },
		{ "list", show_paths, NULL, NULL },
		{ "delete", del_path, NULL, NULL },
		{ 0 }
	};

	return run_verb("path", verbs, argc, argv);
}
