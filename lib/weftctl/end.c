// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Commands that end objects of programs. Without "force" a command names the programs, and fails.
 */
#include <errno.h>
#include <stdio.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include "weftctl.h"

#define NAMED	16	/* programs that are named */

/* The same program as that of an earlier object? */
static bool named(const struct answers *found, size_t n, uint32_t pid)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (find_uint(found->all[i].attrs, found->all[i].len, WEFT_ATTR_PID) == pid)
			return true;
	return false;
}

/* Name the programs that use the object with the address @addr. */
static void print_programs(const struct ending *e, const char *port, const char *addr)
{
	struct answers found = { 0 };
	unsigned int n = 0;
	char comm[16];
	uint32_t pid;
	size_t i;

	if (collect(e->users, e->dump, port, e->uses, addr, &found))
		found.n = 0;
	for (i = 0; i < found.n; i++) {
		struct nlattr *attrs = found.all[i].attrs;
		int len = found.all[i].len;

		pid = (uint32_t)find_uint(attrs, len, WEFT_ATTR_PID);
		if (!pid || named(&found, i, pid) || n++ >= NAMED)
			continue;
		copy_name(comm, sizeof(comm), nla_find(attrs, len, WEFT_ATTR_COMM));
		complain("process %u (%s) of user %u uses the %s", pid, comm,
			 (uint32_t)find_uint(attrs, len, WEFT_ATTR_UID), e->noun);
	}
	if (n > NAMED)
		complain("%u more processes use the %s", n - NAMED, e->noun);
	release(&found);
}

int run_end(const struct ending *e, int argc, char **argv)
{
	char addr[ADDR_TEXT];
	struct nl_msg *msg;
	struct end end;
	int ret;

	if (parse_end(e->what, e->service, argc, argv, &end))
		return EXIT_USAGE;
	msg = request(e->cmd, false);
	if (!msg)
		return EXIT_KERNEL;
	nla_put_string(msg, WEFT_ATTR_PORT_NAME, end.port);
	nla_put(msg, e->attr, sizeof(end.addr), &end.addr);
	if (end.force)
		nla_put_flag(msg, WEFT_ATTR_PORT_FORCE);
	ret = perform(msg, NULL, NULL, e->what, end.port);
	if (ret && errno == EBUSY) {
		addr_text(addr, &end.addr);
		print_programs(e, end.port, addr);
	}
	return ret;
}
