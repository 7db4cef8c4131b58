// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_tagged.c - fi_tagged: tagged sends and receives in all their forms
 */
#include "weft_fi.h"

static ssize_t weft_fi_trecvmsg(struct fid_ep *ep, const struct fi_msg_tagged *msg,
				uint64_t flags)
{
	struct weft_fi_op op = {
		.iov = msg->msg_iov,
		.count = msg->iov_count,
		.peer = msg->addr,
		.context = msg->context,
		.flags = flags,
		.tagged = true,
		.tag = msg->tag,
		.ignore = msg->ignore,
	};

	if (flags & (FI_PEEK | FI_CLAIM | FI_DISCARD))
		return -FI_EOPNOTSUPP;
	return weft_fi_recv(weft_fi_ep_of(ep), &op);
}

static ssize_t weft_fi_trecvv(struct fid_ep *ep, const struct iovec *iov, void **desc,
			      size_t count, fi_addr_t src_addr, uint64_t tag, uint64_t ignore,
			      void *context)
{
	struct weft_fi_op op = {
		.iov = iov,
		.count = count,
		.peer = src_addr,
		.context = context,
		.flags = weft_fi_face_of(ep)->rx_flags,
		.tagged = true,
		.tag = tag,
		.ignore = ignore,
	};

	return weft_fi_recv(weft_fi_ep_of(ep), &op);
}

static ssize_t weft_fi_trecv(struct fid_ep *ep, void *buf, size_t len, void *desc,
			     fi_addr_t src_addr, uint64_t tag, uint64_t ignore, void *context)
{
	struct iovec iov = { .iov_base = buf, .iov_len = len };

	return weft_fi_trecvv(ep, &iov, NULL, 1, src_addr, tag, ignore, context);
}

static ssize_t weft_fi_tsendmsg(struct fid_ep *ep, const struct fi_msg_tagged *msg,
				uint64_t flags)
{
	struct weft_fi_op op = {
		.iov = msg->msg_iov,
		.count = msg->iov_count,
		.peer = msg->addr,
		.context = msg->context,
		.flags = flags,
		.tagged = true,
		.tag = msg->tag,
		.data = msg->data,
	};

	return weft_fi_send(weft_fi_ep_of(ep), &op);
}

static ssize_t weft_fi_tsendv(struct fid_ep *ep, const struct iovec *iov, void **desc,
			      size_t count, fi_addr_t dest_addr, uint64_t tag, void *context)
{
	struct weft_fi_op op = {
		.iov = iov,
		.count = count,
		.peer = dest_addr,
		.context = context,
		.flags = weft_fi_face_of(ep)->tx_flags,
		.tagged = true,
		.tag = tag,
	};

	return weft_fi_send(weft_fi_ep_of(ep), &op);
}

static ssize_t weft_fi_tsend(struct fid_ep *ep, const void *buf, size_t len, void *desc,
			     fi_addr_t dest_addr, uint64_t tag, void *context)
{
	struct iovec iov = { .iov_base = (void *)buf, .iov_len = len };

	return weft_fi_tsendv(ep, &iov, NULL, 1, dest_addr, tag, context);
}

static ssize_t weft_fi_tsenddata(struct fid_ep *ep, const void *buf, size_t len, void *desc,
				 uint64_t data, fi_addr_t dest_addr, uint64_t tag, void *context)
{
	struct iovec iov = { .iov_base = (void *)buf, .iov_len = len };
	struct weft_fi_op op = {
		.iov = &iov,
		.count = 1,
		.peer = dest_addr,
		.context = context,
		.flags = weft_fi_face_of(ep)->tx_flags | FI_REMOTE_CQ_DATA,
		.tagged = true,
		.tag = tag,
		.data = data,
	};

	return weft_fi_send(weft_fi_ep_of(ep), &op);
}

static ssize_t weft_fi_tinject_any(struct fid_ep *ep, const void *buf, size_t len, uint64_t data,
				   fi_addr_t dest_addr, uint64_t tag, uint64_t flags)
{
	struct iovec iov = { .iov_base = (void *)buf, .iov_len = len };
	struct weft_fi_op op = {
		.iov = &iov,
		.count = 1,
		.peer = dest_addr,
		.flags = weft_fi_face_of(ep)->tx_flags | FI_INJECT | flags,
		.tagged = true,
		.silent = true,
		.tag = tag,
		.data = data,
	};

	return weft_fi_send(weft_fi_ep_of(ep), &op);
}

static ssize_t weft_fi_tinject(struct fid_ep *ep, const void *buf, size_t len,
			       fi_addr_t dest_addr, uint64_t tag)
{
	return weft_fi_tinject_any(ep, buf, len, 0, dest_addr, tag, 0);
}

static ssize_t weft_fi_tinjectdata(struct fid_ep *ep, const void *buf, size_t len, uint64_t data,
				   fi_addr_t dest_addr, uint64_t tag)
{
	return weft_fi_tinject_any(ep, buf, len, data, dest_addr, tag, FI_REMOTE_CQ_DATA);
}

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
