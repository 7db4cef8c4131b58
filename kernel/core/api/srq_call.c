// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - calls of programs about shared receive queues and their endpoints
 *
 * srq.c describes how receives are given to endpoints, and the locks.
 */
#include "core/api/internal.h"

/* Allocate the event of a watermark. May sleep. Return: the event, NULL: no memory. */
static struct weft_qev *weft_srq_event(u32 type, u32 handle)
{
	struct weft_qev *ev = weft_alloc_sleep(sizeof(*ev));

	if (ev) {
		ev->ev.type = type;
		ev->ev.handle = handle;
		weft_list_init(&ev->node);
	}
	return ev;
}

/* ---- Calls ----------------------------------------------------------------------- */

/**
 * weft_srq_notify - process the ring after a notify call
 * @srq: the queue
 * @now: time
 * @out: used and flushed inside
 *
 * Return: 0.
 */
int weft_srq_notify(struct weft_srq *srq, weft_ns now, struct weft_out *out)
{
	out->now = now;
	weft_lock(&srq->lock);
	weft_srq_later(srq, out);
	weft_unlock(&srq->lock);
	weft_flush(out);
	return 0;
}

static struct weft_post *weft_srq_by_context(struct weft_srq *srq, u64 context)
{
	struct weft_mpost *p;
	struct weft_list *l;

	for (p = weft_match_post_next(&srq->match, NULL); p;
	     p = weft_match_post_next(&srq->match, p))
		if (container_of(p, struct weft_post, match)->context == context)
			return container_of(p, struct weft_post, match);
	if (srq->hand && srq->hand->context == context)
		return srq->hand;
	weft_list_for_each(l, &srq->fresh)
		if (weft_entry(l, struct weft_post, node)->context == context)
			return weft_entry(l, struct weft_post, node);
	return NULL;
}

/* Write the completion of a canceled receive. Return: true if it has been written. */
static bool weft_srq_canceled(const struct weft_post *post, struct weft_cq *cq,
			      struct weft_out *out)
{
	struct weft_cqe e = {
		.context = post->context,
		.tag = post->match.tag,
		.src = WEFT_SRC_ANY,
		.flags = (post->match.kind == WEFT_TAGGED ? WEFT_CQE_TAGGED : 0) |
			 (post->match.stays ? WEFT_CQE_MULTI : 0),
		.status = ECANCELED,
	};

	return weft_ep_complete(NULL, cq, &e, NULL, 0, NULL, out);
}

/**
 * weft_srq_cancel - cancel the oldest receive with a context
 * @srq: the queue
 * @cq: queue for its completion
 * @context: the user's
 * @out: output
 *
 * Return: 0, also when there is none; -EAGAIN: @cq is full, and the receive stays.
 */
int weft_srq_cancel(struct weft_srq *srq, struct weft_cq *cq, u64 context, struct weft_out *out)
{
	struct weft_post *post;
	int err = 0;
	bool used;

	weft_lock(&srq->lock);
	weft_srq_fetch(srq, out->now);
	if (srq->nfresh)
		weft_srq_later(srq, out);
	post = weft_srq_by_context(srq, context);
	used = post && post->match.stays && post->nparts;
	if (post && !used && !weft_srq_canceled(post, cq, out)) {
		err = -EAGAIN;
	} else if (post) {
		if (post->match.in) {
			weft_match_post_del(&srq->match, &post->match);
		} else if (srq->hand == post) {
			srq->hand = NULL;
		} else {
			weft_list_del(&post->node);
			srq->nfresh--;
		}
		if (used) {
			/* the end of its last message reports it */
			post->ended = true;
			post->end = ECANCELED;
		} else {
			weft_list_add(&srq->post_free, &post->node);
		}
		if (srq->stalled)
			weft_srq_later(srq, out);
	}
	weft_unlock(&srq->lock);
	return err;
}

/**
 * weft_srq_resize - change the ring and the number of receives
 * @srq: the queue
 * @rq: the new ring
 * @slots: number of its slots, a power of two
 * @recvs: receives that may be posted or under way
 * @out: output; the caller flushes it
 *
 * The entries of the old ring are in the new one afterwards, at the same indices. The old ring is
 * not used any more. Entries that had no free receive before may have one now: they are served.
 *
 * Context: may sleep.
 * Return: 0; -EBUSY, -ENOMEM, -ENOSPC (the limit "memory-user"): nothing has changed.
 */
int weft_srq_resize(struct weft_srq *srq, const struct weft_rqe *rq, u32 slots, u32 recvs,
		    struct weft_out *out)
{
	u32 have = READ_ONCE(srq->nposts), i;
	struct weft_posts *posts = NULL;
	int err = -EBUSY;

	if (recvs > have) {
		posts = weft_srq_posts_new(srq, recvs - have);
		if (IS_ERR(posts))
			return PTR_ERR(posts);
	}
	weft_lock(&srq->lock);
	weft_srq_fetch(srq, out->now);
	if (!srq->dead && !srq->bad && recvs >= srq->low &&
	    srq->ring.prod - srq->ring.cons <= slots &&
	    weft_srq_available(srq) + srq->nheld <= recvs) {
		/*
		 * conf.rq is const because the core only reads the ring; the adapter may write it
		 */
		for (i = srq->ring.cons; i != srq->ring.prod; i++)
			memcpy((u8 *)rq + (size_t)(i & (slots - 1)) * WEFT_SLOT_SIZE,
			       (const u8 *)srq->conf.rq +
			       (size_t)(i & (srq->conf.rq_slots - 1)) * WEFT_SLOT_SIZE,
			       WEFT_SLOT_SIZE);
		srq->conf.rq = rq;
		srq->conf.rq_slots = slots;
		srq->conf.recvs = recvs;
		srq->ring.slots = rq;
		srq->ring.size = slots;
		if (posts)
			weft_srq_posts_add(srq, posts);
		posts = NULL;
		weft_srq_later(srq, out);
		err = 0;
	}
	weft_unlock(&srq->lock);
	weft_srq_posts_free(srq, posts);
	return err;
}

/**
 * weft_srq_arm - set the low watermark and arm it
 * @srq: the queue
 * @low: one event when fewer receives than this are available; 0: never
 * @now: time
 * @out: output
 *
 * Context: may sleep.
 * Return: 0; -EINVAL: above the number of receives, or no event queue; -ENOSPC: too many watermark
 * events are unread; -ENOMEM.
 */
int weft_srq_arm(struct weft_srq *srq, u32 low, weft_ns now, struct weft_out *out)
{
	struct weft_qev *ev = NULL;
	int err = 0;

	out->now = now;
	if (!srq->conf.eq)
		return -EINVAL;
	if (low) {
		ev = weft_srq_event(WEFT_EV_SRQ_LOW, srq->conf.handle);
		if (!ev)
			return -ENOMEM;
	}
	weft_lock(&srq->lock);
	if (low > srq->conf.recvs) {
		err = -EINVAL;
	} else if (low && weft_eq_marked(srq->conf.eq)) {
		err = -ENOSPC;
	} else {
		weft_srq_fetch(srq, out->now);
		if (srq->nfresh)
			weft_srq_later(srq, out);
		swap(srq->ev_low, ev);
		srq->low = low;
		weft_srq_low(srq, out);
	}
	weft_unlock(&srq->lock);
	weft_free(ev);
	return err;
}

/**
 * weft_srq_look - get the counts of a shared receive queue
 * @srq: the queue
 * @now: time
 * @out: output; flushed
 * @info: out: the counts
 *
 * Entries of the ring are given to waiting endpoints first.
 */
void weft_srq_look(struct weft_srq *srq, weft_ns now, struct weft_out *out,
		   struct weft_srq_info *info)
{
	weft_srq_notify(srq, now, out);
	weft_lock(&srq->lock);
	info->recvs = srq->conf.recvs;
	info->available = weft_srq_available(srq);
	info->held = srq->nheld;
	info->low = srq->low;
	info->eps = srq->neps;
	info->waiting = srq->nwaiting[WEFT_UNTAGGED] + srq->nwaiting[WEFT_TAGGED];
	weft_unlock(&srq->lock);
}

/* ---- Endpoints ------------------------------------------------------------------- */

/**
 * weft_ep_share - have an endpoint take its receives from a shared queue
 * @ep: the endpoint, NEW, without a ring of its own
 * @srq: the queue; NULL: no shared queue any more
 * @av: the vector of the later enable, NULL: none
 *
 * Watermarks belong to the former queue, and the new one may have no event queue: they are reset.
 *
 * Return: 0; -EINVAL: it has a ring, or connectionless endpoints of the queue have another vector;
 * -EBUSY: it has been enabled.
 */
int weft_ep_share(struct weft_ep *ep, struct weft_srq *srq, struct weft_av *av)
{
	struct weft_qev *ev = NULL;
	struct weft_srq *old;
	int err = 0;

	if (srq && (!(ep->conf.flags & WEFT_EPF_SRQ) || ep->core != srq->core))
		return -EINVAL;
	weft_mutex_lock(&ep->sq_mutex);
	old = ep->rx.srq;
	if (ep->state != WEFT_EPS_NEW) {
		err = -EBUSY;
	} else if (srq) {
		weft_lock(&srq->lock);
		if (av && srq->av && srq->av != av && srq->neps)
			err = -EINVAL;
		if (!err) {
			if (av)
				srq->av = av;
			srq->neps++;
			weft_srq_get(srq);
		}
		weft_unlock(&srq->lock);
	}
	if (!err) {
		weft_lock(&ep->lock);
		ep->rx.srq = srq;
		ep->rx.soft = 0;
		ep->rx.hard = 0;
		swap(ep->rx.ev_high, ev);
		weft_unlock(&ep->lock);
		if (old) {
			weft_lock(&old->lock);
			old->neps--;
			weft_unlock(&old->lock);
			weft_srq_put(old);
		}
	}
	weft_mutex_unlock(&ep->sq_mutex);
	weft_free(ev);
	return err;
}

/**
 * weft_ep_marks - set watermarks on the shared receives that an endpoint holds
 * @ep: the endpoint
 * @soft: one event when it holds more, 0: never
 * @hard: its connection is broken when it holds more, 0: never
 * @now: time
 * @out: output
 *
 * Context: may sleep.
 * Return: 0; -EINVAL: no shared receives, or no event queue; -ENOSPC: as for weft_srq_arm();
 * -ENOMEM.
 */
int weft_ep_marks(struct weft_ep *ep, u32 soft, u32 hard, weft_ns now, struct weft_out *out)
{
	struct weft_qev *ev = NULL;
	int err = 0;

	out->now = now;
	if (soft) {
		ev = weft_srq_event(WEFT_EV_EP_HIGH, ep->conf.handle);
		if (!ev)
			return -ENOMEM;
	}
	weft_lock(&ep->lock);
	/* while the endpoint is being enabled, its queue may still change */
	if (ep->state == WEFT_EPS_DEAD || !ep->rx.srq || (soft && !ep->rx.srq->conf.eq)) {
		err = -EINVAL;
	} else if (soft && weft_eq_marked(ep->rx.srq->conf.eq)) {
		err = -ENOSPC;
	} else {
		swap(ep->rx.ev_high, ev);
		ep->rx.soft = soft;
		ep->rx.hard = hard;
		weft_srq_high(ep, out);
		if (hard && ep->rx.nheld > hard)
			weft_ep_break(ep, ENOBUFS, out);
	}
	weft_unlock(&ep->lock);
	weft_free(ev);
	return err;
}

/**
 * weft_ep_held - get the number of shared receives that an endpoint holds
 * @ep: the endpoint
 * @held: out: the number
 * @span: out: distance, in order of taking, between the newest taken and the oldest held
 *
 * Return: 0, -EINVAL: no shared receives.
 */
int weft_ep_held(struct weft_ep *ep, u32 *held, u32 *span)
{
	struct weft_list *l;

	if (!ep->rx.srq)
		return -EINVAL;
	weft_lock(&ep->lock);
	*held = ep->rx.nheld;
	l = weft_list_first(&ep->rx.taken);
	*span = l ? ep->rx.taken_seq - weft_entry(l, struct weft_post, node)->seq : 0;
	weft_unlock(&ep->lock);
	return 0;
}
