/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - structures of multicast groups
 *
 * Locks: the comment of each structure names the lock of its fields. A refcount_t may be dropped
 * anywhere, a plain count only under the lock that protects it.
 */
#ifndef WEFT_OBJECT_GROUP_H
#define WEFT_OBJECT_GROUP_H

#include "core/base/env.h"
#include <linux/weft.h>

/**
 * struct weft_group - a multicast group with members on this node
 * @node: in core->groups
 * @addr: its address with the service; constant
 * @members: struct weft_member
 *
 * Changed under core->grp_mutex and core->grp_lock, read under either.
 */
struct weft_group {
	struct weft_list node;
	struct weft_sockaddr addr;
	struct weft_list members;
};

/**
 * struct weft_member - an endpoint in a group
 * @gnode: in group->members; as in struct weft_group
 * @node: in ep->tx.groups; ep->sq_mutex
 * @group: the group; constant
 * @ep: the endpoint, which leaves before its end; constant
 * @id: number of the group at the endpoint; constant
 * @flags: WEFT_GROUP_*; constant
 * @flow: of its sends to the group, NULL: it does not send; constant
 */
struct weft_member {
	struct weft_list gnode;
	struct weft_list node;
	struct weft_group *group;
	struct weft_ep *ep;
	u32 id;
	u32 flags;
	struct weft_flow *flow;
};

#endif
