/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - structures of triggers: operations that wait for the value of a counter
 *
 *	waiting --the counter reaches the threshold, or it is canceled and told--> fired
 *	  --its endpoint takes the entry, or its counter is changed--> freed
 *	waiting, fired --its endpoint ends, or it is canceled--> freed
 *
 * Locks: triggers->mutex while it waits, ep->lock when it has fired. See Documentation/trigger.rst.
 */
#ifndef WEFT_OBJECT_TRIGGER_H
#define WEFT_OBJECT_TRIGGER_H

#include "core/queue/queue.h"
#include <linux/weft_trigger.h>

#define WEFT_TRIGGERS_MAX	65536	/* waiting triggers of a context */

struct weft_ep;

/**
 * struct weft_triggers - waiting triggers of a context; part of the adapter's context
 * @mutex: protects all fields, the waiting triggers and their lists at counters
 * @all: all triggers that wait, in the order of their arrival
 * @n: number of them
 * @next: number of the next one
 * @ctx: weft_ep_conf.ctx of the context's endpoints
 *
 * It exists until weft_ep_kill() has returned for each endpoint that names it, and as long as a
 * counter of the context.
 */
struct weft_triggers {
	struct weft_mutex mutex;
	struct weft_list all;
	u32 n;
	u64 next;
	void *ctx;
};

/**
 * struct weft_trigger - an operation that waits for a counter, or has fired
 * @all: in triggers->all
 * @node: in a list of @cntr->trip; fired: in ep->tx.fired or ep->rx.fired, or in none while a send
 *	is posted, under ep->sq_mutex
 * @cntr: the counter that fires it, referenced; NULL: fired
 * @done: counts the end of the operation, referenced, NULL: none
 * @target: SET, ADD: the counter to be changed, referenced
 * @ep: SEND, RECV: the endpoint, referenced while the trigger waits
 * @op: WEFT_TRIGGER_*
 * @flags: WEFT_TRIGGERF_*
 * @err: errno: the operation is posted in order to fail, 0: it is executed
 * @zone: group of triggers
 * @nslots: SEND, RECV: slots of the entry
 * @threshold: value at which it fires
 * @no: number in the order of arrival
 * @id: the program's name of it
 * @value: SET, ADD: number
 * @slots: the entry, slot 0 first, in private memory; their number is a power of two
 */
struct weft_trigger {
	struct weft_list all;
	struct weft_list node;
	struct weft_cq *cntr;
	struct weft_cq *done;
	struct weft_cq *target;
	struct weft_ep *ep;
	u32 op;
	u32 flags;
	u16 err;
	u32 zone;
	u32 nslots;
	u64 threshold;
	u64 no;
	u64 id;
	u64 value;
	u64 slots[][WEFT_SLOT_SIZE / sizeof(u64)];
};

#endif
