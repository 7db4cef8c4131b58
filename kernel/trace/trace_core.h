/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft trace - tracepoints that the core calls; empty macros of the same names in host programs
 */
#ifndef WEFT_TRACE_CORE_H
#define WEFT_TRACE_CORE_H

#include "trace.h"

/* An entry was taken from a send ring (@what: WEFT_SQ_*) or receive ring (256 + WEFT_RQ_*). */
#define weft_trace_post		trace_weft_post
/* A message was matched to its receive (@what: 1: the message arrived first). */
#define weft_trace_match	trace_weft_match
/* A completion was written (@what: errno). */
#define weft_trace_complete	trace_weft_complete

#endif
