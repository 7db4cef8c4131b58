/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A user whose workers all wait for memory that never comes, and another user who works meanwhile.
 */
#ifndef WEFT_STUCK_USERS_H
#define WEFT_STUCK_USERS_H

/*
 * The test, with @procs processes of the one user that have @ctxs waiting contexts each. Return:
 * exit status of the program.
 */
int stuck_users(int procs, int ctxs);

#endif
