// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - operations of peers that are refused: who did what, and when the peer hears of it
 *
 * A peer that guesses keys learns something from each answer. So the answers to one node have a
 * bounded rate: a bucket of WEFT_REFUSE_BURST tokens, which gains one in each WEFT_REFUSE_GAP. A
 * refusal without a token waits in its flow:
 *
 *	refused --a token--> over: DONE with EACCES
 *	  \--none--> waits in rflow->refused --a token, and the flow has its turn--> over
 *
 * Nothing else waits. The turn of the refused operation has passed, so valid operations behind it
 * are executed. The flows of a node take turns (path->msg.refusing), so a flow with many refusals
 * does not delay the answer to another one for long. A waiting refusal uses up one message of its
 * flow's credit (flow/credit.c). That bounds the memory: a program that only guesses stops itself.
 *
 * Within the node the initiator's own system call fails, without a wait.
 *
 * Locks: path->lock, held by the caller. See Documentation/rma.rst.
 */
#include "core/base/rate.h"
#include "core/rma/rma.h"

#define WEFT_REFUSE_BURST	64
#define WEFT_REFUSE_GAP		NSEC_PER_MSEC

/* ---- Why --------------------------------------------------------------------------- */

/* Find the cause in the regions. @d: out: its key and address. Return: WEFT_DENIED_*. */
static u8 weft_refuse_region(const struct weft_ep *ep, const struct weft_req *req, u32 rights,
			     struct weft_denied *d)
{
	u32 i;

	for (i = 0; i < req->nseg; i++) {
		const struct weft_rseg *seg = &req->seg[i];
		struct weft_region *region;
		u8 why = 0;

		if (!seg->len)
			continue;
		d->key = seg->key;
		d->addr = seg->addr;
		region = weft_region_enter(ep->conf.domain, ep->conf.zone, seg->key);
		if (!region)
			return WEFT_DENIED_KEY;
		if (rights & ~region->access)
			why = WEFT_DENIED_RIGHT;
		else if (!weft_region_covers(region, rights, seg->addr, seg->len))
			why = WEFT_DENIED_BOUNDS;
		weft_region_leave(region);
		if (why)
			return why;
	}
	/* the region has ended meanwhile, or has begun */
	return WEFT_DENIED_KEY;
}

/**
 * weft_refuse_report - count and report an operation that is refused with EACCES
 * @rxm: its message; its path is locked
 * @ep: the endpoint, locked
 * @req: the operation
 * @rights: rights that it needs, WEFT_REGION_*
 */
void weft_refuse_report(const struct weft_rxm *rxm, const struct weft_ep *ep,
			const struct weft_req *req, u32 rights)
{
	struct weft_denied d = { .service = be16_to_cpu(ep->addr.port), .uid = req->uid };

	weft_assert_held(&rxm->path->lock);
	weft_assert_held(&ep->lock);
	if (req->nseg) {
		d.key = req->seg[0].key;
		d.addr = req->seg[0].addr;
	}
	if (!weft_rma_offered(ep, rights))
		d.why = WEFT_DENIED_ENDPOINT;
	else if (!weft_rma_user_fits(ep, req))
		d.why = WEFT_DENIED_USER;
	else
		d.why = weft_refuse_region(ep, req, rights, &d);
	weft_count(ep->core, rma_denied);
	weft_env_denied(rxm->path, &d);
}

/* ---- When -------------------------------------------------------------------------- */

/* Return: when the next token is there; a time that has passed: there is one. */
static weft_ns weft_refuse_at(const struct weft_path *path)
{
	return weft_rate_at(path->msg.refuse_full, WEFT_REFUSE_BURST, WEFT_REFUSE_GAP);
}

/* Use a token. Return: there was one. */
static bool weft_refuse_token(struct weft_path *path, weft_ns now)
{
	return weft_rate_token(&path->msg.refuse_full, WEFT_REFUSE_BURST, WEFT_REFUSE_GAP, now);
}

/* The timer looks when the next token is there, if a refusal waits. */
static void weft_refuse_next(struct weft_path *path)
{
	path->msg.refuse_at = U64_MAX;
	if (weft_list_empty(&path->msg.refusing))
		return;
	path->msg.refuse_at = weft_refuse_at(path);
	weft_path_deadline(path, path->msg.refuse_at);
}

/* Send the answer to an operation that is over: DONE. Its reference is dropped. */
static void weft_refuse_answer(struct weft_path *path, struct weft_rxm *rxm)
{
	rxm->bulk.done = EACCES;
	rxm->bulk.send_done = true;
	weft_ctl_put(path, rxm->lane, &rxm->ctl);
	weft_rxm_put(rxm);
}

/**
 * weft_refuse - end an operation of another node that is refused with EACCES
 * @rf: its flow; the path is locked
 * @rxm: its message, in its turn; the caller has a reference
 * @out: output
 */
void weft_refuse(struct weft_rflow *rf, struct weft_rxm *rxm, struct weft_out *out)
{
	struct weft_path *path = rf->path;

	weft_assert_held(&rf->path->lock);
	if (weft_list_empty(&path->msg.refusing) && weft_refuse_token(path, out->now)) {
		weft_rxm_finish(rxm, EACCES, out);
		return;
	}
	/* it ends without an answer, and keeps no bytes */
	weft_rxm_get(rxm);
	rxm->bulk.aborted = true;
	rxm->flags &= ~(WEFT_MSG_PLACED | WEFT_MSG_MATCHED);
	weft_rxm_finish(rxm, EACCES, out);
	if (rxm->buf != rxm->small)
		weft_free(rxm->buf);
	rxm->buf = NULL;
	weft_list_add_tail(&rf->refused, &rxm->node);
	rf->nrefused++;
	if (weft_list_empty(&rf->refusing))
		weft_list_add_tail(&path->msg.refusing, &rf->refusing);
	weft_refuse_next(path);
}

/* Take the first waiting refusal of a flow. Return: its message, with its reference. */
static struct weft_rxm *weft_refuse_pop(struct weft_rflow *rf)
{
	struct weft_rxm *rxm = weft_entry(weft_list_first(&rf->refused), struct weft_rxm, node);

	weft_list_del(&rxm->node);
	rf->nrefused--;
	return rxm;
}

/**
 * weft_refuse_timer - answer waiting refusals, one of each flow in turn
 * @path: the path, locked
 * @out: output
 */
void weft_refuse_timer(struct weft_path *path, struct weft_out *out)
{
	struct weft_list *l;

	weft_assert_held(&path->lock);
	/* the burst bounds the rounds */
	while ((l = weft_list_first(&path->msg.refusing)) && weft_refuse_token(path, out->now)) {
		struct weft_rflow *rf = weft_entry(l, struct weft_rflow, refusing);

		weft_list_del(l);
		weft_refuse_answer(path, weft_refuse_pop(rf));
		if (rf->nrefused)
			weft_list_add_tail(&path->msg.refusing, l);
		weft_credit_pass(rf, 0, out);
	}
	weft_refuse_next(path);
}

/* messaging/upcalls.h: the flow @rf ends: its peer hears of that, and needs no answers. */
void weft_refuse_end(struct weft_rflow *rf)
{
	weft_assert_held(&rf->path->lock);
	weft_list_del(&rf->refusing);
	while (rf->nrefused)
		weft_rxm_put(weft_refuse_pop(rf));
}
