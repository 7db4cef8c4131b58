/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft - contexts and their objects, internal to kernel/dev. Life and locks: ctx.c
 */
#ifndef WEFT_CTX_H
#define WEFT_CTX_H

#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/mm_types.h>
#include <linux/mutex.h>
#include <linux/nospec.h>
#include <linux/refcount.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "dev.h"
#include "engine.h"
#include "mem.h"
#include "owner.h"
#include "rings.h"

#define WEFT_CTX_OBJS	8192	/* objects of a context, at most 2^16 */
#define WEFT_CTX_OUTS	4	/* outputs kept for the threads of a context, a power of two */

struct weft_ctx;
struct weft_obj;

/**
 * struct weft_obj_ops - a kind of object
 * @kill: stop all activity, however long that takes; no new user can find the object; ctx->own_lock
 *	is held; sleeps
 * @release: free the object's resources, but not the object; no user is left; sleeps
 * @busy: return true if something that is no object uses it; ctx->own_lock is held; may be NULL
 * @stopped: the port has gone: wake the waiters; ctx->lock is held; may be NULL
 * @early: when the context ends, kill these before objects of other kinds, which they use
 */
struct weft_obj_ops {
	void (*kill)(struct weft_obj *obj);
	void (*release)(struct weft_obj *obj);
	bool (*busy)(struct weft_obj *obj);
	void (*stopped)(struct weft_obj *obj);
	bool early;
};

/**
 * struct weft_obj - an object with a handle; first member of the structures of all kinds
 * @ops: its kind
 * @ctx: its context
 * @handle: generation (16 bits), index
 * @users: objects that use it; ctx->own_lock
 * @use: 1 while it is in the table, and 1 for each user
 * @ref: references on the structure: 1 while @use is not 0, 1 for its file, 1 for the core's part
 * @rcu: for the structure
 */
struct weft_obj {
	const struct weft_obj_ops *ops;
	struct weft_ctx *ctx;
	u32 handle;
	u32 users;
	refcount_t use;
	refcount_t ref;
	struct rcu_head rcu;
};

/**
 * struct weft_deferred - work of the core that needs process context
 * @lock: @list, @closed, @busy
 * @list: struct weft_work
 * @closed: accepts no more work
 * @busy: @work is queued or runs (READ_ONCE outside of the lock)
 * @work: runs the list
 * @wq: workqueue of @work
 * @mc: memory of the context, NULL: the memory has gone
 * @out: for @work
 */
struct weft_deferred {
	spinlock_t lock;	/* list, closed, busy */
	struct weft_list list;
	bool closed;
	bool busy;
	struct work_struct work;
	struct workqueue_struct *wq;
	struct weft_memctx *mc;
	struct weft_out *out;
};

int weft_deferred_init(struct weft_deferred *deferred, struct weft_memctx *mc,
		       struct weft_core *core, struct workqueue_struct *wq);
void weft_deferred_exit(struct weft_deferred *deferred);

/**
 * struct weft_dev - character device of a port; lives as long as the port
 * @port: the port, for upcalls; opaque here
 * @core: its core
 * @net: its network namespace
 * @cookie: cookie of that namespace
 * @name: its name
 * @id: number of the device, never reused
 * @minor: device number
 * @seek: contexts that are opened now may notify and wait by lseek(2)
 * @device: in sysfs
 * @engine: takes posted work from programs
 * @out: for weft_core_stop()
 * @orphans: work that outlived its context
 * @lock: @ctxs
 * @ctxs: contexts
 */
struct weft_dev {
	struct weft_port *port;
	struct weft_core *core;
	struct net *net;
	u64 cookie;
	char name[WEFT_NAME_MAX];
	u32 id;
	int minor;
	bool seek;
	struct device *device;
	struct weft_engine *engine;
	struct weft_out *out;
	struct weft_deferred orphans;
	struct mutex lock;	/* ctxs */
	struct list_head ctxs;
};

int weft_dev_enter(struct weft_dev *dev);
void weft_dev_leave(struct weft_dev *dev);
struct weft_dev *weft_dev_by_id(u32 id);

/**
 * struct weft_ctx - an open device
 * @core: its port's core; first: a notify call needs only @core, @mm, @objs and @seek
 * @mm: address space it belongs to, only for comparison (@mc holds it); NULL: freed except for the
 *	structure
 * @objs: objects by index; written under @lock, read under RCU
 * @seek: lseek(2) may notify and wait; constant
 * @outs: unused outputs
 * @ref: references on the structure: 1 while @use is not 0, 1 for the file, 1 for each object's
 *	structure, 1 for each finder of the context
 * @use: 1 for the open file (until the context is killed), and 1 for each object that is not
 *	released
 * @id: number, unique in the module; the core names the context by it
 * @dev: device
 * @mc: memory
 * @owner: has its workers
 * @user: its user in the core, for whom it counts; referenced
 * @lock: protects @objs, @dead, @nobjs, @used, @gens, @next; other code waits for it
 * @own_lock: protects the relations and the end of objects: weft_obj.users, @kill_out; may be held
 *	as long as the program's memory takes; only the program's own calls and its end wait for it
 * @dead: killed
 * @nobjs: objects
 * @next: start of the search for a free index
 * @used: indices in use
 * @gens: generations of the indices
 * @kill_out: for calls that must not fail
 * @domain: memory that peers may access; under @own_lock: no region is made when @dead is set
 * @triggers: operations that wait for counters; under @own_lock: none is added when @dead is set
 * @rings: ring memory
 * @deferred: work in process context
 * @death: kills the context when its process has died
 * @fini: frees it
 * @node: in dev->ctxs, under dev->lock
 * @pid: process that opened the device, in the initial namespace
 * @uid: user of that process
 * @cred: credentials of that process; they decide which jobs it may use
 * @comm: command name of that process
 * @rcu: for the structure
 */
struct weft_ctx {
	struct weft_core *core;
	struct mm_struct *mm;
	struct weft_obj __rcu **objs;
	bool seek;
	struct weft_out *outs[WEFT_CTX_OUTS];
	refcount_t ref;
	refcount_t use;
	u32 id;
	struct weft_dev *dev;
	struct weft_memctx *mc;
	struct weft_owner *owner;
	struct weft_user *user;
	struct mutex lock;	/* the table of objects */
	struct mutex own_lock;	/* objects; @lock is taken inside */
	bool dead;
	u32 nobjs;
	u32 next;
	DECLARE_BITMAP(used, WEFT_CTX_OBJS);
	u16 *gens;
	struct weft_out *kill_out;
	struct weft_domain domain;
	struct weft_triggers triggers;
	struct weft_rings rings;
	struct weft_deferred deferred;
	struct work_struct death;
	struct work_struct fini;
	struct list_head node;
	pid_t pid;
	kuid_t uid;
	const struct cred *cred;
	char comm[TASK_COMM_LEN];
	struct rcu_head rcu;
};

struct weft_ctx *weft_ctx_new(struct weft_dev *dev);
void weft_ctx_kill(struct weft_ctx *ctx);
void weft_ctx_kill_later(struct weft_ctx *ctx);
bool weft_ctx_ending(struct weft_ctx *ctx);
void weft_ctx_put(struct weft_ctx *ctx);
void weft_ctx_unuse(struct weft_ctx *ctx);
void weft_ctx_stopped(struct weft_ctx *ctx);
void weft_ctx_look(struct weft_ctx *ctx, struct weft_dev_ctx *info);
struct weft_ctx *weft_ctx_by_id(u32 id);

/* The core's name of a context. The core only compares it, and returns it in struct weft_work. */
static inline void *weft_ctx_name(const struct weft_ctx *ctx)
{
	return (void *)((unsigned long)ctx->dev->id << 32 | ctx->id);
}

struct weft_job *weft_key_job(struct weft_ctx *ctx, const struct weft_ioc_ep *arg);
void weft_key_done(struct weft_job *job);

struct weft_out *weft_out_new(struct weft_core *core);

/* The outputs of this processor. Another processor may use them too. */
static inline struct weft_out **weft_ctx_outs(struct weft_ctx *ctx)
{
	return &ctx->outs[(u32)raw_smp_processor_id() % WEFT_CTX_OUTS];
}

/**
 * weft_ctx_out - get an output for a call into the core
 * @ctx: the context
 *
 * Context: process, sleeps.
 * Return: an empty output for the caller alone, NULL: no memory. The caller returns it with
 * weft_ctx_out_put().
 */
static inline struct weft_out *weft_ctx_out(struct weft_ctx *ctx)
{
	struct weft_out *out = xchg(weft_ctx_outs(ctx), NULL);

	return likely(out) ? out : weft_out_new(ctx->core);
}

/**
 * weft_ctx_out_put - return an output
 * @ctx: the context
 * @out: empty
 */
static inline void weft_ctx_out_put(struct weft_ctx *ctx, struct weft_out *out)
{
	if (unlikely(cmpxchg(weft_ctx_outs(ctx), NULL, out)))
		kvfree(out);
}

int weft_obj_init(struct weft_ctx *ctx, struct weft_obj *obj, const struct weft_obj_ops *ops);
void weft_obj_publish(struct weft_obj *obj);
void weft_obj_abort(struct weft_obj *obj);
int weft_obj_destroy(struct weft_ctx *ctx, u32 handle);
struct weft_obj *weft_obj_find(struct weft_ctx *ctx, u32 handle, const struct weft_obj_ops *ops);
void weft_obj_end(struct weft_obj *obj);
void weft_obj_put(struct weft_obj *obj);

static inline u32 weft_obj_index(u32 handle)
{
	return handle & 0xffff;
}

/**
 * weft_obj_peek - look an object up without a use of it
 * @ctx: the context
 * @handle: its handle
 * @ops: its kind
 *
 * Context: any, under RCU or with preemption off, which keeps the structure. The object's
 * resources may be going.
 * Return: the object, NULL: no such object.
 */
static inline struct weft_obj *weft_obj_peek(struct weft_ctx *ctx, u32 handle,
					     const struct weft_obj_ops *ops)
{
	u32 i = weft_obj_index(handle);
	struct weft_obj *obj;

	if (unlikely(i >= WEFT_CTX_OBJS))
		return NULL;
	i = array_index_nospec(i, WEFT_CTX_OBJS);
	obj = rcu_dereference_check(ctx->objs[i], rcu_read_lock_sched_held());
	return obj && obj->handle == handle && obj->ops == ops ? obj : NULL;
}

/**
 * weft_obj_get - look an object up and take a use of it
 * @ctx: the context
 * @handle: its handle
 * @ops: its kind
 *
 * Context: any, no lock.
 * Return: the object, to be dropped with weft_obj_unuse(); NULL: no such object.
 */
static inline struct weft_obj *weft_obj_get(struct weft_ctx *ctx, u32 handle,
					    const struct weft_obj_ops *ops)
{
	struct weft_obj *obj;

	/* as rcu_read_lock(), which calls a function on preemptible kernels */
	rcu_read_lock_sched();
	obj = weft_obj_peek(ctx, handle, ops);
	if (likely(obj) && unlikely(!refcount_inc_not_zero(&obj->use)))
		obj = NULL;
	rcu_read_unlock_sched();
	return obj;
}

/**
 * weft_obj_unuse - drop a use of an object
 * @obj: the object
 *
 * Context: may sleep; ctx->lock is not held.
 */
static inline void weft_obj_unuse(struct weft_obj *obj)
{
	if (unlikely(refcount_dec_and_test(&obj->use)))
		weft_obj_end(obj);
}

/**
 * weft_obj_tryuse - take a use of an object through its own file
 * @obj: the object
 *
 * Return: true, to be dropped with weft_obj_unuse(); false: the object has been destroyed.
 */
static inline bool weft_obj_tryuse(struct weft_obj *obj)
{
	return refcount_inc_not_zero(&obj->use);
}

#define WEFT_AV_CALL	4096	/* maximum number of addresses in one call */

/* ---- ioctls ---------------------------------------------------------------------------------- */

/**
 * struct weft_call - an ioctl
 * @ctx: the context
 * @arg: copy of its structure, zeros beyond the caller's version of it
 * @of: the object that the handle names, in use; NULL: the ioctl is not one on an object
 * @out: output for calls into the core, NULL: the ioctl calls none; flushed afterwards
 * @obj: out: a new object; published after @arg has been copied back, else aborted
 * @file: out: the object's file, installed then
 * @fd: out: number for @file
 */
struct weft_call {
	struct weft_ctx *ctx;
	void *arg;
	struct weft_obj *of;
	struct weft_out *out;
	struct weft_obj *obj;
	struct file *file;
	int fd;
};

int weft_copy_in(void *arg, u32 ksize, const void __user *uarg);
long weft_ioctl(struct weft_ctx *ctx, unsigned int cmd, void __user *uarg);
long weft_notify(struct weft_ctx *ctx, loff_t where, int what);
int weft_call_file(struct weft_call *call, const char *name, const struct file_operations *fops,
		   int flags);

int weft_ucq_create(struct weft_call *call);
int weft_ueq_create(struct weft_call *call);
int weft_uav_create(struct weft_call *call);
int weft_uav_insert(struct weft_call *call);
int weft_uav_remove(struct weft_call *call);
int weft_umr_reg(struct weft_call *call);
struct weft_ucq *weft_ucq_counter(struct weft_ctx *ctx, u32 handle);
int weft_region_call_add(struct weft_call *call);
int weft_region_call_end(struct weft_call *call);
int weft_trigger_call_add(struct weft_call *call);
int weft_trigger_call_end(struct weft_call *call);
int weft_uep_create(struct weft_call *call);
int weft_uep_enable(struct weft_call *call);
int weft_uep_setname(struct weft_call *call);
int weft_uep_getname(struct weft_call *call);
int weft_uep_getpeer(struct weft_call *call);
int weft_uep_listen(struct weft_call *call);
int weft_uep_connect(struct weft_call *call);
int weft_uep_accept(struct weft_call *call);
int weft_uep_reject(struct weft_call *call);
int weft_uep_handoff(struct weft_call *call);
int weft_uep_shutdown(struct weft_call *call);
int weft_uep_cancel(struct weft_call *call);
int weft_uep_mark(struct weft_call *call);
int weft_uep_held(struct weft_call *call);
int weft_uep_join(struct weft_call *call);
int weft_uep_leave_group(struct weft_call *call);
int weft_usrq_create(struct weft_call *call);
int weft_usrq_resize(struct weft_call *call);
int weft_usrq_query(struct weft_call *call);
int weft_usrq_notify(struct weft_call *call);
int weft_usrq_cancel(struct weft_call *call);
int weft_usrq_arm(struct weft_call *call);
bool weft_uep_look(struct weft_obj *obj, struct weft_ep_info *info);
struct weft_ep *weft_uep_ep(struct weft_obj *obj);
struct weft_srq *weft_usrq_srq(struct weft_obj *obj);
bool weft_ucq_look(struct weft_obj *obj, struct weft_dev_cq *cq);
bool weft_umr_look(struct weft_obj *obj, struct weft_dev_mr *mr);

/* ---- Kinds of objects ------------------------------------------------------------------------ */

/**
 * struct weft_ucq - completion queue or counter
 * @obj: the object; its file and the core hold the structure
 * @cq: the core's part
 * @sleeper: the first waiter
 * @wq: the other waiters
 * @alarm: expires at @due
 * @due: KTIME_MAX: the alarm is off
 * @signals: number of WEFT_IOC_CQ_SIGNAL not yet consumed
 * @dead: destroyed
 * @ring: entries; NULL: a counter
 * @doorbell: struct weft_cq_doorbell
 * @status: struct weft_cq_status
 * @hot: for an engine that polls
 */
struct weft_ucq {
	struct weft_obj obj;
	struct weft_cq cq;
	struct task_struct __rcu *sleeper;
	wait_queue_head_t wq;
	struct hrtimer alarm;
	ktime_t due;
	atomic_t signals;
	bool dead;
	struct weft_area *ring;
	struct weft_line doorbell;
	struct weft_line status;
	struct weft_hot hot;
};

/**
 * struct weft_ueq - event queue
 * @obj: the object; its file and the core hold the structure
 * @eq: the core's part
 * @wq: waiters
 * @dead: destroyed
 * @lock: serialises readers: @len, @buf
 * @len: bytes in @buf of an event that could not be copied to its reader yet
 * @buf: that event
 */
struct weft_ueq {
	struct weft_obj obj;
	struct weft_eq eq;
	wait_queue_head_t wq;
	bool dead;
	struct mutex lock;	/* serialises readers */
	u32 len;
	u8 buf[sizeof(struct weft_event) + WEFT_CM_DATA_MAX] __aligned(8);
};

/**
 * struct weft_uav - address vector
 * @obj: object
 * @av: the core's part
 */
struct weft_uav {
	struct weft_obj obj;
	struct weft_av *av;
};

/**
 * struct weft_usrq - shared receive queue
 * @obj: object
 * @srq: the core's part
 * @eq: its event queue, NULL: none; ctx->own_lock
 * @hot: for engines
 * @rq: struct weft_rqe; ctx->lock
 * @doorbell: struct weft_ep_doorbell
 * @status: struct weft_ep_status
 */
struct weft_usrq {
	struct weft_obj obj;
	struct weft_srq *srq;
	struct weft_hot hot;
	struct weft_obj *eq;
	struct weft_area *rq;
	struct weft_line doorbell;
	struct weft_line status;
};

/* The structure is freed by the address of its object. */
static_assert(!offsetof(struct weft_ucq, obj));
static_assert(!offsetof(struct weft_ueq, obj));
static_assert(!offsetof(struct weft_uav, obj));
static_assert(!offsetof(struct weft_usrq, obj));

extern const struct weft_obj_ops weft_ucq_ops, weft_ueq_ops, weft_uav_ops, weft_uep_ops;
extern const struct weft_obj_ops weft_usrq_ops;

#endif
