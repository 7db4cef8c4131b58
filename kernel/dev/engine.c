// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft - engines: which thread takes posted work from programs
 *
 * - inline: the program's own notify call takes it.
 * - poll: a kernel thread per queue pair of the port polls doorbells and the NIC. Ports without own
 *   queues have one thread. Programs do not enter the kernel at all.
 * - auto: has the same threads. They start to poll when a program calls often, and stop when other
 *   tasks want their CPU (core/base/auto.c). While a thread sleeps, the driver serves the NIC.
 *
 * A thread polls only hot objects, in a dense list. These are endpoints, completion queues and
 * shared receive queues. The program of a completion queue must call when entries wait for space.
 * That of a shared receive queue must call when messages wait for a receive.
 *
 *	COLD ---(notify call)---> HOT ---(idle_us without work)---> COLD
 *	                             \---(destroyed)---> gone
 *
 * A COLD endpoint requests notify calls. A notify call always processes the ring, then makes the
 * endpoint HOT: it clears the flags and puts the doorbells into the list. COLD endpoints cost a
 * thread nothing. weft_ep_cool() (core/api/poll.c) makes an endpoint COLD: it sets the flags,
 * executes a full barrier, and checks the doorbells once more. If that check finds work, the
 * endpoint becomes HOT again. Only at this transition could a program's post and the engine miss
 * each other.
 *
 * A thread:
 *
 *	created ---> polling <---(nothing for idle_us, nothing hot)---> asleep ---> ended
 *
 * The thread sets its state to sleep (a full barrier), arms the NIC's interrupt, checks list and
 * NIC once more, and sleeps. A call that makes an endpoint hot adds it to the list, then wakes the
 * thread. The interrupt wakes the thread too (weft_engine_irq()).
 *
 * A thread does not wait for a program. It leaves memory that is not resident to the worker of the
 * context (core/api/poll.c). It also leaves a ring that another consumer has held for idle_us. The
 * thread yields the CPU after each round, and takes at most 64 sends of an endpoint in a row. BH
 * are off only while it polls the NIC. When a process dies, its context's worker kills the context
 * (ctx.c) and removes its endpoints from the list. The thread holds no address space.
 *
 * Switching works under traffic. weft_engine_set() closes the threads to new objects, ends them,
 * and makes hot objects COLD; workers take their posted work. Then it starts the new threads. Each
 * consumer of a send ring holds its endpoint's sq_mutex, so there is one consumer at any time.
 *
 * engine->lock protects the settings and the life of threads. poller->lock protects the list of a
 * thread. All run in process context. Order: Documentation/locking.rst.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/netlink.h>
#include <linux/sched.h>
#include <linux/sched/stat.h>
#include <linux/slab.h>

#include "ctx.h"
#include "engine.h"
#include "upcalls.h"

#define WEFT_POLL_BUDGET	64	/* packets that a thread takes from the NIC in a row */

/* ---- Hot endpoints --------------------------------------------------------------------------- */

/**
 * weft_hot_init - prepare a COLD object for polling
 * @hot: zeroed, of the object; @hot->ep, @hot->cq or @hot->srq is set
 * @engine: engine of its port
 * @obj: the object
 * @bell: its doorbell line
 */
void weft_hot_init(struct weft_hot *hot, struct weft_engine *engine, struct weft_obj *obj,
		   const void *bell)
{
	INIT_LIST_HEAD(&hot->node);
	hot->poller = &engine->poller[(u16)obj->handle % engine->n];
	hot->obj = obj;
	hot->bell = bell;
}

static bool weft_hot_begin(struct weft_hot *hot)
{
	if (hot->ep)
		return weft_ep_hot(hot->ep);
	return hot->cq ? weft_cq_hot(hot->cq) : weft_srq_hot(hot->srq);
}

static bool weft_hot_end(struct weft_hot *hot)
{
	if (hot->ep)
		return weft_ep_cool(hot->ep);
	return hot->cq ? weft_cq_cool(hot->cq) : weft_srq_cool(hot->srq);
}

static u32 weft_hot_poll(struct weft_hot *hot, weft_ns now, struct weft_out *out)
{
	if (hot->ep)
		return weft_ep_poll(hot->ep, now, out);
	if (hot->cq) {
		bool more = weft_cq_notify(hot->cq, now, out);

		weft_flush(out);
		return more ? WEFT_POLL_MORE : 0;
	}
	weft_srq_notify(hot->srq, now, out);
	return 0;
}

/* Return: true if polling the object pays. poller->lock is held. */
static bool weft_hot_wanted(struct weft_hot *hot, weft_ns now)
{
	struct weft_poller *p = hot->poller;

	lockdep_assert_held(&p->lock);
	if (READ_ONCE(p->engine->conf.mode) != WEFT_ENGINE_AUTO)
		return true;
	return num_online_cpus() > 1 && !weft_crowd_rests(&p->crowd, now) &&
	       weft_rate_call(&hot->rate, now);
}

/**
 * weft_hot_join - make an object HOT, if a thread polls and polling pays
 * @hot: the object; the caller holds a use of it
 *
 * Context: process.
 */
void weft_hot_join(struct weft_hot *hot)
{
	struct weft_poller *p = hot->poller;
	weft_ns now = weft_now();

	spin_lock(&p->lock);
	if (p->open && !hot->on && !hot->dead && weft_hot_wanted(hot, now) && weft_hot_begin(hot)) {
		/* the next round checks for posts from before the flags were cleared */
		hot->left = WEFT_POLL_MORE;
		hot->since = now;
		WRITE_ONCE(hot->on, true);
		list_add_tail(&hot->node, &p->hot);
		WRITE_ONCE(p->nhot, p->nhot + 1);
		weft_count(p->engine->dev->core, engine_joins);
		wake_up_process(p->task);
	}
	spin_unlock(&p->lock);
}

/* poller->lock is held. */
static void weft_hot_leave(struct weft_hot *hot)
{
	struct weft_poller *p = hot->poller;

	lockdep_assert_held(&p->lock);
	list_del_init(&hot->node);
	WRITE_ONCE(p->nhot, p->nhot - 1);
	WRITE_ONCE(hot->on, false);
}

/**
 * weft_hot_forget - stop polling an object that is being destroyed
 * @hot: the object, no longer in the table
 *
 * Its thread may still use the object for a moment.
 *
 * Context: process.
 */
void weft_hot_forget(struct weft_hot *hot)
{
	struct weft_poller *p = hot->poller;

	spin_lock(&p->lock);
	hot->dead = true;
	if (hot->on)
		weft_hot_leave(hot);
	spin_unlock(&p->lock);
}

/*
 * Make an object COLD and leave its work to a worker. poller->lock is held; dropped meanwhile. The
 * object may be gone afterwards.
 */
static void weft_hot_hand(struct weft_poller *p, struct weft_hot *hot)
	__must_hold(&p->lock)
{
	struct weft_obj *obj = hot->obj;

	lockdep_assert_held(&p->lock);
	weft_hot_leave(hot);
	refcount_inc(&obj->use);
	spin_unlock(&p->lock);
	if (hot->ep)
		weft_ep_hand(hot->ep, weft_now(), p->out);
	else
		weft_hot_poll(hot, weft_now(), p->out);
	weft_obj_unuse(obj);
	spin_lock(&p->lock);
}

/*
 * Process the posted work of an object. poller->lock is held; dropped meanwhile. The object may be
 * gone afterwards.
 */
static void weft_hot_serve(struct weft_poller *p, struct weft_hot *hot, const u32 bell[2])
	__must_hold(&p->lock)
{
	struct weft_obj *obj = hot->obj;
	weft_ns now;

	lockdep_assert_held(&p->lock);
	refcount_inc(&obj->use);
	spin_unlock(&p->lock);
	now = weft_now();
	hot->seen[0] = bell[0];
	hot->seen[1] = bell[1];
	hot->left = weft_hot_poll(hot, now, p->out);
	if (!(hot->left & WEFT_POLL_BUSY))
		hot->since = now;
	weft_obj_unuse(obj);
	spin_lock(&p->lock);
}

/* Make an object COLD. poller->lock is held; it may be dropped meanwhile. */
static void weft_hot_part(struct weft_poller *p, struct weft_hot *hot)
{
	lockdep_assert_held(&p->lock);
	if (weft_hot_end(hot))
		weft_hot_hand(p, hot);
	else
		weft_hot_leave(hot);
}

/*
 * Make an object COLD that had no work for long, or whose ring another consumer has held for long.
 * poller->lock is held; it may be dropped meanwhile. Return: true if it has work and stays HOT.
 */
static bool weft_hot_retire(struct weft_poller *p, struct weft_hot *hot)
{
	lockdep_assert_held(&p->lock);
	if (!weft_hot_end(hot)) {
		weft_hot_leave(hot);
		return false;
	}
	if (hot->left & WEFT_POLL_BUSY || !weft_hot_begin(hot)) {
		weft_hot_hand(p, hot);
		return false;
	}
	hot->left = WEFT_POLL_MORE;
	hot->since = weft_now();
	return true;
}

/* ---- Threads --------------------------------------------------------------------------------- */

/* Poll all hot objects once. Return: true if one had work. */
static bool weft_poller_scan(struct weft_poller *p, weft_ns now)
{
	u64 idle = READ_ONCE(p->engine->idle_ns);
	struct weft_hot *hot;
	struct list_head at;
	bool busy = false;
	u32 bell[2];

	spin_lock(&p->lock);
	list_add(&at, &p->hot);
	while (at.next != &p->hot) {
		hot = list_entry(at.next, struct weft_hot, node);
		list_move(&at, &hot->node);
		bell[0] = READ_ONCE(hot->bell[0]);
		bell[1] = READ_ONCE(hot->bell[1]);
		if (bell[0] == hot->seen[0] && bell[1] == hot->seen[1] && !hot->left) {
			if ((s64)(now - hot->since) > (s64)idle)
				busy |= weft_hot_retire(p, hot);
		} else if (hot->left & WEFT_POLL_BUSY && (s64)(now - hot->since) > (s64)idle) {
			busy |= weft_hot_retire(p, hot);
		} else {
			weft_hot_serve(p, hot, bell);
			busy = true;
		}
	}
	list_del(&at);
	spin_unlock(&p->lock);
	return busy;
}

/* Return: number of received packets. */
static u32 weft_poller_nic(struct weft_poller *p)
{
	return weft_up_poll(p->engine->dev->port, p->queue, WEFT_POLL_BUDGET);
}

/* Let the NIC interrupt. Return: true if packets have come already. */
static bool weft_poller_arm(struct weft_poller *p)
{
	return weft_up_arm(p->engine->dev->port, p->queue);
}

static void weft_poller_sleep(struct weft_poller *p)
{
	WRITE_ONCE(p->awake, false);
	set_current_state(TASK_IDLE);
	/* set the state before these checks; a waker publishes work before it wakes */
	if (!kthread_should_stop() && list_empty_careful(&p->hot) && !weft_poller_arm(p)) {
		weft_count(p->engine->dev->core, engine_sleeps);
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	WRITE_ONCE(p->awake, true);
}

/* Make all objects of a thread COLD. */
static void weft_poller_part(struct weft_poller *p)
{
	spin_lock(&p->lock);
	while (!list_empty(&p->hot))
		weft_hot_part(p, list_first_entry(&p->hot, struct weft_hot, node));
	spin_unlock(&p->lock);
}

/* Return: true if another task has wanted this CPU for long. */
static bool weft_poller_crowded(struct weft_poller *p, weft_ns now)
{
	return READ_ONCE(p->engine->conf.mode) == WEFT_ENGINE_AUTO &&
	       weft_crowd_look(&p->crowd, single_task_running(), now);
}

static int weft_poller_run(void *arg)
{
	struct weft_poller *p = arg;
	weft_ns now, busy = weft_now();

	WRITE_ONCE(p->awake, true);
	while (!kthread_should_stop()) {
		now = weft_now();
		if (unlikely(weft_poller_crowded(p, now))) {
			weft_poller_part(p);
			weft_poller_sleep(p);
			busy = weft_now();
		} else if (weft_poller_nic(p) | weft_poller_scan(p, now)) {
			busy = now;
		} else if (list_empty_careful(&p->hot) &&
			   now - busy > READ_ONCE(p->engine->idle_ns)) {
			weft_poller_sleep(p);
			busy = weft_now();
		} else {
			cpu_relax();
		}
		cond_resched();
	}
	return 0;
}

/* The thread has ended: make its objects COLD, and return the NIC to the driver. */
static void weft_poller_close(struct weft_poller *p)
{
	WRITE_ONCE(p->awake, false);
	weft_poller_part(p);
	/* the driver gets interrupts again: weft_engine_irq() refuses them while closed */
	while (weft_poller_arm(p))
		weft_poller_nic(p);
	kvfree(p->out);
	p->out = NULL;
}

/* ---- Starting and stopping ------------------------------------------------------------------- */

/* engine->lock is held. */
static void weft_engine_halt(struct weft_engine *engine)
{
	struct weft_poller *p;
	u32 i;

	lockdep_assert_held(&engine->lock);
	for (i = 0; i < engine->n; i++) {
		p = &engine->poller[i];
		if (!p->open)
			continue;
		spin_lock(&p->lock);
		WRITE_ONCE(p->open, false);
		spin_unlock(&p->lock);
		/* wait for interrupts that found it open */
		synchronize_rcu();
		kthread_stop(p->task);
		put_task_struct(p->task);
		p->task = NULL;
		weft_poller_close(p);
	}
}

static int weft_poller_create(struct weft_poller *p, u32 cpu)
{
	struct weft_dev *dev = p->engine->dev;
	struct task_struct *task;

	p->out = kvmalloc(sizeof(*p->out), GFP_KERNEL);
	if (!p->out)
		return -ENOMEM;
	weft_out_init(p->out, dev->core);
	task = kthread_create(weft_poller_run, p, "weft/%s:%u", dev->name, p->queue);
	if (IS_ERR(task)) {
		kvfree(p->out);
		p->out = NULL;
		return PTR_ERR(task);
	}
	get_task_struct(task);
	if (cpu != WEFT_ENGINE_ANY_CPU)
		kthread_bind(task, cpu);
	spin_lock(&p->lock);
	p->task = task;
	/* pairs with the acquire in weft_engine_irq() */
	smp_store_release(&p->open, true);
	spin_unlock(&p->lock);
	wake_up_process(task);
	return 0;
}

static u32 weft_next_cpu(u32 cpu)
{
	cpu = cpumask_next(cpu, cpu_online_mask);
	return cpu < nr_cpu_ids ? cpu : cpumask_first(cpu_online_mask);
}

/* engine->lock is held, no thread runs. */
static int weft_engine_start(struct weft_engine *engine)
{
	u32 cpu = engine->conf.cpu, i;
	int err = 0;

	lockdep_assert_held(&engine->lock);
	for (i = 0; i < engine->n && !err; i++) {
		err = weft_poller_create(&engine->poller[i], cpu);
		if (cpu != WEFT_ENGINE_ANY_CPU)
			cpu = weft_next_cpu(cpu);
	}
	if (err)
		weft_engine_halt(engine);
	return err;
}

static int weft_engine_check(const struct weft_engine_conf *conf, struct netlink_ext_ack *extack)
{
	if (conf->mode > WEFT_ENGINE_AUTO) {
		NL_SET_ERR_MSG(extack, "no such engine; there are: inline, poll, auto");
		return -EINVAL;
	}
	if (conf->cpu != WEFT_ENGINE_ANY_CPU &&
	    (conf->cpu >= nr_cpu_ids || !cpu_online(conf->cpu))) {
		NL_SET_ERR_MSG(extack, "there is no such CPU, or it is offline");
		return -EINVAL;
	}
	if (!conf->idle_us || conf->idle_us > WEFT_ENGINE_IDLE_MAX) {
		NL_SET_ERR_MSG(extack, "idle-us is a number from 1 to 10000000");
		return -ERANGE;
	}
	return 0;
}

/**
 * weft_engine_set - change a port's engine, also under traffic
 * @dev: the port's device
 * @conf: the new settings; WEFT_ENGINE_SAME leaves a field unchanged
 * @extack: receives the reason of a failure
 *
 *
 * Context: process.
 * Return: 0, -EINVAL: engine, CPU; -ERANGE: idle time; -ENODEV: the port is going; -ENOMEM, -EINTR:
 * a thread could not be created, and the engine is inline.
 */
int weft_engine_set(struct weft_dev *dev, const struct weft_engine_conf *conf,
		    struct netlink_ext_ack *extack)
{
	struct weft_engine *engine = dev->engine;
	struct weft_engine_conf new = *conf, old;
	int err;

	mutex_lock(&engine->lock);
	old = engine->conf;
	if (new.mode == WEFT_ENGINE_SAME)
		new.mode = old.mode;
	if (new.cpu == WEFT_ENGINE_SAME)
		new.cpu = old.cpu;
	if (new.idle_us == WEFT_ENGINE_SAME)
		new.idle_us = old.idle_us;
	err = engine->gone ? -ENODEV : weft_engine_check(&new, extack);
	if (err)
		goto out;
	engine->conf = new;
	WRITE_ONCE(engine->idle_ns, new.idle_us * 1000ull);
	if (new.mode == old.mode && new.cpu == old.cpu)
		goto out;
	weft_engine_halt(engine);
	if (new.mode != WEFT_ENGINE_INLINE)
		err = weft_engine_start(engine);
	if (err) {
		engine->conf.mode = WEFT_ENGINE_INLINE;
		NL_SET_ERR_MSG(extack, "cannot start a thread; the engine is inline now");
	}
out:
	mutex_unlock(&engine->lock);
	return err;
}

/**
 * weft_engine_look - read the settings of a port's engine
 * @dev: the port's device
 * @conf: out
 *
 * Context: any.
 */
void weft_engine_look(const struct weft_dev *dev, struct weft_engine_conf *conf)
{
	const struct weft_engine *engine = dev->engine;

	conf->mode = READ_ONCE(engine->conf.mode);
	conf->cpu = READ_ONCE(engine->conf.cpu);
	conf->idle_us = READ_ONCE(engine->conf.idle_us);
}

/**
 * weft_engine_hot - count the objects that threads poll now
 * @dev: the port's device
 *
 * Context: any.
 * Return: number of endpoints and queues.
 */
u32 weft_engine_hot(const struct weft_dev *dev)
{
	const struct weft_engine *engine = dev->engine;
	u32 n = 0, i;

	for (i = 0; i < engine->n; i++)
		n += READ_ONCE(engine->poller[i].nhot);
	return n;
}

/**
 * weft_engine_name - name of an engine
 * @mode: WEFT_ENGINE_*
 *
 * Context: any.
 * Return: the name, NULL: no engine has this number.
 */
const char *weft_engine_name(u32 mode)
{
	static const char *const name[] = {
		[WEFT_ENGINE_INLINE] = "inline",
		[WEFT_ENGINE_POLL] = "poll",
		[WEFT_ENGINE_AUTO] = "auto",
	};

	return mode < ARRAY_SIZE(name) ? name[mode] : NULL;
}

/**
 * weft_engine_stop - end the threads of a port for good
 * @dev: the port's device, NULL: none
 *
 * Context: process.
 */
void weft_engine_stop(struct weft_dev *dev)
{
	struct weft_engine *engine = dev ? dev->engine : NULL;

	if (!engine)
		return;
	mutex_lock(&engine->lock);
	engine->gone = true;
	weft_engine_halt(engine);
	mutex_unlock(&engine->lock);
}

/**
 * weft_engine_irq - report that a queue of a driver has packets
 * @dev: the port's device, NULL: none
 * @queue: the queue pair
 *
 * Context: any, in an RCU read section (as interrupts are). For drivers with ops->poll().
 * Return: true: a thread polls the queue; false: the driver must poll it.
 */
bool weft_engine_irq(struct weft_dev *dev, u32 queue)
{
	struct weft_poller *p;

	if (!dev || queue >= dev->engine->n)
		return false;
	p = &dev->engine->poller[queue];
	/* pairs with the release in weft_poller_create() */
	if (!smp_load_acquire(&p->open))
		return false;
	if (READ_ONCE(dev->engine->conf.mode) == WEFT_ENGINE_AUTO && !READ_ONCE(p->awake))
		return false;
	wake_up_process(p->task);
	return true;
}

/**
 * weft_engine_new - create a port's engine, inline
 * @dev: the port's device; the driver of the port is attached
 *
 * Context: process.
 * Return: the engine, NULL: no memory.
 */
struct weft_engine *weft_engine_new(struct weft_dev *dev)
{
	u32 n = weft_up_queues(dev->port), i;
	struct weft_engine *engine;

	n = clamp_t(u32, n, 1, WEFT_ENGINE_QUEUES);
	engine = kzalloc(struct_size(engine, poller, n), GFP_KERNEL);
	if (!engine)
		return NULL;
	mutex_init(&engine->lock);
	engine->dev = dev;
	engine->n = n;
	engine->conf.cpu = WEFT_ENGINE_ANY_CPU;
	engine->conf.idle_us = WEFT_ENGINE_IDLE_US;
	engine->idle_ns = WEFT_ENGINE_IDLE_US * 1000ull;
	for (i = 0; i < n; i++) {
		engine->poller[i].engine = engine;
		engine->poller[i].queue = i;
		spin_lock_init(&engine->poller[i].lock);
		INIT_LIST_HEAD(&engine->poller[i].hot);
	}
	return engine;
}

/**
 * weft_engine_free - free a port's engine
 * @engine: no thread runs, no endpoint is left; may be NULL
 */
void weft_engine_free(struct weft_engine *engine)
{
	if (!engine)
		return;
	mutex_destroy(&engine->lock);
	kfree(engine);
}
