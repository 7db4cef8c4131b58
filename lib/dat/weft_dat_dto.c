// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Endpoints: sends and receives
 *
 * A post is one ring write under the EP's lock. Data for its completion are kept in an operation.
 * Its number is the context of the ring's entry. Sends request delivery: success means that the
 * peer has the message.
 */
#include "weft_dat.h"

/* Return: true if a post on an EP may have the flags. @allowed: attributes of the EP. */
static bool wd_flags_ok(DAT_COMPLETION_FLAGS flags, DAT_COMPLETION_FLAGS known,
			DAT_COMPLETION_FLAGS allowed)
{
	if (flags & ~known)
		return false;
	return !(flags & DAT_COMPLETION_UNSIGNALLED_FLAG) ||
	       allowed & DAT_COMPLETION_UNSIGNALLED_FLAG;
}

/* Allocate an operation; the counts guarantee one. The EP is locked. */
static uint32_t wd_op_get(struct wd_ep *ep, DAT_DTO_COOKIE cookie, DAT_COMPLETION_FLAGS flags)
{
	uint32_t i = ep->free_op;

	ep->free_op = ep->ops[i].next;
	ep->ops[i].cookie = cookie;
	ep->ops[i].flags = flags;
	return i;
}

/* Return: true if the EP has been connected. Its event may still be unread. */
static bool wd_sendable(const struct wd_ep *ep)
{
	return ep->state == DAT_EP_STATE_CONNECTED || ep->state == DAT_EP_STATE_DISCONNECTED ||
	       weft_ep_flags(ep->ep) & (WEFT_ST_CONNECTED | WEFT_ST_SHUT);
}

static DAT_RETURN wd_posted(struct wd_ep *ep, uint32_t op, struct wd_count *count, int ret)
{
	if (!ret)
		return DAT_SUCCESS;
	ep->ops[op].next = ep->free_op;
	ep->free_op = op;
	atomic_fetch_sub(&count->n, 1);
	return ret == -EIO ? WD_STATE(DAT_INVALID_STATE_EP_DISCONNECTED) :
			     wd_errno(ret, DAT_RESOURCE_TEP);
}

DAT_RETURN wd_ep_post_send(DAT_EP_HANDLE handle, DAT_COUNT n, DAT_LMR_TRIPLET *iov,
			   DAT_DTO_COOKIE cookie, DAT_COMPLETION_FLAGS flags)
{
	uint32_t how = WEFT_SQ_COMPLETION | WEFT_SQ_DELIVERY, op;
	struct iovec vec[WD_IOV_MAX];
	struct wd_ep *ep = handle;
	DAT_RETURN dat;
	int ret;

	if (!wd_is(handle, DAT_HANDLE_TYPE_EP))
		return WD_BAD(DAT_INVALID_HANDLE_EP);
	dat = wd_iov(ep->obj.ia, ep->pz, iov, n, ep->attr.max_request_iov, false, vec, NULL);
	if (dat != DAT_SUCCESS)
		return dat;
	if (!wd_flags_ok(flags, DAT_COMPLETION_SUPPRESS_FLAG | DAT_COMPLETION_SOLICITED_WAIT_FLAG |
			 DAT_COMPLETION_UNSIGNALLED_FLAG | DAT_COMPLETION_BARRIER_FENCE_FLAG,
			 ep->attr.request_completion_flags))
		return WD_ARG(5);
	if (flags & DAT_COMPLETION_SOLICITED_WAIT_FLAG)
		how |= WEFT_SQ_SOLICITED;
	pthread_mutex_lock(&ep->lock);
	if (!wd_sendable(ep)) {
		dat = wd_ep_state_error(ep->state);
		pthread_mutex_unlock(&ep->lock);
		return dat;
	}
	if (!wd_count_take(ep->sends, ep->attr.max_request_dtos)) {
		pthread_mutex_unlock(&ep->lock);
		return WD_ERR(DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_TEP);
	}
	op = wd_op_get(ep, cookie, flags);
	ret = weft_sendv(ep->ep, vec, n, 0, 0, op, how);
	dat = wd_posted(ep, op, ep->sends, ret);
	ep->nsend += !ret;
	pthread_mutex_unlock(&ep->lock);
	return dat;
}

DAT_RETURN wd_ep_post_recv(DAT_EP_HANDLE handle, DAT_COUNT n, DAT_LMR_TRIPLET *iov,
			   DAT_DTO_COOKIE cookie, DAT_COMPLETION_FLAGS flags)
{
	struct iovec vec[WD_IOV_MAX];
	struct wd_ep *ep = handle;
	DAT_RETURN dat;
	uint32_t op;
	int ret;

	if (!wd_is(handle, DAT_HANDLE_TYPE_EP))
		return WD_BAD(DAT_INVALID_HANDLE_EP);
	if (ep->srq)
		return WD_ARG(1);
	dat = wd_iov(ep->obj.ia, ep->pz, iov, n, ep->attr.max_recv_iov, true, vec, NULL);
	if (dat != DAT_SUCCESS)
		return dat;
	if (!wd_flags_ok(flags, DAT_COMPLETION_UNSIGNALLED_FLAG, ep->attr.recv_completion_flags))
		return WD_ARG(5);
	pthread_mutex_lock(&ep->lock);
	if (!wd_count_take(ep->recvs, ep->attr.max_recv_dtos)) {
		pthread_mutex_unlock(&ep->lock);
		return WD_ERR(DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_TEP);
	}
	op = wd_op_get(ep, cookie, flags);
	ret = weft_recvv(ep->ep, vec, n, WEFT_SRC_ANY, op, WEFT_RQ_COMPLETION);
	dat = wd_posted(ep, op, ep->recvs, ret);
	ep->nrecv += !ret;
	pthread_mutex_unlock(&ep->lock);
	return dat;
}
