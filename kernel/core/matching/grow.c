// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - memory of the receiving side of an endpoint that grows with its use
 *
 * An endpoint begins with one block of receives and with small tables of matching. It gets more
 * when entries of its ring find no free receive, or when the chains of a table are long. All of it
 * is allocated in process context. A softirq uses what exists. When that is used up, the entries
 * stay in the ring, and a message that finds no receive waits as an unexpected one.
 *
 *	content --no free receive, long chains: a worker is queued--> hungry
 *	(hungry) --the worker, or the program's own call, has allocated--> content
 *		 --no memory, or the user is at the limit "memory-user"--> starved
 *	(starved) --the timer of weft_core_retry()--> hungry
 *
 * While an endpoint is starved, it works with the receives that it has: at least one block. Each
 * receive that becomes free takes the next entry of the ring.
 *
 * Locks: ep->lock protects receives and tables. Memory is allocated without it.
 */
#include "core/matching/matching.h"

/**
 * weft_recv_later - have a worker continue the receive ring
 * @ep: the endpoint, locked
 * @out: output
 */
void weft_recv_later(struct weft_ep *ep, struct weft_out *out)
{
	weft_assert_held(&ep->lock);
	if (ep->rx.work.queued)
		return;
	ep->rx.work.queued = true;
	weft_ep_get(ep);
	weft_list_add_tail(&out->deferred, &ep->rx.work.node);
}

/**
 * weft_grow_ask - have a worker allocate receives or a larger table
 * @ep: the endpoint, locked
 * @out: output
 */
void weft_grow_ask(struct weft_ep *ep, struct weft_out *out)
{
	weft_assert_held(&ep->lock);
	WRITE_ONCE(ep->rx.hungry, true);
	if (!ep->rx.starved)
		weft_recv_later(ep, out);
}

/**
 * weft_grow_tables - have a worker allocate a larger table, if there can be one
 * @ep: the endpoint, locked; weft_match_full()
 * @out: output
 */
void weft_grow_tables(struct weft_ep *ep, struct weft_out *out)
{
	struct weft_mgrow table;

	weft_assert_held(&ep->lock);
	if (!ep->rx.hungry && weft_match_crowded(&ep->rx.match, &table))
		weft_grow_ask(ep, out);
}

/* Return: number of receives that an endpoint needs now. The endpoint is locked. */
static u32 weft_grow_posts_wanted(const struct weft_ep *ep)
{
	weft_assert_held(&ep->lock);
	if (!weft_list_empty(&ep->rx.post_free) || ep->rx.nposts >= ep->conf.rq_slots)
		return 0;
	return min(ep->conf.rq_slots - ep->rx.nposts, WEFT_POSTS);
}

/* Add @n receives to the free ones. Return: 0, -ENOMEM, -ENOSPC. */
static int weft_grow_posts(struct weft_ep *ep, u32 n)
{
	struct weft_posts *posts;
	bool use;
	int err = weft_ep_memory(ep, struct_size(posts, post, n), &posts);

	if (err)
		return err;
	weft_posts_init(posts, n, ep, NULL);
	weft_lock(&ep->lock);
	/* another thread may have added some meanwhile */
	use = ep->state != WEFT_EPS_DEAD && weft_grow_posts_wanted(ep) >= n;
	if (use) {
		weft_posts_add(&ep->rx.posts, posts, &ep->rx.post_free);
		ep->rx.nposts += n;
	}
	weft_unlock(&ep->lock);
	if (!use) {
		weft_ep_uncount(ep, struct_size(posts, post, n));
		weft_free(posts);
	}
	return 0;
}

/* Replace a table by a larger one. Return: 0, -ENOMEM, -ENOSPC. */
static int weft_grow_table(struct weft_ep *ep, const struct weft_mgrow *want)
{
	struct weft_list *chains, *old;
	int err = weft_ep_count(ep, want->more);

	if (err)
		return err;
	chains = weft_alloc_sleep_for(ep->conf.mc, sizeof(*chains) << want->bits);
	if (!chains) {
		weft_ep_uncount(ep, want->more);
		return -ENOMEM;
	}
	weft_lock(&ep->lock);
	old = weft_match_grow(&ep->rx.match, want, chains);
	weft_unlock(&ep->lock);
	if (old == chains)
		weft_ep_uncount(ep, want->more);
	weft_free(old);
	return 0;
}

/* Replace all tables that are crowded. Return: 0, -ENOMEM, -ENOSPC. */
static int weft_grow_crowded(struct weft_ep *ep)
{
	struct weft_mgrow table;
	bool crowded;
	int err = 0;

	/* each step makes a table larger, up to its bound */
	while (!err) {
		weft_lock(&ep->lock);
		crowded = weft_match_crowded(&ep->rx.match, &table);
		weft_unlock(&ep->lock);
		if (!crowded)
			break;
		err = weft_grow_table(ep, &table);
	}
	return err;
}

/**
 * weft_grow - allocate what an endpoint needs
 * @ep: the endpoint, not locked
 * @out: output
 *
 * Context: may sleep.
 * Return: true; false: no memory, a timer tries again.
 */
bool weft_grow(struct weft_ep *ep, struct weft_out *out)
{
	int err = 0;
	u32 n;

	if (likely(!READ_ONCE(ep->rx.hungry)))
		return true;
	weft_lock(&ep->lock);
	WRITE_ONCE(ep->rx.hungry, false);
	ep->rx.starved = false;
	n = weft_grow_posts_wanted(ep);
	weft_unlock(&ep->lock);
	if (n)
		err = weft_grow_posts(ep, n);
	if (!err)
		err = weft_grow_crowded(ep);
	if (!err)
		return true;
	weft_lock(&ep->lock);
	ep->rx.starved = true;
	weft_unlock(&ep->lock);
	weft_core_retry(ep, out->now);
	return false;
}

/**
 * weft_grow_again - have a worker try again, if memory was short
 * @ep: the endpoint, locked
 * @out: output
 */
void weft_grow_again(struct weft_ep *ep, struct weft_out *out)
{
	weft_assert_held(&ep->lock);
	if (likely(!ep->rx.starved) || ep->state == WEFT_EPS_DEAD)
		return;
	ep->rx.starved = false;
	weft_grow_ask(ep, out);
}
