// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft - address vectors
 *
 * Life: as any object's (ctx.c). An address vector in use by an endpoint cannot be destroyed. So
 * the core's part is freed only when it is unused.
 *
 * The functions take no lock; the core has its own.
 */
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "ctx.h"

static struct weft_uav *weft_uav_of(struct weft_obj *obj)
{
	return container_of(obj, struct weft_uav, obj);
}

static void weft_uav_kill(struct weft_obj *obj)
{
}

static void weft_uav_release(struct weft_obj *obj)
{
	struct weft_uav *uav = weft_uav_of(obj);

	if (uav->av)
		weft_av_free(uav->av);
}

/** weft_uav_ops - operations of address vectors */
const struct weft_obj_ops weft_uav_ops = {
	.kill = weft_uav_kill,
	.release = weft_uav_release,
};

/**
 * weft_uav_create - WEFT_IOC_AV_CREATE
 * @call: struct weft_ioc_av
 *
 * Return: 0, -EINVAL: count; -EMFILE, -ENOMEM.
 */
int weft_uav_create(struct weft_call *call)
{
	struct weft_ioc_av *arg = call->arg;
	struct weft_uav *uav;
	int err;

	if (arg->count > WEFT_AV_MAX)
		return -EINVAL;
	uav = kzalloc(sizeof(*uav), GFP_KERNEL_ACCOUNT);
	if (!uav)
		return -ENOMEM;
	err = weft_obj_init(call->ctx, &uav->obj, &weft_uav_ops);
	if (err) {
		kfree(uav);
		return err;
	}
	call->obj = &uav->obj;
	uav->av = weft_av_new(call->ctx->core);
	if (!uav->av)
		return -ENOMEM;
	arg->handle = uav->obj.handle;
	return 0;
}

/* Undo the insertion of the first @n of @index. @at: the program has chosen the indices. */
static void weft_uav_undo(struct weft_av *av, const u32 *index, u32 n, bool at)
{
	while (n--) {
		if (index[n] == WEFT_SRC_ANY)
			continue;
		if (at)
			weft_av_remove(av, index[n]);
		else
			weft_av_withdraw(av, index[n]);
	}
}

/*
 * Insert addresses. index[i] is set to WEFT_SRC_ANY for an address that cannot be inserted. @at:
 * the index is the program's choice. @done: out: number of inserted addresses. Return: 0, -ENOMEM:
 * none was inserted.
 */
static int weft_uav_insert_all(struct weft_av *av, const struct weft_sockaddr *addr, u32 *index,
			       u32 n, bool at, u32 *done)
{
	int err;
	u32 i;

	*done = 0;
	for (i = 0; i < n; i++) {
		err = weft_av_insert(av, &addr[i], at ? index[i] : WEFT_SRC_ANY, &index[i]);
		if (err == -ENOMEM) {
			weft_uav_undo(av, index, i, at);
			return err;
		}
		if (err)
			index[i] = WEFT_SRC_ANY;
		else
			++*done;
		cond_resched();
	}
	return 0;
}

/*
 * Copy in the arrays of a call: @addr (only for an insertion) and @index. Return: 0, -ENOMEM,
 * -EFAULT.
 */
static int weft_uav_fetch(const struct weft_ioc_av_insert *arg, struct weft_sockaddr **addr,
			  u32 **index)
{
	if (addr) {
		*addr = vmemdup_user(u64_to_user_ptr(arg->addrs), arg->count * sizeof(**addr));
		if (IS_ERR(*addr))
			return PTR_ERR(*addr);
	}
	*index = vmemdup_user(u64_to_user_ptr(arg->index), arg->count * sizeof(**index));
	if (!IS_ERR(*index))
		return 0;
	if (addr)
		kvfree(*addr);
	return PTR_ERR(*index);
}

/**
 * weft_uav_insert - WEFT_IOC_AV_INSERT
 * @call: struct weft_ioc_av_insert
 *
 * First writes the indices back unchanged. So an array that cannot be written fails before any
 * insertion.
 *
 * Return: 0, also when addresses cannot be inserted; -EINVAL: count; -ENOENT, -EFAULT, -ENOMEM:
 * none was inserted.
 */
int weft_uav_insert(struct weft_call *call)
{
	struct weft_ioc_av_insert *arg = call->arg;
	u32 __user *uindex = u64_to_user_ptr(arg->index);
	struct weft_av *av = weft_uav_of(call->of)->av;
	struct weft_sockaddr *addr;
	bool at = arg->flags & WEFT_AVF_AT;
	u32 *index;
	int err;

	err = weft_uav_fetch(arg, &addr, &index);
	if (err)
		return err;
	err = -EFAULT;
	if (!copy_to_user(uindex, index, arg->count * sizeof(*index))) {
		err = weft_uav_insert_all(av, addr, index, arg->count, at, &arg->done);
		if (!err && copy_to_user(uindex, index, arg->count * sizeof(*index))) {
			weft_uav_undo(av, index, arg->count, at);
			err = -EFAULT;
		}
	}
	kvfree(addr);
	kvfree(index);
	return err;
}

/**
 * weft_uav_remove - WEFT_IOC_AV_REMOVE
 * @call: struct weft_ioc_av_insert
 *
 * Return: 0: some were removed; -EINVAL: count, addrs, or none of the indices is in use; -ENOENT,
 * -EFAULT, -ENOMEM.
 */
int weft_uav_remove(struct weft_call *call)
{
	struct weft_ioc_av_insert *arg = call->arg;
	struct weft_av *av = weft_uav_of(call->of)->av;
	u32 *index, i;
	int err;

	err = weft_uav_fetch(arg, NULL, &index);
	if (err)
		return err;
	arg->done = 0;
	for (i = 0; i < arg->count; i++) {
		if (weft_av_remove(av, index[i]) >= 0)
			arg->done++;
		cond_resched();
	}
	kvfree(index);
	return arg->done ? 0 : -EINVAL;
}
