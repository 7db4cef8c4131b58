// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft trace - texts that name ports, nodes and endpoints
 *
 * A tracepoint in use calls these functions, in any context, with the locks of its caller. They
 * read what is constant, or what a lock of the tracepoint's caller protects, and take no lock.
 */
#include "core/object/av.h"
#include "core/object/conn.h"
#include "core/object/object.h"
#include "core/transport/calls.h"
#include "port/port.h"
#include "trace/names.h"

/**
 * weft_trace_name - name a node or an endpoint, as weftctl does
 * @name: out: the name. The scope of a link-local address is its device's number
 * @addr: address; with a service unless @port is 0
 */
void weft_trace_name(char name[WEFT_TRACE_NAME], const struct weft_sockaddr *addr)
{
	u16 service = be16_to_cpu(addr->port);
	char scope[12] = "";

	if (addr->family == AF_INET) {
		snprintf(name, WEFT_TRACE_NAME, service ? "%pI4:%u" : "%pI4", addr->addr, service);
		return;
	}
	if (addr->scope)
		snprintf(scope, sizeof(scope), "%%%u", addr->scope);
	snprintf(name, WEFT_TRACE_NAME, service ? "[%pI6c%s]:%u" : "%pI6c%s", addr->addr, scope,
		 service);
}

/**
 * weft_trace_node - name the node of an address
 * @name: out: its name
 * @addr: address
 */
void weft_trace_node(char name[WEFT_TRACE_NAME], const struct weft_sockaddr *addr)
{
	struct weft_sockaddr node = *addr;

	node.port = 0;
	weft_trace_name(name, &node);
}

/**
 * weft_trace_ep - name an endpoint
 * @name: out: its name, empty: there is none
 * @ep: the endpoint; NULL: none
 *
 * Return: its program's process, in the initial namespace; 0: none.
 */
u32 weft_trace_ep(char name[WEFT_TRACE_NAME], const struct weft_ep *ep)
{
	name[0] = 0;
	if (!ep)
		return 0;
	weft_trace_name(name, &ep->addr);
	return ep->conf.program.pid;
}

/**
 * weft_trace_peer - name a peer of an endpoint
 * @name: out: its name, empty: any peer, or an unknown one
 * @ep: the endpoint; NULL: none. Its connection cannot end meanwhile: ep->sq_mutex or ep->lock is
 *	held
 * @index: index in its address vector; a connected endpoint has one peer
 */
void weft_trace_peer(char name[WEFT_TRACE_NAME], const struct weft_ep *ep, u32 index)
{
	struct weft_av_entry *entry;

	name[0] = 0;
	if (!ep)
		return;
	if (ep->conf.type == WEFT_EP_MSG) {
		struct weft_conn *conn = READ_ONCE(ep->cm.conn);

		if (conn)
			weft_trace_name(name, &conn->addr);
		return;
	}
	if (!ep->av || index == WEFT_SRC_ANY)
		return;
	weft_rcu_lock();
	entry = weft_av_get(ep->av, index);
	if (entry)
		weft_trace_name(name, &entry->addr);
	weft_rcu_unlock();
}

/**
 * weft_trace_sender - name the peer of a path, or an endpoint there
 * @name: out: its name
 * @path: the path
 * @service: service of the endpoint, 0: the node
 */
void weft_trace_sender(char name[WEFT_TRACE_NAME], const struct weft_path *path, u32 service)
{
	struct weft_sockaddr addr = *weft_path_addr(path);

	addr.port = cpu_to_be16((u16)service);
	weft_trace_name(name, &addr);
}

/**
 * weft_trace_core - name a port
 * @core: its core
 *
 * Return: its name.
 */
const char *weft_trace_core(const struct weft_core *core)
{
	return weft_port_of(core)->name;
}

/**
 * weft_trace_port - name the port of an endpoint
 * @ep: the endpoint; NULL: none
 *
 * Return: the port's name, empty: none.
 */
const char *weft_trace_port(const struct weft_ep *ep)
{
	return ep ? weft_trace_core(ep->core) : "";
}

/**
 * weft_trace_path - name the port of a path
 * @path: the path
 *
 * Return: the port's name.
 */
const char *weft_trace_path(const struct weft_path *path)
{
	return weft_trace_core(path->core);
}
