/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The initiator and the target of one-sided operations, connectionless, on one node or on two
 */
#ifndef WEFT_PAIR_H
#define WEFT_PAIR_H

#include "rig.h"

#define PAIR_ROOM	(1u << 20)	/* bytes of the target's and of the initiator's buffer */
#define PAIR_KEY	0x8000000000000005ull
#define PAIR_BASE	0x7000u		/* address of the region's first byte */
#define PAIR_ALL	(WEFT_EPF_REMOTE_READ | WEFT_EPF_REMOTE_WRITE)

/**
 * struct pair - an initiator and a target
 * @rig: world
 * @a: the initiator
 * @b: the target
 * @ea: the initiator's endpoint
 * @eb: the target's endpoint
 * @ca: the initiator's completions
 * @cb: the target's completions
 * @va: the initiator's address vector
 * @vb: the target's address vector
 * @to: index of the target
 * @buf: the initiator's bytes
 * @room: the target's bytes
 */
struct pair {
	struct rig *rig;
	struct rig_proc *a, *b;
	struct rig_ep *ea, *eb;
	struct rig_cq *ca, *cb;
	struct rig_av *va, *vb;
	u32 to;
	u8 *buf, *room;
};

/* Return: byte @i of a buffer that was filled with @salt: 0 the initiator's, 99 the target's. */
static inline u8 pair_byte(u32 i, u8 salt)
{
	return (u8)(i * 13 + i / 256 + salt);
}

/* @cold, @loss: as in struct rig_conf, out of RIG_PPM. */
void pair_conf(struct rig_conf *conf, u32 cold, u32 loss);
/* @dst: node of the target; the initiator's is 0. @flags: of the target's endpoint. */
void pair_make(struct pair *p, struct rig_conf *conf, u32 dst, u32 flags);
/*
 * The same on two nodes, with all rights. Messages that no receive takes then use up the
 * initiator's credit. Return: how often it found none.
 */
u64 pair_spend(struct pair *p, struct rig_conf *conf);
/* Without loss, with all rights. */
void pair_init(struct pair *p, u32 dst);
/* Make a region of the target. Return: as weft_region_new(). */
int pair_expose(struct pair *p, u64 key, u64 base, u8 *at, u64 len, u32 access);
/* Return: an operation with a completion, of @len bytes at @off of both buffers. */
struct rig_rma pair_op(const struct pair *p, bool write, u64 off, u64 len, u64 context);
/* What ends while operations are under way. */
enum pair_ends {
	PAIR_TARGET_EP,
	PAIR_TARGET,		/* its program is killed */
	PAIR_REGION,		/* PAIR_KEY */
	PAIR_INITIATOR_EP,
	PAIR_INITIATOR,
	PAIR_TARGET_NODE,
	PAIR_CABLE,
	PAIR_NOTHING,
};

void pair_end(struct pair *p, enum pair_ends what);
/* Return: status of the completion with @context; -1: there is none, -2: another one. */
int pair_status(struct pair *p, u64 context);

#endif
