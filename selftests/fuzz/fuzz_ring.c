// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzzing: memory that a program shares with the kernel: slots of send, receive and shared receive
 * rings, doorbells, consumer indices; and calls in between
 *
 * The input is steps: a byte for the kind, and the bytes that the step needs.
 */
#include "fuzz.h"
#include "victim.h"

#define SLOTS	64

/**
 * struct input - bytes that are left
 * @p: bytes
 * @n: how many
 */
struct input {
	const u8 *p;
	size_t n;
};

static u32 number(struct input *in, u32 bytes)
{
	u32 x = 0;

	for (; bytes && in->n; bytes--, in->n--)
		x = x << 8 | *in->p++;
	return x;
}

static void slot(struct input *in, u8 *s, const u8 *mem)
{
	u32 k = min_t(size_t, in->n, WEFT_SLOT_SIZE);
	u64 addr = (uintptr_t)mem;
	u32 how = number(in, 1);

	memset(s, 0, WEFT_SLOT_SIZE);
	k = min_t(size_t, k, in->n);
	k = min_t(u32, k, how & 0x3f);
	memcpy(s, in->p, k);
	in->p += k;
	in->n -= k;
	/* a valid address */
	if (how & 0x40)
		memcpy(s + offsetof(struct weft_sqe, addr), &addr, 8);
}

static void step(struct input *in, struct victim *v, struct rig_srq *srq, struct rig_ep *sep)
{
	u8 s[WEFT_SLOT_SIZE];
	struct weft_cqe e;
	struct weft_event ev;
	u32 n;

	switch (number(in, 1) % 14) {
	case 0:
	case 1:
		slot(in, s, v->buf);
		rig_put_sq(v->ep, s, 1);
		break;
	case 2:
	case 3:
		slot(in, s, v->buf);
		rig_put_rq(v->ep, s, 1);
		break;
	case 4:
		slot(in, s, v->buf);
		rig_srq_put(srq, s, 1);
		break;
	case 5:
		rig_ring_sq(v->ep);
		break;
	case 6:
		rig_ring_rq(v->ep);
		rig_notify(v->ep, WEFT_NOTIFY_RQ);
		break;
	case 7:
		WRITE_ONCE(v->ep->doorbell.sq_tail, number(in, 4));
		rig_notify(v->ep, WEFT_NOTIFY_SQ);
		break;
	case 8:
		WRITE_ONCE(v->ep->doorbell.rq_tail, number(in, 4));
		rig_notify(v->ep, number(in, 1));
		break;
	case 9:
		n = number(in, 1) % 16;
		while (n-- && rig_cq_read(v->cq, &e) > 0)
			;
		break;
	case 10:
		rig_cancel(v->ep, number(in, 1));
		break;
	case 11:
		rig_srq_arm(srq, number(in, 1));
		weft_ep_marks(sep->ep, number(in, 1), number(in, 1), v->rig->now,
			      &v->rig->node[0].out);
		weft_flush(&v->rig->node[0].out);
		break;
	case 12:
		while (rig_eq_read(v->eq, &ev, NULL))
			;
		break;
	default:
		rig_step(v->rig, v->rig->now + number(in, 2) * NSEC_PER_USEC);
		break;
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	struct input in = { .p = data, .n = len };
	struct rig_srq *srq;
	struct rig_ep *sep;
	struct victim v;
	u32 n;

	victim_init(&v, 1, NULL, 0);
	srq = rig_srq_new(v.proc, SLOTS, SLOTS, 0, v.eq);
	sep = rig_ep_new(v.proc, WEFT_EP_RDM, WEFT_EPF_SRQ, SLOTS, 0, VICTIM_SVC + 2);
	if (!srq || !sep || weft_ep_share(sep->ep, srq->srq, v.proc->avs->av) ||
	    rig_ep_enable(sep, v.cq, v.cq, NULL, v.proc->avs))
		abort();
	for (n = 0; in.n && n < 500; n++)
		step(&in, &v, srq, sep);
	victim_fini(&v);
	return 0;
}
