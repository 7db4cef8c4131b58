// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - classes of packets: priorities, and the round-trip times of each
 *
 * A node sends packets of three classes (the idea of Homa, Montazeri et al., SIGCOMM 2018). The
 * adapter gives each class a priority on the wire. Devices and switches let a packet overtake those
 * of lower priority:
 *
 *	FIRST	eager messages of one packet (most messages), datagrams of up to WEFT_FIRST_MAX
 *		bytes, announcements, grants, answers, and packets with an acknowledgement alone
 *	REST	eager messages of several packets, longer datagrams
 *	DATA	bytes that the receiver has granted
 *
 * A lane expects packets in order (RACK), so each class has lanes of its own. Packets of low
 * priority wait longer, so each class has its own round-trip time and timeouts.
 *
 * All messages of a flow get their numbers in its lane FIRST, one after the other. A longer message
 * then moves to REST. Its head leaves in FIRST before a short message behind it. So the longer one
 * has had its turn at the receiver, and does not delay the short one (messaging/send.c). A message
 * that arrives before its turn waits there (messaging/recv.c).
 *
 * Locks: path->lock, held by the caller.
 */
#include "core/transport/transport.h"

#define WEFT_QUEUES_KEEP	(2 * NSEC_PER_MSEC)	/* how long a class counts as delayed */

/**
 * weft_class_init - forget the round-trip times of a path
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
 * weft_class_rtt - take a measured round-trip time
 * @path: the path
 * @lane: lane of the packet
 * @rtt: round-trip time, without the time that the peer held the acknowledgement back
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
 * weft_class_queued - do packets of a class wait in queues?
 * @path: the path
 * @class: WEFT_CLASS_*
 * @now: time
 *
 * The round-trip time shows that. A measurement older than WEFT_QUEUES_KEEP does not count: a class
 * that sends nothing measures nothing.
 *
 * Return: true if they do.
 */
bool weft_class_queued(const struct weft_path *path, u8 class, weft_ns now)
{
	const struct weft_class *c = &path->class[class];

	return c->srtt >= 2 * path->rtt_min + 4 * WEFT_CALM &&
	       weft_since(now, c->rtt_at) < WEFT_QUEUES_KEEP;
}

#define WEFT_CROWD	32	/* messages that wait: so many are a crowd, whatever the window */

/* Return: true if the window of a lane is full when the messages that wait have been sent. */
static bool weft_class_full(const struct weft_path *path, const struct weft_lane *lane)
{
	u64 room = (u64)(lane->cwnd - min(lane->flight, lane->cwnd)) * path->max_payload;
	struct weft_list *l;
	u32 n = 0;

	weft_list_for_each(l, &lane->sendq) {
		const struct weft_txm *txm = weft_entry(l, struct weft_txm, qnode);

		if (++n == WEFT_CROWD || txm->len - txm->sent >= room)
			return true;
		room -= txm->len - txm->sent;
	}
	return !room || !weft_lane_numbers(lane);
}

/**
 * weft_class_crowded - should an eager message of several packets be announced?
 * @path: the path
 * @flow: its flow
 * @now: time
 *
 * True when the messages before it fill the window of its lane, or when packets of REST wait in
 * queues.
 *
 * Return: true if it should.
 */
bool weft_class_crowded(const struct weft_path *path, const struct weft_flow *flow, weft_ns now)
{
	return weft_class_full(path, weft_class_lane(flow, WEFT_CLASS_REST)) ||
	       weft_class_queued(path, WEFT_CLASS_REST, now);
}
