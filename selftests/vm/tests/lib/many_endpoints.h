/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Many endpoints with rings of the default size, which share completion queues; the memory that
 * they take of the machine.
 */
#ifndef WEFT_MANY_ENDPOINTS_H
#define WEFT_MANY_ENDPOINTS_H

#include <stdbool.h>
#include <sys/types.h>

/* rings of an endpoint of libfabric with default attributes */
#define MANY_SQ	2048u
#define MANY_RQ	1024u

/* Open a context of node 0 as @uid. Return: its file, negative errno. */
int many_open(uid_t uid);

/* Create an RDM endpoint in a context. Return: 0, negative errno. */
int many_one(int fd, unsigned int sq, unsigned int rq);

/*
 * Create and enable @count endpoints, then close all. Each takes at most @most bytes; on a kernel
 * with KASAN, which adds memory to each allocation, the size is not checked.
 */
bool many_endpoints(unsigned int count, unsigned long most);

#endif
