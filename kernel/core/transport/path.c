// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - paths: one per remote node; their states, tables and timer
 *
 *	HELLO --handshake done--> UP
 *	  |                        |
 *	  +--connect_ns passed     +--silence, peer restarted, GONE, the port is going; not used
 *	  v                        v
 *	 failing --bury--> DEAD (off the tables; everything on it has failed; references keep it)
 *
 * A path fails where its lock is held. weft_flush() then buries it and takes the locks for that in
 * order. A dead path is never used again: the next send makes a new path. Messages that are
 * complete by then can still be received.
 *
 * idle.c describes how an unused path is released: its state is LEAVING first.
 *
 * core->local is a path without packets. It is always UP, and its timer serves connections and
 * sends that wait for a path.
 *
 * Deadlines: path->timer_at is not later than any deadline. The code that sets an earlier one calls
 * weft_path_deadline(). Later ones are found when the timer expires.
 *
 * Locks: core->lock protects the tables, path->lock the rest; the functions run with softirqs off.
 * See Documentation/locking.rst.
 */
#include "core/transport/transport.h"

/**
 * weft_path_alloc - allocate a path that is in no table
 * @core: the core
 * @addr: remote node
 * @src: index of the own address
 *
 * Return: the path with one reference, NULL: no memory.
 */
struct weft_path *weft_path_alloc(struct weft_core *core, const struct weft_sockaddr *addr, u8 src)
{
	struct weft_path *path = weft_alloc(sizeof(*path));
	u32 i;

	if (!path)
		return NULL;
	path->known = weft_alloc(sizeof(*path->known));
	path->bits = weft_alloc(sizeof(u64) * WEFT_LANES * WEFT_WINDOW_WORDS);
	path->mtu = weft_mtu_new();
	if (!path->known || !path->bits || !path->mtu) {
		weft_free(path->mtu);
		weft_free(path->bits);
		weft_free(path->known);
		weft_free(path);
		return NULL;
	}
	path->core = core;
	refcount_set(&path->ref, 1);
	weft_lock_init(&path->lock, WEFT_RANK_PATH);
	path->node.addr = *addr;
	path->node.addr.port = 0;
	path->src = src;
	path->state = WEFT_PATHS_HELLO;
	path->offer = weft_random();
	path->token = weft_random();
	path->nonce = weft_random();
	weft_class_init(path);
	path->timer_at = U64_MAX;
	path->hello_at = U64_MAX;
	weft_mtu_reset(path);
	weft_list_init(&path->more);
	weft_ctl_init(&path->ping, WEFT_CTL_PING);
	weft_list_init(&path->recs);
	weft_path_parts(path);
	for (i = 0; i < WEFT_LANES; i++)
		weft_lane_init(&path->lane[i], i, path->bits + i * WEFT_WINDOW_WORDS);
	return path;
}

/**
 * weft_path_lookup - find a path in the tables
 * @core: the core, locked
 * @addr: remote node
 *
 * Return: the path, not referenced, or NULL.
 */
struct weft_path *weft_path_lookup(struct weft_core *core, const struct weft_sockaddr *addr)
{
	struct weft_hash_node *node;

	weft_assert_held(&core->lock);
	node = weft_hash_find(&core->paths, addr);
	return node ? container_of(node, struct weft_path, node) : NULL;
}

/**
 * weft_path_open - have the adapter prepare a path, and take the largest payload that fits
 * @path: the path, in no table
 *
 * Return: 0, -ENETUNREACH: too little fits, or an error of weft_env_path_open().
 */
int weft_path_open(struct weft_path *path)
{
	u32 fit = path->core->conf.max_payload;
	int err = weft_env_path_open(path, &fit);

	if (err)
		return err;
	if (fit < WEFT_PAYLOAD_MIN)
		return -ENETUNREACH;
	path->mtu->own = min(fit, path->core->conf.max_payload);
	weft_mtu_reset(path);
	return 0;
}

/**
 * weft_path_list - make a path and put it into the tables
 * @core: the core, locked
 * @addr: remote node, which has no path yet
 * @src: index of the own address
 * @now: time
 *
 * Return: the path, which belongs to the tables; ERR_PTR.
 */
struct weft_path *weft_path_list(struct weft_core *core, const struct weft_sockaddr *addr, u8 src,
				 weft_ns now)
{
	struct weft_path *path;
	int err;

	weft_assert_held(&core->lock);
	if (core->stopped)
		return ERR_PTR(-ENODEV);
	weft_reclaim_look(core, now);
	if (core->npaths >= READ_ONCE(core->conf.max_paths))
		return ERR_PTR(-ENOSPC);
	path = weft_path_alloc(core, addr, src);
	if (!path)
		return ERR_PTR(-ENOMEM);
	path->id = weft_path_id_new(core);
	err = path->id ? weft_path_open(path) : -ENOSPC;
	if (!err)
		err = weft_hash_add(&core->paths, &path->node);
	if (err) {
		weft_path_put(path);
		return ERR_PTR(err);
	}
	path->listed = true;
	core->npaths++;
	core->npaths_most = max(core->npaths_most, core->npaths);
	weft_path_id_set(path);
	weft_count(core, paths_made);
	return path;
}

/**
 * weft_path_unlist - take a path off the tables
 * @path: the path; core->lock is held
 *
 * Drops the reference of the tables: the caller holds another one.
 */
void weft_path_unlist(struct weft_path *path)
{
	struct weft_core *core = path->core;

	weft_assert_held(&path->core->lock);
	if (!path->listed)
		return;
	path->listed = false;
	core->npaths--;
	weft_hash_del(&core->paths, &path->node);
	weft_path_id_clear(path);
	weft_path_put(path);
}

/**
 * weft_path_gone - remove a path that has just been released as unused
 * @path: the path, referenced, not locked
 *
 * The next weft_path_find() makes a new one then. Return: true if the path was released.
 */
bool weft_path_gone(struct weft_path *path)
{
	if (likely(!READ_ONCE(path->unused)))
		return false;
	weft_lock(&path->core->lock);
	weft_path_unlist(path);
	weft_unlock(&path->core->lock);
	return true;
}

/**
 * weft_path_up - complete the handshake
 * @path: the path, locked, HELLO
 * @now: time
 */
void weft_path_up(struct weft_path *path, weft_ns now)
{
	u32 i;

	weft_assert_held(&path->lock);
	path->state = WEFT_PATHS_UP;
	path->state_at = now;
	weft_path_auth(path);
	path->hello_at = U64_MAX;
	path->heard_at = now;
	path->alive_at = now;
	for (i = 0; i < WEFT_LANES; i++)
		path->busy |= 1u << i;
	path->busy |= WEFT_BUSY_DGRAM;
	weft_monitor_up(path);
	weft_path_deadline(path, now + READ_ONCE(path->core->conf.idle_ns));
	if (path->nconn || path->nwait)
		weft_path_deadline(path, now + path->core->conf.keepalive_ns);
	if (weft_path_probed(path))
		weft_path_deadline(path, now);
}

/**
 * weft_path_output - send the packets that may be sent
 * @path: the path, locked
 * @out: output
 */
void weft_path_output(struct weft_path *path, struct weft_out *out)
{
	u32 i;

	weft_assert_held(&path->lock);
	if (!path->busy || path->state != WEFT_PATHS_UP || path->failing)
		return;
	/* lanes of a class may queue chunks on later lanes */
	for (i = 0; !path->local && path->busy & (WEFT_BUSY_DGRAM - 1) & ~0u << i; i++) {
		i = __ffs(path->busy & ~0u << i);
		weft_lane_output(path, &path->lane[i], out);
	}
	if (unlikely(path->local || path->busy & WEFT_BUSY_DGRAM))
		weft_send_unnumbered(path, out);
}

/* ---- Sign of life ---------------------------------------------------------------- */

/**
 * weft_path_ask - ask the peer for a sign of life, unless packets in flight bring one
 * @path: the path, UP, locked
 * @quiet: shortest time since the peer was last heard
 * @out: output
 */
void weft_path_ask(struct weft_path *path, weft_ns quiet, struct weft_out *out)
{
	weft_assert_held(&path->lock);
	if (path->flight || weft_since(out->now, path->heard_at) < quiet)
		return;
	path->heard_at = out->now;
	weft_ctl_put(path, 0, &path->ping);
}

/* ---- For adapters ---------------------------------------------------------------- */

struct weft_path *weft_path_next(struct weft_core *core, u32 *pos)
{
	struct weft_path *path = NULL;

	weft_rcu_lock();
	while (!path && (*pos = weft_path_slot_next(core, *pos)) < core->path_slots) {
		/* pairs with the release in weft_path_id_set() */
		path = smp_load_acquire(&core->path_ids[(*pos)++]);
		if (path && !refcount_inc_not_zero(&path->ref))
			path = NULL;
	}
	weft_rcu_unlock();
	return path;
}

void weft_path_look(struct weft_path *path, struct weft_path_info *info)
{
	u32 i;

	weft_lock(&path->lock);
	info->addr = path->node.addr;
	info->state = path->state;
	info->since = path->state_at;
	info->heard = path->heard_at;
	info->srtt = path->class[WEFT_CLASS_FIRST].srtt;
	info->rttvar = path->class[WEFT_CLASS_FIRST].rttvar;
	info->flight = path->flight;
	info->nflow = path->nflow;
	info->counts = path->counts;
	info->max_payload = path->max_payload;
	info->cwnd = 0;
	for (i = 0; i < WEFT_LANES; i++)
		info->cwnd += path->lane[i].cwnd;
	weft_unlock(&path->lock);
}

const struct weft_sockaddr *weft_path_addr(const struct weft_path *path)
{
	return &path->node.addr;
}

u8 weft_path_src(const struct weft_path *path)
{
	return path->src;
}

struct weft_core *weft_path_core(const struct weft_path *path)
{
	return path->core;
}

bool weft_path_local(const struct weft_path *path)
{
	return path->local;
}

void **weft_path_port(struct weft_path *path)
{
	return &path->port;
}
