/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - tag matching: posted receives and unexpected messages of one endpoint
 *
 * Nodes are embedded in their objects, so posting, arrival and matching allocate nothing. Tagged
 * and untagged messages never match each other. The caller holds ep->lock, or srq->lock for a
 * shared receive queue, for every call but init and fini.
 *
 * Receives are in a hash table by (kind, source or any, tag without ignored bits, ignored bits). A
 * message is looked up once for each set of ignored bits, the ignore mask, that receives have. The
 * oldest receive that is found takes the message. The number of masks is bounded, so that the
 * number of posted receives does not slow down a softirq, whatever they ignore.
 *
 * Unexpected messages are in two hash tables, by (kind, tag) and by (kind, source, tag), and in a
 * list per kind in order of arrival. Nodes with the same key form a ring. Only the oldest of them
 * is in the hash chain, so the length of a ring does not slow down searches.
 */
#ifndef WEFT_MATCH_H
#define WEFT_MATCH_H

#include "core/base/env.h"

#define WEFT_UNTAGGED	0
#define WEFT_TAGGED	1
#define WEFT_KINDS	2
#define WEFT_MATCH_LOAD	2	/* nodes for each chain of a table that does not grow */
#define WEFT_MATCH_MASKS	64	/* ignore masks of a kind, 0 and all bits aside */

/**
 * struct weft_mkey - membership in a hash table
 * @chain: in the chain of its hash value; only the oldest node of a key
 * @same: ring of the nodes with the same key, in order
 * @lead: the oldest one of its key
 */
struct weft_mkey {
	struct weft_list chain;
	struct weft_list same;
	bool lead;
};

/**
 * struct weft_mpost - a posted receive; part of the receiving object
 * @order: in match->posts, in order of posting
 * @key: in match->bykey
 * @mask: in match->masks[kind], if @ignore is not 0; its key is the ignore mask
 * @seq: order of posting; set by weft_match_post()
 * @tag: tag to match, 0 for untagged ones
 * @ignore: bits of the tag that are not compared, 0 for untagged ones
 * @src: the only sender, or WEFT_SRC_ANY
 * @kind: WEFT_TAGGED or WEFT_UNTAGGED
 * @in: posted
 * @stays: a match does not remove it
 */
struct weft_mpost {
	struct weft_list order;
	struct weft_mkey key;
	struct weft_mkey mask;
	u64 seq;
	u64 tag;
	u64 ignore;
	u32 src;
	u8 kind;
	bool in;
	bool stays;
};

/**
 * struct weft_munexp - an unexpected message; part of the message
 * @order: in match->unexp[kind], in order of arrival
 * @bytag: by kind and tag
 * @bysrc: by kind, source and tag
 * @seq: order of arrival; set by weft_match_unexp_add()
 * @tag: its tag, 0 for untagged ones
 * @src: its sender, WEFT_SRC_ANY: unknown to the endpoint: only receives from any source match it
 * @kind: WEFT_TAGGED or WEFT_UNTAGGED
 * @in: in the tables
 */
struct weft_munexp {
	struct weft_list order;
	struct weft_mkey bytag;
	struct weft_mkey bysrc;
	u64 seq;
	u64 tag;
	u32 src;
	u8 kind;
	bool in;
};

/**
 * struct weft_mhash - a hash table
 * @bits: logarithm of the number of chains
 * @chains: chains of leading nodes
 */
struct weft_mhash {
	u32 bits;
	struct weft_list *chains;
};

/**
 * struct weft_mgrow - a table that needs more chains
 * @h: the table
 * @from: @h->bits when it was found to need them
 * @bits: logarithm of the number of chains that it needs
 * @more: bytes that it takes then beyond those of today
 */
struct weft_mgrow {
	struct weft_mhash *h;
	u32 from;
	u32 bits;
	size_t more;
};

/**
 * struct weft_match - matching of one endpoint
 * @secret: secret of the hash: a program cannot predict chains, and can slow down only itself
 * @seq: next sequence number, of both sides
 * @posts: all posted receives
 * @masks: the oldest receive of each ignore mask but 0, without order
 * @bykey: receives by kind, source, tag without ignored bits, and ignore mask
 * @unexp: unexpected messages
 * @bytag: unexpected messages by kind and tag
 * @bysrc: unexpected messages by kind, source and tag
 * @at: weft_match_rekey() has begun: the first message that is not done; NULL: all are done
 * @look_post: the receive at which the last weft_match_look_post() has stopped, NULL: none
 * @look_unexp: the message at which the last weft_match_look_unexp() has stopped, NULL: none
 * @nposts: number of posted receives
 * @ndirected: receives that name their sender
 * @nunexp: number of unexpected messages
 * @nmasks: entries of @masks
 * @looked: messages and receives compared by all searches; wraps
 * @steps: messages and receives examined by searches through all of them (including the endpoint's
 *	own searches); wraps
 */
struct weft_match {
	u64 secret;
	u64 seq;
	struct weft_list posts;
	struct weft_list masks[WEFT_KINDS];
	struct weft_mhash bykey;
	struct weft_list unexp[WEFT_KINDS];
	struct weft_mhash bytag;
	struct weft_mhash bysrc;
	struct weft_munexp *at;
	struct weft_mpost *look_post;
	struct weft_munexp *look_unexp;
	u32 nposts;
	u32 ndirected;
	u32 nunexp;
	u32 nmasks[WEFT_KINDS];
	u32 looked;
	u32 steps;
};

/* @posts, @unexp: expected numbers. May sleep. Return: 0, -ENOMEM. */
int weft_match_init(struct weft_match *m, u32 posts, u32 unexp);
/*
 * Return: true if a table may be crowded: more than two nodes for each chain. It has room for more
 * chains.
 */
static inline bool weft_match_full(const struct weft_match *m)
{
	return unlikely(m->nposts >> m->bykey.bits > WEFT_MATCH_LOAD ||
			m->nunexp >> m->bytag.bits > WEFT_MATCH_LOAD);
}

/* Both sides are empty. Also allowed after a failed init. */
void weft_match_fini(struct weft_match *m);

/* Tables may grow: weft_match_crowded() says which one, the caller allocates its chains. */
bool weft_match_crowded(struct weft_match *m, struct weft_mgrow *grow);
struct weft_list *weft_match_grow(struct weft_match *m, const struct weft_mgrow *grow,
				  struct weft_list *chains);

bool weft_match_post(struct weft_match *m, struct weft_mpost *p);
struct weft_mpost *weft_match_posted(struct weft_match *m, u8 kind, u32 src, u64 tag);
struct weft_mpost *weft_match_arrive(struct weft_match *m, u8 kind, u32 src, u64 tag);
void weft_match_post_del(struct weft_match *m, struct weft_mpost *p);
struct weft_mpost *weft_match_post_next(struct weft_match *m, struct weft_mpost *p);

struct weft_mpost *weft_match_look_post(struct weft_match *m, u64 seq, u32 *steps);

void weft_match_unexp_add(struct weft_match *m, struct weft_munexp *u);
struct weft_munexp *weft_match_find(struct weft_match *m, u8 kind, u32 src, u64 tag, u64 ignore);
void weft_match_unexp_del(struct weft_match *m, struct weft_munexp *u);
void weft_match_rekey(struct weft_match *m);
void weft_match_rekey_next(struct weft_match *m, u32 src);
struct weft_munexp *weft_match_unexp_next(struct weft_match *m, u8 kind, struct weft_munexp *u);
struct weft_munexp *weft_match_look_unexp(struct weft_match *m, u8 kind, u64 seq, u32 *steps);

#endif
