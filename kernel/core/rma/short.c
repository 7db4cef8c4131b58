// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - short operations of this node's programs, copied straight into the open packet
 *
 * The most frequent operation has its bytes in the ring, or in resident memory, and one remote
 * segment. Its flow may send, so its request and its bytes go into the open packet at once. The
 * record keeps them, and the struct weft_txm that waits for the answer has no memory of its own. A
 * short read, or an atomic operation with results, has a window for the bytes that answer it, and
 * no sink:
 *
 *	ring entry --(weft_rma_short())--> open packet, SENT --DONE--> OVER
 *	          \---(weft_rma_alone())--> the port's packet, SENT --bytes (weft_rma_got())--> OVER
 *
 * Writes in a row that differ only in address, bytes and context go into the open packet as one
 * chunk WRITES, under one lock. Each has its struct weft_txm.
 *
 * Every other operation takes the slow path (origin.c).
 *
 * Locks: ep->sq_mutex, held by the caller of weft_rma_short(), weft_rma_writes() and
 * weft_rma_alone(), which take path->lock; others are called with path->lock.
 */
#include "core/rma/rma.h"
#include "core/transport/emit.h"

/* Return: true if an entry has the form of a short operation. *@bytes: those behind its request. */
static bool weft_short_form(const struct weft_sq_entry *e, u32 *bytes)
{
	if (e->nrem != 1 || !weft_short_len(e->op, e->len))
		return false;
	*bytes = 0;
	if (e->op == WEFT_SQ_READ)
		return e->len;
	if (e->op == WEFT_SQ_WRITE) {
		*bytes = (u32)e->len;
		return e->inl || !e->len || e->vec.n == 1;
	}
	/* else the slow path refuses it */
	if (e->len > WEFT_INLINE_MAX || weft_rma_atomic_check(e))
		return false;
	*bytes = weft_sq_operands(e);
	return *bytes <= WEFT_SHORT_WRITE && (e->inl || !*bytes);
}

/* Return: bytes of the chunk of an operation with @bytes behind its request. */
static u32 weft_short_size(u32 bytes)
{
	return weft_wire_size(sizeof(struct weft_w_eager) + WEFT_REQ_ONE + bytes);
}

/* Return: bytes of credit that an operation with @bytes behind its request uses. */
static u32 weft_short_counts(u32 bytes)
{
	return weft_wire_counts(WEFT_MSG_RMA, WEFT_REQ_ONE + bytes);
}

/*
 * Get the window for the bytes that an operation brings. Return: the window; NULL: its memory is
 * not resident. The slow path makes it resident for the next operation.
 */
static struct weft_mem *weft_short_window(struct weft_ep *ep, const struct weft_sq_entry *e)
{
	struct weft_mem *mem = NULL;

	if (weft_mem_get(ep->conf.mc, &e->vec, 0, (u32)e->len, WEFT_MEM_WRITE, &mem))
		return NULL;
	return mem;
}

/*
 * Begin a short operation. *@bytes: those behind its request; *@mem: window for the bytes that it
 * brings, NULL: none. Return: true; false: the slow path has to process it.
 */
static bool weft_short_begin(struct weft_ep *ep, const struct weft_sq_entry *e, u32 *bytes,
			     struct weft_mem **mem)
{
	*mem = NULL;
	if (!weft_short_form(e, bytes))
		return false;
	if (weft_sq_fetches(e->op))
		*mem = weft_short_window(ep, e);
	return *mem || !weft_sq_fetches(e->op);
}

/*
 * Return: true if a flow may send an operation that uses @counts bytes of credit now. Its path is
 * locked.
 */
static bool weft_short_may(const struct weft_path *path, const struct weft_lane *lane,
			   const struct weft_flow *flow, u32 counts)
{
	return weft_send_may(path, lane, flow, counts) && path->peer_caps & WEFT_HELLO_RMA;
}

/*
 * The operation is in a packet: keep a send until it is answered. @mem: window for the bytes that
 * it brings, taken over, NULL: none; @id: their rendezvous id.
 */
static void weft_short_keep(struct weft_ep *ep, const struct weft_sq_entry *e,
			    struct weft_flow *flow, struct weft_rec *rec, u32 len,
			    struct weft_mem *mem, u32 id, weft_ns now)
{
	struct weft_txm *txm = weft_send_take(ep, e, flow);
	struct weft_path *path = flow->path;

	txm->tx.data = 0;
	txm->begun = true;
	txm->eager = true;
	txm->state = WEFT_TXM_SENT;
	txm->req = WEFT_REQ_ONE;
	txm->len = len;
	txm->sent = len;
	txm->mseq = flow->id.mseq;
	if (mem) {
		txm->win[0].mem = mem;
		txm->win[0].left = (u32)e->len;
		txm->win[0].state = WEFT_WIN_READY;
		txm->bulk.rid = id;
		weft_idtable_add(&path->msg.gets, &txm->bulk.gnode, id);
	}
	flow->ref++;
	weft_txm_enter(txm, &flow->txms, now);
	weft_idtable_add(&path->msg.sids, &txm->bulk.idnode,
			 weft_eager_id(flow->id.sgen, txm->mseq));
	weft_path_needs(path, now);
	weft_rec_ref(rec, flow, txm);
}

/*
 * Return: true if the report of an operation may wait for the next packet of the target: the
 * program hears of failures only, and the ring has many free slots.
 */
static bool weft_short_lazy(const struct weft_ep *ep, const struct weft_sq_entry *e)
{
	return !(e->flags & (WEFT_SQ_COMPLETION | WEFT_SQ_TRACKED)) &&
	       !ep->rma_cntr[WEFT_CNTR_WRITE] && !weft_sq_fetches(e->op) &&
	       READ_ONCE(ep->tx.nheld) < ep->tx.ring.size / 8;
}

/*
 * Copy the @bytes behind the request of an operation to their place in a packet, which has space
 * for it. Return: true; false: they are not resident.
 */
static bool weft_short_bytes(struct weft_ep *ep, const struct weft_sq_entry *e, u32 bytes,
			     struct weft_rec *rec)
{
	u32 head = WEFT_WIRE_CHUNK + sizeof(struct weft_w_eager) + WEFT_REQ_ONE;
	u8 *dst = rec->raw + rec->len;

	/* padding */
	*(u32 *)(dst + weft_short_size(bytes) - sizeof(u32)) = 0;
	if (likely(e->inl || !bytes)) {
		weft_ring_bytes(&ep->tx.ring, bytes, dst + head);
		return true;
	}
	return !weft_user_peek(ep->conf.mc, e->vec.seg[0].addr, dst + head, bytes);
}

/*
 * Append an operation to a packet, which has its bytes already. @bytes: their number; @mem: as for
 * weft_short_keep().
 */
static void weft_short_put(struct weft_ep *ep, struct weft_flow *flow,
			   const struct weft_sq_entry *e, u32 bytes, struct weft_mem *mem,
			   struct weft_rec *rec, weft_ns now)
{
	u32 len = WEFT_REQ_ONE + bytes;
	u8 *dst = rec->raw + rec->len;
	struct weft_req req weft_unset;
	struct weft_head h weft_unset;	/* weft_send_head() sets all fields */

	weft_send_head(&h, flow, ++flow->id.mseq, 0, e->flags & WEFT_SQ_DATA ? e->data : 0, len,
		       e->op, e->flags);
	if (weft_short_lazy(ep, e))
		h.flags &= ~WEFT_MSG_PLACED;
	weft_rma_request(&req, ep, e, false);
	if (mem) {
		req.id = weft_path_new_id(flow->path, WEFT_RMA_ID);
		req.granted = e->len;
	}
	dst += weft_wire_eager_put(dst, &h, 0, len);
	weft_wire_req_put(dst, &req);
	weft_credit_use(flow, weft_short_counts(bytes));
	rec->len += weft_short_size(bytes);
	weft_short_keep(ep, e, flow, rec, len, mem, req.id, now);
}

/**
 * weft_rma_short - copy a short operation into the open packet, if nothing prevents that
 * @ep: the endpoint; ep->sq_mutex is held, ep->tx.hand is set
 * @flow: its flow
 * @e: the entry
 * @more: other entries follow: the packet stays open
 * @out: output
 *
 * Return: true if it is done; false: nothing has changed.
 */
bool weft_rma_short(struct weft_ep *ep, struct weft_flow *flow, const struct weft_sq_entry *e,
		    bool more, struct weft_out *out)
{
	struct weft_path *path = flow->path;
	struct weft_lane *lane = &path->lane[flow->lane];
	struct weft_rec *rec = NULL;
	struct weft_mem *mem;
	u32 bytes;

	weft_mutex_assert_held(&ep->sq_mutex);
	if (!weft_short_begin(ep, e, &bytes, &mem))
		return false;
	weft_lock(&path->lock);
	if (likely(weft_short_may(path, lane, flow, weft_short_counts(bytes))))
		rec = weft_lane_room(path, lane, weft_short_size(bytes), out);
	if (rec && unlikely(!weft_short_bytes(ep, e, bytes, rec)))
		rec = NULL;
	if (likely(rec)) {
		weft_short_put(ep, flow, e, bytes, mem, rec, out->now);
		path->busy |= 1u << lane->no;
		if (!more)
			weft_path_output(path, out);
	}
	weft_unlock(&path->lock);
	if (likely(rec))
		weft_count(ep->core, msgs_eager);
	else if (mem)
		weft_mem_put(mem);
	return rec;
}

/* Return: number of writes, at most @n, that the flow has credit for and @rec has space for. */
static u32 weft_writes_fit(const struct weft_flow *flow, const struct weft_rec *rec, u32 n, u32 len)
{
	u32 space = weft_rec_space(rec), head = weft_wire_size(sizeof(struct weft_w_writes));

	n = min(n, flow->msg_limit - flow->id.mseq);
	return space > head ? min(n, (space - head) / weft_writes_size(len)) : 0;
}

/* Copy a write of @len bytes from its entry @s into its chunk. */
static void weft_writes_copy(const struct weft_ring *r, const struct weft_sqe *s, u32 len, u8 *dst)
{
	struct weft_w_write *w = (void *)dst;

	w->addr = cpu_to_be64(READ_ONCE(s->raddr));
	/* a constant length: the compiler makes no call */
	if (likely(len == sizeof(u64))) {
		memcpy(w->bytes, weft_ring_at(r, r->cons + 1), sizeof(u64));
		return;
	}
	/* zeros fill the last word */
	memset(w->bytes + ALIGN(len, 8) - sizeof(u64), 0, sizeof(u64));
	weft_ring_bytes(r, len, w->bytes);
}

/* Set up the send of a write in a chunk: the next of its flow, with the entry @s. */
static void weft_writes_keep(struct weft_txm *txm, const struct weft_sq_entry *e,
			     const struct weft_sqe *s)
{
	struct weft_flow *flow = txm->flow;

	txm->begun = true;
	txm->eager = true;
	txm->state = WEFT_TXM_SENT;
	txm->req = WEFT_REQ_ONE;
	txm->tx.op = WEFT_SQ_WRITE;
	txm->flags = e->flags;
	txm->tx.context = READ_ONCE(s->context);
	txm->tx.tag = 0;
	txm->tx.data = 0;
	txm->tx.len = e->len;
	txm->len = WEFT_REQ_ONE + e->len;
	txm->sent = txm->len;
	txm->mseq = ++flow->id.mseq;
	weft_idtable_add(&flow->path->msg.sids, &txm->bulk.idnode,
			 weft_eager_id(flow->id.sgen, txm->mseq));
}

/*
 * Append at most @n writes to a packet, which has space for them, with a send for each. @e: the
 * first entry. Return: number of writes; the ring is so many entries further.
 */
static u32 weft_writes_put(struct weft_ep *ep, struct weft_flow *flow,
			   const struct weft_sq_entry *e, u32 n, struct weft_rec *rec, weft_ns now)
{
	struct weft_writes w = {
		.flow = flow->id, .flags = WEFT_MSG_RMA, .auth = flow->auth,
		.uid = ep->conf.uid, .len = (u32)e->len, .key = e->rem[0].key,
	};
	struct weft_txm *first, **more = &first;
	u8 *dst = rec->raw + rec->len;
	struct weft_list run, *l;

	w.flow.mseq++;
	w.flags |= (flow->conn ? WEFT_MSG_CONNECTED : 0) |
		   (weft_short_lazy(ep, e) ? 0 : WEFT_MSG_PLACED);
	w.n = weft_send_take_run(ep, flow, n, &run);
	dst += weft_wire_writes_put(dst, &w);
	weft_list_for_each(l, &run) {
		const struct weft_sqe *s = weft_ring_at(&ep->tx.ring, ep->tx.ring.cons);
		struct weft_txm *txm = weft_entry(l, struct weft_txm, node);

		weft_writes_keep(txm, e, s);
		weft_txm_number(txm, now);
		*more = txm;
		more = &txm->more;
		weft_writes_copy(&ep->tx.ring, s, w.len, dst);
		dst += weft_writes_size(w.len);
		weft_ep_sends(ep, txm->tx.context, e->dst, 0, w.len, WEFT_SQ_WRITE);
		weft_ring_next(&ep->tx.ring, e->nslots);
	}
	rec->len = dst - rec->raw;
	weft_list_splice_tail(&flow->txms, &run);
	flow->ref += w.n;
	weft_path_needs(flow->path, now);
	flow->path->nwait += w.n - 1;
	weft_rec_ref(rec, flow, first);
	return w.n;
}

/**
 * weft_rma_writes - copy short writes in a row into the open packet, as one chunk
 * @ep: the endpoint; ep->sq_mutex is held, ep->tx.hand is set
 * @flow: their flow
 * @e: the first entry, decoded
 * @n: number of entries that differ only in address, bytes and context, at least 2
 * @out: output
 *
 * The packet stays open while other entries follow.
 *
 * Return: number of writes that are done, with the ring so many entries further; 0: nothing has
 * changed.
 */
u32 weft_rma_writes(struct weft_ep *ep, struct weft_flow *flow, const struct weft_sq_entry *e,
		    u32 n, struct weft_out *out)
{
	u32 size = weft_wire_size(sizeof(struct weft_w_writes));
	struct weft_path *path = flow->path;
	struct weft_lane *lane = &path->lane[flow->lane];
	struct weft_rec *rec = NULL;

	weft_mutex_assert_held(&ep->sq_mutex);
	weft_lock(&path->lock);
	if (likely(weft_short_may(path, lane, flow, 0) && path->peer_caps & WEFT_HELLO_WRITES))
		rec = weft_lane_room(path, lane, size + 2 * weft_writes_size((u32)e->len), out);
	n = likely(rec) ? weft_writes_fit(flow, rec, n, (u32)e->len) : 0;
	if (likely(n)) {
		n = weft_writes_put(ep, flow, e, n, rec, out->now);
		path->busy |= 1u << lane->no;
		if (ep->tx.ring.cons == ep->tx.ring.prod)
			weft_path_output(path, out);
	}
	weft_unlock(&path->lock);
	weft_count_add(ep->core, msgs_eager, n);
	return n;
}

/*
 * Return: the flow whose report waits for a packet of the lane, NULL: none. *@alone: out: a packet
 * with one operation and that report is all that the path has to send.
 */
static struct weft_rflow *weft_short_report(const struct weft_path *path,
					    const struct weft_lane *lane, bool *alone)
{
	struct weft_list *l = weft_list_first(&lane->owed);

	*alone = !(path->busy | lane->rcv_ahead) && !weft_lane_waits(lane) &&
		 (!l || l->next == &lane->owed);
	return l ? weft_entry(l, struct weft_rflow, report.owed) : NULL;
}

/*
 * Write an operation into the port's transmit reservation. The path is locked. Return: true; false:
 * something else is to be sent as well, or may not be sent.
 */
static bool weft_short_leave(struct weft_ep *ep, struct weft_flow *flow,
			     const struct weft_sq_entry *e, u32 bytes, struct weft_mem *mem,
			     struct weft_out *out)
{
	struct weft_path *path = flow->path;
	struct weft_lane *lane = &path->lane[flow->lane];
	struct weft_rflow *rf;
	struct weft_rec *rec;
	bool alone;

	weft_assert_held(&path->lock);
	rf = weft_short_report(path, lane, &alone);
	if (unlikely(!alone || !weft_short_may(path, lane, flow, weft_short_counts(bytes)) ||
		     path->nsent >= READ_ONCE(path->core->conf.rec_max)))
		return false;
	/* it is kept when it is acknowledged: that of an open packet may still be in the output */
	rec = weft_rec_new(path);
	if (unlikely(!rec))
		return false;
	out->resv.len = WEFT_WIRE_HDR + weft_short_size(bytes);
	if (rf)
		out->resv.len += weft_wire_size(sizeof(struct weft_w_done));
	out->resv.lane = lane->no;
	if (unlikely(!weft_short_bytes(ep, e, bytes, rec) ||
		     !weft_env_tx_resv(path->core, path, &out->resv))) {
		weft_rec_keep(path, rec);
		return false;
	}
	weft_short_put(ep, flow, e, bytes, mem, rec, out->now);
	if (rf)
		rec->len += weft_report_chunk(rf, rec->raw + rec->len, WEFT_REC_RAW - rec->len);
	weft_lane_number(path, lane, rec, out->now);
	out->resv.psn = rec->psn;
	weft_frame_write(path, lane, rec, out->resv.data, out->now);
	return true;
}

/**
 * weft_rma_alone - send a short operation at once, if its packet is all that the path has to send
 * @ep: the endpoint; ep->sq_mutex is held, ep->tx.hand is set
 * @flow: its flow
 * @e: the entry, the only one in the ring
 * @out: output; out->now is set
 *
 * The packet and the resulting state equal those of weft_rma_short().
 * Return: true if it is sent; false: nothing has changed.
 */
bool weft_rma_alone(struct weft_ep *ep, struct weft_flow *flow, const struct weft_sq_entry *e,
		    struct weft_out *out)
{
	struct weft_path *path = flow->path;
	struct weft_mem *mem;
	u32 bytes;
	bool done;

	weft_mutex_assert_held(&ep->sq_mutex);
	if (!weft_short_begin(ep, e, &bytes, &mem))
		return false;
	/* once for all locks: the path's, and the port's */
	weft_softirqs_off();
	weft_lock_inner(&path->lock);
	done = weft_short_leave(ep, flow, e, bytes, mem, out);
	weft_unlock_inner(&path->lock);
	if (likely(done)) {
		weft_env_send(path->core, path, &out->resv);
		weft_count(path->core, msgs_eager);
		weft_count(path->core, tx_packets);
		weft_count_add(path->core, tx_bytes, out->resv.len);
	} else if (mem) {
		weft_mem_put(mem);
	}
	weft_softirqs_on();
	return done;
}

/* Find an operation whose bytes have the rendezvous id @id. */
static struct weft_txm *weft_short_get(struct weft_path *path, u32 id)
{
	struct weft_list *l;

	weft_list_for_each(l, weft_idtable_chain(&path->msg.gets, id)) {
		struct weft_txm *txm = weft_entry(l, struct weft_txm, bulk.gnode.list);

		if (txm->bulk.rid == id)
			return txm;
	}
	return NULL;
}

/**
 * weft_rma_got - process DATA that no sink takes: the bytes of a short read, or results
 * @path: the path, locked
 * @id: rendezvous id of the bytes
 * @off: offset in them
 * @pay: the bytes
 * @len: number of bytes
 * @piece: bytes of a contiguous piece of @pay
 * @skip: bytes between two pieces
 * @out: output
 *
 * Each chunk is taken once, whatever the order in which they come.
 *
 * Return: true if an operation waited for them.
 */
bool weft_rma_got(struct weft_path *path, u32 id, u64 off, const u8 *pay, u32 len, u32 piece,
		  u32 skip, struct weft_out *out)
{
	struct weft_txm *txm = weft_short_get(path, id);
	struct weft_win *win;
	int err;

	weft_assert_held(&path->lock);
	if (!txm || txm->tx.told || off > txm->tx.len || len > txm->tx.len - off)
		return false;
	win = &txm->win[0];
	if (unlikely(len > win->left))
		return false;
	err = weft_mem_gather(win->mem, (u32)off, pay, len, piece, skip);
	win->left -= len;
	if (err || !win->left)
		weft_send_end(txm, err ? EFAULT : 0, out);
	return true;
}

/**
 * weft_rma_lost - process ABORT of bytes that no sink takes
 * @path: the path, locked
 * @id: rendezvous id of the bytes
 * @err: errno
 * @out: output
 */
void weft_rma_lost(struct weft_path *path, u32 id, int err, struct weft_out *out)
{
	struct weft_txm *txm = weft_short_get(path, id);

	weft_assert_held(&path->lock);
	if (txm && !txm->tx.told)
		weft_send_end(txm, err, out);
}
