// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - connections: encoding of their chunks, and processing of received ones
 *
 * Chunks arrive reliably and once, but in any order. FIN may overtake REP, and is then remembered.
 * A chunk without a connection here is answered, so that the other end can finish: REP by FIN, FIN
 * by FINACK. FIN is sent when the peer has acknowledged all messages of its side. So the receiver
 * of FIN has all of them.
 *
 * The ids of both ends and the generations of both flows name a connection. When both ends are on
 * this node, core->local->conns has the connections of requester and responder.
 *
 * Received chunks are untrusted. A chunk changes the state of its connection only from a state in
 * which the peer can have sent it. cm.c describes the states.
 *
 * Locks: path->lock protects a connection, core->svc_lock core->conns; ep->lock is taken inside.
 * See Documentation/locking.rst.
 */
#include "core/cm/cm.h"

/* ---- Sent chunks --------------------------------------------------------------------- */

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

/* Write operation @op. Return: bytes written, 0: not enough space. */
static u32 weft_cm_write(struct weft_conn *conn, u8 op, void *dst, u32 room)
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
		weft_job_cm_auth(conn, &w);
	return weft_wire_cm_put(dst, &w, conn->data, len);
}

/**
 * weft_cm_chunk - write the next operation of a connection
 * @conn: the connection; its path is locked
 * @rec: the open packet
 * @room: space in it, bytes
 * @more: out: true if the connection has more operations to send
 *
 * FIN has a packet of its own. The peer takes FIN only after it has received the acknowledgements
 * of its sends. So FIN must not delay chunks for others, which the peer's FIN may wait for.
 *
 * Return: bytes written, 0: not enough space, or no operation.
 */
u32 weft_cm_chunk(struct weft_conn *conn, struct weft_rec *rec, u32 room, bool *more)
{
	u8 op;
	u32 n;

	weft_assert_held(&conn->path->lock);
	for (op = WEFT_CM_REQ; op <= WEFT_CM_FINACK; op++)
		if (conn->ops & (1u << op))
			break;
	if (op > WEFT_CM_FINACK)
		return 0;
	*more = true;
	if (op == WEFT_CM_FIN && rec->len)
		return 0;
	n = weft_cm_write(conn, op, rec->raw + rec->len, room);
	if (n)
		conn->ops &= ~(1u << op);
	rec->alone = n && op == WEFT_CM_FIN;
	*more = conn->ops;
	return n;
}

/* Answer a chunk without a connection. Return: 0, -ENOMEM. */
static int weft_cm_note(struct weft_path *path, const struct weft_w_cm *w, u8 op, u16 status)
{
	struct weft_ctl_chunk *note = weft_ctl_chunk_new(path);
	struct weft_flowid in, f;
	struct weft_w_cm cm;

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

/* ---- Connection of a chunk ----------------------------------------------------------- */

/* Return: true if a chunk with flow @f and @other end's id may be for this end. */
static bool weft_conn_fits(const struct weft_conn *conn, const struct weft_path *path,
			   const struct weft_flowid *f, u32 other)
{
	if (conn->path != path || (conn->peer && other && conn->peer != other))
		return false;
	/* both ends are on this node: a chunk is not for its own sender */
	if (path->local && f->sgen && f->sgen == conn->fid.sgen)
		return false;
	return (!f->dgen || !conn->fid.sgen || f->dgen == conn->fid.sgen) &&
	       (!f->sgen || !conn->fid.dgen || f->sgen == conn->fid.dgen);
}

/* Find the connection of a chunk. */
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
	/* a requester that has not received our REP yet */
	weft_list_for_each(l, weft_idtable_chain(&path->cm.peers,
						 weft_conn_peer_id(path, req, f.sgen))) {
		conn = weft_entry(l, struct weft_conn, peer_node.list);
		if (conn->peer == req && weft_conn_fits(conn, path, &f, req))
			return conn;
	}
	return NULL;
}

/* ---- Received chunks ----------------------------------------------------------------- */

/* Get the address of a requester. */
static void weft_cm_from(struct weft_path *path, u32 req, u16 svc, struct weft_sockaddr *addr)
{
	struct weft_core *core = path->core;
	struct weft_conn *conn;

	*addr = path->node.addr;
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

	if (path->ctl_pending >= WEFT_CTL_PENDING_ASKED) {
		/*
		 * drop it: the queue of answers is full, and other chunks must not wait; the
		 * request times out
		 */
		weft_count(core, conns_refused);
		return 0;
	}
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
	if (conn) {
		weft_conn_init(conn, path, false);
		if (weft_conn_name(conn)) {
			weft_conn_put(conn);
			conn = NULL;
		}
	}
	if (pep && !conn) {
		weft_cm_answered(core);
		weft_ep_put(pep);
		return -ENOMEM;
	}
	if (pep) {
		conn->state = WEFT_CONN_ASKED;
		conn->peer = be32_to_cpu(w->req);
		conn->fid.ssvc = f.dsvc;
		conn->fid.dsvc = f.ssvc;
		conn->fid.dgen = f.sgen;
		conn->dlen = len;
		memcpy(conn->data, data, len);
		weft_cm_from(path, conn->peer, f.ssvc, &conn->addr);
		weft_conn_list(conn, out->now);
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

/* Process REP: the request has been accepted. */
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
		/* no kernel sends such a REP */
		weft_cm_withdraw(conn, out);
		weft_cm_failed(conn, ECONNREFUSED, NULL, 0, out);
		return 0;
	}
	if (!path->local) {
		in = (struct weft_flowid){ .ssvc = f.ssvc, .dsvc = conn->fid.ssvc,
					   .sgen = f.sgen };
		/* no kernel sends such a REP; or too many flows, whose end REP must not wait for */
		if (weft_rflow_find(path, in.ssvc, in.sgen) ||
		    path->flow.nrflow >= WEFT_RFLOWS_MAX) {
			int err = path->flow.nrflow < WEFT_RFLOWS_MAX ? ECONNRESET : ENOSPC;

			weft_cm_withdraw(conn, out);
			weft_cm_failed(conn, err, NULL, 0, out);
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
	weft_flow_auth(conn->flow);
	weft_cm_state(conn, WEFT_CONN_UP, out->now);
	weft_count(path->core, conns_made);
	weft_lock(&ep->lock);
	if (ep->state == WEFT_EPS_CONNECTING) {
		WRITE_ONCE(ep->state, WEFT_EPS_CONNECTED);
		weft_ep_st(ep, WEFT_ST_CONNECTED, 0);
		weft_cm_event(ep, &ep->cm.ev_conn, WEFT_EV_CONNECTED, 0, conn, data, len, out);
	}
	weft_unlock(&ep->lock);
	weft_cm_say(conn, WEFT_CM_RTU);
	if (conn->fin_in)
		weft_cm_down(conn, ECONNRESET, out);
	return 0;
}

/* Return: true if the graceful end of this side waits for sends. */
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
		/* FIN has overtaken REP, which will come */
		weft_wire_flow_get(&w->flow, &f);
		conn->peer = be32_to_cpu(w->rsp);
		conn->fid.dsvc = f.ssvc;
		conn->fid.dgen = f.sgen;
	}
	/* both sides end gracefully: the peer receives until the sends of this side have ended */
	conn->fin_held = w->status && weft_cm_lingers(conn);
	if (conn->fin_held)
		return;
	weft_cm_say(conn, WEFT_CM_FINACK);
	/* a peer that still receives would wait for announced messages */
	if (w->status && conn->flow)
		weft_flow_withdraw(conn->flow, ECONNRESET, out);
	if (conn->state == WEFT_CONN_CLOSING) {
		if (weft_cm_lingers(conn))
			weft_flow_fail(conn->flow, ECONNRESET, out);
	} else if (conn->state != WEFT_CONN_ASKING) {
		weft_cm_reset(conn, ECONNRESET, out);
	}
}

/**
 * weft_cm_rx - process a CM chunk
 * @path: the path, locked; may be core->local
 * @w: the chunk
 * @data: private data
 * @len: bytes of them, at most WEFT_CM_DATA_MAX
 * @out: output
 *
 * Return: 0; -ENOMEM: nothing has changed, the chunk has to come again.
 */
int weft_cm_rx(struct weft_path *path, const struct weft_w_cm *w, const u8 *data, u32 len,
	       struct weft_out *out)
{
	struct weft_conn *conn;

	weft_assert_held(&path->lock);
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
