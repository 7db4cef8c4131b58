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

#define NEAR_ROOM	(128u << 10)	/* bytes of the endpoint's buffer */
#define NEAR_HEAD	(WEFT_WIRE_HDR + WEFT_WIRE_CHUNK + sizeof(struct weft_w_eager))

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
	u8 pkt[NEAR_HEAD + 2 * WEFT_INLINE_MAX];
	struct weft_rx rx;
};

void near_init(struct near *s);
void near_fini(struct near *s);
/* @n packets arrive; then the core's output is flushed. */
void near_take(struct near *s, const struct weft_rx *rx, u32 n);
/*
 * The next packets: a run with bytes [@off, @off + @len) of message @s->m, @piece in each packet.
 * @gap: bytes between two packets. Return: packets in @s->rx; their buffer, for free(), is
 * @s->rx.data.
 */
u32 near_run(struct near *s, u32 off, u32 len, u32 piece, u32 gap);
/* Byte @i of each message of near_run(). */
static inline u8 near_byte(u32 i)
{
	return (u8)(i * 7 + i / 256 + 1);
}

/* The first @len bytes of a message are in the endpoint's buffer, and the next one is unchanged. */
bool near_got(const struct near *s, u32 len);

#endif
