// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - the sender's side of a rendezvous: messages sent as the receiver grants them
 *
 * An announced send waits (ASKED) for GRANT, which states how many bytes the receiver wants. Bytes
 * in kernel memory are sent at once. Bytes in the program's memory are sent from windows, two at a
 * time:
 *
 *	NONE -> (DEFER: made by a worker) -> READY --all sent, all acknowledged--> NONE
 *
 * Records reference the memory of their window, so a send can be over while some are not
 * acknowledged.
 *
 * Locks: path->lock, held by the caller; weft_send_work() takes it. See Documentation/locking.rst.
 */
#include "core/bulk/bulk.h"
#include "core/transport/emit.h"

/* Return: the window with the next byte to be sent, or NULL. */
static struct weft_win *weft_send_win(struct weft_txm *txm)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(txm->win); i++) {
		struct weft_win *w = &txm->win[i];

		if (w->state == WEFT_WIN_READY && txm->sent - w->off < w->len)
			return w;
	}
	return NULL;
}

#define WEFT_DATA_HEAD	(WEFT_WIRE_CHUNK + sizeof(struct weft_w_data))
#define WEFT_DATA_BURST	32	/* packets of one message in its turn */

/**
 * weft_send_data - fill a run of packets with granted bytes of a message
 * @path: the path, locked
 * @lane: the lane
 * @txm: first of lane->dataq
 * @rec: the open packet, empty
 *
 * Return: true if the packet is full; false: no byte is available, and the message has left the
 * queue.
 */
bool weft_send_data(struct weft_path *path, struct weft_lane *lane, struct weft_txm *txm,
		    struct weft_rec *rec)
{
	u32 seg = weft_frame_seg(path, WEFT_DATA_HEAD);
	u64 n = min_t(u64, txm->bulk.granted - txm->sent, seg * weft_lane_segs(path, lane));
	struct weft_win *w = NULL;

	weft_assert_held(&path->lock);
	if (txm->user) {
		w = weft_send_win(txm);
		n = w ? min(n, w->off + w->len - txm->sent) : 0;
	}
	if (!n) {
		weft_list_del(&txm->qnode);
		lane->burst = 0;
		return false;
	}
	rec->bulk = 0;
	rec->seg = min_t(u32, seg, n);
	rec->len = weft_wire_data_put(rec->raw, txm->bulk.rid, txm->sent, rec->seg);
	rec->run = WEFT_CHUNK_DATA;
	rec->nseg = DIV_ROUND_UP((u32)n, seg);
	rec->pay = (u32)n;
	rec->moff = txm->sent;
	rec->txm = txm;
	weft_txm_get(txm);
	if (w) {
		weft_mem_hold(w->mem);
		rec->mem = w->mem;
		rec->off = (u32)(txm->sent - w->off);
		rec->win = (u8)(w - txm->win);
		w->busy++;
	} else {
		rec->off = (u32)txm->sent;
	}
	weft_rec_ref(rec, txm->flow, txm);
	txm->sent += n;
	lane->burst = min(lane->burst + rec->nseg, WEFT_DATA_BURST);
	if (lane->burst == WEFT_DATA_BURST) {
		lane->burst = 0;
		weft_list_del(&txm->qnode);
		weft_list_add_tail(&lane->dataq, &txm->qnode);
	}
	return true;
}

/**
 * weft_send_step - continue a granted send
 * @txm: the send, GRANT; its path is locked
 * @out: output
 */
void weft_send_step(struct weft_txm *txm, struct weft_out *out)
{
	struct weft_lane *lane = weft_class_lane(txm->flow, WEFT_CLASS_DATA);
	u32 i;

	weft_assert_held(&txm->path->lock);
	if (txm->user) {
		for (i = 0; i < ARRAY_SIZE(txm->win); i++) {
			struct weft_win *w = &txm->win[i];

			if (w->state == WEFT_WIN_READY && !w->busy && w->off + w->len <= txm->sent)
				weft_win_drop(w);
		}
		/*
		 * while a worker makes windows no other is taken: the worker calls this function
		 * again
		 */
		for (i = 0; i < ARRAY_SIZE(txm->win); i++) {
			if (txm->bulk.deferred || txm->bulk.pinned >= txm->bulk.granted)
				break;
			if (txm->win[i].state == WEFT_WIN_NONE &&
			    !weft_send_pin(txm, &txm->win[i], out))
				return;
		}
		if (!weft_send_win(txm))
			return;
	}
	if (txm->sent < txm->bulk.granted && weft_list_empty(&txm->qnode)) {
		weft_list_add_tail(&lane->dataq, &txm->qnode);
		txm->path->busy |= 1u << lane->no;
	}
}

static struct weft_txm *weft_send_by_id(struct weft_path *path, u32 sid)
{
	struct weft_list *l;

	weft_list_for_each(l, weft_idtable_chain(&path->msg.sids, sid)) {
		struct weft_txm *txm = weft_entry(l, struct weft_txm, bulk.idnode.list);

		/* eager sends have none */
		if (!txm->eager && txm->sid == sid)
			return txm;
	}
	return NULL;
}

/* Return: the eager send that is message @id->mseq of the flow and asks for DONE, NULL: none. */
static struct weft_txm *weft_send_by_mseq(struct weft_path *path, const struct weft_flowid *id)
{
	struct weft_list *l;

	weft_list_for_each(l, weft_idtable_chain(&path->msg.sids,
						 weft_eager_id(id->sgen, id->mseq))) {
		struct weft_txm *txm = weft_entry(l, struct weft_txm, bulk.idnode.list);

		if (txm->eager && txm->mseq == id->mseq && txm->flow->id.sgen == id->sgen)
			return txm;
	}
	return NULL;
}

/**
 * weft_send_grant - process a GRANT chunk
 * @path: the path, locked
 * @lane: lane for an answer
 * @w: the chunk
 * @out: output
 *
 * Return: 0; -ENOMEM: the packet cannot be taken now.
 */
int weft_send_grant(struct weft_path *path, u8 lane, const struct weft_w_grant *w,
		    struct weft_out *out)
{
	u64 upto = be64_to_cpu(w->upto);
	u32 sid = be32_to_cpu(w->sid);
	struct weft_txm *txm = weft_send_by_id(path, sid);

	weft_assert_held(&path->lock);
	if (!txm && sid & WEFT_RMA_ID)
		return 0;
	if (!txm) {
		struct weft_flowid none = { 0 };
		struct weft_ctl_chunk *note = weft_ctl_chunk_new(path);

		if (!note)
			return -ENOMEM;
		note->len = weft_wire_abort_put(note->chunk, &none, sid, ECANCELED);
		weft_ctl_put(path, lane, &note->ctl);
		return 0;
	}
	if (!upto) {
		weft_send_end(txm, 0, out);
		return 0;
	}
	upto = min(upto, txm->len);
	if (upto <= txm->bulk.granted)
		return 0;
	txm->state = WEFT_TXM_GRANT;
	txm->bulk.rid = be32_to_cpu(w->rid);
	txm->bulk.granted = upto;
	weft_send_step(txm, out);
	return 0;
}

/* The peer has executed @n operations in a row; @id names the last. */
static void weft_send_executed(struct weft_path *path, struct weft_flowid *id, u32 n,
			       struct weft_out *out)
{
	struct weft_txm *txm;
	u32 k;

	for (id->mseq -= n - 1; n; n -= k, id->mseq += k) {
		txm = weft_send_by_mseq(path, id);
		k = likely(txm) ? weft_send_end_run(txm, n, out) : 1;
		if (unlikely(!k)) {
			weft_send_end(txm, 0, out);
			k = 1;
		}
	}
}

/**
 * weft_send_placed - process a DONE chunk
 * @path: the path, locked
 * @w: the chunk
 * @out: output
 */
void weft_send_placed(struct weft_path *path, const struct weft_w_done *w, struct weft_out *out)
{
	int status = be16_to_cpu(w->status);
	struct weft_flowid id;
	struct weft_txm *txm;

	weft_assert_held(&path->lock);
	weft_wire_flow_get(&w->flow, &id);
	if (likely(be16_to_cpu(w->kind) == WEFT_DONE_EXECUTED)) {
		weft_send_executed(path, &id, be32_to_cpu(w->sid) % WEFT_REPORT_MOST + 1, out);
		return;
	}
	txm = w->sid ? weft_send_by_id(path, be32_to_cpu(w->sid)) : weft_send_by_mseq(path, &id);
	if (txm)
		weft_send_end(txm, status, out);
}

/**
 * weft_send_late - send ABORT after its RTS has been acknowledged
 * @txm: the send, over; its path is locked
 *
 * If ABORT overtook RTS, the receiver would not know the withdrawn message. After RTS it would keep
 * a message that is never sent.
 */
void weft_send_late(struct weft_txm *txm)
{
	weft_assert_held(&txm->path->lock);
	if (!txm->bulk.late || txm->nrec)
		return;
	txm->bulk.late = false;
	weft_ctl_put(txm->path, txm->flow->lane, &txm->ctl);
}

/**
 * weft_send_work - make the windows of a send
 * @txm: the send, referenced by the work
 * @out: output
 *
 * Context: process context, may sleep.
 */
void weft_send_work(struct weft_txm *txm, struct weft_out *out)
{
	struct weft_path *path = txm->path;
	struct weft_mem *mem[ARRAY_SIZE(txm->win)] = { NULL };
	bool made[ARRAY_SIZE(txm->win)] = { false };
	struct weft_vec tmp[ARRAY_SIZE(txm->win)] weft_unset;
	const struct weft_vec *vec[ARRAY_SIZE(txm->win)];
	u64 at[ARRAY_SIZE(txm->win)];
	int err = 0;
	u32 i, len;

	weft_path_get(path);
	weft_lock(&path->lock);
	txm->bulk.work.queued = false;
	txm->bulk.deferred = true;
	for (i = 0; i < ARRAY_SIZE(txm->win); i++) {
		made[i] = txm->state != WEFT_TXM_OVER && txm->win[i].state == WEFT_WIN_DEFER;
		if (!made[i])
			continue;
		/* a region may end while the lock is not held */
		at[i] = txm->win[i].off;
		len = txm->win[i].len;
		vec[i] = weft_txm_vec(txm, &at[i], &len, &tmp[i]);
	}
	weft_unlock(&path->lock);
	for (i = 0; i < ARRAY_SIZE(txm->win) && !err; i++)
		if (made[i])
			err = weft_mem_make(txm->ep->conf.mc, vec[i], at[i], txm->win[i].len,
					    WEFT_MEM_READ, &mem[i]);
	weft_lock(&path->lock);
	txm->bulk.deferred = false;
	for (i = 0; i < ARRAY_SIZE(txm->win); i++) {
		if (!mem[i])
			continue;
		if (txm->state == WEFT_TXM_OVER) {
			weft_mem_put(mem[i]);
			continue;
		}
		if (weft_mem_bounced(mem[i]))
			weft_count(path->core, bounced);
		txm->win[i].mem = mem[i];
		txm->win[i].state = WEFT_WIN_READY;
	}
	if (txm->state != WEFT_TXM_OVER) {
		if (err)
			weft_send_abandon(txm, -err, out);
		else if (txm->bulk.lrxm)
			weft_rxm_step(txm->bulk.lrxm, out);
		else
			weft_send_step(txm, out);
	}
	weft_path_output(path, out);
	weft_unlock(&path->lock);
	weft_path_put(path);
	weft_txm_put(txm, out);
}
