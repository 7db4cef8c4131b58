// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - references on a shared receive queue
 *
 * Locks: none.
 */
#include "core/object/object.h"

/**
 * weft_srq_get - take a reference
 * @srq: the queue
 */
void weft_srq_get(struct weft_srq *srq)
{
	refcount_inc(&srq->ref);
}

static void weft_srq_free(struct weft_srq *srq)
{
	struct weft_srq_posts *posts;

	weft_match_fini(&srq->match);
	while ((posts = srq->posts)) {
		srq->posts = posts->next;
		weft_free(posts);
	}
	if (srq->conf.eq)
		weft_eq_put(srq->conf.eq);
	weft_free(srq->ev_low);
	weft_free(srq);
}

/**
 * weft_srq_put - drop a reference
 * @srq: the queue
 */
void weft_srq_put(struct weft_srq *srq)
{
	if (refcount_dec_and_test(&srq->ref))
		weft_srq_free(srq);
}
