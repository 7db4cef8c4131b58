// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_trigger.c - fi_trigger(3): operations of endpoints that wait for a counter
 *
 * An operation with FI_TRIGGER has a struct fi_triggered_context, which names a counter and a
 * threshold. Deferred work (weft_work.c) brings its own. Operations are checked as others are, and
 * become an entry. It is written into a draft of the endpoint, and goes to the kernel by a call.
 * The kernel posts it later, without the program. No payload is in the entry, so buffers are read
 * then.
 *
 * Only endpoints with FI_TRIGGER lead here, from weft_slow.c. They have no fast path.
 */
#include "weft_post.h"

/* zone of operations with FI_TRIGGER; domains, whose deferred work ends together, have others */
#define WEFT_FI_TRIGGER_ZONE	0

/* Return: 0, -FI_EINVAL: the context describes no threshold of a counter of the domain. */
static int weft_fi_trigger_context(const struct weft_fi_domain *dom, void *context,
				   struct weft_trigger *trigger)
{
	const struct fi_triggered_context *ctx = context;
	const struct weft_fi_cntr *cntr;

	if (!ctx || ctx->event_type != FI_TRIGGER_THRESHOLD || !ctx->trigger.threshold.cntr)
		return weft_fi_fail(FI_LOG_EP_DATA, -FI_EINVAL,
				    "FI_TRIGGER: the context must be a struct fi_triggered_context with FI_TRIGGER_THRESHOLD and a counter");
	cntr = weft_container(ctx->trigger.threshold.cntr, struct weft_fi_cntr, fid);
	if (cntr->domain != dom)
		return weft_fi_fail(FI_LOG_EP_DATA, -FI_EINVAL,
				    "FI_TRIGGER: the counter is of another domain than the endpoint");
	*trigger = (struct weft_trigger){
		.cntr = cntr->cntr,
		.threshold = ctx->trigger.threshold.threshold,
		.id = (uintptr_t)context,
		.zone = WEFT_FI_TRIGGER_ZONE,
	};
	return 0;
}

/*
 * Find out when an operation begins. Deferred work has no completion on success unless it asks for
 * one. Return: 0, -FI_EINVAL.
 */
static int weft_fi_trigger_of(const struct weft_fi_ep *ep, struct weft_fi_op *op,
			      struct weft_trigger *trigger)
{
	if (op->flags & FI_INJECT)
		return weft_fi_fail(FI_LOG_EP_DATA, -FI_EINVAL,
				    "an operation that waits for a counter reads its buffers later: clear FI_INJECT");
	if (!op->trigger)
		return weft_fi_trigger_context(ep->domain, op->context, trigger);
	*trigger = *op->trigger;
	op->silent = !(op->flags & FI_COMPLETION);
	return 0;
}

/* The lock of the draft is held. Return: 0, -FI_ENOMEM. */
static int weft_fi_trigger_draft(struct weft_fi_ep *ep)
{
	return ep->draft ? 0 : weft_draft_create(ep->cm.ep, &ep->draft);
}

/* Log why the kernel refuses. Return: @err. */
static int weft_fi_trigger_result(int err)
{
	if (!err || err == -FI_EAGAIN)
		return err;
	return weft_fi_fail(FI_LOG_EP_DATA, err,
			    "the operation cannot wait for a counter: %s%s", fi_strerror(-err),
			    err == -FI_ENOSPC ?
			    "; the operations that wait on this port are too many: cancel some" : "");
}

/**
 * weft_fi_trigger_send() - have a send or a one-sided operation wait for a counter
 * @ep: endpoint with FI_TRIGGER, its sending half is on
 * @op: the operation, without prefix
 * @group: number of the destination group, NULL: to a peer
 *
 * Return: as weft_fi_send(); -FI_EAGAIN: as many operations wait as the ring has slots; -FI_EINVAL:
 * also the context, or FI_INJECT; -FI_ENOSPC: too many wait on the port.
 */
ssize_t weft_fi_trigger_send(struct weft_fi_ep *ep, const struct weft_fi_op *op,
			     const uint32_t *group)
{
	struct weft_fi_op plain = *op;
	struct weft_trigger trigger;
	uint32_t dst, flags;
	size_t len;
	int ret;

	ret = weft_fi_trigger_of(ep, &plain, &trigger);
	if (ret)
		return ret;
	if (!weft_fi_segments_ok(ep, &plain))
		return weft_fi_refuse(&plain, -FI_EINVAL);
	len = weft_fi_total(&plain);
	ret = weft_fi_check_send(ep, &plain, len, group, &dst);
	if (ret)
		return ret;
	flags = weft_fi_send_flags(ep, &plain, len) | (group ? WEFT_SQ_GROUP : 0);
	flags &= ~WEFT_SQ_INLINE;
	pthread_mutex_lock(&ep->draft_lock);
	ret = weft_fi_trigger_draft(ep);
	if (!ret)
		ret = weft_fi_put_send(ep->draft, &plain, dst, flags);
	if (!ret)
		ret = weft_trigger_send(ep->draft, &trigger);
	pthread_mutex_unlock(&ep->draft_lock);
	return weft_fi_trigger_result(ret);
}

/**
 * weft_fi_trigger_recv() - have a receive wait for a counter
 * @ep: endpoint with FI_TRIGGER, its receiving half is on
 * @op: the receive, without prefix
 *
 * Return: as weft_fi_recv(); -FI_EAGAIN, -FI_EINVAL, -FI_ENOSPC: as weft_fi_trigger_send();
 * -FI_EOPNOTSUPP: also FI_MULTI_RECV.
 */
ssize_t weft_fi_trigger_recv(struct weft_fi_ep *ep, const struct weft_fi_op *op)
{
	struct weft_fi_op plain = *op;
	struct weft_trigger trigger;
	uint32_t src = WEFT_SRC_ANY;
	int ret;

	if (plain.flags & FI_MULTI_RECV)
		return weft_fi_fail(FI_LOG_EP_DATA, -FI_EOPNOTSUPP,
				    "a receive that waits for a counter takes one message: clear FI_MULTI_RECV");
	ret = weft_fi_trigger_of(ep, &plain, &trigger);
	if (ret)
		return ret;
	ret = weft_fi_check_recv(ep, &plain, WEFT_FI_RECV_FLAGS | FI_TRIGGER, &src);
	if (ret)
		return ret;
	pthread_mutex_lock(&ep->draft_lock);
	ret = weft_fi_trigger_draft(ep);
	if (!ret)
		ret = weft_fi_put_recv(ep->draft, &plain, src, weft_fi_recv_flags(ep, &plain));
	if (!ret)
		ret = weft_trigger_recv(ep->draft, &trigger);
	pthread_mutex_unlock(&ep->draft_lock);
	return weft_fi_trigger_result(ret);
}

/**
 * weft_fi_trigger_cancel() - cancel the oldest operation with a context that waits for a counter
 * @ep: endpoint with FI_TRIGGER, enabled
 * @context: struct fi_triggered_context of the operation
 *
 * Return: 0: the operation completes with FI_ECANCELED; -FI_ENOENT: none waits; -FI_ENOMEM.
 */
int weft_fi_trigger_cancel(struct weft_fi_ep *ep, void *context)
{
	struct weft_triggers one = {
		.zone = WEFT_FI_TRIGGER_ZONE, .ep = ep->cm.ep, .id = (uintptr_t)context,
		.flags = WEFT_TRIGGERF_ONE | WEFT_TRIGGERF_TELL,
	};

	return weft_trigger_end(ep->domain->port->ctx, &one);
}
