// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft - connections: their ioctls
 *
 * This file checks the fields and lengths of a call. The states of connections are the core's
 * (core/cm/cm.c, core/cm/connect.c). An event reports the outcome of a call. The functions take no
 * lock; weft_uep_enter() keeps the endpoint during a call.
 */
#include "uep.h"

/* Common part of the calls below: checks foreign fields and the length of the data. */
static int weft_cm_enter(struct weft_call *call, bool timed, struct weft_entry *in)
{
	struct weft_ioc_cm *arg = call->arg;

	if (arg->eq || arg->backlog || (arg->timeout_ns && !timed))
		return -EINVAL;
	if (arg->data_len > WEFT_CM_DATA_MAX)
		return -EMSGSIZE;
	return weft_uep_enter(call->ctx, arg->handle, in);
}

/**
 * weft_uep_connect - WEFT_IOC_CONNECT
 * @call: struct weft_ioc_cm
 *
 * Return: 0, -EINVAL, -EMSGSIZE, -ENOENT, -ENOMEM, or the result of weft_cm_connect().
 */
int weft_uep_connect(struct weft_call *call)
{
	struct weft_ioc_cm *arg = call->arg;
	struct weft_entry in;
	int err;

	if (arg->conn)
		return -EINVAL;
	err = weft_cm_enter(call, true, &in);
	if (err)
		return err;
	err = weft_cm_connect(in.uep->ep, &arg->addr, arg->data, arg->data_len, arg->timeout_ns,
			      weft_now(), in.out);
	weft_uep_leave(&in);
	return err;
}

/* Answer a request. @answer is weft_cm_accept() or weft_cm_reject(). */
static int weft_cm_answer(struct weft_call *call,
			  int (*answer)(struct weft_ep *ep, u64 conn, const void *data, u32 len,
					weft_ns now, struct weft_out *out))
{
	struct weft_ioc_cm *arg = call->arg;
	struct weft_entry in;
	int err;

	err = weft_cm_enter(call, false, &in);
	if (err)
		return err;
	err = answer(in.uep->ep, arg->conn, arg->data, arg->data_len, weft_now(), in.out);
	weft_uep_leave(&in);
	return err;
}

/**
 * weft_uep_accept - WEFT_IOC_ACCEPT
 * @call: struct weft_ioc_cm
 *
 * Return: 0, -EINVAL, -EMSGSIZE, -ENOENT, -ENOMEM, or the result of weft_cm_accept().
 */
int weft_uep_accept(struct weft_call *call)
{
	return weft_cm_answer(call, weft_cm_accept);
}

/**
 * weft_uep_reject - WEFT_IOC_REJECT
 * @call: struct weft_ioc_cm
 *
 * Return: 0, -EINVAL, -EMSGSIZE, -ENOENT, -ENOMEM, or the result of weft_cm_reject().
 */
int weft_uep_reject(struct weft_call *call)
{
	return weft_cm_answer(call, weft_cm_reject);
}

/**
 * weft_uep_handoff - WEFT_IOC_HANDOFF
 * @call: struct weft_ioc_cm
 *
 * Return: 0, -EINVAL, -ENOENT, -ENOMEM, or the result of weft_cm_handoff().
 */
int weft_uep_handoff(struct weft_call *call)
{
	struct weft_ioc_cm *arg = call->arg;
	struct weft_entry in;
	int err;

	if (arg->data_len)
		return -EINVAL;
	err = weft_cm_enter(call, false, &in);
	if (err)
		return err;
	err = weft_cm_handoff(in.uep->ep, arg->conn, be16_to_cpu(arg->addr.port), weft_now(),
			      in.out);
	weft_uep_leave(&in);
	return err;
}

/**
 * weft_uep_shutdown - WEFT_IOC_SHUTDOWN
 * @call: struct weft_ioc_handle
 *
 * Return: 0, -ENOENT, -ENOMEM, or the result of weft_cm_shutdown().
 */
int weft_uep_shutdown(struct weft_call *call)
{
	struct weft_ioc_handle *arg = call->arg;
	struct weft_entry in;
	int err;

	err = weft_uep_enter(call->ctx, arg->handle, &in);
	if (err)
		return err;
	err = weft_cm_shutdown(in.uep->ep, arg->flags & WEFT_SHUT_GRACEFUL, weft_now(), in.out);
	weft_uep_leave(&in);
	return err;
}
