// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - connections: states and events
 *
 *	requester				responder
 *	ASKING	-- REQ ---------------------->	ASKED		in the listener's backlog
 *	UP	<--------------------- REP --	ACCEPTED	(or REJ: over)
 *		-- RTU, or an operation ----->	UP
 *
 *	closing side				other side
 *	CLOSING	(all sent messages are acknowledged; gracefully: sends have ended)
 *		-- FIN ---------------------->	UP		SHUTDOWN event, over
 *	over	<------------------ FINACK --			SHUTDOWN event
 *
 * The peer may not know the path of a REQ: it has restarted, or has released the path alone. Then
 * the requester is AGAIN until a worker has sent the request anew, once, within the same time
 * limit.
 *
 * cm_wire.c describes the content of the chunks and the processing of received ones.
 *
 * The events of a connection are part of its endpoint, that of a request is part of the request. So
 * none fails for lack of memory. They are posted under ep->lock while the endpoint is not dead.
 *
 * Locks: path->lock protects a connection, core->svc_lock core->conns. ep->lock protects
 * ep->cm.conn, the backlog, and @shut and @shut_wait of a connection.
 */
#include "core/cm/cm.h"

/* ---- Chunks to be sent --------------------------------------------------------------- */

/**
 * weft_cm_say - queue a chunk of a connection
 * @conn: the connection; its path is locked
 * @op: WEFT_CM_*
 *
 * When both ends are known, the chunk uses the lane of the messages and of their answers, because
 * FIN must not overtake these.
 */
void weft_cm_say(struct weft_conn *conn, u8 op)
{
	weft_assert_held(&conn->path->lock);
	conn->ops |= 1u << op;
	weft_ctl_put(conn->path, conn->peer && conn->flow ? conn->flow->lane : 0, &conn->ctl);
}

/**
 * weft_cm_data - store private data for the next chunk
 * @conn: the connection; its path is locked, unless it is on no list yet
 * @data: bytes
 * @len: number of bytes, at most WEFT_CM_DATA_MAX
 */
void weft_cm_data(struct weft_conn *conn, const void *data, u32 len)
{
	conn->dlen = len;
	if (len)
		memcpy(conn->data, data, len);
}

/* ---- Connections and their lists ----------------------------------------------------- */

/**
 * weft_conn_init - initialize a connection
 * @conn: zeroed; it has one reference
 * @path: its path, of which it takes a reference
 * @active: this node requests the connection
 */
void weft_conn_init(struct weft_conn *conn, struct weft_path *path, bool active)
{
	refcount_set(&conn->ref, 1);
	weft_path_get(path);
	conn->path = path;
	conn->active = active;
	weft_list_init(&conn->node);
	weft_timeq_node_init(&conn->until);
	weft_idnode_init(&conn->peer_node);
	weft_list_init(&conn->reqnode);
	weft_ctl_init(&conn->ctl, WEFT_CTL_CONN);
	weft_list_init(&conn->ev.node);
	conn->ev.owned = true;
}

/*
 * Return: true if a connection needs a live peer. A closing connection has its own time limit. All
 * others may have no operation under way while they wait for the peer or its program, and must
 * detect the peer's death.
 */
static bool weft_conn_needs(const struct weft_conn *conn)
{
	return conn->state <= WEFT_CONN_UP && !conn->path->local;
}

/**
 * weft_conn_name - give a connection its id, by which chunks find it
 * @conn: the connection; its path is locked, and stays so until weft_conn_list() or
 *	weft_conn_unname()
 *
 * Return: 0, -ENOMEM.
 */
int weft_conn_name(struct weft_conn *conn)
{
	struct weft_core *core = conn->path->core;
	u32 id;
	int err;

	weft_assert_held(&conn->path->lock);
	weft_lock(&core->svc_lock);
	do
		id = ++core->next_conn;
	while (!id || weft_conn_by_id(core, id));
	err = weft_index_set(&core->conns, id, conn);
	if (!err) {
		conn->id = id;
		conn->named = true;
	}
	weft_unlock(&core->svc_lock);
	return err;
}

/**
 * weft_conn_unname - have no more chunks find a connection; it keeps its id for its own chunks
 * @conn: the connection; its path is locked
 */
void weft_conn_unname(struct weft_conn *conn)
{
	struct weft_core *core = conn->path->core;

	weft_assert_held(&conn->path->lock);
	weft_lock(&core->svc_lock);
	if (conn->named)
		weft_index_del(&core->conns, conn->id);
	conn->named = false;
	weft_unlock(&core->svc_lock);
}

/**
 * weft_conn_list - add a connection to those of its path
 * @conn: the connection, ASKING or ASKED, with an id; its path is locked; its reference belongs to
 *	the tables
 * @now: time
 */
void weft_conn_list(struct weft_conn *conn, weft_ns now)
{
	struct weft_path *path = conn->path;

	weft_assert_held(&conn->path->lock);
	conn->since = now;
	weft_list_add_tail(&path->cm.conns, &conn->node);
	if (!conn->active)
		weft_idtable_add(&path->cm.peers, &conn->peer_node,
				 weft_conn_peer_id(path, conn->peer, conn->fid.dgen));
	if (!weft_conn_needs(conn))
		return;
	path->nconn++;
	if (path->state == WEFT_PATHS_UP)
		weft_path_deadline(path, now + path->core->conf.keepalive_ns);
}

void weft_conn_unlist(struct weft_conn *conn)
{
	weft_assert_held(&conn->path->lock);
	weft_conn_unname(conn);
	weft_list_del(&conn->node);
	weft_idtable_del(&conn->path->cm.peers, &conn->peer_node);
}

/* ---- Events -------------------------------------------------------------------------- */

/**
 * weft_cm_event - post an event about a connection
 * @ep: the endpoint, locked
 * @qev: memory of the event
 * @type: WEFT_EV_*
 * @status: errno
 * @conn: the connection
 * @data: private data
 * @len: bytes of them
 * @out: output
 */
void weft_cm_event(struct weft_ep *ep, struct weft_qev *qev, u32 type, int status,
		   const struct weft_conn *conn, const void *data, u32 len, struct weft_out *out)
{
	weft_assert_held(&ep->lock);
	if (ep->state == WEFT_EPS_DEAD || !ep->eq)
		return;
	memset(&qev->ev, 0, sizeof(qev->ev));
	qev->owned = true;
	qev->ev.type = type;
	qev->ev.handle = ep->conf.handle;
	qev->ev.status = status;
	qev->ev.data_len = len;
	qev->ev.addr = conn->addr;
	if (type == WEFT_EV_CONNREQ)
		qev->ev.conn = conn->id;
	if (len)
		memcpy(qev->data, data, len);
	weft_eq_post(ep->eq, qev, out);
}

/* Post SHUTDOWN, once, when no message is being received any more. ep->lock is held. */
static void weft_cm_shut(struct weft_ep *ep, struct weft_conn *conn, struct weft_out *out)
{
	weft_assert_held(&ep->lock);
	if (conn->shut)
		return;
	conn->shut_wait = !weft_list_empty(&ep->rx.active);
	if (conn->shut_wait)
		return;
	conn->shut = true;
	weft_cm_event(ep, &ep->cm.ev_shut, WEFT_EV_SHUTDOWN, ep->broken ? ep->broken : conn->lost,
		      conn, NULL, 0, out);
	if (ep->rx.srq)
		weft_srq_last(ep, out);
}

/**
 * weft_cm_settled - an endpoint receives no message any more: post SHUTDOWN if it is due
 * @ep: the endpoint, not locked
 * @out: output
 */
void weft_cm_settled(struct weft_ep *ep, struct weft_out *out)
{
	weft_lock(&ep->lock);
	if (ep->cm.conn && ep->cm.conn->shut_wait)
		weft_cm_shut(ep, ep->cm.conn, out);
	weft_unlock(&ep->lock);
}

/* ---- States -------------------------------------------------------------------------- */

/**
 * weft_cm_until - set the time limit of a connection, if its path lists it
 * @conn: the connection; its path is locked
 * @at: time at which weft_cm_expire() is called
 */
void weft_cm_until(struct weft_conn *conn, weft_ns at)
{
	struct weft_path *path = conn->path;

	weft_assert_held(&conn->path->lock);
	if (!weft_list_empty(&conn->node))
		weft_path_timed(path, &path->cm.until, &conn->until, at);
}

/**
 * weft_cm_state - change the state of a connection and clear its time limit
 * @conn: the connection; its path is locked
 * @state: WEFT_CONN_*
 * @now: time
 *
 * It takes core->svc_lock.
 */
void weft_cm_state(struct weft_conn *conn, u8 state, weft_ns now)
{
	bool needs = weft_conn_needs(conn);

	weft_assert_held(&conn->path->lock);
	weft_timeq_set(&conn->path->cm.until, &conn->until, U64_MAX);
	if (conn->state == WEFT_CONN_ASKED)
		weft_cm_answered(conn->path->core);
	conn->state = state;
	conn->since = now;
	if (needs && !weft_conn_needs(conn))
		conn->path->nconn--;
}

/**
 * weft_cm_closed - set an endpoint to CLOSED
 * @ep: the endpoint, locked
 * @out: output
 *
 * Its posted receives end. Received messages stay until a receive takes them.
 */
void weft_cm_closed(struct weft_ep *ep, struct weft_out *out)
{
	u32 set = WEFT_ST_RQ_NOTIFY;

	weft_assert_held(&ep->lock);
	if (ep->state != WEFT_EPS_CONNECTING)
		set |= WEFT_ST_SHUT;
	weft_recv_drain(ep, out);
	if (ep->state != WEFT_EPS_ERROR)
		WRITE_ONCE(ep->state, WEFT_EPS_CLOSED);
	weft_ep_st(ep, set, WEFT_ST_CONNECTED);
	weft_recv_cancel_all(ep, ECANCELED, out);
	/* messages that wait for a shared receive count as not received */
	if (ep->rx.srq && ep->conf.flags & WEFT_EPF_STRICT)
		weft_recv_drop_all(ep, out);
	/* barrier E: later posts see the flag; the drain below sees earlier posts */
	smp_mb();
	weft_recv_drain(ep, out);
}

/**
 * weft_cm_over - end a connection; queued chunks are still sent
 * @conn: the connection; its path is locked; the reference of its lists is dropped
 * @out: output
 */
void weft_cm_over(struct weft_conn *conn, struct weft_out *out)
{
	struct weft_rflow *rf = conn->rflow;
	struct weft_flow *flow = conn->flow;
	struct weft_ep *ep = conn->ep;

	weft_assert_held(&conn->path->lock);
	weft_cm_unask(conn);
	weft_cm_state(conn, WEFT_CONN_OVER, out->now);
	weft_conn_unlist(conn);
	conn->ctl_pending = conn->ctl.queued;
	conn->path->ctl_pending += conn->ctl_pending;
	if (flow) {
		conn->flow = NULL;
		flow->conn = NULL;
		/* FIN reports the end to the peer, or the peer never had the flow */
		flow->ended = true;
		weft_flow_put(flow);
	}
	if (rf) {
		conn->rflow = NULL;
		rf->conn = NULL;
		weft_rflow_free(rf, out);
	}
	if (ep) {
		conn->ep = NULL;
		weft_ep_put(ep);
	}
	weft_conn_put(conn);
}

/**
 * weft_cm_failed - report that a connection could not be made
 * @conn: the connection; its path is locked; over afterwards
 * @err: errno
 * @data: private data of the peer that refused it
 * @len: bytes of them
 * @out: output
 */
void weft_cm_failed(struct weft_conn *conn, int err, const void *data, u32 len,
		    struct weft_out *out)
{
	struct weft_ep *ep = conn->ep;

	weft_assert_held(&conn->path->lock);
	if (ep) {
		weft_lock(&ep->lock);
		if (ep->state == WEFT_EPS_CONNECTING)
			weft_cm_closed(ep, out);
		weft_cm_event(ep, &ep->cm.ev_conn, WEFT_EV_CONN_FAILED, err, conn, data, len, out);
		weft_unlock(&ep->lock);
	}
	weft_cm_over(conn, out);
}

/**
 * weft_cm_withdraw - withdraw a request: by FIN, if the peer may have received it
 * @conn: the connection, ASKING; its path is locked
 * @out: output
 */
void weft_cm_withdraw(struct weft_conn *conn, struct weft_out *out)
{
	weft_assert_held(&conn->path->lock);
	if (conn->ops & 1u << WEFT_CM_REQ) {
		conn->ops = 0;
		weft_ctl_drop(&conn->ctl, out);
	} else {
		weft_cm_say(conn, WEFT_CM_FIN);
	}
}

/**
 * weft_cm_down - end a connection that the peer or the path has ended, or that this side has closed
 * @conn: the connection; its path is locked; over afterwards
 * @err: errno for sends under way and for those that the ring holds, 0: there are none
 * @out: output
 */
void weft_cm_down(struct weft_conn *conn, int err, struct weft_out *out)
{
	struct weft_ep *ep = conn->ep;

	weft_assert_held(&conn->path->lock);
	if (ep) {
		weft_lock(&ep->lock);
		if (weft_ep_connected(ep) || ep->state == WEFT_EPS_ACCEPTED) {
			WRITE_ONCE(ep->lost, err);
			weft_cm_closed(ep, out);
		}
		weft_unlock(&ep->lock);
	}
	if (err && conn->flow)
		weft_flow_fail(conn->flow, err, out);
	/* the program that reads the event finds all completions */
	if (ep) {
		weft_lock(&ep->lock);
		weft_cm_shut(ep, conn, out);
		weft_unlock(&ep->lock);
	}
	weft_cm_over(conn, out);
}

/**
 * weft_cm_quiet - all messages of a closing connection are acknowledged: send FIN
 * @conn: the connection; its path is locked
 * @out: output
 */
void weft_cm_quiet(struct weft_conn *conn, struct weft_out *out)
{
	weft_assert_held(&conn->path->lock);
	switch (conn->state) {
	case WEFT_CONN_ACCEPTED:
	case WEFT_CONN_UP:
		/* its endpoint is being destroyed, and has closed the flow first */
		weft_cm_state(conn, WEFT_CONN_CLOSING, out->now);
		break;
	case WEFT_CONN_CLOSING:
		break;
	default:
		return;
	}
	if (conn->fin)
		return;
	conn->fin = true;
	conn->takes = conn->ep && READ_ONCE(conn->ep->state) == WEFT_EPS_CLOSING;
	weft_cm_say(conn, WEFT_CM_FIN);
	if (conn->fin_held)
		weft_cm_say(conn, WEFT_CM_FINACK);
	weft_cm_until(conn, out->now + conn->path->core->conf.dead_ns);
}

/**
 * weft_cm_first - RTU, or the first message or one-sided operation, has come: the requester has
 *	received REP
 * @conn: the connection; its path is locked, ep->lock is not held
 * @out: output
 */
void weft_cm_first(struct weft_conn *conn, struct weft_out *out)
{
	struct weft_ep *ep = conn->ep;

	weft_assert_held(&conn->path->lock);
	if (conn->state != WEFT_CONN_ACCEPTED)
		return;
	weft_cm_state(conn, WEFT_CONN_UP, out->now);
	weft_count(conn->path->core, conns_made);
	weft_lock(&ep->lock);
	if (ep->state == WEFT_EPS_ACCEPTED) {
		WRITE_ONCE(ep->state, WEFT_EPS_CONNECTED);
		weft_ep_st(ep, WEFT_ST_CONNECTED, 0);
		weft_cm_event(ep, &ep->cm.ev_conn, WEFT_EV_CONNECTED, 0, conn, NULL, 0, out);
	}
	weft_unlock(&ep->lock);
}

/**
 * weft_cm_reset - end a connection: the path has died, or the peer does not know the flow
 * @conn: the connection; its path is locked; it is not on path->cm.conns afterwards
 * @err: errno
 * @out: output
 */
void weft_cm_reset(struct weft_conn *conn, int err, struct weft_out *out)
{
	weft_assert_held(&conn->path->lock);
	switch (conn->state) {
	case WEFT_CONN_ASKING:
		if (!weft_cm_renew(conn, out))
			weft_cm_failed(conn, err, NULL, 0, out);
		break;
	case WEFT_CONN_ASKED:
		weft_cm_over(conn, out);
		break;
	case WEFT_CONN_ACCEPTED:
		weft_cm_first(conn, out);
		fallthrough;
	case WEFT_CONN_UP:
		/* only a silent peer has an errno; an end by either side is reported as an end */
		if (err == ETIMEDOUT || err == EHOSTUNREACH)
			conn->lost = err;
		fallthrough;
	case WEFT_CONN_CLOSING:
		weft_cm_down(conn, err, out);
		break;
	}
}

/**
 * weft_cm_expire - end a connection whose time limit has passed
 * @conn: the connection; @until has passed; its path is locked
 * @out: output
 */
void weft_cm_expire(struct weft_conn *conn, struct weft_out *out)
{
	int err = conn->path->state == WEFT_PATHS_HELLO ? EHOSTUNREACH : ETIMEDOUT;

	weft_assert_held(&conn->path->lock);
	if (conn->state == WEFT_CONN_ASKING)
		weft_cm_withdraw(conn, out);
	weft_cm_reset(conn, err, out);
}
