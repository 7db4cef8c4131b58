// SPDX-License-Identifier: GPL-2.0-only
/*
 * Simulator: a model of TCP
 *
 * The model has those parts of Linux that decide about goodput and shares of a long flow:
 *
 *	window		CUBIC (RFC 9438) with fast convergence, 10 segments at first; HyStart
 *			by delay ends slow start
 *	loss		SACK with three blocks, RACK (RFC 8985), proportional rate reduction
 *			(RFC 6937)
 *	timers		tail-loss probe; retransmission timeout of at least 200 ms, doubled
 *			each time
 *	receiver	acknowledges each second segment, or after 40 ms; at once while
 *			segments are missing, and at the beginning of the flow
 *
 * The program sends without end and reads at once. There is no handshake, no pacing, and no undo of
 * a reduction.
 */
#include <math.h>

#include "tcp.h"

#define RING		16384		/* segments that may be outstanding */
#define HEADERS		(52 + LINK_FRAME)
#define SACK_BLOCKS	3
#define CWND_INIT	10
#define RTO_MIN		(200ull * NSEC_PER_MSEC)
#define RTO_FIRST	(1ull * NSEC_PER_SEC)
#define RTO_MAX		(120ull * NSEC_PER_SEC)
#define ACK_DELAY	(40ull * NSEC_PER_MSEC)
#define QUICK_ACKS	16		/* segments that are acknowledged at once at first */
#define PROBE_MIN	(2ull * NSEC_PER_MSEC)
#define DUPTHRESH	3

#define CUBIC_C		0.4
#define CUBIC_BETA	0.7

#define SEG_FLIGHT	1
#define SEG_LOST	2
#define SEG_SACKED	3

#define OPEN		0
#define RECOVERY	1	/* lost segments are sent again */
#define LOSS		2	/* the same after a timeout */

/**
 * struct tcp_seg - a segment
 * @at: time of the last transmission
 * @state: SEG_*
 * @again: sent more than once
 */
struct tcp_seg {
	weft_ns at;
	u8 state;
	bool again;
};

/**
 * struct tcp_ack - an acknowledgement
 * @una: every segment before this one has come
 * @n: blocks
 * @from: first segment of each block
 * @to: segment behind each block
 */
struct tcp_ack {
	u32 una;
	u32 n;
	u32 from[SACK_BLOCKS];
	u32 to[SACK_BLOCKS];
};

/**
 * struct cubic - state of the window's growth
 * @epoch: when this growth began, 0: it has not begun
 * @origin: window at the plateau
 * @k: seconds from @epoch to the plateau
 * @w_max: window at the last loss, smaller after fast convergence
 * @prior: window at the last loss
 * @w_est: window that Reno would have
 */
struct cubic {
	weft_ns epoch;
	double origin;
	double k;
	double w_max;
	double prior;
	double w_est;
};

/**
 * struct tcp_timer - a time, and the event for it
 * @at: time at which the timer expires, U64_MAX: never
 * @event: time of the earliest event under way, U64_MAX: no event
 */
struct tcp_timer {
	weft_ns at;
	weft_ns event;
};

/**
 * struct tcp - a flow
 * @rig: world
 * @out: link of segments
 * @back: link of acknowledgements
 * @flow: number of flow and source at both links
 * @stats: counts
 * @seg: segments by number, modulo RING
 * @una: first that is not acknowledged
 * @nxt: next new one
 * @flight: segments in the network
 * @sacked: segments acknowledged out of order
 * @lost: segments to be sent again
 * @state: OPEN, RECOVERY, LOSS
 * @high: recovery ends when all before this one are acknowledged
 * @cwnd: window
 * @ssthresh: window at which slow start ends
 * @cubic: growth beyond it
 * @prior: window when recovery began
 * @delivered: segments delivered in this recovery
 * @sent: segments sent in this recovery
 * @srtt: smoothed round-trip time, 0: none yet
 * @var: its variation
 * @rtt_min: the shortest one
 * @backoff: doublings of the timeout
 * @rack_at: when the newest segment that has arrived was sent
 * @rack_seg: its number
 * @rack_rtt: its round-trip time
 * @round: HyStart's round ends when all before this one are acknowledged
 * @round_min: shortest round-trip time in it
 * @round_n: times measured in it
 * @probing: the timer sends a probe
 * @probed: a probe has been sent, and no acknowledgement has come since
 * @rto: probe, retransmission timeout
 * @reorder: segments that were overtaken are lost
 * @rcv: receiver: next segment in order
 * @end: receiver: segment behind the newest one
 * @come: receiver: segments beyond @rcv
 * @recent: receiver: a segment of each of the newest blocks
 * @nrecent: receiver: how many
 * @unacked: receiver: segments that have not been acknowledged
 * @ack: receiver: acknowledgement
 */
struct tcp {
	struct rig *rig;
	struct link *out;
	struct link *back;
	u32 flow;
	struct tcp_stats stats;
	struct tcp_seg *seg;
	u32 una;
	u32 nxt;
	u32 flight;
	u32 sacked;
	u32 lost;
	u8 state;
	u32 high;
	double cwnd;
	double ssthresh;
	struct cubic cubic;
	double prior;
	u32 delivered;
	u32 sent;
	weft_ns srtt;
	weft_ns var;
	weft_ns rtt_min;
	u32 backoff;
	weft_ns rack_at;
	u32 rack_seg;
	weft_ns rack_rtt;
	u32 round;
	weft_ns round_min;
	u32 round_n;
	bool probing;
	bool probed;
	struct tcp_timer rto;
	struct tcp_timer reorder;
	u32 rcv;
	u32 end;
	bool *come;
	u32 recent[SACK_BLOCKS];
	u32 nrecent;
	u32 unacked;
	struct tcp_timer ack;
};

static struct tcp_seg *seg_of(const struct tcp *t, u32 n)
{
	return &t->seg[n % RING];
}

/* Have @fn called at @at, perhaps also earlier: is_due() tells the difference. */
static void set_timer(struct tcp *t, struct tcp_timer *timer, weft_ns at,
		      void (*fn)(struct rig_node *node, void *arg))
{
	timer->at = at;
	if (at >= timer->event)
		return;
	timer->event = at;
	rig_call(&t->rig->node[0], at, fn, t);
}

/* An event for a timer. Return: the timer is due. */
static bool is_due(struct tcp *t, struct tcp_timer *timer,
		   void (*fn)(struct rig_node *node, void *arg))
{
	/* an event that a later setting has replaced */
	if (t->rig->now < timer->event)
		return false;
	timer->event = U64_MAX;
	if (timer->at > t->rig->now) {
		if (timer->at != U64_MAX)
			set_timer(t, timer, timer->at, fn);
		return false;
	}
	timer->at = U64_MAX;
	return true;
}

/* ---- Receiver -------------------------------------------------------------------- */

static void acked(struct link_pkt *p, void *to);

/* The block of segments around @n. */
static void add_block(const struct tcp *t, struct tcp_ack *ack, u32 n)
{
	u32 from = n, to = n + 1, i;

	for (i = 0; i < ack->n; i++)
		if (n - ack->from[i] < ack->to[i] - ack->from[i])
			return;
	while (from != t->rcv && t->come[(from - 1) % RING])
		from--;
	while (to != t->end && t->come[to % RING])
		to++;
	ack->from[ack->n] = from;
	ack->to[ack->n++] = to;
}

static void acknowledge(struct tcp *t)
{
	struct tcp_ack ack = { .una = t->rcv };
	u32 i, k = 0;

	for (i = 0; i < t->nrecent; i++) {
		if ((s32)(t->recent[i] - t->rcv) < 0)
			continue;
		add_block(t, &ack, t->recent[i]);
		t->recent[k++] = t->recent[i];
	}
	t->nrecent = k;
	t->unacked = 0;
	t->ack.at = U64_MAX;
	link_send(t->back, t->flow, t->flow, HEADERS + (ack.n ? 4 + 8 * ack.n : 0), &ack,
		  sizeof(ack), &t->rig->node[0], acked, t);
}

static void ack_late(struct rig_node *node, void *arg)
{
	struct tcp *t = arg;

	if (is_due(t, &t->ack, ack_late) && t->unacked)
		acknowledge(t);
}

/* A segment is the newest one of its block. */
static void remember(struct tcp *t, u32 n)
{
	u32 i;

	for (i = 0; i < t->nrecent; i++)
		if (t->recent[i] == n - 1 || t->recent[i] == n + 1)
			break;
	if (i == t->nrecent) {
		if (t->nrecent < SACK_BLOCKS)
			t->nrecent++;
		i = t->nrecent - 1;
	}
	memmove(t->recent + 1, t->recent, i * sizeof(*t->recent));
	t->recent[0] = n;
}

static void arrived(struct link_pkt *p, void *to)
{
	struct tcp *t = to;
	u32 n;

	memcpy(&n, p->data, sizeof(n));
	if ((s32)(n - t->rcv) < 0 || t->come[n % RING]) {
		t->stats.needless++;
		acknowledge(t);
		return;
	}
	t->come[n % RING] = true;
	if ((s32)(n + 1 - t->end) > 0)
		t->end = n + 1;
	if (n != t->rcv) {
		remember(t, n);
		acknowledge(t);
		return;
	}
	while (t->come[t->rcv % RING]) {
		t->come[t->rcv % RING] = false;
		t->rcv++;
		t->stats.got++;
		t->unacked++;
	}
	if (t->unacked >= 2 || t->rcv != t->end || t->rcv < QUICK_ACKS)
		acknowledge(t);
	else
		set_timer(t, &t->ack, t->rig->now + ACK_DELAY, ack_late);
}

/* ---- Window ---------------------------------------------------------------------- */

static double seconds(weft_ns t)
{
	return t / 1e9;
}

static void reduce(struct tcp *t)
{
	struct cubic *c = &t->cubic;

	/* fast convergence: leave room for flows that begin */
	c->w_max = t->cwnd < c->w_max ? t->cwnd * (1 + CUBIC_BETA) / 2 : t->cwnd;
	c->prior = t->cwnd;
	c->epoch = 0;
	t->prior = t->cwnd;
	t->ssthresh = max(t->cwnd * CUBIC_BETA, 2.0);
}

static void cubic_grow(struct tcp *t, u32 n)
{
	struct cubic *c = &t->cubic;
	double alpha = 3 * (1 - CUBIC_BETA) / (1 + CUBIC_BETA), at, target, now;

	if (!c->epoch) {
		c->epoch = t->rig->now;
		c->k = t->cwnd < c->w_max ? cbrt((c->w_max - t->cwnd) / CUBIC_C) : 0;
		c->origin = max(t->cwnd, c->w_max);
		c->w_est = t->cwnd;
	}
	if (c->w_est >= c->prior)
		alpha = 1;
	c->w_est += alpha * n / t->cwnd;
	at = seconds(t->rig->now - c->epoch) - c->k;
	now = CUBIC_C * at * at * at + c->origin;
	if (now < c->w_est) {
		t->cwnd = max(t->cwnd, c->w_est);
		return;
	}
	at += seconds(t->srtt);
	target = CUBIC_C * at * at * at + c->origin;
	target = min(max(target, t->cwnd), 1.5 * t->cwnd);
	t->cwnd += n * (target - t->cwnd) / t->cwnd;
}

static void grow(struct tcp *t, u32 n)
{
	if (t->cwnd < t->ssthresh) {
		u32 room = (u32)ceil(min(t->ssthresh - t->cwnd, (double)RING));
		u32 k = min(n, room);

		t->cwnd += k;
		n -= k;
	}
	if (n)
		cubic_grow(t, n);
	t->cwnd = min(t->cwnd, RING / 2.0);
}

/* HyStart: end slow start when the round-trip time grows. */
static void hystart(struct tcp *t, weft_ns rtt)
{
	weft_ns more = clamp_t(weft_ns, t->rtt_min / 8, 4 * NSEC_PER_MSEC, 16 * NSEC_PER_MSEC);

	if ((s32)(t->una - t->round) >= 0) {
		t->round = t->nxt;
		t->round_min = U64_MAX;
		t->round_n = 0;
	}
	if (t->round_n >= 8)
		return;
	t->round_min = min(t->round_min, rtt);
	if (++t->round_n == 8 && t->cwnd < t->ssthresh && t->cwnd >= 16 &&
	    t->round_min >= t->rtt_min + more)
		t->ssthresh = t->cwnd;
}

/* Proportional rate reduction: how many segments may be under way now. */
static void prr(struct tcp *t, u32 newly, bool advanced, bool more_lost)
{
	s32 room = (s32)t->ssthresh - (s32)t->flight, n;

	if (!newly)
		return;
	t->delivered += newly;
	if (room < 0) {
		n = (s32)ceil(t->ssthresh * t->delivered / t->prior) - (s32)t->sent;
	} else {
		n = max((s32)t->delivered - (s32)t->sent, (s32)newly);
		if (advanced && !more_lost)
			n++;
		n = min(room, n);
	}
	t->cwnd = t->flight + max(n, t->sent ? 0 : 1);
}

/* ---- Sender ---------------------------------------------------------------------- */

static void put(struct tcp *t, u32 n)
{
	struct tcp_seg *g = seg_of(t, n);

	if (n == t->nxt) {
		t->nxt++;
		g->again = false;
	} else {
		t->stats.again++;
		g->again = true;
	}
	g->state = SEG_FLIGHT;
	g->at = t->rig->now;
	t->flight++;
	t->sent++;
	link_send(t->out, t->flow, t->flow, TCP_FRAME, &n, sizeof(n), &t->rig->node[0], arrived,
		  t);
}

static void on_time(struct rig_node *node, void *arg);

static void arm(struct tcp *t)
{
	weft_ns rto = t->srtt ? t->srtt + max_t(weft_ns, 4 * t->var, RTO_MIN) : RTO_FIRST, probe;

	rto = min_t(weft_ns, rto << min(t->backoff, 10u), RTO_MAX);
	t->probing = false;
	if (t->una == t->nxt) {
		t->rto.at = U64_MAX;
		return;
	}
	if (t->state == OPEN && !t->sacked && !t->probed && t->srtt && !t->backoff) {
		probe = 2 * t->srtt + (t->nxt - t->una == 1 ? RTO_MIN : PROBE_MIN);
		if (probe < rto) {
			t->probing = true;
			rto = probe;
		}
	}
	set_timer(t, &t->rto, t->rig->now + rto, on_time);
}

static void push(struct tcp *t)
{
	u32 i;

	for (i = t->una; t->lost && t->flight + 1 <= t->cwnd; i++) {
		if (seg_of(t, i)->state != SEG_LOST)
			continue;
		t->lost--;
		put(t, i);
	}
	while (!t->lost && t->flight + 1 <= t->cwnd && t->nxt - t->una < RING - 1)
		put(t, t->nxt);
}

static void lose(struct tcp *t, struct tcp_seg *g)
{
	g->state = SEG_LOST;
	t->flight--;
	t->lost++;
}

static void on_time(struct rig_node *node, void *arg)
{
	struct tcp *t = arg;
	u32 i;

	if (!is_due(t, &t->rto, on_time) || t->una == t->nxt)
		return;
	if (t->probing) {
		/* new data, whatever the window is */
		t->probed = true;
		put(t, t->nxt);
		arm(t);
		return;
	}
	t->stats.timeouts++;
	for (i = t->una; i != t->nxt; i++)
		if (seg_of(t, i)->state == SEG_FLIGHT)
			lose(t, seg_of(t, i));
	if (t->state != LOSS)
		reduce(t);
	t->state = LOSS;
	t->high = t->nxt;
	t->cwnd = 1;
	t->backoff++;
	push(t);
	arm(t);
}

static void sample(struct tcp *t, weft_ns rtt)
{
	weft_ns d = rtt > t->srtt ? rtt - t->srtt : t->srtt - rtt;

	t->rtt_min = min(t->rtt_min, rtt);
	hystart(t, rtt);
	if (!t->srtt) {
		t->srtt = rtt;
		t->var = rtt / 2;
		return;
	}
	t->var += (s64)(d - t->var) / 4;
	t->srtt += (s64)(rtt - t->srtt) / 8;
}

/* Segment @n has arrived. Return: its round-trip time, U64_MAX: not known. */
static weft_ns deliver(struct tcp *t, u32 n)
{
	struct tcp_seg *g = seg_of(t, n);
	weft_ns rtt = t->rig->now - g->at;
	bool known = !g->again && g->state == SEG_FLIGHT;

	if (g->state == SEG_FLIGHT)
		t->flight--;
	else
		t->lost--;
	if ((!g->again || rtt >= t->rtt_min) &&
	    (g->at > t->rack_at || (g->at == t->rack_at && (s32)(n - t->rack_seg) > 0))) {
		t->rack_at = g->at;
		t->rack_seg = n;
		t->rack_rtt = rtt;
	}
	return known ? rtt : U64_MAX;
}

static void detect_late(struct rig_node *node, void *arg);

/* RACK: segments that later ones have overtaken are lost. Return: how many. */
static u32 detect(struct tcp *t)
{
	weft_ns window = t->state != OPEN || t->sacked >= DUPTHRESH ? 0 : t->rtt_min / 4;
	weft_ns next = U64_MAX;
	u32 i, n = 0;

	t->reorder.at = U64_MAX;
	if (!t->sacked && t->state == OPEN)
		return 0;
	for (i = t->una; i != t->nxt; i++) {
		struct tcp_seg *g = seg_of(t, i);
		weft_ns due = g->at + t->rack_rtt + window;

		if (g->state != SEG_FLIGHT || g->at > t->rack_at ||
		    (g->at == t->rack_at && (s32)(i - t->rack_seg) >= 0))
			continue;
		if (due > t->rig->now) {
			next = min(next, due);
			continue;
		}
		lose(t, g);
		n++;
	}
	if (next != U64_MAX)
		set_timer(t, &t->reorder, next, detect_late);
	return n;
}

static void begin_recovery(struct tcp *t)
{
	reduce(t);
	t->state = RECOVERY;
	t->high = t->nxt;
	t->delivered = 0;
	t->sent = 0;
}

static void detect_late(struct rig_node *node, void *arg)
{
	struct tcp *t = arg;

	if (!is_due(t, &t->reorder, detect_late) || !detect(t))
		return;
	if (t->state == OPEN)
		begin_recovery(t);
	prr(t, 1, false, true);
	push(t);
	arm(t);
}

static void acked(struct link_pkt *p, void *to)
{
	struct tcp *t = to;
	u32 i, k, newly = 0, found;
	weft_ns rtt = U64_MAX, r;
	struct tcp_ack ack;
	bool advanced;

	memcpy(&ack, p->data, sizeof(ack));
	advanced = (s32)(ack.una - t->una) > 0;
	for (i = t->una; (s32)(ack.una - i) > 0; i++) {
		if (seg_of(t, i)->state == SEG_SACKED) {
			t->sacked--;
			continue;
		}
		r = deliver(t, i);
		rtt = r != U64_MAX ? r : rtt;
		newly++;
	}
	if (advanced) {
		t->una = ack.una;
		t->backoff = 0;
		t->probed = false;
	}
	for (k = 0; k < ack.n; k++) {
		for (i = ack.from[k]; i != ack.to[k]; i++) {
			if ((s32)(i - t->una) < 0 || seg_of(t, i)->state == SEG_SACKED)
				continue;
			r = deliver(t, i);
			rtt = r != U64_MAX ? r : rtt;
			seg_of(t, i)->state = SEG_SACKED;
			t->sacked++;
			newly++;
		}
	}
	if (rtt != U64_MAX)
		sample(t, rtt);
	found = detect(t);
	if (t->state != OPEN && (s32)(t->una - t->high) >= 0) {
		if (t->state == RECOVERY)
			t->cwnd = t->ssthresh;
		t->state = OPEN;
	}
	if (t->state == OPEN && t->lost)
		begin_recovery(t);
	if (t->state == RECOVERY)
		prr(t, newly, advanced, found);
	else if (newly)
		grow(t, newly);
	push(t);
	if (newly)
		arm(t);
}

/* ---- Life ------------------------------------------------------------------------ */

static void begin(struct rig_node *node, void *arg)
{
	struct tcp *t = arg;

	push(t);
	arm(t);
}

struct tcp *tcp_new(struct link *out, struct link *back, u32 flow, weft_ns at)
{
	struct tcp *t = calloc(1, sizeof(*t));

	t->rig = out->rig;
	t->out = out;
	t->back = back;
	t->flow = flow;
	t->seg = calloc(RING, sizeof(*t->seg));
	t->come = calloc(RING, sizeof(*t->come));
	t->cwnd = CWND_INIT;
	t->ssthresh = 1e9;
	t->rtt_min = U64_MAX;
	t->round_min = U64_MAX;
	t->rto = (struct tcp_timer){ U64_MAX, U64_MAX };
	t->reorder = t->rto;
	t->ack = t->rto;
	rig_call(&t->rig->node[0], at, begin, t);
	return t;
}

void tcp_free(struct tcp *t)
{
	free(t->seg);
	free(t->come);
	free(t);
}

void tcp_look(const struct tcp *t, struct tcp_stats *stats)
{
	*stats = t->stats;
	stats->cwnd = (u32)t->cwnd;
	stats->srtt = t->srtt;
}
