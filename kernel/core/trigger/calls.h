/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - triggers: functions for adapters
 */
#ifndef WEFT_TRIGGER_CALLS_H
#define WEFT_TRIGGER_CALLS_H

#include "core/object/object.h"

/**
 * struct weft_trigger_conf - a trigger to be made
 * @cntr: the counter that fires it
 * @done: WEFT_TRIGGERF_ALONE: counts the end of the operation; else NULL
 * @target: SET, ADD: the counter to be changed
 * @ep: SEND, RECV: the endpoint
 * @op: WEFT_TRIGGER_*
 * @flags: WEFT_TRIGGERF_*
 * @zone: group of triggers
 * @nslots: SEND, RECV: slots of the entry, 1 to WEFT_NSLOTS_MAX; else 0
 * @threshold: value at which it fires
 * @id: the program's name of it
 * @value: SET, ADD: number
 *
 * The adapter holds references on the objects during the call.
 */
struct weft_trigger_conf {
	struct weft_cq *cntr;
	struct weft_cq *done;
	struct weft_cq *target;
	struct weft_ep *ep;
	u32 op;
	u32 flags;
	u32 zone;
	u32 nslots;
	u64 threshold;
	u64 id;
	u64 value;
};

/**
 * struct weft_trigger_choice - triggers to be ended
 * @cntr: only those of this counter, NULL: of any
 * @ep: only those of this endpoint, NULL: any
 * @target: only those that change this counter, NULL: any
 * @flags: WEFT_TRIGGERF_ONE, WEFT_TRIGGERF_TELL
 * @zone: their zone
 * @id: with WEFT_TRIGGERF_ONE
 */
struct weft_trigger_choice {
	const struct weft_cq *cntr;
	const struct weft_ep *ep;
	const struct weft_cq *target;
	u32 flags;
	u32 zone;
	u64 id;
};

/**
 * weft_triggers_init - initialize the triggers of a context
 * @set: zeroed
 * @ctx: weft_ep_conf.ctx of the context's endpoints
 */
void weft_triggers_init(struct weft_triggers *set, void *ctx);

/**
 * weft_trigger_new - allocate a trigger
 * @mc: memory of the context that is charged
 * @conf: its configuration; takes references on its objects
 *
 * The caller fills in @slots.
 *
 * Context: may sleep.
 * Return: the trigger, for weft_trigger_add() or weft_trigger_free(); NULL: no memory.
 */
struct weft_trigger *weft_trigger_new(struct weft_memctx *mc, const struct weft_trigger_conf *conf);

/**
 * weft_trigger_add - have a trigger wait
 * @set: triggers of its context
 * @t: the trigger; belongs to the set if the call succeeds
 * @now: time
 * @out: output; a trigger whose threshold has been reached fires at once
 *
 * Context: may sleep; no lock of the core is held.
 * Return: 0; -EINVAL: the endpoint is not enabled, or does not take such an entry; -EAGAIN: it has
 * as many triggers as its ring has slots; -ENOSPC: the context has WEFT_TRIGGERS_MAX.
 */
int weft_trigger_add(struct weft_triggers *set, struct weft_trigger *t, weft_ns now,
		     struct weft_out *out);

/**
 * weft_triggers_end - end triggers that wait
 * @set: triggers of a context
 * @choice: which
 * @now: time
 * @out: output
 *
 * Context: may sleep; no lock of the core is held.
 * Return: 0; -ENOENT: WEFT_TRIGGERF_ONE, and there is none.
 */
int weft_triggers_end(struct weft_triggers *set, const struct weft_trigger_choice *choice,
		      weft_ns now, struct weft_out *out);

/* End all triggers without a trace. The caller adds no more. May sleep. */
void weft_triggers_end_all(struct weft_triggers *set);

#endif
