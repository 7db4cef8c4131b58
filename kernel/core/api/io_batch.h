/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - what goes out of it and what comes in: packets, copies, wake-ups, timers, work
 *
 * A struct weft_out belongs to its caller; packets that come in do, too. Locks are those of core.h,
 * of which this is a part.
 */
#ifndef WEFT_IO_BATCH_H
#define WEFT_IO_BATCH_H

/* ---- What goes out of the core --------------------------------------------------- */

/*
 * Classes of packets: what is short, and what others wait for, goes before what is long (class.c).
 * A lower number is a higher priority.
 */
#define WEFT_CLASS_FIRST	0	/* beginnings of messages, and what answers them */
#define WEFT_CLASS_REST		1	/* the rest of those that nobody has asked for */
#define WEFT_CLASS_DATA		2	/* what was asked for */
#define WEFT_CLASSES		3

#define WEFT_OUT_TX	32
#define WEFT_OUT_COPY	32
#define WEFT_TX_RAW	192	/* bytes of the largest packet that belongs to no record */
#define WEFT_RUN_BYTES	65472	/* of all packets of a run: what devices take as one */

/**
 * struct weft_tx - a packet to send, or a run of packets with the bytes of one message
 * @path: its path, referenced; NULL: an answer to a stranger, @to says where
 * @rec: record of what is in it, referenced; NULL: @raw holds the packet
 * @to: destination when @path is NULL
 * @src: index of the own address to send from, when @path is NULL
 * @lane: lane, selects the UDP source port (today all lanes use the port itself)
 * @class: WEFT_CLASS_*: its priority
 * @run: type of the chunk whose offset differs from packet to packet, 0: no chunk's
 * @acknow: the last packet asks for an acknowledgement at once
 * @nseg: packets, 1 at least; their PSNs follow each other
 * @psn: packet sequence number of the first
 * @len: bytes of each packet but the last, from the weft header on
 * @pay: bytes at the end of each packet but the last that weft_tx_payload() gives; the ones before
 *	come from weft_tx_header()
 * @last: the same of the last packet (of the only one): 1 to @pay, or both are 0
 * @off: offset of the payload in the record's memory
 * @moff: offset of the payload in the message
 * @raw: the first packet's weft header, and all of a packet without a record (@len bytes)
 *
 * What is sent is what stands here: the record may shrink meanwhile.
 */
struct weft_tx {
	struct weft_path *path;
	struct weft_rec *rec;
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

/* Bytes of payload in packet @i. */
static inline u32 weft_tx_paylen(const struct weft_tx *tx, u32 i)
{
	return i + 1 == tx->nseg ? tx->last : tx->pay;
}

/* Bytes of packet @i. */
static inline u32 weft_tx_len(const struct weft_tx *tx, u32 i)
{
	return tx->len - tx->pay + weft_tx_paylen(tx, i);
}

/* Bytes of all packets. */
static inline u32 weft_tx_size(const struct weft_tx *tx)
{
	return tx->len * tx->nseg - tx->pay + tx->last;
}

/* Kinds of copies */
#define WEFT_COPY_RX_MEM	1	/* from a received packet into pinned (or bounce) memory */
#define WEFT_COPY_BUF_MEM	2	/* from kernel memory (unexpected message) into it */
#define WEFT_COPY_MEM_MEM	3	/* local: from the sender's memory into the receiver's */
#define WEFT_COPY_RX_BUF	4	/* from a received packet into kernel memory */

/**
 * struct weft_copy - bytes to be copied
 * @rxm: the message, referenced
 * @kind: WEFT_COPY_*
 * @src: kernel address to copy from (RX_MEM, BUF_MEM, RX_BUF)
 * @smem: memory to copy from (MEM_MEM), referenced
 * @soff: offset in @smem
 * @dst: kernel address to copy to (RX_BUF)
 * @mem: memory to copy to; @rxm keeps it
 * @off: offset in @mem
 * @len: bytes
 * @piece: bytes that stand together at @src (all but MEM_MEM, RX_BUF)
 * @skip: bytes between one such piece and the next
 * @token: the core's own
 * @err: what came of it
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
 * @now: time of the entry
 * @ntx: packets in @tx
 * @ncopy: copies in @copy
 * @more: paths that have something to do without their lock, or more to send than there was room
 *	for, referenced
 * @wake: completion queues that got entries while somebody waits (cq->wake), referenced
 * @wake_eq: event queues that got events (eq->wake), referenced
 * @deferred: work that needs process context (work->node), referenced through its object
 * @start: messages that were matched or dropped under ep->lock and whose path must be told,
 *	referenced
 * @grant: messages that have been given more (rxm->gmsg.ready), referenced
 * @serve: shared receive queues with receives for endpoints that wait (srq->serve), referenced
 * @resv: the packet that weft_fast_out() is writing
 * @tx: packets
 * @copy: copies
 *
 * Large: kept by the adapter (per CPU, per context), never on the stack. Not initialised beyond
 * counts and lists. The core makes sure of room for packets and copies before it changes anything;
 * without room it leaves work that it finds again.
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

/* Bytes of packet @i: the first tx->len - tx->pay ones. @dst has room for them. */
void weft_tx_header(const struct weft_tx *tx, u32 i, void *dst);

/*
 * The last weft_tx_paylen() ones. Return: 0; drop the packet: -EFAULT: the memory is gone,
 * -ECANCELED: it has been acknowledged meanwhile, and is missed by nobody.
 */
int weft_tx_payload(const struct weft_tx *tx, u32 i, void *dst);

/*
 * Packets @i to @i + @n - 1, one behind the other: the quickest way. Return: likewise.
 */
int weft_tx_write(const struct weft_tx *tx, u32 i, u32 n, void *dst);

/*
 * Where the payload of packet @i stands, for those who send without a copy: at most @max pieces, in
 * order. They stay, pinned, until weft_mem_put(*mem), which may come at any time and in any
 * context, also when the send has long been over. Return: pieces; 0: it has to be copied: it is
 * short, or does not stand in pinned memory, or it is sent again (who has been told that a send is
 * over may change the bytes, while what was put into a queue for a second time stands there yet).
 */
u32 weft_tx_pieces(const struct weft_tx *tx, u32 i, struct weft_span *span, u32 max,
		   struct weft_mem **mem);

/* ---- What comes in --------------------------------------------------------------- */

#define WEFT_RX_GROUP	0xff	/* of rx->dst */

/**
 * struct weft_rx - received packets that stand one behind the other; their bytes are stable: nobody
 * else can change them
 * @data: first byte of the first weft header
 * @len: bytes of all packets, without what may be between them
 * @seg: bytes of each packet but the last, which may be shorter; 0: there is one
 * @stride: bytes from one packet's first to the next one's, not less than @seg; 0: as @seg
 * @src: sender's address; @src.port: UDP source port
 * @dst: index of the own address it was sent to, in core->addr; WEFT_RX_GROUP: a group
 * @group: that group's address, of the family of @src
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

/**
 * weft_core_rx - packets have been received
 * @core: the core
 * @now: time
 * @rx: packets, linear
 * @n: entries of @rx; not more than 16
 * @out: to be flushed before the packets are freed
 *
 * Context: softirqs are off, no lock is held.
 */
void weft_core_rx(struct weft_core *core, weft_ns now, const struct weft_rx *rx, u32 n,
		  struct weft_out *out);

/* The time of a path's timer has come. */
void weft_core_timer(struct weft_path *path, weft_ns now, struct weft_out *out);

/*
 * Work from out->deferred: pin memory, drain a ring. Sleeps, with the address space of the work's
 * context. Drops the reference.
 */
void weft_core_work(struct weft_work *work, weft_ns now, struct weft_out *out);

#endif
