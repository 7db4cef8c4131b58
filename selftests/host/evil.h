/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What may happen to random traffic
 */
#ifndef WEFT_EVIL_H
#define WEFT_EVIL_H

#include "traffic.h"

#define EVIL_EP		1	/* endpoints close */
#define EVIL_PROC	2	/* processes end or are killed */
#define EVIL_NODE	4	/* nodes crash, or their ports go, and come back */
#define EVIL_CUT	8	/* links, or one direction, are cut for shorter and longer */
#define EVIL_ALLOC	16	/* allocations fail */
#define EVIL_FAULT	32	/* memory that programs named is not there */
#define EVIL_NOISE	64	/* forged packets */
#define EVIL_REVIVE	128	/* what is gone comes back */
#define EVIL_SHUT	256	/* connections are shut down */
#define EVIL_PART	512	/* the network falls into two parts */
#define EVIL_JOB	1024	/* an administrator looks after jobs */
#define EVIL_NARROW	2048	/* links lose what is long */
#define EVIL_KINDS	12

/* One of the things that the bits @evil allow. */
void evil_do(struct tr *tr, u32 evil);

/*
 * A whole run: some time with trouble, which then stays as it is or not, then without, until
 * everything has ended; checks that it does, and that nothing leaks. @check: see struct rig.
 * Return: digest of all events.
 */
u64 evil_run(struct tr_conf *conf, const char *test, u32 evil,
	     void (*check)(struct rig_node *node));

#endif
