/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft port - interface of path.c to port.c and drivers
 */
#ifndef WEFT_PORT_PATH_H
#define WEFT_PORT_PATH_H

#include <net/inet_ecn.h>

#include "port.h"

/*
 * DSCP and ECN fields of packets of @class, WEFT_CLASS_*. DSCP is AF41, AF21 (RFC 2597) or the
 * default (RFC 2474); without priorities always the default. ECN is ECT(0). The upper three bits
 * also go into a VLAN tag (IEEE 802.1Q).
 */
static inline u8 weft_port_tos(const struct weft_port *port, u8 class)
{
	static const u8 dscp[WEFT_CLASSES] = { 34, 18, 0 };

	return INET_ECN_ECT_0 | (READ_ONCE(port->core.conf.priorities) ? dscp[class] << 2 : 0);
}

int weft_paths_init(void);
void weft_paths_exit(void);
void weft_paths_fail(struct weft_port *port);
void weft_paths_refit(struct weft_port *port);
void weft_paths_stop(struct weft_port *port);
void weft_paths_each(struct weft_port *port, void (*fn)(void *priv));
void weft_paths_release(struct weft_port *port);

/* The driver's part of a path. */
static inline void *weft_path_priv(struct weft_path *path)
{
	return ((struct weft_ppath *)*weft_path_port(path))->priv;
}

#endif
