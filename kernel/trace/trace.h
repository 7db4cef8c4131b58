/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft trace - tracepoints: /sys/kernel/tracing/events/weft/
 *
 * Names and fields are stable: Documentation/trace.rst describes them. The core calls those of
 * messages through the names in trace_core.h. Nodes and endpoints appear as texts, in the form that
 * weftctl prints and takes: "10.0.0.1", "10.0.0.1:7", "[fd00::1]:7". So filters compare texts.
 * names.c makes the texts, only while a tracepoint is in use.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM weft

#if !defined(WEFT_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define WEFT_TRACE_H

#include <linux/tracepoint.h>
#include <linux/weft.h>
#include <linux/weft_ring.h>

#include "../compat.h"
#include "names.h"

#define weft_trace_send_op(op)						\
	__print_symbolic(op,						\
		{ WEFT_SQ_SEND, "send" }, { WEFT_SQ_TSEND, "tsend" },	\
		{ WEFT_SQ_WRITE, "write" }, { WEFT_SQ_READ, "read" },	\
		{ WEFT_SQ_ATOMIC, "atomic" })

#define weft_trace_recv_op(op)						\
	__print_symbolic(op,						\
		{ WEFT_RQ_RECV, "recv" }, { WEFT_RQ_TRECV, "trecv" },	\
		{ WEFT_RQ_PEEK, "peek" }, { WEFT_RQ_CLAIM, "claim" },	\
		{ WEFT_RQ_DISCARD, "discard" })

#define weft_trace_cqe_flags(flags)					\
	__print_flags(flags, "|",					\
		{ WEFT_CQE_SEND, "send" }, { WEFT_CQE_TAGGED, "tagged" },	\
		{ WEFT_CQE_DATA, "data" }, { WEFT_CQE_INLINE, "inline" },	\
		{ WEFT_CQE_MULTI, "multi" }, { WEFT_CQE_SOLICITED, "solicited" },	\
		{ WEFT_CQE_RELEASE, "release" }, { WEFT_CQE_ANNOUNCE, "announce" },	\
		{ WEFT_CQE_CLAIM, "claim" }, { WEFT_CQE_GROUP, "group" },	\
		{ WEFT_CQE_FROM, "from" }, { WEFT_CQE_WRITE, "write" },	\
		{ WEFT_CQE_READ, "read" }, { WEFT_CQE_ATOMIC, "atomic" })

/* Members of all events of an endpoint @ep, and their values */
#define WEFT_TRACE_EP(ep)						\
	__string(port, weft_trace_port(ep))				\
	__array(char, ep, WEFT_TRACE_NAME)				\
	__field(u32, pid)						\
	__field(u64, tag)						\
	__field(u64, len)

#define weft_trace_assign_ep(ep_, tag_, len_) do {			\
	weft_assign_str(port, weft_trace_port(ep_));			\
	__entry->pid = weft_trace_ep(__entry->ep, ep_);			\
	__entry->tag = tag_;						\
	__entry->len = len_;						\
} while (0)

/* ---- Messages ------------------------------------------------------------------------------- */

/* An entry is taken from a send ring. @dst: index of its destination. ep->sq_mutex is held. */
TRACE_EVENT(weft_post_send,
	TP_PROTO(const struct weft_ep *ep, u64 context, u32 dst, u64 tag, u64 len, u32 op),
	TP_ARGS(ep, context, dst, tag, len, op),
	TP_STRUCT__entry(
		WEFT_TRACE_EP(ep)
		__array(char, peer, WEFT_TRACE_NAME)
		__field(u32, op)
		__field(u64, context)
	),
	TP_fast_assign(
		weft_trace_assign_ep(ep, tag, len);
		weft_trace_peer(__entry->peer, ep, dst);
		__entry->op = op;
		__entry->context = context;
	),
	TP_printk("%s ep %s pid %u op %s context %#llx tag %#llx len %llu peer %s",
		  __get_str(port), __entry->ep, __entry->pid, weft_trace_send_op(__entry->op),
		  __entry->context, __entry->tag, __entry->len, __entry->peer)
);

/*
 * An entry is taken from the receive ring of an endpoint, which is locked, or of shared queue @srq,
 * then @ep is NULL. @src: index of its source.
 */
TRACE_EVENT(weft_post_recv,
	TP_PROTO(const struct weft_core *core, const struct weft_ep *ep, u32 srq, u64 context,
		 u32 src, u64 tag, u64 mask, u64 len, u32 op),
	TP_ARGS(core, ep, srq, context, src, tag, mask, len, op),
	TP_STRUCT__entry(
		__string(port, weft_named_port(core))
		__array(char, ep, WEFT_TRACE_NAME)
		__array(char, peer, WEFT_TRACE_NAME)
		__field(u32, pid)
		__field(u32, srq)
		__field(u32, op)
		__field(u64, context)
		__field(u64, tag)
		__field(u64, mask)
		__field(u64, len)
	),
	TP_fast_assign(
		weft_assign_str(port, weft_named_port(core));
		__entry->pid = weft_trace_ep(__entry->ep, ep);
		weft_trace_peer(__entry->peer, ep, src);
		__entry->srq = srq;
		__entry->op = op;
		__entry->context = context;
		__entry->tag = tag;
		__entry->mask = mask;
		__entry->len = len;
	),
	TP_printk("%s ep %s srq %u pid %u op %s context %#llx tag %#llx mask %#llx len %llu peer %s",
		  __get_str(port), __entry->ep, __entry->srq, __entry->pid,
		  weft_trace_recv_op(__entry->op), __entry->context, __entry->tag, __entry->mask,
		  __entry->len, __entry->peer)
);

/*
 * A message has its turn at an endpoint. @node, @service: of its sender; @seq: its number in its
 * flow, 0: sent within the node.
 */
TRACE_EVENT(weft_arrive,
	TP_PROTO(const struct weft_ep *ep, const struct weft_sockaddr *node, u32 service, u32 seq,
		 u64 tag, u64 len),
	TP_ARGS(ep, node, service, seq, tag, len),
	TP_STRUCT__entry(
		WEFT_TRACE_EP(ep)
		__array(char, peer, WEFT_TRACE_NAME)
		__field(u32, seq)
	),
	TP_fast_assign(
		weft_trace_assign_ep(ep, tag, len);
		weft_trace_service(__entry->peer, node, service);
		__entry->seq = seq;
	),
	TP_printk("%s ep %s pid %u seq %u tag %#llx len %llu peer %s", __get_str(port),
		  __entry->ep, __entry->pid, __entry->seq, __entry->tag, __entry->len,
		  __entry->peer)
);

/*
 * A message meets its receive, of an endpoint, which is locked. @src: index of its source; @waited:
 * it came before its receive was posted.
 */
TRACE_EVENT(weft_match,
	TP_PROTO(const struct weft_ep *ep, u64 context, u32 src, u64 tag, u64 len, bool waited),
	TP_ARGS(ep, context, src, tag, len, waited),
	TP_STRUCT__entry(
		WEFT_TRACE_EP(ep)
		__array(char, peer, WEFT_TRACE_NAME)
		__field(u32, waited)
		__field(u64, context)
	),
	TP_fast_assign(
		weft_trace_assign_ep(ep, tag, len);
		weft_trace_peer(__entry->peer, ep, src);
		__entry->waited = waited;
		__entry->context = context;
	),
	TP_printk("%s ep %s pid %u context %#llx tag %#llx len %llu waited %u peer %s",
		  __get_str(port), __entry->ep, __entry->pid, __entry->context, __entry->tag,
		  __entry->len, __entry->waited, __entry->peer)
);

/* A completion is written, or waits for space. @flags: WEFT_CQE_*; @err: errno */
TRACE_EVENT(weft_complete,
	TP_PROTO(const struct weft_ep *ep, u64 context, u64 tag, u64 len, u32 flags, int err),
	TP_ARGS(ep, context, tag, len, flags, err),
	TP_STRUCT__entry(
		WEFT_TRACE_EP(ep)
		__field(u32, flags)
		__field(int, err)
		__field(u64, context)
	),
	TP_fast_assign(
		weft_trace_assign_ep(ep, tag, len);
		__entry->flags = flags;
		__entry->err = err;
		__entry->context = context;
	),
	TP_printk("%s ep %s pid %u context %#llx tag %#llx len %llu flags %s err %d",
		  __get_str(port), __entry->ep, __entry->pid, __entry->context, __entry->tag,
		  __entry->len, weft_trace_cqe_flags(__entry->flags), __entry->err)
);

/* ---- Packets -------------------------------------------------------------------------------- */

/* @n packets of a lane, the first of them @psn, are sent again. @again: not for the first time. */
TRACE_EVENT(weft_retransmit,
	TP_PROTO(const struct weft_core *core, const struct weft_sockaddr *node, u32 lane, u32 psn,
		 u32 len, u32 n, bool again),
	TP_ARGS(core, node, lane, psn, len, n, again),
	TP_STRUCT__entry(
		__string(port, weft_named_port(core))
		__array(char, peer, WEFT_TRACE_NAME)
		__field(u32, lane)
		__field(u32, psn)
		__field(u32, len)
		__field(u32, n)
		__field(u32, again)
	),
	TP_fast_assign(
		weft_assign_str(port, weft_named_port(core));
		weft_trace_node(__entry->peer, node);
		__entry->lane = lane;
		__entry->psn = psn;
		__entry->len = len;
		__entry->n = n;
		__entry->again = again;
	),
	TP_printk("%s peer %s lane %u psn %u len %u packets %u again %u", __get_str(port),
		  __entry->peer, __entry->lane, __entry->psn, __entry->len, __entry->n,
		  __entry->again)
);

TRACE_EVENT(weft_tx,
	TP_PROTO(const char *port, const struct weft_sockaddr *to, u32 psn, u32 len, u32 n),
	TP_ARGS(port, to, psn, len, n),
	TP_STRUCT__entry(
		__string(port, port)
		__array(char, peer, WEFT_TRACE_NAME)
		__field(u32, psn)
		__field(u32, len)
		__field(u32, n)
	),
	TP_fast_assign(
		weft_assign_str(port, port);
		weft_trace_node(__entry->peer, to);
		__entry->psn = psn;
		__entry->len = len;
		__entry->n = n;
	),
	TP_printk("%s peer %s psn %u len %u packets %u", __get_str(port), __entry->peer,
		  __entry->psn, __entry->len, __entry->n)
);

TRACE_EVENT(weft_rx,
	TP_PROTO(const char *port, const struct weft_sockaddr *from, const u8 *data, u32 len,
		 u32 n),
	TP_ARGS(port, from, data, len, n),
	TP_STRUCT__entry(
		__string(port, port)
		__array(char, peer, WEFT_TRACE_NAME)
		__field(u32, type)
		__field(u32, path)
		__field(u32, psn)
		__field(u32, len)
		__field(u32, n)
	),
	TP_fast_assign(
		weft_assign_str(port, port);
		weft_trace_node(__entry->peer, from);
		__entry->type = data[0];
		__entry->path = len >= 32 ? get_unaligned_be32(data + 4) : 0;
		__entry->psn = len >= 32 ? get_unaligned_be32(data + 16) : 0;
		__entry->len = len;
		__entry->n = n;
	),
	TP_printk("%s peer %s type %#x path %#x psn %u len %u packets %u", __get_str(port),
		  __entry->peer, __entry->type, __entry->path, __entry->psn, __entry->len,
		  __entry->n)
);

/* ---- Refused operations --------------------------------------------------------------------- */

/* @err: errno; @why: a word: which check failed */
TRACE_EVENT(weft_rma_denied,
	TP_PROTO(const char *port, const struct weft_sockaddr *from, u32 uid, u16 service, u64 key,
		 u64 addr, int err, const char *why),
	TP_ARGS(port, from, uid, service, key, addr, err, why),
	TP_STRUCT__entry(
		__string(port, port)
		__string(why, why)
		__array(char, peer, WEFT_TRACE_NAME)
		__field(u32, uid)
		__field(u32, service)
		__field(u64, key)
		__field(u64, addr)
		__field(int, err)
	),
	TP_fast_assign(
		weft_assign_str(port, port);
		weft_assign_str(why, why);
		weft_trace_node(__entry->peer, from);
		__entry->uid = uid;
		__entry->service = service;
		__entry->key = key;
		__entry->addr = addr;
		__entry->err = err;
	),
	TP_printk("%s peer %s uid %u service %u key %#llx addr %#llx err %d why %s",
		  __get_str(port), __entry->peer, __entry->uid, __entry->service, __entry->key,
		  __entry->addr, __entry->err, __get_str(why))
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH trace
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
