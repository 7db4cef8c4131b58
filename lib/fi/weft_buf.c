// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_buf.c - buffered receives (FI_BUFFERED_RECV, FI_VARIABLE_MSG): slots, claims, discards
 *
 * An endpoint in this mode has slots, each with a struct fi_recv_context and a buffer of
 * FI_OPT_BUFFERED_LIMIT bytes. A slot is the context of a receive with WEFT_RQ_ANNOUNCE. Untagged
 * slots are posted whenever they are free. A tagged slot is posted with each tag that the program
 * posts.
 *
 *	untagged:	free -> posted -> announced -> claimed -> free -> posted
 *	                                      \-> discarded -> free -> posted
 *	tagged:		free -> (fi_trecv) posted -> announced, as above -> free
 *	                                      \-> canceled -> free
 *	posted -> (the connection has ended) idle
 *
 * A completion reports the announcement. The post of a slot is invisible to the program. A claim
 * gets the announced bytes from the slot, in the call, and the rest from the kernel. Announcements
 * and ends of claims change the slot when the program reads them.
 *
 * A closed endpoint leaves its slots to the completion queue, as entries may still name them. The
 * queue frees them when it has been read empty, or is closed.
 *
 * weft_fi_half.lock of the receiving half protects slots and lists. Calls of a completion queue
 * take it inside of weft_fi_cq.lock. That lock alone protects a pool that was left.
 */
#include <sys/mman.h>

#include "weft_post.h"

#define WEFT_FI_BUF_PLAIN	128	/* maximum number of untagged slots */
#define WEFT_FI_BUF_DEFAULT	16384	/* FI_OPT_BUFFERED_LIMIT */
#define WEFT_FI_BUF_MAX		(256u << 10)
#define WEFT_FI_BUF_ALIGN	64

#define WEFT_FI_SLOT_FREE	0
#define WEFT_FI_SLOT_POSTED	1
#define WEFT_FI_SLOT_ANNOUNCED	2
#define WEFT_FI_SLOT_CLAIMED	3
#define WEFT_FI_SLOT_IDLE	4

/**
 * struct weft_fi_slot - a slot
 * @ctx: contents of an announcement for the program
 * @next: in the list of free slots
 * @pool: its pool
 * @data: buffer
 * @user: context of a posted tag, later of a claim
 * @order: number of its post
 * @have: announced: number of bytes at @data
 * @state: WEFT_FI_SLOT_*
 * @tagged: a slot for tags
 */
struct weft_fi_slot {
	struct fi_recv_context ctx;
	struct weft_fi_slot *next;
	struct weft_fi_pool *pool;
	void *data;
	void *user;
	uint64_t order;
	size_t have;
	uint8_t state;
	bool tagged;
};

/**
 * struct weft_fi_pool - the slots of an endpoint
 * @next: in weft_fi_cq.left
 * @ep: the endpoint
 * @face: the endpoint that announcements name
 * @left: the endpoint is closed
 * @limit: FI_OPT_BUFFERED_LIMIT
 * @min: FI_OPT_BUFFERED_MIN
 * @nplain: number of untagged slots
 * @count: number of slots
 * @slots: all slots, untagged first; NULL before the endpoint is enabled
 * @data: memory of all slots
 * @size: bytes of @data
 * @free: free slots, untagged and tagged
 * @nfree: number of free tagged slots
 * @order: number of the next post
 * @msg: calls for untagged messages
 * @tags: calls for tagged messages
 */
struct weft_fi_pool {
	struct weft_fi_pool *next;
	struct weft_fi_ep *ep;
	struct fid_ep *face;
	bool left;
	size_t limit;
	size_t min;
	size_t nplain;
	size_t count;
	struct weft_fi_slot *slots;
	uint8_t *data;
	size_t size;
	struct weft_fi_slot *free[2];
	size_t nfree;
	uint64_t order;
	struct fi_ops_msg msg;
	struct fi_ops_tagged tags;
};

/* ---- Slots ------------------------------------------------------------------------------ */

static void weft_fi_slot_free(struct weft_fi_slot *slot)
{
	struct weft_fi_pool *pool = slot->pool;

	slot->state = WEFT_FI_SLOT_FREE;
	slot->next = pool->free[slot->tagged];
	pool->free[slot->tagged] = slot;
	pool->nfree += slot->tagged;
}

static struct weft_fi_slot *weft_fi_slot_take(struct weft_fi_pool *pool, bool tagged)
{
	struct weft_fi_slot *slot = pool->free[tagged];

	if (slot) {
		pool->free[tagged] = slot->next;
		pool->nfree -= tagged;
	}
	return slot;
}

/* Post the free untagged slots, as many as fit into the ring. The next call posts the rest. */
static void weft_fi_buf_fill(struct weft_fi_pool *pool)
{
	struct weft_fi_slot *slot;

	while ((slot = weft_fi_slot_take(pool, false))) {
		if (weft_recv_announce(pool->ep->cm.ep, slot->data, pool->limit, pool->min,
				       (uintptr_t)slot, 0)) {
			weft_fi_slot_free(slot);
			return;
		}
		slot->state = WEFT_FI_SLOT_POSTED;
	}
}

/* Return: the slot of a context, NULL: not a slot. */
static struct weft_fi_slot *weft_fi_slot_of(const struct weft_fi_pool *pool, const void *context)
{
	uintptr_t off = (uintptr_t)context - (uintptr_t)pool->slots;

	if (!pool->slots || off >= pool->count * sizeof(*pool->slots) ||
	    off % sizeof(*pool->slots))
		return NULL;
	return &pool->slots[off / sizeof(*pool->slots)];
}

/* ---- Calls ------------------------------------------------------------------------------ */

/* Copy the front of a message from its slot to the buffer of the claim. */
static void weft_fi_buf_copy(const struct weft_fi_slot *slot, const struct iovec *iov, size_t count)
{
	const uint8_t *from = slot->data;
	size_t left = slot->have, i, n;

	for (i = 0; i < count && left; i++) {
		n = iov[i].iov_len < left ? iov[i].iov_len : left;
		memcpy(iov[i].iov_base, from, n);
		from += n;
		left -= n;
	}
}

/* Return: true if the segments are in the address space, and their sum is a valid length. */
static bool weft_fi_buf_space_ok(const struct iovec *iov, size_t count)
{
	size_t sum = 0, i;

	for (i = 0; i < count; i++)
		if (__builtin_add_overflow(sum, iov[i].iov_len, &sum) ||
		    (uintptr_t)iov[i].iov_base + iov[i].iov_len < iov[i].iov_len)
			return false;
	return true;
}

/* The lock is held. @op: FI_CLAIM or FI_DISCARD of an announced slot. */
static int weft_fi_buf_settle_slot(struct weft_fi_ep *ep, struct weft_fi_slot *slot,
				   const struct weft_fi_op *op)
{
	uint64_t key = (uintptr_t)slot;
	int ret;

	if (op->flags & FI_DISCARD) {
		ret = weft_tdiscard(ep->cm.ep, key, WEFT_RQ_ANNOUNCE);
		if (!ret) {
			weft_fi_slot_free(slot);
			weft_fi_buf_fill(slot->pool);
		}
		return ret;
	}
	/* the slot belongs to the program until it is claimed */
	slot->user = slot->ctx.context;
	weft_fi_buf_copy(slot, op->iov, op->count);
	ret = weft_tclaim(ep->cm.ep, op->iov, op->count, key,
			  WEFT_RQ_ANNOUNCE | WEFT_RQ_COMPLETION);
	if (!ret)
		slot->state = WEFT_FI_SLOT_CLAIMED;
	return ret;
}

/* Claim or discard an announced message. */
static ssize_t weft_fi_buf_settle(struct weft_fi_ep *ep, const struct weft_fi_op *op)
{
	uint64_t what = op->flags & WEFT_FI_PEEK_FLAGS;
	struct weft_fi_slot *slot;
	int ret;

	if (!ep->rx.on)
		return weft_fi_refuse(op, ep->enabled ? -FI_EOPNOTSUPP : -FI_EOPBADSTATE);
	if ((what != FI_CLAIM && what != FI_DISCARD) || op->flags & FI_MULTI_RECV)
		return weft_fi_fail(FI_LOG_EP_DATA, -FI_EINVAL,
				    "with buffered receives an announced message is settled by FI_CLAIM or FI_DISCARD, one of them");
	if (op->flags & ~(WEFT_FI_RX_OP_FLAGS | FI_DELIVERY_COMPLETE | FI_MORE |
			  WEFT_FI_PEEK_FLAGS))
		return weft_fi_refuse(op, -FI_EBADFLAGS);
	if (what == FI_CLAIM && (op->count > ep->iov_limit || (op->count && !op->iov) ||
				 !weft_fi_buf_space_ok(op->iov, op->count)))
		return weft_fi_refuse(op, -FI_EINVAL);

	weft_fi_lock(&ep->rx.lock);
	slot = weft_fi_slot_of(ep->pool, op->context);
	if (slot && slot->state == WEFT_FI_SLOT_ANNOUNCED && slot->tagged == op->tagged) {
		ret = weft_fi_buf_settle_slot(ep, slot, op);
		/* receives deferred by FI_MORE were published before it */
		if (!ret)
			ep->rx.held = 0;
	} else {
		ret = weft_fi_fail(FI_LOG_EP_DATA, -FI_EINVAL,
				   "FI_CLAIM and FI_DISCARD need the op_context of an announcement of this endpoint that is not settled, and the call of its kind");
	}
	weft_fi_unlock(&ep->rx.lock);
	return ret;
}

static ssize_t weft_fi_buf_no_recv(void)
{
	return weft_fi_fail(FI_LOG_EP_DATA, -FI_EINVAL,
			    "with buffered receives there are no untagged ones but FI_CLAIM and FI_DISCARD of what was announced");
}

static ssize_t weft_fi_buf_recv(struct fid_ep *ep, void *buf, size_t len, void *desc,
				fi_addr_t from, void *context)
{
	return weft_fi_buf_no_recv();
}

static ssize_t weft_fi_buf_recvv(struct fid_ep *ep, const struct iovec *iov, void **desc,
				 size_t count, fi_addr_t from, void *context)
{
	return weft_fi_buf_no_recv();
}

static ssize_t weft_fi_buf_recvmsg(struct fid_ep *ep, const struct fi_msg *msg, uint64_t flags)
{
	struct weft_fi_op op;

	if (!msg || !(flags & (FI_CLAIM | FI_DISCARD)))
		return weft_fi_buf_no_recv();
	op = (struct weft_fi_op){
		.iov = msg->msg_iov,
		.count = msg->iov_count,
		.context = msg->context,
		.flags = flags,
	};
	return weft_fi_buf_settle(weft_fi_ep_of(ep), &op);
}

/* The lock is held. Post a tag. */
static int weft_fi_buf_post(struct weft_fi_ep *ep, const struct weft_fi_op *op, uint32_t src)
{
	struct weft_fi_pool *pool = ep->pool;
	struct weft_fi_slot *slot = weft_fi_slot_take(pool, true);
	uint32_t more = 0;
	int ret;

	if (!slot)
		return -FI_EAGAIN;
	if (op->flags & FI_MORE)
		more = weft_fi_more(&ep->rx);
	ret = weft_trecv_announce(ep->cm.ep, slot->data, pool->limit, pool->min, src, op->tag,
				  op->ignore, (uintptr_t)slot, more);
	if (ret) {
		weft_fi_slot_free(slot);
	} else {
		slot->state = WEFT_FI_SLOT_POSTED;
		slot->user = op->context;
		slot->order = pool->order++;
	}
	if (more | ep->rx.held && (!ret || ret == -EAGAIN))
		weft_fi_posted(&ep->rx, ret ? 0 : more);
	return ret;
}

static ssize_t weft_fi_buf_tag(struct weft_fi_ep *ep, const struct weft_fi_op *op)
{
	uint32_t src;
	int ret;

	if (!ep->rx.on)
		return weft_fi_refuse(op, ep->enabled ? -FI_EOPNOTSUPP : -FI_EOPBADSTATE);
	if (op->flags & ~((WEFT_FI_RX_OP_FLAGS & ~FI_MULTI_RECV) | FI_DELIVERY_COMPLETE | FI_MORE))
		return weft_fi_refuse(op, -FI_EBADFLAGS);
	ret = ep->msg ? weft_fi_msg_source(ep, &src) : weft_fi_rdm_source(ep, op->peer, &src);
	if (ret)
		return ret;
	weft_fi_lock(&ep->rx.lock);
	ret = weft_fi_buf_post(ep, op, src);
	weft_fi_unlock(&ep->rx.lock);
	return ret;
}

static ssize_t weft_fi_buf_trecvmsg(struct fid_ep *fid, const struct fi_msg_tagged *msg,
				    uint64_t flags)
{
	struct weft_fi_ep *ep = weft_fi_ep_of(fid);
	struct weft_fi_op op;

	if (!msg)
		return weft_fi_fail(FI_LOG_EP_DATA, -FI_EINVAL,
				    "fi_trecvmsg needs a message structure");
	op = (struct weft_fi_op){
		.iov = msg->msg_iov,
		.count = msg->iov_count,
		.peer = msg->addr,
		.context = msg->context,
		.flags = flags,
		.tagged = true,
		.tag = msg->tag,
		.ignore = msg->ignore,
	};
	if (!(flags & WEFT_FI_PEEK_FLAGS))
		return weft_fi_buf_tag(ep, &op);
	/* a message claimed by a peek has another context */
	if ((flags & WEFT_FI_PEEK_FLAGS) == FI_DISCARD || weft_fi_slot_of(ep->pool, op.context))
		return weft_fi_buf_settle(ep, &op);
	return weft_fi_peek(ep, &op);
}

static ssize_t weft_fi_buf_trecvv(struct fid_ep *ep, const struct iovec *iov, void **desc,
				  size_t count, fi_addr_t from, uint64_t tag, uint64_t ignore,
				  void *context)
{
	struct weft_fi_op op = {
		.peer = from, .context = context, .tagged = true, .tag = tag, .ignore = ignore,
		.flags = weft_fi_face_of(ep)->rx_flags & ~FI_MULTI_RECV
	};

	return weft_fi_buf_tag(weft_fi_ep_of(ep), &op);
}

static ssize_t weft_fi_buf_trecv(struct fid_ep *ep, void *buf, size_t len, void *desc,
				 fi_addr_t from, uint64_t tag, uint64_t ignore, void *context)
{
	return weft_fi_buf_trecvv(ep, NULL, NULL, 0, from, tag, ignore, context);
}

/**
 * weft_fi_buf_cancel() - cancel the oldest posted tag with a context
 * @ep: endpoint in this mode, its receiving half locked
 * @context: context of the program
 *
 * Return: 0, -errno.
 */
int weft_fi_buf_cancel(struct weft_fi_ep *ep, void *context)
{
	struct weft_fi_pool *pool = ep->pool;
	struct weft_fi_slot *slot, *oldest = NULL;
	size_t i;

	for (i = pool->nplain; i < pool->count; i++) {
		slot = &pool->slots[i];
		if (slot->state == WEFT_FI_SLOT_POSTED && slot->user == context &&
		    (!oldest || slot->order < oldest->order))
			oldest = slot;
	}
	return oldest ? weft_cancel(ep->cm.ep, (uintptr_t)oldest) : 0;
}

/* Return: number of tags that can be posted. The receiving half is locked. */
size_t weft_fi_buf_space(const struct weft_fi_ep *ep)
{
	return ep->pool->nfree;
}

/* ---- Options ---------------------------------------------------------------------------- */

/**
 * weft_fi_buf_getopt() - FI_OPT_BUFFERED_LIMIT, FI_OPT_BUFFERED_MIN
 * @ep: endpoint in this mode
 * @optname: the option
 *
 * Return: its value.
 */
size_t weft_fi_buf_getopt(const struct weft_fi_ep *ep, int optname)
{
	return optname == FI_OPT_BUFFERED_MIN ? ep->pool->min : ep->pool->limit;
}

/**
 * weft_fi_buf_setopt() - set FI_OPT_BUFFERED_LIMIT or FI_OPT_BUFFERED_MIN
 * @ep: endpoint in this mode
 * @optname: the option
 * @value: bytes; SIZE_MAX as limit: the maximum
 *
 * Return: 0, -FI_EOPBADSTATE (enabled), -FI_EMSGSIZE, -FI_EINVAL (the minimum above the limit).
 */
int weft_fi_buf_setopt(struct weft_fi_ep *ep, int optname, size_t value)
{
	struct weft_fi_pool *pool = ep->pool;

	if (pool->slots)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EOPBADSTATE,
				    "FI_OPT_BUFFERED_LIMIT and _MIN are set before the endpoint is enabled");
	if (optname == FI_OPT_BUFFERED_LIMIT && value == SIZE_MAX)
		value = WEFT_FI_BUF_MAX;
	if (value > WEFT_FI_BUF_MAX)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EMSGSIZE,
				    "at most %u bytes of a message are buffered", WEFT_FI_BUF_MAX);
	if (optname == FI_OPT_BUFFERED_MIN ? value > pool->limit : value < pool->min)
		return weft_fi_fail(FI_LOG_EP_CTRL, -FI_EINVAL,
				    "FI_OPT_BUFFERED_MIN would be more than FI_OPT_BUFFERED_LIMIT");
	*(optname == FI_OPT_BUFFERED_MIN ? &pool->min : &pool->limit) = value;
	return 0;
}

/* ---- Completions ------------------------------------------------------------------------ */

/**
 * weft_fi_buf_hides() - process a completion of a slot that the program does not see
 * @cqe: completion with WEFT_CQE_ANNOUNCE or WEFT_CQE_CLAIM; its queue is locked
 *
 * Return: true: the caller skips the completion, and the slot has been updated.
 */
bool weft_fi_buf_hides(const struct weft_cqe *cqe)
{
	struct weft_fi_slot *slot = (struct weft_fi_slot *)(uintptr_t)cqe->context;
	struct weft_fi_pool *pool = slot->pool;

	if (!(cqe->flags & WEFT_CQE_ANNOUNCE))
		return false;
	if (pool->left)
		return !cqe->status || !slot->tagged;
	if (!cqe->status || slot->tagged)
		return false;
	weft_fi_lock(&pool->ep->rx.lock);
	/* after the end of a connection, completions come only for slots that are settled later */
	if (cqe->status == ECANCELED || cqe->status == ENOTCONN || cqe->status == ENOBUFS) {
		slot->state = WEFT_FI_SLOT_IDLE;
	} else {
		weft_fi_slot_free(slot);
		weft_fi_buf_fill(pool);
	}
	weft_fi_unlock(&pool->ep->rx.lock);
	return true;
}

/**
 * weft_fi_buf_show() - convert a completion of a slot to the program's view
 * @cqe: completion with WEFT_CQE_ANNOUNCE or WEFT_CQE_CLAIM; its queue is locked
 *
 * Does not change the slot.
 */
void weft_fi_buf_show(struct weft_cqe *cqe)
{
	struct weft_fi_slot *slot = (struct weft_fi_slot *)(uintptr_t)cqe->context;

	if (cqe->flags & WEFT_CQE_ANNOUNCE && !cqe->status) {
		cqe->buf = (uintptr_t)slot->data;
		return;
	}
	cqe->context = (uintptr_t)slot->user;
	cqe->buf = 0;
	cqe->flags &= ~WEFT_CQE_ANNOUNCE;
}

/**
 * weft_fi_buf_take() - update a slot when the program reads its completion
 * @cqe: the kernel's completion; its queue is locked
 */
void weft_fi_buf_take(const struct weft_cqe *cqe)
{
	struct weft_fi_slot *slot = (struct weft_fi_slot *)(uintptr_t)cqe->context;
	struct weft_fi_pool *pool = slot->pool;

	if (pool->left)
		return;
	weft_fi_lock(&pool->ep->rx.lock);
	if (cqe->flags & WEFT_CQE_ANNOUNCE && !cqe->status) {
		slot->state = WEFT_FI_SLOT_ANNOUNCED;
		slot->have = cqe->len - cqe->olen;
		slot->ctx.ep = slot->tagged ? NULL : pool->face;
		slot->ctx.context = slot->tagged ? slot->user : NULL;
	} else {
		weft_fi_slot_free(slot);
	}
	weft_fi_buf_fill(pool);
	weft_fi_unlock(&pool->ep->rx.lock);
}

/* ---- Life ------------------------------------------------------------------------------- */

static void weft_fi_pool_free(struct weft_fi_pool *pool)
{
	free(pool->slots);
	free(pool);
}

/**
 * weft_fi_buf_new() - set up buffered receives for an endpoint
 * @ep: endpoint, not enabled
 *
 * Return: 0, -FI_ENOMEM.
 */
int weft_fi_buf_new(struct weft_fi_ep *ep)
{
	struct weft_fi_pool *pool = calloc(1, sizeof(*pool));
	size_t most = ep->domain->port->q.max_ring / 2, tags;

	if (!pool)
		return -FI_ENOMEM;
	pool->ep = ep;
	pool->limit = WEFT_FI_BUF_DEFAULT;
	if (ep->caps & FI_MSG)
		pool->nplain = ep->rx_size < WEFT_FI_BUF_PLAIN ? ep->rx_size : WEFT_FI_BUF_PLAIN;
	tags = ep->caps & FI_TAGGED ? ep->rx_size : 0;
	pool->count = pool->nplain + tags < most ? pool->nplain + tags : most;
	pool->msg = weft_fi_msg_ops;
	pool->msg.recv = weft_fi_buf_recv;
	pool->msg.recvv = weft_fi_buf_recvv;
	pool->msg.recvmsg = weft_fi_buf_recvmsg;
	pool->tags = weft_fi_tagged_ops;
	pool->tags.recv = weft_fi_buf_trecv;
	pool->tags.recvv = weft_fi_buf_trecvv;
	pool->tags.recvmsg = weft_fi_buf_trecvmsg;
	ep->pool = pool;
	return 0;
}

/* Slots of the kernel's receive ring: one and a half times the slots here, for claims and peeks. */
size_t weft_fi_buf_ring(const struct weft_fi_ep *ep)
{
	return ep->pool->count + ep->pool->count / 2;
}

/* Set the calls of a handle of an endpoint in this mode. */
void weft_fi_buf_calls(const struct weft_fi_ep *ep, struct fid_ep *fid)
{
	if (ep->caps & FI_MSG)
		fid->msg = &ep->pool->msg;
	if (ep->caps & FI_TAGGED)
		fid->tagged = &ep->pool->tags;
}

/**
 * weft_fi_buf_start() - create and post the slots
 * @ep: endpoint in this mode; the kernel has enabled it, and it has a completion queue
 * @face: the endpoint that announcements name
 *
 * Return: 0, -FI_ENOMEM.
 */
int weft_fi_buf_start(struct weft_fi_ep *ep, struct fid_ep *face)
{
	struct weft_fi_pool *pool = ep->pool;
	size_t step = (pool->limit + WEFT_FI_BUF_ALIGN - 1) & ~(size_t)(WEFT_FI_BUF_ALIGN - 1);
	struct weft_fi_slot *slots = calloc(pool->count, sizeof(*slots));
	void *data = NULL;
	size_t i;

	if (!slots)
		return -FI_ENOMEM;
	pool->size = step * pool->count;
	if (pool->size)
		data = mmap(NULL, pool->size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (data == MAP_FAILED) {
		free(slots);
		return -FI_ENOMEM;
	}
	weft_fi_lock(&ep->rx.lock);
	pool->face = face;
	pool->data = data;
	pool->slots = slots;
	/* so that the first slot of each kind is first in its list */
	for (i = pool->count; i-- > 0;) {
		slots[i].pool = pool;
		slots[i].data = pool->data + i * step;
		slots[i].tagged = i >= pool->nplain;
		weft_fi_slot_free(&slots[i]);
	}
	weft_fi_buf_fill(pool);
	weft_fi_unlock(&ep->rx.lock);
	return 0;
}

/**
 * weft_fi_buf_leave() - leave the slots of a closed endpoint to its completion queue
 * @ep: endpoint; the kernel's endpoint has gone, and payload in @cq has been copied
 * @cq: its completion queue, locked, or NULL: no queue
 */
void weft_fi_buf_leave(struct weft_fi_ep *ep, struct weft_fi_cq *cq)
{
	struct weft_fi_pool *pool = ep->pool;

	if (pool->data)
		munmap(pool->data, pool->size);
	if (!cq || !pool->slots) {
		weft_fi_pool_free(pool);
		return;
	}
	pool->left = true;
	pool->next = cq->left;
	cq->left = pool;
	atomic_fetch_or(&cq->slow, WEFT_FI_CQ_LEFT);
}

/* No entry of a completion queue (locked, or to be closed) names slots of closed endpoints. */
void weft_fi_buf_forget(struct weft_fi_cq *cq)
{
	struct weft_fi_pool *pool;

	while ((pool = cq->left)) {
		cq->left = pool->next;
		weft_fi_pool_free(pool);
	}
	atomic_fetch_and(&cq->slow, ~WEFT_FI_CQ_LEFT);
}
