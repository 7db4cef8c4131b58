// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Triggers: operations that wait for the value of a counter.
 *
 * A draft is an endpoint whose rings are private memory for one entry. So the calls that write
 * entries serve for triggers, too. It has no doorbell that the kernel reads, and no head that
 * moves: a second entry finds no space.
 */
#include <errno.h>
#include <stdlib.h>

#include "entry.h"

/**
 * struct draft - a stand-in for an endpoint
 * @ep: what the program has; @ep.handle is the endpoint's
 * @doorbell: of both rings; not read
 * @zero: their heads and flags
 * @slots: the entry
 */
struct draft {
	struct weft_ep ep;
	uint32_t doorbell;
	uint32_t zero;
	unsigned char slots[WEFT_NSLOTS_MAX * WEFT_SLOT_SIZE] __attribute__((aligned(64)));
};

static void draft_queue(struct draft *d, struct lw_queue *q)
{
	q->slots = d->slots;
	q->size = WEFT_NSLOTS_MAX;
	q->doorbell = &d->doorbell;
	q->khead = &d->zero;
	q->flags = &d->zero;
}

int weft_draft_create(struct weft_ep *ep, struct weft_ep **draft)
{
	struct draft *d = aligned_alloc(LW_CACHE_LINE, sizeof(*d));

	if (!d)
		return -ENOMEM;
	memset(d, 0, sizeof(*d));
	d->ep.ctx = ep->ctx;
	d->ep.handle = ep->handle;
	draft_queue(d, &d->ep.sq);
	if (ep->rq.slots)
		draft_queue(d, &d->ep.rq);
	*draft = &d->ep;
	return 0;
}

void weft_draft_destroy(struct weft_ep *draft)
{
	free(draft);
}

static uint32_t handle_of(const struct weft_cntr *cntr)
{
	return cntr ? cntr->handle : WEFT_HANDLE_NONE;
}

static int add(struct weft_ctx *ctx, const struct weft_trigger *trigger,
	       struct weft_ioc_trigger_add *arg)
{
	arg->size = sizeof(*arg);
	arg->flags = trigger->flags;
	arg->cntr = handle_of(trigger->cntr);
	arg->done = handle_of(trigger->done);
	arg->zone = trigger->zone;
	arg->threshold = trigger->threshold;
	arg->id = trigger->id;
	return lw_ioctl(ctx->fd, WEFT_IOC_TRIGGER_ADD, arg);
}

/* Have the entry of a draft wait, and empty the draft. */
static int add_entry(struct weft_ep *draft, struct lw_queue *q, uint32_t op,
		     const struct weft_trigger *trigger)
{
	struct weft_ioc_trigger_add arg = {
		.op = op, .object = draft->handle, .nslots = q->tail, .entry = (uintptr_t)q->slots,
	};

	q->tail = 0;
	return arg.nslots ? add(draft->ctx, trigger, &arg) : -EINVAL;
}

int weft_trigger_send(struct weft_ep *draft, const struct weft_trigger *trigger)
{
	return add_entry(draft, &draft->sq, WEFT_TRIGGER_SEND, trigger);
}

int weft_trigger_recv(struct weft_ep *draft, const struct weft_trigger *trigger)
{
	return add_entry(draft, &draft->rq, WEFT_TRIGGER_RECV, trigger);
}

int weft_trigger_cntr(struct weft_cntr *target, bool add_to, uint64_t value,
		      const struct weft_trigger *trigger)
{
	struct weft_ioc_trigger_add arg = {
		.op = add_to ? WEFT_TRIGGER_ADD : WEFT_TRIGGER_SET, .object = target->handle,
		.value = value,
	};

	return add(target->ctx, trigger, &arg);
}

int weft_trigger_end(struct weft_ctx *ctx, const struct weft_triggers *triggers)
{
	struct weft_ioc_trigger_end arg = {
		.size = sizeof(arg),
		.flags = triggers->flags,
		.zone = triggers->zone,
		.cntr = handle_of(triggers->cntr),
		.object = triggers->ep ? triggers->ep->handle : WEFT_HANDLE_NONE,
		.id = triggers->id,
	};

	return lw_ioctl(ctx->fd, WEFT_IOC_TRIGGER_END, &arg);
}

int weft_cntr_change(struct weft_cntr *cntr, uint64_t value, uint32_t flags)
{
	struct weft_ioc_cntr_change arg = {
		.size = sizeof(arg), .flags = flags, .value = value,
	};

	return lw_ioctl(cntr->fd, WEFT_IOC_CNTR_CHANGE, &arg);
}
