/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft trace - tracepoints: /sys/kernel/tracing/events/weft/
 *
 * weft_tx and weft_rx trace packets where the driver sends or receives them. weft_post, weft_match
 * and weft_complete trace messages where the core handles them, through the names in trace_core.h.
 * weft_rma_denied traces refused operations of peers, where the port reports them.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM weft

#if !defined(WEFT_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define WEFT_TRACE_H

#include <linux/in.h>
#include <linux/in6.h>
#include <linux/socket.h>
#include <linux/tracepoint.h>
#include <linux/weft.h>

#include "../compat.h"

#ifndef WEFT_TRACE_SOCKADDR
#define WEFT_TRACE_SOCKADDR
/* Convert an address to the form that %pISpc prints. */
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
#endif

TRACE_EVENT(weft_tx,
	TP_PROTO(const char *port, const struct weft_sockaddr *to, u32 psn, u32 len, u32 n),
	TP_ARGS(port, to, psn, len, n),
	TP_STRUCT__entry(
		__string(port, port)
		__array(u8, to, sizeof(struct sockaddr_in6))
		__field(u32, psn)
		__field(u32, len)
		__field(u32, n)
	),
	TP_fast_assign(
		weft_assign_str(port, port);
		weft_trace_sockaddr(__entry->to, to);
		__entry->psn = psn;
		__entry->len = len;
		__entry->n = n;
	),
	TP_printk("%s to %pISpc psn %u len %u packets %u", __get_str(port), __entry->to,
		  __entry->psn, __entry->len, __entry->n)
);

TRACE_EVENT(weft_rx,
	TP_PROTO(const char *port, const struct weft_sockaddr *from, const u8 *data, u32 len,
		 u32 n),
	TP_ARGS(port, from, data, len, n),
	TP_STRUCT__entry(
		__string(port, port)
		__array(u8, from, sizeof(struct sockaddr_in6))
		__field(u32, type)
		__field(u32, path)
		__field(u32, psn)
		__field(u32, len)
		__field(u32, n)
	),
	TP_fast_assign(
		weft_assign_str(port, port);
		weft_trace_sockaddr(__entry->from, from);
		__entry->type = data[0];
		__entry->path = len >= 32 ? get_unaligned_be32(data + 4) : 0;
		__entry->psn = len >= 32 ? get_unaligned_be32(data + 16) : 0;
		__entry->len = len;
		__entry->n = n;
	),
	TP_printk("%s from %pISpc type %#x path %#x psn %u len %u packets %u", __get_str(port),
		  __entry->from, __entry->type, __entry->path, __entry->psn, __entry->len,
		  __entry->n)
);

/* @err: errno; @why: a word: which check failed */
TRACE_EVENT(weft_rma_denied,
	TP_PROTO(const char *port, const struct weft_sockaddr *from, u32 uid, u16 service, u64 key,
		 u64 addr, int err, const char *why),
	TP_ARGS(port, from, uid, service, key, addr, err, why),
	TP_STRUCT__entry(
		__string(port, port)
		__string(why, why)
		__array(u8, from, sizeof(struct sockaddr_in6))
		__field(u32, uid)
		__field(u32, service)
		__field(u64, key)
		__field(u64, addr)
		__field(int, err)
	),
	TP_fast_assign(
		weft_assign_str(port, port);
		weft_assign_str(why, why);
		weft_trace_sockaddr(__entry->from, from);
		__entry->uid = uid;
		__entry->service = service;
		__entry->key = key;
		__entry->addr = addr;
		__entry->err = err;
	),
	TP_printk("%s from %pISc uid %u service %u key %#llx addr %#llx errno %d why %s",
		  __get_str(port), __entry->from, __entry->uid, __entry->service, __entry->key,
		  __entry->addr, __entry->err, __get_str(why))
);

DECLARE_EVENT_CLASS(weft_message,
	TP_PROTO(u32 ep, u64 context, u64 tag, u64 len, u32 what),
	TP_ARGS(ep, context, tag, len, what),
	TP_STRUCT__entry(
		__field(u32, ep)
		__field(u32, what)
		__field(u64, context)
		__field(u64, tag)
		__field(u64, len)
	),
	TP_fast_assign(
		__entry->ep = ep;
		__entry->what = what;
		__entry->context = context;
		__entry->tag = tag;
		__entry->len = len;
	),
	TP_printk("ep %#x context %#llx tag %#llx len %llu what %u", __entry->ep, __entry->context,
		  __entry->tag, __entry->len, __entry->what)
);

/* @what: WEFT_SQ_* of a send, 256 + WEFT_RQ_* of a receive */
DEFINE_EVENT(weft_message, weft_post,
	TP_PROTO(u32 ep, u64 context, u64 tag, u64 len, u32 what),
	TP_ARGS(ep, context, tag, len, what)
);

/* @what: 1: the message arrived before its receive was posted */
DEFINE_EVENT(weft_message, weft_match,
	TP_PROTO(u32 ep, u64 context, u64 tag, u64 len, u32 what),
	TP_ARGS(ep, context, tag, len, what)
);

/* @what: errno */
DEFINE_EVENT(weft_message, weft_complete,
	TP_PROTO(u32 ep, u64 context, u64 tag, u64 len, u32 what),
	TP_ARGS(ep, context, tag, len, what)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH trace
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
