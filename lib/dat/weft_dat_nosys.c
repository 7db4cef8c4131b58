// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Unsupported calls: RMRs of a single EP, RDMA reads into RMRs, sends that invalidate RMRs,
 * reserved and common service points, extensions
 *
 * A model that the standard makes optional returns DAT_MODEL_NOT_SUPPORTED. All else returns
 * DAT_NOT_IMPLEMENTED.
 */
#include "weft_dat.h"

/* Return: the error of a model, or of an invalid handle. */
static DAT_RETURN no_model(DAT_HANDLE handle, int type, DAT_RETURN_SUBTYPE sub)
{
	return wd_is(handle, type) ? WD_NOT_SUPPORTED : WD_BAD(sub);
}

static DAT_RETURN no_rdma_read_rmr(DAT_EP_HANDLE ep, const DAT_RMR_TRIPLET *local,
				   DAT_DTO_COOKIE cookie, const DAT_RMR_TRIPLET *remote,
				   DAT_COMPLETION_FLAGS flags)
{
	return no_model(ep, DAT_HANDLE_TYPE_EP, DAT_INVALID_HANDLE_EP);
}

static DAT_RETURN no_send_inval(DAT_EP_HANDLE ep, DAT_COUNT n, DAT_LMR_TRIPLET *iov,
				DAT_DTO_COOKIE cookie, DAT_COMPLETION_FLAGS flags,
				DAT_BOOLEAN invalidate, DAT_RMR_CONTEXT context)
{
	return no_model(ep, DAT_HANDLE_TYPE_EP, DAT_INVALID_HANDLE_EP);
}

/* Zones protect RMRs: their scope is that of the zone. */
static DAT_RETURN no_rmr_create(DAT_PZ_HANDLE pz, DAT_RMR_HANDLE *rmr)
{
	return no_model(pz, DAT_HANDLE_TYPE_PZ, DAT_INVALID_HANDLE_PZ);
}

static DAT_RETURN no_rsp_create(DAT_IA_HANDLE ia, DAT_CONN_QUAL qual, DAT_EP_HANDLE ep,
				DAT_EVD_HANDLE evd, DAT_RSP_HANDLE *rsp)
{
	return WD_NOT_SUPPORTED;
}

static DAT_RETURN no_rsp_query(DAT_RSP_HANDLE rsp, DAT_RSP_PARAM_MASK mask, DAT_RSP_PARAM *param)
{
	return WD_NOT_SUPPORTED;
}

static DAT_RETURN no_rsp_free(DAT_RSP_HANDLE rsp)
{
	return WD_NOT_SUPPORTED;
}

static DAT_RETURN no_csp_create(DAT_IA_HANDLE ia, DAT_COMM *comm, DAT_IA_ADDRESS_PTR addr,
				DAT_EVD_HANDLE evd, DAT_CSP_HANDLE *csp)
{
	return WD_NOT_IMPLEMENTED;
}

static DAT_RETURN no_csp_query(DAT_CSP_HANDLE csp, DAT_CSP_PARAM_MASK mask, DAT_CSP_PARAM *param)
{
	return WD_NOT_IMPLEMENTED;
}

static DAT_RETURN no_csp_free(DAT_CSP_HANDLE csp)
{
	return WD_NOT_IMPLEMENTED;
}

static DAT_RETURN no_common_connect(DAT_EP_HANDLE ep, DAT_IA_ADDRESS_PTR addr,
				    DAT_TIMEOUT timeout, DAT_COUNT len, const DAT_PVOID data)
{
	return WD_NOT_IMPLEMENTED;
}

/* Two IAs are two ports: neither takes over after a failure of the other. */
static DAT_RETURN ha_related(DAT_IA_HANDLE ia, const DAT_NAME_PTR name, DAT_BOOLEAN *answer)
{
	if (!wd_is(ia, DAT_HANDLE_TYPE_IA))
		return WD_BAD(DAT_INVALID_HANDLE_IA);
	if (!answer)
		return WD_ARG(3);
	*answer = DAT_FALSE;
	return DAT_SUCCESS;
}

static DAT_RETURN no_extension(DAT_HANDLE handle, DAT_EXTENDED_OP op, va_list args)
{
	return WD_NOT_IMPLEMENTED;
}

void wd_nosys(DAT_PROVIDER *p)
{
	p->ep_post_rdma_read_to_rmr_func = no_rdma_read_rmr;
	p->ep_post_send_with_invalidate_func = no_send_inval;
	p->rmr_create_for_ep_func = no_rmr_create;
	p->rsp_create_func = no_rsp_create;
	p->rsp_query_func = no_rsp_query;
	p->rsp_free_func = no_rsp_free;
	p->csp_create_func = no_csp_create;
	p->csp_query_func = no_csp_query;
	p->csp_free_func = no_csp_free;
	p->ep_common_connect_func = no_common_connect;
	p->ia_ha_related_func = ha_related;
	p->handle_extendedop_func = no_extension;
}
