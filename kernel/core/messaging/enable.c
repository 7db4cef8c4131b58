// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - give an endpoint its queues and its service
 *
 *	NEW -> ENABLED
 *
 * Locks: ep->sq_mutex is held; core->svc_lock and ep->lock are taken here. Process context.
 */
#include "core/messaging/messaging.h"

static bool weft_ep_writes(const struct weft_ep_queues *q)
{
	u32 i;

	for (i = 0; i < WEFT_RMA_CNTRS; i++)
		if (q->rma_cntr[i])
			return true;
	return q->tx_cq || q->rx_cq || q->tx_cntr || q->rx_cntr;
}

/* Return: true if the endpoint has one of these queues and counters already. */
static bool weft_ep_has_one(const struct weft_ep *ep, const struct weft_ep_queues *q)
{
	u32 i;

	for (i = 0; i < WEFT_RMA_CNTRS; i++)
		if (q->rma_cntr[i] && ep->rma_cntr[i])
			return true;
	return (q->tx_cq && ep->tx_cq) || (q->rx_cq && ep->rx_cq) ||
	       (q->tx_cntr && ep->tx_cntr) || (q->rx_cntr && ep->rx_cntr);
}

static bool weft_ep_fits(const struct weft_ep *ep, const struct weft_ep_queues *q)
{
	switch (ep->conf.type) {
	case WEFT_EP_RDM:
	case WEFT_EP_DGRAM:
		return q->av;
	case WEFT_EP_MSG:
		return q->eq && !q->av;
	default:
		return q->eq && !q->av && !weft_ep_writes(q);
	}
}

static void weft_ep_set_cq(struct weft_cq **at, struct weft_cq *cq)
{
	if (!cq)
		return;
	weft_cq_get(cq);
	*at = cq;
}

/* Set queues and counters. ep->lock and ep->sq_mutex are held. */
static void weft_ep_set_cqs(struct weft_ep *ep, const struct weft_ep_queues *q)
{
	u32 i;

	weft_mutex_assert_held(&ep->sq_mutex);
	weft_ep_set_cq(&ep->tx_cq, q->tx_cq);
	weft_ep_set_cq(&ep->rx_cq, q->rx_cq);
	weft_ep_set_cq(&ep->tx_cntr, q->tx_cntr);
	weft_ep_set_cq(&ep->rx_cntr, q->rx_cntr);
	for (i = 0; i < WEFT_RMA_CNTRS; i++)
		weft_ep_set_cq(&ep->rma_cntr[i], q->rma_cntr[i]);
}

/* Give an enabled endpoint a queue that it lacks. ep->sq_mutex is held. Return: 0, -EBUSY. */
static int weft_ep_add_cq(struct weft_ep *ep, const struct weft_ep_queues *q)
{
	int err = -EBUSY;

	weft_mutex_assert_held(&ep->sq_mutex);
	if (q->eq || !weft_ep_writes(q))
		return err;
	weft_lock(&ep->lock);
	if (ep->state == WEFT_EPS_ENABLED && !ep->rx.srq && q->av && q->av == ep->av &&
	    !weft_ep_has_one(ep, q)) {
		weft_ep_set_cqs(ep, q);
		err = 0;
	}
	weft_unlock(&ep->lock);
	return err;
}

/**
 * weft_ep_ready - give an endpoint its queues, and with the first ones its service
 * @ep: the endpoint; ep->sq_mutex is held
 * @q: the queues
 *
 * Return: as weft_ep_enable().
 */
int weft_ep_ready(struct weft_ep *ep, const struct weft_ep_queues *q)
{
	int err;

	weft_mutex_assert_held(&ep->sq_mutex);
	if (!weft_ep_fits(ep, q) || (ep->conf.flags & WEFT_EPF_SRQ && !ep->rx.srq))
		return -EINVAL;
	if (READ_ONCE(ep->core->stopped))
		return -ENODEV;
	if (ep->state != WEFT_EPS_NEW)
		return weft_ep_add_cq(ep, q);
	err = weft_service_claim(ep);
	if (err)
		return err;
	if (q->eq)
		weft_eq_get(q->eq);
	weft_lock(&ep->lock);
	weft_ep_set_cqs(ep, q);
	ep->eq = q->eq;
	ep->av = q->av;
	if (q->av)
		ep->rx.av_gen = weft_av_gen(q->av);
	if (ep->state == WEFT_EPS_NEW) {
		WRITE_ONCE(ep->state, WEFT_EPS_ENABLED);
		if (ep->conf.type != WEFT_EP_PASSIVE)
			weft_ep_st(ep, WEFT_ST_SQ_NOTIFY, 0);
	}
	weft_unlock(&ep->lock);
	return 0;
}
