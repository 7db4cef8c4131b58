/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft trace - what the core calls to be traced; empty macros of the same names in host programs
 */
#ifndef WEFT_TRACE_CORE_H
#define WEFT_TRACE_CORE_H

#include "trace.h"

/* An entry of a send (@what: WEFT_SQ_*) or receive ring (256 + WEFT_RQ_*) has been taken. */
#define weft_trace_post		trace_weft_post
/* A message has met its receive (@what: 1: the message was there before). */
#define weft_trace_match	trace_weft_match
/* A completion is written (@what: errno). */
#define weft_trace_complete	trace_weft_complete

#endif
