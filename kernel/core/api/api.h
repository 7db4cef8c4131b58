/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - the layer that adapters call; core.h declares its other functions
 *
 * The functions that this folder offers to the folders above it, and its files to one another. The
 * comment at each definition names the locks that the function needs.
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
