// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft - memory of programs: copies
 *
 * Copies between windows and kernel memory run in any context but hard interrupts. They run under
 * RCU and test first whether the context is dead. So no copy is in progress after
 * weft_memctx_quiesce() has returned.
 *
 * Copies from and to the program's own memory sleep. They run in the context's address space
 * (weft_memctx_run()).
 *
 * mem->lock protects the range of a bounce buffer that was written to.
 */
#include <linux/highmem.h>
#include <linux/sched/mm.h>
#include <linux/uaccess.h>
#include <linux/userfaultfd_k.h>
#include "mem_priv.h"

/* ---- Windows ------------------------------------------------------------------------------- */

/**
 * struct weft_spot - position in resident memory, or in a bounce buffer, during a copy
 * @p: next byte
 * @n: bytes at @p
 * @more: pinned: bytes of the same range that follow the @n bytes
 * @page: pinned: the page of these bytes
 * @left: pinned: bytes of the window behind them
 * @piece: pinned: the piece that has the first of these
 * @skip: pinned: bytes of @piece that come before them
 */
struct weft_spot {
	u8 *p;
	u32 n;
	u32 more;
	struct page **page;
	u32 left;
	u32 skip;
	const struct weft_piece *piece;
};

/* Return: true if @next is the page behind @page in kernel memory. */
static __always_inline bool weft_page_behind(const struct page *page, const struct page *next)
{
	/* there one array describes all pages */
	if (IS_ENABLED(CONFIG_SPARSEMEM_VMEMMAP))
		return next == page + 1;
	return page_address(next) == page_address(page) + PAGE_SIZE;
}

/*
 * Map the bytes from byte @in of the page at @spot->page on: all that are contiguous. @spot->more:
 * bytes of the range from there, not 0.
 */
static __always_inline void weft_spot_map(struct weft_spot *spot, u32 in)
{
	struct page **page = spot->page;
	u32 n = PAGE_SIZE - in;

	spot->p = page_address(*page) + in;
	for (; n < spot->more && weft_page_behind(page[0], page[1]); page++)
		n += PAGE_SIZE;
	n = min(n, spot->more);
	spot->n = n;
	spot->more -= n;
	spot->page = page + 1;
}

/* Go to byte @off of a pinned range. @len: bytes of the range from there, not 0. */
static __always_inline void weft_spot_enter(struct weft_spot *spot, const struct weft_pin *pin,
					    u32 off, u32 len)
{
	spot->page = &pin->pages[off >> PAGE_SHIFT];
	spot->more = len;
	weft_spot_map(spot, offset_in_page(off));
}

/* Go on in the next piece of the window. */
static noinline void weft_spot_piece(struct weft_spot *spot)
{
	const struct weft_piece *piece = spot->piece++;
	u32 len = min(piece->len - spot->skip, spot->left);

	spot->left -= len;
	weft_spot_enter(spot, piece->pin, piece->off + spot->skip, len);
	spot->skip = 0;
}

/* Advance to the next page, or to all following pages that are contiguous. Bytes must be left. */
static __always_inline void weft_spot_next(struct weft_spot *spot)
{
	if (likely(spot->more))
		weft_spot_map(spot, 0);
	else
		weft_spot_piece(spot);
}

/* Consume @n of the mapped bytes. */
static void weft_spot_step(struct weft_spot *spot, u32 n)
{
	spot->p += n;
	spot->n -= n;
}

/* Start at @off. Return: true if the window holds @len bytes from there and its context lives. */
static bool weft_spot_init(struct weft_spot *spot, struct weft_mem *mem, u32 off, u32 len)
{
	if (off > mem->len || len > mem->len - off || READ_ONCE(mem->mc->dead))
		return false;
	spot->n = 0;
	if (mem->buf) {
		spot->p = mem->buf + off;
		spot->n = len;
		return true;
	}
	spot->piece = mem->piece;
	while (spot->piece + 1 < mem->piece + mem->n && off >= spot->piece->len)
		off -= (spot->piece++)->len;
	spot->skip = off;
	spot->left = len;
	spot->more = 0;
	return true;
}

/* Return: the number of mapped bytes. Maps more if none are left. */
static __always_inline u32 weft_spot_ready(struct weft_spot *spot)
{
	if (unlikely(!spot->n))
		weft_spot_next(spot);
	return spot->n;
}

/*
 * Copy @len bytes between this memory and a buffer of pieces of @piece bytes, with @skip bytes
 * between two of them. @in: into this memory.
 */
static __always_inline void weft_spot_copy(struct weft_spot *spot, u8 *buf, u32 len, u32 piece,
					   u32 skip, const bool in)
{
	u32 rest = piece;

	while (len) {
		u32 k, n = min(len, weft_spot_ready(spot));
		u8 *p = spot->p;

		weft_spot_step(spot, n);
		len -= n;
		for (; n; n -= k, p += k, buf += k, rest -= k) {
			if (!rest) {
				buf += skip;
				rest = piece;
			}
			k = min(n, rest);
			if (in)
				memcpy(p, buf, k);
			else
				memcpy(buf, p, k);
		}
	}
}

static __always_inline void weft_spot_fill(struct weft_spot *spot, const void *src, u32 len,
					   u32 piece, u32 skip)
{
	weft_spot_copy(spot, (u8 *)src, len, piece, skip, true);
}

/* Record which range of a bounce buffer was written to. */
static void weft_mem_mark(struct weft_mem *mem, u32 off, u32 len)
{
	if (!mem->buf || !len)
		return;
	spin_lock_bh(&mem->lock);
	WRITE_ONCE(mem->from, min(mem->from, off));
	WRITE_ONCE(mem->to, max(mem->to, off + len));
	spin_unlock_bh(&mem->lock);
}

/**
 * weft_mem_gather - copy into a window
 * @mem: the window, made for writing
 * @off: offset in it
 * @src: kernel memory
 * @len: bytes
 * @piece: bytes of a contiguous piece of @src
 * @skip: bytes of @src between two pieces
 *
 * Context: any but hard interrupts.
 * Return: 0, -EFAULT: the context is dead, or the range is outside of the window.
 */
int weft_mem_gather(struct weft_mem *mem, u32 off, const void *src, u32 len, u32 piece, u32 skip)
{
	struct weft_spot spot;
	int err = -EFAULT;

	rcu_read_lock();
	if (likely(mem->write && weft_spot_init(&spot, mem, off, len))) {
		weft_spot_fill(&spot, src, len, piece, skip);
		weft_mem_mark(mem, off, len);
		err = 0;
	}
	rcu_read_unlock();
	return err;
}

/**
 * weft_mem_scatter - copy out of a window
 * @mem: the window
 * @off: offset in it
 * @dst: kernel memory
 * @len: bytes
 * @piece: bytes of a contiguous piece of @dst
 * @skip: bytes of @dst between two pieces, left unchanged
 *
 * Context: any but hard interrupts.
 * Return: 0, -EFAULT: the context is dead, or the range is outside of the window.
 */
int weft_mem_scatter(struct weft_mem *mem, u32 off, void *dst, u32 len, u32 piece, u32 skip)
{
	struct weft_spot spot;
	int err = -EFAULT;

	rcu_read_lock();
	if (likely(weft_spot_init(&spot, mem, off, len))) {
		weft_spot_copy(&spot, dst, len, piece, skip, false);
		err = 0;
	}
	rcu_read_unlock();
	return err;
}

/**
 * weft_mem_copy - copy from window to window
 * @dst: window to copy to, made for writing
 * @doff: offset in it
 * @src: window to copy from; may be of another context; both may map the same memory
 * @soff: offset in it
 * @len: bytes
 *
 * Context: any but hard interrupts.
 * Return: 0, -EFAULT: a context is dead, or a range is outside of its window.
 */
int weft_mem_copy(struct weft_mem *dst, u32 doff, struct weft_mem *src, u32 soff, u32 len)
{
	struct weft_spot from, to;
	int err = -EFAULT;
	u32 left = len;

	rcu_read_lock();
	if (likely(dst->write && weft_spot_init(&from, src, soff, len) &&
		   weft_spot_init(&to, dst, doff, len))) {
		while (left) {
			u32 n = min3(left, weft_spot_ready(&from), weft_spot_ready(&to));

			/* the memory overlaps: memcpy() is not allowed */
			if (unlikely(to.p < from.p + n && from.p < to.p + n))
				memmove(to.p, from.p, n);
			else
				memcpy(to.p, from.p, n);
			weft_spot_step(&from, n);
			weft_spot_step(&to, n);
			left -= n;
		}
		weft_mem_mark(dst, doff, len);
		err = 0;
	}
	rcu_read_unlock();
	return err;
}

/**
 * weft_mem_spans - find the kernel memory of a window's bytes
 * @mem: the window, made for reading
 * @off: offset in it
 * @len: bytes
 * @span: out: pieces of kernel memory, in order
 * @max: entries of @span
 *
 * Context: any but hard interrupts. The pieces stay valid while the window is held, but the program
 * may write to them.
 * Return: number of pieces; 0 if there are more than @max, the window is not pinned, or its context
 * is dead.
 */
u32 weft_mem_spans(struct weft_mem *mem, u32 off, u32 len, struct weft_span *span, u32 max)
{
	struct weft_spot spot;
	u32 i = 0;

	if (mem->buf || !weft_spot_init(&spot, mem, off, len))
		return 0;
	for (; len; len -= span[i++].len) {
		if (i == max)
			return 0;
		weft_spot_next(&spot);
		span[i].p = spot.p;
		span[i].len = spot.n;
	}
	return i;
}

/**
 * weft_mem_apply - execute something in place, on bytes of a window
 * @mem: the window, made for the access that @fn makes
 * @off: offset in it
 * @len: bytes
 * @fn: called for contiguous pieces, which end with a page or the window
 * @arg: its argument
 *
 * Context: any but hard interrupts.
 * Return: 0; -EAGAIN: not pinned, or @fn has not done all; -EFAULT: the context is dead, or the
 * range is outside of the window.
 */
int weft_mem_apply(struct weft_mem *mem, u32 off, u32 len, weft_apply_fn fn, void *arg)
{
	struct weft_spot spot;
	int err = -EFAULT;

	rcu_read_lock();
	if (unlikely(mem->buf)) {
		err = -EAGAIN;
	} else if (likely(weft_spot_init(&spot, mem, off, len))) {
		for (err = 0; len && !err; len -= spot.n) {
			weft_spot_next(&spot);
			err = fn(arg, spot.p, spot.n) == spot.n ? 0 : -EAGAIN;
		}
	}
	rcu_read_unlock();
	return err;
}

/* ---- Without a window ---------------------------------------------------------------------- */

/* Find the pinned range that has @len bytes at @addr. mc->lock is held. Return: it, or NULL. */
static __always_inline struct weft_pin *weft_pin_at(struct weft_memctx *mc, u64 addr, u32 len,
						    bool write)
{
	struct weft_want want weft_unset;	/* the others are for those who pin */

	want.start = addr;
	want.last = addr + len - 1;
	return likely(want.start <= want.last) ? weft_pin_look(mc, &want, write) : NULL;
}

/*
 * Start at @addr, with the first bytes mapped. @len is not 0. Return: 0; -EAGAIN: not resident, or
 * in more than one range; -EFAULT: the context is dead. mc->lock is held while @spot is used, so
 * the range stays.
 */
static __always_inline int weft_spot_at(struct weft_spot *spot, struct weft_memctx *mc, u64 addr,
					u32 len, bool write)
{
	struct weft_pin *pin;

	lockdep_assert_held(&mc->lock);
	if (unlikely(mc->dead))
		return -EFAULT;
	pin = weft_pin_at(mc, addr, len, write);
	if (unlikely(!pin))
		return -EAGAIN;
	weft_spot_enter(spot, pin, addr - pin->it.start, len);
	return 0;
}

/**
 * weft_mem_resident - tell whether memory is resident, and may be accessed
 * @mc: memory of the context
 * @addr: user address
 * @len: bytes, not 0
 * @access: WEFT_MEM_READ or WEFT_MEM_WRITE
 *
 * Context: softirqs are off.
 * Return: true if it was when this function looked.
 */
bool weft_mem_resident(struct weft_memctx *mc, u64 addr, u32 len, u32 access)
{
	bool is;

	spin_lock(&mc->lock);
	is = !mc->dead && weft_pin_at(mc, addr, len, access & WEFT_MEM_WRITE);
	spin_unlock(&mc->lock);
	return is;
}

/**
 * weft_mem_place - copy from kernel memory into resident memory
 * @mc: memory of the context
 * @addr: user address
 * @src: kernel memory
 * @len: bytes, not 0
 * @piece: bytes of a contiguous piece of @src
 * @skip: bytes of @src between two pieces
 *
 * Context: softirqs are off.
 * Return: 0; -EAGAIN: not resident; -EFAULT: the context is dead.
 */
int weft_mem_place(struct weft_memctx *mc, u64 addr, const void *src, u32 len, u32 piece, u32 skip)
{
	struct weft_spot spot weft_unset;	/* weft_spot_at() sets what one range needs */
	int err;

	spin_lock(&mc->lock);
	err = weft_spot_at(&spot, mc, addr, len, true);
	if (likely(!err))
		weft_spot_fill(&spot, src, len, piece, skip);
	spin_unlock(&mc->lock);
	return err;
}

/**
 * weft_mem_reach - execute something in place, on bytes of resident memory
 * @mc: memory of the context
 * @addr: user address
 * @len: bytes, not 0
 * @access: WEFT_MEM_READ or WEFT_MEM_WRITE
 * @fn: called for contiguous pieces, which end with a page
 * @arg: its argument
 *
 * Context: softirqs are off.
 * Return: 0; -EAGAIN: not resident, or @fn has not done all; -EFAULT: the context is dead.
 */
int weft_mem_reach(struct weft_memctx *mc, u64 addr, u32 len, u32 access, weft_apply_fn fn,
		   void *arg)
{
	struct weft_spot spot weft_unset;	/* weft_spot_at() sets what one range needs */
	int err;

	spin_lock(&mc->lock);
	err = weft_spot_at(&spot, mc, addr, len, access & WEFT_MEM_WRITE);
	while (!err) {
		err = fn(arg, spot.p, spot.n) == spot.n ? 0 : -EAGAIN;
		if (!spot.more)
			break;
		weft_spot_next(&spot);
	}
	spin_unlock(&mc->lock);
	return err;
}

/*
 * Copies from and to an address that access_ok() has allowed. The core has compared the length with
 * the size of the kernel's memory. The usual calls would look that size up once more. Return:
 * number of bytes that were not copied.
 */
static __always_inline unsigned long weft_user_raw(void *dst, const void __user *src, u32 len)
{
	unsigned long left;

	instrument_copy_from_user_before(dst, src, len);
	left = raw_copy_from_user(dst, src, len);
	instrument_copy_from_user_after(dst, src, len, left);
	return left;
}

static __always_inline unsigned long weft_user_raw_to(void __user *dst, const void *src, u32 len)
{
	instrument_copy_to_user(dst, src, len);
	return raw_copy_to_user(dst, src, len);
}

/* Return: true if @mc is the calling program's context, and @addr is an address of programs. */
static bool weft_user_own(const struct weft_memctx *mc, u64 addr, u32 len)
{
	return likely(current->mm == mc->mm) && access_ok(u64_to_user_ptr(addr), len);
}

/*
 * Copy between resident memory at @addr and the memory of the calling program, of context @prog, at
 * @user. @in: from the program. Return: 0, -EAGAIN, -EFAULT.
 */
static __always_inline int weft_mem_move(struct weft_memctx *mc, u64 addr,
					 struct weft_memctx *prog, u64 user, u32 len, bool in)
{
	struct weft_spot spot weft_unset;	/* weft_spot_at() sets what one range needs */
	unsigned long left;
	int err;

	if (unlikely(!weft_user_own(prog, user, len)))
		return -EAGAIN;
	spin_lock(&mc->lock);
	err = weft_spot_at(&spot, mc, addr, len, in);
	if (unlikely(err))
		goto out;
	pagefault_disable();
	while (len) {
		u32 n = min(len, weft_spot_ready(&spot));

		left = in ? weft_user_raw(spot.p, u64_to_user_ptr(user), n) :
			    weft_user_raw_to(u64_to_user_ptr(user), spot.p, n);
		if (unlikely(left)) {
			err = -EAGAIN;
			break;
		}
		weft_spot_step(&spot, n);
		user += n;
		len -= n;
	}
	pagefault_enable();
out:
	spin_unlock(&mc->lock);
	return err;
}

/**
 * weft_mem_pass - copy from the calling program's memory into resident memory
 * @mc: memory of the context to copy to
 * @addr: user address there
 * @from: memory of the calling program's context
 * @src: user address there
 * @len: bytes, not 0
 *
 * Context: the calling program's; softirqs are off.
 * Return: 0; -EAGAIN: one of both is not resident, and part of the bytes may be copied; -EFAULT:
 * the context @mc is dead.
 */
int weft_mem_pass(struct weft_memctx *mc, u64 addr, struct weft_memctx *from, u64 src, u32 len)
{
	return weft_mem_move(mc, addr, from, src, len, true);
}

/**
 * weft_mem_pull - copy from resident memory into the calling program's memory
 * @mc: memory of the context to copy from
 * @addr: user address there
 * @to: memory of the calling program's context
 * @dst: user address there
 * @len: bytes, not 0
 *
 * Context: the calling program's; softirqs are off.
 * Return: as weft_mem_pass().
 */
int weft_mem_pull(struct weft_memctx *mc, u64 addr, struct weft_memctx *to, u64 dst, u32 len)
{
	return weft_mem_move(mc, addr, to, dst, len, false);
}

/**
 * weft_user_peek - copy from the calling program's memory, without sleeping
 * @mc: memory of its context
 * @addr: user address
 * @dst: kernel memory, at least @len bytes
 * @len: bytes
 *
 * Context: the calling program's; any locks may be held.
 * Return: 0; -EAGAIN: not resident, or not this program's memory: call weft_user_read().
 */
int weft_user_peek(struct weft_memctx *mc, u64 addr, void *dst, u32 len)
{
	unsigned long left;

	if (unlikely(!weft_user_own(mc, addr, len)))
		return -EAGAIN;
	pagefault_disable();
	left = weft_user_raw(dst, u64_to_user_ptr(addr), len);
	pagefault_enable();
	return left ? -EAGAIN : 0;
}

/**
 * weft_user_poke - copy into the calling program's memory, without sleeping
 * @mc: memory of its context
 * @addr: user address
 * @src: kernel memory, at least @len bytes
 * @len: bytes
 *
 * Context: the calling program's; any locks may be held.
 * Return: 0; -EAGAIN: not resident, or not this program's memory: call weft_user_write().
 */
int weft_user_poke(struct weft_memctx *mc, u64 addr, const void *src, u32 len)
{
	unsigned long left;

	if (unlikely(!weft_user_own(mc, addr, len)))
		return -EAGAIN;
	pagefault_disable();
	left = weft_user_raw_to(u64_to_user_ptr(addr), src, len);
	pagefault_enable();
	return left ? -EAGAIN : 0;
}

/* ---- The program's memory itself ----------------------------------------------------------- */

/*
 * Return: true if a worker must not fault the range in because it has memory with userfaultfd. A
 * worker must not wait for the handler of such faults: it may be another process, or missing. The
 * program's own threads may wait.
 */
static bool weft_user_must_not_wait(struct mm_struct *mm, u64 addr, u32 len)
{
	struct vm_area_struct *vma;
	bool armed = false;
	u64 end = addr + len;

	if (!(current->flags & PF_KTHREAD))
		return false;
	mmap_read_lock(mm);
	while (addr < end && !armed) {
		vma = find_vma(mm, addr);
		if (!vma || vma->vm_start >= end)
			break;
		armed = userfaultfd_armed(vma);
		addr = vma->vm_end;
	}
	mmap_read_unlock(mm);
	return armed;
}

/*
 * Call @fn for each page, pinned meanwhile, without waiting for a program to handle a fault.
 * Return: as weft_mem_apply().
 */
static int weft_user_pages(struct mm_struct *mm, u64 addr, u32 len, bool write, weft_apply_fn fn,
			   void *arg)
{
	struct page *page;
	int err = 0;
	long got;
	void *p;
	u32 n;

	for (; len && !err; addr += n, len -= n) {
		n = min_t(u32, len, PAGE_SIZE - offset_in_page(addr));
		mmap_read_lock(mm);
		got = weft_pin_user_pages_remote(mm, addr & PAGE_MASK, 1, write ? FOLL_WRITE : 0,
						 &page);
		mmap_read_unlock(mm);
		if (got != 1)
			return -EFAULT;
		p = kmap_local_page(page);
		err = fn(arg, p + offset_in_page(addr), n) == n ? 0 : -EAGAIN;
		kunmap_local(p);
		unpin_user_pages_dirty_lock(&page, 1, write);
	}
	return err;
}

/* For weft_user_pages(): copy from the buffer at *@arg, which moves on. */
static u32 weft_user_put(void *arg, u8 *p, u32 len)
{
	u8 **buf = arg;

	memcpy(p, *buf, len);
	*buf += len;
	return len;
}

/* The same into the buffer. */
static u32 weft_user_take(void *arg, u8 *p, u32 len)
{
	u8 **buf = arg;

	memcpy(*buf, p, len);
	*buf += len;
	return len;
}

/**
 * weft_user_copy - copy from or to the program's memory
 * @mc: memory of the context
 * @addr: user address
 * @buf: kernel memory
 * @len: bytes
 * @to_user: direction
 *
 * Context: process, in the context's address space; sleeps.
 * Return: 0, -EFAULT.
 */
int weft_user_copy(struct weft_memctx *mc, u64 addr, void *buf, u32 len, bool to_user)
{
	unsigned long left;

	if (unlikely(weft_user_must_not_wait(mc->mm, addr, len)))
		return weft_user_pages(mc->mm, addr, len, to_user,
				       to_user ? weft_user_put : weft_user_take, &buf);
	if (to_user)
		left = copy_to_user(u64_to_user_ptr(addr), buf, len);
	else
		left = copy_from_user(buf, u64_to_user_ptr(addr), len);
	return left ? -EFAULT : 0;
}

/**
 * struct weft_user_args - arguments of weft_user_read() and weft_user_write()
 * @vec: the message
 * @off: offset in it
 * @buf: kernel memory
 * @len: bytes
 * @piece: bytes of a contiguous piece of @buf
 * @skip: bytes of @buf between two pieces
 * @to_user: direction
 */
struct weft_user_args {
	const struct weft_vec *vec;
	u64 off;
	void *buf;
	u32 len;
	u32 piece;
	u32 skip;
	bool to_user;
};

/*
 * Copy @n bytes at a checked user address into pieces of kernel memory. *@buf: its next byte;
 * *@rest: bytes left in that piece. Return: 0, -EFAULT.
 */
static int weft_user_parts(const struct weft_user_args *a, u64 addr, u32 n, u8 **buf, u32 *rest)
{
	const u32 piece = a->piece, skip = a->skip;
	u32 room = *rest, k;
	u8 *to = *buf;

	for (;;) {
		k = min(n, room);
		if (unlikely(weft_user_raw(to, u64_to_user_ptr(addr), k)))
			return -EFAULT;
		to += k;
		n -= k;
		if (!n)
			break;
		addr += k;
		to += skip;
		room = piece;
	}
	*buf = to;
	*rest = room - k;
	return 0;
}

static int weft_user_here(struct weft_memctx *mc, void *arg)
{
	struct weft_user_args *a = arg;
	u32 n, k, rest = a->piece;
	struct weft_walk walk;
	struct weft_want want;
	u8 *buf = a->buf;
	u64 addr;
	int err = weft_walk_init(&walk, a->vec, a->off, a->len);

	while (!err && (n = weft_walk_next(&walk, &want, &addr))) {
		/* pieces are parts of one object: their addresses are not checked each */
		if (n > rest && access_ok(u64_to_user_ptr(addr), n) &&
		    !weft_user_must_not_wait(mc->mm, addr, n)) {
			might_fault();
			err = weft_user_parts(a, addr, n, &buf, &rest);
			continue;
		}
		for (; !err && n; n -= k, addr += k, buf += k, rest -= k) {
			if (!rest) {
				buf += a->skip;
				rest = a->piece;
			}
			k = min(n, rest);
			err = weft_user_copy(mc, addr, buf, k, a->to_user);
		}
	}
	return err;
}

/**
 * weft_user_read - copy from the program's memory now
 * @mc: memory of the context
 * @vec: the message
 * @off: offset in it
 * @dst: kernel memory
 * @len: bytes
 * @piece: bytes of a contiguous piece of @dst
 * @skip: bytes of @dst between two pieces
 *
 * Context: process, in the context's address space; may wait for the program's memory.
 * Return: 0, -EFAULT: also in another address space.
 */
int weft_user_read(struct weft_memctx *mc, const struct weft_vec *vec, u64 off, void *dst, u32 len,
		   u32 piece, u32 skip)
{
	struct weft_user_args a = {
		.vec = vec, .off = off, .buf = dst, .len = len, .piece = piece, .skip = skip,
	};

	return weft_memctx_run(mc, weft_user_here, &a);
}

/**
 * weft_user_write - copy into the program's memory now
 * @mc: memory of the context
 * @vec: the message
 * @off: offset in it
 * @src: kernel memory
 * @len: bytes
 *
 * Context: process, in the context's address space; may wait for the program's memory.
 * Return: 0, -EFAULT: also in another address space.
 */
int weft_user_write(struct weft_memctx *mc, const struct weft_vec *vec, u64 off, const void *src,
		    u32 len)
{
	struct weft_user_args a = {
		.vec = vec, .off = off, .buf = (void *)src, .len = len, .piece = len,
		.to_user = true,
	};

	return weft_memctx_run(mc, weft_user_here, &a);
}

/**
 * struct weft_apply_args - arguments of weft_user_apply()
 * @vec: the message
 * @off: offset in it
 * @len: bytes
 * @write: @fn writes
 * @fn: what to execute
 * @arg: its argument
 */
struct weft_apply_args {
	const struct weft_vec *vec;
	u64 off;
	u32 len;
	bool write;
	weft_apply_fn fn;
	void *arg;
};

static int weft_apply_here(struct weft_memctx *mc, void *arg)
{
	const struct weft_apply_args *a = arg;
	struct weft_walk walk;
	struct weft_want want;
	u64 addr;
	int err = weft_walk_init(&walk, a->vec, a->off, a->len);
	u32 n;

	while (!err && (n = weft_walk_next(&walk, &want, &addr)))
		err = weft_user_pages(mc->mm, addr, n, a->write, a->fn, a->arg);
	return err;
}

/**
 * weft_user_apply - execute something in place, on bytes of the program's memory
 * @mc: memory of the context
 * @vec: the message
 * @off: offset in it
 * @len: bytes
 * @access: WEFT_MEM_READ or WEFT_MEM_WRITE
 * @fn: called for pieces of pages, each pinned meanwhile
 * @arg: its argument
 *
 * Context: process, in the context's address space; may wait for the program's memory.
 * Return: 0; -EAGAIN: @fn has not done all; -EFAULT: also in another address space.
 */
int weft_user_apply(struct weft_memctx *mc, const struct weft_vec *vec, u64 off, u32 len,
		    u32 access, weft_apply_fn fn, void *arg)
{
	struct weft_apply_args a = {
		.vec = vec, .off = off, .len = len, .write = access == WEFT_MEM_WRITE,
		.fn = fn, .arg = arg,
	};

	return weft_memctx_run(mc, weft_apply_here, &a);
}
