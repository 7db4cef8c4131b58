/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The administrator's view in sysfs, and settings; whether any object is left; free memory. */
#ifndef WEFT_LOOKS_H
#define WEFT_LOOKS_H

#include <stdbool.h>

/* Read an attribute of a node's port, or of its counters ("counters/..."). Exit when that fails. */
long long port_attr(int node, const char *name);

/* Set a limit of a node's port. Return: done; else the reason is printed. */
bool port_limit(int node, const char *name, unsigned int value);

/*
 * Run a command for each node. @format makes it, as printf does, of @arg and twice the number of
 * the node. Exits when the command fails.
 */
void nodes_run(const char *format, const char *arg);

/* Free memory and what the kernel can reclaim, with the pages that each CPU keeps for itself. */
long long memory_available(void);

/* Return: the kernel surrounds each allocation with memory of its own (KASAN). */
bool memory_redzones(void);

/*
 * Wait until both ports have neither contexts nor endpoints nor pinned memory. Print what is left
 * if the wait fails.
 */
bool nothing_left(void);

#endif
