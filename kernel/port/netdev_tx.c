// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft port - driver "netdev": transmission of packets
 *
 * Each path keeps its route and revalidates it before use. Neighbours, output firewall and queueing
 * are the stack's, below ip_local_out() and ip6_local_out(). Consecutive packets of one path leave
 * as one UDP GSO packet of up to 64 KiB, if they have the same length. The last one may be shorter.
 * DF is set, and the packet is marked ECT(0). A packet that is longer than the route's MTU is
 * dropped: the core finds that out by itself (core/transport/mtu.c). Each class has its own DSCP.
 * Within the node it has its own priority and flow hash (weft_port_tos(), weft_nd_flow()).
 *
 * No packet is fragmented. Where fragments are lost, the receiver's memory for fragments fills up.
 * Then the receiver's stack takes no fragment of any program for 30 s. Each link carries packets of
 * WEFT_MTU_MIN. A report can give a route a smaller MTU, and anybody can forge a report. So the
 * port ignores a smaller MTU. The port gives the stack a socket with IP_PMTUDISC_PROBE. So the
 * stack ignores a smaller MTU, too.
 *
 * Headers and payload are in pages that each CPU keeps. A CPU reuses a page when it holds the only
 * reference. So pages are neither allocated nor zeroed per packet.
 *
 * All functions but weft_nd_path_close() run with BH off inside an RCU read section. np->dst is
 * exchanged atomically. Locks: netdev.h.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/skbuff.h>
#include <linux/udp.h>
#include <net/inet_ecn.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>
#include <net/ip6_fib.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/route.h>
#include <net/udp.h>

#include "../trace/trace_core.h"
#include "netdev.h"

#define WEFT_ND_PAGE	SZ_64K	/* the longest aggregate and its headers: one piece of memory */
#define WEFT_ND_PAGE_LESS SZ_32K	/* the page instead, while larger ones are not to be had */
#define WEFT_ND_PAGES	20	/* more than a window: one CPU may be both ends of the wire */
/* payload that each link has to carry */
#define WEFT_ND_PAYMIN	((u32)(WEFT_MTU_MIN - sizeof(struct ipv6hdr) - sizeof(struct udphdr)))
#define WEFT_ND_PAYMAX	32000U	/* maximum payload: a packet must fit into a page */

/**
 * struct weft_nd_pages - packet memory of a CPU
 * @page: pages, with a reference each
 * @cur: the page in use
 * @size: its bytes; 0: there is none
 * @off: used bytes of it
 */
struct weft_nd_pages {
	struct page *page[WEFT_ND_PAGES];
	u32 cur;
	u32 size;
	u32 off;
};

static struct weft_nd_pages __percpu *weft_nd_pages;

/* ---- Packet memory --------------------------------------------------------------------------- */

/* Return: a page of WEFT_ND_PAGE or WEFT_ND_PAGE_LESS bytes, NULL: no memory. */
static struct page *weft_nd_page_alloc(void)
{
	const gfp_t gfp = GFP_ATOMIC | __GFP_NOWARN | __GFP_COMP | __GFP_NOMEMALLOC;
	struct page *page;

	/* the larger page is a wish, for which nothing has to be reclaimed */
	page = alloc_pages((gfp | __GFP_NORETRY) & ~(__GFP_RECLAIM | __GFP_HIGH),
			   get_order(WEFT_ND_PAGE));
	return page ?: alloc_pages(gfp, get_order(WEFT_ND_PAGE_LESS));
}

/* Switch to a page without other users. Return: true; false: no memory. */
static noinline bool weft_nd_page_next(struct weft_nd_pages *p)
{
	struct page *page = p->page[p->cur];

	p->off = 0;
	if (page && page_ref_count(page) != 1) {
		p->cur = (p->cur + 1) % WEFT_ND_PAGES;
		page = p->page[p->cur];
		if (page && page_ref_count(page) != 1) {
			put_page(page);
			page = NULL;
		}
	}
	if (!page)
		page = weft_nd_page_alloc();
	p->page[p->cur] = page;
	p->size = page ? page_size(page) : 0;
	return page;
}

/* Return: space for @len bytes in a page, NULL: no memory. weft_nd_page_use() takes the space. */
static __always_inline void *weft_nd_page_space(struct weft_nd_pages *p, u32 len)
{
	if (unlikely(len > p->size - p->off)) {
		if (!weft_nd_page_next(p))
			return NULL;
	}
	return page_address(p->page[p->cur]) + p->off;
}

static void weft_nd_page_use(struct weft_nd_pages *p, u32 len)
{
	p->off = min_t(u32, p->off + len, p->size);
}

/* ---- Routes ---------------------------------------------------------------------------------- */

static struct dst_entry *weft_nd_route4(struct net *net, const struct weft_sockaddr *src,
					const struct weft_sockaddr *to,
					__be16 port, u32 oif)
{
	struct flowi4 fl4 = {
		.flowi4_oif = oif,
		.flowi4_proto = IPPROTO_UDP,
		.fl4_sport = port,
		.fl4_dport = port,
	};
	struct rtable *rt;

	memcpy(&fl4.saddr, src->addr, sizeof(fl4.saddr));
	memcpy(&fl4.daddr, to->addr, sizeof(fl4.daddr));
	rt = ip_route_output_key(net, &fl4);
	if (IS_ERR(rt))
		return ERR_CAST(rt);
	if (rt->rt_type != RTN_UNICAST && rt->rt_type != RTN_LOCAL &&
	    rt->rt_type != RTN_MULTICAST) {
		ip_rt_put(rt);
		return ERR_PTR(-ENETUNREACH);
	}
	return &rt->dst;
}

static struct dst_entry *weft_nd_route6(struct net *net, const struct weft_sockaddr *src,
					const struct weft_sockaddr *to,
					__be16 port, u32 oif)
{
	struct flowi6 fl6 = {
		.flowi6_oif = to->scope ?: oif,
		.flowi6_proto = IPPROTO_UDP,
		.fl6_sport = port,
		.fl6_dport = port,
	};

	memcpy(&fl6.saddr, src->addr, sizeof(fl6.saddr));
	memcpy(&fl6.daddr, to->addr, sizeof(fl6.daddr));
	return ip6_dst_lookup_flow(net, NULL, &fl6, NULL);
}

/* Return: a route with a reference, or an error. */
static struct dst_entry *weft_nd_route(struct weft_nd *nd, const struct weft_sockaddr *src,
				       const struct weft_sockaddr *to)
{
	struct net_device *dev = rcu_dereference(nd->dev);
	struct net *net = nd->port->net;
	u32 oif;

	if (!dev)
		return ERR_PTR(-ENETUNREACH);
	/* In a VRF only its device leads to the right table. A group is on the device's link. */
	oif = netif_is_l3_slave(dev) || weft_addr_is_group(to) ? dev->ifindex : 0;
	if (src->family != to->family)
		return ERR_PTR(-ENETUNREACH);
	if (to->family == AF_INET)
		return weft_nd_route4(net, src, to, nd->sport, oif);
	return weft_nd_route6(net, src, to, nd->sport, oif);
}

static void weft_nd_path_set(struct weft_nd_path *np, struct dst_entry *dst, u16 family)
{
	if (dst && family == AF_INET6)
		WRITE_ONCE(np->cookie, rt6_get_cookie((struct rt6_info *)dst));
	dst_release(xchg(&np->dst, dst));
}

/* Return: the path's route, valid in this RCU read section; NULL: no route now. */
static struct dst_entry *weft_nd_path_dst(struct weft_nd *nd, struct weft_path *path,
					  const struct weft_sockaddr *src)
{
	struct weft_nd_path *np = weft_path_priv(path);
	struct dst_entry *dst = READ_ONCE(np->dst);

	if (likely(dst && dst_check(dst, READ_ONCE(np->cookie))))
		return dst;
	dst = weft_nd_route(nd, src, weft_path_addr(path));
	if (IS_ERR(dst))
		return NULL;
	weft_nd_path_set(np, dst, src->family);
	return dst;
}

/*
 * Return: maximum UDP payload of a packet on this route. A route that is narrower than
 * WEFT_MTU_MIN, while its device is not, carries that all the same.
 */
static u32 weft_nd_space(const struct dst_entry *dst, u16 family)
{
	u32 ip = family == AF_INET ? sizeof(struct iphdr) : sizeof(struct ipv6hdr);
	u32 head = ip + sizeof(struct udphdr);
	u32 mtu = max(dst_mtu(dst), min_t(u32, READ_ONCE(dst->dev->mtu), WEFT_MTU_MIN));

	return mtu > head ? mtu - head : 0;
}

/* Return: true if the port's device is down: it has no routes then. */
static bool weft_nd_down(const struct weft_nd *nd)
{
	const struct net_device *dev = rcu_dereference(nd->dev);

	return dev && !(dev->flags & IFF_UP);
}

/**
 * weft_nd_path_open - open a path; see struct weft_port_ops
 * @port: the port
 * @path: the path
 * @priv: struct weft_nd_path, zeroed
 * @max_payload: out
 *
 * While the device is down, a path is opened without a route: its packets are dropped, as those of
 * older paths are, until the device is up again.
 *
 * Context: BH off, RCU read section.
 * Return: 0, -ENETUNREACH, -EHOSTUNREACH, -ENOMEM.
 */
int weft_nd_path_open(struct weft_port *port, struct weft_path *path, void *priv, u32 *max_payload)
{
	const struct weft_sockaddr *src = &port->core.addr[weft_path_src(path)];
	const struct weft_sockaddr *to = weft_path_addr(path);
	struct weft_nd_path *np = priv;
	struct dst_entry *dst;
	u32 room;

	np->hash = get_random_u32() | 1;
	dst = weft_nd_route(port->priv, src, to);
	if (IS_ERR(dst)) {
		switch (PTR_ERR(dst)) {
		case -ENOMEM:
		case -ENOBUFS: /* IPv4 returns it when out of memory */
			return -ENOMEM;
		}
		*max_payload = WEFT_ND_PAYMIN;
		if (weft_nd_down(port->priv))
			return 0;
		return PTR_ERR(dst) == -EHOSTUNREACH ? -EHOSTUNREACH : -ENETUNREACH;
	}
	room = weft_nd_space(dst, to->family);
	if (room < WEFT_ND_PAYMIN) {
		dst_release(dst);
		return -ENETUNREACH;
	}
	*max_payload = min(room, WEFT_ND_PAYMAX);
	weft_nd_path_set(np, dst, to->family);
	return 0;
}

/**
 * weft_nd_path_fit - find the largest packet that the device takes now; see struct weft_port_ops
 * @port: the port
 * @path: the path
 *
 * Context: BH off, RCU read section.
 * Return: its payload, 0: no route.
 */
u32 weft_nd_path_fit(struct weft_port *port, struct weft_path *path)
{
	const struct weft_sockaddr *src = &port->core.addr[weft_path_src(path)];
	struct dst_entry *dst = weft_nd_path_dst(port->priv, path, src);

	return dst ? min(weft_nd_space(dst, src->family), WEFT_ND_PAYMAX) : 0;
}

/**
 * weft_nd_path_close - close a path; see struct weft_port_ops
 * @priv: struct weft_nd_path
 *
 * Context: any but hard interrupt.
 */
void weft_nd_path_close(void *priv)
{
	weft_nd_head_drop(priv);
	weft_nd_path_set(priv, NULL, AF_UNSPEC);
}

/* ---- Packets --------------------------------------------------------------------------------- */

/**
 * struct weft_nd_run - packets that are sent as one
 * @nd: the port
 * @dst: route
 * @src: own address
 * @to: remote node
 * @hash: flow hash, 0: none
 * @tos: DSCP and ECN
 * @room: maximum UDP payload of the route
 */
struct weft_nd_run {
	struct weft_nd *nd;
	struct dst_entry *dst;
	const struct weft_sockaddr *src;
	const struct weft_sockaddr *to;
	u32 hash;
	u8 tos;
	u32 room;
};

static u32 weft_nd_headroom(const struct weft_nd_run *run)
{
	return LL_RESERVED_SPACE(run->dst->dev) + sizeof(struct udphdr) +
	       (run->to->family == AF_INET ? sizeof(struct iphdr) : sizeof(struct ipv6hdr));
}

/**
 * weft_nd_skb - allocate an empty packet
 * @head: bytes of headers to be put in front
 * @len: bytes to be put behind them
 *
 * Context: BH off.
 * Return: the packet, NULL: no memory.
 */
struct sk_buff *weft_nd_skb(u32 head, u32 len)
{
	u32 size = SKB_DATA_ALIGN(head + len) + SKB_DATA_ALIGN(sizeof(struct skb_shared_info));
	struct weft_nd_pages *p = this_cpu_ptr(weft_nd_pages);
	struct sk_buff *skb;
	void *data;

	p->off = ALIGN(p->off, SMP_CACHE_BYTES);
	data = weft_nd_page_space(p, size);
	if (!data)
		return NULL;
	skb = napi_build_skb(data, size);
	if (!skb)
		return NULL;
	get_page(p->page[p->cur]);
	weft_nd_page_use(p, size);
	skb_reserve(skb, head);
	return skb;
}

/* A packet has got @len bytes in pages. */
static void weft_nd_grow(struct sk_buff *skb, u32 len)
{
	skb->len += len;
	skb->data_len += len;
	skb->truesize += len;
}

/*
 * Append packets @at to @at + @n - 1 of @tx, in pages, each packet in one page. Return: number of
 * appended packets, negative errno: none: -EFAULT, -ENOMEM.
 */
static int weft_nd_append(struct weft_nd_pages *p, struct sk_buff *skb, const struct weft_tx *tx,
			  u32 at, u32 n)
{
	int i = skb_shinfo(skb)->nr_frags, err;
	struct page *page;
	const void *image;
	u32 len;
	u8 *dst;

	image = i < MAX_SKB_FRAGS ? weft_tx_image(tx, at, &n) : NULL;
	if (image) {
		page = virt_to_head_page(image);
		len = (n - 1) * tx->len + weft_tx_len(tx, at + n - 1);
		get_page(page);
		skb_fill_page_desc(skb, i, page, image - page_address(page), len);
		weft_nd_grow(skb, len);
		return n;
	}
	dst = weft_nd_page_space(p, tx->len);
	if (!dst)
		return -ENOMEM;
	page = p->page[p->cur];
	if (!(i && skb_can_coalesce(skb, i, page, p->off)) && i == MAX_SKB_FRAGS)
		return -ENOMEM;
	n = min_t(u32, n, (p->size - p->off) / tx->len);
	err = weft_tx_write(tx, at, n, dst);
	if (err)
		return err;
	len = (n - 1) * tx->len + weft_tx_len(tx, at + n - 1);
	if (i && skb_can_coalesce(skb, i, page, p->off)) {
		skb_frag_size_add(&skb_shinfo(skb)->frags[i - 1], len);
	} else {
		get_page(page);
		skb_fill_page_desc(skb, i, page, p->off, len);
	}
	weft_nd_grow(skb, len);
	weft_nd_page_use(p, len);
	return n;
}

/* Return: sum of the pseudo header, to which the device adds the rest. */
static __sum16 weft_nd_pseudo(const struct weft_nd_run *run, u32 len)
{
	const void *src = run->src->addr, *to = run->to->addr;
	__be32 src4, to4;

	if (run->to->family == AF_INET6)
		return ~csum_ipv6_magic(src, to, len, IPPROTO_UDP, 0);
	memcpy(&src4, src, sizeof(src4));
	memcpy(&to4, to, sizeof(to4));
	return ~csum_tcpudp_magic(src4, to4, len, IPPROTO_UDP, 0);
}

static void weft_nd_udp(struct sk_buff *skb, const struct weft_nd_run *run)
{
	struct udphdr *uh = udp_hdr(skb);

	uh->source = run->nd->sport;
	uh->dest = run->nd->sport;
	uh->len = htons(skb->len);
	uh->check = weft_nd_pseudo(run, skb->len);
	skb->ip_summed = CHECKSUM_PARTIAL;
	skb->csum_start = skb_transport_header(skb) - skb->head;
	skb->csum_offset = offsetof(struct udphdr, check);
}

/**
 * weft_nd_ip4 - write an IPv4 header
 * @ip: the header; length and sum stay 0
 * @src: own address
 * @to: remote node
 * @dst: route
 * @tos: DSCP and ECN
 *
 * Context: any.
 */
void weft_nd_ip4(struct iphdr *ip, const struct weft_sockaddr *src, const struct weft_sockaddr *to,
		 const struct dst_entry *dst, u8 tos)
{
	memset(ip, 0, sizeof(*ip));
	ip->version = 4;
	ip->ihl = sizeof(*ip) / 4;
	ip->tos = tos;
	ip->frag_off = htons(IP_DF);
	ip->ttl = ip4_dst_hoplimit(dst);
	ip->protocol = IPPROTO_UDP;
	memcpy(&ip->saddr, src->addr, sizeof(ip->saddr));
	memcpy(&ip->daddr, to->addr, sizeof(ip->daddr));
}

/**
 * weft_nd_ip6 - write an IPv6 header
 * @ip6: the header; its length stays 0
 * @src: own address
 * @to: remote node
 * @dst: route
 * @tos: DSCP and ECN
 *
 * Context: any.
 */
void weft_nd_ip6(struct ipv6hdr *ip6, const struct weft_sockaddr *src,
		 const struct weft_sockaddr *to, struct dst_entry *dst, u8 tos)
{
	ip6_flow_hdr(ip6, tos, 0);
	ip6->payload_len = 0;
	ip6->nexthdr = IPPROTO_UDP;
	ip6->hop_limit = ip6_dst_hoplimit(dst);
	memcpy(&ip6->saddr, src->addr, sizeof(ip6->saddr));
	memcpy(&ip6->daddr, to->addr, sizeof(ip6->daddr));
}

/* Return: a socket that has the stack ignore the MTU of routes, NULL: the port is going. */
static struct sock *weft_nd_sock4(const struct weft_nd *nd)
{
	const struct weft_udp *udp = READ_ONCE(nd->udp);

	return likely(udp) ? udp->sock[0]->sk : NULL;
}

static int weft_nd_out4(struct sk_buff *skb, const struct weft_nd_run *run, struct net *net)
{
	skb_push(skb, sizeof(struct iphdr));
	skb_reset_network_header(skb);
	weft_nd_ip4(ip_hdr(skb), run->src, run->to, run->dst, run->tos);
	skb->protocol = htons(ETH_P_IP);
	return ip_local_out(net, weft_nd_sock4(run->nd), skb);
}

static int weft_nd_out6(struct sk_buff *skb, const struct weft_nd_run *run, struct net *net)
{
	skb_push(skb, sizeof(struct ipv6hdr));
	skb_reset_network_header(skb);
	weft_nd_ip6(ipv6_hdr(skb), run->src, run->to, run->dst, run->tos);
	skb->protocol = htons(ETH_P_IPV6);
	return ip6_local_out(net, NULL, skb);
}

/* Write the headers and transmit the packet. */
static void weft_nd_send(struct sk_buff *skb, const struct weft_nd_run *run)
{
	u32 n = max_t(u32, skb_shinfo(skb)->gso_segs, 1);
	bool v6 = run->to->family == AF_INET6;
	struct net *net = run->nd->port->net;
	int err;

	skb_push(skb, sizeof(struct udphdr));
	skb_reset_transport_header(skb);
	weft_nd_udp(skb, run);
	if (run->hash)
		__skb_set_sw_hash(skb, run->hash, true);
	skb->priority = weft_nd_prio(run->tos);
	skb_dst_set_noref(skb, run->dst);
	err = v6 ? weft_nd_out6(skb, run, net) : weft_nd_out4(skb, run, net);
	if (unlikely(net_xmit_eval(err)))
		weft_count_add(&run->nd->port->core, tx_errors, n);
}

/**
 * weft_nd_unsent - count packets that could not be made
 * @nd: the port
 * @n: number of packets
 * @err: reason; -ECANCELED: they are no longer needed, which is no error
 *
 * Context: any.
 */
void weft_nd_unsent(struct weft_nd *nd, u32 n, int err)
{
	if (err != -ECANCELED)
		weft_count_add(&nd->port->core, tx_errors, n);
}

/* Send packet @i of @tx alone. */
static void weft_nd_one(struct weft_nd_run *run, const struct weft_tx *tx, u32 i)
{
	struct weft_nd_pages *p = this_cpu_ptr(weft_nd_pages);
	u32 len = weft_tx_len(tx, i);
	bool small = len <= WEFT_ND_SMALL;
	struct sk_buff *skb;
	int err = -ENOMEM;

	skb = weft_nd_skb(weft_nd_headroom(run), small ? len : 0);
	if (!skb)
		goto drop;
	err = small ? weft_tx_write(tx, i, 1, skb_put(skb, len)) : weft_nd_append(p, skb, tx, i, 1);
	if (err < 0) {
		napi_consume_skb(skb, 1);
		goto drop;
	}
	weft_nd_send(skb, run);
	return;
drop:
	weft_nd_unsent(run->nd, 1, err);
}

/* Have the device cut a packet into @n of @seg bytes each, behind its headers. */
static void weft_nd_cut(struct sk_buff *skb, u32 seg, u32 n)
{
	if (n == 1)
		return;
	skb_shinfo(skb)->gso_size = seg;
	skb_shinfo(skb)->gso_segs = n;
	skb_shinfo(skb)->gso_type = SKB_GSO_UDP_L4;
}

/**
 * weft_nd_join - make one packet of several, to be cut by the device
 * @nd: the port; packets that cannot be made are counted
 * @head: bytes of headers to be put in front
 * @tx: the packets, of equal length except the last
 * @n: number of packets
 *
 * Context: BH off.
 * Return: the packet; NULL: none could be made.
 */
struct sk_buff *weft_nd_join(struct weft_nd *nd, u32 head, const struct weft_tx *tx, u32 n)
{
	struct weft_nd_pages *p = this_cpu_ptr(weft_nd_pages);
	u32 i, made = 0, seg = tx->len;
	struct sk_buff *skb;
	int err;

	skb = weft_nd_skb(head, 0);
	if (!skb) {
		weft_nd_unsent(nd, n, -ENOMEM);
		return NULL;
	}
	for (i = 0; i < n; i++) {
		err = weft_nd_append(p, skb, &tx[i], 0, 1);
		if (err < 0) {
			weft_nd_unsent(nd, 1, err);
			continue;
		}
		/* a shorter packet is sent alone if the ones before it could not be made */
		if (!made++)
			seg = tx[i].len;
	}
	if (!made) {
		napi_consume_skb(skb, 1);
		return NULL;
	}
	weft_nd_cut(skb, seg, made);
	return skb;
}

/* Send several packets, of equal length except the last. */
static void weft_nd_many(struct weft_nd_run *run, const struct weft_tx *tx, u32 n)
{
	struct sk_buff *skb = weft_nd_join(run->nd, weft_nd_headroom(run), tx, n);

	if (skb)
		weft_nd_send(skb, run);
}

/**
 * weft_nd_fill - make one packet of packets of a run, to be cut by the device
 * @head: bytes of headers to be put in front
 * @tx: the run
 * @at: the first packet
 * @n: number of packets
 * @put: out: number of packets in it; negative errno: it could not be made
 *
 * Context: BH off.
 * Return: the packet; NULL.
 */
struct sk_buff *weft_nd_fill(u32 head, const struct weft_tx *tx, u32 at, u32 n, int *put)
{
	struct weft_nd_pages *p = this_cpu_ptr(weft_nd_pages);
	struct sk_buff *skb = weft_nd_skb(head, 0);
	int err = -ENOMEM;
	u32 i;

	*put = err;
	if (unlikely(!skb))
		return NULL;
	/* in one page if possible: then the receiver finds one piece of memory */
	if (!tx->image && n * tx->len > p->size - p->off && n * tx->len <= p->size)
		p->off = p->size;
	for (i = 0; i < n; i += err) {
		err = weft_nd_append(p, skb, tx, at + i, n - i);
		if (unlikely(err < 0))
			break;
	}
	*put = i ?: err;
	if (unlikely(!i)) {
		napi_consume_skb(skb, 1);
		return NULL;
	}
	weft_nd_cut(skb, weft_tx_len(tx, at), i);
	return skb;
}

/* Send packets @at to @at + @n - 1 of a run. */
static void weft_nd_part(struct weft_nd_run *run, const struct weft_tx *tx, u32 at, u32 n)
{
	struct sk_buff *skb;
	int put;

	skb = weft_nd_fill(weft_nd_headroom(run), tx, at, n, &put);
	if (skb)
		weft_nd_send(skb, run);
	if (unlikely(put < (int)n))
		weft_nd_unsent(run->nd, n - max(put, 0), put < 0 ? put : -ENOMEM);
}

/* Send a run: as few aggregates as possible. */
static void weft_nd_seq(struct weft_nd_run *run, const struct weft_tx *tx)
{
	u32 i, n, fit = max_t(u32, WEFT_RUN_BYTES / tx->len, 1);

	for (i = 0; i < tx->nseg; i += n) {
		n = min_t(u32, fit, tx->nseg - i);
		if (n == 1)
			weft_nd_one(run, tx, i);
		else
			weft_nd_part(run, tx, i, n);
	}
}

/* Return: how many of @n packets can be sent as one. A run is sent by itself. */
static u32 weft_nd_fit(const struct weft_tx *tx, u32 n)
{
	u32 i, bytes = tx->len;

	if (tx->nseg > 1 || !tx->path || weft_tx_alone(tx))
		return 1;
	for (i = 1; i < n; i++) {
		if (tx[i].path != tx->path || tx[i].class != tx->class || tx[i].nseg > 1 ||
		    weft_tx_alone(&tx[i]) || tx[i].len > tx->len ||
		    bytes + tx[i].len > WEFT_RUN_BYTES)
			return i;
		bytes += tx[i].len;
		if (tx[i].len < tx->len)
			return i + 1;
	}
	return n;
}

/*
 * Find the route of @tx. Return: true; false: no route. *@own: the caller owns a reference on it.
 */
static bool weft_nd_aim(struct weft_nd_run *run, const struct weft_tx *tx, bool *own)
{
	const struct weft_core *core = &run->nd->port->core;

	*own = !tx->path;
	run->tos = weft_port_tos(run->nd->port, tx->class);
	if (tx->path) {
		run->src = &core->addr[weft_path_src(tx->path)];
		run->to = weft_path_addr(tx->path);
		run->hash = weft_nd_flow(weft_path_priv(tx->path), run->tos);
		run->dst = weft_nd_path_dst(run->nd, tx->path, run->src);
		if (!run->dst)
			return false;
	} else {
		run->src = &core->addr[tx->src];
		run->to = &tx->to;
		run->hash = 0;
		run->dst = weft_nd_route(run->nd, run->src, run->to);
		if (IS_ERR(run->dst))
			return false;
	}
	run->room = weft_nd_space(run->dst, run->to->family);
	return true;
}

/* Send several packets, or one that has not taken the stack bypass. */
static noinline void weft_nd_tx_long(struct weft_port *port, struct weft_tx *tx, u32 n)
{
	struct weft_nd_run run = { .nd = port->priv };
	u32 i, k, packets;
	bool own;

	for (i = 0; i < n; i += k) {
		k = weft_nd_fit(&tx[i], n - i);
		packets = max_t(u32, k, tx[i].nseg);
		if (n > 1 && tx[i].path && weft_nd_bypass(port->priv, &tx[i], k))
			continue;
		if (!weft_nd_aim(&run, &tx[i], &own)) {
			weft_count_add(&port->core, tx_errors, packets);
			continue;
		}
		if (tx[i].len > run.room) {
			/* the route's MTU has shrunk */
			weft_nd_unsent(run.nd, tx[i].nseg, -EMSGSIZE);
			k = 1;
			if (own)
				dst_release(run.dst);
			continue;
		}
		trace_weft_tx(port->name, run.to, tx[i].psn, tx[i].len, packets);
		if (tx[i].nseg > 1)
			weft_nd_seq(&run, &tx[i]);
		else if (k == 1)
			weft_nd_one(&run, &tx[i], 0);
		else
			weft_nd_many(&run, &tx[i], k);
		if (own)
			dst_release(run.dst);
		else if (k == 1)
			weft_nd_head_make(run.nd, tx[i].path, run.dst, run.room);
	}
}

/**
 * weft_nd_tx - send packets; see struct weft_port_ops
 * @port: the port
 * @tx: packets
 * @n: number of packets
 *
 * Context: BH off, RCU read section.
 */
void weft_nd_tx(struct weft_port *port, struct weft_tx *tx, u32 n)
{
	if (likely(n == 1 && tx->path) && weft_nd_bypass(port->priv, tx, 1))
		return;
	weft_nd_tx_long(port, tx, n);
}

/**
 * weft_nd_tx_init - allocate the packet memory
 *
 * Context: process.
 * Return: 0, -ENOMEM.
 */
int weft_nd_tx_init(void)
{
	weft_nd_pages = alloc_percpu(struct weft_nd_pages);
	return weft_nd_pages ? 0 : -ENOMEM;
}

/**
 * weft_nd_tx_exit - the reverse of weft_nd_tx_init()
 *
 * Packets in flight keep their pages.
 *
 * Context: process.
 */
void weft_nd_tx_exit(void)
{
	int cpu, i;

	for_each_possible_cpu(cpu) {
		struct weft_nd_pages *p = per_cpu_ptr(weft_nd_pages, cpu);

		for (i = 0; i < WEFT_ND_PAGES; i++)
			if (p->page[i])
				put_page(p->page[i]);
	}
	free_percpu(weft_nd_pages);
}
