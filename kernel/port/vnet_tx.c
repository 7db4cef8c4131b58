// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft port - driver "vnet": transmission of packets
 *
 * Each queue has slots, memory for one packet each. A slot is free, being filled, in the queue, or
 * waiting for space in the queue. Headers are copied from the path's and completed. Payload is
 * copied behind them. Long payload in pinned pages is sent from there: the slot then holds the
 * window until the device has used the descriptors, one for each piece. Indirect descriptors are
 * not negotiated, as the virtio core would allocate a table of them for each packet.
 *
 * The queue's interrupt is enabled only while slots wait for space or hold windows. Otherwise later
 * senders free the sent slots. One free slot is kept aside for a short single packet. Its sender
 * sets a sent slot aside again. The device is notified once per call. A packet without a slot is
 * lost, as on a wire.
 *
 * Packets to a node with unknown Ethernet address are lost, too. Only the newest one, if short (a
 * handshake), waits in the neighbour table.
 *
 * q->tx_lock protects the slots (vnet.h). All but allocation runs with BH off inside an RCU read
 * section.
 */
#include <linux/etherdevice.h>
#include <linux/ip.h>
#include <linux/jiffies.h>
#include <linux/slab.h>
#include <net/inet_ecn.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>

#include "../trace/trace_core.h"
#include "vnet.h"

#define WEFT_VNET_TTL		64

/* ---- Slots, q->tx_lock is held --------------------------------------------------------------- */

static void weft_vnet_list_add(struct weft_vnet_list *list, struct weft_vnet_slot *slot)
{
	slot->next = NULL;
	if (list->first)
		list->last->next = slot;
	else
		list->first = slot;
	list->last = slot;
}

static void weft_vnet_slot_strip(struct weft_vnet_slot *slot)
{
	if (slot->mem)
		weft_mem_put(slot->mem);
	slot->mem = NULL;
	slot->nspan = 0;
}

static void weft_vnet_slot_free(struct weft_vnet_queue *q, struct weft_vnet_slot *slot)
{
	lockdep_assert_held(&q->tx_lock);
	weft_vnet_slot_strip(slot);
	slot->next = q->free;
	q->free = slot;
}

/* Return: 0, -ENOSPC: no space now, -EIO: the device is broken. */
static int weft_vnet_slot_add(struct weft_vnet_queue *q, struct weft_vnet_slot *slot)
{
	struct scatterlist *end = &q->sg[slot->nspan];
	u32 i;
	int err;

	lockdep_assert_held(&q->tx_lock);
	sg_set_buf(&q->sg[0], slot->frame, slot->len);
	for (i = 0; i < slot->nspan; i++)
		sg_set_buf(&q->sg[i + 1], slot->span[i].p, slot->span[i].len);
	sg_mark_end(end);
	err = virtqueue_add_outbuf(q->txq, q->sg, slot->nspan + 1, slot, GFP_ATOMIC);
	sg_unmark_end(end);
	if (!err && slot->mem)
		q->nmem++;
	return err == -ENOMEM ? -ENOSPC : err;
}

/* Return: a slot that has been sent, NULL: none. */
static struct weft_vnet_slot *weft_vnet_sent(struct weft_vnet_queue *q)
{
	struct weft_vnet_slot *slot;
	u32 len;

	lockdep_assert_held(&q->tx_lock);
	slot = virtqueue_get_buf(q->txq, &len);
	if (slot && unlikely(slot->mem))
		q->nmem--;
	return slot;
}

/* Free the slots that have been sent. */
static void weft_vnet_done(struct weft_vnet_queue *q)
{
	struct weft_vnet_slot *slot;

	lockdep_assert_held(&q->tx_lock);
	while ((slot = weft_vnet_sent(q)))
		weft_vnet_slot_free(q, slot);
}

/* Set a slot aside if needed: one that has been sent, so that all of them are freed in time. */
static void weft_vnet_set_aside(struct weft_vnet_queue *q)
{
	struct weft_vnet_slot *slot;

	lockdep_assert_held(&q->tx_lock);
	if (READ_ONCE(q->aside))
		return;
	slot = weft_vnet_sent(q);
	if (likely(slot)) {
		weft_vnet_slot_strip(slot);
	} else {
		slot = q->free;
		if (!slot)
			return;
		q->free = slot->next;
	}
	/* pairs with xchg(): all use of the slot has ended */
	smp_store_release(&q->aside, slot);
}

/* Return: true if the device is broken. */
static bool weft_vnet_push(struct weft_vnet_queue *q)
{
	struct weft_vnet_slot *slot;
	int err = 0;

	lockdep_assert_held(&q->tx_lock);
	while ((slot = q->waiting.first)) {
		err = weft_vnet_slot_add(q, slot);
		if (err == -ENOSPC)
			break;
		q->waiting.first = slot->next;
		if (err) {
			weft_count(&q->vn->port->core, tx_errors);
			weft_vnet_slot_free(q, slot);
		}
	}
	return err == -EIO;
}

/*
 * Queue the waiting slots. Enable the interrupt while slots are to be freed. Return: true if the
 * device is broken.
 */
static bool weft_vnet_advance(struct weft_vnet_queue *q)
{
	lockdep_assert_held(&q->tx_lock);
	for (;;) {
		weft_vnet_done(q);
		if (weft_vnet_push(q))
			return true;
		if ((!q->waiting.first && !q->nmem) || virtqueue_enable_cb_delayed(q->txq))
			return false;
		/* a broken queue returns no slot, even if the device has used some */
		if (virtqueue_is_broken(q->txq))
			return true;
	}
}

static void weft_vnet_unlock_kick(struct weft_vnet_queue *q, bool broken)
	__releases(&q->tx_lock)
{
	bool kick = virtqueue_kick_prepare(q->txq);

	spin_unlock(&q->tx_lock);
	if (kick)
		virtqueue_notify(q->txq);
	if (unlikely(broken))
		weft_vnet_broken(q->vn);
}

/**
 * weft_vnet_tx_reap - free sent slots, and send waiting ones
 * @q: the queue pair
 *
 * Context: BH off, RCU read section.
 */
void weft_vnet_tx_reap(struct weft_vnet_queue *q)
{
	if (!READ_ONCE(q->nmem) && !READ_ONCE(q->waiting.first))
		return;
	spin_lock(&q->tx_lock);
	weft_vnet_unlock_kick(q, weft_vnet_advance(q));
}

/* Take up to @n free slots, without the lock held. *@got: number of slots. */
static struct weft_vnet_slot *weft_vnet_slots(struct weft_vnet_queue *q, u32 n, u32 *got)
{
	struct weft_vnet_slot *first, **last = &first;

	spin_lock(&q->tx_lock);
	weft_vnet_done(q);
	first = q->free;
	for (*got = 0; *got < n && *last; (*got)++)
		last = &(*last)->next;
	q->free = *last;
	*last = NULL;
	spin_unlock(&q->tx_lock);
	return first;
}

/* Send the slots in @full, return those in @empty, without the lock held. */
static void weft_vnet_submit(struct weft_vnet_queue *q, struct weft_vnet_list *full,
			     struct weft_vnet_slot *empty)
{
	struct weft_vnet_slot *slot;
	bool broken;

	spin_lock(&q->tx_lock);
	while ((slot = empty)) {
		empty = slot->next;
		weft_vnet_slot_free(q, slot);
	}
	if (full->first) {
		if (q->waiting.first)
			q->waiting.last->next = full->first;
		else
			q->waiting.first = full->first;
		q->waiting.last = full->last;
	}
	broken = weft_vnet_advance(q);
	weft_vnet_set_aside(q);
	weft_vnet_unlock_kick(q, broken);
}

/* Send a slot without a window, without the lock held. */
static void weft_vnet_submit_one(struct weft_vnet_queue *q, struct weft_vnet_slot *slot)
{
	bool broken = false;

	spin_lock(&q->tx_lock);
	sg_set_buf(&q->one, slot->frame, slot->len);
	if (unlikely(q->waiting.first || q->nmem ||
		     virtqueue_add_outbuf(q->txq, &q->one, 1, slot, GFP_ATOMIC))) {
		weft_vnet_list_add(&q->waiting, slot);
		broken = weft_vnet_advance(q);
	}
	weft_vnet_set_aside(q);
	weft_vnet_unlock_kick(q, broken);
}

/* ---- Headers --------------------------------------------------------------------------------- */

static void weft_vnet_head4(struct weft_vnet_path *np, const struct weft_sockaddr *src,
			    const struct weft_sockaddr *to)
{
	struct iphdr *ip = (void *)(np->head + np->ipoff);

	ip->version = 4;
	ip->ihl = sizeof(*ip) / 4;
	ip->frag_off = htons(IP_DF);
	ip->ttl = WEFT_VNET_TTL;
	ip->protocol = IPPROTO_UDP;
	memcpy(&ip->saddr, src->addr, sizeof(ip->saddr));
	memcpy(&ip->daddr, to->addr, sizeof(ip->daddr));
	np->ipsum = csum_partial(ip, sizeof(*ip), 0);
	np->pseudo = csum_unfold(~csum_tcpudp_magic(ip->saddr, ip->daddr, 0, IPPROTO_UDP, 0));
	np->hlen = np->ipoff + sizeof(*ip) + sizeof(struct udphdr);
}

static void weft_vnet_head6(struct weft_vnet_path *np, const struct weft_sockaddr *src,
			    const struct weft_sockaddr *to)
{
	struct ipv6hdr *ip6 = (void *)(np->head + np->ipoff);

	ip6_flow_hdr(ip6, 0, 0);
	ip6->nexthdr = IPPROTO_UDP;
	ip6->hop_limit = WEFT_VNET_TTL;
	memcpy(&ip6->saddr, src->addr, sizeof(ip6->saddr));
	memcpy(&ip6->daddr, to->addr, sizeof(ip6->daddr));
	np->pseudo = csum_unfold(~csum_ipv6_magic(&ip6->saddr, &ip6->daddr, 0, IPPROTO_UDP, 0));
	np->hlen = np->ipoff + sizeof(*ip6) + sizeof(struct udphdr);
}

/* Write headers, without lengths, sums and the fields of a packet's class. @np is zeroed. */
static void weft_vnet_head(struct weft_vnet *vn, struct weft_vnet_path *np,
			   const struct weft_sockaddr *src, const struct weft_sockaddr *to)
{
	const struct weft_neigh_place *place = &vn->neighs.place;
	struct virtio_net_hdr_mrg_rxbuf *hdr = (void *)np->head;
	struct vlan_ethhdr *eth = (void *)(np->head + WEFT_VNET_HDR);
	__be16 type = htons(to->family == AF_INET ? ETH_P_IP : ETH_P_IPV6);
	struct udphdr *uh;

	memcpy(eth->h_source, place->mac, ETH_ALEN);
	if (place->vlan) {
		eth->h_vlan_proto = htons(ETH_P_8021Q);
		eth->h_vlan_TCI = htons(place->vlan);
		eth->h_vlan_encapsulated_proto = type;
		np->ipoff = WEFT_VNET_LINK;
	} else {
		eth->h_vlan_proto = type;
		np->ipoff = WEFT_VNET_HDR + ETH_HLEN;
	}
	if (to->family == AF_INET)
		weft_vnet_head4(np, src, to);
	else
		weft_vnet_head6(np, src, to);
	uh = (void *)(np->head + np->hlen - sizeof(*uh));
	uh->source = vn->sport;
	uh->dest = vn->sport;
	if (vn->csum) {
		hdr->hdr.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM;
		hdr->hdr.csum_start = __cpu_to_virtio16(true, np->hlen - sizeof(*uh) -
							WEFT_VNET_HDR);
		hdr->hdr.csum_offset = __cpu_to_virtio16(true, offsetof(struct udphdr, check));
	}
}

/* Return: sum of the bytes behind the frame, which begin at offset @at of the packet. */
static __wsum weft_vnet_sum_spans(const struct weft_vnet_slot *slot, u32 at, __wsum sum)
{
	u32 i;

	for (i = 0; i < slot->nspan; at += slot->span[i++].len)
		sum = csum_block_add(sum, csum_partial(slot->span[i].p, slot->span[i].len, 0), at);
	return sum;
}

/* Set lengths and checksums of a packet with @pay bytes behind the frame; @soft: all checksums. */
static void weft_vnet_finish(const struct weft_vnet_path *np, struct weft_vnet_slot *slot, u32 pay,
			     bool soft)
{
	u32 here = slot->len - np->hlen + sizeof(struct udphdr);
	struct udphdr *uh = (void *)(slot->frame + np->hlen - sizeof(*uh));
	struct iphdr *ip = (void *)(slot->frame + np->ipoff);
	u32 len = here + pay;
	__wsum sum = csum_add(np->pseudo, (__force __wsum)htons(len));

	if (ip->version == 4) {
		ip->tot_len = htons(len + sizeof(*ip));
		/* the sum has no carry out of 32 bits */
		ip->check = csum_fold(csum_add(np->ipsum,
					       (__force __wsum)((__force u32)ip->tot_len +
								(__force u32)htons(ip->tos))));
	} else {
		((struct ipv6hdr *)ip)->payload_len = htons(len);
	}
	uh->len = htons(len);
	if (!soft) {
		uh->check = ~csum_fold(sum);
		return;
	}
	sum = csum_partial(uh, here, sum);
	if (pay)
		sum = weft_vnet_sum_spans(slot, here, sum);
	uh->check = csum_fold(sum) ?: CSUM_MANGLED_0;
}

/* Set DSCP and ECN, also in a VLAN tag. */
static void weft_vnet_mark(const struct weft_vnet_path *np, struct weft_vnet_slot *slot, u8 tos)
{
	struct vlan_ethhdr *eth = (void *)(slot->frame + WEFT_VNET_HDR);
	struct iphdr *ip = (void *)(slot->frame + np->ipoff);

	if (np->ipoff == WEFT_VNET_LINK)
		eth->h_vlan_TCI |= htons(tos >> 5 << VLAN_PRIO_SHIFT);
	if (ip->version == 4)
		ip->tos = tos;
	else
		ip6_flow_hdr((struct ipv6hdr *)ip, tos, 0);
}

/* Return: true if np->mac is still the Ethernet address of the next hop. */
static bool weft_vnet_mac_fresh(struct weft_vnet *vn, struct weft_vnet_path *np)
{
	/* pairs with the store in weft_vnet_mac(): a reader that sees @gen sees @mac */
	return likely(smp_load_acquire(&np->gen) == READ_ONCE(vn->neighs.gen) &&
		      time_before(jiffies, READ_ONCE(np->recheck)));
}

/* Find the next hop's Ethernet address. @path: @np is a path's. Return: as weft_neigh_find(). */
static int weft_vnet_mac(struct weft_vnet *vn, struct weft_vnet_path *np,
			 const struct weft_sockaddr *to, bool path)
{
	u32 gen = READ_ONCE(vn->neighs.gen);
	u64 mac = 0;
	weft_ns now;
	int err;

	if (weft_vnet_mac_fresh(vn, np))
		return 0;
	now = weft_now();
	err = path ? weft_neigh_find(&vn->neighs, to, now, (u8 *)&mac) :
		     weft_neigh_find_stranger(&vn->neighs, to, now, (u8 *)&mac);
	if (!err) {
		WRITE_ONCE(np->mac, mac);
		WRITE_ONCE(np->recheck, jiffies + HZ);
		/* pairs with the load in weft_vnet_mac_fresh() */
		smp_store_release(&np->gen, gen);
	}
	weft_vnet_neigh_wake(vn, now);
	return err;
}

/* ---- Packets --------------------------------------------------------------------------------- */

/* Return: 1: send the slot, 0: the packet waits elsewhere, negative errno: the packet is lost. */
static int weft_vnet_make(struct weft_vnet *vn, struct weft_vnet_slot *slot,
			  struct weft_vnet_path *np, const struct weft_tx *tx, u32 i,
			  const struct weft_sockaddr *to)
{
	u32 pay = weft_tx_paylen(tx, i), len = tx->len - tx->pay;
	int err = weft_vnet_mac(vn, np, to, tx->path);
	u64 mac = READ_ONCE(np->mac);

	if (unlikely(err && err != -EAGAIN))
		return err;
	memcpy(slot->frame, np->head, sizeof(np->head));
	memcpy(slot->frame + WEFT_VNET_HDR, &mac, ETH_ALEN);
	weft_vnet_mark(np, slot, weft_port_tos(vn->port, tx->class));
	if (pay >= WEFT_VNET_COPY && slot->span)
		slot->nspan = weft_tx_pieces(tx, i, slot->span, WEFT_VNET_SPANS, &slot->mem);
	if (slot->nspan) {
		weft_count(&vn->port->core, tx_direct);
		weft_tx_header(tx, i, slot->frame + np->hlen);
	} else {
		int lost = weft_tx_write(tx, i, 1, slot->frame + np->hlen);

		if (unlikely(lost))
			return lost;
		len += pay;
		pay = 0;
	}
	slot->len = np->hlen + len;
	weft_vnet_finish(np, slot, pay, !vn->csum || err);
	if (likely(!err))
		return 1;
	if (!pay && weft_neigh_hold(&vn->neighs, to, slot->frame + WEFT_VNET_HDR,
				    slot->len - WEFT_VNET_HDR))
		return 0;
	/* the answer may have come meanwhile */
	err = weft_vnet_mac(vn, np, to, tx->path);
	if (err)
		return err;
	mac = READ_ONCE(np->mac);
	memcpy(slot->frame + WEFT_VNET_HDR, &mac, ETH_ALEN);
	if (vn->csum)
		weft_vnet_finish(np, slot, pay, false);
	return 1;
}

static int weft_vnet_make_path(struct weft_vnet *vn, struct weft_vnet_slot *slot,
			       const struct weft_tx *tx, u32 i)
{
	return weft_vnet_make(vn, slot, weft_path_priv(tx->path), tx, i, weft_path_addr(tx->path));
}

/* Make an answer to an unknown sender. */
static noinline int weft_vnet_make_once(struct weft_vnet *vn, struct weft_vnet_slot *slot,
					const struct weft_tx *tx)
{
	const struct weft_sockaddr *src = &vn->port->core.addr[tx->src];
	struct weft_vnet_path np = {};

	if (src->family != tx->to.family)
		return -ENETUNREACH;
	weft_vnet_head(vn, &np, src, &tx->to);
	return weft_vnet_make(vn, slot, &np, tx, 0, &tx->to);
}

/* All packets of a lane use one queue pair, so that they stay in order. */
static struct weft_vnet_queue *weft_vnet_queue_of(struct weft_vnet *vn, struct weft_path *path,
						  u8 lane)
{
	const struct weft_vnet_path *np;

	if (vn->npairs == 1)
		return vn->q;
	np = weft_path_priv(path);
	return &vn->q[(np->hash + lane) % vn->npairs];
}

static struct weft_vnet_queue *weft_vnet_queue(struct weft_vnet *vn, const struct weft_tx *tx)
{
	return tx->path ? weft_vnet_queue_of(vn, tx->path, tx->lane) : vn->q;
}

/* Send the packets of one queue pair; @total packets in all. */
static void weft_vnet_tx_queue(struct weft_vnet_queue *q, const struct weft_tx *tx, u32 n,
			       u32 total)
{
	struct weft_vnet_list full = {};
	struct weft_vnet *vn = q->vn;
	struct weft_vnet_slot *free, *slot;
	u32 i, k, got, done = 0;
	int what;

	free = weft_vnet_slots(q, total, &got);
	for (i = 0; i < n; i++) {
		for (k = 0; k < tx[i].nseg && free; k++, done++) {
			slot = free;
			what = tx[i].path ? weft_vnet_make_path(vn, slot, &tx[i], k) :
			       weft_vnet_make_once(vn, slot, &tx[i]);
			if (likely(what > 0)) {
				free = slot->next;
				weft_vnet_list_add(&full, slot);
				continue;
			}
			weft_vnet_slot_strip(slot);
			if (what == -EAGAIN || what == -EHOSTUNREACH)
				weft_count(&vn->port->core, tx_unresolved);
			else if (what && what != -ECANCELED)
				weft_count(&vn->port->core, tx_errors);
		}
	}
	if (unlikely(done < total))
		weft_count_add(&vn->port->core, tx_dropped, total - done);
	weft_vnet_submit(q, &full, free);
}

/*
 * Fast path for a packet of a class whose next hop's Ethernet address is known. Return: the slot
 * aside, with all headers except lengths and checksums, NULL: the packet must take another path.
 */
static struct weft_vnet_slot *weft_vnet_take_aside(struct weft_vnet *vn, struct weft_vnet_queue *q,
						   struct weft_vnet_path *np, u32 len,
						   u8 class)
{
	struct weft_vnet_slot *slot;
	u64 mac;

	if (unlikely(!weft_vnet_mac_fresh(vn, np)))
		return NULL;
	mac = READ_ONCE(np->mac);
	slot = xchg(&q->aside, NULL);
	if (unlikely(!slot))
		return NULL;
	memcpy(slot->frame, np->head, sizeof(np->head));
	memcpy(slot->frame + WEFT_VNET_HDR, &mac, ETH_ALEN);
	weft_vnet_mark(np, slot, weft_port_tos(vn->port, class));
	slot->len = np->hlen + len;
	return slot;
}

/* Send one packet without payload of a long message. Return: true if sent. */
static bool weft_vnet_tx_short(struct weft_vnet *vn, const struct weft_tx *tx)
{
	struct weft_vnet_queue *q = weft_vnet_queue(vn, tx);
	struct weft_vnet_slot *slot;
	struct weft_vnet_path *np;

	if (unlikely(!tx->path || tx->nseg != 1 || tx->pay))
		return false;
	np = weft_path_priv(tx->path);
	slot = weft_vnet_take_aside(vn, q, np, tx->len, tx->class);
	if (unlikely(!slot))
		return false;
	trace_weft_tx(vn->port->name, weft_path_addr(tx->path), tx->psn, tx->len, 1);
	weft_tx_header(tx, 0, slot->frame + np->hlen);
	weft_vnet_finish(np, slot, 0, !vn->csum);
	weft_vnet_submit_one(q, slot);
	return true;
}

/**
 * weft_vnet_tx_resv - reserve the slot aside for a packet; see struct weft_port_ops
 * @port: the port
 * @path: the path; may be locked
 * @b: the packet
 *
 * Context: BH off.
 * Return: true: reserved; false: the packet must take another path.
 */
bool weft_vnet_tx_resv(struct weft_port *port, struct weft_path *path, struct weft_tx_resv *b)
{
	struct weft_vnet_path *np = weft_path_priv(path);
	struct weft_vnet *vn = port->priv;
	struct weft_vnet_slot *slot;

	if (unlikely(!READ_ONCE(vn->live) || np->hlen - np->ipoff + b->len > vn->mtu))
		return false;
	slot = weft_vnet_take_aside(vn, weft_vnet_queue_of(vn, path, b->lane), np, b->len,
				    WEFT_CLASS_FIRST);
	if (unlikely(!slot))
		return false;
	b->data = slot->frame + np->hlen;
	b->port = slot;
	return true;
}

/**
 * weft_vnet_send_resv - send a reserved packet; see struct weft_port_ops
 * @port: the port
 * @path: the path
 * @b: the packet
 *
 * Context: BH off since weft_vnet_tx_resv(), so the device still has its queues.
 */
void weft_vnet_send_resv(struct weft_port *port, struct weft_path *path, struct weft_tx_resv *b)
{
	struct weft_vnet *vn = port->priv;
	struct weft_vnet_slot *slot = b->port;

	trace_weft_tx(port->name, weft_path_addr(path), b->psn, b->len, 1);
	weft_vnet_finish(weft_path_priv(path), slot, 0, !vn->csum);
	weft_vnet_submit_one(weft_vnet_queue_of(vn, path, b->lane), slot);
}

/**
 * weft_vnet_tx - send packets; see struct weft_port_ops
 * @port: the port
 * @tx: packets
 * @n: number of packets
 *
 * Context: BH off, RCU read section.
 */
void weft_vnet_tx(struct weft_port *port, struct weft_tx *tx, u32 n)
{
	struct weft_vnet *vn = port->priv;
	struct weft_vnet_queue *q;
	u32 i, k, total;

	if (unlikely(!READ_ONCE(vn->live))) {
		for (i = 0; i < n; i++)
			weft_count_add(&port->core, tx_errors, tx[i].nseg);
		return;
	}
	if (n == 1 && weft_vnet_tx_short(vn, tx))
		return;
	for (i = 0; i < n; i += k) {
		q = weft_vnet_queue(vn, &tx[i]);
		total = 0;
		for (k = 0; i + k < n && weft_vnet_queue(vn, &tx[i + k]) == q; k++) {
			const struct weft_tx *t = &tx[i + k];

			trace_weft_tx(port->name, t->path ? weft_path_addr(t->path) : &t->to,
				      t->psn, t->len, t->nseg);
			total += t->nseg;
		}
		weft_vnet_tx_queue(q, &tx[i], k, total);
	}
}

/**
 * weft_vnet_tx_frames - send frames of the neighbour table
 * @vn: the port
 * @out: frames
 *
 * Context: BH off, RCU read section.
 */
void weft_vnet_tx_frames(struct weft_vnet *vn, const struct weft_neigh_out *out)
{
	struct weft_vnet_queue *q = vn->q;
	struct weft_vnet_list full = {};
	struct weft_vnet_slot *free, *slot;
	u32 i, got;

	if (!READ_ONCE(vn->live))
		return;
	free = weft_vnet_slots(q, out->n, &got);
	for (i = 0; i < got; i++) {
		slot = free;
		free = slot->next;
		memset(slot->frame, 0, WEFT_VNET_HDR);
		memcpy(slot->frame + WEFT_VNET_HDR, out->frame[i].data, out->frame[i].len);
		slot->len = WEFT_VNET_HDR + out->frame[i].len;
		weft_vnet_list_add(&full, slot);
	}
	weft_vnet_submit(q, &full, free);
}

/* ---- Paths ----------------------------------------------------------------------------------- */

/**
 * weft_vnet_path_open - open a path; see struct weft_port_ops
 * @port: the port
 * @path: the path
 * @priv: struct weft_vnet_path, zeroed
 * @max_payload: out
 *
 * Context: BH off, RCU read section.
 * Return: 0, -ENETUNREACH.
 */
int weft_vnet_path_open(struct weft_port *port, struct weft_path *path, void *priv,
			u32 *max_payload)
{
	const struct weft_sockaddr *src = &port->core.addr[weft_path_src(path)];
	const struct weft_sockaddr *to = weft_path_addr(path);
	struct weft_vnet *vn = port->priv;
	struct weft_vnet_path *np = priv;
	u8 mac[ETH_ALEN];
	weft_ns now;

	if (src->family != to->family || !weft_neigh_reaches(&vn->neighs, to))
		return -ENETUNREACH;
	weft_vnet_head(vn, np, src, to);
	np->hash = get_random_u32();
	*max_payload = vn->mtu - (np->hlen - np->ipoff);
	/* resolve the address early */
	now = weft_now();
	weft_neigh_find(&vn->neighs, to, now, mac);
	weft_vnet_neigh_wake(vn, now);
	return 0;
}

/**
 * weft_vnet_path_close - close a path; see struct weft_port_ops
 * @priv: struct weft_vnet_path
 *
 * Context: any but hard interrupt.
 */
void weft_vnet_path_close(void *priv)
{
}

/* ---- Life ------------------------------------------------------------------------------------ */

/**
 * weft_vnet_tx_alloc - allocate the memory for sending
 * @q: the queue pair, with queues
 *
 * Context: process.
 * Return: 0, -ENOMEM.
 */
int weft_vnet_tx_alloc(struct weft_vnet_queue *q)
{
	u32 size = WEFT_VNET_LINK + max_t(u32, q->vn->mtu, WEFT_NEIGH_FRAME);
	u32 i, n, entries = virtqueue_get_vring_size(q->txq);

	sg_init_table(q->sg, ARRAY_SIZE(q->sg));
	sg_init_table(&q->one, 1);
	n = clamp(WEFT_VNET_TX_MEM / roundup_pow_of_two(size), 64U, WEFT_VNET_SLOTS);
	q->slot = kvcalloc(n, sizeof(*q->slot), GFP_KERNEL);
	if (!q->slot)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		q->slot[i].frame = kmalloc(size, GFP_KERNEL);
		if (!q->slot[i].frame)
			return -ENOMEM;
		q->nslot++;
		if (q->vn->mtu > WEFT_VNET_COPY && entries > WEFT_VNET_SPANS) {
			q->slot[i].span = kcalloc(WEFT_VNET_SPANS, sizeof(*q->slot[i].span),
						  GFP_KERNEL);
			if (!q->slot[i].span)
				return -ENOMEM;
		}
		q->slot[i].next = q->free;
		q->free = &q->slot[i];
	}
	return 0;
}

/**
 * weft_vnet_tx_drop - drop the packets that are queued or wait
 * @q: the queue pair; the device has been reset; no more sends
 *
 * Context: process.
 */
void weft_vnet_tx_drop(struct weft_vnet_queue *q)
{
	u32 i;

	spin_lock_bh(&q->tx_lock);
	q->aside = NULL;
	q->free = NULL;
	q->waiting.first = NULL;
	q->nmem = 0;
	for (i = 0; i < q->nslot; i++)
		weft_vnet_slot_free(q, &q->slot[i]);
	spin_unlock_bh(&q->tx_lock);
}

/**
 * weft_vnet_tx_free - the reverse of weft_vnet_tx_alloc(), also if that failed
 * @q: the queue pair, dropped
 *
 * Context: process.
 */
void weft_vnet_tx_free(struct weft_vnet_queue *q)
{
	while (q->nslot) {
		kfree(q->slot[--q->nslot].frame);
		kfree(q->slot[q->nslot].span);
	}
	kvfree(q->slot);
	q->slot = NULL;
	q->free = NULL;
	q->aside = NULL;
}
