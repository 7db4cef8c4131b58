// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fi_cm(3) through stock libfabric: connect, accept, reject, shutdown, names, private data, the
 * peer's death. TIMEOUT: 200
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <arpa/inet.h>
#include <sys/wait.h>
#include <unistd.h>
#include "fipair.h"

static struct pair p;
static bool apart;

#define DATA 256

static bool begin(void)
{
	struct opts o = { .type = FI_EP_MSG, .apart = apart };

	memset(&p, 0, sizeof(p));
	p.o = o;
	CHECK(side_open(&p.a, 0, &o));
	CHECK(side_open(&p.b, apart, &o));
	return true;
}

union cm {
	struct fi_eq_cm_entry e;
	uint8_t raw[sizeof(struct fi_eq_cm_entry) + 512];
};

/* Private data of every length arrive exactly, with the request and with the answer. */
static bool private_data_len(size_t len)
{
	uint8_t addr[64], data[DATA];
	size_t n = sizeof(addr);
	union cm cm;
	uint32_t type;

	CHECK(begin());
	CHECK(pair_listen(&p, addr, &n));
	CHECK(side_endpoint(&p.a, p.a.info, &p.o));
	pattern_fill(data, len, 1);
	CHECK_EQ(fi_connect(p.a.ep, addr, data, len), 0);
	CHECK_EQ(event(p.b.eq, &type, &cm, sizeof(cm)), sizeof(cm.e) + len);
	CHECK_EQ(type, FI_CONNREQ);
	CHECK(pattern_is(cm.e.data, len, 1));
	CHECK(side_endpoint(&p.b, cm.e.info, &p.o));
	pattern_fill(data, len, 2);
	CHECK_EQ(fi_accept(p.b.ep, data, len), 0);
	fi_freeinfo(cm.e.info);
	CHECK_EQ(event(p.a.eq, &type, &cm, sizeof(cm)), sizeof(cm.e) + len);
	CHECK_EQ(type, FI_CONNECTED);
	CHECK(pattern_is(cm.e.data, len, 2));
	CHECK_EQ(event(p.b.eq, &type, &cm, sizeof(cm)), sizeof(cm.e));
	CHECK_EQ(type, FI_CONNECTED);
	return true;
}

static bool private_data(void)
{
	static const size_t lens[] = { 0, 1, 100, DATA };
	size_t i;

	for (i = 0; i < 4; i++) {
		CHECK(private_data_len(lens[i]));
		pair_close(&p);
	}
	return true;
}

static bool error_event(struct fid_eq *eq, struct fi_eq_err_entry *err)
{
	union cm cm;
	uint32_t type;

	CHECK_EQ(event(eq, &type, &cm, sizeof(cm)), -FI_EAVAIL);
	CHECK_EQ(fi_eq_readerr(eq, err, 0), sizeof(*err));
	return true;
}

static bool rejected(void)
{
	uint8_t addr[64], data[DATA], got[DATA];
	size_t n = sizeof(addr);
	struct fi_eq_err_entry err = { .err_data = got, .err_data_size = sizeof(got) };
	union cm cm;
	uint32_t type;

	CHECK(begin());
	CHECK(pair_listen(&p, addr, &n));
	CHECK(side_endpoint(&p.a, p.a.info, &p.o));
	CHECK_EQ(fi_connect(p.a.ep, addr, NULL, 0), 0);
	CHECK_EQ(event(p.b.eq, &type, &cm, sizeof(cm)), sizeof(cm.e));
	pattern_fill(data, 33, 3);
	CHECK_EQ(fi_reject(p.pep, cm.e.info->handle, data, 33), 0);
	fi_freeinfo(cm.e.info);
	CHECK(error_event(p.a.eq, &err));
	CHECK_EQ(err.err, FI_ECONNREFUSED);
	CHECK(err.fid == &p.a.ep->fid);
	CHECK_EQ(err.err_data_size, 33);
	CHECK(pattern_is(got, 33, 3));
	return true;
}

/* Nobody listens there. */
static bool refused(void)
{
	struct fi_eq_err_entry err = {};
	uint8_t addr[64];
	size_t n = sizeof(addr);

	CHECK(begin());
	CHECK(pair_listen(&p, addr, &n));
	CHECK_EQ(fi_close(&p.pep->fid), 0);
	p.pep = NULL;
	CHECK(side_endpoint(&p.a, p.a.info, &p.o));
	CHECK_EQ(fi_connect(p.a.ep, addr, NULL, 0), 0);
	CHECK(error_event(p.a.eq, &err));
	CHECK_EQ(err.err, FI_ECONNREFUSED);
	return true;
}

static bool is_shutdown(struct side *s)
{
	union cm cm;
	uint32_t type;
	uint64_t until;

	CHECK_EQ(event(s->eq, &type, &cm, sizeof(cm)), sizeof(cm.e));
	CHECK_EQ(type, FI_SHUTDOWN);
	CHECK(cm.e.fid == &s->ep->fid);
	for (until = now_ms() + QUIET_MS; now_ms() < until;)
		CHECK_EQ(fi_eq_read(s->eq, &type, &cm, sizeof(cm), 0), -FI_EAGAIN);
	return true;
}

/* Receives are canceled before shutdown returns; what was sent before still arrives; one event on
 * each side.
 */
static bool shutdown_one(void)
{
	struct fi_cq_tagged_entry c;
	struct fi_cq_err_entry err;
	static uint8_t buf[4096], out[4096];
	int i;

	CHECK_EQ(fi_recv(p.b.ep, buf, sizeof(buf), NULL, 0, (void *)1), 0);
	for (i = 0; i < 10; i++)
		CHECK_EQ(fi_recv(p.a.ep, buf, sizeof(buf), NULL, 0, (void *)(uintptr_t)(i + 100)),
			 0);
	pattern_fill(out, 3000, 8);
	CHECK_EQ(fi_send(p.a.ep, out, 3000, NULL, 0, (void *)2), 0);
	CHECK_EQ(completion(p.a.txcq, &c, NULL, NULL), 1);
	CHECK_EQ(fi_shutdown(p.a.ep, 1), -FI_EINVAL);
	CHECK_EQ(fi_shutdown(p.a.ep, 0), 0);
	for (i = 0; i < 10; i++) {
		CHECK_EQ(fi_cq_read(p.a.rxcq, &c, 1), -FI_EAVAIL);
		memset(&err, 0, sizeof(err));
		CHECK_EQ(fi_cq_readerr(p.a.rxcq, &err, 0), 1);
		CHECK_EQ(err.err, FI_ECANCELED);
		CHECK_EQ((uintptr_t)err.op_context, i + 100);
	}
	CHECK(is_shutdown(&p.b));
	CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
	CHECK_EQ(c.len, 3000);
	CHECK(pattern_is(buf, 3000, 8));
	CHECK(is_shutdown(&p.a));
	CHECK_EQ(fi_send(p.a.ep, out, 1, NULL, 0, NULL), -FI_ENOTCONN);
	CHECK_EQ(fi_send(p.b.ep, out, 1, NULL, 0, NULL), -FI_ENOTCONN);
	CHECK_EQ(fi_shutdown(p.a.ep, 0), 0);
	return true;
}

static bool shutdown_of_one(void)
{
	struct opts o = { .type = FI_EP_MSG, .apart = apart };

	return pair_open(&p, &o) && shutdown_one();
}

static bool shutdown_of_both(void)
{
	struct opts o = { .type = FI_EP_MSG, .apart = apart };

	CHECK(pair_open(&p, &o));
	CHECK_EQ(fi_shutdown(p.a.ep, 0), 0);
	CHECK_EQ(fi_shutdown(p.b.ep, 0), 0);
	CHECK(is_shutdown(&p.a));
	CHECK(is_shutdown(&p.b));
	return true;
}

static bool closed(void)
{
	struct opts o = { .type = FI_EP_MSG, .apart = apart };

	CHECK(pair_open(&p, &o));
	CHECK_EQ(fi_close(&p.a.ep->fid), 0);
	p.a.ep = NULL;
	CHECK(is_shutdown(&p.b));
	return true;
}

/* The peer's process is killed. */
static bool killed(void)
{
	uint8_t addr[64];
	size_t n = sizeof(addr);
	union cm cm;
	uint32_t type;
	pid_t pid;

	struct opts o = { .type = FI_EP_MSG, .apart = apart };

	memset(&p, 0, sizeof(p));
	p.o = o;
	CHECK(side_open(&p.b, apart, &o));
	CHECK(pair_listen(&p, addr, &n));
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		struct pair q = { .o = o };

		if (!side_open(&q.a, 0, &o) || !side_endpoint(&q.a, q.a.info, &o) ||
		    fi_connect(q.a.ep, addr, NULL, 0))
			_exit(1);
		pause();
		_exit(1);
	}
	CHECK_EQ(event(p.b.eq, &type, &cm, sizeof(cm)), sizeof(cm.e));
	CHECK_EQ(type, FI_CONNREQ);
	CHECK(side_endpoint(&p.b, cm.e.info, &o));
	CHECK_EQ(fi_accept(p.b.ep, NULL, 0), 0);
	fi_freeinfo(cm.e.info);
	CHECK_EQ(event(p.b.eq, &type, &cm, sizeof(cm)), sizeof(cm.e));
	CHECK_EQ(type, FI_CONNECTED);
	CHECK_EQ(kill(pid, SIGKILL), 0);
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	CHECK(is_shutdown(&p.b));
	return true;
}

/* fi_getname and fi_getpeer cut, and tell how much they need. */
static bool names(void)
{
	struct opts o = { .type = FI_EP_MSG, .apart = apart };
	struct sockaddr_in want, got;
	uint8_t buf[64];
	size_t len;

	CHECK(pair_open(&p, &o));
	len = 0;
	CHECK_EQ(fi_getname(&p.a.ep->fid, NULL, &len), -FI_ETOOSMALL);
	CHECK_EQ(len, sizeof(want));
	len = sizeof(want);
	CHECK_EQ(fi_getname(&p.a.ep->fid, &want, &len), 0);
	CHECK_EQ(len, sizeof(want));
	CHECK(want.sin_port);
	CHECK_EQ(want.sin_family, AF_INET);
	len = sizeof(want) - 1;
	memset(buf, 0xee, sizeof(buf));
	CHECK_EQ(fi_getname(&p.a.ep->fid, buf, &len), -FI_ETOOSMALL);
	CHECK_EQ(len, sizeof(want));
	CHECK(!memcmp(buf, &want, sizeof(want) - 1));
	CHECK(all_bytes(buf + sizeof(want) - 1, sizeof(buf) - sizeof(want) + 1, 0xee));
	len = sizeof(got);
	CHECK_EQ(fi_getpeer(p.b.ep, &got, &len), 0);
	CHECK_EQ(got.sin_port, want.sin_port);
	CHECK_EQ(got.sin_addr.s_addr, want.sin_addr.s_addr);
	return true;
}

/* Receives posted before the connection, on both sides, get their messages. */
static bool early_receives(void)
{
	uint8_t addr[64], in_a[64], in_b[64], out[64];
	size_t n = sizeof(addr);
	struct fi_cq_tagged_entry c;
	union cm cm;
	uint32_t type;

	CHECK(begin());
	CHECK(pair_listen(&p, addr, &n));
	CHECK(side_endpoint(&p.a, p.a.info, &p.o));
	CHECK_EQ(fi_recv(p.a.ep, in_a, 64, NULL, 0, NULL), 0);
	CHECK_EQ(fi_send(p.a.ep, out, 64, NULL, 0, NULL), -FI_ENOTCONN);
	CHECK_EQ(fi_connect(p.a.ep, addr, NULL, 0), 0);
	CHECK_EQ(fi_send(p.a.ep, out, 64, NULL, 0, NULL), -FI_ENOTCONN);
	CHECK_EQ(event(p.b.eq, &type, &cm, sizeof(cm)), sizeof(cm.e));
	CHECK(side_endpoint(&p.b, cm.e.info, &p.o));
	CHECK_EQ(fi_recv(p.b.ep, in_b, 64, NULL, 0, NULL), 0);
	CHECK_EQ(fi_accept(p.b.ep, NULL, 0), 0);
	fi_freeinfo(cm.e.info);
	CHECK_EQ(event(p.a.eq, &type, &cm, sizeof(cm)), sizeof(cm.e));
	pattern_fill(out, 64, 1);
	CHECK_EQ(fi_send(p.a.ep, out, 64, NULL, 0, NULL), 0);
	CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
	CHECK(pattern_is(in_b, 64, 1));
	CHECK_EQ(event(p.b.eq, &type, &cm, sizeof(cm)), sizeof(cm.e));
	CHECK_EQ(type, FI_CONNECTED);
	CHECK_EQ(fi_send(p.b.ep, out, 64, NULL, 0, NULL), 0);
	CHECK_EQ(completion(p.a.rxcq, &c, NULL, NULL), 1);
	CHECK(pattern_is(in_a, 64, 1));
	return true;
}

static const struct check cases[] = {
	{ "private_data", private_data },
	{ "rejected", rejected },
	{ "refused", refused },
	{ "shutdown_of_one", shutdown_of_one },
	{ "shutdown_of_both", shutdown_of_both },
	{ "closed", closed },
	{ "killed", killed },
	{ "names", names },
	{ "early_receives", early_receives },
};

static void close_all(void)
{
	pair_close(&p);
}

int main(void)
{
	checks_run_everywhere(cases, sizeof(cases) / sizeof(cases[0]), &apart, close_all);
	return results_end();
}
