/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An endpoint, and a peer on another node who makes his packets by hand
 */
#ifndef WEFT_NEAR_H
#define WEFT_NEAR_H

#include "lone.h"

#define PSN	1000	/* of the first packet, either way */
#define SVC	5	/* of the peer */
#define GEN	77	/* of its end of the flow */

/**
 * struct near - an endpoint, and a peer who makes his packets by hand
 * @t: the path to him
 * @proc: program
 * @cq: its completions
 * @ep: its endpoint
 * @to: index of the peer in its address vector
 * @room: where messages go
 * @h: header of the next packet
 * @m: head of its message
 * @pkt: the packet
 * @rx: the same, as it comes in
 */
struct near {
	struct lone t;
	struct rig_proc *proc;
	struct rig_cq *cq;
	struct rig_ep *ep;
	u32 to;
	u8 *room;
	struct weft_hdr h;
	struct weft_head m;
	u8 pkt[WEFT_WIRE_HDR + WEFT_WIRE_CHUNK + sizeof(struct weft_w_eager) + 2 * WEFT_INLINE_MAX];
	struct weft_rx rx;
};

void near_init(struct near *s);
void near_fini(struct near *s);
/* @n packets come; what they make is put out. */
void near_take(struct near *s, const struct weft_rx *rx, u32 n);

#endif
