// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Endpoints: sends and receives. weft_dat_request.c posts the sends.
 *
 * Locks: ep->lock for receives.
 */
#include "weft_dat.h"

/**
 * wd_flags_ok - check the flags of a post
 * @flags: the flags
 * @known: those that the call has
 * @allowed: attribute of the EP
 *
 * Return: true if the post may have them.
 */
bool wd_flags_ok(DAT_COMPLETION_FLAGS flags, DAT_COMPLETION_FLAGS known,
		 DAT_COMPLETION_FLAGS allowed)
{
	if (flags & ~known)
		return false;
	return !(flags & DAT_COMPLETION_UNSIGNALLED_FLAG) ||
	       allowed & DAT_COMPLETION_UNSIGNALLED_FLAG;
}

/* Sends need no local read privilege: programs rely on that. */
DAT_RETURN wd_ep_post_send(DAT_EP_HANDLE handle, DAT_COUNT n, DAT_LMR_TRIPLET *iov,
			   DAT_DTO_COOKIE cookie, DAT_COMPLETION_FLAGS flags)
{
	struct iovec vec[WD_IOV_MAX];
	struct wd_request r = {
		.kind = DAT_DTO_SEND, .vec = vec, .n = n, .cookie = cookie, .flags = flags,
	};
	struct wd_ep *ep = handle;
	DAT_RETURN dat;

	if (!wd_is(handle, DAT_HANDLE_TYPE_EP))
		return WD_BAD(DAT_INVALID_HANDLE_EP);
	dat = wd_iov(ep->obj.ia, ep->pz, iov, n, ep->attr.max_request_iov,
		     DAT_MEM_PRIV_NONE_FLAG, vec, NULL);
	if (dat != DAT_SUCCESS)
		return dat;
	r.len = wd_bytes(vec, n);
	/* lengths of messages have 32 bits */
	if (r.len > UINT32_MAX)
		return WD_ARG(3);
	if (!wd_flags_ok(flags, DAT_COMPLETION_SUPPRESS_FLAG | DAT_COMPLETION_SOLICITED_WAIT_FLAG |
			 DAT_COMPLETION_UNSIGNALLED_FLAG | DAT_COMPLETION_BARRIER_FENCE_FLAG,
			 ep->attr.request_completion_flags))
		return WD_ARG(5);
	return wd_request_post(ep, &r);
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
	dat = wd_iov(ep->obj.ia, ep->pz, iov, n, ep->attr.max_recv_iov,
		     DAT_MEM_PRIV_LOCAL_WRITE_FLAG, vec, NULL);
	if (dat != DAT_SUCCESS)
		return dat;
	if (!wd_flags_ok(flags, DAT_COMPLETION_UNSIGNALLED_FLAG, ep->attr.recv_completion_flags))
		return WD_ARG(5);
	pthread_mutex_lock(&ep->lock);
	if (!wd_count_take(ep->recvs, ep->attr.max_recv_dtos)) {
		pthread_mutex_unlock(&ep->lock);
		return WD_ERR(DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_TEP);
	}
	op = wd_op_get(ep, DAT_DTO_RECEIVE, cookie, flags);
	ret = weft_recvv(ep->ep, vec, n, WEFT_SRC_ANY, op, WEFT_RQ_COMPLETION);
	dat = wd_posted(ep, op, ep->recvs, ret);
	ep->nrecv += !ret;
	pthread_mutex_unlock(&ep->lock);
	return dat;
}
