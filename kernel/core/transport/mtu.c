// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - path MTU discovery: the largest packet that a path carries
 *
 * The method is that of RFC 8899 (DPLPMTUD), which needs no ICMP. Each node announces the largest
 * packet that its device takes: in HELLO, and in MTU when the device's MTU changes. The limit of a
 * path is the smaller one of the two announcements. The network between them may carry less. So a
 * path begins with the base size, WEFT_PAYLOAD_MIN, which each path carries. It uses a larger size
 * when a packet of that size (PROBE) has been answered (PROBED).
 *
 *	      up, the limit has grown,
 *	      WEFT_MTU_RAISE in use
 *	REST -----------------------------> SEARCH --PROBED: the path uses this size--> SEARCH
 *	 ^ ^                                 |  \--no answer: this size fails--> SEARCH
 *	 | +--nothing is left to be tried----+
 *	 |
 *	 +--PROBED of the present size-- CHECK <--long packets are lost again-- REST, SEARCH
 *	                                   |
 *	                                   +--PROBED of the base size only--> base size, SEARCH
 *
 * RFC 8899 calls REST SEARCH_COMPLETE. BASE is the handshake here, whose packets are shorter than
 * the base size. There is no ERROR: a path that does not carry the base size dies after dead_ns.
 *
 * SEARCH first probes the limit, then halves the distance between the present size and the smallest
 * size that failed. It ends at WEFT_MTU_STEP bytes. A size fails when WEFT_MTU_PROBES probes of it
 * are not answered.
 *
 * CHECK detects black holes. A long packet that is lost several times is no proof: the peer may be
 * silent, or the network congested. So CHECK probes the present size and the base size at the same
 * time. The present size fails when only the base size is answered, in WEFT_MTU_PROBES turns.
 *
 * Probes have no PSN. So their loss is no sign of congestion, and they are not sent again as such.
 *
 * When the size becomes smaller, retire.c gives up the numbers of longer packets in flight.
 *
 * Locks: path->lock, held by the caller.
 */
#include "core/transport/emit.h"

#define WEFT_MTU_PROBES	3	/* MAX_PROBES of RFC 8899 */
#define WEFT_MTU_STEP	16	/* bytes: the search is not more exact */
#define WEFT_MTU_RAISE	(600ull * NSEC_PER_SEC)	/* PMTU_RAISE_TIMER of RFC 8899 */
#define WEFT_MTU_WAIT	(50ull * NSEC_PER_MSEC)	/* shortest time for an answer */

/**
 * weft_mtu_new - allocate the state of a path
 *
 * Return: the state, to be initialized by weft_mtu_reset(); NULL: no memory.
 */
struct weft_mtu *weft_mtu_new(void)
{
	struct weft_mtu *mtu = weft_alloc(sizeof(*mtu));
	u32 i;

	if (!mtu)
		return NULL;
	weft_ctl_init(&mtu->ctl, WEFT_CTL_MTU);
	for (i = 0; i < WEFT_LANES; i++) {
		weft_list_init(&mtu->lane[i].retired);
		weft_list_init(&mtu->lane[i].cut);
		weft_list_init(&mtu->lane[i].answers);
	}
	return mtu;
}

/**
 * weft_mtu_reset - prepare for a handshake
 * @path: the path, locked or in no table; a group's path takes what the device takes
 */
void weft_mtu_reset(struct weft_path *path)
{
	struct weft_mtu *mtu = path->mtu;

	mtu->state = WEFT_MTU_REST;
	mtu->first = false;
	mtu->at = U64_MAX;
	mtu->peer_no = 0;
	mtu->told = 0;
	WRITE_ONCE(mtu->longest, mtu->own);
	WRITE_ONCE(path->max_payload, path->group ? mtu->own : WEFT_PAYLOAD_MIN);
}

static u32 weft_mtu_limit(const struct weft_path *path)
{
	return min(path->mtu->own, path->mtu->peer);
}

/**
 * weft_mtu_wait - how long is an answer to a packet without PSN waited for?
 * @path: the path, locked
 *
 * Return: the time.
 */
weft_ns weft_mtu_wait(const struct weft_path *path)
{
	weft_ns wait = 2 * path->class[WEFT_CLASS_FIRST].rto;

	weft_assert_held(&path->lock);
	return min_t(weft_ns, max_t(weft_ns, wait, WEFT_MTU_WAIT), WEFT_RTO_MAX);
}

/* Have weft_mtu_due() called at @at. */
static void weft_mtu_wake(struct weft_path *path, weft_ns at)
{
	path->mtu->at = at;
	weft_path_deadline(path, at);
}

/* Send packets of up to @size bytes from now on. */
static void weft_mtu_use(struct weft_path *path, u32 size, weft_ns now)
{
	u32 before = path->max_payload, i;
	bool less = size < before;

	WRITE_ONCE(path->max_payload, size);
	if (!less)
		return;
	weft_count(path->core, mtu_reduced);
	weft_path_note(path, WEFT_NOTE_MTU, 0, before, size);
	if (path->mtu->told)
		path->mtu->told = size;
	for (i = 0; i < WEFT_LANES; i++)
		weft_retire_long(path, &path->lane[i], now);
}

/* A search has ended. The first one finds what the way takes; a later one may find more. */
static void weft_mtu_rest(struct weft_path *path, weft_ns now)
{
	struct weft_mtu *mtu = path->mtu;
	u32 told = mtu->told;

	mtu->state = WEFT_MTU_REST;
	mtu->told = path->max_payload;
	if (told && mtu->told > told)
		weft_path_note(path, WEFT_NOTE_MTU_RAISED, 0, told, mtu->told);
	weft_mtu_wake(path, now + WEFT_MTU_RAISE);
}

/* Choose the next size to probe; without one the search ends. */
static void weft_mtu_next(struct weft_path *path, weft_ns now)
{
	u32 limit = weft_mtu_limit(path), good = path->max_payload;
	struct weft_mtu *mtu = path->mtu;

	mtu->lost = 0;
	mtu->state = WEFT_MTU_SEARCH;
	if (good >= limit) {
		weft_mtu_rest(path, now);
	} else if (mtu->fails > limit) {
		mtu->size = limit;
		weft_mtu_wake(path, now);
	} else if (mtu->fails - good > WEFT_MTU_STEP) {
		mtu->size = good + ((mtu->fails - good) / 2 & ~3u);
		weft_mtu_wake(path, now);
	} else {
		weft_mtu_rest(path, now);
	}
	if (mtu->state == WEFT_MTU_REST || mtu->fails <= limit)
		mtu->first = false;
	WRITE_ONCE(mtu->longest, mtu->first ? limit : good);
	/* datagrams may wait for this result */
	path->busy |= WEFT_BUSY_DGRAM;
}

/* The limit is new. */
static void weft_mtu_bound(struct weft_path *path, weft_ns now)
{
	u32 limit = weft_mtu_limit(path);

	path->mtu->fails = U32_MAX;
	if (path->max_payload > limit)
		weft_mtu_use(path, limit, now);
	weft_mtu_next(path, now);
}

/**
 * weft_mtu_begin - begin to search, when the handshake is complete
 * @path: the path, locked
 * @peer: bytes of the largest packet that the peer takes, at least WEFT_PAYLOAD_MIN
 * @now: time
 */
void weft_mtu_begin(struct weft_path *path, u32 peer, weft_ns now)
{
	weft_assert_held(&path->lock);
	path->mtu->peer = peer;
	path->mtu->first = true;
	weft_mtu_bound(path, now);
	weft_mtu_stay(path);
}

/**
 * weft_mtu_stay - announce changes, and continue the search, when the path can send chunks
 * @path: the path, locked, UP
 *
 * The peer ignores an announcement that it knows.
 */
void weft_mtu_stay(struct weft_path *path)
{
	weft_assert_held(&path->lock);
	if (path->mtu->own_no)
		weft_ctl_put(path, 0, &path->mtu->ctl);
	if (path->mtu->at != U64_MAX)
		weft_path_deadline(path, path->mtu->at);
}

/**
 * weft_mtu_refit - take over a change of the device's MTU
 * @path: the path, locked
 * @fit: bytes of the largest packet that the device takes, 0: not known
 * @out: output
 */
void weft_mtu_refit(struct weft_path *path, u32 fit, struct weft_out *out)
{
	struct weft_mtu *mtu = path->mtu;

	weft_assert_held(&path->lock);
	if (!fit)
		return;
	fit = max_t(u32, min(fit, path->core->conf.max_payload), WEFT_PAYLOAD_MIN);
	if (path->failing || path->state == WEFT_PATHS_DEAD || fit == mtu->own)
		return;
	mtu->own = fit;
	mtu->own_no++;
	if (path->group || path->state == WEFT_PATHS_HELLO)
		weft_mtu_reset(path);
	else
		weft_mtu_bound(path, out->now);
	if (path->state == WEFT_PATHS_UP && !path->group)
		weft_mtu_stay(path);
}

/**
 * weft_mtu_told - process MTU: the largest packet that the peer takes has changed
 * @path: the path, locked
 * @w: the chunk
 * @out: output
 */
void weft_mtu_told(struct weft_path *path, const struct weft_w_mtu *w, struct weft_out *out)
{
	struct weft_mtu *mtu = path->mtu;
	u32 size = max_t(u32, be32_to_cpu(w->size), WEFT_PAYLOAD_MIN), no = be32_to_cpu(w->no);

	weft_assert_held(&path->lock);
	if ((s32)(no - mtu->peer_no) <= 0)
		return;
	mtu->peer_no = no;
	mtu->peer = size;
	weft_mtu_bound(path, out->now);
}

/* ---- Probes ---------------------------------------------------------------------- */

/* Send a packet of @size bytes that the peer answers with PROBED. */
static void weft_mtu_probe(struct weft_path *path, u32 size, struct weft_out *out)
{
	u32 head = WEFT_WIRE_HDR + WEFT_WIRE_CHUNK + sizeof(struct weft_w_probe);
	struct weft_tx *tx = weft_frame_plain(path, head, size - head, out);

	if (tx)
		weft_wire_probe_put(tx->raw + WEFT_WIRE_HDR, size - head);
}

/**
 * weft_mtu_probe_rx - answer PROBE
 * @path: the path, locked
 * @size: bytes of the packet
 * @out: output
 */
void weft_mtu_probe_rx(struct weft_path *path, u32 size, struct weft_out *out)
{
	u32 len = WEFT_WIRE_HDR + WEFT_WIRE_CHUNK + sizeof(struct weft_w_probed);
	struct weft_tx *tx;

	weft_assert_held(&path->lock);
	tx = weft_frame_plain(path, len, 0, out);
	if (tx)
		weft_wire_probed_put(tx->raw + WEFT_WIRE_HDR, size);
}

/**
 * weft_mtu_probed - process PROBED: a packet of this size has reached the peer
 * @path: the path, locked
 * @size: its bytes
 * @out: output
 */
void weft_mtu_probed(struct weft_path *path, u32 size, struct weft_out *out)
{
	struct weft_mtu *mtu = path->mtu;

	weft_assert_held(&path->lock);
	switch (mtu->state) {
	case WEFT_MTU_SEARCH:
		if (size != mtu->size)
			break;
		weft_mtu_use(path, size, out->now);
		weft_mtu_next(path, out->now);
		break;
	case WEFT_MTU_CHECK:
		if (size == path->max_payload)
			weft_mtu_next(path, out->now);
		else if (size == WEFT_PAYLOAD_MIN)
			mtu->answered = true;
		break;
	}
}

/**
 * weft_mtu_doubt - a packet was lost again: check whether it is too long, if it is a long one
 * @path: the path, locked
 * @rec: its record
 * @now: time
 */
void weft_mtu_doubt(struct weft_path *path, const struct weft_rec *rec, weft_ns now)
{
	struct weft_mtu *mtu = path->mtu;

	weft_assert_held(&path->lock);
	if (weft_rec_size(rec) <= WEFT_PAYLOAD_MIN || mtu->state == WEFT_MTU_CHECK)
		return;
	mtu->state = WEFT_MTU_CHECK;
	mtu->lost = 0;
	mtu->answered = false;
	weft_mtu_wake(path, now);
}

/* ---- Timer ----------------------------------------------------------------------- */

/* Return: true if the present size has failed; else the next probes are sent. */
static bool weft_mtu_check(struct weft_path *path, struct weft_out *out)
{
	struct weft_mtu *mtu = path->mtu;

	if (mtu->answered && ++mtu->lost == WEFT_MTU_PROBES)
		return true;
	mtu->answered = false;
	weft_mtu_probe(path, path->max_payload, out);
	weft_mtu_probe(path, WEFT_PAYLOAD_MIN, out);
	return false;
}

/* Return: true if the size has failed; else the next probe is sent. */
static bool weft_mtu_seek(struct weft_path *path, struct weft_out *out)
{
	if (path->mtu->lost == WEFT_MTU_PROBES)
		return true;
	path->mtu->lost++;
	weft_mtu_probe(path, path->mtu->size, out);
	return false;
}

/**
 * weft_mtu_due - do what is due
 * @path: the path, UP, locked; neither local nor a group's
 * @out: output
 *
 * Return: time of the next step.
 */
weft_ns weft_mtu_due(struct weft_path *path, struct weft_out *out)
{
	weft_ns used = max(path->heard_at, path->used_at);
	struct weft_mtu *mtu = path->mtu;
	u32 fit;

	weft_assert_held(&path->lock);
	if (mtu->at > out->now)
		return mtu->at;
	switch (mtu->state) {
	case WEFT_MTU_REST:
		/* a path that is not in use sends nothing, so that it can be released */
		if (weft_since(out->now, used) >= WEFT_MTU_RAISE / 2) {
			mtu->at = out->now + WEFT_MTU_RAISE;
			return mtu->at;
		}
		/*
		 * The route may have been narrow when the path was opened. A route that is narrow
		 * now proves nothing: probes find that out.
		 */
		fit = min(weft_env_path_fit(path), path->core->conf.max_payload);
		if (fit > mtu->own) {
			weft_mtu_refit(path, fit, out);
			break;
		}
		mtu->fails = U32_MAX;
		weft_mtu_next(path, out->now);
		break;
	case WEFT_MTU_SEARCH:
		if (weft_mtu_seek(path, out)) {
			mtu->fails = mtu->size;
			weft_mtu_next(path, out->now);
			break;
		}
		mtu->at = out->now + weft_mtu_wait(path);
		break;
	case WEFT_MTU_CHECK:
		if (weft_mtu_check(path, out)) {
			mtu->fails = path->max_payload;
			weft_mtu_use(path, WEFT_PAYLOAD_MIN, out->now);
			weft_mtu_next(path, out->now);
			break;
		}
		mtu->at = out->now + weft_mtu_wait(path);
		break;
	}
	return mtu->at;
}
