// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - references and deadlines of a path, and what it has of the layers above transport/
 *
 * The tables of a core hold one reference (transport/path.c). The last put frees the path.
 *
 * Locks: none for references; path->lock, held by the caller, for all else.
 */
#include "core/object/object.h"

void weft_path_get(struct weft_path *path)
{
	refcount_inc(&path->ref);
}

void weft_path_put(struct weft_path *path)
{
	weft_path_put_many(path, 1);
}

/**
 * weft_path_put_many - drop references
 * @path: the path
 * @n: number of references, not 0
 */
void weft_path_put_many(struct weft_path *path, u32 n)
{
	struct weft_list *l;

	if (!refcount_sub_and_test((int)n, &path->ref))
		return;
	weft_env_path_close(path);
	while ((l = weft_list_first(&path->recs))) {
		weft_list_del(l);
		weft_free(weft_entry(l, struct weft_rec, node));
	}
	weft_idtable_exit(&path->flow.ids);
	weft_idtable_exit(&path->flow.rflows);
	weft_idtable_exit(&path->msg.sids);
	weft_idtable_exit(&path->msg.rids);
	weft_idtable_exit(&path->msg.gets);
	weft_idtable_exit(&path->msg.psids);
	weft_idtable_exit(&path->cm.peers);
	weft_free(path->msg.spare);
	weft_free(path->known);
	weft_free(path->bits);
	weft_free(path->mtu);
	weft_free_rcu(path, rcu);
}

static void weft_gturns_init(struct weft_path_bulk *b)
{
	u32 class, i;

	for (class = 0; class < WEFT_GRANT_CLASSES; class++)
		for (i = 0; i < WEFT_GRANT_TURNS; i++) {
			weft_list_init(&b->turn[class][i].node);
			weft_list_init(&b->turn[class][i].msgs);
		}
}

/**
 * weft_path_parts - initialize what the layers above transport/ keep in a path
 * @path: the path, zeroed
 */
void weft_path_parts(struct weft_path *path)
{
	u32 salt = (u32)path->core->key[0];

	path->bulk.grant_at = U64_MAX;
	weft_gturns_init(&path->bulk);
	path->flow.credit_at = U64_MAX;
	weft_list_init(&path->msg.later);
	weft_list_init(&path->msg.dgrams);
	weft_list_init(&path->flow.starved);
	weft_list_init(&path->flow.list);
	weft_timeq_init(&path->flow.closing);
	weft_timeq_init(&path->flow.again);
	weft_list_init(&path->msg.rxms);
	weft_list_init(&path->msg.refusing);
	path->msg.refuse_at = U64_MAX;
	weft_list_init(&path->cm.conns);
	weft_timeq_init(&path->cm.until);
	weft_idtable_init(&path->cm.peers, salt);
	weft_list_init(&path->flow.rlist);
	weft_idtable_init(&path->flow.ids, salt);
	weft_idtable_init(&path->flow.rflows, salt);
	weft_idtable_init(&path->msg.sids, salt);
	weft_idtable_init(&path->msg.rids, salt);
	weft_idtable_init(&path->msg.gets, salt);
	weft_idtable_init(&path->msg.psids, salt);
}

/**
 * weft_path_used - check for messages, connections and a probe on a path
 * @path: the path, locked
 *
 * Return: true if a message, a datagram, a connection or a probe of this node is under way.
 */
bool weft_path_used(const struct weft_path *path)
{
	weft_assert_held(&path->lock);
	return path->nwait || path->nrxm || !weft_list_empty(&path->cm.conns) ||
	       !weft_list_empty(&path->msg.dgrams) || weft_path_probed(path);
}

/* Return: true if endpoints of this node have flows on the path, which is locked. */
bool weft_path_flows(const struct weft_path *path)
{
	weft_assert_held(&path->lock);
	return !weft_list_empty(&path->flow.list);
}

/**
 * weft_path_senders - count the flows of a path that have packets under way
 * @path: the path, locked
 * @lane: their lane of each class
 * @most: count no more than this
 *
 * Looks at WEFT_PATH_LOOKS flows at most. Return: their number.
 */
u32 weft_path_senders(const struct weft_path *path, u8 lane, u32 most)
{
	u32 looks = WEFT_PATH_LOOKS, n = 0;
	struct weft_list *l;

	weft_assert_held(&path->lock);
	weft_list_for_each(l, &path->flow.list) {
		const struct weft_flow *flow = weft_entry(l, const struct weft_flow, node);

		if (n == most || !looks--)
			break;
		n += flow->lane == lane && flow->unacked;
	}
	return n;
}

/**
 * weft_path_auth - make the authentication codes of all flows on a path that is UP now
 * @path: the path, locked
 */
void weft_path_auth(struct weft_path *path)
{
	struct weft_list *l;

	weft_assert_held(&path->lock);
	weft_list_for_each(l, &path->flow.list)
		weft_flow_auth(weft_entry(l, struct weft_flow, node));
}

/**
 * weft_path_tidy - have the endpoints close their flows on an idle path
 * @path: the path, locked
 * @out: output
 */
void weft_path_tidy(struct weft_path *path, struct weft_out *out)
{
	struct weft_list *l;

	weft_assert_held(&path->lock);
	weft_list_for_each(l, &path->flow.list) {
		struct weft_ep *ep = weft_entry(l, struct weft_flow, node)->ep;

		weft_lock(&ep->lock);
		if (!ep->tidy_work.queued && ep->state != WEFT_EPS_DEAD) {
			ep->tidy_work.queued = true;
			weft_ep_get(ep);
			weft_list_add_tail(&out->deferred, &ep->tidy_work.node);
		}
		weft_unlock(&ep->lock);
	}
}

/**
 * weft_path_deadline - have the timer of a path expire not later than @at
 * @path: the path, locked
 * @at: time
 */
void weft_path_deadline(struct weft_path *path, weft_ns at)
{
	weft_assert_held(&path->lock);
	if (at >= path->timer_at)
		return;
	path->timer_at = at;
	weft_env_timer(path, at);
}

/**
 * weft_path_timed - have the timer of a path look at an object
 * @path: the path, locked
 * @q: the objects' queue: path->flow.closing, path->flow.again, path->cm.until
 * @node: the object's place in it
 * @at: when
 */
void weft_path_timed(struct weft_path *path, struct weft_timeq *q, struct weft_timeq_node *node,
		     weft_ns at)
{
	weft_assert_held(&path->lock);
	weft_timeq_set(q, node, at);
	if (path->state != WEFT_PATHS_DEAD)
		weft_path_deadline(path, at);
}

/**
 * weft_path_needs - count something that needs a live peer, and check that the peer lives
 * @path: the path, locked; the caller decrements path->nwait later
 * @now: time
 */
void weft_path_needs(struct weft_path *path, weft_ns now)
{
	weft_assert_held(&path->lock);
	if (!path->nwait++ && path->state == WEFT_PATHS_UP && !path->local)
		weft_path_deadline(path, now + path->core->conf.keepalive_ns);
}

/**
 * weft_path_go_on - have weft_flush() process a path
 * @path: the path, locked
 * @out: output
 */
void weft_path_go_on(struct weft_path *path, struct weft_out *out)
{
	weft_assert_held(&path->lock);
	if (path->in_more)
		return;
	path->in_more = true;
	weft_path_get(path);
	weft_list_add_tail(&out->more, &path->more);
}

/**
 * weft_path_fail - mark a path as failing
 * @path: the path, locked
 * @err: errno for operations under way
 * @out: output: weft_flush() buries the path
 */
void weft_path_fail(struct weft_path *path, int err, struct weft_out *out)
{
	weft_assert_held(&path->lock);
	if (path->failing || path->local)
		return;
	path->failing = err;
	weft_path_go_on(path, out);
}

/**
 * weft_path_note - report what has become of a path
 * @path: the path, locked; within the node and to a group nothing is reported
 * @kind: what
 * @err: errno, positive, 0: none
 * @from: a former value
 * @to: the present value, or a number of messages
 */
void weft_path_note(struct weft_path *path, enum weft_note_kind kind, int err, u64 from, u64 to)
{
	struct weft_note note = {
		.kind = kind, .err = err, .uid = WEFT_NOTE_NO_UID, .from = from, .to = to,
		.addr = &path->node.addr,
	};

	weft_assert_held(&path->lock);
	if (!path->local && !path->group)
		weft_env_note(path->core, &note);
}

/* Return: true if a rendezvous under way or in a queue has this number. */
static bool weft_path_id_used(struct weft_path *path, u32 id)
{
	const struct weft_list *l;

	weft_list_for_each(l, weft_idtable_chain(&path->msg.sids, id))
		if (weft_entry(l, const struct weft_txm, bulk.idnode.list)->sid == id)
			return true;
	weft_list_for_each(l, weft_idtable_chain(&path->msg.rids, id))
		if (weft_entry(l, const struct weft_rxm, bulk.rnode.list)->bulk.rid == id)
			return true;
	weft_list_for_each(l, weft_idtable_chain(&path->msg.gets, id))
		if (weft_entry(l, const struct weft_txm, bulk.gnode.list)->bulk.rid == id)
			return true;
	return false;
}

/**
 * weft_path_new_id - get a number for a rendezvous
 * @path: the path, locked
 * @kind: 0, or WEFT_RMA_ID: of a read
 *
 * Return: the number with that bit, not 0 without it; a number is used again only after about 2^31
 * others, and if it is free.
 */
u32 weft_path_new_id(struct weft_path *path, u32 kind)
{
	u32 id = path->msg.next_id;

	weft_assert_held(&path->lock);
	do {
		id = (id + 1) & ~WEFT_RMA_ID;
		if (unlikely(!id)) {
			path->msg.ids_again = true;
			id++;
		}
	} while (unlikely(path->msg.ids_again) && weft_path_id_used(path, id | kind));
	path->msg.next_id = id;
	return id | kind;
}
