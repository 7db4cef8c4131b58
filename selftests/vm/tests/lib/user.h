/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An ordinary user, as whom a test program goes on. */
#ifndef WEFT_USER_H
#define WEFT_USER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Become an ordinary user of group weft for good, who may lock @limit bytes of memory. The caller
 * is root, and stays in its node.
 */
bool user_become(size_t limit);

#endif
