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
 * time. Meanwhile others may take the object at which the search stands. Then the search begins
 * again, and passes over the objects before the number that it has reached.
 */
#include "core/api/internal.h"

/* Entry @index of an address vector, family 0: none. */
static void weft_look_addr(struct weft_av *av, u32 index, struct weft_sockaddr *addr)
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
	};
	weft_look_addr(av, post->match.src, &info->from);
}

/* Receives in @m, which @lock protects, with addresses of @av. */
static u32 weft_look_posts(struct weft_match *m, struct weft_lock *lock, struct weft_av *av,
			   weft_ns now, u64 *next, struct weft_recv_info *info, u32 n)
{
	struct weft_mpost *p = NULL;
	u32 found = 0, goes, i;
	u64 seq = 0;

	for (goes = 0; goes < WEFT_LOOK_GOES; goes++) {
		weft_lock(lock);
		/* the memory of receives stays, but this one may have been posted again */
		if (p && (!p->in || p->seq != seq))
			p = NULL;
		for (i = 0; i < WEFT_LOOK_STEPS && found < n; i++) {
			p = weft_match_post_next(m, p);
			if (!p)
				break;
			seq = p->seq;
			if (seq < *next)
				continue;
			weft_look_post(container_of(p, struct weft_post, match), av, now,
				       &info[found++]);
			*next = seq + 1;
		}
		weft_unlock(lock);
		if (!p || found == n)
			break;
		weft_yield();
	}
	return found;
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
	struct weft_rxm *rxm = NULL, *held;
	struct weft_munexp *u = NULL;
	u32 found = 0, goes, i;

	for (goes = 0; goes < WEFT_LOOK_GOES; goes++) {
		held = rxm;
		weft_lock(&ep->lock);
		if (rxm && !rxm->rx.match.in)
			u = NULL;
		rxm = NULL;
		for (i = 0; i < WEFT_LOOK_STEPS && found < n; i++) {
			u = weft_match_unexp_next(&ep->rx.match, kind, u);
			if (!u && kind == WEFT_UNTAGGED) {
				kind = WEFT_TAGGED;
				from = 0;
				continue;
			}
			if (!u)
				break;
			if (u->seq < from)
				continue;
			weft_look_msg(container_of(u, struct weft_rxm, rx.match), now,
				      &info[found++]);
			from = u->seq + 1;
		}
		/* the search continues at this message */
		if (u && found < n) {
			rxm = container_of(u, struct weft_rxm, rx.match);
			weft_rxm_get(rxm);
		}
		weft_unlock(&ep->lock);
		if (held)
			weft_rxm_put(held);
		if (!rxm && (i < WEFT_LOOK_STEPS || found == n))
			break;
		weft_yield();
	}
	if (rxm)
		weft_rxm_put(rxm);
	*next = from | (kind == WEFT_TAGGED ? WEFT_LOOK_KIND : 0);
	return found;
}
