/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - objects of all layers: references, tables and flags
 *
 *	path		one remote node; core->local: the node itself
 *	  lane		packets in one sequence; two of each class (lane.h)
 *	  flow		messages from one of our endpoints to one remote endpoint
 *	  rflow		messages from one remote endpoint to one of ours
 *	  conn		a connection, or a request for one
 *	ep		endpoint
 *	  txm		a send: one for each slot of the ring, allocated with the endpoint
 *	  post		a receive: one for each slot of the ring, allocated with the endpoint
 *	srq		receives that several endpoints share, with posts of its own
 *	rxm		a received message that could not be completed at once
 *
 * The functions that this folder offers to the folders above it, and its files to one another. The
 * comment at each definition names the locks that the function needs.
 */
#ifndef WEFT_OBJECT_H
#define WEFT_OBJECT_H

#include "core/object/calls.h"
#include "core/object/endpoint.h"
#include "core/object/srq.h"
#include "core/object/trigger.h"
#include "core/object/upcalls.h"

/*
 * Return: time since @then. A CPU reads the time before it takes locks, so another CPU may have
 * stored a later time.
 */
static inline weft_ns weft_since(weft_ns now, weft_ns then)
{
	return now > then ? now - then : 0;
}

/* Return: the kind of a message, by WEFT_MSG_* flags. */
static inline u8 weft_msg_kind(u16 flags)
{
	return flags & WEFT_MSG_TAGGED ? WEFT_TAGGED : WEFT_UNTAGGED;
}

/* Return: the flags of a receive's completion, by WEFT_MSG_* flags. */
static inline u16 weft_recv_flags(u16 flags)
{
	return (flags & WEFT_MSG_TAGGED ? WEFT_CQE_TAGGED : 0) |
	       (flags & WEFT_MSG_DATA ? WEFT_CQE_DATA : 0) |
	       (flags & WEFT_MSG_SOLICITED ? WEFT_CQE_SOLICITED : 0) |
	       (flags & WEFT_MSG_GROUP ? WEFT_CQE_GROUP : 0);
}

/* Count and trace an entry that is taken from the send ring. ep->sq_mutex is held. */
static __always_inline void weft_ep_sends(struct weft_ep *ep, u64 context, u32 dst, u64 tag,
					  u64 len, u32 op)
{
	weft_mutex_assert_held(&ep->sq_mutex);
	ep->tx.nsent++;
	ep->tx.sent_bytes += len;
	/* as the program has posted it */
	weft_trace_post_send(ep, context, dst, tag, len,
			     op == WEFT_SQ_FETCH ? WEFT_SQ_ATOMIC : op);
}

/*
 * Count and trace a message from sender @src that has met its receive. @waited: it came before the
 * receive was posted. The endpoint is locked.
 */
static __always_inline void weft_ep_receives(struct weft_ep *ep, u64 context, u32 src, u64 tag,
					     u64 len, bool waited)
{
	weft_assert_held(&ep->lock);
	ep->rx.nrecv++;
	ep->rx.recv_bytes += len;
	weft_trace_match(ep, context, src, tag, len, waited);
}

/**
 * weft_ep_complete - write a completion of an endpoint's operation, and trace it
 * @ep: the endpoint; NULL: of a shared receive that no endpoint has taken
 * @cq: the queue
 * @e: as for weft_cq_post(), as are the other arguments
 * @payload: payload
 * @plen: bytes of it
 * @ovf: where the completion waits
 * @out: output
 *
 * Return: as weft_cq_post().
 */
static __always_inline bool weft_ep_complete(const struct weft_ep *ep, struct weft_cq *cq,
					     const struct weft_cqe *e, const void *payload,
					     u32 plen, struct weft_ovf *ovf, struct weft_out *out)
{
	bool done = weft_cq_post(cq, e, payload, plen, ovf, out);

	if (weft_trace_complete_enabled() && (done || ovf))
		weft_trace_complete(ep, e->context, e->tag, e->len, e->flags, e->status);
	return done;
}

/* ---- service.c ------------------------------------------------------------------ */

bool weft_service_used(struct weft_core *core, u16 svc);
int weft_service_claim(struct weft_ep *ep);
void weft_service_release(struct weft_ep *ep);
struct weft_ep *weft_core_service(struct weft_core *core, u16 svc);
struct weft_ep *weft_service_next(struct weft_core *core, u32 *svc);

/* ---- core.c --------------------------------------------------------------------- */

u32 weft_core_gen(struct weft_core *core);
void weft_core_at(struct weft_core *core, weft_ns *due, weft_ns at);
bool weft_core_due(struct weft_core *core, weft_ns *due, weft_ns now);
void weft_core_retry(struct weft_ep *ep, weft_ns now);
bool weft_core_own(const struct weft_core *core, const struct weft_sockaddr *addr);

/* ---- user.c --------------------------------------------------------------------- */

void weft_user_most(struct weft_core *core, u32 use, struct weft_peak *now,
		    struct weft_peak *peak);

/* ---- limit.c -------------------------------------------------------------------- */

void weft_limit_tell(struct weft_core *core, enum weft_counter counter, const char *name, u32 uid);

/* Count that the limit of the counter @name was reached, and report it. @uid: the user, or none. */
#define weft_limit_hit(core, name, uid) do {					\
	weft_count(core, name);							\
	weft_limit_tell(core, WEFT_CNT_##name, #name, uid);			\
} while (0)

/* ---- path.c --------------------------------------------------------------------- */

void weft_path_parts(struct weft_path *path);
bool weft_path_used(const struct weft_path *path);
bool weft_path_flows(const struct weft_path *path);
u32 weft_path_senders(const struct weft_path *path, u8 lane, u32 most);
void weft_path_auth(struct weft_path *path);
void weft_path_tidy(struct weft_path *path, struct weft_out *out);
void weft_path_needs(struct weft_path *path, weft_ns now);
void weft_path_deadline(struct weft_path *path, weft_ns at);
void weft_path_timed(struct weft_path *path, struct weft_timeq *q, struct weft_timeq_node *node,
		     weft_ns at);
void weft_path_go_on(struct weft_path *path, struct weft_out *out);
void weft_path_fail(struct weft_path *path, int err, struct weft_out *out);
void weft_path_note(struct weft_path *path, enum weft_note_kind kind, int err, u64 from, u64 to);
u32 weft_path_new_id(struct weft_path *path, u32 kind);

/* ---- flow.c --------------------------------------------------------------------- */

void weft_flow_free(struct weft_flow *flow);
void weft_flow_put(struct weft_flow *flow);
void weft_flow_unlist(struct weft_flow *flow);
struct weft_flow *weft_flow_by_gen(struct weft_path *path, u32 gen);
struct weft_rflow *weft_rflow_find(struct weft_path *path, u16 ssvc, u32 sgen);

/* ---- job.c ---------------------------------------------------------------------- */

/*
 * Return: the token in authentication codes of sends, which is the receiver's. Within the node both
 * sides use one path.
 */
static inline u64 weft_path_challenge(const struct weft_path *path)
{
	return path->local ? path->token : path->peer_token;
}

/* ---- message.c ------------------------------------------------------------------ */

void weft_txms_release(struct weft_ep *ep, struct weft_txm *first, struct weft_txm *last, u32 n,
		       struct weft_out *out);
void weft_send_publish_held(struct weft_ep *ep);
void weft_send_release(struct weft_ep *ep, struct weft_txm *txm);
void weft_txm_get(struct weft_txm *txm);
void weft_parts_put(u8 *const part[WEFT_STORE_PARTS]);
void weft_txm_put(struct weft_txm *txm, struct weft_out *out);
void weft_txm_init(struct weft_txm *txm, struct weft_ep *ep);
void weft_txms_init(struct weft_txms *txms, u32 n, struct weft_ep *ep);
void weft_txms_add(struct weft_ep *ep, struct weft_txms *txms);
void weft_txms_free(struct weft_txms *txms);
void weft_posts_init(struct weft_posts *posts, u32 n, struct weft_ep *ep, struct weft_srq *srq);
void weft_posts_add(struct weft_posts **all, struct weft_posts *posts, struct weft_list *free);
void weft_posts_free(struct weft_posts *posts);
void weft_rxm_init(struct weft_rxm *rxm, struct weft_path *path);
void weft_rxm_get(struct weft_rxm *rxm);
void weft_rxm_put(struct weft_rxm *rxm);
void weft_rxm_put_spare(struct weft_rxm *rxm);
void weft_rxm_fini(struct weft_rxm *rxm);

/* ---- job.c ---------------------------------------------------------------------- */

void weft_job_forget_all(struct weft_core *core);
struct weft_job *weft_job_join(struct weft_job *job);
struct weft_job *weft_job_get(struct weft_job *job);
const char *weft_job_name(const struct weft_job *job);
u64 weft_job_auth(const struct weft_job *job, u64 token, const struct weft_flowid *id, u32 kind);
u64 weft_job_auth_group(const struct weft_job *job, const struct weft_sockaddr *group,
			const struct weft_sockaddr *from);
void weft_job_cm_auth(const struct weft_conn *conn, struct weft_w_cm *w);
bool weft_job_cm_ok(struct weft_path *path, const struct weft_job *job, const struct weft_w_cm *w,
		    const struct weft_flowid *f);
void weft_flow_auth(struct weft_flow *flow);

/* ---- trigger.c ------------------------------------------------------------------ */

/* Return: the number of triggers of the direction of @t, which is a SEND or RECV. */
static inline u32 *weft_trigger_number(struct weft_ep *ep, const struct weft_trigger *t)
{
	weft_assert_held(&ep->lock);
	return t->op == WEFT_TRIGGER_SEND ? &ep->tx.ntriggers : &ep->rx.ntriggers;
}

void weft_trigger_free(struct weft_trigger *t);
void weft_trigger_out(struct weft_ep *ep, struct weft_trigger *t);
void weft_trigger_back(struct weft_ep *ep, struct weft_trigger *t);
void weft_trigger_ring(struct weft_ring *r, const struct weft_trigger *t);
void weft_trigger_unring(struct weft_ring *r, const struct weft_ring *was);
void weft_ep_drop_fired(struct weft_ep *ep);

/* ---- conn.c --------------------------------------------------------------------- */

struct weft_conn *weft_conn_by_id(struct weft_core *core, u32 id);
struct weft_conn *weft_conn_next(struct weft_core *core, u32 *id);
void weft_conn_put(struct weft_conn *conn);

/* ---- ep.c ----------------------------------------------------------------------- */

void weft_ep_get(struct weft_ep *ep);
void weft_ep_put_many(struct weft_ep *ep, u32 n);
void weft_path_put_many(struct weft_path *path, u32 n);

/* Allocate memory for received data of an endpoint; NULL: of no endpoint. As weft_alloc(). */
static inline void *weft_ep_alloc(const struct weft_ep *ep, size_t size)
{
	return ep ? weft_alloc_for(ep->conf.mc, size) : weft_alloc(size);
}

int weft_ep_txms(struct weft_ep *ep);
int weft_ep_memory(struct weft_ep *ep, size_t size, void *to);
int weft_ep_count(struct weft_ep *ep, size_t size);
void weft_ep_uncount(struct weft_ep *ep, size_t size);
void weft_ep_st(struct weft_ep *ep, u32 set, u32 clear);
void weft_ep_error(struct weft_ep *ep, int err, struct weft_out *out);
bool weft_ep_sq_work(struct weft_ep *ep);
void weft_ep_sq_defer(struct weft_ep *ep, struct weft_out *out);
void weft_ep_break(struct weft_ep *ep, int err, struct weft_out *out);

/* ---- srq.c ----------------------------------------------------------------------- */

void weft_srq_get(struct weft_srq *srq);

#endif
