/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The cost of posts: a process without system calls and without memory
 */
#ifndef WEFT_QUIET_H
#define WEFT_QUIET_H

#include <stdbool.h>

/*
 * Run a case in a child, while engines poll. It calls quiet_begin() when its objects are there, and
 * quiet_end() with its last result. Return: as the case.
 */
bool quiet_while(bool (*run)(void));

/* From here on the only system calls are writes to standard output and exit. All malloc() fail. */
bool quiet_begin(void);

/* Check that no library has called malloc() since then, and that this check works. */
bool quiet_end(void);

#endif
