// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - credit: limits of messages that arrive before their receives
 *
 * Such a message is kept for its endpoint and counts for the endpoint and for the endpoint's user.
 * The limits are "unexpected-endpoint" and "unexpected-user" (bytes of short messages),
 * "messages-endpoint" and "messages-user". The sender of a flow receives credit in absolute
 * numbers: up to which message, and up to which byte of eager payload it may send. The credit
 * beyond the messages that have had their turn is
 *
 *	while the endpoint and its user are below their limits: the rest up to the limits, at least
 *	  WEFT_CREDIT_MSGS, WEFT_CREDIT_BYTES, at most WEFT_CREDIT_STEP, WEFT_CREDIT_STEP_BYTES
 *	else: WEFT_CREDIT_MSGS, WEFT_CREDIT_BYTES, less the kept messages of this flow
 *
 * From either number of messages those are taken that were refused and have no answer yet
 * (rma/refuse.c).
 *
 * The first credit answers OPEN (contact.c) and follows the second rule. So each flow has credit of
 * its own, which no other flow can use up. The limits and the number of flows bound the sum. Beyond
 * its bytes a sender announces messages. Beyond its messages a send waits (flow->parked), and so do
 * the later ones of its program. Nothing is dropped, and other flows continue.
 *
 *	receiving side, starved is in path->flow.starved:
 *
 *	content --at a limit, little credit is left--> starved
 *	content <--below the limits, or some of its own received: CREDIT-- starved
 *
 * A timer of WEFT_CREDIT_NS finds the credit that other flows have freed.
 *
 * The kept messages of an ended flow count for its endpoint (ep->flow.orphans). Otherwise a sender
 * that ends flows and begins new ones would gain new credit with each. An endpoint with as many
 * orphans as its limit accepts no new flow.
 *
 * Locks: path->lock protects flows, ep->lock the counts of an endpoint, core->user_lock the list of
 * users, whose counts are atomic. The functions run in softirq context or with softirqs off.
 */
#include "core/flow/flow.h"

/* ---- Kept messages --------------------------------------------------------------- */

/**
 * weft_keep_full - check whether one more message may be kept for an endpoint
 * @ep: the endpoint
 * @len: bytes of it that would be kept
 *
 * Return: WEFT_FULL_*.
 */
u8 weft_keep_full(const struct weft_ep *ep, u32 len)
{
	const struct weft_conf *conf = &ep->core->conf;

	if (READ_ONCE(ep->flow.kept_msgs) >= READ_ONCE(conf->msgs_ep) ||
	    READ_ONCE(ep->flow.kept_bytes) + len > READ_ONCE(conf->unexp_ep))
		return WEFT_FULL_ENDPOINT;
	if (weft_user_uses(ep->user, WEFT_USE_MSGS) >= READ_ONCE(conf->msgs_user) ||
	    weft_user_uses(ep->user, WEFT_USE_BYTES) + len > READ_ONCE(conf->unexp_user))
		return WEFT_FULL_USER;
	return WEFT_FULL_NOT;
}

/**
 * weft_keep_count - count that a limit has been reached
 * @ep: endpoint of the receiver
 * @full: WEFT_FULL_*
 */
void weft_keep_count(const struct weft_ep *ep, u8 full)
{
	if (full == WEFT_FULL_ENDPOINT)
		weft_limit_hit(ep->core, limit_endpoint, ep->user->uid);
	else if (full == WEFT_FULL_USER)
		weft_limit_hit(ep->core, limit_user, ep->user->uid);
}

/**
 * weft_keep - count a message for its endpoint until it is over
 * @rxm: the message; its endpoint is locked
 * @len: bytes of it that are kept
 */
void weft_keep(struct weft_rxm *rxm, u32 len)
{
	struct weft_ep *ep = rxm->ep;

	weft_assert_held(&rxm->ep->lock);
	rxm->flow.kept = true;
	rxm->flow.kept_bytes = len;
	WRITE_ONCE(ep->flow.kept_msgs, ep->flow.kept_msgs + 1);
	WRITE_ONCE(ep->flow.kept_bytes, ep->flow.kept_bytes + len);
	weft_user_add(ep->user, WEFT_USE_MSGS, 1);
	weft_user_add(ep->user, WEFT_USE_BYTES, len);
}

/**
 * weft_keep_end - stop counting a message for its endpoint
 * @rxm: the message; its endpoint is locked
 */
void weft_keep_end(struct weft_rxm *rxm)
{
	struct weft_ep *ep = rxm->ep;

	weft_assert_held(&rxm->ep->lock);
	if (!rxm->flow.kept)
		return;
	rxm->flow.kept = false;
	WRITE_ONCE(ep->flow.kept_msgs, ep->flow.kept_msgs - 1);
	WRITE_ONCE(ep->flow.kept_bytes, ep->flow.kept_bytes - rxm->flow.kept_bytes);
	weft_user_give(ep->user, WEFT_USE_MSGS, 1);
	weft_user_give(ep->user, WEFT_USE_BYTES, rxm->flow.kept_bytes);
}

/**
 * weft_credit_orphaned - does an endpoint keep too many messages of ended flows for a new flow?
 * @ep: the endpoint
 *
 * Return: true if it does.
 */
bool weft_credit_orphaned(const struct weft_ep *ep)
{
	const struct weft_conf *conf = &ep->core->conf;

	return READ_ONCE(ep->flow.orphans) >= READ_ONCE(conf->msgs_ep) ||
	       READ_ONCE(ep->flow.orphan_bytes) >= READ_ONCE(conf->unexp_ep);
}

/* Count @msgs messages with @bytes bytes as orphans; negative: they are over. */
static void weft_credit_orphan(struct weft_ep *ep, s32 msgs, s64 bytes)
{
	weft_lock(&ep->lock);
	WRITE_ONCE(ep->flow.orphans, ep->flow.orphans + msgs);
	WRITE_ONCE(ep->flow.orphan_bytes, ep->flow.orphan_bytes + bytes);
	weft_unlock(&ep->lock);
}

/* ---- The receiving side of a flow ------------------------------------------------ */

/**
 * weft_credit_init - initialize the credit of a flow
 * @rf: its receiving side
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

/* Return: the rest up to a limit, at least @least and at most @most. */
static u32 weft_credit_left(u64 limit, u64 kept, u32 least, u32 most)
{
	return limit > kept ? (u32)clamp_t(u64, limit - kept, least, most) : least;
}

/* Return: messages that a flow may begin while its endpoint is below the limits. */
static u32 weft_credit_msgs(const struct weft_ep *ep)
{
	const struct weft_conf *conf = &ep->core->conf;

	return min(weft_credit_left(READ_ONCE(conf->msgs_ep), READ_ONCE(ep->flow.kept_msgs),
				    WEFT_CREDIT_MSGS, WEFT_CREDIT_STEP),
		   weft_credit_left(READ_ONCE(conf->msgs_user),
				    weft_user_uses(ep->user, WEFT_USE_MSGS),
				    WEFT_CREDIT_MSGS, WEFT_CREDIT_STEP));
}

/* As weft_credit_msgs(), for bytes of eager payload. */
static u32 weft_credit_bytes(const struct weft_ep *ep)
{
	const struct weft_conf *conf = &ep->core->conf;

	return min(weft_credit_left(READ_ONCE(conf->unexp_ep), READ_ONCE(ep->flow.kept_bytes),
				    WEFT_CREDIT_BYTES, WEFT_CREDIT_STEP_BYTES),
		   weft_credit_left(READ_ONCE(conf->unexp_user),
				    weft_user_uses(ep->user, WEFT_USE_BYTES), WEFT_CREDIT_BYTES,
				    WEFT_CREDIT_STEP_BYTES));
}

/**
 * weft_credit_look - send more credit to the sender of a flow, if enough is free
 * @rf: the receiving side; its path is locked
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
		msgs += WEFT_CREDIT_MSGS - min_t(u32, rf->nwait + rf->nrefused, WEFT_CREDIT_MSGS);
		bytes += WEFT_CREDIT_BYTES - min_t(u32, rf->wait_bytes, WEFT_CREDIT_BYTES);
	} else {
		step_msgs = weft_credit_msgs(rf->ep);
		step_bytes = weft_credit_bytes(rf->ep);
		msgs += step_msgs - min(rf->nrefused, step_msgs);
		bytes += step_bytes;
	}
	more_msgs = (s32)(msgs - rf->told_msgs);
	more_bytes = (s32)(bytes - rf->told_bytes);
	if (more_msgs < WEFT_CREDIT_MSGS / 2 && more_bytes < WEFT_CREDIT_BYTES / 2) {
		if (!full || !weft_list_empty(&rf->starved))
			return;
		weft_keep_count(rf->ep, full);
		weft_list_add_tail(&path->flow.starved, &rf->starved);
		path->flow.credit_at = min(path->flow.credit_at, out->now + WEFT_CREDIT_NS);
		weft_path_deadline(path, path->flow.credit_at);
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
 * weft_credit_wait - count a message of a flow that waits for a receive
 * @rf: the receiving side; its path and its endpoint are locked
 * @rxm: the message
 * @len: bytes of it that are kept
 *
 * While the endpoint is below its limits, these bytes do not count in the node's eager window.
 */
void weft_credit_wait(struct weft_rflow *rf, struct weft_rxm *rxm, u32 len)
{
	weft_assert_held(&rf->path->lock);
	weft_assert_held(&rf->ep->lock);
	rxm->flow.waited = true;
	rxm->flow.rflow = rf->no;
	rxm->flow.moved = !weft_keep_full(rf->ep, len);
	rf->nwait++;
	rf->wait_bytes += len;
	weft_keep(rxm, len);
}

/**
 * weft_credit_ignore - dispose of unwanted bytes of an eager message
 * @rxm: the message; its path is locked
 * @len: number of bytes
 *
 * For a failed message these bytes leave the count of bytes to come.
 */
void weft_credit_ignore(struct weft_rxm *rxm, u32 len)
{
	weft_assert_held(&rxm->path->lock);
	if (rxm->err) {
		u32 n = min(len, rxm->flow.open - rxm->flow.charged);

		rxm->flow.open -= n;
		rxm->path->flow.rx_open -= n;
	}
	rxm->path->rx_gone += len;
}

/**
 * weft_credit_over - end the credit of a message from another node
 * @rxm: the message; its path is locked
 * @out: output
 */
void weft_credit_over(struct weft_rxm *rxm, struct weft_out *out)
{
	struct weft_rflow *rf;

	weft_assert_held(&rxm->path->lock);
	weft_credit_gone(rxm, rxm->flow.charged);
	rxm->flow.charged = 0;
	/* bytes that have not come may still come, and are not kept */
	rxm->path->flow.rx_open -= rxm->flow.open;
	rxm->flow.open = 0;
	if (!rxm->flow.waited)
		return;
	rxm->flow.waited = false;
	rf = weft_rflow_find(rxm->path, rxm->id.ssvc, rxm->id.sgen);
	if (!rf || rf->no != rxm->flow.rflow) {
		weft_credit_orphan(rxm->ep, -1, -(s64)rxm->flow.kept_bytes);
		return;
	}
	rf->nwait--;
	rf->wait_bytes -= rxm->flow.kept_bytes;
	weft_credit_pass(rf, 0, out);
}

/**
 * weft_credit_end - end the credit of a flow: its kept messages become orphans
 * @rf: the receiving side; its path is locked
 */
void weft_credit_end(struct weft_rflow *rf)
{
	weft_assert_held(&rf->path->lock);
	if (rf->nwait)
		weft_credit_orphan(rf->ep, rf->nwait, rf->wait_bytes);
}

/**
 * weft_credit_timer - check the credit of starved flows again, the next ones
 * @path: the path, locked
 * @out: output
 */
void weft_credit_timer(struct weft_path *path, struct weft_out *out)
{
	struct weft_list again, *l;
	u32 n;

	weft_assert_held(&path->lock);
	path->flow.credit_at = U64_MAX;
	weft_list_init(&again);
	weft_list_splice_tail(&again, &path->flow.starved);
	for (n = 0; n < WEFT_PATH_BATCH && (l = weft_list_first(&again)); n++) {
		struct weft_rflow *rf = weft_entry(l, struct weft_rflow, starved);

		weft_list_del(l);
		weft_credit_look(rf, out);
	}
	if (weft_list_empty(&again))
		return;
	/* the others come first next time */
	weft_list_splice_tail(&again, &path->flow.starved);
	weft_list_splice_tail(&path->flow.starved, &again);
	path->flow.credit_at = out->now + WEFT_PATH_GAP;
}

/* ---- The sending side ------------------------------------------------------------ */

/**
 * weft_credit_park - park a send whose flow may not begin a message
 * @txm: the send, on its lane's sendq; its path is locked
 *
 * Sends that were parked before, and stand behind it, are parked together with it.
 */
void weft_credit_park(struct weft_txm *txm)
{
	struct weft_flow *flow = txm->flow;
	struct weft_txm *last = flow->unparked ? flow->unparked : txm;

	weft_assert_held(&txm->path->lock);
	if (flow->accepted)
		weft_count(txm->path->core, limit_messages);
	weft_list_move_run(&flow->parked, &txm->qnode, &last->qnode);
	flow->unparked = NULL;
}

/**
 * weft_credit_told - process a CREDIT chunk
 * @path: the path, locked
 * @w: the chunk
 *
 * Return: its flow; NULL: there is none.
 */
struct weft_flow *weft_credit_told(struct weft_path *path, const struct weft_w_credit *w)
{
	struct weft_flow *flow;
	struct weft_flowid id;
	struct weft_list *sendq;
	u32 bytes = be32_to_cpu(w->bytes);
	bool more;

	weft_assert_held(&path->lock);
	weft_wire_flow_get(&w->flow, &id);
	flow = weft_flow_by_gen(path, id.sgen);
	if (!flow)
		return NULL;
	more = (s32)(id.mseq - flow->msg_limit) > 0;
	if (more)
		flow->msg_limit = id.mseq;
	if ((s32)(bytes - flow->tx_limit) > 0)
		flow->tx_limit = bytes;
	if (!more || weft_list_empty(&flow->parked))
		return flow;
	/* parked sends come before the other sends of this flow */
	flow->unparked = weft_entry(flow->parked.prev, struct weft_txm, qnode);
	sendq = &path->lane[flow->lane].sendq;
	weft_list_splice_tail(&flow->parked, sendq);
	weft_list_splice_tail(sendq, &flow->parked);
	path->busy |= 1u << flow->lane;
	return flow;
}

/**
 * weft_credit_chunk - write the credit of a flow: CREDIT
 * @rf: the flow; its path is locked
 * @dst: buffer
 * @room: size of the buffer
 *
 * Return: bytes written, 0: not enough space.
 */
u32 weft_credit_chunk(const struct weft_rflow *rf, u8 *dst, u32 room)
{
	weft_assert_held(&rf->path->lock);
	if (room < weft_wire_size(sizeof(struct weft_w_credit)))
		return 0;
	return weft_wire_credit_put(dst, &rf->id, rf->told_msgs, rf->told_bytes);
}
