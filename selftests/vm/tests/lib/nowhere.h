/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Memory that never comes: pages that userfaultfd is asked for, and does not give. */
#ifndef WEFT_NOWHERE_H
#define WEFT_NOWHERE_H

#include <stddef.h>

/* @len: whole pages. @fd: out, may be NULL: who waits for it can be read here. Return: NULL: this
 * machine has no such thing.
 */
char *nowhere(size_t len, int *fd);

#endif
