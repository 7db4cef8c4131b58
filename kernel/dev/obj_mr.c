// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft - memory regions: a handle for memory that is to stay pinned
 *
 * Life: as any object's (ctx.c). What is pinned, and how, is mem.h's concern; messages do not need
 * the handle.
 *
 * Locks: none.
 */
#include <linux/overflow.h>
#include <linux/slab.h>

#include "ctx.h"

/**
 * struct weft_umr - memory region
 * @obj: object
 * @mr: the registration
 */
struct weft_umr {
	struct weft_obj obj;
	struct weft_mr *mr;
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
 * weft_umr_reg - WEFT_IOC_MR_REG
 * @call: struct weft_ioc_mr
 *
 * Return: 0, -EINVAL: access, length, wraps round; -EFAULT: not mapped or not with this access;
 * -EMFILE, -ENOMEM, -EINTR.
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
	arg->handle = umr->obj.handle;
	return 0;
}
