/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - object/: functions that adapters call, part of api.h: references of objects
 *
 * Locks: none is held by the caller.
 */
#ifndef WEFT_OBJECT_CALLS_H
#define WEFT_OBJECT_CALLS_H

#include "core/object/user.h"

struct weft_core;
struct weft_ep;
struct weft_path;
struct weft_srq;

/* The user of a new object, with a reference; NULL: no memory. May sleep. */
struct weft_user *weft_user_get(struct weft_core *core, u32 uid);
void weft_user_put(struct weft_core *core, struct weft_user *user);

/* Count @n of WEFT_USE_*. Return: 0, -ENOSPC: the user is at that limit. */
int weft_user_take(struct weft_core *core, struct weft_user *user, u32 use, u64 n);
void weft_user_give(struct weft_user *user, u32 use, u64 n);

/* Count a new object of WEFT_USE_* for its user. Return: the user, ERR_PTR(-ENOMEM, -ENOSPC). */
struct weft_user *weft_user_enter(struct weft_core *core, u32 uid, u32 use);
void weft_user_leave(struct weft_core *core, struct weft_user *user, u32 use);

/* What the next user takes, from *@pos on, in the order of ids. Return: true if there is one. */
bool weft_user_look(struct weft_core *core, u64 *pos, struct weft_user_info *info);

/* Drop a reference of an endpoint. */
void weft_ep_put(struct weft_ep *ep);

/* Drop a reference of a shared receive queue. */
void weft_srq_put(struct weft_srq *srq);

/* Take and drop a reference of a path. */
void weft_path_get(struct weft_path *path);
void weft_path_put(struct weft_path *path);

#endif
