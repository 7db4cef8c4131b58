/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - regions: functions for adapters
 */
#ifndef WEFT_RMA_CALLS_H
#define WEFT_RMA_CALLS_H

#include "core/object/object.h"

/**
 * weft_domain_init - initialize the regions of a context
 * @d: zeroed
 * @core: its core
 * @user: user for whom the regions count; exists as long as the domain; NULL: they do not count
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM.
 */
int weft_domain_init(struct weft_domain *d, struct weft_core *core, struct weft_user *user);

/* End all regions of a domain, as by weft_region_end(). The caller makes no more. May sleep. */
void weft_domain_end(struct weft_domain *d, weft_ns now, struct weft_out *out);

/*
 * Free a domain without regions, or one that was never initialized. No endpoint uses it any more.
 * May sleep.
 */
void weft_domain_exit(struct weft_domain *d);

/**
 * weft_region_new - make a region
 * @d: its domain
 * @conf: its configuration; no memory has to be mapped there
 *
 * Context: may sleep.
 * Return: 0; -EEXIST: the key is in use in its zone; -EINVAL: the segments do not add up, or a
 * right is unknown; -EFAULT: a segment wraps; -ENOSPC: at the limit of the user; -ENOMEM.
 */
int weft_region_new(struct weft_domain *d, const struct weft_region_conf *conf);

/* Return: the counter of a region; NULL: none, or no such region. Any context. */
struct weft_cq *weft_region_cntr(struct weft_domain *d, u32 zone, u64 key);

/**
 * weft_region_end - end a region: its key is free, and no operation accesses it after that
 * @d: its domain
 * @zone: its protection zone, 0: none
 * @key: its key
 * @now: time
 * @out: output; flushed
 *
 * Operations under way fail with EACCES. The call waits for copies, and for workers that access the
 * memory of the region's own program. It waits for no peer.
 *
 * Context: may sleep; no lock of the core is held.
 * Return: 0; -ENOENT: no such region.
 */
int weft_region_end(struct weft_domain *d, u32 zone, u64 key, weft_ns now, struct weft_out *out);

/**
 * struct weft_region_info - a region, for the administrator
 * @no: its number: a later call that begins there reports it first
 * @key: its key
 * @zone: its protection zone, 0: none
 * @base: address of its first byte, as peers name it
 * @len: bytes
 * @access: WEFT_REGION_*
 * @users: operations of peers that access it now
 */
struct weft_region_info {
	u32 no;
	u64 key;
	u32 zone;
	u64 base;
	u64 len;
	u32 access;
	u32 users;
};

/**
 * weft_domain_look - report regions, in the order in which they were made
 * @d: their domain
 * @next: number at which to begin, 0: at the oldest; out: where the next call continues
 * @info: out
 * @n: size of @info
 *
 * Context: any.
 * Return: number of regions reported; fewer than @n: there are no more.
 */
u32 weft_domain_look(struct weft_domain *d, u64 *next, struct weft_region_info *info, u32 n);

#endif
