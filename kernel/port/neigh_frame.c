// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft port - neighbours: outgoing frames of ARP and IPv6 neighbour discovery
 *
 * The functions are stateless. They build a frame from the port's configuration on its link
 * (constant) and their arguments. neigh.c decides when to send, and validates received frames.
 *
 * If a frame is built from an entry, the caller holds table->lock (neigh.h). The functions take no
 * lock.
 */
#include "neigh_frame.h"

static const u8 weft_mac_all[ETH_ALEN] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
static const u8 weft_mac_nodes[ETH_ALEN] = { 0x33, 0x33, 0, 0, 0, 1 };
static const u8 weft_ip6_nodes[16] = { 0xff, 0x02, [15] = 1 };
static const u8 weft_ip6_group[13] = { 0xff, 0x02, [11] = 1, [12] = 0xff };
static const u8 weft_mac_none[ETH_ALEN];

/* ---- Bytes ----------------------------------------------------------------------------------- */

static void weft_put16(u8 *p, u16 v)
{
	p[0] = v >> 8;
	p[1] = (u8)v;
}

/**
 * weft_neigh_sum - compute the Internet checksum
 * @data: bytes
 * @len: number of bytes
 * @sum: sum of the preceding bytes, an even number of them; 0: no bytes
 *
 * Context: any.
 * Return: the sum of 16-bit numbers in network order, folded and not inverted.
 */
u16 weft_neigh_sum(const void *data, u32 len, u32 sum)
{
	const u8 *p = data;
	u32 i;

	for (i = 0; i + 1 < len; i += 2)
		sum += weft_get16(p + i);
	if (len & 1)
		sum += p[len - 1] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (u16)sum;
}

/**
 * weft_icmp6_sum - compute the checksum of an ICMPv6 packet: both addresses, length, protocol,
 *	bytes
 * @ip6: its IPv6 header
 * @icmp: the packet
 * @len: length of the packet, at most 64 KiB
 *
 * Context: any.
 * Return: as weft_neigh_sum(); 0xffff if the packet's checksum is correct.
 */
u16 weft_icmp6_sum(const u8 *ip6, const u8 *icmp, u32 len)
{
	u32 sum = weft_neigh_sum(ip6 + 8, 32, len + WEFT_PROTO_ICMP6);

	return weft_neigh_sum(icmp, len, sum);
}

/**
 * weft_neigh_group - compute the Ethernet address for solicitations of an address
 * @addr: the address
 * @mac: out
 *
 * Context: any.
 * Return: 1; 0: no such address, as requests are broadcast.
 */
u32 weft_neigh_group(const struct weft_sockaddr *addr, u8 *mac)
{
	if (addr->family != AF_INET6)
		return 0;
	mac[0] = 0x33;
	mac[1] = 0x33;
	mac[2] = 0xff;
	memcpy(mac + 3, addr->addr + 13, 3);
	return 1;
}

/**
 * weft_neigh_group_mac - compute the Ethernet address of a multicast group
 * @group: the group
 * @mac: out
 *
 * Context: any.
 */
void weft_neigh_group_mac(const struct weft_sockaddr *group, u8 *mac)
{
	if (group->family == AF_INET) {
		mac[0] = 0x01;
		mac[1] = 0x00;
		mac[2] = 0x5e;
		mac[3] = group->addr[1] & 0x7f;
		memcpy(mac + 4, group->addr + 2, 2);
	} else {
		mac[0] = 0x33;
		mac[1] = 0x33;
		memcpy(mac + 2, group->addr + 12, 4);
	}
}

/* ---- Frames ---------------------------------------------------------------------------------- */

/* Start a frame. Return: the end of its header, NULL: no space. */
static u8 *weft_frame_begin(const struct weft_neighs *t, struct weft_neigh_out *out,
			    const u8 *to, u16 type, u32 len)
{
	struct weft_neigh_frame *f;
	u8 *p;

	if (out->n == WEFT_NEIGH_OUT)
		return NULL;
	f = &out->frame[out->n++];
	p = f->data;
	memcpy(p, to, ETH_ALEN);
	memcpy(p + ETH_ALEN, t->place.mac, ETH_ALEN);
	p += 2 * ETH_ALEN;
	if (t->place.vlan) {
		weft_put16(p, ETH_P_8021Q);
		weft_put16(p + 2, t->place.vlan);
		p += 4;
	}
	weft_put16(p, type);
	p += 2;
	f->len = (u32)(p - f->data) + len;
	/* zero the padding to Ethernet's minimum length: it must not leak memory */
	if (f->len < ETH_ZLEN) {
		memset(f->data + f->len, 0, ETH_ZLEN - f->len);
		f->len = ETH_ZLEN;
	}
	return p;
}

/**
 * weft_arp_put - build an ARP packet
 * @t: neighbours
 * @out: receives the frame, if there is space
 * @to: Ethernet destination address
 * @op: 1: request, 2: reply
 * @sip: sender's IPv4 address: an own address
 * @tmac: target's Ethernet address
 * @tip: target's IPv4 address
 *
 * Context: any.
 */
void weft_arp_put(const struct weft_neighs *t, struct weft_neigh_out *out, const u8 *to, u16 op,
		  const u8 *sip, const u8 *tmac, const u8 *tip)
{
	static const u8 head[6] = { 0, 1, 8, 0, ETH_ALEN, 4 };
	u8 *p = weft_frame_begin(t, out, to, ETH_P_ARP, WEFT_ARP_LEN);

	if (!p)
		return;
	memcpy(p, head, sizeof(head));
	weft_put16(p + 6, op);
	memcpy(p + 8, t->place.mac, ETH_ALEN);
	memcpy(p + 14, sip, 4);
	memcpy(p + 18, tmac, ETH_ALEN);
	memcpy(p + 24, tip, 4);
}

/**
 * weft_nd_put - build a solicitation or advertisement with our Ethernet address
 * @t: neighbours
 * @out: receives the frame, if there is space
 * @mac: Ethernet destination address
 * @from: source, IPv6
 * @to: destination, IPv6
 * @type: WEFT_ND_SOLICIT, WEFT_ND_ADVERT
 * @flags: WEFT_ND_SOLICITED, WEFT_ND_OVERRIDE
 * @target: address that is asked for or announced
 * @opt: type of the option with our Ethernet address: 1: source, 2: target
 *
 * Context: any.
 */
void weft_nd_put(const struct weft_neighs *t, struct weft_neigh_out *out, const u8 *mac,
		 const u8 *from, const u8 *to, u8 type, u8 flags, const u8 *target, u8 opt)
{
	u8 *ip6 = weft_frame_begin(t, out, mac, ETH_P_IPV6, WEFT_IP6_LEN + WEFT_ND_LEN + 8);
	u8 *icmp;

	if (!ip6)
		return;
	icmp = ip6 + WEFT_IP6_LEN;
	memset(ip6, 0, WEFT_IP6_LEN + WEFT_ND_LEN);
	ip6[0] = 0x60;
	weft_put16(ip6 + 4, WEFT_ND_LEN + 8);
	ip6[6] = WEFT_PROTO_ICMP6;
	ip6[7] = 255;
	memcpy(ip6 + 8, from, 16);
	memcpy(ip6 + 24, to, 16);
	icmp[0] = type;
	icmp[4] = flags;
	memcpy(icmp + 8, target, 16);
	icmp[WEFT_ND_LEN] = opt;
	icmp[WEFT_ND_LEN + 1] = 1;
	memcpy(icmp + WEFT_ND_LEN + 2, t->place.mac, ETH_ALEN);
	weft_put16(icmp + 2, (u16)~weft_icmp6_sum(ip6, icmp, WEFT_ND_LEN + 8));
}

/*
 * Return: an own address on the link of @addr, to send a request from. Nodes may ignore requests
 * from other links. If no own address is on that link, returns any.
 */
static const struct weft_sockaddr *weft_neigh_from(const struct weft_neighs *t,
						   const struct weft_sockaddr *addr)
{
	const struct weft_sockaddr *own, *any = NULL;
	u32 i;

	for (i = 0; i < t->place.naddr; i++) {
		own = &t->place.addr[i];
		if (own->family != addr->family)
			continue;
		if (weft_prefix_same(own->addr, addr->addr, t->place.prefix[i]))
			return own;
		if (!any)
			any = own;
	}
	return any;
}

/**
 * weft_neigh_ask - request an entry's Ethernet address, by broadcast or from its last known address
 * @t: neighbours; the table is locked
 * @n: the entry
 * @out: receives the frame, if there is space
 */
void weft_neigh_ask(struct weft_neighs *t, const struct weft_neigh *n, struct weft_neigh_out *out)
{
	const struct weft_sockaddr *from = weft_neigh_from(t, &n->addr);
	bool probe = n->state == WEFT_NEIGH_PROBING;
	u8 group[16], mac[ETH_ALEN];

	weft_assert_held(&t->lock);
	if (!from)
		return;
	if (n->addr.family == AF_INET) {
		weft_arp_put(t, out, probe ? n->mac : weft_mac_all, 1, from->addr, weft_mac_none,
			     n->addr.addr);
		return;
	}
	memcpy(group, weft_ip6_group, sizeof(weft_ip6_group));
	memcpy(group + 13, n->addr.addr + 13, 3);
	weft_neigh_group(&n->addr, mac);
	weft_nd_put(t, out, probe ? n->mac : mac, from->addr, probe ? n->addr.addr : group,
		    WEFT_ND_SOLICIT, 0, n->addr.addr, 1);
}

/**
 * weft_neigh_announce - announce the Ethernet address of an own address on the link
 * @t: neighbours
 * @i: index of the address
 * @out: has space for a frame
 *
 * Context: any.
 */
void weft_neigh_announce(struct weft_neighs *t, u32 i, struct weft_neigh_out *out)
{
	const u8 *addr = t->place.addr[i].addr;

	if (t->place.addr[i].family == AF_INET)
		weft_arp_put(t, out, weft_mac_all, 1, addr, weft_mac_none, addr);
	else
		weft_nd_put(t, out, weft_mac_nodes, addr, weft_ip6_nodes, WEFT_ND_ADVERT,
			    WEFT_ND_OVERRIDE, addr, 2);
}
