// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - tag matching: posted receives and unexpected messages of one endpoint
 *
 * The hash tables begin small. The caller makes them larger (weft_match_grow()) when their chains
 * become long; it allocates the memory without a lock.
 *
 * Locks: ep->lock or srq->lock, held by the caller, except for init and fini.
 */
#include "core/base/match.h"

/* ---- Hash tables of rings of equal keys ------------------------------ */

static int weft_mhash_init(struct weft_mhash *h, u32 want)
{
	u32 i;

	h->bits = ilog2(roundup_pow_of_two(clamp_t(u32, want, 16, WEFT_RING_MAX)));
	h->chains = weft_alloc_sleep(sizeof(*h->chains) << h->bits);
	if (!h->chains)
		return -ENOMEM;
	for (i = 0; i < 1u << h->bits; i++)
		weft_list_init(&h->chains[i]);
	return 0;
}

/*
 * The mix is cheap rather than strong. Only the endpoint's program and its peers choose the tags,
 * so long chains slow down only that program. The secret prevents that they are built on purpose.
 */
static inline struct weft_list *weft_mhash_chain(const struct weft_match *m,
						 const struct weft_mhash *h,
						 u8 kind, u32 src, u64 tag, u64 ignore)
{
	u64 x = (tag ^ m->secret) * 0x9e3779b97f4a7c15ULL;

	x ^= x >> 32;
	x += ignore * 0x9fb21c651e98df25ULL;
	x = (x + ((u64)src << 1 | kind) + m->secret) * 0xd6e8feb86659fd93ULL;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ULL;
	return &h->chains[x >> (64 - h->bits)];
}

static void weft_mkey_init(struct weft_mkey *k)
{
	weft_list_init(&k->chain);
	weft_list_init(&k->same);
	k->lead = false;
}

/* Insert @k behind the others of its key, whose oldest one is @lead, or as the first one. */
static void weft_mkey_add(struct weft_list *chain, struct weft_mkey *lead, struct weft_mkey *k)
{
	weft_mkey_init(k);
	if (lead) {
		weft_list_add_tail(&lead->same, &k->same);
		return;
	}
	k->lead = true;
	weft_list_add_tail(chain, &k->chain);
}

/* Remove @k. If it was the oldest of its key, the next one replaces it in the chain. */
static void weft_mkey_del(struct weft_mkey *k)
{
	if (k->lead) {
		if (!weft_list_empty(&k->same)) {
			struct weft_mkey *next = weft_entry(k->same.next, struct weft_mkey, same);

			next->lead = true;
			weft_list_add(&k->chain, &next->chain);
		}
		k->lead = false;
		weft_list_del(&k->chain);
	}
	weft_list_del(&k->same);
}

/* Find the oldest receive of a key in its chain. */
static inline struct weft_mpost *weft_post_in(struct weft_match *m, struct weft_list *chain,
					      u8 kind, u32 src, u64 tag, u64 ignore)
{
	struct weft_list *l;

	weft_list_for_each(l, chain) {
		struct weft_mpost *p = weft_entry(l, struct weft_mpost, key.chain);

		m->looked++;
		if (!((p->tag ^ tag) & ~ignore) && p->ignore == ignore && p->src == src &&
		    p->kind == kind)
			return p;
	}
	return NULL;
}

/* Return: the oldest receive with this ignore mask that takes a message, or @best if older. */
static inline struct weft_mpost *weft_post_oldest(struct weft_match *m, u8 kind, u32 src, u64 tag,
						  u64 ignore, struct weft_mpost *best)
{
	struct weft_mpost *p;

	tag &= ~ignore;
	p = weft_post_in(m, weft_mhash_chain(m, &m->bykey, kind, WEFT_SRC_ANY, tag, ignore), kind,
			 WEFT_SRC_ANY, tag, ignore);
	if (p && (!best || p->seq < best->seq))
		best = p;
	if (src == WEFT_SRC_ANY || !m->ndirected)
		return best;
	p = weft_post_in(m, weft_mhash_chain(m, &m->bykey, kind, src, tag, ignore), kind, src, tag,
			 ignore);
	return p && (!best || p->seq < best->seq) ? p : best;
}

/* Return: the oldest receive with this ignore mask, not 0, or NULL. */
static struct weft_mpost *weft_mask_find(struct weft_match *m, u8 kind, u64 ignore)
{
	struct weft_list *l;

	weft_list_for_each(l, &m->masks[kind]) {
		struct weft_mpost *p = weft_entry(l, struct weft_mpost, mask.chain);

		if (p->ignore == ignore)
			return p;
	}
	return NULL;
}

static struct weft_munexp *weft_bytag_find(struct weft_match *m, u8 kind, u64 tag)
{
	struct weft_list *chain = weft_mhash_chain(m, &m->bytag, kind, 0, tag, 0);
	struct weft_list *l;

	weft_list_for_each(l, chain) {
		struct weft_munexp *u = weft_entry(l, struct weft_munexp, bytag.chain);

		m->looked++;
		if (u->tag == tag && u->kind == kind)
			return u;
	}
	return NULL;
}

static struct weft_munexp *weft_bysrc_find(struct weft_match *m, u8 kind, u32 src, u64 tag)
{
	struct weft_list *chain = weft_mhash_chain(m, &m->bysrc, kind, src, tag, 0);
	struct weft_list *l;

	weft_list_for_each(l, chain) {
		struct weft_munexp *u = weft_entry(l, struct weft_munexp, bysrc.chain);

		m->looked++;
		if (u->tag == tag && u->src == src && u->kind == kind)
			return u;
	}
	return NULL;
}

/* ---- Creation and destruction ---------------------------------------- */

/**
 * weft_match_init - initialize an empty matching
 * @m: zeroed
 * @posts: number of posted receives for which the table is large enough at first
 * @unexp: the same of unexpected messages
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM (weft_match_fini() may be called).
 */
int weft_match_init(struct weft_match *m, u32 posts, u32 unexp)
{
	u32 i;

	m->secret = weft_random();
	m->seq = 1;
	weft_list_init(&m->posts);
	for (i = 0; i < WEFT_KINDS; i++) {
		weft_list_init(&m->masks[i]);
		weft_list_init(&m->unexp[i]);
	}
	if (weft_mhash_init(&m->bykey, posts) || weft_mhash_init(&m->bytag, unexp) ||
	    weft_mhash_init(&m->bysrc, unexp)) {
		weft_match_fini(m);
		return -ENOMEM;
	}
	return 0;
}

/**
 * weft_match_fini - free the tables
 * @m: empty on both sides
 */
void weft_match_fini(struct weft_match *m)
{
	WARN_ON_ONCE(m->nposts || m->nunexp);
	weft_free(m->bykey.chains);
	weft_free(m->bytag.chains);
	weft_free(m->bysrc.chains);
	m->bykey.chains = NULL;
	m->bytag.chains = NULL;
	m->bysrc.chains = NULL;
}

/* ---- Growth of the tables -------------------------------------------- */

/* The tables grow in steps of this factor's logarithm. */
#define WEFT_MATCH_STEP	2

static bool weft_mhash_crowded(struct weft_mhash *h, u32 n, struct weft_mgrow *grow)
{
	u32 most = ilog2(WEFT_RING_MAX);

	if (n >> h->bits <= WEFT_MATCH_LOAD || h->bits >= most)
		return false;
	grow->h = h;
	grow->from = h->bits;
	grow->bits = min(h->bits + WEFT_MATCH_STEP, most);
	grow->more = (sizeof(*h->chains) << grow->bits) - (sizeof(*h->chains) << h->bits);
	return true;
}

/**
 * weft_match_crowded - find a table whose chains are long
 * @m: the endpoint's matching
 * @grow: out: the table, for weft_match_grow()
 *
 * Return: true if there is one that may grow.
 */
bool weft_match_crowded(struct weft_match *m, struct weft_mgrow *grow)
{
	return weft_mhash_crowded(&m->bykey, m->nposts, grow) ||
	       weft_mhash_crowded(&m->bytag, m->nunexp, grow) ||
	       weft_mhash_crowded(&m->bysrc, m->nunexp, grow);
}

/* Insert a node into the chain of its key, if it is the oldest of that key. */
static void weft_mkey_move(struct weft_match *m, struct weft_mhash *h, struct weft_mkey *k,
			   u8 kind, u32 src, u64 tag, u64 ignore)
{
	if (k->lead)
		weft_list_add_tail(weft_mhash_chain(m, h, kind, src, tag, ignore), &k->chain);
}

/**
 * weft_match_grow - give a table more chains
 * @m: the endpoint's matching
 * @grow: the table, of weft_match_crowded()
 * @chains: memory of 1 << @grow->bits chains
 *
 * The work is bounded by the number of nodes in the table.
 *
 * Return: memory that the caller frees: the old chains, or @chains when the table has grown since.
 */
struct weft_list *weft_match_grow(struct weft_match *m, const struct weft_mgrow *grow,
				  struct weft_list *chains)
{
	struct weft_mhash *h = grow->h;
	struct weft_list *old = h->chains, *l;
	u32 i;

	if (h->bits != grow->from)
		return chains;
	h->bits = grow->bits;
	h->chains = chains;
	for (i = 0; i < 1u << h->bits; i++)
		weft_list_init(&h->chains[i]);
	if (h == &m->bykey) {
		weft_list_for_each(l, &m->posts) {
			struct weft_mpost *p = weft_entry(l, struct weft_mpost, order);

			weft_mkey_move(m, h, &p->key, p->kind, p->src, p->tag & ~p->ignore,
				       p->ignore);
		}
		return old;
	}
	for (i = 0; i < WEFT_KINDS; i++) {
		weft_list_for_each(l, &m->unexp[i]) {
			struct weft_munexp *u = weft_entry(l, struct weft_munexp, order);

			if (h == &m->bytag)
				weft_mkey_move(m, h, &u->bytag, u->kind, 0, u->tag, 0);
			else
				weft_mkey_move(m, h, &u->bysrc, u->kind, u->src, u->tag, 0);
		}
	}
	return old;
}

/* ---- Posted receives ------------------------------------------------- */

/**
 * weft_match_post - post a receive behind all others
 * @m: the endpoint's matching
 * @p: the receive; kind, src, tag, ignore are set
 *
 * The caller has called weft_match_find() and found no unexpected message that fits.
 *
 * Return: true; false: the receives have WEFT_MATCH_MASKS other ignore masks, and @p is not posted.
 * A receive that ignores no bit or all bits is always posted.
 */
bool weft_match_post(struct weft_match *m, struct weft_mpost *p)
{
	u64 tag = p->tag & ~p->ignore;
	struct weft_list *chain = weft_mhash_chain(m, &m->bykey, p->kind, p->src, tag, p->ignore);
	struct weft_mpost *lead;

	if (p->ignore) {
		lead = weft_mask_find(m, p->kind, p->ignore);
		if (!lead && ~p->ignore && m->nmasks[p->kind] >= WEFT_MATCH_MASKS)
			return false;
		weft_mkey_add(&m->masks[p->kind], lead ? &lead->mask : NULL, &p->mask);
		m->nmasks[p->kind] += !lead;
	}
	lead = weft_post_in(m, chain, p->kind, p->src, tag, p->ignore);
	weft_mkey_add(chain, lead ? &lead->key : NULL, &p->key);
	p->seq = m->seq++;
	p->in = true;
	weft_list_add_tail(&m->posts, &p->order);
	m->ndirected += p->src != WEFT_SRC_ANY;
	m->nposts++;
	return true;
}

/**
 * weft_match_post_del - remove a receive, if it is posted
 * @m: the endpoint's matching
 * @p: the receive; was zeroed or posted before
 */
void weft_match_post_del(struct weft_match *m, struct weft_mpost *p)
{
	if (!p->in)
		return;
	p->in = false;
	if (unlikely(m->look_post == p))
		m->look_post = weft_match_post_next(m, p);
	weft_list_del(&p->order);
	weft_mkey_del(&p->key);
	if (p->ignore) {
		/* the last receive with this mask */
		m->nmasks[p->kind] -= p->mask.lead && weft_list_empty(&p->mask.same);
		weft_mkey_del(&p->mask);
	}
	m->nposts--;
	m->ndirected -= p->src != WEFT_SRC_ANY;
}

/**
 * weft_match_posted - find the receive for a message; it stays posted
 * @m: the endpoint's matching
 * @kind: WEFT_TAGGED or WEFT_UNTAGGED
 * @src: the sender's index, WEFT_SRC_ANY: unknown
 * @tag: the message's tag, 0 when untagged
 *
 * Two lookups for each ignore mask whose oldest receive is older than the best one so far.
 *
 * Return: the oldest receive that fits, or NULL.
 */
struct weft_mpost *weft_match_posted(struct weft_match *m, u8 kind, u32 src, u64 tag)
{
	struct weft_mpost *best = weft_post_oldest(m, kind, src, tag, 0, NULL);
	struct weft_list *l;

	weft_list_for_each(l, &m->masks[kind]) {
		struct weft_mpost *p = weft_entry(l, struct weft_mpost, mask.chain);

		if (!best || p->seq < best->seq)
			best = weft_post_oldest(m, kind, src, tag, p->ignore, best);
	}
	return best;
}

/**
 * weft_match_arrive - find the receive for a message, and remove it
 * @m: the endpoint's matching
 * @kind: as in weft_match_posted()
 * @src: as in weft_match_posted()
 * @tag: as in weft_match_posted()
 *
 * Return: the oldest receive that fits, not posted any more unless it stays, or NULL.
 */
struct weft_mpost *weft_match_arrive(struct weft_match *m, u8 kind, u32 src, u64 tag)
{
	struct weft_mpost *best = weft_match_posted(m, kind, src, tag);

	if (best && likely(!best->stays))
		weft_match_post_del(m, best);
	return best;
}

/**
 * weft_match_post_next - iterate over posted receives in the order of posting
 * @m: the endpoint's matching
 * @p: the last one seen, NULL: begin
 *
 * Return: the next one or NULL.
 */
struct weft_mpost *weft_match_post_next(struct weft_match *m, struct weft_mpost *p)
{
	struct weft_list *l = p ? p->order.next : m->posts.next;

	return l == &m->posts ? NULL : weft_entry(l, struct weft_mpost, order);
}

/* Return: the node of a list at which the next search begins, NULL: the list is empty. */
static struct weft_list *weft_match_stop(const struct weft_list *head, struct weft_list *l)
{
	if (l == head)
		l = l->prev;
	return l == head ? NULL : l;
}

/*
 * Go along a list in order of numbers, from @l on, at most *@steps nodes: back, then forth.
 * *@steps: out: those that are left. Return: the first node with number @seq or a later one, or the
 * list's head; without steps left: as far as it has come.
 */
static struct weft_list *weft_match_seek(const struct weft_list *head, struct weft_list *l, u64 seq,
					 u64 (*number)(const struct weft_list *l), u32 *steps)
{
	for (; *steps && l->prev != head && number(l->prev) >= seq; --*steps)
		l = l->prev;
	for (; *steps && l != head && number(l) < seq; --*steps)
		l = l->next;
	return l;
}

static u64 weft_mpost_number(const struct weft_list *l)
{
	return weft_entry(l, const struct weft_mpost, order)->seq;
}

/**
 * weft_match_look_post - find a posted receive by its number
 * @m: the endpoint's matching
 * @seq: its number, 0: the oldest one
 * @steps: receives that may be passed; out: those that are left
 *
 * The search begins where the last one has stopped. So a series of calls for growing numbers passes
 * each receive once.
 *
 * Return: the oldest receive with this number or a later one. NULL with steps left: there is none;
 * NULL without: the next call goes on.
 */
struct weft_mpost *weft_match_look_post(struct weft_match *m, u64 seq, u32 *steps)
{
	struct weft_list *l = m->look_post && seq ? &m->look_post->order : m->posts.next, *stop;

	l = weft_match_seek(&m->posts, l, seq, weft_mpost_number, steps);
	stop = weft_match_stop(&m->posts, l);
	m->look_post = stop ? weft_entry(stop, struct weft_mpost, order) : NULL;
	return *steps && l != &m->posts ? m->look_post : NULL;
}

/* ---- Unexpected messages --------------------------------------------- */

static void weft_bysrc_add(struct weft_match *m, struct weft_munexp *u)
{
	struct weft_munexp *lead = weft_bysrc_find(m, u->kind, u->src, u->tag);

	weft_mkey_add(weft_mhash_chain(m, &m->bysrc, u->kind, u->src, u->tag, 0),
		      lead ? &lead->bysrc : NULL, &u->bysrc);
}

/**
 * weft_match_unexp_add - add an unexpected message behind all others
 * @m: the endpoint's matching
 * @u: the message; kind, src, tag are set
 */
void weft_match_unexp_add(struct weft_match *m, struct weft_munexp *u)
{
	struct weft_munexp *lead = weft_bytag_find(m, u->kind, u->tag);

	u->seq = m->seq++;
	u->in = true;
	weft_list_add_tail(&m->unexp[u->kind], &u->order);
	weft_mkey_add(weft_mhash_chain(m, &m->bytag, u->kind, 0, u->tag, 0),
		      lead ? &lead->bytag : NULL, &u->bytag);
	weft_bysrc_add(m, u);
	m->nunexp++;
}

/* Return: the oldest message of this kind or a later one, NULL: none. */
static struct weft_munexp *weft_match_unexp_first(struct weft_match *m, u8 kind)
{
	struct weft_munexp *u = NULL;

	for (; !u && kind < WEFT_KINDS; kind++)
		u = weft_match_unexp_next(m, kind, NULL);
	return u;
}

/* Return: the message after @u, first of its kind, then of later ones; NULL: none. */
static struct weft_munexp *weft_match_after(struct weft_match *m, struct weft_munexp *u)
{
	struct weft_munexp *next = weft_match_unexp_next(m, u->kind, u);

	return next ?: weft_match_unexp_first(m, u->kind + 1);
}

/**
 * weft_match_unexp_del - remove a message, if it is in the tables
 * @m: the endpoint's matching
 * @u: the message; was zeroed or added before
 */
void weft_match_unexp_del(struct weft_match *m, struct weft_munexp *u)
{
	if (!u->in)
		return;
	u->in = false;
	if (unlikely(m->at == u))
		m->at = weft_match_after(m, u);
	if (unlikely(m->look_unexp == u))
		m->look_unexp = weft_match_unexp_next(m, u->kind, u);
	weft_list_del(&u->order);
	weft_mkey_del(&u->bytag);
	weft_mkey_del(&u->bysrc);
	m->nunexp--;
}

/**
 * weft_match_rekey - begin to change the senders of all unexpected messages
 * @m: the endpoint's matching
 *
 * weft_match_rekey_next() changes one after the other, in the order of arrival, until m->at is
 * NULL. Until then weft_match_find() must not be called: a changed message is behind those of its
 * sender that have their turn later. Messages may be added, with their new sender, and removed. To
 * search the right place for each message instead would take quadratic time.
 */
void weft_match_rekey(struct weft_match *m)
{
	m->at = weft_match_unexp_first(m, 0);
}

/**
 * weft_match_rekey_next - change the sender of m->at, and advance
 * @m: the endpoint's matching
 * @src: the new index of the sender
 */
void weft_match_rekey_next(struct weft_match *m, u32 src)
{
	struct weft_munexp *u = m->at;

	weft_mkey_del(&u->bysrc);
	u->src = src;
	weft_bysrc_add(m, u);
	m->at = weft_match_after(m, u);
}

/**
 * weft_match_find - find the unexpected message for a receive; it stays in the tables
 * @m: the endpoint's matching
 * @kind: WEFT_TAGGED or WEFT_UNTAGGED
 * @src: the only sender, or WEFT_SRC_ANY
 * @tag: tag to match, 0 when untagged
 * @ignore: bits of the tag that are not compared
 *
 * Return: the oldest message that fits, or NULL.
 */
struct weft_munexp *weft_match_find(struct weft_match *m, u8 kind, u32 src, u64 tag, u64 ignore)
{
	struct weft_list *l;

	if (!ignore)
		return src == WEFT_SRC_ANY ? weft_bytag_find(m, kind, tag) :
					     weft_bysrc_find(m, kind, src, tag);
	weft_list_for_each(l, &m->unexp[kind]) {
		struct weft_munexp *u = weft_entry(l, struct weft_munexp, order);

		m->steps++;
		m->looked++;
		if (((u->tag ^ tag) & ~ignore) == 0 && (src == WEFT_SRC_ANY || u->src == src))
			return u;
	}
	return NULL;
}

/**
 * weft_match_unexp_next - iterate over unexpected messages in the order of arrival
 * @m: the endpoint's matching
 * @kind: WEFT_TAGGED or WEFT_UNTAGGED
 * @u: the last one seen, NULL: begin
 *
 * Return: the next one or NULL.
 */
struct weft_munexp *weft_match_unexp_next(struct weft_match *m, u8 kind, struct weft_munexp *u)
{
	struct weft_list *l = u ? u->order.next : m->unexp[kind].next;

	return l == &m->unexp[kind] ? NULL : weft_entry(l, struct weft_munexp, order);
}

static u64 weft_munexp_number(const struct weft_list *l)
{
	return weft_entry(l, const struct weft_munexp, order)->seq;
}

/**
 * weft_match_look_unexp - find an unexpected message by its number
 * @m: the endpoint's matching
 * @kind: WEFT_TAGGED or WEFT_UNTAGGED
 * @seq: its number, 0: the oldest one
 * @steps: messages that may be passed; out: those that are left
 *
 * Return: as weft_match_look_post().
 */
struct weft_munexp *weft_match_look_unexp(struct weft_match *m, u8 kind, u64 seq, u32 *steps)
{
	struct weft_list *head = &m->unexp[kind], *l = head->next, *stop;

	if (m->look_unexp && m->look_unexp->kind == kind && seq)
		l = &m->look_unexp->order;
	l = weft_match_seek(head, l, seq, weft_munexp_number, steps);
	stop = weft_match_stop(head, l);
	m->look_unexp = stop ? weft_entry(stop, struct weft_munexp, order) : NULL;
	return *steps && l != head ? m->look_unexp : NULL;
}
