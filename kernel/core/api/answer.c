// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - answers to questions of other nodes: what an endpoint of this node does and waits for
 *
 * "weftctl hang" on another node asks. A receive whose sender is silent, or a send that no receive
 * takes, has its cause here. The setting "questions" of the port permits answers; by default it is
 * off. Then, and to an endpoint of another job, the answer says no more than that. Members of a job
 * prove that by the job's key. In the default job, which has no key, each node may ask.
 *
 * An answer names the endpoint's program, counts what concerns the asking endpoint, and says what
 * the oldest receive waits for. It has no bytes of messages and no addresses of memory. It is a
 * picture of the moment: nothing is kept. The work for an answer is bounded (WEFT_LOOK_STEPS for
 * each list), and so is the rate of answers on a path.
 *
 * Locks: path->lock is held by the callers; ep->lock, or srq->lock for shared receives, is taken
 * inside.
 */
#include "core/base/rate.h"
#include "core/api/internal.h"

#define WEFT_ANSWER_BURST	16			/* answers at once */
#define WEFT_ANSWER_GAP		(50 * NSEC_PER_MSEC)	/* and then one in each */

static u32 weft_answer_ms(weft_ns ns)
{
	return (u32)min_t(u64, ns / NSEC_PER_MSEC, U32_MAX);
}

/* Is the sender with index @src of @av the endpoint @from? */
static bool weft_answer_is(struct weft_av *av, u32 src, const struct weft_sockaddr *from)
{
	struct weft_sockaddr addr;

	if (src == WEFT_SRC_ANY)
		return true;
	weft_look_addr(av, src, &addr);
	return addr.port == from->port && weft_addr_same_node(&addr, from);
}

/* The oldest receive of @held is @p. */
static void weft_answer_post(struct weft_held *held, const struct weft_mpost *p, weft_ns now)
{
	const struct weft_post *post = container_of(p, struct weft_post, match);

	held->ms = weft_answer_ms(weft_since(now, post->at));
	held->tag = p->tag;
	held->ignore = p->ignore;
	held->tagged = p->kind == WEFT_TAGGED;
	held->named = p->src != WEFT_SRC_ANY;
	held->least = post->flags & WEFT_POST_FOUND;
}

/*
 * Mark the receives in @m, which @lock protects, that were read from the ring now. @fresh: posting
 * order of the first one. Their ages are not known, here and in later looks.
 */
static void weft_answer_found(struct weft_match *m, struct weft_lock *lock, u64 fresh)
{
	struct weft_list *l;

	weft_assert_held(lock);
	for (l = m->posts.prev; l != &m->posts; l = l->prev) {
		struct weft_mpost *p = weft_entry(l, struct weft_mpost, order);

		if (p->seq < fresh)
			break;
		container_of(p, struct weft_post, match)->flags |= WEFT_POST_FOUND;
	}
}

/* Receives in @m, which @lock protects: those that take messages of @from, and all. */
static void weft_answer_posts(struct weft_match *m, struct weft_lock *lock, struct weft_av *av,
			      const struct weft_sockaddr *from, weft_ns now, struct weft_answer *a)
{
	struct weft_list *l;
	u32 steps = 0;

	weft_assert_held(lock);
	a->wait.n = m->nposts;
	weft_list_for_each(l, &m->posts) {
		const struct weft_mpost *p = weft_entry(l, struct weft_mpost, order);

		if (!steps++) {
			weft_answer_post(&a->wait, p, now);
			weft_look_addr(av, p->src, &a->peer);
		}
		if (weft_answer_is(av, p->src, from) && !a->recv.n++)
			weft_answer_post(&a->recv, p, now);
		if (steps == WEFT_LOOK_STEPS)
			break;
	}
}

/* Messages of @from that no receive has taken. */
static void weft_answer_msgs(const struct weft_ep *ep, const struct weft_sockaddr *from,
			     weft_ns now, struct weft_answer *a)
{
	struct weft_list *l;
	u32 kind, ms, steps;

	weft_assert_held(&ep->lock);
	for (kind = 0; kind < WEFT_KINDS; kind++) {
		steps = 0;
		weft_list_for_each(l, &ep->rx.match.unexp[kind]) {
			const struct weft_munexp *u = weft_entry(l, struct weft_munexp, order);
			const struct weft_rxm *rxm = container_of(u, struct weft_rxm, rx.match);

			if (steps++ == WEFT_LOOK_STEPS)
				break;
			if (rxm->id.ssvc != be16_to_cpu(from->port) ||
			    !weft_addr_same_node(&rxm->from, from))
				continue;
			ms = weft_answer_ms(weft_since(now, rxm->rx.at));
			if (a->msg.n++ && ms <= a->msg.ms)
				continue;
			a->msg.ms = ms;
			a->msg.tag = rxm->tag;
			a->msg.tagged = kind == WEFT_TAGGED;
		}
	}
}

/* Completions of @cq that wait for space. */
static u32 weft_answer_full(struct weft_cq *cq)
{
	struct weft_cq_info info = { .waiting = 0 };

	if (cq)
		weft_cq_look(cq, &info);
	return info.waiting;
}

static void weft_answer_sends(struct weft_path *path, const struct weft_ep *ep, u16 service,
			      weft_ns now, struct weft_answer *a)
{
	struct weft_send_info oldest;

	a->send.n = weft_look_sends_to(path, ep, service, now, &oldest);
	if (!a->send.n)
		return;
	a->send.ms = weft_answer_ms(oldest.age);
	a->send.tag = oldest.tag;
	a->send.tagged = oldest.op == WEFT_SQ_TSEND;
	a->send.waits = oldest.waits;
}

/* What @ep does, and what it has of the peer's endpoint @service */
static void weft_answer_fill(struct weft_path *path, struct weft_ep *ep, u16 service,
			     struct weft_answer *a, struct weft_out *out)
{
	struct weft_sockaddr from = path->node.addr;
	struct weft_srq *srq = ep->rx.srq;
	u64 fresh;

	weft_assert_held(&path->lock);
	from.port = cpu_to_be16(service);
	a->program = weft_env_program(path->core, ep->conf.program.pid);
	a->pid = ep->conf.program.pid;
	BUILD_BUG_ON(sizeof(a->comm) != sizeof(ep->conf.program.comm));
	memcpy(a->comm, ep->conf.program.comm, sizeof(a->comm));
	a->full = weft_answer_full(ep->rx_cq);
	if (ep->tx_cq != ep->rx_cq)
		a->full += weft_answer_full(ep->tx_cq);
	weft_lock(&ep->lock);
	fresh = ep->rx.match.seq;
	if (!srq) {
		/* receives of which the program has not notified the kernel */
		if (ep->state == WEFT_EPS_ENABLED || ep->state == WEFT_EPS_CONNECTED)
			weft_recv_drain(ep, out);
		weft_answer_found(&ep->rx.match, &ep->lock, fresh);
		weft_answer_posts(&ep->rx.match, &ep->lock, ep->av, &from, out->now, a);
	}
	weft_answer_msgs(ep, &from, out->now, a);
	weft_unlock(&ep->lock);
	if (srq) {
		weft_lock(&srq->lock);
		fresh = srq->match.seq;
		weft_srq_fetch(srq, out->now);
		weft_answer_found(&srq->match, &srq->lock, fresh);
		weft_answer_posts(&srq->match, &srq->lock, READ_ONCE(srq->av), &from, out->now, a);
		weft_unlock(&srq->lock);
	}
	weft_answer_sends(path, ep, service, out->now, a);
}

/* Is the question of a member of the endpoint's job? */
static bool weft_answer_may(struct weft_path *path, const struct weft_ep *ep,
			    const struct weft_w_question *w)
{
	struct weft_flowid id = {
		.ssvc = be16_to_cpu(w->ssvc),
		.dsvc = be16_to_cpu(ep->addr.port),
		.sgen = be32_to_cpu(w->no),
	};

	if (be64_to_cpu(w->auth) == weft_job_auth(ep->job, path->token, &id, WEFT_AUTH_QUESTION))
		return true;
	weft_count(path->core, wrong_job);
	return false;
}

/**
 * weft_answer_rx - answer QUESTION
 * @path: the path, UP, locked
 * @w: the chunk
 * @out: output
 */
void weft_answer_rx(struct weft_path *path, const struct weft_w_question *w, struct weft_out *out)
{
	u32 len = WEFT_WIRE_HDR + WEFT_WIRE_CHUNK + sizeof(struct weft_w_answer);
	struct weft_core *core = path->core;
	struct weft_answer a = { .status = WEFT_ANSWER_NONE };
	struct weft_ep *ep;
	struct weft_tx *tx;

	weft_assert_held(&path->lock);
	BUILD_BUG_ON(WEFT_WIRE_HDR + WEFT_WIRE_CHUNK + sizeof(struct weft_w_answer) > WEFT_TX_RAW);
	if (!weft_rate_token(&path->echo.asked, WEFT_ANSWER_BURST, WEFT_ANSWER_GAP, out->now))
		return;
	if (!READ_ONCE(core->conf.questions)) {
		a.status = WEFT_ANSWER_OFF;
	} else {
		ep = weft_core_service(core, be16_to_cpu(w->dsvc));
		if (ep && READ_ONCE(ep->state) != WEFT_EPS_DEAD && weft_answer_may(path, ep, w)) {
			a.status = WEFT_ANSWER_OK;
			weft_answer_fill(path, ep, be16_to_cpu(w->ssvc), &a, out);
		}
		if (ep)
			weft_ep_put(ep);
	}
	tx = weft_frame_plain(path, len, 0, out);
	if (!tx)
		return;
	weft_wire_answer_put(tx->raw + WEFT_WIRE_HDR, be32_to_cpu(w->no), &a);
	weft_count(core, questions_answered);
}
