// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - triggers as objects: memory, references, the lists of fired ones
 *
 * trigger.h has the states. Locks: each function names the locks that its caller holds.
 */
#include "core/object/object.h"

/**
 * weft_trigger_free - free a trigger that is in no list
 * @t: the trigger
 *
 * Context: any; the caller has a reference on its endpoint if it holds that endpoint's lock.
 */
void weft_trigger_free(struct weft_trigger *t)
{
	if (t->cntr)
		weft_cq_put(t->cntr);
	if (t->done)
		weft_cq_put(t->done);
	if (t->target)
		weft_cq_put(t->target);
	if (t->ep)
		weft_ep_put(t->ep);
	weft_free(t);
}

/**
 * weft_trigger_out - take a fired trigger off its endpoint's list
 * @ep: the endpoint, locked; it does not count the trigger any more
 * @t: the trigger
 */
void weft_trigger_out(struct weft_ep *ep, struct weft_trigger *t)
{
	weft_assert_held(&ep->lock);
	weft_list_del(&t->node);
	--*weft_trigger_number(ep, t);
}

/**
 * weft_trigger_back - put a trigger that was taken off back to its place, the first one
 * @ep: the endpoint, locked
 * @t: the trigger, of a send
 */
void weft_trigger_back(struct weft_ep *ep, struct weft_trigger *t)
{
	weft_assert_held(&ep->lock);
	weft_list_add(&ep->tx.fired, &t->node);
	++*weft_trigger_number(ep, t);
}

/**
 * weft_trigger_ring - have a ring contain the entry of a trigger, and nothing else
 * @r: the ring
 * @t: the trigger
 */
void weft_trigger_ring(struct weft_ring *r, const struct weft_trigger *t)
{
	r->slots = t->slots;
	r->size = roundup_pow_of_two(t->nslots);
	r->cons = 0;
	r->prod = t->nslots;
}

/**
 * weft_trigger_unring - have a ring contain again what it did before weft_trigger_ring()
 * @r: the ring
 * @was: its former content
 *
 * Other fields have not changed: code without the ring's lock may read them.
 */
void weft_trigger_unring(struct weft_ring *r, const struct weft_ring *was)
{
	r->slots = was->slots;
	r->size = was->size;
	r->cons = was->cons;
	r->prod = was->prod;
}

/**
 * weft_ep_drop_fired - free the fired triggers of an endpoint
 * @ep: the endpoint, dead; not locked
 */
void weft_ep_drop_fired(struct weft_ep *ep)
{
	struct weft_list *lists[2] = { &ep->tx.fired, &ep->rx.fired };
	struct weft_trigger *t;
	struct weft_list *l;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(lists); i++)
		do {
			weft_lock(&ep->lock);
			l = weft_list_first(lists[i]);
			t = l ? weft_entry(l, struct weft_trigger, node) : NULL;
			if (t)
				weft_trigger_out(ep, t);
			weft_unlock(&ep->lock);
			if (t)
				weft_trigger_free(t);
		} while (t);
}
