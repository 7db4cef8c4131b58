/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - structures of lanes, of packets on them and of objects with a chunk to send
 *
 *	lane		packets in one sequence
 *	  ctl		in lane->ctlq: an object with a chunk to send
 *	  rec		a packet, from its making to its acknowledgement
 *	    ref		a message with bytes in the packet
 *	  part		a received packet of which only some chunks could be taken
 *
 * lane.c describes the path of a packet through the lists of a lane.
 *
 * Locks: path->lock protects all of it; most fields of a sent record are constant.
 */
#ifndef WEFT_LANE_H
#define WEFT_LANE_H

#include "core/base/io_batch.h"

#define WEFT_CLASS_LANES	2	/* lanes of each class */
#define WEFT_LANES		(WEFT_CLASSES * WEFT_CLASS_LANES)
#define WEFT_WINDOW		2048	/* PSNs that may be outstanding on a lane */
#define WEFT_WINDOW_NEW		(WEFT_WINDOW - 16)	/* except RETIRE and RETIRED */
#define WEFT_WINDOW_WORDS	(WEFT_WINDOW / 64)	/* of lane->bits */
#define WEFT_REC_RAW		1440	/* bytes of a record, except payload of long messages */
#define WEFT_REC_REFS		16	/* messages in one packet */
#define WEFT_ACK_EVERY		64	/* most packets that wait for an acknowledgement */
#define WEFT_REO_MIN	(20 * NSEC_PER_USEC)	/* smallest reorder window */
#define WEFT_REO_MULT		8	/* largest multiple of it */
#define WEFT_REO_KEEP		16	/* round trips with loss before it shrinks again */
#define WEFT_CWND_MIN		2
#define WEFT_CWND_INIT		16
#define WEFT_CWND_UNIT		32	/* parts of a packet, for the growth of a window */
#define WEFT_CWND_CALM		256	/* beyond this a window grows only without a queue */
#define WEFT_CALM	(50 * NSEC_PER_USEC)	/* round-trip time without sign of a queue */
#define WEFT_RTO_INIT		(50ull * NSEC_PER_MSEC)
#define WEFT_RTO_MAX		(1ull * NSEC_PER_SEC)

/* ---- Classes of packets ----------------------------------------------------------- */

/**
 * struct weft_class - round-trip times of the packets of one priority
 * @rtt: last measured round-trip time, 0: none yet
 * @srtt: smoothed round-trip time, 0: none yet
 * @rttvar: its variation
 * @rto: retransmission timeout
 * @rtt_at: when @rtt was measured
 * @rtt_max: longest round-trip time of the last seconds: queues were full; cwnd.c writes it
 * @rtt_max_at: when it was measured
 *
 * Under path->lock.
 */
struct weft_class {
	weft_ns rtt;
	weft_ns srtt;
	weft_ns rttvar;
	weft_ns rto;
	weft_ns rtt_at;
	weft_ns rtt_max;
	weft_ns rtt_max_at;
};

/* ---- Objects with a chunk to send ------------------------------------------------ */

#define WEFT_CTL_RXM	1	/* GRANT, DONE */
#define WEFT_CTL_TXM	2	/* ABORT of a message */
#define WEFT_CTL_FLOW	3	/* OPEN, ABORT that ends the flow */
#define WEFT_CTL_RFLOW	4	/* EPGONE */
#define WEFT_CTL_CONN	5	/* CM */
#define WEFT_CTL_CHUNK	6	/* a chunk of bytes */
#define WEFT_CTL_PING	7
#define WEFT_CTL_CREDIT	8	/* CREDIT of a flow */
#define WEFT_CTL_MTU	9	/* MTU of this node */
#define WEFT_CTL_REPORT	10	/* DONE of executed operations of a flow */

/**
 * struct weft_ctl - part of an object with a chunk to send; the object is referenced while it is
 * queued
 * @node: in lane->ctlq
 * @kind: WEFT_CTL_*
 * @queued: in the list
 */
struct weft_ctl {
	struct weft_list node;
	u8 kind;
	bool queued;
};

/* The object of @type that @ctl is part of. */
#define weft_ctl_obj(c, type)	container_of(c, type, ctl)

/* Initialize @ctl in an object of @kind, WEFT_CTL_*: no chunk to send. */
static inline void weft_ctl_init(struct weft_ctl *ctl, u8 kind)
{
	weft_list_init(&ctl->node);
	ctl->kind = kind;
	ctl->queued = false;
}

/**
 * struct weft_ctl_chunk - a chunk without an object
 * @ctl: in the lane's queue
 * @path: its path while it is queued: counts in path->ctl_pending
 * @len: bytes
 * @chunk: the chunk
 */
struct weft_ctl_chunk {
	struct weft_ctl ctl;
	struct weft_path *path;
	u32 len;
	u8 chunk[64];
};

/* ---- Packets --------------------------------------------------------------------- */

/**
 * struct weft_ref - a message with bytes in a packet
 * @flow: its flow, referenced
 * @txm: the send, and those behind it (@more of struct weft_txm); NULL: not tracked
 */
struct weft_ref {
	struct weft_flow *flow;
	struct weft_txm *txm;
};

#define WEFT_REC_OPEN	0	/* being filled */
#define WEFT_REC_FLIGHT	1	/* sent */
#define WEFT_REC_LOST	2	/* to be sent again */
#define WEFT_REC_IDLE	3	/* acknowledged, or in path->recs */
#define WEFT_REC_CUT	4	/* without PSN, to be cut and numbered anew (retire.c) */

/**
 * struct weft_rec - record of a packet, or of a run of packets with bytes of one message, from
 * which a retransmission is made
 * @node: in lane->sent by PSN, in a list of struct weft_retire, or in path->recs
 * @tnode: in lane->xmit by time of sending, or in lane->lost
 * @ref: the lane's, and one for each struct weft_tx
 * @psn: packet sequence number of the first
 * @nseg: packets
 * @run: type of the chunk whose offset differs from packet to packet, 0: one packet as in @raw
 * @state: WEFT_REC_*
 * @again: sent more than once
 * @acknow: asks for an immediate acknowledgement
 * @nref: messages in @refs
 * @withdrawn: the payload must not be sent any more
 * @imaged: its packets have been sent from the memory of @txm
 * @alone: the packet has only this chunk
 * @bulk: bytes of @raw before the chunk that @pay belongs to
 * @win: index of @mem among the windows of the send
 * @len: bytes in @raw, the same in each packet
 * @pay: bytes of payload behind @raw, of all packets
 * @seg: bytes of payload of each packet but the last; @pay if there is one packet
 * @sent_at: time of the last transmission
 * @txm: the send of the payload, referenced
 * @mem: memory of the payload, referenced; NULL: that of @txm
 * @off: offset of the payload in @mem, or in the bytes of @txm
 * @again_at: time of the first retransmission, in weft_lane_tick()s
 * @moff: offset of the payload in the message
 * @refs: messages
 * @raw: chunks
 *
 * Under path->lock until it is sent. After that it is constant, with these exceptions: @state,
 * @again, @again_at, @sent_at and the lists. A run loses acknowledged packets at its beginning, and
 * is split where others are acknowledged. A record that is retired is cut into other packets.
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
	bool imaged;
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
 * struct weft_part - a packet of which some chunks were taken before memory ran out
 * @psn: its PSN
 * @done: chunks taken, 0: no such packet
 */
struct weft_part {
	u32 psn;
	u32 done;
};

/**
 * struct weft_growth - growth of a congestion window; see cwnd.c
 * @epoch: when the growth since the last reduction began; 0: it begins with the next round trip
 * @at: when @rate was computed
 * @w_max: level of the curve: window when a queue was full, packets; 0: none was yet
 * @prior: window at the last loss, packets
 * @origin: window at which the curve is level, packets
 * @k: time from @epoch until then, in weft_cwnd_tick()s
 * @reno: window that additive increase would have reached, in 1 / WEFT_CWND_UNIT packets
 * @rate: growth in this round trip, in the same unit
 * @round: the round trip ends when all PSNs before this one are acknowledged
 * @rtt_low: shortest of the first round-trip times measured in this round trip
 * @samples: their number
 */
struct weft_growth {
	weft_ns epoch;
	weft_ns at;
	u32 w_max;
	u32 prior;
	u32 origin;
	u32 k;
	u32 reno;
	u32 rate;
	u32 round;
	weft_ns rtt_low;
	u8 samples;
};

/**
 * struct weft_lane - packets in one sequence, both directions
 * @no: its number
 * @limited: the window has limited sending
 * @burst: packets that the first send of @dataq has sent in its turn
 * @probed: a tail-loss probe has been sent
 * @backoff: doublings of the retransmission timeout
 * @retire: WEFT_RETIRE_*, see retire.c; no new packet is numbered while it is not 0
 * @snd_nxt: next PSN
 * @snd_una: oldest PSN that is not acknowledged
 * @cwnd: congestion window, packets
 * @cwnd_cnt: part of the next increase, in 1 / (@cwnd * WEFT_CWND_UNIT) packets
 * @growth: how the window grows after slow start
 * @ssthresh: window at which slow start ends
 * @recover: losses before this PSN have already reduced the window
 * @flight: packets in the network
 * @open: packet being filled
 * @ctlq: struct weft_ctl
 * @sendq: FIRST: sends not begun, in order; REST: sends with eager bytes left
 * @dataq: DATA: sends with granted bytes, in turn
 * @owed: FIRST: flows with a report that waits for the next packet, see report.c
 * @sent: records by PSN
 * @xmit: records in the network, by time of transmission
 * @lost: records to be sent again
 * @rack_at: when the newest packet that has arrived was sent
 * @rack_psn: its PSN
 * @rack_rtt: its round-trip time
 * @reo_mult: reorder window, in units of the smallest one
 * @reo_keep: round trips with loss for which it keeps this size
 * @reo_next: reports of unnecessary retransmissions count from this PSN on
 * @again_lo: first PSN sent again since these were acknowledged
 * @again_hi: PSN behind the last one of them
 * @rto_at: when the oldest packet is taken for lost, or a probe is sent
 * @reo_at: when packets that may only be reordered are taken for lost
 * @rcv_nxt: every PSN before this one has been received
 * @rcv_ahead: PSNs received beyond @rcv_nxt
 * @rcv_unacked: packets received and not yet acknowledged
 * @dup: the next acknowledgement reports @dup_psn
 * @dup_psn: PSN of a packet that had been received before
 * @ack_now: an acknowledgement is due now
 * @ack_at: latest time of the next acknowledgement
 * @rcv_at: when the newest packet came that advanced @rcv_nxt
 * @part: packets taken in part: one that was the next in turn, and another; so the next packet in
 *	turn never waits for a later one
 * @bits: PSNs received beyond @rcv_nxt, by PSN modulo WEFT_WINDOW; part of path->bits
 *
 * Under path->lock.
 */
struct weft_lane {
	u8 no;
	bool limited;
	u8 burst;
	bool probed;
	u8 backoff;
	u8 retire;
	u32 snd_nxt;
	u32 snd_una;
	u32 cwnd;
	u32 cwnd_cnt;
	u32 ssthresh;
	struct weft_growth growth;
	u32 recover;
	u32 flight;
	struct weft_rec *open;
	struct weft_list ctlq;
	struct weft_list sendq;
	struct weft_list dataq;
	struct weft_list owed;
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
	u64 *bits;
};

#endif
