/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sums of a path, of endpoints and of users that must agree with the lists, whatever the peer sends
 */
#ifndef WEFT_SUMS_H
#define WEFT_SUMS_H

struct rig_node;
struct weft_path;

/*
 * Check the eager bytes of a path. Die if the open bytes differ from those of the path's messages.
 * Die if the early bytes differ from those of its flows. Die if they exceed what the node may have
 * told.
 */
void sums_check(const struct weft_path *path);
/*
 * Check what is kept for endpoints and users. Die if an endpoint counts less than its messages, or
 * a user less than his endpoints. Die if an endpoint keeps more than the limits and the credit of
 * its flows allow, counting ended flows, too. Call it often enough to see each flow.
 */
void sums_check_kept(struct rig_node *node);

#endif
