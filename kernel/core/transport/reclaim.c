// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - path reclaim: more remote nodes than paths
 *
 * A port has a limited number of paths (limit "paths"). When an eighth or less is left, unused
 * paths are pressed: they are released after a second without a packet instead of idle_ns. BYE asks
 * the peer to do the same (idle.c). A cyclic index over all slots selects the paths:
 *
 *	UP --few are left, a second without a packet--> pressed --idle.c--> LEAVING --> gone
 *
 * A send to a node without a path waits at the head of its ring, at most for the time of a
 * handshake. After that it is refused (ENOSPC). The sends behind it that need a new path are then
 * refused at once:
 *
 *	(ring) --no path--> waiting (ep->reclaim_at) --path--> (ring)
 *				--connect_ns--> refused
 *
 * This ends when the ring is empty, or when a send has found a path.
 *
 * A timer tries the waiting sends again (weft_core_retry()).
 *
 * Locks: core->lock, path->lock and ep->lock, in the order of Documentation/locking.rst; softirq
 * context.
 */
#include "core/transport/transport.h"

#define WEFT_RECLAIM_LOOK	64	/* paths examined each time */
#define WEFT_RECLAIM_PRESS	2	/* number of them that are pressed */

/* Press a path if it is unused. Return: true if it is pressed now and was not before. */
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
 * weft_reclaim_look - press unused paths before a new one is made
 * @core: the core, locked
 * @now: time
 */
void weft_reclaim_look(struct weft_core *core, weft_ns now)
{
	u32 max = READ_ONCE(core->conf.max_paths), looked = 0, n = 0, slot;
	bool again = core->hand;

	weft_assert_held(&core->lock);
	if (likely(core->npaths < max - max / 8))
		return;
	while (looked < WEFT_RECLAIM_LOOK && n < WEFT_RECLAIM_PRESS) {
		slot = weft_path_slot_next(core, core->hand);
		if (slot == core->path_slots) {
			core->hand = 0;
			if (!again)
				return;
			again = false;
			continue;
		}
		core->hand = slot + 1;
		n += weft_reclaim_one(core->path_ids[slot], now);
		looked++;
	}
}

/**
 * weft_reclaim_waits - a send has found no path: may it wait?
 * @ep: its endpoint; ep->sq_mutex is held
 * @out: output
 *
 * Return: true: the send stays at the head of the ring and is tried again; false: it has waited
 * long enough.
 */
bool weft_reclaim_waits(struct weft_ep *ep, struct weft_out *out)
{
	struct weft_core *core = ep->core;

	weft_mutex_assert_held(&ep->sq_mutex);
	if (!ep->reclaim_at) {
		weft_limit_hit(core, limit_paths, ep->user->uid);
		WRITE_ONCE(ep->reclaim_at, out->now);
	} else if (weft_since(out->now, ep->reclaim_at) >= core->conf.connect_ns) {
		return false;
	}
	weft_core_retry(ep, out->now);
	return true;
}
