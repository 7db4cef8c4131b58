// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - decoding of entries in send and receive rings
 *
 * Locks: held by the caller; see ring.h.
 */
#include "core/wire/ring.h"

/**
 * weft_ring_init - initialize a ring, at index 0
 * @r: the ring
 * @slots: its memory
 * @size: slots, a power of two
 */
void weft_ring_init(struct weft_ring *r, const void *slots, u32 size)
{
	BUILD_BUG_ON(sizeof(struct weft_sqe) != WEFT_SLOT_SIZE);
	BUILD_BUG_ON(sizeof(struct weft_rqe) != WEFT_SLOT_SIZE);
	BUILD_BUG_ON(sizeof(struct weft_cqe) != WEFT_SLOT_SIZE);
	r->slots = slots;
	r->size = size;
	r->cons = 0;
	r->prod = 0;
	r->known = WEFT_SQ_FLAGS & ~(WEFT_SQ_FENCE | WEFT_SQ_GROUP);
	r->longest = WEFT_MSG_MAX;
	r->keys = false;
	r->announce = false;
	r->rma = false;
}

/* Copy slot @index. Each word is read once: the copy does not change. */
static void weft_ring_slot(const struct weft_ring *r, u32 index, u64 *dst)
{
	const u64 *src = weft_ring_at(r, index);

	BUILD_BUG_ON(WEFT_SLOT_SIZE != 8 * sizeof(u64));
	dst[0] = READ_ONCE(src[0]);
	dst[1] = READ_ONCE(src[1]);
	dst[2] = READ_ONCE(src[2]);
	dst[3] = READ_ONCE(src[3]);
	dst[4] = READ_ONCE(src[4]);
	dst[5] = READ_ONCE(src[5]);
	dst[6] = READ_ONCE(src[6]);
	dst[7] = READ_ONCE(src[7]);
}

/* Return: true if an entry of @nslots slots may be at the consumer index. */
static bool weft_ring_whole(const struct weft_ring *r, u8 nslots)
{
	return nslots && nslots <= WEFT_NSLOTS_MAX && nslots <= r->prod - r->cons;
}

/*
 * Take @n segments of @len bytes that begin at @slot of the entry. Return: 0; -EINVAL: they have
 * another length; -EFAULT: beyond the address space.
 */
static int weft_ring_segs(const struct weft_ring *r, u32 slot, u32 n, u64 len,
			  struct weft_vec *vec)
{
	u64 sum = 0, end;
	u32 i;

	for (i = 0; i < n; i++) {
		weft_ring_seg(r, slot, i, &vec->seg[i]);
		if (check_add_overflow(sum, vec->seg[i].len, &sum))
			return -EINVAL;
	}
	if (sum != len)
		return -EINVAL;
	for (i = 0; i < n; i++)
		if (check_add_overflow(vec->seg[i].addr, vec->seg[i].len, &end))
			return -EFAULT;
	vec->n = n;
	return 0;
}

/*
 * Take the segments of an entry; @nslots, @niov, @addr and @len are fields of the entry. Return: 0;
 * -EINVAL: they disagree; -EFAULT: beyond the address space; -EMSGSIZE.
 */
static int weft_ring_vec(const struct weft_ring *r, u8 nslots, u32 niov, u64 addr, u64 len,
			 struct weft_vec *vec)
{
	vec->n = 0;
	vec->len = len;
	if (likely(niov == 1 && nslots == 1)) {
		vec->seg[0].addr = addr;
		vec->seg[0].len = len;
		vec->n = 1;
		return addr + len < addr ? -EFAULT : 0;
	}
	if (niov > WEFT_IOV_MAX)
		return -EINVAL;
	if (nslots != 1 + (niov > 1 ? weft_ring_seg_slots(niov) : 0))
		return -EINVAL;
	if (niov == 1 || addr)
		return -EINVAL;
	return weft_ring_segs(r, 1, niov, len, vec);
}

/*
 * Take the remote segments of an operation, which stand in the last @nslots slots of its entry.
 * Return: 0; -EINVAL: they disagree with its length.
 */
static int weft_ring_remote(const struct weft_ring *r, const struct weft_sqe *s, u8 nslots,
			    struct weft_sq_entry *e)
{
	const u32 per = WEFT_SLOT_SIZE / sizeof(struct weft_rma_iov);
	u64 sum = 0;
	u32 i;

	if (s->nrem == 1) {
		e->rem[0].key = s->tag;
		e->rem[0].addr = s->raddr;
		e->rem[0].len = s->len;
		e->tag = 0;
		return 0;
	}
	if (s->tag || s->raddr)
		return -EINVAL;
	for (i = 0; i < s->nrem; i++) {
		const u64 *src = weft_ring_at(r, r->cons + s->nslots - nslots + i / per);

		src += i % per * (sizeof(struct weft_rma_iov) / sizeof(u64));
		e->rem[i].addr = READ_ONCE(src[0]);
		e->rem[i].len = READ_ONCE(src[1]);
		e->rem[i].key = READ_ONCE(src[2]);
		if (READ_ONCE(src[3]) || check_add_overflow(sum, e->rem[i].len, &sum))
			return -EINVAL;
	}
	return sum == s->len ? 0 : -EINVAL;
}

/*
 * Check the slots before the remote segments of an atomic operation, @nslots in all, and take the
 * segments of its results. Return: 0, -EINVAL, -EFAULT.
 */
static int weft_ring_atomic(const struct weft_ring *r, const struct weft_sqe *s, u32 nslots,
			    struct weft_sq_entry *e)
{
	u32 ncmp = WEFT_ATOMIC_NCMP(s->data), nres = WEFT_ATOMIC_NRES(s->data), at = 1;
	u8 kind = WEFT_ATOMIC_KIND(s->data);
	u32 bytes = weft_sq_operands(e);

	if (s->data >> 40 || kind > WEFT_ATOMIC_COMPARE || nres > WEFT_IOV_MAX || !s->len)
		return -EINVAL;
	if (kind == WEFT_ATOMIC_BASE ? nres : !nres)
		return -EINVAL;
	if (e->inl || !bytes) {
		if (s->niov || ncmp || s->addr)
			return -EINVAL;
		at += DIV_ROUND_UP(bytes, WEFT_SLOT_SIZE);
	} else {
		if (!s->niov || s->niov > WEFT_IOV_MAX || (s->niov > 1 && s->addr))
			return -EINVAL;
		if (ncmp > WEFT_IOV_MAX || (kind == WEFT_ATOMIC_COMPARE ? !ncmp : ncmp))
			return -EINVAL;
		at += (s->niov > 1 ? weft_ring_seg_slots(s->niov) : 0) + weft_ring_seg_slots(ncmp);
	}
	if (nslots != at + weft_ring_seg_slots(nres))
		return -EINVAL;
	return weft_ring_segs(r, at, nres, nres ? s->len : 0, &e->vec);
}

/*
 * Check an atomic operation of the most frequent form: one element, operands in the ring, results
 * in one segment, one remote segment. It has three slots. Return: true: it is decoded; false: it
 * has another form, or is refused.
 */
static bool weft_ring_fetch(const struct weft_ring *r, bool msg, const struct weft_sqe *s,
			    struct weft_sq_entry *e)
{
	const u16 flags = WEFT_SQ_INLINE | WEFT_SQ_COMPLETION | WEFT_SQ_MORE;
	struct weft_iov *seg = &e->vec.seg[0];

	if (s->nslots != 3 || !e->inl || s->flags & ~flags || s->nrem != 1 || s->niov | s->addr ||
	    !s->len || s->len > sizeof(u64) || s->data >> 40 ||
	    WEFT_ATOMIC_KIND(s->data) == WEFT_ATOMIC_BASE ||
	    WEFT_ATOMIC_KIND(s->data) > WEFT_ATOMIC_COMPARE || WEFT_ATOMIC_NRES(s->data) != 1 ||
	    WEFT_ATOMIC_NCMP(s->data) || WEFT_ATOMIC_OP(s->data) == WEFT_AOP_READ ||
	    (msg && s->dst))
		return false;
	weft_ring_seg(r, 2, 0, seg);
	if (seg->len != s->len || seg->addr + seg->len < seg->addr)
		return false;
	e->vec.n = 1;
	e->nrem = 1;
	e->flags |= WEFT_SQ_DELIVERY;
	e->rem[0].key = s->tag;
	e->rem[0].addr = s->raddr;
	e->rem[0].len = s->len;
	e->tag = 0;
	return true;
}

/* Check a one-sided operation with the first slot @s. Return: 0, negative errno. */
static int weft_ring_rma_check(const struct weft_ring *r, bool msg, const struct weft_sqe *s,
			       struct weft_sq_entry *e)
{
	const u32 per = WEFT_SLOT_SIZE / sizeof(struct weft_rma_iov);
	u16 flags = WEFT_SQ_COMPLETION | WEFT_SQ_TRANSMIT | WEFT_SQ_DELIVERY | WEFT_SQ_MORE |
		    (r->known & WEFT_SQ_FENCE);
	bool atomic = s->op == WEFT_SQ_ATOMIC;
	u64 most = min_t(u64, r->longest, WEFT_MSG_MAX);
	u8 nslots;
	int err;

	if (atomic && likely(weft_ring_fetch(r, msg, s, e)))
		return 0;
	if (s->op == WEFT_SQ_WRITE)
		flags |= WEFT_SQ_INLINE | WEFT_SQ_DATA;
	else if (atomic)
		flags |= WEFT_SQ_INLINE;
	if (s->flags & ~flags || (!(s->flags & WEFT_SQ_DATA) && s->data && !atomic) ||
	    (msg && s->dst))
		return -EINVAL;
	if (s->len > (atomic ? WEFT_ATOMIC_MAX_BYTES : e->inl ? WEFT_INLINE_MAX : most) ||
	    (atomic && e->inl && weft_sq_operands(e) > WEFT_INLINE_MAX))
		return -EMSGSIZE;
	if (s->nrem > WEFT_IOV_MAX || (!s->nrem && s->len))
		return -EINVAL;
	nslots = s->nrem > 1 ? DIV_ROUND_UP(s->nrem, per) : 0;
	if (nslots >= s->nslots)
		return -EINVAL;
	if (atomic)
		err = weft_ring_atomic(r, s, s->nslots - nslots, e);
	else if (e->inl)
		err = s->niov || s->addr ||
		      s->nslots - nslots != 1 + DIV_ROUND_UP(s->len, WEFT_SLOT_SIZE) ? -EINVAL : 0;
	else
		err = weft_ring_vec(r, s->nslots - nslots, s->niov, s->addr, s->len, &e->vec);
	if (err)
		return err;
	e->nrem = s->nrem;
	e->flags |= WEFT_SQ_DELIVERY;
	return weft_ring_remote(r, s, nslots, e);
}

/* Check a send with the first slot @s. Return: 0, negative errno. */
static int weft_ring_sq_check(const struct weft_ring *r, bool msg, const struct weft_sqe *s,
			      struct weft_sq_entry *e)
{
	if (s->op != WEFT_SQ_SEND && s->op != WEFT_SQ_TSEND)
		return r->rma && s->op <= WEFT_SQ_ATOMIC && weft_sq_is_rma(s->op) ?
			       weft_ring_rma_check(r, msg, s, e) : -EOPNOTSUPP;
	if (s->flags & ~r->known || s->nrem || s->raddr)
		return -EINVAL;
	if ((s->op == WEFT_SQ_SEND && s->tag) || (!(s->flags & WEFT_SQ_DATA) && s->data) ||
	    (msg && s->dst))
		return -EINVAL;
	if (s->len > (e->inl ? WEFT_INLINE_MAX : r->longest))
		return -EMSGSIZE;
	if (!e->inl)
		return weft_ring_vec(r, s->nslots, s->niov, s->addr, s->len, &e->vec);
	if (s->niov || s->addr || s->nslots != 1 + DIV_ROUND_UP(s->len, WEFT_SLOT_SIZE))
		return -EINVAL;
	return 0;
}

/**
 * weft_ring_sq - decode the send at the consumer index
 * @r: the ring
 * @msg: the endpoint is of type MSG
 * @e: out: the send
 *
 * The caller continues with weft_ring_payload() and weft_ring_next().
 *
 * Return: WEFT_RING_OK, WEFT_RING_EMPTY, WEFT_RING_BAD (nslots, context, op, err are valid),
 * WEFT_RING_CORRUPT.
 */
int weft_ring_sq(const struct weft_ring *r, bool msg, struct weft_sq_entry *e)
{
	const struct weft_sqe *s = (const struct weft_sqe *)e->slot;

	if (r->prod == r->cons)
		return WEFT_RING_EMPTY;
	weft_ring_slot(r, r->cons, e->slot);
	if (!weft_ring_whole(r, s->nslots))
		return WEFT_RING_CORRUPT;
	e->nslots = s->nslots;
	e->op = s->op == WEFT_SQ_ATOMIC && WEFT_ATOMIC_KIND(s->data) != WEFT_ATOMIC_BASE ?
		WEFT_SQ_FETCH : s->op;
	e->inl = s->flags & WEFT_SQ_INLINE;
	e->flags = s->flags;
	e->dst = s->dst;
	e->context = s->context;
	e->tag = s->tag;
	e->data = s->data;
	e->len = s->len;
	e->vec.n = 0;
	e->vec.len = s->len;
	e->nrem = 0;
	e->err = -weft_ring_sq_check(r, msg, s, e);
	return e->err ? WEFT_RING_BAD : WEFT_RING_OK;
}

/**
 * weft_ring_payload - copy the payload in the ring behind a send
 * @r: the ring; its consumer index is at that send
 * @e: the send, with @inl
 * @dst: buffer of e->len bytes
 */
void weft_ring_payload(const struct weft_ring *r, const struct weft_sq_entry *e, void *dst)
{
	weft_ring_bytes(r, (u32)e->len, dst);
}

/**
 * weft_ring_bytes - copy bytes in the ring behind the first slot of an entry
 * @r: the ring; its consumer index is at the entry
 * @len: bytes, at most WEFT_INLINE_MAX
 * @dst: buffer
 */
void weft_ring_bytes(const struct weft_ring *r, u32 len, void *dst)
{
	u32 at = (r->cons + 1) & (r->size - 1);
	u32 n = min_t(u32, len, (r->size - at) * WEFT_SLOT_SIZE);

	memcpy(dst, (const u8 *)r->slots + (size_t)at * WEFT_SLOT_SIZE, n);
	memcpy((u8 *)dst + n, r->slots, len - n);
}

/* Check an entry of a receive ring with the first slot @s. Return: 0, negative errno. */
static int weft_ring_rq_check(const struct weft_ring *r, bool msg, const struct weft_rqe *s,
			      struct weft_rq_entry *e)
{
	u16 announce = r->announce ? WEFT_RQ_ANNOUNCE : 0, flags = WEFT_RQ_COMPLETION | announce;
	bool tag = false, bare = false, multi = false, part = s->flags & announce;

	/* the most frequent form needs no further check */
	if (likely(s->op == WEFT_RQ_TRECV && !(s->flags & ~WEFT_RQ_COMPLETION) && !r->keys &&
		   !(s->part | s->rsvd2) && (!msg || s->src == WEFT_SRC_ANY)))
		return weft_ring_vec(r, s->nslots, s->niov, s->addr, s->len, &e->vec);
	switch (s->op) {
	case WEFT_RQ_RECV:
		flags |= WEFT_RQ_MULTI;
		multi = s->flags & WEFT_RQ_MULTI;
		if (multi && (part || s->niov != 1 || !s->len || s->ignore > s->len))
			return -EINVAL;
		break;
	case WEFT_RQ_TRECV:
		tag = true;
		break;
	case WEFT_RQ_PEEK:
		tag = true;
		flags = WEFT_RQ_COMPLETION | WEFT_RQ_KEEP | WEFT_RQ_DROP;
		if ((s->flags & WEFT_RQ_KEEP) && (s->flags & WEFT_RQ_DROP))
			return -EINVAL;
		break;
	case WEFT_RQ_CLAIM:
		part = false;
		break;
	case WEFT_RQ_DISCARD:
		part = false;
		bare = true;
		break;
	case WEFT_RQ_CANCEL:
		bare = true;
		flags = 0;
		break;
	case WEFT_RQ_REGION:
		tag = true;
		if (s->niov > WEFT_KEYS_MAX)
			return -EINVAL;
		break;
	default:
		return -EOPNOTSUPP;
	}
	if (s->op == WEFT_RQ_REGION ? !r->keys : r->keys)
		return -EOPNOTSUPP;
	if (s->flags & ~flags || s->part > (part ? s->len : 0) || s->rsvd2)
		return -EINVAL;
	if ((!tag && !multi && s->ignore) || (!tag && s->op != WEFT_RQ_CANCEL && s->tag))
		return -EINVAL;
	if (bare)
		return s->nslots != 1 || s->addr || s->len || s->niov ? -EINVAL : 0;
	if ((msg || s->op == WEFT_RQ_CLAIM) && s->src != WEFT_SRC_ANY)
		return -EINVAL;
	return weft_ring_vec(r, s->nslots, s->niov, s->addr, s->len, &e->vec);
}

/**
 * weft_ring_rq - decode the entry at the consumer index of a receive ring
 * @r: the ring
 * @msg: the endpoint is of type MSG
 * @e: out: the entry
 *
 * The caller continues with weft_ring_next().
 *
 * Return: WEFT_RING_OK, WEFT_RING_EMPTY, WEFT_RING_BAD (nslots, context, tag, tagged, err are
 * valid), WEFT_RING_CORRUPT.
 */
int weft_ring_rq(const struct weft_ring *r, bool msg, struct weft_rq_entry *e)
{
	const struct weft_rqe *s = (const struct weft_rqe *)e->slot;

	if (r->prod == r->cons)
		return WEFT_RING_EMPTY;
	weft_ring_slot(r, r->cons, e->slot);
	if (!weft_ring_whole(r, s->nslots))
		return WEFT_RING_CORRUPT;
	e->nslots = s->nslots;
	e->op = s->op;
	e->tagged = s->op >= WEFT_RQ_TRECV && s->op <= WEFT_RQ_DISCARD;
	e->flags = s->flags;
	e->src = s->src;
	e->context = s->context;
	e->tag = s->tag;
	e->ignore = s->ignore;
	e->part = s->part;
	e->vec.n = 0;
	e->vec.len = 0;
	e->err = -weft_ring_rq_check(r, msg, s, e);
	if (unlikely(e->err))
		e->flags &= WEFT_RQ_COMPLETION | (r->announce ? WEFT_RQ_ANNOUNCE : 0);
	return e->err ? WEFT_RING_BAD : WEFT_RING_OK;
}
