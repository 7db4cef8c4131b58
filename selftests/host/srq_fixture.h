/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A shared receive queue with four endpoints, and one endpoint that sends to them. All are on one
 * node or on two, also with memory that is not resident. test_srq.c and test_srq_conn.c use this
 * fixture.
 */
#ifndef SRQ_FIXTURE_H
#define SRQ_FIXTURE_H

#include "core/api/internal.h"
#include "lone.h"
#include "harness.h"

#define EPS	4
#define ROOM	256
#define BUFS	64
#define SEC	(10ull * NSEC_PER_SEC)

FIXTURE(srq)
{
	struct rig *rig;
	struct rig_proc *a, *b;
	struct rig_cq *ca, *cb;
	struct rig_eq *eq, *conn_eq, *peer_eq;
	struct rig_ep *from;
	struct rig_ep *to[EPS];
	struct rig_av *va;
	u32 dst[EPS];
	u16 first;
	struct rig_srq *srq;
	struct weft_srq_info info;
	struct weft_event ev;
	struct weft_cqe e;
	u8 *src, *buf;
};

FIXTURE_VARIANT(srq)
{
	u32 node;
	u32 cold;
};

FIXTURE_VARIANT_ADD(srq, remote) { .node = 1 };
FIXTURE_VARIANT_ADD(srq, local) { .node = 0 };
FIXTURE_VARIANT_ADD(srq, cold) { .node = 1, .cold = RIG_PPM / 2 };

FIXTURE_SETUP(srq)
{
	struct rig_av *va, *vb;
	struct rig_conf conf;
	u32 i;

	rig_conf_default(&conf, 5);
	conf.cold = variant->cold;
	self->rig = rig_new(&conf);
	self->a = rig_proc_new(&self->rig->node[0]);
	self->b = rig_proc_new(&self->rig->node[variant->node]);
	self->ca = rig_cq_new(self->a, 256);
	self->cb = rig_cq_new(self->b, 256);
	self->eq = rig_eq_new(self->b);
	self->conn_eq = rig_eq_new(self->b);
	self->peer_eq = rig_eq_new(self->a);
	self->srq = rig_srq_new(self->b, 64, 32, 0, self->eq);
	va = rig_av_new(self->a);
	self->va = va;
	vb = rig_av_new(self->b);
	self->from = rig_ep_new(self->a, WEFT_EP_RDM, 0, 128, 16, 1);
	for (i = 0; i < EPS; i++) {
		self->to[i] = rig_ep_new(self->b, WEFT_EP_RDM, WEFT_EPF_SRQ, 16, 0, 10 + i);
		self->dst[i] = rig_av_insert(va, variant->node, 10 + i, self->rig);
		if (weft_ep_share(self->to[i]->ep, self->srq->srq, vb->av) ||
		    rig_ep_enable(self->to[i], self->cb, self->cb, NULL, vb))
			abort();
	}
	self->first = (u16)self->to[0]->handle;
	if (rig_ep_enable(self->from, self->ca, self->ca, NULL, va))
		abort();
	self->src = rig_buf(self->a, 1 << 20);
	self->buf = rig_buf(self->b, 1 << 20);
	for (i = 0; i < 1 << 20; i++)
		self->src[i] = i * 31 + (i >> 8);
}

FIXTURE_TEARDOWN(srq)
{
	rig_free(self->rig);
}

static int send_to(struct rig_ep *ep, u32 dst, u8 *p, u32 len, u32 flags)
{
	struct rig_op op = { .flags = flags, .peer = dst, .n = len ? 1 : 0 };

	op.iov[0] = (struct weft_iov){ .addr = (uintptr_t)p, .len = len };
	return rig_send(ep, &op);
}

#define SEND(i, p, len) send_to(self->from, self->dst[i], p, len, 0)

static int post_at(struct rig_srq *srq, u8 *p, u32 len, u64 context)
{
	struct rig_op op = { .flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY, .context = context,
			     .n = len ? 1 : 0 };

	op.iov[0] = (struct weft_iov){ .addr = (uintptr_t)p, .len = len };
	return rig_srq_recv(srq, &op, NULL);
}

#define POST(k) post_at(self->srq, self->buf + (k) * ROOM, ROOM, k)

static bool has_completion(void *arg)
{
	struct rig_cq *cq = arg;

	return cq->status.tail != cq->head;
}

static bool completion(struct rig *rig, struct rig_cq *cq, struct weft_cqe *e)
{
	return rig_until(rig, has_completion, cq, SEC) && rig_cq_read(cq, e) == 1;
}

static bool has_event(void *arg)
{
	return weft_eq_ready(&((struct rig_eq *)arg)->eq);
}

/* Return: receives that are available. */
static u32 look(struct rig_srq *srq, struct weft_srq_info *info)
{
	rig_srq_look(srq, info);
	return info->available;
}

/* Take the next event. Return: its type, 0: none comes. */
static u32 event(struct rig *rig, struct rig_eq *eq, struct weft_event *ev)
{
	if (!rig_until(rig, has_event, eq, NSEC_PER_SEC) || !rig_eq_read(eq, ev, NULL))
		return 0;
	return ev->type;
}

#define COMPLETION()	completion(self->rig, self->cb, &self->e)
#define LOOK()		look(self->srq, &self->info)
#define SETTLE()	rig_run(self->rig, NSEC_PER_SEC)

/* Return: which of the endpoints a completion names. */
#define WHO()		(self->e.ep - self->first)

#endif
