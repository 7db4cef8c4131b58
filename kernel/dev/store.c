// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft - memory from which packets leave without a copy
 *
 * A block is a compound page. Each part in use, each packet with bytes of it, and the store hold a
 * reference. With the store's reference alone, the block is used again from its beginning: it is
 * neither allocated nor zeroed per message.
 *
 *	free --weft_store_get()--> in use --weft_store_put(), packets sent--> free
 *
 * Locks: the owner of a store excludes concurrent calls for it. References need no lock.
 */
#include <linux/mm.h>
#include "../core/base/env.h"

static struct page *weft_store_page(const void *block)
{
	return virt_to_head_page(block);
}

/* Return: true if no part of a block is in use. */
static bool weft_store_idle(const void *block)
{
	return page_ref_count(weft_store_page(block)) == 1;
}

/* Put another block at the current index. Return: true; false: no memory. */
static bool weft_store_renew(struct weft_store *st)
{
	struct page *page = alloc_pages(GFP_KERNEL_ACCOUNT | __GFP_NOWARN | __GFP_NORETRY |
					__GFP_COMP, get_order(WEFT_STORE_BLOCK));

	if (!page)
		return false;
	if (st->block[st->cur])
		put_page(weft_store_page(st->block[st->cur]));
	st->block[st->cur] = page_address(page);
	return true;
}

/* Switch to a block that is free. Return: true; false: no memory. */
static bool weft_store_next(struct weft_store *st)
{
	u32 i;

	for (i = 0; i < WEFT_STORE_BLOCKS; i++) {
		if (st->block[st->cur] && weft_store_idle(st->block[st->cur]))
			break;
		st->cur = (st->cur + 1) % WEFT_STORE_BLOCKS;
		if (!st->block[st->cur])
			break;
	}
	st->off = 0;
	return (st->block[st->cur] && weft_store_idle(st->block[st->cur])) || weft_store_renew(st);
}

/**
 * weft_store_get - get memory
 * @st: the store
 * @len: bytes, at most WEFT_STORE_BLOCK
 *
 * Context: process, may sleep.
 * Return: the memory, not zeroed; NULL: none.
 */
void *weft_store_get(struct weft_store *st, u32 len)
{
	void *p = st->block[st->cur];

	if (!p || len > WEFT_STORE_BLOCK - st->off) {
		if (!weft_store_next(st))
			return NULL;
		p = st->block[st->cur];
	}
	get_page(weft_store_page(p));
	p += st->off;
	st->off = min_t(u32, ALIGN(st->off + len, SMP_CACHE_BYTES), WEFT_STORE_BLOCK);
	return p;
}

/**
 * weft_store_put - give memory back
 * @p: from weft_store_get()
 *
 * Context: any.
 */
void weft_store_put(const void *p)
{
	put_page(weft_store_page(p));
}

/**
 * weft_store_fini - empty a store
 * @st: the store
 *
 * Context: any.
 */
void weft_store_fini(struct weft_store *st)
{
	u32 i;

	for (i = 0; i < WEFT_STORE_BLOCKS; i++)
		if (st->block[i])
			put_page(weft_store_page(st->block[i]));
	memset(st, 0, sizeof(*st));
}
