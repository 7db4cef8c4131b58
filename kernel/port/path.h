/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft port - what port.c and drivers need of path.c
 */
#ifndef WEFT_PORT_PATH_H
#define WEFT_PORT_PATH_H

#include "port.h"

int weft_paths_init(void);
void weft_paths_exit(void);
void weft_paths_stop(struct weft_port *port);
void weft_paths_release(struct weft_port *port);

/* The driver's bytes of a path. */
static inline void *weft_path_priv(struct weft_path *path)
{
	return ((struct weft_ppath *)*weft_path_port(path))->priv;
}

#endif
