// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - receives: from the ring to the completion
 *
 * Before a message is matched, the entries of the endpoint's receive ring are applied ("drain, then
 * match"):
 *
 *	free --read from the ring--> posted --a message takes it--> matched --its bytes are placed,
 *	and its turn has come--> completed: free, or its completion waits for the queue (cq.c)
 *
 * weft_recv_find() selects the receive for a message. Before that, a short message that matches no
 * posted receive is offered to the oldest receive in the ring (fast_ring.c).
 *
 * WEFT_ST_RQ_NOTIFY: while an endpoint holds unexpected messages, the program has to notify posts.
 * The flag is set, then (full barrier) the ring is read once more, all under ep->lock.
 *
 * Some entries cause a search: among unexpected messages (tags with ignored bits), posted receives
 * (cancel) or claimed messages. A ring full of them, each with a long search, would hold ep->lock
 * for minutes. So the searches of a drain have a budget (WEFT_RECV_STEPS). When it is used up, the
 * ring is *paused*: the rest of the entries stays in the ring, as if no receive were free. A
 * worker, or the program's own call (weft_recv_all()), continues. A message that comes meanwhile is
 * matched with posted receives, else it is unexpected and the entries find it in their order. The
 * ring is paused as well while senders of many unexpected messages are looked up again, because the
 * address vector has changed (weft_recv_resolve()).
 *
 * Locks: ep->lock protects receives, rings and matching; the callers hold it. weft_recv_unexp() and
 * weft_recv_matched() may be called with path->lock held, too.
 */
#include "core/matching/matching.h"

#define WEFT_RECV_STEPS	(64u << 10)	/* messages and receives that a drain may search */
#define WEFT_RECV_RESOLVE	4096	/* senders that are looked up in one go */

/**
 * weft_recv_status - show the program whether posts have to be notified
 * @ep: the endpoint, locked
 *
 * They have to be only while unexpected messages are held, while all receives fail at once, or
 * while histograms need the time of each post.
 */
void weft_recv_status(struct weft_ep *ep)
{
	u32 bits = WEFT_ST_RQ_NOTIFY | WEFT_ST_UNEXP;
	u32 want = 0;

	weft_assert_held(&ep->lock);
	if (ep->rx.match.nunexp)
		want = bits;
	else if (ep->state == WEFT_EPS_CLOSED || ep->rx.flush ||
		 READ_ONCE(ep->core->conf.histograms))
		want = WEFT_ST_RQ_NOTIFY;
	if (unlikely((ep->st & bits) != want))
		weft_ep_st(ep, want, bits & ~want);
}

/**
 * weft_post_free - free a receive that is over
 * @ep: the endpoint, locked
 * @post: the receive
 * @out: output: the drain of the ring may continue
 */
void weft_post_free(struct weft_ep *ep, struct weft_post *post, struct weft_out *out)
{
	weft_assert_held(&ep->lock);
	if (unlikely(post->srq)) {
		weft_srq_post_free(ep, post, out);
		return;
	}
	if (unlikely(post->flags & (WEFT_POST_PART | WEFT_POST_ALONE))) {
		if (post->flags & WEFT_POST_PART) {
			weft_multi_part_free(ep, post, out);
			return;
		}
		if (post->cntr)
			weft_cq_put(post->cntr);
		post->cntr = NULL;
	}
	weft_list_add(&ep->rx.post_free, &post->node);
	if (unlikely(ep->rx.stalled && !ep->rx.draining)) {
		if (!weft_list_empty(&ep->rx.fired))
			weft_recv_later(ep, out);
		weft_recv_drain(ep, out);
	}
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
	e->flags = weft_recv_flags(flags);
	e->ep = (u16)ep->conf.handle;
	e->olen = len > post->vec.len ? len - post->vec.len : 0;
	e->status = e->olen ? EMSGSIZE : 0;
	e->rsvd = 0;
	if (unlikely(post->flags & WEFT_POST_PART))
		weft_multi_cqe(e, post);
	if (unlikely(post->flags & (WEFT_RQ_ANNOUNCE | WEFT_POST_CLAIM)))
		weft_announce_cqe(e, post);
}

/**
 * weft_recv_from - add the sender's address for endpoints that ask for unknown senders
 * @ep: the endpoint, locked
 * @post: the receive of @e; weft_post_done() or weft_post_turn() follows
 * @rxm: the message
 * @e: the completion, other fields are set
 */
void weft_recv_from(const struct weft_ep *ep, struct weft_post *post, const struct weft_rxm *rxm,
		    struct weft_cqe *e)
{
	weft_assert_held(&ep->lock);
	if (likely(!weft_recv_strange(ep, e->src)))
		return;
	post->peer = rxm->from;
	post->peer.port = cpu_to_be16(rxm->id.ssvc);
	e->flags |= WEFT_CQE_FROM;
}

/* Write a completion with the sender's address. Return: true if done; false: it waits. */
static noinline bool weft_post_from(struct weft_ep *ep, struct weft_post *post,
				    const struct weft_cqe *e, struct weft_out *out)
{
	struct weft_cqe from = *e;

	if (!from.status)
		from.status = EADDRNOTAVAIL;
	return weft_ep_complete(ep, ep->rx_cq, &from, &post->peer, sizeof(post->peer),
				&post->ovf, out);
}

/* Return: true if a receive with this result has a completion. A trigger may want none. */
static bool weft_recv_reports(const struct weft_post *post, int status)
{
	return post->flags & WEFT_RQ_COMPLETION ||
	       (status && likely(!(post->flags & WEFT_POST_ALONE)));
}

static void weft_recv_count(struct weft_ep *ep, const struct weft_post *post, int status,
			    struct weft_out *out)
{
	if (unlikely(post->flags & WEFT_POST_ALONE)) {
		if (post->cntr)
			weft_cq_count(post->cntr, status, out);
		if (!(post->flags & WEFT_RQ_COMPLETION))
			return;
	}
	if (likely(!ep->rx_cntr))
		return;
	if (!(post->flags & WEFT_POST_ASIDE) || (status && post->flags & WEFT_POST_CLAIM))
		weft_cq_count(ep->rx_cntr, status, out);
}

/**
 * weft_post_done - write the completion of a receive, and free the receive after that
 * @ep: the endpoint, locked
 * @post: the receive, not posted any more
 * @e: the completion
 * @out: output
 */
void weft_post_done(struct weft_ep *ep, struct weft_post *post, const struct weft_cqe *e,
		    struct weft_out *out)
{
	struct weft_cq *cq = ep->rx_cq;
	bool waits = false;

	weft_assert_held(&ep->lock);
	if (likely(ep->state != WEFT_EPS_DEAD)) {
		if (cq && weft_recv_reports(post, e->status))
			waits = likely(!(e->flags & WEFT_CQE_FROM)) ?
					!weft_ep_complete(ep, cq, e, NULL, 0, &post->ovf, out) :
					!weft_post_from(ep, post, e, out);
		weft_recv_count(ep, post, e->status, out);
	}
	if (likely(!waits)) {
		weft_post_free(ep, post, out);
		return;
	}
	/* weft_cq_notify() uses the receive, and needs the lock held here */
	post->waits = true;
	weft_ep_get(ep);
	if (unlikely(post->flags & WEFT_POST_PART))
		weft_multi_part_end(ep, post, out);
}

/* Return: true if a receive completes in its turn. */
static bool weft_turn_kept(const struct weft_ep *ep, const struct weft_post *post)
{
	return ep->conf.flags & WEFT_EPF_STRICT || post->flags & WEFT_RQ_ANNOUNCE;
}

/**
 * weft_turn_of - may a receive complete now, by the order of completions?
 * @ep: the endpoint, locked
 * @post: the receive
 * @src: sender of its message; earlier messages of that sender come first
 *
 * Return: true if it may.
 */
bool weft_turn_of(struct weft_ep *ep, const struct weft_post *post, u32 src)
{
	const struct weft_list *l, *turn = &ep->rx.turn[src % WEFT_TURNS];

	weft_assert_held(&ep->lock);
	if (likely(!ep->rx.nturn) || !weft_turn_kept(ep, post))
		return true;
	weft_list_for_each(l, turn) {
		if (l == &post->turn)
			break;
		if (weft_entry(l, const struct weft_post, turn)->from == src)
			return false;
	}
	return true;
}

/* Return: the oldest receive of sender @src that has not completed, or NULL. */
static struct weft_post *weft_turn_first(struct weft_ep *ep, u32 src)
{
	struct weft_list *l, *turn = &ep->rx.turn[src % WEFT_TURNS];

	weft_list_for_each(l, turn)
		if (weft_entry(l, struct weft_post, turn)->from == src)
			return weft_entry(l, struct weft_post, turn);
	return NULL;
}

/* Remove a receive from those that wait for their turn, if it is among them. */
static void weft_turn_leave(struct weft_ep *ep, struct weft_post *post)
{
	weft_assert_held(&ep->lock);
	if (weft_list_empty(&post->turn))
		return;
	weft_list_del(&post->turn);
	ep->rx.nturn--;
}

/* Write the completions of receives of sender @src whose turn has come. The endpoint is locked. */
static void weft_turn_next(struct weft_ep *ep, u32 src, struct weft_out *out)
{
	struct weft_post *post;

	weft_assert_held(&ep->lock);
	while ((post = weft_turn_first(ep, src)) && post->done) {
		post->done = false;
		weft_turn_leave(ep, post);
		weft_post_done(ep, post, &post->ovf.e, out);
	}
}

/**
 * weft_post_turn - complete a receive that a message has taken, in its turn
 * @ep: the endpoint, locked
 * @post: the receive
 * @e: the completion
 * @out: output
 *
 * Receives of a WEFT_EPF_STRICT endpoint, and those with WEFT_RQ_ANNOUNCE, complete in the order of
 * their sender's messages.
 */
void weft_post_turn(struct weft_ep *ep, struct weft_post *post, const struct weft_cqe *e,
		    struct weft_out *out)
{
	weft_assert_held(&ep->lock);
	if (unlikely(!weft_turn_of(ep, post, e->src))) {
		post->ovf.e = *e;
		post->done = true;
		return;
	}
	weft_turn_leave(ep, post);
	weft_post_done(ep, post, e, out);
	weft_turn_next(ep, e->src, out);
}

/**
 * weft_post_inline - complete a receive with its payload in the completion queue
 * @ep: the endpoint, locked
 * @post: the receive, not posted any more
 * @e: the completion, filled in
 * @payload: bytes
 * @n: number of bytes, not 0
 * @out: output
 *
 * Return: true if done, the receive is free; false: the payload has to be placed.
 */
bool weft_post_inline(struct weft_ep *ep, struct weft_post *post, struct weft_cqe *e,
		      const void *payload, u64 n, struct weft_out *out)
{
	bool turns = ep->rx.nturn;

	weft_assert_held(&ep->lock);
	/* a program that reads only the counter of a trigger finds the bytes in their place */
	if (n > WEFT_INLINE_MAX || post->vec.n != 1 || !ep->rx_cq || unlikely(post->cntr) ||
	    !weft_recv_reports(post, e->status) || weft_recv_pins(ep, n))
		return false;
	e->buf = post->vec.seg[0].addr;
	e->flags |= WEFT_CQE_INLINE;
	if (!weft_ep_complete(ep, ep->rx_cq, e, payload, (u32)n, NULL, out)) {
		e->buf = 0;
		e->flags &= ~WEFT_CQE_INLINE;
		return false;
	}
	weft_recv_count(ep, post, e->status, out);
	if (unlikely(turns))
		weft_turn_leave(ep, post);
	weft_post_free(ep, post, out);
	if (unlikely(turns))
		weft_turn_next(ep, e->src, out);
	return true;
}

/**
 * weft_recv_inline - complete the receive of a message whose bytes are available, without placing
 * it
 * @ep: the endpoint, locked
 * @post: the receive, not posted any more
 * @e: the completion, filled in
 * @payload: e->len bytes
 * @out: output
 *
 * Return: true if done, the receive is free; false: the payload has to be placed.
 */
bool weft_recv_inline(struct weft_ep *ep, struct weft_post *post, struct weft_cqe *e,
		      const void *payload, struct weft_out *out)
{
	u64 n = min(e->len, post->vec.len);

	weft_assert_held(&ep->lock);
	/* an announced message needs more state than a completion */
	if (unlikely(post->flags & WEFT_RQ_ANNOUNCE) ||
	    unlikely(ep->rx.nturn && !weft_turn_of(ep, post, e->src)))
		return false;
	/*
	 * the release of the buffer may be reported in another queue before this completion is read
	 */
	if (unlikely(n && post->multi && post->srq))
		return false;
	/* the sender's address takes the payload's place, and only a kept message has it */
	if (weft_recv_strange(ep, e->src))
		return false;
	if (n) {
		if (!weft_post_inline(ep, post, e, payload, n, out))
			return false;
	} else {
		weft_post_turn(ep, post, e, out);
	}
	if (unlikely(e->status))
		weft_recv_long(ep, out);
	return true;
}

/**
 * weft_recv_long - count a message that was longer than its receive
 * @ep: the endpoint, locked
 * @out: output
 *
 * Return: 0, or a negative errno for the sender.
 */
int weft_recv_long(struct weft_ep *ep, struct weft_out *out)
{
	weft_assert_held(&ep->lock);
	weft_count(ep->core, msgs_truncated);
	ep->rx.ntoolong++;
	ep->rx.toolong_at = out->now;
	if (!(ep->conf.flags & WEFT_EPF_STRICT))
		return 0;
	weft_ep_break(ep, EMSGSIZE, out);
	return -EMSGSIZE;
}

/**
 * weft_start_put - have a message's path process a decision made under ep->lock
 * @rxm: the message; its endpoint is locked; it was in the endpoint's matching
 * @out: output
 */
void weft_start_put(struct weft_rxm *rxm, struct weft_out *out)
{
	weft_assert_held(&rxm->ep->lock);
	weft_rxm_get(rxm);
	weft_list_add_tail(&out->start, &rxm->rx.snode);
}

/**
 * weft_recv_matched - connect a message with its receive
 * @ep: the endpoint, locked
 * @rxm: the message, in no matching
 * @post: the receive, in no matching
 */
void weft_recv_matched(struct weft_ep *ep, struct weft_rxm *rxm, struct weft_post *post)
{
	weft_assert_held(&ep->lock);
	rxm->rx.post = post;
	weft_list_add_tail(&ep->rx.active, &rxm->rx.enode);
	if (weft_turn_kept(ep, post)) {
		post->from = rxm->src;
		weft_list_add_tail(&ep->rx.turn[post->from % WEFT_TURNS], &post->turn);
		ep->rx.nturn++;
	}
}

/**
 * weft_recv_give - give a waiting message to a receive
 * @ep: the endpoint, locked
 * @rxm: the message, in no matching
 * @post: the receive, in no matching
 * @out: output
 */
void weft_recv_give(struct weft_ep *ep, struct weft_rxm *rxm, struct weft_post *post,
		    struct weft_out *out)
{
	struct weft_cqe e;

	weft_assert_held(&ep->lock);
	weft_ep_receives(ep, post->context, rxm->rx.match.src, rxm->tag, rxm->len, true);
	weft_recv_met(ep, post, weft_since(out->now, rxm->rx.at), out->now);
	/* the address vector may have got the sender since the message came */
	rxm->src = rxm->rx.match.src;
	/* pairs with the release in weft_rxm_is_whole(): all bytes are stored */
	if (smp_load_acquire(&rxm->whole) && rxm->buf) {
		weft_recv_cqe(&e, ep, post, rxm->tag, rxm->data, rxm->len, rxm->rx.match.src,
			      rxm->flags);
		if (weft_recv_inline(ep, post, &e, rxm->buf, out)) {
			rxm->rx.served = true;
			weft_start_put(rxm, out);
			return;
		}
	}
	weft_recv_matched(ep, rxm, post);
	weft_start_put(rxm, out);
}

/**
 * weft_recv_resolve - look up senders again after a change of the address vector
 * @ep: the endpoint, locked
 *
 * Looks up WEFT_RECV_RESOLVE senders at most. Until all are looked up, no receive may be compared
 * with unexpected messages: their order is not restored.
 *
 * Return: true if all are looked up; false: the caller calls again, after others had the lock.
 */
bool weft_recv_resolve(struct weft_ep *ep)
{
	struct weft_match *m = &ep->rx.match;
	u32 gen, n;

	weft_assert_held(&ep->lock);
	if (!ep->av)
		return true;
	gen = weft_av_gen(ep->av);
	if (unlikely(gen != ep->rx.av_gen)) {
		ep->rx.av_gen = gen;
		weft_match_rekey(m);
	}
	for (n = 0; unlikely(m->at) && n < WEFT_RECV_RESOLVE; n++) {
		struct weft_rxm *rxm = container_of(m->at, struct weft_rxm, rx.match);
		struct weft_sockaddr addr = rxm->from;

		addr.port = cpu_to_be16(rxm->id.ssvc);
		weft_match_rekey_next(m, weft_av_find(ep->av, &addr));
	}
	return !m->at;
}

/* Copy an entry of the receive ring into a receive. @post is free. */
static void weft_recv_fill(struct weft_ep *ep, const struct weft_rq_entry *e,
			   struct weft_post *post, weft_ns now)
{
	u32 i;

	post->at = now;
	post->context = e->context;
	post->flags = e->flags;
	if (unlikely(e->flags & WEFT_POST_ALONE)) {
		post->cntr = ep->rx.done;
		if (post->cntr)
			weft_cq_get(post->cntr);
	}
	post->match.tag = e->tag;
	post->match.ignore = e->ignore;
	post->match.src = e->src;
	post->match.kind = e->tagged ? WEFT_TAGGED : WEFT_UNTAGGED;
	post->vec.n = e->vec.n;
	post->vec.len = e->vec.len;
	for (i = 0; i < e->vec.n; i++)
		post->vec.seg[i] = e->vec.seg[i];
}

/**
 * weft_recv_apply - apply one entry of a receive ring
 * @ep: the endpoint, locked
 * @e: the entry
 * @post: a free receive
 * @out: output
 */
void weft_recv_apply(struct weft_ep *ep, const struct weft_rq_entry *e, struct weft_post *post,
		     struct weft_out *out)
{
	struct weft_munexp *u;
	int err = e->err;

	if (e->op == WEFT_RQ_CANCEL && !e->err) {
		weft_recv_cancel(ep, e->tag, out);
		return;
	}
	weft_list_del(&post->node);
	weft_recv_fill(ep, e, post, out->now);
	if (unlikely(ep->rx.flush)) {
		weft_recv_fail(ep, post, ep->rx.flush, out);
		return;
	}
	if (unlikely(post->flags & WEFT_RQ_ANNOUNCE) && weft_announce_apply(ep, e, post) && !err)
		err = ENOBUFS;
	if (unlikely(err || !(ep->rx_cq || ep->rx_cntr))) {
		weft_count(ep->core, bad_completions);
		weft_recv_fail(ep, post, err, out);
		return;
	}
	weft_trace_post_recv(ep->core, ep, 0, e->context, e->src, e->tag, e->ignore, e->vec.len,
			     e->op);
	if (unlikely(e->op > WEFT_RQ_TRECV)) {
		weft_peek_apply(ep, e, post, out);
		return;
	}
	if (unlikely(post->flags & WEFT_RQ_MULTI)) {
		weft_multi_post(ep, post, e->ignore, out);
		return;
	}
	if (unlikely(ep->rx.match.nunexp && (e->tagged || !ep->rx.multi_wait))) {
		u = weft_recv_search(ep->core, &ep->rx.match, &post->match);
		if (u) {
			weft_match_unexp_del(&ep->rx.match, u);
			weft_recv_give(ep, container_of(u, struct weft_rxm, rx.match), post, out);
			return;
		}
	}
	if (unlikely(ep->state == WEFT_EPS_CLOSED)) {
		weft_recv_fail(ep, post, ENOTCONN, out);
		return;
	}
	if (unlikely(!weft_match_post(&ep->rx.match, &post->match))) {
		weft_count(ep->core, bad_completions);
		weft_recv_fail(ep, post, ENOSPC, out);
	}
}

/* Pause the ring, because searches have taken long: a worker continues. The endpoint is locked. */
static void weft_recv_pause(struct weft_ep *ep, struct weft_out *out)
{
	weft_assert_held(&ep->lock);
	ep->rx.stalled = true;
	ep->rx.paused = true;
	weft_recv_later(ep, out);
}

/**
 * weft_recv_drain - apply the entries of the receive ring
 * @ep: the endpoint, locked
 * @out: output
 *
 * The work is bounded by the ring and by a budget. An entry without a free receive stays in the
 * ring until one becomes free, or a worker has allocated more (grow.c). A paused ring is not read.
 */
void weft_recv_drain(struct weft_ep *ep, struct weft_out *out)
{
	u32 from = ep->rx.match.steps;
	int r;

	weft_assert_held(&ep->lock);
	if ((ep->state == WEFT_EPS_ERROR && !ep->rx.flush) || ep->state == WEFT_EPS_DEAD ||
	    unlikely(ep->rx.srq) || unlikely(ep->rx.paused))
		return;
	r = weft_ring_look(&ep->rx.ring, &ep->conf.doorbell->rq_tail);
	if (likely(r == WEFT_RING_EMPTY))
		return;
	if (unlikely(ep->rx.match.nunexp) && !weft_recv_resolve(ep)) {
		weft_recv_pause(ep, out);
		return;
	}
	ep->rx.draining = true;
	ep->rx.stalled = false;
	while (r != WEFT_RING_CORRUPT && ep->rx.ring.prod != ep->rx.ring.cons) {
		struct weft_list *l = weft_list_first(&ep->rx.post_free);

		if (unlikely(!l)) {
			ep->rx.stalled = true;
			if (ep->rx.nposts < ep->conf.rq_slots)
				weft_grow_ask(ep, out);
			break;
		}
		if (unlikely(ep->rx.match.steps - from > WEFT_RECV_STEPS)) {
			weft_recv_pause(ep, out);
			break;
		}
		r = weft_ring_rq(&ep->rx.ring, ep->conf.type == WEFT_EP_MSG, &ep->rx.entry);
		if (r != WEFT_RING_OK && r != WEFT_RING_BAD)
			break;
		if (likely(!ep->rx.ncut) || !weft_recv_was_cut(ep))
			weft_recv_apply(ep, &ep->rx.entry, weft_entry(l, struct weft_post, node),
					out);
		weft_ring_next(&ep->rx.ring, ep->rx.entry.nslots);
	}
	ep->rx.draining = false;
	if (weft_match_full(&ep->rx.match))
		weft_grow_tables(ep, out);
	weft_ring_publish(&ep->rx.ring, &ep->conf.status->rq_head);
	weft_recv_status(ep);
	if (unlikely(r == WEFT_RING_CORRUPT)) {
		weft_count(ep->core, bad_entries);
		weft_ep_error(ep, EBADMSG, out);
	}
}

/**
 * weft_recv_find - find the receive for a message that has its turn
 * @ep: the endpoint, locked; it accepts messages
 * @kind: WEFT_TAGGED, WEFT_UNTAGGED
 * @src: sender's index
 * @tag: the message's tag
 * @len: bytes of the message
 * @out: output
 *
 * Return: the receive, not posted any more; NULL: none matches, and the ring has been drained.
 */
struct weft_post *weft_recv_find(struct weft_ep *ep, u8 kind, u32 src, u64 tag, u64 len,
				 struct weft_out *out)
{
	struct weft_post *post;

	weft_assert_held(&ep->lock);
	weft_recv_drain(ep, out);
	post = weft_post_match(ep, kind, src, tag, len, out);
	if (post) {
		weft_ep_receives(ep, post->context, src, tag, len, false);
		weft_recv_met(ep, post, 0, out->now);
	}
	return post;
}

/**
 * weft_recv_unexp - keep a message that no receive takes
 * @ep: the endpoint, locked
 * @rxm: the message
 * @src: sender's index
 * @out: output
 */
void weft_recv_unexp(struct weft_ep *ep, struct weft_rxm *rxm, u32 src, struct weft_out *out)
{
	weft_assert_held(&ep->lock);
	rxm->rx.at = out->now;
	rxm->rx.match.src = src;
	rxm->rx.match.tag = rxm->tag;
	rxm->rx.match.kind = weft_msg_kind(rxm->flags);
	weft_match_unexp_add(&ep->rx.match, &rxm->rx.match);
	if (weft_match_full(&ep->rx.match))
		weft_grow_tables(ep, out);
	weft_count(ep->core, msgs_unexpected);
	weft_recv_status(ep);
	/*
	 * barrier E: later posts see the flag; the drain below sees earlier posts
	 */
	smp_mb();
	weft_recv_drain(ep, out);
}

/**
 * weft_recv_fail - complete a receive without a message
 * @ep: the endpoint, locked
 * @post: the receive, not posted any more
 * @err: errno
 * @out: output
 */
void weft_recv_fail(struct weft_ep *ep, struct weft_post *post, int err, struct weft_out *out)
{
	struct weft_cqe e;

	weft_assert_held(&ep->lock);
	if (unlikely(post->flags & WEFT_RQ_MULTI)) {
		weft_multi_end(ep, post, err, out);
		return;
	}
	if (unlikely(post->flags & WEFT_RQ_ANNOUNCE))
		weft_announce_none(ep, post);
	weft_recv_cqe(&e, ep, post, post->match.tag, 0, 0, WEFT_SRC_ANY,
		      post->match.kind == WEFT_TAGGED ? WEFT_MSG_TAGGED : 0);
	e.status = err;
	weft_post_done(ep, post, &e, out);
}

/**
 * weft_recv_cancel - cancel the oldest receive with a context
 * @ep: the endpoint, locked
 * @context: the user's
 * @out: output
 *
 * Return: true if there was one.
 */
bool weft_recv_cancel(struct weft_ep *ep, u64 context, struct weft_out *out)
{
	struct weft_mpost *p;

	weft_assert_held(&ep->lock);
	for (p = weft_match_post_next(&ep->rx.match, NULL); p;
	     p = weft_match_post_next(&ep->rx.match, p)) {
		struct weft_post *post = container_of(p, struct weft_post, match);

		ep->rx.match.steps++;
		if (post->context != context)
			continue;
		weft_match_post_del(&ep->rx.match, p);
		weft_recv_fail(ep, post, ECANCELED, out);
		if (ep->rx.multi_wait)
			weft_multi_retry(ep, out);
		return true;
	}
	return false;
}

/* Return: the word of ep->rx.cut with the bit of slot @index; @bit: out: the bit. */
u64 *weft_cut_word(struct weft_ep *ep, u32 index, u64 *bit)
{
	u32 slot = index & (ep->rx.ring.size - 1);

	*bit = BIT_ULL(slot % 64);
	return &ep->rx.cut[slot / 64];
}

/**
 * weft_recv_was_cut - was the entry at the consumer index canceled?
 * @ep: the endpoint, locked
 *
 * Return: true if so; its bit is cleared, and the caller skips the entry.
 */
bool weft_recv_was_cut(struct weft_ep *ep)
{
	u64 bit, *word = weft_cut_word(ep, ep->rx.ring.cons, &bit);

	weft_assert_held(&ep->lock);
	if (!(*word & bit))
		return false;
	*word &= ~bit;
	ep->rx.ncut--;
	return true;
}
