// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_atomic.c - fi_atomic: all forms of atomic operations, and what is supported
 *
 * Each form becomes a struct weft_fi_atom with arrays of elements. That becomes a struct
 * weft_atomic, and is posted by weft_post.h as sends are. Values of operations and types are those
 * of the kernel's interface.
 *
 * Calls without flags use those of the endpoint. The sending half's lock serialises posts.
 */
#include "weft_fast.h"

/**
 * struct weft_fi_atom - an atomic operation as a program describes it
 * @kind: WEFT_ATOMIC_BASE, _FETCH or _COMPARE
 * @op: operation
 * @type: type of the elements
 * @iov: operands; not used by FI_ATOMIC_READ
 * @count: number of segments
 * @cmp: compare operands
 * @ncmp: number of segments
 * @res: results
 * @nres: number of segments
 * @rem: elements of the peer
 * @nrem: number of segments
 * @peer: destination
 * @context: for the completion
 * @flags: FI_*
 * @silent: no completion on success
 * @trigger: of deferred work, or NULL
 */
struct weft_fi_atom {
	uint8_t kind;
	enum fi_op op;
	enum fi_datatype type;
	const struct fi_ioc *iov;
	size_t count;
	const struct fi_ioc *cmp;
	size_t ncmp;
	const struct fi_ioc *res;
	size_t nres;
	const struct fi_rma_ioc *rem;
	size_t nrem;
	fi_addr_t peer;
	void *context;
	uint64_t flags;
	bool silent;
	const struct weft_trigger *trigger;
};

static bool weft_fi_atomic_known(unsigned int kind, enum fi_datatype type, enum fi_op op)
{
	unsigned int t = type, o = op;

	return WEFT_ATOMIC_VALID(kind, o, t);
}

/* Return: maximum number of elements of a known type. */
static size_t weft_fi_atomic_most(enum fi_datatype type)
{
	size_t most = WEFT_ATOMIC_MAX_BYTES / WEFT_ATYPE_SIZE((unsigned int)type);

	return most < WEFT_ATOMIC_MAX_COUNT ? most : WEFT_ATOMIC_MAX_COUNT;
}

/* Return: @sum + @count elements, but at most one more than the maximum. */
static size_t weft_fi_atomic_sum(size_t sum, size_t count, enum fi_datatype type)
{
	size_t most = weft_fi_atomic_most(type);

	return sum > most || count > most - sum ? most + 1 : sum + count;
}

/*
 * Convert segments of elements to segments of bytes. Return: number of elements; one more than the
 * maximum if there are more.
 */
static size_t weft_fi_atomic_segments(const struct fi_ioc *ioc, size_t n, enum fi_datatype type,
				      struct iovec *iov)
{
	size_t i, sum = 0;

	for (i = 0; i < n; i++) {
		sum = weft_fi_atomic_sum(sum, ioc[i].count, type);
		iov[i].iov_base = ioc[i].addr;
		iov[i].iov_len = ioc[i].count * WEFT_ATYPE_SIZE((unsigned int)type);
	}
	return sum;
}

/* The same for segments of the peer. */
static size_t weft_fi_atomic_remote(const struct fi_rma_ioc *ioc, size_t n, enum fi_datatype type,
				    struct weft_rma_iov *rem)
{
	size_t i, sum = 0;

	for (i = 0; i < n; i++) {
		sum = weft_fi_atomic_sum(sum, ioc[i].count, type);
		rem[i].addr = ioc[i].addr;
		rem[i].len = ioc[i].count * WEFT_ATYPE_SIZE((unsigned int)type);
		rem[i].key = ioc[i].key;
	}
	return sum;
}

/* Return: true if there are as many segments as the endpoint permits. */
static bool weft_fi_atomic_fits(const struct weft_fi_ep *ep, const void *segments, size_t n)
{
	return n <= ep->iov_limit && (!n || segments);
}

static ssize_t weft_fi_atomic_post(struct fid_ep *fid, const struct weft_fi_atom *atom)
{
	bool reads = atom->op == FI_ATOMIC_READ;
	bool fetches = atom->kind != WEFT_ATOMIC_BASE, compares = atom->kind == WEFT_ATOMIC_COMPARE;
	struct iovec iov[WEFT_IOV_MAX], cmp[WEFT_IOV_MAX], res[WEFT_IOV_MAX];
	struct weft_fi_ep *ep = weft_fi_ep_of(fid);
	struct weft_rma_iov rem[WEFT_IOV_MAX];
	struct weft_atomic a = {
		.op = atom->op, .type = atom->type, .kind = atom->kind,
		.iov = iov, .count = reads ? 0 : atom->count, .cmp = cmp, .ncmp = atom->ncmp,
		.res = res, .nres = atom->nres, .rem = rem, .nrem = atom->nrem,
	};
	struct weft_fi_op op = {
		.iov = iov, .count = a.count, .peer = atom->peer, .context = atom->context,
		.flags = atom->flags, .silent = atom->silent, .rma = WEFT_SQ_ATOMIC, .atomic = &a,
		.trigger = atom->trigger,
	};
	size_t n;

	if (!weft_fi_atomic_known(atom->kind, atom->type, atom->op))
		return weft_fi_refuse(&op, -FI_EOPNOTSUPP);
	if (!weft_fi_atomic_fits(ep, atom->iov, a.count) ||
	    !weft_fi_atomic_fits(ep, atom->cmp, a.ncmp) ||
	    !weft_fi_atomic_fits(ep, atom->res, a.nres) ||
	    !weft_fi_atomic_fits(ep, atom->rem, a.nrem))
		return weft_fi_refuse(&op, -FI_EINVAL);
	n = weft_fi_atomic_remote(atom->rem, a.nrem, atom->type, rem);
	if (n > weft_fi_atomic_most(atom->type))
		return weft_fi_refuse(&op, -FI_EMSGSIZE);
	if (!n || weft_fi_atomic_segments(atom->iov, a.count, atom->type, iov) != (reads ? 0 : n) ||
	    weft_fi_atomic_segments(atom->cmp, a.ncmp, atom->type, cmp) != (compares ? n : 0) ||
	    weft_fi_atomic_segments(atom->res, a.nres, atom->type, res) != (fetches ? n : 0))
		return weft_fi_refuse(&op, -FI_EINVAL);
	a.len = n * WEFT_ATYPE_SIZE((unsigned int)atom->type);
	return weft_fi_send(ep, &op);
}

/*
 * Post an operation with one segment on each side. @cmp, @res: as the kind has them; @extra: flags
 * that the form adds; @silent: no completion. Return: as weft_fi_send().
 */
WEFT_INLINED ssize_t weft_fi_atomic_one(struct fid_ep *ep, uint8_t kind, const void *buf,
					const void *cmp, void *res, size_t count, fi_addr_t to,
					uint64_t addr, uint64_t key, enum fi_datatype type,
					enum fi_op op, void *context, uint64_t extra,
					bool silent)
{
	uint64_t flags = weft_fi_face_of(ep)->tx_flags | extra;
	struct fi_ioc operand, compare, result;
	struct weft_fi_atom atom;
	struct fi_rma_ioc rem;
	uint32_t nslots = 0;
	size_t size = 0;

	if (weft_likely(count == 1 && op != FI_ATOMIC_READ &&
			weft_fi_atomic_known(kind, type, op))) {
		size = WEFT_ATYPE_SIZE((unsigned int)type);
		nslots = weft_fi_fast_atomic(weft_fi_ep_of(ep), kind, op, type, size, buf, cmp,
					     res, to, addr, key, context, flags, silent);
	}
	if (weft_likely(nslots))
		return weft_fi_fast_post(weft_fi_ep_of(ep), nslots, size, flags & FI_MORE);
	operand = (struct fi_ioc){ .addr = (void *)buf, .count = count };
	compare = (struct fi_ioc){ .addr = (void *)cmp, .count = count };
	result = (struct fi_ioc){ .addr = res, .count = count };
	rem = (struct fi_rma_ioc){ .addr = addr, .count = count, .key = key };
	atom = (struct weft_fi_atom){
		.kind = kind, .op = op, .type = type, .iov = &operand, .count = 1,
		.cmp = &compare, .ncmp = kind == WEFT_ATOMIC_COMPARE,
		.res = &result, .nres = kind != WEFT_ATOMIC_BASE, .rem = &rem, .nrem = 1,
		.peer = to, .context = context, .flags = flags, .silent = silent,
	};
	return weft_fi_atomic_post(ep, &atom);
}

/* Describe an operation with several segments, and one at the peer. */
static struct weft_fi_atom weft_fi_atomic_vector(struct fid_ep *ep, struct fi_rma_ioc *rem,
						 uint8_t kind, const struct fi_ioc *iov,
						 size_t count, fi_addr_t to, uint64_t addr,
						 uint64_t key, enum fi_datatype type,
						 enum fi_op op, void *context)
{
	size_t i;

	*rem = (struct fi_rma_ioc){ .addr = addr, .key = key };
	for (i = 0; iov && i < count && i < WEFT_IOV_MAX; i++)
		rem->count += iov[i].count;
	return (struct weft_fi_atom){
		.kind = kind, .op = op, .type = type, .iov = iov, .count = count, .rem = rem,
		.nrem = 1, .peer = to, .context = context,
		.flags = weft_fi_face_of(ep)->tx_flags,
	};
}

/**
 * weft_fi_atomic_message() - post an operation of a message structure
 * @ep: endpoint
 * @msg: the operation
 * @cmp: compare operands, NULL: the operation has none
 * @res: results, NULL: the operation has none
 * @flags: FI_*
 * @trigger: of deferred work, or NULL
 *
 * Return: as weft_fi_send().
 */
ssize_t weft_fi_atomic_message(struct fid_ep *ep, const struct fi_msg_atomic *msg,
			       const struct fi_msg_compare *cmp, const struct fi_msg_fetch *res,
			       uint64_t flags, const struct weft_trigger *trigger)
{
	struct weft_fi_atom atom;

	if (!msg)
		return weft_fi_no_struct();
	atom = (struct weft_fi_atom){
		.kind = cmp ? WEFT_ATOMIC_COMPARE : res ? WEFT_ATOMIC_FETCH : WEFT_ATOMIC_BASE,
		.op = msg->op, .type = msg->datatype, .iov = msg->msg_iov,
		.count = msg->iov_count, .rem = msg->rma_iov, .nrem = msg->rma_iov_count,
		.peer = msg->addr, .context = msg->context, .flags = flags, .trigger = trigger,
	};
	if (cmp) {
		atom.cmp = cmp->msg_iov;
		atom.ncmp = cmp->iov_count;
	}
	if (res) {
		atom.res = res->msg_iov;
		atom.nres = res->iov_count;
	}
	return weft_fi_atomic_post(ep, &atom);
}

/* ---- Without results -------------------------------------------------------------------- */

static ssize_t weft_fi_atomic_write(struct fid_ep *ep, const void *buf, size_t count, void *desc,
				    fi_addr_t to, uint64_t addr, uint64_t key,
				    enum fi_datatype type, enum fi_op op, void *context)
{
	return weft_fi_atomic_one(ep, WEFT_ATOMIC_BASE, buf, NULL, NULL, count, to, addr, key,
				  type, op, context, 0, false);
}

static ssize_t weft_fi_atomic_writev(struct fid_ep *ep, const struct fi_ioc *iov, void **desc,
				     size_t count, fi_addr_t to, uint64_t addr, uint64_t key,
				     enum fi_datatype type, enum fi_op op, void *context)
{
	struct fi_rma_ioc rem;
	struct weft_fi_atom atom = weft_fi_atomic_vector(ep, &rem, WEFT_ATOMIC_BASE, iov, count,
							 to, addr, key, type, op, context);

	return weft_fi_atomic_post(ep, &atom);
}

static ssize_t weft_fi_atomic_writemsg(struct fid_ep *ep, const struct fi_msg_atomic *msg,
				       uint64_t flags)
{
	return weft_fi_atomic_message(ep, msg, NULL, NULL, flags, NULL);
}

static ssize_t weft_fi_atomic_inject(struct fid_ep *ep, const void *buf, size_t count,
				     fi_addr_t to, uint64_t addr, uint64_t key,
				     enum fi_datatype type, enum fi_op op)
{
	return weft_fi_atomic_one(ep, WEFT_ATOMIC_BASE, buf, NULL, NULL, count, to, addr, key,
				  type, op, NULL, FI_INJECT, true);
}

/* ---- With results ----------------------------------------------------------------------- */

static ssize_t weft_fi_atomic_fetch(struct fid_ep *ep, const void *buf, size_t count, void *desc,
				    void *result, void *result_desc, fi_addr_t to, uint64_t addr,
				    uint64_t key, enum fi_datatype type, enum fi_op op,
				    void *context)
{
	return weft_fi_atomic_one(ep, WEFT_ATOMIC_FETCH, buf, NULL, result, count, to, addr, key,
				  type, op, context, 0, false);
}

static ssize_t weft_fi_atomic_fetchv(struct fid_ep *ep, const struct fi_ioc *iov, void **desc,
				     size_t count, struct fi_ioc *res, void **result_desc,
				     size_t nres, fi_addr_t to, uint64_t addr, uint64_t key,
				     enum fi_datatype type, enum fi_op op, void *context)
{
	bool reads = op == FI_ATOMIC_READ;
	struct fi_rma_ioc rem;
	/* a read has no operands: the results tell how many elements there are */
	struct weft_fi_atom atom = weft_fi_atomic_vector(ep, &rem, WEFT_ATOMIC_FETCH,
							 reads ? res : iov, reads ? nres : count,
							 to, addr, key, type, op, context);

	atom.res = res;
	atom.nres = nres;
	return weft_fi_atomic_post(ep, &atom);
}

static ssize_t weft_fi_atomic_fetchmsg(struct fid_ep *ep, const struct fi_msg_atomic *msg,
				       struct fi_ioc *res, void **result_desc, size_t nres,
				       uint64_t flags)
{
	struct fi_msg_fetch results = { .msg_iov = res, .iov_count = nres };

	return weft_fi_atomic_message(ep, msg, NULL, &results, flags, NULL);
}

/* ---- With compare operands -------------------------------------------------------------- */

static ssize_t weft_fi_atomic_compare(struct fid_ep *ep, const void *buf, size_t count, void *desc,
				      const void *compare, void *compare_desc, void *result,
				      void *result_desc, fi_addr_t to, uint64_t addr, uint64_t key,
				      enum fi_datatype type, enum fi_op op, void *context)
{
	return weft_fi_atomic_one(ep, WEFT_ATOMIC_COMPARE, buf, compare, result, count, to, addr,
				  key, type, op, context, 0, false);
}

static ssize_t weft_fi_atomic_comparev(struct fid_ep *ep, const struct fi_ioc *iov, void **desc,
				       size_t count, const struct fi_ioc *cmp,
				       void **compare_desc, size_t ncmp, struct fi_ioc *res,
				       void **result_desc, size_t nres, fi_addr_t to,
				       uint64_t addr, uint64_t key, enum fi_datatype type,
				       enum fi_op op, void *context)
{
	struct fi_rma_ioc rem;
	struct weft_fi_atom atom = weft_fi_atomic_vector(ep, &rem, WEFT_ATOMIC_COMPARE, iov, count,
							 to, addr, key, type, op, context);

	atom.cmp = cmp;
	atom.ncmp = ncmp;
	atom.res = res;
	atom.nres = nres;
	return weft_fi_atomic_post(ep, &atom);
}

static ssize_t weft_fi_atomic_comparemsg(struct fid_ep *ep, const struct fi_msg_atomic *msg,
					 const struct fi_ioc *cmp, void **compare_desc,
					 size_t ncmp, struct fi_ioc *res, void **result_desc,
					 size_t nres, uint64_t flags)
{
	struct fi_msg_compare operands = { .msg_iov = cmp, .iov_count = ncmp };
	struct fi_msg_fetch results = { .msg_iov = res, .iov_count = nres };

	return weft_fi_atomic_message(ep, msg, &operands, &results, flags, NULL);
}

/* ---- What is supported ------------------------------------------------------------------ */

/* No message in the log: programs try all operations and types. */
static int weft_fi_atomic_valid(unsigned int kind, enum fi_datatype type, enum fi_op op,
				size_t *count)
{
	if (!weft_fi_atomic_known(kind, type, op))
		return -FI_EOPNOTSUPP;
	if (count)
		*count = weft_fi_atomic_most(type);
	return 0;
}

static int weft_fi_atomic_writevalid(struct fid_ep *ep, enum fi_datatype type, enum fi_op op,
				     size_t *count)
{
	return weft_fi_atomic_valid(WEFT_ATOMIC_BASE, type, op, count);
}

static int weft_fi_atomic_fetchvalid(struct fid_ep *ep, enum fi_datatype type, enum fi_op op,
				     size_t *count)
{
	return weft_fi_atomic_valid(WEFT_ATOMIC_FETCH, type, op, count);
}

static int weft_fi_atomic_comparevalid(struct fid_ep *ep, enum fi_datatype type, enum fi_op op,
				       size_t *count)
{
	return weft_fi_atomic_valid(WEFT_ATOMIC_COMPARE, type, op, count);
}

/**
 * weft_fi_query_atomic() - see fi_query_atomic() in fi_atomic(3)
 * @domain: open domain
 * @type: type of elements
 * @op: operation
 * @attr: out: maximum number of elements, and bytes of one; may be NULL
 * @flags: 0, FI_FETCH_ATOMIC or FI_COMPARE_ATOMIC
 *
 * Return: 0, -FI_EOPNOTSUPP, -FI_EBADFLAGS.
 */
int weft_fi_query_atomic(struct fid_domain *domain, enum fi_datatype type, enum fi_op op,
			 struct fi_atomic_attr *attr, uint64_t flags)
{
	unsigned int kind = WEFT_ATOMIC_BASE;
	size_t count;
	int ret;

	if (flags & FI_TAGGED)
		return weft_fi_fail(FI_LOG_DOMAIN, -FI_EOPNOTSUPP,
				    "there are no tagged atomic operations");
	if (flags == FI_FETCH_ATOMIC)
		kind = WEFT_ATOMIC_FETCH;
	else if (flags == FI_COMPARE_ATOMIC)
		kind = WEFT_ATOMIC_COMPARE;
	else if (flags)
		return weft_fi_fail(FI_LOG_DOMAIN, -FI_EBADFLAGS,
				    "fi_query_atomic: flags are 0, FI_FETCH_ATOMIC or FI_COMPARE_ATOMIC");
	ret = weft_fi_atomic_valid(kind, type, op, &count);
	if (!ret && attr) {
		attr->count = count;
		attr->size = WEFT_ATYPE_SIZE((unsigned int)type);
	}
	return ret;
}

struct fi_ops_atomic weft_fi_atomic_ops = {
	.size = sizeof(struct fi_ops_atomic),
	.write = weft_fi_atomic_write,
	.writev = weft_fi_atomic_writev,
	.writemsg = weft_fi_atomic_writemsg,
	.inject = weft_fi_atomic_inject,
	.readwrite = weft_fi_atomic_fetch,
	.readwritev = weft_fi_atomic_fetchv,
	.readwritemsg = weft_fi_atomic_fetchmsg,
	.compwrite = weft_fi_atomic_compare,
	.compwritev = weft_fi_atomic_comparev,
	.compwritemsg = weft_fi_atomic_comparemsg,
	.writevalid = weft_fi_atomic_writevalid,
	.readwritevalid = weft_fi_atomic_fetchvalid,
	.compwritevalid = weft_fi_atomic_comparevalid,
};
