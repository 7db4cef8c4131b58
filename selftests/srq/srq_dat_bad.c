// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Wrong calls through libdat2. Handles are NULL, of another kind, of another adapter, or freed.
 * Arguments, flags, zones and privileges are invalid. Each call has one answer, and changes
 * nothing. The attributes of the adapter are true.
 * TIMEOUT: 180 NEEDS: dat
 */
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include "dpair.h"

static bool apart;

/* ---- Handles ------------------------------------------------------------------------------- */

static DAT_EVENT ev;
static DAT_COUNT count;
static DAT_EP_STATE state;
static DAT_HANDLE out;
static DAT_CONTEXT context;

static const DAT_COMPLETION_FLAGS plain = DAT_COMPLETION_DEFAULT_FLAG;
static const DAT_OS_WAIT_PROXY_AGENT no_agent;

/* Calls whose first argument is wrong; the others are right or do not matter. */
#define BY(name, call)	static DAT_RETURN name(DAT_HANDLE h) { return call; }

BY(cno_query, dat_cno_query(h, DAT_CNO_FIELD_ALL, &(DAT_CNO_PARAM) { 0 }))
BY(cno_modify, dat_cno_modify_agent(h, no_agent))
BY(cno_wait, dat_cno_wait(h, 0, &out))
BY(cno_free, dat_cno_free(h))
BY(cr_query, dat_cr_query(h, DAT_CR_FIELD_ALL, &(DAT_CR_PARAM) { 0 }))
BY(cr_accept, dat_cr_accept(h, b.ep[0], 0, NULL))
BY(cr_reject, dat_cr_reject(h, 0, NULL))
BY(cr_handoff, dat_cr_handoff(h, QUAL + 1))
BY(evd_query, dat_evd_query(h, DAT_EVD_FIELD_ALL, &(DAT_EVD_PARAM) { 0 }))
BY(evd_modify, dat_evd_modify_cno(h, DAT_HANDLE_NULL))
BY(evd_enable, dat_evd_enable(h))
BY(evd_disable, dat_evd_disable(h))
BY(evd_wait, dat_evd_wait(h, 0, 1, &ev, &count))
BY(evd_resize, dat_evd_resize(h, 10))
BY(evd_post_se, dat_evd_post_se(h, &ev))
BY(evd_dequeue, dat_evd_dequeue(h, &ev))
BY(evd_free, dat_evd_free(h))
BY(evd_unwaitable, dat_evd_set_unwaitable(h))
BY(evd_waitable, dat_evd_clear_unwaitable(h))
BY(ep_query, dat_ep_query(h, DAT_EP_FIELD_ALL, &(DAT_EP_PARAM) { 0 }))
BY(ep_modify, dat_ep_modify(h, 0, &(DAT_EP_PARAM) { 0 }))
BY(ep_connect, dat_ep_connect(h, dpair_addr(), QUAL, 1, 0, NULL, 0, 0))
BY(ep_dup, dat_ep_dup_connect(h, b.ep[0], 1, 0, NULL, 0))
BY(ep_disconnect, dat_ep_disconnect(h, DAT_CLOSE_ABRUPT_FLAG))
BY(ep_send, dat_ep_post_send(h, 0, NULL, cookie(0), plain))
BY(ep_recv, dat_ep_post_recv(h, 0, NULL, cookie(0), plain))
BY(ep_status, dat_ep_get_status(h, &state, NULL, NULL))
BY(ep_free, dat_ep_free(h))
BY(ep_reset, dat_ep_reset(h))
BY(ep_recv_query, dat_ep_recv_query(h, &count, &count))
BY(ep_watermark, dat_ep_set_watermark(h, 1, 1))
BY(lmr_query, dat_lmr_query(h, DAT_LMR_FIELD_ALL, &(DAT_LMR_PARAM) { 0 }))
BY(lmr_free, dat_lmr_free(h))
BY(psp_query, dat_psp_query(h, DAT_PSP_FIELD_ALL, &(DAT_PSP_PARAM) { 0 }))
BY(psp_free, dat_psp_free(h))
BY(pz_query, dat_pz_query(h, DAT_PZ_FIELD_ALL, &(DAT_PZ_PARAM) { 0 }))
BY(pz_free, dat_pz_free(h))
BY(srq_free, dat_srq_free(h))
BY(srq_post, dat_srq_post_recv(h, 0, NULL, cookie(0)))
BY(srq_query, dat_srq_query(h, DAT_SRQ_FIELD_ALL, &(DAT_SRQ_PARAM) { 0 }))
BY(srq_resize, dat_srq_resize(h, 8))
BY(srq_lw, dat_srq_set_lw(h, 1))
BY(get_context, dat_get_consumer_context(h, &context))
BY(set_context, dat_set_consumer_context(h, context))

/**
 * struct by - a call, and its answer to an invalid handle
 * @name: for messages
 * @call: the call
 * @type: of its handle
 * @sub: subtype of DAT_INVALID_HANDLE
 */
struct by {
	const char *name;
	uint32_t (*call)(DAT_HANDLE h);
	DAT_HANDLE_TYPE type;
	DAT_RETURN_SUBTYPE sub;
};

#define ROW(name, type, sub)	{ #name, name, DAT_HANDLE_TYPE_##type, DAT_##sub }

static const struct by table[] = {
	ROW(cno_query, CNO, INVALID_HANDLE_CNO),
	ROW(cno_modify, CNO, INVALID_HANDLE_CNO),
	ROW(cno_wait, CNO, INVALID_HANDLE_CNO),
	ROW(cno_free, CNO, INVALID_HANDLE_CNO),
	ROW(cr_query, CR, INVALID_HANDLE_CR),
	ROW(cr_accept, CR, INVALID_HANDLE_CR),
	ROW(cr_reject, CR, INVALID_HANDLE_CR),
	ROW(cr_handoff, CR, INVALID_HANDLE_CR),
	ROW(evd_query, EVD, NO_SUBTYPE),
	ROW(evd_modify, EVD, NO_SUBTYPE),
	ROW(evd_enable, EVD, NO_SUBTYPE),
	ROW(evd_disable, EVD, NO_SUBTYPE),
	ROW(evd_wait, EVD, NO_SUBTYPE),
	ROW(evd_resize, EVD, NO_SUBTYPE),
	ROW(evd_post_se, EVD, NO_SUBTYPE),
	ROW(evd_dequeue, EVD, NO_SUBTYPE),
	ROW(evd_free, EVD, NO_SUBTYPE),
	ROW(evd_unwaitable, EVD, NO_SUBTYPE),
	ROW(evd_waitable, EVD, NO_SUBTYPE),
	ROW(ep_query, EP, INVALID_HANDLE_EP),
	ROW(ep_modify, EP, INVALID_HANDLE_EP),
	ROW(ep_connect, EP, INVALID_HANDLE_EP),
	ROW(ep_dup, EP, INVALID_HANDLE_EP),
	ROW(ep_disconnect, EP, INVALID_HANDLE_EP),
	ROW(ep_send, EP, INVALID_HANDLE_EP),
	ROW(ep_recv, EP, INVALID_HANDLE_EP),
	ROW(ep_status, EP, INVALID_HANDLE_EP),
	ROW(ep_free, EP, INVALID_HANDLE_EP),
	ROW(ep_reset, EP, INVALID_HANDLE_EP),
	ROW(ep_recv_query, EP, INVALID_HANDLE_EP),
	ROW(ep_watermark, EP, INVALID_HANDLE_EP),
	ROW(lmr_query, LMR, INVALID_HANDLE_LMR),
	ROW(lmr_free, LMR, INVALID_HANDLE_LMR),
	ROW(psp_query, PSP, INVALID_HANDLE_PSP),
	ROW(psp_free, PSP, INVALID_HANDLE_PSP),
	ROW(pz_query, PZ, INVALID_HANDLE_PZ),
	ROW(pz_free, PZ, INVALID_HANDLE_PZ),
	ROW(srq_free, SRQ, INVALID_HANDLE_SRQ),
	ROW(srq_post, SRQ, INVALID_HANDLE_SRQ),
	ROW(srq_query, SRQ, INVALID_HANDLE_SRQ),
	ROW(srq_resize, SRQ, INVALID_HANDLE_SRQ),
	ROW(srq_lw, SRQ, INVALID_HANDLE_SRQ),
};

#define ROWS	(sizeof(table) / sizeof(table[0]))

/* Each call of the table with an object of each other kind. */
static bool refuses_kind(DAT_HANDLE h)
{
	DAT_HANDLE_TYPE type;
	bool ok = true;
	unsigned int i;

	OK(dat_get_handle_type(h, &type));
	for (i = 0; i < ROWS; i++) {
		if (table[i].type == type)
			continue;
		if (!check_same(__FILE__, __LINE__, table[i].name, (unsigned int)table[i].call(h),
				DAT_CLASS_ERROR | DAT_INVALID_HANDLE | table[i].sub))
			ok = false;
	}
	return ok;
}

/* A handle that was freed, or never existed: all calls refuse it, also those of its kind. */
static bool refuses_all(DAT_HANDLE h)
{
	DAT_HANDLE_TYPE type;
	bool ok = true;
	unsigned int i;

	for (i = 0; i < ROWS; i++) {
		DAT_RETURN ret = table[i].call(h);
		/* libdat2 itself refuses NULL, with its own error */
		DAT_RETURN_SUBTYPE sub = h ? table[i].sub : DAT_GET_SUBTYPE(ret);

		if (!check_same(__FILE__, __LINE__, table[i].name, (unsigned int)ret,
				DAT_CLASS_ERROR | DAT_INVALID_HANDLE | sub))
			ok = false;
	}
	CHECK_EQ(DAT_GET_TYPE(get_context(h)), DAT_INVALID_HANDLE);
	CHECK_EQ(DAT_GET_TYPE(set_context(h)), DAT_INVALID_HANDLE);
	CHECK_EQ(DAT_GET_TYPE(dat_get_handle_type(h, &type)), DAT_INVALID_HANDLE);
	return ok;
}

static bool handles(void)
{
	DAT_HANDLE freed[8], psp;
	DAT_CNO_HANDLE cno;
	unsigned int i;
	DAT_EVENT req;

	ev.event_number = DAT_SOFTWARE_EVENT;
	CHECK(dpair_open(apart, 8, 1));
	OK(dat_cno_create(b.ia, no_agent, &cno));
	CHECK(dpair_ask(&a, dpair_addr()));
	CHECK(next(b.cr, &req));
	OK(dat_ep_create_with_srq(b.ia, b.pz, b.rx, b.tx, b.conn, b.srq, &battr, &b.ep[0]));
	freed[0] = req.event_data.cr_arrival_event_data.cr_handle;
	freed[1] = b.ep[0];
	freed[2] = cno;
	freed[3] = b.psp;
	freed[4] = b.srq;
	freed[5] = b.lmr;
	freed[6] = b.rx;
	freed[7] = b.pz;
	for (i = 0; i < 8; i++)
		CHECK(refuses_kind(freed[i]));
	CHECK(refuses_all(NULL));
	OK(dat_cr_reject(freed[0], 0, NULL));
	OK(dat_ep_free(b.ep[0]));
	OK(dat_cno_free(cno));
	OK(dat_psp_free(b.psp));
	OK(dat_srq_free(b.srq));
	OK(dat_lmr_free(b.lmr));
	OK(dat_evd_free(b.rx));
	OK(dat_pz_free(b.pz));
	for (i = 0; i < 8; i++)
		CHECK(refuses_all(freed[i]));
	FAILS(dat_psp_create(b.ia, QUAL, freed[6], DAT_PSP_CONSUMER_FLAG, &psp),
	      DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_CR);
	/* the adapter is removed, and the provider with it */
	freed[0] = a.ep[0];
	freed[1] = b.tx;
	dpair_close();
	CHECK(refuses_all(freed[0]));
	CHECK(refuses_all(freed[1]));
	return true;
}

/* ---- Arguments ----------------------------------------------------------------------------- */

static bool makes(void)
{
	DAT_EP_ATTR attr = { .max_recv_dtos = 1, .max_request_dtos = 1, .srq_soft_hw = -1 };
	DAT_REGION_DESCRIPTION region = { .for_va = NULL };
	DAT_SRQ_ATTR srq = { .max_recv_dtos = 1 };
	DAT_CONN_QUAL qual;
	DAT_VADDR addr;
	DAT_VLEN len;
	DAT_HANDLE h;
	uint32_t key;

	CHECK(dpair_open(apart, 8, 1));
	FAILS(dat_pz_create(b.ia, NULL), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	FAILS(dat_cno_create(b.ia, no_agent, NULL), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	FAILS(dat_evd_create(b.ia, 0, NULL, DAT_EVD_DTO_FLAG, &h), DAT_INVALID_PARAMETER,
	      DAT_INVALID_ARG2);
	FAILS(dat_evd_create(b.ia, 1, b.pz, DAT_EVD_DTO_FLAG, &h), DAT_INVALID_HANDLE,
	      DAT_INVALID_HANDLE_CNO);
	FAILS(dat_evd_create(b.ia, 1, NULL, 0, &h), DAT_INVALID_PARAMETER, DAT_INVALID_ARG4);
	FAILS(dat_evd_create(b.ia, 1, NULL, 0x1000, &h), DAT_INVALID_PARAMETER, DAT_INVALID_ARG4);
	FAILS(dat_evd_create(b.ia, 1, NULL, DAT_EVD_DTO_FLAG, NULL), DAT_INVALID_PARAMETER,
	      DAT_INVALID_ARG5);
	FAILS(dat_evd_modify_cno(b.rx, b.pz), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_CNO);
	FAILS(dat_evd_wait(b.rx, 0, 0, &ev, &count), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	FAILS(dat_evd_wait(b.rx, 0, 1, NULL, &count), DAT_INVALID_PARAMETER, DAT_INVALID_ARG4);
	FAILS(dat_evd_wait(b.rx, 0, 1, &ev, NULL), DAT_INVALID_PARAMETER, DAT_INVALID_ARG5);
	FAILS(dat_evd_dequeue(b.rx, NULL), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);

	FAILS(dat_psp_create(b.ia, 0, b.cr, DAT_PSP_CONSUMER_FLAG, &h), DAT_INVALID_PARAMETER,
	      DAT_INVALID_ARG2);
	FAILS(dat_psp_create(b.ia, 65536, b.cr, DAT_PSP_CONSUMER_FLAG, &h), DAT_INVALID_PARAMETER,
	      DAT_INVALID_ARG2);
	FAILS(dat_psp_create(b.ia, QUAL, b.cr, DAT_PSP_CONSUMER_FLAG, &h), DAT_CONN_QUAL_IN_USE,
	      DAT_NO_SUBTYPE);
	FAILS(dat_psp_create(b.ia, 7, b.conn, DAT_PSP_CONSUMER_FLAG, &h), DAT_INVALID_HANDLE,
	      DAT_INVALID_HANDLE_EVD_CR);
	FAILS(dat_psp_create(b.ia, 7, a.cr, DAT_PSP_CONSUMER_FLAG, &h), DAT_INVALID_HANDLE,
	      DAT_INVALID_HANDLE_EVD_CR);
	FAILS(dat_psp_create(b.ia, 7, b.cr, DAT_PSP_PROVIDER_FLAG, &h), DAT_MODEL_NOT_SUPPORTED,
	      DAT_NO_SUBTYPE);
	FAILS(dat_psp_create(b.ia, 7, b.cr, 9, &h), DAT_INVALID_PARAMETER, DAT_INVALID_ARG4);
	FAILS(dat_psp_create_any(b.ia, NULL, b.cr, DAT_PSP_CONSUMER_FLAG, &h),
	      DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	OK(dat_psp_create_any(b.ia, &qual, b.cr, DAT_PSP_CONSUMER_FLAG, &h));
	CHECK(qual && qual <= 65535 && qual != QUAL);

	FAILS(dat_lmr_create(b.ia, 7, region, 8, b.pz, 0, 0, &h, &key, &key, &len, &addr),
	      DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	FAILS(dat_lmr_create(b.ia, DAT_MEM_TYPE_VIRTUAL, region, 8, b.pz, 0, 0, &h, &key, &key,
			     &len, &addr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	region.for_va = b.mem;
	FAILS(dat_lmr_create(b.ia, DAT_MEM_TYPE_VIRTUAL, region, 0, b.pz, 0, 0, &h, &key, &key,
			     &len, &addr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG4);
	FAILS(dat_lmr_create(b.ia, DAT_MEM_TYPE_VIRTUAL, region, 8, a.pz, 0, 0, &h, &key, &key,
			     &len, &addr), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_PZ);
	FAILS(dat_lmr_create(b.ia, DAT_MEM_TYPE_VIRTUAL, region, 8, b.pz, 0x100, 0, &h, &key,
			     &key, &len, &addr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG6);
	FAILS(dat_lmr_create(b.ia, DAT_MEM_TYPE_VIRTUAL, region, 8, b.pz, 0, DAT_VA_TYPE_ZB, &h,
			     &key, &key, &len, &addr), DAT_MODEL_NOT_SUPPORTED, DAT_NO_SUBTYPE);
	region.for_lmr_handle = a.lmr;
	FAILS(dat_lmr_create(b.ia, DAT_MEM_TYPE_LMR, region, 8, b.pz, 0, 0, &h, &key, &key, &len,
			     &addr), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_LMR);

	FAILS(dat_ep_create(b.ia, a.pz, b.rx, b.tx, b.conn, &attr, &h), DAT_INVALID_HANDLE,
	      DAT_INVALID_HANDLE_PZ);
	FAILS(dat_ep_create(b.ia, b.pz, a.rx, b.tx, b.conn, &attr, &h), DAT_INVALID_HANDLE,
	      DAT_INVALID_HANDLE_EVD_RECV);
	FAILS(dat_ep_create(b.ia, b.pz, b.rx, b.cr, b.conn, &attr, &h), DAT_INVALID_HANDLE,
	      DAT_INVALID_HANDLE_EVD_REQUEST);
	FAILS(dat_ep_create(b.ia, b.pz, b.rx, b.tx, b.tx, &attr, &h), DAT_INVALID_HANDLE,
	      DAT_INVALID_HANDLE_EVD_CONN);
	FAILS(dat_ep_create(b.ia, b.pz, b.rx, b.tx, b.conn, &attr, NULL), DAT_INVALID_PARAMETER,
	      DAT_INVALID_ARG7);
	FAILS(dat_ep_create_with_srq(b.ia, b.pz, b.rx, b.tx, b.conn, b.pz, &attr, &h),
	      DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_SRQ);
	FAILS(dat_ep_create_with_srq(a.ia, a.pz, a.rx, a.tx, a.conn, b.srq, &attr, &h),
	      DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_SRQ);
	attr.max_recv_dtos = -1;
	FAILS(dat_ep_create(b.ia, b.pz, b.rx, b.tx, b.conn, &attr, &h), DAT_INVALID_PARAMETER,
	      DAT_INVALID_ARG6);
	attr.max_recv_dtos = 1;
	attr.request_completion_flags = 0x40;
	FAILS(dat_ep_create(b.ia, b.pz, b.rx, b.tx, b.conn, &attr, &h), DAT_INVALID_PARAMETER,
	      DAT_INVALID_ARG6);
	attr.request_completion_flags = 0;
	attr.recv_completion_flags = DAT_COMPLETION_BARRIER_FENCE_FLAG;
	FAILS(dat_ep_create_with_srq(b.ia, b.pz, b.rx, b.tx, b.conn, b.srq, &attr, &h),
	      DAT_INVALID_PARAMETER, DAT_INVALID_ARG7);
	attr.recv_completion_flags = 0;
	attr.service_type = 3;
	FAILS(dat_ep_create(b.ia, b.pz, b.rx, b.tx, b.conn, &attr, &h), DAT_MODEL_NOT_SUPPORTED,
	      DAT_NO_SUBTYPE);

	FAILS(dat_srq_create(b.ia, a.pz, &srq, &h), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_PZ);
	FAILS(dat_srq_create(b.ia, b.pz, NULL, &h), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	FAILS(dat_srq_create(b.ia, b.pz, &srq, NULL), DAT_INVALID_PARAMETER, DAT_INVALID_ARG4);
	FAILS(dat_srq_query(b.srq, 0x100, &(DAT_SRQ_PARAM) { 0 }), DAT_INVALID_PARAMETER,
	      DAT_INVALID_ARG2);
	FAILS(dat_srq_query(b.srq, 1, NULL), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	FAILS(dat_pz_query(b.pz, 2, &(DAT_PZ_PARAM) { 0 }), DAT_INVALID_PARAMETER,
	      DAT_INVALID_ARG2);
	FAILS(dat_lmr_query(b.lmr, 0x800, &(DAT_LMR_PARAM) { 0 }), DAT_INVALID_PARAMETER,
	      DAT_INVALID_ARG2);
	FAILS(dat_psp_query(b.psp, 0x10, &(DAT_PSP_PARAM) { 0 }), DAT_INVALID_PARAMETER,
	      DAT_INVALID_ARG2);
	return true;
}

/*
 * Sends and receives of an endpoint: the same as those of a shared queue, with read for write. A
 * send needs no privilege.
 */
static bool posts(void)
{
	DAT_MEM_PRIV_FLAGS none_flag = DAT_MEM_PRIV_NONE_FLAG;
	DAT_MEM_PRIV_FLAGS only_read = DAT_MEM_PRIV_LOCAL_READ_FLAG;
	DAT_REGION_DESCRIPTION region;
	uint32_t none, fixed, foreign, key;
	DAT_LMR_HANDLE lmr;
	DAT_LMR_TRIPLET iov[9], good;
	DAT_PZ_HANDLE pz;
	DAT_VADDR addr;
	DAT_VLEN len;
	int i;

	CHECK(dpair_open(apart, 8, 1));
	CHECK(dpair_link(1));
	region.for_va = a.mem;
	OK(dat_pz_create(a.ia, &pz));
	OK(dat_lmr_create(a.ia, DAT_MEM_TYPE_VIRTUAL, region, 64, a.pz, none_flag, 0, &lmr,
			  &none, &key, &len, &addr));
	OK(dat_lmr_create(a.ia, DAT_MEM_TYPE_VIRTUAL, region, 64, a.pz, only_read, 0, &lmr, &fixed,
			  &key, &len, &addr));
	OK(dat_lmr_create(a.ia, DAT_MEM_TYPE_VIRTUAL, region, 64, pz, DAT_MEM_PRIV_ALL_FLAG, 0,
			  &lmr, &foreign, &key, &len, &addr));
	for (i = 0; i < 9; i++)
		iov[i] = seg(&a, 0, 8);
	good = iov[0];
	FAILS(dat_ep_post_send(a.ep[0], -1, iov, cookie(0), plain), DAT_INVALID_PARAMETER,
	      DAT_INVALID_ARG2);
	FAILS(dat_ep_post_send(a.ep[0], 5, iov, cookie(0), plain), DAT_INVALID_PARAMETER,
	      DAT_INVALID_ARG2);
	FAILS(dat_ep_post_send(a.ep[0], 1, NULL, cookie(0), plain), DAT_INVALID_PARAMETER,
	      DAT_INVALID_ARG3);
	FAILS(dat_ep_post_send(a.ep[0], 1, iov, cookie(0), 0x40), DAT_INVALID_PARAMETER,
	      DAT_INVALID_ARG5);
	FAILS(dat_ep_post_send(a.ep[0], 1, iov, cookie(0), DAT_COMPLETION_EVD_THRESHOLD_FLAG),
	      DAT_INVALID_PARAMETER, DAT_INVALID_ARG5);
	FAILS(dat_ep_post_send(a.ep[0], 1, iov, cookie(0), DAT_COMPLETION_UNSIGNALLED_FLAG),
	      DAT_INVALID_PARAMETER, DAT_INVALID_ARG5);
	FAILS(dat_ep_post_recv(a.ep[0], 1, iov, cookie(0), DAT_COMPLETION_SUPPRESS_FLAG),
	      DAT_INVALID_PARAMETER, DAT_INVALID_ARG5);
	FAILS(dat_ep_post_recv(a.ep[0], 1, iov, cookie(0), DAT_COMPLETION_UNSIGNALLED_FLAG),
	      DAT_INVALID_PARAMETER, DAT_INVALID_ARG5);
	FAILS(dat_ep_post_recv(a.ep[0], 5, iov, cookie(0), plain), DAT_INVALID_PARAMETER,
	      DAT_INVALID_ARG2);
	iov[0].lmr_context = none;
	FAILS(dat_ep_post_recv(a.ep[0], 1, iov, cookie(0), plain), DAT_PRIVILEGES_VIOLATION,
	      DAT_PRIVILEGES_WRITE);
	iov[0].lmr_context = foreign;
	FAILS(dat_ep_post_send(a.ep[0], 1, iov, cookie(0), plain), DAT_PROTECTION_VIOLATION,
	      DAT_PROTECTION_READ);
	FAILS(dat_ep_post_recv(a.ep[0], 1, iov, cookie(0), plain), DAT_PROTECTION_VIOLATION,
	      DAT_PROTECTION_WRITE);
	iov[0].lmr_context = fixed;
	FAILS(dat_ep_post_recv(a.ep[0], 1, iov, cookie(0), plain), DAT_PRIVILEGES_VIOLATION,
	      DAT_PRIVILEGES_WRITE);
	iov[0].lmr_context = ~key;
	FAILS(dat_ep_post_send(a.ep[0], 1, iov, cookie(0), plain), DAT_PRIVILEGES_VIOLATION,
	      DAT_PRIVILEGES_READ);
	iov[0] = good;
	iov[0].virtual_address += MEM - 7;
	FAILS(dat_ep_post_send(a.ep[0], 1, iov, cookie(0), plain), DAT_INVALID_PARAMETER,
	      DAT_INVALID_ARG3);
	/* the other fields of an empty segment are ignored */
	iov[0] = (DAT_LMR_TRIPLET) { .lmr_context = ~0u, .virtual_address = 1 };
	OK(post(0, 64, 1));
	OK(dat_ep_post_send(a.ep[0], 1, iov, cookie(5), plain));
	CHECK(dto(b.rx, b.ep[0], 1, DAT_DTO_SUCCESS, 0));
	CHECK(dto(a.tx, a.ep[0], 5, DAT_DTO_SUCCESS, 0));
	iov[0] = good;
	iov[0].lmr_context = none;
	memcpy(a.mem, "privacy", 8);
	memset(b.mem, 0, 64);
	OK(post(0, 64, 2));
	OK(dat_ep_post_send(a.ep[0], 1, iov, cookie(6), plain));
	CHECK(dto(b.rx, b.ep[0], 2, DAT_DTO_SUCCESS, 8));
	CHECK(!memcmp(b.mem, "privacy", 8));
	return dto(a.tx, a.ep[0], 6, DAT_DTO_SUCCESS, 8);
}

/* A missing object has its own error. */
static bool absent(void)
{
	DAT_HANDLE h;

	CHECK(dpair_open(apart, 8, 1));
	CHECK(dpair_link(1));
	FAILS(dat_rsp_create(a.ia, 9, a.ep[0], a.cr, &h), DAT_MODEL_NOT_SUPPORTED,
	      DAT_NO_SUBTYPE);
	return none(a.tx);
}

/* ---- Adapters ------------------------------------------------------------------------------ */

/* A graceful close needs an adapter without objects; an abrupt close removes them all. */
static bool closing(void)
{
	DAT_HANDLE h, asked;
	DAT_EVENT req;

	CHECK(dpair_open(apart, 8, 1));
	FAILS(dat_ia_close(b.ia, 7), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	OK(dat_psp_free(b.psp));
	OK(dat_srq_free(b.srq));
	OK(dat_lmr_free(b.lmr));
	OK(dat_evd_free(b.cr));
	OK(dat_evd_free(b.tx));
	OK(dat_evd_free(b.rx));
	OK(dat_evd_free(b.conn));
	FAILS(dat_evd_free(b.async), DAT_INVALID_STATE, DAT_INVALID_STATE_EVD_IN_USE);
	FAILS(dat_ia_close(b.ia, DAT_CLOSE_GRACEFUL_FLAG), DAT_INVALID_STATE,
	      DAT_INVALID_STATE_IA_IN_USE);
	OK(dat_pz_free(b.pz));
	OK(dat_cno_create(b.ia, no_agent, &h));
	FAILS(dat_ia_close(b.ia, DAT_CLOSE_GRACEFUL_FLAG), DAT_INVALID_STATE,
	      DAT_INVALID_STATE_IA_IN_USE);
	OK(dat_cno_free(h));
	OK(dat_evd_create(b.ia, 3, DAT_HANDLE_NULL, DAT_EVD_SOFTWARE_FLAG, &h));
	FAILS(dat_ia_close(b.ia, DAT_CLOSE_GRACEFUL_FLAG), DAT_INVALID_STATE,
	      DAT_INVALID_STATE_IA_IN_USE);
	OK(dat_evd_free(h));
	OK(dat_ia_close(b.ia, DAT_CLOSE_GRACEFUL_FLAG));
	munmap(b.mem, MEM);
	memset(&b, 0, sizeof(b));
	dpair_close();

	/* connected, with a request that waits, receives, sends, and a CNO */
	CHECK(dpair_open(apart, 8, 1));
	CHECK(dpair_link(2));
	OK(post(0, 64, 1));
	OK(put(0, 0, 8, 1));
	OK(put(1, 0, 8, 1));
	OK(dat_cno_create(b.ia, no_agent, &h));
	OK(dat_evd_modify_cno(b.rx, h));
	CHECK(dpair_ask(&a, dpair_addr()));
	CHECK(next(b.cr, &req));
	asked = a.ep[2];
	FAILS(dat_ia_close(b.ia, DAT_CLOSE_GRACEFUL_FLAG), DAT_INVALID_STATE,
	      DAT_INVALID_STATE_IA_IN_USE);
	OK(dat_ia_close(b.ia, DAT_CLOSE_ABRUPT_FLAG));
	munmap(b.mem, MEM);
	memset(&b, 0, sizeof(b));
	for (count = 0; count < 3; count++) {
		CHECK(next(a.conn, &req));
		CHECK_EQ(req.event_number,
			 req.event_data.connect_event_data.ep_handle == asked ?
				 DAT_CONNECTION_EVENT_PEER_REJECTED :
				 DAT_CONNECTION_EVENT_DISCONNECTED);
	}
	return true;
}

/* As many objects as declared, and one more where the number is a limit. */
static bool declared(void)
{
	DAT_SRQ_ATTR most = { .max_recv_iov = 1, .low_watermark = DAT_SRQ_LW_DEFAULT };
	DAT_REGION_DESCRIPTION region;
	DAT_PROVIDER_ATTR p;
	DAT_SRQ_HANDLE srq;
	DAT_PZ_HANDLE pz;
	DAT_LMR_PARAM lp;
	DAT_CR_PARAM cr;
	DAT_IA_ATTR is;
	DAT_VADDR addr;
	uint8_t data[512] = { 1, 2, 3 };
	DAT_HANDLE h;
	DAT_VLEN len;
	uint32_t key;
	int i, j;

	CHECK(dpair_open(apart, 8, 4));
	OK(dat_ia_query(b.ia, &h, DAT_IA_FIELD_ALL, &is, DAT_PROVIDER_FIELD_ALL, &p));
	CHECK(h == b.async);
	CHECK(!strcmp(is.adapter_name, "weft"));
	CHECK(p.num_provider_specific_attr && p.provider_specific_attr[0].name);
	CHECK(p.optimal_buffer_alignment && 256 % p.optimal_buffer_alignment == 0);

	/* lengths and numbers */
	OK(dat_evd_create(b.ia, is.max_evd_qlen, DAT_HANDLE_NULL, DAT_EVD_DTO_FLAG, &h));
	OK(dat_evd_free(h));
	FAILS(dat_evd_create(b.ia, is.max_evd_qlen + 1, DAT_HANDLE_NULL, DAT_EVD_DTO_FLAG, &h),
	      DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	most.max_recv_dtos = is.max_recv_per_srq;
	OK(dat_srq_create(b.ia, b.pz, &most, &srq));
	for (i = 0; i < is.max_recv_per_srq; i++)
		OK(dat_srq_post_recv(srq, 0, NULL, cookie(i)));
	FAILS(dat_srq_post_recv(srq, 0, NULL, cookie(i)), DAT_INSUFFICIENT_RESOURCES,
	      DAT_RESOURCE_SRQ);
	OK(dat_srq_free(srq));
	most.max_recv_dtos++;
	FAILS(dat_srq_create(b.ia, b.pz, &most, &srq), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	battr.max_request_dtos = is.max_dto_per_ep;
	battr.max_recv_dtos = is.max_dto_per_ep;
	battr.max_recv_iov = is.max_iov_segments_per_dto;
	battr.max_request_iov = is.max_iov_segments_per_dto;
	OK(dat_ep_create(b.ia, b.pz, b.rx, b.tx, b.conn, &battr, &h));
	for (i = 0; i < is.max_dto_per_ep; i++)
		OK(dat_ep_post_recv(h, 0, NULL, cookie(i), plain));
	FAILS(dat_ep_post_recv(h, 0, NULL, cookie(i), plain), DAT_INSUFFICIENT_RESOURCES,
	      DAT_RESOURCE_TEP);
	OK(dat_ep_free(h));

	/* streams in one dispatcher, all pairs */
	for (i = 0; i < 6; i++) {
		static const DAT_EVD_FLAGS flag[] = {
			DAT_EVD_SOFTWARE_FLAG, DAT_EVD_CR_FLAG, DAT_EVD_DTO_FLAG,
			DAT_EVD_CONNECTION_FLAG, DAT_EVD_RMR_BIND_FLAG, DAT_EVD_ASYNC_FLAG,
		};

		for (j = 0; j < 6; j++) {
			CHECK(p.evd_stream_merging_supported[i][j]);
			OK(dat_evd_create(b.ia, 2, DAT_HANDLE_NULL, flag[i] | flag[j], &h));
			OK(dat_evd_free(h));
		}
	}

	/* memory of each kind, a zone of the endpoint's own */
	CHECK_EQ(p.lmr_mem_types_supported, DAT_MEM_TYPE_LMR | DAT_MEM_TYPE_SHARED_VIRTUAL);
	OK(dat_pz_create(b.ia, &pz));
	region.for_lmr_handle = b.lmr;
	OK(dat_lmr_create(b.ia, DAT_MEM_TYPE_LMR, region, 0, pz, DAT_MEM_PRIV_ALL_FLAG, 0, &h,
			  &key, &key, &len, &addr));
	CHECK(len == MEM && addr == (uintptr_t)b.mem);
	OK(dat_lmr_query(h, DAT_LMR_FIELD_ALL, &lp));
	CHECK(lp.mem_type == DAT_MEM_TYPE_LMR && lp.pz_handle == pz && lp.length == MEM);
	region.for_shared_memory.virtual_address = b.mem;
	OK(dat_lmr_create(b.ia, DAT_MEM_TYPE_SHARED_VIRTUAL, region, 64, pz, 0, 0, &h, &key, &key,
			  &len, &addr));
	CHECK(p.srq_ep_pz_difference_supported);
	h = b.pz;
	b.pz = pz;
	battr.max_request_dtos = 8;
	battr.max_request_iov = 1;
	CHECK(dpair_link(1));
	b.pz = h;
	OK(post(0, 64, 1));
	OK(put(0, 0, 8, 1));
	CHECK(dto(b.rx, b.ep[0], 1, DAT_DTO_SUCCESS, 8));

	/* private data */
	CHECK(p.max_private_data_size >= 64 && p.max_private_data_size < 512);
	OK(dat_ep_create(a.ia, a.pz, a.rx, a.tx, a.conn, NULL, &h));
	FAILS(dat_ep_connect(h, dpair_addr(), QUAL, DAT_TIMEOUT_INFINITE,
			     p.max_private_data_size + 1, data, 0, 0), DAT_INVALID_PARAMETER,
	      DAT_INVALID_ARG5);
	OK(dat_ep_connect(h, dpair_addr(), QUAL, DAT_TIMEOUT_INFINITE, p.max_private_data_size,
			  data, 0, 0));
	CHECK(next(b.cr, &ev));
	OK(dat_cr_query(ev.event_data.cr_arrival_event_data.cr_handle, DAT_CR_FIELD_ALL, &cr));
	CHECK_EQ(cr.private_data_size, p.max_private_data_size);
	CHECK(!memcmp(cr.private_data, data, cr.private_data_size));
	return true;
}

/* Make @n by @make(i), then free them by @done. */
static bool many(int n, DAT_RETURN (*make)(DAT_HANDLE *h), DAT_RETURN (*done)(DAT_HANDLE h))
{
	static DAT_HANDLE h[8192];
	int i;

	CHECK(n <= 8192);
	for (i = 0; i < n; i++)
		OK(make(&h[i]));
	while (i--)
		OK(done(h[i]));
	return true;
}

static DAT_RETURN make_srq(DAT_HANDLE *h)
{
	DAT_SRQ_ATTR attr = { .max_recv_dtos = 1, .max_recv_iov = 1 };

	return dat_srq_create(b.ia, b.pz, &attr, h);
}

static DAT_RETURN make_ep(DAT_HANDLE *h)
{
	return dat_ep_create_with_srq(b.ia, b.pz, b.rx, b.tx, b.conn, b.srq, &battr, h);
}

static DAT_RETURN make_evd(DAT_HANDLE *h)
{
	return dat_evd_create(b.ia, 1, DAT_HANDLE_NULL, DAT_EVD_DEFAULT_FLAG, h);
}

static DAT_RETURN make_lmr(DAT_HANDLE *h)
{
	DAT_REGION_DESCRIPTION region = { .for_va = b.mem };
	DAT_VADDR addr;
	uint32_t key;
	DAT_VLEN len;

	return dat_lmr_create(b.ia, DAT_MEM_TYPE_VIRTUAL, region, 64, b.pz, 0, 0, h, &key, &key,
			      &len, &addr);
}

static bool numbers(void)
{
	DAT_IA_ATTR is;

	CHECK(dpair_open(false, 8, 1));
	OK(dat_ia_query(b.ia, NULL, DAT_IA_FIELD_ALL, &is, 0, NULL));
	battr.max_request_dtos = 1;
	battr.max_request_iov = 1;
	CHECK(is.max_srqs >= 1000 && is.max_ep_per_srq >= 1000 && is.max_eps >= 1000);
	CHECK(many(is.max_srqs, make_srq, dat_srq_free));
	CHECK(many(is.max_ep_per_srq, make_ep, dat_ep_free));
	CHECK_EQ(is.max_eps, is.max_ep_per_srq);
	CHECK(many(is.max_evds, make_evd, dat_evd_free));
	return many(is.max_lmrs, make_lmr, dat_lmr_free);
}

static const struct check cases[] = {
	{ "handles", handles },
	{ "what cannot be made", makes },
	{ "what cannot be posted", posts },
	{ "what is not there", absent },
	{ "closing", closing },
	{ "as declared", declared },
};

static const struct check once[] = {
	{ "as many as declared", numbers },
};

int main(void)
{
	checks_run_everywhere(cases, sizeof(cases) / sizeof(cases[0]), &apart, dpair_close);
	checks_run(once, 1, "within a node", dpair_close);
	return results_end();
}
