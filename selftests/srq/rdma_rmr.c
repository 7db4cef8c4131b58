// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Remote memory through libdat2: LMRs with remote privileges, RMRs, binds
 * TIMEOUT: 300 NEEDS: dat
 */
#include <string.h>
#include "srows.h"
#include <dat2/dat_registry.h>
#include <dat2/udat_redirection.h>

#define PLAIN	DAT_COMPLETION_DEFAULT_FLAG
#define READS	DAT_MEM_PRIV_REMOTE_READ_FLAG
#define WRITES	DAT_MEM_PRIV_REMOTE_WRITE_FLAG
#define AT	1000	/* the window in B's memory */
#define LEN	500

/* Both sides, and @n connections. */
static bool rmr_open(int n)
{
	CHECK(dpair_open(apart, 64, 4));
	aattr.max_rdma_read_out = 4;
	battr.max_rdma_read_in = 4;
	pattern_fill(b.mem, 4096, 7);
	return dpair_link(n);
}

/* Access the window by a context, from A's endpoint @i. */
static DAT_RETURN use(int i, bool write, DAT_RMR_CONTEXT context, size_t at, size_t len)
{
	DAT_RMR_TRIPLET remote = far_seg(&b, at, len);
	DAT_LMR_TRIPLET iov = seg(&a, 0, len);

	remote.rmr_context = context;
	return (write ? dat_ep_post_rdma_write : dat_ep_post_rdma_read)
		(a.ep[i], 1, &iov, cookie(at), &remote, PLAIN);
}

/* The access has this result. */
static bool used(int i, bool write, DAT_RMR_CONTEXT context, size_t at, size_t len,
		 DAT_DTO_COMPLETION_STATUS status)
{
	OK(use(i, write, context, at, len));
	return dto(a.tx, a.ep[i], at, status, len);
}

/* The connection ends at both sides. */
static bool broken(int i)
{
	CHECK(conn(a.conn, DAT_CONNECTION_EVENT_BROKEN, a.ep[i]));
	return conn(b.conn, DAT_CONNECTION_EVENT_DISCONNECTED, b.ep[i]);
}

/* The access is refused, which ends the connection. */
static bool refused(int i, bool write, DAT_RMR_CONTEXT context, size_t at, size_t len)
{
	CHECK(used(i, write, context, at, len, DAT_DTO_ERR_REMOTE_ACCESS));
	return broken(i);
}

/* ---- LMRs -------------------------------------------------------------------------------- */

static bool lmr(struct dside *s, DAT_PZ_HANDLE pz, void *at, size_t len, DAT_MEM_PRIV_FLAGS priv,
		DAT_LMR_HANDLE *h, DAT_LMR_CONTEXT *key, DAT_RMR_CONTEXT *context)
{
	DAT_REGION_DESCRIPTION region = { .for_va = at };
	DAT_VADDR addr;
	DAT_VLEN have;

	OK(dat_lmr_create(s->ia, DAT_MEM_TYPE_VIRTUAL, region, len, pz, priv, DAT_VA_TYPE_VA, h,
			  key, context, &have, &addr));
	CHECK(have >= len && addr <= (uintptr_t)at);
	return true;
}

/* A context for the peer exists with remote privileges only. Each privilege counts for itself. */
static bool privileges(void)
{
	DAT_RMR_CONTEXT context;
	DAT_LMR_CONTEXT key;
	DAT_LMR_PARAM param;
	DAT_LMR_HANDLE h;
	int priv, i = 0;

	CHECK(rmr_open(4));
	for (priv = 0; priv <= DAT_MEM_PRIV_ALL_FLAG; priv++) {
		if (priv & ~DAT_MEM_PRIV_ALL_FLAG)
			continue;
		CHECK(lmr(&b, b.pz, b.mem, 4096, priv, &h, &key, &context));
		CHECK_EQ(context != 0, (priv & (READS | WRITES)) != 0);
		CHECK(!context || context != key);
		OK(dat_lmr_query(h, DAT_LMR_FIELD_ALL, &param));
		CHECK_EQ(param.rmr_context, context);
		CHECK_EQ(param.mem_priv, priv);
		if (priv & READS)
			CHECK(used(0, false, context, AT, LEN, DAT_DTO_SUCCESS));
		if (priv & WRITES)
			CHECK(used(0, true, context, AT, LEN, DAT_DTO_SUCCESS));
		/* without local privileges: the other kind of access breaks a connection */
		if (priv == READS || priv == WRITES)
			CHECK(refused(++i, priv == READS, context, AT, LEN));
		OK(dat_lmr_free(h));
	}
	return refused(3, false, b.key, AT, LEN);
}

/* An LMR of an LMR has a zone, privileges and contexts of its own. */
static bool lmr_of_lmr(void)
{
	DAT_REGION_DESCRIPTION region;
	DAT_RMR_CONTEXT context;
	DAT_LMR_CONTEXT key;
	DAT_LMR_HANDLE h;
	DAT_VADDR addr;
	DAT_VLEN len;

	CHECK(rmr_open(1));
	region.for_lmr_handle = b.lmr;
	OK(dat_lmr_create(b.ia, DAT_MEM_TYPE_LMR, region, MEM, b.pz, READS, DAT_VA_TYPE_VA, &h,
			  &key, &context, &len, &addr));
	CHECK(context && context != b.rmr && key != b.key);
	CHECK(used(0, false, context, AT, LEN, DAT_DTO_SUCCESS));
	CHECK(used(0, true, b.rmr, AT, LEN, DAT_DTO_SUCCESS));
	OK(dat_lmr_free(b.lmr));
	CHECK(used(0, false, context, AT, LEN, DAT_DTO_SUCCESS));
	return refused(0, true, context, AT, LEN);
}

/* Each byte of an odd range, and none outside of it. */
static bool odd_ranges(void)
{
	DAT_RMR_CONTEXT context;
	DAT_LMR_CONTEXT key;
	DAT_LMR_PARAM param;
	DAT_LMR_HANDLE h;

	CHECK(rmr_open(2));
	CHECK(lmr(&b, b.pz, b.mem + AT + 1, LEN - 3, READS, &h, &key, &context));
	OK(dat_lmr_query(h, DAT_LMR_FIELD_ALL, &param));
	CHECK(param.registered_address <= (uintptr_t)b.mem + AT + 1);
	CHECK(param.registered_address + param.registered_size >=
	      (uintptr_t)b.mem + AT + LEN - 2);
	CHECK(used(0, false, context, AT + 1, LEN - 3, DAT_DTO_SUCCESS));
	CHECK(!memcmp(a.mem, b.mem + AT + 1, LEN - 3));
	return refused(0, false, context, AT, 2) && refused(1, false, context, AT + LEN - 3, 2);
}

/* After the end of its LMR a context is refused; before, and under way, either may happen. */
static bool lmr_free(void)
{
	int n, rounds = srows_times(20);
	DAT_RMR_CONTEXT context;
	DAT_LMR_CONTEXT key;
	DAT_LMR_HANDLE h;
	DAT_EVENT ev;

	CHECK(rmr_open(1));
	for (n = 0; n < rounds; n++) {
		int i = a.neps - 1;

		CHECK(lmr(&b, b.pz, b.mem, MEM, READS | WRITES, &h, &key, &context));
		CHECK(used(i, n % 2, context, AT, LEN, DAT_DTO_SUCCESS));
		OK(use(i, n % 2, context, 0, n % 4 ? 3u << 20 : 64));
		OK(dat_lmr_free(h));
		pattern_fill(b.mem, MEM, n);
		CHECK(next(a.tx, &ev));
		if (ev.event_data.dto_completion_event_data.status == DAT_DTO_SUCCESS) {
			CHECK(refused(i, n % 2, context, AT, LEN));
		} else {
			CHECK_EQ(ev.event_data.dto_completion_event_data.status,
				 DAT_DTO_ERR_REMOTE_ACCESS);
			CHECK(broken(i));
		}
		CHECK(pattern_is(b.mem, MEM, n));
		CHECK(dpair_link(1));
	}
	return true;
}

/* ---- RMRs -------------------------------------------------------------------------------- */

/* Bind a window on B's endpoint 0. */
static DAT_RETURN bind_as(DAT_RMR_HANDLE rmr, size_t at, size_t len, DAT_MEM_PRIV_FLAGS priv,
			  uint64_t n, DAT_COMPLETION_FLAGS flags, DAT_RMR_CONTEXT *context)
{
	DAT_LMR_TRIPLET iov = seg(&b, at, len);

	return dat_rmr_bind(rmr, b.lmr, &iov, priv, DAT_VA_TYPE_VA, b.ep[0], cookie(n), flags,
			    context);
}

/* The next event on B's requests is that of a bind. */
static bool bound_as(DAT_RMR_HANDLE rmr, uint64_t n, DAT_DTO_COMPLETION_STATUS status)
{
	DAT_EVENT ev;

	CHECK(next(b.tx, &ev));
	CHECK_EQ(ev.event_number, DAT_RMR_BIND_COMPLETION_EVENT);
	CHECK(ev.event_data.rmr_completion_event_data.rmr_handle == rmr);
	CHECK_EQ(ev.event_data.rmr_completion_event_data.user_cookie.as_64, n);
	CHECK_EQ(ev.event_data.rmr_completion_event_data.status, status);
	return true;
}

static bool bound(DAT_RMR_HANDLE rmr, DAT_MEM_PRIV_FLAGS priv, DAT_RMR_CONTEXT *context)
{
	OK(bind_as(rmr, AT, LEN, priv, 77, PLAIN, context));
	return bound_as(rmr, 77, DAT_DTO_SUCCESS);
}

static bool rmr_life(void)
{
	DAT_RMR_CONTEXT context;
	DAT_RMR_PARAM param;
	DAT_RMR_HANDLE h;

	CHECK(rmr_open(2));
	FAILS(dat_rmr_create(b.ep[0], &h), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_PZ);
	FAILS(dat_rmr_create(b.pz, NULL), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	OK(dat_rmr_create(b.pz, &h));
	FAILS(dat_pz_free(b.pz), DAT_INVALID_STATE, DAT_INVALID_STATE_PZ_IN_USE);
	FAILS(dat_rmr_query(b.lmr, DAT_RMR_FIELD_ALL, &param), DAT_INVALID_HANDLE,
	      DAT_INVALID_HANDLE_RMR);
	FAILS(dat_rmr_query(h, ~0, &param), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	FAILS(dat_rmr_query(h, DAT_RMR_FIELD_ALL, NULL), DAT_INVALID_PARAMETER,
	      DAT_INVALID_ARG3);
	OK(dat_rmr_query(h, DAT_RMR_FIELD_ALL, &param));
	CHECK(param.ia_handle && param.pz_handle == b.pz);
	CHECK(!param.lmr_triplet.segment_length && !param.mem_priv && !param.rmr_context);
	CHECK_EQ(param.rmr_scope, DAT_RMR_SCOPE_PZ);
	CHECK_EQ(param.va_type, DAT_VA_TYPE_VA);
	CHECK(bound(h, READS, &context));
	OK(dat_rmr_query(h, DAT_RMR_FIELD_ALL, &param));
	CHECK_EQ(param.rmr_context, context);
	CHECK_EQ(param.mem_priv, READS);
	CHECK_EQ(param.lmr_triplet.virtual_address, (uintptr_t)b.mem + AT);
	CHECK_EQ(param.lmr_triplet.segment_length, LEN);
	CHECK_EQ(param.lmr_triplet.lmr_context, b.key);
	CHECK(used(0, false, context, AT, LEN, DAT_DTO_SUCCESS));
	OK(dat_rmr_free(h));
	CHECK(refused(1, false, context, AT, LEN));
	FAILS(dat_rmr_free(h), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_RMR);
	FAILS(dat_rmr_query(h, DAT_RMR_FIELD_ALL, &param), DAT_INVALID_HANDLE,
	      DAT_INVALID_HANDLE_RMR);
	OK(dat_lmr_free(b.lmr));
	return true;
}

/* The window is accessible to its first and last byte. */
static bool window(void)
{
	DAT_RMR_CONTEXT context;
	DAT_RMR_HANDLE h;

	CHECK(rmr_open(2));
	OK(dat_rmr_create(b.pz, &h));
	CHECK(bound(h, READS | WRITES, &context));
	CHECK(context && context != b.rmr);
	CHECK(used(0, false, context, AT, LEN, DAT_DTO_SUCCESS));
	CHECK(!memcmp(a.mem, b.mem + AT, LEN));
	CHECK(used(0, true, context, AT, 1, DAT_DTO_SUCCESS));
	CHECK(used(0, true, context, AT + LEN - 1, 1, DAT_DTO_SUCCESS));
	return refused(0, true, context, AT - 1, 2) && refused(1, false, context, AT + LEN - 1, 2);
}

/* A bind ends the former window, and so does length 0. Its event keeps the posting order. */
static bool rebind(void)
{
	DAT_RMR_CONTEXT first, second, none_bound;
	DAT_LMR_TRIPLET iov;
	DAT_RMR_HANDLE h;

	CHECK(rmr_open(2));
	OK(dat_rmr_create(b.pz, &h));
	CHECK(bound(h, READS, &first));
	FAILS(dat_lmr_free(b.lmr), DAT_INVALID_STATE, DAT_INVALID_STATE_LMR_IN_USE);
	CHECK(bound(h, READS, &second));
	CHECK(first != second);
	CHECK(used(0, false, second, AT, LEN, DAT_DTO_SUCCESS));
	CHECK(refused(0, false, first, AT, LEN));
	CHECK(used(1, false, second, AT, LEN, DAT_DTO_SUCCESS));
	/* the send has no receive: the bind waits for it */
	CHECK(dpair_link(1));
	iov = seg(&b, 0, 8);
	OK(dat_ep_post_send(b.ep[2], 1, &iov, cookie(1), PLAIN));
	iov.segment_length = 0;
	OK(dat_rmr_bind(h, DAT_HANDLE_NULL, &iov, READS, DAT_VA_TYPE_VA, b.ep[2], cookie(2), PLAIN,
			&none_bound));
	CHECK_EQ(none_bound, 0);
	CHECK(none(b.tx));
	iov = seg(&a, 0, 8);
	OK(dat_ep_post_recv(a.ep[2], 1, &iov, cookie(3), PLAIN));
	CHECK(dto(b.tx, b.ep[2], 1, DAT_DTO_SUCCESS, 8) && bound_as(h, 2, DAT_DTO_SUCCESS));
	CHECK(refused(1, false, second, AT, LEN));
	OK(dat_lmr_free(b.lmr));
	return true;
}

/* A peer that learns the context from a message can use it. */
static bool bind_then_send(void)
{
	int n, rounds = srows_times(apart ? 500 : 2000);
	DAT_RMR_CONTEXT context, *sent = (void *)a.mem;
	DAT_LMR_TRIPLET in, out;
	DAT_RMR_HANDLE h;

	CHECK(rmr_open(1));
	sent = (void *)(a.mem + 8192);
	in = seg(&a, 8192, sizeof(context));
	out = seg(&b, 8192, sizeof(context));
	OK(dat_rmr_create(b.pz, &h));
	for (n = 0; n < rounds; n++) {
		OK(dat_ep_post_recv(a.ep[0], 1, &in, cookie(n), PLAIN));
		OK(bind_as(h, AT, LEN, READS, n, DAT_COMPLETION_SUPPRESS_FLAG, &context));
		memcpy(b.mem + 8192, &context, sizeof(context));
		OK(dat_ep_post_send(b.ep[0], 1, &out, cookie(n), DAT_COMPLETION_SUPPRESS_FLAG));
		CHECK(dto(a.rx, a.ep[0], n, DAT_DTO_SUCCESS, sizeof(context)));
		CHECK_EQ(*sent, context);
		CHECK(used(0, false, *sent, AT, LEN, DAT_DTO_SUCCESS));
	}
	return none(b.tx);
}

/* A bind refuses wrong arguments, and changes nothing then. */
static bool bind_errors(void)
{
	DAT_LMR_HANDLE read_only, far;
	DAT_RMR_CONTEXT context, c;
	DAT_LMR_TRIPLET iov, ro_iov, far_iov;
	DAT_RMR_HANDLE h, far_rmr;
	DAT_PZ_HANDLE pz;

	CHECK(rmr_open(1));
	OK(dat_pz_create(b.ia, &pz));
	OK(dat_rmr_create(b.pz, &h));
	OK(dat_rmr_create(pz, &far_rmr));
	CHECK(bound(h, READS, &context));
	iov = seg(&b, AT, LEN);
	ro_iov = iov;
	far_iov = iov;
	CHECK(lmr(&b, b.pz, b.mem, 4096, READS, &read_only, &ro_iov.lmr_context, &c));
	CHECK(lmr(&b, pz, b.mem, 4096, READS, &far, &far_iov.lmr_context, &c));
#define BIND(_rmr, _lmr, _iov, _priv, _va, _ep, _flags)	\
	dat_rmr_bind(_rmr, _lmr, _iov, _priv, _va, _ep, cookie(0), _flags, &c)
	FAILS(BIND(b.lmr, b.lmr, &iov, READS, DAT_VA_TYPE_VA, b.ep[0], PLAIN),
	      DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_RMR);
	FAILS(BIND(h, h, &iov, READS, DAT_VA_TYPE_VA, b.ep[0], PLAIN), DAT_INVALID_HANDLE,
	      DAT_INVALID_HANDLE_LMR);
	FAILS(BIND(h, b.lmr, &iov, READS, DAT_VA_TYPE_VA, a.ep[0], PLAIN), DAT_INVALID_HANDLE,
	      DAT_INVALID_HANDLE_EP);
	FAILS(BIND(h, b.lmr, NULL, READS, DAT_VA_TYPE_VA, b.ep[0], PLAIN), DAT_INVALID_PARAMETER,
	      DAT_INVALID_ARG3);
	FAILS(BIND(h, b.lmr, &iov, 0x40, DAT_VA_TYPE_VA, b.ep[0], PLAIN), DAT_INVALID_PARAMETER,
	      DAT_INVALID_ARG4);
	FAILS(BIND(h, b.lmr, &iov, READS, DAT_VA_TYPE_ZB, b.ep[0], PLAIN),
	      DAT_MODEL_NOT_SUPPORTED, DAT_NO_SUBTYPE);
	FAILS(BIND(h, b.lmr, &iov, READS, DAT_VA_TYPE_VA, b.ep[0],
		   DAT_COMPLETION_SOLICITED_WAIT_FLAG), DAT_INVALID_PARAMETER, DAT_INVALID_ARG8);
	FAILS(BIND(h, b.lmr, &ro_iov, READS, DAT_VA_TYPE_VA, b.ep[0], PLAIN),
	      DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	FAILS(BIND(h, read_only, &ro_iov, WRITES, DAT_VA_TYPE_VA, b.ep[0], PLAIN),
	      DAT_PRIVILEGES_VIOLATION, DAT_PRIVILEGES_WRITE);
	FAILS(BIND(h, far, &far_iov, READS, DAT_VA_TYPE_VA, b.ep[0], PLAIN),
	      DAT_PROTECTION_VIOLATION, DAT_PROTECTION_READ);
	FAILS(BIND(far_rmr, far, &far_iov, READS, DAT_VA_TYPE_VA, b.ep[0], PLAIN),
	      DAT_PROTECTION_VIOLATION, DAT_NO_SUBTYPE);
	ro_iov.virtual_address = (uintptr_t)b.mem - 1;
	FAILS(BIND(h, read_only, &ro_iov, READS, DAT_VA_TYPE_VA, b.ep[0], PLAIN),
	      DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	ro_iov.virtual_address = (uintptr_t)b.mem + 4096 - LEN + 1;
	FAILS(BIND(h, read_only, &ro_iov, READS, DAT_VA_TYPE_VA, b.ep[0], PLAIN),
	      DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
#undef BIND
	CHECK(none(b.tx));
	return used(0, false, context, AT, LEN, DAT_DTO_SUCCESS);
}

/* A window is reached through each endpoint of its zone, and through no other. */
static bool scope(void)
{
	DAT_RMR_CONTEXT context;
	DAT_PZ_HANDLE pz, mine;
	DAT_RMR_HANDLE h;

	CHECK(rmr_open(2));
	OK(dat_rmr_create(b.pz, &h));
	CHECK(bound(h, READS, &context));
	CHECK(used(0, false, context, AT, LEN, DAT_DTO_SUCCESS));
	CHECK(used(1, false, context, AT, LEN, DAT_DTO_SUCCESS));
	OK(dat_pz_create(b.ia, &pz));
	mine = b.pz;
	b.pz = pz;
	CHECK(dpair_link(1));
	b.pz = mine;
	CHECK(refused(2, false, context, AT, LEN));
	CHECK(used(0, false, context, AT, LEN, DAT_DTO_SUCCESS));
	FAILS(DAT_RMR_CREATE_FOR_EP(b.pz, &h), DAT_MODEL_NOT_SUPPORTED, DAT_NO_SUBTYPE);
	FAILS(DAT_RMR_CREATE_FOR_EP(b.ep[0], &h), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_PZ);
	return true;
}

/* Addresses in a region are virtual ones. */
static bool va_types(void)
{
	DAT_REGION_DESCRIPTION region;
	DAT_RMR_CONTEXT context;
	DAT_LMR_CONTEXT key;
	DAT_LMR_HANDLE h;
	DAT_VADDR addr;
	DAT_VLEN len;

	CHECK(rmr_open(1));
	region.for_va = b.mem;
	FAILS(dat_lmr_create(b.ia, DAT_MEM_TYPE_VIRTUAL, region, 4096, b.pz, READS,
			     DAT_VA_TYPE_ZB, &h, &key, &context, &len, &addr),
	      DAT_MODEL_NOT_SUPPORTED, DAT_NO_SUBTYPE);
	return used(0, false, b.rmr, AT, LEN, DAT_DTO_SUCCESS);
}

/* Models that the standard makes optional. */
static bool absent(void)
{
	DAT_RMR_TRIPLET remote = { 0 };
	DAT_LMR_TRIPLET iov;

	CHECK(rmr_open(1));
	iov = seg(&a, 0, 8);
	FAILS(DAT_EP_POST_RDMA_READ_TO_RMR(a.ep[0], &remote, cookie(0), &remote, PLAIN),
	      DAT_MODEL_NOT_SUPPORTED, DAT_NO_SUBTYPE);
	FAILS(DAT_EP_POST_SEND_WITH_INVALIDATE(a.ep[0], 1, &iov, cookie(0), PLAIN, DAT_TRUE, 5),
	      DAT_MODEL_NOT_SUPPORTED, DAT_NO_SUBTYPE);
	return none(a.tx);
}

static bool synced(void)
{
	DAT_LMR_TRIPLET iov;

	CHECK(rmr_open(1));
	iov = seg(&b, AT, LEN);
	OK(dat_lmr_sync_rdma_read(b.ia, &iov, 1));
	OK(dat_lmr_sync_rdma_write(b.ia, &iov, 1));
	FAILS(dat_lmr_sync_rdma_read(b.ia, NULL, 1), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	iov = seg(&b, MEM - 1, 2);
	FAILS(dat_lmr_sync_rdma_read(b.ia, &iov, 1), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	iov.lmr_context = ~0u;
	FAILS(dat_lmr_sync_rdma_write(b.ia, &iov, 1), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	return true;
}

static bool extensions(void)
{
	DAT_IA_ATTR is;

	CHECK(rmr_open(1));
	OK(dat_ia_query(a.ia, NULL, DAT_IA_FIELD_ALL, &is, 0, NULL));
	CHECK_EQ(is.extension_supported, DAT_EXTENSION_NONE);
	FAILS(dat_extension_op(a.ep[0], 0x40000, 0), DAT_NOT_IMPLEMENTED, DAT_NO_SUBTYPE);
	return true;
}

static const struct srow rows[] = {
	SROW("DRDMA-21", "An LMR has an RMR context only with remote privileges", privileges),
	SROW("DRDMA-22", "An LMR of an LMR has its own zone, privileges and contexts", lmr_of_lmr),
	SROW("DRDMA-23", "The registered range covers the request", odd_ranges),
	SROW("DRDMA-24", "After dat_lmr_free its RMR context is refused", lmr_free),
	SROW("DRDMA-25", "dat_rmr_create, dat_rmr_query, dat_rmr_free", rmr_life),
	SROW("DRDMA-26", "A bind gives a new context, and an event", window),
	SROW("DRDMA-27", "After a bind the former context is refused", rebind),
	SROW("DRDMA-28", "Requests that are posted after a bind begin after it", bind_then_send),
	SROW("DRDMA-29", "Length 0 unbinds", rebind),
	SROW("DRDMA-30", "Windows, privileges and zones that a bind refuses", bind_errors),
	SROW("DRDMA-31", "The scope of an RMR is its zone", scope),
	SROW("DRDMA-32", "Addresses are virtual ones; zero-based ones are not supported", va_types),
	SROW("DRDMA-33", "RDMA reads into an RMR are not supported", absent),
	SROW("DRDMA-34", "Sends that invalidate an RMR are not supported", absent),
	SROW("DRDMA-35", "dat_lmr_sync_rdma_read, dat_lmr_sync_rdma_write check their arguments",
	     synced),
	SROW("DRDMA-36", "Extensions are not implemented, and not declared", extensions),
};

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	srows_run_everywhere(rows, ARRAY_LEN(rows));
	return results_end();
}
