/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - functions that transport/ needs from the layers above it, bound when linking
 *
 * The comment of each function is at its definition.
 */
#ifndef WEFT_TRANSPORT_UPCALLS_H
#define WEFT_TRANSPORT_UPCALLS_H

#include "core/object/object.h"

void weft_flow_check(struct weft_flow *flow, struct weft_out *out);
void weft_rflows_free(struct weft_path *path, struct weft_out *out);
void weft_send_abandon(struct weft_txm *txm, int status, struct weft_out *out);
void weft_send_acked(struct weft_txm *txm, struct weft_rec *rec, struct weft_out *out);
void weft_send_append(struct weft_path *path, struct weft_lane *lane, struct weft_rec *rec,
		      struct weft_out *out);
void weft_send_unnumbered(struct weft_path *path, struct weft_out *out);
u32 weft_ctl_write(struct weft_ctl *ctl, struct weft_rec *rec, u32 room, bool *more);
void weft_monitor_up(const struct weft_path *path);

#endif
