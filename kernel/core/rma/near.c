// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - short operations within the node, executed straight from their entry
 *
 * The most frequent operation is short, has one segment on both sides, and all its memory is
 * resident. Then it needs no object: it is executed while its entry is still in the ring, and its
 * completion follows:
 *
 *	ring entry, or program's memory --> region --> program's memory, for reads and results
 *
 * Every other operation takes the slow path (local.c). An atomic operation is executed only if its
 * results have a place.
 *
 * Locks: ep->sq_mutex of the initiator, held by the caller; ep->lock of the target is taken here.
 */
#include "core/rma/rma.h"

/* Return: true if an entry has a form that needs no object. */
static bool weft_near_form(const struct weft_sq_entry *e)
{
	if (e->nrem != 1 || !e->len || e->len > WEFT_INLINE_MAX ||
	    e->flags & (WEFT_SQ_DATA | WEFT_SQ_FENCE))
		return false;
	if (weft_sq_fetches(e->op) && e->vec.n != 1)
		return false;
	if (!weft_sq_is_atomic(e->op))
		return true;
	/* else the slow path refuses it */
	return e->inl && !weft_rma_atomic_check(e) &&
	       e->len == weft_atomic_size(WEFT_ATOMIC_TYPE(e->data));
}

/* Execute an operation, or not. Return: 0, negative errno: not done. */
static int weft_near_execute(struct weft_flow *flow, struct weft_direct *d, struct weft_out *out)
{
	struct weft_ep *lep = flow->lep;
	int err;

	weft_softirqs_off();
	weft_lock_inner(&lep->lock);
	err = weft_local_refused(lep);
	if (likely(!err))
		err = weft_direct_execute(lep, d, out);
	weft_unlock_inner(&lep->lock);
	weft_softirqs_on();
	return err;
}

/* Execute an operation that brings bytes to its program. Return: 0, negative errno: not done. */
static int weft_near_fetch(struct weft_ep *ep, struct weft_flow *flow,
			   const struct weft_sq_entry *e, struct weft_direct *d,
			   struct weft_out *out)
{
	u32 len = (u32)e->len;
	struct weft_mem *mem;
	int err;

	/* before the operation: it cannot be executed twice */
	err = weft_mem_get(ep->conf.mc, &e->vec, 0, len, WEFT_MEM_WRITE, &mem);
	if (err)
		return err;
	err = weft_near_execute(flow, d, out);
	/* a program that has ended meanwhile misses nothing */
	if (!err)
		weft_mem_write(mem, 0, d->reply, len);
	weft_mem_put(mem);
	return err;
}

/**
 * weft_rma_near - execute a short operation within the node, if it needs no object
 * @ep: the endpoint; ep->sq_mutex is held, ep->tx.hand is set
 * @flow: its flow, not dead when it was found
 * @e: the entry
 * @out: output
 *
 * Context: may sleep.
 * Return: true if it is executed and completed; false: the slow path has to process it.
 */
bool weft_rma_near(struct weft_ep *ep, struct weft_flow *flow, const struct weft_sq_entry *e,
		   struct weft_out *out)
{
	u8 operands[2 * sizeof(u64)];
	struct weft_direct d weft_unset;
	const void *pay;
	int err;

	weft_mutex_assert_held(&ep->sq_mutex);
	if (!weft_near_form(e) || READ_ONCE(flow->dead))
		return false;
	weft_rma_request(&d.req, ep, e, false);
	if (e->op == WEFT_SQ_WRITE) {
		pay = weft_send_bytes(ep, e);
		if (IS_ERR(pay))
			return false;
		d.operand = pay;
	} else if (e->op != WEFT_SQ_READ) {
		weft_ring_bytes(&ep->tx.ring, weft_sq_operands(e), operands);
		d.operand = operands;
	}
	d.reply = ep->tx.scratch;
	err = weft_sq_fetches(e->op) ? weft_near_fetch(ep, flow, e, &d, out) :
				       weft_near_execute(flow, &d, out);
	if (unlikely(err))
		return false;
	weft_direct_count(ep->core, &d.req);
	weft_count(ep->core, msgs_local);
	weft_count(ep->core, msgs_received);
	weft_send_cqe(ep, e, out);
	return true;
}
