// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Functions as earlier releases had them, for programs that were built with those releases: their
 * structures have grown since. Only the shared library has this file.
 */
#include "internal.h"

/* WEFT_0.1: no zone. Padding has its place, so it is not read. */
int lw_ep_create_0_1(struct weft_ctx *ctx, struct weft_ep_attr *attr, struct weft_ep **ep)
{
	struct weft_ep_attr now = {
		.type = attr->type, .flags = attr->flags, .sq_slots = attr->sq_slots,
		.rq_slots = attr->rq_slots, .addr = attr->addr, .key = attr->key,
		.key_size = attr->key_size,
	};
	int ret = weft_ep_create(ctx, &now, ep);

	if (ret)
		return ret;
	attr->sq_slots = now.sq_slots;
	attr->rq_slots = now.rq_slots;
	attr->addr = now.addr;
	return 0;
}

/* WEFT_0.1: @q ends with srq. */
int lw_ep_enable_all_0_1(struct weft_ep *ep, const struct weft_ep_queues *q)
{
	struct weft_ep_queues now = {
		.tx_cq = q->tx_cq, .rx_cq = q->rx_cq, .tx_cntr = q->tx_cntr,
		.rx_cntr = q->rx_cntr, .eq = q->eq, .av = q->av, .srq = q->srq,
	};

	return weft_ep_enable_all(ep, &now);
}

__asm__(".symver lw_ep_create_0_1, weft_ep_create@WEFT_0.1");
__asm__(".symver lw_ep_enable_all_0_1, weft_ep_enable_all@WEFT_0.1");
