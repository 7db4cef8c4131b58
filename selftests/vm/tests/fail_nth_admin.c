// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The same as fail_nth for the administrator's netlink requests
 *
 * A port is added, shown, set and deleted, and has jobs that come and go. Another port is on a
 * network device. A third one takes a device over and gives it back.
 *
 * The kernel must support fault injection (make check-debug). Arguments name sequences, none: all
 * of them.
 * TIMEOUT: 300 NEEDS: nics
 */
#define _GNU_SOURCE
#include <linux/weft.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "check.h"
#include "faults.h"
#include "genl.h"

#define PORT	"faults"
#define KEY	"a key that is long enough"

/* ---- Requests -------------------------------------------------------------------------------- */

/* A request about the port, or about an object with the port's name. */
static void begin(struct genl_request *r, __u8 cmd)
{
	genl_begin(r, NLM_F_ACK, cmd);
	genl_put_text(r, WEFT_ATTR_PORT_NAME, PORT);
}

/*
 * Make a request. A request that reports a fault has changed nothing: it works when it is repeated.
 * Return: it has worked.
 */
static bool ask(const char *name, const struct genl_request *r)
{
	int err = genl_ask(r, true);

	if (fine(name, -err))
		return true;
	err = genl_ask(r, true);
	return !err || wrong("%s says errno %d when it is made again", name, err);
}

static bool dump(const char *name, __u8 cmd)
{
	struct genl_request r;

	genl_begin(&r, NLM_F_DUMP, cmd);
	return ask(name, &r);
}

static bool del(void)
{
	struct genl_request r;

	begin(&r, WEFT_CMD_PORT_DEL);
	return ask("port del", &r);
}

static void add_begin(struct genl_request *r, const char *driver)
{
	struct weft_sockaddr addr = { .family = AF_INET, .addr = { 10, 90, 0, 1 } };

	begin(r, WEFT_CMD_PORT_ADD);
	genl_put_text(r, WEFT_ATTR_PORT_DRIVER, driver);
	genl_put(r, WEFT_ATTR_PORT_ADDR, &addr, sizeof(addr));
}

/* ---- A port within the node ------------------------------------------------------------------ */

static bool shows(void)
{
	struct genl_request r;

	begin(&r, WEFT_CMD_PORT_GET);
	return ask("port get", &r) && dump("port show", WEFT_CMD_PORT_GET) &&
	       dump("ep show", WEFT_CMD_EP_GET) && dump("ctx show", WEFT_CMD_CTX_GET) &&
	       dump("stats show", WEFT_CMD_STATS_GET) && dump("path show", WEFT_CMD_PATH_GET) &&
	       dump("neigh show", WEFT_CMD_NEIGH_GET) && dump("limit show", WEFT_CMD_LIMIT_GET) &&
	       dump("job show", WEFT_CMD_JOB_GET) &&
	       dump("user show", WEFT_CMD_USER_GET) && dump("recv show", WEFT_CMD_RECV_GET) &&
	       dump("msg show", WEFT_CMD_MSG_GET);
}

static bool engine(const char *mode)
{
	struct genl_request r;

	begin(&r, WEFT_CMD_PORT_SET);
	genl_put_text(&r, WEFT_ATTR_PORT_ENGINE, mode);
	return ask("port set engine", &r);
}

static bool sets(void)
{
	const __u64 paths = 300;
	struct genl_request r;

	begin(&r, WEFT_CMD_PORT_SET);
	genl_put_text(&r, WEFT_ATTR_PORT_PRIORITIES, "off");
	if (!ask("port set priorities", &r))
		return false;
	begin(&r, WEFT_CMD_LIMIT_SET);
	genl_put_text(&r, WEFT_ATTR_LIMIT_NAME, "paths");
	genl_put(&r, WEFT_ATTR_LIMIT_VALUE, &paths, sizeof(paths));
	return ask("limit set", &r) && engine("poll") && engine("auto") && engine("inline");
}

static void job_begin(struct genl_request *r, __u8 cmd)
{
	begin(r, cmd);
	genl_put_text(r, WEFT_ATTR_JOB_NAME, "faults");
}

static bool jobs(void)
{
	const __u32 users[] = { 1990, 1991 };
	struct genl_request r;

	job_begin(&r, WEFT_CMD_JOB_ADD);
	genl_put(&r, WEFT_ATTR_JOB_KEY, KEY, strlen(KEY));
	genl_put(&r, WEFT_ATTR_JOB_UID, &users[0], sizeof(users[0]));
	genl_put(&r, WEFT_ATTR_JOB_GID, &users[1], sizeof(users[1]));
	if (!ask("job add", &r) || !dump("job show", WEFT_CMD_JOB_GET))
		return false;
	job_begin(&r, WEFT_CMD_JOB_SET);
	genl_put(&r, WEFT_ATTR_JOB_KEY, KEY " too", strlen(KEY " too"));
	genl_put(&r, WEFT_ATTR_JOB_UID, &users[0], sizeof(users[0]));
	genl_put(&r, WEFT_ATTR_JOB_UID, &users[1], sizeof(users[1]));
	if (!ask("job set", &r))
		return false;
	job_begin(&r, WEFT_CMD_JOB_DEL);
	return ask("job del", &r);
}

static void admin(void)
{
	struct genl_request r;

	add_begin(&r, "loop");
	if (ask("port add loop", &r) && shows() && sets() && jobs())
		del();
}

/* ---- On devices ------------------------------------------------------------------------------ */

static void on_netdev(void)
{
	struct genl_request r;

	add_begin(&r, "netdev");
	genl_put_text(&r, WEFT_ATTR_PORT_NETDEV, "faults0");
	if (ask("port add netdev", &r) && dump("port show", WEFT_CMD_PORT_GET))
		del();
}

/* PCI address of a spare NIC; empty: there is none. */
static char nic[32];

static void nic_find(void)
{
	const char *link = getenv("LINK");
	FILE *f;

	if (link && !strcmp(link, "vnet"))
		return;
	f = popen(". \"$VM_REPO/selftests/vm/lib.sh\"; vm_nic 1", "r");
	if (f && fgets(nic, sizeof(nic), f))
		nic[strcspn(nic, "\n")] = 0;
	if (f)
		pclose(f);
}

static void on_nic(void)
{
	const __u8 prefix = 24;
	struct genl_request r;

	add_begin(&r, "vnet");
	genl_put(&r, WEFT_ATTR_PORT_PREFIX, &prefix, sizeof(prefix));
	genl_put_text(&r, WEFT_ATTR_PORT_DEVICE, nic);
	if (ask("port add vnet", &r) && dump("port show", WEFT_CMD_PORT_GET) &&
	    dump("neigh show", WEFT_CMD_NEIGH_GET))
		del();
}

/* A network namespace with a network device. */
static bool place_make(void)
{
	CHECK_EQ(unshare(CLONE_NEWNET), 0);
	CHECK(!system("ip link set lo up && ip link add faults0 type veth peer name faults1 && "
		      "ip addr add 10.90.0.1/24 dev faults0 && ip link set faults0 up && "
		      "ip link set faults1 up"));
	CHECK(genl_open());
	return true;
}

int main(int argc, char **argv)
{
	static const struct walk walks[] = {
		{ .name = "admin", .where = "with a port within a node", .run = admin },
		{ .name = "netdev", .where = "with a port on a network device", .run = on_netdev },
		{ .name = "nic", .where = "with a port that takes a NIC", .run = on_nic,
		  .loops = true },
	};

	nic_find();
	if (!place_make())
		return 1;
	return walks_run(walks, sizeof(walks) / sizeof(walks[0]) - !nic[0], argc, argv);
}
