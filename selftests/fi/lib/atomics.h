/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Atomic operations of rows: A begins them, on elements of B's memory
 */
#ifndef WEFT_ATOMICS_H
#define WEFT_ATOMICS_H

#include <rdma/fi_atomic.h>
#include "onesided.h"

#define FIRST	64	/* offset of the first element at the peer */
#define MOST	1024	/* elements of an operation */

/* options of rows with atomic operations */
#define ATOMIC	.o.caps = FI_ATOMIC

/* The first element at the peer. */
uint64_t *word(void);

/* A's next completion is of atomic operation @n, and successful. @fetch: it has results. */
bool atomic_done(unsigned int n, bool fetch);
/* A's next completion is an error of operation @n; 0: of an inject. */
bool atomic_failed(unsigned int n, int err);

/* Operations on one uint64_t at the peer, the first element. Return: the call's result. */
ssize_t atomic_base(const uint64_t *v, uint64_t key, enum fi_op op, unsigned int n);
ssize_t atomic_fetch(const uint64_t *v, uint64_t *r, uint64_t key, enum fi_op op, unsigned int n);
ssize_t atomic_compare(const uint64_t *v, const uint64_t *c, uint64_t *r, uint64_t key,
		       enum fi_op op, unsigned int n);

#endif
