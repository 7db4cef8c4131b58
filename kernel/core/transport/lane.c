// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - lanes: packet sequence numbers, acknowledgement, retransmission, congestion window
 *
 * Sending. Records stand in lane->sent by PSN from the time they are sent until they are
 * acknowledged, cumulatively or selectively: an acknowledgement is never taken back. Those in the
 * network stand in lane->xmit too, the one sent longest ago first, those that are to be sent again
 * in lane->lost:
 *
 *	new --output--> sent+xmit --acknowledged--> gone
 *	                  |    ^
 *	       RACK, RTO  v    | output
 *	                sent+lost
 *
 * Loss: RACK (RFC 8985): a packet is lost when one sent later has arrived and the time of a round
 * trip plus a reordering window has passed since it was sent. Timeout: RFC 6298, after one tail-
 * loss probe. The reordering window adapts: loss.c.
 * Window: slow start, additive increase, halved once per round trip with loss.
 *
 * Receiving. Every PSN before rcv_nxt has been received, those in lane->bits beyond it. A PSN is
 * remembered only when all chunks of its packet have been taken.
 *
 * Locks: path->lock.
 */
#include "core/transport/ack.h"
#include "core/transport/transport.h"

/**
 * weft_lane_init - make a lane
 * @lane: the lane, zeroed
 * @no: its number
 */
void weft_lane_init(struct weft_lane *lane, u8 no)
{
	lane->no = no;
	lane->cwnd = WEFT_CWND_INIT;
	lane->ssthresh = WEFT_WINDOW;
	lane->reo_mult = 1;
	lane->rto_at = U64_MAX;
	lane->reo_at = U64_MAX;
	lane->ack_at = U64_MAX;
	weft_list_init(&lane->ctlq);
	weft_list_init(&lane->sendq);
	weft_list_init(&lane->dataq);
	weft_list_init(&lane->sent);
	weft_list_init(&lane->xmit);
	weft_list_init(&lane->lost);
}

/**
 * weft_lane_anew - forget all packets; what waits to be sent still does
 * @lane: the lane, with no packet that is filled or not acknowledged; its path is locked
 */
void weft_lane_anew(struct weft_lane *lane)
{
	struct weft_rec *open = lane->open;
	struct weft_list ctlq, sendq;

	weft_list_init(&ctlq);
	weft_list_init(&sendq);
	weft_list_splice_tail(&ctlq, &lane->ctlq);
	weft_list_splice_tail(&sendq, &lane->sendq);
	memset((u8 *)lane + sizeof(lane->no), 0, sizeof(*lane) - sizeof(lane->no));
	weft_lane_init(lane, lane->no);
	lane->open = open;
	weft_list_splice_tail(&lane->ctlq, &ctlq);
	weft_list_splice_tail(&lane->sendq, &sendq);
}

/* ---- Acknowledgements ------------------------------------------------------------ */

/**
 * weft_lane_arm - when the lane will do something about what is not acknowledged: a probe first,
 * then the timeout
 * @path: the path
 * @lane: the lane
 * @now: time
 */
void weft_lane_arm(struct weft_path *path, struct weft_lane *lane, weft_ns now)
{
	const struct weft_class *c = weft_class_of(path, lane);
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

/*
 * Halve the window, but once for all losses of a round trip. While packets arrive as quickly as if
 * nothing stood in any queue, the losses are not for want of room: then take a little off.
 */
static void weft_lane_reduce(struct weft_path *path, struct weft_lane *lane, u32 psn)
{
	const struct weft_class *c = weft_class_of(path, lane);
	bool calm = path->rtt_min && c->srtt < 2 * path->rtt_min + WEFT_CALM;

	/* one of long ago is behind all that is under way, whatever the numbers seem to say */
	if (weft_loss_waits(lane, lane->recover) && (s32)(psn - lane->recover) < 0)
		return;
	weft_loss_lost(lane);
	lane->ssthresh = calm ? lane->cwnd - lane->cwnd / 16 : lane->cwnd / 2;
	lane->ssthresh = max_t(u32, lane->ssthresh, WEFT_CWND_MIN);
	lane->cwnd = lane->ssthresh;
	lane->cwnd_cnt = 0;
	lane->recover = lane->snd_nxt;
}

/* Which packets must be lost, when others that were sent later have come? */
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
		weft_lane_reduce(path, lane, rec->psn);
	}
}

/* Note when what has arrived, up to @psn of @rec, was sent, for RACK. */
static void weft_lane_loss(struct weft_path *path, struct weft_lane *lane,
			   const struct weft_rec *rec, u32 psn, weft_ns now)
{
	weft_ns rtt = weft_since(now, rec->sent_at);

	/* an answer that came too soon is one to the packet as it was sent before */
	if (rec->again && rtt < weft_class_of(path, lane)->srtt / 2)
		return;
	/* and one that was taken for lost may have arrived long ago */
	if (rec->state == WEFT_REC_LOST)
		return;
	weft_ack_arrived(lane, rec->sent_at, psn, rtt);
}

/* The first @n packets of a record have been acknowledged. Return: some of it is left. */
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

/* Take off what a SACK bitmap of @bits bits tells of a record. Return: packets. */
static u32 weft_lane_sacked(struct weft_path *path, struct weft_lane *lane, struct weft_rec *rec,
			    u32 base, const struct weft_chunk *sack, u32 bits, struct weft_out *out)
{
	u32 acked = 0, from, n;

	for (;;) {
		u32 i = rec->psn - base, end = i + rec->nseg;

		/* what comes before @base is dealt with, but for the first gap */
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
			/* without memory it is left as it is: the peer will say it again */
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

/* Do two runs fit into the window? They stand in the node's own queue, which says nothing. */
static bool weft_lane_two_runs(const struct weft_path *path, const struct weft_lane *lane)
{
	/* lane->cwnd >= 2 * WEFT_RUN_BYTES / path->max_payload */
	return (lane->cwnd + 1) * path->max_payload > 2 * WEFT_RUN_BYTES;
}

static void weft_lane_grow(const struct weft_path *path, struct weft_lane *lane, u32 acked)
{
	const struct weft_class *c = weft_class_of(path, lane);
	bool data = weft_lane_class(lane) == WEFT_CLASS_DATA;

	if (!lane->limited)
		return;
	/* packets wait somewhere: more of them would not arrive any sooner */
	if (lane->cwnd >= WEFT_CWND_CALM && c->srtt >= 2 * path->rtt_min + 4 * WEFT_CALM)
		return;
	/* the end of slow start, before anything is lost; of what others must wait for, sooner */
	if ((data ? c->rtt : c->srtt) >= 2 * path->rtt_min + WEFT_CALM &&
	    (!data || weft_lane_two_runs(path, lane)))
		lane->ssthresh = min(lane->ssthresh, lane->cwnd);
	if (lane->cwnd < lane->ssthresh) {
		lane->cwnd += acked;
	} else {
		lane->cwnd_cnt += acked;
		if (lane->cwnd_cnt >= lane->cwnd) {
			lane->cwnd_cnt -= lane->cwnd;
			lane->cwnd++;
		}
	}
	lane->cwnd = min_t(u32, lane->cwnd, WEFT_WINDOW);
	if (lane->flight * 2 < lane->cwnd)
		lane->limited = false;
}

/**
 * weft_lane_acked - an acknowledgement has come
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
		/* of what was taken for lost, the answer may have been lost before */
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
	weft_lane_grow(path, lane, n);
	if (!weft_list_empty(&lane->xmit))
		weft_lane_detect(path, lane, now);
	else
		lane->reo_at = U64_MAX;
	if (weft_lane_waits(lane))
		path->busy |= 1u << lane->no;
	if (weft_list_empty(&lane->sent))
		weft_ack_rest(lane);
	else
		weft_lane_arm(path, lane, now);
}

/* ---- Sending --------------------------------------------------------------------- */

/**
 * weft_lane_segs - how many packets may go together?
 * @path: the path
 * @lane: the lane, with room in its window
 *
 * Return: packets of the largest size, 1 at least.
 */
u32 weft_lane_segs(const struct weft_path *path, const struct weft_lane *lane)
{
	u32 n = min(lane->cwnd - lane->flight, WEFT_WINDOW - (lane->snd_nxt - lane->snd_una));

	return min(n, max_t(u32, WEFT_RUN_BYTES / path->max_payload, 1));
}

/**
 * weft_lane_open - the packet that is being filled
 * @path: the path
 * @lane: the lane
 *
 * Return: its record, NULL: no memory, or too many are not acknowledged.
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
 * weft_lane_close - number the open packet and send it
 * @path: the path, up
 * @lane: the lane, with something in its open packet
 * @out: output with room for a packet
 */
void weft_lane_close(struct weft_path *path, struct weft_lane *lane, struct weft_out *out)
{
	struct weft_rec *rec = lane->open;

	lane->open = NULL;
	weft_lane_number(path, lane, rec, out->now);
	weft_frame_emit(path, lane, rec, out);
}

/* A millisecond, nearly; of them 32 bits, which are compared within far less than they take. */
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
	WRITE_ONCE(rec->again, true);
	rec->acknow = true;
	path->retrans += rec->nseg;
	weft_count_add(path->core, retransmits, rec->nseg);
	weft_lane_away(lane, rec, out->now);
	weft_frame_emit(path, lane, rec, out);
}

/* Append to the open packet what waits. Return: it is full, or nothing that may be sent is left. */
static void weft_lane_fill(struct weft_path *path, struct weft_lane *lane, struct weft_out *out)
{
	struct weft_rec *rec = lane->open;
	struct weft_list *l;

	while (!weft_list_empty(&lane->ctlq))
		if (!weft_ctl_build(path, lane, rec, out))
			return;
	if (lane->flight >= lane->cwnd) {
		lane->limited = true;
		return;
	}
	while (!rec->len && (l = weft_list_first(&lane->dataq)))
		if (weft_send_data(path, lane, weft_entry(l, struct weft_txm, qnode), rec))
			return;
	while ((l = weft_list_first(&lane->sendq)))
		if (!weft_send_build(path, weft_entry(l, struct weft_txm, qnode), rec, out->now))
			return;
}

/**
 * weft_lane_output - send what may be sent
 * @path: the path, up
 * @lane: the lane
 * @out: output; without room in it the path is put on out->more
 */
void weft_lane_output(struct weft_path *path, struct weft_lane *lane, struct weft_out *out)
{
	struct weft_list *l;

	while (!weft_list_empty(&lane->lost) && lane->flight < lane->cwnd) {
		u32 room = lane->cwnd - lane->flight;
		struct weft_rec *rec;

		if (out->ntx == WEFT_OUT_TX)
			goto more;
		l = weft_list_first(&lane->lost);
		rec = weft_entry(l, struct weft_rec, tnode);
		/* without memory for that the whole run goes */
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
	/* no memory for a record, or too many: nothing else would come back to it */
	if (unlikely(!lane->open && weft_lane_numbers(lane) &&
		     (!weft_list_empty(&lane->ctlq) ||
		      (lane->flight < lane->cwnd &&
		       !(weft_list_empty(&lane->sendq) && weft_list_empty(&lane->dataq)))))) {
		path->busy |= 1u << lane->no;
		weft_path_deadline(path, out->now + path->core->conf.ack_delay_ns);
	}
	return;
more:
	weft_path_go_on(path, out);
}

/* ---- Time ------------------------------------------------------------------------ */

/*
 * All packets are lost: the oldest one is to go first. The peer lacks that one. Until it comes, the
 * peer cannot tell of packets that are beyond the reach of SACK.
 */
static void weft_lane_oldest(struct weft_path *path, struct weft_lane *lane, struct weft_out *out)
{
	struct weft_rec *rec = weft_entry(lane->sent.next, struct weft_rec, node);

	/* without memory for that the whole run comes first */
	if (rec->nseg > 1)
		weft_rec_split(path, rec, 1, out);
	weft_list_del(&rec->tnode);
	weft_list_add(&lane->lost, &rec->tnode);
}

/* Nothing has been heard in time. */
static void weft_lane_timeout(struct weft_path *path, struct weft_lane *lane, struct weft_out *out)
{
	struct weft_rec *rec;
	struct weft_list *l;

	path->busy |= 1u << lane->no;
	if (!lane->probed && !lane->backoff && weft_class_of(path, lane)->srtt &&
	    !weft_list_empty(&lane->xmit)) {
		/* a probe: the newest packet once more, whatever the window says */
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
	weft_count(path->core, timeouts);
	/*
	 * All is lost, the oldest first, also when some has been sent again since. Next time the
	 * oldest packet, and then what has not been sent again: the peer may be unable to take the
	 * oldest before others.
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
	if (!lane->backoff)
		lane->ssthresh = max_t(u32, lane->cwnd / 2, WEFT_CWND_MIN);
	lane->cwnd = WEFT_CWND_MIN;
	if (lane->backoff) {
		weft_lane_oldest(path, lane, out);
		lane->cwnd++;
	}
	lane->recover = lane->snd_nxt;
	if (lane->backoff < 16)
		lane->backoff++;
	lane->probed = true;
	weft_lane_arm(path, lane, out->now);
}

/**
 * weft_lane_timer - do what is due
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
 * weft_lane_next - when weft_lane_timer() is needed
 * @lane: the lane
 *
 * Return: time.
 */
weft_ns weft_lane_next(const struct weft_lane *lane)
{
	return min(min(lane->rto_at, lane->reo_at), lane->ack_at);
}

/**
 * weft_lane_stuck - is the oldest packet sent again and again, and not acknowledged?
 * @lane: the lane
 * @most: for how long that may be
 * @now: time
 *
 * The peer may be heard of all the time: what is too long for the way is lost, and what is not
 * comes through.
 *
 * Return: yes, for longer than that.
 */
bool weft_lane_stuck(const struct weft_lane *lane, weft_ns most, weft_ns now)
{
	const struct weft_rec *rec;

	if (weft_list_empty(&lane->sent))
		return false;
	rec = weft_entry(lane->sent.next, const struct weft_rec, node);
	/* another CPU may have sent it again after @now was read */
	return rec->again &&
	       (s32)(weft_lane_tick(now) - rec->again_at) > (s32)weft_lane_tick(most);
}

/**
 * weft_lane_fini - the path is dead: forget all packets
 * @path: the path
 * @lane: the lane
 * @out: output
 *
 * The messages have been failed before.
 */
void weft_lane_fini(struct weft_path *path, struct weft_lane *lane, struct weft_out *out)
{
	struct weft_list *l;

	if (lane->open) {
		/* as if it had been sent */
		weft_list_add_tail(&lane->sent, &lane->open->node);
		path->nsent++;
		path->flight += lane->open->nseg;
		lane->open = NULL;
	}
	while ((l = weft_list_first(&lane->sent)))
		weft_ack_record(path, lane, weft_entry(l, struct weft_rec, node), out);
	while ((l = weft_list_first(&lane->ctlq)))
		weft_ctl_drop(weft_entry(l, struct weft_ctl, node), out);
	lane->rto_at = U64_MAX;
	lane->reo_at = U64_MAX;
	lane->ack_at = U64_MAX;
}
