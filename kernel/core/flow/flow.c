// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - flows: one for each pair of endpoints and direction; the order of messages
 *
 * The sending side (struct weft_flow) numbers messages. The receiving side (struct weft_rflow)
 * offers them to matching in that order. The generation of the sending side names the flow on a
 * path: a flow that begins again is a new flow.
 *
 *	sending:   asking --CREDIT--> accepted (contact.c)
 *		   accepted --endpoint ends, or closes--> closing --all acknowledged--> ended
 *	             \--EPGONE, path died--> dead --all acknowledged--> ended
 *		   ended: ABORT of all later messages, or FIN, reports it to the peer
 *	receiving: open --endpoint has gone--> gone: EPGONE was sent; messages are dropped until the
 *		   sender reports the end of its flow
 *
 * Locks: path->lock protects flows. ep->sq_mutex protects ep->flow.list, its elements and the
 * reference that the list holds.
 */
#include "core/flow/flow.h"

/* ---- Sending --------------------------------------------------------------------- */

/**
 * weft_flow_lane - lane of a flow in class FIRST
 * @id: the flow
 *
 * It is the same for both directions of a pair of services: packets of one direction carry the
 * acknowledgements of the other.
 *
 * Return: number of the lane.
 */
u8 weft_flow_lane(const struct weft_flowid *id)
{
	return (id->ssvc + id->dsvc) % WEFT_CLASS_LANES;
}

/**
 * weft_flow_init - initialize a flow in zeroed memory, on no list
 * @flow: the flow
 * @ep: our endpoint
 * @path: the path
 */
void weft_flow_init(struct weft_flow *flow, struct weft_ep *ep, struct weft_path *path)
{
	weft_ep_get(ep);
	weft_path_get(path);
	flow->ep = ep;
	flow->path = path;
	flow->ref = 1;
	weft_timeq_node_init(&flow->again);
	weft_timeq_node_init(&flow->close);
	weft_list_init(&flow->ep_node);
	weft_idnode_init(&flow->peer_node);
	weft_list_init(&flow->node);
	weft_idnode_init(&flow->idnode);
	weft_list_init(&flow->txms);
	weft_list_init(&flow->parked);
	weft_list_init(&flow->headless);
	weft_list_init(&flow->fenced);
	weft_list_init(&flow->fnode);
	weft_ctl_init(&flow->ctl, WEFT_CTL_FLOW);
}

/**
 * weft_flow_new - allocate a flow, which is not yet on a list of its path
 * @ep: our endpoint
 * @path: the path
 * @peer: remote endpoint
 *
 * Context: may sleep.
 * Return: the flow with one reference, or NULL.
 */
struct weft_flow *weft_flow_new(struct weft_ep *ep, struct weft_path *path,
				const struct weft_sockaddr *peer)
{
	struct weft_flow *flow = weft_alloc_sleep(sizeof(*flow));

	if (!flow)
		return NULL;
	weft_flow_init(flow, ep, path);
	flow->peer = *peer;
	flow->id.ssvc = be16_to_cpu(ep->addr.port);
	flow->id.dsvc = be16_to_cpu(peer->port);
	flow->id.sgen = weft_core_gen(path->core);
	flow->lane = weft_flow_lane(&flow->id);
	/* the peer of a connection, and of datagrams, is not asked */
	flow->accepted = ep->conf.type != WEFT_EP_RDM;
	flow->msg_limit = flow->accepted ? WEFT_CREDIT_MSGS : 0;
	flow->tx_limit = WEFT_CREDIT_BYTES;
	/* the peer has no flow of datagrams */
	flow->ended = ep->conf.type == WEFT_EP_DGRAM;
	return flow;
}

/**
 * weft_flow_add - put a flow on the lists of its path
 * @flow: the flow; its path is locked
 *
 * Return: 0; negative errno: the path is dead.
 */
int weft_flow_add(struct weft_flow *flow)
{
	struct weft_path *path = flow->path;

	weft_assert_held(&flow->path->lock);
	if (path->failing)
		return -(int)path->failing;
	flow->no = ++path->flow.last;
	weft_list_add_tail(&path->flow.list, &flow->node);
	weft_idtable_add(&path->flow.ids, &flow->idnode, flow->id.sgen);
	path->nflow++;
	if (path->state == WEFT_PATHS_UP)
		weft_flow_auth(flow);
	if (!flow->accepted && !path->local)
		weft_ctl_put(path, flow->lane, &flow->ctl);
	return 0;
}

/**
 * weft_flow_check - report the end of a flow to the peer, if it is due
 * @flow: the flow; its path is locked; the caller has a reference
 * @out: output
 */
void weft_flow_check(struct weft_flow *flow, struct weft_out *out)
{
	weft_assert_held(&flow->path->lock);
	if (flow->ended || !(flow->closing || flow->dead))
		return;
	if (!weft_list_empty(&flow->txms) || flow->unacked)
		return;
	if (flow->conn) {
		if (!flow->closing)
			return;
		flow->ended = true;
		weft_cm_quiet(flow->conn, out);
	} else {
		flow->ended = true;
		if (!flow->path->local)
			weft_ctl_put(flow->path, flow->lane, &flow->ctl);
	}
}

/**
 * weft_flow_chunk - write the chunk that a flow's sender withdraws messages with: ABORT
 * @flow: the flow; its path is locked
 * @txm: the withdrawn send; NULL: all later messages of the flow, which has ended
 * @dst: buffer
 * @room: size of the buffer
 *
 * Return: bytes written, 0: not enough space.
 */
u32 weft_flow_chunk(const struct weft_flow *flow, const struct weft_txm *txm, u8 *dst, u32 room)
{
	struct weft_flowid id = flow->id;

	weft_assert_held(&flow->path->lock);
	if (room < weft_wire_size(sizeof(struct weft_w_abort)))
		return 0;
	id.mseq = txm ? txm->mseq : id.mseq + 1;
	return weft_wire_abort_put(dst, &id, txm ? txm->sid : 0, txm ? txm->status : 0);
}

/**
 * weft_flow_recent - set the flow that the next send probably uses
 * @ep: the endpoint; ep->sq_mutex is held
 * @flow: the flow used last, or the only one; NULL: none
 */
void weft_flow_recent(struct weft_ep *ep, struct weft_flow *flow)
{
	bool fast = flow && !ep->flow.slow && READ_ONCE(ep->core->fast);

	weft_mutex_assert_held(&ep->sq_mutex);
	ep->flow.recent = flow;
	ep->flow.far = fast && !flow->path->local;
	/* held sends, and operations under way whose order matters, come first */
	fast = fast && flow->lep && weft_list_empty(&flow->fnode) && !READ_ONCE(flow->cold);
	WRITE_ONCE(ep->flow.near, fast);
}

/*
 * Return: for how long the sends of a closing flow may go on. A receiver that lives may need long
 * to take them: then a user's first flows wait for linger_ns.
 */
static weft_ns weft_flow_linger(struct weft_flow *flow)
{
	const struct weft_conf *conf = &flow->path->core->conf;
	struct weft_user *user = flow->ep->user;

	if (flow->conn || weft_list_empty(&flow->txms))
		return READ_ONCE(conf->dead_ns);
	if (weft_user_take(flow->path->core, user, WEFT_USE_LINGERS, 1))
		return READ_ONCE(conf->dead_ns);
	flow->lingers = true;
	return READ_ONCE(conf->linger_ns);
}

/**
 * weft_flow_closing - an endpoint sends no more on a flow: limit the time of sends under way
 * @flow: the flow, not closing yet; its path is locked
 * @at: time at which weft_flow_expire() is called. Flows within the node wait for no peer
 */
void weft_flow_closing(struct weft_flow *flow, weft_ns at)
{
	struct weft_path *path = flow->path;

	weft_assert_held(&path->lock);
	flow->closing = true;
	if (!path->local && !weft_list_empty(&flow->node))
		weft_path_timed(path, &path->flow.closing, &flow->close, at);
}

/**
 * weft_flow_forget - close a flow of an endpoint
 * @flow: in ep->flow.list; ep->sq_mutex is held, no lock
 * @out: output
 *
 * Sends under way continue, for at most linger_ns.
 */
void weft_flow_forget(struct weft_flow *flow, struct weft_out *out)
{
	struct weft_path *path = flow->path;

	weft_mutex_assert_held(&flow->ep->sq_mutex);
	weft_list_del(&flow->ep_node);
	weft_idtable_del(&flow->ep->flow.peers, &flow->peer_node);
	weft_list_del(&flow->fnode);
	if (flow->ep->flow.recent == flow)
		weft_flow_recent(flow->ep, NULL);
	weft_path_get(path);
	weft_lock(&path->lock);
	if (!flow->closing)
		weft_flow_closing(flow, out->now + weft_flow_linger(flow));
	weft_flow_check(flow, out);
	weft_flow_put(flow);
	weft_path_output(path, out);
	weft_unlock(&path->lock);
	weft_path_put(path);
}

/* Return: true if more may be sent on the flow. */
static bool weft_flow_alive(const struct weft_flow *flow)
{
	return !READ_ONCE(flow->dead) &&
	       !(flow->lep && READ_ONCE(flow->lep->state) == WEFT_EPS_DEAD);
}

/* Return: number of a destination in ep->flow.peers. Others may have the same number. */
static u32 weft_flow_peer(const struct weft_sockaddr *peer)
{
	u64 half[2];

	BUILD_BUG_ON(sizeof(half) != sizeof(peer->addr));
	memcpy(half, peer->addr, sizeof(half));
	half[0] *= 0x9e3779b97f4a7c15ull;
	half[1] = (half[0] ^ half[1] ^ be16_to_cpu(peer->port)) * 0x9e3779b97f4a7c15ull;
	return (u32)(half[1] >> 32);
}

/*
 * Make a flow to endpoint @peer of this node. Without that endpoint a flow of messages waits for it
 * (contact.c). May sleep. Return: the flow, ERR_PTR(-ECONNREFUSED, -ENOMEM).
 */
static struct weft_flow *weft_flow_local(struct weft_ep *ep, const struct weft_sockaddr *peer,
					 struct weft_out *out)
{
	struct weft_ep *lep = weft_contact_service(ep, be16_to_cpu(peer->port));
	struct weft_path *path = ep->core->local;
	struct weft_flow *flow;

	if (!lep && ep->conf.type == WEFT_EP_DGRAM) {
		weft_count(ep->core, no_service);
		return ERR_PTR(-ECONNREFUSED);
	}
	flow = weft_flow_new(ep, path, peer);
	if (!flow) {
		if (lep)
			weft_ep_put(lep);
		return ERR_PTR(-ENOMEM);
	}
	flow->lep = lep;
	weft_lock(&path->lock);
	weft_flow_add(flow);
	if (lep)
		flow->accepted = true;
	else
		weft_contact_refused(flow, out->now);
	weft_unlock(&path->lock);
	return flow;
}

static struct weft_flow *weft_flow_make(struct weft_ep *ep, const struct weft_sockaddr *peer,
					struct weft_out *out)
{
	struct weft_flow *flow;
	struct weft_path *path;
	bool again;
	int err;

	if (weft_core_own(ep->core, peer))
		return weft_flow_local(ep, peer, out);
	do {
		path = weft_path_find(ep->core, peer, out);
		if (IS_ERR(path))
			return ERR_CAST(path);
		flow = weft_flow_new(ep, path, peer);
		if (flow) {
			weft_lock(&path->lock);
			err = weft_flow_add(flow);
			weft_path_output(path, out);
			weft_unlock(&path->lock);
			if (err)
				weft_flow_free(flow);
		} else {
			err = -ENOMEM;
		}
		again = err && weft_path_gone(path);
		weft_path_put(path);
	} while (unlikely(again));
	return err ? ERR_PTR(err) : flow;
}

/**
 * weft_flow_cut - sends of a dead flow have failed: those behind them in the ring fail, too
 * @flow: the flow; its path is locked
 *
 * They were posted before the program could know that. Otherwise a later message could pass a lost
 * one (FI_ORDER_SAS of fi_endpoint(3)). Datagrams have no order.
 */
void weft_flow_cut(struct weft_flow *flow)
{
	struct weft_ep *ep = flow->ep;

	weft_assert_held(&flow->path->lock);
	if (ep->conf.type == WEFT_EP_DGRAM)
		return;
	weft_lock(&ep->lock);
	if (ep->state != WEFT_EPS_DEAD) {
		flow->cut = true;
		flow->cut_at = READ_ONCE(ep->conf.doorbell->sq_tail);
	}
	weft_unlock(&ep->lock);
}

/*
 * Was the entry at index @at posted before its program could know that the flow is dead? The first
 * entry finds it out if an endpoint of this node has gone. Return: 0: no; negative errno of the
 * flow's end, for the entry.
 */
static int weft_flow_cut_off(struct weft_flow *flow, u32 at)
{
	u32 before;
	int err;

	weft_lock(&flow->path->lock);
	if (!flow->dead) {
		WRITE_ONCE(flow->dead, ECONNREFUSED);
		weft_flow_cut(flow);
	}
	/* the program may have written any index */
	before = flow->cut_at - at;
	err = flow->cut && before && before <= flow->ep->conf.sq_slots ? -(int)flow->dead : 0;
	weft_unlock(&flow->path->lock);
	return err;
}

/* As weft_flow_find(), when the flow is not the recent one or the address vector has changed. */
static noinline struct weft_flow *weft_flow_look(struct weft_ep *ep, u32 dst, u32 at, u32 gen,
						 struct weft_out *out)
{
	struct weft_sockaddr peer;
	struct weft_av_entry *e;
	struct weft_list *l;
	struct weft_flow *flow;
	int err;
	u32 no;

	weft_rcu_lock();
	e = weft_av_get(ep->av, dst);
	if (e)
		peer = e->addr;
	weft_rcu_unlock();
	if (!e)
		return ERR_PTR(-EINVAL);
	no = weft_flow_peer(&peer);
	weft_list_for_each(l, weft_idtable_chain(&ep->flow.peers, no)) {
		flow = weft_entry(l, struct weft_flow, peer_node.list);
		if (!weft_addr_eq(&flow->peer, &peer))
			continue;
		if (weft_flow_alive(flow))
			goto found;
		err = weft_flow_cut_off(flow, at);
		if (err)
			return ERR_PTR(err);
		weft_flow_forget(flow, out);
		break;
	}
	flow = weft_flow_make(ep, &peer, out);
	if (IS_ERR(flow))
		return flow;
	weft_list_add_tail(&ep->flow.list, &flow->ep_node);
	weft_idtable_add(&ep->flow.peers, &flow->peer_node, no);
found:
	weft_flow_recent(ep, flow);
	ep->flow.recent_dst = dst;
	ep->flow.recent_gen = gen;
	return flow;
}

/**
 * weft_flow_find - find the flow to a destination of a connectionless endpoint, or make it
 * @ep: the endpoint; ep->sq_mutex is held
 * @dst: index in its address vector
 * @at: index of the send in the ring
 * @out: output
 *
 * An address has one flow, even if the vector holds it more than once: endpoints define the order
 * of messages.
 *
 * Context: may sleep.
 * Return: the flow; ERR_PTR(-EINVAL: no such destination, -ECONNREFUSED: no endpoint (local), ...).
 */
struct weft_flow *weft_flow_find(struct weft_ep *ep, u32 dst, u32 at, struct weft_out *out)
{
	struct weft_flow *flow = ep->flow.recent;
	u32 gen = weft_av_gen(ep->av);

	weft_mutex_assert_held(&ep->sq_mutex);
	if (likely(flow && ep->flow.recent_dst == dst && ep->flow.recent_gen == gen &&
		   weft_flow_alive(flow)))
		return flow;
	return weft_flow_look(ep, dst, at, gen, out);
}

/* ---- Receiving ------------------------------------------------------------------- */

/**
 * weft_rflow_new - allocate the receiving side of a flow
 * @path: the path, locked
 * @id: services and generations; the first message is number 1
 * @ep: our endpoint, NULL: none
 *
 * Return: the flow, NULL: no memory, or too many.
 */
struct weft_rflow *weft_rflow_new(struct weft_path *path, const struct weft_flowid *id,
				  struct weft_ep *ep)
{
	struct weft_rflow *rf;

	weft_assert_held(&path->lock);
	if (path->flow.nrflow >= WEFT_RFLOWS_MAX)
		return NULL;
	rf = weft_ep_alloc(ep, sizeof(*rf));
	if (!rf)
		return NULL;
	rf->path = path;
	rf->id = *id;
	rf->id.mseq = 1;
	if (ep) {
		weft_ep_get(ep);
		rf->ep = ep;
		rf->id.dgen = ep->gen;
		rf->auth = weft_job_auth(ep->job, path->token, id, WEFT_AUTH_FLOW);
	}
	rf->lane = weft_flow_lane(id);
	weft_list_init(&rf->early);
	weft_list_init(&rf->partial);
	weft_list_init(&rf->refused);
	weft_list_init(&rf->refusing);
	weft_ctl_init(&rf->ctl, WEFT_CTL_RFLOW);
	rf->no = path->flow.next_rflow++;
	weft_credit_init(rf);
	weft_report_init(rf);
	weft_list_add_tail(&path->flow.rlist, &rf->node);
	weft_idtable_add(&path->flow.rflows, &rf->idnode, weft_rflow_id(path, id->ssvc, id->sgen));
	path->flow.nrflow++;
	path->nflow++;
	return rf;
}

/**
 * weft_rflow_look - find the sender in the receiver's address vector, after a change of the vector
 * @rf: the flow; its path and its endpoint are locked, the endpoint is not dead and has a vector
 * @gen: generation of the vector
 *
 * Return: the index, WEFT_SRC_ANY: not in the vector.
 */
u32 weft_rflow_look(struct weft_rflow *rf, u32 gen)
{
	struct weft_sockaddr addr = rf->path->node.addr;

	weft_assert_held(&rf->path->lock);
	weft_assert_held(&rf->ep->lock);
	addr.port = cpu_to_be16(rf->id.ssvc);
	rf->src = weft_av_find(rf->ep->av, &addr);
	rf->src_gen = gen;
	rf->src_ok = true;
	return rf->src;
}
