// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - nodes that speak another version of the wire format
 *
 * A packet of another version cannot be processed. Its receiver answers with VERSION, which has the
 * same form in all versions from 3 on (struct weft_w_version). The sender then gives up its path at
 * once, and both nodes report each other's version to their administrators:
 *
 *	version 4					version 5
 *	INIT, or any packet of a path ------------->	cannot read it
 *	path fails: EPROTONOSUPPORT <-------------- VERSION
 *
 * VERSION repeats the eight bytes of the packet's token, so a node that has not seen the packet
 * cannot end a path. INIT has no token yet, and has its nonce there. VERSION is never longer than
 * the packet that it answers, and its rate is limited. VERSION is not answered.
 *
 * The last nodes of another version are remembered for the administrator, until a path to them
 * works: after an upgrade.
 *
 * Locks: core->lock and path->lock, taken here; softirq context. See Documentation/locking.rst.
 */
#include "core/transport/transport.h"

#define WEFT_VERSION_GAP	(100ull * NSEC_PER_USEC)

/* Return: the node in core->foreign, or NULL. The core is locked. */
static struct weft_foreign *weft_foreign_find(struct weft_core *core,
					      const struct weft_sockaddr *addr)
{
	u32 i;

	weft_assert_held(&core->lock);
	for (i = 0; i < WEFT_FOREIGN; i++) {
		struct weft_foreign *f = &core->foreign[i];

		if (f->addr.family && weft_addr_same_node(&f->addr, addr))
			return f;
	}
	return NULL;
}

/*
 * Remember and report a node of another version. Its place may be that of the one that was found
 * first.
 */
static void weft_foreign_note(struct weft_core *core, const struct weft_sockaddr *addr, u8 oldest,
			      u8 newest)
{
	struct weft_note note = {
		.kind = WEFT_NOTE_VERSION, .uid = WEFT_NOTE_NO_UID, .from = oldest, .to = newest,
		.addr = addr,
	};
	struct weft_foreign *f;

	weft_lock(&core->lock);
	f = weft_foreign_find(core, addr) ?:
	    &core->foreign[core->next_foreign++ % WEFT_FOREIGN];
	f->addr = *addr;
	f->addr.port = 0;
	f->oldest = oldest;
	f->newest = newest;
	weft_unlock(&core->lock);
	weft_env_note(core, &note);
}

/* Return: true if the node speaks this version now: a path to it works. The core is locked. */
static bool weft_foreign_over(struct weft_core *core, const struct weft_foreign *f)
{
	struct weft_path *path = weft_path_lookup(core, &f->addr);
	bool up = false;

	weft_assert_held(&core->lock);
	if (path) {
		weft_lock(&path->lock);
		up = path->state == WEFT_PATHS_UP;
		weft_unlock(&path->lock);
	}
	return up;
}

/**
 * weft_version_next - iterate over the nodes that speak another version
 * @core: the core
 * @pos: 0 in the beginning
 * @info: out: the next one
 *
 * Context: no lock is held.
 * Return: true if there is one.
 */
bool weft_version_next(struct weft_core *core, u32 *pos, struct weft_version_info *info)
{
	bool found = false;

	weft_lock(&core->lock);
	while (!found && *pos < WEFT_FOREIGN) {
		struct weft_foreign *f = &core->foreign[(*pos)++];

		if (f->addr.family && weft_foreign_over(core, f))
			f->addr.family = 0;
		found = f->addr.family;
		info->addr = f->addr;
		info->oldest = f->oldest;
		info->newest = f->newest;
		info->own = WEFT_WIRE_VERSION;
	}
	weft_unlock(&core->lock);
	return found;
}

/* Answer a packet with VERSION. */
static void weft_version_tell(struct weft_core *core, const struct weft_rx *rx,
			      const struct weft_w_version *w, struct weft_out *out)
{
	struct weft_w_version re = {
		.vt = WEFT_WIRE_VERSION << 4 | WEFT_PKT_VERSION,
		.oldest = WEFT_WIRE_VERSION,
		.newest = WEFT_WIRE_VERSION,
		.token = w->token,
	};
	struct weft_tx *tx;

	if (out->now < READ_ONCE(core->gone_at) || out->ntx == WEFT_OUT_TX)
		return;
	WRITE_ONCE(core->gone_at, out->now + WEFT_VERSION_GAP);
	tx = weft_frame_new(out, sizeof(re));
	tx->to = rx->src;
	tx->src = rx->dst;
	memcpy(tx->raw, &re, sizeof(re));
	weft_foreign_note(core, &rx->src, w->vt >> 4, w->vt >> 4);
}

/* Return: true if VERSION @w answers a packet of the path, which is locked. */
static bool weft_version_answers(const struct weft_path *path, const struct weft_w_version *w)
{
	u64 token = be64_to_cpu(w->token);

	weft_assert_held(&path->lock);
	if (path->failing)
		return false;
	return token == (path->state == WEFT_PATHS_HELLO ? path->nonce : path->peer_token);
}

/* Process VERSION: the peer cannot read the packets of a path. */
static void weft_version_told(struct weft_core *core, const struct weft_rx *rx,
			      const struct weft_w_version *w, struct weft_out *out)
{
	struct weft_path *path;
	bool told = false;

	weft_lock(&core->lock);
	path = weft_path_lookup(core, &rx->src);
	if (path) {
		weft_lock(&path->lock);
		told = weft_version_answers(path, w);
		if (told)
			weft_path_fail(path, EPROTONOSUPPORT, out);
		weft_unlock(&path->lock);
	}
	weft_unlock(&core->lock);
	if (!told)
		return;
	weft_foreign_note(core, &rx->src, w->oldest, w->newest);
}

/**
 * weft_version_rx - process a packet of another version
 * @core: the core
 * @rx: the packet
 * @pkt: its bytes, at least WEFT_WIRE_HDR
 * @out: output
 *
 * Context: no lock is held.
 */
void weft_version_rx(struct weft_core *core, const struct weft_rx *rx, const void *pkt,
		     struct weft_out *out)
{
	struct weft_w_version w;

	BUILD_BUG_ON(sizeof(w) != WEFT_WIRE_HDR);
	memcpy(&w, pkt, sizeof(w));
	weft_count(core, rx_version);
	if (be16_to_cpu(rx->src.port) != core->conf.udp_port || rx->dst >= core->naddr)
		return;
	if ((w.vt & 15) == WEFT_PKT_VERSION)
		weft_version_told(core, rx, &w, out);
	else
		weft_version_tell(core, rx, &w, out);
}
