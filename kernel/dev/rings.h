/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft - ring memory: pages shared with a program. Life and locks: rings.c
 */
#ifndef WEFT_RINGS_H
#define WEFT_RINGS_H

#include <linux/bitmap.h>
#include <linux/list.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/xarray.h>
#include <linux/weft.h>

#define WEFT_LINE_SIZE		64
#define WEFT_LINES		(PAGE_SIZE / WEFT_LINE_SIZE)

struct weft_core;
struct weft_rings;
struct weft_user;

/**
 * struct weft_area - pages that can be mapped
 * @rings: ring memory of the context
 * @ref: the owner's, and 1 while it is being mapped
 * @id: key in rings->areas; gives the offset for mmap(2)
 * @npages: number of pages
 * @user_writes: mapped readable and writable, else readable only
 * @kva: kernel address
 * @pages: the pages; each map holds them too, independent of the area
 */
struct weft_area {
	struct weft_rings *rings;
	refcount_t ref;
	u32 id;
	u32 npages;
	bool user_writes;
	void *kva;
	struct page *pages[];
};

/**
 * struct weft_line_page - a page of lines
 * @node: in rings->lines
 * @area: the page
 * @used: lines in use
 */
struct weft_line_page {
	struct list_head node;
	struct weft_area *area;
	DECLARE_BITMAP(used, WEFT_LINES);
};

/**
 * struct weft_line - 64 bytes of a page that the context's objects share
 * @page: the page, NULL: no line
 * @at: offset of the line in the page
 */
struct weft_line {
	struct weft_line_page *page;
	u32 at;
};

/**
 * struct weft_rings - ring memory of a context
 * @core: the core of the port
 * @user: the user of the context, for whom the bytes of areas count; constant
 * @areas: struct weft_area by id
 * @next: start of the search for a free id
 * @bytes: size of all areas
 * @lock: @lines
 * @lines: struct weft_line_page: [0] the kernel writes, [1] the user writes
 */
struct weft_rings {
	struct weft_core *core;
	struct weft_user *user;
	struct xarray areas;
	u32 next;
	atomic_long_t bytes;
	struct mutex lock;	/* lines */
	struct list_head lines[2];
};

void weft_rings_init(struct weft_rings *rings, struct weft_core *core);
void weft_rings_exit(struct weft_rings *rings);
int weft_rings_mmap(struct weft_rings *rings, struct vm_area_struct *vma);

struct weft_area *weft_area_new(struct weft_rings *rings, size_t bytes, bool user_writes);
void weft_area_put(struct weft_area *area);
void weft_area_map(const struct weft_area *area, struct weft_map *map);

int weft_line_new(struct weft_rings *rings, bool user_writes, struct weft_line *line);
void weft_line_free(struct weft_rings *rings, struct weft_line *line);
void *weft_line_kva(const struct weft_line *line);
void weft_line_map(const struct weft_line *line, struct weft_map *map);

/**
 * weft_ring_slots - compute the number of slots of a ring
 * @slots: wanted, 1..WEFT_RING_MAX
 *
 * Return: the number, a power of two.
 */
static inline u32 weft_ring_slots(u32 slots)
{
	return roundup_pow_of_two(max_t(u32, slots, WEFT_RING_MIN));
}

#endif
