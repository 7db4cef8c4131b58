// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft - memory of programs: iteration over messages
 *
 * An iterator splits a part of a message into pieces that fit into one pinned range each. It lives
 * on the stack of its user, so it needs no lock.
 */
#include "mem_priv.h"

/**
 * weft_walk_init - start at an offset
 * @walk: the iterator
 * @vec: the message; must stay valid
 * @off: offset in it
 * @len: bytes
 *
 * Context: any.
 * Return: 0, -EFAULT: outside of the message, or not a user address.
 */
int weft_walk_init(struct weft_walk *walk, const struct weft_vec *vec, u64 off, u64 len)
{
	u64 total = 0;
	u32 i;

	walk->vec = vec;
	walk->seg = 0;
	walk->off = off;
	walk->left = len;
	if (vec->n > WEFT_IOV_MAX)
		return -EFAULT;
	for (i = 0; i < vec->n; i++) {
		const struct weft_iov *seg = &vec->seg[i];

		if (seg->addr >= TASK_SIZE_MAX || seg->len > TASK_SIZE_MAX - seg->addr)
			return -EFAULT;
		total += seg->len;
	}
	if (off > total || len > total - off)
		return -EFAULT;
	while (walk->seg < vec->n && walk->off >= vec->seg[walk->seg].len)
		walk->off -= vec->seg[walk->seg++].len;
	return 0;
}

/**
 * weft_walk_next - advance to the next piece
 * @walk: the iterator
 * @want: out: the range to be pinned for it, and the range that may be pinned: its whole segment in
 *	the block
 * @addr: out: user address of the piece
 *
 * Context: any.
 * Return: bytes of the piece, 0: the end.
 */
u32 weft_walk_next(struct weft_walk *walk, struct weft_want *want, u64 *addr)
{
	const struct weft_iov *seg;
	u64 block, n;

	if (!walk->left)
		return 0;
	while (walk->off >= walk->vec->seg[walk->seg].len) {
		walk->off -= walk->vec->seg[walk->seg].len;
		walk->seg++;
	}
	seg = &walk->vec->seg[walk->seg];
	*addr = seg->addr + walk->off;
	block = round_down(*addr, WEFT_PIN_BLOCK);
	n = min3(walk->left, seg->len - walk->off, block + WEFT_PIN_BLOCK - *addr);
	want->start = *addr;
	want->last = *addr + n - 1;
	want->lo = max(block, round_down(seg->addr, PAGE_SIZE));
	want->hi = min(block + WEFT_PIN_BLOCK, round_up(seg->addr + seg->len, PAGE_SIZE)) - 1;
	walk->off += n;
	walk->left -= n;
	return n;
}
