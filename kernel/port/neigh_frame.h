/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft port - neighbours: declarations for neigh_frame.c and neigh.c
 */
#ifndef WEFT_PORT_NEIGH_FRAME_H
#define WEFT_PORT_NEIGH_FRAME_H

#include "neigh.h"

#define WEFT_ARP_LEN		28
#define WEFT_ND_LEN		24	/* solicitation or advertisement without options */
#define WEFT_IP6_LEN		40
#define WEFT_ND_SOLICIT		135
#define WEFT_ND_ADVERT		136
#define WEFT_ND_SOLICITED	0x40
#define WEFT_ND_OVERRIDE	0x20
#define WEFT_PROTO_ICMP6	58

/**
 * weft_get16 - read a 16-bit number of a packet
 * @p: two bytes, in network order
 *
 * Return: the number.
 */
static inline u16 weft_get16(const u8 *p)
{
	return (u16)(p[0] << 8 | p[1]);
}

bool weft_prefix_same(const u8 *a, const u8 *b, u32 bits);

u16 weft_icmp6_sum(const u8 *ip6, const u8 *icmp, u32 len);
void weft_arp_put(const struct weft_neighs *t, struct weft_neigh_out *out, const u8 *to, u16 op,
		  const u8 *sip, const u8 *tmac, const u8 *tip);
void weft_nd_put(const struct weft_neighs *t, struct weft_neigh_out *out, const u8 *mac,
		 const u8 *from, const u8 *to, u8 type, u8 flags, const u8 *target, u8 opt);
void weft_neigh_ask(struct weft_neighs *t, const struct weft_neigh *n, struct weft_neigh_out *out);

#endif
