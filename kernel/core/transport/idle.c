// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - release of unused paths
 *
 *	UP --idle_ns without a packet: flows of connectionless endpoints are closed--> UP
 *	UP --idle_ns, and nothing is left on it--> LEAVING, BYE to the peer
 *	LEAVING --any packet of the peer on this path--> UP: the peer uses it
 *		--GONE, BYE, or a new handshake--> gone, or HELLO if something waits for it here
 *		--dead_ns without an answer--> failing
 *
 * Both sides have to agree. A packet to a path that the other side has released would be lost, and
 * its sender would see an error. So a LEAVING path stays in the tables, and new sends on it wait as
 * during a handshake. None of them has left, so the path can restart with a new handshake. The peer
 * agrees, by GONE, only under two conditions: nothing is under way on its side, and it has heard
 * nothing for half of its own idle_ns. So none of its packets can still arrive. When few paths are
 * left (reclaim.c), idle_ns is a second on both sides.
 *
 * Locks: path->lock. Closing flows takes ep->sq_mutex, so a worker does that.
 */
#include "core/transport/transport.h"

#define WEFT_TIDY_TIME	NSEC_PER_SEC	/* a worker may close flows for that long */
#define WEFT_BYE_MIN	(10 * NSEC_PER_MSEC)
#define WEFT_PRESSED_IDLE NSEC_PER_SEC	/* replaces idle_ns */

/* Return: time of the last packet that was received or sent. */
static weft_ns weft_idle_since(const struct weft_path *path)
{
	return max(path->heard_at, path->used_at);
}

/* Return: idle time after which the path is released. */
static weft_ns weft_idle_ns(const struct weft_path *path)
{
	weft_ns idle = READ_ONCE(path->core->conf.idle_ns);

	return path->pressed ? min_t(weft_ns, idle, WEFT_PRESSED_IDLE) : idle;
}

/**
 * weft_idle_press - release this path soon, because few paths are left
 * @path: the path, UP, locked
 * @now: time
 *
 * Return: true if the path is idle long enough; false: nothing has changed.
 */
bool weft_idle_press(struct weft_path *path, weft_ns now)
{
	weft_assert_held(&path->lock);
	if (weft_since(now, weft_idle_since(path)) < WEFT_PRESSED_IDLE)
		return false;
	path->pressed = true;
	weft_path_deadline(path, now);
	return true;
}

/* Return: true if the lane has nothing to send or to acknowledge. */
static bool weft_idle_lane(const struct weft_lane *lane)
{
	return !lane->retire && !weft_lane_filled(lane) && !lane->ack_now &&
	       lane->ack_at == U64_MAX && weft_list_empty(&lane->ctlq) &&
	       weft_list_empty(&lane->sendq) && weft_list_empty(&lane->dataq) &&
	       weft_list_empty(&lane->sent);
}

/* Return: true if nothing is under way. Flows may exist. */
static bool weft_idle_quiet(const struct weft_path *path)
{
	u32 i;

	if (path->flight || weft_path_used(path))
		return false;
	for (i = 0; i < WEFT_LANES; i++)
		if (!weft_idle_lane(&path->lane[i]))
			return false;
	return true;
}

/* Return: true if this node does not need the path. The peer's flows are its own concern. */
static bool weft_idle_empty(const struct weft_path *path)
{
	return !weft_path_flows(path) && weft_idle_quiet(path);
}

/* ---- BYE ------------------------------------------------------------------------- */

static void weft_bye_send(struct weft_path *path, struct weft_out *out)
{
	struct weft_hdr hdr = {
		.type = WEFT_PKT_BYE, .path = path->peer_id, .token = path->peer_token,
		.flags = path->pressed ? WEFT_PKT_SOON : 0,
	};
	struct weft_tx *tx;

	path->bye_at = out->now + min_t(weft_ns, max_t(weft_ns, path->class[WEFT_CLASS_FIRST].rto,
							  WEFT_BYE_MIN)
					<< min_t(u32, path->bye_n, 6), WEFT_RTO_MAX);
	if (out->ntx == WEFT_OUT_TX)
		return;
	tx = weft_frame_new(out, WEFT_WIRE_HDR);
	weft_wire_hdr_put(tx->raw, &hdr);
	tx->path = path;
	weft_path_get(path);
	path->bye_n++;
}

/* Release the path: neither side needs it. */
static void weft_idle_end(struct weft_path *path, struct weft_out *out)
{
	path->unused = true;
	weft_path_fail(path, ECONNRESET, out);
}

/*
 * Restart the path with a handshake: the waiting sends have not been sent, and the peer has no
 * path.
 */
static void weft_idle_anew(struct weft_path *path, struct weft_out *out)
{
	u32 i;

	weft_rflows_free(path, out);
	for (i = 0; i < WEFT_LANES; i++)
		weft_lane_anew(&path->lane[i]);
	path->state = WEFT_PATHS_HELLO;
	path->offer = weft_random();
	path->nonce = weft_random();
	path->cookie = 0;
	path->hello_n = 0;
	path->born = out->now;
	path->state_at = out->now;
	path->peer_ack_delay = 0;
	weft_mtu_reset(path);
	weft_echo_anew(path);
	weft_class_init(path);
	path->tx_used = 0;
	path->tx_limit = 0;
	path->rx_gone = 0;
	path->rx_told = 0;
}

/**
 * weft_idle_left - the peer has released a path that is LEAVING
 * @path: the path, locked
 * @out: output
 *
 * Return: true: it is HELLO now, because something waits for it; false: it is failing.
 */
bool weft_idle_left(struct weft_path *path, struct weft_out *out)
{
	weft_assert_held(&path->lock);
	if (weft_idle_empty(path)) {
		weft_idle_end(path, out);
		return false;
	}
	weft_idle_anew(path, out);
	return true;
}

/**
 * weft_idle_stay - return a LEAVING path to UP, because the peer has sent a packet on it
 * @path: the path, locked
 * @now: time
 */
void weft_idle_stay(struct weft_path *path, weft_ns now)
{
	weft_assert_held(&path->lock);
	path->used_at = now;
	path->pressed = false;
	weft_path_up(path, now);
	weft_mtu_stay(path);
}

/**
 * weft_idle_bye - answer the peer's BYE
 * @path: the path, locked
 * @rx: the packet
 * @h: its header
 * @out: output
 */
void weft_idle_bye(struct weft_path *path, const struct weft_rx *rx, const struct weft_hdr *h,
		   struct weft_out *out)
{
	struct weft_hdr hdr = { .type = WEFT_PKT_GONE, .path = h->path, .token = h->token };
	struct weft_tx *tx;
	bool agree;

	weft_assert_held(&path->lock);
	if (path->failing || path->state == WEFT_PATHS_HELLO || out->ntx == WEFT_OUT_TX)
		return;
	if (h->flags & WEFT_PKT_SOON && path->state == WEFT_PATHS_UP)
		weft_idle_press(path, out->now);
	agree = path->state == WEFT_PATHS_LEAVING ||
		(weft_idle_empty(path) &&
		 weft_since(out->now, weft_idle_since(path)) >= weft_idle_ns(path) / 2);
	if (!agree) {
		/* any packet shows the peer that the path stays */
		path->lane[0].ack_now = true;
		path->busy |= 1;
		return;
	}
	tx = weft_frame_new(out, WEFT_WIRE_HDR);
	tx->to = rx->src;
	tx->src = rx->dst;
	weft_wire_hdr_put(tx->raw, &hdr);
	if (weft_idle_left(path, out))
		weft_hello_send(path, out);
}

/* ---- Timers ---------------------------------------------------------------------- */

/* Time out a LEAVING path, or repeat BYE. Return: time of the next check. */
static weft_ns weft_idle_leaving(struct weft_path *path, struct weft_out *out)
{
	if (weft_since(out->now, path->leave_at) >= READ_ONCE(path->core->conf.dead_ns)) {
		weft_path_fail(path, ETIMEDOUT, out);
		return U64_MAX;
	}
	if (path->bye_at <= out->now)
		weft_bye_send(path, out);
	return path->bye_at;
}

/**
 * weft_idle_due - check whether a path is idle
 * @path: the path, UP or LEAVING, locked; neither local nor a group's
 * @out: output
 *
 * Return: time of the next check.
 */
weft_ns weft_idle_due(struct weft_path *path, struct weft_out *out)
{
	weft_ns idle = weft_idle_ns(path), at;

	weft_assert_held(&path->lock);
	if (path->state == WEFT_PATHS_LEAVING)
		return weft_idle_leaving(path, out);
	at = weft_idle_since(path) + idle;
	if (at > out->now)
		return at;
	if (!weft_idle_quiet(path))
		return out->now + idle;
	if (weft_path_flows(path)) {
		path->tidy_until = out->now + WEFT_TIDY_TIME;
		weft_path_tidy(path, out);
		return out->now + idle;
	}
	path->state = WEFT_PATHS_LEAVING;
	path->state_at = out->now;
	path->leave_at = out->now;
	path->bye_n = 0;
	weft_bye_send(path, out);
	return path->bye_at;
}
