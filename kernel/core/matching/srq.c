// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - shared receive queues: receives for several endpoints
 *
 * The states of a receive:
 *
 *	free -> (in the ring) -> posted -> taken by an endpoint, at a message's first packet -> free
 *	                   \-> fresh --/
 *
 * While no endpoint waits, an arrival drains the ring into @match and takes the oldest receive that
 * fits, as from a ring of its own. Without one the message becomes unexpected like any other, which
 * holds back its sender ("receiver not ready"). The endpoint joins @waiting. From then on receives
 * from the ring are *fresh*. One server at a time moves the first fresh receive to @hand and offers
 * it to the waiting endpoints, once to each, in turn. An endpoint that takes it moves to the end. A
 * receive that no endpoint takes is posted.
 *
 * No match is missed: an endpoint joins @waiting before it releases its lock. So either the server
 * finds its message, or the message finds the receive, in @match or in @hand. A message takes the
 * receive from @hand only if no older message of its endpoint fits; the server has not visited that
 * endpoint yet. Messages between a pair of endpoints keep the sender's order, because an endpoint's
 * messages are searched in order of arrival. Messages of different endpoints have no order.
 *
 * Counts: available = posted + fresh + @hand, held = taken. If receives name regions, these are
 * checked when a receive is taken. If the check fails, the endpoint gets an error completion, and
 * the next receive is used.
 *
 * WEFT_ST_RQ_NOTIFY is set while endpoints wait: set the flag, full barrier, read the ring. While
 * an engine polls the doorbell (poll.c describes the transition), the flag is hidden from the
 * program.
 *
 * Locks: srq->lock, inside ep->lock; eq->lock for events. The server holds no lock between two
 * endpoints. See Documentation/locking.rst.
 */
#include "core/matching/matching.h"

/*
 * Steps of a flush before a worker continues: one for each message that a search looks at, and
 * those below.
 */
#define WEFT_SRQ_STEPS		(64u << 10)
#define WEFT_SRQ_RECEIVE	1024	/* for a receive */
#define WEFT_SRQ_OFFER		16	/* for an offer to an endpoint */

/**
 * struct weft_srq_turn - one go of a server
 * @left: steps that are left
 * @worker: may sleep: serves a receive to its end, whatever that takes
 * @stopped: the receive in hand has not been offered to all endpoints
 */
struct weft_srq_turn {
	u32 left;
	bool worker;
	bool stopped;
};

/* ---- Creation and destruction ---------------------------------------------------- */

/**
 * weft_srq_posts_new - allocate receives, which count for the owner of the queue
 * @srq: the queue
 * @n: number of receives
 *
 * Context: may sleep.
 * Return: the receives, unused; ERR_PTR(-ENOMEM, -ENOSPC: the user is at the limit "memory-user").
 */
struct weft_posts *weft_srq_posts_new(struct weft_srq *srq, u32 n)
{
	struct weft_posts *posts;
	int err;

	err = weft_user_take(srq->core, srq->user, WEFT_USE_MEMORY, struct_size(posts, post, n));
	if (err)
		return ERR_PTR(err);
	posts = weft_alloc_sleep(struct_size(posts, post, n));
	if (!posts) {
		weft_user_give(srq->user, WEFT_USE_MEMORY, struct_size(posts, post, n));
		return ERR_PTR(-ENOMEM);
	}
	weft_posts_init(posts, n, NULL, srq);
	return posts;
}

/**
 * weft_srq_posts_free - free receives of weft_srq_posts_new()
 * @srq: the queue
 * @posts: the receives, not added; may be NULL
 */
void weft_srq_posts_free(struct weft_srq *srq, struct weft_posts *posts)
{
	if (!posts)
		return;
	weft_user_give(srq->user, WEFT_USE_MEMORY, struct_size(posts, post, posts->n));
	weft_free(posts);
}

static void weft_srq_keep(struct weft_srq *srq, struct weft_posts *posts, struct weft_list *list)
{
	srq->memory += struct_size(posts, post, posts->n);
	weft_posts_add(&srq->posts, posts, list);
}

/**
 * weft_srq_posts_add - add receives to the free ones
 * @srq: the queue, locked, or not yet published
 * @posts: the receives
 */
void weft_srq_posts_add(struct weft_srq *srq, struct weft_posts *posts)
{
	weft_srq_keep(srq, posts, &srq->post_free);
	srq->nposts += posts->n;
}

/* Allocate the receives and the parts of a new queue. Return: 0, -ENOMEM, -ENOSPC. */
static int weft_srq_alloc(struct weft_srq *srq)
{
	struct weft_posts *posts;

	srq->user = weft_user_get(srq->core, srq->conf.uid);
	if (!srq->user)
		return -ENOMEM;
	posts = weft_srq_posts_new(srq, srq->conf.recvs);
	if (IS_ERR(posts))
		return PTR_ERR(posts);
	weft_srq_posts_add(srq, posts);
	if (!srq->conf.zone) {
		posts = weft_srq_posts_new(srq, WEFT_PARTS);
		if (IS_ERR(posts))
			return PTR_ERR(posts);
		weft_srq_keep(srq, posts, &srq->part_free);
	}
	return weft_match_init(&srq->match, srq->conf.recvs, 0);
}

/**
 * weft_srq_new - make a shared receive queue
 * @core: the core
 * @conf: its configuration; copied; a reference on its event queue is taken
 *
 * Context: may sleep.
 * Return: the queue with one reference, ERR_PTR(-ENOMEM, -ENODEV: the port is going, -ENOSPC: the
 * user is at the limit "memory-user").
 */
struct weft_srq *weft_srq_new(struct weft_core *core, const struct weft_srq_conf *conf)
{
	struct weft_srq *srq;
	int err;

	if (READ_ONCE(core->stopped))
		return ERR_PTR(-ENODEV);
	srq = weft_alloc_sleep(sizeof(*srq));
	if (!srq)
		return ERR_PTR(-ENOMEM);
	srq->core = core;
	srq->conf = *conf;
	refcount_set(&srq->ref, 1);
	weft_lock_init(&srq->lock, WEFT_RANK_SRQ);
	weft_list_init(&srq->serve);
	weft_list_init(&srq->fresh);
	weft_list_init(&srq->post_free);
	weft_list_init(&srq->part_free);
	weft_list_init(&srq->untold);
	weft_lists_init(srq->waiting, WEFT_KINDS);
	weft_work_init(&srq->work, WEFT_WORK_SRQ, conf->ctx);
	weft_ring_init(&srq->ring, conf->rq, conf->rq_slots);
	srq->ring.keys = conf->zone;
	if (conf->eq)
		weft_eq_get(conf->eq);
	err = weft_srq_alloc(srq);
	if (err) {
		weft_srq_put(srq);
		return ERR_PTR(err);
	}
	return srq;
}

/**
 * weft_srq_kill - destroy a shared receive queue
 * @srq: no endpoint uses it
 *
 * Posted receives vanish. Afterwards neither its ring, its lines nor its event queue are used.
 */
void weft_srq_kill(struct weft_srq *srq)
{
	struct weft_mpost *p;
	struct weft_list *l;

	weft_lock(&srq->lock);
	srq->dead = true;
	/* cq.c may still hold receives whose completions it has just written */
	WARN_ON_ONCE(srq->neps);
	while ((p = weft_match_post_next(&srq->match, NULL))) {
		weft_match_post_del(&srq->match, p);
		weft_list_add(&srq->post_free, &container_of(p, struct weft_post, match)->node);
	}
	while ((l = weft_list_first(&srq->fresh))) {
		weft_list_del(l);
		weft_list_add(&srq->post_free, l);
	}
	srq->nfresh = 0;
	weft_unlock(&srq->lock);
	if (srq->conf.eq)
		weft_eq_purge(srq->conf.eq, srq->conf.handle);
}

/* ---- The ring -------------------------------------------------------------------- */

/**
 * weft_srq_available - number of receives that no endpoint has taken
 * @srq: the queue, locked
 *
 * Return: the number, without the receives in the ring.
 */
u32 weft_srq_available(const struct weft_srq *srq)
{
	weft_assert_held(&srq->lock);
	return srq->match.nposts + srq->nfresh + !!srq->hand;
}

/* Return: true if new receives have to be offered to waiting endpoints. The queue is locked. */
static bool weft_srq_awaited(const struct weft_srq *srq)
{
	weft_assert_held(&srq->lock);
	return srq->nwaiting[WEFT_UNTAGGED] || srq->nwaiting[WEFT_TAGGED] || srq->nfresh ||
	       srq->hand;
}

static void weft_srq_show(struct weft_srq *srq)
{
	if (!srq->dead)
		WRITE_ONCE(srq->conf.status->flags,
			   srq->polled ? srq->st & ~WEFT_ST_RQ_NOTIFY : srq->st);
}

static void weft_srq_st(struct weft_srq *srq, u32 st)
{
	if (srq->st == st)
		return;
	srq->st = st;
	weft_srq_show(srq);
}

/**
 * weft_srq_later - serve the queue when all locks have been released
 * @srq: the queue, locked
 * @out: output
 */
void weft_srq_later(struct weft_srq *srq, struct weft_out *out)
{
	weft_assert_held(&srq->lock);
	if (srq->queued || srq->dead)
		return;
	srq->queued = true;
	weft_srq_get(srq);
	weft_list_add_tail(&out->serve, &srq->serve);
}

/*
 * Post a receive. With too many ignore masks it fails instead: the first tagged message finds it,
 * and the endpoint of this message reports it.
 */
static void weft_srq_post(struct weft_srq *srq, struct weft_post *post)
{
	if (likely(weft_match_post(&srq->match, &post->match)))
		return;
	weft_count(srq->core, bad_completions);
	post->err = ENOSPC;
	post->match.ignore = ~0ULL;
	weft_match_post(&srq->match, &post->match);
}

/* Apply an entry of the ring. @post is free. */
static void weft_srq_apply(struct weft_srq *srq, const struct weft_rq_entry *e,
			   struct weft_post *post, weft_ns now)
{
	weft_list_del(&post->node);
	post->at = now;
	post->ep = NULL;
	post->context = e->context;
	post->flags = e->flags & WEFT_RQ_COMPLETION;
	post->err = e->err;
	if (!e->err && e->op >= WEFT_RQ_PEEK && e->op <= WEFT_RQ_CANCEL)
		post->err = EOPNOTSUPP;
	post->match.stays = false;
	post->told = false;
	post->vec.n = 0;
	post->vec.len = 0;
	post->match.tag = e->tag;
	post->match.ignore = e->ignore;
	post->match.src = e->src;
	post->match.kind = e->tagged ? WEFT_TAGGED : WEFT_UNTAGGED;
	if (!e->tagged) {
		post->keys[0] = (u32)e->tag;
		post->keys[1] = (u32)(e->tag >> 32);
		post->keys[2] = (u32)e->ignore;
		post->keys[3] = (u32)(e->ignore >> 32);
		post->match.tag = 0;
		post->match.ignore = 0;
	}
	if (likely(!post->err)) {
		post->vec.n = e->vec.n;
		post->vec.len = e->vec.len;
		memcpy(post->vec.seg, e->vec.seg, e->vec.n * sizeof(e->vec.seg[0]));
		if (unlikely(e->flags & WEFT_RQ_MULTI))
			weft_multi_init(post, e->ignore);
	} else {
		weft_count(srq->core, bad_completions);
		if (!e->tagged)
			post->match.src = WEFT_SRC_ANY;
	}
	weft_trace_post_recv(srq->core, NULL, srq->conf.handle, e->context, e->src, e->tag,
			     e->ignore, e->vec.len, e->op);
	if (unlikely(weft_srq_awaited(srq))) {
		weft_list_add_tail(&srq->fresh, &post->node);
		srq->nfresh++;
	} else {
		weft_srq_post(srq, post);
	}
}

/**
 * weft_srq_fetch - apply the entries of the ring; the work is bounded by the ring
 * @srq: the queue, locked
 * @now: time
 */
void weft_srq_fetch(struct weft_srq *srq, weft_ns now)
{
	int r;

	weft_assert_held(&srq->lock);
	if (unlikely(srq->dead || srq->bad))
		return;
	r = weft_ring_look(&srq->ring, &srq->conf.doorbell->rq_tail);
	if (likely(r == WEFT_RING_EMPTY))
		return;
	srq->stalled = false;
	while (r != WEFT_RING_CORRUPT) {
		struct weft_list *l = weft_list_first(&srq->post_free);

		if (unlikely(!l)) {
			srq->stalled = srq->ring.prod != srq->ring.cons;
			break;
		}
		r = weft_ring_rq(&srq->ring, false, &srq->entry);
		if (r != WEFT_RING_OK && r != WEFT_RING_BAD)
			break;
		weft_srq_apply(srq, &srq->entry, weft_entry(l, struct weft_post, node), now);
		weft_ring_next(&srq->ring, srq->entry.nslots);
	}
	weft_ring_publish(&srq->ring, &srq->conf.status->rq_head);
	if (unlikely(r == WEFT_RING_CORRUPT)) {
		weft_count(srq->core, bad_entries);
		srq->bad = true;
		weft_srq_st(srq, srq->st | WEFT_ST_ERROR);
	}
}

/* ---- Taking receives ------------------------------------------------------------- */

/**
 * weft_srq_low - post the event of the low watermark, if fewer receives are available
 * @srq: the queue, locked
 * @out: output: the event
 */
void weft_srq_low(struct weft_srq *srq, struct weft_out *out)
{
	struct weft_qev *ev = srq->ev_low;

	weft_assert_held(&srq->lock);
	if (likely(!ev) || weft_srq_available(srq) >= srq->low || srq->dead)
		return;
	srq->ev_low = NULL;
	weft_eq_post(srq->conf.eq, ev, out);
}

/**
 * weft_srq_high - post the event of the soft high watermark, if the endpoint holds more receives
 * @ep: the endpoint, locked
 * @out: output: the event
 */
void weft_srq_high(struct weft_ep *ep, struct weft_out *out)
{
	struct weft_qev *ev = ep->rx.ev_high;

	weft_assert_held(&ep->lock);
	if (likely(!ev) || ep->rx.nheld <= ep->rx.soft)
		return;
	ep->rx.ev_high = NULL;
	weft_eq_post(ep->rx.srq->conf.eq, ev, out);
}

/**
 * weft_srq_taken - record that an endpoint takes a receive
 * @srq: the queue, locked
 * @ep: the endpoint, locked
 * @post: the receive, in no matching
 * @out: output
 */
void weft_srq_taken(struct weft_srq *srq, struct weft_ep *ep, struct weft_post *post,
		    struct weft_out *out)
{
	weft_assert_held(&srq->lock);
	weft_assert_held(&ep->lock);
	post->ep = ep;
	post->seq = ++ep->rx.taken_seq;
	weft_list_add_tail(&ep->rx.taken, &post->node);
	ep->rx.nheld++;
	srq->nheld++;
	weft_srq_low(srq, out);
}

/* Check a receive before its use. Return: 0, negative errno. */
static int weft_srq_check(const struct weft_srq *srq, const struct weft_post *post)
{
	u32 i;

	if (unlikely(post->err))
		return -(int)post->err;
	for (i = 0; srq->conf.zone && i < post->vec.n; i++)
		if (weft_env_region(srq->conf.ctx, post->keys[i], srq->conf.zone,
				    &post->vec.seg[i]))
			return -EACCES;
	return 0;
}

/*
 * Check whether the endpoint (locked) may use a receive that it has taken; if not, end the receive.
 * Return: true if it may.
 */
static bool weft_srq_usable(struct weft_ep *ep, struct weft_post *post, struct weft_out *out)
{
	int err = weft_srq_check(ep->rx.srq, post);

	if (unlikely(ep->rx.hard && ep->rx.nheld > ep->rx.hard)) {
		weft_ep_break(ep, ENOBUFS, out);
		err = -ECANCELED;
	}
	weft_srq_high(ep, out);
	if (likely(!err))
		return true;
	weft_recv_fail(ep, post, -err, out);
	return false;
}

static bool weft_srq_fits(const struct weft_mpost *p, u8 kind, u32 src, u64 tag)
{
	return p->kind == kind && !((p->tag ^ tag) & ~p->ignore) &&
	       (p->src == WEFT_SRC_ANY || p->src == src);
}

/* Find the receive, or the part of one, for a message of @ep. Both are locked. */
static struct weft_post *weft_srq_find(struct weft_srq *srq, struct weft_ep *ep, u8 kind, u32 src,
				       u64 tag, u64 len)
{
	struct weft_mpost *p;

	weft_assert_held(&srq->lock);
	weft_assert_held(&ep->lock);
	if (unlikely(ep->broken || (srq->no_part && kind == WEFT_UNTAGGED)))
		return NULL;
	p = weft_recv_arrive(ep->core, &srq->match, kind, src, tag);
	if (unlikely(!p)) {
		if (!srq->hand)
			return NULL;
		p = &srq->hand->match;
		/* an earlier message may fit whose sender is not looked up yet */
		if (ep->rx.match.at || !weft_srq_fits(p, kind, src, tag) ||
		    weft_match_find(&ep->rx.match, kind, p->src, p->tag, p->ignore))
			return NULL;
		if (!p->stays)
			srq->hand = NULL;
	}
	if (unlikely(p->stays))
		return weft_multi_share(srq, container_of(p, struct weft_post, match), len);
	return container_of(p, struct weft_post, match);
}

/* Have @ep wait for a receive. Both are locked. */
static void weft_srq_wait(struct weft_srq *srq, struct weft_ep *ep, u8 kind, struct weft_out *out)
{
	weft_assert_held(&srq->lock);
	weft_assert_held(&ep->lock);
	if (!ep->rx.waits[kind]) {
		ep->rx.waits[kind] = true;
		weft_list_add_tail(&srq->waiting[kind], &ep->rx.wait[kind]);
		srq->nwaiting[kind]++;
	}
	if (srq->dead || srq->bad)
		return;
	weft_srq_st(srq, srq->st | WEFT_ST_RQ_NOTIFY);
	/* barrier E: later posts see the flag; the fetch below sees earlier posts */
	smp_mb();
	weft_srq_fetch(srq, out->now);
	if (srq->nfresh)
		weft_srq_later(srq, out);
}

/**
 * weft_srq_take - get a shared receive for an incoming message
 * @ep: the endpoint, locked
 * @kind: WEFT_TAGGED or WEFT_UNTAGGED
 * @src: sender's index
 * @tag: tag
 * @len: bytes of it
 * @out: output
 *
 * Return: the receive, in no matching any more; NULL: none fits. Then the message is kept and will
 * be served, unless ep->rx.lossy. The endpoint stays locked until the message is among the
 * unexpected ones.
 */
struct weft_mpost *weft_srq_take(struct weft_ep *ep, u8 kind, u32 src, u64 tag, u64 len,
				 struct weft_out *out)
{
	struct weft_srq *srq = ep->rx.srq;
	struct weft_post *post;
	bool fetched = false;

	weft_assert_held(&ep->lock);
	do {
		weft_lock(&srq->lock);
		/*
		 * only once: the program may post new receives as fast as invalid ones are refused
		 * here
		 */
		if (likely(!fetched))
			weft_srq_fetch(srq, out->now);
		fetched = true;
		post = weft_srq_find(srq, ep, kind, src, tag, len);
		if (likely(post))
			weft_srq_taken(srq, ep, post, out);
		else if (likely(!ep->rx.lossy))
			weft_srq_wait(srq, ep, kind, out);
		if (unlikely(srq->nfresh))
			weft_srq_later(srq, out);
		weft_unlock(&srq->lock);
	} while (unlikely(post && !weft_srq_usable(ep, post, out)));
	return post ? &post->match : NULL;
}

/**
 * weft_srq_post_free - free a taken receive that is over
 * @ep: the endpoint, locked
 * @post: the receive
 * @out: output
 */
void weft_srq_post_free(struct weft_ep *ep, struct weft_post *post, struct weft_out *out)
{
	struct weft_srq *srq = post->srq;
	bool tell;

	weft_assert_held(&ep->lock);
	if (unlikely(post->flags & WEFT_POST_PART))
		weft_multi_part_end(ep, post, out);
	weft_list_del(&post->node);
	ep->rx.nheld--;
	weft_lock(&srq->lock);
	srq->nheld--;
	/* a reporter of releases continues by itself */
	tell = !post->told;
	if (unlikely(post->flags & WEFT_POST_PART))
		weft_multi_return(srq, post, out);
	else
		weft_list_add(&srq->post_free, &post->node);
	if (unlikely(srq->stalled))
		weft_srq_later(srq, out);
	tell = tell && !weft_list_empty(&srq->untold) && ep->state != WEFT_EPS_DEAD;
	weft_unlock(&srq->lock);
	if (unlikely(tell))
		weft_multi_tell(srq, ep, out);
}

/* ---- Serving endpoints ----------------------------------------------------------- */

/* Remove the endpoint from the waiting ones. The queue is locked. */
static void weft_srq_unwait(struct weft_srq *srq, struct weft_ep *ep, u8 kind)
{
	weft_assert_held(&srq->lock);
	if (!ep->rx.waits[kind])
		return;
	ep->rx.waits[kind] = false;
	weft_list_del(&ep->rx.wait[kind]);
	srq->nwaiting[kind]--;
}

static void weft_srq_pay(struct weft_srq_turn *turn, u32 steps)
{
	turn->left -= min(turn->left, steps);
}

/*
 * Lock an endpoint, and make its messages ready for a search. Changes of its address vector may
 * keep a worker busy; any other context stops and leaves the rest to the worker.
 */
static void weft_srq_enter(struct weft_ep *ep, struct weft_srq_turn *turn)
	__acquires(&ep->lock.spin)
{
	weft_lock(&ep->lock);
	while (ep->state != WEFT_EPS_DEAD && unlikely(!weft_recv_resolve(ep))) {
		if (!turn->worker) {
			turn->stopped = true;
			return;
		}
		weft_unlock(&ep->lock);
		weft_yield();
		weft_lock(&ep->lock);
	}
}

/*
 * Offer the receive in @hand to an endpoint. Return: true if it takes the receive or a part of it.
 */
static bool weft_srq_offer(struct weft_srq *srq, struct weft_ep *ep, struct weft_post *post,
			   struct weft_srq_turn *turn, struct weft_out *out)
{
	struct weft_mpost *p = &post->match;
	struct weft_post *got = NULL;
	struct weft_munexp *u = NULL;
	u32 from;

	weft_srq_enter(ep, turn);
	if (turn->stopped) {
		weft_unlock(&ep->lock);
		return false;
	}
	from = ep->rx.match.steps;
	weft_lock(&srq->lock);
	if (srq->hand == post) {
		if (!ep->broken)
			u = weft_recv_search(ep->core, &ep->rx.match, p);
		if (u && unlikely(p->stays)) {
			got = weft_multi_share(srq, post,
					       container_of(u, struct weft_rxm, rx.match)->len);
		} else if (u) {
			got = post;
			srq->hand = NULL;
		}
		if (got)
			weft_srq_taken(srq, ep, got, out);
		else if (weft_list_empty(&ep->rx.match.unexp[p->kind]))
			weft_srq_unwait(srq, ep, p->kind);
	}
	weft_unlock(&srq->lock);
	if (got && weft_srq_usable(ep, got, out)) {
		weft_match_unexp_del(&ep->rx.match, u);
		weft_recv_give(ep, container_of(u, struct weft_rxm, rx.match), got, out);
	}
	weft_srq_pay(turn, ep->rx.match.steps - from + WEFT_SRQ_OFFER);
	weft_unlock(&ep->lock);
	return got;
}

/*
 * Offer the receive in @hand to all waiting endpoints. The queue is locked at entry and at return.
 */
static void weft_srq_round(struct weft_srq *srq, struct weft_post *post,
			   struct weft_srq_turn *turn, struct weft_out *out)
	__must_hold(&srq->lock.spin)
{
	u8 kind = post->match.kind;
	u32 n = srq->nwaiting[kind];
	bool more = false;

	weft_assert_held(&srq->lock);
	turn->stopped = false;
	while (n-- && srq->hand == post && !srq->no_part && !turn->stopped) {
		struct weft_list *l = weft_list_first(&srq->waiting[kind]);
		struct weft_ep *ep;

		if (!l)
			break;
		if (!turn->left && !turn->worker) {
			turn->stopped = true;
			break;
		}
		ep = weft_entry(l, struct weft_ep, rx.wait[kind]);
		weft_list_del(l);
		weft_list_add_tail(&srq->waiting[kind], l);
		weft_ep_get(ep);
		weft_unlock(&srq->lock);
		more |= weft_srq_offer(srq, ep, post, turn, out);
		weft_ep_put(ep);
		if (turn->worker)
			weft_yield();
		weft_lock(&srq->lock);
	}
	if (srq->hand != post)
		return;
	srq->hand = NULL;
	if (srq->dead) {
		weft_list_add(&srq->post_free, &post->node);
	} else if (more || srq->no_part || turn->stopped) {
		/*
		 * it has space for more messages, or they wait for a part of it, or it may fit
		 * further endpoints: it is the first again
		 */
		weft_list_add(&srq->fresh, &post->node);
		srq->nfresh++;
	} else {
		weft_srq_post(srq, post);
	}
}

/*
 * Serve fresh receives. The queue is locked at entry and at return. Return: true if receives are
 * left that may be served.
 */
static bool weft_srq_serve(struct weft_srq *srq, struct weft_srq_turn *turn, struct weft_out *out)
{
	struct weft_list *l;

	weft_assert_held(&srq->lock);
	if (srq->serving) {
		srq->again = true;
		return false;
	}
	srq->serving = true;
	do {
		srq->again = false;
		weft_srq_fetch(srq, out->now);
		while (turn->left && !srq->no_part && (l = weft_list_first(&srq->fresh))) {
			weft_list_del(l);
			srq->nfresh--;
			srq->hand = weft_entry(l, struct weft_post, node);
			weft_srq_round(srq, srq->hand, turn, out);
			weft_srq_pay(turn, turn->stopped ? turn->left : WEFT_SRQ_RECEIVE);
		}
	} while (srq->again && turn->left && !srq->no_part);
	srq->serving = false;
	if (!srq->nwaiting[WEFT_UNTAGGED] && !srq->nwaiting[WEFT_TAGGED])
		weft_srq_st(srq, srq->st & ~WEFT_ST_RQ_NOTIFY);
	return (srq->nfresh || srq->again) && !srq->no_part && !srq->dead;
}

/* Have a worker serve. The queue is locked. */
static void weft_srq_defer(struct weft_srq *srq, struct weft_out *out)
{
	weft_assert_held(&srq->lock);
	if (srq->work.queued)
		return;
	srq->work.queued = true;
	weft_srq_get(srq);
	weft_list_add_tail(&out->deferred, &srq->work.node);
}

/**
 * weft_srq_flush - serve the queues on the out list
 * @out: output
 *
 * A refused receive makes one free for an entry in the ring, and its queue is put on the list
 * again. So all queues share one budget.
 */
void weft_srq_flush(struct weft_out *out)
{
	struct weft_srq_turn turn = { .left = WEFT_SRQ_STEPS };
	struct weft_list *l;

	while ((l = weft_list_first(&out->serve))) {
		struct weft_srq *srq = weft_entry(l, struct weft_srq, serve);

		weft_lock(&srq->lock);
		weft_list_del(l);
		srq->queued = false;
		if (weft_srq_serve(srq, &turn, out))
			weft_srq_defer(srq, out);
		weft_unlock(&srq->lock);
		weft_srq_put(srq);
	}
}

/**
 * weft_srq_work - a worker continues to serve
 * @srq: the queue, referenced by the work
 * @out: output
 *
 * Context: process context, may sleep.
 */
void weft_srq_work(struct weft_srq *srq, struct weft_out *out)
{
	struct weft_srq_turn turn = { .left = WEFT_SRQ_STEPS, .worker = true };

	weft_lock(&srq->lock);
	srq->work.queued = false;
	while (weft_srq_serve(srq, &turn, out)) {
		weft_unlock(&srq->lock);
		weft_flush(out);
		weft_yield();
		turn.left = WEFT_SRQ_STEPS;
		weft_lock(&srq->lock);
	}
	weft_unlock(&srq->lock);
	weft_srq_put(srq);
}

/* ---- Engines --------------------------------------------------------------------- */

/**
 * weft_srq_hot - an engine begins to poll the queue's doorbell
 * @srq: the queue
 *
 * The ring may already have entries: the caller calls weft_srq_notify().
 *
 * Context: any.
 * Return: true; false: the queue is dead or bad.
 */
bool weft_srq_hot(struct weft_srq *srq)
{
	bool works;

	weft_lock(&srq->lock);
	works = !srq->dead && !srq->bad;
	if (works) {
		srq->polled = true;
		weft_srq_show(srq);
	}
	weft_unlock(&srq->lock);
	return works;
}

/**
 * weft_srq_cool - an engine stops polling the queue's doorbell
 * @srq: the queue, hot
 *
 * Context: any.
 * Return: true if endpoints wait and the ring has entries: the caller calls weft_srq_notify().
 */
bool weft_srq_cool(struct weft_srq *srq)
{
	bool left = false;

	weft_lock(&srq->lock);
	srq->polled = false;
	weft_srq_show(srq);
	/*
	 * without waiting endpoints the next arrival reads the ring; a stalled ring continues by
	 * itself
	 */
	if (srq->st & WEFT_ST_RQ_NOTIFY && !srq->dead && !srq->bad && !srq->stalled) {
		/* barrier E: the flag before the doorbell */
		smp_mb();
		left = READ_ONCE(srq->conf.doorbell->rq_tail) != srq->ring.cons;
	}
	weft_unlock(&srq->lock);
	return left;
}

/* ---- End of endpoints ------------------------------------------------------------ */

/**
 * weft_srq_leave - remove a dying endpoint from the queue
 * @ep: the endpoint, locked, dead
 *
 * It keeps the receives that it holds until they are over.
 */
void weft_srq_leave(struct weft_ep *ep)
{
	struct weft_srq *srq = ep->rx.srq;
	u8 kind;

	weft_assert_held(&ep->lock);
	weft_lock(&srq->lock);
	for (kind = 0; kind < WEFT_KINDS; kind++)
		weft_srq_unwait(srq, ep, kind);
	srq->neps--;
	weft_unlock(&srq->lock);
	if (srq->conf.eq)
		weft_eq_purge(srq->conf.eq, ep->conf.handle);
}

/**
 * weft_srq_last - report the end of an endpoint's connection to the owner of the queue
 * @ep: the endpoint, locked
 * @out: output
 */
void weft_srq_last(struct weft_ep *ep, struct weft_out *out)
{
	weft_assert_held(&ep->lock);
	if (!ep->rx.srq->conf.eq || ep->state == WEFT_EPS_DEAD)
		return;
	ep->rx.ev_last.ev.type = WEFT_EV_SRQ_LAST;
	ep->rx.ev_last.ev.handle = ep->conf.handle;
	ep->rx.ev_last.ev.status = ep->broken;
	weft_eq_post(ep->rx.srq->conf.eq, &ep->rx.ev_last, out);
}
