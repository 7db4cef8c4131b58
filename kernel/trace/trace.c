// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft trace - where the tracepoints of trace.h are
 */
#include <linux/module.h>

#define CREATE_TRACE_POINTS
#include "trace.h"
