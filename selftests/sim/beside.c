// SPDX-License-Identifier: GPL-2.0-only
/*
 * Simulator: streams of weft's messages and flows of TCP over one bottleneck
 *
 *	sending node 0 ---+                                    +--- receiving node
 *	sending node 1 ---+--- bottleneck, one each direction --+
 *	flow of TCP ------+                                    +--- its receiver
 *
 * The rig's own network takes no time. It gives each packet to carry(), which sends the packet over
 * the bottleneck. Behind it the packet goes to the core of its node, as from an adapter.
 */
#include "core/wire/wire.h"
#include "beside.h"

#define SERVICE		7
#define UDP_FRAME	(28 + LINK_FRAME)	/* bytes around a UDP payload */
#define TCP_FLOW	48			/* number of the first flow of TCP */
#define ACCESS		1000000000ull		/* bits in a second of access links, at least */
#define SEEN		65536			/* PSNs that are remembered of a lane */
#define JITTER		(20 * NSEC_PER_USEC)	/* of packets before their access link */

/**
 * struct stream_end - a program at one end of a stream
 * @proc: process
 * @cq: its completion queue
 * @av: its address vector
 * @ep: its endpoint
 * @buf: memory of all its messages, whose bytes do not matter
 */
struct stream_end {
	struct rig_proc *proc;
	struct rig_cq *cq;
	struct rig_av *av;
	struct rig_ep *ep;
	u8 *buf;
};

/**
 * struct stream - messages without end from one program to another
 * @b: scenario
 * @src: sending program
 * @dst: receiving program
 * @peer: @dst in the address vector of @src
 */
struct stream {
	const struct beside *b;
	struct stream_end src;
	struct stream_end dst;
	u32 peer;
};

/**
 * struct sender - packets of a sending node that have come to the receiving node
 * @got: payload, bytes; each packet counts once
 * @needless: packets that came once more
 * @seen: PSNs that have come, by lane; modulo SEEN
 */
struct sender {
	u64 got;
	u64 needless;
	u32 *seen[WEFT_LANES];
};

/**
 * struct world - a run of a scenario
 * @b: scenario
 * @rig: its rig
 * @out: to the receivers
 * @back: and back
 * @stream: streams
 * @nstream: how many
 * @sender: sending nodes
 * @tcp: flows of TCP
 */
struct world {
	const struct beside *b;
	struct rig *rig;
	struct link *out;
	struct link *back;
	struct stream stream[BESIDE_MAX];
	u32 nstream;
	struct sender sender[BESIDE_MAX];
	struct tcp *tcp[BESIDE_MAX];
};

/* for carry(), which has no argument of its own */
static struct world *the_world;

/* ---- Packets --------------------------------------------------------------------- */

/* A port gives each class of a path a flow hash of its own. */
static u32 flow_of(const struct rig_node *to, u32 from, const void *data)
{
	const struct weft_w_hdr *h = data;
	u32 class = WEFT_CLASS_FIRST;

	/* acknowledgements alone travel in class FIRST */
	if ((h->vt & 15) == WEFT_PKT_DATA && h->flags & WEFT_PKT_PSN && h->lane < WEFT_LANES)
		class = h->lane / WEFT_CLASS_LANES;
	return min(from, to->index) * WEFT_CLASSES + class;
}

/*
 * Count the payload of a packet that has come, unless it has come before. Messages are no measure:
 * those of a stream end together.
 */
static void count_payload(struct sender *s, const void *data, u32 len)
{
	const struct weft_w_hdr *h = data;
	u32 psn = be32_to_cpu(h->psn), *seen;

	if ((h->vt & 15) != WEFT_PKT_DATA || !(h->flags & WEFT_PKT_PSN))
		return;
	if (!s->seen[h->lane])
		s->seen[h->lane] = calloc(SEEN, sizeof(u32));
	seen = &s->seen[h->lane][psn % SEEN];
	if (*seen == psn + 1) {
		s->needless++;
		return;
	}
	*seen = psn + 1;
	s->got += len - min_t(u32, len, WEFT_HEAD_SIM);
}

/* A packet has come through the bottleneck. */
static void come(struct link_pkt *p, void *to)
{
	struct rig_node *node = p->node, *from = to;
	struct rig *rig = node->rig;
	struct weft_out *out = rig_out(node);
	struct weft_rx rx = { .data = p->data, .len = p->size };

	if (from->index < the_world->b->senders)
		count_payload(&the_world->sender[from->index], p->data, p->size);
	rig_node_addr(&rig->conf, from->index, rig->conf.core.udp_port, &rx.src);
	weft_host_atomic(true);
	rig_rx(&node->core, rig_clock(node), &rx, 1, out);
	rig_leave(node, out);
	weft_host_atomic(false);
}

/* A packet has left a node. */
static void carry(struct rig_node *node, u32 from, const void *data, u32 len)
{
	struct world *w = the_world;
	/* the receiving node is the last one */
	struct link *link = from < w->b->senders ? w->out : w->back;

	link_send(link, from, flow_of(node, from, data), len + UDP_FRAME, data, len, node, come,
		  &node->rig->node[from]);
}

/* ---- Programs -------------------------------------------------------------------- */

static void end_new(struct stream_end *e, struct rig_node *node, const struct beside *b, u32 i)
{
	u32 slots = 16;

	while (slots < 4 * b->depth)
		slots *= 2;
	e->proc = rig_proc_new(node);
	e->cq = rig_cq_new(e->proc, 4 * slots);
	e->av = rig_av_new(e->proc);
	e->ep = rig_ep_new(e->proc, WEFT_EP_RDM, 0, slots, slots, (u16)(SERVICE + i));
	if (!e->ep || rig_ep_enable(e->ep, e->cq, e->cq, NULL, e->av))
		weft_host_die(__FILE__, __LINE__, "endpoint cannot be made");
	e->buf = rig_buf(e->proc, b->len);
}

static void post(struct stream *s, bool tx)
{
	struct stream_end *e = tx ? &s->src : &s->dst;
	struct rig_op op = { .n = 1 };

	op.iov[0].addr = (uintptr_t)e->buf;
	op.iov[0].len = s->b->len;
	op.flags = tx ? WEFT_SQ_COMPLETION : WEFT_RQ_COMPLETION;
	op.peer = tx ? s->peer : WEFT_SRC_ANY;
	if (tx ? rig_send(e->ep, &op) : rig_recv(e->ep, &op))
		weft_host_die(__FILE__, __LINE__, "no room in a ring");
}

static void read_cq(struct stream *s, bool tx)
{
	struct weft_cqe e;

	while (rig_cq_read(tx ? s->src.cq : s->dst.cq, &e) > 0) {
		if (e.status)
			weft_host_die(__FILE__, __LINE__, "an operation ends with %u", e.status);
		post(s, tx);
	}
}

static void look(struct world *w, const struct rig_node *node)
{
	u32 i;

	for (i = 0; i < w->nstream; i++) {
		if (w->stream[i].src.proc->node == node)
			read_cq(&w->stream[i], true);
		if (w->stream[i].dst.proc->node == node)
			read_cq(&w->stream[i], false);
	}
}

static void stream_new(struct world *w, struct rig_node *src, struct rig_node *dst)
{
	u32 i = w->nstream++;
	struct stream *s = &w->stream[i];

	s->b = w->b;
	end_new(&s->src, src, w->b, i);
	end_new(&s->dst, dst, w->b, i);
	s->peer = (u32)rig_av_insert(s->src.av, dst->index, (u16)(SERVICE + i), w->rig);
}

/* ---- Measurement ----------------------------------------------------------------- */

/* Payload that has come of each sending node and each flow. */
static void tally(const struct world *w, u64 *weft, u64 *tcp)
{
	struct tcp_stats s;
	u32 i;

	for (i = 0; i < w->b->senders; i++)
		weft[i] = w->sender[i].got;
	for (i = 0; i < w->b->tcps; i++) {
		tcp_look(w->tcp[i], &s);
		tcp[i] = s.got * TCP_MSS;
	}
}

/* Shares of the link that @n senders or flows had. @len bytes of payload take @wire bytes. */
static void set_shares(const struct beside *b, struct beside_side *side, u32 n, const u64 *before,
		       const u64 *after, u32 len, u32 wire)
{
	double whole = (b->until - b->from) / 8e9 * b->bps * len / wire;
	u32 i;

	for (i = 0; i < n; i++) {
		double share = (after[i] - before[i]) / whole;

		side->share += share;
		side->least = i ? min(side->least, share) : share;
		side->most = max(side->most, share);
	}
}

/* The lane that has sent the most. */
static void busiest(struct rig_node *node, struct beside_side *side)
{
	struct weft_path *path;
	u32 k, most = 0, pos = 0;

	while ((path = weft_path_next(&node->core, &pos))) {
		for (k = 0; k < WEFT_LANES; k++) {
			const struct weft_lane *lane = &path->lane[k];

			if (lane->snd_nxt <= most)
				continue;
			most = lane->snd_nxt;
			side->cwnd = lane->cwnd;
			side->srtt = path->class[k / WEFT_CLASS_LANES].srtt;
		}
		weft_path_put(path);
	}
}

static void count_packets(const struct link *link, u32 from, u32 to, struct beside_side *side)
{
	u32 i;

	for (i = from; i < to; i++) {
		side->packets += link->flow[i].packets;
		side->dropped += link->flow[i].dropped;
	}
}

static void count_weft(struct world *w, struct beside_side *side)
{
	u32 i;

	for (i = 0; i < w->b->senders; i++) {
		struct rig_node *node = &w->rig->node[i];

		side->again += rig_counter(node, WEFT_CNT_retransmits);
		side->spurious += rig_counter(node, WEFT_CNT_spurious);
		side->timeouts += rig_counter(node, WEFT_CNT_timeouts);
		side->needless += w->sender[i].needless;
	}
	count_packets(w->out, 0, TCP_FLOW, side);
	if (w->b->senders)
		busiest(&w->rig->node[0], side);
}

static void count_tcp(struct world *w, struct beside_side *side)
{
	struct tcp_stats s;
	u32 i;

	for (i = w->b->tcps; i--; ) {
		tcp_look(w->tcp[i], &s);
		side->again += s.again;
		side->needless += s.needless;
		side->timeouts += s.timeouts;
		side->cwnd = s.cwnd;
		side->srtt = s.srtt;
	}
	count_packets(w->out, TCP_FLOW, LINK_FLOWS, side);
}

/* ---- A run ----------------------------------------------------------------------- */

static void run_until(struct world *w, weft_ns at)
{
	while (rig_step(w->rig, at))
		look(w, w->rig->last);
}

static void begin(struct world *w)
{
	const struct beside *b = w->b;
	u32 i, k;

	for (i = 0; i < b->senders; i++)
		for (k = 0; k < b->streams; k++)
			stream_new(w, &w->rig->node[i], &w->rig->node[b->senders]);
	for (i = 0; i < w->nstream; i++) {
		for (k = 0; k < 2 * b->depth; k++)
			post(&w->stream[i], false);
		for (k = 0; k < b->depth; k++)
			post(&w->stream[i], true);
	}
	for (i = 0; i < b->tcps; i++)
		w->tcp[i] = tcp_new(w->out, w->back, TCP_FLOW + i,
				    w->rig->now + rig_below(w->rig, 100 * NSEC_PER_MSEC));
	for (i = 0; i <= b->senders; i++)
		look(w, &w->rig->node[i]);
}

static void end(struct world *w)
{
	u32 i;

	for (i = 0; i < w->nstream; i++) {
		rig_proc_end(w->stream[i].src.proc, false);
		rig_proc_end(w->stream[i].dst.proc, false);
	}
	for (i = 0; i < w->b->tcps; i++)
		tcp_free(w->tcp[i]);
	for (i = 0; i < w->b->senders * WEFT_LANES; i++)
		free(w->sender[i / WEFT_LANES].seen[i % WEFT_LANES]);
	/* packets of the nodes that end go nowhere */
	for (i = 0; i < w->rig->conf.nodes; i++)
		w->rig->node[i].recv = NULL;
	rig_free(w->rig);
	link_free(w->out);
	link_free(w->back);
}

void beside_run(const struct beside *b, u64 seed, struct beside_got *got)
{
	u64 weft[2][BESIDE_MAX], tcp[2][BESIDE_MAX];
	struct world w = { .b = b };
	struct link_conf link = {
		.bps = b->bps, .access_bps = max(10 * b->bps, ACCESS), .delay = b->rtt / 2,
		.limit = b->limit, .jitter = JITTER
	};
	struct rig_conf conf;
	weft_ns start;
	u32 i, packets;

	if (b->senders * b->streams > BESIDE_MAX || b->tcps > BESIDE_MAX)
		weft_host_die(__FILE__, __LINE__, "too many streams or flows");
	rig_conf_default(&conf, seed);
	conf.nodes = b->senders + 1;
	conf.delay = 0;
	conf.jitter = 0;
	memset(got, 0, sizeof(*got));
	w.rig = rig_new(&conf);
	w.back = link_new(w.rig, &link);
	link.loss = PERCENT(b->loss);
	w.out = link_new(w.rig, &link);
	for (i = 0; i < conf.nodes; i++)
		w.rig->node[i].recv = carry;
	the_world = &w;
	start = w.rig->now;
	begin(&w);
	run_until(&w, start + b->from);
	tally(&w, weft[0], tcp[0]);
	run_until(&w, start + b->until);
	tally(&w, weft[1], tcp[1]);
	packets = DIV_ROUND_UP(b->len, conf.max_payload - WEFT_HEAD_SIM);
	set_shares(b, &got->weft, b->senders, weft[0], weft[1], b->len,
		   b->len + packets * (WEFT_HEAD_SIM + UDP_FRAME));
	set_shares(b, &got->tcp, b->tcps, tcp[0], tcp[1], TCP_MSS, TCP_FRAME);
	count_weft(&w, &got->weft);
	count_tcp(&w, &got->tcp);
	got->deepest = w.out->deepest;
	end(&w);
}
