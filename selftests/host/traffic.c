// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random traffic over the rig: making runs and driving them. One thread; no locks.
 */
#include <stdarg.h>

#include "traffic.h"
#include "traffic_check.h"
#include "traffic_job.h"
#include "traffic_rma.h"

#define TAG_CLASS(c)	((u64)(c) << 8)
#define TAG_STRAY	BIT_ULL(40)

u64 tr_first(const char *test, u64 first)
{
	const char *seed = getenv("WEFT_SEED");
	const char *only = getenv("WEFT_TEST");

	if (only && strcmp(only, test))
		return 1;
	return seed ? strtoull(seed, NULL, 0) : first;
}

u64 tr_last(const char *test, u64 first, u64 count)
{
	const char *runs = getenv("WEFT_RUNS");
	const char *only = getenv("WEFT_TEST");

	if (only && strcmp(only, test))
		return 0;
	if (getenv("WEFT_SEED"))
		return tr_first(test, first);
	return first + (runs ? strtoull(runs, NULL, 0) : count) - 1;
}

void tr_die(struct tr *tr, const char *fmt, ...)
{
	va_list ap;

	rig_dump(tr->rig);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	weft_host_die(__FILE__, __LINE__, "the run has failed");
}

static u32 pick(u64 *state, u32 n)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return n ? (*state >> 33) % n : 0;
}

void tr_conf_random(struct tr_conf *conf, u64 seed)
{
	static const u32 payloads[] = { 1232, 1472, 1472, 4000, 8972 };
	static const u32 lens[] = { 100, 2000, 20000, 300000 };
	u64 s = seed * 0x9e3779b97f4a7c15ULL + 1;

	memset(conf, 0, sizeof(*conf));
	rig_conf_default(&conf->rig, seed);
	conf->rig.nodes = 2 + pick(&s, 3);
	conf->rig.family = pick(&s, 3) ? AF_INET : AF_INET6;
	conf->rig.max_payload = payloads[pick(&s, ARRAY_SIZE(payloads))];
	conf->rig.jitter = pick(&s, 2) ? 0 : pick(&s, 20000);
	conf->rig.skew = pick(&s, 2) ? 0 : pick(&s, 2) ? 20000 : 3 * NSEC_PER_MSEC;
	conf->procs = 1 + !pick(&s, 3);
	conf->eps = 1 + !pick(&s, 3);
	conf->max_len = lens[pick(&s, ARRAY_SIZE(lens))];
	conf->msgs = conf->max_len > 50000 ? 20 : 20 + pick(&s, 100);
	conf->sq_slots = 16 << pick(&s, 5);
	conf->rq_slots = 4096;
	conf->cq_slots = 16 << pick(&s, 6);
	conf->one_cq = pick(&s, 2);
	conf->classes = 1 + pick(&s, 6);
	conf->self = !pick(&s, 3);
	conf->short_spaces = !pick(&s, 3);
	conf->lazy = pick(&s, 2);
	conf->strangers = pick(&s, 2);
	if (!pick(&s, 3))
		conf->rig.core.window_bytes = 16384 << pick(&s, 4);
	if (!pick(&s, 3))
		conf->rig.core.unexp_window = 65536;
	if (!pick(&s, 3))
		conf->rig.core.grant_bytes = 4096 << pick(&s, 5);
	if (!pick(&s, 3))
		conf->rig.core.idle_ns = (100 + pick(&s, 900)) * (weft_ns)NSEC_PER_MSEC;
	conf->measures = !pick(&s, 4);
}

/* ---- Messages and receives ------------------------------------------- */

/* Cut @len bytes into segments, each in a buffer of its own. */
u32 tr_segments(struct tr *tr, struct rig_proc *proc, u32 len, struct weft_iov *seg)
{
	u32 i, n = !len			 ? rig_below(tr->rig, 2) :
		   rig_below(tr->rig, 4) ? 1 :
					   1 + rig_below(tr->rig, 8);

	for (i = 0; i < n; i++) {
		seg[i].len = i == n - 1 ? len : rig_below(tr->rig, len + 1);
		seg[i].addr = (uintptr_t)rig_buf(proc, seg[i].len);
		len -= seg[i].len;
	}
	return n;
}

u32 tr_some_len(struct tr *tr, u32 max)
{
	switch (rig_below(tr->rig, 6)) {
	case 0:
		return rig_below(tr->rig, 9);
	case 1:
		return min(rig_below(tr->rig, 200), max);
	case 2:
		return min(900 + rig_below(tr->rig, 700), max);
	case 3:
		return min(1u << rig_below(tr->rig, 18), max);
	default:
		return rig_below(tr->rig, max + 1);
	}
}

/* Give a message the form of @like: the same flags and slots. Its tag and bytes differ. */
static void follow(struct tr *tr, struct tr_msg *m, const struct tr_msg *like)
{
	u32 least = like->has_data ? 1 : 8;

	m->row = true;
	m->flags = like->flags;
	m->has_data = like->has_data;
	m->inl = like->inl;
	m->len = like->len;
	if (m->inl && m->len)
		least = max(least, round_down(m->len - 1, (u32)WEFT_SLOT_SIZE) + 1);
	if (m->len > least)
		m->len -= rig_below(tr->rig, m->len - least + 1);
}

/*
 * How messages of a class match. All messages of a class have been taken in the end, whichever
 * receive takes which. All receives of a class fit all its messages, or all those of one sender.
 * @like: a message of the same form, NULL: of any.
 */
static void new_message(struct tr *tr, struct tr_ep *src, struct tr_ep *dst,
			const struct tr_msg *like)
{
	struct tr_msg *m = calloc(1, sizeof(*m));
	struct tr_rcv *r = calloc(1, sizeof(*r));
	u32 class = like ? like->class : rig_below(tr->rig, tr->conf.classes);

	m->src = src;
	m->dst = dst;
	m->class = class;
	r->ep = dst;
	m->len = tr_some_len(tr, tr->conf.max_len);
	r->room = tr->conf.max_len;
	if (tr->conf.short_spaces && !rig_below(tr->rig, 4))
		r->room = tr_some_len(tr, tr->conf.max_len);
	if (class & 1) {
		m->tagged = true;
		r->tagged = true;
		switch (class / 2 % 3) {
		case 0:		/* one tag; receives ignore this or that bit of it */
			m->tag = TAG_CLASS(class);
			r->tag = m->tag | rig_below(tr->rig, 4);
			r->ignore = (r->tag & 3) | rig_below(tr->rig, 4);
			break;
		case 1:		/* several tags; receives take all of them */
			m->tag = TAG_CLASS(class) | rig_below(tr->rig, 4);
			r->tag = TAG_CLASS(class);
			r->ignore = 3;
			break;
		case 2:		/* one tag, exact */
			m->tag = TAG_CLASS(class) | 0x5500000000000000ull;
			r->tag = m->tag;
			if (!tr->conf.msg)
				r->from = src;
			break;
		}
	} else if (class & 2 && !tr->conf.msg) {
		m->tagged = true;
		r->tagged = true;
		m->tag = TAG_CLASS(class) | rig_below(tr->rig, 2);
		r->tag = m->tag & ~1ull;
		r->ignore = 1;
		r->from = src;
	}
	m->flags = rig_below(tr->rig, 4) ? WEFT_SQ_COMPLETION : 0;
	if (!rig_below(tr->rig, 4))
		m->flags |= WEFT_SQ_TRANSMIT;
	if (!rig_below(tr->rig, 8))
		m->flags |= WEFT_SQ_DELIVERY;
	m->has_data = m->len < 8 || tr->conf.short_spaces || rig_below(tr->rig, 8);
	if (m->has_data)
		m->flags |= WEFT_SQ_DATA;
	m->inl = m->len <= WEFT_INLINE_MAX && rig_below(tr->rig, 2) &&
		 1 + DIV_ROUND_UP(m->len, WEFT_SLOT_SIZE) <= tr->conf.sq_slots;
	if (m->inl)
		m->flags |= WEFT_SQ_INLINE;
	if (like)
		follow(tr, m, like);
	m->id = ++tr->nmsgs;
	tr->msgs[m->id] = m;
	src->msgs[src->nmsgs++] = m;
	m->foreign = src->proc->job != dst->proc->job;
	if (m->foreign) {
		/* others' receives fit it */
		free(r);
		return;
	}
	r->id = ++tr->nrcvs;
	tr->rcvs[r->id] = r;
	dst->rcvs[dst->nrcvs++] = r;
	tr->open++;
}

static void new_stray(struct tr *tr, struct tr_ep *ep)
{
	struct tr_rcv *r = calloc(1, sizeof(*r));

	r->ep = ep;
	r->stray = true;
	r->tagged = true;
	r->tag = TAG_STRAY | rig_below(tr->rig, 4);
	r->ignore = rig_below(tr->rig, 2) * 3;
	r->room = rig_below(tr->rig, 100);
	r->id = ++tr->nrcvs;
	tr->rcvs[r->id] = r;
	ep->rcvs[ep->nrcvs++] = r;
}

/* Post receives for the messages that dead processes have left. */
static void new_catch_all(struct tr *tr, struct tr_ep *ep, bool tagged)
{
	struct tr_rcv *r = calloc(1, sizeof(*r));

	r->ep = ep;
	r->tagged = tagged;
	r->ignore = tagged ? ~0ull : 0;
	r->room = tr->conf.max_len;
	r->id = ++tr->nrcvs;
	tr->rcvs[r->id] = r;
	ep->rcvs[ep->nrcvs++] = r;
}

void tr_mop(struct tr *tr)
{
	u32 i;

	for (i = 1; i <= tr->nmsgs; i++) {
		struct tr_msg *m = tr->msgs[i];

		if (!m->by && !m->foreign && m->dst->ep && !m->dst->shut)
			new_catch_all(tr, m->dst, m->tagged);
	}
}

/* Receives come in another order than the messages they were made for. */
static void shuffle(struct tr *tr, struct tr_ep *ep)
{
	u32 i;

	for (i = 0; i < ep->nrcvs; i++) {
		u32 k = i + rig_below(tr->rig, min(ep->nrcvs - i, 8u));

		swap(ep->rcvs[i], ep->rcvs[k]);
	}
}

static void plan(struct tr *tr)
{
	u32 i, k, most = tr->neps * (tr->conf.msgs + 2) + 1;

	tr->msgs = calloc(most, sizeof(*tr->msgs));
	tr->rcvs = calloc(3 * most, sizeof(*tr->rcvs));
	for (i = 0; i < tr->neps; i++) {
		tr->eps[i].msgs = calloc(tr->conf.msgs + 1, sizeof(*tr->msgs));
		tr->eps[i].rcvs = calloc(3 * most, sizeof(*tr->rcvs));
	}
	for (k = 0; k < tr->conf.msgs; k++) {
		for (i = 0; i < tr->neps; i++) {
			struct tr_ep *src = &tr->eps[i];
			struct tr_ep *dst = src->peer;
			struct tr_msg *last = src->nmsgs ? src->msgs[src->nmsgs - 1] : NULL;

			if (last && rig_below(tr->rig, 2)) {
				new_message(tr, src, last->dst, last);
				continue;
			}
			if (!dst && tr->conf.jobs && !rig_below(tr->rig, 8))
				dst = tr_job_peer(tr, src, false);
			if (!dst && tr->conf.jobs)
				dst = tr_job_peer(tr, src, true);
			if (!dst)
				dst = &tr->eps[rig_below(tr->rig, tr->neps)];
			if (!tr->conf.jobs && dst == src && !tr->conf.self && tr->neps > 1)
				dst = &tr->eps[(i + 1) % tr->neps];
			new_message(tr, src, dst, NULL);
		}
	}
	for (i = 0; i < tr->neps; i++) {
		if (!rig_below(tr->rig, 2))
			new_stray(tr, &tr->eps[i]);
		shuffle(tr, &tr->eps[i]);
	}
}

/* ---- Life ------------------------------------------------------------ */

static struct rig_cq *some_cq(struct tr *tr, struct tr_proc *p)
{
	if ((!tr->conf.one_cq || !p->ncq) && p->ncq < ARRAY_SIZE(p->cq))
		p->cq[p->ncq++] = rig_cq_new(p->proc, tr->conf.cq_slots);
	return p->cq[p->ncq - 1];
}

static void make_ep(struct tr *tr, struct tr_ep *ep, struct tr_proc *p)
{
	u32 flags = tr->conf.msg ? 0 : WEFT_EPF_DIRECTED;

	if (tr->conf.rma)
		flags |= WEFT_EPF_RMA | WEFT_EPF_REMOTE_READ | WEFT_EPF_REMOTE_WRITE;
	ep->proc = p;
	ep->tx = some_cq(tr, p);
	ep->rx = some_cq(tr, p);
	tr_job_begin(tr, p);
	ep->ep = rig_ep_new(p->proc, tr->conf.msg ? WEFT_EP_MSG : WEFT_EP_RDM, flags,
			    tr->conf.sq_slots, tr->conf.rq_slots, ep->service);
	tr_job_end(p);
	if (!ep->ep || rig_ep_enable(ep->ep, ep->tx, ep->rx, p->eq, p->av))
		tr_die(tr, "endpoint cannot be made");
	ep->service = rig_ep_service(ep->ep);
	ep->handle = ep->ep->handle;
	ep->shut = false;
	ep->ended = false;
	ep->life++;
	if (!ep->index)
		ep->index = calloc(tr->nprocs, sizeof(*ep->index));
}

/*
 * The index of an endpoint in the vector of a process, inserted now if missing. Return:
 * WEFT_SRC_ANY: no memory.
 */
static u32 know(struct tr *tr, struct tr_proc *p, struct tr_ep *ep)
{
	u32 node = ep->proc->no % tr->conf.rig.nodes;
	long index;

	if (ep->index[p->no] == WEFT_SRC_ANY) {
		index = rig_av_insert(p->av, node, ep->service, tr->rig);
		if (index == -ENOMEM && tr->conf.trouble)
			return WEFT_SRC_ANY;
		if (index < 0)
			tr_die(tr, "address is refused: %ld", index);
		ep->index[p->no] = index;
	}
	return ep->index[p->no];
}

/* A process inserts endpoints in an order of its own, and strangers only when it needs them. */
static void introduce(struct tr *tr, struct tr_proc *p)
{
	u32 k;

	for (k = 0; k < tr->neps; k++)
		tr->eps[k].index[p->no] = WEFT_SRC_ANY;
	for (k = 0; k < tr->neps; k++)
		if (!tr->conf.strangers || rig_below(tr->rig, 2))
			know(tr, p, &tr->eps[(k + p->no) % tr->neps]);
}

static struct rig_eq *wanted;

static bool event_there(void *arg)
{
	return weft_eq_ready(&wanted->eq) || !arg;
}

static void expect_event(struct tr *tr, struct rig_eq *eq, u32 type, struct weft_event *ev)
{
	wanted = eq;
	if (!rig_until(tr->rig, event_there, tr, 5 * NSEC_PER_SEC))
		tr_die(tr, "event %u does not come", type);
	rig_eq_read(eq, ev, NULL);
	if (ev->type != type)
		tr_die(tr, "event %u (status %u) instead of %u", ev->type, ev->status, type);
}

/* Connect endpoints in pairs. */
static void connect_all(struct tr *tr)
{
	struct weft_event ev;
	u32 i;

	for (i = 0; i + 1 < tr->neps; i += 2) {
		struct tr_ep *a = &tr->eps[i], *b = &tr->eps[i + 1];
		struct rig_proc *bp = b->proc->proc;
		struct rig_ep *pep;

		a->peer = b;
		b->peer = a;
		tr_job_begin(tr, b->proc);
		pep = rig_ep_new(bp, WEFT_EP_PASSIVE, 0, 0, 0, 5000 + i);
		tr_job_end(b->proc);
		if (!pep || rig_listen(pep, b->proc->eq, 4))
			tr_die(tr, "nobody can listen");
		if (tr->conf.jobs && !rig_below(tr->rig, 4))
			tr_job_intrude(tr, b->proc, 5000 + i);
		if (rig_connect(a->ep, bp->node->index, 5000 + i, "hi", 2))
			tr_die(tr, "connection cannot be asked for");
		expect_event(tr, b->proc->eq, WEFT_EV_CONNREQ, &ev);
		if (rig_accept(b->ep, ev.conn, "ho", 2))
			tr_die(tr, "connection cannot be accepted");
		expect_event(tr, a->proc->eq, WEFT_EV_CONNECTED, &ev);
		expect_event(tr, b->proc->eq, WEFT_EV_CONNECTED, &ev);
		rig_ep_free(pep);
	}
}

static void make_proc(struct tr *tr, struct tr_proc *p)
{
	p->proc = rig_proc_new(&tr->rig->node[p->no % tr->conf.rig.nodes]);
	p->av = tr->conf.msg ? NULL : rig_av_new(p->proc);
	p->eq = rig_eq_new(p->proc);
	p->ncq = 0;
	if (tr->conf.rma)
		tr_rma_begin(tr, p);
}

struct tr *tr_new(const struct tr_conf *conf, const char *test)
{
	struct tr *tr = calloc(1, sizeof(*tr));
	u32 i;

	if (strchr(test, ' '))
		snprintf(tr->note, sizeof(tr->note), "again: %s", test);
	else
		snprintf(tr->note, sizeof(tr->note),
			 "again: WEFT_TEST=%s WEFT_SEED=%llu build/host/test_%.*s", test,
			 (unsigned long long)conf->rig.seed, (int)strcspn(test, "_"), test);
	weft_host_note(tr->note);
	tr->conf = *conf;
	tr->rig = rig_new(&conf->rig);
	tr->nprocs = conf->rig.nodes * conf->procs;
	tr->neps = tr->nprocs * conf->eps;
	if (conf->msg)
		tr->neps &= ~1u;
	tr->procs = calloc(tr->nprocs, sizeof(*tr->procs));
	tr->eps = calloc(tr->neps, sizeof(*tr->eps));
	for (i = 0; i < tr->nprocs; i++) {
		tr->procs[i].no = i;
		tr_job_choose(tr, &tr->procs[i]);
		make_proc(tr, &tr->procs[i]);
	}
	for (i = 0; i < tr->neps; i++) {
		make_ep(tr, &tr->eps[i], &tr->procs[i % tr->nprocs]);
		tr->eps[i].rma_left = conf->rma;
	}
	for (i = 0; i < tr->nprocs && !conf->msg; i++)
		introduce(tr, &tr->procs[i]);
	if (conf->msg)
		connect_all(tr);
	plan(tr);
	return tr;
}

void tr_free(struct tr *tr)
{
	u32 i;

	tr_check_order(tr);
	tr_check_delivered(tr);
	tr_check_paths(tr);
	for (i = 0; i < tr->nprocs; i++)
		if (tr->procs[i].proc)
			tr_kill_proc(tr, &tr->procs[i], false);
	if (rig_below(tr->rig, 2))
		rig_run(tr->rig, 20 * NSEC_PER_SEC);
	rig_free(tr->rig);
	for (i = 0; i < tr->neps; i++) {
		free(tr->eps[i].msgs);
		free(tr->eps[i].rcvs);
		free(tr->eps[i].index);
	}
	for (i = 1; i <= tr->nmsgs; i++)
		free(tr->msgs[i]);
	for (i = 1; i <= tr->nrcvs; i++)
		free(tr->rcvs[i]);
	free(tr->msgs);
	free(tr->rcvs);
	free(tr->eps);
	free(tr->procs);
	weft_host_note(NULL);
	free(tr);
}

/* ---- Work ------------------------------------------------------------ */

static bool post_send(struct tr *tr, struct tr_ep *ep)
{
	struct tr_msg *m = ep->msgs[ep->next_msg];
	bool row = ep->next_msg + 1 < ep->nmsgs && ep->msgs[ep->next_msg + 1]->row;
	struct rig_op op = {
		.tagged = m->tagged,
		.flags = m->flags,
		.context = m->id,
		.tag = m->tag,
		.data = m->id,
		.more = row || !rig_below(tr->rig, 4),
	};
	int r;

	op.peer = tr->conf.msg ? 0 : know(tr, ep->proc, m->dst);
	if (op.peer == WEFT_SRC_ANY)
		return false;
	if (!m->n && m->len)
		m->n = tr_segments(tr, ep->proc->proc, m->len, m->seg);
	tr_fill(m);
	op.n = m->n;
	memcpy(op.iov, m->seg, sizeof(op.iov));
	r = rig_send(ep->ep, &op);
	if (r == -EIO && tr->conf.trouble)
		return false;
	if (r && r != -EAGAIN)
		tr_die(tr, "send: %d", r);
	if (r)
		return false;
	m->posted = ++ep->next_msg;
	m->life = ep->life;
	m->dst_life = m->dst->life;
	if (m->flags & WEFT_SQ_COMPLETION)
		ep->open_tx++;
	if (m->inl)
		tr_drop_buffers(ep->proc->proc, m->seg, &m->n);
	return true;
}

/* Post a one-sided operation, when the last one has completed. */
static void operate(struct tr *tr, struct tr_ep *ep)
{
	struct tr_ep *dst = ep->peer ? ep->peer : &tr->eps[rig_below(tr->rig, tr->neps)];
	u32 peer;

	if (!ep->rma_left || (ep->rma.posted && !ep->rma.done) || dst->proc->job != ep->proc->job)
		return;
	/* each waits for long until it is refused */
	if (!dst->ep && rig_below(tr->rig, 32))
		return;
	peer = tr->conf.msg ? 0 : know(tr, ep->proc, dst);
	if (peer != WEFT_SRC_ANY)
		tr_rma_post(tr, ep, dst, peer);
}

static bool post_recv(struct tr *tr, struct tr_ep *ep)
{
	struct tr_rcv *r = ep->rcvs[ep->next_rcv];
	struct rig_op op = {
		.tagged = r->tagged,
		.flags = WEFT_RQ_COMPLETION,
		.peer = WEFT_SRC_ANY,
		.context = r->id,
		.tag = r->tag,
		.ignore = r->ignore,
		.more = !rig_below(tr->rig, 4),
	};
	int err;

	if (r->from) {
		op.peer = know(tr, ep->proc, r->from);
		if (op.peer == WEFT_SRC_ANY)
			return false;
	}
	if (!r->n && r->room)
		r->n = tr_segments(tr, ep->proc->proc, r->room, r->seg);
	op.n = r->n;
	memcpy(op.iov, r->seg, sizeof(op.iov));
	err = rig_recv(ep->ep, &op);
	if (err == -EIO && tr->conf.trouble)
		return false;
	if (err && err != -EAGAIN)
		tr_die(tr, "receive: %d", err);
	if (err)
		return false;
	r->posted = ++ep->next_rcv;
	ep->open_rx++;
	return true;
}

static void read_events(struct tr *tr, struct tr_proc *p)
{
	struct weft_event ev;
	u32 i;

	while (rig_eq_read(p->eq, &ev, NULL)) {
		for (i = 0; i < tr->neps; i++) {
			struct tr_ep *ep = &tr->eps[i];

			if (ep->proc != p || !ep->ep || ep->ep->handle != ev.handle)
				continue;
			if (ev.type == WEFT_EV_SHUTDOWN && ep->shut)
				tr_die(tr, "SHUTDOWN comes twice");
			if (ev.type == WEFT_EV_SHUTDOWN)
				ep->shut = true;
			if (!tr->conf.trouble)
				tr_die(tr, "event %u, status %u", ev.type, ev.status);
		}
	}
}

static void read_cq(struct tr *tr, struct rig_cq *cq, u32 most)
{
	struct weft_cqe e;

	if (tr->conf.lazy && !cq->woken) {
		/* asleep: only a wake-up counts */
		if (cq->cq.armed || rig_cq_arm(cq))
			return;
		cq->cq.armed = false;
	}
	while (most--) {
		int r = rig_cq_read(cq, &e);

		if (r < 0)
			tr_die(tr, "completion queue is in error");
		if (!r)
			break;
		tr_complete(tr, cq, &e);
	}
	/* a woken queue stays so until it has been read empty */
	if (cq->status.tail == cq->head)
		cq->woken = false;
}

/* Read a process' completions; fewer than @most of each queue, 0: all. */
static void look(struct tr *tr, struct tr_proc *p, u32 most)
{
	u32 i;

	if (!p->proc)
		return;
	read_events(tr, p);
	for (i = 0; i < p->ncq; i++)
		read_cq(tr, p->cq[i], most ? rig_below(tr->rig, most) : U32_MAX);
}

bool tr_step(struct tr *tr)
{
	struct tr_proc *p = &tr->procs[rig_below(tr->rig, tr->nprocs)];
	struct tr_ep *ep = &tr->eps[rig_below(tr->rig, tr->neps)];
	u32 i, n, left = 0;

	if (ep->ep) {
		for (n = rig_below(tr->rig, 12); n && ep->next_msg < ep->nmsgs && !ep->shut; n--)
			if (!post_send(tr, ep))
				break;
		for (n = rig_below(tr->rig, 12); n && ep->next_rcv < ep->nrcvs && !ep->shut; n--)
			if (!post_recv(tr, ep))
				break;
		if (tr->conf.rma && !ep->shut)
			operate(tr, ep);
		if (!rig_below(tr->rig, 3)) {
			/* store the doorbell once for all posts without it */
			if (ep->ep->sq_tail != ep->ep->doorbell.sq_tail)
				rig_ring_sq(ep->ep);
			if (ep->ep->rq_tail != ep->ep->doorbell.rq_tail)
				rig_ring_rq(ep->ep);
		}
	}
	if (tr->conf.measures && p->proc && !rig_below(tr->rig, 8))
		weft_core_measure(&p->proc->node->core, rig_below(tr->rig, 2));
	look(tr, p, 20);
	for (n = rig_below(tr->rig, 30); n; n--)
		rig_step(tr->rig, tr->rig->now + 100000);
	for (i = 0; i < tr->neps; i++) {
		ep = &tr->eps[i];
		if (ep->ep && !ep->shut)
			left += ep->nmsgs - ep->next_msg + ep->open_tx + ep->nrcvs - ep->next_rcv +
				ep->rma_left;
		else if (ep->ep)
			left += ep->open_tx;
	}
	return left || (!tr->conf.trouble && tr->open);
}

void tr_finish(struct tr *tr, weft_ns ns)
{
	weft_ns end = tr->rig->now + ns;

	while (tr_step(tr)) {
		u32 i;

		if (tr->rig->now < end)
			continue;
		for (i = 0; i < tr->neps; i++)
			fprintf(stderr,
				"ep %u: sent %u/%u, %u complete later; posted %u/%u, %u open\n", i,
				tr->eps[i].next_msg, tr->eps[i].nmsgs, tr->eps[i].open_tx,
				tr->eps[i].next_rcv, tr->eps[i].nrcvs, tr->eps[i].open_rx);
		tr_die(tr, "%u messages have not come in time", tr->open);
	}
}

void tr_bound(struct tr *tr, weft_ns ns)
{
	weft_ns end = tr->rig->now + ns;
	u32 i;

	for (i = 0; i < tr->neps; i++)
		if (tr->eps[i].ep && tr->eps[i].ep->sq_tail != tr->eps[i].ep->doorbell.sq_tail)
			rig_ring_sq(tr->eps[i].ep);
	while (tr->rig->now < end) {
		rig_run(tr->rig, 50 * NSEC_PER_MSEC);
		for (i = 0; i < tr->nprocs; i++)
			look(tr, &tr->procs[i], 0);
	}
	tr_check_gone(tr);
}

static void __noreturn not_canceled(struct tr *tr)
{
	u32 i;

	for (i = 1; i <= tr->nrcvs; i++) {
		struct tr_rcv *r = tr->rcvs[i];

		if (r->posted && !r->done && r->ep->ep)
			fprintf(stderr, "receive %llu of node %u: tag %llx, %u bytes, %s\n",
				(unsigned long long)r->id, r->ep->proc->proc->node->index,
				(unsigned long long)r->tag, r->room,
				r->ep->rx->status.tail == r->ep->rx->head ? "nothing to read" :
									    "not read");
	}
	tr_die(tr, "receives were not canceled in time");
}

void tr_cancel(struct tr *tr)
{
	weft_ns end = tr->rig->now + 30 * NSEC_PER_SEC;
	bool left = true;
	u32 i;

	for (i = 1; i <= tr->nrcvs; i++) {
		struct tr_rcv *r = tr->rcvs[i];

		if (!r->posted || r->done || !r->ep->ep)
			continue;
		if (rig_below(tr->rig, 2) || rig_rq_cancel(r->ep->ep, r->id))
			rig_cancel(r->ep->ep, r->id);
	}
	while (left) {
		if (tr->rig->now > end)
			not_canceled(tr);
		tr_step(tr);
		for (i = 0, left = false; i < tr->neps; i++)
			left |= tr->eps[i].ep && tr->eps[i].open_rx;
	}
}

/* ---- Trouble --------------------------------------------------------- */

static void read_all(struct tr *tr, struct rig_cq *cq)
{
	struct weft_cqe e;

	while (rig_cq_read(cq, &e) > 0)
		tr_complete(tr, cq, &e);
}

/* Operations of an endpoint that are under way are lost with it. */
static void lose_ops(struct tr_ep *ep)
{
	u32 i;

	for (i = 0; i < ep->nmsgs; i++) {
		ep->msgs[i]->n = 0;
		ep->msgs[i]->done |= i < ep->next_msg;
	}
	for (i = 0; i < ep->nrcvs; i++) {
		ep->rcvs[i]->n = 0;
		ep->rcvs[i]->done |= i < ep->next_rcv;
	}
	ep->rma.n = 0;
	ep->rma.posted = 0;
	ep->rma_failed = true;
	ep->open_tx = 0;
	ep->open_rx = 0;
	ep->ep = NULL;
	ep->handle = 0;
}

void tr_kill_ep(struct tr *tr, struct tr_ep *ep)
{
	u32 i;

	if (!ep->ep)
		return;
	if (!tr->conf.trouble && (ep->open_tx || ep->open_rx))
		tr_die(tr, "endpoint goes with %u sends and %u receives open", ep->open_tx,
		       ep->open_rx);
	rig_ep_free(ep->ep);
	ep->ep = NULL;
	/* completions that had been written count, and no more are written */
	read_all(tr, ep->tx);
	read_all(tr, ep->rx);
	for (i = 0; i < ep->nmsgs; i++)
		tr_drop_buffers(ep->proc->proc, ep->msgs[i]->seg, &ep->msgs[i]->n);
	for (i = 0; i < ep->nrcvs; i++)
		tr_drop_buffers(ep->proc->proc, ep->rcvs[i]->seg, &ep->rcvs[i]->n);
	tr_drop_buffers(ep->proc->proc, ep->rma.seg, &ep->rma.n);
	lose_ops(ep);
}

void tr_shut(struct tr_ep *ep)
{
	ep->ended = true;
	rig_shutdown(ep->ep);
}

static void lose_proc(struct tr *tr, struct tr_proc *p)
{
	u32 i;

	for (i = 0; i < tr->neps; i++)
		if (tr->eps[i].proc == p)
			lose_ops(&tr->eps[i]);
	p->proc = NULL;
	p->ncq = 0;
}

void tr_kill_proc(struct tr *tr, struct tr_proc *p, bool killed)
{
	u32 i;

	if (!p->proc)
		return;
	for (i = 0; i < tr->neps && !killed; i++)
		if (tr->eps[i].proc == p)
			tr_kill_ep(tr, &tr->eps[i]);
	rig_proc_end(p->proc, killed);
	lose_proc(tr, p);
}

void tr_forget_node(struct tr *tr, struct rig_node *node)
{
	u32 i;

	for (i = 0; i < tr->nprocs; i++)
		if (tr->procs[i].proc && tr->procs[i].no % tr->conf.rig.nodes == node->index)
			lose_proc(tr, &tr->procs[i]);
}

void tr_revive(struct tr *tr)
{
	u32 i;

	for (i = 0; i < tr->nprocs; i++) {
		struct tr_proc *p = &tr->procs[i];

		if (p->proc || !tr->rig->node[p->no % tr->conf.rig.nodes].up)
			continue;
		make_proc(tr, p);
		introduce(tr, p);
	}
	for (i = 0; i < tr->neps; i++) {
		struct tr_ep *ep = &tr->eps[i];

		if (!ep->ep && ep->proc->proc && ep->proc->ncq < ARRAY_SIZE(ep->proc->cq))
			make_ep(tr, ep, ep->proc);
	}
}
