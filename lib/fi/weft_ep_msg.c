// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_ep_msg.c - specifics of FI_EP_MSG: a single peer, while connected
 */
#include "weft_fi.h"

/* Check the requirements before an endpoint is enabled. */
int weft_fi_msg_ready(const struct weft_fi_ep *ep)
{
	if (ep->cm.eq)
		return 0;
	return weft_fi_fail(FI_LOG_EP_CTRL, -FI_ENOEQ,
			    "an FI_EP_MSG endpoint needs an event queue: fi_ep_bind");
}

int weft_fi_msg_dest(const struct weft_fi_ep *ep, uint32_t *dst)
{
	*dst = 0;
	if (weft_ep_flags(ep->cm.ep) & WEFT_ST_CONNECTED)
		return 0;
	return weft_fi_fail(FI_LOG_EP_DATA, -FI_ENOTCONN,
			    "there is no connection: send after FI_CONNECTED and before FI_SHUTDOWN");
}

/* Receives may be posted before the connection exists, and after its end while messages wait. */
int weft_fi_msg_source(const struct weft_fi_ep *ep, uint32_t *src)
{
	uint32_t flags = weft_ep_flags(ep->cm.ep);

	*src = WEFT_SRC_ANY;
	if (!(flags & WEFT_ST_SHUT) || flags & WEFT_ST_UNEXP)
		return 0;
	return weft_fi_fail(FI_LOG_EP_DATA, -FI_ENOTCONN,
			    "the connection has ended, and no message waits: nothing can be received");
}

struct fi_ops_cm weft_fi_msg_cm_ops = {
	.size = sizeof(struct fi_ops_cm),
	.setname = weft_fi_setname,
	.getname = weft_fi_getname,
	.getpeer = weft_fi_getpeer,
	.connect = weft_fi_connect,
	.listen = weft_fi_no_listen,
	.accept = weft_fi_accept,
	.reject = weft_fi_no_reject,
	.shutdown = weft_fi_shutdown,
	.join = weft_fi_join,
};
