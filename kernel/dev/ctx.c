// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft - contexts: the state of an open device file, and the table of its objects
 *
 * A context belongs to the address space that opened the file. Its life:
 *
 *	OPEN ---(file closed, or process dead)---> DEAD ---(no user of any object)---> freed
 *
 * weft_ctx_kill() makes a context DEAD. It kills endpoints first: after that no code accesses
 * rings, queues or the program's memory. Then it kills the objects that the endpoints used, and the
 * memory. Closing the file kills the context at once. A process can die without closing the file,
 * as a forked child may hold it. The notifier of the address space reports that end (mem.h), and a
 * worker kills the context. No ioctl runs then, as ioctls from other address spaces fail.
 *
 * An object:
 *
 *	NEW (no handle reported) ---> LIVE (in the table) ---> DYING (has users) ---> RELEASED
 *	 |                                                       ^                       |
 *	 +---(reporting the handle failed)-----------------------+                     freed
 *
 * weft_obj_destroy() or the end of the context makes an object DYING. obj->use counts the table and
 * the users of the object. The last user releases its resources. obj->ref keeps the bare structure
 * for a file (an anonymous inode) or a wake-up in progress. So files may be closed in any order.
 *
 * A handle is (generation << 16 | index). Indices are assigned round robin, and each has its
 * generation. A dead handle is valid again only after 65535 further uses of its index.
 *
 * ctx->lock protects the table of objects. ctx->own_lock protects the relations and the end of
 * objects; it serialises only the program's own calls and its end. An object leaves the table with
 * both held. Code that may wait for the program's memory runs under ctx->own_lock: a fault may take
 * as long as the program likes (FUSE). No code touches user memory, takes mmap_lock or waits for
 * such code under ctx->lock: other code waits for ctx->lock with dev->lock held. The data path
 * takes neither lock: it uses RCU and obj->use. Order: Documentation/locking.rst.
 *
 * The end of a context may wait for the program's memory as well. It runs in the process that
 * closes the file, or in a workqueue of the context's owner (owner.c), where no other user waits.
 */
#include <linux/bitmap.h>
#include <linux/cred.h>
#include <linux/nospec.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include "ctx.h"
#include "upcalls.h"

static DEFINE_XARRAY_ALLOC1(weft_ctxs);	/* contexts by number */
static u32 weft_ctxs_next = 1;

/* ---- Outputs --------------------------------------------------------------------------------- */

/**
 * weft_out_new - allocate an output
 * @core: its core
 *
 * Sleeps.
 *
 * Return: an empty output, NULL: no memory.
 */
struct weft_out *weft_out_new(struct weft_core *core)
{
	struct weft_out *out = kvmalloc(sizeof(*out), GFP_KERNEL_ACCOUNT);

	if (out)
		weft_out_init(out, core);
	return out;
}

/* ---- Objects --------------------------------------------------------------------------------- */

/**
 * weft_obj_init - give a new object a handle
 * @ctx: the context
 * @obj: zeroed; belongs to the context until weft_obj_publish() or weft_obj_abort()
 * @ops: its kind
 *
 * Return: 0; -EMFILE: too many objects, -EIO: the context is dead. On error @obj stays
 * the caller's.
 */
int weft_obj_init(struct weft_ctx *ctx, struct weft_obj *obj, const struct weft_obj_ops *ops)
{
	int err = -EIO;
	u32 i;

	mutex_lock(&ctx->lock);
	if (ctx->dead)
		goto out;
	err = -EMFILE;
	i = find_next_zero_bit(ctx->used, WEFT_CTX_OBJS, ctx->next);
	if (i >= WEFT_CTX_OBJS)
		i = find_first_zero_bit(ctx->used, WEFT_CTX_OBJS);
	if (i >= WEFT_CTX_OBJS)
		goto out;
	__set_bit(i, ctx->used);
	ctx->nobjs++;
	ctx->next = i + 1;
	if (!++ctx->gens[i])
		ctx->gens[i] = 1;
	obj->ops = ops;
	obj->ctx = ctx;
	obj->handle = (u32)ctx->gens[i] << 16 | i;
	refcount_set(&obj->use, 1);
	refcount_set(&obj->ref, 1);
	refcount_inc(&ctx->use);
	refcount_inc(&ctx->ref);
	err = 0;
out:
	mutex_unlock(&ctx->lock);
	return err;
}

/**
 * weft_obj_publish - make an object reachable by its handle
 * @obj: the object, complete
 */
void weft_obj_publish(struct weft_obj *obj)
{
	struct weft_ctx *ctx = obj->ctx;

	mutex_lock(&ctx->lock);
	rcu_assign_pointer(ctx->objs[weft_obj_index(obj->handle)], obj);
	mutex_unlock(&ctx->lock);
}

/* Stop an object that is not in the table. ctx->own_lock is held. */
static void weft_obj_kill(struct weft_obj *obj)
{
	struct weft_ctx *ctx = obj->ctx;

	lockdep_assert_held(&ctx->own_lock);
	obj->ops->kill(obj);
	mutex_lock(&ctx->lock);
	__clear_bit(weft_obj_index(obj->handle), ctx->used);
	ctx->nobjs--;
	mutex_unlock(&ctx->lock);
	weft_obj_unuse(obj);
}

/**
 * weft_obj_abort - undo weft_obj_init()
 * @obj: never published
 */
void weft_obj_abort(struct weft_obj *obj)
{
	struct weft_ctx *ctx = obj->ctx;

	mutex_lock(&ctx->own_lock);
	weft_obj_kill(obj);
	mutex_unlock(&ctx->own_lock);
}

/**
 * weft_obj_find - find an object by its handle
 * @ctx: the context; ctx->lock or ctx->own_lock is held, which keeps the object
 * @handle: its handle
 * @ops: its kind, NULL: any kind
 *
 * Return: the object, NULL: no such object.
 */
struct weft_obj *weft_obj_find(struct weft_ctx *ctx, u32 handle, const struct weft_obj_ops *ops)
{
	u32 i = weft_obj_index(handle);
	struct weft_obj *obj;

	if (i >= WEFT_CTX_OBJS)
		return NULL;
	i = array_index_nospec(i, WEFT_CTX_OBJS);
	obj = rcu_dereference_protected(ctx->objs[i],
					lockdep_is_held(&ctx->lock) ||
					lockdep_is_held(&ctx->own_lock));
	if (!obj || obj->handle != handle || (ops && obj->ops != ops))
		return NULL;
	return obj;
}

/**
 * weft_obj_end - release an object after its last user has left
 * @obj: the object
 *
 * Context: may sleep; ctx->lock is not held.
 */
void weft_obj_end(struct weft_obj *obj)
{
	struct weft_ctx *ctx = obj->ctx;

	obj->ops->release(obj);
	weft_obj_put(obj);
	weft_ctx_unuse(ctx);
}

/**
 * weft_obj_put - drop a reference on an object's structure
 * @obj: the object
 *
 * Context: any.
 */
void weft_obj_put(struct weft_obj *obj)
{
	struct weft_ctx *ctx = obj->ctx;

	if (!refcount_dec_and_test(&obj->ref))
		return;
	kfree_rcu(obj, rcu);
	weft_ctx_put(ctx);
}

/**
 * weft_obj_destroy - destroy an object
 * @ctx: the context
 * @handle: its handle
 *
 * Return: 0, -ENOENT: no such object, -EBUSY: another object or a trigger uses it.
 */
int weft_obj_destroy(struct weft_ctx *ctx, u32 handle)
{
	struct weft_obj *obj;
	int err = 0;

	mutex_lock(&ctx->own_lock);
	mutex_lock(&ctx->lock);
	obj = weft_obj_find(ctx, handle, NULL);
	if (!obj)
		err = -ENOENT;
	else if (obj->users || (obj->ops->busy && obj->ops->busy(obj)))
		err = -EBUSY;
	else
		RCU_INIT_POINTER(ctx->objs[weft_obj_index(handle)], NULL);
	mutex_unlock(&ctx->lock);
	if (!err)
		weft_obj_kill(obj);
	mutex_unlock(&ctx->own_lock);
	return err;
}

/* ---- The context ----------------------------------------------------------------------------- */

/*
 * Take the next object out of the table. @early: one that ends before the others; @i: where to go
 * on, 0 in the first call. Return: the object, NULL: none is left.
 */
static struct weft_obj *weft_ctx_take(struct weft_ctx *ctx, bool early, unsigned long *i)
{
	struct weft_obj *obj = NULL;

	mutex_lock(&ctx->lock);
	for (; !obj; ++*i) {
		*i = find_next_bit(ctx->used, WEFT_CTX_OBJS, *i);
		if (*i >= WEFT_CTX_OBJS)
			break;
		obj = rcu_dereference_protected(ctx->objs[*i], lockdep_is_held(&ctx->lock));
		if (obj && early && !obj->ops->early)
			obj = NULL;
		if (obj)
			RCU_INIT_POINTER(ctx->objs[*i], NULL);
	}
	mutex_unlock(&ctx->lock);
	return obj;
}

static void weft_ctx_kill_objs(struct weft_ctx *ctx, bool early)
{
	struct weft_obj *obj;
	unsigned long i = 0;

	mutex_lock(&ctx->own_lock);
	while ((obj = weft_ctx_take(ctx, early, &i)))
		weft_obj_kill(obj);
	mutex_unlock(&ctx->own_lock);
}

/**
 * weft_ctx_kill - destroy all objects and the memory of a context
 * @ctx: the context
 *
 * When it returns to the first caller, no code accesses the program's memory any more. Sleeps.
 */
void weft_ctx_kill(struct weft_ctx *ctx)
{
	bool dead;

	mutex_lock(&ctx->lock);
	dead = ctx->dead;
	WRITE_ONCE(ctx->dead, true);
	mutex_unlock(&ctx->lock);
	if (dead)
		return;
	mutex_lock(&ctx->own_lock);
	weft_triggers_end_all(&ctx->triggers);
	mutex_unlock(&ctx->own_lock);
	weft_ctx_kill_objs(ctx, true);
	mutex_lock(&ctx->own_lock);
	weft_domain_end(&ctx->domain, weft_now(), ctx->kill_out);
	mutex_unlock(&ctx->own_lock);
	weft_ctx_kill_objs(ctx, false);
	weft_memctx_kill(ctx->mc);
	weft_ctx_unuse(ctx);
}

/**
 * weft_ctx_ending - check whether a context ends, or has ended
 * @ctx: the context
 *
 * Context: any.
 * Return: true if its program has closed it, or has died.
 */
bool weft_ctx_ending(struct weft_ctx *ctx)
{
	/* the worker sets @dead before it is idle again */
	return work_busy(&ctx->death) || READ_ONCE(ctx->dead);
}

/* The process has died. Its exit_mmap() calls this. */
static void weft_ctx_gone(void *priv)
{
	struct weft_ctx *ctx = priv;

	refcount_inc(&ctx->ref);
	if (!queue_work(ctx->owner->ends, &ctx->death))
		weft_ctx_put(ctx);
}

/**
 * weft_ctx_kill_later - have a worker call weft_ctx_kill()
 * @ctx: the context
 *
 * For callers that must not wait for the program's memory.
 *
 * Context: process.
 */
void weft_ctx_kill_later(struct weft_ctx *ctx)
{
	mutex_lock(&ctx->lock);
	/* a dead context may have no owner any more */
	if (!ctx->dead)
		weft_ctx_gone(ctx);
	mutex_unlock(&ctx->lock);
}

static void weft_ctx_death(struct work_struct *work)
{
	struct weft_ctx *ctx = container_of(work, struct weft_ctx, death);

	weft_ctx_kill(ctx);
	weft_ctx_put(ctx);
}

/* Free what the structure points to. Any part may be missing. */
static void weft_ctx_free(struct weft_ctx *ctx)
{
	u32 i;

	if (ctx->id)
		xa_erase(&weft_ctxs, ctx->id);
	for (i = 0; i < WEFT_CTX_OUTS; i++)
		kvfree(ctx->outs[i]);
	kvfree(ctx->kill_out);
	kvfree(ctx->gens);
	kvfree(ctx->objs);
	weft_domain_exit(&ctx->domain);
	weft_rings_exit(&ctx->rings);
	if (ctx->user)
		weft_user_leave(ctx->core, ctx->user, WEFT_USE_CTXS);
	put_cred(ctx->cred);
	weft_ctx_put(ctx);
}

static void weft_ctx_fini(struct work_struct *work)
{
	struct weft_ctx *ctx = container_of(work, struct weft_ctx, fini);
	struct weft_owner *owner = ctx->owner;
	struct weft_dev *dev = ctx->dev;

	weft_deferred_exit(&ctx->deferred);
	weft_memctx_quiesce(ctx->mc);
	WRITE_ONCE(ctx->mm, NULL);	/* a file may still be open: its calls fail */
	/* a reader of the list also reads the context's memory */
	mutex_lock(&dev->lock);
	list_del(&ctx->node);
	mutex_unlock(&dev->lock);
	weft_memctx_put(ctx->mc);
	weft_ctx_free(ctx);
	weft_up_put(dev->port);
	weft_owner_put(owner);
}

/**
 * weft_ctx_unuse - drop a use of the context
 * @ctx: the context
 *
 * Context: any. The last use makes a worker free the context.
 */
void weft_ctx_unuse(struct weft_ctx *ctx)
{
	if (refcount_dec_and_test(&ctx->use))
		queue_work(ctx->owner->ends, &ctx->fini);
}

/**
 * weft_ctx_put - drop a reference on a context's structure
 * @ctx: the context
 *
 * Context: any.
 */
void weft_ctx_put(struct weft_ctx *ctx)
{
	if (refcount_dec_and_test(&ctx->ref))
		kfree_rcu(ctx, rcu);
}

/**
 * weft_ctx_by_id - find a context by its number
 * @id: its number
 *
 * Context: any.
 * Return: the context with a reference on its structure, NULL: no such context.
 */
struct weft_ctx *weft_ctx_by_id(u32 id)
{
	struct weft_ctx *ctx;

	rcu_read_lock();
	ctx = xa_load(&weft_ctxs, id);
	if (ctx && !refcount_inc_not_zero(&ctx->ref))
		ctx = NULL;
	rcu_read_unlock();
	return ctx;
}

/* Count the context for its user. Return: 0, -ENOMEM, -ENOSPC. */
static int weft_ctx_user(struct weft_ctx *ctx)
{
	struct weft_user *user = weft_user_enter(ctx->core, __kuid_val(ctx->uid), WEFT_USE_CTXS);

	if (IS_ERR(user))
		return PTR_ERR(user);
	ctx->user = user;
	ctx->rings.user = user;
	return 0;
}

static int weft_ctx_alloc(struct weft_ctx *ctx)
{
	u32 i;

	ctx->objs = kvcalloc(WEFT_CTX_OBJS, sizeof(*ctx->objs), GFP_KERNEL_ACCOUNT);
	ctx->gens = kvcalloc(WEFT_CTX_OBJS, sizeof(*ctx->gens), GFP_KERNEL_ACCOUNT);
	ctx->kill_out = weft_out_new(ctx->core);
	if (!ctx->objs || !ctx->gens || !ctx->kill_out)
		return -ENOMEM;
	for (i = 0; i < min_t(u32, WEFT_CTX_OUTS, num_online_cpus()); i++) {
		ctx->outs[i] = weft_out_new(ctx->core);
		if (!ctx->outs[i])
			return -ENOMEM;
	}
	return weft_domain_init(&ctx->domain, ctx->core, ctx->user);
}

/**
 * weft_ctx_new - create a context for the calling process
 * @dev: device; on success the context takes over the caller's reference on its port
 *
 * Return: the context, ERR_PTR(-ENOMEM, -ENOSPC: the user has as many contexts as the limit
 * "contexts-user" allows, -EINVAL: a kernel thread, -EINTR: killed, -EBUSY: too many contexts).
 * Sleeps.
 */
struct weft_ctx *weft_ctx_new(struct weft_dev *dev)
{
	struct weft_ctx *ctx;
	int err;

	ctx = kzalloc(sizeof(*ctx), GFP_KERNEL_ACCOUNT);
	if (!ctx)
		return ERR_PTR(-ENOMEM);
	refcount_set(&ctx->ref, 1);
	refcount_set(&ctx->use, 1);
	ctx->core = dev->core;
	ctx->dev = dev;
	ctx->mm = current->mm;
	ctx->seek = READ_ONCE(dev->seek);
	ctx->pid = task_tgid_nr(current);
	ctx->uid = current_uid();
	ctx->cred = get_current_cred();
	get_task_comm(ctx->comm, current->group_leader);
	mutex_init(&ctx->lock);
	mutex_init(&ctx->own_lock);
	weft_rings_init(&ctx->rings, ctx->core);
	INIT_WORK(&ctx->death, weft_ctx_death);
	INIT_WORK(&ctx->fini, weft_ctx_fini);

	ctx->owner = weft_owner_get(ctx->uid);
	err = ctx->owner ? weft_ctx_user(ctx) : -ENOMEM;
	if (!err)
		err = weft_ctx_alloc(ctx);
	if (err)
		goto fail;
	err = xa_alloc_cyclic(&weft_ctxs, &ctx->id, ctx, XA_LIMIT(1, INT_MAX), &weft_ctxs_next,
			      GFP_KERNEL);
	if (err < 0) {
		ctx->id = 0;
		goto fail;
	}
	weft_triggers_init(&ctx->triggers, weft_ctx_name(ctx));
	ctx->mc = weft_memctx_new(weft_ctx_gone, ctx);
	err = PTR_ERR_OR_ZERO(ctx->mc);
	if (err)
		goto fail;
	err = weft_deferred_init(&ctx->deferred, ctx->mc, ctx->core, ctx->owner->work);
	if (err)
		goto fail_mc;
	mutex_lock(&dev->lock);
	list_add_tail(&ctx->node, &dev->ctxs);
	mutex_unlock(&dev->lock);
	return ctx;

fail_mc:
	weft_memctx_kill(ctx->mc);
	weft_memctx_quiesce(ctx->mc);
	weft_memctx_put(ctx->mc);
fail:
	if (ctx->owner)
		weft_owner_put(ctx->owner);
	weft_ctx_free(ctx);
	return ERR_PTR(err);
}

/**
 * weft_ctx_stopped - wake all waiters of a context, as the port has gone
 * @ctx: the context
 *
 * Called with dev->lock held.
 */
void weft_ctx_stopped(struct weft_ctx *ctx)
{
	struct weft_obj *obj;
	unsigned long i;

	lockdep_assert_held(&ctx->dev->lock);
	mutex_lock(&ctx->lock);
	for_each_set_bit(i, ctx->used, WEFT_CTX_OBJS) {
		obj = rcu_dereference_protected(ctx->objs[i], lockdep_is_held(&ctx->lock));
		if (obj && obj->ops->stopped)
			obj->ops->stopped(obj);
	}
	mutex_unlock(&ctx->lock);
}

/**
 * weft_ctx_look - report the owner of a context and its number of objects
 * @ctx: the context
 * @info: out
 *
 * Called with dev->lock held.
 */
void weft_ctx_look(struct weft_ctx *ctx, struct weft_dev_ctx *info)
{
	lockdep_assert_held(&ctx->dev->lock);
	*info = (struct weft_dev_ctx) {
		.ctx = ctx->id,
		.pid = ctx->pid,
		.uid = ctx->uid,
		.objects = READ_ONCE(ctx->nobjs),
		.pinned = weft_memctx_pinned(ctx->mc),
	};
	memcpy(info->comm, ctx->comm, sizeof(info->comm));
}
