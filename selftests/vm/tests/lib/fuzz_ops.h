/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Random operations of a program on a port
 *
 * They are ioctls that are nearly right, posts and doorbells of any content, and maps at any
 * offset. Memory of every kind holds messages. While in use, it is unmapped, moved, protected,
 * truncated, advised about and replaced.
 *
 * All memory is in one arena, whose pages may vanish at any time. A thread that touches a missing
 * page gives the step up.
 */
#ifndef WEFT_FUZZ_OPS_H
#define WEFT_FUZZ_OPS_H

#include <stdbool.h>

/* Open the port and make the arena, before threads begin. Return: false: there is no such port. */
bool fuzz_begin(const char *path);
/* Each thread calls this first: it sets the thread's return point after a fault. */
void fuzz_thread(void);
/* One random operation. */
void fuzz_step(unsigned int *seed);

/* Give the machine @more huge pages than before. */
void fuzz_pages(int more);

#endif
