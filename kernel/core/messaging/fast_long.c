// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - the fast path of messages whose bytes are not in a ring
 *
 * The bytes are copied once, from where they are into the memory of the receive, if that is
 * resident. A short message whose receive is not resident is copied into the completion queue:
 *
 *	program's memory, or a run of packets --> memory of the receive, or completion queue
 *
 * Every other message takes the slow path, which makes the memory resident for the next one. A copy
 * that fails halfway has changed only bytes of a receive that has not completed. The slow path
 * writes all of them again.
 *
 * Locks: ep->lock of the receiver and its cq->lock, held by the caller; mc->lock of both programs'
 * memory. See Documentation/locking.rst.
 */
#include "core/messaging/fast.h"

/* Copy the bytes of a message into resident memory at @buf. Return: 0, -EAGAIN, -EFAULT. */
static int weft_fast_place(struct weft_memctx *mc, u64 buf, const struct weft_fast_msg *m)
{
	if (m->from)
		return weft_mem_pass(mc, buf, m->from, m->addr, m->len);
	return weft_mem_place(mc, buf, m->pay, m->len, m->piece, m->skip);
}

/* Return: the bytes of a short message in kernel memory, NULL: reading them would sleep. */
static const void *weft_fast_bytes(const struct weft_fast_msg *m, u8 *scratch)
{
	if (!m->from)
		return m->piece >= m->len ? m->pay : NULL;
	return weft_user_peek(m->from, m->addr, scratch, m->len) ? NULL : scratch;
}

/**
 * weft_fast_long - deliver a message whose bytes are not in the ring
 * @ep: the receiver, locked; it takes messages
 * @cq: its completion queue, locked; no completion waits
 * @m: the message
 * @scratch: buffer of WEFT_INLINE_MAX bytes, if m->from
 * @post: out: the receive, which the caller frees; unchanged: it was in the ring
 *
 * Context: softirqs are off.
 * Return: true if it is delivered; false: nothing has changed.
 */
bool weft_fast_long(struct weft_ep *ep, struct weft_cq *cq, const struct weft_fast_msg *m,
		    u8 *scratch, struct weft_post **post)
{
	bool fits = m->len <= WEFT_INLINE_MAX;
	const void *pay = NULL;
	struct weft_cqe *c;
	u64 buf;

	weft_assert_held(&ep->lock);
	weft_assert_held(&cq->lock);
	if (!weft_cq_space(cq, fits ? weft_cq_slots(m->len) : 1) || cq->bad)
		return false;
	c = weft_cq_slot(cq);
	if (!weft_fast_find(ep, c, m->want, m->tag, m->len, m->src, m->flags, post, &buf))
		return false;
	if (m->len <= WEFT_SPARE_MAX || weft_fast_place(ep->conf.mc, buf, m)) {
		if (fits && !weft_recv_pins(ep, m->len))
			pay = weft_fast_bytes(m, scratch);
		if (!pay) {
			*post = NULL;
			return false;
		}
		if (m->len > WEFT_SPARE_MAX)
			WRITE_ONCE(ep->rx.misses, ep->rx.misses + 1);
	}
	weft_fast_fill(c, ep, m->tag, m->data, m->len, m->src,
		       m->flags | (pay ? WEFT_CQE_INLINE : 0), false);
	c->buf = pay ? buf : 0;
	weft_cq_put_entry(cq, c, pay, pay ? m->len : 0);
	weft_fast_take(ep, *post);
	return true;
}
