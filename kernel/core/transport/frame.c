// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - records to bytes: what packets are made of, and their being put out
 *
 * A record holds all chunks of a packet as bytes but the payload of a long message, which comes
 * last and is read from the message's memory each time the packet is sent. The header is made when
 * the packet is put out, so that a packet that is sent again carries the newest acknowledgement.
 *
 *	OPEN --emit--> FLIGHT <--emit, lost--> LOST		(a datagram: stays OPEN)
 *	                 |                      |
 *	                 +-----acknowledged-----+--> IDLE (in path->recs, or freed)
 *
 * Locks: path->lock, except weft_tx_header(), weft_tx_payload() and the drop of the last reference
 * by weft_flush(): a record does not change between the time it is put out and the time it is
 * acknowledged, except that weft_rec_withdraw() marks it.
 */
#include "core/transport/emit.h"
#include "core/transport/transport.h"

/**
 * weft_rec_new - an empty record
 * @path: its path
 *
 * Return: the record, NULL: no memory.
 */
struct weft_rec *weft_rec_new(struct weft_path *path)
{
	struct weft_rec *rec = weft_rec_kept(path);

	if (!rec) {
		rec = weft_alloc(sizeof(*rec));
		if (!rec)
			return NULL;
		weft_list_init(&rec->node);
		weft_list_init(&rec->tnode);
	}
	weft_rec_begin(rec);
	return rec;
}

/* Let go of the payload of a long message. Nobody else looks at the record. */
static void weft_rec_strip(struct weft_rec *rec, struct weft_out *out)
{
	struct weft_txm *txm = rec->txm;

	if (!txm)
		return;
	rec->txm = NULL;
	if (rec->mem)
		weft_mem_put(rec->mem);
	rec->mem = NULL;
	weft_txm_put(txm, out);
}

/**
 * weft_rec_put - drop a reference
 * @path: the path, locked; NULL: not locked, the record is freed at once
 * @rec: the record
 * @out: output
 */
void weft_rec_put(struct weft_path *path, struct weft_rec *rec, struct weft_out *out)
{
	if (!refcount_dec_and_test(&rec->ref))
		return;
	weft_rec_strip(rec, out);
	if (path && path->nrecs < WEFT_REC_KEEP && path->state != WEFT_PATHS_DEAD)
		weft_rec_keep(path, rec);
	else
		weft_free(rec);
}

/**
 * weft_rec_withdraw - the payload of this record must not be read any more
 * @rec: the record; not open
 * @out: output
 *
 * The packet, if it has to be sent again, is sent without that chunk: the receiver need but see its
 * PSN. While the packet is being sent the memory is kept; weft_flush() calls again when that is
 * over.
 */
void weft_rec_withdraw(struct weft_rec *rec, struct weft_out *out)
{
	/* read without the lock by weft_flush() */
	WRITE_ONCE(rec->withdrawn, true);
	/* one that has been acknowledged is held by those who send it alone: the last lets go */
	if (rec->state == WEFT_REC_IDLE || refcount_read(&rec->ref) != 1 || !rec->txm)
		return;
	rec->len = rec->bulk;
	rec->pay = 0;
	rec->run = 0;
	weft_rec_strip(rec, out);
}

/**
 * weft_rec_trim - the first packets of a run have been acknowledged
 * @rec: the record
 * @n: how many; not all
 */
void weft_rec_trim(struct weft_rec *rec, u32 n)
{
	u32 bytes = rec->pay ? n * rec->seg : 0;

	rec->psn += n;
	rec->nseg -= n;
	rec->pay -= bytes;
	rec->off += bytes;
	rec->moff += bytes;
	if (rec->nseg == 1)
		rec->seg = rec->pay;
}

/**
 * weft_rec_split - make two records of a run
 * @path: the path, locked
 * @rec: the record; it keeps the first packets
 * @n: how many; not all
 * @out: output
 *
 * The other record takes its place behind @rec in all lists.
 * Return: the other record, NULL: no memory, nothing has happened.
 */
struct weft_rec *weft_rec_split(struct weft_path *path, struct weft_rec *rec, u32 n,
				struct weft_out *out)
{
	struct weft_rec *tail = weft_rec_new(path);
	u32 i, bytes = rec->pay ? n * rec->seg : 0;

	weft_assert_held(&path->lock);
	if (!tail)
		return NULL;
	tail->psn = rec->psn;
	tail->nseg = rec->nseg;
	tail->run = rec->run;
	tail->state = rec->state;
	tail->again = rec->again;
	tail->again_at = rec->again_at;
	tail->acknow = rec->acknow;
	tail->win = rec->win;
	tail->bulk = rec->bulk;
	tail->len = rec->len;
	tail->pay = rec->pay;
	tail->seg = rec->seg;
	tail->sent_at = rec->sent_at;
	tail->off = rec->off;
	tail->moff = rec->moff;
	tail->txm = rec->txm;
	if (tail->txm)
		weft_txm_get(tail->txm);
	tail->mem = rec->mem;
	if (tail->mem) {
		weft_mem_hold(tail->mem);
		tail->txm->win[tail->win].busy++;
	}
	memcpy(tail->raw, rec->raw, rec->len);
	for (i = 0; i < rec->nref; i++)
		weft_rec_ref(tail, rec->refs[i].flow, rec->refs[i].txm);
	weft_list_add(&rec->node, &tail->node);
	weft_list_add(&rec->tnode, &tail->tnode);
	path->nsent++;
	weft_rec_trim(tail, n);
	rec->nseg = n;
	rec->pay = bytes;
	if (n == 1)
		rec->seg = bytes;
	if (rec->withdrawn)
		weft_rec_withdraw(tail, out);
	return tail;
}

/**
 * weft_rec_drop - weft_flush() has sent a packet
 * @path: its path, not locked
 * @rec: its record, whose reference is dropped
 * @out: output
 */
void weft_rec_drop(struct weft_path *path, struct weft_rec *rec, struct weft_out *out)
{
	/* what is in flight is dropped by its lane, a datagram here */
	if (likely(!rec->mem && READ_ONCE(rec->state) != WEFT_REC_OPEN)) {
		weft_rec_put(NULL, rec, out);
		return;
	}
	weft_lock(&path->lock);
	if (refcount_read(&rec->ref) > 1) {
		weft_rec_put(path, rec, out);
		if (rec->withdrawn)
			weft_rec_withdraw(rec, out);
	} else {
		weft_rec_put(path, rec, out);
	}
	weft_unlock(&path->lock);
}

/**
 * weft_rec_space - room for chunks
 * @path: the path
 * @rec: the record
 *
 * Return: bytes that may be appended to rec->raw.
 */
u32 weft_rec_space(const struct weft_path *path, const struct weft_rec *rec)
{
	u32 max = min_t(u32, WEFT_REC_RAW, path->max_payload - WEFT_WIRE_HDR);

	if (rec->pay || rec->alone || rec->nref == WEFT_REC_REFS)
		return 0;
	return max - rec->len;
}

/**
 * weft_frame_new - put out a packet without a record
 * @out: output with room for a packet
 * @len: bytes of it
 *
 * Return: the packet, to be filled in: @raw, and where it goes.
 */
struct weft_tx *weft_frame_new(struct weft_out *out, u32 len)
{
	struct weft_tx *tx = &out->tx[out->ntx++];

	tx->path = NULL;
	tx->rec = NULL;
	tx->lane = 0;
	tx->class = WEFT_CLASS_FIRST;
	tx->run = 0;
	tx->acknow = false;
	tx->nseg = 1;
	tx->psn = 0;
	tx->len = len;
	tx->pay = 0;
	tx->last = 0;
	return tx;
}

/**
 * weft_frame_dgram - put out a datagram
 * @path: its path, up
 * @rec: its record, which belongs to no lane and is never numbered; the reference goes over
 * @auth: of the sender's job
 * @out: output with room for a packet
 */
void weft_frame_dgram(struct weft_path *path, struct weft_rec *rec, u64 auth,
		      struct weft_out *out)
{
	struct weft_hdr h = {
		.type = path->group ? WEFT_PKT_GROUP : WEFT_PKT_DGRAM,
		.path = path->peer_id,
		.token = path->peer_token,
		.psn = (u32)(auth >> 32),
		.ack = (u32)auth,
	};
	struct weft_tx *tx = weft_frame_new(out, WEFT_WIRE_HDR + rec->len + rec->pay);

	weft_path_get(path);
	tx->path = path;
	tx->rec = rec;
	tx->psn = h.psn;
	tx->class = weft_class_dgram(rec->len + rec->pay);
	tx->pay = rec->pay;
	tx->last = rec->pay;
	tx->off = 0;
	tx->moff = 0;
	weft_wire_hdr_put(tx->raw, &h);
}

/**
 * weft_frame_emit - put out the packets of a record
 * @path: its path
 * @lane: its lane
 * @rec: the record, new or lost
 * @out: output with room for a packet
 */
void weft_frame_emit(struct weft_path *path, struct weft_lane *lane, struct weft_rec *rec,
		     struct weft_out *out)
{
	struct weft_tx *tx = &out->tx[out->ntx++];

	weft_path_get(path);
	refcount_inc(&rec->ref);
	tx->path = path;
	tx->rec = rec;
	tx->lane = lane->no;
	tx->class = weft_lane_class(lane);
	tx->run = rec->run;
	tx->acknow = rec->acknow;
	tx->nseg = rec->nseg;
	tx->psn = rec->psn;
	tx->pay = rec->pay ? rec->seg : 0;
	tx->last = rec->pay - (rec->nseg - 1) * tx->pay;
	tx->len = WEFT_WIRE_HDR + rec->len + tx->pay;
	tx->off = rec->off;
	tx->moff = rec->moff;
	weft_frame_header(path, lane, tx->raw, WEFT_PKT_PSN, rec->psn, out->now);
	/* others may come late, and are not waited for */
	if (tx->class != WEFT_CLASS_FIRST)
		return;
	weft_frame_told(lane);
	/* gaps are told by SACK alone */
	if (!lane->rcv_ahead)
		lane->ack_now = false;
}

/**
 * weft_frame_ack - put out a packet that only acknowledges
 * @path: the path
 * @lane: the lane
 * @out: output with room for a packet
 */
void weft_frame_ack(struct weft_path *path, struct weft_lane *lane, struct weft_out *out)
{
	struct weft_tx *tx = weft_frame_new(out, WEFT_WIRE_HDR);
	u32 words[WEFT_SACK_BITS / 32];

	weft_path_get(path);
	tx->path = path;
	tx->lane = lane->no;
	weft_frame_header(path, lane, tx->raw, lane->dup ? WEFT_PKT_DUP : 0,
			  lane->dup ? lane->dup_psn : 0, out->now);
	weft_frame_told(lane);
	lane->dup = false;
	if (lane->rcv_ahead) {
		u32 n = weft_lane_sack(lane, words);

		tx->len += weft_wire_sack_put(tx->raw + tx->len, words, n);
	}
	lane->ack_now = false;
	weft_count(path->core, acks_sent);
}

/**
 * weft_tx_header - bytes of a packet: all but the payload of a long message
 * @tx: the packets
 * @i: which
 * @dst: room for tx->len - tx->pay bytes
 */
void weft_tx_header(const struct weft_tx *tx, u32 i, void *dst)
{
	struct weft_w_hdr *h = dst;
	u32 n = tx->len - tx->pay;

	if (!tx->rec) {
		memcpy(dst, tx->raw, n);
		return;
	}
	memcpy(dst, tx->raw, WEFT_WIRE_HDR);
	h->psn = cpu_to_be32(tx->psn + i);
	if (tx->acknow && i + 1 == tx->nseg)
		h->flags |= WEFT_PKT_ACKNOW;
	memcpy((u8 *)dst + WEFT_WIRE_HDR, tx->rec->raw, n - WEFT_WIRE_HDR);
	if (tx->run)
		weft_wire_part_put((u8 *)dst + n, tx->run, tx->moff + (u64)i * tx->pay,
				   weft_tx_paylen(tx, i));
}

/* Payload of packets @i to @i + @n - 1, with @skip bytes between one packet's and the next's. */
static int weft_tx_copy(const struct weft_tx *tx, u32 i, u32 n, u8 *dst, u32 skip)
{
	u32 off = tx->off + i * tx->pay, len = n * tx->pay;
	struct weft_rec *rec = tx->rec;
	int err;

	if (!tx->pay)
		return 0;
	if (i + n == tx->nseg)
		len -= tx->pay - tx->last;
	if (!rec->mem) {
		const u8 *src = rec->txm->buf + off;

		for (; len; len -= n, src += n, dst += n + skip) {
			n = min(len, tx->pay);
			memcpy(dst, src, n);
		}
		return 0;
	}
	/*
	 * Acknowledged since it was put out: the bytes may be the program's again. They cannot be
	 * replaced by others: of a record that has been split some packets have another one now,
	 * and the peer may not have them. Those are sent again, if need be, by that one.
	 */
	if (unlikely(READ_ONCE(rec->state) == WEFT_REC_IDLE))
		return -ECANCELED;
	err = weft_mem_scatter(rec->mem, off, dst, len, tx->pay, skip);
	if (err)
		WRITE_ONCE(rec->txm->fault, true);
	return err;
}

/**
 * weft_tx_payload - the other bytes
 * @tx: the packets
 * @i: which
 * @dst: room for weft_tx_paylen() bytes
 *
 * Return: 0; it cannot be sent: -EFAULT: the memory is gone, -ECANCELED: it need not be any more.
 */
int weft_tx_payload(const struct weft_tx *tx, u32 i, void *dst)
{
	return weft_tx_copy(tx, i, 1, dst, 0);
}

/**
 * weft_tx_write - whole packets, one behind the other
 * @tx: the packets
 * @i: the first
 * @n: how many
 * @dst: room for them
 *
 * Return: 0; they cannot be sent: -EFAULT: the memory is gone, -ECANCELED: they need not be.
 */
int weft_tx_write(const struct weft_tx *tx, u32 i, u32 n, void *dst)
{
	u32 k, head = tx->len - tx->pay;
	u8 *p = dst;

	weft_tx_header(tx, i, p);
	if (likely(n == 1 && !tx->pay))
		return 0;
	for (k = 1; k < n; k++) {
		p += tx->len;
		if (likely(tx->run == WEFT_CHUNK_DATA && i + k + 1 < tx->nseg)) {
			/* as the one before, but for two numbers */
			memcpy(p, dst, WEFT_WIRE_DATA);
			((struct weft_w_hdr *)p)->psn = cpu_to_be32(tx->psn + i + k);
			((struct weft_w_data *)(p + WEFT_WIRE_DATA) - 1)->off =
				cpu_to_be64(tx->moff + (u64)(i + k) * tx->pay);
		} else {
			weft_tx_header(tx, i + k, p);
		}
	}
	return weft_tx_copy(tx, i, n, (u8 *)dst + head, head);
}

/**
 * weft_tx_pieces - where the payload of a packet stands
 * @tx: the packets
 * @i: which
 * @span: out: pieces
 * @max: entries of @span
 * @mem: out: to be put when the pieces are no longer used
 *
 * Return: pieces, 0: the payload has to be copied.
 */
u32 weft_tx_pieces(const struct weft_tx *tx, u32 i, struct weft_span *span, u32 max,
		   struct weft_mem **mem)
{
	struct weft_rec *rec = tx->rec;
	u32 n;

	if (!tx->pay || !rec->mem || READ_ONCE(rec->again) ||
	    READ_ONCE(rec->state) == WEFT_REC_IDLE)
		return 0;
	n = weft_mem_spans(rec->mem, tx->off + i * tx->pay, weft_tx_paylen(tx, i), span, max);
	if (!n)
		return 0;
	weft_mem_hold(rec->mem);
	*mem = rec->mem;
	return n;
}

/* ---- Chunks that are asked for --------------------------------------------------- */

#define weft_ctl_obj(c, type)	container_of(c, type, ctl)

static void weft_ctl_hold(struct weft_ctl *ctl)
{
	switch (ctl->kind) {
	case WEFT_CTL_RXM:
		weft_rxm_get(weft_ctl_obj(ctl, struct weft_rxm));
		break;
	case WEFT_CTL_TXM:
		weft_txm_get(weft_ctl_obj(ctl, struct weft_txm));
		weft_ctl_obj(ctl, struct weft_txm)->flow->ref++;
		break;
	case WEFT_CTL_FLOW:
		weft_ctl_obj(ctl, struct weft_flow)->ref++;
		break;
	case WEFT_CTL_CONN:
		refcount_inc(&weft_ctl_obj(ctl, struct weft_conn)->ref);
		break;
	case WEFT_CTL_NOTE:
		weft_ctl_obj(ctl, struct weft_note)->path->ctl_pending++;
		break;
	}
}

static void weft_ctl_release(struct weft_ctl *ctl, struct weft_out *out)
{
	struct weft_flow *flow;
	struct weft_conn *conn;
	struct weft_note *note;

	ctl->queued = false;
	weft_list_del(&ctl->node);
	switch (ctl->kind) {
	case WEFT_CTL_RXM:
		weft_rxm_put(weft_ctl_obj(ctl, struct weft_rxm));
		break;
	case WEFT_CTL_TXM:
		flow = weft_ctl_obj(ctl, struct weft_txm)->flow;
		weft_txm_put(weft_ctl_obj(ctl, struct weft_txm), out);
		weft_flow_check(flow, out);
		weft_flow_put(flow);
		break;
	case WEFT_CTL_FLOW:
		weft_flow_put(weft_ctl_obj(ctl, struct weft_flow));
		break;
	case WEFT_CTL_CONN:
		conn = weft_ctl_obj(ctl, struct weft_conn);
		if (conn->ctl_pending)
			conn->path->ctl_pending--;
		conn->ctl_pending = false;
		weft_conn_put(conn);
		break;
	case WEFT_CTL_NOTE:
		note = weft_ctl_obj(ctl, struct weft_note);
		note->path->ctl_pending--;
		weft_free(note);
		break;
	}
}

/**
 * weft_ctl_put - an object has a chunk to send
 * @path: its path; a dead one sends nothing any more
 * @lane: lane
 * @ctl: stands in the object, which is referenced until the chunk is in a record; a note that
 *	cannot be sent is freed
 */
void weft_ctl_put(struct weft_path *path, u8 lane, struct weft_ctl *ctl)
{
	if (path->state == WEFT_PATHS_DEAD) {
		if (ctl->kind == WEFT_CTL_NOTE)
			weft_free(weft_ctl_obj(ctl, struct weft_note));
		return;
	}
	if (ctl->queued)
		return;
	ctl->queued = true;
	if (ctl->kind == WEFT_CTL_NOTE)
		weft_ctl_obj(ctl, struct weft_note)->path = path;
	weft_ctl_hold(ctl);
	weft_list_add_tail(&path->lane[lane].ctlq, &ctl->node);
	path->busy |= 1u << lane;
}

/**
 * weft_ctl_drop - an object has no chunk to send any more
 * @ctl: stands in the object; its path is locked
 * @out: output
 */
void weft_ctl_drop(struct weft_ctl *ctl, struct weft_out *out)
{
	if (ctl->queued)
		weft_ctl_release(ctl, out);
}

/* Write the chunks of a message that came. Return: bytes, 0: no room. */
static u32 weft_ctl_rxm(struct weft_rxm *rxm, u8 *dst, u32 room)
{
	u32 n = 0;

	if (room < WEFT_WIRE_CHUNK + sizeof(struct weft_w_grant) + WEFT_WIRE_CHUNK +
			   sizeof(struct weft_w_done))
		return 0;
	if (rxm->send_grant && !rxm->send_done)
		n += weft_wire_grant_put(dst, rxm->sid, rxm->rid, rxm->granted);
	if (rxm->send_done)
		n += weft_wire_done_put(dst + n, &rxm->flow, rxm->sid, rxm->done,
					rxm->flags & WEFT_MSG_MATCHED ? WEFT_DONE_MATCHED :
									WEFT_DONE_PLACED);
	rxm->send_grant = false;
	rxm->send_done = false;
	return n;
}

static u32 weft_ctl_txm(struct weft_txm *txm, u8 *dst, u32 room)
{
	struct weft_flowid id = txm->flow->id;

	if (room < WEFT_WIRE_CHUNK + sizeof(struct weft_w_abort))
		return 0;
	id.mseq = txm->mseq;
	return weft_wire_abort_put(dst, &id, txm->sid, txm->status);
}

static u32 weft_ctl_flow(struct weft_flow *flow, u8 *dst, u32 room)
{
	struct weft_flowid id = flow->id;

	if (room < WEFT_WIRE_CHUNK + sizeof(struct weft_w_abort))
		return 0;
	id.mseq++;
	return weft_wire_abort_put(dst, &id, 0, 0);
}

/*
 * One operation at a time: @more is set when others are left. FIN has a packet for itself: it is
 * not taken before what we were sent has been acknowledged, and must not hold up what others were
 * sent, for which the peer's FIN may be waiting.
 */
static u32 weft_ctl_conn(struct weft_conn *conn, struct weft_rec *rec, u32 room, bool *more)
{
	u8 op;
	u32 n;

	for (op = WEFT_CM_REQ; op <= WEFT_CM_FINACK; op++)
		if (conn->ops & (1u << op))
			break;
	if (op > WEFT_CM_FINACK)
		return 0;
	*more = true;
	if (op == WEFT_CM_FIN && rec->len)
		return 0;
	n = weft_cm_chunk(conn, op, rec->raw + rec->len, room);
	if (n)
		conn->ops &= ~(1u << op);
	rec->alone = n && op == WEFT_CM_FIN;
	*more = conn->ops;
	return n;
}

/**
 * weft_ctl_build - write the first chunk that is asked for
 * @path: the path
 * @lane: the lane; its ctlq is not empty
 * @rec: an open record
 * @out: output
 *
 * Return: there was room for it.
 */
bool weft_ctl_build(struct weft_path *path, struct weft_lane *lane, struct weft_rec *rec,
		    struct weft_out *out)
{
	struct weft_ctl *ctl = weft_entry(weft_list_first(&lane->ctlq), struct weft_ctl, node);
	u8 *dst = rec->raw + rec->len;
	u32 room = weft_rec_space(path, rec);
	struct weft_rflow *rf;
	struct weft_note *note;
	bool more = false;
	u32 n = 0;

	switch (ctl->kind) {
	case WEFT_CTL_RXM:
		n = weft_ctl_rxm(weft_ctl_obj(ctl, struct weft_rxm), dst, room);
		break;
	case WEFT_CTL_TXM:
		n = weft_ctl_txm(weft_ctl_obj(ctl, struct weft_txm), dst, room);
		break;
	case WEFT_CTL_FLOW:
		n = weft_ctl_flow(weft_ctl_obj(ctl, struct weft_flow), dst, room);
		break;
	case WEFT_CTL_RFLOW:
		if (room >= WEFT_WIRE_CHUNK + sizeof(struct weft_w_epgone))
			n = weft_wire_epgone_put(dst, &weft_ctl_obj(ctl, struct weft_rflow)->id);
		break;
	case WEFT_CTL_CREDIT:
		rf = container_of(ctl, struct weft_rflow, credit);
		if (room >= WEFT_WIRE_CHUNK + sizeof(struct weft_w_credit))
			n = weft_wire_credit_put(dst, &rf->id, rf->told_msgs, rf->told_bytes);
		break;
	case WEFT_CTL_CONN:
		n = weft_ctl_conn(weft_ctl_obj(ctl, struct weft_conn), rec, room, &more);
		break;
	case WEFT_CTL_NOTE:
		note = weft_ctl_obj(ctl, struct weft_note);
		if (room >= note->len) {
			memcpy(dst, note->chunk, note->len);
			n = note->len;
		}
		break;
	case WEFT_CTL_PING:
		if (room >= WEFT_WIRE_CHUNK + sizeof(struct weft_w_ping)) {
			n = weft_wire_ping_put(dst);
			rec->acknow = true;
		}
		break;
	}
	if (!n && rec->len)
		return false;
	/* what has nothing to say in an empty record has nothing to say at all */
	rec->len += n;
	if (!more)
		weft_ctl_release(ctl, out);
	return true;
}

/**
 * weft_note_new - a chunk that belongs to nothing: an answer
 * @path: where it is to be sent; locked
 *
 * A peer that acknowledges nothing, and asks on, does not make them pile up. It is not a matter of
 * the window: two nodes that have filled theirs with what the other has to answer would wait for
 * each other.
 *
 * Return: to be filled in and put to a lane, NULL: no memory, or too many wait: what asks for it is
 * not to be taken now.
 */
struct weft_note *weft_note_new(const struct weft_path *path)
{
	struct weft_note *note;

	weft_assert_held(&path->lock);
	if (path->ctl_pending >= WEFT_CTL_PENDING_MAX)
		return NULL;
	note = weft_alloc(sizeof(*note));
	if (note)
		weft_ctl_init(&note->ctl, WEFT_CTL_NOTE);
	return note;
}
