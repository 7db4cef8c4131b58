/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two libfabric endpoints of provider weft in one thread: side A on node 0, side B on node 0 or 1
 *
 * The thread enters a node's namespace only to open a side. Afterwards one thread drives both
 * sides, so that a test sees both.
 */
#ifndef WEFT_FIPAIR_H
#define WEFT_FIPAIR_H

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>
#include "check.h"

#define WAIT_MS	 20000 /* longer than any operation takes; only a failing test waits that long */
#define QUIET_MS 30    /* how long no further completion may come */

/**
 * struct opts - how a pair is made
 * @type: FI_EP_RDM, FI_EP_MSG, FI_EP_DGRAM
 * @apart: B is on the other node
 * @itself: A's endpoint is B's, too; a connection leads to another endpoint of A's domain
 * @v6: IPv6
 * @selective: both queues are bound with FI_SELECTIVE_COMPLETION
 * @caps: more capabilities
 * @caps_b: of B instead of @caps, 0: the same
 * @bare: @caps are all capabilities
 * @mode: modes that the program supports
 * @prefix: msg_prefix_size in the hints
 * @limit: FI_OPT_BUFFERED_LIMIT, 0: the provider's choice
 * @min: FI_OPT_BUFFERED_MIN, with @limit
 * @counters: operations are counted
 * @tx_count: what @txcntr is bound with, 0: FI_SEND
 * @rx_count: what @rxcntr is bound with, 0: FI_RECV
 * @no_cq: with @counters: no completion queues are bound
 * @cq_size: entries of each queue, 0: the provider's choice
 * @tx_size: of A's sends, 0: the provider's choice
 * @rx_size: of B's receives, 0: the provider's choice
 * @format: of the completions of receives, 0: FI_CQ_FORMAT_TAGGED, -1: FI_CQ_FORMAT_UNSPEC
 * @one_cq: completions of sends go to @rxcq, too
 * @tx_flags: tx_attr->op_flags in the hints
 * @tag_format: mem_tag_format in the hints
 * @key: auth_key of the endpoints, text; NULL: none
 * @key_b: of B's, NULL: the same, "": none
 * @key_domain: @key is the domain's
 * @mr_mode: mr_mode in the hints
 * @order: msg_order in the hints
 */
struct opts {
	enum fi_ep_type type;
	bool apart;
	bool itself;
	bool v6;
	bool selective;
	bool counters;
	uint64_t tx_count;
	uint64_t rx_count;
	bool no_cq;
	uint64_t caps;
	uint64_t caps_b;
	bool bare;
	uint64_t mode;
	size_t prefix;
	size_t limit;
	size_t min;
	size_t cq_size;
	size_t tx_size;
	size_t rx_size;
	int format;
	bool one_cq;
	uint64_t tx_flags;
	uint64_t tag_format;
	const char *key;
	const char *key_b;
	bool key_domain;
	int mr_mode;
	uint64_t order;
};

/**
 * struct side - one endpoint and its objects
 * @info: fi_info of the endpoint
 * @fabric: fabric
 * @domain: domain
 * @eq: event queue
 * @txcq: completions of sends
 * @rxcq: completions of receives
 * @txcntr: counter of sends, or NULL
 * @rxcntr: counter of receives, or NULL
 * @av: address vector (RDM, DGRAM)
 * @ep: the endpoint
 * @peer: the other side's address
 */
struct side {
	struct fi_info *info;
	struct fid_fabric *fabric;
	struct fid_domain *domain;
	struct fid_eq *eq;
	struct fid_cq *txcq;
	struct fid_cq *rxcq;
	struct fid_cntr *txcntr;
	struct fid_cntr *rxcntr;
	struct fid_av *av;
	struct fid_ep *ep;
	fi_addr_t peer;
};

/**
 * struct pair - both sides
 * @o: options
 * @a: first side, which connects
 * @b: second side
 * @pep: B's listener
 */
struct pair {
	struct opts o;
	struct side a, b;
	struct fid_pep *pep;
};

/* Open fabric, domain and event queue: on a node, or in the namespace where the caller is. */
bool side_open(struct side *s, int node, const struct opts *o);
bool side_open_here(struct side *s, const struct opts *o);
/* Make queues and an enabled endpoint, from the side's own info or a request's. */
bool side_endpoint(struct side *s, struct fi_info *info, const struct opts *o);
void side_close(struct side *s);

/* The first of these calls for both sides, without endpoints. */
bool pair_sides(struct pair *p, const struct opts *o);
/* Put each address into the other side's vector. */
bool pair_meet(struct pair *p);
/* B listens; @addr and @len get its address. */
bool pair_listen(struct pair *p, void *addr, size_t *len);
bool pair_open(struct pair *p, const struct opts *o);
void pair_close(struct pair *p);

/* The next event, followed by its data. Return: bytes, or negative. */
ssize_t event(struct fid_eq *eq, uint32_t *type, void *buf, size_t len);

/*
 * Wait for the next completion of a queue. Return: 1, or a negative error; -FI_EAVAIL with @err
 * filled in, which may be NULL if none is expected.
 */
int completion(struct fid_cq *cq, struct fi_cq_tagged_entry *c, fi_addr_t *src,
	       struct fi_cq_err_entry *err);

/* No (further) completion comes into the queue. */
bool quiet(struct fid_cq *cq);

#endif
