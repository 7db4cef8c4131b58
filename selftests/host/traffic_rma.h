/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random traffic over the rig: one-sided operations. One thread; no locks.
 *
 * Each process offers a region. It has a slot for each endpoint of the run, and only that endpoint
 * accesses the slot, one operation at a time. So the slot's bytes are known when an operation has
 * completed: a write is there, with nothing beyond it, and a read has returned them.
 */
#ifndef WEFT_TRAFFIC_RMA_H
#define WEFT_TRAFFIC_RMA_H

#include "traffic.h"

/* The region of a new process. */
void tr_rma_begin(struct tr *tr, struct tr_proc *p);
/* Post an operation on the region of @dst; @peer: its index in the vector. */
void tr_rma_post(struct tr *tr, struct tr_ep *ep, struct tr_ep *dst, u32 peer);
/* The completion of an operation has been read from @cq. */
void tr_rma_done(struct tr *tr, struct rig_cq *cq, const struct weft_cqe *e);

#endif
