// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft port - driver "netdev": stack bypass
 *
 * For a packet, or a short run, the stack's part of netdev_tx.c and netdev_rx.c costs more than the
 * whole protocol. If the stack would only forward a packet, the driver bypasses it:
 *
 * Transmission: a path keeps the bytes of all headers (struct weft_nd_head). They are made when the
 * neighbour is known, and dropped as soon as it or the route changes. Only lengths and sums are
 * filled in per packet. A device without queueing discipline is called directly, if no tap or
 * filter is attached. Other devices get the frame by dev_queue_xmit().
 *
 * Reception: a hook at the device's ingress takes data packets of paths before they are routed. It
 * runs after taps, traffic control and filters of the device. Packets skip the reverse-path filter:
 * the path's token authenticates the sender. Only the handshake assigns tokens, and it takes the
 * slow path.
 *
 * The bypass is used only while the namespace has no other netfilter hook that such a packet would
 * meet. The first rule of a firewall sends everything to the slow path. The first IPsec policy for
 * input sends all received packets there. The slow path always takes handshakes, neighbours that
 * must be resolved, fragments, IP options, and addresses of other devices.
 *
 * All this relies on private state of netfilter and of traffic control. A kernel that keeps more
 * state could have a firewall that the bypass does not see. So a port with the setting "auto"
 * bypasses the stack only on kernels with which that was tested (WEFT_BYPASS_KERNELS). The module
 * parameter stack_bypass is the setting with which ports begin.
 *
 * np->head is exchanged atomically and read under RCU. weft_nd_register() and weft_nd_unregister()
 * run in process context. All other functions run with BH off inside an RCU read section.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ctype.h>
#include <linux/etherdevice.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/moduleparam.h>
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_netdev.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/udp.h>
#include <linux/utsname.h>
#include <net/inet_ecn.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/lwtunnel.h>
#include <net/neighbour.h>
#include <net/sch_generic.h>
#include <net/xfrm.h>

#include "../trace/trace_core.h"
#include "../compat.h"
#include "../core/wire/wire.h"
#include "netdev.h"

#define WEFT_ND_L2	16	/* bytes before the IP header: the Ethernet header, aligned */

/**
 * struct weft_nd_head - headers of a path's packets
 * @rcu: frees the structure
 * @dst: route of the headers, to the port's device
 * @neigh: next hop
 * @seq: sequence of the next hop's Ethernet header
 * @room: maximum UDP payload of the route
 * @len: bytes of @raw
 * @l3: offset of the IP header in it
 * @v6: true: IPv6
 * @ip_sum: sum of the IPv4 header, without its length, DSCP and ECN; those are 0 in @raw
 * @udp_sum: sum of the pseudo header without the length
 * @raw: Ethernet, IP and UDP header, WEFT_ND_L2 - ETH_HLEN bytes in front
 *
 * Holds a reference on @dst and @neigh until it is unpublished. RCU keeps them readable after that.
 */
struct weft_nd_head {
	struct rcu_head rcu;
	struct dst_entry *dst;
	struct neighbour *neigh;
	u32 seq;
	u32 room;
	u8 len;
	u8 l3;
	bool v6;
	__wsum ip_sum;
	__wsum udp_sum;
	u8 raw[WEFT_ND_L2 + sizeof(struct ipv6hdr) + sizeof(struct udphdr)] __aligned(8);
};

/* ---- Transmission ---------------------------------------------------------------------------- */

static void weft_nd_head_set(struct weft_nd_path *np, struct weft_nd_head *head)
{
	head = xchg(&np->head, head);
	if (!head)
		return;
	neigh_release(head->neigh);
	dst_release(head->dst);
	kfree_rcu(head, rcu);
}

/**
 * weft_nd_head_drop - drop a path's headers
 * @priv: struct weft_nd_path
 *
 * No new headers are made for an unused path, or for one whose port has lost its device.
 * Context: any but hard interrupt.
 */
void weft_nd_head_drop(void *priv)
{
	weft_nd_head_set(priv, NULL);
}

/* Return: true if the next hop is valid. If its state is old, the stack is asked to confirm it. */
static bool weft_nd_head_good(const struct weft_nd_head *head)
{
	struct neighbour *n = head->neigh;

	return !read_seqretry(&n->hh.hh_lock, head->seq) && !READ_ONCE(n->dead) &&
	       !neigh_event_send(n, NULL);
}

/* Copy the Ethernet header of the next hop. Return: true; false: not available now. */
static bool weft_nd_head_l2(struct weft_nd_head *head)
{
	const struct hh_cache *hh = &head->neigh->hh;

	head->seq = read_seqbegin(&hh->hh_lock);
	if (READ_ONCE(hh->hh_len) != ETH_HLEN)
		return false;
	memcpy(head->raw, hh->hh_data, WEFT_ND_L2);
	return !read_seqretry(&hh->hh_lock, head->seq) && weft_nd_head_good(head);
}

static void weft_nd_head_ip(struct weft_nd_head *head, const struct weft_sockaddr *src,
			    const struct weft_sockaddr *to, __be16 port)
{
	struct udphdr *uh;

	head->l3 = WEFT_ND_L2;
	if (head->v6) {
		struct ipv6hdr *ip6 = (struct ipv6hdr *)(head->raw + head->l3);

		weft_nd_ip6(ip6, src, to, head->dst, 0);
		head->udp_sum = ~csum_unfold(csum_ipv6_magic(&ip6->saddr, &ip6->daddr, 0,
							     IPPROTO_UDP, 0));
		uh = (struct udphdr *)(ip6 + 1);
	} else {
		struct iphdr *ip = (struct iphdr *)(head->raw + head->l3);

		weft_nd_ip4(ip, src, to, head->dst, 0);
		head->ip_sum = csum_partial(ip, sizeof(*ip), 0);
		head->udp_sum = csum_tcpudp_nofold(ip->saddr, ip->daddr, 0, IPPROTO_UDP, 0);
		uh = (struct udphdr *)(ip + 1);
	}
	uh->source = port;
	uh->dest = port;
	head->len = (u8 *)(uh + 1) - head->raw;
}

/*
 * Return: true if a route leads directly to the port's device. Packets that are transformed,
 * tunnelled or switched take the slow path. A neighbour of another device is not kept, as that
 * device may go.
 */
static bool weft_nd_plain(const struct weft_nd *nd, const struct dst_entry *dst, bool v6)
{
	return dst->dev == rcu_dereference(nd->dev) && !netif_is_l3_slave(dst->dev) &&
	       !dst_xfrm(dst) && !dst->lwtstate && dst->output == (v6 ? ip6_output : ip_output);
}

/**
 * weft_nd_head_make - make the headers of a path's packets, if possible
 * @nd: the port
 * @path: the path
 * @dst: its route
 * @room: maximum UDP payload of the route
 *
 * Context: BH off, RCU read section; after a packet took the slow path.
 */
void weft_nd_head_make(struct weft_nd *nd, struct weft_path *path, struct dst_entry *dst, u32 room)
{
	const struct weft_sockaddr *src = &nd->port->core.addr[weft_path_src(path)];
	const struct weft_sockaddr *to = weft_path_addr(path);
	struct weft_nd_path *np = weft_path_priv(path);
	bool v6 = to->family == AF_INET6;
	struct weft_nd_head *head = READ_ONCE(np->head);

	if (head && head->dst == dst && weft_nd_head_good(head))
		return;
	if (!READ_ONCE(nd->bypass) || !weft_nd_plain(nd, dst, v6))
		return;
	head = kzalloc(sizeof(*head), GFP_ATOMIC | __GFP_ACCOUNT | __GFP_NOWARN);
	if (!head)
		return;
	head->v6 = v6;
	head->room = room;
	head->neigh = dst_neigh_lookup(dst, to->addr);
	if (!head->neigh)
		goto free;
	if (!weft_nd_head_l2(head) || !dst_hold_safe(dst))
		goto neigh;
	head->dst = dst;
	weft_nd_head_ip(head, src, to, nd->sport);
	weft_nd_head_set(np, head);
	return;
neigh:
	neigh_release(head->neigh);
free:
	kfree(head);
}

/*
 * Return: true if AppArmor's hook is the only one; it checks only sockets. AppArmor is the security
 * module without a hook at LOCAL_OUT. No other hook has this priority and no type.
 */
static bool weft_nd_lsm_alone(const struct nf_hook_entries *e)
{
	const struct nf_hook_ops *ops;

	if (e->num_hook_entries != 1)
		return false;
	ops = READ_ONCE(nf_hook_entries_get_hook_ops(e)[0]);
	return ops->hook_ops_type == NF_HOOK_OP_UNDEFINED &&
	       ops->priority == NF_IP_PRI_SELINUX_FIRST;
}

/* Return: true if an outgoing packet would meet a hook. */
static __always_inline bool weft_nd_filtered_out(struct net *net, bool v6)
{
	struct nf_hook_entries __rcu **hooks = v6 ? net->nf.hooks_ipv6 : net->nf.hooks_ipv4;
	const struct nf_hook_entries *post = rcu_dereference_bh(hooks[NF_INET_POST_ROUTING]);

	return rcu_access_pointer(hooks[NF_INET_LOCAL_OUT]) || (post && !weft_nd_lsm_alone(post));
}

/* Write the headers in front of the packet. */
static __always_inline void weft_nd_head_put(const struct weft_nd_head *head, struct sk_buff *skb,
					     u8 tos)
{
	u32 len = skb->len + sizeof(struct udphdr), i;
	u8 *at = skb->data - head->len;
	struct udphdr *uh = (struct udphdr *)(skb->data - sizeof(*uh));

	/* both are aligned: copy words */
	for (i = 0; i < WEFT_ND_L2 / 8; i++)
		((u64 *)at)[i] = ((const u64 *)head->raw)[i];
	memcpy(at + WEFT_ND_L2, head->raw + WEFT_ND_L2, sizeof(struct iphdr) + sizeof(*uh));
	if (head->v6) {
		struct ipv6hdr *ip6 = (struct ipv6hdr *)(at + WEFT_ND_L2);
		u32 done = WEFT_ND_L2 + sizeof(struct iphdr) + sizeof(*uh);

		memcpy(at + done, head->raw + done, sizeof(*ip6) - sizeof(struct iphdr));
		ip6_flow_hdr(ip6, tos, 0);
		ip6->payload_len = htons(len);
		skb->protocol = htons(ETH_P_IPV6);
	} else {
		struct iphdr *ip = (struct iphdr *)(at + WEFT_ND_L2);

		ip->tos = tos;
		ip->tot_len = htons(len + sizeof(*ip));
		/* the sum has no carry out of 32 bits */
		ip->check = csum_fold(csum_add(head->ip_sum,
					       (__force __wsum)((__force u32)ip->tot_len +
								(__force u32)htons(tos))));
		skb->protocol = htons(ETH_P_IP);
	}
	uh->len = htons(len);
	uh->check = ~csum_fold(csum_add(head->udp_sum, (__force __wsum)uh->len));
	skb->priority = weft_nd_prio(tos);
	skb->ip_summed = CHECKSUM_PARTIAL;
	skb->csum_start = (u8 *)uh - skb->head;
	skb->csum_offset = offsetof(struct udphdr, check);
	skb->transport_header = skb->csum_start;
	skb->network_header = at + head->l3 - skb->head;
	__skb_push(skb, head->len - (WEFT_ND_L2 - ETH_HLEN));
	skb->mac_header = skb->data - skb->head;
}

/* Return: true if the device cuts an aggregate, and takes its pages. */
static noinline bool weft_nd_offloads(const struct sk_buff *skb, const struct net_device *dev)
{
	netdev_features_t need = NETIF_F_SG | (skb_is_gso(skb) ? NETIF_F_GSO_UDP_L4 : 0);

	return (dev->features & need) == need && skb->len < READ_ONCE(dev->gso_max_size) &&
	       skb_shinfo(skb)->gso_segs <= READ_ONCE(dev->gso_max_segs);
}

/* Return: true if the device takes a frame directly from any holder of the queue. */
static __always_inline bool weft_nd_direct(const struct sk_buff *skb, struct net_device *dev,
					   struct netdev_queue *txq, bool v6)
{
	netdev_features_t sums = NETIF_F_HW_CSUM | (v6 ? NETIF_F_IPV6_CSUM : NETIF_F_IP_CSUM);

	return !rcu_dereference_bh(txq->qdisc)->enqueue && dev->features & sums &&
	       netif_running(dev) && netif_carrier_ok(dev) && !weft_egress_active(dev) &&
	       !dev_nit_active(dev) &&
	       (likely(!skb_is_nonlinear(skb)) || weft_nd_offloads(skb, dev));
}

static __always_inline int weft_nd_xmit(struct sk_buff *skb, struct net_device *dev, u32 hash,
					bool v6)
{
	u32 n = READ_ONCE(dev->real_num_tx_queues), q = n > 1 ? reciprocal_scale(hash, n) : 0;
	struct netdev_queue *txq = netdev_get_tx_queue(dev, q);
	int rc = NETDEV_TX_BUSY;

	if (!weft_nd_direct(skb, dev, txq, v6))
		return dev_queue_xmit(skb);
	skb_set_queue_mapping(skb, q);
	HARD_TX_LOCK(dev, txq, smp_processor_id());
	if (!netif_xmit_frozen_or_drv_stopped(txq))
		rc = netdev_start_xmit(skb, dev, txq, false);
	HARD_TX_UNLOCK(dev, txq);
	if (unlikely(!dev_xmit_complete(rc)))
		kfree_skb(skb);
	return rc;
}

/* Return: true if the route has not changed. */
static __always_inline bool weft_nd_same_route(const struct weft_nd_head *head,
					       const struct weft_nd_path *np)
{
	bool same;

	if (unlikely(READ_ONCE(np->dst) != head->dst))
		return false;
	if (likely(!head->v6))
		return dst_check(head->dst, 0);
	rcu_read_lock();
	same = dst_check(head->dst, READ_ONCE(np->cookie));
	rcu_read_unlock();
	return same;
}

/*
 * Return: headers for a packet of @len bytes, NULL: the packet must take the slow path. Of the next
 * hop only the Ethernet address is checked.
 */
static __always_inline struct weft_nd_head *weft_nd_open(const struct weft_nd *nd,
							 struct weft_nd_path *np, u32 len)
{
	struct weft_nd_head *head = READ_ONCE(np->head);

	if (unlikely(!head || len > head->room || !READ_ONCE(nd->up) ||
		     read_seqretry(&head->neigh->hh.hh_lock, head->seq) ||
		     READ_ONCE(head->neigh->dead) || !weft_nd_same_route(head, np) ||
		     weft_nd_filtered_out(nd->port->net, head->v6)))
		return NULL;
	return head;
}

/* Return: bytes in front of the payload. */
static __always_inline u32 weft_nd_front(const struct weft_nd_head *head)
{
	return LL_RESERVED_SPACE(head->dst->dev) + head->len;
}

/* Return: a packet with space for @head and @len bytes of payload, NULL: no memory. */
static __always_inline struct sk_buff *weft_nd_empty(const struct weft_nd_head *head, u32 len)
{
	struct sk_buff *skb = weft_nd_skb(weft_nd_front(head), len);

	if (likely(skb))
		__skb_put(skb, len);
	return skb;
}

/* Write the headers and the fields that drivers read. */
static __always_inline void weft_nd_dress(const struct weft_nd_head *head,
					  const struct weft_nd_path *np, struct sk_buff *skb,
					  u8 tos)
{
	weft_nd_head_put(head, skb, tos);
	skb->dev = head->dst->dev;
	__skb_set_sw_hash(skb, weft_nd_flow(np, tos), true);
}

/* Transmit the packet. */
static __always_inline void weft_nd_leave(struct weft_nd *nd, const struct weft_path *path,
					  struct sk_buff *skb, u32 psn, u32 len)
{
	u32 n = max_t(u32, skb_shinfo(skb)->gso_segs, 1);
	int rc;

	trace_weft_tx(nd->port->name, weft_path_addr(path), psn, len, n);
	rc = weft_nd_xmit(skb, skb->dev, skb->hash, skb->protocol == htons(ETH_P_IPV6));
	if (unlikely(net_xmit_eval(rc)))
		weft_count_add(&nd->port->core, tx_errors, n);
}

/* Make a packet of all of @tx, without headers. Return: NULL: not made; *@err: 0: no memory. */
static struct sk_buff *weft_nd_make(const struct weft_nd_head *head, const struct weft_tx *tx,
				    int *err)
{
	u32 len = weft_tx_len(tx, 0);
	struct sk_buff *skb;
	int put;

	*err = 0;
	if (unlikely(tx->nseg > 1 || len > WEFT_ND_SMALL)) {
		skb = weft_nd_fill(weft_nd_front(head), tx, 0, tx->nseg, &put);
		if (likely(put == tx->nseg))
			return skb;
		*err = put < 0 ? put : -ENOMEM;
	} else {
		skb = weft_nd_empty(head, len);
		if (unlikely(!skb))
			return NULL;
		*err = weft_tx_write(tx, 0, 1, skb->data);
		if (likely(!*err))
			return skb;
	}
	if (skb)
		napi_consume_skb(skb, 1);
	return NULL;
}

/**
 * weft_nd_bypass - send a packet, a run of packets, or several packets as one, by stack bypass
 * @nd: the port
 * @tx: packets of a path
 * @n: entries of @tx; several are no runs, and of equal length except the last
 *
 * Context: BH off, RCU read section.
 * Return: true: sent, or dropped and counted; false: the packets must take the slow path.
 */
bool weft_nd_bypass(struct weft_nd *nd, const struct weft_tx *tx, u32 n)
{
	struct weft_nd_path *np = weft_path_priv(tx->path);
	struct weft_nd_head *head = weft_nd_open(nd, np, tx->len);
	int err = -ECANCELED;	/* weft_nd_join() has counted them */
	struct sk_buff *skb;

	if (unlikely(!head || weft_tx_size(tx) > WEFT_RUN_BYTES || weft_tx_alone(tx) ||
		     neigh_event_send(head->neigh, NULL)))
		return false;
	skb = n > 1 ? weft_nd_join(nd, weft_nd_front(head), tx, n) : weft_nd_make(head, tx, &err);
	if (unlikely(!skb)) {
		if (err)
			weft_nd_unsent(nd, tx->nseg, err);
		return err;
	}
	weft_nd_dress(head, np, skb, weft_port_tos(nd->port, tx->class));
	weft_nd_leave(nd, tx->path, skb, tx->psn, tx->len);
	return true;
}

/* Return: true if the next hop was confirmed recently, or is being confirmed. Marks it as used. */
static bool weft_nd_next_hop(struct neighbour *n)
{
	return likely(READ_ONCE(n->nud_state) & (NUD_CONNECTED | NUD_DELAY | NUD_PROBE)) &&
	       !neigh_event_send(n, NULL);
}

/**
 * weft_nd_tx_resv - reserve a small packet for stack bypass; see struct weft_port_ops
 * @port: the port
 * @path: the path; may be locked: the function calls no code that sends packets
 * @b: the packet
 *
 * Context: BH off.
 * Return: true: reserved; false: the packet must take another path.
 */
bool weft_nd_tx_resv(struct weft_port *port, struct weft_path *path, struct weft_tx_resv *b)
{
	struct weft_nd_path *np = weft_path_priv(path);
	struct weft_nd_head *head = weft_nd_open(port->priv, np, b->len);
	struct sk_buff *skb;

	if (unlikely(!head || !weft_nd_next_hop(head->neigh)))
		return false;
	skb = weft_nd_empty(head, b->len);
	if (unlikely(!skb))
		return false;
	b->data = skb->data;
	b->port = skb;
	weft_nd_dress(head, np, skb, weft_port_tos(port, WEFT_CLASS_FIRST));
	return true;
}

/**
 * weft_nd_send_resv - send a reserved packet; see struct weft_port_ops
 * @port: the port
 * @path: the path
 * @b: the packet
 *
 * Context: BH off since weft_nd_tx_resv().
 */
void weft_nd_send_resv(struct weft_port *port, struct weft_path *path, struct weft_tx_resv *b)
{
	weft_nd_leave(port->priv, path, b->port, b->psn, b->len);
}

/* ---- Reception ------------------------------------------------------------------------------- */

/* Return: true if a received packet would meet a hook other than ours at LOCAL_IN. */
static __always_inline bool weft_nd_filtered_in(struct net *net, bool v6)
{
	struct nf_hook_entries __rcu **hooks = v6 ? net->nf.hooks_ipv6 : net->nf.hooks_ipv4;
	const struct nf_hook_entries *in = rcu_dereference(hooks[NF_INET_LOCAL_IN]);

	return rcu_access_pointer(hooks[NF_INET_PRE_ROUTING]) || !in || in->num_hook_entries != 1;
}

/* Return: true if IPsec policies would check the packet, or if it came by IPsec. */
static __always_inline bool weft_nd_secured(const struct net *net, const struct sk_buff *skb)
{
#ifdef CONFIG_XFRM
	return READ_ONCE(net->xfrm.policy_count[XFRM_POLICY_IN]) || secpath_exists(skb) ||
	       READ_ONCE(net->xfrm.policy_default[XFRM_POLICY_IN]) != XFRM_USERPOLICY_ACCEPT;
#else
	return false;
#endif
}

/*
 * Return: the length of a whole IPv4 UDP packet without options whose length is valid; 0: the
 * packet must take the slow path.
 */
static __always_inline u32 weft_nd_look4(const struct sk_buff *skb)
{
	const struct iphdr *ip = (const struct iphdr *)skb->data;
	u32 len = ntohs(ip->tot_len);

	if (*(const u8 *)ip != 0x45 || ip->protocol != IPPROTO_UDP || ip_is_fragment(ip) ||
	    len > skb->len || ip_fast_csum(ip, sizeof(*ip) / 4))
		return 0;
	return len;
}

/* The same for IPv6. */
static __always_inline u32 weft_nd_look6(const struct sk_buff *skb)
{
	const struct ipv6hdr *ip6 = (const struct ipv6hdr *)skb->data;
	u32 len = ntohs(ip6->payload_len) + sizeof(*ip6);

	if (ip6->version != 6 || ip6->nexthdr != IPPROTO_UDP || len > skb->len ||
	    ipv6_addr_type(&ip6->saddr) & (IPV6_ADDR_MULTICAST | IPV6_ADDR_LINKLOCAL))
		return 0;
	return len;
}

/*
 * Find the index of the destination among the own addresses. Return: true; false: not an address of
 * @nd, or the device does not have it now.
 */
static __always_inline bool weft_nd_own(const struct weft_nd *nd, const void *addr, bool v6,
					u8 *index)
{
	u32 i;
	const struct weft_core *core = &nd->port->core;

	for (i = 0; i < core->naddr; i++) {
		const struct weft_sockaddr *own = &core->addr[i];

		if (own->family != (v6 ? AF_INET6 : AF_INET) || own->scope)
			continue;
		/* constant length: inlined */
		if (v6 ? !memcmp(addr, own->addr, sizeof(struct in6_addr)) :
			 !memcmp(addr, own->addr, sizeof(struct in_addr))) {
			*index = i;
			return READ_ONCE(nd->have) & BIT(i);
		}
	}
	return false;
}

/* Return: true for a linear packet with a verified sum: the core takes it in place. */
static __always_inline bool weft_nd_simple(const struct sk_buff *skb, const struct udphdr *uh)
{
	return !skb_is_nonlinear(skb) && !skb_is_gso(skb) && skb_csum_unnecessary(skb) &&
	       (uh->check || skb->ip_summed == CHECKSUM_PARTIAL);
}

static __always_inline void weft_nd_one_rx(struct weft_nd *nd, struct sk_buff *skb,
					   const struct udphdr *uh, bool v6, u8 dst)
{
	struct weft_rx rx = {
		.data = (const u8 *)(uh + 1),
		.len = ntohs(uh->len) - sizeof(*uh),
		.src = { .family = v6 ? AF_INET6 : AF_INET, .port = uh->source },
		.dst = dst,
	};

	if (v6) {
		memcpy(rx.src.addr, &ipv6_hdr(skb)->saddr, sizeof(struct in6_addr));
		rx.ecn = ipv6_get_dsfield(ipv6_hdr(skb)) & INET_ECN_MASK;
	} else {
		memcpy(rx.src.addr, &ip_hdr(skb)->saddr, sizeof(struct in_addr));
		rx.ecn = ip_hdr(skb)->tos & INET_ECN_MASK;
	}
	trace_weft_rx(nd->port->name, &rx.src, rx.data, rx.len, 1);
	weft_port_rx(nd->port, &rx, 1);
	napi_consume_skb(skb, 1);
}

/* Return: true if a bridge, bond, macvlan or VRF handles the device's packets. */
static __always_inline bool weft_nd_others(const struct net_device *dev)
{
	return rcu_access_pointer(dev->rx_handler) || netif_is_l3_slave(dev);
}

/* Return: true if the packet with the header at @off has data. The header may be in a page. */
static __always_inline bool weft_nd_is_data(const struct sk_buff *skb, u32 off)
{
	const u8 data = WEFT_WIRE_VERSION << 4 | WEFT_PKT_DATA;
	const u8 *vt;
	u8 buf;

	BUILD_BUG_ON(offsetof(struct weft_w_hdr, vt));
	if (likely(skb_headlen(skb) > off))
		return skb->data[off] == data;
	vt = skb_header_pointer(skb, off, sizeof(buf), &buf);
	return vt && *vt == data;
}

/* @v6 is a constant at compile time. */
static __always_inline unsigned int weft_nd_meet(struct weft_nd *nd, struct sk_buff *skb, bool v6)
{
	u32 off = v6 ? sizeof(struct ipv6hdr) : sizeof(struct iphdr), len;
	const struct udphdr *uh;
	struct weft_udp *udp;
	const void *to;
	u8 dst;

	if (skb->pkt_type != PACKET_HOST || skb_headlen(skb) < off + sizeof(*uh))
		return NF_ACCEPT;
	uh = (const struct udphdr *)(skb->data + off);
	if (uh->dest != nd->sport || uh->source != nd->sport ||
	    !weft_nd_is_data(skb, off + sizeof(*uh)))
		return NF_ACCEPT;
	if (skb_shared(skb) || skb_vlan_tag_present(skb) || weft_nd_others(skb->dev) ||
	    (skb_is_gso(skb) && (skb_shinfo(skb)->gso_type & (SKB_GSO_UDP_L4 | SKB_GSO_FRAGLIST)) !=
				SKB_GSO_UDP_L4))
		return NF_ACCEPT;
	len = v6 ? weft_nd_look6(skb) : weft_nd_look4(skb);
	to = v6 ? (const void *)&ipv6_hdr(skb)->daddr : (const void *)&ip_hdr(skb)->daddr;
	udp = READ_ONCE(nd->udp);
	/* ignore bytes of the buffer after the packet's end */
	if (len < off + sizeof(*uh) + WEFT_WIRE_HDR || ntohs(uh->len) + off != len || !udp ||
	    !weft_nd_own(nd, to, v6, &dst) || weft_nd_filtered_in(nd->port->net, v6) ||
	    weft_nd_secured(nd->port->net, skb))
		return NF_ACCEPT;
	if (likely(weft_nd_simple(skb, uh)))
		weft_nd_one_rx(nd, skb, uh, v6, dst);
	else
		weft_nd_long(udp, skb, off, v6);
	return NF_STOLEN;
}

static noinline unsigned int weft_nd_meet6(struct weft_nd *nd, struct sk_buff *skb)
{
	return weft_nd_meet(nd, skb, true);
}

static unsigned int weft_nd_ingress(void *priv, struct sk_buff *skb,
				    const struct nf_hook_state *state)
{
	if (likely(skb->protocol == htons(ETH_P_IP)))
		return weft_nd_meet(priv, skb, false);
	if (skb->protocol == htons(ETH_P_IPV6))
		return weft_nd_meet6(priv, skb);
	return NF_ACCEPT;
}

/* ---- Setting --------------------------------------------------------------------------------- */

static const char * const weft_bypass_names[] = {
	[WEFT_BYPASS_AUTO] = "auto",
	[WEFT_BYPASS_ON] = "on",
	[WEFT_BYPASS_OFF] = "off",
};

/**
 * weft_bypass_by_name - find a setting of the stack bypass
 * @name: "auto", "on", "off"
 *
 * Context: any.
 * Return: WEFT_BYPASS_*, -EINVAL.
 */
int weft_bypass_by_name(const char *name)
{
	return sysfs_match_string(weft_bypass_names, name);
}

static int weft_bypass_param_set(const char *val, const struct kernel_param *kp)
{
	int mode = weft_bypass_by_name(val);

	if (mode < 0)
		return mode;
	WRITE_ONCE(*(u32 *)kp->arg, mode);
	return 0;
}

static int weft_bypass_param_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%s\n", weft_bypass_names[READ_ONCE(*(u32 *)kp->arg)]);
}

static const struct kernel_param_ops weft_bypass_param = {
	.set = weft_bypass_param_set,
	.get = weft_bypass_param_get,
};

static u32 weft_stack_bypass = WEFT_BYPASS_AUTO;
module_param_cb(stack_bypass, &weft_bypass_param, &weft_stack_bypass, 0644);
MODULE_PARM_DESC(stack_bypass, "stack bypass of netdev ports that are added: auto, on or off");

static char *weft_bypass_kernels = WEFT_BYPASS_KERNELS;
module_param_named(bypass_kernels, weft_bypass_kernels, charp, 0444);
MODULE_PARM_DESC(bypass_kernels, "kernels on which stack_bypass=auto means on");

/* Return: true if the running kernel is in the list, whose entries begin its release. */
static bool weft_bypass_tested(void)
{
	const char *release = init_utsname()->release, *p = weft_bypass_kernels;
	size_t n;

	for (;;) {
		n = strcspn(p, ",");
		if (n && !strncmp(release, p, n) && !isdigit(release[n]))
			return true;
		if (!p[n])
			return false;
		p += n + 1;
	}
}

/**
 * weft_nd_look_bypass - report the setting of the bypass, and whether it is used
 * @nd: the port
 * @look: out: bypass, bypass_state
 *
 * Context: any.
 */
void weft_nd_look_bypass(const struct weft_nd *nd, struct weft_port_look *look)
{
	u32 mode = READ_ONCE(nd->bypass_mode);

	look->bypass = weft_bypass_names[mode];
	if (READ_ONCE(nd->bypass))
		look->bypass_state = "on";
	else
		look->bypass_state = mode == WEFT_BYPASS_AUTO ? "untested" : "off";
}

/* Begin or end the bypass, as the setting says. */
static void weft_nd_bypass_apply(struct weft_nd *nd)
{
	bool tested = weft_bypass_tested();
	bool on = nd->bypass_mode == WEFT_BYPASS_AUTO ? tested : nd->bypass_mode == WEFT_BYPASS_ON;

	ASSERT_RTNL();
	if (nd->bypass_mode == WEFT_BYPASS_AUTO && !tested)
		pr_info("%s: no stack bypass: kernel %s is none of the tested ones (%s)\n",
			nd->port->name, init_utsname()->release, weft_bypass_kernels);
	if (on == nd->bypass)
		return;
	WRITE_ONCE(nd->bypass, on);
	if (on) {
		nd->hooked = !nf_register_net_hook(nd->port->net, &nd->ingress);
		return;
	}
	weft_nd_unregister(nd);
	/* no more headers are made after that */
	synchronize_net();
	weft_paths_each(nd->port, weft_nd_head_drop);
}

/**
 * weft_nd_set_bypass - change the setting of the bypass; see struct weft_port_ops
 * @port: the port
 * @mode: WEFT_BYPASS_*
 *
 * Context: process.
 */
void weft_nd_set_bypass(struct weft_port *port, u32 mode)
{
	struct weft_nd *nd = port->priv;

	rtnl_lock();
	WRITE_ONCE(nd->bypass_mode, mode);
	if (rtnl_dereference(nd->dev))
		weft_nd_bypass_apply(nd);
	rtnl_unlock();
}

/**
 * weft_nd_register - begin the bypass, if its setting permits that: a hook at the device's ingress
 * @nd: the port
 * @dev: its device
 *
 * Packets that the hook does not take arrive by the slow path.
 *
 * Context: process, rtnl.
 */
void weft_nd_register(struct weft_nd *nd, struct net_device *dev)
{
	nd->ingress = (struct nf_hook_ops){
		.hook = weft_nd_ingress,
		.dev = dev,
		.priv = nd,
		.pf = NFPROTO_NETDEV,
		.hooknum = NF_NETDEV_INGRESS,
		.priority = INT_MAX,
	};
	nd->bypass_mode = READ_ONCE(weft_stack_bypass);
	weft_nd_bypass_apply(nd);
}

/**
 * weft_nd_unregister - the reverse of weft_nd_register()
 * @nd: the port
 *
 * Before @nd is freed, an RCU grace period waits for calls of the hook.
 *
 * Context: process, rtnl.
 */
void weft_nd_unregister(struct weft_nd *nd)
{
	if (nd->hooked)
		nf_unregister_net_hook(nd->port->net, &nd->ingress);
	nd->hooked = false;
}
