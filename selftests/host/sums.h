/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers of a path that have to agree with its lists, whatever the peer says, and those of what is
 * kept for endpoints and users
 */
#ifndef WEFT_SUMS_H
#define WEFT_SUMS_H

struct rig_node;
struct weft_path;

/*
 * Dies if eager bytes that are open are not those of the path's messages, or those that came early
 * not those of its flows, or if they are more than the node may ever have told.
 */
void sums_check(const struct weft_path *path);
/*
 * Dies if less is counted as kept for an endpoint than its messages are, or less for a user than
 * for his endpoints. Dies, too, if more is kept of flows than the limits and the room that each of
 * these flows has for itself allow; or more in all than with the flows that have ended. To be
 * called often enough to see the flows.
 */
void sums_check_kept(struct rig_node *node);

#endif
