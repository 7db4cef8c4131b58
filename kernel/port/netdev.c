// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft port - driver "netdev": UDP over IPv4 and IPv6 on an Ethernet device that the IP stack
 * shares
 *
 * Routes, neighbours and firewall are the stack's. The port uses addresses of the device. When the
 * device loses all of them, or the device or its carrier is down, the link is down. It comes up
 * again with them. When the device is unregistered (which includes a move to another namespace),
 * the notifier drops all references on it, and a worker deletes the port.
 *
 * rtnl protects nd->dev and the groups (netdev.h).
 */
#include <linux/ethtool.h>
#include <linux/if_arp.h>
#include <linux/igmp.h>
#include <linux/inetdevice.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/addrconf.h>
#include <net/if_inet6.h>

#include "netdev.h"

static LIST_HEAD(weft_nds);

/* ---- Addresses ------------------------------------------------------------------------------- */

static bool weft_nd_is_link_local(const struct weft_sockaddr *a)
{
	return a->family == AF_INET6 &&
	       ipv6_addr_type((const struct in6_addr *)a->addr) & IPV6_ADDR_LINKLOCAL;
}

static void weft_nd_addr4(struct weft_sockaddr *a, __be32 addr)
{
	memset(a, 0, sizeof(*a));
	a->family = AF_INET;
	memcpy(a->addr, &addr, sizeof(addr));
}

static void weft_nd_addr6(struct weft_sockaddr *a, const struct in6_addr *addr)
{
	memset(a, 0, sizeof(*a));
	a->family = AF_INET6;
	memcpy(a->addr, addr, sizeof(*addr));
}

/* Copy all global addresses of a device, IPv4 first. rtnl is held. */
static u32 weft_nd_addrs(const struct net_device *dev, struct weft_sockaddr *addr, u32 max)
{
	struct in_device *in = __in_dev_get_rtnl(dev);
	struct inet6_dev *in6 = __in6_dev_get(dev);
	struct inet6_ifaddr *ifp;
	struct in_ifaddr *ifa;
	u32 n = 0;

	ASSERT_RTNL();
	if (in) {
		in_dev_for_each_ifa_rtnl(ifa, in)
			if (n < max && ifa->ifa_scope == RT_SCOPE_UNIVERSE)
				weft_nd_addr4(&addr[n++], ifa->ifa_local);
	}
	if (in6) {
		read_lock_bh(&in6->lock);
		list_for_each_entry(ifp, &in6->addr_list, if_list)
			if (n < max && !ipv6_addr_scope(&ifp->addr) &&
			    !(ifp->flags & (IFA_F_TEMPORARY | IFA_F_DADFAILED)))
				weft_nd_addr6(&addr[n++], &ifp->addr);
		read_unlock_bh(&in6->lock);
	}
	return n;
}

/* rtnl is held. */
static bool weft_nd_has_addr(const struct net_device *dev, const struct weft_sockaddr *addr)
{
	struct in_device *in = __in_dev_get_rtnl(dev);
	struct inet6_dev *in6 = __in6_dev_get(dev);
	struct inet6_ifaddr *ifp;
	struct in_ifaddr *ifa;
	bool has = false;

	ASSERT_RTNL();
	if (addr->family == AF_INET && in) {
		in_dev_for_each_ifa_rtnl(ifa, in)
			has |= !memcmp(addr->addr, &ifa->ifa_local, sizeof(ifa->ifa_local));
	}
	if (addr->family == AF_INET6 && in6) {
		read_lock_bh(&in6->lock);
		list_for_each_entry(ifp, &in6->addr_list, if_list)
			has |= !memcmp(addr->addr, &ifp->addr, sizeof(ifp->addr));
		read_unlock_bh(&in6->lock);
	}
	return has;
}

/* rtnl is held. */
static int weft_nd_choose(const struct net_device *dev, struct weft_port_conf *conf,
			  struct netlink_ext_ack *extack)
{
	u32 i;

	ASSERT_RTNL();
	if (!conf->naddr) {
		conf->naddr = weft_nd_addrs(dev, conf->addr, WEFT_CORE_ADDRS);
		if (conf->naddr)
			return 0;
		NL_SET_ERR_MSG(extack,
			       "the device has no global address; add one with 'ip address add'");
		return -EADDRNOTAVAIL;
	}
	for (i = 0; i < conf->naddr; i++) {
		if (!weft_nd_has_addr(dev, &conf->addr[i])) {
			NL_SET_ERR_MSG(extack,
				       "the device does not have this address; see 'ip address'");
			return -EADDRNOTAVAIL;
		}
		conf->addr[i].scope = weft_nd_is_link_local(&conf->addr[i]) ? dev->ifindex : 0;
	}
	return 0;
}

/* ---- Multicast groups ------------------------------------------------------------------------ */

/*
 * Join: the stack reports the group to the link, and passes its packets to the hook. rtnl is held.
 */
static int weft_nd_group_in(struct net_device *dev, const struct weft_sockaddr *addr)
{
	struct in_device *in = __in_dev_get_rtnl(dev);
	__be32 addr4;

	ASSERT_RTNL();
	if (addr->family == AF_INET6)
		return ipv6_dev_mc_inc(dev, (const struct in6_addr *)addr->addr);
	if (!in)
		return -EADDRNOTAVAIL;
	memcpy(&addr4, addr->addr, sizeof(addr4));
	ip_mc_inc_group(in, addr4);
	return 0;
}

/* Leave a group. rtnl is held. */
static void weft_nd_group_out(struct net_device *dev, struct weft_nd_group *g)
{
	struct in_device *in = __in_dev_get_rtnl(dev);
	__be32 addr4;

	ASSERT_RTNL();
	/* if not joined here, another user may have joined the group */
	if (g->in && g->addr.family == AF_INET6) {
		ipv6_dev_mc_dec(dev, (const struct in6_addr *)g->addr.addr);
	} else if (g->in && in) {
		memcpy(&addr4, g->addr.addr, sizeof(addr4));
		ip_mc_dec_group(in, addr4);
	}
	list_del(&g->node);
	kfree(g);
}

static int weft_nd_group_join(struct weft_nd *nd, struct net_device *dev,
			      const struct weft_sockaddr *addr)
{
	struct weft_nd_group *g = kzalloc(sizeof(*g), GFP_KERNEL_ACCOUNT);
	int err;

	if (!g)
		return -ENOMEM;
	err = weft_nd_group_in(dev, addr);
	if (err) {
		kfree(g);
		return err;
	}
	g->addr = *addr;
	g->in = true;
	list_add(&g->node, &nd->groups);
	return 0;
}

static int weft_nd_group(struct weft_port *port, const struct weft_sockaddr *addr, bool join)
{
	struct weft_nd *nd = port->priv;
	struct weft_nd_group *g;
	struct net_device *dev;
	int err = -ENODEV;

	rtnl_lock();
	dev = rtnl_dereference(nd->dev);
	if (dev && join)
		err = weft_nd_group_join(nd, dev, addr);
	list_for_each_entry(g, &nd->groups, node) {
		if (!dev || join || g->addr.family != addr->family ||
		    memcmp(g->addr.addr, addr->addr, sizeof(addr->addr)))
			continue;
		weft_nd_group_out(dev, g);
		break;
	}
	rtnl_unlock();
	return join ? err : 0;
}

/*
 * If the device loses a family because its MTU is too small, the stack forgets the groups. They are
 * joined again when the family is back. rtnl is held.
 */
static void weft_nd_group_again(struct weft_nd *nd, struct net_device *dev)
{
	struct weft_nd_group *g;

	ASSERT_RTNL();
	list_for_each_entry(g, &nd->groups, node) {
		if (g->addr.family == AF_INET6 ? !__in6_dev_get(dev) : !__in_dev_get_rtnl(dev))
			g->in = false;
		else if (!g->in)
			g->in = !weft_nd_group_in(dev, &g->addr);
	}
}

/* The port or its device goes. rtnl is held. */
static void weft_nd_group_none(struct weft_nd *nd, struct net_device *dev)
{
	struct weft_nd_group *g, *next;

	ASSERT_RTNL();
	list_for_each_entry_safe(g, next, &nd->groups, node)
		weft_nd_group_out(dev, g);
}

/* ---- Link ------------------------------------------------------------------------------------ */

static u32 weft_nd_speed(struct net_device *dev)
{
	struct ethtool_link_ksettings ks;

	if (!netif_running(dev) || __ethtool_get_link_ksettings(dev, &ks) ||
	    ks.base.speed == (u32)SPEED_UNKNOWN)
		return 0;
	return ks.base.speed;
}

/* rtnl is held; the core's addresses are set. */
static void weft_nd_refresh(struct weft_nd *nd, struct net_device *dev)
{
	const struct weft_core *core = &nd->port->core;
	u8 have = 0;
	u32 i;

	ASSERT_RTNL();
	for (i = 0; i < core->naddr; i++)
		if (weft_nd_has_addr(dev, &core->addr[i]))
			have |= BIT(i);
	weft_nd_group_again(nd, dev);
	WRITE_ONCE(nd->have, have);
	WRITE_ONCE(nd->speed, weft_nd_speed(dev));
	WRITE_ONCE(nd->up, have && netif_running(dev) && netif_carrier_ok(dev) &&
		   dev->mtu >= WEFT_MTU_MIN);
	weft_port_link(nd->port, nd->up);
}

static void weft_nd_look(struct weft_port *port, struct weft_port_look *look)
{
	struct weft_nd *nd = port->priv;
	struct net_device *dev = rcu_dereference(nd->dev);

	if (!dev)
		return;
	strscpy(look->netdev, dev->name, sizeof(look->netdev));
	look->mtu = READ_ONCE(dev->mtu);
	look->speed = READ_ONCE(nd->speed);
	look->link_up = READ_ONCE(nd->up);
	weft_nd_look_bypass(nd, look);
}

/* ---- Life ------------------------------------------------------------------------------------ */

/* rtnl is held. */
static struct net_device *weft_nd_find(struct weft_port *port, struct weft_port_conf *conf,
				       struct netlink_ext_ack *extack)
{
	struct net_device *dev;

	ASSERT_RTNL();
	if (!conf->netdev[0]) {
		NL_SET_ERR_MSG(extack,
			       "a netdev port needs a network device, for example: netdev eth0");
		return ERR_PTR(-EINVAL);
	}
	dev = __dev_get_by_name(port->net, conf->netdev);
	if (!dev || dev->reg_state != NETREG_REGISTERED) {
		NL_SET_ERR_MSG(extack, "no such device in this network namespace; see 'ip link'");
		return ERR_PTR(-ENODEV);
	}
	if (dev->flags & IFF_LOOPBACK) {
		NL_SET_ERR_MSG(extack, "this is the loopback device; use the driver loop instead");
		return ERR_PTR(-EINVAL);
	}
	if (dev->type != ARPHRD_ETHER) {
		NL_SET_ERR_MSG(extack, "this is not an Ethernet device");
		return ERR_PTR(-EINVAL);
	}
	if (dev->mtu < WEFT_MTU_MIN) {
		NL_SET_ERR_MSG(extack,
			       "the MTU is less than 1280; raise it with 'ip link set mtu'");
		return ERR_PTR(-EINVAL);
	}
	return dev;
}

static int weft_nd_start(struct weft_port *port, struct weft_port_conf *conf,
			 struct netlink_ext_ack *extack)
{
	struct net_device *dev;
	struct weft_nd *nd;
	int err;

	nd = kzalloc(sizeof(*nd), GFP_KERNEL_ACCOUNT);
	if (!nd)
		return -ENOMEM;
	nd->port = port;
	INIT_LIST_HEAD(&nd->groups);
	nd->udp_port = conf->udp_port;
	nd->sport = htons(conf->udp_port);

	rtnl_lock();
	dev = weft_nd_find(port, conf, extack);
	err = PTR_ERR_OR_ZERO(dev);
	if (!err)
		err = weft_nd_choose(dev, conf, extack);
	if (!err) {
		netdev_hold(dev, &nd->tracker, GFP_KERNEL);
		rcu_assign_pointer(nd->dev, dev);
		port->priv = nd;
		list_add_tail(&nd->node, &weft_nds);
	}
	rtnl_unlock();
	if (err)
		kfree(nd);
	return err;
}

static int weft_nd_attach(struct weft_port *port, struct netlink_ext_ack *extack)
{
	struct weft_nd *nd = port->priv;
	struct net_device *dev;
	int err = weft_udp_get(nd, extack);

	if (err)
		return err;
	rtnl_lock();
	dev = rtnl_dereference(nd->dev);
	if (dev) {
		weft_nd_refresh(nd, dev);
		weft_nd_register(nd, dev);
	}
	nd->attached = true;
	rtnl_unlock();
	return 0;
}

static void weft_nd_detach(struct weft_port *port)
{
	struct weft_nd *nd = port->priv;
	struct net_device *dev;

	rtnl_lock();
	nd->attached = false;
	weft_nd_unregister(nd);
	dev = rtnl_dereference(nd->dev);
	if (dev)
		weft_nd_group_none(nd, dev);
	rtnl_unlock();
	weft_udp_put(port->priv);
}

static void weft_nd_stop(struct weft_port *port)
{
	struct weft_nd *nd = port->priv;
	struct net_device *dev;

	rtnl_lock();
	list_del(&nd->node);
	dev = rtnl_dereference(nd->dev);
	RCU_INIT_POINTER(nd->dev, NULL);
	if (dev)
		netdev_put(dev, &nd->tracker);
	rtnl_unlock();
	port->priv = NULL;
	kfree(nd);
}

/* ---- Events ---------------------------------------------------------------------------------- */

/* rtnl is held. A port without a core yet is refreshed when it is attached. */
static void weft_nd_lost(struct weft_nd *nd, struct net_device *dev)
{
	ASSERT_RTNL();
	weft_nd_unregister(nd);
	weft_nd_group_none(nd, dev);
	RCU_INIT_POINTER(nd->dev, NULL);
	WRITE_ONCE(nd->up, false);
	/*
	 * Neighbours hold the device, too. The worker, which would drop them, may have to wait for
	 * a vnet port that waits for the device.
	 */
	synchronize_net();
	weft_paths_each(nd->port, weft_nd_head_drop);
	netdev_put(dev, &nd->tracker);
	weft_port_link(nd->port, false);
	weft_port_lost(nd->port);
}

static int weft_nd_event(struct notifier_block *nb, unsigned long event, void *ptr)
{
	struct net_device *dev = netdev_notifier_info_to_dev(ptr);
	struct weft_nd *nd;

	list_for_each_entry(nd, &weft_nds, node) {
		if (rtnl_dereference(nd->dev) != dev)
			continue;
		switch (event) {
		case NETDEV_UNREGISTER:
			weft_nd_lost(nd, dev);
			break;
		case NETDEV_DOWN:
		case NETDEV_GOING_DOWN:
		case NETDEV_CHANGE:
			weft_nd_refresh(nd, dev);
			break;
		case NETDEV_UP: /* paths may have been opened without a route */
		case NETDEV_CHANGEMTU:
			weft_nd_refresh(nd, dev);
			if (nd->attached)
				weft_paths_refit(nd->port);
			break;
		}
	}
	return NOTIFY_DONE;
}

/* Address events come in many contexts: refresh all devices later, in a worker. */
static void weft_nd_refresh_all(struct work_struct *work)
{
	struct net_device *dev;
	struct weft_nd *nd;

	rtnl_lock();
	list_for_each_entry(nd, &weft_nds, node) {
		dev = rtnl_dereference(nd->dev);
		if (dev)
			weft_nd_refresh(nd, dev);
	}
	rtnl_unlock();
}

static DECLARE_WORK(weft_nd_refresh_work, weft_nd_refresh_all);

static int weft_nd_addr_event(struct notifier_block *nb, unsigned long event, void *ptr)
{
	schedule_work(&weft_nd_refresh_work);
	return NOTIFY_DONE;
}

static struct notifier_block weft_nd_notifier = { .notifier_call = weft_nd_event };
static struct notifier_block weft_nd_inet_notifier = { .notifier_call = weft_nd_addr_event };
static struct notifier_block weft_nd_inet6_notifier = { .notifier_call = weft_nd_addr_event };

const struct weft_port_ops weft_netdev_ops = {
	.name = "netdev",
	.path_size = sizeof(struct weft_nd_path),
	.start = weft_nd_start,
	.attach = weft_nd_attach,
	.detach = weft_nd_detach,
	.stop = weft_nd_stop,
	.tx = weft_nd_tx,
	.resv = weft_nd_tx_resv,
	.send = weft_nd_send_resv,
	.path_open = weft_nd_path_open,
	.path_fit = weft_nd_path_fit,
	.path_close = weft_nd_path_close,
	.group = weft_nd_group,
	.look = weft_nd_look,
	.bypass = weft_nd_set_bypass,
};

/**
 * weft_netdev_init - the driver's part of module_init()
 *
 * Context: process.
 * Return: 0, -ENOMEM.
 */
int weft_netdev_init(void)
{
	int err = weft_nd_tx_init();

	if (err)
		return err;
	err = weft_nd_rx_init();
	if (err)
		goto tx;
	err = register_netdevice_notifier(&weft_nd_notifier);
	if (err)
		goto rx;
	err = register_inetaddr_notifier(&weft_nd_inet_notifier);
	if (err)
		goto dev;
	err = register_inet6addr_notifier(&weft_nd_inet6_notifier);
	if (err)
		goto inet;
	return 0;
inet:
	unregister_inetaddr_notifier(&weft_nd_inet_notifier);
dev:
	unregister_netdevice_notifier(&weft_nd_notifier);
rx:
	weft_nd_rx_exit();
tx:
	weft_nd_tx_exit();
	return err;
}

/**
 * weft_netdev_exit - the reverse of weft_netdev_init(), after all ports are gone
 *
 * Context: process.
 */
void weft_netdev_exit(void)
{
	unregister_inet6addr_notifier(&weft_nd_inet6_notifier);
	unregister_inetaddr_notifier(&weft_nd_inet_notifier);
	unregister_netdevice_notifier(&weft_nd_notifier);
	cancel_work_sync(&weft_nd_refresh_work);
	weft_nd_rx_exit();
	weft_nd_tx_exit();
}
