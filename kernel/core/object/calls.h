/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - object/: functions that adapters call, part of api.h: references of objects
 *
 * Locks: none is held by the caller.
 */
#ifndef WEFT_OBJECT_CALLS_H
#define WEFT_OBJECT_CALLS_H

struct weft_ep;
struct weft_path;
struct weft_srq;

/* Drop a reference of an endpoint. */
void weft_ep_put(struct weft_ep *ep);

/* Drop a reference of a shared receive queue. */
void weft_srq_put(struct weft_srq *srq);

/* Take and drop a reference of a path. */
void weft_path_get(struct weft_path *path);
void weft_path_put(struct weft_path *path);

#endif
