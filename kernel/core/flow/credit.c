// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - room for messages that come before their receives
 *
 * Such a message is kept for its endpoint, and counts there and for the endpoint's user: limits
 * "unexpected-endpoint", "unexpected-user" (bytes of short ones) and "messages-endpoint",
 * "messages-user". The sender of a flow is told how far it may go, in absolute numbers: up to which
 * message, and up to which byte of eager payload. What it may begin beyond what has had its turn is
 *
 *	while the endpoint and its user have room	that, but not less than WEFT_CREDIT_MSGS,
 *		WEFT_CREDIT_BYTES and not more than WEFT_CREDIT_STEP, WEFT_CREDIT_STEP_BYTES
 *	else		WEFT_CREDIT_MSGS, WEFT_CREDIT_BYTES, less what of this flow is kept
 *
 * and, before it has been told anything, the latter. So a flow always has room of its own, which
 * nobody else can use up, and the sum is bounded by the limits and the number of flows. Beyond its
 * bytes a sender announces; beyond its messages it waits (flow->parked), and with it what its
 * program posts: nothing is dropped, and other flows go on.
 *
 *	receiving end:	content --no room, and little is left--> starved (in path->starved)
 *			starved --room, or some of its own are received: ROOM--> content
 *
 * The room that others have left is noticed by looking again each WEFT_CREDIT_NS.
 *
 * What is kept of a flow that has ended is its endpoint's (ep->orphans). Else who ends flows and
 * begins others would have room anew with each: an endpoint that keeps as many orphans as the limit
 * is takes no new flow.
 *
 * Locks: path->lock for flows, ep->lock for what its endpoint keeps, core->user_lock (a leaf) for
 * the list of users, whose counts are atomic.
 */
#include "core/flow/flow.h"

/* ---- What is kept ---------------------------------------------------------------- */

/**
 * weft_keep_full - may one more message be kept for an endpoint?
 * @ep: the endpoint
 * @len: bytes that would be kept of it
 *
 * Return: WEFT_FULL_*.
 */
u8 weft_keep_full(const struct weft_ep *ep, u32 len)
{
	const struct weft_conf *conf = &ep->core->conf;

	if (READ_ONCE(ep->kept_msgs) >= READ_ONCE(conf->msgs_ep) ||
	    READ_ONCE(ep->kept_bytes) + len > READ_ONCE(conf->unexp_ep))
		return WEFT_FULL_ENDPOINT;
	if ((u32)atomic_read(&ep->user->msgs) >= READ_ONCE(conf->msgs_user) ||
	    (u64)atomic64_read(&ep->user->bytes) + len > READ_ONCE(conf->unexp_user))
		return WEFT_FULL_USER;
	return WEFT_FULL_NOT;
}

/**
 * weft_keep_count - a limit has been reached
 * @core: the core
 * @full: WEFT_FULL_*
 */
void weft_keep_count(struct weft_core *core, u8 full)
{
	if (full == WEFT_FULL_ENDPOINT)
		weft_count(core, limit_endpoint);
	else if (full == WEFT_FULL_USER)
		weft_count(core, limit_user);
}

/**
 * weft_keep - a message is kept for its endpoint until it is over
 * @rxm: the message; its endpoint is locked
 * @len: bytes that are kept of it
 */
void weft_keep(struct weft_rxm *rxm, u32 len)
{
	struct weft_ep *ep = rxm->ep;

	weft_assert_held(&rxm->ep->lock);
	rxm->kept = true;
	rxm->kept_bytes = len;
	WRITE_ONCE(ep->kept_msgs, ep->kept_msgs + 1);
	WRITE_ONCE(ep->kept_bytes, ep->kept_bytes + len);
	atomic_inc(&ep->user->msgs);
	atomic64_add(len, &ep->user->bytes);
}

/**
 * weft_keep_end - nothing is kept of a message any more
 * @rxm: the message; its endpoint is locked
 */
void weft_keep_end(struct weft_rxm *rxm)
{
	struct weft_ep *ep = rxm->ep;

	weft_assert_held(&rxm->ep->lock);
	if (!rxm->kept)
		return;
	rxm->kept = false;
	WRITE_ONCE(ep->kept_msgs, ep->kept_msgs - 1);
	WRITE_ONCE(ep->kept_bytes, ep->kept_bytes - rxm->kept_bytes);
	atomic_dec(&ep->user->msgs);
	atomic64_sub(rxm->kept_bytes, &ep->user->bytes);
}

/**
 * weft_credit_orphaned - does an endpoint keep too much of flows that have ended to take a new one?
 * @ep: the endpoint
 *
 * Return: it does.
 */
bool weft_credit_orphaned(const struct weft_ep *ep)
{
	const struct weft_conf *conf = &ep->core->conf;

	return READ_ONCE(ep->orphans) >= READ_ONCE(conf->msgs_ep) ||
	       READ_ONCE(ep->orphan_bytes) >= READ_ONCE(conf->unexp_ep);
}

/* @msgs messages with @bytes bytes become orphans; negative: they are over. */
static void weft_credit_orphan(struct weft_ep *ep, s32 msgs, s64 bytes)
{
	weft_lock(&ep->lock);
	WRITE_ONCE(ep->orphans, ep->orphans + msgs);
	WRITE_ONCE(ep->orphan_bytes, ep->orphan_bytes + bytes);
	weft_unlock(&ep->lock);
}

/* ---- The receiving end of a flow ------------------------------------------------- */

/**
 * weft_credit_init - a flow begins
 * @rf: its receiving end
 */
void weft_credit_init(struct weft_rflow *rf)
{
	rf->told_msgs = WEFT_CREDIT_MSGS;
	rf->told_bytes = WEFT_CREDIT_BYTES;
	rf->tell_msgs = WEFT_CREDIT_MSGS / 2;
	rf->tell_bytes = WEFT_CREDIT_BYTES / 2;
	weft_list_init(&rf->starved);
	weft_ctl_init(&rf->credit, WEFT_CTL_CREDIT);
}

/* What is left of a limit, not less than @least and not more than @most. */
static u32 weft_credit_left(u64 limit, u64 kept, u32 least, u32 most)
{
	return limit > kept ? (u32)clamp_t(u64, limit - kept, least, most) : least;
}

/* Messages that a flow may begin while there is room. */
static u32 weft_credit_msgs(const struct weft_ep *ep)
{
	const struct weft_conf *conf = &ep->core->conf;

	return min(weft_credit_left(READ_ONCE(conf->msgs_ep), READ_ONCE(ep->kept_msgs),
				    WEFT_CREDIT_MSGS, WEFT_CREDIT_STEP),
		   weft_credit_left(READ_ONCE(conf->msgs_user), (u32)atomic_read(&ep->user->msgs),
				    WEFT_CREDIT_MSGS, WEFT_CREDIT_STEP));
}

/* And bytes of eager ones. */
static u32 weft_credit_bytes(const struct weft_ep *ep)
{
	const struct weft_conf *conf = &ep->core->conf;

	return min(weft_credit_left(READ_ONCE(conf->unexp_ep), READ_ONCE(ep->kept_bytes),
				    WEFT_CREDIT_BYTES, WEFT_CREDIT_STEP_BYTES),
		   weft_credit_left(READ_ONCE(conf->unexp_user),
				    (u64)atomic64_read(&ep->user->bytes), WEFT_CREDIT_BYTES,
				    WEFT_CREDIT_STEP_BYTES));
}

/**
 * weft_credit_look - tell the sender of a flow how far it may go, if that is further than it knows
 * @rf: the receiving end; its path is locked
 * @out: output
 */
void weft_credit_look(struct weft_rflow *rf, struct weft_out *out)
{
	struct weft_path *path = rf->path;
	u32 step_msgs = WEFT_CREDIT_MSGS, step_bytes = WEFT_CREDIT_BYTES;
	u32 msgs = rf->id.mseq - 1, bytes = rf->in_bytes;
	s32 more_msgs, more_bytes;
	u8 full;

	weft_assert_held(&rf->path->lock);
	if (rf->gone || !rf->ep)
		return;
	full = weft_keep_full(rf->ep, 1);
	if (full) {
		msgs += WEFT_CREDIT_MSGS - min_t(u32, rf->nwait, WEFT_CREDIT_MSGS);
		bytes += WEFT_CREDIT_BYTES - min_t(u32, rf->wait_bytes, WEFT_CREDIT_BYTES);
	} else {
		step_msgs = weft_credit_msgs(rf->ep);
		step_bytes = weft_credit_bytes(rf->ep);
		msgs += step_msgs;
		bytes += step_bytes;
	}
	more_msgs = (s32)(msgs - rf->told_msgs);
	more_bytes = (s32)(bytes - rf->told_bytes);
	if (more_msgs < WEFT_CREDIT_MSGS / 2 && more_bytes < WEFT_CREDIT_BYTES / 2) {
		if (!full || !weft_list_empty(&rf->starved))
			return;
		weft_keep_count(path->core, full);
		weft_list_add_tail(&path->starved, &rf->starved);
		path->credit_at = min(path->credit_at, out->now + WEFT_CREDIT_NS);
		weft_path_deadline(path, path->credit_at);
		return;
	}
	weft_list_del(&rf->starved);
	if (more_msgs > 0)
		rf->told_msgs = msgs;
	if (more_bytes > 0)
		rf->told_bytes = bytes;
	rf->tell_msgs = rf->told_msgs - step_msgs / 2;
	rf->tell_bytes = rf->told_bytes - step_bytes / 2;
	weft_ctl_put(path, rf->lane, &rf->credit);
}

/**
 * weft_credit_wait - a message of a flow waits for a receive
 * @rf: the receiving end; its path and its endpoint are locked
 * @rxm: the message
 * @len: bytes of it that are kept
 *
 * As long as there is room its bytes do not count to what its node may send.
 */
void weft_credit_wait(struct weft_rflow *rf, struct weft_rxm *rxm, u32 len)
{
	rxm->waited = true;
	rxm->rflow = rf->no;
	rxm->moved = !weft_keep_full(rf->ep, len);
	rf->nwait++;
	rf->wait_bytes += len;
	weft_keep(rxm, len);
}

/**
 * weft_credit_ignore - bytes of an eager message have come that nobody wants
 * @rxm: the message; its path is locked
 * @len: how many
 *
 * Of a message that has failed they were to come, and are not any more.
 */
void weft_credit_ignore(struct weft_rxm *rxm, u32 len)
{
	weft_assert_held(&rxm->path->lock);
	if (rxm->err) {
		u32 n = min(len, rxm->open - rxm->charged);

		rxm->open -= n;
		rxm->path->rx_open -= n;
	}
	rxm->path->rx_gone += len;
}

/**
 * weft_credit_over - a message from another node is over, which may have waited
 * @rxm: the message; its path is locked
 * @out: output
 */
void weft_credit_over(struct weft_rxm *rxm, struct weft_out *out)
{
	struct weft_rflow *rf;

	weft_assert_held(&rxm->path->lock);
	weft_credit_gone(rxm, rxm->charged);
	rxm->charged = 0;
	/* what has not come of it may still come, and is not kept */
	rxm->path->rx_open -= rxm->open;
	rxm->open = 0;
	if (!rxm->waited)
		return;
	rxm->waited = false;
	rf = weft_rflow_find(rxm->path, rxm->flow.ssvc, rxm->flow.sgen);
	if (!rf || rf->no != rxm->rflow) {
		weft_credit_orphan(rxm->ep, -1, -(s64)rxm->kept_bytes);
		return;
	}
	rf->nwait--;
	rf->wait_bytes -= rxm->kept_bytes;
	weft_credit_pass(rf, 0, out);
}

/**
 * weft_credit_end - a flow ends: what is kept of it is its endpoint's
 * @rf: the receiving end; its path is locked
 */
void weft_credit_end(struct weft_rflow *rf)
{
	weft_assert_held(&rf->path->lock);
	if (rf->nwait)
		weft_credit_orphan(rf->ep, rf->nwait, rf->wait_bytes);
}

/**
 * weft_credit_timer - look again whether there is room for the flows that starve
 * @path: the path, locked
 * @out: output
 */
void weft_credit_timer(struct weft_path *path, struct weft_out *out)
{
	struct weft_list again, *l;

	weft_assert_held(&path->lock);
	path->credit_at = U64_MAX;
	weft_list_init(&again);
	weft_list_splice_tail(&again, &path->starved);
	while ((l = weft_list_first(&again))) {
		struct weft_rflow *rf = weft_entry(l, struct weft_rflow, starved);

		weft_list_del(l);
		weft_credit_look(rf, out);
	}
}

/* ---- The sending end ------------------------------------------------------------- */

/**
 * weft_credit_park - the flow of a send may not begin a message
 * @txm: the send, on its lane's sendq; its path is locked
 */
void weft_credit_park(struct weft_txm *txm)
{
	weft_assert_held(&txm->path->lock);
	weft_count(txm->path->core, limit_messages);
	weft_list_del(&txm->qnode);
	weft_list_add_tail(&txm->flow->parked, &txm->qnode);
}

/**
 * weft_credit_told - ROOM has come
 * @path: the path, locked
 * @w: the chunk
 */
void weft_credit_told(struct weft_path *path, const struct weft_w_credit *w)
{
	struct weft_flow *flow;
	struct weft_flowid id;
	struct weft_list *sendq;
	u32 bytes = be32_to_cpu(w->bytes);

	weft_assert_held(&path->lock);
	weft_wire_flow_get(&w->flow, &id);
	flow = weft_flow_by_gen(path, id.sgen);
	if (!flow)
		return;
	if ((s32)(id.mseq - flow->msg_limit) > 0)
		flow->msg_limit = id.mseq;
	if ((s32)(bytes - flow->tx_limit) > 0)
		flow->tx_limit = bytes;
	if (weft_list_empty(&flow->parked))
		return;
	/* what is parked comes before what else there is of this flow */
	sendq = &path->lane[flow->lane].sendq;
	weft_list_splice_tail(&flow->parked, sendq);
	weft_list_splice_tail(sendq, &flow->parked);
	path->busy |= 1u << flow->lane;
}
