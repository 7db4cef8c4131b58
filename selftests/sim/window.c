// SPDX-License-Identifier: GPL-2.0-only
/*
 * Simulator: a simple window protocol, to compare with
 *
 * One stream for each pair of nodes, messages one behind the other in it, as programs use TCP. The
 * window begins with 10 packets, doubles each round trip up to a threshold, then grows by one; it
 * is halved once per round trip with loss. Each packet is acknowledged by itself; three later
 * ones acknowledged mean that one is lost, and so does a time of at least 5 ms (what weft has),
 * doubled each time. It takes part in the same network: links, queues, losses.
 */
#include "sim.h"

#define WINDOW	4096	/* packets that may be outstanding */
#define RTO_MIN	(5 * NSEC_PER_MSEC)

#define SEG_NONE	0
#define SEG_FLIGHT	1
#define SEG_LOST	2
#define SEG_DONE	3

/**
 * struct seg - a packet of a stream
 * @msg: message
 * @len: bytes
 * @last: ends the message
 * @state: SEG_*
 * @again: was sent more than once
 * @at: when it was sent last
 */
struct seg {
	u32 msg;
	u16 len;
	bool last;
	u8 state;
	bool again;
	weft_ns at;
};

/**
 * struct stream - one direction between two nodes
 * @w: the run
 * @src: from
 * @dst: to
 * @queue: messages that wait, or are being cut into packets
 * @nqueue: how many
 * @room: entries of @queue
 * @off: bytes of the first that have been cut
 * @seg: packets by number, modulo WINDOW
 * @una: first that is not acknowledged
 * @nxt: next new one
 * @high: newest that is acknowledged, plus 1
 * @recover: losses before this one have been paid for
 * @cwnd: window
 * @ssthresh: threshold
 * @part: packets on the way to the next increase
 * @flight: packets in the network
 * @srtt: smoothed round-trip time
 * @var: its variation
 * @backoff: doublings of the timeout
 * @due: when it is
 * @timer: an event is under way
 * @rcv: receiver: next packet in order
 * @come: receiver: packets beyond it
 */
struct stream {
	struct window *w;
	u32 src;
	u32 dst;
	u32 *queue;
	u32 nqueue;
	u32 room;
	u32 off;
	struct seg *seg;
	u32 una;
	u32 nxt;
	u32 high;
	u32 recover;
	u32 cwnd;
	u32 ssthresh;
	u32 part;
	u32 flight;
	weft_ns srtt;
	weft_ns var;
	u32 backoff;
	weft_ns due;
	bool timer;
	u32 rcv;
	bool *come;
};

/**
 * struct window - a run
 * @rig: world
 * @msgs: messages
 * @n: how many
 * @next: those before it have been given to their streams
 * @left: not received
 * @stream: by source and destination
 * @payload: bytes in a packet at most
 */
struct window {
	struct rig *rig;
	struct load_msg *msgs;
	u32 n;
	u32 next;
	u32 left;
	struct stream **stream;
	u32 payload;
};

/**
 * struct pkt - on the wire: an acknowledgement has this alone
 * @ack: is one
 * @seg: packet number
 * @una: acknowledgement: all before it have come
 */
struct pkt {
	u32 ack;
	u32 seg;
	u32 una;
	u8 pad[WEFT_HEAD_SIM - 12];
};

static struct window *the_window;

static struct stream *stream_of(struct window *w, u32 src, u32 dst)
{
	struct stream **s = &w->stream[src * w->rig->conf.nodes + dst];

	if (!*s) {
		*s = calloc(1, sizeof(**s));
		(*s)->w = w;
		(*s)->src = src;
		(*s)->dst = dst;
		(*s)->cwnd = 10;
		(*s)->ssthresh = WINDOW;
		(*s)->seg = calloc(WINDOW, sizeof(struct seg));
		(*s)->come = calloc(WINDOW, sizeof(bool));
	}
	return *s;
}

static weft_ns rto(const struct stream *s)
{
	weft_ns t = s->srtt ? s->srtt + 4 * s->var : 50 * NSEC_PER_MSEC;

	t = max_t(weft_ns, t, RTO_MIN) << min(s->backoff, 8u);
	return min_t(weft_ns, t, NSEC_PER_SEC);
}

static void send_more(struct stream *s);

static void timeout(struct rig_node *node, void *arg)
{
	struct stream *s = arg;
	u32 i;

	s->timer = false;
	if (s->una == s->nxt)
		return;
	if (s->due > node->rig->now) {
		s->timer = true;
		rig_call(node, s->due, timeout, s);
		return;
	}
	for (i = s->una; i != s->nxt; i++)
		if (s->seg[i % WINDOW].state == SEG_FLIGHT)
			s->seg[i % WINDOW].state = SEG_LOST;
	s->flight = 0;
	s->ssthresh = max(s->cwnd / 2, 2u);
	s->cwnd = 1;
	s->backoff++;
	s->recover = s->nxt;
	s->due = node->rig->now + rto(s);
	send_more(s);
}

static void put(struct stream *s, u32 n)
{
	static u8 buf[9000];
	struct seg *g = &s->seg[n % WINDOW];
	struct pkt *p = (void *)buf;

	p->ack = 0;
	p->seg = n;
	g->again = g->state == SEG_LOST;
	g->state = SEG_FLIGHT;
	g->at = s->w->rig->now;
	s->flight++;
	rig_carry(&s->w->rig->node[s->src], s->dst, buf, sizeof(*p) + g->len);
}

/* Cut the next packet off the first message. Return: there was one. */
static bool cut(struct stream *s)
{
	struct seg *g = &s->seg[s->nxt % WINDOW];
	u32 len;

	if (!s->nqueue || s->nxt - s->una >= WINDOW)
		return false;
	g->msg = s->queue[0];
	len = s->w->msgs[g->msg].len;
	g->len = min(len - s->off, s->w->payload);
	s->off += g->len;
	g->last = s->off == len;
	g->state = SEG_NONE;
	if (g->last) {
		s->off = 0;
		s->nqueue--;
		memmove(s->queue, s->queue + 1, s->nqueue * sizeof(*s->queue));
	}
	return true;
}

static void send_more(struct stream *s)
{
	u32 i;

	for (i = s->una; i != s->nxt && s->flight < s->cwnd; i++)
		if (s->seg[i % WINDOW].state == SEG_LOST)
			put(s, i);
	while (s->flight < s->cwnd && cut(s))
		put(s, s->nxt++);
	if (s->una == s->nxt)
		return;
	if (!s->timer) {
		s->due = s->w->rig->now + rto(s);
		s->timer = true;
		rig_call(&s->w->rig->node[s->src], s->due, timeout, s);
	}
}

static void sample(struct stream *s, weft_ns rtt)
{
	weft_ns d = rtt > s->srtt ? rtt - s->srtt : s->srtt - rtt;

	if (!s->srtt) {
		s->srtt = rtt;
		s->var = rtt / 2;
		return;
	}
	s->var += (s64)(d - s->var) / 4;
	s->srtt += (s64)(rtt - s->srtt) / 8;
}

static void done(struct stream *s, u32 n)
{
	struct seg *g = &s->seg[n % WINDOW];

	if (n - s->una >= s->nxt - s->una || g->state == SEG_DONE)
		return;
	if (g->state == SEG_FLIGHT)
		s->flight--;
	if (!g->again)
		sample(s, s->w->rig->now - g->at);
	g->state = SEG_DONE;
	s->backoff = 0;
	s->due = s->w->rig->now + rto(s);
	if ((s32)(n + 1 - s->high) > 0)
		s->high = n + 1;
	if (s->cwnd < s->ssthresh) {
		s->cwnd++;
	} else if (++s->part >= s->cwnd) {
		s->part = 0;
		s->cwnd++;
	}
	s->cwnd = min_t(u32, s->cwnd, WINDOW);
}

static void acked(struct stream *s, const struct pkt *p)
{
	u32 i;

	for (i = s->una; i != p->una && (s32)(p->una - i) > 0; i++)
		done(s, i);
	done(s, p->seg);
	while (s->una != s->nxt && s->seg[s->una % WINDOW].state == SEG_DONE)
		s->una++;
	for (i = s->una; (s32)(s->high - 3 - i) > 0; i++) {
		struct seg *g = &s->seg[i % WINDOW];

		/* one that was sent again has a round trip's time */
		if (g->state != SEG_FLIGHT || (g->again && s->w->rig->now < g->at + s->srtt))
			continue;
		g->state = SEG_LOST;
		s->flight--;
		if ((s32)(i - s->recover) >= 0) {
			s->ssthresh = max(s->cwnd / 2, 2u);
			s->cwnd = s->ssthresh;
			s->recover = s->nxt;
		}
	}
	send_more(s);
}

static void receive(struct rig_node *node, u32 from, const void *data, u32 len)
{
	struct window *w = the_window;
	const struct pkt *p = data;
	struct pkt ack = { .ack = 1, .seg = p->seg };
	struct stream *s;

	if (p->ack) {
		acked(stream_of(w, node->index, from), p);
		return;
	}
	s = stream_of(w, from, node->index);
	if (p->seg - s->rcv < WINDOW)
		s->come[p->seg % WINDOW] = true;
	while (s->come[s->rcv % WINDOW]) {
		/* what the sender knows of it has not been used again: it is not acknowledged */
		const struct seg *g = &s->seg[s->rcv % WINDOW];

		s->come[s->rcv % WINDOW] = false;
		s->rcv++;
		if (g->last) {
			w->msgs[g->msg].got = w->rig->now;
			w->left--;
		}
	}
	ack.una = s->rcv;
	rig_carry(node, from, &ack, sizeof(ack));
}

static void enqueue(struct window *w, u32 id)
{
	struct stream *s = stream_of(w, w->msgs[id].src, w->msgs[id].dst);

	if (s->nqueue == s->room) {
		s->room = 2 * s->room + 16;
		s->queue = realloc(s->queue, s->room * sizeof(*s->queue));
	}
	s->queue[s->nqueue++] = id;
	send_more(s);
}

void window_run(const struct rig_conf *conf, struct load_msg *msgs, u32 n, weft_ns most)
{
	struct window w = { .rig = rig_new(conf), .msgs = msgs, .n = n, .left = n };
	weft_ns begin = w.rig->now, next;
	u32 i;

	the_window = &w;
	w.payload = conf->max_payload - WEFT_HEAD_SIM;
	w.stream = calloc((size_t)conf->nodes * conf->nodes, sizeof(*w.stream));
	for (i = 0; i < conf->nodes; i++)
		w.rig->node[i].recv = receive;
	while (w.left && w.rig->now < begin + most) {
		next = w.next < n ? begin + msgs[w.next].at : begin + most;
		if (rig_step(w.rig, next))
			continue;
		for (; w.next < n && begin + msgs[w.next].at <= w.rig->now; w.next++)
			enqueue(&w, w.next);
	}
	for (i = 0; i < n; i++)
		msgs[i].at += begin;
	for (i = 0; i < conf->nodes * conf->nodes; i++) {
		if (!w.stream[i])
			continue;
		free(w.stream[i]->queue);
		free(w.stream[i]->seg);
		free(w.stream[i]->come);
		free(w.stream[i]);
	}
	free(w.stream);
	rig_free(w.rig);
}
