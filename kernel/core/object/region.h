/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - structures of one-sided operations: regions, and accesses to them
 *
 *	domain		the regions of one context, by zone and key
 *	region		memory of a program that peers may access
 *	access		the memory that one operation names; part of a received message
 *
 * A region:
 *
 *	open --weft_region_end(): out of the tables, accesses fail--> ended --no user left--> freed
 *
 * Locks: the comment of each structure names the lock of its fields. See Documentation/rma.rst.
 */
#ifndef WEFT_OBJECT_REGION_H
#define WEFT_OBJECT_REGION_H

#include "core/queue/queue.h"
#include "core/wire/wire.h"

/**
 * struct weft_region_conf - a region to be made
 * @key: its key, unique in the zone
 * @base: address of its first byte, as peers name it
 * @len: bytes of all segments
 * @access: WEFT_REGION_*
 * @n: number of segments, 1 to WEFT_IOV_MAX
 * @zone: its protection zone, 0: none
 * @cntr: counts operations of peers that change it, NULL: none
 * @seg: memory of the program, not checked
 */
struct weft_region_conf {
	u64 key;
	u64 base;
	u64 len;
	u32 access;
	u32 n;
	u32 zone;
	struct weft_cq *cntr;
	struct weft_iov seg[WEFT_IOV_MAX];
};

/**
 * struct weft_region - a region
 * @node: in domain->regions, with its zone and key; domain->lock, found in RCU
 * @no: its number in domain->all, 1 to WEFT_REGION_NO_MAX
 * @rcu: to free it
 * @base: address of its first byte, as peers name it; constant, as all below up to @cntr
 * @len: bytes
 * @access: WEFT_REGION_*
 * @n: number of @seg
 * @cntr: counts operations of peers that change it, referenced; NULL: none
 * @ended: accesses may not begin; domain->lock, read without it
 * @users: accesses; an access that begins counts itself, then reads @ended
 * @uses: struct weft_use; domain->lock
 * @seg: memory of the program
 */
struct weft_region {
	struct weft_key_node node;
	u32 no;
	struct weft_rcu rcu;
	u64 base;
	u64 len;
	u32 access;
	u32 n;
	struct weft_cq *cntr;
	bool ended;
	atomic_t users;
	struct weft_list uses;
	struct weft_iov seg[];
};

#define WEFT_REGION_NO_MAX	S32_MAX	/* largest number of a region */

/**
 * struct weft_domain - regions of a context; part of the adapter's context
 * @lock: the tables, and the accesses of each region
 * @regions: by zone and key
 * @all: all regions, by the order in which they were made
 * @last: number of the last one
 * @changes: regions made and ended; @lock, read without it
 * @core: the core
 * @user: for whom they count, NULL: no user
 *
 * It exists until weft_ep_kill() has returned for each endpoint that names it.
 */
struct weft_domain {
	struct weft_lock lock;
	struct weft_keys regions;
	struct weft_index all;
	u32 last;
	unsigned long changes;
	struct weft_core *core;
	struct weft_user *user;
};

/**
 * struct weft_region_hint - the region that an endpoint's last operation has met
 * @region: the region, NULL: none; read in RCU only, and only while @changes is domain->changes
 * @changes: domain->changes before it was looked up
 * @zone: for which zone it was looked up
 */
struct weft_region_hint {
	struct weft_region *region;
	unsigned long changes;
	u32 zone;
};

/**
 * struct weft_use - a part of a region that an access names
 * @region: the region, which counts it in @users
 * @node: in region->uses; domain->lock
 * @rma: its access
 * @off: offset of the first byte in the region
 * @len: bytes
 */
struct weft_use {
	struct weft_region *region;
	struct weft_list node;
	struct weft_rma *rma;
	u64 off;
	u64 len;
};

#define WEFT_RMA_TARGET	1	/* accesses regions of this node's program */
#define WEFT_RMA_SINK	2	/* takes the bytes of a read that this node's program has posted */

/**
 * struct weft_rma - the memory that a one-sided operation names; part of a received message
 * @role: WEFT_RMA_TARGET, _SINK
 * @op: WEFT_RMA_*
 * @aop: atomic operations: WEFT_AOP_*
 * @atype: atomic operations: WEFT_ATYPE_*
 * @tells: TARGET of a write: its completion waits in @ovf, which has a reference of the message;
 *	ep->lock
 * @held: TARGET: the message keeps its turn until it is over
 * @cold: TARGET, within the node: flow whose later sends wait until it is over, referenced
 * @nuse: number of @use
 * @skip: bytes of the message before those of the operation
 * @len: bytes of the operation
 * @applied: atomic operations: bytes of the elements that have been executed
 * @res: atomic operations within the node: the results, until @sink takes them; else NULL
 * @sink: atomic operations within the node: takes the results, referenced; else NULL
 * @ovf: where the completion of the target's program waits for space
 * @rxm: its message
 * @txm: SINK: the operation; TARGET of a read: the source, which sends the bytes; referenced
 * @vec: SINK: memory of this node's program
 * @use: TARGET: parts of regions
 *
 * Constant while its message is in use, but for @tells; @held, @cold, @txm, @res and @sink:
 * path->lock; and @applied, which belongs to the executing context.
 */
struct weft_rma {
	u8 role;
	u8 op;
	u8 aop;
	u8 atype;
	bool held;
	bool tells;
	u8 nuse;
	u32 skip;
	u64 len;
	u32 applied;
	u8 *res;
	struct weft_rxm *sink;
	struct weft_ovf ovf;
	struct weft_rxm *rxm;
	struct weft_txm *txm;
	struct weft_flow *cold;
	struct weft_vec vec;
	struct weft_use use[WEFT_IOV_MAX];
};

/**
 * weft_region_covers - check an access
 * @region: the region
 * @access: rights that the access needs, WEFT_REGION_*
 * @addr: address of its first byte, any value
 * @len: bytes, any value
 *
 * Return: true if the region grants them and has all the bytes.
 */
static inline bool weft_region_covers(const struct weft_region *region, u32 access, u64 addr,
				      u64 len)
{
	u64 off = addr - region->base;

	return !(access & ~region->access) && addr >= region->base && off <= region->len &&
	       len <= region->len - off;
}

/* Return: true if the operation changes the regions that it names. */
static inline bool weft_rma_changes(const struct weft_rma *rma)
{
	return rma->op != WEFT_RMA_READ &&
	       !(weft_req_atomic(rma->op) && rma->aop == WEFT_AOP_READ);
}

struct weft_region *weft_region_enter(struct weft_domain *d, u32 zone, u64 key);
struct weft_region *weft_region_again(struct weft_domain *d, u32 zone, u64 key,
				      struct weft_region_hint *hint);
void weft_region_leave(struct weft_region *region);
void weft_rma_changed(const struct weft_rma *rma, struct weft_out *out);
void weft_rma_close(struct weft_rma *rma, struct weft_domain *d);
const struct weft_vec *weft_rma_vec(const struct weft_rma *rma, u64 *off, u32 *len,
				    struct weft_vec *tmp);

#endif
