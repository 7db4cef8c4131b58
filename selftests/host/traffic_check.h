/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random traffic over the rig: what is checked. One thread; no locks.
 */
#ifndef WEFT_TRAFFIC_CHECK_H
#define WEFT_TRAFFIC_CHECK_H

#include "traffic.h"

/* Write a message's bytes into its segments. */
void tr_fill(struct tr_msg *m);
void tr_drop_buffers(struct rig_proc *proc, struct weft_iov *seg, u32 *n);
/* A completion has been read from @cq. */
void tr_complete(struct tr *tr, struct rig_cq *cq, const struct weft_cqe *e);
/* Nothing strange has been learned of paths. */
/* What a sender was told to be delivered has been received, unless the receiver has gone. */
void tr_check_delivered(struct tr *tr);
void tr_check_paths(struct tr *tr);
/* Nothing has overtaken. */
void tr_check_order(struct tr *tr);

/* No send that is to complete waits for a node that is down or cut off. */
void tr_check_gone(struct tr *tr);

#endif
