// SPDX-License-Identifier: GPL-2.0-only
/* What two.h says. */
#include "two.h"

void two_init(struct two *t, u32 dst, u32 cq_slots, u32 cold)
{
	two_init_type(t, WEFT_EP_RDM, 0, dst, cq_slots, cold);
}

void two_init_type(struct two *t, u32 type, u32 flags, u32 dst, u32 cq_slots, u32 cold)
{
	struct rig_conf conf;
	struct rig_av *vb;
	u32 i;

	rig_conf_default(&conf, 11);
	conf.nodes = 2;
	conf.cold = cold;
	t->rig = rig_new(&conf);
	t->a = rig_proc_new(&t->rig->node[0]);
	t->b = rig_proc_new(&t->rig->node[dst]);
	t->ca = rig_cq_new(t->a, TWO_CQ);
	t->cb = rig_cq_new(t->b, cq_slots);
	t->va = rig_av_new(t->a);
	vb = rig_av_new(t->b);
	t->ea = rig_ep_new(t->a, type, flags, 1024, 256, 1);
	t->eb = rig_ep_new(t->b, type, 0, TWO_SLOTS, TWO_SLOTS, 2);
	t->to = (u32)rig_av_insert(t->va, dst, 2, t->rig);
	if (rig_ep_enable(t->ea, t->ca, t->ca, NULL, t->va) ||
	    rig_ep_enable(t->eb, t->cb, t->cb, NULL, vb) || rig_av_insert(vb, 0, 1, t->rig))
		abort();
	t->buf = rig_buf(t->a, TWO_LONG);
	t->room = rig_buf(t->b, TWO_ROOM);
	for (i = 0; i < TWO_LONG; i++)
		t->buf[i] = (u8)(i * 13 + i / 256);
	memset(t->room, 0xee, TWO_ROOM);
}

void two_slow(struct two *t)
{
	t->rig->conf.making = 100 * NSEC_PER_USEC;
	t->a->mc->cold = RIG_PPM;
	t->b->mc->cold = RIG_PPM;
	t->rig->node[0].core.conf.window_bytes = 16 << 10;
	t->rig->node[1].core.conf.window_bytes = 16 << 10;
}

void two_version(struct rig_node *node, u32 from, const void *data, u32 len)
{
	struct weft_w_version w, re = { .vt = TWO_VERSION << 4 | WEFT_PKT_VERSION,
					.oldest = TWO_VERSION, .newest = TWO_VERSION + 1 };

	if (len < sizeof(w))
		abort();
	memcpy(&w, data, sizeof(w));
	re.token = w.token;
	if ((w.vt & 15) != WEFT_PKT_VERSION)
		rig_carry(node, from, &re, sizeof(re));
}

void two_entry(struct two *t, const struct weft_rqe *e)
{
	rig_put_rq(t->eb, e, 1);
	rig_ring_rq(t->eb);
	rig_notify(t->eb, WEFT_NOTIFY_RQ);
}

int two_put(struct two *t, const void *p, u32 len, u64 context, u32 flags)
{
	struct rig_op op = { .flags = WEFT_SQ_COMPLETION | flags, .peer = t->to,
			     .context = context, .n = 1 };

	op.iov[0] = (struct weft_iov){ (u64)(uintptr_t)p, len };
	return rig_send(t->ea, &op);
}

int two_get(struct two *t, const void *p, u32 len, u64 context)
{
	struct rig_op op = { .flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY,
			     .context = context, .n = 1 };

	op.iov[0] = (struct weft_iov){ (u64)(uintptr_t)p, len };
	return rig_recv(t->eb, &op);
}

int two_post(struct two *t, bool tagged, u64 context, u64 tag, u64 ignore, u32 len, u32 flags)
{
	struct rig_op op = {
		.tagged = tagged,
		.flags = flags,
		.peer = WEFT_SRC_ANY,
		.context = context,
		.tag = tag,
		.ignore = ignore,
		.n = 1,
		.iov = { { (u64)(uintptr_t)t->room, len } },
	};

	return rig_recv(t->eb, &op);
}

int two_send(struct two *t, bool tagged, u64 tag, u32 from, u32 len, u32 flags)
{
	bool inl = len && len <= WEFT_INLINE_MAX && !(flags & TWO_APART);
	struct rig_op op = {
		.tagged = tagged,
		.flags = (flags & ~TWO_APART) | (inl ? WEFT_SQ_INLINE : 0),
		.peer = t->to,
		.context = 77,
		.tag = tag,
		.data = flags & WEFT_SQ_DATA ? 0xdada : 0,
		.n = len ? 1 : 0,
		.iov = { { (u64)(uintptr_t)(t->buf + from), len } },
	};

	return rig_send(t->ea, &op);
}

int two_status(struct two *t, struct rig_cq *cq, u64 context, weft_ns wait)
{
	struct weft_cqe e;

	rig_run(t->rig, wait);
	if (rig_cq_read(cq, &e) != 1)
		return -1;
	return e.context == context ? e.status : -2;
}
