/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - the functions and types of env.h for the module: Linux 6.1 to 6.12
 *
 * Locks exclude softirqs of the same CPU, which process packets and timers. All functions are
 * inline, without a layer between the core and the kernel.
 */
#ifndef WEFT_ENV_KERNEL_H
#define WEFT_ENV_KERNEL_H

#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/bottom_half.h>
#include <linux/bug.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/container_of.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/siphash.h>
#include <linux/slab.h>
#include <linux/socket.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/types.h>
#include <asm/barrier.h>
#include <asm/byteorder.h>

typedef u64 weft_ns;

/* For adapters; the core gets the time as an argument. */
static inline weft_ns weft_now(void)
{
	return ktime_get_ns();
}

/* ---- Locks ----------------------------------------------------------- */

/**
 * struct weft_lock - a spin lock
 * @spin: the spin lock
 * @bh: the holder has switched softirqs off for it; they were on
 *
 * Inside another lock, and in softirqs, softirqs are off already: switching them off again would
 * cost more than the lock.
 */
struct weft_lock {
	spinlock_t spin;	/* protects the fields named in the kernel-doc of its owner */
	bool bh;
};

/* A macro: each place that initializes locks is a lockdep class, for the check of the order. */
#define weft_lock_init(l, rank)							\
do {										\
	BUILD_BUG_ON((rank) < WEFT_RANK_CORE || (rank) > WEFT_RANK_LEAF);	\
	spin_lock_init(&(l)->spin);						\
} while (0)

static inline void weft_lock(struct weft_lock *l) __acquires(&l->spin)
{
	bool bh = !softirq_count();

	if (bh)
		local_bh_disable();
	spin_lock(&l->spin);
	l->bh = bh;
}

static inline void weft_unlock(struct weft_lock *l) __releases(&l->spin)
{
	bool bh = l->bh;

	spin_unlock(&l->spin);
	if (bh)
		local_bh_enable();
}

/* Around several locks that are taken one after the other. */
static inline void weft_softirqs_off(void)
{
	local_bh_disable();
}

static inline void weft_softirqs_on(void)
{
	local_bh_enable();
}

/* Where softirqs are known to be off. A lock taken in this way is released in the same way. */
static inline void weft_lock_inner(struct weft_lock *l) __acquires(&l->spin)
{
	spin_lock(&l->spin);
}

static inline void weft_unlock_inner(struct weft_lock *l) __releases(&l->spin)
{
	spin_unlock(&l->spin);
}

static inline void weft_assert_held(const struct weft_lock *l)
{
	lockdep_assert_held(&l->spin);
}

/**
 * struct weft_mutex - a lock whose holder may sleep
 * @mutex: the mutex
 */
struct weft_mutex {
	struct mutex mutex;	/* protects the fields named in the kernel-doc of its owner */
};

#define weft_mutex_init(m)	mutex_init(&(m)->mutex)

static inline void weft_mutex_lock(struct weft_mutex *m) __acquires(&m->mutex)
{
	mutex_lock(&m->mutex);
}

static inline bool weft_mutex_trylock(struct weft_mutex *m)
{
	return mutex_trylock(&m->mutex);
}

/* Assert that the mutex is held. */
static inline void weft_mutex_assert_held(const struct weft_mutex *m)
{
	lockdep_assert_held(&m->mutex);
}

static inline void weft_mutex_unlock(struct weft_mutex *m) __releases(&m->mutex)
{
	mutex_unlock(&m->mutex);
}

/* ---- Memory ---------------------------------------------------------- */

static inline void *weft_alloc(size_t size)
{
	return kzalloc(size, GFP_ATOMIC | __GFP_ACCOUNT | __GFP_NOWARN);
}

static inline void *weft_alloc_sleep(size_t size)
{
	return kvzalloc(size, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
}

static inline void *weft_alloc_bytes(size_t size)
{
	return kvmalloc(size, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
}

static inline void weft_free(const void *p)
{
	kvfree(p);
}

/**
 * struct weft_rcu - member of an object that is freed when no reader is left
 * @head: head for RCU
 */
struct weft_rcu {
	struct rcu_head head;
};

#define weft_free_rcu(p, m)	kvfree_rcu(p, m.head)

static inline void weft_rcu_lock(void)
	__acquires(RCU)
{
	rcu_read_lock();
}

static inline void weft_rcu_unlock(void)
	__releases(RCU)
{
	rcu_read_unlock();
}

/* ---- Memory that programs change with atomic instructions ------------ */

/* 64-bit elements need instructions of this width. */
static_assert(BITS_PER_LONG == 64, "weft needs a 64-bit kernel");

#define weft_xchg(p, v)		xchg(p, v)
#define weft_cmpxchg(p, o, n)	cmpxchg(p, o, n)

static inline u32 weft_fetch_add32(u32 *p, u32 n)
{
	return atomic_fetch_add(n, (atomic_t *)p);
}

static inline u64 weft_fetch_add64(u64 *p, u64 n)
{
	return atomic64_fetch_add(n, (atomic64_t *)p);
}

/* ---- Other functions ------------------------------------------------- */

static inline u64 weft_random(void)
{
	return get_random_u64();
}

static inline u64 weft_siphash(const void *data, size_t len, const u64 key[2])
{
	siphash_key_t k = { .key = { key[0], key[1] } };

	return siphash(data, len, &k);
}

/* May sleep: lets other tasks run, in a long loop. */
static inline void weft_yield(void)
{
	cond_resched();
}

/* Sleeps shortly, in a loop that waits for another thread, which may have lower priority. */
static inline void weft_nap(void)
{
	usleep_range(10, 100);
}

static inline bool weft_signal_pending(void)
{
	return signal_pending(current);
}

typedef u64 __percpu *weft_counters_t;

#define weft_count(core, name)		this_cpu_inc((core)->cnt[WEFT_CNT_##name])
#define weft_count_add(core, name, n)	this_cpu_add((core)->cnt[WEFT_CNT_##name], (u64)(n))

static inline weft_counters_t weft_counters_new(u32 n)
{
	return (weft_counters_t)__alloc_percpu_gfp(n * sizeof(u64), sizeof(u64),
						   GFP_KERNEL_ACCOUNT);
}

static inline void weft_counters_free(weft_counters_t c)
{
	free_percpu(c);
}

static inline void weft_counters_add(weft_counters_t c, u32 i, u64 n)
{
	this_cpu_add(c[i], n);
}

static inline u64 weft_counters_read(weft_counters_t c, u32 i)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(*per_cpu_ptr(c + i, cpu));
	return sum;
}

#include "trace/trace_core.h"

#endif
