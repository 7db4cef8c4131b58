// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - connections: what goes over the wire, and their states
 *
 *	requester				responder
 *	ASKING	-- REQ ---------------------->	ASKED		in the listener's backlog
 *	UP	<--------------------- REP --	ACCEPTED	(or REJ: over)
 *		-- RTU, or a message -------->	UP
 *
 *	who closes				the other
 *	CLOSING	(what was sent is acknowledged; gracefully: sends have ended)
 *		-- FIN ---------------------->	UP		SHUTDOWN is told, over
 *	over	<------------------ FINACK --			SHUTDOWN is told
 *
 * When the peer turns out to know nothing of the path of a REQ (it has restarted, or has given the
 * path up alone), the requester is AGAIN until a worker has asked anew, once, within the same time.
 *
 * Chunks come reliably and once, but in any order: FIN may overtake REP, and is then remembered;
 * one that belongs to nothing here is answered so that the other end comes to an end, too: REP by
 * FIN, FIN by FINACK. FIN leaves when all messages of its side have been taken, so that whoever
 * gets it has them.
 *
 * A connection is named by the ids of both ends, and by the generations of both flows. That of the
 * requester is on core->local->conns together with the responder's when both are on this node.
 *
 * Events of a connection stand in its endpoint, that of a request in the request: none can fail for
 * want of memory. They are posted under ep->lock while the endpoint is not dead.
 *
 * Locks: path->lock for a connection; core->svc_lock for core->conns; ep->lock for ep->conn, the
 * backlog, and @shut and @shut_wait of a connection.
 */
#include "cm.h"

/* ---- Chunks -------------------------------------------------------------------------- */

static void weft_cm_put(struct weft_w_cm *w, const struct weft_flowid *f, u8 op, u16 status,
			u32 req, u32 rsp)
{
	weft_wire_flow_put(&w->flow, f);
	w->flow.mseq = 0;
	w->op = op;
	w->rsvd = 0;
	w->status = cpu_to_be16(status);
	w->req = cpu_to_be32(req);
	w->rsp = cpu_to_be32(rsp);
	w->last = 0;
}

/**
 * weft_cm_chunk - write a chunk of a connection
 * @conn: the connection; its path is locked
 * @op: WEFT_CM_*
 * @dst: where to
 * @room: bytes there
 *
 * Return: bytes written, 0: there is no room.
 */
u32 weft_cm_chunk(struct weft_conn *conn, u8 op, void *dst, u32 room)
{
	bool data = op == WEFT_CM_REQ || op == WEFT_CM_REP || op == WEFT_CM_REJ;
	u32 len = data ? conn->dlen : 0;
	u16 status = 0;
	struct weft_w_cm w;

	if (weft_wire_size(sizeof(w) + len) > room)
		return 0;
	if (op == WEFT_CM_REJ)
		status = conn->status;
	else if (op == WEFT_CM_FIN)
		status = conn->takes;
	weft_cm_put(&w, &conn->fid, op, status,
		    conn->active ? conn->id : conn->peer, conn->active ? conn->peer : conn->id);
	if (op == WEFT_CM_FIN && conn->flow)
		w.last = cpu_to_be32(conn->flow->id.mseq);
	if (op == WEFT_CM_REQ || op == WEFT_CM_REP)
		weft_job_cm_seal(conn, &w);
	return weft_wire_cm_put(dst, &w, conn->data, len);
}

/**
 * weft_cm_say - a connection has a chunk to send
 * @conn: the connection; its path is locked
 * @op: WEFT_CM_*
 *
 * When both ends are known it goes in the lane of the messages and of what answers them: FIN must
 * not overtake these.
 */
void weft_cm_say(struct weft_conn *conn, u8 op)
{
	conn->ops |= 1u << op;
	weft_ctl_put(conn->path, conn->peer && conn->flow ? conn->flow->lane : 0, &conn->ctl);
}

/**
 * weft_cm_data - private data for the next chunk
 * @conn: the connection; its path is locked
 * @data: bytes
 * @len: how many, at most WEFT_CM_DATA_MAX
 */
void weft_cm_data(struct weft_conn *conn, const void *data, u32 len)
{
	conn->dlen = len;
	if (len)
		memcpy(conn->data, data, len);
}

/* Answer a chunk that belongs to nothing here. Return: 0, -ENOMEM. */
static int weft_cm_note(struct weft_path *path, const struct weft_w_cm *w, u8 op, u16 status)
{
	const struct weft_lane *lane = &path->lane[0];
	struct weft_flowid in, f;
	struct weft_note *note;
	struct weft_w_cm cm;

	/* answers that cannot leave do not pile up */
	if (lane->snd_nxt - lane->snd_una >= WEFT_WINDOW)
		return -ENOMEM;
	note = weft_note_new();
	if (!note)
		return -ENOMEM;
	weft_wire_flow_get(&w->flow, &in);
	f = (struct weft_flowid){
		.ssvc = in.dsvc,
		.dsvc = in.ssvc,
		.sgen = in.dgen,
		.dgen = in.sgen,
	};
	weft_cm_put(&cm, &f, op, status, be32_to_cpu(w->req), be32_to_cpu(w->rsp));
	note->len = weft_wire_cm_put(note->chunk, &cm, NULL, 0);
	weft_ctl_put(path, 0, &note->ctl);
	return 0;
}

/* ---- Connections and their lists ----------------------------------------------------- */

/**
 * weft_conn_init - make a connection
 * @conn: zeroed; it has one reference
 * @path: its path, of which it takes a reference
 * @active: we ask
 */
void weft_conn_init(struct weft_conn *conn, struct weft_path *path, bool active)
{
	refcount_set(&conn->ref, 1);
	weft_path_get(path);
	conn->path = path;
	conn->active = active;
	weft_list_init(&conn->node);
	weft_list_init(&conn->idnode);
	weft_list_init(&conn->reqnode);
	weft_ctl_init(&conn->ctl, WEFT_CTL_CONN);
	weft_list_init(&conn->ev.node);
	conn->ev.owned = true;
}

/**
 * weft_conn_put - drop a reference
 * @conn: the connection
 */
void weft_conn_put(struct weft_conn *conn)
{
	if (!refcount_dec_and_test(&conn->ref))
		return;
	weft_job_put(conn->job);
	weft_path_put(conn->path);
	weft_free(conn);
}

/**
 * weft_conn_by_id - find a connection
 * @core: the core; core->svc_lock is held
 * @id: our id of it
 *
 * Return: the connection, not referenced, or NULL.
 */
struct weft_conn *weft_conn_by_id(struct weft_core *core, u32 id)
{
	struct weft_list *l, *chain = &core->conns[id % WEFT_CORE_HASH];

	weft_list_for_each(l, chain) {
		struct weft_conn *conn = weft_entry(l, struct weft_conn, idnode);

		if (conn->id == id)
			return conn;
	}
	return NULL;
}

/**
 * weft_conn_list - give a connection its id and let it be found
 * @conn: the connection; its path is locked; its reference belongs to the lists
 */
void weft_conn_list(struct weft_conn *conn)
{
	struct weft_core *core = conn->path->core;

	weft_lock(&core->svc_lock);
	do
		conn->id = ++core->next_conn;
	while (!conn->id || weft_conn_by_id(core, conn->id));
	weft_list_add_tail(&core->conns[conn->id % WEFT_CORE_HASH], &conn->idnode);
	weft_unlock(&core->svc_lock);
	weft_list_add_tail(&conn->path->conns, &conn->node);
}

void weft_conn_unlist(struct weft_conn *conn)
{
	struct weft_core *core = conn->path->core;

	weft_lock(&core->svc_lock);
	weft_list_del(&conn->idnode);
	weft_unlock(&core->svc_lock);
	weft_list_del(&conn->node);
}

/* Can a chunk with flow @f and @other end's id be for this end? */
static bool weft_conn_fits(const struct weft_conn *conn, const struct weft_path *path,
			   const struct weft_flowid *f, u32 other)
{
	if (conn->path != path || (conn->peer && other && conn->peer != other))
		return false;
	/* both ends are here: its own chunk is not for it */
	if (path->local && f->sgen && f->sgen == conn->fid.sgen)
		return false;
	return (!f->dgen || !conn->fid.sgen || f->dgen == conn->fid.sgen) &&
	       (!f->sgen || !conn->fid.dgen || f->sgen == conn->fid.dgen);
}

/* The connection that a chunk is for. */
static struct weft_conn *weft_conn_find(struct weft_path *path, const struct weft_w_cm *w)
{
	u32 req = be32_to_cpu(w->req), rsp = be32_to_cpu(w->rsp);
	struct weft_core *core = path->core;
	struct weft_conn *conn = NULL;
	struct weft_flowid f;
	struct weft_list *l;

	weft_wire_flow_get(&w->flow, &f);
	weft_lock(&core->svc_lock);
	if (w->op != WEFT_CM_RTU) {
		conn = weft_conn_by_id(core, req);
		if (conn && !(conn->active && weft_conn_fits(conn, path, &f, rsp)))
			conn = NULL;
	}
	if (!conn && w->op != WEFT_CM_REP && w->op != WEFT_CM_REJ) {
		conn = weft_conn_by_id(core, rsp);
		if (conn && (conn->active || !weft_conn_fits(conn, path, &f, req)))
			conn = NULL;
	}
	weft_unlock(&core->svc_lock);
	if (conn || rsp || w->op != WEFT_CM_FIN)
		return conn;
	/* a requester that has not heard of us */
	weft_list_for_each(l, &path->conns) {
		conn = weft_entry(l, struct weft_conn, node);
		if (!conn->active && conn->peer == req && weft_conn_fits(conn, path, &f, req))
			return conn;
	}
	return NULL;
}

/* ---- Events -------------------------------------------------------------------------- */

/**
 * weft_cm_event - tell an endpoint's program of a connection
 * @ep: the endpoint, locked
 * @qev: where the event stands
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

/* Tell SHUTDOWN, once, when no message is being received any more. ep->lock is held. */
static void weft_cm_shut(struct weft_ep *ep, struct weft_conn *conn, struct weft_out *out)
{
	if (conn->shut)
		return;
	conn->shut_wait = !weft_list_empty(&ep->active);
	if (conn->shut_wait)
		return;
	conn->shut = true;
	weft_cm_event(ep, &ep->ev_shut, WEFT_EV_SHUTDOWN, ep->broken ? ep->broken : conn->lost,
		      conn, NULL, 0, out);
	if (ep->srq)
		weft_srq_last(ep, out);
}

/**
 * weft_cm_settled - an endpoint receives no message any more
 * @ep: the endpoint, not locked
 * @out: output
 */
void weft_cm_settled(struct weft_ep *ep, struct weft_out *out)
{
	weft_lock(&ep->lock);
	if (ep->conn && ep->conn->shut_wait)
		weft_cm_shut(ep, ep->conn, out);
	weft_unlock(&ep->lock);
}

/* ---- States -------------------------------------------------------------------------- */

/**
 * weft_cm_until - a connection waits
 * @conn: the connection; its path is locked
 * @at: when weft_cm_expire() is called
 */
void weft_cm_until(struct weft_conn *conn, weft_ns at)
{
	struct weft_path *path = conn->path;

	conn->until = at;
	path->close_at = min(path->close_at, at);
	if (path->state != WEFT_PATHS_DEAD)
		weft_path_deadline(path, at);
}

/**
 * weft_cm_state - a connection changes its state, and waits for nothing
 * @conn: the connection; its path is locked
 * @state: WEFT_CONN_*
 * @now: time
 *
 * core->svc_lock is taken.
 */
void weft_cm_state(struct weft_conn *conn, u8 state, weft_ns now)
{
	struct weft_path *path = conn->path;

	conn->until = 0;
	if (conn->state == WEFT_CONN_ASKED)
		weft_cm_answered(path->core);
	if (!path->local) {
		if (conn->state == WEFT_CONN_UP)
			path->nconn--;
		if (state == WEFT_CONN_UP) {
			path->nconn++;
			if (path->state != WEFT_PATHS_DEAD)
				weft_path_deadline(path, now + path->core->conf.keepalive_ns);
		}
	}
	conn->state = state;
}

/**
 * weft_cm_closed - an endpoint is not connected any more, or will never be
 * @ep: the endpoint, locked
 * @out: output
 *
 * Its receives end; messages that have come stay until a receive asks for them.
 */
void weft_cm_closed(struct weft_ep *ep, struct weft_out *out)
{
	u32 set = WEFT_ST_RQ_KICK;

	if (ep->state != WEFT_EPS_CONNECTING)
		set |= WEFT_ST_SHUT;
	weft_recv_drain(ep, out);
	if (ep->state != WEFT_EPS_ERROR)
		WRITE_ONCE(ep->state, WEFT_EPS_CLOSED);
	weft_ep_st(ep, set, WEFT_ST_CONNECTED);
	weft_recv_cancel_all(ep, ECANCELED, out);
	/* what it has not taken a shared receive for never came */
	if (ep->srq && ep->conf.flags & WEFT_EPF_STRICT)
		weft_recv_drop_all(ep, out);
	/* barrier E: who posts from here on sees the flag; who has posted before is seen here */
	smp_mb();
	weft_recv_drain(ep, out);
}

/**
 * weft_cm_over - a connection has ended; chunks that are queued still go
 * @conn: the connection; its path is locked; the reference of its lists is dropped
 * @out: output
 */
void weft_cm_over(struct weft_conn *conn, struct weft_out *out)
{
	struct weft_rflow *rf = conn->rflow;
	struct weft_flow *flow = conn->flow;
	struct weft_ep *ep = conn->ep;

	weft_cm_unask(conn);
	weft_cm_state(conn, WEFT_CONN_OVER, out->now);
	weft_conn_unlist(conn);
	if (flow) {
		conn->flow = NULL;
		flow->conn = NULL;
		/* the peer knows by FIN, or never had it */
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
 * weft_cm_failed - a connection could not be made: tell the program
 * @conn: the connection; its path is locked; over afterwards
 * @err: errno
 * @data: private data of who refused it
 * @len: bytes of them
 * @out: output
 */
void weft_cm_failed(struct weft_conn *conn, int err, const void *data, u32 len,
		    struct weft_out *out)
{
	struct weft_ep *ep = conn->ep;

	if (ep) {
		weft_lock(&ep->lock);
		if (ep->state == WEFT_EPS_CONNECTING)
			weft_cm_closed(ep, out);
		weft_cm_event(ep, &ep->ev_conn, WEFT_EV_CONN_FAILED, err, conn, data, len, out);
		weft_unlock(&ep->lock);
	}
	weft_cm_over(conn, out);
}

/**
 * weft_cm_withdraw - a request is not wanted any more: FIN, if the peer may have heard of it
 * @conn: the connection, ASKING; its path is locked
 * @out: output
 */
void weft_cm_withdraw(struct weft_conn *conn, struct weft_out *out)
{
	if (conn->ops & 1u << WEFT_CM_REQ) {
		conn->ops = 0;
		weft_ctl_drop(&conn->ctl, out);
	} else {
		weft_cm_say(conn, WEFT_CM_FIN);
	}
}

/*
 * An open connection has ended without our doing, or one that this side has closed is over. @err:
 * errno for sends that have not ended, 0: they have.
 */
static void weft_cm_down(struct weft_conn *conn, int err, struct weft_out *out)
{
	struct weft_ep *ep = conn->ep;

	if (ep) {
		weft_lock(&ep->lock);
		if (weft_ep_connected(ep) || ep->state == WEFT_EPS_ACCEPTED)
			weft_cm_closed(ep, out);
		weft_unlock(&ep->lock);
	}
	if (err && conn->flow)
		weft_flow_fail(conn->flow, err, out);
	/* whoever reads the event finds all completions */
	if (ep) {
		weft_lock(&ep->lock);
		weft_cm_shut(ep, conn, out);
		weft_unlock(&ep->lock);
	}
	weft_cm_over(conn, out);
}

/**
 * weft_cm_quiet - all messages of a connection that is being closed have been acknowledged
 * @conn: the connection; its path is locked
 * @out: output
 */
void weft_cm_quiet(struct weft_conn *conn, struct weft_out *out)
{
	switch (conn->state) {
	case WEFT_CONN_ACCEPTED:
	case WEFT_CONN_UP:
		/* its endpoint is being destroyed, and has begun with the flow */
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
 * weft_cm_first - the requester knows that it has been accepted: RTU or a message has come
 * @conn: the connection; its path is locked, ep->lock is not held
 * @out: output
 */
void weft_cm_first(struct weft_conn *conn, struct weft_out *out)
{
	struct weft_ep *ep = conn->ep;

	if (conn->state != WEFT_CONN_ACCEPTED)
		return;
	weft_cm_state(conn, WEFT_CONN_UP, out->now);
	weft_count(conn->path->core, conns_made);
	weft_lock(&ep->lock);
	if (ep->state == WEFT_EPS_ACCEPTED) {
		WRITE_ONCE(ep->state, WEFT_EPS_CONNECTED);
		weft_ep_st(ep, WEFT_ST_CONNECTED, 0);
		weft_cm_event(ep, &ep->ev_conn, WEFT_EV_CONNECTED, 0, conn, NULL, 0, out);
	}
	weft_unlock(&ep->lock);
}

/**
 * weft_cm_reset - the path has died, or the peer does not know the flow
 * @conn: the connection; its path is locked; it is not on path->conns afterwards
 * @err: errno
 * @out: output
 */
void weft_cm_reset(struct weft_conn *conn, int err, struct weft_out *out)
{
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
		/* who has ended it himself, or hears that the peer did, is told of an end only */
		if (err == ETIMEDOUT || err == EHOSTUNREACH)
			conn->lost = err;
		fallthrough;
	case WEFT_CONN_CLOSING:
		weft_cm_down(conn, err, out);
		break;
	}
}

/**
 * weft_cm_expire - a connection's time is over
 * @conn: the connection, whose @until has passed; its path is locked
 * @out: output
 */
void weft_cm_expire(struct weft_conn *conn, struct weft_out *out)
{
	int err = conn->path->state == WEFT_PATHS_HELLO ? EHOSTUNREACH : ETIMEDOUT;

	if (conn->state == WEFT_CONN_ASKING)
		weft_cm_withdraw(conn, out);
	weft_cm_reset(conn, err, out);
}

/* ---- What comes ---------------------------------------------------------------------- */

/* The address that a request came from. */
static void weft_cm_from(struct weft_path *path, u32 req, u16 svc, struct weft_sockaddr *addr)
{
	struct weft_core *core = path->core;
	struct weft_conn *conn;

	*addr = path->addr;
	if (path->local) {
		weft_lock(&core->svc_lock);
		conn = weft_conn_by_id(core, req);
		*addr = conn && conn->path == path && conn->ep ? conn->ep->addr : core->addr[0];
		weft_unlock(&core->svc_lock);
	}
	addr->port = cpu_to_be16(svc);
}

static int weft_cm_req(struct weft_path *path, const struct weft_w_cm *w, const u8 *data, u32 len,
		       struct weft_out *out)
{
	struct weft_core *core = path->core;
	struct weft_conn *conn;
	struct weft_flowid f;
	struct weft_ep *pep;
	bool queued;

	weft_wire_flow_get(&w->flow, &f);
	pep = weft_core_service(core, f.dsvc);
	if (pep && !weft_job_cm_ok(path, pep->job, w, &f)) {
		weft_ep_put(pep);
		pep = NULL;
	}
	if (pep && !weft_cm_admit(core)) {
		weft_ep_put(pep);
		pep = NULL;
	}
	conn = pep ? weft_ep_alloc(pep, sizeof(*conn)) : NULL;
	if (pep && !conn) {
		weft_cm_answered(core);
		weft_ep_put(pep);
		return -ENOMEM;
	}
	if (pep) {
		weft_conn_init(conn, path, false);
		conn->state = WEFT_CONN_ASKED;
		conn->peer = be32_to_cpu(w->req);
		conn->fid.ssvc = f.dsvc;
		conn->fid.dsvc = f.ssvc;
		conn->fid.dgen = f.sgen;
		conn->dlen = len;
		memcpy(conn->data, data, len);
		weft_cm_from(path, conn->peer, f.ssvc, &conn->addr);
		weft_conn_list(conn);
		queued = weft_cm_queue(conn, pep, out);
		weft_ep_put(pep);
		if (queued)
			return 0;
		weft_cm_over(conn, out);
	}
	if (weft_cm_note(path, w, WEFT_CM_REJ, ECONNREFUSED))
		return -ENOMEM;
	weft_count(core, conns_refused);
	return 0;
}

/* The requester is told that it has been accepted. */
static int weft_cm_rep(struct weft_path *path, struct weft_conn *conn, const struct weft_w_cm *w,
		       const u8 *data, u32 len, struct weft_out *out)
{
	struct weft_ep *ep = conn->ep;
	struct weft_flowid f, in;
	struct weft_rflow *rf;

	weft_wire_flow_get(&w->flow, &f);
	if (conn->state != WEFT_CONN_ASKING || !w->rsp)
		return 0;
	if (!weft_job_cm_ok(path, conn->job, w, &f)) {
		/* nobody sends so */
		weft_cm_withdraw(conn, out);
		weft_cm_failed(conn, ECONNREFUSED, NULL, 0, out);
		return 0;
	}
	if (!path->local) {
		in = (struct weft_flowid){ .ssvc = f.ssvc, .dsvc = conn->fid.ssvc,
					   .sgen = f.sgen };
		if (weft_rflow_find(path, in.ssvc, in.sgen)) {
			/* nobody sends so */
			weft_cm_withdraw(conn, out);
			weft_cm_failed(conn, ECONNRESET, NULL, 0, out);
			return 0;
		}
		rf = weft_rflow_new(path, &in, ep);
		if (!rf)
			return -ENOMEM;
		rf->conn = conn;
		conn->rflow = rf;
	}
	conn->peer = be32_to_cpu(w->rsp);
	conn->fid.dsvc = f.ssvc;
	conn->fid.dgen = f.sgen;
	conn->flow->id.dsvc = f.ssvc;
	conn->flow->id.dgen = f.sgen;
	conn->flow->lane = weft_flow_lane(&conn->flow->id);
	weft_flow_seal(conn->flow);
	weft_cm_state(conn, WEFT_CONN_UP, out->now);
	weft_count(path->core, conns_made);
	weft_lock(&ep->lock);
	if (ep->state == WEFT_EPS_CONNECTING) {
		WRITE_ONCE(ep->state, WEFT_EPS_CONNECTED);
		weft_ep_st(ep, WEFT_ST_CONNECTED, 0);
		weft_cm_event(ep, &ep->ev_conn, WEFT_EV_CONNECTED, 0, conn, data, len, out);
	}
	weft_unlock(&ep->lock);
	weft_cm_say(conn, WEFT_CM_RTU);
	if (conn->fin_in)
		weft_cm_down(conn, ECONNRESET, out);
	return 0;
}

/* Does a graceful end of ours wait for sends? */
static bool weft_cm_lingers(const struct weft_conn *conn)
{
	return conn->flow && !conn->flow->ended && conn->ep &&
	       READ_ONCE(conn->ep->state) == WEFT_EPS_CLOSING;
}

static void weft_cm_fin(struct weft_conn *conn, const struct weft_w_cm *w, struct weft_out *out)
{
	struct weft_flowid f;

	conn->fin_in = true;
	if (conn->state == WEFT_CONN_ASKING) {
		/* it was faster than REP, which is sure to come */
		weft_wire_flow_get(&w->flow, &f);
		conn->peer = be32_to_cpu(w->rsp);
		conn->fid.dsvc = f.ssvc;
		conn->fid.dgen = f.sgen;
	}
	/* both end gracefully: it goes on receiving until what we send has ended */
	conn->fin_held = w->status && weft_cm_lingers(conn);
	if (conn->fin_held)
		return;
	weft_cm_say(conn, WEFT_CM_FINACK);
	/* a peer that goes on receiving would wait for what has been announced */
	if (w->status && conn->flow)
		weft_flow_withdraw(conn->flow, ECONNRESET, out);
	switch (conn->state) {
	case WEFT_CONN_ASKED:
		weft_cm_over(conn, out);
		break;
	case WEFT_CONN_ACCEPTED:
		weft_cm_first(conn, out);
		fallthrough;
	case WEFT_CONN_UP:
		weft_cm_down(conn, ECONNRESET, out);
		break;
	case WEFT_CONN_CLOSING:
		if (weft_cm_lingers(conn))
			weft_flow_fail(conn->flow, ECONNRESET, out);
		break;
	}
}

/**
 * weft_cm_rx - a CM chunk has come
 * @path: the path, locked; core->local too
 * @w: the chunk
 * @data: private data
 * @len: bytes of them, at most WEFT_CM_DATA_MAX
 * @out: output
 *
 * Return: 0, -ENOMEM: nothing has happened, it has to come again.
 */
int weft_cm_rx(struct weft_path *path, const struct weft_w_cm *w, const u8 *data, u32 len,
	       struct weft_out *out)
{
	struct weft_conn *conn;

	len = min_t(u32, len, WEFT_CM_DATA_MAX);
	if (w->op == WEFT_CM_REQ)
		return weft_cm_req(path, w, data, len, out);
	conn = weft_conn_find(path, w);
	switch (w->op) {
	case WEFT_CM_REP:
		if (!conn)
			return weft_cm_note(path, w, WEFT_CM_FIN, 0);
		return weft_cm_rep(path, conn, w, data, len, out);
	case WEFT_CM_REJ:
		if (conn && conn->state == WEFT_CONN_ASKING)
			weft_cm_failed(conn, w->status ? be16_to_cpu(w->status) : ECONNREFUSED,
				       data, len, out);
		break;
	case WEFT_CM_RTU:
		if (conn)
			weft_cm_first(conn, out);
		break;
	case WEFT_CM_FIN:
		if (!conn)
			return weft_cm_note(path, w, WEFT_CM_FINACK, 0);
		weft_cm_fin(conn, w, out);
		break;
	case WEFT_CM_FINACK:
		if (conn && conn->state == WEFT_CONN_CLOSING && conn->fin) {
			conn->fin_acked = true;
			weft_cm_reset(conn, 0, out);
		}
		break;
	}
	return 0;
}
