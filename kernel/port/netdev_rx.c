// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft port - driver "netdev": reception of packets
 *
 * A kernel UDP socket per family reserves the port number on all addresses of the namespace, so no
 * other program can send from it. The sockets switch on GRO. Packets do not reach them: a netfilter
 * hook behind all others at LOCAL_IN takes whole aggregates of up to 64 KiB, after the firewall has
 * passed them. The socket's encap_rcv takes packets that the hook cannot parse (IPv6 with extension
 * headers or in fragments).
 *
 * Every packet for the UDP port is consumed. A packet is counted as bad if its source port is
 * another one, or if its checksum is missing or wrong. So is a packet that is for no address of a
 * port, or that violates IPsec's policies.
 *
 * The core receives the contiguous packets of an aggregate together, in place. Others are copied
 * into a buffer of this CPU. So are packets whose pages a program may still write to.
 *
 * weft_ports_lock protects the list of UDP ports (netdev.h). All functions below the hook run with
 * BH off inside an RCU read section.
 */
#include <linux/bottom_half.h>
#include <linux/in6.h>
#include <linux/ipv6.h>
#include <linux/mm.h>
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <linux/netlink.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/skbuff.h>
#include <linux/udp.h>
#include <net/inet_ecn.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>
#include <net/ipv6.h>
#include <net/udp.h>
#include <net/xfrm.h>

#include "../trace/trace_core.h"
#include "netdev.h"

#define WEFT_ND_BATCH	16			/* entries that the core receives at a time */
#define WEFT_ND_BUF	(65536 + 16 * 64)	/* bytes of the buffer for fragmented packets */

/**
 * struct weft_nd_rxcpu - reception state of one CPU
 * @rx: packets for one call of the core
 * @buf: for fragmented packets
 * @used: bytes of @buf that packets in @rx occupy
 * @busy: in use
 */
struct weft_nd_rxcpu {
	struct weft_rx rx[WEFT_ND_BATCH];
	u8 *buf;
	u32 used;
	bool busy;
};

static struct weft_nd_rxcpu __percpu *weft_nd_rxcpu;
static LIST_HEAD(weft_udps);

/* ---- From aggregates to packets -------------------------------------------------------------- */

/* Return: true if a program may still write to the pages (splice, sendfile). */
static bool weft_nd_unstable(const struct sk_buff *skb)
{
	const struct sk_buff *frag;

	if (IS_ENABLED(CONFIG_HIGHMEM) || skb_has_shared_frag(skb))
		return true;
	skb_walk_frags(skb, frag)
		if (skb_has_shared_frag(frag))
			return true;
	return false;
}

/* Copy @len bytes from @at on. Return: the copy, NULL: no space, or the packet is too short. */
static const u8 *weft_nd_linear(struct weft_nd_rxcpu *cpu, struct skb_seq_state *st, u32 at,
				u32 len)
{
	u8 *dst = cpu->buf + cpu->used;
	const u8 *src;
	u32 done = 0, n;

	if (len > WEFT_ND_BUF - cpu->used)
		return NULL;
	while (done < len) {
		n = skb_seq_read(at + done, &src, st);
		if (!n)
			return NULL;
		n = min(n, len - done);
		memcpy(dst + done, src, n);
		done += n;
	}
	cpu->used += min(ALIGN(len, 8), WEFT_ND_BUF - cpu->used);
	return dst;
}

/**
 * struct weft_nd_way - source and destination of a packet
 * @src: sender
 * @dst: index of the own address, WEFT_RX_GROUP
 * @group: multicast destination address
 * @iif: for @group: index of the receiving device; that of the link, where skb->dev is its VRF
 * @ecn: ECN field of its IP header
 */
struct weft_nd_way {
	struct weft_sockaddr src;
	u8 group[16];
	u32 iif;
	u8 dst;
	u8 ecn;
};

/* Pass the payload of @skb to the core. Its data begin with the UDP header. */
static void weft_nd_split(struct weft_port *port, struct weft_nd_rxcpu *cpu, struct sk_buff *skb,
			  const struct weft_nd_way *way)
{
	u32 total = skb->len - sizeof(struct udphdr), seg = total, at = 0, len, n = 0, ready;
	bool copy = skb_is_nonlinear(skb) && weft_nd_unstable(skb);
	struct skb_seq_state st;
	struct weft_rx *rx;
	const u8 *data;

	if (skb_is_gso(skb) && skb_shinfo(skb)->gso_type & SKB_GSO_UDP_L4)
		seg = skb_shinfo(skb)->gso_size;
	cpu->used = 0;
	skb_prepare_seq_read(skb, sizeof(struct udphdr), skb->len, &st);
	while (at < total) {
		len = min(seg, total - at);
		ready = copy ? 0 : skb_seq_read(at, &data, &st);
		if (ready < len)
			data = weft_nd_linear(cpu, &st, at, len);
		else
			len = ready < total - at ? ready - ready % seg : total - at;
		if (!data) {
			weft_count(&port->core, rx_dropped);
			break;
		}
		rx = &cpu->rx[n];
		rx->data = data;
		rx->len = len;
		rx->seg = min(len, seg);
		rx->stride = rx->seg;
		rx->src = way->src;
		rx->dst = way->dst;
		rx->ecn = way->ecn;
		if (unlikely(rx->dst == WEFT_RX_GROUP))
			memcpy(rx->group, way->group, sizeof(rx->group));
		trace_weft_rx(port->name, &way->src, data, rx->seg, DIV_ROUND_UP(len, rx->seg));
		at += len;
		if (++n == WEFT_ND_BATCH) {
			weft_port_rx(port, cpu->rx, n);
			cpu->used = 0;
			n = 0;
		}
	}
	if (n)
		weft_port_rx(port, cpu->rx, n);
	skb_abort_seq_read(&st);
}

/* ---- Destination port ------------------------------------------------------------------------ */

static struct weft_nd *weft_nd_match(const struct weft_udp *udp, u16 family, const void *addr,
				     u32 scope, u8 *index)
{
	u32 i, size = family == AF_INET ? sizeof(struct in_addr) : sizeof(struct in6_addr);
	const struct weft_sockaddr *own;
	struct weft_nd *nd;

	list_for_each_entry_rcu(nd, &udp->ports, unode) {
		for (i = 0; i < nd->port->core.naddr; i++) {
			own = &nd->port->core.addr[i];
			if (own->family == family && own->scope == scope &&
			    !memcmp(own->addr, addr, size)) {
				*index = i;
				return nd;
			}
		}
	}
	return NULL;
}

/*
 * Return: true if the fields of the packet are valid. @skb begins with the UDP header. May move the
 * header.
 */
static bool weft_nd_valid(struct weft_udp *udp, struct sk_buff *skb, u16 family)
{
	const struct udphdr *uh = udp_hdr(skb);
	u32 len = ntohs(uh->len);

	if (uh->source != udp->port || len <= sizeof(*uh) || len > skb->len)
		return false;
	if (!uh->check && skb->ip_summed != CHECKSUM_PARTIAL)
		return false;
	if (len < skb->len && pskb_trim_rcsum(skb, len))
		return false;
	if (family == AF_INET)
		return !skb_checksum_validate(skb, IPPROTO_UDP, inet_compute_pseudo);
	return !skb_checksum_validate(skb, IPPROTO_UDP, ip6_compute_pseudo);
}

/* Deliver a multicast packet to all ports on the device that received it. */
static void weft_nd_spread(struct weft_udp *udp, struct weft_nd_rxcpu *cpu, struct sk_buff *skb,
			   const struct weft_nd_way *way)
{
	const struct net_device *dev;
	struct weft_nd *nd;

	list_for_each_entry_rcu(nd, &udp->ports, unode) {
		dev = rcu_dereference(nd->dev);
		if (dev && dev->ifindex == way->iif)
			weft_nd_split(nd->port, cpu, skb, way);
	}
}

/* Count a packet without destination at the first port. */
static void weft_nd_bad(struct weft_udp *udp)
{
	struct weft_nd *nd = list_first_or_null_rcu(&udp->ports, struct weft_nd, unode);

	if (nd)
		weft_count(&nd->port->core, rx_bad);
}

/* Consume @skb, which begins with the UDP header, linear. The IP header precedes it. */
static void weft_nd_take(struct weft_udp *udp, struct sk_buff *skb, u16 family)
{
	struct weft_nd_rxcpu *cpu = this_cpu_ptr(weft_nd_rxcpu);
	struct weft_nd_way way = {
		.src = { .family = family, .port = udp_hdr(skb)->source },
	};
	struct weft_nd *nd;
	u32 scope = 0;

	if (family == AF_INET) {
		const struct iphdr *ip = ip_hdr(skb);

		memcpy(way.src.addr, &ip->saddr, sizeof(ip->saddr));
		way.ecn = ip->tos & INET_ECN_MASK;
		nd = weft_nd_match(udp, family, &ip->daddr, 0, &way.dst);
		if (unlikely(ipv4_is_multicast(ip->daddr))) {
			way.dst = WEFT_RX_GROUP;
			way.iif = IPCB(skb)->iif;
			memcpy(way.group, &ip->daddr, sizeof(ip->daddr));
		}
	} else {
		const struct ipv6hdr *ip6 = ipv6_hdr(skb);

		memcpy(way.src.addr, &ip6->saddr, sizeof(ip6->saddr));
		way.ecn = ipv6_get_dsfield(ip6) & INET_ECN_MASK;
		if (ipv6_addr_type(&ip6->saddr) & IPV6_ADDR_LINKLOCAL)
			way.src.scope = IP6CB(skb)->iif;
		if (ipv6_addr_type(&ip6->daddr) & IPV6_ADDR_LINKLOCAL)
			scope = IP6CB(skb)->iif;
		nd = weft_nd_match(udp, family, &ip6->daddr, scope, &way.dst);
		if (unlikely(ipv6_addr_is_multicast(&ip6->daddr))) {
			way.dst = WEFT_RX_GROUP;
			way.iif = IP6CB(skb)->iif;
			memcpy(way.group, &ip6->daddr, sizeof(ip6->daddr));
		}
	}
	if (unlikely(way.dst == WEFT_RX_GROUP))
		nd = list_first_or_null_rcu(&udp->ports, struct weft_nd, unode);
	if (!nd || !weft_nd_valid(udp, skb, family)) {
		if (nd)
			weft_count(&nd->port->core, rx_bad);
		else
			weft_nd_bad(udp);
	} else if (cpu->busy) {
		weft_count(&nd->port->core, rx_dropped);
	} else {
		cpu->busy = true;
		if (unlikely(way.dst == WEFT_RX_GROUP))
			weft_nd_spread(udp, cpu, skb, &way);
		else
			weft_nd_split(nd->port, cpu, skb, &way);
		cpu->busy = false;
	}
	napi_consume_skb(skb, 1);
}

/**
 * weft_nd_long - take a packet from the hook at the device's ingress
 * @udp: UDP port
 * @skb: the packet, whose data begin with the IP header; headers are linear
 * @off: offset of the UDP header
 * @v6: true: IPv6
 *
 * Context: BH off, RCU read section.
 */
void weft_nd_long(struct weft_udp *udp, struct sk_buff *skb, u32 off, bool v6)
{
	__skb_pull(skb, off);
	skb_reset_transport_header(skb);
	skb_postpull_rcsum(skb, skb_network_header(skb), off);
	weft_nd_take(udp, skb, v6 ? AF_INET6 : AF_INET);
}

/* ---- Hooks ----------------------------------------------------------------------------------- */

/* @off: offset of the UDP header. Return: true: take the packet; the header is linear then. */
static bool weft_nd_ours(const struct weft_udp *udp, struct sk_buff *skb, u32 off)
{
	struct udphdr buf;
	const struct udphdr *uh = skb_header_pointer(skb, off, sizeof(buf), &buf);

	if (!uh || uh->dest != udp->port)
		return false;
	/* The parts of this aggregate have own headers: the socket splits it. */
	if (skb_is_gso(skb) && skb_shinfo(skb)->gso_type & SKB_GSO_FRAGLIST)
		return false;
	return pskb_may_pull(skb, off + sizeof(*uh));
}

/* A packet from a program's queue (NFQUEUE) arrives in that program's call, with softirqs on. */
static unsigned int weft_nd_hook4(void *priv, struct sk_buff *skb,
				  const struct nf_hook_state *state)
{
	struct weft_udp *udp = priv;
	u32 off = ip_hdrlen(skb);

	if (ip_hdr(skb)->protocol != IPPROTO_UDP || !weft_nd_ours(udp, skb, off))
		return NF_ACCEPT;
	if (!xfrm4_policy_check(NULL, XFRM_POLICY_IN, skb)) {
		weft_nd_bad(udp);
		return NF_DROP;
	}
	__skb_pull(skb, off);
	skb_reset_transport_header(skb);
	local_bh_disable();
	weft_nd_take(udp, skb, AF_INET);
	local_bh_enable();
	return NF_STOLEN;
}

static unsigned int weft_nd_hook6(void *priv, struct sk_buff *skb,
				  const struct nf_hook_state *state)
{
	struct weft_udp *udp = priv;
	u32 off = sizeof(struct ipv6hdr);

	if (ipv6_hdr(skb)->nexthdr != IPPROTO_UDP || !weft_nd_ours(udp, skb, off))
		return NF_ACCEPT;
	if (!xfrm6_policy_check(NULL, XFRM_POLICY_IN, skb)) {
		weft_nd_bad(udp);
		return NF_DROP;
	}
	__skb_pull(skb, off);
	skb_reset_transport_header(skb);
	skb_postpull_rcsum(skb, skb_network_header(skb), off);
	local_bh_disable();
	weft_nd_take(udp, skb, AF_INET6);
	local_bh_enable();
	return NF_STOLEN;
}

/* Receive packets that passed the hook to the socket, one at a time. */
static int weft_nd_encap_rcv(struct sock *sk, struct sk_buff *skb)
{
	struct weft_udp *udp;

	rcu_read_lock();
	udp = rcu_dereference_sk_user_data(sk);
	if (udp)
		weft_nd_take(udp, skb, ip_hdr(skb)->version == 4 ? AF_INET : AF_INET6);
	else
		kfree_skb(skb);
	rcu_read_unlock();
	return 0;
}

/* ---- Sockets --------------------------------------------------------------------------------- */

static int weft_udp_bind(struct socket *sock, bool v6, __be16 port)
{
	struct sockaddr_in6 sin6 = { .sin6_family = AF_INET6, .sin6_port = port };
	struct sockaddr_in sin = { .sin_family = AF_INET, .sin_port = port };

	/* (the type of an address is another one since 6.19) */
	if (!v6)
		return kernel_bind(sock, (void *)&sin, sizeof(sin));
	ip6_sock_set_v6only(sock->sk);
	return kernel_bind(sock, (void *)&sin6, sizeof(sin6));
}

static int weft_udp_open(struct weft_udp *udp, bool v6)
{
	struct socket *sock;
	int one = 1, err;

	err = sock_create_kern(udp->net, v6 ? AF_INET6 : AF_INET, SOCK_DGRAM, IPPROTO_UDP, &sock);
	if (err == -EAFNOSUPPORT && v6)
		return 0;
	if (err)
		return err;
	/* for transmission: the stack then ignores the MTU of routes */
	if (!v6)
		ip_sock_set_mtu_discover(sock->sk, IP_PMTUDISC_PROBE);
	err = weft_udp_bind(sock, v6, udp->port);
	if (!err)
		err = sock->ops->setsockopt(sock, SOL_UDP, UDP_GRO, KERNEL_SOCKPTR(&one),
					    sizeof(one));
	if (err) {
		sock_release(sock);
		return err;
	}
	rcu_assign_sk_user_data(sock->sk, udp);
	WRITE_ONCE(udp_sk(sock->sk)->encap_rcv, weft_nd_encap_rcv);
	WRITE_ONCE(udp_sk(sock->sk)->encap_type, 1);
	udp->sock[v6] = sock;

	udp->hook[v6].hook = v6 ? weft_nd_hook6 : weft_nd_hook4;
	udp->hook[v6].priv = udp;
	udp->hook[v6].pf = v6 ? NFPROTO_IPV6 : NFPROTO_IPV4;
	udp->hook[v6].hooknum = NF_INET_LOCAL_IN;
	udp->hook[v6].priority = INT_MAX;
	err = nf_register_net_hook(udp->net, &udp->hook[v6]);
	udp->hooked[v6] = !err;
	return err;
}

static void weft_udp_free(struct weft_udp *udp)
{
	int i;

	for (i = 0; i < 2; i++)
		if (udp->hooked[i])
			nf_unregister_net_hook(udp->net, &udp->hook[i]);
	for (i = 0; i < 2; i++) {
		if (!udp->sock[i])
			continue;
		rcu_assign_sk_user_data(udp->sock[i]->sk, NULL);
		sock_release(udp->sock[i]);
	}
	synchronize_net();
	kfree(udp);
}

static struct weft_udp *weft_udp_new(struct net *net, __be16 port, struct netlink_ext_ack *extack)
{
	struct weft_udp *udp = kzalloc(sizeof(*udp), GFP_KERNEL_ACCOUNT);
	int err;

	if (!udp)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&udp->ports);
	udp->net = net;
	udp->port = port;
	err = weft_udp_open(udp, false);
	if (!err)
		err = weft_udp_open(udp, true);
	if (err) {
		if (err == -EADDRINUSE)
			NL_SET_ERR_MSG(extack, "a program has this UDP port: see 'ss -lunp'");
		else
			NL_SET_ERR_MSG(extack, "cannot open the UDP port");
		weft_udp_free(udp);
		return ERR_PTR(err);
	}
	list_add(&udp->node, &weft_udps);
	return udp;
}

/* Report an error if another port of this namespace has one of the addresses. */
static int weft_udp_conflict(const struct weft_udp *udp, const struct weft_nd *nd,
			     struct netlink_ext_ack *extack)
{
	const struct weft_core *core = &nd->port->core;
	struct weft_nd *other;
	u8 index;
	u32 i;

	for (i = 0; i < core->naddr; i++) {
		other = weft_nd_match(udp, core->addr[i].family, core->addr[i].addr,
				      core->addr[i].scope, &index);
		if (other) {
			NL_SET_ERR_MSG(extack, "another port has this address and UDP port");
			return -EADDRINUSE;
		}
	}
	return 0;
}

/**
 * weft_udp_get - start reception for a port
 * @nd: the port
 * @extack: receives the reason of a failure
 *
 * Context: process, weft_ports_lock held.
 * Return: 0, -EADDRINUSE, -ENOMEM ...
 */
int weft_udp_get(struct weft_nd *nd, struct netlink_ext_ack *extack)
{
	struct weft_udp *udp;
	bool found = false;
	int err;

	lockdep_assert_held(&weft_ports_lock);
	list_for_each_entry(udp, &weft_udps, node) {
		if (net_eq(udp->net, nd->port->net) && udp->port == nd->sport) {
			found = true;
			break;
		}
	}
	if (!found) {
		udp = weft_udp_new(nd->port->net, nd->sport, extack);
		if (IS_ERR(udp))
			return PTR_ERR(udp);
	}
	rcu_read_lock();
	err = weft_udp_conflict(udp, nd, extack);
	rcu_read_unlock();
	if (err)
		return err;
	WRITE_ONCE(nd->udp, udp);
	list_add_tail_rcu(&nd->unode, &udp->ports);
	return 0;
}

/**
 * weft_udp_put - stop reception for a port; no packet is delivered after it returns
 * @nd: the port
 *
 * Context: process, weft_ports_lock held.
 */
void weft_udp_put(struct weft_nd *nd)
{
	struct weft_udp *udp = nd->udp;

	lockdep_assert_held(&weft_ports_lock);
	list_del_rcu(&nd->unode);
	WRITE_ONCE(nd->udp, NULL);
	if (list_empty(&udp->ports)) {
		list_del(&udp->node);
		weft_udp_free(udp);
	} else {
		synchronize_net();
	}
}

/**
 * weft_nd_rx_init - allocate the buffers
 *
 * Context: process.
 * Return: 0, -ENOMEM.
 */
int weft_nd_rx_init(void)
{
	struct weft_nd_rxcpu *c;
	int cpu;

	weft_nd_rxcpu = alloc_percpu(struct weft_nd_rxcpu);
	if (!weft_nd_rxcpu)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		c = per_cpu_ptr(weft_nd_rxcpu, cpu);
		c->buf = kvmalloc_node(WEFT_ND_BUF, GFP_KERNEL, cpu_to_node(cpu));
		if (!c->buf) {
			weft_nd_rx_exit();
			return -ENOMEM;
		}
	}
	return 0;
}

/**
 * weft_nd_rx_exit - the reverse of weft_nd_rx_init()
 *
 * Context: process.
 */
void weft_nd_rx_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		kvfree(per_cpu_ptr(weft_nd_rxcpu, cpu)->buf);
	free_percpu(weft_nd_rxcpu);
}
