// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft trace - texts that name ports, nodes and endpoints
 *
 * A tracepoint in use calls these functions, in any context, with the locks of its caller. They
 * take no lock. upcalls.h has the functions that know the objects.
 */
#include <linux/kernel.h>
#include <linux/module.h>

#include "names.h"

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
	struct weft_sockaddr addr;
	u32 pid;

	name[0] = 0;
	if (!ep)
		return 0;
	pid = weft_named_ep(ep, &addr);
	weft_trace_name(name, &addr);
	return pid;
}

/**
 * weft_trace_peer - name a peer of an endpoint
 * @name: out: its name, empty: any peer, or an unknown one
 * @ep: as for weft_named_peer(); NULL: none
 * @index: as for weft_named_peer()
 */
void weft_trace_peer(char name[WEFT_TRACE_NAME], const struct weft_ep *ep, u32 index)
{
	struct weft_sockaddr addr;

	name[0] = 0;
	if (ep && weft_named_peer(ep, index, &addr))
		weft_trace_name(name, &addr);
}

/**
 * weft_trace_sender - name the peer of a path, or an endpoint there
 * @name: out: its name
 * @path: the path
 * @service: service of the endpoint, 0: the node
 */
void weft_trace_sender(char name[WEFT_TRACE_NAME], const struct weft_path *path, u32 service)
{
	struct weft_sockaddr addr;

	weft_named_path(path, &addr);
	addr.port = cpu_to_be16((u16)service);
	weft_trace_name(name, &addr);
}

/**
 * weft_trace_port - name the port of an endpoint
 * @ep: the endpoint; NULL: none
 *
 * Return: the port's name, empty: none.
 */
const char *weft_trace_port(const struct weft_ep *ep)
{
	return ep ? weft_named_port(weft_named_core(ep)) : "";
}

/**
 * weft_trace_path - name the port of a path
 * @path: the path
 *
 * Return: the port's name.
 */
const char *weft_trace_path(const struct weft_path *path)
{
	struct weft_sockaddr addr;

	return weft_named_port(weft_named_path(path, &addr));
}
