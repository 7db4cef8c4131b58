// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rig: processes and their objects, used as libweft uses them
 *
 * Each process is used by one thread; rig->lock covers the lists of processes.
 */
#include "core/queue/queue.h"
#include "rig.h"

/* ---- Processes ------------------------------------------------------------------- */

struct rig_proc *rig_proc_new(struct rig_node *node)
{
	struct rig_proc *proc = calloc(1, sizeof(*proc));

	proc->node = node;
	proc->mc = rig_memctx_new(proc);
	proc->next_handle = 0x10001;
	/* some tests let allocations fail */
	while (weft_domain_init(&proc->domain, &node->core, NULL))
		;
	weft_triggers_init(&proc->triggers, proc);
	pthread_mutex_lock(&node->rig->lock);
	proc->next = node->procs;
	node->procs = proc;
	pthread_mutex_unlock(&node->rig->lock);
	return proc;
}

void rig_proc_end(struct rig_proc *proc, bool killed)
{
	struct rig *rig = proc->node->rig;
	struct rig_proc **at = &proc->node->procs;
	struct weft_out *out;
	struct rig_cq *cq;
	struct rig_eq *eq;
	struct rig_av *av;

	if (killed)
		rig_memctx_die(proc->mc);
	weft_triggers_end_all(&proc->triggers);
	while (proc->eps)
		rig_ep_free(proc->eps);
	while (proc->srqs)
		rig_srq_free(proc->srqs);
	out = rig_out(proc->node);
	weft_domain_end(&proc->domain, rig_clock(proc->node), out);
	rig_leave(proc->node, out);
	weft_domain_exit(&proc->domain);
	while ((av = proc->avs)) {
		proc->avs = av->next;
		weft_av_free(av->av);
		free(av);
	}
	while ((cq = proc->cqs))
		rig_cq_free(proc, cq);
	while ((eq = proc->eqs)) {
		proc->eqs = eq->next;
		weft_eq_fini(&eq->eq);
		weft_eq_put(&eq->eq);
	}
	if (!killed)
		rig_memctx_die(proc->mc);
	weft_memctx_put(proc->mc);
	proc->mc = NULL;
	pthread_mutex_lock(&rig->lock);
	while (*at != proc)
		at = &(*at)->next;
	*at = proc->next;
	proc->next = rig->ended;
	rig->ended = proc;
	pthread_mutex_unlock(&rig->lock);
}

/* ---- Completion queues ----------------------------------------------------------- */

struct rig_cq *rig_cq_new(struct rig_proc *proc, u32 slots)
{
	struct rig_cq *cq = calloc(1, sizeof(*cq));

	cq->slots = calloc(slots, sizeof(*cq->slots));
	weft_cq_init(&cq->cq, &proc->node->core, proc->node->core.cnt, cq->slots, slots,
		     &cq->doorbell, &cq->status);
	cq->next = proc->cqs;
	proc->cqs = cq;
	return cq;
}

void weft_env_free_cq(struct weft_cq *wcq)
{
	struct rig_cq *cq = container_of(wcq, struct rig_cq, cq);

	if (!weft_list_empty(&wcq->waiting))
		weft_host_die(__FILE__, __LINE__, "completions wait in a queue that goes");
	free(cq->slots);
	free(cq);
}

/* The queue's endpoints are gone, so no reference may be left but that of a counter's work. */
void rig_cq_free(struct rig_proc *proc, struct rig_cq *cq)
{
	struct rig_cq **at = &proc->cqs;

	while (*at != cq)
		at = &(*at)->next;
	*at = cq->next;
	/* another thread may be about to wake the program */
	if (!proc->node->rig->threads &&
	    refcount_read(&cq->cq.ref) != (cq->cq.trip.work.queued ? 2 : 1))
		weft_host_die(__FILE__, __LINE__, "completion queue is in use");
	weft_cq_put(&cq->cq);
}

void weft_env_wake_cq(struct weft_cq *cq)
{
	struct rig_cq *rcq = container_of(cq, struct rig_cq, cq);

	weft_host_no_locks(__FILE__, __LINE__);
	WRITE_ONCE(rcq->woken, true);
	if (rcq->waker)
		rcq->waker(rcq);
}

static void copy_inline(struct rig_cq *cq, const struct weft_cqe *e)
{
	u32 len = e->len - e->olen;
	u8 *dst = (u8 *)(uintptr_t)e->buf;
	u32 i;

	if (DIV_ROUND_UP(len, WEFT_SLOT_SIZE) != (u32)e->nslots - 1)
		weft_host_die(__FILE__, __LINE__, "%u bytes in %u slots", len, e->nslots - 1);
	for (i = 0; i < len; i++) {
		u32 slot = (cq->head + 1 + i / WEFT_SLOT_SIZE) & (cq->cq.size - 1);

		dst[i] = ((const u8 *)&cq->slots[slot])[i % WEFT_SLOT_SIZE];
	}
}

int rig_cq_read(struct rig_cq *cq, struct weft_cqe *e)
{
	struct rig_node *node = cq->cq.core->port;
	struct weft_cqe *slot = &cq->slots[cq->head & (cq->cq.size - 1)];
	bool there, counted;

	/* barrier C: read the entry after its sequence number */
	there = smp_load_acquire(&slot->seq) == cq->head + 1;
	counted = READ_ONCE(cq->status.tail) != cq->head;
	if (there != counted && !node->rig->threads)
		weft_host_die(__FILE__, __LINE__, "entry %u has number %u, the tail is %u",
			      cq->head, slot->seq, cq->status.tail);
	if (!there)
		return READ_ONCE(cq->status.flags) & WEFT_ST_CQ_ERROR ? -EIO : 0;
	memcpy(e, slot, offsetof(struct weft_cqe, seq));
	if (!e->nslots || e->nslots > WEFT_NSLOTS_MAX || e->rsvd)
		weft_host_die(__FILE__, __LINE__, "entry of %u slots", e->nslots);
	if (e->flags & WEFT_CQE_INLINE)
		copy_inline(cq, e);
	else if (e->flags & WEFT_CQE_FROM)
		memcpy(&cq->from, &cq->slots[(cq->head + 1) & (cq->cq.size - 1)],
		       sizeof(cq->from));
	else if (e->nslots != 1)
		weft_host_die(__FILE__, __LINE__, "entry of %u slots without payload", e->nslots);
	cq->head += e->nslots;
	/* barrier D: read the entry before the slot is given back */
	smp_store_release(&cq->doorbell.head, cq->head);
	/* barrier E: store the head before the flags are read */
	smp_mb();
	if (READ_ONCE(cq->status.flags) & WEFT_ST_CQ_NOTIFY) {
		struct weft_out *out = rig_out(node);

		weft_cq_notify(&cq->cq, rig_clock(node), out);
		rig_leave(node, out);
	}
	cq->nread++;
	return 1;
}

bool rig_cq_arm(struct rig_cq *cq)
{
	WRITE_ONCE(cq->woken, false);
	WRITE_ONCE(cq->cq.armed, true);
	return !weft_cq_news(&cq->cq, cq->head);
}

/* ---- Event queues and address vectors -------------------------------------------- */

struct rig_eq *rig_eq_new(struct rig_proc *proc)
{
	struct rig_eq *eq = calloc(1, sizeof(*eq));

	weft_eq_init(&eq->eq);
	eq->next = proc->eqs;
	proc->eqs = eq;
	return eq;
}

void weft_env_wake_eq(struct weft_eq *eq)
{
	weft_host_no_locks(__FILE__, __LINE__);
	WRITE_ONCE(container_of(eq, struct rig_eq, eq)->woken, true);
}

void weft_env_free_eq(struct weft_eq *eq)
{
	free(container_of(eq, struct rig_eq, eq));
}

int rig_eq_read(struct rig_eq *eq, struct weft_event *ev, void *data)
{
	u8 buf[sizeof(*ev) + WEFT_CM_DATA_MAX];
	int r = weft_eq_read(&eq->eq, buf, sizeof(buf));

	if (r == -EAGAIN)
		return 0;
	if (r < (int)sizeof(*ev))
		weft_host_die(__FILE__, __LINE__, "reading an event: %d", r);
	memcpy(ev, buf, sizeof(*ev));
	if (r != (int)(sizeof(*ev) + ALIGN(ev->data_len, 8)))
		weft_host_die(__FILE__, __LINE__, "event of %d bytes with %u of data", r,
			      ev->data_len);
	if (data)
		memcpy(data, buf + sizeof(*ev), ev->data_len);
	return 1;
}

struct rig_av *rig_av_new(struct rig_proc *proc)
{
	struct rig_av *av = calloc(1, sizeof(*av));

	av->av = weft_av_new(&proc->node->core);
	if (!av->av) {
		free(av);
		return NULL;
	}
	av->next = proc->avs;
	proc->avs = av;
	return av;
}

long rig_av_insert(struct rig_av *av, u32 node, u16 service, struct rig *rig)
{
	struct weft_sockaddr addr;
	u32 index;
	int r;

	rig_node_addr(&rig->conf, node, service, &addr);
	r = weft_av_insert(av->av, &addr, WEFT_SRC_ANY, &index);
	return r ? r : (long)index;
}

/* ---- Endpoints ------------------------------------------------------------------- */

struct rig_ep *rig_ep_new(struct rig_proc *proc, u32 type, u32 flags, u32 sq_slots, u32 rq_slots,
			  u16 service)
{
	struct rig_ep *ep = calloc(1, sizeof(*ep));
	struct weft_ep_conf conf = {
		.type = type, .flags = flags, .sq_slots = sq_slots, .rq_slots = rq_slots
	};

	ep->proc = proc;
	ep->type = type;
	ep->handle = proc->next_handle++;
	ep->sq_slots = sq_slots;
	ep->rq_slots = rq_slots;
	ep->sq = calloc(sq_slots + 1, sizeof(*ep->sq));
	ep->rq = calloc(rq_slots + 1, sizeof(*ep->rq));
	conf.handle = ep->handle;
	conf.mc = proc->mc;
	conf.sq = ep->sq;
	conf.rq = ep->rq;
	conf.doorbell = &ep->doorbell;
	conf.status = &ep->status;
	conf.ctx = proc;
	conf.uid = proc->uid;
	conf.job = proc->job;
	conf.domain = &proc->domain;
	conf.triggers = &proc->triggers;
	if (service)
		rig_node_addr(&proc->node->rig->conf, proc->node->index, service, &conf.addr);
	ep->ep = weft_ep_new(&proc->node->core, &conf);
	if (IS_ERR(ep->ep)) {
		free(ep->sq);
		free(ep->rq);
		free(ep);
		return NULL;
	}
	ep->next = proc->eps;
	proc->eps = ep;
	return ep;
}

int rig_ep_enable(struct rig_ep *ep, struct rig_cq *tx, struct rig_cq *rx, struct rig_eq *eq,
		  struct rig_av *av)
{
	struct weft_ep_queues q = {
		.tx_cq = tx ? &tx->cq : NULL,
		.rx_cq = rx ? &rx->cq : NULL,
		.tx_cntr = ep->tx_cntr,
		.rx_cntr = ep->rx_cntr,
		.eq = eq ? &eq->eq : NULL,
		.av = av ? av->av : NULL,
	};

	memcpy(q.rma_cntr, ep->rma_cntr, sizeof(q.rma_cntr));
	return weft_ep_enable(ep->ep, &q);
}

void rig_ep_free(struct rig_ep *ep)
{
	struct rig_node *node = ep->proc->node;
	struct rig_ep **at = &ep->proc->eps;
	struct weft_out *out;
	bool more;

	do {
		out = rig_out(node);
		more = weft_ep_kill(ep->ep, rig_clock(node), out);
		rig_leave(node, out);
	} while (more);
	weft_ep_put(ep->ep);
	weft_host_balanced(__FILE__, __LINE__);
	while (*at != ep)
		at = &(*at)->next;
	*at = ep->next;
	free(ep->sq);
	free(ep->rq);
	free(ep);
}

u16 rig_ep_service(struct rig_ep *ep)
{
	struct weft_sockaddr addr;

	weft_ep_getname(ep->ep, &addr);
	return be16_to_cpu(addr.port);
}

/* Die if a call that executes its output itself has left some. */
static void executed(const struct weft_out *out)
{
	if (out->ntx || out->ncopy || !weft_list_empty(&out->more) ||
	    !weft_list_empty(&out->wake) || !weft_list_empty(&out->wake_eq) ||
	    !weft_list_empty(&out->deferred) || !weft_list_empty(&out->start) ||
	    !weft_list_empty(&out->grant) || !weft_list_empty(&out->serve))
		weft_host_die(__FILE__, __LINE__, "a notify call has left output");
}

int rig_notify(struct rig_ep *ep, u32 flags)
{
	struct rig_node *node = ep->proc->node;
	struct weft_out *out = rig_out(node);
	int r = 0;

	/* as an adapter does */
	if (flags != WEFT_NOTIFY_SQ || !weft_ep_fast(ep->ep, out))
		r = weft_ep_notify(ep->ep, flags, rig_clock(node), out);
	executed(out);
	rig_leave(node, out);
	return r;
}

void rig_ring_sq(struct rig_ep *ep)
{
	/* barrier A: write the slots before the doorbell */
	smp_store_release(&ep->doorbell.sq_tail, ep->sq_tail);
	/* barrier E: store the doorbell before the flags are read */
	smp_mb();
	if (READ_ONCE(ep->status.flags) & WEFT_ST_SQ_NOTIFY)
		rig_notify(ep, WEFT_NOTIFY_SQ);
}

void rig_ring_rq(struct rig_ep *ep)
{
	/* barrier A: write the slots before the doorbell */
	smp_store_release(&ep->doorbell.rq_tail, ep->rq_tail);
	/* barrier E: store the doorbell before the flags are read */
	smp_mb();
	if (READ_ONCE(ep->status.flags) & WEFT_ST_RQ_NOTIFY)
		rig_notify(ep, WEFT_NOTIFY_RQ);
}

void rig_put_sq(struct rig_ep *ep, const void *slots, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		memcpy(&ep->sq[ep->sq_tail++ & (ep->sq_slots - 1)],
		       (const u8 *)slots + i * WEFT_SLOT_SIZE, WEFT_SLOT_SIZE);
}

void rig_put_rq(struct rig_ep *ep, const void *slots, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		memcpy(&ep->rq[ep->rq_tail++ & (ep->rq_slots - 1)],
		       (const u8 *)slots + i * WEFT_SLOT_SIZE, WEFT_SLOT_SIZE);
}

/* Write segments behind the first slot. Return: number of slots of the entry. */
static u32 put_segments(u8 *slots, const struct weft_iov *iov, u32 n)
{
	if (n < 2)
		return 1;
	memcpy(slots + WEFT_SLOT_SIZE, iov, n * sizeof(*iov));
	return 1 + DIV_ROUND_UP(n, 4);
}

static u64 total(const struct weft_iov *iov, u32 n)
{
	u64 len = 0;
	u32 i;

	for (i = 0; i < n; i++)
		len += iov[i].len;
	return len;
}

u32 rig_put_bytes(u8 *slots, u32 flags, const struct weft_iov *iov, u32 n)
{
	struct weft_sqe *e = (void *)slots;
	u32 i, at = WEFT_SLOT_SIZE;

	e->flags = flags;
	e->len = total(iov, n);
	if (!(flags & WEFT_SQ_INLINE)) {
		e->niov = n;
		e->addr = n == 1 ? iov[0].addr : 0;
		return put_segments(slots, iov, n);
	}
	for (i = 0; i < n; at += iov[i++].len)
		memcpy(slots + at, (void *)(uintptr_t)iov[i].addr, iov[i].len);
	return DIV_ROUND_UP(at, WEFT_SLOT_SIZE);
}

int rig_post_sq(struct rig_ep *ep, u8 *slots, u32 n, bool more)
{
	struct weft_sqe *e = (void *)slots;

	e->nslots = n;
	if (ep->trigger)
		return rig_trigger_post(ep, WEFT_TRIGGER_SEND, slots, n);
	if (READ_ONCE(ep->status.flags) & WEFT_ST_ERROR)
		return -EIO;
	/* barrier B: slots may be used again */
	if (ep->sq_tail + n - smp_load_acquire(&ep->status.sq_head) > ep->sq_slots) {
		rig_ring_sq(ep);
		return -EAGAIN;
	}
	rig_put_sq(ep, slots, n);
	if (!more)
		rig_ring_sq(ep);
	return 0;
}

int rig_send(struct rig_ep *ep, const struct rig_op *op)
{
	u8 slots[WEFT_NSLOTS_MAX * WEFT_SLOT_SIZE] = { 0 };
	struct weft_sqe *e = (void *)slots;
	u32 n = rig_put_bytes(slots, op->flags, op->iov, op->n);

	e->op = op->tagged ? WEFT_SQ_TSEND : WEFT_SQ_SEND;
	e->dst = op->peer;
	e->context = op->context;
	e->tag = op->tag;
	e->data = op->flags & WEFT_SQ_DATA ? op->data : 0;
	return rig_post_sq(ep, slots, n, op->more);
}

static int put_rqe(struct rig_ep *ep, const void *slots, u32 n, bool more)
{
	if (ep->trigger)
		return rig_trigger_post(ep, WEFT_TRIGGER_RECV, slots, n);
	if (READ_ONCE(ep->status.flags) & WEFT_ST_ERROR)
		return -EIO;
	/* barrier B: slots may be used again */
	if (ep->rq_tail + n - smp_load_acquire(&ep->status.rq_head) > ep->rq_slots) {
		rig_ring_rq(ep);
		return -EAGAIN;
	}
	rig_put_rq(ep, slots, n);
	if (!more)
		rig_ring_rq(ep);
	return 0;
}

int rig_recv(struct rig_ep *ep, const struct rig_op *op)
{
	u8 slots[WEFT_NSLOTS_MAX * WEFT_SLOT_SIZE] = { 0 };
	struct weft_rqe *e = (void *)slots;

	e->op = op->tagged ? WEFT_RQ_TRECV : WEFT_RQ_RECV;
	e->flags = op->flags;
	e->src = op->peer;
	e->context = op->context;
	e->len = total(op->iov, op->n);
	e->tag = op->tag;
	e->ignore = op->ignore;
	e->niov = op->n;
	e->addr = op->n == 1 ? op->iov[0].addr : 0;
	e->nslots = put_segments(slots, op->iov, op->n);
	return put_rqe(ep, slots, e->nslots, op->more);
}

int rig_rq_cancel(struct rig_ep *ep, u64 context)
{
	struct weft_rqe e = {
		.op = WEFT_RQ_CANCEL, .nslots = 1, .src = WEFT_SRC_ANY, .tag = context
	};
	int r = put_rqe(ep, &e, 1, false);

	/* the kernel need not read the ring before a message arrives */
	return r ? r : rig_notify(ep, WEFT_NOTIFY_RQ);
}

int rig_cancel(struct rig_ep *ep, u64 context)
{
	struct rig_node *node = ep->proc->node;
	struct weft_out *out = rig_out(node);
	int r;

	/* barrier A: write the slots before the doorbell */
	smp_store_release(&ep->doorbell.rq_tail, ep->rq_tail);
	r = weft_ep_cancel(ep->ep, context, rig_clock(node), out);
	rig_leave(node, out);
	return r;
}

/* ---- Connections ----------------------------------------------------------------- */

int rig_listen(struct rig_ep *pep, struct rig_eq *eq, u32 backlog)
{
	return weft_cm_listen(pep->ep, &eq->eq, backlog);
}

int rig_connect_within(struct rig_ep *ep, u32 to, u16 service, const void *data, u32 len,
		       weft_ns timeout)
{
	struct rig_node *node = ep->proc->node;
	struct weft_out *out = rig_out(node);
	struct weft_sockaddr addr;
	int r;

	rig_node_addr(&node->rig->conf, to, service, &addr);
	r = weft_cm_connect(ep->ep, &addr, data, len, timeout, rig_clock(node), out);
	rig_leave(node, out);
	return r;
}

int rig_connect(struct rig_ep *ep, u32 to, u16 service, const void *data, u32 len)
{
	return rig_connect_within(ep, to, service, data, len, 0);
}

int rig_accept(struct rig_ep *ep, u64 conn, const void *data, u32 len)
{
	struct rig_node *node = ep->proc->node;
	struct weft_out *out = rig_out(node);
	int r = weft_cm_accept(ep->ep, conn, data, len, rig_clock(node), out);

	rig_leave(node, out);
	return r;
}

int rig_reject(struct rig_ep *pep, u64 conn, const void *data, u32 len)
{
	struct rig_node *node = pep->proc->node;
	struct weft_out *out = rig_out(node);
	int r = weft_cm_reject(pep->ep, conn, data, len, rig_clock(node), out);

	rig_leave(node, out);
	return r;
}

int rig_handoff(struct rig_ep *pep, u64 conn, u16 service)
{
	struct rig_node *node = pep->proc->node;
	struct weft_out *out = rig_out(node);
	int r = weft_cm_handoff(pep->ep, conn, service, rig_clock(node), out);

	rig_leave(node, out);
	return r;
}

static int rig_end(struct rig_ep *ep, bool graceful)
{
	struct rig_node *node = ep->proc->node;
	struct weft_out *out = rig_out(node);
	int r = weft_cm_shutdown(ep->ep, graceful, rig_clock(node), out);

	rig_leave(node, out);
	return r;
}

int rig_shutdown(struct rig_ep *ep)
{
	return rig_end(ep, false);
}

int rig_shutdown_graceful(struct rig_ep *ep)
{
	return rig_end(ep, true);
}
