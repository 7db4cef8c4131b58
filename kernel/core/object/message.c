// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - messages as objects: references of sends and of received messages
 *
 * A send belongs to its endpoint and becomes free with its last reference. A received message is
 * allocated and freed. Sends and receives are allocated in blocks (message.h).
 *
 * Locks: ep->lock; weft_txm_put() takes it.
 */
#include "core/object/object.h"

/*
 * Give slots of the ring back to the program. The slots of taken entries are given back, except one
 * for each send without a written completion (@held). So each entry in the ring will find a struct
 * weft_txm, and posted entries are sent whether or not the program reads completions. ep->lock is
 * held.
 */
static void weft_send_give_back(struct weft_ep *ep, u32 held)
{
	u32 head = ep->tx.taken - held;

	if ((s32)(head - ep->tx.given) <= 0)
		return;
	ep->tx.given = head;
	/* barrier B */
	smp_store_release(&ep->conf.status->sq_head, head);
}

/**
 * weft_send_release - release the ring slot of a send
 * @ep: its endpoint, locked
 * @txm: the send; its completion is written, or is not wanted
 */
void weft_send_release(struct weft_ep *ep, struct weft_txm *txm)
{
	u32 held = ep->tx.nheld - 1;

	weft_assert_held(&ep->lock);
	if (!txm->tx.held)
		return;
	txm->tx.held = false;
	if (ep->state != WEFT_EPS_DEAD)
		weft_send_give_back(ep, held);
	/* last: from 0 on weft_send_publish() does not take the lock */
	smp_store_release(&ep->tx.nheld, held);
}

/**
 * weft_txms_release - sends in a row become free, with their slots
 * @ep: their endpoint, locked
 * @first: the first one; without references
 * @last: the last one, in the same list
 * @n: number of sends
 * @out: output: the drain of the send ring may continue
 */
void weft_txms_release(struct weft_ep *ep, struct weft_txm *first, struct weft_txm *last, u32 n,
		       struct weft_out *out)
{
	struct weft_list *l = &first->node;
	u32 i, held = ep->tx.nheld;

	weft_assert_held(&ep->lock);
	for (i = 0; i < n; i++, l = l->next) {
		struct weft_txm *txm = weft_entry(l, struct weft_txm, node);

		held -= txm->tx.held;
		txm->tx.held = false;
	}
	weft_list_move_run(&ep->tx.free, &first->node, &last->node);
	WRITE_ONCE(ep->tx.ntxm, ep->tx.ntxm - n);
	if (ep->state != WEFT_EPS_DEAD)
		weft_send_give_back(ep, held);
	/* last: as in weft_send_release() */
	smp_store_release(&ep->tx.nheld, held);
	if (ep->tx.stalled)
		weft_ep_sq_defer(ep, out);
}

/* messaging.h has the description. */
void weft_send_publish_held(struct weft_ep *ep)
{
	weft_lock(&ep->lock);
	WRITE_ONCE(ep->tx.taken, ep->tx.ring.cons);
	weft_send_give_back(ep, ep->tx.nheld);
	weft_unlock(&ep->lock);
}

void weft_txm_get(struct weft_txm *txm)
{
	refcount_inc(&txm->ref);
}

/**
 * weft_parts_put - give memory of a send back to its store
 * @part: the parts; NULL: no more
 */
void weft_parts_put(u8 *const part[WEFT_STORE_PARTS])
{
	u32 i;

	for (i = 0; i < WEFT_STORE_PARTS && part[i]; i++)
		weft_store_put(part[i]);
}

/**
 * weft_txm_put - drop a reference; the last put makes the send free
 * @txm: the send
 * @out: output: the drain of the send ring may continue
 *
 * Context: ep->lock is not held.
 */
void weft_txm_put(struct weft_txm *txm, struct weft_out *out)
{
	struct weft_ep *ep = txm->ep;
	struct weft_path *path = txm->path;
	struct weft_rxm *rxm = txm->rxm;

	if (!refcount_dec_and_test(&txm->ref))
		return;
	if (txm->seg)
		weft_parts_put(txm->part);
	weft_free(txm->buf);
	if (unlikely(rxm)) {
		txm->rxm = NULL;
		weft_rxm_put(rxm);
	}
	if (unlikely(txm->source)) {
		weft_free(txm);
		weft_path_put(path);
		weft_ep_put(ep);
		return;
	}
	if (unlikely(txm->tx.done)) {
		weft_cq_put(txm->tx.done);
		txm->tx.done = NULL;
	}
	txm->buf = NULL;
	txm->path = NULL;
	txm->flow = NULL;
	txm->state = WEFT_TXM_FREE;
	weft_lock(&ep->lock);
	weft_list_add_tail(&ep->tx.free, &txm->node);
	WRITE_ONCE(ep->tx.ntxm, ep->tx.ntxm - 1);
	weft_send_release(ep, txm);
	if (ep->tx.stalled)
		weft_ep_sq_defer(ep, out);
	weft_unlock(&ep->lock);
	if (path)
		weft_path_put(path);
	weft_ep_put(ep);
}

/**
 * weft_txm_init - initialize a send in zeroed memory
 * @txm: the send
 * @ep: its endpoint
 */
void weft_txm_init(struct weft_txm *txm, struct weft_ep *ep)
{
	txm->ep = ep;
	txm->ovf.kind = WEFT_OVF_TXM;
	weft_work_init(&txm->bulk.work, WEFT_WORK_TXM, ep->conf.ctx);
	weft_ctl_init(&txm->ctl, WEFT_CTL_TXM);
	weft_list_init(&txm->ovf.node);
	weft_list_init(&txm->qnode);
	weft_list_init(&txm->hnode);
	weft_idnode_init(&txm->bulk.idnode);
	weft_idnode_init(&txm->bulk.gnode);
}

/**
 * weft_txms_init - initialize sends in zeroed memory
 * @txms: the sends
 * @n: number of sends
 * @ep: their endpoint
 */
void weft_txms_init(struct weft_txms *txms, u32 n, struct weft_ep *ep)
{
	u32 i;

	txms->n = n;
	for (i = 0; i < n; i++)
		weft_txm_init(&txms->txm[i], ep);
}

/**
 * weft_txms_add - add sends to the free ones of their endpoint
 * @ep: the endpoint, locked
 * @txms: the sends
 */
void weft_txms_add(struct weft_ep *ep, struct weft_txms *txms)
{
	u32 i;

	weft_assert_held(&ep->lock);
	txms->next = ep->tx.txms;
	ep->tx.txms = txms;
	ep->tx.ntxms += txms->n;
	for (i = 0; i < txms->n; i++)
		weft_list_add_tail(&ep->tx.free, &txms->txm[i].node);
}

/**
 * weft_txms_free - free all sends of an endpoint
 * @txms: the blocks of sends, may be NULL
 */
void weft_txms_free(struct weft_txms *txms)
{
	while (txms) {
		struct weft_txms *next = txms->next;

		weft_free(txms);
		txms = next;
	}
}

/**
 * weft_posts_init - initialize receives in zeroed memory
 * @posts: the receives
 * @n: number of receives
 * @ep: their endpoint, NULL: shared ones
 * @srq: their shared receive queue, NULL: those of an endpoint
 */
void weft_posts_init(struct weft_posts *posts, u32 n, struct weft_ep *ep, struct weft_srq *srq)
{
	u32 i;

	posts->n = n;
	for (i = 0; i < n; i++) {
		posts->post[i].ep = ep;
		posts->post[i].srq = srq;
		posts->post[i].ovf.kind = WEFT_OVF_POST;
		weft_list_init(&posts->post[i].ovf.node);
		weft_list_init(&posts->post[i].turn);
	}
}

/**
 * weft_posts_add - add receives to the free ones
 * @all: the blocks of receives to which they belong
 * @posts: the receives
 * @free: list of free receives
 *
 * The caller holds the lock of both, or has not published them yet.
 */
void weft_posts_add(struct weft_posts **all, struct weft_posts *posts, struct weft_list *free)
{
	u32 i;

	posts->next = *all;
	*all = posts;
	for (i = 0; i < posts->n; i++)
		weft_list_add_tail(free, &posts->post[i].node);
}

/**
 * weft_posts_free - free all receives of an endpoint or a shared receive queue
 * @posts: the blocks of receives, may be NULL
 */
void weft_posts_free(struct weft_posts *posts)
{
	while (posts) {
		struct weft_posts *next = posts->next;

		weft_free(posts);
		posts = next;
	}
}

void weft_rxm_get(struct weft_rxm *rxm)
{
	refcount_inc(&rxm->ref);
}

/**
 * weft_rxm_fini - release what a message holds, but its own memory
 * @rxm: the message, without references
 */
void weft_rxm_fini(struct weft_rxm *rxm)
{
	if (rxm->buf != rxm->small)
		weft_free(rxm->buf);
	if (rxm->ep)
		weft_ep_put(rxm->ep);
	weft_path_put(rxm->path);
	if (rxm->rma)
		weft_free(rxm->rma->res);
	weft_free(rxm->rma);
}

/**
 * weft_rxm_put - drop a reference
 * @rxm: the message
 */
void weft_rxm_put(struct weft_rxm *rxm)
{
	if (!refcount_dec_and_test(&rxm->ref))
		return;
	weft_rxm_fini(rxm);
	weft_free(rxm);
}

/**
 * weft_rxm_put_spare - drop a reference; the memory may serve the next message of its path
 * @rxm: the message; its path is locked, and the caller has a reference on the path
 */
void weft_rxm_put_spare(struct weft_rxm *rxm)
{
	struct weft_path *path = rxm->path;

	weft_assert_held(&path->lock);
	if (path->local || path->msg.spare || rxm->nsmall != WEFT_RXM_SMALL) {
		weft_rxm_put(rxm);
		return;
	}
	if (!refcount_dec_and_test(&rxm->ref))
		return;
	weft_rxm_fini(rxm);
	memset(rxm, 0, sizeof(*rxm));
	path->msg.spare = rxm;
}

/* Initialize the grant state of a message; @m is zeroed. */
static void weft_gmsg_init(struct weft_gmsg *m)
{
	weft_list_init(&m->wait);
	weft_list_init(&m->busy);
	weft_list_init(&m->ready);
}

/**
 * weft_rxm_init - initialize a message in zeroed memory
 * @rxm: the message
 * @path: its path
 */
void weft_rxm_init(struct weft_rxm *rxm, struct weft_path *path)
{
	refcount_set(&rxm->ref, 1);
	weft_path_get(path);
	rxm->path = path;
	weft_list_init(&rxm->rx.enode);
	weft_list_init(&rxm->fnode);
	weft_idnode_init(&rxm->bulk.rnode);
	weft_idnode_init(&rxm->bulk.pnode);
	weft_list_init(&rxm->rx.snode);
	weft_list_init(&rxm->bulk.later);
	weft_gmsg_init(&rxm->bulk.gmsg);
	weft_ctl_init(&rxm->ctl, WEFT_CTL_RXM);
	weft_work_init(&rxm->bulk.work, WEFT_WORK_RXM, NULL);
	weft_list_init(&rxm->node);
}
