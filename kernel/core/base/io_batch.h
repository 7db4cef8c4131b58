/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - input and output of the core: packets, copies, wake-ups, timers, deferred work
 *
 * The caller owns a struct weft_out and received packets: no locks.
 */
#ifndef WEFT_IO_BATCH_H
#define WEFT_IO_BATCH_H

#include "core/base/env.h"

/* ---- Output of the core ---------------------------------------------------------- */

/*
 * Classes of packets: short packets, and those that others wait for, are sent before long ones
 * (class.c). A lower number is a higher priority.
 */
#define WEFT_CLASS_FIRST	0	/* messages of one packet, and answers */
#define WEFT_CLASS_REST		1	/* eager messages of several packets */
#define WEFT_CLASS_DATA		2	/* bytes that the receiver has granted */
#define WEFT_CLASSES		3

#define WEFT_OUT_TX	32
#define WEFT_OUT_COPY	32
#define WEFT_TX_RAW	192	/* bytes of the largest packet without a record */
#define WEFT_RUN_BYTES	65472	/* of all packets of a run: the limit of device offload */

/**
 * struct weft_tx - a packet to send, or a run of packets with the bytes of one message
 * @path: its path, referenced; NULL: an answer to an unknown sender, to address @to
 * @rec: record of its content, referenced; NULL: @raw holds the packet
 * @image: memory of the core has the payload, and space for the heads: weft_tx_image()
 * @to: destination when @path is NULL
 * @src: index of the own source address, when @path is NULL
 * @lane: lane, selects the UDP source port (today all lanes use the port itself)
 * @class: WEFT_CLASS_*: its priority
 * @run: type of the chunk whose offset differs from packet to packet, 0: none
 * @acknow: the last packet asks for an immediate acknowledgement
 * @nseg: number of packets, at least 1, with consecutive PSNs
 * @psn: packet sequence number of the first
 * @len: bytes of each packet but the last, from the weft header on
 * @pay: bytes at the end of each packet but the last that weft_tx_payload() copies;
 *	weft_tx_header() writes the bytes before them
 * @last: the same for the last (or only) packet: 1 to @pay, or both are 0
 * @off: offset of the payload in the record's memory
 * @moff: offset of the payload in the message
 * @raw: the first packet's weft header, and all of a packet without a record (@len bytes)
 *
 * These fields decide which bytes are sent: the record may shrink meanwhile.
 */
struct weft_tx {
	struct weft_path *path;
	struct weft_rec *rec;
	bool image;
	struct weft_sockaddr to;
	u8 src;
	u8 lane;
	u8 class;
	u8 run;
	bool acknow;
	u16 nseg;
	u32 psn;
	u32 len;
	u32 pay;
	u32 last;
	u32 off;
	u64 moff;
	u8 raw[WEFT_TX_RAW];
};

/*
 * Return: true if the packet must travel alone: a probe of its length (mtu.c). Devices check the
 * length of an aggregate differently.
 */
static inline bool weft_tx_alone(const struct weft_tx *tx)
{
	return !tx->rec && tx->pay;
}

/* Return: bytes of payload in packet @i. */
static inline u32 weft_tx_paylen(const struct weft_tx *tx, u32 i)
{
	return i + 1 == tx->nseg ? tx->last : tx->pay;
}

/* Return: bytes of packet @i. */
static inline u32 weft_tx_len(const struct weft_tx *tx, u32 i)
{
	return tx->len - tx->pay + weft_tx_paylen(tx, i);
}

/* Return: bytes of all packets. */
static inline u32 weft_tx_size(const struct weft_tx *tx)
{
	return tx->len * tx->nseg - tx->pay + tx->last;
}

/* Kinds of copies */
#define WEFT_COPY_RX_MEM	1	/* from a received packet into pinned (or bounce) memory */
#define WEFT_COPY_BUF_MEM	2	/* from a kernel buffer into pinned (or bounce) memory */
#define WEFT_COPY_MEM_MEM	3	/* local: from the sender's memory into the receiver's */
#define WEFT_COPY_RX_BUF	4	/* from a received packet into kernel memory */

/**
 * struct weft_copy - a copy to be done
 * @rxm: the message, referenced
 * @kind: WEFT_COPY_*
 * @src: kernel address to copy from (RX_MEM, BUF_MEM, RX_BUF)
 * @smem: memory to copy from (MEM_MEM), referenced
 * @soff: offset in @smem
 * @dst: kernel address to copy to (RX_BUF)
 * @mem: memory to copy to; @rxm references it
 * @off: offset in @mem
 * @len: bytes
 * @piece: bytes of one piece at @src (all kinds but MEM_MEM)
 * @skip: bytes between two pieces
 * @token: private value of the core
 * @err: result of the copy
 */
struct weft_copy {
	struct weft_rxm *rxm;
	u8 kind;
	const void *src;
	struct weft_mem *smem;
	u32 soff;
	void *dst;
	struct weft_mem *mem;
	u32 off;
	u32 len;
	u32 piece;
	u32 skip;
	u32 token;
	int err;
};

/**
 * struct weft_out - output of the core
 * @core: the core
 * @now: time of the call into the core
 * @ntx: packets in @tx
 * @ncopy: copies in @copy
 * @more: paths that need work without their lock, or that found this output full, referenced
 * @wake: completion queues with new entries and waiters (cq->wake), referenced
 * @wake_eq: event queues with new events (eq->wake), referenced
 * @deferred: deferred work, which needs process context (work->node), referenced through its object
 * @start: messages matched or dropped under ep->lock, which their path has to process, referenced
 * @grant: messages with new grants (rxm->bulk.gmsg.ready), referenced
 * @serve: shared receive queues with receives for waiting endpoints (srq->serve), referenced
 * @resv: transmit reservation of weft_fast_out()
 * @tx: packets
 * @copy: copies
 *
 * This structure is large: the adapter keeps it (per CPU, per context), never on the stack. Only
 * counts and lists are initialised. Before the core changes any state, it checks that packets and
 * copies have space here. Without space it leaves work that it finds again later.
 */
struct weft_out {
	struct weft_core *core;
	weft_ns now;
	u16 ntx, ncopy;
	struct weft_list more;
	struct weft_list wake;
	struct weft_list wake_eq;
	struct weft_list deferred;
	struct weft_list start;
	struct weft_list grant;
	struct weft_list serve;
	struct weft_tx_resv resv;
	struct weft_tx tx[WEFT_OUT_TX];
	struct weft_copy copy[WEFT_OUT_COPY];
};

void weft_out_init(struct weft_out *out, struct weft_core *core);

/* Write the first tx->len - tx->pay bytes of packet @i to @dst. */
void weft_tx_header(const struct weft_tx *tx, u32 i, void *dst);

/*
 * Copy the last weft_tx_paylen() bytes of packet @i.
 * Return: 0; on an error the caller drops the packet: -EFAULT: the memory is gone; -ECANCELED: the
 * packet has been acknowledged meanwhile.
 */
int weft_tx_payload(const struct weft_tx *tx, u32 i, void *dst);

/*
 * Get packets @i to @i + *@n - 1, one behind the other, without a copy. *@n: out: how many there
 * are, at least 1. Return: their memory, which is from a struct weft_store; NULL: they have to be
 * written.
 */
const void *weft_tx_image(const struct weft_tx *tx, u32 i, u32 *n);

/*
 * Write packets @i to @i + @n - 1, one behind the other; this is the fastest way to copy. Return:
 * as weft_tx_payload().
 */
int weft_tx_write(const struct weft_tx *tx, u32 i, u32 n, void *dst);

/*
 * Find the payload of packet @i in memory, for a transmission without a copy: at most @max pieces,
 * in order. The pieces stay pinned until weft_mem_put(*mem), which may come at any time and in any
 * context, even long after the end of the send.
 * Return: number of pieces; 0: the payload has to be copied. It is short, not in pinned memory, or
 * being sent again. In the last case the program may already know the end of the send. It may
 * change the bytes while the second transmission waits in a queue.
 */
u32 weft_tx_pieces(const struct weft_tx *tx, u32 i, struct weft_span *span, u32 max,
		   struct weft_mem **mem);

/* ---- Input of the core ----------------------------------------------------------- */

#define WEFT_RX_GROUP	0xff	/* value of rx->dst for a group */

/**
 * struct weft_rx - received packets in one buffer; no one else can change the bytes
 * @data: first byte of the first weft header
 * @len: bytes of all packets, without gaps between them
 * @seg: bytes of each packet but the last, which may be shorter; 0: one packet
 * @stride: distance between the first bytes of two packets, at least @seg; 0: as @seg
 * @src: sender's address; @src.port: UDP source port
 * @dst: index of the own destination address in core->addr; WEFT_RX_GROUP: a group
 * @group: address of the group, of the family of @src
 * @ecn: ECN field of the IP header
 */
struct weft_rx {
	const u8 *data;
	u32 len;
	u32 seg;
	u32 stride;
	struct weft_sockaddr src;
	u8 dst;
	u8 ecn;
	u8 group[16];
};

#endif
