// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Shared receive queues through libdat2: states of a buffer, counts, the low watermark, resize, an
 * empty queue, refused calls.
 * NEEDS: dat
 */
#include <string.h>
#include "srows.h"

#define BUF 256

/* Buffers are taken in the order of their posts, by the endpoint whose message comes next. */
static bool any_endpoint(void)
{
	int n;

	CHECK(dpair_open(apart, 32, 4));
	CHECK(dpair_link(4));
	for (n = 0; n < 8; n++)
		OK(post(n * BUF, BUF, 100 + n));
	for (n = 0; n < 8; n++) {
		pattern_fill(a.mem, BUF, n);
		OK(put(n * 3 % 4, 0, BUF, n));
		CHECK(dto(a.tx, a.ep[n * 3 % 4], n, DAT_DTO_SUCCESS, BUF));
		CHECK(dto(b.rx, b.ep[n * 3 % 4], 100 + n, DAT_DTO_SUCCESS, BUF));
		CHECK(pattern_is(b.mem + n * BUF, BUF, n));
	}
	return counts(0, 0);
}

/* Each segment is filled before the next one; lengths of 0; no segments. */
static bool segments(void)
{
	static const int part[4] = { 7, 1, 64, 9 };
	DAT_LMR_TRIPLET iov[4];
	int i, len;

	CHECK(dpair_open(apart, 8, 4));
	CHECK(dpair_link(1));
	for (i = 0; i < 81; i++)
		a.mem[i] = i + 1;
	for (len = 0; len <= 81; len++) {
		int at = 0;

		memset(b.mem, 0xee, 4 * BUF);
		for (i = 0; i < 4; i++)
			iov[i] = seg(&b, i * BUF, part[i]);
		OK(dat_srq_post_recv(b.srq, 4, iov, cookie(len)));
		/* the program may change the array again */
		memset(iov, 0xff, sizeof(iov));
		OK(put(0, 0, len, 0));
		CHECK(dto(b.rx, b.ep[0], len, DAT_DTO_SUCCESS, len));
		CHECK(dto(a.tx, a.ep[0], 0, DAT_DTO_SUCCESS, len));
		for (i = 0; i < 4; i++) {
			int n = len - at < part[i] ? len - at : part[i];

			CHECK(!memcmp(b.mem + i * BUF, a.mem + at, n));
			CHECK(all_bytes(b.mem + i * BUF + n, BUF - n, 0xee));
			at += n;
		}
	}
	OK(dat_srq_post_recv(b.srq, 0, NULL, cookie(5)));
	OK(put(0, 0, 0, 0));
	return dto(b.rx, b.ep[0], 5, DAT_DTO_SUCCESS, 0);
}

/* Posted, completed, reaped: a full queue has no space until one completion is reaped. */
static bool counting(void)
{
	DAT_SRQ_PARAM param;
	int n;

	CHECK(dpair_open(apart, 8, 1));
	OK(dat_srq_query(b.srq, DAT_SRQ_FIELD_ALL, &param));
	CHECK(param.pz_handle == b.pz);
	CHECK(param.max_recv_dtos >= 8 && param.max_recv_iov >= 1);
	CHECK_EQ(param.low_watermark, DAT_SRQ_LW_DEFAULT);
	CHECK_EQ(param.srq_state, DAT_SRQ_STATE_OPERATIONAL);
	CHECK(counts(0, 0));
	CHECK(dpair_link(1));
	for (n = 0; n < 3; n++)
		OK(post(n * BUF, BUF, n));
	CHECK(counts(3, 3));
	OK(put(0, 0, 8, 0));
	CHECK(counts_become(2, 3));
	CHECK(dto(b.rx, b.ep[0], 0, DAT_DTO_SUCCESS, 8));
	CHECK(counts(2, 2));
	for (n = 0; n < param.max_recv_dtos - 2; n++)
		OK(post(0, BUF, 10 + n));
	CHECK_EQ(DAT_GET_TYPE(post(0, BUF, 99)), DAT_INSUFFICIENT_RESOURCES);
	CHECK(counts(param.max_recv_dtos, param.max_recv_dtos));
	OK(put(0, 0, 8, 0));
	CHECK(counts_become(param.max_recv_dtos - 1, param.max_recv_dtos));
	/* a completed buffer counts until it is reaped */
	CHECK_EQ(DAT_GET_TYPE(post(0, BUF, 99)), DAT_INSUFFICIENT_RESOURCES);
	CHECK(dto(b.rx, b.ep[0], 1, DAT_DTO_SUCCESS, 8));
	OK(post(0, BUF, 99));
	return counts(param.max_recv_dtos, param.max_recv_dtos);
}

/* Posts before there is an endpoint, before one is connected, and after all are gone. */
static bool every_state(void)
{
	CHECK(dpair_open(apart, 8, 1));
	OK(post(0, BUF, 1));
	OK(dat_ep_create_with_srq(b.ia, b.pz, b.rx, b.tx, b.conn, b.srq, &battr, &b.ep[0]));
	OK(post(0, BUF, 2));
	FAILS(dat_srq_free(b.srq), DAT_INVALID_STATE, DAT_INVALID_STATE_SRQ_IN_USE);
	OK(dat_ep_free(b.ep[0]));
	CHECK(dpair_link(1));
	OK(put(0, 0, 8, 0));
	CHECK(dto(b.rx, b.ep[0], 1, DAT_DTO_SUCCESS, 8));
	OK(dat_ep_disconnect(b.ep[0], DAT_CLOSE_ABRUPT_FLAG));
	CHECK(conn(b.conn, DAT_CONNECTION_EVENT_DISCONNECTED, b.ep[0]));
	CHECK(conn(a.conn, DAT_CONNECTION_EVENT_DISCONNECTED, a.ep[0]));
	OK(post(0, BUF, 3));
	OK(dat_ep_free(b.ep[0]));
	OK(post(0, BUF, 4));
	CHECK(counts(3, 3));
	b.neps = 0;
	CHECK(dpair_link(1));
	OK(put(1, 0, 8, 0));
	CHECK(dto(b.rx, b.ep[0], 2, DAT_DTO_SUCCESS, 8));
	OK(dat_ep_free(b.ep[0]));
	OK(dat_srq_free(b.srq));
	CHECK(none(b.rx));
	FAILS(dat_srq_free(b.srq), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_SRQ);
	FAILS(post(0, BUF, 5), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_SRQ);
	return true;
}

/* An event once for each arming, when fewer are available; at once; never. */
static bool low_watermark(void)
{
	int n;

	CHECK(dpair_open(apart, 8, 1));
	CHECK(dpair_link(1));
	for (n = 0; n < 5; n++)
		OK(post(0, BUF, n));
	OK(dat_srq_set_lw(b.srq, 3));
	CHECK(none(b.async));
	for (n = 0; n < 5; n++) {
		OK(put(0, 0, 8, 0));
		CHECK(dto(b.rx, b.ep[0], n, DAT_DTO_SUCCESS, 8));
		if (n == 2)
			CHECK(async(DAT_ASYNC_ERROR_PROVIDER_INTERNAL_ERROR, b.srq,
				    DAT_SRQ_LOW_WATERMARK_EVENT));
		CHECK(none(b.async));
	}
	/* not again, and posting causes none */
	for (n = 0; n < 4; n++)
		OK(post(0, BUF, n));
	for (n = 0; n < 3; n++) {
		OK(put(0, 0, 8, 0));
		CHECK(dto(b.rx, b.ep[0], n, DAT_DTO_SUCCESS, 8));
	}
	CHECK(none(b.async));
	/* 1 is available */
	OK(dat_srq_set_lw(b.srq, 1));
	CHECK(none(b.async));
	OK(dat_srq_set_lw(b.srq, 2));
	CHECK(async(DAT_ASYNC_ERROR_PROVIDER_INTERNAL_ERROR, b.srq, DAT_SRQ_LOW_WATERMARK_EVENT));
	OK(dat_srq_set_lw(b.srq, 1));
	OK(dat_srq_set_lw(b.srq, 0));
	OK(put(0, 0, 8, 0));
	CHECK(dto(b.rx, b.ep[0], 3, DAT_DTO_SUCCESS, 8));
	CHECK(none(b.async));
	FAILS(dat_srq_set_lw(b.srq, 9), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	FAILS(dat_srq_set_lw(b.srq, -1), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	FAILS(dat_srq_set_lw(b.pz, 1), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_SRQ);
	return true;
}

/* Some send has succeeded; sends of several endpoints complete in any order. */
static bool sent_one(void)
{
	DAT_EVENT ev;

	CHECK(next(a.tx, &ev));
	CHECK_EQ(ev.event_data.dto_completion_event_data.status, DAT_DTO_SUCCESS);
	return true;
}

static bool size_is(DAT_COUNT n)
{
	DAT_SRQ_PARAM param;

	OK(dat_srq_query(b.srq, DAT_SRQ_FIELD_ALL, &param));
	CHECK_EQ(param.max_recv_dtos, n);
	return true;
}

/* Larger and smaller between messages, and while they wait; invalid sizes. */
static bool resize(void)
{
	int n, got = 0, sent = 0, max = 64;

	CHECK(dpair_open(apart, 8, 1));
	CHECK(dpair_link(4));
	/* no receive is outstanding: the mark causes the refusal */
	OK(dat_srq_set_lw(b.srq, 3));
	CHECK(async(DAT_ASYNC_ERROR_PROVIDER_INTERNAL_ERROR, b.srq, DAT_SRQ_LOW_WATERMARK_EVENT));
	FAILS(dat_srq_resize(b.srq, 2), DAT_INVALID_STATE, DAT_INVALID_STATE_SRQ_OPERATIONAL);
	CHECK(size_is(8));
	OK(dat_srq_resize(b.srq, 3));
	CHECK(size_is(3));
	OK(dat_srq_set_lw(b.srq, 0));
	OK(dat_srq_resize(b.srq, 8));
	for (n = 0; n < 5; n++)
		OK(post(0, BUF, n));
	FAILS(dat_srq_resize(b.srq, 4), DAT_INVALID_STATE, DAT_INVALID_STATE_SRQ_OPERATIONAL);
	CHECK(size_is(8));
	FAILS(dat_srq_resize(b.srq, 0), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	FAILS(dat_srq_resize(b.srq, -1), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	CHECK(size_is(8));
	OK(dat_srq_resize(b.srq, 5));
	CHECK_EQ(DAT_GET_TYPE(post(0, BUF, 5)), DAT_INSUFFICIENT_RESOURCES);
	OK(dat_srq_resize(b.srq, max));
	OK(dat_srq_set_lw(b.srq, 3));
	for (; n < max; n++)
		OK(post(0, BUF, n));
	for (; got < 10 * max; got++) {
		while (sent < got + 32) {
			OK(put(sent % 4, 0, 8, sent));
			sent++;
		}
		CHECK(dto(b.rx, NULL, got, DAT_DTO_SUCCESS, 8));
		if (got % 7 == 3)
			OK(dat_srq_resize(b.srq, max + got % 50));
		OK(post(0, BUF, n++));
	}
	CHECK(none(b.async));
	for (n = 0; n < sent; n++)
		CHECK(sent_one());
	for (; got < sent; got++)
		CHECK(dto(b.rx, NULL, got, DAT_DTO_SUCCESS, 8));
	return true;
}

/* Another queue has a buffer, and an endpoint that takes it. */
static bool other_queue(void)
{
	DAT_SRQ_ATTR attr = { .max_recv_dtos = 8, .max_recv_iov = 1 };
	DAT_SRQ_HANDLE first = b.srq;

	OK(dat_srq_create(b.ia, b.pz, &attr, &b.srq));
	CHECK(dpair_link(1));
	OK(post(MEM - BUF, BUF, 300));
	OK(put(a.neps - 1, 0, 8, 300));
	CHECK(dto(b.rx, b.ep[b.neps - 1], 300, DAT_DTO_SUCCESS, 8));
	b.srq = first;
	return true;
}

/* No buffer is posted: no message is lost, and each sender's messages arrive in order. */
static bool empty(void)
{
	uint32_t expect[2] = { 0 }, *at;
	DAT_EVENT ev;
	int i, n;

	CHECK(dpair_open(apart, 16, 1));
	CHECK(dpair_link(2));
	for (n = 0; n < 100; n++) {
		for (i = 0; i < 2; i++) {
			at = (uint32_t *)(a.mem + n * BUF + i * BUF / 2);
			*at = n;
			OK(put(i, n * BUF + i * BUF / 2, n % 2 ? BUF / 2 : 4, n));
		}
	}
	CHECK(none(b.rx));
	CHECK(other_queue());
	CHECK(none(b.rx));
	for (n = 0; n < 16; n++)
		OK(post(n * BUF, BUF, n));
	for (n = 0; n < 200; n++) {
		DAT_DTO_COMPLETION_EVENT_DATA *d = &ev.event_data.dto_completion_event_data;

		CHECK(next(b.rx, &ev));
		CHECK_EQ(d->status, DAT_DTO_SUCCESS);
		i = d->ep_handle == b.ep[1];
		at = (uint32_t *)(b.mem + d->user_cookie.as_64 * BUF);
		CHECK_EQ(*at, expect[i]++);
		OK(post(d->user_cookie.as_64 * BUF, BUF, d->user_cookie.as_64));
	}
	for (n = 0; n < 201; n++)
		CHECK(sent_one());
	return counts_become(16, 16);
}

/* Order of checks, codes and subtypes; nothing changes. */
static bool refused(void)
{
	DAT_MEM_PRIV_FLAGS read = DAT_MEM_PRIV_LOCAL_READ_FLAG;
	DAT_REGION_DESCRIPTION region;
	DAT_LMR_TRIPLET iov[5], bad;
	DAT_LMR_HANDLE other, ro, gone;
	DAT_LMR_CONTEXT other_key, ro_key, gone_key;
	DAT_RMR_CONTEXT rmr;
	DAT_SRQ_HANDLE no;
	DAT_SRQ_ATTR attr = { .max_recv_dtos = 8, .max_recv_iov = 4, .low_watermark = 1 };
	DAT_PZ_HANDLE pz;
	DAT_VADDR addr;
	DAT_VLEN len;
	int i;

	CHECK(dpair_open(apart, 8, 4));
	FAILS(dat_srq_create(b.ia, b.pz, &attr, &no), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	attr.low_watermark = DAT_SRQ_LW_DEFAULT;
	attr.max_recv_dtos = 0;
	FAILS(dat_srq_create(b.ia, b.pz, &attr, &no), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	attr.max_recv_dtos = 8;
	FAILS(dat_srq_create(b.ia, b.srq, &attr, &no), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_PZ);
	region.for_va = b.mem;
	OK(dat_pz_create(b.ia, &pz));
	OK(dat_lmr_create(b.ia, DAT_MEM_TYPE_VIRTUAL, region, BUF, pz, DAT_MEM_PRIV_ALL_FLAG,
			  DAT_VA_TYPE_VA, &other, &other_key, &rmr, &len, &addr));
	OK(dat_lmr_create(b.ia, DAT_MEM_TYPE_VIRTUAL, region, BUF, b.pz, read, DAT_VA_TYPE_VA, &ro,
			  &ro_key, &rmr, &len, &addr));
	FAILS(dat_pz_free(pz), DAT_INVALID_STATE, DAT_INVALID_STATE_PZ_IN_USE);
	for (i = 0; i < 5; i++)
		iov[i] = seg(&b, i * BUF, BUF);
	FAILS(dat_srq_post_recv(b.pz, 1, iov, cookie(0)), DAT_INVALID_HANDLE,
	      DAT_INVALID_HANDLE_SRQ);
	CHECK_EQ(DAT_GET_TYPE(dat_srq_post_recv(DAT_HANDLE_NULL, 1, iov, cookie(0))),
		 DAT_INVALID_HANDLE);
	FAILS(dat_srq_post_recv(b.srq, -1, iov, cookie(0)), DAT_INVALID_PARAMETER,
	      DAT_INVALID_ARG2);
	FAILS(dat_srq_post_recv(b.srq, 5, iov, cookie(0)), DAT_INVALID_PARAMETER,
	      DAT_INVALID_ARG2);
	FAILS(dat_srq_post_recv(b.srq, 1, NULL, cookie(0)), DAT_INVALID_PARAMETER,
	      DAT_INVALID_ARG3);
	bad = iov[1];
	iov[1].lmr_context = other_key;
	FAILS(dat_srq_post_recv(b.srq, 2, iov, cookie(0)), DAT_PROTECTION_VIOLATION,
	      DAT_PROTECTION_WRITE);
	iov[1].lmr_context = ro_key;
	FAILS(dat_srq_post_recv(b.srq, 2, iov, cookie(0)), DAT_PRIVILEGES_VIOLATION,
	      DAT_PRIVILEGES_WRITE);
	iov[1].lmr_context = ~0u;
	FAILS(dat_srq_post_recv(b.srq, 2, iov, cookie(0)), DAT_PRIVILEGES_VIOLATION,
	      DAT_PRIVILEGES_WRITE);
	iov[1] = bad;
	iov[1].virtual_address = (uintptr_t)b.mem - 1;
	FAILS(dat_srq_post_recv(b.srq, 2, iov, cookie(0)), DAT_INVALID_PARAMETER,
	      DAT_INVALID_ARG3);
	iov[1].virtual_address = (uintptr_t)b.mem + MEM - BUF + 1;
	FAILS(dat_srq_post_recv(b.srq, 2, iov, cookie(0)), DAT_INVALID_PARAMETER,
	      DAT_INVALID_ARG3);
	iov[1].virtual_address = ~0ull - 10;
	FAILS(dat_srq_post_recv(b.srq, 2, iov, cookie(0)), DAT_INVALID_PARAMETER,
	      DAT_INVALID_ARG3);
	CHECK(counts(0, 0));
	/*
	 * a region is freed before its buffer is used: the buffer fails, and the next one is taken
	 */
	OK(dat_lmr_create(b.ia, DAT_MEM_TYPE_VIRTUAL, region, BUF, b.pz, DAT_MEM_PRIV_ALL_FLAG,
			  DAT_VA_TYPE_VA, &gone, &gone_key, &rmr, &len, &addr));
	memset(b.mem, 0xee, 2 * BUF);
	iov[0].lmr_context = gone_key;
	OK(dat_srq_post_recv(b.srq, 1, iov, cookie(1)));
	OK(post(BUF, BUF, 2));
	OK(dat_lmr_free(gone));
	CHECK(dpair_link(1));
	FAILS(dat_ep_post_recv(b.ep[0], 1, iov, cookie(0), DAT_COMPLETION_DEFAULT_FLAG),
	      DAT_INVALID_PARAMETER, DAT_INVALID_ARG1);
	pattern_fill(a.mem, BUF, 9);
	OK(put(0, 0, BUF, 0));
	CHECK(dto(b.rx, b.ep[0], 1, DAT_DTO_ERR_LOCAL_PROTECTION, 0));
	CHECK(dto(b.rx, b.ep[0], 2, DAT_DTO_SUCCESS, BUF));
	CHECK(all_bytes(b.mem, BUF, 0xee));
	CHECK(pattern_is(b.mem + BUF, BUF, 9));
	OK(dat_lmr_free(ro));
	OK(dat_lmr_free(other));
	OK(dat_pz_free(pz));
	return true;
}

/* The attributes are true; both lines of the configuration lead here. */
static bool attributes(void)
{
	DAT_EVD_HANDLE evd = DAT_HANDLE_NULL;
	DAT_PROVIDER_ATTR attr;
	DAT_IA_HANDLE ia;
	DAT_IA_ATTR ia_attr;
	int safe;

	node_enter(0);
	for (safe = 0; safe < 2; safe++) {
		evd = DAT_HANDLE_NULL;
		OK(dat_ia_openv((DAT_NAME_PTR)"weft", 8, &evd, &ia, DAT_VERSION_MAJOR,
				DAT_VERSION_MINOR, safe));
		OK(dat_ia_query(ia, NULL, DAT_IA_FIELD_ALL, &ia_attr, DAT_PROVIDER_FIELD_ALL,
				&attr));
		CHECK_EQ(attr.is_thread_safe, safe);
		CHECK(attr.srq_supported);
		CHECK(attr.srq_watermarks_supported && attr.srq_info_supported);
		CHECK(attr.ep_recv_info_supported);
		CHECK_EQ(attr.iov_ownership_on_return, DAT_IOV_CONSUMER);
		CHECK(ia_attr.max_srqs > 0 && ia_attr.max_ep_per_srq >= 1000);
		CHECK(ia_attr.max_recv_per_srq >= 1024);
		OK(dat_ia_close(ia, DAT_CLOSE_GRACEFUL_FLAG));
	}
	return true;
}

static const struct srow rows[] = {
	SROW("SRQ-001", "A posted buffer serves any connected endpoint that is attached",
	     any_endpoint),
	SROW("SRQ-003", "Segments are filled from front to back", segments),
	SROW("SRQ-012", "The array of segments is the consumer's when the post returns", segments),
	SROW("SRQ-013", "No memory but that of the segments is touched", segments),
	SROW("SRQ-022", "No more is posted than has room, until a completion is reaped", counting),
	SROW("SRQ-035", "At least the sizes that were asked for; the low watermark is the default",
	     counting),
	SROW("SRQ-037", "Counts at each step of a buffer's life", counting),
	SROW("SRQ-020", "Posting works in every state", every_state),
	SROW("SRQ-036", "Free is refused while an endpoint is attached", every_state),
	SROW("SRQ-039", "Low watermark: one event for each arming", low_watermark),
	SROW("SRQ-040", "Armed below the mark it fires at once; 0 never", low_watermark),
	SROW("SRQ-041", "The event names the queue and the reason", low_watermark),
	SROW("SRQ-046", "Resize below what is outstanding, or below the mark, is refused", resize),
	SROW("SRQ-038", "An empty queue is not ready: the peer waits, nothing is lost", empty),
	SROW("SRQ-005", "Bad counts, and counts without segments, are refused", refused),
	SROW("SRQ-021", "Invalid handles are refused", refused),
	SROW("SRQ-023", "A segment outside its LMR is refused", refused),
	SROW("SRQ-024", "An LMR of another protection zone is refused", refused),
	SROW("SRQ-025", "An LMR that does not exist, or without local write, is refused", refused),
	SROW("SRQ-026", "A failed post changes nothing", refused),
	SROW("SRQ-027", "An LMR that is freed after the post: an error, and no stray write",
	     refused),
	SROW("SRQ-047", "No receive is posted on an endpoint made with a shared queue", refused),
	ALSO("Attributes say what holds", attributes),
};

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	srows_run_everywhere(rows, ARRAY_LEN(rows));
	return results_end();
}
