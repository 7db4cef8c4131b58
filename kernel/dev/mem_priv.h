/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft - memory of programs: declarations for mem.c, pin.c and mmu_notifier.c
 *
 * mc->lock protects the pinned ranges of a context. It is taken in softirq, and inside the notifier
 * under any of mm's locks. So code under it does not allocate, wait or free, and takes no lock of
 * mm. weft_memctxs_lock is a mutex of the paths that sleep. Order: Documentation/locking.rst.
 */
#ifndef WEFT_MEM_PRIV_H
#define WEFT_MEM_PRIV_H

#include <linux/interval_tree.h>
#include <linux/llist.h>
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/workqueue.h>
#include "../core/base/env.h"
#include "mem.h"

struct cred;
struct mem_cgroup;
struct user_struct;

/* A pinned range does not cross a multiple of this. Its page pointers fit into one page. */
#define WEFT_PIN_BLOCK		(2ul << 20)

/**
 * struct weft_memctx - memory of one context
 * @ref: references: the owner, windows, pinned ranges, registrations
 * @mm: address space; mm_count is held, mm_users is not
 * @mn: subscription to changes of @mm
 * @lock: protects @pins, @lru, @making, @inv_*, and the setting of @dead
 * @pins: pinned ranges that can be found, struct weft_pin.it
 * @lru: the same ranges, the least recently used first
 * @making: struct weft_making of ranges that are being pinned
 * @inv_count: number of invalidations in progress
 * @inv_start: first byte of all those invalidations
 * @inv_last: last byte of all those invalidations
 * @dead: killed, or the process has died; never reset; read under RCU by copies
 * @users: sleeping accesses to @mm and calls of @gone that are in progress
 * @gone: called when the process dies
 * @priv: its argument
 * @cred: credentials that keep @user (not all kernels let modules release a user alone)
 * @user: user that pinned pages are charged to; NULL: no charge (CAP_IPC_LOCK)
 * @limit: pages that @user may have pinned and locked, RLIMIT_MEMLOCK
 * @memcg: memory cgroup that kernel memory is charged to
 * @pinned: pages pinned
 * @all: in weft_memctxs
 * @free: work that frees this structure
 */
struct weft_memctx {
	refcount_t ref;
	struct mm_struct *mm;
	struct mmu_notifier mn;
	spinlock_t lock;	/* see the head of the file */
	struct rb_root_cached pins;
	struct list_head lru;
	struct list_head making;
	unsigned long inv_count;
	unsigned long inv_start;
	unsigned long inv_last;
	bool dead;
	atomic_t users;
	void (*gone)(void *priv);
	void *priv;
	const struct cred *cred;
	struct user_struct *user;
	unsigned long limit;
	struct mem_cgroup *memcg;
	atomic64_t pinned;
	struct list_head all;
	struct work_struct free;
};

/* Others, another context or the whole machine, take ranges that were unused for this time. */
#define WEFT_PIN_OLD	(HZ / 10)

/**
 * enum weft_pin_state - state of a pinned range
 * @WEFT_PIN_VALID: its pages are those of the address space
 * @WEFT_PIN_SUSPECT: the pages may differ now: compare them before the next use
 * @WEFT_PIN_OUT: not in the tree; lives as long as windows hold it
 */
enum weft_pin_state {
	WEFT_PIN_VALID,
	WEFT_PIN_SUSPECT,
	WEFT_PIN_OUT,
};

/**
 * struct weft_pin - a pinned range
 * @it: its first and last byte, whole pages
 * @ref: windows, registrations, and 1 for the tree
 * @state: enum weft_pin_state; mc->lock
 * @write: pinned for writing; serves reading too
 * @npages: pages
 * @used: jiffies of the last lookup that found it; mc->lock
 * @lru: in mc->lru, while in the tree
 * @dead: in the list of ranges to be unpinned, when @ref has gone
 * @mc: memory of the context, referenced
 * @pages: the pages
 */
struct weft_pin {
	struct interval_tree_node it;
	refcount_t ref;
	u8 state;
	bool write;
	u32 npages;
	unsigned long used;
	struct list_head lru;
	struct llist_node dead;
	struct weft_memctx *mc;
	struct page **pages;
};

/**
 * struct weft_making - a range that is being pinned; on the stack of the function that pins it
 * @node: in mc->making
 * @start: first byte
 * @last: last byte
 * @suspect: an invalidation has hit it
 * @unmapped: that invalidation was munmap, mremap or the like
 */
struct weft_making {
	struct list_head node;
	unsigned long start;
	unsigned long last;
	bool suspect;
	bool unmapped;
};

/**
 * struct weft_want - a range to be pinned
 * @start: first byte wanted
 * @last: last byte wanted
 * @lo: first byte that may be pinned along with it, page boundary
 * @hi: last byte that may be pinned along with it, page boundary less one; in the same
 *	WEFT_PIN_BLOCK
 */
struct weft_want {
	unsigned long start;
	unsigned long last;
	unsigned long lo;
	unsigned long hi;
};

/**
 * struct weft_walk - position in a part of a message's memory
 *
 * @vec: the message
 * @seg: segment
 * @off: offset in it
 * @left: bytes
 *
 * Each step returns a piece that fits into one pinned range.
 */
struct weft_walk {
	const struct weft_vec *vec;
	u32 seg;
	u64 off;
	u64 left;
};

/**
 * struct weft_piece - a piece of a window
 * @pin: pinned range, referenced
 * @off: offset in it
 * @len: bytes
 */
struct weft_piece {
	struct weft_pin *pin;
	u32 off;
	u32 len;
};

/**
 * struct weft_mem - a window of a message's memory
 * @ref: references
 * @mc: memory of the context, referenced
 * @len: bytes
 * @n: entries of @piece or @seg
 * @write: for receiving
 * @buf: bounce buffer in kernel memory; NULL: the memory is pinned
 * @lock: protects @from, @to
 * @from: bounced: first byte written to
 * @to: bounced: byte after the last one written to; not above @from: no byte was written
 * @dead: in the list of windows to be freed
 * @piece: pinned: its pieces
 * @seg: bounced: their place in the program's memory
 */
struct weft_mem {
	refcount_t ref;
	struct weft_memctx *mc;
	u32 len;
	u32 n;
	bool write;
	void *buf;
	spinlock_t lock;	/* from, to */
	u32 from;
	u32 to;
	struct llist_node dead;
	union {
		DECLARE_FLEX_ARRAY(struct weft_piece, piece);
		DECLARE_FLEX_ARRAY(struct weft_iov, seg);
	};
};

/* A function that runs in the address space of a context. */
typedef int (*weft_mem_fn)(struct weft_memctx *mc, void *arg);

/* mem.c */
extern struct workqueue_struct *weft_mem_wq;
extern struct mutex weft_memctxs_lock;
extern struct list_head weft_memctxs;

bool weft_memctx_enter(struct weft_memctx *mc);
void weft_memctx_leave(struct weft_memctx *mc);
int weft_memctx_run(struct weft_memctx *mc, weft_mem_fn fn, void *arg);

/* walk.c */
int weft_walk_init(struct weft_walk *walk, const struct weft_vec *vec, u64 off, u64 len);
u32 weft_walk_next(struct weft_walk *walk, struct weft_want *want, u64 *addr);

/* copy.c */
int weft_user_copy(struct weft_memctx *mc, u64 addr, void *buf, u32 len, bool to_user);

/* pin.c */
int weft_pin_init(void);
void weft_pin_exit(void);
struct weft_pin *weft_pin_look(struct weft_memctx *mc, const struct weft_want *want, bool write);
struct weft_pin *weft_pin_find(struct weft_memctx *mc, const struct weft_want *want, bool write);
int weft_pin_make(struct weft_memctx *mc, const struct weft_want *want, bool write,
		  struct weft_pin **pin);
void weft_pin_put(struct weft_pin *pin);
void weft_pin_drop(struct weft_pin *pin);
void weft_pin_drop_all(struct weft_memctx *mc);
bool weft_pin_hopeless(const struct weft_memctx *mc, unsigned long npages);
int weft_vma_allows(struct weft_memctx *mc, u64 addr, u64 len, bool write);

/* shrink.c */
int weft_shrink_init(void);
void weft_shrink_exit(void);

/* mmu_notifier.c */
extern const struct mmu_notifier_ops weft_notify_ops;

#endif
