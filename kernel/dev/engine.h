/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft - engines: which thread takes posted work from programs. States and locks: engine.c
 */
#ifndef WEFT_ENGINE_H
#define WEFT_ENGINE_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "../core/base/auto.h"
#include "../core/api/api.h"

struct netlink_ext_ack;
struct task_struct;
struct weft_dev;
struct weft_obj;

#define WEFT_ENGINE_INLINE	0
#define WEFT_ENGINE_POLL	1
#define WEFT_ENGINE_AUTO	2

#define WEFT_ENGINE_ANY_CPU	U32_MAX
#define WEFT_ENGINE_SAME	(U32_MAX - 1)	/* unchanged, in weft_engine_set() */
#define WEFT_ENGINE_QUEUES	16		/* threads of one port */
#define WEFT_ENGINE_IDLE_US	100		/* default */
#define WEFT_ENGINE_IDLE_MAX	10000000

/**
 * struct weft_engine_conf - settings of an engine by the administrator
 * @mode: WEFT_ENGINE_*
 * @cpu: CPU of the first thread; the others use the CPUs that follow; WEFT_ENGINE_ANY_CPU: the
 *	scheduler chooses
 * @idle_us: microseconds without work until an endpoint is no longer polled, and a thread sleeps; 1
 *	to WEFT_ENGINE_IDLE_MAX
 */
struct weft_engine_conf {
	u32 mode;
	u32 cpu;
	u32 idle_us;
};

struct weft_poller;

/**
 * struct weft_hot - an object's entry in the list of polled objects
 * @node: in poller->hot, while @on
 * @poller: its thread; constant
 * @obj: the object; the list holds a use of it while @on
 * @ep: the core's part, of an endpoint
 * @cq: the core's part, of a completion queue
 * @srq: the core's part, of a shared receive queue
 * @bell: doorbells
 * @seen: values of the doorbells when they were last served
 * @left: WEFT_POLL_* of the last poll
 * @rate: rate of its program's calls while it is COLD
 * @since: time when it last had work
 * @on: is polled
 * @dead: will not be polled again
 *
 * poller->lock protects it. But @seen, @left and @since belong to the thread while @on.
 */
struct weft_hot {
	struct list_head node;
	struct weft_poller *poller;
	struct weft_obj *obj;
	struct weft_ep *ep;
	struct weft_cq *cq;
	struct weft_srq *srq;
	const u32 *bell;
	u32 seen[2];
	u32 left;
	struct weft_rate rate;
	weft_ns since;
	bool on;
	bool dead;
};

/**
 * struct weft_poller - a thread that polls one queue pair of the NIC, and endpoints
 * @engine: engine of the port
 * @queue: number of the pair
 * @open: the thread runs, and accepts endpoints; written under @lock
 * @lock: protects @hot, @open, @task
 * @hot: struct weft_hot
 * @nhot: entries of @hot
 * @crowd: state of the search for other tasks that want its CPU; the thread's
 * @awake: it polls the NIC; written by the thread
 * @task: the thread, while @open
 * @out: output for calls into the core
 */
struct weft_poller {
	struct weft_engine *engine;
	u32 queue;
	bool open;
	spinlock_t lock;	/* hot, open, task */
	struct list_head hot;
	u32 nhot;
	struct weft_crowd crowd;
	bool awake;
	struct task_struct *task;
	struct weft_out *out;
};

/**
 * struct weft_engine - engine of a port; lives as long as its device
 * @dev: the port's device
 * @lock: protects @conf except @idle_ns; serialises starting and stopping threads
 * @conf: settings
 * @idle_ns: idle time in nanoseconds; read by the threads
 * @gone: the port is going: no new threads
 * @n: maximum number of threads: queue pairs of the port; constant
 * @poller: the threads
 */
struct weft_engine {
	struct weft_dev *dev;
	struct mutex lock;	/* conf, gone */
	struct weft_engine_conf conf;
	u64 idle_ns;
	bool gone;
	u32 n;
	struct weft_poller poller[];
};

struct weft_engine *weft_engine_new(struct weft_dev *dev);
void weft_engine_free(struct weft_engine *engine);
int weft_engine_set(struct weft_dev *dev, const struct weft_engine_conf *conf,
		    struct netlink_ext_ack *extack);
void weft_engine_look(const struct weft_dev *dev, struct weft_engine_conf *conf);
const char *weft_engine_name(u32 mode);
void weft_engine_stop(struct weft_dev *dev);
u32 weft_engine_hot(const struct weft_dev *dev);
bool weft_engine_irq(struct weft_dev *dev, u32 queue);

void weft_hot_init(struct weft_hot *hot, struct weft_engine *engine, struct weft_obj *obj,
		   const void *bell);
void weft_hot_join(struct weft_hot *hot);
void weft_hot_forget(struct weft_hot *hot);

/**
 * weft_hot_notified - start polling an object whose program had to notify
 * @hot: the object; the caller holds a use of it
 */
static inline void weft_hot_notified(struct weft_hot *hot)
{
	if (unlikely(READ_ONCE(hot->poller->open) && !READ_ONCE(hot->on)))
		weft_hot_join(hot);
}

#endif
