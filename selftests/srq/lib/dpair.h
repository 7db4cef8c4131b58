/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two interface adapters of libdat2's provider "weft" in one thread: A on node 0, B on node 0 or 1
 *
 * A has plain endpoints. B has a shared receive queue, and an endpoint on it for each of A's.
 */
#ifndef WEFT_DPAIR_H
#define WEFT_DPAIR_H

#include <stdatomic.h>
#include <dat2/udat.h>
#include "check.h"

#define WAIT_US		20000000	/* longer than any operation takes */
#define EPS_MAX		1024
#define MEM		(4u << 20)	/* bytes of each side's memory */
#define QUAL		5000

#define OK(call)	CHECK_EQ(call, DAT_SUCCESS)
#define FAILS(call, type, sub)	CHECK_EQ((unsigned int)(call), DAT_CLASS_ERROR | (type) | (sub))

/**
 * struct dside - one adapter and its objects
 * @ia: adapter
 * @async: its asynchronous events
 * @cr: connection requests
 * @conn: connections
 * @tx: sends
 * @rx: receives
 * @pz: protection zone
 * @lmr: all of @mem
 * @key: its context
 * @rmr: its context for the peer
 * @mem: memory
 * @srq: B: the queue
 * @psp: B: the service point
 * @ep: endpoints
 * @neps: how many
 */
struct dside {
	DAT_IA_HANDLE ia;
	DAT_EVD_HANDLE async, cr, conn, tx, rx;
	DAT_PZ_HANDLE pz;
	DAT_LMR_HANDLE lmr;
	DAT_LMR_CONTEXT key;
	DAT_RMR_CONTEXT rmr;
	uint8_t *mem;
	DAT_SRQ_HANDLE srq;
	DAT_PSP_HANDLE psp;
	DAT_EP_HANDLE ep[EPS_MAX];
	int neps;
};

extern struct dside a, b;
/* Attributes of endpoints; those of dpair_open() unless changed before dpair_link(). */
extern DAT_EP_ATTR aattr, battr;

/* Open a side on a node, with memory and dispatchers of @qlen events. */
bool dside_open(struct dside *s, int node, int qlen);
/* Both sides, and B's queue of @recvs receives of at most @iov segments. */
bool dpair_open(bool apart, int recvs, int iov);
/* Connect @n more endpoints. */
bool dpair_link(int n);
/* The two halves of that: ask B at its address; accept the next request. */
bool dpair_ask(struct dside *s, DAT_IA_ADDRESS_PTR addr);
bool dpair_accept(void);
/* B's address. */
DAT_IA_ADDRESS_PTR dpair_addr(void);
/* Close both sides, with all their objects. */
void dpair_close(void);

DAT_LMR_TRIPLET seg(const struct dside *s, size_t at, size_t len);
DAT_DTO_COOKIE cookie(uint64_t n);
/* Post a receive of one segment of B's memory. */
DAT_RETURN post(size_t at, size_t len, uint64_t n);
/* Send from A's endpoint @i, from A's memory. */
DAT_RETURN put_as(int i, size_t at, size_t len, uint64_t n, DAT_COMPLETION_FLAGS flags);
DAT_RETURN put(int i, size_t at, size_t len, uint64_t n);

/* A segment of a side's memory, as the other side names it. */
DAT_RMR_TRIPLET far_seg(const struct dside *s, size_t at, size_t len);
/* RDMA from A's endpoint @i, from or to A's memory, to or from B's memory. */
DAT_RETURN write_as(int i, size_t at, size_t to, size_t len, uint64_t n,
		    DAT_COMPLETION_FLAGS flags);
DAT_RETURN read_as(int i, size_t at, size_t from, size_t len, uint64_t n,
		   DAT_COMPLETION_FLAGS flags);

/* Wait for the next event; check that there is none. */
bool next(DAT_EVD_HANDLE evd, DAT_EVENT *ev);
bool none(DAT_EVD_HANDLE evd);
/* The next event is a completion with these values. */
bool dto(DAT_EVD_HANDLE evd, DAT_EP_HANDLE ep, uint64_t n, DAT_DTO_COMPLETION_STATUS status,
	 size_t len);
/* The same, of an operation of this kind. */
bool dto_of(DAT_DTOS kind, DAT_EVD_HANDLE evd, DAT_EP_HANDLE ep, uint64_t n,
	    DAT_DTO_COMPLETION_STATUS status, size_t len);
/* The next one is of a connection. */
bool conn(DAT_EVD_HANDLE evd, DAT_EVENT_NUMBER number, DAT_EP_HANDLE ep);
/* The next one is asynchronous, with this reason. */
bool async(DAT_EVENT_NUMBER number, DAT_HANDLE handle, DAT_COUNT reason);

/* A function of libdat2 that no header declares: the adapter behind its handle. */
DAT_RETURN dats_get_ia_handle(DAT_IA_HANDLE handle, DAT_IA_HANDLE *ia);

/* Wait until the thread of this number (once it is set) sleeps in a wait for events. */
bool sleeps(atomic_int *tid);

/* B's counts are these; wait until they are. */
bool counts(int available, int outstanding);
bool counts_become(int available, int outstanding);
/*
 * B's endpoint @i holds so many receives, over this span from oldest to newest; wait until it does.
 */
bool held(int i, int n, int span);
bool held_becomes(int i, int n);

/* Have both nodes lose 5 % of the packets (@what: "add"), or end that ("del"). LINK=veth only. */
bool lossy(const char *what);
/* Return: lossy() works here. */
bool may_lose(bool apart);

/*
 * Node 0 drops node 1's grants (GRANT): the sender of an announced message sends no more of it. The
 * acknowledgements arrive, and so all other traffic continues.
 */
bool stall(bool on);
#endif
