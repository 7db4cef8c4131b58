// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft - memory of programs: contexts
 *
 * A context belongs to the address space that opened the device. The context holds mm_count of it
 * (mmgrab), never mm_users: a context must not keep the memory of a dying process. A function that
 * sleeps on that memory takes mm_users meanwhile.
 *
 *	alive -> dead	weft_memctx_kill(), or the notifier reports the process's death
 *	dead -> quiet	weft_memctx_quiesce(): no access to its memory is in progress
 *	quiet -> freed	by a worker, after the last reference has gone: windows and pinned
 *			ranges keep the structure
 *
 * Registrations are here too: they are references on pinned ranges.
 *
 * mc->lock protects the setting of "dead". Copies, which do not sleep, read it under RCU. Accesses
 * that sleep count themselves in mc->users first. weft_memctx_quiesce() waits for both. See
 * mem_priv.h.
 */
#include <linux/cred.h>
#include <linux/kthread.h>
#include <linux/memcontrol.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include "mem_priv.h"
#include "wait_idle.h"

/* Unpins and frees. Unbound: its work sleeps, but waits for no program. */
struct workqueue_struct *weft_mem_wq;

/* All contexts: others of the same user, and the machine, may evict their idle pages. */
DEFINE_MUTEX(weft_memctxs_lock);
LIST_HEAD(weft_memctxs);

/* ---- Life of a context --------------------------------------------------------------------- */

static void weft_memctx_free(struct work_struct *work)
{
	struct weft_memctx *mc = container_of(work, struct weft_memctx, free);

	WARN_ON_ONCE(!mc->dead);
	/* Waits for notifications in progress. */
	mmu_notifier_unregister(&mc->mn, mc->mm);
	mutex_lock(&weft_memctxs_lock);
	list_del(&mc->all);
	mutex_unlock(&weft_memctxs_lock);
	mem_cgroup_put(mc->memcg);
	if (mc->user)
		put_cred(mc->cred);
	mmdrop(mc->mm);
	kfree(mc);
}

struct weft_memctx *weft_memctx_new(void (*gone)(void *priv), void *priv)
{
	struct mm_struct *mm = current->mm;
	struct weft_memctx *mc;
	int err;

	if (!mm || (current->flags & PF_KTHREAD))
		return ERR_PTR(-EINVAL);
	mc = kzalloc(sizeof(*mc), GFP_KERNEL_ACCOUNT);
	if (!mc)
		return ERR_PTR(-ENOMEM);
	refcount_set(&mc->ref, 1);
	mc->mm = mm;
	mc->mn.ops = &weft_notify_ops;
	spin_lock_init(&mc->lock);
	mc->pins = RB_ROOT_CACHED;
	INIT_LIST_HEAD(&mc->lru);
	INIT_LIST_HEAD(&mc->making);
	mc->gone = gone;
	mc->priv = priv;
	mc->limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	INIT_WORK(&mc->free, weft_memctx_free);

	mmgrab(mm);
	err = mmu_notifier_register(&mc->mn, mm);
	if (err) {
		mmdrop(mm);
		kfree(mc);
		return ERR_PTR(err);
	}
	if (!capable(CAP_IPC_LOCK)) {
		mc->cred = get_current_cred();
		mc->user = mc->cred->user;
	}
	mc->memcg = get_mem_cgroup_from_mm(mm);
	mutex_lock(&weft_memctxs_lock);
	list_add_tail(&mc->all, &weft_memctxs);
	mutex_unlock(&weft_memctxs_lock);
	return mc;
}

/**
 * weft_memctx_get - take a reference on the structure
 * @mc: memory of the context
 *
 * Context: any.
 */
void weft_memctx_get(struct weft_memctx *mc)
{
	refcount_inc(&mc->ref);
}

/**
 * weft_memctx_dead - has the program ended?
 * @mc: memory of the context
 *
 * Context: any.
 * Return: true if the process has ended, or ends now.
 */
bool weft_memctx_dead(const struct weft_memctx *mc)
{
	return READ_ONCE(mc->dead);
}

/**
 * weft_memctx_put - drop a reference on the structure
 * @mc: memory of the context
 *
 * Context: any; a worker does the part that sleeps.
 */
void weft_memctx_put(struct weft_memctx *mc)
{
	if (refcount_dec_and_test(&mc->ref))
		queue_work(weft_mem_wq, &mc->free);
}

void *weft_alloc_for(struct weft_memctx *mc, size_t size)
{
	struct mem_cgroup *memcg = set_active_memcg(mc->memcg);
	void *p = weft_alloc(size);

	set_active_memcg(memcg);
	return p;
}

void *weft_alloc_sleep_for(struct weft_memctx *mc, size_t size)
{
	struct mem_cgroup *memcg = set_active_memcg(mc->memcg);
	void *p = weft_alloc_sleep(size);

	set_active_memcg(memcg);
	return p;
}

void weft_memctx_kill(struct weft_memctx *mc)
{
	spin_lock_bh(&mc->lock);
	WRITE_ONCE(mc->dead, true);
	weft_pin_drop_all(mc);
	spin_unlock_bh(&mc->lock);
}

void weft_memctx_quiesce(struct weft_memctx *mc)
{
	/* Waits for copies that did not see it dead; orders the store before the load of users. */
	synchronize_rcu();
	weft_wait_idle(&mc->users, !atomic_read(&mc->users));
}

u64 weft_memctx_pinned(const struct weft_memctx *mc)
{
	return (u64)atomic64_read(&mc->pinned) << PAGE_SHIFT;
}

/* ---- Access that sleeps -------------------------------------------------------------------- */

/**
 * weft_memctx_enter - begin an access that weft_memctx_quiesce() has to wait for
 * @mc: memory of the context
 *
 * Context: any.
 * Return: true: begun; false: the memory is dead, and the access must not begin.
 */
bool weft_memctx_enter(struct weft_memctx *mc)
{
	atomic_inc(&mc->users);
	/* Pairs with synchronize_rcu() between setting dead and reading users. */
	smp_mb__after_atomic();
	if (likely(!READ_ONCE(mc->dead)))
		return true;
	weft_memctx_leave(mc);
	return false;
}

/**
 * weft_memctx_leave - end an access that weft_memctx_enter() began
 * @mc: memory of the context; the caller keeps the structure alive
 *
 * Context: any.
 */
void weft_memctx_leave(struct weft_memctx *mc)
{
	/* A waiter sets dead before it reads users. */
	if (atomic_dec_and_test(&mc->users) && READ_ONCE(mc->dead))
		wake_up_var(&mc->users);
}

int weft_memctx_use(struct weft_memctx *mc)
{
	if (READ_ONCE(mc->dead) || !try_module_get(THIS_MODULE))
		return -EFAULT;
	if (!mmget_not_zero(mc->mm)) {
		module_put(THIS_MODULE);
		return -EFAULT;
	}
	kthread_use_mm(mc->mm);
	return 0;
}

void weft_memctx_unuse(struct weft_memctx *mc)
{
	kthread_unuse_mm(mc->mm);
	mmput(mc->mm);
	/* weft_owners_exit() waits for the rest of this function */
	module_put(THIS_MODULE);
}

/**
 * weft_memctx_run - call a function that accesses a program's memory
 * @mc: memory of the context, referenced
 * @fn: the function; may wait for the memory
 * @arg: its argument
 *
 * weft_memctx_quiesce() waits for it. Only the program itself, and a worker of its context, have
 * the address space. A worker that has it not found the program dead (weft_memctx_use()).
 *
 * Context: process, sleeps.
 * Return: the result of @fn, -EFAULT: the memory is gone.
 */
int weft_memctx_run(struct weft_memctx *mc, weft_mem_fn fn, void *arg)
{
	int ret = -EFAULT;

	if (likely(current->mm == mc->mm) && weft_memctx_enter(mc)) {
		ret = fn(mc, arg);
		weft_memctx_leave(mc);
	}
	return ret;
}

/* ---- Registrations ------------------------------------------------------------------------- */

/**
 * struct weft_mr - a registration
 * @mc: memory of the context, referenced
 * @vec: the registered memory
 * @write: for receiving
 * @max: capacity of @pin; 0: the range can never be pinned
 * @n: pinned ranges in @pin
 * @pin: the ranges, referenced
 */
struct weft_mr {
	struct weft_memctx *mc;
	struct weft_vec vec;
	bool write;
	unsigned long max;
	unsigned long n;
	struct weft_pin *pin[];
};

static void weft_mr_drop(struct weft_mr *mr)
{
	while (mr->n)
		weft_pin_put(mr->pin[--mr->n]);
}

static int weft_mr_pin(struct weft_memctx *mc, void *arg)
{
	struct weft_mr *mr = arg;
	struct weft_walk walk;
	struct weft_want want;
	u64 addr;
	int err = weft_walk_init(&walk, &mr->vec, 0, mr->vec.len);

	if (!err)
		err = weft_vma_allows(mc, mr->vec.seg[0].addr, mr->vec.len, mr->write);
	if (err || !mr->max)
		return err;
	while (weft_walk_next(&walk, &want, &addr)) {
		struct weft_pin *pin = weft_pin_find(mc, &want, mr->write);

		err = pin ? 0 : weft_pin_make(mc, &want, mr->write, &pin);
		if (!err)
			mr->pin[mr->n++] = pin;
		else if (fatal_signal_pending(current))
			err = -EINTR;
		if (err)
			break;
		cond_resched();
	}
	if (!err)
		return 0;
	/* A range was refused: windows make better use of the whole limit. */
	weft_mr_drop(mr);
	return err == -EINTR ? err : 0;
}

int weft_mr_reg(struct weft_memctx *mc, u64 addr, u64 len, u32 access, struct weft_mr **mrp)
{
	unsigned long max = 0;
	struct weft_mr *mr;
	int err;

	if (addr >= TASK_SIZE_MAX || len > TASK_SIZE_MAX - addr)
		return -EFAULT;
	if (!weft_pin_hopeless(mc, len >> PAGE_SHIFT))
		max = len / WEFT_PIN_BLOCK + 2;
	mr = kvzalloc(struct_size(mr, pin, max), GFP_KERNEL_ACCOUNT);
	if (!mr)
		return -ENOMEM;
	mr->max = max;
	mr->mc = mc;
	mr->vec.n = 1;
	mr->vec.len = len;
	mr->vec.seg[0].addr = addr;
	mr->vec.seg[0].len = len;
	mr->write = access & WEFT_MR_WRITE;
	err = weft_memctx_run(mc, weft_mr_pin, mr);
	if (err) {
		kvfree(mr);
		return err;
	}
	weft_memctx_get(mc);
	*mrp = mr;
	return 0;
}

void weft_mr_dereg(struct weft_mr *mr)
{
	struct weft_memctx *mc = mr->mc;

	weft_mr_drop(mr);
	kvfree(mr);
	weft_memctx_put(mc);
}

/* ---- Module -------------------------------------------------------------------------------- */

int weft_mem_init(void)
{
	int err;

	weft_mem_wq = alloc_workqueue("weft_mem", WQ_UNBOUND, 0);
	if (!weft_mem_wq)
		return -ENOMEM;
	err = weft_pin_init();
	if (err)
		goto wq;
	err = weft_shrink_init();
	if (err)
		goto pin;
	return 0;
pin:
	weft_pin_exit();
wq:
	destroy_workqueue(weft_mem_wq);
	return err;
}

void weft_mem_exit(void)
{
	weft_shrink_exit();
	/*
	 * Unpinning drops references on contexts, which queues their freeing: wait for all of it.
	 * Each mmu_notifier_unregister() has waited for calls of the notifier. No RCU callbacks
	 * exist.
	 */
	destroy_workqueue(weft_mem_wq);
	WARN_ON_ONCE(!list_empty(&weft_memctxs));
	WARN_ON_ONCE(weft_mem_total_pinned());
	weft_pin_exit();
}
