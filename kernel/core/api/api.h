/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - what adapters call; its other functions are declared in core.h
 *
 * What this folder offers to those above it, and its files to one another. Each function says in
 * its file which locks it wants.
 */
#ifndef WEFT_API_H
#define WEFT_API_H

#include "core/cm/cm.h"

/* ---- teardown.c ----------------------------------------------------------------- */

void weft_path_more(struct weft_path *path, struct weft_out *out);

/* ---- tidy.c --------------------------------------------------------------------- */

void weft_idle_work(struct weft_ep *ep, struct weft_out *out);

/* ---- ep.c ----------------------------------------------------------------------- */

void weft_ep_stop(struct weft_ep *ep, int err, struct weft_out *out);

#endif
