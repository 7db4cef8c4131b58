// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - short messages in a row to another node
 *
 * Sends that follow one another in the ring, and differ only in tag, data, bytes and context, go
 * into the open packet of their lane under one lock. Their completions are published together. No
 * entry is decoded: its words are read in place. weft_fast_sent() reads those of the completion
 * again. A program that changes them meanwhile changes only its own completion.
 *
 *	ring entries --(weft_fast_row())--> open packet, completion queue
 *
 * A row ends with the ring, with its packet, and before an entry of another form. A message alone
 * in the ring is no row: weft_fast_out() and weft_send_fast() send it.
 *
 * Locks: ep->sq_mutex, held by the caller; path->lock and cq->lock are taken here. See
 * Documentation/locking.rst.
 */
#include "core/messaging/fast.h"
#include "core/transport/emit.h"

/**
 * weft_fast_row_flow - test whether short messages in a row begin at the ring's consumer index
 * @ep: the endpoint; ep->sq_mutex is held, ep->flow.far is set
 *
 * Return: their flow; NULL: there is no row.
 */
struct weft_flow *weft_fast_row_flow(const struct weft_ep *ep)
{
	const struct weft_ring *r = &ep->tx.ring;
	const struct weft_sqe *s = weft_ring_at(r, r->cons);
	union weft_lead l = weft_lead_of(s);

	weft_mutex_assert_held(&ep->sq_mutex);
	if (l.nslots >= r->prod - r->cons || READ_ONCE(s->len) > WEFT_SHORT_MAX ||
	    !READ_ONCE(ep->core->fast) || !weft_fast_kind(l) ||
	    !weft_fast_alike(weft_lead_of(weft_ring_at(r, r->cons + l.nslots)), l))
		return NULL;
	return weft_fast_far(ep, l.peer);
}

/*
 * Put at most @most messages in a row, which begin with the first word @l, into the packet. The
 * path is locked. Return: number of messages; the ring is so many entries further.
 */
static __always_inline u32 weft_row_put(struct weft_ep *ep, struct weft_flow *flow,
					struct weft_path *path, union weft_lead l,
					u32 most, struct weft_out *out)
{
	struct weft_lane *lane = &path->lane[flow->lane];
	struct weft_ring *r = &ep->tx.ring;
	struct weft_rec *rec = NULL;
	const struct weft_sqe *s;
	struct weft_head h;
	u32 n = 0;

	/* each completion may need a struct weft_txm to wait in */
	if (l.flags & WEFT_SQ_COMPLETION)
		most = min(most, ep->tx.ntxms - READ_ONCE(ep->tx.ntxm));
	weft_send_head(&h, flow, flow->id.mseq, 0, 0, 0,
		       l.op == WEFT_SQ_TSEND ? WEFT_SQ_TSEND : WEFT_SQ_SEND, l.flags);
	if (unlikely(!weft_send_may(path, lane, flow, 0)))
		return 0;
	for (; n < most && r->cons != r->prod; n++) {
		const void *pay;
		u32 size;

		s = weft_ring_at(r, r->cons);
		if (n && !weft_fast_alike(weft_lead_of(s), l))
			break;
		h.len = READ_ONCE(s->len);
		h.tag = READ_ONCE(s->tag);
		h.data = READ_ONCE(s->data);
		if (!weft_fast_short(r, s, l, h.len, h.tag, h.data, &pay) ||
		    unlikely(!weft_credit_begins(flow)) ||
		    unlikely(!weft_credit_eager(flow, (u32)h.len)))
			break;
		size = weft_wire_size(sizeof(struct weft_w_eager) + (u32)h.len);
		if (!n)
			rec = weft_lane_room(path, lane, size, out);
		if (unlikely(!rec) || weft_rec_space(rec) < size)
			break;
		if (unlikely(!pay) && !weft_fast_fetch(ep, s, rec, (u32)h.len, size))
			break;
		h.flow.mseq = ++flow->id.mseq;
		weft_fastpkt_fill(rec, flow, &h, pay, size);
		weft_credit_use(flow, (u32)h.len);
		weft_ep_sends(ep, READ_ONCE(s->context), l.peer, h.tag, h.len, l.op);
		weft_ring_next(r, l.nslots);
	}
	return n;
}

/**
 * weft_fast_row - put short messages in a row into the open packet of their lane
 * @ep: the endpoint; ep->sq_mutex is held, ep->tx.hand is set
 * @flow: weft_fast_row_flow()
 * @most: number of messages at most
 * @out: output; the caller flushes it
 *
 * The packet stays open while other entries follow.
 *
 * Return: number of messages that are sent and completed, with the ring so many entries further; 0:
 * nothing has changed.
 */
u32 weft_fast_row(struct weft_ep *ep, struct weft_flow *flow, u32 most, struct weft_out *out)
{
	struct weft_ring *r = &ep->tx.ring;
	union weft_lead l = weft_lead_of(weft_ring_at(r, r->cons));
	struct weft_path *path = flow->path;
	u32 n = 0;

	weft_mutex_assert_held(&ep->sq_mutex);
	/* the program may have changed it */
	if (unlikely(!weft_fast_kind(l) || l.peer != ep->flow.recent_dst))
		return 0;
	/* once for all locks */
	weft_softirqs_off();
	weft_lock_inner(&path->lock);
	n = weft_row_put(ep, flow, path, l, most, out);
	if (likely(n)) {
		path->busy |= 1u << flow->lane;
		if (r->cons == r->prod)
			weft_path_output(path, out);
	}
	weft_unlock_inner(&path->lock);
	if (likely(n)) {
		weft_count_add(ep->core, msgs_eager, n);
		if (l.flags & WEFT_SQ_COMPLETION || unlikely(ep->tx_cntr))
			weft_fast_sent(ep, l, n, out);
	}
	weft_softirqs_on();
	return n;
}
