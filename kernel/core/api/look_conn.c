// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - connections and requests for them, for the administrator
 *
 * A call copies some of them, in the order of their numbers, and reports where the next call
 * continues. So a connection appears once at most, and one that stays during all calls appears. A
 * request that is about to be sent anew on another path has no number meanwhile, and is missing.
 *
 * Locks: conn->path->lock is taken for one connection at a time.
 */
#include "core/api/internal.h"

/* Return: false: the connection is over. */
static bool weft_look_conn(struct weft_conn *conn, weft_ns now, struct weft_conn_info *info)
{
	static const u8 states[] = {
		[WEFT_CONN_ASKING] = WEFT_CONNS_ASKING,
		[WEFT_CONN_ASKED] = WEFT_CONNS_ASKED,
		[WEFT_CONN_ACCEPTED] = WEFT_CONNS_ACCEPTED,
		[WEFT_CONN_UP] = WEFT_CONNS_UP,
		[WEFT_CONN_CLOSING] = WEFT_CONNS_CLOSING,
	};
	struct weft_ep *ep;
	bool lives;

	weft_lock(&conn->path->lock);
	lives = !weft_list_empty(&conn->node) && conn->state <= WEFT_CONN_CLOSING;
	if (lives) {
		*info = (struct weft_conn_info){
			.no = conn->id,
			.peer = conn->addr,
			.active = conn->active,
			.state = states[conn->state],
			.age = weft_since(now, conn->since),
		};
		ep = conn->ep ? conn->ep : conn->pep;
		if (ep)
			weft_look_near(ep, &info->near);
	}
	weft_unlock(&conn->path->lock);
	return lives;
}

/**
 * weft_core_conns - report connections
 * @core: the core
 * @now: time
 * @next: number at which to begin, 0: of all; out: where the next call continues
 * @info: out
 * @n: size of @info
 *
 * Context: may sleep.
 * Return: number of connections reported; fewer than @n: there are no more.
 */
u32 weft_core_conns(struct weft_core *core, weft_ns now, u64 *next, struct weft_conn_info *info,
		    u32 n)
{
	struct weft_conn *conn;
	u32 found = 0, id;

	while (found < n && *next <= U32_MAX) {
		id = (u32)*next;
		conn = weft_conn_next(core, &id);
		if (!conn)
			break;
		found += weft_look_conn(conn, now, &info[found]);
		weft_conn_put(conn);
		*next = id + 1ull;
	}
	return found;
}
