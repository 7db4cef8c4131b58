// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft port - driver "vnet": reception of packets
 *
 * Opening the port posts as many buffers as fit into the queue. Each is posted again as soon as the
 * core has copied its packet, so nothing is allocated later.
 *
 * Buffers are contiguous, in pieces of memory as large as the allocation succeeded. They are posted
 * in that order. Devices use them in that order, and they are posted again in it. So consecutive
 * packets are contiguous in memory. A train of packets of one sender is one entry for the core
 * (struct weft_rx, with a stride). A packet in several buffers is in one piece. The code checks
 * both, as a device may use buffers in any order. A packet with the same headers as its predecessor
 * is compared, not parsed.
 *
 * An interrupt disables itself and schedules a tasklet. The tasklet polls until the queue is empty,
 * and only then arms the interrupt again. An engine's thread does the same by weft_vnet_poll() and
 * weft_vnet_arm(). Packets are parsed in place. A packet whose buffers are not contiguous is
 * copied.
 *
 * The driver takes complete packets with a correct checksum for an own address or a multicast
 * group. The source must be the port's own UDP port number. neigh.c takes ARP and neighbour
 * discovery. All other packets on the link are ignored.
 *
 * Bit 0 of q->polled ensures one consumer of a queue (vnet.h). All but allocation runs with BH off
 * inside an RCU read section.
 */
#include <linux/etherdevice.h>
#include <linux/ip.h>
#include <linux/slab.h>
#include <net/inet_ecn.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>

#include "../trace/trace_core.h"
#include "upcalls.h"
#include "vnet.h"

#define WEFT_VNET_LINEAR	(65536 + WEFT_VNET_LINK)
#define WEFT_VNET_CHUNK		(512U << 10)	/* bytes of the pieces of memory for buffers */

/* ---- Destination ----------------------------------------------------------------------------- */

/* Return: the index of an own address, -1: not an own address. */
static int weft_vnet_own(const struct weft_vnet *vn, u16 family, const void *addr)
{
	const struct weft_core *core = &vn->port->core;
	u32 i, size = family == AF_INET ? sizeof(struct in_addr) : sizeof(struct in6_addr);

	for (i = 0; i < core->naddr; i++)
		if (core->addr[i].family == family && !memcmp(core->addr[i].addr, addr, size))
			return (int)i;
	return -1;
}

/**
 * struct weft_vnet_pkt - a packet during parsing
 * @data: start of the IP header, later of the UDP header
 * @len: bytes from there on
 * @sum: sum of the pseudo header
 * @checked: the device has verified the checksum, or verification is not needed
 * @group: the Ethernet destination is a group address
 */
struct weft_vnet_pkt {
	const u8 *data;
	u32 len;
	__wsum sum;
	bool checked;
	bool group;
};

/*
 * Find the destination of a packet. Return: index of an own address; WEFT_RX_GROUP: a multicast
 * group, which the port may have joined; -1: not for this port.
 */
static int weft_vnet_to(const struct weft_vnet *vn, const struct weft_vnet_pkt *pkt, u16 family,
			const void *addr, struct weft_rx *rx)
{
	struct weft_sockaddr to = { .family = family };

	if (likely(!pkt->group))
		return weft_vnet_own(vn, family, addr);
	memcpy(to.addr, addr, family == AF_INET ? sizeof(struct in_addr) : sizeof(to.addr));
	memcpy(rx->group, to.addr, sizeof(rx->group));
	return weft_addr_is_group(&to) ? WEFT_RX_GROUP : -1;
}

/*
 * The device can write to a buffer at any time. So the functions below copy each header once, and
 * use the copy. Only sums are computed in place.
 */

/* Return: true for a UDP packet to this port; pkt->data is its UDP header. */
static bool weft_vnet_ip4(struct weft_vnet *vn, struct weft_vnet_pkt *pkt, struct weft_rx *rx)
{
	struct iphdr ip;
	u32 hlen, len;
	int dst;

	if (pkt->len < sizeof(ip))
		return false;
	memcpy(&ip, pkt->data, sizeof(ip));
	if (ip.version != 4 || ip.protocol != IPPROTO_UDP)
		return false;
	hlen = ip.ihl * 4;
	len = ntohs(ip.tot_len);
	dst = weft_vnet_to(vn, pkt, AF_INET, &ip.daddr, rx);
	if (dst < 0 || hlen < sizeof(ip) || len < hlen || len > pkt->len || ip_is_fragment(&ip) ||
	    ip_fast_csum(pkt->data, ip.ihl))
		return false;
	rx->dst = dst;
	rx->ecn = ip.tos & INET_ECN_MASK;
	memset(&rx->src, 0, sizeof(rx->src));
	rx->src.family = AF_INET;
	memcpy(rx->src.addr, &ip.saddr, sizeof(ip.saddr));
	pkt->data += hlen;
	pkt->len = len - hlen;
	pkt->sum = csum_tcpudp_nofold(ip.saddr, ip.daddr, pkt->len, IPPROTO_UDP, 0);
	return !ipv4_is_multicast(ip.saddr) && !ipv4_is_zeronet(ip.saddr);
}

static bool weft_vnet_ip6(struct weft_vnet *vn, struct weft_vnet_pkt *pkt, struct weft_rx *rx)
{
	struct ipv6hdr ip6;
	u32 len;
	int dst;

	memcpy(&ip6, pkt->data, sizeof(ip6));
	if (ip6.version != 6 || ip6.nexthdr != IPPROTO_UDP)
		return false;
	len = ntohs(ip6.payload_len);
	dst = weft_vnet_to(vn, pkt, AF_INET6, &ip6.daddr, rx);
	if (dst < 0 || len > pkt->len - sizeof(ip6))
		return false;
	rx->dst = dst;
	rx->ecn = ipv6_get_dsfield(&ip6) & INET_ECN_MASK;
	memset(&rx->src, 0, sizeof(rx->src));
	rx->src.family = AF_INET6;
	memcpy(rx->src.addr, &ip6.saddr, sizeof(ip6.saddr));
	pkt->data += sizeof(ip6);
	pkt->len = len;
	pkt->sum = csum_unfold(~csum_ipv6_magic(&ip6.saddr, &ip6.daddr, len, IPPROTO_UDP, 0));
	return !ipv6_addr_is_multicast(&ip6.saddr) && !ipv6_addr_any(&ip6.saddr);
}

/* Return: 1: taken, the packet is in @rx; 0: not for this port; -1: bad. */
static int weft_vnet_udp(struct weft_vnet *vn, struct weft_vnet_pkt *pkt, struct weft_rx *rx)
{
	struct udphdr uh;
	u32 len;

	if (pkt->len <= sizeof(uh))
		return 0;
	memcpy(&uh, pkt->data, sizeof(uh));
	if (uh.dest != vn->sport)
		return 0;
	len = ntohs(uh.len);
	if (uh.source != vn->sport || len <= sizeof(uh) || len > pkt->len)
		return -1;
	if (!pkt->checked && (!uh.check || len != pkt->len ||
			      csum_fold(csum_partial(pkt->data, len, pkt->sum))))
		return -1;
	rx->src.port = uh.source;
	rx->data = pkt->data + sizeof(uh);
	rx->len = len - sizeof(uh);
	return 1;
}

/* ---- Trains ---------------------------------------------------------------------------------- */

/*
 * Add a packet that was written to the next entry of q->rx. @same: its predecessor has the same
 * headers. If it follows the last entry in memory, it extends that entry.
 */
static void weft_vnet_put(struct weft_vnet_queue *q, bool same)
{
	struct weft_rx *rx = &q->rx[q->nrx], *run = rx - 1;

	if (q->nrx && rx->data == q->next && rx->len <= run->seg &&
	    (same || (rx->dst == run->dst && rx->ecn == run->ecn &&
		      rx->dst != WEFT_RX_GROUP &&
		      !memcmp(&rx->src, &run->src, sizeof(rx->src))))) {
		run->len += rx->len;
		q->next = rx->len == run->seg ? rx->data + q->size : NULL;
		return;
	}
	rx->seg = rx->len;
	rx->stride = max(rx->len, q->size);
	q->next = rx->data + q->size;
	q->nrx++;
}

/*
 * Return: true if a frame has the length and the headers of the last one that was taken, up to
 * UDP's checksum. Then the results of parsing that one are valid here.
 */
static bool weft_vnet_same(struct weft_vnet_queue *q, const u8 *frame, u32 len, bool checked)
{
	const struct weft_vnet_same *same = &q->same;
	struct weft_rx *rx = &q->rx[q->nrx];
	const struct udphdr *uh;
	u32 i;

	if (len != same->len)
		return false;
	/* (a buffer is longer than headers are) */
	for (i = 0; i < same->words; i++)
		if (get_unaligned((const u64 *)frame + i) != same->want[i])
			return false;
	if ((get_unaligned((const u64 *)frame + i) ^ same->want[i]) & same->rest)
		return false;
	uh = (const void *)(frame + same->head - sizeof(*uh));
	if (!checked &&
	    (!uh->check || csum_fold(csum_partial(uh, same->rx.len + sizeof(*uh), same->sum)))) {
		weft_count(&q->vn->port->core, rx_bad);
		return true;
	}
	if (q->next != frame + same->head)
		*rx = same->rx;
	rx->data = frame + same->head;
	rx->len = same->rx.len;
	weft_vnet_put(q, true);
	return true;
}

/*
 * Record a frame that was taken into the next entry of q->rx. @sum: sum of its pseudo header.
 * Headers with options may be too long to be recorded.
 */
static void weft_vnet_learn(struct weft_vnet_queue *q, const u8 *frame, u32 len, __wsum sum)
{
	const struct weft_rx *rx = &q->rx[q->nrx];
	struct weft_vnet_same *same = &q->same;
	u32 head = rx->data - frame, cmp = head - sizeof_field(struct udphdr, check);

	same->len = 0;
	if (unlikely(head > sizeof(same->want)))
		return;
	memcpy(same->want, frame, sizeof(same->want));
	same->words = cmp / sizeof(u64);
	same->rest = 0;
	memset(&same->rest, 0xff, cmp % sizeof(u64));
	same->len = len;
	same->head = head;
	same->sum = sum;
	same->rx = *rx;
}

/* Pass a packet to the neighbour table, and send its answers. */
static void weft_vnet_neigh(struct weft_vnet_queue *q, const struct weft_vnet_pkt *pkt, bool arp)
{
	struct weft_vnet *vn = q->vn;
	weft_ns now = weft_now();

	q->nout.n = 0;
	if (arp)
		weft_neigh_arp(&vn->neighs, pkt->data, pkt->len, now, &q->nout);
	else
		weft_neigh_nd(&vn->neighs, pkt->data, pkt->len, now, &q->nout);
	if (q->nout.n)
		weft_vnet_tx_frames(vn, &q->nout);
	weft_vnet_neigh_wake(vn, now);
}

/* Process a frame of @len bytes behind a virtio header. */
static void weft_vnet_frame(struct weft_vnet_queue *q, const u8 *buf, u32 len)
{
	const struct virtio_net_hdr_mrg_rxbuf *hdr = (const void *)buf;
	const struct vlan_ethhdr *eth = (const void *)(buf + WEFT_VNET_HDR);
	struct weft_rx *rx = &q->rx[q->nrx];
	struct weft_vnet *vn = q->vn;
	struct weft_vnet_pkt pkt = { .checked = vn->guest_csum &&
		hdr->hdr.flags & (VIRTIO_NET_HDR_F_NEEDS_CSUM | VIRTIO_NET_HDR_F_DATA_VALID) };
	u32 head = ETH_HLEN;
	__be16 type;
	bool ours;
	int ok;

	if (likely(weft_vnet_same(q, (const u8 *)eth, len, pkt.checked)))
		return;
	if (unlikely(len < VLAN_ETH_HLEN))
		return;
	type = eth->h_vlan_proto;
	if (type == htons(ETH_P_8021Q)) {
		if ((ntohs(eth->h_vlan_TCI) & VLAN_VID_MASK) != vn->neighs.place.vlan)
			return;
		type = eth->h_vlan_encapsulated_proto;
		head = VLAN_ETH_HLEN;
	} else if (vn->neighs.place.vlan) {
		return;
	}
	pkt.data = buf + WEFT_VNET_HDR + head;
	pkt.len = len - head;
	if (type == htons(ETH_P_ARP)) {
		weft_vnet_neigh(q, &pkt, true);
		return;
	}
	pkt.group = READ_ONCE(vn->ngroups) && is_multicast_ether_addr(eth->h_dest);
	ours = pkt.group || ether_addr_equal(eth->h_dest, vn->neighs.place.mac);
	if (type == htons(ETH_P_IP)) {
		ours = ours && weft_vnet_ip4(vn, &pkt, rx);
	} else if (type == htons(ETH_P_IPV6) && pkt.len >= sizeof(struct ipv6hdr)) {
		if (((const struct ipv6hdr *)pkt.data)->nexthdr == IPPROTO_ICMPV6) {
			weft_vnet_neigh(q, &pkt, false);
			return;
		}
		ours = ours && weft_vnet_ip6(vn, &pkt, rx);
	} else {
		return;
	}
	ok = ours ? weft_vnet_udp(vn, &pkt, rx) : 0;
	if (likely(ok > 0)) {
		weft_vnet_learn(q, (const u8 *)eth, len, pkt.sum);
		weft_vnet_put(q, false);
	} else if (ok < 0) {
		weft_count(&vn->port->core, rx_bad);
	}
}

/* ---- Buffers --------------------------------------------------------------------------------- */

static int weft_vnet_post(struct weft_vnet_queue *q, u8 *buf)
{
	sg_set_buf(&q->rx_sg, buf, q->size);
	return virtqueue_add_inbuf(q->rxq, &q->rx_sg, 1, buf, GFP_ATOMIC);
}

/* Pass packets to the core, and return their buffers to the device. */
static void weft_vnet_flush(struct weft_vnet_queue *q)
{
	const struct weft_rx *rx;
	u32 i;

	for (i = 0, rx = q->rx; i < q->nrx; i++, rx++)
		trace_weft_rx(q->vn->port->name, &rx->src, rx->data, rx->seg,
			      DIV_ROUND_UP(rx->len, rx->seg));
	if (q->nrx)
		weft_port_rx(q->vn->port, q->rx, q->nrx);
	q->nrx = 0;
	q->next = NULL;
	q->copied = false;
	for (i = 0; i < q->nheld; i++)
		if (weft_vnet_post(q, q->held[i]))
			weft_vnet_broken(q->vn);
	q->nheld = 0;
}

/*
 * Collect a packet in @num buffers. The first one, @buf, is held already and has @len bytes of it.
 */
static void weft_vnet_merge(struct weft_vnet_queue *q, u8 *buf, u32 len, u32 num)
{
	bool fits = true;
	u32 i, used = len;
	u8 *next;

	for (i = 1; i < num; i++) {
		next = virtqueue_get_buf(q->rxq, &len);
		if (!next) {
			fits = false;
			break;
		}
		len = min(len, q->size);
		if (likely(i < WEFT_VNET_MERGE))
			q->held[q->nheld++] = next;
		else if (weft_vnet_post(q, next))
			weft_vnet_broken(q->vn);
		fits = fits && i < WEFT_VNET_MERGE && len <= WEFT_VNET_LINEAR - used;
		if (!fits)
			continue;
		if (!q->copied && next != buf + used) {
			memcpy(q->linear, buf, used);
			q->copied = true;
		}
		if (q->copied)
			memcpy(q->linear + used, next, len);
		used += len;
	}
	if (fits)
		weft_vnet_frame(q, q->copied ? q->linear : buf, used - WEFT_VNET_HDR);
	else
		weft_count(&q->vn->port->core, rx_dropped);
}

static u32 weft_vnet_rx(struct weft_vnet_queue *q, u32 budget)
{
	const struct virtio_net_hdr_mrg_rxbuf *hdr;
	u32 done = 0, len, num;
	u8 *buf;

	while (done < budget) {
		buf = virtqueue_get_buf(q->rxq, &len);
		if (!buf)
			break;
		done++;
		hdr = (const void *)buf;
		len = min(len, q->size);
		num = q->vn->mrg ? virtio16_to_cpu(q->rxq->vdev, hdr->num_buffers) : 1;
		if (unlikely(num > 1 && q->copied))
			weft_vnet_flush(q);
		q->held[q->nheld++] = buf;
		if (likely(len > WEFT_VNET_HDR)) {
			if (unlikely(num > 1))
				weft_vnet_merge(q, buf, len, num);
			else
				weft_vnet_frame(q, buf, len - WEFT_VNET_HDR);
		}
		if (q->nheld >= WEFT_VNET_HELD || q->nrx == WEFT_VNET_BATCH)
			weft_vnet_flush(q);
	}
	if (done) {
		weft_vnet_flush(q);
		virtqueue_kick(q->rxq);
	}
	return done;
}

/* BH off, RCU read section. */
static u32 weft_vnet_take_in(struct weft_vnet_queue *q, u32 budget)
{
	struct weft_vnet *vn = q->vn;
	u32 n = 0;

	if (!READ_ONCE(vn->live))
		return 0;
	weft_vnet_tx_reap(q);
	if (READ_ONCE(vn->rx_on) && !test_and_set_bit_lock(0, &q->polled)) {
		virtqueue_disable_cb(q->rxq);
		n = weft_vnet_rx(q, budget);
		clear_bit_unlock(0, &q->polled);
	}
	if (unlikely(!n && virtqueue_is_broken(q->rxq)))
		weft_vnet_broken(vn);
	return n;
}

/* Arm the interrupt. BH off, RCU read section. Return: true if packets have come already. */
static bool weft_vnet_listen(struct weft_vnet_queue *q)
{
	struct weft_vnet *vn = q->vn;

	return READ_ONCE(vn->live) && READ_ONCE(vn->rx_on) && !virtqueue_enable_cb(q->rxq);
}

/**
 * weft_vnet_poll - take received packets, and free sent ones; see struct weft_port_ops
 * @port: the port
 * @queue: the queue pair
 * @budget: maximum number of packets
 *
 * Context: BH off.
 * Return: number of packets; if @budget, there may be more.
 */
u32 weft_vnet_poll(struct weft_port *port, u32 queue, u32 budget)
{
	struct weft_vnet *vn = port->priv;
	u32 n;

	rcu_read_lock();
	n = weft_vnet_take_in(&vn->q[queue], budget);
	rcu_read_unlock();
	return n;
}

/**
 * weft_vnet_arm - arm the interrupt for the next packet; see struct weft_port_ops
 * @port: the port
 * @queue: the queue pair
 *
 * Context: any.
 * Return: true if packets have come already.
 */
bool weft_vnet_arm(struct weft_port *port, u32 queue)
{
	struct weft_vnet *vn = port->priv;
	bool more;

	rcu_read_lock();
	more = weft_vnet_listen(&vn->q[queue]);
	rcu_read_unlock();
	return more;
}

/**
 * weft_vnet_tasklet - poll a queue pair after an interrupt, if no engine's thread polls it
 * @t: the tasklet in struct weft_vnet_queue
 *
 * Context: softirq.
 */
void weft_vnet_tasklet(struct tasklet_struct *t)
{
	struct weft_vnet_queue *q = from_tasklet(q, t, tasklet);

	rcu_read_lock();
	if ((weft_vnet_take_in(q, WEFT_VNET_BUDGET) == WEFT_VNET_BUDGET || weft_vnet_listen(q)) &&
	    READ_ONCE(q->vn->live))
		tasklet_schedule(&q->tasklet);
	rcu_read_unlock();
}

/**
 * weft_vnet_callback - handle an interrupt of either queue
 * @vq: the queue
 *
 * Context: hard interrupt.
 */
void weft_vnet_callback(struct virtqueue *vq)
{
	struct weft_vnet *vn = vq->vdev->priv;
	u32 queue = vq->index / 2;

	virtqueue_disable_cb(vq);
	if (READ_ONCE(vn->live) && !weft_up_irq(vn->port, queue))
		tasklet_schedule(&vn->q[queue].tasklet);
}

/* ---- Life ------------------------------------------------------------------------------------ */

/* Allocate memory for up to *@n buffers. Return: the memory, NULL: none; *@n: number of buffers. */
static u8 *weft_vnet_chunk(u32 size, u32 *n)
{
	gfp_t gfp = GFP_KERNEL | __GFP_NOWARN;
	u8 *p;

	*n = min(*n, WEFT_VNET_CHUNK / size);
	while (*n > 1) {
		p = kmalloc(*n * size, gfp | __GFP_NORETRY);
		if (p)
			return p;
		*n /= 2;
	}
	return kmalloc(size, gfp);
}

/**
 * weft_vnet_rx_alloc - allocate the memory for reception
 * @q: the queue pair, with queues
 *
 * Context: process.
 * Return: 0, -ENOMEM.
 */
int weft_vnet_rx_alloc(struct weft_vnet_queue *q)
{
	u32 i, more, n = virtqueue_get_vring_size(q->rxq);
	u8 *chunk;

	sg_init_table(&q->rx_sg, 1);
	q->size = ALIGN(max_t(u32, WEFT_VNET_BUF_MIN, WEFT_VNET_LINK + q->vn->mtu), 64);
	q->size = min(q->size, WEFT_VNET_BUF_MAX);
	q->buf = kvcalloc(n, sizeof(*q->buf), GFP_KERNEL);
	q->chunk = kvcalloc(n, sizeof(*q->chunk), GFP_KERNEL);
	if (!q->buf || !q->chunk)
		return -ENOMEM;
	while (q->nbuf < n) {
		more = n - q->nbuf;
		chunk = weft_vnet_chunk(q->size, &more);
		if (!chunk)
			return -ENOMEM;
		q->chunk[q->nchunk++] = chunk;
		for (i = 0; i < more; i++)
			q->buf[q->nbuf++] = chunk + i * q->size;
	}
	if (q->vn->mrg) {
		q->linear = kvmalloc(WEFT_VNET_LINEAR, GFP_KERNEL);
		if (!q->linear)
			return -ENOMEM;
	}
	return 0;
}

/**
 * weft_vnet_rx_free - the reverse of weft_vnet_rx_alloc(), also if that failed
 * @q: the queue pair; the device has been reset, or has no buffers
 *
 * Context: process.
 */
void weft_vnet_rx_free(struct weft_vnet_queue *q)
{
	while (q->nchunk)
		kfree(q->chunk[--q->nchunk]);
	kvfree(q->chunk);
	kvfree(q->buf);
	kvfree(q->linear);
	q->nbuf = 0;
	q->chunk = NULL;
	q->buf = NULL;
	q->linear = NULL;
}

/**
 * weft_vnet_rx_fill - post all buffers
 * @q: the queue pair, empty
 *
 * Context: process.
 * Return: 0, -EIO: the device is broken.
 */
int weft_vnet_rx_fill(struct weft_vnet_queue *q)
{
	u32 i;

	for (i = 0; i < q->nbuf; i++)
		if (weft_vnet_post(q, q->buf[i]))
			return -EIO;
	virtqueue_kick(q->rxq);
	return 0;
}
