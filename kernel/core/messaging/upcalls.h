/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - functions that messaging/ needs from the layers above it, bound when linking
 *
 * The comment of each function is at its definition.
 */
#ifndef WEFT_MESSAGING_UPCALLS_H
#define WEFT_MESSAGING_UPCALLS_H

#include "core/object/object.h"

int weft_cm_rx(struct weft_path *path, const struct weft_w_cm *w, const u8 *data, u32 len,
	       struct weft_out *out);
void weft_cm_first(struct weft_conn *conn, struct weft_out *out);
bool weft_rma_begin(struct weft_rflow *rf, struct weft_rxm *rxm, struct weft_out *out);
bool weft_rma_direct(struct weft_rflow *rf, const struct weft_head *head, const u8 *pay,
		     u32 piece, u32 skip, struct weft_out *out);
u32 weft_rma_direct_writes(struct weft_rflow *rf, const struct weft_writes *w, const u8 *at,
			   struct weft_out *out);
bool weft_rma_short(struct weft_ep *ep, struct weft_flow *flow, const struct weft_sq_entry *e,
		    bool more, struct weft_out *out);
u32 weft_rma_writes(struct weft_ep *ep, struct weft_flow *flow, const struct weft_sq_entry *e,
		    u32 n, struct weft_out *out);
bool weft_rma_alone(struct weft_ep *ep, struct weft_flow *flow, const struct weft_sq_entry *e,
		    struct weft_out *out);
struct weft_txm *weft_rma_keep(struct weft_ep *ep, const struct weft_sq_entry *e,
			       struct weft_flow *flow);
void weft_rma_lost(struct weft_path *path, u32 id, int err, struct weft_out *out);
int weft_rma_near(struct weft_ep *ep, struct weft_flow *flow, const struct weft_sq_entry *e,
		  struct weft_out *out);
int weft_rma_local(struct weft_ep *ep, struct weft_flow *flow, const struct weft_sq_entry *e,
		   struct weft_out *out);
int weft_rma_local_held(struct weft_flow *flow, struct weft_txm *txm, struct weft_out *out);
void weft_rma_ask(struct weft_txm *txm, weft_ns now);
bool weft_rma_stop(struct weft_txm *txm, int status, struct weft_out *out);
void weft_rma_send_over(struct weft_txm *txm, struct weft_out *out);
void weft_rma_back_end(struct weft_rflow *rf, struct weft_out *out);
void weft_refuse_end(struct weft_rflow *rf);

#endif
