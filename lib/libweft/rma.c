// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One-sided operations: regions that peers may access, and operations on regions of peers
 *
 * Operations are entries of the send ring, so the caller serialises them with sends.
 */
#include <string.h>

#include "entry.h"

/* ---- Regions ---------------------------------------------------------------------------- */

int weft_region_add(struct weft_ctx *ctx, const struct weft_region *region, uint64_t *key)
{
	struct weft_iov segs[WEFT_IOV_MAX];
	struct weft_ioc_region arg = {
		.size = sizeof(arg),
		.flags = region->flags,
		.access = region->access,
		.nsegs = region->count,
		.key = region->flags & WEFT_REGIONF_KEY ? 0 : *key,
		.base = region->base,
		.segs = (uintptr_t)segs,
		.cntr = region->cntr ? region->cntr->handle : WEFT_HANDLE_NONE,
		.zone = region->zone,
	};
	size_t i;
	int ret;

	if (region->count > WEFT_IOV_MAX)
		return -EINVAL;
	for (i = 0; i < region->count; i++) {
		segs[i].addr = (uintptr_t)region->iov[i].iov_base;
		segs[i].len = region->iov[i].iov_len;
	}
	ret = lw_ioctl(ctx->fd, WEFT_IOC_REGION_ADD, &arg);
	if (!ret)
		*key = arg.key;
	return ret;
}

int weft_region_end(struct weft_ctx *ctx, uint32_t zone, uint64_t key)
{
	struct weft_ioc_region_end arg = { .size = sizeof(arg), .key = key, .zone = zone };

	return lw_ioctl(ctx->fd, WEFT_IOC_REGION_END, &arg);
}

/* ---- Operations ------------------------------------------------------------------------- */

/* Write remote segments into the slots from @index on. */
void lw_put_remote(struct lw_queue *q, uint32_t index, const struct weft_rma_iov *rem,
		   size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		struct weft_rma_iov *seg = lw_slot_at(q, index + i / REMOTE_PER_SLOT);

		seg += i % REMOTE_PER_SLOT;
		seg->addr = rem[i].addr;
		seg->len = rem[i].len;
		seg->key = rem[i].key;
		seg->rsvd = 0;
	}
}

int weft_write(struct weft_ep *ep, const void *buf, size_t len, uint32_t dst, uint64_t raddr,
	       uint64_t key, uint64_t data, uint64_t context, uint32_t flags)
{
	struct iovec iov = { .iov_base = (void *)buf, .iov_len = len };

	return lw_rma_entry(ep, WEFT_SQ_WRITE, &iov, dst, raddr, key, data, context, flags);
}

int weft_writev(struct weft_ep *ep, const struct iovec *iov, size_t count, uint32_t dst,
		const struct weft_rma_iov *rem, size_t nrem, uint64_t data, uint64_t context,
		uint32_t flags)
{
	return lw_post_entry(ep, WEFT_SQ_WRITE, iov, count, dst, 0, rem, nrem, data, context,
			     flags);
}

int weft_read(struct weft_ep *ep, void *buf, size_t len, uint32_t dst, uint64_t raddr,
	      uint64_t key, uint64_t context, uint32_t flags)
{
	struct iovec iov = { .iov_base = buf, .iov_len = len };

	return lw_rma_entry(ep, WEFT_SQ_READ, &iov, dst, raddr, key, 0, context, flags);
}

/* Slots for @count segments that begin with a new slot */
static uint32_t part_slots(size_t count)
{
	return (count + IOV_PER_SLOT - 1) / IOV_PER_SLOT;
}

/* Return: 0; -EINVAL: the segments of an operation and its length disagree. */
static int check_atomic(const struct weft_atomic *a)
{
	bool operands = a->op != WEFT_AOP_READ, compare = a->kind == WEFT_ATOMIC_COMPARE;

	if (a->count > WEFT_IOV_MAX || a->ncmp > WEFT_IOV_MAX || a->nres > WEFT_IOV_MAX ||
	    a->nrem > WEFT_IOV_MAX || !a->nrem)
		return -EINVAL;
	if (lw_total(a->iov, a->count) != (operands ? a->len : 0) ||
	    lw_total(a->cmp, a->ncmp) != (compare ? a->len : 0) ||
	    lw_total(a->res, a->nres) != (a->kind != WEFT_ATOMIC_BASE ? a->len : 0))
		return -EINVAL;
	return lw_remote_fits(a->rem, a->nrem, a->len) ? 0 : -EINVAL;
}

/* Write operands and compare operands behind the first slot. Return: the slots before the next. */
static uint32_t put_operands(struct lw_queue *q, const struct weft_atomic *a, bool inl)
{
	struct iovec both[2 * WEFT_IOV_MAX];
	uint32_t slots = 1 + lw_segment_slots(a->count);
	uint64_t bytes;

	if (!inl) {
		if (a->count > 1)
			lw_put_segments(q, q->tail + 1, a->iov, a->count);
		lw_put_segments(q, q->tail + slots, a->cmp, a->ncmp);
		return slots + part_slots(a->ncmp);
	}
	if (a->count)
		memcpy(both, a->iov, a->count * sizeof(*both));
	if (a->ncmp)
		memcpy(both + a->count, a->cmp, a->ncmp * sizeof(*both));
	lw_put_payload(q, both, a->count + a->ncmp);
	bytes = lw_total(both, a->count + a->ncmp);
	return 1 + (bytes + WEFT_SLOT_SIZE - 1) / WEFT_SLOT_SIZE;
}

int weft_atomic(struct weft_ep *ep, const struct weft_atomic *a, uint32_t dst, uint64_t context,
		uint32_t flags)
{
	bool inl = flags & WEFT_SQ_INLINE, one = a->nrem == 1;
	struct lw_queue *q = &ep->sq;
	uint64_t bytes;
	uint32_t n, at;
	int ret;

	if (flags & ~(ENTRY_FLAGS | WEFT_MORE) || check_atomic(a))
		return -EINVAL;
	bytes = lw_total(a->iov, a->count) + lw_total(a->cmp, a->ncmp);
	if (inl)
		n = 1 + (bytes + WEFT_SLOT_SIZE - 1) / WEFT_SLOT_SIZE;
	else
		n = 1 + lw_segment_slots(a->count) + part_slots(a->ncmp);
	n += part_slots(a->nres) + lw_remote_slots(a->nrem);
	if (n > WEFT_NSLOTS_MAX)
		return -EMSGSIZE;
	ret = lw_reserve(q, n);
	if (ret)
		return ret;
	at = put_operands(q, a, inl);
	lw_put_segments(q, q->tail + at, a->res, a->nres);
	if (!one)
		lw_put_remote(q, q->tail + n - lw_remote_slots(a->nrem), a->rem, a->nrem);
	*(struct weft_sqe *)lw_slot_at(q, q->tail) = (struct weft_sqe) {
		.op = WEFT_SQ_ATOMIC,
		.nslots = n,
		.flags = flags & WEFT_MORE ? flags | WEFT_SQ_MORE : flags,
		.dst = dst,
		.context = context,
		.addr = !inl && a->count == 1 ? (uintptr_t)a->iov->iov_base : 0,
		.len = a->len,
		.tag = one ? a->rem->key : 0,
		.data = WEFT_ATOMIC_DATA(a->op, a->type, a->kind, inl ? 0 : a->ncmp, a->nres),
		.niov = inl ? 0 : a->count,
		.nrem = a->nrem,
		.raddr = one ? a->rem->addr : 0,
	};
	lw_commit(q, n, flags);
	return 0;
}

int weft_readv(struct weft_ep *ep, const struct iovec *iov, size_t count, uint32_t dst,
	       const struct weft_rma_iov *rem, size_t nrem, uint64_t context, uint32_t flags)
{
	return lw_post_entry(ep, WEFT_SQ_READ, iov, count, dst, 0, rem, nrem, 0, context, flags);
}
