// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft - endpoints
 *
 * Life as an object: ctx.c. The behaviour and states of an endpoint are the core's (core/api/ep.c,
 * core/cm/cm.c). This file gives it rings and queues. Calls for connections are in obj_cm.c.
 *
 *	CREATED (rings, lines) ---(ENABLE: CQs, EQ, AV, SRQ; passive: LISTEN: EQ)---> bound
 *	---(killed)---> unbound
 *
 * An object that is bound to an endpoint cannot be destroyed before it (weft_obj.users).
 *
 * ctx->own_lock protects binding and unbinding. Notify calls and other calls into the core hold no
 * lock. They hold a use of the object, which keeps its rings and the core's endpoint. The timer of
 * the send ring holds none: it is stopped before the object's resources are freed.
 */
#include <linux/sched.h>
#include <linux/slab.h>

#include "../compat.h"
#include "uep.h"

static_assert(!offsetof(struct weft_uep, obj));

static void weft_uep_bind(struct weft_uep *uep, u32 i, struct weft_obj *obj)
{
	if (!obj || uep->bound[i])
		return;
	obj->users++;
	uep->bound[i] = obj;
}

static void weft_uep_unbind(struct weft_uep *uep, u32 i)
{
	uep->bound[i]->users--;
	uep->bound[i] = NULL;
}

/* ---- The timer of the send ring -------------------------------------------------------------- */

static enum hrtimer_restart weft_uep_expire(struct hrtimer *timer)
{
	struct weft_uep *uep = container_of(timer, struct weft_uep, timer);

	weft_ep_untime(uep->ep);
	return HRTIMER_NORESTART;
}

/*
 * A notify call has been processed. @timed: it was with WEFT_NOTIFY_TIMED. The timer is started
 * after the flag is shown, and the flag is hidden after the timer is stopped. So each flag that is
 * shown is hidden again.
 */
static noinline void weft_uep_retime(struct weft_uep *uep, bool timed)
{
	if (!timed) {
		WRITE_ONCE(uep->timed, false);
		hrtimer_try_to_cancel(&uep->timer);
		weft_ep_untime(uep->ep);
	} else if (weft_ep_time(uep->ep)) {
		WRITE_ONCE(uep->timed, true);
		hrtimer_start(&uep->timer, ns_to_ktime(WEFT_TIMED_US * NSEC_PER_USEC),
			      HRTIMER_MODE_REL_SOFT);
	}
}

static void weft_uep_kill(struct weft_obj *obj)
{
	struct weft_uep *uep = weft_uep_of(obj);
	struct weft_out *out = obj->ctx->kill_out;
	bool more = uep->ep;
	u32 i;

	if (uep->hot.poller)
		weft_hot_forget(&uep->hot);
	/*
	 * sends that a program has posted leave, as if it had notified: a worker may be too late,
	 * even if the timer has expired
	 */
	if (READ_ONCE(uep->timed))
		weft_ep_notify(uep->ep, WEFT_NOTIFY_SQ, weft_now(), out);
	while (more) {
		more = weft_ep_kill(uep->ep, weft_now(), out);
		weft_flush(out);
		if (more)
			weft_nap();
	}
	for (i = 0; i < ARRAY_SIZE(uep->bound); i++)
		if (uep->bound[i])
			weft_uep_unbind(uep, i);
}

static void weft_uep_release(struct weft_obj *obj)
{
	struct weft_uep *uep = weft_uep_of(obj);
	struct weft_rings *rings = &obj->ctx->rings;

	/* a notify call may have started it after the kill */
	hrtimer_cancel(&uep->timer);
	if (uep->ep)
		weft_ep_put(uep->ep);
	weft_line_free(rings, &uep->status);
	weft_line_free(rings, &uep->doorbell);
	weft_area_put(uep->rq);
	weft_area_put(uep->sq);
}

/** weft_uep_ops - operations of endpoints */
const struct weft_obj_ops weft_uep_ops = {
	.kill = weft_uep_kill,
	.release = weft_uep_release,
	.early = true,
};

/**
 * weft_uep_look - report the state of an endpoint
 * @obj: an object of any kind; ctx->lock is held
 * @info: out
 *
 * Return: true; false: the object is no endpoint.
 */
bool weft_uep_look(struct weft_obj *obj, struct weft_ep_info *info)
{
	lockdep_assert_held(&obj->ctx->lock);
	if (obj->ops != &weft_uep_ops)
		return false;
	weft_ep_look(weft_uep_of(obj)->ep, info);
	return true;
}

/**
 * weft_uep_ep - get the core's part of an endpoint that has rings
 * @obj: an object of any kind; ctx->lock is held
 *
 * Return: the endpoint, valid while the object is used; NULL: a passive endpoint, or no endpoint.
 */
struct weft_ep *weft_uep_ep(struct weft_obj *obj)
{
	lockdep_assert_held(&obj->ctx->lock);
	if (obj->ops != &weft_uep_ops || weft_uep_of(obj)->type == WEFT_EP_PASSIVE)
		return NULL;
	return weft_uep_of(obj)->ep;
}

/* ---- Words for people ------------------------------------------------------------------------ */

const char *weft_ep_type_name(u32 type)
{
	switch (type) {
	case WEFT_EP_MSG:
		return "msg";
	case WEFT_EP_RDM:
		return "rdm";
	case WEFT_EP_DGRAM:
		return "dgram";
	case WEFT_EP_PASSIVE:
		return "passive";
	default:
		return "?";
	}
}

const char *weft_ep_state_name(u32 state)
{
	static const char * const names[] = {
		[WEFT_EPS_NEW] = "new",
		[WEFT_EPS_ENABLED] = "enabled",
		[WEFT_EPS_LISTENING] = "listening",
		[WEFT_EPS_CONNECTING] = "connecting",
		[WEFT_EPS_ACCEPTED] = "accepted",
		[WEFT_EPS_CONNECTED] = "connected",
		[WEFT_EPS_CLOSING] = "closing",
		[WEFT_EPS_CLOSED] = "closed",
		[WEFT_EPS_ERROR] = "error",
		[WEFT_EPS_DEAD] = "dead",
	};

	return state < ARRAY_SIZE(names) ? names[state] : "?";
}

/* ---- Creation -------------------------------------------------------------------------------- */

static int weft_uep_check(const struct weft_ioc_ep *arg)
{
	bool passive = arg->type == WEFT_EP_PASSIVE;

	switch (arg->type) {
	case WEFT_EP_MSG:
	case WEFT_EP_RDM:
	case WEFT_EP_DGRAM:
		if (!arg->sq_slots || arg->sq_slots > WEFT_RING_MAX ||
		    !arg->rq_slots != !!(arg->flags & WEFT_EPF_SRQ) ||
		    arg->rq_slots > WEFT_RING_MAX)
			return -EINVAL;
		break;
	case WEFT_EP_PASSIVE:
		if (arg->sq_slots || arg->rq_slots)
			return -EINVAL;
		break;
	default:
		return -EINVAL;
	}
	if (passive && (arg->flags || arg->zone))
		return -EINVAL;
	if (arg->flags & WEFT_EPF_STRICT && arg->type != WEFT_EP_MSG)
		return -EINVAL;
	if (arg->flags & WEFT_EPF_VARIABLE && arg->type == WEFT_EP_DGRAM)
		return -EINVAL;
	if (arg->flags & WEFT_EPF_SOURCE && arg->type == WEFT_EP_MSG)
		return -EINVAL;
	if (arg->flags & (WEFT_EPF_RMA | WEFT_EPF_REMOTE_READ | WEFT_EPF_REMOTE_WRITE |
			  WEFT_EPF_ORDERED) && arg->type == WEFT_EP_DGRAM)
		return -EINVAL;
	/* the wildcard for the port's first address carries no other field */
	if (!arg->addr.family &&
	    (arg->addr.scope || memchr_inv(arg->addr.addr, 0, sizeof(arg->addr.addr))))
		return -EINVAL;
	return 0;
}

static int weft_uep_ring(struct weft_rings *rings, u32 *slots, struct weft_area **area)
{
	struct weft_area *new;

	*slots = weft_ring_slots(*slots);
	new = weft_area_new(rings, (size_t)*slots * WEFT_SLOT_SIZE, true);
	if (IS_ERR(new))
		return PTR_ERR(new);
	*area = new;
	return 0;
}

static int weft_uep_rings(struct weft_uep *uep, struct weft_ioc_ep *arg)
{
	struct weft_rings *rings = &uep->obj.ctx->rings;
	int err;

	if (uep->type != WEFT_EP_PASSIVE) {
		err = weft_uep_ring(rings, &arg->sq_slots, &uep->sq);
		if (!err && arg->rq_slots)
			err = weft_uep_ring(rings, &arg->rq_slots, &uep->rq);
		if (err)
			return err;
	}
	err = weft_line_new(rings, true, &uep->doorbell);
	if (err)
		return err;
	return weft_line_new(rings, false, &uep->status);
}

static int weft_uep_new(struct weft_uep *uep, const struct weft_ioc_ep *arg)
{
	struct weft_ctx *ctx = uep->obj.ctx;
	struct weft_job *job = weft_key_job(ctx, arg);
	struct weft_ep_conf conf = {
		.type = arg->type,
		.flags = arg->flags,
		.handle = uep->obj.handle,
		.mc = ctx->mc,
		.addr = arg->addr,
		.sq = uep->sq ? uep->sq->kva : NULL,
		.sq_slots = arg->sq_slots,
		.rq = uep->rq ? uep->rq->kva : NULL,
		.rq_slots = arg->rq_slots,
		.doorbell = weft_line_kva(&uep->doorbell),
		.status = weft_line_kva(&uep->status),
		.ctx = weft_ctx_name(ctx),
		.uid = __kuid_val(ctx->uid),
		.program = { .ctx = ctx->id, .pid = ctx->pid },
		.job = job,
		.domain = &ctx->domain,
		.triggers = &ctx->triggers,
		.zone = arg->zone,
	};
	struct weft_ep *ep;

	if (IS_ERR(job))
		return PTR_ERR(job);
	BUILD_BUG_ON(sizeof(conf.program.comm) != sizeof(ctx->comm));
	memcpy(conf.program.comm, ctx->comm, sizeof(ctx->comm));
	ep = weft_ep_new(ctx->core, &conf);
	weft_key_done(job);
	if (IS_ERR(ep))
		return PTR_ERR(ep);
	uep->ep = ep;
	if (uep->type == WEFT_EP_PASSIVE)
		return 0;
	uep->hot.ep = ep;
	weft_hot_init(&uep->hot, ctx->dev->engine, &uep->obj, weft_line_kva(&uep->doorbell));
	return 0;
}

/**
 * weft_uep_create - WEFT_IOC_EP_CREATE
 * @call: struct weft_ioc_ep
 *
 * Return: 0, -EINVAL: type, slots, flags, address; -EMFILE, -ENOSPC, -ENOMEM, or the result of
 * weft_ep_new() and weft_key_job().
 */
int weft_uep_create(struct weft_call *call)
{
	struct weft_ioc_ep *arg = call->arg;
	struct weft_uep *uep;
	int err = weft_uep_check(arg);

	if (err)
		return err;
	uep = kzalloc(sizeof(*uep), GFP_KERNEL_ACCOUNT);
	if (!uep)
		return -ENOMEM;
	uep->type = arg->type;
	hrtimer_setup(&uep->timer, weft_uep_expire, CLOCK_MONOTONIC, HRTIMER_MODE_REL_SOFT);
	err = weft_obj_init(call->ctx, &uep->obj, &weft_uep_ops);
	if (err) {
		kfree(uep);
		return err;
	}
	call->obj = &uep->obj;
	err = weft_uep_rings(uep, arg);
	if (!err)
		err = weft_uep_new(uep, arg);
	if (err)
		return err;

	arg->handle = uep->obj.handle;
	memset(&arg->sq, 0, sizeof(arg->sq));
	memset(&arg->rq, 0, sizeof(arg->rq));
	if (uep->sq)
		weft_area_map(uep->sq, &arg->sq);
	if (uep->rq)
		weft_area_map(uep->rq, &arg->rq);
	weft_line_map(&uep->doorbell, &arg->doorbell);
	weft_line_map(&uep->status, &arg->status);
	return 0;
}

/* ---- Queues ---------------------------------------------------------------------------------- */

/*
 * Find an object by a handle that may be WEFT_HANDLE_NONE. Return: 0; -ENOENT: no object of this
 * kind has the handle.
 */
static int weft_uep_queue(struct weft_ctx *ctx, u32 handle, const struct weft_obj_ops *ops,
			  struct weft_obj **obj)
{
	*obj = NULL;
	if (handle == WEFT_HANDLE_NONE)
		return 0;
	*obj = weft_obj_find(ctx, handle, ops);
	return *obj ? 0 : -ENOENT;
}

/* The same for a completion queue or a counter. */
static int weft_uep_cq(struct weft_ctx *ctx, u32 handle, bool counter, struct weft_obj **obj)
{
	int err = weft_uep_queue(ctx, handle, &weft_ucq_ops, obj);

	if (!err && *obj && !container_of(*obj, struct weft_ucq, obj)->ring != counter)
		err = -ENOENT;
	return err;
}

static struct weft_cq *weft_cq_of(struct weft_obj *obj)
{
	return obj ? &container_of(obj, struct weft_ucq, obj)->cq : NULL;
}

static struct weft_eq *weft_eq_of(struct weft_obj *obj)
{
	return obj ? &container_of(obj, struct weft_ueq, obj)->eq : NULL;
}

static struct weft_av *weft_av_of(struct weft_obj *obj)
{
	return obj ? container_of(obj, struct weft_uav, obj)->av : NULL;
}

static struct weft_srq *weft_srq_of(struct weft_obj *obj)
{
	return container_of(obj, struct weft_usrq, obj)->srq;
}

static int weft_uep_enable_locked(struct weft_ctx *ctx, struct weft_ioc_ep_enable *arg)
{
	struct weft_obj *obj, *tx, *rx, *eq, *av, *srq, *txc, *rxc, *rma[WEFT_RMA_CNTRS];
	const u32 counters[WEFT_RMA_CNTRS] = {
		[WEFT_CNTR_WRITE] = arg->write_cntr,
		[WEFT_CNTR_READ] = arg->read_cntr,
		[WEFT_CNTR_REMOTE_WRITE] = arg->remote_write_cntr,
		[WEFT_CNTR_REMOTE_READ] = arg->remote_read_cntr,
	};
	struct weft_ep_queues q;
	struct weft_uep *uep;
	int err;
	u32 i;

	obj = weft_obj_find(ctx, arg->handle, &weft_uep_ops);
	if (!obj)
		return -ENOENT;
	uep = weft_uep_of(obj);
	if (weft_uep_cq(ctx, arg->tx_cq, false, &tx) || weft_uep_cq(ctx, arg->rx_cq, false, &rx) ||
	    weft_uep_cq(ctx, arg->tx_cntr, true, &txc) ||
	    weft_uep_cq(ctx, arg->rx_cntr, true, &rxc) ||
	    weft_uep_queue(ctx, arg->eq, &weft_ueq_ops, &eq) ||
	    weft_uep_queue(ctx, arg->av, &weft_uav_ops, &av) ||
	    weft_uep_queue(ctx, arg->srq, &weft_usrq_ops, &srq))
		return -ENOENT;
	for (i = 0; i < WEFT_RMA_CNTRS; i++)
		if (weft_uep_cq(ctx, counters[i], true, &rma[i]))
			return -ENOENT;
	if (uep->type == WEFT_EP_RDM || uep->type == WEFT_EP_DGRAM ? !av : !!av)
		return -EINVAL;
	if (uep->type == WEFT_EP_PASSIVE || (uep->type == WEFT_EP_MSG && !eq))
		return -EINVAL;
	if (srq) {
		err = weft_ep_share(uep->ep, weft_srq_of(srq), weft_av_of(av));
		if (err)
			return err;
		weft_uep_bind(uep, 4, srq);
	}
	q = (struct weft_ep_queues){
		.tx_cq = weft_cq_of(tx),
		.rx_cq = weft_cq_of(rx),
		.tx_cntr = weft_cq_of(txc),
		.rx_cntr = weft_cq_of(rxc),
		.eq = weft_eq_of(eq),
		.av = weft_av_of(av),
	};
	for (i = 0; i < WEFT_RMA_CNTRS; i++)
		q.rma_cntr[i] = weft_cq_of(rma[i]);
	err = weft_ep_enable(uep->ep, &q);
	if (err) {
		/* the endpoint keeps the queue if its port has gone meanwhile */
		if (srq && !weft_ep_share(uep->ep, NULL, NULL))
			weft_uep_unbind(uep, 4);
		return err;
	}
	weft_uep_bind(uep, 0, tx);
	weft_uep_bind(uep, 1, rx);
	weft_uep_bind(uep, 2, eq);
	weft_uep_bind(uep, 3, av);
	weft_uep_bind(uep, 5, txc);
	weft_uep_bind(uep, 6, rxc);
	for (i = 0; i < WEFT_RMA_CNTRS; i++)
		weft_uep_bind(uep, 7 + i, rma[i]);
	weft_ep_getname(uep->ep, &arg->addr);
	return 0;
}

/**
 * weft_uep_enable - WEFT_IOC_EP_ENABLE
 * @call: struct weft_ioc_ep_enable
 *
 * Return: 0, -ENOENT, -EINVAL: passive, or the queues do not fit the type; or the result of
 * weft_ep_enable().
 */
int weft_uep_enable(struct weft_call *call)
{
	struct weft_ctx *ctx = call->ctx;
	int err;

	mutex_lock(&ctx->own_lock);
	err = weft_uep_enable_locked(ctx, call->arg);
	mutex_unlock(&ctx->own_lock);
	return err;
}

static int weft_uep_listen_locked(struct weft_ctx *ctx, struct weft_ioc_cm *arg)
{
	struct weft_obj *obj, *eq, *bound;
	struct weft_uep *uep;
	int err;

	obj = weft_obj_find(ctx, arg->handle, &weft_uep_ops);
	if (!obj || weft_uep_queue(ctx, arg->eq, &weft_ueq_ops, &eq))
		return -ENOENT;
	uep = weft_uep_of(obj);
	if (uep->type != WEFT_EP_PASSIVE)
		return -EINVAL;
	bound = uep->bound[0];
	if (bound && eq && eq != bound)
		return -EINVAL;
	eq = bound ?: eq;
	if (!eq)
		return -EINVAL;
	err = weft_cm_listen(uep->ep, weft_eq_of(eq), arg->backlog);
	if (err)
		return err;
	if (!bound)
		weft_uep_bind(uep, 0, eq);
	weft_ep_getname(uep->ep, &arg->addr);
	return 0;
}

/**
 * weft_uep_listen - WEFT_IOC_LISTEN
 * @call: struct weft_ioc_cm
 *
 * Return: 0, -ENOENT, -EINVAL: not passive, no event queue, not the event queue of the first call,
 * no backlog, fields that do not belong to this call; or the result of weft_cm_listen().
 */
int weft_uep_listen(struct weft_call *call)
{
	struct weft_ctx *ctx = call->ctx;
	struct weft_ioc_cm *arg = call->arg;
	int err;

	if (!arg->backlog || arg->data_len || arg->conn || arg->timeout_ns)
		return -EINVAL;
	mutex_lock(&ctx->own_lock);
	err = weft_uep_listen_locked(ctx, arg);
	mutex_unlock(&ctx->own_lock);
	return err;
}

/* ---- Calls into the core --------------------------------------------------------------------- */

/*
 * Process the rings of the endpoint @handle. @flags: WEFT_NOTIFY_*. The calling process owns the
 * context. Return: 0, -ENOENT, -EINVAL: passive, -ENOMEM, -EINTR.
 */
static long weft_uep_notify(struct weft_ctx *ctx, u32 handle, u32 flags)
{
	struct weft_obj *obj = weft_obj_get(ctx, handle, &weft_uep_ops);
	u32 what = flags & WEFT_NOTIFY_TIMED ? WEFT_NOTIFY_SQ : flags;
	struct weft_out *out;
	struct weft_uep *uep;
	long err = -EINVAL;

	if (unlikely(!obj))
		return -ENOENT;
	uep = weft_uep_of(obj);
	if (unlikely(uep->type == WEFT_EP_PASSIVE))
		goto out;
	err = -ENOMEM;
	out = weft_ctx_out(ctx);
	if (unlikely(!out))
		goto out;
	weft_count(ctx->core, notifications);
	err = 0;
	if (what != WEFT_NOTIFY_SQ || !weft_ep_fast(uep->ep, out))
		err = weft_ep_notify(uep->ep, what, weft_now(), out);
	weft_ctx_out_put(ctx, out);
	if (unlikely((what ^ flags) | READ_ONCE(uep->timed)))
		weft_uep_retime(uep, what != flags);
	weft_hot_notified(&uep->hot);
out:
	weft_obj_unuse(obj);
	return err;
}

/**
 * weft_notify - the notify call: lseek(2) or WEFT_IOC_NOTIFY on a device file
 * @ctx: the context
 * @where: handle of an endpoint
 * @what: WEFT_NOTIFY_*
 *
 * No file position is involved. The file is not a regular one, so no lock of a position is taken.
 *
 * Return: 0, -EPERM, -ENODEV: as an ioctl; -EINVAL: @what, or a passive endpoint; -ENOENT, -ENOMEM,
 * -EINTR.
 */
long weft_notify(struct weft_ctx *ctx, loff_t where, int what)
{
	if (unlikely(current->mm != READ_ONCE(ctx->mm)))
		return -EPERM;
	if (unlikely(READ_ONCE(ctx->core->stopped)))
		return -ENODEV;
	if (unlikely(what < WEFT_NOTIFY_SQ || what > WEFT_NOTIFY_TIMED))
		return -EINVAL;
	if (unlikely(where != (u32)where))
		return -ENOENT;
	return weft_uep_notify(ctx, where, what);
}

/**
 * weft_uep_cancel - WEFT_IOC_CANCEL
 * @call: struct weft_ioc_cancel
 *
 * Return: 0, -ENOENT, -ENOMEM, or the result of weft_ep_cancel().
 */
int weft_uep_cancel(struct weft_call *call)
{
	struct weft_ioc_cancel *arg = call->arg;
	struct weft_uep *uep = weft_uep_of(call->of);

	if (uep->type == WEFT_EP_PASSIVE)
		return -EINVAL;
	return weft_ep_cancel(uep->ep, arg->context, weft_now(), call->out);
}

/**
 * weft_uep_mark - WEFT_IOC_EP_MARK
 * @call: struct weft_ioc_mark
 *
 * Return: 0, -ENOENT, -EINVAL: fields that do not belong to this call; or the result of
 * weft_ep_marks().
 */
int weft_uep_mark(struct weft_call *call)
{
	struct weft_ioc_mark *arg = call->arg;

	return weft_ep_marks(weft_uep_of(call->of)->ep, arg->soft, arg->hard, weft_now(),
			     call->out);
}

/**
 * weft_uep_held - WEFT_IOC_EP_HELD
 * @call: struct weft_ioc_mark
 *
 * Return: 0, -ENOENT, -EINVAL: fields that do not belong to this call, or the endpoint shares no
 * receives.
 */
int weft_uep_held(struct weft_call *call)
{
	struct weft_ioc_mark *arg = call->arg;

	return weft_ep_held(weft_uep_of(call->of)->ep, &arg->held, &arg->span);
}

/**
 * weft_uep_join - WEFT_IOC_GROUP_JOIN
 * @call: struct weft_ioc_group
 *
 * Return: 0, -ENOENT, -ENOMEM, or the result of weft_group_join().
 */
int weft_uep_join(struct weft_call *call)
{
	struct weft_ioc_group *arg = call->arg;

	return weft_group_join(weft_uep_of(call->of)->ep, &arg->addr, arg->flags, weft_now(),
			       call->out, &arg->group);
}

/**
 * weft_uep_leave_group - WEFT_IOC_GROUP_LEAVE
 * @call: struct weft_ioc_group
 *
 * Return: 0, -EINVAL: the address is not 0; -ENOENT: no such endpoint, or it has not joined this
 * group; -ENOMEM.
 */
int weft_uep_leave_group(struct weft_call *call)
{
	struct weft_ioc_group *arg = call->arg;

	return weft_group_leave(weft_uep_of(call->of)->ep, arg->group, weft_now(), call->out);
}

/**
 * weft_uep_setname - WEFT_IOC_SETNAME
 * @call: struct weft_ioc_name
 *
 * Return: 0, -ENOENT, or the result of weft_ep_setname().
 */
int weft_uep_setname(struct weft_call *call)
{
	struct weft_ioc_name *arg = call->arg;

	return weft_ep_setname(weft_uep_of(call->of)->ep, &arg->addr);
}

/**
 * weft_uep_getname - WEFT_IOC_GETNAME
 * @call: struct weft_ioc_name
 *
 * Return: 0, -ENOENT.
 */
int weft_uep_getname(struct weft_call *call)
{
	struct weft_ioc_name *arg = call->arg;

	weft_ep_getname(weft_uep_of(call->of)->ep, &arg->addr);
	return 0;
}

/**
 * weft_uep_getpeer - WEFT_IOC_GETPEER
 * @call: struct weft_ioc_name
 *
 * Return: 0, -ENOENT, -ENOTCONN.
 */
int weft_uep_getpeer(struct weft_call *call)
{
	struct weft_ioc_name *arg = call->arg;

	return weft_ep_getpeer(weft_uep_of(call->of)->ep, &arg->addr);
}
