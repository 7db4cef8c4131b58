// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - endpoints: create, enable, notify, kill
 *
 *	NEW -> ENABLED (connectionless: works) -> CONNECTING | ACCEPTED -> CONNECTED -> CLOSED
 *	NEW -> LISTENING
 *	any -> ERROR	a ring could not be decoded, or the port is going: nothing more is accepted
 *	any -> DEAD	killed
 *
 * Sends and receives are allocated in blocks, the first ones with the endpoint, and live as long as
 * it does. Operations that are under way at its kill hold references on it. They use neither its
 * rings nor its queues.
 *
 * Locks: ep->sq_mutex, core->lock, core->svc_lock and ep->lock, taken here in the order of
 * Documentation/locking.rst. Process context.
 */
#include "core/api/monitor.h"

/* Choose the own address for a request. Return: 0, -EADDRNOTAVAIL, -EAFNOSUPPORT. */
static int weft_ep_address(struct weft_core *core, const struct weft_sockaddr *want,
			   struct weft_sockaddr *addr)
{
	bool family = false;
	u32 i;

	if (!want->family) {
		*addr = core->addr[0];
		addr->port = want->port;
		return 0;
	}
	for (i = 0; i < core->naddr; i++) {
		if (core->addr[i].family != want->family)
			continue;
		family = true;
		if (weft_addr_same_node(&core->addr[i], want)) {
			*addr = core->addr[i];
			addr->port = want->port;
			return 0;
		}
	}
	return family ? -EADDRNOTAVAIL : -EAFNOSUPPORT;
}

/* Allocate @n receives. @all: the blocks to which they belong. Return: 0, -ENOSPC, -ENOMEM. */
static int weft_ep_posts(struct weft_ep *ep, u32 n, struct weft_posts **all,
			 struct weft_list *free)
{
	struct weft_posts *posts;
	int err = weft_ep_memory(ep, struct_size(posts, post, n), &posts);

	if (err)
		return err;
	weft_posts_init(posts, n, ep, NULL);
	weft_posts_add(all, posts, free);
	return 0;
}

/* Allocate what the receive ring needs at first. grow.c adds to it. */
static int weft_ep_rq(struct weft_ep *ep)
{
	u32 n = min(ep->conf.rq_slots, WEFT_POSTS);
	int err;

	if (!n)
		return 0;
	ep->rx.cut = weft_alloc_sleep(DIV_ROUND_UP(ep->conf.rq_slots, 64) * sizeof(*ep->rx.cut));
	if (!ep->rx.cut)
		return -ENOMEM;
	ep->rx.nposts = n;
	err = weft_ep_posts(ep, n, &ep->rx.posts, &ep->rx.post_free);
	return err ?: weft_ep_posts(ep, WEFT_PARTS, &ep->rx.parts, &ep->rx.part_free);
}

/* Allocate what the send ring needs at first. weft_send_grow() adds to it. */
static int weft_ep_sq(struct weft_ep *ep)
{
	ep->tx.scratch = weft_alloc_sleep(ep->conf.type == WEFT_EP_DGRAM ? WEFT_REC_RAW :
									WEFT_SHORT_MAX);
	return ep->tx.scratch ? weft_ep_txms(ep) : -ENOMEM;
}

static int weft_ep_slots(struct weft_ep *ep)
{
	int err;

	if (weft_match_init(&ep->rx.match, WEFT_POSTS, WEFT_POSTS))
		return -ENOMEM;
	if (ep->conf.type == WEFT_EP_PASSIVE)
		return 0;
	err = weft_ep_sq(ep) ?: weft_ep_rq(ep);
	if (err)
		return err;
	weft_ring_init(&ep->tx.ring, ep->conf.sq, ep->conf.sq_slots);
	if (ep->conf.flags & WEFT_EPF_FENCE)
		ep->tx.ring.known |= WEFT_SQ_FENCE;
	if (ep->conf.flags & WEFT_EPF_VARIABLE)
		ep->tx.ring.longest = WEFT_MSG_LIMIT;
	if (ep->conf.type == WEFT_EP_DGRAM)
		ep->tx.ring.known |= WEFT_SQ_GROUP;
	ep->tx.ring.rma = ep->conf.flags & WEFT_EPF_RMA && ep->conf.type != WEFT_EP_DGRAM;
	weft_ring_init(&ep->rx.ring, ep->conf.rq, ep->conf.rq_slots);
	ep->rx.ring.announce = ep->conf.type != WEFT_EP_DGRAM;
	return 0;
}

struct weft_ep *weft_ep_new(struct weft_core *core, const struct weft_ep_conf *conf)
{
	struct weft_sockaddr addr;
	struct weft_user *user;
	struct weft_ep *ep;
	int err;

	if (conf->type < WEFT_EP_MSG || conf->type > WEFT_EP_PASSIVE)
		return ERR_PTR(-EINVAL);
	err = weft_ep_address(core, &conf->addr, &addr);
	if (err)
		return ERR_PTR(err);
	ep = weft_alloc_sleep(sizeof(*ep));
	if (!ep)
		return ERR_PTR(-ENOMEM);
	ep->core = core;
	ep->conf = *conf;
	ep->addr = addr;
	refcount_set(&ep->ref, 1);
	weft_memctx_get(conf->mc);
	weft_mutex_init(&ep->sq_mutex);
	weft_lock_init(&ep->lock, WEFT_RANK_EP);
	weft_list_init(&ep->node);
	weft_list_init(&ep->rx.post_free);
	weft_list_init(&ep->rx.part_free);
	weft_list_init(&ep->tx.free);
	weft_list_init(&ep->rx.active);
	weft_list_init(&ep->rx.spare);
	weft_lists_init(ep->rx.turn, WEFT_TURNS);
	weft_list_init(&ep->rx.claims);
	weft_list_init(&ep->tx.fences);
	weft_list_init(&ep->tx.fired);
	weft_list_init(&ep->rx.fired);
	weft_list_init(&ep->tx.groups);
	ep->flow.slow = conf->type == WEFT_EP_DGRAM || conf->flags & WEFT_EPF_FENCE;
	weft_list_init(&ep->cm.reqs);
	weft_list_init(&ep->cm.ev_conn.node);
	weft_list_init(&ep->cm.ev_shut.node);
	weft_list_init(&ep->ev_err.node);
	weft_list_init(&ep->rx.ev_last.node);
	weft_list_init(&ep->rx.taken);
	weft_lists_init(ep->rx.wait, WEFT_KINDS);
	ep->rx.ev_last.owned = true;
	ep->cm.ev_conn.owned = true;
	ep->cm.ev_shut.owned = true;
	ep->ev_err.owned = true;
	weft_list_init(&ep->flow.list);
	weft_list_init(&ep->retry);
	weft_list_init(&ep->mon.node);
	weft_idtable_init(&ep->flow.peers, (u32)core->key[0]);
	weft_work_init(&ep->tx.work, WEFT_WORK_SQ, conf->ctx);
	weft_work_init(&ep->rx.work, WEFT_WORK_RQ, conf->ctx);
	weft_work_init(&ep->brk_work, WEFT_WORK_BREAK, conf->ctx);
	weft_work_init(&ep->cm.ask_work, WEFT_WORK_ASK, conf->ctx);
	weft_work_init(&ep->tidy_work, WEFT_WORK_TIDY, conf->ctx);
	weft_work_init(&ep->mon.work, WEFT_WORK_MONITOR, conf->ctx);
	user = weft_user_enter(core, conf->uid, WEFT_USE_EPS);
	err = IS_ERR(user) ? PTR_ERR(user) : 0;
	if (!err) {
		ep->user = user;
		err = weft_ep_slots(ep);
	}
	if (!err) {
		weft_lock(&core->lock);
		if (core->stopped) {
			err = -ENODEV;
		} else {
			if (conf->job)
				ep->job = weft_job_join(conf->job);
			core->neps++;
			weft_list_add_tail(&core->eps, &ep->node);
		}
		weft_unlock(&core->lock);
	}
	if (err) {
		weft_ep_put(ep);
		return ERR_PTR(err);
	}
	return ep;
}

/* ---- Notify calls ----------------------------------------------------------------------- */

int weft_ep_enable(struct weft_ep *ep, const struct weft_ep_queues *q)
{
	bool first;
	int err;

	weft_mutex_lock(&ep->sq_mutex);
	first = ep->state == WEFT_EPS_NEW;
	err = weft_ep_ready(ep, q);
	if (!err && first)
		weft_monitor_begin(ep);
	weft_mutex_unlock(&ep->sq_mutex);
	return err;
}

/*
 * The fast path has just refused the next send, within the node: have the receiver keep it. Return:
 * true if it was the only one.
 */
static bool weft_ep_keep(struct weft_ep *ep, struct weft_out *out)
{
	weft_mutex_assert_held(&ep->sq_mutex);
	if (READ_ONCE(ep->tx.aside) || ep->tx.unsent || READ_ONCE(ep->reclaim_at) ||
	    !weft_fast_keep(ep, out) || ep->tx.ring.cons != ep->tx.ring.prod)
		return false;
	weft_send_publish(ep);
	return true;
}

int weft_ep_notify(struct weft_ep *ep, u32 flags, weft_ns now, struct weft_out *out)
{
	bool alone = false;
	u32 state;
	int err = 0;

	out->now = now;
	if (flags & WEFT_NOTIFY_SQ) {
		weft_mutex_lock(&ep->sq_mutex);
		state = READ_ONCE(ep->state);
		if (state != WEFT_EPS_NEW && state != WEFT_EPS_LISTENING &&
		    state < WEFT_EPS_ERROR) {
			bool kept = ep->tx.slow && weft_ep_keep(ep, out);

			alone = !kept && weft_fast_out(ep, out);
			if (!kept && !alone)
				err = weft_send_drain(ep, 0, out);
		} else if (state == WEFT_EPS_ERROR && ep->tx.flush) {
			err = weft_send_drain(ep, ep->tx.flush, out);
		}
		weft_mutex_unlock(&ep->sq_mutex);
		/* after a message alone only wake-ups can be left */
		if (alone && flags == WEFT_NOTIFY_SQ && weft_list_empty(&out->wake) &&
		    weft_list_empty(&out->wake_eq) && weft_list_empty(&out->deferred))
			return 0;
	}
	if (flags & WEFT_NOTIFY_RQ && !weft_fast_serve(ep, out))
		weft_recv_all(ep, out);
	weft_flush(out);
	return err;
}

int weft_ep_cancel(struct weft_ep *ep, u64 context, weft_ns now, struct weft_out *out)
{
	int err = 0;

	out->now = now;
	weft_recv_all(ep, out);
	weft_lock(&ep->lock);
	if (ep->state == WEFT_EPS_NEW || ep->state == WEFT_EPS_LISTENING ||
	    ep->state == WEFT_EPS_DEAD || ep->rx.srq) {
		err = -EINVAL;
	} else {
		weft_recv_drain(ep, out);
		if (!weft_recv_cancel(ep, context, out) && ep->rx.stalled &&
		    (ep->rx_cq || ep->rx_cntr))
			err = weft_recv_cut(ep, context, out);
	}
	weft_unlock(&ep->lock);
	return err;
}

/* ---- Destruction ----------------------------------------------------------------- */

/**
 * weft_ep_stop - end the operations of an endpoint, because the port is going
 * @ep: the endpoint
 * @err: errno
 * @out: output
 */
void weft_ep_stop(struct weft_ep *ep, int err, struct weft_out *out)
{
	weft_lock(&ep->lock);
	if (ep->state != WEFT_EPS_NEW && ep->state != WEFT_EPS_LISTENING)
		weft_recv_drain(ep, out);
	weft_ep_error(ep, err, out);
	weft_recv_cancel_all(ep, err, out);
	weft_recv_drop_all(ep, out);
	/* entries that are left had no receive: they fail when one becomes free, or is allocated */
	if (ep->rx.stalled) {
		ep->rx.flush = (u16)err;
		ep->rx.paused = false;
		weft_recv_drain(ep, out);
	}
	weft_unlock(&ep->lock);
}

/* Take back the waiting completion of a receive, and free the receive. ep->lock is held. */
static void weft_ep_forget_post(struct weft_ep *ep, struct weft_post *post, struct weft_cq *rx_cq,
				struct weft_out *out)
{
	weft_assert_held(&ep->lock);
	if (!post->waits || !weft_cq_forget(rx_cq, &post->ovf))
		return;
	post->waits = false;
	weft_post_free(ep, post, out);
	/* not the last reference: the caller of the kill has one */
	weft_ep_put(ep);
}

static void weft_ep_forget_posts(struct weft_ep *ep, struct weft_posts *posts,
				 struct weft_cq *rx_cq, struct weft_out *out)
{
	u32 i;

	for (i = 0; i < posts->n; i++) {
		weft_lock(&ep->lock);
		weft_ep_forget_post(ep, &posts->post[i], rx_cq, out);
		weft_unlock(&ep->lock);
	}
}

/* Take back the waiting completion of a send, and drop its reference. */
static void weft_ep_forget_txm(struct weft_ep *ep, struct weft_txm *txm, struct weft_cq *tx_cq,
			       struct weft_out *out)
{
	bool mine;

	weft_lock(&ep->lock);
	mine = txm->tx.waits && weft_cq_forget(tx_cq, &txm->ovf);
	if (mine)
		txm->tx.waits = false;
	weft_unlock(&ep->lock);
	if (mine)
		weft_txm_put(txm, out);
}

/* Take back the waiting completions, and free their objects. The endpoint is dead. */
static void weft_ep_forget(struct weft_ep *ep, struct weft_cq *tx_cq, struct weft_cq *rx_cq,
			   struct weft_out *out)
{
	struct weft_list *l, *tmp;
	struct weft_posts *posts;
	struct weft_txms *txms;
	u32 i;

	/* no block is added any more */
	for (txms = tx_cq ? ep->tx.txms : NULL; txms; txms = txms->next)
		for (i = 0; i < txms->n; i++)
			weft_ep_forget_txm(ep, &txms->txm[i], tx_cq, out);
	if (!rx_cq)
		return;
	weft_rma_forget(ep, rx_cq);
	weft_lock(&ep->lock);
	posts = ep->rx.posts;
	weft_unlock(&ep->lock);
	for (; posts; posts = posts->next)
		weft_ep_forget_posts(ep, posts, rx_cq, out);
	if (ep->rx.parts)
		weft_ep_forget_posts(ep, ep->rx.parts, rx_cq, out);
	weft_lock(&ep->lock);
	weft_list_for_each_safe(l, tmp, &ep->rx.taken)
		weft_ep_forget_post(ep, weft_entry(l, struct weft_post, node), rx_cq, out);
	weft_unlock(&ep->lock);
}

/*
 * First part of a kill: afterwards no operation begins, and rings and queues are not written.
 */
static void weft_ep_die(struct weft_ep *ep, struct weft_out *out)
{
	/* its queues, then its counters */
	struct weft_cq *cq[4 + WEFT_RMA_CNTRS];
	struct weft_list *l;
	struct weft_eq *eq;
	u32 i;

	weft_service_release(ep);
	if (ep->job)
		weft_job_leave(ep->job);
	weft_group_leave_all(ep, out);
	weft_lock(&ep->lock);
	WRITE_ONCE(ep->state, WEFT_EPS_DEAD);
	weft_recv_cancel_all(ep, ECANCELED, out);
	weft_recv_drop_all(ep, out);
	if (ep->rx.srq)
		weft_srq_leave(ep);
	cq[0] = ep->tx_cq;
	cq[1] = ep->rx_cq;
	cq[2] = ep->tx_cntr;
	cq[3] = ep->rx_cntr;
	memcpy(&cq[4], ep->rma_cntr, sizeof(ep->rma_cntr));
	eq = ep->eq;
	ep->av = NULL;
	weft_unlock(&ep->lock);
	if (ep->conf.triggers)
		weft_triggers_forget(ep->conf.triggers, ep);
	weft_ep_drop_fired(ep);

	weft_ep_drop_sends(ep, ECANCELED, out);
	weft_cm_kill(ep, out);
	while ((l = weft_list_first(&ep->flow.list)))
		weft_flow_forget(weft_entry(l, struct weft_flow, ep_node), out);
	weft_ep_forget(ep, cq[0], cq[1], out);
	if (eq) {
		weft_eq_forget(eq, &ep->ev_err);
		weft_eq_purge(eq, ep->conf.handle);
	}
	weft_lock(&ep->lock);
	ep->tx_cq = NULL;
	ep->rx_cq = NULL;
	ep->tx_cntr = NULL;
	ep->rx_cntr = NULL;
	memset(ep->rma_cntr, 0, sizeof(ep->rma_cntr));
	ep->eq = NULL;
	weft_unlock(&ep->lock);
	for (i = 0; i < ARRAY_SIZE(cq); i++)
		if (cq[i])
			weft_cq_put(cq[i]);
	if (eq)
		weft_eq_put(eq);
	weft_lock(&ep->core->lock);
	weft_list_del(&ep->node);
	weft_list_del(&ep->retry);
	weft_list_del(&ep->mon.node);
	ep->core->neps--;
	weft_unlock(&ep->core->lock);
}

bool weft_ep_kill(struct weft_ep *ep, weft_ns now, struct weft_out *out)
{
	bool more;

	out->now = now;
	weft_mutex_lock(&ep->sq_mutex);
	if (!ep->killed) {
		ep->killed = true;
		weft_ep_die(ep, out);
	}
	more = weft_ep_drop_active(ep, ECANCELED, out);
	weft_mutex_unlock(&ep->sq_mutex);
	return more;
}

/* ---- Names ----------------------------------------------------------------------- */

int weft_ep_setname(struct weft_ep *ep, const struct weft_sockaddr *addr)
{
	struct weft_core *core = ep->core;
	struct weft_sockaddr own;
	int err;

	if (!addr->family)
		return -EINVAL;
	err = weft_ep_address(core, addr, &own);
	if (err)
		return err;
	weft_mutex_lock(&ep->sq_mutex);
	weft_lock(&core->svc_lock);
	if (ep->state != WEFT_EPS_NEW)
		err = -EBUSY;
	else if (own.port && weft_service_used(core, be16_to_cpu(own.port)))
		err = -EADDRINUSE;
	else
		ep->addr = own;
	weft_unlock(&core->svc_lock);
	weft_mutex_unlock(&ep->sq_mutex);
	return err;
}

void weft_ep_getname(struct weft_ep *ep, struct weft_sockaddr *addr)
{
	weft_lock(&ep->core->svc_lock);
	*addr = ep->addr;
	weft_unlock(&ep->core->svc_lock);
}

int weft_ep_getpeer(struct weft_ep *ep, struct weft_sockaddr *addr)
{
	int err = -ENOTCONN;

	weft_lock(&ep->lock);
	if (ep->cm.conn && (weft_ep_connected(ep) || ep->state == WEFT_EPS_ACCEPTED)) {
		*addr = ep->cm.conn->addr;
		err = 0;
	}
	weft_unlock(&ep->lock);
	return err;
}

void weft_ep_look(struct weft_ep *ep, struct weft_ep_info *info)
{
	memset(info, 0, sizeof(*info));
	info->type = ep->conf.type;
	info->handle = ep->conf.handle;
	if (ep->job)
		memcpy(info->job, weft_job_name(ep->job), sizeof(info->job));
	weft_ep_getname(ep, &info->addr);
	weft_lock(&ep->lock);
	info->state = ep->state;
	if (ep->cm.conn)
		info->peer = ep->cm.conn->addr;
	info->srq = ep->rx.srq ? ep->rx.srq->conf.handle : WEFT_HANDLE_NONE;
	info->posted = ep->rx.match.nposts;
	info->unexp = ep->rx.match.nunexp;
	info->sending = ep->tx.ntxm;
	info->sent = READ_ONCE(ep->tx.nsent);
	info->sent_bytes = READ_ONCE(ep->tx.sent_bytes);
	info->received = ep->rx.nrecv;
	info->received_bytes = ep->rx.recv_bytes;
	info->truncated = ep->rx.ntoolong;
	info->truncated_at = ep->rx.toolong_at;
	weft_unlock(&ep->lock);
}
