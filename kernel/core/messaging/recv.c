// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - incoming messages: their order and their receiver
 *
 * The flow of a chunk is found; OPEN or a connection has made it. The message is offered to
 * matching when all earlier messages of the flow have been offered (post.c). A whole short message
 * that matches a receive of one segment is completed from the packet and leaves no state. All
 * others get a struct weft_rxm:
 *
 *	early --its turn--> unexpected --a receive is posted--> out->start --> started
 *	                \---a receive waits--------------------------------> started --> over
 *
 * Locks: path->lock, held by the caller; ep->lock protects receives, rings and matching and is
 * taken here.
 */
#include "core/messaging/messaging.h"

/* Keep a message in reserve, charged to @ep, if any. Return: true if there is one. */
static bool weft_recv_spare(struct weft_path *path, struct weft_ep *ep)
{
	if (unlikely(!path->msg.spare))
		path->msg.spare = weft_ep_alloc(ep, sizeof(*path->msg.spare) + WEFT_RXM_SMALL);
	return path->msg.spare;
}

/**
 * weft_rxm_new - take the reserved message of a path
 * @path: the path, locked
 * @ep: its endpoint
 *
 * Return: the message with one reference, on the path's list; NULL: no memory (not if
 * path->msg.spare was set).
 */
struct weft_rxm *weft_rxm_new(struct weft_path *path, struct weft_ep *ep)
{
	struct weft_rxm *rxm;

	weft_assert_held(&path->lock);
	if (!weft_recv_spare(path, ep))
		return NULL;
	rxm = path->msg.spare;
	path->msg.spare = NULL;
	weft_rxm_init(rxm, path);
	rxm->nsmall = WEFT_RXM_SMALL;
	weft_list_add_tail(&path->msg.rxms, &rxm->node);
	path->nrxm++;
	return rxm;
}

/**
 * weft_rxm_head - copy a message's head
 * @rxm: the message
 * @h: its head
 */
static void weft_rxm_head(struct weft_rxm *rxm, const struct weft_head *h)
{
	rxm->id = h->flow;
	rxm->tag = h->tag;
	rxm->data = h->data;
	rxm->len = h->len;
	rxm->flags = h->flags;
}

/**
 * weft_recv_make - make a message of a flow
 * @path: the path, locked; it has a reserved message (weft_recv_spare())
 * @rf: the flow
 * @h: head of the message
 * @sid: sender's rendezvous id, 0: eager
 *
 * Return: the message, on the path's list.
 */
struct weft_rxm *weft_recv_make(struct weft_path *path, struct weft_rflow *rf,
				const struct weft_head *h, u32 sid)
{
	struct weft_rxm *rxm = weft_rxm_new(path, rf->ep);

	weft_rxm_head(rxm, h);
	weft_ep_get(rf->ep);
	rxm->ep = rf->ep;
	rxm->from = path->node.addr;
	rxm->bulk.work.ctx = rf->ep->conf.ctx;
	rxm->lane = rf->lane;
	rxm->sid = sid;
	if (sid) {
		rxm->bulk.rid = weft_path_new_id(path, 0);
		weft_idtable_add(&path->msg.rids, &rxm->bulk.rnode, rxm->bulk.rid);
		weft_idtable_add(&path->msg.psids, &rxm->bulk.pnode, sid);
		rxm->bulk.needs = true;
		weft_path_needs(path, path->heard_at);
	} else {
		rxm->flow.open = weft_wire_counts(h->flags, h->len);
		path->flow.rx_open += rxm->flow.open;
	}
	return rxm;
}

/* Return: true if the sender has the credit to begin this message. All kernels wait for that. */
static bool weft_recv_allowed(const struct weft_rflow *rf, u32 mseq)
{
	return (s32)(mseq - rf->told_msgs) <= 0;
}

/*
 * Count a message beyond the sender's credit. No kernel sends one: the packet is not remembered.
 */
static int weft_recv_beyond(struct weft_path *path)
{
	weft_count(path->core, beyond_credit);
	return -ENOMEM;
}

/*
 * Offer a message to matching in its turn. @rxm: the message if it came early, else NULL. In that
 * case @whole is its chunk if the packets hold all of its payload, with @skip bytes between two
 * packets' payload. Return: the message; NULL: nothing is
 * left to do for it; ERR_PTR(-ENOMEM): not now.
 */
static struct weft_rxm *weft_recv_offer(struct weft_path *path, struct weft_rflow *rf,
					const struct weft_head *h, u32 sid, struct weft_rxm *rxm,
					const struct weft_chunk *whole, u32 skip,
					struct weft_out *out)
{
	bool one = whole && whole->paylen == h->len, inl = false;
	struct weft_ep *ep = rf->ep;
	struct weft_post *post;
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
	src = weft_rflow_src(rf);
	if (likely(whole && h->len <= WEFT_FAST_BYTES) &&
	    weft_fast_recv(ep, h, src, whole->pay, whole->paylen, skip, out)) {
		inl = true;
		goto taken;
	}
	post = weft_recv_find(ep, weft_msg_kind(h->flags), src, h->tag, h->len, out);
	if (likely(post)) {
		if (one && h->len <= WEFT_INLINE_MAX) {
			struct weft_cqe *e = &ep->rx.cqe;

			weft_recv_cqe(e, ep, post, h->tag, h->data, h->len, src, h->flags);
			inl = weft_recv_inline(ep, post, e, whole->pay, out);
			cut = ep->conf.flags & WEFT_EPF_STRICT ? e->status : 0;
		}
		if (!inl) {
			if (!rxm)
				rxm = weft_recv_make(path, rf, h, sid);
			rxm->src = src;
			rxm->started = true;
			weft_recv_matched(ep, rxm, post);
		}
	} else if (!rxm && unlikely(!weft_recv_allowed(rf, rf->id.mseq))) {
		rxm = ERR_PTR(weft_recv_beyond(path));
	} else {
		if (!rxm)
			rxm = weft_recv_make(path, rf, h, sid);
		rxm->src = src;
		weft_credit_wait(rf, rxm, sid ? 0 : (u32)h->len);
		weft_recv_unexp(ep, rxm, src, out);
	}
taken:
	weft_unlock(&ep->lock);
	if (IS_ERR(rxm))
		return rxm;
	weft_trace_arrive(ep, &path->node.addr, rf->id.ssvc, rf->id.mseq, h->tag, h->len);
	weft_count(path->core, msgs_received);
	rf->id.mseq++;
	weft_credit_pass(rf, sid ? 0 : (u32)h->len, out);
	if (likely(inl)) {
		path->rx_gone += h->len;
		if (h->flags & (WEFT_MSG_PLACED | WEFT_MSG_MATCHED))
			weft_rxm_finish(weft_recv_make(path, rf, h, 0), cut, out);
		return NULL;
	}
	return rxm;
}

/*
 * End a message, in its turn, that is longer than the longest its receiver takes. @rxm: the message
 * if it came early, or NULL. Return: true if it was too long.
 */
static bool weft_recv_too_long(struct weft_path *path, struct weft_rflow *rf,
			       const struct weft_head *h, u32 sid, struct weft_rxm *rxm,
			       struct weft_out *out)
{
	if (likely(rf->gone || h->len <= rf->ep->tx.ring.longest))
		return false;
	rf->id.mseq++;
	weft_credit_pass(rf, sid ? 0 : (u32)h->len, out);
	weft_rxm_finish(rxm ? rxm : weft_recv_make(path, rf, h, sid), EMSGSIZE, out);
	return true;
}

/* An eager message has its turn and is incomplete. */
static void weft_recv_partial(struct weft_rflow *rf, struct weft_rxm *rxm)
{
	weft_list_add_tail(&rf->partial, &rxm->fnode);
	weft_idtable_add(&rf->path->msg.rids, &rxm->bulk.rnode,
			 weft_eager_id(rf->no, rxm->id.mseq));
}

/* Take an early message off the list: its turn has come. */
static void weft_recv_leave(struct weft_rflow *rf, struct weft_rxm *rxm)
{
	weft_list_del(&rxm->fnode);
	rxm->early = false;
	if (!rxm->sid)
		rf->early_bytes -= weft_wire_counts(rxm->flags, rxm->len);
}

/*
 * Offer an early message in its turn. A lost one is offered, too, so that no later message takes
 * the receive that is meant for it.
 */
static void weft_recv_turn(struct weft_path *path, struct weft_rflow *rf, struct weft_rxm *rxm,
			   struct weft_out *out)
{
	struct weft_head h = {
		.tag = rxm->tag, .data = rxm->data, .len = rxm->len, .flags = rxm->flags
	};
	bool lost = rxm->bulk.aborted;

	weft_recv_leave(rf, rxm);
	if (weft_recv_too_long(path, rf, &h, rxm->sid, rxm, out))
		return;
	if (!rxm->sid && rxm->got < rxm->len)
		weft_recv_partial(rf, rxm);
	rxm = weft_recv_offer(path, rf, &h, rxm->sid, rxm, NULL, 0, out);
	if (!rxm)
		return;
	if (unlikely(lost))
		weft_rxm_fail(rxm, ECONNRESET, out);
	else if (rxm->started)
		weft_rxm_begin(rxm, out);
	else if (rxm->whole)
		weft_rxm_buffered(rxm);
}

/* The turn of a one-sided operation has passed: that of the next message comes. */
static void weft_recv_pass(struct weft_rflow *rf, struct weft_rxm *rxm, struct weft_out *out)
{
	u32 counts = rxm->sid ? 0 : weft_wire_counts(rxm->flags, rxm->len);

	weft_recv_leave(rf, rxm);
	weft_count(rf->path->core, msgs_received);
	rf->id.mseq++;
	weft_credit_pass(rf, counts, out);
}

/*
 * Execute the one-sided operation whose turn has come. Return: true if its turn has passed; false:
 * its bytes have not all come, or it keeps its turn until it is over.
 */
static bool weft_recv_execute(struct weft_rflow *rf, struct weft_rxm *rxm, struct weft_out *out)
{
	bool passes = false;

	if (!rxm->whole || rxm->rma)
		return false;
	if (unlikely(rf->conn))
		weft_cm_first(rf->conn, out);
	weft_rxm_get(rxm);
	passes = weft_rma_begin(rf, rxm, out);
	if (passes)
		weft_recv_pass(rf, rxm, out);
	weft_rxm_put(rxm);
	return passes;
}

/* Offer early messages whose turn has come. The flow may end meanwhile, with its connection. */
static void weft_recv_next(struct weft_path *path, u16 ssvc, u32 sgen, struct weft_out *out)
{
	struct weft_rflow *rf;
	struct weft_list *l;

	while ((rf = weft_rflow_find(path, ssvc, sgen)) && (l = weft_list_first(&rf->early))) {
		struct weft_rxm *rxm = weft_entry(l, struct weft_rxm, fnode);

		if (rxm->id.mseq != rf->id.mseq)
			break;
		if (likely(!(rxm->flags & WEFT_MSG_RMA)))
			weft_recv_turn(path, rf, rxm, out);
		else if (!weft_recv_execute(rf, rxm, out))
			break;
	}
}

/**
 * weft_recv_gathered - all bytes of a one-sided operation that waits for its turn have come
 * @rxm: its message; its path is locked
 * @out: output
 */
void weft_recv_gathered(struct weft_rxm *rxm, struct weft_out *out)
{
	weft_assert_held(&rxm->path->lock);
	weft_recv_next(rxm->path, rxm->id.ssvc, rxm->id.sgen, out);
}

/**
 * weft_recv_executed - an operation that has kept its turn is over
 * @rxm: its message, early; its path is locked; the caller has a reference
 * @out: output
 */
void weft_recv_executed(struct weft_rxm *rxm, struct weft_out *out)
{
	struct weft_rflow *rf = weft_rflow_find(rxm->path, rxm->id.ssvc, rxm->id.sgen);

	weft_assert_held(&rxm->path->lock);
	/* else its flow has ended, which has taken it off the list */
	if (!rf || !rxm->early)
		return;
	weft_recv_pass(rf, rxm, out);
	weft_recv_next(rxm->path, rxm->id.ssvc, rxm->id.sgen, out);
}

/**
 * weft_recv_lose_early - the messages before the early ones of a flow will not come
 * @rf: the flow, which ends; its path is locked
 * @out: output
 *
 * The early messages fail: their order behind the missing ones would be lost. Receives learn of
 * them, in order.
 */
void weft_recv_lose_early(struct weft_rflow *rf, struct weft_out *out)
{
	struct weft_list *l;

	weft_assert_held(&rf->path->lock);
	while ((l = weft_list_first(&rf->early))) {
		struct weft_rxm *rxm = weft_entry(l, struct weft_rxm, fnode);

		if (unlikely(rxm->flags & WEFT_MSG_RMA)) {
			weft_recv_leave(rf, rxm);
			weft_rxm_fail(rxm, ECONNRESET, out);
			continue;
		}
		/* the end of a connection ends its receives */
		if (rf->gone || rf->ep->conf.type == WEFT_EP_MSG) {
			weft_rxm_finish(rxm, ECONNREFUSED, out);
			continue;
		}
		rxm->bulk.aborted = true;
		rxm->whole = false;
		rf->id.mseq = rxm->id.mseq;
		weft_recv_turn(rf->path, rf, rxm, out);
	}
}

/*
 * Keep a message that came before its turn. Return: the message, NULL: beyond the sender's credit.
 */
static struct weft_rxm *weft_recv_early(struct weft_path *path, struct weft_rflow *rf,
					const struct weft_head *h, u32 sid)
{
	u32 counts = sid ? 0 : weft_wire_counts(h->flags, h->len);
	struct weft_rxm *rxm;
	struct weft_list *l;

	/*
	 * the window bounds how far ahead a packet can be, and so how many messages may be missing
	 */
	if (!weft_recv_allowed(rf, h->flow.mseq) || !weft_credit_fits(rf, counts)) {
		weft_recv_beyond(path);
		return NULL;
	}
	rxm = weft_recv_make(path, rf, h, sid);
	rxm->early = true;
	/* its first packet is being processed */
	rxm->rx.at = path->heard_at;
	rf->early_bytes += counts;
	for (l = rf->early.prev; l != &rf->early; l = l->prev)
		if ((s32)(weft_entry(l, struct weft_rxm, fnode)->id.mseq - h->flow.mseq) < 0)
			break;
	weft_list_add(l, &rxm->fnode);
	return rxm;
}

/* Find a message that came before its turn, from the end, where most are found. */
static struct weft_rxm *weft_recv_known(const struct weft_rflow *rf, u32 mseq)
{
	struct weft_list *l;

	for (l = rf->early.prev; l != &rf->early; l = l->prev) {
		struct weft_rxm *rxm = weft_entry(l, struct weft_rxm, fnode);

		if ((s32)(rxm->id.mseq - mseq) <= 0)
			return rxm->id.mseq == mseq ? rxm : NULL;
	}
	return NULL;
}

/* Find an eager message that is incomplete after its turn. A receiver may have many of them. */
static struct weft_rxm *weft_recv_begun(const struct weft_rflow *rf, u32 mseq)
{
	struct weft_list *l;

	weft_list_for_each(l, weft_idtable_chain(&rf->path->msg.rids,
						 weft_eager_id(rf->no, mseq))) {
		struct weft_rxm *rxm = weft_entry(l, struct weft_rxm, bulk.rnode.list);

		if (!rxm->sid && rxm->id.mseq == mseq && rxm->id.sgen == rf->id.sgen &&
		    rxm->id.ssvc == rf->id.ssvc)
			return rxm;
	}
	return NULL;
}

/*
 * Return: true if the message has the receiver's authentication code. No kernel sends another code
 * on a flow that is not gone.
 */
static bool weft_recv_authentic(const struct weft_rflow *rf, const struct weft_head *h)
{
	if (likely(h->auth == rf->auth))
		return true;
	weft_count(rf->path->core, wrong_job);
	return false;
}

/*
 * Process a part of a message with a one-sided operation. It is executed when it is whole and has
 * its turn. Return: as weft_recv_eager().
 */
static noinline int weft_recv_rma(struct weft_rflow *rf, struct weft_head *h,
				  const struct weft_chunk *c, u32 off, u32 len, u32 skip,
				  struct weft_out *out)
{
	bool free = h->len <= WEFT_REQ_FREE, whole = !off && len == h->len;
	struct weft_path *path = rf->path;
	s32 ahead = (s32)(h->flow.mseq - rf->id.mseq);
	struct weft_rxm *rxm;

	if (ahead < 0 || !h->len)
		goto ignore;
	if (likely(!ahead && whole && weft_list_empty(&rf->early)) &&
	    weft_rma_direct(rf, h, c->pay, c->paylen, skip, out)) {
		weft_count(path->core, msgs_received);
		return 0;
	}
	/* one whose report could have waited */
	h->flags |= WEFT_MSG_PLACED;
	rxm = weft_recv_known(rf, h->flow.mseq);
	/* a short one fits into each packet */
	if (free && (rxm || !whole || len > c->paylen))
		goto ignore;
	if (!rxm)
		rxm = weft_recv_early(path, rf, h, 0);
	if (!rxm)
		return -ENOMEM;
	if (!free)
		return weft_rxm_fragment(rxm, off, c, len, skip, out);
	rxm->buf = rxm->small;
	if (len > rxm->nsmall)
		rxm->buf = weft_ep_alloc(rf->ep, len);
	if (!rxm->buf) {
		weft_recv_leave(rf, rxm);
		rxm->flags &= ~WEFT_MSG_PLACED;
		weft_rxm_finish(rxm, ENOMEM, out);
		return -ENOMEM;
	}
	memcpy(rxm->buf, c->pay, len);
	rxm->got = len;
	rxm->bulk.stored = len;
	rxm->whole = true;
	weft_recv_gathered(rxm, out);
	return 0;
ignore:
	if (!free)
		path->rx_gone += len;
	return 0;
}

/**
 * weft_recv_eager - process an EAGER chunk, or a run of them with bytes of one message
 * @path: the path, locked
 * @c: the chunk of the first packet
 * @len: bytes of payload of all packets, in pieces of c->paylen bytes
 * @skip: bytes between two pieces
 * @out: output
 *
 * Return: 0; -ENOMEM, -ENOBUFS: the packets cannot be taken now.
 */
int weft_recv_eager(struct weft_path *path, const struct weft_chunk *c, u32 len, u32 skip,
		    struct weft_out *out)
{
	const struct weft_w_eager *w = c->body;
	u32 off = be32_to_cpu(w->off);
	struct weft_rflow *rf;
	struct weft_rxm *rxm;
	struct weft_head h;
	s32 ahead;
	int err;

	weft_assert_held(&path->lock);
	weft_wire_head_get(&w->head, &h);
	rf = weft_rflow_find(path, h.flow.ssvc, h.flow.sgen);
	if (unlikely(!rf)) {
		if (weft_contact_refuse(path, &h.flow))
			return -ENOMEM;
		goto ignore;
	}
	if (unlikely(!weft_recv_spare(path, rf->ep)))
		return -ENOMEM;
	ahead = (s32)(h.flow.mseq - rf->id.mseq);
	if (unlikely(rf->gone || h.len > WEFT_EAGER_LIMIT) || !weft_recv_authentic(rf, &h))
		goto ignore;
	if (unlikely(h.flags & WEFT_MSG_RMA))
		return weft_recv_rma(rf, &h, c, off, len, skip, out);
	if (likely(!ahead)) {
		bool whole = !off && len == h.len;

		if (unlikely(!weft_credit_fits(rf, (u32)h.len)))
			return weft_recv_beyond(path);
		rxm = weft_recv_offer(path, rf, &h, 0, NULL, whole ? c : NULL, skip, out);
		if (IS_ERR(rxm))
			return (int)PTR_ERR(rxm);
		err = 0;
		if (rxm) {
			weft_recv_partial(rf, rxm);
			if (rxm->started)
				weft_rxm_begin(rxm, out);
			err = weft_rxm_fragment(rxm, off, c, len, skip, out);
		} else {
			if (unlikely(rf->gone))
				path->rx_gone += len;
			if (likely(weft_list_empty(&rf->early)))
				return 0;
		}
		weft_recv_next(path, h.flow.ssvc, h.flow.sgen, out);
		return err;
	}
	rxm = ahead < 0 ? weft_recv_begun(rf, h.flow.mseq) : weft_recv_known(rf, h.flow.mseq);
	if (!rxm) {
		if (ahead < 0)
			goto ignore;
		rxm = weft_recv_early(path, rf, &h, 0);
		if (!rxm)
			return -ENOMEM;
	}
	return weft_rxm_fragment(rxm, off, c, len, skip, out);
ignore:
	if (likely(weft_wire_counts(h.flags, h.len)))
		path->rx_gone += len;
	return 0;
}

/* Process write number @i of a chunk WRITES, at @at, as an EAGER chunk. Return: 0, -ENOMEM. */
static noinline int weft_recv_write(struct weft_path *path, const struct weft_writes *w, u32 i,
				    const struct weft_w_write *at, struct weft_out *out)
{
	struct weft_head h = {
		.flow = w->flow, .len = WEFT_REQ_ONE + w->len, .flags = w->flags, .auth = w->auth,
	};
	struct weft_req req = {
		.op = WEFT_RMA_WRITE, .nseg = 1, .uid = w->uid, .len = w->len,
		.seg[0] = { .key = w->key, .addr = be64_to_cpu(at->addr), .len = w->len },
	};
	u8 chunk[WEFT_WIRE_CHUNK + sizeof(struct weft_w_eager) + WEFT_REQ_FREE] weft_unset;
	struct weft_chunk c = {
		.type = WEFT_CHUNK_EAGER, .body = chunk + WEFT_WIRE_CHUNK, .paylen = (u32)h.len,
	};
	u8 *pay = chunk;

	h.flow.mseq += i;
	pay += weft_wire_eager_put(chunk, &h, 0, c.paylen);
	c.pay = pay;
	memcpy(pay + weft_wire_req_put(pay, &req), at->bytes, w->len);
	return weft_recv_eager(path, &c, c.paylen, 0, out);
}

/**
 * weft_recv_writes - process a chunk WRITES: so many messages, each with a short write
 * @path: the path, locked
 * @c: the chunk
 * @out: output
 *
 * A chunk that comes again, because some of its messages could not be taken, has messages that were
 * taken before. They are ignored.
 *
 * Return: 0; -ENOMEM: the packet cannot be taken now.
 */
int weft_recv_writes(struct weft_path *path, const struct weft_chunk *c, struct weft_out *out)
{
	struct weft_rflow *rf;
	struct weft_writes w weft_unset;
	u32 i = 0;
	int err;

	weft_assert_held(&path->lock);
	/* it has been checked, but may have changed */
	if (weft_wire_writes_get(c, &w))
		return 0;
	rf = weft_rflow_find(path, w.flow.ssvc, w.flow.sgen);
	if (likely(rf && w.flow.mseq == rf->id.mseq && weft_list_empty(&rf->early) && !rf->gone &&
		   w.auth == rf->auth))
		i = weft_rma_direct_writes(rf, &w, c->pay, out);
	for (err = 0; unlikely(i < w.n) && !err; i++) {
		const u8 *at = c->pay + i * weft_writes_size(w.len);

		err = weft_recv_write(path, &w, i, (const void *)at, out);
	}
	return err;
}

/**
 * weft_recv_head - process a HEAD chunk: a message is offered before its bytes come
 * @path: the path, locked
 * @c: the chunk
 * @out: output
 *
 * The messages behind it need not wait for its bytes. Without memory it is ignored. So is that of a
 * one-sided operation, which needs its bytes when it has its turn.
 */
void weft_recv_head(struct weft_path *path, const struct weft_chunk *c, struct weft_out *out)
{
	const struct weft_w_head *w = c->body;

	weft_assert_held(&path->lock);
	if (be64_to_cpu(w->mark) >> WEFT_AUTH_BITS & WEFT_MSG_RMA)
		return;
	if (weft_recv_eager(path, c, 0, 0, out))
		weft_count(path->core, rx_dropped);
}

/**
 * weft_recv_announce - process an RTS chunk
 * @path: the path, locked
 * @c: the chunk
 * @out: output
 *
 * Return: 0; -ENOMEM: the packet cannot be taken now.
 */
int weft_recv_announce(struct weft_path *path, const struct weft_chunk *c, struct weft_out *out)
{
	const struct weft_w_rts *w = c->body;
	u32 sid = be32_to_cpu(w->sid);
	struct weft_rflow *rf;
	struct weft_rxm *rxm;
	struct weft_head h;
	s32 ahead;

	weft_assert_held(&path->lock);
	weft_wire_head_get(&w->head, &h);
	rf = weft_rflow_find(path, h.flow.ssvc, h.flow.sgen);
	if (!rf)
		return weft_contact_refuse(path, &h.flow);
	if (!weft_recv_spare(path, rf->ep))
		return -ENOMEM;
	ahead = (s32)(h.flow.mseq - rf->id.mseq);
	if (rf->gone || ahead < 0 || !sid || !weft_recv_authentic(rf, &h))
		return 0;
	if (ahead)
		return weft_recv_known(rf, h.flow.mseq) ||
				       weft_recv_early(path, rf, &h, sid) ?
			       0 :
			       -ENOMEM;
	if (!weft_recv_too_long(path, rf, &h, sid, NULL, out)) {
		rxm = weft_recv_offer(path, rf, &h, sid, NULL, NULL, 0, out);
		if (IS_ERR(rxm))
			return (int)PTR_ERR(rxm);
		if (rxm && rxm->started)
			weft_rxm_begin(rxm, out);
	}
	weft_recv_next(path, h.flow.ssvc, h.flow.sgen, out);
	return 0;
}

/**
 * weft_recv_abort - process an ABORT chunk: a message is withdrawn, or a flow ends
 * @path: the path, locked
 * @w: the chunk
 * @out: output
 */
void weft_recv_abort(struct weft_path *path, const struct weft_w_abort *w, struct weft_out *out)
{
	u32 sid = be32_to_cpu(w->sid);
	struct weft_list *l;
	struct weft_flowid id;
	struct weft_rflow *rf;

	weft_assert_held(&path->lock);
	if (!sid) {
		weft_wire_flow_get(&w->flow, &id);
		rf = weft_rflow_find(path, id.ssvc, id.sgen);
		if (rf && !rf->conn)
			weft_rflow_free(rf, out);
		return;
	}
	weft_list_for_each(l, weft_idtable_chain(&path->msg.psids, sid)) {
		struct weft_rxm *rxm = weft_entry(l, struct weft_rxm, bulk.pnode.list);

		if (rxm->sid != sid)
			continue;
		rxm->bulk.aborted = true;
		/*
		 * an early message keeps its place, so that those behind it have their turn; an
		 * operation that is being executed has had its turn
		 */
		if (!rxm->early || rxm->rma)
			weft_rxm_fail(rxm, rxm->rma && w->status ? be16_to_cpu(w->status) :
							    ECONNRESET, out);
		return;
	}
	if (sid & WEFT_RMA_ID)
		weft_rma_lost(path, sid, be16_to_cpu(w->status) ?: ECONNRESET, out);
}
