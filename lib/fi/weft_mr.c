// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_mr.c - memory regions
 *
 * Registration is optional. It keeps the memory pinned, so that it is resident at the first
 * message. It returns a descriptor, which no call reads, and a key that is unique in the domain.
 */
#include <search.h>

#include "weft_fi.h"

/**
 * struct weft_fi_mr - a memory region
 * @fid: libfabric's part
 * @domain: its domain
 * @count: registered segments
 * @handle: libweft's handles, one for each segment
 */
struct weft_fi_mr {
	struct fid_mr fid;
	struct weft_fi_domain *domain;
	size_t count;
	uint32_t handle[WEFT_IOV_MAX];
};

static int weft_fi_mr_compare(const void *a, const void *b)
{
	const struct weft_fi_mr *x = a, *y = b;

	return x->fid.key < y->fid.key ? -1 : x->fid.key > y->fid.key;
}

static int weft_fi_mr_add_key(struct weft_fi_mr *mr, uint64_t requested)
{
	struct weft_fi_domain *dom = mr->domain;
	void *node;
	int ret = 0;

	pthread_mutex_lock(&dom->mr_lock);
	mr->fid.key = dom->prov_keys ? dom->mr_next++ : requested;
	node = tsearch(mr, &dom->mr_keys, weft_fi_mr_compare);
	if (!node)
		ret = -FI_ENOMEM;
	else if (*(struct weft_fi_mr **)node != mr)
		ret = -FI_ENOKEY;
	pthread_mutex_unlock(&dom->mr_lock);
	return ret;
}

static void weft_fi_mr_free(struct weft_fi_mr *mr)
{
	size_t i;

	for (i = 0; i < mr->count; i++)
		weft_mr_dereg(mr->domain->port->ctx, mr->handle[i]);
	free(mr);
}

static int weft_fi_mr_close(struct fid *fid)
{
	struct weft_fi_mr *mr = weft_container(fid, struct weft_fi_mr, fid.fid);
	struct weft_fi_domain *dom = mr->domain;

	pthread_mutex_lock(&dom->mr_lock);
	tdelete(mr, &dom->mr_keys, weft_fi_mr_compare);
	pthread_mutex_unlock(&dom->mr_lock);
	weft_fi_mr_free(mr);
	atomic_fetch_sub(&dom->refs, 1);
	return 0;
}

static int weft_fi_mr_control(struct fid *fid, int command, void *arg)
{
	if (command == FI_ENABLE)
		return 0;
	return weft_fi_fail(FI_LOG_MR, -FI_ENOSYS, "fi_control: a memory region has FI_ENABLE only");
}

static struct fi_ops weft_fi_mr_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = weft_fi_mr_close,
	.bind = weft_fi_no_bind,
	.control = weft_fi_mr_control,
	.ops_open = weft_fi_no_ops_open,
	.tostr = weft_fi_no_tostr,
	.ops_set = weft_fi_no_ops_set,
};

static uint32_t weft_fi_mr_access(uint64_t access)
{
	uint32_t bits = 0;

	if (access & (FI_SEND | FI_WRITE | FI_REMOTE_READ))
		bits |= WEFT_MR_READ;
	if (access & (FI_RECV | FI_READ | FI_REMOTE_WRITE))
		bits |= WEFT_MR_WRITE;
	return bits;
}

static int weft_fi_mr_regattr(struct fid *fid, const struct fi_mr_attr *attr, uint64_t flags,
			      struct fid_mr **out)
{
	struct weft_fi_domain *dom = weft_container(fid, struct weft_fi_domain, fid.fid);
	struct weft_fi_mr *mr;
	uint32_t access;
	size_t i;
	int ret;

	if (!out || !attr || !attr->iov_count || attr->iov_count > WEFT_IOV_MAX || !attr->mr_iov)
		return weft_fi_fail(FI_LOG_MR, -FI_EINVAL,
				    "a registration needs room and 1 to %d segments", WEFT_IOV_MAX);
	if (flags)
		return weft_fi_fail(FI_LOG_MR, -FI_EBADFLAGS, "registrations have no flags");
	if (attr->iface != FI_HMEM_SYSTEM)
		return weft_fi_fail(FI_LOG_MR, -FI_ENOSYS, "FI_HMEM_SYSTEM only is offered");
	access = weft_fi_mr_access(attr->access);
	mr = calloc(1, sizeof(*mr));
	if (!mr)
		return -FI_ENOMEM;
	mr->domain = dom;
	for (i = 0; i < attr->iov_count; i++) {
		if (!attr->mr_iov[i].iov_len || !access)
			continue;
		ret = weft_mr_reg(dom->port->ctx, attr->mr_iov[i].iov_base,
				  attr->mr_iov[i].iov_len, access, &mr->handle[mr->count]);
		if (ret) {
			weft_fi_fail(FI_LOG_MR, ret, "%zu bytes at %p cannot be registered: %s",
				     attr->mr_iov[i].iov_len, attr->mr_iov[i].iov_base,
				     fi_strerror(-ret));
			goto err;
		}
		mr->count++;
	}
	ret = weft_fi_mr_add_key(mr, attr->requested_key);
	if (ret) {
		weft_fi_fail(FI_LOG_MR, ret, "the requested key is in use");
		goto err;
	}
	weft_fi_fid_init(&mr->fid.fid, FI_CLASS_MR, attr->context, &weft_fi_mr_fid_ops);
	mr->fid.mem_desc = mr;
	atomic_fetch_add(&dom->refs, 1);
	*out = &mr->fid;
	return 0;
err:
	weft_fi_mr_free(mr);
	return ret;
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
