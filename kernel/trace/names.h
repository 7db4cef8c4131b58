/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft trace - texts that name ports, nodes and endpoints
 */
#ifndef WEFT_NAMES_H
#define WEFT_NAMES_H

#include <linux/weft.h>

#include "upcalls.h"

#define WEFT_TRACE_NAME	64	/* bytes of a name, with its end: [IPv6 address%scope]:service */

/* names.c has the descriptions. */
void weft_trace_name(char name[WEFT_TRACE_NAME], const struct weft_sockaddr *addr);
void weft_trace_node(char name[WEFT_TRACE_NAME], const struct weft_sockaddr *node);
void weft_trace_service(char name[WEFT_TRACE_NAME], const struct weft_sockaddr *node, u32 service);
u32 weft_trace_ep(char name[WEFT_TRACE_NAME], const struct weft_ep *ep);
void weft_trace_peer(char name[WEFT_TRACE_NAME], const struct weft_ep *ep, u32 index);
const char *weft_trace_port(const struct weft_ep *ep);

#endif
