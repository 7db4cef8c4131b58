// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - a table of objects by a number: linear hashing
 *
 * With each entry beyond one for each chain, the table splits one chain into two. So no call moves
 * many entries. The chains are split in turn: after all chains have been split once, the table has
 * twice as many.
 *
 *	size 16		mask 31		chains 0 to 15; the next split moves entries from 0 to 16
 *	size 17		mask 31		chains 0 to 16; the next split moves entries from 1 to 17
 *	size 32		mask 63		chains 0 to 31; the next split moves entries from 0 to 32
 *
 * (W. Litwin, Linear hashing: a new tool for file and table addressing, VLDB 1980.)
 *
 * A table that becomes empty gives large parts back. Locks: those of the caller.
 */
#include "core/base/idtable.h"

static void weft_idtable_resize(struct weft_idtable *t, u32 size)
{
	t->size = size;
	t->mask = (1u << fls(size)) - 1;
}

/* Free the parts whose chains begin at number @size or above; the table is empty. */
static void weft_idtable_shrink(struct weft_idtable *t, u32 size)
{
	u32 i;

	for (i = 0; i < WEFT_IDTABLE_PARTS; i++) {
		if (WEFT_IDTABLE_MIN << i < size)
			continue;
		weft_free(t->part[i]);
		t->part[i] = NULL;
	}
	weft_idtable_resize(t, size);
}

/**
 * weft_idtable_init - initialize a table
 * @t: the table, zeroed
 * @salt: secret number
 */
void weft_idtable_init(struct weft_idtable *t, u32 salt)
{
	weft_lists_init(t->first, WEFT_IDTABLE_MIN);
	t->salt = salt;
	weft_idtable_resize(t, WEFT_IDTABLE_MIN);
}

/**
 * weft_idtable_exit - free a table's memory
 * @t: the table, empty
 */
void weft_idtable_exit(struct weft_idtable *t)
{
	WARN_ON_ONCE(t->n);
	weft_idtable_shrink(t, WEFT_IDTABLE_MIN);
}

/* Split the chain whose turn it is. */
static void weft_idtable_split(struct weft_idtable *t)
{
	u32 no = t->size, half = (t->mask + 1) / 2, part = fls(no / WEFT_IDTABLE_MIN) - 1;
	struct weft_list *l, *tmp, *from, *to;

	if (no == WEFT_IDTABLE_MAX || t->n < t->retry)
		return;
	if (!t->part[part]) {
		t->part[part] = weft_alloc(half * sizeof(*t->part[part]));
		if (!t->part[part]) {
			t->retry = 2 * t->n;
			return;
		}
		weft_lists_init(t->part[part], half);
	}
	from = weft_idtable_at(t, no - half);
	to = weft_idtable_at(t, no);
	weft_list_for_each_safe(l, tmp, from) {
		if ((weft_entry(l, struct weft_idnode, list)->hash & t->mask) == no) {
			weft_list_del(l);
			weft_list_add_tail(to, l);
		}
	}
	weft_idtable_resize(t, no + 1);
}

/**
 * weft_idtable_add - add an object
 * @t: the table
 * @node: the object's place, in no table
 * @id: the object's number
 */
void weft_idtable_add(struct weft_idtable *t, struct weft_idnode *node, u32 id)
{
	if (++t->n > t->size)
		weft_idtable_split(t);
	node->hash = weft_idtable_hash(t, id);
	weft_list_add_tail(weft_idtable_at(t, weft_idtable_no(t, node->hash)), &node->list);
}

/**
 * weft_idtable_del - remove an object
 * @t: the table
 * @node: the object's place, in this table or in none
 */
void weft_idtable_del(struct weft_idtable *t, struct weft_idnode *node)
{
	if (weft_list_empty(&node->list))
		return;
	weft_list_del(&node->list);
	if (--t->n)
		return;
	t->retry = 0;
	if (t->size > WEFT_IDTABLE_KEEP)
		weft_idtable_shrink(t, WEFT_IDTABLE_KEEP);
}
