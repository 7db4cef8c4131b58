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
#define EVIL_ALLOC	16	/* allocations fail, or large ones that may not sleep */
#define EVIL_FAULT	32	/* memory that programs named is missing */
#define EVIL_NOISE	64	/* forged packets */
#define EVIL_REVIVE	128	/* what is gone comes back */
#define EVIL_SHUT	256	/* connections are shut down */
#define EVIL_PART	512	/* the network falls into two parts */
#define EVIL_JOB	1024	/* an administrator changes jobs */
#define EVIL_NARROW	2048	/* links lose long packets */
#define EVIL_KINDS	12

/* Do one of the things that the bits @evil allow. */
void evil_do(struct tr *tr, u32 evil);

/*
 * A whole run. The first phase has trouble; the trouble may stay at its end. The second phase has
 * no trouble and lasts until everything has ended. The function checks that all ends and nothing
 * leaks.
 * @check: see struct rig.
 * Return: digest of all events.
 */
u64 evil_run(struct tr_conf *conf, const char *test, u32 evil,
	     void (*check)(struct rig_node *node));

#endif
