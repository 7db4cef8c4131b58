/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One-sided operations of rows: A begins them, B offers its memory
 *
 * B's program takes no part: one thread drives both sides, and waits for A only.
 */
#ifndef WEFT_ONESIDED_H
#define WEFT_ONESIDED_H

#include "link.h"

#define BOTH_RIGHTS (FI_REMOTE_READ | FI_REMOTE_WRITE)
#define KEY	 77

/* options of rows with one-sided operations */
#define RMA .o.caps = FI_RMA
#define RMA_EVENTS .o.caps = FI_RMA | FI_RMA_EVENT

/* Offer memory of a side under a key. */
bool expose(struct side *s, void *buf, size_t len, uint64_t access, uint64_t key,
	    struct fid_mr **mr);
/* Offer the ROOM bytes of rbuf at B under KEY, with both rights. */
bool expose_all(struct fid_mr **mr);

/* fi_writemsg() or fi_readmsg() of one segment, at A. Return: the call's result. */
ssize_t rma_msg(bool write, void *buf, size_t len, uint64_t addr, uint64_t key, unsigned int n,
		uint64_t flags);

/* A's next completion is of operation @n, a write or a read, and successful. */
bool rma_done(unsigned int n, bool write);
/* A's next @count completions, in any order, are successful. */
bool rma_ends(unsigned int count);
/* A's next completion is an error of operation @n; 0: of an inject. */
bool rma_failed(unsigned int n, bool write, int err);
/* Write or read, and wait for the completion. */
bool rma_write(const void *buf, size_t len, uint64_t addr, uint64_t key);
bool rma_read(void *buf, size_t len, uint64_t addr, uint64_t key);
/* B's next completion is of a peer's write with remote CQ data. */
bool rma_told(uint64_t data, size_t len);

/* A further queue of a side; a further endpoint of it, with that queue and the side's vector. */
bool cq_new(struct side *s, struct fid_cq **cq);
bool ep_new(struct side *s, struct fid_cq *cq, struct fid_ep **ep);

/*
 * A row on a link that can be cut: B offers all its memory, and the path is there. @run may cut the
 * link; a silent node is given up after @dead_ms, 0: as usual. Skipped where there is no such link.
 */
bool rma_on_link(bool (*run)(void), unsigned int dead_ms);

#endif
