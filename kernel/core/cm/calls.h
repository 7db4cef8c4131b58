/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - cm/: functions that adapters call, part of api.h: connections
 *
 * Locks: none is held by the caller.
 */
#ifndef WEFT_CM_CALLS_H
#define WEFT_CM_CALLS_H

#include "core/base/env.h"
#include <linux/weft.h>

struct weft_ep;
struct weft_out;

#define WEFT_CM_TIMEOUT_MAX	(86400ull * NSEC_PER_SEC)	/* longest that may be requested */

/* Listen at an endpoint. Return: 0; -EINVAL: not passive, no eq; -EADDRINUSE. */
int weft_cm_listen(struct weft_ep *pep, struct weft_eq *eq, u32 backlog);

/*
 * Request a connection. An event reports the result, after @timeout at the latest (0: accept_ns).
 * Return: 0; -EINVAL: not enabled, not MSG, address, timeout; -EISCONN; -EBUSY: was connected
 * before.
 */
int weft_cm_connect(struct weft_ep *ep, const struct weft_sockaddr *addr, const void *data, u32 len,
		    weft_ns timeout, weft_ns now, struct weft_out *out);

/*
 * Accept request @conn of any passive endpoint of this core with the same context. Return: 0,
 * -EINVAL.
 */
int weft_cm_accept(struct weft_ep *ep, u64 conn, const void *data, u32 len, weft_ns now,
		   struct weft_out *out);

/* Reject a request. Return: 0, -EINVAL: no such request. */
int weft_cm_reject(struct weft_ep *pep, u64 conn, const void *data, u32 len, weft_ns now,
		   struct weft_out *out);

/*
 * Give a request to another listener. Return: 0; -EINVAL: no such request; -ENOENT: @svc has no
 * listener; -EAGAIN: its backlog is full.
 */
int weft_cm_handoff(struct weft_ep *pep, u64 conn, u16 svc, weft_ns now, struct weft_out *out);

/*
 * End a connection. May sleep. Return: 0, -ENOTCONN: never connected. When it returns, the
 * completions of canceled operations are written.
 */
int weft_cm_shutdown(struct weft_ep *ep, bool graceful, weft_ns now, struct weft_out *out);

#endif
