// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Limits of ports. Each limit is reached once: it holds traffic back and is counted. When there is
 * space again, all messages arrive.
 * TIMEOUT: 200 NEEDS: reload
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "fipair.h"
#include "looks.h"

#define MANY 200 /* sends of LEN bytes: more than a flow may keep at the receiver */
#define MORE 600 /* sends of few bytes, likewise */
/* bytes of a message in one packet, so that only the window holds the message back */
#define LEN  900

static struct pair pair;
static bool apart;
static char src[LEN], dst[LEN];

/* Wait until a counter of a node's port is above @old. */
static bool counted(int node, const char *name, long long old)
{
	uint64_t until = now_ms() + WAIT_MS;
	char attr[64];

	snprintf(attr, sizeof(attr), "counters/%s", name);
	while (port_attr(node, attr) <= old) {
		CHECK(now_ms() < until);
		usleep(1000);
	}
	return true;
}

static bool sent(size_t len, int n)
{
	int i;

	for (i = 0; i < n; i++)
		CHECK_EQ(fi_send(pair.a.ep, src, len, NULL, pair.a.peer, NULL), 0);
	return true;
}

static bool received(size_t len, int n)
{
	struct fi_cq_tagged_entry c;
	int i;

	for (i = 0; i < n; i++) {
		memset(dst, 0, sizeof(dst));
		CHECK_EQ(fi_recv(pair.b.ep, dst, sizeof(dst), NULL, FI_ADDR_UNSPEC, NULL), 0);
		CHECK_EQ(completion(pair.b.rxcq, &c, NULL, NULL), 1);
		CHECK_EQ(c.len, len);
		CHECK(!memcmp(src, dst, len));
	}
	for (i = 0; i < n; i++)
		CHECK_EQ(completion(pair.a.txcq, &c, NULL, NULL), 1);
	return true;
}

/* @node: owner of the limit; @counts: owner of the counter; @n: messages. */
static bool held_back(int node, const char *name, unsigned int value, unsigned int back, int counts,
		      const char *counter, size_t len, int n)
{
	long long old;
	char attr[64];

	snprintf(attr, sizeof(attr), "counters/%s", counter);
	old = port_attr(counts, attr);
	CHECK(port_limit(node, name, value));
	CHECK(sent(len, n));
	CHECK(counted(counts, counter, old));
	CHECK(port_limit(node, name, back));
	return received(len, n);
}

static bool with_pair(bool (*run)(void))
{
	const struct opts o = { .type = FI_EP_RDM, .apart = apart, .tx_size = 1024,
				.cq_size = 2048 };

	memset(&pair, 0, sizeof(pair));
	pattern_fill(src, sizeof(src), 7);
	CHECK(pair_open(&pair, &o));
	CHECK(run());
	pair_close(&pair);
	return true;
}

static bool unexpected_run(void)
{
	/* while its endpoint has credit a message does not count to its node's limit */
	CHECK(port_limit(apart, "unexpected-endpoint", 65536));
	CHECK(held_back(apart, "unexpected-node", 65536, 4 << 20, 0, "limit_unexp", LEN, MANY));
	return port_limit(apart, "unexpected-endpoint", 4 << 20);
}

/* Credit that a node has been told stays valid, so the nodes are made anew. */
static bool unexpected(void)
{
	if (!apart)
		return true;
	CHECK_EQ(system(". $VM_REPO/selftests/vm/lib.sh; vm_teardown; vm_setup"), 0);
	return with_pair(unexpected_run);
}

/* A new pair for each case: credit that a flow has been told stays valid. */
static bool messages_endpoint(void)
{
	return held_back(apart, "messages-endpoint", 64, 65536, apart, "limit_endpoint", 8, MORE);
}

static bool messages_user(void)
{
	return held_back(apart, "messages-user", 64, 262144, apart, "limit_user", 8, MORE);
}

static bool messages(void)
{
	return with_pair(messages_endpoint) && with_pair(messages_user);
}

static bool bytes_endpoint(void)
{
	return held_back(apart, "unexpected-endpoint", 65536, 4 << 20, apart, "limit_endpoint", LEN,
			 MANY);
}

static bool bytes_user(void)
{
	return held_back(apart, "unexpected-user", 65536, 16 << 20, apart, "limit_user", LEN, MANY);
}

static bool bytes(void)
{
	return with_pair(bytes_endpoint) && with_pair(bytes_user);
}

/* Make a pair whose contexts are @uid's; the process keeps its other rights. */
static bool users_pair(uid_t uid, size_t tx_size)
{
	const struct opts o = { .type = FI_EP_RDM, .apart = apart, .tx_size = tx_size,
				.cq_size = 4096 };

	memset(&pair, 0, sizeof(pair));
	CHECK_EQ(setresuid(uid, -1, -1), 0);
	CHECK(pair_open(&pair, &o));
	CHECK_EQ(setresuid(0, -1, -1), 0);
	return true;
}

/*
 * One user gets more messages than he may keep, and receives none. Messages of another user,
 * between the same nodes, arrive as usual. Then the first user gets all his messages.
 */
static bool users_len(size_t len)
{
	uint64_t until = now_ms() + WAIT_MS;
	struct pair first, second;
	long long old;
	int i, n = 0;
	ssize_t ret;

	CHECK(users_pair(1991, 1024));
	first = pair;
	CHECK(users_pair(1992, 64));
	second = pair;
	CHECK(port_limit(apart, "messages-user", 64));
	CHECK(port_limit(apart, "unexpected-user", 65536));
	old = port_attr(apart, "counters/limit_user");
	pair = first;
	do {
		for (i = 0; i < 50; i++) {
			ret = fi_send(pair.a.ep, src, len, NULL, pair.a.peer, NULL);
			CHECK(!ret || ret == -FI_EAGAIN);
			n += !ret;
		}
		CHECK(now_ms() < until);
		usleep(10000);
	} while (port_attr(apart, "counters/limit_user") <= old);
	pair = second;
	for (i = 0; i < MORE; i++)
		CHECK(sent(len, 1) && received(len, 1));
	pair_close(&second);
	pair = first;
	CHECK(received(len, n));
	pair_close(&pair);
	return port_limit(apart, "messages-user", 262144) &&
	       port_limit(apart, "unexpected-user", 16 << 20);
}

static bool users(void)
{
	pattern_fill(src, sizeof(src), 7);
	return users_len(8) && users_len(LEN) && users_len(0);
}

static bool paths_run(void)
{
	static char big[100000];
	struct fi_cq_err_entry err;
	struct fi_cq_tagged_entry c;
	char addr[64] = "";
	size_t len = sizeof(addr);
	fi_addr_t other;
	long long used;

	if (!apart)
		return true;
	/* the path to the other node exists afterwards */
	CHECK(sent(8, 1));
	CHECK(received(8, 1));
	used = port_attr(0, "paths");
	CHECK(used > 0);
	CHECK(port_limit(0, "paths", used));
	/* an unused address on the same link: the last byte of the IPv4 address differs */
	CHECK_EQ(fi_getname(&pair.b.ep->fid, addr, &len), 0);
	addr[7] = 99;
	CHECK_EQ(fi_av_insert(pair.a.av, addr, 1, &other, 0, NULL), 1);
	/* the path is needed: other nodes get none, however long they wait */
	CHECK_EQ(fi_send(pair.a.ep, big, sizeof(big), NULL, pair.a.peer, NULL), 0);
	CHECK_EQ(fi_send(pair.a.ep, src, 8, NULL, other, NULL), 0);
	CHECK_EQ(completion(pair.a.txcq, &c, NULL, &err), -FI_EAVAIL);
	CHECK_EQ(err.err, FI_ENOSPC);
	CHECK(counted(0, "limit_paths", 0));
	CHECK_EQ(fi_recv(pair.b.ep, big, sizeof(big), NULL, FI_ADDR_UNSPEC, NULL), 0);
	CHECK_EQ(completion(pair.b.rxcq, &c, NULL, NULL), 1);
	CHECK_EQ(completion(pair.a.txcq, &c, NULL, NULL), 1);
	/* when the path is not needed any more, it is reclaimed: that address never answers */
	CHECK_EQ(fi_send(pair.a.ep, src, 8, NULL, other, NULL), 0);
	CHECK_EQ(completion(pair.a.txcq, &c, NULL, &err), -FI_EAVAIL);
	CHECK_EQ(err.err, FI_EHOSTUNREACH);
	CHECK(port_limit(0, "paths", 16384));
	/* and all other sends continue */
	CHECK(sent(8, 3));
	return received(8, 3);
}

static bool paths(void)
{
	return with_pair(paths_run);
}

/* A second request while one waits, and the limit is one. */
static bool requests(void)
{
	const struct opts o = { .type = FI_EP_MSG, .apart = apart };
	union { struct fi_eq_cm_entry cm; uint8_t raw[sizeof(struct fi_eq_cm_entry) + 256]; } ev;
	struct fi_eq_err_entry err = { 0 };
	struct side second = { 0 };
	char addr[64];
	size_t len = sizeof(addr);
	uint64_t until = now_ms() + WAIT_MS;
	uint32_t type;
	ssize_t ret;

	memset(&pair, 0, sizeof(pair));
	pair.o = o;
	CHECK(port_limit(apart, "requests", 1));
	CHECK(side_open(&pair.b, apart, &o) && pair_listen(&pair, addr, &len));
	CHECK(side_open(&pair.a, 0, &o) && side_endpoint(&pair.a, pair.a.info, &o));
	CHECK(side_open(&second, 0, &o) && side_endpoint(&second, second.info, &o));
	CHECK_EQ(fi_connect(pair.a.ep, addr, NULL, 0), 0);
	CHECK(event(pair.b.eq, &type, &ev, sizeof(ev)) > 0);
	CHECK_EQ(type, FI_CONNREQ);
	CHECK_EQ(fi_connect(second.ep, addr, NULL, 0), 0);
	do {
		ret = fi_eq_readerr(second.eq, &err, 0);
		CHECK(now_ms() < until);
	} while (ret == -FI_EAGAIN);
	CHECK_EQ(err.err, FI_ECONNREFUSED);
	CHECK(counted(apart, "limit_requests", 0));
	/* when the first request has been answered there is space */
	CHECK_EQ(fi_reject(pair.pep, ev.cm.info->handle, NULL, 0), 0);
	fi_freeinfo(ev.cm.info);
	side_close(&second);
	memset(&second, 0, sizeof(second));
	CHECK(side_open(&second, 0, &o) && side_endpoint(&second, second.info, &o));
	CHECK_EQ(fi_connect(second.ep, addr, NULL, 0), 0);
	CHECK(event(pair.b.eq, &type, &ev, sizeof(ev)) > 0);
	CHECK_EQ(type, FI_CONNREQ);
	CHECK_EQ(fi_reject(pair.pep, ev.cm.info->handle, NULL, 0), 0);
	fi_freeinfo(ev.cm.info);
	side_close(&second);
	pair_close(&pair);
	return port_limit(apart, "requests", 16384);
}

/* ---- Which user is charged ------------------------------------------------------------------- */

#define CGROUP "/sys/fs/cgroup"
#define PAYER  CGROUP "/weft_limits"
#define KEPT   600
#define BIG    1200 /* bytes of a message that is kept, in one packet: none is announced */

static bool tell(const char *file, const char *text)
{
	FILE *f = fopen(file, "w");
	bool ok = f && fputs(text, f) >= 0;

	return f && !fclose(f) && ok;
}

/* Bytes that PAYER has been charged. */
static long long charged(void)
{
	FILE *f = fopen(PAYER "/memory.current", "r");
	long long n = -1;

	if (f && fscanf(f, "%lld", &n) != 1)
		n = -1;
	if (f)
		fclose(f);
	return n;
}

/*
 * A message before its receive is charged to the user that opened the device, not to the running
 * one.
 */
static bool payer_run(void)
{
	static char buf[BIG];
	struct fi_cq_tagged_entry c;
	uint64_t until = now_ms() + WAIT_MS;
	long long before;
	int i;

	CHECK(tell(CGROUP "/cgroup.procs", "0"));
	before = charged();
	CHECK(before >= 0);
	for (i = 0; i < KEPT; i++)
		CHECK_EQ(fi_send(pair.a.ep, buf, BIG, NULL, pair.a.peer, NULL), 0);
	while (charged() - before < KEPT * BIG) {
		if (now_ms() >= until)
			printf("# charged %lld, before %lld\n", charged(), before);
		CHECK(now_ms() < until);
	}
	for (i = 0; i < KEPT; i++) {
		CHECK_EQ(fi_recv(pair.b.ep, buf, BIG, NULL, FI_ADDR_UNSPEC, NULL), 0);
		CHECK_EQ(completion(pair.b.rxcq, &c, NULL, NULL), 1);
		CHECK_EQ(c.len, BIG);
		CHECK_EQ(completion(pair.a.txcq, &c, NULL, NULL), 1);
	}
	until = now_ms() + WAIT_MS;
	while (charged() - before > KEPT * BIG / 2)
		CHECK(now_ms() < until);
	return true;
}

static bool payer(void)
{
	bool ok;

	/* within a node messages stay in the memory of their sends */
	if (!apart)
		return true;
	CHECK(tell(CGROUP "/cgroup.subtree_control", "+memory"));
	CHECK(!mkdir(PAYER, 0700) && tell(PAYER "/cgroup.procs", "0"));
	ok = with_pair(payer_run);
	/* also when the completion has not come so far */
	ok &= tell(CGROUP "/cgroup.procs", "0");
	CHECK_EQ(rmdir(PAYER), 0);
	return ok;
}

static const struct check cases[] = {
	{ "unexpected bytes of a node", unexpected },
	{ "unexpected bytes of endpoint and user", bytes },
	{ "unexpected messages of endpoint and user", messages },
	{ "a user leaves another one's room alone", users },
	{ "paths", paths },
	{ "requests for connections", requests },
	{ "who pays", payer },
};

static void between(void)
{
}

int main(void)
{
	checks_run_everywhere(cases, sizeof(cases) / sizeof(cases[0]), &apart, between);
	return results_end();
}
