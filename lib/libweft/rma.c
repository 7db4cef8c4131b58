// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One-sided operations: regions that peers may access, and operations on regions of peers
 *
 * Operations are entries of the send ring, so the caller serialises them with sends.
 */
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

int weft_region_end(struct weft_ctx *ctx, uint64_t key)
{
	struct weft_ioc_region_end arg = { .size = sizeof(arg), .key = key };

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

int weft_readv(struct weft_ep *ep, const struct iovec *iov, size_t count, uint32_t dst,
	       const struct weft_rma_iov *rem, size_t nrem, uint64_t context, uint32_t flags)
{
	return lw_post_entry(ep, WEFT_SQ_READ, iov, count, dst, 0, rem, nrem, 0, context, flags);
}
