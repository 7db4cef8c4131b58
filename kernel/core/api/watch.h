/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - receives that name their sender: what watch.c offers the rest
 */
#ifndef WEFT_WATCH_H
#define WEFT_WATCH_H

#include "core/api/api.h"

void weft_watch_init(struct weft_core *core);
void weft_watch_exit(struct weft_core *core);
bool weft_watch_bury(struct weft_path *path, bool heard);
bool weft_watch_all(struct weft_core *core, struct weft_out *out);
void weft_watch_begin(struct weft_ep *ep);
void weft_watch_due(struct weft_core *core, struct weft_out *out);
void weft_watch_work(struct weft_ep *ep, struct weft_out *out);

#endif
