// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - connections: listeners and their pending requests
 *
 *	listener:	ENABLED --listen--> LISTENING ---> DEAD
 *
 *	REQ --> queued --accept, FIN, path dead---> removed
 *		 |  \---reject, listener dead-----> REJ, over
 *		 \-----handoff-------------------> queued and reported at another listener
 *
 * A request is WEFT_CONN_ASKED until it is answered. It is in pep->reqs and counts in pep->nreqs,
 * which the backlog bounds. conn->pep is the listener, referenced. A request that is handed over
 * keeps its id. If the backlog of the other listener is full, the request returns to its first
 * listener. cm.c describes the later states of connections.
 *
 * Locks: path->lock protects a request and its @pep. pep->lock, inside it, protects the backlog and
 * the event of the request. The locks of two listeners are never held together. Between two
 * listeners a request is in no backlog, and path->lock prevents an answer. A dying listener removes
 * its requests before it locks their paths. It then checks again whether they still wait for an
 * answer.
 */
#include "core/cm/cm.h"

/**
 * weft_cm_listen - accept connection requests at an endpoint
 * @pep: passive endpoint
 * @eq: queue for their events; used by the first call
 * @backlog: most requests that may wait; a second call changes it
 *
 * Return: 0; -EINVAL: not passive, no queue, or a state without requests; errors of
 * weft_ep_enable().
 */
int weft_cm_listen(struct weft_ep *pep, struct weft_eq *eq, u32 backlog)
{
	int err = 0;

	if (pep->conf.type != WEFT_EP_PASSIVE || !eq || !backlog)
		return -EINVAL;
	if (READ_ONCE(pep->state) == WEFT_EPS_NEW) {
		weft_mutex_lock(&pep->sq_mutex);
		err = weft_ep_ready(pep, &(struct weft_ep_queues){ .eq = eq });
		weft_mutex_unlock(&pep->sq_mutex);
		if (err)
			return err;
	}
	weft_lock(&pep->lock);
	if (pep->state == WEFT_EPS_ENABLED)
		WRITE_ONCE(pep->state, WEFT_EPS_LISTENING);
	if (pep->state == WEFT_EPS_LISTENING)
		pep->cm.backlog = min(backlog, pep->core->conf.backlog_max);
	else
		err = -EINVAL;
	weft_unlock(&pep->lock);
	return err;
}

/* ---- Requests at all listeners -------------------------------------------------------- */

/**
 * weft_cm_admit - count one more request that waits for an answer
 * @core: the core
 *
 * Return: true if the limit allows it; it is counted until weft_cm_answered().
 */
bool weft_cm_admit(struct weft_core *core)
{
	bool room;

	weft_lock(&core->svc_lock);
	room = core->nasked < READ_ONCE(core->conf.asked_max);
	core->nasked += room;
	core->nasked_most = max(core->nasked_most, core->nasked);
	weft_unlock(&core->svc_lock);
	if (!room)
		weft_limit_hit(core, limit_requests, WEFT_NOTE_NO_UID);
	return room;
}

/**
 * weft_cm_answered - stop counting a request that waits for an answer
 * @core: the core
 */
void weft_cm_answered(struct weft_core *core)
{
	weft_lock(&core->svc_lock);
	core->nasked--;
	weft_unlock(&core->svc_lock);
}

/* ---- The backlog --------------------------------------------------------------------- */

/**
 * weft_cm_queue - put a request into a backlog
 * @conn: the request; its path is locked
 * @pep: the listener
 * @out: output
 *
 * Return: true if it was added.
 */
bool weft_cm_queue(struct weft_conn *conn, struct weft_ep *pep, struct weft_out *out)
{
	bool room;

	weft_assert_held(&conn->path->lock);
	weft_lock(&pep->lock);
	room = pep->conf.type == WEFT_EP_PASSIVE && pep->state == WEFT_EPS_LISTENING &&
	       pep->cm.nreqs < pep->cm.backlog;
	if (room) {
		weft_ep_get(pep);
		conn->pep = pep;
		pep->cm.nreqs++;
		weft_list_add_tail(&pep->cm.reqs, &conn->reqnode);
		weft_cm_event(pep, &conn->ev, WEFT_EV_CONNREQ, 0, conn, conn->data, conn->dlen,
			      out);
	}
	weft_unlock(&pep->lock);
	return room;
}

/**
 * weft_cm_unqueue - remove a request and its unread event from a backlog
 * @conn: the request; its path is locked
 * @pep: the listener
 *
 * Return: true if it was in the backlog.
 */
static bool weft_cm_unqueue(struct weft_conn *conn, struct weft_ep *pep)
{
	bool there;

	weft_assert_held(&conn->path->lock);
	weft_lock(&pep->lock);
	there = !weft_list_empty(&conn->reqnode);
	if (there) {
		weft_list_del(&conn->reqnode);
		pep->cm.nreqs--;
		weft_eq_forget(pep->eq, &conn->ev);
	}
	weft_unlock(&pep->lock);
	return there;
}

/**
 * weft_cm_unask - detach a request from its listener: it needs no answer any more
 * @conn: the request; its path is locked
 */
void weft_cm_unask(struct weft_conn *conn)
{
	struct weft_ep *pep = conn->pep;

	weft_assert_held(&conn->path->lock);
	if (!pep)
		return;
	conn->pep = NULL;
	weft_cm_unqueue(conn, pep);
	weft_ep_put(pep);
}

/**
 * weft_conn_get - find a connection
 * @core: the core; core->svc_lock is not held
 * @id: connection id of this node; any number
 *
 * Return: the connection, referenced, or NULL.
 */
struct weft_conn *weft_conn_get(struct weft_core *core, u64 id)
{
	struct weft_conn *conn;

	if (!id || id > U32_MAX)
		return NULL;
	weft_lock(&core->svc_lock);
	conn = weft_conn_by_id(core, (u32)id);
	if (conn)
		refcount_inc(&conn->ref);
	weft_unlock(&core->svc_lock);
	return conn;
}

/* ---- Rejection and handoff ----------------------------------------------------------- */

/* Refuse a request. Its path is locked. */
static void weft_cm_refuse(struct weft_conn *conn, const void *data, u32 len, struct weft_out *out)
{
	weft_assert_held(&conn->path->lock);
	conn->status = ECONNREFUSED;
	weft_cm_data(conn, data, len);
	weft_cm_say(conn, WEFT_CM_REJ);
	weft_count(conn->path->core, conns_refused);
	weft_cm_over(conn, out);
}

/**
 * weft_cm_reject - refuse a request
 * @pep: passive endpoint of the request
 * @id: the request
 * @data: private data
 * @len: bytes of them
 * @now: time
 * @out: output
 *
 * Return: 0; -EINVAL: no such request (any more).
 */
int weft_cm_reject(struct weft_ep *pep, u64 id, const void *data, u32 len, weft_ns now,
		   struct weft_out *out)
{
	struct weft_path *path;
	struct weft_conn *conn;
	int err = -EINVAL;

	out->now = now;
	if (len > WEFT_CM_DATA_MAX)
		return -EINVAL;
	conn = weft_conn_get(pep->core, id);
	if (!conn)
		return -EINVAL;
	path = conn->path;
	weft_lock(&path->lock);
	if (conn->state == WEFT_CONN_ASKED && conn->pep == pep) {
		weft_cm_refuse(conn, data, len, out);
		err = 0;
	}
	weft_path_output(path, out);
	weft_unlock(&path->lock);
	weft_conn_put(conn);
	return err;
}

/*
 * Return a request, already reported, to its first listener. Its path is locked. Return: true if
 * that listener still listens.
 */
static bool weft_cm_requeue(struct weft_conn *conn, struct weft_ep *pep)
{
	bool there;

	weft_assert_held(&conn->path->lock);
	weft_lock(&pep->lock);
	there = pep->state == WEFT_EPS_LISTENING;
	if (there) {
		weft_list_add_tail(&pep->cm.reqs, &conn->reqnode);
		pep->cm.nreqs++;
	}
	weft_unlock(&pep->lock);
	return there;
}

/*
 * Move a request from one listener to another. The path is locked. Return: 0; -EINVAL: it is not a
 * request of @pep; -EAGAIN: the backlog of @to is full.
 */
static int weft_cm_pass(struct weft_conn *conn, struct weft_ep *pep, struct weft_ep *to,
			struct weft_out *out)
{
	weft_assert_held(&conn->path->lock);
	if (conn->state != WEFT_CONN_ASKED || conn->pep != pep || !weft_cm_unqueue(conn, pep))
		return -EINVAL;
	if (weft_cm_queue(conn, to, out)) {
		weft_ep_put(pep);
		return 0;
	}
	if (!weft_cm_requeue(conn, pep))
		weft_cm_refuse(conn, NULL, 0, out);
	return -EAGAIN;
}

/**
 * weft_cm_handoff - give a request to another listener, which gets its event
 * @pep: passive endpoint of the request
 * @id: the request
 * @svc: service of the other listener, which may belong to another program
 * @now: time
 * @out: output
 *
 * Return: 0; -EINVAL: no such request (any more), or @svc is that of @pep; -ENOENT: @svc has no
 * listener of the same job; -EAGAIN: the backlog of the other is full, nothing has changed.
 */
int weft_cm_handoff(struct weft_ep *pep, u64 id, u16 svc, weft_ns now, struct weft_out *out)
{
	struct weft_conn *conn;
	struct weft_ep *to;
	int err = -ENOENT;

	out->now = now;
	conn = weft_conn_get(pep->core, id);
	if (!conn)
		return -EINVAL;
	to = weft_core_service(pep->core, svc);
	if (to && READ_ONCE(to->state) == WEFT_EPS_LISTENING && to->job == pep->job) {
		weft_lock(&conn->path->lock);
		err = to == pep ? -EINVAL : weft_cm_pass(conn, pep, to, out);
		weft_path_output(conn->path, out);
		weft_unlock(&conn->path->lock);
	}
	if (to)
		weft_ep_put(to);
	weft_conn_put(conn);
	return err;
}

/**
 * weft_cm_kill_reqs - refuse all requests of a dying listener
 * @pep: passive endpoint, dead; an endpoint of another type has no requests
 * @out: output
 */
void weft_cm_kill_reqs(struct weft_ep *pep, struct weft_out *out)
{
	for (;;) {
		struct weft_conn *conn = NULL;
		struct weft_list *l;

		weft_lock(&pep->lock);
		l = weft_list_first(&pep->cm.reqs);
		if (l) {
			conn = weft_entry(l, struct weft_conn, reqnode);
			refcount_inc(&conn->ref);
			weft_list_del(l);
			pep->cm.nreqs--;
			weft_eq_forget(pep->eq, &conn->ev);
		}
		weft_unlock(&pep->lock);
		if (!conn)
			return;
		weft_lock(&conn->path->lock);
		if (conn->state == WEFT_CONN_ASKED)
			weft_cm_refuse(conn, NULL, 0, out);
		weft_path_output(conn->path, out);
		weft_unlock(&conn->path->lock);
		weft_conn_put(conn);
	}
}
