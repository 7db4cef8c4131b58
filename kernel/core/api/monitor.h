/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - functions of monitor.c: receives that name their sender
 */
#ifndef WEFT_MONITOR_H
#define WEFT_MONITOR_H

#include "core/api/internal.h"

int weft_monitor_init(struct weft_core *core);
void weft_monitor_exit(struct weft_core *core);
bool weft_monitor_bury(struct weft_path *path, bool heard);
void weft_monitor_all(struct weft_core *core, weft_ns now);
void weft_monitor_begin(struct weft_ep *ep);
void weft_monitor_due(struct weft_core *core, struct weft_out *out);
void weft_monitor_work(struct weft_ep *ep, struct weft_out *out);

#endif
