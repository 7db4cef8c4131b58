// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - lanes: packet sequence numbers, acknowledgement, retransmission
 *
 * Sending. A record is in lane->sent, by PSN, from its transmission until its acknowledgement. The
 * acknowledgement is cumulative or selective and is never withdrawn. A record in the network is in
 * lane->xmit too, in order of transmission. A record to be sent again is in lane->lost:
 *
 *	new --output--> sent+xmit --acknowledged--> gone
 *	                  |    ^
 *	       RACK, RTO  v    | output
 *	                sent+lost
 *
 * Loss detection: RACK (RFC 8985). A packet is lost when two conditions hold. A packet sent later
 * has arrived, and a round-trip time plus a reorder window has passed since its transmission.
 * Timeout: RFC 6298, after one tail-loss probe. The reorder window adapts: loss.c.
 * Congestion window: cwnd.c.
 *
 * Receiving. Every PSN before rcv_nxt has been received. lane->bits holds those received beyond it.
 * The receiver remembers a PSN only when all chunks of its packet have been processed.
 *
 * Locks: path->lock protects all of it; the functions run in softirq context or with softirqs off.
 */
#include "core/transport/ack.h"

/* time since the first retransmission, in ticks, after which another one makes the size doubtful */
#define WEFT_DOUBT_TICKS	32

/**
 * weft_lane_init - initialize a lane
 * @lane: the lane, zeroed
 * @no: its number
 * @bits: its window of received PSNs, zeroed
 */
void weft_lane_init(struct weft_lane *lane, u8 no, u64 *bits)
{
	lane->no = no;
	lane->bits = bits;
	weft_cwnd_init(lane);
	lane->reo_mult = 1;
	lane->rto_at = U64_MAX;
	lane->reo_at = U64_MAX;
	lane->ack_at = U64_MAX;
	weft_list_init(&lane->ctlq);
	weft_list_init(&lane->sendq);
	weft_list_init(&lane->dataq);
	weft_list_init(&lane->owed);
	weft_list_init(&lane->sent);
	weft_list_init(&lane->xmit);
	weft_list_init(&lane->lost);
}

/**
 * weft_lane_anew - reset the packet numbers of a lane; chunks and messages that wait stay queued
 * @lane: the lane, with an empty open packet, no unacknowledged packet and no flow that owes a
 *	report; its path is locked
 */
void weft_lane_anew(struct weft_lane *lane)
{
	struct weft_rec *open = lane->open;
	struct weft_list ctlq, sendq;
	u64 *bits = lane->bits;

	weft_list_init(&ctlq);
	weft_list_init(&sendq);
	weft_list_splice_tail(&ctlq, &lane->ctlq);
	weft_list_splice_tail(&sendq, &lane->sendq);
	memset((u8 *)lane + sizeof(lane->no), 0, sizeof(*lane) - sizeof(lane->no));
	memset(bits, 0, sizeof(*bits) * WEFT_WINDOW_WORDS);
	weft_lane_init(lane, lane->no, bits);
	lane->open = open;
	weft_list_splice_tail(&lane->ctlq, &ctlq);
	weft_list_splice_tail(&lane->sendq, &sendq);
}

/* ---- Acknowledgements ------------------------------------------------------------ */

/*
 * Packets of a class may wait behind those of lower classes, where the network has no priorities.
 * Return: the class with the longest timeout among that of the lane and lower ones on their way
 * whose round-trip times are known.
 */
static const struct weft_class *weft_lane_slowest(const struct weft_path *path,
						  const struct weft_lane *lane)
{
	const struct weft_class *c = weft_class_of(path, lane);
	u32 i;

	if (likely(path->flight == lane->flight))
		return c;
	for (i = lane->no / WEFT_CLASS_LANES + 1; i < WEFT_CLASSES; i++) {
		const struct weft_lane *low = &path->lane[i * WEFT_CLASS_LANES];

		if ((low[0].flight || low[1].flight) && path->class[i].srtt &&
		    path->class[i].rto > c->rto)
			c = &path->class[i];
	}
	return c;
}

/**
 * weft_lane_arm - set the time of the tail-loss probe or, after it, of the retransmission timeout
 * @path: the path
 * @lane: the lane
 * @now: time
 */
void weft_lane_arm(struct weft_path *path, struct weft_lane *lane, weft_ns now)
{
	const struct weft_class *c = weft_lane_slowest(path, lane);
	weft_ns wait;

	if (!lane->flight && weft_list_empty(&lane->lost)) {
		lane->rto_at = U64_MAX;
		return;
	}
	if (!lane->probed && !lane->backoff && c->srtt)
		wait = min(max_t(weft_ns, 2 * c->srtt + 4 * c->rttvar,
				 path->core->conf.rto_min_ns / 8) + path->peer_ack_delay,
			   c->rto);
	else
		wait = min_t(weft_ns, c->rto << min_t(u8, lane->backoff, 10), WEFT_RTO_MAX);
	lane->rto_at = now + wait;
	weft_path_deadline(path, lane->rto_at);
}

static void weft_lane_lose(struct weft_lane *lane, struct weft_rec *rec)
{
	weft_list_del(&rec->tnode);
	weft_list_add_tail(&lane->lost, &rec->tnode);
	rec->state = WEFT_REC_LOST;
	lane->flight -= rec->nseg;
}

/* Mark packets as lost that packets sent later have overtaken by more than the reorder window. */
static void weft_lane_detect(struct weft_path *path, struct weft_lane *lane, weft_ns now)
{
	weft_ns reo = weft_loss_window(path, lane);
	struct weft_list *l, *tmp;

	lane->reo_at = U64_MAX;
	weft_list_for_each_safe(l, tmp, &lane->xmit) {
		struct weft_rec *rec = weft_entry(l, struct weft_rec, tnode);
		weft_ns due;

		if (rec->sent_at > lane->rack_at ||
		    (rec->sent_at == lane->rack_at && (s32)(rec->psn - lane->rack_psn) >= 0))
			break;
		due = rec->sent_at + lane->rack_rtt + reo;
		if (due > now) {
			lane->reo_at = due;
			weft_path_deadline(path, due);
			break;
		}
		weft_lane_lose(lane, rec);
		weft_cwnd_lost(path, lane, rec->psn);
	}
}

/* Record the transmission time of the packets that have arrived, up to @psn of @rec, for RACK. */
static void weft_lane_loss(struct weft_path *path, struct weft_lane *lane,
			   const struct weft_rec *rec, u32 psn, weft_ns now)
{
	weft_ns rtt = weft_since(now, rec->sent_at);

	/* an early acknowledgement belongs to the first transmission */
	if (rec->again && rtt < weft_class_of(path, lane)->srtt / 2)
		return;
	/* a packet that was taken for lost may have arrived much earlier */
	if (rec->state == WEFT_REC_LOST)
		return;
	weft_ack_arrived(lane, rec->sent_at, psn, rtt);
}

/*
 * Remove the first @n packets of a record, which are acknowledged. Return: true if some are left.
 */
static bool weft_lane_take_off(struct weft_path *path, struct weft_lane *lane, struct weft_rec *rec,
			       u32 n, struct weft_out *out)
{
	weft_lane_loss(path, lane, rec, rec->psn + n - 1, out->now);
	if (n == rec->nseg) {
		weft_ack_record(path, lane, rec, out);
		return false;
	}
	if (rec->state == WEFT_REC_FLIGHT)
		lane->flight -= n;
	path->flight -= n;
	weft_rec_trim(rec, n);
	return true;
}

/* Remove the packets of a record that a SACK bitmap of @bits bits reports. Return: packets. */
static u32 weft_lane_sacked(struct weft_path *path, struct weft_lane *lane, struct weft_rec *rec,
			    u32 base, const struct weft_chunk *sack, u32 bits, struct weft_out *out)
{
	u32 acked = 0, from, n;

	for (;;) {
		u32 i = rec->psn - base, end = i + rec->nseg;

		/*
		 * the cumulative acknowledgement covers packets before @base, except the first gap
		 */
		from = (s32)i < 0 ? 0 : i;
		if ((s32)end <= 0)
			break;
		end = min(end, bits);
		while (from < end && !(weft_wire_sack_word(sack, from / 32) >> (from % 32) & 1))
			from++;
		if (from >= end)
			break;
		for (n = 1; from + n < end; n++)
			if (!(weft_wire_sack_word(sack, (from + n) / 32) >> ((from + n) % 32) & 1))
				break;
		if (from != i) {
			/* without memory the record stays: the next SACK repeats this */
			rec = weft_rec_split(path, rec, from - i, out);
			if (!rec)
				break;
		}
		acked += n;
		if (!weft_lane_take_off(path, lane, rec, n, out))
			break;
	}
	return acked;
}

/**
 * weft_lane_acked - process an acknowledgement
 * @path: the path
 * @lane: the lane
 * @h: header of the packet
 * @sack: SACK chunk, or NULL
 * @out: output
 */
void weft_lane_acked(struct weft_path *path, struct weft_lane *lane, const struct weft_hdr *h,
		     const struct weft_chunk *sack, struct weft_out *out)
{
	weft_ns now = out->now, rtt = U64_MAX;
	struct weft_list *l, *tmp;
	struct weft_rec *rec;
	u32 n = 0;

	if ((s32)(h->ack - lane->snd_nxt) > 0)
		return;
	while ((l = weft_list_first(&lane->sent))) {
		u32 k;

		rec = weft_entry(l, struct weft_rec, node);
		k = h->ack - rec->psn;
		if ((s32)k <= 0)
			break;
		/*
		 * for a packet taken for lost, an earlier acknowledgement may have been lost: no
		 * sample
		 */
		if (!rec->again && rec->state == WEFT_REC_FLIGHT)
			rtt = weft_since(now, rec->sent_at);
		k = min_t(u32, k, rec->nseg);
		n += k;
		if (weft_lane_take_off(path, lane, rec, k, out))
			break;
	}
	if (n && rtt != U64_MAX)
		weft_ack_rtt(path, lane, rtt, h->ack_delay, now);
	if ((s32)(h->ack - lane->snd_una) > 0)
		lane->snd_una = h->ack;
	if (sack) {
		u32 bits = min_t(u32, sack->paylen * 8, WEFT_SACK_BITS);

		weft_list_for_each_safe(l, tmp, &lane->sent) {
			rec = weft_entry(l, struct weft_rec, node);
			if ((s32)(rec->psn - h->ack - 1 - bits) >= 0)
				break;
			n += weft_lane_sacked(path, lane, rec, h->ack + 1, sack, bits, out);
		}
	}
	if (!n)
		return;
	weft_ack_progress(lane);
	weft_cwnd_acked(path, lane, n, now);
	if (!weft_list_empty(&lane->xmit))
		weft_lane_detect(path, lane, now);
	else
		lane->reo_at = U64_MAX;
	if (weft_lane_waits(lane) || lane->retire)
		path->busy |= 1u << lane->no;
	if (weft_list_empty(&lane->sent))
		weft_ack_rest(lane);
	else
		weft_lane_arm(path, lane, now);
}

/* ---- Sending --------------------------------------------------------------------- */

/**
 * weft_lane_segs - number of packets that may be sent together
 * @path: the path
 * @lane: the lane, with space in its window
 *
 * Return: packets of the largest size, at least 1.
 */
u32 weft_lane_segs(const struct weft_path *path, const struct weft_lane *lane)
{
	u32 n = min(lane->cwnd - lane->flight, WEFT_WINDOW_NEW - (lane->snd_nxt - lane->snd_una));

	return min(n, max_t(u32, WEFT_RUN_BYTES / path->max_payload, 1));
}

/**
 * weft_lane_open - get the packet that is being filled
 * @path: the path
 * @lane: the lane
 *
 * Return: its record; NULL: no memory, or too many records are not acknowledged.
 */
struct weft_rec *weft_lane_open(struct weft_path *path, struct weft_lane *lane)
{
	if (!lane->open) {
		if (unlikely(path->nsent >= READ_ONCE(path->core->conf.rec_max)))
			weft_count(path->core, limit_packets);
		else
			lane->open = weft_rec_new(path);
	}
	return lane->open;
}

/**
 * weft_lane_room - get the open packet of a lane with space for a chunk
 * @path: the path, locked, up
 * @lane: the lane, which may send
 * @need: bytes of the chunk
 * @out: output
 *
 * A packet without that space is sent, and the next one opened.
 * Return: the record; NULL: there is none.
 */
struct weft_rec *weft_lane_room(struct weft_path *path, struct weft_lane *lane, u32 need,
				struct weft_out *out)
{
	struct weft_rec *rec;

	weft_assert_held(&path->lock);
	rec = weft_lane_open(path, lane);
	if (rec && weft_rec_space(rec) < need) {
		path->busy |= 1u << lane->no;
		weft_lane_output(path, lane, out);
		rec = weft_lane_may_send(lane) ? weft_lane_open(path, lane) : NULL;
	}
	return rec && weft_rec_space(rec) >= need ? rec : NULL;
}

/**
 * weft_lane_close - number the open packet and send it
 * @path: the path, up
 * @lane: the lane, with bytes in its open packet
 * @out: output with space for a packet
 */
void weft_lane_close(struct weft_path *path, struct weft_lane *lane, struct weft_out *out)
{
	struct weft_rec *rec = lane->open;

	lane->open = NULL;
	weft_lane_number(path, lane, rec, out->now);
	weft_frame_emit(path, lane, rec, out);
}

/* Return: time in units of 2^20 ns, about a millisecond. 32 bits exceed the compared intervals. */
static u32 weft_lane_tick(weft_ns t)
{
	return (u32)(t >> 20);
}

/* Send a packet again. */
static void weft_lane_again(struct weft_path *path, struct weft_lane *lane, struct weft_rec *rec,
			    struct weft_out *out)
{
	struct weft_txm *txm = rec->txm;

	if (unlikely(txm && rec->mem && READ_ONCE(txm->fault)) && txm->state != WEFT_TXM_OVER)
		weft_send_abandon(txm, EFAULT, out);
	weft_list_del(&rec->tnode);
	if (!rec->again)
		rec->again_at = weft_lane_tick(out->now);
	else if ((s32)(weft_lane_tick(out->now) - rec->again_at) >= WEFT_DOUBT_TICKS)
		weft_mtu_doubt(path, rec, out->now);
	weft_trace_retransmit(path->core, &path->node.addr, lane->no, rec->psn, rec->len,
			      rec->nseg, rec->again);
	WRITE_ONCE(rec->again, true);
	rec->acknow = true;
	path->counts.retrans += rec->nseg;
	weft_count_add(path->core, retransmits, rec->nseg);
	weft_lane_away(lane, rec, out->now);
	weft_frame_emit(path, lane, rec, out);
}

/* Append waiting chunks and messages to the open packet, until it is full or none may be sent. */
static void weft_lane_fill(struct weft_path *path, struct weft_lane *lane, struct weft_out *out)
{
	struct weft_rec *rec = lane->open;

	while (!weft_list_empty(&lane->ctlq))
		if (!weft_ctl_build(path, lane, rec, out))
			return;
	if (lane->flight >= lane->cwnd) {
		lane->limited = true;
		return;
	}
	if (!weft_list_empty(&lane->sendq) || !weft_list_empty(&lane->dataq))
		weft_send_append(path, lane, rec, out);
}

/**
 * weft_lane_output - send the packets that may be sent
 * @path: the path, up
 * @lane: the lane
 * @out: output; when it is full, the path is put on out->more
 */
void weft_lane_output(struct weft_path *path, struct weft_lane *lane, struct weft_out *out)
{
	struct weft_list *l;
	int err = 0;

	if (unlikely(!weft_list_empty(&lane->owed)))
		weft_report_due(path, lane);
	if (unlikely(lane->retire)) {
		err = weft_retire_output(path, lane, out);
		if (err == -ENOSPC)
			goto more;
	}
	while (!weft_list_empty(&lane->lost) && lane->flight < lane->cwnd) {
		u32 room = lane->cwnd - lane->flight;
		struct weft_rec *rec;

		if (out->ntx == WEFT_OUT_TX)
			goto more;
		l = weft_list_first(&lane->lost);
		rec = weft_entry(l, struct weft_rec, tnode);
		/* without memory for a split the whole run is sent */
		if (rec->nseg > room)
			weft_rec_split(path, rec, room, out);
		weft_loss_again(lane, rec);
		weft_lane_again(path, lane, rec, out);
	}
	if (unlikely(!weft_list_empty(&lane->lost)))
		lane->limited = true;
	while (weft_lane_numbers(lane)) {
		if (out->ntx == WEFT_OUT_TX)
			goto more;
		if (!lane->open) {
			if (weft_list_empty(&lane->ctlq) && weft_list_empty(&lane->sendq) &&
			    weft_list_empty(&lane->dataq))
				break;
			if (!weft_lane_open(path, lane))
				break;
		}
		weft_lane_fill(path, lane, out);
		if (!weft_lane_filled(lane))
			break;
		weft_lane_close(path, lane, out);
	}
	if (lane->ack_now) {
		if (out->ntx == WEFT_OUT_TX)
			goto more;
		weft_frame_ack(path, lane, out);
	} else if (lane->ack_at != U64_MAX) {
		weft_path_deadline(path, lane->ack_at);
	}
	path->busy &= ~(1u << lane->no);
	/* no record (memory or limit): the timer tries again, because no other event does */
	if (unlikely(err ||
		     (!lane->open && weft_lane_numbers(lane) &&
		      (!weft_list_empty(&lane->ctlq) ||
		       (lane->flight < lane->cwnd &&
			!(weft_list_empty(&lane->sendq) && weft_list_empty(&lane->dataq))))))) {
		path->busy |= 1u << lane->no;
		weft_path_deadline(path, out->now + path->core->conf.ack_delay_ns);
	}
	return;
more:
	weft_path_go_on(path, out);
}

/**
 * weft_lane_withdraw - stop reading the memory of a send
 * @path: the path, locked
 * @lane: lane of its packets
 * @txm: the send
 * @out: output
 */
void weft_lane_withdraw(struct weft_path *path, struct weft_lane *lane, const struct weft_txm *txm,
			struct weft_out *out)
{
	struct weft_retire *r = &path->mtu->lane[lane->no];
	struct weft_list *lists[] = { &lane->sent, &r->retired, &r->cut }, *l;
	u32 i;

	weft_assert_held(&path->lock);
	for (i = 0; i < ARRAY_SIZE(lists); i++)
		weft_list_for_each(l, lists[i]) {
			struct weft_rec *rec = weft_entry(l, struct weft_rec, node);

			if (rec->txm == txm)
				weft_rec_withdraw(rec, out);
		}
}

/* ---- Timers ---------------------------------------------------------------------- */

/*
 * All packets are lost. Put the oldest one first, because the peer lacks it. Until it arrives, the
 * peer cannot report packets beyond the reach of SACK.
 */
static void weft_lane_oldest(struct weft_path *path, struct weft_lane *lane, struct weft_out *out)
{
	struct weft_rec *rec = weft_entry(lane->sent.next, struct weft_rec, node);

	/* without memory for a split the whole run comes first */
	if (rec->nseg > 1)
		weft_rec_split(path, rec, 1, out);
	weft_list_del(&rec->tnode);
	weft_list_add(&lane->lost, &rec->tnode);
}

/* No acknowledgement has come in time: send a probe, or take all packets for lost. */
static void weft_lane_timeout(struct weft_path *path, struct weft_lane *lane, struct weft_out *out)
{
	struct weft_rec *rec;
	struct weft_list *l;

	path->busy |= 1u << lane->no;
	if (!lane->probed && !lane->backoff && weft_class_of(path, lane)->srtt &&
	    !weft_list_empty(&lane->xmit)) {
		/* a probe: send the newest packet again, whatever the window is */
		lane->probed = true;
		rec = weft_entry(lane->xmit.prev, struct weft_rec, tnode);
		if (out->ntx < WEFT_OUT_TX) {
			if (rec->nseg > 1)
				rec = weft_rec_split(path, rec, rec->nseg - 1, out) ?: rec;
			lane->flight -= rec->nseg;
			weft_lane_again(path, lane, rec, out);
		}
		weft_lane_arm(path, lane, out->now);
		return;
	}
	path->counts.timeouts++;
	weft_count(path->core, timeouts);
	/*
	 * At the first timeout all packets are lost, the oldest first, including those sent again
	 * since. At further timeouts the oldest packet comes first, then those not sent again yet:
	 * the peer may be unable to take the oldest packet before others.
	 */
	while (lane->backoff && (l = weft_list_first(&lane->xmit)))
		weft_lane_lose(lane, weft_entry(l, struct weft_rec, tnode));
	weft_list_for_each(l, &lane->sent) {
		rec = weft_entry(l, struct weft_rec, node);
		if (lane->backoff)
			break;
		if (rec->state == WEFT_REC_FLIGHT) {
			weft_lane_lose(lane, rec);
		} else {
			weft_list_del(&rec->tnode);
			weft_list_add_tail(&lane->lost, &rec->tnode);
		}
	}
	weft_cwnd_timeout(lane);
	if (lane->backoff)
		weft_lane_oldest(path, lane, out);
	if (lane->backoff < 16)
		lane->backoff++;
	lane->probed = true;
	weft_lane_arm(path, lane, out->now);
}

/**
 * weft_lane_timer - do the work of the timers that have expired
 * @path: the path, up
 * @lane: the lane
 * @out: output
 */
void weft_lane_timer(struct weft_path *path, struct weft_lane *lane, struct weft_out *out)
{
	if (lane->reo_at <= out->now) {
		path->busy |= 1u << lane->no;
		weft_lane_detect(path, lane, out->now);
	}
	if (lane->rto_at <= out->now)
		weft_lane_timeout(path, lane, out);
	if (lane->ack_at <= out->now) {
		lane->ack_now = true;
		lane->ack_at = U64_MAX;
		path->busy |= 1u << lane->no;
	}
}

/**
 * weft_lane_next - earliest timer of a lane
 * @lane: the lane
 *
 * Return: time at which weft_lane_timer() is needed.
 */
weft_ns weft_lane_next(const struct weft_lane *lane)
{
	return min(min(lane->rto_at, lane->reo_at), lane->ack_at);
}

/**
 * weft_lane_stuck - is the oldest packet sent again repeatedly without an acknowledgement?
 * @path: the path
 * @lane: the lane
 * @now: time
 *
 * Other packets of the peer may arrive all the time. A packet that may be too long for the path
 * does not count: mtu.c decides about it.
 *
 * Return: true if this has lasted longer than dead_ns.
 */
bool weft_lane_stuck(const struct weft_path *path, const struct weft_lane *lane, weft_ns now)
{
	weft_ns most = path->core->conf.dead_ns;
	const struct weft_rec *rec;

	if (weft_list_empty(&lane->sent))
		return false;
	rec = weft_entry(lane->sent.next, const struct weft_rec, node);
	if (weft_rec_size(rec) > WEFT_PAYLOAD_MIN && weft_mtu_narrow(path))
		return false;
	/* another CPU may have sent it again after @now was read */
	return rec->again &&
	       (s32)(weft_lane_tick(now) - rec->again_at) > (s32)weft_lane_tick(most);
}

/**
 * weft_lane_fini - drop all packets of a dead path
 * @path: the path
 * @lane: the lane
 * @out: output
 *
 * The caller has failed the messages before.
 *
 * Return: number of messages without a struct weft_txm in these packets: they were complete for
 * their program.
 */
u32 weft_lane_fini(struct weft_path *path, struct weft_lane *lane, struct weft_out *out)
{
	struct weft_list *l;
	u32 i, n = 0;

	if (lane->open) {
		/* treat the open packet as sent */
		weft_list_add_tail(&lane->sent, &lane->open->node);
		path->nsent++;
		path->flight += lane->open->nseg;
		lane->open = NULL;
	}
	weft_retire_fini(path, lane, out);
	while ((l = weft_list_first(&lane->sent))) {
		struct weft_rec *rec = weft_entry(l, struct weft_rec, node);

		/* a flow that is not accepted, or has ended, has only its own chunk there */
		for (i = 0; i < rec->nref; i++)
			n += !rec->refs[i].txm && rec->refs[i].flow->accepted &&
			     !rec->refs[i].flow->ended;
		weft_ack_record(path, lane, rec, out);
	}
	while ((l = weft_list_first(&lane->ctlq)))
		weft_ctl_drop(weft_entry(l, struct weft_ctl, node), out);
	lane->rto_at = U64_MAX;
	lane->reo_at = U64_MAX;
	lane->ack_at = U64_MAX;
	return n;
}
