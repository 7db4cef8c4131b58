/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - functions and types that the core needs from its surroundings
 *
 * kernel/dev and kernel/port provide them in the module, selftests/host in host programs. All are
 * bound when linking: the data path uses no table of functions.
 */
#ifndef WEFT_ENV_H
#define WEFT_ENV_H

/*
 * Ranks of locks: a lock is taken only while all held locks have lower ranks. Inside a lock of rank
 * WEFT_RANK_LEAF no lock is taken.
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
#include "core/base/env_kernel.h"	/* kernel headers; locks, memory, counters */
#else
#include "weft_host.h"		/* the same names for host programs */
#endif
#include "core/base/list.h"
#include "core/base/table.h"
#include <linux/weft.h>

/*
 * Both files provide the kernel's usual types: u8 ... u64, bool, __be16 ..., refcount_t, atomic_t.
 * They provide its functions and macros cpu_to_be32 ..., container_of, READ_ONCE, WRITE_ONCE,
 * smp_load_acquire, smp_store_release, smp_mb, min, max, min_t, likely, ERR_PTR, WARN_ON_ONCE,
 * ARRAY_SIZE, BUILD_BUG_ON, memcpy ... They provide the errno names, and:
 *
 *	typedef u64 weft_ns		monotonic; always an argument, never read
 *	struct weft_lock		weft_lock_init(l, rank), weft_lock(), weft_unlock(),
 *					weft_assert_held(); the last one taken is released first;
 *					kernel: spin locks, softirqs off; host: checks order and
 *					balance
 *	weft_softirqs_off(), weft_softirqs_on(), weft_lock_inner(), weft_unlock_inner()
 *					for several locks in a row, at a lower cost
 *	struct weft_mutex		weft_mutex_init(), weft_mutex_lock() (sleeps),
 *					weft_mutex_trylock(), weft_mutex_unlock(),
 *					weft_mutex_assert_held()
 *	void *weft_alloc(size_t)	zeroed, never sleeps, charged to the calling process
 *					(weft_alloc_for(): to its owner); NULL is normal
 *	void *weft_alloc_sleep(size_t)	zeroed, may sleep; large sizes too
 *					(weft_alloc_sleep_for(): charged to a program)
 *	void *weft_alloc_bytes(size_t)	the same, not zeroed: the caller writes all bytes
 *	void weft_free(const void *)	for both
 *	struct weft_rcu			member @m of an object that weft_free_rcu(p, m) frees when
 *					no reader is left
 *	weft_rcu_lock(), weft_rcu_unlock()
 *					for readers; not needed with softirqs off
 *	u64 weft_random(void)
 *	u64 weft_siphash(const void *, size_t, const u64 key[2])
 *	weft_counters_t			weft_count(core, name), weft_count_add(core, name, n),
 *					weft_counters_new(n) (sleeps; NULL: no memory),
 *					weft_counters_add(c, i, n) (any number),
 *					weft_counters_free(c), u64 weft_counters_read(c, WEFT_CNT_x)
 *	weft_xchg(p, v), weft_cmpxchg(p, old, new)
 *					on memory that programs change at the same time with atomic
 *					instructions; @p: aligned u8, u16, u32 or u64. One
 *					instruction, fully ordered (the second one: if it stores).
 *					Return: the former value
 *	u32 weft_fetch_add32(u32 *p, u32 n), u64 weft_fetch_add64(u64 *p, u64 n)
 *					the same: adds @n
 *	bool weft_signal_pending(void)
 *	weft_trace_post_send(), weft_trace_post_recv(), weft_trace_arrive(), weft_trace_match(),
 *	weft_trace_complete(), weft_trace_retransmit()
 *					tracepoints, or nothing; kernel/trace/trace.h. Arguments are
 *					evaluated only while the tracepoint is in use
 *	bool weft_trace_complete_enabled(void)
 *					the tracepoint is in use
 *	OPTIMIZER_HIDE_VAR(v)		the compiler does not compute @v again
 *	void weft_yield(void)		sleeps: lets other tasks run, in a long loop
 *	void weft_nap(void)		sleeps shortly, in a loop that waits for another thread
 */

/* Return: true for the address of a multicast group. */
static inline bool weft_addr_is_group(const struct weft_sockaddr *a)
{
	return a->family == AF_INET ? (a->addr[0] & 0xf0) == 0xe0 :
	       a->family == AF_INET6 && a->addr[0] == 0xff;
}

/* ---- Memory of programs ---------------------------------------------------------- */

/**
 * struct weft_vec - segments of a message in a program's memory
 * @n: number of segments
 * @len: bytes of all segments
 * @seg: segments; user addresses, not checked
 */
struct weft_vec {
	u32 n;
	u64 len;
	struct weft_iov seg[WEFT_IOV_MAX];
};

/* A variable that is not zeroed, as some kernels do with all: it is set before it is read. */
#define weft_unset	__attribute__((__uninitialized__))

struct weft_memctx;	/* memory of one context */
struct weft_mem;	/* a window of it: pinned pages, or kernel memory in their place */

#define WEFT_MEM_READ	1	/* for sending */
#define WEFT_MEM_WRITE	2	/* for receiving */

/* Memory of a context; references keep the structure, not the pages. */
void weft_memctx_get(struct weft_memctx *mc);
void weft_memctx_put(struct weft_memctx *mc);
/* Return: true if the program has ended, or is about to. Its accesses fail with -EFAULT. */
bool weft_memctx_dead(const struct weft_memctx *mc);

/**
 * weft_alloc_for - allocate memory for a program, from any context
 * @mc: memory of the context that is charged, independent of the caller
 * @size: bytes
 *
 * For received data. As with other allocations that may not sleep, the charge may exceed the memory
 * cgroup's limit; the next allocation of the cgroup compensates that. The limits of the port bound
 * it.
 * Return: zeroed memory for weft_free(), or NULL.
 */
void *weft_alloc_for(struct weft_memctx *mc, size_t size);

/* The same for descriptors of its endpoints: may sleep, and takes large sizes. */
void *weft_alloc_sleep_for(struct weft_memctx *mc, size_t size);

/**
 * weft_mem_get - get a window of a message's memory, without sleeping
 * @mc: memory of the context
 * @vec: the message
 * @off: offset in the message
 * @len: bytes, at most weft_conf.window_bytes
 * @access: WEFT_MEM_READ or WEFT_MEM_WRITE
 * @mem: out: the window, referenced
 *
 * Return: 0; -EAGAIN: not resident: weft_mem_make() is needed; -EFAULT; -ENOMEM.
 */
int weft_mem_get(struct weft_memctx *mc, const struct weft_vec *vec, u64 off, u32 len, u32 access,
		 struct weft_mem **mem);

/*
 * As weft_mem_get(), but may sleep: pins the memory, or uses a bounce buffer (READ: filled at once
 * from the program's memory).
 */
int weft_mem_make(struct weft_memctx *mc, const struct weft_vec *vec, u64 off, u32 len, u32 access,
		  struct weft_mem **mem);

void weft_mem_hold(struct weft_mem *mem);
/* Any context; the unpin itself is deferred. */
void weft_mem_put(struct weft_mem *mem);

/*
 * Copy bytes; any context. Offsets are those in the window. Return: 0, -EFAULT: the memory is gone
 * (process dead, unmapped).
 *
 * Gather and scatter: the @len bytes of the window are contiguous. Those in kernel memory are in
 * pieces of @piece bytes (the last may be shorter). @skip bytes between two pieces are not used.
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

/*
 * Copy @len bytes, not 0, into one segment of a program's memory without a window. Softirqs are
 * off. weft_mem_place(): from kernel memory, in pieces as with weft_mem_gather(). weft_mem_pass():
 * from the memory of the calling program, whose context is @from. weft_mem_pull() copies the other
 * way: out of the segment, into the memory of the calling program, whose context is @to.
 * Return: 0; -EAGAIN: some memory is not resident, and part of the bytes may have been copied;
 * -EFAULT: the memory is gone.
 */
int weft_mem_place(struct weft_memctx *mc, u64 addr, const void *src, u32 len, u32 piece,
		   u32 skip);
int weft_mem_pass(struct weft_memctx *mc, u64 addr, struct weft_memctx *from, u64 src, u32 len);
int weft_mem_pull(struct weft_memctx *mc, u64 addr, struct weft_memctx *to, u64 dst, u32 len);

/*
 * Copy from the memory of the calling program, or into it, without sleeping. Any locks may be held.
 * Return: 0; -EAGAIN: not resident, or the memory of another program; part of the bytes may have
 * been copied.
 */
int weft_user_peek(struct weft_memctx *mc, u64 addr, void *dst, u32 len);
int weft_user_poke(struct weft_memctx *mc, u64 addr, const void *src, u32 len);

/**
 * struct weft_span - bytes in kernel memory
 * @p: first byte
 * @len: number of bytes
 */
struct weft_span {
	void *p;
	u32 len;
};

/*
 * Find the bytes of a window made for reading: pieces, in order. The caller holds the window while
 * it uses them. Return: number of pieces; 0: the bytes have to be copied, because there are more
 * than @max pieces, or they are not pinned, or the process is dead.
 */
u32 weft_mem_spans(struct weft_mem *mem, u32 off, u32 len, struct weft_span *span, u32 max);

/*
 * Executes something on @len bytes at @p, in place. Return: bytes that are done, from the first.
 */
typedef u32 (*weft_apply_fn)(void *arg, u8 *p, u32 len);

/*
 * Call @fn for the bytes of a window, in contiguous pieces that end with a page or the window. Any
 * context. Return: 0; -EAGAIN: the memory is not pinned, or @fn has not done all; -EFAULT.
 */
int weft_mem_apply(struct weft_mem *mem, u32 off, u32 len, weft_apply_fn fn, void *arg);

/*
 * The same for one segment of a program's memory, without a window. @access: WEFT_MEM_*. Softirqs
 * are off. Return: 0; -EAGAIN: not resident, or @fn has not done all; -EFAULT: the memory is gone.
 */
int weft_mem_reach(struct weft_memctx *mc, u64 addr, u32 len, u32 access, weft_apply_fn fn,
		   void *arg);

/*
 * Return: true if one segment of a program's memory, @len bytes, not 0, is resident. Softirqs are
 * off. It may cease to be so at any time.
 */
bool weft_mem_resident(struct weft_memctx *mc, u64 addr, u32 len, u32 access);

/*
 * As weft_mem_apply(), for memory of the program, pinned page by page for the time of a call; may
 * sleep. @access: WEFT_MEM_READ or WEFT_MEM_WRITE.
 */
int weft_user_apply(struct weft_memctx *mc, const struct weft_vec *vec, u64 off, u32 len,
		    u32 access, weft_apply_fn fn, void *arg);

/* Return: true if it was written to and must be flushed before the completion. */
bool weft_mem_bounced(const struct weft_mem *mem);
/* Copy the bounce buffer to the program's memory. May sleep. Return: 0, -EFAULT. */
int weft_mem_flush(struct weft_mem *mem);

/*
 * Copy from the program's memory now, or into it. May sleep. @dst is in pieces as with
 * weft_mem_scatter(). Return: 0, -EFAULT.
 */
int weft_user_read(struct weft_memctx *mc, const struct weft_vec *vec, u64 off, void *dst, u32 len,
		   u32 piece, u32 skip);
int weft_user_write(struct weft_memctx *mc, const struct weft_vec *vec, u64 off, const void *src,
		    u32 len);

/*
 * Check whether a message may be received into a segment of registered memory. @ctx:
 * weft_srq_conf.ctx; @key: handle of the region; @zone: required protection zone. Any context.
 * Return: 0; -EACCES: no such region, another zone, not writable, or the segment is not inside.
 */
int weft_env_region(void *ctx, u32 key, u32 zone, const struct weft_iov *seg);

/* ---- Work in process context ----------------------------------------------------- */

/**
 * struct weft_work - deferred work, which needs process context; part of its object
 * @node: used by the adapter, while queued
 * @kind: private value of the core
 * @queued: from its request until weft_core_work() begins; path or endpoint lock
 * @ctx: weft_ep_conf.ctx of its endpoint
 */
struct weft_work {
	struct weft_list node;
	u8 kind;
	bool queued;
	void *ctx;
};

/* Prepare deferred work of a kind for the context @ctx. */
static inline void weft_work_init(struct weft_work *work, u8 kind, void *ctx)
{
	work->kind = kind;
	work->ctx = ctx;
	weft_list_init(&work->node);
}

struct weft_core;
struct weft_path;
struct weft_cq;
struct weft_eq;
struct weft_tx;

/*
 * Have weft_core_work() called for it, soon and once. The reference is taken over. It is called
 * even if the context is dying.
 */
void weft_env_defer(struct weft_work *work);

/* ---- Memory that packets leave from ------------------------------------------------ */

#define WEFT_STORE_BLOCK	(64u << 10)	/* bytes of a block */
#define WEFT_STORE_BLOCKS	4

/**
 * struct weft_store - memory from which packets leave without a copy; part of its owner
 * @block: blocks
 * @cur: index of the one in use
 * @off: used bytes of it
 *
 * All zeros: empty. A block is used again when no byte of it is in use, also by packets.
 */
struct weft_store {
	void *block[WEFT_STORE_BLOCKS];
	u32 cur;
	u32 off;
};

/*
 * Get @len bytes, at most WEFT_STORE_BLOCK, not zeroed. The caller excludes others. May sleep.
 * Return: the bytes, which weft_store_put() gives back in any context; NULL: no memory.
 */
void *weft_store_get(struct weft_store *st, u32 len);
void weft_store_put(const void *p);
/* Empty a store. Bytes that are in use stay. */
void weft_store_fini(struct weft_store *st);

/* ---- The port -------------------------------------------------------------------- */

/*
 * Send packets of one core; the port drops packets that it cannot send. Neighbours in @tx of one
 * path may be sent together.
 */
void weft_env_tx(struct weft_core *core, struct weft_tx *tx, u32 n);

/**
 * struct weft_tx_resv - a transmit reservation: space for a packet in the port's memory
 * @data: address of the packet; any alignment
 * @len: bytes, from the weft header on
 * @psn: packet sequence number
 * @lane: number of its lane
 * @port: private pointer of the port
 */
struct weft_tx_resv {
	void *data;
	u32 len;
	u32 psn;
	u8 lane;
	void *port;
};

/**
 * weft_env_tx_resv - reserve space for a packet of a path; the fast path of transmission
 * @core: the core
 * @path: the path, up; may be locked: nothing is sent, and the port makes no upcall
 * @b: the caller has set @len and @lane
 *
 * Softirqs are off. After a success the caller writes all bytes and calls weft_env_send(), with
 * softirqs still off.
 * Return: true if there is space; false: the packet has to be sent by weft_env_tx().
 */
bool weft_env_tx_resv(struct weft_core *core, struct weft_path *path, struct weft_tx_resv *b);

/* Send the reserved packet, or drop it. No lock of the core is held; the path is referenced. */
void weft_env_send(struct weft_core *core, struct weft_path *path, struct weft_tx_resv *b);

/*
 * Set the time of weft_core_timer() to @at, in place of the former one. It may run on any CPU,
 * early or late. The caller holds path->lock, so calls for one path are ordered. The function must
 * not wait for a running timer. A call that has begun before need not be prevented.
 */
void weft_env_timer(struct weft_path *path, weft_ns at);

/*
 * Begin a path: route and timer; for the path within the node, during weft_core_init(), only the
 * timer. Does not sleep. Return: 0, -ENETUNREACH, -EHOSTUNREACH, -ENOMEM. *max_payload: out:
 * payload of the largest packet on the path.
 */
int weft_env_path_open(struct weft_path *path, u32 *max_payload);
/*
 * Return: payload of the largest packet that the device takes now for an open path, which is
 * locked; 0: not known, or constant.
 */
u32 weft_env_path_fit(struct weft_path *path);
/*
 * Stop the timer of a path whose last reference is dropped. The timer may be running:
 * weft_free_rcu() frees the path later.
 */
void weft_env_path_close(struct weft_path *path);

/* What weft_env_note() reports; "path" is a path to another node. */
enum weft_note_kind {
	WEFT_NOTE_PATH_UP,	/* the handshake of a path is complete */
	WEFT_NOTE_PATH_DOWN,	/* a path was given up; err */
	WEFT_NOTE_PATH_IDLE,	/* a path ended, as no side used it */
	WEFT_NOTE_RESTARTED,	/* the peer has started anew: another incarnation */
	WEFT_NOTE_VERSION,	/* the peer speaks other versions of the wire format: from, to */
	WEFT_NOTE_MTU,		/* the largest payload of a path has become smaller: from, to */
	WEFT_NOTE_MTU_RAISED,	/* a search has found a larger one than before: from, to */
	WEFT_NOTE_GIVEN_UP,	/* messages were given up whose sends had succeeded: to; err */
	WEFT_NOTE_LIMIT,	/* a limit was reached: limit, uid */
	WEFT_NOTE_EP_KILLED,	/* an administrator ended an endpoint: addr, to, uid, err */
	WEFT_NOTE_CORE,		/* number of the kinds above; the port has more of its own */
};

#define WEFT_NOTE_NO_UID	U32_MAX

/**
 * struct weft_note - what an administrator may want to know about a port
 * @kind: enum weft_note_kind
 * @err: errno, positive, 0: none
 * @uid: user, WEFT_NOTE_NO_UID: none
 * @from: a former value, or the least one
 * @to: the present value, the largest one, a number of messages, or a service
 * @addr: the remote node, or the endpoint's address; NULL: none
 * @limit: counter of the limit, as in WEFT_COUNTERS; constant; NULL: none
 */
struct weft_note {
	u8 kind;
	int err;
	u32 uid;
	u64 from;
	u64 to;
	const struct weft_sockaddr *addr;
	const char *limit;
};

/* Report @note to the administrator. Any context but hard interrupts; any lock may be held. */
void weft_env_note(struct weft_core *core, const struct weft_note *note);

#define WEFT_DENIED_KEY		1	/* no region has the key, or the region has just ended */
#define WEFT_DENIED_BOUNDS	2	/* bytes outside of the region */
#define WEFT_DENIED_RIGHT	3	/* the region lacks the right */
#define WEFT_DENIED_ENDPOINT	4	/* the target's endpoint lacks the right */
#define WEFT_DENIED_USER	5	/* the initiator's user is not the target's */

/**
 * struct weft_denied - a one-sided operation of a peer that was refused
 * @why: WEFT_DENIED_*
 * @service: service of the target's endpoint
 * @uid: the initiator's user, as its kernel says
 * @key: key that the operation names
 * @addr: address that it names
 */
struct weft_denied {
	u8 why;
	u16 service;
	u32 uid;
	u64 key;
	u64 addr;
};

/* Report to the administrator that an operation was refused. The path is locked. */
void weft_env_denied(struct weft_path *path, const struct weft_denied *d);

/*
 * Begin or end the reception of packets to a group. The service is not used, and there is no second
 * request for the same state. May sleep. Return: 0; negative errno: packets are not received (never
 * for the end, which does not fail).
 */
int weft_env_group(struct weft_core *core, const struct weft_sockaddr *group, bool join);

/*
 * Return: letter of the state of the process @pid, in the initial namespace, as in proc(5); of its
 * threads the one that does most counts. 0: not known. Does not sleep.
 */
char weft_env_program(struct weft_core *core, u32 pid);

/* ---- The device ------------------------------------------------------------------ */

/* Wake waiters: entries were written, and cq->armed was set (and has been cleared). */
void weft_env_wake_cq(struct weft_cq *cq);
void weft_env_wake_eq(struct weft_eq *eq);
/* The last reference has been dropped. */
void weft_env_free_cq(struct weft_cq *cq);
void weft_env_free_eq(struct weft_eq *eq);

#endif
