// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_slow.c - slow path of sends and receives: prefix mode, multicast groups, triggers, refusals
 *
 * Most calls lead directly from weft_msg.c to a ring (weft_post.h). Calls on an endpoint whose half
 * is not "plain" come here first. In prefix mode (FI_MSG_PREFIX) each buffer begins with
 * msg_prefix_size bytes, which the provider neither reads nor sends. This file removes them from
 * the segments, and adds them to the lengths in completions. One-sided operations have no prefix.
 * Operations of an endpoint with FI_TRIGGER go on to weft_trigger.c if they wait for a counter.
 */
#include "weft_post.h"

/* Return: true if the endpoint may send messages, or has no calls for them. */
static bool weft_fi_sends(const struct weft_fi_ep *ep)
{
	return ep->caps & FI_SEND || !(ep->caps & (FI_MSG | FI_TAGGED));
}

/**
 * weft_fi_half_on() - start or stop a half of an endpoint
 * @half: the half
 * @on: true: start
 */
void weft_fi_half_on(struct weft_fi_half *half, bool on)
{
	const struct weft_fi_ep *ep = half->ep;
	const struct weft_fi_av *av = ep->av;
	bool tx = half == &ep->tx;

	half->on = on;
	weft_fi_run_on(half->ep);
	half->plain = on && !ep->prefix && !(ep->caps & FI_TRIGGER);
	if (tx)
		half->plain &= !(ep->caps & FI_MULTICAST) && weft_fi_sends(ep);
	half->fast = weft_fi_fast_paths && half->plain && !half->lock.on && !ep->msg;
	if (tx)
		half->fast &= av && !av->shared && !av->bits && ep->inject >= WEFT_SLOT_SIZE;
	else
		half->fast &= !ep->directed && !half->selective;
}

/**
 * weft_fi_slow_strip() - remove the prefix
 * @ep: endpoint
 * @op: a send or receive of the program; its segments become @iov
 * @iov: space for WEFT_IOV_MAX segments
 *
 * Return: 0, -FI_EINVAL: the first segment does not hold the prefix, or too many segments.
 */
ssize_t weft_fi_slow_strip(const struct weft_fi_ep *ep, struct weft_fi_op *op, struct iovec *iov)
{
	if (!op->iov || !op->count || op->count > ep->iov_limit ||
	    op->iov->iov_len < ep->prefix)
		return -FI_EINVAL;
	memcpy(iov, op->iov, op->count * sizeof(*iov));
	iov->iov_base = (char *)iov->iov_base + ep->prefix;
	iov->iov_len -= ep->prefix;
	op->iov = iov;
	return 0;
}

/* Return: true if the operation waits for a counter. Flag and capability are the same bit. */
static bool weft_fi_waits(const struct weft_fi_ep *ep, const struct weft_fi_op *op)
{
	return op->trigger || op->flags & ep->caps & FI_TRIGGER;
}

/* The operation has no prefix any more. @group: as in weft_fi_check_send(). */
static ssize_t weft_fi_slow_post(struct weft_fi_ep *ep, const struct weft_fi_op *op,
				 const uint32_t *group)
{
	return weft_fi_waits(ep, op) ? weft_fi_trigger_send(ep, op, group) :
	       weft_fi_post_plain_send(ep, op, group);
}

ssize_t weft_fi_slow_send(struct weft_fi_ep *ep, const struct weft_fi_op *op)
{
	struct iovec iov[WEFT_IOV_MAX];
	struct weft_fi_op plain = *op;
	uint32_t group;
	int ret;

	if (!ep->tx.on)
		return weft_fi_refuse(op, ep->enabled ? -FI_EOPNOTSUPP : -FI_EOPBADSTATE);
	if (!op->rma && !weft_fi_sends(ep))
		return weft_fi_refuse(op, -FI_EOPNOTSUPP);
	if (ep->prefix && !op->rma && weft_fi_slow_strip(ep, &plain, iov))
		return weft_fi_refuse(op, -FI_EINVAL);
	/* flag and capability are the same bit */
	if (!(op->flags & ep->caps & FI_MULTICAST))
		return weft_fi_slow_post(ep, &plain, NULL);
	if (op->flags & WEFT_FI_ANSWERED)
		return weft_fi_refuse(op, -FI_EOPNOTSUPP);
	ret = weft_fi_mc_dest(ep, op->peer, &group);
	return ret ? ret : weft_fi_slow_post(ep, &plain, &group);
}

ssize_t weft_fi_slow_recv(struct weft_fi_ep *ep, const struct weft_fi_op *op)
{
	struct iovec iov[WEFT_IOV_MAX];
	struct weft_fi_op plain = *op;

	if (!ep->rx.on)
		return weft_fi_refuse(op, ep->enabled ? -FI_EOPNOTSUPP : -FI_EOPBADSTATE);
	/* messages in the buffer would have no prefixes */
	if (ep->prefix && op->flags & FI_MULTI_RECV)
		return weft_fi_refuse(op, -FI_EBADFLAGS);
	if (ep->prefix && weft_fi_slow_strip(ep, &plain, iov))
		return weft_fi_refuse(op, -FI_EINVAL);
	return weft_fi_waits(ep, op) ? weft_fi_trigger_recv(ep, &plain) :
	       weft_fi_post_plain_recv(ep, &plain);
}

/**
 * weft_fi_slow_cqe() - convert a completion to prefix mode
 * @cqe: a completion of an endpoint in prefix mode
 * @prefix: its msg_prefix_size
 *
 * A message's length becomes that of its bytes plus the prefix. A place becomes that of the prefix.
 * A failed operation has no length, unless the buffer was too small, or the sender is unknown.
 */
void weft_fi_slow_cqe(struct weft_cqe *cqe, size_t prefix)
{
	if (cqe->flags & (WEFT_CQE_SEND | WEFT_CQE_RELEASE | WEFT_FI_CQE_RMA) ||
	    (cqe->status && cqe->status != EMSGSIZE && !(cqe->flags & WEFT_CQE_FROM)))
		return;
	cqe->len += prefix;
	if (cqe->buf)
		cqe->buf -= prefix;
}
