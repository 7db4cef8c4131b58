// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft - event queues and their files
 *
 * Life: as any object's (ctx.c). The file is an anonymous inode. Closing it does not destroy the
 * queue. After the queue is destroyed, calls on the file return EIO.
 *
 * If an event was taken from the queue but could not be copied to its reader (EFAULT), it stays in
 * ueq->buf. The next read returns it, so no event is lost.
 *
 * ueq->lock (a mutex) serialises readers. User memory is touched under it.
 */
#include <linux/anon_inodes.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "ctx.h"

static struct weft_ueq *weft_ueq_of(struct weft_obj *obj)
{
	return container_of(obj, struct weft_ueq, obj);
}

/**
 * weft_env_wake_eq - wake the waiters of a queue that has new events
 * @eq: the queue
 *
 * Context: any.
 */
void weft_env_wake_eq(struct weft_eq *eq)
{
	struct weft_ueq *ueq = container_of(eq, struct weft_ueq, eq);

	wake_up_interruptible_poll(&ueq->wq, EPOLLIN | EPOLLRDNORM);
}

/**
 * weft_env_free_eq - drop the core's last reference on a queue
 * @eq: the queue
 *
 * Context: any.
 */
void weft_env_free_eq(struct weft_eq *eq)
{
	weft_obj_put(&container_of(eq, struct weft_ueq, eq)->obj);
}

static void weft_ueq_stopped(struct weft_obj *obj)
{
	wake_up_poll(&weft_ueq_of(obj)->wq, EPOLLIN | EPOLLRDNORM | EPOLLERR);
}

static void weft_ueq_kill(struct weft_obj *obj)
{
	struct weft_ueq *ueq = weft_ueq_of(obj);

	WRITE_ONCE(ueq->dead, true);
	wake_up_poll(&ueq->wq, EPOLLIN | EPOLLRDNORM | EPOLLERR | EPOLLHUP);
}

static void weft_ueq_release(struct weft_obj *obj)
{
	struct weft_ueq *ueq = weft_ueq_of(obj);

	weft_eq_fini(&ueq->eq);
	weft_eq_put(&ueq->eq);
}

/** weft_ueq_ops - operations of event queues */
const struct weft_obj_ops weft_ueq_ops = {
	.kill = weft_ueq_kill,
	.release = weft_ueq_release,
	.stopped = weft_ueq_stopped,
};

static bool weft_ueq_ready(struct weft_ueq *ueq)
{
	return READ_ONCE(ueq->len) || weft_eq_ready(&ueq->eq);
}

/* Read one event. Return: bytes, -EAGAIN: no event, -EINVAL: does not fit, -EFAULT. */
static ssize_t weft_ueq_take(struct weft_ueq *ueq, char __user *buf, size_t room)
{
	ssize_t n = ueq->len;

	if (!n) {
		n = weft_eq_read(&ueq->eq, ueq->buf, min(room, sizeof(ueq->buf)));
		if (n < 0)
			return n == -EMSGSIZE ? -EINVAL : n;
		WRITE_ONCE(ueq->len, n);
	}
	if (n > room)
		return -EINVAL;
	if (copy_to_user(buf, ueq->buf, n))
		return -EFAULT;
	WRITE_ONCE(ueq->len, 0);
	return n;
}

static ssize_t weft_ueq_take_all(struct weft_ueq *ueq, char __user *buf, size_t room)
{
	ssize_t sum = 0, n;

	if (mutex_lock_interruptible(&ueq->lock))
		return -EINTR;
	do {
		n = weft_ueq_take(ueq, buf + sum, room - sum);
		if (n > 0)
			sum += n;
	} while (n > 0);
	mutex_unlock(&ueq->lock);
	return sum ?: n;
}

static ssize_t weft_ueq_read_inside(struct weft_ueq *ueq, struct file *file, char __user *buf,
				    size_t room)
{
	struct weft_core *core = ueq->obj.ctx->core;
	bool ended;
	ssize_t n;

	for (;;) {
		if (READ_ONCE(ueq->dead))
			return -EIO;
		n = weft_ueq_take_all(ueq, buf, room);
		if (n != -EAGAIN)
			return n;
		/* read before the check: events from before the end are visible then */
		ended = smp_load_acquire(&core->ended);
		if (weft_ueq_ready(ueq))
			continue;
		if (ended)
			return -ENODEV;
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		if (wait_event_interruptible(ueq->wq, weft_ueq_ready(ueq) || READ_ONCE(ueq->dead) ||
					     READ_ONCE(core->ended)))
			return -EINTR;
	}
}

static ssize_t weft_ueq_read(struct file *file, char __user *buf, size_t room, loff_t *pos)
{
	struct weft_ueq *ueq = file->private_data;
	ssize_t n;

	if (current->mm != ueq->obj.ctx->mm)
		return -EPERM;
	if (!weft_obj_tryuse(&ueq->obj))
		return -EIO;
	n = weft_ueq_read_inside(ueq, file, buf, room);
	weft_obj_unuse(&ueq->obj);
	return n;
}

static __poll_t weft_ueq_poll(struct file *file, struct poll_table_struct *pt)
{
	struct weft_ueq *ueq = file->private_data;
	__poll_t mask = 0;

	if (!weft_obj_tryuse(&ueq->obj))
		return EPOLLERR | EPOLLHUP;
	poll_wait(file, &ueq->wq, pt);
	if (weft_ueq_ready(ueq))
		mask |= EPOLLIN | EPOLLRDNORM;
	if (READ_ONCE(ueq->dead))
		mask |= EPOLLERR | EPOLLHUP;
	else if (READ_ONCE(ueq->obj.ctx->core->ended))
		mask |= EPOLLERR;
	weft_obj_unuse(&ueq->obj);
	return mask;
}

static int weft_ueq_close(struct inode *inode, struct file *file)
{
	struct weft_ueq *ueq = file->private_data;

	weft_obj_put(&ueq->obj);
	return 0;
}

static const struct file_operations weft_ueq_fops = {
	.owner = THIS_MODULE,
	.release = weft_ueq_close,
	.read = weft_ueq_read,
	.poll = weft_ueq_poll,
	.llseek = noop_llseek,
};

/**
 * weft_ueq_create - WEFT_IOC_EQ_CREATE
 * @call: struct weft_ioc_eq
 *
 * Return: 0, -EMFILE, -ENOMEM, -ENFILE.
 */
int weft_ueq_create(struct weft_call *call)
{
	struct weft_ioc_eq *arg = call->arg;
	struct weft_ueq *ueq;
	int err;

	ueq = kzalloc(sizeof(*ueq), GFP_KERNEL_ACCOUNT);
	if (!ueq)
		return -ENOMEM;
	init_waitqueue_head(&ueq->wq);
	mutex_init(&ueq->lock);
	weft_eq_init(&ueq->eq);
	err = weft_obj_init(call->ctx, &ueq->obj, &weft_ueq_ops);
	if (err) {
		kfree(ueq);
		return err;
	}
	refcount_inc(&ueq->obj.ref);	/* the core's reference */
	call->obj = &ueq->obj;
	err = weft_call_file(call, "[weft-eq]", &weft_ueq_fops, O_RDONLY);
	if (err)
		return err;
	arg->handle = ueq->obj.handle;
	arg->fd = call->fd;
	return 0;
}
