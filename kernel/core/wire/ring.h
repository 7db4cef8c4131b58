/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - decoding of entries in send and receive rings
 *
 * A program may write rings and doorbells at any time. The producer index is read once per look.
 * Each slot is read once per decoding, into private memory, and only the copy is checked and used.
 * Inline payload is copied (weft_ring_payload(), weft_ring_inline()) before the consumer index
 * advances; it is never interpreted.
 *
 * Locks: held by the caller: ep->sq_mutex for a send ring, ep->lock or srq->lock for a receive
 * ring.
 */
#ifndef WEFT_RING_H
#define WEFT_RING_H

#include "core/wire/wire.h"

/* Bytes of the longest message, and of the longest one with WEFT_EPF_VARIABLE */
#define WEFT_MSG_MAX	BIT_ULL(40)
#define WEFT_MSG_LIMIT	((u64)S64_MAX)

/**
 * struct weft_ring - consumer's side of a ring
 * @slots: the ring; written by the user
 * @size: slots, a power of two
 * @cons: consumer index
 * @prod: producer index as read last: entries before it may be decoded
 * @known: flags that sends may have
 * @longest: bytes of the longest send
 * @announce: receives may have WEFT_RQ_ANNOUNCE
 * @keys: receives have to name regions (WEFT_RQ_REGION)
 * @rma: sends may be one-sided operations
 */
struct weft_ring {
	const void *slots;
	u32 size;
	u32 cons;
	u32 prod;
	u16 known;
	bool keys;
	bool announce;
	bool rma;
	u64 longest;
};

/* Results of a look or of a decoding */
#define WEFT_RING_OK		0	/* an entry */
#define WEFT_RING_EMPTY		1	/* no entry */
#define WEFT_RING_BAD		2	/* an entry to be refused with @err and its context */
#define WEFT_RING_CORRUPT	3	/* cannot be decoded: the ring is not used any more */

/**
 * struct weft_sq_entry - a send, decoded
 * @slot: copy of its first slot
 * @nslots: slots it takes
 * @op: WEFT_SQ_SEND, _TSEND, _WRITE, _READ, _ATOMIC, _FETCH (any value for a refused entry)
 * @inl: the payload is in the ring: weft_ring_payload()
 * @flags: WEFT_SQ_*
 * @dst: index in the address vector
 * @err: errno of a refused entry
 * @context: the user's
 * @tag: tag, 0 when untagged
 * @data: remote CQ data; atomic operations: WEFT_ATOMIC_DATA()
 * @len: bytes of the message; atomic operations: of their elements
 * @vec: segments of the message; none with @inl or @len 0; atomic operations: of the results
 * @nrem: number of remote segments; 0: a message, or @len is 0
 * @rem: remote segments
 */
struct weft_sq_entry {
	u64 slot[WEFT_SLOT_SIZE / sizeof(u64)];
	u8 nslots;
	u8 op;
	bool inl;
	u16 flags;
	u32 dst;
	int err;
	u64 context;
	u64 tag;
	u64 data;
	u64 len;
	struct weft_vec vec;
	u32 nrem;
	struct weft_rseg rem[WEFT_IOV_MAX];
};

#define WEFT_SQ_FETCH	6	/* of struct weft_sq_entry: a WEFT_SQ_ATOMIC with results */

/* Return: true for a one-sided operation. */
static inline bool weft_sq_is_rma(u8 op)
{
	return op >= WEFT_SQ_WRITE && op <= WEFT_SQ_FETCH;
}

/* Return: true for an atomic operation. */
static inline bool weft_sq_is_atomic(u8 op)
{
	return op == WEFT_SQ_ATOMIC || op == WEFT_SQ_FETCH;
}

/* Return: true for a one-sided operation that brings bytes from the peer. */
static inline bool weft_sq_fetches(u8 op)
{
	return op == WEFT_SQ_READ || op == WEFT_SQ_FETCH;
}

/**
 * struct weft_rq_entry - a decoded receive, or other entry of a receive ring
 * @slot: copy of its first slot
 * @nslots: slots it takes
 * @op: WEFT_RQ_*, operations only
 * @tagged: a tagged operation
 * @flags: WEFT_RQ_*
 * @src: index in the address vector or WEFT_SRC_ANY
 * @err: errno of a refused entry
 * @context: the user's
 * @tag: tag to match; context to cancel
 * @ignore: bits of the tag that are not compared; for a multi-receive buffer its least space
 * @part: WEFT_RQ_ANNOUNCE: bytes delivered of a message that does not fit
 * @vec: segments
 */
struct weft_rq_entry {
	u64 slot[WEFT_SLOT_SIZE / sizeof(u64)];
	u8 nslots;
	u8 op;
	bool tagged;
	u16 flags;
	u32 src;
	int err;
	u64 context;
	u64 tag;
	u64 ignore;
	u32 part;
	struct weft_vec vec;
};

void weft_ring_init(struct weft_ring *r, const void *slots, u32 size);
int weft_ring_sq(const struct weft_ring *r, bool msg, struct weft_sq_entry *e);
int weft_ring_rq(const struct weft_ring *r, bool msg, struct weft_rq_entry *e);
void weft_ring_payload(const struct weft_ring *r, const struct weft_sq_entry *e, void *dst);
void weft_ring_bytes(const struct weft_ring *r, u32 len, void *dst);

/* Return: bytes of the operands and compare operands of an atomic operation. */
static inline u32 weft_sq_operands(const struct weft_sq_entry *e)
{
	if (WEFT_ATOMIC_OP(e->data) == WEFT_AOP_READ)
		return 0;
	return WEFT_ATOMIC_KIND(e->data) == WEFT_ATOMIC_COMPARE ? 2 * (u32)e->len : (u32)e->len;
}

/* Return: slots of @n segments that begin with a new slot. */
static inline u32 weft_ring_seg_slots(u32 n)
{
	return DIV_ROUND_UP(n, (u32)(WEFT_SLOT_SIZE / sizeof(struct weft_iov)));
}

/* Return: the slot with that index. */
static inline const void *weft_ring_at(const struct weft_ring *r, u32 index)
{
	return (const u8 *)r->slots + (size_t)(index & (r->size - 1)) * WEFT_SLOT_SIZE;
}

/**
 * weft_ring_seg - copy a segment of the entry at the consumer index, each word once
 * @r: the ring
 * @slot: first slot of the segments, counted from the entry's first one
 * @i: number of the segment
 * @seg: out: the segment, not checked
 */
static inline void weft_ring_seg(const struct weft_ring *r, u32 slot, u32 i, struct weft_iov *seg)
{
	const u32 per = WEFT_SLOT_SIZE / sizeof(*seg), words = sizeof(*seg) / sizeof(u64);
	const u64 *src = weft_ring_at(r, r->cons + slot + i / per);

	src += i % per * words;
	seg->addr = READ_ONCE(src[0]);
	seg->len = READ_ONCE(src[1]);
}

/**
 * weft_ring_look - read the producer index (barrier A)
 * @r: the ring
 * @doorbell: the user's producer index
 *
 * Return: WEFT_RING_OK, WEFT_RING_EMPTY, WEFT_RING_CORRUPT: the index is outside of the ring.
 */
static inline int weft_ring_look(struct weft_ring *r, const u32 *doorbell)
{
	/* barrier A: slots are read after the index */
	u32 prod = smp_load_acquire(doorbell);

	if (prod - r->cons > r->size)
		return WEFT_RING_CORRUPT;
	r->prod = prod;
	return prod == r->cons ? WEFT_RING_EMPTY : WEFT_RING_OK;
}

/*
 * Return: the payload in the ring behind a send, in place; NULL: it is in two pieces. The user may
 * change it at any time.
 */
static inline const void *weft_ring_inline(const struct weft_ring *r, const struct weft_sq_entry *e)
{
	u32 at = (r->cons + 1) & (r->size - 1);

	if (unlikely(at + e->nslots - 1 > r->size))
		return NULL;
	return (const u8 *)r->slots + (size_t)at * WEFT_SLOT_SIZE;
}

/*
 * Advance past an entry that has been copied and accepted or refused. Its slots belong to the user
 * again after weft_ring_publish().
 */
static inline void weft_ring_next(struct weft_ring *r, u8 nslots)
{
	r->cons += nslots;
}

/* Give the slots before the consumer index back. @head: in the status page. */
static inline void weft_ring_publish(const struct weft_ring *r, u32 *head)
{
	/* barrier B: their content has been copied */
	smp_store_release(head, r->cons);
}

#endif
