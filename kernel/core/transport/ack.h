/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - the steps of an acknowledgement, inline
 *
 * lane.c takes any acknowledgement. messaging/fast_packet.c takes the one that covers the only
 * packet in flight. Both consist of these steps, so a step exists once.
 *
 * Locks: path->lock. Documentation/locking.rst has the order of all locks.
 */
#ifndef WEFT_ACK_H
#define WEFT_ACK_H

#include "core/transport/emit.h"

/**
 * weft_ack_arrived - note the packet that was sent last of those that have arrived
 * @lane: the lane
 * @sent_at: time at which the packet was sent
 * @psn: its PSN
 * @rtt: its round-trip time
 *
 * RACK.rtt, RACK.xmit_ts and RACK.end_seq of RFC 8985, section 6.2, step 2.
 */
static inline void weft_ack_arrived(struct weft_lane *lane, weft_ns sent_at, u32 psn, weft_ns rtt)
{
	lane->rack_rtt = rtt;
	if (sent_at > lane->rack_at ||
	    (sent_at == lane->rack_at && (s32)(psn - lane->rack_psn) > 0)) {
		lane->rack_at = sent_at;
		lane->rack_psn = psn;
	}
}

/* The message of a reference has one packet less that is not acknowledged. */
static inline void weft_ack_ref(const struct weft_ref *ref, struct weft_rec *rec,
				struct weft_out *out)
{
	struct weft_flow *flow = ref->flow;
	struct weft_txm *txm = ref->txm, *next;

	flow->unacked--;
	for (; txm; txm = next) {
		next = txm->more;
		txm->nrec--;
		weft_send_acked(txm, rec, out);
		weft_txm_put(txm, out);
	}
	if (unlikely(flow->closing || flow->dead))
		weft_flow_check(flow, out);
	weft_flow_put(flow);
}

/**
 * weft_ack_record - all packets of a record are acknowledged: take the record off its lane
 * @path: the path, locked
 * @lane: the lane
 * @rec: the record
 * @out: output
 */
static inline void weft_ack_record(struct weft_path *path, struct weft_lane *lane,
				   struct weft_rec *rec, struct weft_out *out)
{
	u32 i;

	weft_assert_held(&path->lock);
	if (rec->state == WEFT_REC_FLIGHT)
		lane->flight -= rec->nseg;
	path->flight -= rec->nseg;
	path->nsent--;
	weft_list_del(&rec->node);
	weft_list_del(&rec->tnode);
	/* read without the lock by weft_flush() */
	WRITE_ONCE(rec->state, WEFT_REC_IDLE);
	for (i = 0; i < rec->nref; i++)
		weft_ack_ref(&rec->refs[i], rec, out);
	/* most records are as they were made */
	if (likely(refcount_read(&rec->ref) == 1 && !rec->txm && path->nrecs < WEFT_REC_KEEP &&
		   path->state != WEFT_PATHS_DEAD))
		weft_rec_keep(path, rec);
	else
		weft_rec_put(path, rec, out);
}

/* A round trip of @rtt ended with an acknowledgement that the peer held back for @delay us. */
static inline void weft_ack_rtt(struct weft_path *path, const struct weft_lane *lane, weft_ns rtt,
				u32 delay, weft_ns now)
{
	weft_ns held = (u64)delay * NSEC_PER_USEC;

	weft_class_rtt(path, lane, rtt > held ? rtt - held : 1, now);
}

/* The peer acknowledges something new: neither probe nor timeout counts any more. */
static inline void weft_ack_progress(struct weft_lane *lane)
{
	lane->backoff = 0;
	lane->probed = false;
}

/* Every packet of the lane is acknowledged: no timer of the sender is needed. */
static inline void weft_ack_rest(struct weft_lane *lane)
{
	lane->rto_at = U64_MAX;
	lane->reo_at = U64_MAX;
}

#endif
