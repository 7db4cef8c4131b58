/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - interface of address vectors and addresses
 *
 * Address vectors are read under RCU; weft_av_find() takes av->lock. See Documentation/locking.rst.
 */
#ifndef WEFT_AV_H
#define WEFT_AV_H

#include "core/base/env.h"
#include <linux/weft.h>

/* ---- Address vectors ------------------------------------------------- */

/* Make an address vector. May sleep. Return: the vector, NULL: no memory. */
struct weft_av *weft_av_new(struct weft_core *core);
/* Free an address vector that no endpoint uses. */
void weft_av_free(struct weft_av *av);

/**
 * weft_av_insert - insert an address
 * @av: the vector
 * @addr: address with service
 * @want: requested index, which may be a resting one; WEFT_SRC_ANY: the present index of the
 *	address, which then has to be removed once more, or else the lowest free index
 * @index: out: its index
 *
 * Context: may sleep.
 * Return: 0; -EINVAL: not an address of a destination, or @want is in use; -EAFNOSUPPORT, -ENOMEM,
 * -ENOSPC.
 */
int weft_av_insert(struct weft_av *av, const struct weft_sockaddr *addr, u32 want, u32 *index);

/* Remove an address. Return: 0; 1: it was inserted several times and stays; -EINVAL: no entry. */
int weft_av_remove(struct weft_av *av, u32 index);
/* Undo an insertion that no program has seen: its index does not rest. May sleep. */
void weft_av_withdraw(struct weft_av *av, u32 index);

/**
 * struct weft_av_entry - an address; constant but for @uses
 * @rcu: to free it
 * @same: in the chain of its hash value
 * @addr: address with service
 * @index: its index
 * @uses: number of insertions (the vector's mutex)
 */
struct weft_av_entry {
	struct weft_rcu rcu;
	struct weft_list same;
	struct weft_sockaddr addr;
	u32 index;
	u32 uses;
};

/* Get entry @index, NULL: none. Under weft_rcu_lock(), valid until weft_rcu_unlock(). */
struct weft_av_entry *weft_av_get(struct weft_av *av, u32 index);
/* Find the index of an address (the lowest, if it has several), WEFT_SRC_ANY: none. */
u32 weft_av_find(struct weft_av *av, const struct weft_sockaddr *addr);
/*
 * Return: a number that changes with each insertion and removal, after which earlier results of a
 * search may be outdated.
 */
static inline u32 weft_av_gen(const struct weft_av *av)
{
	/* later searches are at least as new */
	return smp_load_acquire((const u32 *)av);
}

/* ---- Addresses ------------------------------------------------------- */

/* Compare nodes (and, for _eq, services, too). */
bool weft_addr_same_node(const struct weft_sockaddr *a, const struct weft_sockaddr *b);
bool weft_addr_eq(const struct weft_sockaddr *a, const struct weft_sockaddr *b);
/* Hash the address of a node; the service is not used. */
u64 weft_addr_hash(const struct weft_sockaddr *a, const u64 key[2]);
/* Check that it is the address of one node; service may be 0. Return: 0, -EINVAL, -EAFNOSUPPORT. */
int weft_addr_check(const struct weft_sockaddr *a);

#endif
