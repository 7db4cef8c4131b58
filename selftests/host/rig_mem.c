// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rig: memory of programs, as the core accesses it
 *
 * A program's buffers are allocations of the host, each freed when the program has finished with
 * it. The address sanitizer finds each later access. mc->lock covers the list of buffers, their
 * life and the end of the process.
 */
#include "rig.h"

/**
 * struct weft_mem - a window of a program's memory
 * @ref: references
 * @mc: memory of the process, referenced
 * @vec: the message
 * @off: offset of the window in the message
 * @len: bytes
 * @access: WEFT_MEM_*
 * @bounce: copy of the program's bytes, NULL: pinned
 * @dirty: @bounce was written to since the last flush
 */
struct weft_mem {
	refcount_t ref;
	struct weft_memctx *mc;
	struct weft_vec vec;
	u64 off;
	u32 len;
	u32 access;
	u8 *bounce;
	bool dirty;
};

struct weft_memctx *rig_memctx_new(struct rig_proc *proc)
{
	struct weft_memctx *mc = calloc(1, sizeof(*mc));

	refcount_set(&mc->ref, 1);
	pthread_mutex_init(&mc->lock, NULL);
	mc->proc = proc;
	mc->node = proc->node;
	mc->cold = proc->node->rig->conf.cold;
	mc->bounce = proc->node->rig->conf.bounce;
	return mc;
}

/* The process has ended, and its memory is gone. */
void rig_memctx_die(struct weft_memctx *mc)
{
	struct rig_region *r;

	pthread_mutex_lock(&mc->lock);
	WRITE_ONCE(mc->proc, NULL);
	while ((r = mc->regions)) {
		mc->regions = r->next;
		free(r->p);
		free(r);
	}
	pthread_mutex_unlock(&mc->lock);
}

void weft_memctx_get(struct weft_memctx *mc)
{
	refcount_inc(&mc->ref);
}

void weft_memctx_put(struct weft_memctx *mc)
{
	if (!refcount_dec_and_test(&mc->ref))
		return;
	if (mc->proc)
		weft_host_die(__FILE__, __LINE__, "memory of a living process has no references");
	free(mc);
}

bool weft_memctx_dead(const struct weft_memctx *mc)
{
	return !mc->proc;
}

static void *rig_charge(struct weft_memctx *mc, void *p, size_t size)
{
	pthread_mutex_lock(&mc->lock);
	mc->charged += p ? size : 0;
	pthread_mutex_unlock(&mc->lock);
	return p;
}

void *weft_alloc_for(struct weft_memctx *mc, size_t size)
{
	return rig_charge(mc, weft_alloc(size), size);
}

void *weft_alloc_sleep_for(struct weft_memctx *mc, size_t size)
{
	return rig_charge(mc, weft_alloc_sleep(size), size);
}

u8 *rig_buf(struct rig_proc *proc, size_t len)
{
	struct rig_region *r = malloc(sizeof(*r));

	r->p = malloc(len ? len : 1);
	r->len = len;
	memset(r->p, 0xa5, len ? len : 1);
	pthread_mutex_lock(&proc->mc->lock);
	r->next = proc->mc->regions;
	proc->mc->regions = r;
	pthread_mutex_unlock(&proc->mc->lock);
	return r->p;
}

void rig_buf_free(struct rig_proc *proc, u8 *p)
{
	struct rig_region **at = &proc->mc->regions;
	struct rig_region *r;

	pthread_mutex_lock(&proc->mc->lock);
	while (*at && (*at)->p != p)
		at = &(*at)->next;
	r = *at;
	if (!r)
		weft_host_die(__FILE__, __LINE__, "no buffer of this process");
	*at = r->next;
	pthread_mutex_unlock(&proc->mc->lock);
	free(r->p);
	free(r);
}

static bool allowed(const struct weft_memctx *mc, u64 addr, u64 len)
{
	const struct rig_region *r;

	for (r = mc->regions; r; r = r->next)
		if (addr >= (uintptr_t)r->p && len <= r->len &&
		    addr - (uintptr_t)r->p <= r->len - len)
			return true;
	return !len;
}

/*
 * With threads, a packet may be sent again while its acknowledgement is handled. The program may
 * then free or change the bytes, but no receiver needs them. The thread sanitizer does not see this
 * copy.
 */
__attribute__((__no_sanitize__("thread"))) static void copy_quietly(u8 *dst, const u8 *src, u64 n)
{
	while (n--)
		*dst++ = *src++;
}

#define MOVE_CHECK	0
#define MOVE_READ	1
#define MOVE_WRITE	2

/* Walk over bytes [@off, @off + @len) of a message. Return: 0, -EFAULT: not the program's. */
static int move_locked(struct weft_memctx *mc, const struct weft_vec *vec, u64 off, u8 *buf,
		       u64 len, int what)
{
	u32 i;

	if (!mc->proc)
		return -EFAULT;
	if (off > vec->len || len > vec->len - off)
		weft_host_die(__FILE__, __LINE__, "bytes %llu..%llu of a message of %llu",
			      (unsigned long long)off, (unsigned long long)(off + len),
			      (unsigned long long)vec->len);
	for (i = 0; i < vec->n && len; i++) {
		u64 n = vec->seg[i].len;
		u8 *p;

		if (off >= n) {
			off -= n;
			continue;
		}
		n = min(n - off, len);
		p = (u8 *)(uintptr_t)vec->seg[i].addr + off;
		if ((what == MOVE_CHECK || (what == MOVE_READ && mc->node->rig->threads)) &&
		    !allowed(mc, (uintptr_t)p, n))
			return -EFAULT;
		if (what == MOVE_READ)
			copy_quietly(buf, p, n);
		if (what == MOVE_WRITE)
			memcpy(p, buf, n);
		buf = buf ? buf + n : NULL;
		len -= n;
		off = 0;
	}
	if (len)
		weft_host_die(__FILE__, __LINE__, "segments are shorter than the message");
	return 0;
}

static int move(struct weft_memctx *mc, const struct weft_vec *vec, u64 off, u8 *buf, u64 len,
		int what)
{
	int r;

	pthread_mutex_lock(&mc->lock);
	r = move_locked(mc, vec, off, buf, len, what);
	pthread_mutex_unlock(&mc->lock);
	return r;
}

/* The window of a message at an offset. */
static int mem_new(struct weft_memctx *mc, const struct weft_vec *vec, u64 off, u32 len, u32 access,
		   bool bounce, struct weft_mem **mem)
{
	struct weft_mem *m;

	if (len > mc->node->core.conf.window_bytes)
		weft_host_die(__FILE__, __LINE__, "window of %u bytes", len);
	if (access != WEFT_MEM_READ && access != WEFT_MEM_WRITE)
		weft_host_die(__FILE__, __LINE__, "access %u", access);
	if (move(mc, vec, off, NULL, len, MOVE_CHECK))
		return -EFAULT;
	m = weft_alloc(sizeof(*m));
	if (!m)
		return -ENOMEM;
	if (bounce) {
		m->bounce = malloc(len ? len : 1);
		memset(m->bounce, 0x5a, len);
		if (access == WEFT_MEM_READ)
			move(mc, vec, off, m->bounce, len, MOVE_READ);
	}
	refcount_set(&m->ref, 1);
	weft_memctx_get(mc);
	m->mc = mc;
	m->vec = *vec;
	m->off = off;
	m->len = len;
	m->access = access;
	__atomic_add_fetch(&mc->node->rig->nmem, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&mc->node->rig->made, 1, __ATOMIC_RELAXED);
	*mem = m;
	return 0;
}

int weft_mem_get(struct weft_memctx *mc, const struct weft_vec *vec, u64 off, u32 len, u32 access,
		 struct weft_mem **mem)
{
	if (rig_chance(mc->node->rig, mc->cold) || rig_chance(mc->node->rig, mc->bounce))
		return -EAGAIN;
	return mem_new(mc, vec, off, len, access, false, mem);
}

int weft_mem_make(struct weft_memctx *mc, const struct weft_vec *vec, u64 off, u32 len, u32 access,
		  struct weft_mem **mem)
{
	struct rig *rig = mc->node->rig;

	might_sleep();
	if (rig_chance(rig, mc->fault))
		return -EFAULT;
	if (rig->conf.making)
		rig_aside(rig, rig_below(rig, (u32)rig->conf.making));
	return mem_new(mc, vec, off, len, access, rig_chance(mc->node->rig, mc->bounce), mem);
}

void weft_mem_hold(struct weft_mem *mem)
{
	refcount_inc(&mem->ref);
}

void weft_mem_put(struct weft_mem *mem)
{
	struct weft_memctx *mc = mem->mc;

	if (!refcount_dec_and_test(&mem->ref))
		return;
	__atomic_sub_fetch(&mc->node->rig->nmem, 1, __ATOMIC_RELAXED);
	free(mem->bounce);
	weft_free(mem);
	weft_memctx_put(mc);
}

static void inside(const struct weft_mem *mem, u32 off, u32 len, u32 access)
{
	if (off > mem->len || len > mem->len - off)
		weft_host_die(__FILE__, __LINE__, "bytes %u + %u of a window of %u", off, len,
			      mem->len);
	if (mem->access != access)
		weft_host_die(__FILE__, __LINE__, "window is used for access %u, made for %u",
			      access, mem->access);
}

static int write_mem(struct weft_mem *mem, u32 off, const void *src, u32 len)
{
	inside(mem, off, len, WEFT_MEM_WRITE);
	if (!READ_ONCE(mem->mc->proc))
		return -EFAULT;
	if (!mem->bounce)
		return move(mem->mc, &mem->vec, mem->off + off, (u8 *)src, len, MOVE_WRITE);
	memcpy(mem->bounce + off, src, len);
	WRITE_ONCE(mem->dirty, true);
	return 0;
}

static int read_mem(struct weft_mem *mem, u32 off, void *dst, u32 len)
{
	inside(mem, off, len, WEFT_MEM_READ);
	if (!READ_ONCE(mem->mc->proc))
		return -EFAULT;
	if (!mem->bounce)
		return move(mem->mc, &mem->vec, mem->off + off, dst, len, MOVE_READ);
	memcpy(dst, mem->bounce + off, len);
	return 0;
}

int weft_mem_gather(struct weft_mem *mem, u32 off, const void *src, u32 len, u32 piece, u32 skip)
{
	const u8 *p = src;
	u32 at, n;
	int r = 0;

	for (at = 0; at < len && !r; at += n, p += n + skip) {
		n = min(piece, len - at);
		r = write_mem(mem, off + at, p, n);
	}
	return r;
}

int weft_mem_scatter(struct weft_mem *mem, u32 off, void *dst, u32 len, u32 piece, u32 skip)
{
	u32 at, n;
	u8 *p = dst;
	int r = 0;

	for (at = 0; at < len && !r; at += n, p += n + skip) {
		n = min(piece, len - at);
		r = read_mem(mem, off + at, p, n);
	}
	return r;
}

/*
 * Is a program's memory resident now? The answer follows from the time, not from the rig's random
 * numbers: the rest of a run stays the same whether the core asks or not.
 */
static bool resident(const struct weft_memctx *mc)
{
	struct rig *rig = mc->node->rig;
	u64 x = (rig_now(rig) + (u64)(mc->node - rig->node)) * 0x9e3779b97f4a7c15ull;
	u32 draw = (u32)(x >> 40) & (RIG_PPM - 1);

	return draw >= mc->cold && draw >= mc->bounce;
}

static int place(struct weft_memctx *mc, u64 addr, const u8 *src, u32 len, u32 piece, u32 skip)
{
	struct weft_vec vec = { .n = 1, .len = len, .seg = { { .addr = addr, .len = len } } };
	u32 at, n;
	int r = 0;

	if (!READ_ONCE(mc->proc))
		return -EFAULT;
	if (!resident(mc) || move(mc, &vec, 0, NULL, len, MOVE_CHECK))
		return -EAGAIN;
	for (at = 0; at < len && !r; at += n, src += n + skip) {
		n = min(piece, len - at);
		r = move(mc, &vec, at, (u8 *)src, n, MOVE_WRITE);
	}
	return r;
}

int weft_mem_place(struct weft_memctx *mc, u64 addr, const void *src, u32 len, u32 piece, u32 skip)
{
	return place(mc, addr, src, len, piece, skip);
}

int weft_mem_reach(struct weft_memctx *mc, u64 addr, u32 len, u32 access, weft_apply_fn fn,
		   void *arg)
{
	struct weft_vec vec = { .n = 1, .len = len, .seg = { { .addr = addr, .len = len } } };

	if (!READ_ONCE(mc->proc))
		return -EFAULT;
	if (!resident(mc) || move(mc, &vec, 0, NULL, len, MOVE_CHECK))
		return -EAGAIN;
	return fn(arg, (u8 *)(uintptr_t)addr, len) == len ? 0 : -EAGAIN;
}

bool weft_mem_resident(struct weft_memctx *mc, u64 addr, u32 len, u32 access)
{
	struct weft_vec vec = { .n = 1, .len = len, .seg = { { .addr = addr, .len = len } } };

	return READ_ONCE(mc->proc) && resident(mc) && !move(mc, &vec, 0, NULL, len, MOVE_CHECK);
}

int weft_user_peek(struct weft_memctx *mc, u64 addr, void *dst, u32 len)
{
	struct weft_vec vec = { .n = 1, .len = len, .seg = { { .addr = addr, .len = len } } };

	if (!resident(mc) || move(mc, &vec, 0, NULL, len, MOVE_CHECK))
		return -EAGAIN;
	return move(mc, &vec, 0, dst, len, MOVE_READ);
}

int weft_user_poke(struct weft_memctx *mc, u64 addr, const void *src, u32 len)
{
	return place(mc, addr, src, len, len, 0);
}

int weft_mem_pass(struct weft_memctx *mc, u64 addr, struct weft_memctx *from, u64 src, u32 len)
{
	u8 *tmp = malloc(len);
	int r = weft_user_peek(from, src, tmp, len);

	if (!r)
		r = place(mc, addr, tmp, len, len, 0);
	free(tmp);
	return r;
}

int weft_mem_pull(struct weft_memctx *mc, u64 addr, struct weft_memctx *to, u64 dst, u32 len)
{
	u8 *tmp = malloc(len);
	int r = READ_ONCE(mc->proc) ? weft_user_peek(mc, addr, tmp, len) : -EFAULT;

	if (!r)
		r = weft_user_poke(to, dst, tmp, len);
	free(tmp);
	return r;
}

/* A call for adapters that have a device; the rig copies here. */
u32 weft_mem_spans(struct weft_mem *mem, u32 off, u32 len, struct weft_span *span, u32 max)
{
	inside(mem, off, len, WEFT_MEM_READ);
	if (mem->bounce || mem->vec.n != 1 || !max || !READ_ONCE(mem->mc->proc))
		return 0;
	span->p = (u8 *)(uintptr_t)mem->vec.seg[0].addr + mem->off + off;
	span->len = len;
	return 1;
}

int weft_mem_copy(struct weft_mem *dst, u32 doff, struct weft_mem *src, u32 soff, u32 len)
{
	u8 *tmp = malloc(len ? len : 1);
	int r;

	weft_host_no_locks(__FILE__, __LINE__);
	r = weft_mem_read(src, soff, tmp, len);
	if (!r)
		r = weft_mem_write(dst, doff, tmp, len);
	free(tmp);
	return r;
}

/*
 * Call @fn for bytes of a program's memory, in pieces of at most 64 bytes: callers must not rely on
 * larger ones. Return: 0, -EFAULT, -EAGAIN: @fn has not done all.
 */
static int apply(struct weft_memctx *mc, const struct weft_vec *vec, u64 off, u32 len,
		 weft_apply_fn fn, void *arg)
{
	int r = 0;
	u32 i, n;

	pthread_mutex_lock(&mc->lock);
	if (!mc->proc)
		r = -EFAULT;
	for (i = 0; i < vec->n && len && !r; i++) {
		u64 at = off;

		off -= min(off, vec->seg[i].len);
		for (; at < vec->seg[i].len && len && !r; at += n, len -= n) {
			n = (u32)min3(vec->seg[i].len - at, (u64)len, (u64)64);
			if (!allowed(mc, vec->seg[i].addr + at, n))
				r = -EFAULT;
			else if (fn(arg, (u8 *)(uintptr_t)(vec->seg[i].addr + at), n) != n)
				r = -EAGAIN;
		}
	}
	pthread_mutex_unlock(&mc->lock);
	return r;
}

int weft_mem_apply(struct weft_mem *mem, u32 off, u32 len, weft_apply_fn fn, void *arg)
{
	if (mem->bounce)
		return -EAGAIN;
	return apply(mem->mc, &mem->vec, mem->off + off, len, fn, arg);
}

int weft_user_apply(struct weft_memctx *mc, const struct weft_vec *vec, u64 off, u32 len,
		    u32 access, weft_apply_fn fn, void *arg)
{
	might_sleep();
	return apply(mc, vec, off, len, fn, arg);
}

bool weft_mem_bounced(const struct weft_mem *mem)
{
	return mem->bounce && READ_ONCE(mem->dirty);
}

int weft_mem_flush(struct weft_mem *mem)
{
	might_sleep();
	if (!READ_ONCE(mem->mc->proc))
		return -EFAULT;
	WRITE_ONCE(mem->dirty, false);
	return move(mem->mc, &mem->vec, mem->off, mem->bounce, mem->len, MOVE_WRITE);
}

int weft_user_read(struct weft_memctx *mc, const struct weft_vec *vec, u64 off, void *dst, u32 len,
		   u32 piece, u32 skip)
{
	u8 *p = dst;
	u32 at, n;
	int r = 0;

	might_sleep();
	if (move(mc, vec, off, NULL, len, MOVE_CHECK))
		return -EFAULT;
	for (at = 0; at < len && !r; at += n, p += n + skip) {
		n = min(piece, len - at);
		r = move(mc, vec, off + at, p, n, MOVE_READ);
	}
	return r;
}

int weft_user_write(struct weft_memctx *mc, const struct weft_vec *vec, u64 off, const void *src,
		    u32 len)
{
	might_sleep();
	if (move(mc, vec, off, NULL, len, MOVE_CHECK))
		return -EFAULT;
	return move(mc, vec, off, (u8 *)src, len, MOVE_WRITE);
}
