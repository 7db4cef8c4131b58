// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - datagrams: unacknowledged messages
 *
 * A datagram is one packet, or stays on the node. It uses neither lanes nor message numbers: it is
 * never acknowledged or sent again. It waits only for the handshake of a new path and, if it is
 * long, for the first probe of the path's largest packet (mtu.c):
 *
 *	taken from the ring --path is up--> put out, over
 *	          \--not yet, or the out is full--> path->msg.dgrams (WAIT) --> put out, over
 *	                                            \--path given up, too many, too long--> dropped
 *
 * A datagram that is longer than the path's largest packet is refused with EMSGSIZE. One that waits
 * when the path proves narrower is dropped and counted.
 *
 * It is complete when it has been copied; TRANSMIT has the same meaning here. It is received if a
 * receive is posted when it comes. Otherwise it waits for a receive. It is dropped and counted if
 * it is for a group, or if its endpoint already keeps as many as the limit "datagrams-endpoint"
 * allows. Its flow exists only on the sending side and records path and destination.
 *
 * A datagram to a multicast group is sent on the group's path. group.c delivers it to the members
 * on this node.
 *
 * A datagram that waits, or that is longer than a completion queue's inline payload, is copied into
 * a struct weft_rxm of core->local. From there it is processed like a buffered message (post.c,
 * placement.c).
 *
 * Locks: ep->sq_mutex for sending; path->lock or core->grp_lock, and ep->lock of the receiver. See
 * Documentation/locking.rst.
 */
#include "core/messaging/messaging.h"

#define WEFT_DGRAM_WAIT	64	/* datagrams of one flow that may wait for its path */
#define WEFT_DGRAM_RAW	(WEFT_REC_RAW - sizeof(struct weft_w_dgram))

/**
 * weft_dgram_max - length of the longest datagram
 * @core: the core
 * @mtu: MTU of the link
 *
 * Return: bytes that one packet carries, for either address family.
 */
u32 weft_dgram_max(const struct weft_core *core, u32 mtu)
{
	const u32 headers = 40 + 8;	/* IPv6, UDP */

	return min(core->conf.max_payload, max_t(u32, mtu, 1280) - headers) - WEFT_DGRAM_HEAD;
}

/* ---- Receiving ------------------------------------------------------------------- */

/* Keep a message for most datagrams in reserve. Return: true if there is one. */
static bool weft_dgram_spare(struct weft_ep *ep)
{
	if (!ep->tx.drop)
		ep->tx.drop = weft_ep_alloc(ep, sizeof(*ep->tx.drop) + WEFT_REC_RAW);
	return ep->tx.drop;
}

/* Return: true if a datagram may wait for its receive. */
static bool weft_dgram_may_wait(const struct weft_ep *ep, const struct weft_dgram *d)
{
	return !(d->flags & WEFT_MSG_GROUP) &&
	       ep->rx.match.nunexp < READ_ONCE(ep->core->conf.dgram_max) &&
	       !weft_keep_full(ep, d->len);
}

/* Keep the bytes of a datagram until they are placed. @post: NULL: it waits for a receive. */
static void weft_dgram_keep(struct weft_ep *ep, struct weft_post *post, const struct weft_dgram *d,
			    const struct weft_sockaddr *from, u8 *buf, u32 src,
			    struct weft_out *out)
{
	struct weft_rxm *rxm = ep->tx.drop;

	ep->tx.drop = NULL;
	weft_rxm_init(rxm, ep->core->local);
	weft_ep_get(ep);
	rxm->ep = ep;
	rxm->bulk.work.ctx = ep->conf.ctx;
	rxm->nsmall = WEFT_REC_RAW;
	rxm->data = d->data;
	rxm->len = d->len;
	rxm->flags = d->flags;
	rxm->src = src;
	rxm->from = *from;
	rxm->id.ssvc = be16_to_cpu(from->port);
	rxm->buf = buf ? buf : rxm->small;
	memcpy(rxm->buf, d->pay, d->len);
	rxm->got = d->len;
	rxm->bulk.stored = d->len;
	rxm->whole = true;
	if (post) {
		weft_recv_matched(ep, rxm, post);
		weft_start_put(rxm, out);
	} else {
		weft_keep(rxm, d->len);
		weft_recv_unexp(ep, rxm, src, out);
	}
}

/*
 * Give a datagram to an endpoint, which is locked. @from: the sender. @buf: memory for the bytes of
 * a long one. Return: true if @buf has been taken over.
 */
static bool weft_dgram_give(struct weft_ep *ep, const struct weft_dgram *d,
			    const struct weft_sockaddr *from, u8 *buf, struct weft_out *out)
{
	struct weft_post *post = NULL;
	struct weft_cqe e;
	u32 src = 0;

	weft_assert_held(&ep->lock);
	if (ep->state != WEFT_EPS_ENABLED || !weft_dgram_spare(ep))
		goto drop;
	weft_recv_drain(ep, out);
	src = weft_av_find(ep->av, from);
	ep->rx.lossy = !weft_dgram_may_wait(ep, d);
	post = weft_post_match(ep, WEFT_UNTAGGED, src, 0, d->len, out);
	if (!post && ep->rx.lossy) {
		weft_count(ep->core, limit_datagrams);
		goto drop;
	}
	if (post) {
		weft_ep_receives(ep, post->context, src, 0, d->len, false);
		weft_recv_met(ep, post, 0, out->now);
	}
	weft_count(ep->core, dgrams_received);
	if (post && d->len <= WEFT_INLINE_MAX) {
		weft_recv_cqe(&e, ep, post, 0, d->data, d->len, src, d->flags);
		if (weft_recv_inline(ep, post, &e, d->pay, out))
			return false;
	}
	weft_dgram_keep(ep, post, d, from, buf, src, out);
	return buf;
drop:
	weft_count(ep->core, dgrams_dropped);
	return false;
}

/**
 * weft_dgram_deliver - give a datagram to an endpoint
 * @ep: the endpoint, not locked
 * @d: the datagram
 * @from: the sender
 * @out: output
 */
void weft_dgram_deliver(struct weft_ep *ep, const struct weft_dgram *d,
			const struct weft_sockaddr *from, struct weft_out *out)
{
	u8 *buf = NULL;

	if (d->len > WEFT_REC_RAW) {
		buf = weft_ep_alloc(ep, d->len);
		if (!buf) {
			weft_count(ep->core, dgrams_dropped);
			return;
		}
	}
	weft_lock(&ep->lock);
	if (weft_dgram_give(ep, d, from, buf, out))
		buf = NULL;
	weft_unlock(&ep->lock);
	weft_free(buf);
}

/* Return: the authentication code of a datagram to this endpoint. */
static u64 weft_dgram_auth(const struct weft_path *path, const struct weft_ep *ep,
			   const struct weft_dgram *d)
{
	struct weft_flowid id = { .ssvc = d->ssvc, .dsvc = d->dsvc };

	return weft_job_auth(ep->job, path->token, &id, WEFT_AUTH_DGRAM);
}

/**
 * weft_dgram_rx - process a datagram
 * @path: its path, locked
 * @hdr: header of the packet
 * @rest: the bytes behind the header
 * @out: output
 *
 * The receiver has no flow of a datagram. So the authentication code of a job is computed for each
 * one; only datagrams to groups need that, too.
 */
void weft_dgram_rx(struct weft_path *path, const struct weft_hdr *hdr,
		   const struct weft_chunks *rest, struct weft_out *out)
{
	struct weft_core *core = path->core;
	struct weft_sockaddr from = path->node.addr;
	struct weft_dgram d;
	struct weft_ep *ep;

	weft_assert_held(&path->lock);
	if (weft_wire_dgram_get(rest, &d)) {
		weft_count(core, rx_bad);
		return;
	}
	path->heard_at = out->now;
	path->alive_at = out->now;
	ep = weft_core_service(core, d.dsvc);
	if (!ep || ep->conf.type != WEFT_EP_DGRAM) {
		weft_count(core, no_service);
	} else if (weft_wire_dgram_auth(hdr) != weft_dgram_auth(path, ep, &d)) {
		weft_count(core, wrong_job);
	} else {
		from.port = cpu_to_be16(d.ssvc);
		weft_dgram_deliver(ep, &d, &from, out);
	}
	if (ep)
		weft_ep_put(ep);
}

/* ---- Sending --------------------------------------------------------------------- */

/*
 * Return: true if a datagram of @len bytes has to wait: whether the path carries it is being probed
 * for the first time.
 */
static bool weft_dgram_early(const struct weft_path *path, u32 len)
{
	return len + WEFT_DGRAM_HEAD > path->max_payload &&
	       len + WEFT_DGRAM_HEAD <= path->mtu->longest;
}

/* Put out a datagram whose path is up. @txm: holds the bytes of a long one. */
static void weft_dgram_emit(struct weft_path *path, const struct weft_dgram *d,
			    struct weft_txm *txm, struct weft_out *out)
{
	struct weft_rec *rec = NULL;

	if (d->len + WEFT_DGRAM_HEAD <= path->max_payload)
		rec = weft_rec_new(path);
	if (!rec) {
		weft_count(path->core, dgrams_dropped);
		return;
	}
	weft_wire_dgram_put(rec->raw, d);
	rec->len = sizeof(struct weft_w_dgram);
	if (d->len <= WEFT_DGRAM_RAW) {
		memcpy(rec->raw + rec->len, d->pay, d->len);
		rec->len += d->len;
	} else {
		rec->pay = d->len;
		rec->seg = d->len;
		rec->txm = txm;
		weft_txm_get(txm);
	}
	path->used_at = out->now;
	weft_frame_dgram(path, rec, d->auth, out);
}

/**
 * weft_dgram_output - put out the waiting datagrams
 * @path: the path, up and locked
 * @out: output
 */
void weft_dgram_output(struct weft_path *path, struct weft_out *out)
{
	struct weft_list *l;

	weft_assert_held(&path->lock);
	while ((l = weft_list_first(&path->msg.dgrams))) {
		struct weft_txm *txm = weft_entry(l, struct weft_txm, qnode);
		struct weft_dgram d = {
			.ssvc = txm->flow->id.ssvc,
			.dsvc = txm->flow->id.dsvc,
			.flags = txm->flags & WEFT_SQ_DATA ? WEFT_MSG_DATA : 0,
			.len = (u32)txm->len,
			.data = txm->tx.data,
			.auth = txm->flow->auth,
			.pay = txm->buf,
		};

		if (out->ntx == WEFT_OUT_TX) {
			weft_path_go_on(path, out);
			return;
		}
		if (weft_dgram_early(path, d.len))
			break;
		if (txm->flags & WEFT_SQ_SOLICITED)
			d.flags |= WEFT_MSG_SOLICITED;
		weft_dgram_emit(path, &d, txm, out);
		weft_send_over(txm, out);
	}
	path->busy &= ~WEFT_BUSY_DGRAM;
}

/* Send with a struct weft_txm: the path is not up, or the datagram is long. It takes @buf over. */
static void weft_dgram_wait(struct weft_ep *ep, struct weft_flow *flow,
			    const struct weft_sq_entry *e, u8 *buf, struct weft_out *out)
{
	struct weft_txm *txm = weft_send_take(ep, e, flow);
	struct weft_path *path = flow->path;

	txm->user = false;
	txm->buf = buf;
	weft_lock(&path->lock);
	weft_send_done(txm, 0, out);
	if (flow->dead || flow->nwait >= WEFT_DGRAM_WAIT) {
		weft_count(ep->core, dgrams_dropped);
		weft_txm_put(txm, out);
	} else {
		flow->ref++;
		flow->nwait++;
		weft_path_needs(path, out->now);
		weft_txm_enter(txm, &flow->txms, out->now);
		weft_list_add_tail(&path->msg.dgrams, &txm->qnode);
		path->busy |= WEFT_BUSY_DGRAM;
		weft_path_output(path, out);
	}
	weft_unlock(&path->lock);
}

/* Send to a remote node, with the bytes in @d. Return: true if put out; false: it has to wait. */
static bool weft_dgram_now(struct weft_flow *flow, struct weft_dgram *d, struct weft_out *out)
{
	struct weft_path *path = flow->path;
	bool go;

	weft_lock(&path->lock);
	go = path->state == WEFT_PATHS_UP && !path->failing && weft_list_empty(&path->msg.dgrams) &&
	     out->ntx < WEFT_OUT_TX && !weft_dgram_early(path, d->len);
	d->auth = flow->auth;
	if (go)
		weft_dgram_emit(path, d, NULL, out);
	weft_unlock(&path->lock);
	return go;
}

/* Get the flow to a destination: of the address vector, or a group. */
static struct weft_flow *weft_dgram_flow(struct weft_ep *ep, const struct weft_sq_entry *e,
					 struct weft_out *out)
{
	struct weft_member *m;

	if (!(e->flags & WEFT_SQ_GROUP))
		return weft_flow_find(ep, e->dst, ep->tx.ring.cons, out);
	m = weft_group_member(ep, e->dst);
	return m && m->flow ? m->flow : ERR_PTR(-EINVAL);
}

/* Return: 0; -ECONNREFUSED: the destination has no endpoint; other negative errno: refused. */
static int weft_dgram_check(struct weft_ep *ep, const struct weft_sq_entry *e,
			    struct weft_flow **flowp, struct weft_out *out)
{
	struct weft_flow *flow;

	if (e->op == WEFT_SQ_TSEND || e->flags & WEFT_SQ_TOLD)
		return -EOPNOTSUPP;
	if (e->len > ep->core->conf.max_payload - WEFT_DGRAM_HEAD)
		return -EMSGSIZE;
	flow = weft_dgram_flow(ep, e, out);
	if (IS_ERR(flow))
		return (int)PTR_ERR(flow);
	if (flow->path->group && e->len + WEFT_DGRAM_HEAD > WEFT_PAYLOAD_MIN) {
		/* this path is in no table: it takes over changes of the device's MTU here */
		weft_lock(&flow->path->lock);
		weft_mtu_refit(flow->path, weft_env_path_fit(flow->path), out);
		weft_unlock(&flow->path->lock);
	}
	if (!flow->lep && e->len + WEFT_DGRAM_HEAD > READ_ONCE(flow->path->mtu->longest))
		return -EMSGSIZE;
	*flowp = flow;
	return 0;
}

/**
 * weft_dgram_send - send an entry as a datagram
 * @ep: the endpoint; ep->sq_mutex is held, ep->tx.hand is set
 * @e: the entry
 * @out: output
 *
 * Context: may sleep.
 * Return: 0, negative errno: the entry is refused with it.
 */
int weft_dgram_send(struct weft_ep *ep, const struct weft_sq_entry *e, struct weft_out *out)
{
	struct weft_flow *flow = NULL;
	u8 *buf = NULL, *dst = ep->tx.scratch;
	struct weft_dgram d;
	int err;

	weft_mutex_assert_held(&ep->sq_mutex);
	err = weft_dgram_check(ep, e, &flow, out);
	if (err && err != -ECONNREFUSED)
		return err;
	weft_count(ep->core, dgrams_sent);
	if (err)
		goto done;
	if (e->len > WEFT_DGRAM_RAW) {
		buf = weft_alloc_sleep(e->len);
		if (!buf)
			return -ENOMEM;
		dst = buf;
	}
	err = weft_send_payload(ep, e, 0, dst, (u32)e->len, (u32)e->len, 0);
	if (err) {
		weft_free(buf);
		return err;
	}
	d.ssvc = flow->id.ssvc;
	d.dsvc = flow->id.dsvc;
	d.flags = (e->flags & WEFT_SQ_DATA ? WEFT_MSG_DATA : 0) |
		  (e->flags & WEFT_SQ_SOLICITED ? WEFT_MSG_SOLICITED : 0);
	d.len = (u32)e->len;
	d.data = e->data;
	d.pay = dst;
	/* the code of a group's flow does not change */
	d.auth = flow->auth;
	if (flow->path->group)
		weft_group_deliver(ep->core, &flow->peer, &d, &ep->addr, out);
	if (flow->lep) {
		weft_dgram_deliver(flow->lep, &d, &ep->addr, out);
		weft_free(buf);
	} else if (buf || !weft_dgram_now(flow, &d, out)) {
		if (!buf) {
			buf = weft_alloc_sleep(max_t(u64, e->len, 1));
			if (!buf)
				return -ENOMEM;
			memcpy(buf, dst, e->len);
		}
		weft_dgram_wait(ep, flow, e, buf, out);
		return 0;
	}
done:
	weft_send_cqe(ep, e, out);
	return 0;
}
