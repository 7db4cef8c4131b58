// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft port - driver "vnet": a virtio network device that the port owns
 *
 * It uses no network interface and no IP stack. The administrator assigns the port's addresses, the
 * prefix lengths on the link and the gateways. The port answers requests for its addresses and
 * resolves others (neigh.c). The device reports the state of the link.
 *
 * start() takes the device, and stop() returns it. When the device is unplugged or broken, a worker
 * deletes the port.
 *
 * vn->lock protects the device's state (vnet.h). The functions run in process context unless they
 * say otherwise.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/jiffies.h>
#include <linux/netlink.h>
#include <linux/slab.h>
#include <net/ipv6.h>

#include "history.h"
#include "vnet.h"

/* ---- Link and neighbours --------------------------------------------------------------------- */

/* vn->lock is held; the driver owns the device. */
static bool weft_vnet_link_up(struct weft_vnet *vn)
{
	u16 status = VIRTIO_NET_S_LINK_UP;

	lockdep_assert_held(&vn->lock);
	if (vn->vdev->config->get_status(vn->vdev) & VIRTIO_CONFIG_S_NEEDS_RESET)
		weft_vnet_broken(vn);
	if (virtio_has_feature(vn->vdev, VIRTIO_NET_F_STATUS))
		virtio_cread(vn->vdev, struct virtio_net_config, status, &status);
	return status & VIRTIO_NET_S_LINK_UP;
}

static void weft_vnet_send(struct weft_vnet *vn, struct weft_neigh_out *out)
{
	local_bh_disable();
	rcu_read_lock();
	if (out->n)
		weft_vnet_tx_frames(vn, out);
	rcu_read_unlock();
	local_bh_enable();
	out->n = 0;
}

static void weft_vnet_link_work(struct work_struct *work)
{
	struct weft_vnet *vn = container_of(work, struct weft_vnet, link_work);
	bool up;
	u32 i;

	mutex_lock(&vn->lock);
	up = vn->vdev && vn->live && weft_vnet_link_up(vn);
	mutex_unlock(&vn->lock);
	if (up == vn->up)
		return;
	WRITE_ONCE(vn->up, up);
	weft_port_link(vn->port, up);
	/* Nodes that know these addresses elsewhere update their entries. */
	for (i = 0; up && i < vn->neighs.place.naddr; i++) {
		weft_neigh_announce(&vn->neighs, i, &vn->link_out);
		weft_vnet_send(vn, &vn->link_out);
	}
}

static void weft_vnet_neigh_work(struct work_struct *work)
{
	struct weft_vnet *vn = container_of(work, struct weft_vnet, neigh_work.work);
	u32 conflicts = READ_ONCE(vn->neighs.conflicts);
	bool more;

	if (conflicts != vn->conflicts) {
		vn->conflicts = conflicts;
		weft_history_plain(vn->port->history, WEFT_NOTE_CONFLICT);
		pr_warn_ratelimited("%s: another node on the link has an address of this port\n",
				    vn->port->name);
	}
	do {
		more = weft_neigh_timer(&vn->neighs, weft_now(), &vn->neigh_out);
		weft_vnet_send(vn, &vn->neigh_out);
	} while (more);
	weft_vnet_neigh_wake(vn, weft_now());
}

/**
 * weft_vnet_event - report a change of the device's configuration
 * @vn: the port
 *
 * Context: any.
 */
void weft_vnet_event(struct weft_vnet *vn)
{
	schedule_work(&vn->link_work);
}

/**
 * weft_vnet_neigh_wake - schedule the next run of the neighbour table's timer
 * @vn: the port
 * @now: time
 *
 * Context: any but hard interrupts.
 */
void weft_vnet_neigh_wake(struct weft_vnet *vn, weft_ns now)
{
	weft_ns due = READ_ONCE(vn->neighs.due);

	if (due != U64_MAX)
		mod_delayed_work(system_wq, &vn->neigh_work,
				 due > now ? nsecs_to_jiffies(due - now) + 1 : 0);
}

/* ---- Settings -------------------------------------------------------------------------------- */

static int weft_vnet_addr(const struct weft_sockaddr *a, u32 *prefix,
			  struct netlink_ext_ack *extack)
{
	u32 bits = a->family == AF_INET ? 32 : 128;

	if (a->family == AF_INET6 &&
	    ipv6_addr_type((const struct in6_addr *)a->addr) & IPV6_ADDR_LINKLOCAL) {
		NL_SET_ERR_MSG(extack,
			       "a vnet port has no interface for a link-local address; use another");
		return -EINVAL;
	}
	if (*prefix > bits) {
		NL_SET_ERR_MSG(extack, "the prefix length is more than the address has bits");
		return -EINVAL;
	}
	if (!*prefix)
		*prefix = bits;
	return 0;
}

static int weft_vnet_place(struct weft_vnet *vn, const struct weft_port_conf *conf,
			   struct netlink_ext_ack *extack)
{
	struct weft_neigh_place *place = &vn->neighs.place;
	u32 i, prefix;
	int err;

	place->vlan = conf->vlan;
	place->naddr = conf->naddr;
	for (i = 0; i < conf->naddr; i++) {
		prefix = conf->prefix[i];
		err = weft_vnet_addr(&conf->addr[i], &prefix, extack);
		if (err)
			return err;
		place->addr[i] = conf->addr[i];
		place->prefix[i] = prefix;
	}
	for (i = 0; i < ARRAY_SIZE(conf->gw); i++) {
		if (!conf->gw[i].family)
			continue;
		if (!weft_neigh_reaches(&vn->neighs, &conf->gw[i])) {
			NL_SET_ERR_MSG(extack,
				       "the gateway is not on the link; see the prefix lengths");
			return -ENETUNREACH;
		}
	}
	memcpy(place->gw, conf->gw, sizeof(place->gw));
	return 0;
}

/* ---- Life ------------------------------------------------------------------------------------ */

static int weft_vnet_start(struct weft_port *port, struct weft_port_conf *conf,
			   struct netlink_ext_ack *extack)
{
	struct weft_vnet *vn;
	int err;

	if (conf->netdev[0] || !conf->device[0]) {
		NL_SET_ERR_MSG(extack,
			       "a vnet port needs a virtio device, for example: vnet 0000:01:00.0");
		return -EINVAL;
	}
	if (!conf->naddr) {
		NL_SET_ERR_MSG(extack,
			       "a vnet port needs an address, for example: addr 10.0.0.1/24");
		return -EDESTADDRREQ;
	}
	vn = kvzalloc(sizeof(*vn), GFP_KERNEL_ACCOUNT);
	if (!vn)
		return -ENOMEM;
	vn->port = port;
	vn->sport = htons(conf->udp_port);
	vn->want_mtu = conf->mtu;
	vn->want_pairs = conf->queues;
	mutex_init(&vn->lock);
	INIT_WORK(&vn->link_work, weft_vnet_link_work);
	INIT_DELAYED_WORK(&vn->neigh_work, weft_vnet_neigh_work);
	weft_neigh_init(&vn->neighs);
	err = weft_vnet_place(vn, conf, extack);
	if (!err)
		err = weft_vnet_take(vn, conf->device, extack);
	if (err)
		kvfree(vn);
	else
		port->priv = vn;
	return err;
}

static int weft_vnet_attach(struct weft_port *port, struct netlink_ext_ack *extack)
{
	struct weft_vnet *vn = port->priv;
	int err = weft_vnet_open(vn);

	if (err) {
		NL_SET_ERR_MSG(extack, "the device does not start; see the kernel log");
		return err;
	}
	weft_vnet_event(vn);
	flush_work(&vn->link_work);
	return 0;
}

static void weft_vnet_detach(struct weft_port *port)
{
	struct weft_vnet *vn = port->priv;

	mutex_lock(&vn->lock);
	WRITE_ONCE(vn->ngroups, 0);
	mutex_unlock(&vn->lock);
	WRITE_ONCE(vn->rx_on, false);
	synchronize_net();
}

static void weft_vnet_stop(struct weft_port *port)
{
	struct weft_vnet *vn = port->priv;

	weft_vnet_give(vn);
	weft_neigh_exit(&vn->neighs);
	port->priv = NULL;
	kvfree(vn);
}

static void weft_vnet_look(struct weft_port *port, struct weft_port_look *look)
{
	struct weft_vnet *vn = port->priv;

	strscpy(look->device, vn->name, sizeof(look->device));
	memcpy(look->mac, vn->neighs.place.mac, ETH_ALEN);
	look->vlan = vn->neighs.place.vlan;
	look->queues = vn->npairs;
	look->mtu = vn->mtu;
	look->speed = vn->speed;
	look->link_up = READ_ONCE(vn->up);
}

static bool weft_vnet_neigh_nth(struct weft_port *port, u32 n, struct weft_neigh_info *info)
{
	struct weft_vnet *vn = port->priv;

	return weft_neigh_nth(&vn->neighs, n, weft_now(), info);
}

static u32 weft_vnet_queues(struct weft_port *port)
{
	struct weft_vnet *vn = port->priv;

	return vn->npairs;
}

const struct weft_port_ops weft_vnet_ops = {
	.name = "vnet",
	.path_size = sizeof(struct weft_vnet_path),
	.start = weft_vnet_start,
	.attach = weft_vnet_attach,
	.detach = weft_vnet_detach,
	.stop = weft_vnet_stop,
	.tx = weft_vnet_tx,
	.resv = weft_vnet_tx_resv,
	.send = weft_vnet_send_resv,
	.path_open = weft_vnet_path_open,
	.path_close = weft_vnet_path_close,
	.group = weft_vnet_group,
	.look = weft_vnet_look,
	.queues = weft_vnet_queues,
	.poll = weft_vnet_poll,
	.arm = weft_vnet_arm,
	.neigh = weft_vnet_neigh_nth,
	.owns = true,
};
