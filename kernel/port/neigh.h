/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft port - neighbours: the Ethernet addresses of nodes on the link
 *
 * For ports that own their device, and so lack the ARP and neighbour discovery of the IP stack. The
 * code does no I/O, like the core. It receives frames and the time, and returns frames to send
 * (struct weft_neigh_out). It compiles into the module and into host programs.
 *
 * States of an entry:
 *
 *	         asked 3 times, no answer
 *	ASKING --------------------------> FAILED --refuses for a while, then--> removed
 *	  |                                  ^
 *	  | answer                           | asked 3 times, no answer
 *	  v      30 s        used again      |
 *	REACHABLE ---> STALE ----------> PROBING
 *	  ^              |                   |
 *	  |              | unused for 10 min | answer
 *	  |              v                   |
 *	  |           removed                |
 *	  +----------------------------------+
 *
 * table->lock protects the table. The functions run in any context but hard interrupts.
 */
#ifndef WEFT_PORT_NEIGH_H
#define WEFT_PORT_NEIGH_H

#include <linux/if_ether.h>

#include "../core/api/api.h"

#define WEFT_NEIGH_MAX		1024	/* entries */
#define WEFT_NEIGH_HASH		256	/* hash buckets; a power of two */
#define WEFT_NEIGH_FRAME	320	/* maximum bytes of a frame */
#define WEFT_NEIGH_OUT		4	/* maximum frames sent at a time */

#define WEFT_NEIGH_ASKS		3	/* requests before a failure */
#define WEFT_NEIGH_ASK_NS	1000000000ULL	/* time between requests */
#define WEFT_NEIGH_REACH_NS	30000000000ULL	/* validity of an answer */
#define WEFT_NEIGH_FAIL_NS	3000000000ULL	/* validity of a failure */
#define WEFT_NEIGH_KEEP_NS	600000000000ULL	/* lifetime of an unused entry */
#define WEFT_NEIGH_BUSY_NS	3000000000ULL	/* no replacement of entries used since */
#define WEFT_NEIGH_CHANGE_NS	1000000000ULL	/* minimum time between changes */

#define WEFT_NEIGH_ASKING	0
#define WEFT_NEIGH_REACHABLE	1
#define WEFT_NEIGH_STALE	2
#define WEFT_NEIGH_PROBING	3
#define WEFT_NEIGH_FAILED	4

/**
 * struct weft_neigh_place - a port's configuration on its link
 * @mac: own Ethernet address
 * @vlan: VLAN tag, 0: none
 * @naddr: own addresses
 * @addr: own addresses, service 0
 * @prefix: length of each address's prefix on the link
 * @gw: gateways to other links, IPv4 and IPv6; family 0: no gateway
 */
struct weft_neigh_place {
	u8 mac[ETH_ALEN];
	u16 vlan;
	u32 naddr;
	struct weft_sockaddr addr[WEFT_CORE_ADDRS];
	u8 prefix[WEFT_CORE_ADDRS];
	struct weft_sockaddr gw[2];
};

/**
 * struct weft_neigh - a node on the link
 * @node: in its hash bucket
 * @all: in table->all, the most recently used one at the end
 * @addr: its address
 * @mac: its Ethernet address, unless ASKING or FAILED
 * @state: WEFT_NEIGH_*
 * @asked: number of requests sent
 * @at: time of the next timeout
 * @used: time of the last use
 * @changed: time of the last change of @mac
 * @len: bytes in @held, 0: none
 * @held: a frame that waits for @mac; the newest one only
 */
struct weft_neigh {
	struct weft_list node;
	struct weft_list all;
	struct weft_sockaddr addr;
	u8 mac[ETH_ALEN];
	u8 state;
	u8 asked;
	weft_ns at;
	weft_ns used;
	weft_ns changed;
	u32 len;
	u8 held[WEFT_NEIGH_FRAME];
};

/**
 * struct weft_neighs - neighbours of a port
 * @place: configuration of the port; constant
 * @lock: protects all below
 * @hash: entries by address
 * @all: entries in order of use
 * @n: number of entries
 * @gen: changes when a returned address may have become wrong; never 0; read without @lock
 * @due: time for the next weft_neigh_timer(), U64_MAX: none; read without @lock
 * @conflicts: number of claims of an own address by other nodes
 * @key: key of the hash table
 */
struct weft_neighs {
	struct weft_neigh_place place;
	struct weft_lock lock;
	struct weft_list hash[WEFT_NEIGH_HASH];
	struct weft_list all;
	u32 n;
	u32 gen;
	weft_ns due;
	u32 conflicts;
	u64 key[2];
};

/**
 * struct weft_neigh_frame - a frame to send, starting with the Ethernet header, with all checksums
 * @len: bytes
 * @data: the frame
 */
struct weft_neigh_frame {
	u32 len;
	u8 data[WEFT_NEIGH_FRAME];
};

/**
 * struct weft_neigh_out - frames to send
 * @n: number of frames
 * @frame: the frames
 */
struct weft_neigh_out {
	u32 n;
	struct weft_neigh_frame frame[WEFT_NEIGH_OUT];
};

/**
 * struct weft_neigh_info - state of an entry
 * @addr: address
 * @mac: Ethernet address, zero: unknown
 * @state: WEFT_NEIGH_*
 * @idle: time since the last use
 */
struct weft_neigh_info {
	struct weft_sockaddr addr;
	u8 mac[ETH_ALEN];
	u8 state;
	weft_ns idle;
};

void weft_neigh_init(struct weft_neighs *t);
void weft_neigh_exit(struct weft_neighs *t);

int weft_neigh_find(struct weft_neighs *t, const struct weft_sockaddr *to, weft_ns now, u8 *mac);
int weft_neigh_find_stranger(struct weft_neighs *t, const struct weft_sockaddr *to, weft_ns now,
			     u8 *mac);
bool weft_neigh_hold(struct weft_neighs *t, const struct weft_sockaddr *to, const void *frame,
		     u32 len);
bool weft_neigh_reaches(const struct weft_neighs *t, const struct weft_sockaddr *to);

void weft_neigh_arp(struct weft_neighs *t, const u8 *data, u32 len, weft_ns now,
		    struct weft_neigh_out *out);
void weft_neigh_nd(struct weft_neighs *t, const u8 *data, u32 len, weft_ns now,
		   struct weft_neigh_out *out);
bool weft_neigh_timer(struct weft_neighs *t, weft_ns now, struct weft_neigh_out *out);
void weft_neigh_announce(struct weft_neighs *t, u32 i, struct weft_neigh_out *out);

bool weft_neigh_nth(struct weft_neighs *t, u32 n, weft_ns now, struct weft_neigh_info *info);
const char *weft_neigh_state_name(u8 state);

u16 weft_neigh_sum(const void *data, u32 len, u32 sum);
u32 weft_neigh_group(const struct weft_sockaddr *addr, u8 *mac);
void weft_neigh_group_mac(const struct weft_sockaddr *group, u8 *mac);

#endif
