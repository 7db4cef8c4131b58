/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - the tables of table.h for the module: xarray, rhashtable and rbtree
 *
 * rhashtable grows in a worker, and chooses a new secret for its hash when a chain becomes long. So
 * nobody can choose addresses that share a chain. Locks: table.h.
 */
#ifndef WEFT_TABLE_KERNEL_H
#define WEFT_TABLE_KERNEL_H

#include <linux/gfp.h>
#include <linux/rbtree.h>
#include <linux/rhashtable.h>
#include <linux/weft.h>
#include <linux/xarray.h>

/**
 * struct weft_index - objects by number
 * @xa: the objects
 */
struct weft_index {
	struct xarray xa;
};

static inline void weft_index_init(struct weft_index *x)
{
	xa_init(&x->xa);
}

static inline void weft_index_exit(struct weft_index *x)
{
	xa_destroy(&x->xa);
}

static inline int weft_index_set(struct weft_index *x, u32 no, void *p)
{
	return xa_err(xa_store(&x->xa, no, p, GFP_ATOMIC | __GFP_NOWARN));
}

static inline void weft_index_del(struct weft_index *x, u32 no)
{
	xa_erase(&x->xa, no);
}

static inline void *weft_index_get(struct weft_index *x, u32 no)
{
	return xa_load(&x->xa, no);
}

static inline void *weft_index_next(struct weft_index *x, u32 *no)
{
	unsigned long at = *no;
	void *p = xa_find(&x->xa, &at, U32_MAX, XA_PRESENT);

	*no = at;
	return p;
}

/**
 * struct weft_hash_node - an object's place in a table
 * @addr: its address, service 0; constant while in the table
 * @head: in the table
 */
struct weft_hash_node {
	struct weft_sockaddr addr;
	struct rhash_head head;
};

/**
 * struct weft_hash - objects by address
 * @ht: the objects
 */
struct weft_hash {
	struct rhashtable ht;
};

static const struct rhashtable_params weft_hash_params = {
	.key_len = sizeof(struct weft_sockaddr),
	.key_offset = offsetof(struct weft_hash_node, addr),
	.head_offset = offsetof(struct weft_hash_node, head),
	.automatic_shrinking = true,
};

static inline int weft_hash_init(struct weft_hash *h)
{
	return rhashtable_init(&h->ht, &weft_hash_params);
}

static inline void weft_hash_exit(struct weft_hash *h)
{
	rhashtable_destroy(&h->ht);
}

static inline int weft_hash_add(struct weft_hash *h, struct weft_hash_node *node)
{
	return rhashtable_insert_fast(&h->ht, &node->head, weft_hash_params) ? -ENOMEM : 0;
}

static inline void weft_hash_del(struct weft_hash *h, struct weft_hash_node *node)
{
	rhashtable_remove_fast(&h->ht, &node->head, weft_hash_params);
}

static inline struct weft_hash_node *weft_hash_find(struct weft_hash *h,
						    const struct weft_sockaddr *addr)
{
	struct weft_sockaddr key = *addr;

	key.port = 0;
	return rhashtable_lookup_fast(&h->ht, &key, weft_hash_params);
}

/**
 * struct weft_key_node - an object's place in a table
 * @key: its key; constant while in the table
 * @zone: zone of the key; likewise. Of 64 bits, so that there is no padding
 * @head: in the table
 */
struct weft_key_node {
	u64 key;
	u64 zone;
	struct rhash_head head;
};

/**
 * struct weft_keys - objects by key
 * @ht: the objects
 */
struct weft_keys {
	struct rhashtable ht;
};

static const struct rhashtable_params weft_keys_params = {
	.key_len = offsetofend(struct weft_key_node, zone) - offsetof(struct weft_key_node, key),
	.key_offset = offsetof(struct weft_key_node, key),
	.head_offset = offsetof(struct weft_key_node, head),
	.automatic_shrinking = true,
};

static inline int weft_keys_init(struct weft_keys *t)
{
	return rhashtable_init(&t->ht, &weft_keys_params);
}

static inline void weft_keys_exit(struct weft_keys *t)
{
	rhashtable_destroy(&t->ht);
}

static inline int weft_keys_add(struct weft_keys *t, struct weft_key_node *node)
{
	int err = rhashtable_lookup_insert_fast(&t->ht, &node->head, weft_keys_params);

	return !err || err == -EEXIST ? err : -ENOMEM;
}

static inline void weft_keys_del(struct weft_keys *t, struct weft_key_node *node)
{
	rhashtable_remove_fast(&t->ht, &node->head, weft_keys_params);
}

static inline struct weft_key_node *weft_keys_find(struct weft_keys *t, u32 zone, u64 key)
{
	const u64 both[] = { key, zone };

	return rhashtable_lookup_fast(&t->ht, both, weft_keys_params);
}

/**
 * struct weft_timeq_node - an object's place in a queue
 * @rb: in the queue
 * @at: its time, U64_MAX: in no queue
 */
struct weft_timeq_node {
	struct rb_node rb;
	u64 at;
};

/**
 * struct weft_timeq - objects by time
 * @root: the objects
 */
struct weft_timeq {
	struct rb_root_cached root;
};

static inline void weft_timeq_init(struct weft_timeq *q)
{
	q->root = RB_ROOT_CACHED;
}

static inline void weft_timeq_node_init(struct weft_timeq_node *node)
{
	node->at = U64_MAX;
}

static inline bool weft_timeq_less(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct weft_timeq_node, rb)->at <
	       rb_entry(b, struct weft_timeq_node, rb)->at;
}

static inline void weft_timeq_set(struct weft_timeq *q, struct weft_timeq_node *node, u64 at)
{
	if (node->at != U64_MAX)
		rb_erase_cached(&node->rb, &q->root);
	node->at = at;
	if (at != U64_MAX)
		rb_add_cached(&node->rb, &q->root, weft_timeq_less);
}

static inline struct weft_timeq_node *weft_timeq_first(const struct weft_timeq *q)
{
	struct rb_node *rb = rb_first_cached(&q->root);

	return rb ? rb_entry(rb, struct weft_timeq_node, rb) : NULL;
}

#endif
