// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_peek.c - fi_trecvmsg with FI_PEEK, FI_CLAIM, FI_DISCARD: messages that wait for a receive
 *
 * All are entries of the receive ring. So they keep their place among receives, and the kernel
 * processes them at once. Each has a completion, also with a queue that is bound selectively. Only
 * the success of a claim follows the rule of receives. If no message is found, the completion is an
 * error: FI_ENOMSG. For a context without a claimed message it is FI_EINVAL.
 */
#include "weft_fi.h"

/**
 * weft_fi_peek() - find, claim or drop a message that waits
 * @ep: endpoint
 * @op: flags FI_PEEK, FI_PEEK | FI_CLAIM, FI_PEEK | FI_DISCARD, FI_CLAIM, FI_CLAIM | FI_DISCARD
 *
 * Return: 0, -FI_EAGAIN, -FI_EOPBADSTATE (not enabled), -FI_EINVAL (other combinations, segments,
 * source, no context to claim with), -FI_EBADFLAGS, -FI_EOPNOTSUPP (the endpoint only sends),
 * -FI_ENOCQ, -FI_EIO.
 */
ssize_t weft_fi_peek(struct weft_fi_ep *ep, const struct weft_fi_op *op)
{
	struct iovec iov[WEFT_IOV_MAX];
	struct weft_fi_op plain = *op;
	uint64_t what = op->flags & WEFT_FI_PEEK_FLAGS;
	uint64_t context = (uintptr_t)op->context;
	size_t count = op->iov ? op->count : 0;
	uint32_t src = WEFT_SRC_ANY, flags = 0;
	int ret;

	if (!ep->rx.on)
		return ep->enabled ? -FI_EOPNOTSUPP : -FI_EOPBADSTATE;
	if (op->flags & ~((WEFT_FI_RX_OP_FLAGS & ~FI_MULTI_RECV) | FI_MORE | WEFT_FI_PEEK_FLAGS))
		return weft_fi_fail(FI_LOG_EP_DATA, -FI_EBADFLAGS,
				    "fi_trecvmsg: a flag that does not go with FI_PEEK, FI_CLAIM or FI_DISCARD");
	if (what == FI_DISCARD || what == WEFT_FI_PEEK_FLAGS || (what & FI_CLAIM && !context))
		return weft_fi_fail(FI_LOG_EP_DATA, -FI_EINVAL,
				    "fi_trecvmsg: FI_DISCARD goes with FI_PEEK or FI_CLAIM, not both; FI_CLAIM needs a context");
	if (!ep->rx.cq)
		return weft_fi_fail(FI_LOG_EP_DATA, -FI_ENOCQ,
				    "fi_trecvmsg: what a peek finds is told by a completion queue, and none is bound");
	/* "the input buffer(s) and length parameters are ignored" */
	if (what & FI_DISCARD)
		count = 0;
	if (count > ep->iov_limit)
		return weft_fi_fail(FI_LOG_EP_DATA, -FI_EINVAL,
				    "fi_trecvmsg: more segments than iov_limit");
	plain.count = count;
	if (ep->prefix && count && weft_fi_slow_strip(ep, &plain, iov))
		return weft_fi_fail(FI_LOG_EP_DATA, -FI_EINVAL,
				    "fi_trecvmsg: less room than the prefix in the first segment");
	/* the format of the entry has no field to report data */
	if (what & FI_PEEK && ep->rx.cq->entry_size < sizeof(struct fi_cq_data_entry))
		count = 0;
	if (what & FI_PEEK && !ep->msg) {
		ret = weft_fi_rdm_source(ep, op->peer, &src);
		if (ret)
			return ret;
	}

	weft_fi_lock(&ep->rx.lock);
	switch (what) {
	case FI_CLAIM:
		if (!ep->rx.selective || op->flags & FI_COMPLETION)
			flags |= WEFT_RQ_COMPLETION;
		ret = weft_tclaim(ep->cm.ep, plain.iov, count, context, flags);
		break;
	case FI_CLAIM | FI_DISCARD:
		ret = weft_tdiscard(ep->cm.ep, context, 0);
		break;
	default:
		if (what & FI_CLAIM)
			flags |= WEFT_RQ_KEEP;
		if (what & FI_DISCARD)
			flags |= WEFT_RQ_DROP;
		ret = weft_tpeek(ep->cm.ep, plain.iov, count, src, op->tag, op->ignore, context,
				 flags);
		break;
	}
	/* receives deferred by FI_MORE were published before it */
	ep->rx.held = 0;
	weft_fi_unlock(&ep->rx.lock);
	return ret;
}
