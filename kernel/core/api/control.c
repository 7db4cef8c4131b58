// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - control chunks: the layer that writes each kind
 *
 * transport/ctl.c queues objects that have a chunk to send, and asks here for their bytes.
 *
 * Locks: path->lock. See Documentation/locking.rst.
 */
#include "core/api/internal.h"

/**
 * weft_ctl_write - write the chunk of an object
 * @ctl: part of the object, in the queue; its path is locked
 * @rec: the open packet
 * @room: space in it, bytes
 * @more: out: set to true if the object has more chunks
 *
 * Return: bytes written, 0: not enough space, or nothing to send.
 */
u32 weft_ctl_write(struct weft_ctl *ctl, struct weft_rec *rec, u32 room, bool *more)
{
	u8 *dst = rec->raw + rec->len;
	struct weft_flow *flow;
	struct weft_rflow *rf;
	struct weft_txm *txm;

	switch (ctl->kind) {
	case WEFT_CTL_RXM:
		return weft_grant_chunk(weft_ctl_obj(ctl, struct weft_rxm), dst, room);
	case WEFT_CTL_TXM:
		txm = weft_ctl_obj(ctl, struct weft_txm);
		return weft_flow_chunk(txm->flow, txm, dst, room);
	case WEFT_CTL_FLOW:
		flow = weft_ctl_obj(ctl, struct weft_flow);
		return weft_contact_asks(flow) ? weft_contact_chunk(flow, dst, room) :
						 weft_flow_chunk(flow, NULL, dst, room);
	case WEFT_CTL_RFLOW:
		rf = weft_ctl_obj(ctl, struct weft_rflow);
		weft_assert_held(&rf->path->lock);
		if (room < weft_wire_size(sizeof(struct weft_w_epgone)))
			return 0;
		return weft_wire_epgone_put(dst, &rf->id);
	case WEFT_CTL_CREDIT:
		return weft_credit_chunk(container_of(ctl, struct weft_rflow, credit), dst, room);
	case WEFT_CTL_REPORT:
		rf = container_of(ctl, struct weft_rflow, report.ctl);
		return weft_report_chunk(rf, dst, room);
	case WEFT_CTL_CONN:
		return weft_cm_chunk(weft_ctl_obj(ctl, struct weft_conn), rec, room, more);
	}
	return 0;
}
