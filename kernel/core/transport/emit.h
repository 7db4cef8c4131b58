/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - steps of making a packet, inline for the fast path
 *
 * Locks: path->lock.
 */
#ifndef WEFT_EMIT_H
#define WEFT_EMIT_H

#include "core/transport/transport.h"

/* Return: a used record to be reset with weft_rec_begin(), or NULL. */
static inline struct weft_rec *weft_rec_kept(struct weft_path *path)
{
	struct weft_list *l = weft_list_first(&path->recs);

	if (unlikely(!l))
		return NULL;
	weft_list_del(l);
	path->nrecs--;
	return weft_entry(l, struct weft_rec, node);
}

/* Keep a record without users in path->recs. */
static inline void weft_rec_keep(struct weft_path *path, struct weft_rec *rec)
{
	rec->state = WEFT_REC_IDLE;
	weft_list_add_tail(&path->recs, &rec->node);
	path->nrecs++;
}

/* Reset a record: empty and open. */
static inline void weft_rec_begin(struct weft_rec *rec)
{
	refcount_set(&rec->ref, 1);
	rec->nseg = 1;
	rec->run = 0;
	rec->state = WEFT_REC_OPEN;
	rec->again = false;
	rec->acknow = false;
	rec->withdrawn = false;
	rec->imaged = false;
	rec->alone = false;
	rec->nref = 0;
	rec->len = 0;
	rec->pay = 0;
	rec->txm = NULL;
	rec->mem = NULL;
}

/**
 * weft_rec_ref - record that a message has bytes in a packet
 * @rec: the record
 * @flow: the message's flow
 * @txm: the message, and those behind it in a chunk; NULL: not tracked
 */
static inline void weft_rec_ref(struct weft_rec *rec, struct weft_flow *flow, struct weft_txm *txm)
{
	struct weft_ref *ref = &rec->refs[rec->nref++];

	ref->flow = flow;
	ref->txm = txm;
	flow->ref++;
	flow->unacked++;
	for (; txm; txm = txm->more) {
		weft_txm_get(txm);
		txm->nrec++;
	}
}

/*
 * Return: bytes of payload in each packet of a run but the last, behind @head bytes of a chunk. It
 * is a multiple of 8, so that copies consist of words.
 */
static inline u32 weft_frame_seg(const struct weft_path *path, u32 head)
{
	return round_down(READ_ONCE(path->max_payload) - WEFT_WIRE_HDR - head, 8);
}

/**
 * weft_lane_number - give a packet its PSN and its place in the lane
 * @path: the path, up
 * @lane: the lane
 * @rec: its record, which was the open one; the caller puts it out before any other packet of the
 *	lane
 * @now: time
 */
static inline void weft_lane_number(struct weft_path *path, struct weft_lane *lane,
				    struct weft_rec *rec, weft_ns now)
{
	u32 half = lane->cwnd / 2, flight = lane->flight + rec->nseg;

	rec->psn = lane->snd_nxt;
	lane->snd_nxt += rec->nseg;
	if (!path->flight)
		path->alive_at = now;
	path->flight += rec->nseg;
	weft_list_add_tail(&lane->sent, &rec->node);
	path->nsent++;
	/* acknowledgements return before the window is used up */
	if (flight >= lane->cwnd || (lane->flight <= half && flight > half))
		rec->acknow = true;
	weft_lane_away(lane, rec, now);
	if (lane->rto_at == U64_MAX)
		weft_lane_arm(path, lane, now);
}

/* Write a header with the lane's acknowledgement. */
static __always_inline void weft_frame_header(struct weft_path *path, struct weft_lane *lane,
					      u8 *dst, u8 flags, u32 psn, weft_ns now)
{
	struct weft_hdr h = {
		.type = WEFT_PKT_DATA,
		.flags = flags,
		.lane = lane->no,
		.path = path->peer_id,
		.token = path->peer_token,
		.psn = psn,
		.ack = lane->rcv_nxt,
		.window = weft_path_rx_window(path),
	};
	weft_ns age = weft_since(now, lane->rcv_at);

	/* microseconds, within some per cent, without a division */
	h.ack_delay = age < (1ull << 41) ? (u32)((age * 67109) >> 26) : U32_MAX;
	weft_wire_hdr_put(dst, &h);
}

/* A packet of class FIRST carries the acknowledgement: none is pending now. */
static __always_inline void weft_frame_told(struct weft_lane *lane)
{
	lane->rcv_unacked = 0;
	lane->ack_at = U64_MAX;
}

/* Return: true if a packet with @size bytes of chunks is all that the path has to send. */
static __always_inline bool weft_fastpkt_alone(const struct weft_path *path,
					       const struct weft_lane *lane, u32 size)
{
	return likely(!(path->busy | lane->rcv_ahead) && !weft_lane_waits(lane) &&
		      weft_list_empty(&lane->owed) &&
		      size <= path->max_payload - WEFT_WIRE_HDR);
}

/*
 * Prepare the place of a short message's payload in the next chunk, of @size bytes: zeros fill it
 * up to a multiple of 4. Return: the place.
 */
static inline u8 *weft_fastpkt_room(struct weft_rec *rec, u32 size)
{
	u8 *dst = rec->raw + rec->len;

	*(u32 *)(dst + size - sizeof(u32)) = 0;
	return dst + WEFT_WIRE_CHUNK + sizeof(struct weft_w_eager);
}

/*
 * Append a short message to a record that has space for it: a chunk of @size bytes. The payload at
 * @pay is read once, because the program may change it. NULL: it is in weft_fastpkt_room() already.
 */
static __always_inline void weft_fastpkt_fill(struct weft_rec *rec, struct weft_flow *flow,
					      const struct weft_head *h, const void *pay, u32 size)
{
	u32 len = (u32)h->len;

	BUILD_BUG_ON(WEFT_WIRE_CHUNK + sizeof(struct weft_w_eager) + WEFT_SHORT_MAX >
		     WEFT_REC_RAW - sizeof(u32));
	BUILD_BUG_ON(WEFT_INLINE_MAX > WEFT_SHORT_MAX);
	if (likely(pay)) {
		u8 *room = weft_fastpkt_room(rec, size);

		if (likely(len == sizeof(u64)))
			memcpy(room, pay, sizeof(u64));
		else
			memcpy(room, pay, len);
	}
	weft_wire_eager_put(rec->raw + rec->len, h, 0, len);
	rec->len += size;
	weft_rec_ref(rec, flow, NULL);
}

/*
 * Write a packet of class FIRST to @dst. The packet has its PSN, and its record holds all its
 * bytes.
 */
static __always_inline void weft_frame_write(struct weft_path *path, struct weft_lane *lane,
					     const struct weft_rec *rec, u8 *dst, weft_ns now)
{
	const u32 most = weft_wire_size(sizeof(struct weft_w_eager) + sizeof(u64));

	weft_path_count_tx(path, 1, WEFT_WIRE_HDR + rec->len);
	weft_frame_header(path, lane, dst, WEFT_PKT_PSN | (rec->acknow ? WEFT_PKT_ACKNOW : 0),
			  rec->psn, now);
	weft_frame_told(lane);
	/* a constant length: the compiler makes no call */
	if (likely(rec->len == most))
		memcpy(dst + WEFT_WIRE_HDR, rec->raw, most);
	else
		memcpy(dst + WEFT_WIRE_HDR, rec->raw, rec->len);
	/* only a SACK chunk reports gaps */
	if (!lane->rcv_ahead)
		lane->ack_now = false;
}

#endif
