/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - what it needs from its surroundings
 *
 * The module provides it in kernel/dev and kernel/port, host programs in selftests/host. All is
 * bound when linking: no table of functions on the data path.
 */
#ifndef WEFT_ENV_H
#define WEFT_ENV_H

/*
 * Ranks of locks: one is taken only while those that are held have lower ones. WEFT_RANK_LEAF:
 * nothing is taken inside.
 */
enum weft_rank {
	WEFT_RANK_CORE = 1,
	WEFT_RANK_PATH,
	WEFT_RANK_SVC,
	WEFT_RANK_EP,
	WEFT_RANK_SRQ,
	WEFT_RANK_QUEUE,
	WEFT_RANK_LEAF,
};

#ifdef __KERNEL__
#include "core/base/env_kernel.h"	/* kernel headers; locks, memory, counters by them */
#else
#include "weft_host.h"		/* the same names for host programs */
#endif
#include "core/base/list.h"
#include <linux/weft.h>

/*
 * Both give, besides the kernel's usual names (u8 ... u64, bool, __be16 ..., cpu_to_be32 ...,
 * container_of, READ_ONCE, WRITE_ONCE, smp_load_acquire, smp_store_release, smp_mb, min, max,
 * min_t, likely, refcount_t, atomic_t, ERR_PTR, WARN_ON_ONCE, ARRAY_SIZE, BUILD_BUG_ON, memcpy ...,
 * errno names):
 *
 *	typedef u64 weft_ns		monotonic; always passed in, never read
 *	struct weft_lock		weft_lock_init(l, rank), weft_lock(), weft_unlock(),
 *					weft_assert_held(); the last one taken is released first;
 *					kernel: spin locks, softirqs off; host: checks order and
 *					balance
 *	weft_softirqs_off(), weft_softirqs_on(), weft_lock_inner(), weft_unlock_inner()
 *					for several locks in a row, which then cost less
 *	struct weft_mutex		weft_mutex_init(), weft_mutex_lock() (sleeps),
 *					weft_mutex_trylock(), weft_mutex_unlock()
 *	void *weft_alloc(size_t)	zeroed, never sleeps, charged to the calling process
 *					(weft_alloc_for(): to whom it is for); NULL is normal
 *	void *weft_alloc_sleep(size_t)	zeroed, may sleep; large sizes too
 *	void weft_free(const void *)	of either
 *	struct weft_rcu			stands in what weft_free_rcu(p, m) frees, m being its name,
 *					when no reader is left
 *	weft_rcu_lock(), weft_rcu_unlock()
 *					for readers; who has softirqs off need not
 *	u64 weft_random(void)
 *	u64 weft_siphash(const void *, size_t, const u64 key[2])
 *	weft_counters_t			weft_count(core, name), weft_count_add(core, name, n),
 *					weft_counters_new(n) (sleeps; NULL: no memory),
 *					weft_counters_free(c), u64 weft_counters_read(c, WEFT_CNT_x)
 *	bool weft_signal_pending(void)
 *	weft_trace_post(), weft_trace_match(), weft_trace_complete()
 *					(u32 endpoint, u64 context, u64 tag, u64 len, u32 what):
 *					a tracepoint, or nothing; kernel/trace/trace_core.h
 *	OPTIMIZER_HIDE_VAR(v)		what is in @v is not worked out anew
 *	void weft_yield(void)		sleeps: let others run, in a loop that takes long
 *	void weft_nap(void)		sleeps for a moment, in a loop that waits for another thread
 */

/* Is it the address of a multicast group? */
static inline bool weft_addr_is_group(const struct weft_sockaddr *a)
{
	return a->family == AF_INET ? (a->addr[0] & 0xf0) == 0xe0 :
	       a->family == AF_INET6 && a->addr[0] == 0xff;
}

/* ---- Memory of programs ---------------------------------------------------------- */

/**
 * struct weft_vec - where a message stands in a program's memory
 * @n: segments
 * @len: bytes in all
 * @seg: segments; the addresses are the user's and were not checked
 */
struct weft_vec {
	u32 n;
	u64 len;
	struct weft_iov seg[WEFT_IOV_MAX];
};

/* A variable that is not zeroed, as some kernels do with all: what is read of it has been set. */
#define weft_unset	__attribute__((__uninitialized__))

struct weft_memctx;	/* memory of one context */
struct weft_mem;	/* a window of it: pinned pages or kernel memory instead of them */

#define WEFT_MEM_READ	1	/* messages are sent from it */
#define WEFT_MEM_WRITE	2	/* messages are received into it */

/* The context's memory; references keep the structure, not the pages. */
void weft_memctx_get(struct weft_memctx *mc);
void weft_memctx_put(struct weft_memctx *mc);

/**
 * weft_alloc_for - memory that others need for a program
 * @mc: who is charged, whoever calls
 * @size: bytes
 *
 * For what comes in while anything else runs. Like all that may not sleep it is charged also beyond
 * the memory cgroup's limit, which the next allocation of the cgroup's own has to make good; what
 * bounds it are the port's limits. Return: zeroed memory for weft_free(), NULL: there is none.
 */
void *weft_alloc_for(struct weft_memctx *mc, size_t size);

/**
 * weft_mem_get - get at a part of a message's memory, if that needs no sleep
 * @mc: context's memory
 * @vec: the message
 * @off: offset in it
 * @len: bytes, not more than weft_conf.window_bytes
 * @access: WEFT_MEM_READ or WEFT_MEM_WRITE
 * @mem: out: the window, referenced
 *
 * Return: 0, -EAGAIN: cold: weft_mem_make() is needed, -EFAULT, -ENOMEM.
 */
int weft_mem_get(struct weft_memctx *mc, const struct weft_vec *vec, u64 off, u32 len, u32 access,
		 struct weft_mem **mem);

/*
 * The same, sleeping: pins, or falls back to a bounce buffer (READ: filled from the program's
 * memory at once).
 */
int weft_mem_make(struct weft_memctx *mc, const struct weft_vec *vec, u64 off, u32 len, u32 access,
		  struct weft_mem **mem);

void weft_mem_hold(struct weft_mem *mem);
/* Any context; the real unpin is deferred. */
void weft_mem_put(struct weft_mem *mem);

/*
 * Copies; any context. Return: 0, -EFAULT: the memory is gone (process dead, unmapped). Offsets in
 * the window.
 *
 * Gather and scatter: @len bytes of the window are one piece; those on the other side, in kernel
 * memory, stand in pieces of @piece bytes (the last may be shorter), with @skip bytes between one
 * piece and the next that are not touched.
 */
int weft_mem_gather(struct weft_mem *mem, u32 off, const void *src, u32 len, u32 piece, u32 skip);
int weft_mem_scatter(struct weft_mem *mem, u32 off, void *dst, u32 len, u32 piece, u32 skip);
int weft_mem_copy(struct weft_mem *dst, u32 doff, struct weft_mem *src, u32 soff, u32 len);

static inline int weft_mem_write(struct weft_mem *mem, u32 off, const void *src, u32 len)
{
	return weft_mem_gather(mem, off, src, len, len, 0);
}

static inline int weft_mem_read(struct weft_mem *mem, u32 off, void *dst, u32 len)
{
	return weft_mem_scatter(mem, off, dst, len, len, 0);
}

/**
 * struct weft_span - bytes in kernel memory
 * @p: the first
 * @len: how many
 */
struct weft_span {
	void *p;
	u32 len;
};

/*
 * Where the bytes of a window that was made for reading stand: pieces, in order. Whoever uses them
 * holds the window. Return: how many; 0: more than @max, or they are not pinned, or the process is
 * dead: they have to be copied.
 */
u32 weft_mem_spans(struct weft_mem *mem, u32 off, u32 len, struct weft_span *span, u32 max);

/* Was written to, and must be flushed before the program is told. */
bool weft_mem_bounced(const struct weft_mem *mem);
/* Sleeps: bounce buffer to the program's memory. Return: 0, -EFAULT. */
int weft_mem_flush(struct weft_mem *mem);

/* Sleeps: copy from the program's memory now, or into it. Return: 0, -EFAULT. */
int weft_user_read(struct weft_memctx *mc, const struct weft_vec *vec, u64 off, void *dst, u32 len);
int weft_user_write(struct weft_memctx *mc, const struct weft_vec *vec, u64 off, const void *src,
		    u32 len);

/*
 * May a message be received into a segment of registered memory? @ctx: weft_srq_conf.ctx; @key:
 * handle of the region; @zone: the protection zone that it must be of. Any context. Return: 0,
 * -EACCES: there is no such region, it is of another zone, may not be written to, or the segment
 * is not inside.
 */
int weft_env_region(void *ctx, u32 key, u32 zone, const struct weft_iov *seg);

/* ---- Work in process context ----------------------------------------------------- */

/**
 * struct weft_work - something that needs process context; stands in the object it is about
 * @node: the adapter's, while queued
 * @kind: the core's own
 * @queued: from the time it is put out until weft_core_work() has begun; path or endpoint lock
 * @ctx: weft_ep_conf.ctx of the endpoint it is about
 */
struct weft_work {
	struct weft_list node;
	u8 kind;
	bool queued;
	void *ctx;
};

struct weft_core;
struct weft_path;
struct weft_cq;
struct weft_eq;
struct weft_tx;

/*
 * Have weft_core_work() called for it, soon, once. Takes over the reference. If the context is
 * dying it is called all the same.
 */
void weft_env_defer(struct weft_work *work);

/* ---- The port -------------------------------------------------------------------- */

/*
 * Send packets; what cannot be sent is lost, as on a wire. All of one core; neighbours with one
 * path may go out together.
 */
void weft_env_tx(struct weft_core *core, struct weft_tx *tx, u32 n);

/**
 * struct weft_tx_resv - room for a packet, in the port's own memory
 * @data: where its bytes go; any alignment
 * @len: bytes, from the weft header on
 * @psn: packet sequence number
 * @lane: number of its lane
 * @port: the port's
 */
struct weft_tx_resv {
	void *data;
	u32 len;
	u32 psn;
	u8 lane;
	void *port;
};

/**
 * weft_env_tx_resv - the quickest way out for a packet of a path: room for it
 * @core: the core
 * @path: the path, up; may be locked: nothing is sent, and the port calls nobody
 * @b: @len and @lane are filled in
 *
 * Softirqs are off, and stay so until weft_env_send(), which has to be called then, when all bytes
 * have been written. Return: there is room; false: this packet has to leave by weft_env_tx().
 */
bool weft_env_tx_resv(struct weft_core *core, struct weft_path *path, struct weft_tx_resv *b);

/* Send it; what cannot be sent is lost. No lock of the core is held; the path is referenced. */
void weft_env_send(struct weft_core *core, struct weft_path *path, struct weft_tx_resv *b);

/*
 * Call weft_core_timer() at @at instead of what was set before. Any CPU, may be early or late.
 * Called under path->lock, so that calls for one path come in order: must not wait for a timer that
 * runs. One that ran before need not be taken back.
 */
void weft_env_timer(struct weft_path *path, weft_ns at);

/*
 * A path begins: route, timer; the one within the node, during weft_core_init(): timer. Sleeps not.
 * Return: 0, -ENETUNREACH, -EHOSTUNREACH, -ENOMEM; the payload that fits into a packet on the way
 * is stored in *max_payload.
 */
int weft_env_path_open(struct weft_path *path, u32 *max_payload);
/*
 * The last reference is going: stop the timer (it may be running: the path is freed by
 * weft_env_path_free() or later).
 */
void weft_env_path_close(struct weft_path *path);

/*
 * Have packets to a group come in, or not any more. The service does not count; it is not asked
 * for twice. Sleeps. Return: 0, negative errno: they do not come (not of the end, which cannot
 * fail).
 */
int weft_env_group(struct weft_core *core, const struct weft_sockaddr *group, bool join);

/* ---- The device ------------------------------------------------------------------ */

/* Entries were written and cq->armed was found set (and cleared). */
void weft_env_wake_cq(struct weft_cq *cq);
void weft_env_wake_eq(struct weft_eq *eq);
/* The last reference has gone. */
void weft_env_free_cq(struct weft_cq *cq);
void weft_env_free_eq(struct weft_eq *eq);

#endif
