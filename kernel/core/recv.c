// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - messages that come in: order, matching, receives
 *
 * A chunk finds its flow, and is offered to matching when all earlier messages of the flow have
 * been. Before each message is matched, the endpoint's receive ring is emptied ("drain, then
 * match"). A whole short message that matches a receive of one segment is completed from the
 * packet, and nothing is kept of it. All others get a struct weft_rxm:
 *
 *	early --its turn--> unexpected --a receive is posted--> out->start --> started
 *	                \---a receive waits--------------------------------> started --> over
 *
 * WEFT_ST_RQ_KICK: while an endpoint holds unexpected messages posts have to be told; the flag is
 * set, then (full barrier) the ring is looked at once more, all under ep->lock.
 *
 * Locks: path->lock -> ep->lock. Receives, rings and matching belong to ep->lock.
 */
#include "proto.h"

/* ---- Receives -------------------------------------------------------------------- */

/**
 * weft_recv_status - tell the program whether posts have to be kicked
 * @ep: the endpoint, locked
 *
 * Only while unexpected messages are held, or all receives fail at once, is the user asked to kick.
 */
void weft_recv_status(struct weft_ep *ep)
{
	u32 bits = WEFT_ST_RQ_KICK | WEFT_ST_UNEXP;
	u32 want = 0;

	if (ep->match.nunexp)
		want = bits;
	else if (ep->state == WEFT_EPS_CLOSED)
		want = WEFT_ST_RQ_KICK;
	if (unlikely((ep->st & bits) != want))
		weft_ep_st(ep, want, bits & ~want);
}

/**
 * weft_post_free - a receive is over
 * @ep: the endpoint, locked
 * @post: the receive
 * @out: output: the receive ring may go on
 */
void weft_post_free(struct weft_ep *ep, struct weft_post *post, struct weft_out *out)
{
	if (unlikely(post->srq)) {
		weft_srq_post_free(ep, post, out);
		return;
	}
	if (unlikely(post->flags & WEFT_POST_PART)) {
		weft_multi_part_free(ep, post, out);
		return;
	}
	weft_list_add(&ep->post_free, &post->node);
	if (unlikely(ep->rq_stalled && !ep->draining))
		weft_recv_drain(ep, out);
}

/**
 * weft_recv_cqe - fill in the completion of a receive
 * @e: out: the entry
 * @ep: the endpoint
 * @post: the receive
 * @tag: sender's tag
 * @data: remote CQ data
 * @len: bytes of the message
 * @src: sender
 * @flags: WEFT_MSG_*
 */
void weft_recv_cqe(struct weft_cqe *e, const struct weft_ep *ep, struct weft_post *post,
		   u64 tag, u64 data, u64 len, u32 src, u16 flags)
{
	e->context = post->context;
	e->tag = tag;
	e->data = flags & WEFT_MSG_DATA ? data : 0;
	e->len = len;
	e->buf = 0;
	e->src = src;
	e->flags = (flags & WEFT_MSG_TAGGED ? WEFT_CQE_TAGGED : 0) |
		   (flags & WEFT_MSG_DATA ? WEFT_CQE_DATA : 0) |
		   (flags & WEFT_MSG_SOLICITED ? WEFT_CQE_SOLICITED : 0);
	e->ep = (u16)ep->conf.handle;
	e->olen = len > post->vec.len ? len - post->vec.len : 0;
	e->status = e->olen ? EMSGSIZE : 0;
	e->rsvd = 0;
	if (unlikely(post->flags & WEFT_POST_PART))
		weft_multi_cqe(e, post);
}

static void weft_recv_count(struct weft_ep *ep, const struct weft_post *post, int status,
			    struct weft_out *out)
{
	if (unlikely(ep->rx_cntr && !(post->flags & WEFT_POST_ASIDE)))
		weft_cq_count(ep->rx_cntr, status, out);
}

/**
 * weft_post_done - write the completion of a receive, and free it when that is done
 * @ep: the endpoint, locked
 * @post: the receive, not posted any more
 * @e: the completion
 * @out: output
 */
void weft_post_done(struct weft_ep *ep, struct weft_post *post, const struct weft_cqe *e,
		    struct weft_out *out)
{
	bool waits = false;

	if (likely(ep->state != WEFT_EPS_DEAD)) {
		if (ep->rx_cq && (e->status || post->flags & WEFT_RQ_COMPLETION))
			waits = !weft_cq_post(ep->rx_cq, e, NULL, 0, &post->ovf, out);
		weft_recv_count(ep, post, e->status, out);
	}
	if (likely(!waits)) {
		weft_post_free(ep, post, out);
		return;
	}
	/* weft_ovf_written() needs the lock that we have */
	post->waits = true;
	weft_ep_get(ep);
}

/* Is it the turn of a receive, if there are turns? The endpoint is locked. */
static bool weft_turn_of(struct weft_ep *ep, const struct weft_post *post)
{
	const struct weft_list *l = weft_list_first(&ep->turn);

	return likely(!l) || l == &post->turn;
}

/* Write the completions of receives whose turn has come. The endpoint is locked. */
static void weft_turn_next(struct weft_ep *ep, struct weft_out *out)
{
	struct weft_list *l;

	while ((l = weft_list_first(&ep->turn))) {
		struct weft_post *post = weft_entry(l, struct weft_post, turn);

		if (!post->done)
			break;
		post->done = false;
		weft_list_del(l);
		weft_post_done(ep, post, &post->ovf.e, out);
	}
}

/**
 * weft_post_turn - a receive that a message has taken is over: its completion, in its turn
 * @ep: the endpoint, locked
 * @post: the receive
 * @e: the completion
 * @out: output
 *
 * Receives of a WEFT_EPF_STRICT endpoint complete in the order of their messages.
 */
void weft_post_turn(struct weft_ep *ep, struct weft_post *post, const struct weft_cqe *e,
		    struct weft_out *out)
{
	if (unlikely(!weft_turn_of(ep, post))) {
		post->ovf.e = *e;
		post->done = true;
		return;
	}
	weft_list_del(&post->turn);
	weft_post_done(ep, post, e, out);
	weft_turn_next(ep, out);
}

/**
 * weft_recv_inline - complete a receive with its payload in the completion queue
 * @ep: the endpoint, locked
 * @post: the receive, not posted any more
 * @e: the completion, filled in
 * @payload: e->len bytes
 * @out: output
 *
 * Return: done, the receive is free; false: the payload has to be placed.
 */
bool weft_recv_inline(struct weft_ep *ep, struct weft_post *post, struct weft_cqe *e,
		      const void *payload, struct weft_out *out)
{
	u64 n = min(e->len, post->vec.len);

	if (unlikely(!weft_turn_of(ep, post)))
		return false;
	if (n) {
		if (n > WEFT_INLINE_MAX || post->vec.n != 1 || !ep->rx_cq ||
		    !(e->status || post->flags & WEFT_RQ_COMPLETION))
			return false;
		e->buf = post->vec.seg[0].addr;
		e->flags |= WEFT_CQE_INLINE;
		if (!weft_cq_post(ep->rx_cq, e, payload, (u32)n, NULL, out)) {
			e->buf = 0;
			e->flags &= ~WEFT_CQE_INLINE;
			return false;
		}
		weft_recv_count(ep, post, e->status, out);
		weft_list_del(&post->turn);
		weft_post_free(ep, post, out);
		weft_turn_next(ep, out);
	} else {
		weft_post_turn(ep, post, e, out);
	}
	if (unlikely(e->status))
		weft_recv_long(ep, out);
	return true;
}

/**
 * weft_recv_long - a message was longer than its receive
 * @ep: the endpoint, locked
 * @out: output
 *
 * Return: negative errno for the sender, 0.
 */
int weft_recv_long(struct weft_ep *ep, struct weft_out *out)
{
	weft_count(ep->core, msgs_truncated);
	if (!(ep->conf.flags & WEFT_EPF_STRICT))
		return 0;
	weft_ep_break(ep, EMSGSIZE, out);
	return -EMSGSIZE;
}

/**
 * weft_start_put - have a message's path told what has been decided under ep->lock
 * @rxm: the message; its endpoint is locked; it was in the endpoint's matching
 * @out: output
 */
void weft_start_put(struct weft_rxm *rxm, struct weft_out *out)
{
	weft_rxm_get(rxm);
	weft_list_add_tail(&out->start, &rxm->snode);
}

/**
 * weft_recv_matched - a message and a receive belong together
 * @ep: the endpoint, locked
 * @rxm: the message, in no matching
 * @post: the receive, likewise
 */
void weft_recv_matched(struct weft_ep *ep, struct weft_rxm *rxm, struct weft_post *post)
{
	rxm->post = post;
	weft_list_add_tail(&ep->active, &rxm->enode);
	if (ep->conf.flags & WEFT_EPF_STRICT)
		weft_list_add_tail(&ep->turn, &post->turn);
}

/**
 * weft_recv_give - a receive takes a message that has waited
 * @ep: the endpoint, locked
 * @rxm: the message, in no matching
 * @post: the receive, likewise
 * @out: output
 */
void weft_recv_give(struct weft_ep *ep, struct weft_rxm *rxm, struct weft_post *post,
		    struct weft_out *out)
{
	struct weft_cqe e;

	weft_trace_match(ep->conf.handle, post->context, rxm->tag, rxm->len, 1);
	/* the sender may have become known since it came */
	rxm->src = rxm->match.src;
	/* pairs with the release in weft_rxm_is_whole(): the bytes are there */
	if (smp_load_acquire(&rxm->whole) && rxm->buf) {
		weft_recv_cqe(&e, ep, post, rxm->tag, rxm->data, rxm->len, rxm->match.src,
			      rxm->flags);
		if (weft_recv_inline(ep, post, &e, rxm->buf, out)) {
			rxm->served = true;
			weft_start_put(rxm, out);
			return;
		}
	}
	weft_recv_matched(ep, rxm, post);
	weft_start_put(rxm, out);
}

/**
 * weft_recv_resolve - senders that were not in the address vector may be there now
 * @ep: the endpoint, locked
 */
void weft_recv_resolve(struct weft_ep *ep)
{
	struct weft_munexp *u;
	u32 gen;
	u8 kind;

	if (!ep->av)
		return;
	gen = weft_av_gen(ep->av);
	if (likely(gen == ep->av_gen))
		return;
	ep->av_gen = gen;
	for (kind = 0; kind < WEFT_KINDS; kind++)
		for (u = weft_match_unexp_next(&ep->match, kind, NULL); u;
		     u = weft_match_unexp_next(&ep->match, kind, u)) {
			struct weft_rxm *rxm = container_of(u, struct weft_rxm, match);
			struct weft_sockaddr addr = rxm->from;

			addr.port = cpu_to_be16(rxm->flow.ssvc);
			weft_match_unexp_src(&ep->match, u, weft_av_find(ep->av, &addr));
		}
}

/* Apply one entry of the receive ring. @post is free. */
static void weft_recv_apply(struct weft_ep *ep, const struct weft_rq_entry *e,
			    struct weft_post *post, struct weft_out *out)
{
	struct weft_munexp *u;

	if (e->op == WEFT_RQ_CANCEL && !e->err) {
		weft_recv_cancel(ep, e->tag, out);
		return;
	}
	weft_list_del(&post->node);
	post->context = e->context;
	post->flags = e->flags;
	post->vec.n = 0;
	post->vec.len = 0;
	post->match.tag = e->tag;
	post->match.ignore = e->ignore;
	post->match.src = e->src;
	post->match.kind = e->tagged ? WEFT_TAGGED : WEFT_UNTAGGED;
	if (unlikely(e->err || !(ep->rx_cq || ep->rx_cntr))) {
		weft_count(ep->core, bad_completions);
		weft_recv_fail(ep, post, e->err, out);
		return;
	}
	post->vec.n = e->vec.n;
	post->vec.len = e->vec.len;
	memcpy(post->vec.seg, e->vec.seg, e->vec.n * sizeof(e->vec.seg[0]));
	weft_trace_post(ep->conf.handle, e->context, e->tag, e->vec.len, 256 + e->op);
	if (unlikely(e->op > WEFT_RQ_TRECV)) {
		weft_peek_apply(ep, e, post, out);
		return;
	}
	if (unlikely(post->flags & WEFT_RQ_MULTI)) {
		weft_multi_post(ep, post, e->ignore, out);
		return;
	}
	if (unlikely(ep->match.nunexp && (e->tagged || !ep->multi_wait))) {
		u = weft_match_find(&ep->match, post->match.kind, e->src, e->tag, e->ignore);
		if (u) {
			weft_match_unexp_del(&ep->match, u);
			weft_recv_give(ep, container_of(u, struct weft_rxm, match), post, out);
			return;
		}
	}
	if (unlikely(ep->state == WEFT_EPS_CLOSED)) {
		weft_recv_fail(ep, post, ENOTCONN, out);
		return;
	}
	weft_match_post(&ep->match, &post->match);
}

/**
 * weft_recv_drain - apply what stands in the receive ring
 * @ep: the endpoint, locked
 * @out: output
 *
 * Bounded by the ring. What finds no free receive stays in the ring until one gets free.
 */
void weft_recv_drain(struct weft_ep *ep, struct weft_out *out)
{
	int r;

	if (ep->state == WEFT_EPS_ERROR || ep->state == WEFT_EPS_DEAD || unlikely(ep->srq))
		return;
	r = weft_ring_look(&ep->rq, &ep->conf.doorbell->rq_tail);
	if (likely(r == WEFT_RING_EMPTY))
		return;
	if (unlikely(ep->match.nunexp))
		weft_recv_resolve(ep);
	ep->draining = true;
	ep->rq_stalled = false;
	while (r != WEFT_RING_CORRUPT) {
		struct weft_list *l = weft_list_first(&ep->post_free);

		if (unlikely(!l)) {
			ep->rq_stalled = ep->rq.prod != ep->rq.cons;
			break;
		}
		r = weft_ring_rq(&ep->rq, ep->conf.type == WEFT_EP_MSG, &ep->rentry);
		if (r != WEFT_RING_OK && r != WEFT_RING_BAD)
			break;
		if (likely(!ep->ncut) || !weft_recv_was_cut(ep))
			weft_recv_apply(ep, &ep->rentry, weft_entry(l, struct weft_post, node),
					out);
		weft_ring_next(&ep->rq, ep->rentry.nslots);
	}
	ep->draining = false;
	weft_ring_publish(&ep->rq, &ep->conf.status->rq_head);
	weft_recv_status(ep);
	if (unlikely(r == WEFT_RING_CORRUPT)) {
		weft_count(ep->core, bad_entries);
		weft_ep_error(ep, EBADMSG, out);
	}
}

/**
 * weft_recv_unexp - a message that no receive takes is kept
 * @ep: the endpoint, locked
 * @rxm: the message
 * @src: sender's index
 * @out: output
 */
void weft_recv_unexp(struct weft_ep *ep, struct weft_rxm *rxm, u32 src, struct weft_out *out)
{
	rxm->match.src = src;
	rxm->match.tag = rxm->tag;
	rxm->match.kind = weft_msg_kind(rxm->flags);
	weft_match_unexp_add(&ep->match, &rxm->match);
	weft_count(ep->core, msgs_unexpected);
	weft_recv_status(ep);
	/*
	 * barrier E: whoever posts from here on sees the flag; whoever has posted before is seen
	 * here
	 */
	smp_mb();
	weft_recv_drain(ep, out);
}

/* ---- Messages -------------------------------------------------------------------- */

void weft_rxm_get(struct weft_rxm *rxm)
{
	refcount_inc(&rxm->ref);
}

/**
 * weft_rxm_put - drop a reference
 * @rxm: the message
 */
void weft_rxm_put(struct weft_rxm *rxm)
{
	if (!refcount_dec_and_test(&rxm->ref))
		return;
	if (rxm->buf != rxm->small)
		weft_free(rxm->buf);
	if (rxm->ep)
		weft_ep_put(rxm->ep);
	weft_path_put(rxm->path);
	weft_free(rxm);
}

/* Have a message in reserve. Return: there is one. */
static bool weft_recv_spare(struct weft_path *path)
{
	if (unlikely(!path->spare))
		path->spare = weft_alloc(sizeof(*path->spare) + WEFT_RXM_SMALL);
	return path->spare;
}

/**
 * weft_rxm_new - a message
 * @path: the path, locked
 *
 * Return: the message with one reference, on the path's list; NULL: no memory (not if path->spare
 * was there).
 */
struct weft_rxm *weft_rxm_new(struct weft_path *path)
{
	struct weft_rxm *rxm;

	if (!weft_recv_spare(path))
		return NULL;
	rxm = path->spare;
	path->spare = NULL;
	weft_rxm_init(rxm, path);
	rxm->nsmall = WEFT_RXM_SMALL;
	weft_list_add_tail(&path->rxms, &rxm->node);
	path->nrxm++;
	return rxm;
}

/**
 * weft_rxm_init - make a message of zeroed memory
 * @rxm: the message
 * @path: its path
 */
void weft_rxm_init(struct weft_rxm *rxm, struct weft_path *path)
{
	refcount_set(&rxm->ref, 1);
	weft_path_get(path);
	rxm->path = path;
	weft_list_init(&rxm->enode);
	weft_list_init(&rxm->fnode);
	weft_list_init(&rxm->rnode);
	weft_list_init(&rxm->pnode);
	weft_list_init(&rxm->snode);
	weft_list_init(&rxm->later);
	weft_ctl_init(&rxm->ctl, WEFT_CTL_RXM);
	rxm->work.kind = WEFT_WORK_RXM;
	weft_list_init(&rxm->work.node);
	weft_list_init(&rxm->node);
}

/**
 * weft_rxm_head - take over a message's head
 * @rxm: the message
 * @h: its head
 */
void weft_rxm_head(struct weft_rxm *rxm, const struct weft_head *h)
{
	rxm->flow = h->flow;
	rxm->tag = h->tag;
	rxm->data = h->data;
	rxm->len = h->len;
	rxm->flags = h->flags;
}

static struct weft_rxm *weft_recv_make(struct weft_path *path, struct weft_rflow *rf,
				       const struct weft_head *h, u32 sid)
{
	struct weft_rxm *rxm = weft_rxm_new(path);

	weft_rxm_head(rxm, h);
	weft_ep_get(rf->ep);
	rxm->ep = rf->ep;
	rxm->from = path->addr;
	rxm->work.ctx = rf->ep->conf.ctx;
	rxm->lane = rf->lane;
	rxm->sid = sid;
	if (sid) {
		rxm->rid = weft_path_new_id(path);
		weft_list_add_tail(&path->rids[rxm->rid % WEFT_PATH_HASH], &rxm->rnode);
		weft_list_add_tail(&path->psids[sid % WEFT_PATH_HASH], &rxm->pnode);
		rxm->needs = true;
		weft_path_needs(path, path->heard_at);
	}
	return rxm;
}

static bool weft_recv_full(const struct weft_path *path)
{
	return path->nrxm >= path->core->conf.envelope_max;
}

/* Does the endpoint take messages of flow @rf? It is locked. */
static bool weft_recv_takes(const struct weft_ep *ep, const struct weft_rflow *rf)
{
	if (ep->broken)
		return false;
	return rf->conn ? weft_ep_connected(ep) : ep->state == WEFT_EPS_ENABLED;
}

/*
 * It is a message's turn. @rxm: it has come early; else NULL, and @whole are its bytes if they are
 * all in the packet. Return: the message, NULL: nothing is left to do for it, ERR_PTR(-ENOMEM): not
 * now.
 */
static struct weft_rxm *weft_recv_offer(struct weft_path *path, struct weft_rflow *rf,
					const struct weft_head *h, u32 sid, struct weft_rxm *rxm,
					const u8 *whole, struct weft_out *out)
{
	struct weft_ep *ep = rf->ep;
	struct weft_post *post;
	bool inl = false;
	int cut = 0;
	u32 src;

	if (unlikely(rf->conn))
		weft_cm_first(rf->conn, out);
	weft_lock(&ep->lock);
	if (unlikely(!weft_recv_takes(ep, rf))) {
		weft_unlock(&ep->lock);
		weft_rflow_gone(rf, out);
		if (rxm)
			weft_rxm_finish(rxm, ECONNREFUSED, out);
		return NULL;
	}
	weft_recv_drain(ep, out);
	src = weft_rflow_src(rf);
	post = weft_post_match(ep, weft_msg_kind(h->flags), src, h->tag, h->len, out);
	if (likely(post)) {
		weft_trace_match(ep->conf.handle, post->context, h->tag, h->len, 0);
		if (whole && h->len <= WEFT_INLINE_MAX) {
			struct weft_cqe e;

			weft_recv_cqe(&e, ep, post, h->tag, h->data, h->len, src, h->flags);
			inl = weft_recv_inline(ep, post, &e, whole, out);
			cut = ep->conf.flags & WEFT_EPF_STRICT ? e.status : 0;
		}
		if (!inl) {
			if (!rxm)
				rxm = weft_recv_make(path, rf, h, sid);
			rxm->src = src;
			rxm->started = true;
			weft_recv_matched(ep, rxm, post);
		}
	} else if (!rxm && weft_recv_full(path)) {
		rxm = ERR_PTR(-ENOMEM);
	} else {
		if (!rxm)
			rxm = weft_recv_make(path, rf, h, sid);
		rxm->src = src;
		weft_recv_unexp(ep, rxm, src, out);
	}
	weft_unlock(&ep->lock);
	if (IS_ERR(rxm))
		return rxm;
	weft_count(path->core, msgs_received);
	rf->id.mseq++;
	if (likely(inl)) {
		path->rx_gone += h->len;
		if (h->flags & (WEFT_MSG_PLACED | WEFT_MSG_MATCHED))
			weft_rxm_finish(weft_recv_make(path, rf, h, 0), cut, out);
		return NULL;
	}
	return rxm;
}

/* What was early may have its turn now. The flow may end on the way, with its connection. */
static void weft_recv_next(struct weft_path *path, u16 ssvc, u32 sgen, struct weft_out *out)
{
	struct weft_rflow *rf;
	struct weft_list *l;

	while ((rf = weft_rflow_find(path, ssvc, sgen)) && (l = weft_list_first(&rf->early))) {
		struct weft_rxm *rxm = weft_entry(l, struct weft_rxm, fnode);
		struct weft_head h = {
			.tag = rxm->tag, .data = rxm->data, .len = rxm->len, .flags = rxm->flags
		};

		if (rxm->flow.mseq != rf->id.mseq)
			break;
		weft_list_del(l);
		rxm->early = false;
		if (rxm->aborted) {
			rf->id.mseq++;
			weft_rxm_finish(rxm, ECONNRESET, out);
			continue;
		}
		if (!rxm->sid && rxm->got < rxm->len)
			weft_list_add_tail(&rf->partial, &rxm->fnode);
		rxm = weft_recv_offer(path, rf, &h, rxm->sid, rxm, NULL, out);
		if (rxm && rxm->started)
			weft_rxm_begin(rxm, out);
		else if (rxm && rxm->whole)
			weft_rxm_buffered(rxm);
	}
}

/* A message came before its turn. Return: it, NULL: no room. */
static struct weft_rxm *weft_recv_early(struct weft_path *path, struct weft_rflow *rf,
					const struct weft_head *h, u32 sid)
{
	struct weft_rxm *rxm;
	struct weft_list *l;

	/* the window bounds how far a packet can be ahead, and so what may be missing */
	if (weft_recv_full(path))
		return NULL;
	rxm = weft_recv_make(path, rf, h, sid);
	rxm->early = true;
	for (l = rf->early.prev; l != &rf->early; l = l->prev)
		if ((s32)(weft_entry(l, struct weft_rxm, fnode)->flow.mseq - h->flow.mseq) < 0)
			break;
	weft_list_add(l, &rxm->fnode);
	return rxm;
}

static struct weft_rxm *weft_recv_known(struct weft_list *list, u32 mseq)
{
	struct weft_list *l;

	weft_list_for_each(l, list) {
		struct weft_rxm *rxm = weft_entry(l, struct weft_rxm, fnode);

		if (rxm->flow.mseq == mseq)
			return rxm;
	}
	return NULL;
}

static struct weft_rflow *weft_recv_flow(struct weft_path *path, const struct weft_head *h)
{
	struct weft_rflow *rf = weft_rflow_find(path, h->flow.ssvc, h->flow.sgen);

	return likely(rf) ? rf : weft_rflow_bind(path, &h->flow, h->flags);
}

/**
 * weft_recv_eager - EAGER has come
 * @path: the path, locked
 * @c: the chunk
 * @out: output
 *
 * Return: 0, -ENOMEM, -ENOBUFS: it cannot be taken now.
 */
int weft_recv_eager(struct weft_path *path, const struct weft_chunk *c, struct weft_out *out)
{
	const struct weft_w_eager *w = c->body;
	u32 off = be32_to_cpu(w->off);
	struct weft_rflow *rf;
	struct weft_rxm *rxm;
	struct weft_head h;
	s32 ahead;
	int err;

	weft_wire_head_get(&w->head, &h);
	if (unlikely(!weft_recv_spare(path)))
		return -ENOMEM;
	rf = weft_recv_flow(path, &h);
	if (unlikely(!rf))
		return -ENOMEM;
	ahead = (s32)(h.flow.mseq - rf->id.mseq);
	if (unlikely(rf->gone || h.len > WEFT_EAGER_LIMIT))
		goto ignore;
	if (likely(!ahead)) {
		bool whole = c->paylen == h.len;

		rxm = weft_recv_offer(path, rf, &h, 0, NULL, whole ? c->pay : NULL, out);
		if (IS_ERR(rxm))
			return (int)PTR_ERR(rxm);
		err = 0;
		if (rxm) {
			weft_list_add_tail(&rf->partial, &rxm->fnode);
			if (rxm->started)
				weft_rxm_begin(rxm, out);
			err = weft_rxm_fragment(rxm, off, c->pay, c->paylen, out);
		} else {
			if (unlikely(rf->gone))
				path->rx_gone += c->paylen;
			if (likely(weft_list_empty(&rf->early)))
				return 0;
		}
		weft_recv_next(path, h.flow.ssvc, h.flow.sgen, out);
		return err;
	}
	rxm = weft_recv_known(ahead < 0 ? &rf->partial : &rf->early, h.flow.mseq);
	if (!rxm) {
		if (ahead < 0)
			goto ignore;
		rxm = weft_recv_early(path, rf, &h, 0);
		if (!rxm)
			return -ENOMEM;
	}
	return weft_rxm_fragment(rxm, off, c->pay, c->paylen, out);
ignore:
	path->rx_gone += c->paylen;
	return 0;
}

/**
 * weft_recv_announce - ANNOUNCE has come
 * @path: the path, locked
 * @c: the chunk
 * @out: output
 *
 * Return: 0, -ENOMEM: it cannot be taken now.
 */
int weft_recv_announce(struct weft_path *path, const struct weft_chunk *c, struct weft_out *out)
{
	const struct weft_w_announce *w = c->body;
	u32 sid = be32_to_cpu(w->sid);
	struct weft_rflow *rf;
	struct weft_rxm *rxm;
	struct weft_head h;
	s32 ahead;

	weft_wire_head_get(&w->head, &h);
	if (!weft_recv_spare(path))
		return -ENOMEM;
	rf = weft_recv_flow(path, &h);
	if (!rf)
		return -ENOMEM;
	ahead = (s32)(h.flow.mseq - rf->id.mseq);
	if (rf->gone || ahead < 0 || !sid)
		return 0;
	if (ahead)
		return weft_recv_known(&rf->early, h.flow.mseq) ||
				       weft_recv_early(path, rf, &h, sid) ?
			       0 :
			       -ENOMEM;
	rxm = weft_recv_offer(path, rf, &h, sid, NULL, NULL, out);
	if (IS_ERR(rxm))
		return (int)PTR_ERR(rxm);
	if (rxm && rxm->started)
		weft_rxm_begin(rxm, out);
	weft_recv_next(path, h.flow.ssvc, h.flow.sgen, out);
	return 0;
}

/**
 * weft_recv_abort - ABORT has come: a message has been withdrawn, or a flow ends
 * @path: the path, locked
 * @w: the chunk
 * @out: output
 */
void weft_recv_abort(struct weft_path *path, const struct weft_w_abort *w, struct weft_out *out)
{
	u32 sid = be32_to_cpu(w->sid);
	struct weft_list *l, *chain;
	struct weft_flowid id;
	struct weft_rflow *rf;

	if (!sid) {
		weft_wire_flow_get(&w->flow, &id);
		rf = weft_rflow_find(path, id.ssvc, id.sgen);
		if (rf && !rf->conn)
			weft_rflow_free(rf, out);
		return;
	}
	chain = &path->psids[sid % WEFT_PATH_HASH];
	weft_list_for_each(l, chain) {
		struct weft_rxm *rxm = weft_entry(l, struct weft_rxm, pnode);

		if (rxm->sid != sid)
			continue;
		rxm->aborted = true;
		/* one that is early keeps its place, or nothing behind it would have its turn */
		if (!rxm->early)
			weft_rxm_fail(rxm, ECONNRESET, out);
		return;
	}
}
