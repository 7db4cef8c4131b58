// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - generations, addresses, retries and outputs of a core
 *
 * All layers above use these functions.
 *
 * Locks: core->svc_lock and the lock of core->local, taken here.
 */
#include "core/object/object.h"

/**
 * weft_core_gen - get an unused generation
 * @core: the core
 *
 * Return: the generation, not 0.
 */
u32 weft_core_gen(struct weft_core *core)
{
	u32 gen;

	weft_lock(&core->svc_lock);
	if (!++core->next_gen)
		++core->next_gen;
	gen = core->next_gen;
	weft_unlock(&core->svc_lock);
	return gen;
}

/**
 * weft_core_own - is this an address of the node itself?
 * @core: the core
 * @addr: address
 *
 * Return: true if it is.
 */
bool weft_core_own(const struct weft_core *core, const struct weft_sockaddr *addr)
{
	u32 i;

	for (i = 0; i < core->naddr; i++)
		if (weft_addr_same_node(&core->addr[i], addr))
			return true;
	return false;
}

/**
 * weft_core_at - have the timer of core->local do a task
 * @core: the core
 * @due: when the task is due: core->retry_at, core->monitor_at
 * @at: when to do it, at the latest
 *
 * Context: core->local is not locked.
 */
void weft_core_at(struct weft_core *core, weft_ns *due, weft_ns at)
{
	weft_lock(&core->local->lock);
	*due = min(*due, at);
	weft_path_deadline(core->local, *due);
	weft_unlock(&core->local->lock);
}

/**
 * weft_core_due - the timer of core->local has expired: is a task due?
 * @core: the core
 * @due: as above
 * @now: time
 *
 * Context: core->local is not locked.
 * Return: true: it is, and is not any more; false: not yet, the timer is set again.
 */
bool weft_core_due(struct weft_core *core, weft_ns *due, weft_ns now)
{
	bool is;

	weft_lock(&core->local->lock);
	is = *due <= now;
	if (is)
		*due = U64_MAX;
	else if (*due != U64_MAX)
		weft_path_deadline(core->local, *due);
	weft_unlock(&core->local->lock);
	return is;
}

/**
 * weft_core_retry - have a timer try an endpoint again that waits for a path or for memory
 * @ep: the endpoint, not dead
 * @now: time
 *
 * Context: neither the core nor core->local is locked, nor is the endpoint.
 */
void weft_core_retry(struct weft_ep *ep, weft_ns now)
{
	struct weft_core *core = ep->core;

	weft_lock(&core->lock);
	if (weft_list_empty(&ep->retry) && !weft_list_empty(&ep->node))
		weft_list_add_tail(&core->retries, &ep->retry);
	weft_unlock(&core->lock);
	weft_core_at(core, &core->retry_at, now + WEFT_RETRY_NS);
}

/**
 * weft_out_init - initialize an empty output
 * @out: output
 * @core: the core
 */
void weft_out_init(struct weft_out *out, struct weft_core *core)
{
	out->core = core;
	out->now = 0;
	out->ntx = 0;
	out->ncopy = 0;
	weft_list_init(&out->more);
	weft_list_init(&out->wake);
	weft_list_init(&out->wake_eq);
	weft_list_init(&out->deferred);
	weft_list_init(&out->start);
	weft_list_init(&out->grant);
	weft_list_init(&out->serve);
}
