// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft - ioctls on /dev/weft/<port>: the common part
 *
 * The number selects the ioctl. The length encoded with it does not count: the structure's first
 * word does (see the rules of growth in the header). Steps of a call:
 *
 *	copy in, check (lengths, reserved fields, flags)
 *	---> write back unchanged: an unwritable structure fails before any effect
 *	---> execute ---> copy results back ---> publish the new object
 *
 * The last copy can still fail (the page has gone meanwhile). Then the new object is destroyed
 * before any program sees it.
 *
 * The notify call and the wait run for each message. They are lseek(2), or ioctls with a way of
 * their own (dev.c, obj_ep.c, obj_cq.c). The functions here take no lock.
 */
#include <linux/fs.h>
#include <linux/nospec.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#include "../core/wire/ring.h"
#include "ctx.h"
#include "upcalls.h"

#define WEFT_CALL_OUT	1	/* copy the structure back */
#define WEFT_CALL_GONE	2	/* allowed after the port has gone */
#define WEFT_CALL_CORE	4	/* calls the core with an output, which is flushed afterwards */

/**
 * struct weft_call_desc - description of an ioctl
 * @fn: executes it
 * @check: checks fields before the object is looked up; NULL: nothing to check
 * @of: kind of the object that its handle names and that is used meanwhile; NULL: none
 * @size: size of its structure
 * @rsvd: offset of a reserved word in it, 0: no reserved word
 * @opts: WEFT_CALL_*
 * @flags: known flags of the structure
 */
struct weft_call_desc {
	int (*fn)(struct weft_call *call);
	int (*check)(const void *arg);
	const struct weft_obj_ops *of;
	u16 size;
	u16 rsvd;
	u32 opts;
	u32 flags;
};

/* Every structure begins with these fields; @handle if the ioctl is one on an object. */
struct weft_call_head {
	u32 size;
	u32 flags;
	u32 handle;
};

/* Large enough for any of the structures. */
union weft_call_arg {
	struct weft_call_head head;
	struct weft_ioc_query query;
	struct weft_ioc_cq cq;
	struct weft_ioc_eq eq;
	struct weft_ioc_av av;
	struct weft_ioc_av_insert av_insert;
	struct weft_ioc_ep ep;
	struct weft_ioc_ep_enable ep_enable;
	struct weft_ioc_handle handle;
	struct weft_ioc_name name;
	struct weft_ioc_cm cm;
	struct weft_ioc_mr mr;
	struct weft_ioc_cancel cancel;
	struct weft_ioc_srq srq;
	struct weft_ioc_srq_query srq_query;
	struct weft_ioc_srq_cancel srq_cancel;
	struct weft_ioc_mark mark;
	struct weft_ioc_group group;
	struct weft_ioc_region region;
	struct weft_ioc_region_end region_end;
	struct weft_ioc_trigger_add trigger_add;
	struct weft_ioc_trigger_end trigger_end;
};

static int weft_query(struct weft_call *call)
{
	struct weft_ioc_query *q = call->arg;
	struct weft_dev *dev = call->ctx->dev;
	struct weft_core *core = call->ctx->core;

	memset(q, 0, sizeof(*q));
	weft_up_query(dev->port, q);
	q->size = sizeof(*q);
	q->flags = 0;
	q->abi = WEFT_ABI_VERSION;
	q->caps = WEFT_CAP_TAGGED | WEFT_CAP_RDM | WEFT_CAP_MSG | WEFT_CAP_CANCEL |
		  WEFT_CAP_PEEK | WEFT_CAP_MULTI | WEFT_CAP_MATCH | WEFT_CAP_SRQ |
		  WEFT_CAP_COUNT | WEFT_CAP_DGRAM | WEFT_CAP_FENCE | WEFT_CAP_ANNOUNCE |
		  WEFT_CAP_GROUP | WEFT_CAP_SOURCE | WEFT_CAP_JOB | WEFT_CAP_TIMED |
		  WEFT_CAP_RMA | WEFT_CAP_TRIGGER |
		  (call->ctx->seek ? WEFT_CAP_SEEK : 0);
	q->max_msg = WEFT_MSG_MAX;
	q->max_inline = WEFT_INLINE_MAX;
	q->max_iov = WEFT_IOV_MAX;
	q->max_ring = WEFT_RING_MAX;
	q->max_objs = WEFT_CTX_OBJS;
	q->cm_data = WEFT_CM_DATA_MAX;
	q->max_av = WEFT_AV_MAX;
	q->max_dgram = weft_dgram_max(core, q->mtu);
	strscpy(q->name, dev->name, sizeof(q->name));
	q->naddr = min_t(u32, core->naddr, ARRAY_SIZE(q->addr));
	memcpy(q->addr, core->addr, q->naddr * sizeof(q->addr[0]));
	return 0;
}

static int weft_destroy(struct weft_call *call)
{
	struct weft_ioc_handle *arg = call->arg;

	return weft_obj_destroy(call->ctx, arg->handle);
}

/* ---- Fields that do not belong to a call, and lengths ---------------------------------------- */

static int weft_check_insert(const void *p)
{
	const struct weft_ioc_av_insert *arg = p;

	return arg->count && arg->count <= WEFT_AV_CALL ? 0 : -EINVAL;
}

static int weft_check_remove(const void *p)
{
	const struct weft_ioc_av_insert *arg = p;

	return arg->addrs ? -EINVAL : weft_check_insert(p);
}

static int weft_check_answer(const void *p)
{
	const struct weft_ioc_cm *arg = p;

	if (arg->eq || arg->backlog || arg->timeout_ns)
		return -EINVAL;
	return arg->data_len > WEFT_CM_DATA_MAX ? -EMSGSIZE : 0;
}

static int weft_check_handoff(const void *p)
{
	const struct weft_ioc_cm *arg = p;

	return arg->data_len ? -EINVAL : weft_check_answer(p);
}

static int weft_check_connect(const void *p)
{
	const struct weft_ioc_cm *arg = p;

	if (arg->conn || arg->eq || arg->backlog)
		return -EINVAL;
	return arg->data_len > WEFT_CM_DATA_MAX ? -EMSGSIZE : 0;
}

static int weft_check_arm(const void *p)
{
	const struct weft_ioc_mark *arg = p;

	return arg->soft || arg->hard || arg->held || arg->span ? -EINVAL : 0;
}

static int weft_check_mark(const void *p)
{
	const struct weft_ioc_mark *arg = p;

	return arg->low || arg->held || arg->span ? -EINVAL : 0;
}

static int weft_check_held(const void *p)
{
	const struct weft_ioc_mark *arg = p;

	return arg->low || arg->soft || arg->hard ? -EINVAL : 0;
}

static int weft_check_leave(const void *p)
{
	const struct weft_ioc_group *arg = p;

	return memchr_inv(&arg->addr, 0, sizeof(arg->addr)) ? -EINVAL : 0;
}

/* Size of a structure, which fits into union weft_call_arg. */
#define SIZE(type) \
	(sizeof(struct type) + BUILD_BUG_ON_ZERO(sizeof(struct type) > sizeof(union weft_call_arg)))
#define DESC(name, fn, type, rsvd, opts, flags) \
	[_IOC_NR(WEFT_IOC_##name)] = { fn, NULL, NULL, SIZE(type), rsvd, opts, flags }
#define ON(kind, name, fn, check, type, rsvd, opts, flags) \
	[_IOC_NR(WEFT_IOC_##name)] = { fn, check, &weft_u##kind##_ops, SIZE(type), rsvd, opts, \
				       flags }
#define RSVD(type)	offsetof(struct type, rsvd)
#define OUT		WEFT_CALL_OUT
#define CORE		WEFT_CALL_CORE

static const struct weft_call_desc weft_calls[] = {
	DESC(QUERY, weft_query, weft_ioc_query, 0, OUT, 0),
	DESC(CQ_CREATE, weft_ucq_create, weft_ioc_cq, RSVD(weft_ioc_cq), OUT, WEFT_CQF_COUNT),
	DESC(EQ_CREATE, weft_ueq_create, weft_ioc_eq, 0, OUT, 0),
	DESC(AV_CREATE, weft_uav_create, weft_ioc_av, 0, OUT, 0),
	ON(av, AV_INSERT, weft_uav_insert, weft_check_insert, weft_ioc_av_insert,
	   RSVD(weft_ioc_av_insert), OUT, WEFT_AVF_AT),
	ON(av, AV_REMOVE, weft_uav_remove, weft_check_remove, weft_ioc_av_insert,
	   RSVD(weft_ioc_av_insert), OUT, 0),
	DESC(EP_CREATE, weft_uep_create, weft_ioc_ep, 0, OUT,
	     WEFT_EPF_DIRECTED | WEFT_EPF_SRQ | WEFT_EPF_STRICT | WEFT_EPF_FENCE |
	     WEFT_EPF_VARIABLE | WEFT_EPF_SOURCE | WEFT_EPF_RMA | WEFT_EPF_REMOTE_READ |
	     WEFT_EPF_REMOTE_WRITE | WEFT_EPF_ORDERED),
	DESC(EP_ENABLE, weft_uep_enable, weft_ioc_ep_enable, 0, OUT, 0),
	DESC(DESTROY, weft_destroy, weft_ioc_handle, RSVD(weft_ioc_handle), WEFT_CALL_GONE, 0),
	ON(ep, SETNAME, weft_uep_setname, NULL, weft_ioc_name, RSVD(weft_ioc_name), 0, 0),
	ON(ep, GETNAME, weft_uep_getname, NULL, weft_ioc_name, RSVD(weft_ioc_name), OUT, 0),
	ON(ep, GETPEER, weft_uep_getpeer, NULL, weft_ioc_name, RSVD(weft_ioc_name), OUT, 0),
	DESC(LISTEN, weft_uep_listen, weft_ioc_cm, 0, OUT, 0),
	ON(ep, CONNECT, weft_uep_connect, weft_check_connect, weft_ioc_cm, 0, CORE, 0),
	ON(ep, ACCEPT, weft_uep_accept, weft_check_answer, weft_ioc_cm, 0, CORE, 0),
	ON(ep, REJECT, weft_uep_reject, weft_check_answer, weft_ioc_cm, 0, CORE, 0),
	ON(ep, HANDOFF, weft_uep_handoff, weft_check_handoff, weft_ioc_cm, 0, CORE, 0),
	ON(ep, SHUTDOWN, weft_uep_shutdown, NULL, weft_ioc_handle, RSVD(weft_ioc_handle), CORE,
	   WEFT_SHUT_GRACEFUL),
	DESC(MR_REG, weft_umr_reg, weft_ioc_mr, RSVD(weft_ioc_mr), OUT, 0),
	ON(ep, CANCEL, weft_uep_cancel, NULL, weft_ioc_cancel, RSVD(weft_ioc_cancel), CORE, 0),
	DESC(SRQ_CREATE, weft_usrq_create, weft_ioc_srq, RSVD(weft_ioc_srq), OUT, 0),
	DESC(SRQ_RESIZE, weft_usrq_resize, weft_ioc_srq, RSVD(weft_ioc_srq), OUT, 0),
	ON(srq, SRQ_QUERY, weft_usrq_query, NULL, weft_ioc_srq_query, RSVD(weft_ioc_srq_query),
	   OUT | CORE, 0),
	ON(srq, SRQ_NOTIFY, weft_usrq_notify, NULL, weft_ioc_handle, RSVD(weft_ioc_handle), CORE,
	   0),
	ON(srq, SRQ_CANCEL, weft_usrq_cancel, NULL, weft_ioc_srq_cancel, 0, CORE, 0),
	ON(srq, SRQ_ARM, weft_usrq_arm, weft_check_arm, weft_ioc_mark, 0, CORE, 0),
	ON(ep, EP_MARK, weft_uep_mark, weft_check_mark, weft_ioc_mark, 0, CORE, 0),
	ON(ep, EP_HELD, weft_uep_held, weft_check_held, weft_ioc_mark, 0, OUT, 0),
	ON(ep, GROUP_JOIN, weft_uep_join, NULL, weft_ioc_group, 0, OUT | CORE,
	   WEFT_GROUP_SEND | WEFT_GROUP_RECV),
	ON(ep, GROUP_LEAVE, weft_uep_leave_group, weft_check_leave, weft_ioc_group, 0, CORE, 0),
	DESC(REGION_ADD, weft_region_call_add, weft_ioc_region, 0, OUT, WEFT_REGIONF_KEY),
	DESC(REGION_END, weft_region_call_end, weft_ioc_region_end, RSVD(weft_ioc_region_end), 0,
	     0),
	DESC(TRIGGER_ADD, weft_trigger_call_add, weft_ioc_trigger_add, 0, 0,
	     WEFT_TRIGGERF_BOTH | WEFT_TRIGGERF_ALONE),
	DESC(TRIGGER_END, weft_trigger_call_end, weft_ioc_trigger_end,
	     RSVD(weft_ioc_trigger_end), 0, WEFT_TRIGGERF_ONE | WEFT_TRIGGERF_TELL),
};

static void weft_call_publish(struct weft_call *call)
{
	if (!call->obj)
		return;
	weft_obj_publish(call->obj);
	if (call->file)
		fd_install(call->fd, call->file);
}

static void weft_call_abort(struct weft_call *call)
{
	if (!call->obj)
		return;
	weft_obj_abort(call->obj);
	if (call->file) {
		fput(call->file);
		put_unused_fd(call->fd);
	}
}

/* Execute an ioctl on an object, which is used meanwhile. Return: 0, -ENOENT, -ENOMEM, its own. */
static int weft_call_on(const struct weft_call_desc *desc, struct weft_call *call, u32 handle)
{
	int err = -ENOMEM;

	call->of = weft_obj_get(call->ctx, handle, desc->of);
	if (!call->of)
		return -ENOENT;
	if (desc->opts & WEFT_CALL_CORE) {
		call->out = weft_ctx_out(call->ctx);
		if (!call->out)
			goto out;
	}
	err = desc->fn(call);
	if (call->out) {
		weft_flush(call->out);
		weft_ctx_out_put(call->ctx, call->out);
	}
out:
	weft_obj_unuse(call->of);
	return err;
}

static long weft_call(struct weft_ctx *ctx, const struct weft_call_desc *desc, void __user *uarg)
{
	union weft_call_arg arg;
	struct weft_call call = { .ctx = ctx, .arg = &arg };
	int err = weft_copy_in(&arg, desc->size, uarg);

	if (err)
		return err;
	if (arg.head.flags & ~desc->flags)
		return -EINVAL;
	if (desc->rsvd && *(u32 *)((char *)&arg + desc->rsvd))
		return -EINVAL;
	if (desc->opts & WEFT_CALL_OUT && copy_to_user(uarg, &arg, desc->size))
		return -EFAULT;
	err = desc->check ? desc->check(&arg) : 0;
	if (err)
		return err;
	err = desc->of ? weft_call_on(desc, &call, arg.head.handle) : desc->fn(&call);
	if (!err && desc->opts & WEFT_CALL_OUT && copy_to_user(uarg, &arg, desc->size))
		err = -EFAULT;
	if (err)
		weft_call_abort(&call);
	else
		weft_call_publish(&call);
	return err;
}

/**
 * weft_ioctl - an ioctl on a device file
 * @ctx: the context
 * @cmd: WEFT_IOC_*
 * @uarg: its structure
 *
 * Return: 0, -EPERM: the caller's address space did not open the file, -ENOTTY: no such ioctl,
 * -ENODEV: the port has gone, -EINVAL, -E2BIG, -EFAULT: the structure; else the ioctl's own result.
 */
long weft_ioctl(struct weft_ctx *ctx, unsigned int cmd, void __user *uarg)
{
	u32 nr = _IOC_NR(cmd);

	if (current->mm != READ_ONCE(ctx->mm))
		return -EPERM;
	if (_IOC_TYPE(cmd) != _IOC_TYPE(WEFT_IOC_QUERY) || nr >= ARRAY_SIZE(weft_calls))
		return -ENOTTY;
	nr = array_index_nospec(nr, ARRAY_SIZE(weft_calls));
	if (!weft_calls[nr].fn)
		return -ENOTTY;
	if (READ_ONCE(ctx->core->stopped) && !(weft_calls[nr].opts & WEFT_CALL_GONE))
		return -ENODEV;
	return weft_call(ctx, &weft_calls[nr], uarg);
}
