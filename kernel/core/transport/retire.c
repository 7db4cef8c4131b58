// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - retirement: packets in flight that have become too long for their path
 *
 * A packet that is sent again keeps its PSN and its content. So a packet that is longer than its
 * path carries can never arrive, and the peer's window of PSNs cannot move past it. The sender then
 * retires the lane: it gives up all PSNs that are not acknowledged (RETIRE). The receiver takes
 * these PSNs for received, and says which of them it really had received (RETIRED). The sender cuts
 * the others to the path's size, numbers them anew and sends them. So each byte is placed once.
 *
 *	lane->sent --a packet is too long--> retired --RETIRED: received--> acknowledged
 *	                                      |
 *	                                      +--RETIRED: not received--> cut --output--> lane->sent
 *
 * RETIRE and RETIRED have PSNs and are alone in their packets. So they are sent again until they
 * arrive, and each is processed once.
 *
 * The sender retires the short packets of the lane, too, and numbers no new packet until all
 * records are cut. So the order of packets on the lane stays, on which FIN depends (wire.rst). Two
 * kinds of packets are exempt: RETIRE and RETIRED. Otherwise two nodes that retire at once would
 * wait for each other. 16 PSNs of the window are reserved for them (WEFT_WINDOW_NEW).
 *
 * An acknowledgement does not concern retired packets: only RETIRED decides about them.
 *
 * Bits of lane->retire, on the sender's side:
 *
 *	0 --> SEND --RETIRE was put out--> WAIT --RETIRED--> CUT --all are numbered--> 0
 *
 * On the receiver's side the bit ANSWER says that RETIRED has to be put out.
 *
 * Locks: path->lock, held by the caller.
 */
#include "core/transport/ack.h"

static struct weft_retire *weft_retire_of(struct weft_path *path, const struct weft_lane *lane)
{
	return &path->mtu->lane[lane->no];
}

/* ---- Sender ---------------------------------------------------------------------- */

/* Return: true if a packet of the lane is too long. */
static bool weft_retire_needed(const struct weft_path *path, const struct weft_lane *lane)
{
	const struct weft_list *l;

	weft_list_for_each(l, &lane->sent)
		if (weft_rec_size(weft_entry(l, const struct weft_rec, node)) > path->max_payload)
			return true;
	return false;
}

/**
 * weft_retire_long - retire the packets of a lane, if one of them is too long
 * @path: the path, locked, whose largest packet has become smaller
 * @lane: the lane
 * @now: time
 */
void weft_retire_long(struct weft_path *path, struct weft_lane *lane, weft_ns now)
{
	struct weft_retire *r = weft_retire_of(path, lane);
	struct weft_list *l;

	weft_assert_held(&path->lock);
	if (!weft_retire_needed(path, lane))
		return;
	while ((l = weft_list_first(&lane->sent))) {
		struct weft_rec *rec = weft_entry(l, struct weft_rec, node);

		if (rec->state == WEFT_REC_FLIGHT)
			lane->flight -= rec->nseg;
		rec->state = WEFT_REC_LOST;
		weft_list_del(&rec->tnode);
		weft_list_del(l);
		weft_list_add_tail(&r->retired, l);
	}
	/* of an earlier retirement: they are sent behind the ones above */
	weft_list_splice_tail(&r->retired, &r->cut);
	r->psn = lane->snd_nxt;
	lane->retire = (lane->retire & WEFT_RETIRE_ANSWER) | WEFT_RETIRE_SEND;
	lane->reo_at = U64_MAX;
	weft_lane_arm(path, lane, now);
	path->busy |= 1u << lane->no;
}

/* Return: true if RETIRE or RETIRED may have the next PSN. */
static bool weft_retire_numbers(const struct weft_lane *lane)
{
	return lane->snd_nxt - lane->snd_una < WEFT_WINDOW;
}

/* Number a record and put it out. */
static void weft_retire_emit(struct weft_path *path, struct weft_lane *lane, struct weft_rec *rec,
			     struct weft_out *out)
{
	weft_lane_number(path, lane, rec, out->now);
	weft_frame_emit(path, lane, rec, out);
}

/* Put out RETIRED. Return: 0, -ENOSPC: the output is full. */
static int weft_retire_tell(struct weft_path *path, struct weft_lane *lane, struct weft_out *out)
{
	struct weft_retire *r = weft_retire_of(path, lane);
	struct weft_list *l;

	while ((l = weft_list_first(&r->answers)) && weft_retire_numbers(lane)) {
		if (out->ntx == WEFT_OUT_TX)
			return -ENOSPC;
		weft_list_del(l);
		r->nanswer--;
		weft_retire_emit(path, lane, weft_entry(l, struct weft_rec, node), out);
	}
	if (!r->nanswer)
		lane->retire &= ~WEFT_RETIRE_ANSWER;
	return 0;
}

/* Put out RETIRE. Return: 0, -ENOSPC: the output is full, -ENOMEM. */
static int weft_retire_send(struct weft_path *path, struct weft_lane *lane, struct weft_out *out)
{
	struct weft_rec *rec;

	if (!weft_retire_numbers(lane))
		return 0;
	if (out->ntx == WEFT_OUT_TX)
		return -ENOSPC;
	rec = weft_rec_new(path);
	if (!rec)
		return -ENOMEM;
	rec->len = weft_wire_retire_put(rec->raw, weft_retire_of(path, lane)->psn);
	rec->alone = true;
	rec->acknow = true;
	lane->retire ^= WEFT_RETIRE_SEND | WEFT_RETIRE_WAIT;
	weft_retire_emit(path, lane, rec, out);
	return 0;
}

/*
 * Make two records of one without PSN. @n: number of packets that @rec keeps. Return: false: no
 * memory, nothing has changed.
 */
static bool weft_retire_split(struct weft_path *path, struct weft_rec *rec, u32 n,
			      struct weft_out *out)
{
	struct weft_rec *tail = weft_rec_split(path, rec, n, out);

	if (!tail)
		return false;
	weft_list_del(&tail->tnode);
	/* the chunks before the payload are in the first packet only */
	memmove(tail->raw, tail->raw + tail->bulk, tail->len - tail->bulk);
	tail->len -= tail->bulk;
	tail->bulk = 0;
	return true;
}

/*
 * Cut a record to packets of the path's size: a run, whose packets differ in their offsets. The
 * record may be under transmission on another CPU, so its chunks stay as they are. Return: false:
 * no memory.
 */
static bool weft_retire_fit(struct weft_path *path, struct weft_rec *rec, struct weft_out *out)
{
	u32 room = path->max_payload - WEFT_WIRE_HDR - rec->len;

	if (!rec->pay || rec->seg <= room)
		return true;
	if (!rec->run) {
		rec->run = WEFT_CHUNK_EAGER;
		rec->moff = weft_wire_eager_off(rec->raw + rec->len);
	}
	rec->seg = room;
	rec->nseg = DIV_ROUND_UP(rec->pay, room);
	if (!rec->bulk || weft_retire_split(path, rec, 1, out))
		return true;
	rec->seg = rec->pay;
	rec->nseg = 1;
	return false;
}

/* Cut, number and put out records. Return: 0, -ENOSPC: the output is full, -ENOMEM. */
static int weft_retire_cut(struct weft_path *path, struct weft_lane *lane, struct weft_out *out)
{
	struct weft_retire *r = weft_retire_of(path, lane);
	struct weft_list *l;

	while ((l = weft_list_first(&r->cut))) {
		struct weft_rec *rec = weft_entry(l, struct weft_rec, node);
		u32 n;

		if (rec->withdrawn)
			weft_rec_withdraw(rec, out);
		if (!rec->len && !rec->pay) {
			/* nothing is left to be sent */
			path->flight += rec->nseg;
			weft_ack_record(path, lane, rec, out);
			/* a flow may be over now, and report that on a lane that had its turn */
			weft_path_go_on(path, out);
			continue;
		}
		if (lane->flight >= lane->cwnd ||
		    lane->snd_nxt - lane->snd_una >= WEFT_WINDOW_NEW) {
			lane->limited = true;
			return 0;
		}
		if (out->ntx == WEFT_OUT_TX)
			return -ENOSPC;
		n = weft_lane_segs(path, lane);
		if (!weft_retire_fit(path, rec, out) ||
		    (rec->nseg > n && !weft_retire_split(path, rec, n, out)))
			return -ENOMEM;
		weft_list_del(l);
		/* the new packets are sent for the first time */
		WRITE_ONCE(rec->again, false);
		path->nsent--;
		weft_retire_emit(path, lane, rec, out);
	}
	lane->retire &= ~WEFT_RETIRE_CUT;
	return 0;
}

/**
 * weft_retire_output - put out what the retirement of packets needs
 * @path: the path, up and locked
 * @lane: the lane, with lane->retire
 * @out: output
 *
 * Return: 0; -ENOSPC: the output is full; -ENOMEM: to be called again later.
 */
int weft_retire_output(struct weft_path *path, struct weft_lane *lane, struct weft_out *out)
{
	int err = 0;

	weft_assert_held(&path->lock);
	if (lane->retire & WEFT_RETIRE_ANSWER)
		err = weft_retire_tell(path, lane, out);
	if (!err && lane->retire & WEFT_RETIRE_SEND)
		err = weft_retire_send(path, lane, out);
	if (!err && lane->retire & WEFT_RETIRE_CUT)
		err = weft_retire_cut(path, lane, out);
	return err;
}

/* Return: true if RETIRED @c says that @psn had been received. */
static bool weft_retire_had(const struct weft_chunk *c, u32 from, u32 psn)
{
	u32 i = psn - from;

	return (s32)i < 0 || weft_wire_sack_word(c, i / 32) >> (i % 32) & 1;
}

/* Remove the chunks of a record that the receiver has taken: the first @done. */
static void weft_retire_trim(struct weft_rec *rec, u32 done)
{
	u32 off = 0, end = rec->pay ? rec->bulk : rec->len;

	/* HEAD does not count */
	while (done && off < end) {
		const struct weft_w_chunk *c = (const void *)(rec->raw + off);

		done -= c->type != WEFT_CHUNK_HEAD;
		off += weft_wire_size(be16_to_cpu(c->len));
	}
	off = min(off, end);
	memmove(rec->raw, rec->raw + off, rec->len - off);
	rec->len -= off;
	rec->bulk -= rec->pay ? off : 0;
}

/*
 * Decide about the first packets of a retired record, as RETIRED @c says. The rest stays in
 * @retired, as another record or as this one. Return: 0, -ENOMEM, -EBUSY: to be repeated later.
 */
static int weft_retire_settle(struct weft_path *path, struct weft_lane *lane, struct weft_rec *rec,
			      const struct weft_chunk *c, struct weft_out *out)
{
	const struct weft_w_retired *w = c->body;
	u32 i, done, n = 1, from = be32_to_cpu(w->from);
	bool had = weft_retire_had(c, from, rec->psn);
	struct weft_rec *tail;

	while (n < rec->nseg && weft_retire_had(c, from, rec->psn + n) == had)
		n++;
	if (had && n == rec->nseg) {
		weft_ack_record(path, lane, rec, out);
		return 0;
	}
	if (had) {
		path->flight -= n;
		weft_rec_trim(rec, n);
		return 0;
	}
	for (i = 0; i < WEFT_RETIRED_PARTS; i++) {
		done = be32_to_cpu(w->part[i].done);
		if (!done || be32_to_cpu(w->part[i].psn) != rec->psn || rec->nseg > 1)
			continue;
		/* another CPU reads the chunks to transmit them */
		if (refcount_read(&rec->ref) > 1)
			return -EBUSY;
		weft_retire_trim(rec, done);
		break;
	}
	if (n < rec->nseg) {
		tail = weft_rec_split(path, rec, n, out);
		if (!tail)
			return -ENOMEM;
		weft_list_del(&tail->tnode);
	}
	path->flight -= rec->nseg;
	rec->state = WEFT_REC_CUT;
	weft_list_del(&rec->node);
	weft_list_add_tail(&weft_retire_of(path, lane)->cut, &rec->node);
	return 0;
}

/**
 * weft_retire_answer - process RETIRED
 * @path: the path, locked
 * @c: the chunk
 * @out: output
 *
 * Return: 0: done; negative errno: not yet, the packet has to come again.
 */
int weft_retire_answer(struct weft_path *path, const struct weft_chunk *c, struct weft_out *out)
{
	const struct weft_w_retired *w = c->body;
	struct weft_retire *r;
	struct weft_lane *lane;
	struct weft_list *l;
	u8 no = w->lane;
	int err;

	weft_assert_held(&path->lock);
	if (no >= WEFT_LANES)
		return 0;
	lane = &path->lane[no];
	r = weft_retire_of(path, lane);
	if (!(lane->retire & WEFT_RETIRE_WAIT) || be32_to_cpu(w->psn) != r->psn)
		return 0;
	while ((l = weft_list_first(&r->retired))) {
		struct weft_rec *rec = weft_entry(l, struct weft_rec, node);

		if (rec->state == WEFT_REC_CUT) {
			weft_list_del(l);
			weft_list_add_tail(&r->cut, l);
			continue;
		}
		err = weft_retire_settle(path, lane, rec, c, out);
		if (err)
			return err;
	}
	lane->retire ^= WEFT_RETIRE_WAIT | WEFT_RETIRE_CUT;
	if ((s32)(r->psn - lane->snd_una) > 0)
		lane->snd_una = r->psn;
	path->busy |= 1u << no;
	return 0;
}

/**
 * weft_retire_fini - return the records to the lane of a dead path, which drops them
 * @path: the path, locked
 * @lane: the lane
 * @out: output
 */
void weft_retire_fini(struct weft_path *path, struct weft_lane *lane, struct weft_out *out)
{
	struct weft_retire *r = weft_retire_of(path, lane);
	struct weft_list *l;

	weft_assert_held(&path->lock);
	weft_list_splice_tail(&r->retired, &r->cut);
	while ((l = weft_list_first(&r->retired))) {
		struct weft_rec *rec = weft_entry(l, struct weft_rec, node);

		if (rec->state == WEFT_REC_CUT)
			path->flight += rec->nseg;
		weft_list_del(l);
		weft_list_add_tail(&lane->sent, l);
	}
	while ((l = weft_list_first(&r->answers))) {
		weft_list_del(l);
		weft_rec_put(path, weft_entry(l, struct weft_rec, node), out);
	}
	r->nanswer = 0;
	lane->retire = 0;
}

/* ---- Receiver -------------------------------------------------------------------- */

/**
 * weft_retire_rx - process RETIRE
 * @path: the path, locked
 * @no: the lane of its packet
 * @w: the chunk
 *
 * Return: 0: done; negative errno: not yet, the packet has to come again.
 */
int weft_retire_rx(struct weft_path *path, u8 no, const struct weft_w_retire *w)
{
	struct weft_lane *lane = &path->lane[no], *first = &path->lane[no % WEFT_CLASS_LANES];
	struct weft_retire *r = weft_retire_of(path, first);
	u32 words[WEFT_RETIRED_BITS / 32], psn = be32_to_cpu(w->psn), i, n;
	struct weft_w_retired re = { .lane = no };
	struct weft_rec *rec;

	BUILD_BUG_ON(WEFT_RETIRED_BITS != WEFT_WINDOW);
	BUILD_BUG_ON(ARRAY_SIZE(lane->part) != WEFT_RETIRED_PARTS);
	weft_assert_held(&path->lock);
	/* no sender retires PSNs beyond the window */
	if ((s32)(psn - lane->rcv_nxt) > WEFT_WINDOW)
		return 0;
	if (r->nanswer == WEFT_RETIRE_ANSWERS)
		return -EBUSY;
	rec = weft_rec_new(path);
	if (!rec)
		return -ENOMEM;
	re.psn = cpu_to_be32(psn);
	re.from = cpu_to_be32((s32)(psn - lane->rcv_nxt) < 0 ? psn : lane->rcv_nxt);
	for (i = 0; i < WEFT_RETIRED_PARTS; i++) {
		struct weft_part *part = &lane->part[i];

		if (!part->done || (s32)(part->psn - psn) >= 0)
			continue;
		re.part[i].psn = cpu_to_be32(part->psn);
		re.part[i].done = cpu_to_be32(part->done);
		part->done = 0;
	}
	n = weft_lane_skip(lane, psn, words);
	rec->len = weft_wire_retired_put(rec->raw, &re, words, n);
	rec->alone = true;
	rec->acknow = true;
	weft_list_add_tail(&r->answers, &rec->node);
	r->nanswer++;
	first->retire |= WEFT_RETIRE_ANSWER;
	path->busy |= 1u << first->no;
	return 0;
}
