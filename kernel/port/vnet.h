/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft port - driver "vnet": declarations for its files
 *
 *	vnet.c		the port: start, stop, link, paths
 *	vnet_dev.c	the virtio device: taken and returned, queues, control queue, events
 *	vnet_rx.c	reception of packets
 *	vnet_tx.c	transmission of packets
 *
 * Life of a device that the driver owns (struct weft_vnet):
 *
 *	start: taken, queues made (vdev set)	no buffers posted, no interrupt
 *	attach: open, live, rx_on		sends and receives
 *	detach: rx_on cleared			sends
 *	stop: closed, reset, returned		vdev NULL
 *
 * Unplugging (remove) may happen at any time, suspend (freeze, restore) while the device is open.
 * Both close it as stop does. Closing clears live and waits for an RCU grace period, then frees.
 * Transmission, polling and tasklets run in RCU read sections and check live first.
 *
 * vn->lock protects opening and closing, and the control queue. Bit 0 of q->polled ensures one
 * consumer of a receive queue. q->tx_lock protects the transmit queue, and free and waiting slots.
 * Order: Documentation/locking.rst.
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

#define WEFT_VNET_PAIRS		64	/* maximum number of queue pairs in use */
#define WEFT_VNET_BATCH	16	/* entries that the core receives at a time */
#define WEFT_VNET_HELD		64	/* buffers of those entries, without the last packet's */
#define WEFT_VNET_MERGE		64	/* maximum number of buffers of a packet */
#define WEFT_VNET_BUDGET	64	/* packets that a tasklet takes at a time */
#define WEFT_VNET_BUF_MIN	1536U	/* bytes of the smallest receive buffer */
#define WEFT_VNET_BUF_MAX	16384U	/* bytes of the largest receive buffer */
#define WEFT_VNET_SLOTS		1024U	/* maximum number of packets that wait to be sent */
#define WEFT_VNET_TX_MEM	(4U << 20)	/* bytes for them, unless they are large */
#define WEFT_VNET_SPANS		20	/* maximum number of pieces of payload */
#define WEFT_VNET_GROUPS	WEFT_CORE_GROUPS	/* multicast addresses that are received */
#define WEFT_VNET_COPY		4096U	/* payload below this is copied */

#define WEFT_VNET_HDR		sizeof(struct virtio_net_hdr_mrg_rxbuf)
#define WEFT_VNET_LINK		(WEFT_VNET_HDR + VLAN_ETH_HLEN)
#define WEFT_VNET_HEAD		(WEFT_VNET_LINK + sizeof(struct ipv6hdr) + sizeof(struct udphdr))

struct weft_vnet;

/**
 * struct weft_vnet_slot - memory of a packet to send
 * @next: in q->free or q->waiting
 * @mem: window with the end of the packet, referenced; NULL: the whole packet is in @frame
 * @nspan: number of pieces in the window, 0: none
 * @span: those pieces; NULL: packets of this port are too short for that
 * @len: bytes in @frame
 * @frame: the packet, starting with the virtio header
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
 * struct weft_vnet_list - slots in FIFO order
 * @first: first one, NULL: none
 * @last: last one
 */
struct weft_vnet_list {
	struct weft_vnet_slot *first;
	struct weft_vnet_slot *last;
};

/**
 * struct weft_vnet_same - headers of the last packet that was taken
 * @want: its headers, starting with Ethernet's; UDP's checksum and later bytes do not matter
 * @words: number of words of @want to compare as a whole
 * @rest: mask of the bits to compare in the next word
 * @len: bytes of the frame, 0: no packet yet
 * @head: bytes of headers, up to UDP's
 * @sum: sum of its pseudo header
 * @rx: the packet in the form for the core
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
 * @tasklet: polls after an interrupt
 * @polled: bit 0: the receive queue has a consumer, which owns all fields up to @nout
 * @buf: receive buffers, @nbuf of them; each is in @rxq or in @held
 * @nbuf: number of buffers
 * @size: bytes of each
 * @chunk: memory that the buffers are parts of, @nchunk pieces
 * @nchunk: number of pieces
 * @rx: packets for one call of the core
 * @nrx: entries of @rx
 * @next: place of the weft header of a packet that extends the last entry
 * @same: the last packet that was taken
 * @held: buffers of packets in @rx, and of ignored packets
 * @nheld: number of buffers in @held
 * @linear: copy of a packet whose buffers are not contiguous
 * @copied: @linear is in use
 * @rx_sg: the buffer that is being posted
 * @nout: frames of the neighbour table
 * @tx_lock: protects all below; @aside is taken without it
 * @slot: all slots, @nslot of them
 * @nslot: number of slots
 * @free: free slots
 * @waiting: slots that wait for space in @txq
 * @aside: a free slot that is not in @free, taken by xchg(); NULL: taken
 * @nmem: number of slots in @txq that hold windows
 * @sg: the packet that is being put into @txq
 * @one: for a packet in one piece
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
 * @data: its arguments: at most a table of Ethernet addresses
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
 * @vdev: the same, from probe to remove; NULL: the driver does not own it
 * @name: the administrator's name for it
 * @lock: protects opening, closing, control queue
 * @cvq: control queue, NULL: none
 * @ctrl: memory for commands
 * @q: pairs of queues
 * @npairs: number of pairs in use
 * @max_pairs: number of pairs that were created
 * @want_pairs: number of requested pairs, 0: as many as there are CPUs
 * @made: the device has its queues; @lock
 * @group: multicast addresses that are received; @lock
 * @ngroups: number of entries of @group; changed under @lock
 * @want_open: between attach and stop
 * @live: packets may be sent, queues may be polled
 * @rx_on: received packets are taken
 * @broken: the device does not work; reported once
 * @releasing: stop releases the device: report no loss to the port
 * @csum: the device completes checksums of sent packets
 * @guest_csum: the device verifies received packets
 * @mrg: a packet may come in several buffers
 * @up: state of the link; @link_work's
 * @conflicts: number of conflicts that were reported; @neigh_work's
 * @mtu: bytes of the largest IP packet
 * @want_mtu: requested MTU, 0: the device's own
 * @speed: Mbit/s, 0: unknown
 * @sport: UDP port, network order
 * @neighs: neighbours
 * @link_work: reads the state of the link
 * @link_out: frames of @link_work
 * @neigh_work: runs the timer of the neighbour table
 * @neigh_out: frames of @neigh_work
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
 * struct weft_vnet_path - this driver's part of a path
 * @mac: Ethernet address of the next hop, in the first 6 bytes
 * @gen: value of neighs.gen for @mac; 0: never; stored after @mac
 * @recheck: jiffies when @mac must be looked up again
 * @hash: selects a queue pair
 * @hlen: bytes of @head
 * @ipoff: offset of the IP header in it
 * @ipsum: sum of the IPv4 header without its length
 * @pseudo: sum of the pseudo header without the length
 * @head: headers up to UDP's, without lengths, checksums and Ethernet destination
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
