// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Endpoints through libdat2: calls that each state permits, attributes that can be changed, how
 * connections begin and end, high watermarks.
 * TIMEOUT: 120 NEEDS: dat
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/mman.h>
#include "dpair.h"

#define BUF	64

static bool apart;

static int state_of(DAT_EP_HANDLE ep)
{
	DAT_EP_STATE state;

	return dat_ep_get_status(ep, &state, NULL, NULL) == DAT_SUCCESS ? (int)state : -1;
}

/* Calls that only one state permits. */
static bool forbids(DAT_EP_HANDLE ep, DAT_RETURN_SUBTYPE sub)
{
	DAT_EP_PARAM param = { 0 };

	FAILS(dat_ep_modify(ep, DAT_EP_FIELD_CONNECT_EVD_HANDLE, &param), DAT_INVALID_STATE, sub);
	FAILS(dat_ep_connect(ep, dpair_addr(), QUAL, DAT_TIMEOUT_INFINITE, 0, NULL,
			     DAT_QOS_BEST_EFFORT, DAT_CONNECT_DEFAULT_FLAG), DAT_INVALID_STATE,
	      sub);
	return true;
}

static bool refuses_reset(DAT_EP_HANDLE ep, DAT_RETURN_SUBTYPE sub)
{
	FAILS(dat_ep_reset(ep), DAT_INVALID_STATE, sub);
	return true;
}

static bool refuses_send(DAT_RETURN_SUBTYPE sub)
{
	FAILS(put(0, 0, 8, 0), DAT_INVALID_STATE, sub);
	return true;
}

static DAT_RETURN own_recv(uint64_t n)
{
	DAT_LMR_TRIPLET iov = seg(&a, 0, BUF);

	return dat_ep_post_recv(a.ep[0], 1, &iov, cookie(n), DAT_COMPLETION_DEFAULT_FLAG);
}

static bool held_are(DAT_EP_HANDLE ep, DAT_COUNT held, DAT_COUNT span)
{
	DAT_COUNT h = -1, s = -1;

	OK(dat_ep_recv_query(ep, &h, &s));
	CHECK_EQ(h, held);
	CHECK_EQ(s, span);
	OK(dat_ep_recv_query(ep, NULL, NULL));
	return true;
}

static bool ask_again(void)
{
	OK(dat_ep_connect(a.ep[0], dpair_addr(), QUAL, DAT_TIMEOUT_INFINITE, 0, NULL,
			  DAT_QOS_BEST_EFFORT, DAT_CONNECT_DEFAULT_FLAG));
	return true;
}

/* One endpoint through all of its states. */
static bool states(void)
{
	DAT_EP_PARAM param;
	DAT_EVENT ev;

	CHECK(dpair_open(apart, 8, 1));
	OK(dat_ep_create(a.ia, a.pz, a.rx, a.tx, a.conn, NULL, &a.ep[0]));
	CHECK_EQ(state_of(a.ep[0]), DAT_EP_STATE_UNCONNECTED);
	FAILS(dat_ep_disconnect(a.ep[0], DAT_CLOSE_ABRUPT_FLAG), DAT_INVALID_STATE,
	      DAT_INVALID_STATE_EP_UNCONNECTED);
	CHECK(refuses_send(DAT_INVALID_STATE_EP_UNCONNECTED));
	OK(own_recv(1));
	OK(dat_ep_reset(a.ep[0]));
	CHECK(held_are(a.ep[0], 1, 1));

	/* a request without an answer */
	CHECK(ask_again());
	CHECK(next(b.cr, &ev));
	CHECK_EQ(state_of(a.ep[0]), DAT_EP_STATE_ACTIVE_CONNECTION_PENDING);
	CHECK(forbids(a.ep[0], DAT_INVALID_STATE_EP_ACTCONNPENDING));
	CHECK(refuses_reset(a.ep[0], DAT_INVALID_STATE_EP_ACTCONNPENDING));
	CHECK(refuses_send(DAT_INVALID_STATE_EP_ACTCONNPENDING));
	OK(dat_ep_query(a.ep[0], DAT_EP_FIELD_ALL, &param));
	CHECK_EQ(param.remote_port_qual, QUAL);
	CHECK(param.local_port_qual > 0 && param.local_port_qual <= UINT16_MAX);
	CHECK_EQ(((struct sockaddr *)param.remote_ia_address_ptr)->sa_family,
		 ((struct sockaddr *)dpair_addr())->sa_family);

	OK(dat_ep_create_with_srq(b.ia, b.pz, b.rx, b.tx, b.conn, b.srq, &battr, &b.ep[0]));
	OK(dat_cr_accept(ev.event_data.cr_arrival_event_data.cr_handle, b.ep[0], 0, NULL));
	CHECK(conn(b.conn, DAT_CONNECTION_EVENT_ESTABLISHED, b.ep[0]));
	CHECK(conn(a.conn, DAT_CONNECTION_EVENT_ESTABLISHED, a.ep[0]));
	CHECK_EQ(state_of(a.ep[0]), DAT_EP_STATE_CONNECTED);
	CHECK_EQ(state_of(b.ep[0]), DAT_EP_STATE_CONNECTED);
	CHECK(forbids(a.ep[0], DAT_INVALID_STATE_EP_CONNECTED));
	CHECK(refuses_reset(a.ep[0], DAT_INVALID_STATE_EP_CONNECTED));

	/* a send waits for a buffer, and the end waits for the send */
	OK(put(0, 0, 8, 2));
	OK(dat_ep_disconnect(a.ep[0], DAT_CLOSE_GRACEFUL_FLAG));
	OK(dat_ep_disconnect(a.ep[0], DAT_CLOSE_GRACEFUL_FLAG));
	CHECK_EQ(state_of(a.ep[0]), DAT_EP_STATE_DISCONNECT_PENDING);
	CHECK(forbids(a.ep[0], DAT_INVALID_STATE_EP_DISCPENDING));
	CHECK(refuses_reset(a.ep[0], DAT_INVALID_STATE_EP_DISCPENDING));
	CHECK(refuses_send(DAT_INVALID_STATE_EP_DISCPENDING));
	OK(dat_ep_disconnect(a.ep[0], DAT_CLOSE_ABRUPT_FLAG));
	CHECK(conn(a.conn, DAT_CONNECTION_EVENT_DISCONNECTED, a.ep[0]));
	CHECK(dto(a.tx, a.ep[0], 2, DAT_DTO_ERR_FLUSHED, 0));
	CHECK(dto(a.rx, a.ep[0], 1, DAT_DTO_ERR_FLUSHED, 0));

	/* a post is flushed at once: it marks that all earlier completions were told */
	CHECK_EQ(state_of(a.ep[0]), DAT_EP_STATE_DISCONNECTED);
	OK(put(0, 0, 8, 3));
	OK(own_recv(4));
	CHECK(dto(a.tx, a.ep[0], 3, DAT_DTO_ERR_FLUSHED, 0));
	CHECK(dto(a.rx, a.ep[0], 4, DAT_DTO_ERR_FLUSHED, 0));
	OK(dat_ep_disconnect(a.ep[0], DAT_CLOSE_ABRUPT_FLAG));
	CHECK(none(a.conn));
	CHECK(forbids(a.ep[0], DAT_INVALID_STATE_EP_DISCONNECTED));
	OK(dat_ep_reset(a.ep[0]));
	CHECK_EQ(state_of(a.ep[0]), DAT_EP_STATE_UNCONNECTED);

	/* and equal to a new one */
	CHECK(conn(b.conn, DAT_CONNECTION_EVENT_DISCONNECTED, b.ep[0]));
	CHECK(ask_again());
	b.neps = 1;
	CHECK(dpair_accept());
	CHECK(conn(a.conn, DAT_CONNECTION_EVENT_ESTABLISHED, a.ep[0]));
	OK(post(0, BUF, 9));
	OK(put(0, 0, 8, 5));
	CHECK(dto(b.rx, b.ep[1], 9, DAT_DTO_SUCCESS, 8));
	return dto(a.tx, a.ep[0], 5, DAT_DTO_SUCCESS, 8);
}

/* The state is known before the program reads the event. */
static bool unread(void)
{
	uint64_t until = now_ms() + WAIT_US / 1000;

	CHECK(dpair_open(apart, 8, 1));
	CHECK(dpair_link(1));
	OK(dat_ep_disconnect(b.ep[0], DAT_CLOSE_ABRUPT_FLAG));
	while (state_of(a.ep[0]) != DAT_EP_STATE_DISCONNECTED)
		CHECK(now_ms() < until);
	OK(dat_ep_reset(a.ep[0]));
	return conn(a.conn, DAT_CONNECTION_EVENT_DISCONNECTED, a.ep[0]);
}

/* Refused, withdrawn, not answered, not there: then disconnected, until the endpoint is reset. */
static bool fails_to_connect(void)
{
	DAT_IA_ADDRESS_PTR addr;
	struct sockaddr_in *in;
	DAT_EVENT ev;

	CHECK(dpair_open(apart, 8, 1));
	CHECK(dpair_ask(&a, dpair_addr()));
	CHECK(next(b.cr, &ev));
	OK(dat_cr_reject(ev.event_data.cr_arrival_event_data.cr_handle, 0, NULL));
	CHECK(conn(a.conn, DAT_CONNECTION_EVENT_PEER_REJECTED, a.ep[0]));
	CHECK_EQ(state_of(a.ep[0]), DAT_EP_STATE_DISCONNECTED);

	OK(dat_ep_reset(a.ep[0]));
	OK(own_recv(1));
	CHECK(ask_again());
	CHECK(next(b.cr, &ev));
	OK(dat_ep_disconnect(a.ep[0], DAT_CLOSE_GRACEFUL_FLAG));
	CHECK(conn(a.conn, DAT_CONNECTION_EVENT_DISCONNECTED, a.ep[0]));
	CHECK(dto(a.rx, a.ep[0], 1, DAT_DTO_ERR_FLUSHED, 0));
	CHECK_EQ(state_of(a.ep[0]), DAT_EP_STATE_DISCONNECTED);

	OK(dat_ep_reset(a.ep[0]));
	FAILS(dat_ep_connect(a.ep[0], dpair_addr(), QUAL, 0, 0, NULL, DAT_QOS_BEST_EFFORT,
			     DAT_CONNECT_DEFAULT_FLAG), DAT_INVALID_PARAMETER, DAT_INVALID_ARG4);
	OK(dat_ep_connect(a.ep[0], dpair_addr(), QUAL, 500000, 0, NULL, DAT_QOS_BEST_EFFORT,
			  DAT_CONNECT_DEFAULT_FLAG));
	CHECK(next(b.cr, &ev));
	CHECK(conn(a.conn, DAT_CONNECTION_EVENT_TIMED_OUT, a.ep[0]));
	CHECK_EQ(state_of(a.ep[0]), DAT_EP_STATE_DISCONNECTED);
	if (!apart)
		return true;

	OK(dat_ep_reset(a.ep[0]));
	addr = dpair_addr();
	in = (struct sockaddr_in *)addr;
	if (in->sin_family != AF_INET)
		return true;
	in->sin_addr.s_addr = htonl(ntohl(in->sin_addr.s_addr) + 100);
	OK(dat_ep_connect(a.ep[0], addr, QUAL, 500000, 0, NULL, DAT_QOS_BEST_EFFORT,
			  DAT_CONNECT_DEFAULT_FLAG));
	return conn(a.conn, DAT_CONNECTION_EVENT_UNREACHABLE, a.ep[0]);
}

/* To the address of a connected endpoint. */
static bool duplicate(void)
{
	DAT_EP_HANDLE ep, con;

	CHECK(dpair_open(apart, 8, 1));
	CHECK(dpair_link(1));
	con = a.ep[0];
	OK(dat_ep_create(a.ia, a.pz, a.rx, a.tx, a.conn, NULL, &ep));
	FAILS(dat_ep_dup_connect(ep, a.pz, 1, 0, NULL, DAT_QOS_BEST_EFFORT), DAT_INVALID_HANDLE,
	      DAT_INVALID_HANDLE2);
	FAILS(dat_ep_dup_connect(ep, b.ep[0], 1, 0, NULL, DAT_QOS_BEST_EFFORT),
	      DAT_INVALID_HANDLE, DAT_INVALID_HANDLE2);
	FAILS(dat_ep_dup_connect(ep, ep, 1, 0, NULL, DAT_QOS_BEST_EFFORT), DAT_INVALID_STATE,
	      DAT_INVALID_STATE_EP_UNCONNECTED);
	FAILS(dat_ep_dup_connect(con, con, 1, 0, NULL, DAT_QOS_BEST_EFFORT), DAT_INVALID_STATE,
	      DAT_INVALID_STATE_EP_CONNECTED);
	FAILS(dat_ep_dup_connect(ep, con, 0, 0, NULL, DAT_QOS_BEST_EFFORT), DAT_INVALID_PARAMETER,
	      DAT_INVALID_ARG3);
	FAILS(dat_ep_dup_connect(ep, con, 1, -1, NULL, DAT_QOS_BEST_EFFORT),
	      DAT_INVALID_PARAMETER, DAT_INVALID_ARG4);
	FAILS(dat_ep_dup_connect(ep, con, 1, 8, NULL, DAT_QOS_BEST_EFFORT), DAT_INVALID_PARAMETER,
	      DAT_INVALID_ARG5);
	FAILS(dat_ep_dup_connect(ep, con, 1, 0, NULL, DAT_QOS_PREMIUM), DAT_MODEL_NOT_SUPPORTED,
	      DAT_NO_SUBTYPE);
	OK(dat_ep_dup_connect(ep, con, DAT_TIMEOUT_INFINITE, 0, NULL, DAT_QOS_BEST_EFFORT));
	CHECK(dpair_accept());
	CHECK(conn(a.conn, DAT_CONNECTION_EVENT_ESTABLISHED, ep));
	a.ep[1] = ep;
	OK(post(0, BUF, 3));
	OK(put(1, 0, 8, 4));
	return dto(b.rx, b.ep[1], 3, DAT_DTO_SUCCESS, 8);
}

/* Which attributes can be changed, and when; the new values take effect. */
static bool modify(void)
{
	DAT_EP_PARAM_MASK sizes = DAT_EP_FIELD_EP_ATTR_MAX_REQUEST_DTOS |
				  DAT_EP_FIELD_EP_ATTR_MAX_REQUEST_IOV |
				  DAT_EP_FIELD_EP_ATTR_MAX_RECV_DTOS;
	DAT_EP_PARAM_MASK never[] = {
		DAT_EP_FIELD_IA_HANDLE, DAT_EP_FIELD_EP_STATE, DAT_EP_FIELD_COMM,
		DAT_EP_FIELD_LOCAL_IA_ADDRESS_PTR, DAT_EP_FIELD_LOCAL_PORT_QUAL,
		DAT_EP_FIELD_REMOTE_IA_ADDRESS_PTR, DAT_EP_FIELD_REMOTE_PORT_QUAL,
		DAT_EP_FIELD_SRQ_HANDLE, DAT_EP_FIELD_ALL + 1,
	};
	DAT_EP_PARAM param = { 0 }, is;
	DAT_LMR_TRIPLET iov[8];
	DAT_EVD_HANDLE tx;
	unsigned int i;

	CHECK(dpair_open(apart, 64, 1));
	OK(dat_ep_create(a.ia, a.pz, a.rx, a.tx, DAT_HANDLE_NULL, NULL, &a.ep[0]));
	for (i = 0; i < sizeof(never) / sizeof(never[0]); i++)
		FAILS(dat_ep_modify(a.ep[0], never[i], &param), DAT_INVALID_PARAMETER,
		      DAT_INVALID_ARG2);
	FAILS(dat_ep_modify(a.ep[0], 0, NULL), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	FAILS(dat_ep_connect(a.ep[0], dpair_addr(), QUAL, 1, 0, NULL, DAT_QOS_BEST_EFFORT,
			     DAT_CONNECT_DEFAULT_FLAG), DAT_INVALID_STATE,
	      DAT_INVALID_STATE_EP_EVD_CONNECT);
	param.recv_evd_handle = b.rx;
	FAILS(dat_ep_modify(a.ep[0], DAT_EP_FIELD_RECV_EVD_HANDLE, &param), DAT_INVALID_HANDLE,
	      DAT_INVALID_HANDLE_EVD_RECV);
	param.request_evd_handle = a.conn;
	FAILS(dat_ep_modify(a.ep[0], DAT_EP_FIELD_REQUEST_EVD_HANDLE, &param), DAT_INVALID_HANDLE,
	      DAT_INVALID_HANDLE_EVD_REQUEST);
	param.connect_evd_handle = a.rx;
	FAILS(dat_ep_modify(a.ep[0], DAT_EP_FIELD_CONNECT_EVD_HANDLE, &param), DAT_INVALID_HANDLE,
	      DAT_INVALID_HANDLE_EVD_CONN);
	param.pz_handle = b.pz;
	FAILS(dat_ep_modify(a.ep[0], DAT_EP_FIELD_PZ_HANDLE, &param), DAT_INVALID_HANDLE,
	      DAT_INVALID_HANDLE_PZ);
	param.ep_attr.max_request_iov = 1000;
	FAILS(dat_ep_modify(a.ep[0], sizes, &param), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	param.ep_attr.recv_completion_flags = DAT_COMPLETION_SUPPRESS_FLAG;
	FAILS(dat_ep_modify(a.ep[0], DAT_EP_FIELD_EP_ATTR_RECV_COMPLETION_FLAGS, &param),
	      DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	param.ep_attr.qos = DAT_QOS_ECONOMY;
	FAILS(dat_ep_modify(a.ep[0], DAT_EP_FIELD_EP_ATTR_QOS, &param), DAT_MODEL_NOT_SUPPORTED,
	      DAT_NO_SUBTYPE);

	/* receives have been posted for the old values */
	OK(own_recv(1));
	param.ep_attr.max_request_iov = 8;
	param.ep_attr.max_request_dtos = 3;
	param.ep_attr.max_recv_dtos = 2;
	FAILS(dat_ep_modify(a.ep[0], sizes, &param), DAT_INVALID_STATE,
	      DAT_INVALID_STATE_EP_NOTREADY);
	OK(dat_ep_free(a.ep[0]));

	OK(dat_ep_create(a.ia, DAT_HANDLE_NULL, a.rx, DAT_HANDLE_NULL, DAT_HANDLE_NULL, NULL,
			 &a.ep[0]));
	OK(dat_evd_create(a.ia, 16, DAT_HANDLE_NULL, DAT_EVD_DTO_FLAG, &tx));
	param.pz_handle = a.pz;
	param.connect_evd_handle = a.conn;
	param.request_evd_handle = tx;
	OK(dat_ep_modify(a.ep[0], sizes | DAT_EP_FIELD_PZ_HANDLE | DAT_EP_FIELD_CONNECT_EVD_HANDLE |
			 DAT_EP_FIELD_REQUEST_EVD_HANDLE, &param));
	OK(dat_ep_query(a.ep[0], DAT_EP_FIELD_ALL, &is));
	CHECK(is.ia_handle && is.pz_handle == a.pz && is.recv_evd_handle == a.rx);
	CHECK(is.request_evd_handle == tx && is.connect_evd_handle == a.conn);
	CHECK_EQ(is.ep_attr.max_request_iov, 8);
	CHECK_EQ(is.ep_attr.max_request_dtos, 3);
	CHECK_EQ(is.ep_attr.max_recv_dtos, 2);
	CHECK_EQ(is.ep_attr.max_recv_iov, 4);
	FAILS(dat_evd_free(tx), DAT_INVALID_STATE, DAT_INVALID_STATE_EVD_IN_USE);
	OK(own_recv(1));
	OK(own_recv(2));
	CHECK_EQ(DAT_GET_TYPE(own_recv(3)), DAT_INSUFFICIENT_RESOURCES);
	CHECK(ask_again());
	CHECK(dpair_accept());
	CHECK(conn(a.conn, DAT_CONNECTION_EVENT_ESTABLISHED, a.ep[0]));
	for (i = 0; i < 8; i++)
		iov[i] = seg(&a, i * BUF, 8);
	for (i = 0; i < 3; i++)
		OK(dat_ep_post_send(a.ep[0], 8, iov, cookie(i), DAT_COMPLETION_DEFAULT_FLAG));
	CHECK_EQ(DAT_GET_TYPE(put(0, 0, 8, 3)), DAT_INSUFFICIENT_RESOURCES);
	for (i = 0; i < 3; i++)
		OK(post(i * BUF, BUF, i));
	for (i = 0; i < 3; i++)
		CHECK(dto(b.rx, b.ep[0], i, DAT_DTO_SUCCESS, 64));
	for (i = 0; i < 3; i++)
		CHECK(dto(tx, a.ep[0], i, DAT_DTO_SUCCESS, 64));
	return none(a.tx);
}

/* A request is handed to another service point: of this adapter, of another one. */
static bool handoff(void)
{
	DAT_CR_ARRIVAL_EVENT_DATA *d;
	DAT_PSP_HANDLE psp, far;
	DAT_EVD_HANDLE cr;
	DAT_CR_HANDLE was;
	DAT_CR_PARAM param;
	struct dside c;
	DAT_EVENT ev;

	CHECK(dpair_open(apart, 8, 1));
	CHECK(dside_open(&c, apart, 16));
	OK(dat_evd_create(b.ia, 8, DAT_HANDLE_NULL, DAT_EVD_CR_FLAG, &cr));
	OK(dat_psp_create(b.ia, QUAL + 1, cr, DAT_PSP_CONSUMER_FLAG, &psp));
	OK(dat_psp_create(c.ia, QUAL + 2, c.cr, DAT_PSP_CONSUMER_FLAG, &far));
	OK(dat_ep_create(a.ia, a.pz, a.rx, a.tx, a.conn, NULL, &a.ep[0]));
	OK(dat_ep_connect(a.ep[0], dpair_addr(), QUAL, DAT_TIMEOUT_INFINITE, 5, (void *)"hello",
			  DAT_QOS_BEST_EFFORT, DAT_CONNECT_DEFAULT_FLAG));
	CHECK(next(b.cr, &ev));
	d = &ev.event_data.cr_arrival_event_data;
	CHECK_EQ(d->conn_qual, QUAL);
	was = d->cr_handle;
	FAILS(dat_cr_handoff(was, 0), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	FAILS(dat_cr_handoff(was, 65536), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	FAILS(dat_cr_handoff(was, QUAL), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	FAILS(dat_cr_handoff(was, QUAL + 9), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	FAILS(dat_cr_handoff(psp, QUAL + 1), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_CR);
	OK(dat_cr_handoff(was, QUAL + 1));
	FAILS(dat_cr_handoff(was, QUAL + 1), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_CR);
	FAILS(dat_cr_query(was, DAT_CR_FIELD_ALL, &param), DAT_INVALID_HANDLE,
	      DAT_INVALID_HANDLE_CR);
	CHECK(next(cr, &ev));
	CHECK_EQ(ev.event_number, DAT_CONNECTION_REQUEST_EVENT);
	CHECK_EQ(d->conn_qual, QUAL + 1);
	CHECK(d->sp_handle.psp_handle == psp);
	OK(dat_cr_query(d->cr_handle, DAT_CR_FIELD_ALL, &param));
	CHECK_EQ(param.private_data_size, 5);
	CHECK(!memcmp(param.private_data, "hello", 5));
	OK(dat_cr_handoff(d->cr_handle, QUAL + 2));
	CHECK(none(b.cr) && none(cr));
	CHECK(next(c.cr, &ev));
	CHECK(d->sp_handle.psp_handle == far);
	OK(dat_ep_create(c.ia, c.pz, c.rx, c.tx, c.conn, NULL, &c.ep[0]));
	OK(dat_cr_accept(d->cr_handle, c.ep[0], 0, NULL));
	CHECK(conn(a.conn, DAT_CONNECTION_EVENT_ESTABLISHED, a.ep[0]));
	CHECK(conn(c.conn, DAT_CONNECTION_EVENT_ESTABLISHED, c.ep[0]));
	CHECK(none(b.conn));

	/* a request whose service point is gone is invalid */
	CHECK(dpair_ask(&a, dpair_addr()));
	CHECK(next(b.cr, &ev));
	OK(dat_psp_free(b.psp));
	FAILS(dat_cr_handoff(d->cr_handle, QUAL + 1), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_CR);
	OK(dat_cr_reject(d->cr_handle, 0, NULL));
	CHECK(conn(a.conn, DAT_CONNECTION_EVENT_PEER_REJECTED, a.ep[0]));
	OK(dat_ia_close(c.ia, DAT_CLOSE_ABRUPT_FLAG));
	return true;
}

/* Send one more message; it has arrived, and its completion is written or waits for space. */
static bool one_more(int *n)
{
	OK(put(0, 0, 8, *n));
	CHECK(dto(a.tx, a.ep[0], *n, DAT_DTO_SUCCESS, 8));
	++*n;
	return true;
}

/*
 * Buffers that an endpoint holds because their completions have no space. Their number and span are
 * checked at each step. The soft mark gives one event for each setting, at once if it has been
 * passed. The hard mark breaks the connection.
 */
static bool watermarks(void)
{
	DAT_COUNT held = 0, span;
	DAT_EP_PARAM param;
	int n = 0, full, i;
	DAT_EVENT ev;

	CHECK(dpair_open(apart, 512, 1));
	OK(dat_evd_free(b.rx));
	OK(dat_evd_create(b.ia, 1, DAT_HANDLE_NULL, DAT_EVD_DTO_FLAG, &b.rx));
	CHECK(dpair_link(2));
	OK(dat_ep_set_watermark(b.ep[0], DAT_WATERMARK_INFINITE, DAT_WATERMARK_INFINITE));
	FAILS(dat_ep_set_watermark(b.ep[0], 0, 1), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	FAILS(dat_ep_set_watermark(b.ep[0], 1, -2), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	FAILS(dat_ep_set_watermark(b.srq, 1, 1), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP);
	FAILS(dat_ep_set_watermark(a.ep[0], 1, 1), DAT_MODEL_NOT_SUPPORTED, DAT_NO_SUBTYPE);
	for (i = 0; i < 512; i++)
		OK(post(0, BUF, i));
	CHECK(held_are(b.ep[0], 0, 0));
	while (!held && n < 500) {
		CHECK(one_more(&n));
		OK(dat_ep_recv_query(b.ep[0], &held, &span));
	}
	CHECK_EQ(held, 1);
	CHECK_EQ(span, 1);
	full = n - 1;
	OK(dat_ep_set_watermark(b.ep[0], 3, 6));
	OK(dat_ep_query(b.ep[0], DAT_EP_FIELD_ALL, &param));
	CHECK_EQ(param.ep_attr.srq_soft_hw, 3);
	for (held = 2; held <= 3; held++) {
		CHECK(one_more(&n));
		CHECK(held_are(b.ep[0], held, held));
		CHECK(none(b.async));
	}
	CHECK(one_more(&n));
	CHECK(async(DAT_ASYNC_ERROR_PROVIDER_INTERNAL_ERROR, b.ep[0],
		    DAT_SRQ_SOFT_HIGH_WATERMARK_EVENT));
	CHECK(one_more(&n));
	CHECK(none(b.async));
	CHECK(held_are(b.ep[0], 5, 5));
	OK(dat_ep_set_watermark(b.ep[0], 5, 6));
	CHECK(none(b.async));
	OK(dat_ep_set_watermark(b.ep[0], 4, 6));
	CHECK(async(DAT_ASYNC_ERROR_PROVIDER_INTERNAL_ERROR, b.ep[0],
		    DAT_SRQ_SOFT_HIGH_WATERMARK_EVENT));
	CHECK(one_more(&n));
	CHECK(held_are(b.ep[0], 6, 6));
	CHECK(none(b.async) && none(b.conn));

	/* one too many: this connection ends, and the buffers that it holds are flushed */
	OK(put(0, 0, 8, n));
	CHECK(conn(a.conn, DAT_CONNECTION_EVENT_DISCONNECTED, a.ep[0]));
	for (i = 0; i <= n; i++) {
		CHECK(next(b.rx, &ev));
		CHECK_EQ(ev.event_data.dto_completion_event_data.user_cookie.as_64, i);
		CHECK(ev.event_data.dto_completion_event_data.ep_handle == b.ep[0]);
		if (i < full)
			CHECK_EQ(ev.event_data.dto_completion_event_data.status, DAT_DTO_SUCCESS);
	}
	CHECK_EQ(ev.event_data.dto_completion_event_data.status, DAT_DTO_ERR_FLUSHED);
	CHECK(conn(b.conn, DAT_CONNECTION_EVENT_BROKEN, b.ep[0]));
	CHECK(async(DAT_ASYNC_ERROR_EP_BROKEN, b.ep[0], DAT_EP_TRANSFER_TO_ERROR));
	CHECK(counts(512 - n - 1, 512 - n - 1));
	OK(put(1, 0, 8, 7));
	CHECK(dto(b.rx, b.ep[1], n + 1, DAT_DTO_SUCCESS, 8));
	return none(b.rx);
}

/* The soft mark of the attributes is valid from the beginning. */
static bool soft_attribute(void)
{
	CHECK(dpair_open(apart, 8, 1));
	battr.srq_soft_hw = -2;
	FAILS(dat_ep_create_with_srq(b.ia, b.pz, b.rx, b.tx, b.conn, b.srq, &battr, &b.ep[0]),
	      DAT_INVALID_PARAMETER, DAT_INVALID_ARG7);
	battr.srq_soft_hw = 1;
	OK(dat_ep_create_with_srq(b.ia, b.pz, b.rx, b.tx, b.conn, b.srq, &battr, &b.ep[0]));
	OK(dat_ep_set_watermark(b.ep[0], 2, 3));
	OK(dat_ep_reset(b.ep[0]));
	return held_are(b.ep[0], 0, 0);
}

/* A buffer that cannot be written to: both ends are told which side has failed. */
static bool unwritable(void)
{
	static const size_t lens[] = { 5000, 200000 };
	uint64_t i;

	CHECK(dpair_open(apart, 8, 1));
	CHECK(dpair_link(2));
	for (i = 0; i < 2; i++) {
		CHECK_EQ(mprotect(b.mem, MEM, PROT_READ), 0);
		OK(post(0, lens[i], i));
		OK(put((int)i, 0, lens[i], i));
		CHECK(dto(b.rx, b.ep[i], i, DAT_DTO_ERR_LOCAL_PROTECTION, 0));
		CHECK(dto(a.tx, a.ep[i], i, DAT_DTO_ERR_REMOTE_RESPONDER, 0));
		/* and the next message is not affected */
		CHECK_EQ(mprotect(b.mem, MEM, PROT_READ | PROT_WRITE), 0);
		OK(post(0, lens[i], 10 + i));
		OK(put((int)i, 0, lens[i], 10 + i));
		CHECK(dto(b.rx, b.ep[i], 10 + i, DAT_DTO_SUCCESS, lens[i]));
		CHECK(dto(a.tx, a.ep[i], 10 + i, DAT_DTO_SUCCESS, lens[i]));
	}
	return true;
}

static const struct check cases[] = {
	{ "states", states },
	{ "a state without its event", unread },
	{ "connections that are not made", fails_to_connect },
	{ "a duplicate", duplicate },
	{ "modify and query", modify },
	{ "hand off", handoff },
	{ "high watermarks", watermarks },
	{ "soft mark as attribute", soft_attribute },
	{ "a buffer that cannot be written to", unwritable },
};

int main(void)
{
	checks_run_everywhere(cases, sizeof(cases) / sizeof(cases[0]), &apart, dpair_close);
	return results_end();
}
