// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_msg.c - fi_msg and fi_tagged: all forms of sends and receives
 *
 * Each form becomes a struct weft_fi_op. Calls without flags use those of the endpoint. Forms with
 * one segment are the most frequent. They try weft_fast.h first, and inline all of weft_post.h.
 * Message structures come from the program's calls, and from its deferred work (weft_work.c).
 */
#include "weft_fast.h"

/* Convert a message structure of the caller. */
static inline struct weft_fi_op weft_fi_msg_op(const struct fi_msg *msg, uint64_t flags,
					       const struct weft_trigger *trigger)
{
	return (struct weft_fi_op){
		.iov = msg->msg_iov,
		.count = msg->iov_count,
		.peer = msg->addr,
		.context = msg->context,
		.flags = flags,
		.trigger = trigger,
	};
}

static inline struct weft_fi_op weft_fi_tmsg_op(const struct fi_msg_tagged *msg, uint64_t flags,
						const struct weft_trigger *trigger)
{
	return (struct weft_fi_op){
		.iov = msg->msg_iov,
		.count = msg->iov_count,
		.peer = msg->addr,
		.context = msg->context,
		.flags = flags,
		.tagged = true,
		.tag = msg->tag,
		.trigger = trigger,
	};
}

/* ---- Sends ------------------------------------------------------------------------------ */

/* For calls without a flags argument. */
static ssize_t weft_fi_sendv_op(struct fid_ep *ep, struct weft_fi_op *op)
{
	op->flags = weft_fi_face_of(ep)->tx_flags;
	return weft_fi_send(weft_fi_ep_of(ep), op);
}

/* Send one segment. @extra: flags that the form adds. */
WEFT_INLINED ssize_t weft_fi_send_op(struct fid_ep *ep, struct weft_fi_op op, const void *buf,
				     size_t len, uint64_t extra)
{
	struct iovec iov = { .iov_base = (void *)buf, .iov_len = len };

	op.iov = &iov;
	op.count = 1;
	op.one = true;
	op.flags = weft_fi_face_of(ep)->tx_flags | extra;
	return weft_fi_post_send(weft_fi_ep_of(ep), &op);
}

/* Flags of calls without flags. FI_MORE is masked, so that its code is not compiled in. */
WEFT_INLINED uint64_t weft_fi_fast_flags(struct fid_ep *ep)
{
	return weft_fi_face_of(ep)->tx_flags & ~FI_MORE;
}

/* An inject keeps the level of the endpoint, which decides when a failure is known. */
WEFT_INLINED ssize_t weft_fi_inject_op(struct fid_ep *ep, struct weft_fi_op op,
				       const void *buf, size_t len, uint64_t extra)
{
	op.silent = true;
	return weft_fi_send_op(ep, op, buf, len, FI_INJECT | extra);
}

/* The send of a message structure. @trigger: of deferred work, or NULL. */
ssize_t weft_fi_message_send(struct fid_ep *ep, const struct fi_msg *msg, uint64_t flags,
			     const struct weft_trigger *trigger)
{
	struct weft_fi_op op;

	if (!msg)
		return weft_fi_no_struct();
	op = weft_fi_msg_op(msg, flags, trigger);
	op.data = msg->data;
	return weft_fi_send(weft_fi_ep_of(ep), &op);
}

static ssize_t weft_fi_sendmsg(struct fid_ep *ep, const struct fi_msg *msg, uint64_t flags)
{
	return weft_fi_message_send(ep, msg, flags, NULL);
}

/* The same, tagged. */
__attribute__((noinline)) ssize_t weft_fi_message_tsend(struct fid_ep *ep,
							const struct fi_msg_tagged *msg,
							uint64_t flags,
							const struct weft_trigger *trigger)
{
	struct weft_fi_op op;

	if (!msg)
		return weft_fi_no_struct();
	op = weft_fi_tmsg_op(msg, flags, trigger);
	op.data = msg->data;
	return weft_fi_send(weft_fi_ep_of(ep), &op);
}

static ssize_t weft_fi_tsendmsg(struct fid_ep *ep, const struct fi_msg_tagged *msg,
				uint64_t flags)
{
	uint32_t nslots = 0;

	if (weft_likely(msg && msg->iov_count == 1 && msg->msg_iov))
		nslots = weft_fi_fast_send(weft_fi_ep_of(ep), WEFT_SQ_TSEND,
					   msg->msg_iov->iov_base, msg->msg_iov->iov_len,
					   msg->addr, msg->tag, msg->context, flags, false);
	if (weft_likely(nslots))
		return weft_fi_fast_post(weft_fi_ep_of(ep), nslots, msg->msg_iov->iov_len,
					 flags & FI_MORE);
	return weft_fi_message_tsend(ep, msg, flags, NULL);
}

static ssize_t weft_fi_sendv(struct fid_ep *ep, const struct iovec *iov, void **desc,
			     size_t count, fi_addr_t to, void *context)
{
	struct weft_fi_op op = {
		.iov = iov, .count = count, .peer = to, .context = context
	};

	return weft_fi_sendv_op(ep, &op);
}

static ssize_t weft_fi_tsendv(struct fid_ep *ep, const struct iovec *iov, void **desc,
			      size_t count, fi_addr_t to, uint64_t tag, void *context)
{
	struct weft_fi_op op = {
		.iov = iov, .count = count, .peer = to, .context = context,
		.tagged = true, .tag = tag
	};

	return weft_fi_sendv_op(ep, &op);
}

static ssize_t weft_fi_send_one(struct fid_ep *ep, const void *buf, size_t len, void *desc,
				fi_addr_t to, void *context)
{
	struct weft_fi_op op = { .peer = to, .context = context };

	return weft_fi_send_op(ep, op, buf, len, 0);
}

static __attribute__((noinline)) ssize_t weft_fi_tsend_any(struct fid_ep *ep, const void *buf,
							   size_t len, fi_addr_t to, uint64_t tag,
							   void *context)
{
	struct weft_fi_op op = { .peer = to, .context = context, .tagged = true, .tag = tag };

	return weft_fi_send_op(ep, op, buf, len, 0);
}

static ssize_t weft_fi_tsend(struct fid_ep *ep, const void *buf, size_t len, void *desc,
			     fi_addr_t to, uint64_t tag, void *context)
{
	uint64_t flags = weft_fi_fast_flags(ep);
	uint32_t nslots = weft_fi_fast_send(weft_fi_ep_of(ep), WEFT_SQ_TSEND, buf, len, to, tag,
					    context, flags, false);

	if (weft_likely(nslots))
		return weft_fi_fast_post(weft_fi_ep_of(ep), nslots, len, flags & FI_MORE);
	return weft_fi_tsend_any(ep, buf, len, to, tag, context);
}

static ssize_t weft_fi_senddata(struct fid_ep *ep, const void *buf, size_t len, void *desc,
				uint64_t data, fi_addr_t to, void *context)
{
	struct weft_fi_op op = { .peer = to, .context = context, .data = data };

	return weft_fi_send_op(ep, op, buf, len, FI_REMOTE_CQ_DATA);
}

static ssize_t weft_fi_tsenddata(struct fid_ep *ep, const void *buf, size_t len, void *desc,
				 uint64_t data, fi_addr_t to, uint64_t tag, void *context)
{
	struct weft_fi_op op = {
		.peer = to, .context = context, .data = data, .tagged = true, .tag = tag
	};

	return weft_fi_send_op(ep, op, buf, len, FI_REMOTE_CQ_DATA);
}

static ssize_t weft_fi_inject(struct fid_ep *ep, const void *buf, size_t len, fi_addr_t to)
{
	struct weft_fi_op op = { .peer = to };
	uint64_t flags = weft_fi_fast_flags(ep);
	uint32_t nslots = weft_fi_fast_send(weft_fi_ep_of(ep), WEFT_SQ_SEND, buf, len, to, 0,
					    NULL, flags, true);

	if (weft_likely(nslots))
		return weft_fi_fast_post(weft_fi_ep_of(ep), nslots, len, flags & FI_MORE);
	return weft_fi_inject_op(ep, op, buf, len, 0);
}

static __attribute__((noinline)) ssize_t weft_fi_tinject_any(struct fid_ep *ep, const void *buf,
							     size_t len, fi_addr_t to,
							     uint64_t tag)
{
	struct weft_fi_op op = { .peer = to, .tagged = true, .tag = tag };

	return weft_fi_inject_op(ep, op, buf, len, 0);
}

static ssize_t weft_fi_tinject(struct fid_ep *ep, const void *buf, size_t len, fi_addr_t to,
			       uint64_t tag)
{
	uint64_t flags = weft_fi_fast_flags(ep);
	uint32_t nslots = weft_fi_fast_send(weft_fi_ep_of(ep), WEFT_SQ_TSEND, buf, len, to, tag,
					    NULL, flags, true);

	if (weft_likely(nslots))
		return weft_fi_fast_post(weft_fi_ep_of(ep), nslots, len, flags & FI_MORE);
	return weft_fi_tinject_any(ep, buf, len, to, tag);
}

static ssize_t weft_fi_injectdata(struct fid_ep *ep, const void *buf, size_t len, uint64_t data,
				  fi_addr_t to)
{
	struct weft_fi_op op = { .peer = to, .data = data };

	return weft_fi_inject_op(ep, op, buf, len, FI_REMOTE_CQ_DATA);
}

static ssize_t weft_fi_tinjectdata(struct fid_ep *ep, const void *buf, size_t len, uint64_t data,
				   fi_addr_t to, uint64_t tag)
{
	struct weft_fi_op op = { .peer = to, .data = data, .tagged = true, .tag = tag };

	return weft_fi_inject_op(ep, op, buf, len, FI_REMOTE_CQ_DATA);
}

/* ---- Receives --------------------------------------------------------------------------- */

/* The receive of a message structure. @trigger: of deferred work, or NULL. */
ssize_t weft_fi_message_recv(struct fid_ep *ep, const struct fi_msg *msg, uint64_t flags,
			     const struct weft_trigger *trigger)
{
	struct weft_fi_op op;

	if (!msg)
		return weft_fi_no_struct();
	op = weft_fi_msg_op(msg, flags, trigger);
	if (weft_unlikely(flags & (FI_CLAIM | FI_DISCARD)))
		return weft_fi_refuse(&op, -FI_EINVAL);
	return weft_fi_recv(weft_fi_ep_of(ep), &op);
}

static ssize_t weft_fi_recvmsg(struct fid_ep *ep, const struct fi_msg *msg, uint64_t flags)
{
	return weft_fi_message_recv(ep, msg, flags, NULL);
}

/* The same, tagged. */
ssize_t weft_fi_message_trecv(struct fid_ep *ep, const struct fi_msg_tagged *msg, uint64_t flags,
			      const struct weft_trigger *trigger)
{
	struct weft_fi_op op;

	if (!msg)
		return weft_fi_no_struct();
	op = weft_fi_tmsg_op(msg, flags, trigger);
	op.ignore = msg->ignore;
	if (flags & WEFT_FI_PEEK_FLAGS)
		return weft_fi_peek(weft_fi_ep_of(ep), &op);
	return weft_fi_recv(weft_fi_ep_of(ep), &op);
}

static ssize_t weft_fi_trecvmsg(struct fid_ep *ep, const struct fi_msg_tagged *msg,
				uint64_t flags)
{
	return weft_fi_message_trecv(ep, msg, flags, NULL);
}

static ssize_t weft_fi_recvv(struct fid_ep *ep, const struct iovec *iov, void **desc,
			     size_t count, fi_addr_t from, void *context)
{
	struct weft_fi_op op = {
		.iov = iov, .count = count, .peer = from, .context = context,
		.flags = weft_fi_face_of(ep)->rx_flags
	};

	return weft_fi_recv(weft_fi_ep_of(ep), &op);
}

static ssize_t weft_fi_trecvv(struct fid_ep *ep, const struct iovec *iov, void **desc,
			      size_t count, fi_addr_t from, uint64_t tag, uint64_t ignore,
			      void *context)
{
	struct weft_fi_op op = {
		.iov = iov, .count = count, .peer = from, .context = context,
		.flags = weft_fi_face_of(ep)->rx_flags & ~FI_MULTI_RECV,
		.tagged = true, .tag = tag, .ignore = ignore
	};

	return weft_fi_recv(weft_fi_ep_of(ep), &op);
}

static ssize_t weft_fi_recv_one(struct fid_ep *ep, void *buf, size_t len, void *desc,
				fi_addr_t from, void *context)
{
	struct iovec iov = { .iov_base = buf, .iov_len = len };
	struct weft_fi_op op = {
		.iov = &iov, .count = 1, .one = true, .peer = from, .context = context,
		.flags = weft_fi_face_of(ep)->rx_flags
	};

	if (weft_likely(weft_fi_fast_recv(weft_fi_ep_of(ep), WEFT_RQ_RECV, buf, len, 0, 0,
					  context, op.flags)))
		return weft_fi_fast_received(weft_fi_ep_of(ep));
	return weft_fi_post_recv(weft_fi_ep_of(ep), &op);
}

static __attribute__((noinline)) ssize_t weft_fi_trecv_any(struct fid_ep *ep, void *buf,
							   size_t len, fi_addr_t from,
							   uint64_t tag, uint64_t ignore,
							   void *context)
{
	struct iovec iov = { .iov_base = buf, .iov_len = len };
	struct weft_fi_op op = {
		.iov = &iov, .count = 1, .one = true, .peer = from, .context = context,
		.flags = weft_fi_face_of(ep)->rx_flags & ~FI_MULTI_RECV,
		.tagged = true, .tag = tag, .ignore = ignore
	};

	return weft_fi_post_recv(weft_fi_ep_of(ep), &op);
}

static ssize_t weft_fi_trecv(struct fid_ep *ep, void *buf, size_t len, void *desc,
			     fi_addr_t from, uint64_t tag, uint64_t ignore, void *context)
{
	if (weft_likely(weft_fi_fast_recv(weft_fi_ep_of(ep), WEFT_RQ_TRECV, buf, len, tag, ignore,
					  context,
					  weft_fi_face_of(ep)->rx_flags & ~FI_MULTI_RECV)))
		return weft_fi_fast_received(weft_fi_ep_of(ep));
	return weft_fi_trecv_any(ep, buf, len, from, tag, ignore, context);
}

struct fi_ops_msg weft_fi_msg_ops = {
	.size = sizeof(struct fi_ops_msg),
	.recv = weft_fi_recv_one,
	.recvv = weft_fi_recvv,
	.recvmsg = weft_fi_recvmsg,
	.send = weft_fi_send_one,
	.sendv = weft_fi_sendv,
	.sendmsg = weft_fi_sendmsg,
	.inject = weft_fi_inject,
	.senddata = weft_fi_senddata,
	.injectdata = weft_fi_injectdata,
};

struct fi_ops_tagged weft_fi_tagged_ops = {
	.size = sizeof(struct fi_ops_tagged),
	.recv = weft_fi_trecv,
	.recvv = weft_fi_trecvv,
	.recvmsg = weft_fi_trecvmsg,
	.send = weft_fi_tsend,
	.sendv = weft_fi_tsendv,
	.sendmsg = weft_fi_tsendmsg,
	.inject = weft_fi_tinject,
	.senddata = weft_fi_tsenddata,
	.injectdata = weft_fi_tinjectdata,
};
