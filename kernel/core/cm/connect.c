// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - connections: calls of programs
 *
 *	endpoint:	ENABLED --connect--> CONNECTING --REP-----> CONNECTED ---> CLOSED
 *				\----accept---> ACCEPTED ---RTU-----/
 *			(CONNECTING --REJ, timeout, shutdown--> CLOSED)
 *
 * An endpoint is connected only once. ep->cm.connecting records that it is being connected or was
 * connected. cm.c describes the states of connections, listen.c the listeners.
 *
 * Locks: ep->sq_mutex is held for a whole call, so that one caller sets and ends flow and
 * connection of an endpoint; path->lock and ep->lock are taken inside. Process context.
 */
#include "core/cm/cm.h"

/* Reserve the endpoint for one connection. Return: 0, negative errno. */
static int weft_cm_claim(struct weft_ep *ep)
{
	int err = -EBUSY;

	weft_lock(&ep->lock);
	switch (ep->state) {
	case WEFT_EPS_ENABLED:
		if (!ep->cm.connecting)
			err = 0;
		ep->cm.connecting = true;
		break;
	case WEFT_EPS_CONNECTED:
		err = -EISCONN;
		break;
	case WEFT_EPS_CONNECTING:
	case WEFT_EPS_ACCEPTED:
	case WEFT_EPS_CLOSING:
	case WEFT_EPS_CLOSED:
		break;
	default:
		err = -EINVAL;
	}
	weft_unlock(&ep->lock);
	return err;
}

static void weft_cm_unclaim(struct weft_ep *ep)
{
	weft_lock(&ep->lock);
	ep->cm.connecting = false;
	weft_unlock(&ep->lock);
}

/* Connect connection, endpoint and flow. ep->sq_mutex is held, the path is locked. */
static int weft_cm_bind(struct weft_conn *conn, struct weft_ep *ep, struct weft_flow *flow,
			u32 state)
{
	int err = weft_flow_add(flow);

	weft_mutex_assert_held(&ep->sq_mutex);
	if (err)
		return err;
	weft_lock(&ep->lock);
	if (ep->state == WEFT_EPS_ENABLED) {
		WRITE_ONCE(ep->state, state);
		ep->cm.conn = conn;
		refcount_inc(&conn->ref);
	} else {
		err = -EINVAL;
	}
	weft_unlock(&ep->lock);
	if (err) {
		weft_flow_unlist(flow);
		return err;
	}
	weft_ep_get(ep);
	conn->ep = ep;
	conn->job = weft_job_get(ep->job);
	flow->ref++;
	conn->flow = flow;
	flow->conn = conn;
	conn->fid.ssvc = flow->id.ssvc;
	conn->fid.sgen = flow->id.sgen;
	weft_list_add_tail(&ep->flow.list, &flow->ep_node);
	weft_flow_recent(ep, flow);
	return 0;
}

/*
 * Send a request. @until: when it is given up. @again: for the second time. ep->sq_mutex is held.
 * May sleep.
 */
static int weft_cm_ask(struct weft_ep *ep, struct weft_path *path,
		       const struct weft_sockaddr *addr, const void *data, u32 len, weft_ns until,
		       bool again, struct weft_out *out)
{
	struct weft_conn *conn = weft_alloc_sleep(sizeof(*conn));
	struct weft_flow *flow = weft_flow_new(ep, path, addr);
	int err = -ENOMEM;

	weft_mutex_assert_held(&ep->sq_mutex);
	if (!conn || !flow)
		goto out;
	weft_conn_init(conn, path, true);
	conn->state = WEFT_CONN_ASKING;
	conn->again = again;
	conn->addr = *addr;
	conn->fid.dsvc = be16_to_cpu(addr->port);
	weft_cm_data(conn, data, len);
	weft_lock(&path->lock);
	err = weft_conn_name(conn);
	if (!err)
		err = weft_cm_bind(conn, ep, flow, WEFT_EPS_CONNECTING);
	if (!err) {
		weft_conn_list(conn, out->now);
		weft_cm_say(conn, WEFT_CM_REQ);
		weft_cm_until(conn, until);
		weft_path_output(path, out);
	}
	if (err)
		weft_conn_unname(conn);
	weft_unlock(&path->lock);
	if (!err)
		return 0;
	/* a call with the number of any connection may have found it */
	weft_conn_put(conn);
	conn = NULL;
out:
	if (flow)
		weft_flow_free(flow);
	weft_free(conn);
	return err;
}

/* Find the path and send a request. Arguments and locks as for weft_cm_ask(). */
static int weft_cm_try(struct weft_ep *ep, const struct weft_sockaddr *addr, const void *data,
		       u32 len, weft_ns until, bool again, struct weft_out *out)
{
	struct weft_core *core = ep->core;
	struct weft_path *path;
	bool gone;
	int err;

	do {
		if (weft_core_own(core, addr)) {
			path = core->local;
			weft_path_get(path);
		} else {
			path = weft_path_find(core, addr, out);
		}
		if (IS_ERR(path)) {
			if (PTR_ERR(path) == -ENOSPC)
				weft_limit_hit(core, limit_paths, ep->user->uid);
			return (int)PTR_ERR(path);
		}
		err = weft_cm_ask(ep, path, addr, data, len, until, again, out);
		gone = err && weft_path_gone(path);
		weft_path_put(path);
	} while (unlikely(gone));
	return err;
}

/**
 * weft_cm_connect - request a connection; an event reports the result
 * @ep: MSG endpoint, enabled
 * @addr: address of the listener
 * @data: private data
 * @len: bytes of them
 * @timeout: longest time, at most WEFT_CM_TIMEOUT_MAX; 0: accept_ns
 * @now: time
 * @out: output
 *
 * Context: may sleep.
 * Return: 0; -EINVAL: not enabled, not MSG, address, timeout; -EISCONN, -EBUSY: was connected
 * before; errors of memory and of the path.
 */
int weft_cm_connect(struct weft_ep *ep, const struct weft_sockaddr *addr, const void *data, u32 len,
		    weft_ns timeout, weft_ns now, struct weft_out *out)
{
	int err;

	out->now = now;
	if (ep->conf.type != WEFT_EP_MSG || len > WEFT_CM_DATA_MAX || !addr->port ||
	    timeout > WEFT_CM_TIMEOUT_MAX)
		return -EINVAL;
	err = weft_addr_check(addr);
	if (err)
		return err;
	weft_mutex_lock(&ep->sq_mutex);
	err = weft_cm_claim(ep);
	if (err)
		goto out;
	err = weft_cm_try(ep, addr, data, len, now + (timeout ?: ep->core->conf.accept_ns), false,
			  out);
	if (err)
		weft_cm_unclaim(ep);
out:
	weft_mutex_unlock(&ep->sq_mutex);
	return err;
}

/**
 * weft_cm_renew - the path of a request has died: should the request be sent again?
 * @conn: the connection, ASKING; its path is locked
 * @out: output
 *
 * It should if the peer did not know the path: the peer's state of the request has ended with its
 * path.
 * Return: true if a worker sends it once more, on a new path.
 */
bool weft_cm_renew(struct weft_conn *conn, struct weft_out *out)
{
	struct weft_ep *ep = conn->ep;
	weft_ns until = conn->until.at;
	bool renew;

	weft_assert_held(&conn->path->lock);
	if (conn->again || conn->path->local || conn->path->failing != ECONNRESET || !ep)
		return false;
	weft_lock(&ep->lock);
	renew = ep->state == WEFT_EPS_CONNECTING;
	if (renew) {
		ep->cm.ask_work.queued = true;
		weft_ep_get(ep);
		weft_list_add_tail(&out->deferred, &ep->cm.ask_work.node);
	}
	weft_unlock(&ep->lock);
	if (!renew)
		return false;
	weft_conn_unlist(conn);
	weft_cm_state(conn, WEFT_CONN_AGAIN, out->now);
	conn->again_until = until;
	return true;
}

/*
 * Return the endpoint of @conn, which is AGAIN, to its state before the request. ep->sq_mutex is
 * held. Return: time limit of the next request; 0: no more request, another call ends it.
 */
static weft_ns weft_cm_unask_ep(struct weft_ep *ep, struct weft_conn *conn, struct weft_out *out)
{
	struct weft_path *path = conn->path;
	weft_ns until = 0;
	bool mine;

	weft_mutex_assert_held(&ep->sq_mutex);
	weft_lock(&path->lock);
	weft_lock(&ep->lock);
	mine = conn->state == WEFT_CONN_AGAIN && ep->state == WEFT_EPS_CONNECTING;
	if (mine) {
		WRITE_ONCE(ep->state, WEFT_EPS_ENABLED);
		ep->cm.conn = NULL;
	}
	weft_unlock(&ep->lock);
	if (mine) {
		until = conn->again_until;
		weft_cm_over(conn, out);
	}
	weft_unlock(&path->lock);
	if (!mine)
		return 0;
	weft_flow_forget(ep->flow.recent, out);
	weft_conn_put(conn);
	return until;
}

/* Report that the request cannot be sent again. ep->sq_mutex is held. */
static void weft_cm_ask_failed(struct weft_ep *ep, const struct weft_conn *conn, int err,
			       struct weft_out *out)
{
	weft_mutex_assert_held(&ep->sq_mutex);
	weft_lock(&ep->lock);
	if (ep->state == WEFT_EPS_ENABLED) {
		WRITE_ONCE(ep->state, WEFT_EPS_CONNECTING);
		weft_cm_closed(ep, out);
		weft_cm_event(ep, &ep->cm.ev_conn, WEFT_EV_CONN_FAILED, err, conn, NULL, 0, out);
	}
	weft_unlock(&ep->lock);
}

/**
 * weft_cm_ask_again - send a request again whose path was unknown to the peer
 * @ep: MSG endpoint, of a queued ep->cm.ask_work
 * @out: output
 *
 * Context: process context, may sleep.
 */
void weft_cm_ask_again(struct weft_ep *ep, struct weft_out *out)
{
	struct weft_conn *conn;
	int err = -ETIMEDOUT;
	weft_ns until = 0;

	weft_mutex_lock(&ep->sq_mutex);
	weft_lock(&ep->lock);
	ep->cm.ask_work.queued = false;
	conn = ep->cm.conn;
	if (conn)
		refcount_inc(&conn->ref);
	weft_unlock(&ep->lock);
	if (conn)
		until = weft_cm_unask_ep(ep, conn, out);
	if (!until)
		goto out;
	if (until > out->now)
		err = weft_cm_try(ep, &conn->addr, conn->data, conn->dlen, until, true, out);
	if (err)
		weft_cm_ask_failed(ep, conn, -err, out);
out:
	weft_mutex_unlock(&ep->sq_mutex);
	if (conn)
		weft_conn_put(conn);
}

/* Return: the requester on this node of a local request, NULL: it has gone. The path is locked. */
static struct weft_conn *weft_cm_asker(const struct weft_conn *conn)
{
	struct weft_core *core = conn->path->core;
	struct weft_conn *asks;

	weft_assert_held(&conn->path->lock);
	weft_lock(&core->svc_lock);
	asks = weft_conn_by_id(core, conn->peer);
	if (asks && asks->path != conn->path)
		asks = NULL;
	weft_unlock(&core->svc_lock);
	return asks && asks->state == WEFT_CONN_ASKING && asks->ep ? asks : NULL;
}

/* Make the flow of the peer's messages. The path is locked. */
static int weft_cm_hear(struct weft_conn *conn, struct weft_ep *ep, struct weft_flow *flow)
{
	struct weft_path *path = conn->path;
	struct weft_flowid in = {
		.ssvc = conn->fid.dsvc,
		.dsvc = flow->id.ssvc,
		.sgen = conn->fid.dgen,
	};
	struct weft_rflow *rf;

	weft_assert_held(&conn->path->lock);
	if (weft_rflow_find(path, in.ssvc, in.sgen))
		return -EINVAL;
	rf = weft_rflow_new(path, &in, ep);
	if (!rf)
		return -ENOMEM;
	rf->conn = conn;
	conn->rflow = rf;
	return 0;
}

/* Accept a request with an endpoint. The path is locked. */
static int weft_cm_take(struct weft_conn *conn, struct weft_ep *ep, struct weft_flow *flow,
			const void *data, u32 len, struct weft_out *out)
{
	struct weft_conn *asks = NULL;
	int err = 0;

	weft_assert_held(&conn->path->lock);
	/* only the listening program may accept its requests */
	if (conn->state != WEFT_CONN_ASKED || !conn->pep || conn->pep->conf.ctx != ep->conf.ctx ||
	    conn->pep->job != ep->job)
		return -EINVAL;
	if (conn->path->local) {
		asks = weft_cm_asker(conn);
		if (!asks)
			return -EINVAL;
	} else {
		err = weft_cm_hear(conn, ep, flow);
		if (err)
			return err;
	}
	flow->id.dsvc = conn->fid.dsvc;
	flow->id.dgen = conn->fid.dgen;
	flow->lane = weft_flow_lane(&flow->id);
	err = weft_cm_bind(conn, ep, flow, WEFT_EPS_ACCEPTED);
	if (err) {
		if (conn->rflow)
			weft_rflow_free(conn->rflow, out);
		return err;
	}
	if (asks) {
		weft_ep_get(asks->ep);
		flow->lep = asks->ep;
		weft_ep_get(ep);
		asks->flow->lep = ep;
	}
	weft_cm_unask(conn);
	weft_cm_data(conn, data, len);
	weft_cm_state(conn, WEFT_CONN_ACCEPTED, out->now);
	weft_cm_say(conn, WEFT_CM_REP);
	return 0;
}

/**
 * weft_cm_accept - accept a request
 * @ep: MSG endpoint, enabled
 * @id: the request, of a passive endpoint of the same context
 * @data: private data
 * @len: bytes of them
 * @now: time
 * @out: output
 *
 * Context: may sleep.
 * Return: 0; -EINVAL: no such request (any more), or the endpoint does not fit, for example has
 * another job than the listener; -EISCONN, -EBUSY: it was connected before; -ENOMEM.
 */
int weft_cm_accept(struct weft_ep *ep, u64 id, const void *data, u32 len, weft_ns now,
		   struct weft_out *out)
{
	struct weft_conn *conn;
	struct weft_flow *flow;
	int err;

	out->now = now;
	if (ep->conf.type != WEFT_EP_MSG || len > WEFT_CM_DATA_MAX)
		return -EINVAL;
	conn = weft_conn_get(ep->core, id);
	if (!conn)
		return -EINVAL;
	weft_mutex_lock(&ep->sq_mutex);
	err = weft_cm_claim(ep);
	if (err)
		goto out;
	flow = weft_flow_new(ep, conn->path, &conn->addr);
	err = flow ? 0 : -ENOMEM;
	if (flow) {
		weft_lock(&conn->path->lock);
		err = weft_cm_take(conn, ep, flow, data, len, out);
		weft_path_output(conn->path, out);
		weft_unlock(&conn->path->lock);
		if (err)
			weft_flow_free(flow);
	}
	if (err)
		weft_cm_unclaim(ep);
out:
	weft_mutex_unlock(&ep->sq_mutex);
	weft_conn_put(conn);
	return err;
}

/* Close this side: FIN follows when all sends are acknowledged. */
static void weft_cm_close(struct weft_conn *conn, struct weft_out *out)
{
	struct weft_flow *flow = conn->flow;

	weft_cm_state(conn, WEFT_CONN_CLOSING, out->now);
	if (!flow->closing)
		weft_flow_closing(flow, out->now + conn->path->core->conf.dead_ns);
	if (flow->ended)
		weft_cm_quiet(conn, out);
	else
		weft_flow_check(flow, out);
}

/*
 * End a connection from this side. @err: errno for a program that waits for the connection, 0: none
 * does. The path is locked; the caller has a reference.
 */
static void weft_cm_end(struct weft_conn *conn, int err, struct weft_out *out)
{
	weft_assert_held(&conn->path->lock);
	switch (conn->state) {
	case WEFT_CONN_ASKING:
		weft_cm_withdraw(conn, out);
		fallthrough;
	case WEFT_CONN_AGAIN:
		weft_cm_failed(conn, err, NULL, 0, out);
		break;
	case WEFT_CONN_ACCEPTED:
	case WEFT_CONN_UP:
		weft_cm_close(conn, out);
		break;
	case WEFT_CONN_CLOSING:
		/* graceful end so far */
		if (conn->flow)
			weft_flow_check(conn->flow, out);
		break;
	}
}

/* End the connection of an endpoint, if it has one. ep->sq_mutex is held. */
static void weft_cm_end_own(struct weft_ep *ep, int err, struct weft_out *out)
{
	struct weft_conn *conn;

	weft_mutex_assert_held(&ep->sq_mutex);
	/* set while the mutex is held, and not changed until the endpoint is destroyed */
	conn = ep->cm.conn;
	if (!conn)
		return;
	weft_lock(&conn->path->lock);
	weft_cm_end(conn, err, out);
	weft_path_output(conn->path, out);
	weft_unlock(&conn->path->lock);
}

/**
 * weft_cm_abort - end the connection of an endpoint in error, or refuse its requests
 * @ep: the endpoint; ep->sq_mutex is held
 * @err: errno for a connection that is being requested
 * @out: output
 */
void weft_cm_abort(struct weft_ep *ep, int err, struct weft_out *out)
{
	weft_mutex_assert_held(&ep->sq_mutex);
	weft_cm_kill_reqs(ep, out);
	weft_cm_end_own(ep, err, out);
}

/* Stop accepting posts. Return: 0, -ENOTCONN: it was never connected. */
static int weft_cm_stop(struct weft_ep *ep, struct weft_out *out)
{
	int err = -ENOTCONN;

	weft_lock(&ep->lock);
	switch (ep->state) {
	case WEFT_EPS_CONNECTING:
	case WEFT_EPS_ACCEPTED:
	case WEFT_EPS_CONNECTED:
	case WEFT_EPS_CLOSING:
		weft_cm_closed(ep, out);
		err = 0;
		break;
	case WEFT_EPS_CLOSED:
		err = 0;
		break;
	case WEFT_EPS_ERROR:
		if (ep->cm.conn)
			err = 0;
		break;
	}
	weft_unlock(&ep->lock);
	return err;
}

/*
 * Stop accepting sends. Entries in the ring are still sent, unless the ring is stalled, and
 * messages are received until the peer has seen the end. ep->sq_mutex is held. Return: true if
 * there is a connection for that.
 */
static bool weft_cm_linger(struct weft_ep *ep, struct weft_out *out)
{
	bool up;

	weft_mutex_assert_held(&ep->sq_mutex);
	if (READ_ONCE(ep->state) != WEFT_EPS_CONNECTED)
		return READ_ONCE(ep->state) == WEFT_EPS_CLOSING;
	/* the ring bounds the rounds: each processes some entries */
	while (weft_send_drain(ep, 0, out) == -EINTR)
		weft_flush(out);
	weft_lock(&ep->lock);
	up = ep->state == WEFT_EPS_CONNECTED;
	if (up) {
		WRITE_ONCE(ep->state, WEFT_EPS_CLOSING);
		weft_ep_st(ep, 0, WEFT_ST_CONNECTED);
	}
	weft_unlock(&ep->lock);
	return up;
}

/**
 * weft_cm_shutdown - end a connection
 * @ep: MSG endpoint
 * @graceful: posted sends, and receives, continue until SHUTDOWN, at most dead_ns
 * @now: time
 * @out: output; flushed
 *
 * Completed sends are still delivered. When it returns, the completions of canceled operations are
 * written.
 *
 * Context: may sleep.
 * Return: 0, -ENOTCONN: it was never connected.
 */
int weft_cm_shutdown(struct weft_ep *ep, bool graceful, weft_ns now, struct weft_out *out)
{
	int err = 0;

	out->now = now;
	if (ep->conf.type != WEFT_EP_MSG)
		return -ENOTCONN;
	weft_mutex_lock(&ep->sq_mutex);
	if (!graceful || !weft_cm_linger(ep, out)) {
		err = weft_cm_stop(ep, out);
		if (err)
			goto out;
		weft_ep_cancel_all(ep, ECANCELED, out);
	}
	weft_cm_end_own(ep, ECANCELED, out);
	weft_flush(out);
out:
	weft_mutex_unlock(&ep->sq_mutex);
	return err;
}

/**
 * weft_cm_kill - end the connection of an endpoint that is being destroyed
 * @ep: the endpoint, dead; ep->sq_mutex is held, its sends and receives have been dropped
 * @out: output
 *
 * The connection is closed properly without the endpoint; its events are taken back.
 */
void weft_cm_kill(struct weft_ep *ep, struct weft_out *out)
{
	struct weft_conn *conn;

	weft_mutex_assert_held(&ep->sq_mutex);
	weft_cm_kill_reqs(ep, out);
	weft_lock(&ep->lock);
	conn = ep->cm.conn;
	ep->cm.conn = NULL;
	weft_unlock(&ep->lock);
	if (conn) {
		weft_lock(&conn->path->lock);
		weft_cm_end(conn, 0, out);
		if (conn->ep) {
			conn->ep = NULL;
			weft_ep_put(ep);
		}
		weft_path_output(conn->path, out);
		weft_unlock(&conn->path->lock);
		weft_conn_put(conn);
	}
	if (ep->eq)
		weft_eq_purge(ep->eq, ep->conf.handle);
}
