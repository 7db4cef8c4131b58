// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft port - neighbours: ARP (RFC 826, 5227) and IPv6 neighbour discovery (RFC 4861)
 *
 * States and limits are in neigh.h. An entry is created in three cases:
 *
 * - The port sends to a node.
 * - The port answers an unknown sender. Its address may be forged, so the new entry replaces none
 *   that was used recently.
 * - A node asks for an address of the port, and the table is less than half full.
 *
 * So unknown senders cannot displace entries in use. Each received packet is validated completely
 * before use. Any node on the link may claim an address, as always with these protocols.
 *
 * table->lock protects the table (neigh.h).
 */
#include "neigh_frame.h"

/* Properties of a frame's sender */
#define WEFT_NEIGH_ANSWER	1	/* it answers a request of ours */
#define WEFT_NEIGH_NEW		2	/* it justifies a new entry */
#define WEFT_NEIGH_OVER		4	/* its Ethernet address overrides the known one */

static const u8 weft_zero[16];

/* ---- Addresses ------------------------------------------------------------------------------- */

static bool weft_mac_ok(const u8 *mac)
{
	return !(mac[0] & 1) && memcmp(mac, weft_zero, ETH_ALEN);
}

static u32 weft_addr_len(const struct weft_sockaddr *a)
{
	return a->family == AF_INET ? 4 : 16;
}

/* Return: the index of an own address, -1: not an own address. */
static int weft_neigh_own(const struct weft_neighs *t, u16 family, const void *addr)
{
	u32 i;

	for (i = 0; i < t->place.naddr; i++) {
		const struct weft_sockaddr *own = &t->place.addr[i];

		if (own->family == family && !memcmp(own->addr, addr, weft_addr_len(own)))
			return (int)i;
	}
	return -1;
}

/* Another node claims an own address. The caller of weft_neigh_timer() reports it. */
static void weft_neigh_conflict(struct weft_neighs *t)
{
	t->conflicts++;
	WRITE_ONCE(t->due, 0);
}

/* ---- The table ------------------------------------------------------------------------------- */

static struct weft_list *weft_neigh_bucket(struct weft_neighs *t, const struct weft_sockaddr *a)
{
	return &t->hash[weft_siphash(a->addr, sizeof(a->addr), t->key) % WEFT_NEIGH_HASH];
}

static struct weft_neigh *weft_neigh_lookup(struct weft_neighs *t, const struct weft_sockaddr *a)
{
	struct weft_list *l, *head = weft_neigh_bucket(t, a);

	weft_list_for_each(l, head) {
		struct weft_neigh *n = weft_entry(l, struct weft_neigh, node);

		if (n->addr.family == a->family && !memcmp(n->addr.addr, a->addr, sizeof(a->addr)))
			return n;
	}
	return NULL;
}

static void weft_neigh_due(struct weft_neighs *t, struct weft_neigh *n, weft_ns at)
{
	n->at = at;
	if (at < t->due)
		WRITE_ONCE(t->due, at);
}

static void weft_neigh_stir(struct weft_neighs *t)
{
	WRITE_ONCE(t->gen, t->gen + 1 ?: 1);
}

static void weft_neigh_forget(struct weft_neighs *t, struct weft_neigh *n)
{
	weft_list_del(&n->node);
	weft_list_del(&n->all);
	weft_free(n);
	t->n--;
}

/* Create an entry without an Ethernet address. Replaces the least recently used one if full. */
static struct weft_neigh *weft_neigh_new(struct weft_neighs *t, const struct weft_sockaddr *a,
					 weft_ns now)
{
	struct weft_neigh *n;

	if (t->n >= WEFT_NEIGH_MAX) {
		weft_neigh_forget(t, weft_entry(weft_list_first(&t->all), struct weft_neigh, all));
		weft_neigh_stir(t);
	}
	n = weft_alloc(sizeof(*n));
	if (!n)
		return NULL;
	n->addr.family = a->family;
	memcpy(n->addr.addr, a->addr, sizeof(a->addr));
	n->state = WEFT_NEIGH_ASKING;
	n->used = now;
	weft_list_init(&n->node);
	weft_list_init(&n->all);
	weft_list_add(weft_neigh_bucket(t, a), &n->node);
	weft_list_add_tail(&t->all, &n->all);
	t->n++;
	return n;
}

static void weft_neigh_begin(struct weft_neighs *t, struct weft_neigh *n, u8 state, weft_ns now)
{
	n->state = state;
	n->asked = 0;
	weft_neigh_due(t, n, now);
}

/* Send the held frame. */
static void weft_neigh_release(struct weft_neigh *n, struct weft_neigh_out *out)
{
	struct weft_neigh_frame *f;

	if (!n->len || out->n == WEFT_NEIGH_OUT)
		return;
	f = &out->frame[out->n++];
	memcpy(f->data, n->held, n->len);
	memcpy(f->data, n->mac, ETH_ALEN);
	f->len = n->len;
	n->len = 0;
}

/* A frame reports that the node @a has the Ethernet address @mac. */
static void weft_neigh_learn(struct weft_neighs *t, const struct weft_sockaddr *a, const u8 *mac,
			     u32 what, weft_ns now, struct weft_neigh_out *out)
{
	struct weft_neigh *n = weft_neigh_lookup(t, a);
	bool known, other;

	if (!n && what & WEFT_NEIGH_NEW && t->n < WEFT_NEIGH_MAX / 2)
		n = weft_neigh_new(t, a, now);
	if (!n)
		return;
	known = n->state != WEFT_NEIGH_ASKING && n->state != WEFT_NEIGH_FAILED;
	other = known && memcmp(n->mac, mac, ETH_ALEN);
	if (other && (!(what & WEFT_NEIGH_OVER) || now - n->changed < WEFT_NEIGH_CHANGE_NS)) {
		if (n->state == WEFT_NEIGH_REACHABLE) {
			n->state = WEFT_NEIGH_STALE;
			weft_neigh_due(t, n, n->used + WEFT_NEIGH_KEEP_NS);
		}
		return;
	}
	if (!known || other) {
		memcpy(n->mac, mac, ETH_ALEN);
		n->changed = now;
		weft_neigh_stir(t);
	}
	if (what & WEFT_NEIGH_ANSWER) {
		n->state = WEFT_NEIGH_REACHABLE;
		weft_neigh_due(t, n, now + WEFT_NEIGH_REACH_NS);
	} else if (!known || other) {
		n->state = WEFT_NEIGH_STALE;
		weft_neigh_due(t, n, n->used + WEFT_NEIGH_KEEP_NS);
	}
	weft_neigh_release(n, out);
}

/* ---- Destinations ---------------------------------------------------------------------------- */

/**
 * weft_prefix_same - compare the prefixes of two addresses
 * @a: one
 * @b: another of the same family
 * @bits: length of the prefix
 *
 * Context: any.
 * Return: true if both are on the same link.
 */
bool weft_prefix_same(const u8 *a, const u8 *b, u32 bits)
{
	u32 bytes = bits / 8, rest = bits % 8;

	if (memcmp(a, b, bytes))
		return false;
	return !rest || !((a[bytes] ^ b[bytes]) >> (8 - rest));
}

/* Return: the next hop of packets to @to, NULL: no route. */
static const struct weft_sockaddr *weft_neigh_hop(const struct weft_neighs *t,
						  const struct weft_sockaddr *to)
{
	const struct weft_neigh_place *place = &t->place;
	u32 i;

	for (i = 0; i < place->naddr; i++)
		if (place->addr[i].family == to->family &&
		    weft_prefix_same(place->addr[i].addr, to->addr, place->prefix[i]))
			return to;
	for (i = 0; i < ARRAY_SIZE(place->gw); i++)
		if (place->gw[i].family == to->family)
			return &place->gw[i];
	return NULL;
}

/**
 * weft_neigh_reaches - test whether a route to a node exists
 * @t: neighbours
 * @to: the node, or a multicast group
 *
 * Context: any.
 * Return: true if the node or a gateway is on the link.
 */
bool weft_neigh_reaches(const struct weft_neighs *t, const struct weft_sockaddr *to)
{
	return weft_addr_is_group(to) || weft_neigh_hop(t, to);
}

/* Return: true if a new entry would replace an entry in use. */
static bool weft_neigh_busy(const struct weft_neighs *t, weft_ns now)
{
	return t->n >= WEFT_NEIGH_MAX &&
	       now < weft_entry(weft_list_first(&t->all), struct weft_neigh, all)->used +
		     WEFT_NEIGH_BUSY_NS;
}

static int weft_neigh_look(struct weft_neighs *t, const struct weft_sockaddr *to, weft_ns now,
			   u8 *mac, bool stranger)
{
	const struct weft_sockaddr *hop;
	struct weft_neigh *n;
	int err = -EAGAIN;

	if (weft_addr_is_group(to)) {
		weft_neigh_group_mac(to, mac);
		return 0;
	}
	hop = weft_neigh_hop(t, to);
	if (!hop)
		return -ENETUNREACH;
	weft_lock(&t->lock);
	n = weft_neigh_lookup(t, hop);
	if (!n) {
		if (stranger && weft_neigh_busy(t, now)) {
			err = -EHOSTUNREACH;
			goto unlock;
		}
		n = weft_neigh_new(t, hop, now);
		if (n)
			weft_neigh_begin(t, n, WEFT_NEIGH_ASKING, now);
		else
			err = -ENOMEM;
		goto unlock;
	}
	if (!stranger) {
		n->used = now;
		weft_list_del(&n->all);
		weft_list_add_tail(&t->all, &n->all);
	}
	switch (n->state) {
	case WEFT_NEIGH_ASKING:
		break;
	case WEFT_NEIGH_FAILED:
		if (now < n->at)
			err = -EHOSTUNREACH;
		else
			weft_neigh_begin(t, n, WEFT_NEIGH_ASKING, now);
		break;
	case WEFT_NEIGH_STALE:
		weft_neigh_begin(t, n, WEFT_NEIGH_PROBING, now);
		fallthrough;
	default:
		memcpy(mac, n->mac, ETH_ALEN);
		err = 0;
	}
unlock:
	weft_unlock(&t->lock);
	return err;
}

/**
 * weft_neigh_find - find the Ethernet address of the next hop to a node
 * @t: neighbours
 * @to: the node, or a multicast group
 * @now: time
 * @mac: out: valid until t->gen changes; the caller asks again each second, to mark the entry as
 *	used
 *
 * Context: any but hard interrupts. The caller reads t->due afterwards.
 * Return: 0; -EAGAIN: a request is pending, see weft_neigh_hold(); -ENETUNREACH: no route;
 * -EHOSTUNREACH: no answer was received; -ENOMEM.
 */
int weft_neigh_find(struct weft_neighs *t, const struct weft_sockaddr *to, weft_ns now, u8 *mac)
{
	return weft_neigh_look(t, to, now, mac, false);
}

/**
 * weft_neigh_find_stranger - find the Ethernet address for an answer to an unknown sender
 * @t: neighbours
 * @to: claimed address of the sender
 * @now: time
 * @mac: out
 *
 * Does not mark the entry as used, and replaces no entry that was used recently.
 *
 * Context: any but hard interrupts. The caller reads t->due afterwards.
 * Return: as weft_neigh_find(); -EHOSTUNREACH also if all entries are in use.
 */
int weft_neigh_find_stranger(struct weft_neighs *t, const struct weft_sockaddr *to, weft_ns now,
			     u8 *mac)
{
	return weft_neigh_look(t, to, now, mac, true);
}

/**
 * weft_neigh_hold - keep a frame until the node's Ethernet address is known
 * @t: neighbours
 * @to: the node; weft_neigh_find() has returned -EAGAIN
 * @frame: the frame with all checksums; the destination is filled in when it is sent
 * @len: bytes; a frame that is longer than WEFT_NEIGH_FRAME is dropped
 *
 * Only the newest frame is kept.
 *
 * Context: any but hard interrupts.
 *
 * Return: true if the frame is kept.
 */
bool weft_neigh_hold(struct weft_neighs *t, const struct weft_sockaddr *to, const void *frame,
		     u32 len)
{
	const struct weft_sockaddr *hop = weft_neigh_hop(t, to);
	struct weft_neigh *n;
	bool held;

	if (!hop || len > WEFT_NEIGH_FRAME)
		return false;
	weft_lock(&t->lock);
	n = weft_neigh_lookup(t, hop);
	held = n && n->state == WEFT_NEIGH_ASKING;
	if (held) {
		memcpy(n->held, frame, len);
		n->len = len;
	}
	weft_unlock(&t->lock);
	return held;
}

/* ---- Reception ------------------------------------------------------------------------------- */

/**
 * weft_neigh_arp - process a received ARP packet
 * @t: neighbours
 * @data: bytes after the Ethernet header
 * @len: bytes
 * @now: time
 * @out: has space for two frames
 *
 * Context: any but hard interrupts.
 */
void weft_neigh_arp(struct weft_neighs *t, const u8 *data, u32 len, weft_ns now,
		    struct weft_neigh_out *out)
{
	struct weft_sockaddr from = { .family = AF_INET };
	const u8 *mac = data + 8, *sip = data + 14, *tip = data + 24;
	bool ours;
	u16 op;

	if (len < WEFT_ARP_LEN || weft_get16(data) != 1 || weft_get16(data + 2) != ETH_P_IP ||
	    data[4] != ETH_ALEN || data[5] != 4)
		return;
	op = weft_get16(data + 6);
	if ((op != 1 && op != 2) || !weft_mac_ok(mac) || !memcmp(mac, t->place.mac, ETH_ALEN))
		return;
	memcpy(from.addr, sip, 4);
	ours = weft_neigh_own(t, AF_INET, tip) >= 0;
	weft_lock(&t->lock);
	if (weft_neigh_own(t, AF_INET, sip) >= 0) {
		weft_neigh_conflict(t);
		/* a node claims our address, or probes whether it is free: answer */
		ours = true;
	} else if (memcmp(sip, weft_zero, 4)) {
		weft_neigh_learn(t, &from, mac, WEFT_NEIGH_OVER |
				 (ours && op == 2 ? WEFT_NEIGH_ANSWER : 0) |
				 (ours ? WEFT_NEIGH_NEW : 0), now, out);
	}
	if (op == 1 && ours && weft_neigh_own(t, AF_INET, tip) >= 0)
		weft_arp_put(t, out, mac, 2, tip, mac, sip);
	weft_unlock(&t->lock);
}

/*
 * Return: the Ethernet address in option @type, NULL: not present. *bad: the options are invalid.
 */
static const u8 *weft_nd_option(const u8 *p, u32 len, u8 type, bool *bad)
{
	const u8 *mac = NULL;
	u32 n;

	*bad = false;
	while (len) {
		n = len >= 2 ? p[1] * 8u : 0;
		if (!n || n > len) {
			*bad = true;
			return NULL;
		}
		if (p[0] == type && n == 8 && weft_mac_ok(p + 2))
			mac = p + 2;
		p += n;
		len -= n;
	}
	return mac;
}

/*
 * Return: the known Ethernet address of @addr, NULL: unknown. A solicitation or advertisement that
 * is sent to or from a known Ethernet address may omit its own (RFC 4861, 7.2.4).
 */
static const u8 *weft_nd_known(struct weft_neighs *t, const u8 *addr)
{
	struct weft_sockaddr from = { .family = AF_INET6 };
	const struct weft_neigh *n;

	memcpy(from.addr, addr, 16);
	n = weft_neigh_lookup(t, &from);
	if (!n || n->state == WEFT_NEIGH_ASKING || n->state == WEFT_NEIGH_FAILED)
		return NULL;
	return n->mac;
}

static void weft_nd_solicited(struct weft_neighs *t, const u8 *ip6, const u8 *target,
			      const u8 *mac, weft_ns now, struct weft_neigh_out *out)
{
	struct weft_sockaddr from = { .family = AF_INET6 };
	bool probe = !memcmp(ip6 + 8, weft_zero, 16);
	int own = weft_neigh_own(t, AF_INET6, target);

	if (own < 0)
		return;
	if (probe) {	/* a node probes whether the address is free */
		weft_neigh_announce(t, (u32)own, out);
		return;
	}
	if (!mac)
		mac = weft_nd_known(t, ip6 + 8);
	if (!mac)
		return;
	memcpy(from.addr, ip6 + 8, 16);
	weft_neigh_learn(t, &from, mac, WEFT_NEIGH_OVER | WEFT_NEIGH_NEW, now, out);
	weft_nd_put(t, out, mac, target, from.addr, WEFT_ND_ADVERT,
		    WEFT_ND_SOLICITED | WEFT_ND_OVERRIDE, target, 2);
}

/**
 * weft_neigh_nd - process a received ICMPv6 packet
 * @t: neighbours
 * @data: bytes after the Ethernet header: an IPv6 header
 * @len: bytes, at least the IPv6 header
 * @now: time
 * @out: has space for two frames
 *
 * Ignores packets other than neighbour discovery.
 *
 * Context: any but hard interrupts.
 */
void weft_neigh_nd(struct weft_neighs *t, const u8 *data, u32 len, weft_ns now,
		   struct weft_neigh_out *out)
{
	const u8 *icmp = data + WEFT_IP6_LEN, *target = icmp + 8, *mac;
	struct weft_sockaddr from = { .family = AF_INET6 };
	u32 n = weft_get16(data + 4);
	bool bad, advert;

	if (data[0] >> 4 != 6 || data[6] != WEFT_PROTO_ICMP6 || data[7] != 255 ||
	    n < WEFT_ND_LEN || n > len - WEFT_IP6_LEN)
		return;
	advert = icmp[0] == WEFT_ND_ADVERT;
	if ((!advert && icmp[0] != WEFT_ND_SOLICIT) || icmp[1] || target[0] == 0xff ||
	    data[8] == 0xff || weft_icmp6_sum(data, icmp, n) != 0xffff)
		return;
	mac = weft_nd_option(icmp + WEFT_ND_LEN, n - WEFT_ND_LEN, advert ? 2 : 1, &bad);
	if (bad || (mac && !memcmp(mac, t->place.mac, ETH_ALEN)))
		return;
	weft_lock(&t->lock);
	if (advert && !mac && icmp[4] & WEFT_ND_SOLICITED)
		mac = weft_nd_known(t, target);
	if (!advert) {
		weft_nd_solicited(t, data, target, mac, now, out);
	} else if (weft_neigh_own(t, AF_INET6, target) >= 0) {
		weft_neigh_conflict(t);
	} else if (mac) {
		memcpy(from.addr, target, 16);
		weft_neigh_learn(t, &from, mac,
				 (icmp[4] & WEFT_ND_OVERRIDE ? WEFT_NEIGH_OVER : 0) |
				 (icmp[4] & WEFT_ND_SOLICITED ? WEFT_NEIGH_ANSWER : 0), now, out);
	}
	weft_unlock(&t->lock);
}

/* ---- Time ------------------------------------------------------------------------------------ */

/* Return: true if the entry still exists. */
static bool weft_neigh_expire(struct weft_neighs *t, struct weft_neigh *n, weft_ns now,
			      struct weft_neigh_out *out)
{
	switch (n->state) {
	case WEFT_NEIGH_ASKING:
	case WEFT_NEIGH_PROBING:
		if (n->asked < WEFT_NEIGH_ASKS) {
			weft_neigh_ask(t, n, out);
			n->asked++;
			n->at = now + WEFT_NEIGH_ASK_NS;
			return true;
		}
		if (n->state == WEFT_NEIGH_PROBING)
			weft_neigh_stir(t);
		n->state = WEFT_NEIGH_FAILED;
		n->len = 0;
		n->at = now + WEFT_NEIGH_FAIL_NS;
		return true;
	case WEFT_NEIGH_REACHABLE:
		n->state = WEFT_NEIGH_STALE;
		n->at = n->used + WEFT_NEIGH_KEEP_NS;
		return true;
	case WEFT_NEIGH_STALE:
		n->at = n->used + WEFT_NEIGH_KEEP_NS;
		if (n->at > now)
			return true;
		break;
	}
	weft_neigh_forget(t, n);
	return false;
}

/**
 * weft_neigh_timer - process timeouts, when the time t->due has come
 * @t: neighbours
 * @now: time
 * @out: empty
 *
 * Context: any but hard interrupts.
 * Return: true: the caller sends the frames in @out and calls again.
 */
bool weft_neigh_timer(struct weft_neighs *t, weft_ns now, struct weft_neigh_out *out)
{
	struct weft_list *l, *tmp;
	weft_ns due = U64_MAX;

	weft_lock(&t->lock);
	weft_list_for_each_safe(l, tmp, &t->all) {
		struct weft_neigh *n = weft_entry(l, struct weft_neigh, all);

		if (n->at > now || (out->n < WEFT_NEIGH_OUT && weft_neigh_expire(t, n, now, out)))
			due = min(due, n->at);
		else if (out->n == WEFT_NEIGH_OUT)
			due = 0;
	}
	WRITE_ONCE(t->due, due);
	weft_unlock(&t->lock);
	return out->n == WEFT_NEIGH_OUT;
}

/* ---- Life and inspection --------------------------------------------------------------------- */

/**
 * weft_neigh_init - initialise a table
 * @t: zeroed; the caller fills in the place before the first use
 *
 * Context: any.
 */
void weft_neigh_init(struct weft_neighs *t)
{
	u32 i;

	weft_lock_init(&t->lock, WEFT_RANK_LEAF);
	weft_list_init(&t->all);
	for (i = 0; i < WEFT_NEIGH_HASH; i++)
		weft_list_init(&t->hash[i]);
	t->gen = 1;
	t->due = U64_MAX;
	t->key[0] = weft_random();
	t->key[1] = weft_random();
}

/**
 * weft_neigh_exit - free all entries
 * @t: neighbours, no longer in use
 *
 * Context: any.
 */
void weft_neigh_exit(struct weft_neighs *t)
{
	struct weft_list *l;

	while ((l = weft_list_first(&t->all)))
		weft_neigh_forget(t, weft_entry(l, struct weft_neigh, all));
}

/**
 * weft_neigh_nth - inspect an entry
 * @t: neighbours
 * @n: number of the entry, counted from 0
 * @now: time
 * @info: out
 *
 * Slow: for dumps.
 *
 * Context: any but hard interrupts.
 *
 * Return: true; false: no more entries.
 */
bool weft_neigh_nth(struct weft_neighs *t, u32 n, weft_ns now, struct weft_neigh_info *info)
{
	struct weft_list *l;
	bool found = false;

	memset(info, 0, sizeof(*info));
	weft_lock(&t->lock);
	weft_list_for_each(l, &t->all) {
		struct weft_neigh *e = weft_entry(l, struct weft_neigh, all);

		if (n--)
			continue;
		found = true;
		info->addr = e->addr;
		info->state = e->state;
		info->idle = now > e->used ? now - e->used : 0;
		if (e->state != WEFT_NEIGH_ASKING && e->state != WEFT_NEIGH_FAILED)
			memcpy(info->mac, e->mac, ETH_ALEN);
		break;
	}
	weft_unlock(&t->lock);
	return found;
}

/**
 * weft_neigh_state_name - name of a state, in readable form
 * @state: WEFT_NEIGH_*
 *
 * Context: any.
 * Return: the name.
 */
const char *weft_neigh_state_name(u8 state)
{
	static const char * const names[] = {
		[WEFT_NEIGH_ASKING] = "asking",
		[WEFT_NEIGH_REACHABLE] = "reachable",
		[WEFT_NEIGH_STALE] = "stale",
		[WEFT_NEIGH_PROBING] = "probing",
		[WEFT_NEIGH_FAILED] = "failed",
	};

	return state < ARRAY_SIZE(names) ? names[state] : "?";
}
