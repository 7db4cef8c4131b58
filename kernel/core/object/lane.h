/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - the protocol's objects: lanes, the packets on them, and what has a chunk to send
 *
 *	lane		packets in one sequence
 *	  ctl		in lane->ctlq: an object that has a chunk to send
 *	  rec		a packet that has been or is being made, until it is acknowledged
 *	    ref		a message that has bytes in it
 *	  part		a packet that came, and could be taken in part only
 *
 * How packets go through the lists of a lane is in lane.c.
 *
 * Locks: all of it is under path->lock; of a record that has been sent most is constant.
 */
#ifndef WEFT_LANE_H
#define WEFT_LANE_H

#include "core/api/core.h"

#define WEFT_CLASS_LANES	2	/* lanes of each class */
#define WEFT_LANES		(WEFT_CLASSES * WEFT_CLASS_LANES)
#define WEFT_WINDOW		1024	/* PSNs that may be outstanding on a lane */
#define WEFT_REC_RAW		1440	/* bytes of a record but payload of long messages */
#define WEFT_REC_REFS		16	/* messages in one packet */
#define WEFT_ACK_EVERY		64	/* packets that wait for an acknowledgement at most */
#define WEFT_REO_MIN	(20 * NSEC_PER_USEC)	/* reordering window */
#define WEFT_REO_MULT		8	/* how much it may grow */
#define WEFT_REO_KEEP		16	/* round trips with loss before it shrinks again */
#define WEFT_CWND_MIN		2
#define WEFT_CWND_INIT		16
#define WEFT_CWND_CALM		256	/* a window that grows beyond only while nothing queues */
#define WEFT_CALM	(50 * NSEC_PER_USEC)	/* of a round trip: no sign of a queue */
#define WEFT_RTO_INIT		(50ull * NSEC_PER_MSEC)
#define WEFT_RTO_MAX		(1ull * NSEC_PER_SEC)

/* ---- Classes of packets ----------------------------------------------------------- */

/**
 * struct weft_class - packets of one priority: what is known of their way
 * @rtt: round-trip time that was measured last, 0: none yet
 * @srtt: smoothed, 0: none yet
 * @rttvar: its variation
 * @rto: retransmission timeout
 * @rtt_at: when @rtt was measured
 *
 * Under path->lock.
 */
struct weft_class {
	weft_ns rtt;
	weft_ns srtt;
	weft_ns rttvar;
	weft_ns rto;
	weft_ns rtt_at;
};

/* ---- Things that have a chunk to send -------------------------------------------- */

#define WEFT_CTL_RXM	1	/* GRANT, DONE */
#define WEFT_CTL_TXM	2	/* ABORT of a message */
#define WEFT_CTL_FLOW	3	/* ABORT that ends the flow */
#define WEFT_CTL_RFLOW	4	/* EPGONE */
#define WEFT_CTL_CONN	5	/* CM */
#define WEFT_CTL_NOTE	6	/* bytes */
#define WEFT_CTL_PING	7
#define WEFT_CTL_CREDIT	8	/* ROOM of a flow */

/**
 * struct weft_ctl - something that has a chunk to send; the object is referenced while it is queued
 * @node: in lane->ctlq
 * @kind: WEFT_CTL_*
 * @queued: is in the list
 */
struct weft_ctl {
	struct weft_list node;
	u8 kind;
	bool queued;
};

/* Nothing to send yet: @ctl stands in an object of @kind, WEFT_CTL_*. */
static inline void weft_ctl_init(struct weft_ctl *ctl, u8 kind)
{
	weft_list_init(&ctl->node);
	ctl->kind = kind;
	ctl->queued = false;
}

/**
 * struct weft_note - a chunk that belongs to nothing
 * @ctl: to be sent
 * @path: where, while it is queued: it counts in path->ctl_pending
 * @len: bytes
 * @chunk: the chunk
 */
struct weft_note {
	struct weft_ctl ctl;
	struct weft_path *path;
	u32 len;
	u8 chunk[64];
};

/* ---- Packets --------------------------------------------------------------------- */

/**
 * struct weft_ref - a message that has bytes in a packet
 * @flow: its flow, referenced
 * @txm: the send, NULL: it is not tracked
 */
struct weft_ref {
	struct weft_flow *flow;
	struct weft_txm *txm;
};

#define WEFT_REC_OPEN	0	/* being filled */
#define WEFT_REC_FLIGHT	1	/* sent */
#define WEFT_REC_LOST	2	/* to be sent again */
#define WEFT_REC_IDLE	3	/* acknowledged, or in path->recs */

/**
 * struct weft_rec - record of a packet, or of a run of packets with the bytes of one message, from
 * which their bytes can be made again
 * @node: in lane->sent by PSN, or in path->recs
 * @tnode: in lane->xmit by time of sending, or in lane->lost
 * @ref: the lane's, and one for each struct weft_tx
 * @psn: packet sequence number of the first
 * @nseg: packets
 * @run: type of the chunk whose offset differs from packet to packet, 0: one packet as it stands
 *	in @raw
 * @state: WEFT_REC_*
 * @again: was sent more than once
 * @acknow: asks for an acknowledgement at once
 * @nref: messages in @refs
 * @withdrawn: the payload is not to be sent any more
 * @alone: nothing else goes into the packet
 * @bulk: bytes of @raw before the chunk that @pay belongs to
 * @win: window of the sending memory that @mem is
 * @len: bytes in @raw, the same in each packet
 * @pay: bytes of payload behind them, of all packets
 * @seg: bytes of payload of each packet but the last; @pay when there is one
 * @sent_at: when it was sent last
 * @txm: the send whose payload it is, referenced
 * @mem: memory of it, referenced; NULL: txm->buf
 * @off: offset of the payload in @mem or txm->buf
 * @again_at: when it was sent again first, in weft_lane_tick()s
 * @moff: offset of the payload in the message
 * @refs: messages
 * @raw: chunks
 *
 * Under path->lock until it is sent; constant after that but for @state, @again, @again_at,
 * @sent_at, the lists, and that a run shrinks: packets that are acknowledged leave it at its
 * beginning, and it is split where others are.
 */
struct weft_rec {
	struct weft_list node;
	struct weft_list tnode;
	refcount_t ref;
	u32 psn;
	u16 nseg;
	u8 run;
	u8 state;
	bool again;
	bool acknow;
	bool withdrawn;
	bool alone;
	u8 nref;
	u8 win;
	u32 bulk;
	u32 len;
	u32 pay;
	u32 seg;
	weft_ns sent_at;
	struct weft_txm *txm;
	struct weft_mem *mem;
	u32 off;
	u32 again_at;
	u64 moff;
	struct weft_ref refs[WEFT_REC_REFS];
	u8 raw[WEFT_REC_RAW];
};

/**
 * struct weft_part - a packet of which the first chunks have been taken, and then there was no
 * memory
 * @psn: its PSN
 * @done: chunks, 0: there is no such packet
 */
struct weft_part {
	u32 psn;
	u32 done;
};

/**
 * struct weft_lane - packets in one sequence, both directions
 * @no: its number
 * @limited: the window was what held sending back
 * @burst: packets that the first of @dataq has sent in its turn
 * @probed: a tail-loss probe has been sent
 * @backoff: doublings of the retransmission timeout
 * @snd_nxt: next PSN
 * @snd_una: oldest PSN that is not acknowledged
 * @cwnd: congestion window, packets
 * @cwnd_cnt: acknowledged packets on the way to the next increase
 * @ssthresh: slow start ends
 * @recover: losses before this PSN have been paid for
 * @flight: packets in the network
 * @open: packet that is being filled
 * @ctlq: struct weft_ctl
 * @sendq: FIRST: sends that have not been begun, in order; REST: those of which eager bytes wait
 * @dataq: DATA: sends that have been granted more, in turn
 * @sent: records by PSN
 * @xmit: those of them in the network by time of sending
 * @lost: those to be sent again
 * @rack_at: when the newest packet known to have arrived was sent
 * @rack_psn: its PSN
 * @rack_rtt: its round-trip time
 * @reo_mult: reordering window, in units of its smallest
 * @reo_keep: round trips with loss for which it stays so
 * @reo_next: what is told of packets sent again for nothing counts from this PSN on
 * @again_lo: PSNs that were sent again since these were acknowledged: first one
 * @again_hi: and the one behind the last
 * @rto_at: when the oldest packet is given up, or probed for
 * @reo_at: when packets that may only have been reordered are taken for lost
 * @rcv_nxt: every PSN before this one has been received
 * @rcv_ahead: PSNs received beyond
 * @rcv_unacked: packets received and not yet acknowledged
 * @dup: the peer is to be told of @dup_psn
 * @dup_psn: PSN of a packet that came when it had been received before
 * @ack_now: an acknowledgement is due at once
 * @ack_at: when one is due at the latest
 * @rcv_at: when the newest packet came that raised @rcv_nxt
 * @part: packets that have been taken in part: the next one in turn when that happened, and another
 *	one; so the next one in turn never waits for a later one to come again
 * @bits: PSNs received beyond @rcv_nxt, by PSN modulo WEFT_WINDOW
 *
 * Under path->lock.
 */
struct weft_lane {
	u8 no;
	bool limited;
	u8 burst;
	bool probed;
	u8 backoff;
	u32 snd_nxt;
	u32 snd_una;
	u32 cwnd;
	u32 cwnd_cnt;
	u32 ssthresh;
	u32 recover;
	u32 flight;
	struct weft_rec *open;
	struct weft_list ctlq;
	struct weft_list sendq;
	struct weft_list dataq;
	struct weft_list sent;
	struct weft_list xmit;
	struct weft_list lost;
	weft_ns rack_at;
	u32 rack_psn;
	weft_ns rack_rtt;
	u8 reo_mult;
	u8 reo_keep;
	u32 reo_next;
	u32 again_lo;
	u32 again_hi;
	weft_ns rto_at;
	weft_ns reo_at;
	u32 rcv_nxt;
	u32 rcv_ahead;
	u32 rcv_unacked;
	bool dup;
	u32 dup_psn;
	bool ack_now;
	weft_ns ack_at;
	weft_ns rcv_at;
	struct weft_part part[2];
	u64 bits[WEFT_WINDOW / 64];
};

#endif
