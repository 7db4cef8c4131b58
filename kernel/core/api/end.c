// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - what an administrator ends: a path, an endpoint
 *
 * An ended endpoint is in the state ERROR until its program closes it. Its operations have
 * completed with an error. Entries that the program stores later complete with the same error
 * (tx.flush, rx.flush): the status page asks for a notify call for each of them.
 *
 * Locks: the callers hold none. See Documentation/locking.rst for their order.
 */
#include "core/api/internal.h"

static void weft_end_note(const struct weft_ep *ep, int err)
{
	weft_env_note(ep->core, &(struct weft_note){
		.kind = WEFT_NOTE_EP_KILLED,
		.err = err,
		.uid = ep->conf.uid,
		.to = be16_to_cpu(ep->addr.port),
		.addr = &ep->addr,
	});
}

/* api.h describes the functions. */
int weft_core_path_end(struct weft_core *core, const struct weft_sockaddr *addr, bool used, int err,
		       weft_ns now, struct weft_out *out)
{
	struct weft_path *path;
	int ret = 0;

	out->now = now;
	weft_lock(&core->lock);
	path = weft_path_lookup(core, addr);
	if (path)
		weft_path_get(path);
	weft_unlock(&core->lock);
	if (!path)
		return -ENOENT;
	weft_lock(&path->lock);
	if (path->nflow && !used) {
		ret = -EBUSY;
	} else if (!path->failing) {
		weft_gone_tell(path, out);
		weft_path_fail(path, err, out);
	}
	weft_unlock(&path->lock);
	weft_path_put(path);
	return ret;
}

/* Set the endpoint to ERROR. Return: its former state; ERROR or DEAD: it has ended already. */
static u32 weft_end_state(struct weft_ep *ep, int err, struct weft_out *out)
{
	u32 state;

	weft_mutex_assert_held(&ep->sq_mutex);
	weft_lock(&ep->lock);
	state = ep->state;
	if (state < WEFT_EPS_ERROR) {
		ep->tx.flush = (u16)err;
		ep->rx.flush = (u16)err;
		weft_ep_error(ep, err, out);
		if (ep->conf.type != WEFT_EP_PASSIVE)
			weft_ep_st(ep, WEFT_ST_SQ_NOTIFY | WEFT_ST_RQ_NOTIFY, WEFT_ST_CONNECTED);
	}
	weft_unlock(&ep->lock);
	return state;
}

/* End the operations and the connection of an endpoint. Return: 0, -EALREADY. */
static int weft_end_ep(struct weft_ep *ep, int err, struct weft_out *out)
{
	int ret = 0;
	u32 state;

	weft_mutex_lock(&ep->sq_mutex);
	state = weft_end_state(ep, err, out);
	if (state >= WEFT_EPS_ERROR) {
		ret = -EALREADY;
	} else {
		/* barrier E: later posts see the flags; the rings are read after that */
		smp_mb();
		if (state != WEFT_EPS_NEW && state != WEFT_EPS_LISTENING)
			weft_ep_cancel_all(ep, err, out);
		weft_cm_abort(ep, err, out);
	}
	weft_mutex_unlock(&ep->sq_mutex);
	return ret;
}

int weft_core_ep_end(struct weft_core *core, const struct weft_sockaddr *addr, bool used, int err,
		     weft_ns now, struct weft_out *out)
{
	struct weft_ep *ep = weft_core_service(core, be16_to_cpu(addr->port));
	int ret = -ENOENT;

	out->now = now;
	if (!ep)
		return ret;
	if (weft_addr_same_node(&ep->addr, addr))
		ret = used ? weft_end_ep(ep, err, out) : -EBUSY;
	if (!ret)
		weft_end_note(ep, err);
	weft_ep_put(ep);
	return ret;
}
