// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_mr.c - memory regions
 *
 * Registration is optional for local buffers. It keeps the memory pinned, so that it is resident at
 * the first message. It returns a descriptor, which no call reads, and a key that is unique in the
 * domain.
 *
 * With FI_REMOTE_READ or FI_REMOTE_WRITE the memory becomes a region of the kernel. A region pins
 * nothing, and nothing need be mapped. The kernel takes the counter of a region when the region is
 * added. So a bind ends the region and adds it again with the same key. Operations of peers in
 * between fail.
 *
 *	FI_RMA_EVENT: added without rights, so that the key is taken --fi_mr_enable--> with rights
 *
 * weft_fi_domain.mr_lock protects the keys. The program serialises calls on a region.
 */
#include <search.h>

#include "weft_post.h"

/**
 * struct weft_fi_mr - a memory region
 * @fid: libfabric's part
 * @domain: its domain
 * @count: registered segments
 * @handle: libweft's handles, one for each segment
 * @region: with remote rights: the region, after fi_mr_enable()
 * @iov: segments of @region
 * @remote: it has remote rights and bytes
 * @added: the kernel has the region
 * @event: registered with FI_RMA_EVENT
 * @enabled: peers may use @region
 * @cntr: bound counter, or NULL
 */
struct weft_fi_mr {
	struct fid_mr fid;
	struct weft_fi_domain *domain;
	size_t count;
	uint32_t handle[WEFT_IOV_MAX];
	struct weft_region region;
	struct iovec iov[WEFT_IOV_MAX];
	bool remote;
	bool added;
	bool event;
	bool enabled;
	struct weft_fi_cntr *cntr;
};

static int weft_fi_mr_compare(const void *a, const void *b)
{
	const struct weft_fi_mr *x = a, *y = b;

	return x->fid.key < y->fid.key ? -1 : x->fid.key > y->fid.key;
}

/* ---- The kernel's regions --------------------------------------------------------------- */

/* End the kernel's region. */
static void weft_fi_mr_end(struct weft_fi_mr *mr)
{
	if (mr->added)
		weft_region_end(mr->domain->port->ctx, mr->region.zone, mr->fid.key);
	mr->added = false;
}

/* Give the kernel the region in its present state. Return: 0, -errno. */
static int weft_fi_mr_add(struct weft_fi_mr *mr)
{
	struct weft_region region = mr->region;
	int ret;

	if (!mr->remote)
		return 0;
	weft_fi_mr_end(mr);
	if (!mr->enabled)
		region.access = 0;
	ret = weft_region_add(mr->domain->port->ctx, &region, &mr->fid.key);
	/* from now on the key is known */
	mr->region.flags = 0;
	mr->added = !ret;
	if (ret)
		weft_fi_fail(FI_LOG_MR, ret, "peers cannot access the memory region: %s%s",
			     fi_strerror(-ret), weft_fi_limit_advice(ret));
	return ret;
}

/* ---- Keys ------------------------------------------------------------------------------- */

static int weft_fi_mr_list(struct weft_fi_mr *mr)
{
	struct weft_fi_domain *dom = mr->domain;
	void *node;
	int ret = 0;

	pthread_mutex_lock(&dom->mr_lock);
	if (dom->prov_keys && !mr->remote)
		mr->fid.key = dom->mr_next++;
	node = tsearch(mr, &dom->mr_keys, weft_fi_mr_compare);
	if (!node)
		ret = -FI_ENOMEM;
	else if (*(struct weft_fi_mr **)node != mr)
		ret = weft_fi_fail(FI_LOG_MR, -FI_ENOKEY, "the requested key is in use");
	pthread_mutex_unlock(&dom->mr_lock);
	return ret;
}

static void weft_fi_mr_unlist(struct weft_fi_mr *mr)
{
	struct weft_fi_domain *dom = mr->domain;

	pthread_mutex_lock(&dom->mr_lock);
	tdelete(mr, &dom->mr_keys, weft_fi_mr_compare);
	pthread_mutex_unlock(&dom->mr_lock);
}

/* Take the key. The kernel chooses that of a region, if the provider is to. */
static int weft_fi_mr_add_key(struct weft_fi_mr *mr)
{
	bool chosen = mr->region.flags & WEFT_REGIONF_KEY;
	int ret = chosen ? weft_fi_mr_add(mr) : 0;

	if (ret)
		return ret;
	ret = weft_fi_mr_list(mr);
	if (ret || chosen)
		return ret;
	ret = weft_fi_mr_add(mr);
	if (ret)
		weft_fi_mr_unlist(mr);
	return ret;
}

static int weft_fi_mr_raw(const struct weft_fi_mr *mr, struct fi_mr_raw_attr *raw)
{
	size_t size = sizeof(mr->fid.key), room;

	if (!raw || !raw->key_size || raw->flags)
		return weft_fi_fail(FI_LOG_MR, -FI_EINVAL,
				    "fi_mr_raw_attr needs the size of the key, and has no flags");
	room = *raw->key_size;
	*raw->key_size = size;
	if (room < size || !raw->raw_key)
		return weft_fi_fail(FI_LOG_MR, -FI_ETOOSMALL, "a raw key has %zu bytes", size);
	memcpy(raw->raw_key, &mr->fid.key, size);
	if (raw->base_addr)
		*raw->base_addr = mr->region.base;
	return 0;
}

/**
 * weft_fi_mr_raw_control() - see fi_mr(3): map and unmap raw keys, which are keys
 * @command: FI_MAP_RAW_MR, FI_UNMAP_KEY
 * @arg: of the command
 *
 * Return: 0, -FI_EINVAL.
 */
int weft_fi_mr_raw_control(int command, void *arg)
{
	const struct fi_mr_map_raw *map = arg;

	if (command == FI_UNMAP_KEY)
		return 0;
	if (!map || map->flags || !map->key || !map->raw_key ||
	    map->key_size != sizeof(*map->key))
		return weft_fi_fail(FI_LOG_MR, -FI_EINVAL,
				    "fi_mr_map_raw needs a raw key of %zu bytes and room for the key, and has no flags",
				    sizeof(*map->key));
	memcpy(map->key, map->raw_key, sizeof(*map->key));
	return 0;
}

/* ---- Calls on regions ------------------------------------------------------------------- */

static void weft_fi_mr_free(struct weft_fi_mr *mr)
{
	size_t i;

	weft_fi_mr_end(mr);
	if (mr->cntr)
		atomic_fetch_sub(&mr->cntr->refs, 1);
	for (i = 0; i < mr->count; i++)
		weft_mr_dereg(mr->domain->port->ctx, mr->handle[i]);
	free(mr);
}

static int weft_fi_mr_close(struct fid *fid)
{
	struct weft_fi_mr *mr = weft_container(fid, struct weft_fi_mr, fid.fid);
	struct weft_fi_domain *dom = mr->domain;

	weft_fi_mr_unlist(mr);
	weft_fi_mr_free(mr);
	atomic_fetch_sub(&dom->refs, 1);
	return 0;
}

static int weft_fi_mr_enable(struct weft_fi_mr *mr)
{
	int ret;

	if (mr->enabled)
		return 0;
	mr->enabled = true;
	ret = weft_fi_mr_add(mr);
	mr->enabled = !ret;
	return ret;
}

static int weft_fi_mr_control(struct fid *fid, int command, void *arg)
{
	struct weft_fi_mr *mr = weft_container(fid, struct weft_fi_mr, fid.fid);

	switch (command) {
	case FI_ENABLE:
		return weft_fi_mr_enable(mr);
	case FI_REFRESH:
		/* operations access what is mapped when they are executed */
		return 0;
	case FI_GET_RAW_MR:
		return weft_fi_mr_raw(mr, arg);
	}
	return weft_fi_fail(FI_LOG_MR, -FI_ENOSYS,
			    "fi_control: a memory region has FI_ENABLE, FI_REFRESH and FI_GET_RAW_MR only");
}

static int weft_fi_mr_bind_cntr(struct weft_fi_mr *mr, struct fid *fid, uint64_t flags)
{
	struct weft_fi_cntr *cntr = weft_container(fid, struct weft_fi_cntr, fid.fid);
	int ret;

	if (flags != FI_REMOTE_WRITE)
		return weft_fi_fail(FI_LOG_MR, -FI_EBADFLAGS,
				    "a counter is bound to a memory region with FI_REMOTE_WRITE");
	if (cntr->domain != mr->domain || mr->cntr)
		return weft_fi_fail(FI_LOG_MR, -FI_EINVAL,
				    "the counter is of another domain, or the memory region has one already");
	if (!mr->domain->rma_event)
		return weft_fi_fail(FI_LOG_MR, -FI_EINVAL,
				    "the domain was opened without FI_RMA_EVENT: ask for it in hints->caps");
	mr->region.cntr = cntr->cntr;
	ret = weft_fi_mr_add(mr);
	if (ret) {
		mr->region.cntr = NULL;
		return ret;
	}
	atomic_fetch_add(&cntr->refs, 1);
	mr->cntr = cntr;
	return 0;
}

/* An endpoint may be bound, but all endpoints of the domain reach the region. */
static int weft_fi_mr_bind_ep(struct weft_fi_mr *mr, struct fid *fid, uint64_t flags)
{
	if (flags)
		return weft_fi_fail(FI_LOG_MR, -FI_EBADFLAGS,
				    "an endpoint is bound to a memory region without flags");
	if (weft_fi_ep_from(fid)->domain != mr->domain)
		return weft_fi_fail(FI_LOG_MR, -FI_EINVAL,
				    "the endpoint is of another domain than the memory region");
	return 0;
}

static int weft_fi_mr_bind(struct fid *fid, struct fid *bfid, uint64_t flags)
{
	struct weft_fi_mr *mr = weft_container(fid, struct weft_fi_mr, fid.fid);

	if (mr->event && mr->enabled)
		return weft_fi_fail(FI_LOG_MR, -FI_EOPBADSTATE,
				    "the memory region is enabled: bind before fi_mr_enable");
	switch (bfid ? bfid->fclass : FI_CLASS_UNSPEC) {
	case FI_CLASS_CNTR:
		return weft_fi_mr_bind_cntr(mr, bfid, flags);
	case FI_CLASS_EP:
		return weft_fi_mr_bind_ep(mr, bfid, flags);
	}
	return weft_fi_fail(FI_LOG_MR, -FI_EINVAL,
			    "a counter or an endpoint is bound to a memory region");
}

static struct fi_ops weft_fi_mr_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = weft_fi_mr_close,
	.bind = weft_fi_mr_bind,
	.control = weft_fi_mr_control,
	.ops_open = weft_fi_no_ops_open,
	.tostr = weft_fi_no_tostr,
	.ops_set = weft_fi_no_ops_set,
};

/* ---- Registration ----------------------------------------------------------------------- */

static uint32_t weft_fi_mr_access(uint64_t access)
{
	uint32_t bits = 0;

	if (access & (FI_SEND | FI_WRITE))
		bits |= WEFT_MR_READ;
	if (access & (FI_RECV | FI_READ))
		bits |= WEFT_MR_WRITE;
	return bits;
}

/* Keep the memory pinned. Return: 0, -errno. */
static int weft_fi_mr_pin(struct weft_fi_mr *mr, const struct fi_mr_attr *attr)
{
	uint32_t access = weft_fi_mr_access(attr->access);
	const struct iovec *iov;
	size_t i;
	int ret;

	for (i = 0; access && i < attr->iov_count; i++) {
		iov = &attr->mr_iov[i];
		if (!iov->iov_len)
			continue;
		ret = weft_mr_reg(mr->domain->port->ctx, iov->iov_base, iov->iov_len, access,
				  &mr->handle[mr->count]);
		if (ret)
			return weft_fi_fail(FI_LOG_MR, ret,
					    "%zu bytes at %p cannot be registered: %s",
					    iov->iov_len, iov->iov_base, fi_strerror(-ret));
		mr->count++;
	}
	return 0;
}

/* Describe the kernel's region. */
static void weft_fi_mr_describe(struct weft_fi_mr *mr, const struct fi_mr_attr *attr)
{
	const struct weft_fi_domain *dom = mr->domain;

	memcpy(mr->iov, attr->mr_iov, attr->iov_count * sizeof(mr->iov[0]));
	mr->region.iov = mr->iov;
	mr->region.count = attr->iov_count;
	mr->region.base = dom->virt_addr ? (uintptr_t)mr->iov[0].iov_base : 0;
	mr->region.zone = dom->zone;
	if (attr->access & FI_REMOTE_READ)
		mr->region.access |= WEFT_REGION_READ;
	if (attr->access & FI_REMOTE_WRITE)
		mr->region.access |= WEFT_REGION_WRITE;
	mr->remote = mr->region.access && lw_total(mr->iov, attr->iov_count) &&
		     dom->port->q.caps & WEFT_CAP_RMA;
	if (mr->remote && dom->prov_keys)
		mr->region.flags = WEFT_REGIONF_KEY;
}

/* Return: true if no segment, nor the sum of all, passes the end of the addresses. */
static bool weft_fi_mr_fits(const struct iovec *iov, size_t count)
{
	uintptr_t end;
	size_t sum = 0, i;

	for (i = 0; i < count; i++)
		if (__builtin_add_overflow((uintptr_t)iov[i].iov_base, iov[i].iov_len, &end) ||
		    __builtin_add_overflow(sum, iov[i].iov_len, &sum))
			return false;
	return true;
}

static int weft_fi_mr_check(const struct weft_fi_domain *dom, const struct fi_mr_attr *attr,
			    uint64_t flags)
{
	if (!attr || !attr->iov_count || attr->iov_count > WEFT_IOV_MAX || !attr->mr_iov)
		return weft_fi_fail(FI_LOG_MR, -FI_EINVAL,
				    "a registration needs room and 1 to %d segments", WEFT_IOV_MAX);
	if (flags & ~FI_RMA_EVENT)
		return weft_fi_fail(FI_LOG_MR, -FI_EBADFLAGS,
				    "registrations have no flag but FI_RMA_EVENT");
	if (attr->iface != FI_HMEM_SYSTEM)
		return weft_fi_fail(FI_LOG_MR, -FI_ENOSYS, "FI_HMEM_SYSTEM only is offered");
	if (attr->offset || !weft_fi_mr_fits(attr->mr_iov, attr->iov_count))
		return weft_fi_fail(FI_LOG_MR, -FI_EINVAL,
				    "a registration has offset 0, and segments that do not wrap");
	if (!dom->prov_keys && attr->requested_key == FI_KEY_NOTAVAIL)
		return weft_fi_fail(FI_LOG_MR, -FI_EKEYREJECTED,
				    "FI_KEY_NOTAVAIL is no key: request another one");
	return 0;
}

static int weft_fi_mr_regattr(struct fid *fid, const struct fi_mr_attr *attr, uint64_t flags,
			      struct fid_mr **out)
{
	struct weft_fi_domain *dom = weft_container(fid, struct weft_fi_domain, fid.fid);
	struct weft_fi_mr *mr;
	int ret;

	ret = weft_fi_mr_check(dom, out ? attr : NULL, flags);
	if (ret)
		return ret;
	mr = calloc(1, sizeof(*mr));
	if (!mr)
		return -FI_ENOMEM;
	mr->domain = dom;
	mr->fid.key = attr->requested_key;
	mr->event = flags & FI_RMA_EVENT;
	mr->enabled = !mr->event;
	weft_fi_mr_describe(mr, attr);
	if (!mr->remote)
		ret = weft_fi_mr_pin(mr, attr);
	if (!ret)
		ret = weft_fi_mr_add_key(mr);
	if (ret) {
		weft_fi_mr_free(mr);
		return ret;
	}
	weft_fi_fid_init(&mr->fid.fid, FI_CLASS_MR, attr->context, &weft_fi_mr_fid_ops);
	mr->fid.mem_desc = mr;
	atomic_fetch_add(&dom->refs, 1);
	*out = &mr->fid;
	return 0;
}

static int weft_fi_mr_regv(struct fid *fid, const struct iovec *iov, size_t count,
			   uint64_t access, uint64_t offset, uint64_t requested_key,
			   uint64_t flags, struct fid_mr **mr, void *context)
{
	struct fi_mr_attr attr = {
		.mr_iov = iov,
		.iov_count = count,
		.access = access,
		.offset = offset,
		.requested_key = requested_key,
		.context = context,
	};

	return weft_fi_mr_regattr(fid, &attr, flags, mr);
}

static int weft_fi_mr_reg(struct fid *fid, const void *buf, size_t len, uint64_t access,
			  uint64_t offset, uint64_t requested_key, uint64_t flags,
			  struct fid_mr **mr, void *context)
{
	struct iovec iov = { .iov_base = (void *)buf, .iov_len = len };

	return weft_fi_mr_regv(fid, &iov, 1, access, offset, requested_key, flags, mr, context);
}

struct fi_ops_mr weft_fi_mr_ops = {
	.size = sizeof(struct fi_ops_mr),
	.reg = weft_fi_mr_reg,
	.regv = weft_fi_mr_regv,
	.regattr = weft_fi_mr_regattr,
};
