// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Public service points, and their connection requests
 */
#include <endian.h>

#include "weft_dat.h"

/* @qual: 0: the kernel chooses one. */
static DAT_RETURN wd_psp_make(struct wd_ia *ia, DAT_CONN_QUAL qual, struct wd_evd *evd,
			      struct wd_psp **out)
{
	struct weft_ep_attr attr = { .type = WEFT_EP_PASSIVE, .addr = ia->q.addr[0] };
	struct wd_psp *psp = wd_new(ia, DAT_HANDLE_TYPE_PSP);
	struct weft_sockaddr addr;
	int ret;

	if (!psp)
		return WD_NOMEM;
	attr.addr.port = htobe16((uint16_t)qual);
	ret = wd_ia_endpoint(ia, &attr, &psp->ep);
	if (ret) {
		wd_free(psp);
		return wd_errno(ret, DAT_RESOURCE_TEP);
	}
	psp->evd = evd;
	psp->qual = qual;
	wd_index(ia, weft_ep_handle(psp->ep), &psp->obj);
	ret = weft_listen(psp->ep, evd->eq, WD_BACKLOG);
	if (!ret)
		ret = weft_getname(psp->ep, &addr);
	if (ret) {
		wd_unindex(&psp->obj);
		weft_ep_destroy(psp->ep);
		wd_free(psp);
		return wd_errno(ret, DAT_RESOURCE_TEP);
	}
	psp->qual = be16toh(addr.port);
	wd_use(evd);
	*out = psp;
	return DAT_SUCCESS;
}

static DAT_RETURN wd_psp_check(DAT_IA_HANDLE ia, struct wd_evd *evd, DAT_PSP_FLAGS flags,
			       DAT_PSP_HANDLE *out)
{
	if (!wd_is(ia, DAT_HANDLE_TYPE_IA))
		return WD_BAD(DAT_INVALID_HANDLE_IA);
	if (!wd_is_of(evd, DAT_HANDLE_TYPE_EVD, ia) || !(evd->flags & DAT_EVD_CR_FLAG))
		return WD_BAD(DAT_INVALID_HANDLE_EVD_CR);
	if (flags == DAT_PSP_PROVIDER_FLAG)
		return WD_NOT_SUPPORTED;
	if (flags != DAT_PSP_CONSUMER_FLAG)
		return WD_ARG(4);
	return out ? DAT_SUCCESS : WD_ARG(5);
}

DAT_RETURN wd_psp_create(DAT_IA_HANDLE ia, DAT_CONN_QUAL qual, DAT_EVD_HANDLE evd,
			 DAT_PSP_FLAGS flags, DAT_PSP_HANDLE *out)
{
	DAT_RETURN ret = wd_psp_check(ia, evd, flags, out);

	if (ret != DAT_SUCCESS)
		return ret;
	if (!qual || qual > UINT16_MAX)
		return WD_ARG(2);
	return wd_psp_make(ia, qual, evd, (struct wd_psp **)out);
}

DAT_RETURN wd_psp_create_any(DAT_IA_HANDLE ia, DAT_CONN_QUAL *qual, DAT_EVD_HANDLE evd,
			     DAT_PSP_FLAGS flags, DAT_PSP_HANDLE *out)
{
	DAT_RETURN ret = wd_psp_check(ia, evd, flags, out);

	if (ret != DAT_SUCCESS)
		return ret;
	if (!qual)
		return WD_ARG(2);
	ret = wd_psp_make(ia, 0, evd, (struct wd_psp **)out);
	if (ret == DAT_SUCCESS)
		*qual = ((struct wd_psp *)*out)->qual;
	return ret;
}

DAT_RETURN wd_psp_query(DAT_PSP_HANDLE handle, DAT_PSP_PARAM_MASK mask, DAT_PSP_PARAM *param)
{
	DAT_RETURN dat = wd_query(handle, DAT_HANDLE_TYPE_PSP, mask & ~DAT_PSP_FIELD_ALL, param);
	struct wd_psp *psp = handle;

	if (dat != DAT_SUCCESS)
		return dat;
	*param = (DAT_PSP_PARAM) {
		.ia_handle = psp->obj.ia,
		.conn_qual = psp->qual,
		.evd_handle = psp->evd,
		.psp_flags = DAT_PSP_CONSUMER_FLAG,
	};
	return DAT_SUCCESS;
}

/* Waiting requests are refused, also those already delivered. */
DAT_RETURN wd_psp_free(DAT_PSP_HANDLE handle)
{
	struct wd_psp *psp = handle;
	struct wd_evd *evd;

	if (!wd_is(handle, DAT_HANDLE_TYPE_PSP))
		return WD_BAD(DAT_INVALID_HANDLE_PSP);
	evd = psp->evd;
	pthread_mutex_lock(&evd->lock);
	wd_unindex(&psp->obj);
	weft_ep_destroy(psp->ep);
	psp->ep = NULL;
	pthread_mutex_unlock(&evd->lock);
	wd_unuse(evd);
	wd_free(psp);
	return DAT_SUCCESS;
}

/* ---- Connection requests ----------------------------------------------------------------- */

DAT_RETURN wd_cr_query(DAT_CR_HANDLE handle, DAT_CR_PARAM_MASK mask, DAT_CR_PARAM *param)
{
	DAT_RETURN dat = wd_query(handle, DAT_HANDLE_TYPE_CR, mask & ~DAT_CR_FIELD_ALL, param);
	struct wd_cr *cr = handle;

	if (dat != DAT_SUCCESS)
		return dat;
	*param = (DAT_CR_PARAM) {
		.remote_ia_address_ptr = wd_sockaddr(&cr->remote),
		.remote_port_qual = cr->port,
		.private_data_size = cr->data_len,
		.private_data = cr->data_len ? cr->data : NULL,
		.local_ep_handle = DAT_HANDLE_NULL,
	};
	return DAT_SUCCESS;
}

DAT_RETURN wd_cr_accept(DAT_CR_HANDLE handle, DAT_EP_HANDLE ep_handle, DAT_COUNT len,
			const DAT_PVOID data)
{
	struct wd_ep *ep = ep_handle;
	struct wd_cr *cr = handle;
	DAT_RETURN dat;
	int ret;

	if (!wd_is(handle, DAT_HANDLE_TYPE_CR))
		return WD_BAD(DAT_INVALID_HANDLE_CR);
	if (!wd_is_of(ep_handle, DAT_HANDLE_TYPE_EP, cr->obj.ia))
		return WD_BAD(DAT_INVALID_HANDLE_EP);
	if (len < 0 || len > WEFT_CM_DATA_MAX)
		return WD_ARG(3);
	if (len && !data)
		return WD_ARG(4);
	dat = wd_ep_pend(ep, DAT_EP_STATE_COMPLETION_PENDING, &cr->remote, cr->port);
	if (dat != DAT_SUCCESS)
		return dat;
	ret = weft_accept(ep->ep, cr->conn, data, len);
	if (ret) {
		wd_ep_unpend(ep);
		return ret == -EINVAL ? WD_BAD(DAT_INVALID_HANDLE_CR) :
					wd_errno(ret, DAT_RESOURCE_TEP);
	}
	wd_free(cr);
	return DAT_SUCCESS;
}

DAT_RETURN wd_cr_reject(DAT_CR_HANDLE handle, DAT_COUNT len, const DAT_PVOID data)
{
	struct wd_cr *cr = handle;
	struct wd_psp *psp;

	if (!wd_is(handle, DAT_HANDLE_TYPE_CR))
		return WD_BAD(DAT_INVALID_HANDLE_CR);
	if (len < 0 || len > WEFT_CM_DATA_MAX)
		return WD_ARG(2);
	if (len && !data)
		return WD_ARG(3);
	/* the requester or the service point may have gone: then no peer needs an answer */
	psp = wd_find(cr->obj.ia, cr->psp, DAT_HANDLE_TYPE_PSP);
	if (psp)
		weft_reject(psp->ep, cr->conn, data, len);
	wd_free(cr);
	return DAT_SUCCESS;
}

/* The kernel moves the request. It becomes an event of the other service point. */
DAT_RETURN wd_cr_handoff(DAT_CR_HANDLE handle, DAT_CONN_QUAL qual)
{
	struct wd_cr *cr = handle;
	struct wd_psp *psp;
	int ret;

	if (!wd_is(handle, DAT_HANDLE_TYPE_CR))
		return WD_BAD(DAT_INVALID_HANDLE_CR);
	psp = wd_find(cr->obj.ia, cr->psp, DAT_HANDLE_TYPE_PSP);
	if (!qual || qual > UINT16_MAX || (psp && psp->qual == qual))
		return WD_ARG(2);
	/* the end of its service point has refused it */
	ret = psp ? weft_handoff(psp->ep, cr->conn, qual) : -EINVAL;
	if (ret == -ENOENT)
		return WD_ARG(2);
	if (ret == -EINVAL)
		return WD_BAD(DAT_INVALID_HANDLE_CR);
	if (ret)
		return wd_errno(ret, DAT_RESOURCE_TEP);
	wd_free(cr);
	return DAT_SUCCESS;
}
