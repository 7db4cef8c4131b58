// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fi_cm(3), rule by rule: the end of connections, names, private data.
 * TIMEOUT: 200 LINKS: vnet loop
 */
#include <arpa/inet.h>
#include <signal.h>
#include <rdma/fi_domain.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cmpair.h"
#include "link.h"

/* ---- Shutting down -------------------------------------------------------------------- */

static bool shutdown_flags(void)
{
	CHECK_EQ(fi_shutdown(p.a.ep, 1), -FI_EINVAL);
	CHECK_EQ(fi_shutdown(p.a.ep, ~0ull), -FI_EINVAL);
	CHECK(post_plain(rbuf, 64, 1));
	CHECK(send_plain(8, 1, 2));
	return is_received(1, 8, false, 0);
}

/* Outstanding operations are canceled before the call returns, behind earlier completions. */
static bool shutdown_cancels(void)
{
	struct fi_cq_tagged_entry c;
	struct fi_cq_err_entry err;
	unsigned int i;

	CHECK_EQ(fi_recv(p.a.ep, rbuf, 64, NULL, 0, ctx(99)), 0);
	CHECK_EQ(fi_inject(p.b.ep, sbuf, 8, 0), 0);
	for (i = 0; i < 10; i++)
		CHECK_EQ(fi_recv(p.a.ep, rbuf + 4096 * i, 4096, NULL, 0, ctx(100 + i)), 0);
	/* it has arrived: no receive for the next message completes before */
	CHECK_EQ(fi_cq_sread(p.a.rxcq, &c, 1, NULL, WAIT_MS), 1);
	CHECK(c.op_context == ctx(99));
	CHECK_EQ(fi_shutdown(p.a.ep, 0), 0);
	for (i = 0; i < 10; i++) {
		memset(&err, 0, sizeof(err));
		CHECK_EQ(fi_cq_read(p.a.rxcq, &c, 1), -FI_EAVAIL);
		CHECK_EQ(fi_cq_readerr(p.a.rxcq, &err, 0), 1);
		CHECK_EQ(err.err, FI_ECANCELED);
		CHECK(err.op_context == ctx(100 + i));
	}
	CHECK_EQ(fi_recv(p.a.ep, rbuf, 64, NULL, 0, ctx(1)), -FI_ENOTCONN);
	CHECK_EQ(fi_send(p.a.ep, sbuf, 1, NULL, 0, NULL), -FI_ENOTCONN);
	CHECK_EQ(fi_shutdown(p.a.ep, 0), 0);
	CHECK(is_shutdown(&p.b) && is_shutdown(&p.a));
	return fi_send(p.b.ep, sbuf, 1, NULL, 0, NULL) == -FI_ENOTCONN;
}

/* Sends that have completed arrive before the event of the end. */
static bool shutdown_delivers(void)
{
	unsigned int i;

	CHECK(post_plain(rbuf, 4096, 1));
	CHECK(send_plain(3000, 8, 2));
	for (i = 0; i < 50; i++)
		CHECK_EQ(fi_inject(p.a.ep, sbuf, 100, 0), 0);
	CHECK_EQ(fi_shutdown(p.a.ep, 0), 0);
	CHECK(is_shutdown(&p.b));
	CHECK(is_received(1, 3000, false, 0));
	CHECK(pattern_is(rbuf, 3000, 8));
	/* receives posted now get kept messages, and no others */
	for (i = 0; i < 50; i++) {
		CHECK(post_plain(rbuf, 100, i));
		CHECK(is_received(i, 100, false, 0));
	}
	CHECK_EQ(fi_recv(p.b.ep, rbuf, 100, NULL, 0, ctx(1)), -FI_ENOTCONN);
	return is_shutdown(&p.a);
}

static bool shutdown_by_both(void)
{
	CHECK_EQ(fi_shutdown(p.a.ep, 0), 0);
	CHECK_EQ(fi_shutdown(p.b.ep, 0), 0);
	CHECK(is_shutdown(&p.a));
	return is_shutdown(&p.b);
}

static bool closed(void)
{
	CHECK_EQ(fi_close(&p.a.ep->fid), 0);
	p.a.ep = NULL;
	return is_shutdown(&p.b);
}

static bool killed(void)
{
	uint32_t type;
	union cm cm;
	pid_t pid;

	addr_len = sizeof(addr);
	CHECK(side_open(&p.b, p.o.apart, &p.o));
	CHECK(pair_listen(&p, addr, &addr_len));
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		struct pair q = { .o = p.o };

		if (!side_open(&q.a, 0, &q.o) || !side_endpoint(&q.a, q.a.info, &q.o) ||
		    fi_connect(q.a.ep, addr, NULL, 0))
			_exit(1);
		pause();
		_exit(1);
	}
	CHECK_EQ(event(p.b.eq, &type, &cm, sizeof(cm)), sizeof(cm.e));
	CHECK_EQ(type, FI_CONNREQ);
	CHECK(answered(&cm, NULL, 0));
	CHECK(is_connected(&p.b, &cm, 0));
	CHECK_EQ(kill(pid, SIGKILL), 0);
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	return is_shutdown(&p.b);
}

/* Earlier completions are read after the end too, before those of canceled operations. */
static bool shutdown_keeps(void)
{
	struct fi_cq_err_entry err = {};
	struct fi_cq_tagged_entry c;
	uint64_t until = now_ms() + WAIT_MS;
	unsigned int i;

	for (i = 0; i < 5; i++)
		CHECK_EQ(fi_recv(p.a.ep, rbuf + 64 * i, 64, NULL, 0, ctx(i)), 0);
	for (i = 0; i < 3; i++)
		CHECK_EQ(fi_inject(p.b.ep, sbuf, 8 + i, 0), 0);
	/* the counter has it when the completion is there */
	while (fi_cntr_read(p.a.rxcntr) < 3)
		CHECK(now_ms() < until);
	CHECK_EQ(fi_shutdown(p.a.ep, 0), 0);
	for (i = 0; i < 3; i++) {
		CHECK_EQ(fi_cq_read(p.a.rxcq, &c, 1), 1);
		CHECK(c.op_context == ctx(i));
		CHECK_EQ(c.len, 8 + i);
	}
	for (; i < 5; i++) {
		CHECK_EQ(fi_cq_read(p.a.rxcq, &c, 1), -FI_EAVAIL);
		CHECK_EQ(fi_cq_readerr(p.a.rxcq, &err, 0), 1);
		CHECK(err.op_context == ctx(i) && err.err == FI_ECANCELED);
	}
	CHECK_EQ(fi_cq_read(p.a.rxcq, &c, 1), -FI_EAGAIN);
	return is_shutdown(&p.a) && is_shutdown(&p.b);
}

/* Sends that cannot complete are canceled too, also those without completions. */
static bool shutdown_sends(void)
{
	struct fi_cq_err_entry err;
	struct fi_cq_tagged_entry c;
	unsigned int i;
	ssize_t ret;

	for (i = 0; i < 3; i++)
		CHECK_EQ(fi_send(p.a.ep, sbuf, ROOM, NULL, 0, ctx(i)), 0);
	CHECK_EQ(fi_shutdown(p.a.ep, 0), 0);
	for (i = 0; i < 3; i++) {
		memset(&err, 0, sizeof(err));
		CHECK_EQ(fi_cq_read(p.a.txcq, &c, 1), -FI_EAVAIL);
		CHECK_EQ(fi_cq_readerr(p.a.txcq, &err, 0), 1);
		CHECK(err.op_context == ctx(i) && err.err == FI_ECANCELED);
	}
	CHECK_EQ(fi_cq_read(p.a.txcq, &c, 1), -FI_EAGAIN);
	CHECK(is_shutdown(&p.a) && is_shutdown(&p.b));
	/* none of them can be received */
	ret = fi_recv(p.b.ep, rbuf, ROOM, NULL, 0, ctx(9));
	if (!ret)
		CHECK_EQ(completion(p.b.rxcq, &c, NULL, &err), -FI_EAVAIL);
	else
		CHECK_EQ(ret, -FI_ENOTCONN);
	return all_bytes(rbuf, ROOM, 0xee);
}

static bool shutdown_told(void)
{
	CHECK_EQ(fi_shutdown(p.b.ep, 0), 0);
	CHECK(is_shutdown(&p.a) && is_shutdown(&p.b));
	CHECK_EQ(fi_shutdown(p.a.ep, 0), 0);
	CHECK_EQ(fi_shutdown(p.b.ep, 0), 0);
	return no_event(&p.a) && no_event(&p.b);
}

static bool over(void)
{
	struct side *s;
	int i;

	CHECK_EQ(fi_shutdown(p.a.ep, 0), 0);
	CHECK(is_shutdown(&p.a) && is_shutdown(&p.b));
	for (i = 0; i < 2; i++) {
		s = i ? &p.b : &p.a;
		CHECK_EQ(fi_send(s->ep, sbuf, 8, NULL, 0, ctx(1)), -FI_ENOTCONN);
		CHECK_EQ(fi_inject(s->ep, sbuf, 8, 0), -FI_ENOTCONN);
		CHECK_EQ(fi_tsend(s->ep, sbuf, 8, NULL, 0, 1, ctx(1)), -FI_ENOTCONN);
		CHECK_EQ(fi_recv(s->ep, rbuf, 8, NULL, 0, ctx(1)), -FI_ENOTCONN);
		CHECK_EQ(fi_trecv(s->ep, rbuf, 8, NULL, 0, 1, 0, ctx(1)), -FI_ENOTCONN);
	}
	return true;
}

/* @s gets an error because its peer is silent. */
static bool is_lost(struct side *s)
{
	struct fi_eq_err_entry err = {};
	uint32_t type;
	union cm cm;

	CHECK_EQ(event(s->eq, &type, &cm, sizeof(cm)), -FI_EAVAIL);
	CHECK_EQ(fi_eq_readerr(s->eq, &err, 0), sizeof(err));
	CHECK(err.fid == &s->ep->fid && err.context == s);
	CHECK_EQ(err.err, FI_ETIMEDOUT);
	return true;
}

static bool lose_link(void)
{
	struct fi_cq_err_entry e = {};
	struct fi_cq_tagged_entry c;

	CHECK_EQ(fi_send(p.b.ep, sbuf, ROOM, NULL, 0, ctx(1)), 0);
	CHECK_EQ(completion(p.b.txcq, &c, NULL, &e), -FI_EAVAIL);
	CHECK(e.op_context == ctx(1));
	CHECK_EQ(e.err, FI_ETIMEDOUT);
	CHECK(is_lost(&p.b));
	CHECK_EQ(fi_send(p.b.ep, sbuf, 8, NULL, 0, ctx(1)), -FI_ENOTCONN);
	CHECK(no_event(&p.b));
	/* a side without anything to send notices it, too */
	return is_lost(&p.a);
}

/* A node that cannot tell: outstanding operations fail, and an error names the endpoint. */
static bool silent(void)
{
	bool ok;

	if (!link_there())
		return pass_over("no link that can be cut");
	ok = link_cut() && lose_link();
	return link_mend() && ok;
}

/* ---- Names ---------------------------------------------------------------------------- */

static bool fresh_ep(struct fid_ep **ep)
{
	CHECK(sides());
	CHECK(more_cq(&p.a));
	return more_ep(&p.a, p.a.info, ep);
}

static bool set_names(void)
{
	struct sockaddr_in want, got, other;
	struct fid_ep *second;
	size_t len = sizeof(want);

	CHECK(fresh_ep(&p.a.ep));
	CHECK_EQ(fi_getname(&p.a.ep->fid, &want, &len), 0);
	other = want;
	want.sin_port = htons(7471);
	CHECK_EQ(fi_setname(&p.a.ep->fid, &want, sizeof(want)), 0);
	CHECK_EQ(fi_getname(&p.a.ep->fid, &got, &len), 0);
	CHECK(!memcmp(&got, &want, sizeof(want)));
	/* port 0 keeps the present one */
	other.sin_port = 0;
	CHECK_EQ(fi_setname(&p.a.ep->fid, &other, sizeof(other)), 0);
	CHECK_EQ(fi_getname(&p.a.ep->fid, &got, &len), 0);
	CHECK_EQ(got.sin_port, want.sin_port);
	CHECK_EQ(fi_enable(p.a.ep), 0);
	CHECK_EQ(fi_setname(&p.a.ep->fid, &want, sizeof(want)), -FI_EOPBADSTATE);

	CHECK(more_ep(&p.a, p.a.info, &second));
	CHECK_EQ(fi_setname(&second->fid, &want, sizeof(want)), -FI_EADDRINUSE);
	other.sin_addr.s_addr = htonl(0xcb007107);
	CHECK_EQ(fi_setname(&second->fid, &other, sizeof(other)), -FI_EADDRNOTAVAIL);
	CHECK_EQ(fi_setname(&second->fid, &want, sizeof(want) - 1), -FI_EINVAL);
	CHECK_EQ(fi_setname(&second->fid, NULL, sizeof(want)), -FI_EINVAL);
	want.sin_family = AF_UNIX;
	CHECK_EQ(fi_setname(&second->fid, &want, sizeof(want)), -FI_EINVAL);
	CHECK_EQ(fi_getname(&second->fid, &got, &len), 0);
	CHECK_EQ(got.sin_port, 0);
	return !fi_close(&second->fid);
}

/* After fi_listen, fi_connect and fi_enable names do not change. */
static bool fixed_names(void)
{
	struct sockaddr_in *want = (struct sockaddr_in *)addr, got;
	size_t len = sizeof(got);

	CHECK(listening());
	CHECK_EQ(fi_setname(&p.pep->fid, addr, addr_len), -FI_EOPBADSTATE);
	CHECK_EQ(fi_getname(&p.pep->fid, &got, &len), 0);
	CHECK(!memcmp(&got, want, len));
	CHECK(more_cq(&p.a) && more_ep(&p.a, p.a.info, &p.a.ep));
	CHECK_EQ(fi_connect(p.a.ep, addr, NULL, 0), 0);
	CHECK_EQ(fi_getname(&p.a.ep->fid, &got, &len), 0);
	return fi_setname(&p.a.ep->fid, &got, len) == -FI_EOPBADSTATE;
}

static bool whole_name(struct fid *fid)
{
	struct sockaddr_in name, *own = p.a.info->src_addr;
	size_t len = sizeof(name);

	memset(&name, 0, sizeof(name));
	CHECK_EQ(fi_getname(fid, &name, &len), 0);
	CHECK_EQ(len, sizeof(name));
	CHECK(name.sin_family == AF_INET && name.sin_port);
	CHECK(fid == &p.pep->fid || name.sin_addr.s_addr == own->sin_addr.s_addr);
	return true;
}

static bool whole_names(void)
{
	struct fid_ep *second;

	CHECK(listening());
	CHECK(whole_name(&p.pep->fid));
	CHECK(more_cq(&p.a) && more_ep(&p.a, p.a.info, &p.a.ep));
	CHECK_EQ(fi_connect(p.a.ep, addr, NULL, 0), 0);
	CHECK(whole_name(&p.a.ep->fid));
	CHECK(more_ep(&p.a, p.a.info, &second));
	CHECK_EQ(fi_enable(second), 0);
	CHECK(whole_name(&second->fid));
	return !fi_close(&second->fid);
}

static bool chosen_service(void)
{
	struct sockaddr_in *src, got;
	size_t len = sizeof(got);
	uint16_t port;

	CHECK(fresh_ep(&p.a.ep));
	CHECK_EQ(fi_enable(p.a.ep), 0);
	CHECK_EQ(fi_getname(&p.a.ep->fid, &got, &len), 0);
	CHECK(got.sin_port);
	port = got.sin_port;
	CHECK_EQ(fi_getname(&p.a.ep->fid, &got, &len), 0);
	CHECK_EQ(got.sin_port, port);
	CHECK_EQ(fi_close(&p.a.ep->fid), 0);
	/* from the fi_info */
	src = p.a.info->src_addr;
	src->sin_port = htons(7472);
	CHECK(more_ep(&p.a, p.a.info, &p.a.ep));
	CHECK_EQ(fi_enable(p.a.ep), 0);
	CHECK_EQ(fi_getname(&p.a.ep->fid, &got, &len), 0);
	CHECK_EQ(got.sin_port, htons(7472));
	return got.sin_addr.s_addr == src->sin_addr.s_addr;
}

/* a passive endpoint's name moves to an endpoint that is made with its handle */
static bool carried_over(void)
{
	struct sockaddr_in want, got;
	size_t len = sizeof(got);

	CHECK(sides());
	CHECK(more_cq(&p.a));
	CHECK_EQ(fi_passive_ep(p.a.fabric, p.a.info, &p.pep, NULL), 0);
	CHECK_EQ(fi_getname(&p.pep->fid, &want, &len), 0);
	want.sin_port = htons(7473);
	CHECK_EQ(fi_setname(&p.pep->fid, &want, len), 0);
	p.a.info->handle = &p.pep->fid;
	CHECK(more_ep(&p.a, p.a.info, &p.a.ep));
	p.a.info->handle = NULL;
	CHECK_EQ(fi_close(&p.pep->fid), 0);
	p.pep = NULL;
	CHECK_EQ(fi_enable(p.a.ep), 0);
	CHECK_EQ(fi_getname(&p.a.ep->fid, &got, &len), 0);
	return !memcmp(&want, &got, len);
}

static bool cut_name(int (*get)(struct fid_ep *ep, void *buf, size_t *len), struct fid_ep *ep,
		     struct sockaddr_in *name)
{
	static const size_t rooms[] = { 0, 1, sizeof(*name) - 1, sizeof(*name), 64 };
	uint8_t buf[64];
	size_t i, len = sizeof(*name);

	CHECK_EQ(get(ep, name, &len), 0);
	CHECK_EQ(len, sizeof(*name));
	CHECK(name->sin_port && name->sin_family == AF_INET);
	for (i = 0; i < 5; i++) {
		size_t fits = rooms[i] < sizeof(*name) ? rooms[i] : sizeof(*name);

		memset(buf, 0xee, sizeof(buf));
		len = rooms[i];
		CHECK_EQ(get(ep, rooms[i] ? buf : NULL, &len),
			 rooms[i] < sizeof(*name) ? -FI_ETOOSMALL : 0);
		CHECK_EQ(len, sizeof(*name));
		CHECK(!memcmp(buf, name, fits));
		CHECK(all_bytes(buf + fits, sizeof(buf) - fits, 0xee));
	}
	return true;
}

static int own_name(struct fid_ep *ep, void *buf, size_t *len)
{
	return fi_getname(&ep->fid, buf, len);
}

static bool names_cut(void)
{
	struct sockaddr_in name;

	return cut_name(own_name, p.a.ep, &name) && cut_name(own_name, p.b.ep, &name);
}

static bool peers_cut(void)
{
	struct sockaddr_in name, peer;
	size_t len = sizeof(peer);
	struct fid_ep *fresh;

	CHECK(cut_name(own_name, p.a.ep, &name));
	CHECK(cut_name(fi_getpeer, p.b.ep, &peer));
	CHECK_EQ(name.sin_port, peer.sin_port);
	CHECK_EQ(name.sin_addr.s_addr, peer.sin_addr.s_addr);
	CHECK(cut_name(fi_getpeer, p.a.ep, &peer));
	CHECK(more_ep(&p.a, p.a.info, &fresh));
	CHECK_EQ(fi_getpeer(fresh, &peer, &len), -FI_ENOTCONN);
	return !fi_close(&fresh->fid);
}

/* ---- Private data --------------------------------------------------------------------- */

static bool with_data(size_t len, size_t want)
{
	uint8_t data[DATA + 1];
	union cm cm;

	pattern_fill(data, len, 1);
	CHECK(asked(&cm, data, len, want));
	CHECK(pattern_is(cm.e.data, want, 1));
	pattern_fill(data, len, 2);
	CHECK(answered(&cm, data, len));
	CHECK(is_connected(&p.a, &cm, want));
	CHECK(pattern_is(cm.e.data, want, 2));
	CHECK(is_connected(&p.b, &cm, 0));
	pair_close(&p);
	return true;
}

static bool data_exact(void)
{
	static const size_t lens[] = { 0, 1, 7, 100, DATA };
	struct opts o = p.o;
	size_t i;

	for (i = 0; i < 5; i++) {
		p.o = o;
		CHECK(with_data(lens[i], lens[i]));
	}
	return true;
}

static bool data_cut(void)
{
	return with_data(DATA + 1, DATA);
}

static bool reject_data(size_t len, size_t want, bool room)
{
	uint8_t data[DATA + 1], got[DATA];
	struct fi_eq_err_entry err = { .err_data = room ? got : NULL,
				       .err_data_size = room ? sizeof(got) : 0 };
	union cm cm;

	CHECK(asked(&cm, NULL, 0, 0));
	pattern_fill(data, len, 3);
	CHECK_EQ(fi_reject(p.pep, cm.e.info->handle, data, len), 0);
	fi_freeinfo(cm.e.info);
	CHECK(has_failed(FI_ECONNREFUSED, &err));
	CHECK_EQ(err.err_data_size, want);
	CHECK(!want || (err.err_data == got) == room);
	CHECK(pattern_is(err.err_data, want, 3));
	pair_close(&p);
	return true;
}

static bool rejects_data(void)
{
	static const size_t lens[] = { 0, 1, 33, DATA, DATA + 1 };
	struct opts o = p.o;
	size_t i;

	for (i = 0; i < 10; i++) {
		size_t len = lens[i / 2];

		p.o = o;
		CHECK(reject_data(len, len < DATA ? len : DATA, i % 2));
	}
	return true;
}

static bool data_size(void)
{
	size_t room = 0, len = sizeof(room);

	CHECK(listening());
	CHECK_EQ(fi_getopt(&p.pep->fid, FI_OPT_ENDPOINT, FI_OPT_CM_DATA_SIZE, &room, &len), 0);
	CHECK_EQ(room, DATA);
	CHECK_EQ(len, sizeof(room));
	CHECK_EQ(fi_setopt(&p.pep->fid, FI_OPT_ENDPOINT, FI_OPT_CM_DATA_SIZE, &room, len),
		 -FI_ENOPROTOOPT);
	CHECK(side_endpoint(&p.a, p.a.info, &p.o));
	len = 1;
	CHECK_EQ(fi_getopt(&p.a.ep->fid, FI_OPT_ENDPOINT, FI_OPT_CM_DATA_SIZE, &room, &len),
		 -FI_ETOOSMALL);
	CHECK_EQ(len, sizeof(room));
	CHECK_EQ(fi_getopt(&p.a.ep->fid, FI_OPT_ENDPOINT, FI_OPT_CM_DATA_SIZE, &room, &len), 0);
	CHECK_EQ(room, DATA);
	return fi_setopt(&p.a.ep->fid, FI_OPT_ENDPOINT, FI_OPT_CM_DATA_SIZE, &room, len) ==
	       -FI_ENOPROTOOPT;
}

static bool short_read(void)
{
	uint8_t data[100];
	uint32_t type;
	union cm cm;

	CHECK(listening());
	CHECK(side_endpoint(&p.a, p.a.info, &p.o));
	pattern_fill(data, 100, 4);
	CHECK_EQ(fi_connect(p.a.ep, addr, data, 100), 0);
	CHECK_EQ(event(p.b.eq, &type, &cm, sizeof(cm.e) - 1), -FI_ETOOSMALL);
	memset(&cm, 0xee, sizeof(cm));
	CHECK_EQ(event(p.b.eq, &type, &cm, sizeof(cm.e) + 10), sizeof(cm.e) + 10);
	CHECK(pattern_is(cm.e.data, 10, 4));
	CHECK(all_bytes(cm.e.data + 10, 90, 0xee));
	CHECK(answered(&cm, NULL, 0));
	CHECK(is_connected(&p.a, &cm, 0));
	return is_connected(&p.b, &cm, 0);
}

#define ALONE .alone = true

static const struct row rows[] = {
	ROW("CM-020", ON_MSG, "fi_shutdown has no flags", shutdown_flags),
	ROW("CM-021", ON_MSG, "What is outstanding is canceled before fi_shutdown returns",
	    shutdown_cancels),
	ROW("CM-022", ON_MSG, "Sends that are outstanding are canceled; nothing is told later",
	    shutdown_sends, .o.selective = true),
	ROW("CM-023", ON_MSG, "What has completed stays readable, before what was canceled",
	    shutdown_keeps, .o.counters = true),
	ROW("CM-024", ON_MSG, "What has completed arrives before the end", shutdown_delivers),
	ROW("CM-025", ON_MSG, "The peer is told of a shutdown, once", shutdown_told),
	ROW("CM-026", ON_MSG, "Each side is told once, whoever shuts down", shutdown_by_both),
	ROW("CM-027", ON_MSG, "The peer is told of a close", closed),
	ROW("CM-027b", ON_MSG, "The peer is told of a death", killed, ALONE),
	ROW("CM-028", ON_MSG, "When the peer's node cannot tell, operations fail, and an error says so",
	    silent, .mess = true),
	ROW("CM-029", ON_MSG, "After the end new operations are refused", over),
	ROW("CM-030", ON_MSG, "An endpoint can be named until it works", set_names, ALONE),
	ROW("CM-031", ON_MSG, "Service 0 lets the provider choose, or keep what it has", set_names,
	    ALONE),
	ROW("CM-032", ON_MSG, "Names in use, foreign or malformed ones are refused, and change nothing",
	    set_names, ALONE),
	ROW("CM-033", ON_MSG, "A name that can no longer change is refused", fixed_names, ALONE),
	ROW("CM-034", ON_MSG, "An address comes from the provider or from the fi_info",
	    chosen_service, ALONE),
	ROW("CM-034b", ON_MSG, "A passive endpoint's address goes over to an endpoint",
	    carried_over, ALONE),
	ROW("CM-035", ON_MSG, "A name is cut to the room, and the length needed is told",
	    names_cut),
	ROW("CM-036", ON_MSG, "So is the peer's", peers_cut),
	ROW("CM-037", ON_MSG, "Who is enabled, also by connecting or listening, has a whole address",
	    whole_names, ALONE),
	ROW("CM-038", ON_MSG, "Data of connect and accept arrive with their length", data_exact,
	    ALONE),
	ROW("CM-039", ON_MSG, "Data of accept come with the asking side's event, not with the other's",
	    data_exact, ALONE),
	ROW("CM-040", ON_MSG, "Data of reject arrive with the error", rejects_data, ALONE),
	ROW("CM-041", ON_MSG, "The room for data can be asked for", data_size, ALONE),
	ROW("CM-042", ON_MSG, "Longer data are cut", data_cut, ALONE),
	ROW("CM-043", ON_MSG, "A short read cuts the data only", short_read, ALONE),
};

int main(int argc, char **argv)
{
	return rows_main(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
}
