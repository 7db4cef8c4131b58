// SPDX-License-Identifier: GPL-2.0-only
/* Triggers of the rig's programs: what rig.h says. */
#include "rig.h"

int rig_trigger(struct rig_proc *proc, const struct weft_trigger_conf *conf, const void *slots)
{
	struct weft_trigger *t = weft_trigger_new(proc->mc, conf);
	struct rig_node *node = proc->node;
	struct weft_out *out;
	int err;

	if (!t)
		return -ENOMEM;
	if (conf->nslots)
		memcpy(t->slots, slots, conf->nslots * WEFT_SLOT_SIZE);
	out = rig_out(node);
	err = weft_trigger_add(&proc->triggers, t, rig_clock(node), out);
	if (err)
		weft_trigger_free(t);
	rig_leave(node, out);
	return err;
}

int rig_trigger_post(struct rig_ep *ep, u32 op, const void *slots, u32 n)
{
	struct weft_trigger_conf conf = *ep->trigger;

	conf.ep = ep->ep;
	conf.op = op;
	conf.nslots = n;
	return rig_trigger(ep->proc, &conf, slots);
}

int rig_when(struct rig_ep *ep, const struct weft_trigger_conf *when,
	     int (*post)(struct rig_ep *ep, const struct rig_op *op), const struct rig_op *op)
{
	int err;

	ep->trigger = when;
	err = post(ep, op);
	ep->trigger = NULL;
	return err;
}

int rig_triggers_end(struct rig_proc *proc, const struct weft_trigger_choice *choice)
{
	struct weft_out *out = rig_out(proc->node);
	int err = weft_triggers_end(&proc->triggers, choice, rig_clock(proc->node), out);

	rig_leave(proc->node, out);
	return err;
}

void rig_cntr_change(struct rig_proc *proc, struct rig_cq *cntr, u64 value, u32 flags)
{
	struct weft_out *out = rig_out(proc->node);

	out->now = rig_clock(proc->node);
	weft_cntr_change(&cntr->cq, value, flags, out);
	rig_leave(proc->node, out);
}
