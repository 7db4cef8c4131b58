// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - a worker closes the flows of an endpoint on idle paths
 *
 * transport/idle.c queues the work.
 *
 * Locks: ep->sq_mutex, path->lock and ep->lock, taken here in the order of
 * Documentation/locking.rst. Process context.
 */
#include "core/api/internal.h"

/* Return: true if a worker may close the flow now. */
static bool weft_idle_flow(const struct weft_flow *flow, weft_ns now)
{
	struct weft_path *path = flow->path;
	bool idle;

	weft_lock(&path->lock);
	idle = path->tidy_until > now && !flow->closing && !flow->unacked &&
	       weft_list_empty(&flow->txms) && weft_list_empty(&flow->fenced);
	weft_unlock(&path->lock);
	return idle;
}

/**
 * weft_idle_work - close the flows of an endpoint on idle paths
 * @ep: the endpoint, of a queued ep->tidy_work
 * @out: output
 *
 * The next message makes a new flow.
 *
 * Context: process context, may sleep.
 */
void weft_idle_work(struct weft_ep *ep, struct weft_out *out)
{
	struct weft_list *l, *tmp;

	weft_mutex_lock(&ep->sq_mutex);
	weft_lock(&ep->lock);
	ep->tidy_work.queued = false;
	weft_unlock(&ep->lock);
	weft_list_for_each_safe(l, tmp, &ep->flow.list) {
		struct weft_flow *flow = weft_entry(l, struct weft_flow, ep_node);

		if (!flow->conn && !flow->path->local && !flow->path->group &&
		    weft_idle_flow(flow, out->now))
			weft_flow_forget(flow, out);
	}
	weft_mutex_unlock(&ep->sq_mutex);
}
