// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_post.c - a send or a receive becomes an entry of a ring
 *
 * All forms of the calls end here, as a struct weft_fi_op. What the library can see is refused by
 * the call; what only the kernel sees comes as a completion.
 *
 * The level of a completion is the strongest that is asked for. FI_INJECT_COMPLETE is what the
 * kernel does without a flag. Small payloads travel in the ring: then the buffer is free when the
 * call returns, whatever the level.
 *
 * FI_MORE holds entries back, WEFT_FI_MORE_MAX at most: until a call without it, or until one of
 * the completion queues is read or waited on. The program is about to do one of them; if not,
 * weft_more.c does it.
 */
#include "weft_fi.h"

#define WEFT_FI_RECV_FLAGS	(WEFT_FI_RX_OP_FLAGS | FI_DELIVERY_COMPLETE | FI_MORE)

static size_t weft_fi_total(const struct weft_fi_op *op)
{
	size_t len = 0, i;

	for (i = 0; i < op->count; i++)
		len += op->iov[i].iov_len;
	return len;
}

/* Why an entry is refused, for the log. Return: @err. */
static int weft_fi_refuse(const struct weft_fi_ep *ep, const struct weft_fi_op *op, int err)
{
	const char *why = "";

	switch (err) {
	case -FI_EOPBADSTATE:
		why = "the endpoint is not enabled: fi_enable first";
		break;
	case -FI_EOPNOTSUPP:
		why = "the endpoint was opened for the other direction only: see info->caps";
		break;
	case -FI_EBADFLAGS:
		why = "a flag that this call does not have, or that is not offered: see fi_weft(7)";
		break;
	case -FI_EMSGSIZE:
		why = "longer than max_msg_size, or with FI_INJECT than inject_size";
		break;
	case -FI_EINVAL:
		why = "more than iov_limit, or none, or less than FI_OPT_MIN_MULTI_RECV";
		break;
	}
	return weft_fi_fail(FI_LOG_EP_DATA, err, "flags %#llx, %zu segments: %s",
			    (unsigned long long)op->flags, op->count, why);
}

/* with the half's lock held: is the entry to be held back? */
static uint32_t weft_fi_more(struct weft_fi_half *half, uint64_t flags)
{
	if (flags & FI_MORE && half->cq && half->held + 1 < WEFT_FI_MORE_MAX &&
	    weft_fi_late_start(half->ep->cm.port))
		return WEFT_MORE;
	return 0;
}

/* with the half's lock held, after the entry was accepted */
static void weft_fi_posted(struct weft_fi_half *half, uint32_t more)
{
	struct weft_fi_ep *ep = half->ep;

	if (!more) {
		if (half->held)
			atomic_store(&half->due, false);
		half->held = 0;
		return;
	}
	half->held++;
	atomic_store(&half->cq->deferred, true);
	if (half == &ep->tx)
		weft_publish_send(ep->cm.ep);
	else
		weft_publish_recv(ep->cm.ep);
	weft_fi_late_held(ep->cm.port, half);
}

static uint32_t weft_fi_send_flags(const struct weft_fi_ep *ep, const struct weft_fi_op *op,
				   size_t len)
{
	uint32_t flags = 0;

	if (op->flags & FI_MATCH_COMPLETE)
		flags |= WEFT_SQ_MATCH;
	else if (op->flags & FI_DELIVERY_COMPLETE)
		flags |= WEFT_SQ_DELIVERY;
	else if (op->flags & FI_TRANSMIT_COMPLETE)
		flags |= WEFT_SQ_TRANSMIT;
	if (op->flags & FI_FENCE)
		flags |= WEFT_SQ_FENCE;
	if (op->flags & FI_REMOTE_CQ_DATA)
		flags |= WEFT_SQ_DATA;
	if (!op->silent && (!ep->tx.selective || op->flags & FI_COMPLETION))
		flags |= WEFT_SQ_COMPLETION;
	if (len && (op->flags & FI_INJECT || (len <= WEFT_FI_INLINE && len <= ep->inject)))
		flags |= WEFT_SQ_INLINE;
	return flags;
}

/**
 * weft_fi_send() - post a send
 * @ep: endpoint
 * @op: what to send
 *
 * Return: 0, -FI_EAGAIN, -FI_EOPBADSTATE (not enabled), -FI_ENOTCONN, -FI_EINVAL (segments,
 * destination), -FI_EMSGSIZE, -FI_EBADFLAGS, -FI_EOPNOTSUPP (the endpoint only receives), -FI_EIO.
 */
ssize_t weft_fi_send(struct weft_fi_ep *ep, const struct weft_fi_op *op)
{
	uint32_t dst, flags, more;
	size_t len;
	int ret;

	if (!ep->tx.on)
		return weft_fi_refuse(ep, op, ep->enabled ? -FI_EOPNOTSUPP :
				      -FI_EOPBADSTATE);
	if (op->flags & ~ep->send_flags)
		return weft_fi_refuse(ep, op, -FI_EBADFLAGS);
	if (op->count > ep->iov_limit || (op->count && !op->iov))
		return weft_fi_refuse(ep, op, -FI_EINVAL);
	len = weft_fi_total(op);
	if (len > (op->flags & FI_INJECT ? ep->inject : ep->max_msg))
		return weft_fi_refuse(ep, op, -FI_EMSGSIZE);
	ret = ep->msg ? weft_fi_msg_dest(ep, &dst) : weft_fi_rdm_dest(ep, op->peer, &dst);
	if (ret)
		return ret;
	flags = weft_fi_send_flags(ep, op, len);

	weft_fi_lock(&ep->tx.lock);
	more = weft_fi_more(&ep->tx, op->flags);
	if (op->tagged)
		ret = weft_tsendv(ep->cm.ep, op->iov, op->count, dst, op->tag, op->data,
				  (uintptr_t)op->context, flags | more);
	else
		ret = weft_sendv(ep->cm.ep, op->iov, op->count, dst, op->data,
				 (uintptr_t)op->context, flags | more);
	if (!ret || ret == -EAGAIN)
		weft_fi_posted(&ep->tx, ret ? 0 : more);
	weft_fi_unlock(&ep->tx.lock);
	return ret;
}

/**
 * weft_fi_recv() - post a receive
 * @ep: endpoint
 * @op: where to receive and what
 *
 * Return: 0, -FI_EAGAIN, -FI_EOPBADSTATE (not enabled), -FI_ENOTCONN (disconnected, and nothing
 * waits), -FI_EINVAL (segments, source, too little for FI_MULTI_RECV), -FI_EBADFLAGS,
 * -FI_EOPNOTSUPP (the endpoint only sends), -FI_EIO.
 */
ssize_t weft_fi_recv(struct weft_fi_ep *ep, const struct weft_fi_op *op)
{
	uint32_t src, flags, more;
	bool multi;
	int ret;

	if (!ep->rx.on)
		return weft_fi_refuse(ep, op, ep->enabled ? -FI_EOPNOTSUPP :
				      -FI_EOPBADSTATE);
	if (op->flags & ~WEFT_FI_RECV_FLAGS)
		return weft_fi_refuse(ep, op, -FI_EBADFLAGS);
	if (op->count > ep->iov_limit || (op->count && !op->iov))
		return weft_fi_refuse(ep, op, -FI_EINVAL);
	ret = ep->msg ? weft_fi_msg_source(ep, &src) : weft_fi_rdm_source(ep, op->peer, &src);
	if (ret)
		return ret;
	flags = !ep->rx.selective || op->flags & FI_COMPLETION ? WEFT_RQ_COMPLETION : 0;
	multi = op->flags & FI_MULTI_RECV;
	if (multi && op->tagged)
		return weft_fi_refuse(ep, op, -FI_EBADFLAGS);
	if (multi && (op->count != 1 || !op->iov->iov_len ||
		      op->iov->iov_len < ep->min_multi_recv))
		return weft_fi_refuse(ep, op, -FI_EINVAL);

	weft_fi_lock(&ep->rx.lock);
	more = weft_fi_more(&ep->rx, op->flags);
	if (multi)
		ret = weft_recv_multi(ep->cm.ep, op->iov->iov_base, op->iov->iov_len,
				      ep->min_multi_recv, src, (uintptr_t)op->context,
				      flags | more);
	else if (op->tagged)
		ret = weft_trecvv(ep->cm.ep, op->iov, op->count, src, op->tag, op->ignore,
				  (uintptr_t)op->context, flags | more);
	else
		ret = weft_recvv(ep->cm.ep, op->iov, op->count, src, (uintptr_t)op->context,
				 flags | more);
	if (!ret || ret == -EAGAIN)
		weft_fi_posted(&ep->rx, ret ? 0 : more);
	weft_fi_unlock(&ep->rx.lock);
	return ret;
}
