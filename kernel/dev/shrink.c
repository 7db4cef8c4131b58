// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft - memory of programs: the machine is short of memory
 *
 * Pinned pages can be neither moved nor swapped out. So the kernel asks for idle ranges when it
 * looks for memory. The range that has been unused for longest goes first. A worker unpins it,
 * because unpinning waits for locks of pages, which the caller may hold. The program notices
 * nothing: its next transfer pins the memory again.
 */
#include "compat.h"
#include "mem_priv.h"

/* Ranges of a context that one look visits: mc->lock is held meanwhile. */
#define WEFT_SHRINK_LOOK	1024

static struct shrinker *weft_shrinker;

/* An upper bound: ranges in use are among them. */
static unsigned long weft_shrink_count(struct shrinker *shrinker, struct shrink_control *sc)
{
	return weft_mem_total_pinned() >> PAGE_SHIFT;
}

/* Let up to @npages of a context go, which were not used after @before. Return: pages. */
static unsigned long weft_shrink_one(struct weft_memctx *mc, unsigned long npages,
				     unsigned long before)
{
	struct weft_pin *pin, *next;
	unsigned long n = 0;
	u32 look = 0;

	spin_lock_bh(&mc->lock);
	list_for_each_entry_safe(pin, next, &mc->lru, lru) {
		if (n >= npages || look++ == WEFT_SHRINK_LOOK || time_after(pin->used, before))
			break;
		if (refcount_read(&pin->ref) > 1)
			continue;
		n += pin->npages;
		weft_pin_drop(pin);
	}
	spin_unlock_bh(&mc->lock);
	return n;
}

static unsigned long weft_shrink_scan(struct shrinker *shrinker, struct shrink_control *sc)
{
	unsigned long n = 0, before = jiffies - WEFT_PIN_OLD;
	struct weft_memctx *mc;

	/* the caller may hold the mutex, if it allocates memory */
	if (!mutex_trylock(&weft_memctxs_lock))
		return SHRINK_STOP;
	list_for_each_entry(mc, &weft_memctxs, all) {
		if (n >= sc->nr_to_scan)
			break;
		n += weft_shrink_one(mc, sc->nr_to_scan - n, before);
	}
	/* the next scan begins with another context */
	list_rotate_left(&weft_memctxs);
	mutex_unlock(&weft_memctxs_lock);
	return n ?: SHRINK_STOP;
}

/**
 * weft_shrink_init - offer idle ranges to the machine
 *
 * Context: process.
 * Return: 0, -ENOMEM.
 */
int weft_shrink_init(void)
{
	weft_shrinker = weft_shrinker_new("weft", weft_shrink_count, weft_shrink_scan);
	return weft_shrinker ? 0 : -ENOMEM;
}

/**
 * weft_shrink_exit - the reverse of weft_shrink_init(), while weft_mem_wq is there
 *
 * Context: process.
 */
void weft_shrink_exit(void)
{
	weft_shrinker_free(weft_shrinker);
}
