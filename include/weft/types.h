/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * libweft: objects of the library, for the other headers
 */
#ifndef _WEFT_TYPES_H
#define _WEFT_TYPES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <linux/weft.h>

struct weft_ctx;		/* an open port: the part of one address space */
struct weft_cq;			/* completion queue */
struct weft_cntr;		/* counter */
struct weft_eq;			/* event queue */
struct weft_av;			/* address vector */
struct weft_ep;			/* endpoint, passive ones too */
struct weft_srq;		/* shared receive queue */

#define WEFT_FOREVER	UINT64_MAX	/* no timeout */

#endif /* _WEFT_TYPES_H */
