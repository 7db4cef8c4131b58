// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - path ids: the numbers by which a peer's packets name a path
 *
 * An id is a number of 32 bits. Its low bits choose a slot of core->path_ids; a slot holds one
 * path. Ids are taken in ascending order, so an id that was in use recently does not come back. A
 * late packet of an earlier path finds another id in the slot, and is dropped.
 *
 * core->path_used has a bit for each slot. The bits make searches cheap: for an unused id among
 * many paths, and for the next path among many unused slots.
 *
 *	unused --weft_path_id_set()--> used --weft_path_id_clear()--> unused
 *
 * Locks: core->lock protects changes. Readers are under weft_rcu_lock(), without a lock. A reader
 * may see a bit before the path or after it: the slot decides.
 */
#include "core/transport/transport.h"

/**
 * weft_path_id_new - find an unused id that was not in use recently
 * @core: the core, locked
 *
 * At most five searches: from the last id, behind the last slot, behind the last index, past id 0,
 * and then among all slots.
 *
 * Return: the id, 0: none.
 */
u32 weft_path_id_new(struct weft_core *core)
{
	u32 i, slots = core->path_slots;

	weft_assert_held(&core->lock);
	for (i = 0; i < 5; i++) {
		u32 index = core->next_path & WEFT_ID_MASK, slot = index % slots;
		u32 step = find_next_zero_bit(core->path_used, slots, slot) - slot;
		bool found = slot + step < slots && step <= WEFT_ID_MASK - index;

		/* nothing up to the last slot or index: continue at slot 0, which follows both */
		core->next_path += found ? step : min(slots - slot, WEFT_ID_MASK - index + 1);
		if (found && core->next_path)
			return core->next_path++;
		core->next_path += found;
	}
	return 0;
}

/**
 * weft_path_id_set - let packets find a path
 * @path: the path, which has an unused id; core->lock is held
 */
void weft_path_id_set(struct weft_path *path)
{
	struct weft_core *core = path->core;
	struct weft_path **slot = weft_path_slot(core, path->id);

	weft_assert_held(&core->lock);
	/* release: a reader that finds the path sees it initialized */
	smp_store_release(slot, path);
	set_bit(slot - core->path_ids, core->path_used);
}

/**
 * weft_path_id_clear - let packets no longer find a path
 * @path: the path, whose id is set; core->lock is held
 */
void weft_path_id_clear(struct weft_path *path)
{
	struct weft_core *core = path->core;
	struct weft_path **slot = weft_path_slot(core, path->id);

	weft_assert_held(&core->lock);
	WRITE_ONCE(*slot, NULL);
	clear_bit(slot - core->path_ids, core->path_used);
}

/**
 * weft_path_slot_next - find a slot in use
 * @core: the core; under core->lock or weft_rcu_lock()
 * @slot: where the search begins, at most core->path_slots
 *
 * Return: the slot, core->path_slots: none.
 */
u32 weft_path_slot_next(const struct weft_core *core, u32 slot)
{
	/* the bit is a hint, the slot decides */
	return data_race(find_next_bit(core->path_used, core->path_slots, slot));
}
