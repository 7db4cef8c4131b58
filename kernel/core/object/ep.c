// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - endpoints as objects: references, status flags, deferred work
 *
 * api/ep.c describes the states. The changes of state here need no other layer.
 *
 * Locks: each function names the locks that its caller holds.
 */
#include "core/object/object.h"

void weft_ep_get(struct weft_ep *ep)
{
	refcount_inc(&ep->ref);
}

static void weft_ep_free(struct weft_ep *ep)
{
	struct weft_list *l;

	while ((l = weft_list_first(&ep->rx.spare))) {
		weft_list_del(l);
		weft_free(weft_entry(l, struct weft_rxm, node));
	}
	if (ep->rx.srq)
		weft_srq_put(ep->rx.srq);
	weft_free(ep->rx.ev_high);
	weft_match_fini(&ep->rx.match);
	weft_idtable_exit(&ep->flow.peers);
	weft_txms_free(ep->tx.txms);
	weft_posts_free(ep->rx.posts);
	weft_posts_free(ep->rx.parts);
	weft_free(ep->rx.cut);
	weft_free(ep->tx.scratch);
	weft_free(ep->tx.spare);
	weft_store_fini(&ep->tx.store);
	weft_free(ep->tx.drop);
	if (ep->user) {
		weft_user_give(ep->user, WEFT_USE_MEMORY, ep->memory);
		weft_user_leave(ep->core, ep->user, WEFT_USE_EPS);
	}
	weft_job_put(ep->job);
	weft_memctx_put(ep->conf.mc);
	weft_free_rcu(ep, rcu);
}

void weft_ep_put(struct weft_ep *ep)
{
	weft_ep_put_many(ep, 1);
}

/**
 * weft_ep_put_many - drop references
 * @ep: the endpoint
 * @n: number of references, not 0
 */
void weft_ep_put_many(struct weft_ep *ep, u32 n)
{
	if (refcount_sub_and_test((int)n, &ep->ref))
		weft_ep_free(ep);
}

/**
 * weft_ep_count - count memory of an endpoint for its user, until the endpoint is freed
 * @ep: the endpoint
 * @size: bytes
 *
 * Context: ep->lock is not held.
 * Return: 0; -ENOSPC: the user is at the limit "memory-user".
 */
int weft_ep_count(struct weft_ep *ep, size_t size)
{
	int err = weft_user_take(ep->core, ep->user, WEFT_USE_MEMORY, size);

	if (err)
		return err;
	weft_lock(&ep->lock);
	ep->memory += size;
	weft_unlock(&ep->lock);
	return 0;
}

/**
 * weft_ep_uncount - undo weft_ep_count()
 * @ep: the endpoint, not locked
 * @size: bytes
 */
void weft_ep_uncount(struct weft_ep *ep, size_t size)
{
	weft_lock(&ep->lock);
	ep->memory -= size;
	weft_unlock(&ep->lock);
	weft_user_give(ep->user, WEFT_USE_MEMORY, size);
}

/**
 * weft_ep_memory - allocate memory of an endpoint that counts for its user
 * @ep: the endpoint
 * @size: bytes
 * @to: out: pointer to the zeroed memory, for weft_free()
 *
 * Context: may sleep; ep->lock is not held.
 * Return: 0; -ENOSPC: the user is at the limit "memory-user"; -ENOMEM.
 */
int weft_ep_memory(struct weft_ep *ep, size_t size, void *to)
{
	int err = weft_ep_count(ep, size);
	void *p;

	if (err)
		return err;
	p = weft_alloc_sleep_for(ep->conf.mc, size);
	if (!p) {
		weft_ep_uncount(ep, size);
		return -ENOMEM;
	}
	*(void **)to = p;
	return 0;
}

/**
 * weft_ep_txms - allocate the next block of sends
 * @ep: the endpoint; ep->sq_mutex is held, or the endpoint is not published yet
 *
 * Context: may sleep; ep->lock is not held.
 * Return: 0; -ENOSPC: the user is at the limit "memory-user"; -ENOMEM.
 */
int weft_ep_txms(struct weft_ep *ep)
{
	u32 n = min(ep->conf.sq_slots - ep->tx.ntxms, WEFT_TXMS);
	struct weft_txms *txms;
	int err = weft_ep_memory(ep, struct_size(txms, txm, n), &txms);

	if (err)
		return err;
	weft_txms_init(txms, n, ep);
	weft_lock(&ep->lock);
	weft_txms_add(ep, txms);
	weft_unlock(&ep->lock);
	return 0;
}

/**
 * weft_ep_st - change the status flags that the program reads
 * @ep: the endpoint, locked, not dead
 * @set: WEFT_ST_* to be set
 * @clear: WEFT_ST_* to be cleared
 */
void weft_ep_st(struct weft_ep *ep, u32 set, u32 clear)
{
	bool works = ep->state < WEFT_EPS_ERROR;
	u32 shown;

	weft_assert_held(&ep->lock);
	/* posts to a closed endpoint have to be notified, and fail at once */
	if (ep->state == WEFT_EPS_CLOSED)
		set |= WEFT_ST_RQ_NOTIFY;
	ep->st = (ep->st & ~clear) | set;
	shown = ep->st;
	/* no engine and no timer looks at the rings of an endpoint in error */
	if (works && ep->polled)
		shown &= ~(WEFT_ST_SQ_NOTIFY | WEFT_ST_RQ_NOTIFY);
	else if (works && ep->timed)
		shown = (shown & ~WEFT_ST_SQ_NOTIFY) | WEFT_ST_SQ_TIMED;
	WRITE_ONCE(ep->conf.status->flags, shown);
}

/**
 * weft_ep_error - set an endpoint to ERROR: it accepts nothing more
 * @ep: the endpoint, locked
 * @err: errno for the event
 * @out: output
 */
void weft_ep_error(struct weft_ep *ep, int err, struct weft_out *out)
{
	weft_assert_held(&ep->lock);
	if (ep->state == WEFT_EPS_ERROR || ep->state == WEFT_EPS_DEAD)
		return;
	WRITE_ONCE(ep->state, WEFT_EPS_ERROR);
	if (ep->conf.type != WEFT_EP_PASSIVE)
		weft_ep_st(ep, WEFT_ST_ERROR, 0);
	if (!ep->eq)
		return;
	ep->ev_err.ev.type = WEFT_EV_EP_ERROR;
	ep->ev_err.ev.handle = ep->conf.handle;
	ep->ev_err.ev.status = err;
	weft_eq_post(ep->eq, &ep->ev_err, out);
}

/**
 * weft_ep_break - end a connection because of a received message
 * @ep: the endpoint, locked; types other than MSG do not change
 * @err: errno for the event
 * @out: output
 *
 * The endpoint receives nothing more; a worker ends the connection.
 */
void weft_ep_break(struct weft_ep *ep, int err, struct weft_out *out)
{
	weft_assert_held(&ep->lock);
	if (ep->broken || ep->conf.type != WEFT_EP_MSG || ep->state == WEFT_EPS_DEAD)
		return;
	ep->broken = err;
	ep->brk_work.queued = true;
	weft_ep_get(ep);
	weft_list_add_tail(&out->deferred, &ep->brk_work.node);
}

/**
 * weft_ep_sq_work - prepare the work that has a worker continue the send ring
 * @ep: the endpoint, locked
 *
 * Return: true: the caller defers ep->tx.work; false: it is deferred already, or not needed.
 */
bool weft_ep_sq_work(struct weft_ep *ep)
{
	weft_assert_held(&ep->lock);
	ep->tx.stalled = false;
	if (ep->tx.work.queued || ep->state == WEFT_EPS_DEAD)
		return false;
	ep->tx.work.queued = true;
	weft_ep_get(ep);
	return true;
}

/**
 * weft_ep_sq_defer - have a worker continue the send ring
 * @ep: the endpoint, locked
 * @out: output
 */
void weft_ep_sq_defer(struct weft_ep *ep, struct weft_out *out)
{
	weft_assert_held(&ep->lock);
	if (weft_ep_sq_work(ep))
		weft_list_add_tail(&out->deferred, &ep->tx.work.node);
}
