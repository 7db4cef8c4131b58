// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rig: shared receive queues, used as libweft uses them. Each process is used by one thread.
 */
#include "rig.h"

int weft_env_region(void *ctx, u32 key, u32 zone, const struct weft_iov *seg)
{
	struct rig_proc *proc = ctx;
	const struct rig_key *k;

	if (proc->asked)
		proc->asked(proc);
	if (!key || key > RIG_KEYS)
		return -EACCES;
	k = &proc->keys[key - 1];
	if (k->zone != zone || seg->addr < k->seg.addr || seg->len > k->seg.len ||
	    seg->addr - k->seg.addr > k->seg.len - seg->len)
		return -EACCES;
	return 0;
}

struct rig_srq *rig_srq_new(struct rig_proc *proc, u32 slots, u32 recvs, u32 zone,
			    struct rig_eq *eq)
{
	struct rig_srq *srq = calloc(1, sizeof(*srq));
	struct weft_srq_conf conf = {
		.zone = zone, .recvs = recvs, .rq_slots = slots, .ctx = proc
	};

	srq->proc = proc;
	srq->handle = proc->next_handle++;
	srq->rq_slots = slots;
	srq->rq = calloc(slots, sizeof(*srq->rq));
	conf.handle = srq->handle;
	conf.rq = srq->rq;
	conf.doorbell = &srq->doorbell;
	conf.status = &srq->status;
	conf.eq = eq ? &eq->eq : NULL;
	srq->srq = weft_srq_new(&proc->node->core, &conf);
	if (IS_ERR(srq->srq)) {
		free(srq->rq);
		free(srq);
		return NULL;
	}
	srq->next = proc->srqs;
	proc->srqs = srq;
	return srq;
}

void rig_srq_free(struct rig_srq *srq)
{
	struct rig_srq **at = &srq->proc->srqs;

	weft_srq_kill(srq->srq);
	weft_srq_put(srq->srq);
	weft_host_balanced(__FILE__, __LINE__);
	while (*at != srq)
		at = &(*at)->next;
	*at = srq->next;
	free(srq->rq);
	free(srq);
}

static void ring(struct rig_srq *srq)
{
	struct rig_node *node = srq->proc->node;
	struct weft_out *out;

	/* barrier A: write the slots before the doorbell */
	smp_store_release(&srq->doorbell.rq_tail, srq->rq_tail);
	/* barrier E: store the doorbell before the flags are read */
	smp_mb();
	if (!(READ_ONCE(srq->status.flags) & WEFT_ST_RQ_NOTIFY))
		return;
	out = rig_out(node);
	weft_srq_notify(srq->srq, rig_clock(node), out);
	rig_leave(node, out);
}

void rig_srq_put(struct rig_srq *srq, const void *slots, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		memcpy(&srq->rq[srq->rq_tail++ & (srq->rq_slots - 1)],
		       (const u8 *)slots + i * WEFT_SLOT_SIZE, WEFT_SLOT_SIZE);
	ring(srq);
}

int rig_srq_recv(struct rig_srq *srq, const struct rig_op *op, const u32 *keys)
{
	u8 slots[WEFT_NSLOTS_MAX * WEFT_SLOT_SIZE] = { 0 };
	struct weft_rqe *e = (void *)slots;
	u32 i;

	e->op = op->tagged ? WEFT_RQ_TRECV : keys ? WEFT_RQ_REGION : WEFT_RQ_RECV;
	e->nslots = op->n > 1 ? 1 + DIV_ROUND_UP(op->n, 4) : 1;
	e->flags = op->flags;
	e->src = op->peer;
	e->context = op->context;
	for (i = 0; i < op->n; i++)
		e->len += op->iov[i].len;
	e->tag = op->tag;
	e->ignore = op->ignore;
	if (keys) {
		e->tag = keys[0] | (u64)keys[1] << 32;
		e->ignore = keys[2] | (u64)keys[3] << 32;
	}
	e->niov = op->n;
	if (op->n == 1)
		e->addr = op->iov[0].addr;
	else
		memcpy(slots + WEFT_SLOT_SIZE, op->iov, op->n * sizeof(op->iov[0]));
	if (READ_ONCE(srq->status.flags) & WEFT_ST_ERROR)
		return -EIO;
	/* barrier B: slots may be used again */
	if (srq->rq_tail + e->nslots - smp_load_acquire(&srq->status.rq_head) > srq->rq_slots) {
		ring(srq);
		return -EAGAIN;
	}
	rig_srq_put(srq, slots, e->nslots);
	return 0;
}

int rig_srq_arm(struct rig_srq *srq, u32 low)
{
	struct rig_node *node = srq->proc->node;
	struct weft_out *out = rig_out(node);
	int r = weft_srq_arm(srq->srq, low, rig_clock(node), out);

	rig_leave(node, out);
	return r;
}

int rig_srq_cancel(struct rig_srq *srq, struct rig_cq *cq, u64 context)
{
	struct rig_node *node = srq->proc->node;
	struct weft_out *out = rig_out(node);
	int r;

	out->now = rig_clock(node);
	r = weft_srq_cancel(srq->srq, &cq->cq, context, out);
	rig_leave(node, out);
	return r;
}

int rig_srq_resize(struct rig_srq *srq, u32 slots, u32 recvs)
{
	struct weft_rqe *rq = calloc(slots, sizeof(*rq));
	struct rig_node *node = srq->proc->node;
	struct weft_out *out = rig_out(node);
	int r;

	out->now = rig_clock(node);
	r = weft_srq_resize(srq->srq, rq, slots, recvs, out);
	rig_leave(node, out);

	if (r) {
		free(rq);
		return r;
	}
	free(srq->rq);
	srq->rq = rq;
	srq->rq_slots = slots;
	return 0;
}

void rig_srq_look(struct rig_srq *srq, struct weft_srq_info *info)
{
	struct rig_node *node = srq->proc->node;
	struct weft_out *out = rig_out(node);

	weft_srq_look(srq->srq, rig_clock(node), out, info);
	rig_leave(node, out);
}
