// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "link.h"

/* one shell changes both ends: programs start slowly in an emulator */
#define QDISC "for i in 0 1; do read -r n </run/weft/node$i; " \
	"tc -n $n qdisc %s dev veth$i root %s || exit; done"
#define MONITOR "sh -c '. $VM_REPO/selftests/vm/lib.sh; vm_monitor set_link nic0 %s'"

#define PATIENCE_MS 5000

/* when the link was cut, 0: it is not cut; the longest cut in the current row */
static uint64_t cut_at, longest;
static bool changed;

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

static bool shape(const char *verb, const char *how)
{
	char cmd[300];

	snprintf(cmd, sizeof(cmd), QDISC, verb, how);
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
	bool ok;

	changed = true;
	/* the first end is cut long before the command ends, if the machine is slow */
	cut_at = now_ms();
	if (is_vnet())
		ok = plug("off");
	else
		ok = shape("add", "netem loss 100%");
	return ok;
}

bool link_spoil(void)
{
	static const char how[] = "netem limit 10000 delay 500us loss 3% duplicate 1% reorder 80%";

	if (!link_there() || is_vnet())
		return true;
	changed = true;
	return shape("add", how);
}

bool link_mend(void)
{
	bool ok;

	if (!changed)
		return true;
	changed = false;
	ok = is_vnet() ? plug("on") : shape("del", "");
	if (cut_at && now_ms() - cut_at > longest)
		longest = now_ms() - cut_at;
	cut_at = 0;
	return ok;
}

bool link_over(bool ok)
{
	uint64_t took;

	ok = link_mend() && ok;
	took = longest;
	longest = 0;
	if (ok || took < PATIENCE_MS)
		return ok;
	return pass_over("the link was cut for too long");
}
