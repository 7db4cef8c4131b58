// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random traffic over the rig: checks when operations complete. One thread; no locks.
 */
#include "traffic_check.h"
#include "traffic_rma.h"

/* Bytes [8 * @word, + 8) of message @id; the first ones are its number. */
static u64 pattern(u64 id, u32 word)
{
	return word ? (id << 32 | word) * 0x9e3779b97f4a7c15ULL : id;
}

static u8 pattern_byte(u64 id, u32 off)
{
	u64 w = pattern(id, off / 8);

	return w >> (8 * (off % 8));
}

/*
 * Write @n bytes of message @id from @off on to @p, or compare them. Return: the offset of the
 * first difference, -1: none.
 */
static long run(u64 id, u32 off, u8 *p, u32 n, bool write)
{
	u32 i = 0;

	while (i < n) {
		u64 w = pattern(id, (off + i) / 8);

		if ((off + i) % 8 == 0 && n - i >= 8) {
			if (write)
				memcpy(p + i, &w, 8);
			else if (memcmp(p + i, &w, 8))
				return off + i;
			i += 8;
			continue;
		}
		if (write)
			p[i] = pattern_byte(id, off + i);
		else if (p[i] != pattern_byte(id, off + i))
			return off + i;
		i++;
	}
	return -1;
}

void tr_fill(struct tr_msg *m)
{
	u32 i, off = 0;

	for (i = 0; i < m->n; i++) {
		run(m->id, off, (u8 *)(uintptr_t)m->seg[i].addr, m->seg[i].len, true);
		off += m->seg[i].len;
	}
}

long tr_differs(const struct tr_msg *m)
{
	u32 i, off = 0;
	long at = -1;

	for (i = 0; i < m->n && at < 0; off += m->seg[i++].len)
		at = run(m->id, off, (u8 *)(uintptr_t)m->seg[i].addr, m->seg[i].len, false);
	return at;
}

void tr_drop_buffers(struct rig_proc *proc, struct weft_iov *seg, u32 *n)
{
	u32 i;

	for (i = 0; i < *n; i++)
		rig_buf_free(proc, (u8 *)(uintptr_t)seg[i].addr);
	*n = 0;
}

/* The first 8 bytes that were received, as a number. */
static u64 first_word(const struct tr_rcv *r)
{
	u64 w = 0;
	u32 i, k, at = 0;

	for (i = 0; i < r->n && at < 8; i++)
		for (k = 0; k < r->seg[i].len && at < 8; k++)
			w |= (u64)((u8 *)(uintptr_t)r->seg[i].addr)[k] << (8 * at++);
	return w;
}

static bool takes(const struct tr_rcv *r, const struct tr_msg *m)
{
	return r->ep == m->dst && r->tagged == m->tagged && !((r->tag ^ m->tag) & ~r->ignore) &&
	       (!r->from || r->from == m->src);
}

static void send_done(struct tr *tr, struct rig_cq *cq, const struct weft_cqe *e)
{
	struct tr_msg *m;

	if (!e->context || e->context > tr->nmsgs)
		tr_die(tr, "completion of send %llu", (unsigned long long)e->context);
	m = tr->msgs[e->context];
	if (m->done)
		tr_die(tr, "send %llu completes twice", (unsigned long long)m->id);
	if (!m->posted || !m->src->handle || m->src->tx != cq)
		tr_die(tr, "send %llu completes where it was not posted",
		       (unsigned long long)m->id);
	if (m->foreign && !tr->conf.trouble && e->status && e->status != ECONNREFUSED)
		tr_die(tr, "send %llu to another job: %u", (unsigned long long)m->id, e->status);
	if (m->foreign && !e->status && m->flags & WEFT_SQ_DELIVERY)
		tr_die(tr, "send %llu to another job is delivered", (unsigned long long)m->id);
	if (e->status && !tr->conf.trouble && !m->foreign)
		tr_die(tr, "send %llu of %u bytes fails: %u", (unsigned long long)m->id, m->len,
		       e->status);
	if (!e->status && !(m->flags & WEFT_SQ_COMPLETION))
		tr_die(tr, "send %llu completes though it was not asked for",
		       (unsigned long long)m->id);
	if (!!(e->flags & WEFT_CQE_TAGGED) != m->tagged || e->ep != (m->src->handle & 0xffff))
		tr_die(tr, "completion of send %llu: flags %x, endpoint %u",
		       (unsigned long long)m->id, e->flags, e->ep);
	if (!e->status && e->len != m->len)
		tr_die(tr, "send %llu of %u bytes: length %llu", (unsigned long long)m->id, m->len,
		       (unsigned long long)e->len);
	m->done = true;
	m->status = e->status;
	if (m->flags & WEFT_SQ_COMPLETION)
		m->src->open_tx--;
	tr_drop_buffers(m->src->proc->proc, m->seg, &m->n);
}

/* The message that a receive has taken. */
static struct tr_msg *find_message(struct tr *tr, const struct tr_rcv *r, const struct weft_cqe *e)
{
	u64 id = e->flags & WEFT_CQE_DATA ? e->data : first_word(r);

	if (!id || id > tr->nmsgs)
		tr_die(tr, "receive %llu has taken message %llx", (unsigned long long)r->id,
		       (unsigned long long)id);
	return tr->msgs[id];
}

static void check_bytes(struct tr *tr, const struct tr_msg *m, const struct tr_rcv *r)
{
	u32 i, k, off = 0, placed = min(m->len, r->room);

	for (i = 0; i < r->n; i++) {
		u8 *p = (u8 *)(uintptr_t)r->seg[i].addr;
		u32 n = min_t(u64, r->seg[i].len, placed - off);
		long at = run(m->id, off, p, n, false);

		if (at >= 0)
			tr_die(tr, "message %llu of %u bytes differs at %ld",
			       (unsigned long long)m->id, m->len, at);
		for (k = n; k < r->seg[i].len; k++)
			if (p[k] != 0xa5)
				tr_die(tr, "message %llu: written beyond its end",
				       (unsigned long long)m->id);
		off += n;
	}
}

static void recv_failed(struct tr *tr, struct tr_rcv *r, const struct weft_cqe *e)
{
	bool canceled = e->status == ECANCELED;

	if (!tr->conf.trouble && !(canceled && r->stray))
		tr_die(tr, "receive %llu fails: %u", (unsigned long long)r->id, e->status);
	if (canceled && (e->tag != r->tag || e->len))
		tr_die(tr, "canceled receive %llu: tag %llx, length %llu",
		       (unsigned long long)r->id, (unsigned long long)e->tag,
		       (unsigned long long)e->len);
}

static void recv_done(struct tr *tr, struct rig_cq *cq, const struct weft_cqe *e)
{
	struct tr_rcv *r;
	struct tr_msg *m;

	if (!e->context || e->context > tr->nrcvs)
		tr_die(tr, "completion of receive %llu", (unsigned long long)e->context);
	r = tr->rcvs[e->context];
	if (r->done)
		tr_die(tr, "receive %llu completes twice", (unsigned long long)r->id);
	if (!r->posted || !r->ep->handle || r->ep->rx != cq)
		tr_die(tr, "receive %llu completes where it was not posted",
		       (unsigned long long)r->id);
	if (!!(e->flags & WEFT_CQE_TAGGED) != r->tagged || e->ep != (r->ep->handle & 0xffff))
		tr_die(tr, "completion of receive %llu: flags %x", (unsigned long long)r->id,
		       e->flags);
	r->done = true;
	r->ep->open_rx--;
	if (e->status && e->status != EMSGSIZE) {
		recv_failed(tr, r, e);
		tr_drop_buffers(r->ep->proc->proc, r->seg, &r->n);
		return;
	}
	m = find_message(tr, r, e);
	if (m->src->proc->job != r->ep->proc->job)
		tr_die(tr, "message %llu of job %u is received in job %u",
		       (unsigned long long)m->id, m->src->proc->job, r->ep->proc->job);
	if (m->by)
		tr_die(tr, "message %llu is taken twice", (unsigned long long)m->id);
	if (!m->posted || !takes(r, m))
		tr_die(tr, "receive %llu has taken message %llu", (unsigned long long)r->id,
		       (unsigned long long)m->id);
	if (e->tag != m->tag || e->len != m->len || (e->flags & WEFT_CQE_DATA && !m->has_data) ||
	    e->olen != m->len - min(m->len, r->room) ||
	    e->status != (m->len > r->room ? EMSGSIZE : 0))
		tr_die(tr,
		       "message %llu: tag %llx length %llu (%u) cut by %llu (room %u) status %u",
		       (unsigned long long)m->id, (unsigned long long)e->tag,
		       (unsigned long long)e->len, m->len, (unsigned long long)e->olen, r->room,
		       e->status);
	if (!tr->conf.msg && e->src != m->src->index[r->ep->proc->no] &&
	    (!tr->conf.strangers || r->from || e->src != WEFT_SRC_ANY))
		tr_die(tr, "message %llu: source %u", (unsigned long long)m->id, e->src);
	check_bytes(tr, m, r);
	m->by = r;
	tr->open--;
	tr_drop_buffers(r->ep->proc->proc, r->seg, &r->n);
}

/* Use a sum: receives complete when their bytes have arrived, which is no fixed order. */
static void digest(struct tr_ep *ep, const struct weft_cqe *e)
{
	const u64 words[] = { e->context, e->tag, e->len, e->olen, e->data, e->src,
			      e->flags & ~WEFT_CQE_INLINE, e->status };
	u64 sum = 0xcbf29ce484222325ull;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		sum = (sum ^ words[i]) * 0x100000001b3ull;
	ep->cqes += sum;
	ep->ncqe++;
}

void tr_complete(struct tr *tr, struct rig_cq *cq, const struct weft_cqe *e)
{
	if (e->flags & (WEFT_CQE_WRITE | WEFT_CQE_READ)) {
		tr_rma_done(tr, cq, e);
		return;
	}
	if (e->flags & WEFT_CQE_SEND)
		send_done(tr, cq, e);
	else
		recv_done(tr, cq, e);
	digest(e->flags & WEFT_CQE_SEND ? tr->msgs[e->context]->src : tr->rcvs[e->context]->ep, e);
}

/*
 * Check two messages of one pair of endpoints in the sender's same life. A receive took the later
 * message. If it fits the earlier one, no later receive may have taken that. The rule holds in any
 * order of arrivals and posts.
 */
static bool overtook(const struct tr_msg *later, const struct tr_msg *first)
{
	return later->dst == first->dst && later->life == first->life && later->by &&
	       later->by->posted < first->by->posted && takes(later->by, first);
}

void tr_check_order(struct tr *tr)
{
	u32 e, i, k;

	for (e = 0; e < tr->neps; e++) {
		struct tr_ep *ep = &tr->eps[e];

		for (i = 0; i < ep->next_msg; i++) {
			struct tr_msg *a = ep->msgs[i];

			for (k = i + 1; a->by && k < ep->next_msg; k++)
				if (overtook(ep->msgs[k], a))
					tr_die(tr, "message %llu has overtaken message %llu",
					       (unsigned long long)ep->msgs[k]->id,
					       (unsigned long long)a->id);
		}
	}
}

void tr_check_delivered(struct tr *tr)
{
	u32 i;

	for (i = 1; i <= tr->nmsgs && !tr->faults; i++) {
		struct tr_msg *m = tr->msgs[i];

		if (m->posted && m->done && !m->status && !m->by && m->flags & WEFT_SQ_DELIVERY &&
		    m->flags & WEFT_SQ_COMPLETION && m->src->life == m->life && m->src->ep &&
		    m->dst->life == m->dst_life && m->dst->ep && !m->dst->shut &&
		    !m->dst->ended)
			tr_die(tr, "message %llu of %u bytes (flags %x, %s) from node %u to %u: delivered and not there",
			       (unsigned long long)m->id, m->len, m->flags,
			       m->tagged ? "tagged" : "untagged",
			       m->src->proc->proc->node->index, m->dst->proc->proc->node->index);
	}
}

void tr_check_paths(struct tr *tr)
{
	struct weft_path_info i;
	struct weft_path *path;
	u32 n, k;

	for (n = 0; n < tr->conf.rig.nodes; n++) {
		struct rig_node *node = &tr->rig->node[n];

		for (k = 0; node->up && (path = weft_path_next(&node->core, &k));) {
			weft_path_look(path, &i);
			weft_path_put(path);
			if (i.srtt > NSEC_PER_SEC || i.cwnd > WEFT_LANES * WEFT_WINDOW)
				tr_die(tr, "round-trip time %llu, window %u",
				       (unsigned long long)i.srtt, i.cwnd);
		}
	}
}

/* Return: no packet passes between two nodes, in one of the directions. */
static bool apart(struct tr *tr, const struct tr_proc *a, const struct tr_proc *b)
{
	u32 n = tr->conf.rig.nodes, from = a->no % n, to = b->no % n;

	return !tr->rig->node[to].up ||
	       (from != to && (rig_is_cut(tr->rig, from, to) || rig_is_cut(tr->rig, to, from)));
}

void tr_check_gone(struct tr *tr)
{
	u32 i;

	for (i = 1; i <= tr->nmsgs; i++) {
		const struct tr_msg *m = tr->msgs[i];

		if (m->posted && !m->done && m->flags & WEFT_SQ_COMPLETION && m->src->ep &&
		    m->src->life == m->life && apart(tr, m->src->proc, m->dst->proc))
			tr_die(tr, "send %llu from node %u to node %u, which is gone, waits for ever",
			       (unsigned long long)m->id, m->src->proc->no % tr->conf.rig.nodes,
			       m->dst->proc->no % tr->conf.rig.nodes);
	}
	for (i = 0; i < tr->neps; i++) {
		const struct tr_ep *ep = &tr->eps[i];

		if (ep->ep && ep->rma.posted && !ep->rma.done &&
		    apart(tr, ep->proc, ep->rma.dst->proc))
			tr_die(tr, "an operation of endpoint %u waits for ever", i);
	}
}
