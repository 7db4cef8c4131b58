// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft - owners: the workers that contexts of one user share
 *
 * A worker may wait for a program's memory as long as the program likes: a file system in user
 * space need not answer. So each user has workqueues of its own, with a bounded number of workers.
 * A user whose workers all wait delays its own contexts alone.
 *
 *	work	deferred work of its contexts (deferred.c); may wait for the program's memory
 *	ends	the end of its contexts (ctx.c); waits for "work" of the same user
 *
 * weft_dev_wq has the work that waits for no program. An owner:
 *
 *	USED (has contexts) <---(last context gone, next one opened)---> IDLE
 *	IDLE ---(for WEFT_OWNER_KEEP)---> not found ---> freed
 *
 * An idle owner is kept for a moment, because programs follow each other. So at most one owner of
 * a user is being freed at a time.
 *
 * weft_owners_lock protects the list of owners and their counts. It is a leaf lock: workers of
 * owners take it, so that no code waits for such a worker under it.
 */
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>
#include <linux/wait_bit.h>
#include <linux/workqueue.h>

#include "owner.h"

#define WEFT_OWNER_KEEP		HZ	/* an idle owner lives for this time */

static DEFINE_MUTEX(weft_owners_lock);
static LIST_HEAD(weft_owners);
static bool weft_owners_closed;		/* idle owners are freed at once */

/** weft_dev_wq - work that waits for no program: orphans (deferred.c), the end of owners */
struct workqueue_struct *weft_dev_wq;

static void weft_owner_free(struct weft_owner *owner)
{
	/* contexts that end need their deferred work done */
	if (owner->ends)
		destroy_workqueue(owner->ends);
	if (owner->work)
		destroy_workqueue(owner->work);
	kfree(owner);
}

static void weft_owner_idle(struct work_struct *work)
{
	struct weft_owner *owner = container_of(work, struct weft_owner, idle.work);
	bool again;

	mutex_lock(&weft_owners_lock);
	/* used again, or idle since a moment only */
	again = owner->ctxs || delayed_work_pending(&owner->idle);
	if (!again)
		list_del(&owner->node);
	mutex_unlock(&weft_owners_lock);
	if (again)
		return;
	weft_owner_free(owner);
	wake_up_var(&weft_owners);
}

static struct weft_owner *weft_owner_find(kuid_t uid)
{
	struct weft_owner *owner;

	lockdep_assert_held(&weft_owners_lock);
	list_for_each_entry(owner, &weft_owners, node)
		if (uid_eq(owner->uid, uid))
			return owner;
	return NULL;
}

static struct weft_owner *weft_owner_new(kuid_t uid)
{
	u32 no = from_kuid(&init_user_ns, uid);
	struct weft_owner *owner;

	lockdep_assert_held(&weft_owners_lock);
	owner = kzalloc(sizeof(*owner), GFP_KERNEL);
	if (!owner)
		return NULL;
	owner->uid = uid;
	INIT_DELAYED_WORK(&owner->idle, weft_owner_idle);
	owner->work = alloc_workqueue("weft_work_%u", WQ_UNBOUND, WEFT_OWNER_WORKERS, no);
	owner->ends = alloc_workqueue("weft_ends_%u", WQ_UNBOUND, WEFT_OWNER_WORKERS, no);
	if (!owner->work || !owner->ends) {
		weft_owner_free(owner);
		return NULL;
	}
	list_add(&owner->node, &weft_owners);
	return owner;
}

/**
 * weft_owner_get - find or make the owner of a new context
 * @uid: the user
 *
 * Context: process, sleeps.
 * Return: the owner, to be dropped with weft_owner_put(); NULL: no memory.
 */
struct weft_owner *weft_owner_get(kuid_t uid)
{
	struct weft_owner *owner;

	mutex_lock(&weft_owners_lock);
	owner = weft_owner_find(uid);
	if (!owner)
		owner = weft_owner_new(uid);
	if (owner)
		owner->ctxs++;
	mutex_unlock(&weft_owners_lock);
	return owner;
}

/**
 * weft_owner_put - drop a context's reference on its owner
 * @owner: the owner; all works of the context that may wait are done, except for the caller
 *
 * Context: process, sleeps; also in a worker of the owner.
 */
void weft_owner_put(struct weft_owner *owner)
{
	mutex_lock(&weft_owners_lock);
	if (!--owner->ctxs)
		mod_delayed_work(weft_dev_wq, &owner->idle,
				 weft_owners_closed ? 0 : WEFT_OWNER_KEEP);
	mutex_unlock(&weft_owners_lock);
}

/**
 * weft_owners_init - prepare for owners
 *
 * Context: process, when the module is loaded.
 * Return: 0, -ENOMEM.
 */
int weft_owners_init(void)
{
	weft_dev_wq = alloc_workqueue("weft", WQ_UNBOUND, 0);
	return weft_dev_wq ? 0 : -ENOMEM;
}

/**
 * weft_owners_exit - wait for the end of all contexts, and free their owners
 *
 * Context: process, when the module is unloaded; no context is opened any more.
 */
void weft_owners_exit(void)
{
	struct weft_owner *owner;

	mutex_lock(&weft_owners_lock);
	weft_owners_closed = true;
	list_for_each_entry(owner, &weft_owners, node)
		if (!owner->ctxs)
			mod_delayed_work(weft_dev_wq, &owner->idle, 0);
	mutex_unlock(&weft_owners_lock);
	wait_var_event(&weft_owners, list_empty_careful(&weft_owners));
	destroy_workqueue(weft_dev_wq);
}
