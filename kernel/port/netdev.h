/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft port - driver "netdev": declarations for its files
 *
 *	netdev.c	device and addresses: start, stop, events
 *	netdev_rx.c	UDP sockets and the hook that receives packets
 *	netdev_tx.c	routes, packet memory, transmission
 *	netdev_bypass.c	stack bypass of single packets, in both directions
 *
 * weft_ports_lock protects weft_udps. rtnl protects the list of struct weft_nd and changes of
 * nd->dev. udp->ports is changed under weft_ports_lock and read under RCU. A struct weft_nd lives
 * from start() to stop(). The caller of stop() waits for an RCU grace period after detach().
 */
#ifndef WEFT_PORT_NETDEV_H
#define WEFT_PORT_NETDEV_H

#include <linux/netdevice.h>
#include <linux/netfilter.h>
#include <linux/pkt_sched.h>

#include "path.h"

struct iphdr;
struct ipv6hdr;
struct weft_nd_head;

#define WEFT_ND_SMALL	2048U	/* packets up to this length follow their headers directly */

/**
 * struct weft_nd - a port on a network device
 * @port: the port
 * @dev: the device, held; NULL: the device has gone
 * @tracker: for the reference on @dev
 * @node: in the list of all; rtnl
 * @udp: sockets and hooks, shared; from attach() to detach()
 * @unode: in @udp->ports
 * @ingress: hook at the device; rtnl
 * @hooked: @ingress is registered; rtnl
 * @attached: from attach() to detach(); rtnl
 * @bypass: the port bypasses the IP stack now; rtnl, read anywhere
 * @bypass_mode: its setting, WEFT_BYPASS_*; rtnl, read anywhere
 * @udp_port: UDP port
 * @sport: UDP port, network order
 * @speed: Mbit/s, 0: unknown
 * @up: packets can be sent and received
 * @have: bit mask of the port's addresses that the device has now
 * @groups: struct weft_nd_group, multicast addresses that the device has joined for the port; rtnl
 */
struct weft_nd {
	struct weft_port *port;
	struct net_device __rcu *dev;
	netdevice_tracker tracker;
	struct list_head node;
	struct weft_udp *udp;
	struct list_head unode;
	struct nf_hook_ops ingress;
	bool hooked;
	bool attached;
	bool bypass;
	u32 bypass_mode;
	u16 udp_port;
	__be16 sport;
	u32 speed;
	bool up;
	u8 have;
	struct list_head groups;
};

/**
 * struct weft_nd_group - a multicast address that a device has joined for a port
 * @node: in nd->groups
 * @addr: the address
 * @in: joined; false while the device's MTU is too small for the address's family
 */
struct weft_nd_group {
	struct list_head node;
	struct weft_sockaddr addr;
	bool in;
};

/**
 * struct weft_udp - a UDP port of a namespace, reserved by sockets, received by hooks
 * @node: in weft_udps
 * @ports: struct weft_nd that use it
 * @net: namespace
 * @port: UDP port, network order
 * @sock: sockets: IPv4, IPv6 (NULL: the machine has no IPv6)
 * @hook: hooks: IPv4, IPv6
 * @hooked: whether each hook is registered
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
 * struct weft_nd_path - this driver's part of a path
 * @dst: route, revalidated before each use
 * @cookie: for the revalidation of @dst
 * @hash: flow hash of its packets, see weft_nd_flow()
 * @head: headers of its packets, NULL: unknown; RCU
 */
struct weft_nd_path {
	struct dst_entry *dst;
	struct weft_nd_head *head;
	u32 cookie;
	u32 hash;
};

int weft_udp_get(struct weft_nd *nd, struct netlink_ext_ack *extack);
void weft_udp_put(struct weft_nd *nd);
void weft_nd_long(struct weft_udp *udp, struct sk_buff *skb, u32 off, bool v6);
int weft_nd_rx_init(void);
void weft_nd_rx_exit(void);

void weft_nd_tx(struct weft_port *port, struct weft_tx *tx, u32 n);
int weft_nd_path_open(struct weft_port *port, struct weft_path *path, void *priv, u32 *max_payload);
u32 weft_nd_path_fit(struct weft_port *port, struct weft_path *path);
void weft_nd_path_close(void *priv);
struct sk_buff *weft_nd_skb(u32 head, u32 len);
struct sk_buff *weft_nd_fill(u32 head, const struct weft_tx *tx, u32 at, u32 n, int *put);
struct sk_buff *weft_nd_join(struct weft_nd *nd, u32 head, const struct weft_tx *tx, u32 n);
void weft_nd_ip4(struct iphdr *ip, const struct weft_sockaddr *src, const struct weft_sockaddr *to,
		 const struct dst_entry *dst, u8 tos);
void weft_nd_ip6(struct ipv6hdr *ip6, const struct weft_sockaddr *src,
		 const struct weft_sockaddr *to, struct dst_entry *dst, u8 tos);

/*
 * Priority within the node of packets with DSCP and ECN fields @tos. DATA packets have the default
 * priority, so that packets of other programs do not starve them.
 */
static inline u32 weft_nd_prio(u8 tos)
{
	if (tos >> 5 == 4)
		return TC_PRIO_INTERACTIVE;
	return tos >> 5 == 2 ? TC_PRIO_INTERACTIVE_BULK : TC_PRIO_BESTEFFORT;
}

/*
 * Flow hash of a path's packets with DSCP and ECN fields @tos. Each class is a flow of its own for
 * queueing disciplines that hash flows, and for devices with several queues. fq_codel serves first
 * a flow that rarely sends. Both use the upper bits.
 */
static inline u32 weft_nd_flow(const struct weft_nd_path *np, u8 tos)
{
	return np->hash ^ (u32)tos << 24;
}

int weft_nd_tx_init(void);
void weft_nd_tx_exit(void);

bool weft_nd_bypass(struct weft_nd *nd, const struct weft_tx *tx, u32 n);
bool weft_nd_tx_resv(struct weft_port *port, struct weft_path *path, struct weft_tx_resv *b);
void weft_nd_send_resv(struct weft_port *port, struct weft_path *path, struct weft_tx_resv *b);
void weft_nd_unsent(struct weft_nd *nd, u32 n, int err);
void weft_nd_head_make(struct weft_nd *nd, struct weft_path *path, struct dst_entry *dst, u32 room);
void weft_nd_head_drop(void *priv);
void weft_nd_register(struct weft_nd *nd, struct net_device *dev);
void weft_nd_unregister(struct weft_nd *nd);
void weft_nd_set_bypass(struct weft_port *port, u32 mode);
void weft_nd_look_bypass(const struct weft_nd *nd, struct weft_port_look *look);

#endif
