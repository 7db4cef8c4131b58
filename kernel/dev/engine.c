// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft - engines: who takes what programs have posted
 *
 * inline: the program itself, in its notify call. poll: a kernel thread per queue pair of the port
 * (one, where the port has no queues of its own), which looks at doorbells and at the NIC, so that
 * programs do not enter the kernel at all. auto: threads as for poll, which begin to look when a
 * program calls often and stop when others want their CPU (core/base/auto.c); while a thread sleeps
 * the NIC is its driver's.
 *
 * What a thread looks at are hot endpoints only (and completion queues, whose programs have to call
 * when entries wait for room, and shared receive queues, when messages wait for a receive), a dense
 * list:
 *
 *	COLD ---(the program notifies)---> HOT ---(idle_us without news)---> COLD
 *	                                 \---(destroyed)---> gone
 *
 * A COLD endpoint asks for notify calls. A notify call does what the ring asks for in any case,
 * then the endpoint is HOT: its flags are cleared, its doorbells are in the list. Many idle
 * endpoints cost a thread nothing. HOT -> COLD is weft_ep_cool() (core/api/poll.c): flags set, full
 * barrier, a last look; what that look finds makes it HOT again. This edge is the only one at which
 * a program's post and the engine's rest could miss each other.
 *
 * A thread:
 *
 *	created ---> polling <---(nothing for idle_us, nothing hot)---> asleep ---> ended
 *
 * It sets its state to sleep (a full barrier), arms the NIC's interrupt, looks at list and NIC once
 * more, and sleeps. Who makes an endpoint hot puts it into the list, then wakes the thread; who
 * gets the interrupt wakes it (weft_engine_irq()).
 *
 * A thread does not wait for a program: its memory is left to its context's worker
 * (core/api/poll.c), and so is a ring that somebody else has been taking from for idle_us. It lets
 * others run after each round, and takes at most 64 sends of an endpoint in a row. BH are off only
 * while the NIC is polled. A context whose process dies is killed by its own worker (ctx.c), which
 * takes the endpoints out of the list; the thread holds no address space.
 *
 * Switching, also under traffic: weft_engine_set() closes the threads for those who want to join,
 * ends them, cools what is hot (what was posted is handed to workers), then starts the new ones.
 * Whoever consumes a send ring holds its endpoint's sq_mutex, so that there is one consumer at any
 * time, whatever runs.
 *
 * Locks: weft_ports_lock -> engine->lock -> (thread ended) ;
 *	  ctx->own_lock -> poller->lock -> ep->lock.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/netlink.h>
#include <linux/sched.h>
#include <linux/sched/stat.h>
#include <linux/slab.h>

#include "../port/port.h"
#include "ctx.h"
#include "engine.h"
#include "upcalls.h"

#define WEFT_POLL_BUDGET	64	/* packets that a thread takes from the NIC in a row */

/* ---- Hot endpoints --------------------------------------------------------------------------- */

/**
 * weft_hot_init - an object that may be polled, COLD
 * @hot: zeroed, of the object; @hot->ep, @hot->cq or @hot->srq is set
 * @engine: of its port
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

/* Does it pay? poller->lock is held. */
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
 * weft_hot_join - COLD -> HOT, if a thread polls, and wants to
 * @hot: the object; the caller is inside of it
 *
 * Context: process.
 */
void weft_hot_join(struct weft_hot *hot)
{
	struct weft_poller *p = hot->poller;
	weft_ns now = weft_now();

	spin_lock(&p->lock);
	if (p->open && !hot->on && !hot->dead && weft_hot_wanted(hot, now) && weft_hot_begin(hot)) {
		/* what was posted before the flags were cleared is looked for in any case */
		hot->left = WEFT_POLL_MORE;
		hot->since = now;
		WRITE_ONCE(hot->on, true);
		list_add_tail(&hot->node, &p->hot);
		WRITE_ONCE(p->nhot, p->nhot + 1);
		weft_count(&p->engine->port->core, engine_joins);
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
 * weft_hot_forget - the object is going; its thread may be inside of it for a moment still
 * @hot: the object, not in the table any more
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

/* poller->lock is held; it is let go meanwhile. The object may be gone afterwards. */
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

/* Likewise. */
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

/* HOT -> COLD, whatever there is. poller->lock is held; it may be let go meanwhile. */
static void weft_hot_part(struct weft_poller *p, struct weft_hot *hot)
{
	lockdep_assert_held(&p->lock);
	if (weft_hot_end(hot))
		weft_hot_hand(p, hot);
	else
		weft_hot_leave(hot);
}

/*
 * It has been idle, or somebody else has had its ring, for long. poller->lock is held. Return:
 * there is something to do for it all the same.
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

/* Look at all that is hot, once. Return: there was something to do. */
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

/* Return: packets that came. */
static u32 weft_poller_nic(struct weft_poller *p)
{
	return weft_up_poll(p->engine->port, p->queue, WEFT_POLL_BUDGET);
}

/* Let the NIC interrupt. Return: there is something already. */
static bool weft_poller_arm(struct weft_poller *p)
{
	return weft_up_arm(p->engine->port, p->queue);
}

static void weft_poller_sleep(struct weft_poller *p)
{
	WRITE_ONCE(p->awake, false);
	set_current_state(TASK_IDLE);
	/* the state before these looks; who makes news wakes after it */
	if (!kthread_should_stop() && list_empty_careful(&p->hot) && !weft_poller_arm(p)) {
		weft_count(&p->engine->port->core, engine_sleeps);
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	WRITE_ONCE(p->awake, true);
}

/* Make all COLD. */
static void weft_poller_part(struct weft_poller *p)
{
	spin_lock(&p->lock);
	while (!list_empty(&p->hot))
		weft_hot_part(p, list_first_entry(&p->hot, struct weft_hot, node));
	spin_unlock(&p->lock);
}

/* Is there another task for this CPU, and has it been for long? */
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

/* The thread has ended: give back what it looked at. */
static void weft_poller_close(struct weft_poller *p)
{
	WRITE_ONCE(p->awake, false);
	weft_poller_part(p);
	/* interrupts are the driver's again: weft_engine_irq() refuses them since it is closed */
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
		/* interrupts that have found it open */
		synchronize_rcu();
		kthread_stop(p->task);
		put_task_struct(p->task);
		p->task = NULL;
		weft_poller_close(p);
	}
}

static int weft_poller_create(struct weft_poller *p, u32 cpu)
{
	struct weft_port *port = p->engine->port;
	struct task_struct *task;

	p->out = kvmalloc(sizeof(*p->out), GFP_KERNEL);
	if (!p->out)
		return -ENOMEM;
	weft_out_init(p->out, &port->core);
	task = kthread_create(weft_poller_run, p, "weft/%s:%u", port->name, p->queue);
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
 * @port: the port, with a device
 * @conf: what is wanted; WEFT_ENGINE_SAME leaves a field as it is
 * @extack: for the reason
 *
 * Context: process. Return: 0, -EINVAL: engine, CPU; -ERANGE: idle time; -ENODEV: the port is
 * going; -ENOMEM, -EINTR: no thread could be made: the engine is inline.
 */
int weft_engine_set(struct weft_port *port, const struct weft_engine_conf *conf,
		    struct netlink_ext_ack *extack)
{
	struct weft_engine *engine = port->dev->engine;
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
 * weft_engine_look - what the administrator has set
 * @port: the port, with a device
 * @conf: out
 *
 * Context: any.
 */
void weft_engine_look(struct weft_port *port, struct weft_engine_conf *conf)
{
	const struct weft_engine *engine = port->dev->engine;

	conf->mode = READ_ONCE(engine->conf.mode);
	conf->cpu = READ_ONCE(engine->conf.cpu);
	conf->idle_us = READ_ONCE(engine->conf.idle_us);
}

/**
 * weft_engine_hot - how much threads look at now
 * @port: the port, with a device
 *
 * Context: any. Return: endpoints and queues.
 */
u32 weft_engine_hot(struct weft_port *port)
{
	const struct weft_engine *engine = port->dev->engine;
	u32 n = 0, i;

	for (i = 0; i < engine->n; i++)
		n += READ_ONCE(engine->poller[i].nhot);
	return n;
}

/**
 * weft_engine_name - name of an engine
 * @mode: WEFT_ENGINE_*
 *
 * Context: any. Return: the name, NULL: there is none with this number.
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
 * weft_engine_stop - the port is going: no thread runs any more, or will
 * @port: the port, may have no device
 *
 * Context: process.
 */
void weft_engine_stop(struct weft_port *port)
{
	struct weft_engine *engine = port->dev ? port->dev->engine : NULL;

	if (!engine)
		return;
	mutex_lock(&engine->lock);
	engine->gone = true;
	weft_engine_halt(engine);
	mutex_unlock(&engine->lock);
}

/**
 * weft_engine_irq - a driver's queue has something
 * @port: the port
 * @queue: the queue pair
 *
 * For drivers with ops->poll(), in an RCU read section (as interrupts are). Context: any. Return:
 * a thread comes to poll it; false: the driver does it itself.
 */
bool weft_engine_irq(struct weft_port *port, u32 queue)
{
	struct weft_dev *dev = READ_ONCE(port->dev);
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
 * weft_engine_new - a port's engine: inline
 * @port: the port; its driver is attached
 *
 * Context: process. Return: the engine, NULL: no memory.
 */
struct weft_engine *weft_engine_new(struct weft_port *port)
{
	u32 n = weft_up_queues(port), i;
	struct weft_engine *engine;

	n = clamp_t(u32, n, 1, WEFT_ENGINE_QUEUES);
	engine = kzalloc(struct_size(engine, poller, n), GFP_KERNEL);
	if (!engine)
		return NULL;
	mutex_init(&engine->lock);
	engine->port = port;
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
 * weft_engine_free - the port is being freed
 * @engine: no thread runs, no endpoint is left; may be NULL
 */
void weft_engine_free(struct weft_engine *engine)
{
	if (!engine)
		return;
	mutex_destroy(&engine->lock);
	kfree(engine);
}
