// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_rma.c - fi_rma: all forms of reads and writes
 *
 * Each form becomes a struct weft_fi_op, which weft_post.h posts as it posts sends. Calls without
 * flags use those of the endpoint. The sending half's lock serialises posts.
 */
#include "weft_fast.h"

/* Return: the flags of an operation. FI_INJECT has no effect on reads. */
WEFT_INLINED uint64_t weft_fi_rma_flags(uint8_t rma, uint64_t flags)
{
	return rma == WEFT_SQ_READ ? flags & ~FI_INJECT : flags;
}

/**
 * struct weft_fi_rma_form - what a form of a call with one segment on both sides adds
 * @rma: WEFT_SQ_WRITE, WEFT_SQ_READ
 * @silent: no completion
 * @flags: flags of the operation
 */
struct weft_fi_rma_form {
	uint8_t rma;
	bool silent;
	uint64_t flags;
};

/* Post an operation that the fast path does not take. Its frame stays out of that path. */
static __attribute__((noinline)) ssize_t weft_fi_rma_any(struct fid_ep *ep, const void *buf,
							 size_t len, fi_addr_t to, uint64_t addr,
							 uint64_t key, void *context,
							 uint64_t data,
							 const struct weft_fi_rma_form *form)
{
	struct iovec iov = { .iov_base = (void *)buf, .iov_len = len };
	struct weft_rma_iov rem = { .addr = addr, .len = len, .key = key };
	const struct weft_fi_op op = {
		.iov = &iov, .count = 1, .one = true, .rem = &rem, .nrem = 1, .peer = to,
		.context = context, .data = data, .rma = form->rma, .silent = form->silent,
		.flags = weft_fi_rma_flags(form->rma, weft_fi_face_of(ep)->tx_flags) | form->flags,
	};

	return weft_fi_send(weft_fi_ep_of(ep), &op);
}

/* Post an operation with one local and one remote segment. */
WEFT_INLINED ssize_t weft_fi_rma_one(struct fid_ep *ep, const void *buf, size_t len,
				     fi_addr_t to, uint64_t addr, uint64_t key, void *context,
				     uint64_t data, const struct weft_fi_rma_form *form)
{
	uint64_t flags = weft_fi_rma_flags(form->rma, weft_fi_face_of(ep)->tx_flags) | form->flags;
	uint32_t nslots = weft_fi_fast_rma(weft_fi_ep_of(ep), form->rma, buf, len, to, addr, key,
					   context, flags, form->silent);

	if (weft_likely(nslots))
		return weft_fi_fast_post(weft_fi_ep_of(ep), nslots, len, flags & FI_MORE);
	return weft_fi_rma_any(ep, buf, len, to, addr, key, context, data, form);
}

/* Post an operation with several local segments. */
static ssize_t weft_fi_rma_vector(struct fid_ep *ep, struct weft_fi_op *op,
				  const struct iovec *iov, size_t count, uint64_t addr,
				  uint64_t key)
{
	bool valid = iov && count <= weft_fi_ep_of(ep)->iov_limit;
	struct weft_rma_iov rem = {
		.addr = addr, .len = valid ? lw_total(iov, count) : 0, .key = key
	};

	op->iov = iov;
	op->count = count;
	op->rem = &rem;
	op->nrem = 1;
	op->flags = weft_fi_rma_flags(op->rma, weft_fi_face_of(ep)->tx_flags);
	return weft_fi_send(weft_fi_ep_of(ep), op);
}

/* Bytes that a ring takes with @nrem remote segments */
static size_t weft_fi_rma_inline(size_t nrem)
{
	return (WEFT_NSLOTS_MAX - 1 - lw_remote_slots(nrem)) * WEFT_SLOT_SIZE;
}

/*
 * Write it if it has one segment on both sides, without an error. Return: as weft_fi_fast_entry().
 */
WEFT_INLINED uint32_t weft_fi_rma_lone(struct fid_ep *ep, const struct fi_msg_rma *msg,
				       uint64_t flags, uint8_t rma)
{
	if (!msg || msg->iov_count != 1 || msg->rma_iov_count != 1 || !msg->msg_iov ||
	    !msg->rma_iov || msg->rma_iov->len != msg->msg_iov->iov_len)
		return 0;
	return weft_fi_fast_rma(weft_fi_ep_of(ep), rma, msg->msg_iov->iov_base,
				msg->msg_iov->iov_len, msg->addr, msg->rma_iov->addr,
				msg->rma_iov->key, msg->context, weft_fi_rma_flags(rma, flags),
				false);
}

/*
 * Post an operation of a message structure. @rma: WEFT_SQ_WRITE, WEFT_SQ_READ; @trigger: of
 * deferred work, or NULL.
 */
ssize_t weft_fi_rma_message(struct fid_ep *ep, const struct fi_msg_rma *msg, uint64_t flags,
			    uint8_t rma, const struct weft_trigger *trigger)
{
	struct weft_rma_iov rem[WEFT_IOV_MAX];
	struct weft_fi_op op = { .rma = rma, .rem = rem, .trigger = trigger };
	size_t i;

	if (!msg)
		return weft_fi_no_struct();
	op.iov = msg->msg_iov;
	op.count = msg->iov_count;
	op.peer = msg->addr;
	op.context = msg->context;
	op.flags = weft_fi_rma_flags(rma, flags);
	op.data = msg->data;
	op.nrem = msg->rma_iov_count;
	if (op.nrem > weft_fi_ep_of(ep)->iov_limit || (op.nrem && !msg->rma_iov))
		return weft_fi_refuse(&op, -FI_EINVAL);
	for (i = 0; i < op.nrem; i++)
		rem[i] = (struct weft_rma_iov){
			.addr = msg->rma_iov[i].addr,
			.len = msg->rma_iov[i].len,
			.key = msg->rma_iov[i].key,
		};
	if (op.flags & FI_INJECT && op.iov && op.count <= WEFT_IOV_MAX &&
	    lw_total(op.iov, op.count) > weft_fi_rma_inline(op.nrem))
		return weft_fi_refuse(&op, -FI_EMSGSIZE);
	return weft_fi_send(weft_fi_ep_of(ep), &op);
}

/* ---- Reads ------------------------------------------------------------------------------ */

static ssize_t weft_fi_rma_read(struct fid_ep *ep, void *buf, size_t len, void *desc,
				fi_addr_t from, uint64_t addr, uint64_t key, void *context)
{
	static const struct weft_fi_rma_form form = { .rma = WEFT_SQ_READ };

	return weft_fi_rma_one(ep, buf, len, from, addr, key, context, 0, &form);
}

static ssize_t weft_fi_rma_readv(struct fid_ep *ep, const struct iovec *iov, void **desc,
				 size_t count, fi_addr_t from, uint64_t addr, uint64_t key,
				 void *context)
{
	struct weft_fi_op op = { .peer = from, .context = context, .rma = WEFT_SQ_READ };

	return weft_fi_rma_vector(ep, &op, iov, count, addr, key);
}

static ssize_t weft_fi_rma_readmsg(struct fid_ep *ep, const struct fi_msg_rma *msg,
				   uint64_t flags)
{
	uint32_t nslots = weft_fi_rma_lone(ep, msg, flags, WEFT_SQ_READ);

	if (weft_likely(nslots))
		return weft_fi_fast_post(weft_fi_ep_of(ep), nslots, msg->msg_iov->iov_len,
					 flags & FI_MORE);
	return weft_fi_rma_message(ep, msg, flags, WEFT_SQ_READ, NULL);
}

/* ---- Writes ----------------------------------------------------------------------------- */

static ssize_t weft_fi_rma_write(struct fid_ep *ep, const void *buf, size_t len, void *desc,
				 fi_addr_t to, uint64_t addr, uint64_t key, void *context)
{
	static const struct weft_fi_rma_form form = { .rma = WEFT_SQ_WRITE };

	return weft_fi_rma_one(ep, buf, len, to, addr, key, context, 0, &form);
}

static ssize_t weft_fi_rma_writev(struct fid_ep *ep, const struct iovec *iov, void **desc,
				  size_t count, fi_addr_t to, uint64_t addr, uint64_t key,
				  void *context)
{
	struct weft_fi_op op = { .peer = to, .context = context, .rma = WEFT_SQ_WRITE };

	return weft_fi_rma_vector(ep, &op, iov, count, addr, key);
}

static ssize_t weft_fi_rma_writemsg(struct fid_ep *ep, const struct fi_msg_rma *msg,
				    uint64_t flags)
{
	uint32_t nslots = weft_fi_rma_lone(ep, msg, flags, WEFT_SQ_WRITE);

	if (weft_likely(nslots))
		return weft_fi_fast_post(weft_fi_ep_of(ep), nslots, msg->msg_iov->iov_len,
					 flags & FI_MORE);
	return weft_fi_rma_message(ep, msg, flags, WEFT_SQ_WRITE, NULL);
}

static ssize_t weft_fi_rma_writedata(struct fid_ep *ep, const void *buf, size_t len, void *desc,
				     uint64_t data, fi_addr_t to, uint64_t addr, uint64_t key,
				     void *context)
{
	static const struct weft_fi_rma_form form = {
		.rma = WEFT_SQ_WRITE, .flags = FI_REMOTE_CQ_DATA
	};

	return weft_fi_rma_one(ep, buf, len, to, addr, key, context, data, &form);
}

static ssize_t weft_fi_rma_inject(struct fid_ep *ep, const void *buf, size_t len, fi_addr_t to,
				  uint64_t addr, uint64_t key)
{
	static const struct weft_fi_rma_form form = {
		.rma = WEFT_SQ_WRITE, .silent = true, .flags = FI_INJECT
	};

	return weft_fi_rma_one(ep, buf, len, to, addr, key, NULL, 0, &form);
}

static ssize_t weft_fi_rma_injectdata(struct fid_ep *ep, const void *buf, size_t len,
				      uint64_t data, fi_addr_t to, uint64_t addr, uint64_t key)
{
	static const struct weft_fi_rma_form form = {
		.rma = WEFT_SQ_WRITE, .silent = true, .flags = FI_INJECT | FI_REMOTE_CQ_DATA
	};

	return weft_fi_rma_one(ep, buf, len, to, addr, key, NULL, data, &form);
}

struct fi_ops_rma weft_fi_rma_ops = {
	.size = sizeof(struct fi_ops_rma),
	.read = weft_fi_rma_read,
	.readv = weft_fi_rma_readv,
	.readmsg = weft_fi_rma_readmsg,
	.write = weft_fi_rma_write,
	.writev = weft_fi_rma_writev,
	.writemsg = weft_fi_rma_writemsg,
	.inject = weft_fi_rma_inject,
	.writedata = weft_fi_rma_writedata,
	.injectdata = weft_fi_rma_injectdata,
};
