// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft - character devices: the class "weft", the nodes /dev/weft/<port>, and their files
 *
 * A device:
 *
 *	weft_dev_add() ---> in the table of minors: can be opened
 *	---(weft_dev_del())---> only its open files are left
 *	---(weft_dev_free(): the last reference on the port has gone)---> freed
 *
 * A file is a context (ctx.c). It holds a reference on the port. The files of anonymous inodes (CQ,
 * EQ) hold the module as well, and maps hold their file. So the module outlives them.
 *
 * The class knows network namespaces: /sys/class/weft shows the ports of the reader's namespace.
 * Nodes are in devtmpfs, which has no namespaces. So open(2) compares the namespaces, and returns
 * ENODEV for a port of another one.
 *
 * weft_devs_lock protects the table of minors. dev->lock protects the list of contexts. All
 * functions run in process context. Order: Documentation/locking.rst.
 */
#include <linux/cdev.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/nsproxy.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <net/net_namespace.h>

#include "../compat.h"
#include "../trace/trace.h"
#include "ctx.h"
#include "upcalls.h"

#define WEFT_MINORS	256	/* ports */

static dev_t weft_devt;
static struct cdev weft_cdev;
static DEFINE_MUTEX(weft_devs_lock);
static struct weft_dev *weft_minors[WEFT_MINORS];

/* ---- Files ----------------------------------------------------------------------------------- */

static int weft_open(struct inode *inode, struct file *file)
{
	unsigned int minor = iminor(inode) - MINOR(weft_devt);
	struct weft_port *port = NULL;
	struct weft_dev *dev = NULL;
	struct weft_ctx *ctx;

	mutex_lock(&weft_devs_lock);
	if (minor < WEFT_MINORS)
		dev = weft_minors[minor];
	if (dev && dev->cookie == current->nsproxy->net_ns->net_cookie && weft_up_tryget(dev->port))
		port = dev->port;
	mutex_unlock(&weft_devs_lock);
	if (!port)
		return -ENODEV;
	ctx = weft_ctx_new(dev);
	if (IS_ERR(ctx)) {
		weft_up_put(port);
		return PTR_ERR(ctx);
	}
	refcount_inc(&ctx->ref);
	file->private_data = ctx;
	/* as nonseekable_open(), but lseek(2) may be the notify call */
	file->f_mode &= ~(FMODE_PREAD | FMODE_PWRITE);
	return 0;
}

static int weft_release(struct inode *inode, struct file *file)
{
	struct weft_ctx *ctx = file->private_data;

	/*
	 * The end may wait for the memory of the program that opened the file. Another program may
	 * have got the file by a socket, and kernel threads close files of many users.
	 */
	if (current->mm != READ_ONCE(ctx->mm))
		weft_ctx_kill_later(ctx);
	else
		weft_ctx_kill(ctx);
	weft_ctx_put(ctx);
	return 0;
}

static int weft_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct weft_ctx *ctx = file->private_data;

	if (vma->vm_mm != ctx->mm)
		return -EPERM;
	if (READ_ONCE(ctx->core->stopped))
		return -ENODEV;
	return weft_rings_mmap(&ctx->rings, vma);
}

static long weft_file_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	u32 what = cmd - WEFT_IOC_NOTIFY(0);

	if (what <= WEFT_NOTIFY_TIMED)
		return weft_notify(file->private_data, arg, what);
	return weft_ioctl(file->private_data, cmd, (void __user *)arg);
}

static loff_t weft_llseek(struct file *file, loff_t where, int what)
{
	struct weft_ctx *ctx = file->private_data;

	return likely(ctx->seek) ? weft_notify(ctx, where, what) : -ESPIPE;
}

/*
 * Find the next object of a context that @look takes. Objects stay in the table meanwhile:
 * ctx->lock is held.
 */
static int weft_ctx_obj_next(struct weft_ctx *ctx, u32 *index,
			     bool (*look)(struct weft_obj *obj, void *to), void *to)
{
	struct weft_obj *obj;
	int err = -ENOENT;
	u32 i;

	mutex_lock(&ctx->lock);
	for (i = *index; err && i < WEFT_CTX_OBJS; i++) {
		obj = rcu_dereference_protected(ctx->objs[i], lockdep_is_held(&ctx->lock));
		if (obj && look(obj, to))
			err = 0;
	}
	mutex_unlock(&ctx->lock);
	*index = i;
	return err;
}

static bool weft_obj_ep(struct weft_obj *obj, void *to)
{
	return weft_uep_look(obj, to);
}

static int weft_ctx_ep_next(struct weft_ctx *ctx, u32 *index, void *to)
{
	return weft_ctx_obj_next(ctx, index, weft_obj_ep, to);
}

/*
 * /proc/PID/fdinfo/N: the context, and a line for each endpoint. The kernel lets those read it who
 * may trace the process.
 */
static void weft_show_fdinfo(struct seq_file *m, struct file *file)
{
	struct weft_ctx *ctx = file->private_data;
	struct weft_ep_info info;
	char name[WEFT_TRACE_NAME];
	u32 index = 0;

	seq_printf(m, "weft-port:\t%s\nweft-ctx:\t%u\nweft-objects:\t%u\nweft-pinned:\t%llu\n",
		   ctx->dev->name, ctx->id, READ_ONCE(ctx->nobjs), weft_memctx_pinned(ctx->mc));
	while (!weft_ctx_ep_next(ctx, &index, &info)) {
		weft_trace_name(name, &info.addr);
		seq_printf(m,
			   "weft-ep:\t%s %s %s handle %u posted %u unexpected %u sending %u\n",
			   name, weft_ep_type_name(info.type), weft_ep_state_name(info.state),
			   info.handle, info.posted, info.unexp, info.sending);
	}
}

static const struct file_operations weft_fops = {
	.owner = THIS_MODULE,
	.open = weft_open,
	.release = weft_release,
	.mmap = weft_mmap,
	.unlocked_ioctl = weft_file_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.llseek = weft_llseek,
	.show_fdinfo = weft_show_fdinfo,
};

/* ---- Devices --------------------------------------------------------------------------------- */

static char *weft_devnode(weft_class_const struct device *device, umode_t *mode)
{
	if (mode)
		*mode = 0660;
	return kasprintf(GFP_KERNEL, "weft/%s", dev_name(device));
}

static weft_class_ns weft_namespace(weft_class_const struct device *device)
{
	const struct weft_dev *dev = dev_get_drvdata(device);

	return weft_class_ns_of(dev->net);
}

static struct class weft_class = {
	.name = "weft",
	.devnode = weft_devnode,
	.ns_type = &net_ns_type_operations,
	.namespace = weft_namespace,
};

static int weft_minor_get(struct weft_dev *dev)
{
	int i, err = -ENOSPC;

	mutex_lock(&weft_devs_lock);
	for (i = 0; i < WEFT_MINORS; i++)
		if (!weft_minors[i]) {
			weft_minors[i] = dev;
			dev->minor = i;
			err = 0;
			break;
		}
	mutex_unlock(&weft_devs_lock);
	return err;
}

static void weft_minor_put(struct weft_dev *dev)
{
	mutex_lock(&weft_devs_lock);
	weft_minors[dev->minor] = NULL;
	mutex_unlock(&weft_devs_lock);
}

struct weft_port *weft_dev_port(const struct weft_dev *dev)
{
	return dev->port;
}

int weft_dev_add(const struct weft_dev_conf *conf, struct weft_dev **to)
{
	struct weft_dev *dev;
	int err;

	dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	if (!dev)
		return -ENOMEM;
	dev->port = conf->port;
	dev->core = conf->core;
	dev->net = conf->net;
	dev->cookie = conf->cookie;
	dev->seek = true;
	strscpy(dev->name, conf->name, sizeof(dev->name));
	mutex_init(&dev->lock);
	INIT_LIST_HEAD(&dev->ctxs);
	dev->engine = weft_engine_new(dev);
	dev->out = kvmalloc(sizeof(*dev->out), GFP_KERNEL);
	if (!dev->engine || !dev->out) {
		err = -ENOMEM;
		goto fail;
	}
	weft_out_init(dev->out, dev->core);
	err = weft_deferred_init(&dev->orphans, NULL, dev->core, weft_dev_wq);
	if (err)
		goto fail;
	err = weft_dev_enter(dev);
	if (err) {
		weft_deferred_exit(&dev->orphans);
		goto fail;
	}
	WRITE_ONCE(*to, dev);	/* weft_dev_free() frees it from here on */

	err = weft_minor_get(dev);
	if (err)
		return err;
	dev->device = device_create_with_groups(&weft_class, NULL, weft_devt + dev->minor, dev,
						conf->groups, "%s", dev->name);
	if (!IS_ERR(dev->device))
		return 0;
	err = PTR_ERR(dev->device);
	dev->device = NULL;
	weft_minor_put(dev);
	return err;

fail:
	weft_engine_free(dev->engine);
	kvfree(dev->out);
	kfree(dev);
	return err;
}

void weft_dev_del(struct weft_dev *dev)
{
	struct weft_ctx *ctx;
	bool more;

	if (!dev || !dev->device)
		return;
	weft_minor_put(dev);
	device_unregister(dev->device);
	dev->device = NULL;
	do {
		more = weft_core_stop(dev->core, weft_now(), ENODEV, dev->out);
		weft_flush(dev->out);
		cond_resched();
	} while (more);
	/* a program that reads until ENODEV misses no entry that was written before */
	smp_store_release(&dev->core->ended, true);
	mutex_lock(&dev->lock);
	list_for_each_entry(ctx, &dev->ctxs, node)
		weft_ctx_stopped(ctx);
	mutex_unlock(&dev->lock);
}

void weft_dev_free(struct weft_dev *dev)
{
	if (!dev)
		return;
	weft_deferred_exit(&dev->orphans);
	weft_dev_leave(dev);
	weft_engine_free(dev->engine);
	kvfree(dev->out);
	mutex_destroy(&dev->lock);
	kfree(dev);
}

/* ---- For the administrator ------------------------------------------------------------------- */

static u32 weft_ctx_endpoints(struct weft_ctx *ctx)
{
	struct weft_ep_info info;
	u32 index = 0, n = 0;

	while (!weft_ctx_ep_next(ctx, &index, &info))
		n++;
	return n;
}

int weft_dev_ctx_next(struct weft_dev *dev, u64 *pos, struct weft_dev_ctx *info)
{
	struct weft_ctx *ctx;
	int err = -ENOENT;

	mutex_lock(&dev->lock);
	list_for_each_entry(ctx, &dev->ctxs, node)
		if (ctx->id > *pos) {
			weft_ctx_look(ctx, info);
			info->endpoints = weft_ctx_endpoints(ctx);
			*pos = ctx->id;
			err = 0;
			break;
		}
	mutex_unlock(&dev->lock);
	return err;
}

/*
 * Find the next thing in the contexts of a port; *@pos: context and index. @next finds it in one
 * context, from *index on; it returns -ENOENT if there are no more.
 */
static int weft_dev_next(struct weft_dev *dev, u64 *pos,
			 int (*next)(struct weft_ctx *ctx, u32 *index, void *to), void *to,
			 struct weft_dev_ctx *owner)
{
	u32 id = *pos >> 32, index = *pos;
	struct weft_ctx *ctx;
	int err = -ENOENT;

	mutex_lock(&dev->lock);
	list_for_each_entry(ctx, &dev->ctxs, node) {
		if (ctx->id < id)
			continue;
		if (ctx->id > id)
			index = 0;
		err = next(ctx, &index, to);
		if (!err) {
			weft_ctx_look(ctx, owner);
			*pos = (u64)ctx->id << 32 | index;
			break;
		}
	}
	mutex_unlock(&dev->lock);
	return err;
}

int weft_dev_ep_next(struct weft_dev *dev, u64 *pos, struct weft_dev_ep *ep)
{
	return weft_dev_next(dev, pos, weft_ctx_ep_next, &ep->info, &ep->ctx);
}

static bool weft_obj_queue(struct weft_obj *obj, void *to)
{
	struct weft_dev_queue *q = to;

	q->ep = weft_uep_ep(obj);
	q->srq = weft_usrq_srq(obj);
	if ((!q->ep && !q->srq) || !weft_obj_tryuse(obj))
		return false;
	q->obj = obj;
	q->handle = obj->handle;
	return true;
}

static int weft_ctx_queue_next(struct weft_ctx *ctx, u32 *index, void *to)
{
	return weft_ctx_obj_next(ctx, index, weft_obj_queue, to);
}

int weft_dev_queue_next(struct weft_dev *dev, u64 *pos, struct weft_dev_queue *q)
{
	return weft_dev_next(dev, pos, weft_ctx_queue_next, q, &q->ctx);
}

void weft_dev_queue_apply(struct weft_dev_queue *q)
{
	struct weft_ctx *ctx = q->obj->ctx;
	struct weft_out *out = weft_ctx_out(ctx);

	if (!out)
		return;
	if (q->ep)
		weft_ep_find_recvs(q->ep, weft_now(), out);
	else
		weft_srq_find_recvs(q->srq, weft_now(), out);
	weft_ctx_out_put(ctx, out);
}

int weft_dev_srq_look(struct weft_dev_queue *q, struct weft_srq_info *info)
{
	struct weft_ctx *ctx = q->obj->ctx;
	struct weft_out *out = weft_ctx_out(ctx);

	if (!out)
		return -ENOMEM;
	weft_srq_look(q->srq, weft_now(), out, info);
	weft_ctx_out_put(ctx, out);
	return 0;
}

void weft_dev_queue_put(struct weft_dev_queue *q)
{
	weft_obj_unuse(q->obj);
}

static bool weft_obj_cq(struct weft_obj *obj, void *to)
{
	return weft_ucq_look(obj, to);
}

static int weft_ctx_cq_next(struct weft_ctx *ctx, u32 *index, void *to)
{
	return weft_ctx_obj_next(ctx, index, weft_obj_cq, to);
}

int weft_dev_cq_next(struct weft_dev *dev, u64 *pos, struct weft_dev_cq *cq)
{
	return weft_dev_next(dev, pos, weft_ctx_cq_next, cq, &cq->ctx);
}

static bool weft_obj_mr(struct weft_obj *obj, void *to)
{
	return weft_umr_look(obj, to);
}

/* Indices behind those of objects are numbers of regions. */
static int weft_ctx_mr_next(struct weft_ctx *ctx, u32 *index, void *to)
{
	struct weft_dev_mr *mr = to;
	u64 no;

	BUILD_BUG_ON(U32_MAX - WEFT_REGION_NO_MAX < WEFT_CTX_OBJS);
	mr->pinned = true;
	if (*index < WEFT_CTX_OBJS && !weft_ctx_obj_next(ctx, index, weft_obj_mr, mr))
		return 0;
	mr->pinned = false;
	no = *index - WEFT_CTX_OBJS;
	if (!weft_domain_look(&ctx->domain, &no, &mr->info, 1))
		return -ENOENT;
	*index = no + WEFT_CTX_OBJS;
	return 0;
}

int weft_dev_mr_next(struct weft_dev *dev, u64 *pos, struct weft_dev_mr *mr)
{
	return weft_dev_next(dev, pos, weft_ctx_mr_next, mr, &mr->ctx);
}

void weft_dev_stat(struct weft_dev *dev, struct weft_dev_stat *stat)
{
	struct weft_dev_ctx info;
	struct weft_ctx *ctx;

	memset(stat, 0, sizeof(*stat));
	stat->seek = READ_ONCE(dev->seek);
	mutex_lock(&dev->lock);
	list_for_each_entry(ctx, &dev->ctxs, node) {
		weft_ctx_look(ctx, &info);
		stat->contexts++;
		stat->objects += info.objects;
		stat->pinned += info.pinned;
	}
	mutex_unlock(&dev->lock);
}

bool weft_dev_used(struct weft_dev *dev)
{
	struct weft_ctx *ctx;
	bool used = false;

	mutex_lock(&dev->lock);
	list_for_each_entry(ctx, &dev->ctxs, node)
		used = used || !weft_ctx_ending(ctx);
	mutex_unlock(&dev->lock);
	return used;
}

void weft_dev_set_seek(struct weft_dev *dev, bool seek)
{
	WRITE_ONCE(dev->seek, seek);
}

/* ---- Module ---------------------------------------------------------------------------------- */

/**
 * weft_dev_init - prepare for devices
 *
 * Return: 0, errno.
 */
int weft_dev_init(void)
{
	int err = weft_owners_init();

	if (err)
		return err;
	err = class_register(&weft_class);
	if (err)
		goto fail_owners;
	err = alloc_chrdev_region(&weft_devt, 0, WEFT_MINORS, "weft");
	if (err)
		goto fail_class;
	cdev_init(&weft_cdev, &weft_fops);
	weft_cdev.owner = THIS_MODULE;
	err = cdev_add(&weft_cdev, weft_devt, WEFT_MINORS);
	if (!err)
		return 0;
	unregister_chrdev_region(weft_devt, WEFT_MINORS);
fail_class:
	class_unregister(&weft_class);
fail_owners:
	weft_owners_exit();
	return err;
}

/**
 * weft_dev_exit - the reverse of weft_dev_init()
 *
 * All ports have been deleted. The last references on them may be dropped inside.
 */
void weft_dev_exit(void)
{
	cdev_del(&weft_cdev);
	unregister_chrdev_region(weft_devt, WEFT_MINORS);
	class_unregister(&weft_class);
	weft_owners_exit();
}
