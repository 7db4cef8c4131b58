// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - regions as objects: lookup by key, users, and their memory
 *
 * Locks: domain->lock; lookups are in RCU. region.h has the states.
 */
#include "core/object/object.h"

/* Begin an access to a region that was found in RCU. Return: false: the region has ended. */
static inline bool weft_region_begin(struct weft_region *region)
{
	atomic_inc(&region->users);
	/* weft_region_end(): @ended, then @users. One of both sees the other */
	smp_mb();
	if (likely(!READ_ONCE(region->ended)))
		return true;
	atomic_dec(&region->users);
	return false;
}

/* As weft_region_enter(), in RCU. */
static struct weft_region *weft_region_find(struct weft_domain *d, u32 zone, u64 key)
{
	struct weft_key_node *node = weft_keys_find(&d->regions, zone, key);
	struct weft_region *region;

	if (!node && zone)
		node = weft_keys_find(&d->regions, 0, key);
	if (!node)
		return NULL;
	region = container_of(node, struct weft_region, node);
	return weft_region_begin(region) ? region : NULL;
}

/**
 * weft_region_enter - begin an access to a region
 * @d: the domain
 * @zone: protection zone of the endpoint
 * @key: key of the region, in that zone or in none
 *
 * Context: any.
 * Return: the region, which exists until weft_region_leave(); NULL: there is none.
 */
struct weft_region *weft_region_enter(struct weft_domain *d, u32 zone, u64 key)
{
	struct weft_region *region;

	weft_rcu_lock();
	region = weft_region_find(d, zone, key);
	weft_rcu_unlock();
	return region;
}

/**
 * weft_region_again - begin an access to a region, probably that of the last access
 * @d: the domain
 * @zone: protection zone of the endpoint
 * @key: key of the region, in that zone or in none
 * @hint: region of the last access; the caller has locked what it is part of
 *
 * A region that ends is out of the tables first, then @changes steps, and then an RCU grace period
 * passes before it is freed. So a region whose hint has the present number still exists.
 *
 * Context: any.
 * Return: as weft_region_enter().
 */
struct weft_region *weft_region_again(struct weft_domain *d, u32 zone, u64 key,
				      struct weft_region_hint *hint)
{
	struct weft_region *region = hint->region;
	unsigned long changes;

	weft_rcu_lock();
	/* before the tables, and before the region */
	changes = smp_load_acquire(&d->changes);
	if (unlikely(!region || hint->changes != changes || hint->zone != zone ||
		     region->node.key != key || !weft_region_begin(region))) {
		region = weft_region_find(d, zone, key);
		hint->region = region;
		hint->changes = changes;
		hint->zone = zone;
	}
	weft_rcu_unlock();
	return region;
}

/**
 * weft_region_leave - end an access to a region
 * @region: the region; not used after that
 */
void weft_region_leave(struct weft_region *region)
{
	/* the bytes of the access before the end of the region */
	smp_mb();
	atomic_dec(&region->users);
}

/**
 * weft_rma_changed - count an operation that has changed its regions, once in each
 * @rma: its access, not closed
 * @out: output
 */
void weft_rma_changed(const struct weft_rma *rma, struct weft_out *out)
{
	u32 i, k;

	for (i = 0; i < rma->nuse; i++) {
		const struct weft_region *region = rma->use[i].region;

		for (k = 0; rma->use[k].region != region; k++)
			;
		if (k == i && region->cntr)
			weft_cq_count(region->cntr, false, out);
	}
}

/**
 * weft_rma_close - end an access: leave its regions
 * @rma: the access; its operation copies no more bytes
 * @d: domain of the regions
 */
void weft_rma_close(struct weft_rma *rma, struct weft_domain *d)
{
	u32 i;

	if (!rma->nuse)
		return;
	weft_lock(&d->lock);
	for (i = 0; i < rma->nuse; i++)
		weft_list_del(&rma->use[i].node);
	weft_unlock(&d->lock);
	for (i = 0; i < rma->nuse; i++)
		weft_region_leave(rma->use[i].region);
	rma->nuse = 0;
}

/* Append the memory of @len bytes at @off of a region to @vec. Return: bytes appended. */
static u64 weft_region_vec(const struct weft_region *region, u64 off, u64 len,
			   struct weft_vec *vec)
{
	u64 done = 0, n;
	u32 i;

	for (i = 0; i < region->n && done < len && vec->n < WEFT_IOV_MAX; i++) {
		const struct weft_iov *seg = &region->seg[i];

		if (off >= seg->len) {
			off -= seg->len;
			continue;
		}
		n = min(len - done, seg->len - off);
		vec->seg[vec->n].addr = seg->addr + off;
		vec->seg[vec->n].len = n;
		vec->n++;
		done += n;
		off = 0;
	}
	vec->len += done;
	return done;
}

/**
 * weft_rma_vec - find the memory of a part of an operation
 * @rma: its access
 * @off: in: offset in the message; out: offset in the result
 * @len: in: bytes, not 0; out: bytes from there on, at least 1: the memory may have more segments
 *	than the result
 * @tmp: memory for the result
 *
 * Return: the memory.
 */
const struct weft_vec *weft_rma_vec(const struct weft_rma *rma, u64 *off, u32 *len,
				    struct weft_vec *tmp)
{
	u64 at = *off - rma->skip, n;
	u32 i, done = 0;

	if (rma->role == WEFT_RMA_SINK) {
		*off = at;
		return &rma->vec;
	}
	tmp->n = 0;
	tmp->len = 0;
	for (i = 0; i < rma->nuse && done < *len && tmp->n < WEFT_IOV_MAX; i++) {
		const struct weft_use *use = &rma->use[i];

		if (at >= use->len) {
			at -= use->len;
			continue;
		}
		n = min_t(u64, *len - done, use->len - at);
		done += (u32)weft_region_vec(use->region, use->off + at, n, tmp);
		at = 0;
	}
	*off = 0;
	*len = done;
	return tmp;
}
