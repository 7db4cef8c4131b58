// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft - memory of programs: windows
 *
 * A window is a part of a message's memory that can be copied to or from in any context. It
 * consists of pieces of pinned ranges. If pinning is refused, it is a buffer in kernel memory
 * (bounce buffer).
 *
 *	weft_mem_get()		the ranges are in the cache
 *	weft_mem_make()		pins the ranges, or allocates a bounce buffer; fills one
 *				for reading at once
 *	weft_mem_flush()	copies a written bounce buffer into the program's memory
 *	last weft_mem_put()	the ranges stay in the cache; a worker frees a bounce buffer
 *
 * pin.c describes the states of a range. The functions take the locks of pin.c, and mem->lock
 * (copy.c).
 */
#include <linux/memcontrol.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include "mem_priv.h"

/* A longer window is refused, to bound the size of bounce buffers. */
#define WEFT_WINDOW_MAX		(2u << 20)

static LLIST_HEAD(weft_mem_dead);	/* bounced windows to be freed */

/* ---- Life of a window ---------------------------------------------------------------------- */

static struct weft_mem *weft_mem_alloc(struct weft_memctx *mc, u32 len, bool write, u32 n,
				       gfp_t gfp)
{
	struct weft_mem *mem;

	BUILD_BUG_ON(sizeof(mem->piece[0]) != sizeof(mem->seg[0]));
	mem = kmalloc(struct_size(mem, piece, n), gfp | __GFP_NOWARN);
	if (!mem)
		return NULL;
	refcount_set(&mem->ref, 1);
	weft_memctx_get(mc);
	mem->mc = mc;
	mem->len = len;
	mem->n = 0;
	mem->write = write;
	mem->buf = NULL;
	spin_lock_init(&mem->lock);
	mem->from = U32_MAX;
	mem->to = 0;
	return mem;
}

static void weft_mem_free(struct weft_mem *mem)
{
	struct weft_memctx *mc = mem->mc;

	kvfree(mem->buf);
	kfree(mem);
	weft_memctx_put(mc);
}

static void weft_mem_reap(struct work_struct *work)
{
	struct weft_mem *mem, *next;

	llist_for_each_entry_safe(mem, next, llist_del_all(&weft_mem_dead), dead)
		weft_mem_free(mem);
}

static DECLARE_WORK(weft_mem_work, weft_mem_reap);

/**
 * weft_mem_hold - take a reference on a window
 * @mem: the window
 *
 * Context: any.
 */
void weft_mem_hold(struct weft_mem *mem)
{
	refcount_inc(&mem->ref);
}

/**
 * weft_mem_put - drop a reference on a window
 * @mem: the window
 *
 * Context: any.
 */
void weft_mem_put(struct weft_mem *mem)
{
	if (!refcount_dec_and_test(&mem->ref))
		return;
	if (mem->buf) {
		if (llist_add(&mem->dead, &weft_mem_dead))
			queue_work(weft_mem_wq, &weft_mem_work);
		return;
	}
	while (mem->n)
		weft_pin_put(mem->piece[--mem->n].pin);
	weft_mem_free(mem);
}

/* Maximum number of pieces of a part of a message. */
static u32 weft_mem_pieces(const struct weft_vec *vec, u32 len)
{
	return vec->n + len / WEFT_PIN_BLOCK + (vec->n > 1 ? vec->n : 1);
}

static void weft_mem_add(struct weft_mem *mem, struct weft_pin *pin, u64 addr, u32 len)
{
	struct weft_piece *piece = &mem->piece[mem->n++];

	piece->pin = pin;
	piece->off = addr - pin->it.start;
	piece->len = len;
}

/**
 * weft_mem_get - get a window of a part of a message's memory, without sleeping
 * @mc: context's memory
 * @vec: the message
 * @off: offset in it
 * @len: bytes, 2 MiB at most
 * @access: WEFT_MEM_READ or WEFT_MEM_WRITE
 * @memp: out: the window, referenced
 *
 * Context: any but hard interrupts.
 * Return: 0, -EAGAIN: not resident: call weft_mem_make(), -EFAULT, -ENOMEM.
 */
int weft_mem_get(struct weft_memctx *mc, const struct weft_vec *vec, u64 off, u32 len, u32 access,
		 struct weft_mem **memp)
{
	bool write = access & WEFT_MEM_WRITE;
	struct weft_walk walk;
	struct weft_want want;
	struct weft_mem *mem;
	u64 addr;
	u32 n;

	if (READ_ONCE(mc->dead) || len > WEFT_WINDOW_MAX || weft_walk_init(&walk, vec, off, len))
		return -EFAULT;
	mem = weft_mem_alloc(mc, len, write, weft_mem_pieces(vec, len), GFP_ATOMIC);
	if (!mem)
		return -ENOMEM;
	while ((n = weft_walk_next(&walk, &want, &addr))) {
		struct weft_pin *pin = weft_pin_find(mc, &want, write);

		if (!pin) {
			weft_mem_put(mem);
			return -EAGAIN;
		}
		weft_mem_add(mem, pin, addr, n);
	}
	*memp = mem;
	return 0;
}

/**
 * struct weft_making_mem - arguments of weft_mem_make()
 * @vec: the message
 * @off: offset in it
 * @len: bytes
 * @write: for receiving
 * @mem: out: the window
 */
struct weft_making_mem {
	const struct weft_vec *vec;
	u64 off;
	u32 len;
	bool write;
	struct weft_mem *mem;
};

static int weft_mem_pin(struct weft_memctx *mc, struct weft_making_mem *m, struct weft_mem *mem)
{
	struct weft_walk walk;
	struct weft_want want;
	u64 addr;
	u32 n;
	int err = weft_walk_init(&walk, m->vec, m->off, m->len);

	while (!err && (n = weft_walk_next(&walk, &want, &addr))) {
		struct weft_pin *pin;

		err = weft_pin_make(mc, &want, m->write, &pin);
		if (!err)
			weft_mem_add(mem, pin, addr, n);
	}
	return err;
}

/* Use a bounce buffer in kernel memory. */
static int weft_mem_bounce(struct weft_memctx *mc, struct weft_making_mem *m, struct weft_mem *mem)
{
	struct weft_walk walk;
	struct weft_want want;
	u64 addr;
	u32 n, done = 0;
	int err;

	while (mem->n)
		weft_pin_put(mem->piece[--mem->n].pin);
	/* Zeroed: unwritten bytes may be copied to the program. */
	mem->buf = m->write ? kvzalloc(m->len, GFP_KERNEL_ACCOUNT | __GFP_NOWARN) :
			      kvmalloc(m->len, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!mem->buf)
		return -ENOMEM;
	err = weft_walk_init(&walk, m->vec, m->off, m->len);
	while (!err && (n = weft_walk_next(&walk, &want, &addr))) {
		mem->seg[mem->n].addr = addr;
		mem->seg[mem->n++].len = n;
		if (m->write)
			err = weft_vma_allows(mc, addr, n, true);
		else
			err = weft_user_copy(mc, addr, mem->buf + done, n, false);
		done += n;
	}
	return err;
}

static int weft_mem_make_here(struct weft_memctx *mc, void *arg)
{
	struct weft_making_mem *m = arg;
	struct mem_cgroup *memcg = set_active_memcg(mc->memcg);
	struct weft_mem *mem;
	int err = -ENOMEM;

	mem = weft_mem_alloc(mc, m->len, m->write, weft_mem_pieces(m->vec, m->len),
			     GFP_KERNEL_ACCOUNT);
	if (mem) {
		err = weft_mem_pin(mc, m, mem);
		if (err && err != -EFAULT)
			err = weft_mem_bounce(mc, m, mem);
		if (err)
			weft_mem_put(mem);
	}
	set_active_memcg(memcg);
	m->mem = mem;
	return err;
}

/**
 * weft_mem_make - get a window of a part of a message's memory
 * @mc: context's memory
 * @vec: the message
 * @off: offset in it
 * @len: bytes, 2 MiB at most
 * @access: WEFT_MEM_READ or WEFT_MEM_WRITE
 * @mem: out: the window, referenced
 *
 * Context: process, in the context's address space; may wait for the program's memory.
 * Return: 0, -EFAULT: also in another address space; -ENOMEM.
 */
int weft_mem_make(struct weft_memctx *mc, const struct weft_vec *vec, u64 off, u32 len, u32 access,
		  struct weft_mem **mem)
{
	struct weft_making_mem m = {
		.vec = vec, .off = off, .len = len, .write = access & WEFT_MEM_WRITE,
	};
	int err;

	if (len > WEFT_WINDOW_MAX)
		return -EFAULT;
	err = weft_memctx_run(mc, weft_mem_make_here, &m);
	if (!err)
		*mem = m.mem;
	return err;
}

/* ---- Bounce buffers ------------------------------------------------------------------------ */

/**
 * weft_mem_bounced - test whether the window must be flushed before its completion is reported
 * @mem: the window
 *
 * Context: any.
 * Return: true if it was written to and is not pinned.
 */
bool weft_mem_bounced(const struct weft_mem *mem)
{
	return mem->write && mem->buf && READ_ONCE(mem->from) < READ_ONCE(mem->to);
}

static int weft_mem_flush_here(struct weft_memctx *mc, void *arg)
{
	struct weft_mem *mem = arg;
	u32 from, to, i, pos = 0;
	int err = 0;

	spin_lock_bh(&mem->lock);
	from = mem->from;
	to = mem->to;
	mem->from = U32_MAX;
	mem->to = 0;
	spin_unlock_bh(&mem->lock);

	for (i = 0; i < mem->n && !err; pos += mem->seg[i++].len) {
		u32 begin = max(from, pos);
		u32 end = min_t(u32, to, pos + mem->seg[i].len);

		if (begin < end)
			err = weft_user_copy(mc, mem->seg[i].addr + (begin - pos),
					     mem->buf + begin, end - begin, true);
	}
	return err;
}

/**
 * weft_mem_flush - copy a bounce buffer into the program's memory
 * @mem: the window
 *
 * Copies the range from the lowest to the highest byte written since the last flush. Does nothing
 * for pinned memory.
 *
 * Context: process, in the context's address space; may wait for the program's memory.
 * Return: 0, -EFAULT: also in another address space.
 */
int weft_mem_flush(struct weft_mem *mem)
{
	if (!weft_mem_bounced(mem))
		return 0;
	return weft_memctx_run(mem->mc, weft_mem_flush_here, mem);
}
