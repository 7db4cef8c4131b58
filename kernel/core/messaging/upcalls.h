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

#endif
