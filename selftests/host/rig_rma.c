// SPDX-License-Identifier: GPL-2.0-only
/* One-sided operations of the rig's programs: what rig.h says. */
#include "rig.h"

int rig_region_end(struct rig_proc *proc, u64 key)
{
	struct rig_node *node = proc->node;
	struct weft_out *out = rig_out(node);
	int err = weft_region_end(&proc->domain, 0, key, rig_clock(node), out);

	rig_leave(node, out);
	return err;
}

/* Put the remote segments behind the first @n slots of an entry. Return: slots in all. */
static u32 remote(u8 *slots, u32 n, const struct weft_rma_iov *rem, u32 nrem)
{
	struct weft_sqe *e = (void *)slots;

	e->nrem = nrem;
	if (nrem == 1) {
		e->tag = rem[0].key;
		e->raddr = rem[0].addr;
		return n;
	}
	memcpy(slots + n * WEFT_SLOT_SIZE, rem, nrem * sizeof(*rem));
	return n + DIV_ROUND_UP(nrem, 2);
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
	n = remote(slots, n, op->rem, op->nrem);
	return rig_post_sq(ep, slots, n, op->more);
}

/* Append segments from a new slot on. Return: slots in all. */
static u32 segments(u8 *slots, u32 n, const struct weft_iov *iov, u32 count)
{
	memcpy(slots + n * WEFT_SLOT_SIZE, iov, count * sizeof(*iov));
	return n + DIV_ROUND_UP(count, 4);
}

int rig_atomic(struct rig_ep *ep, const struct rig_atomic *op)
{
	u8 slots[WEFT_NSLOTS_MAX * WEFT_SLOT_SIZE] = { 0 };
	struct weft_sqe *e = (void *)slots;
	u32 n = rig_put_bytes(slots, op->flags, op->iov, op->n);

	e->op = WEFT_SQ_ATOMIC;
	e->dst = op->peer;
	e->context = op->context;
	e->len = op->len;
	e->data = op->data | WEFT_ATOMIC_DATA(0, 0, 0, op->ncmp, op->nres);
	n = segments(slots, n, op->cmp, op->ncmp);
	n = segments(slots, n, op->res, op->nres);
	n = remote(slots, n, op->rem, op->nrem);
	return rig_post_sq(ep, slots, n, false);
}
