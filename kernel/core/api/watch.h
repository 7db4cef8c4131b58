/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - receives that name their sender: what watch.c offers the rest
 */
#ifndef WEFT_WATCH_H
#define WEFT_WATCH_H

#include "core/object/proto.h"

/**
 * struct weft_known - a node that has been heard of, and to which there is no path now
 * @node: in core->known
 * @age: in core->known_ages, the oldest one first
 * @addr: the node; service 0
 * @no: which death of a path to a known node, as counted by core->deaths
 * @err: errno of that; 0: it was given back as nobody used it
 */
struct weft_known {
	struct weft_list node;
	struct weft_list age;
	struct weft_sockaddr addr;
	u32 no;
	int err;
};

/* path.c */
void weft_path_ask(struct weft_path *path, weft_ns quiet, struct weft_out *out);

void weft_watch_init(struct weft_core *core);
void weft_watch_exit(struct weft_core *core);
void weft_watch_up(const struct weft_path *path);
bool weft_watch_bury(struct weft_path *path, bool heard);
bool weft_watch_all(struct weft_core *core, struct weft_out *out);
void weft_watch_begin(struct weft_ep *ep);
void weft_watch_due(struct weft_core *core, struct weft_out *out);
void weft_watch_work(struct weft_ep *ep, struct weft_out *out);

#endif
