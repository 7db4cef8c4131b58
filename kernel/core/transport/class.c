// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - classes of packets: priorities, and what is known of the way of each
 *
 * Packets of a node are of three classes (the idea of Homa, Montazeri et al., SIGCOMM 2018). The
 * adapter gives each a priority on the wire, so that devices and switches let it overtake those of
 * lower ones:
 *
 *	FIRST	the first packet of each eager message (of most the only one), datagrams of up to
 *		WEFT_FIRST_MAX bytes, whatever is announced, granted or told, and packets that only
 *		acknowledge
 *	REST	further packets of eager messages, longer datagrams
 *	DATA	bytes that the receiver has asked for
 *
 * A lane expects packets in order (RACK), so that each class has lanes of its own. What is of low
 * priority waits longer, so that each class has its own round-trip time and timeouts.
 *
 * All messages of a flow begin in its lane FIRST, one after the other, so that a short one that
 * comes before the rest of a longer one is not held up by it: that has had its turn at the
 * receiver, as its first packet came before. What comes out of turn nevertheless waits there
 * (recv.c).
 *
 * Locks: path->lock.
 */
#include "core/transport/transport.h"

#define WEFT_QUEUES_KEEP	(2 * NSEC_PER_MSEC)	/* how long a class is taken for delayed */

/**
 * weft_class_init - nothing is known of the way
 * @path: the path; path->peer_ack_delay is known, or 0
 */
void weft_class_init(struct weft_path *path)
{
	u32 i;

	path->rtt_min = 0;
	memset(path->class, 0, sizeof(path->class));
	for (i = 0; i < WEFT_CLASSES; i++)
		path->class[i].rto = WEFT_RTO_INIT + path->peer_ack_delay;
}

/**
 * weft_class_rtt - a round-trip time has been measured
 * @path: the path
 * @lane: lane of the packet
 * @rtt: it, without the time that the acknowledgement was held back
 * @now: time
 */
void weft_class_rtt(struct weft_path *path, const struct weft_lane *lane, weft_ns rtt, weft_ns now)
{
	struct weft_class *c = &path->class[weft_lane_class(lane)];
	weft_ns d;

	if (!path->rtt_min || rtt <= path->rtt_min ||
	    weft_since(now, path->rtt_min_at) > WEFT_RTT_FRESH) {
		path->rtt_min = max_t(weft_ns, rtt, NSEC_PER_USEC);
		path->rtt_min_at = now;
	}
	c->rtt = rtt;
	c->rtt_at = now;
	if (!c->srtt) {
		c->srtt = rtt;
		c->rttvar = rtt / 2;
	} else {
		d = rtt > c->srtt ? rtt - c->srtt : c->srtt - rtt;
		c->rttvar += (s64)(d - c->rttvar) / 4;
		c->srtt += (s64)(rtt - c->srtt) / 8;
	}
	c->srtt = max_t(weft_ns, c->srtt, 1);
	c->rto = max(c->srtt + 4 * c->rttvar, path->core->conf.rto_min_ns) + path->peer_ack_delay;
	c->rto = min_t(weft_ns, c->rto, WEFT_RTO_MAX);
}

/**
 * weft_class_crowded - is an eager message of several packets better announced?
 * @path: the path
 * @flow: its flow
 * @now: time
 *
 * It is when others wait for the window of its lane, or when packets of REST stand in queues on the
 * way, as the round-trip time tells; what it told a while ago does not count, as a class of which
 * nothing is sent learns nothing.
 *
 * Return: it is.
 */
bool weft_class_crowded(const struct weft_path *path, const struct weft_flow *flow, weft_ns now)
{
	const struct weft_class *c = &path->class[WEFT_CLASS_REST];

	return !weft_lane_may_send(weft_class_lane(flow, WEFT_CLASS_REST)) ||
	       (c->srtt >= 2 * path->rtt_min + 4 * WEFT_CALM &&
		weft_since(now, c->rtt_at) < WEFT_QUEUES_KEEP);
}
