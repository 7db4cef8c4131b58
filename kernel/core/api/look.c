// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - what waits on an endpoint, for the administrator: posted receives, and messages that
 * no receive has taken
 *
 * A call copies some of the objects, oldest first, and reports where the next call continues: at a
 * sequence number of the endpoint's matching. So each object appears once at most, and an object
 * that waits during all calls appears.
 *
 * Locks: ep->lock, or srq->lock for shared receives, is taken for WEFT_LOOK_STEPS objects at a
 * time. The matching remembers where the last search has stopped (weft_match_look_post()). So the
 * calls of a dump pass each object about once. Two dumps of one endpoint at a time would pass more.
 */
#include "core/api/internal.h"

/**
 * weft_look_addr - an entry of an address vector
 * @av: the vector, or NULL
 * @index: its index, or WEFT_SRC_ANY
 * @addr: out: its address, family 0: there is none
 */
void weft_look_addr(struct weft_av *av, u32 index, struct weft_sockaddr *addr)
{
	struct weft_av_entry *e = NULL;

	memset(addr, 0, sizeof(*addr));
	weft_rcu_lock();
	if (av && index != WEFT_SRC_ANY)
		e = weft_av_get(av, index);
	if (e)
		*addr = e->addr;
	weft_rcu_unlock();
}

static void weft_look_post(const struct weft_post *post, struct weft_av *av, weft_ns now,
			   struct weft_recv_info *info)
{
	*info = (struct weft_recv_info){
		.pos = post->match.seq,
		.context = post->context,
		.tag = post->match.tag,
		.ignore = post->match.ignore,
		.buf = post->vec.n ? post->vec.seg[0].addr : 0,
		.len = post->vec.len,
		.age = weft_since(now, post->at),
		.tagged = post->match.kind == WEFT_TAGGED,
		.directed = post->match.src != WEFT_SRC_ANY,
		.found = post->flags & WEFT_POST_FOUND,
	};
	weft_look_addr(av, post->match.src, &info->from);
}

/* Receives in @m, which @lock protects, with addresses of @av. */
static u32 weft_look_posts(struct weft_match *m, struct weft_lock *lock, struct weft_av *av,
			   weft_ns now, u64 *next, struct weft_recv_info *info, u32 n)
{
	struct weft_mpost *p;
	u32 found = 0, steps;

	do {
		steps = WEFT_LOOK_STEPS;
		weft_lock(lock);
		p = weft_match_look_post(m, *next, &steps);
		for (; p && steps && found < n; steps--) {
			weft_look_post(container_of(p, struct weft_post, match), av, now,
				       &info[found++]);
			*next = p->seq + 1;
			p = weft_match_post_next(m, p);
		}
		weft_unlock(lock);
		weft_yield();
	} while (found < n && !steps);
	return found;
}

/**
 * weft_look_found - mark receives that a look has read from a ring
 * @m: matching, which @lock protects
 * @lock: not held
 * @next: posting order of the first one
 *
 * Context: may sleep.
 */
static void weft_look_found(struct weft_match *m, struct weft_lock *lock, u64 next)
{
	struct weft_mpost *p;
	u32 steps;

	do {
		steps = WEFT_LOOK_STEPS;
		weft_lock(lock);
		p = weft_match_look_post(m, next, &steps);
		for (; p && steps; steps--) {
			container_of(p, struct weft_post, match)->flags |= WEFT_POST_FOUND;
			next = p->seq + 1;
			p = weft_match_post_next(m, p);
		}
		weft_unlock(lock);
		weft_yield();
	} while (!steps);
}

/* Return: posting order of the next receive in @m, which @lock protects. */
static u64 weft_look_next(const struct weft_match *m, struct weft_lock *lock)
{
	u64 next;

	weft_lock(lock);
	next = m->seq;
	weft_unlock(lock);
	return next;
}

/**
 * weft_ep_find_recvs - read the receive ring of an endpoint, before weft_ep_recvs()
 * @ep: the endpoint
 * @now: time
 * @out: output; flushed
 *
 * A program need not notify receives. How long those that are read now have waited is not known.
 *
 * Context: may sleep.
 */
void weft_ep_find_recvs(struct weft_ep *ep, weft_ns now, struct weft_out *out)
{
	u64 next = weft_look_next(&ep->rx.match, &ep->lock);

	weft_ep_notify(ep, WEFT_NOTIFY_RQ, now, out);
	weft_look_found(&ep->rx.match, &ep->lock, next);
}

/**
 * weft_srq_find_recvs - the same for the ring of a shared receive queue
 * @srq: the queue
 * @now: time
 * @out: output; flushed
 *
 * Context: may sleep.
 */
void weft_srq_find_recvs(struct weft_srq *srq, weft_ns now, struct weft_out *out)
{
	u64 next = weft_look_next(&srq->match, &srq->lock);

	weft_srq_notify(srq, now, out);
	weft_look_found(&srq->match, &srq->lock, next);
}

/**
 * weft_ep_recvs - report posted receives of an endpoint
 * @ep: the endpoint
 * @now: time
 * @next: where to begin, 0: at the oldest; out: where the next call continues
 * @info: out
 * @n: size of @info
 *
 * Shared receives are those of their queue: weft_srq_recvs().
 *
 * Context: may sleep.
 * Return: number of receives reported; fewer than @n: there are no more.
 */
u32 weft_ep_recvs(struct weft_ep *ep, weft_ns now, u64 *next, struct weft_recv_info *info, u32 n)
{
	return weft_look_posts(&ep->rx.match, &ep->lock, READ_ONCE(ep->av), now, next, info, n);
}

/**
 * weft_srq_recvs - report the receives of a shared queue that endpoints may take
 * @srq: the queue
 * @now: time
 * @next: as in weft_ep_recvs()
 * @info: out
 * @n: size of @info
 *
 * Context: may sleep.
 * Return: as weft_ep_recvs().
 */
u32 weft_srq_recvs(struct weft_srq *srq, weft_ns now, u64 *next, struct weft_recv_info *info,
		   u32 n)
{
	return weft_look_posts(&srq->match, &srq->lock, READ_ONCE(srq->av), now, next, info, n);
}

/* in a position of messages: it is among the tagged ones */
#define WEFT_LOOK_KIND	BIT_ULL(63)

static void weft_look_msg(const struct weft_rxm *rxm, weft_ns now, struct weft_msg_info *info)
{
	*info = (struct weft_msg_info){
		.pos = rxm->rx.match.seq |
		       (rxm->rx.match.kind == WEFT_TAGGED ? WEFT_LOOK_KIND : 0),
		.from = rxm->from,
		.tag = rxm->tag,
		.len = rxm->len,
		/* of an announced message no byte comes before it has its receive */
		.came = data_race(rxm->whole) ? rxm->len : data_race(rxm->got),
		.age = weft_since(now, rxm->rx.at),
		.tagged = rxm->rx.match.kind == WEFT_TAGGED,
		.announced = rxm->sid,
	};
	info->from.port = cpu_to_be16(rxm->id.ssvc);
}

/**
 * weft_ep_msgs - report messages that wait for a receive of an endpoint
 * @ep: the endpoint
 * @now: time
 * @next: where to begin, 0: at the oldest untagged one, tagged ones follow; out: where the next
 *	call continues
 * @info: out
 * @n: size of @info
 *
 * Context: may sleep.
 * Return: number of messages reported; fewer than @n: there are no more.
 */
u32 weft_ep_msgs(struct weft_ep *ep, weft_ns now, u64 *next, struct weft_msg_info *info, u32 n)
{
	u8 kind = *next & WEFT_LOOK_KIND ? WEFT_TAGGED : WEFT_UNTAGGED;
	u64 from = *next & ~WEFT_LOOK_KIND;
	struct weft_match *m = &ep->rx.match;
	struct weft_munexp *u;
	u32 found = 0, steps;

	for (;;) {
		steps = WEFT_LOOK_STEPS;
		weft_lock(&ep->lock);
		u = weft_match_look_unexp(m, kind, from, &steps);
		for (; u && steps && found < n; steps--) {
			weft_look_msg(container_of(u, struct weft_rxm, rx.match), now,
				      &info[found++]);
			from = u->seq + 1;
			u = weft_match_unexp_next(m, kind, u);
		}
		weft_unlock(&ep->lock);
		weft_yield();
		if (found == n || (steps && kind == WEFT_TAGGED))
			break;
		if (steps) {
			kind = WEFT_TAGGED;
			from = 0;
		}
	}
	*next = from | (kind == WEFT_TAGGED ? WEFT_LOOK_KIND : 0);
	return found;
}
