/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft trace - tracepoints that the core calls; empty macros of the same names in host programs
 */
#ifndef WEFT_TRACE_CORE_H
#define WEFT_TRACE_CORE_H

#include "trace.h"

#define weft_trace_post_send		trace_weft_post_send
#define weft_trace_post_recv		trace_weft_post_recv
#define weft_trace_arrive		trace_weft_arrive
#define weft_trace_match		trace_weft_match
#define weft_trace_complete		trace_weft_complete
#define weft_trace_complete_enabled	trace_weft_complete_enabled
#define weft_trace_retransmit		trace_weft_retransmit

#endif
