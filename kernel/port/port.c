// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft port - life of a port, and the list of ports
 *
 * The state machine is in port.h. Four events delete a port:
 *
 * - The administrator deletes it.
 * - Its namespace ends (pernet exit).
 * - Its device ends (weft_port_lost(), by a worker).
 * - The module ends (through pernet exit).
 *
 * All call weft_port_kill(). Its steps, in order:
 *
 * - Lookups fail.
 * - The engine stops.
 * - Reception stops.
 * - Opens fail, and the core fails all endpoints. It reports that to peers, so packets still leave.
 * - Transmission stops.
 * - Timers stop.
 * - The driver releases its device.
 *
 * weft_ports_lock protects the list of ports, their names and states.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ctype.h>
#include <linux/moduleparam.h>
#include <linux/netdevice.h>
#include <linux/netlink.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <net/net_namespace.h>

#include "history.h"
#include "path.h"
#include "port.h"
#include "upcalls.h"

/* A user may take a quarter of the memory for rings and descriptors, on small machines this. */
#define WEFT_PORT_MEMORY_MIN	(256ull << 20)

/* The list of ports, their names and states. */
DEFINE_MUTEX(weft_ports_lock);
LIST_HEAD(weft_ports);

static const struct weft_port_ops *const weft_drivers[] = {
	&weft_loop_ops,
	&weft_netdev_ops,
	&weft_vnet_ops,
};

/* ---- Lookup ---------------------------------------------------------------------------------- */

/**
 * weft_port_find - find a port
 * @net: namespace
 * @name: its name
 * @extack: receives the reason of a failure
 *
 * Context: any.
 * Return: the port, referenced, NULL: no such port.
 */
struct weft_port *weft_port_find(struct net *net, const char *name, struct netlink_ext_ack *extack)
{
	struct weft_port *port, *found = NULL;

	rcu_read_lock();
	list_for_each_entry_rcu(port, &weft_ports, node) {
		if (port->net_cookie == net->net_cookie && !strcmp(port->name, name)) {
			if (weft_port_tryget(port))
				found = port;
			break;
		}
	}
	rcu_read_unlock();
	if (!found)
		NL_SET_ERR_MSG(extack, "no such port in this network namespace; see 'port show'");
	return found;
}

/**
 * weft_port_state_name - name of a port's state, in readable form
 * @port: the port
 *
 * Context: any.
 * Return: the name.
 */
const char *weft_port_state_name(const struct weft_port *port)
{
	switch (READ_ONCE(port->state)) {
	case WEFT_PORT_UP:
		return "up";
	case WEFT_PORT_NEW:
	case WEFT_PORT_DOWN:
		return "down";
	default:
		return "gone";
	}
}

/**
 * weft_port_look - read the state of the link from the driver
 * @port: the port
 * @look: out: all zero when the port has gone
 *
 * Context: any.
 */
void weft_port_look(struct weft_port *port, struct weft_port_look *look)
{
	memset(look, 0, sizeof(*look));
	rcu_read_lock();
	if (READ_ONCE(port->state) < WEFT_PORT_GONE)
		port->ops->look(port, look);
	rcu_read_unlock();
}

/**
 * weft_port_neigh - read an entry of the neighbour table
 * @port: the port
 * @n: number of the entry, counted from 0
 * @info: out
 *
 * Context: any but hard interrupts.
 * Return: true; false: no more entries.
 */
bool weft_port_neigh(struct weft_port *port, u32 n, struct weft_neigh_info *info)
{
	bool found = false;

	rcu_read_lock();
	if (port->ops->neigh && READ_ONCE(port->state) < WEFT_PORT_GONE)
		found = port->ops->neigh(port, n, info);
	rcu_read_unlock();
	return found;
}

/**
 * weft_port_query - fill in the port's part of the answer to WEFT_IOC_QUERY
 * @port: the port
 * @q: out: name, netdev, driver, mtu, speed, link_up
 *
 * Context: any.
 */
void weft_port_query(struct weft_port *port, struct weft_ioc_query *q)
{
	struct weft_port_look look;

	weft_port_look(port, &look);
	strscpy_pad(q->name, port->name, sizeof(q->name));
	strscpy_pad(q->netdev, look.netdev, sizeof(q->netdev));
	strscpy_pad(q->driver, port->ops->name, sizeof(q->driver));
	q->mtu = look.mtu;
	q->speed = look.speed;
	q->link_up = look.link_up;
}

/**
 * weft_env_group - start or stop reception for a multicast group; see core/base/env.h
 * @core: the core
 * @group: the group
 * @join: true: start
 *
 * Context: process.
 * Return: 0, -ENODEV: the port is going; or the driver's result.
 */
int weft_env_group(struct weft_core *core, const struct weft_sockaddr *group, bool join)
{
	struct weft_port *port = weft_port_of(core);
	int err = 0;

	mutex_lock(&port->group_lock);
	if (READ_ONCE(port->state) >= WEFT_PORT_GOING)
		err = -ENODEV;
	else if (port->ops->group)
		err = port->ops->group(port, group, join);
	mutex_unlock(&port->group_lock);
	return err;
}

/* ---- End of a port --------------------------------------------------------------------------- */

/* Reception has stopped for good: stop transmission too. */
static void weft_port_down(struct weft_port *port)
{
	lockdep_assert_held(&weft_ports_lock);
	WRITE_ONCE(port->state, WEFT_PORT_GONE);
	weft_paths_stop(port);
	synchronize_net();
	weft_paths_release(port);
	port->ops->stop(port);
	weft_history_close(port->history);
}

/* The caller holds weft_ports_lock and a reference of its own. */
static void weft_port_kill(struct weft_port *port)
{
	lockdep_assert_held(&weft_ports_lock);
	if (port->state >= WEFT_PORT_GOING)
		return;
	xchg(&port->state, WEFT_PORT_GOING);
	list_del_rcu(&port->node);
	weft_up_halt(port);
	/* a later group join sees that the port is going */
	mutex_lock(&port->group_lock);
	mutex_unlock(&port->group_lock);
	port->ops->detach(port);
	weft_up_del(port);
	weft_history_plain(port->history, WEFT_NOTE_PORT_DEL);
	weft_port_down(port);
	pr_info("%s: deleted\n", port->name);
	weft_port_put(port);
}

static void weft_port_kill_work(struct work_struct *work)
{
	struct weft_port *port = container_of(work, struct weft_port, kill_work);

	mutex_lock(&weft_ports_lock);
	weft_port_kill(port);
	mutex_unlock(&weft_ports_lock);
	weft_port_put(port);
}

/**
 * weft_port_del - delete a port
 * @net: namespace
 * @name: its name
 * @force: also if programs have it open
 * @extack: receives the reason of a failure
 *
 * A program that opens the port during the call loses it, with and without @force.
 *
 * Context: process.
 * Return: 0, -ENODEV, -EBUSY: programs have it open.
 */
int weft_port_del(struct net *net, const char *name, bool force, struct netlink_ext_ack *extack)
{
	struct weft_port *port;
	int err = 0;

	mutex_lock(&weft_ports_lock);
	port = weft_port_find(net, name, extack);
	if (!port) {
		err = -ENODEV;
	} else if (!force && weft_up_used(port)) {
		NL_SET_ERR_MSG(extack, "programs use the port; end them, or add the word force");
		err = -EBUSY;
	} else {
		weft_port_kill(port);
	}
	if (port)
		weft_port_put(port);
	mutex_unlock(&weft_ports_lock);
	return err;
}

/**
 * weft_port_set_flags - change settings of a port that are on or off
 * @net: namespace
 * @name: the port's name
 * @flags: the changes
 * @extack: receives the reason of a failure
 *
 * Context: process.
 * Return: 0, -ENODEV.
 */
int weft_port_set_flags(struct net *net, const char *name, const struct weft_port_flags *flags,
			struct netlink_ext_ack *extack)
{
	struct weft_port *port = weft_port_find(net, name, extack);

	if (!port)
		return -ENODEV;
	if (flags->priorities >= 0)
		WRITE_ONCE(port->core.conf.priorities, flags->priorities);
	if (flags->same_user >= 0)
		WRITE_ONCE(port->core.conf.rma_same_user, flags->same_user);
	if (flags->questions >= 0)
		WRITE_ONCE(port->core.conf.questions, flags->questions);
	if (flags->histograms >= 0) {
		/* dumps read them under this lock */
		mutex_lock(&weft_ports_lock);
		weft_core_measure(&port->core, flags->histograms);
		mutex_unlock(&weft_ports_lock);
	}
	weft_port_put(port);
	return 0;
}

/**
 * weft_port_set_bypass - change the setting of a port's stack bypass
 * @net: namespace
 * @name: the port's name
 * @mode: WEFT_BYPASS_*
 * @extack: receives the reason of a failure
 *
 * Context: process.
 * Return: 0, -ENODEV, -EOPNOTSUPP: the port has no IP stack to bypass.
 */
int weft_port_set_bypass(struct net *net, const char *name, u32 mode,
			 struct netlink_ext_ack *extack)
{
	struct weft_port *port;
	int err = 0;

	mutex_lock(&weft_ports_lock);
	port = weft_port_find(net, name, extack);
	if (!port) {
		err = -ENODEV;
	} else if (!port->ops->bypass) {
		NL_SET_ERR_MSG(extack, "only a netdev port has an IP stack to bypass");
		err = -EOPNOTSUPP;
	} else {
		port->ops->bypass(port, mode);
	}
	if (port)
		weft_port_put(port);
	mutex_unlock(&weft_ports_lock);
	return err;
}

/* ---- Creation of a port ---------------------------------------------------------------------- */

/* The name must be valid in /dev/weft and /sys/class/weft, and as a word of weftctl. */
static bool weft_port_name_ok(const char *name)
{
	const char *p;

	if (!*name || !isalnum(*name))
		return false;
	for (p = name; *p; p++)
		if (!isascii(*p) || (!isalnum(*p) && !strchr("-_.", *p)))
			return false;
	return true;
}

static int weft_port_name_free(const char *name, struct netlink_ext_ack *extack)
{
	struct weft_port *port;

	list_for_each_entry(port, &weft_ports, node) {
		if (!strcmp(port->name, name)) {
			NL_SET_ERR_MSG(extack,
				       "the name is taken, maybe in another network namespace");
			return -EEXIST;
		}
	}
	return 0;
}

static const struct weft_port_ops *weft_driver_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(weft_drivers); i++)
		if (!strcmp(weft_drivers[i]->name, name))
			return weft_drivers[i];
	return NULL;
}

/* Reject settings that the driver does not support. */
static int weft_port_conf_ok(const struct weft_port_ops *ops, const struct weft_port_conf *conf,
			     struct netlink_ext_ack *extack)
{
	u32 i, own = conf->device[0] || conf->gw[0].family || conf->gw[1].family || conf->vlan ||
		     conf->mtu || conf->queues;

	for (i = 0; i < conf->naddr; i++)
		own |= conf->prefix[i];
	if (!own || ops->owns)
		return 0;
	NL_SET_ERR_MSG(extack,
		       "prefix length, gw, vlan, mtu and queues are for a port that owns its device: vnet");
	return -EINVAL;
}

/* For tests: the value that ports have when they are added. */
static bool weft_fast_paths = true;
module_param_named(fast_paths, weft_fast_paths, bool, 0644);
MODULE_PARM_DESC(fast_paths, "take the fast paths of the protocol (0: for tests)");

static struct weft_port *weft_port_alloc(struct net *net, const struct weft_port_ops *ops,
					 const char *name)
{
	struct weft_port *port = kvzalloc(sizeof(*port), GFP_KERNEL_ACCOUNT);

	if (!port)
		return NULL;
	strscpy(port->name, name, sizeof(port->name));
	port->ops = ops;
	port->net = net;
	port->net_cookie = net->net_cookie;
	port->history = weft_history_open(net, name);
	if (!port->history) {
		kvfree(port);
		return NULL;
	}
	refcount_set(&port->ref, 1);
	INIT_LIST_HEAD(&port->node);
	spin_lock_init(&port->path_lock);
	INIT_LIST_HEAD(&port->ppaths);
	mutex_init(&port->group_lock);
	INIT_WORK(&port->kill_work, weft_port_kill_work);
	return port;
}

/* On failure drops the reference. If the device has gone, weft_port_lost() may hold another one. */
static int weft_port_begin(struct weft_port *port, struct weft_port_conf *conf,
			   struct netlink_ext_ack *extack)
{
	struct weft_conf cc;
	int err;

	lockdep_assert_held(&weft_ports_lock);
	err = port->ops->start(port, conf, extack);
	if (err)
		goto close;
	weft_conf_default(&cc);
	cc.udp_port = conf->udp_port;
	cc.fast = READ_ONCE(weft_fast_paths);
	cc.memory_user = max_t(u64, (u64)totalram_pages() << PAGE_SHIFT >> 2, WEFT_PORT_MEMORY_MIN);
	err = weft_core_init(&port->core, &cc, conf->addr, conf->naddr, port);
	if (err) {
		NL_SET_ERR_MSG(extack, "not enough memory for the port");
		goto stop;
	}
	port->begun = true;
	WRITE_ONCE(port->state, WEFT_PORT_DOWN);
	err = port->ops->attach(port, extack);
	if (err)
		goto down;
	err = weft_up_add(port);
	if (err) {
		NL_SET_ERR_MSG(extack, "cannot make the device node");
		goto detach;
	}
	list_add_tail_rcu(&port->node, &weft_ports);
	weft_history_plain(port->history, WEFT_NOTE_PORT_ADD);
	return 0;

detach:
	port->ops->detach(port);
	/* other nodes may have opened paths already */
	weft_paths_fail(port);
down:
	weft_port_down(port);
	goto put;
stop:
	WRITE_ONCE(port->state, WEFT_PORT_GONE);
	port->ops->stop(port);
close:
	weft_history_close(port->history);
put:
	weft_port_put(port);
	return err;
}

/**
 * weft_port_add - create a port
 * @net: namespace, stays valid
 * @driver: "loop", "netdev", "vnet"
 * @conf: settings; the driver's choices are filled in
 * @extack: receives the reason of a failure
 *
 * Context: process.
 * Return: 0 or a negative errno.
 */
int weft_port_add(struct net *net, const char *driver, struct weft_port_conf *conf,
		  struct netlink_ext_ack *extack)
{
	const struct weft_port_ops *ops = weft_driver_find(driver);
	struct weft_port *port;
	int err;

	if (!ops) {
		NL_SET_ERR_MSG(extack, "no such driver; there are: loop, netdev, vnet");
		return -EINVAL;
	}
	if (!weft_port_name_ok(conf->name)) {
		NL_SET_ERR_MSG(extack, "a name is made of letters, digits, '-', '_' and '.'");
		return -EINVAL;
	}
	err = weft_port_conf_ok(ops, conf, extack);
	if (err)
		return err;
	if (!conf->udp_port)
		conf->udp_port = WEFT_UDP_PORT;

	mutex_lock(&weft_ports_lock);
	err = weft_port_name_free(conf->name, extack);
	if (err)
		goto unlock;
	port = weft_port_alloc(net, ops, conf->name);
	if (!port) {
		err = -ENOMEM;
		goto unlock;
	}
	err = weft_port_begin(port, conf, extack);
	if (!err)
		pr_info("%s: added, driver %s%s%s%s\n", port->name, ops->name,
			conf->netdev[0] || conf->device[0] ? ", device " : "", conf->netdev,
			conf->device);
unlock:
	mutex_unlock(&weft_ports_lock);
	return err;
}

/* ---- Namespaces and the module --------------------------------------------------------------- */

static void __net_exit weft_net_exit(struct net *net)
{
	struct weft_port *port, *tmp;

	mutex_lock(&weft_ports_lock);
	list_for_each_entry_safe(port, tmp, &weft_ports, node)
		if (net_eq(port->net, net))
			weft_port_kill(port);
	mutex_unlock(&weft_ports_lock);
}

/* A "device" operation, so that ports end before the namespace's network devices. */
static struct pernet_operations weft_net_ops = {
	.exit = weft_net_exit,
};

/**
 * weft_ports_init - start the drivers, and follow the end of namespaces
 *
 * Requires weft_paths_init(), and that devices can be created.
 *
 * Context: process.
 * Return: 0 or a negative errno.
 */
int weft_ports_init(void)
{
	int err;

	weft_port_wq = alloc_workqueue("weft_port", WQ_UNBOUND, 0);
	if (!weft_port_wq)
		return -ENOMEM;
	err = weft_netdev_init();
	if (err)
		goto wq;
	err = weft_vnet_init();
	if (err)
		goto netdev;
	err = register_pernet_device(&weft_net_ops);
	if (err)
		goto vnet;
	return 0;
vnet:
	weft_vnet_exit();
netdev:
	weft_netdev_exit();
wq:
	destroy_workqueue(weft_port_wq);
	return err;
}

/**
 * weft_ports_exit - the reverse of weft_ports_init(); deletes all ports
 *
 * Devices may keep references on ports until weft_paths_exit().
 *
 * Context: process.
 */
void weft_ports_exit(void)
{
	unregister_pernet_device(&weft_net_ops);
	weft_netdev_exit();
	destroy_workqueue(weft_port_wq);
	weft_vnet_exit();
	weft_histories_exit();
}
