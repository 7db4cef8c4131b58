/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory that never comes: userfaultfd is asked for pages, and does not give them. Tests for
 * waiting threads.
 */
#ifndef WEFT_NOWHERE_H
#define WEFT_NOWHERE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * From now on missing pages do not come. Return: file that tells which thread waits for one; -1:
 * this machine has no userfaultfd.
 */
int nowhere_from(void *p, size_t len);

/*
 * Memory without pages, of @len bytes (whole pages). @fd: out, may be NULL: as above. Return: NULL:
 * this machine has no userfaultfd.
 */
char *nowhere(size_t len, int *fd);

/*
 * Start a program that waits for such memory. @fn writes a byte to @ready before it waits, and
 * never returns unless it fails. The program dies by itself after @seconds. Return: the byte came;
 * -1: no.
 */
pid_t stuck_begin(bool (*fn)(int ready), unsigned int seconds);
/* Kill the program. Return: the kill was the cause of its death. */
bool stuck_end(pid_t pid);

#endif
