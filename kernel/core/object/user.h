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
#define WEFT_USES	4

/**
 * struct weft_user - a user
 * @node: in core->users
 * @uid: user id
 * @ref: its contexts, endpoints and shared receive queues; core->user_lock
 * @used: what it takes, by WEFT_USE_*
 * @msgs: messages kept for its endpoints
 * @bytes: bytes of the short ones among them
 * @lingers: flows with sends of ended programs that may go on for linger_ns
 */
struct weft_user {
	struct weft_list node;
	u32 uid;
	u32 ref;
	atomic64_t used[WEFT_USES];
	atomic64_t msgs;
	atomic64_t bytes;
	atomic64_t lingers;
};

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
