/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Operations that wait for a counter: side A of the row's pair begins them, side B's memory or its
 * receive is their target. Each kind has places of its own in sbuf and rbuf, so all kinds can wait
 * at the same time.
 */
#ifndef WEFT_TRIGGER_ROWS_H
#define WEFT_TRIGGER_ROWS_H

#include <rdma/fi_trigger.h>
#include "onesided.h"

/* options of rows */
#define TRIGGER .o.caps = FI_TRIGGER | FI_RMA | FI_ATOMIC | FI_RMA_EVENT
#define COUNTS_ALL .o.counters = true, .o.tx_count = FI_SEND | FI_READ | FI_WRITE

enum act { ACT_SEND, ACT_TSEND, ACT_WRITE, ACT_READ, ACT_ATOMIC, ACT_FETCH, ACT_COMPARE, ACTS };

/**
 * struct act_msg - the message structures of an operation, all of them filled in
 * @msg: ACT_SEND
 * @tagged: ACT_TSEND
 * @rma: ACT_WRITE, ACT_READ
 * @atomic: the others
 * @fetch: results
 * @compare: compare operands
 * @iov: segments of the first three
 * @rem: remote segment
 * @operand: of @atomic
 * @result: of @fetch
 * @cmp: of @compare
 * @target: of @atomic
 */
struct act_msg {
	struct fi_msg msg;
	struct fi_msg_tagged tagged;
	struct fi_msg_rma rma;
	struct fi_msg_atomic atomic;
	struct fi_msg_fetch fetch;
	struct fi_msg_compare compare;
	struct iovec iov[2];
	struct fi_rma_iov rem;
	struct fi_ioc operand;
	struct fi_ioc result;
	struct fi_ioc cmp;
	struct fi_rma_ioc target;
};

void act_message(struct act_msg *m, enum act a, void *context);

/*
 * Prepare an operation: B offers its memory (KEY) before, and posts the receive of a send. The
 * source does not have the right bytes before act_fill(), and the target not before the end.
 */
bool act_prepare(enum act a);
void act_fill(enum act a);
/* The target has what it had before. */
bool act_waits(enum act a);
/* The target has the right bytes. For a send B's next completion is of its receive. */
bool act_is_done(enum act a);
/* A's next completion is of the operation with this context, and it is done. */
bool act_completes(enum act a, void *context);

/* Post with a message structure, which is overwritten afterwards. Return: the call's result. */
ssize_t act_by_msg(enum act a, void *context, uint64_t flags);
/* Post by calls without flags, of one segment. */
ssize_t act_by_call(struct fid_ep *ep, enum act a, void *context);

/* A counter of a side's domain. */
bool cntr_new(struct side *s, struct fid_cntr **cntr);
/* Return: context @n, which says that the operation waits for a counter. */
void *waits_for(unsigned int n, struct fid_cntr *cntr, size_t threshold);
/* A's next completion is an error of the operation with this context. */
bool act_fails(void *context, int err);

#endif
