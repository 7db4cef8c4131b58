// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - find the path to a remote node, or make it
 *
 * Locks: core->lock and path->lock, taken here one after the other.
 */
#include "core/transport/transport.h"

/**
 * weft_path_find - find the path to a remote node, or make it
 * @core: the core
 * @addr: the node
 * @out: output: the handshake of a new path
 *
 * Return: the path, referenced; ERR_PTR(-ENODEV, -ENOSPC, -ENOMEM, -ENETUNREACH, -EHOSTUNREACH,
 * -EAFNOSUPPORT).
 */
struct weft_path *weft_path_find(struct weft_core *core, const struct weft_sockaddr *addr,
				 struct weft_out *out)
{
	struct weft_path *path;
	bool made = false;
	u32 src;

	for (src = 0; src < core->naddr; src++)
		if (core->addr[src].family == addr->family)
			break;
	if (src == core->naddr)
		return ERR_PTR(-EAFNOSUPPORT);
	weft_lock(&core->lock);
	path = weft_path_lookup(core, addr);
	if (!path) {
		path = weft_path_list(core, addr, src, out->now);
		made = true;
	}
	if (!IS_ERR(path))
		weft_path_get(path);
	weft_unlock(&core->lock);
	if (!IS_ERR(path) && made) {
		weft_lock(&path->lock);
		path->born = out->now;
		path->state_at = out->now;
		if (path->state == WEFT_PATHS_HELLO)
			weft_hello_send(path, out);
		weft_unlock(&path->lock);
	}
	return path;
}
