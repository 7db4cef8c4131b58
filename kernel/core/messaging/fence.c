// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - fences: a send and those behind it wait for earlier sends to the same destination
 *
 * On an endpoint with WEFT_EPF_FENCE every send is WEFT_SQ_TRACKED: it asks for DONE. It stays on
 * flow->txms until it is delivered (or matched, at level MATCH) or has failed. Its completion is
 * reported earlier, at its own level. So an empty flow->txms means that all earlier sends are
 * complete.
 *
 *	taken from the ring --no fence holds it--> sent (send.c, local.c)
 *	          \--held--> flow->fenced, not reported --flow->txms is empty--> sent
 *
 * A held send has its payload in kernel memory, or the addresses of its segments. It uses a struct
 * weft_txm, so the size of the send ring bounds the number of held sends. The consumer of the send
 * ring releases them, because a send within the node needs that context. A worker is scheduled when
 * the last send under way is over. Sends to an endpoint of this node that does not exist yet are
 * held in the same way (flow/contact.c).
 *
 * Locks: ep->sq_mutex; path->lock and ep->lock are taken here, in the order of
 * Documentation/locking.rst.
 */
#include "core/messaging/messaging.h"

/**
 * weft_fence_holds - does a send have to wait?
 * @flow: its flow; ep->sq_mutex is held
 * @e: the entry
 *
 * Return: true if sends of the flow are held already, or if it is a fence and others are under way.
 */
bool weft_fence_holds(struct weft_flow *flow, const struct weft_sq_entry *e)
{
	bool holds;

	weft_mutex_assert_held(&flow->ep->sq_mutex);
	weft_lock(&flow->path->lock);
	holds = !weft_list_empty(&flow->fenced) ||
		(e->flags & WEFT_SQ_FENCE && !weft_list_empty(&flow->txms));
	weft_unlock(&flow->path->lock);
	return holds;
}

/**
 * weft_fence_hold - hold a send back
 * @ep: the endpoint; ep->sq_mutex is held, ep->tx.hand is set
 * @flow: its flow
 * @e: the entry
 * @out: output
 *
 * Context: may sleep.
 * Return: 0, negative errno: not taken.
 */
int weft_fence_hold(struct weft_ep *ep, struct weft_flow *flow, const struct weft_sq_entry *e,
		    struct weft_out *out)
{
	struct weft_txm *txm = weft_send_keep(ep, e, flow, NULL);

	weft_mutex_assert_held(&ep->sq_mutex);
	if (IS_ERR(txm))
		return (int)PTR_ERR(txm);
	if (weft_list_empty(&flow->fnode))
		weft_list_add_tail(&ep->tx.fences, &flow->fnode);
	weft_lock(&flow->path->lock);
	if (flow->dead) {
		weft_send_done(txm, flow->dead, out);
		weft_txm_put(txm, out);
	} else {
		flow->ref++;
		weft_txm_enter(txm, &flow->fenced, out->now);
		weft_fence_check(flow, out);
	}
	weft_unlock(&flow->path->lock);
	return 0;
}

/* Take the first held send of a flow off the list, if it may be sent. The path is locked. */
static struct weft_txm *weft_fence_next(struct weft_flow *flow)
{
	struct weft_list *l = weft_list_first(&flow->fenced);
	struct weft_txm *txm;

	if (!l || weft_contact_held(flow))
		return NULL;
	txm = weft_entry(l, struct weft_txm, node);
	if ((txm->flags & WEFT_SQ_FENCE || flow->cold) && !weft_list_empty(&flow->txms))
		return NULL;
	weft_list_del(l);
	return txm;
}

/* Send a held send within the node. The path is locked. */
static void weft_fence_local(struct weft_flow *flow, struct weft_txm *txm, struct weft_out *out)
{
	int err;

	if (!txm->req)
		weft_local_arrives(flow, txm->tx.tag, txm->len);
	weft_count(flow->path->core, msgs_local);
	weft_count(flow->path->core, msgs_received);
	err = weft_local_fenced(flow, txm, out);

	if (err)
		weft_send_done(txm, -err, out);
	weft_txm_put(txm, out);
	weft_flow_put(flow);
}

/* Send the held sends of a flow that may be sent. Return: true if none is left. */
static bool weft_fence_flow(struct weft_ep *ep, struct weft_flow *flow, struct weft_out *out)
{
	struct weft_path *path = flow->path;
	struct weft_txm *txm;
	bool all;

	do {
		/* without memory the list stays, and the timer tries again */
		if (path->local && !weft_local_spare(ep, 0)) {
			weft_lock(&path->lock);
			weft_contact_later(flow, out->now + WEFT_CONTACT_FIRST);
			weft_unlock(&path->lock);
			return false;
		}
		weft_lock(&path->lock);
		if (weft_contact_held(flow) && !flow->dead && !weft_contact_local(flow, out)) {
			WRITE_ONCE(flow->dead, ECONNREFUSED);
			weft_fence_drop(flow, ECONNREFUSED, out);
			weft_flow_cut(flow);
		}
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
	return all && (!weft_contact_held(flow) || flow->dead);
}

/**
 * weft_fence_run - send the held sends that fences no longer hold
 * @ep: the endpoint; ep->sq_mutex is held
 * @out: output; flushed when it fills up
 *
 * Context: may sleep. The work is bounded by the sends of the endpoint.
 */
void weft_fence_run(struct weft_ep *ep, struct weft_out *out)
{
	struct weft_list *l, *tmp;

	weft_mutex_assert_held(&ep->sq_mutex);
	weft_list_for_each_safe(l, tmp, &ep->tx.fences) {
		struct weft_flow *flow = weft_entry(l, struct weft_flow, fnode);

		if (!weft_fence_flow(ep, flow, out))
			continue;
		weft_list_del(l);
		/* the fast path may use the flow from now on */
		if (ep->flow.recent == flow)
			weft_flow_recent(ep, flow);
	}
}

/**
 * weft_fence_drop - fail the held sends of a flow
 * @flow: the flow; its path is locked; the caller has a reference, or the flow stays on a list
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
