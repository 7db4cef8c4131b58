/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An endpoint, and a peer on another node whose packets the test makes
 */
#ifndef WEFT_NEAR_H
#define WEFT_NEAR_H

#include "lone.h"

#define PSN	1000	/* PSN of the first packet, in both directions */
#define SVC	5	/* of the peer */
#define GEN	77	/* of the peer's end of the flow */

/**
 * near - an endpoint, and a peer whose packets the test makes
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
/* @n packets arrive; then the core's output is flushed. */
void near_take(struct near *s, const struct weft_rx *rx, u32 n);

#endif
