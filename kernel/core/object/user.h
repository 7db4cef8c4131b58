/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - users: the owners of contexts, endpoints and shared receive queues
 *
 * Locks: core->user_lock.
 */
#ifndef WEFT_OBJECT_USER_H
#define WEFT_OBJECT_USER_H

#include "core/base/env.h"

/* what a user takes of a port, each with a limit */
#define WEFT_USE_CTXS	0	/* contexts */
#define WEFT_USE_EPS	1	/* endpoints */
#define WEFT_USE_MEMORY	2	/* bytes of rings, and of descriptors of sends and receives */
#define WEFT_USE_REGIONS	3	/* regions that peers may access */
#define WEFT_USE_MSGS	4	/* messages kept for its endpoints */
#define WEFT_USE_BYTES	5	/* bytes of the short ones among them */
/* flows with sends of ended programs that may go on for linger_ns */
#define WEFT_USE_LINGERS	6
#define WEFT_USES	7

/**
 * struct weft_user - a user
 * @node: in core->users
 * @uid: user id
 * @ref: its contexts, endpoints and shared receive queues; core->user_lock
 * @used: what it takes, by WEFT_USE_*
 * @peak: the most that it has taken since it exists, likewise
 */
struct weft_user {
	struct weft_list node;
	u32 uid;
	u32 ref;
	atomic64_t used[WEFT_USES];
	atomic64_t peak[WEFT_USES];
};

/**
 * struct weft_peak - the most that a user has taken
 * @most: how many, or how many bytes
 * @uid: the user, WEFT_NOTE_NO_UID: none
 */
struct weft_peak {
	u64 most;
	u32 uid;
};

/* Return: what a user takes, by WEFT_USE_*. */
static inline u64 weft_user_uses(const struct weft_user *user, u32 use)
{
	return (u64)atomic64_read(&user->used[use]);
}

/* A user takes @now of @use: more than ever before? Any context. */
static inline void weft_user_peaks(struct weft_user *user, u32 use, s64 now)
{
	s64 most = atomic64_read(&user->peak[use]), seen;

	for (; unlikely(now > most); most = seen) {
		seen = atomic64_cmpxchg(&user->peak[use], most, now);
		if (seen == most)
			break;
	}
}

/* A user takes @n more of @use, whose limit the caller has checked. Any context. */
static inline void weft_user_add(struct weft_user *user, u32 use, u64 n)
{
	weft_user_peaks(user, use, atomic64_add_return((s64)n, &user->used[use]));
}

/**
 * struct weft_user_info - what a user takes, for the administrator
 * @uid: user id
 * @contexts: contexts
 * @endpoints: endpoints
 * @memory: bytes of rings and descriptors
 * @regions: regions that peers may access
 * @msgs: messages kept for its endpoints
 * @bytes: bytes of the short ones among them
 * @lingers: flows of its ended programs that still have messages to deliver
 */
struct weft_user_info {
	u32 uid;
	u64 contexts;
	u64 endpoints;
	u64 memory;
	u64 regions;
	u64 msgs;
	u64 bytes;
	u64 lingers;
};

#endif
