/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tables of kernel/core/base/table.h for host programs: chained hash tables that double, and a
 * list in the order of time
 *
 * Each table has a real lock, as lookups in an index run beside changes. A table that should grow
 * and gets no memory refuses the entry, as the kernel's may.
 */
#ifndef WEFT_HOST_TABLE_H
#define WEFT_HOST_TABLE_H

#include <linux/weft.h>
#include "core/base/list.h"

/**
 * struct weft_table_node - an entry
 * @next: in its chain
 * @hash: of its key
 */
struct weft_table_node {
	struct weft_table_node *next;
	u64 hash;
};

/**
 * struct weft_table - both kinds of tables
 * @mutex: protects the other fields
 * @slot: chains
 * @bits: there are 2 to the power of this, if any
 * @n: entries
 */
struct weft_table {
	pthread_mutex_t mutex;
	struct weft_table_node **slot;
	u32 bits;
	u32 n;
};

/**
 * struct weft_index - objects by number
 * @table: struct weft_index_node
 */
struct weft_index {
	struct weft_table table;
};

/**
 * struct weft_hash - objects by address
 * @table: struct weft_hash_node
 */
struct weft_hash {
	struct weft_table table;
};

/**
 * struct weft_hash_node - an object's place in a table
 * @addr: its address, service 0
 * @node: in the table
 */
struct weft_hash_node {
	struct weft_sockaddr addr;
	struct weft_table_node node;
};

/**
 * struct weft_keys - objects by key
 * @table: struct weft_key_node
 */
struct weft_keys {
	struct weft_table table;
};

/**
 * struct weft_key_node - an object's place in a table
 * @key: its key
 * @zone: zone of the key
 * @node: in the table
 */
struct weft_key_node {
	u64 key;
	u64 zone;
	struct weft_table_node node;
};

void weft_index_init(struct weft_index *x);
void weft_index_exit(struct weft_index *x);
int weft_index_set(struct weft_index *x, u32 no, void *p);
void weft_index_del(struct weft_index *x, u32 no);
void *weft_index_get(struct weft_index *x, u32 no);
void *weft_index_next(struct weft_index *x, u32 *no);

int weft_hash_init(struct weft_hash *h);
void weft_hash_exit(struct weft_hash *h);
int weft_hash_add(struct weft_hash *h, struct weft_hash_node *node);
void weft_hash_del(struct weft_hash *h, struct weft_hash_node *node);
struct weft_hash_node *weft_hash_find(struct weft_hash *h, const struct weft_sockaddr *addr);

int weft_keys_init(struct weft_keys *t);
void weft_keys_exit(struct weft_keys *t);
int weft_keys_add(struct weft_keys *t, struct weft_key_node *node);
void weft_keys_del(struct weft_keys *t, struct weft_key_node *node);
struct weft_key_node *weft_keys_find(struct weft_keys *t, u32 zone, u64 key);

/**
 * struct weft_timeq_node - an object's place in a queue
 * @list: in the queue
 * @at: its time, U64_MAX: in no queue
 */
struct weft_timeq_node {
	struct weft_list list;
	u64 at;
};

/**
 * struct weft_timeq - objects by time
 * @list: the objects
 */
struct weft_timeq {
	struct weft_list list;
};

void weft_timeq_init(struct weft_timeq *q);
void weft_timeq_node_init(struct weft_timeq_node *node);
void weft_timeq_set(struct weft_timeq *q, struct weft_timeq_node *node, u64 at);
struct weft_timeq_node *weft_timeq_first(const struct weft_timeq *q);

#endif
