// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - grants: the bytes of long messages that each sender may send, over all remote nodes
 *
 * All senders share the link to a node and do not know each other, so the receiver grants the bytes
 * that may be under way. While all messages come from one node, its congestion window limits it. It
 * is granted two windows of memory, but only one of a message of which nothing has come yet. With
 * several nodes, grant_bytes are under way in all. With six or more messages, each one has an
 * eighth of them, so a sender that is busy elsewhere does not leave the link idle. The message with
 * the least left is granted first (classes by powers of four). Within a class the flows take turns,
 * and the messages of a flow go one after the other: a program that posts a thousand messages has
 * the first one soon. Each eighth grant is for the class with the most left, so that no message
 * starves.
 *
 *	         join
 *	           v
 *	waiting <----> granted, no more for now --all bytes given, all come--> leave
 *	           ^     |
 *	     bytes |     v no byte for path->bulk.stall
 *	          stalled (does not count)
 *
 * Bytes granted to a single sender before others came do not count against the others
 * (path->bulk.gspare).
 *
 * These limits are for bytes that may wait in queues. On a long way many bytes are always between
 * the nodes: as many as come in a round trip. The limits grow by that number (path->bulk.far).
 *
 * A message with new grants is put into out->grant, and weft_flush() processes its path. At most
 * eight are granted at a time. While messages wait, the path of one of them (the keeper) has a
 * timer, which finds stalled messages.
 *
 * Locks: path->lock, held by the caller; core->grants.lock protects the state here and is taken
 * inside.
 */
#include "core/bulk/bulk.h"

/**
 * weft_grants_init - initialize the grants of a port
 * @g: zeroed
 */
void weft_grants_init(struct weft_grants *g)
{
	weft_lock_init(&g->lock, WEFT_RANK_LEAF);
	weft_lists_init(g->wait, WEFT_GRANT_CLASSES);
	weft_list_init(&g->busy);
}

/* Limits of the bytes under way: of all messages, of one message, of one grant. */
struct weft_grant_limits {
	u64 all;
	u64 one;
	u64 quantum;
};

static struct weft_grant_limits weft_grant_limits(const struct weft_core *core)
{
	const struct weft_grants *g = &core->grants;
	const struct weft_conf *conf = &core->conf;
	struct weft_grant_limits l;

	if (g->npaths < 2) {
		l.all = 2ull * conf->window_bytes + g->far;
		l.one = l.all;
		l.quantum = conf->window_bytes;
	} else {
		l.all = conf->grant_bytes + g->far;
		l.one = l.all >> min_t(u32, g->nmsgs / 2, 3);
		l.quantum = max_t(u64, l.one / 2, 1);
	}
	return l;
}

static u32 weft_grant_class(u64 left)
{
	return min_t(u32, (fls64(left >> 12) + 1) / 2, WEFT_GRANT_CLASSES - 1);
}

/* The turn of a message in class @class: the messages of a flow have the same one. */
static struct weft_gturn *weft_grant_turn(struct weft_rxm *rxm, u32 class)
{
	u16 hash = rxm->id.ssvc * 0x9e37 + rxm->id.dsvc * 0x85eb;

	return &rxm->path->bulk.turn[class][hash * WEFT_GRANT_TURNS >> 16];
}

/* Remove a message from its turn. The next turn of the class is that of other flows. */
static void weft_grant_unlist(struct weft_grants *g, struct weft_gmsg *m)
{
	struct weft_gturn *t = m->turn;

	if (!t)
		return;
	m->turn = NULL;
	weft_list_del(&m->wait);
	weft_list_del(&t->node);
	if (!weft_list_empty(&t->msgs))
		weft_list_add_tail(&g->wait[m->class], &t->node);
	else if (weft_list_empty(&g->wait[m->class]))
		g->map &= ~(1u << m->class);
}

/*
 * The place of a message in its turn: a message that has begun is granted to its end before the
 * next one begins, and several that have begun stand in their order.
 */
static struct weft_list *weft_grant_place(struct weft_gturn *t, const struct weft_gmsg *m)
{
	struct weft_list *l = t->msgs.next;
	const struct weft_gmsg *o;
	u32 i;

	if (!m->begun)
		return &t->msgs;
	for (i = 0; i < WEFT_GRANT_BEGUN && l != &t->msgs; i++, l = l->next) {
		o = weft_entry(l, struct weft_gmsg, wait);
		if (!o->begun || (s32)(o->seq - m->seq) > 0)
			break;
	}
	return l;
}

/* Put a message on the waiting list, if it may have more grants. */
static void weft_grant_list(struct weft_core *core, struct weft_rxm *rxm)
{
	struct weft_grant_limits l = weft_grant_limits(core);
	struct weft_grants *g = &core->grants;
	struct weft_gmsg *m = &rxm->bulk.gmsg;
	u64 left = rxm->bulk.room - m->given;
	struct weft_gturn *t;

	if (!left || m->stalled || m->turn ||
	    (m->out && m->out + min(left, l.quantum) > l.one))
		return;
	/* nothing of it has come: leave a share for a second node that may come meanwhile */
	if (g->npaths < 2 && m->out && m->out == m->given)
		return;
	m->class = weft_grant_class(left);
	t = weft_grant_turn(rxm, m->class);
	m->turn = t;
	weft_list_add_tail(weft_grant_place(t, m), &m->wait);
	if (weft_list_empty(&t->node))
		weft_list_add_tail(&g->wait[m->class], &t->node);
	g->map |= 1u << m->class;
}

/* Remove @n bytes from the count, which have come or will not come. */
static void weft_grant_uncount(struct weft_grants *g, struct weft_rxm *rxm, u64 n)
{
	struct weft_gmsg *m = &rxm->bulk.gmsg;
	u64 spare;

	n = min(n, m->out);
	m->out -= n;
	spare = min(n, rxm->path->bulk.gspare);
	rxm->path->bulk.gspare -= spare;
	g->out -= n - spare;
	if (!m->out)
		weft_list_del(&m->busy);
}

/* Stop counting the message that has been silent longest. Return: true if it is stalled. */
static bool weft_grant_give_up(struct weft_grants *g, weft_ns now)
{
	struct weft_list *l = weft_list_first(&g->busy);
	struct weft_rxm *rxm;

	if (!l)
		return false;
	rxm = container_of(weft_entry(l, struct weft_gmsg, busy), struct weft_rxm, bulk.gmsg);
	if (weft_since(now, rxm->bulk.gmsg.at) < rxm->path->bulk.stall)
		return false;
	rxm->bulk.gmsg.stalled = true;
	weft_grant_unlist(g, &rxm->bulk.gmsg);
	weft_grant_uncount(g, rxm, rxm->bulk.gmsg.out);
	return true;
}

/* The next message of a class that has some. */
static struct weft_rxm *weft_grant_next(const struct weft_grants *g, u32 class)
{
	struct weft_gturn *t;
	struct weft_gmsg *m;

	t = weft_entry(weft_list_first(&g->wait[class]), struct weft_gturn, node);
	m = weft_entry(weft_list_first(&t->msgs), struct weft_gmsg, wait);
	return container_of(m, struct weft_rxm, bulk.gmsg);
}

/* Have weft_flush() process the path of a message. */
static void weft_grant_ready(struct weft_rxm *rxm, struct weft_out *out)
{
	if (!weft_list_empty(&rxm->bulk.gmsg.ready))
		return;
	weft_rxm_get(rxm);
	weft_list_add_tail(&out->grant, &rxm->bulk.gmsg.ready);
}

/* Grant all bytes that the limits allow; the caller processes @own itself. */
static void weft_grant_pick(struct weft_core *core, const struct weft_rxm *own,
			    struct weft_out *out)
{
	struct weft_grant_limits l = weft_grant_limits(core);
	struct weft_grants *g = &core->grants;
	struct weft_gmsg *m;
	struct weft_rxm *rxm;
	u32 i, class;
	u64 n;

	for (i = 0; i < WEFT_GRANT_PICKS && g->map; i++) {
		class = (g->turn + 1) % WEFT_GRANT_EACH ? __ffs(g->map) : fls64(g->map) - 1;
		rxm = weft_grant_next(g, class);
		m = &rxm->bulk.gmsg;
		n = min(rxm->bulk.room - m->given, l.quantum);
		if (g->out && g->out + n > l.all) {
			if (weft_grant_give_up(g, out->now))
				continue;
			break;
		}
		weft_grant_unlist(g, m);
		/* other messages may have joined since: this one waits for its bytes first */
		if (m->out && m->out + n > l.one)
			continue;
		g->turn++;
		g->out += n;
		m->begun = true;
		m->given += n;
		m->out += n;
		m->at = out->now;
		weft_list_del(&m->busy);
		weft_list_add_tail(&g->busy, &m->busy);
		weft_grant_list(core, rxm);
		if (rxm != own)
			weft_grant_ready(rxm, out);
	}
	if (g->map && !g->keeper) {
		g->keeper = weft_grant_next(g, __ffs(g->map));
		weft_grant_ready(g->keeper, out);
	}
}

/* A message has no sign of a stall before its sender can have answered a grant. */
static void weft_grant_patience(struct weft_path *path)
{
	path->bulk.stall = max_t(weft_ns, WEFT_GRANT_STALL,
				 2 * path->class[WEFT_CLASS_FIRST].srtt);
}

/*
 * @n granted bytes have come: measure how many come in a round trip. A pause measures nothing, nor
 * does a run that takes longer than a round trip.
 */
static void weft_grant_measure(struct weft_grants *g, struct weft_path *path, u64 n, weft_ns now)
{
	struct weft_path_bulk *b = &path->bulk;
	weft_ns took = weft_since(now, b->round_at);

	if (!weft_path_far(path) || !b->ngrant)
		return;
	b->came += n;
	if (took < path->rtt_min)
		return;
	if (took < 2 * path->rtt_min) {
		g->far -= b->far;
		b->far = min_t(u64, b->came, WEFT_GRANT_FAR);
		g->far += b->far;
	}
	b->came = 0;
	b->round_at = now;
}

/* A second node wants to send: the first one has been granted more than its share. */
static void weft_grant_share(struct weft_core *core)
{
	struct weft_grants *g = &core->grants;
	struct weft_list *l = weft_list_first(&g->busy);
	u64 part = core->conf.grant_bytes / 4;
	struct weft_rxm *rxm;

	if (!l || g->out <= part)
		return;
	rxm = container_of(weft_entry(l, struct weft_gmsg, busy), struct weft_rxm, bulk.gmsg);
	rxm->path->bulk.gspare += g->out - part;
	g->out = part;
}

/**
 * weft_grant_join - add an announced message that has its receive
 * @rxm: the message, with bytes to be placed; its path is locked
 * @out: output
 */
void weft_grant_join(struct weft_rxm *rxm, struct weft_out *out)
{
	struct weft_core *core = rxm->path->core;
	struct weft_grants *g = &core->grants;

	weft_assert_held(&rxm->path->lock);
	weft_lock(&g->lock);
	rxm->bulk.gmsg.in = true;
	rxm->bulk.gmsg.seq = g->joined++;
	g->nmsgs++;
	if (!rxm->path->bulk.ngrant++) {
		g->far += rxm->path->bulk.far;
		if (++g->npaths == 2)
			weft_grant_share(core);
	}
	weft_grant_patience(rxm->path);
	weft_grant_list(core, rxm);
	weft_grant_pick(core, rxm, out);
	rxm->bulk.allowed = rxm->bulk.gmsg.given;
	weft_unlock(&g->lock);
}

/**
 * weft_grant_came - count granted bytes of a message that have come
 * @rxm: the message; its path is locked
 * @n: number of bytes
 * @out: output
 */
void weft_grant_came(struct weft_rxm *rxm, u64 n, struct weft_out *out)
{
	struct weft_core *core = rxm->path->core;
	struct weft_grants *g = &core->grants;
	struct weft_gmsg *m = &rxm->bulk.gmsg;

	weft_assert_held(&rxm->path->lock);
	weft_lock(&g->lock);
	weft_grant_uncount(g, rxm, n);
	weft_grant_patience(rxm->path);
	weft_grant_measure(g, rxm->path, n, out->now);
	m->at = out->now;
	m->stalled = false;
	if (m->out) {
		weft_list_del(&m->busy);
		weft_list_add_tail(&g->busy, &m->busy);
	}
	weft_grant_list(core, rxm);
	if (g->map)
		weft_grant_pick(core, NULL, out);
	weft_unlock(&g->lock);
}

/**
 * weft_grant_leave - remove a message that is over
 * @rxm: the message; its path is locked
 * @out: output
 */
void weft_grant_leave(struct weft_rxm *rxm, struct weft_out *out)
{
	struct weft_core *core = rxm->path->core;
	struct weft_grants *g = &core->grants;
	struct weft_gmsg *m = &rxm->bulk.gmsg;

	weft_assert_held(&rxm->path->lock);
	if (!m->in)
		return;
	weft_lock(&g->lock);
	m->in = false;
	weft_grant_unlist(g, m);
	weft_grant_uncount(g, rxm, m->out);
	g->nmsgs--;
	if (!--rxm->path->bulk.ngrant) {
		g->far -= rxm->path->bulk.far;
		g->npaths--;
	}
	if (g->keeper == rxm)
		g->keeper = NULL;
	if (g->map)
		weft_grant_pick(core, NULL, out);
	weft_unlock(&g->lock);
}

/**
 * weft_grant_timer - process the timer of the keeper's path
 * @path: the path, locked; path->bulk.grant_at has passed
 * @out: output
 */
void weft_grant_timer(struct weft_path *path, struct weft_out *out)
{
	struct weft_grants *g = &path->core->grants;

	weft_assert_held(&path->lock);
	path->bulk.grant_at = U64_MAX;
	weft_lock(&g->lock);
	if (g->keeper && g->keeper->path == path)
		g->keeper = NULL;
	weft_grant_pick(path->core, NULL, out);
	weft_unlock(&g->lock);
}

/**
 * weft_grant_flush - process the paths of messages with new grants
 * @out: output; no lock is held
 */
void weft_grant_flush(struct weft_out *out)
{
	struct weft_grants *g = &out->core->grants;
	struct weft_list *l;

	while ((l = weft_list_first(&out->grant))) {
		struct weft_gmsg *m = weft_entry(l, struct weft_gmsg, ready);
		struct weft_rxm *rxm = container_of(m, struct weft_rxm, bulk.gmsg);
		struct weft_path *path = rxm->path;
		bool keeps;
		u64 given;

		weft_path_get(path);
		weft_lock(&path->lock);
		weft_lock(&g->lock);
		weft_list_del(l);
		given = m->given;
		keeps = g->keeper == rxm;
		weft_unlock(&g->lock);
		if (keeps) {
			path->bulk.grant_at = out->now + WEFT_GRANT_STALL;
			weft_path_deadline(path, path->bulk.grant_at);
		}
		if (given != rxm->bulk.allowed) {
			rxm->bulk.allowed = given;
			weft_rxm_step(rxm, out);
			weft_path_output(path, out);
		}
		weft_unlock(&path->lock);
		weft_rxm_put(rxm);
		weft_path_put(path);
	}
}

/**
 * weft_grant_chunk - write the chunks of a received message: GRANT, DONE
 * @rxm: the message; its path is locked
 * @dst: buffer
 * @room: size of the buffer
 *
 * Return: bytes written, 0: not enough space, or no chunk.
 */
u32 weft_grant_chunk(struct weft_rxm *rxm, u8 *dst, u32 room)
{
	u32 n = 0;

	weft_assert_held(&rxm->path->lock);
	if (room < weft_wire_size(sizeof(struct weft_w_grant)) +
			   weft_wire_size(sizeof(struct weft_w_done)))
		return 0;
	if (rxm->bulk.send_grant && !rxm->bulk.send_done)
		n += weft_wire_grant_put(dst, rxm->sid, rxm->bulk.rid, rxm->bulk.granted);
	if (rxm->bulk.send_done)
		n += weft_wire_done_put(dst + n, &rxm->id, rxm->sid, rxm->bulk.done,
					rxm->flags & WEFT_MSG_MATCHED ? WEFT_DONE_MATCHED :
									WEFT_DONE_PLACED);
	rxm->bulk.send_grant = false;
	rxm->bulk.send_done = false;
	return n;
}
