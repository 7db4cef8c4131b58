// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - receives that name their sender do not wait for a node that is gone
 *
 * A send has a path, which finds out that its peer has died. A receive has none: it is for whatever
 * comes, and may stand in the ring without having been looked at. So the receives of connectionless
 * endpoints that name whom they receive from (WEFT_EPF_DIRECTED) are looked at each half of
 * keepalive_ns, and the nodes that they name:
 *
 *	there is a path, and it is quiet	it asks for a sign of life
 *	there is none any more			one is made, if the node has been heard of before
 *	a path has died since			the receives fail, with its errno
 *
 * A node that was never heard of may be one that is to come: receives wait for it. Which ones have
 * been is remembered when their path goes (struct weft_known), until there is another one: of as
 * many nodes as there can be paths. Each death of a path to such a node has a number; an endpoint
 * knows up to which one its receives have been told, so that one that is posted later waits for the
 * node to come back for as long as a handshake may take.
 *
 * The timer of core->local, and the death of a path, have a worker of the endpoint's context look.
 * Receives of shared contexts are not looked at: they have no completion queue to fail in.
 *
 * Locks: ep->lock for its receives and numbers; core->known_lock (a leaf) for the known nodes; the
 * lock of core->local for core->monitor_at. core->lock -> ep->lock. Paths are locked with none of
 * these held, but core->known_lock is taken inside.
 */
#include "core/api/monitor.h"

#define WEFT_MONITOR_NODES	128	/* nodes that are looked at in one go */
#define WEFT_MONITOR_SLOTS	256	/* of their table; a power of two */
#define WEFT_MONITOR_GOES		16	/* in one run of the worker */

/* ---- Nodes that have been heard of ------------------------------------------------- */

/**
 * weft_monitor_init - no node is known
 * @core: the core
 */
void weft_monitor_init(struct weft_core *core)
{
	u32 i;

	weft_lock_init(&core->known_lock, WEFT_RANK_LEAF);
	weft_list_init(&core->known_ages);
	for (i = 0; i < WEFT_CORE_HASH; i++)
		weft_list_init(&core->known[i]);
	core->monitor_at = U64_MAX;
}

static struct weft_list *weft_known_chain(struct weft_core *core, const struct weft_sockaddr *addr)
{
	return &core->known[weft_addr_hash(addr, core->key) % WEFT_CORE_HASH];
}

/* core->known_lock is held. */
static struct weft_known *weft_known_find(struct weft_core *core, const struct weft_sockaddr *addr)
{
	struct weft_list *l, *chain = weft_known_chain(core, addr);

	weft_list_for_each(l, chain) {
		struct weft_known *k = weft_entry(l, struct weft_known, node);

		if (weft_addr_same_node(&k->addr, addr))
			return k;
	}
	return NULL;
}

/* core->known_lock is held. */
static void weft_known_forget(struct weft_core *core, struct weft_known *k)
{
	weft_list_del(&k->node);
	weft_list_del(&k->age);
	WRITE_ONCE(core->nknown, core->nknown - 1);
	weft_free(k);
}

/**
 * weft_monitor_exit - forget all known nodes
 * @core: the core; it has no endpoints and no paths
 */
void weft_monitor_exit(struct weft_core *core)
{
	struct weft_list *l;

	while ((l = weft_list_first(&core->known_ages)))
		weft_known_forget(core, weft_entry(l, struct weft_known, age));
}

/**
 * weft_monitor_up - a path is up: its node needs not be remembered
 * @path: the path, locked
 */
void weft_monitor_up(const struct weft_path *path)
{
	struct weft_core *core = path->core;
	struct weft_known *k;

	weft_assert_held(&path->lock);
	if (likely(!READ_ONCE(core->nknown)))
		return;
	weft_lock(&core->known_lock);
	k = weft_known_find(core, &path->addr);
	if (k)
		weft_known_forget(core, k);
	weft_unlock(&core->known_lock);
}

/**
 * weft_monitor_bury - a path has gone
 * @path: the path, DEAD; locked
 * @heard: its node has been heard of on it
 *
 * Return: receives may have to be told of it: weft_monitor_all() is to be called.
 */
bool weft_monitor_bury(struct weft_path *path, bool heard)
{
	struct weft_core *core = path->core;
	struct weft_known *k;
	bool dead = false;

	weft_assert_held(&path->lock);
	if (path->group || READ_ONCE(core->stopped))
		return false;
	weft_lock(&core->known_lock);
	k = weft_known_find(core, &path->addr);
	if (!k && heard) {
		k = path->known;
		path->known = NULL;
		k->addr = path->addr;
		weft_list_add_tail(weft_known_chain(core, &k->addr), &k->node);
		weft_list_add_tail(&core->known_ages, &k->age);
		WRITE_ONCE(core->nknown, core->nknown + 1);
	}
	if (k) {
		k->err = path->unused ? 0 : path->failing;
		dead = k->err;
		if (dead) {
			k->no = core->deaths + 1;
			WRITE_ONCE(core->deaths, k->no);
		}
	}
	if (core->nknown > core->path_slots)
		weft_known_forget(core, weft_entry(weft_list_first(&core->known_ages),
						   struct weft_known, age));
	weft_unlock(&core->known_lock);
	return dead;
}

/* ---- Who is looked at, and when ------------------------------------------------------ */

/* Has it receives, in the ring or posted? */
static bool weft_monitor_has(const struct weft_ep *ep)
{
	return ep->match.nposts || READ_ONCE(ep->conf.doorbell->rq_tail) != ep->rq.cons;
}

/* Return: an endpoint is watched; then a worker looks at it, if it has receives. */
static bool weft_monitor_one(struct weft_ep *ep, struct weft_out *out)
{
	bool monitored;

	weft_lock(&ep->lock);
	monitored = ep->monitored && ep->state != WEFT_EPS_DEAD && ep->state != WEFT_EPS_ERROR;
	if (monitored && !weft_monitor_has(ep)) {
		/* what is posted from now on has not been there */
		WRITE_ONCE(ep->monitor_no, READ_ONCE(ep->core->deaths));
	} else if (monitored && !ep->monitor_work.queued) {
		ep->monitor_work.queued = true;
		weft_ep_get(ep);
		weft_list_add_tail(&out->deferred, &ep->monitor_work.node);
	}
	weft_unlock(&ep->lock);
	return monitored;
}

/**
 * weft_monitor_all - have workers look at all endpoints that are watched
 * @core: the core, not locked, nor anything of it
 * @out: output
 *
 * Return: there are some.
 */
bool weft_monitor_all(struct weft_core *core, struct weft_out *out)
{
	struct weft_list *l;
	bool any = false;

	weft_lock(&core->lock);
	weft_list_for_each(l, &core->eps) {
		struct weft_ep *ep = weft_entry(l, struct weft_ep, node);

		if (READ_ONCE(ep->monitored))
			any |= weft_monitor_one(ep, out);
	}
	weft_unlock(&core->lock);
	return any;
}

static weft_ns weft_monitor_period(const struct weft_core *core)
{
	return READ_ONCE(core->conf.keepalive_ns) / 2;
}

/* Look at @at, or before. */
static void weft_monitor_arm(struct weft_core *core, weft_ns at)
{
	weft_lock(&core->local->lock);
	core->monitor_at = min(core->monitor_at, at);
	weft_path_deadline(core->local, core->monitor_at);
	weft_unlock(&core->local->lock);
}

/**
 * weft_monitor_begin - an endpoint is enabled
 * @ep: the endpoint, not locked
 */
void weft_monitor_begin(struct weft_ep *ep)
{
	struct weft_core *core = ep->core;

	if (ep->conf.type != WEFT_EP_RDM || !(ep->conf.flags & WEFT_EPF_DIRECTED) || ep->srq)
		return;
	weft_lock(&ep->lock);
	ep->monitor_no = READ_ONCE(core->deaths);
	WRITE_ONCE(ep->monitored, true);
	weft_unlock(&ep->lock);
	/* at once: the time is not known here */
	weft_monitor_arm(core, 0);
}

/**
 * weft_monitor_due - have workers look at who is watched, when it is time for that
 * @core: the core
 * @out: output
 *
 * Context: the timer of core->local, which is not locked.
 */
void weft_monitor_due(struct weft_core *core, struct weft_out *out)
{
	bool due;

	weft_lock(&core->local->lock);
	due = core->monitor_at <= out->now;
	if (due)
		core->monitor_at = U64_MAX;
	else if (core->monitor_at != U64_MAX)
		weft_path_deadline(core->local, core->monitor_at);
	weft_unlock(&core->local->lock);
	if (due && weft_monitor_all(core, out))
		weft_monitor_arm(core, out->now + weft_monitor_period(core));
}

/* ---- A look ------------------------------------------------------------------------ */

/**
 * struct weft_monitor - what is looked at in one go
 * @n: nodes
 * @node: the nodes; service 0
 * @slot: table of them: 1 + index, 0: free
 */
struct weft_monitor {
	u32 n;
	struct weft_sockaddr node[WEFT_MONITOR_NODES];
	u8 slot[WEFT_MONITOR_SLOTS];
};

/* Return: false: no room for one more. */
static bool weft_monitor_add(struct weft_monitor *w, const struct weft_core *core,
			     const struct weft_sockaddr *addr)
{
	u32 i = weft_addr_hash(addr, core->key) % WEFT_MONITOR_SLOTS;

	for (; w->slot[i]; i = (i + 1) % WEFT_MONITOR_SLOTS)
		if (weft_addr_same_node(&w->node[w->slot[i] - 1], addr))
			return true;
	if (w->n == WEFT_MONITOR_NODES)
		return false;
	w->node[w->n] = *addr;
	w->node[w->n].port = 0;
	w->slot[i] = ++w->n;
	return true;
}

/* The node that a receive names, NULL: none, or it is not in the vector any more. ep->lock. */
static const struct weft_sockaddr *weft_monitor_named(const struct weft_ep *ep,
						      const struct weft_mpost *p)
{
	const struct weft_av_entry *e;

	if (p->src == WEFT_SRC_ANY || !ep->av)
		return NULL;
	e = weft_av_get(ep->av, p->src);
	return e ? &e->addr : NULL;
}

/*
 * Gather nodes that receives name, from the receive number *@from on. Return: there are more, from
 * *@from on.
 */
static bool weft_monitor_gather(struct weft_ep *ep, struct weft_monitor *w, u64 *from)
{
	struct weft_mpost *p = NULL;
	bool more = false;

	memset(w, 0, sizeof(*w));
	weft_lock(&ep->lock);
	while (!more && (p = weft_match_post_next(&ep->match, p))) {
		const struct weft_sockaddr *addr = weft_monitor_named(ep, p);

		if (!addr || p->seq < *from || weft_core_own(ep->core, addr))
			continue;
		more = !weft_monitor_add(w, ep->core, addr);
		if (more)
			*from = p->seq;
	}
	weft_unlock(&ep->lock);
	return more;
}

/* Fail the receives that name a node, as many as there can be. */
static void weft_monitor_fail(struct weft_ep *ep, const struct weft_sockaddr *node, int err,
			      struct weft_out *out)
{
	struct weft_mpost *p, *next;
	struct weft_list gone, *l;
	u32 n = 0, was;

	weft_list_init(&gone);
	do {
		was = n;
		weft_lock(&ep->lock);
		for (p = weft_match_post_next(&ep->match, NULL); p && n - was < 64; p = next) {
			const struct weft_sockaddr *addr = weft_monitor_named(ep, p);

			next = weft_match_post_next(&ep->match, p);
			if (!addr || !weft_addr_same_node(addr, node))
				continue;
			weft_match_post_del(&ep->match, p);
			weft_list_add_tail(&gone, &container_of(p, struct weft_post, match)->node);
			n++;
		}
		/* each makes room for others, which may be posted at once */
		while ((l = weft_list_first(&gone))) {
			weft_list_del(l);
			weft_recv_fail(ep, weft_entry(l, struct weft_post, node), err, out);
		}
		if (n != was && ep->multi_wait)
			weft_multi_retry(ep, out);
		weft_unlock(&ep->lock);
		weft_flush(out);
	} while (n - was == 64 && n < ep->conf.rq_slots);
}

/* There is a path: it is seen to that it is. Return: false: there is none. */
static bool weft_monitor_path(struct weft_core *core, const struct weft_sockaddr *node,
			      struct weft_out *out)
{
	struct weft_path *path;

	weft_lock(&core->lock);
	path = weft_path_lookup(core, node);
	if (path)
		weft_path_get(path);
	weft_unlock(&core->lock);
	if (!path)
		return false;
	weft_lock(&path->lock);
	if (path->state == WEFT_PATHS_UP && !path->failing) {
		weft_path_ask(path, weft_monitor_period(core), out);
		weft_path_output(path, out);
	}
	weft_unlock(&path->lock);
	weft_path_put(path);
	return true;
}

/*
 * Look at a node that receives name. One that has died since death @no is for the next look, which
 * is due: it would tell of it once more who has been told now and has posted the next receive.
 */
static void weft_monitor_node(struct weft_ep *ep, const struct weft_sockaddr *node, u32 no,
			      struct weft_out *out)
{
	struct weft_core *core = ep->core;
	const struct weft_known *k;
	struct weft_path *path;
	bool later = false;
	int err = 0;

	weft_lock(&core->known_lock);
	k = weft_known_find(core, node);
	if (k && k->err && (s32)(k->no - READ_ONCE(ep->monitor_no)) > 0) {
		later = (s32)(k->no - no) > 0;
		err = k->err;
	}
	weft_unlock(&core->known_lock);
	if (later)
		return;
	if (!err && !weft_monitor_path(core, node, out) && k) {
		path = weft_path_find(core, node, out);
		if (!IS_ERR(path))
			weft_path_put(path);
		else if (PTR_ERR(path) == -ENETUNREACH || PTR_ERR(path) == -EHOSTUNREACH)
			err = EHOSTUNREACH;
	}
	if (err)
		weft_monitor_fail(ep, node, err, out);
}

/**
 * weft_monitor_work - a worker looks at an endpoint that is watched
 * @ep: the endpoint, of a queued ep->monitor_work
 * @out: output
 *
 * Sleeps.
 */
void weft_monitor_work(struct weft_ep *ep, struct weft_out *out)
{
	struct weft_monitor *w = weft_alloc_sleep(sizeof(*w));
	u32 i, no, goes = 0;
	bool more = true;

	weft_lock(&ep->lock);
	ep->monitor_work.queued = false;
	no = READ_ONCE(ep->core->deaths);
	/* nobody has had a reason yet to look at what is in the ring */
	weft_recv_drain(ep, out);
	weft_unlock(&ep->lock);
	while (w && more && goes++ < WEFT_MONITOR_GOES) {
		more = weft_monitor_gather(ep, w, &ep->monitor_from);
		for (i = 0; i < w->n; i++) {
			weft_monitor_node(ep, &w->node[i], no, out);
			weft_flush(out);
		}
		if (more)
			weft_yield();
	}
	weft_free(w);
	if (more)
		return;
	/* else what is left is looked at the next time, and has not been told until then */
	ep->monitor_from = 0;
	weft_lock(&ep->lock);
	WRITE_ONCE(ep->monitor_no, no);
	weft_unlock(&ep->lock);
}
