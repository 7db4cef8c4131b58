// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - completion queues
 *
 * Locks: cq->lock protects the ring, its indices and the waiting completions. Waiters write
 * cq->armed without the lock, with full barriers on both sides: a waiter sets it and then reads the
 * tail, a writer moves the tail and then reads cq->armed.
 *
 * The slot that the reader reads next must not appear complete too early. Payload of an earlier lap
 * may look like any sequence number. So each entry clears the sequence number of the slot behind it
 * before it is published.
 *
 * A counter is a queue without a ring (size 0): cntr.c.
 */
#include "core/queue/cq.h"

/**
 * weft_cq_init - make a completion queue
 * @cq: the queue; one reference is the caller's
 * @core: its core
 * @cnt: the counters of its core
 * @slots: zeroed ring, NULL: a counter
 * @size: slots, 0 for a counter
 * @doorbell: zeroed
 * @status: zeroed
 */
void weft_cq_init(struct weft_cq *cq, struct weft_core *core, weft_counters_t cnt,
		  struct weft_cqe *slots, u32 size, const struct weft_cq_doorbell *doorbell,
		  struct weft_cq_status *status)
{
	memset(cq, 0, sizeof(*cq));
	cq->core = core;
	cq->cnt = cnt;
	weft_lock_init(&cq->lock, WEFT_RANK_QUEUE);
	refcount_set(&cq->ref, 1);
	cq->slots = slots;
	cq->size = size;
	cq->doorbell = doorbell;
	cq->status = status;
	weft_list_init(&cq->wake);
	weft_lists_init(cq->trip.list, WEFT_TRIPS);
	weft_list_init(&cq->waiting);
}

/**
 * weft_cq_get - take a reference
 * @cq: the queue
 */
void weft_cq_get(struct weft_cq *cq)
{
	refcount_inc(&cq->ref);
}

/**
 * weft_cq_put - drop a reference
 * @cq: the queue
 */
void weft_cq_put(struct weft_cq *cq)
{
	if (refcount_dec_and_test(&cq->ref))
		weft_env_free_cq(cq);
}

/* cq.h has the description. */
bool weft_cq_ask(struct weft_cq *cq, u32 n)
{
	u32 head;

	/* barrier D: slots are written after the index is read */
	head = smp_load_acquire(&cq->doorbell->head);
	if (cq->tail - head > cq->size) {
		WRITE_ONCE(cq->bad, true);
		WRITE_ONCE(cq->status->flags, cq->status->flags | WEFT_ST_CQ_ERROR);
		return true;
	}
	cq->head = head;
	return cq->tail + n - head <= cq->size;
}

static void weft_cq_flag(struct weft_cq *cq, bool on)
{
	u32 flags = cq->status->flags & ~WEFT_ST_CQ_NOTIFY;

	if (on && !cq->polled)
		flags |= WEFT_ST_CQ_NOTIFY;
	WRITE_ONCE(cq->status->flags, flags);
}

/* Copy the last @len bytes, less than a slot, and zeros behind them. */
static noinline void weft_cq_rest(void *dst, const u8 *p, u32 len)
{
	u64 *slot = dst;
	u32 i;

	memset(slot, 0, WEFT_SLOT_SIZE);
	/* word by word: most payload is shorter than the cost of a memcpy() call */
	for (i = 0; i < len / 8; i++)
		memcpy(&slot[i], p + i * 8, 8);
	if (len % 8)
		memcpy(&slot[i], p + i * 8, len % 8);
}

/* As weft_cq_payload(), for more than a slot. */
static noinline void weft_cq_several(struct weft_cq *cq, u32 index, const u8 *p, u32 len)
{
	const u32 mask = cq->size - 1;
	u32 n = len / WEFT_SLOT_SIZE, fit = min(n, cq->size - (index & mask));

	memcpy(&cq->slots[index & mask], p, fit * WEFT_SLOT_SIZE);
	/* the others are at the beginning of the ring */
	if (unlikely(fit != n))
		memcpy(cq->slots, p + fit * WEFT_SLOT_SIZE, (n - fit) * WEFT_SLOT_SIZE);
	if (len % WEFT_SLOT_SIZE)
		weft_cq_rest(&cq->slots[(index + n) & mask], p + n * WEFT_SLOT_SIZE,
			     len % WEFT_SLOT_SIZE);
}

/* cq.h has the description. Each call is the last step, so that this function saves no register. */
void weft_cq_payload(struct weft_cq *cq, u32 index, const u8 *p, u32 len)
{
	struct weft_cqe *slot = &cq->slots[index & (cq->size - 1)];

	if (len > WEFT_SLOT_SIZE)
		weft_cq_several(cq, index, p, len);
	else if (len == WEFT_SLOT_SIZE)
		/* a constant length: the compiler makes no call */
		memcpy(slot, p, WEFT_SLOT_SIZE);
	else
		weft_cq_rest(slot, p, len);
}

/* Write an entry; the queue has space for it. */
static void weft_cq_write(struct weft_cq *cq, const struct weft_cqe *e, const void *payload,
			  u32 plen)
{
	struct weft_cqe *slot;

	if (cq->bad)
		return;
	slot = weft_cq_slot(cq);
	memcpy(slot, e, offsetof(struct weft_cqe, nslots));
	weft_cq_put_entry(cq, slot, payload, plen);
	weft_cq_show(cq);
}

/* queue.h has the description. */
bool weft_cq_post(struct weft_cq *cq, const struct weft_cqe *e, const void *payload, u32 plen,
		  struct weft_ovf *ovf, struct weft_out *out)
{
	u32 n = weft_cq_slots(plen);
	bool room;

	weft_lock(&cq->lock);
	/* no further completion waits in a queue in error; those that wait are released */
	room = unlikely(cq->bad) || (weft_list_empty(&cq->waiting) && weft_cq_space(cq, n));
	if (!room && ovf && weft_list_empty(&cq->waiting)) {
		weft_cq_flag(cq, true);
		/*
		 * barrier E: a reader that frees slots now sees the flag, or its index is read here
		 */
		smp_mb();
		room = weft_cq_space(cq, n);
		if (room)
			weft_cq_flag(cq, false);
	}
	if (room) {
		weft_cq_write(cq, e, payload, plen);
		weft_cq_wake(cq, out);
	} else if (ovf) {
		WARN_ON_ONCE(ovf->waits);
		ovf->e = *e;
		ovf->payload = payload;
		ovf->plen = plen;
		ovf->waits = true;
		weft_list_add_tail(&cq->waiting, &ovf->node);
		if (!cq->nwaiting++)
			cq->full = out->now;
		weft_count(cq, cq_overflows);
	}
	weft_unlock(&cq->lock);
	return room;
}

/**
 * weft_cq_forget - take back a waiting completion
 * @cq: the queue
 * @ovf: the completion; zeroed at least
 *
 * Return: true if it was waiting; false: it never waited, or it has been written: weft_cq_notify()
 * releases its object, or has done so.
 */
bool weft_cq_forget(struct weft_cq *cq, struct weft_ovf *ovf)
{
	bool was;

	weft_lock(&cq->lock);
	was = ovf->waits;
	if (was) {
		ovf->waits = false;
		weft_list_del(&ovf->node);
		cq->nwaiting--;
		if (weft_list_empty(&cq->waiting))
			weft_cq_flag(cq, false);
	}
	weft_unlock(&cq->lock);
	return was;
}

/**
 * weft_cq_drain - write waiting completions into the ring
 * @cq: the queue, locked
 * @most: largest number
 * @done: list to which their objects are moved
 *
 * Return: number of completions written.
 */
u32 weft_cq_drain(struct weft_cq *cq, u32 most, struct weft_list *done)
{
	struct weft_list *l;
	u32 n;

	weft_assert_held(&cq->lock);
	for (n = 0; n < most; n++) {
		struct weft_ovf *ovf;

		l = weft_list_first(&cq->waiting);
		if (!l)
			break;
		ovf = weft_entry(l, struct weft_ovf, node);
		if (!weft_cq_space(cq, weft_cq_slots(ovf->plen))) {
			/* barrier E: the flag is set while completions wait */
			smp_mb();
			if (!weft_cq_space(cq, weft_cq_slots(ovf->plen)))
				break;
		}
		weft_cq_write(cq, &ovf->e, ovf->payload, ovf->plen);
		ovf->waits = false;
		weft_list_del(l);
		cq->nwaiting--;
		weft_list_add_tail(done, l);
	}
	if (weft_list_empty(&cq->waiting))
		weft_cq_flag(cq, false);
	return n;
}

/**
 * weft_cq_hot - an engine begins to poll the queue's doorbell
 * @cq: the queue
 *
 * Waiting completions may be written now: the caller calls weft_cq_notify().
 *
 * Context: any.
 * Return: true; false: the queue is in error.
 */
bool weft_cq_hot(struct weft_cq *cq)
{
	bool works;

	weft_lock(&cq->lock);
	works = !cq->bad;
	if (works) {
		cq->polled = true;
		weft_cq_flag(cq, false);
	}
	weft_unlock(&cq->lock);
	return works;
}

/**
 * weft_cq_cool - an engine stops polling the queue's doorbell
 * @cq: the queue, hot
 *
 * Context: any.
 * Return: true if a waiting completion can be written: the caller calls weft_cq_notify().
 */
bool weft_cq_cool(struct weft_cq *cq)
{
	struct weft_list *l;
	bool left = false;

	weft_lock(&cq->lock);
	cq->polled = false;
	l = weft_list_first(&cq->waiting);
	weft_cq_flag(cq, l);
	if (l) {
		/* barrier E: the flag before the doorbell */
		smp_mb();
		left = weft_cq_space(cq, weft_cq_slots(weft_entry(l, struct weft_ovf, node)->plen));
	}
	weft_unlock(&cq->lock);
	return left;
}

/**
 * weft_cq_news - does the queue have entries beyond @seen?
 * @cq: the queue
 * @seen: producer index
 *
 * Called after cq->armed has been set; the read is ordered after that store.
 * Return: true if it has, or if the queue is in error.
 */
bool weft_cq_news(struct weft_cq *cq, u32 seen)
{
	smp_mb();	/* armed before tail */
	return READ_ONCE(cq->tail) != seen || READ_ONCE(cq->bad);
}

/**
 * weft_cq_look - get the state of a queue or a counter, for the administrator
 * @cq: the queue
 * @info: out
 */
void weft_cq_look(struct weft_cq *cq, struct weft_cq_info *info)
{
	weft_lock(&cq->lock);
	*info = (struct weft_cq_info){
		.size = cq->size,
		.waiting = cq->nwaiting,
		.full = cq->full,
		.bad = cq->bad,
	};
	if (cq->size) {
		info->unread = min(cq->tail - READ_ONCE(cq->doorbell->head), cq->size);
	} else if (cq->status) {
		info->done = cq->status->done;
		info->failed = cq->status->failed;
	}
	weft_unlock(&cq->lock);
}

/**
 * weft_cq_ready - does the queue have entries beyond the user's doorbell?
 * @cq: the queue
 *
 * The read is ordered after the store of cq->armed, as in weft_cq_news().
 * Return: true if it has, or if the queue is in error.
 */
bool weft_cq_ready(struct weft_cq *cq)
{
	return weft_cq_news(cq, READ_ONCE(cq->doorbell->head));
}
