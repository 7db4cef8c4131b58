// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_cq.c - completion queues: conversion of the kernel's entries to the program's format
 *
 * Entries are read in place, in the ring. A failed operation stays at the head until
 * fi_cq_readerr() fetches it. Each read of or wait on the queue notifies operations deferred by
 * FI_MORE.
 */
#include "../libweft/take.h"
#include "weft_fi.h"

#define WEFT_FI_CQ_MIN		64	/* minimum number of slots */

/* by WEFT_CQE_SEND, _TAGGED and _DATA; only receives have remote data */
static const uint64_t weft_fi_cq_flags[8] = {
	[0] = FI_RECV | FI_MSG,
	[WEFT_CQE_SEND] = FI_SEND | FI_MSG,
	[WEFT_CQE_TAGGED] = FI_RECV | FI_TAGGED,
	[WEFT_CQE_SEND | WEFT_CQE_TAGGED] = FI_SEND | FI_TAGGED,
	[WEFT_CQE_DATA] = FI_RECV | FI_MSG | FI_REMOTE_CQ_DATA,
	[WEFT_CQE_DATA | WEFT_CQE_SEND] = FI_SEND | FI_MSG,
	[WEFT_CQE_DATA | WEFT_CQE_TAGGED] = FI_RECV | FI_TAGGED | FI_REMOTE_CQ_DATA,
	[WEFT_CQE_DATA | WEFT_CQE_SEND | WEFT_CQE_TAGGED] = FI_SEND | FI_TAGGED,
};

/* Of a one-sided operation. Without WEFT_CQE_SEND it is a peer's write with remote CQ data. */
static uint64_t weft_fi_cqe_rma_flags(const struct weft_cqe *cqe)
{
	if (!(cqe->flags & WEFT_CQE_SEND))
		return FI_RMA | FI_REMOTE_WRITE | FI_REMOTE_CQ_DATA;
	return (cqe->flags & WEFT_CQE_ATOMIC ? FI_ATOMIC : FI_RMA) |
	       (cqe->flags & WEFT_CQE_READ ? FI_READ : FI_WRITE);
}

static uint64_t weft_fi_cqe_flags(const struct weft_cqe *cqe)
{
	uint64_t flags = weft_fi_cq_flags[cqe->flags & 7];

	if (weft_likely(!(cqe->flags & (WEFT_CQE_MULTI | WEFT_CQE_GROUP | WEFT_FI_CQE_SLOT |
					WEFT_FI_CQE_RMA))))
		return flags;
	if (cqe->flags & WEFT_FI_CQE_RMA)
		return weft_fi_cqe_rma_flags(cqe);
	if (cqe->flags & WEFT_CQE_GROUP)
		flags |= FI_MULTICAST;
	if (!(cqe->flags & (WEFT_CQE_MULTI | WEFT_FI_CQE_SLOT)))
		return flags;
	if (cqe->flags & WEFT_CQE_ANNOUNCE)
		return cqe->olen ? flags | FI_MORE : flags;
	if (cqe->flags & WEFT_CQE_CLAIM)
		return flags | FI_CLAIM;
	return cqe->flags & WEFT_CQE_RELEASE ? FI_MULTI_RECV : flags | FI_MULTI_RECV;
}

static void *weft_fi_cqe_context(const struct weft_cqe *cqe)
{
	return (void *)(uintptr_t)cqe->context;
}

static void *weft_fi_put_context(void *buf, const struct weft_cqe *cqe)
{
	struct fi_cq_entry *e = buf;

	e->op_context = weft_fi_cqe_context(cqe);
	return e + 1;
}

static void *weft_fi_put_msg(void *buf, const struct weft_cqe *cqe)
{
	struct fi_cq_msg_entry *e = buf;

	e->op_context = weft_fi_cqe_context(cqe);
	e->flags = weft_fi_cqe_flags(cqe);
	e->len = cqe->len;
	return e + 1;
}

static void *weft_fi_put_data(void *buf, const struct weft_cqe *cqe)
{
	struct fi_cq_data_entry *e = buf;

	e->op_context = weft_fi_cqe_context(cqe);
	e->flags = weft_fi_cqe_flags(cqe);
	e->len = cqe->len;
	e->buf = (void *)(uintptr_t)cqe->buf;
	e->data = cqe->data;
	return e + 1;
}

/* Write an entry in the longest format. @flags: as weft_fi_cqe_flags() */
WEFT_INLINED void weft_fi_cqe_put(struct fi_cq_tagged_entry *e, const struct weft_cqe *cqe,
				  uint64_t flags)
{
	e->op_context = weft_fi_cqe_context(cqe);
	e->flags = flags;
	e->len = cqe->len;
	e->buf = (void *)(uintptr_t)cqe->buf;
	e->data = cqe->data;
	e->tag = cqe->tag;
}

static void *weft_fi_put_tagged(void *buf, const struct weft_cqe *cqe)
{
	struct fi_cq_tagged_entry *e = buf;

	weft_fi_cqe_put(e, cqe, weft_fi_cqe_flags(cqe));
	return e + 1;
}

/* eps_lock is held. Return: the half of a completion, NULL: it is no longer bound. */
static struct weft_fi_half *weft_fi_cqe_half(struct weft_fi_cq *cq, const struct weft_cqe *cqe)
{
	struct weft_fi_half *half;

	for (half = cq->halves; half; half = half->next)
		if ((uint16_t)weft_ep_handle(half->ep->cm.ep) == cqe->ep)
			break;
	return half;
}

/*
 * Return: the source of a message, if the endpoint's vector is shared or has bits for contexts.
 * Another process may have inserted a sender that this process's kernel vector lacks. The source of
 * the next message is known then.
 */
static fi_addr_t weft_fi_cqe_source(struct weft_fi_cq *cq, const struct weft_cqe *cqe)
{
	fi_addr_t src = FI_ADDR_NOTAVAIL;
	struct weft_fi_half *half;
	struct weft_fi_av *av;

	pthread_mutex_lock(&cq->eps_lock);
	half = weft_fi_cqe_half(cq, cqe);
	av = half ? half->ep->av : NULL;
	if (cqe->src != WEFT_SRC_ANY)
		src = av ? cqe->src % weft_fi_av_most(av->bits) : cqe->src;
	else if (av && av->shared)
		weft_fi_share_sync(av);
	pthread_mutex_unlock(&cq->eps_lock);
	return src;
}

/* Convert a completion of an endpoint that may be in prefix mode. */
static void weft_fi_cqe_slow(struct weft_fi_cq *cq, struct weft_cqe *cqe)
{
	struct weft_fi_half *half;

	pthread_mutex_lock(&cq->eps_lock);
	half = weft_fi_cqe_half(cq, cqe);
	if (half && half->ep->prefix)
		weft_fi_slow_cqe(cqe, half->ep->prefix);
	pthread_mutex_unlock(&cq->eps_lock);
}

static fi_addr_t weft_fi_cqe_src(struct weft_fi_cq *cq, const struct weft_cqe *cqe)
{
	if (cqe->flags & WEFT_CQE_SEND)
		return FI_ADDR_NOTAVAIL;
	if (weft_unlikely(atomic_load_explicit(&cq->look, memory_order_relaxed)))
		return weft_fi_cqe_source(cq, cqe);
	return cqe->src == WEFT_SRC_ANY ? FI_ADDR_NOTAVAIL : cqe->src;
}

/* Notify the entries that FI_MORE deferred in the queue's endpoints, and end runs of sends. */
static void weft_fi_cq_flush(struct weft_fi_cq *cq)
{
	struct weft_fi_half *half;

	weft_fi_looks++;
	if (!weft_fi_cq_is(cq, WEFT_FI_CQ_DEFERRED))
		return;
	/* what was kept before it was set is seen below */
	atomic_fetch_and(&cq->slow, ~WEFT_FI_CQ_DEFERRED);
	pthread_mutex_lock(&cq->eps_lock);
	for (half = cq->halves; half; half = half->next)
		weft_fi_half_flush(half);
	pthread_mutex_unlock(&cq->eps_lock);
}

static bool weft_fi_cq_any(const struct weft_fi_cq *cq)
{
	return weft_cq_pending(cq->cq, weft_cq_seen(cq->cq));
}

/* The lock is held. The queue is empty, or its first entry is of a failed operation. */
static ssize_t weft_fi_cq_none(const struct weft_fi_cq *cq, const struct weft_cqe *cqe)
{
	int err = cqe ? -FI_EAVAIL : lw_cq_failed(cq->cq);

	return err ? err : -FI_EAGAIN;
}

/*
 * The lock is held. Return: the first entry that the program sees, from @cqe on. @cqe may be NULL.
 */
static inline const struct weft_cqe *weft_fi_cq_pass(struct weft_fi_cq *cq,
						     const struct weft_cqe *cqe)
{
	while (cqe && weft_unlikely(cqe->flags & WEFT_FI_CQE_SLOT) && weft_fi_buf_hides(cqe)) {
		cqe = lw_cq_next(cq->cq);
		lw_cq_give_back(cq->cq);
	}
	if (weft_unlikely(cq->left) && !cqe && !lw_cq_failed(cq->cq))
		weft_fi_buf_forget(cq);
	return cqe;
}

/* Write an entry in the queue's format. The most frequent format is called directly. */
static inline void *weft_fi_cq_put(struct weft_fi_cq *cq, void *buf, const struct weft_cqe *cqe)
{
	return cq->put == weft_fi_put_tagged ? weft_fi_put_tagged(buf, cqe) : cq->put(buf, cqe);
}

/* The lock is held. Write an entry of a slot in the queue's format. */
static __attribute__((noinline)) void *weft_fi_cq_put_slot(struct weft_fi_cq *cq, void *buf,
							   const struct weft_cqe *cqe)
{
	struct weft_cqe shown = *cqe;

	weft_fi_buf_show(&shown);
	weft_fi_buf_take(cqe);
	return cq->put(buf, &shown);
}

/* The lock is held. */
static inline ssize_t weft_fi_cq_take(struct weft_fi_cq *cq, void *buf, size_t count,
				      fi_addr_t *src)
{
	bool odd = weft_fi_cq_is(cq, WEFT_FI_CQ_ODD);
	const struct weft_cqe *cqe;
	size_t done = 0;

	if (weft_unlikely(!count))
		return weft_fi_cq_any(cq) ? 0 : -FI_EAGAIN;
	if (weft_unlikely(!buf))
		return weft_fi_fail(FI_LOG_CQ, -FI_EINVAL, "a read needs room for completions");
	cqe = weft_fi_cq_pass(cq, lw_cq_peek(cq->cq));
	if (!cqe || weft_unlikely(cqe->status))
		return weft_fi_cq_none(cq, cqe);
	do {
		if (weft_unlikely(cqe->flags & WEFT_FI_CQE_SLOT)) {
			buf = weft_fi_cq_put_slot(cq, buf, cqe);
		} else if (weft_unlikely(odd)) {
			struct weft_cqe copy = *cqe;

			weft_fi_cqe_slow(cq, &copy);
			buf = cq->put(buf, &copy);
		} else {
			buf = weft_fi_cq_put(cq, buf, cqe);
		}
		if (src)
			src[done] = weft_fi_cqe_src(cq, cqe);
		done++;
		cqe = weft_fi_cq_pass(cq, lw_cq_next(cq->cq));
	} while (cqe && done < count && !cqe->status);
	lw_cq_give_back(cq->cq);
	return done;
}

static inline ssize_t weft_fi_cq_try(struct weft_fi_cq *cq, void *buf, size_t count,
				     fi_addr_t *src, uint32_t *seen)
{
	ssize_t ret;

	weft_fi_cq_flush(cq);
	weft_fi_lock(&cq->lock);
	ret = weft_fi_cq_take(cq, buf, count, src);
	if (seen)
		*seen = weft_cq_seen(cq->cq);
	weft_fi_unlock(&cq->lock);
	return ret;
}

static __attribute__((noinline)) ssize_t weft_fi_cq_readfrom(struct fid_cq *fid, void *buf,
							     size_t count, fi_addr_t *src)
{
	return weft_fi_cq_try(weft_container(fid, struct weft_fi_cq, fid), buf, count, src, NULL);
}

/* flags of messages that need no slow path, and of all entries that weft_fi_cq_fast() handles */
#define WEFT_FI_CQE_PLAIN (WEFT_CQE_SEND | WEFT_CQE_TAGGED | WEFT_CQE_DATA | WEFT_CQE_INLINE | \
			   WEFT_CQE_SOLICITED)
#define WEFT_FI_CQE_FAST (WEFT_FI_CQE_PLAIN | WEFT_FI_CQE_RMA | WEFT_CQE_ATOMIC)

/* Return: true if an entry is of a success, and has no other flags than @flags. */
WEFT_INLINED bool weft_fi_cqe_only(const struct weft_cqe *cqe, uint16_t flags)
{
	return weft_likely(!(cqe->status | (cqe->flags & ~flags)));
}

/* Return: true if payload behind the entry at @head has not been copied yet. */
WEFT_INLINED bool weft_fi_cqe_pays(const struct weft_cq *q, uint32_t head,
				   const struct weft_cqe *cqe)
{
	return cqe->flags & WEFT_CQE_INLINE && (int32_t)(head - q->settled) >= 0;
}

/*
 * Fast path for the longest format: as weft_fi_cq_take(), up to the first entry that needs the slow
 * path. @done: entries that have been read before. Return: number of entries, with @done.
 */
static __attribute__((noinline)) size_t weft_fi_cq_fast(struct weft_fi_cq *cq,
							struct fi_cq_tagged_entry *e,
							size_t count, size_t done)
{
	struct weft_cq *q = cq->cq;
	uint32_t head = q->head, tail = q->tail;
	const struct weft_cqe *cqe;

	while (done < count) {
		if (head == tail) {
			tail = lw_load_acquire(&q->status->tail); /* C: before the entry */
			if (head == tail)
				break;
		}
		cqe = &q->ring[head & q->mask];
		if (!weft_fi_cqe_only(cqe, WEFT_FI_CQE_FAST))
			break;
		if (weft_fi_cqe_pays(q, head, cqe) && !lw_copy_slot(q, head, cqe))
			lw_copy_inline(q, head, cqe);
		weft_fi_cqe_put(e++, cqe, weft_likely(!(cqe->flags & WEFT_FI_CQE_RMA)) ?
				weft_fi_cq_flags[cqe->flags & 7] : weft_fi_cqe_rma_flags(cqe));
		head += cqe->nslots;
		done++;
	}
	q->tail = tail;
	if (!done)
		return 0;
	q->head = head;
	lw_cq_give_back(q);
	return done;
}

/* An entry was read, and the kernel wants to know of free slots. Return: 1 */
static __attribute__((noinline)) ssize_t weft_fi_cq_tell(const struct weft_cq *q)
{
	lw_ioctl(q->fd, WEFT_IOC_CQ_NOTIFY, NULL);
	return 1;
}

/* Return: true if weft_fi_cq_fast() may read into @buf. */
static inline bool weft_fi_cq_is_fast(const struct weft_fi_cq *cq, const void *buf)
{
	return weft_likely(buf) && !weft_fi_cq_is(cq, ~0u);
}

/*
 * Read the entry @cqe at the head, and more. @paid: its payload has been copied just now. Return:
 * as the read.
 */
WEFT_INLINED ssize_t weft_fi_cq_one(struct weft_fi_cq *cq, void *buf, size_t count,
				    const struct weft_cqe *cqe, bool paid)
{
	struct weft_cq *q = cq->cq;

	weft_fi_cqe_put(buf, cqe, weft_fi_cq_flags[cqe->flags & 7]);
	q->head += cqe->nslots;
	/* lw_cq_free() need not compare */
	if (paid)
		q->settled = q->head;
	if (q->head != q->tail && count > 1)
		return weft_fi_cq_fast(cq, (struct fi_cq_tagged_entry *)buf + 1, count, 1);
	return weft_unlikely(lw_cq_free(q)) ? weft_fi_cq_tell(q) : 1;
}

/* The payload of the entry at the head takes several slots. */
static __attribute__((noinline)) ssize_t weft_fi_cq_long(struct weft_fi_cq *cq, void *buf,
							 size_t count)
{
	struct weft_cq *q = cq->cq;
	const struct weft_cqe *cqe = &q->ring[q->head & q->mask];

	lw_copy_inline(q, q->head, cqe);
	return weft_fi_cq_one(cq, buf, count, cqe, true);
}

/*
 * The first entry is read here, if its payload is short. Each call is the last step, so that the
 * frequent case saves no registers.
 */
static ssize_t weft_fi_cq_read(struct fid_cq *fid, void *buf, size_t count)
{
	struct weft_fi_cq *cq = weft_container(fid, struct weft_fi_cq, fid);
	const struct weft_cqe *cqe;
	struct weft_cq *q = cq->cq;
	uint32_t head = q->head;

	if (!weft_fi_cq_is_fast(cq, buf) || weft_unlikely(!count))
		return weft_fi_cq_readfrom(fid, buf, count, NULL);
	weft_fi_looks++;
	if (head == q->tail) {
		q->tail = lw_load_acquire(&q->status->tail);	/* C: before the entry */
		/* the most frequent result of a program that polls */
		if (head == q->tail)
			return weft_likely(!lw_cq_failed(q)) ? -FI_EAGAIN :
			       weft_fi_cq_readfrom(fid, buf, count, NULL);
	}
	cqe = &q->ring[head & q->mask];
	if (!weft_fi_cqe_only(cqe, WEFT_FI_CQE_PLAIN)) {
		if (!weft_fi_cqe_only(cqe, WEFT_FI_CQE_FAST))
			return weft_fi_cq_readfrom(fid, buf, count, NULL);
		return weft_fi_cq_fast(cq, buf, count, 0);
	}
	if (!weft_fi_cqe_pays(q, head, cqe))
		return weft_fi_cq_one(cq, buf, count, cqe, false);
	if (!lw_copy_slot(q, head, cqe))
		return weft_fi_cq_long(cq, buf, count);
	return weft_fi_cq_one(cq, buf, count, cqe, true);
}

/* Report a sender that is not in the vector. @from: family 0: unknown. */
static void weft_fi_cq_err_data(struct weft_fi_cq *cq, const struct weft_sockaddr *from,
				struct fi_cq_err_entry *buf)
{
	size_t room = buf->err_data_size;

	if (!weft_fi_api_ge(cq->domain->fabric, FI_VERSION(1, 5)) || !buf->err_data)
		room = 0;
	buf->err_data_size = 0;
	if (!room)
		buf->err_data = from->family ? &cq->from : NULL;
	if (!from->family)
		return;
	buf->err_data_size = room ? room : sizeof(cq->from);
	weft_fi_addr_write(from, buf->err_data, &buf->err_data_size);
	/* a short buffer receives the front */
	if (room && buf->err_data_size > room)
		buf->err_data_size = room;
}

static ssize_t weft_fi_cq_readerr(struct fid_cq *fid, struct fi_cq_err_entry *buf,
				  uint64_t flags)
{
	struct weft_fi_cq *cq = weft_container(fid, struct weft_fi_cq, fid);
	struct weft_sockaddr from = {};
	const struct weft_cqe *entry;
	struct weft_cqe cqe;
	ssize_t ret;

	if (!buf)
		return weft_fi_fail(FI_LOG_CQ, -FI_EINVAL, "fi_cq_readerr needs room for an entry");
	weft_fi_lock(&cq->lock);
	entry = weft_fi_cq_pass(cq, lw_cq_peek(cq->cq));
	ret = weft_fi_cq_none(cq, entry);
	if (entry && !entry->status) {
		ret = -FI_EAGAIN;
	} else if (entry) {
		cqe = *entry;
		if (cqe.flags & WEFT_FI_CQE_SLOT)
			weft_fi_buf_show(&cqe);
		if (cqe.flags & WEFT_CQE_FROM)
			weft_cq_from(cq->cq, &from);
		if (!(flags & FI_PEEK)) {
			if (entry->flags & WEFT_FI_CQE_SLOT)
				weft_fi_buf_take(entry);
			lw_cq_next(cq->cq);
			lw_cq_give_back(cq->cq);
		}
	}
	weft_fi_unlock(&cq->lock);
	if (ret != -FI_EAVAIL)
		return ret;
	if (weft_fi_cq_is(cq, WEFT_FI_CQ_ODD))
		weft_fi_cqe_slow(cq, &cqe);

	buf->op_context = weft_fi_cqe_context(&cqe);
	buf->flags = weft_fi_cqe_flags(&cqe);
	buf->len = cqe.flags & WEFT_FI_CQE_RMA ? 0 : cqe.len;
	buf->buf = (void *)(uintptr_t)cqe.buf;
	buf->data = cqe.data;
	buf->tag = cqe.tag;
	buf->olen = cqe.olen;
	/* a receive that was too short; a send that is too long gets another error */
	if (cqe.status == EMSGSIZE && !(cqe.flags & WEFT_CQE_SEND))
		buf->err = FI_ETRUNC;
	else
		buf->err = cqe.status;
	buf->prov_errno = cqe.status;
	weft_fi_cq_err_data(cq, &from, buf);
#if FI_VERSION_GE(FI_VERSION(FI_MAJOR_VERSION, FI_MINOR_VERSION), FI_VERSION(1, 20))
	if (weft_fi_api_ge(cq->domain->fabric, FI_VERSION(1, 20)))
		buf->src_addr = weft_fi_cqe_src(cq, &cqe);
#endif
	return 1;
}

/* Return: minimum number of entries of a blocking read, at most @count. */
static size_t weft_fi_cq_want(const struct weft_fi_cq *cq, size_t count, const void *cond)
{
	size_t want = cq->threshold && cond ? (uintptr_t)cond : 1;

	return want < count ? want : count;
}

static ssize_t weft_fi_cq_sreadfrom(struct fid_cq *fid, void *buf, size_t count, fi_addr_t *src,
				    const void *cond, int timeout)
{
	struct weft_fi_cq *cq = weft_container(fid, struct weft_fi_cq, fid);
	size_t want = weft_fi_cq_want(cq, count, cond);
	/* the only reader, and one entry is enough: no second wait is needed */
	bool once = want <= 1 && !cq->lock.on;
	uint64_t left = timeout < 0 ? WEFT_FOREVER : (uint64_t)timeout * 1000000;
	uint64_t end = 0, now;
	size_t done = 0;
	uint32_t seen;
	ssize_t ret;
	int err;

	if (weft_unlikely(cq->wait_obj == FI_WAIT_NONE || cq->wait_obj == FI_WAIT_SET))
		return weft_fi_fail(FI_LOG_CQ, -FI_EINVAL,
				    "a queue without a wait object of its own has no blocking reads; open it with FI_WAIT_UNSPEC");
	for (;;) {
		ret = weft_fi_cq_try(cq, (char *)buf + done * cq->entry_size, count - done,
				     src ? src + done : NULL, &seen);
		if (ret > 0)
			done += ret;
		if (ret < 0 ? ret != -FI_EAGAIN : done >= want)
			return done ? (ssize_t)done : ret;
		if (!timeout)
			break;
		if (timeout > 0 && !once) {
			now = weft_fi_now_ns();
			if (!end)
				end = now + (uint64_t)timeout * 1000000;
			if (now >= end)
				break;
			left = end - now;
		}
		err = weft_cq_wait(cq->cq, seen, NULL, left);
		if (weft_unlikely(err)) {
			if (err == -EINTR || err == -ECANCELED || (err == -ETIMEDOUT && once))
				break;
			if (err != -ETIMEDOUT)
				return done ? (ssize_t)done : err;
		}
	}
	if (done)
		return done;
	return weft_fi_cq_try(cq, buf, count, src, NULL);
}

/* As weft_fi_cq_read(), and again after a wait. weft_fi_cq_sreadfrom() handles other cases. */
static ssize_t weft_fi_cq_sread(struct fid_cq *fid, void *buf, size_t count, const void *cond,
				int timeout)
{
	struct weft_fi_cq *cq = weft_container(fid, struct weft_fi_cq, fid);
	uint64_t ns = timeout < 0 ? WEFT_FOREVER : (uint64_t)timeout * 1000000;
	size_t done;
	int err;

	if (weft_fi_cq_is_fast(cq, buf) && weft_likely(cq->sleeps && count && timeout)) {
		weft_fi_looks++;
		done = weft_fi_cq_fast(cq, buf, count, 0);
		if (done)
			return done;
		err = weft_cq_wait(cq->cq, cq->cq->head, NULL, ns);
		/* do not wait again; the next call returns other errors */
		if (err == -ETIMEDOUT || err == -EINTR || err == -ECANCELED)
			timeout = 0;
		else if (weft_likely(!err))
			done = weft_fi_cq_fast(cq, buf, count, 0);
		if (done)
			return done;
	}
	return weft_fi_cq_sreadfrom(fid, buf, count, NULL, cond, timeout);
}

static int weft_fi_cq_signal(struct fid_cq *fid)
{
	struct weft_fi_cq *cq = weft_container(fid, struct weft_fi_cq, fid);

	if (cq->wait_obj == FI_WAIT_NONE)
		return weft_fi_fail(FI_LOG_CQ, -FI_EINVAL,
				    "fi_cq_signal: the queue has no wait object, nobody waits for it");
	return weft_cq_signal(cq->cq);
}

static const char *weft_fi_cq_strerror(struct fid_cq *cq, int prov_errno, const void *err_data,
				       char *buf, size_t len)
{
	return weft_fi_strerror(prov_errno, buf, len);
}

/* as weft_fi_fid_ready() */
int weft_fi_cq_ready(struct weft_fi_cq *cq)
{
	int ret;

	weft_fi_cq_flush(cq);
	weft_fi_lock(&cq->lock);
	ret = weft_fi_cq_any(cq) ? -FI_EAGAIN : 0;
	weft_fi_unlock(&cq->lock);
	return ret;
}

static int weft_fi_cq_close(struct fid *fid)
{
	struct weft_fi_cq *cq = weft_container(fid, struct weft_fi_cq, fid.fid);
	bool idle = cq->halves;
	int ret;

	if (atomic_load(&cq->refs))
		return weft_fi_fail(FI_LOG_CQ, -FI_EBUSY,
				    "endpoints or poll sets use the completion queue: close them first");
	while (cq->halves)
		weft_fi_half_leave(cq->halves);
	weft_fi_set_leave(&cq->member);
	ret = weft_cq_destroy(cq->cq);
	if (ret == -EBUSY && idle)
		ret = weft_fi_left_keep(cq->domain, cq->cq, NULL);
	if (ret)
		return weft_fi_fail(FI_LOG_CQ, ret, "the completion queue is not closed: %s",
				    fi_strerror(-ret));
	weft_fi_buf_forget(cq);
	weft_fi_lock_fini(&cq->lock);
	pthread_mutex_destroy(&cq->eps_lock);
	atomic_fetch_sub(&cq->domain->refs, 1);
	free(cq);
	return 0;
}

static int weft_fi_cq_control(struct fid *fid, int command, void *arg)
{
	struct weft_fi_cq *cq = weft_container(fid, struct weft_fi_cq, fid.fid);

	return weft_fi_wait_control(cq->wait_obj, weft_cq_fd(cq->cq), command, arg);
}

static struct fi_ops weft_fi_cq_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = weft_fi_cq_close,
	.bind = weft_fi_no_bind,
	.control = weft_fi_cq_control,
	.ops_open = weft_fi_no_ops_open,
	.tostr = weft_fi_no_tostr,
	.ops_set = weft_fi_no_ops_set,
};

static struct fi_ops_cq weft_fi_cq_ops = {
	.size = sizeof(struct fi_ops_cq),
	.read = weft_fi_cq_read,
	.readfrom = weft_fi_cq_readfrom,
	.readerr = weft_fi_cq_readerr,
	.sread = weft_fi_cq_sread,
	.sreadfrom = weft_fi_cq_sreadfrom,
	.signal = weft_fi_cq_signal,
	.strerror = weft_fi_cq_strerror,
};

static int weft_fi_cq_format(struct weft_fi_cq *cq, enum fi_cq_format format)
{
	switch (format) {
	case FI_CQ_FORMAT_UNSPEC:
	case FI_CQ_FORMAT_CONTEXT:
		cq->put = weft_fi_put_context;
		cq->entry_size = sizeof(struct fi_cq_entry);
		return 0;
	case FI_CQ_FORMAT_MSG:
		cq->put = weft_fi_put_msg;
		cq->entry_size = sizeof(struct fi_cq_msg_entry);
		return 0;
	case FI_CQ_FORMAT_DATA:
		cq->put = weft_fi_put_data;
		cq->entry_size = sizeof(struct fi_cq_data_entry);
		return 0;
	case FI_CQ_FORMAT_TAGGED:
		cq->put = weft_fi_put_tagged;
		cq->entry_size = sizeof(struct fi_cq_tagged_entry);
		return 0;
	}
	return weft_fi_fail(FI_LOG_CQ, -FI_EINVAL, "%d is no format of completions", format);
}

/* Check the attributes of a queue before it is created. */
static int weft_fi_cq_init(struct weft_fi_cq *cq, const struct weft_fi_domain *dom,
			   const struct fi_cq_attr *attr, struct weft_fi_set **set)
{
	int ret;

	if (attr->flags & ~(uint64_t)FI_AFFINITY)
		return weft_fi_fail(FI_LOG_CQ, -FI_EBADFLAGS,
				    "a completion queue has no flag but FI_AFFINITY");
	if (attr->wait_cond != FI_CQ_COND_NONE && attr->wait_cond != FI_CQ_COND_THRESHOLD)
		return weft_fi_fail(FI_LOG_CQ, -FI_EINVAL, "%d is no condition of blocking reads",
				    attr->wait_cond);
	cq->threshold = attr->wait_cond == FI_CQ_COND_THRESHOLD;
	ret = weft_fi_wait_obj(attr->wait_obj, attr->wait_set, dom->fabric, &cq->wait_obj, set);
	return ret ? ret : weft_fi_cq_format(cq, attr->format);
}

static uint32_t weft_fi_cq_slots(const struct weft_fi_domain *dom, size_t size)
{
	if (!size)
		size = 2 * WEFT_FI_SIZE;
	if (size < WEFT_FI_CQ_MIN)
		size = WEFT_FI_CQ_MIN;
	return size < dom->port->q.max_ring ? size : dom->port->q.max_ring;
}

/**
 * weft_fi_cq_open() - see fi_cq_open(3)
 * @domain: open domain
 * @attr: attributes of the queue
 * @cq: out
 * @context: the program's context
 *
 * A size above the port's longest ring is reduced to that. No completion is lost, as operations
 * wait.
 *
 * Return: 0, -FI_ENOSYS (wait object), -FI_EINVAL (format, condition, wait set), -FI_EBADFLAGS,
 * -FI_ENOMEM, -errno.
 */
int weft_fi_cq_open(struct fid_domain *domain, struct fi_cq_attr *attr, struct fid_cq **cq,
		    void *context)
{
	struct weft_fi_domain *dom = weft_container(domain, struct weft_fi_domain, fid);
	struct weft_fi_set *set;
	struct weft_fi_cq *c;
	int ret;

	if (!attr || !cq)
		return weft_fi_fail(FI_LOG_CQ, -FI_EINVAL,
				    "fi_cq_open needs attributes, and room for the queue");
	c = calloc(1, sizeof(*c));
	if (!c)
		return -FI_ENOMEM;
	ret = weft_fi_cq_init(c, dom, attr, &set);
	if (ret)
		goto err_free;
	ret = weft_cq_create(dom->port->ctx, weft_fi_cq_slots(dom, attr->size), &c->cq);
	if (ret) {
		weft_fi_fail(FI_LOG_CQ, ret, "no completion queue: %s%s", fi_strerror(-ret),
			     weft_fi_limit_advice(ret));
		goto err_free;
	}
	weft_fi_fid_init(&c->fid.fid, FI_CLASS_CQ, context, &weft_fi_cq_fid_ops);
	c->fid.ops = &weft_fi_cq_ops;
	c->domain = dom;
	weft_fi_lock_init(&c->lock, dom->locking);
	if (!weft_fi_fast_paths || dom->locking || c->put != weft_fi_put_tagged)
		c->slow = WEFT_FI_CQ_OTHER;
	c->sleeps = !c->threshold && c->wait_obj != FI_WAIT_NONE && c->wait_obj != FI_WAIT_SET;
	pthread_mutex_init(&c->eps_lock, NULL);
	ret = weft_fi_set_join(set, &c->member, &c->fid.fid, weft_cq_fd(c->cq));
	if (ret)
		goto err_cq;
	atomic_fetch_add(&dom->refs, 1);
	*cq = &c->fid;
	return 0;
err_cq:
	weft_cq_destroy(c->cq);
err_free:
	free(c);
	return ret;
}
