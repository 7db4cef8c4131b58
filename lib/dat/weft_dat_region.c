// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Regions: memory that peers may access, of LMRs and RMRs with remote privileges
 *
 * A region's key has 64 bits. Its low half is the RMR context, a random number. Its high half is
 * the same for all regions of DAT. The kernel keeps the table of keys, and the zone of each region:
 * a peer reaches a region only through an EP of the same protection zone.
 *
 * No locks: the kernel orders the calls.
 */
#include <sys/random.h>

#include "weft_dat.h"

/* Return: the rights of peers. */
static uint32_t wd_region_access(DAT_MEM_PRIV_FLAGS priv)
{
	uint32_t access = 0;

	if (priv & DAT_MEM_PRIV_REMOTE_READ_FLAG)
		access |= WEFT_REGION_READ;
	if (priv & DAT_MEM_PRIV_REMOTE_WRITE_FLAG)
		access |= WEFT_REGION_WRITE;
	return access;
}

/**
 * wd_region_add - let peers access memory
 * @pz: zone of the EPs through which they access it
 * @addr: its first byte
 * @len: bytes, not 0
 * @priv: privileges, of which those of peers count
 * @context: out: RMR context that peers use, not 0
 *
 * Return: 0, -errno.
 */
int wd_region_add(const struct wd_pz *pz, uint64_t addr, uint64_t len, DAT_MEM_PRIV_FLAGS priv,
		  DAT_RMR_CONTEXT *context)
{
	struct iovec iov = { .iov_base = (void *)(uintptr_t)addr, .iov_len = len };
	struct weft_region region = {
		.iov = &iov,
		.count = 1,
		.base = addr,
		.access = wd_region_access(priv),
		.zone = pz->zone,
	};
	uint64_t key;
	int ret;

	do {
		if (getrandom(context, sizeof(*context), 0) != sizeof(*context))
			return -errno;
		key = wd_region_key(*context);
		ret = *context ? weft_region_add(pz->obj.ia->ctx, &region, &key) : -EEXIST;
	} while (ret == -EEXIST);
	return ret;
}

/**
 * wd_region_end - end the access of peers: when this returns, none has access
 * @pz: zone of the region
 * @context: RMR context of the region, 0: none
 */
void wd_region_end(const struct wd_pz *pz, DAT_RMR_CONTEXT context)
{
	if (context)
		weft_region_end(pz->obj.ia->ctx, pz->zone, wd_region_key(context));
}
