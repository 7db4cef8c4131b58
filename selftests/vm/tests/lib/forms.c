// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <sys/uio.h>
#include "forms.h"

bool form_injects(enum send_form f)
{
	return f == FORM_INJECT || f == FORM_INJECTDATA;
}

bool form_has_data(enum send_form f, uint64_t flags)
{
	return f == FORM_SENDDATA || f == FORM_INJECTDATA ||
	       (f == FORM_SENDMSG && flags & FI_REMOTE_CQ_DATA);
}

static ssize_t send_tagged_by(struct fid_ep *ep, enum send_form f, const struct iovec *all,
			      const struct iovec *iov, size_t count, const struct letter *l)
{
	struct fi_msg_tagged m = {
		.msg_iov = iov, .desc = l->desc, .iov_count = count, .addr = l->peer,
		.tag = l->tag, .context = l->context, .data = l->data
	};
	void *desc = l->desc ? l->desc[0] : NULL;

	switch (f) {
	case FORM_SEND:
		return fi_tsend(ep, all->iov_base, all->iov_len, desc, l->peer, l->tag,
				l->context);
	case FORM_SENDV:
		return fi_tsendv(ep, iov, l->desc, count, l->peer, l->tag, l->context);
	case FORM_SENDMSG:
		return fi_tsendmsg(ep, &m, l->flags);
	case FORM_SENDDATA:
		return fi_tsenddata(ep, all->iov_base, all->iov_len, desc, l->data, l->peer,
				    l->tag, l->context);
	case FORM_INJECT:
		return fi_tinject(ep, all->iov_base, all->iov_len, l->peer, l->tag);
	default:
		return fi_tinjectdata(ep, all->iov_base, all->iov_len, l->data, l->peer, l->tag);
	}
}

ssize_t send_by(struct fid_ep *ep, enum send_form f, const void *buf, size_t len,
		const struct letter *l)
{
	struct iovec all = { (void *)buf, len };
	struct iovec iov[2] = {
		{ (void *)buf, len / 3 }, { (uint8_t *)buf + len / 3, len - len / 3 }
	};
	struct fi_msg m = {
		.msg_iov = iov, .desc = l->desc, .iov_count = 2, .addr = l->peer,
		.context = l->context, .data = l->data
	};
	void *desc = l->desc ? l->desc[0] : NULL;

	if (l->tagged)
		return send_tagged_by(ep, f, &all, iov, 2, l);
	switch (f) {
	case FORM_SEND:
		return fi_send(ep, buf, len, desc, l->peer, l->context);
	case FORM_SENDV:
		return fi_sendv(ep, iov, l->desc, 2, l->peer, l->context);
	case FORM_SENDMSG:
		return fi_sendmsg(ep, &m, l->flags);
	case FORM_SENDDATA:
		return fi_senddata(ep, buf, len, desc, l->data, l->peer, l->context);
	case FORM_INJECT:
		return fi_inject(ep, buf, len, l->peer);
	default:
		return fi_injectdata(ep, buf, len, l->data, l->peer);
	}
}

ssize_t recv_by(struct fid_ep *ep, enum recv_form f, void *buf, size_t len,
		const struct letter *l)
{
	struct iovec iov[3] = {
		{ buf, len / 2 }, { buf, 0 }, { (uint8_t *)buf + len / 2, len - len / 2 }
	};
	struct fi_msg m = {
		.msg_iov = iov, .desc = l->desc, .iov_count = 3, .addr = l->peer,
		.context = l->context
	};
	struct fi_msg_tagged t = {
		.msg_iov = iov, .desc = l->desc, .iov_count = 3, .addr = l->peer, .tag = l->tag,
		.ignore = l->ignore, .context = l->context
	};
	void *desc = l->desc ? l->desc[0] : NULL;

	switch (f) {
	case FORM_RECV:
		return l->tagged ? fi_trecv(ep, buf, len, desc, l->peer, l->tag, l->ignore,
					    l->context)
				 : fi_recv(ep, buf, len, desc, l->peer, l->context);
	case FORM_RECVV:
		return l->tagged ? fi_trecvv(ep, iov, l->desc, 3, l->peer, l->tag, l->ignore,
					     l->context)
				 : fi_recvv(ep, iov, l->desc, 3, l->peer, l->context);
	default:
		return l->tagged ? fi_trecvmsg(ep, &t, l->flags) : fi_recvmsg(ep, &m, l->flags);
	}
}
