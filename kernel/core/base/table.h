/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - tables that grow with their entries
 *
 * A lookup costs the same for ten entries as for a million. The module uses tables of the kernel
 * (table_kernel.h), host programs a stand-in with the same functions (weft_table.h).
 *
 *	struct weft_index	objects by a 32-bit number
 *	struct weft_hash	objects by the address of a node; the service is not compared
 *	struct weft_keys	objects by a 64-bit key, which is unique in its 32-bit zone
 *	struct weft_timeq	objects by time, the earliest first
 *
 * idtable.h has a fourth kind, which refuses no entry.
 *
 * Locks: a lock of the caller serialises changes. Lookups need that lock, or of an index and of
 * keys weft_rcu_lock(): then the caller takes a reference that may fail, and the object is freed
 * with weft_free_rcu(). No function sleeps, but for weft_hash_init(), weft_hash_exit(),
 * weft_keys_init(), weft_keys_exit() and weft_index_exit().
 */
#ifndef WEFT_TABLE_H
#define WEFT_TABLE_H

#ifdef __KERNEL__
#include "core/base/table_kernel.h"
#else
#include "weft_table.h"
#endif

/*
 * Both files provide:
 *
 *	struct weft_index
 *	void weft_index_init(x)
 *	void weft_index_exit(x)		the index is empty
 *	int weft_index_set(x, no, p)	the number is free. Return: 0, -ENOMEM
 *	void weft_index_del(x, no)	the number is in use
 *	void *weft_index_get(x, no)	Return: the object, NULL: none
 *	void *weft_index_next(x, no)	Return: the first object from *no on, and *no: its number;
 *					NULL: none
 *
 *	struct weft_hash
 *	struct weft_hash_node		part of an object; its @addr is the address
 *	int weft_hash_init(h)		Return: 0, -ENOMEM
 *	void weft_hash_exit(h)		the table is empty
 *	int weft_hash_add(h, node)	no object has the address, whose service is 0. Return: 0,
 *					-ENOMEM
 *	void weft_hash_del(h, node)	the node is in the table
 *	struct weft_hash_node *weft_hash_find(h, addr)
 *					Return: the node, NULL: none
 *
 *	struct weft_keys
 *	struct weft_key_node		part of an object; @key is its key, @zone that of the key
 *	int weft_keys_init(t)		Return: 0, -ENOMEM
 *	void weft_keys_exit(t)		the table is empty
 *	int weft_keys_add(t, node)	Return: 0; -EEXIST: the key is in use in the zone; -ENOMEM
 *	void weft_keys_del(t, node)	the node is in the table
 *	struct weft_key_node *weft_keys_find(t, zone, key)
 *					Return: the node, NULL: none
 *
 *	struct weft_timeq
 *	struct weft_timeq_node		part of an object; its @at is its time, U64_MAX: in no queue
 *	void weft_timeq_init(q)		no weft_timeq_exit() is needed
 *	void weft_timeq_node_init(node)
 *	void weft_timeq_set(q, node, at)
 *					the node is in @q or in no queue; it moves, or leaves if
 *					@at is U64_MAX. Never fails. Objects of one time keep their
 *					order
 *	struct weft_timeq_node *weft_timeq_first(q)
 *					Return: the earliest one, NULL: none
 */

/* Return: the time of the earliest object, U64_MAX: the queue is empty. */
static inline u64 weft_timeq_next(const struct weft_timeq *q)
{
	struct weft_timeq_node *first = weft_timeq_first(q);

	return first ? first->at : U64_MAX;
}

/* Remove the earliest object if its time has come. Return: its node, NULL: none. */
static inline struct weft_timeq_node *weft_timeq_due(struct weft_timeq *q, u64 now)
{
	struct weft_timeq_node *first = weft_timeq_first(q);

	if (!first || first->at > now)
		return NULL;
	weft_timeq_set(q, first, U64_MAX);
	return first;
}

#endif
