// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - peer monitor: receives that name their sender fail when its node is gone
 *
 * A send has a path, which detects the death of its peer. A receive has no path, and may still be
 * in the ring. So the peer monitor checks the nodes of receives that name their sender
 * (connectionless endpoints with WEFT_EPF_DIRECTED), each half of keepalive_ns:
 *
 *	a path exists and is quiet		it asks for a sign of life
 *	no path exists any more			a path is made, if the node is known
 *	a path has died since			the receives fail, with its errno
 *
 * Receives wait for a node that was never seen, because it may start later. When a path ends, its
 * node is recorded (struct weft_known) until it has another path. As many nodes are recorded as
 * there can be paths. Each death of a path to such a node has a number. An endpoint stores the
 * number up to which its receives have failed. So a receive posted later waits for the node to
 * return, for the time of a handshake.
 *
 * The timer of core->local schedules workers of the contexts, for a few endpoints in one call. A
 * pass over all endpoints begins with each half of keepalive_ns, and with the death of a path.
 * Receives of shared queues are not monitored: they have no completion queue in which to fail.
 *
 * Locks: ep->lock protects the receives and numbers of an endpoint, core->lock the list of
 * monitored endpoints, core->known_lock the known nodes, the lock of core->local core->monitor_at.
 * None of them is held when a path is locked; core->known_lock is taken inside. See
 * Documentation/locking.rst.
 */
#include "core/api/monitor.h"

#define WEFT_MONITOR_NODES	128	/* nodes checked in one pass */
#define WEFT_MONITOR_SLOTS	256	/* size of their table; a power of two */
#define WEFT_MONITOR_GOES		16	/* passes in one run of the worker */
#define WEFT_KNOWN_CHAIN	4	/* known nodes of a list, on average, when all are there */

/* ---- Known nodes ------------------------------------------------------------------- */

/**
 * weft_monitor_init - initialize the peer monitor
 * @core: the core; core->path_slots is set
 *
 * The table has its full size from the beginning: recording a node must not fail, as receives wait
 * for the news of its death.
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM.
 */
int weft_monitor_init(struct weft_core *core)
{
	u32 n = (u32)roundup_pow_of_two(DIV_ROUND_UP(core->path_slots, WEFT_KNOWN_CHAIN));

	weft_lock_init(&core->known_lock, WEFT_RANK_LEAF);
	weft_list_init(&core->known_ages);
	core->monitor_at = U64_MAX;
	core->known_lists = n;
	core->known = weft_alloc_sleep(n * sizeof(*core->known));
	if (!core->known)
		return -ENOMEM;
	weft_lists_init(core->known, n);
	return 0;
}

static struct weft_list *weft_known_chain(struct weft_core *core, const struct weft_sockaddr *addr)
{
	return &core->known[weft_addr_hash(addr, core->key) & (core->known_lists - 1)];
}

/* Find a known node. core->known_lock is held. */
static struct weft_known *weft_known_find(struct weft_core *core, const struct weft_sockaddr *addr)
{
	struct weft_list *l, *chain = weft_known_chain(core, addr);

	weft_assert_held(&core->known_lock);
	weft_list_for_each(l, chain) {
		struct weft_known *k = weft_entry(l, struct weft_known, node);

		if (weft_addr_same_node(&k->addr, addr))
			return k;
	}
	return NULL;
}

/* Forget a known node. core->known_lock is held. */
static void weft_known_forget(struct weft_core *core, struct weft_known *k)
{
	weft_assert_held(&core->known_lock);
	weft_list_del(&k->node);
	weft_list_del(&k->age);
	WRITE_ONCE(core->nknown, core->nknown - 1);
	weft_free(k);
}

/**
 * weft_monitor_exit - forget all known nodes, and free the table
 * @core: the core; it has no endpoints and no paths
 */
void weft_monitor_exit(struct weft_core *core)
{
	struct weft_list *l;

	weft_lock(&core->known_lock);
	while ((l = weft_list_first(&core->known_ages)))
		weft_known_forget(core, weft_entry(l, struct weft_known, age));
	weft_unlock(&core->known_lock);
	weft_free(core->known);
}

/**
 * weft_monitor_up - forget a known node, because its path is up
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
	k = weft_known_find(core, &path->node.addr);
	if (k)
		weft_known_forget(core, k);
	weft_unlock(&core->known_lock);
}

/**
 * weft_monitor_bury - record the node of a path that has died
 * @path: the path, DEAD; locked
 * @heard: packets of the peer have come on this path
 *
 * Return: true if receives may have to fail: the caller calls weft_monitor_all().
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
	k = weft_known_find(core, &path->node.addr);
	if (!k && heard) {
		k = path->known;
		path->known = NULL;
		k->addr = path->node.addr;
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

/* ---- Monitored endpoints ------------------------------------------------------------- */

/* Return: true if the endpoint has receives, posted or in the ring. */
static bool weft_monitor_has(const struct weft_ep *ep)
{
	return ep->rx.match.nposts || READ_ONCE(ep->conf.doorbell->rq_tail) != ep->rx.ring.cons;
}

/* Have a worker check a monitored endpoint with receives. */
static void weft_monitor_one(struct weft_ep *ep, struct weft_out *out)
{
	weft_lock(&ep->lock);
	if (ep->state == WEFT_EPS_DEAD || ep->state == WEFT_EPS_ERROR) {
		/* its receives have ended */
	} else if (!weft_monitor_has(ep)) {
		/* receives posted later concern only later deaths */
		WRITE_ONCE(ep->mon.no, READ_ONCE(ep->core->deaths));
	} else if (!ep->mon.work.queued) {
		ep->mon.work.queued = true;
		weft_ep_get(ep);
		weft_list_add_tail(&out->deferred, &ep->mon.work.node);
	}
	weft_unlock(&ep->lock);
}

/*
 * Have workers check the next monitored endpoints. Return: true if there are more in this pass;
 * false: the pass is complete. @any: out: there are monitored endpoints.
 */
static bool weft_monitor_some(struct weft_core *core, bool *any, struct weft_out *out)
{
	struct weft_list *l;
	bool more = false;
	u32 n;

	weft_lock(&core->lock);
	*any = !weft_list_empty(&core->monitored);
	for (n = 0; (l = weft_list_first(&core->monitored)); n++) {
		struct weft_ep *ep = weft_entry(l, struct weft_ep, mon.node);

		more = ep->mon.pass != core->monitor_pass;
		if (!more || n == WEFT_PATH_BATCH)
			break;
		ep->mon.pass = core->monitor_pass;
		weft_list_del(l);
		weft_list_add_tail(&core->monitored, l);
		weft_monitor_one(ep, out);
	}
	if (!more)
		core->monitor_pass++;
	weft_unlock(&core->lock);
	return more;
}

static weft_ns weft_monitor_period(const struct weft_core *core)
{
	return READ_ONCE(core->conf.keepalive_ns) / 2;
}

/**
 * weft_monitor_all - have all monitored endpoints checked, because a path has died
 * @core: the core; no lock is held
 * @now: time
 */
void weft_monitor_all(struct weft_core *core, weft_ns now)
{
	bool any;

	weft_lock(&core->lock);
	any = !weft_list_empty(&core->monitored);
	core->monitor_pass++;
	weft_unlock(&core->lock);
	if (any)
		weft_core_at(core, &core->monitor_at, now);
}

/**
 * weft_monitor_begin - monitor an endpoint that has been enabled
 * @ep: the endpoint, not locked
 */
void weft_monitor_begin(struct weft_ep *ep)
{
	struct weft_core *core = ep->core;

	if (ep->conf.type != WEFT_EP_RDM || !(ep->conf.flags & WEFT_EPF_DIRECTED) || ep->rx.srq)
		return;
	weft_lock(&core->lock);
	WRITE_ONCE(ep->mon.no, READ_ONCE(core->deaths));
	ep->mon.pass = core->monitor_pass - 1;
	weft_list_add(&core->monitored, &ep->mon.node);
	weft_unlock(&core->lock);
	/* at once, because the time is not known here */
	weft_core_at(core, &core->monitor_at, 0);
}

/**
 * weft_monitor_due - have workers check the next monitored endpoints, if it is due
 * @core: the core
 * @out: output
 *
 * Context: the timer of core->local, which is not locked.
 */
void weft_monitor_due(struct weft_core *core, struct weft_out *out)
{
	bool any;

	if (!weft_core_due(core, &core->monitor_at, out->now))
		return;
	if (weft_monitor_some(core, &any, out))
		weft_core_at(core, &core->monitor_at, out->now + WEFT_PATH_GAP);
	else if (any)
		weft_core_at(core, &core->monitor_at, out->now + weft_monitor_period(core));
}

/* ---- Check of an endpoint ---------------------------------------------------------- */

/**
 * struct weft_monitor - nodes checked in one pass
 * @n: number of nodes
 * @node: the nodes; service 0
 * @slot: hash table of their indices: 1 + index, 0: free
 */
struct weft_monitor {
	u32 n;
	struct weft_sockaddr node[WEFT_MONITOR_NODES];
	u8 slot[WEFT_MONITOR_SLOTS];
};

/* Return: true; false: no space for another node. */
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

/* Return: the node that a receive names; NULL: none, or no longer in the vector. ep->lock. */
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
 * Gather the nodes that receives name, from receive number *@from on. Return: true if there are
 * more, from *@from on.
 */
static bool weft_monitor_gather(struct weft_ep *ep, struct weft_monitor *w, u64 *from)
{
	struct weft_mpost *p = NULL;
	bool more = false;

	memset(w, 0, sizeof(*w));
	weft_lock(&ep->lock);
	while (!more && (p = weft_match_post_next(&ep->rx.match, p))) {
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

/* Fail the receives that name a node, at most as many as the ring has slots. */
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
		for (p = weft_match_post_next(&ep->rx.match, NULL); p && n - was < 64; p = next) {
			const struct weft_sockaddr *addr = weft_monitor_named(ep, p);

			next = weft_match_post_next(&ep->rx.match, p);
			if (!addr || !weft_addr_same_node(addr, node))
				continue;
			weft_match_post_del(&ep->rx.match, p);
			weft_list_add_tail(&gone, &container_of(p, struct weft_post, match)->node);
			n++;
		}
		/* each frees a receive for one from the ring, which may be posted at once */
		while ((l = weft_list_first(&gone))) {
			weft_list_del(l);
			weft_recv_fail(ep, weft_entry(l, struct weft_post, node), err, out);
		}
		if (n != was && ep->rx.multi_wait)
			weft_multi_retry(ep, out);
		weft_unlock(&ep->lock);
		weft_flush(out);
	} while (n - was == 64 && n < ep->conf.rq_slots);
}

/* Ask an existing path for a sign of life. Return: false if there is no path. */
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
 * Check a node that receives name. A death later than number @no is left for the next check, which
 * is due. Otherwise a program would see that death twice: now, and at the receive that it posts
 * next.
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
	if (k && k->err && (s32)(k->no - READ_ONCE(ep->mon.no)) > 0) {
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
 * weft_monitor_work - check a monitored endpoint
 * @ep: the endpoint, of a queued ep->mon.work
 * @out: output
 *
 * Context: process context, may sleep.
 */
void weft_monitor_work(struct weft_ep *ep, struct weft_out *out)
{
	struct weft_monitor *w = weft_alloc_sleep(sizeof(*w));
	u32 i, no, goes = 0;
	bool more = true;

	weft_lock(&ep->lock);
	ep->mon.work.queued = false;
	no = READ_ONCE(ep->core->deaths);
	/* apply the ring: entries may not have been read yet */
	weft_recv_drain(ep, out);
	weft_unlock(&ep->lock);
	while (w && more && goes++ < WEFT_MONITOR_GOES) {
		more = weft_monitor_gather(ep, w, &ep->mon.from);
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
	/* otherwise the next run checks the rest, and monitor_no does not change before */
	ep->mon.from = 0;
	weft_lock(&ep->lock);
	WRITE_ONCE(ep->mon.no, no);
	weft_unlock(&ep->lock);
}
