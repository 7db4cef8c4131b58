// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - the first contact of a flow: does the receiving endpoint exist?
 *
 * A flow between RDM endpoints begins with OPEN. The peer answers with the first CREDIT, or with
 * EPGONE: no endpoint has the service, the endpoint has another job, or it keeps too many messages
 * of ended flows. Until the flow is accepted its sends wait, and none completes with success. The
 * peer's program may start a little later than this one. So a refused flow asks again, for as long
 * as the handshake of a path may take (connect_ns):
 *
 *	asking --CREDIT--> accepted
 *	   |  ^
 *	EPGONE| flow->again
 *	   v  |
 *	refused --connect_ns since the first refusal--> dead (ECONNREFUSED)
 *
 * After that EPGONE says that the endpoint has gone: the flow is dead at once.
 *
 * A refusal leaves no state at the peer. A flow within the node looks for the service itself. Its
 * sends are held like those behind a fence (messaging/fence.c), whose worker asks again.
 *
 * Locks: path->lock, held by the caller. See Documentation/locking.rst.
 */
#include "core/flow/flow.h"

#define WEFT_CONTACT_MAX	(500 * NSEC_PER_MSEC)	/* the most, after several refusals */

/* Return: the endpoint of a service, referenced, if it receives messages of type @type; or NULL. */
static struct weft_ep *weft_contact_find(struct weft_core *core, u16 service, u32 type)
{
	struct weft_ep *ep = weft_core_service(core, service);

	if (ep && (ep->conf.type != type || READ_ONCE(ep->state) != WEFT_EPS_ENABLED)) {
		weft_ep_put(ep);
		ep = NULL;
	}
	return ep;
}

/**
 * weft_contact_service - find the receiving endpoint within the node
 * @ep: the sending endpoint
 * @service: service of the receiver
 *
 * Return: the endpoint, referenced, of the same type and job; NULL: there is none.
 */
struct weft_ep *weft_contact_service(struct weft_ep *ep, u16 service)
{
	struct weft_ep *lep = weft_contact_find(ep->core, service, ep->conf.type);

	if (lep && lep->job != ep->job) {
		weft_count(ep->core, wrong_job);
		weft_ep_put(lep);
		lep = NULL;
	}
	return lep;
}

/* ---- The sending side ------------------------------------------------------------ */

/**
 * weft_contact_chunk - write the chunk that begins a flow: OPEN
 * @flow: the flow, which asks; its path is locked
 * @dst: buffer
 * @room: size of the buffer
 *
 * Return: bytes written, 0: not enough space.
 */
u32 weft_contact_chunk(const struct weft_flow *flow, u8 *dst, u32 room)
{
	weft_assert_held(&flow->path->lock);
	if (room < weft_wire_size(sizeof(struct weft_w_open)))
		return 0;
	return weft_wire_open_put(dst, &flow->id, flow->auth);
}

/**
 * weft_contact_later - have the timer of a flow's path look at the flow
 * @flow: the flow; its path is locked
 * @at: time
 */
void weft_contact_later(struct weft_flow *flow, weft_ns at)
{
	struct weft_path *path = flow->path;

	weft_assert_held(&path->lock);
	if (!weft_list_empty(&flow->node))
		weft_path_timed(path, &path->flow.again, &flow->again, at);
}

/**
 * weft_contact_refused - the peer has no endpoint for a flow
 * @flow: the flow; its path is locked
 * @now: time
 *
 * Return: true if the flow asks again later; false: the endpoint had accepted it before, or it has
 * asked for long enough.
 */
bool weft_contact_refused(struct weft_flow *flow, weft_ns now)
{
	struct weft_path *path = flow->path;
	weft_ns wait = WEFT_CONTACT_FIRST << min_t(u32, flow->tries, 6);

	weft_assert_held(&path->lock);
	if (!weft_contact_asks(flow))
		return false;
	if (!flow->tries)
		flow->refused_at = now;
	else if (weft_since(now, flow->refused_at) >= path->core->conf.connect_ns)
		return false;
	flow->tries = min_t(u32, flow->tries + 1, U8_MAX);
	weft_contact_later(flow, now + min_t(weft_ns, wait, WEFT_CONTACT_MAX));
	return true;
}

/**
 * weft_contact_again - ask a peer again for the endpoint of a flow
 * @flow: the flow, not within the node; its path is locked
 */
void weft_contact_again(struct weft_flow *flow)
{
	weft_assert_held(&flow->path->lock);
	if (weft_contact_asks(flow))
		weft_ctl_put(flow->path, flow->lane, &flow->ctl);
}

/**
 * weft_contact_local - look for the endpoint of a flow within the node
 * @flow: the flow, which asks; ep->sq_mutex is held, core->local is locked
 * @out: output
 *
 * Return: true: the flow is accepted, or asks again later; false: it has asked for long enough.
 */
bool weft_contact_local(struct weft_flow *flow, struct weft_out *out)
{
	weft_mutex_assert_held(&flow->ep->sq_mutex);
	weft_assert_held(&flow->path->lock);
	if (flow->again.at != U64_MAX)
		return true;
	flow->lep = weft_contact_service(flow->ep, flow->id.dsvc);
	flow->accepted = flow->lep;
	if (flow->accepted || weft_contact_refused(flow, out->now))
		return true;
	weft_count(flow->path->core, no_service);
	return false;
}

/* ---- The receiving side ---------------------------------------------------------- */

/**
 * weft_contact_refuse - report that a flow has no receiver, and keep nothing
 * @path: the path, locked
 * @id: the flow
 *
 * Return: 0, -ENOMEM: not now.
 */
int weft_contact_refuse(struct weft_path *path, const struct weft_flowid *id)
{
	struct weft_ctl_chunk *note = weft_ctl_chunk_new(path);

	weft_assert_held(&path->lock);
	if (!note)
		return -ENOMEM;
	note->len = weft_wire_epgone_put(note->chunk, id);
	weft_ctl_put(path, weft_flow_lane(id), &note->ctl);
	weft_count(path->core, no_service);
	return 0;
}

/**
 * weft_contact_rx - process an OPEN chunk
 * @path: the path, locked
 * @w: the chunk
 *
 * Return: 0, -ENOMEM: the packet cannot be taken now.
 */
int weft_contact_rx(struct weft_path *path, const struct weft_w_open *w)
{
	u64 auth = be64_to_cpu(w->mark);
	struct weft_flowid id;
	struct weft_rflow *rf;
	struct weft_ep *ep;

	weft_assert_held(&path->lock);
	weft_wire_flow_get(&w->flow, &id);
	/* no kernel opens a flow twice */
	if (weft_rflow_find(path, id.ssvc, id.sgen))
		return 0;
	ep = weft_contact_find(path->core, id.dsvc, WEFT_EP_RDM);
	if (ep && auth != weft_job_auth(ep->job, path->token, &id, WEFT_AUTH_FLOW)) {
		weft_count(path->core, wrong_job);
		goto refuse;
	}
	if (ep && weft_credit_orphaned(ep)) {
		weft_keep_count(ep, WEFT_FULL_ENDPOINT);
		goto refuse;
	}
	if (!ep || path->flow.nrflow >= WEFT_RFLOWS_MAX)
		goto refuse;
	rf = weft_rflow_new(path, &id, ep);
	weft_ep_put(ep);
	if (!rf)
		return -ENOMEM;
	weft_ctl_put(path, rf->lane, &rf->credit);
	return 0;
refuse:
	if (ep)
		weft_ep_put(ep);
	return weft_contact_refuse(path, &id);
}
