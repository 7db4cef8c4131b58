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
	weft_match_fini(&srq->match);
	weft_posts_free(srq->posts);
	if (srq->user) {
		weft_user_give(srq->user, WEFT_USE_MEMORY, srq->memory);
		weft_user_put(srq->core, srq->user);
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
