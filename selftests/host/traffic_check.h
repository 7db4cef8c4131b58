/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random traffic over the rig: checks. One thread; no locks.
 */
#ifndef WEFT_TRAFFIC_CHECK_H
#define WEFT_TRAFFIC_CHECK_H

#include "traffic.h"

/* Write a message's bytes into its segments. */
void tr_fill(struct tr_msg *m);
/* Return: offset of the first byte of the segments that tr_fill() does not write, -1: none. */
long tr_differs(const struct tr_msg *m);
void tr_drop_buffers(struct rig_proc *proc, struct weft_iov *seg, u32 *n);
/* A completion has been read from @cq. */
void tr_complete(struct tr *tr, struct rig_cq *cq, const struct weft_cqe *e);
/* Messages whose sender was told of delivery have been received, unless the receiver has gone. */
void tr_check_delivered(struct tr *tr);
/* No path has learned anything unexpected. */
void tr_check_paths(struct tr *tr);
/* No message has overtaken another. */
void tr_check_order(struct tr *tr);

/* No send that is to complete waits for a node that is down or cut off. */
void tr_check_gone(struct tr *tr);

#endif
