// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - what is under way on a path, for the administrator: flows, and sends
 *
 * A call copies some of the objects, in the order of their numbers, and reports where the next call
 * continues. So each object appears once at most, and an object that stays during all calls
 * appears.
 *
 * A position names the flow at which the search stands. The table of flows finds it again, so the
 * calls of a dump pass each flow about once.
 *
 * Locks: path->lock is taken for WEFT_LOOK_STEPS objects at a time. Meanwhile others may end the
 * object at which the search stands. Then the search begins again, and passes over the objects
 * before the number that it has reached.
 */
#include "core/api/internal.h"

/**
 * weft_look_near - report what an endpoint of this node is
 * @ep: the endpoint
 * @near: out
 */
void weft_look_near(struct weft_ep *ep, struct weft_near_info *near)
{
	near->program = ep->conf.program;
	near->uid = ep->conf.uid;
	near->addr = ep->addr;
}

/* ---- Flows ------------------------------------------------------------------------ */

static u32 weft_look_state(const struct weft_flow *flow)
{
	if (flow->dead)
		return WEFT_FLOWS_DEAD;
	if (flow->closing)
		return WEFT_FLOWS_CLOSING;
	if (flow->accepted)
		return WEFT_FLOWS_OPEN;
	return flow->tries ? WEFT_FLOWS_REFUSED : WEFT_FLOWS_ASKING;
}

static struct weft_flow_pos weft_look_pos(const struct weft_flow *flow)
{
	return (struct weft_flow_pos){ .no = flow->no, .gen = flow->id.sgen };
}

/* Return: a flow up to that position, from which the search begins; NULL: from the first one. */
static struct weft_flow *weft_look_from(struct weft_path *path, const struct weft_flow_pos *pos)
{
	struct weft_flow *flow = weft_flow_by_gen(path, pos->gen);

	return flow && flow->no <= pos->no ? flow : NULL;
}

static void weft_look_flow(const struct weft_flow *flow, weft_ns now, struct weft_flow_info *info)
{
	const struct weft_list *l = weft_list_first(&flow->txms);

	*info = (struct weft_flow_info){
		.pos = weft_look_pos(flow),
		.state = weft_look_state(flow),
		.peer = flow->peer,
		.last = flow->id.mseq,
		.credit = flow->accepted ? flow->msg_limit - flow->id.mseq : 0,
		.credit_bytes = flow->accepted ? flow->tx_limit - flow->tx_used : 0,
		.waiting = flow->nwait,
		.unacked = flow->unacked,
		.age = l ? weft_since(now, weft_entry(l, struct weft_txm, node)->at) : 0,
	};
	weft_look_near(flow->ep, &info->near);
}

/**
 * weft_path_flows_out - report flows from endpoints of this node on a path
 * @path: the path
 * @now: time
 * @next: where to begin, all 0: at the first one; out: where the next call continues
 * @info: out
 * @n: size of @info
 *
 * Context: may sleep.
 * Return: number of flows reported; fewer than @n: there are no more.
 */
u32 weft_path_flows_out(struct weft_path *path, weft_ns now, struct weft_flow_pos *next,
			struct weft_flow_info *info, u32 n)
{
	struct weft_flow *flow;
	u32 found = 0, goes, i;
	struct weft_list *l;

	for (goes = 0; goes < WEFT_LOOK_GOES; goes++) {
		weft_lock(&path->lock);
		flow = weft_look_from(path, next);
		l = flow ? &flow->node : path->flow.list.next;
		for (i = 0; i < WEFT_LOOK_STEPS && found < n && l != &path->flow.list; i++) {
			flow = weft_entry(l, struct weft_flow, node);
			l = l->next;
			next->gen = flow->id.sgen;
			if (flow->no < next->no)
				continue;
			weft_look_flow(flow, now, &info[found++]);
			next->no = flow->no + 1;
		}
		weft_unlock(&path->lock);
		if (l == &path->flow.list || found == n)
			break;
		weft_yield();
	}
	return found;
}

/*
 * Return: the message that waits for a missing one just before it, NULL: none is missing. A
 * one-sided operation that keeps its turn waits for none.
 */
static const struct weft_rxm *weft_look_early(const struct weft_rflow *rf)
{
	const struct weft_list *l = weft_list_first(&rf->early);
	const struct weft_rxm *rxm = l ? weft_entry(l, struct weft_rxm, fnode) : NULL;

	return rxm && rxm->id.mseq != rf->id.mseq ? rxm : NULL;
}

static void weft_look_rflow(const struct weft_rflow *rf, weft_ns now, struct weft_flow_info *info)
{
	const struct weft_rxm *early = weft_look_early(rf);

	*info = (struct weft_flow_info){
		.pos = { .no = rf->no, .gen = rf->id.sgen, .svc = rf->id.ssvc },
		.in = true,
		.state = rf->gone ? WEFT_FLOWS_DEAD : WEFT_FLOWS_OPEN,
		.peer = rf->path->node.addr,
		.last = rf->id.mseq - 1,
		.credit = rf->told_msgs - rf->id.mseq + 1,
		.credit_bytes = rf->told_bytes - rf->in_bytes,
		.waiting = rf->nwait,
		.early = early ? early->id.mseq : 0,
		.age = early ? weft_since(now, early->rx.at) : 0,
	};
	info->peer.port = cpu_to_be16(rf->id.ssvc);
	if (rf->ep)
		weft_look_near(rf->ep, &info->near);
}

/**
 * weft_path_flows_in - report flows to endpoints of this node on a path
 * @path: the path
 * @now: time
 * @next: as in weft_path_flows_out()
 * @info: out
 * @n: size of @info
 *
 * Context: may sleep.
 * Return: as weft_path_flows_out().
 */
u32 weft_path_flows_in(struct weft_path *path, weft_ns now, struct weft_flow_pos *next,
		       struct weft_flow_info *info, u32 n)
{
	u32 found = 0, goes, i;
	struct weft_rflow *rf;
	struct weft_list *l;

	for (goes = 0; goes < WEFT_LOOK_GOES; goes++) {
		weft_lock(&path->lock);
		rf = weft_rflow_find(path, next->svc, next->gen);
		l = rf && rf->no <= next->no ? &rf->node : path->flow.rlist.next;
		for (i = 0; i < WEFT_LOOK_STEPS && found < n && l != &path->flow.rlist; i++) {
			rf = weft_entry(l, struct weft_rflow, node);
			l = l->next;
			next->gen = rf->id.sgen;
			next->svc = rf->id.ssvc;
			if (rf->no < next->no)
				continue;
			weft_look_rflow(rf, now, &info[found++]);
			next->no = rf->no + 1ull;
		}
		weft_unlock(&path->lock);
		if (l == &path->flow.rlist || found == n)
			break;
		weft_yield();
	}
	return found;
}

/* ---- Sends ------------------------------------------------------------------------ */

/* What a send waits for that has not begun. Its path is locked. */
static u8 weft_look_begin(const struct weft_txm *txm)
{
	const struct weft_flow *flow = txm->flow;
	const struct weft_lane *lane = &flow->path->lane[flow->lane];

	if (!flow->accepted)
		return flow->tries ? WEFT_FOR_ENDPOINT : WEFT_FOR_CONTACT;
	/* a held send is in no queue */
	if (weft_list_empty(&txm->qnode))
		return WEFT_FOR_FENCE;
	if (!weft_credit_begins(flow))
		return WEFT_FOR_CREDIT;
	if (lane->flight >= lane->cwnd || !weft_lane_numbers(lane))
		return WEFT_FOR_WINDOW;
	return WEFT_FOR_TURN;
}

/* What a send waits for whose bytes are granted. Its path is locked. */
static u8 weft_look_granted(const struct weft_txm *txm)
{
	const struct weft_lane *lane = weft_class_lane(txm->flow, WEFT_CLASS_DATA);

	if (txm->sent == txm->len)
		return txm->nrec ? WEFT_FOR_ACK : WEFT_FOR_ANSWER;
	if (txm->bulk.deferred || txm->bulk.work.queued)
		return WEFT_FOR_MEMORY;
	if (txm->sent < txm->bulk.granted)
		return lane->flight >= lane->cwnd ? WEFT_FOR_WINDOW : WEFT_FOR_TURN;
	return txm->nrec ? WEFT_FOR_ACK : WEFT_FOR_GRANT;
}

/* What a send waits for: WEFT_FOR_*. Its path is locked. */
static u8 weft_look_for(const struct weft_txm *txm)
{
	if (!txm->path->local && txm->path->state == WEFT_PATHS_HELLO)
		return WEFT_FOR_HANDSHAKE;
	switch (txm->state) {
	case WEFT_TXM_WAIT:
		return weft_look_begin(txm);
	case WEFT_TXM_SENT:
		return txm->nrec ? WEFT_FOR_ACK : WEFT_FOR_ANSWER;
	case WEFT_TXM_ASKED:
		return WEFT_FOR_RECEIVE;
	case WEFT_TXM_GRANT:
		return weft_look_granted(txm);
	case WEFT_TXM_LOCAL:
		/* the endpoint's lock is not held: the answer may be old */
		return txm->bulk.lrxm && data_race(txm->bulk.lrxm->rx.match.in) ?
			WEFT_FOR_RECEIVE : WEFT_FOR_MEMORY;
	}
	return WEFT_FOR_ANSWER;
}

static void weft_look_send(const struct weft_txm *txm, weft_ns now, struct weft_send_info *info)
{
	const struct weft_flow *flow = txm->flow;

	*info = (struct weft_send_info){
		.pos = { .flow = weft_look_pos(flow), .send = txm->no },
		.peer = flow->peer,
		.op = txm->tx.op,
		.tag = txm->tx.tag,
		.len = txm->source ? txm->len : txm->tx.len,
		.sent = txm->sent,
		.age = weft_since(now, txm->at),
		.waits = weft_look_for(txm),
		.announced = txm->sid && !txm->eager && !txm->source,
		.source = txm->source,
		.local = flow->path->local,
		.told = txm->tx.told && !txm->source,
	};
	weft_look_near(flow->ep, &info->near);
}

/**
 * struct weft_look_sends - a search for sends
 * @flow: where it stands: a flow, referenced under the lock, NULL: in the beginning
 * @txm: and a send of this flow, referenced, NULL: in its beginning
 * @steps: objects that may be looked at while the lock is held
 * @end: there are no more
 */
struct weft_look_sends {
	struct weft_flow *flow;
	struct weft_txm *txm;
	u32 steps;
	bool end;
};

/* The send behind @txm, NULL: the first one. @flow: its path is locked. Return: NULL: no more. */
static struct weft_txm *weft_look_behind(struct weft_flow *flow, struct weft_txm *txm)
{
	struct weft_list *l = txm ? txm->node.next : flow->txms.next;

	if (l == &flow->txms)
		l = flow->fenced.next;
	return l == &flow->fenced ? NULL : weft_entry(l, struct weft_txm, node);
}

/**
 * weft_look_sends_to - count the sends of an endpoint to one of the peer
 * @path: the path, locked
 * @ep: the endpoint
 * @service: the peer's one
 * @now: time
 * @oldest: out: the oldest of them, if there is one
 *
 * The search is bounded: at most WEFT_LOOK_FLOWS flows, and WEFT_LOOK_STEPS sends of those that
 * match.
 *
 * Return: their number.
 */
u32 weft_look_sends_to(struct weft_path *path, const struct weft_ep *ep, u16 service, weft_ns now,
		       struct weft_send_info *oldest)
{
	u32 flows = WEFT_LOOK_FLOWS, steps = WEFT_LOOK_STEPS, n = 0;
	struct weft_txm *txm;
	struct weft_list *l;

	weft_assert_held(&path->lock);
	for (l = path->flow.list.next; l != &path->flow.list && flows; l = l->next, flows--) {
		struct weft_flow *flow = weft_entry(l, struct weft_flow, node);

		if (flow->ep != ep || be16_to_cpu(flow->peer.port) != service)
			continue;
		txm = weft_look_behind(flow, NULL);
		for (; txm && steps; txm = weft_look_behind(flow, txm), steps--)
			if (!n++ || weft_since(now, txm->at) > oldest->age)
				weft_look_send(txm, now, oldest);
		if (!steps)
			break;
	}
	return n;
}

/* Sends of one flow, from s->txm on. The path is locked. Return: their number, at most @n. */
static u32 weft_look_flow_sends(struct weft_look_sends *s, weft_ns now, struct weft_send_pos *pos,
				struct weft_send_info *info, u32 n)
{
	struct weft_txm *txm = s->txm;
	u32 found = 0;

	while (found < n && s->steps) {
		txm = weft_look_behind(s->flow, txm);
		s->txm = txm;
		if (!txm)
			break;
		s->steps--;
		if (txm->no < pos->send)
			continue;
		weft_look_send(txm, now, &info[found++]);
		pos->send = txm->no + 1;
	}
	return found;
}

/* The same for flow after flow, from s->flow on. */
static u32 weft_look_path_sends(struct weft_path *path, struct weft_look_sends *s, weft_ns now,
				struct weft_send_pos *pos, struct weft_send_info *info, u32 n)
{
	struct weft_list *l;
	u32 found = 0;

	/* gone meanwhile */
	if (s->txm && weft_list_empty(&s->txm->node))
		s->txm = NULL;
	if (s->flow && weft_list_empty(&s->flow->node)) {
		s->flow = NULL;
		s->txm = NULL;
	}
	if (!s->flow)
		s->flow = weft_look_from(path, &pos->flow);
	l = s->flow ? &s->flow->node : path->flow.list.next;
	s->steps = WEFT_LOOK_STEPS;
	for (; l != &path->flow.list; l = l->next, s->txm = NULL) {
		s->flow = weft_entry(l, struct weft_flow, node);
		if (s->flow->no > pos->flow.no) {
			pos->flow = weft_look_pos(s->flow);
			pos->send = 0;
		}
		if (s->flow->no == pos->flow.no)
			found += weft_look_flow_sends(s, now, pos, info + found, n - found);
		if (found == n || !s->steps)
			return found;
		s->steps--;
	}
	s->end = true;
	return found;
}

/**
 * weft_path_sends - report sends under way on a path
 * @path: the path
 * @now: time
 * @pos: where to begin, all 0: at the first one; out: where the next call continues
 * @info: out
 * @n: size of @info
 * @out: output; the caller flushes it
 *
 * Context: may sleep.
 * Return: number of sends reported; fewer than @n: there are no more.
 */
u32 weft_path_sends(struct weft_path *path, weft_ns now, struct weft_send_pos *pos,
		    struct weft_send_info *info, u32 n, struct weft_out *out)
{
	struct weft_look_sends s = { .flow = NULL };
	struct weft_flow *flow = NULL;
	struct weft_txm *txm = NULL;
	u32 found = 0, goes;

	out->now = now;
	for (goes = 0; goes < WEFT_LOOK_GOES && found < n && !s.end; goes++) {
		weft_lock(&path->lock);
		found += weft_look_path_sends(path, &s, now, pos, info + found, n - found);
		if (s.end || found == n) {
			s.txm = NULL;
			s.flow = NULL;
		}
		if (s.txm)
			weft_txm_get(s.txm);
		if (s.flow)
			s.flow->ref++;
		if (txm)
			weft_txm_put(txm, out);
		if (flow)
			weft_flow_put(flow);
		txm = s.txm;
		flow = s.flow;
		weft_unlock(&path->lock);
		if (flow)
			weft_yield();
	}
	if (flow) {
		weft_lock(&path->lock);
		if (txm)
			weft_txm_put(txm, out);
		weft_flow_put(flow);
		weft_unlock(&path->lock);
	}
	return found;
}
