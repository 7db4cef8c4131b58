// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Protection zones and local memory regions; the segments of posts
 *
 * The IA's table of regions gives the synchronous errors of posts. For shared receives the kernel
 * checks again when a receive is used.
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
	DAT_RETURN dat = wd_query(handle, DAT_HANDLE_TYPE_PZ, mask & ~DAT_PZ_FIELD_ALL, param);
	struct wd_pz *pz = handle;

	if (dat != DAT_SUCCESS)
		return dat;
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

/* Find the described memory. @len: length of the LMR, if it is one. */
static DAT_RETURN wd_lmr_where(struct wd_ia *ia, DAT_MEM_TYPE type, DAT_REGION_DESCRIPTION region,
			       void **at, DAT_VLEN *len)
{
	struct wd_lmr *of = region.for_lmr_handle;

	switch (type) {
	case DAT_MEM_TYPE_VIRTUAL:
		*at = region.for_va;
		return DAT_SUCCESS;
	case DAT_MEM_TYPE_SHARED_VIRTUAL:
		/* pages are shared anyway, whichever process has registered them */
		*at = region.for_shared_memory.virtual_address;
		return DAT_SUCCESS;
	case DAT_MEM_TYPE_LMR:
		if (!wd_is_of(of, DAT_HANDLE_TYPE_LMR, ia))
			return WD_BAD(DAT_INVALID_HANDLE_LMR);
		*at = (void *)(uintptr_t)of->addr;
		*len = of->len;
		return DAT_SUCCESS;
	default:
		return WD_ARG(2);
	}
}

/* Pin the memory; with remote privileges, let peers access it. */
static DAT_RETURN wd_lmr_register(struct wd_ia *ia, struct wd_lmr *lmr)
{
	uint32_t access = WEFT_MR_READ;
	int ret;

	if (lmr->priv & DAT_MEM_PRIV_LOCAL_WRITE_FLAG)
		access |= WEFT_MR_WRITE;
	ret = weft_mr_reg_zone(ia->ctx, (void *)(uintptr_t)lmr->addr, lmr->len, access,
			       lmr->pz->zone, &lmr->key);
	if (!ret && lmr->priv & WD_REMOTE) {
		ret = wd_region_add(lmr->pz, lmr->addr, lmr->len, lmr->priv, &lmr->context);
		if (ret)
			weft_mr_dereg(ia->ctx, lmr->key);
	}
	if (!ret)
		return DAT_SUCCESS;
	wd_say("dat_lmr_create: %llu bytes at %#llx: %s", (unsigned long long)lmr->len,
	       (unsigned long long)lmr->addr, strerror(-ret));
	if (ret == -EFAULT || ret == -EINVAL)
		return WD_ARG(3);
	return wd_errno(ret, DAT_RESOURCE_MEMORY_REGION);
}

DAT_RETURN wd_lmr_create(DAT_IA_HANDLE handle, DAT_MEM_TYPE type, DAT_REGION_DESCRIPTION region,
			 DAT_VLEN len, DAT_PZ_HANDLE zone, DAT_MEM_PRIV_FLAGS priv,
			 DAT_VA_TYPE va_type, DAT_LMR_HANDLE *out, DAT_LMR_CONTEXT *lmr_context,
			 DAT_RMR_CONTEXT *rmr_context, DAT_VLEN *reg_len, DAT_VADDR *reg_addr)
{
	struct wd_ia *ia = handle;
	struct wd_lmr *lmr;
	DAT_RETURN dat;
	void *at = NULL;

	if (!wd_is(handle, DAT_HANDLE_TYPE_IA))
		return WD_BAD(DAT_INVALID_HANDLE_IA);
	dat = wd_lmr_where(ia, type, region, &at, &len);
	if (dat != DAT_SUCCESS)
		return dat;
	if (!len)
		return WD_ARG(4);
	if (!wd_is_of(zone, DAT_HANDLE_TYPE_PZ, ia))
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
	lmr->pz = zone;
	lmr->addr = (uintptr_t)at;
	lmr->len = len;
	lmr->priv = priv;
	lmr->type = type;
	dat = wd_lmr_register(ia, lmr);
	if (dat != DAT_SUCCESS) {
		wd_free(lmr);
		return dat;
	}
	wd_use(lmr->pz);
	wd_index(ia, lmr->key, &lmr->obj);
	*out = lmr;
	if (lmr_context)
		*lmr_context = lmr->key;
	if (rmr_context)
		*rmr_context = lmr->context;
	if (reg_len)
		*reg_len = len;
	if (reg_addr)
		*reg_addr = lmr->addr;
	return DAT_SUCCESS;
}

DAT_RETURN wd_lmr_query(DAT_LMR_HANDLE handle, DAT_LMR_PARAM_MASK mask, DAT_LMR_PARAM *param)
{
	DAT_RETURN dat = wd_query(handle, DAT_HANDLE_TYPE_LMR, mask & ~DAT_LMR_FIELD_ALL, param);
	struct wd_lmr *lmr = handle;

	if (dat != DAT_SUCCESS)
		return dat;
	*param = (DAT_LMR_PARAM) {
		.ia_handle = lmr->obj.ia,
		.mem_type = lmr->type,
		.region_desc.for_va = (void *)(uintptr_t)lmr->addr,
		.length = lmr->len,
		.pz_handle = lmr->pz,
		.mem_priv = lmr->priv,
		.va_type = DAT_VA_TYPE_VA,
		.lmr_context = lmr->key,
		.rmr_context = lmr->context,
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
	if (lmr->obj.refs)
		return WD_STATE(DAT_INVALID_STATE_LMR_IN_USE);
	ia = lmr->obj.ia;
	wd_unindex(&lmr->obj);
	wd_region_end(lmr->pz, lmr->context);
	weft_mr_dereg(ia->ctx, lmr->key);
	wd_unuse(lmr->pz);
	wd_free(lmr);
	return DAT_SUCCESS;
}

/* Return: the error of a segment whose LMR does not permit the access. */
static DAT_RETURN wd_iov_denied(DAT_MEM_PRIV_FLAGS need)
{
	return WD_ERR(DAT_PRIVILEGES_VIOLATION, need == DAT_MEM_PRIV_LOCAL_WRITE_FLAG ?
		      DAT_PRIVILEGES_WRITE : DAT_PRIVILEGES_READ);
}

/*
 * Check segments as required by dat_srq_post_recv(3DAT): count and pointer; then region, zone,
 * privilege and bounds of each segment with bytes. @n and @iov are arguments 2 and 3 of the call.
 * @need: the privilege, or none. Out: @vec, and @keys, if not NULL.
 */
DAT_RETURN wd_iov(struct wd_ia *ia, const struct wd_pz *pz, const DAT_LMR_TRIPLET *iov,
		  DAT_COUNT n, DAT_COUNT max, DAT_MEM_PRIV_FLAGS need, struct iovec *vec,
		  uint32_t *keys)
{
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
		if (!lmr)
			return wd_iov_denied(need);
		if (lmr->pz != pz)
			return WD_ERR(DAT_PROTECTION_VIOLATION,
				      need == DAT_MEM_PRIV_LOCAL_WRITE_FLAG ?
				      DAT_PROTECTION_WRITE : DAT_PROTECTION_READ);
		if (need & ~lmr->priv)
			return wd_iov_denied(need);
		if (!wd_lmr_covers(lmr, at, len))
			return WD_ARG(3);
	}
	return DAT_SUCCESS;
}

/* Memory is coherent: only the arguments are checked. */
DAT_RETURN wd_lmr_sync(DAT_IA_HANDLE handle, const DAT_LMR_TRIPLET *iov, DAT_VLEN n)
{
	struct wd_lmr *lmr;
	DAT_VLEN i;

	if (!wd_is(handle, DAT_HANDLE_TYPE_IA))
		return WD_BAD(DAT_INVALID_HANDLE_IA);
	if (n && !iov)
		return WD_ARG(2);
	for (i = 0; i < n; i++) {
		lmr = wd_find(handle, iov[i].lmr_context, DAT_HANDLE_TYPE_LMR);
		if (!lmr || !wd_lmr_covers(lmr, iov[i].virtual_address, iov[i].segment_length))
			return WD_ARG(2);
	}
	return DAT_SUCCESS;
}
