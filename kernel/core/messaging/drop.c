// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - end the sends and receives of an endpoint without success
 *
 * Locks: each function names the locks that its caller holds.
 */
#include "core/messaging/messaging.h"

/**
 * weft_send_abandon - fail a send that its program no longer wants to be sent
 * @txm: the send; its path is locked
 * @status: errno for the program and for the peer
 * @out: output
 *
 * An eager send that has begun continues: its bytes are in kernel memory.
 */
void weft_send_abandon(struct weft_txm *txm, int status, struct weft_out *out)
{
	weft_assert_held(&txm->path->lock);
	weft_send_done(txm, status, out);
	if (txm->path->local) {
		txm->status = status;
		weft_local_withdraw(txm, out);
		return;
	}
	switch (txm->state) {
	case WEFT_TXM_WAIT:
		if (!txm->begun)
			weft_send_over(txm, out);
		break;
	case WEFT_TXM_ASKED:
	case WEFT_TXM_GRANT:
		txm->status = status;
		txm->bulk.late = txm->state == WEFT_TXM_ASKED && txm->nrec;
		if (!txm->bulk.late)
			weft_ctl_put(txm->path, txm->flow->lane, &txm->ctl);
		weft_send_over(txm, out);
		break;
	}
}

/**
 * weft_ep_drop_sends - end all sends that have not reached their level
 * @ep: the endpoint; ep->sq_mutex is held
 * @status: errno
 * @out: output
 *
 * Sends that have reached their level are still delivered. So are those that reach it when their
 * flow is accepted.
 */
void weft_ep_drop_sends(struct weft_ep *ep, int status, struct weft_out *out)
{
	struct weft_list *f, *l, *tmp;

	weft_mutex_assert_held(&ep->sq_mutex);
	weft_list_for_each(f, &ep->flow.list) {
		struct weft_flow *flow = weft_entry(f, struct weft_flow, ep_node);
		struct weft_path *path = flow->path;

		weft_lock(&path->lock);
		weft_list_for_each_safe(l, tmp, &flow->txms) {
			struct weft_txm *txm = weft_entry(l, struct weft_txm, node);

			if (txm->tx.told || weft_send_copied(txm))
				continue;
			weft_send_abandon(txm, status, out);
		}
		weft_fence_drop(flow, status, out);
		weft_path_output(path, out);
		weft_unlock(&path->lock);
	}
}

/**
 * weft_ep_cancel_all - end all posted operations, with completions
 * @ep: the endpoint, which accepts no more posts; ep->sq_mutex is held
 * @err: errno
 * @out: output; flushed if receives cannot be ended at once
 *
 * Completed sends are still delivered.
 *
 * Context: may sleep.
 */
void weft_ep_cancel_all(struct weft_ep *ep, int err, struct weft_out *out)
{
	weft_mutex_assert_held(&ep->sq_mutex);
	weft_send_drain(ep, err, out);
	weft_ep_drop_sends(ep, err, out);
	/* sends that the canceled ones have held up */
	weft_send_drain(ep, err, out);
	weft_recv_all(ep, out);
	weft_lock(&ep->lock);
	weft_recv_drain(ep, out);
	weft_recv_cancel_all(ep, err, out);
	weft_recv_drop_all(ep, out);
	weft_unlock(&ep->lock);
	while (weft_ep_drop_active(ep, err, out)) {
		weft_flush(out);
		weft_nap();
	}
}

/**
 * weft_ep_drop_active - end all receives that have been matched
 * @ep: the endpoint
 * @err: errno
 * @out: output
 *
 * Return: true if some receives could not be ended yet: the caller flushes and calls again.
 */
bool weft_ep_drop_active(struct weft_ep *ep, int err, struct weft_out *out)
{
	struct weft_list *l;
	u32 n = 0;
	bool more;

	weft_lock(&ep->lock);
	weft_list_for_each(l, &ep->rx.active)
		n++;
	for (; n && (l = weft_list_first(&ep->rx.active)); n--) {
		struct weft_rxm *rxm = weft_entry(l, struct weft_rxm, rx.enode);
		struct weft_path *path = rxm->path;

		weft_list_del(l);
		weft_list_add_tail(&ep->rx.active, l);
		weft_rxm_get(rxm);
		weft_unlock(&ep->lock);
		weft_lock(&path->lock);
		weft_rxm_fail(rxm, err, out);
		weft_path_output(path, out);
		weft_unlock(&path->lock);
		weft_rxm_put(rxm);
		weft_lock(&ep->lock);
	}
	more = !weft_list_empty(&ep->rx.active);
	weft_unlock(&ep->lock);
	return more;
}
