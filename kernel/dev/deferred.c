// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft - work of the core that needs process context: pinning memory, draining a long ring
 *
 * The core names a context by its number, not by its address. A softirq on another CPU may queue
 * work while the context is going. A context's list:
 *
 *	OPEN ---(weft_deferred_exit(): the context is dead and has no users)---> closed, empty
 *
 * Work may wait for the memory of its program, without end. So it runs in a workqueue of the
 * context's owner (owner.c). That workqueue differs from the one for the end of contexts. A
 * workqueue runs a limited number of works at a time. If all of them were contexts that wait for
 * their lists, no worker would be left to empty those lists.
 *
 * If the list is closed or the context has gone, the work joins the device's list of orphans. The
 * device lives as long as the core. Orphans run without an address space, in weft_dev_wq: the
 * core finds that the memory has gone, and cleans up.
 *
 * A list is busy from its first work on until the worker finds it empty.
 *
 * deferred->lock protects a list. It is a leaf lock, taken in any context.
 */
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "ctx.h"
#include "wait_idle.h"

#define WEFT_DEFERRED_BATCH	32	/* works between two pauses of the address space */

/* Take the next work. Return: the work; NULL: there is none, and the list is not busy any more. */
static struct weft_work *weft_deferred_pop(struct weft_deferred *deferred)
{
	struct weft_list *node;

	spin_lock_bh(&deferred->lock);
	node = weft_list_first(&deferred->list);
	if (node)
		weft_list_del(node);
	else
		WRITE_ONCE(deferred->busy, false);
	spin_unlock_bh(&deferred->lock);
	return node ? weft_entry(node, struct weft_work, node) : NULL;
}

static void weft_deferred_run(struct work_struct *w)
{
	struct weft_deferred *deferred = container_of(w, struct weft_deferred, work);
	bool used = deferred->mc && !weft_memctx_use(deferred->mc);
	struct weft_work *work;
	int n = 0;

	while ((work = weft_deferred_pop(deferred))) {
		weft_core_work(work, weft_now(), deferred->out);
		weft_flush(deferred->out);
		cond_resched();
		/* an endless flow of work must not keep a dead process's memory */
		if (++n == WEFT_DEFERRED_BATCH) {
			queue_work(deferred->wq, w);
			break;
		}
	}
	if (used)
		weft_memctx_unuse(deferred->mc);
	/* orders the store of weft_deferred_pop() before the look for waiters */
	smp_mb();
	wake_up_var(&deferred->busy);
}

static bool weft_deferred_add(struct weft_deferred *deferred, struct weft_work *work)
{
	bool closed;

	spin_lock_bh(&deferred->lock);
	closed = deferred->closed;
	if (!closed) {
		weft_list_add_tail(&deferred->list, &work->node);
		if (!deferred->busy)
			queue_work(deferred->wq, &deferred->work);
		WRITE_ONCE(deferred->busy, true);
	}
	spin_unlock_bh(&deferred->lock);
	return !closed;
}

/**
 * weft_env_defer - have a worker call weft_core_work()
 * @work: the work, with its reference
 *
 * Context: any.
 */
void weft_env_defer(struct weft_work *work)
{
	unsigned long name = (unsigned long)work->ctx;
	struct weft_ctx *ctx = weft_ctx_by_id((u32)name);

	if (!ctx || !weft_deferred_add(&ctx->deferred, work))
		weft_deferred_add(&weft_dev_by_id(name >> 32)->orphans, work);
	if (ctx)
		weft_ctx_put(ctx);
}

/**
 * weft_deferred_init - prepare a list of work
 * @deferred: the list
 * @mc: memory of its context, may be NULL
 * @core: its core
 * @wq: workqueue that runs it
 *
 * Return: 0, -ENOMEM. Sleeps.
 */
int weft_deferred_init(struct weft_deferred *deferred, struct weft_memctx *mc,
		       struct weft_core *core, struct workqueue_struct *wq)
{
	deferred->out = kvmalloc(sizeof(*deferred->out), GFP_KERNEL_ACCOUNT);
	if (!deferred->out)
		return -ENOMEM;
	weft_out_init(deferred->out, core);
	spin_lock_init(&deferred->lock);
	weft_list_init(&deferred->list);
	INIT_WORK(&deferred->work, weft_deferred_run);
	deferred->mc = mc;
	deferred->wq = wq;
	return 0;
}

/**
 * weft_deferred_exit - close a list, and wait until all its work is done
 * @deferred: the list
 *
 * Sleeps.
 */
void weft_deferred_exit(struct weft_deferred *deferred)
{
	spin_lock_bh(&deferred->lock);
	deferred->closed = true;
	spin_unlock_bh(&deferred->lock);
	weft_wait_idle(&deferred->busy, !READ_ONCE(deferred->busy));
	flush_work(&deferred->work);
	kvfree(deferred->out);
}
