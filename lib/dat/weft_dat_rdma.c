// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Endpoints: RDMA reads and writes
 *
 * The local segments are checked here, the remote segment by the peer's kernel. A read may have
 * longer local segments, a write a longer remote segment: the source decides how many bytes move.
 */
#include "weft_dat.h"

/* Check the arguments that both calls have. @max: segments; @need: local privilege. */
static DAT_RETURN wd_rdma_check(struct wd_ep *ep, DAT_COUNT n, const DAT_LMR_TRIPLET *iov,
				DAT_COUNT max, DAT_MEM_PRIV_FLAGS need, struct iovec *vec,
				const struct wd_request *r)
{
	DAT_RETURN dat = wd_iov(ep->obj.ia, ep->pz, iov, n, max, need, vec, NULL);

	if (dat != DAT_SUCCESS)
		return dat;
	if (!r->remote)
		return WD_ARG(5);
	if (!wd_flags_ok(r->flags, DAT_COMPLETION_SUPPRESS_FLAG | DAT_COMPLETION_UNSIGNALLED_FLAG |
			 DAT_COMPLETION_BARRIER_FENCE_FLAG, ep->attr.request_completion_flags))
		return WD_ARG(6);
	return DAT_SUCCESS;
}

/* Shorten segments to @len bytes. Return: how many are left. */
static DAT_COUNT wd_rdma_cut(struct iovec *vec, DAT_COUNT n, uint64_t len)
{
	DAT_COUNT i;

	for (i = 0; i < n && len; i++) {
		if (vec[i].iov_len > len)
			vec[i].iov_len = len;
		len -= vec[i].iov_len;
	}
	return i;
}

DAT_RETURN wd_ep_post_rdma_read(DAT_EP_HANDLE handle, DAT_COUNT n, DAT_LMR_TRIPLET *iov,
				DAT_DTO_COOKIE cookie, const DAT_RMR_TRIPLET *remote,
				DAT_COMPLETION_FLAGS flags)
{
	struct iovec vec[WD_IOV_MAX];
	struct wd_request r = {
		.kind = DAT_DTO_RDMA_READ, .vec = vec, .remote = remote, .cookie = cookie,
		.flags = flags,
	};
	struct wd_ep *ep = handle;
	DAT_RETURN dat;

	if (!wd_is(handle, DAT_HANDLE_TYPE_EP))
		return WD_BAD(DAT_INVALID_HANDLE_EP);
	if (!ep->attr.max_rdma_read_out) {
		wd_say("max_rdma_read_out of the EP is 0");
		return WD_ARG(1);
	}
	dat = wd_rdma_check(ep, n, iov, ep->attr.max_rdma_read_iov, DAT_MEM_PRIV_LOCAL_WRITE_FLAG,
			    vec, &r);
	if (dat != DAT_SUCCESS)
		return dat;
	r.len = remote->segment_length;
	if (r.len > wd_bytes(vec, n))
		return WD_ERR(DAT_LENGTH_ERROR, DAT_NO_SUBTYPE);
	r.n = wd_rdma_cut(vec, n, r.len);
	return wd_request_post(ep, &r);
}

DAT_RETURN wd_ep_post_rdma_write(DAT_EP_HANDLE handle, DAT_COUNT n, DAT_LMR_TRIPLET *iov,
				 DAT_DTO_COOKIE cookie, const DAT_RMR_TRIPLET *remote,
				 DAT_COMPLETION_FLAGS flags)
{
	struct iovec vec[WD_IOV_MAX];
	struct wd_request r = {
		.kind = DAT_DTO_RDMA_WRITE, .vec = vec, .n = n, .remote = remote, .cookie = cookie,
		.flags = flags,
	};
	struct wd_ep *ep = handle;
	DAT_RETURN dat;

	if (!wd_is(handle, DAT_HANDLE_TYPE_EP))
		return WD_BAD(DAT_INVALID_HANDLE_EP);
	dat = wd_rdma_check(ep, n, iov, ep->attr.max_rdma_write_iov, DAT_MEM_PRIV_LOCAL_READ_FLAG,
			    vec, &r);
	if (dat != DAT_SUCCESS)
		return dat;
	r.len = wd_bytes(vec, n);
	if (r.len > remote->segment_length)
		return WD_ERR(DAT_LENGTH_ERROR, DAT_NO_SUBTYPE);
	return wd_request_post(ep, &r);
}
