// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_run.c - sends in a row share notify calls
 *
 * A program that posts several sends before it looks at a queue is in a run. A run ends when the
 * sending thread looks at any queue or counter, or when any thread reads a completion of the
 * endpoint. The first sends of a run are notified one by one, so that a lone message never waits.
 * Then the kernel is asked to time the send ring (WEFT_NOTIFY_TIMED), and the library keeps sends:
 * their doorbell is stored, but the kernel is not notified. They leave together, when
 *
 * - WEFT_FI_RUN_KEPT of them, or WEFT_FI_RUN_BYTES, have gathered,
 * - the program reads, waits on or polls a queue or counter of the endpoint, or ends it,
 * - the program posts a send that is not in a run, or is longer than WEFT_FI_RUN_LONG, or
 * - the kernel's timer expires, after WEFT_TIMED_US.
 *
 * So a run costs one system call, and of short messages one packet, for several messages. While an
 * engine polls, nothing is kept.
 *
 * Locks: the sending half's; weft_fi_run_end() takes it.
 */
#include "weft_fast.h"

#define WEFT_FI_RUN_ALONE	2	/* sends of a run that are notified one by one */
#define WEFT_FI_RUN_KEPT	16	/* sends that are kept until the kernel is notified */
#define WEFT_FI_RUN_BYTES	40960	/* the same in bytes: less than a window of packets */
#define WEFT_FI_RUN_LONG	16384	/* bytes of the longest send that is kept */

static const uint32_t weft_fi_run_none;

_Thread_local uint32_t weft_fi_looks;

static const uint32_t *weft_fi_run_read(const struct weft_fi_half *half)
{
	return half->cq ? &half->cq->cq->head : &weft_fi_run_none;
}

/* A half of an endpoint has been started or stopped. */
void weft_fi_run_on(struct weft_fi_ep *ep)
{
	ep->run.on = ep->tx.on && ep->cm.ep->ctx->timed;
	/* a program that answers messages reads this one */
	ep->run.read[0] = weft_fi_run_read(&ep->rx);
	ep->run.read[1] = weft_fi_run_read(&ep->tx);
}

/* weft_fi_run_look(), inlined */
WEFT_INLINED bool weft_fi_run_is(struct weft_fi_run *run)
{
	uint32_t tx = lw_load(run->read[1]);

	if (run->at != run->also[0] || tx != run->also[1]) {
		run->also[0] = run->at;
		run->also[1] = tx;
		run->n = 0;
	}
	return ++run->n >= WEFT_FI_RUN_ALONE && run->on;
}

/*
 * The thread has not looked at a queue since the last send, and the first index is unchanged.
 * Return: true if that is true of several sends, and of the second index.
 */
bool weft_fi_run_look(struct weft_fi_run *run)
{
	return weft_fi_run_is(run);
}

static void weft_fi_run_keep(struct weft_fi_run *run, uint32_t kept, size_t bytes)
{
	__atomic_store_n(&run->kept, kept, __ATOMIC_RELAXED);
	run->bytes = bytes;
}

/*
 * Have the next read of the half's queue end the run. The store is unconditional: a read that
 * clears this mark sees what was kept before. An older mark would not promise that.
 */
static void weft_fi_run_mark(struct weft_fi_half *half)
{
	if (half->cq)
		atomic_fetch_or(&half->cq->slow, WEFT_FI_CQ_DEFERRED);
}

/* weft_fi_run_posted(), inlined. @q: the send ring */
WEFT_INLINED void weft_fi_run_put(struct weft_fi_ep *ep, struct lw_queue *q, size_t len)
{
	struct weft_fi_run *run = &ep->run;
	uint32_t kept = run->kept + 1, flags;
	size_t bytes = run->bytes + len;

	lw_publish(q);
	lw_full_barrier();				/* E: doorbell before flags */
	flags = lw_load(q->flags);
	if (flags & WEFT_ST_SQ_TIMED && kept < WEFT_FI_RUN_KEPT && bytes < WEFT_FI_RUN_BYTES &&
	    len <= WEFT_FI_RUN_LONG) {
		weft_fi_run_keep(run, kept, bytes);
		/* the end of the run takes those that follow, too */
		if (kept == 1) {
			weft_fi_run_mark(&ep->tx);
			weft_fi_run_mark(&ep->rx);
		}
		return;
	}
	weft_fi_run_keep(run, 0, 0);
	/* else an engine polls */
	if (flags & q->notify_if)
		lw_notify(q->fd, q->seek, q->handle,
			  len <= WEFT_FI_RUN_LONG ? WEFT_NOTIFY_TIMED : WEFT_NOTIFY_SQ);
}

/**
 * weft_fi_run_posted() - a send of a run is in the ring: keep it, or notify the kernel
 * @ep: endpoint; its sending half is locked
 * @len: bytes of the send
 */
void weft_fi_run_posted(struct weft_fi_ep *ep, size_t len)
{
	weft_fi_run_put(ep, &ep->cm.ep->sq, len);
}

/**
 * weft_fi_run_post() - post an entry of the fast path: as one of a run, if it is one
 * @ep: endpoint; its sending half is locked
 * @len: bytes of the send, without FI_MORE, which is before the tail
 *
 * The thread has not looked at a queue since the last send.
 * Return: 0
 */
ssize_t weft_fi_run_post(struct weft_fi_ep *ep, size_t len)
{
	struct lw_queue *q = &ep->cm.ep->sq;

	if (!weft_fi_run_is(&ep->run))
		return lw_flush(q);
	weft_fi_run_put(ep, q, len);
	return 0;
}

/**
 * weft_fi_run_end() - notify the kernel of sends that are kept, if any
 * @ep: endpoint; neither half is locked
 */
void weft_fi_run_end(struct weft_fi_ep *ep)
{
	struct lw_queue *q = &ep->cm.ep->sq;

	if (weft_likely(!lw_load(&ep->run.kept)))
		return;
	weft_fi_lock(&ep->tx.lock);
	weft_fi_run_keep(&ep->run, 0, 0);
	ep->run.n = 0;
	/* the timer may have made them leave */
	if (lw_load(q->khead) != q->tail)
		lw_queue_notify(q);
	weft_fi_unlock(&ep->tx.lock);
}
