/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A sender and a receiver, connectionless, on one node or on two
 */
#ifndef WEFT_TWO_H
#define WEFT_TWO_H

#include "rig.h"

#define TWO_SLOTS	16		/* of the receiver's ring */
#define TWO_CQ		1024		/* of the sender's completion queue */
#define TWO_LONG	(100u << 10)	/* bytes that can be sent */
#define TWO_ROOM	(1u << 20)	/* and received; filled with 0xee before */

/**
 * struct two - a sender and a receiver
 * @rig: world
 * @a: the sender
 * @b: the receiver
 * @ea: the sender's endpoint
 * @eb: the receiver's endpoint
 * @ca: the sender's completions
 * @cb: the receiver's completions
 * @va: the sender's address vector
 * @to: index of the receiver
 * @buf: bytes to send
 * @room: buffer of receives
 */
struct two {
	struct rig *rig;
	struct rig_proc *a, *b;
	struct rig_ep *ea, *eb;
	struct rig_cq *ca, *cb;
	struct rig_av *va;
	u32 to;
	u8 *buf, *room;
};

/*
 * @dst: node of the receiver; the sender's is 0. @cq_slots: of the receiver. @cold: as in struct
 * rig_conf.
 */
void two_init(struct two *t, u32 dst, u32 cq_slots, u32 cold);
/* The same with endpoints of that type; @flags: of the sender's. */
void two_init_type(struct two *t, u32 type, u32 flags, u32 dst, u32 cq_slots, u32 cold);
/* From now on windows of memory are made slowly, and hold a part of a long message. */
void two_slow(struct two *t);
/* Send a message of @len bytes at @p; WEFT_SQ_COMPLETION and @flags. Return: as rig_send(). */
int two_put(struct two *t, const void *p, u32 len, u64 context, u32 flags);
/* Post a receive from any sender, with a completion. Return: as rig_recv(). */
int two_get(struct two *t, const void *p, u32 len, u64 context);
/* Post a receive into t->room from any sender; @flags: WEFT_RQ_*. Return: as rig_recv(). */
int two_post(struct two *t, bool tagged, u64 context, u64 tag, u64 ignore, u32 len, u32 flags);

#define TWO_APART	(1u << 31)	/* a short message's bytes are not in the ring */

/*
 * Send @len bytes of t->buf, from @from on; a short message's bytes are in the ring. @flags:
 * WEFT_SQ_*, TWO_APART. The context is 77, remote CQ data is 0xdada. Return: as rig_send().
 */
int two_send(struct two *t, bool tagged, u64 tag, u32 from, u32 len, u32 flags);
/*
 * Take the next completion, after @wait. Return: its status; -1: there is none, -2: another
 * context.
 */
int two_status(struct two *t, struct rig_cq *cq, u64 context, weft_ns wait);

#define TWO_VERSION	5	/* the version of two_version() */

/* For rig_node.recv: a node of another version, which answers each packet with VERSION. */
void two_version(struct rig_node *node, u32 from, const void *data, u32 len);
/* An entry of the receive ring, with a notify call. */
void two_entry(struct two *t, const struct weft_rqe *e);

#endif
