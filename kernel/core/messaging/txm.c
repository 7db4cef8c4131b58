// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - a send, from its entry in the ring to its completion
 *
 *	free --a ring entry is taken--> under way --level reached, or failed--> reported
 *	--last reference dropped--> free
 *
 * Every kind of send uses these steps: to other nodes, within the node, datagrams.
 *
 * Locks: ep->sq_mutex, path->lock or ep->lock, as the comment of each function says.
 */
#include "core/messaging/fast.h"
#include "core/transport/emit.h"

/* Set ep->tx.hand to a free send, NULL: none. The endpoint is locked, and its sq_mutex is held. */
static void weft_send_next(struct weft_ep *ep)
{
	struct weft_list *l = weft_list_first(&ep->tx.free);

	weft_assert_held(&ep->lock);
	if (likely(l))
		weft_list_del(l);
	ep->tx.hand = l ? weft_entry(l, struct weft_txm, node) : NULL;
}

/**
 * weft_send_hand - set ep->tx.hand to a free send
 * @ep: the endpoint; ep->sq_mutex is held, ep->tx.hand is NULL
 *
 * Return: true if it is set; false: no send is free and the ring has to wait.
 */
bool weft_send_hand(struct weft_ep *ep)
{
	weft_mutex_assert_held(&ep->sq_mutex);
	weft_lock(&ep->lock);
	weft_send_next(ep);
	ep->tx.stalled = !ep->tx.hand;
	weft_unlock(&ep->lock);
	return ep->tx.hand;
}

/**
 * weft_send_grow - allocate more sends
 * @ep: the endpoint; ep->sq_mutex is held; no send is free
 * @out: output
 *
 * Context: may sleep.
 * Return: true if ep->tx.hand is set; false: the ring has as many sends as slots, or there is no
 * memory. Then it waits until one of its sends, of which it has at least a block, is free. Without
 * memory a timer tries again, too: its sends may wait for one that is still in the ring.
 */
bool weft_send_grow(struct weft_ep *ep, struct weft_out *out)
{
	weft_mutex_assert_held(&ep->sq_mutex);
	if (ep->tx.ntxms == ep->conf.sq_slots)
		return false;
	if (weft_ep_txms(ep)) {
		WRITE_ONCE(ep->tx.starved, true);
		weft_core_retry(ep, out->now);
		return false;
	}
	WRITE_ONCE(ep->tx.starved, false);
	return weft_send_hand(ep);
}

/* Count @n more sends under way, which hold their slots. Their endpoint is locked. */
static void weft_send_uses(struct weft_ep *ep, u32 n)
{
	weft_assert_held(&ep->lock);
	WRITE_ONCE(ep->tx.ntxm, ep->tx.ntxm + n);
	ep->tx.nheld += n;
}

/* A free send is used. It has one reference, which belongs to the operation. */
static void weft_txm_use(struct weft_txm *txm)
{
	refcount_set(&txm->ref, 1);
	txm->tx.held = true;
	txm->tx.told = false;
	txm->tx.done = NULL;
	txm->path = NULL;
	txm->flow = NULL;
	txm->buf = NULL;
	txm->seg = 0;
}

/* Take the send from ep->tx.hand, and have the next one there if one is free. */
static struct weft_txm *weft_send_use(struct weft_ep *ep)
{
	struct weft_txm *txm = ep->tx.hand;

	weft_ep_get(ep);
	weft_txm_use(txm);
	weft_lock(&ep->lock);
	weft_send_uses(ep, 1);
	weft_send_next(ep);
	weft_unlock(&ep->lock);
	txm->tx.done = ep->tx.done;
	if (unlikely(txm->tx.done))
		weft_cq_get(txm->tx.done);
	return txm;
}

/* Set what a new send is whatever its entry says. The references are taken. */
static void weft_txm_begin(struct weft_txm *txm, struct weft_flow *flow)
{
	txm->path = flow->path;
	txm->flow = flow;
	txm->no = 0;
	txm->more = NULL;
	txm->state = WEFT_TXM_WAIT;
	txm->user = false;
	txm->begun = false;
	txm->eager = false;
	txm->tx.placed = false;
	txm->fault = false;
	txm->mseq = 0;
	txm->sid = 0;
	txm->bulk.rid = 0;
	txm->sent = 0;
	txm->bulk.granted = 0;
	txm->bulk.pinned = 0;
	txm->nrec = 0;
	txm->bulk.lrxm = NULL;
	txm->req = 0;
}

/**
 * weft_send_take - turn an entry into a send
 * @ep: the endpoint; ep->sq_mutex is held, ep->tx.hand is set
 * @e: the entry
 * @flow: its flow; its path is not locked
 *
 * Return: the send, not yet on a list of the flow. The caller sets its payload.
 */
struct weft_txm *weft_send_take(struct weft_ep *ep, const struct weft_sq_entry *e,
				struct weft_flow *flow)
{
	struct weft_txm *txm = weft_send_use(ep);

	weft_mutex_assert_held(&ep->sq_mutex);
	weft_path_get(flow->path);
	weft_txm_begin(txm, flow);
	txm->tx.op = e->op;
	txm->flags = e->flags;
	txm->tx.context = e->context;
	txm->tx.tag = e->tag;
	txm->tx.data = e->data;
	txm->tx.len = e->len;
	txm->len = e->len;
	return txm;
}

/**
 * weft_send_take_run - take sends for several entries in a row
 * @ep: the endpoint; ep->sq_mutex is held, ep->tx.hand is set
 * @flow: their flow; its path is locked
 * @n: number of sends that are wanted, at least 1
 * @run: out: list of them
 *
 * As weft_send_take() makes them, but without the fields that their entries decide.
 *
 * Return: number of sends, at least 1.
 */
u32 weft_send_take_run(struct weft_ep *ep, struct weft_flow *flow, u32 n, struct weft_list *run)
{
	struct weft_list *first, *last = &ep->tx.free, *l;
	u32 got = 1;

	weft_mutex_assert_held(&ep->sq_mutex);
	weft_assert_held(&flow->path->lock);
	weft_list_init(run);
	weft_list_add_tail(run, &ep->tx.hand->node);
	weft_lock(&ep->lock);
	first = ep->tx.free.next;
	for (; got < n && last->next != &ep->tx.free; got++)
		last = last->next;
	if (got > 1)
		weft_list_move_run(run, first, last);
	weft_send_uses(ep, got);
	weft_send_next(ep);
	weft_unlock(&ep->lock);
	refcount_add(got, &ep->ref);
	refcount_add(got, &flow->path->ref);
	weft_list_for_each(l, run) {
		struct weft_txm *txm = weft_entry(l, struct weft_txm, node);

		weft_txm_use(txm);
		weft_txm_begin(txm, flow);
	}
	return got;
}

/*
 * Return: true if a send with these flags and this result has a completion. A trigger may want
 * none, also if it fails.
 */
static bool weft_send_reports(u16 flags, int status)
{
	return flags & WEFT_SQ_COMPLETION || (status && likely(!(flags & WEFT_SQ_ALONE)));
}

/* weft_send_count(), where a counter may count */
static noinline void weft_send_add(struct weft_ep *ep, u8 op, u16 flags, struct weft_cq *done,
				   int status, struct weft_out *out)
{
	struct weft_cq *cntr = ep->tx_cntr;

	if (unlikely(flags & WEFT_SQ_ALONE)) {
		if (done && READ_ONCE(ep->state) != WEFT_EPS_DEAD)
			weft_cq_count(done, status, out);
		if (!(flags & WEFT_SQ_COMPLETION))
			return;
	}
	if (weft_sq_is_rma(op))
		cntr = ep->rma_cntr[weft_sq_fetches(op) ? WEFT_CNTR_READ : WEFT_CNTR_WRITE];
	if (cntr && READ_ONCE(ep->state) != WEFT_EPS_DEAD)
		weft_cq_count(cntr, status, out);
}

/*
 * Count a completion. The caller holds ep->lock or sq_mutex and has written the completion. @done:
 * counts the end of a trigger's operation, NULL: nothing does.
 */
static __always_inline void weft_send_count(struct weft_ep *ep, u8 op, u16 flags,
					    struct weft_cq *done, int status,
					    struct weft_out *out)
{
	if (unlikely(flags & WEFT_SQ_ALONE || weft_sq_is_rma(op) || ep->tx_cntr))
		weft_send_add(ep, op, flags, done, status, out);
}

/*
 * Write a completion of the operation @op, or have it wait in @txm. The reference of the caller is
 * taken over.
 */
static void weft_send_post(struct weft_ep *ep, struct weft_txm *txm, const struct weft_cqe *c,
			   u8 op, struct weft_out *out)
{
	bool waits = false;

	weft_lock(&ep->lock);
	if (ep->state != WEFT_EPS_DEAD && ep->tx_cq) {
		txm->tx.waits = true;
		waits = !weft_ep_complete(ep, ep->tx_cq, c, NULL, 0, &txm->ovf, out);
		if (!waits)
			txm->tx.waits = false;
	}
	weft_send_count(ep, op, txm->flags, txm->tx.done, c->status, out);
	if (!waits)
		weft_send_release(ep, txm);
	weft_unlock(&ep->lock);
	if (!waits)
		weft_txm_put(txm, out);
}

/*
 * Write the completion of an entry in its place. Return: true; false: the queue is full,
 * completions wait in it, or it is in error.
 */
static bool weft_send_write(struct weft_ep *ep, const struct weft_sq_entry *e,
			    struct weft_out *out)
{
	struct weft_cq *cq = ep->tx_cq;
	struct weft_cqe *c;
	bool done;

	weft_lock(&cq->lock);
	done = likely(weft_list_empty(&cq->waiting)) && weft_cq_space(cq, 1) && !cq->bad;
	if (likely(done)) {
		c = weft_cq_slot(cq);
		weft_send_fill(c, ep, e->context, e->tag, e->len, e->op, e->err);
		weft_trace_complete(ep, c->context, c->tag, c->len, c->flags, c->status);
		weft_cq_put_entry(cq, c, NULL, 0);
		weft_cq_show(cq);
		weft_cq_wake(cq, out);
	}
	weft_unlock(&cq->lock);
	return done;
}

/**
 * weft_send_cqe - complete an entry without a struct weft_txm
 * @ep: the endpoint; ep->sq_mutex is held, ep->tx.hand is set
 * @e: the entry; e->err is its result
 * @out: output
 */
void weft_send_cqe(struct weft_ep *ep, const struct weft_sq_entry *e, struct weft_out *out)
{
	struct weft_cqe *c = &ep->tx.cqe;

	weft_mutex_assert_held(&ep->sq_mutex);
	if (likely(!e->err) && !weft_sq_is_rma(e->op))
		weft_measure(ep->core, send, 0);
	if (weft_send_reports(e->flags, e->err) && ep->tx_cq && !weft_send_write(ep, e, out)) {
		weft_send_fill(c, ep, e->context, e->tag, e->len, e->op, e->err);
		if (unlikely(!weft_ep_complete(ep, ep->tx_cq, c, NULL, 0, NULL, out))) {
			struct weft_txm *txm = weft_send_use(ep);

			txm->flags = e->flags;
			weft_send_post(ep, txm, c, e->op, out);
			return;
		}
	}
	weft_send_count(ep, e->op, e->flags, ep->tx.done, e->err, out);
}

/**
 * weft_send_done - report that a send has reached its level or has failed
 * @txm: the send; its path is locked (or it is on no list yet); the caller has a reference
 * @status: errno, 0: success
 * @out: output
 */
void weft_send_done(struct weft_txm *txm, int status, struct weft_out *out)
{
	struct weft_cqe c;

	weft_assert_held(&txm->path->lock);
	if (txm->tx.told || (unlikely(txm->rxm) && status && weft_rma_stop(txm, status, out)))
		return;
	txm->tx.told = true;
	if (likely(!status) && !weft_sq_is_rma(txm->tx.op))
		weft_measure(txm->ep->core, send, txm->no ? weft_since(out->now, txm->at) : 0);
	if (!weft_send_reports(txm->flags, status)) {
		weft_lock(&txm->ep->lock);
		weft_send_count(txm->ep, txm->tx.op, txm->flags, txm->tx.done, status, out);
		weft_send_release(txm->ep, txm);
		weft_unlock(&txm->ep->lock);
		return;
	}
	weft_send_fill(&c, txm->ep, txm->tx.context, txm->tx.tag, txm->tx.len, txm->tx.op, status);
	weft_txm_get(txm);
	weft_send_post(txm->ep, txm, &c, txm->tx.op, out);
}

/*
 * Copy payload through the pin cache, so that the pages are resident for the next send of a polled
 * ring.
 */
static int weft_send_pinned(struct weft_ep *ep, const struct weft_sq_entry *e, u32 off, void *dst,
			    u32 len, u32 piece, u32 skip)
{
	struct weft_mem *win = ep->tx.win;
	int err = 0;

	ep->tx.win = NULL;
	if (!win)
		err = weft_mem_make(ep->conf.mc, &e->vec, 0, (u32)e->len, WEFT_MEM_READ, &win);
	if (err)
		return err;
	err = weft_mem_scatter(win, off, dst, len, piece, skip);
	/* for the next part */
	ep->tx.win = win;
	return err;
}

/**
 * weft_send_payload - copy bytes of an entry's payload
 * @ep: the endpoint; ep->sq_mutex is held
 * @e: the entry, still in the ring
 * @off: first byte
 * @dst: where to copy them
 * @len: bytes; all of the entry's, in one piece, if they are in the ring
 * @piece: bytes of a contiguous piece of @dst
 * @skip: bytes of @dst between two pieces
 *
 * Context: may sleep.
 * Return: 0, -EFAULT, -ENOMEM.
 */
int weft_send_payload(struct weft_ep *ep, const struct weft_sq_entry *e, u32 off, void *dst,
		      u32 len, u32 piece, u32 skip)
{
	weft_mutex_assert_held(&ep->sq_mutex);
	if (e->inl) {
		weft_ring_payload(&ep->tx.ring, e, dst);
		return 0;
	}
	if (!e->len)
		return 0;
	if (unlikely(READ_ONCE(ep->polled) || ep->tx.win))
		return weft_send_pinned(ep, e, off, dst, len, piece, skip);
	return weft_user_read(ep->conf.mc, &e->vec, off, dst, len, piece, skip);
}

/*
 * Copy @len bytes of an entry's payload from @off on into pieces of @seg bytes at @dst, each behind
 * a gap. The first piece has other @skip bytes before them. Return: 0, -EFAULT, -ENOMEM.
 */
static int weft_send_pieces(struct weft_ep *ep, const struct weft_sq_entry *e, u32 off, u8 *dst,
			    u32 len, u32 seg, u32 skip)
{
	u32 n = skip ? min(len, seg - skip) : 0;
	int err = 0;

	if (n)
		err = weft_send_payload(ep, e, off, dst + WEFT_GAP + skip, n, n, 0);
	if (err || n == len)
		return err;
	dst += n ? seg + WEFT_GAP : 0;
	return weft_send_payload(ep, e, off + n, dst + WEFT_GAP, len - n, seg, WEFT_GAP);
}

/*
 * Copy @nhead bytes and an entry's payload into memory from which its packets leave without a copy.
 * Return: 0; -ENOBUFS: the bytes need contiguous memory; -EFAULT, -ENOMEM.
 */
static int weft_send_store(struct weft_ep *ep, const struct weft_flow *flow,
			   const struct weft_sq_entry *e, const void *head, u32 nhead,
			   struct weft_kept *k)
{
	u32 most, off, n, i, len = nhead + (u32)e->len, seg = 0, skip = nhead;
	const struct weft_path *path = flow->path;
	int err = 0;

	weft_mutex_assert_held(&ep->sq_mutex);
	if (!path->local && !e->inl && len > WEFT_SHORT_MAX)
		seg = weft_frame_seg(path, WEFT_GAP - WEFT_WIRE_HDR);
	k->each = WEFT_STORE_BLOCK / (seg + WEFT_GAP);
	most = k->each * seg;
	if (!most || len > WEFT_STORE_PARTS * most)
		return -ENOBUFS;
	for (i = 0, off = 0; off < len && !err; off += n, i++) {
		n = min(most, len - off);
		k->part[i] = weft_store_get(&ep->tx.store,
					    n + DIV_ROUND_UP(n, seg) * WEFT_GAP);
		if (!k->part[i]) {
			err = -ENOBUFS;
			break;
		}
		if (skip)
			memcpy(k->part[i] + WEFT_GAP, head, skip);
		err = weft_send_pieces(ep, e, off + skip - nhead, k->part[i], n - skip, seg, skip);
		skip = 0;
	}
	if (!err) {
		k->seg = seg;
		return 0;
	}
	weft_parts_put(k->part);
	return err;
}

/*
 * Copy @nhead bytes, and an entry's payload, or @pay, into contiguous memory. Return: 0, -EFAULT,
 * -ENOMEM.
 */
static int weft_send_flat(struct weft_ep *ep, const struct weft_sq_entry *e, const void *head,
			  u32 nhead, const void *pay, struct weft_kept *k)
{
	u32 len = (u32)e->len;
	int err = 0;

	if (!(nhead + len))
		return 0;
	k->buf = weft_alloc_bytes(nhead + len);
	if (!k->buf)
		return -ENOMEM;
	if (nhead)
		memcpy(k->buf, head, nhead);
	if (pay)
		memcpy(k->buf + nhead, pay, len);
	else
		err = weft_send_payload(ep, e, 0, k->buf + nhead, len, len, 0);
	if (err)
		weft_free(k->buf);
	return err;
}

/**
 * weft_send_hold - copy the bytes of a send into kernel memory
 * @ep: the endpoint; ep->sq_mutex is held
 * @flow: its flow
 * @e: the entry
 * @head: bytes before its payload: the request of a one-sided operation
 * @nhead: number of these bytes, at most WEFT_REQ_MAX
 * @pay: the payload, NULL: to be read from the entry
 * @k: out: the memory; unused if it fails
 *
 * Context: may sleep.
 * Return: 0, -EFAULT, -ENOMEM.
 */
int weft_send_hold(struct weft_ep *ep, const struct weft_flow *flow, const struct weft_sq_entry *e,
		   const void *head, u32 nhead, const void *pay, struct weft_kept *k)
{
	int err = -ENOBUFS;

	weft_mutex_assert_held(&ep->sq_mutex);
	memset(k, 0, sizeof(*k));
	if (!pay)
		err = weft_send_store(ep, flow, e, head, nhead, k);
	if (err == -ENOBUFS)
		err = weft_send_flat(ep, e, head, nhead, pay, k);
	return err;
}

/**
 * weft_send_held - give a send the memory that holds its bytes
 * @txm: the send
 * @k: the memory, taken over
 */
void weft_send_held(struct weft_txm *txm, const struct weft_kept *k)
{
	weft_mutex_assert_held(&txm->ep->sq_mutex);
	txm->buf = k->buf;
	txm->seg = k->seg;
	txm->each = k->each;
	memcpy(txm->part, k->part, sizeof(k->part));
}

/**
 * weft_send_keep - turn an entry into a send that holds its payload
 * @ep: the endpoint; ep->sq_mutex is held, ep->tx.hand is set
 * @e: the entry
 * @flow: its flow
 * @pay: its payload, NULL: to be read from the entry
 *
 * Context: may sleep.
 * Return: the send, as weft_send_take() makes it; ERR_PTR: not taken.
 */
struct weft_txm *weft_send_keep(struct weft_ep *ep, const struct weft_sq_entry *e,
				struct weft_flow *flow, const void *pay)
{
	bool user = !pay && e->len > weft_send_most(ep, flow);
	struct weft_kept k;
	struct weft_txm *txm;
	int err = 0;

	weft_mutex_assert_held(&ep->sq_mutex);
	if (unlikely(weft_sq_is_rma(e->op)))
		return weft_rma_keep(ep, e, flow);
	if (!user)
		err = weft_send_hold(ep, flow, e, NULL, 0, pay, &k);
	if (err)
		return ERR_PTR(err);
	txm = weft_send_take(ep, e, flow);
	txm->user = user;
	if (user)
		txm->bulk.vec = e->vec;
	else
		weft_send_held(txm, &k);
	return txm;
}

/**
 * weft_fence_go - have a worker look at the held sends of an endpoint
 * @flow: a flow with held sends; its path is locked
 * @out: output
 */
void weft_fence_go(struct weft_flow *flow, struct weft_out *out)
{
	struct weft_ep *ep = flow->ep;

	weft_assert_held(&flow->path->lock);
	weft_lock(&ep->lock);
	WRITE_ONCE(ep->tx.aside, true);
	weft_ep_sq_defer(ep, out);
	weft_unlock(&ep->lock);
}

/**
 * weft_fence_check - schedule the held sends of a flow, if no send is under way
 * @flow: a flow with held sends; its path is locked
 * @out: output
 */
void weft_fence_check(struct weft_flow *flow, struct weft_out *out)
{
	weft_assert_held(&flow->path->lock);
	/* a flow that waits for its endpoint has a timer, unless that found no held send */
	if (weft_contact_held(flow) ? flow->again.at == U64_MAX : weft_list_empty(&flow->txms))
		weft_fence_go(flow, out);
}

/**
 * weft_send_over - end the operation of a send; unacknowledged records keep references
 * @txm: the send; its path is locked
 * @out: output
 */
void weft_send_over(struct weft_txm *txm, struct weft_out *out)
{
	struct weft_flow *flow = txm->flow;
	u32 i;

	weft_assert_held(&txm->path->lock);
	if (txm->state == WEFT_TXM_OVER)
		return;
	if (txm->state == WEFT_TXM_WAIT)
		flow->nwait--;
	if (!txm->path->local)
		txm->path->nwait--;
	txm->state = WEFT_TXM_OVER;
	weft_send_headed(txm);
	if (unlikely(flow->unparked == txm))
		flow->unparked = NULL;
	weft_list_del(&txm->node);
	weft_list_del(&txm->qnode);
	weft_idtable_del(&txm->path->msg.sids, &txm->bulk.idnode);
	for (i = 0; i < ARRAY_SIZE(txm->win); i++)
		weft_win_drop(&txm->win[i]);
	if (unlikely(!weft_list_empty(&flow->fenced)))
		weft_fence_check(flow, out);
	if (unlikely(txm->req))
		weft_idtable_del(&txm->path->msg.gets, &txm->bulk.gnode);
	if (unlikely(txm->rxm))
		weft_rma_send_over(txm, out);
	if (txm->user && txm->sent && txm->nrec)
		weft_lane_withdraw(flow->path, weft_class_lane(flow, WEFT_CLASS_DATA), txm, out);
	weft_txm_put(txm, out);
	weft_flow_check(flow, out);
	weft_flow_put(flow);
}

/**
 * weft_send_end - end a send whose outcome the receiver has reported
 * @txm: the send; its path is locked; the caller or a list has a reference
 * @status: errno, 0: success
 * @out: output
 *
 * An eager send is over when its records are acknowledged, too.
 */
void weft_send_end(struct weft_txm *txm, int status, struct weft_out *out)
{
	weft_assert_held(&txm->path->lock);
	txm->tx.placed = true;
	weft_send_done(txm, status, out);
	if (!txm->eager || (txm->state == WEFT_TXM_SENT && !txm->nrec))
		weft_send_over(txm, out);
}

/**
 * weft_send_acked - process the acknowledgement of a record with bytes of a send
 * @txm: the send; its path is locked
 * @rec: the record
 * @out: output
 */
void weft_send_acked(struct weft_txm *txm, struct weft_rec *rec, struct weft_out *out)
{
	weft_assert_held(&txm->path->lock);
	switch (txm->state) {
	case WEFT_TXM_SENT:
		if (txm->nrec)
			break;
		weft_send_headed(txm);
		if (!(txm->flags & WEFT_SQ_TOLD))
			weft_send_done(txm, 0, out);
		if (txm->tx.told && (!(txm->flags & WEFT_SQ_TRACKED) || txm->tx.placed))
			weft_send_over(txm, out);
		break;
	case WEFT_TXM_GRANT:
		if (rec->txm == txm && rec->mem) {
			txm->win[rec->win].busy--;
			weft_send_step(txm, out);
		}
		/* its receiver, who has asked for the bytes, sends no DONE */
		if (unlikely(txm->source) && txm->sent == txm->len && !txm->nrec)
			weft_send_over(txm, out);
		break;
	case WEFT_TXM_OVER:
		weft_send_late(txm);
		break;
	}
}
