/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * weft_post.h - conversion of a send, receive or one-sided operation to a ring entry
 *
 * All forms of the calls become a struct weft_fi_op. Errors that the library detects fail the call.
 * Errors that only the kernel detects arrive as completions.
 *
 * The functions are inlined into frequent forms. The constants of a form (one segment, tagged,
 * silent) then remove branches, and the structure is never stored.
 *
 * The level of a completion is the strongest one requested. The kernel provides FI_INJECT_COMPLETE
 * without a flag. Small payloads travel in the ring. Then the buffer is free when the call returns,
 * whatever the level. A one-sided operation completes when the peer has executed it, which is as
 * strong as any level.
 */
#ifndef WEFT_POST_H
#define WEFT_POST_H

#include "../libweft/entry.h"
#include "weft_fi.h"

#define WEFT_FI_RECV_FLAGS	(WEFT_FI_RX_OP_FLAGS | FI_DELIVERY_COMPLETE | FI_MORE)

/* Passes values: a structure whose address is passed must be stored, in every form. */
WEFT_INLINED int weft_fi_refuse(const struct weft_fi_op *op, int err)
{
	return weft_fi_refused(op->flags, op->count, err);
}

WEFT_INLINED size_t weft_fi_total(const struct weft_fi_op *op)
{
	if (op->atomic)
		return lw_total(op->atomic->iov, op->atomic->count) +
		       lw_total(op->atomic->cmp, op->atomic->ncmp);
	return op->one ? op->iov->iov_len : lw_total(op->iov, op->count);
}

WEFT_INLINED uint32_t weft_fi_level(uint64_t flags)
{
	if (weft_likely(!(flags & (FI_MATCH_COMPLETE | FI_DELIVERY_COMPLETE |
				   FI_TRANSMIT_COMPLETE))))
		return 0;
	if (flags & FI_MATCH_COMPLETE)
		return WEFT_SQ_MATCH;
	return flags & FI_DELIVERY_COMPLETE ? WEFT_SQ_DELIVERY : WEFT_SQ_TRANSMIT;
}

WEFT_INLINED uint32_t weft_fi_send_flags(const struct weft_fi_ep *ep,
					 const struct weft_fi_op *op, size_t len)
{
	uint32_t flags = op->rma ? 0 : weft_fi_level(op->flags);

	if (op->flags & FI_FENCE)
		flags |= WEFT_SQ_FENCE;
	if (op->flags & FI_REMOTE_CQ_DATA)
		flags |= WEFT_SQ_DATA;
	if (!op->silent && (!ep->tx.selective || op->flags & FI_COMPLETION))
		flags |= WEFT_SQ_COMPLETION;
	if (len && op->rma != WEFT_SQ_READ &&
	    (op->flags & FI_INJECT || (len <= WEFT_FI_INLINE && len <= ep->inject)))
		flags |= WEFT_SQ_INLINE;
	return flags;
}

/* Write the entry of a one-sided operation. */
WEFT_INLINED int weft_fi_put_rma(struct weft_ep *ep, const struct weft_fi_op *op, uint32_t dst,
				 uint32_t flags)
{
	uint64_t context = (uintptr_t)op->context;

	if (op->atomic)
		return weft_atomic(ep, op->atomic, dst, context, flags);
	if (op->one)
		return lw_rma_entry(ep, op->rma, op->iov, dst, op->rem->addr, op->rem->key,
				    op->data, context, flags);
	if (op->rma == WEFT_SQ_READ)
		return weft_readv(ep, op->iov, op->count, dst, op->rem, op->nrem, context, flags);
	return weft_writev(ep, op->iov, op->count, dst, op->rem, op->nrem, op->data, context,
			   flags);
}

/* Write the entry. */
WEFT_INLINED int weft_fi_put_send(struct weft_ep *ep, const struct weft_fi_op *op,
				  uint32_t dst, uint32_t flags)
{
	uint64_t context = (uintptr_t)op->context;

	if (op->rma)
		return weft_fi_put_rma(ep, op, dst, flags);
	if (op->one)
		return lw_send_entry(ep, op->tagged ? WEFT_SQ_TSEND : WEFT_SQ_SEND, op->iov, 1,
				     dst, op->tagged ? op->tag : 0, op->data, context, flags);
	if (op->tagged)
		return weft_tsendv(ep, op->iov, op->count, dst, op->tag, op->data, context,
				   flags);
	return weft_sendv(ep, op->iov, op->count, dst, op->data, context, flags);
}

/* Return: true if the thread has not looked at a queue since the last send, as far as is known. */
WEFT_INLINED bool weft_fi_run_same(struct weft_fi_run *run)
{
	uint32_t at = lw_load(run->read[0]) + weft_fi_looks;
	bool same = at == run->at;

	run->at = at;
	return same;
}

/*
 * A send is about to be posted. @more: FI_MORE defers it. Return: true if it continues a run: the
 * caller calls weft_fi_run_posted() instead of a notify call.
 */
WEFT_INLINED bool weft_fi_run_goes_on(struct weft_fi_ep *ep, bool more)
{
	return weft_unlikely(weft_fi_run_same(&ep->run)) && weft_fi_run_look(&ep->run) &&
	       !(more | ep->tx.held);
}

/* Return: why a one-sided operation of @len bytes is refused, 0: it is not. */
WEFT_INLINED int weft_fi_rma_refusal(const struct weft_fi_ep *ep, const struct weft_fi_op *op,
				     size_t len)
{
	bool read = op->rma == WEFT_SQ_READ, atomic = op->atomic;

	if (atomic)
		read = op->atomic->kind != WEFT_ATOMIC_BASE;
	if (!(ep->caps & (read ? FI_READ : FI_WRITE)) ||
	    !(ep->caps & (atomic ? FI_ATOMIC : FI_RMA)) || op->flags & FI_COMMIT_COMPLETE)
		return -FI_EOPNOTSUPP;
	if (((read || atomic) && op->flags & FI_REMOTE_CQ_DATA) ||
	    (!atomic && !lw_remote_fits(op->rem, op->nrem, len)))
		return -FI_EINVAL;
	return 0;
}

/*
 * Check a send without prefix, or a one-sided operation, of @len bytes. @group: number of the
 * destination group, NULL: to a peer. @dst: out: of its entry. Return: 0, or why it is refused.
 */
WEFT_INLINED int weft_fi_check_send(struct weft_fi_ep *ep, const struct weft_fi_op *op,
				    size_t len, const uint32_t *group, uint32_t *dst)
{
	int ret;

	if (op->rma) {
		ret = weft_fi_rma_refusal(ep, op, len);
		if (weft_unlikely(ret))
			return weft_fi_refuse(op, ret);
	}
	if (weft_unlikely(op->flags & ~ep->send_flags))
		return weft_fi_refuse(op, -FI_EBADFLAGS);
	if (weft_unlikely(len > (op->flags & FI_INJECT ? ep->inject : ep->max_msg)))
		return weft_fi_refuse(op, -FI_EMSGSIZE);
	if (weft_unlikely(group)) {
		*dst = *group;
	} else if (weft_likely(!ep->msg)) {
		if (weft_unlikely(!weft_fi_av_index(ep->av, op->peer, dst)))
			return weft_fi_rdm_unknown(op->peer);
	} else {
		return weft_fi_msg_dest(ep, dst);
	}
	return 0;
}

/* Return: true if there are as many segments as the endpoint permits. */
WEFT_INLINED bool weft_fi_segments_ok(const struct weft_fi_ep *ep, const struct weft_fi_op *op)
{
	return op->one || (op->count <= ep->iov_limit && (!op->count || op->iov));
}

/* Post a send without prefix, or a one-sided operation. @group: as in weft_fi_check_send(). */
WEFT_INLINED ssize_t weft_fi_post_plain_send(struct weft_fi_ep *ep,
					     const struct weft_fi_op *op,
					     const uint32_t *group)
{
	uint32_t dst, flags, more = 0;
	bool kept;
	size_t len;
	int ret;

	if (!weft_fi_segments_ok(ep, op))
		return weft_fi_refuse(op, -FI_EINVAL);
	len = weft_fi_total(op);
	ret = weft_fi_check_send(ep, op, len, group, &dst);
	if (weft_unlikely(ret))
		return ret;
	flags = weft_fi_send_flags(ep, op, len) | (group ? WEFT_SQ_GROUP : 0);

	weft_fi_lock(&ep->tx.lock);
	if (weft_unlikely(op->flags & FI_MORE))
		more = weft_fi_more(&ep->tx);
	kept = weft_fi_run_goes_on(ep, more);
	ret = weft_fi_put_send(ep->cm.ep, op, dst, flags | (kept ? WEFT_MORE : more));
	if (weft_unlikely(kept) && !ret)
		weft_fi_run_posted(ep, len);
	if (weft_unlikely(more | ep->tx.held) && (!ret || ret == -EAGAIN))
		weft_fi_posted(&ep->tx, ret ? 0 : more);
	weft_fi_unlock(&ep->tx.lock);
	return ret;
}

/* As weft_fi_send(). */
WEFT_INLINED ssize_t weft_fi_post_send(struct weft_fi_ep *ep, const struct weft_fi_op *op)
{
	/* a copy: else the structure would be stored in the fast case too */
	if (weft_unlikely(!ep->tx.plain)) {
		struct weft_fi_op copy = *op;

		return weft_fi_slow_send(ep, &copy);
	}
	return weft_fi_post_plain_send(ep, op, NULL);
}

/* Write the entry. */
WEFT_INLINED int weft_fi_put_recv(struct weft_ep *ep, const struct weft_fi_op *op,
				  uint32_t src, uint32_t flags)
{
	uint64_t context = (uintptr_t)op->context;

	if (op->one)
		return lw_recv_entry(&ep->rq, op->tagged ? WEFT_RQ_TRECV : WEFT_RQ_RECV, op->iov,
				     1, src, op->tagged ? op->tag : 0,
				     op->tagged ? op->ignore : 0, 0, context, flags);
	if (op->tagged)
		return weft_trecvv(ep, op->iov, op->count, src, op->tag, op->ignore, context,
				   flags);
	return weft_recvv(ep, op->iov, op->count, src, context, flags);
}

/* Check a receive. @allowed: FI_*; @src: out: of its entry. Return: 0, or why it is refused. */
WEFT_INLINED int weft_fi_check_recv(struct weft_fi_ep *ep, const struct weft_fi_op *op,
				    uint64_t allowed, uint32_t *src)
{
	if (weft_unlikely(op->flags & ~allowed))
		return weft_fi_refuse(op, -FI_EBADFLAGS);
	if (!weft_fi_segments_ok(ep, op))
		return weft_fi_refuse(op, -FI_EINVAL);
	if (weft_unlikely(ep->msg))
		return weft_fi_msg_source(ep, src);
	return ep->directed ? weft_fi_rdm_source(ep, op->peer, src) : 0;
}

WEFT_INLINED uint32_t weft_fi_recv_flags(const struct weft_fi_ep *ep,
					 const struct weft_fi_op *op)
{
	return !op->silent && (!ep->rx.selective || op->flags & FI_COMPLETION) ?
	       WEFT_RQ_COMPLETION : 0;
}

/* Post a receive without prefix. */
WEFT_INLINED ssize_t weft_fi_post_plain_recv(struct weft_fi_ep *ep,
					     const struct weft_fi_op *op)
{
	bool multi = op->flags & FI_MULTI_RECV;
	uint32_t src = WEFT_SRC_ANY, flags = weft_fi_recv_flags(ep, op), more = 0;
	int ret;

	ret = weft_fi_check_recv(ep, op, WEFT_FI_RECV_FLAGS, &src);
	if (weft_unlikely(ret))
		return ret;
	if (weft_unlikely(multi)) {
		if (op->tagged)
			return weft_fi_refuse(op, -FI_EBADFLAGS);
		if (op->count != 1 || !op->iov->iov_len || op->iov->iov_len < ep->min_multi_recv)
			return weft_fi_refuse(op, -FI_EINVAL);
	}

	weft_fi_lock(&ep->rx.lock);
	if (weft_unlikely(op->flags & FI_MORE))
		more = weft_fi_more(&ep->rx);
	if (weft_unlikely(multi))
		ret = weft_recv_multi(ep->cm.ep, op->iov->iov_base, op->iov->iov_len,
				      ep->min_multi_recv, src, (uintptr_t)op->context,
				      flags | more);
	else
		ret = weft_fi_put_recv(ep->cm.ep, op, src, flags | more);
	if (weft_unlikely(more | ep->rx.held) && (!ret || ret == -EAGAIN))
		weft_fi_posted(&ep->rx, ret ? 0 : more);
	weft_fi_unlock(&ep->rx.lock);
	return ret;
}

/* As weft_fi_recv(). */
WEFT_INLINED ssize_t weft_fi_post_recv(struct weft_fi_ep *ep, const struct weft_fi_op *op)
{
	if (weft_unlikely(!ep->rx.plain)) {
		struct weft_fi_op copy = *op;

		return weft_fi_slow_recv(ep, &copy);
	}
	return weft_fi_post_plain_recv(ep, op);
}

#endif
