// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - the fast path of the end of one-sided operations
 *
 * A report names operations of a flow in a row (transport/report.c). Most are short, and nothing is
 * left of them but their completion. They end together: their completions are written under one
 * lock, and their sends become free at once:
 *
 *	flow->txms --(weft_send_end_run())--> ep->tx.free
 *
 * Every other operation ends by weft_send_end().
 *
 * Locks: path->lock, held by the caller; ep->lock and its cq->lock are taken here.
 */
#include "core/messaging/fast.h"

/*
 * Return: true if a send is a one-sided operation of which nothing is left but its completion, when
 * the receiver has executed it. Its path is locked.
 */
static bool weft_send_is_left(const struct weft_txm *txm)
{
	weft_assert_held(&txm->flow->path->lock);
	return txm->state == WEFT_TXM_SENT && !txm->nrec && txm->req && !txm->tx.told &&
	       !weft_sq_fetches(txm->tx.op) && !txm->tx.done && !txm->buf && !txm->seg &&
	       refcount_read(&txm->ref) == 1;
}

/*
 * Write the completions of sends in a row, from @txm on, which all have the same flags. Their
 * endpoint is locked. Return: number of sends, at most @n, whose completions are written or not
 * wanted.
 */
static u32 weft_send_tell_run(struct weft_ep *ep, const struct weft_txm *txm, u32 n,
			      struct weft_out *out)
{
	struct weft_cq *cq = ep->tx_cq;
	u32 i;

	weft_assert_held(&ep->lock);
	if (!(txm->flags & WEFT_SQ_COMPLETION) || ep->state == WEFT_EPS_DEAD || !cq)
		return n;
	weft_lock_inner(&cq->lock);
	if (!weft_list_empty(&cq->waiting) || cq->bad)
		n = 0;
	for (i = 0; i < n && weft_cq_space(cq, 1) && !cq->bad; i++) {
		struct weft_cqe *c = weft_cq_slot(cq);

		weft_send_fill(c, ep, txm->tx.context, txm->tx.tag, txm->tx.len, txm->tx.op, 0);
		weft_trace_complete(ep, c->context, c->tag, c->len, c->flags, 0);
		weft_cq_put_entry(cq, c, NULL, 0);
		txm = weft_entry(txm->node.next, struct weft_txm, node);
	}
	if (likely(i)) {
		weft_cq_show(cq);
		weft_cq_wake(cq, out);
	}
	weft_unlock_inner(&cq->lock);
	return i;
}

/**
 * weft_send_end_run - end sends in a row that the receiver has executed, if nothing else is left
 * @txm: the first of them; its path is locked
 * @n: number of messages in a row that have been executed
 * @out: output
 *
 * Each step is done once for all. The effect equals that of weft_send_end() for each.
 *
 * Return: number of sends that are over; 0: the first one needs weft_send_end().
 */
u32 weft_send_end_run(struct weft_txm *txm, u32 n, struct weft_out *out)
{
	struct weft_path *path = txm->path;
	struct weft_flow *flow = txm->flow;
	struct weft_txm *t = txm, *last = txm;
	struct weft_ep *ep = txm->ep;
	struct weft_cq *cntr;
	u32 i, got = 0;

	weft_assert_held(&path->lock);
	if (unlikely(!READ_ONCE(path->core->fast)))
		return 0;
	for (; got < n && weft_send_is_left(t) && t->mseq == txm->mseq + got &&
	     t->flags == txm->flags; got++) {
		if (t->node.next == &flow->txms) {
			got++;
			break;
		}
		t = weft_entry(t->node.next, struct weft_txm, node);
	}
	weft_lock_inner(&ep->lock);
	got = weft_send_tell_run(ep, txm, got, out);
	cntr = ep->rma_cntr[WEFT_CNTR_WRITE];
	if (cntr && got && ep->state != WEFT_EPS_DEAD)
		weft_cq_count_many(cntr, got, out);
	for (i = 0, t = txm; i < got; i++, t = weft_entry(t->node.next, struct weft_txm, node)) {
		weft_idtable_del(&path->msg.sids, &t->bulk.idnode);
		t->tx.told = true;
		t->path = NULL;
		t->flow = NULL;
		t->state = WEFT_TXM_FREE;
		last = t;
	}
	if (likely(got))
		weft_txms_release(ep, txm, last, got, out);
	weft_unlock_inner(&ep->lock);
	if (unlikely(!got))
		return 0;
	path->nwait -= got;
	flow->ref -= got - 1;
	if (unlikely(!weft_list_empty(&flow->fenced)))
		weft_fence_check(flow, out);
	weft_flow_check(flow, out);
	weft_flow_put(flow);
	weft_path_put_many(path, got);
	weft_ep_put_many(ep, got);
	return got;
}
