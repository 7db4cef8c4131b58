// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft - memory of programs: contexts
 *
 * A context belongs to the address space that opened the device. mm_count is held for it
 * (mmgrab), never mm_users: a context must not keep a dying process' memory. Whoever has to
 * sleep on that memory takes mm_users for as long as that takes.
 *
 *	alive -> dead		weft_memctx_kill(), or the process' death, which the notifier tells
 *	dead -> quiet		weft_memctx_quiesce(): nobody accesses its memory any more
 *	quiet -> freed		by a worker, after the last reference has gone: windows and pinned
 *				ranges keep the structure
 *
 * Registrations are here too: they are nothing but references on pinned ranges.
 *
 * Locks: mem_priv.h. "dead" is set under mc->lock and read under RCU by copies (which do not
 * sleep), and after counting oneself in mc->users by accesses that sleep; weft_memctx_quiesce()
 * waits for both.
 */
#include <linux/kthread.h>
#include <linux/memcontrol.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>
#include <linux/slab.h>
#include <linux/wait_bit.h>
#include "mem_priv.h"

/* Unbound: its work sleeps, on the pages of slow file systems even. */
struct workqueue_struct *weft_mem_wq;

/* All contexts, for taking idle pages from others of the same user. */
DEFINE_MUTEX(weft_memctxs_lock);
LIST_HEAD(weft_memctxs);

/* ---- Life of a context --------------------------------------------------------------------- */

static void weft_memctx_free(struct work_struct *work)
{
	struct weft_memctx *mc = container_of(work, struct weft_memctx, free);

	WARN_ON_ONCE(!mc->dead);
	/* Waits for notifications that are being handled. */
	mmu_notifier_unregister(&mc->mn, mc->mm);
	mutex_lock(&weft_memctxs_lock);
	list_del(&mc->all);
	mutex_unlock(&weft_memctxs_lock);
	mem_cgroup_put(mc->memcg);
	if (mc->user)
		free_uid(mc->user);
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
	if (!capable(CAP_IPC_LOCK))
		mc->user = get_uid(current_user());
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
 * weft_memctx_put - drop a reference on the structure
 * @mc: memory of the context
 *
 * Context: any; what sleeps is left to a worker.
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

bool weft_memctx_mine(const struct weft_memctx *mc)
{
	return current->mm == mc->mm;
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
	/* Copies that did not see it dead; and orders the store before the load of users. */
	synchronize_rcu();
	wait_var_event(&mc->users, !atomic_read(&mc->users));
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
 * Return: false: it is dead, and nothing was begun.
 */
bool weft_memctx_enter(struct weft_memctx *mc)
{
	atomic_inc(&mc->users);
	/* Pairs with synchronize_rcu() between setting dead and looking at users. */
	smp_mb__after_atomic();
	if (likely(!READ_ONCE(mc->dead)))
		return true;
	weft_memctx_leave(mc);
	return false;
}

/**
 * weft_memctx_leave - end it
 * @mc: memory of the context; something that keeps the structure is held
 *
 * Context: any.
 */
void weft_memctx_leave(struct weft_memctx *mc)
{
	/* Whoever waits has set dead before it looked at users. */
	if (atomic_dec_and_test(&mc->users) && READ_ONCE(mc->dead))
		wake_up_var(&mc->users);
}

int weft_memctx_use(struct weft_memctx *mc)
{
	if (!mmget_not_zero(mc->mm))
		return -EFAULT;
	kthread_use_mm(mc->mm);
	return 0;
}

void weft_memctx_unuse(struct weft_memctx *mc)
{
	kthread_unuse_mm(mc->mm);
	mmput(mc->mm);
}

/**
 * struct weft_call - a call that is made by a worker
 * @work: the work
 * @mc: memory of the context
 * @fn: what is called
 * @arg: its argument
 * @ret: what it returned
 */
struct weft_call {
	struct work_struct work;
	struct weft_memctx *mc;
	weft_mem_fn fn;
	void *arg;
	int ret;
};

static int weft_call_here(struct weft_memctx *mc, weft_mem_fn fn, void *arg)
{
	int ret = -EFAULT;

	if (weft_memctx_enter(mc)) {
		ret = fn(mc, arg);
		weft_memctx_leave(mc);
	}
	return ret;
}

static void weft_call_work(struct work_struct *work)
{
	struct weft_call *call = container_of(work, struct weft_call, work);

	call->ret = weft_memctx_use(call->mc);
	if (call->ret)
		return;
	call->ret = weft_call_here(call->mc, call->fn, call->arg);
	weft_memctx_unuse(call->mc);
}

/**
 * weft_memctx_run - call a function in the address space of a context
 * @mc: memory of the context, referenced
 * @fn: the function; may sleep
 * @arg: its argument
 *
 * weft_memctx_quiesce() waits for it. In a process with another address space a worker does it.
 *
 * Context: process, sleeps.
 * Return: what @fn returns, -EFAULT: the memory is gone.
 */
int weft_memctx_run(struct weft_memctx *mc, weft_mem_fn fn, void *arg)
{
	struct weft_call call = { .mc = mc, .fn = fn, .arg = arg };

	if (likely(current->mm == mc->mm))
		return weft_call_here(mc, fn, arg);
	if ((current->flags & PF_KTHREAD) && !current->mm) {
		weft_call_work(&call.work);
		return call.ret;
	}
	INIT_WORK_ONSTACK(&call.work, weft_call_work);
	queue_work(weft_mem_wq, &call.work);
	flush_work(&call.work);
	destroy_work_on_stack(&call.work);
	return call.ret;
}

/* ---- Registrations ------------------------------------------------------------------------- */

/**
 * struct weft_mr - a registration
 * @mc: memory of the context, referenced
 * @vec: what was registered
 * @write: for receiving
 * @max: room in @pin; 0: pinning it is hopeless
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
	int err;

	err = weft_walk_init(&walk, &mr->vec, 0, mr->vec.len);
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
	/* Refused somewhere: windows do better with all of the limit. */
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
		destroy_workqueue(weft_mem_wq);
	return err;
}

void weft_mem_exit(void)
{
	/*
	 * Unpinning puts contexts, and that queues their freeing: all of it is waited for. Calls of
	 * the notifier were waited for by each mmu_notifier_unregister(); RCU callbacks there are
	 * none.
	 */
	destroy_workqueue(weft_mem_wq);
	WARN_ON_ONCE(!list_empty(&weft_memctxs));
	WARN_ON_ONCE(weft_mem_total_pinned());
	weft_pin_exit();
}
