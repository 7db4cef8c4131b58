// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft - triggers: operations that wait for the value of a counter (Documentation/trigger.rst)
 *
 * A trigger is no object: it has no handle. The triggers of a context end before its objects.
 *
 * Locks: ctx->own_lock, which keeps the objects that a call names; triggers->mutex is inside.
 */
#include <linux/uaccess.h>

#include "uep.h"

/* Find a counter, if a handle is given. ctx->own_lock is held. Return: 0, -ENOENT. */
static int weft_trigger_cntr(struct weft_ctx *ctx, u32 handle, struct weft_cq **cntr)
{
	struct weft_ucq *ucq;

	lockdep_assert_held(&ctx->own_lock);
	*cntr = NULL;
	if (handle == WEFT_HANDLE_NONE)
		return 0;
	ucq = weft_ucq_counter(ctx, handle);
	if (!ucq)
		return -ENOENT;
	*cntr = &ucq->cq;
	return 0;
}

/* Find an endpoint that has rings. ctx->own_lock is held. Return: 0, -ENOENT. */
static int weft_trigger_ep(struct weft_ctx *ctx, u32 handle, struct weft_ep **ep)
{
	struct weft_obj *obj;

	lockdep_assert_held(&ctx->own_lock);
	obj = weft_obj_find(ctx, handle, &weft_uep_ops);
	if (!obj || !weft_uep_of(obj)->sq)
		return -ENOENT;
	*ep = weft_uep_of(obj)->ep;
	return 0;
}

static bool weft_trigger_posts(u32 op)
{
	return op == WEFT_TRIGGER_SEND || op == WEFT_TRIGGER_RECV;
}

/* Check the fields of a call that need no object. Return: 0, -EINVAL. */
static int weft_trigger_check(const struct weft_ioc_trigger_add *arg)
{
	if (weft_trigger_posts(arg->op)) {
		if (!arg->nslots || arg->nslots > WEFT_NSLOTS_MAX || arg->value)
			return -EINVAL;
		return arg->done == WEFT_HANDLE_NONE || arg->flags & WEFT_TRIGGERF_ALONE ? 0 :
											-EINVAL;
	}
	if (arg->op != WEFT_TRIGGER_SET && arg->op != WEFT_TRIGGER_ADD)
		return -EINVAL;
	return arg->nslots || arg->entry || arg->done != WEFT_HANDLE_NONE ||
	       arg->flags & WEFT_TRIGGERF_ALONE ? -EINVAL : 0;
}

/* Make a trigger. ctx->own_lock is held. Return: the trigger, ERR_PTR(). */
static struct weft_trigger *weft_trigger_make(struct weft_ctx *ctx,
					      const struct weft_ioc_trigger_add *arg)
{
	struct weft_trigger_conf conf = {
		.op = arg->op, .flags = arg->flags, .zone = arg->zone, .nslots = arg->nslots,
		.threshold = arg->threshold, .id = arg->id, .value = arg->value,
	};
	struct weft_trigger *t;
	int err;

	lockdep_assert_held(&ctx->own_lock);
	if (READ_ONCE(ctx->dead))
		return ERR_PTR(-EIO);
	err = weft_trigger_cntr(ctx, arg->cntr, &conf.cntr) ?:
	      weft_trigger_cntr(ctx, arg->done, &conf.done);
	if (!err && !conf.cntr)
		err = -ENOENT;
	if (!err)
		err = weft_trigger_posts(arg->op) ?
			weft_trigger_ep(ctx, arg->object, &conf.ep) :
			weft_trigger_cntr(ctx, arg->object, &conf.target);
	if (!err && !conf.ep && !conf.target)
		err = -ENOENT;
	if (err)
		return ERR_PTR(err);
	t = weft_trigger_new(ctx->mc, &conf);
	return t ?: ERR_PTR(-ENOMEM);
}

/**
 * weft_trigger_call_add - WEFT_IOC_TRIGGER_ADD
 * @call: struct weft_ioc_trigger_add
 *
 * Return: 0, -EINVAL: operation, slots, fields that do not belong to it, an entry that the endpoint
 * does not take, an endpoint that is not enabled; -ENOENT: no such object; -EFAULT: the entry;
 * -EAGAIN, -ENOSPC: too many triggers; -ENOMEM, -EIO.
 */
int weft_trigger_call_add(struct weft_call *call)
{
	const struct weft_ioc_trigger_add *arg = call->arg;
	struct weft_ctx *ctx = call->ctx;
	struct weft_trigger *t;
	struct weft_out *out;
	int err = weft_trigger_check(arg);

	if (err)
		return err;
	out = weft_ctx_out(ctx);
	if (!out)
		return -ENOMEM;
	mutex_lock(&ctx->own_lock);
	t = weft_trigger_make(ctx, arg);
	err = PTR_ERR_OR_ZERO(t);
	if (!err) {
		if (arg->nslots && copy_from_user(t->slots, u64_to_user_ptr(arg->entry),
						  arg->nslots * sizeof(t->slots[0])))
			err = -EFAULT;
		else
			err = weft_trigger_add(&ctx->triggers, t, weft_now(), out);
		if (err)
			weft_trigger_free(t);
	}
	mutex_unlock(&ctx->own_lock);
	weft_flush(out);
	weft_ctx_out_put(ctx, out);
	return err;
}

/* Find what a choice names. ctx->own_lock is held. Return: 0, -ENOENT. */
static int weft_trigger_choose(struct weft_ctx *ctx, const struct weft_ioc_trigger_end *arg,
			       struct weft_trigger_choice *choice)
{
	struct weft_cq *cntr, *target = NULL;
	struct weft_ep *ep = NULL;
	int err = weft_trigger_cntr(ctx, arg->cntr, &cntr);

	if (!err && arg->object != WEFT_HANDLE_NONE && weft_trigger_ep(ctx, arg->object, &ep))
		err = weft_trigger_cntr(ctx, arg->object, &target);
	choice->cntr = cntr;
	choice->ep = ep;
	choice->target = target;
	return err;
}

/**
 * weft_trigger_call_end - WEFT_IOC_TRIGGER_END
 * @call: struct weft_ioc_trigger_end
 *
 * Return: 0, -ENOENT: no such object, or WEFT_TRIGGERF_ONE and no such trigger; -EINVAL: @id
 * without WEFT_TRIGGERF_ONE; -ENOMEM.
 */
int weft_trigger_call_end(struct weft_call *call)
{
	const struct weft_ioc_trigger_end *arg = call->arg;
	struct weft_trigger_choice choice = {
		.flags = arg->flags, .zone = arg->zone, .id = arg->id,
	};
	struct weft_ctx *ctx = call->ctx;
	struct weft_out *out;
	int err;

	if (arg->id && !(arg->flags & WEFT_TRIGGERF_ONE))
		return -EINVAL;
	out = weft_ctx_out(ctx);
	if (!out)
		return -ENOMEM;
	mutex_lock(&ctx->own_lock);
	err = weft_trigger_choose(ctx, arg, &choice);
	if (!err)
		err = weft_triggers_end(&ctx->triggers, &choice, weft_now(), out);
	mutex_unlock(&ctx->own_lock);
	weft_flush(out);
	weft_ctx_out_put(ctx, out);
	return err;
}
