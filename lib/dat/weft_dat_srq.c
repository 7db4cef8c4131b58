// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Shared receive queues
 *
 * A buffer is outstanding from its post until the event of its completion is dequeued. The kernel
 * counts the available ones.
 */
#include "weft_dat.h"

static uint32_t wd_srq_slots(DAT_COUNT recvs, DAT_COUNT iov)
{
	uint32_t slots = recvs * (iov > 1 ? 2 : 1);

	return slots < WEFT_RING_MIN ? WEFT_RING_MIN : slots;
}

DAT_RETURN wd_srq_create(DAT_IA_HANDLE handle, DAT_PZ_HANDLE pz_handle, DAT_SRQ_ATTR *attr,
			 DAT_SRQ_HANDLE *out)
{
	struct weft_srq_attr how = { 0 };
	struct wd_pz *pz = pz_handle;
	struct wd_ia *ia = handle;
	struct wd_srq *srq;
	int ret;

	if (!wd_is(handle, DAT_HANDLE_TYPE_IA))
		return WD_BAD(DAT_INVALID_HANDLE_IA);
	if (!wd_is_of(pz_handle, DAT_HANDLE_TYPE_PZ, ia))
		return WD_BAD(DAT_INVALID_HANDLE_PZ);
	if (!attr || attr->max_recv_dtos <= 0 || attr->max_recv_dtos > WD_DTO_MAX ||
	    attr->max_recv_iov < 0 || attr->max_recv_iov > WD_SRQ_IOV_MAX ||
	    attr->low_watermark != DAT_SRQ_LW_DEFAULT)
		return WD_ARG(3);
	if (!out)
		return WD_ARG(4);
	srq = wd_new(ia, DAT_HANDLE_TYPE_SRQ);
	if (!srq)
		return WD_NOMEM;
	srq->max_recv = attr->max_recv_dtos;
	srq->max_iov = attr->max_recv_iov;
	srq->count = wd_count_new();
	how.recvs = srq->max_recv;
	how.slots = wd_srq_slots(srq->max_recv, srq->max_iov);
	how.zone = pz->zone;
	ret = srq->count ? weft_srq_create(ia->ctx, &how, ia->async ? ia->async->eq : NULL,
					   &srq->srq) : -ENOMEM;
	if (ret) {
		wd_count_put(srq->count);
		wd_free(srq);
		return wd_errno(ret, DAT_RESOURCE_SRQ);
	}
	pthread_mutex_init(&srq->lock, NULL);
	srq->pz = pz;
	wd_use(pz);
	wd_index(ia, weft_srq_handle(srq->srq), &srq->obj);
	*out = srq;
	return DAT_SUCCESS;
}

DAT_RETURN wd_srq_free(DAT_SRQ_HANDLE handle)
{
	struct wd_srq *srq = handle;

	if (!wd_is(handle, DAT_HANDLE_TYPE_SRQ))
		return WD_BAD(DAT_INVALID_HANDLE_SRQ);
	if (srq->obj.refs)
		return WD_STATE(DAT_INVALID_STATE_SRQ_IN_USE);
	wd_unindex(&srq->obj);
	weft_srq_destroy(srq->srq);
	wd_count_put(srq->count);
	wd_unuse(srq->pz);
	pthread_mutex_destroy(&srq->lock);
	wd_free(srq);
	return DAT_SUCCESS;
}

DAT_RETURN wd_srq_post_recv(DAT_SRQ_HANDLE handle, DAT_COUNT n, DAT_LMR_TRIPLET *iov,
			    DAT_DTO_COOKIE cookie)
{
	struct iovec vec[WD_SRQ_IOV_MAX];
	uint32_t keys[WD_SRQ_IOV_MAX];
	struct wd_srq *srq = handle;
	DAT_RETURN dat;
	int ret;

	if (!wd_is(handle, DAT_HANDLE_TYPE_SRQ))
		return WD_BAD(DAT_INVALID_HANDLE_SRQ);
	dat = wd_iov(srq->obj.ia, srq->pz, iov, n, srq->max_iov, DAT_MEM_PRIV_LOCAL_WRITE_FLAG,
		     vec, keys);
	if (dat != DAT_SUCCESS)
		return dat;
	pthread_mutex_lock(&srq->lock);
	ret = -EAGAIN;
	if (wd_count_take(srq->count, srq->max_recv)) {
		ret = weft_srq_recvk(srq->srq, vec, keys, n, cookie.as_64, WEFT_RQ_COMPLETION);
		if (ret)
			atomic_fetch_sub(&srq->count->n, 1);
	}
	pthread_mutex_unlock(&srq->lock);
	return wd_errno(ret, DAT_RESOURCE_SRQ);
}

DAT_RETURN wd_srq_query(DAT_SRQ_HANDLE handle, DAT_SRQ_PARAM_MASK mask, DAT_SRQ_PARAM *param)
{
	DAT_RETURN dat = wd_query(handle, DAT_HANDLE_TYPE_SRQ, mask & ~DAT_SRQ_FIELD_ALL, param);
	struct weft_ioc_srq_query q;
	struct wd_srq *srq = handle;
	int ret;

	if (dat != DAT_SUCCESS)
		return dat;
	pthread_mutex_lock(&srq->lock);
	ret = weft_srq_query(srq->srq, &q);
	*param = (DAT_SRQ_PARAM) {
		.ia_handle = srq->obj.ia,
		.srq_state = ret ? DAT_SRQ_STATE_ERROR : DAT_SRQ_STATE_OPERATIONAL,
		.pz_handle = srq->pz,
		.max_recv_dtos = srq->max_recv,
		.max_recv_iov = srq->max_iov,
		.low_watermark = ret ? 0 : q.low,
		.available_dto_count = ret ? 0 : q.available,
		.outstanding_dto_count = atomic_load(&srq->count->n),
	};
	pthread_mutex_unlock(&srq->lock);
	return DAT_SUCCESS;
}

DAT_RETURN wd_srq_resize(DAT_SRQ_HANDLE handle, DAT_COUNT max)
{
	struct weft_ioc_srq_query q;
	struct wd_srq *srq = handle;
	DAT_RETURN dat;
	int ret;

	if (!wd_is(handle, DAT_HANDLE_TYPE_SRQ))
		return WD_BAD(DAT_INVALID_HANDLE_SRQ);
	if (max <= 0 || max > WD_DTO_MAX)
		return WD_ARG(2);
	pthread_mutex_lock(&srq->lock);
	ret = weft_srq_query(srq->srq, &q);
	if (!ret && (max < atomic_load(&srq->count->n) || (uint32_t)max < q.low))
		ret = -EBUSY;
	if (!ret)
		ret = weft_srq_resize(srq->srq, wd_srq_slots(max, srq->max_iov), max);
	if (!ret)
		srq->max_recv = max;
	dat = ret == -EBUSY  ? WD_STATE(DAT_INVALID_STATE_SRQ_OPERATIONAL) :
	      ret == -ENODEV ? WD_STATE(DAT_INVALID_STATE_SRQ_ERROR) :
			       wd_errno(ret, DAT_RESOURCE_SRQ);
	pthread_mutex_unlock(&srq->lock);
	return dat;
}

DAT_RETURN wd_srq_set_lw(DAT_SRQ_HANDLE handle, DAT_COUNT low)
{
	struct wd_srq *srq = handle;

	if (!wd_is(handle, DAT_HANDLE_TYPE_SRQ))
		return WD_BAD(DAT_INVALID_HANDLE_SRQ);
	if (low < 0 || low > srq->max_recv)
		return WD_ARG(2);
	if (!srq->obj.ia->async)
		return WD_NOT_SUPPORTED;
	return wd_errno(weft_srq_arm(srq->srq, low), DAT_RESOURCE_SRQ);
}
