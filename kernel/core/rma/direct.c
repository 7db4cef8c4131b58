// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - short operations of peers, executed straight from their packet
 *
 * The most frequent operation has one remote segment, in a region of one segment whose memory is
 * resident, and it is its turn. A write may come in a run of packets. It needs no object. Its flow
 * reports that it is executed (transport/report.c). The bytes of a read, or results, go into the
 * open packet at once. The record of that packet keeps them until the initiator has acknowledged
 * them:
 *
 *	request --> memory of the region --> report of its flow, or bytes in the open packet
 *
 * Every other operation takes the slow path (target.c), which checks all of it again. So nothing
 * has changed then, but for bytes of a write, which the slow path writes again. An atomic operation
 * is either executed here, with its answer, or not at all.
 *
 * Locks: path->lock, held by the caller; ep->lock is taken here, and mc->lock of the target's
 * memory. Softirq context.
 */
#include "core/rma/rma.h"

/* Execute one element in its place. Return: bytes that are done. */
static u32 weft_direct_element(void *arg, u8 *p, u32 len)
{
	const struct weft_direct *d = arg;

	return weft_atomic_apply(&d->atomic, p, d->operand, d->operand + len,
				 weft_req_fetches(d->req.op) ? d->reply : NULL, 1) ? len : 0;
}

/* Copy bytes that are read. Return: bytes that are done. */
static u32 weft_direct_read(void *arg, u8 *p, u32 len)
{
	struct weft_direct *d = arg;

	memcpy(d->reply + d->done, p, len);
	d->done += len;
	return len;
}

/* Copy the bytes of a write, which may come from several packets. Return: 0, negative errno. */
static int weft_direct_write(struct weft_memctx *mc, u64 addr, const struct weft_direct *d)
{
	u32 len = (u32)d->req.len, n = min(len, d->first);
	int err = weft_mem_place(mc, addr, d->operand, n, n, 0);

	if (likely(n == len) || err)
		return err;
	return weft_mem_place(mc, addr + n, d->operand + n + d->skip, len - n, d->piece, d->skip);
}

/* Execute an operation on a region that it may access. Return: 0, negative errno: not done. */
static int weft_direct_region(const struct weft_ep *ep, const struct weft_region *region,
			      struct weft_direct *d)
{
	u64 addr = region->seg[0].addr + (d->req.seg[0].addr - region->base);
	struct weft_memctx *mc = ep->conf.mc;
	u32 len = (u32)d->req.len;

	if (d->req.op == WEFT_RMA_WRITE)
		return d->prog ? weft_mem_pass(mc, addr, d->prog, d->user, len) :
		       weft_direct_write(mc, addr, d);
	if (d->req.op == WEFT_RMA_READ) {
		if (d->prog)
			return weft_mem_pull(mc, addr, d->prog, d->user, len);
		d->done = 0;
		return weft_mem_reach(mc, addr, len, WEFT_MEM_READ, weft_direct_read, d);
	}
	/* an element that is not aligned is refused */
	if (addr & (len - 1))
		return -EINVAL;
	d->atomic.kind = d->req.op - WEFT_RMA_ATOMIC;
	d->atomic.op = d->req.aop;
	d->atomic.type = d->req.atype;
	return weft_mem_reach(mc, addr, len,
			      d->req.aop == WEFT_AOP_READ ? WEFT_MEM_READ : WEFT_MEM_WRITE,
			      weft_direct_element, d);
}

/**
 * weft_direct_execute - execute a short operation with one remote segment
 * @ep: endpoint of the target, locked; it takes messages
 * @d: the operation; atomic: supported, of one element
 * @out: output
 *
 * Counters of the target's program step.
 * Context: softirqs are off.
 * Return: 0; negative errno: not done, but bytes of a write may have changed.
 */
int weft_direct_execute(struct weft_ep *ep, struct weft_direct *d, struct weft_out *out)
{
	u32 rights = weft_rma_rights(&d->req);
	struct weft_region *region;
	bool read = weft_req_fetches(d->req.op);
	struct weft_cq *cntr;
	int err = -EACCES;

	weft_assert_held(&ep->lock);
	if (unlikely(!weft_rma_allowed(ep, &d->req, rights)))
		return err;
	region = weft_region_again(ep->conf.domain, ep->conf.zone, d->req.seg[0].key,
				   &ep->region);
	if (unlikely(!region))
		return err;
	if (likely(region->n == 1 &&
		   weft_region_covers(region, rights, d->req.seg[0].addr, d->req.len)))
		err = weft_direct_region(ep, region, d);
	if (likely(!err)) {
		if (unlikely(region->cntr) && rights & WEFT_REGION_WRITE)
			weft_cq_count(region->cntr, false, out);
		cntr = ep->rma_cntr[read ? WEFT_CNTR_REMOTE_READ : WEFT_CNTR_REMOTE_WRITE];
		if (unlikely(cntr))
			weft_cq_count(cntr, false, out);
	}
	weft_region_leave(region);
	return err;
}

/*
 * Execute at most @most writes of a chunk, in turn. @d: a write of them, without its address; @at:
 * the first one. Counters of the target's program step. Return: number of writes that are done.
 */
static u32 weft_direct_several(struct weft_ep *ep, struct weft_direct *d, const u8 *at, u32 most,
			       struct weft_out *out)
{
	struct weft_rseg *seg = &d->req.seg[0];
	struct weft_region *region;
	struct weft_cq *cntr;
	u32 n;

	weft_assert_held(&ep->lock);
	if (unlikely(!weft_rma_allowed(ep, &d->req, WEFT_REGION_WRITE)))
		return 0;
	region = weft_region_again(ep->conf.domain, ep->conf.zone, seg->key, &ep->region);
	if (unlikely(!region))
		return 0;
	if (unlikely(region->n != 1))
		most = 0;
	for (n = 0; n < most; n++, at += weft_writes_size(d->first)) {
		const struct weft_w_write *w = (const void *)at;
		__be64 addr;

		/* the only reading: the packet's bytes may change meanwhile */
		memcpy(&addr, at, sizeof(addr));
		barrier();
		seg->addr = be64_to_cpu(addr);
		d->operand = w->bytes;
		if (unlikely(!weft_region_covers(region, WEFT_REGION_WRITE, seg->addr, d->first) ||
			     weft_direct_region(ep, region, d)))
			break;
	}
	cntr = ep->rma_cntr[WEFT_CNTR_REMOTE_WRITE];
	if (unlikely(region->cntr && n))
		weft_cq_count_many(region->cntr, n, out);
	if (cntr && n)
		weft_cq_count_many(cntr, n, out);
	weft_region_leave(region);
	return n;
}

/* Return: true if an operation has a form that needs no object. @pay: bytes behind the request. */
static bool weft_direct_form(const struct weft_req *r, u32 pay)
{
	if (r->nseg != 1 || !r->len)
		return false;
	/* its bytes follow, and are not announced */
	if (pay != weft_req_bytes(r))
		return false;
	if (weft_req_fetches(r->op) && (r->granted != r->len || r->len > WEFT_INLINE_MAX))
		return false;
	if (!weft_req_atomic(r->op))
		return true;
	return weft_atomic_valid(r->op - WEFT_RMA_ATOMIC, r->aop, r->atype) &&
	       r->len == weft_atomic_size(r->atype);
}

/*
 * Find the place for the bytes that an operation brings to the initiator. Return: the open packet;
 * NULL: it has no space. To a peer that acknowledges nothing the slow path sends later.
 */
static struct weft_rec *weft_direct_room(struct weft_path *path, struct weft_lane *lane,
					 struct weft_direct *d)
{
	struct weft_rec *rec;

	if (unlikely(lane->flight >= lane->cwnd || !weft_list_empty(&lane->ctlq)))
		return NULL;
	rec = weft_lane_open(path, lane);
	if (unlikely(!rec || weft_rec_space(rec) <
			     weft_wire_size(sizeof(struct weft_w_data) + (u32)d->req.len)))
		return NULL;
	d->reply = rec->raw + rec->len + WEFT_WIRE_CHUNK + sizeof(struct weft_w_data);
	return rec;
}

/* The bytes for the initiator are in their place: append their chunk to the open packet. */
static void weft_direct_data(struct weft_path *path, struct weft_lane *lane, struct weft_rec *rec,
			     const struct weft_direct *d)
{
	u8 *dst = rec->raw + rec->len;
	u32 len = (u32)d->req.len;

	weft_wire_data_put(dst, d->req.id, 0, len);
	for (; len & 3; len++)
		d->reply[len] = 0;
	rec->len += d->reply + len - dst;
	path->busy |= 1u << lane->no;
}

/**
 * weft_rma_direct - execute a short operation whose turn it is, if it needs no object
 * @rf: its flow, without early messages; the path is locked
 * @head: its message, authentic
 * @pay: the payload of the message, whole
 * @piece: bytes of a contiguous piece of it
 * @skip: bytes between two pieces
 * @out: output; the caller calls weft_path_output()
 *
 * Return: true if it is executed and answered, and its turn has passed; false: the slow path has to
 * process it.
 */
bool weft_rma_direct(struct weft_rflow *rf, const struct weft_head *head, const u8 *pay,
		     u32 piece, u32 skip, struct weft_out *out)
{
	struct weft_path *path = rf->path;
	struct weft_core *core = path->core;
	struct weft_lane *lane = &path->lane[rf->lane];
	struct weft_direct d weft_unset;
	struct weft_rec *rec = NULL;
	struct weft_ep *ep = rf->ep;
	u32 counts = weft_wire_counts(WEFT_MSG_RMA, head->len);
	int len, err = -EACCES;

	weft_assert_held(&path->lock);
	if (unlikely(!READ_ONCE(core->fast) || head->flags & WEFT_MSG_DATA ||
		     head->len > WEFT_FAST_BYTES || piece < min_t(u64, head->len, WEFT_REQ_FREE) ||
		     (rf->conn && rf->conn->state != WEFT_CONN_UP)))
		return false;
	len = weft_wire_req_get(pay, (u32)head->len, &d.req);
	if (unlikely(len < 0 || !weft_direct_form(&d.req, (u32)head->len - len)))
		return false;
	d.operand = pay + len;
	d.first = piece - len;
	d.piece = piece;
	d.skip = skip;
	d.prog = NULL;
	if (weft_req_fetches(d.req.op))
		rec = weft_direct_room(path, lane, &d);
	if (unlikely(weft_req_fetches(d.req.op) ? !rec : !weft_report_fits(rf)))
		return false;
	weft_lock_inner(&ep->lock);
	if (likely(weft_recv_takes(ep, rf)))
		err = weft_direct_execute(ep, &d, out);
	weft_unlock_inner(&ep->lock);
	if (unlikely(err))
		return false;
	if (rec)
		weft_direct_data(path, lane, rec, &d);
	else
		weft_report_add(rf, 1, head->flags & WEFT_MSG_PLACED);
	rf->id.mseq++;
	weft_credit_pass(rf, counts, out);
	path->rx_gone += counts;
	weft_direct_count(core, &d.req);
	return true;
}

/**
 * weft_rma_direct_writes - execute writes of a chunk WRITES whose turn it is, without objects
 * @rf: their flow, without early messages; the path is locked
 * @w: what they have in common; they are authentic
 * @at: the first of them
 * @out: output; the caller calls weft_path_output()
 *
 * Return: number of writes that are executed and reported, and whose turn has passed; each other
 * one is processed as a message.
 */
u32 weft_rma_direct_writes(struct weft_rflow *rf, const struct weft_writes *w, const u8 *at,
			   struct weft_out *out)
{
	struct weft_core *core = rf->path->core;
	struct weft_direct d weft_unset;	/* the fields of a write are set */
	struct weft_ep *ep = rf->ep;
	u32 n = 0, most;

	weft_assert_held(&rf->path->lock);
	if (unlikely(!READ_ONCE(core->fast) || (rf->conn && rf->conn->state != WEFT_CONN_UP)))
		return 0;
	most = min(w->n, weft_report_fits(rf));
	d.req.op = WEFT_RMA_WRITE;
	d.req.uid = w->uid;
	d.req.len = w->len;
	d.req.seg[0].key = w->key;
	d.first = w->len;
	d.prog = NULL;
	weft_lock_inner(&ep->lock);
	if (likely(weft_recv_takes(ep, rf)))
		n = weft_direct_several(ep, &d, at, most, out);
	weft_unlock_inner(&ep->lock);
	if (unlikely(!n))
		return 0;
	weft_report_add(rf, n, w->flags & WEFT_MSG_PLACED);
	rf->id.mseq += n;
	weft_credit_pass(rf, 0, out);
	weft_count_add(core, rma_writes, n);
	weft_count_add(core, msgs_received, n);
	return n;
}
