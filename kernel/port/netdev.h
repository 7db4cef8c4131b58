/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft port - driver "netdev", what its three files share
 *
 * netdev.c	device and addresses: start, stop, events
 * netdev_rx.c	UDP sockets and the hook through which packets come in
 * netdev_tx.c	routes, packet memory, transmission
 *
 * Locks: weft_ports_lock covers weft_udps; rtnl covers the list of struct weft_nd and changes of
 * nd->dev; udp->ports is changed under weft_ports_lock and read under RCU. A struct weft_nd
 * lives from start() to stop(), whose caller lets an RCU grace period pass after detach().
 */
#ifndef WEFT_PORT_NETDEV_H
#define WEFT_PORT_NETDEV_H

#include <linux/netdevice.h>
#include <linux/netfilter.h>

#include "path.h"

/**
 * struct weft_nd - a port on a network device
 * @port: the port
 * @dev: the device, held; NULL: it has gone
 * @tracker: of the reference on @dev
 * @node: in the list of all; rtnl
 * @udp: sockets and hooks, shared; from attach() to detach()
 * @unode: in @udp->ports
 * @udp_port: UDP port
 * @sport: UDP port, network order
 * @speed: Mbit/s, 0: unknown
 * @up: packets can leave and come
 */
struct weft_nd {
	struct weft_port *port;
	struct net_device __rcu *dev;
	netdevice_tracker tracker;
	struct list_head node;
	struct weft_udp *udp;
	struct list_head unode;
	u16 udp_port;
	__be16 sport;
	u32 speed;
	bool up;
};

/**
 * struct weft_udp - a UDP port of a namespace, reserved by sockets and heard by hooks
 * @node: in weft_udps
 * @ports: struct weft_nd that use it
 * @net: namespace
 * @port: UDP port, network order
 * @sock: sockets: IPv4, IPv6 (NULL: the machine has no IPv6)
 * @hook: hooks: likewise
 * @hooked: which of them are registered
 */
struct weft_udp {
	struct list_head node;
	struct list_head ports;
	struct net *net;
	__be16 port;
	struct socket *sock[2];
	struct nf_hook_ops hook[2];
	bool hooked[2];
};

/**
 * struct weft_nd_path - what this driver keeps for a path
 * @dst: route, revalidated before each use
 * @cookie: for that
 * @hash: flow hash of its packets
 */
struct weft_nd_path {
	struct dst_entry *dst;
	u32 cookie;
	u32 hash;
};

int weft_udp_get(struct weft_nd *nd, struct netlink_ext_ack *extack);
void weft_udp_put(struct weft_nd *nd);
int weft_nd_rx_init(void);
void weft_nd_rx_exit(void);

void weft_nd_tx(struct weft_port *port, struct weft_tx *tx, u32 n);
int weft_nd_path_open(struct weft_port *port, struct weft_path *path, void *priv, u32 *max_payload);
void weft_nd_path_close(void *priv);
int weft_nd_tx_init(void);
void weft_nd_tx_exit(void);

#endif
