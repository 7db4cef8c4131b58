// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - operations within the node, executed straight from their entry
 *
 * The most frequent operation has at most WEFT_FAST_BYTES in one segment on both sides, and all its
 * memory is resident. Then it needs no object: it is executed while its entry is still in the ring,
 * and its completion follows. Bytes that are not in the ring are copied once:
 *
 *	ring entry, or program's memory --> region --> program's memory, for reads and results
 *
 * Bytes of a short operation pass through a buffer if the program's own memory is not resident, or
 * an engine serves its ring. Every other operation takes the slow path (local.c). An atomic
 * operation with results is executed only if they have a place. If that is gone afterwards, or that
 * of a short read's bytes is not resident, they are written as a program writes.
 *
 * Locks: ep->sq_mutex of the initiator, held by the caller; ep->lock of the target is taken here.
 */
#include "core/rma/rma.h"

/* Return: true if an entry has a form that needs no object. */
static bool weft_near_form(const struct weft_sq_entry *e)
{
	if (e->nrem != 1 || !e->len || e->flags & (WEFT_SQ_DATA | WEFT_SQ_FENCE))
		return false;
	if (weft_sq_is_atomic(e->op))	/* else the slow path refuses it */
		return e->inl && e->len == weft_atomic_size(WEFT_ATOMIC_TYPE(e->data)) &&
		       weft_atomic_valid(WEFT_ATOMIC_KIND(e->data), WEFT_ATOMIC_OP(e->data),
					 WEFT_ATOMIC_TYPE(e->data)) &&
		       (e->op != WEFT_SQ_FETCH || e->vec.n == 1);
	if (e->vec.n == 1)
		return e->len <= WEFT_FAST_BYTES;
	return e->op == WEFT_SQ_WRITE && e->len <= WEFT_INLINE_MAX;
}

/* Execute an operation. Softirqs are off. Return: 0, negative errno: not done. */
static int weft_near_execute(struct weft_flow *flow, struct weft_direct *d, struct weft_out *out)
{
	struct weft_ep *lep = flow->lep;
	int err;

	weft_lock_inner(&lep->lock);
	err = weft_local_refused(lep);
	if (likely(!err))
		err = weft_direct_execute(lep, d, out);
	weft_unlock_inner(&lep->lock);
	return err;
}

/*
 * Write the bytes that an operation brings to its program. Softirqs are off. Return: true if they
 * are written.
 */
static bool weft_near_bring(const struct weft_ep *ep, const struct weft_sq_entry *e,
			    const struct weft_direct *d)
{
	struct weft_memctx *mc = ep->conf.mc;
	u64 addr = e->vec.seg[0].addr;
	u32 len = (u32)e->len;

	/* a worker is not the program */
	return likely(!weft_user_poke(mc, addr, d->reply, len)) ||
	       !weft_mem_place(mc, addr, d->reply, len, len, 0);
}

/*
 * Execute and complete an operation. An atomic operation is not executed a second time, so its
 * results need a place. *@left: out: it is executed, but not completed, because the bytes that it
 * brings are not written. Return: 0, negative errno: not done.
 */
static int weft_near_do(struct weft_ep *ep, struct weft_flow *flow, const struct weft_sq_entry *e,
			struct weft_direct *d, bool *left, struct weft_out *out)
{
	int err;

	weft_softirqs_off();
	if (e->op == WEFT_SQ_FETCH &&
	    !weft_mem_resident(ep->conf.mc, e->vec.seg[0].addr, (u32)e->len, WEFT_MEM_WRITE))
		err = -EAGAIN;
	else
		err = weft_near_execute(flow, d, out);
	if (likely(!err)) {
		*left = weft_sq_fetches(e->op) && !d->prog && unlikely(!weft_near_bring(ep, e, d));
		if (likely(!*left))
			weft_send_cqe(ep, e, out);
	}
	weft_softirqs_on();
	return err;
}

/*
 * The same for a short operation whose bytes are in the ring, or pass through a buffer. May sleep.
 */
static int weft_near_short(struct weft_ep *ep, struct weft_flow *flow,
			   const struct weft_sq_entry *e, struct weft_direct *d, bool *left,
			   struct weft_out *out)
{
	const void *pay;

	d->prog = NULL;
	if (e->op == WEFT_SQ_WRITE) {
		pay = weft_send_bytes(ep, e);
		if (IS_ERR(pay))
			return -EAGAIN;
		d->operand = pay;
		d->first = (u32)e->len;
	} else if (e->op != WEFT_SQ_READ) {
		/* in one slot; each is read once */
		BUILD_BUG_ON(2 * sizeof(u64) > WEFT_SLOT_SIZE);
		d->operand = weft_ring_at(&ep->tx.ring, ep->tx.ring.cons + 1);
	}
	d->reply = ep->tx.scratch;
	return weft_near_do(ep, flow, e, d, left, out);
}

/**
 * weft_rma_near - execute an operation within the node, if it needs no object
 * @ep: the endpoint; ep->sq_mutex is held, ep->tx.hand is set
 * @flow: its flow, not dead when it was found
 * @e: the entry
 * @out: output
 *
 * Context: may sleep.
 * Return: 0: it is executed and completed; -EAGAIN: the slow path has to process it; -EFAULT: it is
 * executed, but the memory for the bytes that it brings has gone meanwhile.
 */
int weft_rma_near(struct weft_ep *ep, struct weft_flow *flow, const struct weft_sq_entry *e,
		  struct weft_out *out)
{
	struct weft_direct d weft_unset;
	bool left = false;
	int err = -EAGAIN;

	weft_mutex_assert_held(&ep->sq_mutex);
	if (!weft_near_form(e) || READ_ONCE(flow->dead))
		return -EAGAIN;
	weft_rma_request(&d.req, ep, e, false);
	/* an engine is not the program */
	if (!e->inl && e->vec.n == 1 && !ep->tx.scan) {
		d.prog = ep->conf.mc;
		d.user = e->vec.seg[0].addr;
		err = weft_near_do(ep, flow, e, &d, &left, out);
	}
	if (err == -EAGAIN && e->len <= WEFT_INLINE_MAX)
		err = weft_near_short(ep, flow, e, &d, &left, out);
	if (unlikely(err))
		return -EAGAIN;
	weft_direct_count(ep->core, &d.req);
	weft_count(ep->core, msgs_local);
	weft_count(ep->core, msgs_received);
	if (likely(!left))
		return 0;
	if (weft_user_write(ep->conf.mc, &e->vec, 0, d.reply, (u32)e->len))
		return -EFAULT;
	weft_send_cqe(ep, e, out);
	return 0;
}
