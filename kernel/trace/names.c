// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft trace - texts that name ports, nodes and endpoints
 *
 * A tracepoint in use calls these functions, in any context, with the locks of its caller. They
 * take no lock. upcalls.h has the functions that know the objects.
 */
#include <linux/kernel.h>
#include <linux/socket.h>

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
 * weft_trace_service - name an endpoint of a node
 * @name: out: its name
 * @node: address of the node; its service is ignored
 * @service: service of the endpoint, 0: the node
 */
void weft_trace_service(char name[WEFT_TRACE_NAME], const struct weft_sockaddr *node, u32 service)
{
	struct weft_sockaddr addr = *node;

	addr.port = cpu_to_be16((u16)service);
	weft_trace_name(name, &addr);
}

/**
 * weft_trace_node - name a node
 * @name: out: its name
 * @node: its address; the service is ignored
 */
void weft_trace_node(char name[WEFT_TRACE_NAME], const struct weft_sockaddr *node)
{
	weft_trace_service(name, node, 0);
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
