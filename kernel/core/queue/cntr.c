// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - counters: completion queues without a ring
 *
 * Two numbers in the status page take the place of entries. Waiting and waking are those of queues.
 *
 * A counter knows the lowest thresholds of its triggers (trigger/trigger.c). When it reaches one,
 * it defers its work, once. The worker fires the triggers and sets new thresholds.
 *
 *	counting --weft_cntr_end()--> ended: it has no numbers, and references may be left
 *
 * Locks: cq->lock protects the numbers and the thresholds.
 */
#include "core/queue/cq.h"

/* The caller holds the lock, and the counter has not ended. */
static void weft_cntr_move(struct weft_cq *cntr)
{
	weft_assert_held(&cntr->lock);
	WRITE_ONCE(cntr->tail, cntr->tail + 1);
	/* barrier C: numbers before index */
	smp_store_release(&cntr->status->tail, cntr->tail);
}

/* Defer the work of a counter whose lowest thresholds may have been reached. */
static void weft_cntr_look(struct weft_cq *cntr, struct weft_out *out)
{
	const struct weft_cq_status *st = cntr->status;
	struct weft_cq_trip *trip = &cntr->trip;

	weft_assert_held(&cntr->lock);
	if (!st || trip->work.queued ||
	    !((trip->which & 1 && st->done >= trip->at[0]) ||
	      (trip->which & 2 && st->done + st->failed >= trip->at[1])))
		return;
	trip->work.queued = true;
	weft_cq_get(cntr);
	weft_list_add_tail(&out->deferred, &trip->work.node);
}

/* The numbers have changed. */
static void weft_cntr_step(struct weft_cq *cntr, struct weft_out *out)
{
	weft_cntr_move(cntr);
	weft_cq_wake(cntr, out);
	if (unlikely(cntr->trip.which))
		weft_cntr_look(cntr, out);
}

/* Count operations: @done that have reached their level, @failed that have failed. */
static __always_inline void weft_cntr_add(struct weft_cq *cntr, u32 done, u32 failed,
					  struct weft_out *out)
{
	struct weft_cq_status *st;

	weft_lock(&cntr->lock);
	st = cntr->status;
	if (likely(st)) {
		smp_wmb();	/* received data before the number */
		if (failed)
			WRITE_ONCE(st->failed, st->failed + failed);
		else
			WRITE_ONCE(st->done, st->done + done);
		weft_cntr_step(cntr, out);
	}
	weft_unlock(&cntr->lock);
}

/* queue.h has the description. */
void weft_cq_count(struct weft_cq *cntr, bool failed, struct weft_out *out)
{
	weft_cntr_add(cntr, !failed, failed, out);
}

/* queue.h has the description. */
void weft_cq_count_many(struct weft_cq *cntr, u32 n, struct weft_out *out)
{
	weft_cntr_add(cntr, n, 0, out);
}

/**
 * weft_cq_stir - have all waiters of a counter check it again
 * @cntr: the counter
 *
 * The caller wakes them afterwards.
 */
void weft_cq_stir(struct weft_cq *cntr)
{
	weft_lock(&cntr->lock);
	if (cntr->status)
		weft_cntr_move(cntr);
	weft_unlock(&cntr->lock);
}

/**
 * weft_cntr_end - end a counter: its page is not written any more
 * @cntr: the counter
 *
 * Operations and triggers may still have references. They find no number.
 *
 * Context: any; cq->lock is not held.
 */
void weft_cntr_end(struct weft_cq *cntr)
{
	weft_lock(&cntr->lock);
	cntr->status = NULL;
	weft_unlock(&cntr->lock);
}

/**
 * weft_cntr_change - set a counter, or add to it
 * @cntr: the counter
 * @value: the number; it wraps
 * @flags: WEFT_CNTRF_*
 * @out: output
 *
 * Context: any; cq->lock is not held.
 */
void weft_cntr_change(struct weft_cq *cntr, u64 value, u32 flags, struct weft_out *out)
{
	struct weft_cq_status *st;
	u64 *number;

	weft_lock(&cntr->lock);
	st = cntr->status;
	if (likely(st)) {
		number = flags & WEFT_CNTRF_FAILED ? &st->failed : &st->done;
		WRITE_ONCE(*number, flags & WEFT_CNTRF_ADD ? *number + value : value);
		weft_cntr_step(cntr, out);
	}
	weft_unlock(&cntr->lock);
}

/**
 * weft_cntr_trips - prepare a counter for triggers
 * @cntr: the counter, which never had one
 * @set: triggers of its context
 * @kind: kind of the work that fires them
 * @ctx: weft_ep_conf.ctx of the context's endpoints
 */
void weft_cntr_trips(struct weft_cq *cntr, struct weft_triggers *set, u8 kind, void *ctx)
{
	weft_work_init(&cntr->trip.work, kind, ctx);
	cntr->trip.set = set;
}

/**
 * weft_cntr_trip - set the lowest thresholds of a counter
 * @cntr: the counter, prepared; triggers->mutex is held
 * @which: bit i: @at[i] is valid
 * @at: thresholds of the successful operations, and of all
 * @out: output; the work is deferred if a threshold has been reached
 */
void weft_cntr_trip(struct weft_cq *cntr, u32 which, const u64 at[WEFT_TRIPS],
		    struct weft_out *out)
{
	weft_lock(&cntr->lock);
	cntr->trip.which = which;
	memcpy(cntr->trip.at, at, sizeof(cntr->trip.at));
	weft_cntr_look(cntr, out);
	weft_unlock(&cntr->lock);
}

/**
 * weft_cntr_tripped - the work of a counter begins: it may be deferred again
 * @cntr: the counter
 */
void weft_cntr_tripped(struct weft_cq *cntr)
{
	weft_lock(&cntr->lock);
	cntr->trip.work.queued = false;
	weft_unlock(&cntr->lock);
}

/**
 * weft_cntr_values - read what thresholds are compared with
 * @cntr: the counter
 * @value: out: successful operations, and all
 *
 * Return: true; false: the counter has ended.
 */
bool weft_cntr_values(struct weft_cq *cntr, u64 value[WEFT_TRIPS])
{
	const struct weft_cq_status *st;

	weft_lock(&cntr->lock);
	st = cntr->status;
	value[0] = st ? st->done : 0;
	value[1] = st ? st->done + st->failed : 0;
	weft_unlock(&cntr->lock);
	return st;
}
