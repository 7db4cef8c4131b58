/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Simulator: a link that several flows share
 *
 *	source -> access link -> queue -> link -> random loss -> delay -> receiver
 *
 * One object is one direction. Each source has an access link of its own, which is faster and has
 * no limit. A small random delay in front of it prevents that flows keep in step with the queue.
 * The order of a source's packets does not change. The queue is a FIFO that drops packets which
 * find it full, or fq_codel (fq_codel.c).
 */
#ifndef WEFT_SIM_BOTTLENECK_H
#define WEFT_SIM_BOTTLENECK_H

#include "sim.h"

#define LINK_FLOWS	64	/* flows and sources of a link */
#define LINK_FRAME	38	/* bytes around an IP packet: Ethernet, preamble and gap */
#define LINK_FRAME_MIN	84	/* bytes of the shortest frame, with preamble and gap */

struct link;

/**
 * struct link_pkt - a packet on its way
 * @next: the next one of its queue
 * @before: the packet before it in link->live
 * @after: the packet behind it
 * @link: where the packet is
 * @flow: flow, below LINK_FLOWS
 * @len: bytes on the wire, with all headers
 * @at: when the packet entered the queue
 * @node: node that the packet goes to
 * @come: takes the packet, which is freed afterwards
 * @to: its argument
 * @size: bytes of @data
 * @data: bytes for the receiver
 */
struct link_pkt {
	struct link_pkt *next;
	struct link_pkt *before;
	struct link_pkt *after;
	struct link *link;
	u32 flow;
	u32 len;
	weft_ns at;
	struct rig_node *node;
	void (*come)(struct link_pkt *p, void *to);
	void *to;
	u32 size;
	u8 data[];
};

/**
 * struct link_queue - packets, the oldest first
 * @first: the oldest packet
 * @last: the newest packet, valid while there is one
 * @bytes: bytes of all packets
 * @packets: their number
 */
struct link_queue {
	struct link_pkt *first;
	struct link_pkt *last;
	u64 bytes;
	u32 packets;
};

/**
 * struct link_conf - properties of a link
 * @bps: bits in a second
 * @access_bps: bits in a second of the link of each source
 * @delay: time that a packet takes behind the queue, ns
 * @limit: packets that the queue holds, 0: fq_codel
 * @loss: rate of packets that are lost behind the queue, in parts of RIG_PPM
 * @jitter: longest random delay in front of an access link, ns
 */
struct link_conf {
	u64 bps;
	u64 access_bps;
	weft_ns delay;
	u32 limit;
	u32 loss;
	weft_ns jitter;
};

/**
 * struct link_flow - counts of a flow at a link
 * @sent: bytes that passed the link, those lost behind it too
 * @packets: their packets
 * @dropped: packets that the queue dropped
 */
struct link_flow {
	u64 sent;
	u64 packets;
	u64 dropped;
};

/**
 * struct link - one direction of a shared link
 * @rig: world
 * @conf: properties of the link
 * @busy: a packet is being sent
 * @fifo: packets that wait, unless the queue is fq_codel
 * @fq: the queue of fq_codel, or NULL
 * @flow: counts by flow
 * @free_at: when the access link of each source is free
 * @live: packets on their way: the head of a ring
 * @deepest: packets that have waited at most
 */
struct link {
	struct rig *rig;
	struct link_conf conf;
	bool busy;
	struct link_queue fifo;
	struct fq_codel *fq;
	struct link_flow flow[LINK_FLOWS];
	weft_ns free_at[LINK_FLOWS];
	struct link_pkt live;
	u32 deepest;
};

struct link *link_new(struct rig *rig, const struct link_conf *conf);
/* Frees the packets on their way, too. No event of the rig may happen after it. */
void link_free(struct link *link);
/*
 * Send a packet of @len bytes on the wire. @data (@size bytes) is copied. @come gets it with @to
 * when it arrives at @node.
 */
void link_send(struct link *link, u32 source, u32 flow, u32 len, const void *data, u32 size,
	       struct rig_node *node, void (*come)(struct link_pkt *p, void *to), void *to);

/* For queues: the packet is the newest of @q; the oldest leaves it; a packet is dropped. */
void link_queue_add(struct link_queue *q, struct link_pkt *p);
struct link_pkt *link_queue_take(struct link_queue *q);
void link_drop(struct link_pkt *p);

/* fq_codel: a queue of its own for each flow, each watched by CoDel. */
struct fq_codel *fq_codel_new(void);
void fq_codel_free(struct fq_codel *fq);
void fq_codel_add(struct fq_codel *fq, struct link_pkt *p);
/* Return: the packet that is sent at @now, NULL: none waits. */
struct link_pkt *fq_codel_take(struct fq_codel *fq, weft_ns now);
u32 fq_codel_packets(const struct fq_codel *fq);

#endif
