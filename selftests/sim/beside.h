/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Simulator: streams of weft's messages and flows of TCP over one bottleneck
 */
#ifndef WEFT_SIM_BESIDE_H
#define WEFT_SIM_BESIDE_H

#include "bottleneck.h"
#include "tcp.h"

#define BESIDE_MAX	16	/* streams, flows */

/**
 * struct beside - a scenario
 * @bps: bits in a second of the bottleneck, each direction
 * @rtt: round-trip time without a queue, ns
 * @limit: packets that each queue holds, 0: fq_codel
 * @loss: percent of packets to the receivers that are lost behind the bottleneck
 * @senders: nodes that send to one more node
 * @streams: endpoints on each of them, each with a peer of its own
 * @len: bytes of a message
 * @depth: messages of a stream that are posted
 * @tcps: flows of TCP
 * @from: the measurement begins, ns after the traffic
 * @until: and ends
 */
struct beside {
	u64 bps;
	weft_ns rtt;
	u32 limit;
	double loss;
	u32 senders;
	u32 streams;
	u32 len;
	u32 depth;
	u32 tcps;
	weft_ns from;
	weft_ns until;
};

/**
 * struct beside_side - how one protocol did; shares are payload of the link's rate less headers
 * @share: of all streams or flows
 * @least: of the one with the least
 * @most: of the one with the most
 * @packets: packets that passed the queue
 * @dropped: packets that the queue dropped
 * @again: packets sent again
 * @needless: packets that came to the receivers more than once
 * @spurious: packets sent again of which the sender knows that they had arrived
 * @timeouts: retransmission timeouts
 * @cwnd: window of the busiest lane or of the first flow at the end, packets
 * @srtt: smoothed round-trip time of the same, ns
 */
struct beside_side {
	double share;
	double least;
	double most;
	u64 packets;
	u64 dropped;
	u64 again;
	u64 needless;
	u64 spurious;
	u64 timeouts;
	u32 cwnd;
	weft_ns srtt;
};

/**
 * struct beside_got - results of a scenario
 * @weft: weft
 * @tcp: TCP
 * @deepest: packets that the queue to the receivers held at most
 */
struct beside_got {
	struct beside_side weft;
	struct beside_side tcp;
	u32 deepest;
};

/* Play a scenario. */
void beside_run(const struct beside *b, u64 seed, struct beside_got *got);

#endif
