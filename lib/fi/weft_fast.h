/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * weft_fast.h - fast path of the most frequent calls
 *
 * It covers a send, a read or a write of one segment, an atomic operation on one element, and one
 * receive. The endpoint's half is "fast" (weft_fi_half_on()): none of the special cases of
 * weft_post.h apply. A function writes the whole entry, or does nothing. In the first case the
 * caller posts the entry. In the other one weft_post.h executes the call, and explains errors.
 */
#ifndef WEFT_FAST_H
#define WEFT_FAST_H

#include "weft_post.h"

/* allowed flags of a send; a tagged receive ignores FI_MULTI_RECV */
#define WEFT_FI_FAST_SEND	(FI_INJECT | FI_INJECT_COMPLETE | FI_COMPLETION)
#define WEFT_FI_FAST_RECV	FI_COMPLETION

/* Return: true if an entry with FI_MORE may be deferred: as weft_fi_more(), if the thread runs. */
WEFT_INLINED bool weft_fi_fast_more(const struct weft_fi_half *half)
{
	return half->cq && half->held + 1 < WEFT_FI_MORE_MAX &&
	       atomic_load_explicit(&half->ep->cm.port->late.up, memory_order_relaxed);
}

/*
 * Return: slots of a send of @len bytes, not 0; more than one: the ring takes the payload. 0:
 * weft_post.h has to write it, or to refuse it.
 */
WEFT_INLINED uint32_t weft_fi_fast_slots(const struct weft_fi_ep *ep, const struct lw_queue *q,
					 size_t len, uint64_t flags)
{
	uint32_t n, at = (q->tail + 1) & (q->size - 1);

	if (weft_likely(len <= WEFT_SLOT_SIZE))
		return 2;
	if (len <= WEFT_FI_INLINE) {
		n = (len + WEFT_SLOT_SIZE - 1) / WEFT_SLOT_SIZE;
		/* the payload does not wrap */
		return weft_likely(len <= ep->inject && at + n <= q->size) ? n + 1 : 0;
	}
	return weft_likely(!(flags & FI_INJECT) && len <= ep->max_msg) ? 1 : 0;
}

/* Copy 65 to WEFT_FI_INLINE bytes without a call, in two or four blocks that overlap. */
WEFT_INLINED void weft_fi_fast_blocks(unsigned char *to, const unsigned char *from, size_t len)
{
	size_t last = len - WEFT_SLOT_SIZE;

	_Static_assert(WEFT_FI_INLINE == 4 * WEFT_SLOT_SIZE, "more bytes need more blocks");
	lw_copy_few(to, from, WEFT_SLOT_SIZE);
	if (len > 2 * WEFT_SLOT_SIZE) {
		lw_copy_few(to + WEFT_SLOT_SIZE, from + WEFT_SLOT_SIZE, WEFT_SLOT_SIZE);
		lw_copy_few(to + last - WEFT_SLOT_SIZE, from + last - WEFT_SLOT_SIZE,
			    WEFT_SLOT_SIZE);
	}
	lw_copy_few(to + last, from + last, WEFT_SLOT_SIZE);
}

/* Return: true if an entry to @to with flags @flags may be posted. */
WEFT_INLINED bool weft_fi_fast_may(const struct weft_fi_ep *ep, fi_addr_t to, uint64_t flags)
{
	if (weft_unlikely(!ep->tx.fast || flags & ~(WEFT_FI_FAST_SEND | FI_MORE)))
		return false;
	if (!weft_fi_av_has(ep->av, to))
		return false;
	return !(flags & FI_MORE) || weft_likely(weft_fi_fast_more(&ep->tx));
}

/* Return: true if the ring has space for @nslots slots. */
WEFT_INLINED bool weft_fi_fast_space(const struct lw_queue *q, uint32_t nslots)
{
	return weft_likely(nslots && q->tail + nslots - q->head <= q->size &&
			   !(lw_load(q->flags) & WEFT_ST_ERROR));
}

/* Return: the flags of an entry, without WEFT_SQ_INLINE. */
WEFT_INLINED uint16_t weft_fi_fast_bits(const struct weft_fi_ep *ep, uint64_t flags,
					bool silent)
{
	return (!silent && (!ep->tx.selective || flags & FI_COMPLETION) ? WEFT_SQ_COMPLETION : 0) |
	       (flags & FI_MORE ? WEFT_SQ_MORE : 0);
}

/*
 * An entry of @len bytes was written into @nslots slots at the tail: post it, as weft_fi_posted(),
 * or as one of a run. Each call is the last step, so that the frequent case saves no registers.
 * Return: 0.
 */
WEFT_INLINED ssize_t weft_fi_fast_post(struct weft_fi_ep *ep, uint32_t nslots, size_t len,
				       bool more)
{
	struct lw_queue *q = &ep->cm.ep->sq;

	q->tail += nslots;
	if (weft_unlikely(more | ep->tx.held))
		return weft_fi_posted_held(&ep->tx, q, more);
	if (weft_unlikely(weft_fi_run_same(&ep->run)))
		return weft_fi_run_post(ep, len);
	return lw_flush(q);
}

/*
 * Write a send, or (@nrem 1) a read or a write at @raddr with the key @tag. @flags: of the
 * operation; @silent: no completion. Return: its slots, which the caller posts
 * (weft_fi_fast_post()); 0: not written.
 */
WEFT_INLINED uint32_t weft_fi_fast_entry(struct weft_fi_ep *ep, uint8_t op, const void *buf,
					 size_t len, fi_addr_t to, uint64_t tag, uint32_t nrem,
					 uint64_t raddr, void *context, uint64_t flags,
					 bool silent)
{
	uint32_t tail, nslots;
	struct weft_sqe *s;
	struct lw_queue *q;

	if (!len || !weft_fi_fast_may(ep, to, flags))
		return 0;
	q = &ep->cm.ep->sq;
	tail = q->tail;
	nslots = op == WEFT_SQ_READ ? len <= ep->max_msg :
		 weft_fi_fast_slots(ep, q, len, flags | (silent ? FI_INJECT : 0));
	if (!weft_fi_fast_space(q, nslots))
		return 0;
	s = lw_slot_at(q, tail);
	if (weft_likely(nslots == 2))
		lw_copy_few(lw_slot_at(q, tail + 1), buf, len);
	else if (nslots > 1)
		weft_fi_fast_blocks(lw_slot_at(q, tail + 1), buf, len);
	s->op = op;
	s->nslots = nslots;
	s->flags = weft_fi_fast_bits(ep, flags, silent) | (nslots > 1 ? WEFT_SQ_INLINE : 0);
	s->dst = to;
	s->context = (uintptr_t)context;
	s->addr = nslots > 1 ? 0 : (uintptr_t)buf;
	s->len = len;
	s->tag = tag;
	s->data = 0;
	s->niov = nslots == 1;
	s->nrem = nrem;
	s->raddr = raddr;
	return nslots;
}

/* Write a send. As weft_fi_fast_entry(). */
WEFT_INLINED uint32_t weft_fi_fast_send(struct weft_fi_ep *ep, uint8_t op, const void *buf,
					size_t len, fi_addr_t to, uint64_t tag, void *context,
					uint64_t flags, bool silent)
{
	return weft_fi_fast_entry(ep, op, buf, len, to, tag, 0, 0, context, flags, silent);
}

/* Return: true if the endpoint has the capabilities @caps. */
WEFT_INLINED bool weft_fi_fast_caps(const struct weft_fi_ep *ep, uint64_t caps)
{
	return (ep->caps & caps) == caps;
}

/* Write a read or a write. As weft_fi_fast_entry(). */
WEFT_INLINED uint32_t weft_fi_fast_rma(struct weft_fi_ep *ep, uint8_t op, const void *buf,
				       size_t len, fi_addr_t to, uint64_t addr, uint64_t key,
				       void *context, uint64_t flags, bool silent)
{
	if (!weft_fi_fast_caps(ep, FI_RMA | (op == WEFT_SQ_READ ? FI_READ : FI_WRITE)))
		return 0;
	return weft_fi_fast_entry(ep, op, buf, len, to, key, 1, addr, context, flags, silent);
}

/*
 * Write an atomic operation with operands on one element of @size bytes. @kind: WEFT_ATOMIC_*;
 * @compare, @result: as the kind has them. Otherwise as weft_fi_fast_entry().
 */
WEFT_INLINED uint32_t weft_fi_fast_atomic(struct weft_fi_ep *ep, uint8_t kind, uint8_t op,
					  uint8_t type, size_t size, const void *operand,
					  const void *compare, const void *result,
					  fi_addr_t to, uint64_t addr, uint64_t key,
					  void *context, uint64_t flags, bool silent)
{
	bool compares = kind == WEFT_ATOMIC_COMPARE, results = kind != WEFT_ATOMIC_BASE;
	uint32_t nslots = 2 + results;
	struct weft_iov *seg;
	struct weft_sqe *s;
	struct lw_queue *q;
	char *bytes;

	if (!weft_fi_fast_caps(ep, FI_ATOMIC | (results ? FI_READ : FI_WRITE)) ||
	    ep->inject < 2 * size || !weft_fi_fast_may(ep, to, flags))
		return 0;
	q = &ep->cm.ep->sq;
	if (!weft_fi_fast_space(q, nslots))
		return 0;
	bytes = lw_slot_at(q, q->tail + 1);
	lw_copy_few(bytes, operand, size);
	if (compares)
		lw_copy_few(bytes + size, compare, size);
	if (results) {
		seg = lw_slot_at(q, q->tail + 2);
		seg->addr = (uintptr_t)result;
		seg->len = size;
	}
	s = lw_slot_at(q, q->tail);
	s->op = WEFT_SQ_ATOMIC;
	s->nslots = nslots;
	s->flags = weft_fi_fast_bits(ep, flags, silent) | WEFT_SQ_INLINE;
	s->dst = to;
	s->context = (uintptr_t)context;
	s->addr = 0;
	s->len = size;
	s->tag = key;
	s->data = WEFT_ATOMIC_DATA(op, type, kind, 0, results);
	s->niov = 0;
	s->nrem = 1;
	s->raddr = addr;
	return nslots;
}

/* A receive is written at the tail: post it, as weft_fi_posted(). Return: 0. */
WEFT_INLINED ssize_t weft_fi_fast_received(struct weft_fi_ep *ep)
{
	struct lw_queue *q = &ep->cm.ep->rq;

	q->tail++;
	if (weft_unlikely(ep->rx.held))
		return weft_fi_posted_held(&ep->rx, q, false);
	return lw_flush(q);
}

/*
 * Write a receive. @flags: of the operation. Return: true: the caller posts it
 * (weft_fi_fast_received()).
 */
WEFT_INLINED bool weft_fi_fast_recv(struct weft_fi_ep *ep, uint8_t op, void *buf, size_t len,
				    uint64_t tag, uint64_t ignore, void *context,
				    uint64_t flags)
{
	struct weft_rqe *r;
	struct lw_queue *q;

	if (weft_unlikely(!ep->rx.fast || flags & ~WEFT_FI_FAST_RECV || !len))
		return false;
	q = &ep->cm.ep->rq;
	if (weft_unlikely(q->tail + 1 - q->head > q->size || lw_load(q->flags) & WEFT_ST_ERROR))
		return false;
	r = lw_slot_at(q, q->tail);
	r->op = op;
	r->nslots = 1;
	r->flags = WEFT_RQ_COMPLETION;
	r->src = WEFT_SRC_ANY;
	r->context = (uintptr_t)context;
	r->addr = (uintptr_t)buf;
	r->len = len;
	r->tag = tag;
	r->ignore = ignore;
	r->niov = 1;
	r->part = 0;
	r->rsvd2 = 0;
	return true;
}

#endif
