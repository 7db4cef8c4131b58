// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * RDMA through libdat2: reads and writes, their arguments, flags and order, attributes; the cost of
 * a post
 * TIMEOUT: 300 NEEDS: dat
 */
#include <stdlib.h>
#include <string.h>
#include "looks.h"
#include "quiet.h"
#include "srows.h"

#define PLAIN	DAT_COMPLETION_DEFAULT_FLAG
#define BIG	(3u << 20)

/* Both sides, with @out reads at a time, and a connection. */
static bool rdma_open(int out)
{
	CHECK(dpair_open(apart, 64, 4));
	aattr.max_rdma_read_out = out;
	battr.max_rdma_read_in = out;
	return dpair_link(1);
}

static bool wrote(uint64_t n, size_t len)
{
	return dto_of(DAT_DTO_RDMA_WRITE, a.tx, a.ep[0], n, DAT_DTO_SUCCESS, len);
}

static bool has_read(uint64_t n, size_t len)
{
	return dto_of(DAT_DTO_RDMA_READ, a.tx, a.ep[0], n, DAT_DTO_SUCCESS, len);
}

/* ---- Reads and writes -------------------------------------------------------------------- */

static const size_t sizes[] = { 1, 8, 100, 1400, 4097, 70000, 300001, BIG };

/* Three local segments become one remote segment; then single ones of all sizes. */
static bool writes(void)
{
	DAT_LMR_TRIPLET iov[3];
	DAT_RMR_TRIPLET remote;
	size_t i;

	CHECK(rdma_open(0));
	memset(b.mem, 0xee, MEM);
	pattern_fill(a.mem + 1, 7, 1);
	pattern_fill(a.mem + 101, 64, 2);
	iov[0] = seg(&a, 1, 7);
	iov[1] = seg(&a, 55, 0);
	iov[2] = seg(&a, 101, 64);
	remote = far_seg(&b, 3, 71);
	OK(dat_ep_post_rdma_write(a.ep[0], 3, iov, cookie(1), &remote, PLAIN));
	CHECK(wrote(1, 71));
	CHECK(all_bytes(b.mem, 3, 0xee) && pattern_is(b.mem + 3, 7, 1));
	CHECK(pattern_is(b.mem + 10, 64, 2) && all_bytes(b.mem + 74, 100, 0xee));
	for (i = 0; i < ARRAY_LEN(sizes); i++) {
		memset(b.mem, 0xee, MEM);
		pattern_fill(a.mem + i, sizes[i], i);
		OK(write_as(0, i, 33 + i, sizes[i], i, PLAIN));
		CHECK(wrote(i, sizes[i]));
		CHECK(all_bytes(b.mem, 33 + i, 0xee));
		CHECK(pattern_is(b.mem + 33 + i, sizes[i], i));
		CHECK(all_bytes(b.mem + 33 + i + sizes[i], 4096, 0xee));
	}
	return none(b.rx) && none(b.tx) && none(a.rx);
}

/* One remote segment fills three local ones; then single ones of all sizes. */
static bool reads(void)
{
	DAT_LMR_TRIPLET iov[3];
	DAT_RMR_TRIPLET remote;
	size_t i;

	CHECK(rdma_open(4));
	memset(a.mem, 0xee, MEM);
	pattern_fill(b.mem + 3, 7, 1);
	pattern_fill(b.mem + 10, 64, 2);
	iov[0] = seg(&a, 1, 7);
	iov[1] = seg(&a, 55, 0);
	iov[2] = seg(&a, 101, 64);
	remote = far_seg(&b, 3, 71);
	OK(dat_ep_post_rdma_read(a.ep[0], 3, iov, cookie(1), &remote, PLAIN));
	CHECK(has_read(1, 71));
	CHECK(all_bytes(a.mem, 1, 0xee) && pattern_is(a.mem + 1, 7, 1));
	CHECK(all_bytes(a.mem + 8, 93, 0xee) && pattern_is(a.mem + 101, 64, 2));
	CHECK(all_bytes(a.mem + 165, 100, 0xee));
	for (i = 0; i < ARRAY_LEN(sizes); i++) {
		memset(a.mem, 0xee, MEM);
		pattern_fill(b.mem + i, sizes[i], i);
		OK(read_as(0, 33 + i, i, sizes[i], i, PLAIN));
		CHECK(has_read(i, sizes[i]));
		CHECK(all_bytes(a.mem, 33 + i, 0xee));
		CHECK(pattern_is(a.mem + 33 + i, sizes[i], i));
		CHECK(all_bytes(a.mem + 33 + i + sizes[i], 4096, 0xee));
	}
	return none(b.rx) && none(b.tx) && none(a.rx);
}

/* The remote memory is not looked at. */
static bool empty(void)
{
	DAT_RMR_TRIPLET remote = { .virtual_address = ~0ull };
	DAT_LMR_TRIPLET iov;

	CHECK(rdma_open(4));
	iov = seg(&a, 0, 0);
	OK(dat_ep_post_rdma_write(a.ep[0], 0, NULL, cookie(1), &remote, PLAIN));
	OK(dat_ep_post_rdma_write(a.ep[0], 1, &iov, cookie(2), &remote, PLAIN));
	OK(dat_ep_post_rdma_read(a.ep[0], 0, NULL, cookie(3), &remote, PLAIN));
	OK(dat_ep_post_rdma_read(a.ep[0], 1, &iov, cookie(4), &remote, PLAIN));
	return wrote(1, 0) && wrote(2, 0) && has_read(3, 0) && has_read(4, 0);
}

/* The destination may be longer than the source, and not shorter. */
static bool lengths(void)
{
	DAT_RMR_TRIPLET remote;
	DAT_LMR_TRIPLET iov;

	CHECK(rdma_open(4));
	iov = seg(&a, 0, 64);
	remote = far_seg(&b, 0, 63);
	FAILS(dat_ep_post_rdma_write(a.ep[0], 1, &iov, cookie(1), &remote, PLAIN),
	      DAT_LENGTH_ERROR, DAT_NO_SUBTYPE);
	OK(dat_ep_post_rdma_read(a.ep[0], 1, &iov, cookie(2), &remote, PLAIN));
	CHECK(has_read(2, 63));
	memset(b.mem, 0xee, 65);
	remote.segment_length = 65;
	FAILS(dat_ep_post_rdma_read(a.ep[0], 1, &iov, cookie(3), &remote, PLAIN),
	      DAT_LENGTH_ERROR, DAT_NO_SUBTYPE);
	OK(dat_ep_post_rdma_write(a.ep[0], 1, &iov, cookie(4), &remote, PLAIN));
	CHECK(wrote(4, 64));
	return all_bytes(b.mem, 64, 0) && b.mem[64] == 0xee;
}

/* ---- Arguments --------------------------------------------------------------------------- */

static bool arguments(void)
{
	DAT_LMR_TRIPLET iov[9];
	DAT_RMR_TRIPLET remote;
	DAT_EP_PARAM param;
	int i;

	CHECK(rdma_open(4));
	for (i = 0; i < 9; i++)
		iov[i] = seg(&a, 0, 1);
	remote = far_seg(&b, 0, 64);
	OK(dat_ep_query(a.ep[0], DAT_EP_FIELD_ALL, &param));
	i = param.ep_attr.max_rdma_write_iov;
	FAILS(dat_ep_post_rdma_write(a.ep[0], -1, iov, cookie(0), &remote, PLAIN),
	      DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	FAILS(dat_ep_post_rdma_write(a.ep[0], i + 1, iov, cookie(0), &remote, PLAIN),
	      DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	FAILS(dat_ep_post_rdma_write(a.ep[0], 1, NULL, cookie(0), &remote, PLAIN),
	      DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	FAILS(dat_ep_post_rdma_write(a.ep[0], 1, iov, cookie(0), NULL, PLAIN),
	      DAT_INVALID_PARAMETER, DAT_INVALID_ARG5);
	OK(dat_ep_post_rdma_write(a.ep[0], i, iov, cookie(1), &remote, PLAIN));
	CHECK(wrote(1, i));
	i = param.ep_attr.max_rdma_read_iov;
	remote.segment_length = i;
	FAILS(dat_ep_post_rdma_read(a.ep[0], -1, iov, cookie(0), &remote, PLAIN),
	      DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	FAILS(dat_ep_post_rdma_read(a.ep[0], i + 1, iov, cookie(0), &remote, PLAIN),
	      DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	FAILS(dat_ep_post_rdma_read(a.ep[0], 1, NULL, cookie(0), &remote, PLAIN),
	      DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	FAILS(dat_ep_post_rdma_read(a.ep[0], 1, iov, cookie(0), NULL, PLAIN),
	      DAT_INVALID_PARAMETER, DAT_INVALID_ARG5);
	OK(dat_ep_post_rdma_read(a.ep[0], i, iov, cookie(2), &remote, PLAIN));
	return has_read(2, i) && none(a.tx);
}

/* Each state of an endpoint that lasts; after the end posts are flushed. */
static bool states(void)
{
	DAT_EVENT ev;

	CHECK(rdma_open(4));
	FAILS(dat_ep_post_rdma_write(a.pz, 0, NULL, cookie(0), NULL, PLAIN), DAT_INVALID_HANDLE,
	      DAT_INVALID_HANDLE_EP);
	FAILS(dat_ep_post_rdma_read(a.tx, 0, NULL, cookie(0), NULL, PLAIN), DAT_INVALID_HANDLE,
	      DAT_INVALID_HANDLE_EP);
	OK(dat_ep_create(a.ia, a.pz, a.rx, a.tx, a.conn, &aattr, &a.ep[1]));
	FAILS(write_as(1, 0, 0, 8, 1, PLAIN), DAT_INVALID_STATE,
	      DAT_INVALID_STATE_EP_UNCONNECTED);
	FAILS(read_as(1, 0, 0, 8, 1, PLAIN), DAT_INVALID_STATE, DAT_INVALID_STATE_EP_UNCONNECTED);
	OK(dat_ep_connect(a.ep[1], dpair_addr(), QUAL, DAT_TIMEOUT_INFINITE, 0, NULL,
			  DAT_QOS_BEST_EFFORT, DAT_CONNECT_DEFAULT_FLAG));
	CHECK(next(b.cr, &ev));
	FAILS(write_as(1, 0, 0, 8, 1, PLAIN), DAT_INVALID_STATE,
	      DAT_INVALID_STATE_EP_ACTCONNPENDING);
	FAILS(read_as(1, 0, 0, 8, 1, PLAIN), DAT_INVALID_STATE,
	      DAT_INVALID_STATE_EP_ACTCONNPENDING);
	OK(dat_cr_reject(ev.event_data.cr_arrival_event_data.cr_handle, 0, NULL));
	OK(dat_ep_disconnect(a.ep[0], DAT_CLOSE_ABRUPT_FLAG));
	OK(write_as(0, 0, 0, 8, 2, PLAIN));
	OK(read_as(0, 0, 0, 8, 3, PLAIN));
	OK(write_as(0, 0, 0, 8, 4, DAT_COMPLETION_SUPPRESS_FLAG));
	CHECK(dto(a.tx, a.ep[0], 2, DAT_DTO_ERR_FLUSHED, 0));
	CHECK(dto(a.tx, a.ep[0], 3, DAT_DTO_ERR_FLUSHED, 0));
	return dto(a.tx, a.ep[0], 4, DAT_DTO_ERR_FLUSHED, 0);
}

/* An LMR of A's memory in a zone. */
static bool lmr_of(DAT_PZ_HANDLE pz, DAT_MEM_PRIV_FLAGS priv, DAT_LMR_HANDLE *h,
		   DAT_LMR_TRIPLET *iov)
{
	DAT_REGION_DESCRIPTION region = { .for_va = a.mem };
	DAT_VADDR addr;
	DAT_VLEN len;

	*iov = seg(&a, 0, 64);
	OK(dat_lmr_create(a.ia, DAT_MEM_TYPE_VIRTUAL, region, 64, pz, priv, DAT_VA_TYPE_VA, h,
			  &iov->lmr_context, NULL, &len, &addr));
	return true;
}

/* The result of a read (@write: write) with a local segment. */
static DAT_RETURN with(bool write, DAT_LMR_TRIPLET *iov)
{
	DAT_RMR_TRIPLET remote = far_seg(&b, 0, iov->segment_length);

	return (write ? dat_ep_post_rdma_write : dat_ep_post_rdma_read)
		(a.ep[0], 1, iov, cookie(9), &remote, PLAIN);
}

/* Zone before privilege before bounds. */
static bool local_checks(void)
{
	DAT_LMR_HANDLE far, read_only, write_only;
	DAT_LMR_TRIPLET in_far, to_read, to_write;
	DAT_PZ_HANDLE pz;

	CHECK(rdma_open(4));
	OK(dat_pz_create(a.ia, &pz));
	CHECK(lmr_of(pz, DAT_MEM_PRIV_NONE_FLAG, &far, &in_far));
	CHECK(lmr_of(a.pz, DAT_MEM_PRIV_LOCAL_READ_FLAG, &read_only, &to_read));
	CHECK(lmr_of(a.pz, DAT_MEM_PRIV_LOCAL_WRITE_FLAG, &write_only, &to_write));
	FAILS(with(true, &in_far), DAT_PROTECTION_VIOLATION, DAT_PROTECTION_READ);
	FAILS(with(false, &in_far), DAT_PROTECTION_VIOLATION, DAT_PROTECTION_WRITE);
	FAILS(with(true, &to_write), DAT_PRIVILEGES_VIOLATION, DAT_PRIVILEGES_READ);
	FAILS(with(false, &to_read), DAT_PRIVILEGES_VIOLATION, DAT_PRIVILEGES_WRITE);
	in_far.segment_length++;
	FAILS(with(true, &in_far), DAT_PROTECTION_VIOLATION, DAT_PROTECTION_READ);
	to_write.segment_length++;
	FAILS(with(true, &to_write), DAT_PRIVILEGES_VIOLATION, DAT_PRIVILEGES_READ);
	FAILS(with(false, &to_write), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	to_write.segment_length--;
	to_write.virtual_address--;
	FAILS(with(false, &to_write), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	OK(with(true, &to_read));
	CHECK(wrote(9, 64));
	OK(dat_lmr_free(read_only));
	FAILS(with(true, &to_read), DAT_PRIVILEGES_VIOLATION, DAT_PRIVILEGES_READ);
	FAILS(with(false, &to_read), DAT_PRIVILEGES_VIOLATION, DAT_PRIVILEGES_WRITE);
	return none(a.tx);
}

/* A success that is suppressed has no event; flags that a post may not have. */
static bool flags(void)
{
	CHECK(rdma_open(4));
	OK(write_as(0, 0, 0, 8, 1, DAT_COMPLETION_SUPPRESS_FLAG));
	OK(read_as(0, 0, 0, 8, 2, DAT_COMPLETION_SUPPRESS_FLAG));
	OK(write_as(0, 0, 0, 8, 3, PLAIN));
	CHECK(wrote(3, 8) && none(a.tx));
	FAILS(write_as(0, 0, 0, 8, 4, DAT_COMPLETION_UNSIGNALLED_FLAG), DAT_INVALID_PARAMETER,
	      DAT_INVALID_ARG6);
	FAILS(read_as(0, 0, 0, 8, 5, DAT_COMPLETION_UNSIGNALLED_FLAG), DAT_INVALID_PARAMETER,
	      DAT_INVALID_ARG6);
	FAILS(write_as(0, 0, 0, 8, 6, DAT_COMPLETION_SOLICITED_WAIT_FLAG),
	      DAT_INVALID_PARAMETER, DAT_INVALID_ARG6);
	FAILS(read_as(0, 0, 0, 8, 7, DAT_COMPLETION_SOLICITED_WAIT_FLAG), DAT_INVALID_PARAMETER,
	      DAT_INVALID_ARG6);
	aattr.request_completion_flags = DAT_COMPLETION_UNSIGNALLED_FLAG;
	CHECK(dpair_link(1));
	OK(write_as(1, 0, 0, 8, 8, DAT_COMPLETION_UNSIGNALLED_FLAG));
	OK(read_as(1, 0, 0, 8, 9, PLAIN));
	CHECK(dto(a.tx, a.ep[1], 8, DAT_DTO_SUCCESS, 8));
	return dto(a.tx, a.ep[1], 9, DAT_DTO_SUCCESS, 8);
}

/* ---- Order ------------------------------------------------------------------------------- */

/* A request with a fence begins when the bytes of a long read before it are there. */
static bool barrier(void)
{
	int n;

	CHECK(rdma_open(4));
	for (n = 0; n < srows_times(20); n++) {
		pattern_fill(b.mem, BIG, n);
		memset(a.mem, 0xee, BIG + 8);
		OK(post(BIG, 8, n));
		OK(read_as(0, 0, 0, BIG, 1, PLAIN));
		OK(put_as(0, BIG, 8, 2, DAT_COMPLETION_BARRIER_FENCE_FLAG));
		CHECK(dto(b.rx, b.ep[0], n, DAT_DTO_SUCCESS, 8));
		CHECK(pattern_is(a.mem, BIG, n));
		CHECK(has_read(1, BIG) && dto(a.tx, a.ep[0], 2, DAT_DTO_SUCCESS, 8));
		OK(read_as(0, 0, 0, BIG, 3, PLAIN));
		OK(write_as(0, BIG, BIG - 8, 8, 4, DAT_COMPLETION_BARRIER_FENCE_FLAG));
		CHECK(has_read(3, BIG) && wrote(4, 8));
		CHECK(pattern_is(a.mem, BIG, n));
		CHECK(all_bytes(b.mem + BIG - 8, 8, 0xee));
	}
	return true;
}

/* A message that follows a write arrives after it. */
static bool messages_after(void)
{
	static const size_t some[] = { 64, 4096, 70000, BIG };
	int n, rounds = srows_times(apart ? 30 : 100);

	for (n = 0; n < rounds; n++) {
		size_t len = some[n % ARRAY_LEN(some)];

		pattern_fill(a.mem, len, n);
		OK(post(BIG, 8, n));
		OK(write_as(0, 0, 0, len, 1, DAT_COMPLETION_SUPPRESS_FLAG));
		OK(put_as(0, BIG, 8, 2, DAT_COMPLETION_SUPPRESS_FLAG));
		CHECK(dto(b.rx, b.ep[0], n, DAT_DTO_SUCCESS, 8));
		CHECK(pattern_is(b.mem, len, n));
	}
	return true;
}

/* A write that follows a longer one is stored after it. */
static bool writes_after(void)
{
	atomic_ullong *flag = (void *)(b.mem + BIG);
	unsigned long long n, rounds = srows_times(apart ? 10 : 50);

	for (n = 1; n <= rounds; n++) {
		uint64_t until = now_ms() + WAIT_US / 1000;

		pattern_fill(a.mem, BIG, n);
		memcpy(a.mem + BIG, &n, sizeof(n));
		OK(write_as(0, 0, 0, BIG, 1, PLAIN));
		OK(write_as(0, BIG, BIG, sizeof(n), 2, PLAIN));
		while (*flag != n)
			CHECK(now_ms() < until);
		CHECK(pattern_is(b.mem, BIG, n));
		CHECK(wrote(1, BIG) && wrote(2, sizeof(n)));
	}
	return true;
}

static bool visible(void)
{
	bool ok;

	CHECK(rdma_open(0));
	CHECK(messages_after() && writes_after());
	if (!may_lose(apart))
		return true;
	CHECK(lossy("add"));
	ok = messages_after() && writes_after();
	return lossy("del") && ok;
}

/* Requests of all kinds and many lengths. */
static bool in_order(void)
{
	static const size_t some[] = { 8, 70000, 8, 1400, 300001, 0, 8, 4097 };
	int n, rounds = srows_times(200);
	size_t len;

	CHECK(rdma_open(16));
	for (n = 0; n < rounds; n++) {
		len = some[n % ARRAY_LEN(some)];
		if (n % 3 == 0) {
			OK(post(1 << 20, 300001, n));
			OK(put(0, 0, len, n));
		} else if (n % 3 == 1) {
			OK(read_as(0, 2 << 20, 0, len, n, PLAIN));
		} else {
			OK(write_as(0, 0, 2 << 20, len, n, PLAIN));
		}
		if (n < 50)
			continue;
		len = some[(n - 50) % ARRAY_LEN(some)];
		CHECK(dto(a.tx, a.ep[0], n - 50, DAT_DTO_SUCCESS, len));
		if ((n - 50) % 3 == 0)
			CHECK(dto(b.rx, b.ep[0], n - 50, DAT_DTO_SUCCESS, len));
	}
	return true;
}

/* As many requests as declared; each event that is dequeued frees one. */
static bool full(void)
{
	int n;

	CHECK(rdma_open(4));
	for (n = 0; n < aattr.max_request_dtos; n++)
		OK(n % 2 ? read_as(0, 0, 0, 8, n, PLAIN) : write_as(0, 0, 0, 8, n, PLAIN));
	FAILS(write_as(0, 0, 0, 8, n, PLAIN), DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_TEP);
	FAILS(read_as(0, 0, 0, 8, n, PLAIN), DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_TEP);
	CHECK(wrote(0, 8));
	OK(read_as(0, 0, 0, 8, n, PLAIN));
	FAILS(write_as(0, 0, 0, 8, n, PLAIN), DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_TEP);
	return has_read(1, 8);
}

/* ---- Attributes -------------------------------------------------------------------------- */

/* 1000 reads on connections that permit fewer at a time, also fewer at the peer than here. */
static bool many_reads(void)
{
	static const int limits[][2] = { { 4, 4 }, { 1, 1 }, { 64, 1 } };
	size_t i;
	int n;

	for (i = 0; i < ARRAY_LEN(limits); i++) {
		CHECK(dpair_open(apart, 64, 4));
		aattr.max_request_dtos = 1000;
		aattr.max_rdma_read_out = limits[i][0];
		battr.max_rdma_read_in = limits[i][1];
		CHECK(dpair_link(1));
		pattern_fill(b.mem, MEM, 1);
		for (n = 0; n < 1000; n++)
			OK(read_as(0, n * 4000, n * 4000, n % 4000, n, PLAIN));
		for (n = 0; n < 1000; n++)
			CHECK(has_read(n, n % 4000));
		CHECK(!memcmp(a.mem + 999 * 4000, b.mem + 999 * 4000, 999));
		dpair_close();
	}
	return true;
}

/* An endpoint has at least the requested numbers, or the creation fails. */
static bool ep_attributes(void)
{
	static const int some[] = { 0, 1, 4, 64 };
	DAT_EP_PARAM param;
	DAT_IA_ATTR is;
	DAT_EP_HANDLE h;
	size_t i;

	CHECK(rdma_open(0));
	FAILS(read_as(0, 0, 0, 8, 1, PLAIN), DAT_INVALID_PARAMETER, DAT_INVALID_ARG1);
	OK(dat_ia_query(a.ia, NULL, DAT_IA_FIELD_ALL, &is, 0, NULL));
	for (i = 0; i < ARRAY_LEN(some); i++) {
		aattr.max_rdma_read_in = some[i];
		aattr.max_rdma_read_out = some[i];
		aattr.max_rdma_read_iov = i;
		aattr.max_rdma_write_iov = 2 * i;
		aattr.max_rdma_size = 1u << (10 * i);
		OK(dat_ep_create(a.ia, a.pz, a.rx, a.tx, a.conn, &aattr, &h));
		OK(dat_ep_query(h, DAT_EP_FIELD_ALL, &param));
		CHECK_EQ(param.ep_attr.max_rdma_read_in, some[i]);
		CHECK_EQ(param.ep_attr.max_rdma_read_out, some[i]);
		CHECK(param.ep_attr.max_rdma_read_iov >= (int)i);
		CHECK(param.ep_attr.max_rdma_write_iov >= 2 * (int)i);
		CHECK(param.ep_attr.max_rdma_size >= aattr.max_rdma_size);
		param.ep_attr.max_rdma_read_out = 7;
		OK(dat_ep_modify(h, DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_OUT, &param));
		OK(dat_ep_query(h, DAT_EP_FIELD_ALL, &param));
		CHECK_EQ(param.ep_attr.max_rdma_read_out, 7);
		CHECK_EQ(param.ep_attr.max_rdma_read_in, some[i]);
		OK(dat_ep_free(h));
	}
	aattr.max_rdma_read_out = is.max_rdma_read_per_ep_out + 1;
	FAILS(dat_ep_create(a.ia, a.pz, a.rx, a.tx, a.conn, &aattr, &h), DAT_INVALID_PARAMETER,
	      DAT_INVALID_ARG6);
	aattr.max_rdma_read_out = 0;
	aattr.max_rdma_read_in = is.max_rdma_read_per_ep_in + 1;
	FAILS(dat_ep_create(a.ia, a.pz, a.rx, a.tx, a.conn, &aattr, &h), DAT_INVALID_PARAMETER,
	      DAT_INVALID_ARG6);
	return true;
}

/* The declared numbers are possible, and no larger ones. */
static bool ia_attributes(void)
{
	DAT_PROVIDER_ATTR p;
	DAT_RMR_HANDLE rmr;
	DAT_IA_ATTR is;
	DAT_EP_HANDLE h;
	bool reads = false;
	int i;

	CHECK(rdma_open(0));
	OK(dat_ia_query(a.ia, NULL, DAT_IA_FIELD_ALL, &is, DAT_PROVIDER_FIELD_ALL, &p));
	for (i = 0; i < p.num_provider_specific_attr; i++)
		if (!strcmp(p.provider_specific_attr[i].name, "DAT_IB_RDMA_READ"))
			reads = !strcmp(p.provider_specific_attr[i].value, "TRUE");
	CHECK(reads);
	CHECK_EQ(p.lmr_sync_req, DAT_FALSE);
	CHECK_EQ(p.rdma_write_for_rdma_read_req, DAT_FALSE);
	CHECK_EQ(p.rmr_scope_supported, DAT_RMR_SCOPE_PZ);
	CHECK_EQ(is.zb_supported, DAT_FALSE);
	CHECK(is.max_rdma_size >= BIG && is.max_rdma_read_in > 0 && is.max_rdma_read_out > 0);
	for (i = 0; i < is.max_rmrs; i++)
		OK(dat_rmr_create(a.pz, &rmr));
	aattr.max_rdma_read_in = is.max_rdma_read_per_ep_in;
	aattr.max_rdma_read_out = is.max_rdma_read_per_ep_out;
	aattr.max_rdma_read_iov = is.max_iov_segments_per_rdma_read;
	aattr.max_rdma_write_iov = is.max_iov_segments_per_rdma_write;
	aattr.max_rdma_size = is.max_rdma_size;
	OK(dat_ep_create(a.ia, a.pz, a.rx, a.tx, a.conn, &aattr, &h));
	aattr.max_rdma_read_iov++;
	FAILS(dat_ep_create(a.ia, a.pz, a.rx, a.tx, a.conn, &aattr, &h), DAT_INVALID_PARAMETER,
	      DAT_INVALID_ARG6);
	aattr.max_rdma_read_iov--;
	aattr.max_rdma_write_iov++;
	FAILS(dat_ep_create(a.ia, a.pz, a.rx, a.tx, a.conn, &aattr, &h), DAT_INVALID_PARAMETER,
	      DAT_INVALID_ARG6);
	return true;
}

/* ---- A peer that falls silent ------------------------------------------------------------- */

#define DEAD_MS	10000	/* the default */

/* Node 0 gets no packets any more, or gets them again. */
static bool cut(bool on)
{
	const char *cmd = on ? "node 0 nft 'add table inet weft_cut; "
				"add chain inet weft_cut c { type filter hook input priority 0; }; "
				"add rule inet weft_cut c udp dport 9471 drop'" :
			       "node 0 nft delete table inet weft_cut";

	CHECK_EQ(system(cmd), 0);
	return true;
}

/* Requests to a node that does not answer fail after the limit of the port. */
static bool silent_requests(void)
{
	DAT_DTO_COMPLETION_EVENT_DATA *d;
	DAT_EVENT ev;
	int n;

	for (n = 0; n < 8; n++)
		OK(n % 2 ? read_as(0, 0, 0, BIG, n, PLAIN) : write_as(0, 0, 0, 64, n, PLAIN));
	for (n = 0; n < 8; n++) {
		d = &ev.event_data.dto_completion_event_data;
		CHECK(next(a.tx, &ev));
		CHECK_EQ(d->user_cookie.as_64, n);
		CHECK(d->status == DAT_DTO_ERR_TRANSPORT || d->status == DAT_DTO_ERR_FLUSHED);
	}
	CHECK(none(a.tx));
	return conn(a.conn, DAT_CONNECTION_EVENT_BROKEN, a.ep[0]);
}

static bool silent(void)
{
	bool ok;

	if (!may_lose(apart))
		return true;
	CHECK(rdma_open(8));
	CHECK(port_limit(0, "dead-ms", 2000));
	CHECK(cut(true));
	ok = silent_requests();
	CHECK(cut(false));
	return port_limit(0, "dead-ms", DEAD_MS) && ok;
}

/* ---- Cost of a post ---------------------------------------------------------------------- */

/* Reads and writes, a window at a time. */
static bool window(int rounds)
{
	int n, done;
	DAT_EVENT ev;

	while (rounds--) {
		for (n = 0; n < 8; n++)
			OK(n % 2 ? read_as(0, n * 64, n * 64, 64, n, PLAIN) :
				   write_as(0, n * 64, n * 64, 64, n, PLAIN));
		for (done = 0; done < 8;) {
			if (dat_evd_dequeue(a.tx, &ev) != DAT_SUCCESS)
				continue;
			CHECK_EQ(ev.event_data.dto_completion_event_data.status, DAT_DTO_SUCCESS);
			CHECK_EQ(ev.event_data.dto_completion_event_data.user_cookie.as_64, done);
			done++;
		}
	}
	return true;
}

static bool quiet_run(void)
{
	CHECK(rdma_open(8));
	CHECK(window(20));
	CHECK(quiet_begin());
	CHECK(window(srows_times(apart ? 200 : 2000)));
	return quiet_end();
}

static bool quiet(void)
{
	return quiet_while(quiet_run);
}

static const struct srow rows[] = {
	SROW("DRDMA-01", "A write moves the local segments in order; no event at the peer", writes),
	SROW("DRDMA-02", "A read fills the local segments front to back", reads),
	SROW("DRDMA-03", "No segments and no bytes succeed", empty),
	SROW("DRDMA-04", "The destination is not shorter than the source, and may be longer",
	     lengths),
	SROW("DRDMA-05", "Numbers of segments, and arrays that are missing", arguments),
	SROW("DRDMA-06", "An endpoint that has not been connected", states),
	SROW("DRDMA-07", "On an ended connection requests are flushed", states),
	SROW("DRDMA-08", "Zone, privilege and bounds of local segments, in this order",
	     local_checks),
	SROW("DRDMA-09", "Completion flags of RDMA", flags),
	SROW("DRDMA-10", "A barrier fence waits for all earlier reads", barrier),
	SROW("DRDMA-11", "Writes and messages arrive in posting order", visible),
	SROW("DRDMA-12", "Requests complete in posting order", in_order),
	SROW("DRDMA-13", "max_request_dtos bounds the requests", full),
	SROW("DRDMA-14", "Reads beyond max_rdma_read_out wait, and none is refused", many_reads),
	SROW("DRDMA-15", "Reads beyond the max_rdma_read_in of the peer break nothing", many_reads),
	SROW("DRDMA-16", "An endpoint has at least the requested attributes", ep_attributes),
	SROW("DRDMA-17", "The attributes of the adapter are true", ia_attributes),
	ALSO("requests to a node that falls silent", silent),
	SROW("DRDMA-38", "A post makes no system call while an engine polls, and allocates nothing",
	     quiet),
};

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	srows_run_everywhere(rows, ARRAY_LEN(rows));
	return results_end();
}
