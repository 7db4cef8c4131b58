/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checked traffic of several sending programs to one receiving program, while programs die, links
 * go down, and nodes fall silent
 *
 * A message says which program has sent it, in which life, and as which of its messages. The
 * receiver checks all bytes, that the messages of a life match in order and come once, and that all
 * come that have to. Each send has an outcome within BREADTH_MS.
 */
#ifndef WEFT_BREADTH_H
#define WEFT_BREADTH_H

#include <stdint.h>
#include <sys/types.h>
#include "fipair.h"

#define BREADTH_SENDERS	3
#define BREADTH_LIVES	128		/* of a sender; it is killed between them */
#define BREADTH_MS	200000		/* longest time of an operation while its peer lives */

/**
 * struct breadth_kind - what is tried
 * @name: for the result
 * @type: FI_EP_RDM, FI_EP_MSG, FI_EP_DGRAM
 * @v6: IPv6
 * @shared: the receiver's endpoints share a receive context
 * @multi: it receives into multi-receive buffers
 * @engine: of both ports, NULL: as it is
 * @kills: times that a sender is killed
 * @flaps: times that the link goes down for some seconds; needs links of the kernel
 * @freeze: seconds for which all packets of node 1 are lost: longer than a path lives
 * @stop: seconds for which the receiving program is stopped
 */
struct breadth_kind {
	const char *name;
	enum fi_ep_type type;
	bool v6, shared, multi;
	const char *engine;
	unsigned int kills, flaps, freeze, stop;
};

/**
 * struct breadth_life - one life of a sender, written by that sender
 * @sent: operations that have succeeded with a proof of delivery
 * @failed: operations that have failed
 * @posted: messages
 * @joined: it can send: a connection is made
 * @over: it has ended by itself
 */
struct breadth_life {
	uint32_t sent;
	uint32_t failed;
	uint32_t posted;
	volatile bool joined;
	bool over;
};

/**
 * struct breadth - what the programs share
 * @kind: what is tried
 * @apart: the receiver is on the other node
 * @may_fail: a path dies: sends may fail and messages may be lost
 * @stop: senders post no more
 * @ready: the receiver listens at @addr
 * @quit: the receiver ends
 * @addr: address of the receiver
 * @addrlen: its length
 * @seed: random numbers
 * @life: of each sender
 * @got: messages that the receiver has got, of each life
 * @lost: receives that ended with an error
 */
struct breadth {
	const struct breadth_kind *kind;
	bool apart;
	bool may_fail;
	volatile bool stop, ready, quit;
	uint8_t addr[64];
	size_t addrlen;
	uint32_t seed;
	struct breadth_life life[BREADTH_SENDERS][BREADTH_LIVES];
	uint32_t got[BREADTH_SENDERS][BREADTH_LIVES];
	uint32_t lost;
};

/* The beginning of each message; the bytes behind it are pattern_fill() of @seed. */
struct breadth_head {
	uint32_t magic;
	uint32_t sender, life, index;
	uint32_t len;
	uint32_t seed;
};

#define BREADTH_MAGIC	0x77656674
#define BREADTH_LONG	(300u << 10)	/* bytes of the longest message */

/* Open what a side needs. @o is filled in. */
bool breadth_open(const struct breadth *b, struct side *s, struct opts *o);
/* A sender in the calling process, which is on its node. Return: all went well. */
bool breadth_send(struct breadth *b, unsigned int sender, unsigned int life);
/* The receiver, likewise. */
bool breadth_receive(struct breadth *b);

#endif
