/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - completion queues, event queues and address vectors as the rest of the core sees them
 *
 * cq->lock and eq->lock are taken inside; both kinds may be called under ep->lock or path->lock.
 * Address vectors are read under RCU, by weft_av_find() under a lock of their own that is last in
 * the order.
 */
#ifndef WEFT_QUEUE_H
#define WEFT_QUEUE_H

#include "core/api/core.h"

/* ---- Completion queues ----------------------------------------------- */

/**
 * weft_cq_post - write a completion
 * @cq: the queue
 * @e: the entry; nslots and seq are filled in here
 * @payload: for the slots behind it (WEFT_CQE_INLINE is then set in @e by the caller), or NULL
 * @plen: bytes of it, at most WEFT_INLINE_MAX
 * @ovf: where the completion waits when there is no room; NULL: it does not wait
 * @out: the queue is put into out->wake when somebody waits
 *
 * Return: true: it has been written (or the queue is in error, and nobody will ever look). false
 * and @ovf: it waits there, and both @ovf and @payload must stay until weft_cq_notify() has told
 * the object, or weft_cq_forget() has returned true. false without @ovf: nothing has happened:
 * payload that lives no longer than a packet is offered so, and kept or placed otherwise when there
 * is no room.
 */
bool weft_cq_post(struct weft_cq *cq, const struct weft_cqe *e, const void *payload, u32 plen,
		  struct weft_ovf *ovf, struct weft_out *out);

/*
 * Count an operation that has reached its level or failed: after its completion, if it has one. Any
 * locks but cq->lock may be held. The operation's completion may still wait for room.
 */
void weft_cq_count(struct weft_cq *cntr, bool failed, struct weft_out *out);

/*
 * Take back a completion that waits. Return: it was waiting; false: it has never waited, or has
 * been written: weft_cq_notify() tells its object, or has done so.
 */
bool weft_cq_forget(struct weft_cq *cq, struct weft_ovf *ovf);

void weft_cq_get(struct weft_cq *cq);
/* Calls weft_env_free_cq() for the last one. */
void weft_cq_put(struct weft_cq *cq);

/* ---- Event queues ---------------------------------------------------- */

/* Append an event; ev->ev is filled in (ev.data_len bytes of ev->data count). */
void weft_eq_post(struct weft_eq *eq, struct weft_qev *ev, struct weft_out *out);
/* Take an event back. Return: it had not been read; it is the caller's then. */
bool weft_eq_forget(struct weft_eq *eq, struct weft_qev *ev);
/* Drop all events of endpoint @handle; those that are not owned by an endpoint are freed. */
void weft_eq_purge(struct weft_eq *eq, u32 handle);

#define WEFT_EQ_MARKS	1024	/* events of watermarks that wait when none can be armed any more */

/* Have so many of them not been read that no other watermark is armed? */
static inline bool weft_eq_marked(const struct weft_eq *eq)
{
	return READ_ONCE(eq->marks) >= WEFT_EQ_MARKS;
}

void weft_eq_get(struct weft_eq *eq);
/* Calls weft_env_free_eq() for the last one. */
void weft_eq_put(struct weft_eq *eq);

/* ---- Address vectors ------------------------------------------------- */

/**
 * struct weft_av_entry - an address; constant but for @uses
 * @rcu: freed by it
 * @same: in the chain of its hash value
 * @addr: address with service
 * @index: where it stands
 * @uses: how often it has been inserted (the vector's mutex)
 */
struct weft_av_entry {
	struct weft_rcu rcu;
	struct weft_list same;
	struct weft_sockaddr addr;
	u32 index;
	u32 uses;
};

/* Entry @index, NULL: none. Under weft_rcu_lock(), valid until weft_rcu_unlock(). */
struct weft_av_entry *weft_av_get(struct weft_av *av, u32 index);
/* Index of an address (the lowest, if it is there more than once), WEFT_SRC_ANY: not there. */
u32 weft_av_find(struct weft_av *av, const struct weft_sockaddr *addr);
/*
 * A number that changes whenever an address has been inserted or removed: what was found before may
 * be found otherwise now.
 */
static inline u32 weft_av_gen(const struct weft_av *av)
{
	/* what is looked up afterwards is at least as new */
	return smp_load_acquire((const u32 *)av);
}

/* ---- Addresses ------------------------------------------------------- */

/* Same node (and, for _eq, same service)? */
bool weft_addr_same_node(const struct weft_sockaddr *a, const struct weft_sockaddr *b);
bool weft_addr_eq(const struct weft_sockaddr *a, const struct weft_sockaddr *b);
/* Hash of the node's address, the service does not count. */
u64 weft_addr_hash(const struct weft_sockaddr *a, const u64 key[2]);
/* One unicast node; service may be 0. Return: 0, -EINVAL, -EAFNOSUPPORT. */
int weft_addr_check(const struct weft_sockaddr *a);

#endif
