// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - the handshake of two nodes, and GONE
 *
 *	initiator					responder
 *	INIT (no cookie) -------------------------->	keeps nothing
 *	<------------------------------------ COOKIE	made of INIT, the time and a secret
 *	INIT (cookie) ----------------------------->	makes a path, UP
 *	UP <------------------------------------ ACK
 *
 * Each INIT states the path id and the token that packets to its sender have to carry. When both
 * nodes begin at once, each has a path in HELLO. The other's INIT, once it has a valid cookie, then
 * serves as an ACK. An INIT that does not match the path that is UP means that the peer has lost
 * its own path. The old path dies and a new one is made.
 *
 * Only packets from the UDP port of the kernel are processed: other programs of the peer's node
 * cannot have sent them.
 *
 * Locks: core->lock and path->lock; softirq context. See Documentation/locking.rst.
 */
#include "core/transport/transport.h"

#define WEFT_HELLO_SLOT		33	/* a cookie is valid for one to two times 2^33 ns */
#define WEFT_HELLO_FIRST	(20ull * NSEC_PER_MSEC)
#define WEFT_HELLO_MAX		(1ull * NSEC_PER_SEC)
#define WEFT_GONE_GAP		(100ull * NSEC_PER_USEC)

/* The input of a cookie. */
struct weft_hello_seed {
	struct weft_sockaddr addr;
	u64 nonce;
	u64 incarnation;
	u64 offer;
	u64 slot;
	u64 path;
};

static u64 weft_hello_cookie(struct weft_core *core, const struct weft_sockaddr *addr,
			     const struct weft_hello *h, u64 slot)
{
	struct weft_hello_seed seed = {
		.addr = *addr,
		.nonce = h->nonce,
		.incarnation = h->incarnation,
		.offer = h->offer,
		.slot = slot,
		.path = h->path,
	};
	u64 c = weft_siphash(&seed, sizeof(seed), core->secret);

	return c ? c : 1;
}

static bool weft_hello_cookie_good(struct weft_core *core, const struct weft_sockaddr *addr,
				   const struct weft_hello *h, weft_ns now)
{
	u64 slot = now >> WEFT_HELLO_SLOT;

	if (!h->cookie)
		return false;
	return h->cookie == weft_hello_cookie(core, addr, h, slot) ||
	       h->cookie == weft_hello_cookie(core, addr, h, slot - 1);
}

/* Fill in a packet with a HELLO. */
static struct weft_tx *weft_hello_tx(struct weft_out *out, u32 path, u64 token, u16 window,
				     const struct weft_hello *h)
{
	struct weft_hdr hdr = {
		.type = WEFT_PKT_HELLO,
		.path = path,
		.token = token,
		.window = window,
	};
	struct weft_tx *tx;

	if (out->ntx == WEFT_OUT_TX)
		return NULL;
	tx = weft_frame_new(out, WEFT_WIRE_HDR + sizeof(struct weft_w_hello));
	weft_wire_hdr_put(tx->raw, &hdr);
	weft_wire_hello_put(tx->raw + WEFT_WIRE_HDR, h);
	return tx;
}

/* Fill in this node's half of the handshake. */
static void weft_hello_self(const struct weft_path *path, struct weft_hello *h)
{
	const struct weft_conf *conf = &path->core->conf;

	h->caps = WEFT_HELLO_RMA | WEFT_HELLO_WRITES | WEFT_HELLO_ECHO | WEFT_HELLO_QUESTION;
	h->incarnation = path->core->incarnation;
	h->path = path->id;
	h->max_payload = path->mtu->own;
	h->offer = path->offer;
	h->ack_delay = (u32)(conf->ack_delay_ns >> 10);
}

/**
 * weft_hello_send - send INIT, and set the time of the next one
 * @path: the path, locked, HELLO
 * @out: output; when it is full, the next INIT follows soon
 */
void weft_hello_send(struct weft_path *path, struct weft_out *out)
{
	struct weft_hello h = { .op = WEFT_HELLO_INIT,
				.nonce = path->nonce,
				.cookie = path->cookie };
	struct weft_tx *tx;
	weft_ns wait = WEFT_HELLO_FIRST << min_t(u32, path->hello_n, 8);

	weft_assert_held(&path->lock);
	weft_hello_self(path, &h);
	tx = weft_hello_tx(out, 0, path->nonce, weft_path_rx_window(path), &h);
	if (tx) {
		tx->path = path;
		weft_path_get(path);
		path->hello_n++;
	}
	path->hello_at = out->now + min_t(weft_ns, wait, WEFT_HELLO_MAX);
	path->hello_at =
		min(path->hello_at, max(path->born + path->core->conf.connect_ns, out->now + 1));
	weft_path_deadline(path, path->hello_at);
}

static void weft_hello_ack(struct weft_path *path, u64 nonce, struct weft_out *out)
{
	struct weft_hello h = { .op = WEFT_HELLO_ACK, .nonce = nonce };
	struct weft_tx *tx;

	weft_hello_self(path, &h);
	tx = weft_hello_tx(out, path->peer_id, path->peer_offer, weft_path_rx_window(path), &h);
	if (!tx)
		return;
	tx->path = path;
	weft_path_get(path);
}

/*
 * Return: the token of packets to the side with the offer @to. It depends on both offers. An INIT
 * may have reached an earlier incarnation of the peer, too. Late packets of that incarnation have
 * another token.
 */
static u64 weft_hello_token(u64 to, u64 from)
{
	return to ^ rol64(from, 32);
}

/* Store the peer's half. The path is locked and in HELLO. */
static void weft_hello_adopt(struct weft_path *path, const struct weft_hdr *hdr,
			     const struct weft_hello *h, weft_ns now)
{
	weft_assert_held(&path->lock);
	path->peer_id = h->path;
	path->peer_offer = h->offer;
	path->peer_caps = h->caps;
	path->peer_token = weft_hello_token(h->offer, path->offer);
	path->token = weft_hello_token(path->offer, h->offer);
	path->peer_inc = h->incarnation;
	path->peer_ack_delay = min_t(u64, (u64)h->ack_delay << 10, NSEC_PER_SEC);
	path->tx_limit = hdr->window;
	weft_class_init(path);
	weft_path_up(path, now);
	weft_path_note(path, WEFT_NOTE_PATH_UP, 0, 0, 0);
	weft_mtu_begin(path, h->max_payload, now);
}

static bool weft_hello_same(const struct weft_path *path, const struct weft_hello *h)
{
	return path->peer_id == h->path && path->peer_offer == h->offer &&
	       path->peer_inc == h->incarnation;
}

/*
 * Find the path for INIT @h of @rx: the existing one, or a new one in its place.
 * Return: the path, referenced, or NULL.
 */
static struct weft_path *weft_hello_path(struct weft_core *core, const struct weft_rx *rx,
					 const struct weft_hello *h, struct weft_out *out)
{
	struct weft_path *path, *old;

	weft_lock(&core->lock);
	path = weft_path_lookup(core, &rx->src);
	old = path;
	if (old) {
		bool stale;

		weft_lock(&old->lock);
		/* the peer has released it: waiting sends continue on the peer's new path */
		if (old->state == WEFT_PATHS_LEAVING && !old->failing && !weft_hello_same(old, h))
			weft_idle_left(old, out);
		stale = old->failing || (old->state == WEFT_PATHS_UP && !weft_hello_same(old, h));
		if (stale) {
			if (!old->failing && old->peer_inc != h->incarnation) {
				weft_count(core, peer_restarts);
				weft_path_note(old, WEFT_NOTE_RESTARTED, 0, 0, 0);
			}
			weft_path_fail(old, ECONNRESET, out);
		}
		weft_unlock(&old->lock);
		if (stale) {
			/* out->more has a reference */
			weft_path_unlist(old);
			path = NULL;
		}
	}
	if (!path) {
		path = weft_path_list(core, &rx->src, rx->dst, out->now);
		if (!IS_ERR(path)) {
			path->born = out->now;
			path->state_at = out->now;
		}
	}
	if (!IS_ERR(path)) {
		weft_path_get(path);
	} else {
		if (PTR_ERR(path) == -ENOSPC)
			weft_limit_hit(core, limit_paths, WEFT_NOTE_NO_UID);
		path = NULL;
	}
	weft_unlock(&core->lock);
	return path;
}

static void weft_hello_init(struct weft_core *core, const struct weft_rx *rx,
			    const struct weft_hdr *hdr, const struct weft_hello *h,
			    struct weft_out *out)
{
	struct weft_path *path;

	if (!weft_hello_cookie_good(core, &rx->src, h, out->now)) {
		struct weft_hello c = { .op = WEFT_HELLO_COOKIE, .nonce = h->nonce };
		struct weft_tx *tx;

		c.cookie = weft_hello_cookie(core, &rx->src, h, out->now >> WEFT_HELLO_SLOT);
		/* ACK reports the window */
		tx = weft_hello_tx(out, h->path, h->offer, 0, &c);
		if (tx) {
			tx->to = rx->src;
			tx->src = rx->dst;
		}
		return;
	}
	if (READ_ONCE(core->stopped))
		return;
	path = weft_hello_path(core, rx, h, out);
	if (!path)
		return;
	weft_lock(&path->lock);
	if (path->state == WEFT_PATHS_HELLO && !path->failing)
		weft_hello_adopt(path, hdr, h, out->now);
	/* the peer has had no answer yet: it needs the path */
	if (path->state == WEFT_PATHS_LEAVING && !path->failing && weft_hello_same(path, h))
		weft_idle_stay(path, out->now);
	if (path->state == WEFT_PATHS_UP && weft_hello_same(path, h))
		weft_hello_ack(path, h->nonce, out);
	weft_path_output(path, out);
	weft_unlock(&path->lock);
	weft_path_put(path);
}

/* Process COOKIE or ACK, an answer to our INIT. */
static void weft_hello_answer(struct weft_core *core, const struct weft_hdr *hdr,
			      const struct weft_hello *h, struct weft_out *out)
{
	struct weft_path *path;

	weft_rcu_lock();
	path = weft_path_by_id(core, hdr->path);
	if (path && !refcount_inc_not_zero(&path->ref))
		path = NULL;
	weft_rcu_unlock();
	if (!path)
		return;
	weft_lock(&path->lock);
	if (path->offer == hdr->token && path->nonce == h->nonce &&
	    path->state == WEFT_PATHS_HELLO && !path->failing) {
		if (h->op == WEFT_HELLO_ACK) {
			weft_hello_adopt(path, hdr, h, out->now);
		} else if (path->cookie != h->cookie) {
			path->cookie = h->cookie;
			path->hello_n = 0;
			weft_hello_send(path, out);
		}
		weft_path_output(path, out);
	}
	weft_unlock(&path->lock);
	weft_path_put(path);
}

/**
 * weft_hello_rx - process a HELLO packet
 * @core: the core
 * @rx: the packet
 * @hdr: its header
 * @rest: the bytes behind the header
 * @out: output
 *
 * Context: no lock is held.
 */
void weft_hello_rx(struct weft_core *core, const struct weft_rx *rx, const struct weft_hdr *hdr,
		   const struct weft_chunks *rest, struct weft_out *out)
{
	struct weft_hello h;

	if (be16_to_cpu(rx->src.port) != core->conf.udp_port || rx->dst >= core->naddr ||
	    weft_wire_hello_get(rest, &h)) {
		weft_count(core, rx_bad);
		return;
	}
	if (h.op != WEFT_HELLO_COOKIE && (h.max_payload < WEFT_PAYLOAD_MIN || !h.path)) {
		weft_count(core, rx_bad);
		return;
	}
	if (h.op == WEFT_HELLO_INIT)
		weft_hello_init(core, rx, hdr, &h, out);
	else
		weft_hello_answer(core, hdr, &h, out);
}

/**
 * weft_gone_send - answer a packet that belongs to no path
 * @core: the core
 * @rx: the packet
 * @h: its header
 * @out: output
 */
void weft_gone_send(struct weft_core *core, const struct weft_rx *rx, const struct weft_hdr *h,
		    struct weft_out *out)
{
	struct weft_hdr hdr = { .type = WEFT_PKT_GONE, .path = h->path, .token = h->token };
	struct weft_tx *tx;

	weft_count(core, rx_unknown);
	if (be16_to_cpu(rx->src.port) != core->conf.udp_port || rx->dst >= core->naddr)
		return;
	if (out->now < READ_ONCE(core->gone_at) || out->ntx == WEFT_OUT_TX)
		return;
	WRITE_ONCE(core->gone_at, out->now + WEFT_GONE_GAP);
	tx = weft_frame_new(out, WEFT_WIRE_HDR);
	tx->to = rx->src;
	tx->src = rx->dst;
	weft_wire_hdr_put(tx->raw, &hdr);
}

/**
 * weft_gone_tell - report to the peer that this node gives up a path
 * @path: the path, locked
 * @out: output, with space for a packet
 *
 * The network may lose the packet. Then the peer gives the path up after dead_ns.
 */
void weft_gone_tell(struct weft_path *path, struct weft_out *out)
{
	struct weft_hdr hdr = { .type = WEFT_PKT_GONE, .path = path->id, .token = path->token };
	struct weft_tx *tx = weft_frame_new(out, WEFT_WIRE_HDR);

	weft_assert_held(&path->lock);
	weft_wire_hdr_put(tx->raw, &hdr);
	tx->path = path;
	weft_path_get(path);
}

/**
 * weft_gone_rx - the peer does not know the path of this node's packets
 * @core: the core
 * @rx: the packet
 * @h: its header, with the id and token that packets to the peer have
 * @out: output
 *
 * Context: no lock is held.
 */
void weft_gone_rx(struct weft_core *core, const struct weft_rx *rx, const struct weft_hdr *h,
		  struct weft_out *out)
{
	struct weft_path *path;

	weft_lock(&core->lock);
	path = weft_path_lookup(core, &rx->src);
	if (path) {
		weft_lock(&path->lock);
		if (path->state == WEFT_PATHS_UP && path->peer_id == h->path &&
		    path->peer_token == h->token) {
			if (!path->failing)
				weft_count(core, peer_gone);
			weft_path_fail(path, ECONNRESET, out);
		} else if (path->state == WEFT_PATHS_LEAVING && !path->failing &&
			   path->peer_id == h->path && path->peer_token == h->token &&
			   weft_idle_left(path, out)) {
			weft_hello_send(path, out);
		}
		weft_unlock(&path->lock);
	}
	weft_unlock(&core->lock);
}
