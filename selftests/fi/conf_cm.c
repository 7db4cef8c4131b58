// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fi_cm(3), rule by rule: listening, connecting, accepting, rejecting.
 * TIMEOUT: 400 LINKS: vnet loop slow
 */
#include <arpa/inet.h>
#include "cmpair.h"

#define SOMAX	 "/proc/sys/net/core/somaxconn"
#define MANY	 1000
#define TESTING	 0x5e	/* last byte of an address that no node here has */

/* ---- Listening ------------------------------------------------------------------------ */

static bool listen_opens(void)
{
	struct fi_eq_err_entry err = {};
	uint32_t type;
	union cm cm;

	CHECK(listening());
	CHECK_EQ(fi_close(&p.pep->fid), 0);
	CHECK_EQ(fi_passive_ep(p.b.fabric, p.b.info, &p.pep, NULL), 0);
	CHECK_EQ(fi_pep_bind(p.pep, &p.b.eq->fid, 0), 0);
	CHECK_EQ(fi_setname(&p.pep->fid, addr, addr_len), 0);
	CHECK(side_endpoint(&p.a, p.a.info, &p.o));
	CHECK_EQ(fi_connect(p.a.ep, addr, NULL, 0), 0);
	CHECK(has_failed(FI_ECONNREFUSED, &err));
	CHECK(no_event(&p.b));
	CHECK_EQ(fi_close(&p.a.ep->fid), 0);
	CHECK_EQ(fi_listen(p.pep), 0);
	CHECK_EQ(fi_endpoint(p.a.domain, p.a.info, &p.a.ep, NULL), 0);
	CHECK_EQ(fi_ep_bind(p.a.ep, &p.a.eq->fid, 0), 0);
	CHECK_EQ(fi_ep_bind(p.a.ep, &p.a.txcq->fid, FI_TRANSMIT | FI_RECV), 0);
	CHECK_EQ(fi_connect(p.a.ep, addr, NULL, 0), 0);
	CHECK_EQ(event(p.b.eq, &type, &cm, sizeof(cm)), sizeof(cm.e));
	CHECK_EQ(type, FI_CONNREQ);
	fi_freeinfo(cm.e.info);
	return true;
}

static bool request_info(void)
{
	struct sockaddr_in name, *peer;
	size_t len = sizeof(name);
	union cm cm;

	CHECK(asked(&cm, NULL, 0, 0));
	CHECK_EQ(cm.e.info->ep_attr->type, FI_EP_MSG);
	CHECK(cm.e.info->handle);
	CHECK_EQ(fi_getname(&p.a.ep->fid, &name, &len), 0);
	peer = cm.e.info->dest_addr;
	CHECK_EQ(cm.e.info->dest_addrlen, sizeof(*peer));
	CHECK_EQ(peer->sin_port, name.sin_port);
	CHECK_EQ(peer->sin_addr.s_addr, name.sin_addr.s_addr);
	CHECK_EQ(cm.e.info->src_addrlen, addr_len);
	CHECK(!memcmp(cm.e.info->src_addr, addr, addr_len));
	fi_freeinfo(cm.e.info);
	return true;
}

static bool listen_needs_eq(void)
{
	CHECK(sides());
	CHECK_EQ(fi_passive_ep(p.b.fabric, p.b.info, &p.pep, NULL), 0);
	CHECK_EQ(fi_listen(p.pep), -FI_ENOEQ);
	CHECK_EQ(fi_pep_bind(p.pep, &p.b.eq->fid, 0), 0);
	CHECK_EQ(fi_listen(p.pep), 0);
	return fi_listen(p.pep) == -FI_EOPBADSTATE;
}

/* ---- Many requests -------------------------------------------------------------------- */

/* endpoints of a side beside its own */
static struct fid_ep *eps[2][MANY];

static void more_close(void)
{
	int i, k;

	for (k = 0; k < 2; k++)
		for (i = 0; i < MANY; i++) {
			if (eps[k][i])
				fi_close(&eps[k][i]->fid);
			eps[k][i] = NULL;
		}
}

static bool ask_all(int n)
{
	int i;

	for (i = 0; i < n; i++) {
		CHECK(more_ep(&p.a, p.a.info, &eps[0][i]));
		CHECK_EQ(fi_connect(eps[0][i], addr, NULL, 0), 0);
	}
	return true;
}

static bool refused_all(int n)
{
	struct fi_eq_err_entry err;
	uint32_t type;
	union cm cm;

	while (n--) {
		memset(&err, 0, sizeof(err));
		CHECK_EQ(event(p.a.eq, &type, &cm, sizeof(cm)), -FI_EAVAIL);
		CHECK_EQ(fi_eq_readerr(p.a.eq, &err, 0), sizeof(err));
		CHECK_EQ(err.err, FI_ECONNREFUSED);
	}
	return no_event(&p.a);
}

static bool reject_all(int n)
{
	uint32_t type;
	union cm cm;

	while (n--) {
		CHECK_EQ(event(p.b.eq, &type, &cm, sizeof(cm)), sizeof(cm.e));
		CHECK_EQ(type, FI_CONNREQ);
		CHECK_EQ(fi_reject(p.pep, cm.e.info->handle, NULL, 0), 0);
		fi_freeinfo(cm.e.info);
	}
	return no_event(&p.b);
}

static bool backlogs(void)
{
	int four = 4, more = 64;

	CHECK(sides());
	CHECK(more_cq(&p.a));
	CHECK_EQ(fi_passive_ep(p.b.fabric, p.b.info, &p.pep, NULL), 0);
	CHECK_EQ(fi_pep_bind(p.pep, &p.b.eq->fid, 0), 0);
	CHECK_EQ(fi_control(&p.pep->fid, FI_BACKLOG, &four), 0);
	CHECK_EQ(fi_listen(p.pep), 0);
	addr_len = sizeof(addr);
	CHECK_EQ(fi_getname(&p.pep->fid, addr, &addr_len), 0);
	/* the queue is not read: four requests wait, the others are refused */
	CHECK(ask_all(more));
	CHECK(refused_all(more - four));
	CHECK(reject_all(four));
	CHECK(refused_all(four));
	more_close();
	CHECK_EQ(fi_control(&p.pep->fid, FI_BACKLOG, &more), 0);
	CHECK(ask_all(more));
	CHECK(reject_all(more));
	return refused_all(more);
}

static bool backlog(void)
{
	bool ok = backlogs();

	more_close();
	return ok;
}

static bool limited_by(int limit)
{
	CHECK(listening());
	CHECK(more_cq(&p.a));
	CHECK(ask_all(limit + 3));
	CHECK(refused_all(3));
	CHECK(reject_all(limit));
	return refused_all(limit);
}

static bool default_backlog(void)
{
	char old[32] = "";
	FILE *f;
	bool ok;

	/* the file belongs to the network namespace of the calling thread: B's */
	node_enter(p.o.apart);
	f = fopen(SOMAX, "r+");
	CHECK(f);
	CHECK(fgets(old, sizeof(old), f));
	rewind(f);
	CHECK(fprintf(f, "2\n") > 0 && !fclose(f));
	ok = limited_by(2);
	more_close();
	node_enter(p.o.apart);
	f = fopen(SOMAX, "w");
	CHECK(f);
	CHECK(fputs(old, f) >= 0 && !fclose(f));
	return ok;
}

static bool thousand(void)
{
	int i, reqs = 0, done[2] = { 0, 0 };
	uint64_t until = now_ms() + WAIT_MS;
	uint32_t type;
	union cm cm;
	ssize_t ret;

	CHECK(listening());
	i = MANY;
	CHECK_EQ(fi_control(&p.pep->fid, FI_BACKLOG, &i), 0);
	CHECK(more_cq(&p.a) && more_cq(&p.b));
	CHECK(ask_all(MANY));
	while (done[0] < MANY || done[1] < MANY) {
		CHECK(now_ms() < until);
		ret = fi_eq_read(p.b.eq, &type, &cm, sizeof(cm), 0);
		CHECK(ret == sizeof(cm.e) || ret == -FI_EAGAIN);
		if (ret > 0 && type == FI_CONNREQ) {
			CHECK(more_ep(&p.b, cm.e.info, &eps[1][reqs]));
			CHECK_EQ(fi_accept(eps[1][reqs++], NULL, 0), 0);
			fi_freeinfo(cm.e.info);
		} else if (ret > 0) {
			CHECK_EQ(type, FI_CONNECTED);
			done[1]++;
		}
		if (ret > 0)
			until = now_ms() + WAIT_MS;
		ret = fi_eq_read(p.a.eq, &type, &cm, sizeof(cm), 0);
		CHECK(ret == sizeof(cm.e) || ret == -FI_EAGAIN);
		if (ret > 0) {
			CHECK_EQ(type, FI_CONNECTED);
			done[0]++;
			until = now_ms() + WAIT_MS;
		}
	}
	return no_event(&p.a) && no_event(&p.b);
}

static bool none_lost(void)
{
	bool ok = thousand();

	more_close();
	return ok;
}

/* ---- Connecting ----------------------------------------------------------------------- */

static bool connect_returns(void)
{
	struct sockaddr_in *to = (struct sockaddr_in *)addr;
	struct fi_eq_err_entry err = {};
	ssize_t ret;

	CHECK(listening());
	CHECK(side_endpoint(&p.a, p.a.info, &p.o));
	/* no such node on this network */
	to->sin_addr.s_addr = (to->sin_addr.s_addr & ~htonl(0xff)) | htonl(TESTING);
	ret = fi_connect(p.a.ep, addr, NULL, 0);
	if (ret) {
		CHECK(ret == -FI_EHOSTUNREACH || ret == -FI_ENETUNREACH);
		return no_event(&p.a);
	}
	CHECK(has_failed(FI_EHOSTUNREACH, &err));
	return no_event(&p.a);
}

static bool unconnected_types(void)
{
	struct fid_pep *pep;

	CHECK_EQ(fi_connect(p.a.ep, sbuf, NULL, 0), -FI_ENOSYS);
	CHECK_EQ(fi_accept(p.a.ep, NULL, 0), -FI_ENOSYS);
	CHECK_EQ(fi_shutdown(p.a.ep, 0), -FI_ENOSYS);
	CHECK_EQ(fi_passive_ep(p.a.fabric, p.a.info, &pep, NULL), -FI_EINVAL);
	return true;
}

static bool connects_once(void)
{
	union cm cm;

	CHECK(asked(&cm, NULL, 0, 0));
	CHECK_EQ(fi_connect(p.a.ep, addr, NULL, 0), -FI_EOPBADSTATE);
	CHECK(answered(&cm, NULL, 0));
	CHECK(is_connected(&p.a, &cm, 0) && is_connected(&p.b, &cm, 0));
	CHECK_EQ(fi_connect(p.a.ep, addr, NULL, 0), -FI_EISCONN);
	CHECK_EQ(fi_connect(p.b.ep, addr, NULL, 0), -FI_EISCONN);
	CHECK_EQ(fi_shutdown(p.a.ep, 0), 0);
	CHECK(is_shutdown(&p.a) && is_shutdown(&p.b));
	return fi_connect(p.a.ep, addr, NULL, 0) == -FI_EOPBADSTATE;
}

static bool needs_format(void)
{
	struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_port = htons(7000),
				    .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	uint16_t none[14] = { 0 };

	CHECK(listening());
	CHECK(side_endpoint(&p.a, p.a.info, &p.o));
	CHECK_EQ(fi_connect(p.a.ep, &six, NULL, 0), -FI_EINVAL);
	CHECK_EQ(fi_connect(p.a.ep, NULL, NULL, 0), -FI_EINVAL);
	CHECK_EQ(fi_connect(p.a.ep, none, NULL, 0), -FI_EINVAL);
	/* after all of that it can still connect */
	CHECK_EQ(fi_connect(p.a.ep, addr, NULL, 0), 0);
	return true;
}

static bool accepts(void)
{
	union cm cm;

	CHECK(asked(&cm, NULL, 0, 0));
	CHECK(answered(&cm, NULL, 0));
	CHECK(is_connected(&p.a, &cm, 0) && is_connected(&p.b, &cm, 0));
	CHECK(post_plain(rbuf, 4096, 1));
	CHECK(send_plain(3000, 5, 2));
	CHECK(is_received(1, 3000, false, 0));
	return pattern_is(rbuf, 3000, 5) && no_event(&p.a) && no_event(&p.b);
}

static bool accept_refused(void)
{
	struct fi_eq_err_entry err = {};
	struct fid_ep *late;
	union cm cm;

	CHECK(asked(&cm, NULL, 0, 0));
	CHECK_EQ(fi_accept(p.a.ep, NULL, 0), -FI_EOPBADSTATE);
	CHECK(side_endpoint(&p.b, p.b.info, &p.o));
	CHECK_EQ(fi_accept(p.b.ep, NULL, 0), -FI_EINVAL);
	/* a request that is rejected while an endpoint uses it */
	CHECK(more_ep(&p.b, cm.e.info, &late));
	CHECK_EQ(fi_reject(p.pep, cm.e.info->handle, NULL, 0), 0);
	CHECK_EQ(fi_accept(late, NULL, 0), -FI_EINVAL);
	CHECK_EQ(fi_close(&late->fid), 0);
	fi_freeinfo(cm.e.info);
	return has_failed(FI_ECONNREFUSED, &err);
}

static bool one_answer(void)
{
	struct fi_info *info;
	struct fid_ep *second;
	union cm cm;

	CHECK(asked(&cm, NULL, 0, 0));
	info = fi_dupinfo(cm.e.info);
	CHECK(info);
	info->handle = cm.e.info->handle;
	CHECK(side_endpoint(&p.b, cm.e.info, &p.o));
	CHECK_EQ(fi_endpoint(p.b.domain, info, &second, NULL), -FI_EINVAL);
	CHECK_EQ(fi_accept(p.b.ep, NULL, 0), 0);
	CHECK_EQ(fi_endpoint(p.b.domain, info, &second, NULL), -FI_EINVAL);
	CHECK_EQ(fi_reject(p.pep, info->handle, NULL, 0), -FI_EINVAL);
	CHECK_EQ(fi_accept(p.b.ep, NULL, 0), -FI_EOPBADSTATE);
	fi_freeinfo(info);
	fi_freeinfo(cm.e.info);
	CHECK(is_connected(&p.a, &cm, 0));
	return is_connected(&p.b, &cm, 0);
}

static bool rejects(void)
{
	struct fi_eq_err_entry err = {};
	union cm cm;

	CHECK(asked(&cm, NULL, 0, 0));
	CHECK_EQ(fi_reject(p.pep, &p.pep->fid, NULL, 0), -FI_EINVAL);
	CHECK_EQ(fi_reject(p.pep, cm.e.info->handle, NULL, 0), 0);
	CHECK_EQ(fi_reject(p.pep, cm.e.info->handle, NULL, 0), -FI_EINVAL);
	fi_freeinfo(cm.e.info);
	CHECK(has_failed(FI_ECONNREFUSED, &err));
	return no_event(&p.a) && no_event(&p.b);
}

/* The listener is closed: with the request in its queue, or before it. */
static bool reasons(void)
{
	struct fi_eq_err_entry err = {};
	union cm cm;

	CHECK(asked(&cm, NULL, 0, 0));
	CHECK_EQ(fi_close(&p.pep->fid), 0);
	p.pep = NULL;
	fi_freeinfo(cm.e.info);
	CHECK(has_failed(FI_ECONNREFUSED, &err));
	CHECK_EQ(fi_close(&p.a.ep->fid), 0);
	CHECK(more_ep(&p.a, p.a.info, &p.a.ep));
	CHECK_EQ(fi_connect(p.a.ep, addr, NULL, 0), 0);
	CHECK(has_failed(FI_ECONNREFUSED, &err));
	return no_event(&p.a) && no_event(&p.b);
}

static bool sends_wait(void)
{
	struct iovec iov = { sbuf, 8 };
	struct fi_msg m = { .msg_iov = &iov, .iov_count = 1 };
	struct fi_msg_tagged t = { .msg_iov = &iov, .iov_count = 1 };
	struct fid_ep *ep;
	union cm cm;

	CHECK(asked(&cm, NULL, 0, 0));
	ep = p.a.ep;
	CHECK_EQ(fi_send(ep, sbuf, 8, NULL, 0, ctx(1)), -FI_ENOTCONN);
	CHECK_EQ(fi_sendv(ep, &iov, NULL, 1, 0, ctx(1)), -FI_ENOTCONN);
	CHECK_EQ(fi_sendmsg(ep, &m, 0), -FI_ENOTCONN);
	CHECK_EQ(fi_inject(ep, sbuf, 8, 0), -FI_ENOTCONN);
	CHECK_EQ(fi_senddata(ep, sbuf, 8, NULL, 0, 0, ctx(1)), -FI_ENOTCONN);
	CHECK_EQ(fi_injectdata(ep, sbuf, 8, 0, 0), -FI_ENOTCONN);
	CHECK_EQ(fi_tsend(ep, sbuf, 8, NULL, 0, 1, ctx(1)), -FI_ENOTCONN);
	CHECK_EQ(fi_tsendv(ep, &iov, NULL, 1, 0, 1, ctx(1)), -FI_ENOTCONN);
	CHECK_EQ(fi_tsendmsg(ep, &t, 0), -FI_ENOTCONN);
	CHECK_EQ(fi_tinject(ep, sbuf, 8, 0, 1), -FI_ENOTCONN);
	CHECK_EQ(fi_tsenddata(ep, sbuf, 8, NULL, 0, 0, 1, ctx(1)), -FI_ENOTCONN);
	CHECK_EQ(fi_tinjectdata(ep, sbuf, 8, 0, 0, 1), -FI_ENOTCONN);
	CHECK(answered(&cm, NULL, 0));
	CHECK(is_connected(&p.a, &cm, 0));
	CHECK(post_plain(rbuf, 64, 1));
	CHECK(send_plain(8, 1, 2));
	CHECK(is_received(1, 8, false, 0));
	return is_connected(&p.b, &cm, 0);
}

static bool early_receives(void)
{
	struct fi_cq_tagged_entry c;
	union cm cm;

	CHECK(listening());
	CHECK(side_endpoint(&p.a, p.a.info, &p.o));
	CHECK_EQ(fi_recv(p.a.ep, rbuf + 8192, 64, NULL, 0, ctx(7)), 0);
	p.a.ep->fid.context = &p.a;
	CHECK_EQ(fi_connect(p.a.ep, addr, NULL, 0), 0);
	CHECK_EQ(event(p.b.eq, &(uint32_t){ 0 }, &cm, sizeof(cm)), sizeof(cm.e));
	CHECK(side_endpoint(&p.b, cm.e.info, &p.o));
	CHECK(post_plain(rbuf, 64, 1));
	CHECK_EQ(fi_accept(p.b.ep, NULL, 0), 0);
	fi_freeinfo(cm.e.info);
	CHECK(post_plain(rbuf + 4096, 64, 2));
	CHECK(is_connected(&p.a, &cm, 0));
	CHECK(send_plain(64, 1, 3) && send_plain(64, 2, 3));
	/* these messages may reach B before any other part of the connection */
	CHECK(is_received(1, 64, false, 0) && is_received(2, 64, false, 0));
	CHECK(pattern_is(rbuf, 64, 1) && pattern_is(rbuf + 4096, 64, 2));
	CHECK(is_connected(&p.b, &cm, 0));
	CHECK_EQ(fi_inject(p.b.ep, sbuf, 64, 0), 0);
	CHECK_EQ(completion(p.a.rxcq, &c, NULL, NULL), 1);
	CHECK(c.op_context == ctx(7));
	return pattern_is(rbuf + 8192, 64, 2);
}

/* A message may arrive before the event of its connection, or be read before it. */
static bool overtaken(bool event_first)
{
	union cm cm;

	CHECK(asked(&cm, NULL, 0, 0));
	CHECK(side_endpoint(&p.b, cm.e.info, &p.o));
	CHECK(post_plain(rbuf, 64, 1));
	CHECK_EQ(fi_accept(p.b.ep, NULL, 0), 0);
	fi_freeinfo(cm.e.info);
	p.b.ep->fid.context = &p.b;
	CHECK(is_connected(&p.a, &cm, 0));
	CHECK(send_plain(64, 1, 2));
	if (event_first)
		CHECK(is_connected(&p.b, &cm, 0));
	CHECK(is_received(1, 64, false, 0));
	CHECK(pattern_is(rbuf, 64, 1));
	if (!event_first)
		CHECK(is_connected(&p.b, &cm, 0));
	pair_close(&p);
	return true;
}

static bool overtakes(void)
{
	struct opts o = p.o;

	CHECK(overtaken(false));
	p.o = o;
	return overtaken(true);
}

#define ALONE .alone = true

static const struct row rows[] = {
	ROW("CM-001", ON_MSG, "Nothing is accepted before fi_listen", listen_opens, ALONE),
	ROW("CM-002", ON_MSG, "A request is told with what it needs to be accepted", request_info,
	    ALONE),
	ROW("CM-003", ON_MSG, "Listening needs an event queue, and is done once", listen_needs_eq,
	    ALONE),
	ROW("CM-004", ON_MSG, "The backlog limits requests that wait, and none is lost", backlog,
	    ALONE),
	ROW("CM-005", ON_MSG, "The default backlog is the administrator's", default_backlog, ALONE),
	ROW("CM-006", ON_MSG, "Connecting returns at once, an event tells of failure",
	    connect_returns, ALONE),
	ROW("CM-007", ON_RDM, "Connectionless endpoints have none of this", unconnected_types),
	ROW("CM-008", ON_MSG, "An endpoint connects once in its life", connects_once, ALONE),
	ROW("CM-009", ON_MSG, "An address has the endpoint's format", needs_format, ALONE),
	ROW("CM-010", ON_MSG, "An endpoint made from a request accepts it", accepts, ALONE),
	ROW("CM-011", ON_MSG, "Accepting without a request that waits is refused", accept_refused,
	    ALONE),
	ROW("CM-012", ON_MSG, "A request is answered once", one_answer, ALONE),
	ROW("CM-013", ON_MSG, "A rejection is an error event at the endpoint that asked", rejects,
	    ALONE),
	ROW("CM-014", ON_MSG, "A failure has its reason", reasons, ALONE),
	ROW("CM-015", ON_MSG, "Each side is told of its own endpoint's connection", accepts, ALONE),
	ROW("CM-016", ON_MSG, "Who accepts is told of the new endpoint, not of the listener",
	    accepts, ALONE),
	ROW("CM-017", ON_MSG, "Nothing can be sent before the connection stands", sends_wait,
	    ALONE),
	ROW("CM-018", ON_MSG, "Receives may be posted before, while and after connecting",
	    early_receives, ALONE),
	ROW("CM-019", ON_MSG, "A message that overtakes FI_CONNECTED is not lost", overtakes,
	    ALONE),
	ROW("CM-100", ON_MSG, "A thousand requests at once: none is lost", none_lost, ALONE,
	    .o.tx_size = 16, .o.rx_size = 16),
};

int main(int argc, char **argv)
{
	return rows_main(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
}
