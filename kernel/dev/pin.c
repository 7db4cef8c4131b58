// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft - memory of programs: the cache of pinned ranges
 *
 * A range is pinned for long (FOLL_LONGTERM). It stays pinned while unused, until it is unmapped or
 * evicted, or the context dies. A second transfer with the same buffer finds it. Ranges lie within
 * blocks of 2 MiB. A range pinned for writing serves reading as well, but not the reverse. Writable
 * memory is always pinned for writing. So there is one range per buffer, and the zero page is never
 * pinned.
 *
 * States of a range:
 *
 *	(being made) -> VALID	pinned; its page tables were not changed meanwhile
 *	(being made) -> SUSPECT	its page tables were changed: valid for its maker, to be
 *				compared before the next use
 *	VALID -> SUSPECT	mmu_notifier.c
 *	SUSPECT -> VALID	pinned once more: the same pages
 *	VALID, SUSPECT -> OUT	unmapped, evicted, replaced by a larger range or by one with
 *				other pages, context dead
 *	OUT -> freed		the last window has gone; a worker unpins
 *
 * Steps to make a range: read the invalidations in progress and join mc->making; check the
 * mappings; pin; then, under the lock, see whether mmu_notifier.c has marked the range. Pages that
 * were pinned during an invalidation are valid for the current window. The kernel does not replace
 * a page that is pinned for long. A program that unmaps memory during a transfer loses the data. A
 * range that was unmapped is made again, as the mapping may be of another kind now.
 *
 * Pinned are: anonymous memory, hugetlb, tmpfs, writable private maps of files. Not pinned are:
 * pages of files (6.1 does not refuse them, but write-back would miss changes), devices, secret
 * memory, memory with userfaultfd. Those are copied through kernel memory (window.c).
 *
 * Pinned pages are charged to mm->pinned_vm. Without CAP_IPC_LOCK they are also charged to the
 * user's locked_vm, up to RLIMIT_MEMLOCK at open. All pinned memory of weft is limited to half of
 * the machine's memory. A context's idle ranges are limited to an eighth.
 *
 * mc->lock protects the ranges (mem_priv.h). References on ranges in the tree are taken under it.
 * So a range with only the tree's reference is idle.
 */
#include <linux/hugetlb.h>
#include <linux/magic.h>
#include <linux/memcontrol.h>
#include <linux/pagemap.h>
#include <linux/sched/mm.h>
#include <linux/sched/user.h>
#include <linux/slab.h>
#include <linux/userfaultfd_k.h>
#include "mem_priv.h"

static struct kmem_cache *weft_pin_cache;
static atomic64_t weft_pin_total;	/* pages */
static LLIST_HEAD(weft_pin_dead);	/* to be unpinned */

u64 weft_mem_total_pinned(void)
{
	return (u64)atomic64_read(&weft_pin_total) << PAGE_SHIFT;
}

/* ---- Charging ------------------------------------------------------------------------------ */

/**
 * weft_pin_hopeless - test whether so many pages can never be pinned
 * @mc: memory of the context
 * @npages: pages
 *
 * Context: any.
 * Return: true if pinning will be refused however much is evicted.
 */
bool weft_pin_hopeless(const struct weft_memctx *mc, unsigned long npages)
{
	return npages > totalram_pages() / 2 || (mc->user && npages > mc->limit);
}

static bool weft_pin_charge(struct weft_memctx *mc, unsigned long npages)
{
	long old, new;

	if (atomic64_add_return(npages, &weft_pin_total) > totalram_pages() / 2) {
		atomic64_sub(npages, &weft_pin_total);
		return false;
	}
	if (mc->user) {
		old = atomic_long_read(&mc->user->locked_vm);
		do {
			new = old + npages;
			if (new > mc->limit) {
				atomic64_sub(npages, &weft_pin_total);
				return false;
			}
		} while (!atomic_long_try_cmpxchg(&mc->user->locked_vm, &old, new));
	}
	atomic64_add(npages, &mc->mm->pinned_vm);
	atomic64_add(npages, &mc->pinned);
	return true;
}

static void weft_pin_uncharge(struct weft_memctx *mc, unsigned long npages)
{
	atomic64_sub(npages, &mc->pinned);
	atomic64_sub(npages, &mc->mm->pinned_vm);
	if (mc->user)
		atomic_long_sub(npages, &mc->user->locked_vm);
	atomic64_sub(npages, &weft_pin_total);
}

/* ---- Release ------------------------------------------------------------------------------- */

/* Sleeps. */
static void weft_pin_free(struct weft_pin *pin)
{
	struct weft_memctx *mc = pin->mc;

	unpin_user_pages_dirty_lock(pin->pages, pin->npages, pin->write);
	weft_pin_uncharge(mc, pin->npages);
	kfree(pin->pages);
	kmem_cache_free(weft_pin_cache, pin);
	weft_memctx_put(mc);
}

/* Unpin all released ranges, of any context. Sleeps. */
static void weft_pin_reap(struct work_struct *work)
{
	struct weft_pin *pin, *next;

	llist_for_each_entry_safe(pin, next, llist_del_all(&weft_pin_dead), dead) {
		weft_pin_free(pin);
		cond_resched();
	}
}

static DECLARE_WORK(weft_pin_work, weft_pin_reap);

/**
 * weft_pin_put - drop a reference on a pinned range
 * @pin: the range
 *
 * Context: any, also under mc->lock; a worker unpins.
 */
void weft_pin_put(struct weft_pin *pin)
{
	if (refcount_dec_and_test(&pin->ref) && llist_add(&pin->dead, &weft_pin_dead))
		queue_work(weft_mem_wq, &weft_pin_work);
}

/* Remove a range from the tree, but keep the tree's reference. mc->lock is held. */
static void weft_pin_remove(struct weft_pin *pin)
{
	lockdep_assert_held(&pin->mc->lock);
	interval_tree_remove(&pin->it, &pin->mc->pins);
	list_del_init(&pin->lru);
	pin->state = WEFT_PIN_OUT;
}

/**
 * weft_pin_drop - hide a range from lookups, and drop the tree's reference
 * @pin: the range, in the tree; may be gone afterwards
 *
 * Context: any, under mc->lock.
 */
void weft_pin_drop(struct weft_pin *pin)
{
	lockdep_assert_held(&pin->mc->lock);
	weft_pin_remove(pin);
	weft_pin_put(pin);
}

/**
 * weft_pin_drop_all - drop all ranges of a context
 * @mc: memory of the context
 *
 * Context: any, under mc->lock.
 */
void weft_pin_drop_all(struct weft_memctx *mc)
{
	struct weft_pin *pin, *next;

	lockdep_assert_held(&mc->lock);
	list_for_each_entry_safe(pin, next, &mc->lru, lru)
		weft_pin_drop(pin);
}

/*
 * Unpin idle ranges that were last used before @before, until @npages are unpinned. Sleeps. Return:
 * number of unpinned pages.
 */
static unsigned long weft_pin_evict(struct weft_memctx *mc, unsigned long npages,
				    unsigned long before)
{
	struct weft_pin *pin, *next;
	unsigned long n = 0;
	LIST_HEAD(victims);

	spin_lock_bh(&mc->lock);
	list_for_each_entry_safe(pin, next, &mc->lru, lru) {
		if (n >= npages || time_after(pin->used, before))
			break;
		if (refcount_read(&pin->ref) > 1)
			continue;
		n += pin->npages;
		weft_pin_remove(pin);
		list_add(&pin->lru, &victims);
	}
	spin_unlock_bh(&mc->lock);
	list_for_each_entry_safe(pin, next, &victims, lru)
		weft_pin_free(pin);
	return n;
}

/*
 * Charge @npages. If needed evict own idle ranges first, then ranges that other contexts of the
 * same user have not used for a while. Sleeps.
 */
static bool weft_pin_space(struct weft_memctx *mc, unsigned long npages)
{
	struct weft_memctx *other;
	bool ok;

	if (weft_pin_hopeless(mc, npages))
		return false;
	if (weft_pin_charge(mc, npages))
		return true;
	weft_pin_reap(NULL);
	while (!(ok = weft_pin_charge(mc, npages))) {
		if (!weft_pin_evict(mc, npages, jiffies))
			break;
	}
	if (ok)
		return true;
	mutex_lock(&weft_memctxs_lock);
	list_for_each_entry(other, &weft_memctxs, all) {
		if (other == mc || other->user != mc->user)
			continue;
		weft_pin_evict(other, npages, jiffies - WEFT_PIN_OLD);
		ok = weft_pin_charge(mc, npages);
		if (ok)
			break;
	}
	mutex_unlock(&weft_memctxs_lock);
	return ok;
}

/* ---- Which memory may be pinned -------------------------------------------------------------- */

static bool weft_vma_pinnable(struct vm_area_struct *vma)
{
	struct inode *inode;

	if (vma->vm_flags & (VM_IO | VM_PFNMAP | VM_MIXEDMAP) || userfaultfd_armed(vma))
		return false;
	if (vma_is_anonymous(vma) || is_vm_hugetlb_page(vma))
		return true;
	if (!vma->vm_file)
		return false;
	/* Device files may be on a tmpfs too. */
	inode = file_inode(vma->vm_file);
	if (!S_ISREG(inode->i_mode))
		return false;
	/* Private writable pages are copied from the file before they are pinned. */
	if ((vma->vm_flags & (VM_SHARED | VM_WRITE)) == VM_WRITE)
		return true;
	return inode->i_sb->s_magic == TMPFS_MAGIC;
}

/*
 * Cut @want->lo..@want->hi to the part that can be pinned in one way. Sleeps, in the context's
 * address space. Return: 0, -EFAULT: the wanted range is not mapped, or not with that access;
 * -EOPNOTSUPP: it must not be pinned.
 */
static int weft_vma_cut(struct mm_struct *mm, struct weft_want *want, bool *write)
{
	unsigned long access = *write ? VM_WRITE : VM_READ;
	struct vm_area_struct *vma;
	unsigned long last;
	int err = -EFAULT;
	bool can_write;

	mmap_read_lock(mm);
	vma = find_vma(mm, want->start);
	if (!vma || vma->vm_start > want->start || !(vma->vm_flags & access))
		goto out;
	err = -EOPNOTSUPP;
	if (!weft_vma_pinnable(vma))
		goto out;
	can_write = vma->vm_flags & VM_WRITE;
	want->lo = max(want->lo, vma->vm_start);
	for (;;) {
		last = vma->vm_end - 1;
		if (last >= want->hi)
			break;
		vma = find_vma(mm, last + 1);
		if (!vma || vma->vm_start != last + 1) {
			if (last < want->last)
				err = -EFAULT;
			break;
		}
		if (!(vma->vm_flags & access)) {
			if (last < want->last)
				err = -EFAULT;
			break;
		}
		if (!weft_vma_pinnable(vma) || !(vma->vm_flags & VM_WRITE) == can_write)
			break;
	}
	if (last < want->last)
		goto out;
	want->hi = min(want->hi, last);
	*write = can_write;
	err = 0;
out:
	mmap_read_unlock(mm);
	return err;
}

/**
 * weft_vma_allows - test whether the program may access a part of its memory
 * @mc: memory of the context
 * @addr: user address
 * @len: bytes
 * @write: for writing
 *
 * Context: process, in the context's address space; mmap_lock is taken.
 * Return: 0, -EFAULT.
 */
int weft_vma_allows(struct weft_memctx *mc, u64 addr, u64 len, bool write)
{
	unsigned long access = write ? VM_WRITE : VM_READ;
	struct vm_area_struct *vma;
	u64 end = addr + len;
	int err = 0;

	mmap_read_lock(mc->mm);
	while (addr < end) {
		vma = find_vma(mc->mm, addr);
		if (!vma || vma->vm_start > addr || !(vma->vm_flags & access)) {
			err = -EFAULT;
			break;
		}
		addr = vma->vm_end;
	}
	mmap_read_unlock(mc->mm);
	return err;
}

/* ---- Making -------------------------------------------------------------------------------- */

/*
 * Return: true if pages without an owner are among them, like the zero page. Their reference
 * counters would not bear many pins.
 */
static bool weft_pages_orphan(struct page **pages, u32 n)
{
	while (n) {
		if (!READ_ONCE(compound_head(pages[--n])->mapping))
			return true;
	}
	return false;
}

/*
 * Pin a range and charge it. It is not in the tree yet; the caller owns the reference. Sleeps, in
 * the context's address space. Return: the range, ERR_PTR(-ENOMEM): refused, for any reason.
 */
static struct weft_pin *weft_pin_new(struct weft_memctx *mc, unsigned long start,
				     unsigned long last, bool write)
{
	u32 npages = (last - start + 1) >> PAGE_SHIFT;
	unsigned int flags = FOLL_LONGTERM | (write ? FOLL_WRITE : 0);
	struct weft_pin *pin;
	u32 done = 0;

	if (!weft_pin_space(mc, npages))
		return ERR_PTR(-ENOMEM);
	pin = kmem_cache_alloc(weft_pin_cache, GFP_KERNEL_ACCOUNT);
	if (!pin)
		goto uncharge;
	pin->pages = kmalloc_array(npages, sizeof(*pin->pages), GFP_KERNEL_ACCOUNT);
	if (!pin->pages)
		goto free;
	while (done < npages) {
		int n = pin_user_pages_fast(start + ((unsigned long)done << PAGE_SHIFT),
					    npages - done, flags, pin->pages + done);

		if (n <= 0)
			break;
		done += n;
	}
	if (done < npages || (!write && weft_pages_orphan(pin->pages, npages))) {
		unpin_user_pages(pin->pages, done);
		kfree(pin->pages);
		goto free;
	}
	pin->it.start = start;
	pin->it.last = last;
	refcount_set(&pin->ref, 1);
	pin->state = WEFT_PIN_OUT;
	pin->write = write;
	pin->npages = npages;
	pin->used = jiffies;
	INIT_LIST_HEAD(&pin->lru);
	pin->mc = mc;
	weft_memctx_get(mc);
	return pin;
free:
	kmem_cache_free(weft_pin_cache, pin);
uncharge:
	weft_pin_uncharge(mc, npages);
	return ERR_PTR(-ENOMEM);
}

static bool weft_pin_covers(const struct weft_pin *pin, const struct weft_want *want, bool write)
{
	return pin->it.start <= want->start && pin->it.last >= want->last &&
	       (pin->write || !write);
}

/*
 * Record that a range in the tree is used. Ranges that are used within one jiffy are in any order.
 * mc->lock is held.
 */
static void weft_pin_use(struct weft_pin *pin)
{
	lockdep_assert_held(&pin->mc->lock);
	if (likely(!time_after(jiffies, pin->used)))
		return;
	pin->used = jiffies;
	list_move_tail(&pin->lru, &pin->mc->lru);
}

static struct weft_pin *weft_pin_get(struct weft_pin *pin)
{
	weft_pin_use(pin);
	refcount_inc(&pin->ref);
	return pin;
}

/**
 * weft_pin_look - find a pinned range
 * @mc: memory of the context; mc->lock is held
 * @want: the range that it must cover
 * @write: for writing
 *
 * Context: any but hard interrupts.
 * Return: the range, which stays while the lock is held; NULL: no valid range covers @want.
 */
struct weft_pin *weft_pin_look(struct weft_memctx *mc, const struct weft_want *want, bool write)
{
	struct interval_tree_node *it;

	lockdep_assert_held(&mc->lock);
	for (it = interval_tree_iter_first(&mc->pins, want->start, want->start); it;
	     it = interval_tree_iter_next(it, want->start, want->start)) {
		struct weft_pin *pin = container_of(it, struct weft_pin, it);

		if (pin->state == WEFT_PIN_VALID && weft_pin_covers(pin, want, write)) {
			weft_pin_use(pin);
			return pin;
		}
	}
	return NULL;
}

/* As weft_pin_look(), with a reference. */
static struct weft_pin *weft_pin_find_locked(struct weft_memctx *mc, const struct weft_want *want,
					     bool write)
{
	struct weft_pin *pin = weft_pin_look(mc, want, write);

	if (pin)
		refcount_inc(&pin->ref);
	return pin;
}

/**
 * weft_pin_find - find a pinned range
 * @mc: memory of the context
 * @want: the range that it must cover
 * @write: for writing
 *
 * Context: any but hard interrupts.
 * Return: the range, referenced; NULL: no valid range covers @want.
 */
struct weft_pin *weft_pin_find(struct weft_memctx *mc, const struct weft_want *want, bool write)
{
	struct weft_pin *pin;

	spin_lock_bh(&mc->lock);
	pin = weft_pin_find_locked(mc, want, write);
	spin_unlock_bh(&mc->lock);
	return pin;
}

/*
 * Widen @want to the range to be pinned. If a suspect range covers @want, take that one, to compare
 * it. Else take all ranges that it touches: they are replaced, so ranges of one kind rarely
 * overlap. mc->lock is held.
 */
static void weft_pin_widen(struct weft_memctx *mc, struct weft_want *want, bool write)
{
	struct interval_tree_node *it;
	unsigned long lo = want->lo, hi = want->hi;

	lockdep_assert_held(&mc->lock);
	for (it = interval_tree_iter_first(&mc->pins, want->lo, want->hi); it;
	     it = interval_tree_iter_next(it, want->lo, want->hi)) {
		struct weft_pin *pin = container_of(it, struct weft_pin, it);

		if (pin->state == WEFT_PIN_SUSPECT && weft_pin_covers(pin, want, write)) {
			want->lo = it->start;
			want->hi = it->last;
			/* Unused: its pages need not be pinned twice. */
			if (refcount_read(&pin->ref) == 1)
				weft_pin_drop(pin);
			return;
		}
		lo = min(lo, it->start);
		hi = max(hi, it->last);
	}
	want->lo = lo;
	want->hi = hi;
}

/*
 * Put a new range into the tree, unless its equal is in the tree. mc->lock is held. Return: the
 * range to use, referenced. If it is not @pin, the caller frees @pin.
 */
static struct weft_pin *weft_pin_insert(struct weft_memctx *mc, struct weft_pin *pin, bool suspect)
{
	unsigned long start = pin->it.start, last = pin->it.last;
	struct interval_tree_node *it, *next;

	lockdep_assert_held(&mc->lock);
	for (it = interval_tree_iter_first(&mc->pins, start, last); it; it = next) {
		struct weft_pin *old = container_of(it, struct weft_pin, it);

		next = interval_tree_iter_next(it, start, last);
		if (it->start == start && it->last == last && old->write == pin->write &&
		    !memcmp(old->pages, pin->pages, pin->npages * sizeof(*pin->pages))) {
			if (!suspect)
				old->state = WEFT_PIN_VALID;
			return weft_pin_get(old);
		}
		if (it->start >= start && it->last <= last && (pin->write || !old->write))
			weft_pin_drop(old);
	}
	pin->state = suspect ? WEFT_PIN_SUSPECT : WEFT_PIN_VALID;
	interval_tree_insert(&pin->it, &mc->pins);
	list_add_tail(&pin->lru, &mc->lru);
	refcount_inc(&pin->ref);
	return pin;
}

/*
 * Make a range once. @again: reject a range that was suspect from the beginning. Return: 0,
 * -EAGAIN, or as weft_pin_make().
 */
static int weft_pin_try(struct weft_memctx *mc, struct weft_want want, bool write, bool again,
			struct weft_pin **out)
{
	struct weft_making making = {};
	struct weft_pin *pin, *use;
	int err;

	spin_lock_bh(&mc->lock);
	*out = weft_pin_find_locked(mc, &want, write);
	if (*out || mc->dead) {
		spin_unlock_bh(&mc->lock);
		return *out ? 0 : -EFAULT;
	}
	weft_pin_widen(mc, &want, write);
	making.start = want.lo;
	making.last = want.hi;
	making.suspect = mc->inv_count && mc->inv_start <= want.hi && mc->inv_last >= want.lo;
	list_add(&making.node, &mc->making);
	spin_unlock_bh(&mc->lock);

	err = weft_vma_cut(mc->mm, &want, &write);
	if (err) {
		pin = ERR_PTR(err);
	} else {
		unsigned long lo = want.start & PAGE_MASK, hi = want.last | ~PAGE_MASK;

		pin = weft_pin_new(mc, want.lo, want.hi, write);
		if (IS_ERR(pin) && (want.lo != lo || want.hi != hi))
			pin = weft_pin_new(mc, lo, hi, write);
	}

	spin_lock_bh(&mc->lock);
	list_del(&making.node);
	use = pin;
	if (!IS_ERR(pin)) {
		if (mc->dead)
			use = ERR_PTR(-EFAULT);
		else if (making.unmapped || (making.suspect && again))
			use = ERR_PTR(-EAGAIN);
		else
			use = weft_pin_insert(mc, pin, making.suspect);
	}
	spin_unlock_bh(&mc->lock);
	if (!IS_ERR(pin) && use != pin)
		weft_pin_free(pin);
	if (IS_ERR(use))
		return PTR_ERR(use);
	*out = use;
	return 0;
}

/**
 * weft_pin_make - find or pin a range
 * @mc: memory of the context
 * @want: the wanted range, and the range that may be pinned with it
 * @write: for writing
 * @pin: out: the range, referenced
 *
 * Context: process, in the context's address space, inside weft_memctx_enter(); sleeps.
 * Return: 0, -EFAULT: not mapped, or not with that access, or the context is dead; any other:
 * pinning is refused.
 */
int weft_pin_make(struct weft_memctx *mc, const struct weft_want *want, bool write,
		  struct weft_pin **pin)
{
	struct mem_cgroup *memcg = set_active_memcg(mc->memcg);
	s64 over;
	int err;
	int i;

	/*
	 * Pinning may itself replace pages (copy on write), which the notifier reports. The second
	 * attempt does not.
	 */
	for (i = 0; i < 3; i++) {
		err = weft_pin_try(mc, *want, write, i == 0, pin);
		if (err != -EAGAIN)
			break;
	}
	over = atomic64_read(&mc->pinned) - totalram_pages() / 8;
	if (!err && over > 0)
		weft_pin_evict(mc, over, jiffies);
	set_active_memcg(memcg);
	return err;
}

/**
 * weft_pin_init - set up the state that all contexts share
 *
 * Context: process.
 * Return: 0, -ENOMEM.
 */
int weft_pin_init(void)
{
	weft_pin_cache = KMEM_CACHE(weft_pin, 0);
	return weft_pin_cache ? 0 : -ENOMEM;
}

/**
 * weft_pin_exit - the reverse of weft_pin_init(), after the workqueue has gone
 *
 * Context: process.
 */
void weft_pin_exit(void)
{
	kmem_cache_destroy(weft_pin_cache);
}
