/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One end of a measurement: a libfabric endpoint of any provider with one completion queue, and the
 * calls that a measurement makes on it
 *
 * One thread uses an end. The end is opened in a network namespace; later calls may come from any
 * other one. A failure of the provider ends the process with its reason.
 */
#ifndef BENCH_SIDE_H
#define BENCH_SIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <rdma/fabric.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>

#define SIDE_CONTEXTS 4096 /* operations of an end under way, at most; a power of two */
#define SIDE_ADDR     256   /* bytes that hold any provider's address */

/**
 * struct side_opts - how an end is made
 * @prov: provider, as fi_info names it
 * @node: name of the network namespace, NULL: the program's own
 * @addr: own IP address, NULL: none (for providers that do not use one)
 * @type: FI_EP_RDM or FI_EP_MSG
 * @block: the completion queue can be waited on
 * @msg: messages without tags, for providers that have no others
 * @depth: receives and sends that have to fit
 * @onesided: FI_RMA, FI_ATOMIC: one-sided operations that it has to offer, 0: none
 */
struct side_opts {
	const char *prov;
	const char *node;
	const char *addr;
	enum fi_ep_type type;
	bool block;
	bool msg;
	size_t depth;
	uint64_t onesided;
};

/**
 * struct side_memory - memory that the other end's operations access
 * @addr: address or offset of its first byte, as the provider wants it
 * @key: key
 */
struct side_memory {
	uint64_t addr;
	uint64_t key;
};

/**
 * struct side - one end
 * @o: how it was made
 * @info: what the provider offered
 * @fabric: fabric
 * @domain: domain
 * @eq: event queue (FI_EP_MSG)
 * @pep: listener (FI_EP_MSG)
 * @cq: the one completion queue
 * @av: address vector (FI_EP_RDM)
 * @ep: the endpoint
 * @cntr: counts the other end's writes, NULL: the provider does not count them
 * @mr: the memory that it exposes
 * @peer: the other end
 * @there: the memory that the other end exposes
 * @sent: sends that have completed
 * @received: receives that have completed
 * @ctx: contexts of operations, used in turn
 * @next: index of the next context
 */
struct side {
	struct side_opts o;
	struct fi_info *info;
	struct fid_fabric *fabric;
	struct fid_domain *domain;
	struct fid_eq *eq;
	struct fid_pep *pep;
	struct fid_cq *cq;
	struct fid_av *av;
	struct fid_ep *ep;
	struct fid_cntr *cntr;
	struct fid_mr *mr;
	fi_addr_t peer;
	struct side_memory there;
	uint64_t sent;
	uint64_t received;
	struct fi_context2 ctx[SIDE_CONTEXTS];
	size_t next;
};

/* Open an end up to its endpoint (RDM) or, for FI_EP_MSG, up to its domain. */
struct side *side_open(const struct side_opts *o);
/* Enter the end's namespace. */
void side_enter(struct side *s);
void side_close(struct side *s);

/* The end's address, for the other end's side_peer(). Return: bytes in @addr. */
size_t side_name(struct side *s, void *addr);
void side_peer(struct side *s, const void *addr);

/* Connected endpoints: the listener tells the other end its address, in SIDE_ADDR bytes. */
void side_listen(struct side *s, void *addr);
void side_accept(struct side *s);
void side_connect(struct side *s, const void *addr);

/*
 * Post. Return: 0, or -FI_EAGAIN: nothing happened, side_reap() both ends and try again.
 *
 * side_recv() gets a context if it may still wait when SIDE_CONTEXTS others have been posted, else
 * NULL. side_inject() has no completion. @flags of side_sendmsg(): FI_MORE and the like.
 */
int side_recv(struct side *s, void *buf, size_t len, uint64_t tag, struct fi_context2 *ctx);
int side_send(struct side *s, const void *buf, size_t len, uint64_t tag);
int side_sendmsg(struct side *s, const void *buf, size_t len, uint64_t tag, uint64_t flags);
int side_inject(struct side *s, const void *buf, size_t len, uint64_t tag);

/*
 * One-sided operations on the memory that the other end exposes (side_rma.c). @at: offset in it.
 * Return: as above. side_put() has no completion. @flags of
 * side_writemsg(): FI_MORE and the like. side_fetch() adds 1 to 8 bytes, and gets their old value.
 */
int side_put(struct side *s, const void *buf, size_t len, size_t at);
int side_write(struct side *s, const void *buf, size_t len, size_t at);
int side_writemsg(struct side *s, const void *buf, size_t len, size_t at, uint64_t flags);
int side_read(struct side *s, void *buf, size_t len, size_t at);
int side_fetch(struct side *s, uint64_t *old, size_t at);
/* Expose memory to the other end, whose s->there it becomes. side_close() withdraws it. */
void side_expose(struct side *s, void *buf, size_t len, struct side_memory *there);

/* Take completions without waiting. Return: how many. */
int side_reap(struct side *s);
/* The same, but wait for the first one. */
int side_wait(struct side *s);

/* Any result but success ends the program. */
void side_must(int ret, const char *what);
/* Any result but success and -FI_EAGAIN ends the program. Return: @ret. */
int side_posted(ssize_t ret, const char *what);
struct fi_context2 *side_context(struct side *s);

/*
 * Print a record "X" with the measurement and the reason why it is impossible, and end the process.
 */
void bench_stop(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));
/* Name of the next measurement: peer, form, measure, parameter, separated by tabs. */
void bench_measures(const char *what);

#endif
