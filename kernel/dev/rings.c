// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft - ring memory: pages shared with a program
 *
 * An area is the unit of mmap(2): a ring, or a page of lines. A line (64 bytes) is an object's part
 * of a doorbell page (the user writes) or a status page (the kernel writes). The objects of a
 * context share those pages.
 *
 * An area:
 *
 *	in rings->areas ---(its object goes)---> no longer found
 *	---(the last mmap(2) in progress has ended)---> freed
 *
 * Its pages live longer: each map holds them until it is unmapped. A program that still reads a
 * ring of a destroyed object sees only stale bytes. No map survives a fork (VM_DONTCOPY; VM_IO, so
 * that madvise(2) cannot undo that). A map cannot grow, be dumped or be executed. Pages that the
 * kernel writes cannot be made writable.
 *
 * Memory is charged to the memory cgroup of the caller. The limit "memory-user" of the context's
 * user bounds it.
 *
 * rings->lock protects the pages of lines. The lock of the xarray protects the lookup of areas.
 * weft_rings_mmap() runs under mmap_lock; no function here touches user memory.
 */
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "../compat.h"
#include "core/api/api.h"
#include "rings.h"

#define WEFT_MAP_SHIFT	24	/* distance of two areas' offsets: the longest ring fits */
#define WEFT_MAP_IDS	XA_LIMIT(1, (1u << 20) - 1)

/**
 * weft_rings_init - prepare a context's ring memory
 * @rings: uninitialised; the caller sets @rings->user before the first area
 * @core: the core of the port
 */
void weft_rings_init(struct weft_rings *rings, struct weft_core *core)
{
	BUILD_BUG_ON(WEFT_RING_MAX * WEFT_SLOT_SIZE > 1u << WEFT_MAP_SHIFT);
	rings->core = core;
	rings->user = NULL;
	xa_init_flags(&rings->areas, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	rings->next = 1;
	atomic_long_set(&rings->bytes, 0);
	mutex_init(&rings->lock);
	INIT_LIST_HEAD(&rings->lines[0]);
	INIT_LIST_HEAD(&rings->lines[1]);
}

/**
 * weft_rings_exit - free a context's ring memory
 * @rings: all areas and lines have been returned
 */
void weft_rings_exit(struct weft_rings *rings)
{
	WARN_ON_ONCE(atomic_long_read(&rings->bytes));
	xa_destroy(&rings->areas);
	mutex_destroy(&rings->lock);
}

static void weft_area_free(struct weft_area *area)
{
	size_t bytes = (size_t)area->npages << PAGE_SHIFT;
	u32 i;

	if (area->kva && area->npages > 1)
		vunmap(area->kva);
	for (i = 0; i < area->npages && area->pages[i]; i++)
		__free_page(area->pages[i]);
	atomic_long_sub((long)bytes, &area->rings->bytes);
	weft_user_give(area->rings->user, WEFT_USE_MEMORY, bytes);
	kvfree(area);
}

/**
 * weft_area_new - allocate zeroed pages
 * @rings: ring memory of the context
 * @bytes: size, rounded up to pages
 * @user_writes: whether the user may map them writable
 *
 * Return: the area, ERR_PTR(-ENOMEM, -ENOSPC: the user's limit). Sleeps.
 */
struct weft_area *weft_area_new(struct weft_rings *rings, size_t bytes, bool user_writes)
{
	u32 n = PAGE_ALIGN(bytes) >> PAGE_SHIFT, i;
	struct weft_area *area;
	int err;

	err = weft_user_take(rings->core, rings->user, WEFT_USE_MEMORY, (u64)n << PAGE_SHIFT);
	if (err)
		return ERR_PTR(err);
	err = -ENOMEM;
	area = kvzalloc(struct_size(area, pages, n), GFP_KERNEL_ACCOUNT);
	if (!area) {
		weft_user_give(rings->user, WEFT_USE_MEMORY, (u64)n << PAGE_SHIFT);
		return ERR_PTR(err);
	}
	area->rings = rings;
	refcount_set(&area->ref, 1);
	area->npages = n;
	area->user_writes = user_writes;
	atomic_long_add((long)n << PAGE_SHIFT, &rings->bytes);
	for (i = 0; i < n; i++) {
		area->pages[i] = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
		if (!area->pages[i])
			goto fail;
	}
	area->kva = n > 1 ? vmap(area->pages, n, VM_MAP, PAGE_KERNEL) :
		    page_address(area->pages[0]);
	if (!area->kva)
		goto fail;
	err = xa_alloc_cyclic(&rings->areas, &area->id, area, WEFT_MAP_IDS, &rings->next,
			      GFP_KERNEL_ACCOUNT);
	if (err >= 0)
		return area;
	if (err == -EBUSY)
		err = -ENOSPC;
fail:
	weft_area_free(area);
	return ERR_PTR(err);
}

static void weft_area_unref(struct weft_area *area)
{
	if (refcount_dec_and_test(&area->ref))
		weft_area_free(area);
}

/**
 * weft_area_put - drop the owner's reference on an area
 * @area: may be NULL
 *
 * It cannot be mapped any more. The kernel's mapping ends with the last mmap(2) in progress.
 * Sleeps.
 */
void weft_area_put(struct weft_area *area)
{
	if (!area)
		return;
	xa_erase(&area->rings->areas, area->id);
	weft_area_unref(area);
}

/**
 * weft_area_map - report the arguments of mmap(2) for an area
 * @area: the area
 * @map: out
 */
void weft_area_map(const struct weft_area *area, struct weft_map *map)
{
	map->off = (u64)area->id << WEFT_MAP_SHIFT;
	map->len = area->npages << PAGE_SHIFT;
	map->at = 0;
}

static struct weft_area *weft_area_find(struct weft_rings *rings, unsigned long pgoff)
{
	const unsigned int shift = WEFT_MAP_SHIFT - PAGE_SHIFT;
	struct weft_area *area;

	if (pgoff & ((1ul << shift) - 1))
		return NULL;
	xa_lock(&rings->areas);
	area = xa_load(&rings->areas, pgoff >> shift);
	if (area)
		refcount_inc(&area->ref);
	xa_unlock(&rings->areas);
	return area;
}

/**
 * weft_rings_mmap - map an area
 * @rings: ring memory of the context; the caller has checked the address space
 * @vma: the map
 *
 * Offset and length must be those that the object's creation reported. The protection must be as
 * the header says, and the map shared. Called under mmap_lock.
 *
 * Return: 0, -EINVAL: offset, length or private; -EACCES: protection; -ENOMEM.
 */
int weft_rings_mmap(struct weft_rings *rings, struct vm_area_struct *vma)
{
	unsigned long clear = VM_MAYEXEC, prot = VM_READ;
	struct weft_area *area;
	int err = -EINVAL;

	mmap_assert_write_locked(vma->vm_mm);
	area = weft_area_find(rings, vma->vm_pgoff);
	if (!area)
		return -EINVAL;
	if (vma_pages(vma) != area->npages || !(vma->vm_flags & VM_MAYSHARE))
		goto out;
	if (area->user_writes)
		prot |= VM_WRITE;
	else
		clear |= VM_MAYWRITE;
	err = -EACCES;
	if ((vma->vm_flags & (VM_READ | VM_WRITE | VM_EXEC)) != prot)
		goto out;
	weft_vm_flags_mod(vma, VM_IO | VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP, clear);
	err = vm_map_pages_zero(vma, area->pages, area->npages);
out:
	weft_area_unref(area);
	return err;
}

/**
 * weft_line_new - get a zeroed line
 * @rings: ring memory of the context
 * @user_writes: true: from a doorbell page; false: from a status page
 * @line: out
 *
 * Return: 0, -ENOMEM, -ENOSPC. Sleeps.
 */
int weft_line_new(struct weft_rings *rings, bool user_writes, struct weft_line *line)
{
	struct list_head *pages = &rings->lines[user_writes];
	struct weft_line_page *page;
	int err = -ENOMEM;
	u32 n;

	mutex_lock(&rings->lock);
	list_for_each_entry(page, pages, node) {
		n = find_first_zero_bit(page->used, WEFT_LINES);
		if (n < WEFT_LINES)
			goto found;
	}
	page = kzalloc(sizeof(*page), GFP_KERNEL_ACCOUNT);
	if (!page)
		goto fail;
	page->area = weft_area_new(rings, PAGE_SIZE, user_writes);
	if (IS_ERR(page->area)) {
		err = PTR_ERR(page->area);
		kfree(page);
		goto fail;
	}
	list_add_tail(&page->node, pages);
	n = 0;
found:
	__set_bit(n, page->used);
	mutex_unlock(&rings->lock);
	line->page = page;
	line->at = n * WEFT_LINE_SIZE;
	memset(weft_line_kva(line), 0, WEFT_LINE_SIZE);
	return 0;

fail:
	mutex_unlock(&rings->lock);
	return err;
}

/**
 * weft_line_free - return a line to which no code writes any more
 * @rings: ring memory of the context
 * @line: the line, or one with a NULL page
 *
 * Sleeps.
 */
void weft_line_free(struct weft_rings *rings, struct weft_line *line)
{
	struct weft_line_page *page = line->page;

	if (!page)
		return;
	mutex_lock(&rings->lock);
	__clear_bit(line->at / WEFT_LINE_SIZE, page->used);
	if (bitmap_empty(page->used, WEFT_LINES)) {
		list_del(&page->node);
		weft_area_put(page->area);
		kfree(page);
	}
	mutex_unlock(&rings->lock);
	line->page = NULL;
}

/**
 * weft_line_kva - report the kernel address of a line
 * @line: the line
 *
 * Return: its address, aligned to 64 bytes.
 */
void *weft_line_kva(const struct weft_line *line)
{
	return line->page->area->kva + line->at;
}

/**
 * weft_line_map - report the arguments of mmap(2) for a line
 * @line: the line
 * @map: out
 */
void weft_line_map(const struct weft_line *line, struct weft_map *map)
{
	weft_area_map(line->page->area, map);
	map->at = line->at;
}
