// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft - shared receive queues
 *
 * Life as an object: ctx.c. The queue itself is the core's (core/api/srq_call.c). This file gives
 * it its ring and lines, and a new ring when it is resized. The queue uses its event queue. It
 * cannot be destroyed while endpoints use it (weft_obj.users).
 *
 * ctx->own_lock protects binding. ctx->lock protects the mapped ring.
 */
#include <linux/slab.h>

#include "ctx.h"

static struct weft_usrq *weft_usrq_of(struct weft_obj *obj)
{
	return container_of(obj, struct weft_usrq, obj);
}

static void weft_usrq_kill(struct weft_obj *obj)
{
	struct weft_usrq *usrq = weft_usrq_of(obj);

	if (usrq->hot.poller)
		weft_hot_forget(&usrq->hot);
	if (usrq->srq)
		weft_srq_kill(usrq->srq);
	if (usrq->eq)
		usrq->eq->users--;
}

static void weft_usrq_release(struct weft_obj *obj)
{
	struct weft_usrq *usrq = weft_usrq_of(obj);
	struct weft_rings *rings = &obj->ctx->rings;

	if (usrq->srq)
		weft_srq_put(usrq->srq);
	weft_line_free(rings, &usrq->status);
	weft_line_free(rings, &usrq->doorbell);
	weft_area_put(usrq->rq);
}

/** weft_usrq_ops - operations of shared receive queues */
const struct weft_obj_ops weft_usrq_ops = {
	.kill = weft_usrq_kill,
	.release = weft_usrq_release,
};

/**
 * weft_usrq_srq - get the core's part of a shared receive queue
 * @obj: an object of any kind; ctx->lock is held
 *
 * Return: the queue, valid while the object is used; NULL: the object is no such queue.
 */
struct weft_srq *weft_usrq_srq(struct weft_obj *obj)
{
	lockdep_assert_held(&obj->ctx->lock);
	return obj->ops == &weft_usrq_ops ? weft_usrq_of(obj)->srq : NULL;
}

static int weft_usrq_check(const struct weft_ioc_srq *arg)
{
	return arg->slots && arg->slots <= WEFT_RING_MAX && arg->recvs &&
	       arg->recvs <= WEFT_RING_MAX ? 0 : -EINVAL;
}

static struct weft_area *weft_usrq_ring(struct weft_ctx *ctx, u32 *slots)
{
	*slots = weft_ring_slots(*slots);
	return weft_area_new(&ctx->rings, (size_t)*slots * WEFT_SLOT_SIZE, true);
}

/* Bind its event queue. */
static int weft_usrq_bind(struct weft_usrq *usrq, u32 handle)
{
	struct weft_ctx *ctx = usrq->obj.ctx;

	if (handle == WEFT_HANDLE_NONE)
		return 0;
	mutex_lock(&ctx->own_lock);
	usrq->eq = weft_obj_find(ctx, handle, &weft_ueq_ops);
	if (usrq->eq)
		usrq->eq->users++;
	mutex_unlock(&ctx->own_lock);
	return usrq->eq ? 0 : -ENOENT;
}

static int weft_usrq_new(struct weft_usrq *usrq, struct weft_ioc_srq *arg)
{
	struct weft_ctx *ctx = usrq->obj.ctx;
	struct weft_srq_conf conf = {
		.handle = usrq->obj.handle,
		.zone = arg->zone,
		.recvs = arg->recvs,
		.ctx = weft_ctx_name(ctx),
		.uid = __kuid_val(ctx->uid),
	};
	struct weft_area *rq;
	struct weft_srq *srq;
	int err = weft_usrq_bind(usrq, arg->eq);

	if (err)
		return err;
	rq = weft_usrq_ring(ctx, &arg->slots);
	if (IS_ERR(rq))
		return PTR_ERR(rq);
	usrq->rq = rq;
	err = weft_line_new(&ctx->rings, true, &usrq->doorbell);
	if (!err)
		err = weft_line_new(&ctx->rings, false, &usrq->status);
	if (err)
		return err;
	conf.rq = rq->kva;
	conf.rq_slots = arg->slots;
	conf.doorbell = weft_line_kva(&usrq->doorbell);
	conf.status = weft_line_kva(&usrq->status);
	if (usrq->eq)
		conf.eq = &container_of(usrq->eq, struct weft_ueq, obj)->eq;
	srq = weft_srq_new(ctx->core, &conf);
	if (IS_ERR(srq))
		return PTR_ERR(srq);
	usrq->srq = srq;
	usrq->hot.srq = srq;
	weft_hot_init(&usrq->hot, ctx->dev->engine, &usrq->obj, conf.doorbell);
	return 0;
}

/**
 * weft_usrq_create - WEFT_IOC_SRQ_CREATE
 * @call: struct weft_ioc_srq
 *
 * Return: 0, -EINVAL: slots, receives; -ENOENT: no such event queue; -EMFILE, -ENOSPC, -ENOMEM, or
 * the result of weft_srq_new().
 */
int weft_usrq_create(struct weft_call *call)
{
	struct weft_ioc_srq *arg = call->arg;
	struct weft_usrq *usrq;
	int err = weft_usrq_check(arg);

	if (err)
		return err;
	usrq = kzalloc(sizeof(*usrq), GFP_KERNEL_ACCOUNT);
	if (!usrq)
		return -ENOMEM;
	err = weft_obj_init(call->ctx, &usrq->obj, &weft_usrq_ops);
	if (err) {
		kfree(usrq);
		return err;
	}
	call->obj = &usrq->obj;
	err = weft_usrq_new(usrq, arg);
	if (err)
		return err;
	arg->handle = usrq->obj.handle;
	weft_area_map(usrq->rq, &arg->rq);
	weft_line_map(&usrq->doorbell, &arg->doorbell);
	weft_line_map(&usrq->status, &arg->status);
	return 0;
}

/**
 * weft_usrq_resize - WEFT_IOC_SRQ_RESIZE
 * @call: struct weft_ioc_srq
 *
 * Return: 0, -EINVAL: slots, receives, fields that do not belong to this call; -ENOENT, -ENOSPC,
 * -ENOMEM, or the result of weft_srq_resize().
 */
int weft_usrq_resize(struct weft_call *call)
{
	struct weft_ioc_srq *arg = call->arg;
	struct weft_ctx *ctx = call->ctx;
	struct weft_area *rq;
	struct weft_out *out;
	struct weft_obj *obj;
	int err = weft_usrq_check(arg);

	if (err || arg->eq || arg->zone)
		return -EINVAL;
	rq = weft_usrq_ring(ctx, &arg->slots);
	if (IS_ERR(rq))
		return PTR_ERR(rq);
	out = weft_ctx_out(ctx);
	if (!out) {
		weft_area_put(rq);
		return -ENOMEM;
	}
	out->now = weft_now();
	mutex_lock(&ctx->lock);
	obj = weft_obj_find(ctx, arg->handle, &weft_usrq_ops);
	err = obj ? weft_srq_resize(weft_usrq_of(obj)->srq, rq->kva, arg->slots, arg->recvs, out) :
		    -ENOENT;
	if (!err) {
		swap(weft_usrq_of(obj)->rq, rq);
		weft_area_map(weft_usrq_of(obj)->rq, &arg->rq);
	}
	mutex_unlock(&ctx->lock);
	weft_flush(out);
	weft_ctx_out_put(ctx, out);
	weft_area_put(rq);
	return err;
}

/* ---- Calls into the core --------------------------------------------------------------------- */

/**
 * weft_usrq_query - WEFT_IOC_SRQ_QUERY
 * @call: struct weft_ioc_srq_query
 *
 * Return: 0, -ENOENT, -ENOMEM.
 */
int weft_usrq_query(struct weft_call *call)
{
	struct weft_ioc_srq_query *arg = call->arg;
	struct weft_srq_info info;

	weft_srq_look(weft_usrq_of(call->of)->srq, weft_now(), call->out, &info);
	arg->recvs = info.recvs;
	arg->available = info.available;
	arg->held = info.held;
	arg->low = info.low;
	return 0;
}

/**
 * weft_usrq_notify - WEFT_IOC_SRQ_NOTIFY
 * @call: struct weft_ioc_handle
 *
 * Return: 0, -ENOENT, -ENOMEM.
 */
int weft_usrq_notify(struct weft_call *call)
{
	struct weft_usrq *usrq = weft_usrq_of(call->of);
	int err = weft_srq_notify(usrq->srq, weft_now(), call->out);

	weft_hot_notified(&usrq->hot);
	return err;
}

/**
 * weft_usrq_cancel - WEFT_IOC_SRQ_CANCEL
 * @call: struct weft_ioc_srq_cancel
 *
 * Return: 0, -ENOENT, -ENOMEM, -EAGAIN: the completion queue is full.
 */
int weft_usrq_cancel(struct weft_call *call)
{
	struct weft_ioc_srq_cancel *arg = call->arg;
	struct weft_obj *obj = weft_obj_get(call->ctx, arg->cq, &weft_ucq_ops);
	struct weft_ucq *cq;
	int err = -ENOENT;

	if (!obj)
		return -ENOENT;
	cq = container_of(obj, struct weft_ucq, obj);
	if (cq->ring) {
		call->out->now = weft_now();
		err = weft_srq_cancel(weft_usrq_of(call->of)->srq, &cq->cq, arg->context,
				      call->out);
	}
	weft_obj_unuse(obj);
	return err;
}

/**
 * weft_usrq_arm - WEFT_IOC_SRQ_ARM
 * @call: struct weft_ioc_mark
 *
 * Return: 0, -ENOENT, -EINVAL: fields that do not belong to this call; or the result of
 * weft_srq_arm().
 */
int weft_usrq_arm(struct weft_call *call)
{
	struct weft_ioc_mark *arg = call->arg;

	return weft_srq_arm(weft_usrq_of(call->of)->srq, arg->low, weft_now(), call->out);
}
