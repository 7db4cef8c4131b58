// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - references and deadlines of a path
 *
 * The tables of a core hold one reference (transport/path.c). The last put frees the path.
 *
 * Locks: none for references; path->lock, held by the caller, for deadlines and ids.
 */
#include "core/object/object.h"

void weft_path_get(struct weft_path *path)
{
	refcount_inc(&path->ref);
}

void weft_path_put(struct weft_path *path)
{
	struct weft_list *l;

	if (!refcount_dec_and_test(&path->ref))
		return;
	weft_env_path_close(path);
	while ((l = weft_list_first(&path->recs))) {
		weft_list_del(l);
		weft_free(weft_entry(l, struct weft_rec, node));
	}
	weft_free(path->spare);
	weft_free(path->known);
	weft_free_rcu(path, rcu);
}

/**
 * weft_path_deadline - have the timer of a path expire not later than @at
 * @path: the path, locked
 * @at: time
 */
void weft_path_deadline(struct weft_path *path, weft_ns at)
{
	weft_assert_held(&path->lock);
	if (at >= path->timer_at)
		return;
	path->timer_at = at;
	weft_env_timer(path, at);
}

/**
 * weft_path_needs - count something that needs a live peer, and check that the peer lives
 * @path: the path, locked; the caller decrements path->nwait later
 * @now: time
 */
void weft_path_needs(struct weft_path *path, weft_ns now)
{
	weft_assert_held(&path->lock);
	if (!path->nwait++ && path->state == WEFT_PATHS_UP && !path->local)
		weft_path_deadline(path, now + path->core->conf.keepalive_ns);
}

/**
 * weft_path_go_on - have weft_flush() process a path
 * @path: the path, locked
 * @out: output
 */
void weft_path_go_on(struct weft_path *path, struct weft_out *out)
{
	weft_assert_held(&path->lock);
	if (path->in_more)
		return;
	path->in_more = true;
	weft_path_get(path);
	weft_list_add_tail(&out->more, &path->more);
}

/**
 * weft_path_fail - mark a path as failing
 * @path: the path, locked
 * @err: errno for operations under way
 * @out: output: weft_flush() buries the path
 */
void weft_path_fail(struct weft_path *path, int err, struct weft_out *out)
{
	weft_assert_held(&path->lock);
	if (path->failing || path->local)
		return;
	path->failing = err;
	weft_path_go_on(path, out);
}

/* Return: true if a rendezvous under way or in a queue has this number. */
static bool weft_path_id_used(const struct weft_path *path, u32 id)
{
	const struct weft_list *l;

	weft_list_for_each(l, &path->sids[id % WEFT_PATH_HASH])
		if (weft_entry(l, const struct weft_txm, idnode)->sid == id)
			return true;
	weft_list_for_each(l, &path->rids[id % WEFT_PATH_HASH])
		if (weft_entry(l, const struct weft_rxm, rnode)->rid == id)
			return true;
	return false;
}

/**
 * weft_path_new_id - get a number for a rendezvous
 * @path: the path, locked
 *
 * Return: the number, not 0; a number is used again only after about 2^32 others, and if it is
 * free.
 */
u32 weft_path_new_id(struct weft_path *path)
{
	weft_assert_held(&path->lock);
	do {
		if (unlikely(!++path->next_id)) {
			path->ids_again = true;
			++path->next_id;
		}
	} while (unlikely(path->ids_again) && weft_path_id_used(path, path->next_id));
	return path->next_id;
}
