// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Ports: add, delete, set, show.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
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

static void print_user(struct nlattr *attrs, int len, const void *arg)
{
	struct nlattr *pid = nla_find(attrs, len, WEFT_ATTR_PID);
	struct nlattr *uid = nla_find(attrs, len, WEFT_ATTR_UID);
	struct nlattr *nep = nla_find(attrs, len, WEFT_ATTR_CTX_NEP);
	char name[32];

	(void)arg;
	if (!pid || !uid || !nep)
		return;
	copy_name(name, sizeof(name), nla_find(attrs, len, WEFT_ATTR_COMM));
	complain("process %u (%s) of user %u has the port open, endpoints: %u", nla_get_u32(pid),
		 name, nla_get_u32(uid), nla_get_u32(nep));
}

/* Print the programs that prevent a deletion. */
static void print_users(const char *port)
{
	struct nl_msg *msg = request(WEFT_CMD_CTX_GET, true);

	if (!msg)
		return;
	nla_put_string(msg, WEFT_ATTR_PORT_NAME, port);
	perform(msg, print_user, NULL, "ctx show", port);
}

static int del_port(int argc, char **argv)
{
	struct nl_msg *msg;
	bool force;
	int ret;

	if (parse_port_del(argc, argv, &force))
		return EXIT_USAGE;
	msg = request(WEFT_CMD_PORT_DEL, false);
	if (!msg)
		return EXIT_KERNEL;
	nla_put_string(msg, WEFT_ATTR_PORT_NAME, argv[0]);
	if (force)
		nla_put_flag(msg, WEFT_ATTR_PORT_FORCE);
	ret = perform(msg, NULL, NULL, "port del", argv[0]);
	if (ret && errno == EBUSY)
		print_users(argv[0]);
	return ret;
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
	return perform(msg, NULL, NULL, "port set", change.name);
}

static int help_port(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	puts("Usage: weftctl port [show [[port] NAME]]\n"
	     "       weftctl port add NAME loop addr ADDR... [udp PORT]\n"
	     "       weftctl port add NAME netdev DEV [addr ADDR]... [udp PORT]\n"
	     "       weftctl port add NAME vnet DEVICE addr ADDR/LEN... [gw ADDR]... [vlan N]\n"
	     "                             [mtu N] [queues N] [udp PORT]\n"
	     "       weftctl port set NAME [engine { inline | poll | auto }] [cpu { N | any }]"
	     " [idle-us N]\n"
	     "                             [priorities { on | off }] [bypass { auto | on | off }]\n"
	     "                             [doorbell { lseek | ioctl }]\n"
	     "       weftctl port del NAME [force]\n"
	     "       weftctl port help\n"
	     "NAME: of the port, also of its device /dev/weft/NAME\n"
	     "loop: within this node; netdev DEV: on a network device, beside the IP stack;\n"
	     "vnet DEVICE: on a virtio network device, by PCI address or virtio name, that is\n"
	     "taken from the IP stack until the port is deleted\n"
	     "force: also while programs have the port open; they get errors\n"
	     "ADDR: IPv4 or IPv6 address of the port; default of netdev: those of DEV\n"
	     "LEN: bits that the addresses of all nodes on the link have in common; gw ADDR: way\n"
	     "to all others\n"
	     "PORT: UDP port on the wire, the same on all nodes; default: 9471\n"
	     "engine: who takes what programs post: their own calls, a thread that polls, or as it pays\n"
	     "cpu: of that thread; idle-us: how long it looks for work before it sleeps\n"
	     "priorities: short messages may overtake long ones on the wire (DSCP)\n"
	     "bypass: a netdev port goes round the IP stack where that only forwards packets;\n"
	     "auto: on kernels with which this was tested\n"
	     "doorbell: call by which programs that open the port from now on notify and wait");
	return 0;
}

int do_port(int argc, char **argv)
{
	static const struct choice verbs[] = {
		{ "add", add_port },
		{ "delete", del_port },
		{ "show", show_ports },
		{ "set", set_port },
		{ "list", show_ports },
		{ "help", help_port },
		{ 0 }
	};
	const struct choice *verb;

	if (!argc)
		return show_ports(0, argv);
	verb = choose(verbs, argv[0]);
	if (!verb) {
		complain("port %s: no such command, try \"weftctl port help\"", argv[0]);
		return EXIT_USAGE;
	}
	if (argc == 2 && !strcmp(argv[1], "help"))
		return help_port(0, NULL);
	return verb->run(argc - 1, argv + 1);
}
