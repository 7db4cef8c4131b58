/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - matching/: functions that adapters call, part of api.h: shared receive queues
 *
 * Locks: none is held by the caller.
 */
#ifndef WEFT_MATCHING_CALLS_H
#define WEFT_MATCHING_CALLS_H

#include "core/base/env.h"
#include <linux/weft.h>

struct weft_srq_conf;

/*
 * Make a shared receive queue. May sleep. Return: the queue with one reference, ERR_PTR(-ENOMEM,
 * -ENODEV: stopped).
 */
struct weft_srq *weft_srq_new(struct weft_core *core, const struct weft_srq_conf *conf);

/* Destroy a queue without endpoints. Afterwards its ring and lines are not used any more. */
void weft_srq_kill(struct weft_srq *srq);

/*
 * For an engine: between weft_srq_hot() and weft_srq_cool() it calls weft_srq_notify() when the
 * doorbell has moved.
 * Return: weft_srq_hot(): false: the queue is dead or bad; weft_srq_cool(): true: call
 * weft_srq_notify() once more.
 */
bool weft_srq_hot(struct weft_srq *srq);
bool weft_srq_cool(struct weft_srq *srq);

#endif
