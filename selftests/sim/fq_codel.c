// SPDX-License-Identifier: GPL-2.0-only
/*
 * Simulator: fq_codel (RFC 8290)
 *
 * Each flow has a queue of its own, because flows have numbers here and need no hash. Queues take
 * turns by bytes (deficit round robin); a queue that was empty comes before the others once. CoDel
 * (RFC 8289) drops at the head of a queue in which packets wait too long. A full queue drops the
 * oldest packet of the flow with the most bytes. The constants are the defaults of Linux.
 */
#include <math.h>

#include "bottleneck.h"

#define QUANTUM		1514
#define LIMIT		10240	/* packets */
#define MTU		(1500 + LINK_FRAME)
#define TARGET		(5ull * NSEC_PER_MSEC)
#define INTERVAL	(100ull * NSEC_PER_MSEC)

/**
 * struct fq_flow - a flow
 * @next: the next one of its list
 * @listed: the flow is in a list
 * @q: its packets
 * @deficit: bytes that the flow may send in its turn
 * @dropping: packets are being dropped
 * @count: packets dropped in this period
 * @lastcount: @count when the period began
 * @above_at: when packets will have waited too long for an interval, 0: they do not
 * @drop_at: time of the next drop
 */
struct fq_flow {
	struct fq_flow *next;
	bool listed;
	struct link_queue q;
	s32 deficit;
	bool dropping;
	u32 count;
	u32 lastcount;
	weft_ns above_at;
	weft_ns drop_at;
};

/**
 * struct fq_list - flows in turn
 * @first: the next one
 * @last: the last one, valid while there is one
 */
struct fq_list {
	struct fq_flow *first;
	struct fq_flow *last;
};

/**
 * struct fq_codel - a queue
 * @flow: flows by number
 * @fresh: flows that were empty when their packet came
 * @old: other flows with packets
 * @packets: packets of all flows
 */
struct fq_codel {
	struct fq_flow flow[LINK_FLOWS];
	struct fq_list fresh;
	struct fq_list old;
	u32 packets;
};

static void list_add(struct fq_list *list, struct fq_flow *f)
{
	f->next = NULL;
	if (list->first)
		list->last->next = f;
	else
		list->first = f;
	list->last = f;
}

struct fq_codel *fq_codel_new(void)
{
	return calloc(1, sizeof(struct fq_codel));
}

void fq_codel_free(struct fq_codel *fq)
{
	free(fq);
}

u32 fq_codel_packets(const struct fq_codel *fq)
{
	return fq->packets;
}

static void drop_of_fattest(struct fq_codel *fq)
{
	struct fq_flow *fat = &fq->flow[0];
	u32 i;

	for (i = 1; i < LINK_FLOWS; i++)
		if (fq->flow[i].q.bytes > fat->q.bytes)
			fat = &fq->flow[i];
	link_drop(link_queue_take(&fat->q));
	fq->packets--;
}

void fq_codel_add(struct fq_codel *fq, struct link_pkt *p)
{
	struct fq_flow *f = &fq->flow[p->flow];

	link_queue_add(&f->q, p);
	fq->packets++;
	if (!f->listed) {
		f->listed = true;
		f->deficit = QUANTUM;
		list_add(&fq->fresh, f);
	}
	if (fq->packets > LIMIT)
		drop_of_fattest(fq);
}

/* ---- CoDel ----------------------------------------------------------------------- */

static weft_ns next_drop(weft_ns t, u32 count)
{
	return t + (weft_ns)(INTERVAL / sqrt(count));
}

/* Return: the oldest packet. @late: packets have waited too long for an interval. */
static struct link_pkt *take(struct fq_codel *fq, struct fq_flow *f, weft_ns now, bool *late)
{
	struct link_pkt *p = link_queue_take(&f->q);

	*late = false;
	if (!p) {
		f->above_at = 0;
		return NULL;
	}
	fq->packets--;
	if (now - p->at < TARGET || f->q.bytes <= MTU)
		f->above_at = 0;
	else if (!f->above_at)
		f->above_at = now + INTERVAL;
	else
		*late = now >= f->above_at;
	return p;
}

static struct link_pkt *codel(struct fq_codel *fq, struct fq_flow *f, weft_ns now)
{
	bool late;
	struct link_pkt *p = take(fq, f, now, &late);
	u32 since;

	if (f->dropping) {
		f->dropping = late;
		while (f->dropping && now >= f->drop_at) {
			link_drop(p);
			f->count++;
			p = take(fq, f, now, &late);
			f->dropping = late;
			f->drop_at = next_drop(f->drop_at, f->count);
		}
	} else if (late) {
		link_drop(p);
		p = take(fq, f, now, &late);
		f->dropping = true;
		since = f->count - f->lastcount;
		f->count = since > 1 && now < f->drop_at + 16 * INTERVAL ? since : 1;
		f->drop_at = next_drop(now, f->count);
		f->lastcount = f->count;
	}
	return p;
}

/* ---- Turns ----------------------------------------------------------------------- */

struct link_pkt *fq_codel_take(struct fq_codel *fq, weft_ns now)
{
	for (;;) {
		struct fq_list *list = fq->fresh.first ? &fq->fresh : &fq->old;
		struct fq_flow *f = list->first;
		struct link_pkt *p;

		if (!f)
			return NULL;
		if (f->deficit <= 0) {
			f->deficit += QUANTUM;
			list->first = f->next;
			list_add(&fq->old, f);
			continue;
		}
		p = codel(fq, f, now);
		if (p) {
			f->deficit -= p->len;
			return p;
		}
		list->first = f->next;
		/* a flow that was new waits a turn, so that it is not new again at once */
		if (list == &fq->fresh && fq->old.first)
			list_add(&fq->old, f);
		else
			f->listed = false;
	}
}
