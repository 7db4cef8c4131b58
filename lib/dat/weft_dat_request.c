// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Operations of endpoints; requests: sends, RDMA and binds, which complete in posting order
 *
 * A post is one ring write under the EP's lock. Data for its event are kept in an operation. Its
 * number is the context of the ring's entry.
 *
 * The kernel reports the ends of requests in any order. The event of a request waits for the events
 * of all earlier requests of the EP. An EP is *ripe* while its oldest request has ended. The
 * request EVD has a list of its ripe EPs, and takes their events while its ring has space.
 *
 * Fences: the kernel keeps max_rdma_read_out and the barrier fence, whether the program calls or
 * not. An entry with WEFT_SQ_FENCE begins when all earlier requests have ended. A fence begins a
 * *round*. The library counts the reads of the round that it does not know to have ended.
 *
 * A failed RDMA request breaks the connection. Requests after the first one that the end of the
 * connection has reached are reported as flushed, whether they have been executed or not.
 *
 * Locks: evd->lock for the list of ripe EPs; ep->lock for operations.
 */
#include "weft_dat.h"

/* ---- Operations -------------------------------------------------------------------------- */

/**
 * wd_op_get - allocate an operation; the counts guarantee one
 * @ep: the EP, locked
 * @kind: its kind
 * @cookie: of the program
 * @flags: of the post
 *
 * Return: its number.
 */
uint32_t wd_op_get(struct wd_ep *ep, DAT_DTOS kind, DAT_DTO_COOKIE cookie,
		   DAT_COMPLETION_FLAGS flags)
{
	uint32_t i = ep->free_op;

	ep->free_op = ep->ops[i].next;
	ep->ops[i] = (struct wd_op) {
		.kind = kind,
		.cookie = cookie,
		.flags = flags,
		.next = WD_NO_OP,
	};
	return i;
}

/**
 * wd_op_put - free an operation
 * @ep: the EP, locked
 * @i: its number
 *
 * Return: its content.
 */
struct wd_op wd_op_put(struct wd_ep *ep, uint32_t i)
{
	struct wd_op op = ep->ops[i];

	ep->ops[i].next = ep->free_op;
	ep->free_op = i;
	return op;
}

/**
 * wd_posted - convert the result of a post
 * @ep: the EP, locked
 * @op: number of the operation; freed if the post has failed
 * @count: count of its queue
 * @ret: 0, negative errno of libweft
 *
 * Return: the result of the call.
 */
DAT_RETURN wd_posted(struct wd_ep *ep, uint32_t op, struct wd_count *count, int ret)
{
	if (!ret)
		return DAT_SUCCESS;
	wd_op_put(ep, op);
	atomic_fetch_sub(&count->n, 1);
	return ret == -EIO ? WD_STATE(DAT_INVALID_STATE_EP_DISCONNECTED) :
			     wd_errno(ret, DAT_RESOURCE_TEP);
}

/* ---- Posts ------------------------------------------------------------------------------- */

/* Return: true if the EP has been connected. Its event may still be unread. */
static bool wd_sendable(const struct wd_ep *ep)
{
	return ep->state == DAT_EP_STATE_CONNECTED || wd_ep_shut(ep) ||
	       weft_ep_flags(ep->ep) & WEFT_ST_CONNECTED;
}

/**
 * wd_request_begin - allocate the operation of a request
 * @ep: the EP, locked
 * @kind: its kind
 * @cookie: of the program
 * @flags: of the post
 * @op: out: its number; wd_request_posted() follows
 *
 * Return: DAT_SUCCESS; the error of a wrong state, or of too many requests.
 */
DAT_RETURN wd_request_begin(struct wd_ep *ep, DAT_DTOS kind, DAT_DTO_COOKIE cookie,
			    DAT_COMPLETION_FLAGS flags, uint32_t *op)
{
	if (!wd_sendable(ep))
		return wd_ep_state_error(ep->state);
	if (!wd_count_take(ep->sends, ep->attr.max_request_dtos))
		return WD_ERR(DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_TEP);
	*op = wd_op_get(ep, kind, cookie, flags);
	return DAT_SUCCESS;
}

/**
 * wd_request_posted - give a posted request its place in the order, or free it
 * @ep: the EP, locked
 * @op: number of its operation
 * @ret: 0, negative errno of libweft: not posted
 *
 * Return: the result of the call.
 */
DAT_RETURN wd_request_posted(struct wd_ep *ep, uint32_t op, int ret)
{
	if (ret)
		return wd_posted(ep, op, ep->sends, ret);
	if (ep->first == WD_NO_OP)
		ep->first = op;
	else
		ep->ops[ep->last].next = op;
	ep->last = op;
	ep->nsend++;
	return DAT_SUCCESS;
}

/* Return: true if a request must wait until all earlier ones have ended. */
static bool wd_request_fenced(const struct wd_ep *ep, const struct wd_request *r)
{
	if (r->flags & DAT_COMPLETION_BARRIER_FENCE_FLAG && ep->reads)
		return true;
	return r->kind == DAT_DTO_RDMA_READ && ep->reads >= ep->attr.max_rdma_read_out;
}

/* A request is in the ring: count it in its round. */
static void wd_request_round(struct wd_ep *ep, uint32_t op, bool fenced)
{
	if (fenced) {
		ep->round++;
		ep->reads = 0;
	}
	if (ep->ops[op].kind == DAT_DTO_RDMA_READ) {
		ep->ops[op].round = ep->round;
		ep->reads++;
	}
}

static int wd_request_ring(struct wd_ep *ep, const struct wd_request *r, uint32_t op, uint32_t how)
{
	struct weft_rma_iov remote;

	if (r->kind == DAT_DTO_SEND)
		return weft_sendv(ep->ep, r->vec, r->n, 0, 0, op, how | WEFT_SQ_DELIVERY);
	remote = (struct weft_rma_iov) {
		.addr = r->remote->virtual_address,
		.len = r->len,
		.key = wd_region_key(r->remote->rmr_context),
	};
	if (r->kind == DAT_DTO_RDMA_WRITE)
		return weft_writev(ep->ep, r->vec, r->n, 0, &remote, 1, 0, op, how);
	return weft_readv(ep->ep, r->vec, r->n, 0, &remote, 1, op, how);
}

/**
 * wd_request_post - post a send or RDMA request
 * @ep: the EP
 * @r: the request, with arguments that have been checked
 *
 * Sends request delivery: success means that the peer has the message.
 *
 * Return: the result of the call.
 */
DAT_RETURN wd_request_post(struct wd_ep *ep, const struct wd_request *r)
{
	uint32_t how = WEFT_SQ_COMPLETION, op;
	bool fenced;
	DAT_RETURN dat;
	int ret;

	if (r->flags & DAT_COMPLETION_SOLICITED_WAIT_FLAG)
		how |= WEFT_SQ_SOLICITED;
	pthread_mutex_lock(&ep->lock);
	dat = wd_request_begin(ep, r->kind, r->cookie, r->flags, &op);
	if (dat == DAT_SUCCESS) {
		fenced = wd_request_fenced(ep, r);
		if (fenced)
			how |= WEFT_SQ_FENCE;
		ret = wd_request_ring(ep, r, op, how);
		if (!ret)
			wd_request_round(ep, op, fenced);
		dat = wd_request_posted(ep, op, ret);
	}
	pthread_mutex_unlock(&ep->lock);
	return dat;
}

/* ---- Ends -------------------------------------------------------------------------------- */

/* Return: true if the end of an operation breaks the connection. */
static bool wd_op_breaks(const struct wd_op *op)
{
	return wd_is_rdma(op->kind) && op->status != DAT_DTO_SUCCESS &&
	       op->status != DAT_DTO_ERR_FLUSHED;
}

/* Return: true if later requests count as flushed. */
static bool wd_op_last(const struct wd_op *op)
{
	return wd_op_breaks(op) || op->status == DAT_DTO_ERR_FLUSHED ||
	       op->status == DAT_DTO_ERR_TRANSPORT;
}

/* Put an EP on the list of its request EVD, if it is ripe. The EVD and the EP are locked. */
static void wd_request_ripe(struct wd_evd *evd, struct wd_ep *ep)
{
	if (ep->ripe || ep->first == WD_NO_OP || !ep->ops[ep->first].done)
		return;
	ep->ripe = true;
	ep->ripe_next = NULL;
	*(evd->ripe ? &evd->ripe_last->ripe_next : &evd->ripe) = ep;
	evd->ripe_last = ep;
}

/**
 * wd_request_done - a request has ended
 * @evd: request EVD of the EP, locked
 * @ep: the EP, locked
 * @i: number of the operation
 * @status: result
 * @len: bytes transferred
 */
void wd_request_done(struct wd_evd *evd, struct wd_ep *ep, uint32_t i,
		     DAT_DTO_COMPLETION_STATUS status, uint64_t len)
{
	struct wd_op *op = &ep->ops[i];

	op->done = true;
	op->status = status;
	op->len = len;
	if (op->kind == DAT_DTO_RDMA_READ && op->round == ep->round)
		ep->reads--;
	if (wd_op_breaks(op) && !ep->broken) {
		ep->broken = true;
		weft_shutdown(ep->ep);
	}
	wd_request_ripe(evd, ep);
}

/* Take the oldest request of a locked EP. Return: true if it has ended; @op: its content. */
static bool wd_request_take(struct wd_ep *ep, struct wd_op *op)
{
	uint32_t i = ep->first;

	if (i == WD_NO_OP || !ep->ops[i].done)
		return false;
	ep->first = ep->ops[i].next;
	ep->nsend--;
	*op = wd_op_put(ep, i);
	if (!ep->failed)
		ep->failed = wd_op_last(op);
	else if (op->status == DAT_DTO_SUCCESS)
		op->status = DAT_DTO_ERR_FLUSHED;
	return true;
}

/* Make the event of a request. Return: true if it has one. */
static bool wd_request_event(struct wd_ep *ep, const struct wd_op *op, struct wd_event *e)
{
	DAT_RMR_BIND_COMPLETION_EVENT_DATA *bind = &e->ev.event_data.rmr_completion_event_data;
	DAT_DTO_COMPLETION_EVENT_DATA *d = &e->ev.event_data.dto_completion_event_data;
	bool ok = op->status == DAT_DTO_SUCCESS;

	if (ok && op->flags & DAT_COMPLETION_SUPPRESS_FLAG) {
		atomic_fetch_sub(&ep->sends->n, 1);
		return false;
	}
	if (op->kind == DAT_DTO_BIND_MW) {
		e->ev.event_number = DAT_RMR_BIND_COMPLETION_EVENT;
		bind->rmr_handle = op->rmr;
		bind->user_cookie = op->cookie;
		bind->status = op->status;
	} else {
		e->ev.event_number = DAT_DTO_COMPLETION_EVENT;
		d->ep_handle = ep;
		d->user_cookie = op->cookie;
		d->status = op->status;
		d->operation = op->kind;
		d->transfered_length = op->len;
	}
	e->notify = !ok || !(op->flags & DAT_COMPLETION_UNSIGNALLED_FLAG);
	e->reap = ep->sends;
	atomic_fetch_add(&e->reap->refs, 1);
	return true;
}

/**
 * wd_request_next - make the event of the next ended request of an EVD
 * @evd: the EVD, locked; an EP of it is ripe
 * @e: out: the event
 *
 * Return: true if there is an event.
 */
bool wd_request_next(struct wd_evd *evd, struct wd_event *e)
{
	struct wd_ep *ep = evd->ripe;
	struct wd_op op;
	bool is;

	pthread_mutex_lock(&ep->lock);
	is = wd_request_take(ep, &op);
	if (!is) {
		ep->ripe = false;
		evd->ripe = ep->ripe_next;
	}
	pthread_mutex_unlock(&ep->lock);
	return is && wd_request_event(ep, &op, e);
}

/**
 * wd_request_forget - an EP ends: its EVD makes no more events of it
 * @evd: request EVD of the EP, locked
 * @ep: the EP
 */
void wd_request_forget(struct wd_evd *evd, struct wd_ep *ep)
{
	struct wd_ep **link = &evd->ripe, *last = NULL;

	while (*link && *link != ep) {
		last = *link;
		link = &last->ripe_next;
	}
	if (!*link)
		return;
	*link = ep->ripe_next;
	if (evd->ripe_last == ep)
		evd->ripe_last = last;
	ep->ripe = false;
}
