// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - the congestion window of a lane: how it grows and when it shrinks
 *
 *	slow start --queues grow (HyStart), or loss--> growth by CUBIC --loss--+
 *	    ^                                            ^                     |
 *	    +---------------timeout----------------------+---------------------+
 *
 * Slow start adds a packet for each acknowledged one. The window is CUBIC's after that (RFC 9438):
 * a curve that depends on the time since the last loss, and at least what additive increase would
 * have reached. So a lane beside TCP has a share like TCP's. The curve is computed once per round
 * trip. An acknowledgement adds its part, without a division in most cases.
 *
 * A loss has one of two causes. When the round-trip time is near the longest of the last seconds,
 * a queue was full: the window loses four tenths. When it is near the shortest, the packet was
 * damaged: the window loses a sixteenth.
 *
 * On short ways a window of WEFT_CWND_CALM packets does not grow while packets wait in queues. More
 * packets would wait there, too: in a switch's queue or in the node's own.
 *
 * Locks: path->lock, held by the caller.
 */
#include "core/transport/transport.h"

#define WEFT_CWND_RENO		24	/* 3 (1 - 0.6) / (1 + 0.6) of RFC 9438, 4.3, in parts */
#define WEFT_CWND_FLOWS		8	/* flows that make a window grow faster */
#define WEFT_CWND_SAMPLES	8	/* round-trip times of a round that HyStart looks at */
#define WEFT_CWND_SPAN		BIT(17)	/* ticks: the curve is level or a line beyond */
#define WEFT_HYSTART_MIN	(4 * NSEC_PER_MSEC)
#define WEFT_HYSTART_MAX	(16 * NSEC_PER_MSEC)

/**
 * weft_cwnd_init - initialize the congestion window of a lane
 * @lane: the lane, zeroed
 */
void weft_cwnd_init(struct weft_lane *lane)
{
	lane->cwnd = WEFT_CWND_INIT;
	lane->ssthresh = WEFT_WINDOW;
	lane->growth.rate = WEFT_CWND_UNIT;
}

/* ---- The curve ------------------------------------------------------------------- */

/*
 * Return: time in units of 2^20 ns. In this unit the factor of CUBIC's curve, 0.4 packets per
 * second cubed, is 2^-31.
 */
static u32 weft_cwnd_tick(weft_ns t)
{
	return (u32)min_t(weft_ns, t >> 20, WEFT_CWND_SPAN);
}

/* Return: the time in which the curve rises by @n packets to its level, at most WEFT_WINDOW. */
static u32 weft_cwnd_root(u32 n)
{
	u64 cube = (u64)n << 31, y;
	u32 bit, root = 0;

	for (bit = 1u << 14; bit; bit >>= 1) {
		y = root | bit;
		if (y * y * y <= cube)
			root |= bit;
	}
	return root;
}

/* Return: packets by which the curve is above its level @t ticks after it is level. */
static s32 weft_cwnd_cube(s32 t)
{
	s64 x = t;

	return (s32)((x * x * x) >> 31);
}

/* Return: flows that the window grows for, 1 to WEFT_CWND_FLOWS. */
static u32 weft_cwnd_flows(const struct weft_path *path, const struct weft_lane *lane)
{
	if (!weft_path_far(path))
		return 1;
	return max_t(u32, weft_path_senders(path, lane->no % WEFT_CLASS_LANES, WEFT_CWND_FLOWS),
		     1);
}

/* Compute the growth of the round trip that begins. */
static void weft_cwnd_curve(const struct weft_path *path, const struct weft_class *c,
			    struct weft_lane *lane, weft_ns now)
{
	u32 flows = weft_cwnd_flows(path, lane), t;
	struct weft_growth *g = &lane->growth;
	s32 upto;

	/* after a pause the time since the last loss says nothing */
	if (!g->epoch || weft_since(now, g->at) > 4 * c->srtt) {
		g->epoch = now;
		g->origin = max(lane->cwnd, g->w_max);
		g->k = weft_cwnd_root((g->origin - lane->cwnd) / flows);
		g->reno = lane->cwnd * WEFT_CWND_UNIT;
	}
	g->at = now;
	t = g->reno < g->prior * WEFT_CWND_UNIT ? WEFT_CWND_RENO : WEFT_CWND_UNIT;
	g->reno += flows * t;
	g->reno = min_t(u32, g->reno, WEFT_WINDOW * WEFT_CWND_UNIT);
	/* where the curve is when the round trip ends */
	t = weft_cwnd_tick(weft_since(now, g->epoch) + c->srtt);
	upto = min_t(s32, weft_cwnd_cube((s32)(t - g->k)), WEFT_WINDOW) * (s32)flows;
	upto = ((s32)g->origin + upto) * WEFT_CWND_UNIT;
	upto = max_t(s32, upto, g->reno) - (s32)(lane->cwnd * WEFT_CWND_UNIT);
	g->rate = clamp_t(s32, upto, 0, lane->cwnd * WEFT_CWND_UNIT / 2);
}

/* ---- Growth ---------------------------------------------------------------------- */

/*
 * Return: true if two runs fit into the window. They stay in the node's own queue, which shows no
 * delay.
 */
static bool weft_cwnd_two_runs(const struct weft_path *path, const struct weft_lane *lane)
{
	/* lane->cwnd >= 2 * WEFT_RUN_BYTES / path->max_payload */
	return (lane->cwnd + 1) * path->max_payload > 2 * WEFT_RUN_BYTES;
}

/*
 * End slow start before packets are lost. On short ways one long round trip is enough. On long ways
 * a round trip's packets come in a burst and wait for each other. So only its first packets count:
 * they wait if those of the round trip before still do (HyStart).
 */
static void weft_cwnd_hystart(const struct weft_path *path, const struct weft_class *c,
			      struct weft_lane *lane, weft_ns now)
{
	weft_ns more = clamp_t(weft_ns, path->rtt_min / 8, WEFT_HYSTART_MIN, WEFT_HYSTART_MAX);
	bool data = weft_lane_class(lane) == WEFT_CLASS_DATA;
	struct weft_growth *g = &lane->growth;

	/* DATA, behind which others wait, ends it sooner */
	if ((data ? c->rtt : c->srtt) >= 2 * path->rtt_min + WEFT_CALM &&
	    (!data || weft_cwnd_two_runs(path, lane)))
		lane->ssthresh = min(lane->ssthresh, lane->cwnd);
	if (c->rtt_at != now || g->samples == WEFT_CWND_SAMPLES)
		return;
	g->rtt_low = g->samples ? min(g->rtt_low, c->rtt) : c->rtt;
	if (++g->samples == WEFT_CWND_SAMPLES && g->rtt_low >= path->rtt_min + more)
		lane->ssthresh = min(lane->ssthresh, lane->cwnd);
}

/* Return: true if packets wait in queues, and a larger window does not deliver them sooner. */
static bool weft_cwnd_enough(const struct weft_path *path, const struct weft_class *c,
			     const struct weft_lane *lane)
{
	return lane->cwnd >= WEFT_CWND_CALM && !weft_path_far(path) &&
	       c->srtt >= 2 * path->rtt_min + 4 * WEFT_CALM;
}

/**
 * weft_cwnd_acked - grow the window after an acknowledgement
 * @path: the path
 * @lane: the lane
 * @acked: packets that are acknowledged now
 * @now: time
 */
void weft_cwnd_acked(struct weft_path *path, struct weft_lane *lane, u32 acked, weft_ns now)
{
	struct weft_class *c = &path->class[weft_lane_class(lane)];
	struct weft_growth *g = &lane->growth;

	weft_assert_held(&path->lock);
	/* slow start needs only half of the window under way: else a message may never fit in */
	if (lane->cwnd < lane->ssthresh && (lane->flight + acked) * 2 >= lane->cwnd)
		lane->limited = true;
	/* the fast path of acknowledgements (fast_packet.c) takes those of such a lane, too */
	if (!lane->limited)
		return;
	if (lane->flight * 2 < lane->cwnd)
		lane->limited = false;
	if (c->rtt >= c->rtt_max || weft_since(now, c->rtt_max_at) > WEFT_RTT_FRESH) {
		c->rtt_max = c->rtt;
		c->rtt_max_at = now;
	}
	if (!weft_loss_waits(lane, g->round)) {
		g->round = lane->snd_nxt;
		g->samples = 0;
		if (lane->cwnd >= lane->ssthresh)
			weft_cwnd_curve(path, c, lane, now);
	}
	if (weft_cwnd_enough(path, c, lane))
		return;
	weft_cwnd_hystart(path, c, lane, now);
	if (lane->cwnd < lane->ssthresh) {
		lane->cwnd = min(lane->cwnd + acked, lane->ssthresh);
		return;
	}
	lane->cwnd_cnt += acked * g->rate;
	if (lane->cwnd_cnt >= lane->cwnd * WEFT_CWND_UNIT) {
		u32 n = lane->cwnd_cnt / (lane->cwnd * WEFT_CWND_UNIT);

		lane->cwnd_cnt -= n * lane->cwnd * WEFT_CWND_UNIT;
		lane->cwnd = min_t(u32, lane->cwnd + n, WEFT_WINDOW);
	}
}

/* ---- Loss ------------------------------------------------------------------------ */

/* Return: true if the newest round-trip time shows no queue that might have been full. */
static bool weft_cwnd_calm(const struct weft_path *path, const struct weft_lane *lane)
{
	const struct weft_class *c = weft_class_of(path, lane);
	weft_ns queue = weft_since(lane->rack_rtt, path->rtt_min);

	return path->rtt_min &&
	       queue < max_t(weft_ns, WEFT_CALM + min_t(weft_ns, path->rtt_min, WEFT_CALM),
			     weft_since(c->rtt_max, path->rtt_min) / 2);
}

/*
 * A full queue has dropped a packet of a lane. The window does not grow before what is under way
 * is acknowledged. Return: the window from now on.
 */
static u32 weft_cwnd_less(struct weft_lane *lane)
{
	struct weft_growth *g = &lane->growth;

	/* below the last level: leave the difference to flows that begin (fast convergence) */
	g->w_max = lane->cwnd < g->w_max ? lane->cwnd * 4 / 5 : lane->cwnd;
	g->epoch = 0;
	g->rate = 0;
	g->round = lane->snd_nxt;
	return max_t(u32, lane->cwnd * 3 / 5, WEFT_CWND_MIN);
}

/**
 * weft_cwnd_lost - reduce the window, once for all losses of a round trip
 * @path: the path
 * @lane: the lane
 * @psn: a PSN that is lost
 */
void weft_cwnd_lost(struct weft_path *path, struct weft_lane *lane, u32 psn)
{
	u32 part;

	weft_assert_held(&path->lock);
	/* an old lane->recover would wrap: compare it only while it is in the window */
	if (weft_loss_waits(lane, lane->recover) && (s32)(psn - lane->recover) < 0)
		return;
	weft_loss_lost(lane);
	lane->growth.prior = lane->cwnd;
	if (weft_cwnd_calm(path, lane)) {
		/* one packet of one of the flows was damaged */
		part = 15 + weft_cwnd_flows(path, lane);
		lane->ssthresh = max_t(u32, lane->cwnd - lane->cwnd / part, WEFT_CWND_MIN);
		lane->growth.epoch = 0;
	} else {
		lane->ssthresh = weft_cwnd_less(lane);
	}
	lane->cwnd = lane->ssthresh;
	lane->cwnd_cnt = 0;
	lane->recover = lane->snd_nxt;
}

/**
 * weft_cwnd_timeout - begin anew after a retransmission timeout
 * @lane: the lane; lane->backoff counts the timeouts in a row before this one
 */
void weft_cwnd_timeout(struct weft_lane *lane)
{
	if (!lane->backoff) {
		lane->growth.prior = lane->cwnd;
		lane->ssthresh = weft_cwnd_less(lane);
	}
	/* further timeouts: room for the oldest packet and others, see weft_lane_timeout() */
	lane->cwnd = WEFT_CWND_MIN + !!lane->backoff;
	lane->recover = lane->snd_nxt;
}
