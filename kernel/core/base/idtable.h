/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - a table of objects by a number of 32 bits, which grows with its entries
 *
 * A path has a few messages most of the time, and 65 536 at other times. A lookup costs the same.
 * Nothing fails: without memory the table stays as large as it is, and its chains become longer.
 * The tables of table.h do not serve here: xarray and rhashtable may refuse an entry, and the end
 * of a rhashtable sleeps.
 *
 * Several objects may have one number. The caller searches their chain:
 *
 *	weft_list_for_each(l, weft_idtable_chain(t, id))
 *		if (weft_entry(l, struct thing, idnode.list)->id == id)
 *			...
 *
 * The number is mixed with a random one. Otherwise a peer that chooses numbers could put all of
 * them into one chain, which each of its chunks would search.
 *
 * Locks: those of the caller.
 */
#ifndef WEFT_IDTABLE_H
#define WEFT_IDTABLE_H

#include "core/base/env.h"
#include "core/base/list.h"

#define WEFT_IDTABLE_MIN	16	/* chains of an empty table; a power of two */
#define WEFT_IDTABLE_PARTS	10	/* times that the number of chains may double */
#define WEFT_IDTABLE_MAX	(WEFT_IDTABLE_MIN << WEFT_IDTABLE_PARTS)
#define WEFT_IDTABLE_KEEP	1024	/* an empty table keeps so many chains; a power of two */

/**
 * struct weft_idnode - an object's place in a table
 * @list: in its chain; points to itself: in no table
 * @hash: its number, mixed
 */
struct weft_idnode {
	struct weft_list list;
	u32 hash;
};

/**
 * struct weft_idtable - objects by number
 * @first: the first chains
 * @part: the others: part i has as many as @first and all parts before it, NULL: not allocated
 * @salt: secret number
 * @n: entries
 * @size: number of chains in use
 * @mask: bits of a hash that choose among @size chains, rounded up to a power of two
 * @retry: number of entries at which memory for a part is asked for again
 */
struct weft_idtable {
	struct weft_list first[WEFT_IDTABLE_MIN];
	struct weft_list *part[WEFT_IDTABLE_PARTS];
	u32 salt;
	u32 n;
	u32 size;
	u32 mask;
	u32 retry;
};

void weft_idtable_init(struct weft_idtable *t, u32 salt);
void weft_idtable_exit(struct weft_idtable *t);
void weft_idtable_add(struct weft_idtable *t, struct weft_idnode *node, u32 id);
void weft_idtable_del(struct weft_idtable *t, struct weft_idnode *node);

static inline void weft_idnode_init(struct weft_idnode *node)
{
	weft_list_init(&node->list);
}

static inline u32 weft_idtable_hash(const struct weft_idtable *t, u32 id)
{
	u32 h = (id ^ t->salt) * 0x9e3779b1u;

	h = (h ^ h >> 15) * 0x85ebca6bu;
	return h ^ h >> 16;
}

/* Return: chain @no, below @size. */
static inline struct weft_list *weft_idtable_at(struct weft_idtable *t, u32 no)
{
	u32 part = fls(no / WEFT_IDTABLE_MIN);

	return part ? &t->part[part - 1][no - (WEFT_IDTABLE_MIN << (part - 1))] : &t->first[no];
}

/* Return: number of the chain of a hash. Chains above @size have not been split off yet. */
static inline u32 weft_idtable_no(const struct weft_idtable *t, u32 hash)
{
	u32 no = hash & t->mask;

	return no < t->size ? no : hash & (t->mask >> 1);
}

/* Return: the chain with all objects of number @id, and with others. */
static inline struct weft_list *weft_idtable_chain(struct weft_idtable *t, u32 id)
{
	return weft_idtable_at(t, weft_idtable_no(t, weft_idtable_hash(t, id)));
}

#endif
