/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - one-sided operations: regions, reads, writes, arithmetic of atomic operations
 *
 * The functions that this folder offers to the folders above it, and its files to one another. The
 * comment at each definition names the locks that the function needs.
 */
#ifndef WEFT_RMA_H
#define WEFT_RMA_H

#include "core/rma/calls.h"
#include "core/messaging/messaging.h"

/* bytes of the longest read that is copied in its turn, so that later writes do not change it */
#define WEFT_RMA_SHORT	4096
/* bytes of a read that its request grants: the first round trip needs no other grant */
#define WEFT_RMA_FIRST	(64u << 10)

/* ---- origin.c ------------------------------------------------------------------- */

void weft_rma_start(struct weft_txm *txm);
void weft_rma_request(struct weft_req *r, const struct weft_ep *ep, const struct weft_sq_entry *e,
		      bool user);
int weft_rma_atomic_check(const struct weft_sq_entry *e);

/* ---- target.c ------------------------------------------------------------------- */

int weft_rma_open(struct weft_rxm *rxm, struct weft_ep *ep, const struct weft_req *req, u32 skip);
bool weft_rma_run(struct weft_rxm *rxm, struct weft_out *out);
void weft_rma_work(struct weft_rxm *rxm, struct weft_out *out);
void weft_rma_told(struct weft_ovf *ovf, struct weft_out *out);
void weft_rma_give(struct weft_rxm *rxm, int err, struct weft_out *out);
void weft_rma_forget(struct weft_ep *ep, struct weft_cq *cq);

/**
 * weft_rma_rights - the rights that an operation needs
 * @req: the operation
 *
 * Return: WEFT_REGION_*.
 */
static inline u32 weft_rma_rights(const struct weft_req *req)
{
	if (req->op == WEFT_RMA_READ || (weft_req_atomic(req->op) && req->aop == WEFT_AOP_READ))
		return WEFT_REGION_READ;
	return weft_req_fetches(req->op) ? WEFT_REGION_READ | WEFT_REGION_WRITE : WEFT_REGION_WRITE;
}

/* Return: true if deferred work of a message is weft_rma_work(). */
static inline bool weft_rma_works(const struct weft_rxm *rxm)
{
	const struct weft_rma *rma = rxm->rma;

	return unlikely(rma) && rma->role == WEFT_RMA_TARGET &&
	       (rxm->buf || rma->op == WEFT_RMA_READ);
}

int weft_rma_source(struct weft_rxm *rxm, struct weft_flow *flow, const struct weft_req *req,
		    weft_ns now);
void weft_rma_source_go(struct weft_txm *txm, struct weft_out *out);

/* ---- refuse.c ------------------------------------------------------------------- */

/* Return: true if peers may access regions with @rights, WEFT_REGION_*, through the endpoint. */
static inline bool weft_rma_offered(const struct weft_ep *ep, u32 rights)
{
	u32 flags = (rights & WEFT_REGION_WRITE ? WEFT_EPF_REMOTE_WRITE : 0) |
		    (rights & WEFT_REGION_READ ? WEFT_EPF_REMOTE_READ : 0);

	return ep->conf.domain && !(flags & ~ep->conf.flags);
}

/* Return: true if programs of the initiator's user may do so. */
static inline bool weft_rma_user_fits(const struct weft_ep *ep, const struct weft_req *req)
{
	/* keys of jobs tell users apart */
	return ep->job || req->uid == ep->conf.uid || !READ_ONCE(ep->core->conf.rma_same_user);
}

/* Return: true if the peer may access regions with @rights through the endpoint. */
static inline bool weft_rma_allowed(const struct weft_ep *ep, const struct weft_req *req,
				    u32 rights)
{
	return weft_rma_offered(ep, rights) && weft_rma_user_fits(ep, req);
}

void weft_refuse_report(const struct weft_rxm *rxm, const struct weft_ep *ep,
			const struct weft_req *req, u32 rights);
void weft_refuse(struct weft_rflow *rf, struct weft_rxm *rxm, struct weft_out *out);
void weft_refuse_timer(struct weft_path *path, struct weft_out *out);

/* ---- atomic.c ------------------------------------------------------------------- */

/* Lost races against other writers after which weft_atomic_apply() returns */
#define WEFT_ATOMIC_TRIES	1000

/**
 * struct weft_atomic - an atomic operation that weft_atomic_valid() accepts
 * @kind: WEFT_ATOMIC_BASE, _FETCH, _COMPARE
 * @op: WEFT_AOP_*
 * @type: WEFT_ATYPE_*
 */
struct weft_atomic {
	u8 kind;
	u8 op;
	u8 type;
};

/**
 * weft_atomic_size - get the size of an element
 * @type: WEFT_ATYPE_*, or any other value
 *
 * The target of an operation is aligned to this size. For WEFT_ATYPE_FLOAT_COMPLEX that is more
 * than C demands.
 * Return: bytes; 0: the type is not supported.
 */
static inline u32 weft_atomic_size(u8 type)
{
	return WEFT_ATYPE_SIZE(type);
}

/**
 * weft_atomic_valid - tell whether an operation is supported
 * @kind: WEFT_ATOMIC_*, or any other value
 * @op: WEFT_AOP_*, or any other value
 * @type: WEFT_ATYPE_*, or any other value
 *
 * Return: true if weft_atomic_apply() executes it.
 */
static inline bool weft_atomic_valid(u8 kind, u8 op, u8 type)
{
	return WEFT_ATOMIC_VALID(kind, op, type);
}

u32 weft_atomic_apply(const struct weft_atomic *a, void *target, const void *operand,
		      const void *compare, void *result, u32 n);

/* ---- direct.c ------------------------------------------------------------------- */

/**
 * struct weft_direct - an operation that is executed without an object
 * @req: the operation
 * @operand: bytes to be written, or operands
 * @first: bytes to be written that are contiguous there
 * @piece: the others follow in pieces of so many bytes
 * @skip: bytes between two pieces
 * @reply: place for the bytes of a read, or for results
 * @prog: not NULL: the bytes of a write or a read are in the memory of the calling program
 * @user: address in @prog
 * @atomic: what weft_direct_execute() makes of an atomic operation
 * @done: bytes of a read that weft_direct_execute() has copied
 */
struct weft_direct {
	struct weft_req req;
	const u8 *operand;
	u32 first;
	u32 piece;
	u32 skip;
	u8 *reply;
	struct weft_memctx *prog;
	u64 user;
	struct weft_atomic atomic;
	u32 done;
};

int weft_direct_execute(struct weft_ep *ep, struct weft_direct *d, struct weft_out *out);

/* Count an operation of a peer that has been executed. */
static inline void weft_direct_count(struct weft_core *core, const struct weft_req *req)
{
	if (weft_req_atomic(req->op))
		weft_count(core, rma_atomics);
	else if (req->op == WEFT_RMA_READ)
		weft_count(core, rma_reads);
	else
		weft_count(core, rma_writes);
}

#endif
