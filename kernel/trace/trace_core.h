/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft trace - tracepoints that the core calls; empty macros of the same names in host programs
 */
#ifndef WEFT_TRACE_CORE_H
#define WEFT_TRACE_CORE_H

#include "trace.h"

/* The arguments of a tracepoint that is not in use are not evaluated: READ_ONCE() costs a load. */
#define weft_trace_if_used(name, ...)						\
	do {									\
		if (trace_weft_##name##_enabled())				\
			trace_weft_##name(__VA_ARGS__);				\
	} while (0)

#define weft_trace_post_send(...)	weft_trace_if_used(post_send, __VA_ARGS__)
#define weft_trace_post_recv(...)	weft_trace_if_used(post_recv, __VA_ARGS__)
#define weft_trace_arrive(...)		weft_trace_if_used(arrive, __VA_ARGS__)
#define weft_trace_match(...)		weft_trace_if_used(match, __VA_ARGS__)
#define weft_trace_complete(...)	weft_trace_if_used(complete, __VA_ARGS__)
#define weft_trace_complete_enabled	trace_weft_complete_enabled
#define weft_trace_retransmit(...)	weft_trace_if_used(retransmit, __VA_ARGS__)

#endif
