// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - one-sided operations within the node
 *
 * There is no packet. A message stands for the access to the target's memory, as between nodes. Its
 * bytes go from memory to memory (bulk/local_copy.c), or from the ring.
 *
 * A short operation that is not executed at once takes its time: a read, or a write to memory that
 * is not resident. Later sends of its flow wait until it is over (flow->cold), as behind a fence.
 *
 * Locks: ep->sq_mutex of the initiator, path->lock of core->local, ep->lock of the target.
 */
#include "core/rma/rma.h"

/* Make the message of an operation. Return: the message, NULL: no memory. */
static struct weft_rxm *weft_rma_message(struct weft_flow *flow, const struct weft_txm *txm)
{
	struct weft_rxm *rxm = weft_ep_alloc(flow->lep, sizeof(*rxm));

	if (!rxm)
		return NULL;
	weft_local_init(rxm, flow);
	rxm->flags = WEFT_MSG_RMA | (txm->flags & WEFT_SQ_DATA ? WEFT_MSG_DATA : 0);
	rxm->data = txm->tx.data;
	rxm->len = txm->len;
	weft_list_add_tail(&flow->path->msg.rxms, &rxm->node);
	return rxm;
}

/* Let @rxm take the bytes of @txm. */
static void weft_rma_join(struct weft_rxm *rxm, struct weft_txm *txm)
{
	weft_txm_get(txm);
	rxm->bulk.ltxm = txm;
	weft_rxm_get(rxm);
	txm->bulk.lrxm = rxm;
}

/* Later sends of a flow wait until an operation is over: its order matters. */
static void weft_rma_local_hold(struct weft_flow *flow, struct weft_rma *rma)
{
	weft_assert_held(&flow->path->lock);
	WRITE_ONCE(flow->cold, flow->cold + 1);
	flow->ref++;
	rma->cold = flow;
}

/* Execute a write. The message is in lep->rx.active. */
static void weft_rma_local_write(struct weft_flow *flow, struct weft_txm *txm,
				 struct weft_rxm *rxm, struct weft_out *out)
{
	weft_rma_join(rxm, txm);
	if (txm->user) {
		rxm->rma->skip = 0;
		rxm->bulk.room = rxm->len;
		if (rxm->ep->conf.flags & WEFT_EPF_ORDERED)
			weft_rma_local_hold(flow, rxm->rma);
		weft_rxm_step(rxm, out);
		return;
	}
	rxm->buf = txm->buf;
	txm->buf = NULL;
	rxm->whole = true;
	if (!weft_rma_run(rxm, out))
		weft_rma_local_hold(flow, rxm->rma);
}

/* Execute a read. The message is in lep->rx.active. */
static void weft_rma_local_read(struct weft_flow *flow, struct weft_txm *txm,
				struct weft_rxm *rxm, const struct weft_req *req,
				struct weft_out *out)
{
	if (weft_rma_source(rxm, flow, req, out->now)) {
		weft_rxm_finish(rxm, ENOMEM, out);
		weft_send_end(txm, ENOMEM, out);
		return;
	}
	if (req->len <= WEFT_RMA_SHORT)
		weft_rma_local_hold(flow, rxm->rma);
	weft_rma_start(txm);
	weft_rma_join(txm->rxm, rxm->rma->txm);
	weft_rxm_step(txm->rxm, out);
}

/* Execute an atomic operation with results. The message is in lep->rx.active. */
static void weft_rma_local_fetch(struct weft_flow *flow, struct weft_txm *txm,
				 struct weft_rxm *rxm, struct weft_out *out)
{
	struct weft_rma *rma = rxm->rma;

	rma->res = weft_ep_alloc(flow->lep, rma->len);
	if (!rma->res) {
		weft_rxm_finish(rxm, ENOMEM, out);
		weft_send_end(txm, ENOMEM, out);
		return;
	}
	weft_rma_start(txm);
	weft_rxm_get(txm->rxm);
	rma->sink = txm->rxm;
	rxm->buf = txm->buf;
	txm->buf = NULL;
	rxm->whole = true;
	if (!weft_rma_run(rxm, out))
		weft_rma_local_hold(flow, rma);
}

/**
 * weft_rma_local_held - execute an operation within the node
 * @flow: its flow; core->local is locked
 * @txm: its send, on no list; its endpoint's ep->sq_mutex is held
 * @out: output
 *
 * Return: 0, negative errno: refused.
 */
int weft_rma_local_held(struct weft_flow *flow, struct weft_txm *txm, struct weft_out *out)
{
	struct weft_req req weft_unset;
	struct weft_ep *lep = flow->lep;
	struct weft_rxm *rxm;
	int head, err;

	weft_mutex_assert_held(&flow->ep->sq_mutex);
	weft_assert_held(&flow->path->lock);
	if (flow->dead)
		return -(int)flow->dead;
	head = weft_wire_req_get(txm->buf, txm->user ? txm->req : (u32)txm->len, &req);
	if (WARN_ON_ONCE(head < 0))
		return head;
	rxm = weft_rma_message(flow, txm);
	if (!rxm)
		return -ENOMEM;
	weft_rxm_get(rxm);
	weft_lock(&lep->lock);
	err = weft_local_refused(lep);
	rxm->src = weft_local_src(flow);
	if (!err)
		err = weft_rma_open(rxm, lep, &req, (u32)head);
	weft_unlock(&lep->lock);
	if (err || (req.op == WEFT_RMA_READ && !req.len)) {
		weft_rxm_finish(rxm, -err, out);
		if (!err)
			weft_send_done(txm, 0, out);
		goto out;
	}
	txm->state = WEFT_TXM_LOCAL;
	flow->ref++;
	weft_txm_get(txm);
	weft_txm_enter(txm, &flow->txms, out->now);
	if (req.op == WEFT_RMA_READ)
		weft_rma_local_read(flow, txm, rxm, &req, out);
	else if (weft_req_fetches(req.op))
		weft_rma_local_fetch(flow, txm, rxm, out);
	else
		weft_rma_local_write(flow, txm, rxm, out);
out:
	weft_rxm_put(rxm);
	return err;
}

/**
 * weft_rma_local - execute an entry within the node
 * @ep: the endpoint; ep->sq_mutex is held, ep->tx.hand is set
 * @flow: its flow
 * @e: the entry
 * @out: output
 *
 * Context: may sleep.
 * Return: 0, negative errno: refused.
 */
int weft_rma_local(struct weft_ep *ep, struct weft_flow *flow, const struct weft_sq_entry *e,
		   struct weft_out *out)
{
	struct weft_path *path = flow->path;
	struct weft_txm *txm;
	int err;

	weft_mutex_assert_held(&ep->sq_mutex);
	weft_count(ep->core, msgs_local);
	weft_count(ep->core, msgs_received);
	txm = weft_rma_keep(ep, e, flow);
	if (IS_ERR(txm))
		return (int)PTR_ERR(txm);
	weft_lock(&path->lock);
	err = weft_rma_local_held(flow, txm, out);
	if (err)
		weft_send_done(txm, -err, out);
	weft_unlock(&path->lock);
	weft_txm_put(txm, out);
	return 0;
}
