// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * "weftctl recv", "msg", "send" and "flow": what waits or is under way is shown, each object once,
 * with all that it says
 * TIMEOUT: 200
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "flog.h"
#include "shown.h"

#define ROOM	(1u << 20)
#define MANY	3000

static struct pair p;
static bool apart;
static uint8_t *sbuf, *rbuf;

/* Run "weftctl WORDS" on B's node. Return: its exit status. */
static int weftctl(const char *words)
{
	return weftctl_on(apart, words);
}

static bool begin(uint64_t caps)
{
	struct opts o = { .type = FI_EP_RDM, .apart = apart, .caps = caps };

	memset(&p, 0, sizeof(p));
	return pair_open(&p, &o);
}

static void after(void)
{
	pair_close(&p);
}

/* Wait until B's endpoint has @n messages that no receive has taken. */
static bool wait_for(unsigned int n)
{
	uint64_t until = now_ms() + WAIT_MS;

	for (;;) {
		CHECK_EQ(weftctl("msg show"), 0);
		if (lines("untagged") + lines("tagged tag") >= n)
			return true;
		CHECK(now_ms() < until);
	}
}

static bool receives(void)
{
	char a[64], b[64], words[256];

	CHECK(begin(FI_MSG | FI_TAGGED | FI_DIRECTED_RECV));
	CHECK(address(&p.a, a) && address(&p.b, b));
	CHECK_EQ(fi_trecv(p.b.ep, rbuf, 1000, NULL, FI_ADDR_UNSPEC, 0x2a, 0xf00, NULL), 0);
	CHECK_EQ(fi_trecv(p.b.ep, rbuf + 4096, 2000, NULL, p.b.peer, 0x2b, 0, NULL), 0);
	CHECK_EQ(fi_recv(p.b.ep, rbuf + 8192, 3000, NULL, FI_ADDR_UNSPEC, NULL), 0);
	CHECK_EQ(weftctl("recv show"), 0);
	CHECK(says("", 3) && says(b, 3));
	snprintf(words, sizeof(words), "tagged tag 0x2a ignore 0xf00 len 1000 age_ms ");
	CHECK(says(words, 1));
	snprintf(words, sizeof(words), "tagged tag 0x2b ignore 0x0 from %s len 2000 age_ms ", a);
	CHECK(says(words, 1));
	CHECK(says("weft0: untagged len 3000 age_ms ", !apart) &&
	      says("weft1: untagged len 3000 age_ms ", apart));
	snprintf(words, sizeof(words), " ep %s buf 0x%" PRIxPTR " ctx ", b, (uintptr_t)rbuf);
	CHECK(says(words, 1));
	snprintf(words, sizeof(words), " uid 0 pid %d comm admin_waits", getpid());
	CHECK(says(words, 3));
	CHECK_EQ(weftctl("msg show"), 0);
	return says("", 0);
}

static bool messages(void)
{
	char a[64], b[64], words[256];
	struct fi_cq_tagged_entry c;

	CHECK(begin(FI_MSG | FI_TAGGED));
	CHECK(address(&p.a, a) && address(&p.b, b));
	CHECK_EQ(fi_tsend(p.a.ep, sbuf, 100, NULL, p.a.peer, 0x77, NULL), 0);
	CHECK_EQ(fi_tsend(p.a.ep, sbuf, ROOM, NULL, p.a.peer, 0x78, NULL), 0);
	CHECK_EQ(fi_send(p.a.ep, sbuf, 50, NULL, p.a.peer, NULL), 0);
	CHECK(wait_for(3));
	CHECK(says("", 3) && says(b, 3));
	snprintf(words, sizeof(words), "tagged tag 0x77 from %s len 100 came 100 how eager age_ms ",
		 a);
	CHECK(says(words, 1));
	/* within a node a long message is not announced: its bytes are in the sender's memory */
	snprintf(words, sizeof(words), "tagged tag 0x78 from %s len %u came ", a, ROOM);
	CHECK(says(words, 1) && (!apart || says(" came 0 how announced age_ms ", 1)));
	snprintf(words, sizeof(words), "untagged from %s len 50 came 50 how eager age_ms ", a);
	CHECK(says(words, 1));
	/* receives take them, and nothing waits any more */
	CHECK_EQ(fi_trecv(p.b.ep, rbuf, ROOM, NULL, FI_ADDR_UNSPEC, 0x78, 0, NULL), 0);
	CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
	CHECK_EQ(weftctl("msg show"), 0);
	CHECK(says("", 2) && says("tag 0x78", 0));
	CHECK_EQ(weftctl("recv show"), 0);
	return says("", 0);
}

static bool filtered(void)
{
	char a[64], b[64], words[256];

	CHECK(begin(FI_MSG | FI_TAGGED));
	CHECK(address(&p.a, a) && address(&p.b, b));
	CHECK_EQ(fi_trecv(p.b.ep, rbuf, 1000, NULL, FI_ADDR_UNSPEC, 0x100, 0xff, NULL), 0);
	CHECK_EQ(fi_trecv(p.b.ep, rbuf, 1000, NULL, FI_ADDR_UNSPEC, 0x200, 0, NULL), 0);
	CHECK_EQ(fi_recv(p.b.ep, rbuf, 1000, NULL, FI_ADDR_UNSPEC, NULL), 0);
	CHECK_EQ(weftctl("recv show tag 0x1ab"), 0);
	CHECK(says("", 1) && says("tag 0x100", 1));
	CHECK_EQ(weftctl("recv show tag 512"), 0);
	CHECK(says("", 1) && says("tag 0x200", 1));
	snprintf(words, sizeof(words), "recv show pid %d ep %s", getpid(), b);
	CHECK_EQ(weftctl(words), 0);
	CHECK(says("", 3));
	*strchr(b, ':') = 0;
	snprintf(words, sizeof(words), "recv show %s ep %s tag 0x200", apart ? "weft1" : "weft0",
		 b);
	CHECK_EQ(weftctl(words), 0);
	CHECK(says("", 1));
	CHECK_EQ(weftctl("recv show age 86400"), 0);
	CHECK(says("", 1) && says("weftctl: recv show: nothing matches", 1));
	CHECK_EQ(weftctl("-j recv show age 86400") || !strstr(shown, "[]"), 0);
	CHECK(weftctl("recv show pid x") && says("no number", 1));
	CHECK(weftctl("recv show port nosuch") && says("no such port", 1));
	return true;
}

static bool sends(void)
{
	char a[64], b[64], words[256];
	struct fi_cq_tagged_entry c;

	CHECK(begin(FI_MSG | FI_TAGGED));
	CHECK(address(&p.a, a) && address(&p.b, b));
	CHECK_EQ(fi_tsend(p.a.ep, sbuf, ROOM, NULL, p.a.peer, 0x78, NULL), 0);
	CHECK(wait_for_line(0, "send show", " for receive age_ms "));
	snprintf(words, sizeof(words), "weft0: tagged tag 0x78 to %s len %u sent 0 how %s for "
		 "receive age_ms ", b, ROOM, apart ? "announced" : "local");
	CHECK(says("", 1) && says(words, 1));
	snprintf(words, sizeof(words), " ep %s ctx ", a);
	CHECK(says(words, 1));
	snprintf(words, sizeof(words), " uid 0 pid %d comm admin_waits", getpid());
	CHECK(says(words, 1) && says("completed", 0));
	CHECK_EQ(weftctl_on(0, "send show for receive tag 0x78"), 0);
	CHECK(says("", 1));
	CHECK_EQ(weftctl_on(0, "send show for credit"), 0);
	CHECK(says("weftctl: send show: nothing matches", 1));
	/* its flow, from both ends */
	snprintf(words, sizeof(words), "flow show ep %s peer %s state open", a, b);
	CHECK_EQ(weftctl_on(0, words), 0);
	snprintf(words, sizeof(words), "weft0: out peer %s state open last ", b);
	CHECK(says("", 1) && says(words, 1) && says(" age_ms ", 1));
	if (apart) {
		snprintf(words, sizeof(words), "flow show peer %s", a);
		CHECK_EQ(weftctl(words), 0);
		snprintf(words, sizeof(words), "weft1: in peer %s state open last 1 credit ", a);
		CHECK(says("", 1) && says(words, 1) && says(" waiting 1", 1));
	}
	/* other users see neither */
	CHECK_EQ(system("setpriv --reuid 1990 --regid 1990 --clear-groups weftctl send show | "
			"grep . ; test $? = 1"), 0);
	CHECK_EQ(system("setpriv --reuid 1990 --regid 1990 --clear-groups weftctl flow show | "
			"grep . ; test $? = 1"), 0);
	CHECK_EQ(fi_trecv(p.b.ep, rbuf, ROOM, NULL, FI_ADDR_UNSPEC, 0x78, 0, NULL), 0);
	CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
	CHECK_EQ(completion(p.a.txcq, &c, NULL, NULL), 1);
	CHECK_EQ(weftctl_on(0, "send show"), 0);
	return says("", 0);
}

/* The receiver's endpoint does not exist. */
static bool absent(void)
{
	uint8_t name[64];
	size_t len = sizeof(name);
	fi_addr_t to;

	CHECK(begin(FI_MSG | FI_TAGGED));
	CHECK_EQ(fi_getname(&p.b.ep->fid, name, &len), 0);
	/* another service of B's node */
	name[2] ^= 0x40;
	CHECK_EQ(fi_av_insert(p.a.av, name, 1, &to, 0, NULL), 1);
	CHECK_EQ(fi_tsend(p.a.ep, sbuf, 8, NULL, to, 1, NULL), 0);
	CHECK(wait_for_line(0, "send show", " for endpoint age_ms "));
	CHECK_EQ(weftctl_on(0, "flow show state refused"), 0);
	return says(" state refused last 0 credit 0 ", 1);
}

static bool others(void)
{
	CHECK(begin(FI_MSG | FI_TAGGED));
	CHECK_EQ(fi_trecv(p.b.ep, rbuf, 1000, NULL, FI_ADDR_UNSPEC, 1, 0, NULL), 0);
	CHECK_EQ(fi_tsend(p.a.ep, sbuf, 100, NULL, p.a.peer, 2, NULL), 0);
	CHECK(wait_for(1));
	node_enter(apart);
	CHECK_EQ(system("setpriv --reuid 1990 --regid 1990 --clear-groups weftctl recv show | "
			"grep . ; test $? = 1"), 0);
	CHECK_EQ(system("setpriv --reuid 1990 --regid 1990 --clear-groups weftctl msg show | "
			"grep . ; test $? = 1"), 0);
	node_enter(0);
	return true;
}

/* Each tag of @first and the next @n - 1 is shown once. */
static bool all_once(uint64_t first, unsigned int n)
{
	char *seen = calloc(n, 1), *s = shown;
	unsigned int i, found = 0;
	uint64_t tag;

	CHECK(seen);
	for (; (s = strstr(s, "tag 0x")); s += 6) {
		tag = strtoull(s + 6, NULL, 16) - first;
		if (tag < n && !seen[tag]++)
			found++;
	}
	for (i = 0; i < n; i++)
		CHECK(seen[i] == 1);
	free(seen);
	CHECK_EQ(found, n);
	return says("", n);
}

static bool many(void)
{
	struct fi_cq_tagged_entry c;
	unsigned int i, sent = 0;

	CHECK(begin(FI_MSG | FI_TAGGED));
	for (i = 0; i < 1000; i++)
		CHECK_EQ(fi_trecv(p.b.ep, rbuf, 16, NULL, FI_ADDR_UNSPEC, 0x10000 + i, 0, NULL), 0);
	CHECK_EQ(weftctl("recv show"), 0);
	CHECK(all_once(0x10000, 1000));
	for (i = 0; i < MANY; i++) {
		while (fi_tsend(p.a.ep, sbuf, 8, NULL, p.a.peer, 0x20000 + i, NULL)) {
			CHECK_EQ(completion(p.a.txcq, &c, NULL, NULL), 1);
			sent++;
		}
	}
	for (; sent < MANY; sent++)
		CHECK_EQ(completion(p.a.txcq, &c, NULL, NULL), 1);
	CHECK(wait_for(MANY));
	CHECK(all_once(0x20000, MANY));
	return true;
}

static bool shared(void)
{
	struct opts o = { .type = FI_EP_RDM, .apart = apart, .caps = FI_MSG | FI_TAGGED };
	struct fi_rx_attr attr = { .caps = FI_MSG | FI_TAGGED | FI_RECV };
	struct fid_ep *srx;
	bool ok;

	memset(&p, 0, sizeof(p));
	CHECK(side_open(&p.a, apart, &o));
	CHECK_EQ(fi_srx_context(p.a.domain, &attr, &srx, NULL), 0);
	CHECK_EQ(fi_trecv(srx, rbuf, 700, NULL, FI_ADDR_UNSPEC, 0x99, 0, NULL), 0);
	CHECK_EQ(weftctl("recv show"), 0);
	ok = says("tagged tag 0x99 ignore 0x0 len 700 age_ms ", 1) && says(" srq ", 1) &&
	     says(" ep ", 0);
	CHECK_EQ(fi_close(&srx->fid), 0);
	return ok;
}

/* /proc/PID/fdinfo shows the program's endpoints, and what waits in its queues. */
static bool fdinfo(void)
{
	char b[64], words[256];

	CHECK(begin(FI_MSG | FI_TAGGED) && address(&p.b, b));
	CHECK_EQ(fi_trecv(p.b.ep, rbuf, 1000, NULL, FI_ADDR_UNSPEC, 1, 0, NULL), 0);
	CHECK_EQ(fi_trecv(p.b.ep, rbuf, 1000, NULL, FI_ADDR_UNSPEC, 9, 0, NULL), 0);
	CHECK_EQ(fi_tsend(p.a.ep, sbuf, 8, NULL, p.a.peer, 1, NULL), 0);
	CHECK_EQ(fi_tsend(p.a.ep, sbuf, 8, NULL, p.a.peer, 2, NULL), 0);
	CHECK(wait_for(1));
	/* (shell_on() closes the file of a namespace meanwhile) */
	snprintf(words, sizeof(words), "cat /proc/%d/fdinfo/* 2>/dev/null; :", getpid());
	CHECK_EQ(shell_on(0, words), 0);
	snprintf(words, sizeof(words), "weft-ep:\t%s rdm enabled handle ", b);
	CHECK(says("weft-ep:\t", 2) && says(words, 1));
	CHECK(says(" posted 1 unexpected 1 sending 0", 1));
	CHECK(lines("weft-port:\tweft") >= 1 && says("weft-error:\tyes", 0));
	/* the first message has completed in B's queue, and is not read */
	return says("weft-waiting:\tyes", 0) && lines("weft-unread:\t0") < lines("weft-unread:\t");
}

/* The log, weftctl and fdinfo have one name for an endpoint. */
static bool one_name(void)
{
	static char text[65536];
	char b[64], words[256];

	flog_clear();
	CHECK(begin(FI_MSG | FI_TAGGED) && address(&p.b, b));
	flog_text(text, sizeof(text));
	snprintf(words, sizeof(words), "endpoint %s is enabled\n", b);
	CHECK(strstr(text, words));
	snprintf(words, sizeof(words), " ep %s type rdm state enabled ", b);
	CHECK(!weftctl("ep show") && says(words, 1));
	snprintf(words, sizeof(words), " ep %s ", b);
	CHECK_EQ(fi_trecv(p.b.ep, rbuf, 1000, NULL, FI_ADDR_UNSPEC, 1, 0, NULL), 0);
	return !weftctl("recv show") && says(words, 1);
}

int main(void)
{
	static const struct check cases[] = {
		{ "posted receives", receives },
		{ "messages that wait for a receive", messages },
		{ "filters", filtered },
		{ "sends, and their flows", sends },
		{ "sends to an endpoint that does not exist", absent },
		{ "other users' are hidden", others },
		{ "many, each once", many },
		{ "receives of a shared queue", shared },
		{ "fdinfo", fdinfo },
		{ "one name for an endpoint", one_name },
	};

	sbuf = calloc(1, ROOM);
	rbuf = calloc(1, ROOM);
	if (!sbuf || !rbuf || !flog_open("info"))
		return 1;
	checks_run_everywhere(cases, sizeof(cases) / sizeof(cases[0]), &apart, after);
	return results_end();
}
