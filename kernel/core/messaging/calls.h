/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - messaging/: functions that adapters call, part of api.h
 *
 * Datagrams, groups and the fast path of rings.
 *
 * Locks: none is held by the caller.
 */
#ifndef WEFT_MESSAGING_CALLS_H
#define WEFT_MESSAGING_CALLS_H

#include "core/base/env.h"
#include <linux/weft.h>

struct weft_ep;
struct weft_out;

/* Return: bytes of the longest datagram on a link with this MTU. */
u32 weft_dgram_max(const struct weft_core *core, u32 mtu);

/**
 * weft_ep_fast - process a notify call of the send ring without reading the time
 * @ep: the endpoint
 * @out: used and flushed inside
 *
 * Sends short messages that match a receive on this node.
 *
 * Context: may sleep.
 * Return: true if the ring is empty; false: the caller calls weft_ep_notify().
 */
bool weft_ep_fast(struct weft_ep *ep, struct weft_out *out);

/**
 * weft_group_join - have an endpoint join a multicast group
 * @ep: an enabled datagram endpoint
 * @addr: the group; service 0: replaced by the endpoint's service
 * @flags: WEFT_GROUP_*
 * @now: time
 * @out: the caller flushes it
 * @id: out: number of the group at this endpoint
 *
 * Context: may sleep.
 * Return: 0; -EINVAL: not such an endpoint or not a group address; -EAFNOSUPPORT; -EALREADY;
 * -ENOSPC: too many groups; -ENODEV: stopped; -ENOMEM; errors of weft_env_group() and
 * weft_env_path_open().
 */
int weft_group_join(struct weft_ep *ep, struct weft_sockaddr *addr, u32 flags, weft_ns now,
		    struct weft_out *out, u32 *id);

/* Leave a group. May sleep. Return: 0, -ENOENT. */
int weft_group_leave(struct weft_ep *ep, u32 id, weft_ns now, struct weft_out *out);

#endif
