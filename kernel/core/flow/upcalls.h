/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - functions that flow/ needs from the layers above it, bound when linking
 *
 * The comment of each function is at its definition.
 */
#ifndef WEFT_FLOW_UPCALLS_H
#define WEFT_FLOW_UPCALLS_H

#include "core/object/object.h"

void weft_cm_quiet(struct weft_conn *conn, struct weft_out *out);

#endif
