// SPDX-License-Identifier: GPL-2.0-only
/*
 * Simulator: a link that several flows share
 */
#include "bottleneck.h"

/* ---- Queues ---------------------------------------------------------------------- */

void link_queue_add(struct link_queue *q, struct link_pkt *p)
{
	p->next = NULL;
	if (q->first)
		q->last->next = p;
	else
		q->first = p;
	q->last = p;
	q->bytes += p->len;
	q->packets++;
}

struct link_pkt *link_queue_take(struct link_queue *q)
{
	struct link_pkt *p = q->first;

	if (!p)
		return NULL;
	q->first = p->next;
	q->bytes -= p->len;
	q->packets--;
	return p;
}

static void forget(struct link_pkt *p)
{
	p->before->after = p->after;
	p->after->before = p->before;
	free(p);
}

void link_drop(struct link_pkt *p)
{
	p->link->flow[p->flow].dropped++;
	forget(p);
}

/* ---- The way of a packet --------------------------------------------------------- */

static weft_ns time_of(u64 bps, u32 len)
{
	return len * 8ull * NSEC_PER_SEC / bps;
}

static void arrive(struct rig_node *node, void *arg)
{
	struct link_pkt *p = arg;

	p->come(p, p->to);
	forget(p);
}

static void serve(struct link *link);

/* A packet has been sent. */
static void through(struct rig_node *node, void *arg)
{
	struct link_pkt *p = arg;
	struct link *link = p->link;

	link->flow[p->flow].sent += p->len;
	link->flow[p->flow].packets++;
	if (rig_chance(link->rig, link->conf.loss))
		forget(p);
	else
		rig_call(p->node, link->rig->now + link->conf.delay, arrive, p);
	serve(link);
}

static void serve(struct link *link)
{
	struct link_pkt *p = link->fq ? fq_codel_take(link->fq, link->rig->now) :
					link_queue_take(&link->fifo);

	link->busy = p;
	if (p)
		rig_call(p->node, link->rig->now + time_of(link->conf.bps, p->len), through, p);
}

/* A packet has passed its access link. */
static void enter(struct rig_node *node, void *arg)
{
	struct link_pkt *p = arg;
	struct link *link = p->link;

	p->at = link->rig->now;
	if (link->fq) {
		fq_codel_add(link->fq, p);
		link->deepest = max(link->deepest, fq_codel_packets(link->fq));
	} else if (link->fifo.packets < link->conf.limit) {
		link_queue_add(&link->fifo, p);
		link->deepest = max(link->deepest, link->fifo.packets);
	} else {
		link_drop(p);
	}
	if (!link->busy)
		serve(link);
}

void link_send(struct link *link, u32 source, u32 flow, u32 len, const void *data, u32 size,
	       struct rig_node *node, void (*come)(struct link_pkt *p, void *to), void *to)
{
	weft_ns *free_at = &link->free_at[source];
	struct link_pkt *p = malloc(sizeof(*p) + size);
	weft_ns at = link->rig->now + rig_below(link->rig, (u32)link->conf.jitter);

	if (source >= LINK_FLOWS || flow >= LINK_FLOWS)
		weft_host_die(__FILE__, __LINE__, "source %u, flow %u", source, flow);
	p->link = link;
	p->flow = flow;
	p->len = max_t(u32, len, LINK_FRAME_MIN);
	p->node = node;
	p->come = come;
	p->to = to;
	p->size = size;
	memcpy(p->data, data, size);
	p->before = &link->live;
	p->after = link->live.after;
	p->after->before = p;
	link->live.after = p;
	*free_at = max(*free_at, at) + time_of(link->conf.access_bps, p->len);
	rig_call(node, *free_at, enter, p);
}

/* ---- Life ------------------------------------------------------------------------ */

struct link *link_new(struct rig *rig, const struct link_conf *conf)
{
	struct link *link = calloc(1, sizeof(*link));

	link->rig = rig;
	link->conf = *conf;
	if (!conf->limit)
		link->fq = fq_codel_new();
	link->live.before = &link->live;
	link->live.after = &link->live;
	return link;
}

void link_free(struct link *link)
{
	while (link->live.after != &link->live)
		forget(link->live.after);
	if (link->fq)
		fq_codel_free(link->fq);
	free(link);
}
