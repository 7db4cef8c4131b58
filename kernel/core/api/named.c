// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - who is named in trace points: addresses of endpoints and of their peers
 *
 * The functions read what is constant, or what a lock of the trace point's caller protects. They
 * take no lock, because their caller may hold any.
 */
#include "core/api/internal.h"
#include "trace/upcalls.h"

/**
 * weft_named_core - the core of an endpoint
 * @ep: the endpoint
 *
 * Return: its core.
 */
const struct weft_core *weft_named_core(const struct weft_ep *ep)
{
	return ep->core;
}

/**
 * weft_named_ep - the address of an endpoint
 * @ep: the endpoint
 * @addr: out: its address and service
 *
 * Return: its program's process.
 */
u32 weft_named_ep(const struct weft_ep *ep, struct weft_sockaddr *addr)
{
	*addr = ep->addr;
	return ep->conf.program.pid;
}

/**
 * weft_named_peer - the address of a peer of an endpoint
 * @ep: the endpoint. Its connection cannot end meanwhile: ep->sq_mutex or ep->lock is held
 * @index: index in its address vector; a connected endpoint has one peer
 * @addr: out: address and service
 *
 * Return: true; false: any peer, or an unknown one.
 */
bool weft_named_peer(const struct weft_ep *ep, u32 index, struct weft_sockaddr *addr)
{
	const struct weft_conn *conn = READ_ONCE(ep->cm.conn);
	const struct weft_av_entry *entry;

	if (ep->conf.type == WEFT_EP_MSG) {
		if (conn)
			*addr = conn->addr;
		return conn;
	}
	if (!ep->av || index == WEFT_SRC_ANY)
		return false;
	weft_rcu_lock();
	entry = weft_av_get(ep->av, index);
	if (entry)
		*addr = entry->addr;
	weft_rcu_unlock();
	return entry;
}
