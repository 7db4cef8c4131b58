// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft - memory of programs: handling of changes to an address space
 *
 * One subscription per context. Page tables of a range change between invalidate_range_start and
 * _end:
 *
 *	munmap, mremap	the range is gone: drop its pins, so that no lookup finds them
 *	anything else	fork, NUMA balancing, mprotect, madvise, splitting of huge pages:
 *			mostly the pages stay the same: mark the pins suspect, and compare
 *			them at the next use
 *
 * A window keeps its pins until it is put. Data for memory that is gone are lost.
 *
 * A range that is being pinned meanwhile is marked in the same way through struct weft_making. It
 * joins the list before its page tables are read. If it joins after an invalidation's start, it
 * finds the invalidation in mc->inv_*.
 *
 * mc->lock protects all of this; it is taken under any of mm's locks. The functions neither wait
 * nor allocate, so the OOM killer's non-blockable calls need no special case.
 */
#include "mem_priv.h"

static int weft_notify_start(struct mmu_notifier *mn, const struct mmu_notifier_range *range)
{
	struct weft_memctx *mc = container_of(mn, struct weft_memctx, mn);
	unsigned long start = range->start;
	unsigned long last = range->end - 1;
	bool unmapped = range->event == MMU_NOTIFY_UNMAP;
	struct interval_tree_node *it, *next;
	struct weft_making *making;

	spin_lock_bh(&mc->lock);
	if (!mc->inv_count++) {
		mc->inv_start = start;
		mc->inv_last = last;
	} else {
		mc->inv_start = min(mc->inv_start, start);
		mc->inv_last = max(mc->inv_last, last);
	}
	list_for_each_entry(making, &mc->making, node) {
		if (making->start <= last && making->last >= start) {
			making->suspect = true;
			making->unmapped |= unmapped;
		}
	}
	for (it = interval_tree_iter_first(&mc->pins, start, last); it; it = next) {
		struct weft_pin *pin = container_of(it, struct weft_pin, it);

		next = interval_tree_iter_next(it, start, last);
		if (unmapped)
			weft_pin_drop(pin);
		else
			pin->state = WEFT_PIN_SUSPECT;
	}
	spin_unlock_bh(&mc->lock);
	return 0;
}

static void weft_notify_end(struct mmu_notifier *mn, const struct mmu_notifier_range *range)
{
	struct weft_memctx *mc = container_of(mn, struct weft_memctx, mn);

	spin_lock_bh(&mc->lock);
	mc->inv_count--;
	spin_unlock_bh(&mc->lock);
}

/*
 * The process exits or calls execve. This is its death, not the release of the file: a forked child
 * may hold the file. mmu_notifier_unregister() calls it too, when the context is dead already.
 */
static void weft_notify_release(struct mmu_notifier *mn, struct mm_struct *mm)
{
	struct weft_memctx *mc = container_of(mn, struct weft_memctx, mn);

	/* Counts itself before it sets dead, so that weft_memctx_quiesce() waits for gone(). */
	if (!weft_memctx_enter(mc))
		return;
	weft_memctx_kill(mc);
	if (mc->gone)
		mc->gone(mc->priv);
	weft_memctx_leave(mc);
}

const struct mmu_notifier_ops weft_notify_ops = {
	.invalidate_range_start = weft_notify_start,
	.invalidate_range_end = weft_notify_end,
	.release = weft_notify_release,
};
