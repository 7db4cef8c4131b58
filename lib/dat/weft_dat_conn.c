// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Endpoints: connections
 */
#include <endian.h>
#include <netinet/in.h>

#include "weft_dat.h"

static DAT_RETURN wd_connect(struct wd_ep *ep, const struct weft_sockaddr *to, DAT_COUNT len,
			     const void *data)
{
	struct sockaddr_storage remote = { 0 };
	DAT_RETURN dat;
	int ret;

	weft_addr_to_sockaddr(to, &remote);
	dat = wd_ep_pend(ep, DAT_EP_STATE_ACTIVE_CONNECTION_PENDING, &remote,
			 be16toh(to->port));
	if (dat != DAT_SUCCESS)
		return dat;
	ret = weft_connect(ep->ep, to, data, len);
	if (!ret)
		return DAT_SUCCESS;
	wd_ep_unpend(ep);
	if (ret == -EINVAL || ret == -EAFNOSUPPORT)
		return WD_ERR(DAT_INVALID_ADDRESS, DAT_INVALID_ADDRESS_UNSUPPORTED);
	return wd_errno(ret, DAT_RESOURCE_TEP);
}

DAT_RETURN wd_ep_connect(DAT_EP_HANDLE handle, DAT_IA_ADDRESS_PTR addr, DAT_CONN_QUAL qual,
			 DAT_TIMEOUT timeout, DAT_COUNT len, const DAT_PVOID data, DAT_QOS qos,
			 DAT_CONNECT_FLAGS flags)
{
	struct weft_sockaddr to;

	if (!wd_is(handle, DAT_HANDLE_TYPE_EP))
		return WD_BAD(DAT_INVALID_HANDLE_EP);
	if (!addr)
		return WD_ARG(2);
	if (!qual || qual > UINT16_MAX)
		return WD_ARG(3);
	if (len < 0 || len > WEFT_CM_DATA_MAX)
		return WD_ARG(5);
	if (len && !data)
		return WD_ARG(6);
	if (qos != DAT_QOS_BEST_EFFORT || flags & DAT_CONNECT_MULTIPATH_REQUIRED_FLAG)
		return WD_NOT_SUPPORTED;
	if (weft_addr_from_sockaddr(&to, addr, sizeof(struct sockaddr_in6)))
		return WD_ERR(DAT_INVALID_ADDRESS, DAT_INVALID_ADDRESS_MALFORMED);
	to.port = htobe16((uint16_t)qual);
	return wd_connect(handle, &to, len, data);
}

DAT_RETURN wd_ep_dup_connect(DAT_EP_HANDLE handle, DAT_EP_HANDLE dup_handle, DAT_TIMEOUT timeout,
			     DAT_COUNT len, const DAT_PVOID data, DAT_QOS qos)
{
	struct wd_ep *dup = dup_handle;

	if (!wd_is(handle, DAT_HANDLE_TYPE_EP))
		return WD_BAD(DAT_INVALID_HANDLE_EP);
	if (!wd_is(dup_handle, DAT_HANDLE_TYPE_EP))
		return WD_BAD(DAT_INVALID_HANDLE2);
	if (dup->state != DAT_EP_STATE_CONNECTED)
		return wd_ep_state_error(dup->state);
	return wd_ep_connect(handle, wd_sockaddr(&dup->remote), dup->remote_qual, timeout,
			     len, data, qos, DAT_CONNECT_DEFAULT_FLAG);
}

/*
 * The state changes when the event is read. What has completed is still delivered; sends under way
 * end first, or are flushed: as the flag tells.
 */
DAT_RETURN wd_ep_disconnect(DAT_EP_HANDLE handle, DAT_CLOSE_FLAGS flags)
{
	struct wd_ep *ep = handle;
	int ret;

	if (!wd_is(handle, DAT_HANDLE_TYPE_EP))
		return WD_BAD(DAT_INVALID_HANDLE_EP);
	if (flags != DAT_CLOSE_ABRUPT_FLAG && flags != DAT_CLOSE_GRACEFUL_FLAG)
		return WD_ARG(2);
	pthread_mutex_lock(&ep->lock);
	if (ep->state == DAT_EP_STATE_UNCONNECTED) {
		pthread_mutex_unlock(&ep->lock);
		return wd_ep_state_error(DAT_EP_STATE_UNCONNECTED);
	}
	if (ep->state == DAT_EP_STATE_CONNECTED)
		ep->state = DAT_EP_STATE_DISCONNECT_PENDING;
	pthread_mutex_unlock(&ep->lock);
	ret = flags == DAT_CLOSE_GRACEFUL_FLAG ? weft_shutdown_graceful(ep->ep) :
						 weft_shutdown(ep->ep);
	return ret == -ENOTCONN ? DAT_SUCCESS : wd_errno(ret, DAT_RESOURCE_TEP);
}
