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
	tail->imaged = rec->imaged;
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
	/*
	 * The lane drops a packet in flight. A datagram is dropped here, and a packet whose
	 * acknowledgement has come meanwhile. The path keeps the record of both.
	 */
	if (likely(!rec->mem && READ_ONCE(rec->state) != WEFT_REC_OPEN &&
		   refcount_read(&rec->ref) > 1)) {
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
 * @rec: the record
 *
 * Chunks without payload that is read later fit into a packet of the size that each path carries.
 * So only a packet with such payload may prove too long for its path (retire.c).
 *
 * Return: bytes that may be appended to rec->raw.
 */
u32 weft_rec_space(const struct weft_rec *rec)
{
	BUILD_BUG_ON(WEFT_REC_CHUNKS > WEFT_REC_RAW);
	if (rec->pay || rec->alone || rec->nref == WEFT_REC_REFS)
		return 0;
	return WEFT_REC_CHUNKS - rec->len;
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
	tx->image = false;
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
 * weft_frame_plain - put out a packet without PSN, for a chunk that is not sent again
 * @path: its path, up, locked
 * @len: its bytes up to the zeros at its end
 * @zeros: number of zeros; those of a chunk count in the chunk's length
 * @out: output
 *
 * Return: the packet, with its header; the caller writes the chunk behind that. NULL: the output is
 * full.
 */
struct weft_tx *weft_frame_plain(struct weft_path *path, u32 len, u32 zeros, struct weft_out *out)
{
	struct weft_tx *tx;

	weft_assert_held(&path->lock);
	if (out->ntx == WEFT_OUT_TX)
		return NULL;
	tx = weft_frame_new(out, len + zeros);
	tx->path = path;
	weft_path_get(path);
	tx->pay = zeros;
	tx->last = zeros;
	weft_path_count_tx(path, 1, len + zeros);
	weft_frame_header(path, &path->lane[0], tx->raw, 0, 0, out->now);
	return tx;
}

/**
 * weft_frame_dgram - put out a datagram
 * @path: its path, up
 * @rec: its record, which has no lane and no PSN; the packet takes the reference over
 * @auth: authentication code of the sender's job
 * @out: output with space for a packet
 */
void weft_frame_dgram(struct weft_path *path, struct weft_rec *rec, u64 auth, struct weft_out *out)
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
	weft_path_count_tx(path, 1, tx->len);
}

/*
 * Return: true if the memory of a send holds the payload of a record as its packets do, with space
 * for their heads. It is used for one transmission: a packet that is sent again may meet the first
 * one in a queue of this node.
 */
static bool weft_frame_image(struct weft_rec *rec)
{
	const struct weft_txm *txm = rec->txm;

	if (likely(!txm) || rec->mem || !txm->seg || rec->run != WEFT_CHUNK_EAGER || rec->imaged ||
	    rec->len != WEFT_GAP - WEFT_WIRE_HDR || rec->off % txm->seg ||
	    (rec->nseg > 1 ? rec->seg != txm->seg : rec->pay > txm->seg))
		return false;
	rec->imaged = true;
	return true;
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
	tx->image = weft_frame_image(rec);
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
	weft_path_count_tx(path, tx->nseg, weft_tx_size(tx));
	weft_frame_header(path, lane, tx->raw, WEFT_PKT_PSN, rec->psn, out->now);
	/* packets of a class that wait in queues arrive late: the acknowledgement stays pending */
	if (tx->class != WEFT_CLASS_FIRST && weft_class_queued(path, tx->class, out->now))
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
	weft_path_count_tx(path, 1, tx->len);
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
	const u8 *src;
	int err;

	if (!tx->pay)
		return 0;
	if (i + n == tx->nseg)
		len -= tx->pay - tx->last;
	/* the zeros of a PROBE, an ECHO or a QUESTION */
	if (!rec) {
		memset(dst, 0, len);
		return 0;
	}
	if (!rec->mem) {
		u32 rest = tx->pay;

		for (; len; len -= n, off += n, dst += n, rest -= n) {
			if (!rest) {
				dst += skip;
				rest = tx->pay;
			}
			n = min(len, rest);
			src = weft_txm_at(rec->txm, off, &n);
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

/* Write the heads of packets that lie one behind the other at @dst. */
static void weft_tx_heads(const struct weft_tx *tx, u32 i, u32 n, u8 *dst)
{
	u32 k = 1;

	weft_tx_header(tx, i, dst);
	if (n == 1)
		return;
	/* the last packet of a run differs: by its length, and in what it asks for */
	if (likely(tx->run)) {
		k = min(n, tx->nseg - 1 - i);
		weft_wire_heads_put(dst, k, tx->len, tx->pay, tx->run);
	}
	for (; k < n; k++)
		weft_tx_header(tx, i + k, dst + (size_t)k * tx->len);
}

/**
 * weft_tx_image - get whole packets, one behind the other, in memory of the core
 * @tx: the packets
 * @i: the first
 * @n: number of packets; out: how many there are
 *
 * The memory is that of a struct weft_store. The caller takes a reference, and does not write.
 * Return: the packets; NULL: weft_tx_write() has to write them.
 */
const void *weft_tx_image(const struct weft_tx *tx, u32 i, u32 *n)
{
	const struct weft_txm *txm;
	u32 off, one = 1;
	u8 *p;

	if (likely(!tx->image))
		return NULL;
	txm = tx->rec->txm;
	off = tx->off + i * tx->pay;
	p = weft_txm_at(txm, off, &one) - WEFT_GAP;
	*n = min(*n, txm->each - off / txm->seg % txm->each);
	weft_tx_heads(tx, i, *n, p);
	return p;
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
	u32 head = tx->len - tx->pay;

	weft_tx_heads(tx, i, n, dst);
	if (likely(n == 1 && !tx->pay))
		return 0;
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

	if (!tx->pay || !rec || !rec->mem || READ_ONCE(rec->again) ||
	    READ_ONCE(rec->state) == WEFT_REC_IDLE)
		return 0;
	n = weft_mem_spans(rec->mem, tx->off + i * tx->pay, weft_tx_paylen(tx, i), span, max);
	if (!n)
		return 0;
	weft_mem_hold(rec->mem);
	*mem = rec->mem;
	return n;
}
