// SPDX-License-Identifier: GPL-2.0-only
/* Random traffic over the rig: one-sided operations, as traffic_rma.h says. */
#include "traffic_check.h"
#include "traffic_rma.h"

#define KEY	77
#define BASE	0x5000	/* address of the region's first byte */

/* Return: the slot of @ep in the region of @p. */
static u8 *slot(const struct tr *tr, const struct tr_proc *p, const struct tr_ep *ep)
{
	return p->room + (size_t)(ep - tr->eps) * tr->conf.max_len;
}

void tr_rma_begin(struct tr *tr, struct tr_proc *p)
{
	struct weft_region_conf conf = { .key = KEY, .base = BASE, .n = 1,
					 .access = WEFT_REGION_READ | WEFT_REGION_WRITE };
	int err;

	conf.len = (u64)tr->neps * tr->conf.max_len;
	p->room = rig_buf(p->proc, conf.len);
	conf.seg[0] = (struct weft_iov){ (uintptr_t)p->room, conf.len };
	err = weft_region_new(&p->proc->domain, &conf);
	if (err && !tr->conf.trouble)
		tr_die(tr, "region: %d", err);
}

/* Name @len bytes of the slot, in one segment or in several. */
static void remote(struct tr *tr, struct rig_rma *op, u64 addr, u32 len)
{
	u32 i, n = !len ? 0 : rig_below(tr->rig, 3) ? 1 : 2 + rig_below(tr->rig, 3);

	op->nrem = n;
	for (i = 0; i < n; i++) {
		op->rem[i].key = KEY;
		op->rem[i].addr = addr;
		op->rem[i].len = i == n - 1 ? len : rig_below(tr->rig, len + 1);
		addr += op->rem[i].len;
		len -= op->rem[i].len;
	}
}

/*
 * Post a read or a write as an atomic operation on bytes, which has the same effect. Return: as
 * rig_atomic().
 */
static int post_atomic(struct tr *tr, struct tr_ep *ep, const struct rig_rma *op, u32 len)
{
	struct rig_atomic a = { .flags = op->flags, .peer = op->peer, .context = op->context,
				.len = len, .nrem = op->nrem };

	memcpy(a.rem, op->rem, sizeof(a.rem));
	if (op->write) {
		a.data = WEFT_ATOMIC_DATA(WEFT_AOP_WRITE, WEFT_ATYPE_UINT8, WEFT_ATOMIC_BASE, 0, 0);
		a.n = op->n;
		memcpy(a.iov, op->iov, sizeof(a.iov));
	} else {
		a.data = WEFT_ATOMIC_DATA(WEFT_AOP_READ, WEFT_ATYPE_UINT8, WEFT_ATOMIC_FETCH, 0, 0);
		a.nres = op->n;
		memcpy(a.res, op->iov, sizeof(a.res));
	}
	return rig_atomic(ep->ep, &a);
}

/*
 * Post a write from the ring as several ones in a row, all but the last of equal length. Return: as
 * rig_rma(); -E2BIG: there is no space for all of them.
 */
static int post_row(struct tr *tr, struct tr_ep *ep, struct rig_rma *op, u32 len)
{
	u32 piece = 1 + rig_below(tr->rig, min(len, 64u)), n = DIV_ROUND_UP(len, piece), i;
	u64 addr = op->rem[0].addr;
	int err = 0;

	if (op->n != 1 || op->nrem != 1 ||
	    2 * n > ep->ep->sq_slots - (ep->ep->sq_tail - READ_ONCE(ep->ep->status.sq_head)))
		return -E2BIG;
	for (i = 0; i < n && !err; i++) {
		op->rem[0].addr = addr + i * piece;
		op->rem[0].len = min(piece, len - i * piece);
		op->iov[0].addr += i ? piece : 0;
		op->iov[0].len = op->rem[0].len;
		op->more = i + 1 < n && rig_below(tr->rig, 8);
		err = rig_rma(ep->ep, op);
		ep->rma_open += !err;
	}
	/* an endpoint in trouble may refuse the others */
	ep->rma_failed |= !!err;
	return i > 1 ? 0 : err;
}

void tr_rma_post(struct tr *tr, struct tr_ep *ep, struct tr_ep *dst, u32 peer)
{
	struct tr_msg *m = &ep->rma;
	struct rig_rma op = { .write = rig_below(tr->rig, 2), .peer = peer,
			      .flags = WEFT_SQ_COMPLETION, .context = ep - tr->eps };
	u64 at = BASE + (u64)(ep - tr->eps) * tr->conf.max_len;
	int err;

	m->id = 1 + rig_below(tr->rig, U32_MAX);
	m->len = tr_some_len(tr, tr->conf.max_len);
	if (!rig_below(tr->rig, 8))
		op.flags |= WEFT_SQ_TRANSMIT;
	m->inl = op.write && m->len <= min(WEFT_INLINE_MAX, 256) && rig_below(tr->rig, 2) &&
		 2 + DIV_ROUND_UP(m->len, WEFT_SLOT_SIZE) + 2 <= tr->conf.sq_slots;
	if (m->inl)
		op.flags |= WEFT_SQ_INLINE;
	m->n = tr_segments(tr, ep->proc->proc, m->len, m->seg);
	if (op.write)
		tr_fill(m);
	op.n = m->n;
	memcpy(op.iov, m->seg, sizeof(op.iov));
	remote(tr, &op, at, m->len);
	ep->rma_open = 0;
	err = m->inl && m->len && rig_below(tr->rig, 2) ? post_row(tr, ep, &op, m->len) : -E2BIG;
	if (err == -E2BIG) {
		ep->rma_open = 1;
		if (m->len && m->len <= WEFT_ATOMIC_MAX_COUNT && !rig_below(tr->rig, 3))
			err = post_atomic(tr, ep, &op, m->len);
		else
			err = rig_rma(ep->ep, &op);
	}
	if (err && err != -EAGAIN && !(err == -EIO && tr->conf.trouble))
		tr_die(tr, "one-sided operation: %d", err);
	if (err || m->inl)
		tr_drop_buffers(ep->proc->proc, m->seg, &m->n);
	if (err)
		return;
	if (dst->proc->proc && m->len < tr->conf.max_len)
		ep->rma_next = slot(tr, dst->proc, ep)[m->len];
	m->dst = dst;
	m->tagged = op.write;
	m->posted = 1;
	m->done = false;
	ep->rma_target = dst->proc->proc;
	ep->rma_left--;
	ep->open_tx++;
}

/* A read has returned the bytes of the slot. */
static void check_read(struct tr *tr, const struct tr_msg *m, const u8 *at)
{
	u32 i, off = 0;

	for (i = 0; i < m->n; off += m->seg[i++].len)
		if (memcmp((u8 *)(uintptr_t)m->seg[i].addr, at + off, m->seg[i].len))
			tr_die(tr, "a read of %u bytes differs in segment %u", m->len, i);
}

/* A write is in the slot, and the bytes behind it are as they were. */
static void check_write(struct tr *tr, const struct tr_ep *ep, const u8 *at)
{
	const struct tr_msg *m = &ep->rma;
	struct tr_msg is = { .id = m->id, .n = 1 };
	long off;

	is.seg[0] = (struct weft_iov){ (uintptr_t)at, m->len };
	off = tr_differs(&is);
	if (off >= 0)
		tr_die(tr, "a write of %u bytes differs at %ld", m->len, off);
	if (m->len < tr->conf.max_len && at[m->len] != ep->rma_next)
		tr_die(tr, "a write of %u bytes reaches beyond its end", m->len);
}

void tr_rma_done(struct tr *tr, struct rig_cq *cq, const struct weft_cqe *e)
{
	struct tr_ep *ep = &tr->eps[e->context];
	struct tr_msg *m = &ep->rma;
	struct tr_proc *p;

	if (e->context >= tr->neps || m->done || !m->posted || !ep->handle || ep->tx != cq ||
	    e->ep != (ep->handle & 0xffff) || !!(e->flags & WEFT_CQE_WRITE) != m->tagged)
		tr_die(tr, "completion of an operation: context %llu, flags %x",
		       (unsigned long long)e->context, e->flags);
	if (e->status && !tr->conf.trouble)
		tr_die(tr, "a one-sided operation of %u bytes fails: %u", m->len, e->status);
	if (!e->status && (m->inl ? e->len > m->len : e->len != m->len))
		tr_die(tr, "a one-sided operation of %u bytes: length %llu", m->len,
		       (unsigned long long)e->len);
	/* an operation that has failed may be executed later */
	ep->rma_failed |= !!e->status;
	if (--ep->rma_open)
		return;
	m->done = true;
	ep->open_tx--;
	p = m->dst->proc;
	/* its process may not have been there, and may have begun and ended since then */
	if (!ep->rma_failed && ep->rma_target && p->proc == ep->rma_target) {
		if (m->tagged)
			check_write(tr, ep, slot(tr, p, ep));
		else
			check_read(tr, m, slot(tr, p, ep));
	}
	tr->operations += !e->status;
	tr_drop_buffers(ep->proc->proc, m->seg, &m->n);
}
