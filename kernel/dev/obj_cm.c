// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft - connections: their ioctls
 *
 * The common part of ioctls (ioctl.c) checks the fields and lengths of a call, and keeps the
 * endpoint in use during the call. The states of connections are the core's (core/cm/cm.c,
 * core/cm/connect.c). An event reports the outcome of a call. The functions take no lock.
 */
#include "uep.h"

/**
 * weft_uep_connect - WEFT_IOC_CONNECT
 * @call: struct weft_ioc_cm
 *
 * Return: 0, -EINVAL, -EMSGSIZE, -ENOENT, -ENOMEM, or the result of weft_cm_connect().
 */
int weft_uep_connect(struct weft_call *call)
{
	struct weft_ioc_cm *arg = call->arg;

	return weft_cm_connect(weft_uep_of(call->of)->ep, &arg->addr, arg->data, arg->data_len,
			       arg->timeout_ns, weft_now(), call->out);
}

/* Answer a request. @answer is weft_cm_accept() or weft_cm_reject(). */
static int weft_cm_answer(struct weft_call *call,
			  int (*answer)(struct weft_ep *ep, u64 conn, const void *data, u32 len,
					weft_ns now, struct weft_out *out))
{
	struct weft_ioc_cm *arg = call->arg;

	return answer(weft_uep_of(call->of)->ep, arg->conn, arg->data, arg->data_len, weft_now(),
		      call->out);
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

	return weft_cm_handoff(weft_uep_of(call->of)->ep, arg->conn, be16_to_cpu(arg->addr.port),
			       weft_now(), call->out);
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

	return weft_cm_shutdown(weft_uep_of(call->of)->ep, arg->flags & WEFT_SHUT_GRACEFUL,
				weft_now(), call->out);
}
