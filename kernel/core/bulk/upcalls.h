/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - functions that bulk/ needs from the layers above it, bound when linking
 *
 * The comment of each function is at its definition.
 */
#ifndef WEFT_BULK_UPCALLS_H
#define WEFT_BULK_UPCALLS_H

#include "core/object/object.h"

void weft_send_end(struct weft_txm *txm, int status, struct weft_out *out);
u32 weft_send_end_run(struct weft_txm *txm, u32 n, struct weft_out *out);
void weft_cm_settled(struct weft_ep *ep, struct weft_out *out);
void weft_recv_gathered(struct weft_rxm *rxm, struct weft_out *out);
bool weft_rma_got(struct weft_path *path, u32 id, u64 off, const u8 *pay, u32 len, u32 piece,
		  u32 skip, struct weft_out *out);
void weft_rma_gathered(struct weft_rxm *rxm, struct weft_out *out);
void weft_rma_quiet(struct weft_rxm *rxm);
bool weft_rma_placed(struct weft_rxm *rxm, struct weft_out *out);
void weft_rma_over(struct weft_rxm *rxm, int err, int told, struct weft_out *out);

#endif
