/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a program does at random with a port: ioctls that are nearly right, posts and doorbells of
 * any content, maps at any offset; memory of every kind for messages, which is unmapped, moved,
 * protected, cut, advised about and replaced while it is in use.
 *
 * All memory is in one arena, whose pages may vanish at any time: a thread that touches one gives
 * the step up.
 */
#ifndef WEFT_FUZZ_OPS_H
#define WEFT_FUZZ_OPS_H

#include <stdbool.h>

/* Open the port and make the arena; before threads begin. Return: false: there is no such port. */
bool fuzz_begin(const char *path);
/* Each thread first: its way out of a fault. */
void fuzz_thread(void);
/* One thing at random. */
void fuzz_step(unsigned int *seed);

/* Give the machine @more huge pages than it has. */
void fuzz_pages(int more);

#endif
