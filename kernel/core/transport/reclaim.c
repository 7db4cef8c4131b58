// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - more remote nodes than paths
 *
 * A port has so many paths and no more (limit "paths"). When few are left, those that are not used
 * just now are pressed: they are given back after a second without a packet instead of idle_ns, and
 * the peer is told to do its part (idle.c). Which ones is looked for by a hand that goes round:
 *
 *	UP --few are left, a second without a packet--> pressed --idle.c--> LEAVING --> gone
 *
 * A send to one node more waits at the head of its ring for as long as a handshake may take, and is
 * refused (ENOSPC) after that; so are those behind it that need a new path, then, at once:
 *
 *	(ring) --no path--> waiting (ep->reclaim_at) --path--> (ring)
 *				--connect_ns--> refused
 *
 * until the ring is empty, or a send has gone.
 *
 * Whoever waits is looked at again by the timer of core->local.
 *
 * Locks: core->lock -> path->lock; core->lock -> ep->lock.
 */
#include "core/transport/transport.h"

#define WEFT_RECLAIM_LOOK	64	/* paths that are looked at each time */
#define WEFT_RECLAIM_PRESS	2	/* of them are pressed */
#define WEFT_RECLAIM_AGAIN	(20 * NSEC_PER_MSEC)

/* A path may be one that nobody needs. Return: it is pressed now, and was not before. */
static bool weft_reclaim_one(struct weft_path *path, weft_ns now)
{
	bool pressed;

	weft_lock(&path->lock);
	pressed = path->state == WEFT_PATHS_UP && !path->pressed && !path->nconn && !path->nwait &&
		  !path->flight && weft_idle_press(path, now);
	weft_unlock(&path->lock);
	return pressed;
}

/**
 * weft_reclaim_look - a path is wanted: see that there will be others
 * @core: the core, locked
 * @now: time
 */
void weft_reclaim_look(struct weft_core *core, weft_ns now)
{
	u32 max = READ_ONCE(core->conf.max_paths), i, looked = 0, n = 0;

	weft_assert_held(&core->lock);
	if (likely(core->npaths < max - max / 8))
		return;
	/* slots without a path cost nothing but to be read */
	for (i = 0; i < core->path_slots; i++) {
		struct weft_path *path = core->path_ids[core->hand++ % core->path_slots];

		if (!path)
			continue;
		n += weft_reclaim_one(path, now);
		if (++looked == WEFT_RECLAIM_LOOK || n == WEFT_RECLAIM_PRESS)
			break;
	}
}

/**
 * weft_reclaim_waits - a send has found no path
 * @ep: its endpoint; ep->sq_mutex is held
 * @out: output
 *
 * Return: it stays at the head of the ring, where it is looked at again; false: it has waited long
 * enough.
 */
bool weft_reclaim_waits(struct weft_ep *ep, struct weft_out *out)
{
	struct weft_core *core = ep->core;

	if (!ep->reclaim_at) {
		weft_count(core, limit_paths);
		WRITE_ONCE(ep->reclaim_at, out->now);
	} else if (weft_since(out->now, ep->reclaim_at) >= core->conf.connect_ns) {
		return false;
	}
	weft_lock(&core->local->lock);
	WRITE_ONCE(core->scarce, true);
	weft_path_deadline(core->local, out->now + WEFT_RECLAIM_AGAIN);
	weft_unlock(&core->local->lock);
	return true;
}

/**
 * weft_reclaim_again - have workers look at the sends that wait
 * @core: the core
 * @out: output
 *
 * Context: the timer of core->local, which is not locked.
 */
void weft_reclaim_again(struct weft_core *core, struct weft_out *out)
{
	struct weft_list *l;

	if (likely(!READ_ONCE(core->scarce)))
		return;
	weft_lock(&core->lock);
	WRITE_ONCE(core->scarce, false);
	weft_list_for_each(l, &core->eps) {
		struct weft_ep *ep = weft_entry(l, struct weft_ep, node);

		if (!READ_ONCE(ep->reclaim_at))
			continue;
		weft_lock(&ep->lock);
		weft_ep_sq_defer(ep, out);
		weft_unlock(&ep->lock);
	}
	weft_unlock(&core->lock);
}
