/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft port - driver "vnet", what its files share
 *
 * vnet.c	the port: start, stop, link, paths
 * vnet_dev.c	the virtio device: taken and given back, queues, control queue, events
 * vnet_rx.c	how packets come in
 * vnet_tx.c	how packets leave
 *
 * Life of a device under us (struct weft_vnet):
 *
 *	start: taken, queues made (vdev set)	nothing posted, no interrupt
 *	attach: open, live, rx_on		packets come and go
 *	detach: rx_on cleared			packets go
 *	stop: closed, reset, given back		vdev NULL
 *
 * Unplugging (remove) may come at any time, suspend (freeze, restore) while it is open: both close
 * it as stop does. What is torn down is unused then: live is cleared, and an RCU grace period has
 * passed; transmission, polling and tasklets run in RCU read sections and look at live first.
 *
 * Locks: weft_ports_lock -> device lock -> vn->lock -> q->tx_lock. vn->lock covers opening and
 * closing, and the control queue. A receive queue has one consumer at a time: who has
 * set q->polled. q->tx_lock covers the transmit queue, free and waiting slots.
 */
#ifndef WEFT_PORT_VNET_H
#define WEFT_PORT_VNET_H

#include <linux/if_ether.h>
#include <linux/if_vlan.h>
#include <linux/interrupt.h>
#include <linux/ipv6.h>
#include <linux/scatterlist.h>
#include <linux/udp.h>
#include <linux/virtio.h>
#include <linux/virtio_config.h>
#include <linux/virtio_net.h>
#include <linux/workqueue.h>

#include "neigh.h"
#include "path.h"

#define WEFT_VNET_PAIRS		64	/* queue pairs that are used at most */
#define WEFT_VNET_BATCH	16	/* entries that the core takes at a time */
#define WEFT_VNET_HELD		64	/* buffers that they may stand in, and one packet's more */
#define WEFT_VNET_MERGE		64	/* buffers of a packet at most */
#define WEFT_VNET_BUDGET	64	/* packets that a tasklet takes at a time */
#define WEFT_VNET_BUF_MIN	1536U	/* bytes of the smallest receive buffer */
#define WEFT_VNET_BUF_MAX	16384U	/* and of the largest */
#define WEFT_VNET_SLOTS		1024U	/* packets that can wait to be sent */
#define WEFT_VNET_TX_MEM	(4U << 20)	/* bytes for them, unless they are large */
#define WEFT_VNET_SPANS		20	/* pieces that payload may stand in */
#define WEFT_VNET_GROUPS	WEFT_CORE_GROUPS	/* multicast addresses that are taken */
#define WEFT_VNET_COPY		4096U	/* payload below this is copied */

#define WEFT_VNET_HDR		sizeof(struct virtio_net_hdr_mrg_rxbuf)
#define WEFT_VNET_LINK		(WEFT_VNET_HDR + VLAN_ETH_HLEN)
#define WEFT_VNET_HEAD		(WEFT_VNET_LINK + sizeof(struct ipv6hdr) + sizeof(struct udphdr))

struct weft_vnet;

/**
 * struct weft_vnet_slot - memory of a packet that leaves
 * @next: in q->free or q->waiting
 * @mem: window that the end of the packet is in, referenced; NULL: it is all in @frame
 * @nspan: pieces there, 0: none
 * @span: the pieces; NULL: packets of this port are too short for that
 * @len: bytes in @frame
 * @frame: the packet, from the virtio header on
 */
struct weft_vnet_slot {
	struct weft_vnet_slot *next;
	struct weft_mem *mem;
	struct weft_span *span;
	u32 nspan;
	u32 len;
	u8 *frame;
};

/**
 * struct weft_vnet_list - slots in the order in which they were put in
 * @first: first one, NULL: none
 * @last: last one
 */
struct weft_vnet_list {
	struct weft_vnet_slot *first;
	struct weft_vnet_slot *last;
};

/**
 * struct weft_vnet_same - what is known of the packet that was taken last
 * @want: its headers from Ethernet's on; UDP's checksum and what is behind it do not matter
 * @words: whole words of @want that matter
 * @rest: which bits of the next one do
 * @len: bytes of the frame, 0: there was none
 * @head: bytes of headers, UDP's is the last
 * @sum: sum of its pseudo header
 * @rx: it, as the core is told
 */
struct weft_vnet_same {
	u64 want[ALIGN(WEFT_VNET_HEAD, 8) / 8];
	u32 words;
	u64 rest;
	u32 len;
	u32 head;
	__wsum sum;
	struct weft_rx rx;
};

/**
 * struct weft_vnet_queue - a pair of queues
 * @vn: the device
 * @no: number of the pair
 * @rxq: receive queue
 * @txq: transmit queue
 * @tasklet: where interrupts lead
 * @polled: bit 0: somebody consumes @rxq; all up to @nout is theirs
 * @buf: receive buffers, @nbuf of them; each is in @rxq or in @held
 * @nbuf: how many
 * @size: bytes of each
 * @chunk: memory that they are parts of, @nchunk pieces
 * @nchunk: how many
 * @rx: packets that are handed to the core together
 * @nrx: entries of it
 * @next: where the weft header of a packet that goes on with the last entry stands
 * @same: the packet that was taken last
 * @held: buffers that they, or packets that were passed over, stand in
 * @nheld: how many
 * @linear: a packet that came in several buffers
 * @copied: @linear is in use
 * @rx_sg: the buffer that is being posted
 * @nout: frames of the neighbour table
 * @tx_lock: all below; @aside is taken without it
 * @slot: all slots, @nslot of them
 * @nslot: how many
 * @free: slots that are free
 * @waiting: slots that wait for room in @txq
 * @aside: a free slot that is not in @free, for whoever takes it (xchg()); NULL: it is taken
 * @nmem: slots in @txq that hold windows
 * @sg: the packet that is being put into @txq
 * @one: one in one piece
 */
struct weft_vnet_queue {
	struct weft_vnet *vn;
	u32 no;
	struct virtqueue *rxq;
	struct virtqueue *txq;
	struct tasklet_struct tasklet;

	unsigned long polled;
	u8 **buf;
	u32 nbuf;
	u32 size;
	u8 **chunk;
	u32 nchunk;
	struct weft_rx rx[WEFT_VNET_BATCH];
	u32 nrx;
	const u8 *next;
	struct weft_vnet_same same;
	u8 *held[WEFT_VNET_HELD + WEFT_VNET_MERGE];
	u32 nheld;
	u8 *linear;
	bool copied;
	struct scatterlist rx_sg;
	struct weft_neigh_out nout;

	spinlock_t tx_lock ____cacheline_aligned;	/* transmit queue, see above */
	struct weft_vnet_slot *slot;
	u32 nslot;
	struct weft_vnet_slot *free;
	struct weft_vnet_list waiting;
	struct weft_vnet_slot *aside;
	u32 nmem;
	struct scatterlist sg[WEFT_VNET_SPANS + 1];
	struct scatterlist one;
};

/**
 * struct weft_vnet_ctrl - a command for the control queue; memory that the device reads
 * @hdr: class and command
 * @status: out: VIRTIO_NET_OK or not
 * @data: what belongs to it: at most a table of Ethernet addresses
 */
struct weft_vnet_ctrl {
	struct virtio_net_ctrl_hdr hdr;
	u8 status;
	u8 data[8 + (WEFT_CORE_ADDRS + WEFT_VNET_GROUPS) * ETH_ALEN] __aligned(8);
};

/**
 * struct weft_vnet - a port on a virtio network device
 * @port: the port
 * @dev: the device, referenced
 * @vdev: the same, from probe to remove; NULL: it is not ours (any more)
 * @name: what the administrator calls it
 * @lock: opening, closing, control queue
 * @cvq: control queue, NULL: none
 * @ctrl: memory for commands
 * @q: pairs of queues
 * @npairs: how many are used
 * @max_pairs: how many were made
 * @want_pairs: how many are wanted, 0: as many as there are CPUs
 * @made: the device has its queues; @lock
 * @group: multicast addresses whose packets are taken; @lock
 * @ngroups: how many; changed under @lock
 * @want_open: between attach and stop
 * @live: packets may be sent, queues may be looked at
 * @rx_on: packets are taken
 * @broken: the device does not work; said once
 * @releasing: stop is taking it away from us: no news for the port
 * @csum: the device completes checksums of what is sent
 * @guest_csum: the device checks what is received
 * @mrg: a packet may come in several buffers
 * @up: link; @link_work's
 * @conflicts: those that were told of; @neigh_work's
 * @mtu: bytes of the largest IP packet
 * @want_mtu: what is wanted, 0: the device's own
 * @speed: Mbit/s, 0: unknown
 * @sport: UDP port, network order
 * @neighs: neighbours
 * @link_work: looks at the link
 * @link_out: its frames
 * @neigh_work: the time of the neighbour table has come
 * @neigh_out: its frames
 */
struct weft_vnet {
	struct weft_port *port;
	struct device *dev;
	struct virtio_device *vdev;
	char name[WEFT_NAME_MAX];
	struct mutex lock;	/* opening, closing, control queue */
	struct virtqueue *cvq;
	struct weft_vnet_ctrl *ctrl;
	struct weft_vnet_queue *q;
	u32 npairs;
	u32 max_pairs;
	u32 want_pairs;
	bool made;
	struct weft_sockaddr group[WEFT_VNET_GROUPS];
	u32 ngroups;
	bool want_open;
	bool live;
	bool rx_on;
	bool broken;
	bool releasing;
	bool csum;
	bool guest_csum;
	bool mrg;
	bool up;
	u32 conflicts;
	u32 mtu;
	u32 want_mtu;
	u32 speed;
	__be16 sport;
	struct weft_neighs neighs;
	struct work_struct link_work;
	struct weft_neigh_out link_out;
	struct delayed_work neigh_work;
	struct weft_neigh_out neigh_out;
};

/**
 * struct weft_vnet_path - what this driver keeps for a path
 * @mac: Ethernet address of the next node, in the first 6 bytes
 * @gen: neighs.gen when it was found; 0: never; stored after @mac
 * @recheck: jiffies when it is to be asked for again
 * @hash: selects a pair of queues
 * @hlen: bytes of @head
 * @ipoff: where the IP header begins in it
 * @ipsum: sum of the IPv4 header without its length
 * @pseudo: sum of the pseudo header without the length
 * @head: headers up to UDP's, but lengths, checksums and Ethernet destination
 */
struct weft_vnet_path {
	u64 mac;
	u32 gen;
	u32 hash;
	unsigned long recheck;
	u8 hlen;
	u8 ipoff;
	__wsum ipsum;
	__wsum pseudo;
	u8 head[ALIGN(WEFT_VNET_HEAD, 8)];
};

/* vnet_dev.c */
int weft_vnet_take(struct weft_vnet *vn, const char *name, struct netlink_ext_ack *extack);
void weft_vnet_give(struct weft_vnet *vn);
int weft_vnet_open(struct weft_vnet *vn);
int weft_vnet_group(struct weft_port *port, const struct weft_sockaddr *addr, bool join);
void weft_vnet_broken(struct weft_vnet *vn);

/* vnet.c */
void weft_vnet_event(struct weft_vnet *vn);
void weft_vnet_neigh_wake(struct weft_vnet *vn, weft_ns now);

/* vnet_rx.c */
int weft_vnet_rx_alloc(struct weft_vnet_queue *q);
void weft_vnet_rx_free(struct weft_vnet_queue *q);
int weft_vnet_rx_fill(struct weft_vnet_queue *q);
u32 weft_vnet_poll(struct weft_port *port, u32 queue, u32 budget);
bool weft_vnet_arm(struct weft_port *port, u32 queue);
void weft_vnet_callback(struct virtqueue *vq);
void weft_vnet_tasklet(struct tasklet_struct *t);

/* vnet_tx.c */
int weft_vnet_tx_alloc(struct weft_vnet_queue *q);
void weft_vnet_tx_free(struct weft_vnet_queue *q);
void weft_vnet_tx_drop(struct weft_vnet_queue *q);
void weft_vnet_tx_reap(struct weft_vnet_queue *q);
void weft_vnet_tx(struct weft_port *port, struct weft_tx *tx, u32 n);
bool weft_vnet_tx_resv(struct weft_port *port, struct weft_path *path, struct weft_tx_resv *b);
void weft_vnet_send_resv(struct weft_port *port, struct weft_path *path, struct weft_tx_resv *b);
void weft_vnet_tx_frames(struct weft_vnet *vn, const struct weft_neigh_out *out);
int weft_vnet_path_open(struct weft_port *port, struct weft_path *path, void *priv,
			u32 *max_payload);
void weft_vnet_path_close(void *priv);

#endif
