// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * "weftctl path del": a path ends, programs are told why, and the next message makes a new path;
 * "weftctl ep kill": an endpoint ends
 * TIMEOUT: 100
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "shown.h"

#define ROOM	(1u << 20)

static struct pair p;
static uint8_t *sbuf, *rbuf;

static bool begin(bool v6)
{
	struct opts o = { .type = FI_EP_RDM, .apart = true, .v6 = v6,
			  .caps = FI_MSG | FI_TAGGED | FI_DIRECTED_RECV };

	memset(&p, 0, sizeof(p));
	return pair_open(&p, &o);
}

static void end(void)
{
	pair_close(&p);
}

/* A message arrives. */
static bool passes(uint64_t tag)
{
	struct fi_cq_tagged_entry c;

	CHECK_EQ(fi_trecv(p.b.ep, rbuf, ROOM, NULL, FI_ADDR_UNSPEC, tag, 0, NULL), 0);
	CHECK_EQ(fi_tsend(p.a.ep, sbuf, 100, NULL, p.a.peer, tag, NULL), 0);
	CHECK_EQ(completion(p.a.txcq, &c, NULL, NULL), 1);
	CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
	CHECK_EQ(c.tag, tag);
	return true;
}

/* The next completion of a queue is an error. */
static bool fails(struct fid_cq *cq, int errno_wanted)
{
	struct fi_cq_err_entry err = { 0 };
	struct fi_cq_tagged_entry c;

	CHECK_EQ(completion(cq, &c, NULL, &err), -FI_EAVAIL);
	CHECK_EQ(err.err, errno_wanted);
	return true;
}

/* "weftctl WORDS" is refused, says @why, and names this process, which uses the @noun. */
static bool asks(bool node, const char *words, const char *why, const char *noun)
{
	char names[128];

	CHECK(weftctl_on(node, words));
	snprintf(names, sizeof(names), "process %d (admin_actions) of user 0 uses the %s", getpid(),
		 noun);
	return says(why, 1) && says(names, 1);
}

/* @addr: of B's node */
static bool used(bool v6, const char *addr)
{
	char words[128];

	CHECK(begin(v6) && passes(1));
	/* it waits for a receive */
	CHECK_EQ(fi_tsend(p.a.ep, sbuf, ROOM, NULL, p.a.peer, 2, NULL), 0);
	/* a receive that names its sender, of which nothing comes */
	CHECK_EQ(fi_trecv(p.b.ep, rbuf, ROOM, NULL, p.b.peer, 3, 0, NULL), 0);
	CHECK(wait_for_line(0, "send show", " for receive age_ms "));
	snprintf(words, sizeof(words), "path del weft0 %s", addr);
	CHECK(asks(0, words, "programs use the path; with 'force' their operations fail", "path"));
	CHECK_EQ(weftctl_on(0, "send show for receive"), 0);
	CHECK(says("", 1));
	snprintf(words, sizeof(words), "path del weft0 %s force", addr);
	CHECK_EQ(weftctl_on(0, words), 0);
	CHECK(says("", 0));
	CHECK(fails(p.a.txcq, FI_ECONNABORTED));
	CHECK(fails(p.b.rxcq, FI_ECONNRESET));
	snprintf(words, sizeof(words), "event show event path-down peer %s", addr);
	CHECK_EQ(weftctl_on(0, words), 0);
	CHECK(says("an administrator has deleted the path", 1));
	/* both programs go on */
	CHECK(passes(4));
	CHECK_EQ(weftctl_on(0, "path show"), 0);
	snprintf(words, sizeof(words), ": path %s state up ", addr);
	return says(words, 1);
}

static bool used_4(void)
{
	return used(false, "10.77.0.2");
}

static bool used_6(void)
{
	return used(true, "fd77::2");
}

/* Nobody uses the path: no word is needed, and no program notices. */
static bool unused(void)
{
	CHECK(begin(false) && passes(1));
	end();
	CHECK(wait_for_line(0, "path show", " flows 0 "));
	CHECK_EQ(weftctl_on(0, "path del weft0 10.77.0.2"), 0);
	CHECK_EQ(weftctl_on(0, "path show"), 0);
	CHECK(says("path 10.77.0.2 ", 0));
	return true;
}

/* B's endpoint ends: its receives, A's send, and what both post later. */
static bool killed(bool v6)
{
	char b[64], words[128];

	CHECK(begin(v6) && passes(1) && address(&p.b, b));
	CHECK_EQ(fi_tsend(p.a.ep, sbuf, ROOM, NULL, p.a.peer, 2, NULL), 0);
	CHECK_EQ(fi_trecv(p.b.ep, rbuf, ROOM, NULL, FI_ADDR_UNSPEC, 3, 0, NULL), 0);
	CHECK(wait_for_line(0, "send show", " for receive age_ms "));
	snprintf(words, sizeof(words), "ep kill weft1 %s", b);
	CHECK(asks(1, words, "a program uses it; with 'force' its operations fail", "endpoint"));
	snprintf(words, sizeof(words), "ep kill weft1 %s force", b);
	CHECK_EQ(weftctl_on(1, words), 0);
	CHECK(says("", 0));
	CHECK(fails(p.b.rxcq, FI_ECONNABORTED));
	CHECK(fails(p.a.txcq, FI_ECONNREFUSED));
	CHECK_EQ(fi_trecv(p.b.ep, rbuf, ROOM, NULL, FI_ADDR_UNSPEC, 4, 0, NULL), -FI_EIO);
	CHECK_EQ(fi_tsend(p.b.ep, sbuf, 8, NULL, p.b.peer, 4, NULL), -FI_EIO);
	/* a short message may have left before the answer came */
	CHECK_EQ(fi_tsend(p.a.ep, sbuf, ROOM, NULL, p.a.peer, 5, NULL), 0);
	CHECK(fails(p.a.txcq, FI_ECONNREFUSED));
	CHECK(weftctl_on(1, words) && says("the endpoint is in error: its program", 1));
	snprintf(words, sizeof(words), " ep %s type rdm state error ", b);
	CHECK(!weftctl_on(1, "ep show") && says(words, 1));
	/* others hear of it without the endpoint */
	snprintf(words, sizeof(words), " endpoint-killed ep %s uid 0 errno 103 why an admin", b);
	CHECK(!weftctl_on(1, "event show") && says(words, 1));
	CHECK(!shell_on(1, "setpriv --reuid 1990 --regid 1990 --clear-groups weftctl event"));
	return lines(" endpoint-killed errno 103 ") > 0 && says(b, 0);
}

static bool killed_4(void)
{
	return killed(false);
}

static bool killed_6(void)
{
	return killed(true);
}

static bool refused(void)
{
	CHECK(weftctl_on(0, "path del weft0 10.77.0.99 force"));
	CHECK(says("the port has no path to this node; see 'path show'", 1));
	CHECK(weftctl_on(0, "path del nosuch 10.77.0.2") && says("no such port", 1));
	CHECK(weftctl_on(0, "path del weft0 10.77") && says("is no IPv4 or IPv6 address", 1));
	CHECK(weftctl_on(0, "path del weft0") && says("needs a port and an address", 1));
	CHECK(shell_on(0, "setpriv --reuid 1990 --regid 1990 --clear-groups "
			  "weftctl path del weft0 10.77.0.2 force 2>&1"));
	CHECK(says("not permitted", 1));
	CHECK(weftctl_on(0, "ep kill weft0 10.77.0.1:9 force"));
	CHECK(says("the port has no such endpoint; see 'ep show'", 1));
	CHECK(weftctl_on(0, "ep kill weft0 10.77.0.2:9 force") && says("no such endpoint", 1));
	CHECK(weftctl_on(0, "ep kill weft0 10.77.0.1") && says("is no endpoint: it must be as", 1));
	CHECK(shell_on(0, "setpriv --reuid 1990 --regid 1990 --clear-groups "
			  "weftctl ep kill weft0 10.77.0.1:9 force 2>&1"));
	return says("not permitted", 1);
}

int main(void)
{
	static const struct check cases[] = {
		{ "a path that programs use", used_4 },
		{ "a path that programs use, IPv6", used_6 },
		{ "a path that no program uses", unused },
		{ "an endpoint", killed_4 },
		{ "an endpoint, IPv6", killed_6 },
		{ "objects and users for whom it is refused", refused },
	};

	sbuf = calloc(1, ROOM);
	rbuf = calloc(1, ROOM);
	if (!sbuf || !rbuf)
		return 1;
	checks_run(cases, sizeof(cases) / sizeof(cases[0]), "between nodes", end);
	return results_end();
}
