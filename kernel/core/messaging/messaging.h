/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - messages: eager, within a node, datagrams, the fast path
 *
 * The functions that this folder offers to the folders above it, and its files to one another. The
 * comment at each definition names the locks that the function needs.
 */
#ifndef WEFT_MESSAGING_H
#define WEFT_MESSAGING_H

#include "core/messaging/calls.h"
#include "core/bulk/bulk.h"
#include "core/messaging/upcalls.h"

/* ---- txm.c ---------------------------------------------------------------------- */

/**
 * struct weft_kept - kernel memory with the bytes of a send
 * @buf: contiguous, NULL: none
 * @seg: as in struct weft_txm, with those below
 * @each: pieces in each of @part but the last
 * @part: memory from the endpoint's store; NULL: no more
 */
struct weft_kept {
	u8 *buf;
	u32 seg;
	u32 each;
	u8 *part[WEFT_STORE_PARTS];
};

bool weft_send_hand(struct weft_ep *ep);
bool weft_send_grow(struct weft_ep *ep, struct weft_out *out);
struct weft_txm *weft_send_take(struct weft_ep *ep, const struct weft_sq_entry *e,
				struct weft_flow *flow);
u32 weft_send_take_run(struct weft_ep *ep, struct weft_flow *flow, u32 n, struct weft_list *run);
void weft_send_cqe(struct weft_ep *ep, const struct weft_sq_entry *e, struct weft_out *out);
void weft_send_done(struct weft_txm *txm, int status, struct weft_out *out);
void weft_send_over(struct weft_txm *txm, struct weft_out *out);
int weft_send_payload(struct weft_ep *ep, const struct weft_sq_entry *e, u32 off, void *dst,
		      u32 len, u32 piece, u32 skip);
int weft_send_hold(struct weft_ep *ep, const struct weft_flow *flow, const struct weft_sq_entry *e,
		   const void *head, u32 nhead, const void *pay, struct weft_kept *k);
void weft_send_held(struct weft_txm *txm, const struct weft_kept *k);
struct weft_txm *weft_send_keep(struct weft_ep *ep, const struct weft_sq_entry *e,
				struct weft_flow *flow, const void *pay);
void weft_fence_go(struct weft_flow *flow, struct weft_out *out);
void weft_fence_check(struct weft_flow *flow, struct weft_out *out);

/* ---- flow_end.c ----------------------------------------------------------------- */

void weft_flow_gave_up(struct weft_path *path, u32 n, int err);
u32 weft_flow_fail(struct weft_flow *flow, int err, struct weft_out *out);
u32 weft_flow_withdraw(struct weft_flow *flow, int err, struct weft_out *out);
void weft_flow_expire(struct weft_flow *flow, struct weft_out *out);
void weft_rflow_free(struct weft_rflow *rf, struct weft_out *out);
void weft_rflow_gone(struct weft_rflow *rf, struct weft_out *out);

/* ---- send.c --------------------------------------------------------------------- */

int weft_send_drain(struct weft_ep *ep, int refuse, struct weft_out *out);
void weft_send_accepted(struct weft_flow *flow, struct weft_out *out);
void weft_send_queue(struct weft_txm *txm, struct weft_out *out);

/*
 * Publish that entries up to the ring's consumer index have been taken. ep->sq_mutex is held. While
 * no send holds a slot, no other code changes these indices: only the holder of the mutex makes a
 * send hold its slot.
 */
static inline void weft_send_publish(struct weft_ep *ep)
{
	weft_mutex_assert_held(&ep->sq_mutex);
	/* the code that released the last slot no longer uses the indices: weft_send_release() */
	if (unlikely(smp_load_acquire(&ep->tx.nheld))) {
		weft_send_publish_held(ep);
		return;
	}
	WRITE_ONCE(ep->tx.taken, ep->tx.ring.cons);
	ep->tx.given = ep->tx.ring.cons;
	/* barrier B */
	smp_store_release(&ep->conf.status->sq_head, ep->tx.ring.cons);
}

/* Return: the flags of a send's completion. */
static inline u16 weft_send_flags(u8 op)
{
	switch (op) {
	case WEFT_SQ_SEND:
		return WEFT_CQE_SEND;
	case WEFT_SQ_WRITE:
		return WEFT_CQE_SEND | WEFT_CQE_WRITE;
	case WEFT_SQ_READ:
		return WEFT_CQE_SEND | WEFT_CQE_READ;
	case WEFT_SQ_ATOMIC:
		return WEFT_CQE_SEND | WEFT_CQE_WRITE | WEFT_CQE_ATOMIC;
	case WEFT_SQ_FETCH:
		return WEFT_CQE_SEND | WEFT_CQE_READ | WEFT_CQE_ATOMIC;
	}
	return WEFT_CQE_SEND | (op == WEFT_SQ_TSEND ? WEFT_CQE_TAGGED : 0);
}

/* Fill in the completion of a send. */
static inline void weft_send_fill(struct weft_cqe *c, const struct weft_ep *ep, u64 context,
				  u64 tag, u64 len, u8 op, int status)
{
	c->context = context;
	c->tag = tag;
	c->data = 0;
	c->len = len;
	c->buf = 0;
	c->src = WEFT_SRC_ANY;
	c->flags = weft_send_flags(op);
	c->ep = (u16)ep->conf.handle;
	c->olen = 0;
	c->status = status;
	c->rsvd = 0;
}

/*
 * Get the payload of a short entry, at most WEFT_SHORT_MAX bytes, which is still in the ring.
 * ep->sq_mutex is held. The caller copies the payload once and does not interpret it: the program
 * may change the ring. May sleep.
 * Return: the payload, in the ring or copied to ep->tx.scratch; ERR_PTR(-EFAULT, -ENOMEM).
 */
static inline const void *weft_send_bytes(struct weft_ep *ep, const struct weft_sq_entry *e)
{
	const void *pay = e->inl ? weft_ring_inline(&ep->tx.ring, e) : NULL;
	int err;

	weft_mutex_assert_held(&ep->sq_mutex);
	if (likely(pay))
		return pay;
	if (!e->inl && e->vec.n == 1 &&
	    !weft_user_peek(ep->conf.mc, e->vec.seg[0].addr, ep->tx.scratch, (u32)e->len))
		return ep->tx.scratch;
	err = weft_send_payload(ep, e, 0, ep->tx.scratch, (u32)e->len, (u32)e->len, 0);
	return err ? ERR_PTR(err) : ep->tx.scratch;
}

#define WEFT_LOCAL_EAGER	(16u << 10)	/* the most within the node: no packet is saved */

/* Trace a message that is sent within the node. */
static inline void weft_local_arrives(const struct weft_flow *flow, u64 tag, u64 len)
{
	weft_trace_arrive(flow->lep, &flow->ep->addr, be16_to_cpu(flow->ep->addr.port), 0, tag,
			  len);
}

/*
 * Return: bytes of the longest message of a flow whose bytes are copied when it is sent. Longer
 * ones stay in the program's memory.
 */
static inline u32 weft_send_most(const struct weft_ep *ep, const struct weft_flow *flow)
{
	u32 most = min(ep->core->conf.eager_max, WEFT_EAGER_LIMIT);

	return flow && flow->path->local ? min(most, WEFT_LOCAL_EAGER) : most;
}

/* The head of a send has been sent, or need not be sent any more. Its path is locked. */
static inline void weft_send_headed(struct weft_txm *txm)
{
	weft_assert_held(&txm->path->lock);
	if (likely(weft_list_empty(&txm->hnode)))
		return;
	weft_list_del(&txm->hnode);
	txm->flow->nheadless--;
}

/* Return: true if a send completes when its bytes have been copied and its flow is accepted. */
static inline bool weft_send_copied(const struct weft_txm *txm)
{
	return !txm->user && !(txm->flags & WEFT_SQ_LATER);
}

/* ---- recv.c --------------------------------------------------------------------- */

int weft_recv_eager(struct weft_path *path, const struct weft_chunk *c, u32 len, u32 skip,
		    struct weft_out *out);
int weft_recv_writes(struct weft_path *path, const struct weft_chunk *c, struct weft_out *out);
void weft_recv_head(struct weft_path *path, const struct weft_chunk *c, struct weft_out *out);
int weft_recv_announce(struct weft_path *path, const struct weft_chunk *c, struct weft_out *out);
void weft_recv_abort(struct weft_path *path, const struct weft_w_abort *w, struct weft_out *out);
void weft_recv_lose_early(struct weft_rflow *rf, struct weft_out *out);
struct weft_rxm *weft_rxm_new(struct weft_path *path, struct weft_ep *ep);
struct weft_rxm *weft_recv_make(struct weft_path *path, struct weft_rflow *rf,
				const struct weft_head *h, u32 sid);
void weft_recv_executed(struct weft_rxm *rxm, struct weft_out *out);

/* ---- fast_ring.c --------------------------------------------------------------------- */

bool weft_fast_recv(struct weft_ep *ep, const struct weft_head *h, u32 src, const void *pay,
		    u32 piece, u32 skip, struct weft_out *out);

#define WEFT_FAST_RUN	64	/* entries sent in a row before the drain does anything else */
/* bytes that the fast path moves at most before it releases its locks */
#define WEFT_FAST_BYTES	(64u << 10)

bool weft_fast_send(struct weft_ep *ep, struct weft_out *out);
bool weft_fast_out(struct weft_ep *ep, struct weft_out *out);
struct weft_flow *weft_fast_far(const struct weft_ep *ep, u32 dst);
u32 weft_fast_writes(const struct weft_ep *ep, const struct weft_sq_entry *e);

/* As weft_fast_send(), for callers with softirqs on. */
static inline bool weft_fast_try(struct weft_ep *ep, struct weft_out *out)
{
	bool done;

	if (ep->tx.ring.cons == ep->tx.ring.prod)
		return false;
	weft_softirqs_off();
	done = weft_fast_send(ep, out);
	weft_softirqs_on();
	return done;
}

/* ---- fast_row.c ---------------------------------------------------------------------- */

struct weft_flow *weft_fast_row_flow(const struct weft_ep *ep);
u32 weft_fast_row(struct weft_ep *ep, struct weft_flow *flow, u32 most, struct weft_out *out);

/* ---- fast_kept.c --------------------------------------------------------------------- */

struct weft_rxm *weft_kept_spare(struct weft_ep *ep, u32 bytes);
bool weft_fast_serve(struct weft_ep *ep, struct weft_out *out);
bool weft_fast_keep(struct weft_ep *ep, struct weft_out *out);

/* ---- fast_packet.c -------------------------------------------------------------------- */

/* Fill in the head of an outgoing message. @flags: WEFT_SQ_*. */
static inline void weft_send_head(struct weft_head *h, const struct weft_flow *flow, u32 mseq,
				  u64 tag, u64 data, u64 len, u8 op, u16 flags)
{
	h->flow = flow->id;
	h->flow.mseq = mseq;
	h->auth = flow->auth;
	h->tag = tag;
	h->data = data;
	h->len = len;
	h->flags = (op == WEFT_SQ_TSEND ? WEFT_MSG_TAGGED : 0) |
		   (unlikely(weft_sq_is_rma(op)) ? WEFT_MSG_RMA : 0) |
		   (flags & WEFT_SQ_DATA ? WEFT_MSG_DATA : 0) |
		   (flags & WEFT_SQ_MATCH ? WEFT_MSG_MATCHED :
		    flags & (WEFT_SQ_DELIVERY | WEFT_SQ_TRACKED) ? WEFT_MSG_PLACED : 0) |
		   (flags & WEFT_SQ_SOLICITED ? WEFT_MSG_SOLICITED : 0) |
		   (flow->conn ? WEFT_MSG_CONNECTED : 0);
}

/*
 * Return: true if a flow may put a message of @len eager bytes into the open packet of its lane.
 * Its path is locked.
 */
static inline bool weft_send_may(const struct weft_path *path, const struct weft_lane *lane,
				 const struct weft_flow *flow, u32 len)
{
	weft_assert_held(&path->lock);
	return likely(path->state == WEFT_PATHS_UP && !path->failing && !flow->dead &&
		      weft_lane_may_send(lane) && !flow->nheadless && weft_credit_begins(flow) &&
		      weft_credit_eager(flow, len));
}

bool weft_fastpkt_rx(struct weft_core *core, const struct weft_rx *rx, struct weft_out *out);
bool weft_fastpkt_tx(struct weft_path *path, struct weft_lane *lane, struct weft_flow *flow,
		     const struct weft_head *h, const void *pay, struct weft_out *out);

/* Return: true if the endpoint accepts messages of flow @rf. It is locked. */
static inline bool weft_recv_takes(const struct weft_ep *ep, const struct weft_rflow *rf)
{
	weft_assert_held(&ep->lock);
	if (unlikely(ep->broken))
		return false;
	return rf->conn ? weft_ep_connected(ep) : ep->state == WEFT_EPS_ENABLED;
}

/* ---- fence.c -------------------------------------------------------------------- */

bool weft_fence_holds(struct weft_flow *flow, const struct weft_sq_entry *e);
int weft_fence_hold(struct weft_ep *ep, struct weft_flow *flow, const struct weft_sq_entry *e,
		    struct weft_out *out);
void weft_fence_run(struct weft_ep *ep, struct weft_out *out);
void weft_fence_drop(struct weft_flow *flow, int status, struct weft_out *out);

/* ---- dgram.c -------------------------------------------------------------------- */

int weft_dgram_send(struct weft_ep *ep, const struct weft_sq_entry *e, struct weft_out *out);
void weft_dgram_output(struct weft_path *path, struct weft_out *out);
void weft_dgram_rx(struct weft_path *path, const struct weft_hdr *hdr,
		   const struct weft_chunks *rest, struct weft_out *out);
void weft_dgram_deliver(struct weft_ep *ep, const struct weft_dgram *d,
			const struct weft_sockaddr *from, struct weft_out *out);

/* ---- group.c -------------------------------------------------------------------- */

struct weft_member *weft_group_member(struct weft_ep *ep, u32 id);
void weft_group_leave_all(struct weft_ep *ep, struct weft_out *out);
void weft_group_deliver(struct weft_core *core, const struct weft_sockaddr *group,
			struct weft_dgram *d, const struct weft_sockaddr *from,
			struct weft_out *out);
void weft_group_rx(struct weft_core *core, const struct weft_rx *rx, const struct weft_hdr *hdr,
		   const struct weft_chunks *rest, struct weft_out *out);

/* ---- local.c -------------------------------------------------------------------- */

int weft_local_fenced(struct weft_flow *flow, struct weft_txm *txm, struct weft_out *out);
u32 weft_local_src_find(struct weft_flow *flow, u32 gen);
bool weft_local_spare(struct weft_ep *ep, u32 bytes);
void weft_local_keep(struct weft_ep *ep, struct weft_flow *flow, const struct weft_sq_entry *e,
		     const void *pay, u8 *buf, u32 src, struct weft_out *out);
int weft_local_send(struct weft_ep *ep, struct weft_flow *flow, const struct weft_sq_entry *e,
		    struct weft_out *out);
void weft_local_output(struct weft_path *path, struct weft_out *out);
void weft_local_withdraw(struct weft_txm *txm, struct weft_out *out);

/*
 * Return: the sender's index in the receiver's address vector. The receiver is locked, and not
 * dead.
 */
static inline u32 weft_local_src(struct weft_flow *flow)
{
	struct weft_ep *lep = flow->lep;
	u32 gen;

	weft_assert_held(&lep->lock);
	if (!lep->av)
		return WEFT_SRC_ANY;
	gen = weft_av_gen(lep->av);
	if (likely(flow->lsrc_ok && flow->lsrc_gen == gen))
		return flow->lsrc;
	return weft_local_src_find(flow, gen);
}

/* Turn @rxm into a message of a flow within the node, without its fields of the operation. */
static inline void weft_local_init(struct weft_rxm *rxm, struct weft_flow *flow)
{
	weft_rxm_init(rxm, flow->path);
	weft_ep_get(flow->lep);
	rxm->ep = flow->lep;
	rxm->bulk.work.ctx = flow->lep->conf.ctx;
	rxm->id = flow->id;
	rxm->from = flow->ep->addr;
}

/* Return: 0 if the receiver accepts messages, else negative errno. It is locked. */
static inline int weft_local_refused(const struct weft_ep *lep)
{
	weft_assert_held(&lep->lock);
	if (lep->conf.type == WEFT_EP_MSG)
		return weft_ep_connected(lep) && !lep->broken ? 0 : -ENOTCONN;
	return lep->state == WEFT_EPS_ENABLED ? 0 : -ECONNREFUSED;
}

/* ---- enable.c ------------------------------------------------------------------- */

int weft_ep_ready(struct weft_ep *ep, const struct weft_ep_queues *q);

/* ---- drop.c --------------------------------------------------------------------- */

void weft_ep_drop_sends(struct weft_ep *ep, int status, struct weft_out *out);
bool weft_ep_drop_active(struct weft_ep *ep, int err, struct weft_out *out);
void weft_ep_cancel_all(struct weft_ep *ep, int err, struct weft_out *out);

#endif
