// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_msg.c - fi_msg: untagged sends and receives in all their forms
 */
#include "weft_fi.h"

static ssize_t weft_fi_recvmsg(struct fid_ep *ep, const struct fi_msg *msg, uint64_t flags)
{
	struct weft_fi_op op = {
		.iov = msg->msg_iov,
		.count = msg->iov_count,
		.peer = msg->addr,
		.context = msg->context,
		.flags = flags,
	};

	return weft_fi_recv(weft_fi_ep_of(ep), &op);
}

static ssize_t weft_fi_recvv(struct fid_ep *ep, const struct iovec *iov, void **desc,
			     size_t count, fi_addr_t src_addr, void *context)
{
	struct weft_fi_op op = {
		.iov = iov,
		.count = count,
		.peer = src_addr,
		.context = context,
		.flags = weft_fi_face_of(ep)->rx_flags,
	};

	return weft_fi_recv(weft_fi_ep_of(ep), &op);
}

static ssize_t weft_fi_recv_one(struct fid_ep *ep, void *buf, size_t len, void *desc,
				fi_addr_t src_addr, void *context)
{
	struct iovec iov = { .iov_base = buf, .iov_len = len };

	return weft_fi_recvv(ep, &iov, NULL, 1, src_addr, context);
}

static ssize_t weft_fi_sendmsg(struct fid_ep *ep, const struct fi_msg *msg, uint64_t flags)
{
	struct weft_fi_op op = {
		.iov = msg->msg_iov,
		.count = msg->iov_count,
		.peer = msg->addr,
		.context = msg->context,
		.flags = flags,
		.data = msg->data,
	};

	return weft_fi_send(weft_fi_ep_of(ep), &op);
}

static ssize_t weft_fi_sendv(struct fid_ep *ep, const struct iovec *iov, void **desc,
			     size_t count, fi_addr_t dest_addr, void *context)
{
	struct weft_fi_op op = {
		.iov = iov,
		.count = count,
		.peer = dest_addr,
		.context = context,
		.flags = weft_fi_face_of(ep)->tx_flags,
	};

	return weft_fi_send(weft_fi_ep_of(ep), &op);
}

static ssize_t weft_fi_send_one(struct fid_ep *ep, const void *buf, size_t len, void *desc,
				fi_addr_t dest_addr, void *context)
{
	struct iovec iov = { .iov_base = (void *)buf, .iov_len = len };

	return weft_fi_sendv(ep, &iov, NULL, 1, dest_addr, context);
}

static ssize_t weft_fi_senddata(struct fid_ep *ep, const void *buf, size_t len, void *desc,
				uint64_t data, fi_addr_t dest_addr, void *context)
{
	struct iovec iov = { .iov_base = (void *)buf, .iov_len = len };
	struct weft_fi_op op = {
		.iov = &iov,
		.count = 1,
		.peer = dest_addr,
		.context = context,
		.flags = weft_fi_face_of(ep)->tx_flags | FI_REMOTE_CQ_DATA,
		.data = data,
	};

	return weft_fi_send(weft_fi_ep_of(ep), &op);
}

/* an inject keeps the level of the endpoint, which says when its failure is known */
static ssize_t weft_fi_inject_any(struct fid_ep *ep, const void *buf, size_t len, uint64_t data,
				  fi_addr_t dest_addr, uint64_t flags)
{
	struct iovec iov = { .iov_base = (void *)buf, .iov_len = len };
	struct weft_fi_op op = {
		.iov = &iov,
		.count = 1,
		.peer = dest_addr,
		.flags = weft_fi_face_of(ep)->tx_flags | FI_INJECT | flags,
		.silent = true,
		.data = data,
	};

	return weft_fi_send(weft_fi_ep_of(ep), &op);
}

static ssize_t weft_fi_inject(struct fid_ep *ep, const void *buf, size_t len,
			      fi_addr_t dest_addr)
{
	return weft_fi_inject_any(ep, buf, len, 0, dest_addr, 0);
}

static ssize_t weft_fi_injectdata(struct fid_ep *ep, const void *buf, size_t len, uint64_t data,
				  fi_addr_t dest_addr)
{
	return weft_fi_inject_any(ep, buf, len, data, dest_addr, FI_REMOTE_CQ_DATA);
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
