/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - one-sided operations: regions, reads and writes
 *
 * The functions that this folder offers to the folders above it, and its files to one another. The
 * comment at each definition names the locks that the function needs.
 */
#ifndef WEFT_RMA_H
#define WEFT_RMA_H

#include "core/rma/calls.h"
#include "core/messaging/messaging.h"

/* bytes of the longest read that is copied in its turn, so that later writes do not change it */
#define WEFT_RMA_SHORT	4096
/* bytes of a read that its request grants: the first round trip needs no other grant */
#define WEFT_RMA_FIRST	(64u << 10)

/* ---- origin.c ------------------------------------------------------------------- */

void weft_rma_start(struct weft_txm *txm);

/* ---- target.c ------------------------------------------------------------------- */

int weft_rma_open(struct weft_rxm *rxm, struct weft_ep *ep, const struct weft_req *req, u32 skip);
bool weft_rma_run(struct weft_rxm *rxm, struct weft_out *out);
void weft_rma_work(struct weft_rxm *rxm, struct weft_out *out);

/* Return: true if deferred work of a message is weft_rma_work(). */
static inline bool weft_rma_works(const struct weft_rxm *rxm)
{
	const struct weft_rma *rma = rxm->rma;

	return unlikely(rma) && rma->role == WEFT_RMA_TARGET &&
	       (rxm->buf || rma->op == WEFT_RMA_READ);
}

int weft_rma_source(struct weft_rxm *rxm, struct weft_flow *flow, const struct weft_req *req,
		    weft_ns now);
void weft_rma_source_go(struct weft_txm *txm, struct weft_out *out);

#endif
