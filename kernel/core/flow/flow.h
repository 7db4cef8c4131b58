/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - the order of messages between two endpoints, and the credit of a flow
 *
 * The functions that this folder offers to the folders above it, and its files to one another. The
 * comment at each definition names the locks that the function needs.
 */
#ifndef WEFT_FLOW_H
#define WEFT_FLOW_H

#include "core/matching/matching.h"
#include "core/flow/upcalls.h"

/* ---- flow.c --------------------------------------------------------------------- */

struct weft_flow *weft_flow_find(struct weft_ep *ep, u32 dst, u32 at, struct weft_out *out);
void weft_flow_init(struct weft_flow *flow, struct weft_ep *ep, struct weft_path *path);
struct weft_flow *weft_flow_new(struct weft_ep *ep, struct weft_path *path,
				const struct weft_sockaddr *peer);
int weft_flow_add(struct weft_flow *flow);
u32 weft_flow_chunk(const struct weft_flow *flow, const struct weft_txm *txm, u8 *dst, u32 room);
void weft_flow_cut(struct weft_flow *flow);
void weft_flow_recent(struct weft_ep *ep, struct weft_flow *flow);
u8 weft_flow_lane(const struct weft_flowid *id);
void weft_flow_closing(struct weft_flow *flow, weft_ns at);
void weft_flow_forget(struct weft_flow *flow, struct weft_out *out);
struct weft_rflow *weft_rflow_new(struct weft_path *path, const struct weft_flowid *id,
				  struct weft_ep *ep);
u32 weft_rflow_look(struct weft_rflow *rf, u32 gen);

/*
 * Return: the sender's index in the receiver's address vector. As weft_rflow_look(), but the
 * endpoint may have no vector.
 */
static inline u32 weft_rflow_src(struct weft_rflow *rf)
{
	u32 gen;

	if (unlikely(!rf->ep->av))
		return WEFT_SRC_ANY;
	gen = weft_av_gen(rf->ep->av);
	return likely(rf->src_ok && rf->src_gen == gen) ? rf->src : weft_rflow_look(rf, gen);
}

/* ---- contact.c -------------------------------------------------------------------- */

#define WEFT_CONTACT_FIRST	(10 * NSEC_PER_MSEC)	/* until a refused flow asks again */

struct weft_ep *weft_contact_service(struct weft_ep *ep, u16 service);
u32 weft_contact_chunk(const struct weft_flow *flow, u8 *dst, u32 room);
int weft_contact_rx(struct weft_path *path, const struct weft_w_open *w);
int weft_contact_refuse(struct weft_path *path, const struct weft_flowid *id);
void weft_contact_later(struct weft_flow *flow, weft_ns at);
bool weft_contact_refused(struct weft_flow *flow, weft_ns now);
void weft_contact_again(struct weft_flow *flow);
bool weft_contact_local(struct weft_flow *flow, struct weft_out *out);

/* Return: true if the flow has to be accepted before its first message is sent. */
static inline bool weft_contact_asks(const struct weft_flow *flow)
{
	return !flow->accepted && !flow->ended && !flow->dead;
}

/* Return: true if the flow waits for an endpoint of this node: its sends are held. */
static inline bool weft_contact_held(const struct weft_flow *flow)
{
	return unlikely(!flow->accepted) && flow->path->local;
}

/* ---- credit.c --------------------------------------------------------------------- */

#define WEFT_CREDIT_MSGS	256		/* messages of a flow, whatever others use */
#define WEFT_CREDIT_BYTES	(128u << 10)	/* the same for bytes of eager payload */
#define WEFT_CREDIT_STEP	1024		/* the most in advance, within the limits */
#define WEFT_CREDIT_STEP_BYTES	(512u << 10)
#define WEFT_CREDIT_NS		(20 * NSEC_PER_MSEC)
#define WEFT_FULL_NOT		0
#define WEFT_FULL_ENDPOINT	1	/* the endpoint has reached its limit */
#define WEFT_FULL_USER		2	/* its user has reached the limit */

u8 weft_keep_full(const struct weft_ep *ep, u32 len);
void weft_keep_count(const struct weft_ep *ep, u8 full);
void weft_keep(struct weft_rxm *rxm, u32 len);
void weft_keep_end(struct weft_rxm *rxm);
bool weft_credit_orphaned(const struct weft_ep *ep);
void weft_credit_init(struct weft_rflow *rf);
void weft_credit_end(struct weft_rflow *rf);
void weft_credit_look(struct weft_rflow *rf, struct weft_out *out);
void weft_credit_wait(struct weft_rflow *rf, struct weft_rxm *rxm, u32 len);
void weft_credit_ignore(struct weft_rxm *rxm, u32 len);
void weft_credit_over(struct weft_rxm *rxm, struct weft_out *out);
void weft_credit_timer(struct weft_path *path, struct weft_out *out);
void weft_credit_park(struct weft_txm *txm);
struct weft_flow *weft_credit_told(struct weft_path *path, const struct weft_w_credit *w);
u32 weft_credit_chunk(const struct weft_rflow *rf, u8 *dst, u32 room);

/*
 * A message of a flow has had its turn, with @eager bytes of eager payload. Report credit if it is
 * due.
 */
static inline void weft_credit_pass(struct weft_rflow *rf, u32 eager, struct weft_out *out)
{
	rf->in_bytes += eager;
	if (unlikely((s32)(rf->id.mseq - rf->tell_msgs) >= 0 ||
		     (s32)(rf->in_bytes - rf->tell_bytes) >= 0))
		weft_credit_look(rf, out);
}

/*
 * Return: true if the sender has the credit for a new eager message of @len bytes. Whole messages
 * are counted, also in @rx_open and @early_bytes: late or repeated packets change nothing.
 */
static inline bool weft_credit_fits(const struct weft_rflow *rf, u32 len)
{
	const struct weft_path *path = rf->path;

	return (s32)(rf->told_bytes - rf->in_bytes - rf->early_bytes) >= (s32)len &&
	       path->rx_gone + path->flow.rx_open + len <= path->rx_told;
}

/* Count bytes of an eager message that are disposed of. */
static inline void weft_credit_gone(struct weft_rxm *rxm, u32 len)
{
	rxm->flow.open -= len;
	rxm->path->flow.rx_open -= len;
	rxm->path->rx_gone += len;
}

/* Count bytes of an eager message that have come. */
static inline void weft_credit_got(struct weft_rxm *rxm, u32 len)
{
	rxm->got += len;
	if (rxm->flow.moved)
		weft_credit_gone(rxm, len);
	else
		rxm->flow.charged += len;
}

/* Return: true if the flow may begin a message. */
static inline bool weft_credit_begins(const struct weft_flow *flow)
{
	return (s32)(flow->msg_limit - flow->id.mseq) > 0;
}

/* Return: true if node window and flow credit allow to send @len bytes eager. */
static inline bool weft_credit_eager(const struct weft_flow *flow, u32 len)
{
	const struct weft_path *path = flow->path;

	return path->tx_used + len <= path->tx_limit << 10 &&
	       (s32)(flow->tx_limit - flow->tx_used) >= (s32)len;
}

/* Use credit for @len bytes. */
static inline void weft_credit_use(struct weft_flow *flow, u32 len)
{
	flow->path->tx_used += len;
	flow->tx_used += len;
}

#endif
