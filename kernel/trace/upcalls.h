/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft trace - what trace points ask of the folders above: who is named
 *
 * A trace point in use calls these functions, in any context, with the locks of its caller. They
 * take no lock.
 */
#ifndef WEFT_TRACE_UPCALLS_H
#define WEFT_TRACE_UPCALLS_H

#include <linux/weft.h>

struct weft_core;
struct weft_ep;

/* core/api/named.c has the descriptions. */
const struct weft_core *weft_named_core(const struct weft_ep *ep);
u32 weft_named_ep(const struct weft_ep *ep, struct weft_sockaddr *addr);
bool weft_named_peer(const struct weft_ep *ep, u32 index, struct weft_sockaddr *addr);

/* Return: the name of the port that has @core. */
const char *weft_named_port(const struct weft_core *core);

#endif
