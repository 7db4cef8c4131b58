/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the administrator sees in sysfs, and sets; whether anything is left. */
#ifndef WEFT_LOOKS_H
#define WEFT_LOOKS_H

#include <stdbool.h>

/* An attribute of a node's port, or of its counters ("counters/..."). Exits when it cannot be read.
 */
long long port_attr(int node, const char *name);

/* Set a limit of a node's port. Return: done, else it is said. */
bool port_limit(int node, const char *name, unsigned int value);

/* Wait until both ports have neither contexts nor endpoints nor pinned memory. Says what is left if
 * that does not come.
 */
bool nothing_left(void);

#endif
