// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - one-sided operations of this node's programs
 *
 * An operation is a send until its completion (messaging/txm.c), with the request as its bytes:
 *
 *	short write	WAIT -> SENT --DONE--> OVER
 *	long write	WAIT -> ASKED --GRANT--> GRANT <-> (more granted) --DONE--> OVER
 *	read		WAIT -> SENT --its sink has all bytes, or DONE with an errno--> OVER
 *	atomic		as a short write, which may be announced; with results it ends as a read
 *
 * The sink of a read, or of results, is a received message whose memory is known. Its first window
 * is made resident before the request is sent, and the request grants these bytes. An operation
 * that fails ends after its sink: when its completion is written, no byte of the program's memory
 * changes any more.
 *
 * Locks: ep->sq_mutex, path->lock, as the comment of each function says. See
 * Documentation/rma.rst.
 */
#include "core/rma/rma.h"

/* Free a sink that has not been put on a list. */
static void weft_rma_sink_free(struct weft_rxm *sink)
{
	if (!sink)
		return;
	weft_win_drop(&sink->bulk.win[0]);
	weft_rxm_put(sink);
}

/* Make the first window of a sink. May sleep. Return: 0, -EFAULT, -ENOMEM. */
static int weft_rma_sink_window(struct weft_rxm *sink)
{
	u32 len = (u32)min3(sink->len, (u64)WEFT_RMA_FIRST,
			    (u64)sink->path->core->conf.window_bytes);
	struct weft_win *w = &sink->bulk.win[0];
	int err = weft_mem_make(sink->ep->conf.mc, &sink->rma->vec, 0, len, WEFT_MEM_WRITE,
				&w->mem);

	if (err)
		return err;
	w->len = len;
	w->left = len;
	w->todo = len;
	w->state = WEFT_WIN_READY;
	sink->bulk.pinned = len;
	sink->bulk.allowed = len;
	sink->bulk.granted = len;
	return 0;
}

/*
 * Within the node results come when the operation has been executed. So their memory is checked
 * before that, and made resident. May sleep. Return: 0, -EFAULT, -ENOMEM.
 */
static int weft_rma_sink_check(const struct weft_rxm *sink)
{
	struct weft_mem *mem;
	int err = weft_mem_make(sink->ep->conf.mc, &sink->rma->vec, 0, (u32)sink->len,
				WEFT_MEM_WRITE, &mem);

	if (!err)
		weft_mem_put(mem);
	return err;
}

/* Make the sink of a read, or of results. May sleep. Return: the sink, ERR_PTR(). */
static struct weft_rxm *weft_rma_sink(struct weft_ep *ep, struct weft_flow *flow,
				      const struct weft_sq_entry *e)
{
	struct weft_rxm *sink = weft_alloc_sleep(sizeof(*sink));
	struct weft_rma *rma = weft_alloc_sleep(sizeof(*rma));
	int err = -ENOMEM;

	if (!sink || !rma) {
		weft_free(sink);
		weft_free(rma);
		return ERR_PTR(err);
	}
	weft_rxm_init(sink, flow->path);
	weft_ep_get(ep);
	sink->ep = ep;
	sink->id = flow->id;
	sink->bulk.work.ctx = ep->conf.ctx;
	sink->flags = WEFT_MSG_RMA;
	sink->len = e->len;
	sink->bulk.room = e->len;
	rma->role = WEFT_RMA_SINK;
	rma->op = WEFT_RMA_READ;
	rma->len = e->len;
	rma->rxm = sink;
	rma->vec = e->vec;
	sink->rma = rma;
	err = 0;
	if (!flow->path->local)
		err = weft_rma_sink_window(sink);
	else if (weft_sq_is_atomic(e->op))
		err = weft_rma_sink_check(sink);
	if (err) {
		weft_rma_sink_free(sink);
		return ERR_PTR(err);
	}
	return sink;
}

/**
 * weft_rma_request - fill in the request of an entry
 * @r: the request; ids are placeholders
 * @ep: the endpoint
 * @e: the entry
 * @user: its bytes are announced
 */
void weft_rma_request(struct weft_req *r, const struct weft_ep *ep, const struct weft_sq_entry *e,
		      bool user)
{
	bool atomic = weft_sq_is_atomic(e->op);

	if (atomic)
		r->op = WEFT_RMA_ATOMIC + WEFT_ATOMIC_KIND(e->data);
	else
		r->op = e->op == WEFT_SQ_WRITE ? WEFT_RMA_WRITE : WEFT_RMA_READ;
	r->nseg = e->nrem;
	r->aop = atomic ? WEFT_ATOMIC_OP(e->data) : 0;
	r->atype = atomic ? WEFT_ATOMIC_TYPE(e->data) : 0;
	r->uid = ep->conf.uid;
	r->id = weft_sq_fetches(e->op) ? WEFT_RMA_ID : user ? 1 : 0;
	r->sid = 0;
	r->len = e->len;
	r->granted = 0;
	memcpy(r->seg, e->rem, e->nrem * sizeof(r->seg[0]));
}

/* Read a segment of at most @left bytes. May sleep. Return: 0, negative errno. */
static int weft_rma_segment(struct weft_ep *ep, const struct weft_iov *seg, u64 left, u8 *dst)
{
	struct weft_vec vec weft_unset;
	u32 len = (u32)seg->len;
	u64 end;

	if (seg->len > left)
		return -EINVAL;
	if (check_add_overflow(seg->addr, seg->len, &end))
		return -EFAULT;
	if (!len)
		return 0;
	vec.n = 1;
	vec.len = len;
	vec.seg[0] = *seg;
	return weft_user_read(ep->conf.mc, &vec, 0, dst, len, len, 0);
}

/* Read segments of the entry at the ring's consumer index. May sleep. Return: 0, negative errno. */
static int weft_rma_segments(struct weft_ep *ep, u32 slot, u32 n, u64 len, u8 *dst)
{
	struct weft_iov seg;
	u64 done = 0;
	int err = 0;
	u32 i;

	for (i = 0; i < n && !err; i++) {
		weft_ring_seg(&ep->tx.ring, slot, i, &seg);
		err = weft_rma_segment(ep, &seg, len - done, dst + done);
		done += seg.len;
	}
	return err ?: done == len ? 0 : -EINVAL;
}

/* Copy the operands of an atomic operation, @bytes in all. May sleep. Return: 0, negative errno. */
static int weft_rma_operands(struct weft_ep *ep, const struct weft_sq_entry *e, u8 *dst, u32 bytes)
{
	const struct weft_sqe *s = (const struct weft_sqe *)e->slot;
	u32 slot = 1 + (s->niov > 1 ? weft_ring_seg_slots(s->niov) : 0);
	struct weft_iov seg = { s->addr, e->len };
	int err;

	if (e->inl) {
		weft_ring_bytes(&ep->tx.ring, bytes, dst);
		return 0;
	}
	if (s->niov > 1)
		err = weft_rma_segments(ep, 1, s->niov, e->len, dst);
	else
		err = weft_rma_segment(ep, &seg, e->len, dst);
	if (!err && bytes > e->len)
		err = weft_rma_segments(ep, slot, WEFT_ATOMIC_NCMP(e->data), e->len, dst + e->len);
	return err;
}

/*
 * Copy a request of @nhead bytes, and @bytes of operands, into contiguous memory. May sleep.
 * Return: the memory; ERR_PTR(): -EFAULT, -EINVAL, -ENOMEM.
 */
static u8 *weft_rma_flat(struct weft_ep *ep, const struct weft_sq_entry *e, const u8 *head,
			 u32 nhead, u32 bytes)
{
	u8 *buf = weft_alloc_bytes(nhead + bytes);
	int err = 0;

	if (!buf)
		return ERR_PTR(-ENOMEM);
	memcpy(buf, head, nhead);
	if (bytes)
		err = weft_rma_operands(ep, e, buf + nhead, bytes);
	if (err) {
		weft_free(buf);
		return ERR_PTR(err);
	}
	return buf;
}

/**
 * weft_rma_atomic_check - check whether an atomic operation is supported
 * @e: its entry
 *
 * Return: 0, -EOPNOTSUPP, -EINVAL, -EMSGSIZE.
 */
int weft_rma_atomic_check(const struct weft_sq_entry *e)
{
	u8 type = WEFT_ATOMIC_TYPE(e->data);
	u32 size;

	if (!weft_atomic_valid(WEFT_ATOMIC_KIND(e->data), WEFT_ATOMIC_OP(e->data), type))
		return -EOPNOTSUPP;
	size = weft_atomic_size(type);
	if (e->len % size)
		return -EINVAL;
	return e->len / size > WEFT_ATOMIC_MAX_COUNT ? -EMSGSIZE : 0;
}

/**
 * weft_rma_keep - turn an entry with a one-sided operation into a send
 * @ep: the endpoint; ep->sq_mutex is held, ep->tx.hand is set
 * @e: the entry
 * @flow: its flow
 *
 * Context: may sleep.
 * Return: the send, as weft_send_take() makes it; ERR_PTR: not taken.
 */
struct weft_txm *weft_rma_keep(struct weft_ep *ep, const struct weft_sq_entry *e,
			       struct weft_flow *flow)
{
	u32 most = min(ep->core->conf.eager_max, WEFT_EAGER_LIMIT) - (u32)WEFT_REQ_MAX;
	bool user = e->op == WEFT_SQ_WRITE && !e->inl && e->len > most;
	bool atomic = weft_sq_is_atomic(e->op);
	struct weft_rxm *sink = NULL;
	struct weft_kept k = { .buf = NULL };
	u8 head[WEFT_REQ_MAX] weft_unset;
	struct weft_req req weft_unset;
	u32 nhead, bytes = 0;
	struct weft_txm *txm;
	int err = 0;

	weft_mutex_assert_held(&ep->sq_mutex);
	if (atomic)
		err = weft_rma_atomic_check(e);
	if (err)
		return ERR_PTR(err);
	weft_rma_request(&req, ep, e, user);
	nhead = weft_wire_req_put(head, &req);
	if (e->op == WEFT_SQ_WRITE && !user) {
		bytes = (u32)e->len;
		err = weft_send_hold(ep, flow, e, head, nhead, NULL, &k);
	} else {
		bytes = atomic ? weft_sq_operands(e) : 0;
		k.buf = weft_rma_flat(ep, e, head, nhead, bytes);
		err = IS_ERR(k.buf) ? (int)PTR_ERR(k.buf) : 0;
	}
	if (err)
		return ERR_PTR(err);
	if (weft_sq_fetches(e->op) && e->len) {
		sink = weft_rma_sink(ep, flow, e);
		if (IS_ERR(sink)) {
			weft_free(k.buf);
			return ERR_CAST(sink);
		}
	}
	txm = weft_send_take(ep, e, flow);
	if (atomic)
		txm->tx.data = 0;
	txm->user = user;
	weft_send_held(txm, &k);
	txm->req = (u16)nhead;
	if (user)
		txm->bulk.vec = e->vec;
	else
		txm->len = nhead + bytes;
	txm->rxm = sink;
	return txm;
}

/**
 * weft_rma_start - let the sink of a read, or of results, take bytes
 * @txm: the operation; its path is locked
 */
void weft_rma_start(struct weft_txm *txm)
{
	struct weft_rxm *sink = txm->rxm;
	struct weft_path *path = txm->path;
	struct weft_ep *ep = txm->ep;

	weft_assert_held(&txm->path->lock);
	weft_txm_get(txm);
	sink->rma->txm = txm;
	/* the path's reference; the first one is the send's */
	weft_rxm_get(sink);
	weft_list_add_tail(&path->msg.rxms, &sink->node);
	if (!path->local)
		path->nrxm++;
	weft_lock(&ep->lock);
	weft_list_add_tail(&ep->rx.active, &sink->rx.enode);
	weft_unlock(&ep->lock);
	sink->started = true;
}

/**
 * weft_rma_ask - an operation with a sink is about to be sent: register the sink, and complete the
 *	request
 * @txm: a read, or an atomic operation with results; its path is locked
 * @now: time
 */
void weft_rma_ask(struct weft_txm *txm, weft_ns now)
{
	struct weft_rxm *sink = txm->rxm;
	struct weft_path *path = txm->path;
	u32 id = weft_path_new_id(path, WEFT_RMA_ID);

	weft_assert_held(&txm->path->lock);
	weft_rma_start(txm);
	sink->lane = txm->flow->lane;
	sink->sid = id;
	sink->bulk.rid = id;
	weft_idtable_add(&path->msg.rids, &sink->bulk.rnode, id);
	weft_idtable_add(&path->msg.psids, &sink->bulk.pnode, id);
	sink->bulk.needs = true;
	weft_path_needs(path, now);
	weft_wire_req_id(txm->buf, id);
	weft_wire_req_grant(txm->buf, sink->bulk.granted);
}

/**
 * weft_rma_stop - an operation with a sink fails: first the sink ends
 * @txm: a read, an atomic operation with results, or a source; its path is locked
 * @status: errno
 * @out: output
 *
 * Return: true if the end of the sink reports the failure, later; false: the sink has ended.
 */
bool weft_rma_stop(struct weft_txm *txm, int status, struct weft_out *out)
{
	struct weft_rxm *sink = txm->rxm;

	weft_assert_held(&txm->path->lock);
	if (txm->source || sink->bulk.over)
		return false;
	if (!sink->started) {
		weft_win_drop(&sink->bulk.win[0]);
		return false;
	}
	/* its memory is in use: later */
	if (sink->bulk.ncopy || sink->bulk.deferred) {
		weft_rxm_fail(sink, status, out);
		return true;
	}
	sink->rma->txm = NULL;
	weft_rxm_fail(sink, status, out);
	weft_txm_put(txm, out);
	return false;
}

/* The operation of a source ends. */
static void weft_rma_source_over(struct weft_txm *txm, struct weft_out *out)
{
	bool all = txm->sent == txm->len && !txm->nrec;
	struct weft_rxm *rxm = txm->rxm;

	if (rxm->rma->txm) {
		rxm->rma->txm = NULL;
		weft_txm_put(txm, out);
	}
	if (!rxm->bulk.over)
		weft_rxm_finish(rxm, all ? 0 : txm->status ?: ECONNRESET, out);
}

/**
 * weft_rma_send_over - an operation with a sink, or that of a source, ends
 * @txm: the send; its path is locked; the caller has a reference
 * @out: output
 */
void weft_rma_send_over(struct weft_txm *txm, struct weft_out *out)
{
	weft_assert_held(&txm->path->lock);
	if (txm->source)
		weft_rma_source_over(txm, out);
	else
		weft_rma_stop(txm, ECANCELED, out);
}

/* An operation that has kept its turn is over. */
static void weft_rma_unhold(struct weft_rxm *rxm, struct weft_out *out)
{
	struct weft_flow *flow = rxm->rma->cold;

	weft_assert_held(&rxm->path->lock);
	if (rxm->rma->held) {
		rxm->rma->held = false;
		weft_recv_executed(rxm, out);
	}
	if (flow) {
		rxm->rma->cold = NULL;
		WRITE_ONCE(flow->cold, flow->cold - 1);
		weft_flow_put(flow);
	}
}

/* Count an operation of a peer that has been executed. */
static void weft_rma_executed(struct weft_rxm *rxm, struct weft_out *out)
{
	const struct weft_rma *rma = rxm->rma;
	bool read = weft_req_fetches(rma->op);
	struct weft_ep *ep = rxm->ep;
	struct weft_cq *cntr;

	/* the initiator has the bytes, so it needs no DONE */
	if (read && rma->len) {
		rxm->flags &= ~WEFT_MSG_PLACED;
		rxm->bulk.aborted = true;
	}
	if (weft_req_atomic(rma->op))
		weft_count(ep->core, rma_atomics);
	else if (read)
		weft_count(ep->core, rma_reads);
	else
		weft_count(ep->core, rma_writes);
	weft_lock(&ep->lock);
	cntr = ep->rma_cntr[read ? WEFT_CNTR_REMOTE_READ : WEFT_CNTR_REMOTE_WRITE];
	if (unlikely(cntr))
		weft_cq_count(cntr, false, out);
	weft_unlock(&ep->lock);
}

/**
 * weft_rma_over - a message with a one-sided operation ends
 * @rxm: the message, over; its path is locked
 * @err: errno of the operation, 0: success
 * @told: errno for the initiator
 * @out: output
 */
void weft_rma_over(struct weft_rxm *rxm, int err, int told, struct weft_out *out)
{
	struct weft_rma *rma = rxm->rma;
	struct weft_txm *txm;

	weft_assert_held(&rxm->path->lock);
	if (!rma)
		return;
	txm = rma->txm;
	rma->txm = NULL;
	if (rma->role == WEFT_RMA_SINK) {
		/* the target knows it from the acknowledgements */
		rxm->bulk.aborted = !err;
		if (rxm->bulk.ltxm && !err)
			rxm->bulk.ltxm->sent = rxm->len;
		if (txm)
			weft_send_end(txm, err, out);
	} else {
		if (!err)
			weft_rma_executed(rxm, out);
		if (txm && txm->bulk.lrxm)
			weft_rxm_fail(txm->bulk.lrxm, told ?: ECONNRESET, out);
		if (txm)
			weft_send_over(txm, out);
		if (rma->sink)
			weft_rma_give(rxm, told ?: ECONNRESET, out);
		weft_rma_unhold(rxm, out);
	}
	if (txm)
		weft_txm_put(txm, out);
}
