// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Remote memory regions: windows into LMRs
 *
 * A bind makes a region of the window, and ends the former one, in the call itself. So later
 * requests begin after it. Its event takes its turn among the requests of the EP.
 *
 * Locks: evd->lock of the request EVD -> ep->lock -> rmr->lock.
 */
#include "weft_dat.h"

DAT_RETURN wd_rmr_create(DAT_PZ_HANDLE handle, DAT_RMR_HANDLE *out)
{
	struct wd_pz *pz = handle;
	struct wd_rmr *rmr;

	if (!wd_is(handle, DAT_HANDLE_TYPE_PZ))
		return WD_BAD(DAT_INVALID_HANDLE_PZ);
	if (!out)
		return WD_ARG(2);
	rmr = wd_new(pz->obj.ia, DAT_HANDLE_TYPE_RMR);
	if (!rmr)
		return WD_NOMEM;
	pthread_mutex_init(&rmr->lock, NULL);
	rmr->pz = pz;
	wd_use(pz);
	*out = rmr;
	return DAT_SUCCESS;
}

DAT_RETURN wd_rmr_query(DAT_RMR_HANDLE handle, DAT_RMR_PARAM_MASK mask, DAT_RMR_PARAM *param)
{
	DAT_RETURN dat = wd_query(handle, DAT_HANDLE_TYPE_RMR, mask & ~DAT_RMR_FIELD_ALL, param);
	struct wd_rmr *rmr = handle;

	if (dat != DAT_SUCCESS)
		return dat;
	pthread_mutex_lock(&rmr->lock);
	*param = (DAT_RMR_PARAM) {
		.ia_handle = rmr->obj.ia,
		.pz_handle = rmr->pz,
		.lmr_triplet = rmr->iov,
		.mem_priv = rmr->priv,
		.rmr_context = rmr->context,
		.rmr_scope = DAT_RMR_SCOPE_PZ,
		.va_type = DAT_VA_TYPE_VA,
	};
	pthread_mutex_unlock(&rmr->lock);
	return DAT_SUCCESS;
}

/* Replace the window by a described one, @lmr NULL: by none. The RMR is locked. */
static void wd_rmr_set(struct wd_rmr *rmr, struct wd_lmr *lmr, const DAT_LMR_TRIPLET *iov,
		       DAT_MEM_PRIV_FLAGS priv, DAT_RMR_CONTEXT context)
{
	wd_region_end(rmr->pz, rmr->context);
	wd_use(lmr);
	wd_unuse(rmr->lmr);
	rmr->lmr = lmr;
	rmr->iov = lmr ? *iov : (DAT_LMR_TRIPLET) { 0 };
	rmr->priv = lmr ? priv : DAT_MEM_PRIV_NONE_FLAG;
	rmr->context = context;
}

DAT_RETURN wd_rmr_free(DAT_RMR_HANDLE handle)
{
	struct wd_rmr *rmr = handle;

	if (!wd_is(handle, DAT_HANDLE_TYPE_RMR))
		return WD_BAD(DAT_INVALID_HANDLE_RMR);
	pthread_mutex_lock(&rmr->lock);
	wd_rmr_set(rmr, NULL, NULL, DAT_MEM_PRIV_NONE_FLAG, 0);
	pthread_mutex_unlock(&rmr->lock);
	wd_unuse(rmr->pz);
	pthread_mutex_destroy(&rmr->lock);
	wd_free(rmr);
	return DAT_SUCCESS;
}

/* ---- Binds ------------------------------------------------------------------------------- */

/* Check a window of at least one byte. */
static DAT_RETURN wd_rmr_window(const struct wd_rmr *rmr, struct wd_lmr *lmr,
				const DAT_LMR_TRIPLET *iov, DAT_MEM_PRIV_FLAGS priv)
{
	bool write = priv & DAT_MEM_PRIV_WRITE_FLAG;

	if (!wd_is_of(lmr, DAT_HANDLE_TYPE_LMR, rmr->obj.ia))
		return WD_BAD(DAT_INVALID_HANDLE_LMR);
	if (iov->lmr_context != lmr->key)
		return WD_ARG(3);
	if (lmr->pz != rmr->pz)
		return WD_ERR(DAT_PROTECTION_VIOLATION,
			      write ? DAT_PROTECTION_WRITE : DAT_PROTECTION_READ);
	priv &= ~lmr->priv;
	if (priv)
		return WD_ERR(DAT_PRIVILEGES_VIOLATION, priv & DAT_MEM_PRIV_WRITE_FLAG ?
			      DAT_PRIVILEGES_WRITE : DAT_PRIVILEGES_READ);
	if (!wd_lmr_covers(lmr, iov->virtual_address, iov->segment_length))
		return WD_ARG(3);
	return DAT_SUCCESS;
}

static DAT_RETURN wd_rmr_check(const struct wd_rmr *rmr, struct wd_ep *ep,
			       DAT_MEM_PRIV_FLAGS priv, DAT_VA_TYPE va_type,
			       DAT_COMPLETION_FLAGS flags)
{
	if (priv & ~DAT_MEM_PRIV_ALL_FLAG)
		return WD_ARG(4);
	if (va_type != DAT_VA_TYPE_VA)
		return WD_NOT_SUPPORTED;
	if (!wd_is_of(ep, DAT_HANDLE_TYPE_EP, rmr->obj.ia))
		return WD_BAD(DAT_INVALID_HANDLE_EP);
	if (ep->pz != rmr->pz)
		return WD_ERR(DAT_PROTECTION_VIOLATION, DAT_NO_SUBTYPE);
	if (!wd_flags_ok(flags, DAT_COMPLETION_SUPPRESS_FLAG | DAT_COMPLETION_UNSIGNALLED_FLAG |
			 DAT_COMPLETION_BARRIER_FENCE_FLAG, ep->attr.request_completion_flags))
		return WD_ARG(8);
	if (!ep->request || !(ep->request->flags & DAT_EVD_RMR_BIND_FLAG))
		return WD_STATE(DAT_INVALID_STATE_EP_EVD_REQUEST);
	return DAT_SUCCESS;
}

/* Change the window. The EP is locked. Return: 0, -errno: nothing has changed. */
static int wd_rmr_change(struct wd_rmr *rmr, struct wd_lmr *lmr, const DAT_LMR_TRIPLET *iov,
			 DAT_MEM_PRIV_FLAGS priv, DAT_RMR_CONTEXT *context)
{
	int ret = 0;

	*context = 0;
	if (lmr)
		ret = wd_region_add(rmr->pz, iov->virtual_address, iov->segment_length, priv,
				    context);
	if (ret)
		return ret;
	pthread_mutex_lock(&rmr->lock);
	wd_rmr_set(rmr, lmr, iov, priv, *context);
	pthread_mutex_unlock(&rmr->lock);
	return 0;
}

/* Length 0 unbinds; then the LMR is not looked at. A bind on a connection that has ended fails. */
DAT_RETURN wd_rmr_bind(DAT_RMR_HANDLE handle, DAT_LMR_HANDLE lmr_handle,
		       const DAT_LMR_TRIPLET *iov, DAT_MEM_PRIV_FLAGS priv, DAT_VA_TYPE va_type,
		       DAT_EP_HANDLE ep_handle, DAT_RMR_COOKIE cookie, DAT_COMPLETION_FLAGS flags,
		       DAT_RMR_CONTEXT *out)
{
	struct wd_lmr *lmr = iov && iov->segment_length ? lmr_handle : NULL;
	DAT_RMR_CONTEXT context = 0;
	struct wd_rmr *rmr = handle;
	struct wd_ep *ep = ep_handle;
	bool shut;
	DAT_RETURN dat;
	uint32_t op;
	int ret = 0;

	if (!wd_is(handle, DAT_HANDLE_TYPE_RMR))
		return WD_BAD(DAT_INVALID_HANDLE_RMR);
	if (!iov)
		return WD_ARG(3);
	dat = wd_rmr_check(rmr, ep, priv, va_type, flags);
	if (dat == DAT_SUCCESS && iov->segment_length)
		dat = wd_rmr_window(rmr, lmr, iov, priv);
	if (dat != DAT_SUCCESS)
		return dat;
	pthread_mutex_lock(&ep->request->lock);
	pthread_mutex_lock(&ep->lock);
	dat = wd_request_begin(ep, DAT_DTO_BIND_MW, cookie, flags, &op);
	if (dat == DAT_SUCCESS) {
		shut = wd_ep_shut(ep);
		if (!shut)
			ret = wd_rmr_change(rmr, lmr, iov, priv, &context);
		ep->ops[op].rmr = rmr;
		dat = wd_request_posted(ep, op, ret);
		if (!ret)
			wd_request_done(ep->request, ep, op,
					shut ? DAT_DTO_ERR_FLUSHED : DAT_DTO_SUCCESS, 0);
	}
	pthread_mutex_unlock(&ep->lock);
	wd_evd_gather(ep->request, false);
	pthread_mutex_unlock(&ep->request->lock);
	if (dat == DAT_SUCCESS && out)
		*out = context;
	return dat;
}
