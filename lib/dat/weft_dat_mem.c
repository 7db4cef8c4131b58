// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Protection zones and local memory regions; what a post says of its segments
 *
 * The IA's table of regions gives the synchronous errors of posts. Where receives are shared the
 * kernel looks again when one is used.
 */
#include "weft_dat.h"

/* ---- Protection zones -------------------------------------------------------------------- */

DAT_RETURN wd_pz_create(DAT_IA_HANDLE handle, DAT_PZ_HANDLE *out)
{
	struct wd_ia *ia = handle;
	struct wd_pz *pz;

	if (!wd_is(handle, DAT_HANDLE_TYPE_IA))
		return WD_BAD(DAT_INVALID_HANDLE_IA);
	if (!out)
		return WD_ARG(2);
	pz = wd_new(ia, DAT_HANDLE_TYPE_PZ);
	if (!pz)
		return WD_NOMEM;
	pthread_mutex_lock(&ia->lock);
	pz->zone = ++ia->next_zone;
	pthread_mutex_unlock(&ia->lock);
	*out = pz;
	return DAT_SUCCESS;
}

DAT_RETURN wd_pz_query(DAT_PZ_HANDLE handle, DAT_PZ_PARAM_MASK mask, DAT_PZ_PARAM *param)
{
	struct wd_pz *pz = handle;

	if (!wd_is(handle, DAT_HANDLE_TYPE_PZ))
		return WD_BAD(DAT_INVALID_HANDLE_PZ);
	if (!param)
		return WD_ARG(3);
	param->ia_handle = pz->obj.ia;
	return DAT_SUCCESS;
}

DAT_RETURN wd_pz_free(DAT_PZ_HANDLE handle)
{
	struct wd_pz *pz = handle;

	if (!wd_is(handle, DAT_HANDLE_TYPE_PZ))
		return WD_BAD(DAT_INVALID_HANDLE_PZ);
	if (pz->obj.refs)
		return WD_STATE(DAT_INVALID_STATE_PZ_IN_USE);
	wd_free(pz);
	return DAT_SUCCESS;
}

/* ---- Local memory regions ---------------------------------------------------------------- */

DAT_RETURN wd_lmr_create(DAT_IA_HANDLE handle, DAT_MEM_TYPE type, DAT_REGION_DESCRIPTION region,
			 DAT_VLEN len, DAT_PZ_HANDLE zone, DAT_MEM_PRIV_FLAGS priv,
			 DAT_VA_TYPE va_type, DAT_LMR_HANDLE *out, DAT_LMR_CONTEXT *lmr_context,
			 DAT_RMR_CONTEXT *rmr_context, DAT_VLEN *reg_len, DAT_VADDR *reg_addr)
{
	struct wd_ia *ia = handle;
	struct wd_pz *pz = zone;
	uint32_t access = WEFT_MR_READ;
	struct wd_lmr *lmr;
	int ret;

	if (!wd_is(handle, DAT_HANDLE_TYPE_IA))
		return WD_BAD(DAT_INVALID_HANDLE_IA);
	if (type != DAT_MEM_TYPE_VIRTUAL)
		return WD_NOT_SUPPORTED;
	if (!len)
		return WD_ARG(4);
	if (!wd_is(zone, DAT_HANDLE_TYPE_PZ) || pz->obj.ia != ia)
		return WD_BAD(DAT_INVALID_HANDLE_PZ);
	if (priv & ~DAT_MEM_PRIV_ALL_FLAG)
		return WD_ARG(6);
	if (va_type != DAT_VA_TYPE_VA)
		return WD_NOT_SUPPORTED;
	if (!out)
		return WD_ARG(8);
	lmr = wd_new(ia, DAT_HANDLE_TYPE_LMR);
	if (!lmr)
		return WD_NOMEM;
	if (priv & DAT_MEM_PRIV_LOCAL_WRITE_FLAG)
		access |= WEFT_MR_WRITE;
	ret = weft_mr_reg_zone(ia->ctx, region.for_va, len, access, pz->zone, &lmr->key);
	if (ret) {
		wd_free(lmr);
		if (ret == -EFAULT || ret == -EINVAL)
			return WD_ARG(3);
		return wd_errno(ret, DAT_RESOURCE_MEMORY_REGION);
	}
	lmr->pz = pz;
	lmr->addr = (uintptr_t)region.for_va;
	lmr->len = len;
	lmr->priv = priv;
	wd_use(pz);
	wd_index(ia, lmr->key, &lmr->obj);
	*out = lmr;
	if (lmr_context)
		*lmr_context = lmr->key;
	if (rmr_context)
		*rmr_context = lmr->key;
	if (reg_len)
		*reg_len = len;
	if (reg_addr)
		*reg_addr = lmr->addr;
	return DAT_SUCCESS;
}

DAT_RETURN wd_lmr_query(DAT_LMR_HANDLE handle, DAT_LMR_PARAM_MASK mask, DAT_LMR_PARAM *param)
{
	struct wd_lmr *lmr = handle;

	if (!wd_is(handle, DAT_HANDLE_TYPE_LMR))
		return WD_BAD(DAT_INVALID_HANDLE_LMR);
	if (!param)
		return WD_ARG(3);
	*param = (DAT_LMR_PARAM) {
		.ia_handle = lmr->obj.ia,
		.mem_type = DAT_MEM_TYPE_VIRTUAL,
		.region_desc.for_va = (void *)(uintptr_t)lmr->addr,
		.length = lmr->len,
		.pz_handle = lmr->pz,
		.mem_priv = lmr->priv,
		.va_type = DAT_VA_TYPE_VA,
		.lmr_context = lmr->key,
		.rmr_context = lmr->key,
		.registered_size = lmr->len,
		.registered_address = lmr->addr,
	};
	return DAT_SUCCESS;
}

DAT_RETURN wd_lmr_free(DAT_LMR_HANDLE handle)
{
	struct wd_lmr *lmr = handle;
	struct wd_ia *ia;

	if (!wd_is(handle, DAT_HANDLE_TYPE_LMR))
		return WD_BAD(DAT_INVALID_HANDLE_LMR);
	ia = lmr->obj.ia;
	wd_index(ia, lmr->key, NULL);
	weft_mr_dereg(ia->ctx, lmr->key);
	wd_unuse(lmr->pz);
	wd_free(lmr);
	return DAT_SUCCESS;
}

/*
 * Check segments as dat_srq_post_recv(3DAT) tells: count and pointer, then for each segment that
 * has bytes: region, zone, privilege, bounds. Arguments 2 and 3 of the call are @n and @iov. Out:
 * @vec, and @keys, if not NULL.
 */
DAT_RETURN wd_iov(struct wd_ia *ia, const struct wd_pz *pz, const DAT_LMR_TRIPLET *iov,
		  DAT_COUNT n, DAT_COUNT max, bool write, struct iovec *vec, uint32_t *keys)
{
	DAT_MEM_PRIV_FLAGS need = write ? DAT_MEM_PRIV_LOCAL_WRITE_FLAG :
					  DAT_MEM_PRIV_LOCAL_READ_FLAG;
	DAT_COUNT i;

	if (n < 0 || n > max)
		return WD_ARG(2);
	if (n && !iov)
		return WD_ARG(3);
	for (i = 0; i < n; i++) {
		uint64_t at = iov[i].virtual_address, len = iov[i].segment_length;
		struct wd_lmr *lmr;

		vec[i].iov_base = (void *)(uintptr_t)at;
		vec[i].iov_len = len;
		if (keys)
			keys[i] = iov[i].lmr_context;
		if (!len)
			continue;
		lmr = wd_find(ia, iov[i].lmr_context, DAT_HANDLE_TYPE_LMR);
		if (!lmr || lmr->key != iov[i].lmr_context)
			return WD_ERR(DAT_PRIVILEGES_VIOLATION,
				      write ? DAT_PRIVILEGES_WRITE : DAT_PRIVILEGES_READ);
		if (lmr->pz != pz)
			return WD_ERR(DAT_PROTECTION_VIOLATION,
				      write ? DAT_PROTECTION_WRITE : DAT_PROTECTION_READ);
		if (!(lmr->priv & need))
			return WD_ERR(DAT_PRIVILEGES_VIOLATION,
				      write ? DAT_PRIVILEGES_WRITE : DAT_PRIVILEGES_READ);
		if (at < lmr->addr || len > lmr->len || at - lmr->addr > lmr->len - len)
			return WD_ARG(3);
	}
	return DAT_SUCCESS;
}
