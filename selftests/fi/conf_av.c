// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fi_av(3), rule by rule: insertion of all kinds, removal, lookup, text, sharing.
 * TIMEOUT: 120 LINKS: vnet loop
 */
#include <signal.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/wait.h>
#include <unistd.h>
#include "rows.h"

#define MANY	5000

static bool begin(struct fi_av_attr *attr)
{
	struct opts o = { .type = FI_EP_RDM };

	CHECK(side_open(&p.a, 0, &o));
	CHECK_EQ(fi_av_open(p.a.domain, attr, &p.a.av, NULL), 0);
	return true;
}

static struct sockaddr_in sin4(uint32_t host, uint16_t port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(port) };

	a.sin_addr.s_addr = htonl(host);
	return a;
}

static bool stands(fi_addr_t at, uint32_t host, uint16_t port)
{
	struct sockaddr_in want = sin4(host, port), got;
	size_t len = sizeof(got);

	CHECK_EQ(fi_av_lookup(p.a.av, at, &got, &len), 0);
	CHECK_EQ(len, sizeof(got));
	CHECK_EQ(got.sin_addr.s_addr, want.sin_addr.s_addr);
	CHECK_EQ(got.sin_port, want.sin_port);
	return true;
}

/* Many addresses in one call; a bad one among them fails alone. */
static bool bulk(void)
{
	struct fi_av_attr attr = { .type = FI_AV_TABLE };
	static struct sockaddr_in a[MANY];
	static fi_addr_t at[MANY];
	static int err[MANY];
	int i;

	CHECK(begin(&attr));
	for (i = 0; i < MANY; i++)
		a[i] = sin4(0x0a4d0000 + i / 10 + 1, 1 + i % 10);
	a[77].sin_family = AF_UNIX;
	a[78].sin_port = 0;
	CHECK_EQ(fi_av_insert(p.a.av, a, MANY, at, FI_SYNC_ERR, err), MANY - 2);
	for (i = 0; i < MANY; i++) {
		if (i == 77 || i == 78) {
			CHECK_EQ(at[i], FI_ADDR_NOTAVAIL);
			CHECK(err[i]);
			continue;
		}
		CHECK_EQ(err[i], 0);
		CHECK(stands(at[i], 0x0a4d0000 + i / 10 + 1, 1 + i % 10));
	}
	CHECK_EQ(at[0], 0);
	CHECK_EQ(at[1], 1);
	CHECK_EQ(fi_av_remove(p.a.av, at, 77, 0), 0);
	CHECK_EQ(fi_av_remove(p.a.av, at, 1, 0), -FI_EINVAL);
	return true;
}

static bool names(void)
{
	struct fi_av_attr attr = { .type = FI_AV_MAP };
	struct sockaddr_in a = sin4(0x0a4d0102, 77);
	fi_addr_t at[6];
	char text[64];
	size_t len;
	int i;

	CHECK(begin(&attr));
	CHECK_EQ(fi_av_insertsvc(p.a.av, "10.77.1.2", "33", at, 0, NULL), 1);
	CHECK(stands(at[0], 0x0a4d0102, 33));
	CHECK_EQ(fi_av_insertsym(p.a.av, "10.77.0.254", 3, "40", 2, at, 0, NULL), 6);
	for (i = 0; i < 6; i++)
		CHECK(stands(at[i], 0x0a4d00fe + i / 2, 40 + i % 2));
	len = sizeof(text);
	CHECK(fi_av_straddr(p.a.av, &a, text, &len) == text);
	CHECK(!strcmp(text, "fi_sockaddr_in://10.77.1.2:77"));
	CHECK_EQ(len, strlen(text) + 1);
	len = 5;
	CHECK(fi_av_straddr(p.a.av, &a, text, &len) == text);
	CHECK(!strcmp(text, "fi_s"));
	CHECK_EQ(len, 30);
	len = 4;
	CHECK_EQ(fi_av_lookup(p.a.av, at[0], text, &len), 0);
	CHECK_EQ(len, sizeof(a));
	return true;
}

/* With FI_EVENT the results come to an event queue. */
static bool events(void)
{
	struct fi_av_attr attr = { .type = FI_AV_TABLE, .flags = FI_EVENT };
	struct sockaddr_in a[3] = { sin4(0x0a4d0102, 1), {}, sin4(0x0a4d0102, 3) };
	struct fi_eq_err_entry err = {};
	struct fi_eq_entry e;
	fi_addr_t at[3];
	uint32_t type;

	CHECK(begin(&attr));
	CHECK_EQ(fi_av_insert(p.a.av, a, 3, at, 0, &a), -FI_ENOEQ);
	CHECK_EQ(fi_av_bind(p.a.av, &p.a.eq->fid, 0), 0);
	CHECK_EQ(fi_av_insert(p.a.av, a, 3, at, 0, &a), 0);
	CHECK_EQ(event(p.a.eq, &type, &e, sizeof(e)), -FI_EAVAIL);
	CHECK_EQ(fi_eq_readerr(p.a.eq, &err, 0), sizeof(err));
	CHECK_EQ(err.data, 1);
	CHECK(err.context == &a);
	CHECK_EQ(event(p.a.eq, &type, &e, sizeof(e)), sizeof(e));
	CHECK_EQ(type, FI_AV_COMPLETE);
	CHECK_EQ(e.data, 2);
	CHECK(e.context == &a);
	CHECK(e.fid == &p.a.av->fid);
	return true;
}

/* With bits for contexts an address takes several places, which the program does not see. */
static bool bits(void)
{
	struct fi_av_attr attr = { .type = FI_AV_TABLE, .rx_ctx_bits = 4 };
	struct sockaddr_in a[3] = { sin4(0x0a4d0102, 100), sin4(0x0a4d0102, 65530),
				    sin4(0x0a4d0102, 200) };
	fi_addr_t at[3], one;

	CHECK(begin(&attr));
	CHECK_EQ(fi_av_insert(p.a.av, a, 3, at, 0, NULL), 3);
	CHECK_EQ(at[0], 0);
	CHECK_EQ(at[2], 2);
	CHECK(stands(at[1], 0x0a4d0102, 65530));
	CHECK(stands(fi_rx_addr(at[0], 15, 4), 0x0a4d0102, 115));
	CHECK_EQ(fi_av_remove(p.a.av, &at[1], 1, 0), 0);
	CHECK_EQ(fi_av_remove(p.a.av, &at[1], 1, 0), -FI_EINVAL);
	CHECK_EQ(fi_av_insert(p.a.av, a, 1, &one, 0, NULL), 1);
	CHECK_EQ(one, 3);
	return true;
}

/*
 * A context of the address before has the service of the endpoint. The endpoint's own address is
 * the source, and receives that name it get the message.
 */
static bool bits_source(void)
{
	struct fi_cq_attr cq = { .format = FI_CQ_FORMAT_TAGGED, .wait_obj = FI_WAIT_UNSPEC };
	struct fi_av_attr av = { .type = FI_AV_TABLE, .rx_ctx_bits = 4 };
	struct fi_cq_tagged_entry c;
	struct side *s = &p.a;
	struct sockaddr_in a[2];
	size_t len = sizeof(a[1]);
	fi_addr_t at[2], src;

	CHECK(side_open(s, 0, &p.o));
	CHECK_EQ(fi_av_open(s->domain, &av, &s->av, NULL), 0);
	CHECK_EQ(fi_cq_open(s->domain, &cq, &s->txcq, NULL), 0);
	CHECK_EQ(fi_cq_open(s->domain, &cq, &s->rxcq, NULL), 0);
	CHECK_EQ(fi_endpoint(s->domain, s->info, &s->ep, NULL), 0);
	CHECK_EQ(fi_ep_bind(s->ep, &s->av->fid, 0), 0);
	CHECK_EQ(fi_ep_bind(s->ep, &s->txcq->fid, FI_TRANSMIT), 0);
	CHECK_EQ(fi_ep_bind(s->ep, &s->rxcq->fid, FI_RECV), 0);
	CHECK_EQ(fi_enable(s->ep), 0);
	CHECK_EQ(fi_getname(&s->ep->fid, &a[1], &len), 0);
	a[0] = a[1];
	a[0].sin_port = htons(ntohs(a[1].sin_port) - 1);
	CHECK_EQ(fi_av_insert(s->av, a, 2, at, 0, NULL), 2);
	CHECK_EQ(fi_recv(s->ep, rbuf, 64, NULL, at[1], ctx(1)), 0);
	CHECK_EQ(fi_send(s->ep, sbuf, 8, NULL, at[1], ctx(2)), 0);
	CHECK_EQ(completion(s->rxcq, &c, &src, NULL), 1);
	CHECK(c.op_context == ctx(1));
	CHECK_EQ(src, at[1]);
	return is_sent(2);
}

/* ---- Sharing ------------------------------------------------------------------------------ */

/* Read one byte from the other process, or write one to it. */
static bool wait_for(int fd)
{
	char c;

	return read(fd, &c, 1) == 1;
}

static void tell(int fd)
{
	if (write(fd, "", 1) != 1)
		_exit(3);
}

/*
 * Another process opens the vector for reading. It sees earlier and later insertions, at the same
 * addresses. It may change nothing, and can send with the vector.
 */
static bool reader(int from, int to)
{
	struct fi_av_attr attr = { .type = FI_AV_MAP, .name = "shared", .flags = FI_READ };
	struct fi_av_attr none = { .type = FI_AV_MAP, .name = "none", .flags = FI_READ };
	struct opts o = { .type = FI_EP_RDM };
	struct sockaddr_in a = sin4(0x0a4d0105, 1);
	struct fid_av *av;
	size_t len = 0;
	fi_addr_t at;

	CHECK(wait_for(from));
	CHECK(side_open(&p.a, 0, &o));
	CHECK_EQ(fi_av_open(p.a.domain, &none, &av, NULL), -FI_ENOENT);
	CHECK_EQ(fi_av_open(p.a.domain, &attr, &p.a.av, NULL), 0);
	CHECK(attr.map_addr);
	CHECK(stands(((fi_addr_t *)attr.map_addr)[0], 0x0a4d0101, 1));
	CHECK(stands(1, 0x0a4d0102, 2));
	CHECK_EQ(fi_av_insert(p.a.av, &a, 1, &at, 0, NULL), -FI_EPERM);
	at = 0;
	CHECK_EQ(fi_av_remove(p.a.av, &at, 1, 0), -FI_EPERM);
	tell(to);
	CHECK(wait_for(from));
	CHECK(stands(2, 0x0a4d0103, 3));
	CHECK_EQ(fi_av_lookup(p.a.av, 0, NULL, &len), -FI_EINVAL);
	CHECK(stands(1, 0x0a4d0102, 2));
	tell(to);
	return true;
}

static bool shared(void)
{
	struct fi_av_attr attr = { .type = FI_AV_MAP, .name = "shared" }, second;
	struct sockaddr_in a[3] = { sin4(0x0a4d0101, 1), sin4(0x0a4d0102, 2), sin4(0x0a4d0103, 3) };
	int down[2], up[2], status;
	struct fid_av *av;
	fi_addr_t at[3];
	bool ok;
	pid_t pid;

	CHECK(!pipe(down) && !pipe(up));
	fflush(stdout);
	pid = fork();
	if (!pid) {
		ok = reader(down[0], up[1]);
		fflush(stdout);
		if (ok)
			side_close(&p.a);
		_exit(!ok);
	}
	CHECK(begin(&attr));
	CHECK_EQ(fi_av_insert(p.a.av, a, 2, at, 0, NULL), 2);
	tell(down[1]);
	CHECK(wait_for(up[0]));
	CHECK_EQ(fi_av_insert(p.a.av, a + 2, 1, at + 2, 0, NULL), 1);
	CHECK_EQ(at[2], 2);
	CHECK_EQ(fi_av_remove(p.a.av, at, 1, 0), 0);
	tell(down[1]);
	CHECK(wait_for(up[0]));
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);

	/* a second vector of this process, and a vector of another kind */
	second = attr;
	second.rx_ctx_bits = 2;
	CHECK_EQ(fi_av_open(p.a.domain, &second, &av, NULL), -FI_EINVAL);
	second.rx_ctx_bits = 0;
	CHECK_EQ(fi_av_open(p.a.domain, &second, &av, NULL), 0);
	CHECK_EQ(fi_av_insert(av, a, 1, at, 0, NULL), 1);
	CHECK(stands(at[0], 0x0a4d0101, 1));
	CHECK_EQ(fi_close(&av->fid), 0);
	/* the last close removes the vector */
	CHECK_EQ(fi_close(&p.a.av->fid), 0);
	second.flags = FI_READ;
	CHECK_EQ(fi_av_open(p.a.domain, &second, &p.a.av, NULL), -FI_ENOENT);
	p.a.av = NULL;
	return true;
}

/*
 * B's endpoint has a vector for reading only, and only receives. It learns of a sender that is
 * inserted elsewhere with that sender's first message.
 */
static bool only_receives(void)
{
	struct fi_av_attr attr = { .type = FI_AV_TABLE, .name = "late" };
	struct fi_cq_attr cq = { .format = FI_CQ_FORMAT_TAGGED };
	struct side *b = &p.b;
	struct fi_cq_tagged_entry c;
	struct fid_av *writer;
	uint8_t name[64];
	size_t i, len = sizeof(name);
	fi_addr_t at, from;

	CHECK(side_open(&p.a, 0, &p.o));
	CHECK(side_endpoint(&p.a, p.a.info, &p.o));
	CHECK(side_open(b, p.o.apart, &p.o));
	CHECK_EQ(fi_av_open(b->domain, &attr, &writer, NULL), 0);
	attr.flags = FI_READ;
	CHECK_EQ(fi_av_open(b->domain, &attr, &b->av, NULL), 0);
	CHECK_EQ(fi_cq_open(b->domain, &cq, &b->rxcq, NULL), 0);
	CHECK_EQ(fi_endpoint(b->domain, b->info, &b->ep, NULL), 0);
	CHECK_EQ(fi_ep_bind(b->ep, &b->av->fid, 0), 0);
	CHECK_EQ(fi_ep_bind(b->ep, &b->rxcq->fid, FI_TRANSMIT | FI_RECV), 0);
	CHECK_EQ(fi_enable(b->ep), 0);
	CHECK_EQ(fi_getname(&b->ep->fid, name, &len), 0);
	CHECK_EQ(fi_av_insert(p.a.av, name, 1, &p.a.peer, 0, NULL), 1);
	CHECK_EQ(fi_getname(&p.a.ep->fid, name, &len), 0);
	CHECK_EQ(fi_av_insert(writer, name, 1, &at, 0, NULL), 1);
	for (i = 0; i < 3; i++) {
		CHECK(post_plain(rbuf, 64, i));
		CHECK_EQ(fi_inject(p.a.ep, sbuf, 8 + i, p.a.peer), 0);
		CHECK_EQ(completion(b->rxcq, &c, &from, NULL), 1);
		CHECK_EQ(c.len, 8 + i);
		CHECK(from == at || (!i && from == FI_ADDR_NOTAVAIL));
	}
	CHECK_EQ(fi_close(&b->ep->fid), 0);
	b->ep = NULL;
	return !fi_close(&writer->fid);
}

/* Files of a killed process are not taken for a vector. */
static bool stale(void)
{
	struct fi_av_attr attr = { .type = FI_AV_MAP, .name = "stale" };
	struct sockaddr_in a = sin4(0x0a4d0101, 1);
	fi_addr_t at;
	pid_t pid = fork();

	if (!pid) {
		if (!begin(&attr) || fi_av_insert(p.a.av, &a, 1, &at, 0, NULL) != 1)
			_exit(1);
		raise(SIGKILL);
	}
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	CHECK(begin(&attr));
	CHECK_EQ(fi_av_lookup(p.a.av, 0, &a, &(size_t){ sizeof(a) }), -FI_EINVAL);
	return true;
}

/* ---- Kinds, order, errors -------------------------------------------------------------- */

static bool kinds(void)
{
	struct fi_av_attr attr = { .type = FI_AV_UNSPEC };
	struct sockaddr_in a = sin4(0x0a4d0102, 7);
	struct fid_av *av;
	fi_addr_t at;
	int i;

	CHECK(begin(&attr));
	/* the call returns the kind that was chosen */
	CHECK_EQ(attr.type, FI_AV_TABLE);
	attr.type = 9;
	CHECK_EQ(fi_av_open(p.a.domain, &attr, &av, NULL), -FI_EINVAL);
	attr.type = FI_AV_MAP;
	attr.flags = FI_PEEK;
	CHECK_EQ(fi_av_open(p.a.domain, &attr, &av, NULL), -FI_EBADFLAGS);
	attr.flags = FI_READ;
	CHECK_EQ(fi_av_open(p.a.domain, &attr, &av, NULL), -FI_EINVAL);
	attr.flags = FI_SYMMETRIC;
	attr.ep_per_node = 4;
	attr.count = 100;
	CHECK_EQ(fi_av_open(p.a.domain, &attr, &av, NULL), 0);
	/* more insertions than the count that was announced */
	for (i = 0; i < 300; i++) {
		a.sin_port = htons(i + 1);
		CHECK_EQ(fi_av_insert(av, &a, 1, &at, FI_MORE, NULL), 1);
	}
	CHECK_EQ(fi_av_insert(av, &a, 0, NULL, 0, NULL), 0);
	CHECK_EQ(fi_close(&av->fid), 0);
	return true;
}

/*
 * In a table the n-th address has index n, over several calls, and the caller may ignore the
 * results.
 */
static bool table_order(void)
{
	struct fi_av_attr attr = { .type = FI_AV_TABLE };
	struct sockaddr_in a[10];
	fi_addr_t at[3];
	int i;

	CHECK(begin(&attr));
	for (i = 0; i < 10; i++)
		a[i] = sin4(0x0a4d0102, 10 + i);
	CHECK_EQ(fi_av_insert(p.a.av, a, 4, NULL, 0, NULL), 4);
	CHECK_EQ(fi_av_insert(p.a.av, a + 4, 3, at, 0, NULL), 3);
	CHECK_EQ(fi_av_insert(p.a.av, a + 7, 3, NULL, 0, NULL), 3);
	for (i = 0; i < 10; i++)
		CHECK(stands(i, 0x0a4d0102, 10 + i));
	for (i = 0; i < 3; i++)
		CHECK_EQ(at[i], 4 + i);
	return true;
}

/*
 * A removed fi_addr_t is invalid until it is assigned again. Its address can be inserted again,
 * often.
 */
static bool again(void)
{
	struct fi_av_attr attr = { .type = FI_AV_MAP };
	struct sockaddr_in a[2] = { sin4(0x0a4d0102, 1), sin4(0x0a4d0102, 2) }, got;
	size_t len = sizeof(got);
	fi_addr_t at[2], back;
	int i;

	CHECK(begin(&attr));
	CHECK_EQ(fi_av_insert(p.a.av, a, 2, at, 0, NULL), 2);
	for (i = 0; i < 200; i++) {
		CHECK_EQ(fi_av_remove(p.a.av, &at[0], 1, 0), 0);
		CHECK_EQ(fi_av_remove(p.a.av, &at[0], 1, 0), -FI_EINVAL);
		CHECK_EQ(fi_av_lookup(p.a.av, at[0], &got, &len), -FI_EINVAL);
		CHECK(stands(at[1], 0x0a4d0102, 2));
		CHECK_EQ(fi_av_insert(p.a.av, a, 1, &back, 0, NULL), 1);
		at[0] = back;
		CHECK(stands(at[0], 0x0a4d0102, 1));
	}
	CHECK_EQ(fi_av_remove(p.a.av, at, 2, 0), 0);
	CHECK_EQ(fi_av_remove(p.a.av, at, 0, 0), 0);
	return fi_av_remove(p.a.av, at, 1, 1) == -FI_EBADFLAGS;
}

/* Addresses as text; both families; a lookup into too short a buffer. */
static bool texts(void)
{
	struct fi_av_attr attr = { .type = FI_AV_TABLE };
	struct opts six = { .type = FI_EP_RDM, .v6 = true };
	struct sockaddr_in6 a, b;
	uint8_t raw[64];
	char text[64];
	fi_addr_t at[4];
	size_t len;

	CHECK(begin(&attr));
	CHECK_EQ(fi_av_insertsvc(p.a.av, "fi_sockaddr_in://10.77.1.9:44", NULL, at, 0, NULL), 1);
	CHECK(stands(at[0], 0x0a4d0109, 44));
	CHECK_EQ(fi_av_insertsvc(p.a.av, "fi_sockaddr_in://10.77.1.9:44", "44", at, 0, NULL), 0);
	CHECK_EQ(at[0], FI_ADDR_NOTAVAIL);
	CHECK_EQ(fi_av_insertsvc(p.a.av, "10.77.1.9", NULL, at, 0, NULL), -FI_EINVAL);
	/* one of another family than the domain's */
	CHECK_EQ(fi_av_insertsvc(p.a.av, "fd77::9", "44", at, 0, NULL), 0);
	memset(raw, 0xee, sizeof(raw));
	len = 5;
	CHECK_EQ(fi_av_lookup(p.a.av, 0, raw, &len), 0);
	CHECK_EQ(len, sizeof(struct sockaddr_in));
	CHECK(all_bytes(raw + 5, sizeof(raw) - 5, 0xee));
	side_close(&p.a);

	CHECK(side_open(&p.a, 0, &six));
	CHECK_EQ(fi_av_open(p.a.domain, &attr, &p.a.av, NULL), 0);
	CHECK_EQ(fi_av_insertsym(p.a.av, "fd77::ff", 2, "65535", 2, at, 0, NULL), 2);
	CHECK(at[0] == 0 && at[1] == FI_ADDR_NOTAVAIL && at[2] == 1);
	len = sizeof(b);
	CHECK_EQ(fi_av_lookup(p.a.av, 1, &b, &len), 0);
	CHECK_EQ(len, sizeof(b));
	memset(&a, 0, sizeof(a));
	a.sin6_family = AF_INET6;
	a.sin6_port = htons(65535);
	CHECK_EQ(inet_pton(AF_INET6, "fd77::100", &a.sin6_addr), 1);
	CHECK(!memcmp(&a, &b, sizeof(a)));
	len = sizeof(text);
	CHECK(fi_av_straddr(p.a.av, &a, text, &len) == text);
	CHECK(!strcmp(text, "fi_sockaddr_in6://[fd77::100]:65535"));
	return true;
}

/* With FI_SYNC_ERR each address has its own result, also by name. */
static bool results(void)
{
	struct fi_av_attr attr = { .type = FI_AV_TABLE };
	struct sockaddr_in a[3] = { sin4(0x0a4d0102, 1), sin4(0xe0000001, 2),
				    sin4(0x0a4d0102, 3) };
	int err[4] = { -1, -1, -1, -1 };
	fi_addr_t at[4];

	CHECK(begin(&attr));
	CHECK_EQ(fi_av_insert(p.a.av, a, 3, at, FI_SYNC_ERR, err), 2);
	CHECK(!err[0] && err[1] > 0 && !err[2] && err[3] == -1);
	CHECK(at[1] == FI_ADDR_NOTAVAIL && at[2] != FI_ADDR_NOTAVAIL);
	CHECK_EQ(fi_av_insertsvc(p.a.av, "no such name", "1", at, FI_SYNC_ERR, err), 0);
	CHECK(err[0] > 0);
	CHECK_EQ(fi_av_insertsym(p.a.av, "10.77.1.5", 2, "65535", 2, at, FI_SYNC_ERR, err), 2);
	CHECK(!err[0] && err[1] > 0 && !err[2] && err[3] > 0);
	CHECK_EQ(fi_av_insert(p.a.av, a, 1, at, FI_SYNC_ERR, NULL), -FI_EINVAL);
	CHECK_EQ(fi_av_insert(p.a.av, a, 1, at, FI_PEEK, NULL), -FI_EBADFLAGS);
	return fi_av_insert(p.a.av, NULL, 1, at, 0, NULL) == -FI_EINVAL;
}

/* Events of a closed vector stay. Errors come before the end of their call. */
static bool events_stay(void)
{
	struct fi_av_attr attr = { .type = FI_AV_TABLE, .flags = FI_EVENT };
	struct sockaddr_in a[3] = { {}, sin4(0x0a4d0102, 2), {} };
	struct fi_eq_err_entry err;
	struct fid *fid;
	struct fi_eq_entry e;
	fi_addr_t at[3];
	uint32_t type;
	uint64_t i;

	CHECK(begin(&attr));
	CHECK_EQ(fi_av_bind(p.a.av, &p.a.eq->fid, FI_SEND), -FI_EINVAL);
	CHECK_EQ(fi_av_bind(p.a.av, NULL, 0), -FI_EINVAL);
	CHECK_EQ(fi_av_bind(p.a.av, &p.a.eq->fid, 0), 0);
	CHECK_EQ(fi_av_insert(p.a.av, a, 3, at, 0, a), 0);
	CHECK_EQ(fi_av_insertsvc(p.a.av, "10.77.1.7", "7", at, 0, at), 0);
	CHECK_EQ(fi_av_insert(p.a.av, a, 0, NULL, 0, &type), 0);
	CHECK_EQ(fi_close(&p.a.eq->fid), -FI_EBUSY);
	fid = &p.a.av->fid;
	CHECK_EQ(fi_close(fid), 0);
	p.a.av = NULL;
	for (i = 0; i < 3; i += 2) {
		memset(&err, 0, sizeof(err));
		CHECK_EQ(fi_eq_read(p.a.eq, &type, &e, sizeof(e), 0), -FI_EAVAIL);
		CHECK_EQ(fi_eq_readerr(p.a.eq, &err, 0), sizeof(err));
		CHECK(err.fid == fid && err.context == a && err.err > 0);
		CHECK_EQ(err.data, i);
	}
	for (i = 0; i < 3; i++) {
		CHECK_EQ(fi_eq_read(p.a.eq, &type, &e, sizeof(e), 0), sizeof(e));
		CHECK_EQ(type, FI_AV_COMPLETE);
		CHECK(e.fid == fid);
		CHECK(e.context == (i == 0 ? (void *)a : i == 1 ? (void *)at : (void *)&type));
		CHECK_EQ(e.data, i < 2);
	}
	return fi_eq_read(p.a.eq, &type, &e, sizeof(e), 0) == -FI_EAGAIN;
}

static bool in_use(void)
{
	CHECK_EQ(fi_close(&p.b.av->fid), -FI_EBUSY);
	CHECK(post_plain(rbuf, 64, 1));
	CHECK(send_plain(8, 1, 2));
	return is_received(1, 8, false, 0);
}

/*
 * A repeated insertion of an address returns the same fi_addr_t. A receive that names it as its
 * sender gets the messages. The address is gone with the last removal.
 */
static bool twice(void)
{
	uint8_t addr[64];
	size_t len = sizeof(addr);
	fi_addr_t at;
	int i;

	CHECK_EQ(fi_getname(&p.a.ep->fid, addr, &len), 0);
	CHECK_EQ(fi_av_insert(p.b.av, addr, 1, &at, 0, NULL), 1);
	CHECK_EQ(at, p.b.peer);
	for (i = 0; i < 2; i++) {
		CHECK_EQ(fi_recv(p.b.ep, rbuf, 64, NULL, at, ctx(i)), 0);
		CHECK(send_plain(8 + i, 1, 9));
		CHECK(is_received(i, 8 + i, false, 0));
		CHECK_EQ(fi_av_remove(p.b.av, &at, 1, 0), 0);
	}
	CHECK_EQ(fi_av_lookup(p.b.av, at, addr, &len), -FI_EINVAL);
	return fi_av_remove(p.b.av, &at, 1, 0) == -FI_EINVAL;
}

#define ALONE .alone = true, .once = true

static const struct row rows[] = {
	ROW("AV-001", ON_RDM, "Kinds and sizes are hints, the kind that was chosen is told", kinds,
	    ALONE),
	ROW("AV-002", ON_RDM, "In a table addresses have the indices of their order", table_order,
	    ALONE),
	ROW("AV-003", ON_RDM, "Of many addresses in one call bad ones fail alone", bulk, ALONE),
	ROW("AV-004", ON_RDM, "Names, ranges of names and services, text, lookup", names, ALONE),
	ROW("AV-005", ON_RDM, "Text holds node and service; both families", texts, ALONE),
	ROW("AV-006", ON_RDM, "With FI_SYNC_ERR each address has its result", results, ALONE),
	ROW("AV-007", ON_RDM, "With FI_EVENT the results are events", events, ALONE),
	ROW("AV-008", ON_RDM, "Errors precede the end of their call; a vector's events outlive it",
	    events_stay, ALONE),
	ROW("AV-009", ON_RDM, "A removed address is invalid, and can be inserted again", again,
	    ALONE),
	ROW("AV-010", ON_RDM, "Bits for contexts take places that the program does not see", bits,
	    ALONE),
	ROW("AV-010b", ON_RDM, "A sender is named by its own address, not by another's context",
	    bits_source, ALONE, .o.caps = FI_DIRECTED_RECV | FI_SOURCE),
	ROW("AV-011", ON_RDM, "A named vector is the same in several processes", shared, ALONE),
	ROW("AV-011b", ON_RDM, "Who only receives learns of senders that others insert",
	    only_receives, ALONE),
	ROW("AV-012", ON_RDM, "What a killed process leaves is no vector", stale, ALONE),
	ROW("AV-013", ON_FREE, "A vector that an endpoint uses is not closed", in_use),
	ROW("AV-014", ON_FREE, "An address that is inserted again stays where it is, until its last removal",
	    twice, .o.caps = FI_DIRECTED_RECV),
};

int main(int argc, char **argv)
{
	return rows_main(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
}
