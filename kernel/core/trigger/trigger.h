/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - triggers: functions for the folder above
 */
#ifndef WEFT_TRIGGER_H
#define WEFT_TRIGGER_H

#include "core/trigger/calls.h"

/* Fire the triggers of a counter of a queued cntr->trip.work. Drops the work's reference. */
void weft_trigger_work(struct weft_cq *cntr, weft_ns now, struct weft_out *out);

/* End the waiting triggers of an endpoint that is dead. May sleep. */
void weft_triggers_forget(struct weft_triggers *set, struct weft_ep *ep);

#endif
