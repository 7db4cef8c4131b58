/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Entries of completion queues: read, skip, return. Inlined as in entry.h.
 */
#ifndef _LIBWEFT_TAKE_H
#define _LIBWEFT_TAKE_H

#include <errno.h>

#include "internal.h"

/*
 * Copy the payload after the entry at @index to its receive's buffer, wrapping at the ring's end.
 */
static inline void lw_copy_inline(const struct weft_cq *cq, uint32_t index,
				  const struct weft_cqe *cqe)
{
	uint32_t first = (index + 1) & cq->mask;
	size_t len = cqe->len - cqe->olen;
	size_t flat = (size_t)(cq->mask + 1 - first) * WEFT_SLOT_SIZE;
	char *buf = (char *)(uintptr_t)cqe->buf;

	if (!weft_unlikely(len > flat)) {
		lw_copy(buf, &cq->ring[first], len);
	} else {
		memcpy(buf, &cq->ring[first], flat);
		memcpy(buf + flat, cq->ring, len - flat);
	}
}

/*
 * The same without a call, if the payload has at most 64 bytes: they do not wrap. Return: true if
 * it is copied.
 */
WEFT_INLINED int lw_copy_slot(const struct weft_cq *cq, uint32_t index, const struct weft_cqe *cqe)
{
	uint64_t len = cqe->len - cqe->olen;

	if (weft_unlikely(len - 1 >= WEFT_SLOT_SIZE))
		return 0;
	lw_copy_few((void *)(uintptr_t)cqe->buf, &cq->ring[(index + 1) & cq->mask], len);
	return 1;
}

/* Return: the entry at @cq->head with its payload copied, NULL: none. */
static inline const struct weft_cqe *lw_cq_peek(struct weft_cq *cq)
{
	const struct weft_cqe *slot = &cq->ring[cq->head & cq->mask];

	if (cq->head == cq->tail) {
		cq->tail = lw_load_acquire(&cq->status->tail);	/* C: before the entry */
		if (cq->head == cq->tail)
			return NULL;
	}
	if (slot->flags & WEFT_CQE_INLINE && (int32_t)(cq->head - cq->settled) >= 0) {
		lw_copy_inline(cq, cq->head, slot);
		cq->settled = cq->head + slot->nslots;
	}
	return slot;
}

/* Skip the entry at @cq->head. Return: the next one, NULL: none. */
static inline const struct weft_cqe *lw_cq_next(struct weft_cq *cq)
{
	cq->head += cq->ring[cq->head & cq->mask].nslots;
	return lw_cq_peek(cq);
}

/* Return the slots before the head to the kernel. Return: true if it wants to be notified. */
static inline int lw_cq_free(struct weft_cq *cq)
{
	if ((int32_t)(cq->head - cq->settled) > 0)
		cq->settled = cq->head;
	lw_store_release(&cq->doorbell->head, cq->head); /* D: after the entries were read */
	lw_full_barrier();				/* E: head before flags */
	return weft_unlikely(lw_load(&cq->status->flags) & WEFT_ST_CQ_NOTIFY);
}

/* The same, and notify it. */
static inline void lw_cq_give_back(struct weft_cq *cq)
{
	if (lw_cq_free(cq))
		lw_ioctl(cq->fd, WEFT_IOC_CQ_NOTIFY, NULL);
}

static inline int lw_cq_failed(const struct weft_cq *cq)
{
	return lw_load(&cq->status->flags) & WEFT_ST_CQ_ERROR ? -EIO : 0;
}

#endif /* _LIBWEFT_TAKE_H */
