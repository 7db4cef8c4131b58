// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - connections: their chunks, those that go out and those that come
 *
 * Chunks come reliably and once, but in any order: FIN may overtake REP, and is then remembered;
 * one that belongs to nothing here is answered so that the other end comes to an end, too: REP by
 * FIN, FIN by FINACK. FIN leaves when all messages of its side have been taken, so that whoever
 * gets it has them.
 *
 * A connection is named by the ids of both ends, and by the generations of both flows. That of the
 * requester is on core->local->conns together with the responder's when both are on this node.
 *
 * What comes is a peer's word: a chunk moves the connection that it names only from a state in
 * which it can have been sent. States stand in cm.c.
 *
 * Locks: path->lock for a connection; core->svc_lock for core->conns; path->lock -> ep->lock.
 */
#include "core/cm/cm.h"

/* ---- What goes out ------------------------------------------------------------------- */

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

	weft_assert_held(&conn->path->lock);
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

/* Answer a chunk that belongs to nothing here. Return: 0, -ENOMEM. */
static int weft_cm_note(struct weft_path *path, const struct weft_w_cm *w, u8 op, u16 status)
{
	struct weft_note *note = weft_note_new(path);
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

/* ---- Whose a chunk is ---------------------------------------------------------------- */

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

	if (path->ctl_pending >= WEFT_CTL_PENDING_ASKED) {
		/* it is not kept in front of what else comes: its time passes */
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
		/* nobody sends so; or there are too many, and REP must not wait for others' end */
		if (weft_rflow_find(path, in.ssvc, in.sgen) || path->nrflow >= WEFT_RFLOWS_MAX) {
			int err = path->nrflow < WEFT_RFLOWS_MAX ? ECONNRESET : ENOSPC;

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
	weft_cm_state(conn, WEFT_CONN_UP);
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
	if (conn->state == WEFT_CONN_CLOSING) {
		if (weft_cm_lingers(conn))
			weft_flow_fail(conn->flow, ECONNRESET, out);
	} else if (conn->state != WEFT_CONN_ASKING) {
		weft_cm_reset(conn, ECONNRESET, out);
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
