// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_post.c - all forms of sends, receives and one-sided operations, and deferral by FI_MORE
 *
 * FI_MORE defers entries, at most WEFT_FI_MORE_MAX. They are notified by a call without it, or when
 * a completion queue is read or waited on. The program soon does one of these. If not, weft_batch.c
 * notifies them.
 */
#include "weft_post.h"

/* Log the reason why an entry is refused. Return: @err. */
int weft_fi_refused(uint64_t flags, size_t count, int err)
{
	const char *why = "";

	switch (err) {
	case -FI_EOPBADSTATE:
		why = "the endpoint is not enabled: fi_enable first";
		break;
	case -FI_EOPNOTSUPP:
		why = "not in the endpoint's info->caps, or FI_COMMIT_COMPLETE";
		break;
	case -FI_EBADFLAGS:
		why = "a flag that this call does not have, or that is not offered: see fi_weft(7)";
		break;
	case -FI_EMSGSIZE:
		why = "longer than max_msg_size, or with FI_INJECT than inject_size";
		break;
	case -FI_EINVAL:
		why = "segments, their sums, too little room, or a claim outside of its mode";
		break;
	}
	return weft_fi_fail(FI_LOG_EP_DATA, err, "flags %#llx, %zu segments: %s",
			    (unsigned long long)flags, count, why);
}

int weft_fi_no_struct(void)
{
	return weft_fi_fail(FI_LOG_EP_DATA, -FI_EINVAL,
			    "a call with a message structure got none");
}

/**
 * weft_fi_more() - test whether an entry with FI_MORE may be deferred
 * @half: half of the endpoint, locked
 *
 * Return: WEFT_MORE if so, else 0.
 */
uint32_t weft_fi_more(struct weft_fi_half *half)
{
	if (half->cq && half->held + 1 < WEFT_FI_MORE_MAX && weft_fi_late_start(half->ep->cm.port))
		return WEFT_MORE;
	return 0;
}

/* Defer the entry before the tail of @q, the half's ring. */
static void weft_fi_hold(struct weft_fi_half *half, struct lw_queue *q)
{
	half->held++;
	if (!weft_fi_cq_is(half->cq, WEFT_FI_CQ_DEFERRED))
		atomic_fetch_or(&half->cq->slow, WEFT_FI_CQ_DEFERRED);
	lw_publish(q);
	weft_fi_late_held(half->ep->cm.port, half);
}

/**
 * weft_fi_posted() - account for an accepted entry that is deferred, or follows deferred ones
 * @half: half of the endpoint, locked
 * @more: WEFT_MORE: the entry is deferred
 */
void weft_fi_posted(struct weft_fi_half *half, uint32_t more)
{
	struct weft_fi_ep *ep = half->ep;

	if (!more) {
		atomic_store(&half->due, false);
		half->held = 0;
		return;
	}
	weft_fi_hold(half, half == &ep->tx ? &ep->cm.ep->sq : &ep->cm.ep->rq);
}

/**
 * weft_fi_posted_held() - the same for the fast path, and notify the kernel unless it is deferred
 * @half: half of the endpoint, locked
 * @q: its ring, with the entry before the tail
 * @more: the entry is deferred
 *
 * Return: 0
 */
ssize_t weft_fi_posted_held(struct weft_fi_half *half, struct lw_queue *q, bool more)
{
	if (more) {
		weft_fi_hold(half, q);
		return 0;
	}
	weft_fi_posted(half, 0);
	return lw_flush(q);
}

/**
 * weft_fi_send() - post a send or a one-sided operation
 * @ep: endpoint
 * @op: the operation
 *
 * Return: 0, -FI_EAGAIN, -FI_EOPBADSTATE (not enabled), -FI_ENOTCONN, -FI_EINVAL (segments,
 * destination), -FI_EMSGSIZE, -FI_EBADFLAGS, -FI_EOPNOTSUPP (the endpoint lacks the direction or
 * the operation), -FI_EIO.
 */
ssize_t weft_fi_send(struct weft_fi_ep *ep, const struct weft_fi_op *op)
{
	return weft_fi_post_send(ep, op);
}

/**
 * weft_fi_recv() - post a receive
 * @ep: endpoint
 * @op: the receive
 *
 * Return: 0, -FI_EAGAIN, -FI_EOPBADSTATE (not enabled), -FI_ENOTCONN (disconnected, and no message
 * waits), -FI_EINVAL (segments, source, too little for FI_MULTI_RECV), -FI_EBADFLAGS,
 * -FI_EOPNOTSUPP (the endpoint only sends), -FI_EIO.
 */
ssize_t weft_fi_recv(struct weft_fi_ep *ep, const struct weft_fi_op *op)
{
	return weft_fi_post_recv(ep, op);
}
