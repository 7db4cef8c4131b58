// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Address vectors through stock libfabric: bulk, by name, symmetric, asynchronous, removal, lookup
 * and text; vectors that processes share.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/wait.h>
#include <unistd.h>
#include "fipair.h"

#define MANY	5000

static struct side s;

static bool begin(struct fi_av_attr *attr)
{
	struct opts o = { .type = FI_EP_RDM };

	CHECK(side_open(&s, 0, &o));
	CHECK_EQ(fi_av_open(s.domain, attr, &s.av, NULL), 0);
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

	CHECK_EQ(fi_av_lookup(s.av, at, &got, &len), 0);
	CHECK_EQ(len, sizeof(got));
	CHECK_EQ(got.sin_addr.s_addr, want.sin_addr.s_addr);
	CHECK_EQ(got.sin_port, want.sin_port);
	return true;
}

/* Many in one call; a bad one among them fails alone. */
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
	CHECK_EQ(fi_av_insert(s.av, a, MANY, at, FI_SYNC_ERR, err), MANY - 2);
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
	CHECK_EQ(fi_av_remove(s.av, at, 77, 0), 0);
	CHECK_EQ(fi_av_remove(s.av, at, 1, 0), -FI_EINVAL);
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
	CHECK_EQ(fi_av_insertsvc(s.av, "10.77.1.2", "33", at, 0, NULL), 1);
	CHECK(stands(at[0], 0x0a4d0102, 33));
	CHECK_EQ(fi_av_insertsym(s.av, "10.77.0.254", 3, "40", 2, at, 0, NULL), 6);
	for (i = 0; i < 6; i++)
		CHECK(stands(at[i], 0x0a4d00fe + i / 2, 40 + i % 2));
	len = sizeof(text);
	CHECK(fi_av_straddr(s.av, &a, text, &len) == text);
	CHECK(!strcmp(text, "fi_sockaddr_in://10.77.1.2:77"));
	CHECK_EQ(len, strlen(text) + 1);
	len = 5;
	CHECK(fi_av_straddr(s.av, &a, text, &len) == text);
	CHECK(!strcmp(text, "fi_s"));
	CHECK_EQ(len, 30);
	len = 4;
	CHECK_EQ(fi_av_lookup(s.av, at[0], text, &len), 0);
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
	CHECK_EQ(fi_av_insert(s.av, a, 3, at, 0, &a), -FI_ENOEQ);
	CHECK_EQ(fi_av_bind(s.av, &s.eq->fid, 0), 0);
	CHECK_EQ(fi_av_insert(s.av, a, 3, at, 0, &a), 0);
	CHECK_EQ(event(s.eq, &type, &e, sizeof(e)), -FI_EAVAIL);
	CHECK_EQ(fi_eq_readerr(s.eq, &err, 0), sizeof(err));
	CHECK_EQ(err.data, 1);
	CHECK(err.context == &a);
	CHECK_EQ(event(s.eq, &type, &e, sizeof(e)), sizeof(e));
	CHECK_EQ(type, FI_AV_COMPLETE);
	CHECK_EQ(e.data, 2);
	CHECK(e.context == &a);
	CHECK(e.fid == &s.av->fid);
	return true;
}

/* With bits for contexts an address takes as many places, which the program does not see. */
static bool bits(void)
{
	struct fi_av_attr attr = { .type = FI_AV_TABLE, .rx_ctx_bits = 4 };
	struct sockaddr_in a[3] = { sin4(0x0a4d0102, 100), sin4(0x0a4d0102, 65530),
				    sin4(0x0a4d0102, 200) };
	fi_addr_t at[3], one;

	CHECK(begin(&attr));
	CHECK_EQ(fi_av_insert(s.av, a, 3, at, 0, NULL), 3);
	CHECK_EQ(at[0], 0);
	CHECK_EQ(at[2], 2);
	CHECK(stands(at[1], 0x0a4d0102, 65530));
	CHECK(stands(fi_rx_addr(at[0], 15, 4), 0x0a4d0102, 115));
	CHECK_EQ(fi_av_remove(s.av, &at[1], 1, 0), 0);
	CHECK_EQ(fi_av_remove(s.av, &at[1], 1, 0), -FI_EINVAL);
	CHECK_EQ(fi_av_insert(s.av, a, 1, &one, 0, NULL), 1);
	CHECK_EQ(one, 3);
	return true;
}

/* ---- Sharing ------------------------------------------------------------------------------ */

/* One byte from the other process, or to it. */
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
 * Another process opens the vector for reading, sees what has been and is inserted, at the same
 * addresses, and may change nothing; it can send with it.
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
	CHECK(side_open(&s, 0, &o));
	CHECK_EQ(fi_av_open(s.domain, &none, &av, NULL), -FI_ENOENT);
	CHECK_EQ(fi_av_open(s.domain, &attr, &s.av, NULL), 0);
	CHECK(attr.map_addr);
	CHECK(stands(((fi_addr_t *)attr.map_addr)[0], 0x0a4d0101, 1));
	CHECK(stands(1, 0x0a4d0102, 2));
	CHECK_EQ(fi_av_insert(s.av, &a, 1, &at, 0, NULL), -FI_EPERM);
	at = 0;
	CHECK_EQ(fi_av_remove(s.av, &at, 1, 0), -FI_EPERM);
	tell(to);
	CHECK(wait_for(from));
	CHECK(stands(2, 0x0a4d0103, 3));
	CHECK_EQ(fi_av_lookup(s.av, 0, NULL, &len), -FI_EINVAL);
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
			side_close(&s);
		_exit(!ok);
	}
	CHECK(begin(&attr));
	CHECK_EQ(fi_av_insert(s.av, a, 2, at, 0, NULL), 2);
	tell(down[1]);
	CHECK(wait_for(up[0]));
	CHECK_EQ(fi_av_insert(s.av, a + 2, 1, at + 2, 0, NULL), 1);
	CHECK_EQ(at[2], 2);
	CHECK_EQ(fi_av_remove(s.av, at, 1, 0), 0);
	tell(down[1]);
	CHECK(wait_for(up[0]));
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);

	/* a second vector of this process, and of another kind */
	second = attr;
	second.rx_ctx_bits = 2;
	CHECK_EQ(fi_av_open(s.domain, &second, &av, NULL), -FI_EINVAL);
	second.rx_ctx_bits = 0;
	CHECK_EQ(fi_av_open(s.domain, &second, &av, NULL), 0);
	CHECK_EQ(fi_av_insert(av, a, 1, at, 0, NULL), 1);
	CHECK(stands(at[0], 0x0a4d0101, 1));
	CHECK_EQ(fi_close(&av->fid), 0);
	/* the last one takes it away */
	CHECK_EQ(fi_close(&s.av->fid), 0);
	second.flags = FI_READ;
	CHECK_EQ(fi_av_open(s.domain, &second, &s.av, NULL), -FI_ENOENT);
	s.av = NULL;
	return true;
}

/* What a killed process leaves is not taken for a vector. */
static bool stale(void)
{
	struct fi_av_attr attr = { .type = FI_AV_MAP, .name = "stale" };
	struct sockaddr_in a = sin4(0x0a4d0101, 1);
	fi_addr_t at;
	pid_t pid = fork();

	if (!pid) {
		if (!begin(&attr) || fi_av_insert(s.av, &a, 1, &at, 0, NULL) != 1)
			_exit(1);
		raise(SIGKILL);
	}
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	CHECK(begin(&attr));
	CHECK_EQ(fi_av_lookup(s.av, 0, &a, &(size_t){ sizeof(a) }), -FI_EINVAL);
	return true;
}

static const struct check cases[] = {
	{ "bulk", bulk },
	{ "names", names },
	{ "events", events },
	{ "bits", bits },
	{ "shared", shared },
	{ "stale", stale },
};

static void close_all(void)
{
	side_close(&s);
}

int main(void)
{
	checks_run(cases, sizeof(cases) / sizeof(cases[0]), "", close_all);
	return results_end();
}
