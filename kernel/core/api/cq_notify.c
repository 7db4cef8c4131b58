// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - a program has read a completion queue and notifies the kernel
 *
 * Waiting completions are written. Each one releases its object.
 *
 * Locks: cq->lock and ep->lock, taken here one after the other.
 */
#include "core/api/internal.h"
#include "core/queue/cq.h"

#define WEFT_CQ_BATCH	8	/* completions written before their objects are released */

/* Release the object of a waiting completion that has been written. */
static void weft_ovf_written(struct weft_ovf *ovf, struct weft_out *out)
{
	struct weft_post *post;
	struct weft_txm *txm;
	struct weft_ep *ep;

	switch (ovf->kind) {
	case WEFT_OVF_TXM:
		txm = container_of(ovf, struct weft_txm, ovf);
		weft_lock(&txm->ep->lock);
		txm->tx.waits = false;
		weft_send_release(txm->ep, txm);
		weft_unlock(&txm->ep->lock);
		weft_txm_put(txm, out);
		break;
	case WEFT_OVF_POST:
		post = container_of(ovf, struct weft_post, ovf);
		ep = post->ep;
		weft_lock(&ep->lock);
		post->waits = false;
		weft_post_free(ep, post, out);
		weft_unlock(&ep->lock);
		weft_ep_put(ep);
		break;
	case WEFT_OVF_RMA:
		weft_rma_told(ovf, out);
		break;
	}
}

/**
 * weft_cq_notify - write waiting completions after the program has read some
 * @cq: the queue
 * @now: time
 * @out: empty; the caller flushes it
 *
 * The work is bounded by the size of the ring, for two reasons: written completions free objects
 * whose operations may fail and wait again, and another thread may read meanwhile. A reader that
 * empties the ring sees WEFT_ST_CQ_NOTIFY and notifies again. Waiting completions of a queue in
 * error are released without being written.
 *
 * Return: true if more completions wait; an engine then calls again, because no program notifies.
 */
bool weft_cq_notify(struct weft_cq *cq, weft_ns now, struct weft_out *out)
{
	u32 n, most, left = cq->size;
	struct weft_list done;
	struct weft_list *l;
	bool more = false;

	out->now = now;
	weft_list_init(&done);
	do {
		most = min_t(u32, left, WEFT_CQ_BATCH);
		weft_lock(&cq->lock);
		n = weft_cq_drain(cq, most, &done);
		if (likely(!cq->bad))
			left -= n;
		if (!left)
			more = !weft_list_empty(&cq->waiting);
		if (n)
			weft_cq_wake(cq, out);
		weft_unlock(&cq->lock);
		while ((l = weft_list_first(&done))) {
			weft_list_del(l);
			weft_ovf_written(weft_entry(l, struct weft_ovf, node), out);
		}
		if (n == WEFT_CQ_BATCH)
			weft_flush(out);
	} while (n == most && left);
	return more;
}
