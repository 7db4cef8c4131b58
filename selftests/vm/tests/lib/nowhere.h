/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Memory that never comes: userfaultfd is asked for pages, and does not give them. Who waits. */
#ifndef WEFT_NOWHERE_H
#define WEFT_NOWHERE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* From now on pages that are not there do not come. Return: who waits for them can be read here;
 * -1: this machine has no such thing.
 */
int nowhere_from(void *p, size_t len);

/* Memory without pages, of @len bytes (whole pages). @fd: out, may be NULL: as above. Return: NULL:
 * this machine has no such thing.
 */
char *nowhere(size_t len, int *fd);

/* Begin a program that waits for such memory: @fn says so by a byte to @ready, and never returns
 * unless it fails. It dies by itself after @seconds. Return: it has said so; -1: it has not.
 */
pid_t stuck_begin(bool (*fn)(int ready), unsigned int seconds);
/* Kill it. Return: that was what it died of. */
bool stuck_end(pid_t pid);

#endif
