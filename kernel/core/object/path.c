// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - references on a path
 *
 * The tables of a core hold one reference (transport/path.c). The last one frees the path.
 *
 * Locks: none.
 */
#include "core/object/proto.h"

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
