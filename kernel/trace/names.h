/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft trace - texts that name ports, nodes and endpoints
 */
#ifndef WEFT_NAMES_H
#define WEFT_NAMES_H

#include <linux/in.h>
#include <linux/in6.h>
#include <linux/socket.h>
#include <linux/weft.h>

#include "upcalls.h"

#define WEFT_TRACE_NAME	64	/* bytes of a name, with its end: [IPv6 address%scope]:service */

/* Convert an address to the form that %pISpc prints. @dst: struct sockaddr_in6 */
static inline void weft_trace_sockaddr(void *dst, const struct weft_sockaddr *a)
{
	struct sockaddr_in *sin = dst;
	struct sockaddr_in6 *sin6 = dst;

	memset(dst, 0, sizeof(*sin6));
	if (a->family == AF_INET) {
		sin->sin_family = AF_INET;
		sin->sin_port = a->port;
		memcpy(&sin->sin_addr, a->addr, sizeof(sin->sin_addr));
	} else {
		sin6->sin6_family = AF_INET6;
		sin6->sin6_port = a->port;
		memcpy(&sin6->sin6_addr, a->addr, sizeof(sin6->sin6_addr));
	}
}

/* names.c has the descriptions. */
void weft_trace_name(char name[WEFT_TRACE_NAME], const struct weft_sockaddr *addr);
void weft_trace_node(char name[WEFT_TRACE_NAME], const struct weft_sockaddr *addr);
u32 weft_trace_ep(char name[WEFT_TRACE_NAME], const struct weft_ep *ep);
void weft_trace_peer(char name[WEFT_TRACE_NAME], const struct weft_ep *ep, u32 index);
void weft_trace_sender(char name[WEFT_TRACE_NAME], const struct weft_path *path, u32 service);
const char *weft_trace_port(const struct weft_ep *ep);
const char *weft_trace_path(const struct weft_path *path);

#endif
