// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft - memory regions: a handle for memory that stays pinned
 *
 * Life: as any object's (ctx.c). mem.h pins the memory. Messages do not need the handle.
 *
 * Shared receives may name regions by their handles. weft_env_region() reads the fields of a
 * region, which are constant, in any context. The functions take no lock; RCU keeps the structure.
 */
#include <linux/overflow.h>
#include <linux/slab.h>

#include "ctx.h"

/**
 * struct weft_umr - memory region
 * @obj: object
 * @mr: the registration
 * @addr: first byte
 * @len: bytes
 * @access: WEFT_MR_*
 * @zone: protection zone
 */
struct weft_umr {
	struct weft_obj obj;
	struct weft_mr *mr;
	u64 addr;
	u64 len;
	u32 access;
	u32 zone;
};

static_assert(!offsetof(struct weft_umr, obj));

static void weft_umr_kill(struct weft_obj *obj)
{
}

static void weft_umr_release(struct weft_obj *obj)
{
	struct weft_umr *umr = container_of(obj, struct weft_umr, obj);

	if (umr->mr)
		weft_mr_dereg(umr->mr);
}

static const struct weft_obj_ops weft_umr_ops = {
	.kill = weft_umr_kill,
	.release = weft_umr_release,
};

/**
 * weft_umr_look - report a memory region
 * @obj: an object of any kind; ctx->lock is held
 * @mr: out, but for its owner
 *
 * Return: true; false: the object is no memory region.
 */
bool weft_umr_look(struct weft_obj *obj, struct weft_dev_mr *mr)
{
	const struct weft_umr *umr = container_of(obj, struct weft_umr, obj);

	lockdep_assert_held(&obj->ctx->lock);
	if (obj->ops != &weft_umr_ops)
		return false;
	mr->handle = obj->handle;
	mr->info = (struct weft_region_info){
		.zone = umr->zone,
		.base = umr->addr,
		.len = umr->len,
		.access = umr->access,
	};
	return true;
}

/**
 * weft_umr_reg - WEFT_IOC_MR_REG
 * @call: struct weft_ioc_mr
 *
 * Return: 0, -EINVAL: access, length, or the range wraps; -EFAULT: not mapped or not with this
 * access; -EMFILE, -ENOMEM, -EINTR.
 */
int weft_umr_reg(struct weft_call *call)
{
	struct weft_ioc_mr *arg = call->arg;
	struct weft_umr *umr;
	u64 end;
	int err;

	if (!arg->access || arg->access & ~(WEFT_MR_READ | WEFT_MR_WRITE))
		return -EINVAL;
	if (!arg->len || check_add_overflow(arg->addr, arg->len, &end))
		return -EINVAL;
	umr = kzalloc(sizeof(*umr), GFP_KERNEL_ACCOUNT);
	if (!umr)
		return -ENOMEM;
	err = weft_obj_init(call->ctx, &umr->obj, &weft_umr_ops);
	if (err) {
		kfree(umr);
		return err;
	}
	call->obj = &umr->obj;
	err = weft_mr_reg(call->ctx->mc, arg->addr, arg->len, arg->access, &umr->mr);
	if (err) {
		umr->mr = NULL;
		return err;
	}
	umr->addr = arg->addr;
	umr->len = arg->len;
	umr->access = arg->access;
	umr->zone = arg->zone;
	arg->handle = umr->obj.handle;
	return 0;
}

static bool weft_umr_covers(const struct weft_umr *umr, u32 zone, const struct weft_iov *seg)
{
	return umr->zone == zone && umr->access & WEFT_MR_WRITE && seg->addr >= umr->addr &&
	       seg->len <= umr->len && seg->addr - umr->addr <= umr->len - seg->len;
}

/* Described in core/base/env.h. */
int weft_env_region(void *name, u32 key, u32 zone, const struct weft_iov *seg)
{
	struct weft_ctx *ctx = weft_ctx_by_id((u32)(unsigned long)name);
	struct weft_obj *obj;
	int err = -EACCES;

	if (!ctx)
		return err;
	rcu_read_lock();
	obj = weft_obj_peek(ctx, key, &weft_umr_ops);
	if (obj && weft_umr_covers(container_of(obj, struct weft_umr, obj), zone, seg))
		err = 0;
	rcu_read_unlock();
	weft_ctx_put(ctx);
	return err;
}
