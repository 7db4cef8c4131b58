// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * RDMA through libdat2: requests that fail, and the end of their connection; load
 * TIMEOUT: 300 NEEDS: dat
 */
#include <string.h>
#include <sys/mman.h>
#include "srows.h"

#define PLAIN	DAT_COMPLETION_DEFAULT_FLAG
#define LEN	4096
#define BIG	(3u << 20)

/* Both sides and a connection; B's memory has a pattern. */
static bool errors_open(void)
{
	CHECK(dpair_open(apart, 64, 4));
	aattr.max_rdma_read_out = 8;
	battr.max_rdma_read_in = 8;
	pattern_fill(b.mem, MEM, 5);
	return dpair_link(1);
}

static DAT_RETURN use(bool write, const DAT_RMR_TRIPLET *remote, uint64_t n)
{
	DAT_LMR_TRIPLET iov = seg(&a, 0, remote->segment_length);

	return (write ? dat_ep_post_rdma_write : dat_ep_post_rdma_read)
		(a.ep[a.neps - 1], 1, &iov, cookie(n), remote, PLAIN);
}

/*
 * A request fails with this status: its event comes, also when successes are suppressed. The
 * connection breaks, and later requests are flushed.
 */
static bool breaks(DAT_DTO_COMPLETION_STATUS status)
{
	int i = a.neps - 1;

	OK(read_as(i, MEM - 8, 0, 8, 2, DAT_COMPLETION_SUPPRESS_FLAG));
	CHECK(dto(a.tx, a.ep[i], 1, status, 0));
	CHECK(dto(a.tx, a.ep[i], 2, DAT_DTO_ERR_FLUSHED, 0));
	CHECK(conn(a.conn, DAT_CONNECTION_EVENT_BROKEN, a.ep[i]));
	CHECK(conn(b.conn, DAT_CONNECTION_EVENT_DISCONNECTED, b.ep[i]));
	CHECK(async(DAT_ASYNC_ERROR_EP_BROKEN, b.ep[i], DAT_EP_TRANSFER_TO_ERROR));
	OK(write_as(i, 0, 0, 8, 3, PLAIN));
	return dto(a.tx, a.ep[i], 3, DAT_DTO_ERR_FLUSHED, 0);
}

/* A read and a write with a triplet are refused, each on a connection of its own. */
static bool denied(const DAT_RMR_TRIPLET *remote)
{
	int write;

	for (write = 0; write < 2; write++) {
		OK(use(write, remote, 1));
		CHECK(breaks(DAT_DTO_ERR_REMOTE_ACCESS));
		CHECK(dpair_link(1));
	}
	return true;
}

/* Context, bounds, privilege and zone. */
static bool remote_errors(void)
{
	DAT_REGION_DESCRIPTION region;
	DAT_RMR_TRIPLET remote;
	DAT_LMR_CONTEXT key;
	DAT_LMR_HANDLE h;
	DAT_PZ_HANDLE pz;
	DAT_VADDR addr;
	DAT_VLEN len;

	CHECK(errors_open());
	memset(a.mem, 0xee, LEN);
	remote = far_seg(&b, 0, LEN);
	remote.rmr_context ^= 1;
	CHECK(denied(&remote));
	remote.rmr_context = 0;
	CHECK(denied(&remote));
	remote = far_seg(&b, 0, LEN);
	remote.virtual_address--;
	CHECK(denied(&remote));
	remote = far_seg(&b, MEM - LEN + 1, LEN);
	CHECK(denied(&remote));
	remote.virtual_address = -8ull;
	CHECK(denied(&remote));
	region.for_va = b.mem;
	OK(dat_pz_create(b.ia, &pz));
	remote = far_seg(&b, 0, LEN);
	OK(dat_lmr_create(b.ia, DAT_MEM_TYPE_VIRTUAL, region, LEN, pz, DAT_MEM_PRIV_ALL_FLAG,
			  DAT_VA_TYPE_VA, &h, &key, &remote.rmr_context, &len, &addr));
	CHECK(denied(&remote));
	OK(dat_lmr_create(b.ia, DAT_MEM_TYPE_VIRTUAL, region, LEN, b.pz,
			  DAT_MEM_PRIV_LOCAL_READ_FLAG | DAT_MEM_PRIV_REMOTE_READ_FLAG,
			  DAT_VA_TYPE_VA, &h, &key, &remote.rmr_context, &len, &addr));
	OK(use(true, &remote, 1));
	CHECK(breaks(DAT_DTO_ERR_REMOTE_ACCESS));
	/* nothing has been written, here and there */
	return pattern_is(b.mem, MEM, 5) && all_bytes(a.mem, LEN, 0xee);
}

/* The failure of a suppressed request has an event. */
static bool suppressed(void)
{
	DAT_LMR_TRIPLET iov;
	DAT_RMR_TRIPLET remote;

	CHECK(errors_open());
	iov = seg(&a, 0, 8);
	remote = far_seg(&b, 0, 8);
	remote.rmr_context ^= 1;
	OK(dat_ep_post_rdma_write(a.ep[0], 1, &iov, cookie(1), &remote,
				  DAT_COMPLETION_SUPPRESS_FLAG));
	return breaks(DAT_DTO_ERR_REMOTE_ACCESS);
}

/* Local memory goes after the post, or before: the registration does not hold it. */
static bool local_errors(void)
{
	DAT_REGION_DESCRIPTION region;
	DAT_RMR_TRIPLET remote;
	DAT_LMR_TRIPLET iov;
	DAT_LMR_HANDLE h;
	DAT_VADDR addr;
	DAT_VLEN len;
	int write;

	CHECK(errors_open());
	for (write = 0; write < 2; write++) {
		void *mem = mmap(NULL, BIG, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
				 0);

		CHECK(mem != MAP_FAILED);
		region.for_va = mem;
		remote = far_seg(&b, 0, BIG);
		OK(dat_lmr_create(a.ia, DAT_MEM_TYPE_VIRTUAL, region, BIG, a.pz,
				  DAT_MEM_PRIV_ALL_FLAG, DAT_VA_TYPE_VA, &h, &iov.lmr_context,
				  &remote.rmr_context, &len, &addr));
		remote = far_seg(&b, 0, BIG);
		iov.virtual_address = addr;
		iov.segment_length = BIG;
		CHECK_EQ(munmap(mem, BIG), 0);
		OK((write ? dat_ep_post_rdma_write : dat_ep_post_rdma_read)
		   (a.ep[a.neps - 1], 1, &iov, cookie(1), &remote, PLAIN));
		CHECK(breaks(DAT_DTO_ERR_LOCAL_PROTECTION));
		OK(dat_lmr_free(h));
		CHECK(dpair_link(1));
	}
	return pattern_is(b.mem, MEM, 5);
}

/* The peer ends in the middle: each request ends once, and then the connection. */
static bool peer_gone(void)
{
	int n, flushed = 0;
	DAT_EVENT ev;

	CHECK(errors_open());
	for (n = 0; n < 32; n++)
		OK(n % 2 ? read_as(0, 0, 0, n % 4 ? 8 : BIG, n, PLAIN) :
			   write_as(0, 0, 0, n % 4 ? 8 : BIG, n, PLAIN));
	OK(dat_ep_free(b.ep[0]));
	for (n = 0; n < 32; n++) {
		DAT_DTO_COMPLETION_EVENT_DATA *d = &ev.event_data.dto_completion_event_data;

		CHECK(next(a.tx, &ev));
		CHECK_EQ(d->user_cookie.as_64, n);
		CHECK(d->status == DAT_DTO_SUCCESS || d->status == DAT_DTO_ERR_FLUSHED ||
		      d->status == DAT_DTO_ERR_TRANSPORT);
		flushed += d->status != DAT_DTO_SUCCESS;
		/* none succeeds behind one that has not */
		CHECK(!flushed || d->status != DAT_DTO_SUCCESS);
	}
	CHECK(none(a.tx));
	return conn(a.conn, DAT_CONNECTION_EVENT_DISCONNECTED, a.ep[0]);
}

/* Receives of a shared queue, sends, reads and writes on one connection, both ways. */
static bool together(void)
{
	int n, rounds = srows_times(300);
	DAT_LMR_TRIPLET iov;
	DAT_RMR_TRIPLET at_a;
	DAT_EVENT ev;

	CHECK(dpair_open(apart, 64, 4));
	aattr.max_rdma_read_in = 4;
	aattr.max_rdma_read_out = 4;
	battr = aattr;
	CHECK(dpair_link(1));
	for (n = 0; n < rounds; n++) {
		size_t len = n % 7 ? 64 : 200000;

		pattern_fill(a.mem, len, n);
		OK(post(1 << 20, 64, n));
		OK(write_as(0, 0, 0, len, 1, PLAIN));
		OK(put(0, 0, 64, 2));
		OK(read_as(0, 2 << 20, 0, len, 3, PLAIN));
		CHECK(dto(b.rx, b.ep[0], n, DAT_DTO_SUCCESS, 64));
		CHECK(pattern_is(b.mem, len, n) && pattern_is(b.mem + (1 << 20), 64, n));
		iov = seg(&b, 2 << 20, len);
		at_a = far_seg(&a, 0, len);
		OK(dat_ep_post_rdma_read(b.ep[0], 1, &iov, cookie(4), &at_a, PLAIN));
		CHECK(dto(b.tx, b.ep[0], 4, DAT_DTO_SUCCESS, len));
		CHECK(pattern_is(b.mem + (2 << 20), len, n));
		CHECK(dto(a.tx, a.ep[0], 1, DAT_DTO_SUCCESS, len));
		CHECK(dto(a.tx, a.ep[0], 2, DAT_DTO_SUCCESS, 64));
		CHECK(dto(a.tx, a.ep[0], 3, DAT_DTO_SUCCESS, len));
		CHECK(pattern_is(a.mem + (2 << 20), len, n));
	}
	return dat_evd_dequeue(a.async, &ev) != DAT_SUCCESS;
}

static const struct srow rows[] = {
	SROW("DRDMA-18", "A request that the peer refuses breaks the connection", remote_errors),
	ALSO("suppressed requests that fail", suppressed),
	SROW("DRDMA-19", "Local memory that has gone breaks the connection", local_errors),
	SROW("DRDMA-20", "When the peer ends, each request ends once", peer_gone),
	SROW("DRDMA-37", "Shared receives, sends and RDMA of one endpoint", together),
};

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	srows_run_everywhere(rows, ARRAY_LEN(rows));
	return results_end();
}
