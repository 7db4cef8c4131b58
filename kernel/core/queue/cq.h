/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - writing into a completion queue, for cq.c and for the fast path
 *
 * Locks: cq->lock, held by the caller.
 */
#ifndef WEFT_CQ_H
#define WEFT_CQ_H

#include "core/queue/queue.h"

static inline u32 weft_cq_slots(u32 plen)
{
	return 1 + DIV_ROUND_UP(plen, WEFT_SLOT_SIZE);
}

/* Write waiting completions; see cq.c. */
u32 weft_cq_drain(struct weft_cq *cq, u32 most, struct weft_list *done);
/* Read the user's consumer index. Return: as weft_cq_space(). */
bool weft_cq_ask(struct weft_cq *cq, u32 n);

/*
 * Return: true if @n slots are free. Also true for a queue in error, to which nothing is written.
 */
static inline bool weft_cq_space(struct weft_cq *cq, u32 n)
{
	return likely(cq->tail + n - cq->head <= cq->size) || cq->bad || weft_cq_ask(cq, n);
}

/* Copy @len bytes into the slots from @index on, and zeros into the rest of the last one. */
void weft_cq_payload(struct weft_cq *cq, u32 index, const u8 *p, u32 len);

/* As weft_cq_payload(), for 8 bytes. */
static __always_inline void weft_cq_word(struct weft_cq *cq, u32 index, const u8 *p)
{
	u64 *slot = (u64 *)&cq->slots[index & (cq->size - 1)];

	memcpy(slot, p, sizeof(*slot));
	slot[1] = 0;
	slot[2] = 0;
	slot[3] = 0;
	slot[4] = 0;
	slot[5] = 0;
	slot[6] = 0;
	slot[7] = 0;
}

/* Return: the slot of the next entry, of a queue with space that is not in error. */
static inline struct weft_cqe *weft_cq_slot(struct weft_cq *cq)
{
	return &cq->slots[cq->tail & (cq->size - 1)];
}

/*
 * Publish an entry whose fields before @nslots are written: its payload and its sequence number.
 * The tail follows with weft_cq_show().
 */
static inline void weft_cq_put_entry(struct weft_cq *cq, struct weft_cqe *slot,
				     const void *payload, u32 plen)
{
	u32 tail = cq->tail, n = weft_cq_slots(plen), next = tail + n;

	if (likely(plen == sizeof(u64)))
		weft_cq_word(cq, tail + 1, payload);
	else if (plen)
		weft_cq_payload(cq, tail + 1, payload, plen);
	if (next - cq->head < cq->size)
		WRITE_ONCE(cq->slots[next & (cq->size - 1)].seq, next);
	slot->nslots = n;
	slot->rsvd = 0;
	/* barrier C: entry before sequence number */
	smp_store_release(&slot->seq, tail + 1);
	WRITE_ONCE(cq->tail, next);
}

/* Publish the tail, for all entries written so far. */
static inline void weft_cq_show(struct weft_cq *cq)
{
	/* barrier C: entries before tail */
	smp_store_release(&cq->status->tail, cq->tail);
}

/* Have waiters woken, if there are any; weft_flush() clears cq->armed. */
static inline void weft_cq_wake(struct weft_cq *cq, struct weft_out *out)
{
	smp_mb();	/* tail before armed */
	if (!READ_ONCE(cq->armed) || cq->waking)
		return;
	cq->waking = true;
	weft_cq_get(cq);
	weft_list_add_tail(&out->wake, &cq->wake);
}

#endif
