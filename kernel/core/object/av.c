// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - address vectors, and functions of addresses
 *
 * Locks: av->mutex serialises insertion and removal. av->lock protects the table of addresses. The
 * data path takes av->lock, so each holder keeps it only for a bounded number of entries. Entries
 * are found by index under RCU alone.
 *
 * An address may have several indices. Its entries are neighbours in the chain, the lowest index
 * first.
 */
#include "core/object/object.h"

#define WEFT_AV_CHUNK	1024		/* entries of a chunk */
#define WEFT_AV_REST	64		/* removals before an index is used again */
#define WEFT_AV_HASH	64		/* chains at first */
#define WEFT_AV_GO	256		/* entries moved to a longer table under one lock */

/**
 * struct weft_av_chunk - a part of the vector
 * @used: number of indices that are not free
 * @entry: entries; NULL: free, &weft_av_resting: removed recently
 */
struct weft_av_chunk {
	u32 used;
	struct weft_av_entry *entry[WEFT_AV_CHUNK];
};

/**
 * struct weft_av - address vector
 * @gen: changes with each insertion and removal; the first, for weft_av_gen()
 * @core: its core
 * @mutex: serialises insertion and removal
 * @lock: protects @hash, @bits, @old, @old_bits
 * @key: key of the hash
 * @count: number of addresses
 * @low: all indices below are in use (mutex)
 * @hash: chains of entries by address
 * @bits: logarithm of their number
 * @old: chains being moved to @hash, each from its first entry on; NULL: none
 * @old_bits: logarithm of their number
 * @rest: ring of resting indices (mutex)
 * @rest_at: position of the oldest of them
 * @nrest: number of resting indices
 * @chunk: entries by index; never freed before the vector
 */
struct weft_av {
	u32 gen;
	struct weft_core *core;
	struct weft_mutex mutex;
	struct weft_lock lock;
	u64 key[2];
	u32 count;
	u32 low;
	struct weft_list *hash;
	u32 bits;
	struct weft_list *old;
	u32 old_bits;
	u32 rest[WEFT_AV_REST];
	u32 rest_at;
	u32 nrest;
	struct weft_av_chunk *chunk[WEFT_AV_MAX / WEFT_AV_CHUNK];
};

static_assert(!offsetof(struct weft_av, gen));

static struct weft_av_entry weft_av_resting;	/* only its address is used */

/* ---- Addresses ------------------------------------------------------- */

static bool weft_addr_link_local(const struct weft_sockaddr *a)
{
	return a->family == AF_INET6 && a->addr[0] == 0xfe && (a->addr[1] & 0xc0) == 0x80;
}

/**
 * weft_addr_same_node - do two addresses name the same node?
 * @a: an address
 * @b: another
 *
 * Return: true if they do; services are not compared.
 */
bool weft_addr_same_node(const struct weft_sockaddr *a, const struct weft_sockaddr *b)
{
	return a->family == b->family && a->scope == b->scope &&
	       !memcmp(a->addr, b->addr, sizeof(a->addr));
}

/**
 * weft_addr_eq - are two addresses equal?
 * @a: an address
 * @b: another
 *
 * Return: true if they are, including their services.
 */
bool weft_addr_eq(const struct weft_sockaddr *a, const struct weft_sockaddr *b)
{
	return a->port == b->port && weft_addr_same_node(a, b);
}

/**
 * weft_addr_hash - hash of a node's address
 * @a: the address; the service is not used
 * @key: secret
 *
 * Return: the hash.
 */
u64 weft_addr_hash(const struct weft_sockaddr *a, const u64 key[2])
{
	struct weft_sockaddr node = *a;

	BUILD_BUG_ON(sizeof(node) != 24);
	node.port = 0;
	return weft_siphash(&node, sizeof(node), key);
}

/**
 * weft_addr_check - check that an address is that of one node
 * @a: the address; the service may be 0
 *
 * Return: 0; -EINVAL: unspecified, multicast, broadcast, link-local without scope, or malformed;
 * -EAFNOSUPPORT.
 */
int weft_addr_check(const struct weft_sockaddr *a)
{
	static const u8 zero[16];
	static const u8 mapped[12] = { [10] = 0xff, [11] = 0xff };

	switch (a->family) {
	case AF_INET:
		if (memcmp(a->addr + 4, zero, sizeof(a->addr) - 4) || a->scope)
			return -EINVAL;
		/* 0/8, and multicast, reserved and broadcast from 224 on */
		return a->addr[0] && a->addr[0] < 224 ? 0 : -EINVAL;
	case AF_INET6:
		if (!memcmp(a->addr, zero, sizeof(zero)) ||
		    !memcmp(a->addr, mapped, sizeof(mapped)) || a->addr[0] == 0xff)
			return -EINVAL;
		return weft_addr_link_local(a) && !a->scope ? -EINVAL : 0;
	default:
		return -EAFNOSUPPORT;
	}
}

/* ---- Table of addresses ---------------------------------------------- */

static struct weft_list *weft_av_table(u32 bits)
{
	struct weft_list *t = weft_alloc_sleep(sizeof(*t) << bits);
	u32 i;

	for (i = 0; t && i < 1u << bits; i++)
		weft_list_init(&t[i]);
	return t;
}

static struct weft_list *weft_av_in(const struct weft_av *av, struct weft_list *table, u32 bits,
				    const struct weft_sockaddr *addr)
{
	return &table[weft_siphash(addr, sizeof(*addr), av->key) & ((1u << bits) - 1)];
}

static struct weft_list *weft_av_chain(const struct weft_av *av, const struct weft_sockaddr *addr)
{
	return weft_av_in(av, av->hash, av->bits, addr);
}

static struct weft_av_entry *weft_av_look(struct weft_list *chain, const struct weft_sockaddr *addr)
{
	struct weft_list *l;

	weft_list_for_each(l, chain) {
		struct weft_av_entry *e = weft_entry(l, struct weft_av_entry, same);

		if (weft_addr_eq(&e->addr, addr))
			return e;
	}
	return NULL;
}

/* Move a chain to the new table. av->mutex is held. */
static void weft_av_move(struct weft_av *av, struct weft_list *chain)
{
	struct weft_list *l;
	u32 n;

	weft_mutex_assert_held(&av->mutex);
	while (!weft_list_empty(chain)) {
		weft_lock(&av->lock);
		for (n = 0; n < WEFT_AV_GO && (l = weft_list_first(chain)); n++) {
			struct weft_av_entry *e = weft_entry(l, struct weft_av_entry, same);

			weft_list_del(l);
			weft_list_add_tail(weft_av_chain(av, &e->addr), l);
		}
		weft_unlock(&av->lock);
		weft_yield();
	}
}

/* Enlarge the table. Without memory it stays as it is. av->mutex is held. */
static void weft_av_grow(struct weft_av *av)
{
	struct weft_list *table;
	u32 i;

	weft_mutex_assert_held(&av->mutex);
	if (av->count < 2u << av->bits)
		return;
	table = weft_av_table(av->bits + 2);
	if (!table)
		return;
	weft_lock(&av->lock);
	av->old = av->hash;
	av->old_bits = av->bits;
	av->hash = table;
	av->bits += 2;
	weft_unlock(&av->lock);
	for (i = 0; i < 1u << av->old_bits; i++)
		weft_av_move(av, &av->old[i]);
	table = av->old;
	weft_lock(&av->lock);
	av->old = NULL;
	weft_unlock(&av->lock);
	weft_free(table);
}

/*
 * Find the predecessor of a new entry in its chain. av->mutex is held. The search is long only
 * among many entries of the same address.
 */
static struct weft_list *weft_av_spot(struct weft_av *av, const struct weft_av_entry *e)
{
	struct weft_list *l, *chain = weft_av_chain(av, &e->addr);
	struct weft_av_entry *f = weft_av_look(chain, &e->addr);
	u32 n = 0;

	weft_mutex_assert_held(&av->mutex);
	if (!f)
		return chain->prev;
	if (e->index < f->index)
		return f->same.prev;
	/* an entry with a lower index precedes it and ends the search */
	for (l = chain->prev;; l = l->prev) {
		f = weft_entry(l, struct weft_av_entry, same);
		if (f->index < e->index && weft_addr_eq(&f->addr, &e->addr))
			return l;
		if (!(++n % WEFT_AV_GO))
			weft_yield();
	}
}

/* ---- Creation, search, destruction ----------------------------------- */

/**
 * weft_av_new - make an empty address vector
 * @core: its core
 *
 * Context: may sleep.
 * Return: the vector, NULL: no memory.
 */
struct weft_av *weft_av_new(struct weft_core *core)
{
	struct weft_av *av = weft_alloc_sleep(sizeof(*av));

	if (!av)
		return NULL;
	av->core = core;
	av->bits = ilog2(WEFT_AV_HASH);
	av->hash = weft_av_table(av->bits);
	if (!av->hash) {
		weft_free(av);
		return NULL;
	}
	av->key[0] = weft_random();
	av->key[1] = weft_random();
	weft_mutex_init(&av->mutex);
	weft_lock_init(&av->lock, WEFT_RANK_LEAF);
	return av;
}

static struct weft_av_entry **weft_av_slot(struct weft_av *av, u32 index)
{
	struct weft_av_chunk *c;

	if (index >= WEFT_AV_MAX)
		return NULL;
	/* pairs with weft_av_chunk(): a chunk is visible only zeroed */
	c = smp_load_acquire(&av->chunk[index / WEFT_AV_CHUNK]);
	return c ? &c->entry[index % WEFT_AV_CHUNK] : NULL;
}

/**
 * weft_av_get - get the entry at an index
 * @av: the vector
 * @index: the index; any number
 *
 * Context: under weft_rcu_lock().
 * Return: the entry, valid until weft_rcu_unlock(), or NULL.
 */
struct weft_av_entry *weft_av_get(struct weft_av *av, u32 index)
{
	struct weft_av_entry **slot = weft_av_slot(av, index);
	/* pairs with weft_av_insert(): an entry is visible only complete */
	struct weft_av_entry *e = slot ? smp_load_acquire(slot) : NULL;

	return e == &weft_av_resting ? NULL : e;
}

/* Return: the entry of an address with the lowest index, or NULL. av->lock is held. */
static struct weft_av_entry *weft_av_first(struct weft_av *av, const struct weft_sockaddr *addr)
{
	struct weft_av_entry *e = weft_av_look(weft_av_chain(av, addr), addr);

	weft_assert_held(&av->lock);
	if (!e && unlikely(av->old))
		e = weft_av_look(weft_av_in(av, av->old, av->old_bits, addr), addr);
	return e;
}

/**
 * weft_av_find - find the index of an address
 * @av: the vector
 * @addr: address with service
 *
 * Context: any.
 * Return: the lowest index, WEFT_SRC_ANY: not in the vector.
 */
u32 weft_av_find(struct weft_av *av, const struct weft_sockaddr *addr)
{
	struct weft_av_entry *e;
	u32 index;

	weft_lock(&av->lock);
	e = weft_av_first(av, addr);
	index = e ? e->index : WEFT_SRC_ANY;
	weft_unlock(&av->lock);
	return index;
}

/**
 * weft_av_free - free a vector
 * @av: no endpoint uses it any more; NULL is allowed
 */
void weft_av_free(struct weft_av *av)
{
	u32 i, j;

	if (!av)
		return;
	for (i = 0; i < ARRAY_SIZE(av->chunk); i++) {
		for (j = 0; av->chunk[i] && j < WEFT_AV_CHUNK; j++) {
			struct weft_av_entry *e = av->chunk[i]->entry[j];

			if (e && e != &weft_av_resting)
				weft_free_rcu(e, rcu);
		}
		weft_free(av->chunk[i]);
	}
	weft_free(av->hash);
	weft_free(av);
}

/* ---- Insertion and removal ------------------------------------------- */

/* Make the index that has rested longest free again. */
static void weft_av_wake(struct weft_av *av)
{
	u32 index = av->rest[av->rest_at];
	struct weft_av_chunk *c = av->chunk[index / WEFT_AV_CHUNK];

	av->rest_at = (av->rest_at + 1) % WEFT_AV_REST;
	av->nrest--;
	WRITE_ONCE(c->entry[index % WEFT_AV_CHUNK], NULL);
	c->used--;
	av->low = min(av->low, index);
}

/* Get the chunk of an index, or make it. Return: the chunk, NULL: no memory. */
static struct weft_av_chunk *weft_av_chunk(struct weft_av *av, u32 index)
{
	struct weft_av_chunk *c = av->chunk[index / WEFT_AV_CHUNK];

	if (!c) {
		c = weft_alloc_sleep(sizeof(*c));
		/* readers see it zeroed */
		smp_store_release(&av->chunk[index / WEFT_AV_CHUNK], c);
	}
	return c;
}

/* Find the lowest free index and make its chunk. Return: 0, -ENOSPC, -ENOMEM. */
static int weft_av_lowest(struct weft_av *av, u32 *index)
{
	u32 i = av->low;

	while (i < WEFT_AV_MAX) {
		struct weft_av_chunk *c = weft_av_chunk(av, i);

		if (!c)
			return -ENOMEM;
		if (c->used == WEFT_AV_CHUNK)
			i = round_down(i, WEFT_AV_CHUNK) + WEFT_AV_CHUNK;
		else if (c->entry[i % WEFT_AV_CHUNK])
			i++;
		else
			break;
	}
	av->low = i;
	*index = i;
	return i < WEFT_AV_MAX ? 0 : -ENOSPC;
}

/* Make a resting index free, because it is requested again. */
static void weft_av_rouse(struct weft_av *av, u32 index)
{
	u32 i, at;

	/* it becomes the oldest; the indices before it move up */
	for (i = 0; av->rest[(av->rest_at + i) % WEFT_AV_REST] != index; i++)
		;
	for (; i; i--) {
		at = av->rest_at + i;
		av->rest[at % WEFT_AV_REST] = av->rest[(at - 1) % WEFT_AV_REST];
	}
	av->rest[av->rest_at] = index;
	weft_av_wake(av);
}

/* Make a requested index usable, and its chunk. Return: 0; -EINVAL: none, or in use; -ENOMEM. */
static int weft_av_certain(struct weft_av *av, u32 index)
{
	struct weft_av_chunk *c;
	struct weft_av_entry *e;

	if (index >= WEFT_AV_MAX)
		return -EINVAL;
	c = weft_av_chunk(av, index);
	if (!c)
		return -ENOMEM;
	e = c->entry[index % WEFT_AV_CHUNK];
	if (e == &weft_av_resting)
		weft_av_rouse(av, index);
	else if (e)
		return -EINVAL;
	return 0;
}

/* Choose the index of a new address. Return: 0, -EINVAL, -ENOSPC, -ENOMEM. */
static int weft_av_place(struct weft_av *av, u32 want, u32 *index)
{
	int r;

	if (want != WEFT_SRC_ANY) {
		*index = want;
		return weft_av_certain(av, want);
	}
	r = weft_av_lowest(av, index);
	if (r == -ENOSPC && av->nrest) {
		weft_av_wake(av);
		r = weft_av_lowest(av, index);
	}
	return r;
}

static bool weft_av_reachable(const struct weft_core *core, u16 family)
{
	u32 i;

	for (i = 0; i < core->naddr; i++)
		if (core->addr[i].family == family)
			return true;
	return false;
}

/*
 * Count one more use of an address in the vector. av->mutex is held. Return: 0, -ENOENT: not in the
 * vector, -ENOSPC.
 */
static int weft_av_again(struct weft_av *av, const struct weft_sockaddr *addr, u32 *index)
{
	struct weft_av_entry *e;

	weft_mutex_assert_held(&av->mutex);
	weft_lock(&av->lock);
	e = weft_av_first(av, addr);
	weft_unlock(&av->lock);
	if (!e)
		return -ENOENT;
	if (e->uses == U32_MAX)
		return -ENOSPC;
	e->uses++;
	*index = e->index;
	return 0;
}

/**
 * weft_av_insert - insert an address
 * @av: the vector
 * @addr: address with service
 * @want: requested index, which may be a resting one; WEFT_SRC_ANY: the present index of the
 *	address, which then has to be removed once more, or else the lowest free index
 * @index: out: its index
 *
 * An address has one index, unless others are requested. A receive that names its sender by another
 * index than that of weft_av_find() would wait forever. (fi_av(3) leaves duplicates undefined. Open
 * MPI inserts them, and other libfabric providers return the same fi_addr_t.)
 *
 * Context: may sleep.
 * Return: 0; -EINVAL: not an address of a destination, or @want is in use; -EAFNOSUPPORT, -ENOMEM,
 * -ENOSPC.
 */
int weft_av_insert(struct weft_av *av, const struct weft_sockaddr *addr, u32 want, u32 *index)
{
	int r = weft_addr_check(addr);
	struct weft_av_entry *e;
	struct weft_list *spot;

	if (r)
		return r;
	if (!addr->port)
		return -EINVAL;
	if (!weft_av_reachable(av->core, addr->family))
		return -EAFNOSUPPORT;
	e = weft_alloc_sleep(sizeof(*e));
	if (!e)
		return -ENOMEM;
	e->addr = *addr;
	if (!weft_addr_link_local(addr))
		e->addr.scope = 0;
	e->uses = 1;

	weft_mutex_lock(&av->mutex);
	r = want == WEFT_SRC_ANY ? weft_av_again(av, &e->addr, index) : -ENOENT;
	if (r != -ENOENT)
		goto unused;
	r = weft_av_place(av, want, &e->index);
	if (r)
		goto unused;
	weft_av_grow(av);
	*index = e->index;
	if (av->low == e->index)
		av->low++;
	av->count++;
	av->chunk[e->index / WEFT_AV_CHUNK]->used++;
	spot = weft_av_spot(av, e);
	weft_lock(&av->lock);
	weft_list_add(spot, &e->same);
	/* readers see it complete */
	smp_store_release(weft_av_slot(av, e->index), e);
	/* it is in the table before readers search again */
	smp_store_release(&av->gen, av->gen + 1);
	weft_unlock(&av->lock);
	weft_mutex_unlock(&av->mutex);
	return 0;

unused:
	weft_mutex_unlock(&av->mutex);
	weft_free(e);
	return r;
}

/*
 * Remove an address from the vector; @then replaces its entry. av->mutex is held. Return: 0: it is
 * *@out; 1: it was inserted several times and stays; -EINVAL: no entry.
 */
static int weft_av_take(struct weft_av *av, u32 index, struct weft_av_entry *then,
			struct weft_av_entry **out)
{
	struct weft_av_entry **slot = weft_av_slot(av, index);
	struct weft_av_entry *e = slot ? *slot : NULL;

	weft_mutex_assert_held(&av->mutex);
	if (!e || e == &weft_av_resting)
		return -EINVAL;
	if (--e->uses)
		return 1;
	weft_lock(&av->lock);
	weft_list_del(&e->same);
	WRITE_ONCE(*slot, then);
	/* it is out of the table before readers search again */
	smp_store_release(&av->gen, av->gen + 1);
	weft_unlock(&av->lock);
	av->count--;
	*out = e;
	return 0;
}

/**
 * weft_av_remove - remove an address
 * @av: the vector
 * @index: its index
 *
 * The address stays until it has been removed as often as it was inserted. The index is used again
 * only after WEFT_AV_REST further removals.
 *
 * Context: may sleep.
 * Return: 0; 1: the address stays; -EINVAL: no entry.
 */
int weft_av_remove(struct weft_av *av, u32 index)
{
	struct weft_av_entry *e;
	int r;

	weft_mutex_lock(&av->mutex);
	r = weft_av_take(av, index, &weft_av_resting, &e);
	if (!r) {
		if (av->nrest == WEFT_AV_REST)
			weft_av_wake(av);
		av->rest[(av->rest_at + av->nrest++) % WEFT_AV_REST] = index;
	}
	weft_mutex_unlock(&av->mutex);
	if (!r)
		weft_free_rcu(e, rcu);
	return r;
}

/**
 * weft_av_withdraw - undo an insertion that no program has seen
 * @av: the vector
 * @index: index from weft_av_insert()
 *
 * The index does not rest. It is free as before, and an empty vector is still filled from 0 on.
 *
 * Context: may sleep.
 */
void weft_av_withdraw(struct weft_av *av, u32 index)
{
	struct weft_av_entry *e;
	int r;

	weft_mutex_lock(&av->mutex);
	r = weft_av_take(av, index, NULL, &e);
	if (!r) {
		av->chunk[index / WEFT_AV_CHUNK]->used--;
		av->low = min(av->low, index);
	}
	weft_mutex_unlock(&av->mutex);
	if (!r)
		weft_free_rcu(e, rcu);
}
