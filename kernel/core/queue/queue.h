/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - interface of completion queues, event queues and address vectors
 *
 * Locks: cq->lock and eq->lock are taken inside; the callers may hold ep->lock or path->lock.
 * Address vectors are read under RCU; weft_av_find() takes av->lock. See Documentation/locking.rst.
 */
#ifndef WEFT_QUEUE_H
#define WEFT_QUEUE_H

#include "core/api/core.h"

/* ---- Completion queues ----------------------------------------------- */

/**
 * weft_cq_post - write a completion
 * @cq: the queue
 * @e: the entry; nslots and seq are filled in here
 * @payload: for the slots behind it (the caller then sets WEFT_CQE_INLINE in @e), or NULL
 * @plen: bytes of @payload, at most WEFT_INLINE_MAX
 * @ovf: where the completion waits when the queue is full; NULL: it does not wait
 * @out: the queue is put into out->wake if it has waiters
 *
 * Return: true: it has been written, or the queue is in error and no one reads it. false with @ovf:
 * the completion waits there. @ovf and @payload must stay until weft_cq_notify() has released the
 * object, or weft_cq_forget() has returned true. false without @ovf: nothing has changed. Payload
 * in a received packet is offered in this way, and kept or placed otherwise when the queue is full.
 */
bool weft_cq_post(struct weft_cq *cq, const struct weft_cqe *e, const void *payload, u32 plen,
		  struct weft_ovf *ovf, struct weft_out *out);

/*
 * Count an operation that has reached its level or failed, after its completion, if it has one. The
 * caller may hold any locks but cq->lock. The operation's completion may still wait.
 */
void weft_cq_count(struct weft_cq *cntr, bool failed, struct weft_out *out);

/*
 * Take back a waiting completion. Return: true if it was waiting; false: it never waited, or it has
 * been written: weft_cq_notify() releases its object, or has done so.
 */
bool weft_cq_forget(struct weft_cq *cq, struct weft_ovf *ovf);

void weft_cq_get(struct weft_cq *cq);
/* The last put calls weft_env_free_cq(). */
void weft_cq_put(struct weft_cq *cq);

/* ---- Event queues ---------------------------------------------------- */

/* Append an event; the caller has set ev->ev (ev.data_len bytes of ev->data are used). */
void weft_eq_post(struct weft_eq *eq, struct weft_qev *ev, struct weft_out *out);
/* Take an event back. Return: true if it was unread; it belongs to the caller then. */
bool weft_eq_forget(struct weft_eq *eq, struct weft_qev *ev);
/* Drop all events of endpoint @handle; events that no endpoint owns are freed. */
void weft_eq_purge(struct weft_eq *eq, u32 handle);

#define WEFT_EQ_MARKS	1024	/* unread watermark events at which no watermark can be armed */

/* Return: true if the queue has so many of them that no other watermark may be armed. */
static inline bool weft_eq_marked(const struct weft_eq *eq)
{
	return READ_ONCE(eq->marks) >= WEFT_EQ_MARKS;
}

void weft_eq_get(struct weft_eq *eq);
/* The last put calls weft_env_free_eq(). */
void weft_eq_put(struct weft_eq *eq);

/* ---- Address vectors ------------------------------------------------- */

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
