// SPDX-License-Identifier: GPL-2.0-only
/* Checks of the sums that sums.h describes. One thread; no locks. */
#include "core/api/internal.h"
#include "rig.h"
#include "sums.h"

#define WINDOW_MAX	(16ull << 20)	/* of "unexpected-node" */

static void check_early(const struct weft_rflow *rf)
{
	const struct weft_list *l;
	u32 early = 0;

	weft_list_for_each(l, &rf->early) {
		const struct weft_rxm *rxm = weft_entry(l, struct weft_rxm, fnode);

		early += rxm->sid ? 0 : weft_wire_counts(rxm->flags, rxm->len);
	}
	if (early != rf->early_bytes && !rf->gone)
		weft_host_die(__FILE__, __LINE__, "flow: %u bytes came early, not %u", early,
			      rf->early_bytes);
}

static void check_refused(const struct weft_rflow *rf)
{
	const struct weft_list *l;
	u32 n = 0;

	weft_list_for_each(l, &rf->refused)
		n++;
	if (n != rf->nrefused || n > WEFT_CREDIT_STEP || !n != weft_list_empty(&rf->refusing))
		weft_host_die(__FILE__, __LINE__, "flow: %u answers wait, not %u", n,
			      rf->nrefused);
}

void sums_check(const struct weft_path *path)
{
	const struct weft_list *l;
	u64 open = 0;

	weft_list_for_each(l, &path->msg.rxms)
		open += weft_entry(l, struct weft_rxm, node)->flow.open;
	if (open != path->flow.rx_open || open > WINDOW_MAX)
		weft_host_die(__FILE__, __LINE__, "path: %llu eager bytes are open, not %llu",
			      (unsigned long long)open, (unsigned long long)path->flow.rx_open);
	weft_list_for_each(l, &path->flow.rlist) {
		check_early(weft_entry(l, struct weft_rflow, node));
		check_refused(weft_entry(l, struct weft_rflow, node));
	}
}

/**
 * struct kept - memory kept for an endpoint, as the lists say
 * @msgs: messages of other nodes that are kept, and those of this node that wait for a receive
 * @bytes: bytes of @msgs
 * @flow_msgs: those among @msgs whose flow has not ended
 * @flow_bytes: bytes of @flow_msgs
 * @flows: flows that lead to the endpoint
 */
struct kept {
	u64 msgs;
	u64 bytes;
	u64 flow_msgs;
	u64 flow_bytes;
	u64 flows;
};

/* Return: the message's flow has ended. */
static bool is_orphan(const struct weft_rxm *rxm)
{
	const struct weft_rflow *rf;
	bool ended;

	if (!rxm->flow.waited)
		return false;
	weft_lock(&rxm->path->lock);
	rf = weft_rflow_find(rxm->path, rxm->id.ssvc, rxm->id.sgen);
	ended = !rf || rf->no != rxm->flow.rflow;
	weft_unlock(&rxm->path->lock);
	return ended;
}

static void add_kept(const struct weft_rxm *rxm, struct kept *k)
{
	if (!rxm->flow.kept)
		return;
	k->msgs++;
	k->bytes += rxm->flow.kept_bytes;
	if (is_orphan(rxm))
		return;
	k->flow_msgs++;
	k->flow_bytes += rxm->flow.kept_bytes;
}

static void add_path(const struct weft_path *path, const struct weft_ep *ep, struct kept *k)
{
	const struct weft_list *l;

	weft_list_for_each(l, &path->msg.rxms) {
		const struct weft_rxm *rxm = weft_entry(l, struct weft_rxm, node);

		if (rxm->ep == ep)
			add_kept(rxm, k);
	}
	weft_list_for_each(l, &path->flow.rlist)
		k->flows += weft_entry(l, struct weft_rflow, node)->ep == ep;
}

static void add_local(const struct weft_core *core, const struct weft_ep *ep, struct kept *k)
{
	const struct weft_list *l;
	u32 i;

	for (i = 0; i < WEFT_KINDS; i++) {
		weft_list_for_each(l, &ep->rx.match.unexp[i]) {
			const struct weft_munexp *u = weft_entry(l, struct weft_munexp, order);
			const struct weft_rxm *rxm = container_of(u, struct weft_rxm, rx.match);

			if (!rxm->path || rxm->path == core->local)
				add_kept(rxm, k);
		}
	}
	weft_list_for_each(l, &core->local->flow.list)
		k->flows += weft_entry(l, struct weft_flow, node)->lep == ep;
}

/*
 * Return: the limits, @times each, and the credit of @flows flows allow so many messages and bytes.
 */
static bool allowed(const struct weft_conf *conf, u32 times, u64 flows, u64 msgs, u64 bytes)
{
	return msgs <= (u64)times * conf->msgs_ep + flows * (WEFT_CREDIT_MSGS + WEFT_CREDIT_STEP) &&
	       bytes <= times * conf->unexp_ep +
				flows * (WEFT_CREDIT_BYTES + WEFT_CREDIT_STEP_BYTES);
}

static void check_ep(struct rig_node *node, const struct weft_ep *ep)
{
	struct weft_core *core = &node->core;
	struct weft_path *path;
	struct kept k = { 0 };
	u32 pos = 0;

	add_local(core, ep, &k);
	while ((path = weft_path_next(core, &pos))) {
		add_path(path, ep, &k);
		weft_path_put(path);
	}
	if (k.msgs > ep->flow.kept_msgs || k.bytes > ep->flow.kept_bytes)
		weft_host_die(__FILE__, __LINE__,
			      "endpoint: %u messages, %llu bytes are kept, not %llu, %llu",
			      ep->flow.kept_msgs, (unsigned long long)ep->flow.kept_bytes,
			      (unsigned long long)k.msgs, (unsigned long long)k.bytes);
	if (!allowed(&core->conf, 1, k.flows, k.flow_msgs, k.flow_bytes))
		weft_host_die(__FILE__, __LINE__,
			      "endpoint: %llu messages, %llu bytes of %llu flows are kept",
			      (unsigned long long)k.flow_msgs, (unsigned long long)k.flow_bytes,
			      (unsigned long long)k.flows);
	/*
	 * What is kept of a flow stays when the flow ends. When the newest flow began, ended flows
	 * kept less than a limit. Since then only flows that existed have ended. One more flow may
	 * have begun and ended within a single packet.
	 */
	node->flows_most = max_t(u64, node->flows_most, k.flows);
	if (!allowed(&core->conf, 2, node->flows_most + 1, ep->flow.kept_msgs, ep->flow.kept_bytes))
		weft_host_die(__FILE__, __LINE__,
			      "endpoint: %u messages, %llu bytes are kept, of %llu flows at most",
			      ep->flow.kept_msgs, (unsigned long long)ep->flow.kept_bytes,
			      (unsigned long long)node->flows_most);
}

void sums_check_kept(struct rig_node *node)
{
	const struct weft_core *core = &node->core;
	const struct weft_list *l, *m;

	weft_list_for_each(l, &core->eps)
		check_ep(node, weft_entry(l, struct weft_ep, node));
	weft_list_for_each(l, &core->users) {
		const struct weft_user *user = weft_entry(l, struct weft_user, node);
		u64 msgs = 0, bytes = 0;

		weft_list_for_each(m, &core->eps) {
			const struct weft_ep *ep = weft_entry(m, struct weft_ep, node);

			if (ep->user == user) {
				msgs += ep->flow.kept_msgs;
				bytes += ep->flow.kept_bytes;
			}
		}
		/* an endpoint that is being destroyed is not on the list any more */
		if (msgs > (u64)atomic64_read(&user->used[WEFT_USE_MSGS]) ||
		    bytes > (u64)atomic64_read(&user->used[WEFT_USE_BYTES]))
			weft_host_die(__FILE__, __LINE__, "user: %llu messages, %llu bytes",
				      (unsigned long long)msgs, (unsigned long long)bytes);
	}
}
