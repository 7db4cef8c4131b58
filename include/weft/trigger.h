/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * libweft: triggers: operations that wait for the value of a counter (WEFT_CAP_TRIGGER)
 *
 * <weft/weft.h> includes this header. weft_trigger(3) describes the calls.
 */
#ifndef _WEFT_TRIGGER_H
#define _WEFT_TRIGGER_H

#include <stdbool.h>
#include <weft/types.h>
#include <linux/weft_trigger.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/**
 * struct weft_trigger - when an operation begins, and what counts its end
 * @cntr: counter that fires it
 * @threshold: value at which it fires
 * @id: name for weft_trigger_end(); need not be unique
 * @done: WEFT_TRIGGERF_ALONE: counts the end of the operation, NULL: nothing does; else NULL
 * @zone: group of triggers that weft_trigger_end() may end together
 * @flags: WEFT_TRIGGERF_BOTH, WEFT_TRIGGERF_ALONE
 */
struct weft_trigger {
	struct weft_cntr *cntr;
	uint64_t threshold;
	uint64_t id;
	struct weft_cntr *done;
	uint32_t zone;
	uint32_t flags;
};

/**
 * weft_draft_create() - make a stand-in for an endpoint, for entries that are not posted yet
 * @ep: endpoint, active, with own receives if the draft is for receives
 * @draft: out
 *
 * The sending and receiving calls of the endpoint take the draft in its place. They write one entry
 * into the draft, and post nothing. WEFT_SQ_INLINE is not permitted. One thread uses a draft at a
 * time.
 *
 * Return: 0, -ENOMEM.
 */
int weft_draft_create(struct weft_ep *ep, struct weft_ep **draft);

/**
 * weft_draft_destroy() - free a draft
 * @draft: from weft_draft_create(); its endpoint may have been destroyed
 */
void weft_draft_destroy(struct weft_ep *draft);

/**
 * weft_trigger_send() - have the send or one-sided operation of a draft wait for a counter
 * @draft: has the entry; empty afterwards, whatever the result
 * @trigger: the structure may be reused when the call returns
 *
 * The bytes are read, and the destination is looked up, after the trigger has fired.
 *
 * Return: 0; -EINVAL: no entry, inline payload, flags, an entry that the endpoint does not take,
 * the endpoint is not enabled; -ENOENT: an object of the trigger was destroyed; -EAGAIN: the
 * endpoint has as many triggers as its ring has slots; -ENOSPC: the context has too many; -ENOMEM;
 * -errno.
 */
int weft_trigger_send(struct weft_ep *draft, const struct weft_trigger *trigger);

/**
 * weft_trigger_recv() - have the receive of a draft wait for a counter
 * @draft: has the entry, of weft_recv(), weft_recvv(), weft_trecv() or weft_trecvv(); empty
 *	afterwards, whatever the result
 * @trigger: the structure may be reused when the call returns
 *
 * Return: as weft_trigger_send().
 */
int weft_trigger_recv(struct weft_ep *draft, const struct weft_trigger *trigger);

/**
 * weft_trigger_cntr() - have the change of a counter wait for a counter
 * @target: counter to be changed, of the same context
 * @add: add @value, else set to it
 * @value: number of successful operations
 * @trigger: without @done and WEFT_TRIGGERF_ALONE; may be reused when the call returns
 *
 * Any thread.
 *
 * Return: 0, -EINVAL, -ENOENT, -ENOSPC, -ENOMEM: as weft_trigger_send(); -errno.
 */
int weft_trigger_cntr(struct weft_cntr *target, bool add, uint64_t value,
		      const struct weft_trigger *trigger);

/**
 * struct weft_triggers - a choice of triggers
 * @zone: their zone
 * @cntr: the counter that fires them, NULL: any
 * @ep: their endpoint, NULL: any
 * @id: with WEFT_TRIGGERF_ONE, else 0
 * @flags: WEFT_TRIGGERF_ONE: only the oldest one with @id; WEFT_TRIGGERF_TELL: operations complete
 *	with ECANCELED, else without a trace
 */
struct weft_triggers {
	uint32_t zone;
	struct weft_cntr *cntr;
	struct weft_ep *ep;
	uint64_t id;
	uint32_t flags;
};

/**
 * weft_trigger_end() - end triggers that have not fired
 * @ctx: context
 * @triggers: the choice
 *
 * Any thread. The triggers of an endpoint end with it. A counter cannot be destroyed while triggers
 * name it.
 *
 * Return: 0; -ENOENT: WEFT_TRIGGERF_ONE, and no such trigger waits; -EINVAL: flags; -ENOMEM;
 * -errno.
 */
int weft_trigger_end(struct weft_ctx *ctx, const struct weft_triggers *triggers);

/**
 * weft_cntr_change() - set a counter, or add to it (WEFT_IOC_CNTR_CHANGE)
 * @cntr: counter
 * @value: number, which wraps
 * @flags: WEFT_CNTRF_ADD, WEFT_CNTRF_FAILED
 *
 * Waits on an earlier value return 0. Any thread.
 *
 * Return: 0, -EINVAL: flags; -EIO: @cntr was destroyed; -errno.
 */
int weft_cntr_change(struct weft_cntr *cntr, uint64_t value, uint32_t flags);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* _WEFT_TRIGGER_H */
