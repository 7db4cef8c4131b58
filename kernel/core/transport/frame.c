// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - records to bytes: the content of packets and their transmission
 *
 * A record holds all chunks of a packet as bytes, except the payload of a long message. That
 * payload comes last and is read from the message's memory at each transmission. The header is made
 * at each transmission, so that a retransmission carries the newest acknowledgement.
 *
 *	OPEN --emit--> FLIGHT <--emit, lost--> LOST		(a datagram: stays OPEN)
 *	                 |                      |
 *	                 +-----acknowledged-----+--> IDLE (in path->recs, or freed)
 *
 * Locks: path->lock, with two exceptions: weft_tx_header() and weft_tx_payload(), and the drop of
 * the last reference by weft_flush(). A record does not change between its transmission and its
 * acknowledgement, except that weft_rec_withdraw() marks it.
 */
#include "core/transport/emit.h"
#include "core/transport/transport.h"

/**
 * weft_rec_new - get an empty record
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

/* Release the payload of a long message. The caller is the only user of the record. */
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
 * weft_rec_withdraw - stop reading the payload of a record
 * @rec: the record; not open
 * @out: output
 *
 * A retransmission of the packet omits that chunk: the receiver needs only its PSN. The memory is
 * kept while the packet is being sent. weft_flush() calls this function again after that.
 */
void weft_rec_withdraw(struct weft_rec *rec, struct weft_out *out)
{
	/* weft_flush() reads it without the lock */
	WRITE_ONCE(rec->withdrawn, true);
	/* only its senders hold an acknowledged record: the last one releases it */
	if (rec->state == WEFT_REC_IDLE || refcount_read(&rec->ref) != 1 || !rec->txm)
		return;
	rec->len = rec->bulk;
	rec->pay = 0;
	rec->run = 0;
	weft_rec_strip(rec, out);
}

/**
 * weft_rec_trim - remove the first packets of a run, which are acknowledged
 * @rec: the record
 * @n: number of packets; not all
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
 * @rec: the record, which keeps the first packets
 * @n: number of packets that it keeps; not all
 * @out: output
 *
 * The new record is behind @rec in all lists.
 * Return: the new record; NULL: no memory, nothing has changed.
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
 * weft_rec_drop - drop the reference of weft_flush() after a packet was sent
 * @path: its path, not locked
 * @rec: its record
 * @out: output
 */
void weft_rec_drop(struct weft_path *path, struct weft_rec *rec, struct weft_out *out)
{
	/* the lane drops a packet in flight; a datagram is dropped here */
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
 * weft_rec_space - space for chunks in a record
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
 * @out: output with space for a packet
 * @len: its bytes
 *
 * Return: the packet; the caller fills in @raw and the destination.
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
 * @rec: its record, which has no lane and no PSN; the packet takes the reference over
 * @auth: authentication code of the sender's job
 * @out: output with space for a packet
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
 * @out: output with space for a packet
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
	/* packets of other classes may arrive late: the acknowledgement stays pending */
	if (tx->class != WEFT_CLASS_FIRST)
		return;
	weft_frame_told(lane);
	/* only a SACK chunk reports gaps */
	if (!lane->rcv_ahead)
		lane->ack_now = false;
}

/**
 * weft_frame_ack - put out a packet with an acknowledgement alone
 * @path: the path
 * @lane: the lane
 * @out: output with space for a packet
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
 * weft_tx_header - write the bytes of a packet, except the payload of a long message
 * @tx: the packets
 * @i: index of the packet
 * @dst: buffer of tx->len - tx->pay bytes
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

/* Copy the payload of packets @i to @i + @n - 1, with @skip bytes between two packets. */
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
	 * Acknowledged since it was put out: the bytes may belong to the program again. Other bytes
	 * cannot replace them: after a split another record has some of the packets, and the peer
	 * may lack those. That record sends them again if necessary.
	 */
	if (unlikely(READ_ONCE(rec->state) == WEFT_REC_IDLE))
		return -ECANCELED;
	err = weft_mem_scatter(rec->mem, off, dst, len, tx->pay, skip);
	if (err)
		WRITE_ONCE(rec->txm->fault, true);
	return err;
}

/**
 * weft_tx_payload - copy the payload of a packet
 * @tx: the packets
 * @i: index of the packet
 * @dst: buffer of weft_tx_paylen() bytes
 *
 * Return: 0; -EFAULT: the memory is gone; -ECANCELED: the packet need not be sent any more.
 */
int weft_tx_payload(const struct weft_tx *tx, u32 i, void *dst)
{
	return weft_tx_copy(tx, i, 1, dst, 0);
}

/**
 * weft_tx_write - write whole packets, one behind the other
 * @tx: the packets
 * @i: the first
 * @n: number of packets
 * @dst: buffer for them
 *
 * Return: 0; -EFAULT: the memory is gone; -ECANCELED: the packets need not be sent any more.
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
			/* equals the packet before, except two numbers */
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
 * weft_tx_pieces - find the payload of a packet in memory
 * @tx: the packets
 * @i: index of the packet
 * @span: out: pieces
 * @max: entries of @span
 * @mem: out: memory that the caller puts when it no longer uses the pieces
 *
 * Return: number of pieces; 0: the payload has to be copied.
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

/* ---- Queued chunks --------------------------------------------------------------- */

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
	case WEFT_CTL_CHUNK:
		weft_ctl_obj(ctl, struct weft_ctl_chunk)->path->ctl_pending++;
		break;
	}
}

static void weft_ctl_release(struct weft_ctl *ctl, struct weft_out *out)
{
	struct weft_flow *flow;
	struct weft_conn *conn;
	struct weft_ctl_chunk *note;

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
	case WEFT_CTL_CHUNK:
		note = weft_ctl_obj(ctl, struct weft_ctl_chunk);
		note->path->ctl_pending--;
		weft_free(note);
		break;
	}
}

/**
 * weft_ctl_put - queue an object that has a chunk to send
 * @path: its path; a dead path sends nothing
 * @lane: lane
 * @ctl: part of the object, which is referenced until a record holds the chunk; a note that cannot
 *	be sent is freed
 */
void weft_ctl_put(struct weft_path *path, u8 lane, struct weft_ctl *ctl)
{
	if (path->state == WEFT_PATHS_DEAD) {
		if (ctl->kind == WEFT_CTL_CHUNK)
			weft_free(weft_ctl_obj(ctl, struct weft_ctl_chunk));
		return;
	}
	if (ctl->queued)
		return;
	ctl->queued = true;
	if (ctl->kind == WEFT_CTL_CHUNK)
		weft_ctl_obj(ctl, struct weft_ctl_chunk)->path = path;
	weft_ctl_hold(ctl);
	weft_list_add_tail(&path->lane[lane].ctlq, &ctl->node);
	path->busy |= 1u << lane;
}

/**
 * weft_ctl_drop - remove an object from the queue: it has no chunk to send any more
 * @ctl: part of the object; its path is locked
 * @out: output
 */
void weft_ctl_drop(struct weft_ctl *ctl, struct weft_out *out)
{
	if (ctl->queued)
		weft_ctl_release(ctl, out);
}

/* Write the chunks of a received message. Return: bytes, 0: not enough space. */
static u32 weft_ctl_rxm(struct weft_rxm *rxm, u8 *dst, u32 room)
{
	u32 n = 0;

	if (room < WEFT_WIRE_CHUNK + sizeof(struct weft_w_grant) + WEFT_WIRE_CHUNK +
			   sizeof(struct weft_w_done))
		return 0;
	if (rxm->send_grant && !rxm->send_done)
		n += weft_wire_grant_put(dst, rxm->sid, rxm->rid, rxm->granted);
	if (rxm->send_done)
		n += weft_wire_done_put(dst + n, &rxm->id, rxm->sid, rxm->done,
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
 * Write one operation; @more reports that others are left. FIN has a packet of its own. The peer
 * takes FIN only after it has received the acknowledgements of its sends. So FIN must not delay
 * chunks for others, which the peer's FIN may wait for.
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
 * weft_ctl_build - write the first chunk of the queue
 * @path: the path
 * @lane: the lane; its ctlq is not empty
 * @rec: an open record
 * @out: output
 *
 * Return: true if the record had space for it.
 */
bool weft_ctl_build(struct weft_path *path, struct weft_lane *lane, struct weft_rec *rec,
		    struct weft_out *out)
{
	struct weft_ctl *ctl = weft_entry(weft_list_first(&lane->ctlq), struct weft_ctl, node);
	u8 *dst = rec->raw + rec->len;
	u32 room = weft_rec_space(path, rec);
	struct weft_rflow *rf;
	struct weft_ctl_chunk *note;
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
	case WEFT_CTL_CHUNK:
		note = weft_ctl_obj(ctl, struct weft_ctl_chunk);
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
	/* an object that writes nothing into an empty record has nothing to send */
	rec->len += n;
	if (!more)
		weft_ctl_release(ctl, out);
	return true;
}

/**
 * weft_ctl_chunk_new - make a chunk without an object: an answer
 * @path: its path, locked
 *
 * The limit bounds the answers to a peer that acknowledges nothing and sends more requests. The
 * congestion window cannot be that bound. Two nodes whose windows are full of requests to each
 * other would wait for each other.
 *
 * Return: a note to be filled in and put to a lane; NULL: no memory, or too many answers wait: the
 * request is not to be taken now.
 */
struct weft_ctl_chunk *weft_ctl_chunk_new(const struct weft_path *path)
{
	struct weft_ctl_chunk *note;

	weft_assert_held(&path->lock);
	if (path->ctl_pending >= WEFT_CTL_PENDING_MAX)
		return NULL;
	note = weft_alloc(sizeof(*note));
	if (note)
		weft_ctl_init(&note->ctl, WEFT_CTL_CHUNK);
	return note;
}
