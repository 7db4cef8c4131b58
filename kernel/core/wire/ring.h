/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - decoding of entries in send and receive rings
 *
 * Rings and doorbells are memory that a program may write at any time. The producer index is read
 * once per look, each slot once per decoding, into private memory; what is decided is decided on
 * the copy. Inline payload is copied (weft_ring_payload(), weft_ring_inline()) before the consumer
 * index moves on; nothing is decided on it.
 *
 * Locks: the caller's; ep->sq_mutex for a send ring, ep->lock for a receive ring.
 */
#ifndef WEFT_RING_H
#define WEFT_RING_H

#include "core/base/env.h"

/* Bytes of the longest message, and of the longest one of endpoints with WEFT_EPF_VARIABLE */
#define WEFT_MSG_MAX	BIT_ULL(40)
#define WEFT_MSG_LIMIT	((u64)S64_MAX)

/**
 * struct weft_ring - consumer's side of a ring
 * @slots: the ring; written by the user
 * @size: slots, a power of two
 * @cons: consumer index
 * @prod: producer index as it was last read: entries before it may be decoded
 * @known: flags that sends may have
 * @longest: bytes of the longest send
 * @announce: receives may be announced
 * @keys: receives name regions (WEFT_RQ_REGION), and no others are taken
 */
struct weft_ring {
	const void *slots;
	u32 size;
	u32 cons;
	u32 prod;
	u16 known;
	bool keys;
	bool announce;
	u64 longest;
};

/* What came out of a look or of decoding */
#define WEFT_RING_OK		0	/* an entry */
#define WEFT_RING_EMPTY		1	/* nothing there */
#define WEFT_RING_BAD		2	/* an entry to be refused with @err and its context */
#define WEFT_RING_CORRUPT	3	/* cannot be decoded: the endpoint takes no more work */

/**
 * struct weft_sq_entry - a send, decoded
 * @slot: copy of its first slot
 * @nslots: slots it takes
 * @tagged: is a tagged operation (also guessed for one that is refused)
 * @inl: payload stands in the ring: weft_ring_payload()
 * @flags: WEFT_SQ_*
 * @dst: index in the address vector
 * @err: errno when it is to be refused
 * @context: the user's
 * @tag: tag, 0 when untagged
 * @data: remote CQ data
 * @len: bytes
 * @vec: where the message stands; no segments when @inl or @len is 0
 */
struct weft_sq_entry {
	u64 slot[WEFT_SLOT_SIZE / sizeof(u64)];
	u8 nslots;
	bool tagged;
	bool inl;
	u16 flags;
	u32 dst;
	int err;
	u64 context;
	u64 tag;
	u64 data;
	u64 len;
	struct weft_vec vec;
};

/**
 * struct weft_rq_entry - a receive (or what else is in a receive ring), decoded
 * @slot: copy of its first slot
 * @nslots: slots it takes
 * @op: WEFT_RQ_*, but for the flags
 * @tagged: is a tagged operation
 * @flags: WEFT_RQ_*
 * @src: index in the address vector or WEFT_SRC_ANY
 * @err: errno when it is to be refused
 * @context: the user's
 * @tag: tag to match; context to cancel
 * @ignore: bits of the tag that do not count; least room of a multi-receive buffer
 * @part: WEFT_RQ_ANNOUNCE: bytes of a message that does not fit
 * @vec: room
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

/* The slot with that index. */
static inline const void *weft_ring_at(const struct weft_ring *r, u32 index)
{
	return (const u8 *)r->slots + (size_t)(index & (r->size - 1)) * WEFT_SLOT_SIZE;
}

/**
 * weft_ring_look - read the producer index (barrier A)
 * @r: the ring
 * @doorbell: where the user keeps it
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
 * The payload that stands in the ring behind a send, where it is: the user may change it at any
 * time. Return: NULL: it is in two pieces.
 */
static inline const void *weft_ring_inline(const struct weft_ring *r, const struct weft_sq_entry *e)
{
	u32 at = (r->cons + 1) & (r->size - 1);

	if (unlikely(at + e->nslots - 1 > r->size))
		return NULL;
	return (const u8 *)r->slots + (size_t)at * WEFT_SLOT_SIZE;
}

/*
 * The entry has been copied and accepted (or refused): its slots are the user's again after
 * weft_ring_publish().
 */
static inline void weft_ring_next(struct weft_ring *r, u8 nslots)
{
	r->cons += nslots;
}

/* Give the slots before the consumer index back. @head: in the status page. */
static inline void weft_ring_publish(const struct weft_ring *r, u32 *head)
{
	/* barrier B: they have been copied */
	smp_store_release(head, r->cons);
}

#endif
