// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - end of the messages that are under way on a flow
 *
 * Sends of the sending side fail or are withdrawn. Incomplete messages of the receiving side are
 * dropped.
 *
 * Locks: path->lock, held by the caller.
 */
#include "core/messaging/messaging.h"

/* Count a send that ends with its flow, if it is a datagram that has waited for its path. */
static void weft_flow_lost(struct weft_flow *flow)
{
	if (flow->ep->conf.type == WEFT_EP_DGRAM)
		weft_count(flow->path->core, dgrams_dropped);
}

/**
 * weft_flow_gave_up - count and report messages that were given up after their sends had succeeded
 * @path: their path, locked
 * @n: number of messages; 0: nothing happens
 * @err: errno, the reason
 */
void weft_flow_gave_up(struct weft_path *path, u32 n, int err)
{
	weft_assert_held(&path->lock);
	if (likely(!n))
		return;
	weft_count_add(path->core, msgs_given_up, n);
	weft_path_note(path, WEFT_NOTE_GIVEN_UP, err, 0, n);
}

/* Return: true if the program takes the message for sent, and the peer has not reported it. */
static bool weft_flow_owes(const struct weft_txm *txm)
{
	return txm->tx.told && !txm->tx.placed && txm->state != WEFT_TXM_LOCAL;
}

/**
 * weft_flow_fail - mark a flow as dead and fail its sends
 * @flow: the flow; its path is locked; the caller has a reference, or the flow stays on the path's
 *	list
 * @err: errno
 * @out: output
 *
 * Return: number of messages that were given up: for weft_flow_gave_up().
 */
u32 weft_flow_fail(struct weft_flow *flow, int err, struct weft_out *out)
{
	struct weft_list *l;
	bool told = false;
	u32 n = 0;

	weft_assert_held(&flow->path->lock);
	flow->ref++;
	if (!flow->dead)
		WRITE_ONCE(flow->dead, err);
	while ((l = weft_list_first(&flow->txms))) {
		struct weft_txm *txm = weft_entry(l, struct weft_txm, node);

		told |= !txm->tx.told;
		n += weft_flow_owes(txm);
		weft_flow_lost(flow);
		weft_send_done(txm, err, out);
		if (flow->lep)
			weft_local_withdraw(txm, out);
		else
			weft_send_over(txm, out);
	}
	told |= !weft_list_empty(&flow->fenced);
	weft_fence_drop(flow, err, out);
	if (told)
		weft_flow_cut(flow);
	weft_flow_check(flow, out);
	weft_flow_put(flow);
	return n;
}

/**
 * weft_flow_withdraw - fail the sends of a flow and withdraw them from the peer
 * @flow: the flow; its path is locked; the caller has a reference
 * @err: errno, for the peer too
 * @out: output
 *
 * Return: number of messages that were given up: for weft_flow_gave_up().
 */
u32 weft_flow_withdraw(struct weft_flow *flow, int err, struct weft_out *out)
{
	struct weft_list *l;
	u32 n = 0;

	weft_assert_held(&flow->path->lock);
	while ((l = weft_list_first(&flow->txms))) {
		struct weft_txm *txm = weft_entry(l, struct weft_txm, node);

		/* the send may be over, and in use again, when its last reference is dropped */
		weft_txm_get(txm);
		n += weft_flow_owes(txm);
		weft_flow_lost(flow);
		weft_send_abandon(txm, err, out);
		if (txm->state != WEFT_TXM_OVER)
			weft_send_over(txm, out);
		weft_txm_put(txm, out);
	}
	return n;
}

/**
 * weft_flow_expire - end a closing flow that has taken too long
 * @flow: the flow; its path is locked
 * @out: output
 */
void weft_flow_expire(struct weft_flow *flow, struct weft_out *out)
{
	weft_assert_held(&flow->path->lock);
	flow->ref++;
	weft_flow_gave_up(flow->path, weft_flow_withdraw(flow, ETIMEDOUT, out), ETIMEDOUT);
	if (!flow->dead)
		WRITE_ONCE(flow->dead, ETIMEDOUT);
	if (flow->conn && !flow->ended) {
		flow->ended = true;
		weft_cm_quiet(flow->conn, out);
	}
	weft_flow_check(flow, out);
	weft_flow_put(flow);
}

/**
 * weft_rflow_gone - the endpoint of a flow has gone: report it to the sender, drop later messages
 * @rf: the flow; its path is locked
 * @out: output
 */
void weft_rflow_gone(struct weft_rflow *rf, struct weft_out *out)
{
	weft_assert_held(&rf->path->lock);
	if (rf->gone)
		return;
	rf->gone = true;
	weft_recv_lose_early(rf, out);
	/* before EPGONE */
	if (rf->report.n)
		weft_ctl_put(rf->path, rf->lane, &rf->report.ctl);
	/* a connection reports its end by FIN */
	if (!rf->conn)
		weft_ctl_put(rf->path, rf->lane, &rf->ctl);
}

/**
 * weft_rflow_free - free a flow that receives nothing more
 * @rf: the flow; its path is locked
 * @out: output
 */
void weft_rflow_free(struct weft_rflow *rf, struct weft_out *out)
{
	struct weft_path *path = rf->path;
	struct weft_list *l;

	weft_assert_held(&rf->path->lock);
	weft_recv_lose_early(rf, out);
	while ((l = weft_list_first(&rf->partial))) {
		struct weft_rxm *rxm = weft_entry(l, struct weft_rxm, fnode);

		weft_list_del(l);
		weft_rxm_fail(rxm, ECONNRESET, out);
	}
	weft_ctl_drop(&rf->ctl, out);
	weft_ctl_drop(&rf->credit, out);
	weft_report_end(rf, out);
	weft_list_del(&rf->starved);
	if (rf->conn)
		rf->conn->rflow = NULL;
	weft_credit_end(rf);
	if (unlikely(rf->back))
		weft_rma_back_end(rf, out);
	if (unlikely(rf->nrefused))
		weft_refuse_end(rf);
	weft_list_del(&rf->node);
	weft_idtable_del(&path->flow.rflows, &rf->idnode);
	path->flow.nrflow--;
	path->nflow--;
	if (rf->ep)
		weft_ep_put(rf->ep);
	weft_free(rf);
}

/**
 * weft_rflows_free - free all flows of a path that receive nothing more
 * @path: the path, locked
 * @out: output
 */
void weft_rflows_free(struct weft_path *path, struct weft_out *out)
{
	struct weft_list *l;

	weft_assert_held(&path->lock);
	while ((l = weft_list_first(&path->flow.rlist)))
		weft_rflow_free(weft_entry(l, struct weft_rflow, node), out);
}
