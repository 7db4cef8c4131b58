/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - owners of endpoints
 *
 * Locks: core->user_lock.
 */
#ifndef WEFT_OBJECT_USER_H
#define WEFT_OBJECT_USER_H

#include "core/base/env.h"

/**
 * struct weft_user - owner of endpoints
 * @node: in core->users
 * @uid: user id
 * @ref: its endpoints; core->user_lock
 * @msgs: messages kept for these endpoints
 * @bytes: bytes of the short ones among them
 * @lingers: flows with sends of ended programs that may go on for linger_ns
 */
struct weft_user {
	struct weft_list node;
	u32 uid;
	u32 ref;
	atomic_t msgs;
	atomic64_t bytes;
	atomic_t lingers;
};

#endif
