// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - execution of the requests in an output
 *
 * One round does this: paths process decisions made under endpoints' locks; copies are done and
 * their messages processed; paths that found the output full continue; packets are sent; queues are
 * woken; work is queued. Each step may add requests, so rounds repeat until nothing is left. The
 * operations under way bound the number of rounds, because no request is made twice.
 *
 * Most calls find little to do. The steps are separate functions, so that a call saves no registers
 * and uses no stack for steps without work.
 *
 * Locks: the callers hold none; the steps take the locks that they need.
 */
#include "core/api/internal.h"

static noinline void weft_flush_start(struct weft_out *out)
{
	struct weft_list *l;

	while ((l = weft_list_first(&out->start))) {
		struct weft_rxm *rxm = weft_entry(l, struct weft_rxm, rx.snode);
		struct weft_path *path = rxm->path;

		weft_list_del(l);
		weft_path_get(path);
		weft_lock(&path->lock);
		weft_rxm_start(rxm, out);
		weft_path_output(path, out);
		weft_rxm_put_spare(rxm);
		weft_unlock(&path->lock);
		weft_path_put(path);
	}
}

/* Copy from pieces in packets into kernel memory. */
static void weft_flush_gather(const struct weft_copy *c)
{
	const u8 *src = c->src;
	u8 *dst = c->dst;
	u32 left, n;

	for (left = c->len; left; left -= n, dst += n, src += n + c->skip) {
		n = min(left, c->piece);
		memcpy(dst, src, n);
	}
}

/* Do a copy. Return: 0, -EFAULT. */
static int weft_flush_copy(const struct weft_copy *c)
{
	switch (c->kind) {
	case WEFT_COPY_RX_MEM:
	case WEFT_COPY_BUF_MEM:
		return weft_mem_gather(c->mem, c->off, c->src, c->len, c->piece, c->skip);
	case WEFT_COPY_MEM_MEM:
		return weft_mem_copy(c->mem, c->off, c->smem, c->soff, c->len);
	default:
		weft_flush_gather(c);
		return 0;
	}
}

/* The lock is held over several copies, which sparse cannot follow. */
static void weft_flush_enter(struct weft_path *path)
{
	weft_path_get(path);
	weft_lock(&path->lock);
	__release(&path->lock);
}

static void weft_flush_leave(struct weft_path *path, struct weft_out *out)
{
	__acquire(&path->lock);
	weft_path_output(path, out);
	weft_unlock(&path->lock);
	weft_path_put(path);
}

static noinline void weft_flush_copies(struct weft_out *out)
{
	struct weft_path *path = NULL;
	u32 i, n = out->ncopy;

	for (i = 0; i < n; i++)
		out->copy[i].err = weft_flush_copy(&out->copy[i]);
	/* new copies are appended behind them */
	for (i = 0; i < n; i++) {
		struct weft_copy *c = &out->copy[i];
		struct weft_rxm *rxm = c->rxm;

		if (rxm->path != path) {
			if (path)
				weft_flush_leave(path, out);
			path = rxm->path;
			weft_flush_enter(path);
		}
		if (c->kind == WEFT_COPY_MEM_MEM)
			weft_mem_put(c->smem);
		weft_place_copied(c, c->err, out);
		weft_rxm_put(rxm);
	}
	if (path)
		weft_flush_leave(path, out);
	out->ncopy -= n;
	memmove(out->copy, out->copy + n, out->ncopy * sizeof(out->copy[0]));
}

static noinline void weft_flush_more(struct weft_out *out)
{
	struct weft_list todo, *l;

	weft_list_init(&todo);
	weft_list_splice_tail(&todo, &out->more);
	while ((l = weft_list_first(&todo))) {
		struct weft_path *path = weft_entry(l, struct weft_path, more);

		/* from now on another CPU may put the path on its own list */
		weft_lock(&path->lock);
		weft_list_del(l);
		path->in_more = false;
		weft_unlock(&path->lock);
		weft_path_more(path, out);
	}
}

/*
 * Another CPU may have processed an acknowledgement since the packet was put out, and the program
 * may own its memory again. Then the payload is not read, because the peer does not need it. The
 * header may be needed.
 */
static void weft_flush_stale(struct weft_tx *tx)
{
	const struct weft_rec *rec = tx->rec;
	bool over;

	if (!rec || !tx->pay || !rec->mem)
		return;
	over = READ_ONCE(rec->state) == WEFT_REC_IDLE;
	if (likely(!over && !READ_ONCE(rec->withdrawn)))
		return;
	if (over)
		tx->nseg = 1;
	tx->len = WEFT_WIRE_HDR + rec->bulk;
	tx->run = 0;
	tx->pay = 0;
	tx->last = 0;
}

static noinline void weft_flush_tx(struct weft_out *out)
{
	u32 i, n = out->ntx, packets = 0, bytes = 0;

	for (i = 0; i < n; i++)
		weft_flush_stale(&out->tx[i]);
	weft_env_tx(out->core, out->tx, n);
	for (i = 0; i < n; i++) {
		struct weft_tx *tx = &out->tx[i];

		packets += tx->nseg;
		bytes += weft_tx_size(tx);
		if (tx->rec)
			weft_rec_drop(tx->path, tx->rec, out);
		if (tx->path)
			weft_path_put(tx->path);
	}
	weft_count_add(out->core, tx_packets, packets);
	weft_count_add(out->core, tx_bytes, bytes);
	out->ntx = 0;
}

static noinline void weft_flush_wake(struct weft_out *out)
{
	struct weft_list *l;

	while ((l = weft_list_first(&out->wake))) {
		struct weft_cq *cq = weft_entry(l, struct weft_cq, wake);
		bool armed;

		weft_lock(&cq->lock);
		weft_list_del(l);
		cq->waking = false;
		/* a waiter that sets it again now is woken, too, and checks the queue again */
		armed = READ_ONCE(cq->armed);
		if (armed)
			WRITE_ONCE(cq->armed, false);
		weft_unlock(&cq->lock);
		if (armed)
			weft_env_wake_cq(cq);
		weft_cq_put(cq);
	}
	while ((l = weft_list_first(&out->wake_eq))) {
		struct weft_eq *eq = weft_entry(l, struct weft_eq, wake);

		weft_lock(&eq->lock);
		weft_list_del(l);
		eq->waking = false;
		weft_unlock(&eq->lock);
		weft_env_wake_eq(eq);
		weft_eq_put(eq);
	}
}

static noinline void weft_flush_deferred(struct weft_out *out)
{
	struct weft_list *l;

	while ((l = weft_list_first(&out->deferred))) {
		weft_list_del(l);
		weft_env_defer(weft_entry(l, struct weft_work, node));
	}
}

/* One round, without wake-ups and work. Return: true if there were requests. */
static inline bool weft_flush_round(struct weft_out *out)
{
	bool any = false;

	if (!weft_list_empty(&out->start)) {
		weft_flush_start(out);
		any = true;
	}
	if (unlikely(!weft_list_empty(&out->serve))) {
		weft_srq_flush(out);
		any = true;
	}
	if (unlikely(!weft_list_empty(&out->grant))) {
		weft_grant_flush(out);
		any = true;
	}
	if (out->ncopy) {
		weft_flush_copies(out);
		any = true;
	}
	if (out->ntx) {
		weft_flush_tx(out);
		any = true;
	}
	if (unlikely(!weft_list_empty(&out->more))) {
		weft_flush_more(out);
		any = true;
	}
	return any;
}

void weft_flush(struct weft_out *out)
{
	while (weft_flush_round(out))
		;
	if (!weft_list_empty(&out->wake) || !weft_list_empty(&out->wake_eq))
		weft_flush_wake(out);
	if (!weft_list_empty(&out->deferred))
		weft_flush_deferred(out);
}
