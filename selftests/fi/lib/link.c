// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What link.h says. */
#include "link.h"

#define QDISC "node %d tc qdisc %s dev veth%d root %s"
#define MONITOR "sh -c '. $VM_REPO/selftests/vm/lib.sh; vm_monitor set_link nic0 %s'"

static enum { WELL, CUT, SPOILT } changed;

static bool is_vnet(void)
{
	const char *link = getenv("LINK");

	return link && !strcmp(link, "vnet");
}

bool link_there(void)
{
	const char *link = getenv("LINK");

	return p.o.apart && link && (!strcmp(link, "veth") || !strcmp(link, "vnet"));
}

static bool shape(int node, const char *verb, const char *how)
{
	char cmd[200];

	snprintf(cmd, sizeof(cmd), QDISC, node, verb, node, how);
	CHECK_EQ(system(cmd), 0);
	return true;
}

static bool plug(const char *how)
{
	char cmd[200];

	snprintf(cmd, sizeof(cmd), MONITOR, how);
	CHECK_EQ(system(cmd), 0);
	return true;
}

bool link_cut(void)
{
	changed = CUT;
	return is_vnet() ? plug("off") : shape(0, "add", "netem loss 100%");
}

bool link_spoil(void)
{
	static const char how[] = "netem limit 10000 delay 500us loss 3% duplicate 1% reorder 80%";

	if (!link_there() || is_vnet())
		return true;
	changed = SPOILT;
	return shape(0, "add", how) && shape(1, "add", how);
}

bool link_mend(void)
{
	bool both = changed == SPOILT, ok;

	if (!changed)
		return true;
	changed = WELL;
	if (is_vnet())
		return plug("on");
	ok = shape(0, "del", "");
	return (!both || shape(1, "del", "")) && ok;
}
