// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - probes of a path, for the administrator: round-trip time, and loss in each direction
 *
 * A probe sends numbered packets (ECHO), which the peer answers (ECHOED). They have no PSN. So they
 * are not sent again, and their loss changes no window and no timeout. An answer reports how many
 * packets of the probe have come, and how many of them were answered. So the sender tells a lost
 * packet from a lost answer. The last answers may be lost, too. So the sender then asks for the
 * report alone.
 *
 *	WAIT --the path is up--> SEND --all are sent--> ASK --report, or WEFT_ECHO_ASKS--> OVER
 *	  \                        \                      \--all are answered-------------> OVER
 *	   \------------------------\---the path is dead; nobody reads the result---------> OVER
 *
 * An answer is not longer than its request. The answering side keeps only the newest probe of a
 * path. It recognizes a packet that comes twice, or late by up to 63 packets. Its answers have a
 * bounded rate. Packets beyond that count as come and not as answered.
 *
 * A question to the peer's kernel (question.c) is a probe that only asks: WAIT is followed by ASK.
 *
 * A path has one probe at a time. It needs the path, as a message does (weft_path_used()). A probe
 * whose path is dead keeps its result. Results stay in core->echoes until weft_echo_end(). A result
 * that nobody reads is forgotten by a later weft_echo_start().
 *
 * Locks: core->lock for the list; path->lock for the rest, inside core->lock where both are held.
 */
#include "core/base/rate.h"
#include "core/transport/emit.h"

#define WEFT_ECHO_UNREAD	(10 * NSEC_PER_SEC)	/* a probe that nobody reads ends */
#define WEFT_ECHO_MOST		64			/* probes of a port, also those over */
#define WEFT_QUESTION_MOST	8			/* of them questions of a user */
#define WEFT_ECHO_ASKS		5			/* packets that ask for the report */
#define WEFT_ECHO_BURST		1024			/* answers at once */
#define WEFT_ECHO_GAP		(20 * NSEC_PER_USEC)	/* and then one in each */
#define WEFT_ECHO_UNIT		6
#define WEFT_ECHO_LONGEST	((1u << 24) - 1)	/* units: the sum of squares has 64 bits */

/* ---- Numbered packets -------------------------------------------------------------- */

/* Packet @seq has come. Return: true: for the first time, as far as is known. */
static bool weft_echo_first(struct weft_echo_seen *s, u32 seq)
{
	u32 ahead = seq - s->next, back = s->next - 1 - seq;

	if (!s->n || ahead < U32_MAX / 2) {
		s->last = s->n && ahead < 63 ? s->last << (ahead + 1) | 1 : 1;
		s->next = seq + 1;
		s->n++;
		return true;
	}
	if (back > 63 || s->last & BIT_ULL(back))
		return false;
	s->last |= BIT_ULL(back);
	s->n++;
	return true;
}

/* ---- The answering side ------------------------------------------------------------ */

/**
 * weft_echo_rx - answer ECHO
 * @path: the path, locked
 * @w: the chunk
 * @out: output
 */
void weft_echo_rx(struct weft_path *path, const struct weft_w_echo *w, struct weft_out *out)
{
	u32 no = be32_to_cpu(w->no), seq = be32_to_cpu(w->seq);
	u32 len = WEFT_WIRE_HDR + WEFT_WIRE_CHUNK + sizeof(struct weft_w_echoed);
	struct weft_path_echo *e = &path->echo;
	struct weft_tx *tx;

	weft_assert_held(&path->lock);
	if (!no || (e->peer_no && (s32)(no - e->peer_no) < 0))
		return;
	if (no != e->peer_no) {
		e->peer_no = no;
		e->came = (struct weft_echo_seen){ .n = 0 };
		e->answered = 0;
	}
	if (seq != WEFT_ECHO_ASK && !weft_echo_first(&e->came, seq))
		return;
	if (!weft_rate_token(&e->full, WEFT_ECHO_BURST, WEFT_ECHO_GAP, out->now))
		return;
	tx = weft_frame_plain(path, len, 0, out);
	if (!tx)
		return;
	if (seq != WEFT_ECHO_ASK)
		e->answered++;
	weft_wire_echoed_put(tx->raw + WEFT_WIRE_HDR, w, e->came.n, e->answered);
	weft_count(path->core, probes_answered);
}

/* ---- The probing side: results ----------------------------------------------------- */

/**
 * weft_echo_running - find the probe that a chunk answers
 * @path: its path, locked
 * @no: number of the probe
 *
 * Return: the probe, NULL: it is over, or another one.
 */
struct weft_echo *weft_echo_running(struct weft_path *path, u32 no)
{
	weft_assert_held(&path->lock);
	return weft_path_probed(path) && path->echo.run->no == no ? path->echo.run : NULL;
}

/**
 * weft_echo_over - a probe is over
 * @e: the probe; its path is locked
 * @err: errno that ends it, 0: none
 */
void weft_echo_over(struct weft_echo *e, int err)
{
	weft_assert_held(&e->path->lock);
	e->state = WEFT_ECHOS_OVER;
	e->err = err;
	e->payload = e->path->max_payload;
}

/* An answer took @rtt. */
static void weft_echo_rtt(struct weft_echo *e, weft_ns rtt)
{
	u64 units = min_t(u64, rtt >> WEFT_ECHO_UNIT, WEFT_ECHO_LONGEST);

	BUILD_BUG_ON(WEFT_ECHO_COUNT >= 1 << 16);
	e->rtt_min = e->back.n > 1 ? min(e->rtt_min, rtt) : rtt;
	e->rtt_max = max(e->rtt_max, rtt);
	e->rtt_sum += rtt;
	e->rtt_units += units;
	e->rtt_sq += units * units;
}

/**
 * weft_echo_back - process ECHOED
 * @path: the path, locked
 * @w: the chunk
 * @now: time
 */
void weft_echo_back(struct weft_path *path, const struct weft_w_echoed *w, weft_ns now)
{
	struct weft_echo *e = weft_echo_running(path, be32_to_cpu(w->no));
	u32 seq = be32_to_cpu(w->seq);

	weft_assert_held(&path->lock);
	if (!e || e->question.asked)
		return;
	if (seq == WEFT_ECHO_ASK)
		e->exact |= e->state == WEFT_ECHOS_ASK;
	else if (seq >= e->sent)
		return;
	/* an older report comes late */
	e->came = min(max(e->came, be32_to_cpu(w->came)), e->sent);
	e->answered = min(max(e->answered, be32_to_cpu(w->answered)), e->came);
	if (seq != WEFT_ECHO_ASK && weft_echo_first(&e->back, seq))
		weft_echo_rtt(e, weft_since(now, e->began + be64_to_cpu(w->stamp)));
	if (e->back.n == e->count || (e->exact && e->back.n >= e->answered)) {
		e->exact = true;
		weft_echo_over(e, 0);
	}
}

/* Return: the root of @v. */
static u32 weft_echo_root(u64 v)
{
	u64 root = 0, bit;

	for (bit = 1ull << 31; bit; bit >>= 1)
		if ((root | bit) * (root | bit) <= v)
			root |= bit;
	return (u32)root;
}

/* Return: the standard deviation of the round-trip times; there is one. */
static weft_ns weft_echo_dev(const struct weft_echo *e)
{
	u64 sum = e->rtt_units, n = e->back.n;
	u64 mean = sum / n, square = mean * mean + 2 * mean * (sum % n) / n;
	u64 squares = e->rtt_sq / n;

	return squares > square ? (u64)weft_echo_root(squares - square) << WEFT_ECHO_UNIT : 0;
}

/* The result of a probe is read. Its path is locked, if it has one. */
static void weft_echo_copy(struct weft_echo *e, weft_ns now, struct weft_echo_info *info)
{
	if (e->path)
		weft_assert_held(&e->path->lock);
	e->read_at = now;
	*info = (struct weft_echo_info){
		.state = e->state,
		.err = e->err,
		.hello = e->hello,
		.count = e->count,
		.sent = e->sent,
		.came = e->came,
		.answered = e->answered,
		.back = e->back.n,
		.exact = e->exact,
		.max_payload = e->state == WEFT_ECHOS_OVER ? e->payload : e->path->max_payload,
	};
	if (!e->back.n)
		return;
	info->rtt_min = e->rtt_min;
	info->rtt_avg = e->rtt_sum / e->back.n;
	info->rtt_max = e->rtt_max;
	info->rtt_dev = weft_echo_dev(e);
}

/* ---- The probing side: the timer --------------------------------------------------- */

/* Put out packet @seq, with @zeros. Return: false: the output is full. */
static bool weft_echo_put(struct weft_path *path, u32 seq, u32 zeros, struct weft_out *out)
{
	u32 head = WEFT_WIRE_HDR + WEFT_WIRE_CHUNK + sizeof(struct weft_w_echo);
	const struct weft_echo *e = path->echo.run;
	struct weft_tx *tx = weft_frame_plain(path, head, zeros, out);

	BUILD_BUG_ON(WEFT_WIRE_HDR + WEFT_WIRE_CHUNK + sizeof(struct weft_w_echo) !=
		     WEFT_ECHO_SIZE_MIN);
	if (!tx)
		return false;
	weft_wire_echo_put(tx->raw + WEFT_WIRE_HDR, e->no, seq, out->now - e->began, zeros);
	return true;
}

/* The path is up. Return: true: the probe begins, false: it is over. */
static bool weft_echo_begin(struct weft_path *path, weft_ns now)
{
	struct weft_echo *e = path->echo.run;
	bool asks = e->question.asked;

	if (e->made)
		e->hello = max_t(weft_ns, weft_since(path->state_at, path->born), 1);
	e->state = asks ? WEFT_ECHOS_ASK : WEFT_ECHOS_SEND;
	e->began = now;
	if (path->peer_caps & (asks ? WEFT_HELLO_QUESTION : WEFT_HELLO_ECHO))
		return true;
	weft_echo_over(e, EOPNOTSUPP);
	return false;
}

/* Send the next packet. Return: time until the next step. */
static weft_ns weft_echo_next(struct weft_path *path, struct weft_out *out)
{
	struct weft_echo *e = path->echo.run;

	if (e->size > path->max_payload) {
		/* a packet of this size may be found to arrive */
		if (path->mtu->state == WEFT_MTU_SEARCH)
			return weft_mtu_wait(path);
		weft_echo_over(e, EMSGSIZE);
		return 0;
	}
	if (!weft_echo_put(path, e->sent, e->size - WEFT_ECHO_SIZE_MIN, out))
		return WEFT_PATH_GAP;
	e->sent++;
	if (e->sent < e->count)
		return e->interval;
	e->state = WEFT_ECHOS_ASK;
	return weft_mtu_wait(path);
}

/* Ask for the report, unless it has come. Return: time until the next step. */
static weft_ns weft_echo_ask(struct weft_path *path, struct weft_out *out)
{
	struct weft_echo *e = path->echo.run;

	if (e->exact || e->asks == WEFT_ECHO_ASKS) {
		weft_echo_over(e, e->question.asked ? ETIMEDOUT : 0);
		return 0;
	}
	if (!(e->question.asked ? weft_question_put(path, out) :
				  weft_echo_put(path, WEFT_ECHO_ASK, 0, out)))
		return WEFT_PATH_GAP;
	e->asks++;
	return weft_mtu_wait(path);
}

/**
 * weft_echo_due - do what is due
 * @path: the path, UP, locked; neither local nor a group's
 * @out: output
 *
 * Return: time of the next step.
 */
weft_ns weft_echo_due(struct weft_path *path, struct weft_out *out)
{
	struct weft_echo *e = path->echo.run;
	weft_ns wait;

	weft_assert_held(&path->lock);
	if (likely(!weft_path_probed(path)))
		return U64_MAX;
	if (e->at > out->now)
		return e->at;
	if (weft_since(out->now, e->read_at) >= WEFT_ECHO_UNREAD) {
		weft_echo_over(e, ECANCELED);
		return U64_MAX;
	}
	if (e->state == WEFT_ECHOS_WAIT && !weft_echo_begin(path, out->now))
		return U64_MAX;
	wait = e->state == WEFT_ECHOS_SEND ? weft_echo_next(path, out) : weft_echo_ask(path, out);
	if (e->state == WEFT_ECHOS_OVER)
		return U64_MAX;
	e->at = out->now + min_t(weft_ns, wait, WEFT_ECHO_UNREAD);
	return e->at;
}

/* ---- The probing side: probes of a port -------------------------------------------- */

/* Remove a probe from its path. core->lock is held, and the lock of the path. */
static void weft_echo_leave(struct weft_echo *e)
{
	weft_assert_held(&e->path->core->lock);
	weft_assert_held(&e->path->lock);
	e->path->echo.run = NULL;
	e->path = NULL;
}

/**
 * weft_echo_free - forget a probe
 * @core: the core; core->lock is held, and no path is locked
 * @e: the probe
 */
void weft_echo_free(struct weft_core *core, struct weft_echo *e)
{
	struct weft_path *path = e->path;

	weft_assert_held(&core->lock);
	if (path) {
		weft_lock(&path->lock);
		weft_echo_leave(e);
		weft_unlock(&path->lock);
	}
	weft_list_del(&e->node);
	core->nechoes--;
	weft_job_put(e->question.job);
	weft_free(e);
}

/**
 * weft_echo_bury - the path of a probe is dead
 * @path: the path, failing, not locked; core->lock is held
 */
void weft_echo_bury(struct weft_path *path)
{
	struct weft_echo *e = path->echo.run;

	weft_assert_held(&path->core->lock);
	if (!e)
		return;
	weft_lock(&path->lock);
	if (e->state != WEFT_ECHOS_OVER)
		weft_echo_over(e, path->failing);
	weft_echo_leave(e);
	weft_unlock(&path->lock);
}

/**
 * weft_echo_forget - forget all probes
 * @core: the core, which has no paths
 */
void weft_echo_forget(struct weft_core *core)
{
	struct weft_list *l;

	weft_lock(&core->lock);
	while ((l = weft_list_first(&core->echoes)))
		weft_echo_free(core, weft_entry(l, struct weft_echo, node));
	weft_unlock(&core->lock);
}

/* Forget the results that nobody has read for long. */
static void weft_echo_tidy(struct weft_core *core, weft_ns now)
{
	struct weft_list *l, *tmp;

	weft_assert_held(&core->lock);
	weft_list_for_each_safe(l, tmp, &core->echoes) {
		struct weft_echo *e = weft_entry(l, struct weft_echo, node);

		if (weft_since(now, e->read_at) >= 2 * WEFT_ECHO_UNREAD)
			weft_echo_free(core, e);
	}
}

/* Forget the probe of a path if it is over. A question also makes room for a probe, @e. */
static void weft_echo_replace(struct weft_core *core, struct weft_path *path,
			      const struct weft_echo *e)
{
	struct weft_echo *old = path->echo.run;
	bool over;

	weft_assert_held(&core->lock);
	if (!old)
		return;
	weft_lock(&path->lock);
	over = old->state == WEFT_ECHOS_OVER || (old->question.asked && !e->question.asked);
	weft_unlock(&path->lock);
	if (over)
		weft_echo_free(core, old);
}

/* May @e be added? Each user has a few of the questions. */
static bool weft_echo_fits(struct weft_core *core, const struct weft_echo *e)
{
	struct weft_list *l;
	u32 n = 0;

	weft_assert_held(&core->lock);
	if (core->nechoes >= WEFT_ECHO_MOST)
		return false;
	if (!e->question.asked || e->question.uid == WEFT_NOTE_NO_UID)
		return true;
	weft_list_for_each(l, &core->echoes) {
		const struct weft_echo *x = weft_entry(l, struct weft_echo, node);

		n += x->question.asked && x->question.uid == e->question.uid;
	}
	return n < WEFT_QUESTION_MOST;
}

/*
 * Begin a probe. *@no: out: its number; from now on another call may end it. Return: 0, or a
 * negative errno.
 */
static int weft_echo_join(struct weft_core *core, struct weft_path *path, struct weft_echo *e,
			  weft_ns now, u32 *no)
{
	int err = 0;

	weft_lock(&core->lock);
	weft_echo_tidy(core, now);
	weft_echo_replace(core, path, e);
	weft_lock(&path->lock);
	if (path->failing || path->state == WEFT_PATHS_DEAD) {
		err = -(int)path->failing;
	} else if (path->echo.run) {
		err = -EBUSY;
	} else if (!weft_echo_fits(core, e)) {
		err = -EUSERS;
	} else {
		if (!++core->next_echo)
			core->next_echo++;
		e->no = core->next_echo;
		*no = e->no;
		e->path = path;
		e->made = path->state == WEFT_PATHS_HELLO;
		path->echo.run = e;
		weft_list_add_tail(&core->echoes, &e->node);
		core->nechoes++;
		if (path->state == WEFT_PATHS_UP)
			weft_path_deadline(path, now);
	}
	weft_unlock(&path->lock);
	weft_unlock(&core->lock);
	return err;
}

/**
 * weft_echo_new - make a probe with one packet, which is due now
 * @now: time
 *
 * Context: may sleep.
 * Return: the probe, NULL: no memory.
 */
struct weft_echo *weft_echo_new(weft_ns now)
{
	struct weft_echo *e = weft_alloc_sleep(sizeof(*e));

	if (!e)
		return NULL;
	weft_list_init(&e->node);
	e->count = 1;
	e->at = now;
	e->read_at = now;
	return e;
}

/**
 * weft_echo_launch - begin a probe
 * @core: the core
 * @addr: the node; its path is made if there is none
 * @e: a new probe, which is freed after an error
 * @out: the caller flushes it; out->now is set
 * @no: out: number of the probe
 *
 * Context: may sleep.
 * Return: as weft_echo_start().
 */
int weft_echo_launch(struct weft_core *core, const struct weft_sockaddr *addr, struct weft_echo *e,
		     struct weft_out *out, u32 *no)
{
	struct weft_path *path;
	bool again;
	int err;

	if (weft_core_own(core, addr)) {
		err = -EADDRINUSE;
		goto fail;
	}
	do {
		path = weft_path_find(core, addr, out);
		if (IS_ERR(path)) {
			err = PTR_ERR(path);
			break;
		}
		err = weft_echo_join(core, path, e, out->now, no);
		again = err && weft_path_gone(path);
		weft_path_put(path);
	} while (again);
	if (!err)
		return 0;
fail:
	weft_job_put(e->question.job);
	weft_free(e);
	return err;
}

int weft_echo_start(struct weft_core *core, const struct weft_sockaddr *addr,
		    const struct weft_echo_conf *conf, weft_ns now, struct weft_out *out, u32 *no)
{
	struct weft_echo *e = weft_echo_new(now);

	out->now = now;
	if (!e)
		return -ENOMEM;
	e->count = conf->count;
	e->size = conf->size;
	e->interval = conf->interval;
	return weft_echo_launch(core, addr, e, out, no);
}

/**
 * weft_echo_by_no - find a probe
 * @core: the core; core->lock is held
 * @no: its number
 * @asked: true: a question, false: any other probe
 *
 * Return: the probe, NULL: there is none.
 */
struct weft_echo *weft_echo_by_no(struct weft_core *core, u32 no, bool asked)
{
	struct weft_list *l;

	weft_assert_held(&core->lock);
	weft_list_for_each(l, &core->echoes) {
		struct weft_echo *e = weft_entry(l, struct weft_echo, node);

		if (e->no == no)
			return e->question.asked == asked ? e : NULL;
	}
	return NULL;
}

int weft_echo_look(struct weft_core *core, u32 no, weft_ns now, struct weft_echo_info *info)
{
	struct weft_echo *e;

	weft_lock(&core->lock);
	e = weft_echo_by_no(core, no, false);
	if (e && e->path) {
		weft_lock(&e->path->lock);
		weft_echo_copy(e, now, info);
		weft_unlock(&e->path->lock);
	} else if (e) {
		weft_echo_copy(e, now, info);
	}
	weft_unlock(&core->lock);
	return e ? 0 : -ENOENT;
}

int weft_echo_end(struct weft_core *core, u32 no)
{
	struct weft_echo *e;

	weft_lock(&core->lock);
	e = weft_echo_by_no(core, no, false);
	if (e)
		weft_echo_free(core, e);
	weft_unlock(&core->lock);
	return e ? 0 : -ENOENT;
}
