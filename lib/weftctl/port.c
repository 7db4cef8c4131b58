// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Ports: add, delete, flush, set, show.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include "weftctl.h"

static int add_port(int argc, char **argv)
{
	struct port_spec spec;
	struct nl_msg *msg;
	unsigned int i;

	if (parse_port_add(argc, argv, &spec))
		return EXIT_USAGE;
	msg = request(WEFT_CMD_PORT_ADD, false);
	if (!msg)
		return EXIT_KERNEL;

	/* A message has a page of space; these calls cannot fail. */
	nla_put_string(msg, WEFT_ATTR_PORT_NAME, spec.name);
	nla_put_string(msg, WEFT_ATTR_PORT_DRIVER, spec.driver);
	if (spec.netdev)
		nla_put_string(msg, WEFT_ATTR_PORT_NETDEV, spec.netdev);
	if (spec.device)
		nla_put_string(msg, WEFT_ATTR_PORT_DEVICE, spec.device);
	for (i = 0; i < spec.naddr; i++) {
		nla_put(msg, WEFT_ATTR_PORT_ADDR, sizeof(spec.addr[i]), &spec.addr[i]);
		if (spec.prefix[i])
			nla_put_u8(msg, WEFT_ATTR_PORT_PREFIX, spec.prefix[i]);
	}
	for (i = 0; i < spec.ngw; i++)
		nla_put(msg, WEFT_ATTR_PORT_GW, sizeof(spec.gw[i]), &spec.gw[i]);
	if (spec.udp)
		nla_put_u16(msg, WEFT_ATTR_PORT_UDP, spec.udp);
	if (spec.vlan)
		nla_put_u16(msg, WEFT_ATTR_PORT_VLAN, spec.vlan);
	if (spec.mtu)
		nla_put_u32(msg, WEFT_ATTR_PORT_MTU, spec.mtu);
	if (spec.queues)
		nla_put_u32(msg, WEFT_ATTR_PORT_QUEUES, spec.queues);
	return perform(msg, NULL, NULL, "port add", spec.name);
}

static unsigned int nusers;	/* programs that print_user() has printed */

static void print_user(struct nlattr *attrs, int len, const void *arg)
{
	struct nlattr *pid = nla_find(attrs, len, WEFT_ATTR_PID);
	struct nlattr *uid = nla_find(attrs, len, WEFT_ATTR_UID);
	struct nlattr *nep = nla_find(attrs, len, WEFT_ATTR_CTX_NEP);
	struct nlattr *port = nla_find(attrs, len, WEFT_ATTR_PORT_NAME);
	char name[32];

	(void)arg;
	if (!pid || !uid || !nep || !port)
		return;
	nusers++;
	copy_name(name, sizeof(name), nla_find(attrs, len, WEFT_ATTR_COMM));
	complain("process %u (%s) of user %u has port %s open, endpoints: %u", nla_get_u32(pid),
		 name, nla_get_u32(uid), nla_get_string(port), nla_get_u32(nep));
}

/*
 * Print and count the programs that prevent the deletion of a port, or of all ports (NULL). Return:
 * exit status
 */
static int print_users(const char *port)
{
	struct nl_msg *msg = request(WEFT_CMD_CTX_GET, true);

	nusers = 0;
	if (!msg)
		return EXIT_KERNEL;
	if (port)
		nla_put_string(msg, WEFT_ATTR_PORT_NAME, port);
	return perform(msg, print_user, NULL, "ctx show", port);
}

static int delete(const char *port, bool force)
{
	struct nl_msg *msg = request(WEFT_CMD_PORT_DEL, false);
	int ret;

	if (!msg)
		return EXIT_KERNEL;
	nla_put_string(msg, WEFT_ATTR_PORT_NAME, port);
	if (force)
		nla_put_flag(msg, WEFT_ATTR_PORT_FORCE);
	ret = perform(msg, NULL, NULL, "port del", port);
	if (ret && errno == EBUSY)
		print_users(port);
	return ret;
}

static int del_port(int argc, char **argv)
{
	bool force;

	if (parse_port_del(argc, argv, &force))
		return EXIT_USAGE;
	return delete(argv[0], force);
}

#define PORTS_MAX	256	/* as of the kernel */
static char port_names[PORTS_MAX][WEFT_NAME_MAX];
static unsigned int nports;

static void keep_name(struct nlattr *attrs, int len, const void *arg)
{
	struct nlattr *name = nla_find(attrs, len, WEFT_ATTR_PORT_NAME);

	(void)arg;
	if (name && nports < PORTS_MAX)
		nla_strlcpy(port_names[nports++], name, WEFT_NAME_MAX);
}

/* Delete all ports, or none if a program has one of them open. */
static int flush_ports(int argc, char **argv)
{
	int ret, worst = 0;
	struct nl_msg *msg;
	unsigned int i;
	bool force;

	if (parse_port_flush(argc, argv, &force))
		return EXIT_USAGE;
	/* (a request would load the module) */
	if (access("/sys/module/weft", F_OK))
		return 0;
	if (!force) {
		ret = print_users(NULL);
		if (ret)
			return ret;
		if (nusers) {
			complain("port flush: no port is deleted, because these programs have ports"
				 " open; \"force\" deletes all");
			return EXIT_KERNEL;
		}
	}
	msg = request(WEFT_CMD_PORT_GET, true);
	if (!msg)
		return EXIT_KERNEL;
	nports = 0;
	ret = perform(msg, keep_name, NULL, "port flush", NULL);
	if (ret)
		return ret;
	for (i = 0; i < nports; i++) {
		ret = delete(port_names[i], force);
		worst = ret > worst ? ret : worst;
	}
	return worst;
}

static int set_port(int argc, char **argv)
{
	struct port_change change;
	struct nl_msg *msg;

	if (parse_port_set(argc, argv, &change))
		return EXIT_USAGE;
	msg = request(WEFT_CMD_PORT_SET, false);
	if (!msg)
		return EXIT_KERNEL;
	nla_put_string(msg, WEFT_ATTR_PORT_NAME, change.name);
	if (change.engine)
		nla_put_string(msg, WEFT_ATTR_PORT_ENGINE, change.engine);
	if (change.has_cpu)
		nla_put_u32(msg, WEFT_ATTR_ENGINE_CPU, change.cpu);
	if (change.idle_us)
		nla_put_u32(msg, WEFT_ATTR_ENGINE_IDLE, change.idle_us);
	if (change.priorities)
		nla_put_string(msg, WEFT_ATTR_PORT_PRIORITIES, change.priorities);
	if (change.bypass)
		nla_put_string(msg, WEFT_ATTR_PORT_BYPASS, change.bypass);
	if (change.doorbell)
		nla_put_string(msg, WEFT_ATTR_PORT_DOORBELL, change.doorbell);
	if (change.rma_users)
		nla_put_string(msg, WEFT_ATTR_PORT_RMA_USERS, change.rma_users);
	if (change.histograms)
		nla_put_string(msg, WEFT_ATTR_PORT_HISTOGRAMS, change.histograms);
	if (change.questions)
		nla_put_string(msg, WEFT_ATTR_PORT_QUESTIONS, change.questions);
	return perform(msg, NULL, NULL, "port set", change.name);
}

int do_port(int argc, char **argv)
{
	static const struct verb verbs[] = {
		{ "add", add_port,
		  "add NAME loop addr ADDR... [udp PORT]\n"
		  "add NAME netdev DEV [addr ADDR]... [udp PORT]\n"
		  "add NAME vnet DEVICE addr ADDR/LEN... [gw ADDR]... [vlan N]\n"
		  "         [mtu N] [queues N] [udp PORT]",
		  "NAME: of the port, also of its device /dev/weft/NAME\n"
		  "loop: within this node; netdev DEV: on a network device, beside the IP stack;\n"
		  "vnet DEVICE: on a virtio network device, by PCI address or virtio name, that is\n"
		  "taken from the IP stack until the port is deleted\n"
		  "ADDR: IPv4 or IPv6 address of the port; default of netdev: those of DEV\n"
		  "LEN: bits that the addresses of all nodes on the link have in common; gw ADDR: way\n"
		  "to all others\n"
		  "PORT: UDP port on the wire, the same on all nodes; default: 9471" },
		{ "delete", del_port, "del NAME [force]",
		  "del: delete a port; force: also while programs have it open, which get errors" },
		{ "show", show_ports, "[show [[port] NAME]]",
		  "show: all ports, or one" },
		{ "set", set_port,
		  "set NAME [engine { inline | poll | auto }] [cpu { N | any }] [idle-us N]\n"
		  "         [priorities { on | off }] [bypass { auto | on | off }]\n"
		  "         [doorbell { lseek | ioctl }] [rma-users { same | any }]\n"
		  "         [histograms { on | off }] [questions { on | off }]",
		  "engine: who takes what programs post: their own calls, a thread that polls, or as\n"
		  "it pays\n"
		  "cpu: of that thread; idle-us: how long it looks for work before it sleeps\n"
		  "priorities: short messages may overtake long ones on the wire (DSCP)\n"
		  "bypass: a netdev port goes round the IP stack where that only forwards packets;\n"
		  "auto: on kernels with which this was tested\n"
		  "doorbell: call by which programs that open the port from now on notify and wait\n"
		  "rma-users: users whose programs may access regions by key, in the default job\n"
		  "histograms: messages are measured, see \"weftctl histogram\"; they are slower\n"
		  "questions: \"weftctl hang\" on other nodes may ask what programs of the job\n"
		  "do" },
		{ "list", show_ports, NULL, NULL },
		{ "flush", flush_ports, "flush [force]",
		  "flush: delete all ports, or none if programs have one open; force: all" },
		{ 0 }
	};

	return run_verb("port", verbs, argc, argv);
}
