// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - the timer of a path
 *
 * One timer serves all layers of a path. Each layer returns the time when it is due next.
 *
 * The timer of the path within the node also serves the endpoints that wait (weft_core_retry()).
 *
 * Locks: path->lock; weft_core_timer() takes it. core->lock and ep->lock. Softirq context.
 */
#include "core/api/monitor.h"

/*
 * End connections and closing flows that have taken too long. Refused flows ask again. Return: when
 * the next call is due.
 */
static weft_ns weft_path_expire(struct weft_path *path, struct weft_out *out)
{
	struct weft_timeq_node *due;
	struct weft_flow *flow;
	weft_ns next;
	u32 n;

	for (n = 0; n < WEFT_PATH_BATCH; n++) {
		due = weft_timeq_due(&path->cm.until, out->now);
		if (!due)
			break;
		weft_cm_expire(container_of(due, struct weft_conn, until), out);
	}
	for (n = 0; n < WEFT_PATH_BATCH; n++) {
		due = weft_timeq_due(&path->flow.again, out->now);
		if (!due)
			break;
		flow = container_of(due, struct weft_flow, again);
		if (path->local)
			weft_fence_go(flow, out);
		else
			weft_contact_again(flow);
	}
	for (n = 0; n < WEFT_PATH_BATCH; n++) {
		due = weft_timeq_due(&path->flow.closing, out->now);
		if (!due)
			break;
		/* its sends count, too */
		n += path->nwait;
		weft_flow_expire(container_of(due, struct weft_flow, close), out);
		n -= path->nwait;
	}
	next = min3(weft_timeq_next(&path->cm.until), weft_timeq_next(&path->flow.again),
		    weft_timeq_next(&path->flow.closing));
	return next > out->now ? next : out->now + WEFT_PATH_GAP;
}

static void weft_path_due(struct weft_path *path, struct weft_out *out)
{
	const struct weft_conf *conf = &path->core->conf;
	weft_ns at = weft_path_expire(path, out);
	u32 i;

	if (unlikely(path->bulk.grant_at <= out->now))
		weft_grant_timer(path, out);
	at = min(at, path->bulk.grant_at);
	if (unlikely(path->flow.credit_at <= out->now))
		weft_credit_timer(path, out);
	at = min(at, path->flow.credit_at);
	if (unlikely(path->msg.refuse_at <= out->now))
		weft_refuse_timer(path, out);
	at = min(at, path->msg.refuse_at);
	if (path->local) {
		/* no packets are sent, and no peer has to live */
	} else if (path->state == WEFT_PATHS_HELLO) {
		if (path->hello_at <= out->now) {
			if (weft_since(out->now, path->born) >= conf->connect_ns)
				weft_path_fail(path, EHOSTUNREACH, out);
			else
				weft_hello_send(path, out);
		}
		at = min(at, path->hello_at);
	} else if (path->state == WEFT_PATHS_LEAVING) {
		at = min(at, weft_idle_due(path, out));
	} else {
		if (path->flight && weft_since(out->now, path->alive_at) >= conf->dead_ns)
			weft_path_fail(path, ETIMEDOUT, out);
		for (i = 0; i < WEFT_LANES; i++) {
			if (unlikely(weft_lane_stuck(path, &path->lane[i], out->now)))
				weft_path_fail(path, ETIMEDOUT, out);
			weft_lane_timer(path, &path->lane[i], out);
			at = min(at, weft_lane_next(&path->lane[i]));
		}
		if (path->nconn || path->nwait) {
			weft_path_ask(path, conf->keepalive_ns, out);
			at = min(at, max(path->heard_at, out->now - conf->keepalive_ns / 2) +
					     conf->keepalive_ns);
		}
		if (path->flight)
			at = min(at, path->alive_at + conf->dead_ns);
		if (!path->group) {
			at = min(at, weft_mtu_due(path, out));
			at = min(at, weft_echo_due(path, out));
			at = min(at, weft_idle_due(path, out));
		}
	}
	if (at != U64_MAX)
		weft_path_deadline(path, at);
}

/* Have workers try the next endpoints again that wait for a path or for memory. */
static void weft_timer_retry(struct weft_core *core, struct weft_out *out)
{
	struct weft_list *l;
	bool more;
	u32 n;

	if (likely(!weft_core_due(core, &core->retry_at, out->now)))
		return;
	weft_lock(&core->lock);
	for (n = 0; n < WEFT_PATH_BATCH && (l = weft_list_first(&core->retries)); n++) {
		struct weft_ep *ep = weft_entry(l, struct weft_ep, retry);

		weft_list_del(l);
		weft_lock(&ep->lock);
		if (READ_ONCE(ep->reclaim_at) || READ_ONCE(ep->tx.starved))
			weft_ep_sq_defer(ep, out);
		weft_grow_again(ep, out);
		weft_unlock(&ep->lock);
	}
	more = !weft_list_empty(&core->retries);
	weft_unlock(&core->lock);
	if (more)
		weft_core_at(core, &core->retry_at, out->now + WEFT_PATH_GAP);
}

void weft_core_timer(struct weft_path *path, weft_ns now, struct weft_out *out)
{
	out->now = now;
	weft_lock(&path->lock);
	path->timer_at = U64_MAX;
	if (path->state != WEFT_PATHS_DEAD && !path->failing) {
		weft_path_due(path, out);
		weft_path_output(path, out);
	}
	weft_unlock(&path->lock);
	if (path->local) {
		weft_timer_retry(path->core, out);
		weft_monitor_due(path->core, out);
	}
}
