// SPDX-License-Identifier: GPL-2.0-only
/* The tables of kernel/core/base/table.h in host programs. */
#include "core/base/env.h"

#define FIRST_BITS	3	/* of a table with entries */

/**
 * struct weft_index_node - an entry of an index
 * @node: in the table
 * @no: its number
 * @p: the object
 */
struct weft_index_node {
	struct weft_table_node node;
	u32 no;
	void *p;
};

static void table_init(struct weft_table *t)
{
	memset(t, 0, sizeof(*t));
	pthread_mutex_init(&t->mutex, NULL);
}

static void table_exit(struct weft_table *t)
{
	if (t->n)
		weft_host_die(__FILE__, __LINE__, "a table has %u entries at its end", t->n);
	weft_free(t->slot);
	pthread_mutex_destroy(&t->mutex);
}

static struct weft_table_node **table_chain(struct weft_table *t, u64 hash)
{
	return &t->slot[hash >> (64 - t->bits)];
}

static void table_put(struct weft_table *t, struct weft_table_node *node)
{
	struct weft_table_node **chain = table_chain(t, node->hash);

	node->next = *chain;
	*chain = node;
}

/* Double a table. Return: false: no memory. */
static bool table_grow(struct weft_table *t)
{
	struct weft_table_node **old = t->slot, **slot;
	u64 i, n = old ? 1ull << t->bits : 0;
	u32 bits = old ? t->bits + 1 : FIRST_BITS;

	slot = weft_alloc(sizeof(*slot) << bits);
	if (!slot)
		return false;
	t->slot = slot;
	t->bits = bits;
	for (i = 0; i < n; i++)
		while (old[i]) {
			struct weft_table_node *node = old[i];

			old[i] = node->next;
			table_put(t, node);
		}
	weft_free(old);
	return true;
}

/* The table is locked, here and in the functions below. */
static int table_add(struct weft_table *t, struct weft_table_node *node, u64 hash)
{
	if ((!t->slot || t->n == 1u << t->bits) && !table_grow(t))
		return -ENOMEM;
	node->hash = hash;
	table_put(t, node);
	t->n++;
	return 0;
}

static void table_del(struct weft_table *t, struct weft_table_node *node)
{
	struct weft_table_node **at;

	if (!t->n)
		weft_host_die(__FILE__, __LINE__, "an entry of an empty table is removed");
	for (at = table_chain(t, node->hash); *at && *at != node; at = &(*at)->next)
		;
	if (!*at)
		weft_host_die(__FILE__, __LINE__, "an entry is removed that is not in the table");
	*at = node->next;
	t->n--;
}

/* ---- By number ------------------------------------------------------- */

/* Numbers have different hashes. */
static u64 index_hash(u32 no)
{
	return no * 0x9e3779b97f4a7c15ull;
}

static struct weft_index_node *index_find(struct weft_index *x, u32 no)
{
	struct weft_table *t = &x->table;
	struct weft_table_node *node = NULL;

	if (t->slot)
		node = *table_chain(t, index_hash(no));
	while (node && node->hash != index_hash(no))
		node = node->next;
	return node ? container_of(node, struct weft_index_node, node) : NULL;
}

void weft_index_init(struct weft_index *x)
{
	table_init(&x->table);
}

void weft_index_exit(struct weft_index *x)
{
	might_sleep();
	table_exit(&x->table);
}

int weft_index_set(struct weft_index *x, u32 no, void *p)
{
	struct weft_index_node *node = weft_alloc(sizeof(*node));
	int err;

	if (!node)
		return -ENOMEM;
	node->no = no;
	node->p = p;
	pthread_mutex_lock(&x->table.mutex);
	if (index_find(x, no))
		weft_host_die(__FILE__, __LINE__, "number %u is in use", no);
	err = table_add(&x->table, &node->node, index_hash(no));
	pthread_mutex_unlock(&x->table.mutex);
	if (err)
		weft_free(node);
	return err;
}

void weft_index_del(struct weft_index *x, u32 no)
{
	struct weft_index_node *node;

	pthread_mutex_lock(&x->table.mutex);
	node = index_find(x, no);
	if (!node)
		weft_host_die(__FILE__, __LINE__, "number %u is not in use", no);
	table_del(&x->table, &node->node);
	pthread_mutex_unlock(&x->table.mutex);
	weft_free(node);
}

void *weft_index_get(struct weft_index *x, u32 no)
{
	struct weft_index_node *node;
	void *p;

	pthread_mutex_lock(&x->table.mutex);
	node = index_find(x, no);
	p = node ? node->p : NULL;
	pthread_mutex_unlock(&x->table.mutex);
	return p;
}

/* The entry with the lowest number from @no on. */
static struct weft_index_node *index_lowest(struct weft_table *t, u32 no)
{
	struct weft_index_node *best = NULL, *e;
	struct weft_table_node *node;
	u64 i;

	for (i = 0; i < 1ull << t->bits; i++)
		for (node = t->slot[i]; node; node = node->next) {
			e = container_of(node, struct weft_index_node, node);
			if (e->no >= no && (!best || e->no < best->no))
				best = e;
		}
	return best;
}

void *weft_index_next(struct weft_index *x, u32 *no)
{
	struct weft_index_node *best = NULL;
	u64 i;

	pthread_mutex_lock(&x->table.mutex);
	/* most numbers are dense */
	for (i = 0; !best && i < 64 && *no + i <= U32_MAX; i++)
		best = index_find(x, *no + (u32)i);
	if (!best && x->table.slot)
		best = index_lowest(&x->table, *no);
	if (best)
		*no = best->no;
	pthread_mutex_unlock(&x->table.mutex);
	return best ? best->p : NULL;
}

/* ---- By address ------------------------------------------------------ */

static u64 hash_of(const struct weft_sockaddr *addr, struct weft_sockaddr *key)
{
	static const u64 secret[2] = { 1, 2 };

	*key = *addr;
	key->port = 0;
	return weft_siphash(key, sizeof(*key), secret);
}

int weft_hash_init(struct weft_hash *h)
{
	might_sleep();
	table_init(&h->table);
	return table_grow(&h->table) ? 0 : -ENOMEM;
}

void weft_hash_exit(struct weft_hash *h)
{
	might_sleep();
	table_exit(&h->table);
}

int weft_hash_add(struct weft_hash *h, struct weft_hash_node *node)
{
	struct weft_sockaddr key;
	u64 hash = hash_of(&node->addr, &key);
	int err;

	if (node->addr.port || weft_hash_find(h, &key))
		weft_host_die(__FILE__, __LINE__, "an address with a service, or already there");
	pthread_mutex_lock(&h->table.mutex);
	err = table_add(&h->table, &node->node, hash);
	pthread_mutex_unlock(&h->table.mutex);
	return err;
}

void weft_hash_del(struct weft_hash *h, struct weft_hash_node *node)
{
	pthread_mutex_lock(&h->table.mutex);
	table_del(&h->table, &node->node);
	pthread_mutex_unlock(&h->table.mutex);
}

struct weft_hash_node *weft_hash_find(struct weft_hash *h, const struct weft_sockaddr *addr)
{
	struct weft_table *t = &h->table;
	struct weft_hash_node *found = NULL;
	struct weft_table_node *node;
	struct weft_sockaddr key;
	u64 hash = hash_of(addr, &key);

	pthread_mutex_lock(&t->mutex);
	for (node = *table_chain(t, hash); node && !found; node = node->next)
		if (node->hash == hash) {
			found = container_of(node, struct weft_hash_node, node);
			if (memcmp(&found->addr, &key, sizeof(key)))
				found = NULL;
		}
	pthread_mutex_unlock(&t->mutex);
	return found;
}

/* ---- By key -------------------------------------------------------------- */

static u64 key_hash(u64 zone, u64 key)
{
	return (key + zone * 0xd1342543de82ef95ull) * 0x9e3779b97f4a7c15ull;
}

/* The table is locked. */
static struct weft_key_node *key_find(struct weft_keys *t, u64 zone, u64 key)
{
	struct weft_table_node *l = *table_chain(&t->table, key_hash(zone, key));

	for (; l; l = l->next) {
		struct weft_key_node *node = container_of(l, struct weft_key_node, node);

		if (node->key == key && node->zone == zone)
			return node;
	}
	return NULL;
}

int weft_keys_init(struct weft_keys *t)
{
	might_sleep();
	table_init(&t->table);
	return table_grow(&t->table) ? 0 : -ENOMEM;
}

void weft_keys_exit(struct weft_keys *t)
{
	might_sleep();
	table_exit(&t->table);
}

int weft_keys_add(struct weft_keys *t, struct weft_key_node *node)
{
	int err = -EEXIST;

	pthread_mutex_lock(&t->table.mutex);
	if (!key_find(t, node->zone, node->key))
		err = table_add(&t->table, &node->node, key_hash(node->zone, node->key));
	pthread_mutex_unlock(&t->table.mutex);
	return err;
}

void weft_keys_del(struct weft_keys *t, struct weft_key_node *node)
{
	pthread_mutex_lock(&t->table.mutex);
	table_del(&t->table, &node->node);
	pthread_mutex_unlock(&t->table.mutex);
}

struct weft_key_node *weft_keys_find(struct weft_keys *t, u32 zone, u64 key)
{
	struct weft_key_node *node;

	pthread_mutex_lock(&t->table.mutex);
	node = key_find(t, zone, key);
	pthread_mutex_unlock(&t->table.mutex);
	return node;
}

/* ---- Queues -------------------------------------------------------------- */

void weft_timeq_init(struct weft_timeq *q)
{
	weft_list_init(&q->list);
}

void weft_timeq_node_init(struct weft_timeq_node *node)
{
	weft_list_init(&node->list);
	node->at = U64_MAX;
}

void weft_timeq_set(struct weft_timeq *q, struct weft_timeq_node *node, u64 at)
{
	struct weft_list *l;

	weft_list_del(&node->list);
	node->at = at;
	if (at == U64_MAX)
		return;
	for (l = q->list.prev; l != &q->list; l = l->prev)
		if (weft_entry(l, struct weft_timeq_node, list)->at <= at)
			break;
	weft_list_add(l, &node->list);
}

struct weft_timeq_node *weft_timeq_first(const struct weft_timeq *q)
{
	struct weft_list *l = weft_list_first(&q->list);

	return l ? weft_entry(l, struct weft_timeq_node, list) : NULL;
}
