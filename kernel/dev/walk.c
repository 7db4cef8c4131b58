// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft - memory of programs: ways through messages
 *
 * A way leads through a part of a message in pieces that fit into one pinned range each. Locks:
 * none; a way belongs to the function that has it on its stack.
 */
#include "mem_priv.h"

/**
 * weft_walk_init - begin at an offset
 * @walk: the way
 * @vec: the message; stays in use
 * @off: offset in it
 * @len: bytes
 *
 * Context: any.
 * Return: 0, -EFAULT: outside of the message, or of what can be user memory.
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
 * weft_walk_next - next piece
 * @walk: the way
 * @want: out: what is to be pinned for it, and what may be: all of its segment in the block
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
