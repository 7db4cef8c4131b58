/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft - endpoints: declarations for obj_ep.c and obj_cm.c
 */
#ifndef WEFT_UEP_H
#define WEFT_UEP_H

#include "ctx.h"

/**
 * struct weft_uep - endpoint
 * @obj: object
 * @ep: the core's part
 * @type: WEFT_EP_*
 * @sq: struct weft_sqe; NULL when passive
 * @rq: struct weft_rqe; NULL when passive or shared
 * @doorbell: struct weft_ep_doorbell
 * @status: struct weft_ep_status
 * @hot: for an engine that polls; not for a passive one
 * @timer: calls weft_ep_untime(); started by notify calls
 * @timed: the last notify call was with WEFT_NOTIFY_TIMED: sends may have been posted since
 * @bound: objects that it uses; ctx->own_lock
 */
struct weft_uep {
	struct weft_obj obj;
	struct weft_ep *ep;
	u32 type;
	struct weft_area *sq;
	struct weft_area *rq;
	struct weft_line doorbell;
	struct weft_line status;
	struct weft_hot hot;
	struct hrtimer timer;
	bool timed;
	struct weft_obj *bound[7 + WEFT_RMA_CNTRS];
};

/**
 * weft_uep_of - convert an object to its endpoint
 * @obj: object with weft_uep_ops
 *
 * Return: the endpoint.
 */
static inline struct weft_uep *weft_uep_of(struct weft_obj *obj)
{
	return container_of(obj, struct weft_uep, obj);
}

#endif
