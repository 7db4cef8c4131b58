// SPDX-License-Identifier: GPL-2.0-only
/*
 * Simulator: given messages between many nodes
 *
 * Each node runs a program with one endpoint. A message's receive is posted when it is to be sent,
 * with room for just its bytes; messages of a pair have one tag, so that each arrives at its own
 * receive only if none is lost, none comes twice, and none overtakes another.
 */
#include "sim.h"

/**
 * struct load_peer - what a program knows of another node
 * @index: in its address vector, plus 1; 0: not inserted
 * @sent: messages to it that have been made
 */
struct load_peer {
	u32 index;
	u32 sent;
};

/**
 * struct load_node - a program
 * @proc: process
 * @cq: its completion queue
 * @av: its address vector
 * @ep: its endpoint
 * @peer: by node
 * @wait_tx: messages to be posted that found no room in the ring, oldest first
 * @ntx: how many
 * @credit_tx: entries of @wait_tx
 * @wait_rx: the same of receives
 * @nrx: how many
 * @credit_rx: entries of @wait_rx
 */
struct load_node {
	struct rig_proc *proc;
	struct rig_cq *cq;
	struct rig_av *av;
	struct rig_ep *ep;
	struct load_peer *peer;
	u32 *wait_tx;
	u32 ntx;
	u32 credit_tx;
	u32 *wait_rx;
	u32 nrx;
	u32 credit_rx;
};

struct load *load_new(const struct rig_conf *conf, u32 msgs, bool check)
{
	struct load *l = calloc(1, sizeof(*l));
	u32 i;

	l->rig = rig_new(conf);
	l->node = calloc(conf->nodes, sizeof(*l->node));
	l->msgs = calloc(msgs, sizeof(*l->msgs));
	l->check = check;
	l->slots = conf->nodes > 256 ? 32 : 1024;
	for (i = 0; i < conf->nodes; i++) {
		struct load_node *n = &l->node[i];

		n->proc = rig_proc_new(&l->rig->node[i]);
		n->cq = rig_cq_new(n->proc, 2 * l->slots);
		n->av = rig_av_new(n->proc);
		n->ep = rig_ep_new(n->proc, WEFT_EP_RDM, 0, l->slots, l->slots, 7);
		if (!n->ep || rig_ep_enable(n->ep, n->cq, n->cq, NULL, n->av))
			weft_host_die(__FILE__, __LINE__, "endpoint cannot be made");
		n->peer = calloc(conf->nodes, sizeof(*n->peer));
	}
	return l;
}

void load_add(struct load *l, weft_ns at, u32 src, u32 dst, u32 len)
{
	struct load_msg *m = &l->msgs[l->n++];

	m->at = at;
	m->src = src;
	m->dst = dst;
	m->len = len;
	m->seq = ++l->node[src].peer[dst].sent;
}

static u8 byte_of(const struct load *l, const struct load_msg *m, u32 off)
{
	return (u8)((off * 7 + off / 251) ^ ((m - l->msgs) * 13));
}

static u32 index_of(struct load *l, u32 from, u32 to)
{
	struct load_peer *p = &l->node[from].peer[to];

	if (!p->index)
		p->index = 1 + (u32)rig_av_insert(l->node[from].av, to, 7, l->rig);
	return p->index - 1;
}

/* Post one side of a message. Return: there was room. */
static bool post(struct load *l, u32 id, bool tx)
{
	struct load_msg *m = &l->msgs[id];
	struct load_node *n = &l->node[tx ? m->src : m->dst];
	struct rig_op op = {
		.tagged = true, .context = 2 * id + tx, .tag = m->src, .data = id, .n = 1
	};
	u8 *p = rig_buf(n->proc, m->len);
	u32 i;
	int r;

	op.iov[0].addr = (uintptr_t)p;
	op.iov[0].len = m->len;
	if (tx) {
		for (i = 0; l->check && i < m->len; i++)
			p[i] = byte_of(l, m, i);
		op.flags = WEFT_SQ_COMPLETION | WEFT_SQ_DATA;
		if (l->check && id % 4 == 0)
			op.flags |= WEFT_SQ_DELIVERY;
		op.peer = index_of(l, m->src, m->dst);
		r = rig_send(n->ep, &op);
	} else {
		op.flags = WEFT_RQ_COMPLETION;
		op.peer = WEFT_SRC_ANY;
		r = rig_recv(n->ep, &op);
	}
	if (r) {
		rig_buf_free(n->proc, p);
		return false;
	}
	*(tx ? &m->from : &m->to) = p;
	return true;
}

static void wait_for_room(u32 **list, u32 *n, u32 *room, u32 id)
{
	if (*n == *room) {
		*room = 2 * *room + 16;
		*list = realloc(*list, *room * sizeof(**list));
	}
	(*list)[(*n)++] = id;
}

static void post_waiting(struct load *l, struct load_node *n)
{
	u32 i;

	for (i = 0; i < n->nrx && post(l, n->wait_rx[i], false); i++)
		;
	n->nrx -= i;
	memmove(n->wait_rx, n->wait_rx + i, n->nrx * sizeof(*n->wait_rx));
	for (i = 0; i < n->ntx && post(l, n->wait_tx[i], true); i++)
		;
	n->ntx -= i;
	memmove(n->wait_tx, n->wait_tx + i, n->ntx * sizeof(*n->wait_tx));
}

static void check_bytes(struct load *l, const struct load_msg *m)
{
	u32 i;

	for (i = 0; i < m->len; i++)
		if (m->to[i] != byte_of(l, m, i))
			weft_host_die(__FILE__, __LINE__, "message %u to %u: byte %u differs",
				      m->src, m->dst, i);
}

static void received(struct load *l, struct load_msg *m, const struct weft_cqe *e)
{
	if (m->got)
		weft_host_die(__FILE__, __LINE__, "a message from %u to %u comes twice", m->src,
			      m->dst);
	if (e->data != (u64)(m - l->msgs) || e->len != m->len || e->tag != m->src)
		weft_host_die(__FILE__, __LINE__, "another message than number %u from %u to %u",
			      m->seq, m->src, m->dst);
	if (l->check)
		check_bytes(l, m);
	m->got = l->rig->now;
	rig_buf_free(l->node[m->dst].proc, m->to);
	m->to = NULL;
}

static void look(struct load *l, struct load_node *n)
{
	struct weft_cqe e;
	bool any = false;

	while (rig_cq_read(n->cq, &e) > 0) {
		struct load_msg *m = &l->msgs[e.context / 2];

		if (e.context / 2 >= l->n || e.status)
			weft_host_die(__FILE__, __LINE__, "operation %llu ends with %u",
				      (unsigned long long)e.context, e.status);
		if (e.context & 1) {
			if (m->sent)
				weft_host_die(__FILE__, __LINE__, "a send completes twice");
			m->sent = true;
			rig_buf_free(n->proc, m->from);
			m->from = NULL;
		} else {
			received(l, m, &e);
		}
		l->left--;
		if (l->tell)
			sim_done(1);
		any = true;
	}
	if (any)
		post_waiting(l, n);
}

static void unfinished(struct load *l)
{
	u32 i, shown = 0;

	rig_dump(l->rig);
	for (i = 0; i < l->n && shown < 8; i++) {
		struct load_msg *m = &l->msgs[i];

		if (m->sent && m->got)
			continue;
		shown++;
		fprintf(stderr, "message %u of %u bytes from %u to %u:%s%s%s%s\n", m->seq, m->len,
			m->src, m->dst, m->from ? "" : " (send not posted)",
			m->sent ? " sent" : "", m->to ? "" : " (receive not posted)",
			m->got ? " received" : "");
	}
}

void load_run(struct load *l, weft_ns most)
{
	weft_ns begin = l->rig->now;
	u32 i = 0;

	l->left += 2 * l->n;
	while (l->left) {
		weft_ns next = i < l->n ? begin + l->msgs[i].at : begin + most;

		if (rig_step(l->rig, next)) {
			look(l, &l->node[l->rig->last->index]);
			continue;
		}
		if (i == l->n) {
			unfinished(l);
			weft_host_die(__FILE__, __LINE__, "%u operations have not ended", l->left);
		}
		for (; i < l->n && begin + l->msgs[i].at <= l->rig->now; i++) {
			struct load_node *d = &l->node[l->msgs[i].dst];
			struct load_node *s = &l->node[l->msgs[i].src];

			if (d->nrx || !post(l, i, false))
				wait_for_room(&d->wait_rx, &d->nrx, &d->credit_rx, i);
			if (s->ntx || !post(l, i, true))
				wait_for_room(&s->wait_tx, &s->ntx, &s->credit_tx, i);
			look(l, s);
			look(l, d);
		}
	}
	for (i = 0; i < l->n; i++)
		l->msgs[i].at += begin;
}

void load_free(struct load *l)
{
	u32 i;

	for (i = 0; i < l->rig->conf.nodes; i++) {
		rig_proc_end(l->node[i].proc, false);
		free(l->node[i].peer);
		free(l->node[i].wait_tx);
		free(l->node[i].wait_rx);
	}
	rig_free(l->rig);
	free(l->node);
	free(l->msgs);
	free(l);
}

void load_meet(struct load *l, const struct load_msg *msgs, u32 n)
{
	struct load_msg *given = l->msgs;
	u32 i;

	l->msgs = calloc(n, sizeof(*msgs));
	for (i = 0; i < n; i++)
		if (!l->node[msgs[i].src].peer[msgs[i].dst].sent)
			load_add(l, 0, msgs[i].src, msgs[i].dst, 8);
	load_run(l, 10ull * NSEC_PER_SEC);
	/* acknowledgements, too */
	rig_run(l->rig, 10 * NSEC_PER_MSEC);
	free(l->msgs);
	l->msgs = given;
	l->n = 0;
}

/* ---- A large run ----------------------------------------------------------------- */

u64 sim_large(const struct sim_opts *o, u64 seed)
{
	u32 i, msgs = o->msgs ? o->msgs : 4 * o->nodes;
	struct rig_conf conf;
	char again[120];
	struct load *l;
	weft_ns at = 0;
	u64 digest;

	snprintf(again, sizeof(again), "again: make sim SEED=%llu NODES=%u LOSS=%g MSGS=%u",
		 (unsigned long long)seed, o->nodes, o->loss >= 0 ? o->loss : 1.0, msgs);
	weft_host_note(again);
	rig_conf_default(&conf, seed);
	conf.nodes = o->nodes;
	conf.loss = PERCENT(o->loss >= 0 ? o->loss : 1.0);
	conf.dup = PERCENT(0.5);
	conf.late = PERCENT(0.5);
	conf.clocks = 6;
	conf.net.bps = 10000000000ull;
	conf.net.queue = 200000;
	conf.net.rack = 32;
	conf.net.rack_bps = 8 * conf.net.bps;
	conf.net.burst = PERCENT(0.05);
	conf.net.burst_for = 100 * NSEC_PER_USEC;
	conf.net.corrupt = PERCENT(0.1);
	conf.core.max_paths = o->nodes + 8;
	l = load_new(&conf, msgs, true);
	l->rig->check = sim_limits;
	l->tell = o->seeds == 1;
	for (i = 0; i < msgs; i++) {
		u32 src = rig_below(l->rig, o->nodes), dst = rig_below(l->rig, o->nodes - 1);
		u32 len = rig_below(l->rig, 1u << rig_below(l->rig, 18));

		at += rig_below(l->rig, 4000000 / o->nodes);
		load_add(l, at, src, dst + (dst >= src), len);
	}
	if (l->tell)
		sim_progress(2ull * msgs, "operations");
	load_run(l, at + 30 * NSEC_PER_SEC);
	if (o->verbose)
		printf("%u nodes, %u messages, %.3f ms, %llu packets, %llu lost, %llu events\n",
		       o->nodes, msgs, (l->msgs[msgs - 1].got - l->msgs[0].at) / 1e6,
		       (unsigned long long)l->rig->npackets, (unsigned long long)l->rig->nlost,
		       (unsigned long long)l->rig->nevents);
	digest = l->rig->digest;
	load_free(l);
	weft_host_note(NULL);
	return digest;
}
