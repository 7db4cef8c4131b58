// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - the life of regions. object/region.h has the states
 *
 * Locks: domain->lock, a leaf; path->lock and ep->lock are taken without it. Process context.
 */
#include "core/rma/rma.h"

/* calls.h has the descriptions. */
int weft_domain_init(struct weft_domain *d, struct weft_core *core, struct weft_user *user)
{
	int err = weft_keys_init(&d->regions);

	if (err)
		return err;
	weft_lock_init(&d->lock, WEFT_RANK_LEAF);
	weft_index_init(&d->all);
	d->core = core;
	d->user = user;
	return 0;
}

void weft_domain_exit(struct weft_domain *d)
{
	if (!d->core)
		return;
	weft_keys_exit(&d->regions);
	weft_index_exit(&d->all);
}

/* Return: 0; -EINVAL, -EFAULT: the segments are wrong. */
static int weft_region_check(const struct weft_region_conf *conf)
{
	u64 sum = 0, end;
	u32 i;

	if (!conf->n || conf->n > WEFT_IOV_MAX ||
	    conf->access & ~(WEFT_REGION_READ | WEFT_REGION_WRITE))
		return -EINVAL;
	for (i = 0; i < conf->n; i++) {
		if (check_add_overflow(sum, conf->seg[i].len, &sum))
			return -EINVAL;
		if (check_add_overflow(conf->seg[i].addr, conf->seg[i].len, &end))
			return -EFAULT;
	}
	return sum && sum == conf->len ? 0 : -EINVAL;
}

/* Give a region its number. The domain is locked. Return: 0, -ENOMEM. */
static int weft_region_number(struct weft_domain *d, struct weft_region *r)
{
	weft_assert_held(&d->lock);
	do
		d->last = d->last < WEFT_REGION_NO_MAX ? d->last + 1 : 1;
	while (weft_index_get(&d->all, d->last));
	r->no = d->last;
	return weft_index_set(&d->all, r->no, r);
}

/* The tables have changed: no hint is valid any more. The domain is locked. */
static void weft_region_changed(struct weft_domain *d)
{
	weft_assert_held(&d->lock);
	/* after the tables: weft_region_again() */
	smp_store_release(&d->changes, d->changes + 1);
}

/* Put a region into the tables, and count it for its user. Return: 0, -EEXIST, -ENOSPC, -ENOMEM. */
static int weft_region_add(struct weft_domain *d, struct weft_region *r)
{
	int err = d->user ? weft_user_take(d->core, d->user, WEFT_USE_REGIONS, 1) : 0;

	if (err)
		return err;
	weft_lock(&d->lock);
	err = weft_region_number(d, r);
	if (!err) {
		/* the last step: an access may find it from here on */
		err = weft_keys_add(&d->regions, &r->node);
		if (err)
			weft_index_del(&d->all, r->no);
		else
			weft_region_changed(d);
	}
	weft_unlock(&d->lock);
	if (err && d->user)
		weft_user_give(d->user, WEFT_USE_REGIONS, 1);
	return err;
}

int weft_region_new(struct weft_domain *d, const struct weft_region_conf *conf)
{
	struct weft_region *r;
	int err = weft_region_check(conf);

	if (err)
		return err;
	r = weft_alloc_sleep(sizeof(*r) + conf->n * sizeof(r->seg[0]));
	if (!r)
		return -ENOMEM;
	r->node.key = conf->key;
	r->node.zone = conf->zone;
	r->base = conf->base;
	r->len = conf->len;
	r->access = conf->access;
	r->n = conf->n;
	if (conf->cntr)
		weft_cq_get(conf->cntr);
	r->cntr = conf->cntr;
	memcpy(r->seg, conf->seg, conf->n * sizeof(r->seg[0]));
	weft_list_init(&r->uses);
	err = weft_region_add(d, r);
	if (!err)
		return 0;
	if (r->cntr)
		weft_cq_put(r->cntr);
	weft_free(r);
	return err;
}

/*
 * Fail the operations that use a region. Return: true if some are not over yet: a copy or a worker
 * uses the memory.
 */
static bool weft_region_fail(struct weft_domain *d, struct weft_region *region,
			     struct weft_out *out)
{
	struct weft_list *l;
	u32 n = 0;

	weft_lock(&d->lock);
	weft_list_for_each(l, &region->uses)
		n++;
	for (; n && (l = weft_list_first(&region->uses)); n--) {
		struct weft_rxm *rxm = weft_entry(l, struct weft_use, node)->rma->rxm;
		struct weft_path *path = rxm->path;

		weft_list_del(l);
		weft_list_add_tail(&region->uses, l);
		weft_rxm_get(rxm);
		weft_unlock(&d->lock);
		weft_lock(&path->lock);
		weft_rxm_fail(rxm, EACCES, out);
		weft_path_output(path, out);
		weft_unlock(&path->lock);
		weft_flush(out);
		weft_rxm_put(rxm);
		weft_lock(&d->lock);
	}
	weft_unlock(&d->lock);
	return atomic_read(&region->users);
}

/* Take a region out of the tables. The domain is locked. */
static void weft_region_unlist(struct weft_domain *d, struct weft_region *region)
{
	weft_assert_held(&d->lock);
	weft_keys_del(&d->regions, &region->node);
	weft_index_del(&d->all, region->no);
	WRITE_ONCE(region->ended, true);
	weft_region_changed(d);
}

/* Wait until no operation accesses a region that is in no table, and free it. */
static void weft_region_drain(struct weft_domain *d, struct weft_region *region,
			      struct weft_out *out)
{
	/* weft_region_enter(): @users, then @ended. One of both sees the other */
	smp_mb();
	while (weft_region_fail(d, region, out))
		weft_nap();
	if (d->user)
		weft_user_give(d->user, WEFT_USE_REGIONS, 1);
	if (region->cntr)
		weft_cq_put(region->cntr);
	/* an access that has just looked it up may still count itself */
	weft_free_rcu(region, rcu);
}

struct weft_cq *weft_region_cntr(struct weft_domain *d, u32 zone, u64 key)
{
	struct weft_key_node *node;
	struct weft_cq *cntr = NULL;

	weft_lock(&d->lock);
	node = weft_keys_find(&d->regions, zone, key);
	if (node)
		cntr = container_of(node, struct weft_region, node)->cntr;
	weft_unlock(&d->lock);
	return cntr;
}

int weft_region_end(struct weft_domain *d, u32 zone, u64 key, weft_ns now, struct weft_out *out)
{
	struct weft_region *region = NULL;
	struct weft_key_node *node;

	out->now = now;
	weft_lock(&d->lock);
	node = weft_keys_find(&d->regions, zone, key);
	if (node) {
		region = container_of(node, struct weft_region, node);
		weft_region_unlist(d, region);
	}
	weft_unlock(&d->lock);
	if (!region)
		return -ENOENT;
	weft_region_drain(d, region, out);
	return 0;
}

void weft_domain_end(struct weft_domain *d, weft_ns now, struct weft_out *out)
{
	struct weft_region *region;
	u32 no = 0;

	out->now = now;
	for (;;) {
		weft_lock(&d->lock);
		region = weft_index_next(&d->all, &no);
		if (region)
			weft_region_unlist(d, region);
		weft_unlock(&d->lock);
		if (!region)
			break;
		weft_region_drain(d, region, out);
		/* there may be a million */
		weft_yield();
	}
}

u32 weft_domain_look(struct weft_domain *d, u64 *next, struct weft_region_info *info, u32 n)
{
	struct weft_region *r;
	u32 found = 0, no;

	weft_lock(&d->lock);
	while (found < n && *next <= U32_MAX) {
		no = (u32)*next;
		r = weft_index_next(&d->all, &no);
		if (!r)
			break;
		info[found++] = (struct weft_region_info){
			.no = no,
			.key = r->node.key,
			.zone = (u32)r->node.zone,
			.base = r->base,
			.len = r->len,
			.access = r->access,
			.users = atomic_read(&r->users),
		};
		*next = no + 1ull;
	}
	weft_unlock(&d->lock);
	return found;
}
