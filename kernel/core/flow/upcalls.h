/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - what flow/ asks of the layers above it, bound when linking
 *
 * Each function is described where it is defined.
 */
#ifndef WEFT_FLOW_UPCALLS_H
#define WEFT_FLOW_UPCALLS_H

#include "core/object/object.h"

void weft_cm_quiet(struct weft_conn *conn, struct weft_out *out);

#endif
