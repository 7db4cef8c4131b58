// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - one-sided operations of peers: executed in the turn of their message
 *
 *	request in its turn --refused--> over: DONE with an errno (EACCES: refuse.c)
 *	  |--short, memory resident--> over: DONE, or (a read, results) its source sends the bytes
 *	  |--short, memory not resident--> held: a worker executes it, then the next turn comes
 *	  |--long write--> placed as an announced message is --> over: DONE
 *	  |--atomic, operands announced--> they are gathered in kernel memory, then as a short one
 *	  \--long read--> its source sends the bytes from windows of the region --> over
 *
 * A source is a send without an entry in a ring. It is over when all its bytes are acknowledged.
 *
 * Locks: path->lock, held by the caller; ep->lock is taken here. See Documentation/rma.rst.
 */
#include "core/rma/rma.h"

/* ---- The memory of an operation ---------------------------------------------------- */

/* Enter the regions that a request names. Return: 0, -EACCES. */
static int weft_rma_enter(struct weft_rma *rma, const struct weft_ep *ep, u32 access,
			  const struct weft_req *req)
{
	struct weft_domain *d = ep->conf.domain;
	u32 i;

	for (i = 0; i < req->nseg; i++) {
		const struct weft_rseg *seg = &req->seg[i];
		struct weft_use *use = &rma->use[rma->nuse];

		if (!seg->len)
			continue;
		use->region = weft_region_enter(d, ep->conf.zone, seg->key);
		if (!use->region)
			return -EACCES;
		rma->nuse++;
		use->rma = rma;
		use->off = seg->addr - use->region->base;
		use->len = seg->len;
		weft_list_init(&use->node);
		if (!weft_region_covers(use->region, access, seg->addr, seg->len))
			return -EACCES;
	}
	return 0;
}

/*
 * List the uses of an access, so that the end of a region finds them. Return: 0; -EACCES: a region
 * has ended meanwhile.
 */
static int weft_rma_list(struct weft_rma *rma, struct weft_domain *d)
{
	int err = 0;
	u32 i;

	weft_lock(&d->lock);
	for (i = 0; i < rma->nuse; i++) {
		if (rma->use[i].region->ended)
			err = -EACCES;
		weft_list_add_tail(&rma->use[i].region->uses, &rma->use[i].node);
	}
	weft_unlock(&d->lock);
	return err;
}

/* Return: true if all elements of an atomic operation are aligned to their size, @size. */
static bool weft_rma_aligned(const struct weft_rma *rma, u32 size)
{
	struct weft_vec tmp weft_unset;
	const struct weft_vec *vec;
	u64 off, at, bits = 0;
	u32 n, i;

	for (off = 0; off < rma->len; off += n) {
		at = rma->skip + off;
		n = (u32)(rma->len - off);
		vec = weft_rma_vec(rma, &at, &n, &tmp);
		for (i = 0; i < vec->n; i++)
			bits |= vec->seg[i].addr | vec->seg[i].len;
	}
	return !(bits & (size - 1));
}

/* Check an atomic operation. Return: 0, -EOPNOTSUPP, -EINVAL. */
static int weft_rma_atomic(const struct weft_rma *rma)
{
	u32 size;

	if (!weft_req_atomic(rma->op))
		return 0;
	if (!weft_atomic_valid(rma->op - WEFT_RMA_ATOMIC, rma->aop, rma->atype))
		return -EOPNOTSUPP;
	size = weft_atomic_size(rma->atype);
	return rma->len % size || !weft_rma_aligned(rma, size) ? -EINVAL : 0;
}

/**
 * weft_rma_open - give a message access to the memory that its operation names
 * @rxm: the message
 * @ep: the endpoint, locked; it takes messages
 * @req: the operation
 * @skip: bytes of the message before those of the operation
 *
 * Return: 0: it is in ep->rx.active; negative errno: refused.
 */
int weft_rma_open(struct weft_rxm *rxm, struct weft_ep *ep, const struct weft_req *req, u32 skip)
{
	u32 rights = weft_rma_rights(req);
	struct weft_rma *rma;
	int err = -EACCES;

	weft_assert_held(&ep->lock);
	if (!weft_rma_allowed(ep, req, rights))
		goto denied;
	rma = weft_ep_alloc(ep, sizeof(*rma));
	if (!rma)
		return -ENOMEM;
	rma->role = WEFT_RMA_TARGET;
	rma->op = req->op;
	rma->aop = req->aop;
	rma->atype = req->atype;
	rma->rxm = rxm;
	rma->ovf.kind = WEFT_OVF_RMA;
	rma->skip = req->op == WEFT_RMA_READ || rxm->sid ? 0 : skip;
	rma->len = req->len;
	err = weft_rma_enter(rma, ep, rights, req);
	if (!err)
		err = weft_rma_atomic(rma);
	if (!err)
		err = weft_rma_list(rma, ep->conf.domain);
	if (err) {
		weft_rma_close(rma, ep->conf.domain);
		weft_free(rma);
		goto denied;
	}
	rxm->rma = rma;
	rxm->started = true;
	weft_list_add_tail(&ep->rx.active, &rxm->rx.enode);
	return 0;
denied:
	if (err == -EACCES)
		weft_refuse_report(rxm, ep, req, rights);
	return err;
}

/* ---- Completions of the target's program ------------------------------------------- */

/*
 * Write the completion with the remote CQ data of a write whose bytes are in the region. Return:
 * true if it is written, or has no reader; false: it waits for space.
 */
static bool weft_rma_tell(struct weft_rxm *rxm, struct weft_out *out)
{
	struct weft_rma *rma = rxm->rma;
	struct weft_ep *ep = rxm->ep;
	struct weft_cqe e = {
		.data = rxm->data,
		.len = rma->len,
		.src = rxm->src,
		.flags = WEFT_CQE_WRITE | WEFT_CQE_DATA,
		.ep = (u16)ep->conf.handle,
	};

	weft_lock(&ep->lock);
	if (ep->state != WEFT_EPS_DEAD && ep->rx_cq &&
	    !weft_ep_complete(ep, ep->rx_cq, &e, NULL, 0, &rma->ovf, out)) {
		weft_rxm_get(rxm);
		rma->tells = true;
	}
	weft_unlock(&ep->lock);
	return !rma->tells;
}

/**
 * weft_rma_placed - all bytes of an operation are in their place
 * @rxm: its message, started, or the sink of a read; its path is locked
 * @out: output
 *
 * A write with remote CQ data ends when its completion is written. So the initiator waits, and
 * operations under way bound the completions.
 *
 * Return: true if it has ended; false: its completion waits.
 */
bool weft_rma_placed(struct weft_rxm *rxm, struct weft_out *out)
{
	const struct weft_rma *rma = rxm->rma;

	weft_assert_held(&rxm->path->lock);
	if (unlikely(rxm->flags & WEFT_MSG_DATA) &&
	    (rma->tells || (rma->role == WEFT_RMA_TARGET && !weft_rma_tell(rxm, out))))
		return false;
	weft_rxm_finish(rxm, 0, out);
	return true;
}

/**
 * weft_rma_told - the waiting completion of a write has been written
 * @ovf: the completion; its reference of the message is taken over
 * @out: output
 */
void weft_rma_told(struct weft_ovf *ovf, struct weft_out *out)
{
	struct weft_rma *rma = container_of(ovf, struct weft_rma, ovf);
	struct weft_rxm *rxm = rma->rxm;
	struct weft_path *path = rxm->path;

	weft_lock(&path->lock);
	weft_lock(&rxm->ep->lock);
	rma->tells = false;
	weft_unlock(&rxm->ep->lock);
	/* it may have failed meanwhile */
	weft_rxm_finish(rxm, rxm->err, out);
	weft_path_output(path, out);
	weft_unlock(&path->lock);
	weft_rxm_put(rxm);
}

/* Take back a completion that waits. The endpoint is locked. Return: true if it was waiting. */
static bool weft_rma_untell(struct weft_rma *rma, struct weft_cq *cq)
{
	if (!rma->tells || !cq || !weft_cq_forget(cq, &rma->ovf))
		return false;
	rma->tells = false;
	return true;
}

/**
 * weft_rma_quiet - an operation ends: its completion must not be written any more
 * @rxm: its message, still in ep->rx.active; its endpoint is locked; the caller has a reference
 */
void weft_rma_quiet(struct weft_rxm *rxm)
{
	weft_assert_held(&rxm->ep->lock);
	if (unlikely(weft_rma_untell(rxm->rma, rxm->ep->rx_cq)))
		weft_rxm_put(rxm);
}

/**
 * weft_rma_forget - take back the waiting completions of writes to an endpoint that is dead
 * @ep: the endpoint
 * @cq: its queue of receives
 */
void weft_rma_forget(struct weft_ep *ep, struct weft_cq *cq)
{
	struct weft_list *l;

	weft_lock(&ep->lock);
	weft_list_for_each(l, &ep->rx.active) {
		struct weft_rxm *rxm = weft_entry(l, struct weft_rxm, rx.enode);

		/* not the last reference: the message is not over */
		if (rxm->rma && weft_rma_untell(rxm->rma, cq))
			weft_rxm_put(rxm);
	}
	weft_unlock(&ep->lock);
}

/* ---- Bytes at hand ----------------------------------------------------------------- */

/* Copy between @buf and a window. Return: 0, -EFAULT. */
static int weft_rma_move(struct weft_mem *mem, u8 *buf, u32 len, bool write)
{
	int err = write ? weft_mem_write(mem, 0, buf, len) : weft_mem_read(mem, 0, buf, len);

	if (!err && write && weft_mem_bounced(mem))
		err = weft_mem_flush(mem);
	return err;
}

/*
 * Copy all bytes of an operation. @buf: bytes of the message; the first ones, before those of the
 * operation, are not used. @sleep: memory may be made resident. Return: 0; -EAGAIN: not resident;
 * -EFAULT, -ENOMEM.
 */
static int weft_rma_copy(const struct weft_rxm *rxm, u8 *buf, u64 len, bool sleep)
{
	u32 access = rxm->rma->op == WEFT_RMA_WRITE ? WEFT_MEM_WRITE : WEFT_MEM_READ, n;
	u32 window = rxm->path->core->conf.window_bytes;
	struct weft_memctx *mc = rxm->ep->conf.mc;
	u64 off = rxm->rma->skip, at;
	struct weft_vec tmp weft_unset;
	const struct weft_vec *vec;
	struct weft_mem *mem;
	int err = 0;

	for (; off < len && !err; off += n) {
		at = off;
		n = (u32)min_t(u64, len - off, window);
		vec = weft_rma_vec(rxm->rma, &at, &n, &tmp);
		err = sleep ? weft_mem_make(mc, vec, at, n, access, &mem) :
			      weft_mem_get(mc, vec, at, n, access, &mem);
		if (err)
			break;
		err = weft_rma_move(mem, buf + off, n, access == WEFT_MEM_WRITE);
		weft_mem_put(mem);
	}
	return err == -ENOMEM && !sleep ? -EAGAIN : err;
}

/* Return: kernel memory with the bytes of a short operation: those to be written, or read. */
static u8 *weft_rma_buf(const struct weft_rxm *rxm)
{
	return rxm->rma->op == WEFT_RMA_WRITE ? rxm->buf : rxm->rma->txm->buf;
}

/* Return: bytes of weft_rma_buf(). */
static u64 weft_rma_len(const struct weft_rxm *rxm)
{
	return rxm->rma->op == WEFT_RMA_WRITE ? rxm->len : rxm->rma->txm->len;
}

/* ---- Atomic operations --------------------------------------------------------------- */

/**
 * struct weft_apply - the part of an atomic operation that is executed now
 * @a: the operation
 * @rma: its access
 * @operand: operands of all elements
 * @result: results of all elements, or NULL
 */
struct weft_apply {
	struct weft_atomic a;
	struct weft_rma *rma;
	const u8 *operand;
	u8 *result;
};

/* Execute elements in their place. Return: bytes that are done. */
static u32 weft_rma_elements(void *arg, u8 *p, u32 len)
{
	const struct weft_apply *w = arg;
	u32 size = weft_atomic_size(w->a.type), at = w->rma->applied;
	u8 *result = w->result ? w->result + at : NULL;

	len = size * weft_atomic_apply(&w->a, p, w->operand + at, w->operand + w->rma->len + at,
				       result, len / size);
	w->rma->applied += len;
	return len;
}

/*
 * Execute an atomic operation, or the rest of it. @sleep: memory may be made resident. Return: 0;
 * -EAGAIN: not resident, or other writers are too fast; -EFAULT, -ENOMEM.
 */
static int weft_rma_apply(struct weft_rxm *rxm, bool sleep)
{
	u32 window = rxm->path->core->conf.window_bytes, access, n;
	struct weft_memctx *mc = rxm->ep->conf.mc;
	struct weft_rma *rma = rxm->rma;
	struct weft_vec tmp weft_unset;
	const struct weft_vec *vec;
	struct weft_apply w = {
		.a = { rma->op - WEFT_RMA_ATOMIC, rma->aop, rma->atype },
		.rma = rma,
		.operand = rxm->buf + rma->skip,
		.result = rma->txm ? rma->txm->buf : rma->res,
	};
	struct weft_mem *mem;
	int err = 0;
	u64 at;

	access = weft_rma_changes(rma) ? WEFT_MEM_WRITE : WEFT_MEM_READ;
	while (rma->applied < rma->len && !err) {
		at = rma->skip + rma->applied;
		n = min((u32)rma->len - rma->applied, window);
		vec = weft_rma_vec(rma, &at, &n, &tmp);
		if (sleep) {
			err = weft_user_apply(mc, vec, at, n, access, weft_rma_elements, &w);
			if (err == -EAGAIN) {
				weft_nap();
				err = 0;
			}
			continue;
		}
		err = weft_mem_get(mc, vec, at, n, access, &mem);
		if (err)
			break;
		err = weft_mem_apply(mem, 0, n, weft_rma_elements, &w);
		weft_mem_put(mem);
	}
	return err == -ENOMEM && !sleep ? -EAGAIN : err;
}

/**
 * weft_rma_give - give the results of an atomic operation within the node to its sink, or fail it
 * @rxm: the operation, whose sink this is; its path is locked
 * @err: errno of the operation; 0: the results are there
 * @out: output
 */
void weft_rma_give(struct weft_rxm *rxm, int err, struct weft_out *out)
{
	struct weft_rma *rma = rxm->rma;
	struct weft_rxm *sink = rma->sink;

	weft_assert_held(&rxm->path->lock);
	rma->sink = NULL;
	if (err) {
		weft_rxm_fail(sink, err, out);
	} else if (!sink->bulk.over) {
		sink->buf = rma->res;
		rma->res = NULL;
		sink->whole = true;
		weft_rxm_step(sink, out);
	}
	weft_rxm_put(sink);
}

/* Copy the bytes of a short operation, or execute it. Return: as weft_rma_copy(). */
static int weft_rma_do(struct weft_rxm *rxm, bool sleep)
{
	if (weft_req_atomic(rxm->rma->op))
		return weft_rma_apply(rxm, sleep);
	return weft_rma_copy(rxm, weft_rma_buf(rxm), weft_rma_len(rxm), sleep);
}

/*
 * The bytes of a short operation have been copied, or not (@err). Return: true if its turn may
 * pass.
 */
static bool weft_rma_copied(struct weft_rxm *rxm, int err, struct weft_out *out)
{
	struct weft_rma *rma = rxm->rma;

	if (err && !rxm->err)
		rxm->err = -err;
	if (rxm->err) {
		weft_rxm_finish(rxm, rxm->err, out);
		return true;
	}
	if (rma->sink)
		weft_rma_give(rxm, 0, out);
	if (!rma->txm)
		return weft_rma_placed(rxm, out);
	/* the bytes for the initiator are kept: regions may end, and do not end the operation */
	if (weft_rma_changes(rma))
		weft_rma_changed(rma, out);
	weft_rma_close(rma, rxm->ep->conf.domain);
	weft_rma_source_go(rma->txm, out);
	if (rma->held) {
		rma->held = false;
		weft_recv_executed(rxm, out);
	}
	return true;
}

/**
 * weft_rma_run - execute a short operation
 * @rxm: its message; the caller has a reference
 * @out: output
 *
 * Return: true if it is done; false: a worker does it, or its completion waits.
 */
bool weft_rma_run(struct weft_rxm *rxm, struct weft_out *out)
{
	int err = weft_rma_do(rxm, false);

	weft_assert_held(&rxm->path->lock);
	if (err != -EAGAIN)
		return weft_rma_copied(rxm, err, out);
	weft_count(rxm->path->core, deferred);
	weft_rxm_defer(rxm, out);
	return false;
}

/**
 * weft_rma_gathered - all operands of an atomic operation have come
 * @rxm: its message, which keeps its turn; its path is locked; the caller has a reference
 * @out: output
 */
void weft_rma_gathered(struct weft_rxm *rxm, struct weft_out *out)
{
	weft_assert_held(&rxm->path->lock);
	weft_rma_run(rxm, out);
}

/**
 * weft_rma_work - execute a short operation whose memory was not resident
 * @rxm: its message, referenced by the work
 * @out: output
 *
 * Context: process context, may sleep.
 */
void weft_rma_work(struct weft_rxm *rxm, struct weft_out *out)
{
	struct weft_path *path = rxm->path;
	bool over;
	int err;

	weft_lock(&path->lock);
	rxm->bulk.work.queued = false;
	over = rxm->bulk.over || rxm->err;
	rxm->bulk.deferred = !over;
	weft_unlock(&path->lock);
	err = over ? 0 : weft_rma_do(rxm, true);
	weft_lock(&path->lock);
	rxm->bulk.deferred = false;
	if (!rxm->bulk.over)
		weft_rma_copied(rxm, err, out);
	weft_path_output(path, out);
	weft_unlock(&path->lock);
	weft_rxm_put(rxm);
}

/* ---- Sources ----------------------------------------------------------------------- */

/* Return: the way back of a flow, NULL: no memory. Its path is locked. */
static struct weft_flow *weft_rma_back(struct weft_rflow *rf)
{
	weft_assert_held(&rf->path->lock);
	if (!rf->back) {
		rf->back = weft_ep_alloc(rf->ep, sizeof(*rf->back));
		if (!rf->back)
			return NULL;
		weft_flow_init(rf->back, rf->ep, rf->path);
		rf->back->lane = rf->lane;
		rf->back->accepted = true;
		/* the end of the flow itself is reported to the peer */
		rf->back->ended = true;
	}
	return rf->back;
}

/* Return: true if the bytes for the initiator are copied at the turn of the operation. */
static bool weft_rma_kept(const struct weft_req *req)
{
	return weft_req_fetches(req->op) &&
	       (weft_req_atomic(req->op) || req->len <= WEFT_RMA_SHORT);
}

/**
 * weft_rma_source - make the source of a read, or of results, which does not send yet
 * @rxm: the message that asks for the bytes, with its access; its path is locked
 * @flow: flow on which they are sent
 * @req: the operation
 * @now: time
 *
 * Return: 0, -ENOMEM.
 */
int weft_rma_source(struct weft_rxm *rxm, struct weft_flow *flow, const struct weft_req *req,
		    weft_ns now)
{
	struct weft_path *path = rxm->path;
	struct weft_ep *ep = rxm->ep;
	struct weft_txm *txm = weft_ep_alloc(ep, sizeof(*txm));
	u8 *buf = NULL;

	weft_assert_held(&rxm->path->lock);
	if (txm && weft_rma_kept(req) && !path->local) {
		buf = weft_ep_alloc(ep, req->len);
		if (!buf) {
			weft_free(txm);
			txm = NULL;
		}
	}
	if (!txm)
		return -ENOMEM;
	weft_txm_init(txm, ep);
	weft_list_init(&txm->node);
	/* the operation, and its message */
	refcount_set(&txm->ref, 2);
	weft_ep_get(ep);
	weft_path_get(path);
	txm->path = path;
	txm->flow = flow;
	txm->source = true;
	txm->begun = true;
	txm->tx.told = true;
	txm->buf = buf;
	txm->user = !buf;
	txm->len = req->len;
	txm->sid = req->id;
	txm->bulk.rid = req->id;
	txm->bulk.granted = req->granted;
	weft_rxm_get(rxm);
	txm->rxm = rxm;
	rxm->rma->txm = txm;
	txm->state = path->local ? WEFT_TXM_LOCAL : WEFT_TXM_GRANT;
	flow->ref++;
	/* within the node it ends with the read itself */
	if (!path->local) {
		weft_txm_enter(txm, &flow->txms, now);
		weft_idtable_add(&path->msg.sids, &txm->bulk.idnode, txm->sid);
		weft_path_needs(path, now);
	}
	return 0;
}

/**
 * weft_rma_source_go - let a source send
 * @txm: the source; its path is locked
 * @out: output
 *
 * Bytes of a single packet travel in class FIRST.
 */
void weft_rma_source_go(struct weft_txm *txm, struct weft_out *out)
{
	struct weft_path *path = txm->path;
	u8 lane = txm->flow->lane;

	weft_assert_held(&txm->path->lock);
	if (txm->len > path->max_payload - WEFT_WIRE_DATA || txm->user ||
	    txm->bulk.granted < txm->len) {
		weft_send_step(txm, out);
		return;
	}
	weft_list_add_tail(&path->lane[lane].dataq, &txm->qnode);
	path->busy |= 1u << lane;
}

/* messaging/upcalls.h: the flow @rf ends: so do its sources. */
void weft_rma_back_end(struct weft_rflow *rf, struct weft_out *out)
{
	struct weft_flow *back = rf->back;
	struct weft_list *l;

	weft_assert_held(&rf->path->lock);
	while ((l = weft_list_first(&back->txms)))
		weft_send_over(weft_entry(l, struct weft_txm, node), out);
	rf->back = NULL;
	weft_flow_put(back);
}

/* ---- Requests ---------------------------------------------------------------------- */

/* The request of a message is known, and @len bytes of it follow when they are granted. */
static void weft_rma_announced(struct weft_rxm *rxm, u64 len)
{
	struct weft_path *path = rxm->path;

	if (rxm->buf != rxm->small)
		weft_free(rxm->buf);
	rxm->buf = NULL;
	rxm->whole = false;
	rxm->len = len;
	rxm->bulk.rid = weft_path_new_id(path, 0);
	weft_idtable_add(&path->msg.rids, &rxm->bulk.rnode, rxm->bulk.rid);
	weft_idtable_add(&path->msg.psids, &rxm->bulk.pnode, rxm->sid);
	rxm->bulk.needs = true;
	weft_path_needs(path, path->heard_at);
}

/*
 * A long write: its bytes are granted and placed as those of an announced message. Return: true if
 * its turn has passed; false: its order matters, because the endpoint is ordered, or because it is
 * a short one that was announced for want of credit.
 */
static bool weft_rma_pull(struct weft_rxm *rxm, const struct weft_req *req, struct weft_out *out)
{
	weft_rma_announced(rxm, req->len);
	rxm->bulk.room = req->len;
	weft_grant_join(rxm, out);
	weft_rxm_step(rxm, out);
	return rxm->bulk.over || (req->len > rxm->path->core->conf.eager_max &&
				  !(rxm->ep->conf.flags & WEFT_EPF_ORDERED));
}

/*
 * An atomic operation whose operands were announced for want of credit: they are gathered in kernel
 * memory. Return: false: its turn has not passed; true: there is no memory.
 */
static bool weft_rma_gather(struct weft_rxm *rxm, const struct weft_req *req, struct weft_out *out)
{
	u32 bytes = (u32)weft_req_bytes(req);

	weft_rma_announced(rxm, bytes);
	rxm->buf = weft_ep_alloc(rxm->ep, bytes);
	if (!rxm->buf) {
		weft_rxm_finish(rxm, ENOMEM, out);
		return true;
	}
	rxm->got = 0;
	rxm->bulk.stored = 0;
	rxm->bulk.granted = bytes;
	rxm->bulk.send_grant = true;
	weft_ctl_put(rxm->path, rxm->lane, &rxm->ctl);
	return false;
}

/* A read, or an atomic operation with results. Return: true if its turn has passed. */
static bool weft_rma_serve(struct weft_rflow *rf, struct weft_rxm *rxm,
			   const struct weft_req *req, struct weft_out *out)
{
	struct weft_flow *back = weft_rma_back(rf);

	if (!back || weft_rma_source(rxm, back, req, out->now)) {
		weft_rxm_finish(rxm, ENOMEM, out);
		return true;
	}
	if (rxm->sid)
		return weft_rma_gather(rxm, req, out);
	if (rxm->rma->txm->buf)
		return weft_rma_run(rxm, out);
	weft_rma_source_go(rxm->rma->txm, out);
	return true;
}

/**
 * weft_rma_begin - begin the operation whose turn has come
 * @rf: its flow; the path is locked
 * @rxm: its message, whole; the caller has a reference
 * @out: output
 *
 * Return: true if the turn of the next message comes now; false: weft_recv_executed() follows.
 */
bool weft_rma_begin(struct weft_rflow *rf, struct weft_rxm *rxm, struct weft_out *out)
{
	struct weft_req req weft_unset;
	struct weft_ep *ep = rf->ep;
	bool passes = true;
	int head, err = 0;

	weft_assert_held(&rf->path->lock);
	head = weft_wire_req_get(rxm->buf, (u32)rxm->len, &req);
	if (head < 0) {
		weft_rxm_finish(rxm, EINVAL, out);
		return true;
	}
	rxm->sid = req.op == WEFT_RMA_WRITE ? req.id : req.sid;
	weft_lock(&ep->lock);
	if (!weft_recv_takes(ep, rf))
		err = -ECONNREFUSED;
	else
		err = weft_rma_open(rxm, ep, &req, (u32)head);
	rxm->src = weft_rflow_src(rf);
	/* its peer may begin only so many that are not executed at once */
	if (!err && (rxm->sid || weft_req_fetches(req.op)))
		weft_credit_wait(rf, rxm, weft_rma_kept(&req) ? (u32)req.len : 0);
	weft_unlock(&ep->lock);
	if (err == -EACCES)
		weft_refuse(rf, rxm, out);
	else if (err || (req.op == WEFT_RMA_READ && !req.len))
		weft_rxm_finish(rxm, -err, out);
	else if (weft_req_fetches(req.op))
		passes = weft_rma_serve(rf, rxm, &req, out);
	else if (rxm->sid && weft_req_atomic(req.op))
		passes = weft_rma_gather(rxm, &req, out);
	else if (rxm->sid)
		passes = weft_rma_pull(rxm, &req, out);
	else
		passes = weft_rma_run(rxm, out);
	if (!passes)
		rxm->rma->held = true;
	return passes;
}
