// SPDX-License-Identifier: GPL-2.0-only
/*
 * The initiator and the target of one-sided operations: pair.h
 */
#include "pair.h"

void pair_conf(struct rig_conf *conf, u32 cold, u32 loss)
{
	rig_conf_default(conf, 7);
	conf->nodes = 2;
	conf->cold = cold;
	conf->bounce = cold / 4;
	conf->loss = loss;
	conf->dup = loss;
	conf->late = loss;
}

int pair_expose(struct pair *p, u64 key, u64 base, u8 *at, u64 len, u32 access)
{
	struct weft_region_conf conf = { .key = key, .base = base, .len = len, .access = access,
					 .n = 1, .seg = { { (uintptr_t)at, len } } };

	return weft_region_new(&p->b->domain, &conf);
}

void pair_make(struct pair *p, struct rig_conf *conf, u32 dst, u32 flags)
{
	u32 i;

	p->rig = rig_new(conf);
	p->a = rig_proc_new(&p->rig->node[0]);
	p->b = rig_proc_new(&p->rig->node[dst]);
	p->ca = rig_cq_new(p->a, 1024);
	p->cb = rig_cq_new(p->b, 64);
	p->va = rig_av_new(p->a);
	p->vb = rig_av_new(p->b);
	p->ea = rig_ep_new(p->a, WEFT_EP_RDM, WEFT_EPF_RMA | PAIR_ALL, 256, 64, 1);
	p->eb = rig_ep_new(p->b, WEFT_EP_RDM, WEFT_EPF_RMA | flags, 64, 64, 2);
	p->to = (u32)rig_av_insert(p->va, dst, 2, p->rig);
	if (rig_ep_enable(p->ea, p->ca, p->ca, NULL, p->va) ||
	    rig_ep_enable(p->eb, p->cb, p->cb, NULL, p->vb) || rig_av_insert(p->vb, 0, 1, p->rig))
		abort();
	p->buf = rig_buf(p->a, PAIR_ROOM);
	p->room = rig_buf(p->b, PAIR_ROOM);
	for (i = 0; i < PAIR_ROOM; i++) {
		p->buf[i] = pair_byte(i, 0);
		p->room[i] = pair_byte(i, 99);
	}
	if (pair_expose(p, PAIR_KEY, PAIR_BASE, p->room, PAIR_ROOM,
			WEFT_REGION_READ | WEFT_REGION_WRITE))
		abort();
}

u64 pair_spend(struct pair *p, struct rig_conf *conf)
{
	struct rig_op send = { .n = 1 };
	u32 i;

	conf->core.unexp_window = 65536;
	pair_make(p, conf, 1, PAIR_ALL);
	send.peer = p->to;
	send.iov[0] = (struct weft_iov){ (uintptr_t)p->buf, 1000 };
	for (i = 0; i < 150; i++)
		if (rig_send(p->ea, &send))
			abort();
	rig_run(p->rig, NSEC_PER_SEC);
	return rig_counter(&p->rig->node[0], WEFT_CNT_limit_unexp);
}

void pair_init(struct pair *p, u32 dst)
{
	struct rig_conf conf;

	rig_conf_default(&conf, 7);
	conf.nodes = 2;
	pair_make(p, &conf, dst, PAIR_ALL);
}

struct rig_rma pair_op(const struct pair *p, bool write, u64 off, u64 len, u64 context)
{
	struct rig_rma op = { .write = write, .flags = WEFT_SQ_COMPLETION, .peer = p->to,
			      .context = context, .n = 1, .nrem = 1 };

	op.iov[0] = (struct weft_iov){ (uintptr_t)p->buf + off, len };
	op.rem[0] = (struct weft_rma_iov){ .addr = PAIR_BASE + off, .len = len, .key = PAIR_KEY };
	return op;
}

void pair_end(struct pair *p, enum pair_ends what)
{
	switch (what) {
	case PAIR_TARGET_EP:
		rig_ep_free(p->eb);
		break;
	case PAIR_TARGET:
		rig_proc_end(p->b, true);
		break;
	case PAIR_REGION:
		if (rig_region_end(p->b, PAIR_KEY))
			abort();
		break;
	case PAIR_INITIATOR_EP:
		rig_ep_free(p->ea);
		break;
	case PAIR_INITIATOR:
		rig_proc_end(p->a, true);
		break;
	case PAIR_TARGET_NODE:
		rig_crash(p->b->node);
		break;
	case PAIR_CABLE:
		rig_cut(p->rig, 0, p->b->node->index, true);
		break;
	case PAIR_NOTHING:
		break;
	}
}

int pair_status(struct pair *p, u64 context)
{
	struct weft_cqe e;
	u32 i;

	for (i = 0; i < 400; i++) {
		if (rig_cq_read(p->ca, &e) == 1)
			return e.context == context ? e.status : -2;
		rig_run(p->rig, 50 * NSEC_PER_MSEC);
	}
	return -1;
}
