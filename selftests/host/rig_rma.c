// SPDX-License-Identifier: GPL-2.0-only
/* One-sided operations of the rig's programs: what rig.h says. */
#include "rig.h"

int rig_region_end(struct rig_proc *proc, u64 key)
{
	struct rig_node *node = proc->node;
	struct weft_out *out = rig_out(node);
	int err = weft_region_end(&proc->domain, key, rig_clock(node), out);

	rig_leave(node, out);
	return err;
}

int rig_rma(struct rig_ep *ep, const struct rig_rma *op)
{
	u8 slots[WEFT_NSLOTS_MAX * WEFT_SLOT_SIZE] = { 0 };
	struct weft_sqe *e = (void *)slots;
	u32 n = rig_put_bytes(slots, op->flags, op->iov, op->n);

	e->op = op->write ? WEFT_SQ_WRITE : WEFT_SQ_READ;
	e->dst = op->peer;
	e->context = op->context;
	e->data = op->data;
	e->nrem = op->nrem;
	if (op->nrem == 1) {
		e->tag = op->rem[0].key;
		e->raddr = op->rem[0].addr;
	} else {
		memcpy(slots + n * WEFT_SLOT_SIZE, op->rem, op->nrem * sizeof(op->rem[0]));
		n += DIV_ROUND_UP(op->nrem, 2);
	}
	return rig_post_sq(ep, slots, n, false);
}
