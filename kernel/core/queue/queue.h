/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - interface of completion queues and event queues
 *
 * Locks: cq->lock and eq->lock are taken inside; the callers may hold ep->lock or path->lock.
 * See Documentation/locking.rst.
 */
#ifndef WEFT_QUEUE_H
#define WEFT_QUEUE_H

#include "core/base/conf.h"
#include "core/base/io_batch.h"
#include <linux/weft.h>
#include <linux/weft_trigger.h>

/* ---- Completion queues: for adapters --------------------------------- */

/**
 * struct weft_ovf - a waiting completion, part of the object that completes
 * @node: in cq->waiting
 * @e: the entry
 * @payload: content of the slots behind the entry; belongs to the object
 * @plen: bytes of @payload
 * @kind: private value of the core: type of the object
 * @waits: in cq->waiting
 */
struct weft_ovf {
	struct weft_list node;
	struct weft_cqe e;
	const void *payload;
	u32 plen;
	u8 kind;
	bool waits;
};

struct weft_triggers;

#define WEFT_TRIPS	2	/* kinds of thresholds: of successful operations, and of all */

/**
 * struct weft_cq_trip - triggers of a counter (object/trigger.h)
 * @set: triggers of its context, NULL: it never had one; triggers->mutex
 * @list: those that wait for it, by threshold; triggers->mutex
 * @named: number of waiting triggers that name the counter in any way; triggers->mutex, read
 *	without it
 * @which: bit i: @at[i] is valid
 * @at: lowest thresholds
 * @work: fires triggers; holds a reference of the counter while it is queued
 */
struct weft_cq_trip {
	struct weft_triggers *set;
	struct weft_list list[WEFT_TRIPS];
	u32 named;
	u32 which;
	u64 at[WEFT_TRIPS];
	struct weft_work work;
};

/**
 * struct weft_cq - completion queue
 * @core: the core of its port; opaque here
 * @cnt: counters of that core
 * @lock: protects all fields below
 * @ref: references
 * @wake: in out->wake, when @waking
 * @waking: a struct weft_out will wake it
 * @slots: ring, which only the kernel writes; NULL: a counter
 * @size: number of slots, a power of two; 0: a counter
 * @doorbell: the user's consumer index; untrusted, read once
 * @status: page that the user reads; NULL: a counter that has ended
 * @tail: producer index (copy of the kernel)
 * @head: consumer index read last
 * @bad: the user's index was outside of the ring
 * @waiting: struct weft_ovf in order
 * @nwaiting: number of them
 * @full: since when there are any
 * @polled: an engine polls its doorbell, see poll.c: the program is not asked for notify calls
 * @armed: a thread may be waiting (only then weft_env_wake_cq() is called); waiters set it before
 *	they check the queue again
 * @trip: triggers of a counter
 * @dev: private pointer of the adapter
 *
 * Entries are written in the order of weft_cq_post() calls. If the ring is full or others wait, a
 * completion waits in its object, which is held until the completion is written. So accepted
 * operations bound the memory, and no completion is dropped.
 */
struct weft_cq {
	struct weft_core *core;
	weft_counters_t cnt;
	struct weft_lock lock;
	refcount_t ref;
	struct weft_list wake;
	bool waking;
	struct weft_cqe *slots;
	u32 size;
	const struct weft_cq_doorbell *doorbell;
	struct weft_cq_status *status;
	u32 tail;
	u32 head;
	bool bad;
	struct weft_list waiting;
	u32 nwaiting;
	weft_ns full;
	bool polled;
	bool armed;
	struct weft_cq_trip trip;
	void *dev;
};

/**
 * weft_cq_init - make a completion queue
 * @cq: the queue; one reference is the caller's
 * @core: its core
 * @cnt: the counters of its core
 * @slots: zeroed ring, NULL: a counter
 * @size: slots, 0 for a counter
 * @doorbell: zeroed
 * @status: zeroed
 */
void weft_cq_init(struct weft_cq *cq, struct weft_core *core, weft_counters_t cnt,
		  struct weft_cqe *slots, u32 size, const struct weft_cq_doorbell *doorbell,
		  struct weft_cq_status *status);

/* Move the index of a counter, so that waiters check it again; the caller wakes them. */
void weft_cq_stir(struct weft_cq *cntr);

/* Set a counter, or add to it. @flags: WEFT_CNTRF_*. Any context. */
void weft_cntr_change(struct weft_cq *cntr, u64 value, u32 flags, struct weft_out *out);

/*
 * The counter's page will be freed, and references may be left: it counts nothing more. Any
 * context.
 */
void weft_cntr_end(struct weft_cq *cntr);

/* Return: true if triggers that wait name the counter. */
static inline bool weft_cntr_named(const struct weft_cq *cntr)
{
	return READ_ONCE(cntr->trip.named);
}

/*
 * For an engine: between weft_cq_hot() and weft_cq_cool() it calls weft_cq_notify() when the
 * doorbell has moved. The two functions correspond to weft_ep_hot() and weft_ep_cool() of
 * endpoints.
 * Return: weft_cq_hot(): false: the queue is in error; weft_cq_cool(): true: completions can be
 * written.
 */
bool weft_cq_hot(struct weft_cq *cq);
bool weft_cq_cool(struct weft_cq *cq);

/*
 * Return: true if the queue has entries beyond @seen. The read is ordered after the store of
 * cq->armed (counterpart of barrier E).
 */
bool weft_cq_news(struct weft_cq *cq, u32 seen);

/* Return: true if there are entries beyond the user's doorbell. */
bool weft_cq_ready(struct weft_cq *cq);

/**
 * struct weft_cq_info - state of a completion queue or a counter, for the administrator
 * @size: slots, 0: a counter
 * @unread: slots with completions beyond the program's doorbell
 * @waiting: completions that wait until slots are free
 * @full: since when there are any, valid while @waiting
 * @bad: the program's doorbell was outside of the ring
 * @done: a counter: successful operations
 * @failed: a counter: failed operations
 */
struct weft_cq_info {
	u32 size;
	u32 unread;
	u32 waiting;
	weft_ns full;
	bool bad;
	u64 done;
	u64 failed;
};

/* Get the state of a queue or a counter. */
void weft_cq_look(struct weft_cq *cq, struct weft_cq_info *info);

/* ---- Completion queues: for the core --------------------------------- */

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
/* The same for @n operations that have reached their level. */
void weft_cq_count_many(struct weft_cq *cntr, u32 n, struct weft_out *out);

/* Triggers of a counter: cntr.c has the descriptions. triggers->mutex is held. */
void weft_cntr_trips(struct weft_cq *cntr, struct weft_triggers *set, u8 kind, void *ctx);
void weft_cntr_trip(struct weft_cq *cntr, u32 which, const u64 at[WEFT_TRIPS],
		    struct weft_out *out);
void weft_cntr_tripped(struct weft_cq *cntr);
bool weft_cntr_values(struct weft_cq *cntr, u64 value[WEFT_TRIPS]);

/*
 * Take back a waiting completion. Return: true if it was waiting; false: it never waited, or it has
 * been written: weft_cq_notify() releases its object, or has done so.
 */
bool weft_cq_forget(struct weft_cq *cq, struct weft_ovf *ovf);

void weft_cq_get(struct weft_cq *cq);
/* The last put calls weft_env_free_cq(). */
void weft_cq_put(struct weft_cq *cq);

/* ---- Event queues: for adapters -------------------------------------- */

/**
 * struct weft_qev - an unread event
 * @node: in eq->events
 * @owned: part of an endpoint: not to be freed
 * @ev: the event
 * @data: private data
 */
struct weft_qev {
	struct weft_list node;
	bool owned;
	struct weft_event ev;
	u8 data[WEFT_CM_DATA_MAX];
};

/**
 * struct weft_eq - event queue
 * @lock: protects @events
 * @ref: references
 * @wake: in out->wake_eq, when @waking
 * @waking: a struct weft_out will wake it
 * @events: struct weft_qev, in order
 * @marks: number of watermark events among them
 * @dev: private pointer of the adapter
 */
struct weft_eq {
	struct weft_lock lock;
	refcount_t ref;
	struct weft_list wake;
	bool waking;
	struct weft_list events;
	u32 marks;
	void *dev;
};

void weft_eq_init(struct weft_eq *eq);

/*
 * Take the first event if it and its data (padded to 8) fit into @room bytes at @buf (kernel
 * memory).
 * Return: bytes; -EAGAIN: no event; -EMSGSIZE: it does not fit.
 */
int weft_eq_read(struct weft_eq *eq, void *buf, u32 room);

bool weft_eq_ready(struct weft_eq *eq);

/* Drop all events. */
void weft_eq_fini(struct weft_eq *eq);

/* ---- Event queues: for the core -------------------------------------- */

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

#endif
