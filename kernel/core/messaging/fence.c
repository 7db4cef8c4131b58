// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - fences: a send, and all behind it, wait for those before it to the same destination
 *
 * On an endpoint with WEFT_EPF_FENCE every send is WEFT_SQ_TRACKED: it asks for DONE and stays on
 * flow->txms until it is delivered (or matched, where it asked for that), or has failed, though it
 * is told of at its own level. So an empty flow->txms says that all earlier sends are through.
 *
 *	taken from the ring --no fence holds it--> on its way (send.c, local.c)
 *	          \--held--> flow->fenced, not told of --flow->txms is empty--> on its way
 *
 * A held send has its payload, or the program's memory named, and takes a struct weft_txm: so the
 * transmit size bounds them. They are let go by whoever consumes the send ring, since a send within
 * the node needs that place: a worker is called when the last send under way is over.
 *
 * Locks: ep->sq_mutex -> path->lock -> ep->lock.
 */
#include "core/messaging/messaging.h"

/**
 * weft_fence_holds - has a send to wait?
 * @flow: its flow; ep->sq_mutex is held
 * @e: the entry
 *
 * Return: something is held already, or it is a fence and others are under way.
 */
bool weft_fence_holds(struct weft_flow *flow, const struct weft_sq_entry *e)
{
	bool holds;

	weft_lock(&flow->path->lock);
	holds = !weft_list_empty(&flow->fenced) ||
		(e->flags & WEFT_SQ_FENCE && !weft_list_empty(&flow->txms));
	weft_unlock(&flow->path->lock);
	return holds;
}

/**
 * weft_fence_hold - hold a send back
 * @ep: the endpoint; ep->sq_mutex is held, ep->hand is there
 * @flow: its flow
 * @e: the entry
 * @out: output
 *
 * Sleeps. Return: 0, negative errno: not taken.
 */
int weft_fence_hold(struct weft_ep *ep, struct weft_flow *flow, const struct weft_sq_entry *e,
		    struct weft_out *out)
{
	struct weft_txm *txm = weft_send_keep(ep, e, flow, NULL);

	if (IS_ERR(txm))
		return (int)PTR_ERR(txm);
	if (weft_list_empty(&flow->fnode))
		weft_list_add_tail(&ep->fences, &flow->fnode);
	weft_lock(&flow->path->lock);
	if (flow->dead) {
		weft_send_done(txm, flow->dead, out);
		weft_txm_put(txm, out);
	} else {
		flow->ref++;
		weft_list_add_tail(&flow->fenced, &txm->node);
		weft_fence_check(flow, out);
	}
	weft_unlock(&flow->path->lock);
	return 0;
}

/* The first held send of a flow, if it may go: taken off the list. The path is locked. */
static struct weft_txm *weft_fence_next(struct weft_flow *flow)
{
	struct weft_list *l = weft_list_first(&flow->fenced);
	struct weft_txm *txm;

	if (!l)
		return NULL;
	txm = weft_entry(l, struct weft_txm, node);
	if (txm->flags & WEFT_SQ_FENCE && !weft_list_empty(&flow->txms))
		return NULL;
	weft_list_del(l);
	return txm;
}

/* Within the node. The path is locked. */
static void weft_fence_local(struct weft_flow *flow, struct weft_txm *txm, struct weft_out *out)
{
	int err;

	weft_count(flow->path->core, msgs_local);
	weft_count(flow->path->core, msgs_received);
	err = weft_local_fenced(flow, txm, out);

	if (err)
		weft_send_done(txm, -err, out);
	weft_txm_put(txm, out);
	weft_flow_put(flow);
}

/* Let go of what may go. Return: all of it has gone. */
static bool weft_fence_flow(struct weft_ep *ep, struct weft_flow *flow, struct weft_out *out)
{
	struct weft_path *path = flow->path;
	struct weft_txm *txm;
	bool all;

	do {
		/* without memory it stays as it is: the next notify call tries again */
		if (flow->lep && !weft_local_spare(ep)) {
			WRITE_ONCE(ep->fence_go, true);
			return false;
		}
		weft_lock(&path->lock);
		txm = weft_fence_next(flow);
		if (txm && flow->lep)
			weft_fence_local(flow, txm, out);
		else if (txm)
			weft_send_queue(txm, out);
		all = weft_list_empty(&flow->fenced);
		weft_path_output(path, out);
		weft_unlock(&path->lock);
		if (out->ntx > WEFT_OUT_TX / 2 || out->ncopy > WEFT_OUT_COPY / 2)
			weft_flush(out);
	} while (txm);
	return all;
}

/**
 * weft_fence_run - let go of what fences do not hold any more
 * @ep: the endpoint; ep->sq_mutex is held
 * @out: output; flushed when it fills up
 *
 * Sleeps. Bounded by the sends of the endpoint.
 */
void weft_fence_run(struct weft_ep *ep, struct weft_out *out)
{
	struct weft_list *l, *tmp;

	weft_lock(&ep->lock);
	WRITE_ONCE(ep->fence_go, false);
	weft_unlock(&ep->lock);
	weft_list_for_each_safe(l, tmp, &ep->fences) {
		struct weft_flow *flow = weft_entry(l, struct weft_flow, fnode);

		if (weft_fence_flow(ep, flow, out))
			weft_list_del(l);
	}
}

/**
 * weft_fence_drop - held sends do not go out any more
 * @flow: the flow; its path is locked; the caller has a reference on it or it stays on a list
 * @status: errno
 * @out: output
 */
void weft_fence_drop(struct weft_flow *flow, int status, struct weft_out *out)
{
	struct weft_list *l;

	weft_assert_held(&flow->path->lock);
	while ((l = weft_list_first(&flow->fenced))) {
		struct weft_txm *txm = weft_entry(l, struct weft_txm, node);

		weft_list_del(l);
		weft_send_done(txm, status, out);
		weft_txm_put(txm, out);
		weft_flow_put(flow);
	}
}
