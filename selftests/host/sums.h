/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers of a path that have to agree with its lists, whatever the peer says, and those of what is
 * kept for endpoints and users
 */
#ifndef WEFT_SUMS_H
#define WEFT_SUMS_H

struct weft_core;
struct weft_path;

/*
 * Dies if eager bytes that are open are not those of the path's messages, or those that came early
 * not those of its flows, or if they are more than the node may ever have told.
 */
void sums_check(const struct weft_path *path);
/*
 * Dies if less is counted as kept for an endpoint than its messages are, or more than the limits
 * and the room that each flow has for itself allow; or less for a user than for his endpoints.
 */
void sums_check_kept(const struct weft_core *core);

#endif
