// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - multi-receive buffers: receives that take several messages
 *
 *	posted --each message takes a part--> posted
 *	   |                       \--too few bytes are left--> full
 *	   \--canceled, endpoint closed--> ended
 *	full, ended --all parts have completed--> released: reported once, free
 *
 * A message that matches a buffer gets a part of it: a struct weft_post that completes like any
 * receive. Parts come from ep->rx.part_free (WEFT_PARTS of them), and after those from the free
 * receives, which may become more (grow.c). Without a free part the message waits as an unexpected
 * one (ep->rx.multi_wait). Until it has its part, no message may overtake it. Untagged messages are
 * not matched with multi-receive buffers, and new untagged receives do not match unexpected
 * messages. Then weft_multi_retry() offers all of them again, in order of arrival. A part becomes
 * free without an action of the program, or when the program reads completions.
 *
 * A buffer of a shared receive queue is offered like any receive of that queue (srq.c). While it
 * has space, it stays posted, fresh or in srq->hand. Its parts come from srq->part_free. Without a
 * free part the queue has *no part*: all untagged messages wait. When a part becomes free, all
 * untagged receives are offered again, in order. The endpoint whose part completes last reports the
 * release. If that endpoint is dead, the next live one does.
 *
 * Locks: ep->lock, held by the caller; srq->lock protects shared buffers. See
 * Documentation/locking.rst.
 */
#include "core/matching/matching.h"

/* Alignment of parts, from the buffer's start; Documentation/uapi.rst. */
#define WEFT_MULTI_ALIGN	8

/* Return: bytes behind the beginning of the next part. */
static u64 weft_multi_left(const struct weft_post *buf)
{
	u64 at = round_up(buf->used, WEFT_MULTI_ALIGN);

	return at < buf->vec.len ? buf->vec.len - at : 0;
}

/* Make a part of a buffer for a message. Return: true if too few bytes are left for another one. */
static bool weft_multi_cut(struct weft_post *part, struct weft_post *buf, u64 len)
{
	u64 n = min(len, weft_multi_left(buf));

	part->context = buf->context;
	part->flags = (buf->flags & WEFT_RQ_COMPLETION) | WEFT_POST_PART;
	part->match.tag = 0;
	part->match.kind = WEFT_UNTAGGED;
	part->multi = buf;
	part->last = false;
	part->vec.n = 1;
	part->vec.len = n;
	part->vec.seg[0].addr = buf->vec.seg[0].addr + buf->vec.len - weft_multi_left(buf);
	part->vec.seg[0].len = n;
	if (len)
		buf->used = buf->vec.len - weft_multi_left(buf) + n;
	buf->nparts++;
	return weft_multi_left(buf) < max_t(u64, buf->least, 1);
}

/**
 * weft_multi_take - take a part of a buffer for a message that matches it
 * @ep: the endpoint, locked
 * @buf: the buffer, posted
 * @len: bytes of the message
 * @out: output
 *
 * When too few bytes are left, the buffer leaves the queue.
 *
 * Return: the part, in no matching; NULL: no part is free, the message has to wait.
 */
struct weft_post *weft_multi_take(struct weft_ep *ep, struct weft_post *buf, u64 len,
				  struct weft_out *out)
{
	struct weft_post *part;
	struct weft_list *l;

	weft_assert_held(&ep->lock);
	l = weft_list_first(&ep->rx.part_free);
	if (!l)
		l = weft_list_first(&ep->rx.post_free);
	if (!l) {
		ep->rx.multi_wait = true;
		if (ep->rx.nposts < ep->conf.rq_slots)
			weft_grow_ask(ep, out);
		return NULL;
	}
	weft_list_del(l);
	part = weft_entry(l, struct weft_post, node);
	if (weft_multi_cut(part, buf, len))
		weft_match_post_del(&ep->rx.match, &buf->match);
	return part;
}

/**
 * weft_multi_cqe - set address and last-part flag in the completion of a part
 * @e: the completion, other fields are set
 * @part: the part
 */
void weft_multi_cqe(struct weft_cqe *e, struct weft_post *part)
{
	const struct weft_post *buf = part->multi;
	struct weft_srq *srq = buf->srq;
	bool last;

	e->buf = part->vec.seg[0].addr;
	if (srq) {
		weft_lock(&srq->lock);
		last = buf->ended && buf->nparts == 1 && !buf->end;
		weft_unlock(&srq->lock);
	} else {
		last = !buf->match.in && buf->nparts == 1 && !buf->end;
	}
	part->last = last && !e->status && part->flags & WEFT_RQ_COMPLETION;
	if (part->last)
		e->flags |= WEFT_CQE_MULTI;
}

/* Report that a buffer is neither posted nor in use any more. */
static void weft_multi_release(struct weft_ep *ep, struct weft_post *buf, struct weft_out *out)
{
	struct weft_cqe e = {
		.context = buf->context,
		.src = WEFT_SRC_ANY,
		.flags = WEFT_CQE_MULTI | (buf->end ? 0 : WEFT_CQE_RELEASE),
		.ep = (u16)ep->conf.handle,
		.status = buf->end,
	};

	buf->flags = WEFT_RQ_COMPLETION | (buf->end ? 0 : WEFT_POST_ASIDE);
	weft_post_done(ep, buf, &e, out);
}

static void weft_multi_over(struct weft_ep *ep, struct weft_post *buf, struct weft_out *out)
{
	buf->match.stays = false;
	if (buf->told)
		weft_post_free(ep, buf, out);
	else
		weft_multi_release(ep, buf, out);
}

/* A part of a shared buffer has ended. */
static void weft_multi_share_end(struct weft_ep *ep, struct weft_post *buf, bool last,
				 struct weft_out *out)
{
	struct weft_srq *srq = buf->srq;
	bool tell;

	weft_lock(&srq->lock);
	buf->nparts--;
	buf->told |= last;
	if (buf->ended && !buf->nparts)
		weft_list_add_tail(buf->told ? &srq->post_free : &srq->untold, &buf->node);
	tell = !weft_list_empty(&srq->untold) && ep->state != WEFT_EPS_DEAD;
	weft_unlock(&srq->lock);
	if (unlikely(tell))
		weft_multi_tell(srq, ep, out);
}

/**
 * weft_multi_part_end - take a part from its buffer, once
 * @ep: the endpoint, locked
 * @part: the part: its completion is written, or waits until the queue has space
 * @out: output
 *
 * Completions of later messages come behind that one. So does the release.
 */
void weft_multi_part_end(struct weft_ep *ep, struct weft_post *part, struct weft_out *out)
{
	struct weft_post *buf = part->multi;

	weft_assert_held(&ep->lock);
	if (!buf)
		return;
	part->multi = NULL;
	if (buf->srq) {
		weft_multi_share_end(ep, buf, part->last, out);
		return;
	}
	buf->nparts--;
	buf->told |= part->last;
	if (!buf->match.in && !buf->nparts)
		weft_multi_over(ep, buf, out);
}

/**
 * weft_multi_part_free - free a part that has completed
 * @ep: the endpoint, locked
 * @part: the part
 * @out: output
 */
void weft_multi_part_free(struct weft_ep *ep, struct weft_post *part, struct weft_out *out)
{
	weft_assert_held(&ep->lock);
	weft_multi_part_end(ep, part, out);
	part->flags = 0;
	if (part >= ep->rx.parts->post && part < ep->rx.parts->post + WEFT_PARTS)
		weft_list_add(&ep->rx.part_free, &part->node);
	else
		weft_post_free(ep, part, out);
	if (unlikely(ep->rx.multi_wait))
		weft_multi_retry(ep, out);
}

/**
 * weft_multi_retry - offer the waiting untagged messages again
 * @ep: the endpoint, locked
 * @out: output
 *
 * The work is bounded by their number.
 */
void weft_multi_retry(struct weft_ep *ep, struct weft_out *out)
{
	struct weft_munexp *u, *next;
	bool draining = ep->rx.draining;

	weft_assert_held(&ep->lock);
	ep->rx.multi_wait = false;
	ep->rx.draining = true;	/* receives that become free meanwhile do not change the list */
	for (u = weft_match_unexp_next(&ep->rx.match, WEFT_UNTAGGED, NULL); u; u = next) {
		struct weft_rxm *rxm = container_of(u, struct weft_rxm, rx.match);
		struct weft_post *post;

		ep->rx.match.steps++;
		next = weft_match_unexp_next(&ep->rx.match, WEFT_UNTAGGED, u);
		post = weft_post_match(ep, WEFT_UNTAGGED, u->src, 0, rxm->len, out);
		if (ep->rx.multi_wait)
			break;
		if (!post)
			continue;
		weft_match_unexp_del(&ep->rx.match, u);
		weft_recv_give(ep, rxm, post, out);
	}
	ep->rx.draining = draining;
	weft_recv_status(ep);
	if (ep->rx.stalled && !draining)
		weft_recv_drain(ep, out);
}

/**
 * weft_multi_init - make a multi-receive buffer of a receive
 * @buf: the receive: context, flags, vec are set
 * @least: the buffer takes no more messages when fewer bytes are left
 */
void weft_multi_init(struct weft_post *buf, u64 least)
{
	buf->least = least;
	buf->used = 0;
	buf->nparts = 0;
	buf->end = 0;
	buf->told = false;
	buf->ended = false;
	buf->match.ignore = 0;
	buf->match.stays = true;
}

/**
 * weft_multi_post - post a buffer; waiting messages take parts of it first
 * @ep: the endpoint, locked
 * @buf: the buffer: context, flags, vec, match are set
 * @least: the buffer leaves the queue when fewer bytes are left
 * @out: output
 */
void weft_multi_post(struct weft_ep *ep, struct weft_post *buf, u64 least, struct weft_out *out)
{
	weft_assert_held(&ep->lock);
	weft_multi_init(buf, least);
	weft_match_post(&ep->rx.match, &buf->match);	/* ignores no bit: never refused */
	if (ep->rx.match.nunexp && !ep->rx.multi_wait)
		weft_multi_retry(ep, out);
	if (unlikely(ep->state == WEFT_EPS_CLOSED && buf->match.in)) {
		weft_match_post_del(&ep->rx.match, &buf->match);
		weft_multi_end(ep, buf, ENOTCONN, out);
	}
}

/**
 * weft_multi_end - mark that a buffer takes no more messages
 * @ep: the endpoint, locked
 * @buf: the buffer, not posted any more
 * @err: errno of its last completion, which comes when all of its parts have completed
 * @out: output
 */
void weft_multi_end(struct weft_ep *ep, struct weft_post *buf, int err, struct weft_out *out)
{
	weft_assert_held(&ep->lock);
	buf->end = err;
	if (!buf->nparts)
		weft_multi_over(ep, buf, out);
}

/* ---- Shared buffers -------------------------------------------------------------- */

/**
 * weft_multi_share - take a part of a shared buffer for a message that matches it
 * @srq: the queue, locked
 * @buf: the buffer, posted or srq->hand
 * @len: bytes of the message
 *
 * Return: the part; NULL: no part is free, the queue has none.
 */
struct weft_post *weft_multi_share(struct weft_srq *srq, struct weft_post *buf, u64 len)
{
	struct weft_list *l = weft_list_first(&srq->part_free);
	struct weft_post *part;

	weft_assert_held(&srq->lock);
	if (!l) {
		srq->no_part = true;
		return NULL;
	}
	weft_list_del(l);
	part = weft_entry(l, struct weft_post, node);
	if (weft_multi_cut(part, buf, len)) {
		buf->ended = true;
		if (srq->hand == buf)
			srq->hand = NULL;
		weft_match_post_del(&srq->match, &buf->match);
	}
	return part;
}

/* A part is free again: offer the receives that untagged messages have passed over, in order. */
static void weft_multi_refresh(struct weft_srq *srq, struct weft_out *out)
{
	struct weft_mpost *p, *next;
	struct weft_list all;

	weft_list_init(&all);
	for (p = weft_match_post_next(&srq->match, NULL); p; p = next) {
		next = weft_match_post_next(&srq->match, p);
		if (p->kind != WEFT_UNTAGGED)
			continue;
		weft_match_post_del(&srq->match, p);
		weft_list_add_tail(&all, &container_of(p, struct weft_post, match)->node);
		srq->nfresh++;
	}
	weft_list_splice_tail(&all, &srq->fresh);
	weft_list_splice_tail(&srq->fresh, &all);
	srq->no_part = false;
	weft_srq_later(srq, out);
}

/**
 * weft_multi_return - free a part of a shared buffer that has completed
 * @srq: the queue, locked
 * @part: the part, taken from its buffer
 * @out: output
 */
void weft_multi_return(struct weft_srq *srq, struct weft_post *part, struct weft_out *out)
{
	weft_assert_held(&srq->lock);
	part->flags = 0;
	weft_list_add(&srq->part_free, &part->node);
	if (unlikely(srq->no_part))
		weft_multi_refresh(srq, out);
}

/**
 * weft_multi_tell - report the release of shared buffers
 * @srq: the queue
 * @ep: the endpoint that reports it, locked, not dead
 * @out: output
 *
 * The work is bounded by their number. The endpoint holds each buffer as a receive until it is
 * reported.
 */
void weft_multi_tell(struct weft_srq *srq, struct weft_ep *ep, struct weft_out *out)
{
	struct weft_list *l;

	weft_assert_held(&ep->lock);
	for (;;) {
		struct weft_post *buf = NULL;

		weft_lock(&srq->lock);
		l = weft_list_first(&srq->untold);
		if (l) {
			buf = weft_entry(l, struct weft_post, node);
			weft_list_del(l);
			buf->told = true;
			weft_srq_taken(srq, ep, buf, out);
		}
		weft_unlock(&srq->lock);
		if (!buf)
			return;
		weft_multi_release(ep, buf, out);
	}
}
