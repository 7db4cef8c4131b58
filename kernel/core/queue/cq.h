/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - writing into a completion queue, for cq.c and those who fill in the slot themselves
 *
 * All of it under cq->lock.
 */
#ifndef WEFT_CQ_H
#define WEFT_CQ_H

#include "core/queue/queue.h"

static inline u32 weft_cq_slots(u32 plen)
{
	return 1 + DIV_ROUND_UP(plen, WEFT_SLOT_SIZE);
}

/* Write completions that wait; see cq.c. */
u32 weft_cq_drain(struct weft_cq *cq, u32 most, struct weft_list *done);
/* Ask the user how far it has read. Return: as weft_cq_space(). */
bool weft_cq_ask(struct weft_cq *cq, u32 n);

/* Are there @n free slots? Of a queue in error there are: nothing is to be written to it. */
static inline bool weft_cq_space(struct weft_cq *cq, u32 n)
{
	return likely(cq->tail + n - cq->head <= cq->size) || cq->bad || weft_cq_ask(cq, n);
}

/* Copy @len bytes into the slots from @index on, and zeros up to the end of the last one. */
void weft_cq_payload(struct weft_cq *cq, u32 index, const u8 *p, u32 len);

/* The same of 8 bytes. */
static inline void weft_cq_word(struct weft_cq *cq, u32 index, const u8 *p)
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

/* Where an entry goes for which there is room, in a queue that is not in error. */
static inline struct weft_cqe *weft_cq_slot(struct weft_cq *cq)
{
	return &cq->slots[cq->tail & (cq->size - 1)];
}

/*
 * All that stands before @nslots in it has been written: its payload; publish it, but to those who
 * look at the tail: weft_cq_show().
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
	/* barrier C: the entry before its number */
	smp_store_release(&slot->seq, tail + 1);
	WRITE_ONCE(cq->tail, next);
}

/* The same for those who look at the tail, of all entries until here. */
static inline void weft_cq_show(struct weft_cq *cq)
{
	/* barrier C: the entries before the tail */
	smp_store_release(&cq->status->tail, cq->tail);
}

/* Have waiters woken, if there are any; weft_flush() clears cq->armed. */
static inline void weft_cq_wake(struct weft_cq *cq, struct weft_out *out)
{
	smp_mb();	/* the tail before armed */
	if (!READ_ONCE(cq->armed) || cq->waking)
		return;
	cq->waking = true;
	weft_cq_get(cq);
	weft_list_add_tail(&out->wake, &cq->wake);
}

#endif
