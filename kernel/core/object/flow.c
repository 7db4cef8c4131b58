// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - flows as objects: references, and tables of a path
 *
 * References are a plain number, because a flow changes only under its path's lock.
 *
 * Locks: path->lock, held by the caller.
 */
#include "core/object/object.h"

/**
 * weft_flow_unlist - remove a flow from the tables
 * @flow: the flow; its path is locked
 */
void weft_flow_unlist(struct weft_flow *flow)
{
	weft_assert_held(&flow->path->lock);
	if (weft_list_empty(&flow->node))
		return;
	weft_list_del(&flow->node);
	weft_idtable_del(&flow->path->flow.ids, &flow->idnode);
	weft_timeq_set(&flow->path->flow.closing, &flow->close, U64_MAX);
	weft_timeq_set(&flow->path->flow.again, &flow->again, U64_MAX);
	flow->path->nflow--;
}

/**
 * weft_flow_free - free a flow that is on no list
 * @flow: the flow
 */
void weft_flow_free(struct weft_flow *flow)
{
	if (flow->lingers)
		weft_user_give(flow->ep->user, WEFT_USE_LINGERS, 1);
	if (flow->lep)
		weft_ep_put(flow->lep);
	weft_ep_put(flow->ep);
	weft_path_put(flow->path);
	weft_free(flow);
}

/**
 * weft_flow_put - drop a reference
 * @flow: the flow; its path is locked, and referenced by the caller
 */
void weft_flow_put(struct weft_flow *flow)
{
	weft_assert_held(&flow->path->lock);
	if (--flow->ref)
		return;
	weft_flow_unlist(flow);
	weft_flow_free(flow);
}

/**
 * weft_flow_by_gen - find the sending side of a flow
 * @path: the path, locked
 * @gen: generation of this side
 *
 * Return: the flow or NULL.
 */
struct weft_flow *weft_flow_by_gen(struct weft_path *path, u32 gen)
{
	struct weft_list *l;

	weft_assert_held(&path->lock);
	weft_list_for_each(l, weft_idtable_chain(&path->flow.ids, gen)) {
		struct weft_flow *flow = weft_entry(l, struct weft_flow, idnode.list);

		if (flow->id.sgen == gen)
			return flow;
	}
	return NULL;
}

/**
 * weft_rflow_find - find the receiving side of a flow
 * @path: the path, locked
 * @ssvc: sender's service
 * @sgen: generation of the sending side
 *
 * Return: the flow or NULL.
 */
struct weft_rflow *weft_rflow_find(struct weft_path *path, u16 ssvc, u32 sgen)
{
	u32 id = weft_rflow_id(path, ssvc, sgen);
	struct weft_list *l;

	weft_assert_held(&path->lock);
	weft_list_for_each(l, weft_idtable_chain(&path->flow.rflows, id)) {
		struct weft_rflow *rf = weft_entry(l, struct weft_rflow, idnode.list);

		if (rf->id.sgen == sgen && rf->id.ssvc == ssvc)
			return rf;
	}
	return NULL;
}
