// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Endpoints: connections
 */
#include <endian.h>
#include <netinet/in.h>

#include "weft_dat.h"

/* Return: the error for argument @n; its number differs between the two calls. */
static DAT_RETURN wd_arg(unsigned int n)
{
	return WD_ERR(DAT_INVALID_PARAMETER, DAT_INVALID_ARG1 + n - 1);
}

/* Common part of both calls, for arguments from number @arg on. */
static DAT_RETURN wd_connect(struct wd_ep *ep, const struct weft_sockaddr *to, unsigned int arg,
			     DAT_TIMEOUT timeout, DAT_COUNT len, const void *data, DAT_QOS qos)
{
	struct sockaddr_storage remote = { 0 };
	DAT_RETURN dat;
	uint64_t ns;
	int ret;

	if (!timeout)
		return wd_arg(arg);
	if (len < 0 || len > WEFT_CM_DATA_MAX)
		return wd_arg(arg + 1);
	if (len && !data)
		return wd_arg(arg + 2);
	if (qos != DAT_QOS_BEST_EFFORT)
		return WD_NOT_SUPPORTED;
	wd_ep_refresh(ep);
	weft_addr_to_sockaddr(to, &remote);
	dat = wd_ep_pend(ep, DAT_EP_STATE_ACTIVE_CONNECTION_PENDING, &remote,
			 be16toh(to->port));
	if (dat != DAT_SUCCESS)
		return dat;
	ns = timeout == DAT_TIMEOUT_INFINITE ? 0 : timeout * 1000ull;
	ret = weft_connect_within(ep->ep, to, data, len, ns);
	if (!ret)
		return DAT_SUCCESS;
	wd_ep_unpend(ep);
	wd_say("a connection to service %u: %s", be16toh(to->port), strerror(-ret));
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
	if (flags & ~(DAT_CONNECT_MULTIPATH_REQUESTED_FLAG | DAT_CONNECT_MULTIPATH_REQUIRED_FLAG))
		return WD_ARG(8);
	if (flags & DAT_CONNECT_MULTIPATH_REQUIRED_FLAG)
		return WD_NOT_SUPPORTED;
	if (weft_addr_from_sockaddr(&to, addr, sizeof(struct sockaddr_in6)))
		return WD_ERR(DAT_INVALID_ADDRESS, DAT_INVALID_ADDRESS_MALFORMED);
	to.port = htobe16((uint16_t)qual);
	return wd_connect(handle, &to, 4, timeout, len, data, qos);
}

DAT_RETURN wd_ep_dup_connect(DAT_EP_HANDLE handle, DAT_EP_HANDLE dup_handle, DAT_TIMEOUT timeout,
			     DAT_COUNT len, const DAT_PVOID data, DAT_QOS qos)
{
	struct wd_ep *ep = handle, *dup = dup_handle;
	struct weft_sockaddr to;

	if (!wd_is(handle, DAT_HANDLE_TYPE_EP))
		return WD_BAD(DAT_INVALID_HANDLE_EP);
	if (!wd_is_of(dup_handle, DAT_HANDLE_TYPE_EP, ep->obj.ia))
		return WD_BAD(DAT_INVALID_HANDLE2);
	wd_ep_refresh(dup);
	if (dup->state != DAT_EP_STATE_CONNECTED)
		return wd_ep_state_error(dup->state);
	if (weft_addr_from_sockaddr(&to, (struct sockaddr *)&dup->remote, sizeof(dup->remote)))
		return WD_ERR(DAT_INTERNAL_ERROR, DAT_NO_SUBTYPE);
	to.port = htobe16((uint16_t)dup->remote_qual);
	return wd_connect(handle, &to, 3, timeout, len, data, qos);
}

/*
 * The state changes when the event is read. Completed receives are still delivered. The flag
 * decides whether pending sends complete first, or are flushed.
 */
DAT_RETURN wd_ep_disconnect(DAT_EP_HANDLE handle, DAT_CLOSE_FLAGS flags)
{
	struct wd_ep *ep = handle;
	int ret;

	if (!wd_is(handle, DAT_HANDLE_TYPE_EP))
		return WD_BAD(DAT_INVALID_HANDLE_EP);
	if (flags != DAT_CLOSE_ABRUPT_FLAG && flags != DAT_CLOSE_GRACEFUL_FLAG)
		return WD_ARG(2);
	wd_ep_refresh(ep);
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
	/* the connection has ended already, also if the port has gone */
	return ret == -ENOTCONN || ret == -ENODEV ? DAT_SUCCESS : wd_errno(ret, DAT_RESOURCE_TEP);
}
