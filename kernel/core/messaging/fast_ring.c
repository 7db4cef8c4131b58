// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - the fast path of messages
 *
 * A message matches the oldest posted receive for it. Without one it matches the oldest receive in
 * the ring, if that fits. A whole short message is copied from its place into the completion queue,
 * and a longer one into the memory of its receive (fast_long.c). No object is made. A receive that
 * is still in the ring is never posted, so it has no struct weft_post. Within the node the sender's
 * entry is not decoded either. Both entries are read in place, each word once. An entry of another
 * form than the frequent one takes the slow path (send.c, post.c), with no effect left behind:
 *
 *	send ring --(weft_fast_send(): flow within the node)--\
 *	packets --(weft_fast_recv())----------------------------> completion queue, or receive
 *	send ring --(weft_fast_out(): flow to another node)-----> the port's packet
 *	          \-(weft_fast_row(): several in a row, fast_row.c)--> open packet
 *
 * Words are read once and may have any value: they decide only the destination of the program's own
 * bytes.
 *
 * A run is a row of sends with the same kind, slots, receiver and flags (except MORE). The receiver
 * and its queue are locked once for a run. The completions are published and the wake-up is made at
 * its end.
 *
 * Locks: ep->sq_mutex of the sender; path->lock of a flow to another node; ep->lock of the
 * receiver; the receiver's cq->lock. See Documentation/locking.rst.
 */
#include "core/messaging/fast.h"
#include "core/transport/emit.h"

/* ---- The receiver ---------------------------------------------------------------- */

/**
 * weft_fast_post - find a posted receive for a message
 * @ep: the endpoint, locked
 * @flags: WEFT_CQE_*
 * @tag: tag
 * @len: bytes
 * @src: sender
 *
 * Return: the receive, still in the matching; NULL: none matches; ERR_PTR(-EAGAIN): one matches,
 * but needs the slow path.
 */
struct weft_post *weft_fast_post(struct weft_ep *ep, u16 flags, u64 tag, u32 len, u32 src)
{
	u32 kind = flags & WEFT_CQE_TAGGED ? WEFT_TAGGED : WEFT_UNTAGGED;
	struct weft_mpost *p = weft_match_posted(&ep->rx.match, kind, src, tag);
	struct weft_post *post;

	weft_assert_held(&ep->lock);
	if (!p)
		return NULL;
	post = container_of(p, struct weft_post, match);
	/* an entry in the ring may cancel it */
	if (weft_ring_look(&ep->rx.ring, &ep->conf.doorbell->rq_tail) != WEFT_RING_EMPTY ||
	    post->flags != WEFT_RQ_COMPLETION || post->vec.n != 1 || post->match.stays ||
	    len > post->vec.len)
		return ERR_PTR(-EAGAIN);
	return post;
}

/*
 * Deliver one message. The receiver and its queue are locked, and no completion waits. @want:
 * weft_fast_want(); @flags: WEFT_CQE_*; @data: 0 without WEFT_CQE_DATA. The slot of the completion
 * serves as scratch memory: the program does not read it before it is published. Return: true if
 * the message is delivered. @post: the receive to be freed, NULL: it was in the ring.
 */
static __always_inline bool weft_fast_in(struct weft_ep *ep, struct weft_cq *cq,
					 union weft_lead want, u64 tag, u64 data, u32 len,
					 u32 src, u16 flags, const void *pay,
					 struct weft_post **post)
{
	struct weft_cqe *c;
	u64 buf;

	weft_assert_held(&ep->lock);
	weft_assert_held(&cq->lock);
	if (unlikely(!weft_cq_space(cq, weft_cq_slots(len)) || cq->bad))
		return false;
	c = weft_cq_slot(cq);
	if (!weft_fast_find(ep, c, want, tag, len, src, flags, post, &buf))
		return false;
	weft_fast_fill(c, ep, tag, data, len, src, flags | WEFT_CQE_INLINE, false);
	c->buf = buf;
	if (unlikely(!len)) {
		c->flags = flags;
		c->buf = 0;
	}
	weft_cq_put_entry(cq, c, pay, len);
	weft_fast_take(ep, *post);
	return true;
}

/* Deliver a message from packets, longer than those of weft_fast_in(). Otherwise the same. */
static noinline bool weft_fast_pieces(struct weft_ep *ep, struct weft_cq *cq, union weft_lead want,
				      const struct weft_head *h, u32 src, const void *pay,
				      u32 piece, u32 skip, struct weft_post **post)
{
	const struct weft_fast_msg m = {
		.want = want, .tag = h->tag,
		.data = h->flags & WEFT_MSG_DATA ? h->data : 0,
		.len = (u32)h->len, .src = src, .flags = weft_recv_flags(h->flags),
		.pay = pay, .piece = piece, .skip = skip,
	};

	return weft_fast_long(ep, cq, &m, NULL, post);
}

/**
 * weft_fast_recv - offer a whole message to its receive
 * @ep: the endpoint, locked; it takes messages
 * @h: the message
 * @src: its sender
 * @pay: its bytes, at most WEFT_FAST_BYTES
 * @piece: bytes of a contiguous piece of them; at most WEFT_SPARE_MAX bytes are one piece
 * @skip: bytes between two pieces
 * @out: output
 *
 * Return: true if it has been received; false: nothing has changed.
 */
bool weft_fast_recv(struct weft_ep *ep, const struct weft_head *h, u32 src, const void *pay,
		    u32 piece, u32 skip, struct weft_out *out)
{
	union weft_lead want = weft_fast_want(h->flags & WEFT_MSG_TAGGED);
	u64 data = h->flags & WEFT_MSG_DATA ? h->data : 0;
	u16 flags = weft_recv_flags(h->flags);
	struct weft_cq *cq = ep->rx_cq;
	struct weft_post *post = NULL;
	bool done;

	weft_assert_held(&ep->lock);
	if (unlikely(!READ_ONCE(ep->core->fast)) || !weft_fast_open(ep, src))
		return false;
	weft_lock_inner(&cq->lock);
	done = likely(weft_list_empty(&cq->waiting)) &&
	       (likely(h->len <= min_t(u32, piece, WEFT_SPARE_MAX)) ?
			weft_fast_in(ep, cq, want, h->tag, data, (u32)h->len, src, flags, pay,
				     &post) :
			weft_fast_pieces(ep, cq, want, h, src, pay, piece, skip, &post));
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

/* Complete the send at @s through the slow path. Each send of a run has a struct weft_txm. */
static void weft_fast_tell(struct weft_ep *ep, const struct weft_sqe *s, union weft_lead l,
			   struct weft_out *out)
{
	struct weft_sq_entry *e = &ep->tx.entry;

	if (!ep->tx.hand && !weft_send_hand(ep)) {
		WARN_ON_ONCE(1);
		return;
	}
	e->context = READ_ONCE(s->context);
	e->tag = READ_ONCE(s->tag);
	e->len = READ_ONCE(s->len);
	e->op = l.op;
	e->flags = l.flags;
	e->err = 0;
	weft_send_cqe(ep, e, out);
}

/**
 * weft_fast_sent - complete sends that the fast path has taken from the ring
 * @ep: the endpoint; ep->sq_mutex is held
 * @l: their first word
 * @n: number of sends, the last ones before the consumer index
 * @out: output
 *
 * The completions take the words from the ring, even if the program has changed them meanwhile.
 * Context: softirqs are off.
 */
void weft_fast_sent(struct weft_ep *ep, union weft_lead l, u32 n, struct weft_out *out)
{
	u32 at = ep->tx.ring.cons - n * l.nslots, told = 0;
	struct weft_cq *cq = ep->tx_cq;
	const struct weft_sqe *s;
	struct weft_cqe *c;

	if (cq && likely(!ep->tx_cntr)) {
		weft_lock_inner(&cq->lock);
		for (; told < n; told++, at += l.nslots) {
			if (!weft_list_empty(&cq->waiting) || !weft_cq_space(cq, 1) || cq->bad)
				break;
			s = weft_ring_at(&ep->tx.ring, at);
			c = weft_cq_slot(cq);
			weft_send_fill(c, ep, READ_ONCE(s->context), READ_ONCE(s->tag),
				       READ_ONCE(s->len),
				       l.op == WEFT_SQ_TSEND ? WEFT_SQ_TSEND : WEFT_SQ_SEND, 0);
			weft_trace_complete(ep, c->context, c->tag, c->len, c->flags, 0);
			weft_cq_put_entry(cq, c, NULL, 0);
		}
		if (likely(told)) {
			weft_cq_show(cq);
			weft_cq_wake(cq, out);
		}
		weft_unlock_inner(&cq->lock);
	}
	for (; unlikely(told < n); told++, at += l.nslots)
		weft_fast_tell(ep, weft_ring_at(&ep->tx.ring, at), l, out);
}

/*
 * Deliver the send at @s, of @len bytes that are not in the ring, to @lep. Otherwise as
 * weft_fast_in().
 */
static noinline bool weft_fast_apart(struct weft_ep *ep, const struct weft_sqe *s,
				     union weft_lead l, struct weft_ep *lep, u64 len, u64 tag,
				     u64 data, u32 src, u16 flags, struct weft_post **post)
{
	const struct weft_fast_msg m = {
		.want = weft_fast_want(l.op == WEFT_SQ_TSEND), .tag = tag, .data = data,
		.len = (u32)len, .src = src, .flags = flags,
		.from = ep->conf.mc, .addr = READ_ONCE(s->addr),
	};

	if (!weft_fast_segment(s, l, tag, data))
		return false;
	return weft_fast_long(lep, lep->rx_cq, &m, ep->tx.scratch, post);
}

/*
 * Send the next run of sends, at most @most. @bytes: bytes that may be moved, less those moved that
 * were not in the ring. @out: output. Return: number of sends done.
 */
static __always_inline u32 weft_fast_run(struct weft_ep *ep, u32 most, u32 *bytes,
					 struct weft_out *out)
{
	const struct weft_sqe *s = weft_ring_at(&ep->tx.ring, ep->tx.ring.cons);
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
	/*
	 * each completion may need a struct weft_txm to wait in; no other code takes them meanwhile
	 */
	if (l.flags & WEFT_SQ_COMPLETION)
		most = min(most, ep->tx.ntxms - READ_ONCE(ep->tx.ntxm));
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

		if (l.nslots == 1 && len) {
			if (len > *bytes ||
			    !weft_fast_apart(ep, s, l, lep, len, tag, data, src, flags, &post))
				break;
			*bytes -= len;
		} else if (!weft_fast_packet(&ep->tx.ring, s, l, len, tag, data) ||
			   !weft_fast_in(lep, cq, want, tag, data, (u32)len, src, flags,
					 weft_ring_at(&ep->tx.ring, ep->tx.ring.cons + 1),
					 &post)) {
			break;
		}
		weft_ep_sends(ep, READ_ONCE(s->context), l.peer, tag, len, l.op);
		weft_local_arrives(flow, tag, len);
		weft_ring_next(&ep->tx.ring, l.nslots);
		/* freeing a posted receive takes the queue's lock */
		if (++n == most || unlikely(post) || ep->tx.ring.cons == ep->tx.ring.prod)
			break;
		s = weft_ring_at(&ep->tx.ring, ep->tx.ring.cons);
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
 * @ep: the endpoint; ep->sq_mutex is held, ep->tx.hand and READ_ONCE(ep->flow.near) are set
 * @out: output
 *
 * The ring has an entry.
 * Context: softirqs are off.
 * Return: true if the send is done and the ring is one entry further; false: nothing has changed.
 */
bool weft_fast_send(struct weft_ep *ep, struct weft_out *out)
{
	u32 bytes = WEFT_FAST_BYTES;

	weft_mutex_assert_held(&ep->sq_mutex);
	return weft_fast_run(ep, 1, &bytes, out);
}

/*
 * Execute the one-sided operation at the consumer index, on this node. May sleep. Return: true if
 * it is executed and completed; false: nothing has changed.
 */
static bool weft_fast_execute(struct weft_ep *ep, struct weft_out *out)
{
	struct weft_sq_entry *e = &ep->tx.entry;
	struct weft_ring *r = &ep->tx.ring;
	struct weft_flow *flow;
	int err;

	if (weft_ring_sq(r, ep->conf.type == WEFT_EP_MSG, e) != WEFT_RING_OK ||
	    !weft_sq_is_rma(e->op))
		return false;
	flow = weft_fast_flow(ep, e->dst, true);
	if (unlikely(!flow))
		return false;
	err = weft_rma_near(ep, flow, e, out);
	if (err == -EAGAIN)
		return false;
	weft_count(ep->core, msgs_sent);
	weft_ep_sends(ep, e->context, e->dst, e->tag, e->len, e->op);
	if (unlikely(err)) {
		e->err = -err;
		weft_send_cqe(ep, e, out);
	}
	weft_ring_next(r, e->nslots);
	return true;
}

/* Execute one-sided operations in a row, on this node. May sleep. Return: number of operations. */
static noinline u32 weft_fast_near(struct weft_ep *ep, struct weft_out *out)
{
	u32 n = 0;

	while (n < WEFT_FAST_RUN && (ep->tx.hand || weft_send_hand(ep)) &&
	       weft_fast_execute(ep, out))
		n++;
	return n;
}

/* Send messages in a row, on this node. Return: number of messages. */
static __always_inline u32 weft_fast_messages(struct weft_ep *ep, struct weft_out *out)
{
	u32 n = 0, run, bytes = WEFT_FAST_BYTES;

	/* once for all locks */
	weft_softirqs_off();
	do {
		if (unlikely(!ep->tx.hand) && !weft_send_hand(ep))
			break;
		run = weft_fast_run(ep, WEFT_FAST_RUN - n, &bytes, out);
		n += run;
	} while (run && ep->tx.ring.cons != ep->tx.ring.prod && n < WEFT_FAST_RUN);
	weft_softirqs_on();
	return n;
}

/* calls.h has the description. */
bool weft_ep_fast(struct weft_ep *ep, struct weft_out *out)
{
	struct weft_ring *r = &ep->tx.ring;
	bool empty = false;
	u32 n;

	if (!READ_ONCE(ep->flow.near))
		return false;
	weft_mutex_lock(&ep->sq_mutex);
	if (unlikely(!READ_ONCE(ep->flow.near) || READ_ONCE(ep->state) >= WEFT_EPS_ERROR ||
		     weft_ring_look(r, &ep->conf.doorbell->sq_tail) != WEFT_RING_OK))
		goto out;
	if (unlikely(weft_sq_is_rma(weft_lead_of(weft_ring_at(r, r->cons)).op)))
		n = weft_fast_near(ep, out);
	else
		n = weft_fast_messages(ep, out);
	empty = r->cons == r->prod;
	/* its next entry has just been refused */
	ep->tx.slow = !empty && n < WEFT_FAST_RUN;
	if (likely(n))
		weft_send_publish(ep);
out:
	weft_mutex_unlock(&ep->sq_mutex);
	/* a receive that became free may have had the receiver's ring drained */
	if (unlikely(!weft_list_empty(&out->wake) || !weft_list_empty(&out->deferred) ||
		     !weft_list_empty(&out->start) || !weft_list_empty(&out->serve)))
		weft_flush(out);
	return empty;
}

/* ---- To another node ------------------------------------------------------------- */

/**
 * weft_fast_far - find the flow of an entry to another node
 * @ep: the endpoint; ep->sq_mutex is held, ep->flow.far is set
 * @dst: the entry's destination
 *
 * Return: the flow; NULL: it has changed, or sends of the flow are held.
 */
struct weft_flow *weft_fast_far(const struct weft_ep *ep, u32 dst)
{
	struct weft_flow *flow = weft_fast_flow(ep, dst, false);

	weft_mutex_assert_held(&ep->sq_mutex);
	return likely(flow) && weft_list_empty(&flow->fnode) ? flow : NULL;
}

/**
 * weft_fast_writes - count short writes in a row that differ only in address, bytes and context
 * @ep: the endpoint; ep->sq_mutex is held
 * @e: the first of them, decoded: its bytes are in the ring
 *
 * Return: number of writes in the ring, at most WEFT_WRITES_MOST. Each has one remote segment, and
 * weft_ring_sq() would accept it.
 */
u32 weft_fast_writes(const struct weft_ep *ep, const struct weft_sq_entry *e)
{
	const struct weft_ring *r = &ep->tx.ring;
	union weft_lead l = weft_lead_of(e->slot);
	const struct weft_sqe *s;
	u32 n, most;

	weft_mutex_assert_held(&ep->sq_mutex);
	if (e->nrem != 1 || !e->inl || !e->len || e->len > WEFT_WRITES_BYTES ||
	    l.flags & ~(WEFT_SQ_INLINE | WEFT_SQ_COMPLETION | WEFT_SQ_MORE))
		return 1;
	most = min_t(u32, (r->prod - r->cons) / l.nslots, WEFT_WRITES_MOST);
	for (n = 1; n < most; n++) {
		s = weft_ring_at(r, r->cons + n * l.nslots);
		if (!weft_fast_alike(weft_lead_of(s), l) || READ_ONCE(s->len) != e->len ||
		    READ_ONCE(s->tag) != e->rem[0].key || READ_ONCE(s->nrem) != 1 ||
		    READ_ONCE(s->addr) | READ_ONCE(s->data) | READ_ONCE(s->niov))
			break;
	}
	return n;
}

/*
 * Return: true if a message of @len bytes may be sent now, alone in its packet, by the rules of
 * weft_send_fast() and weft_path_output(). The flow's path is locked.
 */
static __always_inline bool weft_fast_may(const struct weft_path *path,
					  const struct weft_lane *lane,
					  const struct weft_flow *flow, u32 len, u32 size)
{
	weft_assert_held(&path->lock);
	return likely(path->state == WEFT_PATHS_UP && !path->failing && !flow->dead &&
		      lane->flight < lane->cwnd && weft_lane_numbers(lane) &&
		      weft_fastpkt_alone(path, lane, size) && !flow->nheadless &&
		      weft_credit_begins(flow) &&
		      weft_credit_eager(flow, len) &&
		      path->nsent < READ_ONCE(path->core->conf.rec_max));
}

/**
 * weft_fast_fetch - copy the payload of a send that is not in the ring to its place in a record
 * @ep: the endpoint; ep->sq_mutex is held
 * @s: the send, of one segment
 * @rec: the record, with space for it
 * @len: bytes of payload
 * @size: bytes of its chunk
 *
 * Return: true; false: the payload is not resident, nothing has changed.
 */
bool weft_fast_fetch(struct weft_ep *ep, const struct weft_sqe *s, struct weft_rec *rec, u32 len,
		     u32 size)
{
	weft_mutex_assert_held(&ep->sq_mutex);
	return !weft_user_peek(ep->conf.mc, READ_ONCE(s->addr), weft_fastpkt_room(rec, size), len);
}

/*
 * Write the short message at @s into the port's transmit reservation. @pay: its bytes, NULL: they
 * are not in the ring. Otherwise as weft_fastpkt_tx().
 */
static __always_inline bool weft_fast_put(struct weft_ep *ep, const struct weft_sqe *s,
					  struct weft_path *path, struct weft_lane *lane,
					  struct weft_flow *flow, const struct weft_head *h,
					  const void *pay, u32 size, struct weft_out *out)
{
	struct weft_rec *rec = weft_rec_kept(path);

	if (unlikely(!rec))
		return false;
	weft_rec_begin(rec);
	if (unlikely(!pay) && !weft_fast_fetch(ep, s, rec, (u32)h->len, size))
		goto keep;
	out->resv.len = WEFT_WIRE_HDR + size;
	out->resv.lane = lane->no;
	if (unlikely(!weft_env_tx_resv(path->core, path, &out->resv)))
		goto keep;
	weft_fastpkt_fill(rec, flow, h, pay, size);
	weft_lane_number(path, lane, rec, out->now);
	out->resv.psn = rec->psn;
	weft_frame_write(path, lane, rec, out->resv.data, out->now);
	return true;

keep:
	weft_rec_keep(path, rec);
	return false;
}

/*
 * Send the entry at @s, with first word @l, alone. Softirqs are off. Return: true if it is sent.
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
	struct weft_head h weft_unset;	/* weft_send_head() sets all fields */
	const void *pay;
	bool done = false;

	if (unlikely(!weft_fast_short(&ep->tx.ring, s, l, len, tag, data, &pay)))
		return false;
	/* compute the address once */
	OPTIMIZER_HIDE_VAR(lane);
	weft_lock_inner(&path->lock);
	if (weft_fast_may(path, lane, flow, (u32)len, size)) {
		weft_send_head(&h, flow, flow->id.mseq + 1, tag, data, len,
			       l.op == WEFT_SQ_TSEND ? WEFT_SQ_TSEND : WEFT_SQ_SEND,
			       l.flags);
		done = weft_fast_put(ep, s, path, lane, flow, &h, pay, size, out);
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
		weft_ep_sends(ep, READ_ONCE(s->context), l.peer, tag, len, l.op);
	}
	return done;
}

/*
 * Send the only entry, a one-sided operation to another node, alone. Return: true if it is sent;
 * false: nothing has changed.
 */
static noinline bool weft_fast_operate(struct weft_ep *ep, struct weft_flow *flow,
				       struct weft_out *out)
{
	struct weft_ring *r = &ep->tx.ring;
	struct weft_sq_entry *e = &ep->tx.entry;

	if (weft_ring_sq(r, ep->conf.type == WEFT_EP_MSG, e) != WEFT_RING_OK ||
	    r->cons + e->nslots != r->prod || !weft_rma_alone(ep, flow, e, out))
		return false;
	weft_count(ep->core, msgs_sent);
	weft_ep_sends(ep, e->context, e->dst, e->tag, e->len, e->op);
	weft_ring_next(r, e->nslots);
	weft_send_publish(ep);
	return true;
}

/**
 * weft_fast_out - send the only entry in the send ring, if it is a short message to another node
 * @ep: the endpoint; ep->sq_mutex is held
 * @out: output; out->now is set; the caller flushes it
 *
 * The packet and the resulting state equal those of weft_send_drain(). Held sends that may go are
 * left to weft_send_drain().
 * Return: true if it is done and the ring is empty; false: nothing has changed.
 */
bool weft_fast_out(struct weft_ep *ep, struct weft_out *out)
{
	const struct weft_sqe *s;
	struct weft_flow *flow;
	union weft_lead l;
	bool done;

	weft_mutex_assert_held(&ep->sq_mutex);
	if (!ep->flow.far || !READ_ONCE(ep->core->fast) || !ep->tx.hand || ep->tx.unsent ||
	    READ_ONCE(ep->tx.aside) ||
	    weft_ring_look(&ep->tx.ring, &ep->conf.doorbell->sq_tail) != WEFT_RING_OK)
		return false;
	s = weft_ring_at(&ep->tx.ring, ep->tx.ring.cons);
	l = weft_lead_of(s);
	flow = weft_fast_flow(ep, l.peer, false);
	if (!flow)
		return false;
	if (ep->tx.ring.cons + l.nslots != ep->tx.ring.prod)
		return false;
	if (unlikely(weft_sq_is_rma(l.op)))
		return weft_short_len(l.op, READ_ONCE(s->len)) && weft_fast_operate(ep, flow, out);
	if (!weft_fast_kind(l))
		return false;
	/* once for all locks: the path's, the port's, and that of the completion queue */
	weft_softirqs_off();
	done = weft_fast_leave(ep, flow, s, l, out);
	if (likely(done)) {
		weft_ring_next(&ep->tx.ring, l.nslots);
		if (l.flags & WEFT_SQ_COMPLETION || unlikely(ep->tx_cntr))
			weft_fast_sent(ep, l, 1, out);
		weft_send_publish(ep);
	}
	weft_softirqs_on();
	return done;
}
