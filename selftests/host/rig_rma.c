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
	u32 i, n = 1, at = WEFT_SLOT_SIZE;

	e->op = op->write ? WEFT_SQ_WRITE : WEFT_SQ_READ;
	e->flags = op->flags;
	e->dst = op->peer;
	e->context = op->context;
	e->data = op->data;
	e->nrem = op->nrem;
	for (i = 0; i < op->n; i++)
		e->len += op->iov[i].len;
	if (op->flags & WEFT_SQ_INLINE) {
		for (i = 0; i < op->n; at += op->iov[i++].len)
			memcpy(slots + at, (void *)(uintptr_t)op->iov[i].addr, op->iov[i].len);
		n = DIV_ROUND_UP(at, WEFT_SLOT_SIZE);
	} else {
		e->niov = op->n;
		e->addr = op->n == 1 ? op->iov[0].addr : 0;
		if (op->n > 1) {
			memcpy(slots + at, op->iov, op->n * sizeof(op->iov[0]));
			n += DIV_ROUND_UP(op->n, 4);
		}
	}
	if (op->nrem == 1) {
		e->tag = op->rem[0].key;
		e->raddr = op->rem[0].addr;
	} else {
		memcpy(slots + n * WEFT_SLOT_SIZE, op->rem, op->nrem * sizeof(op->rem[0]));
		n += DIV_ROUND_UP(op->nrem, 2);
	}
	e->nslots = n;
	if (READ_ONCE(ep->status.flags) & WEFT_ST_ERROR)
		return -EIO;
	/* barrier B: slots may be used again */
	if (ep->sq_tail + n - smp_load_acquire(&ep->status.sq_head) > ep->sq_slots) {
		rig_ring_sq(ep);
		return -EAGAIN;
	}
	rig_put_sq(ep, slots, n);
	rig_ring_sq(ep);
	return 0;
}
