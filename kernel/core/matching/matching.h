/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - matching of posted receives and unexpected messages
 *
 * The functions that this folder offers to the folders above it, and its files to one another. The
 * comment at each definition names the locks that the function needs.
 */
#ifndef WEFT_MATCHING_H
#define WEFT_MATCHING_H

#include "core/matching/calls.h"
#include "core/transport/transport.h"

/* ---- work.c --------------------------------------------------------------------- */

void weft_recv_all(struct weft_ep *ep, struct weft_out *out);
void weft_recv_work(struct weft_ep *ep, struct weft_out *out);

/* ---- post.c --------------------------------------------------------------------- */

void weft_recv_drain(struct weft_ep *ep, struct weft_out *out);
struct weft_post *weft_recv_find(struct weft_ep *ep, u8 kind, u32 src, u64 tag, u64 len,
				 struct weft_out *out);
bool weft_recv_resolve(struct weft_ep *ep);
void weft_recv_apply(struct weft_ep *ep, const struct weft_rq_entry *e, struct weft_post *post,
		     struct weft_out *out);
int weft_recv_long(struct weft_ep *ep, struct weft_out *out);
void weft_recv_matched(struct weft_ep *ep, struct weft_rxm *rxm, struct weft_post *post);
bool weft_recv_inline(struct weft_ep *ep, struct weft_post *post, struct weft_cqe *e,
		      const void *payload, struct weft_out *out);
void weft_recv_cqe(struct weft_cqe *e, const struct weft_ep *ep, struct weft_post *post,
		   u64 tag, u64 data, u64 len, u32 src, u16 flags);
void weft_recv_unexp(struct weft_ep *ep, struct weft_rxm *rxm, u32 src, struct weft_out *out);

/*
 * Does the completion need the address of sender @src, not its index? Only a kept message has it.
 */
static inline bool weft_recv_strange(const struct weft_ep *ep, u32 src)
{
	return unlikely(ep->conf.flags & WEFT_EPF_SOURCE) && src == WEFT_SRC_ANY;
}

#define WEFT_SPARE_MAX	256	/* bytes that take the completion queue in any case */
#define WEFT_MISSES	16	/* longer ones that took it since memory was last made resident */

/*
 * Return: true if a short message of @n bytes is to be placed, not to take the completion queue.
 * Its receive's memory then becomes resident. Placing into resident memory costs less than two
 * copies, but making it resident costs much more than one message.
 */
static inline bool weft_recv_pins(const struct weft_ep *ep, u64 n)
{
	return n > WEFT_SPARE_MAX && unlikely(READ_ONCE(ep->rx.misses) >= WEFT_MISSES);
}

void weft_recv_from(const struct weft_ep *ep, struct weft_post *post, const struct weft_rxm *rxm,
		    struct weft_cqe *e);
void weft_recv_give(struct weft_ep *ep, struct weft_rxm *rxm, struct weft_post *post,
		    struct weft_out *out);
void weft_recv_status(struct weft_ep *ep);

/*
 * Measure that a receive has met its message. @waited: nanoseconds for which the message has waited
 * for it. A part of a multi-receive buffer was not posted itself. The endpoint is locked.
 */
static inline void weft_recv_met(struct weft_ep *ep, const struct weft_post *post, u64 waited,
				 weft_ns now)
{
	weft_assert_held(&ep->lock);
	if (likely(!READ_ONCE(ep->core->conf.histograms)))
		return;
	weft_measure(ep->core, message_wait, waited);
	if (!(post->flags & WEFT_POST_PART))
		weft_measure(ep->core, receive_wait, weft_since(now, post->at));
}

/* As weft_match_arrive(), measured. The owner of @m is locked. */
static inline struct weft_mpost *weft_recv_arrive(struct weft_core *core, struct weft_match *m,
						  u8 kind, u32 src, u64 tag)
{
	u32 from = m->looked;
	struct weft_mpost *p = weft_match_arrive(m, kind, src, tag);

	weft_measure(core, search, m->looked - from);
	return p;
}

/* As weft_match_find() for the receive @p, measured. The owner of @m is locked. */
static inline struct weft_munexp *weft_recv_search(struct weft_core *core, struct weft_match *m,
						   const struct weft_mpost *p)
{
	u32 from = m->looked;
	struct weft_munexp *u = weft_match_find(m, p->kind, p->src, p->tag, p->ignore);

	weft_measure(core, search, m->looked - from);
	return u;
}

void weft_post_free(struct weft_ep *ep, struct weft_post *post, struct weft_out *out);
bool weft_turn_of(struct weft_ep *ep, const struct weft_post *post, u32 src);
bool weft_post_inline(struct weft_ep *ep, struct weft_post *post, struct weft_cqe *e,
		      const void *payload, u64 n, struct weft_out *out);
void weft_post_turn(struct weft_ep *ep, struct weft_post *post, const struct weft_cqe *e,
		    struct weft_out *out);
void weft_post_done(struct weft_ep *ep, struct weft_post *post, const struct weft_cqe *e,
		    struct weft_out *out);
void weft_start_put(struct weft_rxm *rxm, struct weft_out *out);
void weft_recv_fail(struct weft_ep *ep, struct weft_post *post, int err, struct weft_out *out);
bool weft_recv_cancel(struct weft_ep *ep, u64 context, struct weft_out *out);
u64 *weft_cut_word(struct weft_ep *ep, u32 index, u64 *bit);
bool weft_recv_was_cut(struct weft_ep *ep);

/* ---- grow.c --------------------------------------------------------------------- */

void weft_recv_later(struct weft_ep *ep, struct weft_out *out);
void weft_grow_ask(struct weft_ep *ep, struct weft_out *out);
void weft_grow_tables(struct weft_ep *ep, struct weft_out *out);
bool weft_grow(struct weft_ep *ep, struct weft_out *out);
void weft_grow_again(struct weft_ep *ep, struct weft_out *out);

/* ---- cancel.c ------------------------------------------------------------------- */

void weft_recv_cancel_all(struct weft_ep *ep, int err, struct weft_out *out);
void weft_recv_drop_all(struct weft_ep *ep, struct weft_out *out);
int weft_recv_cut(struct weft_ep *ep, u64 context, struct weft_out *out);

/* ---- peek.c --------------------------------------------------------------------- */

void weft_peek_apply(struct weft_ep *ep, const struct weft_rq_entry *e, struct weft_post *post,
		     struct weft_out *out);
void weft_claim_drop_all(struct weft_ep *ep, struct weft_out *out);

/* ---- announce.c ----------------------------------------------------------------- */

int weft_announce_apply(struct weft_ep *ep, const struct weft_rq_entry *e, struct weft_post *post);
void weft_announce_none(struct weft_ep *ep, struct weft_post *post);
u64 weft_announce_space(const struct weft_post *post, u64 len);
void weft_announce_cqe(struct weft_cqe *e, const struct weft_post *post);

/* ---- srq.c ---------------------------------------------------------------------- */

struct weft_mpost *weft_srq_take(struct weft_ep *ep, u8 kind, u32 src, u64 tag, u64 len,
				 struct weft_out *out);
void weft_srq_post_free(struct weft_ep *ep, struct weft_post *post, struct weft_out *out);
void weft_srq_leave(struct weft_ep *ep);
void weft_srq_last(struct weft_ep *ep, struct weft_out *out);
void weft_srq_flush(struct weft_out *out);
void weft_srq_work(struct weft_srq *srq, struct weft_out *out);

/* ---- multi.c -------------------------------------------------------------------- */

struct weft_post *weft_multi_take(struct weft_ep *ep, struct weft_post *buf, u64 len,
				  struct weft_out *out);
void weft_multi_cqe(struct weft_cqe *e, struct weft_post *part);
void weft_multi_part_end(struct weft_ep *ep, struct weft_post *part, struct weft_out *out);
void weft_multi_part_free(struct weft_ep *ep, struct weft_post *part, struct weft_out *out);
void weft_multi_retry(struct weft_ep *ep, struct weft_out *out);
void weft_multi_post(struct weft_ep *ep, struct weft_post *buf, u64 least, struct weft_out *out);
void weft_multi_end(struct weft_ep *ep, struct weft_post *buf, int err, struct weft_out *out);

/*
 * Get the receive for a message of @len bytes. The endpoint is locked, and its ring has been
 * drained.
 * Return: the receive, which has left the queue, or a part of a buffer that stays; NULL: the
 * message waits.
 */
static inline struct weft_post *weft_post_match(struct weft_ep *ep, u8 kind, u32 src, u64 tag,
						u64 len, struct weft_out *out)
{
	struct weft_mpost *p;
	struct weft_post *post;

	weft_assert_held(&ep->lock);
	if (likely(!ep->rx.srq))
		p = weft_recv_arrive(ep->core, &ep->rx.match, kind, src, tag);
	else
		p = weft_srq_take(ep, kind, src, tag, len, out);
	if (!p)
		return NULL;
	post = container_of(p, struct weft_post, match);
	if (likely(!p->stays))
		return post;
	return ep->rx.multi_wait ? NULL : weft_multi_take(ep, post, len, out);
}

struct weft_posts *weft_srq_posts_new(struct weft_srq *srq, u32 n);
void weft_srq_posts_free(struct weft_srq *srq, struct weft_posts *posts);
void weft_srq_posts_add(struct weft_srq *srq, struct weft_posts *posts);
u32 weft_srq_available(const struct weft_srq *srq);
void weft_srq_later(struct weft_srq *srq, struct weft_out *out);
void weft_srq_fetch(struct weft_srq *srq, weft_ns now);
void weft_srq_low(struct weft_srq *srq, struct weft_out *out);
void weft_srq_high(struct weft_ep *ep, struct weft_out *out);
void weft_srq_taken(struct weft_srq *srq, struct weft_ep *ep, struct weft_post *post,
		    struct weft_out *out);

/* functions of multi.c for srq.c */
void weft_multi_init(struct weft_post *buf, u64 least);
struct weft_post *weft_multi_share(struct weft_srq *srq, struct weft_post *buf, u64 len);
void weft_multi_return(struct weft_srq *srq, struct weft_post *part, struct weft_out *out);
void weft_multi_tell(struct weft_srq *srq, struct weft_ep *ep, struct weft_out *out);

#endif
