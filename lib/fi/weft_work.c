// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_work.c - fi_trigger(3): the deferred work of a domain
 *
 * Work is an operation of an endpoint of the domain, or a change of a counter. It begins when a
 * counter has counted enough operations, failed ones included. Message structures are converted
 * and posted by the files of the calls, with the trigger of the work (weft_trigger.c). Nothing of
 * the program's structures is used afterwards. A work's address is its name for FI_CANCEL_WORK.
 */
#include "weft_fi.h"

/* Operations of endpoints: the capabilities of which the endpoint needs one, and its direction */
static const struct {
	uint64_t caps;
	bool recv;
} weft_fi_works[] = {
	[FI_OP_RECV] = { FI_MSG, true },
	[FI_OP_SEND] = { FI_MSG, false },
	[FI_OP_TRECV] = { FI_TAGGED, true },
	[FI_OP_TSEND] = { FI_TAGGED, false },
	[FI_OP_READ] = { FI_RMA, false },
	[FI_OP_WRITE] = { FI_RMA, false },
	[FI_OP_ATOMIC] = { FI_ATOMIC, false },
	[FI_OP_FETCH_ATOMIC] = { FI_ATOMIC, false },
	[FI_OP_COMPARE_ATOMIC] = { FI_ATOMIC, false },
};

#define WEFT_FI_WORKS	(sizeof(weft_fi_works) / sizeof(weft_fi_works[0]))

static int weft_fi_work_refused(int err, const char *why)
{
	return weft_fi_fail(FI_LOG_DOMAIN, err, "deferred work: %s", why);
}

/* Return: libweft's counter, NULL: it is none of the domain. */
static struct weft_cntr *weft_fi_work_cntr(const struct weft_fi_domain *dom,
					   struct fid_cntr *fid)
{
	const struct weft_fi_cntr *cntr = weft_container(fid, struct weft_fi_cntr, fid);

	if (fid && fid->fid.fclass == FI_CLASS_CNTR && cntr->domain == dom)
		return cntr->cntr;
	weft_fi_work_refused(-FI_EINVAL, "a counter is missing, or of another domain");
	return NULL;
}

/* Check the endpoint of an operation. Return: 0, -FI_EINVAL, -FI_ENOSYS. */
static int weft_fi_work_ep(const struct weft_fi_domain *dom, const struct fid_ep *fid,
			   enum fi_op_type type)
{
	bool recv = weft_fi_works[type].recv;
	const struct weft_fi_ep *ep;

	if (!fid || (fid->fid.fclass != FI_CLASS_EP &&
		     fid->fid.fclass != (recv ? FI_CLASS_RX_CTX : FI_CLASS_TX_CTX)))
		return weft_fi_work_refused(-FI_EINVAL,
					    "it needs an endpoint, or a context of the direction of the operation");
	ep = weft_container(fid, struct weft_fi_face, fid)->ep;
	if (ep->domain != dom || !(ep->caps & FI_TRIGGER))
		return weft_fi_work_refused(-FI_EINVAL,
					    "the endpoint is of another domain, or opened without FI_TRIGGER");
	if (!(ep->caps & weft_fi_works[type].caps) || (recv && ep->pool))
		return weft_fi_work_refused(-FI_ENOSYS,
					    "the endpoint lacks the capability for the operation, or buffers its receives");
	return 0;
}

/* All structures of operations begin with the endpoint. */
static const struct fid_ep *weft_fi_work_at(const struct fi_deferred_work *work)
{
	return work->op.msg ? work->op.msg->ep : NULL;
}

static ssize_t weft_fi_work_post(const struct fi_deferred_work *work,
				 const struct weft_trigger *trigger)
{
	const struct fi_op_msg *msg = work->op.msg;
	const struct fi_op_tagged *tagged = work->op.tagged;
	const struct fi_op_rma *rma = work->op.rma;
	const struct fi_op_atomic *atomic = work->op.atomic;
	const struct fi_op_fetch_atomic *fetch = work->op.fetch_atomic;
	const struct fi_op_compare_atomic *cmp = work->op.compare_atomic;

	switch (work->op_type) {
	case FI_OP_RECV:
		return weft_fi_message_recv(msg->ep, &msg->msg, msg->flags, trigger);
	case FI_OP_SEND:
		return weft_fi_message_send(msg->ep, &msg->msg, msg->flags, trigger);
	case FI_OP_TRECV:
		return weft_fi_message_trecv(tagged->ep, &tagged->msg, tagged->flags, trigger);
	case FI_OP_TSEND:
		return weft_fi_message_tsend(tagged->ep, &tagged->msg, tagged->flags, trigger);
	case FI_OP_READ:
		return weft_fi_rma_message(rma->ep, &rma->msg, rma->flags, WEFT_SQ_READ, trigger);
	case FI_OP_WRITE:
		return weft_fi_rma_message(rma->ep, &rma->msg, rma->flags, WEFT_SQ_WRITE, trigger);
	case FI_OP_ATOMIC:
		return weft_fi_atomic_message(atomic->ep, &atomic->msg, NULL, NULL, atomic->flags,
					      trigger);
	case FI_OP_FETCH_ATOMIC:
		return weft_fi_atomic_message(fetch->ep, &fetch->msg, NULL, &fetch->fetch,
					      fetch->flags, trigger);
	default:
		return weft_fi_atomic_message(cmp->ep, &cmp->msg, &cmp->compare, &cmp->fetch,
					      cmp->flags, trigger);
	}
}

/* Queue an operation of an endpoint. */
static int weft_fi_work_operate(struct weft_fi_domain *dom, const struct fi_deferred_work *work,
				struct weft_trigger *trigger)
{
	int ret = weft_fi_work_ep(dom, weft_fi_work_at(work), work->op_type);

	if (ret)
		return ret;
	if (work->completion_cntr) {
		trigger->done = weft_fi_work_cntr(dom, work->completion_cntr);
		if (!trigger->done)
			return -FI_EINVAL;
	}
	trigger->flags |= WEFT_TRIGGERF_ALONE;
	ret = weft_fi_work_post(work, trigger);
	/* what the endpoint does not have is "not supported" for work */
	return ret == -FI_EOPNOTSUPP ? -FI_ENOSYS : ret;
}

/* Queue a change of a counter. */
static int weft_fi_work_count(struct weft_fi_domain *dom, const struct fi_deferred_work *work,
			      const struct weft_trigger *trigger)
{
	const struct fi_op_cntr *op = work->op.cntr;
	struct weft_cntr *target;
	int ret;

	if (!op || work->completion_cntr)
		return weft_fi_work_refused(-FI_EINVAL,
					    "a change of a counter needs its structure, and has no completion_cntr");
	target = weft_fi_work_cntr(dom, op->cntr);
	if (!target)
		return -FI_EINVAL;
	ret = weft_trigger_cntr(target, work->op_type == FI_OP_CNTR_ADD, op->value, trigger);
	return ret ? weft_fi_work_refused(ret, fi_strerror(-ret)) : 0;
}

static int weft_fi_work_queue(struct weft_fi_domain *dom, const struct fi_deferred_work *work)
{
	struct weft_trigger trigger = {
		.threshold = work->threshold, .id = (uintptr_t)work, .zone = dom->zone,
		.flags = WEFT_TRIGGERF_BOTH,
	};
	unsigned int type = work->op_type;

	trigger.cntr = weft_fi_work_cntr(dom, work->triggering_cntr);
	if (!trigger.cntr)
		return -FI_EINVAL;
	if (type < WEFT_FI_WORKS)
		return weft_fi_work_operate(dom, work, &trigger);
	if (type == FI_OP_CNTR_SET || type == FI_OP_CNTR_ADD)
		return weft_fi_work_count(dom, work, &trigger);
	return weft_fi_work_refused(-FI_EINVAL, "op_type is none of enum fi_op_type");
}

/* End the queued work @work, or all that waits for a counter; NULL: all work of the domain. */
static int weft_fi_work_end(struct weft_fi_domain *dom, const struct fi_deferred_work *work,
			    bool one)
{
	struct weft_triggers which = { .zone = dom->zone };
	int ret;

	if (one) {
		which.id = (uintptr_t)work;
		which.flags = WEFT_TRIGGERF_ONE;
	} else if (work) {
		which.cntr = weft_fi_work_cntr(dom, work->triggering_cntr);
		if (!which.cntr)
			return -FI_EINVAL;
	}
	ret = weft_trigger_end(dom->port->ctx, &which);
	if (ret == -FI_ENOENT)
		return weft_fi_work_refused(ret, "it is not queued, or has begun");
	return ret;
}

/**
 * weft_fi_work_control() - see fi_trigger(3)
 * @dom: domain
 * @command: FI_QUEUE_WORK, FI_CANCEL_WORK, FI_FLUSH_WORK
 * @arg: struct fi_deferred_work. FI_FLUSH_WORK: its triggering_cntr says which work, NULL: all
 *
 * Return: 0, -FI_ENOSYS (the port, or the endpoint, does not offer it), -FI_EINVAL, -FI_ENOENT
 * (nothing to cancel), as weft_fi_send() and weft_fi_recv().
 */
int weft_fi_work_control(struct weft_fi_domain *dom, int command, void *arg)
{
	if (!(dom->port->q.caps & WEFT_CAP_TRIGGER))
		return weft_fi_work_refused(-FI_ENOSYS, "the port offers none");
	if (!arg && command != FI_FLUSH_WORK)
		return weft_fi_work_refused(-FI_EINVAL, "there is no struct fi_deferred_work");
	if (command == FI_QUEUE_WORK)
		return weft_fi_work_queue(dom, arg);
	return weft_fi_work_end(dom, arg, command == FI_CANCEL_WORK);
}
