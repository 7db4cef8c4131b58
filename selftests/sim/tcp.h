/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Simulator: a model of TCP that sends without end, to compare with
 */
#ifndef WEFT_SIM_TCP_H
#define WEFT_SIM_TCP_H

#include "bottleneck.h"

#define TCP_MSS		1448	/* with time stamps */
#define TCP_FRAME	(TCP_MSS + 52 + LINK_FRAME)

struct tcp;

/**
 * struct tcp_stats - counts of a flow
 * @got: segments that the receiver's program has
 * @again: segments sent again
 * @needless: segments that came more than once
 * @timeouts: retransmission timeouts
 * @cwnd: window, segments
 * @srtt: smoothed round-trip time, ns
 */
struct tcp_stats {
	u64 got;
	u64 again;
	u64 needless;
	u64 timeouts;
	u32 cwnd;
	weft_ns srtt;
};

/* A flow number @flow over @out, with acknowledgements over @back. It begins at @at. */
struct tcp *tcp_new(struct link *out, struct link *back, u32 flow, weft_ns at);
void tcp_free(struct tcp *t);
void tcp_look(const struct tcp *t, struct tcp_stats *stats);

#endif
