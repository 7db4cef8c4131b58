// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft - completion queues, counters, and their files
 *
 * Life: as any object's (ctx.c). The queue's file is an anonymous inode. Closing the file does not
 * destroy the queue. After the queue is destroyed, calls on the file return EIO.
 *
 * cq->armed tells the core that a thread may sleep. A waiter sets it, executes a full barrier,
 * checks for entries (weft_cq_news()), and sleeps. The core writes entries, executes a full
 * barrier, and reads cq->armed. If that was set, the core calls weft_env_wake_cq() (barrier E of
 * the header). The caller passes the index that it has seen. So an entry written between its check
 * and the call counts as new.
 *
 * Usually one thread waits. It is in ucq->sleeper, and is woken without a wait queue. Other waiters
 * and poll(2) use ucq->wq. All waiters share one alarm, which stays set after a wake-up. It expires
 * at ucq->due or is off. Each waiter ensures that it expires at its own timeout or earlier. Then
 * all waiters check their time.
 *
 *	a waiter: ucq->sleeper or ->wq, state; full barrier; cq->armed, entries, ->dead, ->due
 *	a waker:  one of those four; full barrier; ucq->sleeper, ->wq
 *
 * ucq->wq.lock protects ucq->due. A waiter holds a use of the object (weft_obj_tryuse()) while it
 * sleeps.
 */
#include <linux/anon_inodes.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "../compat.h"
#include "ctx.h"

static struct weft_ucq *weft_ucq_of(struct weft_obj *obj)
{
	return container_of(obj, struct weft_ucq, obj);
}

static void weft_ucq_wake(struct weft_ucq *ucq, __poll_t key)
{
	struct task_struct *task;

	smp_mb();	/* publish the reason before reading the waiters */
	rcu_read_lock();
	task = rcu_dereference(ucq->sleeper);
	if (task)
		wake_up_process(task);
	rcu_read_unlock();
	/* the barrier above pairs with the one between ->wq and the waiter's checks */
	if (waitqueue_active(&ucq->wq))
		wake_up_poll(&ucq->wq, key);
}

/**
 * weft_env_wake_cq - wake the waiters of a queue that has new entries
 * @cq: the queue
 *
 * Context: any.
 */
void weft_env_wake_cq(struct weft_cq *cq)
{
	weft_ucq_wake(container_of(cq, struct weft_ucq, cq), EPOLLIN | EPOLLRDNORM);
}

/**
 * weft_env_free_cq - drop the core's last reference on a queue
 * @cq: the queue
 *
 * Context: any.
 */
void weft_env_free_cq(struct weft_cq *cq)
{
	weft_obj_put(&container_of(cq, struct weft_ucq, cq)->obj);
}

static void weft_ucq_stopped(struct weft_obj *obj)
{
	weft_ucq_wake(weft_ucq_of(obj), EPOLLIN | EPOLLRDNORM | EPOLLERR);
}

static void weft_ucq_kill(struct weft_obj *obj)
{
	struct weft_ucq *ucq = weft_ucq_of(obj);

	if (ucq->hot.poller)
		weft_hot_forget(&ucq->hot);
	WRITE_ONCE(ucq->dead, true);
	if (!ucq->ring && ucq->cq.core)
		weft_cntr_end(&ucq->cq);
	weft_ucq_wake(ucq, EPOLLIN | EPOLLRDNORM | EPOLLERR | EPOLLHUP);
}

static void weft_ucq_release(struct weft_obj *obj)
{
	struct weft_ucq *ucq = weft_ucq_of(obj);
	struct weft_rings *rings = &obj->ctx->rings;

	hrtimer_cancel(&ucq->alarm);
	if (ucq->cq.core)
		weft_cq_put(&ucq->cq);
	weft_line_free(rings, &ucq->status);
	weft_line_free(rings, &ucq->doorbell);
	weft_area_put(ucq->ring);
}

/* Return: true if triggers that wait name the counter. */
static bool weft_ucq_busy(struct weft_obj *obj)
{
	return weft_cntr_named(&weft_ucq_of(obj)->cq);
}

/**
 * weft_ucq_counter - find a counter
 * @ctx: the context; ctx->own_lock is held, which keeps the counter
 * @handle: its handle
 *
 * Return: the counter, NULL: there is none.
 */
struct weft_ucq *weft_ucq_counter(struct weft_ctx *ctx, u32 handle)
{
	struct weft_obj *obj;

	lockdep_assert_held(&ctx->own_lock);
	obj = weft_obj_find(ctx, handle, &weft_ucq_ops);
	return obj && !weft_ucq_of(obj)->ring ? weft_ucq_of(obj) : NULL;
}

/** weft_ucq_ops - operations of completion queues */
const struct weft_obj_ops weft_ucq_ops = {
	.kill = weft_ucq_kill,
	.release = weft_ucq_release,
	.busy = weft_ucq_busy,
	.stopped = weft_ucq_stopped,
};

/**
 * weft_ucq_look - report the state of a queue or a counter
 * @obj: an object of any kind; ctx->lock is held
 * @cq: out, but for its owner
 *
 * Return: true; false: the object is neither.
 */
bool weft_ucq_look(struct weft_obj *obj, struct weft_dev_cq *cq)
{
	struct weft_ucq *ucq = weft_ucq_of(obj);

	lockdep_assert_held(&obj->ctx->lock);
	if (obj->ops != &weft_ucq_ops)
		return false;
	cq->handle = obj->handle;
	/* which thread it is, and whether it still waits, does not matter */
	cq->waiter = rcu_access_pointer(ucq->sleeper) || waitqueue_active(&ucq->wq);
	weft_cq_look(&ucq->cq, &cq->info);
	return true;
}

/* ---- Waiting --------------------------------------------------------------------------------- */

/* Return: the reason not to sleep: 0: new entries, or an error; -EAGAIN: no reason. */
static int weft_ucq_reason(struct weft_ucq *ucq, u32 seen)
{
	/* read before the check: entries from before the end are visible then */
	bool ended = smp_load_acquire(&ucq->cq.core->ended);

	if (READ_ONCE(ucq->dead))
		return -EIO;
	if (weft_cq_news(&ucq->cq, seen))
		return 0;
	if (atomic_read(&ucq->signals) && atomic_dec_if_positive(&ucq->signals) >= 0)
		return -ECANCELED;
	return ended ? -ENODEV : -EAGAIN;
}

static enum hrtimer_restart weft_ucq_rings(struct hrtimer *alarm)
{
	struct weft_ucq *ucq = container_of(alarm, struct weft_ucq, alarm);
	unsigned long flags;

	spin_lock_irqsave(&ucq->wq.lock, flags);
	WRITE_ONCE(ucq->due, KTIME_MAX);
	spin_unlock_irqrestore(&ucq->wq.lock, flags);
	weft_ucq_wake(ucq, 0);
	return HRTIMER_NORESTART;
}

/* Have the alarm expire at @until or earlier. */
static void weft_ucq_set_alarm(struct weft_ucq *ucq, ktime_t until)
{
	unsigned long flags;

	if (READ_ONCE(ucq->due) <= until)
		return;
	spin_lock_irqsave(&ucq->wq.lock, flags);
	if (ucq->due > until) {
		WRITE_ONCE(ucq->due, until);
		hrtimer_start_range_ns(&ucq->alarm, until, current->timer_slack_ns,
				       HRTIMER_MODE_ABS);
	}
	spin_unlock_irqrestore(&ucq->wq.lock, flags);
}

static int weft_ucq_sleep(struct weft_ucq *ucq, u32 seen, u64 timeout_ns)
{
	struct wait_queue_entry wait;
	ktime_t until = KTIME_MAX;
	bool alone, woken = false;
	int err;

	if (timeout_ns < KTIME_MAX)
		until = ktime_add_safe(ktime_get(), ns_to_ktime(timeout_ns));
	alone = !unrcu_pointer(cmpxchg(&ucq->sleeper, NULL, RCU_INITIALIZER(current)));
	if (unlikely(!alone))
		init_wait(&wait);
	for (;; woken = true) {
		if (likely(alone))
			set_current_state(TASK_INTERRUPTIBLE);
		else
			prepare_to_wait(&ucq->wq, &wait, TASK_INTERRUPTIBLE);
		smp_store_release(&ucq->cq.armed, true);	/* after the place to wake */
		smp_mb();	/* barrier E: set armed before checking for entries */
		err = weft_ucq_reason(ucq, seen);
		if (err != -EAGAIN)
			break;
		err = -EINTR;
		if (signal_pending(current))
			break;
		if (until != KTIME_MAX) {
			err = -ETIMEDOUT;
			if (woken && ktime_get() >= until)
				break;
			weft_ucq_set_alarm(ucq, until);
		}
		schedule();
	}
	if (likely(alone)) {
		__set_current_state(TASK_RUNNING);
		RCU_INIT_POINTER(ucq->sleeper, NULL);
	} else {
		finish_wait(&ucq->wq, &wait);
	}
	return err;
}

/*
 * Wait. The caller has checked for entries. This function checks only after it has armed the queue.
 * @timeout_ns: KTIME_MAX: no timeout
 */
static int weft_ucq_wait(struct weft_ucq *ucq, u32 seen, u64 timeout_ns)
{
	int err;

	if (likely(timeout_ns))
		return weft_ucq_sleep(ucq, seen, timeout_ns);
	err = weft_ucq_reason(ucq, seen);
	return err == -EAGAIN ? -ETIMEDOUT : err;
}

/* WEFT_IOC_CQ_WAIT */
static int weft_ucq_wait_call(struct weft_ucq *ucq, const void __user *uarg)
{
	struct weft_ioc_wait arg;
	int err = weft_copy_in(&arg, sizeof(arg), uarg);

	if (err)
		return err;
	if (arg.flags || arg.rsvd)
		return -EINVAL;
	return weft_ucq_wait(ucq, arg.seen,
			     arg.timeout_ns >> 56 ? KTIME_MAX : arg.timeout_ns);
}

/* lseek(2) on the file: wait, if the administrator permits that. */
static loff_t weft_ucq_llseek(struct file *file, loff_t where, int what)
{
	struct weft_ucq *ucq = file->private_data;
	u64 code = where, timeout_ns = KTIME_MAX;
	int err;

	if (unlikely(current->mm != ucq->obj.ctx->mm))
		return -EPERM;
	if (unlikely(!ucq->obj.ctx->seek))
		return -ESPIPE;
	if (unlikely(what != WEFT_CQ_SEEK_WAIT || code >> 62 != WEFT_CQ_SEEK >> 62))
		return -EINVAL;
	if ((code & WEFT_CQ_SEEK_EVER) != WEFT_CQ_SEEK_EVER)
		timeout_ns = (code >> 32 & 0x1ffffff) << (code >> 57 & 31);
	if (!weft_obj_tryuse(&ucq->obj))
		return -EIO;
	err = weft_ucq_wait(ucq, (u32)code, timeout_ns);
	weft_obj_unuse(&ucq->obj);
	return err;
}

/* ---- The file -------------------------------------------------------------------------------- */

static long weft_ucq_notify(struct weft_ucq *ucq)
{
	struct weft_ctx *ctx = ucq->obj.ctx;
	struct weft_out *out;

	if (!ucq->ring)
		return -EINVAL;
	/* allowed after the port has gone: waiting entries are not lost */
	out = weft_ctx_out(ctx);
	if (!out)
		return -ENOMEM;
	weft_cq_notify(&ucq->cq, weft_now(), out);
	weft_flush(out);
	weft_ctx_out_put(ctx, out);
	weft_hot_notified(&ucq->hot);
	return 0;
}

static long weft_ucq_signal(struct weft_ucq *ucq)
{
	if (ucq->ring)
		atomic_add_unless(&ucq->signals, 1, INT_MAX);
	else
		weft_cq_stir(&ucq->cq);
	weft_ucq_wake(ucq, 0);
	return 0;
}

/* WEFT_IOC_CNTR_CHANGE */
static long weft_ucq_change(struct weft_ucq *ucq, const void __user *uarg)
{
	struct weft_ctx *ctx = ucq->obj.ctx;
	struct weft_ioc_cntr_change arg;
	struct weft_out *out;
	int err = weft_copy_in(&arg, sizeof(arg), uarg);

	if (err)
		return err;
	if (ucq->ring || arg.flags & ~(WEFT_CNTRF_ADD | WEFT_CNTRF_FAILED))
		return -EINVAL;
	out = weft_ctx_out(ctx);
	if (!out)
		return -ENOMEM;
	weft_cntr_change(&ucq->cq, arg.value, arg.flags, out);
	weft_flush(out);
	weft_ctx_out_put(ctx, out);
	return 0;
}

static long weft_ucq_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct weft_ucq *ucq = file->private_data;
	long err;

	if (unlikely(current->mm != ucq->obj.ctx->mm))
		return -EPERM;
	if (!weft_obj_tryuse(&ucq->obj))
		return -EIO;
	if (cmd == WEFT_IOC_CQ_NOTIFY)
		err = weft_ucq_notify(ucq);
	else if (cmd == WEFT_IOC_CQ_SIGNAL)
		err = weft_ucq_signal(ucq);
	else if (cmd == WEFT_IOC_CNTR_CHANGE)
		err = weft_ucq_change(ucq, (const void __user *)arg);
	else if (cmd == WEFT_IOC_CQ_WAIT)
		err = weft_ucq_wait_call(ucq, (const void __user *)arg);
	else
		err = -ENOTTY;
	weft_obj_unuse(&ucq->obj);
	return err;
}

static __poll_t weft_ucq_poll(struct file *file, struct poll_table_struct *pt)
{
	struct weft_ucq *ucq = file->private_data;
	__poll_t mask = 0;

	if (!weft_obj_tryuse(&ucq->obj))
		return EPOLLERR | EPOLLHUP;
	poll_wait(file, &ucq->wq, pt);
	smp_store_release(&ucq->cq.armed, true);	/* after poll_wait() */
	smp_mb();	/* barrier E: set armed before checking for entries */
	if (weft_cq_ready(&ucq->cq))
		mask |= EPOLLIN | EPOLLRDNORM;
	if (READ_ONCE(ucq->dead))
		mask |= EPOLLERR | EPOLLHUP;
	else if (READ_ONCE(ucq->cq.core->ended))
		mask |= EPOLLERR;
	weft_obj_unuse(&ucq->obj);
	return mask;
}

static int weft_ucq_close(struct inode *inode, struct file *file)
{
	struct weft_ucq *ucq = file->private_data;

	weft_obj_put(&ucq->obj);
	return 0;
}

/* /proc/PID/fdinfo/N of a queue: its slots, those not read, whether completions wait for space */
static void weft_ucq_fdinfo(struct seq_file *m, struct file *file)
{
	struct weft_ucq *ucq = file->private_data;
	struct weft_cq_info info;

	seq_printf(m, "weft-cq:\t%u\nweft-ctx:\t%u\n", ucq->obj.handle, ucq->obj.ctx->id);
	if (!ucq->ring || !weft_obj_tryuse(&ucq->obj))
		return;
	weft_cq_look(&ucq->cq, &info);
	weft_obj_unuse(&ucq->obj);
	seq_printf(m, "weft-slots:\t%u\nweft-unread:\t%u\nweft-waiting:\t%s\nweft-error:\t%s\n",
		   info.size, info.unread, info.waiting ? "yes" : "no", info.bad ? "yes" : "no");
}

static const struct file_operations weft_ucq_fops = {
	.owner = THIS_MODULE,
	.release = weft_ucq_close,
	.unlocked_ioctl = weft_ucq_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.poll = weft_ucq_poll,
	.llseek = weft_ucq_llseek,
	.show_fdinfo = weft_ucq_fdinfo,
};

/**
 * weft_ucq_create - WEFT_IOC_CQ_CREATE
 * @call: struct weft_ioc_cq
 *
 * Return: 0, -EINVAL: slots; -EMFILE, -ENOSPC, -ENOMEM, -ENFILE.
 */
int weft_ucq_create(struct weft_call *call)
{
	struct weft_rings *rings = &call->ctx->rings;
	struct weft_ioc_cq *arg = call->arg;
	bool counter = arg->flags & WEFT_CQF_COUNT;
	struct weft_ucq *ucq;
	int err;

	if (counter ? arg->slots : !arg->slots || arg->slots > WEFT_RING_MAX)
		return -EINVAL;
	if (!counter)
		arg->slots = weft_ring_slots(arg->slots);
	ucq = kzalloc(sizeof(*ucq), GFP_KERNEL_ACCOUNT);
	if (!ucq)
		return -ENOMEM;
	init_waitqueue_head(&ucq->wq);
	hrtimer_setup(&ucq->alarm, weft_ucq_rings, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	ucq->due = KTIME_MAX;
	err = weft_obj_init(call->ctx, &ucq->obj, &weft_ucq_ops);
	if (err) {
		kfree(ucq);
		return err;
	}
	call->obj = &ucq->obj;

	if (!counter)
		ucq->ring = weft_area_new(rings, (size_t)arg->slots * sizeof(struct weft_cqe),
					  false);
	if (IS_ERR(ucq->ring)) {
		err = PTR_ERR(ucq->ring);
		ucq->ring = NULL;
		return err;
	}
	err = weft_line_new(rings, true, &ucq->doorbell);
	if (err)
		return err;
	err = weft_line_new(rings, false, &ucq->status);
	if (err)
		return err;
	err = weft_call_file(call, counter ? "[weft-cntr]" : "[weft-cq]", &weft_ucq_fops, O_RDWR);
	if (err)
		return err;
	weft_cq_init(&ucq->cq, call->ctx->core, call->ctx->core->cnt,
		     counter ? NULL : ucq->ring->kva, arg->slots,
		     weft_line_kva(&ucq->doorbell), weft_line_kva(&ucq->status));
	refcount_inc(&ucq->obj.ref);	/* the core's reference */
	ucq->hot.cq = &ucq->cq;
	weft_hot_init(&ucq->hot, call->ctx->dev->engine, &ucq->obj, weft_line_kva(&ucq->doorbell));

	arg->handle = ucq->obj.handle;
	arg->fd = call->fd;
	memset(&arg->ring, 0, sizeof(arg->ring));
	if (!counter)
		weft_area_map(ucq->ring, &arg->ring);
	weft_line_map(&ucq->doorbell, &arg->doorbell);
	weft_line_map(&ucq->status, &arg->status);
	return 0;
}
