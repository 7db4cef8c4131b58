// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - the fast path of short messages
 *
 * A message goes to the receive that is posted for it, or else, if none waits in front of it, to
 * the oldest receive in the ring, if that fits. A whole short message goes from where it stands
 * into the completion queue, and nothing is made in between: a receive that is still in the ring is
 * never posted, and there is no struct weft_post. Within the node the sender's entry is not decoded
 * either: both entries are looked at where they stand, each word once, and whatever is not the
 * frequent form takes the slow path (send.c, post.c), as if nothing had happened:
 *
 *	send ring --(weft_fast_send(): flow within the node)--\
 *	packet --(weft_fast_recv())-----------------------------> completion queue
 *	send ring --(weft_fast_out(): flow to another node)-----> the port's packet
 *
 * Words are read once and may be anything: they decide only where the program's own bytes go.
 *
 * Sends in a row that begin alike (kind, slots, flags but for MORE, receiver) are a run: all of it
 * is done while the receiver and its queue are locked once, and shown and told of at its end.
 *
 * Locks: ep->sq_mutex of the sender; path->lock of a flow to another node; ep->lock of the
 * receiver; its cq->lock.
 */
#include "core/messaging/messaging.h"
#include "core/queue/cq.h"
#include "core/transport/emit.h"

/**
 * union weft_lead - beginning of an entry, to be compared at once
 * @op: WEFT_SQ_SEND, _TSEND; WEFT_RQ_RECV, _TRECV
 * @nslots: slots
 * @flags: flags
 * @peer: index in the address vector; a receive's may be WEFT_SRC_ANY
 * @word: all of them
 */
union weft_lead {
	struct {
		u8 op;
		u8 nslots;
		u16 flags;
		u32 peer;
	};
	u64 word;
};

static inline union weft_lead weft_lead_of(const void *slot)
{
	union weft_lead l;

	BUILD_BUG_ON(sizeof(l) != offsetof(struct weft_rqe, context));
	BUILD_BUG_ON(sizeof(l) != offsetof(struct weft_sqe, context));
	BUILD_BUG_ON(offsetof(union weft_lead, peer) != offsetof(struct weft_rqe, src));
	BUILD_BUG_ON(offsetof(union weft_lead, peer) != offsetof(struct weft_sqe, dst));
	l.word = READ_ONCE(*(const u64 *)slot);
	return l;
}

/* ---- The receiver ---------------------------------------------------------------- */

/* Does the endpoint take messages from @src straight, as far as it is up to itself? */
static __always_inline bool weft_fast_open(const struct weft_ep *ep, u32 src)
{
	return likely(ep->rx_cq && !ep->srq && !ep->draining && weft_list_empty(&ep->turn)) &&
	       !weft_recv_strange(ep, src);
}

/* How receives begin that take messages from everybody. Two constants: nothing is put together. */
static __always_inline union weft_lead weft_fast_want(bool tagged)
{
	union weft_lead t = { {
		.op = WEFT_RQ_TRECV, .nslots = 1, .flags = WEFT_RQ_COMPLETION,
		.peer = WEFT_SRC_ANY,
	} }, u = { {
		.op = WEFT_RQ_RECV, .nslots = 1, .flags = WEFT_RQ_COMPLETION,
		.peer = WEFT_SRC_ANY,
	} };

	t.word = tagged ? t.word : u.word;
	return t;
}

/* Is it a receive of one segment that begins like @want, for a message with that tag from @src? */
static __always_inline bool weft_fast_fits(const struct weft_ep *ep, const struct weft_rqe *s,
					   union weft_lead want, u64 tag, u32 src)
{
	union weft_lead l = weft_lead_of(s);
	u64 differ = READ_ONCE(s->tag) ^ tag, ignore = READ_ONCE(s->ignore);

	if (unlikely(l.word != want.word)) {
		if (l.peer != src || ep->conf.type == WEFT_EP_MSG)
			return false;
		want.peer = src;
		if (l.word != want.word)
			return false;
	}
	if (unlikely(differ | ignore) && (want.op != WEFT_RQ_TRECV || differ & ~ignore))
		return false;
	return !((READ_ONCE(s->niov) ^ 1) | READ_ONCE(s->part) | READ_ONCE(s->rsvd2));
}

/* The oldest receive in the ring takes the message of @c. Return: it does. */
static __always_inline bool weft_fast_ring(struct weft_ep *ep, struct weft_cqe *c,
					   union weft_lead want, u64 tag, u32 len, u32 src)
{
	struct weft_ring *r = &ep->rq;
	const struct weft_rqe *s;
	u64 addr, room;

	if (ep->match.nunexp | ep->ncut)
		return false;
	if (r->cons == r->prod &&
	    weft_ring_look(r, &ep->conf.doorbell->rq_tail) != WEFT_RING_OK)
		return false;
	s = weft_ring_at(r, r->cons);
	c->context = READ_ONCE(s->context);
	addr = READ_ONCE(s->addr);
	room = READ_ONCE(s->len);
	c->buf = addr;
	if (unlikely(len > room || addr + room < addr) || !weft_fast_fits(ep, s, want, tag, src))
		return false;
	weft_trace_post(ep->conf.handle, c->context, tag, room, 256 + want.op);
	weft_ring_next(r, 1);
	return true;
}

/*
 * A posted receive takes the message of @c, if there is one for it. Return: the receive, to be
 * freed; NULL: there is none; ERR_PTR(-EAGAIN): there is, but not for this way.
 */
static noinline struct weft_post *weft_fast_post(struct weft_ep *ep, struct weft_cqe *c,
						 u16 flags, u64 tag, u32 len, u32 src)
{
	u32 kind = flags & WEFT_CQE_TAGGED ? WEFT_TAGGED : WEFT_UNTAGGED;
	struct weft_mpost *p = weft_match_posted(&ep->match, kind, src, tag);
	struct weft_post *post;

	if (!p)
		return NULL;
	post = container_of(p, struct weft_post, match);
	/* what stands in the ring may cancel it */
	if (weft_ring_look(&ep->rq, &ep->conf.doorbell->rq_tail) != WEFT_RING_EMPTY ||
	    post->flags != WEFT_RQ_COMPLETION || post->vec.n != 1 || post->match.stays ||
	    len > post->vec.len)
		return ERR_PTR(-EAGAIN);
	c->context = post->context;
	c->buf = post->vec.seg[0].addr;
	weft_match_post_del(&ep->match, p);
	return post;
}

/*
 * One message, under the locks of the receiver and its queue, where nothing waits. @want:
 * weft_fast_want(); @flags: WEFT_CQE_*; @data: 0 when they do not tell of any. The slot of the
 * entry is the place for all that is known; nobody looks at it as long as it is not published.
 * Return: the message is there; @post: the receive to be freed, NULL: it was in the ring.
 */
static __always_inline bool weft_fast_in(struct weft_ep *ep, struct weft_cq *cq,
					 union weft_lead want, u64 tag, u64 data, u32 len,
					 u32 src, u16 flags, const void *pay,
					 struct weft_post **post)
{
	struct weft_cqe *c;

	if (unlikely(!weft_cq_space(cq, weft_cq_slots(len)) || cq->bad))
		return false;
	c = weft_cq_slot(cq);
	if (unlikely(ep->match.nposts)) {
		*post = weft_fast_post(ep, c, flags, tag, len, src);
		if (IS_ERR(*post)) {
			*post = NULL;
			return false;
		}
	}
	if (likely(!*post) && !weft_fast_ring(ep, c, want, tag, len, src))
		return false;
	weft_trace_match(ep->conf.handle, c->context, tag, len, 0);
	weft_trace_complete((u16)ep->conf.handle, c->context, tag, len, 0);
	c->tag = tag;
	c->data = data;
	c->len = len;
	c->src = src;
	c->ep = (u16)ep->conf.handle;
	c->olen = 0;
	c->status = 0;
	c->flags = flags | WEFT_CQE_INLINE;
	if (unlikely(!len)) {
		c->flags = flags;
		c->buf = 0;
	}
	weft_cq_put_entry(cq, c, pay, len);
	return true;
}

/* @n messages are in the queue, which is not locked any more. */
static __always_inline void weft_fast_got(struct weft_ep *ep, struct weft_post *post, u32 n,
					  struct weft_out *out)
{
	weft_ring_publish(&ep->rq, &ep->conf.status->rq_head);
	if (unlikely(ep->rx_cntr))
		while (n--)
			weft_cq_count(ep->rx_cntr, false, out);
	if (unlikely(post))
		weft_post_free(ep, post, out);
}

/**
 * weft_fast_recv - offer a whole short message to its receive
 * @ep: the endpoint, locked; it takes messages
 * @h: the message
 * @src: its sender
 * @pay: its bytes, at most WEFT_INLINE_MAX
 * @out: output
 *
 * Return: it has been received; false: nothing has happened.
 */
bool weft_fast_recv(struct weft_ep *ep, const struct weft_head *h, u32 src, const void *pay,
		    struct weft_out *out)
{
	struct weft_cq *cq = ep->rx_cq;
	struct weft_post *post = NULL;
	bool done;

	weft_assert_held(&ep->lock);
	if (unlikely(!ep->core->conf.fast) || !weft_fast_open(ep, src))
		return false;
	weft_lock_inner(&cq->lock);
	done = likely(weft_list_empty(&cq->waiting)) &&
	       weft_fast_in(ep, cq, weft_fast_want(h->flags & WEFT_MSG_TAGGED), h->tag,
			    h->flags & WEFT_MSG_DATA ? h->data : 0, (u32)h->len, src,
			    weft_recv_flags(h->flags), pay, &post);
	if (likely(done)) {
		weft_cq_show(cq);
		weft_cq_wake(cq, out);
	}
	weft_unlock_inner(&cq->lock);
	if (likely(done))
		weft_fast_got(ep, post, 1, out);
	return done;
}

/* ---- The sender ------------------------------------------------------------------ */

/*
 * The flow of whatever the endpoint sends to @dst, if it is as it was and ends on this node
 * (@near), or on another.
 */
static __always_inline struct weft_flow *weft_fast_flow(const struct weft_ep *ep, u32 dst,
							bool near)
{
	struct weft_flow *flow = ep->recent;

	if (unlikely(!flow || !flow->lep == near || READ_ONCE(flow->dead) ||
		     dst != ep->recent_dst))
		return NULL;
	if (likely(ep->conf.type == WEFT_EP_RDM))
		return ep->recent_gen == weft_av_gen(ep->av) ? flow : NULL;
	return READ_ONCE(ep->state) == WEFT_EPS_CONNECTED ? flow : NULL;
}

/* What a send may have, or not, to go this way */
#define WEFT_FAST_FLAGS	(WEFT_SQ_DATA | WEFT_SQ_COMPLETION | WEFT_SQ_MORE | WEFT_SQ_SOLICITED)

/* Are sends that begin so short ones? What else they have is looked at one by one. */
static __always_inline bool weft_fast_kind(union weft_lead l)
{
	return (l.flags & ~WEFT_FAST_FLAGS) == (l.nslots > 1 ? WEFT_SQ_INLINE : 0) &&
	       (l.op == WEFT_SQ_TSEND || l.op == WEFT_SQ_SEND);
}

/* Do two sends belong to one run? */
static __always_inline bool weft_fast_alike(union weft_lead a, union weft_lead b)
{
	union weft_lead more = { { .flags = WEFT_SQ_MORE } };

	return !((a.word ^ b.word) & ~more.word);
}

/* Is the send at @s as weft_ring_sq() would take it, in a run that begins as @l says? */
static __always_inline bool weft_fast_packet(const struct weft_ring *r, const struct weft_sqe *s,
					     union weft_lead l, u64 len, u64 tag, u64 data)
{
	if (len > WEFT_INLINE_MAX || weft_cq_slots((u32)len) != l.nslots ||
	    l.nslots > r->prod - r->cons)
		return false;
	if (unlikely(data) && !(l.flags & WEFT_SQ_DATA))
		return false;
	if (unlikely(tag) && l.op == WEFT_SQ_SEND)
		return false;
	if (READ_ONCE(s->addr) | READ_ONCE(s->niov) | READ_ONCE(s->rsvd) | READ_ONCE(s->rsvd2))
		return false;
	/* its payload does not begin anew at the ring's end */
	return ((r->cons + 1) & (r->size - 1)) + l.nslots - 1 <= r->size;
}

/* The send at @s is told of the slow path. There is a struct weft_txm for each of a run. */
static void weft_fast_tell(struct weft_ep *ep, const struct weft_sqe *s, union weft_lead l,
			   struct weft_out *out)
{
	struct weft_sq_entry *e = &ep->entry;

	if (!ep->hand && !weft_send_hand(ep)) {
		WARN_ON_ONCE(1);
		return;
	}
	e->context = READ_ONCE(s->context);
	e->tag = READ_ONCE(s->tag);
	e->len = READ_ONCE(s->len);
	e->tagged = l.op == WEFT_SQ_TSEND;
	e->flags = l.flags;
	e->err = 0;
	weft_send_cqe(ep, e, out);
}

/*
 * Tell the program of the last @n sends, a run that begins as @l says. It is told what stands in
 * the ring, even if it has changed that meanwhile. Softirqs are off.
 */
static noinline void weft_fast_sent(struct weft_ep *ep, union weft_lead l, u32 n,
				    struct weft_out *out)
{
	u32 at = ep->sq.cons - n * l.nslots, told = 0;
	struct weft_cq *cq = ep->tx_cq;
	const struct weft_sqe *s;
	struct weft_cqe *c;

	if (cq && likely(!ep->tx_cntr)) {
		weft_lock_inner(&cq->lock);
		for (; told < n; told++, at += l.nslots) {
			if (!weft_list_empty(&cq->waiting) || !weft_cq_space(cq, 1) || cq->bad)
				break;
			s = weft_ring_at(&ep->sq, at);
			c = weft_cq_slot(cq);
			weft_send_fill(c, ep, READ_ONCE(s->context), READ_ONCE(s->tag),
				       READ_ONCE(s->len), l.op == WEFT_SQ_TSEND, 0);
			weft_trace_complete(c->ep, c->context, c->tag, c->len, 0);
			weft_cq_put_entry(cq, c, NULL, 0);
		}
		if (likely(told)) {
			weft_cq_show(cq);
			weft_cq_wake(cq, out);
		}
		weft_unlock_inner(&cq->lock);
	}
	for (; unlikely(told < n); told++, at += l.nslots)
		weft_fast_tell(ep, weft_ring_at(&ep->sq, at), l, out);
}

/* The next run of sends, up to @most. @out: output. Return: how many have been sent. */
static __always_inline u32 weft_fast_run(struct weft_ep *ep, u32 most, struct weft_out *out)
{
	const struct weft_sqe *s = weft_ring_at(&ep->sq, ep->sq.cons);
	union weft_lead l = weft_lead_of(s), want;
	struct weft_flow *flow = weft_fast_flow(ep, l.peer, true);
	struct weft_core *core = ep->core;
	struct weft_post *post = NULL;
	struct weft_ep *lep;
	struct weft_cq *cq;
	u32 src, n = 0;
	u16 flags;

	if (unlikely(!flow) || !weft_fast_kind(l))
		return 0;
	/* each completion may need a struct weft_txm to wait in; nobody else takes them */
	if (l.flags & WEFT_SQ_COMPLETION)
		most = min(most, ep->conf.sq_slots - READ_ONCE(ep->ntxm));
	want = weft_fast_want(l.op == WEFT_SQ_TSEND);
	flags = (l.op == WEFT_SQ_TSEND ? WEFT_CQE_TAGGED : 0) |
		(l.flags & WEFT_SQ_DATA ? WEFT_CQE_DATA : 0) |
		(l.flags & WEFT_SQ_SOLICITED ? WEFT_CQE_SOLICITED : 0);
	lep = flow->lep;
	weft_lock_inner(&lep->lock);
	if (unlikely(weft_local_refused(lep)))
		goto out;
	src = weft_local_src(flow);
	if (!weft_fast_open(lep, src))
		goto out;
	cq = lep->rx_cq;
	weft_lock_inner(&cq->lock);
	if (unlikely(!weft_list_empty(&cq->waiting)))
		goto full;
	do {
		u64 len = READ_ONCE(s->len), tag = READ_ONCE(s->tag), data = READ_ONCE(s->data);

		if (!weft_fast_packet(&ep->sq, s, l, len, tag, data) ||
		    !weft_fast_in(lep, cq, want, tag, data, (u32)len, src, flags,
				  weft_ring_at(&ep->sq, ep->sq.cons + 1), &post))
			break;
		weft_trace_post(ep->conf.handle, READ_ONCE(s->context), tag, len, l.op);
		weft_ring_next(&ep->sq, l.nslots);
		/* to free a posted receive takes the queue's lock */
		if (++n == most || unlikely(post) || ep->sq.cons == ep->sq.prod)
			break;
		s = weft_ring_at(&ep->sq, ep->sq.cons);
	} while (weft_fast_alike(weft_lead_of(s), l));
	if (likely(n)) {
		weft_cq_show(cq);
		weft_cq_wake(cq, out);
	}
full:
	weft_unlock_inner(&cq->lock);
	if (likely(n))
		weft_fast_got(lep, post, n, out);
out:
	weft_unlock_inner(&lep->lock);
	if (unlikely(!n))
		return 0;
	weft_count_add(core, msgs_sent, n);
	weft_count_add(core, msgs_local, n);
	weft_count_add(core, msgs_received, n);
	if (l.flags & WEFT_SQ_COMPLETION || unlikely(ep->tx_cntr))
		weft_fast_sent(ep, l, n, out);
	return n;
}

/**
 * weft_fast_send - send the entry at the consumer index of the send ring
 * @ep: the endpoint; ep->sq_mutex is held, ep->hand is there, ep->near is set
 * @out: output
 *
 * There is an entry; softirqs are off. Return: it is done, and the ring is one entry further;
 * false: nothing has happened.
 */
bool weft_fast_send(struct weft_ep *ep, struct weft_out *out)
{
	return weft_fast_run(ep, 1, out);
}

/* Described in core.h. */
bool weft_ep_fast(struct weft_ep *ep, struct weft_out *out)
{
	const u32 *bell = &ep->conf.doorbell->sq_tail;
	bool empty = false;
	u32 n = 0, run;

	if (!READ_ONCE(ep->near))
		return false;
	weft_mutex_lock(&ep->sq_mutex);
	/* once for all locks */
	weft_softirqs_off();
	if (unlikely(!ep->near || READ_ONCE(ep->state) >= WEFT_EPS_ERROR ||
		     weft_ring_look(&ep->sq, bell) != WEFT_RING_OK))
		goto out;
	do {
		if (unlikely(!ep->hand) && !weft_send_hand(ep))
			break;
		run = weft_fast_run(ep, WEFT_FAST_RUN - n, out);
		n += run;
		empty = ep->sq.cons == ep->sq.prod;
	} while (run && !empty && n < WEFT_FAST_RUN);
	if (likely(n))
		weft_send_publish(ep);
out:
	weft_softirqs_on();
	weft_mutex_unlock(&ep->sq_mutex);
	if (unlikely(!weft_list_empty(&out->wake) || !weft_list_empty(&out->deferred)))
		weft_flush(out);
	return empty;
}

/* ---- To another node ------------------------------------------------------------- */

/*
 * A message of @len bytes may leave now, alone in its packet, as weft_send_fast() and
 * weft_path_output() would have it; the flow's path is locked.
 */
static __always_inline bool weft_fast_may(const struct weft_path *path,
					  const struct weft_lane *lane,
					  const struct weft_flow *flow, u32 len, u32 size)
{
	return likely(path->state == WEFT_PATHS_UP && !path->failing && !flow->dead &&
		      lane->flight < lane->cwnd && weft_lane_numbers(lane) &&
		      weft_fastpkt_alone(path, lane, size) && weft_credit_begins(flow) &&
		      weft_credit_eager(flow, len) &&
		      path->nsent < READ_ONCE(path->core->conf.rec_max));
}

/* Put a short message out, written where the port sends it from. As weft_fastpkt_tx(). */
static __always_inline bool weft_fast_put(struct weft_path *path, struct weft_lane *lane,
					  struct weft_flow *flow, const struct weft_head *h,
					  const void *pay, u32 size, struct weft_out *out)
{
	struct weft_rec *rec = weft_rec_kept(path);

	if (unlikely(!rec))
		return false;
	out->resv.len = WEFT_WIRE_HDR + size;
	out->resv.lane = lane->no;
	if (unlikely(!weft_env_tx_resv(path->core, path, &out->resv))) {
		weft_rec_keep(path, rec);
		return false;
	}
	weft_rec_begin(rec);
	weft_fastpkt_fill(rec, flow, h, pay, size);
	weft_lane_number(path, lane, rec, out->now);
	out->resv.psn = rec->psn;
	weft_frame_write(path, lane, rec, out->resv.data, out->now);
	return true;
}

/*
 * The send at @s, which begins as @l says, leaves on its own. Softirqs are off. Return: it does.
 */
static __always_inline bool weft_fast_leave(struct weft_ep *ep, struct weft_flow *flow,
					    const struct weft_sqe *s, union weft_lead l,
					    struct weft_out *out)
{
	u64 len = READ_ONCE(s->len), tag = READ_ONCE(s->tag), data = READ_ONCE(s->data);
	u32 size = weft_wire_size(sizeof(struct weft_w_eager) + (u32)len);
	struct weft_path *path = flow->path;
	struct weft_lane *lane = &path->lane[flow->lane];
	struct weft_core *core = path->core;
	struct weft_head h weft_unset;	/* weft_send_head() sets all of it */
	bool done = false;

	if (unlikely(!weft_fast_packet(&ep->sq, s, l, len, tag, data)))
		return false;
	/* found once, not each time from its number */
	OPTIMIZER_HIDE_VAR(lane);
	weft_lock_inner(&path->lock);
	if (weft_fast_may(path, lane, flow, (u32)len, size)) {
		weft_send_head(&h, flow, flow->id.mseq + 1, tag, data, len, l.op == WEFT_SQ_TSEND,
			       l.flags);
		done = weft_fast_put(path, lane, flow, &h,
				     weft_ring_at(&ep->sq, ep->sq.cons + 1), size, out);
	}
	if (likely(done)) {
		flow->id.mseq++;
		weft_credit_use(flow, (u32)len);
	}
	weft_unlock_inner(&path->lock);
	if (likely(done)) {
		weft_env_send(core, path, &out->resv);
		weft_count(core, msgs_sent);
		weft_count(core, msgs_eager);
		weft_count(core, tx_packets);
		weft_count_add(core, tx_bytes, out->resv.len);
		weft_trace_post(ep->conf.handle, READ_ONCE(s->context), tag, len, l.op);
	}
	return done;
}

/**
 * weft_fast_out - send the only entry in the send ring, if it is a short message to another node
 * @ep: the endpoint; ep->sq_mutex is held
 * @out: output; out->now is set; to be flushed
 *
 * As weft_send_drain() would do it: the packet is the same, and so is what it leaves behind.
 * Return: it is done, and the ring is empty; false: nothing has happened.
 */
bool weft_fast_out(struct weft_ep *ep, struct weft_out *out)
{
	const struct weft_sqe *s;
	struct weft_flow *flow;
	union weft_lead l;
	bool done;

	if (!ep->far || !ep->hand || ep->unsent ||
	    weft_ring_look(&ep->sq, &ep->conf.doorbell->sq_tail) != WEFT_RING_OK)
		return false;
	s = weft_ring_at(&ep->sq, ep->sq.cons);
	l = weft_lead_of(s);
	flow = weft_fast_flow(ep, l.peer, false);
	if (!flow || !weft_fast_kind(l) || ep->sq.cons + l.nslots != ep->sq.prod)
		return false;
	/* once for all locks: the path's, the port's, and that of the completions */
	weft_softirqs_off();
	done = weft_fast_leave(ep, flow, s, l, out);
	if (likely(done)) {
		weft_ring_next(&ep->sq, l.nslots);
		if (l.flags & WEFT_SQ_COMPLETION || unlikely(ep->tx_cntr))
			weft_fast_sent(ep, l, 1, out);
		weft_send_publish(ep);
	}
	weft_softirqs_on();
	return done;
}
